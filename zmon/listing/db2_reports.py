"""Db2's reports of its containers, in three forms, each joined with the tablespaces of the same report.

**SQL**: the table function MON_GET_CONTAINER, or the older CONTAINER_UTILIZATION.  The best of Db2's
sources: paths and sizes of every container.  Any spool with a heading is read.  The output of `db2 -x`,
which has none, needs columns separated by tabs in the order of `COLUMNS`, at least the first six:

    db2 -x "SELECT TBSP_NAME || CHR(9) || TBSP_ID || CHR(9) || CONTAINER_NAME || ... FROM TABLE(
        MON_GET_CONTAINER('', -2))"

Sizes are in pages there, so TBSP_PAGE_SIZE of MON_GET_TABLESPACE has to be joined, or spooled to the same
file; without it bytes are not known.

**LIST TABLESPACES SHOW DETAIL** and **LIST TABLESPACE CONTAINERS FOR n**: lines of `key = value`; the second
names its tablespace by number alone, so the two are joined.  A file holds many of them one after another,
among prompts, commands and messages, in any order; keys are those of an English locale.

**db2pd -db X -tablespaces**: blocks of columns, which differ by version and are taken by name.  Each database
partition starts with a line of its own, `Database Partition 0 -- Database X -- Active ...`.  The last column
of a row, a name or a path, may hold blanks.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing import containers as c
from zmon.listing.delimited import (
    ViewHeading,
    find_heading,
    multiply,
    numbered_lines,
    view_rows,
    whole_number,
)
from zmon.listing.not_understood import Note, quote, similar_word, unread_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.listing.containers import Container
    from zmon.listing.delimited import ViewRow

_KINDS: Final = {"FILE": c.FILE, "DISK": c.DEVICE, "PATH": c.DIRECTORY, "DEVICE": c.DEVICE}
"""The kind of a container, by the first word of its type: `FILE_EXTENT_TAG`."""


_STORAGES: Final = {
    c.DIRECTORY: c.SMS, c.FILE: c.DMS, c.DEVICE: c.DMS, "SMS": c.SMS, "DMS": c.DMS, "SYSTEM": c.SMS,
    "DATABASE": c.DMS,
}  # fmt: skip
"""Who manages the space, by the kind of a container or the first word of the type of a tablespace."""


class _Space(NamedTuple):
    """A tablespace as a report has it."""

    name: str = ""
    role: str = c.UNKNOWN
    page: int | None = None
    """Bytes of a page."""
    line: int = 0
    partition: int | None = None
    containers: int | None = None
    """The number of its containers, if known."""
    storage: str = ""
    """As in a container."""

    def joined(self, row: Container) -> Container:
        """Return a container of it, whose size is in pages; a directory always has 1."""
        storage = self.storage or _STORAGES.get(row.kind, "")
        pages = None if row.kind == c.DIRECTORY or storage == c.SMS else row.bytes_declared
        return row._replace(
            tablespace=self.name,
            role=self.role,
            bytes_declared=multiply(pages, self.page),
            storage=storage,
        )


def _kind(word: str) -> str:
    return _KINDS.get(word.strip().upper().split("_")[0].split(" ")[0], "")


def _storage(sort: str) -> str:
    """Return who manages the space of a tablespace of this type; empty for an unknown type."""
    return _STORAGES.get("".join(sort.upper().split()[:1]), "")


class _NumberedReport:
    """Tablespaces, and containers that name their tablespace by its number."""

    def __init__(self) -> None:
        self.spaces: dict[tuple[str, int | None, str], _Space] = {}
        """By database, partition and number; partition None is any."""
        self.containers: list[tuple[Container, str]] = []

    def joined(self) -> Iterator[Container]:
        """Yield the containers, each as one of its tablespace."""
        for row, number in self.containers:
            space = self.spaces.get((row.database, row.partition, number))
            space = space or self.spaces.get((row.database, None, number)) or _Space(f"#{number}")
            yield space.joined(row)

    def miscounted(self, *, listed: bool) -> Iterator[Note]:
        """Note the tablespaces that have more containers than were read, or, if they are listed, fewer."""
        counts = Counter((row.database, row.partition, number) for row, number in self.containers)
        for key, space in self.spaces.items():
            lacking = 0 if space.containers is None else space.containers - counts[key]
            if key[1] == space.partition and (lacking and counts[key] if listed else lacking > 0):
                remark = f"{space.name!r} has {space.containers} containers, and {counts[key]} listed"
                yield Note(space.line, remark, unread=True)


class _Headings(NamedTuple):
    """The keys or columns by which a report names each fact of a tablespace and a container."""

    page: str
    content: str
    containers: str
    number: str
    path: str
    pages: str


_LISTED: Final = _Headings(
    "Page size (bytes)", "Contents", "Number of containers", "Container ID", "Name", "Total pages"
)
_PRINTED: Final = _Headings("PageSz", "Content", "NumCntrs", "ContainNum", "Container", "TotalPgs")
_TEMPORARY: Final = re.compile(r"SYSTE?MP|USRTE?MP|TE?MP|.*TEMPORARY.*", re.IGNORECASE | re.DOTALL)


def _space(cells: Mapping[str, str], names: _Headings, line: int, partition: int | None) -> _Space:
    content = cells.get(names.content, "")
    role = c.TEMP if _TEMPORARY.fullmatch(content) else c.DATA if content else c.UNKNOWN
    page, count = (whole_number(cells.get(name, "").strip()) for name in (names.page, names.containers))
    name, storage = cells.get("Name", "").rstrip(), _storage(cells.get("Type", ""))
    return _Space(name, role, page, line, partition, count, storage)


def _container(cells: Mapping[str, str], names: _Headings, blank: Container, nameless: str) -> Container:
    """Return a container; `nameless` is the problem of one without a path."""
    number, pages = (whole_number(cells.get(name, "").strip()) for name in (names.number, names.pages))
    kind, path = _kind(cells.get("Type", "")), cells.get(names.path, "")
    problem = "" if path else nameless
    return blank._replace(container_id=number, kind=kind, path=path, bytes_declared=pages, problem=problem)


def _not_accessible(line: int, path: str) -> Note:
    return Note(line, f"{path!r} was not accessible to Db2")


# SQL

COLUMNS: Final = (
    "TBSP_NAME", "TBSP_ID", "CONTAINER_NAME", "CONTAINER_ID", "MEMBER", "CONTAINER_TYPE", "STRIPE_SET",
    "DIRECT_READS", "DIRECT_WRITES", "DIRECT_READ_TIME", "DIRECT_WRITE_TIME", "PAGES_READ", "PAGES_WRITTEN",
    "VECTORED_IOS", "PAGES_FROM_VECTORED_IOS", "BLOCK_IOS", "PAGES_FROM_BLOCK_IOS", "POOL_READ_TIME",
    "POOL_WRITE_TIME", "TOTAL_PAGES", "USABLE_PAGES", "ACCESSIBLE", "FS_ID", "FS_TOTAL_SIZE", "FS_USED_SIZE",
    "DB_STORAGE_PATH_ID",
)  # fmt: skip
"""The columns of MON_GET_CONTAINER in its order."""
VIEWS: Final = {
    "containers": frozenset({"TBSP_NAME", "CONTAINER_NAME"}),
    "tablespaces": frozenset({"TBSP_NAME", "TBSP_PAGE_SIZE"}),
}
_CONTENT: Final = {
    "SYSTEMP": c.TEMP, "USRTEMP": c.TEMP, "ANY": c.DATA, "REGULAR": c.DATA, "LARGE": c.DATA, "LONG": c.DATA,
}  # fmt: skip


def recognise_sql(head: str) -> bool:
    """Return whether a text has the heading of such a spool, or begins with a row of one without."""
    wanted = {"containers": VIEWS["containers"]}
    return any(find_heading(line, wanted) or _without_heading(line) for line in head.split("\n"))


def _without_heading(line: str) -> ViewHeading | None:
    """Recognise a row that `db2 -x` printed, with tabs between the columns."""
    cells = [cell.strip() for cell in line.split("\t")]
    numbers = len(cells) >= 6 and all(cells[place].isdecimal() for place in (1, 3, 4))
    if not numbers or len(cells) > len(COLUMNS) or _kind(cells[5]) == "":
        return None
    return ViewHeading("containers", "\t", COLUMNS[: len(cells)])


def parse_sql(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read the rows of MON_GET_CONTAINER, joined with those of MON_GET_TABLESPACE if there are any."""
    notes: list[Note] = []
    spaces: dict[str, _Space] = {}
    listed: list[ViewRow] = []
    for row in view_rows(text, VIEWS, notes, _without_heading):
        name, page = _sql_name(row), row.whole("TBSP_PAGE_SIZE")
        if row.problem or row.text("CONTAINER_NAME"):
            listed.append(row)
        is_automatic = row.whole("TBSP_USING_AUTO_STORAGE") == 1
        storage = c.AUTOMATIC if is_automatic else _storage(row.text("TBSP_TYPE"))
        if (page is not None or storage) and (name not in spaces or spaces[name].page is None):
            role = _CONTENT.get(row.text("TBSP_CONTENT_TYPE").strip().upper(), c.UNKNOWN)
            spaces[name] = _Space(name, role, page, storage=storage)
    made = []
    lacking: dict[str, int] = {}
    for row in listed:
        if row.problem:
            notes.append(unread_row(row.line, row.problem))
        notes += row.unclear("TOTAL_PAGES", "TBSP_PAGE_SIZE", "CONTAINER_ID", "MEMBER")
        name = _sql_name(row)
        space = spaces.get(name, _Space(name))
        made.append(space.joined(_sql_container(row, origin, options)))
        if space.page is None and row.whole("TOTAL_PAGES") is not None:
            lacking.setdefault(name, row.line)
        if row.text("ACCESSIBLE").strip().upper() in {"0", "N", "NO"}:
            notes.append(_not_accessible(row.line, row.text("CONTAINER_NAME")))
    notes += [
        Note(line, f"{name!r}: pages of unknown size; join TBSP_PAGE_SIZE of MON_GET_TABLESPACE")
        for name, line in lacking.items()
    ]
    return c.content_of(made, notes)


