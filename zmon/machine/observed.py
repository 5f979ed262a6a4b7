"""From an interval to what queueing needs of it: see `zmon.machine.observation`.

Pend, Disc and Conn are those of DEVICE and CTLUNIT, the utilisation of channel paths that of CHANNEL,
processors those of CPU.  Without channel measurement the service time of a volume is the time per request in
which Linux had one there, which is right if the volume does one request at a time.
"""

from __future__ import annotations

from itertools import compress, repeat
from operator import mul, sub, truediv
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.base.record import NamedTuple
from zmon.base.sizes import MB
from zmon.interval import IDLE
from zmon.kinds import (
    BLOCK,
    CACHE,
    CACHE_NOT_READ,
    CHANNEL,
    CMF,
    CPU,
    DASD,
    DEVICE,
    LAYER,
    MOUNT,
    PRESSURE,
    SOURCE,
    SWAP,
    TASKS,
)
from zmon.machine.blocks import TOO_BUSY
from zmon.machine.channel_paths import path_loads, unusable_paths
from zmon.machine.cpus import Processors
from zmon.machine.devices import (
    SCSI_HOME,
    VIRTIO,
    VIRTIO_HOME,
    address,
    own_aliases,
)
from zmon.machine.disks_below import swap_volumes
from zmon.machine.join import is_absent, mean, plus, present, quotient, total
from zmon.machine.lcus import ControlUnits
from zmon.machine.lost_time import LostTime
from zmon.machine.observation import (
    NO_CAPACITY,
    NOT_COUNTED,
    NOT_DELAYED,
    NOT_OWN,
    NOT_TIMED,
    ObservedLcu,
    ObservedLoad,
    ObservedProcessors,
    Volumes,
    of_all,
    places_by,
    tasks_wait,
)
from zmon.machine.topology import units_of
from zmon.machine.volume_cache import READ_HITS, READS, WRITES
from zmon.sample import pick
from zmon.topology.site import NO_SITE, Site
from zmon.topology.volumes import channel_type, titles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.interval import Interval
    from zmon.machine.devices import Devices
    from zmon.machine.observation import ObservedVolume
    from zmon.machine.view import View
    from zmon.topology.volumes import Lcu

QUEUE_DEPTH: Final = 32
"""Requests that a SCSI disk takes at once over each path: the default of zfcp."""
KINDS: Final = (BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE, LAYER, MOUNT, PRESSURE, SOURCE, SWAP, TASKS)
"""What is read of a sample; what is swapped to lies in files, too."""
KEPT: Final = 3
"""Of how many choices of volumes the times are kept."""
NOTHING: Final = absent("nothing happened in the interval")


def load_of(view: View) -> ObservedLoad:
    """Return the load of a view's interval, with the LCUs and capacities that users name."""
    site = NO_SITE if view.inputs is None else view.inputs().site
    return load_with(view, units_of(view).lcus, site)


def load_with(view: View, lcus: Mapping[str, Lcu], site: Site) -> ObservedLoad:
    """Return the load of a view's interval with these LCUs, and the capacities that a site gives."""
    capacity: dict[str, Number] = {}
    for key, unit in lcus.items():
        names = (unit.called, unit.name, key, f"SSID {unit.ssid}", unit.ssid, f"LSS {unit.lss}")
        capacity[key] = site.capacity([name for name in names if name]) * MB
    return observed_load(view.interval, lcus, capacity, swap_volumes(view))


