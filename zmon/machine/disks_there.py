"""Which devices have a row in DEVICE, and the names of their disks, from whatever sources were read.

A device on line has one, and a disk of which Linux counts I/O.  Where /proc/diskstats was not read, the disks
are those that are known in another way.  Of texts of tools a row has what they show to be a DASD, an alias or
a disk, and what nothing shows to be offline: lscss lists adapters, too.
"""

from __future__ import annotations

from zmon.base.absent import Absent, text_of
from zmon.base.light_typing import TYPE_CHECKING
from zmon.kinds import BLOCK, DASD, DEVICE, LAYER, MPATH, NOT_JOINED, ORIGIN
from zmon.topology.leaf_disks import NO_DISKS
from zmon.topology.volumes import DASD_TYPES
from zmon.values.uid import find_uid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.sample import Frame, Sample


def ccw_disks(interval: Interval) -> tuple[list[str], list[Value]]:
    """Return the bus ids of the ccw devices that have a row, and the names of their block devices."""
    devices = interval.of(DEVICE)
    online, names = devices["online"], devices["block"]
    origins = interval.after.frames.get(ORIGIN.name)
    if origins is not None and origins.keys:
        return _of_texts(interval.after)
    shown = [row for row, is_online in enumerate(online) if is_online == 1]
    return [devices.keys[row] for row in shown], [names[row] for row in shown]


def _of_texts(sample: Sample) -> tuple[list[str], list[Value]]:
    """Return those that texts show to be DASD or disks, by number, with the names of block devices."""
    devices, dasd = sample.frame(DEVICE), sample.frame(DASD)
    names = _names_of_layers(sample.frame(LAYER))
    for busid, name in zip(dasd.keys, dasd.column("name"), strict=True):
        if isinstance(names.get(busid, name), Absent):
            names[busid] = name
    columns = map(devices.column, ("online", "alias", "uid", "devtype", "block"))
    for busid, online, alias, uid, devtype, name in zip(devices.keys, *columns, strict=True):
        is_dasd = alias == 1 or find_uid(uid) is not None or text_of(devtype).startswith(DASD_TYPES)
        if online == 0:
            names.pop(busid, None)
        elif isinstance(name, str) or (is_dasd and busid not in names):
            names[busid] = name
    keys = sorted(names)
    return keys, [names[busid] for busid in keys]


def _names_of_layers(layers: Frame) -> dict[str, Value]:
    """Return the names of the disks of ccw devices, by bus id; that of a SCSI disk is its adapter's."""
    columns = map(layers.column, ("busid", "name", "sort", "lun", "wwid"))
    return {
        busid: name
        for busid, name, sort, lun, wwid in zip(*columns, strict=True)
        if isinstance(busid, str) and sort == "disk"
        if isinstance(lun, Absent) and isinstance(wwid, Absent)
        if not text_of(name).startswith(("sd", "nvme"))
    }


def maps_of_disks(interval: Interval) -> Mapping[str, Value]:
    """Return the multipath device that joins each disk, and such a device itself, by the names of disks."""
    blocks = interval.of(BLOCK)
    if blocks.missing is None:
        return dict(zip(blocks.keys, blocks["map"], strict=True))
    layers = interval.after.frame(LAYER)
    names = {number: text_of(name) for number, name in zip(layers.keys, layers.column("name"), strict=True)}
    sorts = zip(names.values(), layers.column("sort"), strict=True)
    maps: dict[str, Value] = {
        name: NOT_JOINED
        for name, sort in sorted(sorts, key=lambda disk: (len(disk[0]), disk[0]))
        if name and sort == "disk" and not name.startswith(NO_DISKS)
    }
    for number, uuid, below in zip(layers.keys, layers.column("uuid"), layers.column("below"), strict=True):
        if text_of(uuid).startswith(MPATH) and names[number]:
            paths = (names.get(path, "") for path in text_of(below).split())
            maps |= dict.fromkeys([names[number], *filter(None, paths)], names[number])
    return maps
