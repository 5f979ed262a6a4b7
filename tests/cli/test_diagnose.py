"""`zmon diagnose` says what is wrong, how it knows and what to do: as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from tests.lab.plans import shorter
from zmon.base.clock import written_out
from zmon.cli.main import main
from zmon.diagnosis.judged import verdict_of
from zmon.lab import scenario
from zmon.tables.diagnosed import same_time

if TYPE_CHECKING:
    from pathlib import Path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what `zmon diagnose` prints about the last interval of the case study."""
    assert main(["diagnose", "--from", "recordings/lab-shark-before.zmon", *words]) == 0
    return capsys.readouterr().out


def test_the_text_says_what_why_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    """A reader gets the claim with its confidence, the evidence, what it is not, and the gain.

    Without --status 0 says that it was answered, though something is short.
    """
    text = " ".join(printed(capsys).split())
    for words in (
        "1. LCU 7600 is full",
        "(D3, certain)",
        "Evidence: 8.4 requests wait because of it; 69 % of all bytes",
        "It is not:",
        "To do: Spread",
        "times the throughput",
        "Also D1:",
        "D3 explains it.",
    ):
        assert words in text  # fmt: skip


def test_json_has_a_list_of_diagnoses(capsys: pytest.CaptureFixture[str]) -> None:
    """A program finds ids, confidences, claims and numbers with columns; what is explained has its cause."""
    document = json.loads(printed(capsys, "-f", "json"))
    first, second = document["diagnoses"]
    assert (first["id"], first["confidence"], first["explained_by"]) == ("D3", "certain", None)
    assert (second["id"], second["explained_by"]) == ("D1", "D3")
    assert {each["column"] for each in first["evidence"]} >= {"control_unit.share", "control_unit.disc"}
    assert all(isinstance(each["value"], float) for each in first["evidence"])
    assert document["verdict"].startswith(first["claim"])
    assert {*first["subjects"][0]} == {"kind", "key", "title"}


def test_csv_has_a_record_per_diagnosis(capsys: pytest.CaptureFixture[str]) -> None:
    """Each record has id, confidence and where."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "-f", "csv"))))
    assert [(row["id"], row["kind"], row["explained_by"]) for row in rows] == [
        ("D3", "lcu", ""),
        ("D1", "lcu", "D3"),
    ]


def test_the_figures_of_the_status_count_a_request_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two diagnoses are about the same volume: one says what its requests wait for, one why they are long."""
    monkeypatch.setattr(scenario, "load_scenario", lambda name: shorter(name, 600.0))
    source = ["diagnose", "--from", "lab:pav-3"]
    main([*source, "-f", "json"])
    each = [
        one["lost"] for one in json.loads(capsys.readouterr().out)["diagnoses"] if not one["explained_by"]
    ]
    assert len(each) > 1
    main([*source, "--status"])
    line, *_ = capsys.readouterr().out.splitlines()
    assert line.endswith(f"| diagnoses={len(each)} waiting={max(each):.1f}")


