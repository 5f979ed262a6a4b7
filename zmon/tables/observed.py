"""From an interval to what queueing needs of it: see `zmon.queueing.observation`.

Pend, Disc and Conn are those of DEVICE and CTLUNIT, the utilisation of channel paths that of CHANNEL,
processors those of CPU.  Without channel measurement the service time of a volume is the time per request in
which Linux had one there, which is right if the volume does one request at a time.
"""

from __future__ import annotations

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
from zmon.tables.device import IDLE, TOO_BUSY, devices_of
from zmon.tables.join import Joined, present, quotient, total
from zmon.topology.volumes import lcus
from zmon.uid import HYPERPAV, find_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Number
    from zmon.interval import Interval
    from zmon.tables.device import Devices
    from zmon.topology.volumes import Lcu

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
    pools = {key: _pool(devices, unit, row_of) for key, unit in units.items()}
    own = _own_aliases(devices, lcu_of)
    misses, apart = _misses(interval, devices), _apart(devices)
    volumes = []
    for row, (key, name) in enumerate(zip(devices.keys, devices.names, strict=True)):
        rate = devices.requests[row]
        if isinstance(name, Absent) or isinstance(rate, Absent):
            continue
        lcu = lcu_of.get(key, "")
        rows = [row, *own.get(key, ())]
        measured = [*rows, *pools[lcu]] if pools.get(lcu) else rows
        read, write = apart[row]
        volume = _volume(devices, row, lcu, rows, measured)
        volumes.append(volume._replace(read_response=read, write_response=write))
    found = []
    for key, unit in units.items():
        mine = [one for one in volumes if one.lcu == key]
        pool = pools[key]
        busy = total([devices.busy[row] for row in pool]) / 100.0 if pool else 0.0
        works = any(one.rate for one in mine)
        found.append(
            ObservedLcu(
                key, unit.name, f"{unit.vendor}.{unit.serial}", unit.chpids, len(pool), busy,
                _missed([(misses.get(one.key, NO_CACHE), one.rate) for one in mine]),
                capacity.get(key, NO_CAPACITY),
                *(_times(devices, [row_of[bus] for bus in unit.members if bus in row_of]) if works else ()),
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
    lacking = [devices.cmf["ssch"][row] for row, name in enumerate(devices.names) if isinstance(name, str)]
    missing = [value.reason for value in lacking[:1] if isinstance(value, Absent)]
    return ObservedLoad(
        0.0 if isinstance(seconds, Absent) else float(seconds),
        tuple(volumes),
        tuple(found),
        load,
        measured_paths,
        ObservedProcessors(processors.running, processors.average(processors.busy) / 100.0),
        fcp,
        tuple(missing),
    )


def _pool(devices: Devices, unit: Lcu, row_of: Mapping[str, int]) -> list[int]:
    """Return the rows of the aliases that any volume of an LCU may use."""
    rows = [row_of[alias] for alias in unit.aliases if alias in row_of]
    uids = devices.ccw["uid"]
    return [row for row in rows if (uid := find_uid(uids[row])) is not None and uid.ua == HYPERPAV]


def _own_aliases(devices: Devices, lcu_of: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the rows of the aliases that are bound to a volume, by its bus id."""
    bases: dict[tuple[str, str], str] = {}
    aliases: list[tuple[tuple[str, str], int]] = []
    columns = zip(devices.keys, devices.ccw["uid"], devices.ccw["alias"], strict=True)
    for row, (key, text, alias) in enumerate(columns):
        uid = find_uid(text)
        if uid is None or uid.ua == HYPERPAV:
            continue
        at = (lcu_of.get(key, ""), uid.ua)
        if alias == 1:
            aliases.append((at, row))
        else:
            bases[at] = key
    found: dict[str, list[int]] = {}
    for at, row in aliases:
        if at in bases:
            found.setdefault(bases[at], []).append(row)
    return found


def _volume(
    devices: Devices, row: int, lcu: str, rows: Sequence[int], measured: Sequence[int]
) -> ObservedVolume:
    """Return a volume; its times are means over `measured`, its own subchannels or all that serve it."""
    rate = devices.requests[row]
    assert not isinstance(rate, Absent)  # noqa: S101 - others are left out
    pend: Number = 0.0
    disc: Number = 0.0
    conn: Number = NO_IO
    if rate:  # most volumes of a fleet are idle
        pend, disc, conn = _times(devices, measured)
    estimated = isinstance(conn, Absent)
    if estimated:
        busy = devices.linux_busy[row]
        conn = ratio((100.0 if busy is TOO_BUSY else busy) / 100.0, rate, NO_IO.reason)
        pend, disc = 0.0, 0.0
    key = devices.keys[row]
    return ObservedVolume(
        key,
        devices.title(row),
        str(devices.block["number"][row]),
        lcu,
        float(rate),
        devices.wait[row] / 1e3,
        pend,
        disc,
        conn,
        devices.kilobytes[row] * 1024.0,
        devices.reads[row] / 100.0,
        len(rows),
        estimated,
    )


def _times(devices: Devices, rows: Sequence[int]) -> tuple[Number, Number, Number]:
    """Return the seconds of Pend, Disc and Conn of some devices per start of I/O."""
    pend, disc, conn = (
        devices.average(rows, times) / 1e3 for times in (devices.pend, devices.disc, devices.conn)
    )
    return pend, disc + devices.average(rows, devices.active) / 1e3 if devices.active else disc, conn


def _apart(devices: Devices) -> list[tuple[Number, Number]]:
    """Return of each device the seconds that Linux waits for a read and for a write."""
    if devices.together:
        return [(NOT_APART, NOT_APART)] * len(devices.keys)
    read, written = (
        quotient(devices.block.numbers(f"{what}_ms"), devices.block.numbers(f"{what}s"), 1e-3, IDLE)
        for what in ("read", "write")
    )
    return [*zip(read, written, strict=True)]


def _misses(interval: Interval, devices: Devices) -> dict[str, Number]:
    """Return the part of the requests of each volume that read and were not in the cache."""
    cache = Joined(interval.of(CACHE), devices.keys, NO_CACHE)
    reads, hits, writes = (cache.numbers(name) for name in ("reads", "read_hits", "writes"))
    return {
        key: ratio(read - hit, read + written)
        for key, read, hit, written in zip(devices.keys, reads, hits, writes, strict=True)
    }


def _missed(parts: Iterable[tuple[Number, float]]) -> Number:
    """Return the mean of parts, each with its weight; absent where some of it is not known."""
    known = [(part, rate) for part, rate in parts if rate]
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
