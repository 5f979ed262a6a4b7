"""Figures by time in print."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.tables.disks import samples
from zmon.cli import line, plot
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK
from zmon.screen.definition import load_screens
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Plot = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("utc")

CHART = """\
DEVICE io sda (1/s)                         2027-01-15 12:00:00 - 12:01:00
60 +                                                           ###########
   |                                                 #####################
40 +                                       ###############################
   |                             #########################################
20 +                   ###################################################
   |         #############################################################
 0 +######################################################################
   ++----------+-----------+-----------+----------+-----------+-----------
12:00:00   12:00:10    12:00:20    12:00:30   12:00:40    12:00:50
# mean   : highest
"""


@pytest.fixture
def recording(tmp_path: Path) -> str:
    """Record a minute in which sda does one request more each second, and sdb thirty."""
    path = str(tmp_path / "disks.zmon")
    writer = Writer(path, durable=False)
    for sample in samples({"sda": list(range(1, 61)), "sdb": [30] * 60}, left_out=()):
        writer.append(sample)
    writer.close()
    return path


@pytest.fixture
def draw(recording: str, capsys: pytest.CaptureFixture[str]) -> Plot:
    """Run `zmon plot` on the recording: its status, what it printed and what it said."""

    def drawn(*words: str, source: str = recording) -> tuple[int, str, str]:
        status = main(["plot", *words, "--from", source])
        return (status, *capsys.readouterr())

    return drawn


def test_a_chart_is_as_large_as_is_wanted(draw: Plot) -> None:
    """Title, axes, legend, and nothing else."""
    status, out, err = draw("DEVICE.io", "sda", "--style", "ascii", "--width", "74", "--height", "11")
    assert (status, err) == (OK, "")
    assert out == CHART


@pytest.mark.parametrize("style", ["braille", "blocks", "ascii"])
def test_it_is_drawn_in_every_style(draw: Plot, style: str) -> None:
    """That of ASCII has nothing but ASCII."""
    out = draw("DEVICE.io,resp", "sda", "--style", style)[1]
    assert out.isascii() == (style == "ascii")


def test_without_rows_it_is_the_one_on_top(draw: Plot) -> None:
    """At the end of the time."""
    assert draw("DEVICE.io", "--style", "ascii")[1].startswith("DEVICE io sda ")


def points(draw: Plot, *words: str) -> list[float]:
    """Return the means of a series."""
    out = draw(*words, "--format", "json")[1]
    return [point["mean"] for point in json.loads(out)[0]["points"]]


def test_a_time_can_be_chosen(draw: Plot) -> None:
    """From when to when."""
    assert points(draw, "DEVICE.io", "sda", "--since", "12:00:10", "--until", "12:00:13") == [11, 12, 13]


def test_times_count_from_the_end(draw: Plot) -> None:
    """Where the trouble mostly is."""
    assert points(draw, "DEVICE.io", "sda", "--since", "-3s") == [58, 59, 60]


def test_what_was_not_recorded_of_a_time_is_told(draw: Plot) -> None:
    """On stderr; what was recorded is drawn."""
    status, out, err = draw("DEVICE.io", "sda", "--since", "11:00", "--until", "13:00", "--format", "json")
    assert (status, len(json.loads(out)[0]["points"])) == (OK, 60)
    assert re.findall(r"\d+:\d+:\d+", err) == ["11:00:00", "13:00:00", "12:00:00", "12:01:00"]


def test_csv_has_a_row_for_each_figure(draw: Plot) -> None:
    """Of each series, times in UTC."""
    heading, *rows = csv.reader(io.StringIO(draw("DEVICE.io", "sda", "sdb", "--format", "csv")[1]))
    assert heading == ["column", "key", "from", "to", "low", "mean", "high"]
    assert rows[0] == [
        "device.io", "sda", "2027-01-15T12:00:00.000+00:00", "2027-01-15T12:00:01.000+00:00",
        "1.0", "1.0", "1.0",
    ]  # fmt: skip
    assert [row[1] for row in rows] == ["sda"] * 60 + ["sdb"] * 60


def test_json_tells_units_and_reasons(draw: Plot) -> None:
    """What is not known is null, and why stands beside it."""
    found = json.loads(draw("DEVICE.io,pend", "sda", "--format", "json")[1])
    assert [one["unit"] for one in found] == ["1/s", "ms"]
    assert found[1]["points"][0]["mean"] is None
    assert found[1]["absent"] != []


def test_live_there_must_be_a_recorder_or_time_to_sample(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was kept that could be drawn."""
    monkeypatch.setattr("zmon.cli.plot.recorder_here", lambda _environment: None)
    assert main(["plot", "CPU.busy"]) == FAILED
    assert "--for 30" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("encoding", "term", "style"),
    [("utf-8", "xterm", "blocks"), ("utf-8", "dumb", "ascii"), ("ascii", "xterm", "ascii")],
)
def test_the_style_is_what_locale_and_terminal_can_show(
    encoding: str, term: str, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A console of the HMC has no blocks."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert plot.style() == style


def test_show_compares_two_times(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The interval and one as long that ends earlier."""
    words = ["show", "DEVICE", "--from", recording, "--at", "12:00:40", "--since", "-10s", "--format", "json"]
    assert main([*words, "--compare", "12:00:20"]) == OK
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert (row["key"], row["io_then"], row["io"], row["io_diff"]) == ("sda", 15.5, 35.5, 20)


def test_show_lists_what_moved_together(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A table like all others."""
    assert main(["show", "CORREL", "device.io", "sda", "--from", recording, "--format", "json"]) == OK
    rows = {row["key"]: row["r"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["system.io"] == pytest.approx(1)


def test_line_mode_draws_and_compares(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On a console that has no cursor, in ASCII and within its width."""
    said = run_line_mode(
        recording, "DEVICE\nPLOT io sda\nPF12\nCOMPARE 12:00:10-12:00:20\nCORREL DEVICE.io sda\nQUIT\n"
    )
    assert capsys.readouterr().err == ""
    for words in (
        "DEVICE io sda (1/s)",
        "Then  Now  Diff",
        "Then 12:00:10 - 12:00:20",
        "Against DEVICE.io sda",
    ):
        assert words in said
    assert said.isascii()
    assert max(map(len, said.splitlines())) <= 80


def run_line_mode(recording: str, questions: str) -> str:
    """Lead a session in line mode over a recording; return what it answers."""
    session = Session(open_recording(recording), load_screens())
    answers = io.StringIO()
    assert line.run_line_mode(session, "MENU", io.StringIO(questions), answers) == OK
    return answers.getvalue()


def test_what_users_supply_names_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """A rule of the site calls the LCU 6, and a listing knows its tablespaces."""
    folder = "recordings/casestudy"
    inputs = ["--from", f"{folder}/machine.tar.gz", "--site", f"{folder}/site.toml"]
    inputs += ["--cp-file", f"{folder}/cp.txt", "--listing", f"{folder}/tablespaces.ddl"]
    assert main(["plot", "CTLUNIT.io", "6", "2", *inputs, "--style", "ascii"]) == OK
    out, err = capsys.readouterr()
    assert err == ""
    assert out.rstrip().endswith("A 6   B 2")
    assert main(["plot", "CTLUNIT.io", "LCU 6", *inputs, "-f", "csv"]) == OK
    assert capsys.readouterr().out.count("control_unit.io,") > 2
