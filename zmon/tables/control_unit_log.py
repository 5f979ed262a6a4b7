"""CTLULOG: the logical control units by time: the busiest one and its part of all I/O, or one of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kinds import BLOCK, CMF, DASD, DEVICE
from zmon.tables.by_time import ESTIMATED, Log, by_time
from zmon.tables.control_unit import NO_LCU
from zmon.tables.join import present, total
from zmon.tables.table import Needs, Table
from zmon.tables.view import NoSuchThing, alone

if TYPE_CHECKING:
    from zmon.absent import Number, Value
    from zmon.interval import Interval
    from zmon.tables.view import View

NEEDS: Final = Needs((BLOCK, CMF, DASD, DEVICE), history=True)

WEIGHTS: Final = {
    **dict.fromkeys(("pend", "disc", "conn", "serv", "cuwt"), "measured"),
    **dict.fromkeys(("share", "fair"), "all"),
    "resp": "answered",
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
    return by_time(view, Log(f"lcu {key}", partial(figures, key=key), WEIGHTS))


def find(view: View) -> str:
    """Return the key of the LCU that goes by this key or subsystem id.

    Raises:
        NoSuchThing: none does, or several do; says which.
    """
    keys = alone("control_unit", view.interval).keys
    wanted = view.argument.strip().upper()
    wanted = wanted if wanted in map(str.upper, keys) else wanted.removeprefix("LCU ").removeprefix("SSID ")
    found = [key for key in keys if wanted in {key.upper(), key.rpartition(".")[2].upper()}]
    if len(found) == 1:
        return found[0]
    if found:
        raise NoSuchThing(f"{view.argument!r} may be {' or '.join(found)}: say which")
    raise NoSuchThing(f"no control unit {view.argument!r}; CTLUNIT lists those there are")


def figures(interval: Interval, key: str = "") -> dict[str, Value]:
    """Return the load of one LCU, by default of the busiest, and what all of them have together."""
    units = alone("control_unit", interval)
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
    estimates = "io share fair all" if units.is_estimate("io", row) else ""
    return {**common, **cells, "cu": units.keys[row], ESTIMATED: estimates}


def _row(units: Table, key: str) -> int | None:
    return units.keys.index(key) if key in units.keys else None


def _idle(everything: Number) -> Absent:
    return everything if isinstance(everything, Absent) else absent("no I/O in the interval")
