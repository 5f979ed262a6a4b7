"""Answers about virtual devices: QUERY VIRTUAL DASD, ALL, FCP, OSA, CPUS, STORAGE; and QUERY VDISK.

The line of a minidisk always has 72 characters, that of a dedicated volume 52; so labels with blanks, empty
ones, and those that are `CYL` or `R/W`, are read correctly by columns.  A line that lost its columns is read
by words and marked as weak.  Only a complete line maps a virtual device to a real one: the word SUBCHANNEL
must follow, else the number before it may lack a digit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zmon.cp.answer import BY_WORDS, LOWER, RDEV, REMEMBERED, AnswerForm, label
from zmon.cp.console import hide_passwords

if TYPE_CHECKING:
    from zmon.cp.console import ConsoleLine

SUBCHANNEL: Final = "SUBCHANNEL = "
_WORD: Final = SUBCHANNEL.index(" ")
_HEX: Final = re.compile("[0-9A-F]{1,4}")

# disks

_H4: Final = "[0-9A-F]{4}"
_WIDE: Final = rf"(?P<rdev> {_H4}|[1-3]{_H4}|(?P<none> VDSK))"
_TAIL: Final = r"SUBCHANNEL(?: =(?: (?P<sch>[0-9A-F]{0,4}))?)?(?![0-9A-Z])(?P<tail>.*)"
_TAIL_WORDS: Final = r"SUBCHANNEL(?![0-9A-Z])\s*=?\s*(?P<sch>[0-9A-F]{0,4})(?P<tail>.*)"
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
    rf"(?P<gap>\s+)(?P<rdev>{RDEV}|(?P<none>VDSK))\s+{_TAIL_WORDS}"
)
_DEDICATED_WORDS: Final = re.compile(
    rf"DASD\s+(?P<vdev>{_H4})\s+ON\s+DASD(?P<gap>\s+)(?P<rdev>{RDEV})\s+(?P<mode>R/[WO])\s+"
    rf"(?:(?!SUBCHANNEL)(?P<volser>\S{{1,6}})\s+)?{_TAIL_WORDS}"
)


def _disk_kind(values: dict[str, Any]) -> dict[str, Any]:
    volser = values["volser"]
    kind = "minidisk" if values["type"] else "dedicated"
    if values.get("none") or volser == "(VDSK)":
        kind = "vdisk"
    elif volser == "(TEMP)":
        kind = "tdisk"
    fields = {"kind": kind, "volser": "" if volser in {"(VDSK)", "(TEMP)"} else label(volser)}
    return fields | {"rdev": ""} if kind == "vdisk" else fields


def _wrapped_subchannel(row: Any, line: ConsoleLine) -> Any:
    """Add the digits of the subchannel that a wrap left for the next line."""
    digits = line.text if row.sch else line.text.removeprefix("=").lstrip()
    is_rest = 0 < len(digits) == 4 - len(row.sch) and _HEX.fullmatch(digits)
    return row._replace(sch=row.sch + digits) if is_rest else None


DISK: Final = AnswerForm(
    "disk", "vdev kind type volser mode size:int unit rdev sch line node weak", "node vdev",
    adjust=_disk_kind, grow=_wrapped_subchannel,
)  # fmt: skip
"""A virtual disk: a row of QUERY VIRTUAL DASD.

