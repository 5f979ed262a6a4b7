"""From a sample to items (files) and units (LCUs, disks or sides of a storage server) for placement.

Only first copies count as bytes on a unit; mirrors and parity count for shared volumes and for traffic. The
traffic of a file is an estimate: see `zmon.placement.traffic`.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.ranges import names
from zmon.base.record import NamedTuple
from zmon.base.sizes import MB
from zmon.kinds import VOLUME_GROUP
from zmon.placement.pieces import tablespace_of
from zmon.placement.traffic import BASES
from zmon.placement.word_lookup import lines_of
from zmon.topology.claims import Grade
from zmon.topology.location import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.placement.traffic import Attribution
    from zmon.topology.data_files import DataFile
    from zmon.topology.location import FileLocation
    from zmon.topology.machine import Machine
    from zmon.topology.site import Site
    from zmon.topology.volumes import Volume


NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
NO_UNITS: Final[Mapping[str, str]] = MappingProxyType({})
NO_TRAFFIC: Final = absent("no traffic was measured")
NOT_GIVEN: Final = absent("not given: the site file may say it")

LOGS: Final = frozenset({"log", "archive"})
"""The roles whose files are to be on other volumes than data."""


class Hindrance(Enum):
    """Why a file stays where it is, or may not go somewhere; and the same of several, if in other words."""

    PINNED = "it is pinned", "they are pinned"
    MANAGED = "Db2 itself manages the files of the directory (MANAGED BY SYSTEM)", ""
    AUTOMATIC = "Db2 itself places the files of automatic storage, on all paths of a storage group", ""
    UNPLACED = "it is not known where it lies", "it is not known where they lie"
    UNLOADED = "it has no load", ""
    SPREAD = "it is spread by itself", "they are spread by themselves"
    CLOSED = "nothing may be put there", ""
    FULL = "there is not room enough", ""
    COPY = "another copy of the log is there", ""
    TOGETHER = "logs and data of the database would come together", ""

    @property
    def words(self) -> str:
        """Why, of one file."""
        return self.value[0]

    def of(self, count: int) -> str:
        """Return why, of so many files."""
        text, several = self.value
        return several or text if count > 1 else text


class FileItem(NamedTuple):
    """One container of a tablespace, with its bytes per unit and volume."""

    name: str
    """Its path."""
    tablespace: str
    database: str = ""
    role: str = "data"
    """`data`, `index`, `temp`, `undo`, `log`, `archive` or `unknown`."""
    bytes_on: Mapping[str, int] = NOTHING
    """Bytes on each unit, by its key, without those whose unit is unknown."""
    load_on: Mapping[str, float] | Absent = NO_TRAFFIC
    """Traffic on each unit in bytes a second, if it was measured or estimated."""
    volumes: Mapping[str, int] = NOTHING
    """Bytes on each volume, by the key of the real volume, which several minidisks may share."""
    unsized: Mapping[str, str] = NO_UNITS
    """The unit of each volume on which it has an unknown part, by its key; empty for a unit not known."""
    pinned: Hindrance | None = None
    """The reason why it must not be moved; empty when it may be moved."""
    mirror: str = ""
    """The name of the set of copies that it belongs to, such as a group of redo logs; empty without one."""
    unplaced: int = 0
    """Bytes whose unit is not known."""
    logical_volume: str = ""
    """The logical volume that it is on, `vg/lv`; empty when on none or on several."""
    basis: str = ""
    """What its traffic rests on, as in `zmon.placement.traffic`; empty if it has none."""

    @property
    def space(self) -> tuple[str, str]:
        """The database and the tablespace, because databases may have tablespaces of the same name."""
        return self.database, self.tablespace

    @property
    def is_log(self) -> bool:
        """Whether it is a log, which is written before a transaction continues."""
        return self.role in LOGS

    @property
    def size(self) -> int:
        """Its bytes on known units."""
        return sum(self.bytes_on.values())


class Unit(NamedTuple):
    """A logical control unit (or a disk) that data may lie on."""

    key: str
    name: str = ""
    """Its title: `LCU 6`, `LCU 7600`."""
    side: str = ""
    """The half of the storage server that it belongs to, as far as known: `even`, `odd`, a name."""
    capacity: Number = NOT_GIVEN
    """Its maximum throughput in bytes a second."""
    free: Number = NOT_GIVEN
    """Free bytes."""
    open: bool = True
    """Whether data may be moved there."""
    is_for_data: bool = True
    """Whether it has a disk that holds such data or has no known use; other units serve other purposes."""
    doubts: tuple[str, ...] = ()
    """Of a unit that is not for data: why some of its disks may be in use, though no use of them is known."""
    channels: str = ""
    """The name of the channel paths that it shares with others; empty when unknown."""
    others: frozenset[str] = frozenset()
    """Its other names, in small letters: `ssid 7600`, `lss 08`."""

    @property
    def title(self) -> str:
        """The name, or else the key."""
        return self.name or self.key

    @property
    def number(self) -> str:
        """What may stand for its name: `6`."""
        return (self.name or self.key).rpartition(" ")[2]


def weights(units: Sequence[Unit]) -> list[float]:
    """Return the capacity of each unit as a multiple of their mean; all 1 unless every capacity is given."""
    given = [unit.capacity for unit in units if isinstance(unit.capacity, int | float) and unit.capacity > 0]
    if len(given) < len(units) or not given:
        return [1.0] * len(units)
    mean = sum(given) / len(given)
    return [capacity / mean for capacity in given]


class UnitKind(Enum):
    """The units of a spread: LCUs, disks or sides."""

    LCU = "lcu"
    DISK = "disk"
    SIDE = "side"


class FilePlacement(NamedTuple):
    """One container with its location on units."""

    path: str
    database: str
    tablespace: str
    role: str
    listed: str
    size: Number
    placed: int
    """Bytes on known units."""
    unplaced: int
    """Bytes whose unit is not known."""
    grade: Grade
    problem: str
    """The reason why it was not, or not wholly, placed; empty when it was."""


def worst_grade(rows: Iterable[FilePlacement]) -> Grade:
    """Return the worst grade of files; an empty one has no bytes whose place could be known."""
    return min((row.grade for row in rows if row.size != 0), default=Grade.UNKNOWN)


class Placement(NamedTuple):
    """The containers of a sample and the units they lie on."""

    items: tuple[FileItem, ...]
    units: tuple[Unit, ...]
    """All units that are visible to this Linux, in the order of their names."""
    rows: tuple[FilePlacement, ...]
    grade: Grade
    """The worst grade of a container."""
    conflicts: tuple[str, ...]
    """The contradictions between sources about the volumes concerned."""
    channels: Mapping[str, float]
    """The capacities of the channel paths that units share, in bytes a second."""
    titles: Mapping[str, str] = MappingProxyType({})
    """The titles of real volumes by their keys: label and Linux's name."""
    strange_capacities: tuple[str, ...] = ()
    """LCUs that have a capacity in the site file but do not exist here."""
    unseen: tuple[str, ...] = ()
    """Files that are placed by their paths alone, each with its mount, where others were seen."""
    traffic: Attribution | None = None
    """Whose traffic that of disks is, if it is known."""

    def basis_of(self, space: tuple[str, str]) -> str:
        """Return what the traffic of a tablespace rests on; empty without any."""
        if self.traffic is None:
            return ""
        basis = self.traffic.spaces.get(space)
        bases = (item.basis for item in self.items if item.space == space and item.basis)
        return basis or max(bases, key=BASES.index, default="")


