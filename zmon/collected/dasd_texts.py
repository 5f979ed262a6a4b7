"""DASD in texts: lsdasd in its forms, /proc/dasd/devices, dasdview.

lsdasd prints one of these, by its options; with -s it leaves `0.0.` out.  Sources: s390-tools, zconf/lsdasd
and dasdview/dasdview.c; Linux, drivers/s390/block/dasd_proc.c.

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
from zmon.collected.numbers import fits, number_of_dasd
from zmon.collected.reading import Reading, line
from zmon.kernel.dasd_ioctl import describe_eckd
from zmon.kinds import ALL_ALIASES, ALL_DASD, ALL_OFFLINE, DASD, DEVICE, LAYER
from zmon.values.dasd_state import STARTING
from zmon.values.uid import HYPERPAV

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText
    from zmon.sample import Frame

BUSID: Final = r"[0-9a-f]{1,2}\.[0-3]\.[0-9a-f]{4}"
_SHORT: Final = rf"(?:{BUSID}|[0-9a-f]{{4}})"
_UNIT: Final = rf"(?:[0-9a-f]{{2,6}}|{HYPERPAV})"
UID: Final = rf"[A-Z0-9]{{1,3}}\.[A-Z0-9]{{1,14}}\.[0-9a-f]{{4}}\.{_UNIT}(?:\.[0-9a-f]{{1,32}})?"
_DISK: Final = r"dasd[a-z]{1,4}"
_AT: Final = r"([0-9]{1,4})\s*:\s*([0-9]{1,7})"
_OLD: Final = rf"({_SHORT})\((ECKD|FBA|DIAG|none)\s*\)\s*({UID})?"
OF_MASKS: Final = (
    "in_use", "non_preferred", "invalid_cabling", "cuir_quiesced", "invalid_hpf_characteristics",
    "error_threshold_exceeded",
)  # fmt: skip
"""What `lsdasd -l` calls the masks of the attribute `path_masks`, in their order."""
_USED: Final = "status|type|uid|readonly|hpf|use_diag|blksz|blocks"
"""What `lsdasd -l` prints of a device, as far as it is taken."""
_EMPTY: Final = "copy_pairs|uid|readonly|hpf|use_diag|blksz|blocks"
"""What of it may have no value."""
_UNUSED: Final = (
    "size|eer_enabled|erplog|failfast|safe_offline|last_known_reservation_state|ese|extent_size|logical_capacity"
    r"|extent_pool_\w+|space_\w+|host_access_count|hosts_access_list|fc_security|copy_(?!pairs)\w+"
)
_PATHS: Final = r"(?:[0-9a-f]{2}(?:\s+[0-9a-f]{2}){0,7})?"


_STATES: Final = {"n/f": "active n/f"}
"""What the kernel says, by what lsdasd says."""


def busid_of(word: str) -> str:
    """Return a bus id that `lsdasd -s` may have shortened."""
    return word if "." in word else f"0.0.{word}"


class Lsdasd(Reading):
    """What lsdasd prints with any of its options, and /proc/dasd/devices."""

    tool = "lsdasd"
    tells = ("device", "dasd", "layer")
    lists = (ALL_ALIASES, ALL_DASD)
    heading = r"Bus-ID +(?:Status|Name|Role) "
    first = (
        rf"{_DISK}\s+{UID}\s*$|{BUSID}(?:/dasd[a-z]+/[0-9]"
        r"| +(?:active(?:\(ro\))?|n/f|offline|alias|dasd[a-z]+|[A-Z][A-Z0-9]{1,2}\.\S+\.\S+)(?!\S)"
        r"|\((?:ECKD|FBA|none))"
    )
    nothing = (
        rf"Host information for {BUSID}\s*|Path-Group-ID\s+LPAR\s.*",
        r"[0-9a-f]{22}\s+[0-9a-f]{2}\s+[0-9a-f]{4}\s+[0-9a-f]{2}\s+(?:ON|OFF)\S*\s+\S.*",
        r"Bus-ID\s+(?:Status|Name|Role)\b.*",
        r"=+",
        r"Host information for .*|Path-Group-ID\s.*|\S+: hosts access information not available",
        rf"{_SHORT}\s+(?:alias|offline)\s*",  # -u of a device without a unique id
        rf"\s+(?:{_UNUSED}|{_EMPTY}|paths_(?:installed|{'|'.join(OF_MASKS)})):\s*",  # no value
        rf"\s+(?:{_UNUSED}):\s*\S.*",
        r"\s+size:\s*[0-9]+MB",  # rounded
    )
    narrowing = rf"-[a-zA-Z]*b|--base|{_SHORT}\b"
    in_heads = "/"  # but those of devices that are offline, of which only the status follows

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a device."""
        super().__init__(text, facts)
        self._busid = ""
        self._counts: dict[str, int] = {}
        self._pairs: dict[str, dict[str, tuple[list[str], str]]] = {}
        """The other devices of copy pairs, by the role and bus id of the one that is listed."""
        self._bare: int | None = None
        """The line with a bus id alone that lines about the device are to follow."""
        self._is_made = False
        """Whether rows are of no tool."""

    @property
    def lists_all(self) -> tuple[str, ...]:
        """Return what is listed: /proc/dasd/devices has no aliases, and a loop of somebody any disks.

        Those that are off line are listed if the command asks for them.
        """
        has_offline = re.search(r"\s(?:-[a-z]*a|--offline)", self.text.command)
        listed = (*self.lists, ALL_OFFLINE) if has_offline else self.lists
        return () if self._is_made else (ALL_DASD,) if self.text.file else listed

    def blank(self) -> None:
        """End the lines about a device."""
        self._busid = ""
        self._leave_head()

    lost = blank

    def end(self) -> None:
        """Say of the devices of copy pairs which these are: only the line of a primary has all of them."""
        self.blank()
        primaries = self._pairs.get("primary", {})
        for primary, (others, place) in primaries.items():
            for busid in (primary, *others):
                self.facts.say(DEVICE, busid, place, copy_pair=" ".join((primary, *others)))
        for busid, ((primary, *_more), place) in self._pairs.get("secondary", {}).items():
            if primary not in primaries:
                self.facts.say(DEVICE, busid, place, copy_pair=f"{primary} {busid}")

    def _leave_head(self) -> None:
        """Know that no line followed a bus id: its row was cut."""
        if self._bare is not None:
            self.strange.append(self._bare)
        self._bare = None

    @line(rf"({_SHORT})\s+offline\s*", rf"({_SHORT})\((?:ECKD|FBA|DIAG|none)\s*\)\s*:\s*offline\s*")
    def offline(self, match: re.Match[str]) -> None:
        """Take a device that is off line, which has no other value."""
        self.facts.say(DEVICE, busid_of(match[1]), self.place, online=0)

    @line(
        rf"({_SHORT})\s+alias\s+(ECKD|FBA|DIAG)\s*",
        rf"({_SHORT})\((ECKD|FBA|DIAG)\s*\)\s*(?:{UID})?\s*:\s*alias\s*",
    )
    def alias(self, match: re.Match[str]) -> None:
        """Take an alias; of which kind it is lsdasd does not say."""
        self.facts.say(DEVICE, busid_of(match[1]), self.place, online=1, alias=1, discipline=match[2])

    @line(rf"({_SHORT})\s+({_DISK})\s*")
    def named(self, match: re.Match[str]) -> None:
        """Take a disk without a unique id, as one of FBA is, or of which a filter left no more."""
        take_disk(self.facts, self.place, busid_of(match[1]), match[2])

    @line(rf"({_SHORT})\s+active\s*(\(ro\))?\s+:\s+(ECKD|FBA|DIAG).*")
    def nameless(self, match: re.Match[str]) -> None:
        """Take a device on line that has no block device yet."""
        busid, readonly, discipline = match.groups()
        self.facts.say(
            DEVICE, busid_of(busid), self.place, online=1, discipline=discipline, readonly=int(bool(readonly))
        )

    @line(
        rf"({_SHORT})\s+(secondary)(?:\s+{_DISK})?(?:\s+(?:ECKD|FBA|DIAG))?(?:\s*\(ESE\))?\s*",
        rf"({_SHORT})\s+(primary|secondary|none)(?:\s+({_DISK}))?(?:\s+({_SHORT}(?:,{_SHORT})*))?\s*",
    )
    def copy_role(self, match: re.Match[str]) -> None:
        """Take a part in a copy pair: a secondary has no block device of its own."""
        busid, role, name, others = (*match.groups(), "", "")[:4]
        self.facts.say(DEVICE, busid_of(busid), self.place, copy_role=role, online=1, alias=0)
        if name and role != "secondary":
            take_disk(self.facts, self.place, busid_of(busid), name)
        if others:
            self._pairs.setdefault(role, {})[busid_of(busid)] = others.split(","), self.place

    @line(
        rf"({_SHORT})\s+(active|n/f|{'|'.join(STARTING)})\s*(\(ro\))?\s+({_DISK})\s+{_AT}\s+(ECKD|FBA|DIAG)(?:\s*\(ESE\))?"
        r"(?:\s+(?:([0-9]{3,5})|\?{3})\s+[0-9]{1,9}MB\s+(?:([0-9]{1,15})|\?{3}))?\s*"
    )
    def disk(self, match: re.Match[str]) -> bool:
        """Take a disk; only one that is active has a size."""
        busid, state, readonly, name, major, minor, discipline, size, blocks = match.groups()
        self.facts.say(DEVICE, busid_of(busid), self.place, readonly=int(bool(readonly)))
        if not fits(name, f"{major}:{minor}") or (state == "active" and "MB" not in match[0]):
            return False
        self._say_state(busid_of(busid), state)
        self._take(busid_of(busid), name, f"{major}:{minor}", discipline)
        self._take_size(busid_of(busid), f"{major}:{minor}", size, blocks)
        return True

    @line(
        rf"{_OLD}\s*at\s+\(\s*{_AT}\)\s+is\s+({_DISK})\s*(\(ro\))?\s*:\s*"
        rf"(active|n/f|active n/f|unformatted|{'|'.join(STARTING)})"
        r"(?:\s+at blocksize:?\s*([0-9]{3,5}),\s*([0-9]{1,15}) blocks,\s*[0-9]{1,9} MB)?"
        r"(?:\s*\(probeonly\))?\s*"
    )
    def old_disk(self, match: re.Match[str]) -> bool:
        """Take a disk as lsdasd -c and the kernel print it."""
        busid, discipline, uid, major, minor, name, readonly, state, size, blocks = match.groups()
        busid, number = busid_of(busid), f"{major}:{minor}"
        if not fits(name, number):
            return False
        self.facts.say(DEVICE, busid, self.place, readonly=int(bool(readonly)), uid=uid or "")
        self._say_state(busid, state)
        self._take(busid, name, number, "" if discipline == "none" else discipline)
        self._take_size(busid, number, size, blocks)
        return True

    @line(rf"({_DISK})\s+({UID})\s*")
    def uid_by_name(self, match: re.Match[str]) -> None:
        """Take a unique id that a loop prints with the name of its disk: `cat $disk/device/uid`."""
        self._is_made = True
        self.facts.name_dasd(match[1], self.place)
        self.facts.hint(LAYER, match[1], self.place, wwid=match[2])

    @line(rf"({_SHORT})\s+(?:({_DISK}|alias|offline|secondary)\s+)?({UID})\s*")
    def uid(self, match: re.Match[str]) -> None:
        """Take a unique id."""
        busid, name = busid_of(match[1]), match[2] or ""
        self.facts.say(DEVICE, busid, self.place, uid=match[3])
        if name == "alias":
            self.facts.say(DEVICE, busid, self.place, alias=1)
        elif name.startswith("dasd"):
            self._take(busid, name)

    @line(rf"({_SHORT})(?:/({_DISK})?/(?:{_AT}|[0-9]*))?\s*")
    def long_head(self, match: re.Match[str]) -> bool:
        """Take the first line about a device of lsdasd -l; of one without a size its number has no colon.

        A bus id alone is one if lines about the device follow.
        """
        busid, name, major, minor = match.groups()
        self._leave_head()
        number = f"{major}:{minor}" if major else ""
        self._busid, self._counts = "", {}
        if name and number and not fits(name, number):
            return False
        self._busid = busid_of(busid)
        self._bare = self.number if "/" not in match[0] else None
        if name:
            self._take(self._busid, name, number)
            self.facts.say(DEVICE, self._busid, self.place, block=name)
        return True

    @line(rf"\s+({_USED}):\s*(\S(?:.*\S)?)\s*")
    def attribute(self, match: re.Match[str]) -> bool:
        """Take a line of lsdasd -l."""
        name, value = match.groups()
        busid, say = self._busid, self.facts.say
        self._bare = None
        match name:
            case _ if not busid or (name == "status" and self.has_heads):
                return False
            case "uid" if re.fullmatch(UID, value):
                say(DEVICE, busid, self.place, uid=value)
            case "type" if value.partition(" ")[0] in {"ECKD", "FBA", "DIAG"}:
                say(DEVICE, busid, self.place, discipline=value.partition(" ")[0])
            case "status" if value in {"offline", "alias"}:
                told: dict[str, Value] = {"online": 0} if value == "offline" else {"online": 1, "alias": 1}
                say(DEVICE, busid, self.place, **told)
            case "status" if value == "secondary":
                say(DEVICE, busid, self.place, copy_role=value, online=1, alias=0)
            case "status" if state := re.fullmatch(r"(active|n/f)(?:\s*\(ro\))?", value):
                self._say_state(busid, state[1])
            case "readonly" | "hpf" | "use_diag" if value in {"0", "1"}:
                say(DEVICE, busid, self.place, **{name: int(value)})
            case "blksz" | "blocks" if value.isdecimal() and len(value) < 16:
                self._counts[name] = int(value)
                if len(self._counts) == 2:
                    self._take_counts(busid)
            case _:
                return False
        return True

    @line(rf"\s+copy_pairs:\s*({BUSID}(?:,{BUSID})*)\s*")
    def copy_pairs(self, match: re.Match[str]) -> bool:
        """Take the copy pair that a device is in."""
        if self._busid:
            self.facts.say(DEVICE, self._busid, self.place, copy_pair=match[1].replace(",", " "))
        return bool(self._busid)

    @line(rf"\s+paths_(installed|{'|'.join(OF_MASKS)}):\s*({_PATHS})\s*")
    def paths(self, match: re.Match[str]) -> bool:
        """Take a list of channel paths, which may be empty."""
        if self._busid:
            paths = match[2].split()
            self.facts.paths.setdefault(self._busid, {})[match[1]] = {*paths}, self.place
            if match[1] == "installed":
                self.facts.say(DEVICE, self._busid, self.place, chpids=" ".join(paths))
        return bool(self._busid)

    def _say_state(self, busid: str, state: str) -> None:
        self.facts.say(DASD, busid, self.place, state=_STATES.get(state, state))
        if state in _STATES:
            self.facts.say(DEVICE, busid, self.place, status="unformatted")

    def _take(self, busid: str, name: str, number: str = "", discipline: str = "") -> None:
        take_disk(self.facts, self.place, busid, name, number)
        self.facts.say(DEVICE, busid, self.place, alias=0, discipline=discipline)
        self.facts.say(DASD, busid, self.place, discipline=discipline)

    def _take_counts(self, busid: str) -> None:
        name = self.facts.value(DASD, busid, "name")
        if isinstance(name, str):
            self._take_size(
                busid, number_of_dasd(name) or name, str(self._counts["blksz"]), str(self._counts["blocks"])
            )

    def _take_size(self, busid: str, number: str, size: str | None, blocks: str | None) -> None:
        if size and blocks:
            self.facts.say(DASD, busid, self.place, block_size=int(size), blocks=int(blocks))
            self.facts.say(LAYER, number, self.place, size=int(size) * int(blocks) // SECTOR)


def take_disk(facts: Facts, place: str, busid: str, name: str, number: str = "") -> None:
    """Say of a DASD which block device it is."""
    facts.say(DEVICE, busid, place, block=name, online=1)
    facts.say(DASD, busid, place, name=name)
    facts.say(LAYER, number or name, place, name=name, sort="disk", busid=busid)


def mask_paths(facts: Facts, devices: Frame) -> None:
    """Say which of the installed paths of a DASD the driver uses, as masks of them, which lsdasd -l lists.

    Where no source has the mask of the installed ones they are taken to be the first.  A device that is
    offline has none in use, and lost none.
    """
    for busid, listed in facts.paths.items():
        cells = {
            name: cell
            if isinstance(cell := devices.cell(busid, name), kind)
            else facts.value(DEVICE, busid, name)
            for name, kind in (("pim", int), ("chpids", str), ("online", int))
        }
        chpids, pim = str(cells["chpids"]).split(), cells["pim"]
        if not isinstance(pim, int):
            pim = 0xFF00 >> len(chpids) & 0xFF
        bits = [0x80 >> slot for slot in range(8) if pim & 0x80 >> slot]
        is_listed = "installed" in listed and "in_use" in listed
        if not is_listed or cells["online"] != 1 or len(bits) != len(chpids):
            continue
        masks = (
            sum(bit for bit, chpid in zip(bits, chpids, strict=True) if chpid in listed.get(name, ((),))[0])
            for name in OF_MASKS
        )
        path_masks = " ".join(f"{mask:02x}" for mask in masks)
        facts.say(DEVICE, busid, listed["in_use"][1], pim=pim, path_masks=path_masks)


_ON_COMMAND: Final = re.compile(rf".*/dev/({_DISK})\s*")
_COUNTS: Final = {"blocksize": "block_size", "number of cylinders": "cylinders", "chanq_len": "channel_queue"}
CONFIGURATION: Final = 256
"""Bytes of configuration data: eight records."""
_HEX: Final = r"(?:[0-9a-f]{8}\s+){0,3}[0-9a-f]{8}"
_SHOWN: Final = (
    "general DASD information", "DASD geometry", "extended DASD information", "volume label", "status",
    "VTOC info",
)  # fmt: skip


_SKIPPED: Final = (
    "device type", "DASD geometry", "blocks per track", "tracks per cylinder",
    "number of tracks", "number of heads", "records per track", "volume label key",
    "volume label identifier", "open count", "req_queue_len", "status", "label_block", "FBA_layout",
    "characteristics_size", "confdata_size", "format", "features", "real device number", "DASD layout",
    "VTOC pointer", "security byte", "reserved", "CI size for FBA", "blocks per CI", "labels per CI",
    "owner code for VTOC", "ldl_version", "formatted block size", "formatted_blocks",
    "track of first partition",
)  # fmt: skip
"""What dasdview prints and zmon does not take."""


class Dasdview(Reading):
    """What `dasdview -i`, `-x` and `-l` print of one DASD after the other."""

    tool = "dasdview"
    tells = ("device", "dasd")
    heading = r"--- (?:general|extended) DASD information -|volume label +-"
    nothing = (
        rf"--- (?:{'|'.join(_SHOWN)}) -+",
        rf"(?:{'|'.join(_SKIPPED)})\b.*|device node\s*: /dev/{_DISK}[0-9]\s*",
        r"\s*: (?:ascii|ebcdic|hex)\s.*",
        r"\s*(?:\|.*\||\+[-+]+\+)\s*",  # tables of -b and -t
        r"The VTOC contains:|There are no partitions defined\.|\s+[0-9]+ format [0-9] label\(s\)",
        r"\S+ is not formatted with the z/OS compatible disk layout!|Volume label VTOC pointer is not valid!",
        r"Other mainframe operating systems would see .*",
        r"\s+(?:\(cyl [0-9]+, trk [0-9]+, blk [0-9]+\)|(?:ebcdic|ascii|hex) .*)\s*",
        r"\s+[0-9a-f]{2,8}(?: [0-9a-f ]*)?\s*|'\s*",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin; the name may be known from the command."""
        super().__init__(text, facts)
        on_command = _ON_COMMAND.fullmatch(text.command)
        self._name = on_command[1] if on_command else ""
        self._busid = self._discipline = ""
        self._types: dict[str, str] = {}
        self._in_label = False
        self._dump = ""
        self._dumped: dict[str, bytes] = {}

    def blank(self) -> None:
        """End a dump."""
        self._dump = ""

    def lost(self) -> None:
        """End a dump, which is not whole."""
        self._dumped.pop(self._dump, None)
        self._dump = ""

    @line(rf"device node\s*: /dev/({_DISK})\s*")
    def node(self, match: re.Match[str]) -> None:
        """Take the name of the next disk."""
        self.end()
        self._name, self._busid, self._discipline, self._types = match[1], "", "", {}

    @line(rf"busid\s*: ({BUSID})\s*")
    def busid(self, match: re.Match[str]) -> None:
        """Take the bus id of the disk that was named."""
        self._busid = match[1]
        if self._name:
            take_disk(self.facts, self.place, match[1], self._name)

    @line(r"type\s*: (ECKD|FBA|DIAG)\s*")
    def type(self, match: re.Match[str]) -> bool:
        """Take the discipline."""
        self._discipline = match[1]
        if busid := self._own():
            self.facts.say(DEVICE, busid, self.place, discipline=match[1])
            self.facts.say(DASD, busid, self.place, discipline=match[1])
        return bool(busid)

    @line(r"subchannel identifier\s*: hex ([0-9a-f]{1,4})\b.*")
    def subchannel(self, match: re.Match[str]) -> bool:
        """Take the subchannel, which is one of the first set."""
        if busid := self._own():
            self.facts.say(DEVICE, busid, self.place, subchannel=f"{busid[:4]}{match[1]:0>4}")
        return bool(busid)

    @line(rf"({'|'.join(_COUNTS)})\s*: hex [0-9a-f]{{1,8}}\s+dec ([0-9]{{1,10}})\s*")
    def count(self, match: re.Match[str]) -> bool:
        """Take a figure of the disk; only one of ECKD has cylinders, for others the kernel makes them up."""
        busid, is_eckd = self._own(), self._discipline in {"", "ECKD"}
        if busid and (is_eckd or _COUNTS[match[1]] != "cylinders"):
            self.facts.say(DASD, busid, self.place, **{_COUNTS[match[1]]: int(match[2])})
        return bool(busid)

    @line(r"format\s*: hex 0\s+dec 0\s+NOT formatted\s*")
    def unformatted(self, _match: re.Match[str]) -> bool:
        """Take that a disk is not formatted: it has no blocks."""
        if busid := self._own():
            self.facts.say(DASD, busid, self.place, state=_STATES["n/f"])
            self.facts.say(DEVICE, busid, self.place, status="unformatted")
        return bool(busid)

    @line(r"(CU type|CU model|device type|device model)\s+\(SenseID\)\s*: hex ([0-9a-f]{1,8})\b.*")
    def sensed(self, match: re.Match[str]) -> bool:
        """Take type or model; they count when both are there."""
        self._types[match[1]] = match[2]
        busid = self._own()
        for field, sort in (("cutype", "CU"), ("devtype", "device")) if busid else ():
            kind, model = (self._types.get(f"{sort} {what}") for what in ("type", "model"))
            if kind and model:
                self.facts.say(DEVICE, busid, self.place, **{field: f"{kind:0>4}/{model:0>2}"})
        return bool(busid)

    @line(rf"(characteristics|configuration_data)\s*: ({_HEX})\s*")
    def dump(self, match: re.Match[str]) -> None:
        """Take the first line of a dump in hexadecimal words."""
        self._dump = match[1]
        self._dumped[match[1]] = bytes.fromhex(match[2])

    @line(rf"\s+({_HEX})\s*")
    def dumped(self, match: re.Match[str]) -> bool:
        """Take a further line of a dump."""
        if self._dump:
            self._dumped[self._dump] += bytes.fromhex(match[1])
        return bool(self._dump)

    @line(r"volume identifier\b.*")
    def label_begins(self, _match: re.Match[str]) -> None:
        """Expect the label of the volume, whose lines follow."""
        self._in_label = True

    @line(r"\s+: ebcdic '([ -~]{1,6})'\s*")
    def label(self, match: re.Match[str]) -> bool:
        """Take the label of the volume; in the lines before it is that in ASCII, which is none."""
        if not self._in_label:
            return True
        self._in_label = False
        busid = self._own()
        if busid and match[1].strip():
            self.facts.say(DASD, busid, self.place, volser=match[1].strip())
        return bool(busid)

    def end(self) -> None:
        """Take what the configuration data of the last disk say, as BIODASDINFO2 would."""
        configuration = self._dumped.get("configuration_data", b"")
        busid = self._own()
        if busid and len(configuration) == CONFIGURATION:
            told = describe_eckd(self._dumped.get("characteristics", b""), configuration)
            self.facts.say(DASD, busid, self.place, **told)
            self.facts.say(DEVICE, busid, self.place, uid=told["uid"])
        self._dumped = {}

    def _own(self) -> str:
        """Return the bus id of the disk that was named last; empty if no text has it."""
        return self._busid or dasd_named(self.facts, self._name)


def dasd_named(facts: Facts, name: str) -> str:
    """Return the bus id of a DASD by its name; empty if no text has it."""
    named = (key for key in facts.keys(DASD) if facts.value(DASD, key, "name") == name)
    return next(named, "")
