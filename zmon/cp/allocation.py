"""What the volumes of the system are used for, and by whom: QUERY SYSTEM, QUERY ALLOC."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.row import BY_WORDS, MOST, RDEV, REMEMBERED, label

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


class Space(NamedTuple):
    """An extent of a volume that CP uses: a row of QUERY ALLOC PAGE, SPOOL, DRCT, TDISK or MAP."""

    volser: str
    rdev: str
    start: int
    """First cylinder or page."""
    end: int
    total: str
    """Pages or cylinders; thousands may be written with a letter: `586.8K`."""
    used: str
    high: str
    """The highest that was in use; empty where CP tells none."""
    percent: int
    line: int
    weak: str = REMEMBERED
    rest: str = ""
    """What stands behind: the kind in a MAP, `ACTIVE`, `DRAINING`."""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.rdev}:{self.start}"

    def more(self, line: Line) -> Space | None:
        """Take the sums below the table."""
        return self if _SUM.match(line.text) else None


class Owned(NamedTuple):
    """A volume in the list of those that CP owns: a row of QUERY CPOWNED."""

    slot: str
    volser: str
    """Empty for a slot without a volume."""
    rdev: str
    type: str
    """`OWN`, `SHARED`."""
    status: str
    line: int
    weak: str = REMEMBERED

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.slot


_COUNT: Final = r"[0-9]+(?:\.[0-9]+)?[KMGT]?"
_SPACE: Final = re.compile(
    rf"(\S{{1,6}}) +({RDEV}) +([0-9]{{1,10}}) +([0-9]{{1,10}}) +({_COUNT}) +({_COUNT})(?: +({_COUNT}))?"
    r" +([0-9]{1,3})%(?: +(\S.{0,30}))?"
)
_SUM: Final = re.compile(r"(?:SUMMARY|USABLE)\s")
_OWNED: Final = re.compile(
    rf"([0-9]{{1,3}}) +(\S{{1,6}}) +({RDEV}|-{{4,5}}) +(OWN|SHARED|-{{3,6}}) +([A-Z][A-Z ]{{3,40}})",
    re.IGNORECASE,
)
_HEADINGS: Final = re.compile(
    r"(?:EXTENT +EXTENT|VOLID +RDEV +START +END|SLOT +VOL-ID +RDEV +TYPE)\b.*|-[- ]{6,}-", re.IGNORECASE
)


def heading(text: str) -> bool:
    """Say whether a line is a heading of one of the tables."""
    return _HEADINGS.fullmatch(text) is not None


_ALLOCATION: Final = re.compile(rf"DASD ({RDEV}) (.{{6}}) (\S{{4}}) \S+ +\(UNITS IN ([A-Z]+)\)")
_KIND: Final = re.compile(r"([A-Z]{2,6})\s+TOTAL=([0-9]+)\s+INUSE=([0-9]+)\s+AVAIL=([0-9]+)(,\s*ACTIVE)?")
_NUCLEUS: Final = re.compile(r"IPL NUCLEUS ACTIVE ON VOLUME (\S{1,6})")


def allocation(line: Line) -> Linked | Allocation | Nucleus | Space | Owned | None:
    """Read the first line of an answer about a volume of the system."""
    text = line.text
    if found := _LINKED.fullmatch(text):
        return Linked(found[1], found[3] or "", int(found[2]), (), line.number)
    if found := _ALLOCATION.fullmatch(text):
        return Allocation(found[1], label(found[2]), found[3], found[4], (), line.number)
    if found := _NUCLEUS.fullmatch(text):
        return Nucleus(found[1], line.number)
    if found := _SPACE.fullmatch(text):
        volser, rdev, start, end, total, used, high, percent, rest = found.groups(default="")
        numbers = int(start), int(end)
        return Space(volser, rdev, *numbers, total, used, high, int(percent), line.number, rest=rest.strip())
    if found := _OWNED.fullmatch(text):
        return Owned(
            found[1], found[2].strip("-"), found[3].strip("-"), found[4].upper().strip("-"),
            found[5].strip().upper(), line.number,
        )  # fmt: skip
    return None