def observed_load(
    interval: Interval,
    units: Mapping[str, Lcu] | None = None,
    capacity: Mapping[str, Number] | None = None,
    swap: frozenset[str] = frozenset(),
) -> ObservedLoad:
    """Return the load of an interval; `units` are the LCUs if more than unique ids name them.

    `capacity` has the bytes a second of LCUs by their keys, as the site file gives them; `swap` are the keys
    of the volumes that Linux swaps to.
    """
    capacity = capacity or {}
    lcus = ControlUnits(interval, units)
    devices, pools = lcus.devices, lcus.pools
    every = Volumes(_disks(devices), _VolumeColumns(devices, lcus.lcu_of, pools))
    used = every.used()
    volumes: Sequence[ObservedVolume] = every
    of_lcu = places_by(used.column("lcu"))
    misses, rates = _misses(devices, used.rows), used.column("rate")
    observed, title = [], titles(lcus.units)
    for (key, unit), members in zip(lcus.units.items(), lcus.members, strict=True):
        pool = pools[key]
        busy = total([devices.busy[row] for row in pool]) / 100.0 if pool else 0.0
        places = of_lcu.get(key, ())
        observed.append(
            ObservedLcu(
                key, title[key], f"{unit.vendor}.{unit.serial}", unit.chpids, len(pool), busy,
                _missed(pick(misses, places), pick(rates, places)), capacity.get(key, NO_CAPACITY),
                *(_times(devices, members) if places else ()),
            )
        )  # fmt: skip
    load, measured_paths = _paths(interval)
    fcp = _of_type(interval, "FCP")
    adapters = sum(
        (float(use) for key in sorted(fcp) if not isinstance(use := load.get(key, CACHE_NOT_READ), Absent)),
        0.0,
    )
    if measured_paths and adapters:
        volumes = tuple(_behind_adapters(volumes, adapters, devices.paths))
        observed.append(ObservedLcu(SCSI_HOME, "SCSI disks", "", tuple(sorted(fcp))))
    processors = Processors(interval)
    seconds = interval.seconds
    unmeasured = _unmeasured(devices, used.rows, rates)
    running, some = tasks_that_wait(interval)
    return ObservedLoad(
        0.0 if isinstance(seconds, Absent) else float(seconds),
        volumes,
        tuple(observed),
        load,
        measured_paths,
        ObservedProcessors(
            processors.running,
            processors.average(processors.busy) / 100.0,
            processors.average(processors.part["steal"]) / 100.0,
            waits=tasks_wait(processors.running, running, some),
            own=of_zmon_at_least(interval) / processors.running,
            niced=processors.average(processors.part["nice"]) / 100.0,
            some=some,
            delayed=total(processors.counted("run_delay", 1e-9)) if processors.keys else NOT_DELAYED,
        ),
        fcp,
        _of_type(interval, "FICON"),
        () if unmeasured is None else (of_all(unmeasured).reason,),
        swap,
        _not_timed(devices, used.rows) if not observed else NOT_TIMED,
        unusable_paths(devices.ccw_frame),
        (
            total(pick(devices.blocks.counted.earlier("in_flight"), used.rows)),  # type: ignore[arg-type]  # gauges
            total(pick(devices.blocks.counted["in_flight"], used.rows)),  # type: ignore[arg-type]  # likewise
        ),
    )


def _unmeasured(devices: Devices, used: Sequence[int], rates: Sequence[float]) -> Absent | None:
    """Return why the busiest disk is not measured, DASD before others; without I/O it is the first one.

    None if it is measured; `used` has the rows of the disks with I/O.
    """
    disks = (row for row, name in enumerate(devices.names) if isinstance(name, str))
    busiest = [
        (not sort, rate, -row) for sort, rate, row in zip(pick(devices.sorts, used), rates, used, strict=True)
    ]
    row = -max(busiest)[-1] if busiest else next(disks, None)
    if row is None:
        return None
    if devices.ssch[row] is VIRTIO:
        return VIRTIO
    starts, pend = devices.cmf["ssch"][row], devices.pend[row]
    if isinstance(starts, Absent):
        return starts
    return pend if used and isinstance(pend, Absent) and pend is not IDLE else None


def _not_timed(devices: Devices, rows: Sequence[int]) -> Absent:
    """Return why channel measurement gives no times of the first DASD with I/O that has none."""
    dasd = compress(rows, (not sort for sort in pick(devices.sorts, rows)))
    return next((why for row in dasd if isinstance(why := devices.pend[row], Absent)), NOT_TIMED)


def of_zmon(interval: Interval) -> Number:
    """Return how many processors zmon itself uses on average."""
    own = interval.of(TASKS).rate("own")
    return own[0] * 1e-9 if own else NOT_OWN


def of_zmon_at_least(interval: Interval) -> Number:
    """Return the same; an older recording has only what it took to read."""
    spent = of_zmon(interval)
    costs = present(interval.of(SOURCE).rate("cpu")) if isinstance(spent, Absent) else ()
    return total(costs) * 1e-9 if costs else spent


def tasks_that_wait(interval: Interval) -> tuple[Number, Number]:
    """Return how many tasks run or wait for processors, and the part of the time in which some wait."""
    some = LostTime(interval).part("cpu", NOT_COUNTED)
    return interval.of(TASKS).cell("tasks", "running"), some  # type: ignore[return-value]  # a number


def _disks(devices: Devices) -> Sequence[int]:
    """Return the rows of the disks whose requests are counted."""
    every = range(len(devices.keys))
    lacking = [column for column in (devices.names, devices.requests) if Absent in set(map(type, column))]
    return (
        [row for row in every if all(column[row].__class__ is not Absent for column in lacking)]
        if lacking
        else every
    )


