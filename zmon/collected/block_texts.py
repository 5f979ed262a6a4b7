"""Block devices in texts: lsblk as a tree, as pairs and as JSON, /proc/partitions, links of `ls -l`.

lsblk prints sizes rounded, so they are not taken.  Of a device on several others it prints a line for each;
the tree is drawn with characters of ASCII or of a box.  Source: util-linux, misc-utils/lsblk.c.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.collected.dasd_texts import BUSID
from zmon.kinds import LAYER

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

NUMBER: Final = r"[0-9]{1,4}:[0-9]{1,8}"
_SORTS: Final = {
    "disk": "disk", "part": "partition", "loop": "loop",
    "lvm": "dm", "crypt": "dm", "mpath": "dm", "dm": "dm", "linear": "dm",
}  # fmt: skip
_TYPES: Final = r"disk|part|lvm|crypt|mpath|dm|linear|loop|rom|raid[0-9]{1,2}|md"
_TREE: Final = re.compile(r"[ |`├└│─\-+]*")
_HEAD: Final = re.compile(r"NAME\s.*\bMAJ:MIN\b.*")
_CELL: Final = re.compile(rf"(?<!\S){NUMBER}(?!\S)")
_KIND: Final = re.compile(rf"(?<!\S)(?:{_TYPES})(?!\S)")
_PAIR: Final = re.compile(r'([A-Z][A-Z0-9:_%-]{0,30})="([^"]{0,4096})"')
_DM: Final = re.compile(r"dm-[0-9]{1,7}")
SWAPPED: Final = "[SWAP]"
"""What lsblk prints instead of a mount point for active swap."""
MAX_DEPTH: Final = 32
"""Maximum depth of a tree in JSON."""


class LsblkRow(NamedTuple):
    """One line of lsblk."""

    number: str
    name: str
    """That of the kernel, or in /dev/mapper."""
    kernel: str
    """That of the kernel; empty where lsblk does not print it."""
    kind: str
    """`part`, `lvm` ..., the column TYPE; empty where it is not there."""
    above: str = ""
    """The number of the row that it hangs on, which is what it is built on."""
    points: tuple[str, ...] = ()
    """Where its file system is mounted, as far as lsblk prints it."""
    fstype: str = ""
    """Empty where lsblk does not print it."""


class LsblkTree:
    """Collects the devices of one output of lsblk, and what each is built on."""

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with nothing."""
        self._text = text
        self._facts = facts
        self._below: dict[str, dict[str, None]] = {}
        self._sorts: dict[str, str] = {}
        self._names: dict[str, str] = {}
        """The number of each device by its kernel name."""
        self._line: dict[str, int] = {}

    def add(self, line: int, row: LsblkRow) -> None:
        """Add the row in a line."""
        number, name, kernel, kind, above, points, fstype = row
        sort = _SORTS.get(kind) or ("md" if kind.startswith(("raid", "md")) else "")
        if sort == "partition" and sort_of(kernel or name, is_below=True) != sort:
            sort = "dm"  # so lsblk calls the partitions of a multipath device, too
        kernel = kernel or ("" if sort == "dm" else name)
        if sort == "dm" or (not sort and _DM.fullmatch(kernel)):
            sort = "dm"
            kernel = kernel if _DM.fullmatch(kernel) else f"dm-{number.partition(':')[2]}"
        elif not sort:
            sort = sort_of(kernel, bool(above))
        place = f"lsblk, {self._text.place(line)}"
        self._facts.say(LAYER, number, place, name=kernel, sort=sort)
        if sort == "dm" and not _DM.fullmatch(name):
            self._facts.say(LAYER, number, place, mapped=name)
        source = f"/dev/mapper/{name}" if sort == "dm" and not _DM.fullmatch(name) else f"/dev/{kernel}"
        for point in points:
            if point == SWAPPED:
                self._facts.swaps.setdefault(source, place)
            if point.startswith("/"):
                self._facts.mounts.setdefault((number, point), (source, fstype, place))
        if above:
            self._below.setdefault(number, {})[above] = None
        self._sorts[number] = sort
        self._names[kernel] = number
        self._line.setdefault(number, line)

    def finish(self) -> None:
        """Say what each device is built on: a partition on one disk, others on all that lines show."""
        for number, sort in self._sorts.items():
            below = " ".join(self._below.get(number, ()))
            place = f"lsblk, {self._text.place(self._line[number])}"
            if sort == "partition":
                self._facts.say(LAYER, number, place, parent=below or self._disk_of(number))
            elif below:
                self._facts.say(LAYER, number, place, below=below)

    def _disk_of(self, number: str) -> str:
        """Return the number of the disk of a partition, by its name; empty if there is none.

        The kernel names a partition after its disk, with `p` between where that ends in a digit.
        """
        name = next((name for name, other in self._names.items() if other == number), "")
        disk = name.rstrip("0123456789")
        disk = disk[:-1] if disk.endswith("p") and disk[:-1].endswith(tuple("0123456789")) else disk
        return self._names.get(disk, "") if disk != name else ""


