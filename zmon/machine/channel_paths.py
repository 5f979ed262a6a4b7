"""The channel paths of an interval: how busy each is.

In an LPAR the channel subsystem measures it (docs/sources.md).  Elsewhere nothing measures it; there is an
estimate instead, the connect time that this system's own devices put on the path, shared equally among the
paths of each device.  Which paths devices have lost their masks tell.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache
from operator import mul
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.sizes import MB
from zmon.kinds import CHANNEL, CMF, DEVICE, NOT_MEASURED
from zmon.machine.blocks import Blocks
from zmon.machine.figure import Figure, catalogue
from zmon.machine.join import Joined, first, present, quotient
from zmon.machine.observation import LATENCY
from zmon.machine.period import PeriodPart
from zmon.machine.things import Counted, said
from zmon.topology.volumes import channel_type
from zmon.values.path_masks import OF_DEVICE, PATH_MASKS, device_paths, paths_in, usable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta, Interval
    from zmon.sample import Frame
    from zmon.values.path_masks import DevicePaths

TICK_SECONDS: Final = 128e-6
"""Seconds per tick of a channel's time stamp."""

UNTIMED: Final = absent("the connect time of its I/O was not measured")
NOT_YET: Final = absent("the channel subsystem gave no new figures yet")
NO_MAXIMUM: Final = absent("the channel states no maximum")
MAX_DEVICES: Final = 60_000
"""The most devices that are read to estimate a period: some seconds of work."""


def stamp_seconds(channels: Delta) -> list[Number]:
    """Return the interval of each path by its own time stamp; equal stamps are no new data."""
    return [ticks * TICK_SECONDS if ticks else NOT_YET for ticks in channels.numbers("timestamp")]


def _used(channels: Delta, counter: str, limit: str, seconds: list[Number]) -> list[Number]:
    """Return percent of a maximum per second that was used."""
    most = list(map(mul, channels.numbers(limit), seconds))
    return quotient(channels.numbers(counter), most, 100.0, NO_MAXIMUM)


def busy_percents(channels: Delta, *, own: bool = False) -> list[Number]:
    """Return percent busy of each path, of the whole machine or of this partition alone.

    Group 1 counts busy time, groups 2, 4 and 5 count work units against a maximum per second;
    group 3 (HiperSockets) has no such figure.
    """
    seconds = stamp_seconds(channels)
    units = _used(channels, "work_units" if own else "work_units_cpc", "max_work_units", seconds)
    if len(present(units)) == len(units):
        return units
    ticks = [
        100.0 * used * TICK_SECONDS / length
        for used, length in zip(channels.numbers("busy" if own else "busy_cpc"), seconds, strict=True)
    ]
    return first(units, ticks)


def data_rate(channels: Delta, counter: str, unit: str = "data_unit_size") -> list[Number]:
    """Return MB/s (10**6 bytes) that a counter of data units stands for."""
    return [
        units * size / length / MB
        for units, size, length in zip(
            channels.numbers(counter), channels.numbers(unit), stamp_seconds(channels), strict=True
        )
    ]


def own_load(interval: Interval) -> dict[str, float]:
    """Estimate, per CHPID, the percentage of time that this system's own devices were connected.

    The connect time of a device is shared equally among the paths that it can use.  A path of a device that
    is on line and may have been connected for a time that was not measured has no estimate.

    Above 100 several requests are connected at a time, which is no utilisation.
    """
    return own_load_with_untimed(interval)[0]


