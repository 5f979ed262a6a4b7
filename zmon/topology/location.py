"""The location of a file: the layers below it, the disks with its bytes, and how sure that is."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.topology.claims import Evidence, Grade
from zmon.topology.mapping import map_ranges, map_whole
from zmon.topology.stack import StackLayer
from zmon.topology.volumes import Volume

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.absent import Number
    from zmon.topology.chunks import Chunk, Range
    from zmon.topology.data_files import DataFile, DiskGroupFile, DiskGroupPart
    from zmon.topology.mapping import ByteMapping
    from zmon.topology.mounts import Mount, Mounts
    from zmon.topology.stack import Stack


ONE_OF_SEVERAL: Final = absent("it lies on one or more of these disks, and nothing says on which")
_OVERLAY: Final = "an overlay: each of its files lies in one of its layers; name a file, or use --recursive"
_ANONYMOUS: Final = "0:"
"""How the numbers of file systems begin that are on no block device, or on several."""
HOW_MUCH: Final = absent("it is on this disk alone; its size is not known")


class DiskShare(NamedTuple):
    """What of a file lies on one volume."""

    volume: Volume
    bytes: Number
    """Absent when it may be any part."""
    copies: Number
    """Bytes there besides the first copy: mirrors, parity."""


class FileLocation(NamedTuple):
    """Where something lies."""

    thing: str
    """What was asked for: the tablespace with its database if a listing names it, else the path."""
    path: str
    real: str | Absent
    mount: Mount | Absent
    """The mount through which it is seen."""
    steps: tuple[StackLayer, ...]
    """The way down, the file system first."""
    size: Number
    mapped: Number
    """Bytes whose place is known; fewer than `size` in a file with holes, more with room beyond its end."""
    unplaced: Number
    """Bytes that have no place, or none that can be told."""
    unwritten: Number
    disks: tuple[DiskShare, ...]
    """Most bytes first."""
    grade: Grade
    """That of the worst step from the file to the disks; how sure the LCU of each is, the volume says."""
    evidence: tuple[Evidence, ...]
    lacking: tuple[str, ...]
    """What stands in the way of a better answer, in words a person can act on."""
    notes: tuple[str, ...]
    """What else a person must know to trust it."""
    unseen: str = ""
    """Of a file that nobody looked at, who names it; empty for what was looked at."""
    is_known: bool = True
    """Whether it was seen, or at least listed."""


def locate_file(file: DataFile, mounts: Mounts, stack: Stack, volumes: Mapping[str, Volume]) -> FileLocation:
    """Follow one file down; nothing is read."""
    way = _Location(stack)
    mount = mounts.by_id.get(file.mount) if isinstance(file.mount, str) else None
    below = _below(file, mount, mounts)
    through = [one for one in (mount, below if below is not mount else None) if one]
    way.told(map(_mounted, through))
    sure = Grade.ASSUMED if file.unseen else Grade.EXACT
    way.worsen(sure)
    way.told([Evidence(source, said, sure) for source, said in file.said])
    devices = _go_down(way, file, below, mounts)
    _remark(way, file)
    disks = tuple(way.disks(volumes))
    for share in disks:
        if isinstance(share.volume.lcu, Absent):
            way.lacking[share.volume.lcu.reason] = None
    return FileLocation(
        thing=file.space or file.path,
        path=file.path,
        real=file.real,
        mount=mount or (file.mount if isinstance(file.mount, Absent) else absent("its mount was not read")),
        steps=tuple(_steps(through, file.scattered, stack, devices)),
        size=file.size,
        mapped=_mapped(file) if file.scattered is None else sum(way.on.values()),
        unplaced=file.unplaced if isinstance(file.ranges, Absent) else file.unplaced + way.lost,
        unwritten=file.unwritten,
        disks=disks,
        grade=way.grade,
        evidence=tuple(way.evidence.values()),
        lacking=tuple(way.lacking),
        notes=tuple(way.notes),
        unseen=_unseen(file),
        is_known=not file.unseen or bool(file.listed),
    )


def _go_down(way: _Location, file: DataFile, below: Mount | None, mounts: Mounts) -> tuple[str, ...]:
    """Go down from a file; return the numbers of the devices that it, or its file system, is on."""
    if file.scattered is not None:
        return _through_parts(way, file.scattered)
    if isinstance(file.number, Absent):
        way.worsen(Grade.UNKNOWN, file.number.reason)
        return ()
    if below is not None and below.fstype == "btrfs":
        return _through_btrfs(way, file, below)
    if file.number.startswith(_ANONYMOUS):
        return _through_overlay(way, file.number, below, mounts)
    if isinstance(file.ranges, Absent):
        way.worsen(Grade.SHARES, file.ranges.reason)
        way.somewhere((file.number,), file.size)
    else:
        way.data(file.number, file.ranges)
    return (file.number,)


def _remark(way: _Location, file: DataFile) -> None:
    """Note what of a file is not on the disks as it is in the file."""
    if not isinstance(file.encoded, Absent) and file.encoded:
        way.worsen(Grade.SHARES)
        way.notes[f"{file.encoded} bytes are compressed: they take fewer on the disk, in a known place"] = (
            None
        )
    if isinstance(file.unplaced, Absent):
        return
    if file.unplaced:
        way.notes[
            f"{file.unplaced} bytes have no place yet: they wait in memory or are kept in the inode"
        ] = None
    elif file.ranges == () and file.scattered is None and not isinstance(file.size, Absent) and file.size:
        way.notes["all of it is a hole: no data of it lies on any disk"] = None


def _unseen(file: DataFile) -> str:
    if not file.unseen:
        return ""
    if file.listed:
        return f"{file.listed} names it, but zmon has no data on it"
    return "No such file was seen, and no listing names it"


def _below(file: DataFile, mount: Mount | None, mounts: Mounts) -> Mount | None:
    """Return the file system that a file of an overlay is on, and else the file's own.

    On the realtime device of an XFS there is none, and a block device is on none.
    """
    if mount is None or isinstance(file.number, Absent) or mount.number == file.number:
        return mount
    return mounts.by_number.get(file.number)


def _through_overlay(way: _Location, number: str, mount: Mount | None, mounts: Mounts) -> tuple[str, ...]:
    """Go through the layers of a whole overlay; return the numbers of the devices that they are on."""
    layers = _layers(mount, mounts) if mount is not None and mount.fstype == "overlay" else ()
    if not layers:
        way.worsen(Grade.UNKNOWN, _no_device(number, mount))
        return ()
    way.lacking[_OVERLAY] = None
    way.somewhere(layers, absent("how much is in each layer is not known"))
    return layers


def _layers(overlay: Mount, mounts: Mounts) -> tuple[str, ...]:
    """Return the numbers of the devices that the layers of an overlay are on."""
    found: dict[str, None] = {}
    for number in () if isinstance(overlay.devices, Absent) else overlay.devices.values():
        below = mounts.by_number.get(number)
        if below is not None and below.fstype == "btrfs" and not isinstance(below.devices, Absent):
            found.update(dict.fromkeys(below.devices.values()))
        elif not number.startswith(_ANONYMOUS):
            found[number] = None
    return tuple(found)


def _no_device(number: str, mount: Mount | None) -> str:
    if mount is None:
        return f"the file system that holds it, {number}, was not read"
    if mount.fstype == "overlay":
        why = mount.devices.reason if isinstance(mount.devices, Absent) else "they are on no block device"
        return f"the disks of the overlay's layers are not known: {why}"
    return f"no block device holds it: on {mount.fstype} from {mount.source}"


class _Location:
    """What was found on the way down so far."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.on: dict[str, int] = {}
        self.copies: dict[str, int] = {}
        self.uncounted: Absent | None = None
        """Why nobody knows how many copies there are; None when that is known."""
        self.among: dict[str, None] = {}
        self.lost = 0
        self.grade = Grade.EXACT
        self.evidence: dict[tuple[str, str], Evidence] = {}
        self.lacking: dict[str, None] = {}
        self.notes: dict[str, None] = {}

    def told(self, evidence: Iterable[Evidence]) -> None:
        """Note evidence, each once."""
        for one in evidence:
            self.evidence.setdefault((one.source, one.said), one)

    def worsen(self, grade: Grade, lacking: str = "") -> None:
        self.grade = min(self.grade, grade)
        if lacking:
            self.lacking[lacking] = None

    def data(self, number: str, ranges: Iterable[Range], *, copy: bool = False) -> None:
        """Go down with bytes whose place on a device is known."""
        self.add(map_ranges(self.stack, number, ranges), copy=copy)

    def add(self, found: ByteMapping, *, copy: bool = False) -> None:
        """Take what a descent has found; all of it is copies if what went down was a copy."""
        self.worsen(found.grade)
        for leaf, count in found.data.items():
            into = self.copies if copy else self.on
            into[leaf] = into.get(leaf, 0) + count
        for leaf, count in found.copies.items():
            self.copies[leaf] = self.copies.get(leaf, 0) + count
        if found.unplaced or found.among:
            self.among.update(dict.fromkeys(found.among))
            self.lost += 0 if copy else found.unplaced
        self.told(found.evidence)
        for note in found.notes:
            self.notes[note] = None
        for reason in found.lacking:
            self.lacking[reason] = None

    def somewhere(self, devices: tuple[str, ...], size: Number) -> None:
        """Go down with a file that lies anywhere on one of the devices."""
        if len(devices) == 1 and not isinstance(size, Absent):
            self.add(_scaled(map_whole(self.stack, devices[0]), int(size)))
            return
        self.among.update(dict.fromkeys(chain.from_iterable(map(self.stack.leaves, devices))))
        self.worsen(
            Grade.SET if len({**self.on, **self.among}) > 1 else Grade.SHARES if devices else Grade.UNKNOWN
        )

    def part(self, number: str, part: DiskGroupPart) -> None:
        """Go down with bytes that lie anywhere on a device."""
        whole = map_whole(self.stack, number)
        if len(whole.data) == 1 and not whole.copies and not whole.unplaced and whole.grade is Grade.SHARES:
            whole = whole._replace(grade=Grade.EXACT)  # wherever they are, they are on this disk
        if isinstance(part.copies, Absent):
            self.uncounted = part.copies
            self.lacking[part.copies.reason] = None
        for count, copy in ((part.data, False), (part.copies, True)):
            if not isinstance(count, Absent) and count:
                self.add(_scaled(whole, int(count)), copy=copy)

    def disks(self, volumes: Mapping[str, Volume]) -> Iterator[DiskShare]:
        """Return what lies on each disk."""
        leaves = {**self.on, **self.copies}
        for leaf in sorted(leaves, key=lambda leaf: (-self.on.get(leaf, 0), -leaves[leaf])):
            copies = self.copies.get(leaf, 0) if self.uncounted is None else self.uncounted
            yield DiskShare(self._volume(leaf, volumes), self.on.get(leaf, 0), copies)
        unknown = ONE_OF_SEVERAL if len({**leaves, **self.among}) > 1 else HOW_MUCH
        for leaf in self.among:
            if leaf not in leaves:
                yield DiskShare(self._volume(leaf, volumes), unknown, unknown)

    def _volume(self, leaf: str, volumes: Mapping[str, Volume]) -> Volume:
        """Return the volume of a leaf: of a multipath device that of its paths, which are one."""
        known = volumes.get(leaf)
        paths = () if known else (volumes.get(path.number) for path in self.stack.paths(leaf))
        return known or next(filter(None, paths), None) or _unread(leaf, self.stack)


