"""`zmon rules` lists the rules, and what they find."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.lab.plans import shorter
from zmon.base.event import LEVELS
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.lab import scenario
from zmon.rule.grammar import load_rules
from zmon.screen.export import moment
from zmon.session.exception_log import log_of
from zmon.session.recording import open_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDINGS = Path(__file__).resolve().parents[2] / "recordings"

pytestmark = pytest.mark.usefixtures("utc")


@pytest.fixture(autouse=True)
def _no_rules_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def exceptions(capsys: pytest.CaptureFixture[str], *arguments: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield rule, level, place and begin of each exception that is found."""
    assert main(["rules", "-f", "json", *arguments]) == OK
    for one in json.loads(capsys.readouterr().out)["exceptions"]:
        yield one["rule"], one["level"], one["where"], one["begin"][11:16]


def test_the_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a source each rule is printed with its limits and its reason."""
    assert main(["rules"]) == OK
    printed = capsys.readouterr().out
    for rule in load_rules():
        assert f"{rule.name}: {rule.table}.{rule.column}" in printed
    assert main(["rules", "-f", "csv"]) == OK
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["rule"] for row in rows] == [rule.name for rule in load_rules()]


def test_the_case_study_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    """LCU 6 (7600) takes longer than the others and carries most; its paths are busy."""
    source = str(RECORDINGS / "lab-shark-before.zmon")
    found = set(exceptions(capsys, "--from", source, "--until", "09:35"))
    assert found == {
        ("path-busy", "look", "40", "09:30"),
        ("lcu-service", "bad", "7600", "09:20"),
        ("lcu-share", "look", "7600", "09:10"),
    }


def test_a_healthy_day_has_its_incident_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    """Of 24 hours only the quarter of an hour from 14:30 has exceptions, all on LCU 8000 and its paths."""
    day = str(RECORDINGS / "lab-healthy-day.zmon")
    with closing(open_recording(day)) as timeline:
        log = log_of(timeline)
        log.complete()
        known = {(one.rule, LEVELS[one.level], one.where, moment(one.begin)[11:16]) for one in log.entries()}
    assert {where for _, _, where, _ in known} == {"8000", "50", "51"}
    assert {begin for *_, begin in known} == {"14:30"}
    assert ("alias-use", "bad", "8000", "14:30") in known
    assert set(exceptions(capsys, "--from", day, "--since", "14:15", "--until", "15:15")) == known


@pytest.mark.whole_days
@pytest.mark.parametrize("day", ["idle-day", "uniform-day"])
def test_a_day_without_an_incident_has_no_exception(day: str, capsys: pytest.CaptureFixture[str]) -> None:
    """24 hours of an idle machine, and of one that always has the same load."""
    assert not list(exceptions(capsys, "--from", f"lab:{day}"))


def test_changed_rules_are_tried_on_yesterday(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file that changes a threshold shows what it would have found; another that is wrong is refused."""
    own = tmp_path / "own.toml"
    own.write_text('[[rule]]\nname = "path-busy"\nlook = 99\nbad = 99.5\n')
    source = str(RECORDINGS / "lab-shark-before.zmon")
    found = list(exceptions(capsys, "--from", source, "--rules", str(own), "--since", "9:30"))
    assert "path-busy" not in {rule for rule, *_ in found}
    assert {begin for *_, begin in found} == {"09:30"}
    own.write_text('[[rule]]\nname = "path-busy"\nlok = 99\n')
    assert main(["rules", "--rules", str(own)]) == USAGE
    assert "own.toml:3" in capsys.readouterr().err


