r"""File systems of btrfs in texts: `btrfs filesystem show`, `btrfs filesystem usage`, `btrfs device usage`.

    Label: none  uuid: 3c5e...                                  then each device below
    devid    2 size 9.09TiB used 8.42TiB path /dev/sdd1
    /dev/sdd1, ID: 2                                            of the file system that was asked for
     2 /dev/sdd1 9.00GiB 1.00GiB 8.00MiB    10.62GiB            the same, of filesystem usage with -T

Source: btrfs-progs, cmds/filesystem.c, cmds/filesystem-usage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from zmon.base.absent import absent
from zmon.collected.bare_names import PATH_OR_BARE, below_dev
from zmon.collected.facts import MountRow, plain
from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER, MORE_OF_BTRFS, NOT_SEEN

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

UNNAMED: Final = "?0"
"""Stands for the ids of devices of a btrfs that are counted and not named."""


class BtrfsShow(Reading):
    """The devices of each btrfs by their ids; more that belong to it are missing ones."""

    tool = "btrfs"
    called: ClassVar[Mapping[str, str]] = {
        "btrfs filesystem show": "^Label: ", "btrfs filesystem usage": "^Overall:",
        "btrfs device usage": "^/dev/.*, ID: ",
    }  # fmt: skip
    first = r"Label: .*uuid: |/dev/\S+, ID: [0-9]+\s*$"
    nothing = (
        r"\s*\*\*\* Some devices missing\s*|btrfs-progs v\S+|warning(?:, |: )device [0-9]+ (?:is )?missing.*",
        r"Overall:|\s+(?:[A-Z][A-Za-z(), ]+:\s.*|Total\s.*|Used\s.*|(?:Data|Metadata|System)\b.*)",
        r"Id Path\s.*|[ -]{20,}|[A-Z][A-Za-z]+,[A-Za-z0-9]+: Size:.*|Unallocated:",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a file system."""
        super().__init__(text, facts)
        self._uuid = ""
        self._totals: dict[str, tuple[int, str]] = {}
        self._labels: dict[str, str] = {}
        self._doubtful: set[str] = set()
        """The file systems of which a line may be left out, or was not understood."""

    def lost(self) -> None:
        """Know no file system; that of the line before may have a device more."""
        if self._uuid:
            self._doubtful.add(self._uuid)
            self.facts.btrfs.setdefault(self._uuid, {})[UNNAMED] = self._unnamed(self._uuid), self.place
        self._uuid = ""

    @line(r"(?:Label: (?:'(.*)'|.*?)\s+)?uuid: ([0-9a-f-]{36})\s*")
    def shown(self, match: re.Match[str]) -> None:
        """Take the first line about a file system."""
        self._uuid = match[2]
        self._labels[match[2]] = match[1] or ""

    @line(r"\s*Total devices ([0-9]{1,4}) .*")
    def total(self, match: re.Match[str]) -> bool:
        """Take the number of devices; if it comes again the first line of another file system is missing."""
        if not self._uuid or self._uuid in self._totals:
            self._uuid = ""
            return False
        self._totals[self._uuid] = int(match[1]), self.place
        return True

    @line(
        r"\s*devid\s+([0-9]{1,6}) size \S+ used \S+"
        rf" path (?:({PATH_OR_BARE})|<missing disk>|)(?:\s+MISSING)?\s*"
    )
    def device(self, match: re.Match[str]) -> bool:
        """Take a device."""
        uuid = self._uuid
        if uuid:
            name = below_dev(match[2]) if match[2] else self._lost(uuid, match[1])
            self.facts.btrfs.setdefault(uuid, {})[match[1]] = name, self.place
            self.facts.name_dasd(name, self.place)
        elif self.is_filtered and match[2]:
            self.facts.name_device(below_dev(match[2]), self.place)
            self.facts.say_content(below_dev(match[2]), self.place, "btrfs", "")
        return bool(uuid or (self.is_filtered and match[2]))

    @line(
        rf"\s*(?P<name>{PATH_OR_BARE}|missing), ID: (?P<id>[0-9]{{1,6}})\s*",
        rf"\s*(?P<id>[0-9]{{1,6}}) (?P<name>{PATH_OR_BARE}|missing)\s+\S.*",
    )
    def used(self, match: re.Match[str]) -> None:
        """Take a device of those that tell the use of the mount point of their command."""
        key = self.text.command.split()[-1] if self.text.command else self.text.place()
        name = self._lost(key, match["id"]) if match["name"] == "missing" else below_dev(match["name"])
        self.facts.btrfs.setdefault(key, {})[match["id"]] = name, self.place
        self.facts.name_dasd(name, self.place)

    @line(rf"\s+({PATH_OR_BARE})\s+[0-9.]+[KMGTP]?(?:i?B)?\s*")
    def holds(self, match: re.Match[str]) -> None:
        """Take a device that holds data of one kind."""
        self.facts.name_device(below_dev(match[1]), self.place)
        self.facts.say_content(below_dev(match[1]), self.place, "btrfs", "")

    def end(self) -> None:
        """Say that devices are missing where fewer are listed than are counted."""
        for uuid, (total, place) in self._totals.items():
            devices = self.facts.btrfs.setdefault(uuid, {})
            devices.pop(UNNAMED, None)
            if len(devices) < total:
                devices[UNNAMED] = self._unnamed(uuid), place

    def _unnamed(self, uuid: str) -> str:
        """Return the word for a device that is counted at most: a line that is not read may name it."""
        if uuid not in self._doubtful:
            return self._lost(uuid)
        self.facts.leave_open(f"?{uuid}", f"a device of btrfs {self._labels.get(uuid) or uuid}")
        return f"?{uuid}"

    def _lost(self, key: str, number: str = "") -> str:
        """Return the word for a missing device of a btrfs; without its id for all of them."""
        word, what = f"?{key}{f'.{number}' * bool(number)}", f"devid {number}" if number else "a device"
        self.facts.lost[word] = f"missing: {what} of btrfs {self._labels.get(key) or key}"
        return word


