"""From an interval to what queueing needs of it: see `zmon.queueing.observation`.

Pend, Disc and Conn are those of DEVICE and CTLUNIT, the utilisation of channel paths that of CHANNEL,
processors those of CPU.  Without channel measurement the service time of a volume is the time per request in
which Linux had one there, which is right if the volume does one request at a time.
"""

from __future__ import annotations

from functools import partial
from itertools import compress, groupby, repeat
from operator import mul, truediv
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent, ratio
from zmon.kinds import BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE
from zmon.queueing.observation import (
    NO_RANKS,
    NOT_APART,
    LoadVolumes,
    ObservedLcu,
    ObservedLoad,
    ObservedProcessors,
    ObservedVolume,
)
from zmon.sample import pick
from zmon.tables import channel
from zmon.tables.cpu import Processors
from zmon.tables.device import IDLE, TOO_BUSY, VIRTIO, address, devices_of
from zmon.tables.join import is_absent, mean, plus, present, quotient, total
from zmon.tables.topology import rows_of_lcus
from zmon.topology.volumes import lcus, titles
from zmon.uid import HYPERPAV, find_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    rows = rows_of_lcus(devices.keys, units)
    pools = _pools(devices, units, rows.row_of)
    used = _used(devices)
    lcu_of = list(map(rows.lcu_of.get, pick(devices.keys, used), repeat("")))
    of_lcu = _places(lcu_of)
    own = _own_aliases(devices, rows.lcu_of)
    volumes: Sequence[ObservedVolume] = LoadVolumes(
        _used_volumes(devices, used, lcu_of, own, pools), lambda: _volumes(devices, rows.lcu_of, own, pools)
    )
    misses, rates = _misses(devices, used), pick(devices.requests, used)
    found, title = [], titles(units)
    for (key, unit), members in zip(units.items(), rows.members, strict=True):
        pool = pools[key]
        busy = total([devices.busy[row] for row in pool]) / 100.0 if pool else 0.0
        places = of_lcu.get(key, ())
        found.append(
            ObservedLcu(
                key, title[key], f"{unit.vendor}.{unit.serial}", unit.chpids, len(pool), busy,
                _missed(pick(misses, places), pick(rates, places)), capacity.get(key, NO_CAPACITY),
                *(_times(devices, members) if places else ()),
            )
        )  # fmt: skip
    load, measured_paths = _paths(interval)
    fcp = _fcp(interval)
    adapters = sum(
        (float(use) for key in sorted(fcp) if not isinstance(use := load.get(key, NO_CACHE), Absent)), 0.0
    )
    if measured_paths and adapters:
        volumes = tuple(_behind_adapters(volumes, adapters, devices.paths))
        found.append(ObservedLcu(SCSI, "SCSI disks", "", tuple(sorted(fcp))))
    processors = Processors(interval)
    seconds = interval.seconds
    starts = zip(devices.names, devices.cmf["ssch"], devices.ssch, strict=True)
    first = next(
        (rate if rate is VIRTIO else value for name, value, rate in starts if isinstance(name, str)), 0
    )
    missing = [first.reason] if isinstance(first, Absent) else []
    return ObservedLoad(
        0.0 if isinstance(seconds, Absent) else float(seconds),
        volumes,
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
    if 1 not in devices.ccw["alias"]:
        return {}
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


def _used(devices: Devices) -> list[int]:
    """Return the rows of the disks with requests."""
    rates, names = devices.requests, devices.names
    rows = compress(range(len(rates)), rates)  # what is absent counts as true
    return [row for row in rows if rates[row].__class__ is not Absent and names[row].__class__ is not Absent]


def _places(lcu_of: Sequence[str]) -> dict[str, list[int]]:
    """Return by LCU where its volumes are in a list."""
    found: dict[str, list[int]] = {}
    for lcu, places in groupby(range(len(lcu_of)), lcu_of.__getitem__):
        found.setdefault(lcu, []).extend(places)
    return found


def _used_volumes(
    devices: Devices,
    used: Sequence[int],
    lcu_of: Sequence[str],
    own: Mapping[str, Sequence[int]],
    pools: Mapping[str, Sequence[int]],
) -> list[ObservedVolume]:
    """Return the disks with requests, as `_volumes` does, but column by column."""
    keys_of = devices.keys
    keys, rates = pick(keys_of, used), pick(devices.requests, used)
    pends, discs, conns = _times_alone(devices, used)
    servers = [1] * len(used)
    if own or any(pools.values()):
        for place, (row, key, lcu) in enumerate(zip(used, keys, lcu_of, strict=True)):
            rows = (row, *own.get(key, ()))
            with_pool = (*rows, *pools.get(lcu, ()))
            servers[place] = len(rows)
            if len(with_pool) > 1:
                pends[place], discs[place], conns[place] = _times(devices, with_pool)
    estimated = [False] * len(used)
    if Absent in set(map(type, conns)):
        estimated = [conn.__class__ is Absent for conn in conns]
        busy = devices.linux_busy
        for place in compress(range(len(used)), estimated):
            pends[place], discs[place] = 0.0, 0.0
            conns[place] = ratio(_part_used(busy[used[place]]), rates[place], NO_IO.reason)
    titles: Iterable[str] = map(address, keys)
    if devices.paths:
        titles = (
            devices.title(row) if keys_of[row] in devices.paths else address(keys_of[row]) for row in used
        )
    columns = (
        keys,
        titles,
        map(str, devices.block.at(used, "number")),
        lcu_of,
        rates,
        map(truediv, pick(devices.wait, used), repeat(1e3)),
        pends,
        discs,
        conns,
        map(mul, pick(devices.kilobytes, used), repeat(1024.0)),
        map(truediv, pick(devices.reads, used), repeat(100.0)),
        servers,
        estimated,
        *_apart(devices, used),
    )
    return list(map(partial(tuple.__new__, ObservedVolume), zip(*columns, strict=True)))


def _part_used(percent: Number) -> Number:
    """Return the part of the time in which Linux had a request at a disk."""
    return (100.0 if percent is TOO_BUSY else percent) / 100.0


def _volumes(
    devices: Devices,
    lcu_of: Mapping[str, str],
    own: Mapping[str, Sequence[int]],
    pools: Mapping[str, Sequence[int]],
) -> tuple[ObservedVolume, ...]:
    """Return all disks; their times are means over their own subchannels, or over all that serve them."""
    every = range(len(devices.keys))
    pends, discs, conns = _times_alone(devices, every)
    columns = (
        devices.keys,
        devices.names,
        devices.block["number"],
        devices.requests,
        devices.wait,
        devices.kilobytes,
        devices.reads,
        *_apart(devices, every),
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
            used = _part_used(busy)
            pend, disc, conn = 0.0, 0.0, ratio(used, rate, NO_IO.reason) if rate else _idle(used)
        volume = (
            key, devices.title(row) if key in devices.paths else address(key), str(number), lcu, float(rate),
            wait / 1e3, pend, disc, conn, size * 1024.0, reads / 100.0, len(rows), estimated, read, write,
        )  # fmt: skip
        volumes.append(tuple.__new__(ObservedVolume, volume))
    return tuple(volumes)


def _idle(used: Number) -> Number:
    """Return why an idle volume has no time per request."""
    return used if used.__class__ is Absent else NO_IO


def _times_alone(devices: Devices, rows: Sequence[int]) -> tuple[list[Number], list[Number], list[Number]]:
    """Return the seconds of Pend, Disc and Conn of devices per start of I/O, as `_times` of each alone."""
    weights = pick(devices.rate, rows)
    pend, disc, conn = (
        _weighed(pick(times, rows), weights) for times in (devices.pend, devices.disc, devices.conn)
    )
    if devices.active:
        disc = plus(disc, _weighed(pick(devices.active, rows), weights))
    return pend, disc, conn


def _weighed(values: Sequence[Number], weights: Sequence[Number]) -> list[Number]:
    """Return the means of single values with their weights, to the last bit as `Devices.average` of one."""
    products = list(map(mul, values, weights))
    if 0 not in weights and Absent not in set(map(type, products)):
        return list(map(truediv, map(truediv, products, weights), repeat(1e3)))
    return [
        product if product.__class__ is Absent else product / weight / 1e3 if weight else IDLE
        for product, weight in zip(products, weights, strict=True)
    ]


def _times(devices: Devices, rows: Sequence[int]) -> tuple[Number, Number, Number]:
    """Return the seconds of Pend, Disc and Conn of some devices together per start of I/O."""
    rates = pick(devices.rate, rows)
    started = list(compress(rows, rates))  # what has no start has no weight
    weights = pick(devices.rate, started)

    def average(times: Sequence[Number]) -> Number:
        values = pick(times, started)
        if started and Absent not in set(map(type, values)) and Absent not in set(map(type, weights)):
            return mean(values, weights, IDLE.reason)
        return devices.average(rows, times)

    pend, disc, conn = (average(times) / 1e3 for times in (devices.pend, devices.disc, devices.conn))
    return pend, disc + average(devices.active) / 1e3 if devices.active else disc, conn


def _apart(devices: Devices, rows: Sequence[int]) -> tuple[list[Number], list[Number]]:
    """Return of devices the seconds that Linux waits for a read, and for a write."""
    if devices.together:
        return [NOT_APART] * len(rows), [NOT_APART] * len(rows)
    read, written = (
        quotient(devices.block.at(rows, f"{what}_ms"), devices.block.at(rows, f"{what}s"), 1e-3, IDLE)
        for what in ("read", "write")
    )
    return read, written


def _misses(devices: Devices, rows: Sequence[int]) -> list[Number]:
    """Return the parts of devices' requests that read and were not in the cache."""
    reads, hits, writes = (devices.cache.at(rows, name) for name in ("reads", "read_hits", "writes"))
    if is_absent(reads):
        return reads
    return [ratio(read - hit, read + write) for read, hit, write in zip(reads, hits, writes, strict=True)]


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
