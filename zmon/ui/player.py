"""The tape under the glass: it is played and held, and one that is being written is followed.

The deck says at which time the tape has to be; the dialogue goes there.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from zmon.session.command import CommandError
from zmon.session.deck import PAUSED, Deck, parse_speed, spoken
from zmon.session.when import LAST
from zmon.ui.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.session.dialogue import Dialogue
    from zmon.session.head import Course
    from zmon.session.traveller import Move
    from zmon.ui.line import Line

SOONEST, LATEST = 0.1, 1.0
"""A tape that plays is moved after so many seconds."""

WRITTEN: Final = 60_000_000_000
"""A recording whose last sample is younger, in ns, is waited for at its end."""


class Pace(Protocol):
    """Who takes the samples, as far as the glass asks for them."""

    held: bool

    def now(self) -> None:
        """Have a sample taken now."""

    def hold(self, *, held: bool) -> None:
        """Take no more samples until further notice, or go on."""


class Player:
    """What plays a tape, and holds it."""

    def __init__(
        self, dialogue: Dialogue, pace: Pace | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Pause; without `pace` nothing is sampled, and `clock` is what a tape plays by."""
        self.dialogue = dialogue
        self.pace = pace
        self.clock = clock
        self.deck = PAUSED
        self._line: tuple[object, Timeline] | None = None
        """The time line drawn last, and for what."""
        self._following = False
        """Whether it plays at the end of a recording that is being written."""

    @property
    def course(self) -> Course | None:
        """What is on the tape at a glance, as far as that is known."""
        return self.dialogue.watch.course

    @property
    def held(self) -> bool:
        """Whether the live screen stands still."""
        watch = self.dialogue.watch
        if watch.present is not None:
            return not watch.moved and not self.deck.playing
        return self.pace is not None and self.pace.held

    # the time line

    def timeline(self, width: int, *, plain: bool) -> Timeline | None:
        """Return the time line, where there is something to show."""
        watch, course = self.dialogue.watch, self.course
        menu = self.dialogue.page.screen.layout == "menu"  # it covers no interval, and needs the room
        if course is None or watch.tape.live or menu:
            return None
        word = "Average" if watch.averaging else spoken(self.deck.speed) if self.deck.playing else ""
        key = course, width, word, plain
        if self._line is None or self._line[0] != key:
            self._line = key, Timeline(course, width, word, plain=plain)
        return self._line[1]

    def drawn(self, timeline: Timeline) -> Line:
        """Draw where the tape stands, and its marks, into its time line."""
        watch = self.dialogue.watch
        return timeline.line(watch.utc, {name: sample.at.utc for name, sample in watch.marks.items()})

    # along the tape

    def survey(self) -> None:
        """Have the course of the tape told, if it has one and nothing is under way that will tell it."""
        watch = self.dialogue.watch
        if not watch.tape.live and not self.dialogue.underway:
            self.dialogue.move(lambda: None)

    def moved(self, move: Move) -> None:
        """Play on from where a move has led, if that is not where the tape would have played."""
        if self.deck.playing and (move.edge or self._following):
            self.deck = self.deck._replace(clock=self.clock(), utc=self.dialogue.watch.utc or 0)

    def tick(self) -> str:
        """Move the tape to where it has to be by now; return the command that is to be given at its end."""
        watch, course = self.dialogue.watch, self.course
        if not self.deck.playing or watch.utc is None:
            return ""
        now = self.clock()
        if course is None:
            self.survey()
        elif self._at_end(now):
            return self._follow(now)
        else:
            self._advance(self.deck.due(now, (course.begin, course.end)))
        return ""

    def _at_end(self, now: float) -> bool:
        """Tell whether the tape has played, and is seen, to its end; backwards to its begin."""
        utc, course = self.dialogue.watch.utc, self.course
        if utc is None or course is None or not self.deck.ended(now, (course.begin, course.end)):
            return False
        return utc >= course.end if self.deck.speed > 0 else utc <= course.begin

    def _advance(self, utc: int) -> None:
        self.dialogue.move(partial(self.dialogue.watch.head.play, utc))

    def _follow(self, now: float) -> str:
        """Do at an end what is to be done there: wait for new samples, return to the present, or stop."""
        watch, course = self.dialogue.watch, self.course
        if self.deck.speed > 0 and watch.present is not None:
            return "NOW"
        if self.deck.speed > 0 and course is not None and abs(time.time_ns() - course.end) < WRITTEN:
            self._following = True
            self.deck = self.deck._replace(clock=now, utc=watch.utc or 0)
            self._advance(LAST)
        else:
            self.dialogue.said = f"This is the {'end' if self.deck.speed > 0 else 'begin'} of the tape"
            self.stop()
        return ""

    def wait(self) -> float:
        """Return after how many seconds `tick` is worth while."""
        interval = self.dialogue.watch.interval
        if interval is None or interval.before is None:
            return SOONEST
        length = interval.after.at.utc - interval.before.at.utc
        following = interval.after.at.utc + (length if self.deck.speed > 0 else -length)
        return min(max(self.deck.wait(self.clock(), following), SOONEST), LATEST)

    # commands

    def play(self, words: str) -> None:
        """Play at a speed.

        Raises:
            CommandError: it is none, or there is no tape.
        """
        try:
            speed = parse_speed(words)
        except ValueError as error:
            raise CommandError(str(error)) from error
        utc = self.dialogue.rewind().utc
        if utc is None:
            raise CommandError("There is no sample yet")
        self._following = False
        self.deck = Deck(speed, self.clock(), utc)
        self.survey()

    def stop(self) -> None:
        """Let the tape stand still."""
        self.deck = PAUSED

    def pause(self) -> None:
        """Let the tape stand still, or the live screen."""
        if self.deck.playing:
            self.stop()
        elif self.dialogue.watch.tape.live and self.pace is not None and not self.pace.held:
            self._hold(self.pace)

    def _hold(self, pace: Pace) -> None:
        """Hold the live screen; if it is recorded, the machine is sampled all the same."""
        try:
            self.dialogue.rewind()
        except CommandError:
            pace.hold(held=True)
        self.survey()

    def to_present(self) -> None:
        """Return to the live machine, and let it go on.

        Raises:
            CommandError: it is no live machine that is looked at.
        """
        self.dialogue.to_present()
        self.stop()
        if self.pace is not None and self.pace.held:
            self.pace.hold(held=False)
