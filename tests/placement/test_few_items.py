from __future__ import annotations

from itertools import product
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from zmon.placement.few_items import FewItems

UNITS = 3
few_items = st.lists(
    st.tuples(st.integers(0, UNITS - 1), st.integers(1, 30), st.integers(1, 50)), min_size=1, max_size=6
)
"""The home, the time and the bytes of each item."""


def searched(items: list[tuple[int, int, int]], limit: float, most: int, nodes: int = 100_000) -> list[int]:
    """Return the units that are found for items on three units."""
    levels = [float(sum(time for home, time, _ in items if home == unit)) for unit in range(UNITS)]
    found = FewItems(
        [home for home, _, _ in items],
        [{unit: ((unit, float(time)),) for unit in range(UNITS)} for _, time, _ in items],
        [{unit: 0 if unit == home else size for unit in range(UNITS)} for home, _, size in items],
        levels,
    )
    return found.search(limit, most, inf, lambda units: units[0] != 2, nodes)


@given(few_items, st.integers(5, 60), st.integers(0, 6))
def test_no_placement_copies_fewer_bytes(items: list[tuple[int, int, int]], limit: int, most: int) -> None:
    """Of all that keep the limit, move few enough items, and are allowed."""

    def copied(units: tuple[int, ...] | list[int]) -> int:
        return sum(size for unit, (home, _, size) in zip(units, items, strict=True) if unit != home)

    def is_good(units: tuple[int, ...] | list[int]) -> bool:
        loads = [
            sum(t for unit, (_, t, _) in zip(units, items, strict=True) if unit == n) for n in range(UNITS)
        ]
        moved = sum(unit != home for unit, (home, _, _) in zip(units, items, strict=True))
        return max(loads) <= limit and moved <= most and units[0] != 2

    good = [units for units in product(range(UNITS), repeat=len(items)) if is_good(units)]
    found = searched(items, limit + 1e-9, most)
    assert bool(found) == bool(good)
    if found:
        assert is_good(found)
        assert copied(found) == min(map(copied, good))


def test_after_so_many_steps_the_best_so_far_is_returned() -> None:
    """Nothing, if there was none yet."""
    assert searched([(0, 10, 1)] * 6, 20.0, 6, nodes=3) == []
    assert searched([(0, 10, 1)] * 6, 20.0, 6)
