"""What texts say about rows of a sample, and how that joins what kernel files say.

A value of a kernel file stays.  Where no file gives it, that of the texts is taken.  If two sources
contradict each other the value is absent, and its reason names both: nothing is chosen silently.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, text_of
from zmon.base.sizes import KIB, SECTOR
from zmon.collected.numbers import (
    disk_name,
    disk_of_dasd,
    is_of_kernel,
    may_be_part,
    minor_of_dm,
    name_of_number,
    number_of,
    number_of_dasd,
    sort_of,
)
from zmon.kinds import (
    ADAPTER,
    CONTRADICTED,
    DASD,
    DEVICE,
    FAILED,
    GPFS,
    GPFS_SYSTEM,
    LAYER,
    LOST,
    LUN,
    MPATH,
    NOT_COLLECTED,
    NOT_SEEN,
    NOWHERE,
    NSD,
    OF_GPFS,
    ORIGIN,
    PATH,
    POOL,
    TARGET_PORT,
    VOLUME_GROUP,
)
from zmon.sample import Frame, empty_frame, frame_of
from zmon.topology.stack import REMOVED, RIVAL, group_of, tagged, volume_name
from zmon.values.dasd_state import STARTING, UNFORMATTED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from zmon.base.absent import Value
    from zmon.sample import Kind

MAX_RIVALS: Final = 4
"""Maximum number of different values for one cell that are kept, to be named in its reason."""
_TOOLS: Final = {
    "table": "dmsetup table",
    "below": "lsblk, or for loop devices losetup",
    "start": "udevadm info -e, fdasd -p or fdisk -l, for where a partition begins",
    "uid": "lsdasd -u",
    "hpf": "lsdasd -l",
    "availability": "/sys/bus/ccw/devices/*/availability",
    "wwpn": "lszfcp -D, or ls -l /dev/disk/by-path",
    "lun": "lszfcp -D, or ls -l /dev/disk/by-path",
    "chpids": "lscss",
    "volser": "udevadm info -e, or dasdview -l",
    "size": "/proc/partitions, or lsdasd",
    "cylinders": "lsdasd, or dasdview -i",
    "members": "mdadm --detail, and mdadm --examine of each member",
}
"""What would have had a field."""
_OF_KIND: Final = {
    ADAPTER.name: "lszfcp -H -P -e -a", TARGET_PORT.name: "lszfcp -P -e -a", LUN.name: "lszfcp -D -a"
}  # fmt: skip
"""What would have had any field of a kind."""
_ALTERNATIVES: Final = {
    "below": ("lsblk", "losetup"),
    "start": ("udevadm info -e", "fdasd -p", "fdisk -l"),
    "wwpn": ("lszfcp -D", "ls -l /dev/disk/by-path"),
    "lun": ("lszfcp -D", "ls -l /dev/disk/by-path"),
    "volser": ("udevadm info -e", "dasdview -l"),
}  # fmt: skip
"""The outputs of which each would have had it."""
_LONG: Final = {"--export-db": "-e", "--list": "-l"}
"""Options with the same meaning as short ones."""

UNITED: Final = frozenset({"links"})
"""Fields whose words are collected from all texts."""
FIRST: Final = frozenset({"via"})
"""Fields of which the first text counts: what it is from."""
UNORDERED: Final = frozenset({"chpids"})
"""Fields whose words mean the same in any order."""
SECTORS: Final = KIB // SECTOR
"""Sectors of the unit in which /proc/partitions has sizes."""
WEAKER: Final = frozenset({"below"})
"""Fields for which the first text is taken: tools print more or less of what a device is made of."""


_BUILT: Final = frozenset({"below", "parent"})
_MADE: Final = frozenset({"below", "table"})
"""What says what a device of the device mapper is made of."""
_OF_LSBLK: Final = frozenset({"disk", "partition"})
"""What lsblk shows of all devices that have a size."""
OF_TREE: Final = "a device in the tree of lsblk without a line of its own"
UNSEEN: Final = "?lsblk"
"""Stands for a device that others hang on in a tree, and that has no line of its own."""
ASM: Final = "oracleasm"
"""The signature of disks of Oracle's ASM."""
OF_ASM: Final = "oracleasm/disks"
"""Where in /dev ASMLib has a device for each of its disks, by their labels."""
_CONTENTS: Final = {
    "LVM2_member": "physical volume", "crypto_LUKS": "LUKS", "swap": "swap area, not known to be active,",
    "linux_raid_member": "member of an array", "DDF_raid_member": "member of an array",
    ASM: "disk of ASM", GPFS: GPFS_SYSTEM,
}  # fmt: skip
"""What signatures mean that are none of a file system."""


_SIGNATURES: Final = (
    *_CONTENTS, "zfs_member", "mpath_member", "VMFS_volume_member", "VxVM_volume_member", "bcache",
    "ceph_bluestore", "drbd", "stratis", "isw_raid_member",
)  # fmt: skip
"""Long names of what is on devices."""
_SHORTEST: Final = 6
"""Characters of a signature that was cut: its column has a heading `FSTYPE`."""
OF_MULTIPATH: Final = re.compile("mpath[a-z]{1,4}|3[0-9a-f]{16}(?:[0-9a-f]{16})?")
"""What multipath names its devices."""
_OF_KPARTX: Final = re.compile("(.+?)(?:[-_]part|p|(?<![0-9]))[0-9]{1,3}")
"""What kpartx names their partitions; a name that ends in a digit is followed by something else."""


class Fact(NamedTuple):
    """One value, and the text that has it."""

    value: Value
    place: str
    """`lsdasd, runtime.out:120`."""
    is_hint: bool = False
    """Whether it counts only where no other source has the value: it may be of an earlier time."""


class MountRow(NamedTuple):
    """A mount in a text."""

    source: str
    point: str
    fstype: str
    options: str
    place: str
    root: str = ""
    """The directory of the file system that is mounted, where that is printed, as findmnt does."""
    output: str = ""
    """Where the output begins that has it."""
    rivals: tuple[tuple[str, str], ...] = ()
    """Which other sources other texts have for it, each with the text; see `best_mounts`."""
    seen_by: str = ""
    """The process or container in whose namespace it is, if that is not the host's."""


class Array(NamedTuple):
    """Which devices hold the slots of an array, as `mdadm --detail` says."""

    slots: Mapping[int, tuple[str, str]]
    """Number and name in /dev by slot; both empty if none works there."""
    begins_at_once: bool
    """Whether its version of metadata leaves the beginning of devices to the data."""
    used: int
    """Sectors of data on each device; 0 if that is not printed."""
    place: str


class DeviceLists:
    """Which devices texts list, by their names."""

    def __init__(self) -> None:
        """Know no list."""
        self.listed: set[str] = set()
        """Names of all block devices that have a size; empty if no text lists them."""
        self.shown: set[str] = set()
        """Names of the kernel of all devices that lsblk shows; empty if no output of it is whole."""
        self.is_cut = False
        """Whether lsblk lacks devices that other texts name; see `Facts.by_number`."""
        self.allocated: dict[str, set[str]] = {}
        """The physical volumes of groups that have logical volumes on them, as pvs says."""
        self.rounded: dict[str, tuple[int, str]] = {}
        """The sizes in sectors that are rounded, by names, each with the text."""
        self.made_for: dict[str, tuple[str, str]] = {}
        """What partitions are made for, by their types, each with the text."""


