"""/sys/kernel/debug/s390_hypfs/diag_2fc: what CP does for z/VM guests.

Mode 0400, in a z/VM guest only.  The answer of diagnose X'2FC' behind a packed header of 64 bytes
(arch/s390/hypfs/hypfs_vm.c): length, version, 16 bytes of clock, the count of guests; then a
big-endian record of 112 bytes for each.  With privilege class B all guests that are logged on,
otherwise our own alone.

Times are 64-bit microseconds since logon and memory is in KiB; the state samples are 32-bit counters
that wrap.  `online_time` (elapsed time) stands still when an older answer was handed out again: a
difference of 0 means "not refreshed".

For a guest with an absolute share CP gives 0 where the relative share would be, and then it does not
count the operating CPUs either: those are absent here, and `virtual_cpus` is the best substitute.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kernel import debugfs
from zmon.kernel.attribute import refused
from zmon.kernel.ebcdic import name
from zmon.kernel.rows import frame
from zmon.kinds import GUEST
from zmon.sample import nothing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Number, Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

PATH: Final = "sys/kernel/debug/s390_hypfs/diag_2fc"

NEEDS_ZVM: Final = "needs a z/VM guest"

_COUNT: Final = struct.Struct(">Q")
_COUNT_AT: Final = 26
_RECORD: Final = struct.Struct(">4xI6Q6I6I8s")
_CAPPING: Final = 0x6
_DEDICATED: Final = 0x8


def shares(operating: Number, highest: Number, now: Number) -> dict[str, Number]:
    """Return the fields that CP sets to 0 for a guest whose share is not relative."""
    absolute = absent("the guest's share is not a relative one")
    return {
        "operating_cpus": absent("not counted: the guest's share is not a relative one")
        if highest == 0
        else operating,
        "share_max": absolute if highest == 0 else highest,
        "share": absolute if now == 0 else now,
    }


def parse_diag2fc(data: bytes, when: int = 0) -> Frame:
    """Parse the whole file into a frame of the kind GUEST.

    Raises:
        ValueError: the answer is shorter than the number of its guests requires.
    """
    answer = debugfs.payload(data, "diag_2fc")
    (count,) = _COUNT.unpack_from(data, _COUNT_AT)
    if count * _RECORD.size > len(answer):
        raise ValueError(
            f"diag_2fc: expected {count} guests of {_RECORD.size} bytes, found {len(answer)} bytes"
        )
    guests = dict(_guest(answer, number * _RECORD.size) for number in range(count))
    return frame(GUEST, guests, when)


def _guest(answer: bytes, offset: int) -> tuple[str, Mapping[str, Value]]:
    (flags, used_cpu, online_time, memory_min, memory_max, memory_share, memory_used,
     physical, logical, virtual, operating, share_max, share,
     using, delay, page_wait, idle, other, total, guest) = _RECORD.unpack_from(answer, offset)  # fmt: skip
    return name(guest), {
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
    """Read the frame GUEST; without rows where it cannot be had.

    Raises:
        ValueError: see `parse_diag2fc`.
    """
    try:
        data = tree.read(PATH, at_once=debugfs.AT_ONCE)
        return parse_diag2fc(data, tree.when(PATH))
    except FileNotFoundError:
        return nothing(GUEST, f"{NEEDS_ZVM}, and debugfs mounted")
    except OSError as error:
        return nothing(GUEST, refused(error).reason)
