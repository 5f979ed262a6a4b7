"""Playback on the glass: a timeline is played and held, and one that is being written is followed.

The playback says at which time the cursor has to be; the session moves it there.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from zmon.base.clock import END_OF_TIME
from zmon.session.cursor import PAUSED, Playback, parse_speed, speed_words
from zmon.session.navigator import CommandError
from zmon.tables.filled import needs
from zmon.ui.timeline_bar import TimelineBar

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.session.navigator import CursorMove
    from zmon.session.session import Session
    from zmon.ui.line import Line

SOONEST, LATEST = 0.1, 1.0
"""Seconds between two moves of a cursor that plays."""

WRITTEN: Final = 60_000_000_000
"""A recording whose last sample is younger, in ns, is waited for at its end."""


class SamplingControl(Protocol):
    """Who takes the samples, as far as the glass asks for them."""

    held: bool

    def now(self) -> None:
        """Have a sample taken now."""

    def hold(self, *, held: bool) -> None:
        """Take no more samples until further notice, or go on."""


class PlaybackControl:
    """Plays the timeline of a session, and holds it."""

    def __init__(
        self,
        session: Session,
        sampler: SamplingControl | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Pause; without `sampler` nothing is sampled, and `clock` is what is played by."""
        self.session = session
        self.sampler = sampler
        self.clock = clock
        self.state = PAUSED
        self._strip: tuple[object, TimelineBar] | None = None
        """The time line drawn last, and for what."""
        self._following = False
        """Whether it waits at the end of a recording that is being written."""

    @property
    def held(self) -> bool:
        """Whether the live screen is held."""
        session = self.session
        if session.timeline.live and not session.live:
            return not session.moved and not self.state.playing
        return self.sampler is not None and self.sampler.held

    # the time line

    def timeline(self, width: int, *, plain: bool) -> TimelineBar | None:
        """Return the time line, where there is something to show."""
        session, overview = self.session, self.session.overview
        menu = session.page.screen.layout == "menu"  # it covers no interval, and needs the room
        if overview is None or session.live or menu:
            return None
        speed = self.state.speed
        averaging = session.averaging and not needs(session.page.screen.table).history
        word = "Average" if averaging else speed_words(speed) if speed else ""
        key = overview, width, word, plain
        if self._strip is None or self._strip[0] != key:
            self._strip = key, TimelineBar(overview, width, word, plain=plain)
        return self._strip[1]

    def drawn(self, timeline: TimelineBar) -> Line:
        """Draw the cursor and the marks into the time line."""
        marks = {name: sample.at.utc for name, sample in self.session.marks.items()}
        return timeline.line(self.session.utc, marks)

    # along the timeline

    def survey(self) -> None:
        """Have the overview read, unless a move is under way that will bring it."""
        if not self.session.live and not self.session.underway:
            self.session.move(lambda: None)

    def moved(self, move: CursorMove) -> None:
        """Play on from where a move has led, if that is not where playback would have led."""
        if self.state.playing and (move.edge or self._following):
            self.state = self.state._replace(clock=self.clock(), utc=self.session.utc or 0)

    def tick(self) -> str:
        """Move the cursor to where it has to be by now; return the command to be given at the end."""
        session, overview = self.session, self.session.overview
        if not self.state.playing or session.utc is None:
            return ""
        now, forwards = self.clock(), self.state.speed > 0
        if overview is None:
            self.survey()
            return ""
        span = overview.begin, overview.end
        seen = session.utc >= span[1] if forwards else session.utc <= span[0]
        if not (seen and self.state.ended(now, span)):
            self._advance(self.state.due(now, span))
        elif forwards and session.timeline.live:
            return "NOW"
        elif forwards and abs(time.time_ns() - span[1]) < WRITTEN:
            self._following = True
            self.state = self.state._replace(clock=now, utc=session.utc)
            self._advance(END_OF_TIME)
        else:
            session.message = f"This is the {'last' if forwards else 'first'} sample"
            self.stop()
        return ""

    def _advance(self, utc: int) -> None:
        self.session.move(partial(self.session.cursor.play, utc))

    def wait(self) -> float:
        """Return after how many seconds `tick` is worth while."""
        interval = self.session.interval
        if interval is None or interval.before is None:
            return SOONEST
        length = interval.after.at.utc - interval.before.at.utc
        following = interval.after.at.utc + (length if self.state.speed > 0 else -length)
        return min(max(self.state.wait(self.clock(), following), SOONEST), LATEST)

    # commands

    def play(self, text: str) -> None:
        """Play at a speed.

        Raises:
            CommandError: it is none, or there is no past to play.
        """
        try:
            speed = parse_speed(text)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.session.leave_present()
        if self.session.utc is None:
            raise CommandError("There is no sample yet")
        self._following = False
        self.state = Playback(speed, self.clock(), self.session.utc)
        self.survey()

    def stop(self) -> None:
        """Pause."""
        self.state = PAUSED

    def pause(self) -> None:
        """Pause, or hold the live screen."""
        if self.state.playing:
            self.stop()
        elif self.session.live and self.sampler is not None and not self.sampler.held:
            try:
                self.session.leave_present()  # if it is recorded, the machine is sampled all the same
            except CommandError:
                self.sampler.hold(held=True)
            self.survey()

    def to_present(self) -> None:
        """Return to the live machine, and let it go on.

        Raises:
            CommandError: the timeline is not live.
        """
        self.session.to_present()
        self.stop()
        if self.sampler is not None and self.sampler.held:
            self.sampler.hold(held=False)
