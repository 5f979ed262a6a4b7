"""Counting what accumulates over a period: of some intervals, or up to where the cursor is."""

from __future__ import annotations

from itertools import islice
from threading import Lock

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.machine.period import Period

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zmon.interval import Interval

REACH: Final = 600
"""Intervals before the cursor from which the figures of the period are counted after a jump."""


def counted(intervals: Iterable[Interval]) -> Period:
    """Return what accumulated in intervals, of which the last comes first."""
    period = Period()
    _add_all(period, intervals)
    return period


def _add_all(period: Period, intervals: Iterable[Interval], estimated: int | None = None) -> None:
    """Add intervals to a period, of which the last comes first; of the last `estimated` the estimates too.

    Each is let go of when its part is known: hundreds of samples of 4,096 devices take a gigabyte.
    """
    from zmon.machine.channel_paths import period_part  # noqa: PLC0415 - a lookup starts without it

    parts = [
        period_part(interval, estimate=estimated is None or place < estimated)
        for place, interval in enumerate(intervals)
    ]
    for part in reversed(parts):
        if part is not None:
            period.add(part)


class RunningPeriod:
    """The figures of a period that grows by one interval after the other."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.period = Period()
        self._counted: Interval | None = None
        """The last interval in it."""
        self._lock = Lock()

    def copy(self) -> RunningPeriod:
        """Return a copy that goes on by itself."""
        from copy import deepcopy  # noqa: PLC0415 - a lookup has no need of a second one

        period = RunningPeriod()
        with self._lock:
            period.period, period._counted = deepcopy(self.period), self._counted
        return period

    def count(self, interval: Interval, past: Callable[[], Iterator[Interval]] | None = None) -> Period:
        """Count an interval and return the period.

        What has accumulated cannot be taken apart again, so after a step back or a jump the `past` is
        counted anew; without it the intervals follow one another.
        """
        from zmon.machine.channel_paths import estimated_reach  # noqa: PLC0415 - a lookup starts without it

        with self._lock:
            counted, before = self._counted, interval.before
            if counted is interval:
                return self.period
            if past is None or (counted and before and counted.after.at == before.at):
                _add_all(self.period, [interval])
            else:
                self.period = Period()
                _add_all(self.period, islice(past(), REACH), estimated_reach(interval))
            self._counted = interval
            return self.period
