from __future__ import annotations

import csv
import io
import json
import os
import shutil
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.diagnosis.recent import recent_loads
from zmon.session.page import FillTask
from zmon.tables.device import CP_ONLY

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.diagnosis.resources import RecentLoad
    from zmon.machine.view import View
    from zmon.tables.table import Table

    Show = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("utc")


@pytest.fixture
def capture(lay_out: Callable[[str], str]) -> str:
    return lay_out("hercules")


@pytest.fixture
def show(capture: str, capsys: pytest.CaptureFixture[str]) -> Show:
    """Run `zmon show` on a capture: its status, what it printed and what it said."""

    def shown(*words: str, source: str = capture) -> tuple[int, str, str]:
        status = main(["show", *words, "--from", source])
        return (status, *capsys.readouterr())

    return shown


def addresses(text: str) -> list[str]:
    return [line[1:5] for line in text.splitlines() if line[5:7] == " 3"]


def test_text_is_the_whole_screen(show: Show) -> None:
    """Header, headings, rows and notes on standard output; nothing is said."""
    status, out, err = show("DEVICE")
    assert (status, err) == (OK, "")
    assert out.startswith(
        " FCX108      CPU 2097  SER 12345  Interval 21:57:13 - 21:57:33    Captured data\n\n"
    )
    assert set(addresses(out)) == {"7000", "7001", "7100", "7101", "7201", "0009"}


@pytest.mark.parametrize("word", ["13", "FCX108", "device", "DEVI"])
def test_a_screen_goes_by_several_names(word: str, show: Show) -> None:
    """Menu code, number, command, part of a command."""
    assert show(word)[1] == show("DEVICE")[1]


def test_json(show: Show) -> None:
    """One object on one line, numbers as they are, reasons under `absent`."""
    status, out, _ = show("DEVICE", "--format", "json")
    found = json.loads(out)
    rows = {row["addr"]: row for row in found["rows"]}
    assert (status, out.count("\n"), found["screen"]) == (OK, 1, "FCX108")
    assert rows["7000"]["io"] == pytest.approx(50.5, abs=0.5)
    assert rows["7000"]["pend"] is None
    assert next(e["reason"] for e in found["absent"] if e["column"] == "links") == CP_ONLY.reason


def test_a_screen_by_time_is_printed_once(show: Show) -> None:
    """It has all intervals at once, however many were wanted."""
    assert show("REDISP", "-n", "5") == show("REDISP")
    assert show("REDISP", "-n", "5", "-f", "json") == show("REDISP", "-f", "json")


def test_csv(show: Show) -> None:
    """A heading, then a row per device and interval."""
    _, out, _ = show("DEVICE", "--format", "csv")
    heading, *rows = csv.reader(io.StringIO(out))
    assert heading[:5] == ["from", "to", "key", "addr", "type"]
    assert {row[2] for row in rows} >= {"0.0.7000", "0.0.7201"}


def test_csv_of_a_page(show: Show) -> None:
    """One row of its facts."""
    heading, row = csv.reader(io.StringIO(show("DEVICE", "7000", "--format", "csv")[1]))
    assert dict(zip(heading, row, strict=True))["subject"] == "7000 ( LINUX )"


def test_top(show: Show) -> None:
    """The first rows in the order of the screen."""
    found = json.loads(show("DEVICE", "--top", "2", "--format", "json")[1])
    responses = [row["resp"] for row in found["rows"]]
    assert len(responses) == 2
    assert responses == sorted(responses, reverse=True)


def keys(show: Show, *words: str) -> list[str]:
    return [row["key"][4:] for row in json.loads(show("DEVICE", *words, "--format", "json")[1])["rows"]]


def test_sort(show: Show) -> None:
    """By a column, each from its own end; a minus turns it round; what is absent stays last."""
    assert keys(show, "--sort", "addr") == sorted(keys(show))
    assert keys(show, "--sort=-addr") == sorted(keys(show), reverse=True)
    assert keys(show, "--sort", "resp") == keys(show)
    assert keys(show, "--sort=-resp")[-1] in {"0009", "0190"}


