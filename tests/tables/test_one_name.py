"""An LCU has one name: what CTLUNIT shows is shown and accepted on every screen, also without a uid."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable

    Show = Callable[..., Any]

pytestmark = pytest.mark.usefixtures("utc")

CASE = Path(__file__).parents[2] / "recordings" / "casestudy"
FILES = {"--from": "machine.tar.gz", "--site": "site.toml", "--cp-file": "cp.txt"}
BY_SITE = [word for option, name in FILES.items() for word in (option, str(CASE / name))]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Show:
    """Return how to show a screen of the machine whose LCUs only the site can name."""

    def shown(*words: str, form: str = "json") -> Any:
        assert main(["show", *words, "-f", form, *BY_SITE]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if form == "json" else out

    return shown


@pytest.mark.parametrize(
    ("screen", "column"),
    [("CTLULOG", "ssid"), ("REDISP", "lcu"), ("SYSSUMLG", "lcu"), ("BENCHMRK", "lcu"), ("DEVICE", "lcu")],
)
def test_screens_show_the_name_that_the_site_gives(show: Show, screen: str, column: str) -> None:
    """They had dots where no device has a uid."""
    document = show(screen)
    assert document["rows"][0][column] == "6"
    assert any("~ LCU: " in note and "site.toml:4 (7nXX)" in note for note in document["notes"])


@pytest.mark.parametrize("word", ["6", "LCU 6", "lcu 6"])
def test_an_lcu_by_time_goes_by_its_name(show: Show, word: str) -> None:
    """CTLULOG said that there was no such control unit."""
    assert {row["cu"] for row in show("CTLULOG", word)["rows"]} == {"LCU 6"}


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (["CTLUNIT.io", "6"], "CTLUNIT io 6 (1/s)"),
        (["CTLUNIT.io", "LCU", "6"], "CTLUNIT io 6 (1/s)"),
        (["CTLULOG.io", "6"], "CTLULOG io 6 (1/s)"),
    ],
)
def test_a_chart_is_drawn_by_the_name_and_titled_with_it(show: Show, words: list[str], title: str) -> None:
    """PLOT refused both."""
    lines = show("PLOT", *words, form="text").splitlines()
    assert lines[2].startswith(title)
    assert "300 +" in "\n".join(lines)


def test_two_lcus_are_drawn_by_their_names(show: Show) -> None:
    """Keys with blanks stay apart."""
    assert "A 6   B 2" in show("PLOT", "CTLUNIT.io", "6", "LCU", "2", form="text")


def test_correl_calls_it_by_its_name(show: Show) -> None:
    """In the title and in the rows."""
    document = show("CORREL", "CTLUNIT.io", "6")
    assert document["facts"]["subject"] == "CTLUNIT.io 6"


def test_the_lcu_of_the_summary_counts_as_it_does_on_ctlunit(show: Show) -> None:
    """All screens agree."""
    unit = next(row for row in show("CTLUNIT")["rows"] if row["ssid"] == "6")
    last = show("REDISP")["rows"][-1]
    assert (last["lcuio"], last["share"], last["lcuresp"]) == (unit["io"], unit["share"], unit["resp"])


def test_the_demo_calls_lcus_as_its_site_does(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """CTLUNIT said 6, PLOT took 7600 alone, and REDISP said 7600."""
    commands = "CTLUNIT\nPLOT CTLUNIT.io 6\nPLOT CTLUNIT.io 7600\nBENCHMRK 043A\n"
    monkeypatch.setattr("sys.stdin", StringIO(commands))
    assert main(["demo", "--line", "--no-tour"]) == 0
    out = capsys.readouterr().out
    assert out.count("CTLUNIT io 6 (1/s)") == 2
    assert "7600" not in out.partition("BENCHMRK 043A")[2]
