"""LVM in texts: pvs, vgs and lvs with any columns, as a table, with separators, without heading, or as JSON.

    /dev/dasdb1 vg  lvm2 a--  22.49g 0               pvs; a volume that is lost is `[unknown]`
    vg    2   1   0 wz--n- 44.98g    0               vgs; `p` in its attributes: one of its volumes is lost
    data  vg  -wi-ao---- 44.98g /dev/dasdb1(0)       lvs, with -o +devices, a line for each segment

What a snapshot, a thin or a cached volume is on besides its devices stands in the columns Origin and Pool.
Sources: lvm2, lib/report/columns.h, lib/report/report.c.
"""

from __future__ import annotations

import math
import re
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from zmon.base.absent import Absent
from zmon.base.sizes import KIB, SECTOR
from zmon.collected.bare_names import PATH_OR_BARE, below_dev
from zmon.collected.columns import Columns, asked_columns
from zmon.collected.facts import doubled, group_key, plain
from zmon.collected.numbers import NUMBER
from zmon.collected.reading import OrDocument, Reading, line, objects
from zmon.kinds import LAYER, STRIPED, SWAP, VOLUME_GROUP
from zmon.topology.same_disks import PV_LINK
from zmon.topology.stack import Stack, group_of, inner

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText
    from zmon.sample import Frame
    from zmon.topology.stack import BlockDevice

GROUP: Final = r"[A-Za-z0-9+_.][A-Za-z0-9+_.-]{0,127}"
"""The name of a volume group or of a logical volume."""
UUID: Final = "[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{4}){5}-[A-Za-z0-9]{6}"
"""The id of a physical volume."""
LOST: Final = r"\[unknown\]|unknown device|missing|Missing"
"""Words for a physical volume that LVM does not find."""
DEVICE: Final = rf"{PATH_OR_BARE}|{LOST}"
"""A physical volume."""
_EXTENT: Final = re.compile(
    rf"(?:({PATH_OR_BARE})|({LOST})|\[?({GROUP})\]?)"
    r"(?:\([0-9]{1,12}\)|:([0-9]{1,12})-([0-9]{1,12}))"
)
TOLD: Final = (
    r"\s*(?:Reading .*|Reloading config files|Finding (?:all )?volume groups?.*"
    r"|Wiping (?:internal VG cache|cache of LVM-capable devices)|Cache: .*)"
)
"""What LVM tells of its own work, with -v."""
_ATTRIBUTES: Final = r"[a-zA-Z-]{6,10}"
_HEADING: Final = (
    r"(?:[PL]V|VG|Pool|Origin|Data|Meta|Log|Move|Convert|Seg|#PV) (?:UUID|Tags|Missing)"
    r"|(?:(?:Metadata )?LE|PE) Ranges|1st PE|BA (?:Start|Size)|Metadata Devs|(?:SYS|System) ID|\S+"
)
"""The names of columns; some have two words."""
_NAME: Final = r"(?:1st|#?[A-Z][A-Za-z0-9#%]*)"
_GAP: Final = "[ ,;|]+"
_KNOWN: Final = "(?:[PL]V|VG|#PV|Fmt|Attr|[PVL]Size|Devices|Path|Type|KMaj|SSize|DevSize)"
LINEAR: Final = "linear"
"""The type of segments that lie on one device."""
_VIRTUAL: Final = "Vv"
"""The first attribute of logical volumes that are on no devices of their own."""
_BESIDE: Final = "sSC"
"""The first attribute of those that are on others, too: snapshots, cached ones."""
_METADATA: Final = r"_(?:[tc]meta|mlog|rmeta_[0-9]+)\Z"
"""How the names of volumes end that hold the metadata of the one which is called like them before that."""
_INDENT: Final = 2
"""Blanks before each row."""
_POOL: Final = "t"
"""The first attribute of thin pools, whose number in lvs may be that of another device."""
_PLAIN: Final = ("", "-", "o", "O")
"""The first attribute of those that may be striped over devices."""
_OF_PVS: Final = "of pvs"
"""Stands for the type of a segment in pvs, which has a row for each of its devices."""
_TYPES: Final = frozenset({
    LINEAR, STRIPED, "mirror", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "snapshot", "thin",
    "thin-pool", "cache", "cache-pool", "error", "zero", "vdo", "vdo-pool", "writecache", "integrity",
})  # fmt: skip
_PARTIAL: Final = 8
"""Which attribute of a logical volume is its health: `p` if a device is missing."""
_FIELDS: Final = {
    "pv_name": "PV", "vg_name": "VG", "lv_name": "LV", "lv_full_name": "LV", "lv_path": "Path",
    "devices": "Devices", "pv_fmt": "Fmt", "pv_attr": "Attr", "lv_attr": "Attr", "vg_attr": "Attr",
    "pv_count": "#PV", "snap_count": "#SN", "pool_lv": "Pool", "origin": "Origin",
    "seg_pe_ranges": "PE Ranges", "seg_type": "Type", "segtype": "Type", "lv_kernel_major": "KMaj",
    "lv_kernel_minor": "KMin", "lv_size": "LSize", "seg_size": "SSize", "vg_extent_size": "Ext",
}  # fmt: skip
"""The headings of columns, by their names in options and in JSON."""
_DEFAULTS: Final = {
    "pvs": "pv_name,vg_name,pv_fmt,pv_attr,pv_size,pv_free",
    "vgs": "vg_name,pv_count,lv_count,snap_count,vg_attr,vg_size,vg_free",
}