def placement_of(
    machine: Machine, *, by: UnitKind = UnitKind.LCU, traffic: Attribution | None = None
) -> Placement:
    """Resolve the containers of a machine, with their traffic if it is given."""
    index = UnitIndex(machine, by)
    items, rows, unseen, conflicts, site = [], [], [], {}, machine.site
    managed = _managed(machine.files)
    for file in machine.files:
        answer = machine.counted[file.path]
        loads = NO_TRAFFIC if traffic is None else index.loads(answer, traffic)
        counted, loads = index.without_strange(file, index.count(answer), loads)
        space, role = tablespace_of(file), file.role
        if role in {"", "unknown"} and site.is_log(file.path):
            role = "log"
        pinned = Hindrance.PINNED if site.pinned((file.path, file.tablespace)) else None
        if managed and not managed.isdisjoint(_parents(file.path)):
            pinned = Hindrance.MANAGED
        if _AUTOMATIC_FILE.search(file.path):
            pinned = Hindrance.AUTOMATIC
        items.append(
            FileItem(
                file.path,
                space,
                file.database,
                role,
                counted.units,
                loads,
                counted.volumes,
                counted.unsized,
                pinned,
                unplaced=counted.unplaced,
                logical_volume=_logical_volume(answer, machine),
                basis="" if traffic is None else traffic.files.get(file.path, ""),
            )
        )
        rows.append(
            FilePlacement(
                file.path,
                file.database,
                space,
                file.role,
                file.listed,
                file.size,
                sum(counted.units.values()),
                counted.unplaced,
                index.grade(answer),
                _problem(file, answer, counted),
            )
        )
        if file.unseen and counted.units:
            listed = f" [{file.listed}]" if file.listed else ""
            unseen.append(f"{file.path} of {space or '?'}{listed}, on {_mount_point(answer)}")
        for share in answer.disks:
            conflicts.update(dict.fromkeys(share.volume.conflicts))
    return Placement(
        tuple(items),
        index.units(),
        tuple(rows),
        worst_grade(rows),
        tuple(conflicts),
        {
            channels.name: channels.capacity * MB
            for channels in site.channels
            if not isinstance(channels.capacity, Absent)
        },
        _titles(machine),
        index.strange_capacities(),
        tuple(unseen) if len(unseen) < sum(row.placed > 0 for row in rows) else (),
        traffic,
    )


