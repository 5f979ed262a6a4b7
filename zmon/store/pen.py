"""One writer for a file, in all processes of this machine."""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from typing import Final

from zmon.store.file_format import RecordingError

HEAD: Final = b"SQLite format 3\0"
"""The first bytes of a file of SQLite."""

_written: Final[set[tuple[int, int]]] = set()
"""Device and inode of the files that this process writes to."""


class Pen:
    """The right to write to a file, from when it is made to `release`; makes the file if it is not there.

    Raises:
        RecordingError: another one has it, or it cannot be had.
    """

    def __init__(self, path: str) -> None:
        """Take it before SQLite opens the file, and give it back after SQLite has closed it.

        When a process closes any descriptor of a file it loses all of SQLite's own locks on it, and another
        process could take away what is beside the file.
        """
        self.path = path
        busy = f"{path}: another zmon writes to it; stop that one, or record elsewhere"
        try:
            about = os.stat(path)
        except OSError:
            pass
        else:
            if (about.st_dev, about.st_ino) in _written:
                raise RecordingError(busy)
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
        except OSError as error:
            raise RecordingError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
                raise RecordingError(busy) from error
            raise RecordingError(f"{path}: its file system has no locks: {error.strerror}") from error
        about = os.fstat(self._fd)
        self._file = (about.st_dev, about.st_ino)
        self._size = about.st_size
        self._spoilt = ""
        _written.add(self._file)

    def gone(self) -> str:
        """Return what became of the file, as the end of a sentence; empty while it is in its place."""
        try:
            there = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return "was removed" if self.unlinked() else "was renamed"
        except OSError:  # that cannot be told now
            return ""
        if (there.st_dev, there.st_ino) != self._file:
            return "was replaced by another file"
        return self.spoilt()

    def spoilt(self) -> str:
        """Return what another program did to the file in its place, like `gone`; once found it remains.

        SQLite never makes a file in WAL mode smaller, and never changes its first bytes.
        """
        try:
            size = os.fstat(self._fd).st_size
            head = os.pread(self._fd, len(HEAD), 0)
        except OSError:  # that cannot be told now
            return self._spoilt
        if size < self._size:
            self._spoilt = "was truncated by another program"
        elif head not in {b"", HEAD} and not self._spoilt:
            self._spoilt = "was overwritten by another program"
        self._size = max(size, self._size)
        return self._spoilt

    def unlinked(self) -> bool:
        """Tell whether the file has no name any more, so that it ends with whoever has it open."""
        return os.fstat(self._fd).st_nlink == 0

    def place(self) -> str:
        """Return where the file is now, also if it was renamed; empty if that cannot be told."""
        with suppress(OSError):
            return os.readlink(f"/proc/self/fd/{self._fd}")
        return ""

    def release(self) -> None:
        """Give it back; a second time does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            _written.discard(self._file)
            self._fd = -1