def test_intervals_with_too_few_requests_are_judged_together(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """A real recording of 2 s intervals: 56 requests wait for one volume that completes 20 in an interval."""
    source = ["diagnose", "--from", "recordings/hercules-four-queries.zmon", "--at", "15:15:59"]
    assert main([*source, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["from"] < "2026-11-21T15:15:50"
    assert (found["diagnoses"][0]["id"], found["diagnoses"][0]["subjects"][0]["title"]) == ("D3", "LCU 7000")


def test_a_source_that_cannot_be_read_is_unknown_to_nagios() -> None:
    """1 and 2 would be a warning and an alarm."""
    assert main(["diagnose", "--from", "nosuch", "--status"]) == 3
    assert main(["check", "--from", "nosuch", "--status"]) == 3
    assert main(["show", "EXCEPT", "--from", "recordings/hercules-lvm.tar.gz", "--status"]) == 3


def test_a_load_that_has_ended_within_a_window_has_no_begin_at_its_end(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """Of some minutes with an incident of a quarter of an hour, the end is not the begin of it."""
    day = ["diagnose", "--from", "recordings/lab-healthy-day.zmon", "--since", "14:25", "--until", "14:50"]
    assert main(day) == 0
    said = capsys.readouterr().out
    assert "From 14:30 to 14:45 a new reader" in said
    assert "Since 14:50" not in said


def commands_in(text: str, heading: str = "What if: ") -> list[list[str]]:
    """Return the commands of zmon that a text prints in lines of their own, or behind a heading."""
    lines = (line.strip().removeprefix(heading) for line in text.splitlines())
    return [shlex.split(line)[1:] for line in lines if line.startswith("zmon ")]


@pytest.mark.parametrize(
    "words",
    [
        ["--from", "recordings/lab-shark-before.zmon", "--at", "09:50"],
        ["--from", "recordings/lab-shark-before.zmon", "--since=-2m"],
        ["--from", "lab:pav-3"],
    ],
)
def test_a_what_if_command_can_be_pasted(
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """It stands in one line with the source and the time, and predicts the gain that the diagnosis has."""
    assert main(["diagnose", *words]) == 0
    text = capsys.readouterr().out
    (command,) = commands_in(text)
    assert command[:3] == ["whatif", "--from", words[1]]
    gain = re.search(r"(\d+\.\d\d) times the throughput", " ".join(text.split()))
    assert gain is not None
    assert main(command) == 0
    assert f"Throughput: {gain[1]} times" in capsys.readouterr().out


def test_a_stretch_is_asked_about_alone() -> None:
    """The gain is of the stretch in which something was short, not of the long time around it."""
    view = view_of("pav-3")
    view.history.asked = ("--from", "monday.zmon")
    (one, *_) = verdict_of(view).diagnoses
    begin, end = 1_773_671_400_000_000_000, 1_773_672_300_250_000_001
    asked = same_time(view, [])(one._replace(begin=begin, end=end))
    assert asked == ["--from", "monday.zmon", "--since", written_out(begin), "--at", written_out(end)]
    assert written_out(end).endswith(":00.251")
    assert same_time(view, ["--at", "9:50"])(one) == ["--from", "monday.zmon", "--at", "9:50"]


def test_earlier_exceptions_are_told(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """The last interval is calm: how many exceptions there were, when, and the commands to look."""
    source = ["diagnose", "--from", "recordings/hercules-four-queries.zmon"]
    assert main(source) == 0
    text = capsys.readouterr().out
    assert "15:11:56 - 15:16:24" in " ".join(text.split())
    listed, worst = commands_in(text)
    assert listed[:2] == ["show", "EXCEPT"]
    assert main(worst) == 0
    assert "1. Requests wait for LCU 7000" in capsys.readouterr().out
    assert main([*source, "--at", "15:15:59"]) == 0
    assert "Earlier" not in capsys.readouterr().out


def test_the_incident_of_a_day_is_named(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """Nobody names a time, and no exceptions are stored: the worst interval is found and diagnosed."""
    assert main(["diagnose", "--from", "recordings/lab-healthy-day.zmon", "-f", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["diagnoses"] == []
    earlier = document["earlier"]
    assert (earlier["exceptions"], earlier["begin"][:19]) == (4, "2026-03-16T14:30:00")
    assert [shlex.split(one)[1] for one in earlier["commands"]] == ["show", "diagnose"]
    worst = earlier["worst"]
    assert worst["diagnoses"][0]["id"] == "D23"
    assert main(shlex.split(earlier["commands"][1])[1:]) == 0
    asked = " ".join(capsys.readouterr().out.split())
    assert f"1. {worst['diagnoses'][0]['claim']}" in asked


@pytest.mark.usefixtures("short_scenarios")
def test_what_is_simulated_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """As every screen does: no figure of it is one of a machine; JSON has the source, as that of `show`."""
    assert main(["diagnose", "--from", "lab:volume-hangs"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(", Simulated")
    recorded = "recordings/hercules-four-queries.zmon"
    for source, simulated in (("lab:volume-hangs", True), (recorded, False)):
        for words in (["diagnose"], ["show", "EXCEPT"]):
            assert main([*words, "--from", source, "-f", "json"]) == 0
            found = json.loads(capsys.readouterr().out)
            assert (found["source"], found["simulated"]) == (source, simulated)
    assert main(["diagnose", "--from", recorded]) == 0
    assert "Simulated" not in capsys.readouterr().out


def test_intervals_that_overlap_say_why(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """One of several in a row has too few requests alone, and is judged with those before it."""
    source = ["diagnose", "--from", "recordings/hercules-two-hot-files-after.zmon", "-n", "4"]
    assert main(source) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert main([*source, "-f", "json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (longer,) = (one["longer"] for one in found if one["longer"])
    assert found[2]["longer"].startswith("03:33:25 - 03:33:28 ")
    assert f"2026-11-23 03:33:17 to 2026-11-23 03:33:28, because {longer} " in text
    assert text.count("because 0") == 1


def test_the_worst_interval_before_is_told(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """The text has the claims of that interval, and what to do, behind the commands."""
    assert main(["diagnose", "--from", "recordings/hercules-four-queries.zmon"]) == 0
    text = capsys.readouterr().out
    _, found = text.split("the worst interval before\n")
    assert found.lstrip().startswith("1. Requests wait for LCU 7000")
    assert "To do: Spread" in found


def test_the_worst_interval_before_is_one_with_the_cause_of_its_exception(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    utc: None,  # noqa: ARG001 - hours are those of UTC
) -> None:
    """At its highest value the path was back, and nothing was short: the interval where it began is told."""
    plan, recorded, own = tmp_path / "back.toml", tmp_path / "a.zmon", tmp_path / "zmon/rules.toml"
    phase = '[[phases]]\nname = "{}"\nseconds = 120\nloads = ["sessions"]\n'
    head = 'base = "path-lost"\ntitle = "A path comes back"\ntext = "For a test."\ndrawn = 1\n'
    lost = 'paths.ficon-a.lost = ["52"]\n'
    plan.write_text(head + phase.format("lost") + lost + phase.format("back") + phase.format("rest"))
    own.parent.mkdir()
    own.write_text(
        '[[rule]]\nname = "path-lost"\noff = true\n[[rule]]\nname = "odd"\non = "device.paths"\nbad = 1\n'
        'hours = "09:00-09:03"\nsay = "{value}"\ncause = "D13"\n'
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(["import", f"lab:{plan}", str(recorded)]) == 0
    capsys.readouterr()
    assert main(["diagnose", "--from", str(recorded), "-f", "json"]) == 0
    worst = json.loads(capsys.readouterr().out)["earlier"]["worst"]
    assert [one["id"] for one in worst["diagnoses"]] == ["D13"]


def test_where_nothing_was_measured_there_is_no_diagnosis(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two passes with files of a kernel, but no load, are refused with what is needed; cron sees unknown."""
    for number in (1, 2):
        uptime = tmp_path / f"pass{number}/proc/uptime"
        uptime.parent.mkdir(parents=True)
        uptime.write_text(f"{number}00.00 1.00\n")
        os.utime(uptime, (1000 * number, 1000 * number))
    assert main(["diagnose", "--from", str(tmp_path)]) == 1
    seen = capsys.readouterr()
    assert seen.out == ""
    assert "was measured in this time" in seen.err
    assert "/proc/diskstats" in seen.err
    assert main(["diagnose", "--from", str(tmp_path), "--status"]) == 3


def test_what_was_broken_in_a_part_of_a_short_time_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mean of it does not show that a device was suspended: it is not at the end."""
    plan = tmp_path / "resumed.toml"
    phase = '[[phases]]\nname = "{}"\nseconds = {}\nloads = ["reports", "reports-restored"]\n'
    head = 'base = "dm-suspended"\ntitle = "Suspended for a minute"\ntext = "For a test."\ndrawn = 1\n'
    suspended = phase.format("suspended", 60) + "lvs.history.suspended = true\n"
    plan.write_text(head + suspended + phase.format("resumed", 40))
    main(["diagnose", "--from", f"lab:{plan}", "--since", "begin", "-f", "json"])
    (found, *_others) = json.loads(capsys.readouterr().out)["diagnoses"]
    assert (found["id"], found["confidence"]) == ("D21", "certain")
    assert " 60 s" in found["claim"]


@pytest.mark.usefixtures("short_scenarios")
@pytest.mark.parametrize(("name", "status"), [("path-lost", 2), ("fcp-failover", 1)])
def test_the_status_is_what_waits_or_is_lost(name: str, status: int) -> None:
    """Both are certain: a lost path is critical though nothing waits, else a request or more has to wait."""
    assert main(["diagnose", "--status", "--from", f"lab:{name}"]) == status
