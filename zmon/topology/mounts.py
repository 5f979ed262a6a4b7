"""Mounts: the file system of a path, and the numbers of the devices of that file system."""

from __future__ import annotations

import posixpath
import re
from functools import cached_property, partial

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kinds import CONTRADICTED, GPFS, GPFS_SYSTEM, POOL
from zmon.values import overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.base.absent import Value
    from zmon.sample import Frame
    from zmon.topology.chunks import Chunk


NESTED: Final = 2
"""Overlays over overlays; the kernel allows two."""


class Mount(NamedTuple):
    """One mount; what could not be read is absent."""

    id: str
    """As /proc/self/mountinfo numbers it, which is how an open file names its mount."""
    number: str
    """`major:minor` of the file system: a block device, or 0:n where it has no single one."""
    root: str
    """The mounted part of the file system: `/`, else a bind mount or a subvolume; empty if not known."""
    point: str
    fstype: str
    source: str
    options: str
    """Those of the file system, not of the mount."""
    devices: Mapping[str, str] | Absent
    """btrfs: the numbers of its devices by device id; an overlay: of the file systems its layers are on."""
    chunks: tuple[Chunk, ...] | Absent
    """btrfs: where its logical addresses lie."""
    line: str = ""
    """Its line in mountinfo, counted from 1; empty when it is not known.

    Of a mount of another process's namespace it is `/proc/4711/mountinfo:12`, of a text `mount, a.txt:12`, or
    `/proc/4711/mounts, a.txt:12`.
    """

    @property
    def is_untyped(self) -> bool:
        """Whether no text tells what is mounted from a block device: it may be a btrfs on more of them."""
        return not self.fstype and not self.number.startswith("0:")

    @property
    def pool(self) -> str:
        """The title of the pool of ZFS, or of the GPFS, that its file system is; empty for any other."""
        if self.fstype == GPFS.casefold():
            return f"{GPFS_SYSTEM} {self.source.removeprefix('/dev/')}"
        return f"{POOL} {self.source.partition('/')[0]}" if self.fstype == "zfs" else ""

    @property
    def is_of_text(self) -> bool:
        """Whether it is from a text of a tool, which `line` names."""
        return bool(self.line) and not self.line.isdecimal() and not self.seen_by

    @property
    def seen_by(self) -> str:
        """The process or container whose namespace has it; empty for mounts of the machine's own."""
        return self.line.split("/")[2] if self.line.startswith("/proc/") else ""


def is_unplaced(mount: Mount) -> bool:
    """Return whether a mount names a block device, and has the number of none."""
    names_one = mount.source.startswith(("/dev/", "UUID=", "LABEL=", "PARTUUID=", "PARTLABEL="))
    has_none = mount.number.startswith("0:") and mount.fstype not in {"btrfs", "overlay", "tmpfs"}
    return names_one and has_none and not mount.fstype.startswith("fuse")


def may_lie_on_others(mount: Mount) -> bool:
    """Return whether a mount of no block device may be a view of other file systems, which are on some.

    Where a text has no type, only a server and what is in memory are known by their sources to be none.
    """
    if mount.fstype:
        return mount.fstype in _OF_OTHERS
    return not is_unplaced(mount) and not _DISKLESS.fullmatch(mount.source)


_OF_OTHERS: Final = frozenset({
    "aufs", "ecryptfs", "fuse.bindfs", "fuse.encfs", "fuse.fuse-overlayfs", "fuse.gocryptfs", "fuse.mergerfs",
    "fuse.unionfs", "fuse.unionfs-fuse", "shiftfs", "unionfs",
})  # fmt: skip
"""File systems that show the files of others; of an overlay the mount names these."""
_DISKLESS: Final = re.compile(
    r"//.*|[^/]+:.*|(?:dev)?tmpfs|ramfs|udev|dev|run|shm|proc|sysfs|cgroup2?|efivarfs"
)


def why_unplaced(mount: Mount) -> str:
    """Return why the block device that a mount names has no number."""
    if isinstance(mount.devices, Absent) and mount.devices.code == CONTRADICTED.code:
        return mount.devices.reason
    return f"{mount.source} is not among the devices that were read"


