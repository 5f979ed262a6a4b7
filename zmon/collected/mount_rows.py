"""Mounts that texts list, as rows: the best of several lists, with the numbers of their devices.

No list but mountinfo has the number of a file system: it is that of the device that the source names.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent, text_of
from zmon.collected.btrfs_texts import btrfs_devices, btrfs_members
from zmon.collected.facts import is_file_system, mapped_name, plain
from zmon.collected.mount_texts import FORMS
from zmon.collected.numbers import is_of_kernel, minor_of_dm, sort_of
from zmon.collected.times import is_break
from zmon.kernel.mountinfo import NO_OTHER
from zmon.kinds import CONTRADICTED, LAYER, MOUNT, NOT_COLLECTED, SWAP
from zmon.sample import Frame, empty_frame, frame_of
from zmon.topology.stack import tagged, volume_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts, MountRow
    from zmon.collected.reading import ReadText

NO_NUMBER: Final = absent("the text names no device whose number is known")
NO_CHUNKS: Final = absent("no text has the chunks of btrfs: take a capture with zmon capture, as root")
NO_TYPE: Final = absent("lsblk and findmnt print it with a column FSTYPE only, df with -T")
NO_OPTIONS: Final = absent("lsblk and df do not print it, nor findmnt without a column OPTIONS")
NO_ROOT: Final = NOT_COLLECTED.about("findmnt, for what of a file system is mounted")
NO_SPACES: Final = absent("texts have the mounts of one namespace only")


_NO_DEVICE: Final = frozenset({"autofs", "rootfs"})
"""Types of mounts below which another one is, or will be."""
_TYPED: Final = re.compile(r"(?<![\w.-])(u?mount) +([^;&|]*)")
"""A command that changes what is mounted."""


class Changes(NamedTuple):
    """Which commands of texts changed what is mounted, and where the order of outputs is not known."""

    commands: Sequence[tuple[str, int, str]] = ()
    """The text, the line, and the command."""
    breaks: Sequence[tuple[str, int]] = ()
    """The text and line behind which an output may be of another time or place."""
    lists: Sequence[tuple[str, int]] = ()
    """Where outputs begin that list all mounts."""

    def since(self, row: MountRow) -> tuple[str, int, str]:
        """Return the last change of what a row says; without a command if its text shows none."""
        origin, begin = _begin(row)
        changes = (change for change in self.commands if change[0] == origin and change[1] > begin)
        last = max((change for change in changes if _concerns(change[2], row)), default=("", 0, ""))
        is_broken = any(place == origin and begin < line <= last[1] for place, line in self.breaks)
        return ("", 0, "") if is_broken else last

    def is_listed(self, origin: str, line: int) -> bool:
        """Return whether all mounts are listed behind a line of a text."""
        return any(place == origin and begin > line for place, begin in self.lists)


def changes_in(reads: Iterable[ReadText]) -> Changes:
    """Return what outputs tell of changes between them."""
    commands, breaks, lists = [], [], []
    for read in reads:
        origin, line, command = read.text.origin, read.text.line, read.text.command
        commands += [(origin, line, command)] if _TYPED.search(command) and not read.form else []
        breaks += [(origin, line)] if not read.form and is_break(read.text) else []
        is_list = not {LAYER.name, MOUNT.name}.isdisjoint(read.tells) and read.form.startswith(_LISTERS)
        lists += [(origin, line)] if is_list and read.read and not (read.is_part or read.strange) else []
    return Changes(commands, breaks, lists)


_LISTERS: Final = ("lsblk", "df", "mount", "findmnt, in any form", "/proc/mounts", "/proc/self/mountinfo")
"""How the names of forms begin that list all mounts of disks."""


def _concerns(command: str, row: MountRow) -> bool:
    """Return whether a command changes what a row says: mount names the point, umount that or the device."""
    names = {"mount": {row.point}, "umount": {row.point, row.source}}
    return any(not names[tool].isdisjoint(operands.split()) for tool, operands in _TYPED.findall(command))


def _begin(row: MountRow) -> tuple[str, int]:
    """Return the text and the line where the output begins that has a row."""
    origin, _colon, line = row.output.rpartition(":")
    return origin, int(line)


def best_mounts(facts: Facts, changes: Changes = Changes()) -> list[MountRow]:  # noqa: B008 - it is a tuple
    """Return the mounts of all outputs, those of the form that has most to say first.

    What another output says otherwise is a rival of the row, unless a text shows that it was changed between
    them: then the later one counts.  A point that one output has again is mounted upon.
    """
    of_devices: dict[str, list[MountRow]] = {}
    for mount in facts.mounts.values():
        of_devices.setdefault(mount.output, []).append(mount)
    lists = [*(rows for form in FORMS for rows in facts.mount_lists.get(form, ())), *of_devices.values()]
    told: dict[str, list[list[MountRow]]] = {}
    for rows in lists:
        points: dict[str, list[MountRow]] = {}
        for row in rows:
            if not row.seen_by:
                points.setdefault(row.point, []).append(row)
        for point, own in points.items():
            told.setdefault(point, []).append(own)
    roots = {
        (row.point, row.source): row.root or "/"
        for rows in facts.mount_lists.get("findmnt", ())
        for row in rows
    }
    rooted = (
        row._replace(root=row.root or roots.get((row.point, row.source), ""))
        for outputs in told.values()
        for row in _agreed(outputs, changes)
    )
    return [*_bound([*rooted])]


def _agreed(outputs: list[list[MountRow]], changes: Changes) -> list[MountRow]:
    """Return the mounts at a point, the last with what other outputs have there as rivals."""
    changed = [changes.since(rows[-1]) for rows in outputs]
    valid = [rows for rows, (_origin, line, _command) in zip(outputs, changed, strict=True) if not line]
    if not valid:  # all are from before a change
        gone = [changes.is_listed(origin, line) for origin, line, _command in changed]
        first, (origin, line, command) = outputs[0], changed[0]
        rivals = (*first[-1].rivals, (f"`{command}`", f"{origin}:{line}"))
        return [] if any(gone) else [*first[:-1], first[-1]._replace(rivals=rivals)]
    first = next((rows for rows in valid if rows[-1].fstype not in _NO_DEVICE), valid[0])
    rivals = tuple(
        (row.source, row.place)
        for rows in valid
        if first[-1].source not in {other.source for other in rows}
        for row in rows
        if row.fstype not in _NO_DEVICE
    )
    return [*first[:-1], first[-1]._replace(rivals=rivals)]


def other_mounts(facts: Facts) -> list[MountRow]:
    """Return the mounts of block devices that texts have of other namespaces alone, each once."""
    rows = facts.listed_mounts
    own = {(row.source, row.point) for row in rows if not row.seen_by}
    others = [row for row in rows if row.seen_by and row.source.startswith("/dev/")]
    return [*{(row.seen_by, row.point): row for row in others if (row.source, row.point) not in own}.values()]


def _bound(rows: list[MountRow]) -> Iterator[MountRow]:
    """Yield mounts; a directory that is mounted a second time, `type none`, as what it is a part of."""
    points = {row.point: row for row in rows}
    for row in rows:
        above = row.source if row.fstype == "none" else ""
        while above.strip("/") and points.get(above) in {None, row}:
            above = posixpath.dirname(above)
        if source := points.get(above):
            part = posixpath.relpath(row.source, above)
            root = posixpath.normpath(posixpath.join(source.root or "/", part))
            points[row.point] = source._replace(point=row.point, place=row.place, root=root)
        yield points[row.point] if source else row


def _name_numbers(mounted: Frame, facts: Facts) -> None:
    """Say of the devices in mountinfo that texts know without it which number each has."""
    rows = facts.rows.get(LAYER.name, {})
    there = {str(fact.value) for key, row in rows.items() if ":" not in key for fact in row.get("mapped", ())}
    for source, number in zip(mounted.column("source"), mounted.column("number"), strict=True):
        name, minor = text_of(source).removeprefix("/dev/"), text_of(number).partition(":")[2]
        if plain(name) in there and minor and not text_of(number).startswith("0:"):
            facts.say(LAYER, text_of(number), "mountinfo", mapped=plain(name), name=f"dm-{minor}", sort="dm")


def sources_of(rows: Iterable[MountRow], facts: Facts) -> list[tuple[str, str]]:
    """Return the sources of mounts, each with its text, also of those that other texts deny."""
    return [(row.source, row.place) for row in (*rows, *facts.listed_mounts, *facts.mounts.values())]


def name_devices(named: list[tuple[str, str]], mounted: Frame, facts: Facts) -> None:
    """Say of block devices that mounts and swap areas name what they are.

    `mounted` are the mounts of kernel files, which have numbers.
    """
    _name_numbers(mounted, facts)
    for area, row in facts.rows.get(SWAP.name, {}).items():
        named += [(area, fact.place) for fact in row.get("sort", ()) if fact.value == "partition"]
    for device, place in named:
        name = device.removeprefix("/dev/")
        is_mapped = name.startswith("mapper/") or mapped_name(name)
        if name != device and (is_mapped or is_of_kernel(name)):
            sort = "dm" if is_mapped else sort_of(name, is_below=True)
            facts.say(LAYER, facts.name_device(name, place), place, sort=sort)


def mount_frame(
    rows: list[MountRow], facts: Facts, layers: Frame, when: int
) -> tuple[Frame, dict[str, dict[str, Value]]]:
    """Return the mounts of a text, with the numbers of their devices, and the rows of `ORIGIN` for them."""
    if not rows:
        texts = "/proc/self/mountinfo, /proc/mounts, mount, findmnt"
        return empty_frame(MOUNT, NOT_COLLECTED.about(texts)), {}
    numbers = _numbers(layers)
    types = _types(facts, numbers)
    mounts: dict[str, dict[str, Value]] = {}
    origins: dict[str, dict[str, Value]] = {}
    anonymous: dict[str, str] = {}
    of_source = Counter(row.source for row in rows)
    for key, row in enumerate(rows, 1):
        row, devices = _settled(row, facts, numbers)  # noqa: PLW2901 - with the source that has a number
        number = _number_of(row.source, numbers) if devices is NO_OTHER else devices
        fstype, place = row.fstype or facts.file_systems.get(row.source, ""), row.place
        if not fstype and btrfs_members(number, facts, numbers):
            fstype = "btrfs"
        elif not fstype:
            fstype, place = types.get(text_of(number), ("", row.place))
        if fstype == "btrfs":
            devices = btrfs_devices(number, facts, numbers)
            number = anonymous.setdefault(row.source, f"0:{len(anonymous) + 1_000_000}")
        elif isinstance(number, Absent):
            number = anonymous.setdefault(
                f"{row.fstype} {row.source} {row.point}", f"0:{len(anonymous) + 1_000_000}"
            )
        subvolume = re.search(r"(?:^|,)subvol=(/[^,]*)", row.options)
        whole: Value = NO_ROOT if of_source[row.source] > 1 else "/"
        mounts[str(key)] = {
            "number": number,
            "root": subvolume[1] if subvolume else row.root or whole,
            "point": row.point,
            "fstype": fstype or NO_TYPE,
            "source": row.source,
            "options": row.options or NO_OPTIONS,
            "devices": devices,
            "chunks": NO_CHUNKS if fstype == "btrfs" else NO_OTHER,
            "line": f"/proc/{row.seen_by}/mounts, {row.place}" if row.seen_by else row.place,
            "namespaces": NO_SPACES,
        }
        told = f"point source fstype options = {row.place}"
        if place != row.place:
            told = f"point source options = {row.place} | fstype = {place}"
        origins[f"{MOUNT.name} {key}"] = {"texts": told}
    return frame_of(MOUNT, mounts, when), origins


def _settled(row: MountRow, facts: Facts, numbers: Mapping[str, str]) -> tuple[MountRow, Value]:
    """Return a mount, and the absence of its devices if its rivals have others.

    Names of which it is not known that they are of two devices, as `/dev/root`, are no contradiction.
    """
    told = [(row.source, row.place), *row.rivals]
    named = [(source, _number_of(source, numbers), _way(source)) for source, _place in told]
    own = next((entry for entry in named if isinstance(entry[1], str)), named[0])
    members = {*btrfs_members(own[1], facts, numbers).values()}
    for source, number, way in named:
        is_same = source == own[0] or number == own[1] or number in members
        are_numbered = all(str(value).partition(":")[0].isdecimal() for value in (number, own[1]))
        if not is_same and (are_numbered or frozenset({way, own[2]}) not in _MAY_BE_ONE):
            said = ", ".join(f"{source} by {place}" for source, place in told)
            return row, CONTRADICTED.about(said)
    return row._replace(source=own[0]), NO_OTHER


def _way(source: str) -> str:
    """Return how a source names a device: by its name, its number, or a link, if at all."""
    name = source.removeprefix("/dev/")
    if name == source:
        return "link" if tagged(source) != source or source.startswith("/") else "none"
    if name.startswith("mapper/") or mapped_name(name):
        return "mapper"
    return ("number" if minor_of_dm(name) else "kernel") if is_of_kernel(name) else "link"


_MAY_BE_ONE: Final = {
    *(frozenset({"link", way}) for way in ("link", "mapper", "number", "kernel")),
    frozenset({"mapper", "number"}), frozenset({"none"}),
}  # fmt: skip
"""The ways of two names that may be of one device."""


def _types(facts: Facts, numbers: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the file systems on devices by their numbers, as signatures tell them, each with the text."""
    return {
        number: (sort, place)
        for device, (sort, _uuid, place) in facts.contents.items()
        if is_file_system(sort) and (number := numbers.get(device))
    }


