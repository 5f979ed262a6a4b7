"""Axes have round values and round local times."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.screen.chart.scale import period, time_ticks, value_scale

if TYPE_CHECKING:
    from collections.abc import Callable

SECOND = 1_000_000_000
NOON = 1_795_262_400 * SECOND  # 2026-11-21 12:00:00 UTC, a Saturday
HOUR = 3600 * SECOND
DAY = 24 * HOUR

FINITE = st.floats(-1e300, 1e300)


# --- values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "form", "labels"),
    [
        (0, 97, "percent", "0 20 40 60 80 100"),
        (3, 61.4, "rate", "0 20 40 60 80"),
        (0, 4, "rate", "0 1 2 3 4"),
        (0, 0.9, "queue", ".0 .2 .4 .6 .8 1.0"),
        (0, 0.03, "queue", ".00 .01 .02 .03"),
        (0, 0.0004, "rate", ".0000 .0001 .0002 .0003 .0004"),
        (0, 0.00004, "rate", "0 1e-05 2e-05 3e-05 4e-05"),
        (0, 2973, "count", "0 1000 2000 3000"),
        (0, 178_404, "count", "0 50k 100k 150k 200k"),
        (0, 12.3e6, "rate", "0 5M 10M 15M"),
        (0, 43e6, "rate", "0 10M 20M 30M 40M 50M"),
        (0, 800 * 2**20, "bytes", "0 200M 400M 600M 800M"),
        (0, 1.3 * 2**30, "bytes", ".0 .5G 1.0G 1.5G"),
        (-3, 4, "rate", "-4 -2 0 2 4"),
        (-9, -5, "rate", "-10 -8 -6 -4 -2 0"),
        (0, 0, "rate", ".0 .2 .4 .6 .8 1.0"),
    ],
)
def test_marks_of_values(low: float, high: float, form: str, labels: str) -> None:
    """They are 1, 2 or 5 times a power of ten, or so many binary units, written the Toolkit's way."""
    assert [label for _, label in value_scale(low, high, 6, form).ticks] == labels.split()


def test_an_axis_that_need_not_begin_at_zero() -> None:
    """A size that hardly changes fills its chart."""
    assert value_scale(512, 519, 6, zero=False).ticks[0] == (512.0, "512")


def test_all_equal_values_have_an_axis() -> None:
    """It goes up from there."""
    scale = value_scale(7, 7, 6, zero=False)
    assert scale.low <= 7 < scale.high


@pytest.mark.parametrize(
    ("value", "cells", "level"),
    [(0, 10, 0), (1, 10, 0), (50, 10, 4), (51, 10, 5), (100, 10, 9), (500, 10, 9)],
)
def test_a_value_has_its_place(value: float, cells: int, level: int) -> None:
    """At the border of two cells it is the top of the lower one."""
    assert value_scale(0, 100, 6).level(value, cells) == level


@given(FINITE, FINITE, st.integers(0, 30), st.sampled_from(["rate", "bytes"]), st.booleans())
def test_any_values_have_an_axis(one: float, other: float, most: int, form: str, zero: bool) -> None:
    """All values lie on it, its marks ascend, are not too many, and are told apart."""
    low, high = sorted((one, other))
    scale = value_scale(low, high, most, form, zero=zero)
    slack = (scale.high - scale.low) * 1e-6
    assert scale.low - slack <= low <= high <= scale.high + slack
    assert 2 <= len(scale.ticks) <= max(most, 3) + 1
    assert all(before < after for (before, _), (after, _) in pairwise(scale.ticks))
    assert len({label for _, label in scale.ticks}) == len(scale.ticks)


# --- times ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("length", "columns", "labels"),
    [
        (10 * SECOND, 60, "12:00:00 12:00:02 12:00:04 12:00:06 12:00:08 12:00:10"),
        (HOUR, 60, "12:00 12:10 12:20 12:30 12:40 12:50 13:00"),
        (HOUR, 20, "12:00 12:30 13:00"),
        (DAY, 60, "12:00 15:00 18:00 21:00 11-22 03:00 06:00 09:00 12:00"),
        (3 * DAY, 60, "12:00 11-22 12:00 11-23 12:00 11-24 12:00"),
        (14 * DAY, 40, "11-23 11-30"),
        (90 * DAY, 60, "11-23 12-07 12-21 01-04 01-18 02-01 02-15"),
        (365 * DAY, 60, "2027-02-01 2027-05-03 2027-08-02 2027-11-01"),
        (SECOND // 2, 60, "12:00:00"),
    ],
)
def test_marks_of_times(length: int, columns: int, labels: str) -> None:
    """As many as fit, at round times; midnight is a date, a week begins on Monday."""
    assert [label for _, label in time_ticks(NOON, NOON + length, columns)] == labels.split()


def test_hours_are_round_on_the_local_clock(zone: Callable[[str], None]) -> None:
    """In a zone half an hour off, too."""
    zone("Asia/Kolkata")
    assert [label for _, label in time_ticks(NOON, NOON + 4 * HOUR, 40)] == [
        "18:00",
        "19:00",
        "20:00",
        "21:00",
    ]


def test_an_hour_that_was_twice_is_marked_twice(zone: Callable[[str], None]) -> None:
    """Time goes on while the clock goes back."""
    zone("Europe/Berlin")
    midnight = 1_792_879_200 * SECOND  # 2026-10-25 00:00 in Berlin
    found = time_ticks(midnight, midnight + 5 * HOUR, 60)
    assert [label for _, label in found] == ["10-25", "01:00", "02:00", "02:00", "03:00", "04:00"]
    assert {after - before for (before, _), (after, _) in pairwise(found)} == {HOUR}


def test_an_hour_that_never_was_is_not_marked(zone: Callable[[str], None]) -> None:
    """When the clock is set forward two hours lie side by side."""
    zone("Europe/Berlin")
    midnight = 1_774_738_800 * SECOND  # 2026-03-29 00:00 in Berlin
    found = time_ticks(midnight, midnight + 4 * HOUR, 50)
    assert [label for _, label in found] == ["03-29", "01:00", "03:00", "04:00", "05:00"]


@given(st.integers(0, 1 << 62), st.integers(1, 1 << 61), st.integers(1, 300))
def test_times_fit_beside_one_another(begin: int, length: int, columns: int) -> None:
    """Every mark lies on the axis, in order, with room for its label; only a date of 5 may come closer."""
    found = time_ticks(begin, begin + length, columns)
    assert all(begin <= utc <= begin + length for utc, _ in found)
    assert all(before < after for (before, _), (after, _) in pairwise(found))
    assert len(found) <= columns // 6 + 2


@pytest.mark.parametrize("begin", [-(10**30), 10**30])
def test_where_no_calendar_reaches_there_are_no_marks(begin: int) -> None:
    """A damaged time is no reason to draw nothing."""
    assert time_ticks(begin, begin + DAY, 60) == []


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("end", "width", "written"),
    [
        (NOON + HOUR, 40, "2026-11-21 12:00:00 - 13:00:00"),
        (NOON + HOUR, 20, "12:00:00 - 13:00:00"),
        (NOON + HOUR, 10, ""),
        (NOON + DAY, 60, "2026-11-21 12:00:00 - 2026-11-22 12:00:00"),
        (NOON + DAY, 40, ""),
        (10**30, 60, ""),
    ],
)
def test_a_period_has_as_much_date_as_fits(end: int, width: int, written: str) -> None:
    """The clocks of two days without their dates would be a lie."""
    assert period(NOON, end, width) == written
