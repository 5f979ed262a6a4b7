"""Mounts that texts list, as rows: the best of several lists, with the numbers of their devices.

No list but mountinfo has the number of a file system: it is that of the device that the source names.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.collected.btrfs_texts import btrfs_devices, btrfs_members
from zmon.collected.facts import is_file_system, mapped_name, plain
from zmon.collected.mount_texts import FORMS
from zmon.collected.numbers import is_of_kernel, sort_of
from zmon.kernel.mountinfo import NO_OTHER
from zmon.kinds import CONTRADICTED, LAYER, MOUNT, NOT_COLLECTED, SWAP
from zmon.sample import Frame, empty_frame, frame_of
from zmon.topology.stack import tagged, volume_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts, MountRow

NO_NUMBER: Final = absent("the text names no device whose number is known")
NO_CHUNKS: Final = absent("no text has the chunks of btrfs: take a capture with zmon capture, as root")
NO_TYPE: Final = absent("lsblk and findmnt print it with a column FSTYPE only, df with -T")
NO_OPTIONS: Final = absent("lsblk and df do not print it, nor findmnt without a column OPTIONS")
NO_ROOT: Final = NOT_COLLECTED.about("findmnt, for what of a file system is mounted")
NO_SPACES: Final = absent("texts have the mounts of one namespace only")


def _merged(outputs: Iterable[Iterable[MountRow]]) -> dict[tuple[str, int], MountRow]:
    """Return the mounts of all outputs of a tool; what two of them say otherwise is open.

    A point that one output has again is mounted upon.
    """
    merged: dict[tuple[str, int], MountRow] = {}
    for rows in outputs:
        seen: dict[str, int] = {}
        for row in rows:
            nth = seen[row.point] = seen.get(row.point, 0) + 1
            first = merged.setdefault((row.point, nth), row)
            if first.source != row.source and not first.other:
                merged[row.point, nth] = first._replace(other=f"{row.source} by {row.place}")
    return merged


def best_mounts(facts: Facts) -> list[MountRow]:
    """Return the mounts of all outputs, those of the best form first: others may have more mount points.

    If two outputs of a tool have another source for a mount point, its source is open.
    """
    own = {
        form: [[row for row in rows if not row.seen_by] for rows in lists]
        for form, lists in facts.mount_lists.items()
    }
    lists = [rows for form in FORMS if any(rows := own.get(form, []))]
    of_devices: dict[str, list[MountRow]] = {}
    for mount in facts.mounts.values():
        of_devices.setdefault(mount.output, []).append(mount)
    merged: dict[tuple[str, int], MountRow] = {}
    for outputs in (*lists, [*of_devices.values()]):
        told = _merged(outputs)
        points = {point for point, _nth in merged}
        merged |= {key: row for key, row in told.items() if key[0] not in points}
    roots = {
        (row.point, row.source): row.root or "/"
        for rows in facts.mount_lists.get("findmnt", ())
        for row in rows
    }
    rooted = (
        row._replace(root=row.root or roots.get((row.point, row.source), "")) for row in merged.values()
    )
    return [*_bound([*rooted])]


def other_mounts(facts: Facts) -> list[MountRow]:
    """Return the mounts of block devices that texts have of other namespaces alone, each once."""
    rows = [row for lists in facts.mount_lists.values() for rows in lists for row in rows]
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
        number: Value = _number_of(row.source, numbers)
        if row.other:
            number = CONTRADICTED.about(f"{row.source} by {row.place}, {row.other}")
        devices: Value = number if row.other else NO_OTHER
        fstype, place = row.fstype, row.place
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
