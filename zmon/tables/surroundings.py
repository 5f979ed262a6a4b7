"""Puts together what diagnoses look at besides the load of disks; each part is read when it is asked for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from zmon.diagnosis.observed_machine import ObservedMachine
from zmon.tables import observed_paths, observed_system
from zmon.tables.observed_history import began, usual
from zmon.tables.topology import units_of

if TYPE_CHECKING:
    from zmon.absent import Number
    from zmon.tables.view import View

KINDS: Final = tuple(dict.fromkeys((*observed_system.KINDS, *observed_paths.KINDS)))
"""What is read of a sample."""


def observed_machine(view: View) -> ObservedMachine:
    """Return functions that read a view's surroundings, each once."""

    def began_on(lcu: str, limit: float) -> Number:
        unit = units_of(view).lcus.get(lcu)
        return began(view, lcu, () if unit is None else unit.members, limit)

    return ObservedMachine(
        cache(lambda: observed_system.observed_system(view)),
        cache(lambda: observed_paths.lcu_paths(view)),
        cache(lambda: observed_paths.multipath_maps(view)),
        cache(lambda: observed_paths.extended_volumes(view)),
        cache(began_on),
        cache(lambda: observed_system.hung_disks(view)),
        cache(lambda: observed_system.lacking_measurements(view)),
        cache(lambda measurement: usual(view, measurement)),
    )
