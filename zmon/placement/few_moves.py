"""The best plan of a few moves: local search from several beginnings.

A plan of many moves lowers the fullest resource step by step, and its first moves need not be the best of so
few.  Each search puts another move or exchange in the place of one of the plan, or of two, as long as that
lowers the level of the fullest resource.  Where a model of queues predicts the throughput, this counts: it
rises most where all files of a tablespace leave a full unit, which no level shows.  Plans that take whole
tablespaces are tried then, and the best are improved with a limited number of predictions.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final, Protocol

from zmon.placement.annealing import SAME, candidates
from zmon.queueing.prediction import ThroughputBound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.placement.items import FileItem, Unit
    from zmon.placement.planner_state import PlannerState

    Change = tuple[tuple[int, int], ...]
    """Items with their new units: one item, two that change places, or some that gain only together."""
    Score = tuple[float, float]
    """The level of the fullest resource, and the sum of the squares of all levels."""


NEAREST: Final = 2
"""Items tried on each unit to change places with another, those that make both levels most alike."""
TWO_BY_TWO: Final = 10_000
"""Plans are improved by two moves at once, too, if items x units x moves x moves are no more than this ..."""
FIRST_OF_TWO: Final = 8
"""... of which so many are tried as the first."""
LARGE: Final = 20_000
"""With a larger product of items, units and moves no plan by the level begins a search by predictions."""
SPACES: Final = 8
"""Tablespaces tried as a whole, those with most load on what is fullest."""
EXCHANGES: Final = 3
"""Exchanges whose throughput is predicted in the place of each move of a plan."""
BEGINNINGS: Final = 2
"""Plans that are improved with predictions, the best."""
BETTER: Final = 2e-3
"""The part by which predictions have to differ to be told from each other: a model is solved by iteration."""


class Throughput(Protocol):
    """Predicts the throughput after moves."""

    @property
    def affordable(self) -> int:
        """The number of predictions that a search may ask for, so that it takes seconds."""

    def __call__(self, places: Sequence[tuple[FileItem, Unit]]) -> float:
        """Return the throughput with items on other units, as a multiple of the present one.

        Raises:
            ValueError: it cannot be predicted.
        """


class Level:
    """How full the fullest resource is after moves, as a multiple of now: the throughput turned round."""

    def __init__(
        self,
        begin: PlannerState,
        throughput: Throughput | None = None,
        bound: ThroughputBound | None = None,
    ) -> None:
        """Go by the loads of resources, within a bound, or by a model that predicts the throughput."""
        self._begin, self._throughput, self._bound = begin, throughput, bound
        self._predicted: dict[tuple[tuple[int, int], ...], float] = {(): 1.0}

    @property
    def is_predicted(self) -> bool:
        """Whether a model predicts it."""
        return self._throughput is not None

    @property
    def same(self) -> float:
        """The relative difference below which two levels are equal."""
        return BETTER if self.is_predicted else SAME

    @property
    def is_dear(self) -> bool:
        """Whether no more predictions are to be asked for in a search."""
        return self._throughput is not None and len(self._predicted) > self._throughput.affordable

    def of(self, state: PlannerState) -> float:
        """Return the level of a state.

        Raises:
            ValueError: it cannot be predicted.
        """
        if self._throughput is None:
            return 1 / self.bound_of(state).times
        moved = tuple((n, unit) for n, unit in enumerate(state.where) if unit != state.home[n])
        if moved not in self._predicted:
            places = [(state.items[number], state.units[unit]) for number, unit in moved]
            self._predicted[moved] = 1 / self._throughput(places)
        return self._predicted[moved]

    def after(self, plan: Iterable[Change]) -> float:
        """Return the level after the changes of a plan, as of `of`."""
        return self.of(after(self._begin, plan))

    def bound_of(self, state: PlannerState) -> ThroughputBound:
        """Return the most throughput that the fullest resource allows, or what all placements need alike."""
        bound = ThroughputBound(self._begin.top / state.top, state.titles[state.levels.index(state.top)])
        return bound if self._bound is None else min(bound, self._bound)


def after(begin: PlannerState, changes: Iterable[Change]) -> PlannerState:
    """Return the state after changes."""
    state = begin.copy()
    for move in (move for change in changes for move in change):
        state.move(*move)
    return state


def few_moves(
    begin: PlannerState, most: int, level: Level, beginnings: Iterable[Sequence[Change]] = ()
) -> list[Change]:
    """Return the best plan found of at most so many changes, in an order in which they can be made.

    Each is a move or an exchange.  `beginnings` are plans to improve.
    """
    items = candidates(begin)
    plans = [list(plan) for plan in beginnings if len(plan) <= most]
    if not level.is_predicted:
        plans += [_by_load(begin, plan, most, items) for plan in ([], *plans)]
    else:
        if most * len(items) * len(begin.units) <= LARGE:
            plans.append(_by_load(begin, [], most, items))
        plans += _by_space(begin, most, level, items)
        plans.sort(key=level.after)
        plans += [_by_prediction(begin, plan, most, level, items) for plan in ([], *plans[:BEGINNINGS])]
    return min(plans, key=level.after)


def in_order(begin: PlannerState, changes: Iterable[Change]) -> list[Change] | None:
    """Return changes in order, that first which lowers the level most.

    None if there is no room for them, or a move raises the highest level: this only exchanges may do.
    """
    state, left = begin.copy(), list(changes)
    ordered: list[Change] = []
    while left:
        possible = [(*state.top_after(change), change) for change in left if _may(state, change)]
        if not possible:
            return None
        top, _, change = min(possible)
        if len(change) == 1 and top > state.top * (1 + SAME):
            return None
        left.remove(change)
        ordered.append(change)
        for move in change:
            state.move(*move)
    return ordered


def _may(state: PlannerState, change: Change) -> bool:
    """Return whether a move may be made, or several at once."""
    if len(change) == 1:
        return state.hindrance(*change[0]) is None
    coming = dict.fromkeys((unit for _, unit in change), 0)
    for number, unit in change:
        coming[unit] += state.size[number]
        if state.where[number] in coming and len(state.first[number]) == 1:
            coming[state.where[number]] -= state.size[number]
    return all(size <= state.free[unit] for unit, size in coming.items()) and not any(
        state.fixed[number] or not state.units[unit].open or state.clash(number, unit)
        for number, unit in change
    )


def _possible(state: PlannerState, items: Iterable[int], *, all_units: bool) -> Iterator[Change]:
    """Yield moves of the items on what is fullest, or on all units, and exchanges of them for others."""
    level = 0.0 if all_units else max(state.levels) * (1 - SAME)
    full = {r for r, other in enumerate(state.levels) if other >= level}
    hot = {unit for unit, using in enumerate(state.using) if any(r in full for r, _ in using)}
    on: dict[int, list[int]] = {}
    for number in items:
        on.setdefault(state.where[number], []).append(number)
    open_units = [number for number, unit in enumerate(state.units) if unit.open]
    for home in sorted(hot & on.keys()):
        for number in on[home]:
            for unit in open_units:
                if unit == home:
                    continue
                if _may(state, move := ((number, unit),)):
                    yield move
                wanted = state.amount[number] - (state.levels[home] - state.levels[unit]) / 2
                others = sorted(
                    (abs(state.amount[other] - wanted), other)
                    for other in on.get(unit, ())
                    if state.amount[other] < state.amount[number]
                )
                for _, other in others[:NEAREST]:
                    if _may(state, exchange := ((number, unit), (other, home))):
                        yield exchange


def _score(state: PlannerState) -> Score:
    return state.top, sum(level * level for level in state.levels)


def _is_lower(score: Score, other: Score) -> bool:
    return score[0] < other[0] * (1 - SAME) or (
        score[0] <= other[0] * (1 + SAME) and score[1] < other[1] * (1 - SAME)
    )


def _ranked(
    begin: PlannerState, rest: Sequence[Change], items: Iterable[int], *, all_units: bool = False
) -> list[tuple[Score, Change]]:
    """Return the changes that may join others, the lowest level first; no move raises the highest level."""
    state, touched = after(begin, rest), {number for change in rest for number, _ in change}
    squares = _score(state)[1]
    ranked = []
    left = [number for number in items if number not in touched]
    for change in _possible(state, left, all_units=all_units):
        top, added = state.top_after(change)
        if len(change) > 1 or top <= state.top * (1 + SAME):
            ranked.append(((top, squares + added), change))
    return sorted(ranked)


def _by_load(begin: PlannerState, plan: Iterable[Change], most: int, items: Sequence[int]) -> list[Change]:
    """Improve a plan by the level of the fullest resource, until no move or exchange lowers it."""
    plan = list(plan)
    while better := _lowered(begin, plan, most, items):
        plan = better
    return plan


def _lowered(begin: PlannerState, plan: list[Change], most: int, items: Sequence[int]) -> list[Change]:
    """Return a plan with a lower level; empty if none is found."""
    present = _score(after(begin, plan))
    few = most * most * len(items) * len(begin.units) <= TWO_BY_TWO
    for at_once in (1, 2) if few else (1,):
        room = most - len(plan)
        kept = [
            rest
            for left_out in range(max(0, at_once - room), min(at_once, len(plan)) + 1)
            for rest in combinations(plan, len(plan) - left_out)
        ]
        better: list[tuple[Score, list[Change]]] = []
        for rest in kept:
            plans = [(score, [*rest, change]) for score, change in _ranked(begin, rest, items)]
            if at_once == 2:
                plans = [
                    (score, [*first, change])
                    for _, first in plans[:FIRST_OF_TWO]
                    for score, change in _ranked(begin, first, items)[:1]
                ]
            better += (pair for pair in plans if _is_lower(pair[0], present))
        for _, other in sorted(better):
            if (ordered := in_order(begin, other)) is not None:
                return ordered
    return []


def _by_space(begin: PlannerState, most: int, level: Level, items: Sequence[int]) -> Iterator[list[Change]]:
    """Yield plans that take one tablespace after the other off what is fullest, each with another first."""
    hot = begin.levels.index(begin.top)
    units = {unit for unit, using in enumerate(begin.using) if any(r == hot for r, _ in using)}
    members: dict[int, list[int]] = {}
    for number in items:
        if begin.where[number] in units and begin.amount[number]:
            members.setdefault(begin.space[number], []).append(number)
    loads = {space: sum(begin.amount[n] for n in numbers) for space, numbers in members.items()}
    spaces = sorted(loads, key=lambda space: (-loads[space], space))[:SPACES]
    for first in spaces:
        plan = _taken(begin, [], members[first][:most])
        left = [space for space in spaces if space != first]
        while left and len(plan) < most and not level.is_dear:
            others = [(space, _taken(begin, plan, members[space][: most - len(plan)])) for space in left]
            worth = [
                (level.after(other) ** (1 / max(1, len(other) - len(plan))), space, other)
                for space, other in others
            ]
            _, space, plan = min(worth)
            left.remove(space)
        if (ordered := in_order(begin, plan)) is not None:
            yield ordered


def _taken(begin: PlannerState, plan: Sequence[Change], numbers: Iterable[int]) -> list[Change]:
    """Return a plan with moves of items added, each to where the level stays lowest."""
    state, plan = after(begin, plan), list(plan)
    for number in numbers:
        units = [unit for unit in range(len(state.units)) if unit != state.where[number]]
        ranked = sorted((*state.top_after([(number, unit)]), unit) for unit in units)
        unit = next((unit for *_, unit in ranked if _may(state, ((number, unit),))), None)
        if unit is not None:
            state.move(number, unit)
            plan.append(((number, unit),))
    return plan


def _by_prediction(
    begin: PlannerState, plan: list[Change], most: int, level: Level, items: Sequence[int]
) -> list[Change]:
    """Improve a plan by predictions: in the place of each move that which gives the most throughput."""
    present = level.after(plan)
    alike = False  # what is like another is tried only where nothing else helps
    while True:
        before = present
        for place in range(min(len(plan) + 1, most)):
            rest = [change for number, change in enumerate(plan) if number != place]
            ranked = [change for _, change in _ranked(begin, rest, items, all_units=True)]
            for change in ranked if alike else _told_apart(begin, ranked):
                if level.is_dear:
                    return plan
                other = in_order(begin, [*rest, change])
                if other is not None and (then := level.after(other)) < present * (1 - BETTER):
                    plan, present = other, then
        if present == before and alike:
            return plan
        alike = present == before


def _told_apart(begin: PlannerState, ranked: Iterable[Change]) -> Iterator[Change]:
    """Yield one move of each tablespace from the same unit to the same, and a few exchanges."""
    seen, exchanges = set[tuple[int, int, int]](), 0
    for change in ranked:
        (number, unit), *others = change
        ends = begin.space[number], begin.where[number], unit
        exchanges += bool(others)
        if exchanges <= EXCHANGES if others else ends not in seen:
            seen.add(ends)
            yield change
