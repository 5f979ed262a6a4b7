"""UPAGE (FCX113): the memory and the paging of services, containers, guests and login sessions.

No layout of FCX113 is public, so the columns are zmon's own.  The kernel counts pages by control group, and
not to which disk they go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.sizes import MB
from zmon.kinds import PROCESS, UNIT
from zmon.machine.figure import Needs
from zmon.machine.join import total
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Summary, Table
from zmon.tables.user import without_units
from zmon.values.unit_name import title_of

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.machine.view import View

NEEDS: Final = Needs((PROCESS, UNIT))

PERCENT: Final = 1e-7
"""ns in a second, as percent of it."""
PAGES: Final = {
    "faults": "major_faults", "swapin": "swapped_in", "swapout": "swapped_out", "reanon": "refaulted_anon",
    "refile": "refaulted_file",
}  # fmt: skip
"""Columns of events per second, by the fields of UNIT."""
SIZES: Final = {"memory": "memory", "anon": "anon", "file": "file", "swap": "swap", "limit": "memory_max"}
WAITS: Final = {"memwait": "memory_some", "memfull": "memory_full"}
SUMMED: Final = (*PAGES, "memory", "anon", "file", "swap")


def table(view: View) -> Table:
    """Fill UPAGE: one row per unit, keyed by its path."""
    units = view.interval.of(UNIT)
    if not units.keys:
        return without_units(view, units.missing)
    columns: dict[str, list[Value]] = {
        "unit": [title_of(key) for key in units.keys],
        **{name: list(units.rate(field)) for name, field in PAGES.items()},
        **{name: [rate * PERCENT for rate in units.rate(field)] for name, field in WAITS.items()},
        **{name: [size / MB for size in units.numbers(field)] for name, field in SIZES.items()},
        "path": list(units.keys),
    }
    sums: dict[str, Value] = {name: total(columns[name]) for name in SUMMED}  # type: ignore[arg-type]  # numbers
    return Table(list(units.keys), columns, Summary(">> All Users <<", sums))


DEFINITIONS: Final = {"user_paging": TableDefinition(NEEDS, table)}
