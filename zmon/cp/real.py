"""Answers about real devices: QUERY DASD, PATHS, CHPID, CACHE, PAV, MDISK LOCATION, SYSTEM, ALLOC, EDEVICE.

A number in these answers is that of a real device; a virtual one stands beside it only where CP tells the
user too, and is that user's.  What was never seen but is remembered by people (PAV, EDEVICE, the devices of
a channel path) is read where it fits and says so in `weak`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.cp.mask import masked
from zmon.cp.virtual import BY_WORDS, LOWER, RDEV

if TYPE_CHECKING:
    from zmon.cp.noise import Line

REMEMBERED: Final = "zmon has never seen this answer; its layout is told from memory"
ALONE: Final = "an entry alone may be the begin of a line that was cut"
LONGEST: Final = 64
"""Lines and numbers that one answer may have; what comes after them is not its."""


# QUERY DASD


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
        volser=_label(parts["volser"] or ""),
        links=int(parts["links"]) if "links" in parts else None,
        user=parts.get("user", "").strip(),
        vdev=parts.get("vdev", ""),
        mode=parts.get("mode", ""),
        line=line.number,
        weak=weak,
    )


def _label(text: str) -> str:
    label = text.strip()
    return label if label.strip("?") else ""


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
    label = "" if known else _label(word)
    state = word if known else "FREE"
    return Volume(entry["rdev"], state, label, None, "", "", "", line.number, "" if known else weak)


# QUERY DASD DETAILS


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
    """The lines that followed the first, as they are."""
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev

    def more(self, line: Line) -> Details | None:
        """Take a line that follows; of four sorts of words it is known what they mean."""
        if len(self.text) >= LONGEST or not (line.indent or _FOLLOWS.match(line.text)):
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


# QUERY PATHS, CHPID, CACHE, PAV


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


class Cache(NamedTuple):
    """The state of a control unit's cache; CP tells no hits."""

    rdev: str
    subsystem: str
    """`available`, `activating`, `unavailable`, and what else is said of it."""
    device: str
    """`activated`, `deactivated`, `deactivation-pending`, and whether data are pinned; empty: not told."""
    configured_k: int | None
    available_k: int | None
    offline_k: int | None
    pinned_k: int | None
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev

    def more(self, line: Line) -> Cache | None:
        """Take a size, or what is said of the device."""
        if found := _BYTES.fullmatch(line.text):
            size: dict[str, Any] = {f"{found[2]}_k": int(found[1])}
            return self._replace(**size)
        if (found := _CACHED.fullmatch(line.text)) and found[1] == self.rdev:
            return self._replace(device=_CACHE_DEVICE[found[2]])
        if (found := _PINNED.fullmatch(line.text)) and found[1] == self.rdev:
            return self._replace(device=f"{self.device} pinned".strip())
        return None


_CACHE: Final = re.compile(
    rf"({RDEV}) CACHE (available|activation|unavailable) for subsystem( in progress)?"
    r"(?: ?- ?(destage is in progress|destage has failed\. Data is pinned\.?|subsystem error))?"
)
_CACHE_SUBSYSTEM: Final = {"available": "available", "activation": "activating", "unavailable": "unavailable"}
_CACHE_END: Final = {"destage is": " destaging", "destage has": " destage-failed", "subsystem error": ""}
_BYTES: Final = re.compile(r"([0-9]+)K Bytes (configured|available|offline|pinned)")
_CACHED: Final = re.compile(
    rf"({RDEV}) CACHE (activated|deactivated|deactivation) for device(?: is pending\..*)?\.?"
)
_CACHE_DEVICE: Final = {
    "activated": "activated", "deactivated": "deactivated", "deactivation": "deactivation-pending",
}  # fmt: skip
_PINNED: Final = re.compile(rf"({RDEV}) has pinned data\.?")


class Pav(NamedTuple):
    """The part of a device in parallel access; a HyperPAV alias belongs to no base."""

    rdev: str
    role: str
    """`base`, `alias`, `hyperpav base`, `hyperpav alias`."""
    base: str
    aliases: tuple[str, ...]
    pool: str
    line: int
    weak: str = REMEMBERED

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev


_BASE: Final = re.compile(
    rf"Device ({RDEV}) is a base Parallel Access Volume with the following aliases:((?:\s+{RDEV})*)"
)
_ALIAS: Final = re.compile(
    rf"Device ({RDEV}) is an alias Parallel Access Volume device whose base device is ({RDEV})"
)
_HYPER: Final = re.compile(
    rf"Device ({RDEV}) is an? (base|alias) HyperPAV volume in Pool ([0-9]+)", re.IGNORECASE
)


