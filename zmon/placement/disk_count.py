"""How many disks a workload needs at a RAID level.

A read is one request of the disks, a write `penalty` requests: one for each copy, or with parity the reads
and writes of data and parity.  Reads that the cache answers reach no disk (S002:176-188, 209-212, 229-233).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from zmon.base.absent import Number

PENALTIES: Final = {"0": 1.0, "1": 2.0, "10": 2.0, "5": 4.0, "6": 6.0, "normal": 2.0, "high": 3.0}
"""Requests of the disks for each write, by RAID level; `normal` and `high` are Oracle ASM's redundancy.

RAID 5 reads and writes data and parity (4), RAID 6 data and two parities (6).
"""
DISK_IO: Final = 180.0
"""Requests a second that a disk does (S002:231-232); one with 15,000 revolutions a minute does as many."""


class Arrays(NamedTuple):
    """What the disks can do, and what a request costs them."""

    penalty: float = PENALTIES["10"]
    """Requests for each write."""
    disk_io: float = DISK_IO
    """Requests a second of a disk."""
    cell: int = 0
    """Disks in a cell (a storage server, a drawer); 0: cells are not counted."""
    hits: float = 0.0
    """Part of the reads that the cache answers, 0 to 1."""


class DiskCount(NamedTuple):
    """What a workload needs; absent where its rates are."""

    name: str
    """Of the LCU; empty for a workload that is given."""
    reads: Number
    """A second."""
    writes: Number
    hardware: Number
    """Requests of the disks a second."""
    disks: Number
    """Disks that do so many, with a fraction."""
    cells: Number
    """Cells of these; absent where cells are not counted."""


def disk_count(name: str, reads: Number, writes: Number, arrays: Arrays, no_cells: Number) -> DiskCount:
    """Compute what a workload needs; `no_cells` is what cells are where they are not counted."""
    hardware = reads * (1.0 - arrays.hits) + writes * arrays.penalty
    disks = hardware / arrays.disk_io
    return DiskCount(name, reads, writes, hardware, disks, disks / arrays.cell if arrays.cell else no_cells)


def whole(disks: float) -> int:
    """Return the disks to buy: the next whole number; rounding errors of the division add none."""
    return math.ceil(disks - 1e-9)
