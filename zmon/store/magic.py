"""Telling a recording from other files, without opening it."""

from __future__ import annotations

import os
import stat
from typing import Final

from zmon.store.schema import MAGIC

_AT: Final = 68
"""Where a file of SQLite has its application id, four bytes, big-endian."""


def head_of(path: str, length: int) -> bytes:
    """Return the first bytes of a file; nothing of what is no file, such as a pipe, which is not waited for.

    Raises:
        OSError: it is not there or may not be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        return os.read(fd, length) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    finally:
        os.close(fd)


def is_recording(path: str) -> bool:
    """Tell from its first bytes whether a file is a recording of zmon, whatever its name is."""
    try:
        head = head_of(path, _AT + 4)
    except OSError:
        return False
    return head.startswith(b"SQLite format 3\0") and head[_AT:] == MAGIC.to_bytes(4, "big")


def is_source(path: str) -> bool:
    """Tell whether a file is a recording, or a directory holds day files of one."""
    if not os.path.isdir(path):
        return is_recording(path)
    from zmon.store.day import days  # noqa: PLC0415 - a file needs none of it

    try:
        return bool(days(path).days)
    except OSError:
        return False