def own_load_with_untimed(interval: Interval) -> tuple[dict[str, float], set[str]]:
    """Return the estimates, and the CHPIDs without one that carried I/O of disks."""
    devices = interval.of(DEVICE)
    measured = Joined(interval.of(CMF), list(devices.keys), NOT_MEASURED)
    connects = measured.rate("connect")
    load: dict[str, float] = {}
    unknown: set[str] = set()
    loaded: set[str] = set()
    idle: set[tuple[str, ...]] = set()
    for names, driver, online, starts, connect, done, *masks in zip(
        devices["chpids"],
        devices["driver"],
        devices["online"],
        measured.numbers("ssch"),
        connects,
        Blocks(interval, devices["block"]).column("done"),
        *(devices[name] for name in PATH_MASKS),
        strict=True,
    ):
        # virtio disks start their I/O without SSCH, so what is measured of them says nothing
        if names.__class__ is not str or driver == "virtio_ccw":
            continue
        chpids = in_use(names, *masks)
        if isinstance(connect, Absent):
            if online == 1 and starts != 0:
                unknown.update(chpids)
                loaded.update(chpids if starts > 0 or done > 0 else ())
        elif not connect:
            idle.add(chpids)
        else:
            share = 100.0 * connect / 1e9 / max(len(chpids), 1)
            for chpid in chpids:
                load[chpid] = load.get(chpid, 0.0) + share
    load = dict.fromkeys((chpid for chpids in idle for chpid in chpids), 0.0) | load
    return {chpid: percent for chpid, percent in load.items() if chpid not in unknown}, loaded


def _pends(paths: ChannelPaths) -> list[Number]:
    """Return the ms that a request of the devices behind each path pends on average."""
    return [1e3 * seconds / starts if starts else UNTIMED for seconds, starts in paths.pending]


def _waits(paths: ChannelPaths) -> list[Number]:
    """Return how many requests behind each path pend for longer than an LCU takes to accept them."""
    return [
        max(0.0, seconds - LATENCY * starts) / paths.interval.seconds if starts else UNTIMED
        for seconds, starts in paths.pending
    ]


@lru_cache(maxsize=4096)  # most devices have the same few paths
def in_use(chpids: str, installed: Value, *others: Value) -> tuple[str, ...]:
    """Return those of the installed paths, in the order of their bits, that all masks leave."""
    if not isinstance(installed, int):
        return tuple(chpids.split())
    return paths_in(usable(installed, *others), installed, chpids)


def period_part(interval: Interval, *, estimate: bool = True) -> PeriodPart | None:
    """Return what one interval adds to a period's averages and distributions; None if it is a gap.

    Where no path is measured these are the estimates, if they are wanted: each device has to be read.
    """
    before = interval.before
    if before is None or interval.gap:
        return None
    channels = interval.of(CHANNEL)
    seconds, percents = stamp_seconds(channels), busy_percents(channels)
    figures = {key: (seconds[row], percents[row]) for row, key in enumerate(channels.keys)}
    length = interval.seconds
    if estimate and not isinstance(length, Absent) and length > 0 and not present(percents):
        loads = {chpid: percent for chpid, percent in own_load(interval).items() if percent <= 100}
        return PeriodPart(before.at, interval.after.at, figures, length, loads)
    return PeriodPart(before.at, interval.after.at, figures)


def estimated_reach(interval: Interval) -> int:
    """Return over how many intervals a distribution of estimates goes: fewer where there are many devices."""
    return MAX_DEVICES // max(1, len(interval.of(DEVICE)))


@lru_cache(maxsize=2)  # devices are read once a minute, and their paths seldom change
def paths_of_devices(frame: Frame) -> dict[str, DevicePaths]:
    """Return the channel paths of each device whose installed paths are known."""
    every = map(device_paths, *(frame.column(name) for name in OF_DEVICE))
    return {key: paths for key, paths in zip(frame.keys, every, strict=True) if paths is not None}


@lru_cache(maxsize=2)  # as above
def lost_chpids(frame: Frame) -> dict[str, str]:
    """Return the lost paths of each device that has any."""
    every = paths_of_devices(frame)
    return {key: " ".join(paths.lost_chpids) for key, paths in every.items() if paths.lost}


@lru_cache(maxsize=2)  # as above
def lost_on_line(frame: Frame) -> dict[str, int]:
    """Return how many paths each device on line that has lost any has lost."""
    named, every = lost_chpids(frame), paths_of_devices(frame)
    online = zip(frame.keys, frame.column("online"), strict=True)
    return {key: every[key].lost.bit_count() for key, said in online if said == 1 and key in named}


def lost_paths(frame: Frame, keys: Iterable[str]) -> Counter[str]:
    """Return the channel paths that some devices on line have and cannot use, each with their number."""
    hurt, named = lost_on_line(frame), lost_chpids(frame)
    return Counter(chpid for key in keys if key in hurt for chpid in named[key].split())


