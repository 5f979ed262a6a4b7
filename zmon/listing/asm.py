"""Oracle's Automatic Storage Management: which disks a file of a disk group lies on.

Read from spools with headings of

- `V$ASM_DISK` (`GROUP_NUMBER, DISK_NUMBER, PATH, TOTAL_MB, ...`) and `V$ASM_DISKGROUP` (`GROUP_NUMBER, NAME,
  ALLOCATION_UNIT_SIZE, TYPE`)
- `X$KFFXP` of the ASM instance (`GROUP_KFFXP, NUMBER_KFFXP, DISK_KFFXP, SIZE_KFFXP, LXN_KFFXP`), whole, or
  summed up by disk: the extent map, with which bytes per disk are exact

and from what `zmon.listing.asmcmd` understands.

Without the extent map a file counts as spread evenly over its group, as ASM does after a rebalance: assumed.
"""

from __future__ import annotations

import re
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import absent
from zmon.listing import container as c
from zmon.listing import sheet
from zmon.listing.asmcmd import FORMS, Commands
from zmon.listing.disk_group import COPIES, MB, Disk, Extents, Group, Placed
from zmon.topology.claims import Evidence, Grade

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Number
    from zmon.listing.container import Container

SORTS: Final = {
    "disks": frozenset({"DISK_NUMBER", "PATH"}),
    "groups": frozenset({"GROUP_NUMBER", "ALLOCATION_UNIT_SIZE", "NAME"}),
    "extents": frozenset({"NUMBER_KFFXP", "DISK_KFFXP"}),
}
INDIRECT: Final = 1 << 31
"""Virtual extents from here on hold the extent map itself, not data."""
LABELS: Final = "/dev/oracleasm/disks/"
"""Where ASMLib has a block device for every label."""

NO_SIZE: Final = absent("the size of the file is not known: get DBA_DATA_FILES")
NO_MAP: Final = "X$KFFXP is not there for this file"
NO_TYPE: Final = absent("the redundancy of the group is not known: get TYPE of V$ASM_DISKGROUP")

_FILE: Final = re.compile(r"\+(?P<group>[^/(]+).*?(?:\.(?P<file>[0-9]{1,10})\.[0-9]{1,12})?", re.DOTALL)


class Asm(NamedTuple):
    """All that listings tell of ASM."""

    disks: tuple[Disk, ...] = ()
    groups: tuple[Group, ...] = ()
    extents: Mapping[tuple[int, int], Mapping[int, Placed]] = MappingProxyType({})
    labels: Mapping[str, str] = MappingProxyType({})
    """Device behind a label, where a listing told."""
    notes: tuple[c.Note, ...] = ()
    origin: str = ""


class Share(NamedTuple):
    """What of a file is on one disk."""

    device: str
    """Path of the device; the name of a library where the device is not told."""
    data: Number
    """Bytes of the first copy."""
    copies: Number
    """Bytes of the others."""


class Spread(NamedTuple):
    """Where a file is, and how sure that is."""

    shares: tuple[Share, ...]
    grade: Grade
    evidence: tuple[Evidence, ...]
    unplaced: int = 0
    """Bytes of the first copy on disks that are not listed."""


class Membership(NamedTuple):
    """A disk group, and the disks in it."""

    group: Group
    disks: tuple[Disk, ...]
    """With the paths of their devices."""
    evidence: tuple[Evidence, ...] = ()
    """What is assumed about it."""


def recognise(head: str) -> bool:
    """Say whether a text is about disks of ASM."""
    return any(
        sheet.heading(line, SORTS) or any(form.match(line) for form in FORMS) for line in head.split("\n")
    )


def read(
    text: str | Iterable[str], origin: str, others: Mapping[str, frozenset[str]] = MappingProxyType({})
) -> Asm:
    """Read all that a text tells of ASM; a whole extent map is summed up while it is read.

    Tables that are `others`, as `sheet.rows` knows them, are for another reader.
    """
    notes: list[c.Note] = []
    commands = Commands(notes)
    disks: list[Disk] = []
    groups: list[Group] = []
    extents: Extents = {}
    skipped = 0
    for row in sheet.rows(commands.watched(text), SORTS | dict(others), notes):
        if row.sort in others:
            continue
        if row.problem:
            notes.append(c.Note(row.line, f"row not understood: {row.problem}", unread=True))
        elif row.sort == "extents":
            skipped += not _add(extents, row)
        elif row.sort == "groups":
            kind = row.text("TYPE").strip().upper()
            groups.append(
                Group(row.text("NAME"), row.whole("GROUP_NUMBER"), row.whole("ALLOCATION_UNIT_SIZE"), kind)
            )
        elif row.text("PATH"):
            disks.append(_disk(row))
    if skipped:
        notes.append(
            c.Note(0, f"{skipped} rows of the extent map are not numbers, and were not counted", unread=True)
        )
    known = _named((*disks, *commands.disks), groups)
    if known or groups or extents or commands.labels:  # then it is no matter that there are no headings
        notes = [note for note in notes if note.line or not note.text.startswith("no heading")]
    return Asm(known, tuple(groups), extents, commands.labels, tuple(notes), origin)


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.Parsed:
    """Give the disks of a text as containers, see `listed`."""
    return listed(read(text, origin), options)


