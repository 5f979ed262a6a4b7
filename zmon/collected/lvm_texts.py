"""LVM in texts: pvs, vgs and lvs, also with the devices of each volume.

    /dev/dasdb1 vg  lvm2 a--  22.49g 0               pvs; a volume that is lost is `[unknown]`
    vg    2   1   0 wz--n- 44.98g    0               vgs; `p` in its attributes: one of its volumes is lost
    data  vg  -wi-ao---- 44.98g /dev/dasdb1(0)       lvs, with -o +devices, a line for each segment

Sources: lvm2, lib/report/columns.h, lib/report/report.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.columns import Columns
from zmon.collected.facts import doubled, plain
from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_GROUP: Final = r"[A-Za-z0-9+_.][A-Za-z0-9+_.-]{0,127}"
_DEVICE: Final = r"/dev/\S{1,250}|\[unknown\]|unknown device|missing"
_EXTENT: Final = re.compile(
    rf"(?<!\S)(?:(/dev/[^\s(,]{{1,200}})|(\[unknown\]|unknown device|missing)|({_GROUP}))\([0-9]{{1,12}}\)"
)
_OF_DEVICE: Final = re.compile(rf"\s*(?:{_DEVICE})\s")
_ATTRIBUTES: Final = r"[a-zA-Z-]{6,10}"
_VIRTUAL: Final = "Vv"
"""The first attribute of logical volumes that are on no devices of their own."""
_PARTIAL: Final = 8
"""Which attribute of a logical volume is its health: `p` if a device is missing."""


class Lvm(Reading):
    """Physical volumes by group (pvs), groups (vgs), and logical volumes with the devices that lvs names."""

    heading = r" *(?:[LP]V +VG +|VG +#PV )"

    nothing = (
        r"\s*(?:WARNING: )?(?:Couldn't find (?:device|all physical volumes|all devices))\b.*",
        r"\s*(?:WARNING: )?(?:Missing device|File descriptor)\b.*",
        r"\s*(?:WARNING: )?There are [0-9]+ physical volumes missing.*",
        r"\s*[0-9]+ logical volume\(s\).*",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a heading."""
        super().__init__(text, facts)
        self._columns = Columns("")
        self._volumes: dict[str, tuple[str, str, dict[str, None]]] = {}
        self._last = ""
        """The logical volume of the line before."""
        self._is_lost = False
        """Whether the line before was not understood."""
        self._groups: set[str] = set()
        """The groups whose volumes are listed."""

    def lost(self) -> None:
        """Know that the volume before may be on a further device, and so may the next one."""
        self._is_lost = True
        if self._last:
            self._open_volume(self._last)

    def _open_volume(self, title: str) -> None:
        lost = f"?{title}"
        self.facts.lost[lost] = f"a line about {title} that was not understood"
        self._volumes[title][2][lost] = None

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of LVM: rows of chosen columns begin with a device."""
        patterns = (pattern for pattern, name in cls._lines if name != "other_columns")
        return any(pattern.fullmatch(row) for pattern in patterns) or _OF_DEVICE.match(row) is not None

    @line(r"\s*[A-Z#][A-Za-z#%_]*(?:\s+[A-Z#][A-Za-z#%_]*)*\s*")
    def head(self, match: re.Match[str]) -> bool:
        """Take a heading."""
        is_it = not {"PV", "VG", "LV"}.isdisjoint(match[0].split())
        self._columns = Columns(match[0]) if is_it else self._columns
        return is_it

    @line(r"\s*WARNING: VG (\S{1,128}) is missing PV \S+(?: \(last written to (\S+)\))?\.?\s*")
    def missing(self, match: re.Match[str]) -> None:
        """Take what lvm says of a group that lacks a volume."""
        lost = self.facts.lose_volume(match[1], match[2] or "")
        self.facts.groups.setdefault(match[1], {})[lost] = f"lvm, {self.text.place(self.number)}"

    @line(rf"\s*({_DEVICE})(?:\s+({_GROUP}))?\s+lvm[12]\s+[a-z-]{{2,4}}(?:\s.*)?")
    def volume(self, match: re.Match[str]) -> bool:
        """Take a physical volume; one without a group may be new, or its group was not found."""
        if "PV" not in self._columns:
            return False
        self._take_volume(match[1], match[2] or "")
        return True

    @line(r"\s*(/dev/\S{1,250})\s+(?:---|-)\s+0\s+0\s*")
    def no_volume(self, _match: re.Match[str]) -> bool:
        """Take a device that `pvs -a` lists and that is no physical volume."""
        return "PV" in self._columns

    @line(rf"\s*({_GROUP})\s+([0-9]{{1,6}})\s+[0-9]{{1,6}}\s+[0-9]{{1,6}}\s+[a-z-]{{5,6}}\s.*")
    def group(self, match: re.Match[str]) -> bool:
        """Take a group and how many volumes it has."""
        if "#PV" not in self._columns:
            return False
        self.facts.group_sizes[match[1]] = int(match[2]), f"vgs, {self.text.place(self.number)}"
        return True

    @line(rf"\s*\[?({_GROUP})\]?\s+({_GROUP})\s+({_ATTRIBUTES})(?:\s.*)?")
    def logical(self, match: re.Match[str]) -> bool:
        """Take a segment of a logical volume."""
        if "LV" not in self._columns or "VG" not in self._columns:
            return False
        name, group, attributes = match.groups()
        title, place = f"{doubled(group)}-{doubled(name)}", f"lvs, {self.text.place(self.number)}"
        _group, place, names = self._volumes.setdefault(title, (group, place, {}))
        if self._is_lost and title != self._last:
            self._open_volume(title)
        self._last, self._is_lost = title, False
        if attributes[_PARTIAL : _PARTIAL + 1] == "p":
            self.facts.partial[title] = self.facts.lose_volume(group, "")
        extents = [*_EXTENT.finditer(match[0].replace(",", " "))]
        if "(" in _EXTENT.sub("", match[0].replace(",", " ")):
            return False
        if not extents and "Devices" in self._columns and attributes[0] not in _VIRTUAL:
            self._open_volume(title)
        for extent in extents:
            device, lost, inner = extent.groups()
            if inner:
                below = f"{doubled(group)}-{doubled(inner)}"
                self._volumes.setdefault(below, (group, place, {}))
            else:
                below = self._member(device or lost, group)
                self.facts.name_dasd(below, place)
            names[below] = None
        return True

    @line(r"\s*(?=\S)(?!WARNING).*")
    def other_columns(self, match: re.Match[str]) -> bool:
        """Take a row whose columns were chosen with -o, by where they stand."""
        cells = self._columns.cells(match[0])
        if "PV" in cells and re.fullmatch(_DEVICE, cells["PV"]) and not re.search(r"\s", cells.get("VG", "")):
            self._take_volume(cells["PV"], cells.get("VG", ""))
            return "VG" in self._columns
        return False

    def _take_volume(self, device: str, group: str) -> None:
        place = f"pvs, {self.text.place(self.number)}"
        name = self._member(device, group)
        self._groups.add(group)
        self.facts.groups.setdefault(group, {})[name] = place
        self.facts.name_dasd(name, place)

    def _member(self, device: str, group: str) -> str:
        """Return the name of a member of a group; a word of its own for one that LVM does not find."""
        is_there = device.startswith("/dev/")
        return plain(device.removeprefix("/dev/")) if is_there else self.facts.lose_volume(group, "")

    def end(self) -> None:
        """Say on which devices each logical volume is."""
        for group in self._groups if self._is_lost and not self._last else ():
            lost = f"?{group}.strange"
            self.facts.lost[lost] = "a line of pvs that was not understood"
            self.facts.groups[group][lost] = f"pvs, {self.text.place()}"
        for title, (group, place, names) in self._volumes.items():
            if all(name.startswith("?") for name in names):
                names.clear()  # it may be on any device of its group
            self.facts.say(LAYER, title, place, mapped=title, sort="dm", below=" ".join(names))
            volumes = self.facts.volumes.setdefault(group, [])
            if title not in volumes:
                volumes.append(title)


def spread_groups(facts: Facts) -> None:
    """Say of each group which devices it has; these may hold its volumes whose devices no text names.

    A group with more volumes than are listed has others, which are not known.
    """
    for group, (size, place) in facts.group_sizes.items():
        members = facts.groups.setdefault(group, {})
        if len(members) < size and not any(name.startswith("?") for name in members):
            members[facts.lose_volume(group, "")] = place
    for group, members in facts.groups.items():
        place, below = next(iter(members.values())), " ".join(members)
        for title in facts.volumes.get(group, ()):
            facts.say(LAYER, title, place, below=below)
        name = f"volume group {group}" if group else "physical volumes without a group"
        facts.say(LAYER, name, place, mapped=name, sort="volume group", below=below)
