"""Samples are taken beside the glass, in a thread, so that no key waits for the kernel.

The thread takes a sample at absolute deadlines and hands it out; the glass counts it in and gives back the
table to be filled; the thread fills it and hands it out, too.  So the watch belongs to the glass alone.

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

from zmon.tables.view import NoSuchThing

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.dialogue import Filling
    from zmon.sample import Sample
    from zmon.tables.table import Table
    from zmon.tape.tape import Tape

FIRST_INTERVAL: Final = 1.0
"""The second sample comes after so many seconds at the latest: before it there are no rates to look at."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sample was taken."""

    sample: Sample


@dataclass(frozen=True, slots=True)
class Filled:
    """A table was filled."""

    filling: Filling
    table: Table


@dataclass(frozen=True, slots=True)
class Failed:
    """Something went wrong, which is said; the next sample is taken all the same."""

    message: str
    filling: Filling | None = None
    """The table that could not be filled, if it is one."""


Event = Sampled | Filled | Failed


class _Ask(Enum):
    NOW = "take a sample now"
    LOOK = "look at the settings again"
    END = "end"


class Sampling(threading.Thread):
    """Takes a sample each `seconds`, until it is stopped."""

    def __init__(self, tape: Tape, seconds: float, tell: Callable[[Event], object]) -> None:
        """Sample `tape`; `tell` is called from this thread with each event."""
        super().__init__(name="sampling", daemon=True)
        self._tape = tape
        self._seconds = seconds
        self._tell = tell
        self._asked: queue.SimpleQueue[_Ask | Filling] = queue.SimpleQueue()
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

    def stop(self) -> None:
        """Let the thread end when it next can; nobody needs to wait for it."""
        self._asked.put(_Ask.END)

    def run(self) -> None:
        """Take samples; this is the thread itself."""
        begin = time.monotonic()
        self._sample()
        due = begin + min(FIRST_INTERVAL, self._seconds)
        while True:
            try:
                asked = self._asked.get(timeout=None if self.held else max(0.0, due - time.monotonic()))
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
                self._fill(asked)

    def _sample(self) -> None:
        try:
            sample = self._tape.next()
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            self._tell(Failed(f"No sample: {said(error)}; the next one is tried in time"))
            return
        if sample is not None:
            self._tell(Sampled(sample))

    def _fill(self, filling: Filling) -> None:
        try:
            table = filling.table()
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            self._tell(Failed(f"{filling.page.screen.command} cannot be filled: {said(error)}", filling))
            return
        self._tell(Filled(filling, table))


def said(error: Exception) -> str:
    """Say what went wrong in one line: the words of errors meant for people, else also their kind."""
    words = " ".join(str(error).split())
    if isinstance(error, (OSError, ValueError, NoSuchThing)) and words:
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
