r"""Mounts, swap and btrfs in texts: /proc/mounts, mount, findmnt, df, swapon, `btrfs filesystem show`.

    /dev/dasda1 / ext4 rw,relatime 0 0                          /proc/mounts; blanks in names are `\040`
    /dev/dasda1 on / type ext4 (rw,relatime)                    mount; with -l a label in brackets behind it
    └─/boot  /dev/dasda1  ext4  rw,relatime                     findmnt, as a tree
    /dev/dasda1      6924900 2345678   4204320  36% /           df
    devid    2 size 9.09TiB used 8.42TiB path /dev/sdd1         btrfs filesystem show, below `uuid: ...`

None of them has the number of a file system: it is that of the device that the source names.
Sources: util-linux, misc-utils/findmnt.c, sys-utils/swapon.c; coreutils, src/df.c; btrfs-progs,
cmds/filesystem.c.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.plain_text import unescaped_hex
from zmon.base.sizes import KIB
from zmon.collected.columns import Columns, raw_cells
from zmon.collected.facts import MountRow, mapped_name, plain
from zmon.collected.numbers import is_of_kernel, sort_of
from zmon.collected.reading import OrDocument, Reading, line
from zmon.kernel.mountinfo import NO_OTHER, parse_mountinfo, unescaped
from zmon.kinds import CONTRADICTED, LAYER, MOUNT, NOT_COLLECTED, SWAP
from zmon.sample import Frame, empty_frame, frame_of
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

NO_NUMBER: Final = absent("the text names no device whose number is known")
NO_CHUNKS: Final = absent("no text has the chunks of btrfs: take a capture with zmon capture, as root")
NO_TYPE: Final = absent("lsblk and findmnt print it with a column FSTYPE only, df with -T")
NO_OPTIONS: Final = absent("lsblk and df do not print it, nor findmnt without a column OPTIONS")
NO_ROOT: Final = NOT_COLLECTED.about("findmnt, for what of a file system is mounted")
NO_SPACES: Final = absent("texts have the mounts of one namespace only")
MAX_MOUNTS: Final = 100_000
"""Maximum number of mounts in a text."""


FORMS: Final = ("proc/self/mountinfo", "proc/mounts", "mount", "findmnt", "df")
"""What lists mounts, the one with the most to say first."""


class MountList(Reading):
    """Mounts; `facts` gets the list of each output."""

    tells = ("mount",)

    form: ClassVar[str]
    longest = 1 << 17  # an overlay with many layers

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin a list."""
        super().__init__(text, facts)
        self._rows: list[MountRow] = []
        facts.mount_lists.setdefault(self.form, []).append(self._rows)

    def add(self, source: str, point: str, fstype: str, options: str, root: str = "") -> None:
        """Take a mount."""
        if len(self._rows) < MAX_MOUNTS:
            self._rows.append(MountRow(source, point, fstype, options, self.place, root))


class ProcMounts(MountList):
    """/proc/mounts."""

    form = "proc/mounts"
    first = r"\S+ /\S* \S+ r[ow](?:,\S*)? 0 0\s*$"

    @line(r"(\S+) (/\S*) (\S{1,64}) (\S+) [0-9] [0-9]\s*")
    def mount(self, match: re.Match[str]) -> None:
        """Take a mount."""
        source, point, fstype, options = match.groups()
        self.add(_plain(source), _plain(point), fstype, options)


class MountInfo(MountList):
    """/proc/self/mountinfo, of which lines are damaged, or only some were printed."""

    form = "proc/self/mountinfo"
    first = r"[0-9]+ [0-9]+ [0-9]+:[0-9]+ /\S* /\S* r[ow]\S* .*- \S+ \S+ r[ow]\S*\s*$"

    @line(r"([0-9]+ [0-9]+ [0-9]+:[0-9]+ \S+ /\S* \S+ .*)")
    def mount(self, match: re.Match[str]) -> bool:
        """Take a mount."""
        try:
            (mount,) = parse_mountinfo(os.fsencode(match[1]))
        except ValueError:
            return False
        self.add(mount.source, mount.point, mount.fstype, mount.super_options, mount.root)
        return True


