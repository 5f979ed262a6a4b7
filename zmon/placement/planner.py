"""Which files to move, in order of benefit, so that no unit is overloaded and each tablespace is on many.

There are two goals, the first before the second: a low maximum of the load per unit, and every tablespace on
many units.  Moves and exchanges are tried from the unit with most load until the maximum is close enough to
the mean; then tablespaces are spread as far as the maximum does not rise.  No item is moved twice.  Placing
everything anew (largest first, each to the unit with least) is tried as well; if it takes no more moves than
the maximum, the better of both is suggested.  Moves that gain nothing are left out, and a lower bound for
any placement is reported.  The result does not depend on the order in which items are given.

zmon suggests, and never moves anything.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from math import inf
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.placement.planner_state import MOVED, NOTHING, PlannerState
from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Number
    from zmon.placement.items import FileItem, Unit
    from zmon.placement.planner_state import Vector

    Change = tuple[tuple[int, int], ...]
    """Items with their new units: one item, or two that change places."""


NO_LOAD = absent("no load")

SAME: Final = 1e-9
"""The relative difference below which levels are equal: sums of floats are not exact."""
COLDEST: Final = 8
"""Number of units, those with least load, with which an exchange is tried."""
NEAREST: Final = 4
"""Number of items tried, those whose size fits an exchange best."""
CROWDED: Final = 16
"""Number of tablespaces, those that lose most, for which an exchange is tried."""

ENOUGH: Final = 1.1
"""The maximum, as a multiple of the mean, that is even enough."""
GAIN: Final = 0.005
"""Smaller changes of Max/mean and Spr do not count: both are printed with two digits."""
WORTH: Final = 0.05
"""The relative increase of throughput, or Spr, that is required to suggest moves."""
ORDERED: Final = 100
"""A plan of more moves is ordered by their loads."""


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
    """A move, or an exchange of two items, with the state after it."""

    moves: tuple[Move, ...]
    worst: Unit
    """The unit with most load after it."""
    uneven: float
    """Its load as a multiple of the mean."""
    ratio: Number
    """The maximum throughput after it, as a multiple of the present one, if the units limit it."""
    full: str
    """The bottleneck after it: the title of a unit, or channels."""
    apart: float
    """The share of the load that is spread as far as its files allow, from 0 to 1."""
    copied: int
    """Bytes to copy up to here."""
    after: Mapping[str, float]
    """The load of each unit after it, by its key."""

    @property
    def is_swap(self) -> bool:
        """Whether two files change places."""
        return len(self.moves) > 1


class FreshPlacement(NamedTuple):
    """The result of placing all movable items anew, largest first."""

    uneven: float
    moves: int
    copied: int
    apart: float


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
    held: tuple[tuple[str, int], ...]
    """The reasons why items on the unit with most load stay there, with their numbers."""


def plan_moves(
    items: Iterable[FileItem],
    units: Sequence[Unit],
    *,
    most: int = 20,
    enough: float = ENOUGH,
    traffic: bool = False,
) -> MovePlan:
    """Return up to `most` moves in order of benefit; an exchange counts as two moves.

    Raises:
        ValueError: an item lies on a unit that is not among them, or two units have the same key.
    """
    begin = PlannerState(items, units, traffic=traffic)
    total, loads = sum(begin.loads), _keyed(begin, begin.loads)
    if not total:
        return MovePlan((), loads, loads, NO_LOAD, NO_LOAD, NO_LOAD, NO_LOAD, None, ())
    mean, bound = total / sum(begin.bear), lowest(begin)
    uneven, apart = max(begin.levels()) / mean, _apart(begin)
    state = begin.copy()
    changes = _evened(state, max(bound, enough * mean), most)
    changes += _widened(state, most - sum(map(len, changes)))
    steps = _useful(uneven, apart, _steps(begin.copy(), changes))
    anew, whole = _placed_anew(begin, uneven, apart)
    level = max(bound / mean, enough)
    part = _useful(uneven, apart, _falling(whole))
    if _count(part) <= most and _is_better(part, steps, level):
        steps = part
    if whole and _count(whole) <= most and _level(steps, uneven, level) >= _level(whole, 0, level) + GAIN:
        steps = whole
    if not steps or (uneven / steps[-1].uneven < 1 + WORTH and steps[-1].apart - apart < WORTH):
        steps = ()
    reached = steps[-1].uneven if steps else uneven
    return MovePlan(
        steps,
        loads,
        steps[-1].after if steps else loads,
        uneven,
        apart,
        bound / mean,
        reached * mean / bound - 1,
        None if steps and steps == whole else anew,
        _held(_placed(begin.copy(), steps)),
    )


def _useful(uneven: float, apart: float, steps: Iterable[PlanStep]) -> tuple[PlanStep, ...]:
    """Return the steps up to the last one that improves a measure."""
    made, useful = list(steps), 0
    for number, step in enumerate(made, 1):
        if step.uneven <= uneven - GAIN or (step.apart >= apart + GAIN and step.uneven < uneven + GAIN):
            useful, uneven, apart = number, step.uneven, step.apart
    return tuple(made[:useful])


def _telling(uneven: float, apart: float, changes: Iterable[Change], steps: Iterable[PlanStep]) -> Change:
    """Return the moves of those changes that improve Max/mean or Spr."""
    kept: list[tuple[int, int]] = []
    for change, step in zip(changes, steps, strict=True):
        if step.uneven <= uneven - GAIN or step.apart >= apart + GAIN:
            kept += change
        uneven, apart = step.uneven, step.apart
    return tuple(kept)


def _placed_anew(
    begin: PlannerState, uneven: float, apart: float
) -> tuple[FreshPlacement | None, tuple[PlanStep, ...]]:
    """Return the result of placing all items anew, with the steps to it if they are few enough.

    None of many small moves is left out: each gains almost nothing, but all together gain a lot.
    """
    moves = _anew(begin.copy())
    if len(moves) > ORDERED:
        result = _together(begin.copy(), moves)
        gains = result.uneven <= uneven - GAIN or result.apart >= apart + GAIN
        return (result if gains else None), ()
    changes = list(_in_order(begin.copy(), moves))
    changes = list(_in_order(begin.copy(), _telling(uneven, apart, changes, _steps(begin.copy(), changes))))
    whole = _useful(uneven, apart, _steps(begin.copy(), changes))
    if not whole:
        return None, ()
    return FreshPlacement(whole[-1].uneven, _count(whole), whole[-1].copied, whole[-1].apart), whole


def _together(state: PlannerState, moves: Change) -> FreshPlacement:
    """Make moves, hindered ones after the others, and return their joint result."""
    left = sorted(moves, key=lambda move: (-state.amount[move[0]], move[0]))
    made = copied = 0
    while True:
        waiting = []
        for number, unit in left:
            if state.hindrance(number, unit):
                waiting.append((number, unit))
            else:
                made += 1
                copied += state.size[number] - state.items[number].bytes_on.get(state.units[unit].key, 0)
                state.move(number, unit)
        if len(waiting) == len(left):
            mean = sum(state.loads) / sum(state.bear)
            return FreshPlacement(max(state.levels()) / mean, made, copied, _apart(state))
        left = waiting


def _count(steps: Iterable[PlanStep]) -> int:
    return sum(len(step.moves) for step in steps)


def _level(steps: Sequence[PlanStep], before: float, enough: float) -> float:
    """Return the maximum after steps, but at least the level that is even enough."""
    return max(steps[-1].uneven if steps else before, enough)


def _falling(steps: Sequence[PlanStep]) -> Iterable[PlanStep]:
    """Yield steps until one of them raises the maximum."""
    lowest_level = inf
    for step in steps:
        if step.uneven > lowest_level * (1 + SAME):
            break
        lowest_level = min(lowest_level, step.uneven)
        yield step


def _placed(state: PlannerState, steps: Iterable[PlanStep]) -> PlannerState:
    """Make steps from a state."""
    numbers = {id(item): number for number, item in enumerate(state.items)}
    for move in (move for step in steps for move in step.moves):
        state.move(numbers[id(move.item)], state.number[move.target.key])
    return state


def _is_better(ones: Sequence[PlanStep], others: Sequence[PlanStep], enough: float) -> bool:
    """Return whether a plan is better: by the maximum, unless both are even enough; then Spr; then bytes."""
    if not ones or not others:
        return bool(ones)
    one, other = ones[-1], others[-1]
    lower = max(other.uneven, enough) - max(one.uneven, enough)
    if abs(lower) >= GAIN:
        return lower > 0
    wider = one.apart - other.apart
    if abs(wider) >= GAIN:
        return wider > 0
    return one.copied < other.copied


def _keyed(state: PlannerState, loads: Sequence[float]) -> dict[str, float]:
    return {unit.key: load for unit, load in zip(state.units, loads, strict=True)}


def _apart(state: PlannerState) -> float:
    """Return the share of the load that is spread as far as its files allow."""
    return 1 - state.losses() / sum(state.loads)


def lowest(state: PlannerState) -> float:
    """Return a lower bound of the maximum for any placement of the movable items.

    It is the largest of: the level of an even spread; the fixed load of a unit; the largest item; and,
    because on m units one has k + 1 of the k * m + 1 largest items, the sum of the k + 1 smallest of these.
    Units to which nothing may be moved keep their load, or less.  Of an item on several units the largest
    part counts, because the item may stay there.
    """
    movable = sorted(
        (
            (vector[0][1], vector[0][0])
            for vector, fixed in zip(state.vectors, state.fixed, strict=True)
            if not fixed
        ),
        reverse=True,
    )
    able = {number for number, unit in enumerate(state.units) if unit.open} | {home for _, home in movable}
    resting = [0.0] * len(state.units)
    for number, fixed in enumerate(state.fixed):
        if fixed:
            for unit, load in state.vectors[number]:
                resting[unit] += load
    bounds = [_even_level(state), *(load / bear for load, bear in zip(resting, state.bear, strict=True))]
    bounds += [load / max(state.bear[unit] for unit in able) for load, _ in movable[:1]]
    if state.even and movable:
        count = len(able)
        bounds += [
            sum(load for load, _ in movable[k * count - k : k * count + 1])
            for k in range(1, (len(movable) - 1) // count + 1)
        ]
    return max(bounds)


def _even_level(state: PlannerState) -> float:
    """Return the level of an even spread in which closed units have at most their present load."""
    sharing = set(range(len(state.units)))
    while True:
        level = sum(state.loads[unit] for unit in sharing) / (sum(state.bear[unit] for unit in sharing) or 1)
        below = {unit for unit in sharing if not state.units[unit].open and state.level(unit) < level}
        if not below:
            return level
        sharing -= below


# a low maximum


def _evened(state: PlannerState, wanted: float, most: int) -> list[Change]:
    """Lower the maximum as far as wanted and possible; return the changes made."""
    made: list[tuple[Change, list[Vector]]] = []
    useful, count, lowest_yet = 0, 0, max(state.levels())
    while max(state.levels()) > wanted * (1 + SAME):
        change = _relief(state, most - count)
        if not change:
            break
        made.append((change, _make(state, change)))
        count += len(change)
        if max(state.levels()) < lowest_yet * (1 - SAME):
            lowest_yet, useful = max(state.levels()), len(made)
    # if several units have the maximum, relieving only one of them is useless
    while len(made) > useful:
        _take_back(state, *made.pop())
    return [change for change, _ in made]


def _take_back(state: PlannerState, change: Change, places: Sequence[Vector]) -> None:
    """Put items back to their places before a change."""
    for (number, _), vector in zip(reversed(change), reversed(places), strict=True):
        state.take_back(number, vector)


def _make(state: PlannerState, change: Change) -> list[Vector]:
    """Make a change; return the former places of the items."""
    return [state.move(number, unit) for number, unit in change]


def _relief(state: PlannerState, most: int) -> Change:
    """Return the move, else the exchange, that best relieves a unit with most load; empty if none does."""
    levels, ranked = state.levels(), _ranked(state)
    top = max(levels) * (1 - SAME)
    for hot in (unit for unit in ranked if levels[unit] >= top):
        change = (_best_move(state, hot, ranked) if most >= 1 else ()) or (
            _best_exchange(state, hot, ranked) if most >= 2 else ()
        )
        if change:
            return change
    return ()


def _best_move(state: PlannerState, hot: int, ranked: Sequence[int]) -> Change:
    top = state.level(hot)
    choice: tuple[float, float, float, int, int, int] | None = None
    best = top * (1 + SAME)
    seen: set[int] = set()
    cold = [unit for unit in reversed(ranked) if unit != hot and state.units[unit].open]
    for number in state.at[hot]:
        kind = state.classes[number]
        if state.fixed[number] or kind in seen:
            continue
        seen.add(kind)
        vector = state.vectors[number]
        if (state.loads[hot] - vector[0][1]) / state.bear[hot] > best:
            continue
        alike = state.even and len(vector) == 1
        least = inf
        for unit in cold:
            # a unit of the same capacity with more load is no better
            if alike and state.loads[unit] > least:
                break
            if (state.loads[unit] + state.amount[number]) / state.bear[unit] > best and len(vector) == 1:
                continue
            if state.hindrance(number, unit):
                continue
            least = state.loads[unit]
            level, squares = state.after(number, unit, ranked)
            if level > best or squares >= -SAME * top * top:
                continue
            space = state.space[number]
            loss = state.loss(space, state.squares_after(number, unit)) - state.loss(space)
            key = (level, squares, loss, state.size[number], number, unit)
            if choice is None or key < choice:
                choice, best = key, level
    return () if choice is None else ((choice[4], choice[5]),)


def _best_exchange(state: PlannerState, hot: int, ranked: Sequence[int]) -> Change:
    """Return the exchange of an item for a smaller one that lowers the higher of both units most."""
    choice: tuple[float, float, int, Change] | None = None
    mine = _single(state, hot)
    for unit in [unit for unit in reversed(ranked) if unit != hot][:COLDEST]:
        theirs = _single(state, unit)
        sizes = [size for size, _ in theirs]
        # the load to transfer for equal levels
        wanted = (state.loads[hot] * state.bear[unit] - state.loads[unit] * state.bear[hot]) / (
            state.bear[hot] + state.bear[unit]
        )
        last = None
        for size, number in mine:
            if size == last or wanted <= 0:
                continue
            last = size
            for other in _nearest(theirs, sizes, size - wanted):
                over = size - state.amount[other]
                level = max(
                    (state.loads[hot] - over) / state.bear[hot], (state.loads[unit] + over) / state.bear[unit]
                )
                if over <= 0 or level >= state.level(hot) * (1 - SAME):
                    continue
                if state.hindrance(number, unit) or state.hindrance(other, hot):
                    continue
                moved = state.size[number] + state.size[other]
                key = (level, -over, moved, ((number, unit), (other, hot)))
                choice = key if choice is None else min(choice, key)
    return () if choice is None else choice[3]


def _single(state: PlannerState, unit: int) -> list[tuple[float, int]]:
    """Return the movable items that are on this unit only, by their load."""
    return sorted(
        (state.amount[number], number)
        for number in state.at[unit]
        if not state.fixed[number] and len(state.vectors[number]) == 1
    )


def _nearest(items: Sequence[tuple[float, int]], sizes: Sequence[float], size: float) -> list[int]:
    """Return the few items whose load is nearest to a size."""
    at = bisect_left(sizes, size)
    around = items[max(0, at - NEAREST // 2) : at + NEAREST // 2]
    return [number for _, number in around]


# every tablespace on many units


def _widened(state: PlannerState, most: int) -> list[Change]:
    """Spread tablespaces without raising the maximum; return the changes made."""
    made: list[Change] = []
    left = most
    while left > 0:
        ceiling = max(state.levels()) * (1 + SAME)
        worst = sorted(range(len(state.members)), key=lambda space: (-state.loss(space), space))
        change = _wider(state, worst, ceiling)
        if not change and left >= 2:
            change = _wider_by_exchange(state, worst, ceiling)
        if not change:
            break
        before = _apart(state)
        places = _make(state, change)
        if _apart(state) < before + GAIN:
            _take_back(state, change, places)
            break
        made.append(change)
        left -= len(change)
    return made


def _wider(state: PlannerState, worst: Sequence[int], ceiling: float) -> Change:
    """Return the move that spreads a tablespace best."""
    choice: tuple[float, int, int, int] | None = None
    for space in worst:
        loss = state.loss(space)
        least = choice[0] if choice else -SAME * state.whole[space]
        if -loss >= least:
            break  # its gain is at most its loss
        on = state.on[space]
        thin = [unit for unit in range(len(state.units)) if state.units[unit].open]
        thin.sort(key=lambda unit, on=on: (on[unit], state.level(unit), unit))  # type: ignore[misc]  # a key
        seen: set[int] = set()
        for number in state.members[space]:
            if state.fixed[number] or state.classes[number] in seen:
                continue
            seen.add(state.classes[number])
            unit = next((unit for unit in thin if _fits(state, number, unit, ceiling)), None)
            if unit is None:
                continue
            gain = state.loss(space, state.squares_after(number, unit)) - loss
            key = (gain, state.size[number], number, unit)
            if gain < -SAME * state.whole[space] and (choice is None or key < choice):
                choice = key
    return () if choice is None else ((choice[2], choice[3]),)


def _fits(state: PlannerState, number: int, unit: int, ceiling: float) -> bool:
    """Return whether an item may go to a unit with less of its tablespace and not raise the maximum."""
    if unit == state.home[number]:
        return False
    if (state.loads[unit] + state.amount[number]) / state.bear[unit] > ceiling:
        return False
    return not state.hindrance(number, unit)


def _wider_by_exchange(state: PlannerState, worst: Sequence[int], ceiling: float) -> Change:
    """Return the exchange of items of two tablespaces that spreads them best."""
    choice: tuple[float, int, Change] | None = None
    sorted_at = {unit: _single(state, unit) for unit in range(len(state.units))}
    sizes_at = {unit: [size for size, _ in items] for unit, items in sorted_at.items()}
    for space in worst[:CROWDED]:
        on = state.on[space]
        thin = sorted(range(len(state.units)), key=lambda unit, on=on: (on[unit], state.level(unit), unit))  # type: ignore[misc]  # a key
        seen: set[int] = set()
        for number in state.members[space]:
            if state.fixed[number] or len(state.vectors[number]) > 1 or state.classes[number] in seen:
                continue
            seen.add(state.classes[number])
            for unit in thin[:COLDEST]:
                if on[unit] >= on[state.home[number]]:
                    break
                for other in _nearest(sorted_at[unit], sizes_at[unit], state.amount[number]):
                    key = _exchanged(state, number, other, ceiling)
                    if key is not None and (choice is None or key < choice):
                        choice = key
    return () if choice is None else choice[2]


def _exchanged(
    state: PlannerState, number: int, other: int, ceiling: float
) -> tuple[float, int, Change] | None:
    """Return the gain of an exchange of two items, if they may change places."""
    one, two = state.home[number], state.home[other]
    if state.space[number] == state.space[other]:
        return None
    over = state.amount[number] - state.amount[other]
    if (state.loads[one] - over) / state.bear[one] > ceiling:
        return None
    if (state.loads[two] + over) / state.bear[two] > ceiling:
        return None
    if state.hindrance(number, two) or state.hindrance(other, one):
        return None
    gain = sum(
        state.loss(state.space[who], state.squares_after(who, where)) - state.loss(state.space[who])
        for who, where in ((number, two), (other, one))
    )
    if gain >= -SAME * sum(state.whole[state.space[who]] for who in (number, other)):
        return None
    size = state.size[number] + state.size[other]
    return gain, size, ((number, two), (other, one))


# steps and reasons


def _steps(state: PlannerState, changes: Iterable[Change]) -> Iterable[PlanStep]:
    """Make the changes from a state, and yield the step of each."""
    top, mean = max(state.levels()), sum(state.loads) / sum(state.bear)
    copied = 0
    for change in changes:
        moves = []
        for number, unit in change:
            item, source = state.items[number], state.home[number]
            size = state.size[number] - item.bytes_on.get(state.units[unit].key, 0)
            copied += size
            moves.append(Move(item, state.units[source], state.units[unit], size, state.amount[number]))
            state.move(number, unit)
        levels = state.levels()
        worst = levels.index(max(levels))
        yield PlanStep(
            tuple(moves),
            state.units[worst],
            levels[worst] / mean,
            top / levels[worst],
            state.units[worst].title,
            _apart(state),
            copied,
            _keyed(state, state.loads),
        )


def _anew(state: PlannerState) -> Change:
    """Place all movable items anew: the largest first, each on the unit with the least load.

    An item stays if no unit would have less load.  Hindrances are those before any item is lifted, so that
    moving all items at once evades no rule.
    """
    movable = [number for number, fixed in enumerate(state.fixed) if not fixed]
    movable.sort(key=lambda number: (-state.amount[number], number))
    every = range(len(state.units))
    barred = {number: [bool(state.hindrance(number, unit)) for unit in every] for number in movable}
    homes = list(state.home)
    places = [state.lift(number) for number in movable]
    moved = []
    for number, vector in zip(movable, places, strict=True):
        load, home = state.amount[number], homes[number]
        units = sorted(
            every,
            key=lambda unit, load=load, home=home: (  # type: ignore[misc]  # a key
                (state.loads[unit] + load) / state.bear[unit],
                unit != home,
                unit,
            ),
        )
        unit = next(
            unit
            for unit in units
            if unit == home or not (barred[number][unit] or state.hindrance(number, unit))
        )
        if unit == home:
            state.put(number, vector)
        else:
            state.move(number, unit)
            moved.append((number, unit))
    return tuple(moved)


def _in_order(state: PlannerState, moves: Change) -> Iterable[Change]:
    """Yield moves one by one, each time the one that lowers the maximum most, then the sum of squares.

    If each of them would raise the maximum, two in opposite directions are made at once, if possible.  A
    move that waits for free space is left out if the space never becomes free.
    """
    left = sorted(moves, key=lambda move: (-state.amount[move[0]], move[0]))
    while free := [move for move in left if not state.hindrance(*move)]:
        change: Change = (free[0],)
        if len(moves) <= ORDERED:
            ranked = _ranked(state)
            level, _, best = min(_levelled(state, free, ranked))
            change = (best,)
            if level > state.level(ranked[0]) * (1 + SAME):
                change = _opposite(state, free) or change
        for move in change:
            left.remove(move)
            state.move(*move)
        yield change


def _ranked(state: PlannerState) -> list[int]:
    """Return the units by falling level."""
    levels = state.levels()
    return sorted(range(len(levels)), key=lambda unit: (-levels[unit], unit))


def _levelled(
    state: PlannerState, moves: Iterable[tuple[int, int]], ranked: Sequence[int]
) -> Iterable[tuple[float, float, tuple[int, int]]]:
    """Yield for each move the highest level after it, the change of the sum of squares, and the move."""
    for number, unit in moves:
        yield (*state.after(number, unit, ranked), (number, unit))


def _opposite(state: PlannerState, moves: Sequence[tuple[int, int]]) -> Change:
    """Return the two moves in opposite directions that lower the maximum most."""
    pairs: list[tuple[float, float, Change]] = []
    for place, (number, unit) in enumerate(moves):
        home = state.home[number]
        back = [move for move in moves[place + 1 :] if move[1] == home and state.home[move[0]] == unit]
        if back:
            before = state.move(number, unit)
            ranked = _ranked(state)
            pairs += [
                (level, squares, ((number, unit), move))
                for level, squares, move in _levelled(state, back, ranked)
            ]
            state.take_back(number, before)
    return min(pairs)[2] if pairs else ()


def _held(state: PlannerState) -> tuple[tuple[str, int], ...]:
    """Return the reasons why items on the unit with most load stay there, with their numbers."""
    levels = state.levels()
    hot = levels.index(max(levels))
    cold = min(
        range(len(levels)), key=lambda unit: (unit == hot, not state.units[unit].open, levels[unit], unit)
    )
    reasons = Counter(state.hindrance(number, cold) for number in state.at[hot])
    for reason in ("", MOVED, NOTHING):
        del reasons[reason]
    return tuple(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))
