"""Arrays of md in the terms of targets: how each stretch of `/dev/md0` lies on its members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.topology.stripe import PARITY
from zmon.topology.target import Layout, Leg, Target

if TYPE_CHECKING:
    from zmon.absent import Value


class Member(NamedTuple):
    """One device of an array."""

    slot: int
    number: str
    """Empty when the array runs without it."""
    offset: int = 0
    """First byte of data there."""
    size: int = 0
    """Bytes of data there; 0 when that was not read."""


class Array(NamedTuple):
    """What md says of an array."""

    level: Value
    """`raid5`."""
    layout: Value
    """A number whose meaning depends on the level."""
    chunk: int
    """Bytes."""
    size: int
    """Bytes of the array."""
    members: tuple[Member, ...]
    """By slot, those that are missing among them."""


_RAID5: Final = ("la", "ra", "ls", "rs", "0", "n")
_RAID6: Final = {
    **dict(enumerate(_RAID5)), 8: "zr", 9: "nr", 10: "nc",
    16: "la_6", 17: "ra_6", 18: "ls_6", 19: "rs_6", 20: "0_6",
}  # fmt: skip
_OLDER: Final = 1
"""Layout of raid0 in which zones go on counting chunks from the begin of the array."""
_NEWER: Final = 2
"""The one in which each zone counts for itself."""


def members_of(cell: Value) -> tuple[Member, ...]:
    """Parse `0=94:5@2048+40960 1=-`: slot, number, first sector of data, sectors of data.

    Raises:
        ValueError: it has not this form, or a slot twice.
    """
    if isinstance(cell, Absent):
        return ()
    found: dict[int, Member] = {}
    for word in str(cell).split():
        slot, equals, rest = word.partition("=")
        number, at, place = rest.partition("@")
        offset, _, size = place.partition("+")
        numbers = [slot, *([offset] if at else []), *([size] if size else [])]
        if not equals or not all(n.isascii() and n.isdecimal() and len(n) < 19 for n in numbers):
            raise ValueError(f"not slot=number@offset+size: {word[:80]!r}")
        member = Member(
            int(slot), "" if number == "-" else number, int(offset or 0) * 512, int(size or 0) * 512
        )
        if found.setdefault(member.slot, member) is not member:
            raise ValueError(f"slot {member.slot} twice")
    return tuple(found[slot] for slot in sorted(found))


def targets(array: Array) -> tuple[Target, ...] | Absent:
    """Return how an array lies, or why that is not known.

    Kernel: drivers/md/raid0.c, raid1.c, raid5.c, raid10.c, md-linear.c.
    """
    if isinstance(array.level, Absent):
        return array.level
    if isinstance(array.layout, Absent):
        return array.layout
    if not array.members or not any(member.number for member in array.members):
        return absent("the members of the array are not known")
    if array.size <= 0:
        return absent("the size of the array is not known")
    return _targets(array, str(array.level), array.layout if isinstance(array.layout, int) else 0)


def _targets(array: Array, level: str, layout: int) -> tuple[Target, ...] | Absent:
    legs = tuple(Leg(member.number, member.offset) for member in array.members)
    whole = Target(0, array.size, level, Layout.MIRROR, legs, array.chunk)
    match level:
        case "raid1":
            return (whole._replace(chunk=0),)
        case "linear":
            return _joined(array)
        case _ if array.chunk <= 0:
            return absent(f"md says no chunk size of a {level[:20]}")
        case "raid0":
            return _zones(array, layout)
        case "raid10":
            return _raid10(whole, layout)
    return _rotating(whole, layout)


def _rotating(whole: Target, layout: int) -> tuple[Target, ...] | Absent:
    kind = _parity(whole.kind, layout)
    if kind not in PARITY or len(whole.legs) <= PARITY[kind]:
        return absent(f"md's {whole.kind[:20]} of layout {layout} on {len(whole.legs)} is not known to zmon")
    return (whole._replace(kind=kind, layout=Layout.PARITY),)


def _parity(level: str, layout: int) -> str:
    if level == "raid4":
        return "raid5_n"
    if level == "raid5" and 0 <= layout < len(_RAID5):
        return f"raid5_{_RAID5[layout]}"
    return f"raid6_{_RAID6.get(layout)}" if level == "raid6" else ""


def _raid10(whole: Target, layout: int) -> tuple[Target, ...] | Absent:
    close, far = layout & 0xFF, layout >> 8 & 0xFF
    copies = close * far
    if not 1 <= copies <= len(whole.legs):
        return absent(f"md's raid10 of layout {layout:#x} is not known to zmon")
    if far == 1:
        return (whole._replace(layout=Layout.NEAR, copies=copies),)
    note = "raid10 with far copies: equal shares are assumed"
    return (whole._replace(layout=Layout.EVEN, copies=copies, note=note),)


def _joined(array: Array) -> tuple[Target, ...] | Absent:
    """Return the members one behind the other."""
    found, start = [], 0
    for member in array.members:
        size = _rounded(member.size, array.chunk)
        if not size:
            return absent("the sizes of the array's members are not known")
        leg = Leg(member.number, member.offset)
        found.append(Target(start, size, "linear", Layout.LINEAR, (leg,)))
        start += size
    return tuple(found)


def _zones(array: Array, layout: int) -> tuple[Target, ...] | Absent:
    """Return the zones of a raid0: when the smallest member is full, it goes on over the others."""
    chunk = array.chunk
    sizes = [_rounded(member.size, chunk) for member in array.members]
    if not all(sizes):
        return absent("the sizes of the array's members are not known")
    found: list[Target] = []
    start = depth = 0
    for limit in sorted(set(sizes)):
        legs = [
            Leg(member.number, member.offset + depth)
            for member, size in zip(array.members, sizes, strict=True)
            if size >= limit
        ]
        note = ""
        if turn := start // chunk % len(legs):
            if layout == _OLDER:
                legs = legs[turn:] + legs[:turn]
            elif layout != _NEWER:
                note = "md does not say in which order this zone goes round"
        length = (limit - depth) * len(legs)
        found.append(
            Target(
                start, length, "raid0", Layout.EVEN if note else Layout.STRIPED, tuple(legs), chunk, note=note
            )
        )
        start, depth = start + length, limit
    return tuple(found)


def _rounded(size: int, chunk: int) -> int:
    return size // chunk * chunk if chunk else size
