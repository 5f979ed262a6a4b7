"""A file system that never answers: FUSE without a server.  It needs root, and is skipped without."""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LAZILY = 2
"""MNT_DETACH."""


@contextmanager
def dead_mount(folder: Path) -> Iterator[str]:
    """Mount a file system whose server reads no request; when it ends, whoever waits is set free."""
    libc = ctypes.CDLL(None, use_errno=True)
    point = folder / "dead"
    point.mkdir()
    try:
        server = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        pytest.skip(f"needs /dev/fuse: {error.strerror}")
    try:
        options = f"fd={server},rootmode=40000,user_id=0,group_id=0".encode()
        if libc.mount(b"dead", os.fsencode(point), b"fuse", 0, options):
            pytest.skip(f"needs root to mount: {os.strerror(ctypes.get_errno())}")
        try:
            yield str(point)
        finally:
            libc.umount2(os.fsencode(point), LAZILY)
    finally:
        os.close(server)
