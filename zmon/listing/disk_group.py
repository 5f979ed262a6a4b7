"""Disk groups of Oracle's Automatic Storage Management, and the disks in them."""

from __future__ import annotations

from typing import Final, NamedTuple

from zmon.listing.container import Traffic

MB: Final = 1 << 20
COPIES: Final = {"EXTERN": 0, "NORMAL": 1, "HIGH": 2}
"""Copies besides the first, by the redundancy of a group; a FLEX group has its own for every file."""


class Disk(NamedTuple):
    """One disk of ASM; what is not told is empty or None."""

    path: str
    """A device, or the name of a library: `ORCL:DATA01`, `AFD:DATA01`."""
    name: str = ""
    group: str = ""
    """Name of its disk group, without the plus."""
    group_number: int | None = None
    number: int | None = None
    """Its number within the group."""
    failgroup: str = ""
    size: int | None = None
    """Bytes that ASM uses of it."""
    member: bool = True
    """It is in a disk group, as far as is told."""
    line: int = 0
    traffic: Traffic = Traffic()


class Group(NamedTuple):
    """One disk group."""

    name: str
    number: int | None
    unit: int | None
    """Bytes of an allocation unit."""
    redundancy: str
    """`EXTERN`, `NORMAL`, `HIGH`, `FLEX` ..."""


class Placed(NamedTuple):
    """Allocation units of a file on one disk."""

    data: int = 0
    copies: int = 0


Extents = dict[tuple[int, int], dict[int, Placed]]
"""By number of the group and of the file: what lies on which disk of the group."""