def test_where(show: Show) -> None:
    """All conditions must hold; they may stand behind the screen too."""
    assert sorted(keys(show, "--where", "lcu=7000", "--where", "io>40")) == ["7000"]
    assert sorted(keys(show, "lcu=7000", "io>40")) == ["7000"]


def test_no_row_meets_the_conditions(show: Show) -> None:
    """That is an answer, and no failure."""
    status, out, _ = show("DEVICE", "io>1e9")
    assert status == OK
    assert "Nothing to show: " in out


def test_count_gives_the_last_intervals(show: Show) -> None:
    """Two samples are one interval, however many are wanted."""
    _, out, _ = show("DEVICE", "--count", "5", "--format", "json")
    assert [json.loads(line)["from"] is not None for line in out.splitlines()] == [True]


@pytest.mark.usefixtures("own_capture")
def test_a_screen_by_time_has_all_intervals(show: Show, capture: str) -> None:
    """However many were wanted to be printed; a capture of three passes has two."""
    third = Path(capture, "5-load")
    shutil.copytree(Path(capture, "4-load"), third, symlinks=True)
    for file in (path for path in third.rglob("*") if path.is_file() and not path.is_symlink()):
        later = file.stat().st_mtime_ns + 60_000_000_000
        os.utime(file, ns=(later, later))
    found = json.loads(show("PROCLOG", "--format", "json")[1])
    assert [row["key"] for row in found["rows"]] == ["2026-11-20T21:57:33.517Z", "2026-11-20T21:58:33.517Z"]
    assert len({row["busy"] for row in found["rows"]}) == 2


def test_one_sample_gives_no_rates(show: Show, capture: str) -> None:
    """And says why; what needs no difference is shown."""
    _, out, _ = show("DEVICE", "--format", "json", source=os.path.join(capture, "4-load"))
    found = json.loads(out)
    assert (found["from"], {row["io"] for row in found["rows"]}) == (None, {None})
    assert any("first sample" in entry["reason"] for entry in found["absent"] if entry.get("column") == "ios")