_AUTOMATIC_FILE: Final = re.compile(r"/NODE[0-9]{4}/[^/]+/T[0-9]{7}/C[0-9]{7}\.(?:CAT|LRG|SYS|TMP|USR|UTM)$")
"""How Db2 names a container of automatic storage, below a storage path and its instance."""
_DB2_FILE: Final = re.compile(r"SQLTAG\.NAM|SQL[0-9]{5}\.[A-Z][A-Z0-9]{1,2}")
"""Files that Db2 makes in a directory that is a container: its mark, and those of tables."""


def _managed(files: Iterable[DataFile]) -> set[str]:
    """Return the directories whose files cannot be moved one by one by a statement."""
    parted = (file.path.rpartition("/") for file in files)
    return {directory for directory, _, name in parted if _DB2_FILE.fullmatch(name)}


def _parents(path: str) -> Iterator[str]:
    """Yield the directories that a path is in, the nearest first."""
    while path := path.rpartition("/")[0]:
        yield path


def _titles(machine: Machine) -> dict[str, str]:
    """Return the title of each real volume: its label, and the disk's name in Linux."""
    titles: dict[str, str] = {}
    shares = (share for answer in machine.counted.values() for share in answer.disks)
    for volume in (*machine.volumes.values(), *(share.volume for share in shares)):
        names = [str(name) for name in (_label(volume), volume.disk) if not isinstance(name, Absent)]
        titles.setdefault(volume.spindle, " ".join(names) or volume.spindle)
    return titles


def _label(volume: Volume) -> Value:
    """Return the label of a volume; its device number where dasdfmt made the label of that: 0X8006."""
    numbers = (number for number in (volume.rdev, volume.vdev) if volume.volser == f"0X{number}")
    return next(numbers, volume.volser)


def _showing_use(machine: Machine) -> Sequence[DataFile]:
    """Return the files that show what disks are used for: a path that was not seen may be mistyped.

    Where no file of a mount was seen, those by whose paths other file systems than that of the root hold
    them: a device that is a container tells nothing of mounts.
    """
    points = {file.path: _mount_point(machine.locations[file.path]) for file in machine.files}
    seen = [file for file in machine.files if not file.unseen]
    beside_root = [file for file in machine.files if file.unseen and points[file.path] not in {"", "/"}]
    is_mount_seen = any(points[file.path] for file in seen)
    return (seen if is_mount_seen else [*seen, *beside_root]) or machine.files


def _mount_point(answer: FileLocation) -> str:
    return "" if isinstance(answer.mount, Absent) else answer.mount.point


def _used_otherwise(machine: Machine) -> set[str]:
    """Return the disks with other uses than the files: a file system, swap, or a device built on them.

    A volume group with some of the files is no other use, for more of them may be put on all its disks.
    """
    stack, volumes = machine.stack, machine.volumes
    files = _showing_use(machine)
    holding = {file.mount for file in files}
    ours = {share.volume.number for file in files for share in machine.locations[file.path].disks}
    others: set[str] = {leaf for number in machine.swaps.values() for leaf in stack.leaves(number)}
    for mount in machine.mounts:
        several = () if isinstance(mount.devices, Absent) else mount.devices.values()
        leaves = {leaf for number in (several or (mount.number,)) for leaf in stack.leaves(number)}
        (ours if mount.id in holding else others).update(leaves)
    for number in tuple(ours):
        groups = (other for other in stack.above(number) if _sort(other, machine) == VOLUME_GROUP)
        ours.update(leaf for group in groups for leaf in stack.leaves(group))
    others.update(
        number for number in volumes if any(_is_use(other, machine) for other in stack.above(number))
    )
    return _same_luns(others, machine) - _same_luns(ours, machine)


