"""When a load began, and what a figure usually is at this hour: from what was recorded before a view.

Roll-ups are asked first, for they have a row a minute; where there are none, at most `MAX_READ` intervals
are read.
"""

from __future__ import annotations

from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kinds import BLOCK, CPU, DEVICE
from zmon.tables.join import total
from zmon.tables.table import Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.absent import Number
    from zmon.diagnosis.diagnosis import Measurement
    from zmon.interval import Interval
    from zmon.tables.view import View

MINUTE: Final = 60_000_000_000
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
LOOKED_BACK: Final = 6 * HOUR
"""How far the begin of a load is looked for."""
MAX_READ: Final = 240
"""Intervals that are read for it where no roll-up has it."""
AROUND: Final = HOUR // 2
"""So long before and after the same time of another day a figure is taken."""
MAX_DAYS: Final = 14
MAX_CPUS: Final = 8
"""CPUs whose usual load is asked for; the load of all is their mean."""
LONGER_AGO: Final = absent("it began longer ago than was looked back")
ENDED: Final = absent("it had ended before the end of the time that is looked at")
NOT_RECORDED: Final = absent("no other day was recorded")
MEGABYTE: Final = 1e6


def began(view: View, lcu: str, members: tuple[str, ...], limit: float) -> Number:
    """Return the end (UTC in ns) of the last time in which an LCU moved fewer bytes a second than a limit.

    Args:
        view: what it is asked of.
        lcu: the key of the LCU.
        members: bus ids of its devices.
        limit: bytes per second.
    """
    end = view.interval.after.at.utc
    known = view.history.trend(Variable("control_unit", "mbs", lcu), end - LOOKED_BACK, end)
    figures = [
        (one.end, float(one.mean)) for one in known if isinstance(one.mean, int | float) and one.end <= end
    ]
    quiet: Iterator[int]
    if figures:
        quiet = (then for then, megabytes in reversed(figures) if megabytes * MEGABYTE < limit)
    else:
        quiet = _quiet(view, frozenset(members), limit)
    last = next(quiet, None)
    if last is None:
        return LONGER_AGO
    return ENDED if view.interval.skipped and last >= end - MINUTE else last


def _quiet(view: View, members: frozenset[str], limit: float) -> Iterator[int]:
    """Yield when intervals ended in which devices moved fewer bytes a second than a limit, last first."""
    end = view.interval.after.at.utc
    for interval in islice(view.history.past(end), MAX_READ):
        if interval.before is None or interval.after.at.utc < end - LOOKED_BACK:
            return
        if _bytes(interval, members) < limit:
            yield interval.after.at.utc


def _bytes(interval: Interval, members: frozenset[str]) -> Number:
    """Return the bytes a second of some devices."""
    ccw = interval.of(DEVICE)
    named = {name for key, name in zip(ccw.keys, ccw["block"], strict=True) if key in members}
    blocks = interval.of(BLOCK)
    rates = zip(blocks.keys, blocks.rate("sectors_read"), blocks.rate("sectors_written"), strict=True)
    return total([512 * (read + written) for name, read, written in rates if name in named])


def usual(view: View, measurement: Measurement) -> Number:
    """Return what a number usually is at this hour: the median of other days on which it was recorded."""
    table, _, column = measurement.column.partition(".")
    key = measurement.subject.key
    keys = view.interval.after.frame(CPU).keys[:MAX_CPUS] if table == "cpu" else [key] if key else []
    medians = [median(days) for key in keys if (days := list(_days(view, Variable(table, column, key))))]
    return sum(medians) / len(medians) if medians else NOT_RECORDED


def _days(view: View, variable: Variable) -> Iterator[float]:
    """Yield the mean around this time of each day before, as far as one was recorded."""
    now, first = view.interval.after.at.utc, view.history.first()
    for day in range(1, MAX_DAYS + 1):
        middle = now - day * DAY
        if middle + AROUND < first:
            return
        figures = view.history.trend(variable, middle - AROUND, middle + AROUND)
        means = [one.mean for one in figures if isinstance(one.mean, int | float)]
        if means:
            yield sum(means) / len(means)