class Facts(DeviceLists):
    """The values in texts: by kind, key of the row, and field.

    A block device may be named instead of numbered, `dasda1`; `by_number` replaces names by numbers.
    """

    def __init__(self) -> None:  # noqa: PLR0915 - one for each thing that texts say
        """Know nothing yet."""
        super().__init__()
        self.rows: dict[str, dict[str, dict[str, list[Fact]]]] = {}
        self.aliases: dict[str, str] = {}
        """Names of block devices by other names that texts use for them."""
        self.groups: dict[str, dict[str, str]] = {}
        """The physical volumes of each volume group by name, each with the text that has it."""
        self.segments: dict[str, dict[tuple[int, int], dict[str, int]]] = {}
        """The extents on devices of segments of logical volumes, by their first and that behind the last."""
        self.extents: dict[str, set[int]] = {}
        """The sectors of an extent of each volume group, one if texts agree."""
        self.suspects: set[str] = set()
        """Logical volumes that may be snapshots, as far as their own list tells."""
        self.without_snapshots: set[str] = set()
        """Volume groups of which vgs says that they have no snapshots."""
        self.partial: dict[str, str] = {}
        """Logical volumes of which a device is missing, as lvs says, each with the word for that."""
        self.volumes: dict[str, list[str]] = {}
        """The names in /dev/mapper of the logical volumes of each group."""
        self.btrfs: dict[str, dict[str, tuple[str, str]]] = {}
        """The devices of each btrfs by its uuid and by their ids: names, each with the text that has it."""
        self.arrays: dict[str, Array] = {}
        """The arrays of which each slot works, by the keys of their rows."""
        self.array_names: dict[str, list[str]] = {}
        """The names of arrays by their UUIDs."""
        self.data_areas: dict[str, tuple[int, int]] = {}
        """First sector and sectors of data on members of arrays, by their names."""
        self.in_tables: set[str] = set()
        """Partitions that a table of partitions has; the kernel may have none of them."""
        self.group_sizes: dict[str, tuple[int, str]] = {}
        """How many physical volumes a volume group has, each with the text that has it."""
        self.bindings: dict[str, tuple[str, str]] = {}
        """The WWIDs of which multipath would name the maps so, each with the text."""
        self.joined: dict[str, str] = {}
        """The WWIDs of which paths are in maps, each with the text; it may not name the map."""
        self.path_states: dict[str, tuple[Mapping[str, Value], str]] = {}
        """The states of paths that are listed without their maps, by their names, each with the text.

        Those that the device mapper says are by the numbers of their disks; those of maps by their titles.
        """
        self.contents: dict[str, tuple[str, str, str]] = {}
        """What is on devices, by their names: the type, its UUID, the text."""
        self.lent: dict[tuple[str, str], str] = {}
        """Devices that guests have, or an array beside those with data, with what for, and the text."""
        self.failed: dict[tuple[str, str], str] = {}
        """What is said of members that do not work, by their devices, each with the text."""
        self.idle: dict[str, set[str]] = {}
        """The devices of arrays that hold none of their data: spares, and faulty members."""
        self.mount_lists: dict[str, list[list[MountRow]]] = {}
        """The mounts of each output, by the form that lists them."""
        self.mounts: dict[tuple[str, str], MountRow] = {}
        """Mount points that lsblk and blkid have, by key of the device and point."""
        self.file_systems: dict[str, str] = {}
        """The types of file systems that have names of their own, by these."""
        self.pools: dict[str, str] = {}
        """The pools of Stratis by the UUIDs of these and of their file systems."""
        self.nsds: dict[str, str] = {}
        """The file system of each NSD of GPFS; empty for one that is free."""
        self.nsd_states: dict[str, tuple[str, str]] = {}
        """Why NSDs cannot be used, each with the text."""
        self.nsd_names: dict[str, str] = {}
        """The NSDs by their devices on this host."""
        self.mounted: set[str] = set()
        """Names of devices that are mounted or swapped to."""
        self.lent_files: dict[tuple[str, str], str] = {}
        """Files that guests have as disks, with what for, and the text."""
        self.swaps: dict[str, str] = {}
        """Devices with active swap that lsblk has, each with the text."""
        self.paths: dict[str, dict[str, tuple[set[str], str]]] = {}
        """The channel paths of each DASD by what lsdasd -l calls them, `in_use`, each with the text."""
        self.lost: dict[str, str] = {}
        """Titles of members of groups that do not work, by the words for them."""
        self._lost_volumes: dict[str, tuple[str, str, str]] = {}
        """Of volumes that LVM misses, by their groups, the id, the size, and which device it was."""
        self.unseen: dict[str, str] = {}
        """Titles of members that there may be, by the words for them."""
        self.rivals: set[str] = set()
        """Those of them about whose devices texts contradict each other."""
        self.stand_ins: dict[str, str] = {}
        """Numbers that stand for members of groups without a number, by their names; see `by_number`."""
        self.commands: set[frozenset[str]] = set()
        """The words of the commands, and the files, of all outputs that were read."""
        self.hosts: set[str] = set()
        """The names of the host whose texts these are."""
        self.remarks: list[str] = []
        """Contradictions that concern no single cell, a sentence each."""

    @property
    def listed_mounts(self) -> list[MountRow]:
        """The mounts of all lists."""
        return [row for lists in self.mount_lists.values() for rows in lists for row in rows]

    def say(self, kind: Kind, key: str, place: str, **values: Value) -> None:
        """Add values of a row; empty texts and absent values say nothing."""
        self._add(kind, key, Fact("", place), values)

    def hint(self, kind: Kind, key: str, place: str, **values: Value) -> None:
        """Add values of a row that count only where no other source has them.

        A row of such values alone counts if no other row of its kind is there; one of FCP does in any case.
        """
        self._add(kind, key, Fact("", place, is_hint=True), values)

    def _add(self, kind: Kind, key: str, of_place: Fact, values: Mapping[str, Value]) -> None:
        row = self.rows.setdefault(kind.name, {}).setdefault(key, {})
        for name, value in values.items():
            if value != "" and not isinstance(value, Absent):
                add(row.setdefault(name, []), name, of_place._replace(value=value))

    def say_below(self, key: str, place: str, below: str) -> None:
        """Say what a block device is built on; empty for one that is built on none."""
        self.say(LAYER, key, place, below=below)
        if not below:
            self.rows[LAYER.name][key].setdefault("below", []).append(Fact("", place))

    def name_dasd(self, name: str, place: str) -> None:
        """Say of a DASD or a partition of one what it is; the name of another device says nothing."""
        if number_of_dasd(name):
            disk = disk_of_dasd(name)
            self.say(LAYER, disk, place, name=disk, sort="disk")
            if disk != name:
                self.say(LAYER, name, place, name=name, sort="partition")

    def name_device(self, device: str, place: str, number: str = "") -> str:
        """Say of a block device what its name below /dev tells, and return the key of its row.

        That is its number, if it is known, else its name.  A link of udev says nothing.  Of a partition its
        disk is named, too.  What is made of others has no sort as long as nothing tells of which: it may hold
        what is on it.
        """
        name = mapped_name(device) or plain(device)
        key = number or name
        if name != device:
            self.say(LAYER, key, place, mapped=name)
        elif is_of_kernel(name):
            disk, sort = disk_name(name), sort_of(name, is_below=False)
            self.say(LAYER, key, place, name=name, sort="" if sort in {"dm", "md"} else sort)
            if sort == "partition":
                self.name_device(disk, place)
        return key

    def say_content(self, device: str, place: str, sort: str, uuid: str) -> None:
        """Say what is on a device that is named, by the signature that blkid and lsblk find there.

        lsblk cuts a signature to the width of its column.
        """
        whole = [name for name in _SIGNATURES if len(sort) >= _SHORTEST and name.startswith(sort)]
        sort = whole[0] if len(whole) == 1 else sort
        self.contents.setdefault(device, (sort, uuid, place))

    def say_asm(self, key: str, place: str, label: str) -> None:
        """Say of a block device which label ASM has given it; empty if none."""
        if label:
            self.say(LAYER, key, place, links=f"{OF_ASM}/{label} {tagged(f'LABEL={label}')}")

    def lose_volume(self, group: str, last: str = "", uuid: str = "", size: str = "") -> str:
        """Return the name of the volumes of a group that LVM misses; of one its id, size and old device."""
        lost = f"?{group}"
        before = self._lost_volumes.get(group, ("", "", ""))
        is_same = not uuid or before[0] in {"", uuid}
        told = uuid, size, f"was {last}" if last else ""
        uuid, size, last = self._lost_volumes[group] = (
            (told[0] or before[0], told[1] or before[1], told[2] or before[2]) if is_same else told
        )
        what = f"physical volume {uuid}" if uuid else "a physical volume"
        more = ", ".join(filter(None, (size, last)))
        self.lost[lost] = f"missing: {what} of {group}{f' ({more})' if more else ''}"
        return lost

    def identify_lost(self, group: str, uuid: str) -> None:
        """Say the id of the only volume of a group that LVM misses, unless it is known."""
        if uuid not in self.lost[f"?{group}"]:
            self.lose_volume(group, uuid=uuid)

    def leave_open(self, name: str, what: str, *, is_rival: bool = False) -> None:
        """Say that there may be one more of something: a line was not understood, or is not shown.

        A rival stands for what texts contradict each other about.
        """
        self.unseen[name] = f"{NOT_SEEN}{what}"
        self.rivals |= {name} if is_rival else set()

    def collect(self, command: str) -> None:
        """Say that the output of a command was read, or the copy of a file."""
        self.commands.add(frozenset(_LONG.get(word, word).rstrip("/") for word in command.split()))

    def keys(self, kind: Kind) -> Iterable[str]:
        """Return the keys of the rows of a kind."""
        return self.rows.get(kind.name, {})

    def value(self, kind: Kind, key: str, field: str) -> Value:
        """Return the first value of a cell; absent without one."""
        facts = self.rows.get(kind.name, {}).get(key, {}).get(field)
        return facts[0].value if facts else NOWHERE

    def by_number(self, layers: Frame) -> None:
        """Give block devices that are only named the numbers that kernel files or other texts give them.

        A member of a group that no source numbers gets a number that stands for it, because the group is not
        wholly on the others.
        """
        rows = self.rows.setdefault(LAYER.name, {})
        linked = _linked({key: row for key, row in rows.items() if ":" in key}, layers)
        self._name_numbered(rows, layers)
        numbers = self._numbers(rows, layers)
        self._number_by_name(rows, numbers)
        self._stand_in(rows, numbers)
        for name, several in numbers.items():
            if len(several) > 1:
                listed = ", ".join(sorted(several))
                self.remarks.append(f"{name} has more than one number: {listed}")
        for name in [key for key in rows if ":" not in key]:
            row = rows.pop(name)
            named = self.aliases.get(name, name)
            own = numbers.setdefault(named, linked.get(named) or linked.get(f"mapper/{named}") or set())
            if not own:
                self._stand_in_alone(named, row, own)
            there = rows.setdefault(next(iter(own)), {}) if len(own) == 1 else {}
            for field, facts in row.items():
                for fact in facts:
                    add(there.setdefault(field, []), field, fact)
        self._number_below(rows, layers, numbers)
        self._part_disks(rows, layers, numbers)
        self._part_maps(rows)
        self._drop_parts(rows, layers)
        self._add_contents(rows, layers, numbers)
        self._add_lent(numbers, _linked(rows, layers))
        self._compare_sizes(rows, layers)

    def _compare_sizes(self, rows: dict[str, dict[str, list[Fact]]], layers: Frame) -> None:
        """Say of a partition or logical volume that is larger than what it lies on both sizes."""

        def titled(number: str) -> list[str]:
            row = rows.get(number, {})
            return values_of(row, "mapped") + values_of(row, "name")

        def size(number: str) -> tuple[int, str] | None:
            told = [(fact.value, fact.place) for fact in rows.get(number, {}).get("size", ())]
            told += [(layers.cell(number, "size"), "the kernel's file")]
            told += [self.rounded[name] for name in titled(number) if name in self.rounded]
            return next(((value, place) for value, place in told if isinstance(value, int) and value), None)

        for number, row in rows.items():
            is_volume = any(volume_name(name) for name in titled(number))
            lists = row.get("below" if is_volume else "parent", ())
            feet = {foot for fact in lists for foot in str(fact.value).split()}
            sizes = [size(foot) for foot in feet if not any(map(minor_of_dm, titled(foot)))]
            told = [told for told in sizes if told]
            own = size(number) if feet and len(told) == len(feet) else None
            there = sum(sectors for sectors, _place in told)
            if own and own[0] > there * _ROUNDING + SECTORS:
                foot_size = (
                    f"{_gib(there)} of {' and '.join(name for foot in feet for name in titled(foot)[:1])}"
                )
                row["size"] = [
                    Fact(f"{_gib(own[0])} of {titled(number)[0]} on it", own[1]),
                    Fact(foot_size, ", ".join(place for _sectors, place in told)),
                ]

    def _drop_parts(self, rows: dict[str, dict[str, list[Fact]]], layers: Frame) -> None:
        """Drop partitions that only tables have, of disks that others are built on: the kernel has none."""
        below = [listed for row in rows.values() for listed in values_of(row, "below")]
        used = {*" ".join((*below, *map(text_of, layers.column("below")))).split()}
        for number, row in list(rows.items()):
            names = {*values_of(row, "name")}
            tools = {fact.place.partition(", ")[0] for facts in row.values() for fact in facts}
            parents = {*values_of(row, "parent")}
            is_of_tables = all(tool in OF_TABLES or tool.startswith(ASSUMED) for tool in tools)
            is_unused = number not in used and number not in layers.index
            if names and names <= self.in_tables and is_of_tables and parents & used and is_unused:
                del rows[number]
                self.contents = {name: told for name, told in self.contents.items() if name not in names}

    @staticmethod
    def _part_maps(rows: dict[str, dict[str, list[Fact]]]) -> None:
        """Say of partitions of multipath devices of which, by their uuids: `part1-mpath-36005...`.

        Without one by their names, as kpartx gives them: `mpatha1`, `36005...-part1`.
        To the kernel a partition of a disk is built on nothing; its disk is its parent.
        """
        maps = {uuid: number for number, row in rows.items() for uuid in values_of(row, "uuid")}
        by_number = {number: uuid for uuid, number in maps.items()}
        titled = {
            title: number
            for number, row in rows.items()
            for title in values_of(row, "mapped")
            if OF_MULTIPATH.fullmatch(title) or by_number.get(number, "").startswith(MPATH)
        }
        for number, row in rows.items():
            is_open = not (row.get("below") or number in by_number)
            for fact in row.get("mapped", ()) if is_open else ():
                named = _OF_KPARTX.fullmatch(str(fact.value))
                if named and named[1] in titled and f"{named[1]}p" not in titled:
                    row["below"] = [Fact(titled[named[1]], fact.place)]
            for fact in row.get("uuid", ()) if not row.get("below") else ():
                part, _, uuid = str(fact.value).partition("-")
                if re.fullmatch("part[0-9]{1,3}", part) and uuid in maps:
                    row["below"] = [Fact(maps[uuid], fact.place)]
            for fact in row.get("sort", ())[:1] if not row.get("below") else ():
                if fact.value == "partition":
                    row["below"] = [fact._replace(value="")]

    def _add_contents(
        self, rows: dict[str, dict[str, list[Fact]]], layers: Frame, numbers: Mapping[str, set[str]]
    ) -> None:
        """Say what is on devices on which nothing else is, by the signatures that are there.

        A signature that several devices show, such as the paths to a disk, is that of the one which is built
        on the others; only a btrfs has one UUID on all its devices.  A device with a UUID that no other shows
        is known by it, too, if something else is built on it.
        """
        lists = [str(fact.value) for row in rows.values() for field in _BUILT for fact in row.get(field, ())]
        lists += [text_of(cell) for field in _BUILT for cell in layers.column(field)]
        used = {number for listed in lists for number in listed.split()}
        alone: dict[str, str] = {}
        linked = _linked(rows, layers)
        shown = Counter(uuid for _sort, uuid, _place in self.contents.values())
        for device, (sort, uuid, place) in self.contents.items():
            every = numbers.get(plain(device)) or linked.get(device, set())
            own = every - used
            if len(own) == 1 and sort != "mpath_member":
                (alone[device],) = own
            bearers = own or (every if shown[uuid] == 1 else set())
            if uuid and len(bearers) == 1 and not sort.endswith("_member"):
                (bearer,) = bearers
                links = rows.setdefault(bearer, {}).setdefault("links", [])
                add(links, "links", Fact(tagged(f"UUID={uuid}"), place))
        linked = _linked(rows, layers)  # by their ids, too
        mounted = {number for name in self.mounted for number in (
            name, *numbers.get(plain(name), ()), *numbers.get(mapped_name(name), ()), *linked.get(name, ())
        )}  # fmt: skip
        btrfs: dict[str, list[str]] = {}
        systems: dict[str, set[str]] = {}
        for device, number in alone.items():
            sort, uuid, place = self.contents[device]
            if sort == "btrfs" and uuid:
                btrfs.setdefault(uuid, []).append(device)
            elif number not in mounted:
                self._say_alone(device, number, systems)
        self._join_nsds(systems)
        for device, (what, place) in self.made_for.items():
            own = numbers.get(device, set()) - used - mounted
            if len(own) == 1 and device not in self.contents:
                self._say_content(f"{device} (made to be {what})", own, place)
        for uuid, devices in btrfs.items():
            self._join_btrfs(uuid, {device: alone[device] for device in devices}, mounted)

    def _say_alone(self, device: str, number: str, systems: dict[str, set[str]]) -> None:
        """Say what is on a device by its signature; of a GPFS that is known it is one of several devices."""
        sort, _uuid, place = self.contents[device]
        system = self.nsds.get(self.nsd_names.get(device, "")) if sort == GPFS else None
        if system:
            systems.setdefault(system, set()).add(number)
            return
        what = _CONTENTS.get(sort) or f"{sort}{' file system' * is_file_system(sort)}"
        what = "NSD without a file system" if system == "" else what
        sort = NSD if sort == GPFS and system is None else "content"
        self._say_content(f"{what} on {plain(device)}", {number}, place, sort)

    def _join_nsds(self, systems: dict[str, set[str]]) -> None:
        """Say on which devices of this host a GPFS lies, and which of its NSDs have none here."""
        for device, nsd in self.nsd_names.items():
            if nsd in self.nsd_states:
                state, place = self.nsd_states[nsd]
                system = f" of {self.nsds[nsd]}" if self.nsds.get(nsd) else ""
                self.failed[device, f"NSD {nsd}{system}: {state}"] = place
        for nsd in self.nsd_states:
            if system := self.nsds.get(nsd, ""):
                systems.setdefault(system, set())
        for system, numbers in systems.items():
            own = [nsd for nsd, other in self.nsds.items() if other == system]
            here = {nsd: self.contents[device][2] for device, nsd in self.nsd_names.items() if nsd in own}
            told = (self.nsd_states[nsd][1] for nsd in own if nsd in self.nsd_states)
            place = next(iter((*here.values(), *told)))
            for nsd in own:
                if nsd not in here:
                    numbers.add(self._nsd_elsewhere(nsd, system, place))
            title = f"{GPFS_SYSTEM} {system}"
            self._say_content(title, numbers, place, NSD, uuid=f"{OF_GPFS}{system}")
            self.say(LAYER, f"{NAMED_STAND_IN}:{title}", place, links=tagged(f"LABEL={system}"))

    def _nsd_elsewhere(self, nsd: str, system: str, place: str) -> str:
        """Return the number that stands for an NSD that may be one of other hosts alone."""
        word, (state, place) = f"?nsd.{nsd}", self.nsd_states.get(nsd, ("", place))
        what = f"NSD {nsd} of {system}, of which no device here is known"
        if state:
            self.lost[word] = f"{state}: {what}"
        else:
            self.leave_open(word, what)
        number = self._stand_in_for(word, place)
        self.say(LAYER, number, place, links=tagged(f"LABEL={nsd}"))
        return number

    def _add_lent(self, numbers: Mapping[str, set[str]], linked: Mapping[str, set[str]]) -> None:
        """Say who has devices of this host: guests, and arrays whose data are on others."""
        told = [(key, place, "content") for key, place in self.lent.items()]
        told += [(key, place, FAILED) for key, place in self.failed.items()]
        for (device, title), place, sort in told:
            stand_in = self.stand_ins.get(device)
            by_name = (numbers.get(plain(device)), numbers.get(mapped_name(device)), linked.get(device))
            of_disk = numbers.get(disk_name(device))  # of a partition without a row
            own = next(filter(None, (*by_name, {stand_in} if stand_in else None, of_disk)), set[str]())
            if len(own) == 1:
                self._say_content(title, own, place, sort)

    def _join_btrfs(self, uuid: str, devices: Mapping[str, str], mounted: set[str]) -> None:
        """Say which devices a btrfs has by their signatures, unless `btrfs filesystem show` lists it.

        One that it does not list may be a missing one.
        """
        listed = {device for members in self.btrfs.values() for device, _place in members.values()}
        for device in devices.keys() - listed if uuid in self.btrfs else ():
            title = f"signature of btrfs {uuid} on {plain(device)}"
            self._say_content(title, {devices[device]}, self.contents[device][2])
        if uuid in self.btrfs or not listed.isdisjoint(devices):
            return
        places = {device: self.contents[device][2] for device in devices}
        names, numbers = " ".join(map(plain, devices)), {*devices.values()}
        if len(numbers) > 1:
            self.btrfs[uuid] = {f"?{nth}": device for nth, device in enumerate(places.items(), 1)}
        if mounted.isdisjoint(numbers):
            title = f"btrfs {uuid}" if len(numbers) > 1 else f"btrfs file system on {names}"
            self._say_content(title, numbers, next(iter(places.values())))

    def _say_content(
        self, title: str, numbers: set[str], place: str, sort: str = "content", uuid: str = ""
    ) -> None:
        key, below = f"{NAMED_STAND_IN}:{title}", " ".join(sorted(numbers, key=by_digits))
        self.say(LAYER, key, place, mapped=title, sort=sort, below=below, uuid=uuid)

    def _name_numbered(self, rows: dict[str, dict[str, list[Fact]]], layers: Frame) -> None:
        """Name disks and partitions that others are built on, and that no source names."""
        below = [fact for row in rows.values() for fact in row.get("below", ())]
        for fact in below:
            for number in str(fact.value).split():
                if number not in rows and number not in layers.index and (name := name_of_number(number)):
                    self.name_device(name, fact.place, number)

    def _number_by_name(self, rows: dict[str, dict[str, list[Fact]]], numbers: dict[str, set[str]]) -> None:
        """Give devices that no source numbers the numbers that follow from their names."""
        taken = {number for several in numbers.values() for number in several}
        for name in [*rows, *self.aliases.values()]:
            number = number_of(name)
            if number and name not in numbers and number not in taken:
                numbers[name] = {number}

    @staticmethod
    def _stand_in_alone(name: str, row: dict[str, list[Fact]], own: set[str]) -> None:
        """Give a device without a number one that stands for it: nothing that a text has is lost."""
        own.add(f"{NAMED_STAND_IN}:{name}")
        if not row.get("name") and not row.get("mapped"):
            place = next((fact.place for facts in row.values() for fact in facts), "")
            title = name.removeprefix("scsi-").replace("-", ":") if name.startswith("scsi-") else name
            row["name"] = [Fact(title, place)]

    @staticmethod
    def _stand_in(rows: dict[str, dict[str, list[Fact]]], numbers: dict[str, set[str]]) -> None:
        """Give devices of the device mapper that no source numbers a key that looks like no number.

        `multipath -ll`, pvs and lvs do not print numbers.  The kernel gives dm-7 the minor number 7, and the
        major number is known where another device of the device mapper has it.
        """
        majors = {
            number.partition(":")[0]
            for name, several in numbers.items()
            for number in several
            if minor_of_dm(name)
        }
        major = min(majors) if len(majors) == 1 else DM_STAND_IN
        for name, row in rows.items():
            title = next(iter(values_of(row, "mapped")), name)
            is_named = any(fact.value in NAMED for fact in row.get("sort", ()))
            is_titled = minor_of_dm(name) and row.get("mapped")
            if ":" in name or name in numbers or not (is_named or is_titled):
                continue
            if title not in numbers:
                minor = minor_of_dm(name)
                number = f"{major}:{minor}" if minor else f"{NAMED_STAND_IN}:{len(numbers)}"
                numbers[title] = {number}
            numbers[name] = numbers[title]

    @staticmethod
    def _part_disks(
        rows: dict[str, dict[str, list[Fact]]], layers: Frame, numbers: Mapping[str, set[str]]
    ) -> None:
        """Say of partitions whose disk no source names that it is the disk of their name."""
        parents = dict(zip(layers.keys, layers.column("parent"), strict=True))
        for number, row in rows.items():
            names = values_of(row, "name")
            is_part = len(names) == 1 and sort_of(names[0], is_below=True) == "partition"
            is_of_array = len(names) == 1 and may_be_part(names[0]) and not row.get("sort")
            disk = disk_name(names[0]) if is_part or is_of_array else ""
            if not disk or row.get("parent") or isinstance(parents.get(number), str):
                continue
            disks, place = numbers.get(disk, set()), f"{ASSUMED} by the name {names[0]}"
            if len(disks) == 1:
                row["parent"] = [Fact(next(iter(disks)), place, is_hinted(row))]
            if is_of_array:
                row["sort"] = [Fact("partition" if row.get("parent") else "md", place)]

    @staticmethod
    def _numbers(rows: dict[str, dict[str, list[Fact]]], layers: Frame) -> dict[str, set[str]]:
        """Return the numbers of block devices by their names, of the kernel and in /dev/mapper."""
        numbers: dict[str, set[str]] = {}
        for field in ("name", "mapped"):
            named = [(number, fact.value) for number, row in rows.items() for fact in row.get(field, ())]
            for number, name in (*named, *zip(layers.keys, layers.column(field), strict=True)):
                if isinstance(name, str) and ":" in number:
                    numbers.setdefault(name, set()).add(number)
        for key, row in rows.items():  # a text may tell both names, and another the number of one of them
            names = {key, *(str(fact.value) for field in ("name", "mapped") for fact in row.get(field, ()))}
            own = {number for name in names for number in numbers.get(name, ())}
            if ":" not in key and len(own) == 1:
                numbers |= {name: own for name in names if name not in numbers}
        return numbers

    def _number_below(
        self, rows: dict[str, dict[str, list[Fact]]], layers: Frame, numbers: Mapping[str, set[str]]
    ) -> None:
        """Replace names among the devices that a device or a btrfs is made of."""
        linked = _linked(rows, layers)

        def number_of(name: str) -> str:
            several = (
                {name}
                if ":" in name and not name.startswith("disk/")
                else numbers.get(plain(name)) or linked.get(name) or linked.get(f"mapper/{name}") or set()
            )
            return next(iter(several)) if len(several) == 1 else ""

        for title, word in self.partial.items():
            # the kernel, and so lsblk, has only those devices that are there
            below = rows.get(number_of(title), {}).get("below", [])
            below[:1] = [fact._replace(value=f"{fact.value} {word}") for fact in below[:1]]
        self._number_paths(rows, layers, number_of)
        self._open_trees(rows, number_of)
        for row in list(rows.values()):
            for field in _BUILT & row.keys():
                row[field] = self._with_numbers(field, row[field], number_of)
            row.get("below", [])[:] = self._with_rivals(row.get("below", []), rows, layers)
        for array, devices in self.idle.items():
            idle = {*map(number_of, devices)}
            told = rows.get(number_of(array), {}).get("below", [])
            told[:] = [
                fact._replace(value=" ".join(foot for foot in str(fact.value).split() if foot not in idle))
                for fact in told
            ]
        for row in rows.values():
            self._prefer_resolved(row, rows, layers)
        for name, place in (device for devices in self.btrfs.values() for device in devices.values()):
            if not number_of(name):
                self._stand_in_for(name, place)

    def _open_trees(self, rows: dict[str, dict[str, list[Fact]]], number_of: Callable[[str], str]) -> None:
        """Join the paths that any text names of a map, and leave open what a cut lsblk alone tells.

        It was cut if it lacks a device that another text names.  It shows a part of a group if a physical
        volume that has logical ones is below none of them.
        """
        lacking = self._lacking(rows)
        if lacking:
            self.is_cut = True
            self.remarks.append(f"lsblk is not whole: other texts name {', '.join(lacking[:MAX_RIVALS])}")
            self.commands = {command for command in self.commands if "lsblk" not in command}
        below: dict[str, set[str]] = {}
        for row in rows.values():
            feet = {*" ".join(values_of(row, "below")).split()}
            below.setdefault(_group_of(row), set()).update(map(number_of, feet), feet)
        spilled = {
            group for group, volumes in self.allocated.items() for feet in [below.get(group, set())]
            if feet and group_key(group) not in feet and not {*map(number_of, volumes)} <= feet
        }  # fmt: skip
        uuids = [(row, "".join(values_of(row, "uuid"))) for row in rows.values()]
        maps = tuple(
            title for row, uuid in uuids if uuid.startswith(MPATH) for title in values_of(row, "mapped")
        )
        for row, uuid in uuids:
            told, group = row.get("below", []), _group_of(row)
            told[:] = [fact for fact in told if str(fact.value).split() != [UNSEEN]] or told
            titles = values_of(row, "mapped")
            is_of_one = any(title.startswith(maps) for title in titles) or any(
                (named := _OF_KPARTX.fullmatch(title)) and OF_MULTIPATH.fullmatch(named[1])
                for title in titles
            )
            if uuid.startswith(MPATH) and told:
                own = dict.fromkeys(word for word in str(told[0].value).split())
                own |= {number: None for fact in told[1:] for word in str(fact.value).split()
                        if (number := number_of(word)) and number not in map(number_of, own)}  # fmt: skip
                if own and not all(fact.value for fact in told):  # at another time it had none
                    own[gone := f"?{''.join(values_of(row, 'mapped')[:1])}.gone"] = None
                    self.leave_open(gone, self._of_two_times(row), is_rival=True)
                elif rivals := _crossing(told):
                    titled = "".join(values_of(row, "mapped")[:1])
                    own[more := f"?{titled}.rivals"] = None
                    why = f"which paths {titled} has: {_lists_of(rivals)}"
                    self.leave_open(more, why, is_rival=True)
                    self.remarks.append(why)
                    self._forget_failures(own)
                told[:] = [told[0]._replace(value=" ".join(own))]
            elif not (is_of_one or uuid.startswith("CRYPT-") or row.get("table")) and (
                {"dm", "md"}.intersection(values_of(row, "sort"))
            ):
                others = [fact for fact in told if not fact.place.startswith("lsblk, ")]
                if len(others) < len(told) and (lacking or group in spilled):
                    self.leave_open(UNSEEN, OF_TREE)
                    more = group_key(group) if group in self.groups else UNSEEN
                    told[:] = others or [fact._replace(value=f"{fact.value} {more}") for fact in told]

    def _forget_failures(self, paths: Iterable[str]) -> None:
        """Forget what a log says of paths of a map that was made anew: it may be of those before."""
        for name in {*paths, *map(name_of_number, paths)}:
            if self.path_states.get(name, ({}, ""))[1].startswith("dmesg, "):
                del self.path_states[name]

    @staticmethod
    def _of_two_times(row: Mapping[str, list[Fact]]) -> str:
        """Return what texts say of a map that has paths in one of them, and none in another."""
        titled = "".join(values_of(row, "mapped")[:1])
        places = [[fact.place for fact in row["below"] if bool(fact.value) is has_any]
                  for has_any in (True, False)]  # fmt: skip
        return f"whether {titled} has paths: some by {places[0][0]}, none by {places[1][0]}"

    def _lacking(self, rows: Mapping[str, dict[str, list[Fact]]]) -> list[str]:
        """Return the disks and partitions with a size that texts name, and that a whole lsblk would show."""
        empty = {
            str(fact.value)
            for kind, state, name in ((DASD, "state", "name"), (DEVICE, "status", "block"))
            for row in self.rows.get(kind.name, {}).values()
            if any(fact.value in {*UNFORMATTED, *STARTING} for fact in row.get(state, ()))
            for fact in row.get(name, ())
        }
        named = {
            str(fact.value)
            for row in rows.values()
            if not any(other.value in {0, LOST} for field in ("size", "sort") for other in row.get(field, ()))
            for fact in row.get("name", ())
            if not fact.is_hint and not fact.place.startswith(ASSUMED)
        }
        there = {name for name in named if is_of_kernel(name) and sort_of(name, is_below=False) in _OF_LSBLK}
        return sorted(there - self.shown - self.in_tables - empty) if self.shown else []

    def _with_numbers(self, field: str, told: list[Fact], number_of: Callable[[str], str]) -> list[Fact]:
        """Return lists of devices with numbers for names: one may name what another numbers."""
        numbered: list[Fact] = []
        for fact in told:
            parts = {
                number_of(word) or self._stand_in_for(word, fact.place) * (field == "below")
                for word in str(fact.value).split()
            }
            numbers = " ".join(sorted(parts - {""}, key=by_digits))
            if numbers or not fact.value:
                add(numbered, field, fact._replace(value=numbers))
        return numbered

    def _with_rivals(
        self, told: list[Fact], rows: Mapping[str, dict[str, list[Fact]]], layers: Frame
    ) -> list[Fact]:
        """Return lists of devices; where those of one tool contradict each other, one that has all of them.

        It is open then, but none of these devices looks free.
        """
        apart = _apart(told)
        if not apart and (not told or not isinstance(_of_first_tool(told)[0], Absent)):
            return told

        unseen = {self.stand_ins[name] for name in self.unseen if name in self.stand_ins}

        def titles(fact: Fact) -> str:
            names = []
            numbers = str(fact.value).split()
            for number in [number for number in numbers if number not in unseen]:
                row = rows.get(number, {})
                named = [str(other.value) for field in ("mapped", "name") for other in row.get(field, ())]
                names += [*named, text_of(layers.cell(number, "name")) or number][:1]
            return f"{' and '.join(names)}{' or more' * (len(names) < len(numbers))}"

        own = [fact for fact in told if fact.place.partition(", ")[0] == told[0].place.partition(", ")[0]]
        own += [fact for fact in apart if fact not in own]
        numbers = dict.fromkeys(number for fact in own for number in str(fact.value).split())
        name = contradiction(fact._replace(value=titles(fact)) for fact in own).reason
        self.leave_open(name, name, is_rival=True)
        return [own[0]._replace(value=" ".join((*numbers, self._stand_in_for(name, own[0].place))))]

    @staticmethod
    def _prefer_resolved(
        row: dict[str, list[Fact]], rows: Mapping[str, dict[str, list[Fact]]], layers: Frame
    ) -> None:
        """Prefer what a tool says of a device to a table with numbers of which nothing else is known."""

        def is_strange(number: str) -> bool:
            other = rows.get(number, {})
            is_mapped = any(minor_of_dm(str(fact.value)) for fact in other.get("name", ()))
            return number not in layers.index and (not other or (is_mapped and not other.keys() & _MADE))

        told = row.get("below", [])
        strange = [any(is_strange(number) for number in str(fact.value).split()) for fact in told]
        if any(strange) and not all(strange):
            row["below"] = [fact for fact, is_open in zip(told, strange, strict=True) if not is_open]
            row.pop("table", None)

    def _number_paths(
        self, rows: dict[str, dict[str, list[Fact]]], layers: Frame, number_of: Callable[[str], str]
    ) -> None:
        """Give removed paths of multipath that have no number those of the map's other members, if any.

        A path without a name has that of its disk, else its number.
        """
        paths = self.rows.get(PATH.name, {})
        for key, row in list(rows.items()):
            told = row.get("below", [])
            for fact in told:
                parts = str(fact.value).split()
                removed = [word for word in parts if word in paths and ":" not in word]
                if not removed:
                    continue
                lists = [text_of(layers.cell(key, "below")), *(str(other.value) for other in told)]
                members = {number_of(word) for word in " ".join(lists).split()}
                others = sorted(members - {"", *map(number_of, parts)}, key=by_digits)
                self.stand_ins.update(zip(removed, others, strict=False))
                for word in removed:
                    number = self._stand_in_for(word, fact.place)
                    paths[number] = {**paths.pop(word), **paths.get(number, {})}
                told.sort(key=lambda other: other is not fact)  # it has all members
                break
        for number, row in paths.items():
            if not row.get("name"):
                place = row["map"][0].place
                names = [fact.value for fact in rows.get(number, {}).get("name", ())]
                names = names or [text_of(layers.cell(number, "name"))]
                name = names[0] or (REMOVED if number in self.stand_ins.values() else number)
                self.say(PATH, number, place, name=name)
                self.say(LAYER, number, place, name=name, sort="disk")

    def _stand_in_for(self, name: str, place: str) -> str:
        """Return the number that stands for a device without one."""
        if name not in self.stand_ins:
            number = self.stand_ins[name] = f"{NAMED_STAND_IN}:{MEMBER_STAND_INS + len(self.stand_ins)}"
            title = self.lost.get(name) or self.unseen.get(name) or plain(name)
            self.say(LAYER, number, place, mapped=title)
            sort = LOST if name in self.lost else RIVAL if name in self.rivals else ""
            self.hint(LAYER, number, place, sort=sort)  # a path that is removed is a disk all the same
        return self.stand_ins[name]


