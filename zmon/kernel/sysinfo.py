"""/proc/sysinfo, s390_sthyi and uname: what this Linux runs on and in.

/proc/sysinfo has the answers of the STSI instruction (arch/s390/kernel/sysinfo.c), one `label: value` per
line, in blocks: the machine; if there is a partition, lines that begin with `LPAR`; for each hypervisor
below this Linux, lines that begin with `VMnn`, where `VM00` is the virtual machine that this Linux runs in
and higher numbers are nearer to the machine.  Which lines appear depends on the model, the firmware and the
kernel, so nothing here depends on their order or number.  A Linux in a z/VM guest sees the partition that
z/VM runs in.

s390_sthyi, system call 380, has the capacity of the machine, the partition and the hypervisors.  Anybody may
call it.  It fills 4096 bytes, big-endian: a header of 48 bytes with offset and length of each section, the
machine, the partition, and up to three pairs of hypervisor and guest, the one nearest to the machine first.
In an LPAR the kernel makes the answer up itself from STSI and from diagnoses X'204' and X'224' and keeps it
for a second; in a guest the hypervisor adds its own sections (arch/s390/kernel/sthyi.c,
arch/s390/include/asm/sthyi.h; field names in the qclib package).  A capture has it in
`syscall/s390_sthyi.bin`.

All of it is cheap and changes only by commands at the HMC; on emulators the capability may change by itself.
"""

from __future__ import annotations

import errno
import os
import re
import struct

from zmon.base.absent import Absent, Reasons, absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.kernel.tree import ebcdic_name, read_value, read_word, refused, text
from zmon.kinds import MACHINE
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Number, Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

SYSINFO: Final = "proc/sysinfo"
CM_ENABLE: Final = "sys/devices/css0/cm_enable"
VERSION: Final = "proc/version"
ARCHITECTURE: Final = "proc/sys/kernel/arch"
"""Since Linux 6.1."""

NEEDS_LPAR: Final = "needs an LPAR: a guest does not see the partitions of its machine"

LPAR_ONLY: Final = absent("channel measurement is offered in an LPAR only")
NO_GUEST: Final = absent("not in a virtual machine")
MISSING: Final = absent("/proc/sysinfo is missing")
LEFT_OUT: Final = absent("/proc/sysinfo is not in the capture")
NOT_Z: Final = absent("no /proc/sysinfo: this is not Linux on IBM Z")
NOT_CAPTURED: Final = absent("no /proc/sysinfo: it was not captured, or this is not Linux on IBM Z")
NO_ARCHITECTURE: Final = absent("the architecture was not captured")
NO_HOSTNAME: Final = absent("the host name was not captured")

_GUEST: Final = r"VM([0-9]{1,4})\x20(.+)"
_DIGITS: Final = r"[0-9]{1,20}"

_OUTER: Final = "hypervisor above that"
"""The label of what the hypervisors are, from the inner to the outer one, above that of this Linux."""
_WORDS: Final = {
    "manufacturer": "Manufacturer", "type": "Type", "sequence": "Sequence Code", "plant": "Plant",
    "lpar_name": "LPAR Name", "lpar_characteristics": "LPAR Characteristics",
    "guest_name": "VM00 Name", "control_program": "VM00 Control Program",
}  # fmt: skip
"""The lines whose words are a field of `MACHINE`; characteristics are Dedicated, Shared, Limited."""
_NUMBERS: Final = {
    "cpus_total": "CPUs Total", "cpus_configured": "CPUs Configured", "cpus_standby": "CPUs Standby",
    "cpus_reserved": "CPUs Reserved",
    "lpar_number": "LPAR Number", "lpar_cpus": "LPAR CPUs Total",
    "lpar_cpus_configured": "LPAR CPUs Configured", "lpar_cpus_dedicated": "LPAR CPUs Dedicated",
    "lpar_cpus_shared": "LPAR CPUs Shared", "lpar_adjustment": "LPAR Adjustment",
    "vm_cpus_configured": "VM00 CPUs Configured", "vm_adjustment": "VM00 Adjustment",
}  # fmt: skip
"""The lines whose first number is a field; adjustments are thousandths."""


