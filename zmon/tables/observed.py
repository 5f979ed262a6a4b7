"""From an interval to what queueing needs of it: see `zmon.queueing.observation`.

Pend, Disc and Conn are those of DEVICE and CTLUNIT, the utilisation of channel paths that of CHANNEL,
processors those of CPU.  Without channel measurement the service time of a volume is the time per request in
which Linux had one there, which is right if the volume does one request at a time.
"""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent, ratio
from zmon.kinds import BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE
from zmon.queueing.observation import (
    NO_RANKS,
    NOT_APART,
    ObservedLcu,
    ObservedLoad,
    ObservedProcessors,
    ObservedVolume,
)
from zmon.tables import channel
from zmon.tables.cpu import Processors
from zmon.tables.device import IDLE, TOO_BUSY, address, devices_of
from zmon.tables.join import Joined, plus, present, quotient, total
from zmon.topology.volumes import lcus, titles
from zmon.uid import HYPERPAV, find_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.absent import Number, Value
    from zmon.interval import Interval
    from zmon.tables.device import Devices
    from zmon.topology.volumes import Lcu
    from zmon.uid import Uid

FCP: Final = 0x25
"""Type of the channel path of an FCP adapter."""
SCSI: Final = "SCSI"
"""The key of what all SCSI disks behind FCP adapters count as: one LCU."""
QUEUE_DEPTH: Final = 32
"""Requests that a SCSI disk takes at once over each path: the default of zfcp."""
KINDS: Final = (BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE)
"""What is read of a sample."""
NO_CAPACITY: Final = absent("the site file gives no capacity of the LCU")
NO_CACHE: Final = NO_RANKS
NO_IO: Final = absent("no I/O in the interval")


def observed_load(
    interval: Interval, units: Mapping[str, Lcu] | None = None, capacity: Mapping[str, Number] | None = None
) -> ObservedLoad:
    """Return the load of an interval; `units` are the LCUs if more than unique ids name them.

    `capacity` has the bytes a second of LCUs by their keys, as the site file gives them.
    """
    units = lcus(interval.of(DEVICE).frame) if units is None else units
    capacity = capacity or {}
    devices = devices_of(interval)
    row_of = {key: row for row, key in enumerate(devices.keys)}
    lcu_of = {busid: key for key, unit in units.items() for busid in unit.members}
    pools = _pools(devices, units, row_of)
    volumes = _volumes(devices, lcu_of, pools)
    misses = _misses(interval, devices)
    missed: dict[str, list[tuple[Number, float]]] = {key: [] for key in units}
    for one in volumes:
        if one.rate and one.lcu in missed:
            missed[one.lcu].append((misses(row_of[one.key]), one.rate))
    found, title = [], titles(units)
    for key, unit in units.items():
        pool = pools[key]
        busy = total([devices.busy[row] for row in pool]) / 100.0 if pool else 0.0
        rows = [row_of[bus] for bus in unit.members if bus in row_of]
        found.append(
            ObservedLcu(
                key, title[key], f"{unit.vendor}.{unit.serial}", unit.chpids, len(pool), busy,
                _missed(missed[key]), capacity.get(key, NO_CAPACITY),
                *(_times(devices, rows) if missed[key] else ()),
            )
        )  # fmt: skip
    load, measured_paths = _paths(interval)
    fcp = _fcp(interval)
    used = sum((float(use) for key in fcp if not isinstance(use := load.get(key, NO_CACHE), Absent)), 0.0)
    if measured_paths and used:
        volumes = _behind_adapters(volumes, used, devices.paths)
        found.append(ObservedLcu(SCSI, "SCSI disks", "", tuple(sorted(fcp))))
    processors = Processors(interval)
    seconds = interval.seconds
    starts = zip(devices.names, devices.cmf["ssch"], strict=True)
    first = next((value for name, value in starts if isinstance(name, str)), 0)
    missing = [first.reason] if isinstance(first, Absent) else []
    return ObservedLoad(
        0.0 if isinstance(seconds, Absent) else float(seconds),
        tuple(volumes),
        tuple(found),
        load,
        measured_paths,
        ObservedProcessors(
            processors.running,
            processors.average(processors.busy) / 100.0,
            processors.average(processors.part["steal"]) / 100.0,
        ),
        fcp,
        tuple(missing),
    )


