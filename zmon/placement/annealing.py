"""The search for a placement whose fullest resource is least full, with few moves and few bytes to copy.

Simulated annealing with a fixed number of proposals and fixed random numbers: the same question has the same
answer, on a fast and on a slow machine.  A proposal puts an item on another unit or back, lets two items
change places, or sends one back and moves another in its stead.  Only the part of a level that is above a
wanted one costs.  Then the level is kept, and the fewest bytes to copy for it are looked for (`Cheapest`):
among all placements where they are few enough, else, after annealing with a price of bytes, near the best one
that is known.
"""

from __future__ import annotations

from math import exp, inf
from operator import getitem, itemgetter
from random import Random
from typing import TYPE_CHECKING, Final

from zmon.placement.cheapest import Cheapest, PlacementChoice

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from zmon.placement.planner_state import Parts, PlannerState

    Changes = tuple[tuple[int, int, int], ...]
    """Places of items, with their present and their new units."""


SAME: Final = 1e-9
"""The relative difference below which levels are equal: sums of floats are not exact."""
SEED: Final = 1
LARGEST: Final = 8
"""Candidates on each unit, if items are many: so many of the largest, and as many of all others."""
FEW: Final = 160
"""So many items are all candidates."""
WARM: Final = 0.05
COLD: Final = 0.0003
COOL: Final = 0.001
"""The first and the last temperature, as parts of the mean level; the last where bytes count, too."""
STEPS: Final = 64
"""Proposals at each temperature."""
ROUNDS: Final = 9
"""Levels that are tried between the bound and the best placement known, each between two others."""
FINE: Final = 0.0005
"""Levels that differ by less are not told from each other."""
LEVELLED: Final = 1 + 2 * FINE
"""How many times the lowest level that was found may be reached where fewer bytes are copied for it."""
LEVEL: Final = 12
BYTES: Final = 40
"""Proposals for each level, and for each price, for each pair of an item and another item or a unit."""
MANY: Final = 20_000
LEAST: Final = 2_000
"""Not more and not less proposals than these, however many items there are."""
PRICES: Final = ((0.3, True), (0.2, True), (0.1, False), (0.05, True))
"""Prices of bytes that are tried one after the other, and whether each begins with all items at home."""
NODES: Final = 200_000
"""Steps of the search for the fewest bytes among all placements, and of that near the best known ..."""
TIMES: Final = 5
"""... or near others, so often, ..."""
TRIES: Final = 3
"""... each of which annealing finds in one of so many tries ..."""
LOWER: Final = 5
"""... and of so many, together, for a lower level."""
WIDE: Final = 2000
"""With more choices than these a lower level is not looked for so; only the best known is improved."""
SINGLE: Final = 0.5
"""The part of the proposals that are about one item."""
BACK: Final = 0.3
"""The part of these that send back an item that was moved."""
EXCHANGED: Final = 0.8
"""From `SINGLE` up to here two items change places; beyond, one goes back and another takes its place."""