def test_what_is_not_judged_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A rule whose figures were not recorded is named with the reason: no exceptions is another thing."""
    assert main(["rules", "--from", str(RECORDINGS / "hercules-four-queries.zmon")]) == OK
    printed = capsys.readouterr().out
    assert "Rule memory-pressure is not judged: not recorded: /proc/pressure" in " ".join(printed.split())


CASE = RECORDINGS / "casestudy"
TOLD = ("--cp-file", str(CASE / "cp.txt"), "--site", str(CASE / "site.toml"))
LCU_RULES = (
    "Rules lcu-queue, alias-use, lcu-service, lcu-disks, lcu-pend, lcu-writes and lcu-share are not judged: "
)


@pytest.mark.parametrize("command", [("rules",), ("show", "EXCEPT")])
def test_rules_know_the_lcus_that_cp_and_the_site_name(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """As all screens do; without them the rules of LCUs are not judged, and that is said once."""
    source = "--from", str(CASE / "machine.tar.gz")
    assert main([*command, *source]) == OK
    assert LCU_RULES in " ".join(capsys.readouterr().out.split())
    assert main([*command, *source, *TOLD]) == OK
    assert "lcu-" not in capsys.readouterr().out


def test_a_rule_holds_for_an_lcu_that_only_the_site_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Also in a recording, where a recorder that did not know the LCUs has judged the samples."""
    own = tmp_path / "own.toml"
    own.write_text(
        '[[rule]]\nname = "lcu-slow"\non = "control_unit.resp"\nlook = 50\nsay = "LCU {where}: {value} ms"\n'
    )
    source, recorded = str(CASE / "machine.tar.gz"), str(tmp_path / "a.zmon")
    assert main(["rules", "--from", source, "--rules", str(own), *TOLD]) == OK
    assert "LCU 6: 60 ms" in capsys.readouterr().out
    config = tmp_path / "zmon"
    config.mkdir()
    own.rename(config / "rules.toml")
    assert main(["import", source, recorded]) == OK
    assert main(["show", "EXCEPT", "--from", recorded]) == OK
    assert "LCU 6" not in capsys.readouterr().out
    (config / "site.toml").write_text((CASE / "site.toml").read_text())
    assert main(["show", "EXCEPT", "--from", recorded, *TOLD[:2]]) == OK
    assert "LCU 6: 60 ms" in capsys.readouterr().out


@pytest.mark.usefixtures("short_scenarios")
def test_a_lost_path_is_open_until_it_is_back(capsys: pytest.CaptureFixture[str]) -> None:
    """It is lost at 09:03 and does not come back; a time that begins later has it from its own begin."""
    assert set(exceptions(capsys, "--from", "lab:path-lost")) == {("path-lost", "bad", "8000", "09:03")}
    later = set(exceptions(capsys, "--from", "lab:path-lost", "--since", "09:04"))
    assert later == {("path-lost", "bad", "8000", "09:04")}
    assert main(["show", "OVERVIEW", "--from", "lab:path-lost"]) == OK
    assert " since 09:03" in capsys.readouterr().out


def test_the_profile_in_force_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With the place that chooses it; rules with limits for profiles alone are listed with one."""
    assert main(["rules"]) == OK
    printed = capsys.readouterr().out
    assert "volume-response" not in printed
    own = tmp_path / "own.toml"
    own.write_text('profile = "disk"\n')
    assert main(["rules", "--rules", str(own)]) == OK
    printed = " ".join(capsys.readouterr().out.split())
    assert "volume-response: device.resp over look 10, bad 60 for 2m" in printed
    assert "own.toml:1 chooses it." in printed


def test_all_mistakes_of_a_file_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One line each, with the line of the file."""
    own = tmp_path / "own.toml"
    own.write_text('[[rule]]\nname = "path-busi"\nlook = 1\n[[rule]]\nname = "path-busy"\nlok = 1\n')
    assert main(["rules", "--rules", str(own)]) == USAGE
    lines = capsys.readouterr().err.splitlines()
    assert ["own.toml:2" in lines[0], "own.toml:6" in lines[1], len(lines)] == [True, True, 2]


