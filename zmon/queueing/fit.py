"""A queueing network that is fitted to what an interval shows.

What is measured is kept: rates, sizes, the time on a subchannel, the wait in Linux.  The rest follows:

* the time that an LCU needs for a request, from Disc: a request waits there as for one server with constant
  service (M/D/1 in which a request does not wait for itself), for no longer than the busiest LCU of its
  storage server allows.  A capacity of the site file replaces it;
* the part of Disc that is no wait: cache misses, each of at most `MAX_MISS`;
* how many requests a class has, by Little's law: those in Linux and beyond, and those that compute.  What
  programs wait for besides is not known, so a class has no other think time.  Logs are written as often
  as now;
* how evenly requests come to volumes, from what they wait before these;
* for each class a factor of its waits, with which the model gives the response that was measured.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache, partial
from itertools import chain, compress, groupby, repeat
from math import sqrt
from operator import add, attrgetter, ge, itemgetter, lt, mul, not_, sub
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.ranges import many, ranges
from zmon.base.record import NamedTuple
from zmon.base.same import Same
from zmon.machine.observation import (
    LATENCY,
    MIN_LOST,
    NO_VOLUMES,
    ObservedLcu,
    disc_of_misses,
    mean_by_rate,
    path_groups,
)
from zmon.queueing.computing import at_processors, processor_load
from zmon.queueing.network import (
    CONSTANT,
    EXPONENTIAL,
    Flow,
    Network,
    RequestClass,
    Station,
    blocked,
    crowding,
    evened,
    mean_response,
    own_part,
    residual,
    solve,
)
from zmon.queueing.waiting import lcus_not_timed, lcus_waiting_for_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.machine.observation import ObservedLoad, Volumes
    from zmon.queueing.network import Solution

FIXED: Final = 32_768.0
"""Bytes that keep an LCU busy as long as what it does for each request of any size."""
SIZE: Final = 4096.0
"""Bytes of a request whose size is not known."""
BUSY: Final = 0.8
"""Utilisation of paths above which Pend does not show what is no wait for a path."""
SEEK: Final = 0.008
"""Seconds that an arm is taken to need for a request at random, at most."""
QUEUES_FOR_ARMS: Final = 1.1
"""How many times as long a miss takes from which on it waits for an arm."""
FEW_MISSES: Final = 0.05
"""The part of the requests below which Disc does not tell how long a miss takes."""
LEAST_WAITING: Final = 0.1
"""Requests that wait in an LCU on average, below which they do not tell how busy it is; without cache
statistics it takes as many as a diagnosis does."""
ENOUGH: Final = 50
"""Reads, and writes, of which the mean response says something."""
ALL_OF_IT: Final = 0.8
"""The part of Disc from which on all of it is that of reads."""
HARDLY: Final = 0.2
"""The part of Disc by which reads may be quicker than writes by chance, without cache statistics."""
FULL: Final = 0.98
"""The most that an LCU is taken to be busy."""
COMPUTING: Final = 0.99
"""Utilisation of processors above which their queue does not follow from it."""
OUTSIDE: Final = 0.02
"""The part of paths that others use below which it may be a difference of clocks."""
IDLE: Final = 0.02
"""Utilisation up to which a path stands idle."""
MAX_BURST: Final = 8.0
"""The most that is waited, as a multiple of what random arrivals would wait."""
LEAST_FACTOR: Final = 0.7
"""The least factor of a class's waits: with less the network would do more than its stations can."""
FITS: Final = 8
"""How often the factors of the classes are fitted."""
BISECTIONS: Final = 50
"""Steps of a bisection."""
WITHHELD: Final = 0.05
"""The part of the processor time that the hypervisor withholds, from which on more processors get no more."""
LEFT: Final = 0.05
"""Processors that are left for requests where other work has all of them."""
LONGER: Final = 1.3
"""How many times the response of reads writes have from which on they are taken to come many at once."""
ALIKE_SIZES: Final = (0.5, 2.0)
"""A request from the first to the second times as large as others is taken to need as long as they do."""
LEAST_SERVICE: Final = 1e-3
"""The part of a response below which a service time was not measured, as Linux counts in whole ticks how long
a disk is busy: it is taken that nothing waits, but the disk is busy for half of its time at most."""
TICK: Final = 128e-6
"""Seconds in which channel measurement counts Disc: less of it in an interval is not measured, but what the
rounding of sums leaves (drivers/s390/cio/cmf.c, time_to_nsec)."""
SLOWER: Final = 0.0005
"""Seconds that a write takes longer than a read where something delays each write."""
QUEUED: Final = 0.2
"""The part of that delay that a request waits in Linux from which on the delay may be that."""
LEAST_PART: Final = 1e-6
"""The part of a volume's requests below which they are none."""


class FlowShare(NamedTuple):
    """The part of a volume's requests that a class makes."""

    owner: str
    """The class: a tablespace."""
    file: str
    volume: str
    """Its key."""
    part: float
    steady: bool = False
    """Whether it is a log: as many requests as now are made, however quick the answers."""


