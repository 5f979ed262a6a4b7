from __future__ import annotations

import pytest

from zmon.placement.measures import (
    IDLE,
    OVERLOADED,
    bound_ratio,
    headroom,
    mm1,
)

LCU = 40.0


@pytest.mark.parametrize(("share", "ratio"), [(1.0, 4.0), (0.9, 3.6), (0.713, 2.85)])
def test_the_law_of_the_largest_share(share: float, ratio: float) -> None:
    """With equal capacities the bound grows as the largest share falls."""
    capacities = dict.fromkeys("1256", LCU)
    now = headroom({"6": share, "2": 1 - share}, capacities)
    then = headroom(dict.fromkeys("1256", 0.25), capacities)
    assert bound_ratio(now, then) == pytest.approx(ratio, abs=0.01)


def test_the_binding_resource_is_named() -> None:
    """With the factor by which all may grow."""
    found = headroom({"LCU 6": 30, "even": 36}, {"LCU 6": 40, "even": 72, "odd": 72})
    assert found.factor == pytest.approx(4 / 3)
    assert found.binding == ("LCU 6",)


def test_what_has_no_capacity_does_not_limit() -> None:
    """Nobody knows what it can."""
    assert headroom({"LCU 6": 30}, {}).factor is IDLE


def test_idle_resources_have_no_factor() -> None:
    """Any multiple of nothing is nothing."""
    idle = headroom({"a": 0.0}, {"a": 1.0})
    assert bound_ratio(idle, headroom({"a": 1.0}, {"a": 1.0})) is IDLE


def test_overload_has_no_number() -> None:
    """The queue would grow without end."""
    assert mm1(1, 1.0) is OVERLOADED


def test_one_server() -> None:
    """M/M/1 at half load answers in twice its service time."""
    assert mm1(2.0, 0.5) == 4.0
