"""The tables of device-mapper and loop devices, by ioctls that only read.

/dev/mapper/control has those of the device mapper.

A request is a header of 312 bytes and room for the answer.  The header is in the machine's own byte
order and has the same layout on every machine, since its members are at multiples of their sizes:
three version numbers, then u32 `data_size`, `data_start`, `target_count`, s32 `open_count`, u32 `flags`,
`event_nr`, padding, u64 `dev`, `name[128]`, `uuid[129]`, 7 bytes.  The answer is one record of 40 bytes
per segment, u64 first sector, u64 sectors, s32 status, u32 where the next one begins, `type[16]`, each with
its arguments behind it as text that ends in a zero.

Kernel: include/uapi/linux/dm-ioctl.h, drivers/md/dm-ioctl.c.

A loop device gets a table of the same form, through the file that is behind it: one line for each piece:
`start length linear 94:5 offset`, in sectors of 512 bytes, and `hole` where the file has one.  The live
kernel is asked: sysfs for the file and the offset, `LOOP_GET_STATUS64` (232 bytes: device, inode u64 ...)
whether the file of that name is still the one, `FS_IOC_FIEMAP` for its extents.  Of a file that was deleted
`LOOP_GET_STATUS64` has the device of the file system.  A capture has the tables in
`ioctl/loop/7:0.table`.

Kernel: drivers/block/loop.c; include/uapi/linux/loop.h.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import struct
from functools import partial

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.sizes import SECTOR
from zmon.kernel import open_file
from zmon.kernel.deadline import call_within
from zmon.kernel.tree import text
from zmon.sample import THIS_MACHINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree


CONTROL: Final = "/dev/mapper/control"
DM_TABLE_STATUS: Final = 0xC138FD0C
"""Asks for the state of one device's segments, or with `STATUS_TABLE` for its table."""
VERSION: Final = (4, 0, 0)
"""Of the interface; every kernel since 2.6 answers it."""
STATUS_TABLE: Final = 1 << 4
BUFFER_FULL: Final = 1 << 8
NOFLUSH: Final = 1 << 11
"""Asks the device to write nothing before it answers."""
SECURE_DATA: Final = 1 << 15
"""Asks the kernel to wipe its copy of the answer, which for dm-crypt has the key."""

ROOM: Final = 16 << 10
"""Bytes that are offered for an answer at first."""
MAX_ROOM: Final = 16 << 20
"""No table is longer: a thousand segments over a thousand legs."""

_HEADER: Final = struct.Struct("=3IIIIiIIIQ128s129s7s")
_SEGMENT: Final = struct.Struct("=QQiI16s")
_SECRETIVE: Final = ("crypt", "default-key", "inlinecrypt")
"""Targets whose second argument is a key."""
NEEDS_ROOT: Final = absent("needs root (CAP_SYS_ADMIN): device-mapper tables")
NO_TABLE: Final = absent("the device-mapper table was not captured, or there is no device mapper")
GONE: Final = absent("the device mapper has no such device any more")


def dm_captured_at(number: str) -> str:
    """Return where a capture has the table of a device."""
    return f"ioctl/dm/{number}.table"


def dm_status_at(number: str) -> str:
    """Return where a capture has the state of a multipath device."""
    return f"ioctl/dm/{number}.status"


def read_dm_table(tree: Tree, number: str) -> str:
    """Read the table of one device, given as `253:3`, as `dmsetup table` prints it: a line per segment.

    Keys of dm-crypt come out as zeros.  A captured tree answers from `ioctl/dm/253:3.table`.

    Raises:
        OSError: as the kernel said it: EACCES without CAP_SYS_ADMIN, ENXIO for no such device.
        ValueError: the answer is not understood.
    """
    if not tree.live:
        return "".join(f"{_masked(line)}\n" for line in text(tree, dm_captured_at(number)).splitlines())
    return _ask_dm(number, STATUS_TABLE)


def read_dm_status(tree: Tree, number: str) -> str:
    """Read the state of one device, given as `253:3`, as `dmsetup status` prints it: a line per segment.

    A captured tree answers from `ioctl/dm/253:3.status`.  Raises as `read_dm_table` does.
    """
    if not tree.live:
        return text(tree, dm_status_at(number))
    return _ask_dm(number, 0)


