"""The device mapper and multipath in texts: dmsetup table, ls, ls --tree, deps, info; multipath -ll.

    vg-lv: 0 409600 striped 2 128 94:5 384 94:9 384            dmsetup table
    vg-lv (253:0), vg-lv (253, 0)                              dmsetup ls, of two ages
     └─ (94:5)                                                 dmsetup ls --tree; three cells a level
    vg-lv: 2 dependencies : (94, 5) (94, 9)                    dmsetup deps; with -o devname names in brackets
    mpatha (3600507...) dm-4 IBM,2107900                       multipath -ll, and below it
    | |- 0:0:10:2 sdab 65:176 active ready running             a line for each path
    mpatha 3600507...                                          /etc/multipath/bindings

Sources: lvm2, libdm/dm-tools/dmsetup.c; multipath-tools, libmultipath/print.c, alias.c, wwids.c.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from zmon.collected.columns import Columns
from zmon.collected.facts import ASSUMED, NAMED_STAND_IN, OF_MULTIPATH, mapped_name, values_of
from zmon.collected.fcp_texts import ADDRESS, say_port, say_scsi, scsi
from zmon.collected.mapper_legs import legs_in
from zmon.collected.numbers import NUMBER, fits
from zmon.collected.reading import CUT, OrDocument, Reading, line, objects
from zmon.kernel.block_ioctl import devices_in
from zmon.kernel.disk_identity import NAA
from zmon.kernel.multipathd import parse_maps
from zmon.kernel.path_status import parse_path_status
from zmon.kinds import LAYER, LUN, MPATH, MULTIPATH, NO_PATH, PATH
from zmon.topology.stack import REMOVED
from zmon.values.fcp_state import FAILED

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_ARGUMENTS: Final = {
    "linear": re.compile(rf" {NUMBER} [0-9]{{1,18}}"),
    **dict.fromkeys(("snapshot", "snapshot-merge"), re.compile(rf" {NUMBER} {NUMBER} [PN]O? [0-9]+.*")),
    "snapshot-origin": re.compile(rf" {NUMBER} *"),
    "thin": re.compile(rf" {NUMBER} [0-9]+.*"),
    "thin-pool": re.compile(rf" {NUMBER} {NUMBER} [0-9]+ [0-9]+.*"),
    "cache": re.compile(rf" {NUMBER} {NUMBER} {NUMBER} [0-9]+.*"),
    "crypt": re.compile(rf" \S+ \S+ [0-9]+ {NUMBER} [0-9]+.*"),
    **dict.fromkeys(("raid", "mirror"), re.compile(" .*")),
    "striped": re.compile(rf" [0-9]{{1,4}} [0-9]{{1,10}}(?: {NUMBER} [0-9]{{1,18}}){{1,4096}}"),
    "multipath": re.compile(
        r" .*(?:service-time|queue-length|round-robin|historical-service-time|io-affinity) 0 .*"
    ),
}
_OF_TABLE: Final = re.compile(rf"(?m): [0-9]{{1,18}} [0-9]{{1,18}} linear{_ARGUMENTS['linear'].pattern}$")
"""What a table has, and `dmsetup status` never: where a linear device lies."""
_OF_STATUS: Final = (
    r"(?m): [0-9]{1,18} [0-9]{1,18} (?:(?:linear|snapshot-origin) ?$"
    r"|snapshot (?:[0-9]+/|Invalid|Overflow)|thin-pool (?:[0-9]+ [0-9]+/|Fail)|thin [0-9]+ (?:[0-9]+|-)$)"
)
"""What the status of devices has, and their tables never."""
_BROKEN: Final = re.compile(
    r"snapshot(?:-merge)? (Invalid|Overflow|Merge failed)|(?:thin(?:-pool)?|cache) (Fail|Error)"
    r"|thin-pool .*(out_of_data_space|needs_check).*|raid \S+ [0-9]+ [AaD-]*(D)[AaD-]* .*"
)
"""What it says of a device whose data are lost, or that takes no more.