class _VolumeTimes(NamedTuple):
    """What the channel subsystem timed of volumes, column by column: seconds per start of I/O."""

    pend: Sequence[Number]
    disc: Sequence[Number]
    conn: Sequence[Number]
    servers: Sequence[int]
    estimated: Sequence[bool]


class _VolumeColumns:
    """Returns fields of `ObservedVolume`, each of some rows of devices: only what is asked for is made."""

    def __init__(
        self, devices: Devices, lcu_of: Mapping[str, str], pools: Mapping[str, Sequence[int]]
    ) -> None:
        self._devices, self._lcu_of, self._pools = devices, lcu_of, pools
        self._own = own_aliases(devices, lcu_of)
        self._timed: list[tuple[Sequence[int], _VolumeTimes]] = []
        """The rows that were asked for, with their times: those with requests, and those with enough."""

    def __call__(self, name: str, rows: Sequence[int]) -> Sequence[Any]:
        """Return a field of the volumes in some rows."""
        if name in _VolumeTimes._fields:
            times = next((times for timed, times in self._timed if timed is rows), None)
            if times is None:
                times = self._times(rows)
                self._timed = [*self._timed[-KEPT + 1 :], (rows, times)]
            return getattr(times, name)  # type: ignore[no-any-return]  # all are columns
        return COLUMNS[name](self._devices, rows) if name != "lcu" else self._lcus(rows)

    def _lcus(self, rows: Sequence[int]) -> list[str]:
        return list(map(self._lcu_of.get, pick(self._devices.keys, rows), repeat("")))

    def _times(self, rows: Sequence[int]) -> _VolumeTimes:
        """Return means over the own subchannels of volumes, or over all that serve them."""
        devices = self._devices
        pends, discs, conns = _times_alone(devices, rows)
        rates, servers = pick(devices.requests, rows), [1] * len(rows)
        if self._own or any(self._pools.values()):
            columns = zip(rows, pick(devices.keys, rows), self._lcus(rows), rates, strict=True)
            for place, (row, key, lcu, rate) in enumerate(columns):
                own = (row, *self._own.get(key, ()))
                with_pool = (*own, *self._pools.get(lcu, ()))
                servers[place] = len(own)
                if rate and len(with_pool) > 1:
                    pends[place], discs[place], conns[place] = _times(devices, with_pool)
        estimated = [False] * len(rows)
        if 0 in rates or Absent in set(map(type, conns)):
            estimated = [
                not rate or conn.__class__ is Absent for rate, conn in zip(rates, conns, strict=True)
            ]
            for place in compress(range(len(rows)), estimated):
                busy = devices.blocks.numbers("lbusy")[rows[place]]
                pends[place], discs[place] = 0.0, 0.0
                conns[place] = ratio(_part_used(busy), rates[place], IDLE.reason)
        return _VolumeTimes(pends, discs, conns, servers, estimated)


def _part_used(percent: Number) -> Number:
    """Return the part of the time in which Linux had a request at a disk."""
    return (100.0 if percent is TOO_BUSY else percent) / 100.0


def _titles(devices: Devices, rows: Sequence[int]) -> list[str]:
    keys = pick(devices.keys, rows)
    if not devices.paths and VIRTIO_HOME not in devices.sorts:
        return list(map(address, keys))
    return list(map(devices.title, rows))


def _scaled(
    values: Sequence[Number], rows: Sequence[int], by: Callable[..., Number], scale: float
) -> list[Number]:
    return list(map(by, pick(values, rows), repeat(scale)))


COLUMNS: Final[Mapping[str, Callable[[Devices, Sequence[int]], Sequence[Any]]]] = {
    "key": lambda devices, rows: pick(devices.keys, rows),
    "title": _titles,
    "number": lambda devices, rows: list(map(str, devices.blocks.counted.at(rows, "number"))),
    "rate": lambda devices, rows: list(map(float, pick(devices.requests, rows))),  # type: ignore[arg-type]  # none is absent
    "response": lambda devices, rows: _scaled(devices.wait, rows, truediv, 1e3),
    "size": lambda devices, rows: _scaled(devices.numbers("reqkb"), rows, mul, 1024.0),
    "reads": lambda devices, rows: _scaled(devices.numbers("read"), rows, truediv, 100.0),
    "read_response": lambda devices, rows: _scaled(devices.blocks.numbers("rwait"), rows, mul, 1e-3),
    "write_response": lambda devices, rows: _scaled(devices.blocks.numbers("wwait"), rows, mul, 1e-3),
    "sort": lambda devices, rows: pick(devices.sorts, rows),
}
"""How the fields of volumes that nothing else is needed for follow from columns of devices."""


