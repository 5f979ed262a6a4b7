"""What is drawn: figures of spans of time, and how many become few without losing a peak."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Value

BLOCKS: Final = "▁▂▃▄▅▆▇█"

MAX_SIZE: Final = 2000
"""Lines or columns of a chart at most."""

LARGEST: Final = 1e300
"""What is further from zero is no measurement, and leaves no room to calculate with."""


class Point(NamedTuple):
    """The lowest, the mean and the highest value between two times (UTC in ns).

    It is a gap where the mean is absent, None or no finite number.  What no point covers is a gap, too.
    """

    begin: int
    end: int
    low: Value | None
    mean: Value | None
    high: Value | None

    @property
    def figures(self) -> tuple[float, float, float] | None:
        """Lowest, mean and highest as numbers in this order; None for a gap."""
        mean = number(self.mean)
        if mean is None:
            return None
        if self.low is self.mean is self.high:
            return mean, mean, mean
        low, high = number(self.low), number(self.high)
        return min(mean, mean if low is None else low), mean, max(mean, mean if high is None else high)


def level(begin: int, end: int, value: Value | None) -> Point:
    """Return a point whose value is the same all the time."""
    return Point(begin, end, value, value, value)


def number(value: Value | None) -> float | None:
    """Return a value as something that can be drawn, or None."""
    if value is None or isinstance(value, (Absent, str)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and abs(number) <= LARGEST else None


def extent(points: Iterable[Point]) -> tuple[int, int] | None:
    """Return the begin of the first and the end of the last point; None without points."""
    numbers = list(points)
    if not numbers:
        return None
    return min(p.begin for p in numbers), max(max(p.begin, p.end) for p in numbers)


class Bucket:
    """Collects what falls into one span of time."""

    __slots__ = ("begin", "count", "covered", "end", "high", "low", "plain", "weighted")

    def __init__(self, begin: int, end: int) -> None:
        """Begin with nothing between two times."""
        self.begin, self.end = begin, end
        self.low, self.high = math.inf, -math.inf
        self.weighted = self.plain = 0.0
        self.covered = 0.0
        """Which part of its length points cover."""
        self.count = 0

    def add(self, low: float, mean: float, high: float, share: float) -> None:
        """Add a point that covers a part of the length."""
        self.low = min(self.low, low)
        self.high = max(self.high, high)
        self.weighted += mean * share
        self.covered += share
        self.plain += mean
        self.count += 1

    @property
    def broken(self) -> bool:
        """Whether points leave a part uncovered; points without length cover all of it."""
        return not self.count or 0 < self.covered < 1 - 1e-6

    @property
    def point(self) -> Point:
        """The summary of all points that were added."""
        if not self.count:
            return Point(self.begin, self.end, None, None, None)
        mean = self.weighted / self.covered if self.covered else self.plain / self.count
        return Point(self.begin, self.end, self.low, min(max(mean, self.low), self.high), self.high)


def buckets(
    points: Iterable[Point], width: int, begin: int | None = None, end: int | None = None
) -> list[Point]:
    """Return `width` points that summarise all of them between `begin` and `end`.

    Low and high are those of every point that reaches into the bucket, so a peak of a single sample stays.
    The mean weighs each point by the time that it has in common with the bucket; points without length
    count where there are no others, all the same.  A bucket into which no point reaches is a gap; one that
    is partly covered is not.
    """
    points = list(points)
    first, last = extent(points) or (0, 0)
    collected = collect(points, width, first if begin is None else begin, last if end is None else end)
    return [bucket.point for bucket in collected]


def collect(points: Iterable[Point], width: int, begin: int, end: int) -> list[Bucket]:
    """Return `width` buckets of equal length with what reaches into them."""
    if width < 1:
        return []
    length = max(end - begin, 1)
    # rounded up, so that the division below gives every instant to the right bucket
    edges = [begin - (begin - end) * slot // width if end > begin else begin for slot in range(width + 1)]
    collected = [Bucket(left, right) for left, right in pairwise(edges)]
    for point in points:
        figures = point.figures
        start, stop = max(point.begin, begin), min(max(point.end, point.begin), end)
        if figures is None or start > stop or (start == stop and point.begin < point.end and begin < end):
            continue  # a gap, or elsewhere, or it only touches
        first = min((start - begin) * width // length, width - 1)
        last = min((max(stop - 1, start) - begin) * width // length, width - 1)
        for slot in range(first, last + 1):
            left, right = edges[slot], edges[slot + 1]
            common = min(stop, right) - max(start, left)
            collected[slot].add(*figures, common / (right - left) if common > 0 else 0.0)
    return collected


# a curve in one line, for a time line or beside a name


RAMPS: Final = {"blocks": BLOCKS, "ascii": "_.:-=+*#"}
"""From nothing to the highest; a blank is a gap."""


def sparkline(
    values: Sequence[Value | None], width: int, style: str = "blocks", top: float | None = None
) -> str:
    """Draw values that lie evenly in time, from the oldest, in `width` characters.

    A character shows the highest of its values, so that no peak is lost, and is blank where it has none.
    The scale goes from zero, or the lowest if that is below, to `top`, or the highest if that is not given.
    """
    width = min(max(width, 0), MAX_SIZE)
    numbers = [number(value) for value in values]
    known_numbers = [value for value in numbers if value is not None]
    if not known_numbers:
        return " " * width
    low = min(*known_numbers, 0.0)
    high = max(known_numbers) if top is None else top
    ramp = RAMPS[style]
    drawn = []
    for slot in range(width):
        first = slot * len(numbers) // width
        last = max(-(-(slot + 1) * len(numbers) // width), first + 1)
        highest = max((value for value in numbers[first:last] if value is not None), default=None)
        drawn.append(" " if highest is None else ramp[_step(highest, low, high, len(ramp))])
    return "".join(drawn)


def _step(value: float, low: float, high: float, steps: int) -> int:
    """Return which of the steps a value reaches; the lowest is for nothing."""
    if high <= low:
        return 0
    share = (value - low) / (high - low)  # infinite where the scale is next to nothing
    return round(min(max(share, 0.0), 1.0) * (steps - 1))
