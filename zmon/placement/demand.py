"""What a placement can do at the most, and what another one could: bounds and waiting times.

Each resource is taken alone, and the one that is full first limits: the seconds in which data pass a channel
and the control unit behind it are the same seconds, so they are not added.  All of it needs capacities that
somebody has given or measured; zmon has none of its own.  Rates are in any one unit, the same throughout.
"""

from __future__ import annotations

from math import ceil, inf, isfinite
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.absent import Number

OVERLOADED: Final = absent("overloaded: more comes than can be done, and the queue grows without end")
IDLE: Final = absent("no load on anything that has a capacity")

SLACK: Final = 1e-9
"""What is closer than this part of a capacity is the same: sums of shares do not come out exactly."""


class Headroom(NamedTuple):
    """By how much all load together could grow."""

    factor: Number
    """All rates times this fill the binding resource; below 1 more is asked for than it can do."""
    binding: tuple[str, ...]
    """The resources that are full first."""
    use: Mapping[str, float]
    """The utilisation of each resource now, from 0 on."""


def headroom(loads: Mapping[str, float], capacities: Mapping[str, float]) -> Headroom:
    """Return the head room of loads on resources; resources without a capacity do not limit.

    Raises:
        ValueError: a capacity is not above zero, or a load is negative or no number.
    """
    _check(capacities)
    use = {name: loads[name] / capacity for name, capacity in capacities.items() if name in loads}
    if any(not 0 <= value < inf for value in use.values()):
        raise ValueError("a load is negative or no number")
    most = max(use.values(), default=0.0)
    if not most:
        return Headroom(IDLE, (), use)
    return Headroom(1 / most, tuple(name for name, value in use.items() if value >= most * (1 - SLACK)), use)


def bound_ratio(before: Headroom, after: Headroom) -> Number:
    """Return how many times the throughput may become at the most when the placement changes."""
    return after.factor / before.factor if not isinstance(before.factor, Absent) else before.factor


class Stream(NamedTuple):
    """Something that reads as fast as it can, such as a table scan."""

    name: str
    passes: Mapping[str, float]
    """The part of its data that passes each resource.  Parts of one sort of resource add up to 1; a stream
    passes several sorts, as control units and channels."""
    limit: float = inf
    """What it can do by itself at the most."""


class Filling(NamedTuple):
    """What streams get that run together."""

    rates: Mapping[str, float]
    use: Mapping[str, float]
    """The utilisation of each resource."""
    held_by: Mapping[str, str]
    """What limits each stream: the name of a resource, or empty for its own limit."""

    @property
    def total(self) -> float:
        """All rates together."""
        return sum(self.rates.values())


def fill(streams: Sequence[Stream], capacities: Mapping[str, float]) -> Filling:
    """Share resources fairly: all streams grow alike until something is full, then the others go on.

    This is max-min fairness: nobody could get more without somebody getting less who has no more.

    Raises:
        ValueError: a capacity or limit is not above zero, a part is negative, two streams share a name,
            or nothing limits a stream.
    """
    _check(capacities)
    _check_streams(streams, capacities)
    rates = {stream.name: 0.0 for stream in streams}
    load = dict.fromkeys(capacities, 0.0)
    held: dict[str, str] = {}
    growing = list(streams)
    while growing:
        demand = {name: sum(stream.passes.get(name, 0.0) for stream in growing) for name in capacities}
        room = {name: (capacities[name] - load[name]) / part for name, part in demand.items() if part > 0}
        step = min([*room.values(), *(stream.limit - rates[stream.name] for stream in growing)])
        for stream in growing:
            rates[stream.name] += step
        for name, part in demand.items():
            load[name] += part * step
        full = [name for name in room if load[name] >= capacities[name] * (1 - SLACK)]
        for stream in growing:
            stops = next((name for name in full if stream.passes.get(name, 0.0) > 0), None)
            if stops is not None:
                held[stream.name] = stops
            elif rates[stream.name] >= stream.limit * (1 - SLACK):
                held[stream.name] = ""
        growing = [stream for stream in growing if stream.name not in held]
    return Filling(rates, {name: load[name] / capacities[name] for name in capacities}, held)


def _check(capacities: Mapping[str, float]) -> None:
    for name, capacity in capacities.items():
        if not 0 < capacity < inf:
            raise ValueError(f"the capacity of {name} is {capacity}, not above zero")


def _check_streams(streams: Sequence[Stream], capacities: Mapping[str, float]) -> None:
    if len({stream.name for stream in streams}) < len(streams):
        raise ValueError("two streams have the same name")
    for stream in streams:
        parts = stream.passes.values()
        if not stream.limit > 0 or any(not 0 <= part < inf for part in parts):
            raise ValueError(f"{stream.name}: its limit is not above zero, or a part of it is negative")
        if not isfinite(stream.limit) and not any(stream.passes.get(name, 0) > 0 for name in capacities):
            raise ValueError(f"{stream.name}: nothing limits it")


# waiting


def mm1(service: float, use: float) -> Number:
    """Return the response time of one server with random arrivals and service times (M/M/1)."""
    return OVERLOADED if use >= 1 else service / (1 - use)


def md1(service: float, use: float) -> Number:
    """Return the response time of one server with random arrivals and constant service (M/D/1)."""
    return OVERLOADED if use >= 1 else service * (1 + use / (2 * (1 - use)))


def erlang_c(load: float, servers: int) -> Number:
    """Return the probability that a request has to wait for one of `servers`, which do `load` erlangs.

    Raises:
        ValueError: there are no servers, or the load is negative.
    """
    if servers < 1 or not load >= 0:
        raise ValueError(f"{servers} servers with a load of {load} erlangs")
    if load >= servers:
        return OVERLOADED
    # Erlang B server by server, which needs no factorial and no power
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = load * blocked / (count + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def mmc_wait(service: float, use: float, servers: int) -> Number:
    """Return the time that a request waits for one of several servers (M/M/c); `use` is of each."""
    if use >= 1:
        return OVERLOADED
    return erlang_c(use * servers, servers) * service / (servers * (1 - use))


def in_flight(rate: float, response: float) -> float:
    """Return how many requests are under way on average: Little's law."""
    return rate * response


class Closed(NamedTuple):
    """Bounds of a system in which so many customers go round."""

    throughput: float
    """At the most, per unit of time."""
    response: float
    """At the least."""
    knee: float
    """The number of customers from which on the bottleneck limits."""


def closed(customers: float, demands: Mapping[str, float], think: float = 0.0) -> Closed | Absent:
    """Return the bounds of a closed system; `demands` are the seconds of each resource per unit of work.

    Raises:
        ValueError: a demand, the think time or the customers are negative or no number.
    """
    if any(not 0 <= value < inf for value in (*demands.values(), think, customers)):
        raise ValueError("customers, demands and the think time must not be negative")
    whole, most = sum(demands.values()), max(demands.values(), default=0.0)
    if not most:
        return absent("no resource is asked for anything")
    throughput = min(customers / (whole + think), 1 / most)
    return Closed(throughput, max(whole, customers * most - think), (whole + think) / most)


def hardware_iops(reads: float, writes: float, penalty: float) -> float:
    """Return the operations on disks behind a RAID: each write costs `penalty` of them."""
    return reads + penalty * writes


def disks_for(iops: float, each: float) -> int:
    """Return how many disks do so many operations a second, when each of them does `each`.

    Raises:
        ValueError: a disk does nothing.
    """
    if not each > 0:
        raise ValueError(f"a disk that does {each} operations a second")
    return ceil(iops / each)