def _pools(devices: Devices, units: Mapping[str, Lcu], row_of: Mapping[str, int]) -> dict[str, list[int]]:
    """Return the rows of the aliases that any volume of an LCU may use."""
    uids = devices.ccw["uid"]
    return {
        key: [
            row
            for alias in unit.aliases
            if (row := row_of.get(alias)) is not None
            and (uid := find_uid(uids[row])) is not None
            and uid.ua == HYPERPAV
        ]
        for key, unit in units.items()
    }


def _own_aliases(devices: Devices, lcu_of: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the rows of the aliases that serve one volume alone, by its key."""
    columns = zip(devices.keys, devices.ccw["uid"], devices.ccw["alias"], strict=True)
    known = [(key, row, text, alias == 1) for row, (key, text, alias) in enumerate(columns)]
    aliases = [(key, row, uid) for key, row, text, is_alias in known if is_alias and (uid := _own_uid(text))]
    if not aliases:
        return {}
    bases = {
        (lcu_of.get(key, ""), uid.ua): key
        for key, _row, text, is_alias in known
        if not is_alias and (uid := _own_uid(text))
    }
    found: dict[str, list[int]] = {}
    for key, row, uid in aliases:
        base = bases.get((lcu_of.get(key, ""), uid.ua))
        if base is not None:
            found.setdefault(base, []).append(row)
    return found


def _own_uid(text: Value) -> Uid | None:
    """Return the unique id of a device with a unit address of its own."""
    uid = find_uid(text)
    return None if uid is None or uid.ua == HYPERPAV else uid


def _volumes(
    devices: Devices, lcu_of: Mapping[str, str], pools: Mapping[str, Sequence[int]]
) -> list[ObservedVolume]:
    """Return the disks; their times are means over their own subchannels, or over all that serve them."""
    own = _own_aliases(devices, lcu_of)
    pends, discs, conns = _times_alone(devices)
    columns = (
        devices.keys,
        devices.names,
        devices.block["number"],
        devices.requests,
        devices.wait,
        devices.kilobytes,
        devices.reads,
        *_apart(devices),
        devices.linux_busy,
    )
    volumes = []
    for row, cells in enumerate(zip(*columns, strict=True)):
        key, name, number, rate, wait, size, reads, read, write, busy = cells
        if name.__class__ is Absent or rate.__class__ is Absent:
            continue
        lcu = lcu_of.get(key, "")
        rows = (row, *own[key]) if key in own else (row,)
        estimated = not rate
        pend: Number = 0.0
        disc: Number = 0.0
        conn: Number = NO_IO
        if rate:  # most volumes of a fleet are idle
            with_pool = (*rows, *pools[lcu]) if lcu in pools else rows
            pend, disc, conn = (
                (pends[row], discs[row], conns[row]) if len(with_pool) == 1 else _times(devices, with_pool)
            )
            estimated = conn.__class__ is Absent
        if estimated:
            used = (100.0 if busy is TOO_BUSY else busy) / 100.0
            pend, disc, conn = 0.0, 0.0, ratio(used, rate, NO_IO.reason) if rate else _idle(used)
        volume = (
            key, devices.title(row) if key in devices.paths else address(key), str(number), lcu, float(rate),
            wait / 1e3, pend, disc, conn, size * 1024.0, reads / 100.0, len(rows), estimated, read, write,
        )  # fmt: skip
        volumes.append(tuple.__new__(ObservedVolume, volume))
    return volumes


def _idle(used: Number) -> Number:
    """Return why an idle volume has no time per request."""
    return used if used.__class__ is Absent else NO_IO


def _times_alone(devices: Devices) -> tuple[list[Number], list[Number], list[Number]]:
    """Return the seconds of Pend, Disc and Conn of each device per start of I/O, as `_times` of it alone."""
    pend, disc, conn = (_weighed(times, devices.rate) for times in (devices.pend, devices.disc, devices.conn))
    if devices.active:
        disc = plus(disc, _weighed(devices.active, devices.rate))
    return pend, disc, conn


def _weighed(values: Sequence[Number], weights: Sequence[Number]) -> list[Number]:
    """Return the means of single values with their weights, to the last bit as `Devices.average` of one."""
    return [
        product if product.__class__ is Absent else product / weight / 1e3 if weight else IDLE
        for product, weight in zip(map(mul, values, weights), weights, strict=True)
    ]


def _times(devices: Devices, rows: Sequence[int]) -> tuple[Number, Number, Number]:
    """Return the seconds of Pend, Disc and Conn of some devices together per start of I/O."""
    pend, disc, conn = (
        devices.average(rows, times) / 1e3 for times in (devices.pend, devices.disc, devices.conn)
    )
    return pend, disc + devices.average(rows, devices.active) / 1e3 if devices.active else disc, conn


def _apart(devices: Devices) -> tuple[list[Number], list[Number]]:
    """Return of each device the seconds that Linux waits for a read, and for a write."""
    if devices.together:
        return [NOT_APART] * len(devices.keys), [NOT_APART] * len(devices.keys)
    read, written = (
        quotient(devices.block.numbers(f"{what}_ms"), devices.block.numbers(f"{what}s"), 1e-3, IDLE)
        for what in ("read", "write")
    )
    return read, written


def _misses(interval: Interval, devices: Devices) -> Callable[[int], Number]:
    """Return a function that gives the part of a device's requests that read and were not in the cache."""
    cache = Joined(interval.of(CACHE), devices.keys, NO_CACHE)
    reads, hits, writes = (cache.numbers(name) for name in ("reads", "read_hits", "writes"))
    return lambda row: ratio(reads[row] - hits[row], reads[row] + writes[row])


def _missed(parts: Iterable[tuple[Number, float]]) -> Number:
    """Return the mean of parts, each with its weight; absent where some of it is not known."""
    known = list(parts)
    for part, _ in known:
        if isinstance(part, Absent):
            return part
    return ratio(sum(part * rate for part, rate in known), sum(rate for _, rate in known))


def _behind_adapters(
    volumes: Sequence[ObservedVolume], used: float, paths: Mapping[str, Sequence[str]]
) -> list[ObservedVolume]:
    """Return the volumes, SCSI disks with the time of an adapter for a request: their use by the rate of all.

    What else a request takes counts as pending: the wait for an adapter, the fabric and the storage server.
    """
    scsi = [one for one in volumes if "." not in one.key]
    rate = sum(one.rate for one in scsi)
    conn = used / rate if rate else 0.0
    found = []
    for one in volumes:
        if one in scsi and not isinstance(one.response, Absent):
            own = min(conn, one.response)
            one = one._replace(  # noqa: PLW2901 - the same disk, timed
                lcu=SCSI, pend=one.response - own, disc=0.0, conn=own, estimated=False,
                servers=QUEUE_DEPTH * len(paths.get(one.key, (one.key,))),
            )  # fmt: skip
        found.append(one)
    return found


def _fcp(interval: Interval) -> frozenset[str]:
    """Return the CHPIDs of FCP adapters."""
    channels = interval.of(CHANNEL)
    types = zip(channels.keys, channels["type"], strict=True)
    return frozenset(key.rpartition(".")[2] for key, code in types if code == FCP)


def _paths(interval: Interval) -> tuple[dict[str, Number], bool]:
    """Return the utilisation of each path, and whether it is measured for the whole machine."""
    channels = interval.of(CHANNEL)
    percents = channel.busy(channels)
    keys = [key.rpartition(".")[2] for key in channels.keys]
    if present(percents):
        return {key: percent / 100.0 for key, percent in zip(keys, percents, strict=True)}, True
    return {key: percent / 100.0 for key, percent in channel.own_load(interval).items()}, False
