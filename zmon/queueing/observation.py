"""What an interval shows of volumes, control units, channel paths and processors, as queueing needs it.

Times are seconds, rates are per second, sizes bytes, utilisations parts of 1.  What was not measured is
absent with its reason.  `zmon.tables.observed` fills these records from an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from math import fsum
from operator import attrgetter, mul
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import Absent, absent
from zmon.record import NamedTuple
from zmon.same import Same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zmon.absent import Number

MIN_REQUESTS: Final = 30
"""Requests in an interval below which a mean time says nothing."""
MAX_MISS: Final = 0.010
"""Seconds that a cache miss takes at most: seek, rotation and transfer of a disk."""
SMALL: Final = 65_536.0
"""Bytes of a request below which Disc is taken for cache misses where the cache statistics were not read."""
LATENCY: Final = 0.0003
"""Seconds after which an LCU accepts a request at the latest, if the paths are free."""
IDLE_SHARE: Final = 0.25
"""Times its even share of the load below which an LCU is idle."""
NOT_APART: Final = absent("the times of reads and writes were not read apart")
NOT_TOGETHER: Final = absent("its devices were not timed together")
NOT_TIMED: Final = absent("channel measurement was not read")
NOT_STOLEN: Final = absent("the time that the hypervisor withholds was not read")
NOT_VARIED: Final = absent("the rate of requests did not vary, or too little")
NO_RANKS: Final = absent("the cache statistics were not read: --cache")


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

    @property
    def is_dasd(self) -> bool:
        """Whether it has a bus id: other disks have no LCU and no aliases."""
        return "." in self.key

    @property
    def serv(self) -> Number:
        """The time from the start of I/O to its end."""
        return self.pend + self.disc + self.conn

    @property
    def queued(self) -> Number:
        """What a request waits in Linux before it is started."""
        wait = self.response - self.serv
        return wait if isinstance(wait, Absent) else max(0.0, wait)


class LoadVolumes(Sequence[ObservedVolume]):
    """All volumes of a load: those that are used are there, the others are made when somebody asks for all.

    In a large machine most volumes are idle most of the time, and few ask for these.
    """

    def __init__(
        self, used: Iterable[ObservedVolume], every: Callable[[], tuple[ObservedVolume, ...]]
    ) -> None:
        """Know those with requests; `every` returns all, these among them, in their order."""
        self.used = tuple(used)
        self._make = every

    @cached_property
    def _every(self) -> tuple[ObservedVolume, ...]:
        return self._make()

    def __getitem__(self, at: Any) -> Any:
        return self._every[at]

    def __len__(self) -> int:
        return len(self._every)

    def __iter__(self) -> Iterator[ObservedVolume]:
        return iter(self._every)

    def __bool__(self) -> bool:
        return bool(self.used or self._every)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._every == tuple(other)

    def __hash__(self) -> int:
        return hash(self._every)

    def __repr__(self) -> str:
        return repr(self._every)


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
    misses: Number = NO_RANKS
    """The part of all requests that the cache does not answer."""
    capacity: Number = absent("the site file gives no capacity of the LCU")
    """Bytes a second, by the site."""
    pend: Number = NOT_TOGETHER
    disc: Number = NOT_TOGETHER
    conn: Number = NOT_TOGETHER
    """Per start of I/O, over all its devices: those of CTLUNIT."""


class ObservedProcessors(NamedTuple):
    """The processors of this Linux."""

    number: Number
    busy: Number
    """Mean utilisation of each."""
    stolen: Number = NOT_STOLEN
    """The part of the time of each that the hypervisor withholds while Linux has work for it."""
    background: Number = NOT_VARIED
    """How many of them are busy on average with what does not go with I/O; absent where that is not known."""

    @property
    def taken(self) -> Number:
        """The part of their time that is no longer to be had: used, or withheld."""
        return self.busy if isinstance(self.stolen, Absent) else self.busy + self.stolen


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
    missing: tuple[str, ...] = ()
    """What was not read, in words."""

    def volumes_of(self, lcu: str) -> tuple[ObservedVolume, ...]:
        """Return the volumes of an LCU."""
        return _sums(Same(self)).by_lcu.get(lcu, ())

    @property
    def used(self) -> tuple[ObservedVolume, ...]:
        """The volumes with requests, which alone have means."""
        return _sums(Same(self)).used

    def used_of(self, lcu: str) -> LcuVolumes:
        """Return the volumes of an LCU that have requests."""
        return _sums(Same(self)).used_by_lcu.get(lcu, NO_VOLUMES)

    def rate_of(self, lcu: str) -> float:
        """Return the requests per second of all volumes of an LCU."""
        return self.used_of(lcu).rate

    def bytes_of(self, lcu: str) -> float:
        """Return the bytes per second of all volumes of an LCU, as far as they are known."""
        return bytes_of(self.used_of(lcu))

    @property
    def busy(self) -> tuple[ObservedVolume, ...]:
        """The volumes with so many requests that their mean times mean something."""
        return _sums(Same(self)).busy

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
        known = {key: use for key, use in self.paths.items() if not isinstance(use, Absent)}
        with_io = [one.chpids for one in self.lcus if one.chpids and self.used_of(one.key)]
        return any(known.values()) or (bool(known) and not any(map(known.keys().isdisjoint, with_io)))

    @property
    def untimed(self) -> Absent:
        """Why channel measurement gives no times, as CTLUNIT says it of the first LCU without."""
        pends = (one.pend for one in self.lcus if self.used_of(one.key))
        lacking = (pend for pend in pends if isinstance(pend, Absent) and pend is not NOT_TOGETHER)
        return next(lacking, NOT_TIMED)

    @property
    def is_untimed(self) -> bool:
        """Whether a DASD with enough I/O has no channel measurement."""
        return _sums(Same(self)).is_untimed

    def enough(self, rate: float) -> bool:
        """Return whether a rate makes so many requests that their mean times mean something."""
        return rate * self.seconds >= MIN_REQUESTS


class LcuVolumes(tuple["ObservedVolume", ...]):  # noqa: SLOT001 - a tuple takes no slots
    """Volumes of one LCU; each of their means is computed once, for all causes that ask for it."""

    def __init__(self, _volumes: Iterable[ObservedVolume]) -> None:
        """Compute nothing yet."""
        self.means: dict[str, Number] = {}
        """Means by the names of what is averaged."""

    @cached_property
    def rates(self) -> list[float]:
        """The requests per second of each."""
        return list(map(RATE, self))

    @cached_property
    def rate(self) -> float:
        """Those of all."""
        return fsum(self.rates)


RATE: Final = attrgetter("rate")
NO_VOLUMES: Final = LcuVolumes(())


class _LoadSums:
    """What follows from the volumes of one load, computed once for all causes that ask for it."""

    def __init__(self, load: ObservedLoad) -> None:
        self._volumes = load.volumes
        known = load.volumes
        self.used = known.used if isinstance(known, LoadVolumes) else tuple(one for one in known if one.rate)
        self.used_by_lcu = {lcu: LcuVolumes(ones) for lcu, ones in _by_lcu(self.used).items()}
        self.busy = tuple(one for one in self.used if load.enough(one.rate))
        self.is_untimed = any(
            (one.estimated or isinstance(one.disc, Absent)) and one.is_dasd for one in self.busy
        )

    @cached_property
    def by_lcu(self) -> dict[str, LcuVolumes]:
        return {lcu: LcuVolumes(ones) for lcu, ones in _by_lcu(self._volumes).items()}

    @cached_property
    def by_key(self) -> dict[str, ObservedVolume]:
        return {one.key: one for one in self._volumes}


def _by_lcu(volumes: Sequence[ObservedVolume]) -> dict[str, list[ObservedVolume]]:
    found: dict[str, list[ObservedVolume]] = {}
    for lcu, ones in groupby(volumes, attrgetter("lcu")):
        found.setdefault(lcu, []).extend(ones)
    return found


@lru_cache(maxsize=32)  # the intervals that are looked at
def _sums(load: Same[ObservedLoad]) -> _LoadSums:
    return _LoadSums(load.it)


def bytes_of(volumes: Iterable[ObservedVolume]) -> float:
    """Return the bytes per second of some volumes, as far as they are known."""
    return fsum(one.rate * float(one.size) for one in volumes if not isinstance(one.size, Absent))


def mean_of(volumes: Sequence[ObservedVolume], name: str) -> Number:
    """Return the mean of a time or size over some volumes, each with its rate as its weight."""
    means = volumes.means if isinstance(volumes, LcuVolumes) else {}
    if name not in means:
        means[name] = _mean_of(volumes, name)
    return means[name]


def _mean_of(volumes: Sequence[ObservedVolume], name: str) -> Number:
    values, rates = list(map(attrgetter(name), volumes)), list(map(RATE, volumes))
    mean = mean_by_rate(values, rates)
    if mean is None:
        reasons = (value.reason for value, rate in zip(values, rates, strict=True) if rate)
        return absent(next(reasons, "no I/O in the interval"))
    return mean


def mean_by_rate(values: Sequence[Number], rates: Sequence[float]) -> float | None:
    """Return the mean of the values that are known, each with its rate as its weight; None without any."""
    if values and 0 not in rates and Absent not in set(map(type, values)):
        return fsum(map(mul, values, rates)) / fsum(rates)
    pairs = zip(values, rates, strict=True)
    known = [(float(value), rate) for value, rate in pairs if rate and not isinstance(value, Absent)]
    return fsum(value * rate for value, rate in known) / fsum(rate for _, rate in known) if known else None


def idle_lcus(carried: Mapping[str, Number]) -> list[str]:
    """Return the keys of the LCUs that are idle: those with less than a quarter of their even share.

    All that zmon says of idle LCUs asks here.  `carried` has the bytes per second of each LCU by its key.
    """
    known = {key: float(load) for key, load in carried.items() if not isinstance(load, Absent)}
    even = fsum(known.values()) / max(1, len(known))
    return [key for key, load in known.items() if load < IDLE_SHARE * even]


def path_groups(lcus: Iterable[ObservedLcu]) -> dict[str, tuple[str, ...]]:
    """Return the sets of channel paths that no LCU shares with another set, by their CHPIDs in words."""
    groups: list[set[str]] = []
    for one in lcus:
        chpids = set(one.chpids)
        if not chpids:
            continue
        joined = [group for group in groups if group & chpids]
        groups = [group for group in groups if not group & chpids]
        groups.append(chpids.union(*joined))
    return {" ".join(sorted(group)): tuple(sorted(group)) for group in groups}


def disc_of_misses(lcu: ObservedLcu, volumes: tuple[ObservedVolume, ...]) -> float:
    """Return the seconds of Disc of a mean request of an LCU that are no wait for the LCU."""
    disc, size = mean_of(volumes, "disc"), mean_of(volumes, "size")
    if isinstance(disc, Absent):
        return 0.0
    if isinstance(lcu.misses, Absent):
        return float(disc) if isinstance(size, Absent) or size < SMALL else 0.0
    return min(float(disc), lcu.misses * MAX_MISS)
