"""Measures of a placement: how evenly loads lie on units, headroom, and waiting times.

Evenness is over all units that are available, not only those in use: data on two of eight LCUs is no even
spread.  Where all capacities are known, a load counts in proportion to the capacity of its unit.

Headroom is computed for each resource alone; the bottleneck is the one that saturates first.  Rates are in
any one unit, the same throughout; capacities come from the site, never from zmon.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.record import NamedTuple
from zmon.machine.join import by_key
from zmon.placement.items import weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.placement.items import FileItem, Unit


NO_LOAD = absent("no load")
NO_UNITS = absent("no logical control unit is known")


class Spread(NamedTuple):
    """Measures of how evenly a load is spread over units."""

    total: float
    units: int
    """The number of units."""
    worst: str
    """The key of the unit with most load relative to its capacity; empty without a load."""
    share: Number
    """Its share of all load, from 0 to 1."""
    uneven: Number
    """The largest load as a multiple of the mean: 1 if even, the number of units if one has all."""
    variation: Number
    """Coefficient of variation: the standard deviation of the loads, divided by their mean."""
    jain: Number
    """Jain's fairness index: 1 when it is even, 1/n when one of n units has all."""
    effective: Number
    """The effective number of units: that many even loads have the same sum of squares."""


def unknown(why: Absent, units: int) -> Spread:
    """Return the spread of an unknown or zero load over a number of units."""
    return Spread(0, units, "", why, why, why, why, why)


def spread(loads: Mapping[str, float], units: Sequence[Unit]) -> Spread:
    """Measure how evenly loads, by the keys of their units, lie on all units.

    Raises:
        ValueError: a load is negative, or on a unit that is not among them.
    """
    strange = loads.keys() - {unit.key for unit in units}
    if strange:
        raise ValueError(f"load on {min(strange)}, which is not among the units")
    values = [loads.get(unit.key, 0) / weight for unit, weight in zip(units, weights(units), strict=True)]
    if any(value < 0 for value in values):
        raise ValueError("a load is negative")
    total = sum(loads.values())
    maximum = max(values, default=0)
    if not maximum:
        return unknown(NO_LOAD if units else NO_UNITS, len(units))
    # scaled first: the squares of tiny or huge loads are out of a number's range
    scaled = [value / maximum for value in values]
    count, whole, squares = len(scaled), sum(scaled), sum(value * value for value in scaled)
    mean = whole / count
    deviation = sqrt(sum((value - mean) ** 2 for value in scaled) / count)
    return Spread(
        total,
        count,
        units[scaled.index(1.0)].key,
        1 / whole,
        1 / mean,
        deviation / mean,
        whole * whole / (count * squares),
        whole * whole / squares,
    )


def sums(items: Iterable[FileItem], *, traffic: bool = False) -> dict[str, float] | Absent:
    """Return the bytes (or the traffic) of items on each unit; absent when the traffic of none is known."""
    total: dict[str, float] = {}
    reason: Absent | None = None
    is_seen = False
    for item in items:
        loads: Mapping[str, float] | Absent = item.load_on if traffic else item.bytes_on
        if isinstance(loads, Absent):
            reason = reason or loads
            continue
        is_seen = is_seen or bool(loads)  # an empty file has no traffic, even if its units are unknown
        for key, load in loads.items():
            total[key] = total.get(key, 0) + load
    return reason if reason is not None and not is_seen else total


def by_space(items: Iterable[FileItem]) -> dict[tuple[str, str], list[FileItem]]:
    """Return the items of each tablespace, by database and tablespace, in order of these."""
    members: dict[tuple[str, str], list[FileItem]] = {}
    for item in items:
        members.setdefault(item.space, []).append(item)
    return dict(sorted(members.items()))