def _sql_name(row: ViewRow) -> str:
    """Return the tablespace of a row, without the blanks that pad a column of fixed length."""
    return row.text("TBSP_NAME").rstrip()


def _sql_container(row: ViewRow, origin: str, options: c.Options) -> Container:
    member = row.whole("MEMBER")
    return c.Container(
        database=row.text("DB_NAME") or options.database,
        container_id=row.whole("CONTAINER_ID"),
        partition=member if member is not None else row.whole("DBPARTITIONNUM"),
        kind=_kind(row.text("CONTAINER_TYPE")),
        path=row.text("CONTAINER_NAME"),
        base_dir=options.base_dir,
        bytes_declared=row.whole("TOTAL_PAGES"),
        source=origin,
        line=row.line,
        problem=row.problem,
    )


# LIST TABLESPACES

_LIST: Final = re.compile(
    r"\s*Tablespaces for (?:Current Database|Database Partition (\d{1,4}))", re.IGNORECASE
)
_CONTAINERS: Final = re.compile(
    r"\s*Tablespaces? Containers? for Tablespaces? (\d{1,9})(?: on (?:Database )?Partition (\d{1,4}))?",
    re.IGNORECASE,
)
_PAIR: Final = re.compile(r"\s*([A-Za-z][A-Za-z ()]{0,40}?)\s*= ?(.*)", re.DOTALL)
_DATABASE: Final = re.compile(
    r"\s*(?:Local database alias|Database name)\s*=\s*(\S+)|[^=/]*\bconnect to (\w{1,8})\b", re.IGNORECASE
)
_KEYS: Final = frozenset({
    "Accessible", "Container ID", "Contents", "Detailed explanation", "Extent size (pages)", "Free pages",
    "High water mark (pages)", "Minimum recovery time", "Name", "Number of containers",
    "Number of quiescers", "Page size (bytes)", "Prefetch size (pages)", "State", "State change object ID",
    "State change tablespace ID", "Tablespace ID", "Total pages", "Type", "Usable pages", "Useable pages",
    "Used pages",
})  # fmt: skip
_HEADING: Final = re.compile(
    r"[^=]*\bTablespaces?\b[^=]*\b(?:Container|Tablespace)s?\b[^=]*\d", re.IGNORECASE
)
"""A heading in other words, or a mistyped one."""
_COMMAND: Final = re.compile(r"\blist\s+tablespace", re.IGNORECASE)


