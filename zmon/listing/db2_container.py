"""Containers of Db2 from SQL: the table function MON_GET_CONTAINER, or the older CONTAINER_UTILIZATION.

The best of Db2's sources: paths, sizes and, of MON_GET_CONTAINER, counters of every container.  Any spool
with a heading is read; of what `db2 -x` prints, which has none, the columns parted by tabs in the order of
`COLUMNS`, at least the first six:

    db2 -x "SELECT TBSP_NAME || CHR(9) || TBSP_ID || CHR(9) || CONTAINER_NAME || ... FROM TABLE(
        MON_GET_CONTAINER('', -2))"

Sizes are in pages there, so TBSP_PAGE_SIZE of MON_GET_TABLESPACE has to be joined, or spooled to the same
file; without it bytes are not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing import container as c
from zmon.listing import sheet
from zmon.listing.figure import product

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.listing.container import Container

COLUMNS: Final = (
    "TBSP_NAME", "TBSP_ID", "CONTAINER_NAME", "CONTAINER_ID", "MEMBER", "CONTAINER_TYPE", "STRIPE_SET",
    "DIRECT_READS", "DIRECT_WRITES", "DIRECT_READ_TIME", "DIRECT_WRITE_TIME", "PAGES_READ", "PAGES_WRITTEN",
    "VECTORED_IOS", "PAGES_FROM_VECTORED_IOS", "BLOCK_IOS", "PAGES_FROM_BLOCK_IOS", "POOL_READ_TIME",
    "POOL_WRITE_TIME", "TOTAL_PAGES", "USABLE_PAGES", "ACCESSIBLE", "FS_ID", "FS_TOTAL_SIZE", "FS_USED_SIZE",
    "DB_STORAGE_PATH_ID",
)  # fmt: skip
"""The columns of MON_GET_CONTAINER in its order."""

SECTOR: Final = 512
"""Direct reads and writes are counted in such units."""

SORTS: Final = {
    "containers": frozenset({"TBSP_NAME", "CONTAINER_NAME"}),
    "tablespaces": frozenset({"TBSP_NAME", "TBSP_PAGE_SIZE"}),
}
_KINDS: Final = {"FILE": c.FILE, "DISK": c.DEVICE, "PATH": c.DIRECTORY, "DEVICE": c.DEVICE}
_CONTENT: Final = {
    "SYSTEMP": c.TEMP, "USRTEMP": c.TEMP, "ANY": c.DATA, "REGULAR": c.DATA, "LARGE": c.DATA, "LONG": c.DATA,
}  # fmt: skip


def recognise(head: str) -> bool:
    """Say whether a text has the heading of such a spool, or begins with a row of one without."""
    wanted = {"containers": SORTS["containers"]}
    return any(sheet.heading(line, wanted) or _bare(line) for line in head.split("\n"))


def _bare(line: str) -> sheet.Heading | None:
    """Recognise a row that `db2 -x` printed, with tabs between the columns."""
    cells = [cell.strip() for cell in line.split("\t")]
    numbers = len(cells) >= 6 and all(cells[place].isdecimal() for place in (1, 3, 4))
    if not numbers or len(cells) > len(COLUMNS) or _kind(cells[5]) == "":
        return None
    return sheet.Heading("containers", "\t", COLUMNS[: len(cells)])


def _kind(word: str) -> str:
    """What a container is, by the first word of its type: `FILE_EXTENT_TAG`."""
    return _KINDS.get(word.upper().split("_")[0].split(" ")[0], "")


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.Parsed:
    """Read the rows of MON_GET_CONTAINER, joined with those of MON_GET_TABLESPACE when they are there too.

    Bytes are pages, and direct ones of 512 bytes.  Requests are counted as vectored and block reads plus
    the pages that came in neither; how many requests wrote is not told.
    """
    notes: list[c.Note] = []
    spaces: dict[str, _Space] = {}
    listed: list[sheet.Row] = []
    for row in sheet.rows(text, SORTS, notes, _bare):
        if row.problem or row.text("CONTAINER_NAME"):
            listed.append(row)
        if row.text("TBSP_NAME") not in spaces and row.whole("TBSP_PAGE_SIZE") is not None:
            spaces[row.text("TBSP_NAME")] = _Space.of(row)
    made = []
    lacking: dict[str, int] = {}
    for row in listed:
        if row.problem:
            notes.append(c.Note(row.line, f"row not understood: {row.problem}", unread=True))
        notes += row.unclear("TOTAL_PAGES", "TBSP_PAGE_SIZE", "CONTAINER_ID", "MEMBER")
        space = spaces.get(row.text("TBSP_NAME"), _Space())
        made.append(_container(row, space, origin, options))
        if space.page is None and row.whole("TOTAL_PAGES") is not None:
            lacking.setdefault(row.text("TBSP_NAME"), row.line)
        if row.text("ACCESSIBLE").strip().upper() in {"0", "N", "NO"}:
            notes.append(c.Note(row.line, f"{row.text('CONTAINER_NAME')!r} was not accessible to Db2"))
    notes += [
        c.Note(line, f"{name!r}: pages of unknown size; join TBSP_PAGE_SIZE of MON_GET_TABLESPACE")
        for name, line in lacking.items()
    ]
    kept, doubled = c.checked(made)
    return c.Parsed(kept, (*notes, *doubled), c.the_one({row.database for row in kept}))


class _Space(NamedTuple):
    """What MON_GET_TABLESPACE says of a tablespace."""

    page: int | None = None
    extent: int | None = None
    role: str = c.UNKNOWN

    @classmethod
    def of(cls, row: sheet.Row) -> _Space:
        content = row.text("TBSP_CONTENT_TYPE").strip().upper()
        page = row.whole("TBSP_PAGE_SIZE")
        return cls(page, product(row.whole("TBSP_EXTENT_SIZE"), page), _CONTENT.get(content, c.UNKNOWN))


def _sum(first: float | None, second: float | None) -> float | None:
    """Add what is there; nothing is there when neither is."""
    return first if second is None else second if first is None else first + second


def _container(row: sheet.Row, space: _Space, origin: str, options: c.Options) -> Container:
    name = row.text("TBSP_NAME")
    member, stripe_set = row.whole("MEMBER"), row.whole("STRIPE_SET")
    kind = _kind(row.text("CONTAINER_TYPE"))
    pages = row.whole("TOTAL_PAGES") if kind != c.DIRECTORY else None  # of a directory it is always 1
    return c.Container(
        database=row.text("DB_NAME") or options.database,
        tablespace=name,
        spelled=name,
        container_id=row.whole("CONTAINER_ID"),
        partition=member if member is not None else row.whole("DBPARTITIONNUM"),
        kind=kind,
        path=row.text("CONTAINER_NAME"),
        base_dir=options.base_dir,
        bytes_declared=product(pages, space.page),
        role=space.role,
        stripe_set=stripe_set if stripe_set is None or stripe_set >= 0 else None,
        extent_bytes=space.extent,
        source=origin,
        line=row.line,
        problem=row.problem,
        traffic=_traffic(row, space.page),
    )


def _traffic(row: sheet.Row, page: int | None) -> c.Traffic:
    """Take the counters of a container."""
    pages, direct = row.whole("PAGES_READ"), row.whole("DIRECT_READS")
    grouped = [row.whole(f"PAGES_FROM_{way}_IOS") for way in ("VECTORED", "BLOCK")]
    ways = [row.whole(f"{way}_IOS") for way in ("VECTORED", "BLOCK")]
    alone = pages - sum(each or 0 for each in grouped) if pages is not None else None
    known = alone is not None and None not in ways
    return c.Traffic(
        reads=alone + sum(each or 0 for each in ways) if known and alone is not None else None,
        bytes_read=_bytes(pages, page, direct),
        bytes_written=_bytes(row.whole("PAGES_WRITTEN"), page, row.whole("DIRECT_WRITES")),
        read_ms=_sum(row.whole("POOL_READ_TIME"), row.whole("DIRECT_READ_TIME")),
        write_ms=_sum(row.whole("POOL_WRITE_TIME"), row.whole("DIRECT_WRITE_TIME")),
        when=row.text("SNAPSHOT_TIMESTAMP"),
    )


def _bytes(pages: int | None, page: int | None, direct: int | None) -> int | None:
    """Bytes of pages and of sectors; None when the size of a page is not known."""
    moved = product(pages, page)
    return moved + (direct or 0) * SECTOR if moved is not None else None
