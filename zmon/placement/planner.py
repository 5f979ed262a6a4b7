"""Which files to move, in order of benefit, to relieve what is fullest and to spread tablespaces.

There are two goals, the first before the second: the fullest resource, a unit or channel paths that units
share, is to be as little busy as possible; and every tablespace is to be on many units.  The placement with
the lowest level and the fewest bytes to copy is searched for (`annealing`), and its moves are put in order,
that which lowers the maximum most first; the moves that are left spread tablespaces, as far as the maximum
does not rise.  Placing everything anew (largest first, each where the level stays lowest) is tried as well;
the better of both plans is suggested, or, if fewer moves are wanted, the best so few (`few_moves`).  Moves
that gain nothing are left out, and a lower bound for any placement is reported.  The result does not depend
on the order in which items are given.

zmon suggests, and never moves anything.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Final

from zmon.base.record import NamedTuple
from zmon.placement.annealing import LEVELLED, SAME, Annealing
from zmon.placement.few_moves import Level, after, few_moves
from zmon.placement.items import Hindrance
from zmon.placement.measures import NO_LOAD
from zmon.placement.planner_state import PlannerState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.placement.few_moves import Change, Throughput
    from zmon.placement.items import FileItem, Unit
    from zmon.placement.planner_state import SharedResource
    from zmon.queueing.prediction import ThroughputBound


COLDEST: Final = 8
"""Number of units, those with least of a tablespace, with which an exchange is tried."""
NEAREST: Final = 4
"""Number of items tried, those whose load is nearest to that of the item that they change places with."""
CROWDED: Final = 16
"""Number of tablespaces, those that lose most, for which an exchange is tried."""

PLANNED: Final = 40
"""So many files the whole plan moves at most; of its moves the first may be the best of so few."""
GAIN: Final = 0.01
"""A move that gives less, as a part of the throughput or of Spr, is not worth a line."""
WORTH: Final = 0.05
"""The relative increase of throughput, or Spr, that is required to suggest moves."""
EQUAL: Final = 0.02
"""Of two plans with a smaller difference of throughput that which spreads tablespaces more may be better."""
MORE_BYTES: Final = 0.1
MUCH: Final = 0.2
"""So much more of the load has to be spread for a plan that copies more than a tenth more bytes."""
DETOURS: Final = 4
"""So often the search is repeated where files wait for each other's room."""
BISECTIONS: Final = 60
"""Steps of the bisection; a float has no more digits."""


class Move(NamedTuple):
    """One item that goes from one unit to another."""

    item: FileItem
    source: Unit
    """The unit that has most of it."""
    target: Unit
    bytes: int
    """Bytes to be copied."""
    load: float


class PlanStep(NamedTuple):
    """A move, an exchange of two items, or moves that gain only together, with the state after it."""

    moves: tuple[Move, ...]
    worst: Unit
    """The unit with most load after it."""
    uneven: float
    """The level of the fullest resource as a multiple of the mean level of units."""
    ratio: Number
    """The maximum throughput after it, as a multiple of the present one."""
    full: str
    """What limits after it: the title of a unit, channels, or processors."""
    apart: float
    """The share of the load that is spread as far as its files allow, from 0 to 1."""
    copied: int
    """Bytes to copy up to here."""
    after: Mapping[str, float]
    """The load of each unit after it, by its key."""

    @property
    def is_swap(self) -> bool:
        """Whether two files change places."""
        places = [(move.source.key, move.target.key) for move in self.moves]
        return len(places) == 2 and places[0] == places[1][::-1]


class FreshPlacement(NamedTuple):
    """The result of placing all movable items anew, largest first."""

    uneven: float
    files: int
    """The number of files that move."""
    copied: int
    apart: float


class LongerPlan(NamedTuple):
    """A plan of more moves than were asked for."""

    moves: int
    uneven: float
    copied: int
    apart: float
    first: int
    """The number of its first moves, no more than were asked for."""
    first_times: Number
    """The throughput after these, as a multiple of the present one; absent within the error of a model."""
    is_begun: bool
    """Whether these are the moves that are suggested; else others are better."""


