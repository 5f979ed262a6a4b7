"""The time that tasks lose waiting for CPUs, for I/O and for memory in an interval (PSI)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.kinds import PRESSURE
from zmon.machine.figure import catalogue
from zmon.machine.things import PERCENT, Counted, counted, said

if TYPE_CHECKING:
    from zmon.base.absent import Absent, Number

AVERAGES: Final = ("some10", "some60", "some300", "full10", "full60", "full300")
"""Percent of a time, as the kernel averages it."""


class LostTime(Counted):
    """What tasks wait for, `cpu`, `io` and `memory`; `some` and `full` are percent of the interval."""

    kind = PRESSURE

    def part(self, resource: str, otherwise: Absent) -> Number:
        """Return the part of the time in which some tasks wait for a resource; `otherwise` if not counted."""
        row = self.counted.index.get(resource)
        return self.missing or otherwise if row is None else self.counted.rate("some")[row] * 1e-9


LostTime.figures = catalogue(
    *(counted(key, key, scale=PERCENT) for key in ("some", "full")), *map(said, AVERAGES)
)
