"""Devices of the channel subsystem as s390-tools list them: lszdev, lsqeth, lstape.

    dasd-eckd    0.0.0200                                        yes  no    dasda               lszdev
    zfcp-lun     0.0.fc00:0x500507630300c562:0x4010403300000000  yes  yes   sda sg0
    0.0.f500/0.0.f501/0.0.f502 x00   encf500          OSD_10GIG      0    sw   ...             lsqeth -p
    0       0.0.0480   3490/10      3490/40         auto    UNUSED  ---     UNLOADED            lstape

lszdev -i prints a block of lines about each device.  A device or LUN that is configured for the next start
and not on line is off; with the column EXISTS it is known whether the device is there at all.
Source: s390-tools, zdev/src/lszdev.c, table.c; zconf/qeth/lsqeth.c, zconf/lstape.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.columns import Columns
from zmon.collected.dasd_texts import BUSID, UID, busid_of, take_disk
from zmon.collected.fcp_texts import OFF, address_of, list_lun, lose_lun
from zmon.collected.numbers import disk_name
from zmon.collected.reading import Reading, line
from zmon.kinds import ADAPTER, DEVICE, LAYER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_PORT: Final = r"0x[0-9a-f]{16}"
_TYPE: Final = r"[a-z][a-z0-9-]{1,20}"
_ID: Final = rf"{BUSID}(?::{_PORT}:{_PORT}|(?::{BUSID}){{0,2}})"
_MODEL: Final = r"([0-9a-f]{4}/[0-9a-f]{2})"
_DRIVERS: Final = {"dasd-eckd": "dasd-eckd", "dasd-fba": "dasd-fba", "zfcp-host": "zfcp", "qeth": "qeth"}
"""Drivers of devices that are on line, by the types of lszdev."""
_DISKS: Final = {"dasd-eckd": "dasd[a-z]{1,4}", "dasd-fba": "dasd[a-z]{1,4}", "zfcp-lun": "sd[a-z]{1,4}",
                 "virtio-blk": "vd[a-z]{1,4}"}  # fmt: skip
"""What the disks of a type are called."""
_DEFAULT: Final = "TYPE,ID,ON,PERS,NAMES"
"""The columns that lszdev prints if none are asked for."""
_YES_OR_NO: Final = frozenset({"ON", "EXISTS", "PERS"})
"""Columns that are empty in no row."""
_COLUMN: Final = "(?:TYPE|ON|EXISTS|PERS|AUTO|FAILED|NAMES|BLOCKDEVS)"
_COLUMNS: Final = {"Names": "NAMES", "Block devices": "BLOCKDEVS", "Online": "ON", "Exists": "EXISTS"}
"""The columns with what lszdev -i prints of a device."""
_TAKEN: Final = frozenset({"cmb_enable", "readonly", "use_diag"})
"""The attributes of lszdev -i that are taken."""
_OF_UID: Final = "ATTR:UID"
_PAIR: Final = r'([A-Z][A-Za-z_:/-]{0,80})="((?:[^"\\]|\\.){0,1000})"'


class Lszdev(Reading):
    """Devices of all types that lszdev knows: as a table, as pairs, and in blocks."""

    tool = "lszdev"
    tells = ("device", "dasd", "layer", "adapter", "lun")
    heading = (
        rf"(?:{_COLUMN} +)+ID(?: *$| +{_COLUMN}\b)|ID +{_COLUMN}\b"
        rf"|DEVICE (?:dasd|zfcp|qeth|virtio|generic|ctc)\S* {BUSID}"
    )
    first = (
        rf"(?:dasd-(?:eckd|fba)|zfcp-(?:host|lun)|generic-ccw|virtio-[a-z]+|qeth) +{BUSID}\S* +(?:yes|no) "
        rf'|(?:TYPE="{_TYPE}" ID|ID="{BUSID}\S*" TYPE)="'
    )
    nothing = (
        r"\S*lszdev: .*",
        r"\s+(?:Modules|Resources provided|Persistent|Auto-configured|Sites|Errors)\s*:.*",
        r"\s+(?:Character devices|Network interfaces|(?:Device|\S+) path|Description|Active)\s*:.*",
        r" {23}\S.*",  # a further resource or error
        r"\s+No settings found|\s+Device type does not .*",
        r"[A-Z]+=\"[^\"]*\"",  # a line of -i as pairs
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin; without a heading the columns are those that were asked for."""
        super().__init__(text, facts)
        asked = re.search(r"\s(?:-c|--columns)[ =](\S+)", text.command)
        self._asked = (asked[1].upper() if asked else _DEFAULT).split(",")
        self._clear()

    def _clear(self) -> None:
        self._device: dict[str, str] = {}
        """What was said of the device of -i."""
        self._has_active = False
        """Whether the first values of attributes are those that hold now."""

    def lost(self) -> None:
        """Know no device."""
        self._clear()

    @line(r"(?:[A-Z]+(?::\S+)? +)*ID(?: +[A-Z]+(?::\S+)?)*\s*")
    def head(self, match: re.Match[str]) -> None:
        """Take the heading of a table."""
        self._columns = Columns(match[0])

    @line(rf"DEVICE ({_TYPE}) ({_ID})\s*")
    def device(self, match: re.Match[str]) -> None:
        """Take the first line about a device of -i."""
        self._clear()
        self._device = {"TYPE": match[1], "ID": match[2]}

    @line(r"DEVICE TYPE \S+\s*")
    def of_type(self, _match: re.Match[str]) -> None:
        """Take the first line about a type, which ends that about a device."""
        self._clear()

    @line(rf"(?:{_PAIR} )+{_PAIR}\s*")
    def pairs(self, match: re.Match[str]) -> bool:
        """Take a row of --pairs, or an attribute of -i."""
        pairs = dict(re.findall(_PAIR, match[0]))
        return "ID" not in pairs or self._take(pairs)

    @line(rf"(?:\S+\s+)*{_ID}(?:\s+.*)?")
    def row(self, match: re.Match[str]) -> bool:
        """Take a device in a table."""
        self._clear()
        if len(self._columns):
            return self._take_row(self._columns.sliced(match[0]), [*self._columns])
        printed = match[0].split(None, len(self._asked) - 1)
        return self._take_row(dict(zip(self._asked, printed, strict=False)), self._asked)

    @line(rf"\s+({'|'.join(_COLUMNS)})\s*: (.*\S)\s*")
    def property(self, match: re.Match[str]) -> bool:
        """Take a line about a device; if it comes again the first line of another device is missing."""
        column, value = _COLUMNS[match[1]], match[2]
        if not self._device or column in self._device:
            self._clear()
            return False
        self._device[column] = value
        return self._take(self._device)

    @line(r"\s+(?:ATTRIBUTE|READONLY)\s+([A-Z][A-Z0-9 ]*)")
    def attributes(self, match: re.Match[str]) -> None:
        """Take the heading of the attributes, which may be those for the next start alone."""
        self._has_active = match[1].startswith("ACTIVE")

    @line(r'\s+([a-z][\w/]{0,63})\s+(?:"([^"]*)"|-)(?:\s.*)?')
    def attribute(self, match: re.Match[str]) -> bool:
        """Take an attribute."""
        name, value = match[1], match[2] or ""
        busid = self._device.get("ID", "")
        if name in _TAKEN and value.isdecimal() and self._has_active and re.fullmatch(BUSID, busid):
            self.facts.say(DEVICE, busid, self.place, **{name: int(value)})
        return bool(busid)

    def _take_row(self, cells: Mapping[str, str], names: Sequence[str]) -> bool:
        """Take a row of a table, which says yes, no or auto in each of these columns."""
        is_whole = all(cells.get(name) in {"yes", "no", "auto"} for name in names if name in _YES_OR_NO)
        return is_whole and self._take(cells)

    def _take(self, cells: Mapping[str, str]) -> bool:
        """Take what is said of a device, or of a LUN."""
        kind, key, online = (cells.get(column, "") for column in ("TYPE", "ID", "ON"))
        if not (
            re.fullmatch(_ID, key) and re.fullmatch(rf"(?:{_TYPE})?", kind) and online in {"", "yes", "no"}
        ):
            return False
        busids, *lun = key.replace(":0x", " 0x").split()
        names = f"{cells.get('BLOCKDEVS', '')} {cells.get('NAMES', '')}".split()
        if lun and online == "no":
            lose_lun(self.facts, address_of(busids, *lun), self.place, state=OFF)
        elif online == "yes" or (online == "no" and cells.get("EXISTS") != "no"):
            self._take_device(busids, kind, online, lun)
        if lun and online == "yes":
            is_generic = bool(names) and all(re.fullmatch("sg[0-9]{1,5}", name) for name in names)
            list_lun(self.facts, address_of(busids, *lun), self.place, names[0] if is_generic else "")
        pattern = _DISKS.get(kind, "(?!)") if kind else "|".join(_DISKS.values())
        disk = next((name for name in names if re.fullmatch(pattern, name)), "")
        uid = next((cell.strip() for name, cell in cells.items() if name.upper() == _OF_UID), "")
        if re.fullmatch(UID, uid):
            self.facts.say(DEVICE, busids, self.place, uid=uid)
        if disk and online != "no":
            self._take_disk(busids, lun, disk, names)
        return True

    def _take_device(self, busids: str, kind: str, online: str, lun: list[str]) -> None:
        """Take the devices of a row; an adapter has its driver also while it is off line."""
        driver = "zfcp" if lun else "virtio_ccw" if kind.startswith("virtio-") else _DRIVERS.get(kind, "")
        driver = driver if online == "yes" or driver == "zfcp" else ""
        for busid in busids.split(":"):
            self.facts.say(DEVICE, busid, self.place, online=int(online == "yes"), driver=driver)
            if driver == "zfcp":
                self.facts.say(ADAPTER, busid, self.place)

    def _take_disk(self, busid: str, lun: list[str], disk: str, names: list[str]) -> None:
        if lun:
            port, number = lun
            self.facts.say(
                LAYER, disk, self.place, name=disk, sort="disk", busid=busid, wwpn=port, lun=number
            )
        elif disk.startswith("vd"):
            self.facts.say(DEVICE, busid, self.place, block=disk)
            self.facts.say(LAYER, disk, self.place, name=disk, sort="disk", busid=busid)
        else:
            take_disk(self.facts, self.place, busid, disk)
        for part in names:
            if part != disk and disk_name(part) == disk:
                self.facts.name_device(part, self.place)


