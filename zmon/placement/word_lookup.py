"""The meanings of a word (file, mount, device, number, label, LCU ...), and the files and disks of each.

A word can have several meanings: 7201 may be the number of a virtual device here and of a real device
elsewhere.  All are returned.
"""

from __future__ import annotations

import re
from enum import Enum

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.ranges import names
from zmon.base.record import NamedTuple
from zmon.kinds import CONTAINER, DASD, DEVICE, FAILED, LOST, MPATH, TEXT, VOLUME_GROUP
from zmon.kinds import SWAP as SWAP_AREA
from zmon.placement.channel_device import channel_device
from zmon.placement.unused_paths import is_offline, reasons_of
from zmon.topology.claims import claims_about, emulated_over, fcp_devices_on
from zmon.topology.data_files import file_by_name, unknown_file
from zmon.topology.lun import as_multipath
from zmon.topology.read_texts import are_offline_listed, unseen_dasd
from zmon.topology.same_disks import same_devices
from zmon.topology.stack import TAGS, group_of, tagged, volume_name
from zmon.values.dasd_state import NOT_FORMATTED, STARTING, use_of
from zmon.values.nvme import parse_path
from zmon.values.path_masks import paths_on_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.placement.channel_device import ChannelDevice
    from zmon.topology.claims import Claim
    from zmon.topology.data_files import DataFile
    from zmon.topology.location import FileLocation
    from zmon.topology.machine import Machine
    from zmon.topology.mounts import Mount
    from zmon.topology.volumes import Volume


class MeaningKind(Enum):
    """The kinds of meanings of a word."""

    FILE = "file"
    DIRECTORY = "directory"
    MOUNT = "mount point"
    DEVICE = "block device"
    BUS = "bus id"
    VDEV = "virtual device number"
    RDEV = "real device number"
    LABEL = "volume label"
    WWID = "WWID"
    UID = "unique id"
    PORT = "WWPN"
    LUN = "LUN"
    GROUP = "volume group"
    LCU = "logical control unit"
    TABLESPACE = "tablespace"
    DATABASE = "database"
    OF_CP = "volume of z/VM"
    DISK_OF_GUEST = "virtual disk of z/VM"
    DEVICE_OF_CP = "device of z/VM"


_PARTS: Final = 3
"""Points in the unique id of a disk that is no minidisk: that of one has a token behind a fourth."""
MAX_SHARED: Final = 5
"""Disks on one volume that are named."""
_OF_CP: Final = frozenset({MeaningKind.OF_CP, MeaningKind.DISK_OF_GUEST, MeaningKind.DEVICE_OF_CP})
"""Meanings of words that only CP and directories have."""
DOWNWARDS: Final = frozenset({MeaningKind.FILE, MeaningKind.DIRECTORY, MeaningKind.MOUNT})
"""Meanings that are paths, which are mapped to disks."""


class WordMeaning(NamedTuple):
    """One meaning of a word."""

    word: str
    sort: MeaningKind
    key: str
    """Of a file or directory its path, of a mount its point, of a device major:minor, of an LCU its key, of a
    tablespace database and name, else the word in its spelling there."""
    disks: tuple[str, ...] = ()
    """major:minor of the disks that it means; empty for files, mounts, tablespaces, devices without one."""


_BUS: Final = r"[0-9a-f]{1,2}\.[0-3]\.[0-9a-f]{4}"
MIN_WWID: Final = 16
"""Characters of the shortest world-wide id."""
_NAME_OF_FCP: Final = r"(?:0x)?[0-9a-f]{16}"
"""A port or a unit of FCP."""
_HEX: Final = r"(?i)(?:0x)?[0-9a-f]{1,5}"


def meanings(word: str, machine: Machine) -> list[WordMeaning]:
    """Return all meanings of a word in a machine, each once; an empty word has none."""
    if not word:
        return []
    readings = (
        _paths, _nodes, _groups, _logical, _numbers, _labels, _storage, _wwids, _lcus, _tablespaces,
    )  # fmt: skip
    distinct = dict.fromkeys(meaning for reading in readings for meaning in reading(word, machine))
    if not distinct and (claims := claims_about(word, machine.claims)):
        return [WordMeaning(word, _sort_of(word, claims), word.upper())]
    return list(distinct)


def _sort_of(word: str, claims: Sequence[Claim]) -> MeaningKind:
    """Return what a word means that only CP and directories have; guests number their disks themselves."""
    volumes = [claim for claim in claims if claim.is_volume]
    if not volumes:
        return MeaningKind.DEVICE_OF_CP
    number = word.upper().zfill(4)
    is_virtual = all(claim.vdev == number != claim.rdev for claim in volumes)
    return MeaningKind.DISK_OF_GUEST if is_virtual else MeaningKind.OF_CP