class Sysinfo:
    """The lines of /proc/sysinfo by their labels; those of the innermost guest have the label `VM00 ...`."""

    def __init__(self, lines: Mapping[str, str]) -> None:
        """Hold lines as `parse_sysinfo` found them."""
        self._lines = lines
        self.has_partition = any(label.startswith("LPAR ") for label in lines)
        self.has_guest = any(label.startswith("VM00 ") for label in lines)

    @property
    def environment(self) -> str:
        """What this Linux runs in: `lpar`, `zvm`, `kvm`, or `none` where none of these is named."""
        if self.has_guest:
            program = str(self.words("VM00 Control Program"))
            return "zvm" if program.startswith("z/VM") else "kvm" if program.startswith("KVM") else "none"
        return "lpar" if self.has_partition else "none"

    def words(self, label: str) -> str | Absent:
        """Return what a line says, its words joined by one blank."""
        if label.startswith("LPAR ") and not self.has_partition:
            return absent("/proc/sysinfo names no LPAR")
        if label.startswith("VM00 ") and not self.has_guest:
            return NO_GUEST
        return self._lines.get(label) or absent(f"/proc/sysinfo has no {label}")

    def number(self, label: str) -> int | Absent:
        """Return the first number of a line: some lines repeat it in another measure."""
        value = self.words(label)
        if isinstance(value, Absent):
            return value
        first = value.split()[0]
        return (
            int(first) if re.fullmatch(_DIGITS, first) else absent(f"/proc/sysinfo: {label} is not a number")
        )

    def row(self) -> dict[str, Value]:
        """Return the fields of `MACHINE` that it has."""
        model, capacity = self.words("Model"), self.words("Model Capacity")
        row: dict[str, Value] = {
            # the hardware model, or the capacity model where firmware gives only that
            "model": model if isinstance(model, Absent) else model.split()[-1],
            # beside its name the line carries a rating, which is all there is when the name is blank
            "capacity_model": capacity if isinstance(capacity, Absent) else capacity.split()[0],
            "capability": _capability(self.number("Capability")),
            "environment": self.environment,
            "outer_programs": self.words(_OUTER),
        }
        row |= {field: self.words(label) for field, label in _WORDS.items()}
        return row | {field: self.number(label) for field, label in _NUMBERS.items()}


def parse_sysinfo(content: str) -> Sysinfo:
    """Parse the whole file.

    Raises:
        ValueError: there is no line in it that names a machine, a partition or a guest.
    """
    lines: dict[str, str] = {}
    guests: dict[int, dict[str, str]] = {}
    for line in content.splitlines():
        label, _colon, value = line.partition(":")
        label, value = label.strip(), " ".join(value.split())
        level = re.fullmatch(_GUEST, label)
        if level:
            guests.setdefault(int(level[1]), {})[level[2].strip()] = value
        elif value or label.startswith("LPAR "):
            lines[label] = value
    innermost = guests[min(guests)] if guests else {}
    outer = [guests[level].get("Control Program", "") for level in sorted(guests)[1:]]
    lines |= {_OUTER: " in ".join(filter(None, outer))} if any(outer) else {}
    answer = Sysinfo(lines | {f"VM00 {label}": value for label, value in innermost.items()})
    if "Manufacturer" not in lines and not answer.has_partition and not guests:
        raise ValueError(f"/proc/sysinfo: expected 'Manufacturer:' or 'LPAR ...:', found {content[:40]!r}")
    return answer


def _capability(printed: Number) -> Number:
    """Undo the kernel's printing of a floating-point number as if it were an integer.

    STSI gives an integer below 2^23, or a short binary float, whose bits are never that small.  Lower is
    faster; it means something only against other values of the same machine.
    """
    if isinstance(printed, Absent) or not 1 << 23 <= printed < 1 << 32:
        return printed
    value: float = struct.unpack(">f", struct.pack(">I", printed))[0]
    return value if 0 < value < float("inf") else absent("/proc/sysinfo: Capability is not a number")


def read_sysinfo(tree: Tree) -> Sysinfo | Absent:
    """Read /proc/sysinfo; absent where the kernel has none, which is everywhere but on IBM Z.

    Readable by all; costs a few STSI instructions.
    """
    try:
        return parse_sysinfo(text(tree, SYSINFO))
    except FileNotFoundError:
        if _has_channels(tree):
            return MISSING if tree.live else LEFT_OUT
        if tree.live:
            return NOT_Z
        return NOT_CAPTURED
    except OSError as error:
        return refused(error)


def _has_channels(tree: Tree) -> bool:
    """Return whether there is a channel subsystem, which only IBM Z has."""
    try:
        return bool(tree.entries("sys/devices/css0"))
    except OSError:
        return False


# --- s390_sthyi -------------------------------------------------------------------------------

STHYI_CAPTURED: Final = "syscall/s390_sthyi.bin"
SYSTEM_CALL: Final = 380
STHYI_SIZE: Final = 4096

_HEADER: Final = struct.Struct(">7xB8xHH")
_PAIR: Final = struct.Struct(">HH4x")
_PAIRS_AT: Final = 20
_MAX_PAIRS: Final = 3
_PARTITION: Final = struct.Struct(">2xB21x4I8s2I")
_HYPERVISOR: Final = struct.Struct(">8x8s8x")

_CAPS: Final = {
    "cap_weight_cp": ("weight-based", 0x40), "cap_absolute_cp": ("absolute", 0x20),
    "cap_weight_ifl": ("weight-based", 0x40), "cap_absolute_ifl": ("absolute", 0x20),
    "cap_group_cp": ("group", 0x08), "cap_group_ifl": ("group", 0x08),
}  # fmt: skip
"""The caps of the partition in the order of its section: the sort, and the flag that it is valid."""
_GROUP: Final = 0x08
STHYI_FIELDS: Final = (*_CAPS, "cap_group_name", "vm_name")
"""The fields of `MACHINE` that come from here; `vm_name` is the hypervisor that this Linux runs in."""
NOT_TOLD: Final = Reasons("sthyi-not-told", "s390_sthyi does not tell the {}")
NO_PARTITION: Final = absent("s390_sthyi reports no partition")
NO_HYPERVISOR: Final = absent("s390_sthyi reports no hypervisor")
NO_ANSWER: Final = absent("the answer of s390_sthyi was not captured")


