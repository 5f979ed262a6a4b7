"""A cursor: one position on a timeline, which it moves; and playback, the times of a cursor that plays.

A cursor does everything that may take time, so it may belong to another thread than what is shown.
"""

from __future__ import annotations

from zmon.base.clock import clock
from zmon.base.event import What
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.interval import Interval

if TYPE_CHECKING:
    from zmon.base.event import Event
    from zmon.session.timeline import Position, Span, Timeline


class Cursor:
    """One position on a timeline.  Its methods return the interval that ends there, or None and stay."""

    def __init__(self, timeline: Timeline, utc: int | None = None) -> None:
        """Begin before the first sample; or at the last sample at a time or before, else at the first."""
        self.timeline = timeline
        self._position: Position | None = None
        self._utc = utc

    @property
    def position(self) -> Position | None:
        """The position; None before the first sample."""
        if self._utc is not None:
            utc, self._utc = self._utc, None
            self.timeline.refresh()
            self._position = self.timeline.find(utc) or self.timeline.next()
        return self._position

    def _at(self, position: Position | None) -> Interval | None:
        """Go to a position."""
        if position is None:
            return None
        self._position, self._utc = position, None
        return next(self.timeline.intervals(position))

    def next(self) -> Interval | None:
        """Go to the next sample."""
        before = self.position
        after = self.timeline.next(before)
        if after is None:
            return None
        self._position = after
        return Interval(None if before is None else before.sample, after.sample)

    def previous(self) -> Interval | None:
        """Go to the sample before."""
        return None if self.position is None else self._at(self.timeline.previous(self.position))

    def seek(self, utc: int) -> Interval | None:
        """Go to the last sample at a time or before, else to the first."""
        self.timeline.refresh()
        return self._at(self.timeline.find(utc) or self.timeline.next())

    def begin(self) -> Interval | None:
        """Go to the first sample."""
        self.timeline.refresh()
        return self._at(self.timeline.next())

    def end(self) -> Interval | None:
        """Go to the last sample."""
        span = self.timeline.span()
        return None if span is None else self.seek(span[1])

    def play(self, utc: int) -> Interval | None:
        """Go to the sample of a time while playing; None if that is the present one.

        Forwards the interval begins with the present sample, so that nothing is left out, even if samples
        are passed over: then it is no gap.  Backwards it is the interval that ends with the sample.
        """
        self.timeline.refresh()
        before, position = self.position, self.timeline.find(utc) or self.timeline.next()
        if position is None or (before is not None and position.sample.at == before.sample.at):
            return None
        interval = self._at(position)
        if before is None or before.utc > position.utc or interval is None:
            return interval
        if interval.before is not None and interval.before.at == before.sample.at:
            return interval
        return Interval(before.sample, position.sample, skipped=True)

    def onset(self) -> str:
        """Return a sentence if a limit is exceeded from here on, which only the next interval shows."""
        present = self.position
        begun = () if present is None else self.timeline.events(present.utc, present.utc)
        if present is None or not any(e.begin == present.utc and _shown_since(e) > e.begin for e in begun):
            return ""
        after = self.timeline.next(present)
        if after is None:
            return ""
        return f"A limit is exceeded from here on; the interval that ends at {clock(after.utc)} shows it"

    def find_exception(self, way: int, *, judged_only: bool = False) -> tuple[Event, Interval] | None:
        """Go to the first sample that shows the next exception (`way` 1) or the one before (-1).

        Of all, for which samples are judged first and that may take long; or `judged_only`, of those by now.
        """
        span, present = self.timeline.span(), self.position
        if span is None or present is None:
            return None
        if self.timeline.log is not None and not judged_only:
            self.timeline.log.complete(span[1] if way > 0 else present.utc)
        begin, end = (present.utc, span[1]) if way > 0 else (span[0], present.utc)
        exceptions = [event for event in self.timeline.events(begin, end) if event.exception]
        for event in sorted(exceptions, key=_shown_since, reverse=way < 0):
            utc = _shown_since(event)
            position = self.timeline.find(utc) or self.timeline.next()
            if position is not None and position.utc < utc:
                position = (
                    self.timeline.next(position) or position
                )  # between two samples: the later one shows it
            interval = (
                self._at(position)
                if position is not None and (position.utc - present.utc) * way > 0
                else None
            )
            if interval is not None:
                return event, interval
        return None


def _shown_since(event: Event) -> int:
    """Return from when on samples show an event: what is missing is seen behind it.

    A limit is exceeded in the interval that begins with the event, which the sample after it shows.
    """
    if event.what in {What.GAP, What.HOLE}:
        return event.end
    return event.begin + (event.what is What.LIMIT and event.end > event.begin)


SPEEDS: Final = (1, 2, 5, 10, 30, 60, 120, 300, 600)
"""How many seconds of the timeline may pass in one second; backwards as well."""

LADDER: Final = (*(-speed for speed in reversed(SPEEDS)), *SPEEDS)


class Playback(NamedTuple):
    """Plays since `clock`, when the cursor was at `utc`; at speed 0 it pauses.  It reads no clock itself."""

    speed: int = 0
    clock: float = 0.0
    """By a steady clock, in seconds."""
    utc: int = 0
    """In ns since 1970."""

    @property
    def playing(self) -> bool:
        """Whether it does not pause."""
        return self.speed != 0

    def at(self, clock: float) -> int:
        """Return at which time the cursor has to be, if the timeline had no ends."""
        return self.utc + round((clock - self.clock) * self.speed * 1e9)

    def due(self, clock: float, span: Span) -> int:
        """Return at which time the cursor has to be; it stops at the ends of the timeline."""
        return max(span[0], min(self.at(clock), span[1]))

    def ended(self, clock: float, span: Span) -> bool:
        """Return whether it has come to the end of the timeline, or backwards to its begin."""
        at = self.at(clock)
        return (self.speed > 0 and at >= span[1]) or (self.speed < 0 and at <= span[0])

    def wait(self, clock: float, utc: int) -> float:
        """Return in how many seconds the cursor will have to be at `utc`; 0 when it is late."""
        return max(0.0, (utc - self.at(clock)) / 1e9 / self.speed) if self.speed else 0.0


PAUSED: Final = Playback()


def faster(speed: int) -> int:
    """Return the next speed forwards: from backwards by way of slowly back to slowly on."""
    return next((faster_speed for faster_speed in LADDER if faster_speed > speed), SPEEDS[-1])


def slower(speed: int) -> int:
    """Return the next speed backwards."""
    return next((slower_speed for slower_speed in reversed(LADDER) if slower_speed < speed), -SPEEDS[-1])


def parse_speed(text: str) -> int:
    """Read a speed: `10`, `x10`, `-x10`; nothing is 1.

    Raises:
        ValueError: it is none; says which there are.
    """
    said = text.strip().lower()
    digits = said.removeprefix("-").removeprefix("x")
    if not said:
        return 1
    if digits.isdecimal() and digits.isascii() and len(digits) < 9 and int(digits) in SPEEDS:
        return -int(digits) if said.startswith("-") else int(digits)
    speeds = ", ".join(str(speed) for speed in SPEEDS)
    raise ValueError(f"{text!r} is no speed; there are {speeds}, backwards with a minus")


def speed_words(speed: int) -> str:
    """Write a speed: `x10`, `-x10`, `paused`."""
    return f"{'-' if speed < 0 else ''}x{abs(speed)}" if speed else "paused"