def sort_of(kernel: str, is_below: bool) -> str:
    """Return what a device is by its kernel name; empty where the name does not tell."""
    if _DM.fullmatch(kernel):
        return "dm"
    if re.fullmatch(r"md(?:[0-9]{1,5}|_\S{1,32})", kernel):
        return "md"
    if re.fullmatch(r"loop[0-9]{1,5}", kernel):
        return "loop"
    if re.fullmatch(r"(?:dasd|sd|vd)[a-z]{1,4}[0-9]{1,3}|nvme[0-9]{1,3}n[0-9]{1,4}p[0-9]{1,3}", kernel):
        return "partition"
    return "" if is_below else "disk"


def parse_lsblk(text: CollectedText, facts: Facts) -> None:
    """Take the devices of lsblk with a column MAJ:MIN, in whichever of its forms."""
    tree = LsblkTree(text, facts)
    body = text.text.lstrip()
    if body.startswith("{"):
        _take_json(body, tree)
    elif body.startswith("NAME=") or _PAIR.match(body):
        _take_pairs(text, tree)
    else:
        _take_table(text, tree)
    tree.finish()


def _take_table(text: CollectedText, tree: LsblkTree) -> None:
    above: list[tuple[int, str]] = []
    head: list[str] = []
    column = 0
    taken: tuple[int, LsblkRow, list[str]] | None = None
    for line, row in text.rows():
        if _HEAD.fullmatch(row):
            head, column, above = row.split(), row.rfind("MOUNTPOINT"), []
        drawn = _TREE.match(row)
        depth = drawn.end() if drawn else 0
        point = row[depth:].rstrip()
        if taken and depth >= column - 1 > 0 and (point.startswith("/") or point == SWAPPED):
            # a further mount point: a row without a number continues the one above
            taken[2].append(point)
            continue
        if taken:
            tree.add(taken[0], taken[1]._replace(points=tuple(taken[2])))
            taken = None
        if not head or (match := _CELL.search(row)) is None:
            continue
        kernel, name = _names(head, row[depth : match.start()])
        if not name:
            continue
        while above and above[-1][0] >= depth:
            above.pop()
        kind = _KIND.search(row, match.end()) if "TYPE" in head else None  # a group of users is `disk`, too
        parent = above[-1][1] if above else ""
        points = _points(head, row[match.end() :])
        taken = line, LsblkRow(match[0], name, kernel, kind[0] if kind else "", parent), points
        above.append((depth, match[0]))
    if taken:
        tree.add(taken[0], taken[1]._replace(points=tuple(taken[2])))


def _names(head: list[str], row: str) -> tuple[str, str]:
    """Return the name of the kernel, empty where it is not printed, and that in the column NAME."""
    *names, last = row.split() or [""]
    return (last, " ".join(names)) if "KNAME" in head and names else ("", " ".join([*names, last]))


def _points(head: list[str], row: str) -> list[str]:
    """Return the mount point of a row of a table: its last column, and the only one with a slash in front."""
    match = re.search(r"(?<!\S)(?:/.*|\[SWAP\])", row) if head[-1] in {"MOUNTPOINT", "MOUNTPOINTS"} else None
    return [match[0].rstrip()] if match else []


