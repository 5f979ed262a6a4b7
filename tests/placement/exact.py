"""The best placement of few files, by branch and bound: what no plan can beat."""

from __future__ import annotations

from itertools import combinations
from math import inf
from typing import TYPE_CHECKING

from zmon.base.absent import Absent
from zmon.base.record import NamedTuple
from zmon.placement.planner import GAIN, plan_moves

if TYPE_CHECKING:
    from tests.placement.random_case import RandomCase
    from zmon.placement.planner_state import PlannerState

    Move = tuple[int, int]
    """An item and its new unit."""

SAME = 1e-9


class Exact:
    """All placements of a state's items that the rules allow, with at most so many moved."""

    def __init__(self, state: PlannerState, most: int, nodes: int = 4_000_000) -> None:
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
        if together or any(left < min(0, free) for left, free in zip(room, state.free, strict=True)):
            return False
        moves = [
            (number, unit)
            for number, unit in zip(self._items, placed, strict=True)
            if unit != state.home[number]
        ]
        return min(room) == inf or self._has_order(moves, state.free)

    def _has_order(self, moves: list[Move], free: list[float]) -> bool:
        """Return whether moves can be made one after the other, or two in opposite directions at once."""
        state, tried, left = self._state, set[int](), [(0, free)]
        while left:
            made, room = left.pop()
            if made == (1 << len(moves)) - 1:
                return True
            todo = [(place, move) for place, move in enumerate(moves) if not made >> place & 1]
            some: list[tuple[tuple[int, Move], ...]] = [(one,) for one in todo]
            some += [
                (one, two)
                for one, two in combinations(todo, 2)
                if one[1][1] == state.home[two[1][0]] and two[1][1] == state.home[one[1][0]]
            ]
            for changes in some:
                then, after = made, room.copy()
                for place, (number, unit) in changes:
                    then |= 1 << place
                    after[unit] -= state.size[number]
                    if len(state.first[number]) == 1:
                        after[state.home[number]] += state.size[number]
                units = {unit for _, (_, unit) in changes}
                if then not in tried and all(after[unit] >= min(0, free[unit]) for unit in units):
                    tried.add(then)
                    left.append((then, after))
        return False


class Comparison(NamedTuple):
    """The plan of a machine beside the best there is."""

    above: float
    """How far its fullest resource is above the least possible, as a part of it."""
    copied: int
    """The bytes to copy up to where its level is reached, to the two digits that are printed."""
    fewest: float
    """The fewest bytes for that level."""
    is_anew: bool


class Reached(NamedTuple):
    """What a plan reaches."""

    level: float
    """The lowest level after any of its steps, divided by the mean."""
    at: float
    """The level after the first step that reaches it, to the two digits that are printed."""
    copied: int
    """The bytes to copy up to that step."""
    bound: float
    """The lower bound that the plan names."""
    moves: int
    is_anew: bool


def reached(case: RandomCase, most: int) -> Reached | None:
    """Plan up to so many moves; None without a load."""
    found = plan_moves(case.items, case.units, most=most, traffic=case.traffic, shared=case.shared)
    if isinstance(found.uneven, Absent) or isinstance(found.bound, Absent):
        return None
    after = [(found.uneven, 0), *((step.uneven, step.copied) for step in found.steps)]
    least = min(after)[0]
    level, copied = next(one for one in after if one[0] <= least + GAIN)
    moves = sum(len(step.moves) for step in found.steps)
    return Reached(least, level, copied, found.bound, moves, found.is_anew)


def compared(case: RandomCase, most: int) -> Comparison | None:
    """Plan up to so many moves; None without a load, and where the best gains too little to be suggested."""
    found, state = reached(case, most), case.state()
    if found is None:
        return None
    optimum = Exact(state, most).lowest_top() / state.mean
    assert found.bound <= optimum * (1 + 1e-6)
    if not found.moves and found.level / optimum < 1.05:
        return None
    fewest = Exact(state, most).fewest_bytes(found.at * state.mean * (1 + 1e-9))
    return Comparison(found.level / optimum - 1, found.copied, fewest, found.is_anew)
