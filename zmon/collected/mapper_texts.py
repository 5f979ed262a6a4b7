"""Device mapper and volume groups in texts: dmsetup table, ls, info; multipath -ll; pvs and lvs.

    vg-lv: 0 409600 striped 2 128 94:5 384 94:9 384            dmsetup table
    vg-lv (253:0), vg-lv (253, 0)                              dmsetup ls, of two ages
    mpatha (3600507...) dm-4 IBM,2107900                       multipath -ll, and below it
    | |- 0:0:10:2 sdab 65:176 active ready running             a line for each path

Sources: lvm2, libdm/dm-tools/dmsetup.c; multipath-tools, libmultipath/print.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.channel_texts import scsi
from zmon.collected.facts import REMOVED, plain
from zmon.kernel.block_ioctl import devices_in
from zmon.kinds import LAYER, MPATH, MULTIPATH, PATH

if TYPE_CHECKING:
    from collections.abc import Collection

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

MAX_TABLE: Final = 1 << 20
"""Longest line of a table: thousands of legs."""
_TABLE: Final = re.compile(r"(\S{1,128}): ([0-9]{1,18}) ([0-9]{1,18}) ([a-z][a-z0-9-]{0,30})((?: .*)?)")
_ARGUMENTS: Final = {
    "linear": re.compile(r" [0-9]{1,4}:[0-9]{1,8} [0-9]{1,18}"),
    "striped": re.compile(r" [0-9]{1,4} [0-9]{1,10}(?: [0-9]{1,4}:[0-9]{1,8} [0-9]{1,18}){1,4096}"),
    "multipath": re.compile(
        r" .*(?:service-time|queue-length|round-robin|historical-service-time|io-affinity) 0 .*"
    ),
}
_LISTED: Final = re.compile(r"(\S{1,128})\s+\(([0-9]{1,4})(?::|, ?)([0-9]{1,8})\)\s*")
_NAME: Final = re.compile(r"Name:\s+(\S{1,128})\s*")
_NUMBERED: Final = re.compile(r"Major, minor:\s+([0-9]{1,4}), ([0-9]{1,8})\s*")
_UUID: Final = re.compile(r"UUID: (\S{1,200})\s*")
_COLUMNS: Final = re.compile(
    r"(\S{1,128})\s+([0-9]{1,4})\s+([0-9]{1,8})\s+[Ls-][IA-Za-z-][rws-][RWrw-]?(?:\s+[0-9]{1,8}){3}\s+"
    r"((?:LVM|mpath|CRYPT|part[0-9]{1,3}-mpath)-\S{1,200})?\s*"
)


def parse_dmsetup(text: CollectedText, facts: Facts) -> None:
    """Take tables, numbers and uuids of devices."""
    if text.command.split()[1:2] != ["status"]:  # which looks like a table
        _take_tables(text, facts)
        _take_devices(text, facts)


def _take_tables(text: CollectedText, facts: Facts) -> None:
    is_table = text.command.split()[1:2] == ["table"]
    tables: dict[str, list[str]] = {}
    ends: dict[str, int] = {}
    places: dict[str, str] = {}
    for line, row in text.rows(MAX_TABLE):
        if match := _TABLE.fullmatch(row):
            title, start, length, target, arguments = match.groups()
            form = _ARGUMENTS.get(target)
            if form.fullmatch(arguments) if form else is_table:
                tables.setdefault(title, []).append(f"{start} {length} {target}{arguments}")
                ends[title] = max(ends.get(title, 0), int(start) + int(length))
                places.setdefault(title, f"dmsetup table, {text.place(line)}")
    for title, lines in tables.items():
        table = "\n".join(lines)
        below = " ".join(devices_in(table))
        facts.say(LAYER, title, places[title], sort="dm", table=table, below=below, size=ends[title])
        facts.say(LAYER, title, places[title], mapped=title)


def _take_devices(text: CollectedText, facts: Facts) -> None:
    name = number = ""
    for line, row in text.rows():
        place = f"dmsetup, {text.place(line)}"
        if match := _LISTED.fullmatch(row):
            _take_device(facts, place, match[1], f"{match[2]}:{match[3]}")
        elif match := _NAME.fullmatch(row):
            name, number = match[1], ""
        elif name and (match := _NUMBERED.fullmatch(row)):
            number = f"{match[1]}:{match[2]}"
            _take_device(facts, place, name, number)
        elif number and (match := _UUID.fullmatch(row)):
            facts.say(LAYER, number, place, uuid=match[1])
        elif match := _COLUMNS.fullmatch(row):
            _take_device(facts, place, match[1], f"{match[2]}:{match[3]}")
            facts.say(LAYER, f"{match[2]}:{match[3]}", place, uuid=match[4] or "")


def _take_device(facts: Facts, place: str, title: str, number: str) -> None:
    facts.say(LAYER, number, place, mapped=title, sort="dm", name=f"dm-{number.partition(':')[2]}")


_MAP: Final = re.compile(
    r"(?:[a-z]{4,8}: )?(?:(\S{1,128}) \()?([0-9A-Za-z_.:-]{8,128}?)\)? (dm-[0-9]{1,5})"
    r" ([^,\n]{1,16}),(\S.{0,30}?)\s*"
)
_GROUP: Final = re.compile(
    r"[ |`-]*\+- policy='([a-z-]+) ?[^']*' prio=(-?[0-9]{1,6}) status=(active|enabled|disabled)\s*"
)
_OLD_GROUP: Final = re.compile(r"\\_ ([a-z-]+) [^\[]*\[prio=(-?[0-9]{1,6})\]\[(active|enabled|disabled)\]\s*")
_PATH: Final = re.compile(
    r"[ |`-]*(?:[|`]-|\\_) ([0-9]{1,5}(?::[0-9]{1,20}){3}|#:#:#:#)\s+([a-z][a-z0-9]{1,31}|-)\s+"
    r"([0-9]{1,4}:[0-9]{1,8}|[#-]:[#-])\s+(\S.*)"
)
"""A path: its address, name and number, which a path without its disk lacks, and its states."""
_STATE: Final = re.compile(r"i/o pending|i/o timeout|[^\s\[\]]+")


_FEATURES: Final = re.compile(
    r"(?:size=\S{1,20} |\[size=[^\]]{1,20}\]\[)features=['\"]?([^'\"\]]{0,200})['\"]?.*"
)
QUEUES: Final = "queue_if_no_path"
"""The feature of a map that keeps I/O when no path is left."""


def parse_multipath(text: CollectedText, facts: Facts) -> None:
    """Take maps, groups and paths of `multipath -ll` or `multipathd show topology`."""
    device = title = ""
    group, group_row = 0, dict[str, "Value"]()
    numbers: dict[str, dict[str, None]] = {}
    for line, row in text.rows():
        place = f"multipath, {text.place(line)}"
        if match := _MAP.fullmatch(row):
            alias, wwid, device, vendor, model = match.groups()
            group, group_row = 0, {}
            title = alias or wwid
            facts.say(MULTIPATH, device, place, title=title, wwid=wwid, via="multipath -ll")
            facts.say(LAYER, device, place, name=device, sort="dm", mapped=title, uuid=f"{MPATH}{wwid}",
                      vendor=_known(vendor), model=_known(model))  # fmt: skip
        elif device and (match := _FEATURES.fullmatch(row)):
            facts.say(MULTIPATH, device, place, queueing="on" if QUEUES in match[1].split() else "off")
        elif device and (match := _GROUP.fullmatch(row) or _OLD_GROUP.fullmatch(row)):
            group += 1
            group_row = {
                "selector": match[1],
                "priority": int(match[2]),
                "group": group,
                "group_state": match[3],
            }
        elif device and (match := _PATH.fullmatch(row)):
            paths = numbers.setdefault(device, {})
            paths[_take_path(facts, place, (device, title), match, group_row, paths)] = None
        elif row and not row.startswith((" ", "|", "`", "size=", "[", "\\_")):
            device = ""
    for name, below in numbers.items():
        facts.say(LAYER, name, f"multipath, {text.place()}", below=" ".join(below))


def _known(word: str) -> str:
    """Return a word; nothing for the signs that multipath prints where it knows nothing."""
    return "" if set(word) <= set("# ") else word.strip()


def _take_path(  # noqa: PLR0913, PLR0917 - the path, and what it belongs to
    facts: Facts, place: str, device: tuple[str, str], match: re.Match[str], group_row: dict[str, Value],
    others: Collection[str],
) -> str:  # fmt: skip
    """Take a path to a device, and return its number; a word for it if it has none."""
    address, name, number, states = match.groups()
    if not number[0].isdigit():
        nth = sum(":" not in other for other in others) + 1
        number = f"?{device[0]}.{nth}"
        facts.lost[number] = f"{REMOVED}: {device[1]}{f' {nth}' if nth > 1 else ''}"
    named = _STATE.findall(states)[:3]
    told: dict[str, Value] = dict(zip(("state", "checker", "device"), named, strict=False))
    told = {field: value for field, value in told.items() if value != "undef"}
    if name == "-":
        name, told["device"] = "", REMOVED  # `Facts.by_number` names it
    elif name.startswith("sd"):
        facts.aliases[scsi(address)] = name
    if ":" in number:
        facts.say(LAYER, number, place, name=name, sort="disk")
    facts.say(PATH, number, place, name=name, map=device[0], via="multipath -ll", **group_row, **told)
    return number


def add_adapters(facts: Facts) -> None:
    """Say of each path which adapter and port it leads over, where lszfcp has that of its disk."""
    for number in facts.keys(PATH):
        for field, name in (("busid", "adapter"), ("wwpn", "port")):
            for fact in facts.rows.get(LAYER.name, {}).get(number, {}).get(field, ()):
                facts.say(PATH, number, fact.place, **{name: fact.value})


_GROUP_NAME: Final = r"[A-Za-z0-9+_.-]{1,128}"
_LV: Final = re.compile(rf"\s*\[?({_GROUP_NAME})\]?\s+({_GROUP_NAME})\s+[a-zA-Z-]{{6,10}}(?:\s.*)?")
_EXTENT: Final = re.compile(
    r"(?<!\S)(?:/dev/([^\s(,]{1,200})|\[unknown\]|unknown device|missing)\([0-9]{1,12}\)"
)


def parse_lvm(text: CollectedText, facts: Facts) -> None:
    """Take physical volumes by group (pvs), and logical volumes with the devices that lvs names.

    lvs prints a line for each segment of a volume.
    """
    listed = ""
    volumes: dict[str, tuple[str, str, dict[str, None]]] = {}
    for line, row in text.rows():
        fields = row.split()
        if fields[:2] == ["PV", "VG"] or fields[:2] == ["LV", "VG"]:
            listed = fields[0]
        elif listed == "PV" and (volume := _volume(fields)):
            place, (device, group) = f"pvs, {text.place(line)}", volume
            name = member(facts, device, group)
            facts.groups.setdefault(group, {})[name] = place
            facts.name_dasd(name, place)
        elif listed == "LV" and (match := _LV.fullmatch(row)):
            title, place = f"{_doubled(match[2])}-{_doubled(match[1])}", f"lvs, {text.place(line)}"
            _group, place, names = volumes.setdefault(title, (match[2], place, {}))
            if fields[2][8:9] == "p":
                facts.partial[title] = member(facts, "", match[2])
            for extent in _EXTENT.finditer(row.replace(",", " ")):
                name = member(facts, extent[0].partition("(")[0], match[2])
                names[name] = None
                facts.name_dasd(name, place)
    for title, (group, place, names) in volumes.items():
        facts.say(LAYER, title, place, mapped=title, sort="dm", below=" ".join(names))
        facts.volumes.setdefault(group, []).append(title)


def _volume(fields: list[str]) -> tuple[str, str] | None:
    """Return the device of a physical volume and its group, which it may lack, by the words of a row."""
    ends = next((at for at, word in enumerate(fields[:8]) if word in {"lvm1", "lvm2"}), 0)
    is_grouped = ends > 1 and re.fullmatch(_GROUP_NAME, fields[ends - 1]) is not None
    if not ends or (ends > 1 and not is_grouped):
        return None
    return " ".join(fields[: ends - is_grouped]), fields[ends - 1] if is_grouped else ""


def _doubled(name: str) -> str:
    """Return a name as it is in /dev/mapper, where a single hyphen divides group and volume."""
    return name.replace("-", "--")


def member(facts: Facts, device: str, group: str) -> str:
    """Return the name of a member of a volume group; a word of its own for one that LVM does not find."""
    if device.startswith("/dev/"):
        return plain(device.removeprefix("/dev/"))
    lost = f"?{group}"
    facts.lost[lost] = f"missing: {group}"
    return lost


def spread_groups(facts: Facts) -> None:
    """Say of each group which devices it has; these may hold its volumes whose devices no text names."""
    for group, members in facts.groups.items():
        place, below = next(iter(members.values())), " ".join(members)
        for title in facts.volumes.get(group, ()):
            facts.say(LAYER, title, place, below=below)
        name = f"volume group {group}" if group else "physical volumes without a group"
        facts.say(LAYER, name, place, mapped=name, sort="volume group", below=below)