def _sort(number: str, machine: Machine) -> Value:
    node = machine.stack.node(number)
    return "" if node is None else node.sort


def _is_use(number: str, machine: Machine) -> bool:
    """Return whether a device that is built on others makes use of them: it is more than a part or a path."""
    node = machine.stack.node(number)
    return node is not None and node.sort != "partition" and not node.multipath


def _same_luns(numbers: set[str], machine: Machine) -> set[str]:
    """Return disks and maps of paths as disks, with all other paths to them."""
    disks = {path.number for number in numbers for path in machine.stack.paths(number)} | numbers
    luns = {
        machine.volumes[disk].spindle for disk in disks if disk in machine.volumes and _is_lun(disk, machine)
    }
    same = (number for number, volume in machine.volumes.items() if volume.spindle in luns)
    return disks | {number for number in same if _is_lun(number, machine)} if luns else disks


def _is_lun(number: str, machine: Machine) -> bool:
    return isinstance(machine.volumes[number].lun, str)


class ItemBytes(NamedTuple):
    """The bytes of one container."""

    units: Mapping[str, int]
    volumes: Mapping[str, int]
    unplaced: int
    reasons: tuple[str, ...]
    unsized: Mapping[str, str] = NO_UNITS
    strange: bool = False
    """Whether it is an unseen file that would lie on units for something else."""