class _Block(NamedTuple):
    """The pairs of one tablespace or container, with their first line."""

    line: int
    pairs: dict[str, str]
    database: str
    partition: int | None
    of: int | None
    """Number of the tablespace, of a container."""


def recognise_list(head: str) -> bool:
    """Return whether a text has the heading of one of the two."""
    return any(_LIST.match(line) or _CONTAINERS.match(line) for line in head.split("\n"))


def parse_list(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read all containers of all listings, with the names of their tablespaces."""
    notes: list[Note] = []
    report = _NumberedReport()
    for block in _blocks(text, options.database, notes):
        if block.of is not None:
            row = c.Container(block.database, partition=block.partition, source=origin, line=block.line)
            row = row._replace(base_dir=options.base_dir)
            nameless = f"container {block.pairs.get('Container ID', '').strip()} has no name"
            row = _container(block.pairs, _LISTED, row, nameless)
            pages = block.pairs.get("Total pages", "").strip()
            if pages and row.bytes_declared is None:
                notes.append(Note(row.line, f"not understood: Total pages {quote(pages)}", unread=True))
            report.containers.append((row, str(block.of)))
            if row.path and block.pairs.get("Accessible") == "No":
                notes.append(_not_accessible(row.line, row.path))
        elif number := block.pairs.get("Tablespace ID", ""):
            space = _space(block.pairs, _LISTED, block.line, block.partition)
            report.spaces[block.database, block.partition, number] = space
            report.spaces.setdefault((block.database, None, number), space)
    listed = {(row.database, number) for row, number in report.containers}
    missing = []
    for (database, partition, number), space in report.spaces.items():
        if partition == space.partition and (database, number) not in listed:
            add = f"its containers are not listed: add LIST TABLESPACE CONTAINERS FOR {number} SHOW DETAIL"
            row = c.Container(database, partition=partition, source=origin, line=space.line, problem=add)
            missing.append((row, number))
    named = {(database, number) for database, _, number in report.spaces}
    notes += [
        Note(0, f"tablespace {number} has no name: add LIST TABLESPACES SHOW DETAIL")
        for _, number in sorted(listed - named)
    ]
    notes += report.miscounted(listed=True)
    report.containers += missing
    return c.content_of(report.joined(), notes)


def _blocks(text: str | Iterable[str], database: str, notes: list[Note]) -> list[_Block]:
    """Cut the listings into the pairs of each tablespace and container."""
    blocks: list[_Block] = []
    listing: tuple[int | None, int | None] | None = None
    current: _Block | None = None
    for number, line in numbered_lines(text, notes):
        named = _DATABASE.match(line)
        if named is not None:
            database, listing, current = (named[1] or named[2]).upper(), None, None
        elif head := _CONTAINERS.match(line):
            listing, current = (int(head[1]), int(head[2]) if head[2] else None), None
        elif head := _LIST.match(line):
            listing, current = (None, int(head[1]) if head[1] else None), None
        elif _HEADING.match(line) and not _COMMAND.search(line):
            notes.append(Note(number, f"heading not understood: {quote(line)}", unread=True))
            listing, current = None, None
        elif pair := _PAIR.match(line):
            key = pair[1].strip()
            homeless = key == "Container ID" and (listing is None or listing[0] is None)
            notes += _misread_pair(number, line, key, homeless=homeless)
            if listing is not None and key in {"Tablespace ID", "Container ID"}:
                current = None if homeless else _Block(number, {}, database, listing[1], listing[0])
                blocks += [current] if current is not None else []
            if current is not None:
                current.pairs.setdefault(key, pair[2])
    return blocks


def _misread_pair(number: int, line: str, key: str, *, homeless: bool) -> Iterator[Note]:
    """Note a key that is nearly a known one, and a container under no heading."""
    if right := similar_word(key, _KEYS):
        yield Note(number, f"not understood: {quote(line.strip())} (is {right} meant?)", unread=True)
    if homeless:
        remark = f"a container of no tablespace, as no heading says which: {quote(line.strip())}"
        yield Note(number, remark, unread=True)


# db2pd

_MEMBER: Final = re.compile(
    r"\s*Database (?:Partition|Member) (\d{1,4}) -- Database (\S{1,128}) -- ", re.IGNORECASE
)
_BLOCK: Final = re.compile(r"\s*(Tablespace Configuration|Containers|[A-Z][A-Za-z ]{2,60}):\s*\Z")
_NO_COLUMN: Final = "the row has no container: its columns are not those of the heading"
_WANTED: Final = frozenset({"Tablespace Configuration", "Containers"})


def recognise_db2pd(head: str) -> bool:
    """Return whether a text has the heading of the block of containers, or of the tablespaces."""
    return bool(re.search(r"^Address\s+(?:TspId\s+ContainNum|Id\s+Type\s+Content)\b", head, re.MULTILINE))


def parse_db2pd(
    text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS
) -> c.ListingContent:
    """Read the containers, with the tablespaces of the same member."""
    notes: list[Note] = []
    report = _NumberedReport()
    blank = c.Container(database=options.database, source=origin, base_dir=options.base_dir)
    block, columns = "", tuple[str, ...]()
    for number, line in numbered_lines(text, notes):
        if head := _MEMBER.match(line):
            blank, block = blank._replace(database=head[2], partition=int(head[1])), ""
        elif head := _BLOCK.match(line):
            block, columns = head[1], ()
            near = similar_word(block, _WANTED)
            remark = f"heading not understood: {quote(block)} (is {near} meant?)"
            notes += [Note(number, remark, unread=True)] if near else []
        elif line.startswith("Address"):
            columns = tuple(line.split())
        elif block in _WANTED and line.strip() and not (columns and line.startswith("0x")):
            notes.append(unread_row(number, quote(line)))
        elif columns and line.startswith("0x"):
            cells = dict(zip(columns, line.split(None, len(columns) - 1), strict=False))
            of = (blank.database, blank.partition, cells.get("Id", ""))
            if block == "Containers":
                row = _container(cells, _PRINTED, blank._replace(line=number), _NO_COLUMN)
                notes += [unread_row(number, quote(line))] if row.problem else []
                report.containers.append((row, cells.get("TspId", "")))
            elif block == "Tablespace Configuration" and "Id" in cells:
                report.spaces[of] = _space(cells, _PRINTED, number, blank.partition)
            elif cells.get("AS", "").upper() == "YES" and of in report.spaces:
                report.spaces[of] = report.spaces[of]._replace(storage=c.AUTOMATIC)
    notes += report.miscounted(listed=False)
    return c.content_of(report.joined(), notes)