class MovePlan(NamedTuple):
    """The suggested moves and their effect."""

    steps: tuple[PlanStep, ...]
    before: Mapping[str, float]
    """The load of each unit, by its key."""
    after: Mapping[str, float]
    uneven: Number
    """The maximum before, as a multiple of the mean."""
    apart: Number
    """How far the tablespaces are spread before, as in `PlanStep`."""
    bound: Number
    """No placement has a maximum below this, as a multiple of the mean."""
    gap: Number
    """The relative distance of the result from the bound."""
    anew: FreshPlacement | None
    """The result of placing all anew, if that is not suggested."""
    held: tuple[tuple[Hindrance, int], ...]
    """The reasons why items on the unit with most load stay there, with their numbers."""
    is_anew: bool
    """Whether placing all anew is what is suggested, because it is better."""
    longer: LongerPlan | None = None
    """The plan that goes on after these moves, if it has more than were asked for."""


def plan_moves(  # noqa: PLR0913 - the parts of a question
    items: Iterable[FileItem],
    units: Sequence[Unit],
    *,
    most: int = 20,
    traffic: bool = False,
    shared: Iterable[SharedResource] = (),
    throughput: Throughput | None = None,
    most_throughput: ThroughputBound | None = None,
) -> MovePlan:
    """Return up to `most` moves in order of benefit; an exchange is one move.

    They are the first moves of the plan of `PLANNED` moves, unless others are better by `EQUAL`.  What a move
    gains is what `throughput` predicts, or without it the bound that follows from the fullest resource, which
    is no more than `most_throughput`.

    Raises:
        ValueError: an item lies on a unit that is not among them, or two units have the same key, or the
            throughput cannot be predicted.
    """
    begin = PlannerState(items, units, traffic=traffic, shared=shared)
    loads = begin.loads()
    if not begin.mean:
        return MovePlan((), loads, loads, NO_LOAD, NO_LOAD, NO_LOAD, NO_LOAD, None, (), is_anew=False)
    bound, uneven, apart = lowest(begin), begin.top / begin.mean, begin.apart()
    fresh, placed = _placed_anew(begin)
    level = Level(begin, throughput, most_throughput)
    changes: list[Change] = []
    is_anew, longer = False, None
    if most:
        changes, is_anew = _planned(level, begin, PLANNED, bound, placed)
        if most > PLANNED and sum(map(len, changes)) >= PLANNED - 1:
            changes, is_anew = _planned(level, begin, most, bound, placed)
        whole, first = changes, _first(level, begin, changes, most)
        if len(whole) > most:
            changes, is_anew = _fewer(level, begin, most, bound, placed, first)
            if level.after(whole) < level.after(changes):
                longer = _longer(level, begin, whole, first, is_begun=changes is first)
        elif level.is_predicted:
            changes, _ = _fewer(level, begin, most, bound, placed, whole)
            is_anew = is_anew and changes is whole
    steps = tuple(_steps(level, begin, changes))
    times = 1 / level.after(changes)
    if not steps or (times < 1 + WORTH and steps[-1].apart - apart < WORTH):
        steps, is_anew, longer = (), False, None
    reached = steps[-1].uneven if steps else uneven
    return MovePlan(
        steps,
        loads,
        steps[-1].after if steps else loads,
        uneven,
        apart,
        bound / begin.mean,
        reached * begin.mean / bound - 1,
        None if is_anew else fresh,
        _held(begin, steps),
        is_anew=is_anew,
        longer=longer,
    )


