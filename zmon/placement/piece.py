"""Pieces: what of each file lies on each disk, to be listed, chosen from, and added up.

Nobody counts traffic by file.  What a disk did is shared out among the files on it that are known, by their
bytes there; what else may lie on it is taken to be quiet.
"""

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

NO_COUNTERS: Final = absent("the traffic of its disk was not read")
NO_DISK: Final = absent("no disk is known that it lies on")


class Piece(NamedTuple):
    """What of a file lies on one disk; a file of which no disk is known is one piece as well."""

    file: File
    answer: Answer
    share: Share | None
    part: Number
    """What its bytes there are of those of all known files there, from 0 to 1."""

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
        found += [Piece(file, answer, share, part(share, machine)) for share in answer.disks]
        if not answer.disks:
            found.append(Piece(file, answer, None, NO_DISK))
    return tuple(found)


def part(share: Share, machine: Machine) -> Number:
    """Return what the bytes of a file on a disk, copies among them, are of those of all known files there."""
    count = _bytes(share)
    if isinstance(count, Absent):
        return count
    return count / _held(machine)[share.volume.number] if count else 0.0


@lru_cache(maxsize=2)
def _held(machine: Machine) -> Mapping[str, float]:
    """Return how many bytes the known files have on each disk, by major:minor."""
    found: dict[str, float] = {}
    for answer in machine.answers.values():
        for share in answer.disks:
            count = _bytes(share)
            if not isinstance(count, Absent):
                found[share.volume.number] = found.get(share.volume.number, 0.0) + count
    return found


def _bytes(share: Share) -> Number:
    copies = 0 if isinstance(share.copies, Absent) else share.copies
    return share.bytes + copies
