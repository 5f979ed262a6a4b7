"""The intervals before the present one, for screens that have a row per interval.

A row is made once per interval, however often the screen is filled.  A tape that keeps nothing has the rows
that were made while their interval was the present one.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from zmon.absent import Value
    from zmon.event import Event
    from zmon.sample import Instant
    from zmon.tables.figure import Figure, Variable

    Past = Callable[..., Iterator[Interval]]
    """Yields intervals from the present one backwards; told a time, from the one that ends there."""
    Figures = Callable[[Interval], Mapping[str, Value]]
    Happened = Callable[[int, int], Sequence[Event]]
    """Returns what happened between two times."""
    Trend = Callable[[Variable, int, int], Sequence[Figure]]
    """Returns what is kept of a variable by minutes or quarters of an hour, if anything is."""

KEPT: Final = 10_000
"""Rows that are kept at the most."""

REMEMBERED: Final = 1_000
"""Rows of one screen that are remembered where the tape keeps nothing."""


class Row(NamedTuple):
    """The figures of one interval."""

    begin: Instant | None
    """None for the first sample there is."""
    end: Instant
    cells: Mapping[str, Value]
    gap: bool = False
    """Whether samples are missing in this interval."""


class History:
    """What came before, as far as the tape reaches."""

    def __init__(
        self,
        past: Past | None = None,
        happened: Happened = lambda _begin, _end: (),
        first: Callable[[], int] = lambda: 0,
        trend: Trend = lambda _variable, _begin, _end: (),
        last: Callable[[], int] | None = None,
    ) -> None:
        """`past` yields intervals from the present one backwards; without it there is nothing.

        `first` and `last` return when the first and the last sample were taken (UTC in ns), as far as is
        known; without `last` more samples may come.
        """
        self._past = past
        self.happened = happened
        self.first = first
        self.last = last
        self.trend = trend
        self._rows: dict[tuple[Hashable, int, int], Row] = {}
        self._seen: dict[Hashable, deque[Row]] = {}
        self._lock = Lock()

    def rows(
        self,
        name: Hashable,
        figures: Figures,
        most: int,
        present: Interval | None = None,
        window: tuple[int, int | None] = (0, None),
    ) -> list[Row]:
        """Return the rows of the last `most` intervals, the oldest first.

        `name` names the figures, so that different screens do not take each other's rows.  Where nothing is
        kept, the `present` interval is remembered from now on.  A `window` confines them to the intervals
        that lie, at least with their ends, between two times; without its end it ends at present.
        """
        found: list[Row] = []
        for interval in self.past(window[1]):
            if len(found) == most or interval.after.at.utc <= window[0]:
                break
            found.append(self.row(name, figures, interval))
        if not found and present is not None:
            remembered = self._remembered(name, figures, present)[-most:]
            return [row for row in remembered if row.end.utc > window[0]]
        return found[::-1]

    def past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals up to the present one, or to that of a time, the last first."""
        if self._past is None:
            return iter(())
        return self._past() if utc is None else self._past(utc)

    def between(self, begin: int, end: int) -> Interval | None:
        """Return the interval between the last samples at two times or before; None if they are not two."""
        first, last = (next(self.past(utc), None) for utc in (begin, end))
        if first is None or last is None or first.after.at.utc >= last.after.at.utc:
            return None
        return Interval(first.after, last.after, skipped=True)

    def window(self, begin: int | None, end: int) -> Interval | None:
        """Return the interval between two times, or the one that ends then; None without two samples."""
        found = next(self.past(end), None) if begin is None else self.between(begin, end)
        return None if found is None or found.before is None else found

    def within(self, interval: Interval, most: int) -> Iterator[Interval]:
        """Yield the parts of an interval that the tape has, at most so many, the last first."""
        begin = 0 if interval.before is None else interval.before.at.utc
        for each in islice(self.past(interval.after.at.utc), most):
            if each.after.at.utc <= begin:
                return
            yield each

    def row(self, name: Hashable, figures: Figures, interval: Interval) -> Row:
        """Return the row of an interval, made once."""
        before, after = interval.before, interval.after
        key = (name, before.at.utc if before else -1, after.at.utc)
        row = self._rows.get(key)
        if row is None:
            row = Row(before.at if before else None, after.at, figures(interval), interval.gap)
            if len(self._rows) >= KEPT:
                self._rows.clear()
            self._rows[key] = row
        return row

    def _remembered(self, name: Hashable, figures: Figures, present: Interval) -> list[Row]:
        before, after = present.before, present.after
        with self._lock:  # tables are filled in several threads
            seen = self._seen.setdefault(name, deque(maxlen=REMEMBERED))
            # an average over a longer time ends where a row has ended, and is none
            if not seen or (before is not None and before.at.utc >= seen[-1].end.utc):
                seen.append(Row(before.at if before else None, after.at, figures(present), present.gap))
            return list(seen)