@pytest.mark.usefixtures("short_scenarios")
@pytest.mark.parametrize(
    ("source", "words", "column", "values"),
    [
        ("lab:who-loads", "USERIO 8007", "addr", {"8007"}),
        ("lab:who-loads", "USERIO 0x8007", "label", {"0X8007"}),
        ("lab:fcp-path-slow", "USERIO dm-15", "addr", {"dm-15"}),
        ("lab:fcp-path-slow", "MPATH sdb", "path", {"sdb"}),
        ("lab:path-lost", "IOCONF 8003", "devices", {"8000-8007"}),
        ("lab:path-lost", "IOCONF 0.0.81f8", "devices", {"81F8-81FF"}),
    ],
)
def test_a_name_alone_is_looked_for_in_all_columns(
    source: str, words: str, column: str, values: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """In the first one, else by devices, LCUs, and what else is a text; a range has all its devices."""
    assert main(["show", *words.split(), "--from", source, "--format", "json"]) == OK
    rows = json.loads(capsys.readouterr().out.splitlines()[0])["rows"]
    assert {row[column] for row in rows} == values


def test_a_capture_that_is_not_there(show: Show, tmp_path: Path) -> None:
    """Status 1 and a sentence with its name."""
    status, out, err = show("DEVICE", source=str(tmp_path / "no.tar.gz"))
    assert (status, out) == (FAILED, "")
    assert "no.tar.gz cannot be read" in err


def test_a_broken_screen_of_ones_own(show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named when it is asked for, and stands in nobody's way else."""
    folder = tmp_path / "config" / "zmon" / "screens"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(
        'id = "M1"\ncommand = "MINE"\ntitle = "M"\ntable = "device"\n[[column]]\nx = 1\n'
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert show("DEVICE")[0] == OK
    status, out, err = show("MINE")
    assert (status, out) == (USAGE, "")
    assert "mine.toml:6: column.1.x: " in err


def poison(capture: str) -> None:
    """Give a volume a label that clears the screen, and bytes that are no UTF-8."""
    for folder in ("3-load", "4-load"):
        file = Path(capture, folder, "run/udev/data/b94:12")
        stamp = file.stat().st_mtime_ns
        file.write_bytes(b"E:ID_SERIAL=\x1b]0;x\x07\x1b[2J\xff\n")
        os.utime(file, ns=(stamp, stamp))


@pytest.mark.usefixtures("own_capture")
@pytest.mark.parametrize("form", ["text", "csv", "json"])
@pytest.mark.parametrize("screen", ["DEVICE", "DEVICE 7000", "CTLUNIT", "CACHEXT"])
def test_no_label_reaches_the_terminal_raw(screen: str, form: str, show: Show, capture: str) -> None:
    """Text, CSV and JSON: every line prints, and sends nothing that a terminal obeys."""
    poison(capture)
    status, out, _ = show(*screen.split(), "--format", form)
    assert status == OK
    assert all(line.isprintable() for line in out.splitlines())


@pytest.mark.usefixtures("own_capture")
def test_json_escapes_and_keeps_a_label(show: Show, capture: str) -> None:
    """A program gets it back as it was."""
    poison(capture)
    found: Any = json.loads(show("DEVICE", "--format", "json")[1])
    assert any("\x1b[2J" in str(row["label"]) for row in found["rows"])


def test_with_sets_another_source_against_it(show: Show, capture: str, lay_out: Callable[[str], str]) -> None:
    """Its last interval, or the one that ends at a time of its own; a note says which is which."""
    other = lay_out("dasdstat")
    status, out, err = show("CPU", "--with", other)
    assert (status, err) == (OK, "")
    assert f"Then 22:00:57 - 22:01:16 of {other} 4-load, Now 21:57:13 - 21:57:33 of {capture} 4-load" in out
    assert "Then 22:00:41 - 22:00:57 of" in show("CPU", "--with", other, "--compare", "22:00:58")[1]


def test_with_a_long_time_it_takes_one_that_is_as_long(show: Show, lay_out: Callable[[str], str]) -> None:
    """Unless its begin is said, too."""
    words = ("DASDSTAT", "--with", lay_out("dasdstat"), "--since", "begin")
    assert "Then 22:00:41 - 22:01:16 of" in show(*words, source=lay_out("dasdstat"))[1]
    words = ("DASDSTAT", "--with", lay_out("dasdstat"), "--compare-since", "begin")
    assert "Then 22:00:41 - 22:01:16 of" in show(*words)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--at", "21:57:20", "--since", "21:57:25"],
            "before --at: 2026-11-20 21:57:25 is after 2026-11-20 21:57:20",
        ),
        (["--since", "22:30"], "before the last sample: 2026-11-20 22:30:00 is after 2026-11-20 22:01:16"),
    ],
)
def test_an_interval_that_begins_after_its_end_is_wrong(
    show: Show, lay_out: Callable[[str], str], words: list[str], said: str
) -> None:
    """Both times are said, and none is put in the place of the other."""
    status, out, err = show("DEVICE", *words, source=lay_out("dasdstat"))
    assert (status, out) == (USAGE, "")
    assert f"--since must be {said}" in " ".join(err.split())


def test_csv_of_two_sources_has_both_figures(show: Show, lay_out: Callable[[str], str]) -> None:
    """And no difference of bars."""
    source = lay_out("dasdstat")
    rows = list(
        csv.DictReader(io.StringIO(show("DASDSTAT", "--with", source, "-f", "csv", source=source)[1]))
    )
    assert rows[9]["time"] == rows[9]["time_then"]
    assert "time_bar_diff" not in rows[9]


