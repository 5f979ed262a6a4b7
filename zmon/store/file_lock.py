"""The exclusive right to write a recording (`FileLock`), and what other programs do to its file meanwhile."""

from __future__ import annotations

import errno
import fcntl
import os
import zlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from zmon.base import own_files
from zmon.store.day import BESIDE
from zmon.store.file_format import SQLITE_HEAD, RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPARED_BYTES: Final = 64 << 10
"""Bytes at the begin of the file by which its content is recognised."""

_locked: Final[set[tuple[int, int]]] = set()
"""Device and inode of the files that this process writes to."""


def _identity(about: os.stat_result) -> tuple[int, int]:
    return about.st_dev, about.st_ino


class FileLock:
    """The exclusive right to write a file, until `release`; makes the file, with a mode, if it is not there.

    Raises:
        RecordingError: another program has it, or the file cannot be opened or locked.
    """

    def __init__(self, path: str, mode: int = own_files.PRIVATE) -> None:
        """Take it before SQLite opens the file, and release it after SQLite has closed it.

        When a process closes any descriptor of a file it loses all of SQLite's own locks on it, and another
        process could remove the files beside it.
        """
        self.path = path
        busy = f"{path}: another zmon writes to it; stop that one, or record elsewhere"
        with suppress(OSError):
            if _identity(os.stat(path)) in _locked:
                raise RecordingError(busy)
        try:
            self._fd = own_files.create(path, os.O_RDWR | os.O_NONBLOCK, mode)
        except OSError as error:
            raise RecordingError(f"cannot be written: {error.strerror}", path) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
                raise RecordingError(busy) from error
            raise RecordingError(f"its file system has no locks: {error.strerror}", path) from error
        about = os.fstat(self._fd)
        self._file = _identity(about)
        self._size = about.st_size
        self._damage = ""
        self.is_overwritten = False
        """Whether the file holds what another program wrote, which may be a recording, too."""
        self._beside: dict[str, tuple[int, int]] = {}
        """Device and inode of the files that SQLite has open beside this one, by the ending of their
        names."""
        self._writes = 0
        """Odd while this process writes to the file itself."""
        self._content: tuple[int, int] | None = None
        """The content after the last such write."""
        _locked.add(self._file)

    def release(self) -> None:
        """Give it up; a second time does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            _locked.discard(self._file)
            self._fd = -1

    # what became of the file

    def gone(self) -> str:
        """Return what became of the file, as the end of a sentence; empty while it is in its place."""
        try:
            there = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return "was removed" if self.unlinked() else "was renamed"
        except OSError:  # not known now
            return ""
        if _identity(there) != self._file:
            return "was replaced by another file"
        return self.spoilt()

    def spoilt(self) -> str:
        """Return what another program did to the content of the file, like `gone`; once found it remains.

        SQLite makes a file in WAL mode smaller only in a checkpoint, after one that found no room for what it
        added; it never changes the file's first bytes.
        """
        with suppress(OSError):  # else it is not known now
            writes, size_before = self._writes, self._size
            size = os.fstat(self._fd).st_size
            head = os.pread(self._fd, len(SQLITE_HEAD), 0)
            if size < size_before and not writes % 2 and writes == self._writes:
                self._damage, self.is_overwritten = "was truncated by another program", False
            elif not self._damage and (head not in {b"", SQLITE_HEAD} or self._has_other_content()):
                self._damage, self.is_overwritten = "was overwritten by another program", True
            if writes == self._writes:
                self._size = max(size, self._size)
        return self._damage

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Expect the file itself to change: SQLite does that in a checkpoint only, and else in the `-wal`."""
        self.spoilt()  # what was done to it before
        self._writes += 1
        try:
            yield
        finally:
            with suppress(OSError):
                self._content = self._read_content()
                self._size = os.fstat(self._fd).st_size
            self._writes += 1

    def _read_content(self) -> tuple[int, int]:
        """Return the time of the last write to the file, and the checksum of its first pages."""
        return os.fstat(self._fd).st_mtime_ns, zlib.crc32(os.pread(self._fd, COMPARED_BYTES, 0))

    def _has_other_content(self) -> bool:
        """Return whether another program wrote to the file, such as `cp` with another recording."""
        writes, content_before = self._writes, self._content
        if content_before is None or writes % 2 or os.fstat(self._fd).st_mtime_ns == content_before[0]:
            return False
        content = self._read_content()
        if writes != self._writes or content[1] != content_before[1]:
            return writes == self._writes
        self._content = content  # only its time was changed
        return False

    def unlinked(self) -> bool:
        """Return whether the file has no name any more; it ends with the last process that has it open."""
        return os.fstat(self._fd).st_nlink == 0

    def is_lost(self) -> bool:
        """Return whether what is written to the file from now on is of no use."""
        return self.unlinked() or bool(self.spoilt())

    def place(self) -> str:
        """Return where the file is now, also if it was renamed; empty if that is not known."""
        with suppress(OSError):
            return os.readlink(f"/proc/self/fd/{self._fd}")
        return ""

    # the files beside it

    def note_beside(self) -> None:
        """Remember the files that SQLite has opened beside this one."""
        for tail in BESIDE if not self.gone() else ():
            with suppress(OSError):
                self._beside[tail] = _identity(os.lstat(self.path + tail))

    def remove_beside(self, place: str = "") -> None:
        """Remove the `-wal` and `-shm` of this file: SQLite would join them with another file of its name.

        If samples are left in the `-wal` of a file that was renamed, it is moved to the file's new `place`.
        """
        taken = os.path.lexists(self.path)
        for tail, own in self._beside.items():
            with suppress(OSError):
                about = os.lstat(self.path + tail)
                if _identity(about) != own:
                    continue  # it belongs to another writer
                if not place or not about.st_size or tail != "-wal":
                    os.unlink(self.path + tail)
                elif taken and not os.path.lexists(place + tail):
                    os.rename(self.path + tail, place + tail)
                elif not taken:
                    return  # whoever renamed the file may rename these, too

    def drop_journal(self) -> None:
        """Empty and remove the `-wal`, whose content is in another file by now.

        SQLite would write it to this file when it closes it.
        """
        with suppress(OSError):
            if _identity(os.lstat(self.path + "-wal")) == self._beside.get("-wal"):
                os.truncate(self.path + "-wal", 0)
        self.remove_beside()
