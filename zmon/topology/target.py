"""Targets: how each part of a block device is laid out over the devices below it.

The tables of the device mapper have one line per segment, as `dmsetup table` prints one device: `start
length target arguments`, in sectors of 512 bytes.  A volume that was extended later has several segments.
md arrays are put in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from itertools import pairwise

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.base.sizes import SECTOR
from zmon.topology.stripe import PARITY

if TYPE_CHECKING:
    from zmon.base.absent import Value


class TargetLayout(Enum):
    """How bytes are laid out on legs."""

    LINEAR = "linear"
    """One after the other on one leg."""
    STRIPED = "striped"
    """Chunk by chunk on the legs in turn."""
    MIRROR = "mirror"
    """All on every leg."""
    PARITY = "parity"
    """Chunk by chunk, with one or two chunks of each row that can rebuild others."""
    NEAR = "near"
    """Chunk by chunk, each in several copies on legs side by side."""
    EVEN = "even"
    """In equal shares on the legs, in an order that zmon does not know."""
    PATHS = "paths"
    """The legs are paths to one disk."""
    SOMEWHERE = "somewhere"
    """On some of the legs, and only the target knows which."""
    NOWHERE = "nowhere"
    """On no device."""


class Leg(NamedTuple):
    """One device that holds a part."""

    device: str
    """Its number, `94:5`; empty when it is missing."""
    offset: int = 0
    """Where the part begins there, in bytes."""


class Target(NamedTuple):
    """One segment of a device."""

    start: int
    """Its first byte on the device."""
    length: int
    """Its bytes."""
    kind: str
    """Its name: `linear`, `striped`, `raid5_ls`, `thin-pool`."""
    layout: TargetLayout
    legs: tuple[Leg, ...] = ()
    """The devices that hold its data, in the order of the layout."""
    chunk: int = 0
    """Bytes that lie together on a leg of a striped layout."""
    copies: int = 1
    """The copies of each byte in a near or even layout."""
    beside: tuple[str, ...] = ()
    """Numbers of devices that belong to it and hold none of its data: metadata, logs."""
    note: str = ""
    """The assumption under which the place is valid, if any."""

    @property
    def end(self) -> int:
        """The first byte after it."""
        return self.start + self.length


def parse_table(text: str) -> list[Target]:
    """Parse the table of one device.

    A target that zmon does not know has the layout `SOMEWHERE` and no legs.  A key of dm-crypt
    is dropped.  Kernel: Documentation/admin-guide/device-mapper/.

    Raises:
        ValueError: a line is not understood, or segments overlap; the message quotes what was found.
    """
    targets = [_segment(line) for line in text.splitlines() if line.strip()]
    targets.sort(key=lambda target: target.start)
    for before, other in pairwise(targets):
        if other.start < before.end:
            raise ValueError(f"segments overlap at sector {other.start // SECTOR}")
    return targets


def describe(target: Target) -> str:
    """Describe a target for people: `striped over 4, 64 KiB`."""
    legs = len(target.legs)
    match target.layout:
        case TargetLayout.EVEN if legs == 1:
            text = target.kind
        case TargetLayout.STRIPED | TargetLayout.PARITY | TargetLayout.EVEN | TargetLayout.NEAR:
            chunk = f", {size_of(target.chunk)}" if target.chunk else ""
            copies = f", {target.copies} copies" if target.copies > 1 else ""
            text = f"{target.kind} over {legs}{chunk}{copies}"
        case TargetLayout.MIRROR:
            text = f"{target.kind} on {legs}"
        case TargetLayout.PATHS:
            text = f"one disk over {legs} path{'s' * (legs != 1)}"
        case TargetLayout.SOMEWHERE:
            text = f"{target.kind}, which places each block itself"
        case TargetLayout.NOWHERE:
            text = "a hole in its file" if target.kind == "hole" else f"{target.kind}, on no device"
        case TargetLayout.LINEAR:
            text = target.kind
    return text


def size_of(count: int) -> str:
    """Write a number of bytes for people, exactly: `64 KiB`."""
    for unit, name in ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} bytes"


# --- one line ---------------------------------------------------------------------------------


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 19


def _is_device(word: str) -> bool:
    return re.fullmatch("[0-9]{1,7}:[0-9]{1,8}", word) is not None


class _Words:
    """The arguments of one line, taken from the left."""

    def __init__(self, fields: list[str]) -> None:
        self.words = fields
        self.at = 0

    def word(self, what: str) -> str:
        if self.at >= len(self.words):
            raise ValueError(f"ends where {what} should follow")
        self.at += 1
        return self.words[self.at - 1]

    def number(self, what: str, least: int = 0) -> int:
        word = self.word(what)
        if not _is_number(word) or int(word) < least:
            raise ValueError(f"{word[:40]!r} is not {what}")
        return int(word)

    def bytes(self, what: str) -> int:
        return self.number(what) * SECTOR

    def device(self, *, may_lack: bool = False) -> str:
        word = self.word("a device")
        if may_lack and word == "-":
            return ""
        if not _is_device(word):
            raise ValueError(f"{word[:40]!r} is not a device")
        return word

    def leg(self) -> Leg:
        return Leg(self.device(), self.bytes("an offset"))

    def several(self, what: str) -> list[str]:
        """A count, and that many words."""
        return [self.word(what) for _ in range(self._few(f"the number of {what}s"))]

    def legs(self, count: int) -> tuple[Leg, ...]:
        return tuple(self.leg() for _ in range(count))

    def many(self, what: str) -> int:
        """A count of what follows, which must be there."""
        return max(1, self._few(what, 1))

    def _few(self, what: str, least: int = 0) -> int:
        count = self.number(what, least)
        if count > len(self.words) - self.at:
            raise ValueError(f"{what} is {count}, and only {len(self.words) - self.at} words follow")
        return count

    def rest(self) -> list[str]:
        return self.words[self.at :]

    def all_devices(self) -> tuple[Leg, ...]:
        """All devices that are named in any argument."""
        return tuple(Leg(word) for word in self.words if _is_device(word))


class _Head(NamedTuple):
    """The words before the arguments."""

    start: int
    length: int
    kind: str


_Reader = Callable[[_Head, _Words], "Target"]


def _segment(line: str) -> Target:
    fields = line.split()
    if len(fields) < 3 or not (_is_number(fields[0]) and _is_number(fields[1])):
        raise ValueError(f"not `start length target`: {' '.join(fields[:3])[:80]!r}")
    head = _Head(int(fields[0]) * SECTOR, int(fields[1]) * SECTOR, fields[2])
    parse = _TARGETS.get(head.kind, _UNKNOWN)
    try:
        return parse(head, _Words(fields[3:]))
    except ValueError as error:
        raise ValueError(f"{head.kind[:40]}: {error}") from None


def _striped(head: _Head, fields: _Words) -> Target:
    count = fields.many("the number of stripes")
    chunk = fields.number("the chunk size", 1) * SECTOR
    return Target(*head, TargetLayout.STRIPED, fields.legs(count), chunk)


def _part(head: _Head, fields: _Words) -> Target:
    """Read a segment as texts tell it: in equal parts on devices, which may have stand-ins for numbers."""
    legs = tuple(map(Leg, fields.rest()))
    kind = (TargetLayout.STRIPED if len(legs) > 1 else TargetLayout.LINEAR).value
    return Target(head.start, head.length, kind, TargetLayout.EVEN, legs)


def _mirror(head: _Head, fields: _Words) -> Target:
    fields.word("the kind of log")
    log = tuple(word for word in fields.several("log argument") if _is_device(word))
    legs = fields.legs(fields.many("the number of mirrors"))
    return Target(*head, TargetLayout.MIRROR, legs, beside=log)


def _raid(head: _Head, fields: _Words) -> Target:
    kind = fields.word("the raid level")
    parameters = fields.several("parameter")
    pairs = [
        (fields.device(may_lack=True), fields.device(may_lack=True))
        for _ in range(fields.many("the number of devices"))
    ]
    if not parameters or not _is_number(parameters[0]):
        raise ValueError("the chunk size is missing")
    chunk = int(parameters[0]) * SECTOR
    named = dict(pairwise(parameters))  # flags among them are ignored
    offset = _parameter(named, "data_offset", 0) * SECTOR
    target = Target(
        head.start, head.length, kind, TargetLayout.EVEN,
        tuple(Leg(data, offset) for _, data in pairs), chunk,
        beside=tuple(meta for meta, _ in pairs if meta),
    )  # fmt: skip
    if "delta_disks" in named:
        return target._replace(note="it is being reshaped: equal shares are assumed")
    if kind == "raid1":
        return target._replace(layout=TargetLayout.MIRROR)
    if not chunk:
        raise ValueError(f"{kind[:40]} has no chunk size")
    return _raid_layout(target, named)


def _raid_layout(target: Target, named: dict[str, str]) -> Target:
    kind, legs = target.kind, len(target.legs)
    if kind in ("raid0", "raid0_meta"):
        return target._replace(layout=TargetLayout.STRIPED)
    if kind.startswith("raid10"):
        form = kind.partition("_")[2] or named.get("raid10_format", "near")
        copies = _parameter(named, "raid10_copies", 2)
        if not 1 <= copies <= legs:
            raise ValueError(f"{copies} copies on {legs} devices")
        layout, note = (
            (TargetLayout.NEAR, "") if form == "near" else (TargetLayout.EVEN, _even(f"raid10 {form[:20]}"))
        )
        return target._replace(layout=layout, copies=copies, note=note)
    if kind in PARITY:
        if legs <= PARITY[kind]:
            raise ValueError(f"{kind} on {legs} devices")
        return target._replace(layout=TargetLayout.PARITY)
    return target._replace(note=_even(kind[:40]))


def _even(what: str) -> str:
    return f"the layout {what} is not known to zmon: equal shares are assumed"


def _parameter(named: dict[str, str], name: str, otherwise: int) -> int:
    word = named.get(name, str(otherwise))
    if not _is_number(word):
        raise ValueError(f"{name} is {word[:40]!r}, which is no number")
    return int(word)


def _cache(head: _Head, fields: _Words) -> Target:
    meta, fast, slow = fields.device(), fields.device(), fields.device()
    fields.number("the block size")
    features = fields.several("feature")
    if "writethrough" in features or "passthrough" in features:
        note = f"blocks that are used often lie on {fast} as well"
        return Target(*head, TargetLayout.LINEAR, (Leg(slow, head.start),), beside=(meta, fast), note=note)
    note = f"blocks that are used often lie on {fast}, some of them only there"
    return Target(*head, TargetLayout.SOMEWHERE, (Leg(slow), Leg(fast)), beside=(meta,), note=note)


def _multipath(head: _Head, fields: _Words) -> Target:
    fields.several("feature")
    fields.several("handler argument")
    groups = fields.number("the number of path groups")
    fields.word("the first path group")
    legs: list[Leg] = []
    for _ in range(min(groups, len(fields.words))):
        fields.word("a path selector")
        fields.several("selector argument")
        paths, arguments = fields.many("the number of paths"), fields.number("the number of path arguments")
        for _ in range(paths):
            legs.append(Leg(fields.device()))
            for _ in range(arguments):
                fields.word("a path argument")
    return Target(*head, TargetLayout.PATHS, tuple(legs))


def _delay(head: _Head, fields: _Words) -> Target:
    read = fields.leg()
    fields.word("a delay")
    if not fields.rest() or fields.leg() == read:
        return Target(*head, TargetLayout.LINEAR, (read,))
    legs = fields.all_devices()
    return Target(*head, TargetLayout.SOMEWHERE, legs, note="it reads and writes on different devices")


def _integrity(head: _Head, fields: _Words) -> Target:
    device = fields.device()
    beside = tuple(word.partition(":")[2] for word in fields.rest() if word.startswith("meta_device:"))
    return Target(
        *head, TargetLayout.SOMEWHERE, (Leg(device),), beside=beside, note="checksums lie between the data"
    )


def _form(form: str, layout: TargetLayout = TargetLayout.LINEAR, note: str = "") -> _Reader:
    """Return a reader for a target of fixed words.

    They are a `leg` (device and offset), a `device`, one on which all lies at the `same` place, one `beside`,
    a device that `may-be` there, `all` devices, or a word of which it says what it is.
    """

    def read(head: _Head, fields: _Words) -> Target:
        legs: list[Leg] = []
        beside: list[str] = []
        for part in form.split():
            match part:
                case "leg":
                    legs.append(fields.leg())
                case "device":
                    legs.append(Leg(fields.device()))
                case "same":
                    legs.append(Leg(fields.device(), head.start))
                case "beside":
                    beside.append(fields.device())
                case "may-be":
                    legs += [Leg(word) for word in fields.rest()[:1] if _is_device(word)]
                case "all":
                    legs += fields.all_devices()
                case "number":
                    fields.number("a number")
                case _:
                    fields.word(f"a {part}")
        others = tuple(number for number in beside if number not in {leg.device for leg in legs})
        said = note.format(kind=head.kind[:40], last=legs[-1].device if legs else "")
        return Target(*head, layout, tuple(legs), beside=others, note=said)

    return read


NO_MEMBERS: Final = absent("the members of the array are not known")
NO_LAYOUT: Final = absent("how the data of the array lie on its members is not known")
NO_SIZE: Final = absent("the size of the array is not known")
NO_MEMBER_SIZE: Final = absent("the sizes of the array's members are not known")
_LINEAR: Final = _form("leg")
_SNAPSHOT: Final = _form(
    "device device", TargetLayout.SOMEWHERE, "blocks that were changed lie on the copy-on-write device"
)
_NOWHERE: Final = _form("", TargetLayout.NOWHERE, "reads of it find no device")
_UNKNOWN: Final = _form("all", TargetLayout.SOMEWHERE, "how {kind} lies is not known to zmon")

_TARGETS: Final[dict[str, _Reader]] = {
    "linear": _LINEAR, "flakey": _LINEAR, "dust": _LINEAR, "ebs": _LINEAR,
    "striped": _striped, "segment": _part, "mirror": _mirror, "raid": _raid,
    "snapshot-origin": _form("same"), "snapshot": _SNAPSHOT, "snapshot-merge": _SNAPSHOT,
    "thin": _form(
        "device number may-be", TargetLayout.SOMEWHERE, "its blocks follow only from a dump of the pool"
    ),
    "thin-pool": _form("beside same"), "era": _form("beside same"), "verity": _form("version device beside"),
    "cache": _cache, "multipath": _multipath, "delay": _delay, "integrity": _integrity,
    "crypt": _form("cipher key vector-offset leg", note="the content there is encrypted"),
    "writecache": _form(
        "kind device device", TargetLayout.SOMEWHERE, "what was written last may lie on {last} alone"
    ),
    "error": _NOWHERE, "zero": _NOWHERE, "hole": _form("", TargetLayout.NOWHERE),
    "file": _form("all", TargetLayout.SOMEWHERE, "it lies in a file, of which not all extents are known"),
    "vdo": _form("all", TargetLayout.SOMEWHERE, "vdo joins equal blocks and packs them"),
}  # fmt: skip


class ArrayMember(NamedTuple):
    """One device of an array."""

    slot: int
    number: str
    """Empty when the array runs without it."""
    offset: int = 0
    """First byte of data there."""
    size: int = 0
    """Bytes of data there; 0 when that was not read."""


class MdArray(NamedTuple):
    """An array as md describes it."""

    level: Value
    """`raid5`."""
    layout: Value
    """A number whose meaning depends on the level."""
    chunk: int
    """Bytes."""
    size: int
    """Bytes of the array."""
    members: tuple[ArrayMember, ...]
    """By slot, those that are missing among them."""


_ROTATIONS: Final = {
    0: "la", 1: "ra", 2: "ls", 3: "rs", 4: "0", 5: "n", 8: "zr", 9: "nr", 10: "nc",
    16: "la_6", 17: "ra_6", 18: "ls_6", 19: "rs_6", 20: "0_6",
}  # fmt: skip
"""The layouts with parity by md's numbers; raid5 has the first six."""
_OLDER: Final = 1
"""Layout of raid0 in which zones continue to count chunks from the beginning of the array."""
_NEWER: Final = 2
"""The one in which each zone counts for itself."""


