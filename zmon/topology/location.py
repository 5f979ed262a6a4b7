"""The location of a file: the layers below it, the disks with its bytes, and how sure that is."""

from __future__ import annotations

from itertools import chain

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kinds import GPFS, LOST
from zmon.topology.claims import Evidence, Grade
from zmon.topology.mapping import ByteMapping, equal_shares, map_ranges, map_whole
from zmon.topology.mounts import is_unplaced, may_lie_on_others, why_unplaced
from zmon.topology.stack import StackLayer
from zmon.topology.volumes import bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.base.absent import Number
    from zmon.topology.chunks import Chunk, Range
    from zmon.topology.data_files import DataFile, DiskGroupFile, DiskGroupPart
    from zmon.topology.mounts import Mount, Mounts
    from zmon.topology.stack import Stack
    from zmon.topology.volumes import Volume


UNTYPED: Final = "type not known"
_UNTYPED: Final = "its type is not known, and a btrfs may have more devices: collect lsblk -f or mount"
"""What a file system is called whose type no source has."""
ALL_OF_IT: Final = absent("these are the disks of the whole file system: name a file, or use --recursive")
ONE_OF_SEVERAL: Final = absent("it lies on one or more of these disks, and nothing says on which")
ALL_CAPTURED: Final = absent(
    "these are the disks of the whole file system; a capture made with --listing has those of its files"
)
_CLUSTER: Final = (
    "a GPFS lies on NSDs of its cluster: some of these disks, or others that only other hosts have"
)
_NO_NSDS: Final = "a GPFS lies on NSDs of its cluster: mmlsnsd -m tells which devices of this host these are"
_OVERLAY: Final = "an overlay: each of its files lies in one of its layers"
_ANONYMOUS: Final = "0:"
"""The prefix of the numbers of file systems that are on no block device, or on several."""
EMPTY: Final = absent("it is empty")
HOW_MUCH: Final = absent("it is on this disk alone; its size is not known")


class DiskShare(NamedTuple):
    """The part of a file that lies on one volume."""

    volume: Volume
    bytes: Number
    """Absent when the part is unknown."""
    copies: Number
    """Bytes there besides the first copy: mirrors, parity."""


class FileLocation(NamedTuple):
    """The answer to where a file, a device or a file system lies."""

    thing: str
    """Its title: the tablespace with its database if a listing names it, else the path."""
    path: str
    real: str | Absent
    mount: Mount | Absent
    """The mount through which it is seen."""
    steps: tuple[StackLayer, ...]
    """The layers, the file system first."""
    size: Number
    mapped: Number
    """Bytes whose place is known; fewer than `size` in a file with holes, more with room beyond its end."""
    unplaced: Number
    """Bytes without a place, or in an unknown one."""
    unwritten: Number
    disks: tuple[DiskShare, ...]
    """Most bytes first."""
    grade: Grade
    """That of the worst step from the file to the disks; the grade of each LCU is in its volume."""
    evidence: tuple[Evidence, ...]
    lacking: tuple[str, ...]
    """The reasons why the answer is not better, and what to do."""
    notes: tuple[str, ...]
    """The assumptions of the answer."""
    unseen: str = ""
    """Of a file that was not read, the source that names it; else empty."""
    elsewhere: tuple[str, ...] = ()
    """Where its path leads in other mount namespaces, such as those of containers, a sentence each."""
    is_known: bool = True
    """Whether it was read, or at least listed."""
    same_as: str = ""
    """The path of another file that has the same bytes, and with which they are counted; else empty."""
    holes: int = 0
    """Bytes of it that were never written, and take no room."""
    is_open: bool = False
    """Whether nothing is known of the disks that it may well be on."""

    @property
    def counted(self) -> FileLocation:
        """The location as it counts in sums: without bytes if they are those of another file."""
        if not self.same_as:
            return self
        return self._replace(size=0, holes=0, unplaced=0, disks=(), lacking=self.notes[-1:], notes=())

    @property
    def nowhere(self) -> tuple[str, ...]:
        """Why it lies on no disk, or why the answer is not better; of an empty file, that it is."""
        return self.lacking or self.notes or (EMPTY.reason,) * (self.size == 0)

    def grade_on(self, volume: Volume) -> Grade:
        """Return how certain it is what lies on a volume, and which LCU that is on, if one is named."""
        return self.grade if isinstance(volume.lcu_name, Absent) else min(self.grade, volume.grade)

    @property
    def on_disk(self) -> Number:
        """Bytes of the first copy that lie on disks; absent if that is not known."""
        if self.disks:
            return sum((share.bytes for share in self.disks[1:]), self.disks[0].bytes)
        is_known = isinstance(self.size, Absent) or not self.size or self.mapped == 0 == self.unplaced
        return 0 if is_known else absent("it is on no disk that is known")