def _planned(
    level: Level, begin: PlannerState, most: int, bound: float, placed: Sequence[tuple[int, int]]
) -> tuple[list[Change], bool]:
    """Return the better plan that moves up to `most` files, and whether it is that of placing all anew."""
    changes = _telling(level, begin, _lowered(begin, most, bound, placed))
    changes += _widened(after(begin, changes), most - len(changes))
    changes = _joined(level, begin, changes)
    if 0 < len(placed) <= most:
        anew = _joined(level, begin, _telling(level, begin, _in_order(begin.copy(), placed)))
        if _is_better(begin, anew, changes, most):
            return anew, True
    return changes, False


def _first(level: Level, begin: PlannerState, changes: Sequence[Change], most: int) -> list[Change]:
    """Return the first changes, at most so many, that end with one that gains."""
    first = list(changes[:most])
    gaining = list(_gains(level, begin, first))
    while first and not gaining.pop():
        first.pop()
    return first


def _fewer(  # noqa: PLR0913, PLR0917 - what a plan is made of
    level: Level,
    begin: PlannerState,
    most: int,
    bound: float,
    placed: Sequence[tuple[int, int]],
    first: list[Change],
) -> tuple[list[Change], bool]:
    """Return the best plan of up to `most` moves, and whether it places all anew.

    Of plans that are better by less than `EQUAL`, it is the first moves of the longer one, then that with
    the fewest bytes to copy for its level.
    """
    planned, is_anew = first, False
    if not level.is_predicted:  # the lowest level need not give the most throughput
        planned, is_anew = _planned(level, begin, most, bound, placed)
    few = _telling(level, begin, few_moves(begin, most, level, [first, planned]))
    few += _widened(after(begin, few), most - len(few))
    few = _joined(level, begin, few)
    reached = [(level.after(plan), plan) for plan in (first, planned, few)]
    least = min(reached)[0] * (1 + EQUAL)
    plan = next(plan for reached_level, plan in reached if reached_level <= least)
    return plan, is_anew and plan is planned


def _longer(
    level: Level, begin: PlannerState, changes: Sequence[Change], first: Sequence[Change], *, is_begun: bool
) -> LongerPlan:
    made = after(begin, changes)
    copied = sum(made.copied(number) for change in changes for number, _ in change)
    first_times = 1 / level.after(first)
    return LongerPlan(
        len(changes), made.top / begin.mean, copied, made.apart(), len(first), first_times, is_begun
    )


def _lowered(begin: PlannerState, most: int, bound: float, placed: Sequence[tuple[int, int]]) -> list[Change]:
    """Return the changes, in order, to the lowest level; `placed` are the moves of another good placement.

    Where files wait for each other's room, the search is repeated without one of their moves, and at last
    without any move into room that another leaves.
    """
    barred: set[tuple[int, int]] = set()
    lowered: list[tuple[float, int, list[Change]]] = []
    top = after(begin, [tuple(placed)]).top
    for last in (*[False] * DETOURS, True) if most else ():
        search = Annealing(begin, most, barred, leaving=not last)
        if not barred:
            search.begin_with(dict(placed), top)
        search.search(bound)
        left = _spread(after(begin, [tuple(search.moves())]))
        changes = _ordered(begin, left)
        left -= {move for change in changes for move in change}
        made = after(begin, changes)
        lowered.append((made.top, sum(map(made.copied, search.items)), changes))
        if not left:
            break
        barred.add(max(left, key=lambda move: (begin.size[move[0]], move)))
    level = min((top for top, *_ in lowered), default=0.0) * LEVELLED
    return min(
        ((copied, top, changes) for top, copied, changes in lowered if top <= level), default=(0, 0, [])
    )[2]


def _spread(state: PlannerState) -> set[tuple[int, int]]:
    """Return the moves made, to other units where this spreads tablespaces and does not raise the maximum."""
    moved = [number for number, unit in enumerate(state.where) if unit != state.home[number]]
    ceiling, units = state.top * (1 + SAME), range(len(state.units))

    def others() -> Iterator[Change]:
        for place, gone in enumerate(moved):
            at = state.where[gone]
            yield from (((gone, unit),) for unit in units if unit not in {at, state.home[gone]})
            for two in moved[place + 1 :]:
                there = state.where[two]
                if there not in {at, state.home[gone]} and at != state.home[two]:
                    yield (gone, there), (two, at)

    while change := _best_of(state, others(), ceiling):
        for move in change:
            state.move(*move)
    return {(number, state.where[number]) for number in moved}


