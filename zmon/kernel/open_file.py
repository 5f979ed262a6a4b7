"""An open file: its extents on the device, and the mount through which it was opened.

The request of FS_IOC_FIEMAP is a header of 32 bytes (start, length u64, flags, mapped, room u32) and room for
extents of 56 bytes (logical, physical, length u64, flags u32), all in the machine's byte order.  It is
repeated until an extent carries LAST.  Reading permission is enough.  Nothing is started on the device unless
`sync` is asked for, which first writes out what waits in memory; without it such bytes have no place yet.

The addresses are those of the device only on file systems that have just one: on btrfs they are logical, on
the realtime section of XFS they count on another device.  Kernel: fs/ioctl.c;
Documentation/filesystems/fiemap.rst.

/proc/self/fdinfo has lines `name:<tab>value`; `mnt_id`, the id of the mount, since Linux 3.15.  Kernel:
fs/proc/fd.c; Documentation/filesystems/proc.rst.
"""

from __future__ import annotations

import fcntl
import os
import struct

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


FIEMAP: Final = 0xC020660B
SYNC: Final = 0x1
"""Request flag: write out first."""

LAST: Final = 0x1
UNKNOWN: Final = 0x2
DELALLOC: Final = 0x4
ENCODED: Final = 0x8
INLINE: Final = 0x200
TAIL: Final = 0x400
UNWRITTEN: Final = 0x800
SHARED: Final = 0x2000
PLACELESS: Final = UNKNOWN | DELALLOC | INLINE | TAIL
"""Flags of extents that have no bytes of the device to themselves, or none yet."""

FSGETXATTR: Final = 0x801C581F
REALTIME: Final = 0x1
"""Flag of XFS: the file's data are in the realtime section."""

FIRST: Final = 128
"""Extents asked for at first; most files have fewer, and a file of 8 GiB on ext4 has 64 at least."""
ROOM: Final = 512
"""Extents asked for at once from then on."""

_HEADER: Final = struct.Struct("=QQIIII")
_EXTENT: Final = struct.Struct("=QQQ16xI12x")
_ALL: Final = (1 << 64) - 1


Extent = tuple[int, int, int, int]
"""A run of a file that lies in one piece: first byte in the file and on the device, length, flags."""


class Extents(NamedTuple):
    """The extents of a file, and the bytes that have no place or share one."""

    ranges: tuple[tuple[int, int], ...]
    """First byte and length of each, ascending; extents that touch are one."""
    pieces: int
    """Extents that the kernel named."""
    unplaced: int
    """Waiting in memory, kept inside the inode, or in an unknown place."""
    unwritten: int
    """Allocated and never written; part of `ranges`."""
    shared: int
    """Belongs to other files too; part of `ranges`."""
    encoded: int
    """Compressed: it takes fewer bytes than it has, and which is unknown; part of `ranges`."""


def parse_fiemap(answer: bytes | bytearray) -> list[Extent]:
    """Parse the answer of the ioctl.

    Raises:
        ValueError: it is shorter than the number of extents says.
    """
    if len(answer) < _HEADER.size:
        raise ValueError(f"FS_IOC_FIEMAP: {_HEADER.size} bytes or more expected, found {len(answer)}")
    mapped = _HEADER.unpack_from(answer)[3]
    end = _HEADER.size + mapped * _EXTENT.size
    if end > len(answer):
        raise ValueError(f"FS_IOC_FIEMAP: {mapped} extents in {len(answer)} bytes")
    return list(_EXTENT.iter_unpack(memoryview(answer)[_HEADER.size : end]))


def read_extents(
    descriptor: int, *, sync: bool = False, goes_on: Callable[[], None] = lambda: None
) -> list[Extent]:
    """Read all extents of a file that is open for reading; `goes_on` is called after each request.

    Raises:
        OSError: as from the kernel: EOPNOTSUPP or ENOTTY where a file system does not support it.
        ValueError: the file system repeats itself, so that only a part of the extents is known.
    """
    extents: list[Extent] = []
    start, most = 0, FIRST
    while True:
        room = bytearray(_HEADER.size + most * _EXTENT.size)
        _HEADER.pack_into(room, 0, start, _ALL - start, SYNC if sync else 0, 0, most, 0)
        fcntl.ioctl(descriptor, FIEMAP, room, True)
        goes_on()
        more = parse_fiemap(room)
        extents += more
        if not more or more[-1][3] & LAST:
            return extents
        after = more[-1][0] + more[-1][2]
        if not start < after < _ALL:  # no endless loop, and no incomplete answer
            raise ValueError(f"extents up to byte {after}, and then none further on")
        start, most = after, ROOM


def merged(extents: list[Extent], size: int = _ALL) -> Extents:
    """Merge the extents of a file of `size` bytes to ranges of its device, and count special bytes.

    Of unplaced extents only bytes of the file count, although the kernel counts whole blocks.
    Ranges that overlap stay apart: a file may hold the same bytes twice, and they count twice for it.
    """
    flags = {extent[3] for extent in extents}
    if any(flag & PLACELESS for flag in flags):
        placed = [extent for extent in extents if not extent[3] & PLACELESS]
        waiting = (extent for extent in extents if extent[3] & PLACELESS)
        unplaced = sum(max(0, min(extent[0] + extent[2], size) - extent[0]) for extent in waiting)
    else:
        placed, unplaced = extents, 0
    special = [
        sum([length for _, _, length, has in placed if has & flag]) if any(has & flag for has in flags) else 0
        for flag in (UNWRITTEN, SHARED, ENCODED)
    ]
    return Extents(_join_ranges([extent[1:3] for extent in placed]), len(extents), unplaced, *special)


def _join_ranges(places: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    if len(places) < 2:
        return tuple(places)
    places.sort()
    joined = []
    before, size = places[0]
    for first, length in places[1:]:
        if before + size == first:
            size += length
        else:
            joined.append((before, size))
            before, size = first, length
    joined.append((before, size))
    return tuple(joined)


def is_realtime(descriptor: int) -> bool:
    """Return whether the data of a file are in the realtime section of its XFS.

    Raises:
        OSError: the file system does not support the request.
    """
    room = bytearray(28)
    fcntl.ioctl(descriptor, FSGETXATTR, room, True)
    flags: int = struct.unpack_from("=I", room)[0]
    return bool(flags & REALTIME)


def parse_mount_id(content: bytes) -> str:
    """Return the id of the mount through which the file was opened.

    Raises:
        ValueError: it is not there.
    """
    for line in content.split(b"\n"):
        name, _colon, value = line.partition(b":")
        if name == b"mnt_id" and value.strip().isdigit():
            return value.strip().decode("ascii")
    raise ValueError(f"no mnt_id in fdinfo: {content[:80]!r}")


def mount_id(descriptor: int) -> str:
    """Return the id of the mount through which a descriptor was opened; `O_PATH` is enough.

    Raises:
        OSError: /proc is not mounted.
        ValueError: the kernel is older than Linux 3.15.
    """
    with open(f"/proc/self/fdinfo/{descriptor}", "rb", buffering=0) as file:
        return parse_mount_id(file.read(4096))


def live_mount_id(path: str) -> str:
    """Return the id of the mount of a path, without opening the file.

    Raises:
        OSError: as the kernel said it.
        ValueError: the kernel is older than Linux 3.15.
    """
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        return mount_id(descriptor)
    finally:
        os.close(descriptor)