def locate_file(file: DataFile, mounts: Mounts, stack: Stack, volumes: Mapping[str, Volume]) -> FileLocation:
    """Map one file to the volumes that it lies on; nothing is read."""
    mount = mounts.by_id.get(file.mount) if isinstance(file.mount, str) else None
    below = _below(file, mount, mounts)
    through = [on for on in (mount, below if below is not mount else None) if on]
    sure = Grade.ASSUMED if file.unseen else Grade.EXACT
    locator = _Locator(stack, sure)
    locator.prove(map(_mounted, through))
    locator.prove(Evidence(source, said, sure) for source, said in file.said)
    devices = locator.descend(file, below, mounts)
    locator.remark(file)
    others = mounts.elsewhere(file.path, mount.point if mount else "") if file.unseen else ()
    disks = tuple(locator.disks(volumes))
    for share in disks:
        if isinstance(share.volume.lcu, Absent):
            locator.lacking[share.volume.lcu.reason] = None
    unseen = ""
    if file.unseen and file.listed:
        unseen = f"{file.listed} names it, but zmon has no data on it"
    elif file.unseen:
        unseen = "No such file was seen, and no listing names it"
    return FileLocation(
        thing=file.space or file.path,
        path=file.path,
        real=file.real,
        mount=mount or (file.mount if isinstance(file.mount, Absent) else absent("its mount was not read")),
        steps=tuple(_layers(through, file.scattered, stack, devices)),
        size=file.size,
        mapped=file.mapped if file.scattered is None else sum(locator.data.values()),
        unplaced=file.unplaced if isinstance(file.ranges, Absent) else file.unplaced + locator.unplaced,
        unwritten=file.unwritten,
        disks=disks,
        grade=locator.grade,
        evidence=tuple(locator.evidence.values()),
        lacking=tuple(locator.lacking),
        notes=tuple(locator.notes),
        unseen=unseen,
        elsewhere=tuple(
            f"in the mount namespace of {other.seen_by}, {other.point} is on {stack.title(other.number)}"
            for other in others
        ),
        is_known=not file.unseen or bool(file.listed),
        holes=_holes(file),
        is_open=locator.is_open and not disks,
    )


