"""/proc/sysinfo: the machine, the partition and the hypervisors above this Linux.

The kernel prints what the STSI instruction tells (arch/s390/kernel/sysinfo.c), one `label: value`
per line, in blocks: the machine; if there is a partition, lines that begin with `LPAR`; for each
hypervisor below this Linux, lines that begin with `VMnn`, where `VM00` is the virtual machine that
this Linux runs in and higher numbers lie nearer to the machine.  Which lines appear depends on the
model, the firmware and the kernel, so nothing here depends on their order or number.

A Linux in a z/VM guest sees the partition that z/VM runs in.

What this Linux runs on and in, put together from /proc/sysinfo, uname and s390_sthyi.

All of it is cheap and changes at most when somebody at the HMC changes it; once a minute is plenty.
Only `capability` may move by itself, on emulators.

s390_sthyi, system call 380: capacity of the machine, the partition and the hypervisors.

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
import re
import struct
from typing import TYPE_CHECKING, Any, Final, Literal

from zmon.absent import Absent, absent
from zmon.kernel.tree import Tree, ebcdic_name, read_value, refused, text
from zmon.kinds import MACHINE
from zmon.record import NamedTuple
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Number, Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


SYSINFO: Final = "proc/sysinfo"

NEEDS_LPAR: Final = "needs an LPAR: a guest does not see the partitions of its machine"

Environment = Literal["lpar", "zvm", "kvm", "none"]
"""What this Linux runs in; `none` where the kernel names neither a partition nor a known hypervisor."""

_GUEST: Final = re.compile(r"VM([0-9]{1,4}) (.+)")
_DIGITS: Final = re.compile(r"[0-9]{1,20}")


class Cpus(NamedTuple):
    """How many CPUs a level has, and in which state."""

    total: Number
    configured: Number
    standby: Number
    reserved: Number


class SysinfoPartition(NamedTuple):
    """The logical partition."""

    number: Number
    name: str | Absent
    characteristics: str | Absent
    """The words Dedicated, Shared, Limited; more than one when both sorts of CPU are there."""
    adjustment: Number
    """Part of the machine's capability that the partition gets, in thousandths."""
    cpus: Cpus
    dedicated: Number
    shared: Number
    extended_name: str | Absent
    uuid: str | Absent


class SysinfoGuest(NamedTuple):
    """One virtual machine and the control program that provides it."""

    name: str | Absent
    control_program: str | Absent
    """`z/VM 7.3.0`, `KVM/Linux`."""
    adjustment: Number
    """Part of the level below that the guest gets, in thousandths."""
    cpus: Cpus
    extended_name: str | Absent
    uuid: str | Absent


class Sysinfo(NamedTuple):
    """All that /proc/sysinfo says; what it does not say is absent."""

    manufacturer: str | Absent
    type: str | Absent
    model: str | Absent
    """The hardware model, or the capacity model where firmware gives only that."""
    capacity_model: str | Absent
    sequence: str | Absent
    plant: str | Absent
    cpus: Cpus
    capability: Number
    """Lower is faster; meaningful only against other values of the same machine."""
    partition: SysinfoPartition | None
    guests: tuple[SysinfoGuest, ...]
    """The virtual machines around this Linux, the innermost (VM00) first."""

    @property
    def environment(self) -> Environment:
        """What this Linux runs in."""
        if self.guests:
            program = str(self.guests[0].control_program)
            return "zvm" if program.startswith("z/VM") else "kvm" if program.startswith("KVM") else "none"
        return "lpar" if self.partition else "none"


class _Block:
    """The lines of one level, looked up by label."""

    def __init__(self, lines: Mapping[str, str], prefix: str = "") -> None:
        self._lines = lines
        self._prefix = prefix

    def words(self, label: str) -> str | Absent:
        return self._lines.get(label) or absent(f"/proc/sysinfo has no {self._prefix}{label}")

    def number(self, label: str) -> int | Absent:
        """Return the first number of the line: some lines repeat it in another measure."""
        words = self.words(label)
        if isinstance(words, Absent):
            return words
        first = words.split()[0]
        if not _DIGITS.fullmatch(first):
            return absent(f"/proc/sysinfo: {self._prefix}{label} is not a number")
        return int(first)

    def cpus(self) -> Cpus:
        return Cpus(
            *(self.number(f"CPUs {state}") for state in ("Total", "Configured", "Standby", "Reserved"))
        )


