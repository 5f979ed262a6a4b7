r"""Mounts, swap and devices of btrfs in texts: /proc/mounts, mount, findmnt, swapon, `btrfs filesystem show`.

    /dev/dasda1 / ext4 rw,relatime 0 0                          /proc/mounts; blanks in names are `\040`
    /dev/dasda1 on / type ext4 (rw,relatime)                    mount; with -l a label in brackets behind it
    └─/boot  /dev/dasda1  ext4  rw,relatime                     findmnt, as a tree
    devid    2 size 9.09TiB used 8.42TiB path /dev/sdd1         btrfs filesystem show, below `uuid: ...`

None of them has the number of a file system: it is that of the device that the source names.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.plain_text import unescaped_hex
from zmon.base.sizes import KIB
from zmon.collected.facts import plain
from zmon.kernel.mountinfo import NO_OTHER, unescaped
from zmon.kinds import LAYER, MOUNT, NOT_COLLECTED, SWAP
from zmon.sample import Frame, empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

NO_NUMBER: Final = absent("the text names no device whose number is known")
NO_CHUNKS: Final = absent("no text has the chunks of btrfs: take a capture with zmon capture, as root")
NO_TYPE: Final = absent("lsblk and findmnt print it with a column FSTYPE only")
NO_OPTIONS: Final = absent("lsblk does not print it, nor findmnt without a column OPTIONS")
NO_SPACES: Final = absent("texts have the mounts of one namespace only")
MAX_MOUNTS: Final = 100_000
"""Maximum number of mounts in a text."""
MAX_TABLE: Final = 1 << 17
"""Longest line: that of an overlay with many layers."""


class MountRow(NamedTuple):
    """A mount in a text."""

    source: str
    point: str
    fstype: str
    options: str
    place: str


_OF_PROC: Final = re.compile(r"(\S+) (/\S*) (\S{1,64}) (\S+) [0-9] [0-9]\s*")
_TYPED: Final = re.compile(r"(\S{1,64}) \((.*)\)(?: \[.*\])?\s*")
_DRAWN: Final = " |`├└│─-"


def _of_proc(row: str) -> tuple[str, str, str, str] | None:
    match = _OF_PROC.fullmatch(row)
    return match and (_plain(match[1]), _plain(match[2]), match[3], match[4])


def _of_mount(row: str) -> tuple[str, str, str, str] | None:
    before, _, after = row.partition(" type ")
    source, _, point = before.partition(" on ")
    match = _TYPED.fullmatch(after)
    return (source, point, match[1], match[2]) if match and point.startswith("/") else None


def _each(
    take: Callable[[str], tuple[str, str, str, str] | None], text: CollectedText
) -> Iterator[tuple[int, tuple[str, str, str, str]]]:
    """Yield the mounts in the lines of a text."""
    for line, row in text.rows(MAX_TABLE):
        if taken := take(row):
            yield line, taken


def _of_findmnt(columns: list[str], row: str) -> tuple[str, str, str, str] | None:
    """Read a row below a heading: a mount point may have blanks where it comes first or last."""
    row, most = row.lstrip(_DRAWN), len(columns) - 1
    fields = row.rsplit(None, most) if columns[0] == "TARGET" else row.split(None, most)
    if len(fields) < len(columns):
        return None
    cells = dict(zip(columns, fields, strict=True))
    point = unescaped_hex(cells["TARGET"].rstrip())
    if not point.startswith("/"):
        return None
    source = unescaped_hex(cells["SOURCE"].partition("[")[0])
    return source, point, cells.get("FSTYPE", ""), cells.get("OPTIONS", "")


def _rows_of_findmnt(text: CollectedText) -> Iterator[tuple[int, tuple[str, str, str, str]]]:
    """Yield the mounts below headings of findmnt.

    Only what is known to be its output may have no heading: lines of df and pvs look like its rows.
    """
    columns = [*_COLUMNS] if text.tool == "findmnt" else []
    for line, row in text.rows(MAX_TABLE):
        if "TARGET" in row and "SOURCE" in row and re.fullmatch(r"[A-Z%_ -]+", row):
            columns = row.split()
        elif columns and (taken := _of_findmnt(columns, row)):
            yield line, taken
        elif text.tool != "findmnt":
            columns = []


_COLUMNS: Final = ("TARGET", "SOURCE", "FSTYPE", "OPTIONS")
"""Those that findmnt prints by default."""


_FILE: Final = "proc/mounts"
_FORMS: Final[dict[str, Callable[[CollectedText], Iterator[tuple[int, tuple[str, str, str, str]]]]]] = {
    _FILE: partial(_each, _of_proc), "mount": partial(_each, _of_mount), "findmnt": _rows_of_findmnt,
}  # fmt: skip
"""How a text is read, the form with the most to say first."""


def parse_mounts(text: CollectedText) -> tuple[str, list[MountRow]]:
    """Return the mounts of a text in their order, and the form that they have."""
    wanted = _FILE if text.file else text.tool
    for name, take in _FORMS.items():
        if wanted in {"", name}:
            tool = "" if name == _FILE else f"{name}, "
            mounts = [MountRow(*taken, f"{tool}{text.place(line)}") for line, taken in take(text)]
            if mounts:
                return name, mounts[:MAX_MOUNTS]
    return "", []


def _plain(name: str) -> str:
    return unescaped(name.encode("utf-8", "surrogateescape"))


def best_mounts(texts: list[CollectedText]) -> list[MountRow]:
    """Return the longest list of mounts in the best form that is there."""
    by_name: dict[str, list[MountRow]] = {}
    for text in texts:
        name, rows = parse_mounts(text)
        if rows:
            by_name[name] = max(by_name.get(name, []), rows, key=len)
    return next((by_name[name] for name in _FORMS if name in by_name), [])


def name_devices(named: list[tuple[str, str]], facts: Facts) -> None:
    """Say of DASDs and devices of the device mapper that mounts and swap areas name what they are."""
    for area, row in facts.rows.get(SWAP.name, {}).items():
        named += [(area, fact.place) for fact in row.get("sort", ()) if fact.value == "partition"]
    for device, place in named:
        name = device.removeprefix("/dev/")
        if name != device:
            facts.name_dasd(name, place)
        if re.fullmatch("dm-[0-9]{1,5}", name):
            facts.say(LAYER, name, place, name=name, sort="dm")


def name_btrfs(sources: set[str], facts: Facts) -> None:
    """Say of devices of a btrfs that is not mounted that they belong to it; `sources` are those of mounts."""
    mounted = {source.removeprefix("/dev/") for source in sources}
    for uuid, devices in facts.btrfs.items():
        names = dict(devices.values())
        if mounted.isdisjoint(names):
            title, place = f"btrfs {uuid}", next(iter(names.values()))
            below = " ".join(map(plain, names))
            facts.say(LAYER, title, place, mapped=title, sort="btrfs", below=below)


def add_swaps(facts: Facts) -> None:
    """Take the swap areas that lsblk has, where no text lists them; it has no swap files."""
    if not facts.rows.get(SWAP.name):
        for device, place in facts.swaps.items():
            facts.say(SWAP, device, place, sort="partition")


def mounts_of_lsblk(facts: Facts) -> list[MountRow]:
    """Return the mounts that lsblk has, where no text lists mounts; it has no options."""
    mounts = [MountRow(source, point, fstype, "", place)
             for (_number, point), (source, fstype, place) in facts.mounts.items()]  # fmt: skip
    return mounts[:MAX_MOUNTS]


_SHOWN: Final = re.compile(r"(?:Label: .*)?\buuid: ([0-9a-f-]{36})\s*")
_DEVID: Final = re.compile(
    r"\s*devid\s+([0-9]{1,6}) size \S+ used \S+ path (?:(/dev/\S{1,255})|<missing disk>|)(?:\s+MISSING)?\s*"
)
_TOTAL: Final = re.compile(r"\s*Total devices ([0-9]{1,4}) .*")
UNNAMED: Final = "?0"
"""Stands for the ids of devices of a btrfs that are counted and not named."""


def parse_btrfs(text: CollectedText, facts: Facts) -> None:
    """Take the devices of each btrfs by their ids; more that belong to it are missing ones."""
    uuid = ""
    totals: dict[str, tuple[int, str]] = {}
    for line, row in text.rows():
        place = f"btrfs, {text.place(line)}"
        if match := _SHOWN.fullmatch(row):
            uuid = match[1]
        elif uuid and (match := _TOTAL.fullmatch(row)):
            totals[uuid] = int(match[1]), place
        elif uuid and (match := _DEVID.fullmatch(row)):
            name = match[2].removeprefix("/dev/") if match[2] else _lost(uuid, facts)
            facts.btrfs.setdefault(uuid, {})[match[1]] = name, place
            facts.name_dasd(name, place)
    for uuid, (total, place) in totals.items():
        devices = facts.btrfs.setdefault(uuid, {})
        devices.pop(UNNAMED, None)
        if len(devices) < total:
            devices[UNNAMED] = _lost(uuid, facts), place


def _lost(uuid: str, facts: Facts) -> str:
    """Return the word that stands for the devices of a btrfs that are not named."""
    facts.lost[f"?{uuid}"] = f"missing: {uuid[:8]}"
    return f"?{uuid}"


_SWAP: Final = re.compile(
    r"(/\S{1,4096})\s+(partition|file)\s+([0-9]{1,18})\s+([0-9]{1,18})\s+(-?[0-9]{1,9})\s*"
)
_SWAPON: Final = re.compile(
    r"(/\S{1,4096})\s+(partition|file)\s+[0-9.]+[BKMGTPE]?\s+[0-9.]+[BKMGTPE]?\s+(-?[0-9]{1,9})\s*"
)


def parse_swaps(text: CollectedText, facts: Facts) -> None:
    """Take the swap areas of /proc/swaps, `swapon -s` or `swapon --show`, whose sizes are rounded."""
    for line, row in text.rows():
        place = f"{text.tool}, {text.place(line)}" if text.tool else text.place(line)
        if match := _SWAP.fullmatch(row):
            facts.say(
                SWAP,
                _plain(match[1]),
                place,
                sort=match[2],
                size=int(match[3]) * KIB,
                used=int(match[4]) * KIB,
                priority=int(match[5]),
            )
        elif match := _SWAPON.fullmatch(row):
            facts.say(SWAP, _plain(match[1]), place, sort=match[2], priority=int(match[3]))


def mount_frame(
    rows: list[MountRow], facts: Facts, layers: Frame, when: int
) -> tuple[Frame, dict[str, dict[str, Value]]]:
    """Return the mounts of a text, with the numbers of their devices, and the rows of `ORIGIN` for them."""
    if not rows:
        texts = "/proc/self/mountinfo, /proc/mounts, mount, findmnt"
        return empty_frame(MOUNT, NOT_COLLECTED.about(texts)), {}
    numbers = _numbers(layers)
    mounts: dict[str, dict[str, Value]] = {}
    origins: dict[str, dict[str, Value]] = {}
    anonymous: dict[str, str] = {}
    for key, row in enumerate(rows, 1):
        number: Value = _number_of(row.source, numbers)
        devices: Value = NO_OTHER
        fstype = row.fstype or ("btrfs" if _members_with(number, facts, numbers) else "")
        if fstype == "btrfs":
            devices = _devices_of(number, facts, numbers)
            number = anonymous.setdefault(row.source, f"0:{len(anonymous) + 1_000_000}")
        elif isinstance(number, Absent):
            number = anonymous.setdefault(
                f"{row.fstype} {row.source} {row.point}", f"0:{len(anonymous) + 1_000_000}"
            )
        subvolume = re.search(r"(?:^|,)subvol=(/[^,]*)", row.options)
        mounts[str(key)] = {
            "number": number,
            "root": subvolume[1] if subvolume else "/",
            "point": row.point,
            "fstype": fstype or NO_TYPE,
            "source": row.source,
            "options": row.options or NO_OPTIONS,
            "devices": devices,
            "chunks": NO_CHUNKS if fstype == "btrfs" else NO_OTHER,
            "line": row.place,
            "namespaces": NO_SPACES,
        }
        origins[f"{MOUNT.name} {key}"] = {"texts": f"point source fstype options = {row.place}"}
    return frame_of(MOUNT, mounts, when), origins


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
            numbers.setdefault(_volume(mapped), number)
        for link in links.split() if isinstance(links, str) else ():
            numbers.setdefault(link, number)
    return numbers


def _volume(mapped: str) -> str:
    """Return `group/volume` for the name of a logical volume in /dev/mapper."""
    group, dash, volume = mapped.replace("--", "\0").partition("-")
    return f"{group}/{volume}".replace("\0", "-") if dash else f"mapper/{mapped}"


def _number_of(source: str, numbers: Mapping[str, str]) -> Value:
    return numbers.get(source.removeprefix("/dev/"), NO_NUMBER) if source.startswith("/dev/") else NO_NUMBER


def _by_id(device: tuple[str, str | None]) -> tuple[bool, int]:
    return device[0].startswith("?"), int(device[0].removeprefix("?"))


def _members_with(number: Value, facts: Facts, numbers: Mapping[str, str]) -> Mapping[str, str | None]:
    """Return the numbers of the devices of the btrfs that has one of this number, by their ids."""
    for devices in facts.btrfs.values() if isinstance(number, str) else ():
        members = {
            key: numbers.get(name) or facts.stand_ins.get(name) for key, (name, _place) in devices.items()
        }
        if number in members.values():
            return members
    return {}


def _devices_of(number: Value, facts: Facts, numbers: Mapping[str, str]) -> Value:
    """Return the devices of the btrfs with the device of this number, as btrfs lists them."""
    members = _members_with(number, facts, numbers)
    if None in members.values():
        return absent("btrfs filesystem show lists a device whose number no text has")
    if members:
        return " ".join(f"{key}={value}" for key, value in sorted(members.items(), key=_by_id))
    if isinstance(number, str):
        return NOT_COLLECTED.about("btrfs filesystem show, which lists the devices of a btrfs")
    return NO_NUMBER
