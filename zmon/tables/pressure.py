"""PRESSURE: how much time tasks lose waiting for CPUs, for I/O and for memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.kinds import PRESSURE
from zmon.machine.figure import Needs
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.machine.view import View

NEEDS: Final = Needs((PRESSURE,))

NAMES: Final = {"cpu": "CPU", "io": "I/O", "memory": "Memory"}
AVERAGES: Final = ("some10", "some60", "some300", "full10", "full60", "full300")


def table(view: View) -> Table:
    """Fill PRESSURE: one row per resource; `some` and `full` are percent of the interval."""
    pressure = view.interval.of(PRESSURE)
    columns: dict[str, list[Value]] = {
        "resource": [NAMES.get(key, key) for key in pressure.keys],
        # ns of waiting in a second of time
        **{name: [rate * 1e-7 for rate in pressure.rate(name)] for name in ("some", "full")},
        **{name: list(pressure[name]) for name in AVERAGES},
    }
    return Table(list(pressure.keys), columns, missing=pressure.missing)


DEFINITIONS: Final = {"pressure": TableDefinition(NEEDS, table)}
