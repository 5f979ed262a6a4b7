r"""What is on devices by their signatures, in texts: blkid as lines, as list, assignments or JSON.

    /dev/dasda1: LABEL="my root" UUID="..." TYPE="ext4" PARTUUID="..."    blkid; quotes are `\"`
    /dev/dasda1 ext4    my root  /              3b0c...                   blkid -o list
    DEVNAME=/dev/dasda1                                blkid -o export, then `UUID=...`

Of a partition `blkid -p` has start and size in sectors of 512 bytes, and its disk: `PART_ENTRY_DISK="94:0"`.
Source: util-linux, misc-utils/blkid.c, libblkid/src/partitions/partitions.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zmon.collected.block_texts import SWAPPED
from zmon.collected.columns import Columns
from zmon.collected.facts import ASM, MountRow
from zmon.collected.numbers import NUMBER, disk_name, fits, is_of_kernel, name_of_number
from zmon.collected.reading import OrDocument, line, objects
from zmon.kinds import LAYER
from zmon.topology.stack import TAGS, tagged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_DEVICE: Final = r"/dev/(\S{1,250}?)"
_TAG: Final = r'[A-Z][A-Z0-9_]{0,30}="(?:[^"\\]|\\.){0,1024}"'
_UUID: Final = r"[0-9A-Za-z][0-9A-Za-z-]{7,63}"
LONGEST_POINT: Final = 79
"""Characters of a mount point in the list; a longer one is cut."""
_USE: Final = re.compile(r"(?<=\s)(?:/|\([^\W\d_]|\[SWAP\]|<swap>)")
"""How a mount point begins, or what stands in its place."""
_SWAPPED: Final = {SWAPPED, "<swap>"}


class Blkid(OrDocument):
    """Types, UUIDs and labels of what is on devices."""

    tool = "blkid"
    tells = ("layer", "mount", "swap")
    heading = r"device +fs_type +label +mount point +UUID"
    first = rf'/dev/\S{{1,250}}: (?:{_TAG} ?)+$|Disk "[^"]+" is a valid ASM disk|DEVNAME=/dev/|\{{\s*"blkid"'
    nothing = (r"-{10,}", r"ID_(?:FS|PART)_[A-Z_]+=.*")

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a heading or a device."""
        super().__init__(text, facts)
        self._device = ""
        """That of the lines that follow: of a list if its name is too long, else of assignments."""
        self._tags: dict[str, str] = {}

    def blank(self) -> None:
        """End the assignments of a device."""
        self._take()

    def lost(self) -> None:
        """Know no device; what was read of one may not be all."""
        self._take()

    @line(rf"{_DEVICE}: ((?:{_TAG} ?)+)")
    def device(self, match: re.Match[str]) -> None:
        """Take a device."""
        self._take()
        self._say(match[1], dict(map(_pair, re.findall(_TAG, match[2]))))

    @line(
        r'Disk "([^"]{1,40})" is a valid ASM disk'
        r"(?: on device (?:/dev/\S{1,200}?)?\s?\[([0-9]{1,4}), ?([0-9]{1,8})\])?\s*"
    )
    def of_asm(self, match: re.Match[str]) -> None:
        """Take a disk of ASM that oracleasm has asked for by its label."""
        if match[2]:
            number = f"{match[2]}:{match[3]}"
            name = name_of_number(number)
            self.facts.say_content(name, self.place, ASM, "")
            self.facts.say_asm(self.facts.name_device(name, self.place, number), self.place, match[1])

    @line(r"device +fs_type +label +mount point +UUID\s*")
    def head(self, match: re.Match[str]) -> None:
        """Take the heading of the list."""
        self._columns = Columns(match[0])

    @line(rf"{_DEVICE}\s*")
    def long_name(self, match: re.Match[str]) -> bool:
        """Take a name that is longer than its column: the rest of its row follows."""
        self._device = match[1]
        return "fs_type" in self._columns

    @line(rf"(?:{_DEVICE})?\s+\S.*")
    def listed(self, match: re.Match[str]) -> bool:
        """Take a row of the list: what is on the device, and where that is mounted."""
        device, self._device = match[1] or self._device, ""
        row, begin, at = match[0], self._columns.begin("fs_type"), self._columns.begin("mount")
        uses = [use.start() for use in _USE.finditer(row, begin)] if device and 0 < begin < at else []
        if not uses or (at not in uses and len(uses) > 1):
            return False  # a label that is too long moves what follows
        at = at if at in uses else uses[0]
        use, _blank, uuid = row[at:].rpartition(" ")
        if not re.fullmatch(_UUID, uuid):
            use, uuid = row[at:], ""  # without a UUID a row ends with blanks
        use = use.rstrip()
        sort = "" if row[begin : begin + 1] == " " else row[begin:at].split()[0]
        self._say(device, {"TYPE": sort, "UUID": uuid})
        if use in _SWAPPED:
            self.facts.swaps.setdefault(f"/dev/{device}", self.place)
        elif use.startswith("/") and len(use.encode("utf-8", "surrogateescape")) < LONGEST_POINT:
            mount = MountRow(f"/dev/{device}", use, sort, "", self.place, output=self.text.place())
            self.facts.mounts.setdefault((device, use), mount)
        return True

    @line(r"DEVNAME=/dev/(\S{1,250})")
    def named(self, match: re.Match[str]) -> None:
        """Take the first assignment of a device."""
        self._take()
        self._device = match[1]

    @line(r"([A-Z][A-Z0-9_]{0,30})=((?:[^\\]|\\.){0,1024})")
    def tag(self, match: re.Match[str]) -> bool:
        """Take a further assignment; one that comes twice is of another device."""
        if not self._device or match[1] in self._tags:
            return False
        self._tags[match[1]] = _unescaped(match[2])
        return True

    def document(self, document: dict[str, Any]) -> bool:
        """Take the devices of -o json."""
        devices = document.get("blkid")
        for device in objects(devices):
            tags = {tag: value for tag, value in device.items() if isinstance(value, str)}
            if name := tags.get("device", "").removeprefix("/dev/"):
                self._say(name, tags)
        return isinstance(devices, list)

    def end(self) -> None:
        """Take the last device."""
        self._take()
        super().end()

    def _take(self) -> None:
        device, tags = self._device, self._tags
        self._device, self._tags = "", {}
        if tags:
            self._say(device, tags)

    def _say(self, device: str, tags: Mapping[str, str]) -> None:
        facts, place = self.facts, self.place
        name = facts.name_device(device, place)
        if sort := tags.get("TYPE"):
            facts.say_content(device, place, sort, tags.get("UUID", ""))
        is_alone = not tags.get("TYPE", "").endswith("_member")
        for tag in TAGS:
            value = tags.get(tag, "")
            if value and tag != "UUID" and (is_alone or tag.startswith("PART")) and "M-" not in value:
                facts.say(LAYER, name, place, links=tagged(f"{tag}={value}"))
        facts.say_asm(name, place, tags.get("LABEL", "") * (tags.get("TYPE") == ASM))
        disk, start, size = (tags.get(f"PART_ENTRY_{what}", "") for what in ("DISK", "OFFSET", "SIZE"))
        if re.fullmatch(NUMBER, disk) and is_of_kernel(device) and fits(disk_name(device), disk):
            row: dict[str, Value] = {"parent": disk}
            for field, word in (("start", start), ("size", size)):
                if re.fullmatch("[0-9]{1,18}", word):
                    row[field] = int(word)
            facts.say(LAYER, name, place, **row)


def _pair(tag: str) -> tuple[str, str]:
    name, _equals, value = tag.partition("=")
    return name, _unescaped(value[1:-1])


def _unescaped(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value)
