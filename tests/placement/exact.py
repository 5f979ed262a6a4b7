"""The best placement of few files, by branch and bound: what no plan can beat."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zmon.placement.planner_state import PlannerState

SAME = 1e-9


class Exact:
    """All placements of a state's items that the rules allow, with at most so many moved."""

    def __init__(self, state: PlannerState, most: int, nodes: int = 2_000_000) -> None:
        """Give up after so many nodes."""
        self._state, self._most = state, most
        self.nodes = nodes
        movable = [n for n, fixed in enumerate(state.fixed) if not fixed]
        self._items = sorted(movable, key=lambda n: -state.amount[n])
        self._choices = [
            sorted(
                (u for u in range(len(state.units)) if u == state.home[n] or not self._barred(n, u)),
                key=lambda u, n=n: u != state.home[n],  # type: ignore[misc]  # a key
            )
            for n in self._items
        ]
        self._levels = state.levels.copy()
        for n in self._items:
            for resource, time in state.parts(n, state.home[n]):
                self._levels[resource] -= time
        self._left = [sum(state.amount[n] for n in self._items[k:]) for k in range(len(self._items) + 1)]
        self._bear = sum(state.bear)

    def _barred(self, number: int, unit: int) -> bool:
        return not self._state.units[unit].open or bool(self._state.clash(number, unit))

    def lowest_top(self) -> float:
        """Return the lowest level that the fullest resource can have."""
        self._limit, self._bytes = self._state.top * (1 + SAME), inf
        self._by_bytes = False
        self._place(0, 0, 0, [])
        return self._limit

    def fewest_bytes(self, top: float) -> float:
        """Return the fewest bytes to copy with no level above a given one; infinite if that cannot be."""
        self._limit, self._bytes, self._by_bytes = top * (1 + SAME), inf, True
        self._place(0, 0, 0, [])
        return self._bytes

    def _place(self, at: int, moved: int, copied: int, placed: list[int]) -> None:
        self.nodes -= 1
        if self.nodes < 0:
            raise OverflowError("too many nodes")
        state = self._state
        if at == len(self._items):
            if self._obeys(placed):
                if self._by_bytes:
                    self._bytes = copied
                else:
                    self._limit = max(self._levels) * (1 - SAME)
            return
        number = self._items[at]
        for unit in self._choices[at]:
            away = unit != state.home[number]
            size = state.size[number] if away else 0
            if moved + away > self._most or copied + size >= self._bytes:
                continue
            parts = state.parts(number, unit)
            for resource, time in parts:
                self._levels[resource] += time
            even = (sum(self._levels[: len(state.units)]) + self._left[at + 1]) / self._bear
            if max(self._levels) <= self._limit and even <= self._limit:
                self._place(at + 1, moved + away, copied + size, [*placed, unit])
            for resource, time in parts:
                self._levels[resource] -= time

    def _obeys(self, placed: list[int]) -> bool:
        """Return whether what comes to each unit has room, and is not log and data together."""
        state, room, came = self._state, self._state.free.copy(), set[tuple[int, bool]]()
        for number, unit in zip(self._items, placed, strict=True):
            if unit != state.home[number]:
                room[unit] -= state.size[number]
                room[state.home[number]] += state.size[number]
                came.add((unit, state.items[number].is_log))
        before = {(home, item.is_log) for home, item in zip(state.home, state.items, strict=True)}
        together = any((unit, not is_log) in came for unit, is_log in came - before)
        return not together and all(left >= min(0, free) for left, free in zip(room, state.free, strict=True))