def _paths(word: str, machine: Machine) -> Iterator[WordMeaning]:
    if not word.startswith(("/", "+")):  # names of Oracle's disk groups begin with a plus
        return
    path = word.rstrip("/") or "/"
    mount = machine.mounts.by_point.get(path)
    if mount is not None:
        yield WordMeaning(word, MeaningKind.MOUNT, mount.point)
    for file in machine.files:
        if path in {file.path, file.real}:
            yield WordMeaning(word, MeaningKind.FILE, file.path)
        elif mount is None and file.path.startswith(f"{path}/"):
            yield WordMeaning(word, MeaningKind.DIRECTORY, path)


def _nodes(word: str, machine: Machine) -> Iterator[WordMeaning]:
    path = parse_path(word.removeprefix("/dev/"))
    if of_btrfs := [*_of_btrfs(word, machine)]:
        yield from of_btrfs[:1]
        return
    node = machine.stack.named(word)
    if node is None and path is not None:  # the kernel hides it, so it has no number
        node = machine.stack.named(path.disk)
    node = node or machine.stack.named(f"LABEL={word}")  # of a pool, an NSD, a disk of ASM
    if node is None:  # a file system in a pool
        sources = (mount.point for mount in machine.mounts if mount.pool and mount.source == word)
        yield from (WordMeaning(word, MeaningKind.MOUNT, point) for point in sources)
    else:
        yield WordMeaning(word, MeaningKind.DEVICE, node.number, tuple(machine.stack.leaves(node.number)))


def _of_btrfs(word: str, machine: Machine) -> Iterator[WordMeaning]:
    """Yield the btrfs over several devices that has a UUID or label: what is mounted, or what is not."""
    link, by_uuid = tagged(word.removeprefix("/dev/")), f"disk/{TAGS['UUID']}/"
    if not link.startswith((by_uuid, f"disk/{TAGS['LABEL']}/")):
        return
    listed = zip(machine.layers.keys, map(text_of, machine.layers.column("links")), strict=True)
    members = {number: links.split() for number, links in listed if link in links.split()}
    for mount in machine.mounts:
        devices = {} if isinstance(mount.devices, Absent) else mount.devices
        if mount.fstype == "btrfs" and len(devices) > 1 and not members.keys().isdisjoint(devices.values()):
            yield WordMeaning(word, MeaningKind.MOUNT, mount.point)
    links = dict.fromkeys(name for names in (*members.values(), [link]) for name in names)
    for uuid in (name.removeprefix(by_uuid) for name in links if name.startswith(by_uuid)):
        if node := machine.stack.named(f"btrfs {uuid}"):
            yield WordMeaning(word, MeaningKind.DEVICE, node.number, tuple(machine.stack.leaves(node.number)))


def _groups(word: str, machine: Machine) -> Iterator[WordMeaning]:
    """Yield a volume group, which is no device: the disks below its physical volumes."""
    group = word.removeprefix("/dev/")
    is_device = machine.stack.named(group) is not None  # as a map, whose partitions are called like volumes
    members = _members(group, machine) if group and not is_device else set[str]()
    disks = dict.fromkeys(leaf for member in members for leaf in machine.stack.leaves(member))
    if disks:
        yield WordMeaning(word, MeaningKind.GROUP, group, tuple(disks))


def _members(group: str, machine: Machine) -> set[str]:
    """Return the physical volumes of a group: all that texts name, else those that hold logical volumes."""
    columns = zip(*map(machine.layers.column, ("mapped", "uuid")), strict=True)
    parts = {
        number
        for number, (mapped, uuid) in zip(machine.layers.keys, columns, strict=True)
        if isinstance(mapped, str) and group in {group_of(mapped, text_of(uuid)), _listed_group(mapped)}
    }
    nodes = (machine.stack.node(number) for number in parts)
    return {below for node in nodes if node for below in node.below} - parts


def _listed_group(mapped: str) -> str:
    before, _, group = mapped.partition(f"{VOLUME_GROUP} ")
    return "" if before else group


def _logical(word: str, machine: Machine) -> Iterator[WordMeaning]:
    """Yield the logical volumes of this name, which several groups may have, unless a device has it."""
    columns = zip(machine.layers.keys, *map(machine.layers.column, ("mapped", "uuid")), strict=True)
    for number, mapped, uuid in () if machine.stack.named(word) else columns:
        name = volume_name(mapped) if isinstance(mapped, str) and group_of(mapped, text_of(uuid)) else None
        if name is not None and name.partition("/")[2] == word:
            yield WordMeaning(word, MeaningKind.DEVICE, number, tuple(machine.stack.leaves(number)))


def _numbers(word: str, machine: Machine) -> Iterator[WordMeaning]:
    lower = word.lower()
    if re.fullmatch(_BUS, lower):
        yield from _some(word, MeaningKind.BUS, lower, machine, lambda volume: volume.busid == lower)
        yield from _diskless(word, lower, machine)
    elif re.fullmatch(_HEX, word):
        number = lower.removeprefix("0x").upper().zfill(4)
        yield from _some(word, MeaningKind.VDEV, number, machine, lambda volume: volume.vdev == number)
        rdevs = {number, *emulated_over(number, machine.claims)}
        yield from _some(word, MeaningKind.RDEV, number, machine, lambda volume: volume.rdev in rdevs)
        for busid in dict.fromkeys((number.lower(), *fcp_devices_on(number, machine.claims))):
            yield from _unplaced_numbers(word, busid, machine)
            yield from _diskless(word, busid, machine)