# QUERY MDISK LOCATION, SYSTEM


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
        if not found or not all(found) or len(self.users) >= 16 * LONGEST:
            return None
        return self._replace(users=(*self.users, *((user[1], user[2], user[3]) for user in found if user)))


_LINKED: Final = re.compile(rf"DASD +({RDEV}) +ATTACHED +CPVOL +([0-9]{{1,5}})(?: +(\S{{1,6}}))?")
_USER: Final = re.compile(r"(\S{1,8})\s+([0-9A-F]{4})\s+(R/[WO])")


# QUERY ALLOC


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
        if found is None or len(self.kinds) >= LONGEST:
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


# QUERY EDEVICE


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
        if not line.indent or len(self.paths) >= LONGEST:
            return None
        found = _FCP_PATH.search(line.text)
        return self._replace(paths=(*self.paths, (found[1], found[2], found[3]))) if found else self


_EDEVICE: Final = re.compile(rf"EDEV ({RDEV}) TYPE FBA ATTRIBUTES (\S+)")
_FCP_PATH: Final = re.compile(r"FCP_DEV: ([0-9A-F]{4,5}) WWPN: ([0-9A-F]{16}) LUN: ([0-9A-F]{16})\b")


Real = (
    Details | Paths | Path | Virtualization | Cache | Pav | Extent | Linked | Allocation | Nucleus | Edevice
)


def heading(text: str) -> bool:
    """Say whether a line is the heading of a table."""
    return _EXTENT_HEAD.fullmatch(text) is not None


def real(line: Line) -> Real | None:
    """Read the first line of an answer about real devices, but for the rows of QUERY DASD."""
    text = line.text
    if text.startswith("DASD"):
        return _of_cp(line)
    if text.startswith("Device "):
        return _device(line)
    if text.startswith(("Path ", "CHPID ", "One path ")):
        return _path(line)
    return _detailed(line) or _located(line)


def _of_cp(line: Line) -> Linked | Allocation | None:
    if found := _LINKED.fullmatch(line.text):
        return Linked(found[1], found[3] or "", int(found[2]), (), line.number)
    if found := _ALLOCATION.fullmatch(line.text):
        return Allocation(found[1], _label(found[2]), found[3], found[4], (), line.number)
    return None


def _device(line: Line) -> Paths | Pav | None:
    text = line.text
    if found := _STATUS.fullmatch(text):
        return Paths(found[1], found[2], (), None, None, line.number)
    if found := _BASE.fullmatch(text):
        return Pav(found[1], "base", "", tuple(found[2].split()), "", line.number)
    if found := _ALIAS.fullmatch(text):
        return Pav(found[1], "alias", found[2], (), "", line.number)
    if found := _HYPER.fullmatch(text):
        return Pav(found[1], f"hyperpav {found[2].lower()}", "", (), found[3], line.number)
    return None


def _path(line: Line) -> Path | Virtualization | None:
    text = line.text
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


def _detailed(line: Line) -> Details | Cache | Edevice | Nucleus | None:
    text = line.text
    if found := _DETAILS.fullmatch(text):
        size = int(found[6])
        cyls, blks = (size, None) if found[5] == "CYLS" else (None, size)
        label = _label(found[4])
        return Details(found[1], found[2], found[3], label, cyls, blks, "", "", "", "", (), line.number)
    if found := _CACHE.fullmatch(text):
        end = next((word for begin, word in _CACHE_END.items() if (found[4] or "-").startswith(begin)), "")
        state = _CACHE_SUBSYSTEM[found[2]] + end
        return Cache(found[1], state, "", None, None, None, None, line.number)
    if found := _EDEVICE.fullmatch(text):
        return Edevice(found[1], found[2], (), line.number)
    if found := _NUCLEUS.fullmatch(text):
        return Nucleus(found[1], line.number)
    return None


def _located(line: Line) -> Extent | None:
    found, weak = _EXTENT.fullmatch(line.text), ""
    if found is None:
        found, weak = _EXTENT_WORDS.fullmatch(line.text), BY_WORDS
    if found is None:
        return None
    user, vdev, owner, ovdev, kind, label, rdev, start, size = (part.strip() for part in found.groups())
    return Extent(
        user, vdev, owner, ovdev, kind, _label(label), rdev, int(start), int(size), line.number, weak
    )
