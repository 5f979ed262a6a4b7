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

from zmon.base.plain_text import harmless
from zmon.base.record import NamedTuple
from zmon.kernel.mountinfo import parse_mountinfo
from zmon.kernel.tree import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
_NAME: Final = re.compile(r"[A-Za-z0-9_.+-]{1,80}")
_DISK: Final = re.compile(rf"/dev/(?:mapper/)?({_NAME.pattern})")


class OpenFile(NamedTuple):
    """A file that a process has open."""

    descriptor: str
    path: str
    """Harmless; empty where it may not be read."""
    number: str
    """`major:minor` of the block device below it; empty if it has none."""
    access: str
    """`read`, `write` or `both`; empty where that is not known."""


class DiskNumbers:
    """The numbers of block devices by name, as they are during one round: what was read is not read again."""

    def __init__(self, tree: Tree) -> None:
        """Read nothing yet."""
        self._tree = tree
        self._known: dict[str, str] = {}
        self._mapped: dict[str, str] | None = None
        """The directory of each device of device-mapper by the name that it was given."""

    def of(self, disk: str) -> str:
        """Return the number of a disk, a partition or a name of device-mapper; empty if it is none."""
        if disk not in self._known:
            self._known[disk] = self._read(disk) if _NAME.fullmatch(disk) else ""
        return self._known[disk]

    def _read(self, disk: str) -> str:
        with suppress(OSError):
            return text(self._tree, f"sys/class/block/{disk}/dev").strip()
        if self._mapped is None:
            self._mapped = dict(self._named())
        with suppress(OSError):
            if disk in self._mapped:
                return text(self._tree, f"sys/block/{self._mapped[disk]}/dev").strip()
        return ""

    def _named(self) -> Iterator[tuple[str, str]]:
        with suppress(OSError):
            for name in self._tree.entries("sys/block"):
                if name.startswith("dm-"):
                    with suppress(OSError):
                        yield text(self._tree, f"sys/block/{name}/dm/name").strip(), name


def open_files(tree: Tree, folder: str, disks: DiskNumbers) -> list[OpenFile]:
    """Return the open files of a process or task that have a device; of many the first `MAX_FILES`.

    `folder` is its directory, such as `proc/3108`.

    Raises:
        OSError: it has ended, or they may not be read.
    """
    names = tree.entries(f"{folder}/fd")[:MAX_FILES]
    mounts = mounted_devices(tree, folder, disks)
    files = (opened(tree, folder, name, mounts, disks) for name in names)
    return [file for file in files if file.number]


def opened(
    tree: Tree, folder: str, descriptor: str, mounts: Mapping[str, str], disks: DiskNumbers
) -> OpenFile:
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
        number = disks.of(os.path.basename(disk[1]))
    return OpenFile(descriptor, harmless(path, escaped=True)[:MAX_PATH], number, access)


def mounted_devices(tree: Tree, folder: str, disks: DiskNumbers) -> dict[str, str]:
    """Return the number of the device of each mount that a process sees, by its id; memory has none."""
    try:
        lines = parse_mountinfo(tree.read(f"{folder}/mountinfo"))
    except (OSError, ValueError):
        return {}
    devices = {}
    for mount in lines:
        if not mount.number.startswith("0:"):
            devices[mount.id] = mount.number
        elif mount.fstype == "btrfs":
            disk = _DISK.fullmatch(mount.source)
            number = disks.of(disk[1]) if disk else ""
            if number:
                devices[mount.id] = number
    return devices
