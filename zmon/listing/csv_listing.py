"""The listing for every site and every database: a table with a name and a path in each row.

    tablespace,path,role,bytes,read_bytes_per_s,write_bytes_per_s

Only the first two are needed.  A heading may name the columns, and then decides their order; it may also
name `database`, `table`, `kind`, `base_dir` and `host`, and may come again.  Lines that begin with `#` and
name no path are comments; `# host: NAME` says of which machine it is.  Blanks around a field count only in a
row with quotes.  Further rows of a tablespace are further containers.  A path that
ends in `/` is a directory.

RFC 4180: a field that contains a comma, a quote or a line end is in quotes, and a quote in it is doubled.
UTF-8 with or without a byte order mark.  The query that `postgresql` documents spools this very form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.listing import containers as c
from zmon.listing.delimited import WHOLE_NUMBER, about_bytes, first_row, rows, whole_number
from zmon.listing.not_understood import Note, NoteSeries, quote, similar_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.listing.delimited import TableRow

COLUMNS: Final = ("tablespace", "path", "role", "bytes", "read_bytes_per_s", "write_bytes_per_s")
"""The order of columns without a heading."""
FURTHER: Final = ("database", "table", "kind", "base_dir", "host")
"""Columns that need a heading."""
_KNOWN: Final = frozenset(COLUMNS + FURTHER)
_RATE: Final = re.compile(r"[0-9]{1,19}(\.[0-9]{1,19})?")
_NUMBERS: Final = {
    "bytes": (WHOLE_NUMBER, "bytes"),
    "read_bytes_per_s": (_RATE, "bytes a second"),
    "write_bytes_per_s": (_RATE, "bytes a second"),
}
_HOST: Final = re.compile(r"host\s*[:=]\s*(\S+)", re.IGNORECASE)


def recognise(head: str) -> bool:
    """Return whether a text begins with a heading of `tablespace` and `path`, or with a name and a path."""
    first = first_row(head)
    if first is None or first.problem:
        return False
    fields = _bare(first).fields
    named = _heading(fields)
    return "tablespace" in named if named is not None else len(fields) >= 2 and _is_path(fields[1])


def _is_path(field: str) -> bool:
    return field.startswith(("/", "+", "./", "../"))


def parse(text: str | Iterable[str], origin: str = "", options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read a listing `tablespace,path[,role[,bytes[,read_bytes_per_s,write_bytes_per_s]]]`.

    A row that cannot be used is a container with its problem.  Rates are accepted and not used.

    Raises:
        ValueError: no column has paths, or a quote is not closed; says in which line.
    """
    comments: list[str] = []
    hosts: set[str] = set()
    notes: list[Note] = []
    unread = NoteSeries("rows are not understood", unread=True)
    containers: list[c.Container] = []
    names: Sequence[str] = COLUMNS
    spellings: dict[str, str] = {}  # interns names, so that each is kept once
    for number, row in enumerate(map(_bare, rows(text, comments))):
        if _is_comment(row):
            comments.append(",".join(row.fields).lstrip("# "))
            continue
        named = _heading(row.fields)
        if named is not None and (not number or "tablespace" in named):  # joined listings repeat it
            names = named
            notes += _unread_columns(row.line, named)
            continue
        cells = dict(zip(names, row.fields, strict=False))
        hosts.add(cells.get("host", ""))
        container = _container(row, cells, names, unread)
        if not (unread.left_out and container.problem):
            name, database = container.tablespace, container.database or options.database
            containers.append(
                container._replace(
                    tablespace=spellings.setdefault(name, name),
                    database=spellings.setdefault(database, database),
                    base_dir=container.base_dir or options.base_dir,
                    source=origin,
                )
            )
    hosts.update(match[1] for match in map(_HOST.match, comments) if match)
    return c.content_of(containers, (*notes, *unread.notes()), host=c.only_name(hosts))


