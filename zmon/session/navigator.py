"""The interval of a timeline that is shown: at the cursor, of the live machine, or between the marks.

The cursor may be moved by another thread; everything else belongs to the thread that shows the interval.
"""

from __future__ import annotations

from functools import partial

from zmon.base.absent import absent
from zmon.base.clock import END_OF_TIME, clock
from zmon.base.event import worst_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.interval import Interval
from zmon.machine.figure import TimedValue
from zmon.machine.view import History, View
from zmon.session.cursor import Cursor
from zmon.session.running_period import RunningPeriod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.event import Event, ExceptionEntry, Exceptions
    from zmon.machine.figure import Variable
    from zmon.sample import Sample
    from zmon.session.exception_log import ExceptionLog
    from zmon.session.timeline import Overview, Span, Timeline

UNKNOWN: Final = absent("not known in this minute, or there are no samples")

NOT_KEPT: Final = (
    "Live samples are not kept. To go back in time, start zmon with --record FILE or open a recording: --from"
    " FILE"
)

NO_SAMPLES: Final = "There are no samples here."


class CommandError(ValueError):
    """A command that cannot be carried out; the message says why and what would be possible."""


class UnreadError(CommandError):
    """The table of a page is not there yet: a thread fills it."""


class Arrival(NamedTuple):
    """The interval to which a move has led, and what is said about it."""

    interval: Interval
    words: str = ""


class CursorMove(NamedTuple):
    """A move of the cursor.  It takes time and touches nothing else, so another thread may `run` it."""

    cursor: Cursor
    find: Callable[[], Arrival | Interval | None]
    edge: str | Callable[[], str]
    """What is said at the end of the timeline; or returns it, once the cursor is there."""

    def run(self) -> Arrival | None:
        """Move the cursor; None at the end of the timeline."""
        worst_found = self.find()
        return (
            worst_found if worst_found is None or isinstance(worst_found, Arrival) else Arrival(worst_found)
        )


