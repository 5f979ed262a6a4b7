"""Memory is short where pages come back from swap, or tasks wait for memory."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_system import ObservedSystem

UNKNOWN = absent("not read")


@pytest.mark.parametrize(
    ("system", "confidence"),
    [
        (ObservedSystem(swapped_in=300.0, memory_some=0.5), CERTAIN),
        (ObservedSystem(swapped_in=300.0, memory_some=0.01), LIKELY),
        (ObservedSystem(swapped_in=0.0, memory_some=0.5, refaulted_file=4000.0), LIKELY),
        (ObservedSystem(swapped_in=0.0, memory_some=0.5, refaulted_file=0.0), ""),
        (ObservedSystem(swapped_in=1.0, memory_some=0.0), ""),
        (ObservedSystem(swapped_in=0.0), ""),
    ],
)
def test_short_memory(system: ObservedSystem, confidence: str) -> None:
    """Swapping alone is likely, with time lost certain; time lost alone needs pages that were read again."""
    found = CAUSES["D16"](situation(system=system))
    assert isinstance(found, tuple)
    assert [one.confidence for one in found] == ([confidence] if confidence else [])


def test_the_swap_volume_is_a_subject_and_its_response_the_time_lost() -> None:
    """300 pages a second of 50 ms are 15 tasks that wait; what queues there is explained by it."""
    now = load(volume("0.0.0300", queued=0.0488), volume())._replace(swap=frozenset({"0.0.0300"}))
    system = ObservedSystem(swapped_in=300.0, memory_some=1.0)
    found = only(CAUSES["D16"](situation(now, system=system)))
    assert [one.kind for one in found.subjects] == ["memory", "volume"]
    assert found.lost == pytest.approx(15.0)


def test_memory_that_was_not_read_is_not_known() -> None:
    """Nothing is denied."""
    assert isinstance(CAUSES["D16"](situation()), Absent)
    assert isinstance(CAUSES["D17"](situation()), Absent)
    assert isinstance(CAUSES["D18"](situation()), Absent)


@pytest.mark.parametrize(
    ("blocked", "pressure", "holds"),
    [(20, 0.9, True), (20, UNKNOWN, True), (20, 0.1, False), (3, 0.9, False)],
)
def test_blocked_tasks(blocked: int, pressure: float | Absent, holds: object) -> None:
    """Many a processor, and not for a moment only."""
    system = ObservedSystem(blocked=blocked, io_some=pressure)
    found = CAUSES["D17"](situation(system=system))
    assert isinstance(found, tuple)
    assert bool(found) == holds
    assert not found or found[0].lost == pytest.approx(20 - 0.12)


def test_tasks_that_wait_for_the_disks_are_no_diagnosis_of_their_own() -> None:
    """What the disks do with their requests is what others tell."""
    busy = load(volume(rate=100.0, queued=0.2))
    system = ObservedSystem(blocked=20, io_some=0.9)
    assert CAUSES["D17"](situation(busy, system=system)) == ()


def test_writeback_is_excluded_only_where_little_is_written() -> None:
    """Tasks that write dirty pages are blocked, too."""
    few, much = (
        only(CAUSES["D17"](situation(system=ObservedSystem(blocked=19, memory=1e9, writeback=bytes_))))
        for bytes_ in (1e5, 1e8)
    )
    assert len(few.excluded) == 1
    assert much.excluded == ()


@pytest.mark.parametrize(("cached", "swap", "known"), [(0.6, 1e6, False), (0.6, 0.0, True), (0.1, 1e6, True)])
def test_whether_files_are_cached_twice_is_open_only_where_it_may_be(
    cached: float, swap: float, known: object
) -> None:
    """How files are opened is not read: a small cache, or no swapping, settle it."""
    found = CAUSES["D18"](situation(system=ObservedSystem(memory=1e9, cached=cached * 1e9, swap_used=swap)))
    assert (found == ()) == known
    assert known or isinstance(found, Absent)


def test_tasks_that_were_looked_at_are_named() -> None:
    """With what they wait for and how long; else it is said how to find out."""
    waiting = (("db2sysc of db2inst1: the log", 9.0),)
    named, unnamed = (
        only(CAUSES["D17"](situation(system=ObservedSystem(blocked=20, waiting=found))))
        for found in (waiting, ())
    )
    assert named.evidence[-1].words.startswith("db2sysc of db2inst1: the log, ")
    assert facts(named.evidence[-1].words) == "db2sysc db2inst1 9"
    assert (named.confirm, named.missing) == ("", ())
    assert "BLOCKED" in unnamed.confirm
