"""/proc/self/fdinfo: what the kernel says of an open file; zmon wants the id of its mount.

Lines `name:<tab>value`; `mnt_id` since Linux 3.15.  Kernel: fs/proc/fd.c; Documentation/filesystems/proc.rst.
"""

from __future__ import annotations

import os


def parse_mount_id(content: bytes) -> str:
    """Return the id of the mount through which the file was opened.

    Raises:
        ValueError: it is not there.
    """
    for line in content.split(b"\n"):
        name, _colon, value = line.partition(b":")
        if name == b"mnt_id" and value.strip().isdigit():
            return value.strip().decode("ascii")
    raise ValueError(f"no mnt_id in fdinfo: {content[:80]!r}")


def mount_id(descriptor: int) -> str:
    """Ask the live kernel through which mount a descriptor was opened; `O_PATH` is enough.

    Raises:
        OSError: /proc is not mounted.
        ValueError: the kernel is older than Linux 3.15.
    """
    with open(f"/proc/self/fdinfo/{descriptor}", "rb", buffering=0) as file:
        return parse_mount_id(file.read(4096))


def live_mount_id(path: str) -> str:
    """Ask the live kernel which mount a path is on, without opening what is there.

    Raises:
        OSError: as the kernel said it.
        ValueError: the kernel is older than Linux 3.15.
    """
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        return mount_id(descriptor)
    finally:
        os.close(descriptor)