class Navigator:
    """Shows one interval of a timeline, and moves along it.

    A live timeline is followed until `leave_present`, which goes back into what the live buffer keeps.
    """

    def __init__(self, timeline: Timeline) -> None:
        """Look at nothing yet."""
        self.timeline = timeline
        self.live = timeline.live
        """Whether the live machine is followed."""
        self.cursor = Cursor(timeline)
        self.interval: Interval | None = None
        """The interval that is shown: the one that ends at the cursor, or the window between the marks."""
        self.marks: dict[str, Sample] = {}
        """Up to two, `A` and `B`."""
        self.overview: Overview | None = None
        """The timeline at a glance, as far as it was read."""
        self.message = ""
        """What is to be said about where the last move has led."""
        self.moved = False
        """Whether the cursor has moved since the live machine was left."""
        self.mover: Callable[[CursorMove], None] | None = None
        """Runs a move elsewhere and then has it `arrive`; without it moves are run at once."""
        self.history = self._new_history()
        self._here: Interval | None = None
        """The interval that ends at the cursor, also while a window is shown."""
        self._preview: Interval | None = None
        """An interval that is shown before its samples are known."""
        self._newest: Interval | None = None
        """The last interval of the live machine."""
        self._live_period = self._period = RunningPeriod()
        self._underway: list[CursorMove] = []
        self.opens_at_worst = False
        """Whether the worst interval is shown as soon as it is known, because nobody asked for another."""
        self.waiting: list[str] = []
        """Commands that are carried out when the cursor has arrived, because they are about its sample."""

    @property
    def utc(self) -> int | None:
        """When the sample at the cursor was taken."""
        return None if self._here is None else self._here.after.at.utc

    @property
    def span(self) -> Span | None:
        """The times of the first and the last sample; None if there are none, or the machine is followed."""
        if self.overview is not None:
            return self.overview.begin, self.overview.end
        return None if self.live else self.timeline.span()

    def events(self) -> Sequence[Event]:
        """Return all events of the timeline; judge its samples first if no thread does."""
        if self.mover is None:
            self.log.complete()
        if self.overview is not None:
            return self.overview.events
        span = self.timeline.span()
        return () if span is None else self.timeline.events(*span)

    # exceptions

    @property
    def log(self) -> ExceptionLog:
        """The exceptions of the timeline; a live machine is judged once this was asked for."""
        from zmon.session.exception_log import log_of  # noqa: PLC0415 - a lookup starts without rules

        return log_of(self.timeline)

    def _exceptions(self, begin: int, end: int | None) -> Exceptions:
        """Return the exceptions between two times; judge the samples first if no thread does."""
        log = self.log
        if self.mover is None:
            log.complete(END_OF_TIME if end is None else end)
        return log.exceptions(begin, END_OF_TIME if end is None else end)

    def seek_worst(self) -> None:
        """Go to the worst interval of the heaviest exception that is known by now, and say so."""
        entries, cursor = self.log.entries(), self.cursor
        worst = worst_of(entries)
        if worst is None:
            return
        which = f"the worst of {len(entries)} exceptions" if len(entries) > 1 else "in its one exception"

        def find() -> Arrival | None:
            interval = cursor.seek(worst.worst_end)
            if interval is None:
                return None
            at = clock(interval.after.at.utc)
            return Arrival(interval, f"Opened at {at}, {which}. GO END goes to the last sample.")

        self.move(find)

    def open_exceptions(self) -> Sequence[ExceptionEntry]:
        """Return the exceptions that are open in the interval that is shown, the heaviest first."""
        return self.log.open(None if self.live else self.utc)

    # at once

    def look_at(self, interval: Interval | None) -> Interval | None:
        """Look at an interval that the cursor has found, perhaps in another thread."""
        if interval is not None:
            if self._preview is not None:  # a look at less than the interval, with its times
                self.history = self._new_history()
            self.interval = self._here = interval
            self._preview = None
            self.moved = True
        return interval

    def add(self, sample: Sample) -> Interval:
        """Go on to a sample of the live machine that was taken, perhaps in another thread.

        If the past or a window is shown, it stays; a first look stays until there is a second sample.
        """
        before = None if self._newest is None else self._newest.after
        self._newest = self.timeline.interval(before, sample)
        if self.live and self.averaging:
            self._here = self._newest
        elif self.live and (before is not None or self._preview is None):
            self.look_at(self._newest)
        self._live_period.count(self._newest)
        return self._newest

    def next(self) -> Interval | None:
        """Go to the next sample; None, and stay, at the end.  Live, take one."""
        if not self.live:
            return self.look_at(self.cursor.next())
        sample = self.timeline.take()
        if self.timeline.log is not None:
            self.timeline.log.follow(sample)
        return self.add(sample)

    def previous(self) -> Interval | None:
        """Go to the sample before; None, and stay, at the begin, and live."""
        return None if self.live else self.look_at(self.cursor.previous())

    def seek(self, utc: int) -> Interval | None:
        """Go to the last sample at a time or before, else to the first; None if there is none, and live."""
        return None if self.live else self.look_at(self.cursor.seek(utc))

    def begin(self) -> Interval | None:
        """Go to the first sample."""
        return None if self.live else self.look_at(self.cursor.begin())

    def end(self) -> Interval | None:
        """Go to the last sample."""
        return None if self.live else self.look_at(self.cursor.end())

    def preview(self, utc: int | None = None) -> None:
        """Look at the interval of a time, by default the last, if possible before its samples are known.

        `read_preview` then moves to the samples.
        """
        self.show_preview(None if self.live else self.timeline.preview(utc), utc)

    def show_preview(self, interval: Interval | None, utc: int | None = None) -> None:
        """Look at a preview of a time, by default of the last; without one go to its sample."""
        if interval is not None:
            self.cursor = Cursor(self.timeline, interval.after.at.utc)
            self._preview = self.look_at(interval)
        elif utc is None:
            self.end()
        else:
            self.seek(utc)

    @property
    def is_preview(self) -> bool:
        """Whether a preview is looked at, before which nothing is known."""
        return self._preview is not None

    def read_preview(self) -> None:
        """Go to the samples of the interval that is previewed, if one is."""
        if self._preview is not None:
            self.move(partial(self.cursor.seek, self._preview.after.at.utc))

    # moves that another thread may run

    def move(self, find: Callable[[], Arrival | Interval | None], edge: str | Callable[[], str] = "") -> None:
        """Move the cursor.

        Raises:
            CommandError: the timeline ends there, if that is known at once.
        """
        move = CursorMove(self.cursor, find, edge)
        self._underway.append(move)
        if self.mover is not None:
            self.mover(move)
        else:
            self.arrive(move, move.run())

    def go_to(self, utc: int) -> None:
        """Go to the sample of a time.

        Raises:
            CommandError: live samples are not kept.
        """
        self.leave_present()
        self.move(partial(self.cursor.seek, utc), NO_SAMPLES)

    @property
    def underway(self) -> bool:
        """Whether a move has not arrived yet."""
        return bool(self._underway)

    def arrive(self, move: CursorMove, arrival: Arrival | None) -> bool:
        """Look at what a move has found; return False if the move was dropped, or has found nothing.

        Raises:
            CommandError: the timeline ends there.
        """
        if move not in self._underway:
            return False
        self._underway.remove(move)
        if arrival is None and move.edge:
            raise CommandError(move.edge if isinstance(move.edge, str) else move.edge())
        if arrival is None:
            return False
        self.look_at(arrival.interval)
        self.message = arrival.words
        return True

    def drop(self, move: CursorMove) -> None:
        """Forget a move that failed."""
        if move in self._underway:
            self._underway.remove(move)

    # from the live machine into its past, and back

    def check_past(self) -> None:
        """See that one can go back in time.

        Raises:
            CommandError: live samples are not kept.
        """
        if self.live and (self._here is None or self.timeline.empty):
            raise CommandError(NOT_KEPT)

    def leave_present(self) -> None:
        """Follow the live machine no longer: stay where it is, to move from there.

        Raises:
            CommandError: live samples are not kept.
        """
        self.check_past()
        if self.live:
            self.live = self.moved = False
            self.interval = self._here
            self.cursor = Cursor(self.timeline, self.utc)
            self.overview = None
            self._period = self._live_period.copy()

    def to_present(self) -> None:
        """Follow the live machine again; moves that are under way are dropped.

        Raises:
            CommandError: the timeline is not live.
        """
        if not self.timeline.live:
            raise CommandError("NOW is for the live machine. GO end goes to the last sample.")
        self._underway.clear()
        self.waiting.clear()
        self.live = True
        self.cursor, self.overview = Cursor(self.timeline), None
        self.interval = self._here = self._newest
        self._period = self._live_period

    # marks

    def mark(self, name: str) -> None:
        """Mark the sample at the cursor as `A` or `B`.

        Raises:
            CommandError: there is no sample yet.
        """
        if self._here is None:
            raise CommandError("There is no sample to mark yet.")
        self.marks[name] = self._here.after

    @property
    def averaging(self) -> bool:
        """Whether the window between the marks is shown."""
        return self.interval is not self._here

    def average(self) -> Interval:
        """Look at the window between the samples at A and B, whichever is earlier.

        Raises:
            CommandError: a mark is missing, or both mark the same sample.
        """
        for name in ("A", "B"):
            if name not in self.marks:
                raise CommandError(f"Mark {name} is not set: go to a sample and type MARK {name}")
        first, last = sorted(self.marks.values(), key=lambda sample: sample.at.utc)
        if first.at == last.at:
            raise CommandError("A and B mark the same sample: go to another one and mark that")
        self.interval = Interval(first, last, skipped=True)
        return self.interval

    def end_average(self) -> None:
        """Look again at the interval that ends at the cursor."""
        self.interval = self._here

    # what tables are filled from

    def _new_history(self) -> History:
        """Return what came before, of which nothing is computed yet."""
        timeline = self.timeline
        history = History(
            self._past,
            timeline.events,
            partial(self._taken, 0),
            partial(recorded_trend, timeline),
            None if self.live else partial(self._taken, 1),
            self._exceptions,
            timeline.fleet,
        )
        history.asked = timeline.asked
        return history

    def _taken(self, end: int) -> int:
        """Return when the first (0) or the last sample (1) was taken that is kept."""
        span = self.timeline.span()
        return 0 if span is None else span[end]

    def _past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals up to the cursor or to the live machine's last sample, or up to a time."""
        if self.live:
            span = self.timeline.span()
            utc = span[1] if span is not None and utc is None else utc
        if self._preview is not None:  # what is before it would take long
            return iter([self._preview] * (utc is None or utc >= self._preview.after.at.utc))
        position = self.cursor.position if utc is None else self.timeline.find(utc)
        return self.timeline.intervals(position)

    def view(self, argument: str = "") -> View | None:
        """Return what a table is filled from; None before the first sample."""
        if self.interval is None or self._here is None:
            return None
        past = None if self._period is self._live_period and self.timeline.live else self._past
        period = partial(self._period.count, self._here, past)
        return View(self.interval, period, argument, self.history)


def recorded_trend(timeline: Timeline, variable: Variable, begin: int, end: int) -> Sequence[TimedValue]:
    """Return what recordings keep of a variable by minutes or quarters of an hour; empty if nothing."""
    recordings = timeline.recordings(begin, end) if variable.key else []
    if not recordings:
        return ()
    from zmon.store.file_format import RecordingError  # noqa: PLC0415 - a capture needs no SQLite
    from zmon.trends.trend import trend  # noqa: PLC0415 - likewise
    from zmon.trends.trend_tables import TREND_TABLES  # noqa: PLC0415 - likewise

    tables = (table for table in TREND_TABLES if table.table == variable.table)
    screen = next((table.screen for table in tables if table.figure(variable.column) is not None), "")
    if not screen:
        return ()
    try:
        points = trend(recordings, screen, variable.column, variable.key, begin, end)
    except RecordingError:
        return ()
    return [TimedValue(*point[:2], *(UNKNOWN if v is None else v for v in point[2:])) for point in points]
