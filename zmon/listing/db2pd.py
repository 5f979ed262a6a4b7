"""What `db2pd -db X -tablespaces` prints: blocks of columns, which differ by version and are taken by name.

Each database partition starts with a line of its own, `Database Partition 0 -- Database X -- Active ...`.
The last column of a row, a name or a path, may hold blanks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing import container as c
from zmon.listing.figure import figure, product
from zmon.listing.lines import numbered
from zmon.listing.resemblance import meant
from zmon.listing.table import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.listing.container import Container

_MEMBER: Final = re.compile(
    r"\s*Database (?:Partition|Member) (\d{1,4}) -- Database (\S{1,128}) -- ", re.IGNORECASE
)
_BLOCK: Final = re.compile(r"\s*(Tablespace Configuration|Containers|[A-Z][A-Za-z ]{2,60}):\s*\Z")
_KINDS: Final = {"FILE": c.FILE, "DISK": c.DEVICE, "PATH": c.DIRECTORY}
_TEMPORARY: Final = frozenset({"SYSTMP", "USRTMP", "SYSTEMP", "USRTEMP", "TEMP", "TMP"})
_WANTED: Final = frozenset({"Tablespace Configuration", "Containers"})
_FIRST: Final = "Address"


class _Space(NamedTuple):
    """A row of `Tablespace Configuration`."""

    name: str
    role: str
    page: int | None
    extent: int | None


def recognise(head: str) -> bool:
    """Say whether a text has the heading of the block of containers, or of the tablespaces."""
    return bool(re.search(r"^Address\s+(?:TspId\s+ContainNum|Id\s+Type\s+Content)\b", head, re.MULTILINE))


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.Parsed:
    """Read the containers, with the tablespaces of the same member."""
    notes: list[c.Note] = []
    spaces: dict[tuple[str, int | None, str], _Space] = {}
    made: list[tuple[Container, str]] = []
    database, member, block, columns = options.database, None, "", tuple[str, ...]()
    for number, line in numbered(text, notes):
        if head := _MEMBER.match(line):
            database, member, block = head[2], int(head[1]), ""
        elif head := _BLOCK.match(line):
            block, columns = head[1], ()
            notes += _misspelt(number, block)
        elif line.startswith(_FIRST):
            columns = tuple(line.split())
        elif block in _WANTED and line.strip() and not (columns and line.startswith("0x")):
            notes.append(c.Note(number, f"row not understood: {shown(line)}", unread=True))
        elif columns and line.startswith("0x"):
            fields = line.split(None, len(columns) - 1)
            cells = dict(zip(columns, fields, strict=False))
            if block == "Containers":
                row = _container(cells, database, member)._replace(
                    source=origin, line=number, base_dir=options.base_dir
                )
                if row.problem:
                    notes.append(c.Note(number, f"row not understood: {shown(line)}", unread=True))
                made.append((row, cells.get("TspId", "")))
            elif block == "Tablespace Configuration" and "Id" in cells:
                spaces[database, member, cells["Id"]] = _space(cells)
    joined = [_joined(row, spaces.get((row.database, row.partition, space)), space) for row, space in made]
    kept, doubled = c.checked(joined)
    return c.Parsed(kept, (*notes, *doubled), c.the_one({row.database for row in kept}))


def _misspelt(number: int, block: str) -> list[c.Note]:
    """Note the heading of a block that is nearly one of those that are read."""
    near = meant(block, _WANTED)
    said = f"heading not understood: {shown(block)} (is {near} meant?)"
    return [c.Note(number, said, unread=True)] if near else []


def _space(cells: Mapping[str, str]) -> _Space:
    page, extent = figure(cells.get("PageSz")), figure(cells.get("ExtentSz"))
    content = cells.get("Content", "").upper()
    role = c.TEMP if content in _TEMPORARY else c.DATA if content else c.UNKNOWN
    return _Space(cells.get("Name", "").rstrip(), role, page, product(extent, page))


def _container(cells: Mapping[str, str], database: str, member: int | None) -> Container:
    """Take one row of `Containers`; its size is in pages until it is joined."""
    path = cells.get("Container", "")
    kind = _KINDS.get(cells.get("Type", "").upper(), "")
    return c.Container(
        database=database,
        container_id=figure(cells.get("ContainNum")),
        partition=member,
        kind=kind,
        path=path,
        bytes_declared=figure(cells.get("TotalPgs")) if kind != c.DIRECTORY else None,  # there it is 1
        stripe_set=figure(cells.get("StripeSet")),
        problem="" if path else "the row has no container: its columns are not those of the heading",
    )


def _joined(row: Container, space: _Space | None, number: str) -> Container:
    """Give a container the name and the page size of its tablespace."""
    known = space or _Space(f"#{number}", c.UNKNOWN, None, None)
    return row._replace(
        tablespace=known.name,
        spelled=known.name,
        role=known.role,
        bytes_declared=product(row.bytes_declared, known.page),
        extent_bytes=known.extent,
    )
