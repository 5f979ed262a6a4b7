"""Where minidisks lie: QUERY MDISK LOCATION."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.row import BY_WORDS, RDEV, label

if TYPE_CHECKING:
    from zmon.cp.noise import Line


class Extent(NamedTuple):
    """Where a minidisk lies: a row of QUERY MDISK LOCATION."""

    user: str
    vdev: str
    owner: str
    ovdev: str
    type: str
    volser: str
    rdev: str
    start: int
    size: int
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.user}:{self.vdev}"


_EXTENT_HEAD: Final = re.compile(r"TargetID +Tdev +OwnerID +Odev +Dtype +Vol-ID +Rdev +StartLoc +Size")
_EXTENT: Final = re.compile(
    rf"(?=.{{67}}$)(\S.{{7}}) ([0-9A-F]{{4}}) (\S.{{7}}) ([0-9A-F]{{4}}) (\S.{{4}})"
    rf" (.{{6}}) ({RDEV}) +([0-9]+) +([0-9]+)"
)
_EXTENT_WORDS: Final = re.compile(
    r"(\S{1,8})\s+([0-9A-F]{4})\s+(\S{1,8})\s+([0-9A-F]{4})\s+([A-Z0-9-]{4,6})\s+(\S{1,6})\s+"
    rf"({RDEV})\s+([0-9]{{1,10}})\s+([0-9]{{1,10}})"
)


def heading(text: str) -> bool:
    """Say whether a line is the heading of the table."""
    return _EXTENT_HEAD.fullmatch(text) is not None


def extent(line: Line) -> Extent | None:
    """Read a row of the table."""
    found, weak = _EXTENT.fullmatch(line.text), ""
    if found is None:
        found, weak = _EXTENT_WORDS.fullmatch(line.text), BY_WORDS
    if found is None:
        return None
    user, vdev, owner, ovdev, kind, volser, rdev, start, size = (part.strip() for part in found.groups())
    return Extent(
        user, vdev, owner, ovdev, kind, label(volser), rdev, int(start), int(size), line.number, weak
    )
