"""Answers about virtual devices: QUERY VIRTUAL DASD, ALL, FCP, OSA, CPUS, STORAGE; and QUERY VDISK.

The line of a minidisk has 72 characters, that of a dedicated volume 52, always; so labels with blanks in
them, or none, or of the words `CYL` or `R/W`, are read right by columns.  A line that lost its columns is
read by words and marked as weak.  A virtual device is mapped to a real one by a complete line alone: the
word SUBCHANNEL must follow, else the number before it may lack a digit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.cp.mask import masked
from zmon.cp.row import BY_WORDS, LOWER, RDEV, REMEMBERED

if TYPE_CHECKING:
    from zmon.cp.noise import Line

SUBCHANNEL: Final = "SUBCHANNEL = "
_WORD: Final = SUBCHANNEL.index(" ")

_H4: Final = "[0-9A-F]{4}"
_WIDE: Final = rf"(?P<rdev> {_H4}|[1-3]{_H4}|(?P<none> VDSK))"
_TAIL: Final = r"SUBCHANNEL(?: =(?: (?P<sch>[0-9A-F]{0,4}))?)?(?![0-9A-Z])(?P<tail>.*)"


class Disk(NamedTuple):
    """A virtual disk: a row of QUERY VIRTUAL DASD."""

    vdev: str
    """Four hex digits."""
    kind: str
    """`minidisk`, `dedicated`, `tdisk` (temporary), `vdisk` (in storage)."""
    type: str
    """3390, 9336 ...; empty for a dedicated volume."""
    volser: str
    """Label of the volume; empty when CP shows none."""
    mode: str
    """`R/W` or `R/O`: of this link, not of the volume."""
    size: int | None
    """In `unit`; none for a dedicated volume."""
    unit: str
    """`CYL`, or `BLK` of 512 bytes."""
    rdev: str
    """Four hex digits, or five; empty for a virtual disk in storage."""
    sch: str
    """Its subchannel in the guest; empty when the line was cut there."""
    line: int
    node: str = ""
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.node}:{self.vdev}" if self.node else self.vdev

    def more(self, line: Line) -> Disk | None:
        """Take the digits of the subchannel that a wrap left for the next line."""
        digits = line.text if self.sch else line.text.removeprefix("=").lstrip()
        if 0 < len(digits) == 4 - len(self.sch) and _HEX.fullmatch(digits):
            return self._replace(sch=self.sch + digits)
        return None


class Adapter(NamedTuple):
    """An FCP device or a network card."""

    sort: str
    """`FCP`, `OSA` ..."""
    vdev: str
    on: str
    """What it is on: `FCP`, `OSA`; `NIC` for a card that CP simulates."""
    rdev: str
    """Empty for a card that CP simulates."""
    chpid: str
    sch: str
    token: str
    line: int
    node: str = ""
    weak: str = ""
    mac: str = ""
    """Address of a network card: `02-00-00-00-00-1C`."""
    vchpid: str = ""
    """Channel path of a network card as the guest sees it; `chpid` is the real one."""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.node}:{self.vdev}"

    def more(self, line: Line) -> Adapter | None:
        """Take a line that begins with the number of the device."""
        if not line.text.startswith(f"{self.vdev} "):
            return None
        told: dict[str, Any] = {
            name: found[1]
            for name, pattern in _TOLD.items()
            if not getattr(self, name) and (found := pattern.search(line.text))
        }
        return self._replace(**told)


class Unit(NamedTuple):
    """Another virtual device: console, reader, printer ..."""

    sort: str
    vdev: str
    line: int
    node: str = ""
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.node}:{self.vdev}"

    def more(self, line: Line) -> Unit | None:
        """Take a line that begins with the number of the device."""
        return self if line.text.startswith(f"{self.vdev} ") else None


class Cpu(NamedTuple):
    """A virtual CPU."""

    number: str
    id: str
    state: str
    """`base`, `stopped`, `base stopped`; empty for another that runs."""
    type: str
    """`CP`, `IFL` ..."""
    line: int
    node: str = ""
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.node}:{self.number}"


class Storage(NamedTuple):
    """Storage of the guest (QUERY VIRTUAL STORAGE), or of the system (QUERY STORAGE)."""

    sort: str
    """`STORAGE` or `XSTORE`."""
    size: str
    line: int
    node: str = ""
    weak: str = ""
    whose: str = "guest"
    """`guest`, or `system` where CP says how much of it is configured."""
    configured: str = ""
    increment: str = ""
    standby: str = ""
    reserved: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.node}:{self.sort}:{self.whose}"


class Function(NamedTuple):
    """A PCI function: a row of QUERY VIRTUAL PCIF."""

    vfid: str
    """Its number in the guest."""
    rfid: str
    """The number of the real one."""
    state: str
    """`ENABLED`, `DISABLED`."""
    type: str
    line: int
    node: str = ""
    weak: str = REMEMBERED

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.node}:{self.vfid}"


class Vdisk(NamedTuple):
    """A virtual disk in storage of any user: a row of QUERY VDISK."""

    user: str
    vdev: str
    blocks: int
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.user}:{self.vdev}"


_HEX: Final = re.compile("[0-9A-F]{1,4}")
_TOLD: Final = {
    "token": re.compile(r"\bTOKEN = ([0-9A-F]{16})\b"),
    "mac": re.compile(r"\bMAC ((?:[0-9A-F]{2}-){5}[0-9A-F]{2})\b"),
    "vchpid": re.compile(r"\bVIRTUAL CHPID ([0-9A-F]{2})\b"),
    "chpid": re.compile(r"\bREAL CHPID ([0-9A-F]{2})\b"),
}
"""What the lines below an adapter tell."""

# the shapes of a disk's line

_MINIDISK: Final = re.compile(
    rf"DASD (?P<vdev>{_H4}) (?P<type>[0-9A-Z-]{{4}}) (?P<volser>.{{6}}) (?P<mode>R/[WO])"
    rf" (?=.{{10}} [CB])(?P<size> *[0-9]+) (?P<unit>CYL|BLK) ON DASD {_WIDE} {_TAIL}"
)
_DEDICATED: Final = re.compile(
    rf"DASD (?P<vdev>{_H4}) ON DASD (?P<rdev> {_H4}|[1-3]{_H4}) (?P<mode>R/[WO]) (?P<volser>.{{6}}) {_TAIL}"
)
_MINIDISK_WORDS: Final = re.compile(
    rf"DASD\s+(?P<vdev>{_H4})\s+(?P<type>[A-Z0-9-]{{4,5}})\s+(?:(?P<volser>\(?[^\s()]{{1,6}}\)?)\s+)?"
    rf"(?P<mode>R/[WO])\s+(?P<size>[0-9]{{1,10}})\s+(?P<unit>CYL|BLK)\s+ON\s+DASD"
    rf"(?P<gap>\s+)(?P<rdev>{RDEV}|(?P<none>VDSK))\s+SUBCHANNEL(?![0-9A-Z])\s*=?\s*(?P<sch>[0-9A-F]{{0,4}})(?P<tail>.*)"
)
_DEDICATED_WORDS: Final = re.compile(
    rf"DASD\s+(?P<vdev>{_H4})\s+ON\s+DASD(?P<gap>\s+)(?P<rdev>{RDEV})\s+(?P<mode>R/[WO])\s+"
    rf"(?:(?!SUBCHANNEL)(?P<volser>\S{{1,6}})\s+)?SUBCHANNEL(?![0-9A-Z])\s*=?\s*(?P<sch>[0-9A-F]{{0,4}})(?P<tail>.*)"
)


def disk(line: Line) -> Disk | None:
    """Read the line of a virtual disk; none if it is none, or not all of one."""
    text = line.text
    found = _MINIDISK.match(text) or _DEDICATED.match(text)
    if found is not None:
        return _disk(found, line, _doubt(found))
    upper = text.upper()
    lower = "" if upper == text else LOWER
    if lower:
        found = _MINIDISK.match(upper) or _DEDICATED.match(upper)
        if found is not None:
            return _disk(found, line, lower)
    found = _MINIDISK_WORDS.match(upper) or _DEDICATED_WORDS.match(upper)
    if found is None or _damaged(found):
        return None
    return _disk(found, line, BY_WORDS)


def _doubt(found: re.Match[str]) -> str:
    more = masked(found["tail"].strip())
    return f"there is more behind it: {more[:40]}" if more else ""


def _damaged(found: re.Match[str]) -> bool:
    """Say whether columns are there and a character too few or too many made them wrong.

    Before four digits there are two blanks, before five there is one; where blanks were collapsed it is one.
    """
    gap, rdev = found["gap"], found["rdev"]
    if len(rdev) == 5:
        return len(gap) > 1
    return gap != "  " and "  " in found.string[: found.start("gap")]


def _disk(found: re.Match[str], line: Line, weak: str) -> Disk:
    parts = found.groupdict()
    label = (parts["volser"] or "").strip()
    kind = "minidisk" if "type" in parts else "dedicated"
    if parts.get("none") or label == "(VDSK)":
        kind = "vdisk"
    elif label == "(TEMP)":
        kind = "tdisk"
    if label in {"(VDSK)", "(TEMP)"} or not label.strip("?"):
        label = ""
    return Disk(
        vdev=parts["vdev"],
        kind=kind,
        type=parts.get("type") or "",
        volser=label,
        mode=parts["mode"],
        size=int(parts["size"]) if "size" in parts else None,
        unit=parts.get("unit") or "",
        rdev="" if kind == "vdisk" else parts["rdev"].strip(),
        sch=parts["sch"] or "",
        line=line.number,
        node=line.node,
        weak=weak,
    )


# lines that were wrapped or cut

_WHOLE_NUMBER: Final = re.compile(rf"DASD\s+{_H4}\s.*\bON\s+DASD\s+(?:VDSK|{RDEV})(?:\s.*)?", re.IGNORECASE)
_BEGUN: Final = re.compile(
    rf"DASD(?:\s+[0-9A-F]{{0,4}}|\s+{_H4}\s+(?:O|ON(?:\s.*)?|[0-9][0-9A-Z-]{{0,4}}(?:\s.*)?|CP(?:\s.*)?))?",
    re.IGNORECASE,
)
"""The begin of a minidisk, a dedicated volume, or a volume of the system."""


def joined(first: Line, second: Line) -> Disk | None:
    """Read a line whose end a wrap left for the next one; none if the two are no disk together.

    The number of the real device must be whole in the first of them, and the rest of the word SUBCHANNEL and
    what follows it, and nothing else, in the second: so nothing is ever put together from two halves of a
    number.
    """
    head, rest = first.text, second.text.upper()
    if not _WHOLE_NUMBER.fullmatch(head):
        return None
    for there in range(_WORD):
        begin, end = SUBCHANNEL[:there], SUBCHANNEL[there:].rstrip()
        if head.upper().endswith(begin) and _HEX.fullmatch(tail := rest.removeprefix(end).strip()):
            stem = head[: len(head) - there].rstrip()
            return disk(first._replace(text=f"{stem}{_blanks(stem)}{SUBCHANNEL}{tail}"))
    return None


def _blanks(stem: str) -> str:
    """Return the blanks that stand before SUBCHANNEL: those of a label shorter than six too."""
    dedicated = re.match(rf"DASD {_H4} ON DASD (?: {_H4}|[1-3]{_H4}) R/[WO]", stem)
    return " " * max(1, 35 - len(stem)) if dedicated else " "


def cut(text: str) -> bool:
    """Say whether a line is the begin of a disk's line, and no more of it."""
    return "SUBCHANNEL" not in text.upper() and "," not in text and _BEGUN.fullmatch(text) is not None