def test_a_wrong_table_and_a_wrong_profile_hide_no_other_mistake(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Each has its line, and what may be meant."""
    own = tmp_path / "own.toml"
    own.write_text(
        'profile = "flsh"\n[[rul]]\nname = "x"\n[[rule]]\nname = "path-busy"\nlok = 1\n'
        '[[rule]]\nname = "path-busi"\nlook = 1\n'
    )
    assert main(["rules", "--rules", str(own)]) == USAGE
    lines = sorted(capsys.readouterr().err.splitlines())
    for line, words in zip(
        lines,
        (("1:", "flash"), ("2:", "did you mean rule"), ("6:", "look"), ("8:", "path-busy")),
        strict=True,
    ):
        assert f"own.toml:{words[0]}" in line
        assert words[1] in line


@pytest.mark.usefixtures("short_scenarios")
def test_the_site_file_that_is_named_chooses_the_profile(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """For the list of rules, and for the exceptions of a screen."""
    site = tmp_path / "site.toml"
    site.write_text('profile = "flash"\n')
    assert main(["rules", "--site", str(site)]) == OK
    printed = " ".join(capsys.readouterr().out.split())
    assert "profile flash" in printed
    assert "lcu-service: control_unit.serv over look 1, bad 5" in printed
    found = []
    for words in ([], ["--site", str(site)]):
        assert main(["show", "EXCEPT", "-f", "csv", "--from", "lab:path-slow", *words]) == OK
        found.append(capsys.readouterr().out.count("volume-response"))
    assert found[0] == 0 < found[1]


def test_a_site_file_with_a_wrong_profile_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With its line."""
    site = tmp_path / "site.toml"
    site.write_text('profile = "disc"\n')
    assert main(["rules", "--site", str(site)]) == USAGE
    assert "site.toml:1" in (said := capsys.readouterr().err)
    assert "did you mean disk" in said


def test_rules_become_alerts_of_prometheus(capsys: pytest.CaptureFixture[str]) -> None:
    """As a group of one file."""
    assert main(["rules", "--format", "prometheus"]) == 0
    assert capsys.readouterr().out.startswith("groups:\n  - name: zmon\n    rules:\n      - alert: ")


def declare(folder: Path, text: str) -> str:
    """Write the user's own file of rules, which nobody else can write."""
    path = folder / "zmon" / "rules.toml"
    path.parent.mkdir()
    path.parent.chmod(0o755)
    path.write_text(text)
    path.chmod(0o644)
    return str(path)


COMMANDS = (
    '[[command]]\nrun = ["sh", "-c", "echo \\"$ZMON_STATE $1\\"; exit 3", "sh", "{rule} {level}"]\n'
    'rules = ["path-*"]\nlevel = "bad"\n[[command]]\nrun = ["true"]\nwhen = ["end"]\napart = "1h"\n'
)


def test_the_commands_of_rules_are_listed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each with its place, its rules and its limits; records have those of each rule."""
    path = declare(tmp_path, COMMANDS)
    assert main(["rules"]) == OK
    printed = "".join(capsys.readouterr().out.split())
    names = ", ".join(rule.name for rule in load_rules() if rule.name.startswith("path-") and rule.logs)
    for said in (
        f"{path}:2 runs for {names}, at begin",
        ", at begin and end, if bad, for 10 s at most: sh -c ",
        f"{path}:6 runs for all rules, at end, 1h apart, for 10 s at most: true",
    ):
        assert said.replace(" ", "") in printed
    assert main(["rules", "-f", "csv"]) == OK
    rows = {row["rule"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert rows["lcu-service"]["commands"] == "true"
    assert rows["path-busy"]["commands"].endswith("; true")
    Path(path).chmod(0o666)
    assert main(["rules"]) == OK
    assert f"commandsarenotrun:othersmaywrite{path}" in "".join(capsys.readouterr().out.split())


def test_the_commands_of_a_rule_are_tried(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each once, with what it wrote and how it ended; a rule without one, and one that is none, are said."""
    path = declare(tmp_path, COMMANDS)
    assert main(["rules", "--try", "path-busy"]) == FAILED
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{path}:2 runs: sh -c ")
    assert printed[1:3] == ["    ended with status 3", "    | begin path-busy bad"]
    assert printed[3:] == [f"{path}:6 runs: true", "    ended with status 0"]
    assert main(["rules", "--try", "lcu-service"]) == OK
    assert main(["rules", "--try", "path-busi"]) == USAGE
    assert "did you mean path-busy" in capsys.readouterr().err
    Path(path).chmod(0o666)
    assert main(["rules", "--try", "path-busy"]) == USAGE
    assert "others may write" in capsys.readouterr().err
    Path(path).write_text("")
    assert main(["rules", "--try", "path-busy"]) == FAILED


@pytest.mark.parametrize("name", ["shark-after", "hyperpav-10"])
def test_where_nothing_is_short_there_is_no_exception(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths are busy while nothing pends, and requests wait for moments while aliases are free."""
    monkeypatch.setattr(scenario, "load_scenario", lambda name: shorter(name, drawn=3))
    assert main(["diagnose", "--from", f"lab:{name}", "--status"]) == OK
    assert main(["show", "EXCEPT", "--from", f"lab:{name}", "--status"]) == OK
    assert "EXCEPT OK - no exceptions" in capsys.readouterr().out
