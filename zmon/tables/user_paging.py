"""UPAGE (FCX113): the memory and the paging of services, containers, guests and login sessions.

No layout of FCX113 is public, so the columns are zmon's own.  The kernel counts pages by control group, and
not to which disk they go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.kinds import PROCESS, UNIT
from zmon.machine.figure import Needs
from zmon.machine.unit_use import UnitUse
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Summary, Table
from zmon.tables.user import without_units

if TYPE_CHECKING:
    from zmon.machine.view import View

NEEDS: Final = Needs((PROCESS, UNIT))

SUMMED: Final = ("faults", "swapin", "swapout", "reanon", "refile", "memory", "anon", "file", "swap")
SHOWN: Final = ("unit", *SUMMED, "memwait", "memfull", "limit", "path")


def table(view: View) -> Table:
    """Fill UPAGE: one row per unit, keyed by its path."""
    units = UnitUse(view.interval)
    if not units.keys:
        return without_units(view, units.missing)
    return Table(
        [*units.keys],
        units.columns(SHOWN),
        Summary(
            ">> All Users <<", units.as_one(keys=SUMMED), lambda rows: units.as_one(rows, SUMMED), "Users"
        ),
    )


DEFINITIONS: Final = {"user_paging": TableDefinition(NEEDS, table, things=UnitUse)}
