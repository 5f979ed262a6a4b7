r"""Mounts in texts: /proc/mounts, /proc/self/mountinfo, mount, findmnt, df.

    /dev/dasda1 / ext4 rw,relatime 0 0                          /proc/mounts; blanks in names are `\040`
    /dev/dasda1 on / type ext4 (rw,relatime)                    mount; with -l a label in brackets behind it
    └─/boot  /dev/dasda1  ext4  rw,relatime                     findmnt, as a tree
    /dev/dasda1      6924900 2345678   4204320  36% /           df

Sources: util-linux, misc-utils/findmnt.c; coreutils, src/df.c.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from zmon.base.plain_text import unescaped_hex
from zmon.collected.columns import BegunRow, Columns, asked_columns
from zmon.collected.facts import MountRow
from zmon.collected.reading import MAX_DEPTH, OrDocument, Reading, line, objects
from zmon.kernel.mountinfo import parse_mountinfo, unescaped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

MAX_MOUNTS: Final = 100_000
"""Maximum number of mounts in a text."""
FORMS: Final = ("proc/self/mountinfo", "proc/mounts", "mount", "findmnt", "df", "zfs")
"""What lists mounts, the one with the most to say first."""


_ELSEWHERE: Final = re.compile(
    r"(?:sudo +)?(?:nsenter\b(?=.*\s(?:-[a-zA-Z]*[ma]|--mount|--all)\b).*?\s"
    r"(?:-t|--target)[ =]?(?!1\b)([0-9]{1,10})\b"
    r"|(?:podman|docker|nerdctl|crictl|kubectl|oc|lxc)\b.*?\s(?:exec|run|rsh|debug|attach) +(?:-\S+ +)*"
    r"([\w./-]{1,64})(?=\s)|(lxc-attach|machinectl|systemd-nspawn)\b).*"
)
"""A command that runs another in the namespace of a process or a container."""


_DECORATED: Final = re.compile(r"^[^\w\s/:.]+/dev/|&#?\w+;|[*`](?: |$)")
"""What people and their editors put around a source or a mount point."""


class MountList(Reading):
    """Mounts; `facts` gets the list of each output."""

    tells = ("mount",)

    form: ClassVar[str]
    longest = 1 << 17  # an overlay with many layers

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin a list."""
        super().__init__(text, facts)
        self._rows: list[MountRow] = []
        elsewhere = _ELSEWHERE.fullmatch(text.command)
        self._seen_by = next(filter(None, elsewhere.groups())).rpartition("/")[2] if elsewhere else ""
        facts.mount_lists.setdefault(self.form, []).append(self._rows)

    @property
    def is_part(self) -> bool:
        """Whether some mounts are left out, as the host's in another namespace."""
        return super().is_part or bool(self._seen_by)

    def add(self, source: str, point: str, fstype: str, options: str, root: str = "") -> None:
        """Take a mount, unless the name of its source, or where it is, has more around it."""
        if _DECORATED.search(f"{source} {point}"):
            self.strange.append(self.number)
        elif len(self._rows) < MAX_MOUNTS:
            here, output = self.place, self.text.place()
            self._rows.append(
                MountRow(source, point, fstype, options, here, root, output, seen_by=self._seen_by)
            )


class ProcMounts(MountList):
    """/proc/mounts."""

    form = "proc/mounts"
    first = r"\S+ /\S* \S+ r[ow](?:,\S*)? 0 0\s*$"

    @line(r"(\S+) (/\S*) (\S{1,64}) (\S+) [0-9] [0-9]\s*")
    def mount(self, match: re.Match[str]) -> None:
        """Take a mount."""
        source, point = (unescaped(os.fsencode(name)) for name in match.groups()[:2])
        self.add(source, point, match[3], match[4])


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

    @line(r"/dev/\S+\s+/\S*(?:\s+[a-z]\w*)?\s*")
    def chosen(self, match: re.Match[str]) -> bool:
        """Take what awk left of a row: the first, third and fifth words are source, point and type."""
        asked = re.search(r"awk\s.*?print\s+([$0-9, \"'\\t]+)", self.text.command)
        cells = dict(zip(re.findall(r"\$([0-9])", asked[1]) if asked else (), match[0].split(), strict=False))
        is_whole = {"1", "3"} <= cells.keys()
        if is_whole:
            self.add(cells["1"], cells["3"], cells.get("5", ""), "")
        return is_whole


FROM_TABLE: Final = r"(?:-[a-zA-Z]*[sF][a-zA-Z]*|--fstab|--tab-file)\b"
"""Options with which findmnt prints a table that is no list of mounts, such as /etc/fstab."""


_ON_DISK: Final = r"(?:ext[234]|xfs|btrfs|jfs|reiserfs|ocfs2|gfs2|vfat|iso9660)"
_RAW: Final = rf"(?:/dev/\S+ /\S*|/\S* /dev/\S+) {_ON_DISK}\s*$"
"""A row of `findmnt -rn -o SOURCE,TARGET,FSTYPE`, or with the first two the other way round."""