def values_of(row: Mapping[str, list[Fact]], field: str) -> list[str]:
    """Return what texts say in a field of a row; nothing without one."""
    return [str(fact.value) for fact in row.get(field, ())]


def is_file_system(sort: str) -> bool:
    """Return whether a signature is one of a file system that is mounted from its device."""
    return sort not in _SIGNATURES and not sort.endswith("_member")


_ROUNDING: Final = 1.1
"""How much larger a size may be that is rounded."""


def _gib(sectors: int) -> str:
    return f"{round(sectors * SECTOR / (1 << 30), 1):g}G"


def group_key(group: str) -> str:
    """Return the key of the row of a volume group; empty for that of volumes without one."""
    return f"volume-group-{group}"


def _group_of(row: Mapping[str, list[Fact]]) -> str:
    """Return the volume group of a logical volume; empty for any other device."""
    return next(filter(None, map(group_of, values_of(row, "mapped"))), "")


def _linked(rows: Mapping[str, Mapping[str, list[Fact]]], layers: Frame) -> dict[str, set[str]]:
    """Return the numbers of block devices by the names that udev gives them: `disk/by-path/...`."""
    linked: dict[str, set[str]] = {}
    cells = [(number, links) for number, row in rows.items() for links in values_of(row, "links")]
    for number, links in (*cells, *zip(layers.keys, map(text_of, layers.column("links")), strict=True)):
        for link in links.split():
            linked.setdefault(link, set()).add(number)
    return linked