def lowest(state: PlannerState) -> float:
    """Return a lower bound of the highest level for any placement of the movable items.

    It is the largest of: the level of an even spread; the fixed load of a resource; the largest item; and,
    because on m units one has k + 1 of the k * m + 1 largest items, the sum of the k + 1 smallest of these.
    Units to which nothing may be moved keep their load, or less.  Of an item on several units the largest
    part counts, because the item may stay there.
    """
    movable = sorted(
        (
            (vector[0][1], vector[0][0])
            for vector, fixed in zip(state.first, state.fixed, strict=True)
            if not fixed
        ),
        reverse=True,
    )
    able = {number for number, unit in enumerate(state.units) if unit.open} | {home for _, home in movable}
    resting = [0.0] * len(state.levels)
    for number, fixed in enumerate(state.fixed):
        if fixed and state.home[number] >= 0:
            for resource, time in state.parts(number, state.home[number]):
                resting[resource] += time
    bounds = [_even_level(state), *resting]
    bounds += [load / max(state.bear[unit] for unit in able) for load, _ in movable[:1]]
    if len(set(state.bear)) <= 1 and movable:
        count = len(able)
        bounds += [
            sum(load for load, _ in movable[k * count - k : k * count + 1])
            for k in range(1, (len(movable) - 1) // count + 1)
        ]
    return max(bounds)


def _even_level(state: PlannerState) -> float:
    """Return the level of a spread of all load as if it could be divided, on units that may get more."""
    total, held = sum(state.amount), state.loads()
    low, high = total / (sum(state.bear) or 1), state.top
    if not state.shared and all(unit.open for unit in state.units):
        return low

    def bears(level: float) -> float:
        """Return the load that there is room for with no resource above a level."""
        rooms = {
            number: level * bear if unit.open else min(level * bear, held[unit.key])
            for number, (unit, bear) in enumerate(zip(state.units, state.bear, strict=True))
        }
        bearable = 0.0
        for shared in state.shared:  # a unit counts for the first of them only: the bound stays one
            left = level
            behind = [n for key in shared.seconds if (n := state.number.get(key, -1)) in rooms]
            for seconds, number in sorted(
                (shared.seconds[state.units[number].key], number) for number in behind
            ):
                room = rooms.pop(number)
                part = min(room, left / seconds) if seconds else room
                bearable += part
                left -= part * seconds
        return bearable + sum(rooms.values())

    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if bears(middle) >= total else (middle, high)
    return low


# order


def _ordered(begin: PlannerState, moves: set[tuple[int, int]]) -> list[Change]:
    """Return moves in order; those that are left out because of others before them come first, if that helps.

    A log may go to a unit with logs and data, but no more after its last log has left.
    """
    changes = list(_in_order(begin.copy(), moves))
    made = {move for change in changes for move in change}
    early = list(_in_order(begin.copy(), moves - made))
    rest = moves.difference(*early)
    others = [*early, *_in_order(after(begin, early), rest)]
    return max(changes, others, key=lambda some: sum(map(len, some)))


def _in_order(state: PlannerState, moves: Iterable[tuple[int, int]]) -> Iterator[Change]:
    """Yield moves one by one, each time the one that lowers the maximum most, then the sum of squares.

    If none of them lowers it, two in opposite directions are made at once, if that does, or if each waits for
    the room of the other.  A move that waits for free space is left out if the space never becomes free.
    """
    left = sorted(moves, key=lambda move: (-state.amount[move[0]], move[0]))
    while left:
        free: list[Change] = [(move,) for move in left if not state.hindrance(*move)]
        choice = [(*state.top_after(change), change) for change in free]
        if not choice or min(choice)[0] > state.top - GAIN * state.mean:
            choice += [(*state.top_after(pair), pair) for pair in _opposite(state, left)]
        if not choice:
            return
        *_, change = min(choice)
        for move in change:
            left.remove(move)
            state.move(*move)
        yield change


def _opposite(state: PlannerState, moves: Sequence[tuple[int, int]]) -> Iterator[Change]:
    """Yield the pairs of moves in opposite directions, if there is room for both when both are made."""
    for place, (number, unit) in enumerate(moves):
        home = state.where[number]
        for other, to in moves[place + 1 :]:
            if to != home or state.where[other] != unit:
                continue
            less = state.size[number] - state.size[other]
            if less <= state.free[unit] and -less <= state.free[home]:
                yield (number, unit), (other, home)


def _telling(level: Level, begin: PlannerState, changes: Iterable[Change]) -> list[Change]:
    """Return the changes without those that gain nothing, alone or two together, and that no other needs."""
    kept = list(changes)
    reached = after(begin, kept)
    top, apart = level.of(reached) * (1 + GAIN / 2), reached.apart() - GAIN
    idle = [change for change, gains in zip(kept, _gains(level, begin, kept), strict=True) if not gains]
    for some in (*((unit,) for unit in reversed(idle)), *combinations(idle, 2)):
        rest = [change for change in kept if change not in some]
        without = after(begin, rest)
        if len(rest) > len(kept) - len(some) or not _has_room(begin, rest):
            continue
        if without.apart() >= apart and level.of(without) <= top:
            kept = rest
    kept = _paired(level, begin, kept)
    gaining = list(_gains(level, begin, kept))
    while kept and not gaining.pop():
        kept.pop()
    return kept


def _has_room(begin: PlannerState, changes: Iterable[Change]) -> bool:
    """Return whether there is room for each change after those before it."""
    state = begin.copy()
    for change in changes:
        for move in change:
            state.move(*move)
        if any(state.free[unit] < min(0, begin.free[unit]) for _, unit in change):
            return False
    return True


def _paired(level: Level, begin: PlannerState, changes: list[Change]) -> list[Change]:
    """Return the changes, a move that gains nothing made one with a later one in the opposite direction."""
    for first, gains in zip(changes, _gains(level, begin, changes), strict=True):
        if gains or len(first) > 1:
            continue
        number, unit = first[0]
        for place in range(changes.index(first) + 1, len(changes)):
            (other, to), *more = changes[place]
            if not more and to == begin.home[number] and begin.home[other] == unit:
                joined = [*changes[:place], (first[0], (other, to)), *changes[place + 1 :]]
                joined.remove(first)
                if _has_room(begin, joined):
                    return _paired(level, begin, joined)
    return changes


def _joined(level: Level, begin: PlannerState, changes: Iterable[Change]) -> list[Change]:
    """Return the changes, those that gain nothing alone or fill what is fullest made one with the next ones.

    So whoever stops after a change has all that those up to it gain.  The last ones without gain are left
    out.
    """
    state, targets = begin.copy(), dict[int, int]()
    top, apart, where, fullest = level.of(state), state.apart(), state.where.copy(), state.top
    joint: list[Change] = []
    for change in changes:
        for number, unit in change:
            state.move(number, unit)
            targets[number] = unit
        then, wider = level.of(state), state.apart() >= apart + GAIN
        gains = then <= top / (1 + GAIN) or (wider and then <= top * (1 + level.same))
        if gains and (len(targets) > 1 or state.top <= fullest * (1 + SAME)):
            joint.append(tuple((number, unit) for number, unit in targets.items() if unit != where[number]))
            targets, top, apart, where = {}, then, state.apart(), state.where.copy()
            fullest = state.top
    return joint


def _gains(level: Level, state: PlannerState, changes: Iterable[Change]) -> Iterator[bool]:
    """Yield for each change whether it improves on the best before it."""
    state = state.copy()
    top, apart = level.of(state), state.apart()
    for change in changes:
        for move in change:
            state.move(*move)
        then = level.of(state)
        gains = then <= top / (1 + GAIN) or (state.apart() >= apart + GAIN and then < top * (1 + GAIN / 2))
        if gains:
            top, apart = min(top, then), state.apart()
        yield gains


def _steps(level: Level, begin: PlannerState, changes: Iterable[Change]) -> Iterator[PlanStep]:
    """Yield the steps of changes, each with what is reached after it."""
    state, copied = begin.copy(), 0
    for change in changes:
        moves = []
        if len(change) > 1:  # of two that change places that on the fuller unit is told first
            change = tuple(sorted(change, key=lambda move: -state.levels[state.where[move[0]]]))  # noqa: PLW2901
        for number, unit in change:
            source = state.units[state.move(number, unit)]
            size = state.copied(number)
            copied += size
            moves.append(Move(state.items[number], source, state.units[unit], size, state.amount[number]))
        units = state.levels[: len(state.units)]
        yield PlanStep(
            tuple(moves),
            state.units[units.index(max(units))],
            state.top / state.mean,
            *level.bound_of(state),
            state.apart(),
            copied,
            state.loads(),
        )


# placing all anew


def _placed_anew(begin: PlannerState) -> tuple[FreshPlacement | None, list[tuple[int, int]]]:
    """Return the result of placing all items anew, None if it gains nothing, and the moves.

    The largest item is placed first, each where the level stays lowest, or where it was if no unit is better.
    What forbids a move forbids it here: a placement by this way evades no rule.
    """
    state = begin.copy()
    movable = [number for number, fixed in enumerate(state.fixed) if not fixed]
    movable.sort(key=lambda number: (-state.amount[number], number))
    levels = state.levels.copy()
    for number in movable:
        for resource, time in state.parts(number, state.home[number]):
            levels[resource] -= time
    moves = []
    for number in movable:
        home, load = state.home[number], state.amount[number]
        tops = [max(levels[r] + load * s for r, s in using) for using in state.using]
        ranked = sorted((top, unit != home, unit) for unit, top in enumerate(tops))
        unit = next(u for _, away, u in ranked if not away or not state.hindrance(number, u))
        if unit != home:
            state.move(number, unit)
            moves.append((number, unit))
        for resource, time in state.parts(number, unit):
            levels[resource] += time
    uneven, apart = state.top / state.mean, state.apart()
    if uneven > begin.top / begin.mean - GAIN and apart < begin.apart() + GAIN:
        return None, moves
    copied = sum(state.copied(number) for number, _ in moves)
    return FreshPlacement(uneven, len(moves), copied, apart), moves


def _is_better(begin: PlannerState, anew: Sequence[Change], changes: Sequence[Change], most: int) -> bool:
    """Return whether placing all anew is better: as low a maximum, and a higher Spr that is worth its bytes.

    It is worth a tenth more bytes than the fewest for that maximum; if much more of the load is spread, twice
    that part more.
    """
    made, other = after(begin, anew), after(begin, changes)
    wider = made.apart() - other.apart()
    if not anew or made.top - other.top > EQUAL * begin.mean or wider < WORTH:
        return False
    search = Annealing(begin, most)
    search.begin_with(dict(move for change in anew for move in change), made.top)
    worth = 2 * wider if wider >= MUCH else MORE_BYTES
    return sum(map(made.copied, search.items)) <= (1 + worth) * search.fewest_bytes(made.top)


# every tablespace on many units


def _widened(state: PlannerState, most: int) -> list[Change]:
    """Spread tablespaces without raising the maximum; return the changes made."""
    made: list[Change] = []
    while most > 0:
        worst = sorted(range(len(state.members)), key=lambda space: (-state.loss(space), space))[:CROWDED]
        ceiling = state.top * (1 + SAME)
        change = _best_of(state, _wider(state, worst), ceiling)
        if not change:
            change = _best_of(state, _wider_by_exchange(state, worst), ceiling)
        before = state.apart()
        if not change:
            break
        for move in change:
            state.move(*move)
        if state.apart() < before + GAIN:
            break
        made.append(change)
        most -= 1
    return made


def _best_of(state: PlannerState, changes: Iterable[Change], ceiling: float) -> Change:
    """Return the change that spreads tablespaces most with no level above the ceiling; empty without one."""
    choice: tuple[float, int, Change] | None = None
    for change in changes:
        if any(state.hindrance(*move) for move in change) or state.top_after(change)[0] > ceiling:
            continue
        spaces = {state.space[number] for number, _ in change}
        before = sum(map(state.loss, spaces))
        back = [(number, state.move(number, unit)) for number, unit in change]
        key = sum(map(state.loss, spaces)) - before, sum(state.size[number] for number, _ in change), change
        for move in back:
            state.move(*move)
        # a difference of rounding is no gain: two placements could take turns without end
        if key[0] < -SAME * before and (choice is None or key < choice):
            choice = key
    return choice[2] if choice else ()


def _crowded(state: PlannerState, space: int) -> Iterator[tuple[int, list[int]]]:
    """Yield items of a tablespace that were not moved, of equal ones one, and the units with less of it."""
    on, seen = state.on[space], set()
    thin = sorted(range(len(state.units)), key=lambda unit: (on[unit], state.levels[unit], unit))
    for number in state.members[space]:
        home = state.where[number]
        alike = (
            state.first[number],
            state.size[number],
            state.items[number].is_log,
            state.items[number].mirror,
        )
        if state.fixed[number] or home != state.home[number] or alike in seen:
            continue
        seen.add(alike)
        yield number, [unit for unit in thin if on[unit] < on[home]]


def _wider(state: PlannerState, spaces: Iterable[int]) -> Iterator[Change]:
    for space in spaces:
        for number, units in _crowded(state, space):
            yield from (((number, unit),) for unit in units)


def _wider_by_exchange(state: PlannerState, spaces: Iterable[int]) -> Iterator[Change]:
    """Yield exchanges of an item of a tablespace for one of another with about the same load."""
    at: dict[int, list[tuple[float, int]]] = {}
    for number, unit in enumerate(state.where):
        if not state.fixed[number] and unit == state.home[number]:
            at.setdefault(unit, []).append((state.amount[number], number))
    for items in at.values():
        items.sort()
    for space in spaces:
        for number, units in _crowded(state, space):
            for unit in units[:COLDEST]:
                items = at.get(unit, [])
                place = bisect_left(items, (state.amount[number], 0))
                for _, other in items[max(0, place - NEAREST // 2) : place + NEAREST // 2]:
                    if state.space[other] != space:
                        yield ((number, unit), (other, state.where[number]))


def _held(begin: PlannerState, steps: Iterable[PlanStep]) -> tuple[tuple[Hindrance, int], ...]:
    """Return the reasons why items on the fullest unit stay there, with their numbers."""
    state, numbers = begin.copy(), {id(item): number for number, item in enumerate(begin.items)}
    for move in (move for step in steps for move in step.moves):
        state.move(numbers[id(move.item)], state.number[move.target.key])
    levels = state.levels[: len(state.units)]
    hot = levels.index(max(levels))
    cold = min(
        range(len(levels)), key=lambda unit: (unit == hot, not state.units[unit].open, levels[unit], unit)
    )
    staying = Counter(
        hindrance
        for number, unit in enumerate(state.where)
        if unit == hot and state.home[number] == hot and (hindrance := state.hindrance(number, cold))
    )
    del staying[Hindrance.UNLOADED]
    return tuple(sorted(staying.items(), key=lambda pair: (-pair[1], pair[0].words)))