def _unplaced_numbers(word: str, number: str, machine: Machine) -> Iterator[WordMeaning]:
    """Yield the bus ids with a number: of FCP adapters, and of devices whose real number is unknown.

    Devices of other subchannel sets have their set in front of the real number: 7000 may mean 17000, too.
    """
    by_busid: dict[str, list[str]] = {}
    for disk, volume in machine.volumes.items():
        is_unknown = isinstance(volume.vdev, Absent) and isinstance(volume.rdev, Absent)
        group, _, own = text_of(volume.busid).rpartition(".")
        if own == number and isinstance(volume.busid, str) and (is_unknown or not group.endswith(".0")):
            by_busid.setdefault(volume.busid, []).append(disk)
    for busid, disks in by_busid.items():
        yield WordMeaning(word, MeaningKind.BUS, busid, tuple(disks))


def _diskless(word: str, number: str, machine: Machine) -> Iterator[WordMeaning]:
    """Yield the bus ids, by their ends, of devices without a disk: offline, aliases, adapters."""
    ends = [busid for busid in machine.sample.frame(DEVICE).keys if f".{busid}".endswith(f".{number}")]
    with_disk = {volume.busid for volume in machine.volumes.values()} if ends else set()
    for busid in ends:
        if busid not in with_disk:
            yield WordMeaning(word, MeaningKind.BUS, busid)


def _labels(word: str, machine: Machine) -> Iterator[WordMeaning]:
    upper = word.upper()
    yield from _some(
        word,
        MeaningKind.LABEL,
        upper,
        machine,
        lambda volume: upper in {_text(volume.volser), _text(volume.label)},
    )


def _storage(word: str, machine: Machine) -> Iterator[WordMeaning]:
    """Yield what a storage server calls a volume, a port or a unit behind it."""
    lower = word.casefold()
    yield from _some(
        word, MeaningKind.UID, word, machine, lambda volume: text_of(volume.uid).casefold() == lower
    )
    if re.fullmatch(_NAME_OF_FCP, lower):
        name = f"0x{lower.removeprefix('0x')}"
        rdevs = emulated_over(name[2:].upper(), machine.claims)
        yield from _some(word, MeaningKind.RDEV, name, machine, lambda volume: volume.rdev in rdevs)
        yield from _some(word, MeaningKind.PORT, name, machine, lambda volume: volume.wwpn == name)
        yield from _some(word, MeaningKind.LUN, name, machine, lambda volume: volume.lun == name)


def _wwids(word: str, machine: Machine) -> Iterator[WordMeaning]:
    """Yield a WWID as multipath, the kernel or udev writes it: `36005...`, `naa.6005...`, `scsi-36005...`."""
    bare = word.lower().removeprefix("dm-uuid-").removeprefix(MPATH)
    wanted = as_multipath(bare.removeprefix("wwn-0x").removeprefix("scsi-"))
    if len(wanted) < MIN_WWID:
        return
    spindles = {f"WWID {wanted}", f"WWID 3{wanted}"}
    yield from _some(word, MeaningKind.WWID, wanted, machine, lambda volume: volume.spindle in spindles)


def _lcus(word: str, machine: Machine) -> Iterator[WordMeaning]:
    wanted = word.casefold()
    named: dict[str, list[str]] = {}
    for volume in machine.volumes.values():
        if wanted in volume.lcu_names:
            named.setdefault(volume.key, []).append(volume.number)
    for key, numbers in named.items():
        yield WordMeaning(word, MeaningKind.LCU, key, tuple(numbers))


def _tablespaces(word: str, machine: Machine) -> Iterator[WordMeaning]:
    wanted = word.casefold()
    for file in machine.files:
        if file.tablespace and wanted in {file.tablespace.casefold(), file.space.casefold()}:
            yield WordMeaning(word, MeaningKind.TABLESPACE, file.space)
        elif file.database and wanted == file.database.casefold():
            yield WordMeaning(word, MeaningKind.DATABASE, file.database)


def _some(
    word: str, sort: MeaningKind, key: str, machine: Machine, fits: Callable[[Volume], bool]
) -> Iterator[WordMeaning]:
    disks = tuple(number for number, volume in machine.volumes.items() if fits(volume))
    if disks:
        yield WordMeaning(word, sort, key, disks)


def _text(value: Value) -> str:
    return "" if isinstance(value, Absent) else str(value).upper()


NO_SIZE: Final = absent("its size was not read")
SWAP: Final = "swap"
"""The type of file system shown for swap space."""