def parse_sthyi(data: bytes) -> dict[str, Value]:
    """Parse the partition and the innermost hypervisor; sections may be longer than known.

    Caps are counted in 1/65536 of a core; here in hundredths of a core.  0 means "not capped" and is
    therefore absent.  A field whose validity flag is off is absent too.

    Raises:
        ValueError: a section lies outside of what was read, or is shorter than its known fields.
    """
    if len(data) < _PAIRS_AT + _MAX_PAIRS * _PAIR.size:
        raise ValueError(f"s390_sthyi: expected a header of 48 bytes, found {len(data)} bytes")
    pairs, partition_at, partition_size = _HEADER.unpack_from(data)
    if pairs > _MAX_PAIRS:
        raise ValueError(f"s390_sthyi: expected at most {_MAX_PAIRS} hypervisors, found {pairs}")
    row: dict[str, Value] = dict.fromkeys(STHYI_FIELDS, NO_PARTITION)
    partition = _section(data, _PARTITION, "partition", partition_at, partition_size)
    if partition:
        valid, *four, group, group_cp, group_ifl = partition
        for (name, (what, flag)), scaled in zip(_CAPS.items(), (*four, group_cp, group_ifl), strict=True):
            row[name] = _cap(scaled, what, bool(valid & flag))
        row["cap_group_name"] = _name(group if valid & _GROUP else b"", "capacity group")
    host = None
    if pairs:
        host_at, host_size = _PAIR.unpack_from(data, _PAIRS_AT + (pairs - 1) * _PAIR.size)
        host = _section(data, _HYPERVISOR, "hypervisor", host_at, host_size)
    row["vm_name"] = _name(host[0], "system identifier") if host else NO_HYPERVISOR
    return row


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


def _name(raw: bytes, what: str) -> str | Absent:
    return ebcdic_name(raw) or NOT_TOLD.about(what)


def _cap(scaled: int, what: str, is_valid: bool) -> Number:
    if not is_valid:
        return NOT_TOLD.about(f"{what} cap")
    return scaled * 100 / 0x10000 if scaled else absent(f"no {what} cap is set")


def read_sthyi(tree: Tree) -> dict[str, Value]:
    """Ask the running kernel, or read what was captured; see `parse_sthyi`."""
    try:
        return parse_sthyi(call_sthyi() if tree.live else tree.read(STHYI_CAPTURED))
    except FileNotFoundError:
        why = NO_ANSWER
    except OSError as error:
        why = absent(f"s390_sthyi: {error.strerror or error}")
    return dict.fromkeys(STHYI_FIELDS, why)


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


# --- the machine ------------------------------------------------------------------------------


def read_machine(tree: Tree) -> Frame:
    """Read the one row of the kind MACHINE; what cannot be known is absent with its reason.

    Raises:
        ValueError: /proc/sysinfo or the answer of s390_sthyi is malformed.
    """
    sysinfo = read_sysinfo(tree)
    if isinstance(sysinfo, Absent):
        fields = (*_WORDS, *_NUMBERS, "model", "capacity_model", "capability", "outer_programs")
        row: dict[str, Value] = {**dict.fromkeys(fields, sysinfo), "environment": "none"}
    else:
        row = sysinfo.row()
    row |= _linux(tree, on_z=not isinstance(sysinfo, Absent))
    row["cm_enable"] = read_value(tree, CM_ENABLE, int, LPAR_ONLY)
    row |= read_sthyi(tree)
    try:
        when = tree.when(VERSION if isinstance(sysinfo, Absent) else SYSINFO)
    except OSError:
        return empty_frame(MACHINE, "neither /proc/sysinfo nor /proc/version is there")
    return frame_of(MACHINE, {"machine": row}, when)


def parse_version(content: str) -> str:
    """Return the kernel's release from /proc/version.

    Raises:
        ValueError: it does not begin with `Linux version`.
    """
    fields = content.split(maxsplit=3)
    if fields[:2] != ["Linux", "version"] or len(fields) < 3:
        raise ValueError(f"/proc/version: expected 'Linux version ...', found {content[:40]!r}")
    return fields[2]


def _linux(tree: Tree, *, on_z: bool) -> Mapping[str, Value]:
    if tree.live:
        name = os.uname()
        return {"hostname": name.nodename, "kernel": name.release, "architecture": name.machine}
    return {
        # no other architecture has a /proc/sysinfo, and no 31-bit kernel is left
        "architecture": "s390x" if on_z else read_word(tree, ARCHITECTURE, NO_ARCHITECTURE),
        "kernel": read_value(tree, VERSION, parse_version),
        "hostname": read_value(tree, "proc/sys/kernel/hostname", missing=NO_HOSTNAME),
    }
