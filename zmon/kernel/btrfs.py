"""btrfs: the devices of a file system, and its chunk tree, which maps addresses to devices.

Three ioctls, put to the mount point, that only read:

* `BTRFS_IOC_FS_INFO` (1024 bytes): highest device id u64, number of devices u64, file system id 16 bytes.
* `BTRFS_IOC_DEV_INFO` (4096 bytes): given a device id u64 returns, at byte 3072, the path of its node.
* `BTRFS_IOC_TREE_SEARCH_V2`: a key of 104 bytes, the size of the room u64, and the room, which is filled
  with items: a header (transaction, object, offset u64, type, length u32) and the item.  Root only.

Keys and headers are in the machine's byte order, items as they are on disk: little-endian.  A chunk is
length, owner, unit, flags u64, alignment, width, sector u32, stripes, copies u16, and for each stripe device
id, byte u64 and 16 bytes of the device's uuid.  Kernel: include/uapi/linux/btrfs.h, btrfs_tree.h;
fs/btrfs/ioctl.c.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import posixpath
import struct
from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.kernel.deadline import call_within
from zmon.kernel.open_file import mount_id
from zmon.kernel.tree import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

FS_INFO: Final = 0x8400941F
DEV_INFO: Final = 0xD000941E
TREE_SEARCH_V2: Final = 0xC0709411

SYSFS: Final = "sys/fs/btrfs"

CAPTURED: Final = "ioctl/btrfs.json"
"""The file in a capture: a line of JSON for each file system, `number`, `devices`, `chunks`."""

_FS: Final = struct.Struct("=QQ")
_KEY: Final = struct.Struct("=7Q4I4QQ")
_HEADER: Final = struct.Struct("=QQQII")
_CHUNK: Final = struct.Struct("<QQQQIIIHH")
_STRIPE: Final = struct.Struct("<QQ16x")
_PATH: Final = 3072
_ROOM: Final = 1 << 16
_CHUNK_TREE: Final = 3
_FIRST: Final = 256
_CHUNK_ITEM: Final = 228
_ALL: Final = (1 << 64) - 1
_MAX_DEVICES: Final = 1 << 16
"""A higher number is an error."""

_PROFILES: Final = {
    0: "single", 1 << 3: "raid0", 1 << 4: "raid1", 1 << 5: "dup", 1 << 6: "raid10",
    1 << 7: "raid5", 1 << 8: "raid6", 1 << 9: "raid1c3", 1 << 10: "raid1c4",
}  # fmt: skip
_PROFILE_BITS: Final = 0x7F8


def parse_chunk(logical: int, item: bytes) -> str:
    """Read a chunk item; return it as `FIRST+LENGTH:PROFILE:UNIT:DEVICE@BYTE,...`, all but the device in hex.

    Raises:
        ValueError: it is too short, or its profile is not known.
    """
    if len(item) < _CHUNK.size:
        raise ValueError(f"a btrfs chunk has {_CHUNK.size} bytes or more, found {len(item)}")
    length, _owner, unit, flags, _align, _width, _sector, stripes, _copies = _CHUNK.unpack_from(item)
    if len(item) < _CHUNK.size + stripes * _STRIPE.size:
        raise ValueError(f"a btrfs chunk of {stripes} stripes in {len(item)} bytes")
    profile = _PROFILES.get(flags & _PROFILE_BITS)
    if profile is None:
        raise ValueError(f"a btrfs profile that zmon does not know: flags {flags:#x}")
    places = _STRIPE.iter_unpack(item[_CHUNK.size : _CHUNK.size + stripes * _STRIPE.size])
    where = ",".join(f"{device}@{first:x}" for device, first in places)
    return f"{logical:x}+{length:x}:{profile}:{unit:x}:{where}"


def parse_items(room: bytes, count: int) -> list[tuple[int, bytes]]:
    """Parse the answer of a search: the offset in the key, and the bytes, of each item.

    Raises:
        ValueError: there are fewer bytes than the items say.
    """
    items = []
    at = 0
    for _ in range(count):
        if at + _HEADER.size > len(room):
            raise ValueError(f"{count} items of btrfs in {len(room)} bytes")
        _transaction, _object, offset, _type, length = _HEADER.unpack_from(room, at)
        at += _HEADER.size
        if at + length > len(room):
            raise ValueError(f"an item of btrfs of {length} bytes in the {len(room) - at} that are left")
        items.append((offset, room[at : at + length]))
        at += length
    return items


def read_devices(tree: Tree, mount: str, number: str, point: str, source: str) -> Mapping[str, Value]:
    """Return the `devices` and `chunks` of a btrfs, given the id, number, point and source of its mount.

    Without an answer, /sys/fs/btrfs lists its devices, without their ids.  A captured tree answers from
    `CAPTURED`, by the number of the file system, else likewise.
    """
    if tree.live:
        try:
            asked = call_within(partial(_asked, mount, point), name=f"btrfs {mount}")
        except TimeoutError:
            asked = _neither(absent(f"the btrfs at {point} does not answer"))
    else:
        asked = _captured(tree, number)
    if isinstance(asked["devices"], Absent) and (listed := read_listed(tree, source)):
        return {**asked, "devices": listed}
    return asked


def read_listed(tree: Tree, source: str) -> str:
    """Return the devices of the btrfs, one of which was named to mount it, as /sys/fs/btrfs lists them.

    They are numbered with a question mark, as their ids are unknown: `?1=94:5`.  Empty when it is not there.
    """
    name = posixpath.basename(source)
    try:
        for uuid in tree.entries(SYSFS):
            with contextlib.suppress(OSError):
                names = tree.entries(f"{SYSFS}/{uuid}/devices")
                if name in names or any(
                    _mapped(tree, f"{SYSFS}/{uuid}/devices/{member}") == name for member in names
                ):
                    return " ".join(
                        f"?{place}={text(tree, f'{SYSFS}/{uuid}/devices/{member}/dev').strip()}"
                        for place, member in enumerate(names, 1)
                    )
    except OSError:
        pass
    return ""


def _mapped(tree: Tree, device: str) -> str:
    try:
        return text(tree, f"{device}/dm/name").strip()
    except OSError:
        return ""


def _asked(mount: str, point: str) -> Mapping[str, Value]:
    try:
        node = os.open(point, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return _neither(absent(f"{point} cannot be opened to ask btrfs: {error.strerror}"))
    try:
        if mount_id(node) != mount:
            return _neither(absent("another mount hides this one, so that btrfs cannot be asked"))
        return {"devices": " ".join(_devices(node)), "chunks": _chunks(node)}
    except (OSError, ValueError) as error:
        return _neither(absent(f"BTRFS_IOC_DEV_INFO at {point} failed: {error}"))
    finally:
        os.close(node)


def _neither(why: Absent) -> Mapping[str, Value]:
    return {"devices": why, "chunks": why}


def _devices(node: int) -> Iterator[str]:
    room = bytearray(1024)
    fcntl.ioctl(node, FS_INFO, room, True)
    highest, count = _FS.unpack_from(room)
    for device in range(1, min(highest, _MAX_DEVICES) + 1):
        room = bytearray(struct.pack("=Q", device)).ljust(4096, b"\0")
        try:
            fcntl.ioctl(node, DEV_INFO, room, True)
        except OSError as error:
            if error.errno == errno.ENODEV:  # it was removed from the file system
                continue
            raise
        path = bytes(room[_PATH:]).partition(b"\0")[0]
        if not path:  # it is missing
            continue
        rdev = os.stat(path).st_rdev
        yield f"{device}={os.major(rdev)}:{os.minor(rdev)}"
        count -= 1
        if not count:
            return


def _chunks(node: int) -> Value:
    chunks: list[str] = []
    first = 0
    try:
        while True:
            # tree, first and last object, offset, transaction and type; number of items
            key = (_CHUNK_TREE, _FIRST, _FIRST, first, _ALL, 0, _ALL, _CHUNK_ITEM, _CHUNK_ITEM, 1 << 16)
            room = bytearray(_KEY.pack(*key, *[0] * 5, _ROOM)).ljust(_KEY.size + _ROOM, b"\0")
            fcntl.ioctl(node, TREE_SEARCH_V2, room, True)
            count = _KEY.unpack_from(room)[9]
            items = parse_items(bytes(room[_KEY.size :]), count)
            if not items:
                return " ".join(chunks)
            chunks += [parse_chunk(offset, item) for offset, item in items]
            first = items[-1][0] + 1
    except PermissionError:
        return absent("run as root: only root may read the chunk tree of btrfs")
    except (OSError, ValueError) as error:
        return absent(f"BTRFS_IOC_TREE_SEARCH_V2 failed: {error}")


def written(mounts: Frame) -> bytes:
    """Return the text that a capture keeps of the btrfs among the mounts."""
    names = ("number", "fstype", "devices", "chunks")
    lines = {
        number: json.dumps(
            {
                "number": number,
                "devices": None if isinstance(devices, Absent) else devices,
                "chunks": None if isinstance(chunks, Absent) else chunks,
                "why": chunks.reason if isinstance(chunks, Absent) else "",
            }
        )
        for number, fstype, devices, chunks in zip(*map(mounts.column, names), strict=True)
        if fstype == "btrfs"
    }
    return "".join(f"{line}\n" for line in lines.values()).encode("ascii")


def _captured(tree: Tree, number: str) -> Mapping[str, Value]:
    try:
        lines = tree.read(CAPTURED).decode("utf-8", "replace").splitlines()
        records = [json.loads(line) for line in lines]
        for record in records:
            if record["number"] == number:
                return {name: _value(record[name], record["why"]) for name in ("devices", "chunks")}
    except OSError:
        pass
    except (ValueError, KeyError, TypeError, AttributeError):
        return _neither(absent(f"{CAPTURED} of the capture is not in the form that zmon writes"))
    return _neither(
        absent("the capture holds no answers of btrfs: make it anew with `zmon capture`, as root")
    )


def _value(value: object, why: object) -> Value:
    return value if isinstance(value, str) else absent(str(why))
