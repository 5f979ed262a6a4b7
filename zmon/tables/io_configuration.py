"""IOCONF (FCX131): the ccw devices in ranges that have equal paths, control unit, type and status.

The layout of the original is not public; a line per contiguous range is how it is described.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.ranges import some
from zmon.base.record import NamedTuple
from zmon.kinds import DASD, DEVICE
from zmon.machine.devices import NO_UID, address
from zmon.machine.figure import Needs
from zmon.machine.topology import TOPOLOGY, units_of
from zmon.placement.channel_device import NO_LCU
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Summary, Table
from zmon.topology.volumes import device_type, short_titles
from zmon.values.dasd_state import use_of
from zmon.values.path_masks import NO_MASKS, PATH_MASKS, usable
from zmon.values.uid import alias_kind, find_uid, known_uid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.machine.view import View
    from zmon.sample import Frame

NEEDS: Final = Needs((DASD, DEVICE), topology=TOPOLOGY)

NO_SUBCHANNEL: Final = absent("the subchannel is not known")
NO_RANGE: Final = absent("the subchannels of these devices do not follow one another: DEVICE nnnn has each")
NO_CHANNELS: Final = absent("the channel paths were not read")


class RangeFacts(NamedTuple):
    """What all devices of a range have in common."""

    group: str
    """Channel subsystem and subchannel set: `0.0`."""
    devtype: Value
    cutype: Value
    lcu: Value
    role: Value
    chpids: Value
    usable: Value
    """Mask of the paths that can be used."""
    installed: Value
    status: Value
    """`online`, `offline`, `secondary` or `not formatted`."""
    driver: Value


def table(view: View) -> Table:
    """Fill IOCONF: one row per range of devices, keyed by the bus id of its first one."""
    frame = view.interval.after.frame(DEVICE)
    units = units_of(view)
    called = short_titles(units.lcus)
    short = {key: called[lcu] for key, lcu in units.of.items() if lcu in called}
    ranges = list(_ranges(frame, view.interval.after.frame(DASD), short))
    facts = [device for device, _ in ranges]
    columns: dict[str, list[Value]] = {
        "devices": [_span([address(key) for key in keys]) for _, keys in ranges],
        "count": [len(keys) for _, keys in ranges],
        "subch": [_subchannels(frame, keys) for _, keys in ranges],
        "type": [device_type(device.devtype, device.cutype) for device in facts],
        "cutype": [device.cutype for device in facts],
        "lcu": [device.lcu for device in facts],
        "role": [device.role for device in facts],
        "chpids": [device.chpids for device in facts],
        "paths": [
            device.usable.bit_count() if isinstance(device.usable, int) else device.usable for device in facts
        ],
        "lost": [
            (device.installed & ~device.usable).bit_count()
            if isinstance(device.usable, int) and isinstance(device.installed, int)
            else NO_MASKS
            for device in facts
        ],
        "status": [device.status for device in facts],
        "driver": [device.driver for device in facts],
    }
    lost = [row for row, many in enumerate(columns["lost"]) if isinstance(many, int) and many]
    return Table(
        [keys[0] for _, keys in ranges],
        columns,
        Summary(">> All <<", {"count": len(frame.keys)}) if ranges else None,
        notes=tuple(_lost(columns, lost)),
        missing=None if ranges else frame.missing,
    )


def _ranges(frame: Frame, dasd: Frame, lcus: dict[str, str]) -> Iterator[tuple[RangeFacts, list[str]]]:
    """Yield ranges of devices with consecutive numbers that have all facts in common."""
    names = ("devtype", "cutype", "chpids", "online", "status", "copy_role", "driver", "uid", "alias",
             *PATH_MASKS, "path_masks")  # fmt: skip
    columns = [frame.column(name) for name in names]
    keys: list[str] = []
    common: RangeFacts | None = None
    for key in sorted(frame.keys):
        row = frame.index[key]
        devtype, cutype, chpids, online, status, copy, driver, uid, alias, *masks = (
            column[row] for column in columns
        )
        facts = RangeFacts(
            group=key.rpartition(".")[0],
            devtype=devtype,
            cutype=cutype,
            lcu=lcus.get(key, NO_LCU),
            role=_role(known_uid(uid, dasd.cell(key, "uid")), alias),
            chpids=chpids if isinstance(chpids, str) else NO_CHANNELS,
            usable=usable(*masks, online=online) if isinstance(masks[0], int) else NO_MASKS,
            installed=masks[0],
            status=use_of(online, status, dasd.cell(key, "state"), copy),
            driver=driver,
        )
        if common is not None and (facts != common or _number(key) != _number(keys[-1]) + 1):
            yield common, keys
            keys = []
        common = facts
        keys.append(key)
    if common is not None:
        yield common, keys


def _role(uid: Value, alias: Value) -> Value:
    """Return whether a device is a base, an alias or neither."""
    if alias == 1:
        return alias_kind(uid)
    return "base" if find_uid(uid) is not None else NO_UID


def _lost(columns: Mapping[str, Sequence[Value]], rows: Sequence[int]) -> list[str]:
    """Say which ranges cannot use some of their channel paths."""
    said = [
        f"{columns['devices'][row]}: {columns['lost'][row]} of"
        f" {'its' if columns['count'][row] == 1 else 'their'} channel paths cannot be used"
        for row in rows
    ]
    return some(said, "lines with paths that cannot be used")


def _number(key: str) -> int:
    return int(key.rpartition(".")[2], 16)


def _subchannels(frame: Frame, keys: Sequence[str]) -> Value:
    """Write the first and the last subchannel of devices; only such as follow one another are a range."""
    subchannels = [subchannel for key in keys if isinstance(subchannel := frame.cell(key, "subchannel"), str)]
    if len(subchannels) < len(keys):
        return NO_SUBCHANNEL
    if any(_number(other) != _number(subchannel) + 1 for subchannel, other in pairwise(subchannels)):
        return NO_RANGE
    return _span([address(subchannel) for subchannel in subchannels])


def _span(names: Sequence[str]) -> str:
    """Write first and last name."""
    return names[0] if len(names) == 1 else f"{names[0]}-{names[-1].rpartition('.')[2]}"


DEFINITIONS: Final = {"io_configuration": TableDefinition(NEEDS, table)}
