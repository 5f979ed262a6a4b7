"""The stack of block devices: partitions, logical volumes, arrays, and the disks below them."""

from __future__ import annotations

import re
from functools import cache, cached_property

from zmon.base.absent import Absent, absent, code_of, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.base.sizes import SECTOR
from zmon.kinds import CONTRADICTED, FAILED, MPATH, NSD, OF_GPFS, POOL, STACKED, STRIPED, VOLUME_GROUP
from zmon.topology.claims import Evidence, Grade
from zmon.topology.origins import NO_ORIGINS, Origins
from zmon.topology.target import (
    NO_LAYOUT,
    Leg,
    MdArray,
    Target,
    TargetLayout,
    describe,
    md_targets,
    parse_members,
    parse_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zmon.base.absent import Number, Value
    from zmon.sample import Frame
    from zmon.topology.target import ArrayMember


INNER: Final = {
    "rimage": "data of a raid volume", "rmeta": "metadata of a raid volume",
    "mimage": "data of a mirror", "mlog": "log of a mirror",
    "tdata": "data of a thin pool", "tmeta": "metadata of a thin pool", "tpool": "thin pool",
    "cdata": "data of a cache", "cmeta": "metadata of a cache", "cvol": "cache", "cpool": "cache",
    "corig": "origin of a cache", "wcorig": "origin of a write cache",
    "vdata": "data of a vdo pool", "vpool": "vdo pool",
    "imeta": "metadata of integrity", "iorig": "origin of integrity",
    "real": "origin of snapshots", "cow": "changes of a snapshot",
    "pmspare": "spare metadata",
}  # fmt: skip
_WITHOUT_DATA: Final = frozenset(
    INNER[purpose] for purpose in ("rmeta", "mlog", "tmeta", "cmeta", "imeta", "pmspare")
)

_SUFFIX: Final = (
    r".(?:_(rimage|rmeta|mimage)_[0-9]+|_(mlog|tdata|tmeta|cdata|cmeta|cvol|cpool|corig|wcorig|vdata|vpool"
    r"|imeta|iorig|pmspare)|(?<!-)-(tpool|real|cow))\Z"
)


def group_of(mapped: str, uuid: str = "") -> str:
    """Return the group of a logical volume; a device of another origin may be called like one."""
    return (volume_name(mapped) or "").partition("/")[0] if uuid.startswith("LVM-") or not uuid else ""


def volume_name(mapped: str) -> str | None:
    """Return `group/volume` for a name in /dev/mapper, `my--group-my--volume`; None when it is no such.

    A hyphen within either name is doubled there.  The suffix of devices within a volume
    stays: `group/volume-real`.
    """
    runs = (match for match in re.finditer("-+", mapped) if len(match[0]) % 2)
    first = next(runs, None)  # doubled ones come in pairs, and no volume begins with one
    if first is None or not first.start() or first.end() == len(mapped):
        return None
    at = first.end() - 1
    group, volume = mapped[:at], mapped[at + 1 :]
    return f"{group.replace('--', '-')}/{volume.replace('--', '-')}"


def inner(mapped: str) -> str:
    """Return the purpose of a device within a volume, by its name; empty for a volume that people made."""
    match = re.search(_SUFFIX, mapped)
    return INNER[next(filter(None, match.groups()))] if match else ""


TAGS: Final = {
    "UUID": "by-uuid", "LABEL": "by-label", "ID": "by-id",
    "PARTUUID": "by-partuuid", "PARTLABEL": "by-partlabel",
}  # fmt: skip
"""The tags by which /etc/fstab may name devices, each with its directory in /dev/disk."""
_UNESCAPED: Final = "#+-.:=@_"
"""Characters that udev leaves as they are in a name, besides letters, digits and all beyond ASCII."""
REMOVED: Final = "removed"
"""The state of a path whose disk is no more, and its name if it has no number."""
RIVAL: Final = "rival"
"""The sort of what stands for a member about which texts contradict each other."""
DEPTH: Final = 32
"""Maximum number of layers; more are taken for a circle."""


_ON_DEVICES: Final = frozenset({VOLUME_GROUP, NSD, POOL, FAILED, STACKED, "btrfs", "content"})
"""Sorts of what lies on devices in a way that no source tells; of texts those that are no devices."""
_UNMAPPED_FILE: Final = absent("which parts of its file system its file has is not known")
_UNLISTED: Final = absent("which devices it is made of is not known")
_UNMAPPED: Final = absent("which parts of its devices a group uses is not known")


class BlockDevice(NamedTuple):
    """One block device."""

    number: str
    """major:minor, which identifies it as long as it exists."""
    name: Value
    """As the kernel calls it: `dasda1`, `dm-3`."""
    sort: Value
    """`disk`, `partition`, `dm`, `md`, `loop`; of texts `volume group`, `btrfs`."""
    parent: Value
    """Number of the whole disk of a partition."""
    start: Number
    """First byte of a partition on its disk."""
    size: Number
    """Bytes."""
    below: tuple[str, ...]
    """Numbers of the devices that it is made of, those that hold no data among them."""
    mapped: Value
    """Name in /dev/mapper."""
    uuid: Value
    """Of the device mapper: `LVM-...`, `mpath-...`."""
    table: tuple[Target, ...] | Absent
    """Of the device mapper; of a loop device the layout of its file."""
    level: Value
    layout: Value
    chunk: Number
    """Bytes of a chunk of an md array."""
    members: tuple[ArrayMember, ...]
    """Of an md array, by slot."""
    busid: Value
    wwpn: Value
    lun: Value
    file: Value
    """The file of a loop device."""

    @property
    def title(self) -> str:
        """Its name for people: `vg/lv`, `mpatha`, `dasda1`; its number if nothing else is known."""
        if isinstance(self.mapped, str):
            volume = volume_name(self.mapped) if str(self.uuid).startswith("LVM-") else None
            return volume or self.mapped
        return self.number if isinstance(self.name, Absent) else str(self.name)

    @property
    def is_unseen(self) -> bool:
        """Whether it stands for a member that a group may have, and of which texts say nothing more."""
        return (isinstance(self.sort, Absent) and isinstance(self.name, Absent)) or self.sort == RIVAL

    @property
    def wwid(self) -> str:
        """The WWID of the disk that a multipath device is; empty for any other device."""
        uuid = text_of(self.uuid)
        return uuid.removeprefix(MPATH) if uuid.startswith(MPATH) else ""

    @property
    def multipath(self) -> bool:
        """Whether it is one disk, reached over several others."""
        if isinstance(self.table, Absent):
            return text_of(self.uuid).startswith(MPATH)
        return bool(self.table) and all(target.layout is TargetLayout.PATHS for target in self.table)


class StackLayer(NamedTuple):
    """One device between a file system and its disks."""

    depth: int
    number: str
    title: str
    what: str
    """Its layout, for people: `striped over 4, 64 KiB`."""


class DeviceLayout(NamedTuple):
    """The layout of a device, prepared for mapping."""

    node: BlockDevice | None
    title: str
    size: int | None
    """Bytes; None when they are not known."""
    segments: tuple[Target, ...]
    """None for a leaf, and where it is not known."""
    starts: list[int]
    """Where the segments begin."""
    reason: str
    """Why its layout is unknown; empty when it is known."""
    straight: tuple[str, ...]
    """The devices from this one to its leaf, when all its bytes are on that leaf and no note is needed."""


class Stack:
    """The block devices of a machine, each with the devices below it.

    It is the state when the frame was read; a volume that was moved since lies elsewhere.
    """

    def __init__(self, layers: Frame, origins: Origins = NO_ORIGINS) -> None:
        """Take the rows of a LAYER frame, and which texts they are from."""
        self._layers = layers
        self.origins = origins
        self.node: Callable[[str], BlockDevice | None] = cache(self._node)
        """Returns the device with a number."""
        self.segments: Callable[[str], tuple[Target, ...] | Absent] = cache(self._segments)
        """Returns the segments of a device on those below it; none for a leaf, absent if unknown."""
        self.layout: Callable[[str], DeviceLayout] = cache(self._layout)
        """Returns the layout of a device, prepared for mapping."""
        self.evidence: Callable[[str], Evidence] = cache(self._evidence)
        """Returns the source of the layout of a device."""
        self.chain: Callable[[str], tuple[StackLayer, ...]] = cache(self._chain)
        """Returns the devices from one down, depth first; each is entered once."""

    # --- devices ------------------------------------------------------------------------------

    def named(self, name: str) -> BlockDevice | None:
        """Return the device of this name: `dasda1`, `/dev/mapper/vg-lv`, `vg/lv`, `94:5`.

        Names that udev gives are paths, or tags as mount(8) takes them: `UUID=...`, `LABEL=...`.  Names of
        the kernel take precedence over those that people gave, and these over those of udev.
        """
        plain = tagged(name).removeprefix("/dev/")
        number = self._names.get(plain.removeprefix("mapper/")) or self._names.get(plain)
        if number is None:
            number = self._links.get(plain if "/" in plain else f"mapper/{plain}")
            number = number or self._links.get(plain.casefold())
        return self.node(number or name)

    def title(self, number: str) -> str:
        """Return the name of a device for people; its number when nothing is known of it."""
        node = self.node(number)
        return node.title if node else number

    @property
    def numbers(self) -> list[str]:
        """The numbers of all devices."""
        return self._layers.keys

    @property
    def nsds(self) -> tuple[str, ...]:
        """The numbers of what Storage Scale (GPFS) has on disks of this host, as texts say."""
        return tuple(
            number
            for number, sort in zip(self._layers.keys, self._layers.column("sort"), strict=True)
            if sort == NSD
        )

    def nsds_of(self, system: str) -> tuple[str, ...]:
        """Return the numbers of those that a file system may be on: not of those of another."""
        systems = dict(zip(self._layers.keys, map(text_of, self._layers.column("uuid")), strict=True))
        return tuple(number for number in self.nsds if systems[number] in {"", f"{OF_GPFS}{system}"})

    @cached_property
    def _names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for column in ("mapped", "name"):
            for number, name in zip(self._layers.keys, self._layers.column(column), strict=True):
                if isinstance(name, Absent):
                    continue
                plain = str(name)
                names[plain] = number
                if column == "mapped" and (volume := volume_name(plain)):
                    names.setdefault(volume, number)
                elif "!" in plain:  # how sysfs spells a slash
                    names[plain.replace("!", "/")] = number
        return names

    @cached_property
    def _links(self) -> dict[str, str]:
        """Numbers of devices by the names of udev, UUIDs in small letters, too.

        Of several with one name, such as the paths to a disk, it is the one that is built on the others.
        """
        links: dict[str, str] = {}
        cells = zip(self._layers.keys, self._layers.column("sort"), self._layers.column("links"), strict=True)
        for number, _sort, text in sorted(cells, key=lambda cell: cell[1] in {"dm", "md"}, reverse=True):
            for word in text_of(text).split():
                links.setdefault(word, number)
                if word.startswith(("disk/by-uuid/", "disk/by-partuuid/")):
                    links.setdefault(word.casefold(), number)
        return links

    @cached_property
    def _columns(self) -> dict[str, list[Value]]:
        return {name: self._layers.column(name) for name in self._layers.kind.by_name}

    def _node(self, number: str) -> BlockDevice | None:
        row = self._layers.index.get(number)
        if row is None:
            return None
        cells = {name: column[row] for name, column in self._columns.items()}
        try:
            members = parse_members(cells["members"])
        except ValueError:
            members = ()
        table = _table(cells["table"])
        if isinstance(table, Absent) and code_of(cells["below"]) == CONTRADICTED.code:
            table = cells["below"]  # type: ignore[assignment]  # it has a code
        return BlockDevice(
            number=number,
            below=tuple(text_of(cells["below"]).split()),
            table=table,
            members=members,
            start=_number(cells["start"]) * SECTOR,
            size=_number(cells["size"]) * SECTOR,
            chunk=_number(cells["chunk"]),
            **{
                name: cells[name]
                for name in ("name", "sort", "parent", "mapped", "uuid", "level", "layout", "busid",
                             "wwpn", "lun", "file")
            },
        )  # fmt: skip

    # --- downwards ----------------------------------------------------------------------------

    def _segments(self, number: str) -> tuple[Target, ...] | Absent:
        node = self.node(number)
        is_closed = node is not None and node.sort == "loop" and isinstance(node.table, Absent)
        if node is None or node.multipath or (is_closed and not node.below):
            return ()
        match node.sort:
            case "partition":
                return _partition(node)
            case "dm" | "loop":
                if isinstance(node.table, Absent):
                    return _UNMAPPED_FILE if is_closed else _striped(node) or node.table
                return tuple(part for target in node.table for part in self.mapped(node, target))
            case "md":
                return _array(node)
        is_built = node.sort == "disk" and node.below  # such as one of bcache or DRBD
        why = _UNMAPPED if node.below or node.sort != STACKED else _UNLISTED
        return why if is_built or node.sort in _ON_DEVICES else ()

    def mapped(self, node: BlockDevice, target: Target) -> Iterable[Target]:
        """Return a target of the device mapper, completed with what its table does not contain."""
        if target.layout is TargetLayout.SOMEWHERE and not target.legs:
            return (target._replace(legs=tuple(Leg(number) for number in self._holding_data(node))),)
        return (target,)

    def _layout(self, number: str) -> DeviceLayout:
        node, segments = self.node(number), self.segments(number)
        targets = () if isinstance(segments, Absent) else segments
        return DeviceLayout(
            node,
            self.title(number),
            None if node is None or isinstance(node.size, Absent) else int(node.size),
            targets,
            [target.start for target in targets],
            segments.reason if isinstance(segments, Absent) else "",
            self._straight(number),
        )

    def _straight(self, number: str) -> tuple[str, ...]:
        """Descend while there is a single device below."""
        way: list[str] = []
        here = number
        while len(way) < DEPTH and here not in way:
            way.append(here)
            node, segments = self.node(here), self.segments(here)
            if node is None or isinstance(segments, Absent) or isinstance(node.size, Absent):
                return ()
            if not segments:
                return () if node.multipath or isinstance(node.file, str) else tuple(way)
            target = segments[0]
            if len(segments) > 1 or target.layout is not TargetLayout.LINEAR or target.note or target.start:
                return ()
            leg = target.legs[0]
            foot = self.node(leg.device)
            if foot is None or target.length != node.size or leg.offset + target.length > foot.size:
                return ()
            here = leg.device
        return ()

    def _evidence(self, number: str) -> Evidence:
        node, segments = self.node(number), self.segments(number)
        said = f"{self.title(number)}: {self.what(number)}"
        if isinstance(segments, Absent):
            grade = Grade.SET if len(self.leaves(number)) > 1 else Grade.SHARES
            below = "parent" if node is not None and node.sort == "partition" else "below"
            source = self.origins.of("layer", number, below, f"/sys/dev/block/{number}/slaves")
            return Evidence(source, f"{said}: {segments.reason}", grade)
        sources = {
            "partition": f"/sys/dev/block/{number}/start",
            "dm": f"device-mapper table of {number}",
            "md": f"/sys/dev/block/{number}/md",
            "loop": f"/sys/dev/block/{number}/loop, FS_IOC_FIEMAP",
        }
        grades = {TargetLayout.EVEN: Grade.SHARES, TargetLayout.SOMEWHERE: Grade.SET}
        worst = min((grades.get(target.layout, Grade.EXACT) for target in segments), default=Grade.EXACT)
        sort = str(node.sort if node else "")
        field = {"partition": "start", "dm": "table", "md": "members"}.get(sort, "name")
        source = sources.get(sort, f"/sys/dev/block/{number}")
        return Evidence(self.origins.of("layer", number, field, source), said, worst)

    def feet(self, number: str) -> list[str]:
        """Return the numbers of the devices next below that hold data of a device, each once."""
        segments = self.segments(number)
        if isinstance(segments, Absent):
            node = self.node(number)
            # a partition whose first byte is not known lies on its disk all the same
            lower = (*self._holding_data(node), *text_of(node.parent).split()) if node else ()
            return [*dict.fromkeys(lower)]
        return list(dict.fromkeys(leg.device for target in segments for leg in target.legs if leg.device))

    def _holding_data(self, node: BlockDevice) -> list[str]:
        """Return the numbers of what a device is made of, without metadata, which LVM names so."""
        feet = {number: self.node(number) for number in node.below}
        return [number for number, foot in feet.items()
                if foot is None or inner(text_of(foot.mapped)) not in _WITHOUT_DATA]  # fmt: skip

    def is_in_group(self, number: str) -> bool:
        """Return whether a device may be on any of several: of its group, or as texts contradict."""
        chain = [layer.number for layer in self.chain(number)]
        nodes = [self.node(layer) for layer in (*chain, *self.leaves(number))]
        return any(node.sort in {VOLUME_GROUP, RIVAL} for node in nodes if node)

    def leaves(self, number: str) -> list[str]:
        """Return the numbers of the disks that data of a device may lie on; a leaf itself when it is one.

        Multipath devices, loop devices and unknown devices are leaves.
        """
        numbers: dict[str, None] = {}
        seen: set[str] = set()
        ahead = [number]
        while ahead:
            here = ahead.pop()
            if here in seen:
                continue
            seen.add(here)
            if self.segments(here) == ():
                numbers[here] = None
            ahead.extend(reversed(self.feet(here)))
        return list(numbers)

    def paths(self, number: str) -> list[BlockDevice]:
        """Return the disks that are paths to a multipath device; a device that is none is its own path."""
        node = self.node(number)
        if node is None:
            return []
        if not node.multipath:
            return [node]
        legs = () if isinstance(node.table, Absent) else (leg for target in node.table for leg in target.legs)
        numbers = dict.fromkeys(leg.device for leg in legs) or dict.fromkeys(node.below)
        return [path for path in map(self.node, numbers) if path and not path.is_unseen]

    def has_unseen(self, number: str) -> bool:
        """Return whether a map may have more paths than texts show, as has one without a path there."""
        node = self.node(number)
        if node is None or not node.multipath:
            return False
        is_bare = isinstance(self._layers.cell(number, "below"), Absent)
        return is_bare or any(foot.is_unseen for foot in map(self.node, node.below) if foot)

    def has_no_path(self, number: str) -> bool:
        """Return whether a map is there, and is known to have lost all its paths."""
        node = self.node(number)
        return bool(node and node.multipath) and self._layers.cell(number, "below") == ""

    def _chain(self, number: str) -> tuple[StackLayer, ...]:
        layers: list[StackLayer] = []
        seen: set[str] = set()
        ahead = [(0, number)]
        while ahead:
            depth, here = ahead.pop()
            layers.append(StackLayer(depth, here, self.title(here), self.what(here)))
            if here not in seen:
                seen.add(here)
                ahead.extend((depth + 1, foot) for foot in reversed(self.feet(here)))
        return tuple(layers)

    def what(self, number: str) -> str:
        """Describe a device for people: `striped over 4, 64 KiB`, segment by segment."""
        node = self.node(number)
        if node is None:
            return "not among the devices that were read"
        if node.multipath:
            paths = self.paths(number)
            names = [path.title for path in paths if path.name != REMOVED]
            names += [f"{len(paths) - len(names)} {REMOVED}"] * (len(names) < len(paths))
            more = " or more" * self.has_unseen(number)
            over = f"over {len(paths)} path{'s' * (len(paths) != 1)}{more}: {', '.join(names)}"
            none = "over no path" if self.has_no_path(number) else "no path to it is known"
            return f"one disk {over}" if paths else f"one disk, {none}"
        segments = self.segments(number)
        file = f" in {node.file}" if isinstance(node.file, str) else ""
        if isinstance(segments, Absent):
            some = "some of its disks" if len(self.leaves(number)) > 1 else "its disk"
            level = f" {node.level}" * isinstance(node.level, str) * (node.sort == "md")
            sort = f"{node.sort}{level}{file}, " if isinstance(node.sort, str) else ""
            return some if node.sort == VOLUME_GROUP else f"{sort}layout not known"
        if not segments or node.sort == "loop":
            if node.is_unseen:
                return "nothing else is known of it"
            unsorted = "layout not known" if text_of(node.name).startswith("dm-") else "disk"
            return f"{unsorted if isinstance(node.sort, Absent) else node.sort}{file}"
        ways = list(dict.fromkeys(map(describe, segments)))
        said = ways[0] if len(ways) == 1 else f"{len(segments)} segments: {', then '.join(ways[:8])}"
        purpose = inner(node.mapped) if isinstance(node.mapped, str) else ""
        return f"{said}; {purpose}" if purpose else said

    # --- upwards ------------------------------------------------------------------------------

    def above(self, number: str) -> list[str]:
        """Return the numbers of all devices that are built on this one, those next above first."""
        above: dict[str, None] = {}
        ahead = [number]
        for here in ahead:
            for other in self._holders.get(here, ()):
                if other not in above and other != number:
                    above[other] = None
                    ahead.append(other)
        return list(above)

    @cached_property
    def _holders(self) -> dict[str, list[str]]:
        """For each device those next above it, which keep data or metadata there."""
        holders: dict[str, list[str]] = {}
        parents, belows = self._layers.column("parent"), self._layers.column("below")
        for number, parent, below in zip(self._layers.keys, parents, belows, strict=True):
            for lower in {*text_of(parent).split(), *text_of(below).split()}:
                holders.setdefault(lower, []).append(number)
        return holders


def tagged(name: str) -> str:
    """Return the name in /dev that belongs to a tag of mount(8), `UUID=...`; any other name as it is."""
    tag, equals, value = name.partition("=")
    directory = TAGS.get(tag.upper()) if equals else None
    if directory is None:
        return name
    plain = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    escaped = "".join(
        c if c.isalnum() or c in _UNESCAPED or ord(c) > 127 else f"\\x{ord(c):02x}" for c in plain
    )
    return f"disk/{directory}/{escaped}"


def _number(cell: Value) -> Number:
    if isinstance(cell, str):
        return absent("no number was read")
    return cell


def _table(cell: Value) -> tuple[Target, ...] | Absent:
    if isinstance(cell, Absent):
        return cell
    try:
        return tuple(parse_table(str(cell))) or absent("the table is empty")
    except ValueError as error:
        return absent(f"the table is not understood: {error}")


def _striped(node: BlockDevice) -> tuple[Target, ...]:
    """Return the equal parts of a logical volume that texts tell to be striped; nothing of another.

    Where its size is not known the parts are equal all the same.
    """
    if node.level != STRIPED or node.layout != len(node.below):
        return ()
    size = len(node.below) << 20 if isinstance(node.size, Absent) else int(node.size)
    legs = tuple(map(Leg, node.below))
    return (Target(0, size, STRIPED, TargetLayout.EVEN, legs),)


def _array(node: BlockDevice) -> tuple[Target, ...] | Absent:
    if node.below and not node.members:
        return NO_LAYOUT  # the devices are known all the same
    size = 0 if isinstance(node.size, Absent) else int(node.size)
    chunk = 0 if isinstance(node.chunk, Absent) else int(node.chunk)
    return md_targets(MdArray(node.level, node.layout, chunk, size, node.members))


def _partition(node: BlockDevice) -> tuple[Target, ...] | Absent:
    if isinstance(node.parent, Absent):
        return node.parent
    if isinstance(node.start, Absent):
        return node.start
    if isinstance(node.size, Absent):
        return node.size
    leg = Leg(str(node.parent), int(node.start))
    return (Target(0, int(node.size), "partition", TargetLayout.LINEAR, (leg,)),)
