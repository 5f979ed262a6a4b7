"""Tables in text, as database tools spool them: comma-separated values by RFC 4180, or what tabs part.

The delimiter is the one of the first line: a comma, else a tab, else a semicolon, else a bar.  A quoted field
may go over lines; its row has the number of the line it begins on.  Damage within one line costs that row
alone, and is told; damage that swallows further lines ends the reading, because nobody can say where a row
begins after it.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST: Final = 1 << 16
"""Characters of a row: paths end at 4,096 bytes, so a longer one is a quote that nobody closed."""

_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}
_UNPRINTABLE: Final = re.compile(r"[^\x20-\x7e]")


class TableError(ValueError):
    """Text that cannot be read as a table; says at which line."""


class Row(NamedTuple):
    """The fields of one row, or what is wrong with it."""

    line: int
    """Line on which it begins, counted from 1."""
    fields: tuple[str, ...]
    problem: str = ""


def delimiter_of(line: str) -> str:
    """Return what parts the fields of a line; a comma when there is nothing to part."""
    return next((mark for mark in ",\t;|" if mark in line), ",")


def rows(text: str | Iterable[str], comments: list[str] | None = None) -> Iterator[Row]:
    r"""Read the rows of a table.

    What a tab parts is written as the clients of MariaDB do: no quotes, and `\t`, `\n`, `\\` in a field.

    Args:
        text: the table, or its pieces in order, as a file opened with `newline=""` gives them.
        comments: gets the lines before the first row that begin with `#`, without it.

    Raises:
        TableError: a quote is not closed, or a row too long; nothing after it can be read.
    """
    lines = _lines(text)
    for number, line in enumerate(lines, 1):
        first = line.removeprefix("\ufeff") if number == 1 else line
        if first.startswith("#"):
            if comments is not None:
                comments.append(first.lstrip("# ").rstrip())
        elif not first.isspace() and first:
            delimiter = delimiter_of(first)
            body = chain((first,), lines)
            yield from _batch(body, number) if delimiter == "\t" else _separated(body, number, delimiter)


def _lines(text: str | Iterable[str]) -> Iterator[str]:
    """Give the lines with their ends.

    Raises:
        TableError: one is longer than any row.
    """
    held = ""
    for number, piece in enumerate(io.StringIO(text, newline="") if isinstance(text, str) else text, 1):
        held += piece
        if len(held) > LONGEST:
            raise TableError(f"line {number} begins {shown(held)} and has more than {LONGEST} characters")
        if held.endswith(("\n", "\r")):
            yield held
            held = ""
    if held:
        yield held


def _batch(body: Iterable[str], first: int) -> Iterator[Row]:
    for number, line in enumerate(body, first):
        bare = line.rstrip("\r\n")
        if bare:
            yield Row(number, tuple(unescaped(field) for field in bare.split("\t")))


def unescaped(field: str) -> str:
    """Read one field as the batch mode of MariaDB's client writes it."""
    if "\\" not in field:
        return field
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), field, flags=re.DOTALL)


def _separated(body: Iterable[str], number: int, delimiter: str) -> Iterator[Row]:
    # a limit of the csv module would be everybody's; so lines are bounded as they are handed to it
    taken: list[str] = []
    room = LONGEST

    def lines() -> Iterator[str]:
        nonlocal room
        for line in body:
            taken.append(line)
            room -= len(line)
            if room < 0:
                raise TableError("too long")
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    while True:
        problem = ""
        fields: list[str] = []
        try:
            fields = next(reader)
        except StopIteration:
            return
        except (csv.Error, TableError) as error:
            if len(taken) != 1 or isinstance(error, TableError):
                raise TableError(
                    f"line {number} begins {shown(taken[0] if taken else '')} and does not end: a quote is"
                    " not closed, or one inside a name not doubled"
                ) from error
            problem = f"quotes inside a name are doubled, and the whole is quoted: {shown(taken[0])}"
        if problem or any(fields):
            yield Row(number, tuple(fields), problem)
        number += len(taken)
        taken.clear()
        room = LONGEST


def shown(text: str, most: int = 60) -> str:
    """Quote what was found, short and without what a terminal would obey."""
    bare = text.strip("\r\n")
    return repr(_UNPRINTABLE.sub("?", bare[:most])) + ("..." if len(bare) > most else "")
