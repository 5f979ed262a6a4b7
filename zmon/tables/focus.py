"""BENCHMRK: one device by time, with what it depends on beside it.

The device's own times stand next to the load of its logical control unit, of the busiest of its channel
paths and of the CPUs, so that a reader sees what moved with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kinds import BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE
from zmon.tables import key_figures, lookup
from zmon.tables.by_time import ESTIMATED, Log, by_time
from zmon.tables.details import NOT_ASKED
from zmon.tables.device import address, devices_of, members
from zmon.tables.table import Needs, Table
from zmon.tables.topology import TOPOLOGY, units_of
from zmon.tables.view import TableDefinition, alone

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.interval import Interval
    from zmon.tables.view import View

NEEDS: Final = Needs((BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE), history=True, told=TOPOLOGY)

# the name of each figure here, by its name on the part's own screen
OF_UNIT: Final = {
    "ssid": "lcu", "io": "lcuio", "share": "lcushare", "resp": "lcuresp", "answered": "lcuanswered",
    "all": "lcuall",
}  # fmt: skip
OF_CPUS: Final = {"busy": "cpubusy", "steal": "steal"}

WEIGHTS: Final = {
    **key_figures.DEVICE_WEIGHTS,
    **{OF_UNIT[n]: OF_UNIT[w] for n, w in key_figures.LCU_WEIGHTS.items() if n in OF_UNIT},
    "hit": "cached",
}

NO_LCU: Final = absent("the device belongs to no control unit")
NO_LOAD: Final = absent("the load of none of its channel paths is known")
NO_DEVICE: Final = absent("no device has I/O now; BENCHMRK nnnn shows one by its number")


def table(view: View) -> Table:
    """Fill BENCHMRK: one row per interval, of the device that `view.argument` names, else of the busiest now.

    Raises:
        NoSuchThing: no device, or more than one, goes by that name.
    """
    key = find(view) if view.argument else _busiest(view.interval)
    if not key:
        return Table([], {}, missing=NO_DEVICE)
    filled = by_time(view, Log("focus", NEEDS, figures, WEIGHTS), key)
    filled = key_figures.with_sources(lookup.relabelled(filled, view), view, "lcu")
    if view.argument or not filled.keys:
        return filled
    return filled._replace(
        notes=(
            *filled.notes,
            f"Device {address(key)} is the busiest now; BENCHMRK nnnn shows another",
        )
    )


def find(view: View) -> str:
    """Return the key of a device; the Toolkit writes DEVICE before it.

    Raises:
        NoSuchThing: no device, or more than one, goes by that name.
    """
    word, _, name = view.argument.strip().partition(" ")
    said = len(word) >= 3 and "DEVICE".startswith(word.upper())
    return lookup.find(view, name if said and name else view.argument)


def _busiest(interval: Interval) -> str:
    devices = devices_of(interval)
    row = key_figures.busiest(devices, members(devices))
    return "" if row is None else devices.keys[row]


def figures(view: View, key: str) -> dict[str, Value]:
    """Return the figures of one device and of what it depends on."""
    own = key_figures.device_figures(view, key)
    lcu = units_of(view).of.get(key, "")
    unit = key_figures.lcu_figures(view, lcu) if lcu else dict.fromkeys(OF_UNIT, NO_LCU)
    path = _path(view, key)
    processors = key_figures.cpu_figures(view)
    marks = [str(own.get(ESTIMATED, "")), str(path.get(ESTIMATED, ""))]
    marks += [OF_UNIT[name] for name in str(unit.get(ESTIMATED, "")).split() if name in OF_UNIT]
    return {
        **own,
        **{here: unit[there] for there, here in OF_UNIT.items() if there in unit},
        **path,
        **_cache(view, key),
        **{here: processors[there] for there, here in OF_CPUS.items()},
        ESTIMATED: " ".join(marks),
    }


def _path(view: View, key: str) -> dict[str, Value]:
    """Return the busiest of the device's channel paths."""
    named = view.interval.of(DEVICE).cell(key, "chpids")
    if not isinstance(named, str):
        return {"chpid": named, "chbusy": named}
    paths = alone("channel", view)
    loads = [
        (load, -row)
        for row, (chpid, load) in enumerate(zip(paths.keys, paths.columns["cur"], strict=True))
        if chpid in named.split() and isinstance(load, (int, float))
    ]
    if not loads:
        return {"chpid": NO_LOAD, "chbusy": NO_LOAD}
    load, row = max(loads)
    guessed = paths.is_estimate("cur", -row)
    return {"chpid": paths.keys[-row], "chbusy": load, ESTIMATED: "chbusy" if guessed else ""}


def _cache(view: View, key: str) -> dict[str, Value]:
    """Return the hit ratio of the volume, and the I/O it is a ratio of."""
    volumes = alone("cache", view)
    if key not in volumes.keys:
        return dict.fromkeys(("hit", "cached"), volumes.missing or NOT_ASKED)
    row = volumes.keys.index(key)
    return {"hit": volumes.columns["hit"][row], "cached": volumes.columns["total"][row]}


DEFINITIONS: Final = {"focus": TableDefinition(NEEDS, table, find=find)}
