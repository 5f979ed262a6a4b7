"""The placement of few items with the fewest bytes to copy and no resource above a level.

All placements are tried, item by item, except those that a lower bound of the bytes rules out: what a
resource has above the level has to leave it, and the cheapest item that can leave has bytes for its time.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.placement.planner_state import Parts


class FewItems:
    """Items that are placed together; each is at home, its present unit, before."""

    def __init__(
        self,
        homes: Sequence[int],
        parts: Sequence[Mapping[int, Parts]],
        copied: Sequence[Mapping[int, int]],
        levels: Sequence[float],
    ) -> None:
        """Take the items in an order in which those that are placed first decide most.

        Args:
            homes: the unit of each.
            parts: what each adds to the level of resources on each unit where it may be.
            copied: the bytes that are copied to have it there.
            levels: of all resources, with all of them at home.
        """
        self._homes, self._parts, self._copied = homes, parts, copied
        self._levels = list(levels)
        self._leave: list[list[float]] = [[0.0] * len(levels)]
        """For each number of items that are left, their time on each resource ..."""
        self._price: list[list[float]] = [[inf] * len(levels)]
        """... and the fewest bytes that one of them has for its time there."""
        for home, units, sizes in zip(reversed(homes), reversed(parts), reversed(copied), strict=True):
            leave, price = self._leave[-1].copy(), self._price[-1].copy()
            least = min((size for unit, size in sizes.items() if unit != home), default=0)
            for resource, time in units[home] if len(units) > 1 else ():
                leave[resource] += time
                price[resource] = min(price[resource], least / time if time else inf)
            self._leave.append(leave)
            self._price.append(price)

    def search(
        self, limit: float, most: int, below: float, allowed: Callable[[Sequence[int]], bool], nodes: int
    ) -> list[int]:
        """Return the unit of each item, or nothing if no placement is better.

        Args:
            limit: no level may be above it.
            most: so many items may be moved at most.
            below: fewer bytes than these are to be copied.
            allowed: whether the rules allow a placement.
            nodes: after so many steps the best that was found is returned.
        """
        self._limit, self._most, self._allowed = limit, most, allowed
        self._bytes, self._left, self._found = below, nodes, list[int]()
        self._place([], 0, 0)
        return self._found

    def _place(self, units: list[int], moved: int, size: int) -> None:
        """Try all placements of the items that are left, those before being on some units."""
        self._left -= 1
        if size + self._still_needed(len(units)) >= self._bytes:
            return
        if len(units) == len(self._homes):
            if self._allowed(units):
                self._bytes, self._found = size, units.copy()
            return
        home, copied = self._homes[len(units)], self._copied[len(units)]
        for unit, parts in self._parts[len(units)].items():
            away = unit != home
            if moved + away > self._most or size + copied[unit] >= self._bytes or self._left < 0:
                continue
            before = self._levels
            if away:
                self._levels = before.copy()
                for sign, resources in ((-1, self._parts[len(units)][home]), (1, parts)):
                    for resource, time in resources:
                        self._levels[resource] += sign * time
            self._place([*units, unit], moved + away, size + copied[unit])
            self._levels = before

    def _still_needed(self, placed: int) -> float:
        """Return a lower bound of the bytes that items not placed yet have to copy; infinite if in vain."""
        leave, price = self._leave[len(self._homes) - placed], self._price[len(self._homes) - placed]
        needed = 0.0
        for resource, level in enumerate(self._levels):
            if level > self._limit:
                if level - self._limit > leave[resource]:
                    return inf
                needed = max(needed, (level - self._limit) * price[resource])
        return needed