ASSUMED: Final = "assumed"
"""How the place of a value begins that follows from a name."""
OF_TABLES: Final = frozenset({"fdisk", "fdasd", "parted"})
"""Tools that read tables of partitions from disks."""
DM_STAND_IN: Final = "dm"
"""Stands for the major number of the device mapper where no source has it: dm:7 is dm-7."""
NAMED_STAND_IN: Final = "mapped"
"""Stands for it where the minor number is not known either."""
MEMBER_STAND_INS: Final = 1_000_000
"""The first minor number that stands for a member of a group; those of named devices are smaller."""
NAMED: Final = frozenset({"dm", VOLUME_GROUP, POOL, "btrfs", "content"})
"""Sorts of devices that texts name without a number."""


def plain(name: str) -> str:
    """Return the name of a device without its directory in /dev."""
    return name.removeprefix("mapper/")


def mapped_name(name: str) -> str:
    """Return the name in /dev/mapper of a logical volume `group/volume`; empty for other names."""
    group, slash, volume = name.partition("/")
    is_it = slash and "/" not in volume and group not in {"mapper", "disk", "md"}
    return f"{doubled(group)}-{doubled(volume)}" if is_it else ""


def doubled(name: str) -> str:
    """Return a name of LVM as it is in /dev/mapper, where a single hyphen divides group and volume."""
    return name.replace("-", "--")