def open_btrfs(rows: list[MountRow], facts: Facts) -> None:
    """Say what stands for further devices of a btrfs; its mount names one of them."""
    more = f"{NOT_SEEN}devices that `btrfs filesystem show` would list"
    for row in [row for row in rows if row.fstype == "btrfs"][:1]:
        facts.say(LAYER, MORE_OF_BTRFS, row.place, mapped=more)


def _join_usage(facts: Facts) -> None:
    """Give missing devices that `filesystem show` only counts the ids that `device usage` has for them."""
    for usage in facts.btrfs.values():
        lost = {key: told for key, told in usage.items() if told[0].startswith("?") and key != UNNAMED}
        for devices in facts.btrfs.values() if lost else ():
            named = {name for name, _place in devices.values() if not name.startswith("?")}
            title = facts.lost.get(devices.get(UNNAMED, ("", ""))[0], "")
            if title and not named.isdisjoint(name for name, _place in usage.values()):
                for key, (word, _place) in lost.items():
                    facts.lost[word] = title.replace("a device", f"devid {key}", 1)
                del devices[UNNAMED]
                devices.update(lost)


def name_btrfs(sources: set[str], facts: Facts) -> None:
    """Say of devices of a btrfs that is not mounted that they belong to it; `sources` are those of mounts."""
    _join_usage(facts)
    mounted = {source.removeprefix("/dev/") for source in sources}
    for uuid, devices in facts.btrfs.items():
        names = dict(devices.values())
        if mounted.isdisjoint(names):
            title, place = f"btrfs {uuid}", next(iter(names.values()))
            below = " ".join(map(plain, names))
            facts.say(LAYER, title, place, mapped=title, sort="btrfs", below=below)


def _by_id(device: tuple[str, str | None]) -> tuple[bool, int]:
    return device[0].startswith("?"), int(device[0].removeprefix("?"))


def btrfs_members(number: Value, facts: Facts, numbers: Mapping[str, str]) -> Mapping[str, str | None]:
    """Return the numbers of the devices of the btrfs that has one of this number, by their ids."""
    for devices in facts.btrfs.values() if isinstance(number, str) else ():
        members = {
            key: numbers.get(name) or facts.stand_ins.get(name) for key, (name, _place) in devices.items()
        }
        if number in members.values():
            return members
    return {}


def btrfs_devices(number: Value, facts: Facts, numbers: Mapping[str, str]) -> Value:
    """Return the devices of the btrfs with the device of this number, as btrfs lists them."""
    members = btrfs_members(number, facts, numbers)
    if None in members.values():
        return absent("btrfs filesystem show lists a device whose number no text has")
    if members:
        return " ".join(f"{key}={value}" for key, value in sorted(members.items(), key=_by_id))
    return f"?1={number} {UNNAMED}={MORE_OF_BTRFS}" if isinstance(number, str) else number
