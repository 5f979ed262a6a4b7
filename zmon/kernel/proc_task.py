"""/proc/PID/stat, schedstat, io, cgroup and syscall: what the kernel counts of one task.

A process has a directory /proc/PID, each of its tasks (threads) one in /proc/PID/task.  `stat` is one line:
the number, the name in parentheses, which may hold anything, blanks and parentheses too, and numbers; times
are in ticks of 10 ms.  Field 42, the time that the task waited for block I/O, is zero unless delay accounting
was on when the task began.  `stat` of a process adds up faults and times of all its tasks, but its state is
that of the first task; so is all of `schedstat`: ns on a CPU, ns waiting for one, time slices.

`io` counts bytes of reads that the process submitted, and bytes of pages that it made dirty: who writes them
later, and where, is not counted by process.  When it waits for a child that has ended, all that was counted
of the child is added, too; `stat` keeps the children's faults and times apart.  Only the same user, or root,
may read it.

Source: the kernel's Documentation/filesystems/proc.rst, fs/proc/array.c, fs/proc/base.c (do_io_accounting).
"""

from __future__ import annotations

import re

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.plain_text import harmless
from zmon.base.record import NamedTuple
from zmon.values.unit_name import is_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

TICK: Final = 10_000_000
"""ns of a clock tick in /proc: USER_HZ is 100 on every architecture that zmon runs on."""
KERNEL: Final = 0x0020_0000
"""Flag PF_KTHREAD: a task of the kernel itself."""
FIELDS: Final = 40
"""Fields behind the name that every kernel since 2.6.18 has: up to delayacct_blkio_ticks."""
MAX_NAME: Final = 64

_STATES: Final = frozenset("RSDTtZXxKWPI")
_SCHEDULED: Final = re.compile(rb"([0-9]{1,20}) ([0-9]{1,20}) ([0-9]{1,20})\n?")
_IO_LINE: Final = re.compile(rb"^(read_bytes|write_bytes): ([0-9]{1,20})$", re.MULTILINE)
_GROUP: Final = re.compile(rb"^0::(/.{0,4000})$", re.MULTILINE)
_SYSCALL: Final = re.compile(r"([0-9]{1,4}) 0x([0-9a-f]{1,16}) .{0,200}\n?")
_ON_FILE: Final = {
    "s390x": (3, 4, 118, 145, 146, 148, 180, 181, 328, 329, 376, 377),
    "x86_64": (0, 1, 17, 18, 19, 20, 74, 75, 277, 295, 296, 327, 328),
}
"""read, write, fsync, readv, writev, fdatasync, pread64, pwrite64, preadv, pwritev, preadv2, pwritev2,
sync_file_range: system calls on the file that their first argument names."""
_ON_BEHALF: Final = re.compile(
    r"(?:jbd2|xfs[a-z-]*|dmcrypt_write|kdmflush|btrfs-[a-z]+)/([a-z]+[a-z0-9-]*?)(?:-8)?$"
)
_FLUSH: Final = re.compile(r"kworker/.{0,12}flush-([0-9]{1,4}:[0-9]{1,7})")


class TaskStat(NamedTuple):
    """The line of one task."""

    number: int
    name: str
    """Harmless, and not longer than `MAX_NAME`."""
    state: str
    parent: int
    is_kernel: bool
    faults: int
    """Page faults that read nothing: every program has some, ..."""
    child_faults: int
    """... and those of children that it has waited for, which grow with each of them."""
    major_faults: int
    user: int
    """ns, as `system`."""
    system: int
    threads: int
    started: int
    """Ticks since boot."""
    io_wait: int
    """ns; see the module."""


def parse_stat(content: bytes) -> TaskStat:
    """Parse a line of stat.

    Raises:
        ValueError: it has another form.
    """
    begin, end = content.find(b"("), content.rfind(b")")
    fields = content[end + 2 :].split()
    state = fields[0].decode("ascii", "replace") if fields else ""
    number = content[: max(begin - 1, 0)]
    numbers = [fields[at] for at in (1, 6, 7, 8, 9, 11, 12, 17, 19, 39)] if len(fields) >= FIELDS else []
    if not 0 < begin < end or state not in _STATES or not all(map(bytes.isdigit, (number, *numbers))):
        raise ValueError(f"stat: expected 'PID (name) STATE ...', found {content[:80]!r}")
    if not numbers:
        raise ValueError(f"stat: expected {FIELDS} fields behind the name, found {len(fields)}")
    parent, flags, faults, child_faults, major, user, system, threads, started, waited = map(int, numbers)
    return TaskStat(
        int(number),
        harmless(content[begin + 1 : end].decode("utf-8", "replace"))[:MAX_NAME],
        state,
        parent,
        bool(flags & KERNEL),
        faults,
        child_faults,
        major,
        user * TICK,
        system * TICK,
        threads,
        started,
        waited * TICK,
    )


def parse_schedstat(content: bytes) -> tuple[int, int]:
    """Return the ns that a task was on a CPU, and those that it waited for one.

    Raises:
        ValueError: it has another form.
    """
    match = _SCHEDULED.fullmatch(content)
    if match is None:
        raise ValueError(f"schedstat: expected three numbers, found {content[:80]!r}")
    return int(match[1]), int(match[2])


def slices_of(schedstat: bytes) -> int:
    """Return how often a task has run on a CPU, by its schedstat; 0 where that was not read."""
    match = _SCHEDULED.fullmatch(schedstat)
    return int(match[3]) if match else 0


def parse_io(content: bytes) -> tuple[int, int]:
    """Return the bytes of reads that a process submitted, and of pages that it made dirty.

    Raises:
        ValueError: one of them is not there.
    """
    counts = dict(_IO_LINE.findall(content))
    if len(counts) != 2:
        raise ValueError(f"io: expected read_bytes and write_bytes, found {content[:80]!r}")
    return int(counts[b"read_bytes"]), int(counts[b"write_bytes"])


def parse_cgroup(content: bytes) -> str | None:
    """Return the path of the unit of a process, as `zmon.kernel.cgroup` names it; None without version 2.

    It is empty for a process in none: the kernel's own, and those in a slice.
    """
    match = _GROUP.search(content)
    return None if match is None else unit_of(match[1].decode("utf-8", "surrogateescape"))


def unit_of(group: str) -> str:
    """Return the path of the unit that a control group belongs to; empty if it belongs to none."""
    parts = group.split("/")[1:]
    for end, name in enumerate(parts, 1):
        if is_whole(name):
            return harmless("/" + "/".join(parts[:end]), escaped=True)
    return "" if not parts[-1] or parts[-1].endswith(".slice") else harmless(group, escaped=True)


def file_of_call(content: str, architecture: str) -> int | None:
    """Return the number of the open file that a task waits for in a system call; None for another call."""
    match = _SYSCALL.fullmatch(content)
    if match is None or int(match[1]) not in _ON_FILE.get(architecture, ()):
        return None
    number = int(match[2], 16)
    return number if number < 1 << 31 else None


def device_in_name(name: str) -> str:
    """Return the disk, or its number, that a task of the kernel works for: `jbd2/dasda1-8`; else empty."""
    match = _ON_BEHALF.fullmatch(name) or _FLUSH.match(name)
    return match[1] if match else ""


def numbers_of(names: Sequence[str]) -> list[str]:
    """Return the names in a directory of /proc that are numbers of tasks."""
    return [name for name in names if name.isascii() and name.isdigit() and len(name) < 8]
