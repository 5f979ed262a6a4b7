"""Running figures: averages and distributions over a period."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Number, absent
from zmon.interval import Interval
from zmon.machine.period import Period, PeriodPart, range_of
from zmon.machine.view import History
from zmon.sample import Instant, Sample

INTERVALS = st.lists(st.tuples(st.floats(0.1, 1000), st.floats(0, 100)), min_size=1, max_size=20)


def at(seconds: int) -> Instant:
    """Return an instant."""
    return Instant(seconds, seconds, "boot")


def period(intervals: list[tuple[Number, Number]]) -> Period:
    """Count the intervals of one channel path."""
    found = Period()
    for place, interval in enumerate(intervals):
        found.add(PeriodPart(at(place), at(place + 1), {"0.40": interval}))
    return found


@pytest.mark.parametrize(
    ("percent", "place"),
    [(0, 0), (0.1, 0), (10, 0), (10.1, 1), (11, 1), (20, 1), (90, 8), (91, 9), (100, 9), (130, 9), (-1, 0)],
)
def test_a_percentage_falls_into_its_range(percent: float, place: int) -> None:
    """The ranges are 0-10, 11-20 and so on; what is out of all goes to the nearest."""
    assert range_of(percent) == place


@given(INTERVALS)
def test_the_average_weighs_each_interval_with_its_length(intervals: list[tuple[Number, Number]]) -> None:
    """A long interval counts for more than a short one."""
    busy = sum(s * p for s, p in intervals)
    seconds = sum(s for s, _ in intervals)
    assert period(intervals).channels["0.40"].average == pytest.approx(busy / seconds)


@given(INTERVALS)
def test_the_distribution_sums_to_all_intervals(intervals: list[tuple[Number, Number]]) -> None:
    """Each interval falls into one range."""
    assert sum(period(intervals).channels["0.40"].distribution) == pytest.approx(100)


@given(INTERVALS, st.integers(0, 20))
def test_what_is_absent_is_not_counted(intervals: list[tuple[Number, Number]], place: int) -> None:
    """An interval that is not known neither adds to the average nor to the distribution."""
    off = absent("measurement is off")
    with_gap: list[tuple[Number, Number]] = [*intervals[:place], (off, 5.0), (5.0, off), *intervals[place:]]
    assert vars(period(with_gap).channels["0.40"]) == vars(period(intervals).channels["0.40"])


def test_a_path_that_was_idle_is_zero_percent_busy() -> None:
    """A measured zero is counted."""
    assert period([(1.0, 0.0)]).channels["0.40"].average == 0.0


def test_a_path_that_was_never_measured_has_no_figures() -> None:
    """It is not there, rather than at zero."""
    assert period([(absent("off"), absent("off"))]).channels == {}


def test_a_period_reaches_from_the_first_begin_to_the_last_end() -> None:
    """Whatever lies between."""
    found = period([(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)])
    assert (found.begin, found.end) == (at(0), at(3))


def test_paths_are_counted_each_on_its_own() -> None:
    """One that appears later has a shorter period of its own."""
    found = period([(10.0, 50.0)])
    found.add(PeriodPart(at(1), at(2), {"0.40": (10.0, 100.0), "0.41": (10.0, 100.0)}))
    assert (found.channels["0.40"].average, found.channels["0.41"].average) == (75.0, 100.0)


def history(samples: int) -> History:
    """Remember samples that were taken each second from the first on."""
    taken = [Sample(at(second), {}, "made by hand") for second in range(1, samples + 1)]
    intervals = [Interval(before, after) for before, after in zip([None, *taken], taken, strict=False)]
    return History(lambda utc=99: (one for one in reversed(intervals) if one.after.at.utc <= utc))


@pytest.mark.parametrize(
    ("samples", "begin", "end", "expected"),
    [
        (0, None, 5, None),  # nothing was sampled
        (3, None, 1, None),  # the first sample has none before it
        (3, None, 3, (2, 3)),
        (3, None, 2, (1, 2)),
        (3, 1, 3, (1, 3)),
        (3, 2, 2, None),  # one sample is no interval
        (3, 0, 3, None),  # nothing was sampled at the begin
    ],
)
def test_a_window_is_between_two_samples(
    samples: int, begin: int | None, end: int, expected: tuple[int, int] | None
) -> None:
    """Without a begin it is the interval that ends then; without two samples it is none."""
    found = history(samples).window(begin, end)
    assert (found and found.before and (found.before.at.utc, found.after.at.utc)) == expected