class MountCommand(MountList):
    """What mount prints, with -l a label behind each line."""

    tool = form = "mount"
    narrowing = r"-[a-z]*t\b|--types"
    first = r"\S.* on /.* type \S+ \(.*\)"

    @line(
        r"(\S.*?) on (/.*) type (\S{1,64}) \((.*)\)(?: \[.*\])?\s*",
        r"(\S+(?: \S+)*) +on +(/\S*(?: \S+)*) +type +(\S{1,64}) +\((.*)\)(?: +\[.*\])?\s*",
    )
    def mount(self, match: re.Match[str]) -> None:
        """Take a mount."""
        source, point, fstype, options = match.groups()
        self.add(source, point, fstype, options)


FROM_TABLE: Final = r"(?:-[a-zA-Z]*[sF][a-zA-Z]*|--fstab|--tab-file)\b"
"""Options with which findmnt prints a table that is no list of mounts, such as /etc/fstab."""


class Findmnt(MountList, OrDocument):
    """What findmnt prints, as a tree, a list, raw, as pairs or as JSON, whichever columns were asked for."""

    tool = form = "findmnt"
    narrowing = r"-[a-zA-Z]*[tSTOMf]\b|--(?:types|source|target|options|mountpoint|first)|/|[A-Z]+="
    heading = r"(?=.*\bTARGET\b)(?=.*\bSOURCE\b)[A-Z%_ -]+$"
    first = r'\{\s*"filesystems"|(?:\S+="[^"]*" )*TARGET="'

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Expect the columns that it prints by default."""
        super().__init__(text, facts)
        self._columns = Columns("")
        self._begun: tuple[list[int], list[str], dict[str, str], str] | None = None
        """Numbers and texts of the lines of a row that goes on, its cells, and the column of the last one."""
        self._has_roots = re.search(r"\s(?:-[a-zA-Z]*v|--nofsroot)", text.command) is None
        """Whether a source is followed by the directory of its file system."""
        asked = re.search(r"\s(?:-[a-zA-Z]*o|--output)[= ]?([A-Z%,:-]+)", text.command)
        default = "TARGET,SOURCE,FSTYPE,OPTIONS" if text.tool == "findmnt" else ""
        self._names: list[str] = (asked[1] if asked else default).split(",")

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of findmnt: its rows may have any columns."""
        return _OF_FINDMNT.match(row) is not None

    @line(r"[A-Z%_:-]+(?:\s+[A-Z%_:-]+)+\s*")
    def head(self, match: re.Match[str]) -> bool:
        """Take a heading."""
        names = match[0].split()
        is_it = {"TARGET", "SOURCE"} <= {*names}
        if is_it:
            self._columns, self._names = Columns(match[0]), names
        return is_it

    @line(r'(?:[A-Z][A-Z0-9%_-]{0,30}="[^"]*"\s*)+')
    def pairs(self, match: re.Match[str]) -> bool:
        """Take a row of -P."""
        return self._add(dict(re.findall(r'([A-Z][A-Z0-9%_-]*)="([^"]*)"', match[0])))

    nothing = (r"Success, no errors or warnings detected",)

    def lost(self) -> None:
        """End a row whose rest did not follow."""
        self._end_begun()

    blank = lost

    def end(self) -> None:
        """End a row whose rest did not follow; take the mounts of -J."""
        self._end_begun()
        super().end()

    @line(r"[ |`├└│─-]*\S.*")
    def row(self, match: re.Match[str]) -> bool:
        """Take a row, or one that goes on behind a cell that was too long for its column."""
        row = match[0]
        if self._begun:
            lines, printed, cells, column = self._begun
            cells_behind, last = self._columns.continued(row, _RIGHT, column)
            if cells_behind:
                self._begun = None
                cells = {**cells, **cells_behind}
                if last:
                    self._begun = [*lines, self.number], [*printed, row], cells, last
                return bool(last) or self._add(cells)
            self._end_begun()
        cells, column = self._columns.begun(row, _RIGHT)
        if column and column != self._columns.last and not self._columns.exact(row, _RIGHT):
            self._begun = [self.number], [row], cells, column
            return True
        return self._take_row(row)

    def _end_begun(self) -> None:
        """Take the lines of a row whose rest did not follow as rows of their own."""
        begun, self._begun = self._begun, None
        here = self.number
        for self.number, row in zip(begun[0], begun[1], strict=True) if begun else ():
            if not self._take_row(row):
                self.strange.append(self.number)
        self.number = here

    def _take_row(self, row: str) -> bool:
        """Take a row below a heading: by where its cells stand, else by their number."""
        begin = len(row) - len(row.lstrip(_DRAWN))
        if begin and not row[:begin].strip():
            return False  # a row of a tree is drawn
        if not self._is_filled(row[begin:]):
            return False
        aligned = self._columns.cells(row, begin)
        if self._is_whole(aligned) and len(aligned) == len(self._names):
            return self._add(aligned)
        most = len(self._names) - 1
        cells = row[begin:].split(" ")
        if len(cells) != len(self._names):
            cells = re.split(" {2,}", row[begin:].rstrip())
        if len(cells) != len(self._names):
            cells = row[begin:].rsplit(None, most) if self._names[:1] == ["TARGET"] else row.split(None, most)
        counted = dict(zip(self._names, cells, strict=False))
        return self._add(counted if len(cells) == len(self._names) else aligned)

    def _is_filled(self, row: str) -> bool:
        """Return whether a row has as many words as columns that are empty in no row: it may be cut."""
        return len(row.split()) >= sum(name in _FILLED for name in self._names)

    @staticmethod
    def _is_whole(cells: Mapping[str, str]) -> bool:
        return cells.get("TARGET", "").lstrip(_DRAWN).startswith("/") and bool(cells.get("SOURCE"))

    def _add(self, cells: Mapping[str, str]) -> bool:
        if is_whole := self._is_whole(cells):
            source, point = (unescaped_hex(cells[name].strip()) for name in ("SOURCE", "TARGET"))
            point = point.lstrip(_DRAWN)
            device, root = _with_root(source)
            options = cells.get("OPTIONS", "")
            if self._has_roots:  # options are cut to the width of a terminal
                options = re.sub(r"(?:^|,)subvol=[^,]*$", "", options)
            self.add(device, point, cells.get("FSTYPE", ""), options, root if self._has_roots else "")
        return is_whole

    def document(self, document: dict[str, Any]) -> bool:
        """Take the mounts of -J."""
        return bool(self._add_children(document.get("filesystems"), 0))

    def _add_children(self, systems: Any, depth: int) -> int:
        count = 0
        for system in systems if isinstance(systems, list) and depth < MAX_DEPTH else ():
            if isinstance(system, dict):
                cells = {name.upper(): cell for name, cell in system.items() if isinstance(cell, str)}
                count += self._add(cells) + self._add_children(system.get("children"), depth + 1)
        return count


