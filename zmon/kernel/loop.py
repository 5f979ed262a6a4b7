"""Loop devices: on which bytes of which device each lies, through the file that is behind it.

The answer has the form of a device-mapper table, one line for each piece: `start length linear 94:5 offset`,
in sectors of 512 bytes, and `hole` where the file has one.  The live kernel is asked: sysfs for the file and
the offset, `LOOP_GET_STATUS64` (232 bytes: device, inode u64 ...) whether the file of that name is still the
one, `FS_IOC_FIEMAP` for its extents.  A capture has the tables in `ioctl/loop/7:0.table`.

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
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kernel import fiemap
from zmon.kernel.patience import within
from zmon.kernel.tree import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.absent import Value
    from zmon.kernel.tree import Tree

GET_STATUS: Final = 0x4C05
SECTOR: Final = 512
MOST: Final = 20_000
"""Pieces of a file that are told one by one."""
SCATTERED: Final = "file"
"""Stands for `linear` where only the devices are known, not the bytes."""

_DEVICE: Final = re.compile(r"(?<= )[0-9]{1,7}:[0-9]{1,8}(?= |$)", re.MULTILINE)


def captured_at(number: str) -> str:
    """Return where a capture has the table of a loop device."""
    return f"ioctl/loop/{number}.table"


def table(extents: Iterable[fiemap.Extent], number: str, offset: int, size: int) -> str:
    """Return the table of a loop device of `size` bytes that begins `offset` bytes into a file on a device.

    Raises:
        ValueError: its pieces do not begin and end with sectors, or are too many.
    """
    lines = []
    at = 0
    for logical, physical, length, flags in _joined(sorted(extents)):
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
        if len(lines) > MOST:
            raise ValueError(f"its file lies in more than {MOST:,} pieces")
    if at < size:
        lines.append(f"{_sectors(at)} {_sectors(size - at)} hole")
    return "".join(f"{line}\n" for line in lines)


def devices_in(content: str) -> list[str]:
    """Return the numbers of the devices that a table names, each once."""
    return list(dict.fromkeys(_DEVICE.findall(content)))


def _joined(extents: Iterable[fiemap.Extent]) -> Iterator[fiemap.Extent]:
    """Yield extents, those that go on where the one before ends as one; their flags say: without a place."""
    known: fiemap.Extent | None = None
    for logical, physical, length, flags in extents:
        lost = flags & (fiemap.PLACELESS | fiemap.ENCODED)
        if known is not None:
            first, place, size, other = known
            if first + size == logical and lost == other and (lost or place + size == physical):
                known = first, place, size + length, other
                continue
            yield known
        known = logical, physical, length, lost
    if known is not None:
        yield known


def _sectors(count: int) -> int:
    if count % SECTOR:
        raise ValueError("its pieces do not begin with a sector")
    return count // SECTOR


def read_table(tree: Tree, number: str, path: str, file: str) -> Value:
    """Return how a loop device lies, whose directory in sysfs is `path`; absent with the reason otherwise."""
    if not tree.live:
        return _captured(tree, number)
    if tree.name != "this machine":
        return absent("only on this machine its file can be asked")
    try:
        return within(partial(_asked, tree, path, file), name=f"loop {file}")
    except TimeoutError:
        why = f"the file system of {file} does not answer"
    except OSError as error:
        why = f"{file}: {error.strerror}"
    except ValueError as error:
        why = str(error)
    return absent(why)


def _captured(tree: Tree, number: str) -> Value:
    try:
        return text(tree, captured_at(number))
    except FileNotFoundError:
        return absent("the capture does not hold where its file lies: make it anew with `zmon capture`")
    except OSError as error:
        return absent(error.strerror or str(error))


def _asked(tree: Tree, path: str, file: str) -> Value:
    """Ask for the table.

    Raises:
        OSError, ValueError: it cannot be told; says why.
    """
    from zmon.kernel.container import looking  # noqa: PLC0415 - most machines have no loop devices

    state = os.stat(file)
    status = _status(path)
    if status is not None and status != (state.st_dev, state.st_ino):
        raise ValueError(f"another file has the name {file} now")
    size = int(text(tree, f"{path}/size")) * SECTOR
    offset = int(text(tree, f"{path}/loop/offset"))
    if stat.S_ISBLK(state.st_mode):
        device = f"{os.major(state.st_rdev)}:{os.minor(state.st_rdev)}"
        return f"0 {_sectors(size)} linear {device} {_sectors(offset)}\n"
    look = looking(tree)
    found = look.at(file)
    if found is None:
        raise ValueError(f"{file} is a directory")
    if isinstance(found.number, Absent):
        raise ValueError(found.number.reason)  # noqa: TRY004 - whoever asked is told
    number = str(found.number)
    is_btrfs = number.startswith("0:")
    below = look.devices(str(found.mount)) if is_btrfs else [number]
    if not below:
        raise ValueError(f"{file} is on no block device, or on none that can be told")
    if not is_btrfs and not isinstance(found.ranges, Absent):
        with contextlib.suppress(ValueError):
            return table(look.extents, number, offset, size)
    return f"0 {_sectors(size)} {SCATTERED} {' '.join(below)}\n"


def _status(path: str) -> tuple[int, int] | None:
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