# other devices

_ADAPTER: Final = re.compile(
    rf"(?P<sort>[A-Z]{{3,4}}) +(?P<vdev>{_H4}) ON (?P<on>[A-Z]{{3,4}}) +(?P<rdev>{RDEV})\b"
    rf"(?: +UNIT [0-9A-F]+)?(?: +CHPID (?P<chpid>[0-9A-F]{{2}}))? +SUBCHANNEL = (?P<sch>{_H4})\b.*"
)
_UNIT: Final = re.compile(rf"(CONS|RDR|PUN|PRT|CTCA|TAPE|GRAF|LINE|MSGP|COMM) +({_H4})(?: .*)?")
_CPU: Final = re.compile(
    r"CPU ([0-9A-F]{2,4}) +ID +([0-9A-F]{16}) +"
    r"((?:(?:\(BASE\)|BASE|(?:CHECK-|SOFT-)?STOPPED|STANDBY) +){0,3})"
    r"([A-Z]{2,4})(?: +CPUAFF \w+)?.*"
)
_STORAGE: Final = re.compile(r"(STORAGE|XSTORE) = (\S+)(.*)")
_PART: Final = re.compile(r"\b(CONFIGURED|INC|STANDBY|RESERVED) = (\S+)")
_PARTS: Final = {
    "CONFIGURED": "configured", "INC": "increment", "STANDBY": "standby", "RESERVED": "reserved",
}  # fmt: skip
_FUNCTION: Final = re.compile(
    r"PCIF +([0-9A-F]{1,8}) +ON +PCIF +([0-9A-F]{1,8})(?: +(ENABLED|DISABLED))?(?: +(\S.{0,40}))?"
)
_VDISK: Final = re.compile(rf"VDISK +(\S{{1,8}}) +({_H4}) +([0-9]+) BLK")


