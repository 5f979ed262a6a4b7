"""Block devices in texts: lsblk as a tree, as pairs and as JSON, /proc/partitions, links of `ls -l`.

lsblk prints sizes rounded, so they are not taken, unless it was asked for bytes.  Of a device on several
others it prints a line for each; the tree is drawn with characters of ASCII or of a box.  With -M it has
one line, and left of the tree a chart of groups, three characters wide each:

    ┌┈▶ sda       first of a group; further ones have `├┈▶`, lines between them `┆  `
    └┬▶ sdb       last of the group; what is on all of it follows, lines between have ` ┆ `
     └┈┈mpatha    last that is on all of the group; others have ` ├┈`

A device is in one group alone, so a chart can leave out some of what a logical volume is on, or show too
much.
Source: util-linux, lsblk-cmd/lsblk.c, libsmartcols/src/print.c, grouping.c.
"""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.plain_text import unescaped_hex
from zmon.base.sizes import SECTOR
from zmon.collected.columns import BegunRow, Columns, asked_columns, is_cut_uuid, raw_cells
from zmon.collected.dasd_texts import BUSID, UID, dasd_named
from zmon.collected.facts import ASM, OF_ASM, OF_TREE, UNSEEN, MountRow
from zmon.collected.fcp_texts import ADDRESS, linked_lun, say_scsi, scsi
from zmon.collected.numbers import (
    NUMBER,
    disk_name,
    fits,
    is_of_kernel,
    may_be_part,
    minor_of_dm,
    name_of_number,
    rounded_size,
    sort_of,
)
from zmon.collected.reading import MAX_DEPTH, OrDocument, Reading, line, objects
from zmon.kernel.disk_identity import NAA
from zmon.kinds import ALL_DASD, ALL_DISKS, DEVICE, LAYER, MPATH, MULTIPATH, PATH, STACKED
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_SORTS: Final = {
    "disk": "disk", "part": "partition", "loop": "loop",
    "lvm": "dm", "crypt": "dm", "mpath": "dm", "dm": "dm", "linear": "dm", "vdo": "dm",
}  # fmt: skip
_UUIDS: Final = {"mpath": MPATH, "crypt": "CRYPT-"}
"""What the uuids of devices of the device mapper begin with, by what lsblk calls these."""
_TREE: Final = re.compile(r"[ |`├└│─\-+]*")
_GROUP: Final = 3
"""Characters of a group in the chart of -M."""
_OF_ONE: Final = ("mpath", "raid", "md")
"""How the types of devices begin that are alone on what they are made of."""
_OF_LUN: Final = re.compile("(?:/dev/)?(?:(?:sd|vd)[a-z]{1,4}|nvme[0-9]{1,3}n[0-9]{1,4})")
_WITH_KERNEL: Final = re.compile(r"(\S+) \((dm-[0-9]{1,8})\)")
"""A name in /dev/mapper with that of the kernel, as releases before 2.20 print them both."""
_WWID: Final = re.compile("6[0-9a-f]{31}|[25][0-9a-f]{15}")
_OF_NVME: Final = re.compile("(?:uuid|eui|nvme)[.][0-9a-f-]{16,250}")
_CELL: Final = re.compile(rf"(?<!\S){NUMBER}(?!\S)")
_PAIR: Final = re.compile(r'([A-Z][A-Z0-9:_%-]{0,30})="([^"]{0,4096})"')
_STRANGE: Final = re.compile(r"[^!-~]|[?&;*<>]")
"""What is in no name of a device, but in a tree that was cut or whose encoding was lost."""
SWAPPED: Final = "[SWAP]"
"""What lsblk prints instead of a mount point for active swap."""
_OF_TYPE: Final = r"(?:disk|part|lvm|crypt|mpath|dm|linear|loop|rom|vdo|raid[0-9]{1,2}|md)"
_TYPE: Final = (
    r"(?!(?:d|di|dis|p|pa|par|l|lo|loo|lv|c|cr|cry|cryp|m|mp|mpa|mpat|r|ra|rai|raid)$)[a-z][a-z0-9_]{0,15}"
)
"""The type of a device; the beginning of a known one is that of a row that was cut."""
_LIKE: Final = re.compile(
    r"[|`├└│┌┆,'] ?|\s*[\"{}\[\]┌├└┆│]|(?:[A-Z:_-]+=\"|[A-Z:_-]+ +K?NAME\b|K?NAME\b)"
    r"|(?:dasd|sd|vd|xvd|nvme|dm-|md|loop|sr|zram|mmcblk|nbd)[a-z0-9]* *(?:\s|$)|\s+(?:/|\[SWAP\])"
    rf"|{_OF_TYPE}\s+\S"
)
"""How rows of lsblk begin."""
_KIND: Final = re.compile(rf"(?<!\S){_OF_TYPE}(?!\S)")
_RIGHT: Final = frozenset({
    "ALIGNMENT", "DAX", "DISC-ALN", "DISC-GRAN", "DISC-MAX", "DISC-ZERO", "DISK-SEQ", "FSAVAIL",
    "FSSIZE", "FSUSE%", "FSUSED", "HOTPLUG", "LOG-SEC", "MIN-IO", "MQ", "OPT-IO", "PARTN", "PHY-SEC",
    "RA", "RAND", "REV", "RM", "RO", "ROTA", "RQ-SIZE", "SIZE", "START", "WSAME", "ZONE-AMAX",
    "ZONE-APP", "ZONE-NR", "ZONE-OMAX", "ZONE-SZ", "ZONE-WGRAN",
})  # fmt: skip
"""The columns whose cells end below their headings."""
_NAMES: Final = ("NAME", "KNAME", "PATH")
_OTHERS: Final = (
    "FSROOTS", "FSTYPE", "FSVER", "GROUP", "HCTL", "ID", "ID-LINK", "LABEL", "MAJ", "MAJ:MIN", "MIN",
    "MODE", "MODEL", "MOUNTPOINT", "MOUNTPOINTS", "OWNER", "PARTFLAGS", "PARTLABEL", "PARTTYPE",
    "PARTTYPENAME", "PARTUUID", "PKNAME", "PTTYPE", "PTUUID", "SCHED", "SERIAL", "STATE", "SUBSYSTEMS",
    "TRAN", "TYPE", "UUID", "VENDOR", "WWN", "ZONED",
)  # fmt: skip
_OF_DISK: Final = r"([0-9]{1,4})\s+([0-9]{1,8})\s+([a-z][\w!/-]{1,63})"
"""How a line about a device begins in files of the kernel."""
_COLUMN: Final = f"(?:{'|'.join((*_NAMES, *sorted(_RIGHT), *_OTHERS))})"
_ANY: Final = r"[A-Z][A-Z0-9:_%-]*"
_OWN: Final = (
    "MAJ:MIN|P?KNAME|FSTYPE|MOUNTPOINTS?|HCTL|TRAN|SERIAL|WWN|PHY-SEC|ROTA|SCHED|DISC-ALN|ALIGNMENT|PARTUUID"
)
"""The columns that tell lsblk from other tools with a column NAME."""
_NO_DISKS: Final = frozenset({"1", "2", "7", "11", "43"})
"""Major numbers that people leave out: RAM disks, floppies, loops, CD, network block devices."""
_DEFAULT: Final = ("NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINTS")
"""The columns that it prints if none are asked for."""


