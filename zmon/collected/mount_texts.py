r"""Mounts, swap and devices of btrfs in texts: /proc/mounts, mount, findmnt, swapon, `btrfs filesystem show`.

    /dev/dasda1 / ext4 rw,relatime 0 0                          /proc/mounts; blanks in names are `\040`
    /dev/dasda1 on / type ext4 (rw,relatime)                    mount; with -l a label in brackets behind it
    └─/boot  /dev/dasda1  ext4  rw,relatime                     findmnt, as a tree
    devid    2 size 9.09TiB used 8.42TiB path /dev/sdd1         btrfs filesystem show, below `uuid: ...`

None of them has the number of a file system: it is that of the device that the source names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.kernel.mountinfo import NO_OTHER, unescaped
from zmon.kinds import LAYER, MOUNT, NOT_COLLECTED, SWAP
from zmon.sample import Frame, empty_frame, frame_of
from zmon.sizes import KIB

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

NO_NUMBER: Final = absent("the text names no device whose number is known")
NO_CHUNKS: Final = absent("no text has the chunks of btrfs: take a capture with zmon capture, as root")
NO_TYPE: Final = absent("lsblk prints it with a column FSTYPE only")
NO_OPTIONS: Final = absent("lsblk does not print it")
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


def _of_findmnt(row: str) -> tuple[str, str, str, str] | None:
    words = row.lstrip(_DRAWN).rsplit(None, 3)
    if len(words) < 4 or not words[0].startswith("/"):
        return None
    point, source, fstype, options = words
    return source.partition("[")[0], point, fstype, options


_FILE: Final = "proc/mounts"
_FORMS: Final[dict[str, Callable[[str], tuple[str, str, str, str] | None]]] = {
    _FILE: _of_proc, "mount": _of_mount, "findmnt": _of_findmnt,
}  # fmt: skip
"""How a line is read, the form with the most to say first."""


def parse_mounts(text: CollectedText) -> tuple[str, list[MountRow]]:
    """Return the mounts of a text in their order, and the form that they have."""
    wanted = _FILE if text.file else text.tool
    for name, take in _FORMS.items():
        if wanted in {"", name}:
            tool = "" if name == _FILE else f"{name}, "
            rows = ((take(row), f"{tool}{text.place(line)}") for line, row in text.rows(MAX_TABLE))
            found = [MountRow(*taken, place) for taken, place in rows if taken]
            if found:
                return name, found[:MAX_MOUNTS]
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


def name_partitions(rows: list[MountRow], facts: Facts) -> None:
    """Say of partitions of DASDs that a list of mounts names, and no other text, what they are."""
    for row in rows:
        name = row.source.removeprefix("/dev/")
        if name != row.source and _PARTITION.fullmatch(name):
            facts.say(LAYER, name, row.place, name=name, sort="partition")


_PARTITION: Final = re.compile(r"dasd[a-z]{1,3}[1-3]")


def mounts_of_lsblk(facts: Facts) -> list[MountRow]:
    """Return the mounts that lsblk has, where no text lists mounts; it has no options."""
    found = [MountRow(source, point, fstype, "", place)
             for (_number, point), (source, fstype, place) in facts.mounts.items()]  # fmt: skip
    return found[:MAX_MOUNTS]


_SHOWN: Final = re.compile(r"(?:Label: .*)?\buuid: ([0-9a-f-]{36})\s*")
_DEVID: Final = re.compile(r"\s*devid\s+([0-9]{1,6}) size \S+ used \S+ path (/dev/\S{1,255})\s*")


def parse_btrfs(text: CollectedText, facts: Facts) -> None:
    """Take the devices of each btrfs by their ids."""
    uuid = ""
    for line, row in text.rows():
        if match := _SHOWN.fullmatch(row):
            uuid = match[1]
        elif uuid and (match := _DEVID.fullmatch(row)):
            devices = facts.btrfs.setdefault(uuid, {})
            devices[match[1]] = (match[2].removeprefix("/dev/"), f"btrfs, {text.place(line)}")


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
        return empty_frame(MOUNT, f"{NOT_COLLECTED}: /proc/self/mountinfo, /proc/mounts, mount, findmnt"), {}
    numbers = _numbers(layers)
    found: dict[str, dict[str, Value]] = {}
    origins: dict[str, dict[str, Value]] = {}
    anonymous: dict[str, str] = {}
    for key, row in enumerate(rows, 1):
        number: Value = _number_of(row.source, numbers)
        devices: Value = NO_OTHER
        if row.fstype == "btrfs":
            devices = _devices_of(number, facts, numbers)
            number = anonymous.setdefault(row.source, f"0:{len(anonymous) + 1_000_000}")
        elif isinstance(number, Absent):
            number = anonymous.setdefault(
                f"{row.fstype} {row.source} {row.point}", f"0:{len(anonymous) + 1_000_000}"
            )
        subvolume = re.search(r"(?:^|,)subvol=(/[^,]*)", row.options)
        found[str(key)] = {
            "number": number,
            "root": subvolume[1] if subvolume else "/",
            "point": row.point,
            "fstype": row.fstype or NO_TYPE,
            "source": row.source,
            "options": row.options or NO_OPTIONS,
            "devices": devices,
            "chunks": NO_CHUNKS if row.fstype == "btrfs" else NO_OTHER,
            "line": row.place,
            "namespaces": NO_SPACES,
        }
        origins[f"{MOUNT.name} {key}"] = {"texts": f"point source fstype options = {row.place}"}
    return frame_of(MOUNT, found, when), origins


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


def _devices_of(number: Value, facts: Facts, numbers: Mapping[str, str]) -> Value:
    """Return the devices of the btrfs with the device of this number, as btrfs lists them."""
    for devices in facts.btrfs.values():
        known = {key: numbers.get(name) for key, (name, _place) in devices.items()}
        if number in known.values():
            if None in known.values():
                return absent("btrfs filesystem show lists a device whose number no text has")
            return " ".join(
                f"{key}={value}" for key, value in sorted(known.items(), key=lambda one: int(one[0]))
            )
    if isinstance(number, str):
        return absent(f"{NOT_COLLECTED}: btrfs filesystem show, which lists the devices of a btrfs")
    return NO_NUMBER
