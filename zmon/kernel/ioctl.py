"""The three questions that only a DASD's block node answers, and the one way of asking them."""

from __future__ import annotations

import errno
import fcntl
import os
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import absent

if TYPE_CHECKING:
    from zmon.absent import Absent
    from zmon.kernel.tree import Tree


class Question(NamedTuple):
    """One ioctl that only reads: its name in the kernel, its number on s390, the answer's bytes."""

    name: str
    number: int
    size: int


BIODASDINFO2: Final = Question("BIODASDINFO2", 0x81A04403, 416)
"""What the driver knows of the device; costs nothing."""
BIODASDPSRD: Final = Question("BIODASDPSRD", 0x80C04404, 192)
"""Cache counts of the volume; runs a channel program on the device."""
BIODASDREADALLCMB: Final = Question("BIODASDREADALLCMB", 0xC0584421, 88)
"""Channel measurement in one coherent piece; waits for the end of an operation under way."""


def ask(tree: Tree, disk: str, question: Question) -> bytes:
    """Put a question to the node of a disk and return the answer.

    The node is opened for reading only and closed at once: an open node keeps the device from
    being set offline.  **The call may never return** when the device hangs; whoever cannot wait
    calls it in a thread that can be left behind (the interpreter is free meanwhile).  A captured
    tree answers from `ioctl/<disk>/<NAME>.bin`.

    Kernel: drivers/s390/block/dasd_ioctl.c.

    Raises:
        OSError: as the kernel said it; FileNotFoundError also when it was not captured.
        ValueError: the answer has another length than the question asks for.
    """
    if not tree.live:
        answer = tree.read(f"ioctl/{disk}/{question.name}.bin")
        if len(answer) != question.size:
            raise ValueError(f"{question.name}: {question.size} bytes expected, found {len(answer)}")
        return answer
    room = bytearray(question.size)  # one that ioctl writes into is what makes it release the GIL
    node = os.open(f"/dev/{disk}", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        fcntl.ioctl(node, question.number, room, True)
    finally:
        os.close(node)
    return bytes(room)


def refused(question: Question, error: OSError) -> Absent:
    """Say why a question was not answered, so that a person can act on it."""
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return absent(f"{question.name} needs root or the group that owns the disk's node")
        case errno.ENOENT:
            return absent(f"{question.name} was not captured, or the disk has no node")
        case errno.ENOTTY | errno.EOPNOTSUPP:
            return absent(f"{question.name} is not offered for this kind of disk")
        case errno.ENODEV:
            return absent(f"{question.name} needs the device online and, to be measured, switched on")
    return absent(f"{question.name} failed: {error.strerror}")