class MountOnDisk(NamedTuple):
    """A file system or swap space that is, wholly or partly, on some disks."""

    point: str
    """Where it is mounted; empty for swap."""
    fstype: str
    device: str
    """The title of its device."""
    disks: tuple[str, ...]
    """Those of the disks that it uses, major:minor."""
    whole: bool
    """Whether it is on these disks only."""
    seen_by: str = ""
    """The number of a process, if it is visible only in the mount namespace of that process."""
    is_possible: bool = False
    """Whether it may be on others than these disks: of its volume group only the members are known."""

    swap_file: str = ""
    """The file that is swapped to, on its device; empty if that is the device itself."""

    @property
    def title(self) -> str:
        """Its mount point, or its other use."""
        return self.point or f"swap{f' file {self.swap_file}' if self.swap_file else ''}, in use"

    @property
    def note(self) -> str:
        """A remark on the process that sees the mount, if it is in another namespace."""
        whose = f"{'process ' * self.seen_by.isdecimal()}{self.seen_by}"
        return f", in the mount namespace of {whose}" if whose else ""


class FileOnDisk(NamedTuple):
    """A file that is, wholly or partly, on some disks."""

    location: FileLocation
    file: DataFile
    bytes: Number
    """Its bytes on these disks; absent where that is unknown."""
    copies: Number = 0
    """Bytes there besides the first copy: mirrors, parity."""


class SameDisk(NamedTuple):
    """A disk that is the same as others, reached over other paths that multipath does not join."""

    disk: str
    others: tuple[str, ...]
    is_sure: bool
    """Whether it is known, not only possible."""
    is_apart: bool
    """Whether it is known that multipath does not join them."""


_OF_ADAPTERS: Final = frozenset({MeaningKind.BUS, MeaningKind.VDEV, MeaningKind.RDEV})
"""Meanings that are a device number: of the paths to SCSI and NVMe disks that of their adapter."""
OF_PATHS: Final = _OF_ADAPTERS | {MeaningKind.PORT, MeaningKind.LUN}
"""Meanings that some paths to a disk have."""


class LookupResult(NamedTuple):
    """One meaning of a word with its files, disks and mounts."""

    meaning: WordMeaning
    locations: tuple[FileLocation, ...] = ()
    """The locations of its files, file system or device."""
    volumes: tuple[Volume, ...] = ()
    """The disks, if it means disks; one with several paths once, as the first of the paths that are meant."""
    paths: tuple[Volume, ...] = ()
    """The paths over an adapter, or all those to a disk that multipath joins; empty for other meanings."""
    more_paths: bool = False
    """Whether there may be more paths than these: a text was not understood, or shows a part."""
    has_no_path: bool = False
    """Whether one of the disks is a map of multipath that has lost all its paths."""
    device: ChannelDevice | None = None
    """The device of the channel subsystem that it means, if that has no disk."""
    missing: tuple[str, ...] = ()
    """The titles of the members of a volume group that LVM does not find."""
    devices: tuple[str, ...] = ()
    """The titles of the devices on it: partitions, volumes, arrays."""
    same: tuple[SameDisk, ...] = ()
    """The disks that are others as well, over paths that multipath does not join."""
    mounts: tuple[MountOnDisk, ...] = ()
    files: tuple[FileOnDisk, ...] = ()
    unseen: tuple[str, ...] = ()
    """Possible uses of a disk that were not read, if disks are meant."""
    is_unrecorded: bool = False
    """Whether these are all, and a recording has none of them."""
    offline: bool = False
    """Whether it means an adapter, or another device with disks, that is offline."""
    unused: Mapping[str, str] = {}
    """Why paths that multipath joins are not used, by major:minor; empty of those that are."""
    lost_paths: Mapping[str, Mapping[str, str]] = {}
    """By the titles of the maps below files those of their paths that are not used, each with the reason."""
    lost_chpids: Mapping[str, str] = {}
    """The channel paths that Linux cannot use, by the major:minor of a disk: `52`."""
    why_lost: Mapping[str, str] = {}
    """Why the driver of the disks does not use some of them, by channel path, as far as it says."""
    claimed: tuple[str, ...] = ()
    """What CP and directories say of a volume that is no disk of this Linux."""
    may_be_offline: bool = False
    """Whether Linux may have such a volume, off line."""
    unformatted: tuple[str, ...] = ()
    """The disks that are not formatted, and so have no size and hold nothing."""
    states: tuple[str, ...] = ()
    """What else may be unusual of the disks, a sentence each: read-only, not ready."""

    @property
    def is_there(self) -> bool:
        """Whether it was read: every file of a tablespace, at least one of a directory, a disk of a mount."""
        if self.meaning.sort is MeaningKind.DIRECTORY:
            return bool(self.there)
        if self.meaning.sort is MeaningKind.MOUNT and any(answer.is_open for answer in self.locations):
            return False
        thing = self.locations or self.volumes or self.device or self.claimed
        return len(self.there) == len(self.locations) and bool(thing)

    @property
    def there(self) -> tuple[FileLocation, ...]:
        """The locations of files that were read."""
        return tuple(
            answer for answer in self.locations if answer.is_known and not isinstance(answer.real, Absent)
        )


WHOLE: Final = absent("all of a device is meant")
UNSIZED: Final = absent("the size of the device was not read, so its bytes are unknown")


def find(meaning: WordMeaning, machine: Machine, *, is_live: bool = False) -> LookupResult:
    """Look up one meaning of a word; only of this machine can files be named that nobody listed."""
    return _with_states(_find(meaning, machine, is_live=is_live), machine)