class Mounts(tuple[Mount, ...]):  # noqa: SLOT001 - its indexes are kept in it
    """All mounts, in the order in which they were mounted over each other."""

    missing: Absent | None = None
    """The reason why there are none, when they could not be read."""

    @cached_property
    def by_id(self) -> Mapping[str, Mount]:
        """Each mount by its id."""
        return {mount.id: mount for mount in self}

    @cached_property
    def by_number(self) -> Mapping[str, Mount]:
        """One mount of each file system, by its number."""
        return {mount.number: mount for mount in reversed(self)}

    @cached_property
    def by_point(self) -> Mapping[str, Mount]:
        """The mount that is visible at each mount point: the last one."""
        return {mount.point: mount for mount in self if not mount.seen_by}

    def elsewhere(self, path: str, point: str) -> list[Mount]:
        """Return the mounts of other namespaces that hold a path, deeper than the mount point here."""
        return [
            mount for mount in self if mount.seen_by and f"{path}/".startswith(f"{mount.point.rstrip('/')}/")
            and len(mount.point) > len(point)
        ]  # fmt: skip

    def layers(self, layered: Mount, depth: int = 0) -> tuple[str, ...]:
        """Return the numbers of the devices that the layers of an overlay are on, of which one may be one."""
        numbers: dict[str, None] = {}
        for number in () if isinstance(layered.devices, Absent) else layered.devices.values():
            below = self.by_number.get(number)
            if below is not None and below.fstype == "btrfs" and not isinstance(below.devices, Absent):
                numbers.update(dict.fromkeys(below.devices.values()))
            elif below is not None and below.fstype == "overlay" and depth < NESTED:
                numbers.update(dict.fromkeys(self.layers(below, depth + 1)))
            elif not number.startswith("0:"):  # on no block device
                numbers[number] = None
        return tuple(numbers)

    def unplaced_layers(self, layered: Mount) -> list[Mount]:
        """Return the mounts with layers of an overlay whose device is not among those that were read."""
        devices = {} if isinstance(layered.devices, Absent) else layered.devices
        below = (self.by_number.get(number) for number in devices.values())
        return [mount for mount in below if mount is not None and is_unplaced(mount)]


def mounts_in(frame: Frame) -> Mounts:
    """Return the mounts of a sample."""
    columns = [map(_READERS.get(name, text_of), frame.column(name)) for name in Mount._fields[1:]]
    rows = [*map(Mount, frame.keys, *columns)]
    points = {mount.point: mount.number for mount in rows if not mount.seen_by}
    mounts = Mounts(_layered(mount, points) for mount in rows)
    mounts.missing = frame.missing
    return mounts


def _layered(mount: Mount, points: Mapping[str, str]) -> Mount:
    """Return a mount; if it is an overlay of a text, with the file systems that its layers are on.

    Those of the kernel's file are known already, or are not seen from here.
    """
    if mount.fstype != "overlay" or not mount.is_of_text:
        return mount
    directories = [*overlay.layers(partial(_option, mount.options))]
    if not directories or not all(map(posixpath.isabs, directories)):
        return mount._replace(devices=overlay.RELATIVE if directories else overlay.UNNAMED)
    others = {point: number for point, number in points.items() if point != mount.point}
    numbers = dict.fromkeys(others[point] for point in overlay.mount_points(directories, others))
    return mount._replace(devices={f"layer{place}": number for place, number in enumerate(numbers)})


def _option(options: str, name: str) -> list[str]:
    pairs = (word.partition("=") for word in options.split(","))
    return [value for word, _equals, value in pairs if word == name]


def mount_of(path: str, mounts: Mounts) -> Mount | Absent:
    """Return the mount of a path without links by its name alone; for captures.

    A live file names its mount itself, which is right even where one mount hides another.
    """
    if not path.startswith("/"):
        return absent("the mount follows only from an absolute path")
    above = path.rstrip("/")
    while above:
        if mount := mounts.by_point.get(above):
            return mount
        above = above.rpartition("/")[0]
    nowhere = mounts.missing or absent("no mount is known that holds the path")
    return mounts.by_point.get("/") or nowhere


def _devices(value: Value) -> Mapping[str, str] | Absent:
    if isinstance(value, Absent):
        return value
    return dict(word.split("=", 1) for word in str(value).split() if "=" in word)


def _chunks(value: Value) -> tuple[Chunk, ...] | Absent:
    if isinstance(value, Absent):
        return value
    from zmon.topology.chunks import parse_chunks  # noqa: PLC0415 - most mounts are no btrfs

    try:
        return parse_chunks(str(value))
    except ValueError as error:
        return absent(str(error))


_READERS: Final[dict[str, Callable[[Value], object]]] = {"devices": _devices, "chunks": _chunks}
"""The conversion of a cell of a sample to a field of a mount; other cells are texts."""
