"""Recordings of a directory are opened once, and never more files at a time than a process may have."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.fleet import member, recorded_fleet
from zmon.fleet.recorded_fleet import RecordedFleet
from zmon.session.recording import Excerpt

if TYPE_CHECKING:
    from zmon.fleet.member import Member

RECORDING = Path(__file__).parents[2] / "recordings/lab-shark-before.zmon"
SYSTEMS = ("lnx1", "lnx2", "lnx3")


@pytest.fixture
def directory(tmp_path: Path) -> str:
    """Return a directory with the recordings of three systems."""
    for name in SYSTEMS:
        shutil.copy(RECORDING, tmp_path / f"{name}.zmon")
    return str(tmp_path)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each recording that is opened is added."""
    found: list[str] = []

    def noted(path: str) -> Excerpt:
        found.append(Path(path).stem)
        return Excerpt(path)

    monkeypatch.setattr(member, "Excerpt", noted)
    return found


def all_of(fleet: RecordedFleet) -> tuple[list[Member], list[object]]:
    """Return what a fleet says of its whole time."""
    return fleet.members(*fleet.span()), [*fleet.exceptions()]


def test_each_is_opened_once(directory: str, opened: list[str]) -> None:
    """For the time that all have, the figures and the exceptions."""
    with closing(RecordedFleet(directory)) as fleet:
        members, exceptions = all_of(fleet)
    assert opened == [*SYSTEMS]
    assert [one.name for one in members] == [*SYSTEMS]
    assert exceptions


def test_many_files_are_closed_again(
    directory: str, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then they are opened as often as they are asked, and say the same."""
    with closing(RecordedFleet(directory)) as fleet:
        expected = all_of(fleet)
    opened.clear()
    monkeypatch.setattr(recorded_fleet, "MAX_OPEN", 2)
    with closing(RecordedFleet(directory)) as fleet:
        assert all_of(fleet) == expected
    assert opened == [*SYSTEMS, "lnx3", "lnx3"]