class FittedFlow(NamedTuple):
    """The requests of one file, or of all that belongs to no known file, to one volume."""

    owner: str
    """The class: the tablespace, or the LCU of volumes without a known file."""
    file: str
    """Empty for what belongs to no known file."""
    volume: str
    """Where it is, by key."""
    lcu: str
    rate: float
    size: float
    miss: float
    """Seconds of Disc that are no wait for the LCU."""
    conn: float
    servers: float
    """How many requests the volume does at once without aliases of a pool."""
    response: float
    """What Linux waits for one of them."""
    steady: bool = False
    ahead: float = 0.0
    """Of writes that come many at once: behind how many of its own batch each waits where one request after
    the other is done; 0: they do not."""
    missed: float = 0.0
    """The part that waits for an arm of `FittedArms`; 0: none is known to wait, and `miss` stays as it is."""

    @property
    def members(self) -> str:
        """The class of requests that they belong to: what is written back is one of its own."""
        return f"{self.owner}, written back" if self.ahead else self.owner


class FittedPaths(NamedTuple):
    """Channel paths that lead to the same LCUs."""

    chpids: tuple[str, ...]
    servers: float
    """How many of them are used."""
    outside: float = 0.0
    """The part of them that others use."""
    pooled: bool = True
    """Whether a request takes the first that is free; paths of FCP adapters take turns."""
    disks: float = 1.0
    """How many disks take turns."""

    @property
    def met(self) -> float:
        """Which part of a batch that is spread over all disks a request meets on its path.

        That of its own disk, and of others which are on any path.
        """
        if self.pooled:
            return 1.0 / self.servers
        return 1.0 / self.disks + (1.0 - 1.0 / self.disks) / self.servers


class FittedArms(NamedTuple):
    """The disks behind an LCU, before which requests that miss the cache queue."""

    number: float
    """How many arms there are, each with a queue of its own."""
    volumes: int
    """How many volumes there are requests for: more of them may lie on more arms."""


class FittedModel(NamedTuple):
    """All that a change may change, and what was fitted."""

    flows: tuple[FittedFlow, ...]
    lcus: Mapping[str, ObservedLcu]
    service: Mapping[str, float]
    """Seconds of each LCU per byte; the bytes are those of the request and `FIXED`."""
    latency: Mapping[str, float]
    """Of each LCU, the seconds until it accepts a request."""
    paths: Mapping[str, FittedPaths]
    """By the key of the group."""
    group_of: Mapping[str, str]
    """Of each LCU."""
    processors: float
    """0: not known."""
    background: float
    """How many of them are busy with what does not go with I/O."""
    computing: float
    """Seconds of a processor per request that is waited for, with those that the hypervisor withholds."""
    withheld: float
    """The part of these that the hypervisor withholds."""
    population: Mapping[str, float]
    """Of each class."""
    response: Mapping[str, float]
    """Of each class, as measured."""
    titles: Mapping[str, str]
    """Of volumes, by key."""
    places: Mapping[str, tuple[str, float]]
    """Of all volumes, used or not: the LCU, and how many requests each does at once."""
    burst: float = 1.0
    """Wait for a subchannel, as a multiple of what random arrivals would wait."""
    evenly: float = 0.0
    """How evenly requests use the volumes of their class: see `zmon.queueing.network.Station`."""
    factors: Mapping[str, float] = {}
    """Of each class the factor of its waits."""
    arms: Mapping[str, FittedArms] = {}
    """Of each LCU whose misses queue before disks."""


class _LateWrites(NamedTuple):
    """A volume whose writes come many at once, so that they wait longer than reads."""

    rate: float
    serv: float
    reads: float
    """The part of the requests that read."""
    read: float
    write: float
    """What Linux waits for a read, and for a write."""
    excess: float
    """What a write waits longer than a read."""


def service_bytes(size: float) -> float:
    """Return the bytes that count for an LCU's time."""
    return size + FIXED


def fit(load: ObservedLoad, shares: Sequence[FlowShare] = ()) -> tuple[FittedModel, Network, Solution]:
    """Fit a model, and solve it; what belongs to no known file is one class for each LCU.

    Raises:
        ValueError: there is no I/O of which the times were measured.
    """
    titles = {volume.key: f"volume {volume.title}" for volume in load.volumes}
    places = {volume.key: (volume.lcu, float(volume.servers)) for volume in load.volumes}
    return _with_factors(observed_model(load, shares)._replace(titles=titles, places=places))


def observed_model(load: ObservedLoad, shares: Sequence[FlowShare] = ()) -> FittedModel:
    """Return the model with what is measured, before the waits of classes are fitted, which takes most time.

    It has no titles and places of volumes.

    Raises:
        ValueError: there is no I/O of which the times were measured.
    """
    volumes, lcus, behind, waits, for_paths = _measured(Same(load))
    if not volumes:
        raise ValueError("no volume has I/O whose response time was measured")
    late = _late_writes(volumes)
    flows = tuple(_flows(volumes, shares, waits | for_paths, late))
    groups = path_groups(lcus.values())
    timed = set(compress(volumes.column("lcu"), map(not_, volumes.column("estimated"))))
    group_of = {
        lcu: key
        for key, chpids in groups.items()
        for lcu, rows in lcus.items()
        if rows.chpids and set(rows.chpids) <= set(chpids) and (lcu in timed or not behind[lcu])
    }  # where nothing is timed, it is not known for how long a request needs a path
    users = {
        key: volumes.part([at for lcu, group in group_of.items() if group == key for at in behind[lcu].rows])
        for key in groups
    }
    paths = {key: _paths(chpids, load, users[key]) for key, chpids in groups.items()}
    processors, background, busy, withheld = processor_load(load)
    classes = _classes(flows)
    computing = busy / _rate([flow for flow in flows if not flow.ahead] if late else flows)
    population = _population(classes, processors and max(LEFT, processors - background), computing)
    latency = _latency(behind, group_of, paths, users)
    for lcu, group in group_of.items():
        if not paths[group].pooled:
            mine = [flow for flow in flows if flow.lcu == lcu]
            latency[lcu] = _latency_before_batches(mine, paths[group], population, latency[lcu])
    if late:
        flows = tuple(
            _with_ahead(flow, late, behind, lcus, paths.get(group_of.get(flow.lcu, "")))
            if flow.ahead
            else flow
            for flow in flows
        )
    model = FittedModel(
        flows,
        lcus,
        dict.fromkeys(lcus, 0.0),
        latency,
        paths,
        group_of,
        processors,
        background,
        computing,
        withheld,
        population,
        _responses(classes),
        {},
        {},
    )
    model = _with_waits(model, volumes, late)
    model = model._replace(service=_service(model, behind, waits))
    return _with_arms(model)