* `vdev`: four hex digits
* `kind`: `minidisk`, `dedicated`, `tdisk` (temporary), `vdisk` (in storage)
* `type`: 3390, 9336 ...; empty for a dedicated volume
* `volser`: label of the volume; empty when CP shows none
* `mode`: `R/W` or `R/O`: of this link, not of the volume
* `size`, `unit`: in `CYL`, or `BLK` of 512 bytes; none for a dedicated volume
* `rdev`: four hex digits, or five; empty for a virtual disk in storage
* `sch`: its subchannel in the guest; empty when the line was cut there
"""


def read_disk(line: ConsoleLine) -> Any:
    """Read the line of a virtual disk; None if it is none, or not all of one."""
    text = line.text
    if match := _MINIDISK.fullmatch(text) or _DEDICATED.fullmatch(text):
        more = hide_passwords(match["tail"].strip())
        return DISK.make(match, line, f"there is more behind it: {more[:40]}" if more else "")
    upper = text.upper()
    if upper != text and (match := _MINIDISK.fullmatch(upper) or _DEDICATED.fullmatch(upper)):
        return DISK.make(match, line, LOWER)
    match = _MINIDISK_WORDS.fullmatch(upper) or _DEDICATED_WORDS.fullmatch(upper)
    return None if match is None or _is_damaged(match) else DISK.make(match, line, BY_WORDS)


def _is_damaged(match: re.Match[str]) -> bool:
    """Return whether a line has columns that a missing or additional character has shifted.

    Before four digits there are two blanks, before five there is one; where blanks were collapsed it is one.
    """
    gap, rdev = match["gap"], match["rdev"]
    if len(rdev) == 5:
        return len(gap) > 1
    return gap != "  " and "  " in match.string[: match.start("gap")]


_WHOLE_NUMBER: Final = re.compile(rf"DASD\s+{_H4}\s.*\bON\s+DASD\s+(?:VDSK|{RDEV})(?:\s.*)?", re.IGNORECASE)
_BEGUN: Final = re.compile(
    rf"DASD(?:\s+[0-9A-F]{{0,4}}|\s+{_H4}\s+(?:O|ON(?:\s.*)?|[0-9][0-9A-Z-]{{0,4}}(?:\s.*)?|CP(?:\s.*)?))?",
    re.IGNORECASE,
)
"""The begin of a minidisk, a dedicated volume, or a volume of the system."""


def read_wrapped(first: ConsoleLine, second: ConsoleLine) -> Any:
    """Read a disk whose line was wrapped; None if the two lines are no disk together.

    The first line must have the whole number of the real device, the second nothing but the rest of the word
    SUBCHANNEL and what follows it: so no number is joined from two halves.
    """
    head, rest = first.text, second.text.upper()
    if not _WHOLE_NUMBER.fullmatch(head):
        return None
    for there in range(_WORD):
        begin, end = SUBCHANNEL[:there], SUBCHANNEL[there:].rstrip()
        if head.upper().endswith(begin) and _HEX.fullmatch(tail := rest.removeprefix(end).strip()):
            stem = head[: len(head) - there].rstrip()
            return read_disk(first._replace(text=f"{stem}{_blanks(stem)}{SUBCHANNEL}{tail}"))
    return None


def _blanks(stem: str) -> str:
    """Return the blanks before SUBCHANNEL, with the padding of a label shorter than six characters."""
    dedicated = re.match(rf"DASD {_H4} ON DASD (?: {_H4}|[1-3]{_H4}) R/[WO]", stem)
    return " " * max(1, 35 - len(stem)) if dedicated else " "


def is_cut(text: str) -> bool:
    """Return whether a line is the truncated line of a disk."""
    return "SUBCHANNEL" not in text.upper() and "," not in text and _BEGUN.fullmatch(text) is not None


# other devices

_BELOW_ADAPTER: Final = {
    "token": re.compile(r"\bTOKEN = ([0-9A-F]{16})\b"),
    "mac": re.compile(r"\bMAC ((?:[0-9A-F]{2}-){5}[0-9A-F]{2})\b"),
    "vchpid": re.compile(r"\bVIRTUAL CHPID ([0-9A-F]{2})\b"),
    "chpid": re.compile(r"\bREAL CHPID ([0-9A-F]{2})\b"),
    "wwpn": re.compile(r"\bWWPN ([0-9A-F]{16})\b"),
}
_OF_PORT: Final = re.compile("WWPN [0-9A-F]{16}")
"""The only line below an adapter that does not begin with its number."""
_STORAGE_PARTS: Final = {
    "configured": re.compile(r"\bCONFIGURED = (\S+)"), "increment": re.compile(r"\bINC = (\S+)"),
    "standby": re.compile(r"\bSTANDBY = (\S+)"), "reserved": re.compile(r"\bRESERVED = (\S+)"),
}  # fmt: skip


def find_fields(patterns: dict[str, re.Pattern[str]], text: str) -> dict[str, Any]:
    """Return the fields whose patterns occur in a text."""
    return {name: match[1] for name, pattern in patterns.items() if (match := pattern.search(text))}


def _below_unit(row: Any, line: ConsoleLine) -> Any:
    """Take a line that begins with the number of the device."""
    return row if line.text.startswith(f"{row.vdev} ") else None


def _below_adapter(row: Any, line: ConsoleLine) -> Any:
    if _below_unit(row, line) is None and not _OF_PORT.fullmatch(line.text):
        return None
    fields = find_fields(_BELOW_ADAPTER, line.text)
    return row._replace(**{name: value for name, value in fields.items() if not getattr(row, name)})


def _no_disk(values: dict[str, Any]) -> dict[str, Any] | None:
    if "DASD" in {values["sort"], values["on"]}:
        return None
    return {"rdev": ""} if values["on"] == "NIC" else {}


def _cpu_state(values: dict[str, Any]) -> dict[str, Any]:
    return {"state": " ".join(values["state"].lower().replace("(base)", "base").split())}


def _storage_parts(values: dict[str, Any]) -> dict[str, Any]:
    parts = find_fields(_STORAGE_PARTS, values["parts"])
    return parts | {"whose": "system" if parts else "guest"}


VIRTUAL: Final = (
    AnswerForm(
        # An FCP device or a network card.  `sort`: `FCP`, `OSA` ...; `on`: what it is on, `NIC` for a card
        # that CP simulates, which has no `rdev`; `mac`: `02-00-00-00-00-1C`; `vchpid`: channel path of a
        # network card as the guest sees it; `chpid`: the real one; `wwpn`: of an FCP device's own port.
        "adapter", "sort vdev on rdev chpid sch token line node weak mac vchpid wwpn", "node vdev",
        re.compile(
            rf"(?P<sort>[A-Z]{{3,4}}) +(?P<vdev>{_H4}) ON (?P<on>[A-Z]{{3,4}}) +(?P<rdev>{RDEV})\b"
            rf"(?: +UNIT [0-9A-F]+)?(?: +CHPID (?P<chpid>[0-9A-F]{{2}}))? +SUBCHANNEL = (?P<sch>{_H4})\b.*"
        ),
        adjust=_no_disk, grow=_below_adapter,
    ),
    AnswerForm(
        "unit", "sort vdev line node weak", "node vdev",  # another device: console, reader, printer ...
        re.compile(
            rf"(?P<sort>CONS|RDR|PUN|PRT|CTCA|TAPE|GRAF|LINE|MSGP|COMM) +(?P<vdev>{_H4})(?: .*)?"
        ),
        grow=_below_unit,
    ),
    AnswerForm(
        "vdisk", "user vdev blocks:int line weak", "user vdev",  # a disk in storage of any user: QUERY VDISK
        re.compile(rf"VDISK +(?P<user>\S{{1,8}}) +(?P<vdev>{_H4}) +(?P<blocks>[0-9]+) BLK"),
    ),
    AnswerForm(
        # A virtual CPU.  `state`: `base`, `stopped`, `base stopped`; empty for another that runs
        # ...
        "cpu", "number id state type line node weak", "node number",
        re.compile(
            r"CPU (?P<number>[0-9A-F]{2,4}) +ID +(?P<id>[0-9A-F]{16}) +"
            r"(?P<state>(?:(?:\(BASE\)|BASE|(?:CHECK-|SOFT-)?STOPPED|STANDBY) +){0,3})"
            r"(?P<type>[A-Z]{2,4})(?: +CPUAFF \w+)?.*"
        ),
        adjust=_cpu_state,
    ),
    AnswerForm(
        # `STORAGE` or `XSTORE` of the guest (QUERY VIRTUAL STORAGE), or of the system (QUERY STORAGE), where
        # CP shows how much of it is configured.
        "storage", "sort size line node weak whose configured increment standby reserved", "node sort whose",
        re.compile(r"(?P<sort>STORAGE|XSTORE) = (?P<size>\S+)(?P<parts>.*)"), adjust=_storage_parts,
    ),
    AnswerForm(
        # A PCI function: a row of QUERY VIRTUAL PCIF.  `vfid`: its number in the guest, `rfid`: the real one;
        # `state`: `ENABLED`, `DISABLED`.
        "function", "vfid rfid state type line node weak", "node vfid",
        re.compile(
            r"PCIF +(?P<vfid>[0-9A-F]{1,8}) +ON +(?:PCIF +)?(?P<rfid>[0-9A-F]{1,8})"
            r"(?: +(?P<state>ENABLED|DISABLED))?(?: +(?P<type>\S.{0,40}))?"
        ),
        weak=REMEMBERED,
    ),
)  # fmt: skip
"""Virtual devices that are no disks."""
