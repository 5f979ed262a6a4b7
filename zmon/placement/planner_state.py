"""Which item is on which unit while moves are tried: the load of resources, and what forbids a move.

A resource is what may be busy: a unit (LCU, disk), or channel paths that several units share.  Its level is
the time for which it is busy under the loads of its units, where the unit of time is free: all that counts is
which resource is the fullest.  Items, units and resources are numbers here, in an order that does not depend
on the order in which items were given, so that results are reproducible.
"""

from __future__ import annotations

from copy import copy
from math import inf
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.record import NamedTuple
from zmon.placement.items import Hindrance, weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.placement.items import FileItem, Unit

    Parts = tuple[tuple[int, float], ...]
    """Numbers of units, or of resources, with what one item adds to each."""


MAINLY: Final = 0.5
"""An item with at most this share of its load on any unit is spread by itself."""


DATA: Final = 0
LOG: Final = 1


class SharedResource(NamedTuple):
    """Channel paths, or another resource that several units share."""

    title: str
    seconds: Mapping[str, float]
    """The time for which it is busy with a load of 1, by the key of the unit that has the load."""


class PlannerState:
    """The units of items; loads are traffic if requested, else bytes."""

    def __init__(
        self,
        items: Iterable[FileItem],
        units: Sequence[Unit],
        *,
        traffic: bool,
        shared: Iterable[SharedResource] = (),
    ) -> None:
        """Put the items on their units.

        A unit is busy for its load divided by its weight; shared resources are in the same unit of time.

        Raises:
            ValueError: an item lies on a unit that is not among them, or two units have the same key.
        """
        self.items = sorted(items, key=lambda item: (*item.space, item.name, item.role))
        self.units = list(units)
        self.size = [item.size for item in self.items]
        self.number = {unit.key: number for number, unit in enumerate(self.units)}
        if len(self.number) < len(self.units):
            raise ValueError("two units have the same key")
        self.bear = weights(self.units)
        self.shared = [unit for unit in shared if unit.seconds.keys() & self.number.keys()]
        self.titles = [unit.title for unit in self.units] + [unit.title for unit in self.shared]
        using: list[list[tuple[int, float]]] = [[(n, 1 / bear)] for n, bear in enumerate(self.bear)]
        for number, shared_unit in enumerate(self.shared, len(self.units)):
            for key, seconds in shared_unit.seconds.items():
                if key in self.number:
                    using[self.number[key]].append((number, seconds))
        self.using: list[Parts] = [tuple(parts) for parts in using]
        """For each unit the resources that its load keeps busy, with the time for a load of 1."""
        self.first = [self._vector(item, traffic=traffic) for item in self.items]
        """Where each item is before: units with its load on each, the largest first."""
        self.amount = [sum(load for _, load in vector) for vector in self.first]
        self._spaces()
        self.levels = [0.0] * len(self.titles)
        self.on = [[0.0] * len(self.units) for _ in self.members]
        """For each tablespace its load on each unit."""
        self.home = [vector[0][0] if vector else -1 for vector in self.first]
        self.where = [-1] * len(self.items)
        self.free = [unit.free if isinstance(unit.free, int | float) else inf for unit in self.units]
        self._present: dict[tuple[int, str], list[int]] = {}
        self._copies: dict[tuple[int, str, str], int] = {}
        for number, home in enumerate(self.home):
            if home >= 0:
                self._count(number, home, 1)
                self.where[number] = home
        self.fixed = [self._fixed(number) for number in range(len(self.items))]
        """Why an item cannot be moved at all; empty if it can."""
        self.mean = sum(self.amount) / (sum(self.bear) or 1)

    def copy(self) -> PlannerState:
        """Return a copy that can be changed independently."""
        other = copy(self)
        other.levels, other.where, other.free = self.levels.copy(), self.where.copy(), self.free.copy()
        other.on = [loads.copy() for loads in self.on]
        other._present = {key: counts.copy() for key, counts in self._present.items()}  # noqa: SLF001 - its own
        other._copies = self._copies.copy()  # noqa: SLF001 - its own
        return other

    def _spaces(self) -> None:
        names: dict[tuple[str, str], int] = {}
        self.space = [names.setdefault(item.space, len(names)) for item in self.items]
        self.members: list[list[int]] = [[] for _ in names]
        for number, space in enumerate(self.space):
            self.members[space].append(number)
        self.whole = [sum(self.amount[number] for number in members) for members in self.members]
        self.reach = [min(len(self.units), len(members)) for members in self.members]
        """The number of units on which the items of each tablespace can lie."""

    def _vector(self, item: FileItem, *, traffic: bool) -> Parts:
        loads = item.load_on if traffic else item.bytes_on
        loads_seen = (
            {} if isinstance(loads, Absent) else {key: load for key, load in loads.items() if load > 0}
        )
        strange = loads_seen.keys() - self.number.keys()
        if strange:
            raise ValueError(f"{item.name} lies on {min(strange)}, which is not among the units")
        # without a load it lies where its bytes are
        loads_seen = loads_seen or {key: 0.0 for key in _falling(item.bytes_on) if item.bytes_on[key]}
        return tuple((self.number[key], float(loads_seen[key])) for key in _falling(loads_seen))

    def _fixed(self, number: int) -> Hindrance | None:
        item, vector = self.items[number], self.first[number]
        if item.pinned:
            return item.pinned
        if not vector:
            return Hindrance.UNPLACED
        if not self.amount[number]:
            return Hindrance.UNLOADED
        return Hindrance.SPREAD if vector[0][1] <= MAINLY * self.amount[number] else None

    # placing

    def parts(self, number: int, unit: int) -> Parts:
        """Return what an item on a unit adds to the level of each resource."""
        if unit == self.home[number]:
            return tuple((r, load * s) for where, load in self.first[number] for r, s in self.using[where])
        return tuple((r, self.amount[number] * s) for r, s in self.using[unit])

    def move(self, number: int, unit: int) -> int:
        """Move an item to a unit; at its first unit it lies as before. Returns the unit that it was on."""
        before = self.where[number]
        self._count(number, before, -1)
        self._count(number, unit, 1)
        self.where[number] = unit
        return before

    def _count(self, number: int, unit: int, sign: int) -> None:
        item, on = self.items[number], self.on[self.space[number]]
        for resource, time in self.parts(number, unit):
            self.levels[resource] += sign * time
        vector = self.first[number] if unit == self.home[number] else ((unit, self.amount[number]),)
        for where, load in vector:
            on[where] += sign * load
            counts = self._present.setdefault((where, item.database), [0, 0])
            counts[LOG if item.is_log else DATA] += sign
            if item.mirror:
                copies = (where, item.database, item.mirror)
                self._copies[copies] = self._copies.get(copies, 0) + sign
        if len(vector) == 1 and self.where[number] >= 0:  # what is there already needs no free space
            self.free[unit] -= sign * self.size[number]

    # judging

    @property
    def top(self) -> float:
        """The level of the fullest resource."""
        return max(self.levels)

    def top_after(self, changes: Iterable[tuple[int, int]]) -> tuple[float, float]:
        """Return the highest level with items on other units, and the change of the sum of squares."""
        added: dict[int, float] = {}
        for number, unit in changes:
            for resource, time in self.parts(number, self.where[number]):
                added[resource] = added.get(resource, 0.0) - time
            for resource, time in self.parts(number, unit):
                added[resource] = added.get(resource, 0.0) + time
        top = max((level for r, level in enumerate(self.levels) if r not in added), default=0.0)
        squares = 0.0
        for resource, time in added.items():
            level = self.levels[resource]
            top = max(top, level + time)
            squares += time * (2 * level + time)
        return top, squares

    def loads(self) -> dict[str, float]:
        """Return the load of each unit, by its key."""
        return {unit.key: sum(on[n] for on in self.on) for n, unit in enumerate(self.units)}

    def loss(self, space: int) -> float:
        """Return the load of a tablespace that an even spread would move to other units.

        A scan uses only the units of its own tablespace, even if all tablespaces together are spread evenly.
        """
        whole, squares = self.whole[space], sum(load * load for load in self.on[space])
        return whole * max(0.0, 1.0 - whole * whole / squares / self.reach[space]) if squares > 0 else 0.0

    def apart(self) -> float:
        """Return the share of the load that is spread as far as its files allow."""
        return 1 - sum(map(self.loss, range(len(self.members)))) / sum(self.amount)

    def copied(self, number: int) -> int:
        """Return the bytes of an item that are not where it is to be."""
        unit = self.where[number]
        if unit == self.home[number]:
            return 0
        return self.size[number] - self.items[number].bytes_on.get(self.units[unit].key, 0)

    # hindrances

    def hindrance(self, number: int, unit: int) -> Hindrance | None:
        """Return why an item may not go to a unit; None if it may."""
        if self.fixed[number]:
            return self.fixed[number]
        if not self.units[unit].open:
            return Hindrance.CLOSED
        if self.size[number] > self.free[unit]:
            return Hindrance.FULL
        return self.clash(number, unit)

    def clash(self, number: int, unit: int) -> Hindrance | None:
        """Return why an item may not lie beside the items that are on a unit; None if it may."""
        item = self.items[number]
        if item.mirror and self._copies.get((unit, item.database, item.mirror)):
            return Hindrance.COPY
        counts = self._present.get((unit, item.database))
        if counts is not None:
            mine, other = (LOG, DATA) if item.is_log else (DATA, LOG)
            if counts[other] and not counts[mine]:
                return Hindrance.TOGETHER
        return None


def _falling(loads: Mapping[str, int] | Mapping[str, float]) -> list[str]:
    """Return units, that with the largest load first."""
    return sorted(loads, key=lambda key: (-loads[key], key))
