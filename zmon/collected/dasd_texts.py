"""DASD in texts: lsdasd in its forms, /proc/dasd/devices, dasdview.

lsdasd prints one of these, by its options; sources: s390-tools, zconf/lsdasd and dasdview/dasdview.c.

    0.0.0200  active      dasda     94:0    ECKD  4096   7043MB    1803060    lsdasd
    0.0.02f0  alias                         ECKD                              lsdasd; with -a also `offline`
    0.0.0200   dasda     IBM.75000000012345.7600.1f                           -u
    0.0.02f0   alias     IBM.75000000012345.7600.xx                           -u, of a HyperPAV alias
    0.0.0200/dasda/94:0                                                       -l, then lines `NAME:  VALUE`
    0.0.0200(ECKD) at (94:  0) is dasda  : active at blocksize 4096, ...      -c, and /proc/dasd/devices
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.sizes import SECTOR
from zmon.kinds import DASD, DEVICE, LAYER
from zmon.values.uid import HYPERPAV

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText
    from zmon.sample import Frame

BUSID: Final = r"[0-9a-f]{1,2}\.[0-3]\.[0-9a-f]{4}"
_UNIT: Final = rf"(?:[0-9a-f]{{2,6}}|{HYPERPAV})"
UID: Final = rf"[A-Z0-9]{{1,3}}\.[A-Z0-9]{{1,14}}\.[0-9a-f]{{4}}\.{_UNIT}(?:\.[0-9a-f]{{1,32}})?"
_DISK: Final = r"dasd[a-z]{1,4}"

_PLAIN: Final = re.compile(
    rf"({BUSID})\s+(?:(offline)|(alias)\s+(ECKD|FBA|DIAG)|secondary\s.*"
    rf"|(active|n/f)\s*(\(ro\))?\s+({_DISK})\s+([0-9]{{1,4}})\s*:\s*([0-9]{{1,7}})\s+(ECKD|FBA|DIAG)(?:\s*\(ESE\))?"
    r"(?:\s+([0-9]{3,5})\s+([0-9]{1,9})MB\s+([0-9]{1,15}))?)\s*"
)
_UIDS: Final = re.compile(rf"({BUSID})\s+(?:({_DISK}|alias|offline|secondary)\s+)?({UID})\s*")
_LONG: Final = re.compile(rf"({BUSID})/({_DISK})/([0-9]{{1,4}}):([0-9]{{1,7}})\s*")
_OF: Final = re.compile(rf"({BUSID})\s*")
OF_MASKS: Final = (
    "in_use", "non_preferred", "invalid_cabling", "cuir_quiesced", "invalid_hpf_characteristics",
    "error_threshold_exceeded",
)  # fmt: skip
"""What `lsdasd -l` calls the masks of the attribute `path_masks`, in their order."""
_WITH: Final = re.compile(
    rf"\s+(status|type|blksz|blocks|uid|readonly|hpf|use_diag|paths_(?:installed|{'|'.join(OF_MASKS)})):"
    r"\s*((?:\S(?:.*\S)?)?)\s*"
)
_OLD: Final = re.compile(
    rf"({BUSID})\((ECKD|FBA|DIAG)\s*\)(?:{UID})?\s+at\s+\(\s*([0-9]{{1,4}}):\s*([0-9]{{1,7}})\)\s+is\s+({_DISK})\s*(\(ro\))?"
    r"\s*:\s*active at blocksize:?\s*([0-9]{3,5}),\s*([0-9]{1,15}) blocks,\s*([0-9]{1,9}) MB.*"
)


def parse_lsdasd(text: CollectedText, facts: Facts) -> None:
    """Take what lsdasd prints, with any of its options but -s and -H."""
    busid = ""
    for number, line in text.rows():
        place = text.place(number) if text.file else f"lsdasd, {text.place(number)}"
        if match := _PLAIN.fullmatch(line) or _OLD.fullmatch(line):
            busid = ""
            (_take_old if match.re is _OLD else _take_plain)(match, place, facts)
        elif match := _UIDS.fullmatch(line):
            facts.say(DEVICE, match[1], place, uid=match[3])
            if match[2] == "alias":
                facts.say(DEVICE, match[1], place, alias=1)
            elif match[2] and match[2].startswith("dasd"):
                facts.say(DEVICE, match[1], place, alias=0)
                _take_disk(facts, place, match[1], match[2])
        elif match := _LONG.fullmatch(line):
            busid = match[1]
            _take_disk(facts, place, busid, match[2], f"{match[3]}:{match[4]}")
        elif match := _OF.fullmatch(line):
            busid = match[1]
        elif busid and (match := _WITH.fullmatch(line)):
            _take_attribute(facts, place, busid, match[1], match[2])


def _take_disk(facts: Facts, place: str, busid: str, name: str, number: str = "") -> None:
    facts.say(DEVICE, busid, place, block=name, online=1)
    facts.say(DASD, busid, place, name=name)
    facts.say(LAYER, number or name, place, name=name, sort="disk", busid=busid)


def _take_plain(match: re.Match[str], place: str, facts: Facts) -> None:
    busid, offline, alias, of_alias, state, readonly, name, major, minor, discipline, size, _mb, blocks = (
        match.groups()
    )
    if offline:
        facts.say(DEVICE, busid, place, online=0)
    elif alias:
        facts.say(DEVICE, busid, place, online=1, alias=1, discipline=of_alias)
    elif state:
        facts.say(DEVICE, busid, place, alias=0, discipline=discipline, readonly=int(bool(readonly)))
        _take_size(facts, place, busid, name, f"{major}:{minor}", discipline, size, blocks)


def _take_old(match: re.Match[str], place: str, facts: Facts) -> None:
    busid, discipline, major, minor, name, readonly, size, blocks, _mb = match.groups()
    facts.say(DEVICE, busid, place, discipline=discipline, readonly=int(bool(readonly)))
    _take_size(facts, place, busid, name, f"{major}:{minor}", discipline, size, blocks)


def _take_size(  # noqa: PLR0913, PLR0917 - they are columns of one line
    facts: Facts,
    place: str,
    busid: str,
    name: str,
    number: str,
    discipline: str,
    size: str | None,
    blocks: str | None,
) -> None:
    _take_disk(facts, place, busid, name, number)
    facts.say(DASD, busid, place, discipline=discipline)
    if size and blocks:
        facts.say(DASD, busid, place, block_size=int(size), blocks=int(blocks))
        facts.say(LAYER, number, place, size=int(size) * int(blocks) // SECTOR)


def _take_attribute(facts: Facts, place: str, busid: str, name: str, value: str) -> None:
    if name == "uid" and re.fullmatch(UID, value):
        facts.say(DEVICE, busid, place, uid=value)
    elif name == "type" and value.partition(" ")[0] in {"ECKD", "FBA", "DIAG"}:
        facts.say(DEVICE, busid, place, discipline=value.partition(" ")[0])
    elif name == "status" and value in {"offline", "alias"}:
        facts.say(
            DEVICE, busid, place, **({"online": 0} if value == "offline" else {"alias": 1, "online": 1})
        )
    elif name in {"readonly", "hpf", "use_diag"} and value in {"0", "1"}:
        facts.say(DEVICE, busid, place, **{name: int(value)})
    elif name.startswith("paths_") and re.fullmatch(r"(?:[0-9a-f]{2}(?:\s+[0-9a-f]{2}){0,7})?", value):
        paths = value.split()
        facts.paths.setdefault(busid, {})[name.removeprefix("paths_")] = {*paths}, place
        if name == "paths_installed":
            facts.say(DEVICE, busid, place, chpids=" ".join(paths))


def mask_paths(facts: Facts, devices: Frame) -> None:
    """Say which of the installed paths of a DASD the driver uses, as masks of them, which lsdasd -l lists.

    Where no source has the mask of the installed ones they are taken to be the first.  If no path is in any
    list lsdasd does not know them.
    """
    for busid, listed in facts.paths.items():
        cells = {
            name: cell
            if isinstance(cell := devices.cell(busid, name), kind)
            else facts.value(DEVICE, busid, name)
            for name, kind in (("pim", int), ("chpids", str))
        }
        chpids, pim = str(cells["chpids"]).split(), cells["pim"]
        if not isinstance(pim, int):
            pim = 0xFF00 >> len(chpids) & 0xFF
        bits = [0x80 >> slot for slot in range(8) if pim & 0x80 >> slot]
        if "installed" not in listed or "in_use" not in listed or len(bits) != len(chpids):
            continue
        masks = (
            sum(bit for bit, chpid in zip(bits, chpids, strict=True) if chpid in listed.get(name, ((),))[0])
            for name in OF_MASKS
        )
        path_masks = " ".join(f"{mask:02x}" for mask in masks)
        if set(path_masks) <= {"0", " "}:
            continue
        facts.say(DEVICE, busid, listed["in_use"][1], pim=pim, path_masks=path_masks)


_VIEW: Final = re.compile(
    r"(device node|busid|type|blocksize|number of cylinders|CU type  \(SenseID\)|CU model \(SenseID\)"
    r"|device type  \(SenseID\)|device model \(SenseID\)|real device number)\s*:\s*(\S(?:.*\S)?)\s*"
)
_BOTH: Final = re.compile(r"hex ([0-9a-f]{1,8})\s+dec ([0-9]{1,10})")
_VOLSER: Final = re.compile(r"\s+: ebcdic '([ -~]{1,6})'\s*")
_ON_COMMAND: Final = re.compile(rf".*/dev/({_DISK})\s*")


def parse_dasdview(text: CollectedText, facts: Facts) -> None:
    """Take what `dasdview -i`, `-x` and `-l` print of one DASD after the other."""
    on_command = _ON_COMMAND.fullmatch(text.command)
    view = DasdView(facts, on_command[1] if on_command else "")
    for number, line in text.rows():
        place = f"dasdview, {text.place(number)}"
        if match := _VIEW.fullmatch(line):
            view.take(place, match[1], match[2])
        elif line.startswith("volume identifier"):
            view.in_label = True
        elif view.in_label and (match := _VOLSER.fullmatch(line)):
            view.take_label(place, match[1] or "")


class DasdView:
    """Collects what dasdview prints of the DASD that it names last."""

    def __init__(self, facts: Facts, name: str) -> None:
        """Begin; the name may be known from the command."""
        self._facts = facts
        self._name = name
        self._busid = ""
        self._types: dict[str, str] = {}
        self.in_label = False
        """Whether the lines of a volume's label follow."""

    def take(self, place: str, what: str, value: str) -> None:
        """Take one named value."""
        counted = _BOTH.fullmatch(value)
        busid = self._busid
        if what == "device node":
            self._name, self._busid, self._types = value.removeprefix("/dev/"), "", {}
        elif what == "busid" and re.fullmatch(BUSID, value):
            self._busid = value
            if re.fullmatch(_DISK, self._name):
                _take_disk(self._facts, place, value, self._name)
        elif busid and what == "type" and value in {"ECKD", "FBA", "DIAG"}:
            self._facts.say(DEVICE, busid, place, discipline=value)
            self._facts.say(DASD, busid, place, discipline=value)
        elif busid and counted and what in _COUNTS:
            self._facts.say(DASD, busid, place, **{_COUNTS[what]: int(counted[2])})
        elif busid and counted:
            self._types[what] = counted[1]
            _take_types(self._facts, place, busid, self._types)

    def take_label(self, place: str, label: str) -> None:
        """Take the label of the volume; in the lines before it is that in ASCII, which is none."""
        self.in_label = False
        facts = self._facts
        own = self._busid or next(
            (key for key in facts.keys(DASD) if facts.value(DASD, key, "name") == self._name), ""
        )
        if own and label.strip():
            facts.say(DASD, own, place, volser=label.strip())


_COUNTS: Final = {"blocksize": "block_size", "number of cylinders": "cylinders"}


def _take_types(facts: Facts, place: str, busid: str, types: dict[str, str]) -> None:
    """Take type and model of control unit and device when both are there."""
    for field, kind, model in (
        ("cutype", "CU type  (SenseID)", "CU model (SenseID)"),
        ("devtype", "device type  (SenseID)", "device model (SenseID)"),
    ):
        if kind in types and model in types:
            facts.say(DEVICE, busid, place, **{field: f"{types[kind]:0>4}/{types[model]:0>2}"})
