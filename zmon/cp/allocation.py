"""What the volumes of the system are used for, and by whom: QUERY SYSTEM, QUERY ALLOC."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.row import BY_WORDS, MOST, RDEV, label

if TYPE_CHECKING:
    from zmon.cp.noise import Line


class Linked(NamedTuple):
    """Who is linked to minidisks of a volume: QUERY SYSTEM."""

    rdev: str
    volser: str
    links: int
    users: tuple[tuple[str, str, str], ...]
    """User, virtual device of that user, mode."""
    line: int
    weak: str = BY_WORDS

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev

    def more(self, line: Line) -> Linked | None:
        """Take a line of users."""
        parts = [part for part in line.text.split(",") if part.strip()]
        found = [_USER.fullmatch(part.strip()) for part in parts[:9]]
        if not found or not all(found) or len(self.users) >= 16 * MOST:
            return None
        return self._replace(users=(*self.users, *((user[1], user[2], user[3]) for user in found if user)))


_LINKED: Final = re.compile(rf"DASD +({RDEV}) +ATTACHED +CPVOL +([0-9]{{1,5}})(?: +(\S{{1,6}}))?")
_USER: Final = re.compile(r"(\S{1,8})\s+([0-9A-F]{4})\s+(R/[WO])")


class Allocation(NamedTuple):
    """What a volume of CP is used for."""

    rdev: str
    volser: str
    type: str
    unit: str
    kinds: tuple[tuple[str, int, int, int, bool], ...]
    """Kind, total, in use, available, active."""
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev

    def more(self, line: Line) -> Allocation | None:
        """Take the line of a kind."""
        found = _KIND.fullmatch(line.text)
        if found is None or len(self.kinds) >= MOST:
            return None
        kind = (found[1], int(found[2]), int(found[3]), int(found[4]), bool(found[5]))
        return self._replace(kinds=(*self.kinds, kind))


class Nucleus(NamedTuple):
    """From which volume CP was loaded."""

    volser: str
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return ""


_ALLOCATION: Final = re.compile(rf"DASD ({RDEV}) (.{{6}}) (\S{{4}}) \S+ +\(UNITS IN ([A-Z]+)\)")
_KIND: Final = re.compile(r"([A-Z]{2,6})\s+TOTAL=([0-9]+)\s+INUSE=([0-9]+)\s+AVAIL=([0-9]+)(,\s*ACTIVE)?")
_NUCLEUS: Final = re.compile(r"IPL NUCLEUS ACTIVE ON VOLUME (\S{1,6})")


def allocation(line: Line) -> Linked | Allocation | Nucleus | None:
    """Read the first line of an answer about a volume of the system."""
    text = line.text
    if found := _LINKED.fullmatch(text):
        return Linked(found[1], found[3] or "", int(found[2]), (), line.number)
    if found := _ALLOCATION.fullmatch(text):
        return Allocation(found[1], label(found[2]), found[3], found[4], (), line.number)
    if found := _NUCLEUS.fullmatch(text):
        return Nucleus(found[1], line.number)
    return None
