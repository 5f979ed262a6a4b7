"""A tree of kernel files: this machine's own, or one that was captured on another.

Readers take a `Tree` and paths relative to its root (`sys/devices/css0`), so that the same code
reads the running kernel, an unpacked capture and an archive in memory.  Nothing here follows a
link out of the root.
"""

from __future__ import annotations

import errno
import os
import time
from typing import Final, Protocol

NOT_CAPTURED: Final = "not in the capture"
"""What a captured tree says of a file that it does not hold: whether the kernel had it is not known."""

LIMIT: Final = 8 << 20
"""No kernel file that zmon reads is larger than this many bytes: /proc/diskstats of 30,000 disks."""

PAGE: Final = 4096
"""A sysfs attribute is at most this long."""


class Tree(Protocol):
    """A root directory, real or in memory."""

    live: bool
    """True when the files are those of the running kernel."""
    name: str
    """What a person calls it: `this machine`, or the path that was given."""

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Return the whole content of a file.

        `at_once` is the size of one read: some files give all they have in the first read only.

        Raises:
            OSError: as the kernel said it, or FileNotFoundError when it was not captured.
        """

    def entries(self, path: str) -> list[str]:
        """Return the names in a directory, sorted.

        Raises:
            OSError: it is not there or may not be listed.
        """

    def link(self, path: str) -> str:
        """Return the text of a symbolic link, unresolved.

        Raises:
            OSError: it is not there or is no link.
        """

    def when(self, path: str) -> int:
        """Return when `path` was read, in ns: now if live, else the file's own time.

        Raises:
            OSError: it is not there.
        """


def text(tree: Tree, path: str) -> str:
    """Read a file as text; bytes that are not UTF-8 come out as replacement characters."""
    return tree.read(path).decode("utf-8", "replace")


class LiveTree:
    """The running kernel's files, below a root that is normally `/`."""

    live = True

    def __init__(self, root: str = "/") -> None:
        """Read below `root`; nothing is opened yet."""
        self.root = root.rstrip("/") + "/"
        self.name = "this machine" if self.root == "/" else root

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Read a pseudo-file whole; see `Tree.read`."""
        fd = os.open(self.root + path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            data = os.read(fd, at_once)
            if len(data) < PAGE and path.startswith("sys/"):
                return data  # a sysfs attribute comes whole
            parts = [data]
            size = len(data)
            while data:
                data = os.read(fd, at_once)
                parts.append(data)
                size += len(data)
                if size > LIMIT:
                    raise OSError(errno.EFBIG, f"more than {LIMIT} bytes", path)
            return b"".join(parts)
        finally:
            os.close(fd)

    def entries(self, path: str) -> list[str]:
        """List a directory; see `Tree.entries`."""
        return sorted(os.listdir(self.root + path))

    def link(self, path: str) -> str:
        """Read a link; see `Tree.link`."""
        return os.readlink(self.root + path)

    def when(self, path: str) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the steady clock: what is read now was read now."""
        return time.monotonic_ns()