def candidates(state: PlannerState) -> list[int]:
    """Return the items that may be moved; of very many on a unit the largest, and some of each size."""
    movable = [number for number, fixed in enumerate(state.fixed) if not fixed]
    if len(movable) <= FEW:
        return movable
    on: dict[int, list[int]] = {}
    for number in sorted(movable, key=lambda number: (-state.amount[number], number)):
        on.setdefault(state.home[number], []).append(number)
    chosen: set[int] = set()
    for numbers in on.values():
        rest = numbers[LARGEST:]
        chosen.update(numbers[:LARGEST])
        chosen.update(rest[len(rest) * place // LARGEST] for place in range(LARGEST if rest else 0))
    return sorted(chosen)


class Annealing:
    """The items that may be moved, and the best placement of them that was found."""

    def __init__(
        self,
        state: PlannerState,
        most: int,
        barred: Collection[tuple[int, int]] = (),
        *,
        leaving: bool = True,
    ) -> None:
        """Begin with all items at home; at most `most` of them may be moved, and none as is barred.

        If `leaving` is false, what items leave behind is no room for others: then any order will do.
        """
        self.most = most
        self.random = Random(SEED).random  # noqa: S311 - a search, no secret
        self.items = candidates(state)
        self._mean, self.bare = state.mean, state.levels
        self.home = [state.home[number] for number in self.items]
        self.targets = [
            [
                unit
                for unit in range(len(state.units))
                if unit != home
                and state.units[unit].open
                and (number, unit) not in barred
                and not state.clash(number, unit)
            ]
            for number, home in zip(self.items, self.home, strict=True)
        ]
        self.parts: list[dict[int, Parts]] = []
        self.copied: list[dict[int, int]] = []
        for number, home, units in zip(self.items, self.home, self.targets, strict=True):
            there = state.items[number].bytes_on
            self.parts.append({unit: state.parts(number, unit) for unit in (home, *units)})
            self.copied.append(
                {unit: state.size[number] - there.get(state.units[unit].key, 0) for unit in units} | {home: 0}
            )
        self.movable = [place for place, units in enumerate(self.targets) if units]
        self.sizes = [state.size[number] for number in self.items]
        self.frees = [leaving and len(state.first[number]) == 1 for number in self.items]
        self.free = state.free
        self.brings = _brings(state, self.items)
        self.held = {
            (unit, (item.database, item.is_log))
            for item, vector in zip(state.items, state.first, strict=True)
            for unit, _ in vector
        }
        """The units on which a database has logs, and those on which it has data, before any move."""
        self.has_rules = any(self.brings) or min(state.free, default=inf) < inf
        self.where = self.home.copy()
        self.top, self.bytes = state.top, 0

    def begin_with(self, unit_of: Mapping[int, int], top: float) -> None:
        """Take a placement that reaches a lower level, by the new units of items that are moved."""
        where = [unit_of.get(number, home) for number, home in zip(self.items, self.home, strict=True)]
        allowed = all(unit in units for unit, units in zip(where, self.copied, strict=True))
        if top < self.top and len(unit_of) <= self.most and unit_of.keys() <= set(self.items) and allowed:
            self.where, self.top, self.bytes = where, top, sum(map(getitem, self.copied, where))

    def search(self, bound: float) -> None:
        """Find the lowest level that can be reached, and the fewest bytes to copy for it."""
        pairs = len(self.items) * (len(self.items) + len(self.bare))
        level, low, wanted = max(LEAST, min(LEVEL * pairs, MANY)), bound, bound
        for _ in range(ROUNDS):
            if self.top <= low * (1 + FINE):
                break
            if not any(self.lower(wanted, level, 0.0, stop=True, anew=anew) for anew in (False, True)):
                low = wanted
            wanted = (low + self.top) / 2
        low = bound  # what annealing missed may be possible
        for _ in range(0 if self._is_wide else LOWER):
            if self.top <= low * (1 + FINE):
                break
            wanted = (low + self.top) / 2
            if not self._lowered_together(wanted):
                low = wanted
        self.fewest_bytes(max(self.top, bound) * LEVELLED)

    def fewest_bytes(self, level: float) -> int:
        """Search for the fewest bytes to copy with no resource above a level that is known to be reached."""
        cheapest = self._together(level * (1 + SAME), NODES)
        self._take(cheapest.search(self.bytes if self.top <= level * (1 + SAME) else self._everything()))
        if cheapest.left >= 0:
            return self.bytes
        pairs = len(self.items) * (len(self.items) + len(self.bare))
        proposals = max(LEAST, min(BYTES * pairs, MANY))
        for price, anew in PRICES:
            self.lower(level, proposals, price, stop=False, anew=anew)
        tried = self._everything()
        for time in range(1 if self._is_wide else TIMES):
            best = self.where, self.top, self.bytes
            if time:  # begin elsewhere: the search ends where no few items can be placed better
                self.bytes = self._everything()
                any(self.lower(level, proposals, 0.0, stop=True, anew=True) for _ in range(TRIES))
            cheapest.left = NODES
            where = [self.where[place] for place in self.movable]
            self._take(cheapest.around(where, self.bytes, self.random))
            best = min(best, (self.where, self.top, self.bytes), key=itemgetter(2))
            self.where, self.top, self.bytes = best
            if self.bytes < tried and not self._is_wide:  # with fewer bytes known more is ruled out
                every, tried = self._together(level * (1 + SAME), NODES), self.bytes
                self._take(every.search(self.bytes))
                if every.left >= 0:
                    break
        return self.bytes

    @property
    def _is_wide(self) -> bool:
        """Whether there are many choices."""
        return sum(map(len, self.targets)) > WIDE

    def _lowered_together(self, wanted: float) -> bool:
        """Look for any placement with no level above a wanted one; return whether there is one."""
        return self._take(self._together(wanted, NODES // LOWER).search(self._everything(), first=True))

    def _everything(self) -> int:
        """Return more bytes than any placement copies."""
        return sum(max(sizes.values()) for sizes in self.copied) + 1

    def _take(self, units: Sequence[int]) -> bool:
        """Place the items that may be moved, if units are given."""
        if units:
            for place, unit in zip(self.movable, units, strict=True):
                self.where[place] = unit
            walk = _Walk(self, self.where, inf)
            self.top, self.bytes = max(walk.levels), walk.size
        return bool(units)

    def _together(self, limit: float, nodes: int) -> Cheapest:
        """Return the items that may be moved with their choices, for placements that keep a level."""
        room = [limit - level for level in self.bare]
        finite = [unit for unit, free in enumerate(self.free) if free < inf]
        rows = dict(zip(finite, range(len(room), len(room) + len(finite)), strict=True))
        """The row of the free bytes of a unit; the last row is the number of moves."""
        room += [max(0.0, self.free[unit]) for unit in finite]
        last = len(room)
        room.append(self.most)
        choices = []
        for place in self.movable:
            home, ones = self.home[place], []
            for unit in (home, *self.targets[place]):
                uses = list(self.parts[place][unit])
                stays = unit == home
                if unit in rows and (not stays or self.frees[place]):
                    uses.append((rows[unit], self.sizes[place]))
                for row, use in uses if stays else ():
                    room[row] += use
                brings = bars = None
                if not stays:
                    uses.append((last, 1.0))
                    if self.brings[place]:
                        brings, other = ((unit, token) for token in self.brings[place][:2])
                        bars = None if brings in self.held else other
                ones.append(PlacementChoice(unit, self.copied[place][unit], tuple(uses), brings, bars))
            choices.append(ones)
        where = self.home.copy()

        def allowed(units: Sequence[int]) -> bool:
            for place, unit in zip(self.movable, units, strict=True):
                where[place] = unit
            return not self.has_rules or _Rules(self, where).hold()

        return Cheapest(choices, room, allowed, nodes)

    def moves(self) -> list[tuple[int, int]]:
        """Return the items that are moved, with their new units."""
        return [
            (n, unit) for n, unit, home in zip(self.items, self.where, self.home, strict=True) if unit != home
        ]

    def lower(self, wanted: float, proposals: int, price: float, *, stop: bool, anew: bool = False) -> bool:
        """Search for a placement with no resource above a level; return whether one is known.

        Args:
            wanted: the level.
            proposals: their number.
            price: of the bytes that an even spread has on a unit, as a multiple of the mean level.
            stop: at the first placement; else that with the fewest bytes to copy is kept.
            anew: begin with all items at home, not with the best placement known.
        """
        if not self.movable:
            return False
        limit = wanted * (1 + SAME)
        walk = _Walk(self, self.home if anew else self.where, limit)
        best = self.bytes if self.top <= limit * (1 + SAME) else inf
        random, dear, cost = self.random, price / (sum(self.sizes) / len(self.bare) or 1), 1 / self._mean
        cooling = ((COLD if stop else COOL) / WARM) ** (STEPS / proposals)
        heat = WARM / cooling
        for proposal in range(proposals):
            if proposal % STEPS == 0:
                heat *= cooling
            changes = walk.proposal()
            if not changes:
                continue
            added, higher, larger = walk.effect(changes)
            worse = higher * cost + larger * dear
            if (worse > 0 and random() >= exp(-worse / heat)) or not walk.make(
                changes, added, higher, larger
            ):
                continue
            if walk.over <= limit * SAME and walk.size < best and max(walk.levels) <= limit * (1 + SAME):
                best, self.where = walk.size, walk.where.copy()
                self.top, self.bytes = max(walk.levels), walk.size
                if stop:
                    return True
        return best < inf


class _Walk:
    """A placement that changes step by step."""

    def __init__(self, search: Annealing, where: Sequence[int], limit: float) -> None:
        """Begin with a placement; what is above a limit costs."""
        self._search, self._limit = search, limit
        self.where, self.levels = list(where), search.bare.copy()
        self.size = self._moved = 0
        self._rules = _Rules(search, where) if search.has_rules else None
        for place, (home, unit) in enumerate(zip(search.home, where, strict=True)):
            if unit != home:
                self._moved += 1
                self.size += search.copied[place][unit]
                for resource, time in search.parts[place][home]:
                    self.levels[resource] -= time
                for resource, time in search.parts[place][unit]:
                    self.levels[resource] += time
        self.over = sum(level - limit for level in self.levels if level > limit)

    def proposal(self) -> Changes:
        """Return one or two items with their present and their new units; empty if that is not allowed."""
        search, where = self._search, self.where
        random, home, parts, movable = search.random, search.home, search.parts, search.movable
        kind, item = random(), movable[int(random() * len(movable))]
        old = where[item]
        if kind < SINGLE:
            units = search.targets[item]
            back = old != home[item] and random() < BACK
            new = home[item] if back else units[int(random() * len(units))]
            fits = self._moved < search.most or old != home[item]
            return ((item, old, new),) if new != old and fits else ()
        two = movable[int(random() * len(movable))]
        there = where[two]
        new = there if kind < EXCHANGED else home[item]
        if old in {there, new} or old not in parts[two] or new not in parts[item]:
            return ()
        more = (new != home[item]) - (old != home[item]) + (old != home[two]) - (there != home[two])
        return ((item, old, new), (two, there, old)) if self._moved + more <= search.most else ()

    def effect(self, changes: Changes) -> tuple[dict[int, float], float, int]:
        """Return what changes add to levels, to what is above the limit, and to the bytes to copy."""
        parts, copied, levels, limit = self._search.parts, self._search.copied, self.levels, self._limit
        added: dict[int, float] = {}
        larger, higher = 0, 0.0
        for place, before, unit in changes:
            for resource, time in parts[place][before]:
                added[resource] = added.get(resource, 0.0) - time
            for resource, time in parts[place][unit]:
                added[resource] = added.get(resource, 0.0) + time
            larger += copied[place][unit] - copied[place][before]
        for resource, time in added.items():
            level = levels[resource] - limit
            higher += max(level + time, 0.0) - max(level, 0.0)
        return added, higher, larger

    def make(self, changes: Changes, added: Mapping[int, float], higher: float, larger: int) -> bool:
        """Make changes with their effect, if the rules allow them."""
        if self._rules is not None and not self._rules.accept(changes):
            return False
        for resource, time in added.items():
            self.levels[resource] += time
        for place, before, unit in changes:
            self.where[place] = unit
            self._moved += (unit != self._search.home[place]) - (before != self._search.home[place])
        self.size += larger
        self.over += higher
        return True


class _Rules:
    """What came to each unit, for rules that hold between items that are moved, and the room that is left."""

    def __init__(self, search: Annealing, where: Sequence[int]) -> None:
        self._search, self._where = search, where
        self._came: dict[tuple[int, object], int] = {}
        self._free = search.free.copy()
        for place, (home, unit) in enumerate(zip(search.home, where, strict=True)):
            if unit != home:
                self._put(place, home, unit)

    def hold(self) -> bool:
        """Return whether each unit has room for what came, and the rules allow it there."""
        search = self._search
        return all(left >= min(0, free) for left, free in zip(self._free, search.free, strict=True)) and all(
            unit == home or self._fits(place, unit)
            for place, (home, unit) in enumerate(zip(search.home, self._where, strict=True))
        )

    def accept(self, changes: Changes) -> bool:
        """Make changes if the rules allow them."""
        for place, before, unit in changes:
            self._put(place, before, unit)
        home = self._search.home
        good = all(
            unit == home[place] or (self._free[unit] >= 0 and self._fits(place, unit))
            for place, _, unit in changes
        ) and all(self._free[unit] >= min(0, self._search.free[unit]) for _, _, unit in changes)
        if not good:
            for place, before, unit in reversed(changes):
                self._put(place, unit, before)
        return good

    def _fits(self, place: int, unit: int) -> bool:
        brings = self._search.brings[place]
        if not brings or (self._came.get((unit, brings[1])) and (unit, brings[0]) not in self._search.held):
            return not brings
        return self._came.get((unit, brings[2]), 0) <= 1

    def _put(self, place: int, before: int, unit: int) -> None:
        search = self._search
        home, brings = search.home[place], search.brings[place]
        for where, sign in ((before, -1), (unit, 1)):
            if where != home:
                for token in (brings[0], brings[2]) if brings else ():
                    self._came[where, token] = self._came.get((where, token), 0) + sign
            if where != home or search.frees[place]:
                self._free[where] -= sign * search.sizes[place]


def _brings(state: PlannerState, numbers: Sequence[int]) -> list[tuple[object, ...]]:
    """Return for each item what it is to others that come, what must not have come, and its set of copies."""
    kinds: dict[str, set[bool]] = {}
    for item in state.items:
        kinds.setdefault(item.database, set()).add(item.is_log)
    moves: list[tuple[object, ...]] = []
    for number in numbers:
        item = state.items[number]
        if len(kinds[item.database]) == 1 and not item.mirror:
            moves.append(())
            continue
        copies = (item.database, "copies", item.mirror or number)
        moves.append(((item.database, item.is_log), (item.database, not item.is_log), copies))
    return moves
