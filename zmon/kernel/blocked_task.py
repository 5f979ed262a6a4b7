"""On which device a task waits that cannot be interrupted, and on which file.

The kernel does not report it.  Three things tell, the surest first:

* the system call that the task waits in and its first argument (/proc/PID/syscall): the open file that it
  reads, writes or syncs;
* the name of a task of the kernel, which names the disk that it works for: `jbd2/dasda1-8`;
* the files that the task has open: the devices below them are candidates, and an estimate.

An open file is not touched, because that may wait, too: /proc/PID/fd is read as a link, and the mount that
fdinfo names is looked up in mountinfo.  All of it needs the same user, or root.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kernel.mountinfo import parse_mountinfo
from zmon.kernel.proc_task import device_in_name, file_of_call
from zmon.kernel.tree import text
from zmon.plain_text import harmless
from zmon.record import NamedTuple
from zmon.wait_place import CALL, NAME, OPEN_FILES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Value
    from zmon.kernel.tree import Tree

MAX_FILES: Final = 64
"""Open files of a task that are looked at."""
MAX_PATH: Final = 200

NOT_KNOWN: Final = absent("its system call and its open files do not tell, or need root")

_MOUNT: Final = re.compile(r"^mnt_id:\s+([0-9]{1,10})$", re.MULTILINE)
_DISK: Final = re.compile(r"/dev/(?:mapper/)?([A-Za-z0-9_.+-]{1,80})")


class WaitsOn(NamedTuple):
    """What a task waits on."""

    devices: Value
    """Numbers of block devices, `94:0 253:3`: one, or candidates."""
    evidence: Value
    """Which of the three told."""
    file: Value


UNKNOWN: Final = WaitsOn(NOT_KNOWN, NOT_KNOWN, NOT_KNOWN)


def waits_on(tree: Tree, folder: str, name: str, *, is_kernel: bool) -> WaitsOn:
    """Find out what a task waits on; `folder` is its directory, such as `proc/3108`."""
    if is_kernel:  # others may call themselves anything
        told = device_in_name(name)
        number = told if ":" in told else _number_of(tree, told)
        return WaitsOn(number, NAME, NOT_KNOWN) if number else UNKNOWN
    mounts = _mounts(tree, folder)
    with suppress(OSError):
        file = file_of_call(text(tree, f"{folder}/syscall"), _architecture(tree))
        if file is not None:
            number, path = _opened(tree, folder, str(file), mounts)
            if number:
                return WaitsOn(number, CALL, path)
    try:
        files = tree.entries(f"{folder}/fd")
    except OSError:
        return UNKNOWN
    found = {number for each in files[:MAX_FILES] if (number := _opened(tree, folder, each, mounts)[0])}
    return WaitsOn(" ".join(sorted(found)), OPEN_FILES, NOT_KNOWN) if found else UNKNOWN


def _opened(tree: Tree, folder: str, file: str, mounts: Mapping[str, str]) -> tuple[str, Value]:
    """Return the number of the device below an open file, empty if it has none, and its path."""
    try:
        path = tree.link(f"{folder}/fd/{file}")
    except OSError:
        return "", NOT_KNOWN
    shown = harmless(path, escaped=True)[:MAX_PATH]
    disk = _DISK.fullmatch(path)
    if disk is not None:
        return _number_of(tree, os.path.basename(disk[1])), shown
    if not path.startswith("/"):  # a pipe, a socket
        return "", shown
    with suppress(OSError):
        found = _MOUNT.search(text(tree, f"{folder}/fdinfo/{file}"))
        return mounts.get(found[1], "") if found else "", shown
    return "", shown


def _mounts(tree: Tree, folder: str) -> dict[str, str]:
    """Return the device of each mount that the task sees, by its id; those in memory have none."""
    try:
        lines = parse_mountinfo(tree.read(f"{folder}/mountinfo"))
    except (OSError, ValueError):
        return {}
    return {one.id: one.number for one in lines if not one.number.startswith("0:")}


def _number_of(tree: Tree, disk: str) -> str:
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


def _architecture(tree: Tree) -> str:
    with suppress(OSError):
        return text(tree, "proc/sys/kernel/arch").strip()
    return os.uname().machine if tree.live else ""
