"""A curve in one line loses no peak and shows every gap."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.screen.chart.points import RAMPS, sparkline

GAP = absent("gap")


@pytest.mark.parametrize(
    ("values", "width", "style", "drawn"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], 8, "blocks", "▁▂▃▄▅▆▇█"),
        ([0, 1, 2, 3, 4, 5, 6, 7], 8, "ascii", "_.:-=+*#"),
        ([0, 7, GAP, None, math.nan, 7, 0], 7, "blocks", "▁█   █▁"),
        ([0, 7, GAP, 0], 4, "ascii", "_# _"),
        ([1, 1, 1, 9, 1, 1, 1, 1], 4, "blocks", "▂█▂▂"),
        ([0, 8], 6, "blocks", "▁▁▁███"),
        ([0, 0, 0], 3, "blocks", "▁▁▁"),
        ([5, 5, 5], 3, "blocks", "███"),
        ([-4, 0, 4], 3, "blocks", "▁▅█"),
        ([], 4, "blocks", "    "),
        ([GAP], 4, "blocks", "    "),
        ([5], 0, "blocks", ""),
        ([math.inf, 10**400, 1], 3, "ascii", "  #"),
    ],
)
def test_curves(values: list[float | None], width: int, style: str, drawn: str) -> None:
    """Low is low, high is high, and nothing is blank."""
    assert sparkline(values, width, style) == drawn


def test_a_top_makes_curves_comparable() -> None:
    """50 of 100 is half, though nothing was higher."""
    assert sparkline([50], 1, "blocks", top=100) == "▅"


@given(
    st.lists(st.none() | st.floats() | st.integers(), max_size=50),
    st.integers(-3, 60),
    st.sampled_from(sorted(RAMPS)),
    st.none() | st.floats(-10, 10),
)
def test_any_values_fill_the_line(
    values: list[float | None], width: int, style: str, top: float | None
) -> None:
    """The line has its width, whatever comes."""
    drawn = sparkline(values, width, style, top)
    assert len(drawn) == max(width, 0)
    assert set(drawn) <= {" ", *RAMPS[style]}


@given(st.lists(st.integers(0, 9), min_size=1, max_size=200), st.integers(1, 40))
def test_a_peak_of_one_value_is_seen(values: list[int], width: int) -> None:
    """One value far above the others is the top of the curve."""
    values[len(values) // 2] = 1000
    assert "█" in sparkline(values, width)
