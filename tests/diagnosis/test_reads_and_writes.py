"""Since when writes wait for a remote mirror, and whether misses of the cache are the cause of a wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.diagnosis.diagnosis import LIKELY, POSSIBLE, Diagnosis
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_history import SlowerWrites
from zmon.machine.observed_volumes import VolumeDetail

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.machine.observation import ObservedLoad

BEGIN = 1_773_662_400_000_000_000
WHEN = clock(BEGIN, "%H:%M")


def diagnosed(before: SlowerWrites | Absent) -> Diagnosis:
    """Return what is said of an LCU whose writes take 2 ms longer than its reads."""
    one = volume(rate=200.0, reads=0.5)
    one = one._replace(disc=0.001, response=0.0022, read_response=0.0012, write_response=0.0032)
    details = {one.key: VolumeDetail(0.0, 0.0, 1.0, 0.0, 0.0, "simplex", 0.4, 32)}
    asked = situation(load(one), slower_writes=before)._replace(details=lambda: details)
    return only(CAUSES["D8"](asked))


def test_a_mirror_that_began_is_told_with_when_and_how_writes_were_before() -> None:
    """As many writes took less before: that is better proof than the difference at night."""
    found = diagnosed(SlowerWrites(BEGIN, 98.0, 0.0012))
    assert facts(found.claim).startswith(f"{WHEN} 7 3.2 2.0")
    assert f"{WHEN} 1.2 98" in [facts(one.words) for one in found.evidence]
    assert WHEN in found.confirm
    assert (found.since, found.confidence) == (BEGIN, LIKELY)


@pytest.mark.parametrize("before", [SlowerWrites(BEGIN, 20.0, 0.0012), absent("longer ago")])
def test_few_quick_writes_before_prove_nothing(before: SlowerWrites | Absent) -> None:
    """More load may be what makes writes slow: the same difference at night shows that it is not."""
    found = diagnosed(before)
    assert found.claim.startswith("A write to LCU 7 takes")
    assert "night" in found.confirm
    assert (found.since, found.confidence) == (None, POSSIBLE)


@pytest.mark.parametrize(
    ("disc", "misses", "ids"),
    [(0.002, 0.3, []), (0.002, 0.1, ["D6"]), (0.012, 0.3, ["D6"]), (None, 0.3, ["D6"])],
)
def test_reads_that_missed_the_cache_before_are_not_what_makes_them_wait_now(
    disc: float | None, misses: float, ids: list[str]
) -> None:
    """Where as many missed when Disc was short, requests wait for something else now."""

    def of(time: float, part: float) -> ObservedLoad:
        one = volume(rate=900.0, reads=0.9)._replace(disc=time, response=time + 0.001)
        seen = load(one)
        return seen._replace(lcus=tuple(lcu._replace(misses=part) for lcu in seen.lcus))

    now, before = of(0.02, 0.3), None if disc is None else of(disc, misses)
    details = {one.key: VolumeDetail(0.0, 0.0, 0.7, 0.0, 0.0, "simplex", 0.1, 32) for one in now.volumes}
    asked = situation(now)._replace(details=lambda: details, earlier=lambda: before)
    found = CAUSES["D6"](asked)
    assert not isinstance(found, Absent)
    assert [one.id for one in found] == ids


@pytest.mark.parametrize(
    ("disc", "misses", "ids"),
    [
        (0.0075, 0.5, [("D6", LIKELY)]),  # 15 ms a miss: they queue, and the arrays have time
        (0.004, 0.5, []),  # 8 ms a miss: what a disk takes
        (0.030, 0.5, [("D6", POSSIBLE)]),  # 60 ms a miss: the arrays are full
        (0.0075, 0.2, [("D6", POSSIBLE)]),  # 37 ms a miss
    ],
)
def test_how_long_a_miss_takes_tells_misses_from_full_arrays(
    disc: float, misses: float, ids: list[tuple[str, str]]
) -> None:
    """A miss that takes as long as two disks do waits for an array that is full."""
    one = volume(rate=350.0, reads=0.95)._replace(disc=disc, response=disc + 0.0012)
    now = load(one)
    now = now._replace(lcus=tuple(lcu._replace(misses=misses) for lcu in now.lcus))
    details = {one.key: VolumeDetail(0.0, 0.0, 1 - misses, 0.0, 0.0, "simplex", 0.1, 32)}
    asked = situation(now)._replace(details=lambda: details)
    found = CAUSES["D6"](asked)
    assert not isinstance(found, Absent)
    assert [(one.id, one.confidence) for one in found] == ids
    arrays = CAUSES["D9"](asked)
    assert not isinstance(arrays, Absent)
    assert bool(arrays) == (ids == [("D6", POSSIBLE)])


@pytest.mark.parametrize(("role", "confidence"), [("primary", LIKELY), (absent("no relation"), POSSIBLE)])
def test_a_mirror_is_named_without_cache_statistics(role: Value, confidence: str) -> None:
    """Writes alone take longer inside, where nothing waits: perhaps a mirror, and likely if it is a pair."""
    one = volume(rate=200.0, reads=0.5)
    one = one._replace(disc=0.001, response=0.0022, read_response=0.0012, write_response=0.0032)
    unread = absent("no cache statistics")
    details = {one.key: VolumeDetail(0.0, 0.0, unread, unread, unread, role, 0.4, 32)}
    asked = situation(load(one), slower_writes=unread)._replace(details=lambda: details)
    assert only(CAUSES["D8"](asked)).confidence == confidence
    in_linux = one._replace(disc=0.0)  # the time is lost before the LCU
    asked = situation(load(in_linux))._replace(details=lambda: details)
    assert isinstance(CAUSES["D8"](asked), Absent) or role == "primary"
