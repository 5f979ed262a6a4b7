from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.placement.cheapest import Cheapest, PlacementChoice

UNITS = 3
some_items = st.lists(
    st.tuples(st.integers(0, UNITS - 1), st.integers(1, 30), st.integers(1, 50), st.booleans()),
    min_size=1,
    max_size=6,
)
"""The home, the time and the bytes of each item, and whether it is of one kind or the other."""

Item = tuple[int, int, int, bool]


def together(items: list[Item], limit: int, most: int, nodes: int = 100_000) -> Cheapest:
    """Return items on three units; what is moved meets no item of the other kind that is moved, too."""

    def choices(home: int, time: int, size: int, kind: bool) -> list[PlacementChoice]:
        away = [unit for unit in range(UNITS) if unit != home]
        return [
            PlacementChoice(home, 0, ((home, float(time)),)),
            *(
                PlacementChoice(
                    unit, size, ((unit, float(time)), (UNITS, 1.0)), (unit, kind), (unit, not kind)
                )
                for unit in away
            ),
        ]

    room = [float(limit)] * UNITS + [float(most)]
    return Cheapest([choices(*item) for item in items], room, lambda units: units[0] != 2, nodes)


def is_good(items: list[Item], units: tuple[int, ...] | list[int], limit: int, most: int) -> bool:
    """Return whether a placement keeps the limit and all rules."""
    loads = [
        sum(time for at, (_, time, _, _) in zip(units, items, strict=True) if at == unit)
        for unit in range(UNITS)
    ]
    came = {(unit, kind) for unit, (home, _, _, kind) in zip(units, items, strict=True) if unit != home}
    moved = sum(unit != home for unit, (home, _, _, _) in zip(units, items, strict=True))
    meet = any((unit, not kind) in came for unit, kind in came)
    return max(loads) <= limit and moved <= most and not meet and units[0] != 2


def copied(items: list[Item], units: tuple[int, ...] | list[int]) -> int:
    """Return the bytes to copy."""
    return sum(size for unit, (home, _, size, _) in zip(units, items, strict=True) if unit != home)


@given(some_items, st.integers(5, 60), st.integers(0, 6))
def test_no_placement_copies_fewer_bytes(items: list[Item], limit: int, most: int) -> None:
    """Of all that keep the limit, move few enough items, and are allowed; the bound is not above it."""
    good = [units for units in product(range(UNITS), repeat=len(items)) if is_good(items, units, limit, most)]
    search = together(items, limit, most)
    found = search.search(1000)
    assert bool(found) == bool(good)
    if found:
        assert is_good(items, found, limit, most)
        assert copied(items, found) == min(copied(items, units) for units in good)
        assert search.bound <= copied(items, found) + 1e-6


@given(some_items, st.integers(5, 60), st.integers(0, 6))
def test_any_placement_is_one_that_is_allowed(items: list[Item], limit: int, most: int) -> None:
    """Where the first will do, there is one if there is any."""
    found = together(items, limit, most).search(1000, first=True)
    assert bool(found) == bool(together(items, limit, most).search(1000))
    assert not found or is_good(items, found, limit, most)


def test_a_placement_is_improved_by_placing_a_few_of_its_items_anew() -> None:
    """Forty small items were moved where one that is hardly larger than what is too much is enough."""
    items: list[Item] = [(0, 10, 10, True)] * 40 + [(0, 100, 60, True)]
    known = [1] * 20 + [0] * 21
    search = together(items, 310, 41, nodes=20_000)
    found = search.around(known, copied(items, known), Random(1).random)  # noqa: S311 - no secrets
    assert is_good(items, found, 310, 41)
    assert copied(items, found) == 150


def test_after_so_many_steps_the_best_so_far_is_returned() -> None:
    """Nothing, if there was none yet."""
    items: list[Item] = [(0, 10, 1, True)] * 6
    assert together(items, 20, 6, nodes=3).search(100) == []
    assert together(items, 20, 6).search(100)


@pytest.mark.parametrize("count", [201, 2000])
def test_very_many_items_are_not_all_tried(count: int) -> None:
    """The search for all gives up; that near a known placement goes on."""
    items: list[Item] = [(0, 10, 10 + n % 7, True) for n in range(count)]
    search = together(items, 10 * count - 100, count)
    assert search.search(100 * count) == []
    assert search.left < 0
    search.left = 50_000
    known = [1] * 12 + [0] * (count - 12)
    found = search.around(known, copied(items, known), Random(1).random)  # noqa: S311 - no secrets
    assert copied(items, found) < copied(items, known)
    assert is_good(items, found, 10 * count - 100, count)