def parse_sysinfo(text: str) -> Sysinfo:
    """Parse the whole file.

    Raises:
        ValueError: there is no line in it that names a machine, a partition or a guest.
    """
    machine: dict[str, str] = {}
    partition: dict[str, str] = {}
    guests: dict[int, dict[str, str]] = {}
    for line in text.splitlines():
        label, _colon, value = line.partition(":")
        label, value = label.strip(), " ".join(value.split())
        level = _GUEST.fullmatch(label)
        if level:
            guests.setdefault(int(level[1]), {})[level[2].strip()] = value
        elif label.startswith("LPAR "):
            partition[label.removeprefix("LPAR ")] = value
        elif value:
            machine[label] = value
    if "Manufacturer" not in machine and not partition and not guests:
        raise ValueError(f"/proc/sysinfo: expected 'Manufacturer:' or 'LPAR ...:', found {text[:40]!r}")
    block = _Block(machine)
    model = block.words("Model")
    capacity = block.words("Model Capacity")
    return Sysinfo(
        manufacturer=block.words("Manufacturer"),
        type=block.words("Type"),
        model=model if isinstance(model, Absent) else model.split()[-1],
        # beside its name the line carries a rating, which is all there is when the name is blank
        capacity_model=capacity if isinstance(capacity, Absent) else capacity.split()[0],
        sequence=block.words("Sequence Code"),
        plant=block.words("Plant"),
        cpus=block.cpus(),
        capability=_capability(block.number("Capability")),
        partition=_partition(_Block(partition, "LPAR ")) if partition else None,
        guests=tuple(_guest(_Block(guests[level], f"VM{level:02} ")) for level in sorted(guests)),
    )


def _capability(printed: Number) -> Number:
    """Undo the kernel's printing of a floating-point number as if it were an integer.

    STSI gives an integer below 2^23, or a short binary float, whose bits are never that small.
    """
    if isinstance(printed, Absent) or not 1 << 23 <= printed < 1 << 32:
        return printed
    value: float = struct.unpack(">f", struct.pack(">I", printed))[0]
    return value if 0 < value < float("inf") else absent("/proc/sysinfo: Capability is not a number")


def _partition(block: _Block) -> SysinfoPartition:
    return SysinfoPartition(
        number=block.number("Number"),
        name=block.words("Name"),
        characteristics=block.words("Characteristics"),
        adjustment=block.number("Adjustment"),
        cpus=block.cpus(),
        dedicated=block.number("CPUs Dedicated"),
        shared=block.number("CPUs Shared"),
        extended_name=block.words("Extended Name"),
        uuid=block.words("UUID"),
    )


def _guest(block: _Block) -> SysinfoGuest:
    return SysinfoGuest(
        name=block.words("Name"),
        control_program=block.words("Control Program"),
        adjustment=block.number("Adjustment"),
        cpus=block.cpus(),
        extended_name=block.words("Extended Name"),
        uuid=block.words("UUID"),
    )


def _has_channels(tree: Tree) -> bool:
    """Tell whether there is a channel subsystem, which no other machine has."""
    try:
        return bool(tree.entries("sys/devices/css0"))
    except OSError:
        return False


def read_sysinfo(tree: Tree) -> Sysinfo | Absent:
    """Read /proc/sysinfo; absent where the kernel has none, which is everywhere but on IBM Z.

    Readable by all; costs a few STSI instructions.

    Raises:
        ValueError: see `parse_sysinfo`.
    """
    try:
        return parse_sysinfo(text(tree, SYSINFO))
    except FileNotFoundError:
        if _has_channels(tree):
            return absent("/proc/sysinfo is missing" if tree.live else "/proc/sysinfo is not in the capture")
        if tree.live:
            return absent("no /proc/sysinfo: this is not Linux on IBM Z")
        return absent("no /proc/sysinfo: it was not captured, or this is not Linux on IBM Z")
    except OSError as error:
        return refused(error)


MACHINE_KEY: Final = "machine"
CM_ENABLE: Final = "sys/devices/css0/cm_enable"
VERSION: Final = "proc/version"