def _find(meaning: WordMeaning, machine: Machine, *, is_live: bool) -> LookupResult:
    match meaning.sort:
        case MeaningKind.FILE:
            return LookupResult(meaning, (machine.locations[meaning.key],))
        case MeaningKind.DIRECTORY:
            return find_below(meaning, machine)
        case MeaningKind.MOUNT:
            return find_mount(meaning, machine.mounts.by_point[meaning.key], machine, is_live=is_live)
        case MeaningKind.TABLESPACE:
            return LookupResult(meaning, _where(machine, lambda file: file.space == meaning.key))
        case MeaningKind.DATABASE:
            return LookupResult(meaning, _where(machine, lambda file: file.database == meaning.key))
        case _:
            return find_on_disks(meaning, machine)


def _where(machine: Machine, wanted: Callable[[DataFile], bool]) -> tuple[FileLocation, ...]:
    return tuple(machine.locations[file.path] for file in machine.files if wanted(file))


# downwards


def find_below(meaning: WordMeaning, machine: Machine) -> LookupResult:
    """Return the locations of the files at a path, or below it."""
    inside = meaning.key.rstrip("/") + "/"
    why = machine.missing(CONTAINER)
    return LookupResult(
        meaning,
        _where(machine, lambda file: file.path == meaning.key or file.path.startswith(inside)),
        unseen=(f"what holds it ({why})",) if why else (),
    )


def find_mount(meaning: WordMeaning, mount: Mount, machine: Machine, *, is_live: bool) -> LookupResult:
    """Return the location of the whole file system of a path whose files were not read."""
    from zmon.topology.location import ALL_CAPTURED, ALL_OF_IT  # noqa: PLC0415 - most words name devices

    node, why = machine.stack.node(mount.number), ALL_OF_IT if is_live else ALL_CAPTURED
    size = why if node is None else node.size
    place = {"real": meaning.key, "number": mount.number, "mount": mount.id}
    file = unknown_file(meaning.key, why, **place, size=size, declared=size)
    return LookupResult(meaning, (machine.locate(file),))


def find_path(meaning: WordMeaning, machine: Machine, mount: Mount | None) -> LookupResult:
    """Look up a path of this machine: a directory on a mount, a file, or the files below it."""
    if mount is not None:
        result = find_mount(meaning, mount, machine, is_live=True)
    elif meaning.key in machine.locations:  # not the files below it
        result = LookupResult(meaning, (machine.locations[meaning.key],))
    else:
        result = find_below(meaning, machine)
    return _with_states(result, machine)


def find_by_name(meaning: WordMeaning, machine: Machine) -> LookupResult:
    """Look up a path of a capture or a recording by its name alone."""
    swap, file = machine.sample.frame(SWAP_AREA), file_by_name(meaning.key, machine.mounts)
    if meaning.key in swap.index:  # what lists the areas that are in use has seen it
        size = swap.cell(meaning.key, "size")
        file = file_by_name(meaning.key, machine.mounts, size if isinstance(size, int) else NO_SIZE)
        listed = machine.origins.of("swap", meaning.key, "sort", "/proc/swaps")
        file = file._replace(listed=listed)
    answer = machine.locate(file)
    return _with_states(LookupResult(meaning, (answer,)), machine)


def _with_states(result: LookupResult, machine: Machine) -> LookupResult:
    """Return what was found with the channel paths that the disks cannot use, and those not formatted."""
    every = [*result.volumes, *(share.volume for answer in result.locations for share in answer.disks)]
    volumes = {volume.number: volume for volume in every}.values()
    devices, dasds = machine.sample.frame(DEVICE), machine.sample.frame(DASD)
    parts = {step.number for answer in result.locations for step in answer.steps}
    lost = {
        volume.number: paths
        for volume in volumes
        for paths in paths_on_line(devices, [text_of(volume.busid)])
        if paths.lost_chpids
    }
    unformatted = (
        text_of(volume.disk)
        for volume in volumes
        for busid in [text_of(volume.busid)]
        if use_of(1, devices.cell(busid, "status"), dasds.cell(busid, "state")) == NOT_FORMATTED
    )
    return result._replace(
        lost_paths=dict(_lost_paths(result, machine)),
        lost_chpids={number: " ".join(paths.lost_chpids) for number, paths in lost.items()},
        why_lost={
            chpid: reasons[-1].words
            for paths in lost.values()
            for chpid, reasons in paths.reasons.items()
            if chpid in paths.lost_chpids
        },
        unformatted=tuple(unformatted),
        states=(
            *(said for volume in volumes for said in _unusual(volume, machine)),
            *_failures({volume.number for volume in volumes} | parts, machine),
            *_troubles({volume.number for volume in volumes}, machine),
            *_used_as({answer.path for answer in result.locations}, machine),
        ),
    )


def _failures(disks: set[str], machine: Machine) -> list[str]:
    """Return which members on disks do not work, as the tools of their pools say."""
    above = {number for disk in _with_paths(disks, machine) for number in machine.stack.above(disk)}
    return sorted(machine.stack.title(number) for number in above if _is(number, FAILED, machine))