def shows_lcus(load: ObservedLoad) -> bool:
    """Return whether anything tells how busy an LCU is: its capacity, or requests that wait there.

    Where nothing does, no model has an LCU that is busy.
    """
    _, lcus, _, waits, _ = _measured(Same(load))
    return any(waits.values()) or any(not isinstance(lcu.capacity, Absent) for lcu in lcus.values())


class _Measured(NamedTuple):
    """What is measured of LCUs."""

    volumes: Volumes
    """All whose times are known."""
    lcus: dict[str, ObservedLcu]
    behind: dict[str, Volumes]
    """Of these the volumes of each LCU."""
    waits: dict[str, float]
    """The seconds of Disc that a mean request waits for each, ..."""
    for_paths: dict[str, float]
    """... and those that it waits for its paths, of LCUs that these hold up."""


@lru_cache(maxsize=2)  # it is asked whether a model is needed, and then for one
def _measured(of: Same[ObservedLoad]) -> _Measured:
    load = of.it
    volumes = _with_waits_apart(load, timed(load.used))
    lcus = load.lcus_by_key
    lcus |= {lcu: ObservedLcu(lcu, "volumes of no known LCU", "", ())
             for lcu in volumes.column("lcu") if lcu not in lcus}  # fmt: skip
    own = {key: load.used_of(key) for key in lcus}
    behind = own if volumes is load.used else dict.fromkeys(lcus, NO_VOLUMES) | volumes.by_lcu()
    misses = {key: _disc_of_misses(lcus[key], own[key], load.seconds) for key in lcus}
    longer = _waits(behind, misses, load.seconds)
    reconnect = lcus_waiting_for_paths(load)
    waits = {}
    for key, wait in longer.items():
        is_told = key not in reconnect and tell_use(lcus[key], wait * behind[key].rate)
        waits[key] = wait if is_told else 0.0
    return _Measured(volumes, lcus, behind, waits, {key: longer[key] for key in reconnect})


def tell_use(lcu: ObservedLcu, waiting: Number) -> bool:
    """Return whether so many requests that wait in an LCU on average tell how busy it is."""
    return bool(waiting >= (MIN_LOST if isinstance(lcu.misses, Absent) else LEAST_WAITING))


def _disc_of_misses(lcu: ObservedLcu, volumes: Volumes, seconds: float) -> float:
    """Return the seconds of Disc of a mean request that are no wait for the LCU, but for disks and of these.

    Reads wait for disks, writes do not, and all wait for the LCU: so what reads take longer is not that wait.
    """
    usual = disc_of_misses(lcu, volumes)
    columns = list(map(volumes.column, ("rate", "reads", "disc"))) if volumes else []
    if not columns or any(Absent in set(map(type, column)) for column in columns):
        return usual
    reads = list(map(mul, *columns[:2]))
    writes = list(map(sub, columns[0], reads))
    read = mean_by_rate(volumes.column("read_response"), reads)
    write = mean_by_rate(volumes.column("write_response"), writes)
    if read is None or write is None or min(sum(reads), sum(writes)) * seconds < ENOUGH:
        return usual
    disc = _mean(volumes, "disc")
    longer = float((read - write) * sum(reads) / sum(columns[0]))
    if longer >= ALL_OF_IT * disc:
        return disc
    if not isinstance(lcu.misses, Absent):
        return max(usual, longer)
    return max(0.0, longer) if longer > -HARDLY * disc else usual


def timed(volumes: Volumes) -> Volumes:
    """Return the volumes whose times are all measured, with what is taken where these cannot be right."""
    columns = [volumes.column(name) for name in ("response", "pend", "disc", "conn")]
    if any(Absent in set(map(type, column)) for column in columns):
        every = enumerate(zip(*columns, strict=True))
        volumes = volumes.part([at for at, times in every if Absent not in map(type, times)])
    if not volumes:
        return volumes
    other: dict[str, Sequence[float]] = {}
    sizes, responses = volumes.column("size"), volumes.column("response")
    if Absent in set(map(type, sizes)):
        other["size"] = [SIZE if isinstance(size, Absent) else size for size in sizes]
    if any(map(lt, volumes.column("serv"), map(mul, responses, repeat(LEAST_SERVICE)))):
        names = ("serv", "response", "conn", "rate", "servers")
        other["conn"] = [
            max(conn, min(response, servers / rate / 2)) if serv < LEAST_SERVICE * response else conn
            for serv, response, conn, rate, servers in zip(*map(volumes.column, names), strict=True)
        ]
    if min(responses) < 0:
        other["response"] = list(map(max, responses, repeat(0.0)))
    return volumes.but(**other) if other else volumes


