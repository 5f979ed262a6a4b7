"""Prints what zmon understands of CP's answers and user directories, and sends CP a query."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from zmon.base.plain_text import harmless
from zmon.cli.output import FAILED, OK, aligned, complain, misused, warn, write_json, write_text
from zmon.cli.result import ResultTable, write_result
from zmon.cp import answer_reader
from zmon.cp.claim_sources import MAX_FILE, CpText, join_texts, parse_text, read_file
from zmon.cp.user_directory import UserDirectory
from zmon.cp.vmcp import WHITELIST, Cp, CpError, command_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Rows = Mapping[str, Sequence[Any]]


def run(args: argparse.Namespace) -> int:
    """Run `parse`, `query` or `list`; returns the exit status."""
    return {"parse": _parse, "query": _query, "list": _list}[args.word](args)


def _parse(args: argparse.Namespace) -> int:
    texts = [_text(path) for path in args.files]
    write_result(args, _table(texts), documents(texts), [lines(texts, unknown=args.unknown)], indent=2)
    for conflict in join_texts(list(zip(args.files, texts, strict=True))).conflicts:
        warn(conflict)
    return OK if any(any(_parts(text)[1].values()) for text in texts) else FAILED


def _text(path: str) -> CpText:
    """Read a file; one that is too long to be a directory is read piece by piece, as answers."""
    if os.path.isfile(path) and os.path.getsize(path) > MAX_FILE:
        with open(path, "rb") as stream:
            return CpText(answer_reader.parse(stream, path), UserDirectory(path))
    return parse_text(read_file(path), path)


def _query(args: argparse.Namespace) -> int:
    try:
        command_of(args.name, args.operand)
    except CpError as error:
        return misused(str(error))
    try:
        answer = Cp().ask(args.name, args.operand)
    except CpError as error:
        return complain(str(error))
    if args.format == "raw":
        write_text(map(harmless, answer.text.splitlines()))
    else:
        texts = [CpText(answer_reader.parse(answer.text.encode(), answer.command), UserDirectory())]
        if args.format == "json":
            write_json(documents(texts), indent=2)
        else:
            write_text(lines(texts))
    if answer.problem:
        return complain(answer.problem)
    return OK


def _list(args: argparse.Namespace) -> int:
    if args.format == "json":
        write_json([{"name": name, **query._asdict()} for name, query in WHITELIST.items()], indent=2)
        return OK
    rows = [("name", "class", "command", "reports")]
    for name, query in WHITELIST.items():
        pairs = (name, query.operand.upper()), (query.command, query.operand)
        called, command = (" ".join(pair).strip() for pair in pairs)
        rows.append((called, query.privilege, command, query.description))
    write_text(
        f"{name:<19}{privilege:<9}{command:<27}{reports}" for name, privilege, command, reports in rows
    )
    return OK


# the content of a text


class DirectoryRow(NamedTuple):
    """An entry of a user directory, with as many devices as it names itself."""

    sort: str
    name: str
    devices: int
    line: int
    weak: str = ""


def lines(texts: Iterable[CpText], *, unknown: bool = True) -> Iterator[str]:
    """Yield for each text a table of each sort of rows, remarks, and the lines that are not understood."""
    for text in texts:
        origin, rows, odd, unread = _parts(text)
        counts = (
            ", ".join(f"{len(rows_of_sort):,} {sort}" for sort, rows_of_sort in rows.items()) or "nothing"
        )
        yield harmless(f"{origin}: understood {counts}; lines not understood: {text.unknown_count:,}")
        for sort, records in rows.items():
            yield ""
            yield from _lines(sort, records)
        below = (("odd", odd), ("changed", text.changed), ("not understood", unread if unknown else []))
        for heading, rows_below in below:
            if rows_below:
                yield ""
                yield f"{heading}:"
                yield from (harmless(f"  {line}") for line in rows_below)
        yield ""


def documents(texts: Iterable[CpText]) -> list[dict[str, Any]]:
    """Return the same as objects, one for each text."""
    documents = []
    for text in texts:
        origin, rows, odd, unread = _parts(text)
        documents.append(
            {
                "origin": origin,
                "rows": {sort: [_cells(row) for row in of] for sort, of in rows.items()},
                "odd": odd,
                "changed": text.changed,
                "not understood": unread,
                "lines not understood": text.unknown_count,
            }
        )
    return documents


def _table(texts: Iterable[CpText]) -> ResultTable:
    """Return the rows of all sorts under one heading, with a column for each name of a field."""
    rows_printed = [
        (text.origin, sort, _cells(row))
        for text in texts
        for sort, of in _parts(text)[1].items()
        for row in of
    ]
    names = list(dict.fromkeys(name for _, _, cells in rows_printed for name in cells if name != "origin"))
    rows = ([origin, sort, *(cells.get(name, "") for name in names)] for origin, sort, cells in rows_printed)
    return ResultTable(["file", "sort", *names], [[harmless(_words(word)) for word in row] for row in rows])


def _words(cell: Any) -> str:
    """Write a list of things with blanks between, and things of several parts with colons."""
    if isinstance(cell, tuple):
        return " ".join(":".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in cell)
    return str(cell)


def _parts(text: CpText) -> tuple[str, Rows, list[str], list[str]]:
    """Return the origin, the rows by sort, contradictions, and the lines that are not understood."""
    rows: dict[str, Sequence[Any]] = dict(text.answers.rows)
    directory = text.directory
    if directory.entries:
        rows["entry"] = [
            DirectoryRow(entry.kind or "part", entry.name, len(entry.devices), entry.line, entry.weak)
            for entry in directory.entries
        ]
    if claims := directory.claims():
        rows["claim"] = claims
    unknown = [f"{number}: {line}" for number, line in text.unknown]
    return text.origin, rows, text.odd, unknown


def _cells(row: Any) -> dict[str, Any]:
    """Return the fields of a row that say something."""
    return {name: value for name, value in row._asdict().items() if value is not None and value != ""}


def _lines(sort: str, rows: Sequence[Any]) -> Iterator[str]:
    """Yield a table without the columns that are empty in all rows."""
    cells = [_cells(row) for row in rows]
    names = [name for name in rows[0]._fields if any(name in row for row in cells)]
    yield f"{sort}:"
    yield from aligned([names, *([harmless(_words(row.get(name, ""))) for name in names] for row in cells)])
