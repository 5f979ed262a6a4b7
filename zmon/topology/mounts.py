"""Mounts: the file system of a path, and the numbers of the devices of that file system."""

from __future__ import annotations

from functools import cached_property

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.base.absent import Value
    from zmon.sample import Frame
    from zmon.topology.chunks import Chunk


class Mount(NamedTuple):
    """One mount; what could not be read is absent."""

    id: str
    """As /proc/self/mountinfo numbers it, which is how an open file names its mount."""
    number: str
    """`major:minor` of the file system: a block device, or 0:n where it has no single one."""
    root: str
    """The mounted part of the file system: `/`, else a bind mount or a subvolume."""
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

    Of a mount of another process's namespace it is `/proc/4711/mountinfo:12`.
    """

    @property
    def seen_by(self) -> str:
        """The number of the only process that sees it; empty for mounts of the machine's own namespace."""
        return self.line.split("/")[2] if self.line.startswith("/proc/") else ""


def is_unplaced(mount: Mount) -> bool:
    """Return whether a mount names a block device, and has the number of none."""
    names_one = mount.source.startswith(("/dev/", "UUID=", "LABEL=", "PARTUUID=", "PARTLABEL="))
    has_none = mount.number.startswith("0:") and mount.fstype not in {"btrfs", "overlay", "tmpfs"}
    return names_one and has_none and not mount.fstype.startswith("fuse")


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

    def layers(self, overlay: Mount) -> tuple[str, ...]:
        """Return the numbers of the devices that the layers of an overlay are on."""
        numbers: dict[str, None] = {}
        for number in () if isinstance(overlay.devices, Absent) else overlay.devices.values():
            below = self.by_number.get(number)
            if below is not None and below.fstype == "btrfs" and not isinstance(below.devices, Absent):
                numbers.update(dict.fromkeys(below.devices.values()))
            elif not number.startswith("0:"):  # on no block device
                numbers[number] = None
        return tuple(numbers)


def mounts_in(frame: Frame) -> Mounts:
    """Return the mounts of a sample."""
    columns = [map(_READERS.get(name, text_of), frame.column(name)) for name in Mount._fields[1:]]
    mounts = Mounts(map(Mount, frame.keys, *columns))
    mounts.missing = frame.missing
    return mounts


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