class LsblkRow(NamedTuple):
    """One line of lsblk."""

    number: str
    """Empty where lsblk does not print it."""
    name: str
    """That of the kernel, or in /dev/mapper."""
    kernel: str
    """That of the kernel; empty where lsblk does not print it."""
    kind: str
    """`part`, `lvm` ..., the column TYPE; empty where it is not there."""
    points: tuple[str, ...] = ()
    """Where its file system is mounted, as far as lsblk prints it."""
    fstype: str = ""
    """Empty where lsblk does not print it."""
    uuid: str = ""
    """That of what is on it; empty where lsblk does not print it."""
    above: str = ""
    """The kernel name of the device above it in the tree, which PKNAME has."""
    address: str = ""
    """Host, channel, target and LUN of a SCSI disk; empty where lsblk does not print them."""
    told: Mapping[str, Value] = {}
    """Where a partition begins, the size if asked for in bytes, in sectors; which LUN a SCSI disk is."""
    about: int = 0
    """The size in sectors that lsblk prints rounded; 0 if it does not."""


def _identity(cells: Mapping[str, str]) -> dict[str, Value]:
    """Return who made a SCSI or virtio disk, and which one it is.

    SERIAL is ID_SCSI_SERIAL, else ID_SERIAL_SHORT, which is the unique id; WWN may be its first half.
    Source: util-linux, misc-utils/lsblk-properties.c.
    """
    told: dict[str, Value] = {"vendor": cells.get("VENDOR", ""), "model": cells.get("MODEL", "")}
    serial, wwn = cells.get("SERIAL", ""), cells.get("WWN", "").removeprefix("0x")
    for name in filter(_WWID.fullmatch, (wwn, serial)):
        told["wwid"] = NAA + name
    if _OF_NVME.fullmatch(wwn):
        told["wwid"] = wwn
    if serial and not _WWID.fullmatch(serial):
        told["serial"] = serial
    return told


def _row_of(cells: Mapping[str, str]) -> LsblkRow | None:
    """Return a line by its cells; None if one of them is none of its column."""
    cells = {name: cell.strip() for name, cell in cells.items()}
    number, kind, kernel = (cells.get(column, "") for column in ("MAJ:MIN", "TYPE", "KNAME"))
    name = cells.get("NAME") or cells.get("PATH") or kernel
    if of_kernel := _WITH_KERNEL.fullmatch(name):
        name, kernel = of_kernel[1], kernel or of_kernel[2]
    if "NAME" not in cells and "PATH" not in cells:
        kernel = name
    if (
        not name or _STRANGE.search(name + kernel)
        or ("MAJ:MIN" in cells and not re.fullmatch(NUMBER, number))
        or ("TYPE" in cells and not re.fullmatch(_TYPE, kind))
        or is_cut_uuid(cells.get("UUID", ""))
    ):  # fmt: skip
        return None
    if kind and not re.fullmatch(_OF_TYPE, kind):  # how the uuid of a device of the device mapper begins
        kind = "" if is_of_kernel(kernel or name.removeprefix("/dev/")) else "dm"
    told: dict[str, Value] = _identity(cells) if _OF_LUN.fullmatch(kernel or name) else {}
    if re.fullmatch("[0-9]{1,18}", start := cells.get("START", "")):
        told["start"] = int(start)
    if (label := cells.get("LABEL", "")) and not cells.get("FSTYPE", "").endswith("_member"):
        told["links"] = tagged(f"LABEL={label}") + f" {OF_ASM}/{label}" * (cells.get("FSTYPE") == ASM)
    if re.fullmatch("[0-9]{3,20}", size := cells.get("SIZE", "")):
        told["size"] = int(size) // SECTOR
    address = cells.get("HCTL", "")
    points = cells.get("MOUNTPOINTS") or cells.get("MOUNTPOINT", "")
    return LsblkRow(
        number, name, kernel, kind, tuple(points.split("\n")),
        cells.get("FSTYPE", ""), cells.get("UUID", ""), cells.get("PKNAME", "").removeprefix("/dev/"),
        address if re.fullmatch(ADDRESS, address) else "", told, rounded_size(size) // SECTOR,
    )  # fmt: skip


def _named(row: LsblkRow) -> tuple[str, str, str]:
    """Return the name of a device, that of the kernel, which may be empty, and its sort."""
    name, kernel = (re.sub("^/dev/(?:mapper/)?", "", word) for word in (row.name, row.kernel))
    sort = _SORTS.get(row.kind) or ("md" if row.kind.startswith(("raid", "md")) else "")
    if sort == "partition" and sort_of(kernel or name, is_below=True) != sort and not may_be_part(name):
        sort = "dm"  # so lsblk calls the partitions of a multipath device, too
    if (own := sort_of(kernel or name, is_below=True)) in {"md", STACKED}:
        sort = own
    if sort == "dm" or (not sort and minor_of_dm(kernel or name)):
        kernel = next((word for word in (kernel, name) if minor_of_dm(word)), "")
        return name, kernel or (f"dm-{row.number.partition(':')[2]}" if row.number else ""), "dm"
    if kernel or row.kind or is_of_kernel(name):
        return name, kernel or name, sort or sort_of(kernel or name, is_below=False)
    # its type is not printed, and no driver names its devices so
    return name, f"dm-{row.number.partition(':')[2]}" if row.number else "", "dm"


