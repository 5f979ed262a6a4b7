"""Screens of a fleet: guests, boxes, LCUs, who fills these, channel paths, and all at a glance.

The timeline of a fleet knows its systems and fills these tables: see `zmon.fleet`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.machine.figure import Needs
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from zmon.machine.view import View

NEEDS: Final = Needs()
GLANCE: Final = "glance"
"""FLEET, which has some of each list."""
ONE_SYSTEM: Final = absent("this is one system; zmon fleet DIR shows many")
NO_TIME: Final = absent("this is the begin of all recordings; NEXTSAMP goes to the first figures")


def table(rows: str, view: View) -> Table:
    """Fill a list of some rows of the fleet from the time of the interval; without one there are none."""
    if view.history.fleet is None:
        return Table([], {}, missing=ONE_SYSTEM)
    before, after = view.interval.before, view.interval.after
    if before is None:
        return Table([], {}, missing=NO_TIME)
    filled: Table = view.history.fleet(rows, before.at.utc, after.at.utc)
    return filled


DEFINITIONS: Final = {
    name: TableDefinition(NEEDS, partial(table, rows))
    for name, rows in (
        ("fleet", GLANCE),
        ("fleet_boxes", "boxes"),
        ("fleet_fillers", "fillers"),
        ("fleet_guests", "guests"),
        ("fleet_lcus", "lcus"),
        ("fleet_paths", "channels"),
    )
}
"""The rows that each lists are those of `zmon.fleet.fleet_tables.Fleet`."""
