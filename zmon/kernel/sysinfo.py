"""/proc/sysinfo: the machine, the partition and the hypervisors above this Linux.

The kernel prints what the STSI instruction tells (arch/s390/kernel/sysinfo.c), one `label: value`
per line, in blocks: the machine; if there is a partition, lines that begin with `LPAR`; for each
hypervisor below this Linux, lines that begin with `VMnn`, where `VM00` is the virtual machine that
this Linux runs in and higher numbers lie nearer to the machine.  Which lines appear depends on the
model, the firmware and the kernel, so nothing here depends on their order or number.

A Linux in a z/VM guest sees the partition that z/VM runs in.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from zmon.absent import Absent, absent
from zmon.kernel.attribute import refused
from zmon.kernel.tree import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Number
from zmon.kernel.tree import Tree

PATH: Final = "proc/sysinfo"

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


class Partition(NamedTuple):
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


class Guest(NamedTuple):
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
    partition: Partition | None
    guests: tuple[Guest, ...]
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


def _partition(block: _Block) -> Partition:
    return Partition(
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


def _guest(block: _Block) -> Guest:
    return Guest(
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
        return parse_sysinfo(text(tree, PATH))
    except FileNotFoundError:
        if _has_channels(tree):
            return absent("/proc/sysinfo is missing" if tree.live else "/proc/sysinfo is not in the capture")
        if tree.live:
            return absent("no /proc/sysinfo: this is not Linux on IBM Z")
        return absent("no /proc/sysinfo: it was not captured, or this is not Linux on IBM Z")
    except OSError as error:
        return refused(error)
