"""Commands in a session that change what lies on what, which is open if no output behind them lists it.

    pvmove /dev/dasdb1 /dev/dasdc1, vgextend vg /dev/dasdc1, mdadm /dev/md0 --add /dev/dasdd1
    btrfs device add /dev/dasdd1 /data
    chccwdev -e 0.0.1234, dasdfmt -b 4096 -y /dev/dasdf

What was changed is then on what an output before says, on the devices that the command names, or on others.
Sources: lvm2, man/; mdadm.8; btrfs-progs, Documentation/btrfs-device.rst; s390-tools,
dasdfmt/dasdfmt.c, fdasd/fdasd.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.btrfs_texts import UNNAMED
from zmon.collected.dasd_texts import BUSID, dasd_named
from zmon.collected.facts import Fact, group_key, plain, values_of
from zmon.collected.numbers import may_be_part, number_of, sort_of
from zmon.collected.times import is_later_by_date
from zmon.collected.tools import BTRFS_CHANGES, LVM_CHANGES, MDADM_CHANGES
from zmon.kinds import DASD, DEVICE, LAYER, SWAP
from zmon.topology.stack import group_of
from zmon.values.dasd_state import UNFORMATTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.collected.facts import Facts
    from zmon.collected.reading import ReadText
    from zmon.kernel.capture_text import CollectedText


def open_changed(facts: Facts, reads: Sequence[ReadText]) -> None:
    """Leave open on what lies that which a command behind its last list has changed."""
    for read in reads:
        for take, changing, listing in _CHANGING if read.text.command else ():
            for command in changing.finditer(read.text.command):
                behind = [other for other in reads if _is_behind(other, read.text)]
                if not any(_is_list(other, listing) for other in behind):
                    has_members = any(_is_list(other, _MEMBERS) for other in behind)
                    take(facts, read.text, command, has_members=has_members)
    members = {name for group, names in facts.groups.items() if group for name in names}
    alone = {name: at for name, at in facts.groups.pop("", {}).items() if name not in members}
    if alone:
        facts.groups[""] = alone


def _is_behind(read: ReadText, change: CollectedText) -> bool:
    """Return whether an output is of a later time than a command of its text."""
    is_later = is_later_by_date(read.text.moment[0], change.moment[0])
    is_below = read.text.line > change.line
    return read.text.origin == change.origin and (is_below if is_later is None else is_later)


def _is_list(read: ReadText, listing: re.Pattern[str]) -> bool:
    command = read.text.command or (
        f"cat /{read.text.file}" if read.text.file else _OF_FORM.get(read.form, "")
    )
    is_whole = not (read.strange or read.is_part)
    return bool(read.read and is_whole and listing.match(command))


def _leave_open(facts: Facts, text: CollectedText, command: re.Match[str], *, has_members: bool) -> None:
    """Leave open what a command names: groups, arrays, or the groups of the devices that it names.

    Of groups whose members are listed behind it only the places of volumes on these are open.
    """
    operands = [word.strip("'\"") for word in command["operands"].split()]
    devices = [
        plain(word.removeprefix("/dev/").partition(":")[0]) for word in operands if word.startswith("/dev/")
    ]
    place = f"{command[0].split()[0]}, {text.place(-1)}"
    groups = _groups(facts, command[0], operands, devices) if re.match(LVM_CHANGES, command[0]) else set()
    arrays = {device for device in devices if sort_of(device, is_below=False) == "md" or may_be_part(device)}
    own = [
        device for device in devices if device not in arrays and not group_of(device.replace("mapper/", ""))
    ]
    own = [device for device in own if device.partition("/")[0] not in groups]
    what = f"by `{command[0].strip()}` in {text.place(-1)}, behind which nothing lists it"
    for device in own:
        facts.name_device(device, place)
    if not groups and "pvcreate" in command[0]:
        facts.groups.setdefault("", {}).update(dict.fromkeys(own, place))
    for group in groups:
        lost = f"?{group}.changed"
        names = [] if has_members else [*own, lost]
        if names:
            facts.leave_open(lost, f"where {group} lies {what}", is_rival=True)
        facts.groups.setdefault(group, {}).update(dict.fromkeys(names, place))
        titles = {title for row in facts.rows[LAYER.name].values() for title in values_of(row, "mapped")}
        for title in (title for title in titles if group_of(title) == group):
            _open_rows(facts, title, names, place)
    for array in arrays:
        lost = f"?{array}.changed"
        facts.leave_open(lost, f"where {array} lies {what}", is_rival=True)
        rows = facts.rows[LAYER.name]
        facts.arrays = {key: told for key, told in facts.arrays.items() if array not in _names(rows, key)}
        _open_rows(facts, array, [*own, lost], place)
    for uuid in _file_systems(facts, operands):
        lost = f"?{uuid}.changed"
        facts.leave_open(lost, f"where the btrfs {uuid} lies {what}", is_rival=True)
        members = facts.btrfs[uuid]
        members |= {f"{UNNAMED}{number}": (device, place) for number, device in enumerate(own, 1)}
        members[UNNAMED] = lost, place


def _names(rows: Mapping[str, dict[str, list[Fact]]], key: str) -> set[str]:
    row = rows.get(key, {})
    return {key, *values_of(row, "name"), *values_of(row, "mapped")}


def _groups(facts: Facts, command: str, operands: Sequence[str], devices: Sequence[str]) -> set[str]:
    """Return the volume groups that a command names, alone, with a volume, as a device, or by members."""
    rows = facts.rows.setdefault(LAYER.name, {})
    listed = {group for group in facts.groups if group}
    listed |= {group_of(title) for row in rows.values() for title in values_of(row, "mapped")} - {""}
    groups = {group for group, members in facts.groups.items() if not members.keys().isdisjoint(devices)}
    for word in operands:
        name = word.removeprefix("/dev/")
        is_mapped = name.startswith("mapper/")
        groups.add(group_of(name.removeprefix("mapper/")) if is_mapped else name.partition("/")[0])
    groups &= listed
    named = {*devices, *filter(None, map(number_of, devices))}
    for key, row in rows.items():
        below = {foot for told in values_of(row, "below") for foot in told.split()}
        groups |= set() if named.isdisjoint(below) else {*map(group_of, _names(rows, key))} - {""}
    if made := re.match(r"(?:lvm +)?vgcreate\b.*?\s(?P<group>[^\s/-]\S*)\s+/dev/", command):
        groups.add(made["group"])
    return groups


def _open_rows(facts: Facts, title: str, names: Sequence[str], place: str) -> None:
    """Say that a device may be on others, too, and where on those before is not known any more."""
    for key, row in facts.rows[LAYER.name].items():
        if title in _names(facts.rows[LAYER.name], key):
            below = row.setdefault("below", [])
            told = [
                fact._replace(value=" ".join((str(fact.value), *names)).strip()) for fact in below if names
            ]
            below[:] = told or [Fact(" ".join((group_key(group_of(title)), *names)).strip(), place)]
            for field in ("table", "members", "level", "layout"):
                row.pop(field, None)


def _file_systems(facts: Facts, operands: Iterable[str]) -> Iterator[str]:
    """Yield the btrfs that are mounted where words say."""
    mounts = [*facts.listed_mounts, *facts.mounts.values()]
    sources = {plain(mount.source.removeprefix("/dev/")) for mount in mounts if mount.point in {*operands}}
    for uuid, members in facts.btrfs.items():
        if any(name in sources for name, _place in members.values()):
            yield uuid


def _change_swap(facts: Facts, text: CollectedText, command: re.Match[str], *, has_members: bool) -> None:  # noqa: ARG001 - as above
    """Take what was swapped to, or is not any more, behind the last list of it."""
    areas = facts.rows.get(SWAP.name, {})
    for word in command["operands"].split():
        if command[0].startswith("swapon") and word.startswith("/dev/"):
            title = f"swap area since `{command[0].strip()}` in {text.place(-1)}"
            name = facts.name_device(word.removeprefix("/dev/"), f"swapon, {text.place(-1)}")
            facts.lent[name, title] = text.place(-1)
        elif command[0].startswith("swapoff"):
            for area in [*areas] if word in {"-a", "--all"} else [word]:
                areas.pop(area, None)
                facts.swaps.pop(area, None)


def _set_online(facts: Facts, text: CollectedText, command: re.Match[str], *, has_members: bool) -> None:  # noqa: ARG001 - as below
    """Take which devices were set on line or off, unless that failed; without an answer it is open."""
    if _FAILED.search(text.text):
        return
    devices = facts.rows.get(DEVICE.name, {})
    is_on = command["how"] in {"-e", "--enable", "--online"}
    for span in re.finditer(r"(?<![\w-])([0-9][0-9a-f.]*)(?:-([0-9a-f.]+))?", command["operands"]):
        first, last = (f"0.0.{part}" if _SHORT.fullmatch(part) else part for part in span.groups(span[1]))
        for busid in [busid for busid in devices if first <= busid <= last]:
            told = [Fact(int(is_on), f"{command[0].split()[0]}, {text.place(-1)}")]
            devices[busid]["online"] = told if text.text.strip() else []


def _format(facts: Facts, text: CollectedText, command: re.Match[str], *, has_members: bool) -> None:  # noqa: ARG001 - as above
    """Take that a DASD is not without a format any more; whether it has one only the end of dasdfmt tells."""
    if _FAILED.search(text.text):
        return
    place = f"{command[0].split()[0]}, {text.place(-1)}"
    for disk, link in re.findall(rf"/dev/(?:(dasd[a-z]+)|\S*ccw-({BUSID}))", command["operands"]):
        busid = link or dasd_named(facts, disk)
        for kind, field, state in ((DASD, "state", "active"), (DEVICE, "status", "online")):
            row = facts.rows.get(kind.name, {}).get(busid, {})
            if UNFORMATTED.intersection(values_of(row, field)):
                row[field] = [Fact(state, place)] if _FORMATTED.search(text.text) else []


_FORMATTED: Final = re.compile(r"Finished formatting the device|writing VTOC|auto-creating one partition")
"""What dasdfmt says of a disk that it has formatted, and fdasd of one with a format."""
_FAILED: Final = re.compile(r"(?i)\bfail|error|\bnot\b")
_SHORT: Final = re.compile("[0-9a-f]{4}")
_OF_FORM: Final = {
    "/proc/mdstat": "cat /proc/mdstat", "lsblk, in any form and with any columns": "lsblk",
}  # fmt: skip
"""The commands of lists that are known by their form alone."""
_TREE: Final = r"lsblk\b(?!.* -[a-zA-Z]*d)"
_SEGMENTS: Final = (
    rf"{_TREE}|dmsetup (?:table|deps|ls .*--tree)|(?:pv|lv)s\b.*(?:devices|seg)|lvdisplay\b.* -m"
)
_MEMBERS: Final = re.compile(r"pvs\b|pvdisplay\b|pvscan\b|vgdisplay .*-v")
"""What lists the members of all groups, and not where volumes lie on them."""
_CHANGING: Final = tuple(
    (take, re.compile(rf"(?<![\w./-]){changing}(?=\s)(?P<operands>[^;&|#]*)"), re.compile(listing))
    for take, changing, listing in (
        (_leave_open, LVM_CHANGES, _SEGMENTS),
        (_leave_open, MDADM_CHANGES, rf"{_TREE}|mdadm .*(?:-D|--detail)|cat /proc/mdstat"),
        (_leave_open, BTRFS_CHANGES, r"btrfs +(?:f[a-z]* +[su]|d[a-z]* +u)"),
        (
            _set_online,
            r"ch(?:ccw|z)dev(?=\s(?:.*\s)?(?P<how>-[ed]|--(?:en|dis)able|--o(?:n|ff)line)\s)",
            r"lscss|lsdasd|lszdev|cat /proc/dasd/devices",
        ),
        (_format, "(?:dasdfmt|fdasd)", "lsdasd|lszdev|cat /proc/dasd/devices"),
        (_change_swap, "swapo(?:n|ff)", r"swapon +(?:-s|--s)|cat /proc/swaps|lsblk"),
    )
)
"""Commands that change things, and those that list them all."""