def _through_parts(way: _Location, scattered: DiskGroupFile) -> tuple[str, ...]:
    """Go through the devices that a disk group has spread a file over; return their numbers."""
    way.told(scattered.evidence)
    way.worsen(Grade.UNKNOWN if scattered.lacking else scattered.grade)
    way.lost += scattered.unplaced
    way.lacking.update(dict.fromkeys(scattered.lacking))
    way.notes.update(dict.fromkeys(scattered.notes))
    somewhere = []
    numbers = []
    for part in scattered.parts:
        if isinstance(part.number, Absent):
            way.lost += 0 if isinstance(part.data, Absent) else int(part.data)
            continue
        numbers.append(part.number)
        if isinstance(part.data, Absent):
            way.lacking[part.data.reason] = None
            somewhere.append(part.number)
        else:
            way.part(part.number, part)
    if somewhere:
        way.somewhere(tuple(somewhere), absent("of no part of it the bytes are known"))
    return tuple(numbers)


def _through_btrfs(way: _Location, file: DataFile, mount: Mount) -> tuple[str, ...]:
    """Go through the chunks of a btrfs; return the numbers of its devices."""
    if isinstance(mount.devices, Absent):
        way.worsen(Grade.UNKNOWN, mount.devices.reason)
        return ()
    devices = tuple(mount.devices.values())
    is_listed = any(number.startswith("?") for number in mount.devices)
    source = "/sys/fs/btrfs/*/devices" if is_listed else "BTRFS_IOC_DEV_INFO"
    way.told([Evidence(source, f"btrfs on {len(devices)} devices: {' '.join(devices)}")])
    if isinstance(mount.chunks, Absent) or isinstance(file.ranges, Absent):
        unknown = (what.reason for what in (mount.chunks, file.ranges) if isinstance(what, Absent))
        way.lacking.update(dict.fromkeys(unknown))
        way.worsen(Grade.SHARES)
        way.somewhere(devices, file.size)
        return devices
    way.told([Evidence("BTRFS_IOC_TREE_SEARCH_V2", f"{len(mount.chunks)} chunks of btrfs")])
    _place(way, mount.chunks, file.ranges, mount.devices)
    return devices


