"""PRESSURE: how much time tasks lose waiting for CPUs, for I/O and for memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.kinds import PRESSURE
from zmon.machine.figure import Needs
from zmon.machine.lost_time import LostTime
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.machine.view import View

NEEDS: Final = Needs((PRESSURE,))

NAMES: Final = {"cpu": "CPU", "io": "I/O", "memory": "Memory"}


def table(view: View) -> Table:
    """Fill PRESSURE: one row per resource; `some` and `full` are percent of the interval."""
    lost = LostTime(view.interval)
    columns: dict[str, list[Value]] = {
        "resource": [NAMES.get(key, key) for key in lost.keys],
        **lost.columns(),
    }
    return Table([*lost.keys], columns, missing=lost.missing)


DEFINITIONS: Final = {
    "pressure": TableDefinition(NEEDS, table, things=LostTime, screen="PRESSURE", resource="memory")
}
