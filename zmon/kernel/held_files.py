"""Files of the kernel that are read again and again: they stay open, as far as they may.

To open a file by its path and to close it takes longer than to read it.  A file that is open is read from
its begin again: the kernel makes the text anew.  It also knows what it belongs to: once that is gone, reading
gives an error, even where something new has the same path.

Each open file that was read costs the kernel a page or more of memory, so there is a limit for all of them
together.

Source: the kernel's fs/seq_file.c, fs/kernfs/file.c.
"""

from __future__ import annotations

import errno
import os
import resource
from contextlib import suppress
from itertools import repeat
from operator import ge
from typing import TYPE_CHECKING, Final

from zmon.kernel.tree import MAX_FILE, LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.kernel.tree import Tree

MOST_HELD: Final = 6_144
"""Files that one reader holds open at the most."""
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_SIZE: Final = 4096
_BEGIN: Final = repeat(0)


class Allowance:
    """How many more files may be held open."""

    def __init__(self, most: int) -> None:
        """Allow so many, or half of what this process may open, if that is less.

        The limit of this process is raised as far as it may be and need be.
        """
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= soft < 2 * most:
            wanted = 2 * most if hard < 0 else min(2 * most, hard)
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
                soft = wanted
        self.left = most if soft < 0 else min(most, soft // 2)


class HeldFiles:
    """Some files of one directory, which are read together."""

    def __init__(
        self,
        tree: Tree,
        folder: str,
        names: Sequence[str],
        allowance: Allowance,
        may_lack: Callable[[str, OSError], bool],
    ) -> None:
        """Open nothing yet; `may_lack` tells whether an error means only that this file is not there."""
        self._tree = tree
        self._folder = folder
        self._names = names
        self._allowance = allowance
        self._may_lack = may_lack
        self.present: tuple[str, ...] = tuple(names)
        """The files that are there, as far as that is known."""
        self._open: dict[str, int] = {}
        self._files: list[int] = []
        """All that are present, if all of them are open; ..."""
        self._sizes: list[int] = []
        """... for each, more bytes than it had when it was read last."""

    def __del__(self) -> None:
        self.close()

    @property
    def is_held(self) -> bool:
        """Whether files are open, so that what they belong to is known to be still the same."""
        return bool(self._open)

    def close(self) -> None:
        """Close all files; they are opened again when they are read."""
        self._allowance.left += len(self._open)
        for file in self._open.values():
            with suppress(OSError):
                os.close(file)
        self._open, self._files, self._sizes = {}, [], []

    def look_again(self) -> None:
        """Look with the next reading for files that were not there."""
        if len(self.present) < len(self._names):
            self.present, self._files = tuple(self._names), []

    def read(self) -> list[bytes]:
        """Return the contents of the files that are `present` now, in this order.

        Raises:
            OSError: what they belong to is gone, one may not be read, or is too large.
        """
        if not self._files:
            return self._read_each()
        contents = list(map(os.pread, self._files, self._sizes, _BEGIN))
        if any(map(ge, map(len, contents), self._sizes)):
            for at, data in enumerate(contents):
                if len(data) >= self._sizes[at]:
                    contents[at], self._sizes[at] = whole(self._files[at], 4 * self._sizes[at])
        return contents

    def _read_each(self) -> list[bytes]:
        """Read each file by itself, and find out which are there."""
        contents: dict[str, bytes] = {}
        sizes: dict[str, int] = {}
        for name in self.present:
            try:
                contents[name], sizes[name] = self._read_one(name)
            except OSError as error:
                if name in self._open or not self._may_lack(name, error):
                    raise
        self.present = tuple(contents)
        if contents and self._open.keys() == contents.keys():
            self._files = [self._open[name] for name in contents]
            self._sizes = list(sizes.values())
        return list(contents.values())

    def _read_one(self, name: str) -> tuple[bytes, int]:
        """Return the content of a file, which stays open if it may, and a size that is enough for it."""
        path = f"{self._folder}/{name}"
        if not isinstance(self._tree, LiveTree):
            return self._tree.read(path), 0
        file = self._open.get(name)
        if file is not None:
            return whole(file, _SIZE)
        file = os.open(self._tree.root + path, _FLAGS)
        try:
            read = whole(file, _SIZE)
        except OSError:
            os.close(file)
            raise
        if self._allowance.left > 0:
            self._allowance.left -= 1
            self._open[name] = file
        else:
            os.close(file)
        return read


class HeldFile:
    """One small file below a directory that is open."""

    __slots__ = ("_allowance", "_file", "path")

    def __init__(self, path: str, allowance: Allowance) -> None:
        """Open nothing yet; `path` is that below the directory."""
        self.path = path
        self._allowance = allowance
        self._file = -1

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close it; it is opened again when it is read."""
        if self._file >= 0:
            with suppress(OSError):
                os.close(self._file)
            self._file = -1
            self._allowance.left += 1

    def read(self, folder: int) -> bytes:
        """Return the content, of whatever has the path now.

        Raises:
            OSError: nothing has it, or it may not be read.
        """
        if self._file >= 0:
            try:
                return os.pread(self._file, _SIZE, 0)
            except OSError:  # what it belonged to is gone
                self.close()
        file = os.open(self.path, _FLAGS, dir_fd=folder)
        try:
            data = os.pread(file, _SIZE, 0)
        except OSError:
            os.close(file)
            raise
        if self._allowance.left > 0:
            self._allowance.left -= 1
            self._file = file
        else:
            os.close(file)
        return data


def whole(file: int, size: int) -> tuple[bytes, int]:
    """Read an open file from its begin in one piece; return its content, and a size that is enough for it.

    Raises:
        OSError: what it belongs to is gone, or it is too large.
    """
    while True:
        data = os.pread(file, size, 0)
        if len(data) < size:
            return data, size
        size *= 4
        if size > MAX_FILE:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