Source: Linux, Documentation/admin-guide/device-mapper; drivers/md/dm-snap.c, dm-thin.c, dm-raid.c.
"""
_TARGETS: Final = frozenset({
    "cache", "clone", "crypt", "default-key", "delay", "dust", "ebs", "era", "error", "flakey", "inlinecrypt",
    "integrity", "log-writes", "mirror", "raid", "snapshot", "snapshot-merge", "snapshot-origin", "switch",
    "thin", "thin-pool", "unstriped", "vdo", "verity", "writecache", "zero", "zoned",
})  # fmt: skip
"""Further targets of the device mapper.  Source: Linux, Documentation/admin-guide/device-mapper."""
_TITLE: Final = r"([#+.:=@\w\\-]{1,128})"
"""A name in /dev/mapper: other characters are escaped there, `\\x20`."""
_DRAWN: Final = r"(?:[│|] |  |├─|└─|\|-|`-)"
"""How a tree is drawn, behind a blank for each level."""
_KERNEL: Final = re.compile("dm-[0-9]{1,8}")
_VALUED: Final = frozenset({"-o", "--options", "-S", "--select", "-O", "--sort", "--separator", "--target"})
"""Options of dmsetup with a word behind them."""
_STATUS: Final = r"[Ls-][IA-Za-z-][rws-][RWrw-]?"


class TreeNode(NamedTuple):
    """A device of a drawn tree."""

    number: str
    title: str
    """Empty if it is none of the device mapper."""
    is_last: bool = False
    """Whether it is drawn as the last below its parent."""


class Dmsetup(Reading):
    """Tables, numbers, uuids and trees of devices of the device mapper."""

    tool = "dmsetup"
    heading = r"Name +Maj +Min +(?:Stat|UUID)\b|Name +BlkDevName "
    first = (
        r"\S+: [0-9]+ [0-9]+ (?:linear|striped|multipath|crypt|mirror|raid|thin|snapshot|cache)\S*(?: |$)"
        r"|(?:[#+.:=@\w\\-]{1,128})?(?: <[a-z0-9-]{1,16}>)?[ \t]+\([0-9]{1,4}(?::|, ?)[0-9]{1,8}\)"
        r"(?: \[[A-Z, 0-9]+\])?\s*$"
        r"|\S{1,128}: [0-9]{1,4} dependencies\s*:|Name: +\S+$"
    )
    called: ClassVar[Mapping[str, str]] = {"dmsetup status": _OF_STATUS}
    longest = 1 << 20  # a table of thousands of legs
    nothing = (
        r"Name\s+Maj\s+Min\s+Stat\b.*",
        r"(?:State|Read Ahead|Tables present|Open count|Event number|Number of targets)\s*:.*",
        r"No devices found",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with nothing; what `status` prints looks like a table."""
        super().__init__(text, facts)
        of_form = (
            "status" if re.search(_OF_STATUS, text.text) else "table" if _OF_TABLE.search(text.text) else ""
        )
        self._asked = next(iter(text.command.split()[1:2]), of_form)
        self._tables: dict[str, list[str]] = {}
        self._ends: dict[str, int] = {}
        self._places: dict[str, str] = {}
        self._sized: dict[str, str] = {}
        """The devices whose status is told, each with the text."""
        self._holes: set[str] = set()
        self._name = self._number = ""
        self._last = ""
        """The device of the line before, if that was of a table."""
        self._is_lost = False
        self._is_inverse = "inverted" in text.command
        self._is_by_target = "--target" in text.command
        """Whether lines of a table with other targets are left out; most targets make one alone."""
        self._open: list[TreeNode] = []
        self._hung: dict[str, tuple[str, dict[str, None]]] = {}
        """What devices are built on in a tree, with the text."""
        self._hidden: list[TreeNode] = []
        """Devices that may be built on others whose lines are missing."""

    def blank(self) -> None:
        """End what `dmsetup info` prints of a device."""
        self._name = self._number = ""

    def lost(self) -> None:
        """Know that the table before, and that of the next line, may have a further line; so may a tree."""
        self.blank()
        if self._tables.get(self._last, [""])[-1].split(" ")[2:3] in (["linear"], ["striped"]):
            self._holes.add(self._last)  # others have one line
        self._is_lost = True
        for node, child in zip_longest(self._open, self._open[1:]):
            if not child.is_last if child else node.title:
                self._hidden.append(node)
        self._open = []

    def gap(self) -> None:
        """Know that lines may be left out, but none of a table whose title is searched for."""
        if not self.is_searched(self._last):
            self.lost()

    @line(rf"{_TITLE}: ([0-9]{{1,18}}) ([0-9]{{1,18}}) ([a-z][a-z0-9-]{{0,30}})((?: .*)?)")
    def segment(self, match: re.Match[str]) -> bool:
        """Take a line of a table, each of which begins where the one before ended."""
        return self._take_segment(*match.groups())

    @line(r"([0-9]{1,18}) ([0-9]{1,18}) ([a-z][a-z0-9-]{0,30})((?: .*)?)")
    def segment_of_one(self, match: re.Match[str]) -> bool:
        """Take a line of the table of the one device that the command names."""
        title = self._title_asked()
        return bool(title) and self._take_segment(title, *match.groups())

    def _title_asked(self) -> str:
        """Return the name of the only device that the command asks for; of `/dev/dm-0` that of the kernel."""
        asked = self.text.command.partition("|")[0].split()[1:]
        operands = [word for option, word in pairwise(asked) if word[0] != "-" and option not in _VALUED]
        name = operands[0].removeprefix("/dev/").removeprefix("mapper/") if len(operands) == 1 else ""
        title = mapped_name(name) or name
        return title if re.fullmatch(_TITLE, title) else ""

    def _take_segment(self, title: str, start: str, length: str, target: str, arguments: str) -> bool:
        if self._asked == "status" and target == "multipath":
            return self._take_states(title, f"{start} {length} {target}{arguments}")
        if self._asked == "status":
            return self._take_status(title, int(start), int(length), f"{target}{arguments}")
        form = _ARGUMENTS.get(target)
        if not _has_all(target, arguments.split()):
            return False
        if form.fullmatch(arguments) is None if form else target not in _TARGETS or self._asked != "table":
            return False
        is_lost = self._is_lost and not self.is_searched(title)
        if is_lost and title != self._last and target in {"linear", "striped"}:
            self._holes.add(title)
        self._last, self._is_lost = title, False
        if self._is_by_target and target in {"linear", "striped"}:
            self._holes.add(title)
        if int(start) != self._ends.get(title, 0):
            same = f"{start} {length} {target}{arguments}" in self._tables.get(title, ())
            self._holes |= set() if same else {title}
            return same
        self._tables.setdefault(title, []).append(f"{start} {length} {target}{arguments}")
        self._ends[title] = int(start) + int(length)
        self._places.setdefault(title, f"dmsetup table, {self.text.place(self.number)}")
        return True

    def _take_status(self, title: str, start: int, length: int, status: str) -> bool:
        """Take that a device is there, how large it is, and whether its data are lost."""
        is_next = start == self._ends.get(title, 0)
        self._ends[title] = start + length if is_next else -1
        self._sized[title] = self.place
        if broken := _BROKEN.fullmatch(status):
            state = "a device failed" if broken[4] else next(filter(None, broken.groups()))
            self.facts.failed[title, f"{status.partition(' ')[0]} {title}: {state}"] = self.place
        return True

    def _take_states(self, title: str, status: str) -> bool:
        """Take what the device mapper says of the paths of a map."""
        try:
            paths = parse_path_status(status)
        except ValueError:
            return False
        for path in paths:
            told: dict[str, Value] = {
                "state": "active" if path.active else FAILED, "group": path.group,
                "group_state": path.group_state, "failures": path.failures,
                "in_flight": "" if path.in_flight is None else path.in_flight,
            }  # fmt: skip
            self.facts.path_states.setdefault(path.number, (told, self.place))
        below = " ".join(path.number for path in paths)
        self.facts.say(LAYER, title, self.place, mapped=title, sort="dm", uuid=MPATH, below=below)
        return True

    @line(rf"{_TITLE}\s+\(([0-9]{{1,4}})(?::|, ?)([0-9]{{1,8}})\)\s*")
    def listed(self, match: re.Match[str]) -> None:
        """Take a line of `dmsetup ls`, or a device of the tree on which no other is built."""
        number = f"{match[2]}:{match[3]}"
        self._take(match[1], number)
        self._close(0)
        self._open = [TreeNode(number, match[1])]

    @line(rf"((?: {_DRAWN})*){_TITLE}?(?: <(\S+)>)? \(([0-9]{{1,4}}):([0-9]{{1,8}})\)(?: \[.*\])?\s*")
    def branch(self, match: re.Match[str]) -> bool:
        """Take a device of a tree: one without a name is none of the device mapper."""
        drawn, title, name, major, minor = match.groups()
        level, number, is_last = len(drawn) // 3, f"{major}:{minor}", drawn[-2:] in {"└─", "`-"}
        sibling = self._open[level] if level < len(self._open) else None
        is_hung = level <= len(self._open) and not (level and sibling and sibling.is_last)
        if not is_hung or (name and not fits(name, number)) or (drawn and drawn[-1] not in "─-"):
            return False
        if title:
            self._take(title, number)
        self._is_inverse |= not level and not title  # others are built on what hangs nowhere
        self._close(level)
        if level:
            feet = self._open[level - 1].number, number
            holder, foot = reversed(feet) if self._is_inverse else feet
            self._hung.setdefault(holder, (self.place, {}))[1][foot] = None
        self._open = [*self._open[:level], TreeNode(number, title or "", is_last)]
        return True

    def _close(self, level: int) -> None:
        """End what is deeper than a level; what is not drawn as the last below a device has a sibling."""
        for node, child in pairwise(self._open[level:]):
            if not child.is_last:
                self._hidden.append(node)

    @line(rf"(?:{_TITLE}: )?([0-9]{{1,4}}) dependencies\s*:((?: \([^()]{{1,128}}\))*)\s*")
    def dependencies(self, match: re.Match[str]) -> bool:
        """Take a line of `dmsetup deps`: numbers, or names with -o; the command may name the device."""
        count, listed = int(match[2]), re.findall(r"\(([^()]+)\)", match[3])
        title = match[1] or self._title_asked()
        if not title:
            return False
        numbers = (re.fullmatch("([0-9]{1,4}), ?([0-9]{1,8})", word) for word in listed)
        below = [f"{number[1]}:{number[2]}" if number else word
                 for word, number in zip(listed, numbers, strict=True)]  # fmt: skip
        for name in below:
            self.facts.name_dasd(name, self.place)
        if len(below) < count:
            below.append(f"?{title}.below")
            self.facts.leave_open(below[-1], f"a device below {title}")
        self.facts.say(LAYER, title, self.place, sort="dm", below=" ".join(below), **_names(title))
        return True

    @line(rf"{_TITLE}\s+\(([^\s():,]{{1,128}})\)\s*")
    def listed_by_name(self, match: re.Match[str]) -> None:
        """Take a line of `dmsetup ls -o blkdevname`; with -o devname it says the name twice."""
        if _KERNEL.fullmatch(match[2]):
            self.facts.say(LAYER, match[2], self.place, mapped=match[1], sort="dm", name=match[2])

    @line(rf"Name:\s+{_TITLE}\s*")
    def name(self, match: re.Match[str]) -> None:
        """Take the first line about a device of `dmsetup info`."""
        self._name, self._number = match[1], ""

    @line(r"Major, minor:\s+([0-9]{1,4}), ([0-9]{1,8})\s*")
    def numbered(self, match: re.Match[str]) -> bool:
        """Take the number of the device that was named."""
        if self._name:
            self._number = f"{match[1]}:{match[2]}"
            self._take(self._name, self._number)
        return bool(self._name)

    @line(r"UUID: (\S{1,200})\s*")
    def uuid(self, match: re.Match[str]) -> bool:
        """Take the uuid of the device that was named."""
        is_whole = bool(self._number) and not _CUT.fullmatch(match[1])
        if is_whole:
            self.facts.say(LAYER, self._number, self.place, uuid=match[1])
        return is_whole

    @line(
        rf"{_TITLE}\s+([0-9]{{1,4}})\s+([0-9]{{1,8}})\s+{_STATUS}(?:\s+[0-9]{{1,8}}){{3}}"
        r"(?:\s+((?:LVM|mpath|CRYPT|part[0-9]{1,3}-mpath|\S{1,20})-\S{1,200}))?\s*"
    )
    def columns(self, match: re.Match[str]) -> bool:
        """Take a line of `dmsetup info -c`."""
        if _CUT.fullmatch(match[4] or ""):
            return False
        self._take(match[1], f"{match[2]}:{match[3]}")
        self.facts.say(LAYER, f"{match[2]}:{match[3]}", self.place, uuid=match[4] or "")
        return True

    @line(rf"{_TITLE}:([0-9]{{1,4}}):([0-9]{{1,8}}):{_STATUS}(?::[0-9]{{1,8}}){{3}}:(\S{{0,200}})\s*")
    def joined_columns(self, match: re.Match[str]) -> bool | None:
        """Take a line of `dmsetup info -c --noheadings`."""
        return bool(self.columns(match))

    @line(r"Name(?:\s+[A-Z][A-Za-z]{1,30})+\s*")
    def head(self, match: re.Match[str]) -> None:
        """Take a heading of `dmsetup info -c -o`."""
        self._columns = Columns(match[0])

    @line(rf"{_TITLE}(?:\s+\S+)+\s*")
    def chosen_columns(self, match: re.Match[str]) -> bool:
        """Take a row below such a heading, whose cells have no blanks."""
        cells = self._columns.cells(match[0])
        major, minor, kernel = (cells.get(name, "") for name in ("Maj", "Min", "BlkDevName"))
        number = f"{major}:{minor}" if re.fullmatch("[0-9]+:[0-9]+", f"{major}:{minor}") else ""
        if not (number or _KERNEL.fullmatch(kernel)) or any(" " in cell for cell in cells.values()):
            return False
        if number and kernel and not fits(kernel, number):
            return False
        below = cells.get("DevNosUsed", "").replace(",", " ")
        is_cut = not re.fullmatch("(?:[0-9]+:[0-9]+ ?)*", below) or _CUT.fullmatch(cells.get("UUID", ""))
        if is_cut or any(name in self._columns and not cells.get(name) for name in _FILLED):
            return False
        self.facts.say(
            LAYER, number or kernel, self.place, mapped=match[1], sort="dm", name=kernel or f"dm-{minor}",
            uuid=cells.get("UUID", ""), below=below,
        )  # fmt: skip
        return True

    def _take(self, title: str, number: str) -> None:
        minor, uuid = number.partition(":")[2], MPATH * bool(OF_MULTIPATH.fullmatch(title))
        self.facts.say(LAYER, number, self.place, mapped=title, sort="dm", name=f"dm-{minor}", uuid=uuid)

    def end(self) -> None:
        """Say what tables and trees say; a table with a hole tells devices, and not all of them."""
        self._close(0)
        for node in self._hidden if self._hung and not self._is_inverse else ():
            word = f"?{node.title}.below"
            self.facts.leave_open(word, f"a device below {node.title}")
            self._hung.setdefault(node.number, (self.place, {}))[1][word] = None
        for number, (place, feet) in self._hung.items():
            self.facts.say(LAYER, number, place, below=" ".join(feet))
        for title, place in self._sized.items():
            size = 0 if self.is_part else max(self._ends[title], 0)
            self.facts.say(LAYER, title, place, sort="dm", size=size or "", **_names(title))
        for title, lines in self._tables.items():
            table = "\n".join(lines)
            below = " ".join(devices_in(table))
            if title in self._holes:
                lost = f"?{title}"
                self.facts.leave_open(lost, f"a device below {title}")
                below, table = f"{below} {lost}", ""
            size = 0 if title in self._holes else self._ends[title]
            place = self._places[title]
            uuid = MPATH * (lines[0].split(" ")[2] == "multipath")
            self.facts.say(
                LAYER, title, place, sort="dm", table=table, size=size or "", uuid=uuid, **_names(title)
            )
            self.facts.say_below(title, place, below)
        legs = {} if self.is_part else legs_in(self._tables)
        for number, title in legs.items():
            minor = number.partition(":")[2]
            place = f"{ASSUMED} by its name of LVM"
            self.facts.say(LAYER, number, place, mapped=title, sort="dm", name=f"dm-{minor}")


