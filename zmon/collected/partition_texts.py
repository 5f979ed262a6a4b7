"""Partitions in texts: fdasd, fdisk -l, sfdisk -d, parted -l.

              /dev/dasdd1          2     3000     2999    1  Linux native          fdasd -p, in tracks
    /dev/vdf1    2048  133119  131072   64M Linux filesystem                       fdisk -l, in sectors
    /dev/vdf1 : start=        2048, size=      131072, type=...                    sfdisk -d
     1      2048s   22527s  20480s  ext4                                           parted, with `unit s`

Where a partition begins is taken if its length is the difference of its ends, in a unit that lines about
its disk name.  parted rounds unless it was asked for sectors or bytes.  These tools guess the names of
partitions of devices of the device mapper, which are not taken.
Sources: s390-tools, fdasd/fdasd.c; util-linux, disk-utils/fdisk-list.c, libfdisk/src/script.c; parted,
parted/parted.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zmon.base.plain_text import cells
from zmon.base.sizes import SECTOR
from zmon.collected.columns import Columns
from zmon.collected.dasd_texts import dasd_named
from zmon.collected.numbers import disk_name, is_of_kernel, may_be_part, sort_of
from zmon.collected.reading import OrDocument, Reading, line, objects
from zmon.kinds import DASD, LAYER

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_DEVICE: Final = r"/dev/(\S{1,250})"
_DISK: Final = r"[^\W\d_]\S*(?: \S+)?"
"""What a disk is called: the path and the figures behind it are the same in all languages."""
_COLON: Final = r"\s?[:\uff1a]\s*"
_SIZE: Final = r"[0-9]+(?:[.,][0-9]+)? ?[^\W\d]+[,\uff0c\u3001\u060c] ?(?:[^\W\d]+: )?"
"""A rounded size, and what stands before the bytes."""
_PROPERTY: Final = rf"[^\W\d][^/:\uff1a]{{0,60}}?{_COLON}"
"""The words before a property of a disk."""
_GUID: Final = "[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}"
_COUNT: Final = r"([0-9]{1,15})"
_MADE_FOR: Final = re.compile(
    r"(?i)\b(?:(?P<lvm>lvm|type=8e|E6D6D379-F507-44C2-A23C-238F2A3DF928)"
    r"|(?P<swap>linux[ -]swap|type=82|0657FD6D-A4AB-43C4-84E5-0933C84B4F4F)"
    r"|(?P<raid>linux raid|raid$|type=fd|A19D880F-05FC-4D3B-A006-743F0F84911E))\b"
)
"""The types of partitions that people choose for what is to be on them; parted has flags."""
_USES: Final = {"lvm": "a physical volume", "swap": "a swap area", "raid": "a member of an array"}
NO_TABLE: Final = "loop"
"""What parted calls the table of a disk that has none, but a file system."""


class PartitionReading(Reading):
    """Disks and their partitions."""

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a disk."""
        super().__init__(text, facts)
        self._disk = ""
        self._unit = 0
        """Bytes of the unit in which partitions are counted; 0 if it is not known."""

    def lost(self) -> None:
        """Know no disk."""
        self._disk, self._unit = "", 0

    def _take_disk(self, name: str, size: int = 0) -> None:
        """Take a disk, and its bytes."""
        self._disk, self._unit = name, 0
        if is_of_kernel(name):
            self.facts.say(
                LAYER, self.facts.name_device(name, self.place), self.place, size=size // SECTOR or ""
            )

    def _take_part(
        self, name: str, first: int = -1, last: int = -1, count: int = 0, *, kind: str = ""
    ) -> None:
        """Take a partition, and its place if that is exact: first and last unit, and how many; its type."""
        if sort_of(name, is_below=True) != "partition" and not may_be_part(name):
            return
        if made := _MADE_FOR.search(kind):
            self.facts.made_for.setdefault(name, (_USES[str(made.lastgroup)], self.place))
        row: dict[str, Value] = {}
        start, size = first * self._unit, count * self._unit
        is_exact = disk_name(name) == self._disk and size > 0 and last - first + 1 == count
        if is_exact and start % SECTOR == size % SECTOR == 0:
            row = {"start": start // SECTOR, "size": size // SECTOR}
        self.facts.in_tables.add(name)
        self.facts.say(LAYER, self.facts.name_device(name, self.place), self.place, **row)

    def _part_name(self, number: str) -> str:
        """Return the name of a partition of the disk by its number; empty if the kernel names none."""
        if not is_of_kernel(self._disk):
            return ""
        return f"{self._disk}{'p' if self._disk[-1].isdecimal() else ''}{number}"


class Fdasd(PartitionReading):
    """Partitions of a DASD by tracks, its cylinders and the label of its volume."""

    tool = "fdasd"
    tells = ("dasd", "layer")
    heading = r"reading volume label \.\.: "
    first = (
        r"  cylinders \.{5,}: [0-9]|WARNING: Your DASD '/dev/"
        r"|\s+/dev/dasd[a-z]{1,4}[1-3] +[0-9]+ +[0-9]+ +[0-9]+ +[0-9a-f]+  (?:Linux|GPFS)"
    )
    nothing = (
        r"\s*If you proceed, .*", r"\s*If possible exit .*", r"\s*and/or unmount it\.",
        r"reading (?:volume label|vtoc) \.+: .*", r"exiting\.\.\.", r" *-+ tracks -+",
        r"\s+Device\s+start\s+end\s+length.*",
        r"fdasd error: .*|(?:No|More than one) device specified\.", r"/dev/\S+ is not .*",
        r"\s+[0-9]+\s+[0-9]+\s+[0-9]+\s+unused\s*",
        r"  (?:volume label|max partitions|device) \.+: .*", r"rereading partition table\.\.\..*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin; the name may be known from the command."""
        super().__init__(text, facts)
        named = re.search(r"\s/dev/(dasd[a-z]{1,4})\s*$", text.command)
        self._asked = named[1] if named else ""
        self._is_label = re.search(r"\s-\w*i", text.command) is not None
        self._told: dict[str, str] = {}

    def lost(self) -> None:
        """Know no disk."""
        super().lost()
        self._told = {}

    @line(r"WARNING: Your DASD '/dev/(dasd[a-z]{1,4})' is in use\.")
    def warned(self, match: re.Match[str]) -> None:
        """Take which DASD is meant."""
        self._asked, self._is_label = match[1], True

    @line(rf"Disk {_DEVICE}:")
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk."""
        self._take_disk(match[1])
        self._told = {}

    @line(r"  (cylinders|tracks per cylinder|blocks per track|bytes per block) \.+: ([0-9]{1,9})\s*")
    def count(self, match: re.Match[str]) -> bool:
        """Take a figure of the disk."""
        if not self._disk:
            return False
        self._told[match[1]] = match[2]
        blocks, size = (int(self._told.get(what, "0")) for what in ("blocks per track", "bytes per block"))
        self._unit = blocks * size
        tracks = int(self._told.get("cylinders", "0")) * int(self._told.get("tracks per cylinder", "0"))
        busid = dasd_named(self.facts, self._disk)
        if match[1] == "cylinders" and busid:
            self.facts.say(DASD, busid, self.place, cylinders=int(match[2]))
        if match[1] == "bytes per block" and busid:
            self.facts.say(DASD, busid, self.place, block_size=size)
        if tracks and self._unit:
            self.facts.say(LAYER, self._disk, self.place, size=tracks * self._unit // SECTOR)
        return True

    @line(r"  volume serial \.+: (\S.{0,5}?)\s*")
    def serial(self, match: re.Match[str]) -> bool:
        """Take the label of the volume."""
        return self._label(self._disk, match[1])

    @line(r"([A-Z0-9$#@]{1,6})\s*")
    def label_alone(self, match: re.Match[str]) -> bool:
        """Take the label of the volume that `fdasd -i` prints."""
        return self._is_label and not self._disk and self._label(self._asked, match[1])

    def _label(self, disk: str, label: str) -> bool:
        if busid := dasd_named(self.facts, disk) if disk else "":
            self.facts.say(DASD, busid, self.place, volser=label)
        elif disk:  # no text has its number
            self.facts.say(LAYER, disk, self.place, serial=label)
        return bool(disk)

    @line(rf"\s+{_DEVICE}\s+{_COUNT}\s+{_COUNT}\s+{_COUNT}\s+[0-9a-f]{{1,2}}\s+(\S.*)")
    def part(self, match: re.Match[str]) -> None:
        """Take a partition: its first and last track, and how many these are."""
        self._take_part(match[1], *map(int, match.groups()[1:4]), kind=match[5])


class Fdisk(PartitionReading, OrDocument):
    """Sizes of disks, and partitions by sectors, of `fdisk -l` or `sfdisk -l`, `-d`, `-J`."""

    tool = "fdisk"
    heading = (
        rf"{_DISK} /dev/\S{{1,250}}?{_COLON}{_SIZE}[0-9]{{1,18}}\b"
        r"|label: (?:gpt|dos|dasd|sun)$|# partition table of /dev/"
    )
    first = r'/dev/\S+ : start= *[0-9]+, size= *[0-9]+|\{\s*"partitiontable"'
    nothing = (
        r"[^\W\d]\D*[0-9]{3,9}(?: \S+)? ?/ ?[0-9]{3,9}(?: \S+)?",  # sizes of sectors and of I/O
        rf"{_PROPERTY}(?:dos|gpt|dasd|sun|sgi|bsd|0x[0-9a-f]{{8}}|{_GUID}|[0-9]{{1,9}}(?: \S+)?)",
        rf"{_PROPERTY}(?:\D{{0,40}}[0-9]{{1,9}}){{3}}\D*",  # the geometry
        r"Device .*", r"(?:Disk model|Geometry): .*",
        r"label(?:-id)?: .*|(?:first|last)-lba: .*|table-length: .*|grain: .*",
        r"[0-9]+ heads, [0-9]+ sectors/track, [0-9]+ cylinders.*", r"\s*Device Boot .*",
        r"Disk /dev/\S+ doesn't contain a valid partition table",
        r"Partition table entries are not in disk order\.?",
        r"(?:Partition [0-9]+ does not .*|Note: .*|WARNING: .*|.fdisk: .*)", r"This doesn't look like .*",
        r"Probably you selected .*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a disk."""
        super().__init__(text, facts)
        self._begun = 0
        """The line that names the disk."""

    def take(self, number: int, row: str) -> bool | None:
        """Take a line; that below the disk may be its model, in any language."""
        is_below = self._disk and number == self._begun + 1
        is_model = is_below and re.fullmatch(rf"{_PROPERTY}(?!.*[0-9] = [0-9])\S.{{0,80}}", row)
        return False if is_model else super().take(number, row)

    @line(rf"{_DISK} /dev/(\S{{1,250}}?){_COLON}{_SIZE}([0-9]{{1,18}})\b.*")
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk, and its bytes."""
        self._take_disk(match[1], int(match[2]))
        self._begun = self.number

    @line(r"[^\W\d][^\d/:\uff1a]* {2,}[^\W\d][^\d/:\uff1a]*")
    def head(self, match: re.Match[str]) -> bool:
        """Know the heading of partitions."""
        return bool(self._disk) and len(match[0].split()) > _FEWEST

    @line(r"[^\W\d]\D*1 [*\u00d7] ([0-9]{3,5}) = \1 [^\W\d]+.*", r"sector-size: ([0-9]{3,5})")
    def unit(self, match: re.Match[str]) -> bool:
        """Take the unit of what follows, in bytes."""
        if self._disk:
            self._unit = int(match[1])
        return bool(self._disk)

    @line(r"Units = cylinders of [0-9]+ \* [0-9]+ = [0-9]+ bytes")
    def rounded(self, _match: re.Match[str]) -> None:
        """Take that partitions are counted in cylinders of a geometry that no disk has."""
        self._unit = 0

    @line(rf"{_DEVICE}\s+(?:\*\s+)?{_COUNT}\s+{_COUNT}\s+{_COUNT}\+?\s+(\S.*)")
    def part(self, match: re.Match[str]) -> None:
        """Take a partition; old versions print how many KiB it has."""
        first, last, count = map(int, match.groups()[1:4])
        sectors = last - first + 1
        is_old = count != sectors and count == sectors * self._unit // 1024
        self._take_part(match[1], first, last, sectors if is_old else count, kind=match[5])

    @line(r"(?:device: |# partition table of )/dev/(\S{1,250})")
    def dumped(self, match: re.Match[str]) -> None:
        """Take a disk of `sfdisk -d`; old versions count in 512 bytes and do not say so."""
        self._take_disk(match[1])
        self._unit = SECTOR if match[0].startswith("#") else 0

    @line(r"unit: sectors")
    def counted(self, _match: re.Match[str]) -> bool:
        """Take the unit of what follows."""
        return bool(self._disk)

    @line(rf"{_DEVICE} : start= *{_COUNT}, size= *{_COUNT}(, .*)?")
    def dumped_part(self, match: re.Match[str]) -> None:
        """Take a partition of `sfdisk -d`."""
        first, count = int(match[2]), int(match[3])
        if count:
            kind = re.sub(r"(?i)\b(?:id|type)= *", "type=", match[4] or "")
            self._take_part(match[1], first, first + count - 1, count, kind=kind)

    def document(self, document: dict[str, Any]) -> bool:
        """Take the partitions of `sfdisk -J`."""
        table = document.get("partitiontable")
        if not isinstance(table, dict) or not isinstance(table.get("device"), str):
            return False
        self._take_disk(table["device"].removeprefix("/dev/"))
        size, parts = table.get("sectorsize"), table.get("partitions")
        self._unit = size if isinstance(size, int) and table.get("unit") == "sectors" else 0
        for part in [part for part in objects(parts) if isinstance(part.get("node"), str)]:
            at, count = part.get("start"), part.get("size")
            exact = (at, at + count - 1, count) if isinstance(at, int) and isinstance(count, int) else ()
            self._take_part(part["node"].removeprefix("/dev/"), *exact, kind=f"type={part.get('type')}")
        return True


_FEWEST: Final = 3
"""Columns that partitions have at least."""
_SYSTEM: Final = 4
"""The columns before that of file systems: number, start, end, size."""
_WITH_KINDS: Final = frozenset({"msdos", "dvh"})
"""Tables whose partitions have kinds, such as `primary`, in a column of their own."""
_TABLE: Final = "aix|amiga|atari|bsd|dasd|dos|dvh|gpt|gpt_sync_mbr|loop|mac|msdos|pc98|sun|unknown"
_MODEL: Final = r"(?:Mode[a-z]+|Mod\u00e8le|[^\x00-\x7f]+)"
_SORTS: Final = {"linux-swap(v1)": "swap", "linux-swap(v0)": "swap", "linux-swap": "swap"}
"""What signatures are called elsewhere, by what parted calls them."""


class Parted(PartitionReading):
    """Partitions that parted prints, in any language or with -m; exactly only by sectors or bytes."""

    tool = "parted"
    heading = rf"{_MODEL}{_COLON}\S.* \([a-z0-9/_-]+\)\s*$|BYT;$"
    nothing = (
        rf"{_MODEL}{_COLON}.*", r"BYT;|CHS;|CYL;",
        rf"{_PROPERTY}(?:pmbr_boot|implicit_partition_table)?\s*",  # flags of the disk
        r"\s+\S+\s+\S+\s+\S+\s+(?:Free Space|Freier Platz|Espace libre|Espacio libre)\s*",
        r"(?:Error|Warning|Fehler|Warnung|Information): .*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a disk."""
        super().__init__(text, facts)
        self._sector = 0
        self._has_table = True
        self._system = ""
        self._kinds = 0
        """Columns for the kinds of partitions."""

    def lost(self) -> None:
        """Know no disk."""
        super().lost()
        self._sector, self._columns = 0, Columns("")

    @line(rf"{_DISK}\s+/dev/(\S{{1,250}}?){_COLON}([0-9.,]+)([a-zA-Z]{{1,3}})\s*")
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk, and its size if that is exact."""
        self._begin(match[1], match[2], match[3], 0)

    @line(rf"\S.*{_COLON}([0-9]{{3,5}})B/[0-9]{{3,5}}B\s*")
    def sector(self, match: re.Match[str]) -> bool:
        """Take the bytes of a sector."""
        self._sector = int(match[1])
        return bool(self._disk)

    @line(rf"{_PROPERTY}({_TABLE})\s*")
    def table(self, match: re.Match[str]) -> bool:
        """Take the type of the table."""
        self._has_table, self._kinds = match[1] != NO_TABLE, int(match[1] in _WITH_KINDS)
        return bool(self._disk)

    @line(r"[^\W\d]+  [^\d/:\uff1a]*")
    def head(self, match: re.Match[str]) -> bool:
        """Take the heading of the partitions; characters of two columns are as wide as two."""
        wide = "".join(char * max(1, cells(char)) for char in match[0])
        self._columns = Columns(wide, r"\S+(?: \S+)*")
        names = [*self._columns]
        self._system = names[_SYSTEM + self._kinds] if len(names) > _SYSTEM + self._kinds else ""
        return bool(self._disk) and len(names) > _FEWEST

    @line(
        r"\s*([0-9]{1,3})\s+([0-9.,]+)([a-zA-Z]{1,3})\s+([0-9.,]+)[a-zA-Z]{1,3}"
        r"\s+([0-9.,]+)[a-zA-Z]{1,3}(?:\s.*)?"
    )
    def part(self, match: re.Match[str]) -> bool:
        """Take a partition."""
        number, first, unit, last, count = match.groups()
        if not self._disk or not len(self._columns):
            return False
        told = self._columns.sliced(match[0])
        self._take(number, (first, last, count), unit, told.get(self._system, ""), [*told.values()][-1])
        return True

    @line(r"/dev/([^\s:]{1,250}):([0-9.,]+)([a-zA-Z]{1,3}):[^:]*:([0-9]{3,5}):[0-9]{3,5}:([^:]*):.*;")
    def joined_disk(self, match: re.Match[str]) -> None:
        """Take a disk of -m."""
        self._begin(match[1], match[2], match[3], int(match[4]))
        self._has_table = match[5] != NO_TABLE

    @line(
        r"([0-9]{1,3}):([0-9.,]+)([a-zA-Z]{1,3}):([0-9.,]+)[a-zA-Z]{1,3}:([0-9.,]+)[a-zA-Z]{1,3}"
        r":([^:]*)(?::[^:]*)?:([^:]*);"
    )
    def joined_part(self, match: re.Match[str]) -> bool:
        """Take a partition of -m."""
        number, first, unit, last, count, system, flags = match.groups()
        if self._disk:
            self._take(number, (first, last, count), unit, system, flags)
        return bool(self._disk)

    def _begin(self, name: str, size: str, unit: str, sector: int) -> None:
        self._take_disk(name)
        self._sector, self._has_table, self._columns = sector, True, Columns("")
        bytes_of_unit = {"s": sector, "B": 1}.get(unit, 0)
        if bytes_of_unit and size.isdecimal() and is_of_kernel(name):
            self.facts.say(LAYER, name, self.place, size=int(size) * bytes_of_unit // SECTOR)

    def _take(self, number: str, place: tuple[str, ...], unit: str, system: str, flags: str) -> None:
        name = self._part_name(number)
        if not self._has_table or not name:
            return
        self._unit = {"s": self._sector, "B": 1}.get(unit, 0)
        is_exact = self._unit and all(map(str.isdecimal, place))
        self._take_part(name, *(map(int, place) if is_exact else ()), kind=flags)
        if re.fullmatch(r"[a-z][\w()-]{1,30}", system):
            self.facts.say_content(name, self.place, _SORTS.get(system, system), "")
