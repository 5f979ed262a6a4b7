"""The time that tasks lose waiting for CPUs, for I/O and for memory in an interval (PSI)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.kinds import PRESSURE
from zmon.machine.figure import Figure, catalogue
from zmon.machine.things import Things

if TYPE_CHECKING:
    from zmon.base.absent import Absent, Number, Value
    from zmon.interval import Interval

AVERAGES: Final = ("some10", "some60", "some300", "full10", "full60", "full300")
"""Percent of a time, as the kernel averages it."""


class LostTime(Things):
    """What tasks wait for, `cpu`, `io` and `memory`; `some` and `full` are percent of the interval."""

    def __init__(self, interval: Interval) -> None:
        """Look at an interval."""
        self.waits = interval.of(PRESSURE)
        self.keys, self.missing = self.waits.keys, self.waits.missing

    def part(self, resource: str, otherwise: Absent) -> Number:
        """Return the part of the time in which some tasks wait for a resource; `otherwise` if not counted."""
        row = self.waits.index.get(resource)
        return self.missing or otherwise if row is None else self.waits.rate("some")[row] * 1e-9

    def percent(self, key: str, resource: str, otherwise: Absent) -> Value:
        """Return a figure of a resource; `otherwise` if it is not counted."""
        row = self.waits.index.get(resource)
        return self.missing or otherwise if row is None else self.column(key)[row]


def _percents(field: str, lost: LostTime) -> list[Number]:
    return [rate * 1e-7 for rate in lost.waits.rate(field)]  # ns of waiting in a second of time


def _read(field: str, lost: LostTime) -> list[Value]:
    return lost.waits[field]


LostTime.figures = catalogue(
    *(Figure(key, partial(_percents, key)) for key in ("some", "full")),
    *(Figure(key, partial(_read, key)) for key in AVERAGES),
)
