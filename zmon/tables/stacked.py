"""STACKED: the block devices that Linux makes of others (dm, md), beside the disks below them.

A request that takes much longer here than below waits in Linux, above the disks.  What the device mapper has
suspended completes nothing, and counts nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.same import SameNames
from zmon.base.sizes import KIB
from zmon.kinds import BLOCK, LAYER, TASKS
from zmon.machine.figure import Needs
from zmon.machine.observed_system import held_devices
from zmon.machine.observed_volumes import stacked_disks
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table
from zmon.topology.leaf_disks import STACKED

if TYPE_CHECKING:
    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.observed_volumes import StackedDisk
    from zmon.machine.view import View

NEEDS: Final = Needs((BLOCK, LAYER, TASKS))

NONE: Final = "No device that Linux makes of others (dm, md) has I/O or is suspended"
SUSPENDED: Final = absent("it is suspended and completes nothing")


def table(view: View) -> Table:
    """Fill STACKED: one row per device that is made of others, those that are suspended first."""
    interval = view.interval
    there = _are_there(SameNames(interval.of(BLOCK).keys))
    held = held_devices(interval) if there else {}
    loads = {disk.name: disk for disk in stacked_disks(interval)} if there else {}
    titles = _titles(interval) if there else {}
    keys = [*held, *(name for name in loads if name not in held)]
    blocked = interval.of(TASKS).cell("tasks", "blocked")
    ones = [None if key in held else loads[key] for key in keys]
    columns: dict[str, list[Value]] = {
        "name": list(keys),
        "title": [titles.get(key, key) for key in keys],
        "suspended": [int(disk is None) for disk in ones],
        "blocked": [blocked] * len(keys),
        "ios": [0.0 if disk is None else disk.rate for disk in ones],
        "resp": [_of(disk, "response", 1e3) for disk in ones],
        "below": [_of(disk, "below", 1e3) for disk in ones],
        "wait": [
            SUSPENDED if disk is None else max(0.0, disk.rate * (disk.response - disk.below)) for disk in ones
        ],
        "pieces": [SUSPENDED if disk is None else disk.below_rate / disk.rate for disk in ones],
        "piecekb": [_of(disk, "below_size", 1 / KIB) for disk in ones],
    }
    missing = None if keys else _missing(interval)
    return Table(keys, columns, notes=() if keys or missing else (NONE,), missing=missing)


@lru_cache(maxsize=2)
def _are_there(blocks: SameNames) -> bool:
    """Return whether some of the block devices are made of others."""
    return any(name.startswith(STACKED) for name in blocks.names)


def _of(disk: StackedDisk | None, name: str, times: float) -> Number:
    return SUSPENDED if disk is None else float(getattr(disk, name)) * times


def _titles(interval: Interval) -> dict[str, str]:
    """Return what the device mapper calls each of its devices."""
    layers = interval.of(LAYER)
    pairs = zip(layers["name"], layers["mapped"], strict=True)
    return {str(name): title for name, title in pairs if isinstance(title, str) and title}


def _missing(interval: Interval) -> Absent | None:
    """Return why it is not known which devices are made of others, where there may be some."""
    blocks, layers = interval.of(BLOCK), interval.of(LAYER)
    if blocks.missing is None and not _are_there(SameNames(blocks.keys)):
        return None
    return blocks.missing or layers.missing or interval.void


DEFINITIONS: Final = {"stacked": TableDefinition(NEEDS, table, screen="STACKED", resource="device")}
