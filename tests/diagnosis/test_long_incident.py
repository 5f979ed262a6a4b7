"""What goes on for hours is compared with the time before it began, not with itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.judged_days import recording_of
from zmon.cli.main import main
from zmon.lab.scenario import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

LONG: Final = """
base = "healthy-day"
title = "A day with a reader that goes on for two and a half hours"
text = "The query of 14:30 goes on until 17:00."
seed = 8
step = 120
drawn = 1
warm = 5
begin = 2026-03-16T12:00:00Z

[[phases]]
name = "calm"
seconds = 9000
loads = { sessions = 1 }

[[phases]]
name = "incident"
seconds = 9000
loads = { sessions = 1, runaway = 1 }

[[phases]]
name = "afterwards"
seconds = 1800
loads = { sessions = 1 }
"""


@pytest.fixture(scope="module")
def long_incident() -> Path:
    """Return a recording of it."""
    return recording_of(parse_scenario(LONG, "long.toml"))


def answer(source: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    """Return the diagnoses of a part of it that nothing else explains."""
    assert main(["diagnose", "--from", str(source), *words, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["diagnoses"]
    return [one for one in found if not one["explained_by"]]


@pytest.mark.whole_days
def test_hours_of_the_same_reader_are_one_stretch(
    long_incident: Path,
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """All of the time has one diagnosis, with the true begin and end."""
    (one,) = answer(long_incident, capsys, "--since", "12:30", "--until", "17:29")
    assert (one["id"], one["confidence"]) == ("D23", "certain")
    assert (one["begin"][11:16], one["end"][11:16]) == ("14:30", "17:00")
    assert one["claim"].startswith("From 14:30 to 17:00 a new reader read 14")


@pytest.mark.whole_days
@pytest.mark.parametrize("at", ["15:10", "15:40", "16:50"])
def test_each_minute_of_it_knows_when_it_began(
    at: str,
    long_incident: Path,
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """In the second and third hour, too, in which the hour before was a part of it."""
    (one,) = answer(long_incident, capsys, "--at", at)
    assert (one["id"], one["confidence"]) == ("D23", "certain")
    assert one["claim"].startswith("Since 14:30 a new reader reads 14")
