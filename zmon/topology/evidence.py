"""How sure an answer about placement is, and what said so."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Grade(IntEnum):
    """How much an answer is worth; the answer of several steps is worth as much as its worst."""

    UNKNOWN = 0
    """Nothing that zmon may look at says it."""
    ASSUMED = 1
    """A rule of the site says so, or the way such things usually are."""
    SET = 2
    """It is one or more of these, in shares that are not known."""
    SHARES = 3
    """On these in known shares, as the layout of the volume tells; which bytes is not known."""
    EXACT = 4
    """Byte by byte."""

    def __str__(self) -> str:
        return self.name.lower()


class Evidence(NamedTuple):
    """One thing that was read, and where."""

    source: str
    """A file with the line, an ioctl, an option: `/proc/self/mountinfo:12`, `FS_IOC_FIEMAP`, `cp.txt:4`."""
    said: str
    """What it said, in words for people."""
    grade: Grade = Grade.EXACT
    """How much it is worth."""
