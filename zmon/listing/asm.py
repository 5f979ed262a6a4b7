"""Oracle's Automatic Storage Management: the disks that hold a file of a disk group.

Read from spools with headings of

- `V$ASM_DISK` (`GROUP_NUMBER, DISK_NUMBER, PATH, TOTAL_MB, ...`) and `V$ASM_DISKGROUP` (`GROUP_NUMBER, NAME,
  ALLOCATION_UNIT_SIZE, TYPE`)
- `X$KFFXP` of the ASM instance (`GROUP_KFFXP, NUMBER_KFFXP, DISK_KFFXP, SIZE_KFFXP, LXN_KFFXP`), whole, or
summed up by disk: the extent map, which makes bytes per disk exact

and from what `asmcmd lsdsk`, `asmcmd afd_lsdsk` and `oracleasm querydisk` print.  None of these separates
its columns by a character: of `lsdsk -k`, where a column without a value is blank, only the first five and
the path are certain, and the group is known only from `-G` in the command.

Without the extent map a file counts as spread evenly over its group, as ASM does after a rebalance: assumed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import absent
from zmon.base.listed_file import UNSAID
from zmon.base.ranges import many
from zmon.base.sizes import MIB
from zmon.listing import containers as c
from zmon.listing.containers import AllocationUnits, AsmDisk, Container, DiskGroup, DiskGroups
from zmon.listing.delimited import find_heading, numbered_lines, whole_number
from zmon.listing.not_understood import Note, unread_row
from zmon.topology.claims import Evidence, Grade
from zmon.topology.data_files import DiskGroupFile, DiskGroupPart
from zmon.topology.mapping import split_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.listing.delimited import ViewRow

VIEWS: Final = {
    "disks": frozenset({"DISK_NUMBER", "PATH"}),
    "groups": frozenset({"GROUP_NUMBER", "ALLOCATION_UNIT_SIZE", "NAME"}),
    "extents": frozenset({"NUMBER_KFFXP", "DISK_KFFXP"}),
}
INDIRECT: Final = 1 << 31
"""Virtual extents from here on hold the extent map itself, not data."""
LABELS: Final = "/dev/oracleasm/disks/"
"""The directory in which ASMLib has a block device for every label."""
REDUNDANCY: Final = {"EXTERN": (0, "external"), "NORMAL": (1, "normal"), "HIGH": (2, "high")}
"""Copies besides the first, and the name of that redundancy; a FLEX group has one for every file."""

NO_SIZE: Final = absent("the size of the file is not known: get DBA_DATA_FILES")
NO_MAP: Final = "X$KFFXP is not there for this file"
NO_UNIT: Final = "ALLOCATION_UNIT_SIZE of V$ASM_DISKGROUP is not there"
NO_TYPE: Final = absent("the redundancy of the group is not known: get TYPE of V$ASM_DISKGROUP")
NAMING: Final = "get asmcmd afd_lsdsk, or oracleasm querydisk -p"
"""What says which disk has a label."""
LABEL: Final = absent(f"it is a label: {NAMING}")

_FILE: Final = re.compile(r"\+(?P<group>[^/(]+).*?(?:\.(?P<file>[0-9]{1,10})\.[0-9]{1,12})?", re.DOTALL)

# reading

_LSDSK_K: Final = re.compile(r"\s*Total_MB\s+Free_MB\s+OS_MB\s+Name\s+Failgroup\b.*\bPath\s*\Z")
_LSDSK_P: Final = re.compile(r"\s*Group_Num\s+Disk_Num\s+.*\bPath\s*\Z")
_LSDSK: Final = re.compile(r"\s*(?:Inst_ID\s+)?Path\s*\Z")
_AFD: Final = re.compile(r"\s*Label\s+(?:Filtering\s+)?Path\s*\Z")
_COMMAND_HEADINGS: Final = (_LSDSK_K, _LSDSK_P, _LSDSK, _AFD)
_PATHS: Final = ("/", "ORCL:", "AFD:", "o/")
_GROUP: Final = re.compile(r"\s-G\s{0,9}['\"]?\+?(\w{1,30})")
_QUERY_PATH: Final = re.compile(r"(/dev/\S{1,200}): LABEL=\"([^\"]{1,40})\" TYPE=\"oracleasm\"")
_QUERY_DEVICE: Final = re.compile(
    r"Disk \"([^\"]{1,40})\" is a valid ASM disk on device (/dev/\S{1,200}?)?\s?\[(\d{1,4}), ?(\d{1,7})\]"
)


def is_heading(line: str) -> bool:
    """Return whether a line is the heading of a view of ASM's disks, or of the output of a command."""
    return bool(find_heading(line, VIEWS)) or any(form.match(line) for form in _COMMAND_HEADINGS)


