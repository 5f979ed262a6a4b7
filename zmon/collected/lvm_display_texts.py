"""LVM in texts: pvdisplay, vgdisplay -v, lvdisplay -m, also with -c, and pvscan, lvscan.

      --- Logical volume ---                       a record: lines NAME VALUE, ended by a line of blanks
      LV Path                /dev/vg/data
      --- Segments ---                             with -m, what the volume is on
      Logical extents 0 to 99:
        Stripes             2                      how many devices follow
          Physical volume   /dev/dasdb1
      PV /dev/dasdb1   VG vg   lvm2 [...]          pvscan
      ACTIVE  '/dev/vg/data' [64.00 MiB] inherit   lvscan
      /dev/dasdb1:vg:2888064:...                   pvdisplay -c; lvdisplay -c has the number at the end

Of a record in another language the abbreviations PV, VG and LV and the values tell what its lines are; it
begins right behind its ruler.
Sources: lvm2, lib/display/display.c, lib/striped/striped.c, lib/raid/raid.c, tools/pvscan.c, tools/lvscan.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from zmon.base.sizes import SECTOR
from zmon.collected.bare_names import PATH_OR_BARE, below_dev
from zmon.collected.lvm_texts import DEVICE, GROUP, LINEAR, LOST, TOLD, UUID, VolumeReading, whole_size
from zmon.collected.numbers import NUMBER
from zmon.collected.reading import line
from zmon.kinds import LAYER, STRIPED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_PATH: Final = rf"/dev/({GROUP})/({GROUP})"
_RULERS: Final = (
    r"(?:(?:NEW )?Physical volumes?|Volume group|(?:Historical )?Logical volume|Segments|Physical Segments)"
)
_BESIDE: Final = frozenset({
    "LV External origin name", "LV Cache pool name", "LV Cache origin name", "LV Pool metadata",
})  # fmt: skip
"""What names volumes that another one is on, besides its segments."""
_WHOLLY: Final = frozenset({"LV Pool name", "LV Pool data", "LV VDO Pool name", "LV VDO Pool data"})
"""What names the volume that another one is on, with all that it has."""
MANY: Final = 1 << 20
"""More segments than a volume has: how many these are was not read."""
_WITHOUT_DEVICES: Final = re.compile(
    "thin|thin-pool|cache|cache-pool|snapshot|error|zero|vdo|vdo-pool|writecache"
)
"""Types of segments without lines for devices."""
_ONE: Final = rf"/dev/[^\s:]{{1,250}}|(?!/){PATH_OR_BARE}|\[unknown\]|unknown device"
_FIELD: Final = (
    r"(?!PV unknown device  )(?:[PLV][VG] |Internal LV |# |- )[A-Za-z][\w ,]*?|(?:MAX|Cur|Open|Max|Act) [PL]V"
    r"|Block device|Segments|Format|System ID|Metadata Areas|Metadata Sequence No|Clustered|Shared"
    r"|Allocatable|Allocation"
    r"|(?:Total|Free|Allocated) PE|PE Size|(?:Alloc|Free)  ?PE / Size|Total PE / Free PE|Current LE"
    r"|COW-table (?:size|LE)|Allocated (?:to )?\w+(?: data)?|Snapshot chunk size|Mirrored volumes|Mapped size"
    r"|Read ahead sectors|Persistent m\w+|Cache [a-z]+ [\w/]+"
)
"""The names of lines of records."""
_NAMES: Final = frozenset({"PV Name", "LV Name", "LV Path"})
"""Lines that always have a value; only a physical volume may be in no group."""
_EXTENTS: Final = r"(?:Logical|Virtual) extents? ([0-9]{1,12}) to ([0-9]{1,12}):"
_SEGMENTS: Final = re.compile("(?i)segment|сегмент|セグメント")
"""What rulers of segments have in any language."""
TOTAL_FIELDS: Final = 11
"""Fields of `vgdisplay -c` up to the number of physical volumes that are there."""


class LvmDisplay(VolumeReading):
    """Records of physical volumes, groups and logical volumes, and the segments of these."""

    tool = "lvdisplay"
    lists_volumes = False
    called: ClassVar[Mapping[str, str]] = {
        "vgdisplay": r"^ *--- Volume group ---", "pvdisplay": r"^ *--- (?:NEW )?Physical volumes? ---",
        "lvdisplay": r"^ *--- Logical volume ---", "pvscan": r"^ *PV \S+ +(?:VG|is in|lvm)",
        "lvscan": r"^ *(?:ACTIVE|inactive) ", "vgdisplay -c": r"^ *[^/:]+:r(?:/w)?:",
        "lvdisplay -c": r"^ */dev/[^/:]+/[^/:]+:[^/:]+:[0-9]+:-?[0-9]+:", "pvdisplay -c": r"^ */dev/\S+?:",
    }  # fmt: skip
    heading = rf" *--- {_RULERS} ---"
    first = (
        rf" *PV (?:{DEVICE}) +(?:VG {GROUP} +|is in exported VG .*)?(?:lvm[12] )?\["
        r"| *(?:ACTIVE|inactive) +(?:Original |Snapshot )?'/dev/"
        rf"| *(?:{DEVICE}):(?:{GROUP})?:[0-9]+:-?[0-9]+:| *{GROUP}:r(?:/w)?:[0-9]+:-?[0-9]+:"
    )
    nothing: ClassVar[tuple[str, ...]] = (
        r"\s*(?:Monitoring|Stripe size|Mirror (?:size|region size|log volume)|Chunk size|Discards)\s+.*",
        r"\s*(?:Thin count|Transaction ID|Zero new blocks|Device ID|Setting|Metadata format|Mode)\s+.*",
        r"\s*Policy\s+.*",
        r"\s*Raid Metadata LV ?[0-9]+\s+.*", r"\s*\S+ \[(?:active|INACTIVE)\]\s*",
        r'\s*"/dev/\S+" \S.*', r"\s*Found volume group .*", TOLD,
        r"\s*No (?:volume groups|matching physical volumes) found",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a record."""
        super().__init__(text, facts)
        self._tool = text.tool.removeprefix("lvm") or "lvdisplay"
        self._record: dict[str, str] = {}
        self._group = ""
        """That of the last group's record, to which physical volumes below it belong."""
        self._device = ""
        """The physical volume of the last record."""
        self._title = ""
        """The logical volume of the last record."""
        self._segment: ExtentRange | None = None
        self._sizes: dict[str, str] = {}
        """The sizes of logical volumes, as they are printed, whose records do not count their segments."""
        self._expected: dict[str, int] = {}
        """How many segments logical volumes have, of which the first was read."""
        self._whole: set[str] = set()
        """Logical volumes whose record says what they are on."""
        self._lost: dict[str, list[tuple[str, str]]] = {}
        """The ids and sizes of volumes that LVM misses, by their groups."""
        self._scanned = 0
        self._is_doubtful = False
        """Whether a physical volume was not understood, which may be one of any group."""
        self._is_translated = self._is_ruled = False
        """Whether the record is in another language, and whether its ruler was the line before."""

    def blank(self) -> None:
        """End a record, or a segment."""
        self._end_record()
        self._end_segment()

    def lost(self) -> None:
        """Know no record; that of the line before may have further lines."""
        if self._title and (self._segment is not None or not self._record):
            self._open_volume(self._title)
        if self._device and not self._record:
            self._is_doubtful = True
        self._segment = None
        self._end_record()
        self._title = self._device = ""

    def gap(self) -> None:
        """Know that a record and a segment may have further lines, and that there may be further records."""
        self._end_record()
        if self._title:
            self._open_volume(self._title)
        self._segment, self._is_doubtful = None, True

    @line(r"\s*--- (\S.*\S) ---\s*")
    def ruler(self, match: re.Match[str]) -> None:
        """Take the line that announces a record or its segments."""
        self._end_record()
        self._end_segment()
        self._is_translated = self._is_ruled = re.fullmatch(_RULERS, match[1]) is None
        is_of_segments = self._is_translated and _SEGMENTS.search(match[1])
        if match[1] != "Segments" and not is_of_segments:
            self._title = ""
        if match[1] != "Physical Segments" and not is_of_segments:
            self._device = ""

    @line(
        rf"\s*({_FIELD})(?:\s{{2,}}(\S.*?))?\s*",
        r"\s*(LV Creation host, time|Cache read hits/misses|LV (?:Cache|External) origin name) (\S.*?)\s*",
        r"\s*(PE Size) \(KByte\)\s+(\S+)\s*",
    )
    def told(self, match: re.Match[str]) -> bool:
        """Take a line of a record; if it comes again another record has begun."""
        is_named = match[1] in _NAMES or (match[1] == "VG Name" and "PV Name" not in self._record)
        if is_named and not match[2]:
            return False
        if match[1] in self._record:
            self._end_record()
        self._end_segment()
        self._record[match[1]] = match[2] or ""
        return True

    @line(rf"\s*{_EXTENTS}\s*")
    def segment(self, match: re.Match[str]) -> bool:
        """Take the first line of a segment, which begins where the one before has ended."""
        self._end_record()
        self._end_segment()
        if self._title:
            begin, end = (int(extent) for extent in match.groups())
            if begin == self._ends.get(self._title, 0):
                self._ends[self._title] = end + 1
            self._segment = ExtentRange(begin=begin, end=end + 1)
            self._expected[self._title] = self._expected.get(self._title, -1) - 1
        return bool(self._title)

    @line(r"\s*Type\s+(\S+)\s*")
    def type(self, match: re.Match[str]) -> bool:
        """Take the type of a segment."""
        if self._segment is not None:
            self._segment.type = match[1]
        return self._segment is not None

    @line(r"\s*(?:Stripes|Mirrors)\s+([0-9]{1,4})\s*")
    def stripes(self, match: re.Match[str]) -> bool:
        """Take how many devices a segment has."""
        if self._segment is not None:
            self._segment.count = int(match[1])
        return self._segment is not None

    @line(r"\s*(?:Stripe ([0-9]{1,4}):|Mirror (?:original|destinations):|Raid Data LV ?([0-9]{1,4}))\s*")
    def stripe(self, match: re.Match[str]) -> bool:
        """Take that a device follows."""
        if self._segment is not None:
            self._segment.count = max(self._segment.count, int(match[1] or match[2] or 0) + 1)
        return self._segment is not None

    @line(rf"\s*Physical volume\s+({DEVICE})\s*")
    def on_device(self, match: re.Match[str]) -> bool:
        """Take a device of a segment."""
        self._end_record()
        if self._segment is not None:
            self._segment.devices += 1
            self._segment.last = match[1]
            self._segment.counts[match[1]] = 0
        elif not (self.is_filtered and self._title):
            return False
        self._put(self._title, match[1])
        return True

    @line(r"\s*Physical extents\s+([0-9]{1,12}) to ([0-9]{1,12})\s*")
    def placed(self, match: re.Match[str]) -> None:
        """Take how many extents a segment has on the device of the line before."""
        if self._segment is not None and self._segment.last:
            self._segment.counts[self._segment.last] = int(match[2]) - int(match[1]) + 1
            self._segment.last = ""

    @line(rf"\s*Logical volume\s+({GROUP}|Missing)\s*")
    def on_volume(self, match: re.Match[str]) -> bool:
        """Take a volume that a segment is on."""
        if self._segment is None:
            return False
        self._segment.devices += 1
        self._put(self._title, *(("", match[1]) if match[1] != "Missing" else ("missing",)))
        return True

    @line(r"\s*Unassigned area\s*")
    def on_nothing(self, _match: re.Match[str]) -> bool:
        """Take that a part of a segment is nowhere."""
        if self._segment is not None:
            self._segment.devices += 1
        return self._segment is not None

    @line(r"\s*Physical extent ([0-9]{1,12}) to ([0-9]{1,12}):\s*")
    def extent(self, match: re.Match[str]) -> bool:
        """Take the first line of a part of a physical volume."""
        self._end_record()
        self._end_segment()
        begin, end = (int(extent) for extent in match.groups())
        self._segment = ExtentRange(1, begin, end + 1) if self._device else None
        return bool(self._device)

    @line(rf"\s*Logical volume\s+{_PATH}\s*", r"\s*FREE()()\s*")
    def holds(self, match: re.Match[str]) -> bool:
        """Take what is on a part of a physical volume; whether that is a snapshot it does not say."""
        if self._segment is None or not self._device:
            return False
        self._segment.devices += 1
        if match[1]:
            title = self._volume(match[1], match[2], self._tool)
            self._put(title, self._device)
            self._suspect(title)
        return True

    @line(r"\s*Logical extents\s+([0-9]{1,12}) to ([0-9]{1,12})\s*")
    def held(self, match: re.Match[str]) -> None:
        """Take which extents of the logical volume of the line before are on a part of a physical one."""
        if self._segment is not None and self._device and self._last:
            count = self._segment.end - self._segment.begin
            self._add_segment(self._last, int(match[1]), int(match[2]) + 1, {self._device: count})

    @line(
        rf"\s*PV ({DEVICE})\s+VG ({GROUP})\s+(?:lvm[12]|-|\S+)\s+\S.*",
        rf"\s*PV ({DEVICE})\s+is in exported VG ({GROUP})\s.*",
        rf"\s*PV ({DEVICE})\s+(?:lvm[12]\s+\[.*\]|-\s+-)()\s*",
    )
    def scanned(self, match: re.Match[str]) -> None:
        """Take a physical volume of pvscan."""
        self._scanned += 1
        self._take_volume(match[1], match[2], "pvscan")
        size = re.search(r"\[([^\[/]+?) */", match[0])
        if match[2] and size and re.fullmatch(LOST, match[1]):
            self._lost.setdefault(match[2], []).append(("", size[1]))

    @line(r"\s*Total: ([0-9]{1,6}) \[.*")
    def total(self, match: re.Match[str]) -> None:
        """Take how many physical volumes pvscan has found."""
        self._is_doubtful = self._is_doubtful or int(match[1]) > self._scanned
        self._scanned = 0

    @line(rf"\s*(?:ACTIVE|inactive)\s+(?:Original\s+|Snapshot\s+)?'{_PATH}' \[.*\].*")
    def scanned_volume(self, match: re.Match[str]) -> None:
        """Take a logical volume of lvscan."""
        self._volume(match[1], match[2], "lvscan")

    @line(
        rf"\s*{_PATH}:{GROUP}:[0-9]+(?::-?[0-9]+){{3}}:(-?[0-9]+):(-?[0-9]+)(?::-?[0-9]+){{3}}"
        r":(-?[0-9]+):(-?[0-9]+)\s*"
    )
    def joined_logical(self, match: re.Match[str]) -> None:
        """Take a logical volume of lvdisplay -c, with its number; the size of a snapshot is another there."""
        group, name, sectors, extents, major, minor = match.groups()
        self._take_extent(group, f"{int(sectors) * SECTOR}B", int(extents))
        self._number(self._volume(group, name, self._tool), f"{major}:{minor}")

    @line(
        rf"\s*({_ONE}):({GROUP}|):[0-9]+(?::-?[0-9]+){{4}}:([0-9]+)(?::-?[0-9]+){{3,4}}:\S*\s*",
        rf"\s*({_ONE}):({GROUP}|):[0-9]+(?::-?[0-9]+){{8,9}}:()\S*\s*",
    )
    def joined_physical(self, match: re.Match[str]) -> None:
        """Take a physical volume of pvdisplay -c."""
        self._take_volume(match[1], match[2], self._tool)
        self._take_extent(match[2], f"{match[3]} KiB", 1)

    @line(rf"\s*({GROUP}):r(?:/w)?:((?:-?[0-9]+:){{8,}})\S+\s*")
    def joined_group(self, match: re.Match[str]) -> bool:
        """Take a group of vgdisplay -c: how many physical volumes it has, and how many are there."""
        fields = match[2].split(":")
        if len(fields) < TOTAL_FIELDS:
            return False
        self._size(match[1], fields[7], fields[8])
        self._take_extent(match[1], f"{fields[10]} KiB", 1)
        return True

    @line(r"\s*([^\W\d_][^/:\"]*?)(?:\s{2,}(\S.*?))?\s*")
    def translated(self, match: re.Match[str]) -> bool:
        """Take a line of a record in another language."""
        is_first, self._is_ruled = self._is_ruled, False
        abbreviations, value = re.findall("\\b[PLV][VG]\\b", match[1]), match[2] or ""
        if not self._is_translated or not (is_first or self._record):
            return False
        path = re.fullmatch(_PATH, self._record.get("LV Path", ""))
        is_name = not value or (re.fullmatch(GROUP, value) and not re.fullmatch(UUID, value))
        if is_first and abbreviations == ["PV"] and re.fullmatch(DEVICE, value):
            self._record["PV Name"] = value
        elif is_first and abbreviations == ["LV"] and re.fullmatch(_PATH, value):
            self._record["LV Path"] = value
        elif is_first:
            is_group = abbreviations == ["VG"] and value and is_name
            self._record |= {"VG Name": value} if is_group else {}
            return bool(is_group)
        elif abbreviations == ["VG"] and is_name and not path:
            self._record.setdefault("VG Name", value)
        elif re.fullmatch(NUMBER, value):
            self._record["Block device"] = value
        return True

    def end(self) -> None:
        """Take the last record and segment."""
        self._end_record()
        self._end_segment()
        for title, count in self._expected.items():
            is_whole = whole_size(self._sizes.get(title, ""), str(self._ends.get(title, ""))) > 0
            if count != 0 and not is_whole and title not in self._whole and self._volumes[title].names:
                self._open_volume(title)  # a segment is missing
        self._is_lost, self._last = self._is_doubtful, ""
        for group, volumes in self._lost.items():
            if len(volumes) == 1:  # all have one name
                uuid, size = volumes[0]
                self.facts.lose_volume(group, uuid=uuid, size=size)
        self.finish()

    def _at(self) -> str:
        return f"{self._tool}, {self.text.place(self.number)}"

    def _end_segment(self) -> None:
        segment, self._segment = self._segment, None
        if segment is None:
            return
        if self._title and not self._device:
            stripes = segment.devices if segment.type == STRIPED and segment.devices == segment.count else 0
            self._stripes.setdefault(self._title, []).append(stripes)
            if segment.end and (stripes or (segment.type == LINEAR and segment.devices == 1)):
                share = (segment.end - segment.begin) // segment.devices  # where no line tells it
                counts = {name: count or share for name, count in segment.counts.items()}
                self._add_segment(self._title, segment.begin, segment.end, counts)
        needed = max(segment.count, int(_WITHOUT_DEVICES.fullmatch(segment.type) is None))
        if segment.devices < needed and self._device:
            self._is_doubtful = True
        elif segment.devices < needed and self._title:
            self._open_volume(self._title)

    def _end_record(self) -> None:
        record, self._record = self._record, {}
        if not record:
            return
        extent = record.get("PE Size", "")
        self._take_extent(record.get("VG Name", ""), f"{extent}{' KiB' * extent.isdecimal()}", 1)
        labels = {name.partition(" ")[0] for name in record}
        if "LV" in labels or "Internal" in labels:
            self._take_logical(record)
        elif "PV" in labels or "Allocatable" in labels:
            self._take_physical(record)
        elif "VG" in labels:
            self._group = record.get("VG Name", "")
            self._size(self._group, record.get("Cur PV", ""), record.get("Act PV", ""))

    def _take_physical(self, record: dict[str, str]) -> None:
        """Take a physical volume: its record has its group, or stands below that of its group."""
        device, is_short = record.get("PV Name", ""), "PV Status" in record or self.is_filtered
        is_short = is_short or (self._is_translated and self._tool == "vgdisplay")
        asked = self.operand if self._tool == "vgdisplay" else ""
        group = record.get("VG Name", self._group or asked if is_short else None)
        self._device = device if re.fullmatch(DEVICE, device) else ""
        if group is None or not self._device or not (group or not is_short):
            self._is_doubtful = True
            if self._device and not re.fullmatch(LOST, self._device):
                self.facts.name_device(below_dev(self._device), self._at())
                self.facts.say_content(below_dev(self._device), self._at(), "LVM2_member", "")
            return
        group = group.removesuffix(" (exported)")
        self._take_volume(device, group, self._tool)
        if group and re.fullmatch(LOST, device):
            size = record.get("PV Size", "").partition(" / ")[0]
            uuid = record.get("PV UUID", "")
            self._lost.setdefault(group, []).append((uuid if re.fullmatch(UUID, uuid) else "", size))

    def _take_logical(self, record: dict[str, str]) -> None:
        """Take a logical volume; what is read of its segments follows."""
        path = re.fullmatch(_PATH, record.get("LV Path", record.get("LV Name", "")))
        name = record.get("LV Name", record.get("Internal LV Name", "")).rpartition("/")[2]
        group = record.get("VG Name", "")
        if path:
            group, name = group or path[1], name or path[2]
        self._title = ""
        if not re.fullmatch(GROUP, group) or not re.fullmatch(GROUP, name):
            return
        self._title = title = self._volume(group, name, self._tool)
        self._number(title, record.get("Block device", ""))
        size = whole_size(record.get("LV Size", ""), extents := record.get("Current LE", ""))
        if size:
            self._take_extent(group, record["LV Size"], int(extents))
            self.facts.say(LAYER, title, self._at(), mapped=title, sort="dm", size=size)
        if "partial" in record.get("LV Status", ""):
            self.facts.partial[title] = self.facts.lose_volume(group)
        snapshot = re.search(r"destination for (\S+)", record.get("LV snapshot status", ""))
        for what, other in (*record.items(), ("", snapshot[1] if snapshot else "")):
            inner = other.rpartition("/")[2]
            if (not what or what in _BESIDE or what in _WHOLLY) and re.fullmatch(GROUP, inner):
                self._put(title, "", inner)
                if what in _WHOLLY:
                    self._whole.add(title)
        has_others = any(name.startswith(("COW-table", "Cache ")) for name in record)
        is_cut = ("LV Pool data" in record) != ("LV Pool metadata" in record)
        if is_cut or (has_others and not self._volumes[title].names):
            self._open_volume(title)
        segments = record.get("Segments", "")
        if not segments:
            self._sizes[title] = record.get("LV Size", "")
        is_told = "LV Status" in record and re.fullmatch("[0-9]{1,6}", segments)
        self._expected[title] = int(segments) if is_told else MANY

    def _number(self, title: str, number: str) -> None:
        if match := re.fullmatch("([0-9]{1,4}):([0-9]{1,8})", number):
            self.facts.say(LAYER, number, self._at(), mapped=title, sort="dm", name=f"dm-{match[2]}")

    def _size(self, group: str, size: str, there: str) -> None:
        """Take how many physical volumes a group has, and how many of them are there."""
        if not re.fullmatch(GROUP, group) or not re.fullmatch("[0-9]{1,6}", size):
            return
        self.facts.group_sizes[group] = int(size), self._at()
        if re.fullmatch("[0-9]{1,6}", there) and int(there) < int(size):
            self.facts.groups.setdefault(group, {})[self.facts.lose_volume(group)] = self._at()


class ExtentRange:
    """A segment of a logical volume, or a part of a physical one, while it is read."""

    def __init__(self, count: int = 0, begin: int = 0, end: int = 0) -> None:
        """Begin without devices."""
        self.type = ""
        self.begin, self.end = begin, end
        """Its first extent and that behind its last."""
        self.last = ""
        """The physical volume of the line before."""
        self.counts: dict[str, int] = {}
        """How many extents it has on physical volumes."""
        self.count = count
        """How many devices it has, as far as its lines say."""
        self.devices = 0
        """How many were read."""
