"""What was understood of a text, and what was not, for people and for programs."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from zmon.cli.csv_output import CsvWriter
from zmon.screen.number import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.cp.claim_sources import CpText

    Rows = Mapping[str, Sequence[Any]]


class Entry(NamedTuple):
    """An entry of a user directory, with as many devices as it names itself."""

    sort: str
    name: str
    devices: int
    line: int
    weak: str = ""


def anything(text: CpText) -> bool:
    """Say whether something is understood of a text."""
    return any(_parts(text)[1].values())


def lines(texts: Iterable[CpText], *, unknown: bool = True) -> Iterator[str]:
    """Yield a table for each sort of thing, what is odd, what changed, and the lines not understood."""
    for text in texts:
        origin, rows, odd, unread = _parts(text)
        known = ", ".join(f"{len(found):,} {sort}" for sort, found in rows.items()) or "nothing"
        yield harmless(f"{origin}: understood {known}; lines not understood: {text.unknown_count:,}")
        for sort, found in rows.items():
            yield ""
            yield from _table(sort, found)
        below = (("odd", odd), ("changed", text.changed), ("not understood", unread if unknown else []))
        for heading, words in below:
            if words:
                yield ""
                yield f"{heading}:"
                yield from (harmless(f"  {line}") for line in words)
        yield ""


def pages(texts: Iterable[CpText]) -> Iterator[str]:
    """Yield the same as one JSON list, an object for each text."""
    found = []
    for text in texts:
        origin, rows, odd, unread = _parts(text)
        tables = {sort: [_cells(row) for row in of] for sort, of in rows.items()}
        known = {
            "origin": origin,
            "rows": tables,
            "odd": odd,
            "changed": text.changed,
            "not understood": unread,
        }
        found.append(known | {"lines not understood": text.unknown_count})
    yield json.dumps(found, indent=2)


def records(texts: Iterable[CpText], *, safe: bool = False) -> Iterator[str]:
    """Yield the rows of all sorts as lines of CSV, with a column for each name of a field."""
    found = [
        (text.origin, sort, _cells(row))
        for text in texts
        for sort, of in _parts(text)[1].items()
        for row in of
    ]
    names = list(dict.fromkeys(name for _, _, cells in found for name in cells if name != "origin"))
    yield _record(["file", "sort", *names], safe=safe)
    for origin, sort, cells in found:
        yield _record([origin, sort, *(cells.get(name, "") for name in names)], safe=safe)


def _record(cells: Iterable[Any], *, safe: bool) -> str:
    buffer = io.StringIO()
    CsvWriter(buffer, safe=safe, lineterminator="").writerow([harmless(_words(cell)) for cell in cells])
    return buffer.getvalue()


def _words(cell: Any) -> str:
    """Write a list of things with blanks between, and things of several parts with colons."""
    if isinstance(cell, tuple):
        return " ".join(":".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in cell)
    return str(cell)


def _parts(text: CpText) -> tuple[str, Rows, list[str], list[str]]:
    """Return origin, rows by sort, what is odd, and the lines that are not understood."""
    rows: dict[str, Sequence[Any]] = dict(text.answers.rows)
    directory = text.directory
    if directory.entries:
        rows["entry"] = [
            Entry(entry.kind or "part", entry.name, len(entry.devices), entry.place.line, entry.weak)
            for entry in directory.entries
        ]
    if claims := directory.claims():
        rows["claim"] = claims
    unknown = [f"{line}: {words}" for line, words in text.unknown]
    return text.origin, rows, text.odd, unknown


def _cells(row: Any) -> dict[str, Any]:
    """Return the fields of a row that say something."""
    return {name: value for name, value in row._asdict().items() if value is not None and value != ""}


def _table(sort: str, rows: Sequence[Any]) -> Iterator[str]:
    """Yield a table without the columns that are empty in all rows."""
    cells = [_cells(row) for row in rows]
    names = [name for name in rows[0]._fields if any(name in row for row in cells)]
    words = [[harmless(_words(row.get(name, ""))) for name in names] for row in cells]
    widths = [max(map(len, column)) for column in zip(names, *words, strict=True)]
    yield f"{sort}:"
    for line in [names, *words]:
        yield "  " + "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