def _fill_btrfs(mounted: Frame, facts: Facts, layers: Frame) -> tuple[Frame, dict[str, dict[str, Value]]]:
    """Return the mounts of kernel files, with the devices of each btrfs that texts list, and `ORIGIN` rows.

    Of a btrfs a mount names one device.
    """
    columns = {name: [*mounted.column(name)] for name in mounted.columns}
    numbers = _numbers(layers)
    origins: dict[str, dict[str, Value]] = {}
    for at, key in enumerate(mounted.keys):
        if columns["fstype"][at] != "btrfs" or not isinstance(columns["devices"][at], Absent):
            continue
        number = _number_of(text_of(columns["source"][at]), numbers)
        devices = btrfs_devices(number, facts, numbers)
        if not isinstance(devices, Absent):
            columns["devices"][at] = devices
            listed = (device for members in facts.btrfs.values() for device in members.values())
            place = next(
                (place for name, place in listed if numbers.get(name) == number), "/proc/self/mountinfo"
            )
            origins[f"{MOUNT.name} {key}"] = {"texts": f"devices = {place}"}
    return (mounted.but(columns=columns) if origins else mounted), origins


def fill_mounts(
    mounted: Frame, facts: Facts, layers: Frame, when: int
) -> tuple[Frame, dict[str, dict[str, Value]]]:
    """Return the mounts of kernel files, with what texts have besides, and `ORIGIN` rows for that."""
    frame, origins = _fill_btrfs(mounted, facts, layers)
    own = {*zip(mounted.column("source"), mounted.column("point"), strict=True)}
    if others := [row for row in other_mounts(facts) if (row.source, row.point) not in own]:
        more, _ = mount_frame(others, facts, layers, when)
        columns = {name: [*frame.column(name), *more.column(name)] for name in frame.columns}
        keys = [*frame.keys, *(f"text {key}" for key in more.keys)]
        frame = frame.but(keys=keys, columns=columns, times=[*frame.times, *more.times])
    return frame, origins


def _numbers(layers: Frame) -> Mapping[str, str]:
    """Return the numbers of block devices by all their names in /dev."""
    numbers: dict[str, str] = {}
    for number, name, mapped, links in zip(
        layers.keys, *(layers.column(field) for field in ("name", "mapped", "links")), strict=True
    ):
        if isinstance(name, str):
            numbers.setdefault(name, number)
        if isinstance(mapped, str):
            numbers.setdefault(f"mapper/{mapped}", number)
            numbers.setdefault(volume_name(mapped) or f"mapper/{mapped}", number)
        for link in links.split() if isinstance(links, str) else ():
            numbers.setdefault(link, number)
            if link.startswith(("disk/by-uuid/", "disk/by-partuuid/")):
                numbers.setdefault(link.casefold(), number)
    return numbers


def _number_of(source: str, numbers: Mapping[str, str]) -> Value:
    name = tagged(source).removeprefix("/dev/")
    if name == source:
        return NO_NUMBER
    return numbers.get(name) or numbers.get(name.casefold()) or NO_NUMBER
