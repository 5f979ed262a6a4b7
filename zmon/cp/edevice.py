"""Disks that CP emulates on SCSI disks: QUERY EDEVICE."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.row import MOST, RDEV, REMEMBERED

if TYPE_CHECKING:
    from zmon.cp.noise import Line


class Edevice(NamedTuple):
    """A device that CP emulates on SCSI disks."""

    rdev: str
    attributes: str
    paths: tuple[tuple[str, str, str], ...]
    """FCP device, WWPN, LUN."""
    line: int
    weak: str = REMEMBERED

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev

    def more(self, line: Line) -> Edevice | None:
        """Take a line that follows."""
        if not line.indent or len(self.paths) >= MOST:
            return None
        found = _FCP_PATH.search(line.text)
        return self._replace(paths=(*self.paths, (found[1], found[2], found[3]))) if found else self


_EDEVICE: Final = re.compile(rf"EDEV ({RDEV}) TYPE FBA ATTRIBUTES (\S+)")
_FCP_PATH: Final = re.compile(r"FCP_DEV: ([0-9A-F]{4,5}) WWPN: ([0-9A-F]{16}) LUN: ([0-9A-F]{16})\b")


def edevice(line: Line) -> Edevice | None:
    """Read the first line of the answer."""
    found = _EDEVICE.fullmatch(line.text)
    return Edevice(found[1], found[2], (), line.number) if found else None
