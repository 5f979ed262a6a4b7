"""What accumulates over a period: how busy each channel path was, on average and in ten ranges."""

from __future__ import annotations

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Number
    from zmon.sample import Instant


class Busy:
    """How busy one channel path was over the period."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.seconds = 0.0
        self.busy_seconds = 0.0
        self.ranges = [0] * 10
        """How many intervals fell into 0-10, 11-20 ... 91-100 percent."""

    def add(self, seconds: float, percent: float) -> None:
        """Count one interval."""
        self.seconds += seconds
        self.busy_seconds += seconds * percent / 100.0
        self.ranges[range_of(percent)] += 1

    @property
    def average(self) -> float:
        """Percent busy over the whole period."""
        return 100.0 * self.busy_seconds / self.seconds

    @property
    def distribution(self) -> list[float]:
        """For each range the percentage of intervals that fell into it; they sum to 100."""
        count = sum(self.ranges)
        return [100.0 * part / count for part in self.ranges]


class PeriodPart(NamedTuple):
    """What one interval adds to a period; the interval itself, with all its rows, need not be kept for it."""

    begin: Instant
    end: Instant
    busy: Mapping[str, tuple[Number, Number]]
    """Per channel path its length in seconds and its percent busy."""
    seconds: float = 0.0
    """How long the interval was."""
    estimates: Mapping[str, float] | None = None
    """Per CHPID the percent busy that was estimated; None if it was measured, or is not wanted."""


class Period:
    """What has accumulated since `begin`."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.begin: Instant | None = None
        self.end: Instant | None = None
        self.channels: dict[str, Busy] = {}
        self.estimates: dict[str, Busy] = {}
        """The same by CHPID, of intervals in which no path was measured: what was estimated instead."""
        self.estimated_since: Instant | None = None

    def add(self, part: PeriodPart) -> None:
        """Count one interval, which is later than those before."""
        self.begin = self.begin or part.begin
        self.end = part.end
        for chpid, (seconds, percent) in part.busy.items():
            if isinstance(seconds, Absent) or isinstance(percent, Absent):
                continue
            self.channels.setdefault(chpid, Busy()).add(seconds, percent)
        if part.estimates is not None:
            self.estimated_since = self.estimated_since or part.begin
            for chpid, percent in part.estimates.items():
                self.estimates.setdefault(chpid, Busy()).add(part.seconds, percent)


def range_of(percent: float) -> int:
    """Return which of the ten ranges a percentage falls into: 0-10 is 0, 11-20 is 1, 91-100 is 9."""
    return min(max(int(-(-percent // 10)) - 1, 0), 9)
