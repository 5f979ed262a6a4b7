"""The head of a tape: it stands at a sample, reads, and says which interval was found.

A head does all that may take time, and so it may belong to a thread; whoever shows what was found has a
`Watch`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.event import What
from zmon.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.absent import Number
    from zmon.event import Event
    from zmon.sample import Sample
    from zmon.session.tape import Tape

BUCKETS: Final = 60
"""Into how many parts the load of a tape is divided, unless somebody says otherwise."""


class Course(NamedTuple):
    """What is on a tape at a glance: from when to when, what happened, and how busy the machine was."""

    begin: int
    end: int
    events: Sequence[Event] = ()
    load: Sequence[Number] = ()
    """For each of as many equal parts of the time; empty when the tape does not know."""


class Head:
    """Goes along a tape."""

    def __init__(self, tape: Tape, at: Sample | None = None) -> None:
        """Stand where the tape does; with `at` go first to that sample, which is on the tape."""
        self.tape = tape
        self._stand: Sample | None = None
        self._at = at

    def _settle(self) -> None:
        """Go to where somebody said that this head stands."""
        if self._at is not None:
            self._stand, self._at = self.tape.seek(self._at.at.utc), None

    def _here(self, stand: Sample) -> Interval:
        """Return the interval up to the sample where the tape now stands."""
        self._stand = stand
        return next(iter(self.tape.past()), None) or Interval(None, stand)

    def forward(self) -> Interval | None:
        """Go to the next sample; None, and stay, at the end."""
        self._settle()
        before, after = self._stand, self.tape.next()
        if after is None:
            return None
        self._stand = after
        return Interval(before, after)

    def back(self) -> Interval | None:
        """Go to the sample before; None, and stay, where there is none, as always live."""
        self._settle()
        if self.tape.live or self._stand is None:
            return None
        earlier = self.tape.previous()
        if earlier is None:
            self.tape.next()
            return None
        return self._here(earlier)

    def seek(self, utc: int) -> Interval | None:
        """Go to the last sample at a time or before, else to the first; None when there is none."""
        self._at = None
        found = self.tape.seek(utc)
        return None if found is None else self._here(found)

    def begin(self) -> Interval | None:
        """Go to the first sample."""
        span = self.tape.span()
        found = self.seek(span[0]) if span is not None else None
        while (earlier := self.back()) is not None:  # samples of one instant
            found = earlier
        return found

    def end(self) -> Interval | None:
        """Go to the last sample."""
        span = self.tape.span()
        return self.seek(span[1]) if span is not None else None

    def play(self, utc: int) -> Interval | None:
        """Go to where a tape that plays is at a time; None when that is where the head stands already.

        Forwards the interval begins with the sample where the head stood, so that nothing is left out, even
        if it passed over samples: then it is no gap.  Backwards only the interval before the sample is seen.
        """
        self._settle()
        before = self._stand
        found = self.tape.seek(utc)
        if found is None or (before is not None and found.at == before.at):
            return None
        here = self._here(found)
        skipped = here.before is None or before is None or here.before.at != before.at
        if before is None or before.at.utc > found.at.utc or not skipped:
            return here
        return Interval(before, found, skipped=True)

    def exception(self, way: int) -> tuple[Event, Interval] | None:
        """Go to the next exception (`way` 1) or to the one before (-1); None, and stay, if there is none.

        The head stands then at the first sample of which the exception tells.
        """
        self._settle()
        span = self.tape.span()
        if span is None or self._stand is None:
            return None
        at = self._stand.at.utc
        begin, end = (at, span[1]) if way > 0 else (span[0], at)
        exceptions = [event for event in self.tape.events(begin, end) if event.exception]
        for event in sorted(exceptions, key=_shows, reverse=way < 0):
            utc = _shows(event)
            found = self.tape.seek(utc)
            if found is not None and found.at.utc < utc:
                found = self.tape.next() or found  # between two samples: the later one shows it
            if found is not None and (found.at.utc - at) * way > 0:
                return event, self._here(found)
        self.tape.seek(at)
        return None

    def course(self, buckets: int = BUCKETS) -> Course | None:
        """Return what is on the tape at a glance; None when there is nothing, as always live."""
        span = self.tape.span()
        if span is None:
            return None
        return Course(*span, self.tape.events(*span), self.tape.load(*span, buckets))


def _shows(event: Event) -> int:
    """Return from when on samples show what happened: what is missing is seen behind it."""
    return event.end if event.what in {What.GAP, What.HOLE} else event.begin