_RIGHT: Final = frozenset({"AVAIL", "FREQ", "ID", "PARENT", "PASSNO", "SIZE", "TID", "USE%", "USED"})
"""The columns whose cells end below their headings."""
_OF_FINDMNT: Final = re.compile(
    r"(?!\S+ on /.* type )(?:[|`├└│]|\s*[\"{}\[\]]|[A-Z_]+=\"|[A-Z%_-]+(?:\s+[A-Z%_-]+)+\s*$|/|\S+ +/)"
)
"""How rows of findmnt begin."""
_DRAWN: Final = " |`├└│─-"
_FILLED: Final = frozenset({"TARGET", "SOURCE", "FSTYPE", "OPTIONS", "MAJ:MIN"})
"""Columns that are empty in no row."""
MAX_DEPTH: Final = 32
"""Maximum depth of a tree in JSON."""


def _with_root(source: str) -> tuple[str, str]:
    """Return a source, and the directory of its file system that is mounted: `/dev/dasda1[/@/home]`."""
    match = re.fullmatch(r"(.*?)\[(/.*)\]", source)
    return (match[1], match[2]) if match else (source, "/")


_OF_DF: Final = r"Mounted on|Eingehängt auf|Monté sur|Montado en|Sys\. de fichiers|\S+"
"""The headings of df; some have two words."""
_AMOUNT: Final = r"(?:[0-9][0-9.,]*[BKMGTPEi]{0,3}|-)"