def _with_waits_apart(load: ObservedLoad, volumes: Volumes) -> Volumes:
    """Return the volumes with the wait for their LCU as Disc where channel measurement gives no times.

    Where requests of about the same size take less time to volumes of LCUs in which nothing waits, they need
    no more here: the rest is taken to be the wait for the LCU.
    """
    full = lcus_not_timed(load) if any(volumes.column("estimated")) else set()
    if not full:
        return volumes
    columns = list(zip(*map(volumes.column, ("lcu", "estimated", "size", "conn")), strict=True))
    calm = volumes.part([at for at, column in enumerate(columns) if column[1] and column[0] not in full])
    size_of_calm, needed = _mean(calm, "size"), _mean(calm, "conn")
    conns, discs = list(volumes.column("conn")), list(volumes.column("disc"))
    for at, (lcu, estimated, size, conn) in enumerate(columns):
        alike = ALIKE_SIZES[0] * size_of_calm <= size <= ALIKE_SIZES[1] * size_of_calm
        if estimated and lcu in full and alike and conn > needed:
            conns[at] = needed
            discs[at] += conn - needed
    return volumes.but(conn=conns, disc=discs)


def lcus_with_waits_apart(load: ObservedLoad) -> set[str]:
    """Return the keys of the LCUs for which a wait was found though channel measurement gives no times."""
    volumes = _measured(Same(load)).volumes
    columns = zip(*map(volumes.column, ("lcu", "estimated", "disc")), strict=True)
    return {lcu for lcu, estimated, disc in columns if estimated and disc > 0}


def _late_writes(volumes: Volumes) -> dict[str, _LateWrites]:
    """Return the volumes whose writes come many at once, by their keys."""
    reads, writes = volumes.column("read_response"), volumes.column("write_response")
    longer = compress(range(len(volumes)), map(ge, writes, map(mul, reads, repeat(LONGER))))
    late = {}
    for volume in volumes.some(longer):
        read, write, part = volume.read_response, volume.write_response, volume.reads
        if isinstance(read, Absent) or isinstance(write, Absent) or isinstance(part, Absent):
            continue
        if read and part and volume.conn:
            # channel measurement tells what is pending from what waits in Linux
            waited = float(volume.queued + (0.0 if volume.is_dasd else volume.pend))  # type: ignore[arg-type]  # these are timed
            excess = _excess(1.0 - part, write - read, waited)
            if excess:
                late[volume.key] = _LateWrites(volume.rate, float(volume.serv), part, read, write, excess)  # type: ignore[arg-type]  # likewise
    return late


def _excess(writes: float, longer: float, waited: float) -> float:
    """Return what a write waits longer than a read, if writes come many at once; else 0.

    Requests of a volume are first come, first served, and reads are answered later than writes if at all;
    so writes wait longer only behind those that came with them.  It is no longer service: that is in the
    times of the channel measurement.  So all writes together wait no longer than all requests in Linux;
    behind FCP adapters what is pending is such a wait, too.
    """
    return min(longer, waited / writes) if waited >= writes * longer / 2 else 0.0


def _needs(volumes: Volumes) -> list[float]:
    """Return the bytes that count for an LCU's time, of a request to each volume."""
    return list(map(add, volumes.column("size"), repeat(FIXED)))


def _mean(volumes: Volumes, name: str) -> float:
    """Return the mean of a time or size, each volume with its rate as its weight; 0 without any."""
    rates = volumes.column("rate")
    rate = sum(rates)
    return float(sum(map(mul, volumes.column(name), rates)) / rate) if rate else 0.0


def _waits(behind: Mapping[str, Volumes], misses: Mapping[str, float], seconds: float) -> dict[str, float]:
    """Return the seconds of Disc that a mean request waits for its LCU; 0 where the interval shows none.

    Where requests hardly ever meet, next to nothing waits even at a busy LCU, so nothing may be concluded
    from a difference of two sums that ought to be equal.  Where few wait, what a write takes longer than a
    read is no wait for the LCU, which takes both in turn, but a remote mirror, or the like.
    """
    waits = {lcu: _mean(ones, "disc") - misses[lcu] for lcu, ones in behind.items()}
    for lcu, wait in waits.items():
        if SLOWER <= wait < MIN_LOST / (behind[lcu].rate or 1.0):
            waits[lcu] = wait - min(wait, _delay_of_writes(behind[lcu], misses[lcu]))
    return {lcu: wait if wait * behind[lcu].rate * seconds >= TICK else 0.0 for lcu, wait in waits.items()}


def _delay_of_writes(volumes: Volumes, misses: float) -> float:
    """Return the seconds of Disc of a mean request in which writes alone are delayed, whatever the load.

    Seconds of `misses`, of a mean request, are of reads alone, and left out of what is compared.  Writes that
    come many at once wait for one another in Linux: then nothing is known of such a delay.
    """
    if not all(volumes.column("is_dasd")) or Absent in set(map(type, volumes.column("reads"))):
        return 0.0
    rates, parts = volumes.column("rate"), volumes.column("reads")
    reads = list(map(mul, rates, parts))
    writes = list(map(sub, rates, reads))
    read = mean_by_rate(volumes.column("read_response"), reads)
    write = mean_by_rate(volumes.column("write_response"), writes)
    if read is None or write is None or write - read < SLOWER:
        return 0.0
    if _mean(volumes, "queued") >= QUEUED * (write - read):
        return 0.0
    of_hits = max(0.0, read - misses * sum(rates) / sum(reads))
    return float((write - of_hits) * sum(writes) / sum(rates))