def by_digits(number: str) -> tuple[int, ...]:
    """Return the sort key of a number of a block device."""
    return tuple(int(part) for part in number.split(":") if part.isdecimal())  # stand-ins come first


def add(facts: list[Fact], field: str, fact: Fact) -> None:
    """Add a fact unless one with this value is there; words of united fields are joined.

    A hint is dropped beside others, whichever comes first.
    """
    if any(earlier.is_hint < fact.is_hint for earlier in facts):
        return
    facts[:] = [earlier for earlier in facts if earlier.is_hint <= fact.is_hint]
    if field in UNITED and facts:
        united = dict.fromkeys((*str(facts[0].value).split(), *str(fact.value).split()))
        facts[0] = facts[0]._replace(value=" ".join(united))
        return
    if field in FIRST and facts:
        return
    for at, earlier in enumerate(facts):
        if same(field, earlier.value, fact.value):
            if is_fuller(field, fact.value, earlier.value):
                facts[at] = fact
            return
    if len(facts) < MAX_RIVALS:
        facts.append(fact)


def same(field: str, this: Value, other: Value) -> bool:
    """Return whether two values of a field mean the same.

    A unique id ends with a token for a minidisk, which udev leaves out; /proc/partitions rounds sizes to KiB.
    """
    if field in WEAKER or field in UNORDERED:
        return set(str(this).split()) == set(str(other).split())
    if field == "uid":
        units, tokens = zip(*(_with_token(value) for value in (this, other)), strict=True)
        return units[0] == units[1] and (tokens[0] == tokens[1] or "" in tokens)
    if field == "uuid":  # lsblk says of a device only that it is one of multipath or encrypted
        short, full = sorted((str(this), str(other)), key=len)
        return short == full or (short.endswith("-") and full.startswith(short))
    if field == "state" and {this, other} <= UNFORMATTED:
        return True
    if field == "size" and isinstance(this, int) and isinstance(other, int):
        return this // SECTORS == other // SECTORS
    return this == other or str(this).casefold() == str(other).casefold()


