"""s390_hypfs: what the hypervisor does for partitions and guests, in debugfs and as a tree of text files.

/sys/kernel/debug/s390_hypfs/diag_2fc has what CP does for z/VM guests: mode 0400, in a z/VM guest only.  The
answer of diagnose X'2FC' behind a packed header of 64 bytes (arch/s390/hypfs/hypfs_vm.c): length, version, 16
bytes of clock, the count of guests; then a big-endian record of 112 bytes for each.  With privilege class B
all guests that are logged on, otherwise our own alone.

Times are 64-bit microseconds since logon and memory is in KiB; the state samples are 32-bit counters
that wrap.  `online_time` (elapsed time) does not change when an older answer was handed out again: a
difference of 0 means "not refreshed".

For a guest with an absolute share CP gives 0 where the relative share would be, and then it does not
count the operating CPUs either: those are absent here, and `virtual_cpus` is the best substitute.

/sys/kernel/debug/s390_hypfs/diag_0c has how long CP ran each CPU of the own guest, and worked for it: mode
0400, in a z/VM guest only.  The answers of diagnose X'0C' behind a header of 64 bytes
(arch/s390/hypfs/hypfs_diag0c.c, arch/s390/include/uapi/asm/hypfs.h): length, version, 16 bytes of clock, the
count of CPUs on line; then a big-endian record of 40 bytes for each: date and time in EBCDIC, virtual time,
total time (virtual and of CP's simulation), both in microseconds, and the number of the CPU.  The kernel
issues the diagnose on each CPU.

/sys/hypervisor/s390 is the older, textual view of partitions or of z/VM guests.  One value per file (mode
0440), in two forms (arch/s390/hypfs/hypfs_diag.c and hypfs_vm.c; deprecated and off by default in current
kernels).  On an LPAR `systems/<partition>/cpus/<n>/` has `cputime`, `mgmtime`, `onlinetime` and `type`, and
`cpus/<n>/` has `mgmtime` and `type` of the physical CPUs if the partition may see them; in a z/VM guest
`systems/<guest>/` has what diagnose X'2FC' returns.  Times are 64-bit microseconds.  Weights, caps and the
partition's own place are not there: see `zmon.kernel.diag204`, which is the better source.

**The tree is a snapshot** of the time when it was mounted or when `update` was last written.  zmon never
writes there.  Without an update between two samples no counter changes: an unchanged `online_time` means "not
refreshed", not "idle".  There is no clock of the hypervisor beside the
values, so the physical CPUs, which have no online time, are only as fresh as the partitions' are.

A refresh takes the tree down and builds it anew; a value that vanishes meanwhile is absent.

`read_partitions` takes the best source that answers: debugfs (diag 204 in an LPAR, diag 2fc in a z/VM guest)
has weights and caps and is always fresh; the text tree has neither.  Diag 0c has no other form.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent
from zmon.kernel import diag204
from zmon.kernel.diag204 import NO_AUTHORITY, no_partitions, read_diag204
from zmon.kernel.sysinfo import NEEDS_LPAR
from zmon.kernel.tree import ebcdic_name, names_in, read_value, refused, text, word_parser
from zmon.kinds import GUEST, LPAR, LPAR_CPU, PHYSICAL_CPU, VIRTUAL_CPU
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zmon.base.absent import Number, Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


DIAG_2FC: Final = "sys/kernel/debug/s390_hypfs/diag_2fc"

NEEDS_ZVM: Final = "needs a z/VM guest"
NEEDS_DEBUGFS: Final = f"{NEEDS_ZVM}, and debugfs mounted"
NOT_RELATIVE: Final = absent("the guest's share is not a relative one")
NOT_COUNTED: Final = absent("not counted: the guest's share is not a relative one")

Rows = dict[str, "Mapping[str, Value]"]

_COUNT: Final = struct.Struct(">Q")
_COUNT_AT: Final = 26
_RECORD: Final = struct.Struct(">4xI6Q6I6I8s")
_CAPPING: Final = 0x6
_DEDICATED: Final = 0x8


def shares(operating: Number, highest: Number, now: Number) -> dict[str, Number]:
    """Return the fields that CP sets to 0 for a guest whose share is not relative."""
    return {
        "operating_cpus": NOT_COUNTED if highest == 0 else operating,
        "share_max": NOT_RELATIVE if highest == 0 else highest,
        "share": NOT_RELATIVE if now == 0 else now,
    }


def parse_diag2fc(data: bytes, when: int = 0) -> Frame:
    """Parse the whole file into a frame of the kind GUEST.

    Raises:
        ValueError: the answer is shorter than the number of its guests requires.
    """
    records = _records(data, "diag_2fc", "guests", _COUNT_AT, _RECORD)
    return frame_of(GUEST, dict(map(_guest, records)), when)


def _records(
    data: bytes, name: str, things: str, count_at: int, record: struct.Struct
) -> Iterator[tuple[Any, ...]]:
    """Yield the records of an answer, whose number is at an offset of the file.

    Raises:
        ValueError: the answer is shorter than that number requires.
    """
    answer = diag204.hypfs_payload(data, name)
    (count,) = _COUNT.unpack_from(data, count_at)
    if count * record.size > len(answer):
        raise ValueError(
            f"{name}: expected {count} {things} of {record.size} bytes, found {len(answer)} bytes"
        )
    yield from (record.unpack_from(answer, number * record.size) for number in range(count))


def _guest(record: tuple[Any, ...]) -> tuple[str, Mapping[str, Value]]:
    (flags, used_cpu, online_time, memory_min, memory_max, memory_share, memory_used,
     physical, logical, virtual, operating, share_max, share,
     using, delay, page_wait, idle, other, total, guest) = record  # fmt: skip
    return ebcdic_name(guest), {
        "capped": (flags & _CAPPING) >> 1,
        "dedicated": int(bool(flags & _DEDICATED)),
        "logical_cpus": logical,
        "virtual_cpus": virtual,
        "physical_cpus": physical,
        **shares(operating, share_max, share),
        "memory_min": memory_min,
        "memory_max": memory_max,
        "memory_share": memory_share,
        "memory_used": memory_used,
        "used_cpu": used_cpu,
        "online_time": online_time,
        "using": using,
        "delay": delay,
        "page_wait": page_wait,
        "idle": idle,
        "other": other,
        "total": total,
    }


def read_diag2fc(tree: Tree) -> Frame:
    """Read the frame GUEST; without rows where it cannot be had."""
    try:
        data = tree.read(DIAG_2FC, at_once=diag204.AT_ONCE)
        return parse_diag2fc(data, tree.when(DIAG_2FC))
    except OSError as error:
        return empty_frame(GUEST, refused(error, NEEDS_DEBUGFS).reason)


DIAG_0C: Final = "sys/kernel/debug/s390_hypfs/diag_0c"

_CPUS_AT: Final = 32
_CPU_TIMES: Final = struct.Struct(">16xQQI4x")


def parse_diag0c(data: bytes, when: int = 0) -> Frame:
    """Parse the whole file into a frame of the kind VIRTUAL_CPU.

    Raises:
        ValueError: the answer is shorter than the number of its CPUs requires.
    """
    records = _records(data, "diag_0c", "CPUs", _CPUS_AT, _CPU_TIMES)
    cpus: Rows = {str(number): {"virtual": virtual, "total": total} for virtual, total, number in records}
    return frame_of(VIRTUAL_CPU, cpus, when)


def read_diag0c(tree: Tree) -> Frame:
    """Read the frame VIRTUAL_CPU; without rows where it cannot be had."""
    try:
        return parse_diag0c(tree.read(DIAG_0C, at_once=diag204.AT_ONCE), tree.when(DIAG_0C))
    except OSError as error:
        return empty_frame(VIRTUAL_CPU, refused(error, NEEDS_DEBUGFS).reason)


ROOT: Final = "sys/hypervisor/s390"
TYPE: Final = f"{ROOT}/hyp/type"
SYSTEMS: Final = f"{ROOT}/systems"
CPUS: Final = f"{ROOT}/cpus"

_NO_CLOCK: Final = absent("hypfs has no clock; online_time does not change until a refresh")

parse_number = word_parser("[0-9]{1,20}", int)
"""Parses a file that holds one number."""


def read_hypfs(tree: Tree) -> tuple[Frame, Frame, Frame, Frame]:
    """Read the frames LPAR, LPAR_CPU, PHYSICAL_CPU and GUEST; those of the other form have no rows.

    Raises:
        ValueError: the tree is of neither form, or a file that should hold a number does not.
    """
    try:
        form = text(tree, TYPE).strip()
        if form.startswith("LPAR"):
            return *_partitions(tree), empty_frame(GUEST, NEEDS_ZVM)
        if form.startswith("z/VM"):
            return *no_partitions(NEEDS_LPAR), _guests(tree)
    except OSError as error:
        reason = refused(error, f"hypfs is not mounted: mount -t s390_hypfs none /{ROOT}").reason
        return *no_partitions(reason), empty_frame(GUEST, reason)
    raise ValueError(f"hypfs: expected an LPAR or z/VM hypervisor in hyp/type, found {form[:40]!r}")


def _number(tree: Tree, path: str) -> int | Absent:
    try:
        return parse_number(text(tree, path))
    except OSError:
        return absent(f"hypfs has no {path.rpartition('/')[2]} here")
    except ValueError as error:
        raise ValueError(f"/{path}: {error}") from None


def _partitions(tree: Tree) -> tuple[Frame, Frame, Frame]:
    lpars: Rows = {}
    cpus: Rows = {}
    for lpar in tree.entries(SYSTEMS):
        below = f"{SYSTEMS}/{lpar}/cpus"
        numbers = _listed(tree, below)
        lpars[lpar] = {"cpus": len(numbers)}
        for number in numbers:
            cpus[f"{lpar}/{number}"] = _lpar_cpu(tree, f"{below}/{number}", lpar, number)
    physical: Rows = {
        number: {
            "type": read_value(tree, f"{CPUS}/{number}/type"),
            "management": _number(tree, f"{CPUS}/{number}/mgmtime"),
            "clock": _NO_CLOCK,
        }
        for number in _listed(tree, CPUS)
    }
    when = tree.when(TYPE)
    return (
        frame_of(LPAR, lpars, when),
        frame_of(LPAR_CPU, cpus, when),
        frame_of(PHYSICAL_CPU, physical, when) if physical else empty_frame(PHYSICAL_CPU, NO_AUTHORITY),
    )


def _listed(tree: Tree, directory: str) -> list[str]:
    return sorted(names_in(tree, directory, "[0-9]+"), key=int)


def _lpar_cpu(tree: Tree, path: str, lpar: str, number: str) -> Mapping[str, Value]:
    dispatched: Number = _number(tree, f"{path}/cputime")
    return {
        "type": read_value(tree, f"{path}/type"),
        "lpar": lpar,
        "cpu": int(number),
        "accumulated": dispatched + _number(tree, f"{path}/mgmtime"),
        "dispatched": dispatched,
        "online_time": _number(tree, f"{path}/onlinetime"),
        "clock": _NO_CLOCK,
    }


_GUEST_FILES: Final = {
    "capped": "cpus/capped",
    "dedicated": "cpus/dedicated",
    "virtual_cpus": "cpus/count",
    "memory_min": "mem/min_KiB",
    "memory_max": "mem/max_KiB",
    "memory_share": "mem/share_KiB",
    "memory_used": "mem/used_KiB",
    "used_cpu": "cpus/cputime_us",
    "online_time": "onlinetime_us",
    "using": "samples/cpu_using",
    "delay": "samples/cpu_delay",
    "page_wait": "samples/mem_delay",
    "idle": "samples/idle",
    "other": "samples/other",
    "total": "samples/total",
}


def _guests(tree: Tree) -> Frame:
    logical = _number(tree, f"{CPUS}/count")
    rows: Rows = {}
    for guest in tree.entries(SYSTEMS):
        path = f"{SYSTEMS}/{guest}"
        rows[guest] = {
            "logical_cpus": logical,
            **{field: _number(tree, f"{path}/{leaf}") for field, leaf in _GUEST_FILES.items()},
            **shares(
                # the kernel gave the count of CPUs that are not stopped the name of a weight
                operating=_number(tree, f"{path}/cpus/weight_min"),
                highest=_number(tree, f"{path}/cpus/weight_max"),
                now=_number(tree, f"{path}/cpus/weight_cur"),
            ),
        }
    return frame_of(GUEST, rows, tree.when(TYPE))


def read_partitions(tree: Tree) -> tuple[Frame, ...]:
    """Read the frames LPAR, LPAR_CPU, PHYSICAL_CPU, GUEST and VIRTUAL_CPU.

    Where neither source answers, the reason is that of debugfs, which is the one to repair.

    Raises:
        ValueError: an answer is not understood.
    """
    partitions, guests, own = read_diag204(tree), read_diag2fc(tree), read_diag0c(tree)
    if partitions[0].keys or guests.keys:  # an LPAR sees no guests, and a guest no partitions
        return (*partitions, guests, own)
    *older_partitions, older_guests = read_hypfs(tree)
    if older_partitions[0].keys:
        return (*older_partitions, guests, own)
    return (*partitions, older_guests if older_guests.keys else guests, own)