def other(line: Line) -> Adapter | Unit | Cpu | Storage | Function | Vdisk | None:
    """Read the first line of a virtual device that is no disk."""
    text = line.text
    if found := _ADAPTER.fullmatch(text):
        return _adapter(found, line)
    if found := _UNIT.fullmatch(text):
        return Unit(found[1], found[2], line.number, line.node)
    if found := _VDISK.fullmatch(text):
        return Vdisk(found[1], found[2], int(found[3]), line.number)
    return _of_machine(line)


def _of_machine(line: Line) -> Cpu | Storage | Function | None:
    """Read the line of a virtual CPU, of storage or of a PCI function."""
    text = line.text
    if found := _CPU.fullmatch(text):
        state = " ".join(found[3].lower().replace("(base)", "base").split())
        return Cpu(found[1], found[2], state, found[4], line.number, line.node)
    if found := _STORAGE.fullmatch(text):
        parts = {_PARTS[part[1]]: part[2] for part in _PART.finditer(found[3])}
        whose = "system" if parts else "guest"
        return Storage(found[1], found[2], line.number, line.node, whose=whose, **parts)
    if found := _FUNCTION.fullmatch(text):
        return Function(found[1], found[2], found[3] or "", found[4] or "", line.number, line.node)
    return None


def _adapter(found: re.Match[str], line: Line) -> Adapter | None:
    if found["sort"] == "DASD" or found["on"] == "DASD":
        return None
    rdev = "" if found["on"] == "NIC" else found["rdev"]
    return Adapter(
        found["sort"], found["vdev"], found["on"], rdev, found["chpid"] or "", found["sch"], "",
        line.number, line.node,
    )  # fmt: skip