def _flows(
    volumes: Volumes, shares: Sequence[FlowShare], waits: Mapping[str, float], late: Mapping[str, _LateWrites]
) -> Iterable[FittedFlow]:
    """Yield the flows of known files, and of what is left of each volume, column by column."""
    keys, lcus = volumes.column("key"), volumes.column("lcu")
    others = {lcu: f"other I/O of {lcu}" for lcu in waits}
    flows_of = (
        map(others.__getitem__, lcus), repeat(""), keys, lcus, volumes.column("rate"), volumes.column("size"),
        map(max, repeat(0.0), map(sub, volumes.column("disc"), map(waits.__getitem__, lcus))),
        volumes.column("conn"), map(float, volumes.column("servers")), volumes.column("response"),
        repeat(False), repeat(0.0), repeat(0.0),
    )  # fmt: skip
    whole = map(partial(tuple.__new__, FittedFlow), zip(*flows_of, strict=False))
    flows = _flows_of_files(whole, shares) if shares else whole
    if not late:
        return flows
    pairs = (
        _apart(flow, late[flow.volume]) if flow.volume in late and not flow.steady else (flow,)
        for flow in flows
    )
    return chain.from_iterable(pairs)


def _flows_of_files(whole: Iterable[FittedFlow], shares: Sequence[FlowShare]) -> Iterable[FittedFlow]:
    """Yield the flows of files, and of what is left of each volume."""
    of_volume = {flow.volume: flow for flow in whole}
    left = dict.fromkeys(of_volume, 1.0)
    for share in shares:
        if share.volume in left and share.part > 0:
            left[share.volume] -= share.part
    rest = [("", "", key, part, False) for key, part in left.items()]
    for owner, file, key, part, steady in (*shares, *rest):
        flow = of_volume.get(key)
        if flow is None or part <= LEAST_PART:
            continue
        yield flow._replace(owner=owner or flow.owner, file=file, rate=flow.rate * part, steady=steady)


def _apart(flow: FittedFlow, late: _LateWrites) -> Iterable[FittedFlow]:
    """Yield the reads of a flow, and its writes, which come many at once."""
    yield flow._replace(rate=flow.rate * late.reads, response=late.read)
    yield flow._replace(rate=flow.rate * (1.0 - late.reads), response=late.write, ahead=late.excess)


def _classes(flows: Sequence[FittedFlow]) -> dict[str, list[FittedFlow]]:
    """Return the flows of each class, in the order in which the classes come."""
    classes: dict[str, list[FittedFlow]] = {}
    for (owner, ahead), ones in groupby(flows, itemgetter(0, 11)):
        classes.setdefault(f"{owner}, written back" if ahead else owner, []).extend(ones)
    return classes


def _with_arms(model: FittedModel) -> FittedModel:
    """Return a model with the arms behind each LCU whose misses take longer than an arm needs.

    Requests come to each at random, so that a miss takes the time of an arm over the part that it is idle.
    """
    arms, times = {}, dict[str, float]()
    for key, lcu in model.lcus.items():
        flows = [flow for flow in model.flows if flow.lcu == key]
        missing = 0.0 if isinstance(lcu.misses, Absent) else _rate(flows) * float(lcu.misses)
        time = sum(flow.rate * flow.miss for flow in flows) / missing if missing else 0.0
        if missing > FEW_MISSES * _rate(flows) and time >= QUEUES_FOR_ARMS * SEEK:
            busy = min(FULL, 1.0 - SEEK / time)
            arms[key] = FittedArms(missing * SEEK / busy, len({flow.volume for flow in flows}))
            times[key] = time
    flows = [
        flow._replace(missed=min(1.0, flow.miss / times[flow.lcu])) if flow.lcu in times else flow
        for flow in model.flows
    ]
    return model._replace(flows=tuple(flows), arms=arms) if arms else model


def _service(
    model: FittedModel, behind: Mapping[str, Volumes], waits: Mapping[str, float]
) -> dict[str, float]:
    """Return the seconds per byte of each LCU: of a storage server what its LCU with most waiting shows."""
    services: dict[str, float] = {}
    boxes: dict[str, list[str]] = {}
    for key, lcu in model.lcus.items():
        if isinstance(lcu.capacity, Absent):
            boxes.setdefault(lcu.box or key, []).append(key)
        else:
            size = _mean(behind[key], "size") or 2 * FIXED
            services[key] = size / service_bytes(size) / float(lcu.capacity)
    for keys in boxes.values():
        service, most, limit = 0.0, -1.0, float("inf")
        for key in keys:
            carried = sum(map(mul, behind[key].column("rate"), _needs(behind[key])))
            if not carried:
                continue
            limit = min(limit, FULL / carried)
            lost = waits[key] * sum(behind[key].column("rate"))
            if lost > most:
                most = lost
                service = _service_of(waits[key], behind[key], model.lcus[key].aliases, model.evenly)
        services |= dict.fromkeys(keys, min(service, limit))
    return services