class UnitIndex:
    """The units of a machine, with the disks of each."""

    def __init__(self, machine: Machine, by: UnitKind) -> None:
        """Group the disks of a machine by unit."""
        self._machine = machine
        self._by = by
        self._known: dict[str, str | Absent] = {}
        self._others = _used_otherwise(machine)

    def key(self, volume: Volume) -> str | Absent:
        """Return the key of the unit of a volume, or the reason why it is unknown."""
        key = self._known.get(volume.number)
        if key is None:
            key = self._known[volume.number] = self._key(volume)
        return key

    def _key(self, volume: Volume) -> str | Absent:
        if self._by is UnitKind.DISK:
            return volume.spindle if volume.number in self._machine.volumes else NO_SUCH_DISK
        if isinstance(volume.lcu, Absent):
            return volume.lcu
        return volume.key if self._by is UnitKind.LCU else _side_key(volume, self._machine.site)

    def count(self, answer: FileLocation) -> ItemBytes:
        """Add up the bytes of one container on each unit and volume."""
        units: dict[str, int] = {}
        volumes: dict[str, int] = {}
        unplaced = _whole(answer.unplaced)
        reasons: dict[str, None] = {}
        unsized: dict[str, str] = {}
        for share in answer.disks:
            key, spindle = self.key(share.volume), share.volume.spindle
            if isinstance(share.bytes, Absent):
                reasons[share.bytes.reason] = None
                unsized[spindle] = text_of(key)
                continue
            count = int(share.bytes)
            volumes[spindle] = volumes.get(spindle, 0) + count + _whole(share.copies)
            if isinstance(key, Absent):
                unplaced += count
                disk = "" if key is NO_SIDE else f"{text_of(share.volume.disk) or share.volume.number}: "
                reasons[f"{disk}{key.reason}"] = None
            elif count:
                units[key] = units.get(key, 0) + count
        if unsized or not answer.disks or isinstance(answer.unplaced, Absent):
            unplaced = max(unplaced, _whole(answer.size - answer.holes) - sum(units.values()))
            only = {*unsized.values()}
            if len(only) == 1 and "" not in only and not _whole(answer.unplaced) and unplaced:
                units[only.pop()] = unplaced  # on whichever of its disks
                unplaced, unsized = 0, {}
        return ItemBytes(units, volumes, unplaced, tuple(reasons), unsized)

    def without_strange(
        self, file: DataFile, counted: ItemBytes, loads: dict[str, float] | Absent
    ) -> tuple[ItemBytes, dict[str, float] | Absent]:
        """Return the bytes and traffic of a file, of an unseen one without those on units for something else.

        Else a mistyped path would make the system's own unit one of those for data.
        """
        if file.unseen:
            unsized = {key: unit for key, unit in counted.unsized.items() if unit not in self._strange}
            counted = counted._replace(unsized=unsized)
        strange = counted.units.keys() & self._strange if file.unseen else ()
        if not strange:
            return counted, loads
        point = _mount_point(self._machine.locations[file.path])
        where = f": by its path it would be on {point}, where no file was seen" if point else ""
        return (
            ItemBytes(
                {key: count for key, count in counted.units.items() if key not in strange},
                {},
                counted.unplaced + sum(counted.units[key] for key in strange),
                (f"{NOT_SEEN}{where}", *counted.reasons),
                counted.unsized,
                strange=True,
            ),
            loads if isinstance(loads, Absent) else {k: v for k, v in loads.items() if k not in strange},
        )

    @cached_property
    def _strange(self) -> frozenset[str]:
        """The units that serve something else than the files."""
        return frozenset(unit.key for unit in self.units() if not unit.is_for_data)

    def grade(self, answer: FileLocation) -> Grade:
        """Return the grade of one container: the worst of its location and of the units that are known."""
        if self._by is UnitKind.DISK:
            return answer.grade
        if self._by is UnitKind.SIDE and any(
            isinstance(self.key(disk.volume), Absent) for disk in answer.disks
        ):
            return Grade.UNKNOWN
        return min([answer.grade, *(answer.grade_on(share.volume) for share in answer.disks)])

    def loads(self, answer: FileLocation, traffic: Attribution) -> dict[str, float] | Absent:
        """Return the traffic of one container on each unit, in bytes a second."""
        loads: dict[str, float] = {}
        for share in answer.disks:
            load = traffic.of(answer.path, share.volume.number)
            if isinstance(load, Absent):
                return load
            key = self.key(share.volume)
            if isinstance(key, str):
                loads[key] = loads.get(key, 0.0) + load
        return loads

    def units(self) -> tuple[Unit, ...]:
        """Return all units on which this Linux has disks."""
        members: dict[str, list[Volume]] = {}
        for volume in self._machine.volumes.values():
            key = self.key(volume)
            node = self._machine.stack.node(volume.number)
            if isinstance(key, str) and (node is None or node.size != 0):  # a drive without a medium
                members.setdefault(key, []).append(volume)
        named = {key: self._name(volumes) for key, volumes in members.items()}
        often = [name.casefold() for name in named.values()]
        units = [
            self._unit(
                key, name if often.count(name.casefold()) == 1 else _unique(name, members[key]), members[key]
            )
            for key, name in named.items()
        ]
        return tuple(sorted(units, key=lambda unit: (_natural(unit.name), unit.key)))

    def _name(self, volumes: Iterable[Volume]) -> str:
        names = (self._names(volume) for volume in volumes)
        return min((name for of_volume in names for name in of_volume[:1]), default="")

    def _names(self, volume: Volume) -> list[str]:
        """Return the names of the unit of a volume, the best first."""
        match self._by:
            case UnitKind.DISK:
                names = [_label(volume), volume.disk, volume.number]
            case UnitKind.SIDE:
                names = [side(volume, self._machine.site)]
            case _:
                names = [volume.called, volume.lcu, volume.key]
        return [str(name) for name in names if not isinstance(name, Absent)]

    def _disk_names(self, volumes: Iterable[Volume]) -> frozenset[str]:
        """Return all names of a real volume: label, disk, and its device numbers."""
        if self._by is not UnitKind.DISK:
            return frozenset()
        names = (
            (volume.disk, volume.volser, volume.label, volume.vdev, volume.rdev, volume.busid, volume.number)
            for volume in volumes
        )
        return frozenset(
            str(name).casefold() for of_volume in names for name in of_volume if not isinstance(name, Absent)
        )

    def strange_capacities(self) -> tuple[str, ...]:
        """Return the LCUs that have a capacity in the site file but do not exist here."""
        given = [name for name in self._machine.site.capacities if name != "lcu"]
        if not given or self._by is not UnitKind.LCU:
            return ()
        capacities = {
            name
            for volume in self._machine.volumes.values()
            for name in (*self._names(volume), *_formal(volume))
        }
        return tuple(name for name in given if name not in capacities)

    def _unit(self, key: str, name: str, volumes: list[Volume]) -> Unit:
        site = self._machine.site
        names = [*self._names(volumes[0]), *_formal(volumes[0])]
        sides = {text_of(side(volume, site)) for volume in volumes}
        channels = site.channels_of(names) if self._by is UnitKind.LCU else None
        used = self._others
        doubted = {
            volume.number: tuple(
                lines_of({volume.number, *self._machine.stack.above(volume.number)}, self._machine)
            )
            for volume in volumes
            if volume.number not in used
        }
        is_for_data = not all(doubted.values())
        capacity: Number = absent("no capacity of a disk is given")
        if self._by is UnitKind.LCU:
            capacity = site.capacity(names) * MB
        return Unit(
            key,
            name,
            sides.pop() if len(sides) == 1 else "",
            capacity,
            is_for_data=is_for_data,
            doubts=() if is_for_data else tuple(dict.fromkeys(chain.from_iterable(doubted.values()))),
            channels="" if channels is None else channels.name,
            others=volumes[0].lcu_names if self._by is UnitKind.LCU else self._disk_names(volumes),
        )


