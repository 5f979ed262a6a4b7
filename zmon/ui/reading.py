"""Recordings are read and tables filled beside the glass, in a thread, so that no key waits for it.

The glass asks for a move along a tape; the thread goes it and hands out what it found; the glass looks at
that and gives back the table to be filled; the thread fills it and hands it out, too.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from zmon.session.page import Filling
from zmon.tables.view import NoSuchThing

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.session.head import Course, Head
    from zmon.session.traveller import Found, Move
    from zmon.tables.table import Table

SURVEY: Final = 1.0
"""Seconds after which the course of a growing tape is told again."""


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


class Reading(threading.Thread):
    """Goes moves and fills tables, one after the other, until it is stopped."""

    def __init__(self, tell: Callable[[Moved | Filled | Failed], object]) -> None:
        """Call `tell` from this thread with what was found."""
        super().__init__(name="reading", daemon=True)
        self._tell = tell
        self._asked: queue.SimpleQueue[Filling | Move | None] = queue.SimpleQueue()
        self._newest: Filling | None = None
        """The table that was asked for last: nobody waits for those before it any more."""
        self._surveyed: tuple[Head, tuple[int, int] | None, float] | None = None
        """Which tape the glass was told the course of, and when."""

    def fill(self, filling: Filling) -> None:
        """Have a table filled."""
        self._newest = filling
        self._asked.put(filling)

    def move(self, move: Move) -> None:
        """Have a move gone."""
        self._asked.put(move)

    def stop(self) -> None:
        """Let the thread end when it next can; nobody needs to wait for it."""
        self._asked.put(None)

    def run(self) -> None:
        """Do what is asked for; this is the thread itself."""
        while (asked := self._asked.get()) is not None:
            if not isinstance(asked, Filling) or asked is self._newest:
                self._work(asked)

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