def _troubles(disks: set[str], machine: Machine) -> Iterator[str]:
    """Yield of which disks, and paths to them, the kernel says in texts that they fail."""
    if TEXT.name not in machine.sample.frames:
        return
    from zmon.topology.read_texts import troubles  # noqa: PLC0415 - most machines are no texts

    every = (machine.volumes[number] for number in _with_paths(disks, machine) if number in machine.volumes)
    for volume in sorted(every, key=_order):
        disk = text_of(volume.disk)
        yield from troubles(disk, text_of(volume.busid) * disk.startswith("dasd"), machine.sample)


def _lost_paths(result: LookupResult, machine: Machine) -> Iterator[tuple[str, Mapping[str, str]]]:
    stack, volumes = machine.stack, machine.volumes
    for number in {step.number: None for answer in result.locations for step in answer.steps}:
        if not _is_joined(number, machine):
            continue
        paths = [path for path in stack.paths(number) if path.number in volumes]
        reasons = reasons_of([volumes[path.number] for path in paths], machine)
        if lost := {path.title: why for path in paths if (why := reasons.get(path.number))}:
            yield stack.title(number), lost


def _used_as(paths: Collection[str], machine: Machine) -> Iterator[str]:
    """Say of which files devices are made: loop devices, disks of guests."""
    for number, file in zip(machine.layers.keys, machine.layers.column("file"), strict=True):
        if file in paths:
            yield f"{file} is in use: {machine.stack.title(number)}"


def _unusual(volume: Volume, machine: Machine) -> Iterator[str]:
    busid, disk = text_of(volume.busid), text_of(volume.disk)
    dasd = machine.sample.frame(DASD)
    if 1 in {machine.sample.frame(DEVICE).cell(busid, "readonly"), dasd.cell(busid, "readonly")}:
        yield f"{disk} is read-only"
    if (state := dasd.cell(busid, "state")) in STARTING:
        yield f"{disk} is not ready ({state}): its driver has not read its format"
    is_of_guest = isinstance(volume.rdev, str) and isinstance(volume.vdev, str)
    if is_of_guest or text_of(volume.uid).count(".") > _PARTS:
        yield from _shared(volume, machine)


def _shared(volume: Volume, machine: Machine) -> Iterator[str]:
    """Say of a minidisk which others are on its volume, and the unit address of that."""
    others = [
        text_of(other.disk)
        for other in machine.volumes.values()
        if other.spindle == volume.spindle and other.number != volume.number and other.busid != volume.busid
    ]
    unit = f" (unit address {volume.ua})" if isinstance(volume.ua, str) else ""
    if others and text_of(volume.disk).startswith("dasd"):
        yield f"{names([text_of(volume.disk), *others], MAX_SHARED)} are on one volume{unit}"


# upwards


def find_on_disks(meaning: WordMeaning, machine: Machine) -> LookupResult:
    """Return the disks that a word means, with the files and mounts on them; of a device those on it."""
    if meaning.sort in _OF_CP:
        said = (claim.words for claim in claims_about(meaning.key, machine.claims))
        unlisted = unseen_dasd(machine.sample)
        unseen = (unlisted.reason,) if unlisted and meaning.sort is not MeaningKind.DEVICE_OF_CP else ()
        may_be_offline = not are_offline_listed(machine.sample)
        return LookupResult(
            meaning, claimed=tuple(dict.fromkeys(said)), unseen=unseen, may_be_offline=may_be_offline
        )
    if meaning.sort is MeaningKind.BUS and not meaning.disks:
        return LookupResult(meaning, device=channel_device(meaning.key, machine))
    stack = machine.stack
    disks = _with_paths(meaning.disks, machine)
    device = meaning.key if meaning.sort is MeaningKind.DEVICE else ""
    starts = {device} if device else disks
    if meaning.sort is MeaningKind.GROUP:
        starts = _members(meaning.key, machine)
    same, sure, possible = _same(disks if device in {"", *disks} else {device}, disks, machine)
    above = {number for start in (*starts, *sure) for number in stack.above(start)}
    upon = above | starts | sure
    beside = {foot for number in above if (node := stack.node(number)) for foot in node.below}
    possible = {number for start in possible for number in (start, *stack.above(start))} - upon
    leaves = (leaf for number in sure | possible for leaf in stack.leaves(number))
    every = _with_paths({*disks, *leaves}, machine)
    titles = {stack.title(number) for number in above if not _is(number, FAILED, machine)} - {
        f"{VOLUME_GROUP} {meaning.key}"
    }
    on_disks = sorted((machine.volumes[disk] for disk in disks if disk in machine.volumes), key=_order)
    joins = [_paths_meant(number, meaning, machine) for number in disks if _is_joined(number, machine)]
    paths = {path.number for number in disks for path in machine.stack.paths(number) if number != path.number}
    shown = {meant[0] for meant in joins}
    volumes: list[Volume] = []
    for volume in on_disks:
        told = machine.same_disks.get(volume.number, {})
        is_first = volume.number in shown or volume.number not in paths
        if is_first and not any(told.get(other.number) for other in volumes):
            volumes.append(volume)
    meant = {number for numbers in joins for number in numbers}
    is_path = meaning.sort in {*OF_PATHS, MeaningKind.WWID} or _is_joined(device, machine)
    made = bool(device) and (stack.segments(device) != () or not volumes)
    joined = [volume for volume in on_disks if volume.number in paths]
    mounts = *_mounts_on(every, upon, machine), *_mounts_on(every, possible, machine, is_possible=True)
    files = tuple(_files_on(every, upon, machine))
    is_unused = not (mounts or files or any(_is_use(number, machine) for number in above))
    return LookupResult(
        meaning,
        locations=(_device(device, machine),) if made else (),
        volumes=tuple(volumes),
        paths=tuple(volume for volume in on_disks if is_path and volume.number in meant),
        missing=tuple(stack.title(start) for start in sorted(starts | beside) if _is(start, LOST, machine)),
        more_paths=any(map(stack.has_unseen, {*disks, device} - {""})),
        has_no_path=any(map(stack.has_no_path, {*disks, device} - {""})),
        devices=tuple(sorted(titles, key=lambda title: (" " in title, title))),  # what is on them last
        same=same,
        mounts=mounts,
        files=files,
        unseen=_unseen(meaning, upon | every, machine, is_unused=is_unused),
        is_unrecorded=machine.is_unrecorded,
        offline=meaning.sort in _OF_ADAPTERS and any(is_offline(text_of(v.busid), machine) for v in volumes),
        unused=reasons_of(joined, machine, [volume for volume in on_disks if volume.number not in paths]),
    )