def _place(
    way: _Location, chunks: tuple[Chunk, ...], ranges: tuple[Range, ...], devices: Mapping[str, str]
) -> None:
    from zmon.topology.chunks import place_ranges  # noqa: PLC0415 - most files are on no btrfs

    placed = place_ranges(chunks, ranges)
    runs: dict[tuple[str, bool], list[Range]] = {}
    for run in placed.runs:
        runs.setdefault((run.device, run.copy), []).append((run.begin, run.end))
    for (device, copy), parts in runs.items():
        if device in devices:
            way.data(devices[device], parts, copy=copy)
            continue
        way.worsen(Grade.UNKNOWN, f"device {device} of the btrfs is missing")
        way.lost += 0 if copy else sum(end - begin for begin, end in parts)
    for evenly in placed.evenly:
        way.worsen(Grade.SHARES)
        way.notes["of btrfs with parity zmon tells the shares of the devices, not the bytes"] = None
        for part, copy in ((evenly.data, False), (evenly.copies, True)):
            for device, count in zip(evenly.devices, _shares(part, len(evenly.devices)), strict=True):
                if device in devices:
                    way.add(_scaled(map_whole(way.stack, devices[device]), count), copy=copy)
                else:
                    way.lost += 0 if copy else count
    if placed.outside:
        way.worsen(Grade.UNKNOWN, "some bytes are in no chunk of the btrfs that was read; look again")
        way.lost += placed.outside


