"""What of each file lies on each disk."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from zmon.base.absent import Number
    from zmon.topology.data_files import DataFile
    from zmon.topology.location import DiskShare, FileLocation
    from zmon.topology.machine import Machine

NO_DISK: Final = absent("no disk is known that it lies on")


class FilePiece(NamedTuple):
    """The part of a file on one disk; a file without a known disk is one piece."""

    file: DataFile
    location: FileLocation
    share: DiskShare | None

    @property
    def number(self) -> str:
        """major:minor of the disk; empty when none is known."""
        return "" if self.share is None else self.share.volume.number

    @property
    def held(self) -> Number:
        """Its bytes there with its copies, which are written, too."""
        if self.share is None:
            return NO_DISK
        return self.share.bytes + (0 if isinstance(self.share.copies, Absent) else self.share.copies)


@lru_cache(maxsize=2)  # pieces may be compared between two times
def pieces(machine: Machine) -> tuple[FilePiece, ...]:
    """Return all pieces of a machine, in the order of its files."""
    return tuple(
        FilePiece(file, machine.counted[file.path], share)
        for file in machine.files
        for share in machine.counted[file.path].disks or (None,)
    )


def tablespace_of(file: DataFile) -> str:
    """Return the tablespace of a file; for a file without one, such as a log, its role."""
    return file.tablespace or (f"({file.role})" if file.role not in {"", "unknown"} else "")