class _Locator(ByteMapping):
    """The mapping of one file, which may lie on several devices."""

    def __init__(self, stack: Stack, grade: Grade) -> None:
        super().__init__(grade)
        self.stack = stack
        self.uncounted: Absent | None = None
        """Why the number of copies is unknown; None when it is known."""
        self.is_open = False
        """Whether it is on devices of which it is not known what disks they lie on."""

    def descend(self, file: DataFile, below: Mount | None, mounts: Mounts) -> tuple[str, ...]:
        """Map a file; return the numbers of the devices that it, or its file system, is on."""
        if file.scattered is not None:
            return self.through_disk_group(file.scattered)
        if isinstance(file.number, Absent):
            self.worsen(Grade.UNKNOWN, file.number.reason)
            return ()
        if below is not None and below.is_untyped:
            self.lacking[_UNTYPED] = None
            self.worsen(Grade.SET)
        if below is not None and below.fstype == "btrfs":
            return self.through_btrfs(file, below)
        if file.number.startswith(_ANONYMOUS):
            return self.through_overlay(file.number, below, mounts)
        if isinstance(file.ranges, Absent):
            self.somewhere((file.number,), file.size)
            layout = self.stack.layout(file.number)
            if file.unseen and layout.reason and len(self.among) > 1:  # more than its path would tell nothing
                self.worsen(Grade.SHARES, f"{layout.title}: {layout.reason}")
            elif not self.is_open or file.ranges not in {ALL_OF_IT, ALL_CAPTURED}:
                self.worsen(Grade.SHARES, file.ranges.reason)
        else:
            self.add(map_ranges(self.stack, file.number, file.ranges))
        return (file.number,)

    def remark(self, file: DataFile) -> None:
        """Note the parts of a file that are stored differently on the disks, or not at all."""
        if not isinstance(file.encoded, Absent) and file.encoded:
            text = f"{file.encoded} bytes are compressed: they take fewer on the disk, in a known place"
            self.worsen(Grade.SHARES, note=text)
        if isinstance(file.unplaced, Absent):
            return
        if file.unplaced:
            text = f"{file.unplaced} bytes have no place yet: they wait in memory or are kept in the inode"
            self.worsen(Grade.UNKNOWN if file.ranges == () and not self.data else self.grade, note=text)
        elif file.ranges == () and file.scattered is None and not isinstance(file.size, Absent) and file.size:
            self.notes["all of it is a hole: no data of it lies on any disk"] = None
        elif hole := _holes(file):
            self.notes[
                f"the file is sparse: {hole} of its {file.size} bytes are holes, which take no room"
            ] = None

    def somewhere(self, devices: tuple[str, ...], size: Number) -> None:
        """Map a file that lies anywhere on one of the devices."""
        for number in devices:
            layout = self.stack.layout(number)
            if layout.reason and not self.stack.leaves(number):
                self.is_open = True
                self.worsen(Grade.UNKNOWN, f"{layout.title}: {layout.reason}")
        if len(devices) == 1 and not isinstance(size, Absent):
            self.add(map_whole(self.stack, devices[0]).scaled(int(size)))
            return
        self.among.update(dict.fromkeys(chain.from_iterable(map(self.stack.leaves, devices))))
        several = len({**self.data, **self.among}) > 1
        self.worsen(Grade.SET if several else Grade.SHARES if devices else Grade.UNKNOWN)

    def through_disk_group(self, scattered: DiskGroupFile) -> tuple[str, ...]:
        """Map a file through the devices that its disk group spreads it over."""
        self.prove(scattered.evidence)
        self.worsen(Grade.UNKNOWN if scattered.lacking else scattered.grade)
        self.add_unplaced(scattered.unplaced)
        self.lacking.update(dict.fromkeys(scattered.lacking))
        self.notes.update(dict.fromkeys(scattered.notes))
        somewhere = []
        numbers = []
        for part in scattered.parts:
            if isinstance(part.number, Absent):
                self.add_unplaced(0 if isinstance(part.data, Absent) else int(part.data))
                continue
            numbers.append(part.number)
            if isinstance(part.data, Absent):
                self.lacking[part.data.reason] = None
                somewhere.append(part.number)
            else:
                self.part(part.number, part)
        if somewhere:
            self.somewhere(tuple(somewhere), absent("of no part of it the bytes are known"))
        return tuple(numbers)

    def part(self, number: str, part: DiskGroupPart) -> None:
        """Map bytes that lie anywhere on a device."""
        whole = map_whole(self.stack, number)
        if len(whole.data) == 1 and not whole.copies and not whole.unplaced and whole.grade is Grade.SHARES:
            whole.grade = Grade.EXACT  # all places of the device are on this disk
        if isinstance(part.copies, Absent):
            self.uncounted = part.copies
            self.lacking[part.copies.reason] = None
        for count, copy in ((part.data, False), (part.copies, True)):
            if not isinstance(count, Absent) and count:
                self.add(whole.scaled(int(count)), copy=copy)

    def through_overlay(self, number: str, mount: Mount | None, mounts: Mounts) -> tuple[str, ...]:
        """Map a whole overlay through its layers."""
        if mount is not None and mount.fstype == GPFS.casefold():
            return self.through_cluster(mount.source.removeprefix("/dev/"))
        if mount is not None and mount.pool and (pool := self.stack.named(mount.pool)):
            self.somewhere((pool.number,), ONE_OF_SEVERAL)
            return (pool.number,)
        if mount is None or mount.fstype != "overlay":
            self.is_open = mount is None or is_unplaced(mount) or may_lie_on_others(mount)
            self.worsen(Grade.UNKNOWN, _no_device(number, mount))
            return ()
        layers, unplaced = mounts.layers(mount), mounts.unplaced_layers(mount)
        for below in unplaced:
            self.worsen(Grade.UNKNOWN, _no_device(below.number, below))
        self.is_open = bool(unplaced) or isinstance(mount.devices, Absent)
        if not layers:
            self.worsen(Grade.UNKNOWN, "" if unplaced else _no_device(number, mount))
            return ()
        self.lacking[_OVERLAY] = None
        self.somewhere(layers, absent("how much is in each layer is not known"))
        return layers

    def through_cluster(self, system: str) -> tuple[str, ...]:
        """Map a file of this GPFS, which lies on some of the disks of a cluster, here or at other hosts."""
        nsds = self.stack.nsds_of(system)
        disks = [self.stack.node(leaf) for leaf in chain.from_iterable(map(self.stack.leaves, nsds))]
        is_here = any(disk and not disk.is_unseen and disk.sort != LOST for disk in disks)
        self.is_open = not is_here
        self.worsen(Grade.SET if is_here else Grade.UNKNOWN, _CLUSTER if is_here else _NO_NSDS)
        if nsds:
            self.somewhere(nsds, absent(_CLUSTER))
        return nsds

    def through_btrfs(self, file: DataFile, mount: Mount) -> tuple[str, ...]:
        """Map a file through the chunks of a btrfs."""
        if isinstance(mount.devices, Absent):
            self.is_open = True
            self.worsen(Grade.UNKNOWN, mount.devices.reason)
            return ()
        devices = tuple(mount.devices.values())
        is_listed = any(number.startswith("?") for number in mount.devices)
        kernel = "/sys/fs/btrfs/*/devices" if is_listed else "BTRFS_IOC_DEV_INFO"
        source = self.stack.origins.of("mount", mount.id, "devices", kernel)
        self.prove([Evidence(source, f"btrfs on {len(devices)} devices: {' '.join(devices)}")])
        if isinstance(mount.chunks, Absent) or isinstance(file.ranges, Absent):
            unknown = (what.reason for what in (mount.chunks, file.ranges) if isinstance(what, Absent))
            self.lacking.update(dict.fromkeys(unknown))
            self.worsen(Grade.SHARES)
            self.somewhere(devices, file.size)
            return devices
        self.prove([Evidence("BTRFS_IOC_TREE_SEARCH_V2", f"{len(mount.chunks)} chunks of btrfs")])
        self.through_chunks(mount.chunks, file.ranges, mount.devices)
        return devices

    def through_chunks(
        self, chunks: tuple[Chunk, ...], ranges: tuple[Range, ...], devices: Mapping[str, str]
    ) -> None:
        from zmon.topology.chunks import place_ranges  # noqa: PLC0415 - most files are on no btrfs

        placed = place_ranges(chunks, ranges)
        runs: dict[tuple[str, bool], list[Range]] = {}
        for run in placed.runs:
            runs.setdefault((run.device, run.copy), []).append((run.begin, run.end))
        for (device, copy), parts in runs.items():
            if device in devices:
                self.add(map_ranges(self.stack, devices[device], parts), copy=copy)
                continue
            self.worsen(Grade.UNKNOWN, f"device {device} of the btrfs is missing")
            self.add_unplaced(sum(end - begin for begin, end in parts), copy=copy)
        for evenly in placed.evenly:
            text = "of btrfs with parity zmon shows the shares of the devices, not the bytes"
            self.worsen(Grade.SHARES, note=text)
            for part, copy in ((evenly.data, False), (evenly.copies, True)):
                for device, count in zip(
                    evenly.devices, equal_shares(part, len(evenly.devices)), strict=True
                ):
                    if device in devices:
                        self.add(map_whole(self.stack, devices[device]).scaled(count), copy=copy)
                    else:
                        self.add_unplaced(count, copy=copy)
        if placed.outside:
            self.worsen(Grade.UNKNOWN, "some bytes are in no chunk of the btrfs that was read; look again")
            self.add_unplaced(placed.outside)

    def disks(self, volumes: Mapping[str, Volume]) -> Iterator[DiskShare]:
        """Return what lies on each disk."""
        leaves = {**self.data, **self.copies}
        for leaf in sorted(leaves, key=lambda leaf: (-self.data.get(leaf, 0), -leaves[leaf])):
            copies = self.copies.get(leaf, 0) if self.uncounted is None else self.uncounted
            yield DiskShare(self.volume(leaf, volumes), self.data.get(leaf, 0), copies)
        unknown = ONE_OF_SEVERAL if len({**leaves, **self.among}) > 1 else HOW_MUCH
        for leaf in self.among:
            if leaf not in leaves:
                yield DiskShare(self.volume(leaf, volumes), unknown, unknown)

    def volume(self, leaf: str, volumes: Mapping[str, Volume]) -> Volume:
        """Return the volume of a leaf; of a multipath device that of a path, with the CHPIDs of all paths."""
        volume = volumes.get(leaf)
        if volume is not None:
            return volume
        paths = [volumes[path.number] for path in self.stack.paths(leaf) if path.number in volumes]
        if not paths:
            return self.unread(leaf)
        chpids = sorted({chpid for path in paths for chpid in text_of(path.chpids).split()})
        return paths[0]._replace(chpids=" ".join(chpids) or paths[0].chpids)

    def unread(self, leaf: str) -> Volume:
        """Return the volume of a disk that was not read, or of a leaf that is no disk."""
        node = self.stack.node(leaf)
        file = node.file if node is not None and isinstance(node.file, str) else ""
        why = f"where its file {file} lies is not known" if file else "nothing was looked up of this disk"
        if node is not None and (isinstance(node.sort, Absent) or node.is_unseen or node.sort == LOST):
            why = node.title
        return bare(leaf, absent(why))._replace(disk=self.stack.title(leaf))