def _ask_dm(number: str, wanted: int) -> str:
    room = ROOM
    control = os.open(CONTROL, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while True:
            buffer = dm_request(number, room, wanted)
            fcntl.ioctl(control, DM_TABLE_STATUS, buffer, True)
            table = parse_dm_answer(buffer)
            buffer[:] = bytes(len(buffer))
            if table is not None:
                return table
            room *= 4
            if room > MAX_ROOM:
                raise OSError(errno.EFBIG, f"a table of more than {MAX_ROOM} bytes", number)
    finally:
        os.close(control)


def dm_request(number: str, room: int, wanted: int = STATUS_TABLE) -> bytearray:
    """Return a request for the table of a device, or with 0 for its state, with room for the answer.

    Raises:
        ValueError: the number is not of the form major:minor.
    """
    if not re.fullmatch("[0-9]{1,7}:[0-9]{1,8}", number):
        raise ValueError(f"not major:minor: {number[:40]!r}")
    major, minor = map(int, number.split(":"))
    device = (minor & 0xFF) | major << 8 | (minor & ~0xFF) << 12  # as the kernel packs it
    flags = wanted | NOFLUSH | SECURE_DATA
    size = _HEADER.size + room
    header = _HEADER.pack(*VERSION, size, _HEADER.size, 0, 0, flags, 0, 0, device, b"", b"", b"")
    return bytearray(header + bytes(room))


def parse_dm_answer(answer: bytes | bytearray) -> str | None:
    """Parse the answer to a request: the table, or None when it needed more room.

    Raises:
        ValueError: it is shorter than it says, or a segment leads back.
    """
    if len(answer) < _HEADER.size:
        raise ValueError(f"device mapper: {_HEADER.size} bytes expected, found {len(answer)}")
    *_version, _size, begin, segments, _open, flags, _event, _pad, _dev, _name, _uuid, _end = (
        _HEADER.unpack_from(answer)
    )
    if flags & BUFFER_FULL:
        return None
    lines = []
    at, before = begin, -1
    for _ in range(segments):
        if not before < at <= len(answer) - _SEGMENT.size:
            raise ValueError(f"device mapper: segment at byte {at} of {len(answer)}")
        first, length, _status, onward, kind = _SEGMENT.unpack_from(answer, at)
        end = answer.find(0, at + _SEGMENT.size)
        if end < 0:
            raise ValueError(f"device mapper: no end of the arguments behind byte {at}")
        name = kind.partition(b"\0")[0].decode("utf-8", "replace")
        arguments = answer[at + _SEGMENT.size : end].decode("utf-8", "replace")
        lines.append(_masked(f"{first} {length} {name} {arguments}".replace("\n", " ")) + "\n")
        at, before = begin + onward, at
    return "".join(lines)


def _masked(line: str) -> str:
    """Replace a key with zeros; the name of a key stays."""
    fields = line.split(" ")
    if len(fields) > 4 and fields[2] in _SECRETIVE and fields[4] != "-" and not fields[4].startswith(":"):
        fields[4] = "0" * len(fields[4])
    return " ".join(fields)


def table_refused(error: OSError) -> Absent:
    """Return the reason why a table could not be read."""
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return NEEDS_ROOT
        case errno.ENOENT:
            return NO_TABLE
        case errno.ENXIO | errno.ENODEV:
            return GONE
    return absent(f"device-mapper table: {error.strerror or error}")


GET_STATUS: Final = 0x4C05
MAX_PIECES: Final = 20_000
"""Pieces of a file that are listed one by one."""
SCATTERED: Final = "file"
"""Stands for `linear` where only the devices are known, not the bytes."""

_DEVICE: Final = r"(?m)(?<=\x20)[0-9]{1,7}:[0-9]{1,8}(?=\x20|$)"


def loop_captured_at(number: str) -> str:
    """Return where a capture has the table of a loop device."""
    return f"ioctl/loop/{number}.table"


def loop_table(extents: Iterable[open_file.Extent], number: str, offset: int, size: int) -> str:
    """Return the table of a loop device of `size` bytes that begins `offset` bytes into a file on a device.

    Raises:
        ValueError: its pieces do not begin and end with sectors, or are too many.
    """
    lines = []
    at = 0
    for logical, physical, length, flags in _join_extents(sorted(extents)):
        begin, end = max(logical - offset, at), min(logical + length - offset, size)
        if begin >= end:
            continue
        if at < begin:
            lines.append(f"{_sectors(at)} {_sectors(begin - at)} hole")
        where = _sectors(physical + begin + offset - logical)
        kind = SCATTERED if flags else "linear"
        lines.append(
            f"{_sectors(begin)} {_sectors(end - begin)} {kind} {number}{'' if flags else f' {where}'}"
        )
        at = end
        if len(lines) > MAX_PIECES:
            raise ValueError(f"its file lies in more than {MAX_PIECES:,} pieces")
    if at < size:
        lines.append(f"{_sectors(at)} {_sectors(size - at)} hole")
    return "".join(f"{line}\n" for line in lines)


def devices_in(content: str) -> list[str]:
    """Return the numbers of the devices that a table names, each once."""
    return list(dict.fromkeys(re.findall(_DEVICE, content)))


def _join_extents(extents: Iterable[open_file.Extent]) -> Iterator[open_file.Extent]:
    """Yield extents, those that go on where the one before ends as one; their flags say: without a place."""
    held: open_file.Extent | None = None
    for logical, physical, length, flags in extents:
        lost = flags & (open_file.PLACELESS | open_file.ENCODED)
        if held is not None:
            first, place, size, other = held
            if first + size == logical and lost == other and (lost or place + size == physical):
                held = first, place, size + length, other
                continue
            yield held
        held = logical, physical, length, lost
    if held is not None:
        yield held


def _sectors(count: int) -> int:
    if count % SECTOR:
        raise ValueError("its pieces do not begin with a sector")
    return count // SECTOR


def read_loop_table(tree: Tree, number: str, path: str, file: str) -> Value:
    """Return how a loop device lies, whose directory in sysfs is `path`; absent with the reason otherwise."""
    if not tree.live:
        return _captured_loop(tree, number)
    if tree.name != THIS_MACHINE:
        return absent("only on this machine its file can be asked")
    try:
        return call_within(partial(_ask_loop, tree, path, file), name=f"loop {file}")
    except TimeoutError:
        why = f"the file system of {file} does not answer"
    except OSError as error:
        why = f"{file}: {error.strerror}"
    except ValueError as error:
        why = str(error)
    return absent(why)


def _captured_loop(tree: Tree, number: str) -> Value:
    try:
        return text(tree, loop_captured_at(number))
    except FileNotFoundError:
        return absent("the capture does not hold where its file lies: make it anew with `zmon capture`")
    except OSError as error:
        return absent(error.strerror or str(error))


def _ask_loop(tree: Tree, path: str, file: str) -> Value:
    """Ask for the table.

    Raises:
        OSError, ValueError: it is not known; says why.
    """
    from zmon.kernel.file_extents import looking  # noqa: PLC0415 - most machines have no loop devices

    status = _loop_status(path)
    size = int(text(tree, f"{path}/size")) * SECTOR
    gone: Exception = ValueError(f"another file has the name {file} now")
    try:
        state = os.stat(file)
    except OSError as error:
        state, gone = None, error
    if state is None or (status is not None and status != (state.st_dev, state.st_ino)):
        # it was deleted, or only others see it; the device of its file system is known all the same
        if status is None or not os.major(status[0]):
            raise gone
        return f"0 {_sectors(size)} {SCATTERED} {os.major(status[0])}:{os.minor(status[0])}\n"
    offset = int(text(tree, f"{path}/loop/offset"))
    if stat.S_ISBLK(state.st_mode):
        device = f"{os.major(state.st_rdev)}:{os.minor(state.st_rdev)}"
        return f"0 {_sectors(size)} linear {device} {_sectors(offset)}\n"
    look = looking(tree)
    row = look.at(file)
    if row is None:
        raise ValueError(f"{file} is a directory")
    if isinstance(row.number, Absent):
        raise ValueError(row.number.reason)  # noqa: TRY004 - the reason becomes the answer
    number = str(row.number)
    is_btrfs = number.startswith("0:")
    below = look.devices(str(row.mount)) if is_btrfs else [number]
    if not below:
        raise ValueError(f"{file} is on no block device, or on an unknown one")
    if not is_btrfs and not isinstance(row.ranges, Absent):
        with contextlib.suppress(ValueError):
            return loop_table(look.extents, number, offset, size)
    return f"0 {_sectors(size)} {SCATTERED} {' '.join(below)}\n"


def _loop_status(path: str) -> tuple[int, int] | None:
    """Return device and inode of the file behind a loop device; None where it cannot be asked."""
    room = bytearray(232)
    try:
        node = os.open(f"/dev/{path.rpartition('/')[2]}", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.ioctl(node, GET_STATUS, room, True)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise ValueError("it has no file any more") from None
        return None
    finally:
        os.close(node)
    device, inode = struct.unpack_from("=QQ", room)
    return device, inode
