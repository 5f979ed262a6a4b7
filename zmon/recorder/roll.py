"""Appending samples to the day files, whatever happens to the disk.

When a sample cannot be written - no room, quota, read-only, an error of the disk - that is reported once, and
each further sample is tried until one can be written.  Samples that are missing are a gap.

When the file is removed, renamed or replaced while it is written, the day goes on in another one.  What was
not sealed yet of a file that was removed is written there again.
"""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

from zmon.store.day import BESIDE, day_file, day_of, days
from zmon.store.file_format import Damaged, RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.sample import Sample
    from zmon.store.day import DayFile

Trouble = (OSError, sqlite3.Error, RecordingError)
"""The errors of a file; any other is a mistake of zmon."""

MAX_FAILURES: Final = 60
"""Samples that cannot be written before the file is opened again."""


class Book(Protocol):
    """The writer of one file; see `zmon.store.writer.Writer`."""

    def append(self, sample: Sample) -> None:
        """Write a sample; it is safe when this returns."""

    def note(self, utc: int, text: str) -> None:
        """Write a note."""

    def problem(self) -> Exception | None:
        """Return the last error outside of `append`, once."""

    def gone(self) -> str:
        """Return what happened to the file, as the end of a sentence; empty while it is in its place."""

    def leave(self) -> Iterator[Sample]:
        """Finish a lost file; yield the samples that are not in a segment of it."""

    def close(self) -> None:
        """Write what is open and close the file; a second time does nothing."""


class _LostFile:
    """A file that was removed or changed by another program while it was written."""

    def __init__(self, book: Book, how: str) -> None:
        self.book = book
        self.how = how
        self.words = ""
        self.left: deque[Sample] | None = None
        """Samples that are not in another file yet; None: not read yet."""


