from __future__ import annotations

import io
import re

import pytest

from zmon.cli.main import main
from zmon.cli.output import FAILED, OK
from zmon.lab.tour import load_tour

pytestmark = pytest.mark.usefixtures("utc")
STEPS = load_tour("shark").steps


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Lead the whole tour in line mode, closed and opened between; return what was answered to each line."""
    monkeypatch.setenv("TERM", "dumb")
    lines = ["TOUR OFF", "13", "TOUR", *["TOUR NEXT"] * len(STEPS), "QUIT"]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    assert main(["demo"]) == OK
    return capsys.readouterr().out.split(" Command ===> ")


def test_line_mode_is_led_too(said: list[str]) -> None:
    """The tour is written below the screen, every step shows what it promises, and that it is simulated."""
    assert " | Tour 1/11: A slow data warehouse" in said[0]
    assert " | " not in said[1] + said[2]
    assert said[3].startswith("TOUR\n | Tour 1/11: ")
    for answer, step in zip(said[4:], STEPS[1:], strict=False):
        lines = answer.splitlines()
        assert lines[1].endswith("Simulated")
        assert any(step.title in line for line in lines)
        assert [w for w in step.see if not any(re.search(w, line) for line in lines)] == [], answer
    assert "TOUR 1 begins again" in said[-2]
    assert max(len(line) for line in "".join(said).splitlines()) <= 79


def test_without_a_terminal_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is simulated then."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["demo"]) == FAILED
    assert "zmon demo --line" in capsys.readouterr().err
