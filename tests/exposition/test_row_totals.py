"""Totals of rows never fall, and means are of the last minute."""

from __future__ import annotations

import itertools

import pytest

from tests.frames import frame_of
from zmon.base.absent import absent
from zmon.exposition.metric import CPU_SECONDS
from zmon.exposition.row_totals import RecentMeans, RowCounter, RowTotals
from zmon.interval import Interval
from zmon.kinds import CPU
from zmon.sample import Instant, Sample

SECOND = 1_000_000_000


def cpus(second: int, *user: int) -> Sample:
    """Return a sample of processors with so many seconds of user time."""
    rows = {str(number): {"user": seconds * SECOND} for number, seconds in enumerate(user)}
    at = second * SECOND
    return Sample(Instant(at, at, "boot"), {CPU.name: frame_of(CPU, rows, at)})


def test_a_processor_that_goes_takes_nothing_with_it() -> None:
    """The sum over processors would fall; the total does not."""
    totals = RowTotals([RowCounter(CPU_SECONDS, CPU, lambda _delta, _row: '{mode="user"}', "user", 1e-9)])
    samples = [cpus(1, 5, 100), cpus(2, 6, 101), cpus(3, 7), cpus(4, 8, 500), cpus(5, 9, 501)]
    seen = []
    for before, after in itertools.pairwise(samples):
        totals.follow(Interval(before, after))
        seen.append(totals.totals[CPU_SECONDS.name]['{mode="user"}'])
    assert seen == pytest.approx([2, 3, 4, 6])


def test_a_reading_counts_once() -> None:
    """A source that is read less often than samples are taken hands on the same frame."""
    totals = RowTotals([RowCounter(CPU_SECONDS, CPU, lambda _delta, _row: '{mode="user"}', "user", 1e-9)])
    first, second = cpus(1, 5), cpus(2, 6)
    third = Sample(Instant(3 * SECOND, 3 * SECOND, "boot"), second.frames)
    totals.follow(Interval(first, second))
    totals.follow(Interval(second, third))
    assert totals.totals[CPU_SECONDS.name] == pytest.approx({'{mode="user"}': 1.0})


def test_means_weigh_each_value_with_its_time() -> None:
    """What is older than a minute is forgotten, and what is not known does not count."""
    means = RecentMeans()
    means.add("a", 1.0, 10)
    means.add("a", absent("not yet"), 10)
    means.add("a", 0.0, 30)
    assert means.means() == {"a": 0.25}
    means.add("a", 0.0, 60)
    assert means.means() == {"a": 0.0}
    means.keep([])
    assert means.means() == {}
