"""CHANLOG: the channel paths by time: the busiest one, mean and number beyond the limits, or one of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.interval import FIRST
from zmon.kinds import BLOCK, CHANNEL, CMF, DEVICE
from zmon.tables.by_time import ESTIMATED, Log, by_time
from zmon.tables.channel import NOT_MEASURED, UNTIMED, stamp_seconds
from zmon.tables.table import Needs, Table, TableDefinition
from zmon.tables.view import NoSuchThing, alone

if TYPE_CHECKING:
    from zmon.absent import Number, Value
    from zmon.interval import Interval
    from zmon.tables.view import View

NEEDS: Final = Needs((BLOCK, CHANNEL, CMF, DEVICE), history=True)

SHOWN: Final = ("descr", "own", "bus", "read", "write")

WEIGHTS: Final = {
    "busy": "stamped",
    "own": "stamped",
    "bus": "stamped",
    "read": "stamped",
    "write": "stamped",
}

NOT_COMPARED: Final = absent(
    "the connect time of the I/O on some paths was not measured: the busiest is unknown"
)
GONE: Final = absent("there was no such channel path")


def table(view: View) -> Table:
    """Fill CHANLOG: one row per interval, of the path that `view.argument` names, else of the busiest.

    Raises:
        NoSuchThing: there is no such channel path.
    """
    chpid = find(view) if view.argument else ""
    limit = view.limits().get("channel.cur")
    return by_time(view, Log(f"channel {chpid}", partial(figures, chpid=chpid, limit=limit), WEIGHTS))


def find(view: View) -> str:
    """Return the CHPID that is called `4e`, `4E` or `0.4e`.

    Raises:
        NoSuchThing: there is none; says which there are.
    """
    keys = alone("channel", view).keys
    wanted = view.argument.strip().lower().rpartition(".")[2].zfill(2)
    if wanted not in keys:
        raise NoSuchThing(f"no channel path {view.argument!r}; there are {', '.join(keys) or 'none'}")
    return wanted


def figures(view: View, chpid: str = "", limit: tuple[float, float] | None = None) -> dict[str, Value]:
    """Return the load of one path, by default of the busiest, and what all of them have together."""
    paths = alone("channel", view)
    busy: list[Number] = list(paths.columns["cur"])  # type: ignore[arg-type]  # percentages are no texts
    known = [(percent, -row) for row, percent in enumerate(busy) if not isinstance(percent, Absent)]
    unknown = paths.missing or next((value for value in busy if isinstance(value, Absent)), NOT_MEASURED)
    if UNTIMED in busy:  # the busiest may be one of those
        known, unknown = [], NOT_COMPARED
    loads = [float(percent) for percent, _ in known]
    look, bad = limit or (0.0, 0.0)
    estimates = "mean highest over bad" if paths.estimated.get("cur") else ""
    nothing = unknown if not known else absent("CHANNEL has no limits") if limit is None else None
    common: dict[str, Value] = {
        "paths": len(known) or unknown,
        "mean": sum(loads) / len(loads) if loads else unknown,
        "highest": max(loads, default=unknown),
        "over": nothing or sum(1 for load in loads if load > look),
        "bad": nothing or sum(1 for load in loads if load > bad),
        ESTIMATED: estimates,
    }
    row = _row(paths, chpid) if chpid else -max(known)[1] if known else None
    if row is None:
        return {**common, **dict.fromkeys(("chpid", "busy", *SHOWN), GONE if chpid else unknown)}
    guessed = paths.is_estimate("cur", row)
    return {
        **common,
        "chpid": paths.keys[row],
        "busy": busy[row],
        **{name: paths.columns[name][row] for name in SHOWN},
        "stamped": 1.0 if guessed else _stamped(view.interval, row),
        ESTIMATED: f"{estimates} busy" if guessed else estimates,
    }


def _row(paths: Table, chpid: str) -> int | None:
    return paths.keys.index(chpid) if chpid in paths.keys else None


def _stamped(interval: Interval, row: int) -> Number:
    """Return for how much of the interval a path's figures stand, by the path's own clock."""
    seconds = stamp_seconds(interval.of(CHANNEL))
    return seconds[row] / interval.seconds if row < len(seconds) and interval.seconds else FIRST


DEFINITIONS: Final = {"channel_log": TableDefinition(NEEDS, table, find=find)}
