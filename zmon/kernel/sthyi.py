"""s390_sthyi, system call 380: capacity of the machine, the partition and the hypervisors.

Anybody may call it.  It fills 4096 bytes, big-endian: a header of 48 bytes with offset and length of
each section, the machine, the partition, and up to three pairs of hypervisor and guest, the one
nearest to the machine first.  In an LPAR the kernel makes the answer up itself from STSI and from
diagnoses X'204' and X'224' and keeps it for a second; in a guest the hypervisor adds its own sections
(arch/s390/kernel/sthyi.c, arch/s390/include/asm/sthyi.h; field names in the qclib package).

Caps are counted in 1/65536 of a core; here in hundredths of a core.  0 means "not capped" and is
therefore absent.  A field whose validity flag is off is absent too.

In a captured tree the answer is the file `syscall/s390_sthyi.bin`.
"""

from __future__ import annotations

import errno
import os
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.kernel.ebcdic import name

if TYPE_CHECKING:
    from zmon.absent import Number
    from zmon.kernel.tree import Tree

CAPTURED: Final = "syscall/s390_sthyi.bin"
SYSTEM_CALL: Final = 380
SIZE: Final = 4096

_HEADER: Final = struct.Struct(">B6xBHHHHHH")
_PAIR: Final = struct.Struct(">HHHH")
_PAIRS_AT: Final = 20
_PAIRS: Final = 3
_MACHINE: Final = struct.Struct(">2xBx4H8s4s16s16s4s")
_PARTITION: Final = struct.Struct(">BxBxH4H2x8s4I8s2I")
_HYPERVISOR: Final = struct.Struct(">4xB3x8s8s")
_GUEST: Final = struct.Struct(">4x8s8xI8xI4x8s2I")

_NO_GLOBAL_DATA: Final = 0x80
_INCOMPLETE: Final = 0x20
_COUNTS: Final = 0x80
_IDENTITY: Final = 0x40
_NAMED: Final = 0x20
_WEIGHT_CAPS: Final = 0x40
_ABSOLUTE_CAPS: Final = 0x20
_PARTITION_IDENTITY: Final = 0x10
_GROUP: Final = 0x08
_MULTITHREADING: Final = 0x80

_HYPERVISORS: Final = {1: "z/VM", 2: "KVM", 3: "zCX"}


class Cores(NamedTuple):
    """Cores by type and by whether they are shared."""

    shared_cp: Number
    dedicated_cp: Number
    shared_ifl: Number
    dedicated_ifl: Number


class Machine(NamedTuple):
    """The machine section."""

    cores: Cores
    name: str | Absent
    type: str | Absent
    manufacturer: str | Absent
    sequence: str | Absent
    plant: str | Absent


class Partition(NamedTuple):
    """The partition section; caps in hundredths of a core."""

    multithreading: bool
    cores: Cores
    number: Number
    name: str | Absent
    cap_weight_cp: Number
    cap_absolute_cp: Number
    cap_weight_ifl: Number
    cap_absolute_ifl: Number
    group: str | Absent
    cap_group_cp: Number
    cap_group_ifl: Number


class Hypervisor(NamedTuple):
    """A hypervisor section."""

    type: str
    """z/VM, KVM, zCX, or the number of another."""
    system: str | Absent
    cluster: str | Absent


class Guest(NamedTuple):
    """A guest section; caps in hundredths of a core."""

    name: str | Absent
    cap_cp: Number
    cap_ifl: Number
    pool: str | Absent
    cap_pool_cp: Number
    cap_pool_ifl: Number


class Sthyi(NamedTuple):
    """The whole answer."""

    global_data: bool
    """False when the partition lacks the authority for global performance data."""
    complete: bool
    """False when a hypervisor in between could not be asked."""
    machine: Machine | None
    partition: Partition | None
    levels: tuple[tuple[Hypervisor | None, Guest | None], ...]
    """Hypervisors and their guests; the last is the one that this Linux runs in."""


def parse_sthyi(data: bytes) -> Sthyi:
    """Parse the answer; sections may be longer than known.

    Raises:
        ValueError: a section lies outside of what was read, or is shorter than its known fields.
    """
    if len(data) < _PAIRS_AT + _PAIRS * _PAIR.size:
        raise ValueError(f"s390_sthyi: expected a header of 48 bytes, found {len(data)} bytes")
    flags, pairs, _total, _size, machine_at, machine_size, partition_at, partition_size = _HEADER.unpack_from(
        data
    )
    if pairs > _PAIRS:
        raise ValueError(f"s390_sthyi: expected at most {_PAIRS} hypervisors, found {pairs}")
    machine = _section(data, _MACHINE, "machine", machine_at, machine_size)
    partition = _section(data, _PARTITION, "partition", partition_at, partition_size)
    levels: list[tuple[Hypervisor | None, Guest | None]] = []
    for number in range(pairs):
        host_at, host_size, guest_at, guest_size = _PAIR.unpack_from(data, _PAIRS_AT + number * _PAIR.size)
        host = _section(data, _HYPERVISOR, "hypervisor", host_at, host_size)
        guest = _section(data, _GUEST, "guest", guest_at, guest_size)
        levels.append((_hypervisor(*host) if host else None, _guest(*guest) if guest else None))
    return Sthyi(
        global_data=not flags & _NO_GLOBAL_DATA,
        complete=not flags & _INCOMPLETE,
        machine=_machine(*machine) if machine else None,
        partition=_partition(*partition) if partition else None,
        levels=tuple(levels),
    )


