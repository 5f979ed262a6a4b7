"""The recording that ships: ten minutes of a real kernel under an emulator, with four queries in them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.base.event import What
from zmon.cli.main import main
from zmon.session.navigator import Navigator
from zmon.session.recording import open_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.event import Event
    from zmon.session.timeline import Timeline

RECORDING = Path(__file__).parents[2] / "recordings" / "hercules-four-queries.zmon"
HOT = "HRC.ZZ000000000001.7000"
"""The control unit that the queries are on."""


@pytest.fixture
def tape() -> Iterator[Timeline]:
    """Open it."""
    with closing(open_recording(str(RECORDING))) as opened:
        yield opened


def happened(tape: Timeline, what: What) -> list[Event]:
    """Return what happened of one sort."""
    span = tape.span()
    assert span is not None
    return [event for event in tape.events(*span) if event.what is what]


def test_it_is_ten_minutes_at_two_seconds(tape: Timeline) -> None:
    """Few of its 300 samples are left out: the emulated processor was busy."""
    span = tape.span()
    assert span is not None
    taken = 0
    for _ in tape.samples():
        taken += 1
    assert 570 < (span[1] - span[0]) / 1e9 < 610
    assert 270 < taken <= 301


def test_all_of_it_can_be_read(tape: Timeline, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no hole in it, and its checksums are right."""
    assert happened(tape, What.HOLE) == []
    assert main(["info", "--check", str(RECORDING)]) == 0
    assert "EMULATOR" in capsys.readouterr().out


def test_a_volume_comes_on_line(tape: Timeline) -> None:
    """7203, while the queries run."""
    assert [event.thing for event in happened(tape, What.CAME)] == ["dasdo"]


def test_the_control_unit_of_the_queries_is_beyond_its_limit(tape: Timeline) -> None:
    """For minutes, and not before they begin."""
    span = tape.span()
    assert span is not None
    (event,) = [event for event in happened(tape, What.LIMIT) if event.thing == HOT]
    assert event.begin > span[0] + 120e9
    assert event.end - event.begin > 180e9


def test_the_way_to_an_exception_leads_to_the_queries(tape: Timeline) -> None:
    """Within a few steps one stands where the control unit is bad."""
    watch = Navigator(tape)
    watch.begin()
    things = []
    for _ in range(4):
        found = watch.cursor.find_exception(1)
        assert found is not None
        things.append(found[0].thing)
        watch.look_at(found[1])
    assert HOT in things


def test_reading_it_leaves_nothing_beside_it(tape: Timeline, capsys: pytest.CaptureFixture[str]) -> None:
    """It lies in a checkout, or where nobody may write."""
    before = RECORDING.read_bytes()
    assert main(["show", "SYSSUMLG", "--from", str(RECORDING)]) == 0
    assert capsys.readouterr().out
    assert len(list(RECORDING.parent.glob(f"{RECORDING.name}*"))) == 1
    assert tape.next() is not None
    assert RECORDING.read_bytes() == before