def _is(number: str, sort: str, machine: Machine) -> bool:
    node = machine.stack.node(number)
    return node is not None and node.sort == sort


def _unseen_members(meaning: WordMeaning, machine: Machine) -> Iterator[str]:
    """Yield which members of a volume group only its own tools would list."""
    is_listed = f"{VOLUME_GROUP} {meaning.key}" in machine.layers.column("mapped")
    if meaning.sort is MeaningKind.GROUP and not is_listed:
        yield f"physical volumes of {meaning.key} without a logical volume"


def _same(
    numbers: set[str], disks: set[str], machine: Machine
) -> tuple[tuple[SameDisk, ...], set[str], set[str]]:
    """Return which devices are the same as others that multipath does not join, and these: sure, possible.

    Each set of the same is named once, with all of it; the others are those that the word does not mean.
    """
    same: list[SameDisk] = []
    named = set[frozenset[str]]()
    groups: dict[bool, set[str]] = {True: set(), False: set()}
    for number in sorted(numbers, key=machine.stack.title):
        told = same_devices(number, machine.same_disks, machine.stack)
        for is_sure, group in groups.items():
            maps = _maps_of(number, machine) if number in disks else set()
            others = [
                other
                for other, is_it in told.items()
                if is_it is is_sure and not (other in disks and maps & _maps_of(other, machine))
            ]
            group.update({*others} - disks)
            every = frozenset({number, *others})
            if others and every not in named:
                named.add(every)
                volumes = [machine.volumes[other] for other in others if other in machine.volumes]
                lost = reasons_of((), machine, volumes)
                titles = {other: machine.stack.title(other) for other in others}
                titles |= {other: f"{titles[other]} ({why})" for other, why in lost.items()}
                is_apart = machine.knows_maps and not _are_joined({number, *others}, machine)
                same.append(
                    SameDisk(machine.stack.title(number), tuple(sorted(titles.values())), is_sure, is_apart)
                )
    return tuple(same), groups[True], groups[False] - groups[True]


def _are_joined(numbers: set[str], machine: Machine) -> bool:
    """Return whether a multipath device joins disks, or those that have these partitions."""
    nodes = [node for number in numbers if (node := machine.stack.node(number))]
    disks = {text_of(node.parent) or node.number for node in nodes}
    maps = (machine.stack.node(above) for above in machine.stack.above(min(disks, default="")))
    return any(node.multipath and disks <= {*node.below} for node in maps if node)


def _is_use(number: str, machine: Machine) -> bool:
    """Return whether a device that is built on others uses these: a partition and a map of paths do not."""
    node = machine.stack.node(number)
    is_of_disk = _is(number, "partition", machine) or (node is not None and node.multipath)
    return not (is_of_disk or _is(number, FAILED, machine))


def _unseen(meaning: WordMeaning, numbers: set[str], machine: Machine, *, is_unused: bool) -> tuple[str, ...]:
    """Return what was not looked at: contradictions of sources stand before lines that name a disk."""
    lines = lines_of(numbers, machine, is_unused=is_unused)
    first = (*_unseen_members(meaning, machine), *machine.contradicted, *lines)
    return tuple(dict.fromkeys((*first, *machine.unseen)))


