"""Kernel's files as people print many at once, each line or block with the path of its file.

    /sys/bus/ccw/devices/0.0.0190/uid:IBM.75000000AAAA1.1a00.01        grep -r . DIRECTORY
    /sys/bus/ccw/devices/0.0.0190/online: 1                            for f in ...; do echo $f: $(cat $f)
    ==> /proc/dasd/devices <==                                         head FILES, tail -n +1 FILES

What stands there is no whole directory: it says of what is named, and not that there is no more.
Sources: coreutils, src/head.c, tail.c; util-linux, text-utils/more.c; grep(1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.collected.dasd_texts import BUSID, take_disk
from zmon.collected.numbers import NUMBER, fits, is_of_kernel, sort_of
from zmon.collected.reading import Reading, gaps_of, line
from zmon.kernel.ccw_device import OF_DASD, OF_DEVICE, OF_PAIR
from zmon.kinds import DEVICE, LAYER

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_OF_CCW: Final = {**OF_DEVICE, **OF_DASD, **OF_PAIR}
_CCW: Final = re.compile(
    rf"sys/(?:bus/ccw/(?:devices|drivers/[^/]+)|devices/css[0-9]/{BUSID})/(?P<busid>{BUSID})/"
    r"(?:(?P<name>[a-z_]+)|block/(?P<block>dasd[a-z]{1,4})/.*)"
)
_BLOCK: Final = re.compile(
    r"sys/(?:(?:class/)?block|devices/.*/block)/(?:[^/]+/)??(?P<block>[^/]+)/"
    r"(?P<name>dev|size|start|dm/name|dm/uuid|loop/backing_file)"
)
_FIELDS: Final = {"dm/name": "mapped", "dm/uuid": "uuid", "loop/backing_file": "file"}
"""The fields of block devices that are called otherwise than their files."""
_ATTRIBUTE: Final = r"/(?P<path>sys(?:/[^/\s]+)*?/[a-z][\w.-]*):[ \t]*(?P<value>.*)"
_ROW: Final = r"/(?P<path>proc(?:/[\w.-]+)+):(?: (?=\S))?(?P<value>.*)"
MANY_FILES: Final = (
    r"(?:[efz]?grep|head|tail|more)\b.*\s/sys(?:[/ ].*|$)"
    r"|sys/(?:bus/ccw|devices/css[0-9]|block|class/block)/.*"
    r"|[efz]?grep\b.*\s-\w*[rRH].*\s/proc(?:[/ ].*|$)"
    r"|(?:[efz]?grep|head|tail|more)\b.*\s/proc/(?:\S*[*?{\[]|\S+\s+/|\S*/(?:\s|$)).*"
)
"""Commands that print files with their paths, and files that are copied alone."""
BLOCK: Final = re.compile(r"(?:==> )?/(?P<path>(?:proc|sys)/(?:\S*/)?[\w.-]+)(?: <==)?\s*")
"""The heading of a block: of head and tail, and of more between lines of colons."""
_OF_HEAD: Final = 10
"""Lines that head prints of a file if nobody asks for others."""
_WHOLE: Final = re.compile(
    r"tail (?:-n *|-c *|--lines=|--bytes=)\+[01]\b.*|(?:more|cat|for)\b.*"
    r"|[efz]?grep (?:-[rRHsEah]+ )*(?:''|\"\"|'?\"?[.^]'?\"?) .*"
)
"""Commands that print whole files, as far as they have an operand for each."""


class Files(Reading):
    """Attributes of channel devices and block devices, and files of /proc that other forms read."""

    tells = ("device", "dasd", "layer", "mount", "swap")
    heading = r"==> /(?:proc|sys)/\S+ <==\s*$"
    first = r"/sys/(?:bus|block|class|devices)(?:/[^/\s]+)*?/[a-z][\w.-]*:[ \t]?\S"
    nothing = (r"(?:head|tail|cat|more|grep): .*", r"Binary file .* matches", r":{4,}")

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin outside any file, or with the one that was copied."""
        super().__init__(text, facts)
        self._path, self._headed = text.file, -1
        self._files: list[tuple[str, int, list[str]]] = []
        """Files of /proc: path, the first line, the lines."""
        self._has_rows = False
        """Whether each of these lines had the path, as grep writes them."""

    @property
    def is_part(self) -> bool:
        """Whether files of /proc may have more lines than are there."""
        command, pipe, filters = self.text.command.partition("|")
        if self.text.file or (_WHOLE.fullmatch(command.strip()) and gaps_of(pipe + filters) is None):
            return False
        return self._has_rows or any(len(rows) >= _OF_HEAD for _path, _first, rows in self._files)

    @property
    def lists_all(self) -> tuple[str, ...]:
        """Return what the files of /proc list all of."""
        return tuple(kind for reading in self._forms() for kind in reading.lists)

    def take(self, number: int, row: str) -> bool | None:
        """Take a line; one of a block is that of its file."""
        if row.startswith("::::") and number != self._headed + 1:
            self._path = ""
        elif self._path and not row.startswith(("==> ", "::::")) and row.strip():
            self.number = number
            if self._path.startswith("sys/"):
                return self._take_attribute(self._path, row)
            self._take_row(self._path, row)
            return True
        return super().take(number, row)

    @line(_ATTRIBUTE)
    def attribute(self, match: re.Match[str]) -> bool:
        """Take an attribute behind its path."""
        return self._take_attribute(match["path"], match["value"]) is not None

    @line(BLOCK.pattern)
    def block(self, match: re.Match[str]) -> None:
        """Take the heading of a block."""
        self._path, self._headed = match["path"], self.number

    @line(_ROW)
    def row(self, match: re.Match[str]) -> None:
        """Take a line of a file of /proc behind its path."""
        self._has_rows = True
        self._take_row(match["path"], match["value"])

    def _take_row(self, path: str, row: str) -> None:
        if not self._files or self._files[-1][0] != path:
            self._files.append((path, self.number, []))
        _path, first, rows = self._files[-1]
        rows += [""] * (self.number - first - len(rows))
        rows.append(row)

    def _take_attribute(self, path: str, value: str) -> bool | None:
        """Take an attribute; return whether zmon reads it, None if it is not as the kernel writes it."""
        value = value.strip()
        if device := _CCW.fullmatch(path):
            return self._of_ccw(device, value)
        if (device := _BLOCK.fullmatch(path)) and is_of_kernel(device["block"]):
            return self._of_block(device["block"], device["name"], value)
        return False

    def _of_ccw(self, device: re.Match[str], value: str) -> bool | None:
        busid, name = device["busid"], device["name"]
        if device["block"]:
            take_disk(self.facts, self.place, busid, device["block"])
            return True
        if name not in _OF_CCW:
            return False
        try:
            parsed = _OF_CCW[name][1](value)
        except ValueError:
            return None
        self.facts.say(DEVICE, busid, self.place, **{name: parsed})
        return not isinstance(parsed, Absent)

    def _of_block(self, block: str, name: str, value: str) -> bool | None:
        key = self.facts.name_device(block, self.place)
        if name == "dev":
            if not (re.fullmatch(NUMBER, value) and fits(block, value)):
                return None
            self.facts.say(LAYER, value, self.place, name=block)
        elif name in _FIELDS:
            self.facts.say(LAYER, key, self.place, **{_FIELDS[name]: value})
        elif value.isdecimal() and (name == "size" or sort_of(block, is_below=False) == "partition"):
            self.facts.say(LAYER, key, self.place, **{name: int(value)})
        else:
            return None
        return True

    def _forms(self) -> list[type[Reading]]:
        from zmon.collected.transcript import form_of  # noqa: PLC0415 - it knows all forms, this one among them

        forms = (form_of(path) for path, _first, _rows in self._files)
        return [form.reading for form in forms if form]

    def end(self) -> None:
        """Read the files of /proc, each as what it is."""
        from zmon.collected.reading import walk  # noqa: PLC0415 - likewise
        from zmon.collected.transcript import form_of  # noqa: PLC0415 - likewise

        for path, first, rows in self._files:
            if form := form_of(path):
                content = "".join(f"{row}\n" for row in rows)
                command = self.text.command if self.is_filtered and self.is_part else ""
                file = self.text._replace(
                    line=self.text.number(first), command=command, file="" if command else path, text=content
                )
                read = walk(file, form, self.facts)
                self.strange += [number - file.line + first for number in read.strange]