_CUT: Final = re.compile("L|LV|LVM|LVM-[A-Za-z0-9]{0,63}")
"""The beginning of the uuid of a logical volume, which has two times 32 characters."""
_FILLED: Final = ("Maj", "Min", "Stat", "Open", "Targ", "Event", "BlkDevName")
"""Columns of `dmsetup info -c` that are empty in no row."""


def _names(title: str) -> dict[str, Value]:
    """Return the name of a device as a field: that of the kernel, or in /dev/mapper."""
    return {"name" if _KERNEL.fullmatch(title) else "mapped": title}


def _has_all(target: str, arguments: Sequence[str]) -> bool:
    """Return whether a line of a table has as many devices as it says.

    Source: Linux, Documentation/admin-guide/device-mapper; drivers/md/dm-raid1.c, dm-mpath.c.
    """
    arguments = [*arguments, *[""] * 4]
    try:
        match target:
            case "striped":
                return all(arguments[1 + 2 * nth] for nth in range(1, int(arguments[0]) + 1))
            case "raid" | "mirror":
                devices = arguments[2 + int(arguments[1]) :]
                return all(devices[1 : 1 + 2 * int(devices[0])]) and len(devices) > 2 * int(devices[0])
            case "multipath":
                return _has_all_paths(arguments)
            case _:
                return True
    except (ValueError, IndexError):
        return False