class LsblkTree:
    """Collects the devices of one output of lsblk, and what each is built on."""

    def __init__(self, facts: Facts, output: str) -> None:
        """Begin with nothing; `output` is where it begins."""
        self._facts = facts
        self._output = output
        self._below: dict[str, dict[str, None]] = {}
        self._sorts: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        """The key of each device by its kernel name."""
        self._places: dict[str, str] = {}
        self._joins: dict[str, tuple[str, str]] = {}
        """The names of devices that join paths to one disk, the kernel's and the mapper's, by their keys."""
        self._parts: set[str] = set()
        """The keys of partitions of mapped devices, each of which is on one."""
        self._guessed: set[str] = set()
        """The keys of devices of which lsblk may show a part of what they are built on."""

    def add(self, place: str, row: LsblkRow) -> str:
        """Add a row; return the key of its device, empty if its name and its number are not of one device."""
        name, kernel, sort = _named(row)
        if row.number and kernel and not fits(kernel, row.number):
            return ""
        key = row.number or kernel or name
        say = self._facts.say
        say(LAYER, key, place, name=kernel, sort=sort, **row.told)
        if row.about:
            self._facts.rounded.setdefault(name, (row.about, place))
        if row.address and sort == "disk":
            self._facts.aliases[scsi(row.address)] = kernel
            say_scsi(self._facts, row.address, place)
        self._facts.name_dasd(kernel, place)
        is_mapped = sort == "dm" and not minor_of_dm(name)
        if is_mapped:
            say(LAYER, key, place, mapped=name, uuid=_UUIDS.get(row.kind, ""))
        if row.kind == "mpath" and is_mapped:
            self._joins[key] = kernel, name
        self._parts |= {key} if row.kind == "part" and is_mapped else set()
        source = f"/dev/mapper/{name}" if is_mapped else f"/dev/{kernel or name}"
        for point in row.points:
            if point == SWAPPED:
                self._facts.swaps.setdefault(source, place)
            if point.startswith("/"):
                mount = MountRow(source, point, row.fstype, "", place, output=self._output)
                self._facts.mounts.setdefault((key, point), mount)
        if row.fstype:
            self._facts.say_content(source.removeprefix("/dev/"), place, row.fstype, row.uuid)
        self._sorts[key] = sort
        self._keys[kernel or name] = key
        self._places.setdefault(key, place)
        return key

    def forget(self, key: str, point: str) -> None:
        """Take back a mount point of which only the beginning was read."""
        self._facts.mounts.pop((key, point), None)

    def hang(self, key: str, below: str) -> None:
        """Say that a device is built on another."""
        self._below.setdefault(key, {})[below] = None

    def hide(self, key: str) -> None:
        """Say that a device is built on one that has no line."""
        if self._sorts.get(key) != "partition":
            self._facts.leave_open(UNSEEN, OF_TREE)
            self.hang(key, UNSEEN)

    def hide_all(self) -> None:
        """Say that each device that may have several below it may be built on one that has no line."""
        for key, sort in self._sorts.items():
            if sort in {"dm", "md", STACKED}:
                self.hide(key)

    def guess(self, key: str) -> None:
        """Say that a device may be built on others than lsblk shows, unless another source has them."""
        is_drawn = key in self._parts and self._below.get(key)
        if self._sorts.get(key) in {"dm", "md", STACKED} and not is_drawn:
            self.hide(key)
            self._guessed.add(key)

    def guess_all(self) -> None:
        """Say so of each device, because lsblk was asked for a part of them."""
        for key in [key for key in self._sorts if self._below.get(key)]:
            self.guess(key)

    def list_all(self) -> None:
        """Say that these are all devices."""
        self._facts.shown |= {*self._keys}

    def finish(self) -> None:
        """Say what each device is built on: a partition on one disk, others on all that lines show."""
        for key, sort in self._sorts.items():
            below = self._below.get(key, {})
            place = self._places[key]
            if sort == "partition":
                disk = next(iter(below), "") or self._disk_of(key)
                self._facts.say(LAYER, key, place, parent=disk)
            elif key in self._guessed:
                self._facts.hint(LAYER, key, place, below=" ".join(below))
            elif below or sort == "disk":
                self._facts.say_below(key, place, " ".join(below))
            if key in self._joins and key not in self._guessed:
                self._say_paths(key, below, place)

    def _say_paths(self, key: str, paths: Iterable[str], place: str) -> None:
        """Say that a device joins paths to one disk; of their states lsblk says nothing."""
        kernel, title = self._joins[key]
        if not kernel:
            return
        self._facts.say(MULTIPATH, kernel, place, title=title)
        self._facts.hint(MULTIPATH, kernel, place, via="lsblk")
        for path in paths:
            if ":" in path:
                self._facts.say(PATH, path, place, map=kernel)
                self._facts.hint(PATH, path, place, via="lsblk")
                for name in (name for name, other in self._keys.items() if other == path):
                    self._facts.say(PATH, path, place, name=name)

    def _disk_of(self, key: str) -> str:
        """Return the key of the disk of a partition, by its name; empty if there is none."""
        name = next((name for name, other in self._keys.items() if other == key), "")
        return self._keys.get(disk_name(name), "") if disk_name(name) != name else ""


class TreeRow(NamedTuple):
    """The place of a row in a drawn tree."""

    level: int
    key: str
    """Empty for a device that has no line."""
    name: str
    """In /dev, or in /dev/mapper."""
    kind: str = ""
    is_last: bool = False
    """Whether it is drawn as the last below its parent."""
    follows: bool = True
    """Whether the line before it was understood."""
    drawn: str = ""
    """What is drawn before it."""