def is_fuller(field: str, this: Value, other: Value) -> bool:
    """Return whether the first of two values that mean the same says more."""
    if field == "uuid":
        return len(str(this)) > len(str(other))
    if field == "uid":
        return bool(_with_token(this)[1]) > bool(_with_token(other)[1])
    return field == "size" and isinstance(this, int) and isinstance(other, int) and this > other


def _with_token(uid: Value) -> tuple[str, str]:
    """Return a unique id without the token of a minidisk, and the token."""
    parts = str(uid).casefold().split(".")
    return ".".join(parts[:4]), ".".join(parts[4:])


def joined(kind: Kind, frame: Frame, facts: Facts, when: int) -> tuple[Frame, dict[str, dict[str, Value]]]:
    """Return a frame with what texts say, and the rows of `ORIGIN` that name these texts.

    A row that only texts have is added; one of hints if no text has more of its sort.
    """
    said = facts.rows.get(kind.name)
    if not said:
        return frame, {}
    hinted = {key for key, row in said.items() if kind.name not in _OF_KIND and is_hinted(row)}
    sorts = {key: _sort_of_row(kind, key, facts) for key in said}
    derived = f"{NAMED_STAND_IN}:"  # of names that follow from other rows
    told_sorts = {sorts[key] for key in said if key not in hinted and not key.startswith(derived)}
    weak = {key for key in hinted if frame.keys or (sorts[key] in told_sorts if sorts[key] else told_sorts)}
    keys = list(dict.fromkeys([*frame.keys, *(key for key in said if key not in weak)]))
    origins: dict[str, dict[str, Value]] = {}
    rows: dict[str, dict[str, Value]] = {}
    columns = {field.name: frame.column(field.name) for field in kind.fields}
    missing = {name: _missing(kind, name, facts.commands) for name in columns}
    for key in keys:
        at = frame.index.get(key)
        row = {name: missing[name] if at is None else column[at] for name, column in columns.items()}
        places: dict[str, list[str]] = {}
        for field, told in said.get(key, {}).items():
            if field in row and told:
                row[field], place = _settled(field, row[field], told)
                if place:
                    places.setdefault(place, []).append(field)
        rows[key] = row
        if places:
            texts = " | ".join(f"{' '.join(fields)} = {place}" for place, fields in places.items())
            origins[f"{kind.name} {key}"] = {"texts": texts}
    times = [when if (at := frame.index.get(key)) is None else frame.times[at] for key in keys]
    return frame_of(kind, rows, times), origins