class Segments(NamedTuple):
    """A logical volume, while it is read."""

    group: str
    place: str
    names: dict[str, None]
    """The devices below it, in /dev, or in /dev/mapper for volumes of the group."""


def volume_title(group: str, name: str) -> str:
    """Return the name of a logical volume in /dev/mapper."""
    return f"{doubled(group)}-{doubled(name)}"


class VolumeReading(Reading):
    """An output of LVM: the physical volumes of groups, and what logical volumes are on."""

    narrowing = r"/dev/|-S\b|--select\b"
    lists_volumes: ClassVar[bool] = True
    """Whether each logical volume of a group has a line."""

    nothing: ClassVar[tuple[str, ...]] = (
        r"\s*(?:WARNING: )?(?:Missing device|File descriptor)\b.*",
        r"\s*WARNING: .*",  # of others that concern no member
        r"\s*[0-9]+ logical volume\(s\).*",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a volume."""
        super().__init__(text, facts)
        self._volumes: dict[str, Segments] = {}
        self._last = ""
        """The logical volume of the line before."""
        self._is_lost = False
        """Whether the line before was not understood."""
        self._groups: dict[str, None] = {}
        """The groups whose volumes are listed."""
        self._suspects: set[str] = set()
        """Logical volumes of which only devices are known, and which may be snapshots."""
        self._pools: dict[str, str] = {}
        """The metadata of pools of caches, by the pools."""
        self._on_lost: dict[str, str] = {}
        """Logical volumes on a physical volume that LVM does not find, each with the word for that."""
        self._stripes: dict[str, list[int]] = {}
        """Of logical volumes whose segments have been read the stripes of each; 0 for one of another type."""
        self._ends: dict[str, int] = {}
        """Behind which extents the segments of logical volumes end, as far as they follow each other."""
        self._misses = False
        """Whether a physical volume of an unnamed group is said to be missing."""
        self._missing: set[str] = set()
        """The ids of those of which lvm says so."""

    def lost(self) -> None:
        """Know that the volume before may be on a further device, and so may the next one."""
        self._is_lost = True
        if self._last:
            self._open_volume(self._last)

    def gap(self) -> None:
        """Know that lines may be left out, but none of a volume whose name is searched for."""
        if self._last and not self.is_searched(self._last):
            self.lost()

    @line(r"\s*WARNING: VG (\S{1,128}) is missing PV (\S+?)(?: \(last written to (\S+)\))?\.?\s*")
    def missing(self, match: re.Match[str]) -> None:
        """Take what lvm says of a group that lacks a volume."""
        lost = self.facts.lose_volume(match[1], match[3] or "", match[2])
        self.facts.groups.setdefault(match[1], {})[lost] = f"lvm, {self.text.place(self.number)}"

    @line(r"\s*WARNING: PV /dev/(\S{1,250}) in VG \S{1,128} .*")
    def warned(self, match: re.Match[str]) -> None:
        """Take a physical volume that lvm says something of."""
        self.facts.name_device(match[1], self.place)
        self.facts.say_content(match[1], self.place, "LVM2_member", "")

    @line(
        rf"\s*WARNING: (?:Not using device /dev/(\S{{1,250}}) for PV |PV )({UUID})\.?"
        r"(?: prefers device /dev/(\S{1,250}) because .*)?\s*",
        rf"\s*(?:WARNING: )?Found duplicate PV (\S{{0}})({UUID}):? using (?:existing PV )?/dev/(\S{{1,250}})"
        r" not .*",
        rf"\s*WARNING: PV (\S{{0}})({UUID}) on /dev/(\S{{1,250}}) was already found on /dev/\S+",
    )
    def twice(self, match: re.Match[str]) -> bool:
        """Take a device that has the id of a physical volume as another has: they are one disk."""
        if device := match[1] or match[3]:
            key = self.facts.name_device(device, self.place)
            self.facts.say(LAYER, key, self.place, links=f"{PV_LINK}{match[2]}")
        return bool(device)

    @line(
        r"\s*(?:WARNING: )?Couldn't find (?:device|all physical volumes|all devices)\b.*",
        r"\s*WARNING: Device for PV \S+ not found or rejected by a filter.*",
        r"\s*(?:WARNING: )?There are [0-9]+ physical volumes missing.*",
    )
    def missing_somewhere(self, match: re.Match[str]) -> None:
        """Take what lvm says of a volume that it does not find, whose group it does not name."""
        self._misses = True
        self._missing |= {*re.findall(UUID, match[0])}

    def _open_volume(self, title: str, what: str = "") -> None:
        lost = f"?{title}"
        self.facts.leave_open(lost, what or f"a device below {title}")
        self._volumes[title].names[lost] = None

    def _suspect(self, title: str) -> None:
        """Say that a volume of which only devices are known may be a snapshot, which is on its origin."""
        if not inner(title):
            self._suspects.add(title)

    def _take_volume(self, device: str, group: str, tool: str) -> None:
        """Take a physical volume."""
        place = f"{tool}, {self.text.place(self.number)}"
        self._groups[group] = None
        members = self.facts.groups.setdefault(group, {})
        members[self._member(device, group, place)] = place

    def _volume(self, group: str, name: str, tool: str) -> str:
        """Take a logical volume, and return its name in /dev/mapper."""
        title = volume_title(group, name)
        self._volumes.setdefault(title, Segments(group, f"{tool}, {self.text.place(self.number)}", {}))
        is_lost = self._is_lost or (self.is_filtered and not self._last)
        if is_lost and title != self._last and not self.is_searched(title):
            self._open_volume(title)
        self._last, self._is_lost = title, False
        return title

    def _put(self, title: str, device: str, inner: str = "") -> None:
        """Say that a logical volume is on a device, or on another volume of its group."""
        group, place, names = self._volumes[title]
        if inner:
            below = volume_title(group, inner)
            self._volumes.setdefault(below, Segments(group, place, {}))
        else:
            below = self._member(device, group, place)
            if below.startswith("?"):
                self.facts.partial[title] = below
                self._on_lost[title] = below
        names[below] = None

    def _member(self, device: str, group: str, place: str) -> str:
        """Return the name of a member of a group; a word of its own for one that LVM does not find."""
        if re.fullmatch(LOST, device):
            return self.facts.lose_volume(group)
        return plain(self.facts.name_device(below_dev(device), place))

    def _lose_parts(self) -> None:
        """Say that a logical volume lacks a device if a volume below it does."""
        for title in self._volumes:
            below = [title]
            for name in below:
                names = self._volumes[name].names if name in self._volumes else ()
                below += [foot for foot in names if foot not in below]
            lost = next((word for name in below if (word := self.facts.partial.get(name))), "")
            self.facts.partial.update({title: lost} if lost else {})

    def _add_segment(self, title: str, begin: int, end: int, counts: Mapping[str, int]) -> None:
        """Say how many extents on which devices some of a logical volume are."""
        segment = self.facts.segments.setdefault(title, {}).setdefault((begin, end), {})
        segment.update({plain(below_dev(device)): count for device, count in counts.items()})

    def _check_segments(self) -> None:
        """Leave open what is on more devices than those of its extents; a part of an output tells no size."""
        for title in self._volumes.keys() & self.facts.segments.keys():
            segments = self.facts.segments[title]
            if self.is_part and not self._is_narrow and not self.is_searched(title):
                del self.facts.segments[title]
            elif not _follow(segments):
                self._open_volume(title)

    def _take_extent(self, group: str, printed: str, extents: int) -> None:
        """Take the size of the extents of a group from what so many of them have."""
        if size := whole_size(printed, str(extents)):
            self.facts.extents.setdefault(group, set()).add(size // extents)

    def _striped(self, title: str, names: Collection[str]) -> dict[str, Value]:
        """Return that a volume lies in equal parts on its devices, and how many these are, if it does.

        Its one segment is read, and each of its devices is known.
        """
        is_whole = not self.is_part and not any(name.startswith("?") for name in names)
        is_it = is_whole and self._stripes.get(title) == [len(names)]
        return {"level": STRIPED, "layout": len(names)} if is_it else {}

    def _add_metadata(self) -> None:
        """Put pools, and volumes with a log, on what holds their metadata, too."""
        for title, metadata in self._pools.items():
            if metadata not in self._volumes:
                self._open_volume(title)
        for title in self._volumes:
            owner = re.sub(_METADATA, "", title)
            if owner != title and owner in self._volumes and self._volumes[owner].names:
                self._volumes[owner].names[title] = None

    def finish(self) -> None:
        """Say on which devices each logical volume is."""
        named = {*self._groups, *(volume.group for volume in self._volumes.values())}
        lacking = any(name.startswith("?") for group in named for name in self.facts.groups.get(group, ()))
        lacked = [group for group in named if f"?{group}" in self.facts.groups.get(group, ())]
        if len(lacked) == len(self._missing) == 1:
            self.facts.identify_lost(*lacked, *self._missing)
        for group in named - {""} if self._misses and not lacking else ():
            lost = self.facts.lose_volume(group)
            self.facts.groups.setdefault(group, {})[lost] = f"lvm, {self.text.place()}"
        is_open = self._is_lost and not self._last
        for group in [name for name in self._groups if is_open or self.is_part > self.is_searched(name)]:
            lost = f"?{group}.strange"
            self.facts.leave_open(lost, f"a volume of {group}")
            self.facts.groups[group][lost] = f"pvs, {self.text.place()}"
        for title in self._suspects:
            group = self._volumes[title].group
            others = [other for other, volume in self._volumes.items()
                      if volume.group == group and other != title and not inner(other)]  # fmt: skip
            # the origin is a volume of the group, too
            if others or not self.lists_volumes or self.is_part or self._is_lost:
                self._open_volume(title, f"the origin of {title}, if it is a snapshot")
                self.facts.suspects.add(title)
        self._add_metadata()
        self._check_segments()
        self._lose_parts()
        for title, (group, place, names) in self._volumes.items():
            if all(name.startswith("?") for name in names) and {*names} != {self._on_lost.get(title)}:
                names.clear()  # it may be on any device of its group
            told = self._striped(title, names)
            self.facts.say(LAYER, title, place, mapped=title, sort="dm", below=" ".join(names), **told)
            volumes = self.facts.volumes.setdefault(group, [])
            if title not in volumes:
                volumes.append(title)


class Lvm(VolumeReading, OrDocument):
    """Physical volumes by group (pvs), groups (vgs), and logical volumes with the devices that lvs names."""

    called: ClassVar[Mapping[str, str]] = {
        "lvs": r'^ *(?:LV|VG +LV|Path)\b|"(?:lv|seg)" *:', "pvs": r'^ *(?:PV|VG +PV)\b|"pv" *:',
        "vgs": r'^ *VG\b|"vg" *:',
    }  # fmt: skip
    pads = True
    heading = (
        rf" *(?={_NAME}(?:{_GAP}{_NAME})+[ ,;|]*$)"
        rf"(?=(?:\S+{_GAP})*{_KNOWN}{_GAP}(?:\S+{_GAP})*{_KNOWN}(?:[ ,;|]|$)){_NAME}"
    )
    first = (
        rf' *(?:{PATH_OR_BARE}|\[unknown\]) +(?:{GROUP} +)?lvm2 +[a-z-]{{3}} |\{{\s*"report"'
        r"| *(?:WARNING: )?(?:VG \S{1,128} is missing PV |Couldn't find device with uuid"
        r"|Device for PV \S+ not found)"
    )
    nothing = (rf"\s*(?:Scanning|Found) .*|{TOLD}",)

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Expect the columns that the command names; else a heading will."""
        super().__init__(text, facts)
        separator = re.search(r"\s--separator[ =]?(['\"]?)(\S|(?<=['\"]) )\1(?:\s|$)", text.command)
        self._separator = separator[2] if separator else ""
        self._is_short = False
        """Whether a row ends before the column of groups."""
        self._is_all = re.search(r"\s(?:-[a-zA-Z]*a\b|--all\b)", text.command) is not None
        self._asked = _asked(text.command)
        self._type = ""
        """The type of the segment of the row, if it has one."""
        self._extents = 0
        """How many extents the segment of the row has, as far as it names them."""
        self._placed: dict[str, set[str]] = {}
        """The ranges of extents that logical volumes have, as they are printed."""
        self._sizes: dict[str, tuple[str, str]] = {}
        """The groups of logical volumes, and their sizes as they are printed."""

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of LVM: rows of chosen columns have a device."""
        patterns = (pattern for pattern, name in cls._lines if name != "row")
        is_chosen = _OF_DEVICE.match(row) or _EXTENT.search(row)
        return is_chosen is not None or any(pattern.fullmatch(row) for pattern in patterns)

    @line(rf"\s*{_NAME}(?:{_GAP}{_NAME})*[ ,;|]*")
    def head(self, match: re.Match[str]) -> bool:
        """Take a heading."""
        separator = re.match(r"\s*\S+?([,;|])", match[0])
        names = match[0].strip().split(separator[1]) if separator else match[0].split()
        if {"PV", "VG", "LV", "Path"}.isdisjoint(names):
            return False
        self._separator = separator[1] if separator else self._separator
        self._columns = Columns(" ".join(names) if separator else match[0], _HEADING)
        self._asked = [] if not separator else names
        return True

    @line(r"\s*(?=\S)(?!WARNING).*")
    def row(self, match: re.Match[str]) -> bool:
        """Take a row by its columns: as many words as these, or where they stand."""
        row = match[0]
        if self._separator and self._asked:
            return self._take(self._separated(row.strip().split(self._separator)))
        cells = row.split()
        names = self._asked or [*self._columns]
        if self._asked and len(row) - len(row.lstrip()) > _INDENT:
            cells.insert(0, "")
        counted = dict(zip(names, cells, strict=False)) if len(cells) == len(names) or self._asked else {}
        self._is_short = not row.endswith(" ") and len(row) <= self._columns.begin("VG")
        return (bool(counted) and self._take(counted)) or self._take(self._columns.sliced(row))

    def _separated(self, cells: list[str]) -> dict[str, str]:
        """Return the cells of a row with separators, which may divide the devices of one cell, too."""
        at = next((at for at, name in enumerate(self._asked) if name in _OF_DEVICES), 0)
        more = len(cells) - len(self._asked)
        if more > 0 and self._asked[at] in _OF_DEVICES:
            cells[at : at + more + 1] = [self._separator.join(cells[at : at + more + 1])]
        return dict(zip(self._asked, cells, strict=False))

    @line(rf"\s*({DEVICE})(?:\s+({GROUP}))?\s+lvm[12]\s+([a-z-]{{2,4}})((?:\s.*)?)")
    def volume(self, match: re.Match[str]) -> bool:
        """Take a physical volume; one without a group may be new, or its group was not found."""
        if self._is_cut(match[4]) or (len(self._columns) and "PV" not in self._columns):
            return False
        if not self._take_duplicate(match[1], match[2] or "", match[3]):
            self._take_volume(match[1], match[2] or "", "pvs")
        return True

    def _take_duplicate(self, device: str, group: str, attributes: str) -> bool:
        """Take a device with the id of a physical volume that LVM has elsewhere; return whether it is one."""
        is_one = attributes.startswith("d")
        if is_one:
            name = plain(self.facts.name_device(below_dev(device), self.place))
            what = f"duplicate of a physical volume{f' of {group}' * bool(group)}, which LVM does not use,"
            self.facts.lent[name, f"{what} on {name}"] = self.place
        return is_one

    def _is_cut(self, rest: str) -> bool:
        """Return whether what stands behind the attributes has fewer words than columns with sizes."""
        return len(rest.split()) < len(_SIZES & {*self._columns, *self._asked})

    @line(r"\s*(/dev/\S{1,250})\s+(?:---|-)\s+0\s+0\s*(?:\s0\s*)?")
    def no_volume(self, _match: re.Match[str]) -> bool:
        """Take a device that `pvs -a` lists and that is no physical volume."""
        return "PV" in self._columns

    @line(rf"\s*({GROUP})\s+([0-9]{{1,6}})\s+[0-9]{{1,6}}\s+[0-9]{{1,6}}\s+([a-z-]{{5,6}})(\s.*)")
    def group(self, match: re.Match[str]) -> bool:
        """Take a group and how many volumes it has."""
        is_cut = "Devices" in self._columns and re.search(r"/\S*(?<!\))$", match[4]) is not None
        if "#PV" not in self._columns or is_cut or self._is_cut(match[4]):
            return False
        self._take_group(match[1], match[2], match[4])
        return True

    @line(rf"\s*\[?({GROUP})\]?\s+({GROUP})\s+({_ATTRIBUTES})(?:\s.*)?")
    def logical(self, match: re.Match[str]) -> bool:
        """Take a segment of a logical volume whose columns stand anywhere, behind the first three."""
        of_lvs = re.match(r"(?:lvm )?lvs\b(?!.*\s(?:-[a-zA-Z]*o|--options)[ =]?[^+ ])", self.text.command)
        is_by_default = of_lvs is not None and not len(self._columns)
        rest = match[0][match.end(3) :].split()
        if len(rest) < len(_OF_VOLUME & {*self._columns}):
            return False
        if not is_by_default and ({"LV", "VG"} - {*self._columns} or "PV" in self._columns):
            return False
        name, group, attributes = match.groups()
        types = {*rest} & _TYPES
        self._type = types.pop() if len(types) == 1 else ""
        hidden = {*re.findall(rf"(?<!\S)\[({GROUP})\](?!\S)", match[0][match.end(3) :])} - {"unknown"}
        taken = self._take_segment(group, name, attributes, match[0][match.end(3) :], hidden or None)
        if taken:
            self._take_sizes(group, self._columns.cells(match[0]))
        return taken

    def _take_sizes(self, group: str, cells: Mapping[str, str]) -> None:
        """Take the size of a segment, and that of its logical volume, of which more may follow."""
        self._take_extent(group, cells.get("SSize", ""), self._extents)
        self._sizes[self._last] = group, cells.get("LSize", "")

    def _take(self, cells: Mapping[str, str]) -> bool:
        """Take the cells of a row, if all that zmon reads look like what they are."""
        if not all(re.fullmatch(form, cells.get(name, "")) for name, form in _FORMS.items()):
            return False
        names = {*self._columns, *self._asked}
        if any(column in names and not cells.get(column) for column in _FILLED):
            return False
        device, (group, name) = cells.get("PV", ""), _named(cells)
        if device and not self._take_physical(cells, device, group):
            return False
        if group and name:
            return self._take_logical(cells, group, name)
        self._take_extent(group, cells.get("Ext", ""), 1)
        if group and cells.get("#SN") == "0":
            self.facts.without_snapshots.add(group)
        if group and cells.get("#PV"):
            self._take_group(group, cells["#PV"], cells.get("Attr", ""))
        if group and not device:
            for extent in _EXTENT.finditer(cells.get("Devices", "")):
                if extent[1] or extent[2]:
                    self._take_volume(extent[1] or extent[2], group, "vgs")
        return bool(device or (group and {"#PV", "Devices"} & {*cells}) or cells.get("Path", "?") == "")

    def _take_physical(self, cells: Mapping[str, str], device: str, group: str) -> bool:
        """Take a physical volume; `pvs -a` lists other devices, too.

        Each row has attributes; without that column a row that ends before the group may have been cut.
        """
        names = {*cells, *self._columns, *self._asked}
        is_one = bool(cells.get("Fmt")) if "Fmt" in names else bool(self.text.command and not self._is_all)
        if "Attr" in names and not cells.get("Attr"):
            return False
        if self._take_duplicate(device, group, cells.get("Attr", "") * ("LV" not in names)):
            return True
        if "VG" not in names:
            place = f"pvs, {self.text.place(self.number)}"
            self.facts.say_content(below_dev(device), place, "LVM2_member", "")
        elif group or is_one:
            self._take_volume(device, group, "pvs")
            if (
                group
                and cells.get("PSize", "") != cells.get("PFree", "")
                and "" not in map(cells.get, _OF_PV)
            ):
                self.facts.allocated.setdefault(group, set()).add(below_dev(device))
            self._is_lost = self._is_lost or (self._is_short and not group)
        return True

    def _take_logical(self, cells: Mapping[str, str], group: str, name: str) -> bool:
        """Take a logical volume, or a segment of one that pvs lists with the device it is on."""
        self._type = cells.get("Type", "")
        if device := cells.get("PV", ""):
            self._type = _OF_PVS
            return self._take_segment(group, name, "", f"{device}(0)", [])
        attributes = cells.get("Attr", "")
        if attributes and len(attributes) < LEAST:
            return False
        self._type = cells.get("Type", "")
        beside = [cells[column].strip("[]") for column in ("Pool", "Origin") if cells.get(column)]
        extents = f"{cells.get('Devices', '')} {cells.get('PE Ranges', '')}"
        taken = self._take_segment(group, name, attributes, extents, beside)
        size = re.fullmatch(r"([0-9]{3,18})B", cells.get("LSize", ""))
        if taken:
            self._take_sizes(group, cells)
        if taken and size and attributes[:1] in _PLAIN[1:]:  # that of a snapshot is another
            place = f"lvs, {self.text.place(self.number)}"
            self.facts.say(
                LAYER, self._last, place, mapped=self._last, sort="dm", size=int(size[1]) // SECTOR
            )
        number = f"{cells.get('KMaj', '')}:{cells.get('KMin', '')}"
        if taken and attributes[:1] != _POOL and re.fullmatch(NUMBER, number):
            place = f"lvs, {self.text.place(self.number)}"
            self.facts.say(LAYER, number, place, mapped=self._last, sort="dm", name=f"dm-{cells['KMin']}")
        return taken

    def _take_group(self, group: str, size: str, attributes: str) -> None:
        place = f"vgs, {self.text.place(self.number)}"
        self.facts.group_sizes[group] = int(size), place
        if attributes[3:4] == "p":
            self.facts.groups.setdefault(group, {})[self.facts.lose_volume(group)] = place

    def _take_segment(
        self, group: str, name: str, attributes: str, extents: str, beside: Collection[str] | None
    ) -> bool:
        """Take a segment; `beside` are the volumes that it is on besides its devices, None if not known."""
        placed = [*_EXTENT.finditer(extents)]
        if re.search(r"\(|/dev/", _EXTENT.sub("", extents)):
            return False
        title = self._volume(group, name, "lvs")
        if attributes[_PARTIAL : _PARTIAL + 1] == "p":
            self.facts.partial[title] = self.facts.lose_volume(group)
        kind = attributes[:1]
        if "Devices" in self._columns and kind and not placed and kind not in _VIRTUAL:
            self._open_volume(title)  # each other volume has some
            self.strange.append(self.number)
        others = {*(beside or ())} - {extent[3] for extent in placed}
        if kind == "C" and placed and all(extent[3] == f"{name}_cdata" for extent in placed):
            self._pools[title] = volume_title(group, f"{name}_cmeta")
        elif placed and kind in _BESIDE and not others and not inner(title):
            if kind:
                self._open_volume(title)
            elif "Origin" not in {*self._columns, *self._asked}:
                self._suspect(title)  # of the blocks of a snapshot, too, lvs says "linear"
        is_plain = kind in _PLAIN and self._type in {"", STRIPED} and all(extent[1] for extent in placed)
        stripes = self._stripes.setdefault(title, [])
        legs = len({extent[1] for extent in placed})
        stripes.append(legs * (is_plain and legs > 1))
        self._place_extents(title, placed, is_linear=kind in _PLAIN and self._type in {"", LINEAR, STRIPED})
        for extent in placed:
            self._put(title, extent[1] or extent[2] or "", extent[3] or "")
        for other in beside or () if placed or (kind and kind in _VIRTUAL) else ():
            self._put(title, "", other)
        return True

    def _place_extents(self, title: str, placed: Iterable[re.Match[str]], *, is_linear: bool) -> None:
        """Take on which extents of devices a segment lies, as the column of ranges names them."""
        counts = {extent[1]: int(extent[5]) - int(extent[4]) + 1 for extent in placed if extent[4]}
        begin, places = self._ends.get(title, 0), {extent[0] for extent in placed if extent[4]}
        is_whole = is_linear and begin >= 0 and all(extent[1] for extent in placed)
        is_whole = is_whole and self._placed.setdefault(title, set()).isdisjoint(places)
        self._placed.setdefault(title, set()).update(places)
        self._extents = sum(counts.values()) if is_whole and len({*counts.values()}) == 1 else 0
        self._ends[title] = begin + self._extents if self._extents else -1
        if self._extents:
            self._add_segment(title, begin, begin + self._extents, counts)

    def document(self, document: dict[str, Any]) -> bool:
        """Take the rows of --reportformat json."""
        reports = document.get("report")
        for row in (row for report in objects(reports) for rows in report.values() for row in objects(rows)):
            self._take_row(row)
        return isinstance(reports, list)

    def _take_row(self, row: dict[str, Any]) -> None:
        told = {name: str(cell) for name, cell in row.items() if isinstance(cell, str | int)}
        told |= {name: ",".join(map(str, cell)) for name, cell in row.items() if isinstance(cell, list)}
        self._take({_FIELDS[name]: cell for name, cell in told.items() if name in _FIELDS})

    def end(self) -> None:
        """Take the document, if it is one."""
        super().end()
        for title, (group, printed) in self._sizes.items():
            self._take_extent(group, printed, self._ends[title])
        self.finish()


LEAST: Final = 6
"""Characters that the attributes of a logical volume have at least; the oldest versions have no more."""
_SIZES: Final = frozenset({"PSize", "PFree", "VSize", "VFree", "pv_size", "pv_free", "vg_size", "vg_free"})
_OF_PV: Final = ("PSize", "PFree")
_OF_VOLUME: Final = frozenset({"LSize", "#Str", "Type", "SSize"})
_OF_DEVICES: Final = frozenset({"Devices", "PE Ranges"})
"""Columns that list devices."""
_FILLED: Final = (*_SIZES, *_OF_VOLUME)
"""Columns that are empty in no row."""
_OF_DEVICE: Final = re.compile(rf"\s*(?:{DEVICE})[\s,;|]")
_FORMS: Final = {
    "PV": rf"(?:{DEVICE})?", "VG": rf"(?:{GROUP})?", "LV": rf"(?:\[?{GROUP}\]?|{GROUP}/{GROUP})?",
    "Fmt": "(?:lvm[12])?", "Attr": r"(?:[a-zA-Z-]{2,10})?", "#PV": "[0-9]{0,6}",
    "Pool": rf"(?:\[?{GROUP}\]?)?",
    "Origin": rf"(?:\[?{GROUP}\]?)?", "KMaj": "(?:-?[0-9]{1,4})?", "KMin": "(?:-?[0-9]{1,8})?",
    "Devices": r"(?:(?:[^\s(,]+|unknown device)\([0-9]+\)(?:,(?=\S)|$))*", "Path": r"(?:/dev/\S+)?",
}  # fmt: skip
"""What the cells of columns look like."""


def _asked(command: str) -> list[str]:
    """Return the columns of an output without a heading, as its command names them; none if it has one."""
    tool, _, options = command.removeprefix("lvm ").partition(" ")
    if "--noheadings" not in options or "--reportformat" in options:
        return []
    default = _DEFAULTS.get(tool, "").split(",")
    names = asked_columns(command, "-o|--options") or default
    if names[0].startswith("+"):
        names = [*default, names[0][1:], *names[1:]]
    return [_FIELDS.get(name, name) for name in names]


def _named(cells: Mapping[str, str]) -> tuple[str, str]:
    """Return the group and the name of a logical volume, by names or path; of others the group alone."""
    group, name = cells.get("VG", ""), cells.get("LV", "").strip("[]")
    whole = [cell for column, cell in cells.items() if column.startswith("LV") and "/" in cell]
    path = re.fullmatch(rf"/dev/({GROUP})/({GROUP})", cells.get("Path", ""))
    if whole:
        group, _, name = whole[0].partition("/")
    elif path and not (group and name):
        group, name = path.groups()
    return group, name


_OF_POOL: Final = ("_cdata", "_tdata")
"""What LVM adds to the name of a pool for the volume with its data."""


def spread_groups(facts: Facts) -> None:
    """Say of each group which devices it has; these may hold its volumes whose devices no text names.

    A group with more volumes than are listed has others, which are not known: what is missing a tool says.
    What has a name of the group, is mounted or swapped to by one, is a volume of it.  A pool lies where the
    volume with its data does.
    """
    rows = facts.rows.get(LAYER.name, {})
    _drop_origins(facts)
    keys: dict[str, list[str]] = {}
    for key, row in rows.items():
        for fact in row.get("mapped", ()):
            keys.setdefault(str(fact.value), []).append(key)
    told = [(f"/dev/mapper/{title}", rows[own[0]]["mapped"][0].place) for title, own in keys.items()]
    told += [(mount.source, mount.place) for mount in facts.listed_mounts]
    told += [
        (area, row["sort"][0].place) for area, row in facts.rows.get(SWAP.name, {}).items() if "sort" in row
    ]
    for source, place in told:
        title = source.removeprefix("/dev/mapper/")
        group = group_of(title) if title != source else ""
        if group and group in facts.groups and not any(rows[key].get("below") for key in keys.get(title, ())):
            key = keys.setdefault(title, [title])[0]
            facts.say(LAYER, key, place, mapped=title, sort="dm")
            facts.volumes.setdefault(group, []).append(key)
    for group, (size, place) in facts.group_sizes.items():
        members = facts.groups.setdefault(group, {})
        if len(members) < size and not any(name.startswith("?") for name in members):
            unlisted, more = f"?{group}.unlisted", size - len(members)
            what = "a physical volume" if more == 1 else f"{more} physical volumes"
            facts.leave_open(unlisted, f"{what} of {group}")
            members[unlisted] = place
    for group, members in facts.groups.items():
        place = next(iter(members.values()))
        name = f"volume group {group}" if group else "physical volumes without a group"
        key = group_key(group) if group else name.replace(" ", "-")
        for title in facts.volumes.get(group, ()):
            if not facts.rows[LAYER.name][title].get("below"):
                data = [number for part in _OF_POOL for number in keys.get(f"{title}{part}", ())]
                placed = [number for number in data if rows[number].get("table")]
                facts.say(LAYER, title, place, below=" ".join(placed) or key)
        facts.say(LAYER, key, place, mapped=name, sort=VOLUME_GROUP, below=" ".join(members))


def _drop_origins(facts: Facts) -> None:
    """Drop what stands for origins of volumes of groups that have no snapshots."""
    rows = facts.rows.get(LAYER.name, {})
    for group in facts.without_snapshots:
        for title in facts.volumes.get(group, ()):
            if title in facts.suspects:
                below = rows[title].get("below", [])
                lists = [str(fact.value).split() for fact in below]
                left = [" ".join(name for name in names if name != f"?{title}") for names in lists]
                below[:] = [fact._replace(value=told) for fact, told in zip(below, left, strict=True)]


def whole_size(printed: str, extents: str) -> int:
    """Return the sectors of a volume whose size is printed rounded, by its extents; 0 if not known.

    An extent has a power of two as its size, unless somebody chose another.
    """
    match = re.fullmatch(r"<?([0-9]{1,18}(?:[.,][0-9]{1,2})?) ?([BKMGTPEkmgtpe])(?:i?B)?", printed)
    if match is None or not re.fullmatch("[1-9][0-9]{0,11}", extents):
        return 0
    unit = KIB ** "BKMGTPE".index(match[2].upper())
    about = float(match[1].replace(",", ".")) * unit / int(extents)
    extent = 1 << round(math.log2(about)) if about >= KIB else 0
    return int(extents) * extent // SECTOR if abs(about - extent) <= about * _ROUNDED else 0


_ROUNDED: Final = 0.01
"""By what part a size may be off that is rounded."""
_ROUGH: Final = 0.05
"""By what part a size may be off that lsblk prints."""


def lay_segments(facts: Facts, layers: Frame) -> None:
    """Say how the segments of logical volumes lie, where their extents are read and how large these are.

    They have to follow each other, and to be on just those devices that all texts together name.
    """
    stack = Stack(layers)
    for title, segments in facts.segments.items():
        node, parts = stack.named(title), sorted(segments.items())
        if node is None or not _follow(segments) or not isinstance(node.table, Absent):
            continue
        ends = [end for (_begin, end), _counts in parts]
        sizes = facts.extents.get(group_of(title), set[int]())
        if isinstance(node.size, int) and not sizes:
            sizes = {node.size // SECTOR // ends[-1]}
        extent = next(iter(sizes)) if len(sizes) == 1 else 0
        legs = [[foot.number for foot in map(stack.named, counts) if foot] for _ends, counts in parts]
        if {*chain.from_iterable(legs)} != {*node.below} or not _is_so_large(node, ends[-1] * extent, facts):
            continue
        lines = [
            f"{begin * extent} {(end - begin) * extent} segment {' '.join(numbers)}"
            for ((begin, end), _counts), numbers in zip(parts, legs, strict=True)
        ]
        place = facts.rows[LAYER.name][node.number]["mapped"][0].place
        facts.say(LAYER, node.number, place, table="\n".join(lines), size=ends[-1] * extent)


def _follow(segments: Mapping[tuple[int, int], Mapping[str, int]]) -> bool:
    """Return whether segments follow each other, each with all of its extents in equal parts."""
    parts = sorted(segments.items())
    begins = [0, *(end for (_begin, end), _counts in parts)]
    return all(
        begin == first and sum(counts.values()) == end - begin and len({*counts.values()}) == 1
        for first, ((begin, end), counts) in zip(begins, parts, strict=False)
    )


def _is_so_large(node: BlockDevice, sectors: int, facts: Facts) -> bool:
    """Return whether a device may have a size; lsblk rounds sizes."""
    if isinstance(node.size, int):
        return node.size == sectors * SECTOR
    rounded, _place = facts.rounded.get(str(node.mapped), (sectors, ""))
    return sectors > 0 and abs(rounded - sectors) <= rounded * _ROUGH
