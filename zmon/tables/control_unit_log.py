"""CTLULOG: the logical control units by time: the busiest one and its part of all I/O, or one of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kinds import BLOCK, CMF, DASD, DEVICE
from zmon.tables import device
from zmon.tables.by_time import ESTIMATED, Log, by_time
from zmon.tables.control_unit import NO_LCU, TIMES, told_by
from zmon.tables.join import present, total
from zmon.tables.table import Needs, Table, TableDefinition
from zmon.tables.topology import TOPOLOGY, lcus_named, units_of
from zmon.tables.view import NoSuchThing, alone

if TYPE_CHECKING:
    from zmon.absent import Number, Value
    from zmon.tables.view import View

NEEDS: Final = Needs((BLOCK, CMF, DASD, DEVICE), history=True, told=TOPOLOGY)

WEIGHTS: Final = {
    **{name: weight for name, weight in device.WEIGHTS.items() if name in TIMES},
    **dict.fromkeys(("share", "fair"), "all"),
}
SHOWN: Final = (
    "io", "share", "fair", "mbs", "pend", "disc", "conn", "serv", "resp", "cuwt", "queue", "aliasuse",
)  # fmt: skip

GONE: Final = absent("there was no such control unit")


def table(view: View) -> Table:
    """Fill CTLULOG: one row per interval, of the LCU that `view.argument` names, else of the busiest.

    Raises:
        NoSuchThing: no LCU, or more than one, goes by that name.
    """
    key = find(view) if view.argument else ""
    return with_sources(by_time(view, Log(f"lcu {key}", partial(figures, key=key), WEIGHTS)), view, "ssid")


def with_sources(filled: Table, view: View, column: str) -> Table:
    """Say what names the LCUs in a column, where no uid does."""
    if column not in filled.estimated:
        return filled
    return filled._replace(notes=(*filled.notes, *told_by(units_of(view).lcus.values())))


def find(view: View) -> str:
    """Return the key of the LCU that has this name, key or subsystem id.

    Raises:
        NoSuchThing: none does, or several do; says which.
    """
    found = lcus_named(view, view.argument)
    if len(found) == 1:
        return found[0]
    if found:
        raise NoSuchThing(f"{view.argument!r} may be {' or '.join(found)}: say which")
    raise NoSuchThing(f"no control unit {view.argument!r}; CTLUNIT lists those there are")


def figures(view: View, key: str = "") -> dict[str, Value]:
    """Return the load of one LCU, by default of the busiest, and what all of them have together."""
    units = alone("control_unit", view)
    rates: list[Number] = list(units.columns.get("io", ()))  # type: ignore[arg-type]  # rates are no texts
    everything = total(rates) if rates else units.missing or NO_LCU
    loads = [(rate, -row) for row, rate in enumerate(rates) if rate > 0]
    common: dict[str, Value] = {
        "units": len(units.keys) or everything,
        "active": len(loads) if present(rates) else everything,
        "all": everything,
    }
    row = _row(units, key) if key else -max(loads)[1] if loads else None
    if row is None:
        nobody = units.missing or (GONE if key else _idle(everything))
        return {**common, **dict.fromkeys(("ssid", "cu", *SHOWN), nobody)}
    cells = {
        name: units.columns[name][row]
        for name in (
            "ssid",
            *SHOWN,
            *(weight for weight in dict.fromkeys(WEIGHTS.values()) if weight != "all"),
        )
    }
    estimates = "io share fair all " if units.is_estimate("io", row) else ""
    estimates += "ssid cu" if units.is_estimate("ssid", row) else ""
    return {**common, **cells, "cu": units.keys[row], ESTIMATED: estimates}


def _row(units: Table, key: str) -> int | None:
    return units.keys.index(key) if key in units.keys else None


def _idle(everything: Number) -> Absent:
    return everything if isinstance(everything, Absent) else absent("no I/O in the interval")


DEFINITIONS: Final = {"control_unit_log": TableDefinition(NEEDS, table, find=find)}