class Df(MountList):
    """What df prints, in any language; with -T the type stands behind the source.

    A long source has a line of its own in front of its figures.
    """

    tool = form = "df"
    narrowing = r"-[a-zA-Z]*[tlx]\b(?! ?(?:dev)?tmpfs)|--(?:type|exclude-type|local)\b|[/.]"
    heading = (
        r"Filesystem +(?:Type +)?(?:1K-blocks|Size|1024-blocks|1M-blocks)"
        r"|Dateisystem +(?:Typ +)?(?:1K-Blöcke|Größe)"
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a source."""
        super().__init__(text, facts)
        self._source, self._source_at = "", 0
        asked = re.search(r"\s--output=([a-z,]+)", text.command)
        self._names = asked[1].split(",") if asked else []
        self._columns = Columns("")
        self._has_type = text.tool != "df" or re.search(r"\s(?:-[a-zA-Z]*T|--print-type)", text.command)
        """Whether types stand behind sources; if it is not known, what looks like one is one."""

    def lost(self) -> None:
        """Know no source."""
        self._leave_source()

    @line(rf"(\S+)?\s+(?:([a-z][\w.-]{{0,30}})\s+)?(?:{_AMOUNT}\s+){{3}}(?:[0-9]{{1,3}}%|-)\s+(/.*)")
    def mount(self, match: re.Match[str]) -> bool:
        """Take a mount."""
        source, fstype, point = match.groups()
        if source and fstype and not self._has_type:
            source, fstype = f"{source} {fstype}", ""
        if source:
            self._leave_source()
        source, self._source = source or self._source, ""
        if source:
            self.add(source, point.rstrip(), fstype or "", "")
        return bool(source)

    @line(rf"(\S+(?: \S+)+)\s+(?:{_AMOUNT}\s+){{3}}(?:[0-9]{{1,3}}%|-)\s+(/.*)")
    def mount_of_share(self, match: re.Match[str]) -> bool:
        """Take a mount whose source has blanks, if it cannot be a source and a type."""
        is_it = not self._has_type
        if is_it:
            self._leave_source()
            self.add(match[1], match[2].rstrip(), "", "")
        return is_it

    @line(r"(?!/)\S.*\s\S.*|/\S*\s+\S.*")
    def chosen(self, match: re.Match[str]) -> bool:
        """Take a mount of `df --output=` with columns of words alone, or their heading."""
        if not {"target", "source"} <= {*self._names} <= {"target", "source", "fstype"}:
            return False
        if not len(self._columns):
            headings = [*Columns(match[0], _OF_DF)]
            self._columns = Columns(match[0], _OF_DF) if len(headings) == len(self._names) else self._columns
            return len(self._columns) > 0
        cells = dict(zip(self._names, self._columns.sliced(match[0]).values(), strict=False))
        is_whole = cells.get("target", "").startswith("/") and all(cells.values())
        if is_whole:
            self.add(cells["source"], cells["target"], cells.get("fstype", ""), "")
        return is_whole

    nothing = (rf"total(?:\s+{_AMOUNT}){{3}}\s+(?:[0-9]{{1,3}}%|-)(?:\s+-)?\s*",)

    @line(
        rf"(\S+)\s+([a-z][\w.-]{{0,30}})\s+(?:{_AMOUNT}\s+){{3}}(?:[0-9]{{1,3}}%|-)\s+(?:{_AMOUNT}\s+){{3}}(?:[0-9]{{1,3}}%|-)\s+"
        r"(?:-|/\S*)\s+(/.*)"
    )
    def output(self, match: re.Match[str]) -> None:
        """Take a mount of `df --output`."""
        self.add(match[1], match[3].rstrip(), match[2], "")

    @line(r"(\S*/\S*)\s*")
    def source(self, match: re.Match[str]) -> None:
        """Take a source whose figures follow."""
        self._leave_source()
        self._source, self._source_at = match[1], self.number

    def _leave_source(self) -> None:
        """Know that the rest of a line was cut, if no figures follow a source."""
        if self._source:
            self.strange.append(self._source_at)
        self._source = ""

    def end(self) -> None:
        """End a source without figures."""
        self._leave_source()

    @line(r"[^\W\d_][^/]*[^\W\d_]\s*")
    def head(self, _match: re.Match[str]) -> bool:
        """Take the heading, in any language."""
        return not self._rows and not self._source


def _plain(name: str) -> str:
    return unescaped(name.encode("utf-8", "surrogateescape"))


def _merged(outputs: Iterable[Iterable[MountRow]]) -> dict[tuple[str, int], MountRow]:
    """Return the mounts of all outputs of a tool; what two of them say otherwise is open.

    A point that one output has again is mounted upon.
    """
    merged: dict[tuple[str, int], MountRow] = {}
    for rows in outputs:
        seen: dict[str, int] = {}
        for row in rows:
            nth = seen[row.point] = seen.get(row.point, 0) + 1
            first = merged.setdefault((row.point, nth), row)
            if first.source != row.source and not first.other:
                merged[row.point, nth] = first._replace(other=f"{row.source} by {row.place}")
    return merged


def best_mounts(facts: Facts) -> list[MountRow]:
    """Return the mounts of all outputs, those of the best form first: others may have more mount points.

    If two outputs of a tool have another source for a mount point, its source is open.
    """
    lists = [rows for form in FORMS if any(rows := facts.mount_lists.get(form, []))]
    of_devices: dict[str, list[MountRow]] = {}
    for mount in facts.mounts.values():
        of_devices.setdefault(mount.output, []).append(mount)
    merged: dict[tuple[str, int], MountRow] = {}
    for outputs in (*lists, [*of_devices.values()]):
        told = _merged(outputs)
        points = {point for point, _nth in merged}
        merged |= {key: row for key, row in told.items() if key[0] not in points}
    roots = {
        (row.point, row.source): row.root or "/"
        for rows in facts.mount_lists.get("findmnt", ())
        for row in rows
    }
    rooted = (
        row._replace(root=row.root or roots.get((row.point, row.source), "")) for row in merged.values()
    )
    return [*_bound([*rooted])]


def _bound(rows: list[MountRow]) -> Iterator[MountRow]:
    """Yield mounts; a directory that is mounted a second time, `type none`, as what it is a part of."""
    points = {row.point: row for row in rows}
    for row in rows:
        above = row.source if row.fstype == "none" else ""
        while above.strip("/") and points.get(above) in {None, row}:
            above = posixpath.dirname(above)
        if source := points.get(above):
            part = posixpath.relpath(row.source, above)
            root = posixpath.normpath(posixpath.join(source.root or "/", part))
            points[row.point] = source._replace(point=row.point, place=row.place, root=root)
        yield points[row.point] if source else row


def name_devices(named: list[tuple[str, str]], facts: Facts) -> None:
    """Say of block devices that mounts and swap areas name what they are."""
    for area, row in facts.rows.get(SWAP.name, {}).items():
        named += [(area, fact.place) for fact in row.get("sort", ()) if fact.value == "partition"]
    for device, place in named:
        name = device.removeprefix("/dev/")
        is_mapped = name.startswith("mapper/") or mapped_name(name)
        if name != device and (is_mapped or is_of_kernel(name)):
            sort = "dm" if is_mapped else sort_of(name, is_below=True)
            facts.say(LAYER, facts.name_device(name, place), place, sort=sort)


UNLISTED: Final = "mapped:btrfs"
"""Stands for the number of further devices that a btrfs may have, where no text lists its devices."""


def open_btrfs(rows: list[MountRow], facts: Facts) -> None:
    """Say what stands for further devices of a btrfs; its mount names one of them."""
    for row in rows:
        if row.fstype == "btrfs":
            facts.say(LAYER, UNLISTED, row.place, mapped="devices that `btrfs filesystem show` would list")


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


UNNAMED: Final = "?0"
"""Stands for the ids of devices of a btrfs that are counted and not named."""


class BtrfsShow(Reading):
    """The devices of each btrfs by their ids; more that belong to it are missing ones."""

    tool = "btrfs"
    first = r"Label: .*uuid: "
    nothing = (
        r"\s*\*\*\* Some devices missing\s*",
        r"btrfs-progs v\S+",
        r"warning(?:, |: )device [0-9]+ (?:is )?missing.*",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a file system."""
        super().__init__(text, facts)
        self._uuid = ""
        self._totals: dict[str, tuple[int, str]] = {}

    def lost(self) -> None:
        """Know no file system; that of the line before may have a device more."""
        if self._uuid:
            self.facts.btrfs.setdefault(self._uuid, {})[UNNAMED] = self._lost(self._uuid), self.place
        self._uuid = ""

    @line(r"(?:Label: .*)?\buuid: ([0-9a-f-]{36})\s*")
    def shown(self, match: re.Match[str]) -> None:
        """Take the first line about a file system."""
        self._uuid = match[1]

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
        r" path (?:(/dev/\S{1,255})|<missing disk>|)(?:\s+MISSING)?\s*"
    )
    def device(self, match: re.Match[str]) -> bool:
        """Take a device."""
        uuid = self._uuid
        if uuid:
            name = match[2].removeprefix("/dev/") if match[2] else self._lost(uuid)
            self.facts.btrfs.setdefault(uuid, {})[match[1]] = name, self.place
            self.facts.name_dasd(name, self.place)
        return bool(uuid)

    def end(self) -> None:
        """Say that devices are missing where fewer are listed than are counted."""
        for uuid, (total, place) in self._totals.items():
            devices = self.facts.btrfs.setdefault(uuid, {})
            devices.pop(UNNAMED, None)
            if len(devices) < total:
                devices[UNNAMED] = self._lost(uuid), place

    def _lost(self, uuid: str) -> str:
        """Return the word that stands for the devices of a btrfs that are not named."""
        self.facts.lost[f"?{uuid}"] = f"missing: {uuid[:8]}"
        return f"?{uuid}"


