"""/dev/mapper/control: the tables of the device mapper, by ioctls that only read.

A request is a header of 312 bytes and room for the answer.  The header is in the machine's own byte
order and has the same layout on every machine, since its members stand at multiples of their sizes:
three version numbers, then u32 `data_size`, `data_start`, `target_count`, s32 `open_count`, u32 `flags`,
`event_nr`, padding, u64 `dev`, `name[128]`, `uuid[129]`, 7 bytes.  The answer is one record of 40 bytes
per segment, u64 first sector, u64 sectors, s32 status, u32 where the next one begins, `type[16]`, each with
its arguments behind it as text that ends in a zero.

Kernel: include/uapi/linux/dm-ioctl.h, drivers/md/dm-ioctl.c.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import struct
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kernel.tree import text

if TYPE_CHECKING:
    from zmon.absent import Absent
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
MOST_ROOM: Final = 16 << 20
"""No table is longer: a thousand segments over a thousand legs."""

_HEADER: Final = struct.Struct("=3IIIIiIIIQ128s129s7s")
_SEGMENT: Final = struct.Struct("=QQiI16s")
_SECRETIVE: Final = ("crypt", "default-key", "inlinecrypt")
"""Targets whose second argument is a key."""
_NEEDS_ROOT: Final = absent("needs root (CAP_SYS_ADMIN): device-mapper tables")


def captured_at(number: str) -> str:
    """Return where a capture has the table of a device."""
    return f"ioctl/dm/{number}.table"


def read_table(tree: Tree, number: str) -> str:
    """Read the table of one device, given as `253:3`, as `dmsetup table` prints it: a line per segment.

    Keys of dm-crypt come out as zeros.  A captured tree answers from `ioctl/dm/253:3.table`.

    Raises:
        OSError: as the kernel said it: EACCES without CAP_SYS_ADMIN, ENXIO for no such device.
        ValueError: the answer is not understood.
    """
    if not tree.live:
        return "".join(f"{_masked(line)}\n" for line in text(tree, captured_at(number)).splitlines())
    room = ROOM
    control = os.open(CONTROL, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while True:
            buffer = request(number, room)
            fcntl.ioctl(control, DM_TABLE_STATUS, buffer, True)
            table = parse_answer(buffer)
            buffer[:] = bytes(len(buffer))
            if table is not None:
                return table
            room *= 4
            if room > MOST_ROOM:
                raise OSError(errno.EFBIG, f"a table of more than {MOST_ROOM} bytes", number)
    finally:
        os.close(control)


def request(number: str, room: int) -> bytearray:
    """Return a request for the table of a device, with room for the answer.

    Raises:
        ValueError: the number is not of the form major:minor.
    """
    if not re.fullmatch("[0-9]{1,7}:[0-9]{1,8}", number):
        raise ValueError(f"not major:minor: {number[:40]!r}")
    major, minor = map(int, number.split(":"))
    device = (minor & 0xFF) | major << 8 | (minor & ~0xFF) << 12  # as the kernel packs it
    flags = STATUS_TABLE | NOFLUSH | SECURE_DATA
    size = _HEADER.size + room
    header = _HEADER.pack(*VERSION, size, _HEADER.size, 0, 0, flags, 0, 0, device, b"", b"", b"")
    return bytearray(header + bytes(room))


def parse_answer(answer: bytes | bytearray) -> str | None:
    """Parse the answer to a request: the table, or None when it needed more room.

    Raises:
        ValueError: it is shorter than it says.
    """
    if len(answer) < _HEADER.size:
        raise ValueError(f"device mapper: {_HEADER.size} bytes expected, found {len(answer)}")
    *_version, _size, begin, segments, _open, flags, _event, _pad, _dev, _name, _uuid, _end = (
        _HEADER.unpack_from(answer)
    )
    if flags & BUFFER_FULL:
        return None
    lines = []
    at = begin
    for _ in range(segments):
        if at + _SEGMENT.size > len(answer):
            raise ValueError(f"device mapper: segment at byte {at} of {len(answer)}")
        first, length, _status, onward, kind = _SEGMENT.unpack_from(answer, at)
        end = answer.find(0, at + _SEGMENT.size)
        if end < 0:
            raise ValueError(f"device mapper: no end of the arguments behind byte {at}")
        name = kind.partition(b"\0")[0].decode("utf-8", "replace")
        arguments = answer[at + _SEGMENT.size : end].decode("utf-8", "replace")
        lines.append(_masked(f"{first} {length} {name} {arguments}".replace("\n", " ")) + "\n")
        at = begin + onward
    return "".join(lines)


def _masked(line: str) -> str:
    """Put zeros in the place of a key; one that is only named stays."""
    words = line.split(" ")
    if len(words) > 4 and words[2] in _SECRETIVE and words[4] != "-" and not words[4].startswith(":"):
        words[4] = "0" * len(words[4])
    return " ".join(words)


def refused(error: OSError) -> Absent:
    """Say why a table could not be read, so that a person can act on it."""
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return _NEEDS_ROOT
        case errno.ENOENT:
            return absent("the device-mapper table was not captured, or there is no device mapper")
        case errno.ENXIO | errno.ENODEV:
            return absent("the device mapper has no such device any more")
    return absent(f"device-mapper table: {error.strerror or error}")
