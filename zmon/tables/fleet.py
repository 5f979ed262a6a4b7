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
ONE_SYSTEM: Final = absent("this is one system; zmon fleet DIR shows many")
NO_TIME: Final = absent("this is the begin of all recordings; NEXTSAMP goes to the first figures")


def table(name: str, view: View) -> Table:
    """Fill a table of the fleet from the time of the interval; without one there are no rows."""
    if view.history.fleet is None:
        return Table([], {}, missing=ONE_SYSTEM)
    before, after = view.interval.before, view.interval.after
    if before is None:
        return Table([], {}, missing=NO_TIME)
    filled: Table = view.history.fleet(name, before.at.utc, after.at.utc)
    return filled


DEFINITIONS: Final = {
    name: TableDefinition(NEEDS, partial(table, name))
    for name in ("fleet", "fleet_boxes", "fleet_fillers", "fleet_guests", "fleet_lcus", "fleet_paths")
}