def _service_of(wait: float, volumes: Volumes, aliases: int, evenly: float) -> float:
    """Return the seconds per byte with which requests wait so long in an LCU, as in the network.

    It finds the service k for which wait = part k (wait carried + k sum(rate bytes^2) / 2): the work that is
    there, as far as it is met.  Where nothing waits, nothing tells it: 0.
    """
    if not wait:
        return 0.0
    rates, sizes = volumes.column("rate"), _needs(volumes)
    carried = float(sum(map(mul, rates, sizes)))
    squares = sum(map(mul, rates, map(pow, sizes, repeat(2)))) * CONSTANT
    inside = min(
        float(sum(volumes.column("servers")) + aliases),
        float(sum(map(mul, rates, volumes.column("response")))),
    )
    low, high = 0.0, FULL / carried
    for _ in range(BISECTIONS):
        service = (low + high) / 2
        met = evened(1.0 / max(1.0, inside), service * carried) * evened(evenly, service * carried)
        enough = met * service * (wait * carried + service * squares) > wait
        low, high = (low, service) if enough else (service, high)
    return high


def _paths(chpids: tuple[str, ...], load: ObservedLoad, users: Volumes) -> FittedPaths:
    uses = [float(use) for chpid in chpids if not isinstance(use := load.paths.get(chpid, 0.0), Absent)]
    most, servers = max(uses, default=0.0), float(len(chpids))
    pooled = load.fcp.isdisjoint(chpids)
    if not load.paths_measured or most <= 0:
        return FittedPaths(chpids, servers, pooled=pooled)
    own = _busy_time(users)
    outside = max(0.0, sum(uses) - own) / servers
    used = min(servers, max(1.0, sum(uses) / most))
    if pooled:
        used = servers if most < BUSY else float(len(taken_paths(uses)))
    disks = max(1.0, len(users) / used)
    return FittedPaths(chpids, used, outside if outside > OUTSIDE else 0.0, pooled, disks)


def taken_paths(uses: Sequence[float]) -> Sequence[float]:
    """Return the utilisation of the paths that are taken, of some of which a request may take any.

    One that stands idle beside a full one is not.
    """
    return uses if max(uses, default=0.0) < BUSY else [use for use in uses if use > IDLE]


def _busy_time(users: Volumes) -> float:
    """Return how many paths volumes keep busy."""
    return float(sum(map(mul, users.column("rate"), users.column("conn"))))


def _latency(
    behind: Mapping[str, Volumes],
    group_of: Mapping[str, str],
    paths: Mapping[str, FittedPaths],
    users: Mapping[str, Volumes],
) -> dict[str, float]:
    """Return Pend without the wait for a path; of LCUs without I/O the least of the others."""
    latencies: dict[str, float] = {}
    busy = {group: _busy_time(ones) for group, ones in users.items()}
    conn = {group: _mean(ones, "conn") for group, ones in users.items()}
    for key, ones in behind.items():
        group = group_of.get(key, "")
        if not ones:
            continue
        latencies[key] = _mean(ones, "pend")
        if group:
            time = busy[group]
            servers = paths[group].servers * (1 - paths[group].outside)
            found_work = crowding(servers, time / servers) * time
            wait = found_work * CONSTANT * conn[group] / max(1 - FULL, 1 - found_work)
            latencies[key] = max(0.0, latencies[key] - wait)
            if time / servers > BUSY:
                latencies[key] = min(latencies[key], LATENCY)
    least = min(latencies.values(), default=0.0)
    return {key: latencies.get(key, least) for key in behind}


def _latency_before_batches(
    flows: Sequence[FittedFlow], paths: FittedPaths, population: Mapping[str, float], otherwise: float
) -> float:
    """Return the latency of disks behind FCP adapters: of reads, less what they wait behind batches.

    What the adapter is waited for is not measured, so that all of it counts as pending.
    """
    written = [flow for flow in flows if flow.ahead]
    read = [flow for flow in flows if not flow.ahead]
    rate, many = sum(flow.rate for flow in read), sum(flow.rate for flow in written)
    if not rate or not many:
        return otherwise
    use = sum(flow.rate * flow.conn for flow in written) / paths.servers
    excess = sum(flow.rate * flow.ahead for flow in written) / many
    between = sum(population[owner] for owner in {flow.members for flow in read}) / rate
    time = sum(flow.rate * flow.conn for flow in flows) / paths.servers
    waits = blocked(use, excess, between) + time * time * CONSTANT / max(1 - FULL, 1 - time) / (rate + many)
    return max(0.0, sum(flow.rate * (flow.response - flow.conn) for flow in read) / rate - waits)


def _with_ahead(
    flow: FittedFlow,
    late: Mapping[str, _LateWrites],
    behind: Mapping[str, Volumes],
    lcus: Mapping[str, ObservedLcu],
    group: FittedPaths | None,
) -> FittedFlow:
    """Return a flow with the number of requests for the time that it waits in its batch, which it has."""
    if group is not None and not group.pooled:
        return flow._replace(ahead=flow.ahead / (flow.conn * group.met))
    write = late[flow.volume]
    carried = sum(behind[flow.lcu].column("rate"))
    servers = flow.servers + lcus[flow.lcu].aliases * write.rate / carried
    return flow._replace(ahead=flow.ahead * servers / write.serv)


def _population(
    classes: Mapping[str, Sequence[FittedFlow]], processors: float, computing: float
) -> dict[str, float]:
    """Return how many requests each class has: in Linux and beyond, with processors, waiting for them."""
    populations = {owner: _requests(flows) for owner, flows in classes.items()}
    rates = {owner: _rate(flows) for owner, flows in classes.items() if not flows[0].ahead}
    if not processors or not rates:
        return populations
    whole = sum(rates.values())
    use = min(COMPUTING, whole * computing / processors)
    answers = sum(populations[owner] for owner in rates) / whole
    many = at_processors(use, processors, answers / computing if computing else 0.0)
    return populations | {owner: populations[owner] + many * rate / whole for owner, rate in rates.items()}


