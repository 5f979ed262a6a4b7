"""/proc/PID/fd, fdinfo and mountinfo: the files that a process has open, and the devices below them.

An open file is not touched, because that may wait for a disk: /proc/PID/fd is read as a link, and the mount
that fdinfo names is looked up in mountinfo.  The number of a mount on btrfs is none of a block device, so
that of the device that was mounted is taken.  All of it needs the same user, or root.

Source: the kernel's Documentation/filesystems/proc.rst, fs/proc/fd.c.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from zmon.kernel.mountinfo import parse_mountinfo
from zmon.kernel.tree import text
from zmon.plain_text import harmless
from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.kernel.tree import Tree

MAX_FILES: Final = 128
"""Open files of a process that are looked at."""
MAX_PATH: Final = 200

READ: Final = "read"
WRITE: Final = "write"
BOTH: Final = "both"
_ACCESS: Final = (READ, WRITE, BOTH)
"""What a file is open for, by the last two bits of its flags."""

_MOUNT: Final = re.compile(r"^mnt_id:\s{1,8}([0-9]{1,10})$", re.MULTILINE)
_FLAGS: Final = re.compile(r"^flags:\s{1,8}([0-7]{1,22})$", re.MULTILINE)
_DISK: Final = re.compile(r"/dev/(?:mapper/)?([A-Za-z0-9_.+-]{1,80})")


class OpenFile(NamedTuple):
    """A file that a process has open."""

    descriptor: str
    path: str
    """Harmless; empty where it may not be read."""
    number: str
    """`major:minor` of the block device below it; empty if it has none."""
    access: str
    """`read`, `write` or `both`; empty where that is not known."""


def open_files(tree: Tree, folder: str) -> list[OpenFile]:
    """Return the open files of a process or task that have a device; of many the first `MAX_FILES`.

    `folder` is its directory, such as `proc/3108`.

    Raises:
        OSError: it has ended, or they may not be read.
    """
    names = tree.entries(f"{folder}/fd")[:MAX_FILES]
    mounts = mounted_devices(tree, folder)
    found = (opened(tree, folder, name, mounts) for name in names)
    return [file for file in found if file.number]


def opened(tree: Tree, folder: str, descriptor: str, mounts: Mapping[str, str]) -> OpenFile:
    """Return one open file; `mounts` are those that the process sees, see `mounted_devices`."""
    path = number = access = ""
    with suppress(OSError):
        path = tree.link(f"{folder}/fd/{descriptor}")
    disk = _DISK.fullmatch(path)
    if path.startswith("/"):  # else a pipe, a socket
        with suppress(OSError):
            said = text(tree, f"{folder}/fdinfo/{descriptor}")
            mount, flags = _MOUNT.search(said), _FLAGS.search(said)
            number = mounts.get(mount[1], "") if mount else ""
            access = dict(enumerate(_ACCESS)).get(int(flags[1], 8) & 3, "") if flags else ""
    if disk is not None:
        number = number_of(tree, os.path.basename(disk[1]))
    return OpenFile(descriptor, harmless(path, escaped=True)[:MAX_PATH], number, access)


def mounted_devices(tree: Tree, folder: str) -> dict[str, str]:
    """Return the number of the device of each mount that a process sees, by its id; memory has none."""
    try:
        lines = parse_mountinfo(tree.read(f"{folder}/mountinfo"))
    except (OSError, ValueError):
        return {}
    found = {}
    for one in lines:
        if not one.number.startswith("0:"):
            found[one.id] = one.number
        elif one.fstype == "btrfs":
            disk = _DISK.fullmatch(one.source)
            number = number_of(tree, disk[1]) if disk else ""
            if number:
                found[one.id] = number
    return found


def number_of(tree: Tree, disk: str) -> str:
    """Return the number of a disk, a partition or a name of device-mapper; empty if it is none."""
    if not disk or not re.fullmatch(r"[A-Za-z0-9_.+-]{1,80}", disk):
        return ""
    with suppress(OSError):
        return text(tree, f"sys/class/block/{disk}/dev").strip()
    with suppress(OSError):
        for name in tree.entries("sys/block"):
            if name.startswith("dm-") and text(tree, f"sys/block/{name}/dm/name").strip() == disk:
                return text(tree, f"sys/block/{name}/dev").strip()
    return ""
