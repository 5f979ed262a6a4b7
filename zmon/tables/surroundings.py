"""Puts together what diagnoses look at besides the load of disks; each part is read when it is asked for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent
from zmon.machine import observed_paths, observed_system
from zmon.machine.observed_history import load_period, slower_writes, usual
from zmon.machine.observed_machine import ObservedMachine, SlowerWrites, UnitPart
from zmon.machine.topology import units_of
from zmon.machine.unit_loads import most_on
from zmon.placement.whatif import load_of

if TYPE_CHECKING:
    from zmon.machine.observed_machine import LoadPeriod
    from zmon.machine.view import View

KINDS: Final = tuple(dict.fromkeys((*observed_system.KINDS, *observed_paths.KINDS)))
"""What is read of a sample."""


def observed_machine(view: View, until: int | None = None) -> ObservedMachine:
    """Return functions that read a view's surroundings, each once.

    Of a stretch of a long time, `until` is the end of that: what is over by then is told in the past.
    """

    def period(lcu: str, usual_load: float) -> LoadPeriod | Absent:
        unit = units_of(view).lcus.get(lcu)
        found = load_period(view, lcu, () if unit is None else unit.members, usual_load, until)
        own = view_of(found)
        return found if own is view or isinstance(found, Absent) else found._replace(load=load_of(own))

    def writes(lcu: str, longer: float) -> SlowerWrites | Absent:
        unit = units_of(view).lcus.get(lcu)
        return slower_writes(view, () if unit is None else unit.members, longer)

    def view_of(found: LoadPeriod | Absent) -> View:
        """Return the view of the time of a load alone; the same one if that is not another time."""
        if isinstance(found, Absent) or isinstance(found.begin, Absent) or not view.interval.skipped:
            return view
        end = view.interval.after.at.utc if found.end is None else found.end
        own = view.history.between(int(found.begin), end)
        return view if own is None else view.at(own)

    def units(lcu: str, found: LoadPeriod | Absent) -> list[UnitPart]:
        return [UnitPart(*one) for one in most_on(view_of(found), lcu)]

    return ObservedMachine(
        cache(lambda: observed_system.observed_system(view)),
        cache(lambda: observed_paths.lcu_paths(view)),
        cache(lambda: observed_paths.multipath_maps(view)),
        cache(lambda disk: observed_paths.came_back(view, disk)),
        cache(lambda: observed_paths.extended_volumes(view)),
        cache(period),
        cache(writes),
        units,
        cache(lambda: observed_system.hung_disks(view)),
        cache(lambda: observed_system.lacking_measurements(view)),
        cache(lambda variable: usual(view, variable)),
    )
