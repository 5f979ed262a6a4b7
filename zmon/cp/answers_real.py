"""Answers about real devices: disks, minidisks' places, channel paths, caches, volumes of the system.

QUERY DASD and its DETAILS, MDISK LOCATION, PATHS, CHPID, CACHE, PAV, EDEVICE, SYSTEM, ALLOC, CPOWNED.  Device
numbers in these answers are real ones; a virtual one occurs only together with the user that it belongs to.
Forms of which no sample was at hand, only people's memory (PAV, EDEVICE, the devices of a channel path), are
read where they fit and marked in `weak`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zmon.cp.answer import BY_WORDS, LOWER, MAX_PARTS, RDEV, REMEMBERED, AnswerForm, label
from zmon.cp.answers_virtual import find_fields
from zmon.cp.console import hide_passwords

if TYPE_CHECKING:
    from zmon.cp.console import ConsoleLine

# disks

ALONE: Final = "an entry alone may be the begin of a line that was cut"
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


def _volume_state(values: dict[str, Any]) -> dict[str, Any]:
    fields = {"state": f"CP-{values['state']}" if values["state"] else "ATTACHED"}
    is_longer = bool(values.get("tail", "").strip())
    return fields | {"weak": values["weak"] or "there is more behind the label"} if is_longer else fields


VOLUME: Final = AnswerForm(
    "volume", "rdev state volser:label links:int user vdev mode line weak", "rdev", adjust=_volume_state
)
"""A real device: a row of QUERY DASD.

* `rdev`: four or five hex digits
* `state`: `CP-OWNED`, `CP-SYSTEM`, `ATTACHED`, `FREE`, `OFFLINE`, `BOXED`
* `volser`: label; empty when CP shows none
* `links`: to its minidisks, of a volume of the system
* `user`, `mode`: to whom it is attached, `R/W` or `R/O`
* `vdev`: its number in that user's guest, which is another guest than the own one unless the user is the own
"""
DEVICE: Final = AnswerForm("device", "sort rdev state line weak", "rdev")
"""A real device that is no disk, from a list."""


def read_volume(line: ConsoleLine) -> Any:
    """Read a row of QUERY DASD about a volume of the system or of a user."""
    upper = line.text.upper()
    if match := _SYSTEM.fullmatch(upper) or _ATTACHED.fullmatch(upper):
        return VOLUME.make(match, line, "" if upper == line.text else LOWER)
    match = _SYSTEM_WORDS.fullmatch(upper) or _ATTACHED_WORDS.fullmatch(upper)
    return match and VOLUME.make(match, line, BY_WORDS)


_SEPARATOR: Final = re.compile(r", ?(?=[A-Z]{3,4}\b)|,\s*$")
_ENTRY: Final = re.compile(rf"(?P<sort>[A-Z]{{3,4}}) +(?P<rdev>{RDEV})(?: +(?P<word>\S{{1,7}}))?\s*")
_STATES: Final = ("FREE", "OFFLINE", "BOXED")
_HAPPENED: Final = (
    "ATTACHED", "DEFINED", "DETACHED", "LINKED", "VARIED", "CREATED", "CP", "ON", "UNIT", "DUMP",
)  # fmt: skip
"""First words of an event or of a truncated answer: no labels of entries."""


def read_device_list(line: ConsoleLine, *, after_another: bool) -> list[Any]:
    """Read a line of a list, up to four devices with a word each; empty if not all of it is of that shape.

    A list of five devices has the last one alone on a line; without a longer line before it, such a line may
    also begin something else.
    """
    parts = [part for part in _SEPARATOR.split(line.text) if part]
    if not 0 < len(parts) <= 4:
        return []
    weak = "" if len(parts) > 1 or "," in line.text or after_another else ALONE
    rows = [_list_entry(part, line, weak) for part in parts]
    return rows if all(rows) else []


def _list_entry(part: str, line: ConsoleLine, weak: str) -> Any:
    entry = _ENTRY.fullmatch(part)
    if entry is None:
        return None
    word = entry["word"] or ""
    valid = word in _STATES
    if not valid and (len(word) > 6 or (len(word) > 1 and any(sort.startswith(word) for sort in _HAPPENED))):
        return None
    if entry["sort"] != "DASD":
        return DEVICE.row(entry["sort"], entry["rdev"], word, line.number) if valid else None
    state, volser = (word, "") if valid else ("FREE", label(word))
    return VOLUME.row(entry["rdev"], state, volser, line=line.number, weak="" if valid else weak)


_BELOW_DETAILS: Final = {
    "ssid": re.compile(r"\bSSID *= *([0-9A-F]{4})\b"),
    "cunum": re.compile(r"\bCUNUM *= *([0-9A-F]{4})\b"),
    "cca": re.compile(r"\bCCA *= *([0-9A-F]{2})\b"),
    "pool": re.compile(r"\bPOOL +([0-9]+)\b"),
}
"""The words in the following lines whose meaning is known."""
_OF_DETAILS: Final = re.compile(r"[A-Z ]+ DETAILS:|-[A-Z]+ ")


def _below_details(row: Any, line: ConsoleLine) -> Any:
    if len(row.text) >= MAX_PARTS or not (line.indent or _OF_DETAILS.match(line.text)):
        return None
    fields = find_fields(_BELOW_DETAILS, line.text)
    fields = {name: value for name, value in fields.items() if not getattr(row, name)}
    return row._replace(text=(*row.text, hide_passwords(line.text)), **fields)


DETAILS: Final = AnswerForm(
    "details",
    "rdev cutype devtype volser:label cyls:int blks:int ssid cunum cca pool text:list line weak", "rdev",
    re.compile(
        rf"(?P<rdev>{RDEV})\s+CUTYPE = (?P<cutype>\S+), DEVTYPE = (?P<devtype>\S+),"
        r" VOLSER = ?(?P<volser>.{0,6}), (?:CYLS = (?P<cyls>[0-9]+)|BLKS = (?P<blks>[0-9]+))"
    ),
    grow=_below_details,
)  # fmt: skip
"""A device in detail; the only query that reports the SSID.

