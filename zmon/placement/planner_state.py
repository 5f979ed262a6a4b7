"""The state while moves are tried: the units of items, the loads of units, and the hindrances of moves.

Items and units are numbers here, in an order that does not depend on the order in which they were given, so
that results are reproducible.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from copy import copy
from math import inf
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent
from zmon.placement.items import weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.placement.items import FileItem, Unit

    Vector = tuple[tuple[int, float], ...]
    """Units with the load that one item has on each."""


MAINLY: Final = 0.5
"""An item with at most this share of its load on any unit is spread by itself."""

MOVED: Final = "it was moved already"
NOTHING: Final = "it has no load"

DATA: Final = 0
LOG: Final = 1


class PlannerState:
    """The units of items; loads are traffic if requested, else bytes."""

    def __init__(self, items: Iterable[FileItem], units: Sequence[Unit], *, traffic: bool) -> None:
        """Put the items on their units.

        Raises:
            ValueError: an item lies on a unit that is not among them, or two units have the same key.
        """
        self.items = sorted(items, key=lambda item: (*item.space, item.name, item.role))
        self.units = list(units)
        self.size = [item.size for item in self.items]
        self.number = {unit.key: number for number, unit in enumerate(self.units)}
        if len(self.number) < len(self.units):
            raise ValueError("two units have the same key")
        count = len(self.units)
        self.bear = weights(self.units)
        self.even = len(set(self.bear)) <= 1
        self.loads = [0.0] * count
        self.at: list[list[int]] = [[] for _ in range(count)]
        """For each unit the items that are mainly on it, ascending."""
        self.vectors: list[Vector] = [()] * len(self.items)
        self.home = [-1] * len(self.items)
        self.together: dict[tuple[int, str], list[int]] = {}
        self.mirrors: dict[tuple[int, str, str], int] = {}
        self.free = [0.0] * count
        self._spaces(traffic=traffic)
        for number, (item, vector) in enumerate(zip(self.items, self.first, strict=True)):
            self._place(number, vector or self._by_bytes(item))
        # items that are there already need no free space
        self.free = [unit.free if isinstance(unit.free, int | float) else inf for unit in self.units]
        self.fixed = [self._fixed(number) for number in range(len(self.items))]
        self.classes = self._alike()

    def copy(self) -> PlannerState:
        """Return a copy that can be changed independently."""
        other = copy(self)
        for name in ("loads", "vectors", "home", "free", "fixed", "classes", "squares"):
            setattr(other, name, getattr(self, name).copy())
        other.at = [numbers.copy() for numbers in self.at]
        other.on = [loads.copy() for loads in self.on]
        other.together = {key: counts.copy() for key, counts in self.together.items()}
        other.mirrors = self.mirrors.copy()
        return other

    def _by_bytes(self, item: FileItem) -> Vector:
        """Return the units of an item without a load, by its bytes: its load there is zero."""
        return tuple((self.number[key], 0.0) for key, size in _falling(item.bytes_on) if size)

    def _spaces(self, *, traffic: bool) -> None:
        names: dict[tuple[str, str], int] = {}
        self.space = [names.setdefault(item.space, len(names)) for item in self.items]
        self.members: list[list[int]] = [[] for _ in names]
        for number, space in enumerate(self.space):
            self.members[space].append(number)
        self.on = [[0.0] * len(self.units) for _ in names]
        """For each tablespace its load on each unit."""
        self.squares = [0.0] * len(names)
        self.first = [self._vector(item, traffic=traffic) for item in self.items]
        self.amount = [sum(load for _, load in vector) for vector in self.first]
        self.whole = [sum(self.amount[number] for number in members) for members in self.members]

    def _vector(self, item: FileItem, *, traffic: bool) -> Vector:
        loads = item.load_on if traffic else item.bytes_on
        if isinstance(loads, Absent):
            return ()
        strange = loads.keys() - self.number.keys()
        if strange:
            raise ValueError(f"{item.name} lies on {min(strange)}, which is not among the units")
        return tuple((self.number[key], float(load)) for key, load in _falling(loads) if load > 0)

    def _fixed(self, number: int) -> str:
        """Return the reason why an item cannot be moved at all."""
        item, vector = self.items[number], self.vectors[number]
        if item.pinned:
            return item.pinned
        if not vector:
            return "it is not known where it lies"
        if not self.amount[number]:
            return NOTHING
        if vector[0][1] <= MAINLY * self.amount[number]:
            return "it is spread by itself"
        return ""

    def _alike(self) -> list[int]:
        """Return the class of each item; items of one class are interchangeable."""
        classes: dict[object, int] = {}
        return [
            classes.setdefault(
                (self.space[n], self.vectors[n], self.size[n], item.is_log, item.mirror, self.fixed[n]),
                len(classes),
            )
            for n, item in enumerate(self.items)
        ]

    # placing

    def _place(self, number: int, vector: Vector) -> None:
        self._count(number, vector, 1)
        self.vectors[number] = vector
        self.home[number] = vector[0][0] if vector else -1
        if vector:
            insort(self.at[self.home[number]], number)

    def lift(self, number: int) -> Vector:
        """Take an item off its units; return them."""
        vector = self.vectors[number]
        self._count(number, vector, -1)
        if vector:
            at = self.at[self.home[number]]
            del at[bisect_left(at, number)]
        self.vectors[number] = ()
        return vector

    def put(self, number: int, vector: Vector) -> Vector:
        """Put an item on other units; return the former ones."""
        before = self.lift(number)
        self._place(number, vector)
        return before

    def move(self, number: int, unit: int) -> Vector:
        """Move an item to one unit for good; return its former units."""
        self.fixed[number] = MOVED
        self.classes[number] = -1 - number
        return self.put(number, ((unit, self.amount[number]),))

    def take_back(self, number: int, vector: Vector) -> None:
        """Put an item back on its former units; it may be moved again."""
        self.fixed[number] = ""
        self.put(number, vector)

    def _count(self, number: int, vector: Vector, sign: int) -> None:
        item, on = self.items[number], self.on[self.space[number]]
        squares = 0.0
        for unit, load in vector:
            change = sign * load
            self.loads[unit] += change
            squares += change * (2 * on[unit] + change)
            on[unit] += change
            counts = self.together.setdefault((unit, item.database), [0, 0])
            counts[LOG if item.is_log else DATA] += sign
            if item.mirror:
                mirror = (unit, item.database, item.mirror)
                self.mirrors[mirror] = self.mirrors.get(mirror, 0) + sign
        self.squares[self.space[number]] += squares
        if len(vector) == 1:
            self.free[vector[0][0]] -= sign * self.size[number]

    # judging

    def level(self, unit: int) -> float:
        """Return the load of a unit divided by its weight."""
        return self.loads[unit] / self.bear[unit]

    def levels(self) -> list[float]:
        """Return the load of each unit divided by its weight."""
        return [load / bear for load, bear in zip(self.loads, self.bear, strict=True)]

    def loss(self, space: int, squares: float | None = None) -> float:
        """Return the load of a tablespace that an even spread would move to other units.

        A scan uses only the units of its own tablespace, even if all tablespaces together are spread evenly.
        """
        whole = self.whole[space]
        squares = self.squares[space] if squares is None else squares
        reach = min(len(self.units), len(self.members[space]))
        if not whole or squares <= 0:
            return 0.0
        return whole * max(0.0, 1.0 - whole * whole / squares / reach)

    def losses(self) -> float:
        """Return the sum of the losses of all tablespaces."""
        return sum(self.loss(space) for space in range(len(self.members)))

    def squares_after(self, number: int, unit: int) -> float:
        """Return the sum of squares of an item's tablespace with the item on a unit."""
        space = self.space[number]
        on, change = self.on[space], 0.0
        there = 0.0
        for where, load in self.vectors[number]:
            if where == unit:
                there = load
            else:
                change += load * (load - 2 * on[where])
        more = self.amount[number] - there
        return self.squares[space] + change + more * (2 * on[unit] + more)

    def after(self, number: int, unit: int, ranked: Sequence[int]) -> tuple[float, float]:
        """Return the highest level with an item on a unit, and the change of the sum of squares.

        `ranked` are the units by falling level.
        """
        changed = {where: self.loads[where] - load for where, load in self.vectors[number]}
        changed[unit] = changed.get(unit, self.loads[unit]) + self.amount[number]
        maximum, squares = 0.0, 0.0
        for where, load in changed.items():
            level = load / self.bear[where]
            maximum = max(maximum, level)
            squares += level * level - self.level(where) ** 2
        for where in ranked:
            if where not in changed:
                maximum = max(maximum, self.level(where))
                break
        return maximum, squares

    # hindrances

    def hindrance(self, number: int, unit: int) -> str:
        """Return the reason why an item may not go to a unit; empty if it may."""
        item = self.items[number]
        if self.fixed[number]:
            return self.fixed[number]
        if not self.units[unit].open:
            return "nothing may be put there"
        if self.size[number] > self.free[unit]:
            return "there is not room enough"
        if item.mirror and self.mirrors.get((unit, item.database, item.mirror)):
            return "another copy of the log is there"
        counts = self.together.get((unit, item.database))
        if counts is not None:
            mine, other = (LOG, DATA) if item.is_log else (DATA, LOG)
            if counts[other] and not counts[mine]:
                return "logs and data of the database would come together"
        return ""


def _falling(loads: Mapping[str, int] | Mapping[str, float]) -> list[tuple[str, float]]:
    """Return units and loads, the largest load first."""
    return sorted(loads.items(), key=lambda pair: (-pair[1], pair[0]))
