"""What a machine has besides the load of disks: processors, memory, tasks, paths, what hangs.

Parts are of 1, rates per second, times seconds, sizes bytes, instants UTC in ns.  What was not read is absent
with its reason.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.record import NamedTuple
from zmon.machine import observed_paths, observed_system
from zmon.machine.observed import load_of
from zmon.machine.observed_history import LoadPeriod, SlowerWrites, load_period, slower_writes, usual
from zmon.machine.observed_system import NOT_READ, HungDisk, LackingMeasurement, ObservedSystem
from zmon.machine.topology import units_of
from zmon.machine.unit_loads import most_on

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.base.absent import Number
    from zmon.machine.figure import Variable
    from zmon.machine.observed_paths import ExtendedVolume, LcuPaths, MultipathDisk
    from zmon.machine.view import View

KINDS: Final = tuple(dict.fromkeys((*observed_system.KINDS, *observed_paths.KINDS)))
"""What is read of a sample."""


class UnitPart(NamedTuple):
    """What a service, container, guest or session has of the bytes of an LCU."""

    title: str
    """`user 1000, session 7`."""
    part: float
    """Of 1."""


ONE_TIME: Final = absent("the load of the interval itself is asked for")
"""Asks who has the bytes of an LCU in the interval that is looked at."""


def _unread() -> Absent:
    return NOT_READ


def _not_looked(_lcu: str, _bytes: float) -> Absent:
    return NOT_READ


def _not_compared_writes(_lcu: str, _longer: float) -> Absent:
    return NOT_READ


def _none_came_back(_disk: MultipathDisk) -> bool:
    return False


def _nobody(_lcu: str, _period: LoadPeriod | Absent) -> tuple[()]:
    return ()


def _not_compared(_variable: Variable) -> Absent:
    return NOT_READ


class ObservedMachine(NamedTuple):
    """All of it; each part is read when a diagnosis asks, and once."""

    system: Callable[[], ObservedSystem] = ObservedSystem
    paths: Callable[[], Sequence[LcuPaths] | Absent] = _unread
    maps: Callable[[], Sequence[MultipathDisk] | Absent] = _unread
    came_back: Callable[[MultipathDisk], bool] = _none_came_back
    """Returns whether a path of a disk works that did not a short time before: a backlog may be behind it."""
    extended: Callable[[], Sequence[ExtendedVolume] | Absent] = _unread
    """Logical volumes that were extended over other volumes."""
    period: Callable[[str, float], LoadPeriod | Absent] = _not_looked
    """Returns when an LCU, by its key, had much more than so many bytes a second, as far as looked back."""
    slower_writes: Callable[[str, float], SlowerWrites | Absent] = _not_compared_writes
    """Returns since when writes to an LCU, by its key, take so many seconds longer than reads."""
    units: Callable[[str, LoadPeriod | Absent], Sequence[UnitPart]] = _nobody
    """Returns who has most of the bytes of an LCU, by its key, in such a time; none if not known."""
    hung: Callable[[], Sequence[HungDisk] | Absent] = _unread
    lacking: Callable[[], Sequence[LackingMeasurement]] = tuple
    usual: Callable[[Variable], Number] = _not_compared
    """Returns what a figure usually is at this hour, from other days that were recorded."""


def observed_machine(view: View, until: int | None = None) -> ObservedMachine:
    """Return functions that read a view's surroundings, each once.

    Of a stretch of a long time, `until` is the end of that: what is over by then is told in the past.
    """

    def period(lcu: str, usual_load: float) -> LoadPeriod | Absent:
        unit = units_of(view).lcus.get(lcu)
        lasting = load_period(view, lcu, () if unit is None else unit.members, usual_load, until)
        own = view_of(lasting)
        return lasting if own is view or isinstance(lasting, Absent) else lasting._replace(load=load_of(own))

    def writes(lcu: str, longer: float) -> SlowerWrites | Absent:
        unit = units_of(view).lcus.get(lcu)
        return slower_writes(view, () if unit is None else unit.members, longer)

    def view_of(lasting: LoadPeriod | Absent) -> View:
        """Return the view of the time of a load alone; the same one if that is not another time."""
        if isinstance(lasting, Absent) or isinstance(lasting.begin, Absent) or not view.interval.skipped:
            return view
        end = view.interval.after.at.utc if lasting.end is None else lasting.end
        own = view.history.between(int(lasting.begin), end)
        return view if own is None else view.at(own)

    def units(lcu: str, lasting: LoadPeriod | Absent) -> list[UnitPart]:
        return [UnitPart(*unit) for unit in most_on(view_of(lasting), lcu)]

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
