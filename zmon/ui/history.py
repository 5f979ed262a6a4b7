"""The commands given before, also in earlier runs: `$XDG_STATE_HOME/zmon/history`, a line for each."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from zmon.base import own_files

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST: Final = 500
"""Commands that are kept."""
LONGEST: Final = 500
"""Characters of a command that is kept."""
MOST_BYTES: Final = 4 * MOST * LONGEST
"""Bytes of the file that are read: the last ones."""


def history_file(environ: Mapping[str, str]) -> str:
    """Return the file of a user's commands, whether it exists or not."""
    return os.path.join(own_files.state(environ), "history")


class CommandHistory:
    """The commands given before, the last one last, and which of them was brought back."""

    def __init__(self, file: str = "") -> None:
        """Read the commands of earlier runs from a file; have none where it cannot be read."""
        self._file = file
        self._lines = _read(file) if file else []
        self._in_file = len(self._lines)
        """How many commands are in the file, as far as it was read."""
        del self._lines[:-MOST]
        self._place = len(self._lines)
        """Which command was brought back; behind the last one none was."""
        self._typed = ""
        """What was typed before an older command was brought back."""

    def add(self, line: str) -> None:
        """Remember a command, unless it is the last one again; none is brought back any more."""
        if self._lines[-1:] != [line]:
            self._lines.append(line)
            if self._file and len(line) <= LONGEST:
                with suppress(OSError):  # a disk that is full or cannot be written does not keep anybody
                    self._keep(line)
        self._place = len(self._lines)

    def older(self, typed: str, *, around: bool = False) -> str | None:
        """Return the command before the one brought back last; None at the first, or the last if `around`."""
        if self._place == len(self._lines):
            self._typed = typed
        if not self._place and (not around or not self._lines):
            return None
        self._place = (self._place or len(self._lines)) - 1
        return self._lines[self._place]

    def newer(self) -> str | None:
        """Return the command behind the one brought back last; behind the last what was typed; then None."""
        if self._place >= len(self._lines):
            return None
        self._place += 1
        return self._typed if self._place == len(self._lines) else self._lines[self._place]

    def _keep(self, line: str) -> None:
        """Write a command behind those in the file; of twice as many as are kept the last stay.

        Raises:
            OSError: that is not possible, or the file is no plain file.
        """
        os.makedirs(os.path.dirname(self._file), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = own_files.create(self._file, flags)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return
            os.fchmod(descriptor, own_files.PRIVATE)
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)
        self._in_file += 1
        if self._in_file <= 2 * MOST:
            return
        kept = _read(self._file)[-MOST:]  # other runs have added theirs
        fresh = f"{self._file}.{os.getpid()}"
        with open(own_files.create(fresh), "w", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in kept)
        os.replace(fresh, self._file)
        self._in_file = len(kept)


def _read(file: str) -> list[str]:
    """Return the commands of a file, the last ones of a long one; none where there is no such plain file."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as stream:
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode):
                return []
            stream.seek(max(state.st_size - MOST_BYTES, 0))
            content = stream.read(MOST_BYTES)
    except OSError:
        return []
    lines = [line.strip() for line in content.decode(errors="replace").split("\n")]
    return [line for line in lines if line and line.isprintable() and len(line) <= LONGEST]
