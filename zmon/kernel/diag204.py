"""/sys/kernel/debug/s390_hypfs/diag_204: what PR/SM does for every logical partition.

Mode 0400.  All files of s390_hypfs begin with an envelope of 64 bytes: the length of the answer in its first
8 bytes and its own version in a later halfword (arch/s390/hypfs/hypfs_dbfs.c).  Each read at offset 0 is a
new call of the hypervisor, and a read at any other offset gives nothing, so one read has to be large enough.

Then follows the answer of diagnose X'204' in the extended format (arch/s390/hypfs/hypfs_diag.c,
arch/s390/include/asm/diag.h): a header of 64 bytes, for each partition a block of 96 bytes and as many blocks
of 96 bytes as it has logical CPUs, and only with authority a block of 96 bytes and one for each physical
CPU.  All big-endian.

Times are 64-bit microseconds since the CPU was configured; they never wrap in practice and fall when
the partition is activated again.  Some emulators keep them in another unit, so take a CPU's busy
time relative to the same CPU's `online_time`, in which any unit cancels, before the clock.

The clock and `online_time` do not change when the kernel or the hypervisor handed out an older answer:
a difference of 0 there means "not refreshed" and says nothing about the load.

The call is expensive for the hypervisor: leave at least 10 seconds between two of them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent
from zmon.kernel.sysinfo import NEEDS_LPAR, read_sysinfo
from zmon.kernel.tree import ebcdic_name, refused
from zmon.kinds import LPAR, LPAR_CPU, PHYSICAL_CPU
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


ENVELOPE: Final = 64
"""Bytes of the envelope."""

AT_ONCE: Final = 1 << 20
"""Size of the one read: more than any hypervisor answers."""


def hypfs_payload(data: bytes, name: str) -> bytes:
    """Return the hypervisor's answer without the envelope.

    Raises:
        ValueError: less was read than the envelope announces, or the envelope is of a later version.
    """
    if len(data) < ENVELOPE:
        raise ValueError(f"{name}: expected a header of {ENVELOPE} bytes, found {len(data)} bytes")
    length, version = struct.unpack_from(">QH", data)
    if version:
        raise ValueError(f"{name}: expected header version 0, found {version}")
    if ENVELOPE + length > len(data):
        raise ValueError(f"{name}: expected {ENVELOPE}+{length} bytes, found {len(data)}")
    return data[ENVELOPE : ENVELOPE + length]


DIAG_204: Final = "sys/kernel/debug/s390_hypfs/diag_204"

CPU_TYPES: Final = {0: "CP", 3: "IFL", 5: "zIIP"}
"""The indexes of CPU types that zmon knows by name; others are shown as their number."""

NO_AUTHORITY: Final = "no authority at the HMC (Global performance data control)"
NO_DEBUGFS: Final = "no s390_hypfs/diag_204 in debugfs: is debugfs mounted?"
NO_GROUP: Final = absent("in no capacity group")
NO_WEIGHT: Final = absent("a dedicated CPU has no weight")
NO_CAP: Final = absent("no absolute cap is set")
NO_THREADS: Final = absent("the partition runs without multithreading")

_INFO: Final = struct.Struct(">BBHHHQQ40x")
_PARTITION: Final = struct.Struct(">BBBB4x8s8s8sQ8xBB2xI8s8s24x")
_CPU: Final = struct.Struct(">H2xBBHQQHHH2xQQ8xIIQ24x")
_PHYSICAL_HEADER: Final = struct.Struct(">xB94x")
_PHYSICAL: Final = struct.Struct(">H2xBxHQ80x")

_PHYSICAL_FOLLOWS: Final = 0x80
_ONLINE: Final = 0x20
_CAPPED: Final = 0x40
_THREADS: Final = 0x1F
_DEDICATED: Final = 0xFFFF

Rows = dict[str, "Mapping[str, Value]"]


class _Reader:
    """Walks through the answer block by block; running off its end is an error that says where."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.offset = 0

    def next(self, layout: struct.Struct, what: str) -> tuple[Any, ...]:
        if self.offset + layout.size > len(self._data):
            raise ValueError(
                f"diag_204: {what} at offset {self.offset} needs {layout.size} bytes, "
                f"the answer has {len(self._data)}"
            )
        fields = layout.unpack_from(self._data, self.offset)
        self.offset += layout.size
        return fields