def with_same_files(files: Iterable[DataFile], locations: dict[str, FileLocation]) -> dict[str, FileLocation]:
    """Return locations in which files that share the bytes of an earlier one refer to it.

    Such files are other names of it (hard links, other paths, two nodes of a device) and whole reflinks.
    """
    first: dict[tuple[object, ...], str] = {}
    for file in files:
        # a file without a known place is known by its path without links
        known_by = file.real if isinstance(file.ranges, Absent) else file.ranges or file.real
        if isinstance(file.number, Absent) or isinstance(known_by, Absent):
            continue
        earlier = first.setdefault((file.number, known_by), file.path)
        if earlier != file.path:
            location = locations[file.path]
            how = "shares all its bytes with" if file.shared else "is another name, such as a hard link, of"
            note = f"{file.path} {how} {earlier}; they are counted once"
            locations[file.path] = location._replace(same_as=earlier, notes=(*location.notes, note))
    return locations


def _holes(file: DataFile) -> int:
    """Return the number of bytes of a file without a place because they were never written."""
    holes = file.size - file.unplaced - file.mapped
    if isinstance(holes, Absent) or file.scattered is not None or file.encoded != 0:
        return 0
    return max(0, int(holes))


def _below(file: DataFile, mount: Mount | None, mounts: Mounts) -> Mount | None:
    """Return the file system that a file of an overlay is on, and else the file's own.

    On the realtime device of an XFS there is none, and a block device is on none.
    """
    if mount is None or isinstance(file.number, Absent) or mount.number == file.number:
        return mount
    return mounts.by_number.get(file.number)


