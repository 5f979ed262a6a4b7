"""When a load began and ended, since when writes are slow, and what a figure usually is, as was recorded.

Roll-ups are asked first, for they have a row a minute; where there are none, at most `MAX_READ` intervals
are read.
"""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import DAY, HOUR, MINUTE
from zmon.base.record import NamedTuple
from zmon.base.sizes import MB
from zmon.interval import IDLE
from zmon.kinds import CPU, DEVICE
from zmon.machine.blocks import Blocks
from zmon.machine.figure import Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Number
    from zmon.interval import Interval
    from zmon.machine.observation import ObservedLoad
    from zmon.machine.view import View

LOOKED_BACK: Final = 6 * HOUR
"""How far the begin of a load is looked for."""
AHEAD: Final = 2 * MINUTE
"""How far behind a stretch it is looked for whether it is over."""
MAX_READ: Final = 600
"""Intervals that are read for it where no roll-up has it."""
AROUND: Final = HOUR // 2
"""So long before and after the same time of another day a figure is taken."""
MAX_DAYS: Final = 14
CALM: Final = 2
"""Intervals in a row in which writes are quick that are before they became slow: a single one is chance."""
MAX_CALM: Final = 30
"""Intervals before that are looked at for how quick they were."""
FEW: Final = 10
"""Writes in an interval below which their mean says nothing."""
MAX_CPUS: Final = 8
"""CPUs whose usual load is asked for; the load of all is their mean."""
LONGER_AGO: Final = absent("it began longer ago than was looked back")
NOT_RECORDED: Final = absent("no other day was recorded")


class LoadPeriod(NamedTuple):
    """The time in which an LCU had a load that is not there always."""

    begin: Number
    """UTC in ns; absent if it began before the time that was looked through."""
    end: int | None = None
    """UTC in ns; None if it goes on at the end of the time that is looked at."""
    load: ObservedLoad | None = None
    """What was measured in it alone, where that is another time than is looked at."""


class SlowerWrites(NamedTuple):
    """Since when the writes to an LCU take longer than its reads, and how they were just before."""

    begin: int
    """UTC in ns."""
    writes: float
    """A second, before."""
    write: float
    """Seconds that one took before."""


def load_period(
    view: View, lcu: str, members: tuple[str, ...], usual_load: float, until: int | None = None
) -> LoadPeriod | Absent:
    """Return when an LCU had the load that it has most of in a view's interval: how long it stayed above.

    Args:
        view: what it is asked of; in a long interval the highest load is looked for.
        lcu: the key of the LCU.
        members: bus ids of its devices.
        usual_load: bytes per second without the load; it counts from the geometric mean of both on.
        until: UTC in ns up to which its end may be looked for; None: the end of the interval.
    """
    begin = 0 if view.interval.before is None else view.interval.before.at.utc
    end = view.interval.after.at.utc
    until = max(end, min(until or end, end + AHEAD))
    parts = _trend(view, lcu, until) or _intervals(view, frozenset(members), until)
    parts = [part for part in parts if part.begin < part.end]
    inside = [at for at, part in enumerate(parts) if part.end > begin and part.begin < end]
    if not inside:
        return LONGER_AGO
    first = last = max(inside, key=lambda at: (parts[at].bytes, at))
    limit = (parts[first].bytes * max(usual_load, 1.0)) ** 0.5
    while first > 0 and parts[first - 1].bytes >= limit:
        first -= 1
    while last + 1 < len(parts) and parts[last + 1].bytes >= limit:
        last += 1
    over = last + 1 < len(parts) and parts[last].end < until
    return LoadPeriod(parts[first - 1].end if first else LONGER_AGO, parts[last].end if over else None)


class _Part(NamedTuple):
    """A part of the time, with the bytes that an LCU moved a second."""

    begin: int
    end: int
    bytes: float