NOT_SEEN: Final = "not seen"
NO_SUCH_DISK: Final = absent("it is no disk that was read")
NO_SIDE: Final = absent("neither the LSS nor the site gives the side of its storage server")


def side(volume: Volume, site: Site) -> Value:
    """Return the half of the storage server that a volume belongs to: its server, or else its channels."""
    if not isinstance(volume.side, Absent):
        return volume.side
    names = [text_of(volume.called), text_of(volume.lcu), volume.key, *_formal(volume)]
    channels = site.channels_of([name for name in names if name])
    return volume.side if channels is None else channels.name


def _formal(volume: Volume) -> list[str]:
    """Return names of an LCU by its numbers, as a site may write them: `SSID 7600`, `7600`, `LSS 08`."""
    ssid, lss = text_of(volume.ssid), text_of(volume.lss)
    return [*((f"SSID {ssid}", ssid) if ssid else ()), *((f"LSS {lss}",) if lss else ())]


def _side_key(volume: Volume, site: Site) -> str | Absent:
    """Return the key of a side: one for a name of the site, one of each storage server for its own."""
    name = side(volume, site)
    if isinstance(name, Absent):
        return NO_SIDE
    row = site.map.lcu(text_of(volume.called))
    if isinstance(volume.side, Absent) or (row is not None and row.server):
        return str(name)
    return f"{name} of {text_of(volume.serial) or volume.key.rpartition(' LSS ')[0]}"


def _logical_volume(answer: FileLocation, machine: Machine) -> str:
    nodes = [machine.stack.node(step.number) for step in answer.steps]
    titles = {node.title for node in nodes if node is not None and str(node.uuid).startswith("LVM-")}
    return titles.pop() if len(titles) == 1 else ""


def _problem(file: DataFile, answer: FileLocation, counted: ItemBytes) -> str:
    """Return the reason why a container was not wholly placed; empty if it was."""
    if counted.units and not counted.unplaced:
        return ""
    if counted.unsized and not isinstance(file.number, Absent) and not counted.strange:
        disks = [text_of(share.volume.disk) or share.volume.number for share in answer.disks]
        if len(disks) > 1:
            return f"it lies on one or more of {names(disks, MAX_DISKS)}, and nothing says on which"
    cells = (file.real, file.number, file.ranges)
    why = [value.reason for value in cells if isinstance(value, Absent)][:1]
    if file.size == 0 and not why:
        why = [EMPTY.reason]
    if counted.strange:
        return counted.reasons[0]
    if file.unseen and why:
        return why[0]  # its unknown size follows from this reason
    reasons = dict.fromkeys((*why, *counted.reasons)) or dict.fromkeys((*answer.notes, *answer.lacking))
    return "; ".join(reasons) or "nothing of it lies on a known disk"


MAX_DISKS: Final = 8
"""Disks of a file that are named in a reason."""


def _unique(name: str, volumes: list[Volume]) -> str:
    serial = text_of(volumes[0].serial)
    return f"{name} of {serial}" if serial else f"{name} ({volumes[0].key})"


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key: `LCU 2` before `LCU 10`."""
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), "") if number % 2 else (0, part) for number, part in enumerate(parts)]


def _whole(value: Number) -> int:
    return 0 if isinstance(value, Absent) else int(value)
