"""What every tape can do, and the watch that follows one.

A tape stands at one sample.  Live is a tape whose next sample is taken now.
"""

from __future__ import annotations

import threading
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

from zmon.interval import Interval
from zmon.session.head import Head
from zmon.tables.history import History
from zmon.tables.period import Period
from zmon.tables.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Number
    from zmon.event import Event
    from zmon.sample import Sample
    from zmon.session.head import Course
    from zmon.tables.figure import Figure, Variable

REACH: Final = 600
"""After a jump the figures of the period are counted anew from so many intervals before."""


class Tape(Protocol):
    """Samples in the order of time."""

    name: str
    """What is on the tape, as a person names it."""
    live: bool

    def next(self) -> Sample | None:
        """Return the sample after the present one, which becomes the present one; None at the end."""

    def previous(self) -> Sample | None:
        """Return the sample before the present one, which becomes the present one.

        None if there is none: then `next` returns the first again, or, live, a new one.
        """

    def seek(self, utc: int) -> Sample | None:
        """Return the last sample taken at `utc` (ns since 1970) or before, which becomes the present one.

        Before the first sample that is the first; None if there is no sample at all, as always live.
        """

    def span(self) -> tuple[int, int] | None:
        """Return when the first and the last sample were taken; None if there is none.

        The end moves on while a recording is being written.
        """

    def events(self, begin: int, end: int) -> Sequence[Event]:
        """Return what happened between two times, in the order of their begin."""

    def past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield intervals from the one that ends with the present sample backwards, not moving the tape.

        With `utc` the first is the one that ends with the last sample of that time or before; where there is
        none, nothing is yielded.
        """

    def load(self, begin: int, end: int, buckets: int) -> Sequence[Number]:
        """Return how busy the machine was in each of so many equal parts of a time; empty if not known."""

    def trend(self, variable: Variable, begin: int, end: int) -> Sequence[Figure]:
        """Return what is kept of a figure by minutes or quarters of an hour; empty if nothing is."""

    def past_tape(self) -> Tape | None:
        """Return, live, the tape of what was recorded up to now, if anything is; it grows."""

    def note(self, utc: int, text: str) -> None:
        """Write down what a person has to say of a time.

        Raises:
            NoNote: nothing is written to this tape, or it cannot be; says why.
        """

    def close(self) -> None:
        """Close what is open; the tape is not used any more."""


class NoNote(LookupError):  # noqa: N818 - it says what it is
    """A note that cannot be taken; says why, and what to do."""


class NoMark(LookupError):  # noqa: N818 - it says what it is
    """There is no window between two marks; says what to do."""


class Watch:
    """Looks at a tape: at the interval where its head is, or at the window between two marks."""

    def __init__(self, tape: Tape, at: Interval | None = None, present: Watch | None = None) -> None:
        """Stand before the first sample of the tape; or look `at` an interval whose end is on the tape.

        `present` watches the live machine of which this tape is the past.
        """
        self.tape = tape
        self.head = Head(tape, None if at is None else at.after)
        self.history = History(self._before, tape.events, self._first, tape.trend)
        self.interval = at
        """What is looked at."""
        self.marks: dict[str, Sample] = {}
        """Up to two, `A` and `B`."""
        self.course: Course | None = None
        """What is on the tape at a glance, as far as somebody who read it has told."""
        self.present = present
        self.said = ""
        """What is to be said about where it began to look."""
        self.moved = False
        """Whether it has gone anywhere from where it began to look."""
        self._stand = at
        """The interval where it stands, while it looks at a window."""
        self._past: Watch | None = None
        self._period = Period()
        self._counted: Interval | None = None
        """Up to where the period is counted."""
        self._lock = threading.Lock()

    def _first(self) -> int:
        """Return when the first sample was taken that is kept."""
        tape = self.tape.past_tape() if self.tape.live else self.tape
        span = None if tape is None else tape.span()
        return 0 if span is None else span[0]

    # along the tape

    def arrive(self, found: Interval | None) -> Interval | None:
        """Look at what the head has found, perhaps in another thread."""
        if found is not None:
            self.interval = self._stand = found
            self.moved = True
        return found

    def take(self, after: Sample) -> Interval:
        """Go on to a live sample that the tape has handed out, perhaps to another thread.

        A window that is looked at stays.
        """
        interval = Interval(self._stand.after if self._stand is not None else None, after)
        if self.averaging:
            self._stand = interval
        else:
            self.arrive(interval)
        self._count(interval)
        return interval

    def forward(self) -> Interval | None:
        """Go to the next sample; None, and stay, at the end of the tape."""
        if self.tape.live:
            after = self.tape.next()
            return None if after is None else self.take(after)
        return self.arrive(self.head.forward())

    def back(self) -> Interval | None:
        """Go back by one sample; None, and stay, where there is nothing before it, as always live."""
        return self.arrive(self.head.back())

    def seek(self, utc: int) -> Interval | None:
        """Go to the last sample at a time or before, else to the first; None when there is none."""
        return self.arrive(self.head.seek(utc))

    def to_begin(self) -> Interval | None:
        """Go to the first sample."""
        return self.arrive(self.head.begin())

    def to_end(self) -> Interval | None:
        """Go to the last sample of a tape that has an end."""
        return self.arrive(self.head.end())

    @property
    def span(self) -> tuple[int, int] | None:
        """When the first and the last sample were taken; None if there is none, as always live."""
        if self.course is not None:
            return self.course.begin, self.course.end
        return self.tape.span()

    def events(self) -> Sequence[Event]:
        """Return all that happened while the tape was made."""
        if self.course is not None:
            return self.course.events
        span = self.tape.span()
        return () if span is None else self.tape.events(*span)

    @property
    def utc(self) -> int | None:
        """When the sample was taken at which it stands."""
        return None if self._stand is None else self._stand.after.at.utc

    # back from now, and to it again

    def rewind(self) -> Watch | None:
        """Return a watch over what was recorded of a live tape, looking at the same; None if nothing was."""
        from copy import deepcopy  # noqa: PLC0415 - only here

        if not self.tape.live or self._stand is None:
            return None
        tape = self._past.tape if self._past is not None else self.tape.past_tape()
        if tape is None:
            return None
        past = Watch(tape, self._stand, self)
        past.marks = self.marks
        past._period, past._counted = deepcopy(self._period), self._stand
        self._past = past
        return past

    # marks

    def mark(self, name: str) -> None:
        """Mark the sample where it stands as `A` or `B`."""
        if self._stand is None:
            raise NoMark("There is no sample to mark yet.")
        self.marks[name] = self._stand.after

    def window(self) -> Interval:
        """Return the interval between the samples at A and B, whichever is earlier.

        Raises:
            NoMark: a mark is missing, or both mark the same sample.
        """
        for name in ("A", "B"):
            if name not in self.marks:
                raise NoMark(f"Mark {name} is not set: go to a sample and type MARK {name}")
        first, last = sorted(self.marks.values(), key=lambda sample: sample.at.utc)
        if first.at == last.at:
            raise NoMark("A and B mark the same sample: go to another one and mark that")
        return Interval(first, last, skipped=True)

    @property
    def averaging(self) -> bool:
        """Whether it looks at the window between the marks."""
        return self.interval is not self._stand

    def average(self) -> Interval:
        """Look at the window between the marks.

        Raises:
            NoMark: there is none.
        """
        self.interval = self.window()
        return self.interval

    def interim(self) -> None:
        """Look again at the interval where it stands."""
        self.interval = self._stand

    # what a table may look at

    def _before(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals up to where it stands, or to a time, the last first."""
        if utc is None and self.present is not None and not self.moved:  # the head was not put there yet
            utc = self.utc
        return self.tape.past() if utc is None else self.tape.past(utc)

    @property
    def period(self) -> Period:
        """What has accumulated up to where it stands, from the begin or from as far before as it reaches."""
        return Period() if self._stand is None else self._count(self._stand)

    def _count(self, interval: Interval) -> Period:
        """Count what is not counted yet.

        What has accumulated cannot be taken apart again, so after a step back or a jump it is counted anew.
        """
        from zmon.tables.channel import count, estimated_reach  # noqa: PLC0415 - a lookup starts without it

        with self._lock:
            counted, before = self._counted, interval.before
            if counted is interval:
                return self._period
            if self.tape.live or (counted and before and counted.after.at == before.at):
                count(self._period, interval)
            else:
                self._period = Period()
                past, near = list(islice(self.tape.past(), REACH)), estimated_reach(interval)
                for place, each in reversed(list(enumerate(past))):
                    count(self._period, each, estimate=place < near)
            self._counted = interval
            return self._period

    def view(self, argument: str = "") -> View | None:
        """Return what a table may look at; None before the first sample."""
        if self.interval is None or self._stand is None:
            return None
        stand = self._stand
        return View(self.interval, lambda: self._count(stand), argument, self.history)
