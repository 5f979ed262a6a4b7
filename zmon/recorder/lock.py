"""One recorder for a directory, and its process.

The recorder holds a lock (flock) on the file `recorder.lock` as long as it lives; the kernel gives the lock
back when the process ends, however it ends, so a file that a dead recorder left behind is no obstacle.  The
file has the lines `pid`, `host` and `begin` of the recorder.  It is never unlinked, because two recorders
could then each lock one of the same name.

`running` tries a shared lock and gives it back at once; for that moment a recorder that starts waits.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from zmon.base import own_files
from zmon.base.clock import SECOND
from zmon.store.file_format import RecordingError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

NAME: Final = "recorder.lock"

SYSTEM: Final = "/var/lib/zmon"
"""Where the recorder of the machine records, started by release/zmon-record.service."""

LOCK_SECONDS: Final = 0.5
"""Seconds to wait for a lock that `running` may hold for a moment."""

MAX_BYTES: Final = 1024
"""Maximum size of a lock file."""

_HELD: Final = {errno.EWOULDBLOCK, errno.EACCES}
_NO_LOCKS: Final = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}


class LockError(RecordingError):
    """The directory cannot be recorded into; says why."""


class Recorder(NamedTuple):
    """A running recorder."""

    directory: str
    pid: int = 0
    """0: unknown."""
    host: str = ""
    begin: int = 0
    """UTC in ns; 0: unknown."""

    @property
    def words(self) -> str:
        """Process, host and begin, as a part of a sentence."""
        who = f"process {self.pid}" if self.pid else "another process"
        where = f" on {self.host}" if self.host else ""
        since = datetime.fromtimestamp(self.begin // SECOND, UTC) if self.begin else None
        return who + where + (f" since {since:%Y-%m-%d %H:%M:%S} UTC" if since else "")


class Lock:
    """The exclusive right to record into a directory, until `release`."""

    def __init__(self, directory: str, begin: int, seconds: float = LOCK_SECONDS) -> None:
        """Take the lock; `begin` is written into the file, UTC in ns.

        Raises:
            LockError: another recorder holds it, or the directory does not allow one.
        """
        self._directory = directory
        self._begin = begin
        self._seconds = seconds
        self.path = os.path.join(directory, NAME)
        self._lock()

    def hold(self) -> None:
        """Make sure that the lock is still held and that the directory exists; take both again if not.

        Raises:
            LockError: another recorder holds it by now, or the directory cannot be made again.
        """
        held = os.fstat(self._fd)
        with contextlib.suppress(OSError):
            there = os.stat(self.path, follow_symlinks=False)
            if (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino):
                return
        before = self._fd
        try:
            os.makedirs(self._directory, exist_ok=True)
        except OSError as error:
            raise LockError(f"{self._directory} cannot be recorded into: {error.strerror}") from error
        self._lock()
        with contextlib.suppress(OSError):
            os.ftruncate(before, 0)
        os.close(before)

    def _lock(self) -> None:
        """Open the file, lock it and write the process into it."""
        directory = self._directory
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise LockError(f"{directory} cannot be recorded into: {error.strerror}") from error
        try:
            self._take(fd, directory)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd
        self._write(f"pid {os.getpid()}\nhost {os.uname().nodename}\nbegin {self._begin}\n")

    def _take(self, fd: int, directory: str) -> None:
        last = time.monotonic() + self._seconds
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno in _NO_LOCKS:
                    raise LockError(
                        f"{directory}: this file system has no locks ({error.strerror}), and a recording "
                        "needs them; give a directory on a local disk"
                    ) from error
                if error.errno not in _HELD:
                    raise LockError(f"{self.path}: {error.strerror}") from error
                if time.monotonic() >= last:
                    other = _read(fd, directory)
                    raise LockError(
                        f"{directory} is being recorded into already, by {other.words}; "
                        "end that recorder or give another directory"
                    ) from error
                time.sleep(0.01)
            else:
                return

    def _write(self, content: str) -> None:
        # on a full disk the lock is held, too, but its process is not written
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, content.encode(), 0)

    def release(self) -> None:
        """Give the lock back; a second time does nothing."""
        if self._fd >= 0:
            self._write("")
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.release()


def running(directory: str) -> Recorder | None:
    """Return the recorder of a directory; None if no lock is held."""
    try:
        fd = os.open(os.path.join(directory, NAME), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return _read(fd, directory) if error.errno in _HELD else None
    else:
        return None
    finally:
        os.close(fd)


def own_directory(environment: Mapping[str, str]) -> str:
    """Return the default directory: systemd's state directory, else the user's (XDG)."""
    return environment.get("STATE_DIRECTORY", "").split(":")[0] or own_files.state(environment)


def mode_of_files(directory: str, environment: Mapping[str, str]) -> int:
    """Return the mode of recordings: in a state directory of systemd the group may read them, too."""
    directories = environment.get("STATE_DIRECTORY", "").split(":")
    return own_files.PRIVATE | stat.S_IRGRP if directory in directories else own_files.PRIVATE


def recorder_here(environment: Mapping[str, str], system: str = SYSTEM) -> Recorder | None:
    """Return the recorder of this machine: that of the system, else the user's own."""
    return running(system) or running(own_directory(environment))


def _read(fd: int, directory: str) -> Recorder:
    """Read the process that holds the lock; lines that are missing are unknown."""
    lines = os.pread(fd, MAX_BYTES, 0).decode("utf-8", "replace").splitlines()
    lines_by_name = dict(line.split(" ", 1) for line in lines if " " in line)
    pid, begin = (
        int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
        for text in (lines_by_name.get("pid", ""), lines_by_name.get("begin", ""))
    )
    host = "".join(c for c in lines_by_name.get("host", "") if c.isprintable())
    return Recorder(directory, pid, host, begin)