def parse_diag204(data: bytes, when: int = 0) -> tuple[Frame, Frame, Frame]:
    """Parse the whole file into frames of the kinds LPAR, LPAR_CPU and PHYSICAL_CPU.

    Without authority the answer holds our own partition alone and no physical CPUs.

    Raises:
        ValueError: the answer is shorter than its own counts require.
    """
    reader = _Reader(hypfs_payload(data, "diag_204"))
    partitions, flags, _slice, _physical_cpus, own_offset, tod, _rest = reader.next(_INFO, "header")
    clock = tod >> 4  # TOD bit 51 is a microsecond; the epoch byte shifts it to bit 59
    lpars: Rows = {}
    cpus: Rows = {}
    for _ in range(partitions):
        own = (
            int(reader.offset == own_offset)
            if own_offset
            else absent("diag 204 does not say which partition is this one")
        )
        (number, _cpus, blocks, _flags, called, sysplex, os_name, storage, upid, threads, group_limit,
         group, hardware_group) = reader.next(_PARTITION, "partition")  # fmt: skip
        key = ebcdic_name(called) or f"#{number}"
        if key in lpars:
            key = f"{key}#{number}"
        lpars[key] = {
            "number": number,
            "upid": upid,
            "os": ebcdic_name(os_name) or absent("the partition's system gave no name"),
            "sysplex": ebcdic_name(sysplex) or absent("in no sysplex"),
            "group": ebcdic_name(group) or NO_GROUP,
            "hardware_group": ebcdic_name(hardware_group) or absent("in no hardware group"),
            "cpus": blocks,
            "own": own,
            "storage": storage,
            "group_limit": group_limit or absent("no group limit is set"),
        }
        for _ in range(blocks):
            address, row = _lpar_cpu(reader.next(_CPU, f"CPU of {key}"), key, bool(threads & _THREADS))
            cpus[f"{key}/{address}"] = {**row, "clock": clock}
    physical = (
        frame_of(PHYSICAL_CPU, _physical(reader, clock), when)
        if flags & _PHYSICAL_FOLLOWS
        else empty_frame(PHYSICAL_CPU, NO_AUTHORITY)
    )
    return frame_of(LPAR, lpars, when), frame_of(LPAR_CPU, cpus, when), physical


def _type(index: int) -> str:
    return CPU_TYPES.get(index, str(index))


def _lpar_cpu(block: tuple[int, ...], lpar: str, threads: bool) -> tuple[int, Mapping[str, Value]]:
    """Return the address of a logical CPU and what its block says."""
    (address, index, flags, weight, accumulated, dispatched, weight_min, weight_now, weight_max,
     online_time, wait, cap_type, cap_group, mt_idle) = block  # fmt: skip
    dedicated = weight == _DEDICATED
    return address, {
        "type": _type(index),
        "lpar": lpar,
        "cpu": address,
        "online": int(bool(flags & _ONLINE)),
        "capped": int(bool(flags & _CAPPED)),
        "dedicated": int(dedicated),
        "weight_initial": NO_WEIGHT if dedicated else weight,
        "weight_min": NO_WEIGHT if dedicated else weight_min,
        "weight": NO_WEIGHT if dedicated else weight_now,
        "weight_max": NO_WEIGHT if dedicated else weight_max,
        "cap_type": cap_type or NO_CAP,
        "cap_group": cap_group or absent("no absolute group cap is set"),
        "accumulated": accumulated,
        "dispatched": dispatched,
        "online_time": online_time,
        "wait": wait,
        "mt_idle": mt_idle if threads else NO_THREADS,
    }


def _physical(reader: _Reader, clock: int) -> Rows:
    (count,) = reader.next(_PHYSICAL_HEADER, "physical block")
    rows: Rows = {}
    for _ in range(count):
        address, index, weight, management = reader.next(_PHYSICAL, "physical CPU")
        rows[str(address)] = {
            "type": _type(index),
            "dedicated": int(weight == _DEDICATED),
            "management": management,
            "clock": clock,
        }
    return rows


def read_diag204(tree: Tree) -> tuple[Frame, Frame, Frame]:
    """Read the frames LPAR, LPAR_CPU and PHYSICAL_CPU; without rows where they cannot be had.

    In a guest the file may exist, but then it does not describe the machine's partitions.
    """
    sysinfo = read_sysinfo(tree)
    if not isinstance(sysinfo, Absent) and sysinfo.has_guest:
        return no_partitions(NEEDS_LPAR)
    try:
        data = tree.read(DIAG_204, at_once=AT_ONCE)
        return parse_diag204(data, tree.when(DIAG_204))
    except OSError as error:
        why = sysinfo.reason if isinstance(sysinfo, Absent) else NO_DEBUGFS
        return no_partitions(refused(error, why).reason)


def no_partitions(reason: str) -> tuple[Frame, Frame, Frame]:
    """Return the frames LPAR, LPAR_CPU and PHYSICAL_CPU without rows."""
    return empty_frame(LPAR, reason), empty_frame(LPAR_CPU, reason), empty_frame(PHYSICAL_CPU, reason)
