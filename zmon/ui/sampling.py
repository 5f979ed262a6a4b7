"""Samples are taken beside the glass, in a thread, so that no key waits for the kernel.

The thread takes a sample at absolute deadlines and hands it out; the glass looks at it and has its table
filled by another thread.  So the watch belongs to the glass alone, and the head that goes along a tape to
that other thread; and neither a long look back nor a kernel file that hangs holds up the other.

A read that never returns holds up its thread and nothing else: it is a daemon, which the end of the program
does not wait for.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from zmon.session.live import NotKept
from zmon.ui.reading import Failed, Filled, Moved, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Sample
    from zmon.session.tape import Tape

FIRST_INTERVAL: Final = 1.0
"""The second sample comes after so many seconds at the latest: before it there are no rates to look at."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sample was taken."""

    sample: Sample


Event = Sampled | Moved | Filled | Failed


class _Ask(Enum):
    NOW = "take a sample now"
    LOOK = "look at the settings again"
    END = "end"


class Sampling(threading.Thread):
    """Takes a sample each `seconds`, until it is stopped."""

    def __init__(self, tape: Tape, seconds: float, tell: Callable[[Event], object]) -> None:
        """Sample `tape`, which is live; `tell` is called from this thread with each event."""
        super().__init__(name="sampling", daemon=True)
        self._tape = tape
        self._seconds = seconds
        self._tell = tell
        self._asked: queue.SimpleQueue[_Ask] = queue.SimpleQueue()
        self.held = False

    def now(self) -> None:
        """Have a sample taken now."""
        self._asked.put(_Ask.NOW)

    def hold(self, *, held: bool) -> None:
        """Take no more samples until further notice, or go on."""
        self.held = held
        self._asked.put(_Ask.LOOK if held else _Ask.NOW)

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
