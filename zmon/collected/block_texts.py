"""Block devices in texts: lsblk as a tree, as pairs and as JSON, /proc/partitions, links of `ls -l`.

lsblk prints sizes rounded, so they are not taken.  Of a device on several others it prints a line for each;
the tree is drawn with characters of ASCII or of a box.  Source: util-linux, misc-utils/lsblk.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.plain_text import unescaped_hex
from zmon.collected.columns import Columns
from zmon.collected.dasd_texts import BUSID
from zmon.collected.numbers import disk_name, fits, sort_of
from zmon.collected.reading import OrDocument, Reading, line
from zmon.kinds import DEVICE, LAYER, MPATH, MULTIPATH, PATH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

NUMBER: Final = r"[0-9]{1,4}:[0-9]{1,8}"
_SORTS: Final = {
    "disk": "disk", "part": "partition", "loop": "loop",
    "lvm": "dm", "crypt": "dm", "mpath": "dm", "dm": "dm", "linear": "dm", "vdo": "dm",
}  # fmt: skip
_UUIDS: Final = {"mpath": MPATH, "crypt": "CRYPT-"}
"""What the uuids of devices of the device mapper begin with, by what lsblk calls these."""
_TREE: Final = re.compile(r"[ |`├└│─\-+]*")
_CELL: Final = re.compile(rf"(?<!\S){NUMBER}(?!\S)")
_KIND: Final = re.compile(
    r"(?<!\S)(?:disk|part|lvm|crypt|mpath|dm|linear|loop|rom|vdo|raid[0-9]{1,2}|md)(?!\S)"
)
_PAIR: Final = re.compile(r'([A-Z][A-Z0-9:_%-]{0,30})="([^"]{0,4096})"')
_DM: Final = re.compile(r"dm-[0-9]{1,7}")
_KERNEL: Final = re.compile(
    r"(?:dasd|sd|vd|xvd|hd)[a-z]{1,4}[0-9]{0,3}|(?:dm-|md|loop|sr|zram|ram|nbd|rbd|pmem|mmcblk|scm)[0-9a-z_]+"
    r"|nvme[0-9]+(?:c[0-9]+)?n[0-9]+(?:p[0-9]+)?"
)
"""What the kernel calls block devices."""
SWAPPED: Final = "[SWAP]"
"""What lsblk prints instead of a mount point for active swap."""
_LIKE: Final = re.compile(
    r"[|`├└│┌┆,'] ?|\s*[\"{}\[\]]|(?:[A-Z:_-]+=\"|[A-Z:_-]+ +K?NAME\b|K?NAME\b)"
    r"|(?:dasd|sd|vd|xvd|nvme|dm-|md|loop|sr|zram|mmcblk|nbd)[a-z0-9]* *(?:\s|$)|\s+(?:/|\[SWAP\])"
)
"""How rows of lsblk begin."""
_DEFAULT: Final = ("NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINTS")
"""The columns that it prints if none are asked for."""
MAX_DEPTH: Final = 32
"""Maximum depth of a tree in JSON."""
UNSEEN: Final = "?lsblk"
"""Stands for a device that others hang on in a tree, and that has no line of its own."""


class LsblkRow(NamedTuple):
    """One line of lsblk."""

    number: str
    """Empty where lsblk does not print it."""
    name: str
    """That of the kernel, or in /dev/mapper."""
    kernel: str
    """That of the kernel; empty where lsblk does not print it."""
    kind: str
    """`part`, `lvm` ..., the column TYPE; empty where it is not there."""
    points: tuple[str, ...] = ()
    """Where its file system is mounted, as far as lsblk prints it."""
    fstype: str = ""
    """Empty where lsblk does not print it."""
    uuid: str = ""
    """That of what is on it; empty where lsblk does not print it."""


def _named(row: LsblkRow) -> tuple[str, str, str]:
    """Return the name of a device, that of the kernel, which may be empty, and its sort."""
    name, kernel = (re.sub("^/dev/(?:mapper/)?", "", word) for word in (row.name, row.kernel))
    sort = _SORTS.get(row.kind) or ("md" if row.kind.startswith(("raid", "md")) else "")
    if sort == "partition" and sort_of(kernel or name, is_below=True) != sort:
        sort = "dm"  # so lsblk calls the partitions of a multipath device, too
    if sort == "dm" or (not sort and _DM.fullmatch(kernel or name)):
        kernel = next((word for word in (kernel, name) if _DM.fullmatch(word)), "")
        return name, kernel or (f"dm-{row.number.partition(':')[2]}" if row.number else ""), "dm"
    if kernel or row.number or row.kind or _KERNEL.fullmatch(name):
        return name, kernel or name, sort or sort_of(kernel or name, is_below=False)
    return (
        name,
        kernel,
        "dm",
    )  # neither its number nor its type is printed, and no driver names its devices so


class LsblkTree:
    """Collects the devices of one output of lsblk, and what each is built on."""

    def __init__(self, facts: Facts) -> None:
        """Begin with nothing."""
        self._facts = facts
        self._below: dict[str, dict[str, None]] = {}
        self._sorts: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        """The key of each device by its kernel name."""
        self._places: dict[str, str] = {}
        self._joins: dict[str, tuple[str, str]] = {}
        """The names of devices that join paths to one disk, the kernel's and the mapper's, by their keys."""

    def add(self, place: str, row: LsblkRow) -> str:
        """Add a row; return the key of its device, empty if its name and its number are not of one device."""
        number, _name, _kernel, kind, points, fstype, uuid = row
        name, kernel, sort = _named(row)
        if number and kernel and not fits(kernel, number):
            return ""
        key = number or kernel or name
        say = self._facts.say
        say(LAYER, key, place, name=kernel, sort=sort)
        self._facts.name_dasd(kernel, place)
        is_mapped = sort == "dm" and not _DM.fullmatch(name)
        if is_mapped:
            say(LAYER, key, place, mapped=name, uuid=_UUIDS.get(kind, ""))
        if kind == "mpath" and is_mapped:
            self._joins[key] = kernel, name
        source = f"/dev/mapper/{name}" if is_mapped else f"/dev/{kernel or name}"
        for point in points:
            if point == SWAPPED:
                self._facts.swaps.setdefault(source, place)
            if point.startswith("/"):
                self._facts.mounts.setdefault((key, point), (source, fstype, place))
        if fstype:
            self._facts.say_content(source.removeprefix("/dev/"), place, fstype, uuid)
        self._sorts[key] = sort
        self._keys[kernel or name] = key
        self._places.setdefault(key, place)
        return key

    def hang(self, key: str, below: str) -> None:
        """Say that a device is built on another."""
        self._below.setdefault(key, {})[below] = None

    def hide(self, key: str) -> None:
        """Say that a device is built on one that has no line."""
        if self._sorts.get(key) != "partition":
            self._facts.lost[UNSEEN] = "without a line in lsblk"
            self.hang(key, UNSEEN)

    def hide_all(self) -> None:
        """Say that each device that may have several below it may be built on one that has no line."""
        for key, sort in self._sorts.items():
            if sort in {"dm", "md"}:
                self.hide(key)

    def finish(self) -> None:
        """Say what each device is built on: a partition on one disk, others on all that lines show."""
        for key, sort in self._sorts.items():
            below = self._below.get(key, {})
            place = self._places[key]
            if sort == "partition":
                disk = next(iter(below), "") or self._disk_of(key)
                self._facts.say(LAYER, key, place, parent=disk)
            elif below or sort == "disk":
                self._facts.say_below(key, place, " ".join(below))
            if key in self._joins:
                self._say_paths(key, below, place)

    def _say_paths(self, key: str, paths: Iterable[str], place: str) -> None:
        """Say that a device joins paths to one disk; of their states lsblk says nothing."""
        kernel, title = self._joins[key]
        if not kernel:
            return
        self._facts.say(MULTIPATH, kernel, place, title=title, via="lsblk")
        for path in paths:
            if ":" in path:
                self._facts.say(PATH, path, place, map=kernel, via="lsblk")
                for name in (name for name, other in self._keys.items() if other == path):
                    self._facts.say(PATH, path, place, name=name)

    def _disk_of(self, key: str) -> str:
        """Return the key of the disk of a partition, by its name; empty if there is none."""
        name = next((name for name, other in self._keys.items() if other == key), "")
        return self._keys.get(disk_name(name), "") if disk_name(name) != name else ""


class TreeRow(NamedTuple):
    """The place of a row in a drawn tree."""

    level: int
    key: str
    """Empty for a device that has no line."""
    name: str
    """As the kernel calls it, or the device mapper."""
    kind: str = ""
    is_last: bool = False
    """Whether it is drawn as the last below its parent."""
    follows: bool = True
    """Whether the line before it was understood."""
    drawn: str = ""
    """What is drawn before it."""


class Lsblk(OrDocument):
    """Devices of lsblk in whichever of its forms.

    With -s the tree is turned round: what hangs on a device is what that is built on.
    """

    tool = "lsblk"
    tells = ("layer", "mount", "swap")
    heading = r"(?:[A-Z][A-Z-]+ +)*K?NAME +(?:[A-Z-]+ +)*(?:MAJ[:_]MIN|FSTYPE)\b"
    first = (
        r'(?:[A-Z:_-]+="[^"]*" )*K?NAME="[^"]*" (?:[A-Z:_-]+="[^"]*" )*MAJ[:_]MIN="'
        r'|\{\s*"blockdevices"'
    )
    longest = 1 << 16

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with nothing."""
        super().__init__(text, facts)
        self._tree = LsblkTree(facts)
        self._columns = Columns(" ".join(_DEFAULT) if text.tool == "lsblk" else "")
        self._rows: list[TreeRow] = []
        self._is_whole = True
        """Whether the row that the next one may hang on was understood."""
        self._has_hole = False
        """Whether a line between two rows was not understood, which may have been one of any device."""
        self._last: tuple[str, LsblkRow] | None = None
        self._pairs: list[tuple[int, dict[str, str]]] = []
        self._is_inverse = re.search(r"\s(?:-[a-zA-Z]*s|--inverse)\b", text.command) is not None

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of lsblk: its rows may have any columns."""
        return _LIKE.match(row) is not None or _CELL.search(row) is not None

    def lost(self) -> None:
        """Expect the next row of the tree to hang on the line that is not understood."""
        self._is_whole, self._last = False, None

    @line(r'(?:[A-Z][A-Z0-9:_%-]{0,30}="[^"]*"\s*)+')
    def pairs(self, match: re.Match[str]) -> bool:
        """Take a row of -P, whose blanks and quotes are escaped."""
        pairs = {name.replace("_", ":") if name == "MAJ_MIN" else name: unescaped_hex(cell)
                 for name, cell in _PAIR.findall(match[0])}  # fmt: skip
        if "NAME" not in pairs and "KNAME" not in pairs:
            return False
        self._pairs.append((self.number, pairs))
        return True

    @line(r"(?:[A-Z][A-Z0-9:_%-]*\s+)*(?:NAME|KNAME)\b[A-Z0-9:_% -]*")
    def head(self, match: re.Match[str]) -> None:
        """Take the heading, which says what is in which column."""
        self._columns, self._is_whole, self._last = Columns(match[0]), True, None

    @line(r"[ │|]+((?:/|\[SWAP\]).*)")
    def further_point(self, match: re.Match[str]) -> bool:
        """Take a further mount point: a row without a number continues the one above."""
        begin = max(self._columns.begin("MOUNTPOINTS"), self._columns.begin("MOUNTPOINT"))
        if self._last is None or not 0 < begin - 1 <= match.start(1):
            return False
        key, row = self._last
        drawn = self._rows[-1].drawn if self._rows else ""
        if drawn and drawn.startswith(("│", "|", "├")) != match[0].startswith(("│", "|")):
            return False  # the lines that are drawn beside it are not those of the row before
        point = match[1].rstrip()
        self._last = key, row._replace(points=(*row.points, point))
        return bool(self._tree.add(self.place, self._last[1]))

    @line(r"[ |`├└│─\-+]*\S.*")
    def row(self, match: re.Match[str]) -> bool:
        """Take a row of the tree or the list."""
        row = match[0]
        drawn = _TREE.match(row)
        depth = drawn.end() if drawn else 0
        told = self._row(row, depth)
        if told is None or (depth and not row[:depth].strip()):  # a row in a tree is drawn
            return False
        key = self._tree.add(self.place, told)
        if key:
            self._last = key, told
            is_last = row[:depth].rstrip("─- ").endswith(("└", "`"))
            name = told.kernel or told.name
            self._rows.append(TreeRow(depth // 2, key, name, told.kind, is_last, self._is_whole, row[:depth]))
            self._has_hole = self._has_hole or (not self._is_whole and len(self._rows) > 1)
            self._is_whole = True
        return bool(key)

    def _row(self, row: str, depth: int) -> LsblkRow | None:
        columns, number = self._columns, ""
        cells = columns.cells(row, depth)
        begin = end = depth + len("".join(row[depth:].split(None, 1)[:1]))
        if "MAJ:MIN" in columns:
            if (match := _CELL.search(row)) is None:
                return None
            number, begin, end = match[0], match.start(), match.end()
        elif len(columns) < 2 or " " in cells.get("NAME", ""):
            return None
        kind = _KIND.search(row, end) if "TYPE" in columns else None  # a group of users is `disk`, too
        if kind is None and columns.comes_after("TYPE", "MAJ:MIN"):
            return None
        *names, last = row[depth:begin].split() or [""]
        kernel, name = (
            (last, " ".join(names)) if "KNAME" in columns and names else ("", " ".join([*names, last]))
        )
        if not names and "NAME" not in columns:
            kernel = name
        points: tuple[str, ...] = ()
        if columns.last in {"MOUNTPOINT", "MOUNTPOINTS"} and (
            point := re.search(r"(?<!\S)(?:/.*|\[SWAP\])", row[end:])
        ):
            points = (point[0].rstrip(),)
        told = cells.get("FSTYPE", ""), cells.get("UUID", "")
        return LsblkRow(number, name, kernel, kind[0] if kind else "", points, *told) if name else None

    def _hang_rows(self) -> None:
        """Find what each row hangs on; one whose parent has no line hangs on a device that is not known.

        A parent has no line if more than a level lies between, or another row of the level was the last one.
        """
        is_inverse = self._is_inverse or any(row.level and row.kind == "disk" for row in self._rows)
        open_rows: list[TreeRow] = []
        for row in (*self._rows, TreeRow(0, "", "")):
            follows = row.follows
            while open_rows and open_rows[-1].level >= row.level:
                ended = open_rows.pop()
                if ended.level == row.level:
                    follows = follows and (not ended.is_last or ended.key == row.key or not row.level)
                elif not ended.is_last and is_inverse and open_rows:
                    self._tree.hide(open_rows[-1].key)  # a row that was to come did not
            if follows and open_rows and self._can_hang(row, open_rows, is_inverse):
                self._hang(row.key, open_rows[-1].key, is_inverse)
            elif row.level:
                self._tree.hide(open_rows[-1].key if is_inverse and open_rows else row.key)
                while open_rows and open_rows[-1].level >= row.level - 1:
                    open_rows.pop()
                open_rows.append(TreeRow(row.level - 1, "", "", drawn=row.drawn[:-2]))
            open_rows.append(row)

    def _hang(self, key: str, parent: str, is_inverse: bool) -> None:
        upper, below = (parent, key) if is_inverse else (key, parent)
        if below:
            self._tree.hang(upper, below)
        else:
            self._tree.hide(upper)

    def _can_hang(self, row: TreeRow, open_rows: list[TreeRow], is_inverse: bool) -> bool:
        """Return whether a row hangs on the last of those above it, by its level, its drawing and its name.

        Beside a row a line leads down from each row above that is not the last of its level; a partition has
        the name of its disk.
        """
        parent = open_rows[-1]
        beside = "".join("  " if above.is_last else "│ " for above in open_rows[1:])
        drawn = row.drawn[:-2].replace("|", "│")
        if parent.level != row.level - 1 or (all(above.key for above in open_rows) and drawn != beside):
            return False
        part, disk = (parent, row) if is_inverse else (row, parent)
        is_partition = sort_of(part.name, is_below=True) == "partition"
        return not (is_partition and disk.name) or disk_name(part.name) == disk.name

    def end(self) -> None:
        """Say what each device is built on."""
        self._hang_rows()
        if self._has_hole:
            self._tree.hide_all()
        self._take_pairs()
        super().end()
        self._tree.finish()

    def _take_pairs(self) -> None:
        keys: dict[str, str] = {}
        for number, pairs in self._pairs:
            kernel, name = pairs.get("KNAME", ""), pairs.get("NAME", "") or pairs.get("KNAME", "")
            at = pairs.get("MAJ:MIN", "").strip()
            listed = pairs.get("MOUNTPOINTS", pairs.get("MOUNTPOINT", ""))
            row = LsblkRow(
                at, name, kernel, pairs.get("TYPE", ""), tuple(listed.split("\n")),
                pairs.get("FSTYPE", ""), pairs.get("UUID", ""),
            )  # fmt: skip
            key = self._tree.add(self.place_of(number), row) if not at or re.fullmatch(NUMBER, at) else ""
            if key:
                keys[kernel or name] = key
            else:
                self.strange.append(number)
        for _number, pairs in self._pairs:
            key = keys.get(pairs.get("KNAME") or pairs.get("NAME", ""), "")
            if key and (parent := pairs.get("PKNAME", "").removeprefix("/dev/")):
                if parent in keys:
                    self._tree.hang(key, keys[parent])
                else:
                    self._tree.hide(key)

    def document(self, document: dict[str, Any]) -> bool:
        """Take the devices of -J."""
        return any(self._take_children(document.get("blockdevices"), "", 0))

    def _take_children(self, devices: Any, above: str, depth: int) -> list[str]:
        keys: list[str] = []
        for device in devices if isinstance(devices, list) and depth < MAX_DEPTH else ():
            if not isinstance(device, dict):
                continue
            number, name, kernel, kind, fstype, uuid = (
                _word(device.get(key)) for key in ("maj:min", "name", "kname", "type", "fstype", "uuid")
            )
            listed = device.get("mountpoints", [device.get("mountpoint")])
            points = tuple(map(_word, listed)) if isinstance(listed, list) else ()
            row = LsblkRow(number, name or kernel, kernel, kind, points, fstype, uuid)
            if not row.name or (number and not re.fullmatch(NUMBER, number)):
                continue
            if key := self._tree.add(self.place, row):
                if above:
                    self._tree.hang(*((above, key) if self._is_inverse else (key, above)))
                keys += [key, *self._take_children(device.get("children"), key, depth + 1)]
        return keys


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) and len(value) <= 4096 else ""


class Partitions(Reading):
    """Numbers, sizes in KiB and names of /proc/partitions."""

    heading = r"major minor  #blocks"

    nothing = (r"\s*major minor\s+#blocks\s+name\s*",)

    @line(r"\s*([0-9]{1,4})\s+([0-9]{1,8})\s+([0-9]{1,15})\s+(\S{1,64})\s*")
    def partition(self, match: re.Match[str]) -> bool:
        """Take a device."""
        major, minor, size, name = match.groups()
        if is_it := fits(name, f"{major}:{minor}"):
            sort = sort_of(name, is_below=False)
            self.facts.say(LAYER, f"{major}:{minor}", self.place, name=name, size=int(size) * 2, sort=sort)
        return is_it


_DIRECTORY: Final = r"/dev/(disk/by-[a-z-]{1,16}(?:/[^\s:]{1,200})?|mapper|disk)/?:?"
_BY_PATH: Final = re.compile(rf"ccw-({BUSID})")
BY_PORT: Final = re.compile(rf"ccw-({BUSID})-(?:zfcp|fc)-(0x[0-9a-f]{{16}})(?::|-lun-)(0x[0-9a-f]{{16}})")


class Links(Reading):
    """The names in /dev/disk and /dev/mapper that `ls -l` shows, and what names by path say."""

    tool = "ls -l"
    heading = r"/dev/(?:disk/by-[a-z-]{1,16}|mapper)/?:\s*$"
    nothing = (
        r"total [0-9,.KMGT]+", r"[bcd-][rwxsStT-]{9}[.+@]?\s.*",
        r"l[rwx-]{9}\S?\s.* -> \S*(?:pts/|fd/|/proc/|/run/)\S*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with the directory in the command."""
        super().__init__(text, facts)
        named = (re.fullmatch(_DIRECTORY, word) for word in text.command.split())
        self._directory = next((match[1] for match in named if match), "")

    def lost(self) -> None:
        """Know no directory: a line may have named another."""
        self._directory = ""

    @line(rf"\s*{_DIRECTORY}\s*")
    def directory(self, match: re.Match[str]) -> None:
        """Take the directory of the lines that follow."""
        self._directory = match[1]

    @line(
        r"l[rwx-]{9}\S?\s.*?\s(?:/dev/(mapper|disk/by-[a-z-]{1,16})/)?([^/\s]{1,255})"
        r" -> (?:\.\./){0,9}(\S{1,255})\s*"
    )
    def link(self, match: re.Match[str]) -> bool:
        """Take a link to a device."""
        directory, link, name = match[1] or self._directory, match[2], match[3]
        say, place = self.facts.say, self.place
        if directory == "mapper":
            if _DM.fullmatch(name):
                say(LAYER, name, place, name=name, mapped=link, sort="dm")
        elif directory:
            say(LAYER, name, place, links=f"{directory}/{link}")
            self.facts.name_dasd(name, place)
            if port := BY_PORT.fullmatch(link):
                say(LAYER, name, place, name=name, sort="disk", busid=port[1], wwpn=port[2], lun=port[3])
            elif path := _BY_PATH.fullmatch(link):
                say(LAYER, name, place, name=name, sort="disk", busid=path[1])
                say(DEVICE, path[1], place, block=name)
        return bool(directory)