* `ssid`: four hex digits: with the machine's serial it is the LCU
* `cca`: two hex digits: the unit address in it
* `pool`: number of the HyperPAV pool
* `text`: the lines that followed the first, without what may be a password
"""

# volumes of the system

_USER: Final = re.compile(r"(\S{1,8})\s+([0-9A-F]{4}(?:/[0-9A-F]{4}){0,63})(?:\s+(R/[WO]))?")
"""A user with its virtual devices; the mode of a list over several lines stands behind the last."""
_KIND: Final = re.compile(r"([A-Z]{2,6})\s+TOTAL=([0-9]+)\s+INUSE=([0-9]+)\s+AVAIL=([0-9]+)(,\s*ACTIVE)?")
_COUNT: Final = r"[0-9]+(?:\.[0-9]+)?[KMGT]?"
_HEADINGS: Final = re.compile(
    r"TargetID +Tdev +OwnerID +Odev +Dtype +Vol-ID +Rdev +StartLoc +Size"
    r"|(?i:(?:EXTENT +EXTENT|VOLID +RDEV +START +END|SLOT +VOL-ID +RDEV +TYPE)\b.*|-[- ]{6,}-)"
)


def is_heading(text: str) -> bool:
    """Return whether a line is a heading of a table of extents or volumes."""
    return _HEADINGS.fullmatch(text) is not None


def _below_linked(row: Any, line: ConsoleLine) -> Any:
    """Take a line of users."""
    parts = [part for part in line.text.split(",") if part.strip()]
    matches = [_USER.fullmatch(part.strip()) for part in parts[:9]]
    is_list = matches and all(match and (match[3] or "/" in match[2]) for match in matches)
    if not is_list or len(row.users) >= 16 * MAX_PARTS:
        return None
    users = [*row.users]
    for user, vdevs, mode in (match.groups("") for match in matches if match):
        users += [(user, vdev, mode) for vdev in vdevs.split("/")]
        if mode:
            users = [(name, vdev, own or (mode if name == user else "")) for name, vdev, own in users]
    return row._replace(users=tuple(users))


def _below_allocation(row: Any, line: ConsoleLine) -> Any:
    """Take the line of a kind."""
    match = _KIND.fullmatch(line.text)
    if match is None or len(row.kinds) >= MAX_PARTS:
        return None
    kind = (match[1], int(match[2]), int(match[3]), int(match[4]), bool(match[5]))
    return row._replace(kinds=(*row.kinds, kind))


_SLOT: Final = (
    rf"(?P<slot>[0-9]{{1,3}}) +(?P<volser>\S{{1,6}}) +(?P<rdev>{RDEV}|-{{4,5}}) +"
    r"(?P<type>OWN|SHARED|-{3,6})"
)
_STATUS: Final = "ONLINE (?:AND|BUT NOT) ATTACHED|OFFLINE|RESERVED|AVAILABLE"
_OWNERS: Final = r"(?P<cluster>[A-Z0-9$#@_]{1,8}|-{8}) +(?P<member>[A-Z0-9$#@_]{1,8}|-{8})"


def _slot(values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name].strip("-") for name in ("volser", "rdev", "cluster", "member")} | {
        "type": values["type"].upper().strip("-"), "status": values["status"].upper()
    }  # fmt: skip


OF_DASD: Final = (
    AnswerForm(
        # The users that are linked to minidisks of a volume: QUERY SYSTEM.  `users`: user, virtual device of
        # that user, mode.
        "linked", "rdev volser links:int users:list line weak", "rdev",
        re.compile(
            rf"DASD +(?P<rdev>{RDEV}) +ATTACHED +CPVOL +(?P<links>[0-9]{{1,5}})(?: +(?P<volser>\S{{1,6}}))?"
        ),
        weak=BY_WORDS, grow=_below_linked,
    ),
    AnswerForm(
        # The use of a volume of CP.  `kinds`: kind, total, in use, available, active.
        "allocation", "rdev volser:label type unit kinds:list line weak", "rdev",
        re.compile(
            rf"DASD (?P<rdev>{RDEV}) (?P<volser>.{{6}}) (?P<type>\S{{4}}) \S+ +\(UNITS IN (?P<unit>[A-Z]+)\)"
        ),
        grow=_below_allocation,
    ),
)  # fmt: skip
"""Answers that begin with DASD, beside the rows of disks."""

# channel paths, caches, aliases

_SIGNS: Final = re.compile(r"(?:Physically Available|Online)\s+\((PAM|LPM)\)\s*:((?:\s+[+-]){1,8})")
_PIM: Final = re.compile(rf"CHPIDs to Device ({RDEV}) \(PIM\)\s*:((?:\s+[0-9A-F]{{2}}){{1,8}})")
_ON_PATH: Final = re.compile(rf"Path ([0-9A-F]{{2}}) (online|offline) to devices?((?:\s+{RDEV}){{1,64}})")
_CACHED: Final = re.compile(
    rf"({RDEV}) CACHE (activated|deactivated|deactivation) for device(?: is pending\..*)?\.?"
)
_PINNED: Final = re.compile(rf"({RDEV}) has pinned data\.?")
_FCP_PATH: Final = re.compile(
    r"FCP_DEV:\s+([0-9A-F]{4,5})\s+WWPN:\s+([0-9A-F]{16})\s+LUN:\s+([0-9A-F]{16})\b"
)


_OF_EDEVICE: Final = re.compile(r"EQID: +([0-9A-Za-z-]{1,51})|SERIAL NUMBER: +(\S{1,32})")
_NOT_ONLINE: Final = re.compile(r"(?<!\S)STATUS: +(?!ONLINE\b)([A-Z]{1,16})(?!\S)")


def _below_paths(row: Any, line: ConsoleLine) -> Any:
    """Take the paths, or the signs below them."""
    if match := _PIM.fullmatch(line.text):
        return row._replace(pim=tuple(match[2].split())) if match[1] == row.rdev else None
    match = _SIGNS.fullmatch(line.text)
    if match is None:
        return None
    signs = match[2].split()
    if len(signs) != len(row.pim):
        return row._replace(weak="the signs do not fit the paths")
    there = tuple(path for path, sign in zip(row.pim, signs, strict=True) if sign == "+")
    return row._replace(**{match[1].lower(): there})


def _on_path(values: dict[str, Any]) -> dict[str, Any]:
    return {values["way"]: tuple(values["devices"].split()), "weak": REMEMBERED} if "way" in values else {}


def _below_path(row: Any, line: ConsoleLine) -> Any:
    """Take another line with devices of the same path."""
    match = _ON_PATH.fullmatch(line.text)
    if not match or match[1] != row.chpid or not row.weak or len(row.online) + len(row.offline) > 4096:
        return None
    return row._replace(**{match[2]: (*getattr(row, match[2]), *match[3].split())})


_SUBSYSTEM: Final = {"available": "available", "activation": "activating", "unavailable": "unavailable"}
_SUBSYSTEM_END: Final = {"destage is": " destaging", "destage has": " destage-failed"}


def _cache_state(values: dict[str, Any]) -> dict[str, Any]:
    end = values.get("end", "")
    more = next((word for begin, word in _SUBSYSTEM_END.items() if end.startswith(begin)), "")
    return {"subsystem": _SUBSYSTEM[values["subsystem"]] + more}


def _below_cache(row: Any, line: ConsoleLine) -> Any:
    """Take the state of the device."""
    if (match := _CACHED.fullmatch(line.text)) and match[1] == row.rdev:
        return row._replace(device=match[2].replace("deactivation", "deactivation-pending"))
    if (match := _PINNED.fullmatch(line.text)) and match[1] == row.rdev:
        return row._replace(device=f"{row.device} pinned".strip())
    return None


def _alias_role(values: dict[str, Any]) -> dict[str, Any]:
    hyper = values.get("hyper", "").lower()
    return {"role": f"hyperpav {hyper}" if hyper else "alias" if values["base"] else "base"}


def _below_edevice(row: Any, line: ConsoleLine) -> Any:
    if not line.indent or len(row.paths) >= MAX_PARTS:
        return None
    if match := _OF_EDEVICE.fullmatch(line.text):
        name = "eqid" if match[1] else "serial"
        return row._replace(**{name: match[1] or match[2]})
    if match := _FCP_PATH.search(line.text):
        return row._replace(paths=(*row.paths, match.groups()))
    status = _NOT_ONLINE.search(line.text) if row.paths else None
    return row._replace(paths=(*row.paths[:-1], (*row.paths[-1][:3], status[1]))) if status else row


def _extent_columns(values: dict[str, Any]) -> dict[str, Any]:
    return {} if "columns" in values else {"weak": BY_WORDS}


REAL: Final = (
    AnswerForm(
        # Channel paths of a device.  `pim`: installed paths, two hex digits each; `pam`: those of them that
        # are available, None when CP does not show it for each; `lpm`: those that are online.
        "paths", "rdev status pim:list pam:list? lpm:list? line weak", "rdev",
        re.compile(rf"Device (?P<rdev>{RDEV}), Status (?P<status>\S.*)"),
        grow=_below_paths, below=(re.compile(r"Legend\s+\+ Yes - No"),),
    ),
    AnswerForm(
        # A channel path: its physical channel, or the devices on it.  `pchid`: four hex digits; empty when it
        # has none, or when it was not asked for.
        "path", "chpid pchid online:list offline:list line weak", "chpid weak",
        re.compile(
            r"Path (?P<chpid>[0-9A-F]{2}) is (?:associated with physical channel (?P<pchid>[0-9A-F]{3,4})"
            r"|not associated with a physical channel)"
        ),
        re.compile(
            r"Path (?P<chpid>[0-9A-F]{2}) (?P<way>online|offline) to devices?"
            rf"(?P<devices>(?:\s+{RDEV}){{1,64}})"
        ),
        adjust=_on_path, grow=_below_path,
    ),
    AnswerForm(
        "virtualization", "on:switch line weak", "",  # whether the CHPIDs that Linux shows are virtual ones
        re.compile(r"(?:One path )?CHPID Virtualization is (?P<on>on|off)"),
    ),
    AnswerForm(
        # The part of a device in parallel access; a HyperPAV alias belongs to no base.  `role`: `base`,
        # `alias`, `hyperpav base`, `hyperpav alias`.
        "pav", "rdev role base aliases:list pool line weak", "rdev",
        re.compile(
            rf"Device (?P<rdev>{RDEV}) is a base Parallel Access Volume with the following aliases:"
            rf"(?P<aliases>(?:\s+{RDEV})*)"
        ),
        re.compile(
            rf"Device (?P<rdev>{RDEV}) is an alias Parallel Access Volume device whose base device is"
            rf" (?P<base>{RDEV})"
        ),
        re.compile(
            rf"Device (?P<rdev>{RDEV}) is an? (?P<hyper>base|alias) HyperPAV volume in Pool (?P<pool>[0-9]+)",
            re.IGNORECASE,
        ),
        weak=REMEMBERED, adjust=_alias_role,
    ),
    DETAILS,
    AnswerForm(
        # The state of a control unit's cache; CP reports no hits.  `subsystem`: `available`, `activating`,
        # `unavailable`, and further states; `device`: `activated`, `deactivated`,
        # `deactivation-pending`, and whether data are pinned; empty: unknown.
        "cache",
        "rdev subsystem device configured_k:int available_k:int offline_k:int pinned_k:int line weak", "rdev",
        re.compile(
            rf"(?P<rdev>{RDEV}) CACHE (?P<subsystem>available|activation|unavailable) for subsystem"
            r"( in progress)?(?: ?- ?(?P<end>destage is in progress|destage has failed\. Data is pinned\.?"
            r"|subsystem error))?"
        ),
        adjust=_cache_state, grow=_below_cache,
        below=tuple(
            re.compile(rf"(?P<{name}_k>[0-9]+)K Bytes {name}")
            for name in ("configured", "available", "offline", "pinned")
        ),
    ),
    AnswerForm(
        # A device that CP emulates on SCSI disks.  `paths`: FCP device, WWPN, LUN; the status if not on line.
        # `eqid`, `serial`: its device equivalency id and the serial number of its volume.
        "edevice", "rdev attributes paths:list line weak eqid serial", "rdev",
        re.compile(rf"EDEV (?P<rdev>{RDEV}) TYPE FBA ATTRIBUTES (?P<attributes>\S+)"),
        weak=REMEMBERED, grow=_below_edevice,
    ),
    AnswerForm(
        "nucleus", "volser line weak", "",  # the volume from which CP was loaded
        re.compile(r"IPL NUCLEUS ACTIVE ON VOLUME (?P<volser>\S{1,6})"),
    ),
    AnswerForm(
        # An extent of a volume that CP uses: a row of QUERY ALLOC PAGE, SPOOL, DRCT, TDISK or MAP.  `start`,
        # `end`: first and last cylinder or page; `total`, `used`: pages or cylinders, thousands may be
        # written with a letter: `586.8K`; `high`: the highest that was in use, empty where CP shows none;
        # `rest`: the kind in a MAP, `ACTIVE`, `DRAINING`; of a volume that has none, which has no extent,
        # `NOT FOUND`.
        "space", "volser rdev start:int end:int total used high percent:int line weak rest", "rdev start",
        re.compile(
            rf"(?P<volser>\S{{1,6}}) +(?P<rdev>{RDEV})"
            r" +(?:(?P<start>[0-9]{1,10}) +(?P<end>[0-9]{1,10})|- +-)"
            rf" +(?P<total>{_COUNT}) +(?P<used>{_COUNT})(?: +(?P<high>{_COUNT}))?"
            r" +(?P<percent>[0-9]{1,3})%(?: +(?P<rest>\S.{0,30}))?"
        ),
        weak=REMEMBERED, below=(re.compile(r"(?:SUMMARY|USABLE)\s.*"),),
    ),
    AnswerForm(
        # A volume in the list of those that CP owns: a row of QUERY CPOWNED.  `volser`: empty for a slot
        # without a volume; `type`: `OWN`, `SHARED`; in a cluster of systems (SSI) `cluster` and `member` that
        # own it, empty where none does.
        "owned", "slot volser rdev type status line weak cluster member", "slot",
        re.compile(rf"{_SLOT} +(?P<status>[A-Z][A-Z ]{{3,40}}?) {{2,}}{_OWNERS}", re.IGNORECASE),
        re.compile(rf"{_SLOT} +(?P<status>{_STATUS}) +{_OWNERS}", re.IGNORECASE),
        re.compile(rf"{_SLOT} +(?P<status>[A-Z][A-Z ]{{3,40}})", re.IGNORECASE),
        weak=REMEMBERED, adjust=_slot,
    ),
    AnswerForm(
        # Where a minidisk lies: a row of QUERY MDISK LOCATION.
        "extent", "user vdev owner ovdev type volser:label rdev start:int size:int line weak", "user vdev",
        re.compile(
            r"(?P<columns>(?=.{67}$))(?P<user>\S.{7}) (?P<vdev>[0-9A-F]{4}) (?P<owner>\S.{7})"
            r" (?P<ovdev>[0-9A-F]{4}) (?P<type>\S.{4})"
            rf" (?P<volser>.{{6}}) (?P<rdev>{RDEV}) +(?P<start>[0-9]+) +(?P<size>[0-9]+)"
        ),
        re.compile(
            r"(?P<user>\S{1,8})\s+(?P<vdev>[0-9A-F]{4})\s+(?P<owner>\S{1,8})\s+(?P<ovdev>[0-9A-F]{4})\s+"
            r"(?P<type>[A-Z0-9-]{4,6})\s+(?P<volser>\S{1,6})\s+"
            rf"(?P<rdev>{RDEV})\s+(?P<start>[0-9]{{1,10}})\s+(?P<size>[0-9]{{1,10}})"
        ),
        adjust=_extent_columns,
    ),
)  # fmt: skip
"""Answers about real devices that do not begin with DASD."""
