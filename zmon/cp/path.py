"""Answers about channel paths: QUERY PATHS, QUERY CHPID."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.row import RDEV, REMEMBERED

if TYPE_CHECKING:
    from zmon.cp.noise import Line


class Paths(NamedTuple):
    """Channel paths of a device."""

    rdev: str
    status: str
    pim: tuple[str, ...]
    """Installed paths, two hex digits each."""
    pam: tuple[str, ...] | None
    """Those of them that are available; none when it is not told of each."""
    lpm: tuple[str, ...] | None
    """Those that are online."""
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev

    def more(self, line: Line) -> Paths | None:
        """Take the paths, or the signs that stand below them."""
        if found := _PIM.fullmatch(line.text):
            return self._replace(pim=tuple(found[2].split())) if found[1] == self.rdev else None
        if found := _SIGNS.fullmatch(line.text):
            signs = found[2].split()
            if len(signs) != len(self.pim):
                return self._replace(weak="the signs do not fit the paths")
            there = tuple(path for path, sign in zip(self.pim, signs, strict=True) if sign == "+")
            return self._replace(pam=there) if found[1] == "PAM" else self._replace(lpm=there)
        return self if _LEGEND.fullmatch(line.text) else None


_STATUS: Final = re.compile(rf"Device ({RDEV}), Status (\S.*)")
_PIM: Final = re.compile(rf"CHPIDs to Device ({RDEV}) \(PIM\)\s*:((?:\s+[0-9A-F]{{2}}){{1,8}})")
_SIGNS: Final = re.compile(r"(?:Physically Available|Online)\s+\((PAM|LPM)\)\s*:((?:\s+[+-]){1,8})")
_LEGEND: Final = re.compile(r"Legend\s+\+ Yes - No")


class Path(NamedTuple):
    """A channel path: its physical channel, or the devices on it."""

    chpid: str
    pchid: str
    """Four hex digits; empty when it has none, or when it was not asked for."""
    online: tuple[str, ...]
    offline: tuple[str, ...]
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.chpid}{'' if self.online or self.offline else ' pchid'}"

    def more(self, line: Line) -> Path | None:
        """Take another line with devices of the same path."""
        found = _ON_PATH.fullmatch(line.text)
        devices = found[3].split() if found else []
        if (
            not found
            or found[1] != self.chpid
            or not self.weak
            or len(self.online) + len(self.offline) > 4096
        ):
            return None
        if found[2] == "online":
            return self._replace(online=(*self.online, *devices))
        return self._replace(offline=(*self.offline, *devices))


class Virtualization(NamedTuple):
    """Whether the CHPIDs that Linux shows are virtual ones."""

    on: bool
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return ""


_PCHID: Final = re.compile(
    r"Path ([0-9A-F]{2}) is"
    r" (?:associated with physical channel ([0-9A-F]{3,4})|not associated with a physical channel)"
)
_ON_PATH: Final = re.compile(rf"Path ([0-9A-F]{{2}}) (online|offline) to devices?((?:\s+{RDEV}){{1,64}})")
_VIRTUALIZED: Final = re.compile(r"(?:One path )?CHPID Virtualization is (on|off)")


def paths(line: Line) -> Paths | Path | Virtualization | None:
    """Read the first line of an answer about channel paths."""
    text = line.text
    if found := _STATUS.fullmatch(text):
        return Paths(found[1], found[2], (), None, None, line.number)
    if found := _PCHID.fullmatch(text):
        return Path(found[1], found[2] or "", (), (), line.number)
    if found := _ON_PATH.fullmatch(text):
        devices = tuple(found[3].split())
        online = found[2] == "online"
        return Path(
            found[1], "", devices if online else (), () if online else devices, line.number, REMEMBERED
        )
    if found := _VIRTUALIZED.fullmatch(text):
        return Virtualization(found[1] == "on", line.number)
    return None