def listed(asm: Asm, options: c.Options = c.NO_OPTIONS) -> c.Parsed:
    """Give the disks as containers of their disk groups: `+DATA` as the tablespace, each disk a device."""
    made = [
        c.Container(
            database=options.database,
            tablespace=f"+{disk.group}" if disk.group else "",
            spelled=f"+{disk.group}" if disk.group else "",
            container_id=disk.number,
            kind=c.DEVICE,
            path=device_of(disk.path, asm.labels),
            bytes_declared=disk.size,
            source=asm.origin,
            line=disk.line,
            problem="" if device_of(disk.path, asm.labels).startswith("/") else _UNRESOLVED.format(disk.path),
            traffic=disk.traffic,
        )
        for disk in asm.disks
        if disk.member
    ]
    kept, doubled = c.checked(made)
    return c.Parsed(kept, (*asm.notes, *doubled), options.database)


_UNRESOLVED: Final = "{} is a label: get asmcmd afd_lsdsk, or oracleasm querydisk -p"


def both(first: Asm, second: Asm) -> Asm:
    """Put two listings of the same ASM together: disks of one file, groups of another."""
    groups = (*first.groups, *second.groups)
    disks = _named((*first.disks, *second.disks), groups)
    origin = ", ".join(filter(None, (first.origin, second.origin)))
    notes = (*first.notes, *second.notes)
    return Asm(
        disks, groups, {**first.extents, **second.extents}, {**first.labels, **second.labels}, notes, origin
    )


def _named(disks: Iterable[Disk], groups: Iterable[Group]) -> tuple[Disk, ...]:
    """Give disks that know the number of their group alone its name, where a listing tells it."""
    named = {group.number: group.name for group in groups if group.number is not None}
    return tuple(
        disk
        if disk.group or disk.group_number is None
        else disk._replace(group=named.get(disk.group_number, ""))
        for disk in disks
    )


def device_of(path: str, labels: Mapping[str, str]) -> str:
    """Find the device behind the path of a disk: what a listing said of its label, else where ASMLib puts it.

    A label that nobody resolves comes back as it is.
    """
    library, _, label = path.partition(":")
    if path.startswith(LABELS):
        return labels.get(path.removeprefix(LABELS), path)
    if library == "ORCL":
        return labels.get(label, LABELS + label)
    return labels.get(label, path) if library == "AFD" else path


def _add(extents: Extents, row: sheet.Row) -> bool:
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
    on = extents.setdefault((group, file), {})
    placed = on.get(disk, Placed())
    copy = bool(row.whole("LXN_KFFXP"))
    on[disk] = Placed(placed.data + size * (not copy), placed.copies + size * copy)
    return True


def _disk(row: sheet.Row) -> Disk:
    """Take one row of V$ASM_DISK; of two sizes, the one that ASM uses."""
    total = row.whole("TOTAL_MB")
    size = total or row.whole("OS_MB")
    header = row.text("HEADER_STATUS").strip().upper()
    group = row.whole("GROUP_NUMBER")
    return Disk(
        path=row.text("PATH"),
        name=row.text("NAME"),
        group=row.text("GROUP_NAME") or row.text("DISKGROUP"),
        group_number=group,
        number=row.whole("DISK_NUMBER"),
        failgroup=row.text("FAILGROUP"),
        size=size * MB if size is not None else None,
        member=header in {"", "MEMBER", "UNKNOWN"} and group != 0,
        line=row.line,
        traffic=c.Traffic(
            reads=row.whole("READS"),
            writes=row.whole("WRITES"),
            bytes_read=row.whole("BYTES_READ"),
            bytes_written=row.whole("BYTES_WRITTEN"),
        ),
    )


