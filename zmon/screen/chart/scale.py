"""The axes: round values the Toolkit's way, and round times of the local clock."""

from __future__ import annotations

import datetime as dt
import math
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.clock import SECOND, told
from zmon.screen.number import bare

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY: Final = 86_400
MONTH: Final = 28 * DAY
YEAR: Final = 364 * DAY
"""Whole weeks, so that all marks are Mondays."""

HAIR: Final = 1e-9
"""By how much of its axis a value may be off because numbers have an end."""

TINY: Final = 1e-290
"""What is smaller is nothing, and leaves no room to calculate with."""

LETTERS: Final = ("", "k", "M", "G", "T")
BINARY: Final = ("", "K", "M", "G", "T")

TIMES: Final = (
    *(1, 2, 5, 10, 15, 30),
    *(60 * minutes for minutes in (1, 2, 5, 10, 15, 30)),
    *(3600 * hours for hours in (1, 2, 3, 6, 12)),
    *(DAY * days for days in (1, 2, 7, 14, 28, 91, 182)),
    *(YEAR * years for years in (1, 2, 5, 10, 20, 50, 100)),
)
"""How many seconds may lie between two marks of the axis of time."""


class Scale(NamedTuple):
    """An axis of values from its lowest to its highest mark."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    """Value and what is written beside it, from the lowest."""

    def level(self, value: float, cells: int) -> int:
        """Return in which of `cells` equal cells, from 0 at the bottom, a value lies."""
        return min(max(math.ceil(self.share(value) * cells - HAIR) - 1, 0), cells - 1)

    def share(self, value: float) -> float:
        """Return how far up the axis a value lies, from 0 to 1."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def at(self, share: float) -> float:
        """Return the value that lies so far up the axis."""
        return self.low + (self.high - self.low) * share


def value_scale(low: float, high: float, most: int, form: str = "rate", *, zero: bool = True) -> Scale:
    """Return the axis for values from `low` to `high` with at most `most` marks, which are 3 at least.

    Marks are 1, 2 or 5 times a power of ten apart, sizes in bytes that number of binary units.  The axis
    begins at zero unless `zero` is false.
    """
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    size = max(abs(low), abs(high))
    if high - low <= max(size * 1e-12, TINY):
        high = low + (abs(low) if abs(low) > TINY else 1.0)
        size = max(abs(low), abs(high))
    unit, letter = _unit(size, form)
    first, last, factor, power = _steps(low / unit, high / unit, max(most, 3))
    digits = max(-power, 0)
    ticks = []
    for count in range(first, last + 1):
        written = _times(count * factor, power)
        value = written * unit
        if digits <= 4 and abs(written) < 1e5:
            label = bare(f"{written:.{digits}f}") + (letter if count else "")
        else:  # neither a decimal point nor a letter makes it short
            label = f"{value:.{_significant(last, first, factor)}g}"
        ticks.append((value, label))
    return Scale(ticks[0][0], ticks[-1][0], tuple(ticks))


def _unit(size: float, form: str) -> tuple[float, str]:
    """Return the unit that makes the largest value short, and its letter."""
    base, letters, from_ = (1024.0, BINARY, 999.5) if form == "bytes" else (1000.0, LETTERS, 10_000.0)
    power = 0
    while size / base**power >= from_ and power < len(letters) - 1:
        power += 1
    return base**power, letters[power]


def _steps(low: float, high: float, most: int) -> tuple[int, int, int, int]:
    """Return the first and the last mark, counted in steps of `factor` times ten to the `power`."""
    power = math.floor(math.log10((high - low) / most)) - 1
    while True:
        for factor in (1, 2, 5):
            step = _times(factor, power)
            first, last = math.floor(low / step + HAIR), math.ceil(high / step - HAIR)
            if last - first < most:
                return first, max(last, first + 1), factor, power
        power += 1


def _times(count: int, power: int) -> float:
    """Multiply by a power of ten without the error of a negative one."""
    return count * 10.0**power if power >= 0 else count / 10.0**-power


def _significant(last: int, first: int, factor: int) -> int:
    """Return how many digits tell neighbouring marks apart."""
    return max(len(str(max(abs(last), abs(first)) * factor)), 1)


def time_ticks(begin: int, end: int, columns: int) -> list[tuple[int, str]]:
    """Return the marks of an axis of time as `(UTC in ns, label)`, as many as fit beside one another.

    They lie at round times of the local clock; midnight is marked with its date.  An hour that the clock
    shows twice is marked twice.  There are none where no calendar reaches.
    """
    for step in TIMES:
        width = 8 if step < 60 else 5 if step < MONTH else 10
        if step * SECOND * columns >= (width + 2) * (end - begin):
            try:
                return [(utc, _label(utc, step)) for utc in _round_times(begin, end, step)]
            except (ValueError, OverflowError, OSError):
                return []
    return []


def _round_times(begin: int, end: int, step: int) -> list[int]:
    if step <= 900:  # every zone lies a multiple of a quarter of an hour from UTC
        step *= SECOND
        return list(range(-(-begin // step) * step, end + 1, step))
    return sorted({utc for utc in _walls(begin, end, step) if begin <= utc <= end})


def _walls(begin: int, end: int, step: int) -> Iterator[int]:
    """Yield when the clock on the wall shows a multiple of the step, from a day before to a day after."""
    days = max(step // DAY, 1)
    first = dt.date(*time.localtime(begin // SECOND)[:3]).toordinal() - 1
    last = dt.date(*time.localtime(end // SECOND)[:3]).toordinal() + 1
    wall = dt.datetime.combine(dt.date.fromordinal((first - 1) // days * days + 1), dt.time())
    stop = dt.datetime.combine(dt.date.fromordinal(last + 1), dt.time())
    while wall < stop:
        once, again = (int(wall.replace(fold=fold).timestamp()) * SECOND for fold in (0, 1))
        if once <= again or step >= DAY:  # else the clock never showed it
            yield once
        if once < again and step < DAY:
            yield again
        wall += dt.timedelta(seconds=step)


def _label(utc: int, step: int) -> str:
    clock = time.localtime(utc // SECOND)
    if step >= MONTH:
        return time.strftime("%Y-%m-%d", clock)
    if step >= DAY or (clock.tm_hour, clock.tm_min, clock.tm_sec) == (0, 0, 0):
        return time.strftime("%m-%d", clock)
    return time.strftime("%H:%M:%S" if step < 60 else "%H:%M", clock)


def period(begin: int, end: int, width: int) -> str:
    """Write from when to when, with as much of the date as fits; nothing if not even the clocks fit."""
    try:
        first, last = (time.localtime(utc // SECOND) for utc in (begin, end))
    except (ValueError, OverflowError, OSError):
        return ""
    clock, day = "%H:%M:%S", "%Y-%m-%d "
    same = first[:3] == last[:3]
    full = f"{told(begin, day + clock)} - {told(end, clock if same else day + clock)}"
    short = f"{told(begin, clock)} - {told(end, clock)}"
    return full if len(full) <= width else short if same and len(short) <= width else ""