def parse_members(cell: Value) -> tuple[ArrayMember, ...]:
    """Parse `0=94:5@2048+40960 1=-`: slot, number, first sector of data, sectors of data.

    Raises:
        ValueError: it has not this form, or a slot twice.
    """
    members: dict[int, ArrayMember] = {}
    for word in text_of(cell).split():
        slot, equals, rest = word.partition("=")
        number, sign, place = rest.partition("@")
        offset, _, size = place.partition("+")
        numbers = [slot, *([offset] if sign else []), *([size] if size else [])]
        if not equals or not all(map(_is_number, numbers)):
            raise ValueError(f"not slot=number@offset+size: {word[:80]!r}")
        at, count = int(offset or 0) * SECTOR, int(size or 0) * SECTOR
        member = ArrayMember(int(slot), "" if number == "-" else number, at, count)
        if members.setdefault(member.slot, member) is not member:
            raise ValueError(f"slot {member.slot} twice")
    return tuple(members[slot] for slot in sorted(members))


def md_targets(array: MdArray) -> tuple[Target, ...] | Absent:
    """Return the targets of an array, or the reason why they are unknown.

    Kernel: drivers/md/raid0.c, raid1.c, raid5.c, raid10.c, md-linear.c.
    """
    if isinstance(array.level, Absent):
        return array.level
    if isinstance(array.layout, Absent):
        return array.layout
    if not array.members or not any(member.number for member in array.members):
        return NO_MEMBERS
    if array.size <= 0:
        return NO_SIZE
    return _md_targets(array, str(array.level), array.layout if isinstance(array.layout, int) else 0)