class Findmnt(MountList, OrDocument):
    """What findmnt prints, as a tree, a list, raw, as pairs or as JSON, whichever columns were asked for."""

    tool = form = "findmnt"
    narrowing = r"-[a-zA-Z]*[tSTOMf]\b|--(?:types|source|target|options|mountpoint|first)|/|[A-Z]+="
    heading = r"(?=.*\bTARGET\b)(?=.*\bSOURCE\b)[A-Z%_ -]+$"
    first = rf'\{{\s*"filesystems"|(?:\S+="[^"]*" )*TARGET="|{_RAW}'

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Expect the columns that it prints by default."""
        super().__init__(text, facts)
        self._begun: BegunRow | None = None
        self._has_roots = re.search(r"\s(?:-[a-zA-Z]*v|--nofsroot)", text.command) is None
        """Whether a source is followed by the directory of its file system."""
        default = ["TARGET", "SOURCE", "FSTYPE", "OPTIONS"] if text.tool == "findmnt" else [""]
        self._names = [name.upper() for name in asked_columns(text.command)] or default
        asked, self._asked = text.command.split(" ")[-1], dict[str, str]()
        """What the command asks for, and does not print: the source, or the mount point."""
        if asked.startswith("/") and not re.search(r"\s(?:-[a-zA-Z]*T|--target)", text.command):
            name = "SOURCE" if asked.startswith("/dev/") else "TARGET"
            self._asked = {} if name in self._names else {name: asked}
        self._is_raw = False
        """Whether rows alone tell that they are of findmnt: which rows it was asked for is not known."""

    @property
    def is_part(self) -> bool:
        """Whether the command was asked for some mounts, or no command is there."""
        return super().is_part or self._is_raw

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
        row, columns = match[0], self._columns
        if self._begun and (begun := columns.continued(self._begun, self.number, row, _RIGHT)):
            self._begun = begun if begun.column else None
            return bool(begun.column) or self._add(begun.cells)
        self._end_begun()
        begun = columns.begun(self.number, row, _RIGHT)
        if begun and not columns.exact(row, _RIGHT):
            self._begun = begun
            return True
        return self._take_row(row)

    def _end_begun(self) -> None:
        """Take the lines of a row whose rest did not follow as rows of their own."""
        begun, self._begun = self._begun, None
        here = self.number
        for self.number, row in begun.lines.items() if begun else ():
            if not self._take_row(row):
                self.strange.append(self.number)
        self.number = here

    def _take_row(self, row: str) -> bool:
        """Take a row below a heading: by where its cells stand, else by their number."""
        if not self.text.command and not len(self._columns) and re.fullmatch(_RAW, row):
            self._is_raw = True
            names = ["SOURCE", "TARGET"] if row.startswith("/dev/") else ["TARGET", "SOURCE"]
            self._names = [*names, "FSTYPE"]
        begin = len(row) - len(row.lstrip(_DRAWN))
        if begin and not row[:begin].strip():
            return False  # a row of a tree is drawn
        if not self._is_filled(row[begin:]):
            return False
        aligned = self._columns.cells(row, begin)
        if self._is_whole({**aligned, **self._asked}) and len(aligned) == len(self._names):
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
        cells = {**cells, **self._asked}
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
        for system in objects(systems) if depth < MAX_DEPTH else ():
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


def _with_root(source: str) -> tuple[str, str]:
    """Return a source, and the directory of its file system that is mounted: `/dev/dasda1[/@/home]`."""
    match = re.fullmatch(r"(.*?)\[(/.*)\]", source)
    return (match[1], match[2]) if match else (source, "/")


_OF_DF: Final = r"Mounted on|Eingehängt auf|Monté sur|Montado en|Sys\. de fichiers|\S+"
"""The headings of df; some have two words."""
_AMOUNT: Final = r"(?:[0-9][0-9.,]*[BKMGTPEi]{0,3}|-)"
_FIGURES: Final = rf"(?:{_AMOUNT}\s+){{3}}(?:[0-9]{{1,3}}%|-)"
"""Size, used, left, and used in percent."""


class Df(MountList):
    """What df prints, in any language; with -T the type stands behind the source.

    A long source has a line of its own in front of its figures.
    """

    tool = form = "df"
    unbroken = True
    narrowing = r"-[a-zA-Z]*[tlx]\b(?! ?(?:dev)?tmpfs)|--(?:type|exclude-type|local)\b|[/.]"
    heading = (
        r"Filesystem +(?:Type +)?(?:1K-blocks|Size|1024-blocks|1M-blocks)"
        r"|[^\W\d_][^\s/%]*(?: [^\s/%]+){0,2} +(?:[^\s/%]+ +)?[^\s/%]+(?: de 1[KM])? +[^\s/%]+ +[^\s/%]+"
        r" +[^\W\d]{2,8}\.?% +[^\W\d_]\S*(?: [^\W\d_]\S*)?\s*$"
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a source."""
        super().__init__(text, facts)
        self._source, self._source_at = "", 0
        self._names = asked_columns(text.command, "--output(?==)")
        self._has_type = text.tool != "df" or re.search(r"\s(?:-[a-zA-Z]*T|--print-type)", text.command)
        """Whether types stand behind sources; if it is not known, what looks like one is one."""

    @classmethod
    def begins(cls, row: str) -> bool:
        """Return whether a line has figures, and so is none of a mount point that a terminal folded."""
        return not row.strip() or re.fullmatch(rf"(?:\S.*?)?\s+{_FIGURES}\s+/.*", row) is not None

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
