"""The placement with the fewest bytes to copy that stays within the room of every row.

A row is something that placements use up: the time of a resource up to a wanted level, the free bytes of a
unit, the number of moves.  Prices for what is used (Lagrange multipliers, by subgradient steps) give a lower
bound of the bytes, and say what each choice costs at least above it.  A choice that costs too much is ruled
out; the others are tried item by item, the cheapest first, so that what is found early is good.  When all
were tried, nothing copies fewer bytes; where they are too many, a placement that is known is improved by
trying all choices of a few of its items, those on the same units, again and again.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Uses = tuple[tuple[int, float], ...]
    """Numbers of rows, with what is used up of each."""
    Priced = tuple[float, "PlacementChoice"]
    """What a choice costs above the bound, and the choice."""


class PlacementChoice(NamedTuple):
    """A unit where an item may be."""

    unit: int
    bytes: int
    """What is copied to have it there."""
    uses: Uses
    brings: object = None
    """What it brings to where it is; one that bars it is not there then."""
    bars: object = None


ROUNDS: Final = 120
"""Subgradient steps."""
MOST: Final = 200_000
"""Choices that are priced in all of these steps at the most."""
STEP: Final = 1.2
"""The first as a multiple of one to where the bound would be as high as the bytes of the best known."""
INERTIA: Final = 0.5
"""The part of the direction of a step that the next one keeps."""
STEADY_STEPS: Final = 6
"""After so many steps without a higher bound they become half as long."""
PARTS: Final = (0.03, 0.08, 0.16, 0.3, 0.5, 0.75, 1.0)
"""Parts of the difference of the bound and the best known: placements that cost no more are tried first."""
LEAF: Final = 10
"""So many steps count for a placement of which other rules are asked."""
SLACK: Final = 1e-12
"""The part of a row by which it may be exceeded: sums of floats are not exact."""
TOGETHER: Final = (6, 18)
"""Items of a known placement that are placed anew together, at least and at most: few are tried often, and
with many more can change at once ..."""
UNITS: Final = (2, 2, 3, 4)
"""... from so many units, one number as often as the other ..."""
SCATTERED: Final = 64
"""Of more items that could be placed anew half are such as were moved."""
DEEPEST: Final = 200
"""Of more items not all choices are tried."""
ONCE: Final = 4000
"""Steps of a try at the most."""
NEAR: Final = 0.8
"""... in this part of the tries, and from any units in the others."""


class Cheapest:
    """Items that are placed together, with where each may be."""

    def __init__(
        self,
        choices: Sequence[Sequence[PlacementChoice]],
        room: Sequence[float],
        allowed: Callable[[Sequence[int]], bool],
        nodes: int,
    ) -> None:
        """Take the items.

        Args:
            choices: those of each item, the unit where it is before them first.
            room: what all of them together may use up of each row.
            allowed: whether other rules allow a placement, by the units of all items.
            nodes: after so many steps the best that was found is returned.
        """
        self._choices, self._room, self._allowed = choices, room, allowed
        self.left = nodes
        """The steps that are left."""
        self.bound = -inf
        """No placement copies fewer bytes."""
        self._prices = [0.0] * len(room)

    def search(self, below: float, *, first: bool = False) -> list[int]:
        """Return the units of all items, so that fewer bytes than these are copied; empty if that cannot be.

        `first`: any such placement will do.
        """
        self._find_prices(below)
        return self._tried(self._priced(below), below, PARTS, first=first) if self.bound < below else []

    def around(self, units: Sequence[int], below: float, random: Callable[[], float]) -> list[int]:
        """Return a placement near a known one that copies fewer bytes; empty without one.

        The search ends where no few items can be placed better, which need not be the best there is.
        """
        self._find_prices(below)
        around_it: list[int] = []
        at, homes = list(units), [ones[0].unit for ones in self._choices]
        priced = self._priced(below)
        every = [place for place, ones in enumerate(priced) if len(ones) > 1]
        while self.left > 0 and every and self.bound < below:
            self.left -= len(at)
            near, (fewest, most) = every, TOGETHER
            together = fewest + int(random() * (most - fewest + 1))
            if random() < NEAR:
                many = UNITS[int(random() * len(UNITS))]
                there = {at[every[int(random() * len(every))]] for _ in range(many)}
                near = [place for place in every if at[place] in there or homes[place] in there]
            if len(near) > SCATTERED:
                moved = [place for place in near if at[place] != homes[place]]
                near = [
                    ones[int(random() * len(ones))] for ones in (moved, near) if ones for _ in range(together)
                ]
            free = set(near)
            while len(free) > together:
                free.discard(near[int(random() * len(near))])
            some = [
                ones if place in free else [item for item in ones if item[1].unit == unit]
                for place, (ones, unit) in enumerate(zip(priced, at, strict=True))
            ]
            kept, self.left = max(0, self.left - ONCE), min(self.left, ONCE)
            if all(some) and (better := self._tried(some, below, (1.0,))):
                around_it = at = better
                below = self._bytes(at)
                priced = self._priced(below)
            self.left = kept + max(0, self.left)
        return around_it

    def _bytes(self, units: Sequence[int]) -> int:
        return sum(
            next(item.bytes for item in ones if item.unit == unit)
            for ones, unit in zip(self._choices, units, strict=True)
        )

    def _priced(self, below: float) -> list[list[Priced]]:
        """Return the choices of each item that may be part of a better placement, the cheapest first."""
        kept = []
        for ones in self._choices:
            costs = [
                option.bytes + sum(self._prices[row] * use for row, use in option.uses) for option in ones
            ]
            least = min(costs)
            kept.append(
                sorted(
                    (
                        (cost - least, option)
                        for cost, option in zip(costs, ones, strict=True)
                        if self.bound + cost - least < below
                    ),
                    key=lambda priced: (priced[0], priced[1].bytes, priced[1].unit),
                )
            )
        return kept

    def _tried(  # noqa: C901 - its inner function is what takes the time
        self, priced: Sequence[Sequence[Priced]], below: float, parts: Sequence[float], *, first: bool = False
    ) -> list[int]:
        """Return the best placement by some choices of each item; empty if it does not copy fewer bytes."""
        where, order, spent, size, room = self._settled(priced)
        if len(order) > DEEPEST:
            self.left = -1
        if min(room, default=0.0) < 0 or self.left < 0:
            return []
        there = dict.fromkeys(
            (t for ones in priced for _, choice in ones for t in (choice.brings, choice.bars)), 0
        )
        todo = [
            [
                (cost, choice.bytes, choice.unit, choice.uses, choice.brings, choice.bars)
                for cost, choice in priced[place]
            ]
            for place in order
        ]
        best, limit, cheapest = below, below, list[int]()
        for _, option in (ones[0] for ones in priced if len(ones) == 1 and ones[0][1].brings is not None):
            there[option.brings] += 1

        def place_next(at: int, spent: float, size: int) -> None:  # noqa: C901 - likewise
            nonlocal best, limit, cheapest
            if at == len(order):
                self.left -= LEAF
                if size < best and self._allowed(where):
                    best, cheapest = size, where.copy()
                    limit = -inf if first else min(limit, best)
                return
            for cost, copied, unit, uses, brings, bars in todo[at]:
                then = spent + cost
                if then >= limit or self.left < 0:
                    return
                self.left -= 1
                if there[bars]:
                    continue
                for row, use in uses:
                    if room[row] < use:
                        break
                else:
                    for row, use in uses:
                        room[row] -= use
                    where[order[at]] = unit
                    if brings is not None:
                        there[brings] += 1
                    place_next(at + 1, then, size + copied)
                    if brings is not None:
                        there[brings] -= 1
                    for row, use in uses:
                        room[row] += use

        for part in parts:
            limit = most = spent + part * (below - spent)
            limit = min(limit, best)
            place_next(0, spent, size)
            if self.left < 0 or best <= most or (first and cheapest):
                break
        return cheapest

    def _settled(
        self, priced: Sequence[Sequence[Priced]]
    ) -> tuple[list[int], list[int], float, int, list[float]]:
        """Return the units of items with one choice, the others, what the former cost and copy, and the room.

        Of the others that comes first which may use up the largest part of a row.
        """
        where, spent, size = [0] * len(priced), self.bound, 0
        room = [room + SLACK * abs(room) for room in self._room]
        several: list[tuple[float, int]] = []
        for place, ones in enumerate(priced):
            if len(ones) > 1:
                parts = (u / self._room[r] for _, choice in ones for r, u in choice.uses if self._room[r] > 0)
                several.append((-max(parts, default=0.0), place))
                continue
            cost, option = ones[0]
            spent, size, where[place] = spent + cost, size + option.bytes, option.unit
            for row, use in option.uses:
                room[row] -= use
        return where, [place for _, place in sorted(several)], spent, size, room

    def _find_prices(self, below: float) -> None:
        """Find prices that give a high lower bound."""
        scale = [1 / room if room > 0 else 0.0 for room in self._room]
        table = [
            [(option.bytes, [(row, use * scale[row]) for row, use in option.uses]) for option in ones]
            for ones in self._choices
        ]
        prices = [
            price / factor if factor else 0.0 for price, factor in zip(self._prices, scale, strict=True)
        ]
        step, since = STEP, 0
        direction, kept = [0.0] * len(scale), prices
        for _ in range(min(ROUNDS, MOST // sum(map(len, table)) + 1) if table else 0):
            value, used = 0.0, [-1.0 if factor else 0.0 for factor in scale]
            for ones in table:
                least, taken = inf, ones[0][1]
                for size, uses in ones:
                    cost: float = size
                    for row, use in uses:
                        cost += prices[row] * use
                    if cost < least:
                        least, taken = cost, uses
                value += least
                for row, use in taken:
                    used[row] += use
            value -= sum(prices)
            if value > self.bound:
                since = 0 if value > self.bound + 1e-6 * below else since + 1
                self.bound, kept = value, prices
            else:
                since += 1
            if since >= STEADY_STEPS:
                step, since, prices = step / 2, 0, kept
            slope = [use if use > 0 or price > 0 else 0.0 for use, price in zip(used, prices, strict=True)]
            direction = [new + INERTIA * other for new, other in zip(slope, direction, strict=True)]
            norm = sum(part * part for part in direction)
            if self.bound >= below or not norm:
                break
            length = step * max(below - value, 0.01 * below) / norm
            prices = [max(0.0, price + length * part) for price, part in zip(prices, direction, strict=True)]
        self._prices = [price * factor for price, factor in zip(kept, scale, strict=True)]
