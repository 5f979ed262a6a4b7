"""Samples are taken beside the glass, in a thread, so that no key waits for the kernel or for a recording.

Live, the thread takes a sample at absolute deadlines and hands it out.  Along a recording it goes the moves
that the glass asks for, and hands out what it found.  The glass looks at that and gives back the table to be
filled; the thread fills it and hands it out, too.  So the watch belongs to the glass, and the head that goes
along the tape to the thread.

A read that never returns holds up the thread and nothing else: it is a daemon, which the end of the program
does not wait for.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from zmon.dialogue import Filling
from zmon.tables.view import NoSuchThing
from zmon.tape.live import NotKept

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.dialogue import Found, Move
    from zmon.sample import Sample
    from zmon.tables.table import Table
    from zmon.tape.head import Course, Head
    from zmon.tape.tape import Tape

FIRST_INTERVAL: Final = 1.0
"""The second sample comes after so many seconds at the latest: before it there are no rates to look at."""

SURVEY: Final = 1.0
"""Seconds after which the course of a growing tape is told again."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sample was taken."""

    sample: Sample


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was gone; `found` is None when there was nothing that way."""

    move: Move
    found: Found | None
    course: Course | None = None
    """What is on the tape at a glance, when that has changed."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A table was filled."""

    filling: Filling
    table: Table


@dataclass(frozen=True, slots=True)
class Failed:
    """Something went wrong, which is said; the next sample is taken all the same."""

    message: str
    about: Filling | Move | None = None
    """The table that could not be filled, or the move that could not be gone, if it is one."""


Event = Sampled | Moved | Filled | Failed


class _Ask(Enum):
    NOW = "take a sample now"
    LOOK = "look at the settings again"
    END = "end"


class Sampling(threading.Thread):
    """Takes a sample each `seconds`, and goes moves and fills tables in between, until it is stopped."""

    def __init__(self, tape: Tape, seconds: float, tell: Callable[[Event], object]) -> None:
        """Sample `tape`, if it is live; `tell` is called from this thread with each event."""
        super().__init__(name="sampling", daemon=True)
        self._tape = tape
        self._seconds = seconds
        self._tell = tell
        self._asked: queue.SimpleQueue[_Ask | Filling | Move] = queue.SimpleQueue()
        self._surveyed: tuple[Head, tuple[int, int] | None, float] | None = None
        """Which tape the glass was told the course of, and when."""
        self.held = False

    def now(self) -> None:
        """Have a sample taken now."""
        self._asked.put(_Ask.NOW)

    def hold(self, *, held: bool) -> None:
        """Take no more samples until further notice, or go on."""
        self.held = held
        self._asked.put(_Ask.LOOK if held else _Ask.NOW)

    def fill(self, filling: Filling) -> None:
        """Have a table filled."""
        self._asked.put(filling)

    def move(self, move: Move) -> None:
        """Have a move gone."""
        self._asked.put(move)

    def stop(self) -> None:
        """Let the thread end when it next can; nobody needs to wait for it."""
        self._asked.put(_Ask.END)

    def run(self) -> None:
        """Take samples; this is the thread itself."""
        begin = time.monotonic()
        if self._tape.live:
            self._sample()
        due = begin + min(FIRST_INTERVAL, self._seconds)
        while True:
            resting = self.held or not self._tape.live
            try:
                asked = self._asked.get(timeout=None if resting else max(0.0, due - time.monotonic()))
            except queue.Empty:
                self._sample()
                past = time.monotonic() - begin
                due = begin + (past // self._seconds + 1) * self._seconds
                continue
            if asked is _Ask.END:
                return
            if asked is _Ask.NOW:
                self._sample()
            elif not isinstance(asked, _Ask):
                self._work(asked)

    def _sample(self) -> None:
        try:
            sample = self._tape.next()
        except NotKept as error:
            self._tell(Sampled(error.sample))
            self._tell(Failed(f"Not recorded: {error}; it is tried with each sample"))
            return
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            self._tell(Failed(f"No sample: {said(error)}; the next one is tried in time"))
            return
        if sample is not None:
            self._tell(Sampled(sample))

    def _work(self, asked: Filling | Move) -> None:
        """Fill a table or go a move."""
        try:
            if isinstance(asked, Filling):
                self._tell(Filled(asked, asked.table()))
            else:
                self._tell(Moved(asked, asked.go(), self._survey(asked.watch.head)))
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            what = (
                f"{asked.page.screen.command} cannot be filled" if isinstance(asked, Filling) else "No sample"
            )
            self._tell(Failed(f"{what}: {said(error)}", asked))

    def _survey(self, head: Head) -> Course | None:
        """Return the course of a tape if the glass does not know it, or it has grown since a while ago."""
        span, now = head.tape.span(), time.monotonic()
        if self._surveyed is not None:
            known, before, when = self._surveyed
            if known is head and (span == before or now < when + SURVEY):
                return None
        self._surveyed = head, span, now
        return head.course()


def said(error: Exception) -> str:
    """Say what went wrong in one line: the words of errors meant for people, else also their kind."""
    words = " ".join(str(error).split())
    if isinstance(error, (OSError, ValueError, NoSuchThing)) and words:
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