_LPAR_ONLY: Final = absent("channel measurement is offered in an LPAR only")

_SYSINFO_FIELDS: Final = (
    "manufacturer", "type", "model", "sequence", "plant", "capacity_model",
    "lpar_name", "lpar_number", "lpar_characteristics", "control_program", "guest_name",
    "cpus_total", "cpus_configured", "cpus_standby", "cpus_reserved",
    "lpar_cpus", "lpar_cpus_configured", "lpar_cpus_dedicated", "lpar_cpus_shared",
    "capability", "lpar_adjustment", "vm_cpus_configured", "vm_adjustment",
)  # fmt: skip
_CAP_FIELDS: Final = (
    "cap_weight_cp", "cap_absolute_cp", "cap_weight_ifl", "cap_absolute_ifl",
    "cap_group_cp", "cap_group_ifl",
)  # fmt: skip


def read_machine(tree: Tree) -> Frame:
    """Read the one row of the kind MACHINE; what cannot be known is absent with its reason.

    `environment` is `lpar`, `zvm`, `kvm` or `none`.  `guest_name` is the virtual machine that this
    Linux runs in, `vm_name` the system identifier of the hypervisor that runs it.

    Raises:
        ValueError: /proc/sysinfo or the answer of s390_sthyi is malformed.
    """
    sysinfo = read_sysinfo(tree)
    row: dict[str, Value]
    if isinstance(sysinfo, Absent):
        row = dict.fromkeys(_SYSINFO_FIELDS, sysinfo)
        row["environment"] = "none"
    else:
        row = {**_levels(sysinfo), "environment": sysinfo.environment}
    row |= _linux(tree, on_z=not isinstance(sysinfo, Absent))
    row["cm_enable"] = read_value(tree, CM_ENABLE, int, _LPAR_ONLY)
    row |= _capacity(read_sthyi(tree))
    try:
        when = tree.when(VERSION if isinstance(sysinfo, Absent) else SYSINFO)
    except OSError:
        return empty_frame(MACHINE, "neither /proc/sysinfo nor /proc/version is there")
    return frame_of(MACHINE, {MACHINE_KEY: row}, when)


def _levels(sysinfo: Sysinfo) -> Mapping[str, Value]:
    row: dict[str, Value] = {
        "manufacturer": sysinfo.manufacturer,
        "type": sysinfo.type,
        "model": sysinfo.model,
        "sequence": sysinfo.sequence,
        "plant": sysinfo.plant,
        "capacity_model": sysinfo.capacity_model,
        "cpus_total": sysinfo.cpus.total,
        "cpus_configured": sysinfo.cpus.configured,
        "cpus_standby": sysinfo.cpus.standby,
        "cpus_reserved": sysinfo.cpus.reserved,
        "capability": sysinfo.capability,
    }
    lpar = sysinfo.partition
    no_lpar = absent("/proc/sysinfo names no LPAR")
    row |= {
        "lpar_name": lpar.name if lpar else no_lpar,
        "lpar_number": lpar.number if lpar else no_lpar,
        "lpar_characteristics": lpar.characteristics if lpar else no_lpar,
        "lpar_cpus": lpar.cpus.total if lpar else no_lpar,
        "lpar_cpus_configured": lpar.cpus.configured if lpar else no_lpar,
        "lpar_cpus_dedicated": lpar.dedicated if lpar else no_lpar,
        "lpar_cpus_shared": lpar.shared if lpar else no_lpar,
        "lpar_adjustment": lpar.adjustment if lpar else no_lpar,
    }
    guest = sysinfo.guests[0] if sysinfo.guests else None
    no_guest = absent("not in a virtual machine")
    row |= {
        "guest_name": guest.name if guest else no_guest,
        "control_program": guest.control_program if guest else no_guest,
        "vm_cpus_configured": guest.cpus.configured if guest else no_guest,
        "vm_adjustment": guest.adjustment if guest else no_guest,
    }
    return row


def parse_version(text: str) -> str:
    """Return the kernel's release from /proc/version.

    Raises:
        ValueError: it does not begin with `Linux version`.
    """
    words = text.split(maxsplit=3)
    if words[:2] != ["Linux", "version"] or len(words) < 3:
        raise ValueError(f"/proc/version: expected 'Linux version ...', found {text[:40]!r}")
    return words[2]