def _unread_columns(line: int, named: Sequence[str]) -> Iterator[Note]:
    """Note the columns of a heading that are not read; one without tablespaces is a `ValueError`."""
    if "tablespace" not in named:
        raise ValueError(f"line {line}: the heading names a path and no tablespace: {quote(','.join(named))}")
    further = []
    for name in named:
        if right := similar_word(name, _KNOWN):
            yield Note(line, f"column {quote(name)} is not read (is {right} meant?)", unread=True)
        elif name and name not in _KNOWN:
            further.append(quote(name))
    if further:
        yield Note(line, f"not read: columns {', '.join(further)}")


def _bare(row: TableRow) -> TableRow:
    """Return a row without the blanks around fields; a row with quotes keeps them."""
    return row if row.quoted else row._replace(fields=tuple(map(str.strip, row.fields)))


def _is_comment(row: TableRow) -> bool:
    """Return whether a row behind the first is a comment; a name may begin with `#`, too."""
    begins = row.fields[:1] and row.fields[0].startswith("#") and not row.quoted
    return bool(begins) and not (len(row.fields) > 1 and _is_path(row.fields[1]))


def _heading(fields: Sequence[str]) -> list[str] | None:
    """Return the names of the columns if these are names: one of them is `path`."""
    names = [field.strip().casefold() for field in fields]
    return names if "path" in names else None


def _container(
    row: TableRow, cells: Mapping[str, str], names: Sequence[str], notes: NoteSeries
) -> c.Container:
    name, path = cells.get("tablespace", ""), cells.get("path", "")
    problem = row.problem or "; ".join(_wrong(cells, row.fields, names))
    if len(row.fields) == 1 and _separators(name):
        name = ""  # it is the whole row
    role, kind = cells.get("role", "").strip().casefold(), cells.get("kind", "").strip().casefold()
    if role not in c.ROLES:
        if role and not problem:
            notes.add(row.line, _no_role(role))
        role = c.UNKNOWN
    if kind not in c.KINDS:
        kind = c.kind_of(path) if path.startswith("+") else c.DIRECTORY if path.endswith("/") else ""
    about = about_bytes(cells.get("bytes"))
    for column, (form, unit) in _NUMBERS.items():
        number = cells.get(column, "").strip() if column != "bytes" or about is None else ""
        if number and not form.fullmatch(number):
            notes.add(row.line, f"{quote(number)} is no number of {unit}")
    if problem:
        notes.add(row.line, f"row not understood: {problem}")
    return c.Container(
        database=cells.get("database", ""),
        tablespace=name,
        kind=kind,
        path=path,
        base_dir=cells.get("base_dir", ""),
        bytes_declared=whole_number(cells.get("bytes", "").strip()) if about is None else about,
        is_rounded=about is not None,
        role=role,
        line=row.line,
        problem=problem,
        table=cells.get("table", ""),
    )


_SIGNS: Final = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


def _separators(field: str) -> str:
    """Return the name of another separator in a field; empty if there is none."""
    return next((name for sign, name in _SIGNS.items() if sign in field), "")


def _wrong(cells: Mapping[str, str], fields: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the reasons why a row cannot be used."""
    other = _separators(fields[0]) if len(fields) == 1 else ""
    if other and not cells.get("path"):
        yield f"no path: {quote(fields[0])} has {other}: separate fields as the first line does"
    elif not cells.get("path"):
        yield f"no path: a row is tablespace,path and this is {quote(','.join(fields))}"
    elif "\0" in cells["path"]:
        yield "no path has a NUL in it"
    extra = [field for field in fields[len(names) :] if field]
    role = cells.get("role", "").strip().casefold()
    if extra:
        yield f"{len(fields)} fields in {len(names)} columns: the separator in a name needs quotes"
    elif role and role not in c.ROLES and not ("/" in cells["path"] and role.isalpha()):
        # what looks like no role is a part of a name or path with a comma, and the path is cut off
        yield f"{_no_role(role)}: the separator in a name needs quotes"


def _no_role(word: str) -> str:
    meant = f" (is {right} meant?)" if (right := similar_word(word, c.ROLES)) else ""
    return f"{quote(word)} is no role{meant}, one of {', '.join(c.ROLES)}"
