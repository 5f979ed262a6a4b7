"""Pieces: what of each file lies on each disk, to be listed, chosen from, and added up."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Number
    from zmon.topology.chain import Answer, Share
    from zmon.topology.file import File
    from zmon.topology.machine import Machine
    from zmon.topology.stack import Stack

NO_SIZE: Final = absent("the size of the disk is not known, so no part of its traffic either")
NO_COUNTERS: Final = absent("the traffic of its disk was not read")
NO_DISK: Final = absent("no disk is known that it lies on")


class Piece(NamedTuple):
    """What of a file lies on one disk; a file of which no disk is known is one piece as well."""

    file: File
    answer: Answer
    share: Share | None
    part: Number
    """What its bytes there are of the disk's, from 0 to 1."""

    @property
    def number(self) -> str:
        """major:minor of the disk; empty when none is known."""
        return "" if self.share is None else self.share.volume.number

    def traffic(self, rates: Mapping[str, Number]) -> Number:
        """Estimate its traffic in bytes a second, from that of each disk by major:minor."""
        return rates.get(self.number, NO_COUNTERS) * self.part if self.share is not None else NO_DISK


@lru_cache(maxsize=2)  # two times may be compared
def pieces(machine: Machine) -> tuple[Piece, ...]:
    """Return all pieces of a machine, in the order of its files."""
    found = []
    for file in machine.files:
        answer = machine.answers[file.path]
        found += [Piece(file, answer, share, part(share, machine.stack)) for share in answer.disks]
        if not answer.disks:
            found.append(Piece(file, answer, None, NO_DISK))
    return tuple(found)


def part(share: Share, stack: Stack) -> Number:
    """Return what the bytes of a file on a disk, copies among them, are of the disk's."""
    node = stack.node(share.volume.number)
    size = NO_SIZE if node is None else node.size
    if isinstance(share.bytes, Absent) or isinstance(size, Absent):
        return share.bytes if isinstance(share.bytes, Absent) else NO_SIZE
    copies = 0 if isinstance(share.copies, Absent) else share.copies
    return min(1.0, (share.bytes + copies) / size) if size else 0.0