def _take_pairs(text: CollectedText, tree: LsblkTree) -> None:
    numbers: dict[str, str] = {}
    rows: list[tuple[int, dict[str, str]]] = [(line, dict(_PAIR.findall(row))) for line, row in text.rows()]
    for _line, pairs in rows:
        number = pairs.get("MAJ:MIN", pairs.get("MAJ_MIN", "")).strip()
        if re.fullmatch(NUMBER, number):
            numbers[pairs.get("KNAME", pairs.get("NAME", ""))] = number
    for line, pairs in rows:
        kernel = pairs.get("KNAME", "")
        number = numbers.get(kernel or pairs.get("NAME", ""), "")
        if number and pairs.get("NAME"):
            above = numbers.get(pairs.get("PKNAME", ""), "")
            points = pairs.get("MOUNTPOINTS", pairs.get("MOUNTPOINT", "")).split("\\x0a")
            row = LsblkRow(number, pairs["NAME"], kernel, pairs.get("TYPE", ""), above, tuple(points))
            tree.add(line, row._replace(fstype=pairs.get("FSTYPE", "")))


def _take_json(text: str, tree: LsblkTree) -> None:
    try:
        document = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return
    devices = document.get("blockdevices") if isinstance(document, dict) else None
    _take_children(devices, tree, "", 0)


def _take_children(devices: Any, tree: LsblkTree, above: str, depth: int) -> None:
    if not isinstance(devices, list) or depth > MAX_DEPTH:
        return
    for device in devices:
        if isinstance(device, dict):
            number, name, kernel, kind = (
                _word(device.get(key)) for key in ("maj:min", "name", "kname", "type")
            )
            if re.fullmatch(NUMBER, number) and name:
                listed = device.get("mountpoints", [device.get("mountpoint")])
                points = tuple(map(_word, listed)) if isinstance(listed, list) else ()
                fstype = _word(device.get("fstype"))
                tree.add(0, LsblkRow(number, name, kernel, kind, above, points, fstype))
                _take_children(device.get("children"), tree, number, depth + 1)


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) and len(value) <= 4096 else ""


_PARTITION: Final = re.compile(r"\s*([0-9]{1,4})\s+([0-9]{1,8})\s+([0-9]{1,15})\s+(\S{1,64})\s*")


def parse_partitions(text: CollectedText, facts: Facts) -> None:
    """Take numbers, sizes in KiB and names of /proc/partitions."""
    for line, row in text.rows():
        if match := _PARTITION.fullmatch(row):
            major, minor, size, name = match.groups()
            sort = sort_of(name, is_below=False)
            facts.say(LAYER, f"{major}:{minor}", text.place(line),
                      name=name, size=int(size) * 2, sort=sort)  # fmt: skip


_LINK: Final = re.compile(r"l[rwx-]{9}\S?\s.*?\s(\S{1,255}) -> (?:\.\./){0,3}(\S{1,255})\s*")
_DIRECTORY: Final = re.compile(r"/dev/(disk/by-[a-z]{1,16}|mapper|disk)/?:?")
_BY_PATH: Final = re.compile(rf"ccw-({BUSID})")
_BY_PORT: Final = re.compile(rf"ccw-({BUSID})-(?:zfcp|fc)-(0x[0-9a-f]{{16}})(?::|-lun-)(0x[0-9a-f]{{16}})")


def parse_links(text: CollectedText, facts: Facts) -> None:
    """Take the names in /dev/disk and /dev/mapper that `ls -l` shows, and what names by path say."""
    directory = ""
    for word in text.command.split():
        if match := _DIRECTORY.fullmatch(word):
            directory = match[1]
    for line, row in text.rows():
        if match := _DIRECTORY.fullmatch(row.strip()):
            directory = match[1]
        elif directory and (match := _LINK.fullmatch(row)):
            _take_link(facts, f"ls -l, {text.place(line)}", directory, match[1], match[2])


def _take_link(facts: Facts, place: str, directory: str, link: str, name: str) -> None:
    if directory == "mapper":
        if _DM.fullmatch(name):
            facts.say(LAYER, name, place, name=name, mapped=link, sort="dm")
        return
    facts.say(LAYER, name, place, links=f"{directory}/{link}")
    if match := _BY_PORT.fullmatch(link):
        facts.say(LAYER, name, place, name=name, sort="disk", busid=match[1], wwpn=match[2], lun=match[3])
    elif match := _BY_PATH.fullmatch(link):
        facts.say(LAYER, name, place, name=name, sort="disk", busid=match[1])