def _times_alone(devices: Devices, rows: Sequence[int]) -> tuple[list[Number], list[Number], list[Number]]:
    """Return the seconds of Pend, Disc and Conn of devices per start of I/O, as `_times` of each alone."""
    weights = pick(devices.rate, rows)
    pend, disc, conn = (
        _started(pick(times, rows), weights) for times in (devices.pend, devices.disc, devices.conn)
    )
    if devices.active:
        disc = plus(disc, _started(pick(devices.active, rows), weights))
    return pend, disc, conn


def _started(times: Sequence[Number], starts: Sequence[Number]) -> list[Number]:
    """Return milliseconds in seconds; of devices without a start of I/O that they are idle."""
    seconds: list[Number] = list(map(truediv, times, repeat(1e3)))
    if 0 in starts or Absent in set(map(type, starts)):
        pairs = zip(seconds, starts, strict=True)
        return [time + 0.0 * start if start else _idle(time) for time, start in pairs]
    return seconds


def _idle(time: Number) -> Number:
    return time if time.__class__ is Absent else IDLE


def _times(devices: Devices, rows: Sequence[int]) -> tuple[Number, Number, Number]:
    """Return the seconds of Pend, Disc and Conn of some devices together per start of I/O."""
    rates = pick(devices.rate, rows)
    started = list(compress(rows, rates))  # what has no start has no weight
    weights = list(compress(rates, rates))
    is_weighed = bool(started) and Absent not in set(map(type, weights))

    def average(times: Sequence[Number]) -> Number:
        values = pick(times, started)
        if is_weighed and Absent not in set(map(type, values)):
            return mean(values, weights, IDLE.reason)
        return devices.average(rows, times)

    pend, disc, conn = (average(times) / 1e3 for times in (devices.pend, devices.disc, devices.conn))
    return pend, disc + average(devices.active) / 1e3 if devices.active else disc, conn


def _misses(devices: Devices, rows: Sequence[int]) -> list[Number]:
    """Return the parts of devices' requests that read and were not in the cache."""
    reads, hits, writes = (
        plus(*(devices.cache.at(rows, name) for name in names)) for names in (READS, READ_HITS, WRITES)
    )
    if is_absent(reads):
        return reads
    return quotient(list(map(sub, reads, hits)), plus(reads, writes), 1.0, NOTHING)


def _missed(parts: Sequence[Number], rates: Sequence[Number]) -> Number:
    """Return the mean of parts, each with its rate as its weight; absent where some of it is not known."""
    whole = sum(map(mul, parts, rates))
    return whole if isinstance(whole, Absent) else ratio(whole, sum(rates))


def _behind_adapters(
    volumes: Sequence[ObservedVolume], used: float, paths: Mapping[str, Sequence[str]]
) -> list[ObservedVolume]:
    """Return the volumes, SCSI disks with the time of an adapter for a request: their use by the rate of all.

    What else a request takes counts as pending: the wait for an adapter, the fabric and the storage server.
    """
    scsi = [volume for volume in volumes if volume.sort == SCSI_HOME]
    rate = sum(volume.rate for volume in scsi)
    conn = used / rate if rate else 0.0
    behind = []
    for volume in volumes:
        if volume in scsi and not isinstance(volume.response, Absent):
            own = min(conn, volume.response)
            volume = volume._replace(  # noqa: PLW2901 - the same disk, timed
                lcu=SCSI_HOME, pend=volume.response - own, disc=0.0, conn=own, estimated=False,
                servers=QUEUE_DEPTH * len(paths.get(volume.key, (volume.key,))),
            )  # fmt: skip
        behind.append(volume)
    return behind


def _of_type(interval: Interval, name: str) -> frozenset[str]:
    """Return the CHPIDs of a type of channel path, as the Toolkit calls it; FCP are FCP adapters."""
    channels = interval.of(CHANNEL)
    types = zip(channels.keys, channels["type"], strict=True)
    return frozenset(
        key.rpartition(".")[2] for key, code in types if isinstance(code, int) and channel_type(code) == name
    )


def _paths(interval: Interval) -> tuple[dict[str, Number], bool]:
    """Return the utilisation of each path, and whether it is measured for the whole machine."""
    percents, is_measured = path_loads(interval)
    return {chpid: percent / 100.0 for chpid, percent in percents.items()}, is_measured