def _linux(tree: Tree, *, on_z: bool) -> Mapping[str, Value]:
    if tree.live:
        name = os.uname()
        return {"hostname": name.nodename, "kernel": name.release, "architecture": name.machine}
    row: dict[str, Value] = {
        # no other architecture has a /proc/sysinfo, and no 31-bit kernel is left
        "architecture": "s390x" if on_z else absent("the capture does not tell the architecture")
    }
    row["kernel"] = read_value(tree, VERSION, parse_version)
    row["hostname"] = read_value(
        tree, "proc/sys/kernel/hostname", missing=absent("the host name was not captured")
    )
    return row


def _capacity(sthyi: Sthyi | Absent) -> Mapping[str, Value]:
    if isinstance(sthyi, Absent):
        return dict.fromkeys((*_CAP_FIELDS, "cap_group_name", "vm_name"), sthyi)
    row: dict[str, Value] = {}
    partition = sthyi.partition
    no_partition = absent("s390_sthyi reports no partition")
    row |= {name: getattr(partition, name) if partition else no_partition for name in _CAP_FIELDS}
    row["cap_group_name"] = partition.group if partition else no_partition
    host = sthyi.levels[-1][0] if sthyi.levels else None
    row["vm_name"] = host.system if host else absent("s390_sthyi reports no hypervisor")
    return row


STHYI_CAPTURED: Final = "syscall/s390_sthyi.bin"
SYSTEM_CALL: Final = 380
STHYI_SIZE: Final = 4096

_HEADER: Final = struct.Struct(">B6xBHHHHHH")
_PAIR: Final = struct.Struct(">HHHH")
_PAIRS_AT: Final = 20
_PAIRS: Final = 3
_MACHINE_SECTION: Final = struct.Struct(">2xBx4H8s4s16s16s4s")
_PARTITION_SECTION: Final = struct.Struct(">BxBxH4H2x8s4I8s2I")
_HYPERVISOR_SECTION: Final = struct.Struct(">4xB3x8s8s")
_GUEST_SECTION: Final = struct.Struct(">4x8s8xI8xI4x8s2I")

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


class SthyiMachine(NamedTuple):
    """The machine section."""

    cores: Cores
    name: str | Absent
    type: str | Absent
    manufacturer: str | Absent
    sequence: str | Absent
    plant: str | Absent


class SthyiPartition(NamedTuple):
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


