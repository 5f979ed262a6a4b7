"""PROCLOG: the CPUs of this Linux by time, all together or one of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kinds import ALL, CPU
from zmon.tables.by_time import Log, by_time
from zmon.tables.cpu import EVERY, Processors, cpu_name
from zmon.tables.table import Needs, Table, TableDefinition
from zmon.tables.view import NoSuchThing

if TYPE_CHECKING:
    from zmon.absent import Number, Value
    from zmon.tables.view import View

NEEDS: Final = Needs((CPU,), history=True)

ONLY_ALL: Final = absent("only the sum of all CPUs was recorded")
GONE: Final = absent("there was no such CPU")


def table(view: View) -> Table:
    """Fill PROCLOG: one row per interval, of the CPU that `view.argument` names, else of all.

    Raises:
        NoSuchThing: there is no such CPU.
    """
    number = find(view) if view.argument else ""
    return by_time(view, Log(f"cpu {number}", partial(figures, number=number)))


def find(view: View) -> str:
    """Return the number of a CPU that is called `3` or `P03`.

    Raises:
        NoSuchThing: there is none; says which there are.
    """
    keys = view.interval.of(CPU).keys
    wanted = view.argument.strip().upper().removeprefix("P")
    wanted = wanted.lstrip("0") or wanted[:1]  # P00 is 0
    if wanted not in keys:
        raise NoSuchThing(f"no CPU {view.argument!r}; there are {', '.join(keys) or 'none'}")
    return wanted


def figures(view: View, number: str = "") -> dict[str, Value]:
    """Return the load of one CPU, or the mean of all and the busiest of them."""
    cpus = Processors(view.interval)
    known = [row for row, busy in enumerate(cpus.busy) if not isinstance(busy, Absent)]
    chosen = cpus.keys.index(number) if number in cpus.keys else None

    def figure(percent: list[Number]) -> Number:
        if not number:
            return cpus.average(percent)
        return GONE if chosen is None else percent[chosen]

    busiest = max(known, key=lambda row: cpus.busy[row], default=None)
    nobody = cpus.missing or cpus.average(cpus.busy)
    if cpus.keys == [ALL]:
        busiest, nobody = None, ONLY_ALL
    return {
        "online": cpus.running,
        "busy": figure(cpus.busy),
        **{name: figure(cpus.part[name]) for name in EVERY},
        "wait": figure(cpus.wait),
        "logical": figure(cpus.logical),
        "busiest": nobody if busiest is None else cpu_name(cpus.keys[busiest]),
        "highest": nobody if busiest is None else cpus.busy[busiest],
    }


DEFINITIONS: Final = {"cpu_log": TableDefinition(NEEDS, table, find=find)}