def _rate(flows: Sequence[FittedFlow]) -> float:
    return float(sum(map(attrgetter("rate"), flows)))


def _requests(flows: Sequence[FittedFlow]) -> float:
    """Return how many requests some flows have in Linux and beyond."""
    return float(sum(map(mul, map(attrgetter("rate"), flows), map(attrgetter("response"), flows))))


def _responses(classes: Mapping[str, Sequence[FittedFlow]]) -> dict[str, float]:
    """Return the mean response time of each class."""
    return {owner: _requests(flows) / _rate(flows) for owner, flows in classes.items()}


def _with_waits(model: FittedModel, volumes: Volumes, late: Mapping[str, _LateWrites]) -> FittedModel:
    """Fit how evenly requests come to volumes, from what they wait there."""
    keys, measured, estimates = _found_waits(model, volumes, late)
    at_random, in_turn = (sum(waits) for waits in estimates)
    if sum(measured) <= 0 or at_random <= 0:
        return model
    if sum(measured) > at_random:
        # with aliases of a pool nearly nothing is waited at random: a multiple of it says nothing of less
        aliases = _aliases(model)
        alone = [key not in aliases for key in keys]
        queued, at_random = (sum(compress(waits, alone)) for waits in (measured, estimates[0]))
        return model._replace(burst=max(1.0, min(MAX_BURST, queued / at_random))) if at_random else model
    evenly_used = (at_random - sum(measured)) / max(1e-12, at_random - in_turn)
    return model._replace(evenly=min(1.0, evenly_used))


def _found_waits(
    model: FittedModel, volumes: Volumes, late: Mapping[str, _LateWrites]
) -> tuple[Sequence[str], list[float], tuple[list[float], list[float]]]:
    """Return the volumes, what is measured of the waits before each, and what requests would wait there.

    The latter where they come at random, and where they use the volumes of their class in turn.  Where a
    class has no more than one request at a time, it finds nothing but its own work before a volume.
    """
    often = Counter(map(attrgetter("volume"), model.flows))
    place_of = {key: at for at, key in enumerate(volumes.column("key"))}
    ones = volumes.part([place_of[key] for key in often])
    measured = list(map(mul, ones.column("rate"), ones.column("queued")))
    estimates: tuple[list[float], list[float]] = [0.0] * len(ones), [0.0] * len(ones)
    classes, aliases = _classes(model.flows), _aliases(model)
    rates = {members: _rate(flows) for members, flows in classes.items()}
    is_shared = len(ones) < len(model.flows)
    of_volume: dict[str, list[FittedFlow]] = {}
    for members, flows in classes.items():
        is_crowded = model.population[members] > 1.0
        for flow in flows if is_crowded or is_shared else ():
            if is_crowded or often[flow.volume] > 1:
                of_volume.setdefault(flow.volume, []).append(flow)
    columns = zip(*map(ones.column, ("key", "lcu", "rate", "serv", "servers", "queued", "disc")), strict=True)
    for at, (key, lcu, rate, serv, own, queued, disc) in enumerate(columns if of_volume else ()):
        if key not in of_volume:
            continue
        flows, servers = of_volume[key], own + aliases.get(key, 0.0)
        # what it finds, as in the network: the work of those that are there without its own part
        work = rate * serv * (queued + serv * residual(disc, serv))
        batched = 0.0
        if key in late and paths_pooled(model, lcu):
            batched = sum(flow.rate * late[key].excess for flow in flows if flow.ahead)
        work = max(0.0, work - batched * serv)
        work *= rate * crowding(servers, rate * serv / servers)
        measured[at] -= batched * (1.0 + rate * serv / servers)
        parts = [
            ((flow.rate / rate) ** 2, model.population[flow.members], flow.rate / rates[flow.members])
            for flow in flows
        ]
        for evenly, waits in enumerate(estimates):
            met = sum([part * own_part(many, fraction, evenly) for part, many, fraction in parts])
            waits[at] = work * (1 - met)
    return list(often), measured, estimates


def _with_factors(model: FittedModel) -> tuple[FittedModel, Network, Solution]:
    """Fit the factors of the waits of classes to the response times that were measured."""
    factors = dict.fromkeys(model.population, 1.0)
    network = network_of(model)
    solution = solve(network)
    for _ in range(FITS):
        for request_class, flows in zip(network.classes, solution.flows, strict=True):
            least = sum(flow.part * flow.least for flow in request_class.flows)
            now, wanted = mean_response(flows) - least, model.response[request_class.title] - least
            if now > 0.01 * least:
                factor = factors[request_class.title] * sqrt(max(0.1, min(10.0, wanted / now)))
                factors[request_class.title] = max(LEAST_FACTOR, min(MAX_BURST, factor))
        model = model._replace(factors=dict(factors))
        network = network_of(model)
        solution = solve(network, solution)
    return model, network, solution


def class_rates(model: FittedModel) -> dict[str, float]:
    """Return the requests per second of each class, as they were measured."""
    return {owner: _rate(flows) for owner, flows in _classes(model.flows).items()}


def paths_pooled(model: FittedModel, lcu: str) -> bool:
    """Return whether requests of an LCU take any path that is free, or none is known."""
    group = model.group_of.get(lcu)
    return group is None or model.paths[group].pooled


