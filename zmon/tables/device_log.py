"""DEVLOG: the load of all DASD by time, or of one device."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent, ratio
from zmon.kinds import BLOCK, CMF, DASD, DEVICE
from zmon.tables import device, lookup
from zmon.tables.by_time import ESTIMATED, Log, by_time
from zmon.tables.device import COLUMNS, IDLE, address, devices_of, labels, loads, members
from zmon.tables.join import total
from zmon.tables.table import Needs, Table, TableDefinition
from zmon.tables.topology import TOPOLOGY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.absent import Number, Value
    from zmon.tables.device import Devices
    from zmon.tables.view import View

NEEDS: Final = Needs((BLOCK, CMF, DASD, DEVICE), history=True, told=TOPOLOGY)

WEIGHTS: Final = {**device.WEIGHTS, "share": "all"}

GONE: Final = absent("the device was not on line")
NO_DISKS: Final = absent("there are no disks")


def table(view: View) -> Table:
    """Fill DEVLOG: one row per interval, of the device that `view.argument` names, else of all DASD.

    Raises:
        NoSuchThing: no device, or more than one, goes by that name.
    """
    key = find(view) if view.argument else ""
    return lookup.relabelled(by_time(view, Log(f"device {key}", partial(figures, key=key), WEIGHTS)), view)


def find(view: View) -> str:
    """Return the key of the device that the view's argument names.

    Raises:
        NoSuchThing: no device, or more than one, goes by that name.
    """
    return lookup.find(view, view.argument)


def figures(view: View, key: str = "") -> dict[str, Value]:
    """Return the load of all disks and which of them is the busiest, or that of one device."""
    devices = devices_of(view.interval)
    if not key:
        return of_all(devices)
    return of_one(devices, devices.keys.index(key)) if key in devices.keys else gone(key)


def of_all(devices: Devices) -> dict[str, Value]:
    """Return the load of all disks with their aliases."""
    rows = members(devices)
    cells = loads(devices, rows)
    one = busiest(devices, rows)
    return {**cells, **_chosen(devices, one, rows), ESTIMATED: _estimates(devices, rows, one)}


def of_one(devices: Devices, row: int) -> dict[str, Value]:
    """Return the load of the device that stands in a row."""
    cells: dict[str, Value] = {
        column.name: column.values(devices)[row] for column in COLUMNS if column.together is not None
    }
    hung = " resp" if row in devices.hung else ""
    return {
        **cells,
        "measured": devices.measured([row]),
        "answered": devices.answered([row]),
        **_chosen(devices, row, members(devices)),
        ESTIMATED: _estimates(devices, [row], row) + hung,
    }


def _estimates(devices: Devices, rows: Sequence[int], one: int | None) -> str:
    """Name the cells that are estimates."""
    names = ["io", "drate", "share"] if devices.estimated(rows) else []
    return " ".join([*names, "dresp"] if one in devices.hung else names)


def gone(key: str) -> dict[str, Value]:
    """Return the cells of a device that is not there in an interval."""
    return {"addr": address(key), "io": GONE}


def _chosen(devices: Devices, one: int | None, rows: Sequence[int]) -> dict[str, Value]:
    """Return who one device is and what its part of all I/O is."""
    everything = total([devices.rate[row] for row in rows])
    if one is None:
        nobody = everything if isinstance(everything, Absent) else IDLE if rows else NO_DISKS
        return {
            "all": everything,
            **dict.fromkeys(("addr", "label", "drate", "share", "busy", "dresp"), nobody),
        }
    return {
        "all": everything,
        "addr": address(devices.keys[one]),
        "label": labels(devices)[one],
        "drate": devices.rate[one],
        "share": 100.0 * ratio(devices.rate[one], everything),
        "busy": devices.busy[one],
        "dresp": devices.response[one],
    }


def busiest(devices: Devices, rows: Sequence[int]) -> int | None:
    """Return the row of the device that was busy for most of the time.

    Where that is not measured, the one with most I/O; None when none had any.
    """
    for column in (devices.busy, devices.rate):
        known: list[tuple[Number, int]] = [(column[row], row) for row in rows if column[row] > 0]
        if known:
            return max(known, key=lambda pair: (pair[0], -pair[1]))[1]
    return None


DEFINITIONS: Final = {"device_log": TableDefinition(NEEDS, table, find=find)}
