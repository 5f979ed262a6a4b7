"""Loop devices in texts: losetup, as lines, as a table and as JSON.

    /dev/loop0: [64769]:12345 (/srv/img), offset 512       losetup -a; the number is that of the file system
    /dev/loop0         0      0         0  0 /srv/img      losetup, losetup -l

The device of the file system of the file is in brackets, as stat(2) has it in decimal, or in hexadecimal by
versions before 2.21; without root the brackets are empty.  A table has it with -O BACK-MAJ:MIN alone.
Source: util-linux, sys-utils/losetup.c.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.plain_text import unescaped_hex
from zmon.collected.columns import Columns
from zmon.collected.facts import NAMED_STAND_IN
from zmon.collected.reading import OrDocument, line, objects
from zmon.kinds import LAYER
from zmon.topology.mounts import mount_of, mounts_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.collected.facts import Facts
    from zmon.sample import Frame
    from zmon.topology.mounts import Mounts

_DEVICE: Final = r"/dev/(loop[0-9]{1,5})(?: \(lost\))?"
_MORE: Final = r"(?:, offset [0-9]{1,20})?(?:, sizelimit [0-9]{1,20})?(?:, encryption .*)?"
DELETED: Final = " (deleted)"
"""What the kernel writes behind the name of a file that is no more."""


class Losetup(OrDocument):
    """The file of each loop device, and the device of its file system as far as losetup has it."""

    tool = "losetup"
    heading = r"NAME +(?:[A-Z:-]+ +)*BACK-FILE\b"
    first = r"/dev/loop[0-9]{1,5}: (?:\[[0-9a-f]*\]:[0-9]* \(/|[0-9]+ /)|\{\s*\"loopdevices\""

    @line(
        rf"{_DEVICE}: \[([0-9]{{1,20}}|[0-9a-f]{{4}})?\]:(?:[0-9]{{1,20}}| ) ?\((/.*)\){_MORE}",
        rf"{_DEVICE}: \[()\]: \((/.*)\){_MORE}",
        rf"{_DEVICE}: ()[0-9]{{1,20}} (/.*)",  # busybox
    )
    def shown(self, match: re.Match[str]) -> None:
        """Take a line of losetup -a."""
        name, device, file = match.groups()
        number = ""
        if device:
            is_old = len(device) == 4 and (device[0] == "0" or not device.isdecimal())
            joined = int(device, 16 if is_old else 10)
            number = f"{os.major(joined)}:{os.minor(joined)}"
        self._say(name, file, number)

    @line(r"NAME(?:\s+[A-Z:-]+)*\s*")
    def head(self, match: re.Match[str]) -> None:
        """Take a heading."""
        self._columns = Columns(match[0])

    @line(rf"{_DEVICE}(?:\s+\S.*)?")
    def row(self, match: re.Match[str]) -> bool:
        """Take a row; only the name of the file may have blanks, and with --raw they are escaped."""
        before, behind = (len(names) for names in self._columns.around("BACK-FILE"))
        *first, rest = match[0].split(None, before)
        cells = [*first, *rest.rstrip().rsplit(None, behind)]
        named = dict(zip(self._columns, map(unescaped_hex, cells), strict=False))
        return len(first) == before and self._take(named)

    @line(rf"{_DEVICE}\s+[0-9]{{1,20}}\s+[0-9]{{1,20}}\s+[01]\s+[01]\s+(/.*?)\s+[01]\s+[0-9]{{3,5}}\s*")
    def row_alone(self, match: re.Match[str]) -> bool:
        """Take a row of the columns that losetup prints by default, whose heading is not there."""
        if "NAME" not in self._columns:
            self._say(match[1], match[2], "")
        return "NAME" not in self._columns

    def document(self, document: dict[str, Any]) -> bool:
        """Take the devices of -J."""
        devices = document.get("loopdevices")
        for device in objects(devices):
            self._take({name.upper(): cell for name, cell in device.items() if isinstance(cell, str)})
        return isinstance(devices, list)

    def _take(self, cells: Mapping[str, str]) -> bool:
        name, file = cells.get("NAME", ""), cells.get("BACK-FILE", "")
        match = re.fullmatch(_DEVICE, name)
        others = (cell for name, cell in cells.items() if name not in {"NAME", "BACK-FILE", "REF"})
        if (
            match is None
            or not file.startswith("/")
            or not all(re.fullmatch("[0-9:]+", cell) for cell in others)
        ):
            return False  # what stands in them may be the end of the file's name
        number = re.fullmatch(r"\s*([0-9]{1,5}):([0-9]{1,8})\s*", cells.get("BACK-MAJ:MIN", ""))
        self._say(match[1], file, f"{number[1]}:{number[2]}" if number else "")
        return True

    def _say(self, name: str, file: str, number: str) -> None:
        below = "" if number.startswith("0:") else number
        if file.startswith("/dev/") and not file.endswith(DELETED):  # the number is that of /dev
            below = self.facts.name_device(file.removeprefix("/dev/"), self.place)
        self.facts.say(LAYER, name, self.place, name=name, sort="loop", file=file, below=below)


def lay_loops(facts: Facts, layers: Frame, mounts: Frame) -> None:
    """Say of loop devices whose file system losetup does not name that it is that of the path of their file.

    So it is with the files that are disks of guests.

    The path of a file that is no more, or of one that is a device, tells nothing of a mount.  A loop device
    that is not among those with a size has no file.
    """
    read = mounts_in(mounts)
    for loop, row in facts.rows.get(LAYER.name, {}).items():
        names = {str(fact.value) for fact in row.get("name", ()) if str(fact.value).startswith("loop")}
        if names and facts.listed and facts.listed.isdisjoint(names) and not row.get("file"):
            facts.say_below(loop, row["name"][0].place, "")
            facts.say(LAYER, loop, row["name"][0].place, size=0)
        for fact in () if row.get("below") else row.get("file", ())[:1]:
            numbers = _below(str(fact.value), layers, read)
            if numbers is not None and loop not in numbers:
                facts.say(LAYER, loop, fact.place, below=" ".join(numbers))
    for (file, title), place in facts.lent_files.items():
        mapped, below = f"{title} ({file})", " ".join(_below(file, layers, read) or ())
        key = f"{NAMED_STAND_IN}:{mapped}"
        facts.say(LAYER, key, place, mapped=mapped, sort="content", file=file, below=below)


def _below(file: str, layers: Frame, mounts: Mounts) -> list[str] | None:
    """Return the numbers of the devices that a file lies on; None if no mount tells."""
    if file.startswith("/dev/"):
        names = zip(layers.keys, layers.column("name"), strict=True)
        return [number for number, name in names if f"/dev/{name}" == file]
    mount = mount_of(file, mounts) if not file.endswith(DELETED) else None
    if mount is None or isinstance(mount, Absent):
        return None
    if mount.number.startswith("0:"):
        return [] if isinstance(mount.devices, Absent) else [*mount.devices.values()]
    return [mount.number]