def network_of(model: FittedModel) -> Network:
    """Return the network of a model."""
    stations: list[Station] = []
    places: dict[tuple[str, str], int] = {}

    def place(station: Station) -> int:
        at = places.setdefault((station.kind, station.key), len(stations))
        if at == len(stations):
            stations.append(station)
        return at

    before: tuple[tuple[int, float], ...] = ()
    if model.processors and model.computing:
        processors = Station(
            "processors",
            "cpu",
            many(round(model.processors), "processor"),
            max(LEFT, model.processors - model.background),
            EXPONENTIAL,
            outside=model.background,
        )
        before = ((place(processors), model.computing),)
    aliases, inside, rates = _aliases(model), subchannels(model), class_rates(model)
    arms = _arm_stations(model)
    classes: dict[str, list[Flow]] = {}
    steady = {flow.members for flow in model.flows if flow.steady}
    owner_of = {flow.members: flow.owner for flow in model.flows}
    for flow in model.flows:
        holds, delay = [], model.latency[flow.lcu]
        seconds = model.service[flow.lcu] * service_bytes(flow.size)
        if seconds:
            lcu = Station(
                "lcu", flow.lcu, model.lcus[flow.lcu].title, 1.0, evenly=model.evenly, inside=inside[flow.lcu]
            )
            holds.append((place(lcu), seconds))
        group = model.group_of.get(flow.lcu)
        if group is None:
            delay += flow.conn
        else:
            paths = model.paths[group]
            servers = paths.servers * (1 - paths.outside)
            holds.append(
                (
                    place(
                        Station(
                            "paths",
                            group,
                            _title(group, paths),
                            servers,
                            evenly=model.evenly,
                            pooled=paths.pooled,
                        )
                    ),
                    flow.conn,
                )
            )
        volume = Station(
            "volume", flow.volume, model.titles.get(flow.volume, flow.volume),
            flow.servers + aliases.get(flow.volume, 0.0), EXPONENTIAL, model.burst, model.evenly,
        )  # fmt: skip
        batch = None
        if flow.ahead and paths_pooled(model, flow.lcu):
            batch = place(volume), flow.ahead / volume.servers
        elif flow.ahead and group is not None:
            batch = holds[-1][0], flow.ahead * model.paths[group].met
        part, least = flow.rate / rates[flow.members], delay + (flow.conn if group is not None else 0.0)
        flows = classes.setdefault(flow.members, [])
        ways: Sequence[tuple[float, Sequence[tuple[int, float]], float]] = [(1.0, (), flow.miss)]
        if flow.missed and flow.lcu in arms:
            wait = place(arms[flow.lcu]), SEEK
            ways = [(1.0 - flow.missed, (), 0.0), (flow.missed, (wait,), SEEK)]
        flows += (
            Flow(
                part * share,
                (*holds, *wait),
                place(volume),
                delay,
                miss,
                least + miss,
                flow.size,
                flow.lcu,
                batch,
            )
            for share, wait, miss in ways
            if share
        )
    order = sorted(classes, key=lambda name: owner_of[name] != name)
    """What is written back follows what it belongs to."""
    return Network(
        tuple(stations),
        tuple(
            RequestClass(
                name,
                model.population.get(name, 0.0),
                tuple(classes[name]),
                before if owner_of[name] == name else (),
                rates[name] if name in steady else None,
                model.factors.get(name, 1.0),
                None
                if owner_of[name] == name
                else (order.index(owner_of[name]), rates[name] / rates[owner_of[name]]),
            )
            for name in order
        ),
    )


def _arm_stations(model: FittedModel) -> dict[str, Station]:
    """Return the arms behind LCUs: of those that are not known to have fewer, as many as the most have."""
    most = max(model.arms.values(), key=attrgetter("number"), default=None)
    stations = {}
    for lcu, volumes in Counter(lcu for lcu, _ in {(flow.lcu, flow.volume) for flow in model.flows}).items():
        arms = model.arms.get(lcu, most)
        if arms is not None:
            many = arms.number * max(1.0, volumes / arms.volumes)
            title = f"the disks behind {model.lcus[lcu].title}"
            stations[lcu] = Station("arms", lcu, title, many, EXPONENTIAL, pooled=False)
    return stations


def _title(group: str, paths: FittedPaths) -> str:
    """Return the name of paths; of those of which some stand idle with how many are used."""
    used = round(paths.servers)
    shown = ranges(group.split())
    return f"{used} of paths {shown}" if used < len(paths.chpids) else f"paths {shown}"


def subchannels(model: FittedModel) -> dict[str, float]:
    """Return how many requests each LCU can have at once, by its subchannels."""
    servers: dict[str, dict[str, float]] = {}
    for flow in model.flows:
        servers.setdefault(flow.lcu, {})[flow.volume] = flow.servers
    return {lcu: sum(on.values()) + model.lcus[lcu].aliases for lcu, on in servers.items()}


def _aliases(model: FittedModel) -> dict[str, float]:
    """Return how many aliases of its LCU's pool a volume may count on: by its part of the requests."""
    rates: dict[str, dict[str, float]] = {}
    if not any(lcu.aliases for lcu in model.lcus.values()):
        return {}
    for flow in model.flows:
        on = rates.setdefault(flow.lcu, {})
        on[flow.volume] = on.get(flow.volume, 0.0) + flow.rate
    carried = {lcu: sum(on.values()) for lcu, on in rates.items()}
    return {
        volume: model.lcus[lcu].aliases * rate / carried[lcu]
        for lcu, on in rates.items()
        if model.lcus[lcu].aliases
        for volume, rate in on.items()
    }