def spread_over(members: Membership, container: Container, asm: Asm) -> Spread:
    """Say on which devices of its group a file of ASM lies, with how many bytes.

    With the extent map exactly; else evenly over the disks in proportion to their sizes.
    """
    found = _FILE.fullmatch(container.path)
    if found is None:
        return _nothing(asm.origin, f"{container.path!r} is no name of ASM: +GROUP/...")
    group, of, evidence = members
    if not of:
        said = f"no disks of +{group.name}: get GROUP_NUMBER, DISK_NUMBER, PATH, TOTAL_MB of V$ASM_DISK"
        return _nothing(asm.origin, said)
    number = group.number if group.number is not None else of[0].group_number
    mapped = asm.extents.get((-1 if number is None else number, int(found["file"] or 0)))
    if mapped and group.unit is not None:
        spread = _mapped(mapped, of, group.unit, asm.origin)
    else:
        unit = "ALLOCATION_UNIT_SIZE of V$ASM_DISKGROUP is not there"
        spread = _even(container, of, group, Evidence(asm.origin, unit if mapped else NO_MAP))
    worst = min([spread.grade, *(each.grade for each in evidence)])
    return spread._replace(evidence=(*evidence, *spread.evidence), grade=worst)


def group_of(container: Container) -> str:
    """Return the name of the disk group that a file of ASM is in, without the plus; empty for other files."""
    found = _FILE.fullmatch(container.path)
    return "" if found is None else found["group"].strip().upper()


def membership(name: str, asm: Asm) -> Membership:
    """Return the disk group of a name, as far as it is listed."""
    name = name.strip().upper()
    group = next((group for group in asm.groups if group.name.upper() == name), Group(name, None, None, ""))
    disks = tuple(disk._replace(path=device_of(disk.path, asm.labels)) for disk in asm.disks if disk.member)
    of = tuple(disk for disk in disks if _is_of(disk, group))
    if not of and len({disk.group_number for disk in disks}) == 1 and not any(disk.group for disk in disks):
        said = f"no listing names the group of the disks; there is one, so it is taken for +{name}"
        return Membership(group, disks, (Evidence(asm.origin, said, Grade.ASSUMED),))
    return Membership(group, of)


def relabelled(container: Container, labels: Mapping[str, str]) -> Container:
    """Give a disk that is a container the device that another listing tells of its label."""
    path = device_of(container.path, labels) if container.kind == c.DEVICE else container.path
    if path == container.path:
        return container
    return container._replace(path=path, problem="" if path.startswith("/") else container.problem)


def _is_of(disk: Disk, group: Group) -> bool:
    if disk.group:
        return disk.group.upper() == group.name.upper()
    return group.number is not None and disk.group_number == group.number


def _nothing(origin: str, said: str) -> Spread:
    return Spread((), Grade.UNKNOWN, (Evidence(origin, said, Grade.UNKNOWN),))


def _mapped(mapped: Mapping[int, Placed], of: Sequence[Disk], unit: int, origin: str) -> Spread:
    """Take what the extent map says."""
    paths = {disk.number: disk.path for disk in of}
    missing = sum(placed.data for number, placed in mapped.items() if number not in paths)
    evidence = [
        Evidence(
            origin, f"X$KFFXP: {sum(one.data for one in mapped.values())} allocation units of {unit} bytes"
        )
    ]
    if missing:
        said = f"{missing} allocation units are on disks that are not listed"
        evidence.append(Evidence(origin, said, Grade.UNKNOWN))
    shares = tuple(
        Share(paths[number], placed.data * unit, placed.copies * unit)
        for number, placed in sorted(mapped.items())
        if number in paths
    )
    return Spread(shares, Grade.SHARES if missing else Grade.EXACT, tuple(evidence), missing * unit)


def _even(container: Container, of: Sequence[Disk], group: Group, lacking: Evidence) -> Spread:
    """Spread a file over all disks of its group, in proportion to their sizes."""
    sizes = [disk.size for disk in of]
    known = [size for size in sizes if size]
    weights = [size or 0 for size in sizes] if len(known) == len(sizes) else [1] * len(sizes)
    how = "in proportion to TOTAL_MB" if len(known) == len(sizes) else "equally, as a size is missing"
    count = f"{len(of)} disk{'s' * (len(of) != 1)}"
    said = f"{lacking.said}: taken as spread over {count} of +{group.name} {how}, as after a rebalance"
    number = COPIES.get(group.redundancy)
    total = container.bytes_declared
    copies: Number = NO_TYPE if number is None else number
    shares = tuple(
        Share(disk.path, NO_SIZE if total is None else part, copies * (NO_SIZE if total is None else part))
        for disk, part in zip(of, parts(total or 0, weights), strict=True)
    )
    return Spread(shares, Grade.ASSUMED, (lacking._replace(said=said, grade=Grade.ASSUMED),))


def parts(total: int, weights: Sequence[int]) -> list[int]:
    """Part a whole number by weights into whole numbers whose sum it is."""
    whole = sum(weights)
    cut = [0]
    for weight in weights:
        cut.append(cut[-1] + weight)
    return [total * end // whole - total * begin // whole for begin, end in pairwise(cut)]