def _md_targets(array: MdArray, level: str, layout: int) -> tuple[Target, ...] | Absent:
    legs = tuple(Leg(member.number, member.offset) for member in array.members)
    whole = Target(0, array.size, level, TargetLayout.MIRROR, legs, array.chunk)
    match level:
        case "raid1":
            return (whole._replace(chunk=0),)
        case "linear":
            return _md_linear(array)
        case _ if array.chunk <= 0:
            return absent(f"md says no chunk size of a {level[:20]}")
        case "raid0":
            return _md_zones(array, layout)
        case "raid10":
            return _md_raid10(whole, layout)
    return _md_rotating(whole, layout)


def _md_rotating(whole: Target, layout: int) -> tuple[Target, ...] | Absent:
    kind = "raid5_n" if whole.kind == "raid4" else f"{whole.kind}_{_ROTATIONS.get(layout)}"
    if kind not in PARITY or len(whole.legs) <= PARITY[kind]:
        return absent(f"md's {whole.kind[:20]} of layout {layout} on {len(whole.legs)} is not known to zmon")
    return (whole._replace(kind=kind, layout=TargetLayout.PARITY),)


def _md_raid10(whole: Target, layout: int) -> tuple[Target, ...] | Absent:
    close, far = layout & 0xFF, layout >> 8 & 0xFF
    copies = close * far
    if not 1 <= copies <= len(whole.legs):
        return absent(f"md's raid10 of layout {layout:#x} is not known to zmon")
    if far == 1:
        return (whole._replace(layout=TargetLayout.NEAR, copies=copies),)
    note = "raid10 with far copies: equal shares are assumed"
    return (whole._replace(layout=TargetLayout.EVEN, copies=copies, note=note),)


def _md_linear(array: MdArray) -> tuple[Target, ...] | Absent:
    """Return the members one after the other."""
    targets, start = [], 0
    for member in array.members:
        size = _rounded(member.size, array.chunk)
        if not size:
            return NO_MEMBER_SIZE
        leg = Leg(member.number, member.offset)
        targets.append(Target(start, size, "linear", TargetLayout.LINEAR, (leg,)))
        start += size
    return tuple(targets)


def _md_zones(array: MdArray, layout: int) -> tuple[Target, ...] | Absent:
    """Return the zones of a raid0: behind the end of the smallest member it continues on the others."""
    chunk = array.chunk
    sizes = [_rounded(member.size, chunk) for member in array.members]
    if not all(sizes):
        return NO_MEMBER_SIZE
    zones: list[Target] = []
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
        zones.append(
            Target(
                start,
                length,
                "raid0",
                TargetLayout.EVEN if note else TargetLayout.STRIPED,
                tuple(legs),
                chunk,
                note=note,
            )
        )
        start, depth = start + length, limit
    return tuple(zones)


def _rounded(size: int, chunk: int) -> int:
    return size // chunk * chunk if chunk else size
