"""What an interval shows of volumes, control units, channel paths and processors, as queueing needs it.

Times are seconds, rates are per second, sizes bytes, utilisations parts of 1.  What was not measured is
absent with its reason.  `zmon.machine.observed` fills these records from an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache, partial
from itertools import compress, groupby, repeat
from math import fsum
from operator import add, attrgetter, ge, mul, not_, sub
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.base.limits import limit
from zmon.base.record import NamedTuple
from zmon.base.same import Same
from zmon.interval import IDLE
from zmon.kinds import CACHE_NOT_READ, WITHOUT_CMF
from zmon.sample import pick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zmon.base.absent import Number

MIN_REQUESTS: Final = 30
"""Requests in an interval below which a mean time says nothing."""
MIN_LOST: Final = limit("requests-wait")
"""Requests that wait on average, from which on a place is named."""
MIN_LONGER: Final = 0.5
"""The wait of a request as a part of what it takes without waiting, from which on it matters."""
FULL_ALIASES: Final = limit("alias-use")
"""The part of its aliases in use from which on an LCU has none for another request."""
UNUSED_ALIASES: Final = 0.02
"""The part of its aliases in use below which an LCU uses none, if requests wait for its bases."""
SLOW_PATH: Final = 10e6
"""Bytes a second of the slowest path: ESCON."""
MAX_MISS: Final = 0.010
"""Seconds that a cache miss takes at most: seek, rotation and transfer of a disk."""
QUEUED_MISS: Final = 2 * MAX_MISS
"""Seconds for each miss from which on it waits for an array at least as long as it is served there."""
MISSED: Final = 0.1
MOSTLY: Final = 0.5
"""The part of the requests that miss the cache from which on small ones, and large ones, wait for disks."""
LONG: Final = 0.001
"""Seconds at an LCU from which on a request may wait there."""
QUICK: Final = 0.5
"""Times what others take, below which requests do not wait for what these wait for."""
SMALL: Final = 65_536.0
"""Bytes of a request below which Disc may be cache misses where the cache statistics were not read."""
LATENCY: Final = 0.0003
"""Seconds after which an LCU accepts a request at the latest, if the paths are free."""
IDLE_SHARE: Final = 0.25
"""Times its even share of the load below which an LCU is idle."""
NOTHING: Final = 0.001
"""The part of the whole load up to which an LCU has next to nothing of it."""
NOTICED: Final = 0.02
"""The part of the processors that zmon itself uses, from which on it is named."""
TASKS_WAIT: Final = 0.5
"""The part of the time in which tasks wait for a processor, from which on processors that are not used all of
the time are full: more tasks than processors are then the rule, not a moment, which 90 % always bring."""
COUNTED: Final = absent("the cache statistics count what misses the cache")
NOT_APART: Final = absent("the times of reads and writes were not read apart")
NOT_TOGETHER: Final = absent("its devices were not timed together")
FEW_ALIASES: Final = 10
MANY_ALIASES: Final = 32
"""HyperPAV aliases of an LCU below which there are few, and above which there are many."""
ROUNDED: Final = 1.05
"""Utilisation up to which it is 100 %: figures that are read apart are not of exactly the same time."""
OVERLAPPED: Final = absent("several requests are connected at a time, so their time is no utilisation")
"""Of a path: FICON has several requests on the way at a time, and each counts its own connect time."""
NO_CAPACITY: Final = absent("the site file gives no capacity of the LCU")
NO_LCU: Final = absent("no device has a uid, so no LCU is known; --cp-file and --site name LCUs")
"""Why it is not known what requests wait for in LCUs: of disks, only the volumes are known."""
NOT_TIMED: Final = WITHOUT_CMF.about("was not read")
NOT_STOLEN: Final = absent("the time that the hypervisor withholds was not read")
NOT_OWN: Final = absent("the processor time of zmon itself was not read")
NOT_NICED: Final = absent("the processor time at nice was not read: /proc/stat")
NOT_COUNTED: Final = absent("the time that tasks wait for a processor was not read: /proc/pressure/cpu")
NOT_DELAYED: Final = absent("the time that tasks wait for a processor was not read: /proc/schedstat")
NOT_VARIED: Final = absent("the rate of requests did not vary, or too little")


def of_all(why: Absent) -> Absent:
    """Return why a device has no times of channel measurement as it is said of all devices."""
    return WITHOUT_CMF.about(why.facts[0]) if why.code == WITHOUT_CMF.code else why


class ObservedVolume(NamedTuple):
    """A disk with its subchannels: the base and the aliases that only it uses."""

    key: str
    """Bus id, or the name of the disk."""
    title: str
    """What screens call it: `7201`."""
    number: str
    """major:minor."""
    lcu: str
    """Key of its LCU; empty if unknown."""
    rate: float
    """Requests of Linux per second."""
    response: Number
    """What Linux waits for a request."""
    pend: Number
    disc: Number
    """With the time in which the device alone was active: neither needs a channel."""
    conn: Number
    """Per start of I/O, over all its subchannels; of the LCU where aliases of a pool serve it."""
    size: Number
    """Bytes of a request."""
    reads: Number
    """The part of the requests that read."""
    servers: int
    """How many requests it can do at once without aliases of a pool."""
    estimated: bool = False
    """Whether no channel measurement is read: `conn` is then the busy time of Linux per request."""
    read_response: Number = NOT_APART
    write_response: Number = NOT_APART
    """What Linux waits for a read and for a write."""
    sort: str = ""
    """`SCSI`, `NVMe` or `virtio`; empty for a DASD."""

    @property
    def kind(self) -> str:
        """What sort of thing it is, as diagnoses name it."""
        return "volume"

    @property
    def is_dasd(self) -> bool:
        """Whether it is a DASD: other disks have no aliases, and channel measurement does not time them."""
        return not self.sort

    @property
    def serv(self) -> Number:
        """The time from the start of I/O to its end."""
        return self.pend + self.disc + self.conn

    @property
    def queued(self) -> Number:
        """What a request waits in Linux before it is started."""
        wait = self.response - self.serv
        return wait if isinstance(wait, Absent) else max(0.0, wait)

    @property
    def use(self) -> Number:
        """Its utilisation, by what serves it: above 1 where aliases of a pool help."""
        return self.rate * self.serv / self.servers


class Volumes(Sequence[ObservedVolume]):
    """Some volumes, column by column; a column, or the records, are made when somebody asks for them.

    In a large machine most volumes are idle most of the time, and few ask for all that is known of one.
    """

    def __init__(self, rows: Sequence[int], column: Callable[[str, Sequence[int]], Sequence[Any]]) -> None:
        """Take the rows of volumes; `column` returns a field of `ObservedVolume`, by its name, of rows."""
        self.rows, self._make = rows, column
        self._columns: dict[str, Sequence[Any]] = {}
        self.means: dict[str, Number] = {}
        """Means by the names of what is averaged: each is computed once, for all causes that ask for it."""

    @staticmethod
    def of(volumes: Sequence[ObservedVolume]) -> Volumes:
        """Return volumes that may be single records."""
        if isinstance(volumes, Volumes):
            return volumes
        return Volumes(
            range(len(volumes)), lambda name, rows: list(map(attrgetter(name), pick(volumes, rows)))
        )

    def column(self, name: str) -> Sequence[Any]:
        """Return a field, or `serv` or `queued`, of each volume."""
        values = self._columns.get(name)
        if values is None:
            values = self._columns[name] = (
                DERIVED[name](self) if name in DERIVED else self._make(name, self.rows)
            )
        return values

    def part(self, places: Sequence[int]) -> Volumes:
        """Return those at some places: their columns are cut out of these."""
        return Volumes(places, lambda name, cut: pick(self.column(name), cut))

    def some(self, places: Iterable[int]) -> Volumes:
        """Return those at some places, of few: their columns are made for them alone."""
        return Volumes([self.rows[at] for at in places], self._make)

    def but(self, **columns: Sequence[Any]) -> Volumes:
        """Return the same volumes with some other columns."""

        def column(name: str, places: Sequence[int]) -> Sequence[Any]:
            return pick(columns[name] if name in columns else self.column(name), places)

        return Volumes(range(len(self)), column)

    def used(self) -> Volumes:
        """Return those with requests: no column is made for the others."""
        rates = self.column("rate")
        return self if all(rates) else self.some(compress(range(len(rates)), rates))

    def by_lcu(self) -> dict[str, Volumes]:
        """Return the volumes of each LCU."""
        return {lcu: self.part(places) for lcu, places in places_by(self.column("lcu")).items()}

    @cached_property
    def rate(self) -> float:
        """The requests per second of all."""
        return fsum(self.column("rate"))

    @cached_property
    def _records(self) -> tuple[ObservedVolume, ...]:
        columns = map(self.column, ObservedVolume._fields)
        return tuple(map(partial(tuple.__new__, ObservedVolume), zip(*columns, strict=True)))

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice) or "_records" in self.__dict__:
            return self._records[at]
        volume = self.some([at])
        columns = self._columns
        return ObservedVolume._make(
            columns[name][at] if name in columns else volume.column(name)[0]
            for name in ObservedVolume._fields
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ObservedVolume]:
        return iter(self._records)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._records == tuple(other)

    def __hash__(self) -> int:
        return hash(self._records)

    def __repr__(self) -> str:
        return repr(self._records)


def _serv(volumes: Volumes) -> list[Number]:
    pend, disc, conn = map(volumes.column, ("pend", "disc", "conn"))
    return list(map(add, map(add, pend, disc), conn))


def _queued(volumes: Volumes) -> list[Number]:
    waits = map(sub, volumes.column("response"), volumes.column("serv"))
    return list(map(max, waits, repeat(0.0)))  # an absent one is never below 0


def _are_dasds(volumes: Volumes) -> list[bool]:
    return list(map(not_, volumes.column("sort")))


DERIVED: Final[Mapping[str, Callable[[Volumes], Sequence[Any]]]] = {
    "serv": _serv,
    "queued": _queued,
    "is_dasd": _are_dasds,
}
"""Columns that follow from others, as the properties of one volume do."""
NO_VOLUMES: Final = Volumes((), lambda _name, _rows: ())


def places_by(lcus: Sequence[str]) -> dict[str, Sequence[int]]:
    """Return by LCU where its volumes are in a list, of which the LCU of each is given."""
    by_lcu: dict[str, list[int]] = {}
    for lcu, places in groupby(range(len(lcus)), lcus.__getitem__):
        by_lcu.setdefault(lcu, []).extend(places)
    return by_lcu  # type: ignore[return-value]  # lists are sequences


class ObservedLcu(NamedTuple):
    """A logical control unit."""

    key: str
    title: str
    """`LCU 6`."""
    box: str
    """The storage server: LCUs of one are taken to be alike."""
    chpids: tuple[str, ...]
    aliases: int = 0
    """In its pool."""
    alias_use: Number = 0.0
    """How many of these are busy on average."""
    misses: Number = CACHE_NOT_READ
    """The part of all requests that the cache does not answer."""
    capacity: Number = NO_CAPACITY
    """Bytes a second, by the site."""
    pend: Number = NOT_TOGETHER
    disc: Number = NOT_TOGETHER
    conn: Number = NOT_TOGETHER
    """Per start of I/O, over all its devices: those of CTLUNIT."""

    @property
    def pool_use(self) -> Number:
        """The part of its aliases that is busy on average."""
        return ratio(self.alias_use, self.aliases, "it has no aliases")

    @property
    def kind(self) -> str:
        """What sort of thing it is, as diagnoses name it."""
        return "lcu"


class ObservedProcessors(NamedTuple):
    """The processors of this Linux."""

    number: Number
    busy: Number
    """Mean utilisation of each."""
    stolen: Number = NOT_STOLEN
    """The part of the time of each that the hypervisor withholds while Linux has work for it."""
    background: Number = NOT_VARIED
    """How many of them are busy on average with what does not go with I/O; absent where that is not known."""
    waits: bool | None = None
    """Whether tasks wait for one; None if nobody counted them."""
    own: Number = NOT_OWN
    """The part of the time of each that zmon itself uses."""
    niced: Number = NOT_NICED
    """The part of the time of each that programs at nice use, which give way to all others."""
    some: Number = NOT_COUNTED
    """The part of the time in which some task waits for one (PSI)."""
    delayed: Number = NOT_DELAYED
    """Tasks that wait for one on average, as the scheduler counts them."""

    @property
    def noticed(self) -> float:
        """The part that zmon itself uses, where it is worth naming; 0 where it is not, or not known."""
        return 0.0 if isinstance(self.own, Absent) or self.own < NOTICED else float(self.own)

    @property
    def giving_way(self) -> float:
        """The part that programs at nice use, where it is worth naming; 0 where it is not, or not known."""
        return 0.0 if isinstance(self.niced, Absent) or self.niced < NOTICED else float(self.niced)

    @property
    def taken(self) -> Number:
        """The part of their time that is no longer to be had: used, or withheld."""
        return self.busy if isinstance(self.stolen, Absent) else self.busy + self.stolen


def tasks_wait(number: Number, running: Number, some: Number) -> bool | None:
    """Return whether tasks wait for one of so many processors; None if nobody counted them.

    `running` are the tasks that run or wait, `some` is the part of the time in which some task waits.
    """
    if isinstance(some, Absent):
        return None if isinstance(running, Absent) else bool(running > number)
    return bool(some >= TASKS_WAIT)


class ObservedLoad(NamedTuple):
    """One interval."""

    seconds: float
    volumes: Sequence[ObservedVolume]
    lcus: tuple[ObservedLcu, ...]
    paths: Mapping[str, Number]
    """The utilisation of each channel path by its CHPID."""
    paths_measured: bool
    """Whether this is the load of the whole machine, or the connect time of this Linux alone."""
    processors: ObservedProcessors
    fcp: frozenset[str] = frozenset()
    """The paths that are FCP adapters."""
    ficon: frozenset[str] = frozenset()
    """The paths that are FICON: on each several requests are connected at a time."""
    missing: tuple[str, ...] = ()
    """What was not read, in words."""
    swap: frozenset[str] = frozenset()
    """The keys of volumes that Linux swaps to."""
    not_timed: Absent = NOT_TIMED
    """Why channel measurement gives no times of a DASD whose LCU is not known."""
    lost: frozenset[str] = frozenset()
    """The channel paths that devices on line have and none of them can use."""
    in_flight: tuple[Number, ...] = ()
    """How many requests all disks have when the interval begins, and when it ends; empty: not known."""

    def volumes_of(self, lcu: str) -> Volumes:
        """Return the volumes of an LCU."""
        return _sums(Same(self)).by_lcu.get(lcu, NO_VOLUMES)

    @property
    def used(self) -> Volumes:
        """The volumes with requests, which alone have means."""
        return _sums(Same(self)).used

    @property
    def lcus_by_key(self) -> dict[str, ObservedLcu]:
        """The LCUs by their keys."""
        return {lcu.key: lcu for lcu in self.lcus}

    def used_of(self, lcu: str) -> Volumes:
        """Return the volumes of an LCU that have requests."""
        return _sums(Same(self)).used_by_lcu.get(lcu, NO_VOLUMES)

    def rate_of(self, lcu: str) -> float:
        """Return the requests per second of all volumes of an LCU."""
        return self.used_of(lcu).rate

    def bytes_of(self, lcu: str) -> float:
        """Return the bytes per second of all volumes of an LCU, as far as they are known."""
        return bytes_of(self.used_of(lcu))

    @property
    def busy(self) -> Volumes:
        """The volumes with so many requests that their mean times mean something."""
        return _sums(Same(self)).busy

    def busy_of(self, lcu: str) -> Volumes:
        """Return the volumes of an LCU with so many requests."""
        return _sums(Same(self)).busy_by_lcu.get(lcu, NO_VOLUMES)

    @property
    def busiest(self) -> ObservedVolume | None:
        """The volume with most requests in it or waiting for it; None where none has any.

        Those of which nobody can say how many it has, or that have next to none, come behind the others.
        """
        return _sums(Same(self)).busiest

    def volume(self, key: str) -> ObservedVolume | None:
        """Return the volume with a key; None if there is none."""
        return _sums(Same(self)).by_key.get(key)

    def time_of(self, lcu: ObservedLcu, name: str) -> Number:
        """Return `pend`, `disc`, `conn` or their sum `serv` of an LCU, as CTLUNIT has it."""
        own = lcu.pend + lcu.disc + lcu.conn if name == "serv" else getattr(lcu, name)
        return mean_of(self.used_of(lcu.key), name) if isinstance(own, Absent) else own

    @property
    def knows_paths(self) -> bool:
        """Whether the load of channel paths is known: that of idle ones says nothing of those with I/O."""
        uses = {key: use for key, use in self.paths.items() if not isinstance(use, Absent)}
        with_io = [lcu.chpids for lcu in self.lcus if lcu.chpids and self.used_of(lcu.key)]
        return any(uses.values()) or (bool(uses) and not any(map(uses.keys().isdisjoint, with_io)))

    @property
    def untimed(self) -> Absent:
        """Why channel measurement gives no times, as CTLUNIT says it of the first LCU without."""
        pends = (lcu.pend for lcu in self.lcus if self.used_of(lcu.key))
        lacking = (pend for pend in pends if isinstance(pend, Absent) and pend is not NOT_TOGETHER)
        return of_all(next(lacking, self.not_timed))

    @property
    def has_no_lcu(self) -> bool:
        """Whether DASD have I/O, and the LCU of none is known."""
        return not self.lcus and any(self.busy.column("is_dasd"))

    @property
    def is_untimed(self) -> bool:
        """Whether a DASD with enough I/O has no channel measurement."""
        return _sums(Same(self)).is_untimed

    def enough(self, rate: float) -> bool:
        """Return whether a rate makes so many requests that their mean times mean something."""
        return rate * self.seconds >= MIN_REQUESTS


class _LoadSums:
    """What follows from the volumes of one load, computed once for all causes that ask for it."""

    def __init__(self, load: ObservedLoad) -> None:
        self._volumes = Volumes.of(load.volumes)
        self.used = self._volumes.used()
        rates = self.used.column("rate")
        enough = map(ge, map(mul, rates, repeat(load.seconds)), repeat(MIN_REQUESTS))
        self.busy = self.used.some(compress(range(len(rates)), enough))

    @cached_property
    def by_lcu(self) -> dict[str, Volumes]:
        return self._volumes.by_lcu()

    @cached_property
    def used_by_lcu(self) -> dict[str, Volumes]:
        return self.used.by_lcu()

    @cached_property
    def busy_by_lcu(self) -> dict[str, Volumes]:
        return self.busy.by_lcu()

    @cached_property
    def busiest(self) -> ObservedVolume | None:
        some = self.busy if len(self.busy) else self.used
        many = list(map(requests_of, some.column("rate"), some.column("response")))
        return some.some([many.index(max(many))])[0] if many else None

    @cached_property
    def is_untimed(self) -> bool:
        columns = zip(*map(self.busy.column, ("is_dasd", "estimated", "disc")), strict=True)
        return any(dasd for dasd, estimated, disc in columns if estimated or isinstance(disc, Absent))

    @cached_property
    def by_key(self) -> dict[str, ObservedVolume]:
        return {volume.key: volume for volume in self._volumes}


@lru_cache(maxsize=4)  # the intervals that are looked at; each keeps its samples in memory
def _sums(load: Same[ObservedLoad]) -> _LoadSums:
    return _LoadSums(load.it)


def bytes_of(volumes: Sequence[ObservedVolume]) -> float:
    """Return the bytes per second of some volumes, as far as they are known; 0 where none are."""
    carried = carried_by(volumes)
    return 0.0 if isinstance(carried, Absent) else float(carried)


def carried_by(volumes: Sequence[ObservedVolume]) -> Number:
    """Return the bytes per second of some volumes, as far as they are known; absent where none are.

    So CTLUNIT adds them up, too.
    """
    columns = Volumes.of(volumes)
    loads = list(map(mul, columns.column("rate"), columns.column("size")))
    numbers = [load for load in loads if load.__class__ is not Absent]
    return loads[0] if loads and not numbers else fsum(numbers)


def utilisation(use: Number) -> Number:
    """Return how busy a path is, a part of 1; absent where the connect times on it are more than the time."""
    return use if isinstance(use, Absent) or use <= 1.0 else OVERLAPPED


def busy_words(use: float) -> str:
    """Say how busy a path is: `76 % busy`, or `with 4.5 requests connected at a time` well above 100."""
    return (
        f"{100 * min(use, 1.0):.0f} % busy"
        if use < ROUNDED
        else f"with {use:.1f} requests connected at a time"
    )


def requests_of(rate: float, response: Number) -> tuple[float, float]:
    """Return how many requests a volume has on average, and its rate: what volumes are ranked by."""
    many = rate * response
    return (0.0 if isinstance(many, Absent) else many), rate


def mean_of(volumes: Sequence[ObservedVolume], name: str) -> Number:
    """Return the mean of a time or size over some volumes, each with its rate as its weight."""
    columns = Volumes.of(volumes)
    mean = columns.means.get(name)
    if mean is None:
        mean = columns.means[name] = _mean_of(columns, name)
    return mean


def _mean_of(volumes: Volumes, name: str) -> Number:
    values, rates = volumes.column(name), volumes.column("rate")
    mean = mean_by_rate(values, rates)
    if mean is None:
        reasons = (value.reason for value, rate in zip(values, rates, strict=True) if rate)
        return absent(next(reasons, IDLE.reason))
    return mean


def mean_by_rate(values: Sequence[Number], rates: Sequence[float]) -> float | None:
    """Return the mean of the values that are known, each with its rate as its weight; None without any."""
    if values and 0 not in rates and Absent not in set(map(type, values)):
        return fsum(map(mul, values, rates)) / fsum(rates)
    products = list(map(mul, values, rates))
    is_there = [product.__class__ is not Absent for product in products]
    rate = fsum(compress(rates, is_there))
    return fsum(compress(products, is_there)) / rate if rate else None


def idle_lcus(carried: Mapping[str, Number]) -> list[str]:
    """Return the keys of the LCUs that are idle: those with less than a quarter of their even share.

    All that zmon says of idle LCUs asks here.  `carried` has the bytes per second of each LCU by its key.
    """
    loads = {key: float(load) for key, load in carried.items() if not isinstance(load, Absent)}
    even = fsum(loads.values()) / max(1, len(loads))
    return [key for key, load in loads.items() if load < IDLE_SHARE * even]


def state_of_idle(carried: Mapping[str, Number], idle: Sequence[str]) -> str:
    """Return what `idle_lcus` are: idle where each has next to nothing of the load, else hardly used."""
    loads = {key: float(load) for key, load in carried.items() if not isinstance(load, Absent)}
    least = NOTHING * fsum(loads.values())
    return "idle" if all(loads.get(key, 0.0) <= least for key in idle) else "hardly used"


def path_groups(lcus: Iterable[ObservedLcu]) -> dict[str, tuple[str, ...]]:
    """Return the sets of channel paths that no LCU shares with another set, by their CHPIDs in words."""
    groups: list[set[str]] = []
    for lcu in lcus:
        chpids = set(lcu.chpids)
        if not chpids:
            continue
        joined = [group for group in groups if group & chpids]
        groups = [group for group in groups if not group & chpids]
        groups.append(chpids.union(*joined))
    return {" ".join(sorted(group)): tuple(sorted(group)) for group in groups}


def disc_of_misses(lcu: ObservedLcu, volumes: Sequence[ObservedVolume]) -> float:
    """Return the seconds of Disc of a mean request of an LCU that are no wait for the LCU."""
    disc, size = mean_of(volumes, "disc"), mean_of(volumes, "size")
    if isinstance(disc, Absent):
        return 0.0
    if isinstance(lcu.misses, Absent):
        return min(float(disc), MAX_MISS) if isinstance(size, Absent) or size < SMALL else 0.0
    return min(float(disc), lcu.misses * MAX_MISS)


def waits_for_disks(load: ObservedLoad, lcu: ObservedLcu) -> bool:
    """Return whether disks are what requests wait for inside an LCU: how busy it is does not follow then.

    They miss the cache, or reads alone wait, or they are small, mostly write, and wait longer than one disk
    takes.
    """
    if reads_beyond_writes(load, lcu) >= LONG:
        return True
    volumes, disc = load.used_of(lcu.key), load.time_of(lcu, "disc")
    size, reads = mean_of(volumes, "size"), mean_of(volumes, "reads")
    is_small = not isinstance(size, Absent) and size < SMALL
    if lcu.misses > (MISSED if is_small else MOSTLY):
        return True
    return is_small and reads < MOSTLY and not disc < MAX_MISS


def reads_beyond_writes(load: ObservedLoad, lcu: ObservedLcu) -> Number:
    """Return the seconds that small reads at an LCU take longer than writes to the same volumes.

    A full LCU, path or volume holds up both.  What reads alone wait for are the disks, where they miss the
    cache: a write is done when it is in the write cache.  Absent where writes wait too, where reads may wait
    before the LCU, where nothing tells, and where the cache statistics count what misses the cache.
    """
    if not isinstance(lcu.misses, Absent):
        return COUNTED
    volumes = load.used_of(lcu.key)
    if not mean_of(volumes, "size") < SMALL:
        return NOT_APART
    columns = zip(*map(volumes.column, ("rate", "reads", "read_response", "write_response")), strict=True)
    both = [
        (rate * reads, read, write)
        for rate, reads, read, write in columns
        if load.enough(rate * (1 - reads)) and load.enough(rate * reads)
    ]
    rate = fsum(reads for reads, _, _ in both)
    if rate < MOSTLY * volumes.rate * mean_of(volumes, "reads"):
        return NOT_APART
    read, write = (mean_by_rate([pair[at] for pair in both], [pair[0] for pair in both]) for at in (1, 2))
    if read is None or write is None or write >= QUICK * read:
        return NOT_APART
    is_untimed = any(volumes.column("estimated"))
    inside = served_at_least(lcu, volumes) if is_untimed else mean_of(volumes, "disc")
    return NOT_APART if inside < QUICK * mean_of(volumes, "reads") * (read - write) else read - write


def at_once(lcu: ObservedLcu, volumes: Sequence[ObservedVolume]) -> float:
    """Return how many requests bases and aliases do at once: a base while Linux has one for it."""
    return sum(float(disk.use) for disk in volumes if not isinstance(disk.use, Absent)) + lcu.aliases


def served_at_least(lcu: ObservedLcu, volumes: Sequence[ObservedVolume]) -> float:
    """Return the seconds that requests are at an LCU at least beyond Linux, which nothing times.

    `volumes` are those of it that they go to: if more come than subchannels do at once, as many are there.
    """
    many = sum(requests_of(disk.rate, disk.response)[0] for disk in volumes)
    return min(many, at_once(lcu, volumes)) / sum(disk.rate for disk in volumes)


def takes_as_misses(lcu: ObservedLcu, disc: Number) -> bool:
    """Return whether requests are so long inside an LCU because they miss the cache: its arrays have time."""
    return bool(lcu.misses > MISSED and disc < QUEUED_MISS * lcu.misses)
