"""The logical partitions of the machine in an interval, by their logical processors.

Busy is the time a processor was given to the partition, overhead the part of it that the hypervisor spent on
the partition's behalf; both in percent of the time the processor was on line, one processor being 100.
Only of the own partition the suspended time is known: what is neither busy nor waiting.  Where the hypervisor
does not count wait time, idle time cannot be told from it, and both are absent.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.kinds import LPAR, LPAR_CPU
from zmon.machine.figure import Figure, catalogue
from zmon.machine.join import Joined, not_below_zero, quotient
from zmon.machine.things import Things

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta, Interval
    from zmon.sample import Kind

MEASURED: Final = ("load", "busy", "ovhd", "susp", "logld", "wait")
"""The columns that are of an interval."""
SELDOM: Final = "partitions are read more seldom than samples are taken"
NO_PHYSICAL: Final = absent("the physical processors are not known")
STALE: Final = absent("the hypervisor's figures were not refreshed in this interval")
OFFLINE: Final = absent("the processor is not on line")
OTHERS: Final = absent("known of the own partition only")
UNDESCRIBED: Final = absent("the partition is not described")
NOT_TOLD: Final = absent("neither diag 204 nor hypfs reports this")
UNCOUNTED: Final = absent(
    "the hypervisor does not count wait time, so idle and suspended time cannot be separated"
)


class LogicalProcessors(Things):
    """The logical processors of an interval: for what part of their time they were used, column by column."""

    def __init__(self, interval: Interval) -> None:
        """Compare with the time in which each was on line."""
        self.cpus = cpus = interval.of(LPAR_CPU)
        self.keys = cpus.keys
        self.partitions = Joined(interval.of(LPAR), self.labels, UNDESCRIBED)
        self.wait = _waits(cpus)
        self.busy, given = _percent(cpus, "accumulated"), _percent(cpus, "dispatched")
        self.overhead = not_below_zero([b - g for b, g in zip(self.busy, given, strict=True)])
        rest = not_below_zero([100.0 - b - w for b, w in zip(self.busy, self.wait, strict=True)])
        own = self.partitions["own"]
        self.suspended: list[Number] = [s if mine == 1 else OTHERS for s, mine in zip(rest, own, strict=True)]

    @property
    def labels(self) -> list[Value]:
        """The partition of each."""
        return self.cpus["lpar"]


LogicalProcessors.figures = catalogue(
    Figure("busy", attrgetter("busy"), trend=1),
    Figure("ovhd", attrgetter("overhead"), trend=2),
    Figure("susp", attrgetter("suspended"), trend=3),
    Figure("logld", lambda found: _logical(found.busy, found.suspended)),
    Figure("wait", attrgetter("wait")),
)


def own_partitions(partitions: Delta) -> list[str]:
    """Return the partition that this Linux runs in, by its key: none where the hypervisor does not tell."""
    return [key for key, mine in zip(partitions.keys, partitions["own"], strict=True) if mine == 1]


def earlier_span(interval: Interval, kind: Kind = LPAR_CPU) -> tuple[int, int] | None:
    """Return from when to when (UTC in ns) figures of the hypervisor are no newer than the interval's begin.

    None where they are of the interval itself, or there are none.
    """
    frame, before = interval.after.frame(kind), interval.before
    if before is None or not frame.times or frame.times[0] > before.at.steady:
        return None
    if frame.prior is None or not frame.prior.times:
        return None
    offset = interval.after.at.utc - interval.after.at.steady
    return frame.prior.times[0] + offset, frame.times[0] + offset


def _waits(cpus: Delta) -> list[Number]:
    """Return how long each processor had nothing to do, in percent.

    A counter that is still 0 was never filled in, unless the processor was busy ever since it came on line.
    """
    since = (cpus.frame.column(name) for name in ("wait", "accumulated", "online_time"))
    return [
        UNCOUNTED if waited == 0 and used < online and not isinstance(percent, Absent) else percent
        for waited, used, online, percent in zip(*since, _percent(cpus, "wait"), strict=True)
    ]


def _percent(cpus: Delta, counter: str) -> list[Number]:
    """Return a counter of time in percent of the time in which the processor was on line."""
    times = cpus.numbers("online_time")
    return [
        OFFLINE if state == 0 and not time else percent
        for state, time, percent in zip(
            cpus["online"], times, quotient(cpus.numbers(counter), times, 100.0, STALE), strict=True
        )
    ]


def _logical(busy: Sequence[Number], suspended: Sequence[Number]) -> list[Number]:
    """Return busy in percent of the time in which the partition was not suspended."""
    return [
        100.0 * ratio(b, 100.0 - s, "suspended all the time") for b, s in zip(busy, suspended, strict=True)
    ]
