"""What accumulates over a period: how busy each channel path was, on average and in ten ranges."""

from __future__ import annotations

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
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

    def add(self, begin: Instant, end: Instant, busy: dict[str, tuple[Number, Number]]) -> None:
        """Count one interval: per channel path its length in seconds and its percent busy."""
        self.begin = self.begin or begin
        self.end = end
        for chpid, (seconds, percent) in busy.items():
            if isinstance(seconds, Absent) or isinstance(percent, Absent):
                continue
            self.channels.setdefault(chpid, Busy()).add(seconds, percent)

    def add_estimate(self, begin: Instant, seconds: float, busy: dict[str, float]) -> None:
        """Count the estimates of an interval: per CHPID its percent busy."""
        self.estimated_since = self.estimated_since or begin
        for chpid, percent in busy.items():
            self.estimates.setdefault(chpid, Busy()).add(seconds, percent)


def range_of(percent: float) -> int:
    """Return which of the ten ranges a percentage falls into: 0-10 is 0, 11-20 is 1, 91-100 is 9."""
    return min(max(int(-(-percent // 10)) - 1, 0), 9)