class Roll:
    """Appends each sample to the file of its day."""

    def __init__(
        self,
        directory: str,
        open_book: Callable[[str], Book],
        say: Callable[[str], None],
        ready: Callable[[], object] = lambda: None,
    ) -> None:
        """Open nothing yet; `say` reports a line, `ready` prepares the directory before a file is opened."""
        self._directory = directory
        self._ready = ready
        self._open_book = open_book
        self._say = say
        self._book: Book | None = None
        self._lost_file: _LostFile | None = None
        """A lost file whose samples are not in another one yet."""
        self._turned = False
        """Whether the next sample begins a new file."""
        self._troubles: set[str] = set()
        """Reported reasons why nothing is recorded now."""
        self.file: DayFile | None = None
        """The file of the last sample."""
        self.appended = 0
        self.lost = 0
        """Samples that could not be written since the last success."""

    def append(self, sample: Sample) -> bool:
        """Write a sample to the file of its day; return whether that succeeded."""
        try:
            book = self._at(sample.at.utc)
            book.append(sample)
        except Trouble as error:
            self._fail(error)
            self.lost += 1
            if isinstance(error, RecordingError) and self._book is not None and unfit(error):
                self.turn()  # the file is damaged, and the day goes on in another
            elif self.lost % MAX_FAILURES == 0:
                self._shut()  # a file that is opened again may work
            return False
        self.appended += 1
        if self.lost:
            self._say(f"recording again; samples that are missing: {self.lost:,}")
        self._troubles.clear()
        self.lost = 0
        problem = book.problem()
        if problem is not None:
            self._say(f"{reason(problem)}; what was recorded is safe, and it is tried again")
        return True

    def note(self, utc: int, text: str) -> None:
        """Write a note, if possible."""
        try:
            self._at(utc).note(utc, text)
        except Trouble as error:
            self._fail(error)

    def due(self, utc: int) -> DayFile:
        """Return the last file of the day of a time, or its first one if there is none.

        Raises:
            OSError: the directory cannot be listed.
        """
        parts = [file for file in days(self._directory).days if file.day == day_of(utc)]
        return parts[-1] if parts else day_file(self._directory, utc)

    def open(self, utc: int) -> None:
        """Open the file of a time in advance."""
        try:
            self._at(utc)
        except Trouble as error:
            self._fail(error)

    def close(self) -> None:
        """Close the file; the next sample opens that of its day."""
        try:
            self._replace()
        except Trouble as error:
            self._say(f"{reason(error)}; what was not sealed is lost")
        if self._lost_file is not None:
            self._finish(self._lost_file.book)
            self._lost_file = None
        self._shut()

    def _shut(self) -> None:
        """Close the open file."""
        book, self._book = self._book, None
        if book is not None:
            self._finish(book)

    def _finish(self, book: Book) -> None:
        """Close a file, and report if it cannot be sealed."""
        try:
            book.close()
        except Trouble as error:  # what was appended is safe, and sealed when the file is opened again
            if not self.lost:
                self._say(f"{reason(error)}; what was recorded is safe")

    def turn(self) -> None:
        """Close the file; the rest of its day goes to a new one."""
        self.close()
        self._turned = True

    def _at(self, utc: int) -> Book:
        """Return the open file of a time."""
        self._replace()
        day = day_of(utc)
        if self.file is not None and self.file.day != day:
            self._shut()
        return self._opened(utc) if self._book is None else self._book

    def _opened(self, utc: int) -> Book:
        """Open the file of a time."""
        self._ready()
        self.file = self.due(utc)
        while self._turned and _is_taken(self.file.path):
            self.file = day_file(self._directory, utc, self.file.part + 1)
        self._book = self._open(self.file)
        self._turned = False
        return self._book

    def _replace(self) -> None:
        """If the file is lost, go on in another one of its day, with the samples that were not sealed."""
        if self._lost_file is None and self._book is not None and (how := self._book.gone()):
            self._lost_file, self._book, self._turned = _LostFile(self._book, how), None, True
        gone, file = self._lost_file, self.file
        if gone is None or file is None:
            return
        if gone.left is None:
            gone.left = deque(gone.book.leave())
            gone.words = f"{file.path} {gone.how} while it was written"
        book = self._opened(file.begin) if self._book is None else self._book
        count = len(gone.left)
        while gone.left:
            book.append(gone.left[0])
            gone.left.popleft()
        self._lost_file = None
        self._finish(gone.book)
        number = "sample" if count == 1 else f"{count:,} samples"
        with_it = f", with the last {number} of that file" if count else ""
        assert self.file is not None  # noqa: S101 - it is open
        self._say(f"{gone.words}; recording goes on in {self.file.path}{with_it}")

    def _open(self, file: DayFile) -> Book:
        """Open a file; if it cannot be continued, a new one of its day."""
        try:
            return self._open_book(file.path)
        except RecordingError as error:
            if not unfit(error):
                raise
            self.file = day_file(self._directory, file.begin, file.part + 1)
            book = self._open_book(self.file.path)
            self._say(f"{error}; the day goes on in {self.file.path}")
            return book

    def _fail(self, error: Exception) -> None:
        """Report an error, unless that was done already."""
        text = reason(error)
        if text not in self._troubles:
            self._say(f"{text}; nothing is recorded now, and every sample tries again")
        self._troubles.add(text)


def _is_taken(path: str) -> bool:
    """Return whether there is a file, or what SQLite left beside one."""
    return any(os.path.lexists(path + tail) for tail in ("", *BESIDE))


def unfit(error: RecordingError) -> bool:
    """Return whether the content of a file, and not the disk, prevents writing to it."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorname", "") in {"SQLITE_CORRUPT", "SQLITE_NOTADB"}
    return cause is None or isinstance(error, Damaged)


def reason(error: Exception) -> str:
    """Return what could not be written and why."""
    if isinstance(error, OSError):
        return f"{error.filename or 'the recording'}: {error.strerror or error}"
    return str(error)
