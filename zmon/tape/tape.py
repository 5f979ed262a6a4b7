"""What every tape can do, and the view that a screen gets of it.

A tape stands at one sample.  Live is a tape whose next sample is taken now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from zmon.interval import Interval
from zmon.tables.channel import count
from zmon.tables.history import History
from zmon.tables.period import Period
from zmon.tables.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.event import Event
    from zmon.sample import Sample


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

    def past(self) -> Iterator[Interval]:
        """Yield intervals from the one that ends with the present sample backwards, not moving the tape."""


class Watch:
    """Follows a tape: the last two samples, and what has accumulated since the first.

    What has accumulated cannot be taken apart again, so after a step back it is counted anew, from the begin
    of the tape to where it then stands.
    """

    def __init__(self, tape: Tape) -> None:
        """Stand before the first sample of the tape."""
        self.tape = tape
        self.period = Period()
        self.history = History(tape.past)
        self.interval: Interval | None = None
        self._seen = 0

    def forward(self) -> Interval | None:
        """Go to the next sample; None, and stay, at the end of the tape."""
        after = self.tape.next()
        return None if after is None else self.take(after)

    def take(self, after: Sample) -> Interval:
        """Go on to a sample that the tape has handed out, perhaps to another thread."""
        before = self.interval.after if self.interval is not None else None
        self.interval = Interval(before, after)
        self._seen += 1
        count(self.period, self.interval)
        return self.interval

    def to_end(self) -> Interval | None:
        """Go to the last sample of a tape that has an end."""
        while self.forward() is not None:
            pass
        return self.interval

    def back(self) -> Interval | None:
        """Go back by one sample; None, and stay, where there is nothing before it, as always live."""
        if self.tape.live or self._seen < 2:
            return None
        place = self._seen - 1
        while self.tape.previous() is not None:
            pass
        self.period, self.interval, self._seen = Period(), None, 0
        while self._seen < place and self.forward() is not None:
            pass
        return self.interval

    def view(self, argument: str = "") -> View | None:
        """Return what a table may look at; None before the first sample."""
        if self.interval is None:
            return None
        return View(self.interval, self.period, argument, self.history)