class Lsqeth(Reading):
    """The three devices of each network card."""

    tool = "lsqeth"
    tells = ("device",)
    heading = r"Device name +: \S+|devices +CHPID +interface"
    nothing = (r"-+|devices +CHPID .*", r"(?:Device name|[a-z_0-9/]+)\s+: .*|\s+: .*", r"(?:\S*/)?lsqeth: .*")

    @line(rf"\s*cdev[0-2]\s+: ({BUSID})\s*")
    def device(self, match: re.Match[str]) -> None:
        """Take a device."""
        self.facts.say(DEVICE, match[1], self.place, driver="qeth")

    @line(rf"({BUSID})/({BUSID})?/({BUSID})?\s.*")
    def card(self, match: re.Match[str]) -> None:
        """Take the devices of a card of -p."""
        for busid in filter(None, match.groups()):
            self.facts.say(DEVICE, busid, self.place, driver="qeth")


class Lstape(Reading):
    """Tape devices on channels, and with -V the adapters of SCSI tapes."""

    tool = "lstape"
    tells = ("device",)
    heading = r"FICON/ESCON tapes \(found|TapeNo +BusID|SCSI tape devices \(found"
    nothing = (
        r"(?:FICON/ESCON tapes|SCSI tape devices) \(found [0-9]+\):\s*",
        r"(?:TapeNo +BusID|Generic +Device|\s+HBA +WWPN) .*",
        r"(?:sg[0-9]+|N/A)\s+\S+\s+[0-9]+(?::[0-9]+){3}\s.*",
        rf"\s+(?:{BUSID}|N/A)\s+N/A\s.*",
    )

    @line(
        rf"(?:[0-9]{{1,5}}|N/A)\s+({BUSID}|[0-9a-f]{{4}})\s+{_MODEL}\s+{_MODEL}\s+"
        r"(?:auto|[0-9]+|N/A)\s+([A-Z_]+)(?:\s.*)?"
    )
    def drive(self, match: re.Match[str]) -> None:
        """Take a tape device."""
        busid, cutype, devtype, state = match.groups()
        self.facts.say(
            DEVICE, busid_of(busid), self.place,
            cutype=cutype, devtype=devtype, online=int(state != "OFFLINE"),
        )  # fmt: skip

    @line(rf"\s+({BUSID})\s+0x[0-9a-f]{{16}}(?:\s.*)?")
    def adapter(self, match: re.Match[str]) -> None:
        """Take the adapter of a SCSI tape."""
        self.facts.say(DEVICE, match[1], self.place, driver="zfcp", online=1)