@lru_cache(maxsize=2)  # as above
def paths_with_masks(frame: Frame) -> frozenset[str]:
    """Return the channel paths of the devices whose path masks are known."""
    every = {paths.chpids for paths in paths_of_devices(frame).values()}
    return frozenset(chpid for chpids in every if isinstance(chpids, str) for chpid in chpids.split())


@lru_cache(maxsize=2)  # as above
def unusable_paths(frame: Frame) -> frozenset[str]:
    """Return the channel paths that devices on line have and none of them can use."""
    lost = lost_paths(frame, frame.keys)
    if not lost:
        return frozenset()
    paths = zip(frame.column("chpids"), frame.column("online"), strict=True)
    have = Counter(chpid for chpids, online in paths if online == 1 for chpid in str(chpids).split())
    return frozenset(chpid for chpid, many in lost.items() if many == have[chpid])


class ChannelPaths(Counted):
    """The channel paths that the kernel describes, in the order of `keys`, their CHPIDs."""

    kind = CHANNEL

    def __init__(self, interval: Interval) -> None:
        """Take those that the kernel has a directory for."""
        super().__init__(interval)
        self.interval = interval
        self.keys = [key.rpartition(".")[2] for key in self.keys]

    @property
    def labels(self) -> list[Value]:
        """What sort of channel each is."""
        types = self.counted["type"]
        return [channel_type(code) if isinstance(code, int) else code for code in types]

    @property
    def physical(self) -> list[Value]:
        """The physical channel of each; an id that the kernel calls internal in brackets, as lschp has it."""
        ids = zip(self.counted["chid"], self.counted["chid_external"], strict=True)
        return [
            f"({chid})" if is_physical == 0 and isinstance(chid, str) else chid for chid, is_physical in ids
        ]

    @cached_property
    def pending(self) -> list[tuple[float, float]]:
        """Of the requests behind each the seconds that they have pended, and how many were timed."""
        devices = self.interval.of(DEVICE)
        measured = Joined(self.interval.of(CMF), list(devices.keys), NOT_MEASURED)
        columns = zip(
            devices["chpids"],
            measured.numbers("pending"),
            measured.numbers("samples"),
            *(devices[name] for name in PATH_MASKS),
            strict=True,
        )
        times, starts = dict.fromkeys(self.keys, 0.0), dict.fromkeys(self.keys, 0.0)
        for names, pending, started, *masks in columns:
            if isinstance(names, str) and not isinstance(pending, Absent) and not isinstance(started, Absent):
                for chpid in in_use(names, *masks):
                    if chpid in times:
                        times[chpid] += pending
                        starts[chpid] += started
        return [(1e-9 * times[key], starts[key]) for key in self.keys]


def path_loads(interval: Interval) -> tuple[dict[str, Number], bool]:
    """Return how busy each path is in percent, by CHPID, and whether it is measured, for the whole machine.

    Where no path is measured, it is the connect time of this system's own devices.
    """
    paths = ChannelPaths(interval)
    percents = busy_percents(paths.counted)
    if present(percents):
        return dict(zip(paths.keys, percents, strict=True)), True
    return dict(own_load(interval)), False


ChannelPaths.figures = catalogue(
    Figure("cur", lambda paths: busy_percents(paths.counted), trend=1),
    Figure("own", lambda paths: busy_percents(paths.counted, own=True)),
    Figure(
        "bus",
        lambda paths: _used(
            paths.counted, "bus_cycles_cpc", "max_bus_cycles", stamp_seconds(paths.counted)
        ),
    ),
    Figure("read", lambda paths: data_rate(paths.counted, "read_cpc")),
    Figure(
        "write",
        lambda paths: first(
            data_rate(paths.counted, "written_cpc"),
            data_rate(paths.counted, "data_sent_cpc", "data_unit_size_cpc"),  # HiperSockets only send
        ),
    ),
    Figure("pend", _pends),
    Figure("waits", _waits),
    said("status"), said("configured", "configure"), said("shared"),
    Figure("pchid", lambda paths: paths.physical),
    *map(said, ("speed", "cmg")),
)  # fmt: skip
"""What is measured of a path, or read as it is; trends hold no estimates."""
