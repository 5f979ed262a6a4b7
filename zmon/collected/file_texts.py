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

from zmon.base.absent import Absent, text_of
from zmon.collected.dasd_texts import BUSID, take_disk
from zmon.collected.fcp_texts import (
    ADDRESS,
    KINDS,
    address_of,
    list_lun,
    lose_lun,
    name_disk,
    say_attributes,
    say_scsi,
)
from zmon.collected.numbers import NUMBER, fits, is_of_kernel, sort_of
from zmon.collected.reading import Reading, gaps_of, line
from zmon.collected.shell_loops import OVER_FILES, expanded, files_by_line
from zmon.kernel.ccw_device import OF_DASD, OF_DEVICE, OF_PAIR
from zmon.kernel.channel_path import CONFIGURE, OF_CHANNEL, parse_status
from zmon.kernel.zfcp import parse_attribute
from zmon.kinds import ADAPTER, CHANNEL, DEVICE, LAYER, TARGET_PORT
from zmon.values.fcp_state import FAILED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_OF_CCW: Final = {**OF_DEVICE, **OF_DASD, **OF_PAIR}
_CCW: Final = re.compile(
    rf"sys/(?:bus/ccw/(?:devices|drivers/[^/]+)|devices/css[0-9]/{BUSID})/(?P<busid>{BUSID})/"
    r"(?:(?P<name>[a-z_]+)|block/(?P<block>dasd[a-z]{1,4})/.*)"
)
_OF_ZFCP: Final = re.compile(
    rf"sys/(?:bus/ccw/(?:devices|drivers/zfcp)|devices/css[0-9]/{BUSID})/(?P<busid>{BUSID})"
    r"/(?P<wwpn>0x[0-9a-f]{16})(?:/(?P<lun>0x[0-9a-f]{16}))?/failed"
)
"""Whether zfcp has given up a port, or a LUN."""
_OF_PATH: Final = re.compile(r"sys/devices/css[0-9]/chp(?P<chpid>0\.[0-9a-f]{2})/(?P<file>[a-z_]+)")
_OF_PATHS: Final = {
    file: (field, parse)
    for field, (file, parse) in {**OF_CHANNEL, **CONFIGURE, "status": ("status", parse_status)}.items()
}
"""The attributes of channel paths, by their files."""
_BLOCK: Final = re.compile(
    r"sys/(?:(?:class/)?block|devices/.*/block)/(?:[^/]+/)??(?P<block>[^/]+)/"
    r"(?P<name>dev|size|start|device/uid|dm/name|dm/uuid|loop/backing_file)"
)
_FIELDS: Final = {"dm/name": "mapped", "dm/uuid": "uuid", "loop/backing_file": "file"}
"""The fields of block devices that are called otherwise than their files."""
_LISTED: Final = re.compile(
    r"(?:l[rwx-]{9}\S?\s.* -> )?\S*/"
    rf"(?:bus/ccw/(?:devices|drivers/[^/]+)|devices/css[0-9]/{BUSID})/(?P<busid>{BUSID})"
    rf"(?:/(?P<host>host[0-9]+))?(?:/rport-[^/]+/target[^/]+/(?P<address>{ADDRESS}))?"
    r"/(?:fc_host/host[0-9]+|block/(?P<block>(?:dasd|sd)[a-z]{1,4}))/?\s*"
)
"""What ls prints of a disk, or of the host of an adapter: its path, or where the link in /sys/block leads."""
_OF_SCSI: Final = re.compile(r"sys/(?:class/)?block/(?P<block>sd[a-z]{1,4})/device/(?P<name>[a-z_]+)")
_OF_CLASS: Final = re.compile(
    rf"sys/class/(?P<owner>{'|'.join(KINDS)})/(?P<key>[\w:-]+)/(?:device/)?(?P<name>[a-z_]+)"
)
_FOLDER: Final = re.compile(rf"/sys/bus/ccw/devices/({BUSID})/block/?:")
"""What ls prints above the block device of a DASD."""
_SLAVES: Final = re.compile(r"ls(?: -\w+)* /sys/(?:class/)?block/([\w!-]+)/slaves/?")
"""A command that lists what a device is made of."""
_SCSI_FIELDS: Final = {"hba_id": "busid", "wwpn": "wwpn", "fcp_lun": "lun"}
_ATTRIBUTE: Final = r"/(?P<path>sys(?:/[^/\s]+)*?/[a-z][\w.-]*):[ \t]*(?P<value>.*)"
_ROW: Final = r"/(?P<path>proc(?:/[\w.-]+)+):(?: (?=\S))?(?P<value>.*)"
MANY_FILES: Final = (
    r"(?:[efz]?grep|head|tail|more)\b.*\s/sys(?:[/ ].*|$)|cat(?: /sys/[^\s*?\[]+){2,}"
    r"|cat /sys/[^\s*?\[{]*(?:\[[a-z0-9-]+\]|\{[a-z0-9,]+\})[^\s*?\[{]*"
    r"|ls\b.*\s/sys/(?:bus/ccw/\S*/block(?:/\S*)?|(?:class/)?block(?:/\*|/[\w!-]+/slaves)?/?|class/fc_host\S*)(?:\s.*)?$"
    rf"|sys/(?:bus/ccw|devices/css[0-9]|block|class/(?:block|{'|'.join(KINDS)}))/.*"
    rf"|{OVER_FILES}"
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


def by_file(text: CollectedText) -> Iterator[tuple[CollectedText, bool]]:
    """Yield each file of /proc in an output, and whether lines of it may be left out; then the rest."""
    command, pipe, filters = text.command.partition("|")
    is_whole = _WHOLE.fullmatch(command.strip()) is not None and gaps_of(pipe + filters) is None
    lines, left = text.text.split("\n"), list[str]()
    files: list[tuple[str, int, list[str]]] = []
    block, with_paths = "", False
    for number, shown in enumerate(lines):
        heading, row = BLOCK.fullmatch(shown), re.fullmatch(_ROW, shown)
        is_heading = heading and (shown.startswith("==> ") or lines[number - 1].startswith("::::"))
        if heading and is_heading:
            block = heading["path"]
        elif row or (block and not shown.startswith("::::")):
            path, value = (row["path"], row["value"]) if row else (block, shown)
            if not files or files[-1][0] != path:
                files.append((path, number, []))
            files[-1][2].append(value)
            with_paths = with_paths or row is not None
        is_left = not row and not block.startswith("proc/")
        left.append(shown if is_left else "")
    for path, first, rows in files:
        if path.startswith("proc/"):
            content = "".join(f"{value}\n" for value in rows)
            file = text._replace(line=text.number(first), command="", file=path, text=content, form="")
            yield file, not is_whole and (with_paths or len(rows) >= _OF_HEAD)
    if any(row.strip(" :") for row in left):
        yield text._replace(text="\n".join(left)), False


class Files(Reading):
    """Attributes of channel devices, channel paths and block devices."""

    tells = ("device", "dasd", "layer", "adapter", "target_port", "lun", "channel")
    heading = r"==> /(?:proc|sys)/\S+ <==\s*$"
    first = r"/sys/(?:bus|block|class|devices)(?:/[^/\s]+)*?/[a-z][\w.-]*:[ \t]?\S"
    nothing = (
        r"[bcd-][rwxsStT-]{9}\S?\s.*|/sys/\S*:",
        r"(?:head|tail|cat|more|grep|ls): .*",
        r"total [0-9]+|l[rwx-]{9}\S?\s.* -> \S*/devices/\S+",
        r"(?:(?:dasd|sd|vd|dm-|loop|md|z?ram|sr|nvme)\w+\s*)+",
        r"Binary file .* matches",
        r":{4,}",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin outside any file, or with the one that was copied."""
        super().__init__(text, facts)
        self._path, self._headed = text.file, -1
        self._of_dasd = ""
        """The DASD whose block device is listed."""
        stacked = _SLAVES.fullmatch(text.command)
        self._stacked = stacked[1].replace("!", "/") if stacked else ""
        """The device of which the output lists what it is made of."""
        _, *operands = text.command.split() if text.command.startswith("cat ") else [""]
        operands = [path for operand in operands for path in expanded(operand)]
        self._files = operands if len(operands) == text.text.rstrip("\n").count("\n") + 1 else []
        """The files of cat that have a line each."""
        self._is_loop = re.fullmatch(OVER_FILES, text.command) is not None
        self._looped = files_by_line(text.command, text.text.split("\n")) if self._is_loop else {}
        """The files, with what they hold, that a loop printed in each line."""

    def take(self, number: int, row: str) -> bool | None:
        """Take a line; one of a block is that of its file, as one of cat is, or of a loop."""
        if (
            self._is_loop
            and not self._path
            and (number in self._looped or not re.match("/[^: ]+:|==> |cat: |$", row))
        ):
            self.number = number
            return self._take_looped()
        if self._files:
            self._path = self._files[number][1:]
        if row.startswith("::::") and number != self._headed + 1:
            self._path = ""
        elif folder := _FOLDER.fullmatch(row):
            self._of_dasd = folder[1]
            return True
        elif disk := _LISTED.fullmatch(row):
            self.number = number
            return self._take_disk(disk)
        elif attribute := re.fullmatch(_ATTRIBUTE, row):
            self.number = number
            return self._take_attribute(attribute["path"], attribute["value"])
        elif self._path and not row.startswith(("==> ", "::::")) and row.strip():
            self.number = number
            return self._take_attribute(self._path, row)
        return super().take(number, row)

    def _take_looped(self) -> bool | None:
        """Take what a loop printed of files in a line; None if it is of no known one."""
        if self.number not in self._looped:
            return None
        taken = [self._take_attribute(path[1:], content) for path, content in self._looped[self.number]]
        return None if None in taken else any(taken)

    @line(_ATTRIBUTE)
    def attribute(self, match: re.Match[str]) -> bool:
        """Take an attribute behind its path."""
        return self._take_attribute(match["path"], match["value"]) is not None

    @line(BLOCK.pattern)
    def block(self, match: re.Match[str]) -> None:
        """Take the heading of a block."""
        self._path, self._headed = match["path"], self.number

    @line(r"(?:[dl][rwx-]{9}\S?\s.*\s)?(dasd[a-z]{1,4})/?(?: -> .*)?")
    def listed(self, match: re.Match[str]) -> bool:
        """Take the block device of a DASD from its folder."""
        if self._of_dasd:
            take_disk(self.facts, self.place, self._of_dasd, match[1])
        return bool(self._of_dasd)

    def blank(self) -> None:
        """End a folder."""
        self._of_dasd = ""

    @line(r"(?:[a-z][\w!-]*\s*)+")
    def slaves(self, match: re.Match[str]) -> bool:
        """Take what a device is made of."""
        names = match[0].split()
        is_it = bool(self._stacked) and all(map(is_of_kernel, names))
        if is_it:
            key = self.facts.name_device(self._stacked, self.place)
            below = text_of(self.facts.value(LAYER, key, "below"))
            self.facts.rows[LAYER.name][key].pop("below", None)
            self.facts.say_below(key, self.place, " ".join([*below.split(), *names]))
            for name in names:
                self.facts.name_device(name, self.place)
        return is_it

    def _take_disk(self, disk: re.Match[str]) -> bool:
        """Take which device a disk is, and of a SCSI disk its address and host."""
        busid, host, address, name = disk["busid"], disk["host"], disk["address"], disk["block"]
        if host:
            self.facts.say(ADAPTER, busid, self.place, host=host)
        if not name:
            return bool(host)
        if name.startswith("dasd"):
            take_disk(self.facts, self.place, busid, name)
        elif address:
            name_disk(self.facts, address, name)
            say_scsi(self.facts, address, self.place, busid=busid)
            self.facts.say(LAYER, name, self.place, name=name, sort="disk")
        return True

    def _take_attribute(self, path: str, value: str) -> bool | None:
        """Take an attribute; return whether zmon reads it, None if it is not as the kernel writes it."""
        value = value.strip()
        for pattern, take in (
            (_CCW, self._of_ccw), (_OF_ZFCP, self._of_zfcp), (_OF_PATH, self._of_path)
        ):  # fmt: skip
            if match := pattern.fullmatch(path):
                return take(match, value)
        if owned := _OF_CLASS.fullmatch(path):
            return self._of_class(owned["owner"], owned["key"], owned["name"], value)
        if device := _OF_SCSI.fullmatch(path):
            return self._of_scsi(device["block"], device["name"], value)
        if (device := _BLOCK.fullmatch(path)) and is_of_kernel(device["block"]):
            return self._of_block(device["block"], device["name"], value)
        return False

    def _of_scsi(self, name: str, file: str, value: str) -> bool | None:
        """Take an attribute of a SCSI disk."""
        if file not in _SCSI_FIELDS:
            taken = self._of_class("scsi_device", name, file, value)
            if taken:
                self.facts.name_device(name, self.place)
            return taken
        self.facts.say(LAYER, name, self.place, name=name, sort="disk", **{_SCSI_FIELDS[file]: value})
        return True

    def _of_zfcp(self, match: re.Match[str], value: str) -> bool | None:
        """Take whether zfcp has given up a port or a LUN; `join_luns` finds the number of the port."""
        busid, wwpn, lun = match.groups()
        if value not in {"0", "1"}:
            return None
        is_lost = value == "1"
        if lun and is_lost:
            lose_lun(self.facts, address_of(busid, wwpn, lun), self.place, failed=1)
        elif lun:
            list_lun(self.facts, address_of(busid, wwpn, lun), self.place)
        else:
            key = f"{busid}/{wwpn}"
            self.facts.say(TARGET_PORT, key, self.place, adapter=busid, port_name=wwpn)
            self.facts.hint(TARGET_PORT, key, self.place, state=FAILED if is_lost else "")
        return True

    def _of_class(self, owner: str, key: str, name: str, value: str) -> bool | None:
        """Take an attribute of an adapter's host, a port or a LUN; `join_luns` says which adapter it is."""
        try:
            told = parse_attribute(owner, name, value)
        except ValueError:
            return None
        say_attributes(self.facts, KINDS[owner], key, self.place, told)
        return bool(told)

    def _of_ccw(self, device: re.Match[str], value: str) -> bool | None:
        busid, name = device["busid"], device["name"]
        if device["block"]:
            take_disk(self.facts, self.place, busid, device["block"])
            own = _BLOCK.fullmatch(device[0])
            return not own or self._of_block(own["block"], own["name"], value)
        if name not in _OF_CCW:
            return False
        try:
            parsed = _OF_CCW[name][1](value)
        except ValueError:
            return None
        self.facts.say(DEVICE, busid, self.place, **{name: parsed})
        return not isinstance(parsed, Absent)

    def _of_path(self, match: re.Match[str], value: str) -> bool | None:
        """Take an attribute of a channel path."""
        chpid, file = match.groups()
        if file not in _OF_PATHS:
            return False
        field, parse = _OF_PATHS[file]
        try:
            parsed = parse(value)
        except ValueError:
            return None
        self.facts.say(CHANNEL, chpid, self.place, **{field: parsed})
        return not isinstance(parsed, Absent)

    def _of_block(self, block: str, name: str, value: str) -> bool | None:
        key = self.facts.name_device(block, self.place)
        if name == "dev":
            if not (re.fullmatch(NUMBER, value) and fits(block, value)):
                return None
            self.facts.say(LAYER, value, self.place, name=block)
        elif name == "device/uid":
            self.facts.hint(LAYER, key, self.place, wwid=value)
        elif name in _FIELDS:
            self.facts.say(LAYER, key, self.place, **{_FIELDS[name]: value})
        elif value.isdecimal() and (name == "size" or sort_of(block, is_below=False) == "partition"):
            self.facts.say(LAYER, key, self.place, **{name: int(value)})
        else:
            return None
        return True