class AsmReader:
    """Collects the rows of views and the output of commands; sums up an extent map row by row."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.disks: list[AsmDisk] = []
        self.labels: dict[str, str] = {}
        self._listed: list[AsmDisk] = []  # by commands
        self._groups: list[DiskGroup] = []
        self._extents: dict[tuple[int, int], dict[int, AllocationUnits]] = {}
        self._skipped = 0
        self._heading: re.Pattern[str] | None = None
        self._names: tuple[str, ...] = ()
        self._group = ""

    def disk_groups(self, origin: str) -> DiskGroups:
        """Return all that was read."""
        if self._skipped:
            text = f"{self._skipped} rows of the extent map are not numbers, and were not counted"
            self.notes.append(Note(0, text, unread=True))
        disks = _with_groups((*self.disks, *self._listed), self._groups)
        return DiskGroups(disks, tuple(self._groups), self._extents, self.labels, origin)

    def take(self, row: ViewRow) -> None:
        """Take a row of one of the `VIEWS`."""
        if row.problem:
            self.notes.append(unread_row(row.line, row.problem))
        elif row.kind == "extents":
            self._skipped += not self._take_extent(row)
        elif row.kind == "groups":
            number, unit = row.whole("GROUP_NUMBER"), row.whole("ALLOCATION_UNIT_SIZE")
            self._groups.append(DiskGroup(row.text("NAME"), number, unit, row.text("TYPE").strip().upper()))
        elif row.text("PATH"):
            self.disks.append(_disk(row))

    def _take_extent(self, row: ViewRow) -> bool:
        """Count one row of the extent map; False when it cannot be read."""
        numbers = [row.whole(name) for name in ("GROUP_KFFXP", "NUMBER_KFFXP", "DISK_KFFXP")]
        group, file, disk = (-1 if number is None else number for number in numbers)
        if file < 0 or disk < 0:
            return False
        if (row.whole("XNUM_KFFXP") or 0) >= INDIRECT:
            return True
        size = row.whole("SIZE_KFFXP") if "SIZE_KFFXP" in row.cells else 1
        if size is None:
            return False
        on = self._extents.setdefault((group, file), {})
        units = on.get(disk, AllocationUnits())
        copy = bool(row.whole("LXN_KFFXP"))
        on[disk] = AllocationUnits(units.data + size * (not copy), units.copies + size * copy)
        return True

    def other_lines(self, text: str | Iterable[str]) -> Iterator[str]:
        """Take the output of commands; yield every line, an empty one for each line taken."""
        for number, line in numbered_lines(text, self.notes):
            yield "\n" if self._take_line(number, line) else line + "\n"

    def _take_line(self, number: int, line: str) -> bool:
        """Take one line; False when it is no output of a command."""
        heading = next((form for form in _COMMAND_HEADINGS if form.match(line)), None)
        if "lsdsk" in line:
            match = _GROUP.search(line, line.index("lsdsk"))
            self._group, self._heading = (match[1].upper() if match is not None else ""), None
        elif heading is not None:
            self._heading, self._names = heading, tuple(line.split())
        elif label := _QUERY_PATH.search(line):
            self.labels[label[2]] = label[1]
        elif label := _QUERY_DEVICE.search(line):
            self.labels[label[1]] = label[2] or f"/dev/block/{label[3]}:{label[4]}"
        else:
            return self._heading is not None and self._take_printed_row(number, line.split())
        return True

    def _take_printed_row(self, number: int, fields: list[str]) -> bool:
        """Take a row under the last heading; any other line ends the table."""
        if not "".join(fields).strip("-="):
            return True
        if self._heading is _AFD and len(fields) > 1:
            self.labels[fields[0]] = fields[-1]
            return True
        disk = self._printed_disk(fields) if fields[-1].startswith(_PATHS) else None
        if disk is None:
            self._heading = None
            return False
        self._listed.append(disk._replace(path=fields[-1], line=number, group=self._group))
        return True

    def _printed_disk(self, fields: list[str]) -> AsmDisk | None:
        """Take a row of `lsdsk`; None when it is none."""
        if self._heading is _LSDSK_P:
            cells = dict(zip(self._names, fields, strict=False))
            group, number = whole_number(cells.get("Group_Num")), whole_number(cells.get("Disk_Num"))
            if len(fields) != len(self._names) or group is None or number is None:
                return None
            member = cells.get("Header_Stat", "MEMBER").upper() in {"MEMBER", "UNKNOWN"} and group > 0
            return AsmDisk("", group_number=group, number=number, member=member)
        if self._heading is _LSDSK_K:
            total, free, raw = (*map(whole_number, fields[:3]), None, None, None)[:3]
            if total is None or free is None or raw is None or len(fields) < 4:
                return None
            if not total:  # in no group, so it has no name, and the next field is of some later column
                return AsmDisk("", size=raw * MIB, member=False)
            return AsmDisk("", fields[3], size=total * MIB)
        return AsmDisk("") if len(fields) == len(self._names) else None


def _disk(row: ViewRow) -> AsmDisk:
    """Take one row of V$ASM_DISK; of two sizes, the one that ASM uses."""
    size = row.whole("TOTAL_MB") or row.whole("OS_MB")
    group = row.whole("GROUP_NUMBER")
    return AsmDisk(
        path=row.text("PATH"),
        name=row.text("NAME"),
        group=row.text("GROUP_NAME") or row.text("DISKGROUP"),
        group_number=group,
        number=row.whole("DISK_NUMBER"),
        size=size * MIB if size is not None else None,
        member=row.text("HEADER_STATUS").strip().upper() in {"", "MEMBER", "UNKNOWN"} and group != 0,
        line=row.line,
    )


def disks_of(groups: DiskGroups, database: str = "") -> Iterator[Container]:
    """Yield the disks as containers of their disk groups: the tablespace is `+DATA`, each disk a device."""
    for disk in groups.disks:
        if disk.member:
            name, path = f"+{disk.group}" if disk.group else "", device_of(disk.path, groups.labels)
            problem = "" if path.startswith("/") else f"{disk.path} is a label: {NAMING}"
            yield Container(
                database, name, disk.number, kind=c.DEVICE, path=path, bytes_declared=disk.size,
                source=groups.origin, line=disk.line, problem=problem,
            )  # fmt: skip


def merge_groups(first: DiskGroups, second: DiskGroups) -> DiskGroups:
    """Join two listings of the same ASM: disks of one file, groups of another."""
    groups = (*first.groups, *second.groups)
    return DiskGroups(
        _with_groups((*first.disks, *second.disks), groups),
        groups,
        {**first.extents, **second.extents},
        {**first.labels, **second.labels},
        ", ".join(filter(None, (first.origin, second.origin))),
    )


def _with_groups(disks: Iterable[AsmDisk], groups: Iterable[DiskGroup]) -> tuple[AsmDisk, ...]:
    """Return disks with the name of their group, if a listing has the name of its number."""
    named = {group.number: group.name for group in groups if group.number is not None}
    return tuple(
        disk
        if disk.group or disk.group_number is None
        else disk._replace(group=named.get(disk.group_number, ""))
        for disk in disks
    )


def device_of(path: str, labels: Mapping[str, str]) -> str:
    """Return the device of a disk's path: by a listing of labels, else where ASMLib puts it.

    A label that no listing resolves comes back as it is.
    """
    library, _, label = path.partition(":")
    if path.startswith(LABELS):
        return labels.get(path.removeprefix(LABELS), path)
    if library == "ORCL":
        return labels.get(label, LABELS + label)
    return labels.get(label, path) if library == "AFD" else path


def with_device(container: Container, labels: Mapping[str, str]) -> Container:
    """Return a disk that is a container with the device of its label, if another listing has it."""
    path = device_of(container.path, labels) if container.kind == c.DEVICE else container.path
    if path == container.path:
        return container
    return container._replace(path=path, problem="" if path.startswith("/") else container.problem)


# files in disk groups


def is_in_group(container: Container) -> bool:
    """Return whether a container is in a disk group, so that its name is no path of Linux."""
    return container.kind in {c.ASM_FILE, c.ASM_GROUP} and not container.problem


def name_in_group(container: Container) -> str:
    """Return the name of a container; if only its group is known, with its tablespace.

    For `+DATA` Oracle chooses the name of the file itself.
    """
    if container.kind != c.ASM_GROUP:
        return container.located
    return f"{container.path} ({container.owner})"


class GroupMembers(NamedTuple):
    """A disk group, and the disks in it."""

    group: DiskGroup
    disks: tuple[AsmDisk, ...]
    """With the paths of their devices."""
    evidence: tuple[Evidence, ...] = ()
    """The assumptions about it."""


def members_of(name: str, groups: DiskGroups) -> GroupMembers:
    """Return the disk group of a name, as far as it is listed."""
    group = next((group for group in groups.groups if group.name.upper() == name), DiskGroup(name))
    disks = tuple(
        disk._replace(path=device_of(disk.path, groups.labels)) for disk in groups.disks if disk.member
    )
    of = tuple(disk for disk in disks if _is_member(disk, group))
    if not of and len({disk.group_number for disk in disks}) == 1 and not any(disk.group for disk in disks):
        remark = f"no listing names the group of the disks; there is one, so it is taken for +{name}"
        return GroupMembers(group, disks, (Evidence(groups.origin, remark, Grade.ASSUMED),))
    return GroupMembers(group, of)


def _is_member(disk: AsmDisk, group: DiskGroup) -> bool:
    if disk.group:
        return disk.group.upper() == group.name.upper()
    return group.number is not None and disk.group_number == group.number


def disk_group_files(containers: Iterable[Container], groups: DiskGroups) -> tuple[DiskGroupFile, ...]:
    """Return the placement of the containers in disk groups, each name once."""
    members: dict[str, GroupMembers] = {}
    files: dict[str, DiskGroupFile] = {}
    for container in filter(is_in_group, containers):
        match = _FILE.fullmatch(container.path)
        group = "" if match is None else match["group"].strip().upper()
        if group not in members:
            members[group] = members_of(group, groups)
        called = name_in_group(container)
        if called not in files:
            files[called] = _place(container, called, members[group], groups)
    return tuple(files.values())


def _place(container: Container, called: str, of: GroupMembers, groups: DiskGroups) -> DiskGroupFile:
    """Return the devices of its group that hold a file: by the extent map, else evenly over the disks."""
    size, (group, disks, assumed) = container.bytes_declared, of
    copies = REDUNDANCY.get(group.redundancy)
    kind = f"{copies[1]} redundancy, " if copies is not None else ""
    file = DiskGroupFile(
        called, container.database, container.tablespace, container.role, container.place,
        UNSAID if size is None else size,
        over=f"+{group.name}",
        what=f"ASM, {kind}{many(len(disks), 'disk')}",
        devices=tuple(disk.path for disk in disks),
        parts=(),
        unplaced=0,
        grade=Grade.UNKNOWN,
        evidence=(),
    )  # fmt: skip
    match = _FILE.fullmatch(container.path)
    why = "" if match else f"{container.path!r} is no name of ASM: +GROUP/..."
    if match and not disks:
        why = f"no disks of +{group.name}: get GROUP_NUMBER, DISK_NUMBER, PATH, TOTAL_MB of V$ASM_DISK"
    if match is None or why:
        return file._replace(evidence=(Evidence(groups.origin, why, Grade.UNKNOWN),))
    number = group.number if group.number is not None else disks[0].group_number
    units = groups.extents.get((-1 if number is None else number, int(match["file"] or 0)))
    if units and group.unit is not None:
        file = _by_map(file, units, disks, group.unit, groups.origin)
    else:
        file = _evenly(file, size, of, Evidence(groups.origin, NO_UNIT if units else NO_MAP))
    worst = min([file.grade, *(evidence.grade for evidence in assumed)])
    return file._replace(evidence=(*assumed, *file.evidence), grade=worst)


def _by_map(
    file: DiskGroupFile,
    units: Mapping[int, AllocationUnits],
    disks: Sequence[AsmDisk],
    unit: int,
    origin: str,
) -> DiskGroupFile:
    paths = {disk.number: disk.path for disk in disks}
    missing = sum(held.data for number, held in units.items() if number not in paths)
    count = sum(held.data for held in units.values())
    evidence = [Evidence(origin, f"X$KFFXP: {count} allocation units of {unit} bytes")]
    if missing:
        remark = f"{missing} allocation units are on disks that are not listed"
        evidence.append(Evidence(origin, remark, Grade.UNKNOWN))
    parts = tuple(
        DiskGroupPart(paths[number], held.data * unit, held.copies * unit, LABEL)
        for number, held in sorted(units.items())
        if number in paths
    )
    grade = Grade.SHARES if missing else Grade.EXACT
    return file._replace(parts=parts, grade=grade, evidence=tuple(evidence), unplaced=missing * unit)


def _evenly(file: DiskGroupFile, total: int | None, of: GroupMembers, lacking: Evidence) -> DiskGroupFile:
    """Spread a file over all disks of its group, in proportion to their sizes."""
    group, disks, _ = of
    sized = all(disk.size for disk in disks)
    weights = [disk.size or 0 if sized else 1 for disk in disks]
    how = "in proportion to TOTAL_MB" if sized else "equally, as a size is missing"
    remark = (
        f"{lacking.said}: taken as spread over {many(len(disks), 'disk')}"
        f" of +{group.name} {how}, as after a rebalance"
    )
    redundancy = REDUNDANCY.get(group.redundancy)
    copies: Number = NO_TYPE if redundancy is None else redundancy[0]
    parts = []
    for disk, part in zip(disks, split_whole(total or 0, weights), strict=True):
        data: Number = NO_SIZE if total is None else part
        parts.append(DiskGroupPart(disk.path, data, copies * data, LABEL))
    evidence = (lacking._replace(said=remark, grade=Grade.ASSUMED),)
    return file._replace(parts=tuple(parts), grade=Grade.ASSUMED, evidence=evidence)