class Lsblk(OrDocument):
    """Devices of lsblk in whichever of its forms.

    With -s the tree is turned round: what hangs on a device is what that is built on.
    """

    tool = "lsblk"
    tells = ("layer", "mount", "swap")
    lists = (ALL_DASD, ALL_DISKS)
    narrowing = "-I|--include|-E|--dedup|-[a-zA-Z]*d[a-zA-Z]*(?![a-zA-Z=-])|--nodeps|/dev/"
    heading = (
        r"(?:[A-Z][A-Z-]+ +)*K?NAME +(?:[A-Z-]+ +)*(?:MAJ[:_]MIN|FSTYPE)\b"
        rf"|(?=.*(?<!\S)(?:{_OWN})(?!\S))(?:{_COLUMN} +)*(?:{'|'.join(_NAMES)})(?: +{_COLUMN})* *$"
    )
    first = (
        r'(?=(?:.*" )?(?:NAME|PATH)="[^"]*")'
        rf'(?=(?:.*" )?(?:{_OWN}|MAJ_MIN)="){_ANY}="[^"]*"(?: {_ANY}="[^"]*")+ *$'
        r'|\{\s*"blockdevices"'
        rf"|\S{{1,128}} +{NUMBER} +[01] +[0-9.,]+[BKMGTPE]? +[01] {_OF_TYPE}(?!\S)"
    )
    outdented = r"\s*(?:[┌├└┆]|,->|\|->|'->|`-|\| |[0-9][0-9.,]*[BKMGTPE]? +\S)"
    longest = 1 << 16

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with nothing."""
        super().__init__(text, facts)
        self._tree = LsblkTree(facts, text.place())
        self._columns = Columns(" ".join(_DEFAULT) if text.tool in {"", "lsblk"} else "")
        self._has_heading = self._is_single = False
        """Whether there is a heading, and whether single blanks divide its words, as in the form -r."""
        self._chart = 0
        """Characters left of the tree, where -M draws groups."""
        self._groups: dict[int, list[str]] = {}
        """The keys of the members of each group by where it is drawn; an empty key for one without a line."""
        self._ended: set[int] = set()
        """Where groups are drawn whose last member was there."""
        self._rows: list[TreeRow] = []
        self._is_whole = True
        """Whether the row that the next one may hang on was understood."""
        self._has_hole = False
        """Whether a line between two rows was not understood, which may have been one of any device."""
        self._lost: list[str] = []
        """The lines that were not understood."""
        self._last: tuple[str, LsblkRow] | None = None
        self._begun: BegunRow | None = None
        self._begun_chart = ""
        """What -M draws before a row that has begun."""
        self._pairs: list[tuple[int, dict[str, str]]] = []
        self._above: list[tuple[str, LsblkRow]] = []
        """The keys and lines of devices in a list."""
        self._is_inverse = re.search(r"\s(?:-[a-zA-Z]*s[a-zA-Z]*|--inverse)(?!\S)", text.command) is not None
        self._is_raw = re.search(r"\s(?:-[a-zA-Z]*r[a-zA-Z]*|--raw)(?!\S)", text.command) is not None
        self._is_list = re.search(r"\s(?:-[a-zA-Z]*l[a-zA-Z]*|--list)\b", text.command) is not None

        self._take_asked(text)

    def _take_asked(self, text: CollectedText) -> None:
        """Know the columns that the command asks for, if that prints no heading (-n)."""
        names = [name.upper() for name in asked_columns(text.command)]
        if re.search(r"\s(?:-[a-zA-Z]*n[a-zA-Z]*|--noheadings)(?!\S)", text.command) is None:
            return
        if {*names}.isdisjoint(_NAMES) or not {*names} <= {*_NAMES, *_RIGHT, *_OTHERS}:
            return
        if self._is_raw:
            self._columns = Columns(" ".join(names))
        else:
            rows = [row for row in text.text.split("\n") if row.strip()]
            self._columns = Columns.below(names, rows, r"(?<!\S)[ |`├└│─-]*[|`├└│─-]")
        self._has_heading = len(self._columns) > 0

    @property
    def is_part(self) -> bool:
        """Whether the command asks for some devices alone, or leaves out numbers that disks have."""
        left_out = re.search(r"\s(?:-e|--exclude)[ =]?([0-9,]+)", self.text.command)
        return super().is_part or (
            left_out is not None and not _NO_DISKS.issuperset(re.findall("[0-9]+", left_out[1]))
        )

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of lsblk: its rows may have any columns."""
        return _LIKE.match(row) is not None or _CELL.search(row) is not None

    def blank(self) -> None:
        """End a row that has no further cells."""
        self._end_begun(is_blank=True)

    def take(self, number: int, row: str) -> bool | None:
        """Take a line, and keep one that is not understood."""
        taken = super().take(number, row)
        self._lost += [row] if taken is None else []
        return taken

    def lost(self) -> None:
        """Expect the next row of the tree to hang on the line that is not understood."""
        self._end_begun()
        self._is_whole, self._last = False, None
        self._groups.clear()
        self._ended.clear()

    @line(r'(?:[A-Z][A-Z0-9:_%-]{0,30}="[^"]*"\s*)+')
    def pairs(self, match: re.Match[str]) -> bool:
        """Take a row of -P, whose blanks and quotes are escaped."""
        pairs = {name.replace("_", ":") if name == "MAJ_MIN" else name: unescaped_hex(cell)
                 for name, cell in _PAIR.findall(match[0])}  # fmt: skip
        if pairs.keys().isdisjoint(_NAMES):
            return False
        self._pairs.append((self.number, pairs))
        return True

    @line(rf"( *)((?:{_ANY} +)*(?:{'|'.join(_NAMES)})(?: +{_ANY})*) *")
    def head(self, match: re.Match[str]) -> None:
        """Take the heading, which says what is in which column, and where the tree begins."""
        self._chart = match.end(1) if match[2].startswith("NAME") else 0
        self._columns, self._has_heading = Columns(match[0][self._chart :]), True
        self._is_single = "  " not in match[2]
        self._is_whole, self._last = True, None

    @line(r".*\S.*")
    def row(self, match: re.Match[str]) -> bool:
        """Take a row of the tree or the list, or a further mount point of the one above."""
        chart, row = match[0][: self._chart], match[0][self._chart :]
        begun = self._begun and self._columns.continued(self._begun, self.number, row, _RIGHT)
        if begun and (begun.column or self._take_cells(begun.cells, self._begun_chart)):
            self._begun = begun if begun.column else None
            return True
        self._end_begun()
        cells = self._cells(row)
        if cells and (taken := self._take_cells(cells, chart)) is not None:
            return taken
        if not chart.strip() and (self._take_point(row) or self._take_loose(row)):
            return True
        self._begun = self._columns.begun(self.number, row, _RIGHT) if self._has_heading else None
        self._begun_chart = chart
        return self._begun is not None

    def _take_cells(self, cells: dict[str, str], chart: str) -> bool | None:
        """Take a device or a further mount point by its cells; None if these are of neither."""
        name = cells.get("NAME", "")
        drawn = name[: len(name) - len(_TREE.sub("", name, count=1))]
        cells["NAME"] = name = name[len(drawn) :]
        if not any(cells.get(column) for column in _NAMES):
            return self._take_further(cells, drawn)
        if "NAME" not in self._columns:
            del cells["NAME"]
        told = _row_of(cells)
        return None if told is None else self._take(told, drawn, chart)

    def _end_begun(self, *, is_blank: bool = False) -> None:
        """End a row whose rest did not follow; a blank line is the rest of one without further cells."""
        begun, self._begun = self._begun, None
        if begun and not (is_blank and self._take_cells(begun.cells, self._begun_chart)):
            self.strange += [*begun.lines]
            self._lost += begun.lines.values()
            self._is_whole, self._last = False, None

    def _cells(self, row: str) -> dict[str, str]:
        """Return the cells of a row, if it fits the heading."""
        if not self._has_heading:
            return {}
        cells = (
            {} if self._is_raw else self._columns.exact(row, _RIGHT) or self._columns.realigned(row, _RIGHT)
        )
        return raw_cells(row, [*self._columns]) if not cells and (self._is_raw or self._is_single) else cells

    def _take(self, told: LsblkRow, drawn: str, chart: str) -> bool:
        """Take a device."""
        if drawn and not drawn.strip():  # a row in a tree is drawn
            return False
        key = self._tree.add(self.place, told)
        if key:
            self._last = key, told
            self._group(chart, key, told.kind)
            self._above.append((key, told))
            is_last = drawn.rstrip("─- ").endswith(("└", "`"))
            name = _named(told)[0]
            self._rows.append(TreeRow(len(drawn) // 2, key, name, told.kind, is_last, self._is_whole, drawn))
            self._has_hole = self._has_hole or (not self._is_whole and len(self._rows) > 1)
            self._is_whole = True
        return bool(key)

    def _take_further(self, cells: Mapping[str, str], drawn: str) -> bool:
        """Take a line without a device: a further mount point, or a further directory that is mounted."""
        if drawn.rstrip().endswith(("─", "-")):
            return False  # to a device whose name is lost
        filled = {name for name, cell in cells.items() if cell.strip()}
        return filled <= {"MOUNTPOINTS", "FSROOTS"} and self._add_point(cells.get("MOUNTPOINTS", ""), drawn)

    def _add_point(self, point: str, drawn: str) -> bool:
        if self._last is None:
            return False
        key, row = self._last
        above = self._rows[-1].drawn if self._rows else ""
        if above and above.startswith(("│", "|", "├")) != drawn.startswith(("│", "|")):
            return False  # the lines that are drawn beside it are not those of the row before
        points, point = [*row.points], point.strip()
        if point and not point.startswith(("/", SWAPPED)):
            # a terminal was too narrow for the point: the rest of it
            if not points or not points[-1].startswith("/"):
                return False
            beginning = points.pop()
            self._tree.forget(key, beginning)
            if len(beginning) % self._width_of_points():
                self._last = key, row._replace(points=tuple(points))
                return False
            point = f"{beginning}{point}"
        self._last = key, row._replace(points=(*points, *filter(None, [point])))
        return bool(self._tree.add(self.place, self._last[1]))

    def _width_of_points(self) -> int:
        """Return the width of the column of mount points, which is that of its heading if it is narrow."""
        behind = self._columns.around("MOUNTPOINTS")[1]
        begin = self._columns.begin("MOUNTPOINTS")
        return self._columns.begin(behind[0]) - begin - 1 if behind else len("MOUNTPOINTS")

    def _take_point(self, row: str) -> bool:
        """Take a further mount point in a table whose columns do not fit: a row without a number."""
        match = re.fullmatch(r"([ │|]+)((?:/|\[SWAP\]).*)", row)
        begin = max(self._columns.begin("MOUNTPOINTS"), self._columns.begin("MOUNTPOINT"))
        return match is not None and 0 < begin - 1 <= match.start(2) and self._add_point(match[2], match[1])

    def _take_loose(self, row: str) -> bool:
        """Take a row in a table whose columns do not fit; it begins with name and number."""
        drawn = _TREE.match(row)
        depth = drawn.end() if drawn else 0
        told = self._loose(row, depth)
        return told is not None and self._take(told, row[:depth], "")

    def _loose(self, row: str, depth: int) -> LsblkRow | None:
        columns = self._columns
        cells = columns.cells(row, depth)
        names, _ = columns.around("MAJ:MIN")
        match = _CELL.search(row)
        if match is None or not names or not {*names} <= {"NAME", "KNAME"}:
            return None
        printed = re.findall(rf"{_WITH_KERNEL.pattern}|(\S+)", row[depth : match.start()])
        printed = [f"{title} ({kernel})" if kernel else name for title, kernel, name in printed]
        if len(printed) != len(names):
            return None
        told = {**dict(zip(names, printed, strict=True)), "MAJ:MIN": match[0]}
        # a group of users is `disk`, too
        kind = _KIND.search(row, match.end()) if "TYPE" in columns else None
        if kind is None and columns.comes_after("TYPE", "MAJ:MIN"):
            return None
        if columns.last in {"MOUNTPOINT", "MOUNTPOINTS"} and (
            point := re.search(r"(?<!\S)(?:/.*|\[SWAP\])", row[match.end() :])
        ):
            told["MOUNTPOINTS"] = point[0]
        told |= {name: cells.get(name, "") for name in ("FSTYPE", "UUID")}
        return _row_of(told if kind is None else {**told, "TYPE": kind[0]})

    def _group(self, chart: str, key: str, kind: str) -> None:
        """Take what -M draws left of a device: a member of a group, or what is on all its members.

        A group that is no more drawn, and on which nothing was, shows that a line is missing.
        """
        for at in range(0, len(chart) - 1, _GROUP):
            first, second, third = tuple(f"{chart[at : at + _GROUP]:3}")
            is_member = first in "┌├└,'" or (first == "|" and third == ">")
            is_child = second in "├└`" or (second == "|" and third in "-┈")
            if first in "┌," or (not is_member and not is_child and {first, second}.isdisjoint("┆|")):
                self._has_hole = self._has_hole or self._groups.pop(at, None) is not None
                self._ended.discard(at)
            if is_member:
                self._groups.setdefault(at, [] if first in "┌," else [""]).append(key)
                self._ended |= {at} if first in "└'" else set()
            elif is_child:
                for member in self._groups.get(at, [""]):
                    self._tree.hang(key, member) if member else self._tree.hide(key)
                if at not in self._ended or not kind.startswith(_OF_ONE) or self._is_inverse:
                    self._tree.guess(key)
                if second in "└`":
                    self._groups.pop(at, None)

    def _hang_rows(self) -> None:
        """Find what each row hangs on; one whose parent has no line hangs on a device that is not known.

        A parent has no line if more than a level lies between, or another row of the level was the last one.
        """
        self._turn(
            (row.kind, row.name, above.name)
            for above, row in pairwise(self._rows)
            if row.level > above.level or (row.kind == "disk" and row.level)
        )
        open_rows: list[TreeRow] = []
        for row in (*self._rows, TreeRow(0, "", "")):
            follows = row.follows
            while open_rows and open_rows[-1].level >= row.level:
                ended = open_rows.pop()
                if ended.level == row.level:
                    follows = follows and (not ended.is_last or ended.key == row.key or not row.level)
                elif not ended.is_last and self._is_inverse and open_rows:
                    self._tree.hide(open_rows[-1].key)  # a row that was to come did not
            if follows and open_rows and self._can_hang(row, open_rows):
                self._hang(row.key, open_rows[-1].key)
            elif row.level:
                self._tree.hide(open_rows[-1].key if self._is_inverse and open_rows else row.key)
                while open_rows and open_rows[-1].level >= row.level - 1:
                    open_rows.pop()
                open_rows.append(TreeRow(row.level - 1, "", "", drawn=row.drawn[:-2]))
            open_rows.append(row)

    def _turn(self, pairs: Iterable[tuple[str, str, str]]) -> None:
        """Know an inverse list (-s) without its command: what stands below a partition is its disk.

        Takes types and names of devices, each with the name of that above it.  What a driver has built on
        other devices has the type of a disk, too.
        """
        self._is_inverse = self._is_inverse or any(
            (kind == "disk" and is_of_kernel(name) and sort_of(name, is_below=True) != STACKED)
            or (name != above and name == disk_name(above))
            for kind, name, above in pairs
        )

    def _hang(self, key: str, parent: str) -> None:
        upper, below = (parent, key) if self._is_inverse else (key, parent)
        if below:
            self._tree.hang(upper, below)
        else:
            self._tree.hide(upper)

    def _can_hang(self, row: TreeRow, open_rows: list[TreeRow]) -> bool:
        """Return whether a row hangs on the last of those above it, by its level, its drawing and its name.

        Beside a row a line leads down from each row above that is not the last of its level; a partition has
        the name of its disk.
        """
        parent = open_rows[-1]
        beside = "".join("  " if above.is_last else "│ " for above in open_rows[1:])
        drawn = row.drawn[:-2].replace("|", "│")
        if parent.level != row.level - 1 or (all(above.key for above in open_rows) and drawn != beside):
            return False
        part, disk = (parent, row) if self._is_inverse else (row, parent)
        if sort_of(part.name, is_below=True) == "partition":
            return not disk.name or disk_name(part.name) == disk.name
        return part.kind != "part" or part.name.startswith(disk.name)

    def end(self) -> None:
        """Say what each device is built on."""
        self._end_begun()
        self._guess_lost()
        self._hang_rows()
        if "PKNAME" in self._columns and not any(row.level for row in self._rows):
            self._hang_named(self._above)
        tells_above = not self._is_list or "PKNAME" in self._columns
        if self._has_hole and tells_above:
            self._tree.hide_all()
        self._take_pairs()
        super().end()
        if self.is_part and not self._is_inverse:
            self._tree.guess_all()
        else:
            self._tree.list_all()
        self._tree.finish()

    def _guess_lost(self) -> None:
        """Say of a device that a line names which was not understood, or cut, that it may be on more."""
        for lost in () if self._is_inverse else self._lost:
            begin = "".join(_TREE.sub("", lost, count=1).split()[:1]).rstrip(">?\u2026")
            for row in self._rows:
                if row.name.startswith(begin):
                    self._tree.guess(row.key)

    def _take_pairs(self) -> None:
        rows: list[tuple[str, LsblkRow]] = []
        most = max((len(pairs) for _number, pairs in self._pairs), default=0)
        for number, pairs in self._pairs:
            row = _row_of(pairs) if len(pairs) == most else None
            key = self._tree.add(self.place_of(number), row) if row else ""
            if row and key:
                rows.append((key, row))
            else:
                self.strange.append(number)
        self._hang_named(rows)

    def _hang_named(self, rows: list[tuple[str, LsblkRow]]) -> None:
        """Hang devices of a list on those above them.

        In the order of the tree a device comes again below each that it is built on; else it comes once, with
        one of them.
        """
        keys = {_named(row)[1]: key for key, row in rows}
        if not any(row.above for _key, row in rows):
            self._hang_maps(rows)
        chain: list[str] = []
        is_tree = True
        for _key, row in rows:
            while chain and chain[-1] != row.above:
                chain.pop()
            is_tree = is_tree and bool(chain or not row.above)
            chain.append(_named(row)[1])
        is_tree = is_tree or len({key for key, _row in rows}) < len(rows)
        self._turn((row.kind, _named(row)[1], row.above) for _key, row in rows if row.above)
        for key, row in rows:
            if row.above:
                self._hang(key, keys.get(row.above, ""))
                if not is_tree:
                    self._tree.guess(key)

    def _hang_maps(self, rows: list[tuple[str, LsblkRow]]) -> None:
        """Hang maps on the disks before them: a list without the names above devices has the tree's order.

        In newer releases each device comes once there, and a map with one of its paths.
        """
        is_sorted = re.search(r"\s(?:-[a-zA-Z]*x|--sort)", self.text.command) is not None
        if is_sorted or self._is_inverse:
            return
        is_whole = len({key for key, _row in rows}) < len(rows)
        disks: dict[str, list[str]] = {}
        for (disk, above), (key, row) in pairwise(rows):
            if row.kind == "mpath":
                disks.setdefault(key, []).append(disk if above.kind == "disk" else "")
        for key, before in disks.items():
            if all(before) and (self.text.command or len(before) > 1):  # without a command it may be inverse
                for disk in before:
                    self._tree.hang(key, disk)
                if not is_whole:
                    self._tree.guess(key)

    def document(self, document: dict[str, Any]) -> bool:
        """Take the devices of -J."""
        rows: list[LsblkRow | None] = []
        above = [*self._children(document.get("blockdevices"), rows, -1, 0)]
        keys = [self._tree.add(self.place, row) if row else "" for row in rows]
        names = [row.name if row else "" for row in rows]
        kinds = [row.kind if row else "" for row in rows]
        self._turn((kinds[at], names[at], names[other]) for at, other in enumerate(above) if other >= 0)
        for key, other in zip(keys, above, strict=True):
            if key and other >= 0:
                self._hang(key, keys[other])
        if any(keys) and not all(keys):
            self.strange.append(self.number)
        return any(keys)

    def _children(self, devices: Any, rows: list[LsblkRow | None], above: int, depth: int) -> Iterator[int]:
        """Add the devices of a document, None for one that is not understood; yield which is above each."""
        for device in objects(devices) if depth < MAX_DEPTH else ():
            listed = device.get("mountpoints")
            points = map(_word, listed) if isinstance(listed, list) else [_word(listed)]
            cells = {name.upper(): _word(cell) for name, cell in device.items() if cell is not None}
            rows.append(_row_of({**cells, "MOUNTPOINTS": "\n".join(points)}))
            yield above
            yield from self._children(device.get("children"), rows, len(rows) - 1, depth + 1)


def _word(value: object) -> str:
    """Return a cell of JSON as lsblk prints it elsewhere; numbers stand there without quotes."""
    return str(value).strip() if isinstance(value, str | int) and len(str(value)) <= 4096 else ""


class Partitions(Reading):
    """Numbers, sizes in KiB and names of /proc/partitions."""

    lists = (ALL_DASD, ALL_DISKS)
    heading = r"major minor  #blocks"

    nothing = (r"\s*major minor\s+#blocks\s+name\s*",)

    @line(r"\s*([0-9]{1,4})\s+([0-9]{1,8})\s+([0-9]{1,15})\s+(\S{1,64})\s*")
    def partition(self, match: re.Match[str]) -> bool:
        """Take a device."""
        major, minor, size, name = match.groups()
        if is_it := fits(name, f"{major}:{minor}"):
            sort = sort_of(name, is_below=False)
            self.facts.say(LAYER, f"{major}:{minor}", self.place, name=name, size=int(size) * 2, sort=sort)
            self.facts.listed.add(name)
        return is_it


class DiskStats(Reading):
    """Numbers and names of /proc/diskstats; what it counts needs a second one.

    Source: Linux, Documentation/admin-guide/iostats.rst.
    """

    first = rf"\s*{_OF_DISK} (?:[0-9]+ ){{10,18}}[0-9]+\s*$"
    outdented = first

    @line(rf"\s*{_OF_DISK}(?:\s+[0-9]+){{4,19}}\s*")
    def disk(self, match: re.Match[str]) -> bool:
        """Take a device."""
        major, minor, name = match.groups()
        if is_it := fits(name, f"{major}:{minor}"):
            sort = sort_of(name, is_below=False)
            self.facts.say(LAYER, f"{major}:{minor}", self.place, name=name, sort=sort)
        return is_it


_DIRECTORY: Final = r"/dev/(disk/by-[a-z-]{1,16}(?:/[^\s:]{1,200})?|mapper|disk)/?:?"
_BY_PATH: Final = re.compile(rf"ccw-({BUSID})")
_OF_BUS: Final = rf"(?:ccw-{BUSID}|(?:virtio-)?pci-[0-9a-f]{{4}}:[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7])"
"""How names by path begin, as no others do."""
_BY_UID: Final = re.compile(rf"ccw-({UID})")
_BY_PV: Final = re.compile("lvm-pv-uuid-([A-Za-z0-9]{6}(?:-[A-Za-z0-9]{4}){5}-[A-Za-z0-9]{6})")
_BY_WWID: Final = re.compile("(?:wwn-0x|scsi-3)(6[0-9a-f]{31}|[25][0-9a-f]{15})")


_OF_DISKS: Final = frozenset({"94", "8", *map(str, range(65, 72))})
"""The major numbers of DASDs and SCSI disks."""


class Links(Reading):
    """The names in /dev/disk, /dev/mapper and elsewhere in /dev that `ls -l` shows, and what these say."""

    tool = "ls -l"
    heading = r"/dev/(?:disk/by-[a-z-]{1,16}|mapper)/?:\s*$"
    first = rf"l[rwx-]{{9}}\S?\s.*\s{_OF_BUS}\S* -> \.\./\.\./\S+\s*$"
    nothing = (
        r"[^\W\d_]{3,16} [0-9]+(?:[.,][0-9]+)?[KMGT]?", r"[bcd-][rwxsStT-]{9}[.+@]?\s.*",
        r"l[rwx-]{9}\S?\s.* -> \S*(?:pts/|fd/|/proc/|/run/)\S*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with the directory in the command."""
        super().__init__(text, facts)
        operands = [word for word in text.command.partition("|")[0].split() if "/" in word]
        named = (re.fullmatch(_DIRECTORY, word) for word in operands)
        self._directory = next((match[1] for match in named if match), "")
        self._only = self._directory if len(operands) == 1 and not re.search(r"\s-\w*R", text.command) else ""
        """The directory if no line can name another."""
        folders = [word.rstrip("/") for word in operands if re.match("/dev(?:/|$)", word)]
        self._folder = folders[0] if len(operands) == 1 and folders and not self._directory else ""
        """Another directory of /dev: people and rules of udev name devices there."""
        self._busids: dict[str, str] = {}
        self._uids: dict[str, tuple[str, str]] = {}
        """Bus ids and unique ids of DASDs by their names, these each with the text."""

    def end(self) -> None:
        """Say which unique ids DASDs have, whose names by path tell their bus ids."""
        for name, (uid, place) in self._uids.items():
            if busid := self._busids.get(name) or dasd_named(self.facts, name):
                self.facts.hint(DEVICE, busid, place, uid=uid)
            else:
                self.facts.hint(LAYER, name, place, wwid=uid)

    def lost(self) -> None:
        """Know no directory: a line may have named another."""
        self._directory, self._folder = self._only, ""

    @line(rf"\s*{_DIRECTORY}\s*")
    def directory(self, match: re.Match[str]) -> None:
        """Take the directory of the lines that follow."""
        self._directory, self._folder = match[1], ""

    @line(r"(/dev(?:/\S*?)?)/?:\s*")
    def other_directory(self, match: re.Match[str]) -> None:
        """Take another directory."""
        self._directory, self._folder = "", match[1]

    @line(
        r"l[rwx-]{9}\S?\s.*?\s(?:/dev/(mapper|disk/by-[a-z-]{1,16})/)?([^/\s]{1,255})"
        r" -> (?:\.\./){0,9}(\S{1,255})\s*"
    )
    def link(self, match: re.Match[str]) -> bool:
        """Take a link to a device."""
        link, name = match[2], match[3]
        by_path = "disk/by-path" if re.match(_OF_BUS, link) else ""  # so no other directory has links
        directory = match[1] or self._directory or by_path
        say, place = self.facts.say, self.place
        if directory == "mapper":
            if minor_of_dm(name):
                say(LAYER, name, place, name=name, mapped=link, sort="dm")
        elif directory:
            say(LAYER, name, place, links=f"{directory}/{link}")
            if sort_of(name, is_below=False) == "partition":
                self.facts.name_device(name, place)
            self.facts.name_dasd(name, place)
            self._take_identity(link, name)
            if (of_lun := linked_lun(link)) and not of_lun.part:
                busid, wwpn, lun, _ = of_lun
                say(LAYER, name, place, name=name, sort="disk", busid=busid, wwpn=wwpn, lun=lun)
            elif path := _BY_PATH.fullmatch(link):
                say(LAYER, name, place, name=name, sort="disk", busid=path[1])
                say(DEVICE, path[1], place, block=name)
                self._busids[name] = path[1]
        return bool(directory)

    @line(r"b[rwx-]{9}\S?\s.*?\s([0-9]{1,4}), *([0-9]{1,8})\s.*?\s(/dev(?:/\S+)?/)?([^/\s]{1,255})\s*")
    def node(self, match: re.Match[str]) -> bool:
        """Take a device without a link: of /dev/mapper, as of `ls -lL`, or one that a rule of udev names."""
        major, minor, there, name = match.groups()
        folder = (there or self._folder).rstrip("/")
        is_mapped = folder == "/dev/mapper" or (not folder and self._directory == "mapper")
        is_named = bool(folder) and not is_of_kernel(name) and major in _OF_DISKS
        if is_mapped:
            self.facts.say(LAYER, f"{major}:{minor}", self.place, name=f"dm-{minor}", mapped=name, sort="dm")
        elif is_named:
            links = f"{folder}/{name}".removeprefix("/dev/")
            key = self.facts.name_device(name_of_number(f"{major}:{minor}"), self.place, f"{major}:{minor}")
            self.facts.say(LAYER, key, self.place, links=links)
            self.facts.say_asm(key, self.place, name * (folder == f"/dev/{OF_ASM}"))
        return is_mapped or is_named

    @line(r"l[rwx-]{9}\S?\s.*?\s(/dev/\S{1,255}|[^/\s]{1,255}) -> (\S{1,255})\s*")
    def other_link(self, match: re.Match[str]) -> bool:
        """Take a link of another directory, or one that was asked for; one to no device says nothing."""
        is_whole = match[1].startswith("/")
        link = match[1] if is_whole else f"{self._folder}/{match[1]}"
        target = posixpath.normpath(posixpath.join(posixpath.dirname(link), match[2]))
        name = target.removeprefix("/dev/")
        if (is_whole or self._folder) and name != target and is_of_kernel(name):
            key = self.facts.name_device(name, self.place)
            self.facts.say(LAYER, key, self.place, name=name, links=link.removeprefix("/dev/"))
        return is_whole or bool(self._folder)

    def _take_identity(self, link: str, name: str) -> None:
        """Take what a link by id says of a device: its name in /dev/mapper, its uuid there, its WWID."""
        say, begin, place = self.facts.say, link.partition("-")[0], self.place
        if uid := _BY_UID.fullmatch(link):
            self._uids[name] = uid[1], place
        elif pv := _BY_PV.fullmatch(link):
            self.facts.say_content(name, place, "LVM2_member", pv[1])
        elif minor_of_dm(name) and begin == "dm":
            field = "mapped" if link.startswith("dm-name-") else "uuid"
            say(LAYER, name, place, name=name, sort="dm", **{field: link.split("-", 2)[-1]})
        elif (match := _BY_WWID.fullmatch(link)) and _OF_LUN.fullmatch(name):
            say(LAYER, name, place, name=name, sort="disk", wwid=f"{NAA}{match[1]}")
