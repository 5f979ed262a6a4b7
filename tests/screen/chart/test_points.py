"""Many points become few, and neither a peak nor the mean nor a gap is lost."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.screen.chart.points import Point, buckets, collect, extent, level, number

SECOND = 1_000_000_000
VALUES = st.floats(-1e6, 1e6)


@st.composite
def measured(draw: st.DrawFn) -> list[Point]:
    """Return points as a recording has them: one after the other, with gaps of both sorts."""
    at, points = draw(st.integers(0, 10**6)), []
    for _ in range(draw(st.integers(1, 40))):
        length = draw(st.integers(1, 1000))
        low, mean, high = sorted(draw(st.tuples(VALUES, VALUES, VALUES)))
        gap = draw(st.integers(0, 5)) == 0
        points.append(
            Point(at, at + length, None, None, None) if gap else Point(at, at + length, low, mean, high)
        )
        at += length + draw(st.sampled_from([0, 0, 0, 500]))
    return points


# --- what is a number -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [None, absent("new"), "text", math.nan, math.inf, -math.inf, 10**400, 2e300]
)
def test_what_cannot_be_drawn_is_a_gap(value: float | None) -> None:
    """Whatever is no finite number that leaves room to calculate with."""
    assert level(0, 1, value).figures is None


def test_a_mean_alone_is_enough() -> None:
    """Where only the mean is known it is the lowest and the highest, too."""
    assert Point(0, 1, absent("not kept"), 5, None).figures == (5.0, 5.0, 5.0)


def test_figures_are_in_order() -> None:
    """A mean beyond what is said to be the highest is the highest."""
    assert Point(0, 1, 3, 9, 4).figures == (3.0, 9.0, 9.0)


def test_extent_is_from_the_first_to_the_last() -> None:
    """Whatever their order."""
    assert extent([level(5, 9, 1), level(2, 3, 1)]) == (2, 9)


def test_without_points_there_is_no_extent() -> None:
    """Not even an empty one."""
    assert extent([]) is None


# --- buckets --------------------------------------------------------------------------------------------


def test_the_mean_weighs_by_time() -> None:
    """Ten for one second and zero for nine are one."""
    assert buckets([level(0, 1, 10), level(1, 10, 0)], 1) == [Point(0, 10, 0.0, 1.0, 10.0)]


def test_a_point_over_two_buckets_weighs_in_each_what_lies_there() -> None:
    """Its peak may have been in either, so both have it."""
    found = buckets([Point(0, 6, 0, 6, 9), Point(6, 8, 2, 2, 2)], 2)
    assert found == [Point(0, 4, 0.0, 6.0, 9.0), Point(4, 8, 0.0, 4.0, 9.0)]


def test_a_gap_stays_a_gap() -> None:
    """Whether it is told or only not covered."""
    points = [level(0, 10, 1), level(10, 20, absent("gap")), level(30, 40, 1)]
    assert [point.figures is None for point in buckets(points, 4)] == [False, True, True, False]


def test_a_zero_is_no_gap() -> None:
    """It was measured."""
    assert buckets([level(0, 10, 0)], 1) == [Point(0, 10, 0.0, 0.0, 0.0)]


def test_points_without_length_weigh_the_same() -> None:
    """Gauges that were looked at now and then."""
    assert buckets([level(0, 0, 1), level(1, 1, 3), level(9, 9, 8)], 2)[0].mean == 2.0


def test_the_last_instant_belongs_to_the_last_bucket() -> None:
    """A point without length at the very end is not lost."""
    assert buckets([level(0, 10, 1), level(10, 10, 99)], 5)[-1].high == 99.0


def test_only_what_lies_between_the_times_counts() -> None:
    """A point that touches the window from outside is outside."""
    points = [level(0, 10, 5), level(10, 20, 1), level(20, 30, 7)]
    assert buckets(points, 1, 10, 20) == [Point(10, 20, 1.0, 1.0, 1.0)]


def test_a_bucket_that_is_partly_covered_is_broken() -> None:
    """The axis of time shows it, though there is something to draw."""
    found = collect([level(0, 10, 1), level(12, 30, 1)], 3, 0, 30)
    assert [bucket.broken for bucket in found] == [False, True, False]


def test_no_width_is_no_bucket() -> None:
    """Nothing is asked for, and nothing comes."""
    assert buckets([level(0, 1, 1)], 0) == []


@given(measured(), st.integers(1, 200))
def test_no_peak_is_lost(points: list[Point], width: int) -> None:
    """The highest and the lowest of all points are in the buckets, however few those are."""
    known = [figures for point in points if (figures := point.figures) is not None]
    found = [figures for point in buckets(points, width) if (figures := point.figures) is not None]
    assert {high for *_, high in known} >= {high for *_, high in found}
    assert max((high for *_, high in known), default=0) == max((high for *_, high in found), default=0)
    assert min((low for low, *_ in known), default=0) == min((low for low, *_ in found), default=0)


@given(measured(), st.integers(1, 60))
def test_each_bucket_is_what_lies_in_it(points: list[Point], width: int) -> None:
    """Computed for each bucket from all points with exact fractions."""
    for bucket in buckets(points, width):
        parts = [(min(p.end, bucket.end) - max(p.begin, bucket.begin), p.figures) for p in points]
        inside = [(length, figures) for length, figures in parts if figures is not None and length > 0]
        if not inside:
            continue  # a bucket shorter than a nanosecond, or a gap
        assert bucket.low == min(low for _, (low, _, _) in inside)
        assert bucket.high == max(high for _, (_, _, high) in inside)
        weight = sum(length for length, _ in inside)
        mean = sum(Fraction(mean) * length for length, (_, mean, _) in inside) / weight
        assert number(bucket.mean) == pytest.approx(float(mean), rel=1e-9, abs=1e-6)


@given(measured(), st.integers(1, 200))
def test_buckets_lie_side_by_side(points: list[Point], width: int) -> None:
    """They cover the whole time, and nothing twice."""
    found = buckets(points, width)
    assert (found[0].begin, found[-1].end) == extent(points)
    assert all(before.end == after.begin for before, after in pairwise(found))


@given(measured(), st.integers(1, 60))
def test_a_gap_is_never_bridged(points: list[Point], width: int) -> None:
    """A bucket has figures only if a point reaches into it."""
    for bucket in buckets(points, width):
        touched = any(p.figures and p.begin <= bucket.end and p.end >= bucket.begin for p in points)
        assert bucket.figures is None or touched


ANYTHING = st.none() | st.floats() | st.integers() | st.just(absent("new")) | st.text()
TIMES = st.integers(-(1 << 65), 1 << 65)


@given(st.lists(st.builds(Point, TIMES, TIMES, ANYTHING, ANYTHING, ANYTHING)), st.integers(-1, 20))
def test_absurd_points_do_no_harm(points: list[Point], width: int) -> None:
    """Backward points, not-a-numbers and the end of the universe."""
    assert len(buckets(points, width)) == max(width, 0)