def _sort_of_row(kind: Kind, key: str, facts: Facts) -> str:
    """Return whether a row is of an adapter or another device, or of a DASD; empty for all others."""
    if kind is DEVICE:
        return "adapter" if key in facts.keys(ADAPTER) else "device"
    return "dasd" if kind is LAYER and name_of_number(key).startswith("dasd") else ""


def _missing(kind: Kind, field: str, commands: Collection[frozenset[str]]) -> Absent:
    """Return why a field is missing: what would have had it, without what was collected and has it not."""
    if kind.name in _OF_KIND:
        return NOT_COLLECTED.about(_OF_KIND[kind.name])
    if field not in _TOOLS:
        return NOWHERE
    every = _ALTERNATIVES.get(field, (_TOOLS[field],))
    left = [output for output in every if not any({*output.split()} <= read for read in commands)]
    if left and len(left) == len(every):
        return NOT_COLLECTED.about(_TOOLS[field])
    return NOT_COLLECTED.about(" or ".join(left) or "an output that has it")


def is_hinted(row: Mapping[str, list[Fact]]) -> bool:
    """Return whether all that is said of a row are hints."""
    facts = [fact for told in row.values() for fact in told]
    return bool(facts) and all(fact.is_hint for fact in facts)


def _settled(field: str, value: Value, facts: list[Fact]) -> tuple[Value, str]:
    """Return the value of a cell, and the text that it is from; empty if it is from a kernel file."""
    first = facts[0]
    if not isinstance(value, Absent):
        facts = [fact for fact in facts if not fact.is_hint]
    if isinstance(value, Absent):
        if field in WEAKER:
            return _of_first_tool(facts)
        return (first.value, first.place) if len(facts) == 1 else (contradiction(facts), "")
    if field in UNITED:
        links = dict.fromkeys((*str(value).split(), *str(first.value).split()))
        return " ".join(links), first.place if len(links) > len(str(value).split()) else ""
    if field in WEAKER | FIRST or all(same(field, value, fact.value) for fact in facts):
        return value, ""
    rivals = [
        Fact(value, "the kernel's file"),
        *(fact for fact in facts if not same(field, value, fact.value)),
    ]
    return contradiction(rivals), ""