_IN_ROWS: Final = r"([Pp]artition|file|Datei|fichier|fichero|archivo|partición)"
_SIZE: Final = r"[0-9]{1,18}(?:[.,][0-9]{1,3})?[BKMGTPE]?"
_SHOWN: Final = ("NAME", "TYPE", "SIZE", "USED", "PRIO")
"""The columns of `swapon --show` if none are asked for."""
_OTHER_COLUMN: Final = "(?:TYPE|SIZE|USED|PRIO|UUID|LABEL)"
_SHOWN_RIGHT: Final = frozenset({"SIZE", "USED", "PRIO"})


class Swaps(Reading):
    """The swap areas of /proc/swaps and `swapon -s`, in KiB, or of `swapon --show`, rounded or in bytes."""

    tool = "swapon"
    tells = ("swap",)
    heading = (
        r"Filename\s+Type\s+Size|\S+\t{4}\S+\t\t\S+\t\t\S+\t\t\S+\s*$"
        rf"|(?=.*\b(?:USED|PRIO)\b)(?:{_OTHER_COLUMN} +)*NAME(?: +{_OTHER_COLUMN})* *$"
    )
    first = rf"/.* (?:partition|file)\s+{_SIZE}\s+{_SIZE}\s+-?[0-9]{{1,6}}\s*$"

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin; without a heading the columns are those that were asked for."""
        super().__init__(text, facts)
        asked = re.search(r"\s--show=(\S+)", text.command)
        self._asked = asked[1].upper().split(",") if asked else [*_SHOWN]
        self._columns: Columns | None = None
        self._unit = KIB if text.file or re.search(r"\s(?:-s|--summary)\b", text.command) else 0
        """Bytes of a number without a unit; 0 if that is not known."""
        if re.search(r"\s(?:--bytes|--show)\b", text.command):
            self._unit = 1

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of an area: it may have any columns."""
        return re.match(rf"/\S+\s|.*\s{_IN_ROWS}\s| *(?:[A-Z]+ +)*NAME\b|\S+\t\t", row) is not None

    @line(r" *(?:[A-Z]+ +)*NAME(?: +[A-Z]+)* *")
    def columns(self, match: re.Match[str]) -> None:
        """Take the heading of --show."""
        self._columns, self._unit = Columns(match[0]), 1

    @line(rf"(/.*?)\s+{_IN_ROWS}\s+({_SIZE})\s+({_SIZE})\s+(-?[0-9]{{1,9}})\s*")
    def area(self, match: re.Match[str]) -> bool:
        """Take an area with the columns of the kernel; tabs stand in its list alone."""
        name, sort, size, used, priority = match.groups()
        if [*self._columns] != [*_SHOWN] if self._columns else self._asked != [*_SHOWN]:
            return False
        if "\t" in match[0] and not self._columns:
            self._unit = KIB
        self._say(_plain(unescaped_hex(name)), {"TYPE": sort, "SIZE": size, "USED": used, "PRIO": priority})
        return True

    @line(r".*\S.*")
    def shown(self, match: re.Match[str]) -> bool:
        """Take an area of --show with other columns."""
        row, names = match[0], [*self._columns] if self._columns else self._asked
        cells = self._columns.exact(row, _SHOWN_RIGHT) if self._columns else {}
        cells = cells or raw_cells(row, names)
        if (
            not cells
            and names[:2] == ["NAME", "TYPE"]
            and (loose := re.match(rf"(/\S*)\s+{_IN_ROWS}\s", row))
        ):
            cells = {"NAME": loose[1], "TYPE": loose[2]}
        cells = {name: cell.strip() for name, cell in cells.items()}
        is_it = cells.get("NAME", "").startswith("/") and self._fits(cells)
        if is_it:
            self._say(cells["NAME"], cells)
        return is_it

    @staticmethod
    def _fits(cells: Mapping[str, str]) -> bool:
        patterns = {"TYPE": _IN_ROWS, "SIZE": _SIZE, "USED": _SIZE, "PRIO": "-?[0-9]{1,9}"}
        return all(re.fullmatch(patterns[name], cells[name]) for name in patterns.keys() & cells.keys())

    @line(r"[^\W\d_][^/0-9]+")
    def head(self, _match: re.Match[str]) -> bool:
        """Take the heading of the kernel's list, in any language."""
        return not self.number

    def _say(self, name: str, cells: Mapping[str, str]) -> None:
        printed = cells.get("TYPE", "").casefold()
        is_part = (
            printed.startswith("partici") or printed == "partition" if printed else name.startswith("/dev/")
        )
        sort = "partition" if is_part else "file"
        values: dict[str, Value] = {"sort": sort}
        if "PRIO" in cells:
            values["priority"] = int(cells["PRIO"])
        for field, column in (("size", "SIZE"), ("used", "USED")):
            if self._unit and cells.get(column, "").isdecimal():
                values[field] = int(cells[column]) * self._unit
        self.facts.say(SWAP, name, self.place, **values)


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
    of_source = Counter(row.source for row in rows)
    for key, row in enumerate(rows, 1):
        number: Value = _number_of(row.source, numbers)
        if row.other:
            number = CONTRADICTED.about(f"{row.source} by {row.place}, {row.other}")
        devices: Value = number if row.other else NO_OTHER
        fstype = row.fstype or ("btrfs" if _members_with(number, facts, numbers) else "")
        if fstype == "btrfs":
            devices = _devices_of(number, facts, numbers)
            number = anonymous.setdefault(row.source, f"0:{len(anonymous) + 1_000_000}")
        elif isinstance(number, Absent):
            number = anonymous.setdefault(
                f"{row.fstype} {row.source} {row.point}", f"0:{len(anonymous) + 1_000_000}"
            )
        subvolume = re.search(r"(?:^|,)subvol=(/[^,]*)", row.options)
        whole: Value = NO_ROOT if of_source[row.source] > 1 else "/"
        mounts[str(key)] = {
            "number": number,
            "root": subvolume[1] if subvolume else row.root or whole,
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


def fill_btrfs(mounted: Frame, facts: Facts, layers: Frame) -> tuple[Frame, dict[str, dict[str, Value]]]:
    """Return the mounts of kernel files, with the devices of each btrfs that texts list, and `ORIGIN` rows.

    Of a btrfs a mount names one device.
    """
    columns = {name: [*mounted.column(name)] for name in mounted.columns}
    numbers = _numbers(layers)
    origins: dict[str, dict[str, Value]] = {}
    for at, key in enumerate(mounted.keys):
        if columns["fstype"][at] != "btrfs" or not isinstance(columns["devices"][at], Absent):
            continue
        number = _number_of(text_of(columns["source"][at]), numbers)
        devices = _devices_of(number, facts, numbers)
        if not isinstance(devices, Absent):
            columns["devices"][at] = devices
            listed = (device for members in facts.btrfs.values() for device in members.values())
            place = next(
                (place for name, place in listed if numbers.get(name) == number), "/proc/self/mountinfo"
            )
            origins[f"{MOUNT.name} {key}"] = {"texts": f"devices = {place}"}
    return (mounted.but(columns=columns) if origins else mounted), origins


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
            if link.startswith(("disk/by-uuid/", "disk/by-partuuid/")):
                numbers.setdefault(link.casefold(), number)
    return numbers


def _volume(mapped: str) -> str:
    """Return `group/volume` for the name of a logical volume in /dev/mapper."""
    group, dash, volume = mapped.replace("--", "\0").partition("-")
    return f"{group}/{volume}".replace("\0", "-") if dash else f"mapper/{mapped}"


def _number_of(source: str, numbers: Mapping[str, str]) -> Value:
    name = tagged(source).removeprefix("/dev/")
    if name == source:
        return NO_NUMBER
    return numbers.get(name) or numbers.get(name.casefold()) or NO_NUMBER


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
    return f"?1={number} {UNNAMED}={UNLISTED}" if isinstance(number, str) else NO_NUMBER
