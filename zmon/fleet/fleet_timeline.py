"""A fleet as a timeline: periods of equal length, of which the screens show one.

So the keys of time, marks, EVENTS and EXCEPT work for a fleet as they do for one system.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from threading import Lock
from typing import TYPE_CHECKING, Final

from zmon.base.clock import END_OF_TIME, SECOND
from zmon.base.event import Exceptions
from zmon.fleet.fleet_screens import fleet_table
from zmon.fleet.fleet_tables import fleet_of, sentence
from zmon.fleet.recorded_fleet import FleetError
from zmon.interval import Interval
from zmon.sample import Instant, Sample
from zmon.session.exception_log import ExceptionLog
from zmon.session.timeline import Section, Timeline
from zmon.tables.fleet import GLANCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.fleet.fleet_tables import Fleet
    from zmon.fleet.recorded_fleet import FleetSource, LiveFleetSource
    from zmon.session.timeline import Position
    from zmon.tables.table import Table

REFUSAL: Final = "the screens of a fleet take no notes: they go into the recording of a system"
MAX_PERIODS: Final = 10_000
"""Periods into which the time of a fleet is divided at most; what is before them is left out."""
KEPT: Final = 8
"""Periods whose figures are kept."""


class FleetSection(Section):
    """The ends of periods as samples; these have no figures of their own."""

    def __init__(self, name: str, times: Sequence[int], seconds: float, *, is_simulated: bool) -> None:
        """Hold the times, UTC in ns."""
        self.name = name
        self._times, self._seconds, self._is_simulated = times, seconds, is_simulated
        self._fixed = list(times)
        """The ends that stay: of whole periods."""

    def __len__(self) -> int:
        return len(self._times)

    def sample(self, number: int) -> Sample:
        """Return the end of a period."""
        utc = self._times[number]
        return Sample(Instant(utc, utc, self.name), {}, self.name, self._seconds, self._is_simulated)

    def number_at(self, utc: int) -> int:
        """Return the number of the last end at a time or before; of the first period if it is before that.

        The first sample is the begin of that period, and has no figures.
        """
        return max(bisect_right(self._times, utc) - 1, min(1, len(self._times) - 1))

    def span(self) -> tuple[int, int]:
        """Return the begin of the first period and the end of the last."""
        return self._times[0], self._times[-1]

    def grow(self, now: int) -> None:
        """Go on to a time: with whole periods, and a part of one up to that time.

        Numbers of whole periods stay the same, because a cursor may be at one of them.
        """
        step = round(self._seconds * SECOND)
        while self._fixed[-1] + step <= now:
            self._fixed.append(self._fixed[-1] + step)
        self._times = [*self._fixed, *[now] * (now > self._fixed[-1])]


class FleetLog(ExceptionLog):
    """The exceptions of all systems, as their recorders found them."""

    def __init__(self, timeline: Timeline, source: FleetSource) -> None:
        """Read nothing yet."""
        super().__init__(timeline, ())
        self._source, self._reading = source, Lock()
        self._known: list[ExceptionEntry] | None = None
        self._systems: list[str] = []

    def advance(self, until: int = END_OF_TIME, seconds: float | None = None) -> bool:  # noqa: ARG002 - it is one step
        """Read what the systems say, once."""
        self.entries()
        return True

    def follow(self, sample: Sample) -> None:
        """Do nothing: `read_again` has read what the systems say."""

    def read_again(self) -> None:
        """Read what the systems say now.

        Raises:
            FleetError: they cannot be asked; what is known stays.
        """
        exceptions = list(self._source.exceptions())
        with self._reading:
            self._take(exceptions)

    def remark(self) -> str:
        """Return nothing: no sample is judged here."""
        return ""

    @property
    def until(self) -> int:
        """The end of the time of the fleet."""
        span = self._timeline.span()
        return 0 if span is None else span[1]

    def entries(self) -> Sequence[ExceptionEntry]:
        """Return the exceptions by their begin, each with its system before the place."""
        with self._reading:
            if self._known is None:
                return self._take(self._source.exceptions())
            return self._known

    def _take(self, exceptions: Iterable[tuple[str, ExceptionEntry, bool]]) -> list[ExceptionEntry]:
        """Keep what the systems say, and return it; the lock must be held."""
        in_order = sorted(exceptions, key=lambda exception: (exception[1].begin, exception[0]))
        self._systems = [name for name, _, _ in in_order]
        self._known = [
            entry._replace(
                where=f"{name} {entry.where}".rstrip(),
                sentence=sentence(entry, is_measured=is_measured),
                number=number,
            )
            for number, (name, entry, is_measured) in enumerate(in_order, 1)
        ]
        return self._known

    def system_of(self, entry: ExceptionEntry) -> str:
        """Return which system an exception is of."""
        return self._systems[entry.number - 1]

    def exceptions(self, begin: int = 0, end: int = END_OF_TIME) -> Exceptions:
        """Return the exceptions that overlap a time."""
        entries = tuple(entry for entry in self.entries() if entry.begin < end and entry.end > begin)
        span = self._timeline.span() or (0, 0)
        return Exceptions(entries, span[0], span[1], span[1])


class FleetTimeline(Timeline):
    """The periods of a fleet."""

    log: FleetLog

    def __init__(self, source: FleetSource, begin: int, end: int) -> None:
        """Make periods as long as that from `begin` to `end`, UTC in ns, which is one of them."""
        self._source, self._lock = source, Lock()
        self._fleets: dict[tuple[int, int], Fleet] = {}
        is_simulated = self.of(begin, end).is_simulated
        section = FleetSection(
            source.name,
            period_ends(source.span(), begin, end),
            (end - begin) / SECOND,
            is_simulated=is_simulated,
        )
        super().__init__(source.name, lambda: [section], REFUSAL)
        self.section = section
        self.systems = source.systems
        self.fleet = self._fill
        self.log = FleetLog(self, source)

    def of(self, begin: int, end: int) -> Fleet:
        """Return the figures of a time, read once.

        Raises:
            FleetError: they cannot be read.
        """
        with self._lock:
            fleet = self._fleets.get((begin, end))
            if fleet is None:
                fleet = fleet_of(self._source.members(begin, end), begin, end, self._source.sight)
                if len(self._fleets) >= KEPT:
                    del self._fleets[next(iter(self._fleets))]
                self._fleets[begin, end] = fleet
            return fleet

    def _fill(self, listed: str, begin: int, end: int) -> Table:
        exceptions = self.log.exceptions(begin, end) if listed == GLANCE else Exceptions()
        return fleet_table(listed, self.of(begin, end), exceptions.entries)

    def system_of(self, entry: ExceptionEntry) -> str:
        """Return which system an exception is of."""
        return self.log.system_of(entry)

    def find(self, utc: int) -> Position | None:
        """Return the end of the last period at a time or before, of the first one where all are later."""
        return super().find(max(utc, self.section.span()[0]))

    def intervals(self, position: Position | None) -> Iterator[Interval]:
        """Yield the periods from the one that ends at a position backwards; at the begin it is the first."""
        is_begin = position is not None and self.previous(position) is None
        for interval in super().intervals(self.next(position) if is_begin else position):
            if interval.before is not None:
                yield interval


class LiveFleetTimeline(FleetTimeline):
    """The period that ends now, of a source that is asked again and again, and those before it."""

    live = True
    log: FleetLog

    def __init__(
        self, source: LiveFleetSource, begin: int, end: int, clock: Callable[[], int] = time.time_ns
    ) -> None:
        """Begin with the period from `begin` to `end`, UTC in ns; `clock` says what is now."""
        super().__init__(source, begin, end)
        self._live_source, self._clock = source, clock
        self._step = end - begin
        self._last: Sample | None = None

    def take(self) -> Sample:
        """Return the end of the period that ends now, whose figures are read; the last one if it is stale."""
        if self._last is None:
            self._last = self.section.sample(len(self.section) - 1)
            return self._last
        now = self._clock()
        try:
            self._live_source.move_on(now)
            self.of(now - self._step, now)
            self.log.read_again()
        except FleetError as error:
            self.stale_since, self.stale_reason = self._last.at.utc, str(error)
            return self._last
        self.systems = self._live_source.systems
        self.section.grow(now)
        self._last = self.section.sample(len(self.section) - 1)
        self.stale_since = 0
        return self._last

    def interval(self, before: Sample | None, after: Sample) -> Interval:  # noqa: ARG002 - periods overlap
        """Return the period that ends with a sample, wherever the one before ended."""
        interval = self._newest
        if interval is None or interval.after is not after:
            begin = after.at.utc - self._step
            first = after._replace(at=after.at._replace(utc=begin, steady=begin))
            interval = self._newest = Interval(first, after, skipped=True)
        return interval


def period_ends(span: tuple[int, int], begin: int, end: int) -> list[int]:
    """Return the ends of periods in a span, as long as that from `begin` to `end`, behind the first begin.

    The last one ends at the end of the span, or where that period does if it is later.
    """
    step = end - begin
    last = end + max(span[1] - end, 0) // step * step
    ends = [
        last - number * step for number in range(min((last - min(span[0], begin)) // step + 1, MAX_PERIODS))
    ]
    ends = sorted({*ends, begin, end})
    if last < span[1]:
        ends.append(span[1])
    if span[0] < ends[0] and len(ends) < MAX_PERIODS:
        ends.insert(0, span[0])
    return ends