def sides(loads: Mapping[str, float], units: Iterable[Unit]) -> dict[str, float]:
    """Return the share of each side of the storage servers in all load; '' is the unknown side."""
    whole = sum(loads.values())
    by_side = by_key((unit.side, loads.get(unit.key, 0.0)) for unit in units)
    return {side: load / whole for side, load in sorted(by_side.items())} if whole else {}


def fullest(items: Iterable[FileItem]) -> tuple[str, float] | Absent:
    """Return the volume that has most of the items' bytes, and its share of them."""
    volumes = by_key(on_volume for item in items for on_volume in item.volumes.items())
    whole = sum(volumes.values())
    if not whole:
        return NO_LOAD
    volume = min(volumes, key=lambda name: (-volumes[name], name))
    return volume, volumes[volume] / whole


class Mixed(NamedTuple):
    """A volume with logs and other files of the same database."""

    volume: str
    database: str
    logs: tuple[str, ...]
    """The names of the logs on it."""
    others: tuple[str, ...]
    """The tablespaces that have data on it."""
    unsized: bool = False
    """Whether how much lies there is not known of the logs, or of the data."""


def mixed(items: Iterable[FileItem]) -> list[Mixed]:
    """Return the volumes on which logs lie together with data of the same database.

    A log waits for its disk with every commit, and so also for the I/O of data there.
    """
    logs: dict[tuple[str, str], set[str]] = {}
    others: dict[tuple[str, str], set[str]] = {}
    sized: set[tuple[str, str, bool]] = set()
    for item in items:
        # a file that is on one of several disks is on none of them for certain
        there = {*item.unsized} if len(item.unsized) == 1 else set()
        for volume in there | {volume for volume, count in item.volumes.items() if count}:
            where = volume, item.database
            if item.is_log:
                logs.setdefault(where, set()).add(item.name)
            else:
                others.setdefault(where, set()).add(item.tablespace)
            if volume not in there:
                sized.add((*where, item.is_log))
    return [
        Mixed(
            *where, tuple(sorted(logs[where])), tuple(sorted(others[where])),
            not {(*where, True), (*where, False)} <= sized,
        )
        for where in sorted(logs.keys() & others.keys())
    ]  # fmt: skip


OVERLOADED: Final = absent("overloaded: more comes than can be done, and the queue grows without end")
IDLE: Final = absent("no load on anything that has a capacity")

SLACK: Final = 1e-9
"""Relative difference below which two loads are equal: sums of shares are not exact."""


class Headroom(NamedTuple):
    """The factor by which the load may grow before the bottleneck saturates."""

    factor: Number
    """The factor at which the bottleneck is saturated; below 1 the load exceeds its capacity."""
    binding: tuple[str, ...]
    """The resources that saturate first."""
    use: Mapping[str, float]
    """The present utilisation of each resource, from 0 up."""


def headroom(loads: Mapping[str, float], capacities: Mapping[str, float]) -> Headroom:
    """Return the headroom of loads on resources; resources without a capacity do not limit.

    Raises:
        ValueError: a capacity is not above zero, or a load is negative or no number.
    """
    for name, capacity in capacities.items():
        if not 0 < capacity < inf:
            raise ValueError(f"the capacity of {name} is {capacity}, not above zero")
    use = {name: loads[name] / capacity for name, capacity in capacities.items() if name in loads}
    if any(not 0 <= value < inf for value in use.values()):
        raise ValueError("a load is negative or no number")
    maximum = max(use.values(), default=0.0)
    if not maximum:
        return Headroom(IDLE, (), use)
    limiting = tuple(name for name, value in use.items() if value >= maximum * (1 - SLACK))
    return Headroom(1 / maximum, limiting, use)


def bound_ratio(before: Headroom, after: Headroom) -> Number:
    """Return the largest factor by which the throughput may grow with another placement."""
    return after.factor / before.factor if not isinstance(before.factor, Absent) else before.factor


def mm1(service: float, use: float) -> Number:
    """Return the response time of one server with random arrivals and service times (M/M/1)."""
    return OVERLOADED if use >= 1 else service / (1 - use)