def lines_of(numbers: set[str], machine: Machine, *, is_unused: bool = False) -> Iterator[str]:
    """Yield which lines of texts may tell of a use of one of these devices that is not known."""
    if TEXT.name not in machine.sample.frames:
        return
    from zmon.topology.read_texts import lines_naming  # noqa: PLC0415 - most machines are no texts

    frame, names = machine.layers, set[str]()
    for number in numbers & frame.index.keys():
        cells = {field: text_of(frame.cell(number, field)) for field in ("name", "mapped", "busid", "links")}
        busid = cells["busid"] if isinstance(frame.cell(number, "wwpn"), Absent) else ""
        names |= {cells["name"], cells["mapped"], machine.stack.title(number), busid, *cells["links"].split()}
        volume = machine.volumes.get(number)
        labels = {f"0X{busid[-4:].upper()}", *map(text_of, (volume.volser, volume.label) if volume else ())}
        names |= {f"disk/by-id/ccw-{label}" for label in labels if busid}  # what udev makes of a label
    yield from lines_naming(names - {""}, machine.sample, is_unused=is_unused)


def _is_joined(number: str, machine: Machine) -> bool:
    """Return whether a device is one disk with several paths."""
    node = machine.stack.node(number)
    return node is not None and node.multipath and bool(machine.stack.paths(number))


def _maps_of(number: str, machine: Machine) -> set[str]:
    """Return the multipath devices that a disk is a path of."""
    return {upper for upper in machine.stack.above(number) if _is_joined(upper, machine)}


def _paths_meant(number: str, meaning: WordMeaning, machine: Machine) -> list[str]:
    """Return the paths of a multipath device that a word means: those of an adapter, one of them, or all."""
    paths = [path.number for path in machine.stack.paths(number)]
    wanted = [meaning.key] if meaning.sort is MeaningKind.DEVICE else []
    if meaning.sort in OF_PATHS:
        wanted = [*meaning.disks]
    return [path for path in paths if path in wanted] or paths


def _with_paths(disks: Iterable[str], machine: Machine) -> set[str]:
    """Return disks, with all paths to the same disks and the devices that join them."""
    joined = set(disks)
    for disk in disks:
        for number in (disk, *machine.stack.above(disk)):
            node = machine.stack.node(number)
            if node is not None and node.multipath:
                joined |= {number, *(path.number for path in machine.stack.paths(number))}
    return joined


def _device(number: str, machine: Machine) -> FileLocation:
    """Return the location of a device that is built on others."""
    node = machine.stack.node(number)
    size = WHOLE if node is None else node.size
    title = machine.stack.title(number)
    device: dict[str, object] = {"real": title, "number": number, "size": size, "unplaced": 0, "unwritten": 0}
    if isinstance(size, Absent):
        return machine.locate(unknown_file(title, UNSIZED, **device))
    return machine.locate(unknown_file(title, WHOLE, **device, ranges=((0, int(size)),)))


def _mounts_on(
    disks: set[str], upon: set[str], machine: Machine, *, is_possible: bool = False
) -> Iterator[MountOnDisk]:
    for mount in machine.mounts:
        of_btrfs = {} if mount.fstype != "btrfs" or isinstance(mount.devices, Absent) else mount.devices
        several = tuple(of_btrfs.values())
        numbers = {*several} or {mount.number}
        node = machine.stack.node(several[0] if len(several) == 1 else mount.number)
        is_known = True
        if mount.fstype == "btrfs" and not several:  # the mount has the number of one of its devices
            node, is_known = machine.stack.named(mount.source), False
            numbers = {node.number} if node else numbers
        elif mount.pool and (node := machine.stack.named(mount.pool)):
            numbers, is_known = {node.number}, False
        if not upon.isdisjoint(numbers):
            title = mount.source if node is None else node.title
            leaves = {leaf for number in numbers for leaf in machine.stack.leaves(number)}
            there = tuple(sorted(leaves & disks))
            is_whole = is_known and leaves <= disks and not is_possible
            is_open = is_possible or (not is_whole and any(map(machine.stack.is_in_group, numbers)))
            yield MountOnDisk(mount.point, mount.fstype, title, there, is_whole, mount.seen_by, is_open)
    for name, number in machine.swaps.items():
        if number in upon:
            leaves = set(machine.stack.leaves(number))
            there, is_whole = tuple(sorted(leaves & disks)), leaves <= disks and not is_possible
            is_open = is_possible or (not is_whole and machine.stack.is_in_group(number))
            file = name * (machine.sample.frame(SWAP_AREA).cell(name, "sort") == "file")
            title = machine.stack.title(number)
            yield MountOnDisk("", SWAP, title, there, is_whole, "", is_open, file)


def _files_on(disks: set[str], upon: set[str], machine: Machine) -> Iterator[FileOnDisk]:
    for file in machine.files:
        answer = machine.counted[file.path]
        if upon.isdisjoint(step.number for step in answer.steps):
            continue
        there = [share for share in answer.disks if share.volume.number in disks]
        if there:
            yield FileOnDisk(
                answer,
                file,
                sum((share.bytes for share in there[1:]), there[0].bytes),
                sum((share.copies for share in there[1:]), there[0].copies),
            )


def _order(volume: Volume) -> tuple[int, str]:
    name = "" if isinstance(volume.disk, Absent) else str(volume.disk)
    return len(name), name