def _has_all_paths(arguments: Sequence[str]) -> bool:
    """Return whether the groups of a table of multipath have all their paths."""
    at = 0
    for _what in ("features", "handler"):
        at += 1 + int(arguments[at])
    groups, at = int(arguments[at]), at + 2
    for _group in range(groups):
        at += 2 + int(arguments[at + 1])
        paths, beside = int(arguments[at]), int(arguments[at + 1])
        at += 2
        for _path in range(paths):
            if not re.fullmatch(NUMBER, arguments[at]):
                return False
            at += 1 + beside
    return len(arguments) - 4 >= at


_OF_PATH: Final = "uuid|hcil|dev|dev_t|pri|dm_st|chk_st|dev_st|vend/prod/rev|next_check|size|serial|host \\S+"
"""Headings of `multipathd show paths`."""
_OF_ROW: Final = ("hcil", "dev", "dev_t", "dm_st", "chk_st", "dev_st")
"""What stands in a row of a path, in its order."""
_IN_JSON: Final = {"state": "dm_st", "checker": "chk_st", "device": "dev_st"}
"""The states of a path, by what JSON calls them."""
_COUNTS: Final = {"faults": "path_faults", "switches": "switch_grp", "loads": "map_loads",
                  "queue_seconds": "total_q_time", "queue_timeouts": "q_timeouts"}  # fmt: skip
