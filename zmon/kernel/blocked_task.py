"""On which device a task waits that cannot be interrupted, and on which file.

The kernel does not report it.  Three things tell, the surest first:

* the system call that the task waits in and its first argument (/proc/PID/syscall): the open file that it
  reads, writes or syncs;
* the name of a task of the kernel, which names the disk that it works for: `jbd2/dasda1-8`;
* the files that the task has open: the devices below them are candidates, and an estimate.

How open files are read without touching them is in `process_files`.  All of it needs the same user, or root.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.record import NamedTuple
from zmon.kernel.proc_task import device_in_name, file_of_call
from zmon.kernel.process_files import mounted_devices, open_files, opened
from zmon.kernel.sysinfo import ARCHITECTURE
from zmon.kernel.tree import text
from zmon.values.wait_place import CALL, NAME, OPEN_FILES

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.process_files import DiskNumbers
    from zmon.kernel.tree import Tree

NOT_KNOWN: Final = absent("its system call and its open files do not tell, or need root")


class WaitsOn(NamedTuple):
    """What a task waits on."""

    devices: Value
    """Numbers of block devices, `94:0 253:3`: one, or candidates."""
    evidence: Value
    """Which of the three told."""
    file: Value


UNKNOWN: Final = WaitsOn(NOT_KNOWN, NOT_KNOWN, NOT_KNOWN)


def waits_on(tree: Tree, folder: str, name: str, disks: DiskNumbers, *, is_kernel: bool) -> WaitsOn:
    """Find out what a task waits on; `folder` is its directory, such as `proc/3108`."""
    told = told_wait(tree, folder, name, disks, is_kernel=is_kernel)
    if told is not UNKNOWN or is_kernel:
        return told
    with suppress(OSError):
        numbers = {file.number for file in open_files(tree, folder, disks)}
        return WaitsOn(" ".join(sorted(numbers)), OPEN_FILES, NOT_KNOWN) if numbers else UNKNOWN
    return UNKNOWN


def told_wait(tree: Tree, folder: str, name: str, disks: DiskNumbers, *, is_kernel: bool) -> WaitsOn:
    """Find out what a task waits on, where its system call or its name tells that for sure."""
    if is_kernel:  # others may call themselves anything
        told = device_in_name(name)
        number = told if ":" in told else disks.of(told)
        return WaitsOn(number, NAME, NOT_KNOWN) if number else UNKNOWN
    with suppress(OSError):
        descriptor = file_of_call(text(tree, f"{folder}/syscall"), _architecture(tree))
        if descriptor is not None:
            file = opened(tree, folder, str(descriptor), mounted_devices(tree, folder, disks), disks)
            if file.number:
                return WaitsOn(file.number, CALL, file.path or NOT_KNOWN)
    return UNKNOWN


def _architecture(tree: Tree) -> str:
    with suppress(OSError):
        return text(tree, ARCHITECTURE).strip()
    return os.uname().machine if tree.live else ""