def _no_device(number: str, mount: Mount | None) -> str:
    if mount is None:
        return f"the file system that holds it, {number}, was not read"
    if mount.fstype == "overlay":
        why = mount.devices.reason if isinstance(mount.devices, Absent) else "they are on no block device"
        return f"the disks of the overlay's layers are not known: {why}"
    if is_unplaced(mount):
        return why_unplaced(mount)
    if mount.pool:
        return f"it is on disks of {mount.source}, a pool of ZFS: which these are is not read"
    if may_lie_on_others(mount):
        return f"what it lies on is not known: it is {mount.fstype or 'mounted'} from {mount.source}"
    return f"no block device holds it: it is {mount.fstype or 'mounted'} from {mount.source}"


def _mounted(mount: Mount) -> Evidence:
    line = f":{mount.line}" if mount.line else ""
    said = f"{mount.fstype or UNTYPED} {mount.number} from {mount.source} at {mount.point}{_part(mount)}"
    is_of_kernel = not mount.line or mount.line.isdecimal()
    return Evidence(f"/proc/self/mountinfo{line}" if is_of_kernel else mount.line, said)


def _part(mount: Mount) -> str:
    return "" if mount.root in {"", "/"} else f", of it {mount.root}"


def _layers(
    through: list[Mount], scattered: DiskGroupFile | None, stack: Stack, devices: tuple[str, ...]
) -> Iterator[StackLayer]:
    for depth, mount in enumerate(through):
        source = "" if devices else f" from {mount.source}"
        yield StackLayer(depth, mount.number, mount.point, f"{mount.fstype or UNTYPED}{source}{_part(mount)}")
    depth = len(through)
    if scattered is not None:
        yield StackLayer(depth, "", scattered.over, scattered.what)
        depth += 1
    for device in devices:
        for layer in stack.chain(device):
            yield layer._replace(depth=layer.depth + depth)