"""What is counted of a map, by the headings of its columns."""
_STATE: Final = re.compile(r"i/o pending|i/o timeout|[^\s\[\]]+")
_STATES: Final = (
    frozenset({"active", "failed", "undef"}),
    frozenset({
        "ready", "faulty", "shaky", "ghost", "i/o pending", "i/o timeout", "removed", "delayed", "undef",
        "down", "up", "wild", "unchecked",
    }),
    frozenset({
        "running", "offline", "blocked", "created", "transport-offline", "created-blocked", "quiesce",
        "cancel", "deleted", "unknown", "undef", "removed",
    }),
)  # fmt: skip
"""The states of a path: to the device mapper, by its checker, and to the SCSI layer, which old versions lack.

Source: multipath-tools, libmultipath/print.c, structs.h, checkers.c; Linux, drivers/scsi/scsi_sysfs.c.
"""
MAX_VIA: Final = 32
"""Characters of the command that are kept of what a map was told by."""
QUEUES: Final = "queue_if_no_path"
"""The feature of a map that keeps I/O when no path is left."""


class Multipath(OrDocument):
    """Maps, groups and paths of `multipath -ll` or `multipathd show topology`, also as JSON."""

    tool = "multipath"
    tells = ("layer", "multipath", "path")
    first = (
        r"(?:[a-z]{0,8}: )?(?:\S{1,128} \()?[0-9A-Za-z_.:-]{8,128}\)? (?:dm-[0-9]{1,5}|undef)"
        r" [^,\n]{1,16},"
        r'|\{\s*"major_version"\s*:'
        rf"|[ |`]*(?:[|`]-|\\_) {ADDRESS}\s+sd[a-z]{{1,4}}\s+{NUMBER}\s+\[?(?:active|failed|undef)\b"
    )
    subject = (
        r"(?:([a-z]{0,8}): )?(?:(\S{1,128}) \()?([0-9A-Za-z_.:-]{8,128}?)\)? (dm-[0-9]{1,5}|undef)"
        r" ([^,\n]{1,16}),(\S.{0,30}?)\s*"
    )
    called: ClassVar[Mapping[str, str]] = {
        "multipathd show maps json": r'^\{|"path_groups" ?:', "multipathd show paths": r"^hcil\s",
        "multipathd show maps": r"^name\s+sysfs\s",
    }  # fmt: skip
    nothing = (
        r"(?:/etc/multipath\S*|DM multipath kernel driver not loaded).*",
        r"ok",
        r"(?:[A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8}|[0-9]{1,9}\.[0-9]{6}) \| \S.*|=====.*=====",  # messages
        r"name\s+sysfs\s+uuid\b.*",
    )  # fmt: skip

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of multipath; what a format was asked for looks like any."""
        patterns = (pattern for pattern, name in cls._lines if name != "path_of_format")
        return any(pattern.fullmatch(row) for pattern in patterns)

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a map."""
        super().__init__(text, facts)
        asked = re.sub(r"-k ?|['\"]", "", self.printed_by)
        self._via = asked[:MAX_VIA] if asked.startswith("multipath") else "multipath -ll"
        self._device = self._title = ""
        self._sized = False
        self._group = 0
        self._lacks_group = self._lacks_path = False
        """Whether by what was drawn last another group of the map, or another path of the group, follows."""
        self._row: dict[str, Value] = {}
        self._priority = "undef"
        self._numbers: dict[str, dict[str, None]] = {}
        self._luns: dict[str, str] = {}
        """The LUN of the first path of each map."""
        self._titles: dict[str, str] = {}
        """The maps whose second line was read, which all have; by their devices."""
        self._places: dict[str, str] = {}
        self._is_dry = re.match(r"multipath\s(?:.*\s)?-[a-zA-Z]*d", text.command) is not None
        self._planned: dict[str, str] = {}
        """The WWIDs of maps that are not made, as multipath was only asked for what it would make."""

    def lost(self) -> None:
        """Know no map: the line may have named another, or have been one of its paths."""
        if self._device:
            self._hide(self._device)
        self._device = ""

    def gap(self) -> None:
        """Know that the map may have further paths, and no group: lines of one LUN are those of one map."""
        if self._device:
            self._hide(self._device)
        self._row, self._priority = {}, "undef"

    def blank(self) -> None:
        """Know no map; one that was cut may have more paths."""
        if self._device and (self._lacks_group or self._lacks_path):
            self._hide(self._device)
        self._device, self._lacks_group, self._lacks_path = "", False, False

    @line(subject)
    def map(self, match: re.Match[str]) -> None:
        """Take the first line of a map; without a device it may not be set up, or be only planned."""
        action, alias, wwid, device, vendor, model = match.groups()
        title = alias or wwid
        self.blank()
        self._lacks_path = bool(_known(vendor))  # one without a path has signs in its place
        is_planned = device == "undef" and (self._is_dry or action in _NOT_DONE)
        device = f"map-{title}" if device == "undef" else device
        self._device, self._title, self._sized, self._group, self._row = device, title, False, 0, {}
        if is_planned:
            self._planned[device] = wwid
            if alias:
                self.facts.bindings.setdefault(alias, (wwid, self.place))
            return
        self._places.setdefault(device, self.place)
        if device.startswith("dm-"):
            self.facts.say(MULTIPATH, device, self.place, title=title, wwid=wwid, via=self._via)
        name = device if device.startswith("dm-") else ""
        self.facts.say(
            LAYER, device, self.place, name=name, sort="dm", mapped=title, uuid=f"{MPATH}{wwid}",
            vendor=_known(vendor), model=_known(model),
        )  # fmt: skip

    @line(r"(?:size=\S{1,20} |\[size=[^\]]{1,20}\]\[)features=['\"]?([^'\"\]]{0,200})(['\"\]]?.*)")
    def features(self, match: re.Match[str]) -> bool:
        """Take the second line of a map; if it comes again the first line of another map is missing."""
        if self._sized or not self._device:
            self._device = ""
            return False
        self._sized = True
        if self._device.startswith("dm-"):
            self._titles[self._device] = self._title
            queueing = "on" if QUEUES in match[1].split() else "off" if match[2] else ""
            self.facts.say(MULTIPATH, self._device, self.place, queueing=queueing)
        return True

    @line(
        r"(?=.*\bwp=)(?:[a-z0-9_ ]{0,80}'\s*)?(?:hwhandler='[^']{0,40}'\s*)?wp=(?:rw|ro|undef)\s*",
        r"[a-z0-9_ ]{1,80}' hwhandler='[^']{0,40}\s*",
    )
    def rest(self, _match: re.Match[str]) -> bool:
        """Take the rest of the second line of a map, which a terminal has folded at a blank."""
        return self._sized and not self._group

    @line(
        r"[ |`]*[-+]+- policy='([a-z-]+) ?[^']*' prio=(-?[0-9]{1,6}|undef)"
        r" status=(active|enabled|disabled|undef)\s*",
        r"\\_ ([a-z-]+) [^\[]*\[prio=(-?[0-9]{1,6})\]\[(active|enabled|disabled|undef)\]\s*",
    )
    def group(self, match: re.Match[str]) -> bool:
        """Take a group of paths."""
        self._group += 1
        self._lacks_group, self._lacks_path = match[0].lstrip().startswith("|"), True
        selector, priority, state = match.groups()
        self._row, self._priority = {"selector": selector, "group": self._group}, priority
        if state != "undef":
            self._row["group_state"] = state
        return bool(self._device)

    @line(
        rf"[ |`]*(?:[|`]-|\\_) ({ADDRESS}|#:#:#:#)\s+([a-z][a-z0-9]{{1,31}}|-)\s+"
        rf"({NUMBER}|[#-]:[#-])\s+(\S.*)"
    )
    def path(self, match: re.Match[str]) -> bool:
        """Take a path: its address, name and number, which one without its disk lacks, and its states."""
        device = self._device
        name, number = match[2], match[3]
        self._lacks_path = match[0].partition(match[1])[0].rstrip().endswith("|-")
        states = _STATE.findall(match[4])[:3]
        if len(states) < 2 or any(map(_is_cut, states, _STATES)):
            return False
        lun = match[1].rpartition(":")[2]
        if device and self.is_filtered and self._luns.setdefault(device, lun) != lun:
            self.lost()
        if not self._device:  # a filter left out the line of its map, or that is not understood
            cells = match[1], name, number, *states, ""
            return self._take_listed(dict(zip(_OF_ROW, cells, strict=False)))
        if name != "-" and number[0].isdigit() and not fits(name, number):
            return False
        paths = self._numbers.setdefault(device, {})
        paths[self._take(match, paths)] = None
        return True

    @line(
        rf"({ADDRESS})\s+(sd[a-z]{{1,4}})\s+({NUMBER})\s+-?[0-9]+"
        r"\s+(active|failed|undef)\s+(i/o \w+|\S+)(?:\s+([a-z][a-z-]*))?(?:\s.*)?"
    )
    def path_of_daemon(self, match: re.Match[str]) -> bool:
        """Take a path that `multipathd show paths` lists, without its map."""
        return self._take_listed(dict(zip(_OF_ROW, match.groups(""), strict=True)))

    @line(r"(\S{1,128})\s+(dm-[0-9]{1,5})\s+([0-9A-Za-z_.:-]{8,128})\s*")
    def map_of_daemon(self, match: re.Match[str]) -> None:
        """Take a map that `multipathd show maps` lists, without its paths."""
        title, device, wwid = match.groups()
        self.facts.say(MULTIPATH, device, self.place, title=title, wwid=wwid, via=self._via)
        self.facts.say(LAYER, device, self.place, name=device, sort="dm", mapped=title, uuid=f"{MPATH}{wwid}")

    @line(r"name\s+(?:path_faults|failback)\s.*")
    def counted(self, match: re.Match[str]) -> None:
        """Take the heading of `multipathd show maps stats` or `status`."""
        self._columns = Columns(match[0])

    @line(r"(?!map\b)\S{1,128}(?:\s+[\w-]+){5}\s*")
    def counts(self, match: re.Match[str]) -> bool:
        """Take a map of those: what it counts, and whether it queues."""
        cells = self._columns.cells(match[0])
        told: dict[str, Value] = {field: int(cells[key]) for field, key in _COUNTS.items()
                                  if cells.get(key, "").isdecimal()}  # fmt: skip
        if "queueing" in cells:
            told |= {"queueing": "off" if cells["queueing"] == "-" else "on"}
        title = cells.get("name", "")
        states, place = self.facts.path_states.get(title, ({}, self.place))
        self.facts.path_states[title] = {**states, **told}, place
        return bool(told)

    @line(rf"(?=.*\bdev\b)(?:{_OF_PATH})(?:\s+(?:{_OF_PATH}))+\s*")
    def head(self, match: re.Match[str]) -> None:
        """Take the heading of `multipathd show paths format`."""
        self._columns = Columns(re.sub(r"\bhost (?=\S)", "host_", match[0]))

    @line(r"\S+(?:\s+\S+)+\s*")
    def path_of_format(self, match: re.Match[str]) -> bool:
        """Take a path below such a heading: which disk it is, and with `%w` of which WWID."""
        printed, names = match[0].split(), [*self._columns]
        cells = self._columns.cells(match[0])
        if len(printed) == len(names):  # columns may be wider than their headings
            cells = dict(zip(names, printed, strict=True))
        return self._take_listed(cells)

    def _take_listed(self, cells: Mapping[str, str]) -> bool:
        """Take a path of a list without maps: its names, and its states if it is in any."""
        name, wwid, address, number = (cells.get(column, "") for column in ("dev", "uuid", "hcil", "dev_t"))
        if not re.fullmatch("sd[a-z]{1,4}", name) or not (wwid or address or number):
            return False
        if number and not fits(name, number):
            return False
        say_port(self.facts, cells.get("host_adapter", ""), self.place, cells.get("host_WWPN", ""))
        joined = cells.get("dm_st") in {"active", FAILED}
        if re.fullmatch(ADDRESS, address):
            self.facts.aliases[scsi(address)] = name
            say_scsi(self.facts, address, self.place)
            if cells.get("dm_st") == FAILED:
                self.facts.hint(LUN, address, self.place, name=name, state=FAILED)
        if wwid and joined:
            self.facts.joined.setdefault(wwid, self.place)
        if joined:
            states = {field: cells.get(key, "") for field, key in _IN_JSON.items()}
            states = {field: state for field, state in states.items() if state != "undef"}
            via = " ".join(self._via.split()[:3])
            self.facts.path_states.setdefault(name, ({**states, "via": via}, self.place))
        self.facts.say(LAYER, number or name, self.place, name=name, sort="disk", wwid=_naa(wwid))
        return True

    def document(self, document: dict[str, Any]) -> bool:
        """Take the maps of `multipathd show maps json` or `show map NAME json`."""
        maps = objects(document.get("maps", [document.get("map")]))
        taken = [self._take_map(entry) for entry in maps if CUT not in entry]
        return (bool(taken) or document.get("maps") == []) and all(taken)

    def _take_map(self, entry: dict[str, Any]) -> bool:
        title, wwid, device = (entry.get(key) for key in ("name", "uuid", "sysfs"))
        if not isinstance(title, str) or not isinstance(wwid, str) or not isinstance(device, str):
            return False
        say, place, numbers = self.facts.say, self.place, list[str]()
        report = parse_maps(json.dumps({"maps": [entry]}))
        told = {path.number: path.values for path in report.paths}
        for nth, group in enumerate(objects(entry.get("path_groups")), 1):
            for path in objects(group.get("paths")):
                name, number = path.get("dev", ""), path.get("dev_t", "")
                if number not in told or not fits(str(name), number):
                    return False
                if name == "-":
                    name, told[number]["name"], told[number]["device"] = "", "", REMOVED
                numbers.append(number)
                say_port(self.facts, str(path.get("host_adapter")), place, str(path.get("host_wwpn")))
                say(LAYER, number, place, name=name, sort="disk")
                say(PATH, number, place, map=device, via=self._via, **{**told[number], "group": nth})
        for values in (values for _device, values in report.maps):
            say(MULTIPATH, device, place, via=self._via, **values)
        say(LAYER, device, place, name=device, sort="dm", mapped=title, uuid=f"{MPATH}{wwid}",
            below=" ".join(numbers))  # fmt: skip
        return True

    def _take(self, match: re.Match[str], others: Collection[str]) -> str:
        """Take a path, and return its number; a word for it if it has none."""
        address, name, number, states = match.groups()
        if not number[0].isdigit():
            nth = sum(":" not in other for other in others) + 1
            number = f"?{self._device}.{nth}"
            self.facts.lost[number] = f"{REMOVED}: {self._title}{f' {nth}' if nth > 1 else ''}"
        named = _STATE.findall(states)[:3]
        told: dict[str, Value] = dict(zip(("state", "checker", "device"), named, strict=False))
        told = {field: value for field, value in told.items() if value != "undef"}
        if told.get("checker") == "faulty":
            told.setdefault("state", "failed")  # the daemon takes it out
        if name == "-":
            name, told["device"] = "", REMOVED  # `Facts.by_number` names it
        elif name.startswith("sd"):
            self.facts.aliases[scsi(address)] = name
            say_scsi(self.facts, address, self.place)
        if ":" in number:
            wwid = _naa(self._planned.get(self._device, ""))
            self.facts.say(LAYER, number, self.place, name=name, sort="disk", wwid=wwid)
        if self._device.startswith("dm-"):
            told = {"map": self._device, "via": self._via, **self._row, **told}
            self.facts.say(PATH, number, self.place, name=name, **told)
            if self._priority != "undef":  # -l does not ask for it, and prints 0
                add = self.facts.say if int(self._priority) else self.facts.hint
                add(PATH, number, self.place, priority=int(self._priority))
        return number

    def _hide(self, device: str) -> None:
        """Say that a map may have a path which was not understood."""
        lost = f"?{device}.strange"
        self.facts.leave_open(lost, f"a path of {self._title}")
        self._numbers.setdefault(device, {})[lost] = None

    def end(self) -> None:
        """Say which paths each map has; one without any has lost all."""
        super().end()
        self.blank()
        for device, title in self._titles.items():
            if device not in self._numbers:
                self.facts.say_below(device, self._places[device], "")
                self.facts.say(
                    PATH, f"{NAMED_STAND_IN}:{title}", self._places[device], name=NO_PATH, map=device,
                    via=self._via, device=REMOVED,
                )  # fmt: skip
        for device in self._numbers.keys() - self._planned.keys():
            below = self._numbers[device]
            self.facts.say(LAYER, device, self._places[device], below=" ".join(below))