def _scaled(whole: ByteMapping, size: int) -> ByteMapping:
    """Return where a part of a device lies of which only the size is known, as shares of the whole."""
    total = sum(whole.data.values()) + whole.unplaced
    if not total or (whole.unplaced and whole.among):  # nothing says how much of it is on which
        among = dict.fromkeys(chain(whole.data, whole.among))
        grade = min(whole.grade, Grade.SET)
        return whole._replace(data={}, copies={}, grade=grade, unplaced=size, among=tuple(among))
    parts = _proportional(whole.data, total, size)
    return whole._replace(
        data=parts,
        copies={leaf: count * size // total for leaf, count in whole.copies.items()},
        unplaced=size - sum(parts.values()),
    )


def _proportional(weights: Mapping[str, int], total: int, size: int) -> dict[str, int]:
    """Part `size` bytes by weights, so that no byte is lost if the weights are the whole."""
    parts = {}
    before = 0
    for leaf, weight in weights.items():
        parts[leaf] = (before + weight) * size // total - before * size // total
        before += weight
    return parts


def _shares(count: int, parts: int) -> list[int]:
    share, rest = divmod(count, parts)
    return [share + (part < rest) for part in range(parts)]


def _mapped(file: DataFile) -> Number:
    if isinstance(file.ranges, Absent):
        return file.ranges
    return sum(end - begin for begin, end in file.ranges)


def _mounted(mount: Mount) -> Evidence:
    line = f":{mount.line}" if mount.line else ""
    said = f"{mount.fstype} {mount.number} from {mount.source} at {mount.point}{_part(mount)}"
    return Evidence(mount.line if mount.line.startswith("/") else f"/proc/self/mountinfo{line}", said)


def _part(mount: Mount) -> str:
    return "" if mount.root == "/" else f", of it {mount.root}"


def _steps(
    through: list[Mount], scattered: DiskGroupFile | None, stack: Stack, devices: tuple[str, ...]
) -> Iterator[StackLayer]:
    depth = 0
    for mount in through:
        source = "" if devices else f" from {mount.source}"
        yield StackLayer(depth, mount.number, mount.point, f"{mount.fstype}{source}{_part(mount)}")
        depth += 1
    if scattered is not None:
        yield StackLayer(depth, "", scattered.over, scattered.what)
        depth += 1
    for device in devices:
        for step in stack.chain(device):
            yield StackLayer(step.depth + depth, *step[1:])


def _unread(number: str, stack: Stack) -> Volume:
    """Return the volume of a disk of which nothing was looked up, or of what is none."""
    node = stack.node(number)
    file = node.file if node is not None and isinstance(node.file, str) else ""
    no = absent(f"where its file {file} lies is not known" if file else "nothing was looked up of this disk")
    known = {
        "number": number,
        "disk": stack.title(number),
        "key": f"disk {number}",
        "spindle": f"disk {number}",
        "grade": Grade.UNKNOWN,
        "evidence": (),
        "conflicts": (),
    }
    return Volume._make(known.get(name, no) for name in Volume._fields)