def _trend(view: View, lcu: str, end: int) -> list[_Part]:
    """Return the minutes that were kept of an LCU, the first first; what is not known is left out."""
    begin = view.interval.after.at.utc - LOOKED_BACK
    minutes = view.history.trend(Variable("control_unit", "mbs", lcu), begin, end)
    return [
        _Part(minute.begin, minute.end, MB * minute.mean)
        for minute in minutes
        if isinstance(minute.mean, int | float) and minute.end <= end
    ]


def _intervals(view: View, members: frozenset[str], end: int) -> list[_Part]:
    """Return the intervals of a view and before it up to a time, or as many parts of a long time."""
    last = next(view.history.past(end), None)
    seconds = view.interval.seconds
    if last is None or isinstance(last.seconds, Absent) or isinstance(seconds, Absent):
        return []
    intervals: Iterator[Interval] = view.history.past(end)
    if seconds > MAX_READ * last.seconds:
        step = round(2 * seconds * 1e9 / MAX_READ)
        parts = (view.history.between(end - (at + 1) * step, end - at * step) for at in range(MAX_READ))
        intervals = takewhile(None.__ne__, parts)  # type: ignore[arg-type]  # none is absent then
    read = []
    for interval in islice(intervals, MAX_READ):
        if interval.before is None or interval.after.at.utc < end - LOOKED_BACK:
            break
        moved = _disks_of(interval, members).of("bytes")
        if not isinstance(moved, Absent):
            read.append(_Part(interval.before.at.utc, interval.after.at.utc, float(moved)))
    return read[::-1]


def _disks_of(interval: Interval, members: frozenset[str]) -> Blocks:
    """Return the block devices of some devices."""
    ccw = interval.of(DEVICE)
    return Blocks(
        interval, [name for key, name in zip(ccw.keys, ccw["block"], strict=True) if key in members]
    )


def slower_writes(view: View, members: tuple[str, ...], longer: float) -> SlowerWrites | Absent:
    """Return since when writes to some devices, by bus id, take so many seconds longer than their reads.

    Absent if it began longer ago than was looked back.
    """
    begin, calm = view.interval.after.at.utc, list[_Writes]()
    limit = begin - LOOKED_BACK
    named = frozenset(members)
    for interval in islice(view.history.past(begin), MAX_READ):
        if interval.before is None or interval.after.at.utc < limit or len(calm) == MAX_CALM:
            break
        writes = _writes(interval, named)
        if writes is None:
            continue
        if writes.longer < longer:
            calm.append(writes)
        elif len(calm) >= CALM:
            break
        else:
            begin, calm = interval.before.at.utc, []
    if len(calm) < CALM:
        return LONGER_AGO
    many = sum(writes.many for writes in calm)
    return SlowerWrites(
        begin,
        many / sum(writes.seconds for writes in calm),
        sum(writes.many * writes.time for writes in calm) / many,
    )


class _Writes(NamedTuple):
    """Writes in an interval; times are seconds."""

    seconds: float
    many: float
    time: float
    """That one takes."""
    longer: float
    """Than a read."""


def _writes(interval: Interval, members: frozenset[str]) -> _Writes | None:
    """Return the writes to some devices; None if they are too few, or not known."""
    disks, seconds = _disks_of(interval, members), interval.seconds
    writes, write, read = map(disks.of, ("writes", "wwait", "rwait"))
    many, time = writes * seconds, write / 1e3
    longer = time if read is IDLE else time - read / 1e3
    figures = [float(value) for value in (seconds, many, time, longer) if not isinstance(value, Absent)]
    return _Writes(*figures) if len(figures) == len(_Writes._fields) and many >= FEW else None


def usual(view: View, variable: Variable) -> Number:
    """Return what a figure usually is at this hour: the median of other days on which it was recorded."""
    table, column, key = variable
    keys = view.interval.after.frame(CPU).keys[:MAX_CPUS] if table == "cpu" else [key] if key else []
    from statistics import median  # noqa: PLC0415 - it loads fractions and decimals, and is seldom asked

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
        means = [figure.mean for figure in figures if isinstance(figure.mean, int | float)]
        if means:
            yield sum(means) / len(means)
