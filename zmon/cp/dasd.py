"""Answers about real disks: QUERY DASD, and its DETAILS.

The number is that of a real device; a virtual one stands beside it only where CP tells the user too, and is
that user's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.cp.mask import masked
from zmon.cp.row import BY_WORDS, LOWER, MOST, RDEV, label

if TYPE_CHECKING:
    from zmon.cp.noise import Line

ALONE: Final = "an entry alone may be the begin of a line that was cut"


class Volume(NamedTuple):
    """A real device: a row of QUERY DASD."""

    rdev: str
    """Four or five hex digits."""
    state: str
    """`CP-OWNED`, `CP-SYSTEM`, `ATTACHED`, `FREE`, `OFFLINE`, `BOXED`."""
    volser: str
    """Label; empty when CP shows none."""
    links: int | None
    """Links to its minidisks, of a volume of the system."""
    user: str
    """To whom it is attached."""
    vdev: str
    """Its number in that user's guest, which is another guest than the own one unless the user is the own."""
    mode: str
    """`R/W` or `R/O`, of an attached one."""
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev


class Device(NamedTuple):
    """A real device that is no disk, from a list."""

    sort: str
    rdev: str
    state: str
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev


_SYSTEM: Final = re.compile(
    rf"DASD (?P<rdev>{RDEV}) CP (?P<state>OWNED |SYSTEM) (?P<volser>.{{6}})   (?P<links>[0-9]+)"
)
_SYSTEM_WORDS: Final = re.compile(
    rf"DASD\s+(?P<rdev>{RDEV})\s+CP\s+(?P<state>OWNED|SYSTEM)(?:\s+(?P<volser>\S{{1,6}}))?\s+(?P<links>[0-9]+)"
)
_ATTACHED: Final = re.compile(
    rf"DASD (?P<rdev>{RDEV}) ATTACHED TO (?P<user>\S.{{7}}) (?P<vdev>[0-9A-F]{{4}}) (?P<mode>R/[WO])"
    r"(?: (?P<volser>.{0,6}))?(?P<tail> .*)?"
)
_ATTACHED_WORDS: Final = re.compile(
    rf"DASD\s+(?P<rdev>{RDEV})\s+ATTACHED\s+TO\s+(?P<user>\S{{1,8}})\s+(?P<vdev>[0-9A-F]{{4}})\s+(?P<mode>R/[WO])"
    r"(?:\s+(?P<volser>\S{1,6}))?(?P<tail>\s.*)?"
)
_PARTED: Final = re.compile(r", ?(?=[A-Z]{3,4}\b)|,\s*$")
_ENTRY: Final = re.compile(rf"(?P<sort>[A-Z]{{3,4}}) +(?P<rdev>{RDEV})(?: +(?P<word>\S{{1,7}}))?\s*")
_STATES: Final = ("FREE", "OFFLINE", "BOXED")
_HAPPENED: Final = (
    "ATTACHED",
    "DEFINED",
    "DETACHED",
    "LINKED",
    "VARIED",
    "CREATED",
    "CP",
    "ON",
    "UNIT",
    "DUMP",
)
"""Words that begin what happened, or an answer that was cut: no labels of entries."""


def volume(line: Line) -> Volume | None:
    """Read a row of QUERY DASD about a volume of the system or of a user."""
    upper = line.text.upper()
    weak = "" if upper == line.text else LOWER
    if found := _SYSTEM.fullmatch(upper) or _ATTACHED.fullmatch(upper):
        return _volume(found, line, weak)
    if found := _SYSTEM_WORDS.fullmatch(upper) or _ATTACHED_WORDS.fullmatch(upper):
        return _volume(found, line, BY_WORDS)
    return None


def _volume(found: re.Match[str], line: Line, weak: str) -> Volume:
    parts = found.groupdict()
    if (parts.get("tail") or "").strip():
        weak = weak or "there is more behind the label"
    return Volume(
        rdev=parts["rdev"],
        state=f"CP-{parts['state'].strip()}" if "state" in parts else "ATTACHED",
        volser=label(parts["volser"] or ""),
        links=int(parts["links"]) if "links" in parts else None,
        user=parts.get("user", "").strip(),
        vdev=parts.get("vdev", ""),
        mode=parts.get("mode", ""),
        line=line.number,
        weak=weak,
    )


def listed(line: Line, *, after_another: bool) -> list[Volume | Device]:
    """Read a line of a list, up to four devices with a word each; empty if not all of it is of that shape.

    A list of five devices has its last one alone in a line; without a line of more before it, such a one may
    as well be the begin of something else.
    """
    parts = [part for part in _PARTED.split(line.text) if part]
    found = [_ENTRY.fullmatch(part) for part in parts[:5]]
    if not 0 < len(parts) <= 4:
        return []
    weak = "" if len(parts) > 1 or "," in line.text or after_another else ALONE
    rows: list[Volume | Device] = []
    for entry in found:
        row = entry and _entry(entry, line, weak)
        if not row:
            return []
        rows.append(row)
    return rows


def _entry(entry: re.Match[str], line: Line, weak: str) -> Volume | Device | None:
    word = entry["word"] or ""
    known = word in _STATES
    if not known and (len(word) > 6 or (len(word) > 1 and any(sort.startswith(word) for sort in _HAPPENED))):
        return None
    if entry["sort"] != "DASD":
        return Device(entry["sort"], entry["rdev"], word, line.number) if known else None
    volser = "" if known else label(word)
    state = word if known else "FREE"
    return Volume(entry["rdev"], state, volser, None, "", "", "", line.number, "" if known else weak)


# DETAILS


class Details(NamedTuple):
    """A device in detail; the one query that tells the SSID."""

    rdev: str
    cutype: str
    devtype: str
    volser: str
    cyls: int | None
    blks: int | None
    ssid: str
    """Four hex digits: with the machine's serial it is the LCU."""
    cunum: str
    cca: str
    pool: str
    """Number of the HyperPAV pool."""
    text: tuple[str, ...]
    """The lines that followed the first, without what may be a password."""
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev

    def more(self, line: Line) -> Details | None:
        """Take a line that follows; of four sorts of words it is known what they mean."""
        if len(self.text) >= MOST or not (line.indent or _FOLLOWS.match(line.text)):
            return None
        told: dict[str, Any] = {
            name: found[1]
            for name, pattern in _TOLD.items()
            if not getattr(self, name) and (found := pattern.search(line.text))
        }
        return self._replace(text=(*self.text, masked(line.text)), **told)


_DETAILS: Final = re.compile(
    rf"({RDEV})\s+CUTYPE = (\S+), DEVTYPE = (\S+), VOLSER = ?(.{{0,6}}), (CYLS|BLKS) = ([0-9]+)"
)
_TOLD: Final = {
    "ssid": re.compile(r"\bSSID *= *([0-9A-F]{4})\b"),
    "cunum": re.compile(r"\bCUNUM *= *([0-9A-F]{4})\b"),
    "cca": re.compile(r"\bCCA *= *([0-9A-F]{2})\b"),
    "pool": re.compile(r"\bPOOL +([0-9]+)\b"),
}
_FOLLOWS: Final = re.compile(r"[A-Z ]+ DETAILS:|-[A-Z]+ ")


def details(line: Line) -> Details | None:
    """Read the first line of QUERY DASD DETAILS."""
    found = _DETAILS.fullmatch(line.text)
    if found is None:
        return None
    size = int(found[6])
    cyls, blks = (size, None) if found[5] == "CYLS" else (None, size)
    volser = label(found[4])
    return Details(found[1], found[2], found[3], volser, cyls, blks, "", "", "", "", (), line.number)