class SthyiGuest(NamedTuple):
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
    machine: SthyiMachine | None
    partition: SthyiPartition | None
    levels: tuple[tuple[Hypervisor | None, SthyiGuest | None], ...]
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
    machine = _section(data, _MACHINE_SECTION, "machine", machine_at, machine_size)
    partition = _section(data, _PARTITION_SECTION, "partition", partition_at, partition_size)
    levels: list[tuple[Hypervisor | None, SthyiGuest | None]] = []
    for number in range(pairs):
        host_at, host_size, guest_at, guest_size = _PAIR.unpack_from(data, _PAIRS_AT + number * _PAIR.size)
        host = _section(data, _HYPERVISOR_SECTION, "hypervisor", host_at, host_size)
        guest = _section(data, _GUEST_SECTION, "guest", guest_at, guest_size)
        levels.append((_hypervisor(*host) if host else None, _sthyi_guest(*guest) if guest else None))
    return Sthyi(
        global_data=not flags & _NO_GLOBAL_DATA,
        complete=not flags & _INCOMPLETE,
        machine=_sthyi_machine(*machine) if machine else None,
        partition=_sthyi_partition(*partition) if partition else None,
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


def _sthyi_words(raw: bytes, what: str, valid: bool = True) -> str | Absent:
    return (valid and ebcdic_name(raw)) or absent(f"s390_sthyi does not tell the {what}")


def _cores(valid: bool, *counts: int) -> Cores:
    unknown = absent("s390_sthyi does not tell the counts of cores")
    return Cores(*(count if valid else unknown for count in counts))


def _cap(scaled: int, what: str, valid: bool = True) -> Number:
    """Return a cap in hundredths of a core."""
    if not valid:
        return absent(f"s390_sthyi does not tell the {what} cap")
    return scaled * 100 / 0x10000 if scaled else absent(f"no {what} cap is set")


def _sthyi_machine(validity: int, *fields: Any) -> SthyiMachine:
    *counts, called, kind, manufacturer, sequence, plant = fields
    known = bool(validity & _IDENTITY)
    return SthyiMachine(
        cores=_cores(bool(validity & _COUNTS), *counts),
        name=_sthyi_words(called, "machine's name", bool(validity & _NAMED)),
        type=_sthyi_words(kind, "machine type", known),
        manufacturer=_sthyi_words(manufacturer, "manufacturer", known),
        sequence=_sthyi_words(sequence, "sequence code", known),
        plant=_sthyi_words(plant, "plant", known),
    )


def _sthyi_partition(flags: int, validity: int, number: int, *fields: Any) -> SthyiPartition:
    *counts, called, weight_cp, absolute_cp, weight_ifl, absolute_ifl, group, group_cp, group_ifl = fields
    identified = bool(validity & _PARTITION_IDENTITY)
    weighted, absolute = bool(validity & _WEIGHT_CAPS), bool(validity & _ABSOLUTE_CAPS)
    grouped = bool(validity & _GROUP)
    return SthyiPartition(
        multithreading=bool(flags & _MULTITHREADING),
        cores=_cores(bool(validity & _COUNTS), *counts),
        number=number if identified else absent("s390_sthyi does not tell the partition's number"),
        name=_sthyi_words(called, "partition's name", identified),
        cap_weight_cp=_cap(weight_cp, "weight-based", weighted),
        cap_absolute_cp=_cap(absolute_cp, "absolute", absolute),
        cap_weight_ifl=_cap(weight_ifl, "weight-based", weighted),
        cap_absolute_ifl=_cap(absolute_ifl, "absolute", absolute),
        group=_sthyi_words(group, "capacity group", grouped),
        cap_group_cp=_cap(group_cp, "group", grouped),
        cap_group_ifl=_cap(group_ifl, "group", grouped),
    )


def _hypervisor(kind: int, system: bytes, cluster: bytes) -> Hypervisor:
    return Hypervisor(
        _HYPERVISORS.get(kind, str(kind)),
        _sthyi_words(system, "system identifier"),
        _sthyi_words(cluster, "cluster's name"),
    )


def _sthyi_guest(*fields: Any) -> SthyiGuest:
    called, cap_cp, cap_ifl, pool, pool_cp, pool_ifl = fields
    return SthyiGuest(
        name=_sthyi_words(called, "guest's name"),
        cap_cp=_cap(cap_cp, "guest"),
        cap_ifl=_cap(cap_ifl, "guest"),
        pool=_sthyi_words(pool, "resource pool"),
        cap_pool_cp=_cap(pool_cp, "pool"),
        cap_pool_ifl=_cap(pool_ifl, "pool"),
    )


def read_sthyi(tree: Tree) -> Sthyi | Absent:
    """Ask the running kernel, or read what was captured.

    Raises:
        ValueError: see `parse_sthyi`.
    """
    try:
        return parse_sthyi(call_sthyi() if tree.live else tree.read(STHYI_CAPTURED))
    except FileNotFoundError:
        return absent("the answer of s390_sthyi was not captured")
    except OSError as error:
        return absent(f"s390_sthyi: {error.strerror or error}")


def call_sthyi() -> bytes:
    """Make the system call and return its answer.

    Raises:
        OSError: there is none on this machine, or it does not answer here.
    """
    if os.uname().machine != "s390x":
        raise OSError(errno.ENOSYS, "only Linux on IBM Z has this system call")
    import ctypes  # noqa: PLC0415 - what was captured needs no call

    buffer = ctypes.create_string_buffer(STHYI_SIZE)
    code = ctypes.c_uint64()
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    if syscall(ctypes.c_long(SYSTEM_CALL), ctypes.c_ulong(0), buffer, ctypes.byref(code), ctypes.c_ulong(0)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if code.value:
        raise OSError(errno.EOPNOTSUPP, "the hypervisor refused the question")
    return buffer.raw
