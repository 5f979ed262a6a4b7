"""Answers about who and what: QUERY USERID, CPLEVEL, PRIVCLASS, PROCESSORS, MDCACHE, SHARE."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.row import REMEMBERED

if TYPE_CHECKING:
    from zmon.cp.noise import Line


class Identity(NamedTuple):
    """Whose answers these are."""

    user: str
    system: str
    line: int
    node: str = ""
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.node}:{self.user}"


class Level(NamedTuple):
    """The release of z/VM; dates stand as the installation writes them."""

    version: str
    release: str
    service: str
    generated: str
    ipl: str
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return ""

    def more(self, line: Line) -> Level | None:
        """Take a date."""
        if found := _DATE.fullmatch(line.text):
            return (
                self._replace(generated=found[2]) if found[1] == "Generated" else self._replace(ipl=found[2])
            )
        return None


class Classes(NamedTuple):
    """Privilege classes: which commands a user may give."""

    user: str
    current: str
    directory: str
    line: int
    node: str = ""
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.node}:{self.user}"

    def more(self, line: Line) -> Classes | None:
        """Take the classes."""
        if found := _CLASSES.fullmatch(line.text):
            now = found[1] == "Currently"
            return self._replace(current=found[2]) if now else self._replace(directory=found[2])
        return None


class Processor(NamedTuple):
    """A real processor, as CP sees it."""

    number: str
    state: str
    """`master`, `alternate`, `parked` ..."""
    type: str
    core: str
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.number


class Mdcache(NamedTuple):
    """Minidisk cache."""

    whose: str
    """`system`, or `user` and a name."""
    on: bool
    line: int
    weak: str = REMEMBERED

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.whose

    def more(self, line: Line) -> Mdcache | None:
        """Take a line about its size."""
        return self if _MDC_SIZE.match(line.text) else None


class Share(NamedTuple):
    """The share of a user."""

    user: str
    sort: str
    """`relative` or `absolute`."""
    value: str
    limit: str
    line: int
    weak: str = REMEMBERED

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.user

    def more(self, line: Line) -> Share | None:
        """Take the limit."""
        found = _LIMIT.fullmatch(line.text)
        return self._replace(limit=found[1]) if found else None


_IDENTITY: Final = re.compile(
    r"([A-Z0-9$#@_+:.-]{1,8})\s+AT\s+([A-Z0-9$#@_.-]{1,8})"
    r"(?:\s+VIA\s+\S{1,8}\s+\S{1,10}\s+\S{1,10}\s+\S{1,5}\s+[A-Z]{6,9})?"
)
"""QUERY USERID, and IDENTIFY of CMS, which adds RSCS, date and time."""
_LEVEL: Final = re.compile(r"z/VM\s+Version (\d+) Release ([\d.]+), service level (\d+).*", re.IGNORECASE)
_DATE: Final = re.compile(r"(Generated|IPL) at (\S.*)")
_PRIVILEGES: Final = re.compile(r"Privilege classes for user (\S{1,8})")
_CLASSES: Final = re.compile(r"(Currently|Directory):\s+(\S{1,32})")
_PROCESSOR: Final = re.compile(
    r"PROCESSOR ([0-9A-F]{2,4}) ([A-Z]+) +([A-Z]{2,4})(?: +CORE ([0-9A-F]{4}))?(?: .*)?"
)
_MDC: Final = re.compile(r"Minidisk cache (ON|OFF) for (system|user \S{1,8})")
_MDC_SIZE: Final = re.compile(r"(?:Storage|Xstore|Ideal) MDC ")
_SHARE: Final = re.compile(r"USER (\S{1,8})\s*: (RELATIVE|ABSOLUTE) SHARE =\s*([0-9.]+%?)")
_LIMIT: Final = re.compile(r"MAXIMUM SHARE =\s*(\S.*)")


def identity(line: Line) -> Identity | Level | Classes | Processor | Mdcache | Share | None:
    """Read the first line of an answer about who and what."""
    text = line.text
    if found := _IDENTITY.fullmatch(text):
        return Identity(found[1], found[2], line.number, line.node)
    if found := _PROCESSOR.fullmatch(text):
        return Processor(found[1], found[2].lower(), found[3], found[4] or "", line.number)
    if found := _LEVEL.fullmatch(text):
        return Level(found[1], found[2], found[3], "", "", line.number)
    if found := _PRIVILEGES.fullmatch(text):
        return Classes(found[1], "", "", line.number, line.node)
    return _of_users(line)


def _of_users(line: Line) -> Mdcache | Share | None:
    if found := _MDC.fullmatch(line.text):
        return Mdcache(found[2], found[1] == "ON", line.number)
    if found := _SHARE.fullmatch(line.text):
        return Share(found[1], found[2].lower(), found[3], "", line.number)
    return None