_NOT_DONE: Final = ("", "reject")
"""What multipath calls the action for a map that it did not make; it has no word for a dry run."""


def _naa(wwid: str) -> str:
    """Return a WWID of multipath as the kernel writes that of a SCSI disk; empty for any other."""
    return f"{NAA}{wwid[1:]}" if re.fullmatch("3(?:6[0-9a-f]{31}|[25][0-9a-f]{15})", wwid) else ""


def _is_cut(state: str, states: Collection[str]) -> bool:
    """Return whether a state is the beginning of one of those that there are: its row was cut."""
    return state not in states and any(whole.startswith(state) for whole in states)


def _known(word: str) -> str:
    """Return a word; nothing for the signs that multipath prints where it knows nothing."""
    return "" if set(word) <= set("# ") else word.strip()


class Bindings(Reading):
    """The names that multipath has for maps by their WWIDs, also of maps that are not there."""

    tool = "bindings"
    heading = r"# Multipath (?:bindings|wwids), Version : [0-9.]+"
    nothing = ("#.*", "/[0-9A-Za-z_.:-]{8,128}/")

    @line(r"([#+.:=@\w-]{1,128})\s+([0-9A-Za-z_.:-]{8,128})\s*")
    def binding(self, match: re.Match[str]) -> None:
        """Take the name of a WWID."""
        self.facts.bindings.setdefault(match[1], (match[2], self.place))


