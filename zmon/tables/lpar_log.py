"""LPARLOG (FCX202): a logical partition by time, by default the own one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent, ratio
from zmon.kinds import LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU
from zmon.tables.by_time import ESTIMATED, Log, by_time
from zmon.tables.join import mean, present
from zmon.tables.lpar import MEASURED, SELDOM, earlier_span
from zmon.tables.table import Needs, Table, TableDefinition
from zmon.tables.view import NoSuchThing, alone

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.tables.view import View

NEEDS: Final = Needs((LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU), history=True)

AVERAGED: Final = ("busy", "ovhd", "susp", "wait")
LABELS: Final = ("partition", "number", "upid")
ONCE: Final = ("procs", "weight", "cap", "load", "entitled", "typecap")
"""What is the same in each row of a partition, as its labels are."""

GONE: Final = absent("the partition is not described")
OFFLINE: Final = absent("no processor of the partition was on line")
NO_OWN: Final = absent("the hypervisor does not tell which partition is the own one")


def table(view: View) -> Table:
    """Fill LPARLOG: one row per interval, of the partition that `view.argument` names.

    Raises:
        NoSuchThing: there is no such partition.
    """
    name = find(view) if view.argument else ""
    return with_age(by_time(view, Log(f"lpar {name}", partial(figures, name=name))), "busy")


def with_age(filled: Table, column: str) -> Table:
    """Say why figures of partitions are repeated."""
    if column not in filled.estimated:
        return filled
    return filled._replace(notes=(*filled.notes, f"~ LPAR: repeated from the last reading; {SELDOM}"))


def find(view: View) -> str:
    """Return the partition of this name.

    Raises:
        NoSuchThing: there is none; says which there are.
    """
    keys = view.interval.of(LPAR).keys
    wanted = view.argument.strip().upper()
    found = next((key for key in keys if key.upper() == wanted), None)
    if found is None:
        raise NoSuchThing(f"no partition {view.argument!r}; there are {', '.join(keys) or 'none'}")
    return found


def figures(view: View, name: str = "") -> dict[str, Value]:
    """Return the load of a partition per logical processor on line, by default that of the own one."""
    interval = view.interval
    partitions = interval.of(LPAR)
    own = (key for key, mine in zip(partitions.keys, partitions["own"], strict=True) if mine == 1)
    wanted = name or next(own, "")
    processors = alone("lpar", view)
    rows = [row for row, key in enumerate(processors.columns["partition"]) if key == wanted]
    if not rows:
        nobody = processors.missing or partitions.missing or (GONE if wanted else NO_OWN)
        return dict.fromkeys((*LABELS, *ONCE, *AVERAGED, "logld", "type", "online"), nobody)
    times = [interval.of(LPAR_CPU).numbers("online_time")[row] for row in rows]
    running = present(times)
    averages = {
        column: mean([processors.columns[column][row] for row in rows], times, OFFLINE.reason)  # type: ignore[misc]  # percentages
        for column in AVERAGED
    }
    types = {kind for row in rows if isinstance(kind := processors.columns["type"][row], str)}
    return {
        **{column: _first(processors, column, rows) for column in ONCE},
        **{column: _label(_first(processors, column, rows)) for column in LABELS},
        **averages,
        "logld": 100.0 * ratio(averages["busy"], 100.0 - averages["susp"], "suspended all the time"),
        "online": sum(1 for time in running if time) if running else times[0],
        "type": "/".join(sorted(types)) or absent("type unknown"),
        ESTIMATED: " ".join(MEASURED) if earlier_span(interval) else "",
    }


def _first(processors: Table, column: str, rows: list[int]) -> Value:
    """Return the first value of a partition's rows that is there, else the first reason."""
    values = [processors.columns[column][row] for row in rows]
    return next((value for value in values if not isinstance(value, Absent)), values[0])


def _label(value: Value) -> Value:
    """Return a number that is a name as a text, which nobody averages."""
    return value if isinstance(value, (Absent, str)) else f"{value}"


DEFINITIONS: Final = {"lpar_log": TableDefinition(NEEDS, table, find=find)}