@pytest.mark.parametrize("words", [["show", "CPU"], ["where", "sda"]])
@pytest.mark.parametrize(
    ("at", "said"), [("2026-11-21T23:00Z", "after the last"), ("2026-11-20T23:00Z", "before the first")]
)
def test_a_time_outside_of_the_recording_is_told(
    capsys: pytest.CaptureFixture[str], words: list[str], at: str, said: str
) -> None:
    """On standard error, by each command that shows a time; within the recording nothing is said."""
    recorded = "recordings/hercules-four-queries.zmon"
    main([*words, "--from", recorded, "--at", at])
    assert f" is {said} " in capsys.readouterr().err
    main([*words, "--from", recorded, "--at", "end"])
    assert f" is {said} " not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--compare", "2003-03-17 12:00"], "12:00:00 is after"),
        (["--since", "2003-03-17 08:00"], "08:00:00 is before"),
        (["--with", "recordings/lab-shark-after.zmon", "--compare", "2003-03-17 12:10"], "12:10:00 is after"),
    ],
)
@pytest.mark.usefixtures("utc")
def test_each_time_outside_of_the_recording_is_reported(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    """What is compared with as well as what is shown."""
    assert main(["show", "CTLUNIT", "--from", "recordings/lab-shark-before.zmon", "--at", "end", *words]) == 0
    error = capsys.readouterr().err
    assert said in error
    assert " of 2003-03-17 " in error


def test_a_screen_by_time_has_as_many_intervals_as_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    """The last ones; without a number all that it shows."""
    words = ["show", "REDISP", "--from", "recordings/lab-healthy-day.zmon", "--at", "14:40", "-f", "csv"]
    assert main(words) == OK
    head, *whole = capsys.readouterr().out.splitlines()
    for count in (1, 3, 20):
        assert main([*words, "-n", str(count)]) == OK
        _, *found = capsys.readouterr().out.splitlines()
        column = head.split(",").index("time")
        times = [[line.split(",")[column] for line in lines] for lines in (whole, found)]
        assert times[1] == times[0][-count:]


def test_until_is_at(capsys: pytest.CaptureFixture[str]) -> None:
    """As `zmon diagnose` and `zmon plot` have it."""
    source = ["show", "CTLUNIT", "--from", "recordings/lab-shark-before.zmon"]
    assert main([*source, "--at", "09:50"]) == 0
    at = capsys.readouterr().out
    assert main([*source, "--until", "09:50"]) == 0
    assert capsys.readouterr().out == at


def test_a_screen_with_exceptions_is_filled_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filling judges the samples, and what it has judged is no reason to fill it again."""
    filled = []

    def counted(task: FillTask) -> Table:
        filled.append(task.page.screen.command)
        return fill(task)

    fill = FillTask.table
    monkeypatch.setattr(FillTask, "table", counted)
    assert main(["show", "OVERVIEW", "--from", "recordings/lab-shark-before.zmon"]) == OK
    assert "LCU 7600 is full" in capsys.readouterr().out
    assert filled == ["OVERVIEW"]


@pytest.mark.parametrize(("form", "intervals"), [("text", 10), ("json", 1), ("html", 60)])
def test_as_much_of_the_past_is_read_as_curves_show(
    form: str, intervals: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten intervals have room in a line of text, none in JSON, all in the charts of a page."""
    found = []

    def counted(view: View) -> list[RecentLoad]:
        found.append(recent_loads(view))
        return found[-1]

    monkeypatch.setattr("zmon.tables.overview.recent_loads", counted)
    assert main(["show", "OVERVIEW", "--from", "recordings/lab-shark-before.zmon", "--format", form]) == OK
    assert capsys.readouterr().out
    assert [len(one) for one in found] == [intervals]


@pytest.mark.parametrize("begin", ["00:00", "00:00:00", "2026-03-16 00:00"])
def test_a_day_from_midnight_to_midnight_begins_at_the_first(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
    begin: str,
) -> None:
    """The last sample is of 00:00 of the next day: `--since 00:00` is not that one."""
    day = ["show", "CPU", "--from", "recordings/lab-healthy-day.zmon", "-f", "json"]
    assert main([*day, "--since", begin]) == 0
    found = json.loads(capsys.readouterr().out)
    assert main([*day, "--since", "begin"]) == 0
    assert found == json.loads(capsys.readouterr().out)
    assert found["from"].startswith("2026-03-16T00:00:00")


def test_what_a_screen_shows_as_a_clock_is_a_time_in_csv_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    """As the begin and the end of the interval are: no program has to know how ns are counted."""
    for form in ("csv", "json"):
        assert main(["show", "EXCEPT", "--from", "lab:shark-before", "--format", form]) == 0
        text = capsys.readouterr().out
        begins = (
            [row["begin"] for row in json.loads(text)["rows"]]
            if form == "json"
            else [row["begin"] for row in csv.DictReader(io.StringIO(text))]
        )
        assert begins
        assert all(datetime.fromisoformat(begin).year == 2003 for begin in begins)