def _of_first_tool(facts: list[Fact]) -> tuple[Value, str]:
    """Return the longest list of the first tool, and its text; open if none has all of the others.

    What a tool is asked for may be a part of the machine, but its answers never differ in the rest.
    """
    tool = facts[0].place.partition(", ")[0]
    own = [fact for fact in facts if fact.place.partition(", ")[0] == tool]
    longest = max(own, key=lambda fact: len(str(fact.value).split()))
    whole = {*str(longest.value).split()}
    if all(whole.issuperset(str(fact.value).split()) for fact in own):
        return longest.value, longest.place
    return contradiction(own), ""


def _crossing(told: list[Fact]) -> list[Fact]:
    """Return two lists of one tool that share devices, and of which each has some that the other lacks.

    Both may be whole, each at its time.
    """
    for nth, fact in enumerate(told):
        feet = {*str(fact.value).split()}
        for other in told[:nth]:
            of_other = {*str(other.value).split()}
            is_same_tool = fact.place.partition(", ")[0] == other.place.partition(", ")[0]
            if is_same_tool and feet & of_other and feet - of_other and of_other - feet:
                return [other, fact]
    return []


def _lists_of(told: Iterable[Fact]) -> str:
    """Write lists of devices by their names, each with its text."""
    lists = [[name_of_number(word) or word for word in str(fact.value).split()] for fact in told]
    return ", ".join(f"{' '.join(own)} by {fact.place}" for own, fact in zip(lists, told, strict=True))


def _apart(told: list[Fact]) -> list[Fact]:
    """Return the lists of other tools that have none of the DASDs of the first one.

    Other disks may be paths to one, and be called like that, or by the map that joins them.
    """
    disks = [{disk_of_dasd(name_of_number(number)) for number in str(fact.value).split()} for fact in told]
    dasds = [(fact, names) for fact, names in zip(told, disks, strict=True) if names and "" not in names]
    if not dasds or dasds[0][0] is not told[0]:
        return []
    return [fact for fact, names in dasds if names.isdisjoint(dasds[0][1]) and not fact.is_hint]


def contradiction(facts: Iterable[Fact]) -> Absent:
    """Return the absence of a value that sources contradict each other about."""
    said = ", ".join(f"{text_of(fact.value)} by {fact.place}" for fact in facts)
    return CONTRADICTED.about(said)


def origin_frame(rows: Mapping[str, Mapping[str, Value]], when: int) -> Frame:
    """Return the frame that names the texts of values."""
    if not rows:
        return empty_frame(ORIGIN, "no value is from a text")
    return frame_of(ORIGIN, rows, when)
