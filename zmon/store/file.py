"""The file of a recording, as one asks it: nothing in it is believed, and no answer is waited for for ever.

Where a page is damaged the answers that need it fail, and no others.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from zmon.store.file_format import Damaged
from zmon.store.opening import Trouble, open_reading, stamp

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

PATIENCE: Final = 2_000
"""Failures after which what is damaged is not searched for what is left."""

TICK: Final = 1_000_000
TICKS: Final = 200
"""Steps of SQLite, and how many times as many a question may take; that is some seconds."""


class File:
    """One file, open to be asked by any thread, one at a time (`guard`).

    Raises:
        RecordingError: it is not there, no recording, of a newer zmon, or damaged as a whole.
    """

    def __init__(self, path: str, shared: tuple[sqlite3.Connection, threading.RLock] | None) -> None:
        """Open it for reading, or ask through a connection that a writer `shared`."""
        self.path = path
        self._ticks = 0
        self._own = shared is None
        self.checks = True
        """Whether all rows have checksums, as those of format 1 have not."""
        if shared is None:
            self.guard = threading.RLock()
            self._open()
        else:
            self.connection, self.guard = shared

    def _open(self) -> None:
        """Open the file, or what was made of it since."""
        self._opened = open_reading(self.path)
        self.connection = self._opened.connection
        self.checks = self._opened.checks
        self.connection.set_progress_handler(self._tick, TICK)

    def renew(self) -> bool:
        """Open the file again if it was written to and the connection does not see that; tell whether so."""
        with self.guard:
            if not self._own or self._opened.stamp in {None, stamp(self.path)}:
                return False
            before = self._opened
            self._open()
            before.connection.close()
            before.done()
            return True

    def close(self) -> None:
        """Close it; a shared connection stays open."""
        with self.guard:
            if self._own:
                self.connection.close()
                self._opened.done()

    def ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask SQLite; a damaged page makes that answer fail, not others.

        Raises:
            Damaged: the file is damaged there.
        """
        try:
            with self.asking() as connection:
                return connection.execute(question, values).fetchall()
        except OverflowError as error:
            raise Damaged(f"{self.path}: {error}") from error

    @contextmanager
    def asking(self, ticks: int = TICKS) -> Iterator[sqlite3.Connection]:
        """Have the connection for a question, which may not take for ever."""
        with self.guard:
            self._ticks = ticks
            try:
                yield self.connection
            except Trouble as error:
                raise Damaged(f"{self.path}: {error}") from error

    def _tick(self) -> bool:
        """Tell SQLite whether to give up."""
        self._ticks -= 1
        return self._ticks < 0

    def pieces(self, question: str, low: int, high: int) -> Iterator[tuple[Any, ...]]:
        """Ask for what has numbers from `low` up to `high`; leave out what is damaged, and nothing else."""
        ranges = [(low, high)]
        failures = 0
        while ranges and failures < PATIENCE:
            low, high = ranges.pop()
            try:
                yield from self.ask(question, low, high)
            except Damaged:
                failures += 1
                middle = (low + high) // 2
                if high - low > 1:
                    ranges += [(middle, high), (low, middle)]