def _section(data: bytes, layout: struct.Struct, what: str, offset: int, size: int) -> tuple[Any, ...] | None:
    """Return the fields of a section, None when there is none."""
    if not size:
        return None
    if size < layout.size or offset + size > len(data):
        raise ValueError(
            f"s390_sthyi: the {what} section needs {layout.size} bytes within {len(data)}, "
            f"found {size} at {offset}"
        )
    return layout.unpack_from(data, offset)


def _words(raw: bytes, what: str, valid: bool = True) -> str | Absent:
    return (valid and name(raw)) or absent(f"s390_sthyi does not tell the {what}")


def _cores(valid: bool, *counts: int) -> Cores:
    unknown = absent("s390_sthyi does not tell the counts of cores")
    return Cores(*(count if valid else unknown for count in counts))


def _cap(scaled: int, what: str, valid: bool = True) -> Number:
    """Return a cap in hundredths of a core."""
    if not valid:
        return absent(f"s390_sthyi does not tell the {what} cap")
    return scaled * 100 / 0x10000 if scaled else absent(f"no {what} cap is set")


def _machine(validity: int, *fields: Any) -> Machine:
    *counts, called, kind, manufacturer, sequence, plant = fields
    known = bool(validity & _IDENTITY)
    return Machine(
        cores=_cores(bool(validity & _COUNTS), *counts),
        name=_words(called, "machine's name", bool(validity & _NAMED)),
        type=_words(kind, "machine type", known),
        manufacturer=_words(manufacturer, "manufacturer", known),
        sequence=_words(sequence, "sequence code", known),
        plant=_words(plant, "plant", known),
    )


def _partition(flags: int, validity: int, number: int, *fields: Any) -> Partition:
    *counts, called, weight_cp, absolute_cp, weight_ifl, absolute_ifl, group, group_cp, group_ifl = fields
    identified = bool(validity & _PARTITION_IDENTITY)
    weighted, absolute = bool(validity & _WEIGHT_CAPS), bool(validity & _ABSOLUTE_CAPS)
    grouped = bool(validity & _GROUP)
    return Partition(
        multithreading=bool(flags & _MULTITHREADING),
        cores=_cores(bool(validity & _COUNTS), *counts),
        number=number if identified else absent("s390_sthyi does not tell the partition's number"),
        name=_words(called, "partition's name", identified),
        cap_weight_cp=_cap(weight_cp, "weight-based", weighted),
        cap_absolute_cp=_cap(absolute_cp, "absolute", absolute),
        cap_weight_ifl=_cap(weight_ifl, "weight-based", weighted),
        cap_absolute_ifl=_cap(absolute_ifl, "absolute", absolute),
        group=_words(group, "capacity group", grouped),
        cap_group_cp=_cap(group_cp, "group", grouped),
        cap_group_ifl=_cap(group_ifl, "group", grouped),
    )


def _hypervisor(kind: int, system: bytes, cluster: bytes) -> Hypervisor:
    return Hypervisor(
        _HYPERVISORS.get(kind, str(kind)),
        _words(system, "system identifier"),
        _words(cluster, "cluster's name"),
    )


def _guest(*fields: Any) -> Guest:
    called, cap_cp, cap_ifl, pool, pool_cp, pool_ifl = fields
    return Guest(
        name=_words(called, "guest's name"),
        cap_cp=_cap(cap_cp, "guest"),
        cap_ifl=_cap(cap_ifl, "guest"),
        pool=_words(pool, "resource pool"),
        cap_pool_cp=_cap(pool_cp, "pool"),
        cap_pool_ifl=_cap(pool_ifl, "pool"),
    )


def read_sthyi(tree: Tree) -> Sthyi | Absent:
    """Ask the running kernel, or read what was captured.

    Raises:
        ValueError: see `parse_sthyi`.
    """
    try:
        return parse_sthyi(call() if tree.live else tree.read(CAPTURED))
    except FileNotFoundError:
        return absent("the answer of s390_sthyi was not captured")
    except OSError as error:
        return absent(f"s390_sthyi: {error.strerror or error}")


def call() -> bytes:
    """Make the system call and return its answer.

    Raises:
        OSError: there is none on this machine, or it does not answer here.
    """
    if os.uname().machine != "s390x":
        raise OSError(errno.ENOSYS, "only Linux on IBM Z has this system call")
    import ctypes  # noqa: PLC0415 - what was captured needs no call

    buffer = ctypes.create_string_buffer(SIZE)
    code = ctypes.c_uint64()
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    if call(ctypes.c_long(SYSTEM_CALL), ctypes.c_ulong(0), buffer, ctypes.byref(code), ctypes.c_ulong(0)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if code.value:
        raise OSError(errno.EOPNOTSUPP, "the hypervisor refused the question")
    return buffer.raw