def _add_states(facts: Facts) -> None:
    """Say the states of paths that are listed without their maps, where other texts have the map of them."""
    rows = facts.rows.get(LAYER.name, {})

    def named(key: str, field: str) -> str:
        return next(iter(values_of(rows.get(key, {}), field)), "")

    for key, row in rows.items() if facts.path_states else ():
        if not named(key, "uuid").startswith(MPATH):
            continue
        of_map, place = facts.path_states.get(named(key, "mapped"), ({}, ""))
        device, feet = named(key, "name") or key, " ".join(values_of(row, "below"))
        if of_map:
            facts.hint(MULTIPATH, device, place, title=named(key, "mapped"), **of_map)
        for number in dict.fromkeys(feet.split()):
            told: dict[str, Value] = {}
            for said, tool in ((named(number, "name"), "multipathd show paths"), (number, "dmsetup status")):
                states, place = facts.path_states.get(said, ({}, ""))
                own = {field: state for field, state in states.items() if field not in {*told, "via"}}
                via = states.get("via", tool)
                told |= own
                if own:
                    facts.hint(MULTIPATH, device, place, title=named(key, "mapped"), via=via)
                    facts.hint(PATH, number, place, name=named(number, "name"), map=device, via=via, **own)


def add_adapters(facts: Facts) -> None:
    """Say of each path which adapter and port it leads over, where lszfcp has that of its disk."""
    _add_states(facts)
    for number in facts.keys(PATH):
        for field, name in (("busid", "adapter"), ("wwpn", "port")):
            for fact in facts.rows.get(LAYER.name, {}).get(number, {}).get(field, ()):
                facts.say(PATH, number, fact.place, **{name: fact.value})
