"""Tables in text, as database tools spool and draw them, read in bounded memory.

* `rows`: one table, comma-separated values by RFC 4180, or tab-separated ones.  The delimiter is that of the
  first line: a comma, else a tab, else a semicolon, else a bar.  A quoted field may go over lines; its row
  has the number of the line it begins on.  Damage within one line costs that row alone, and is noted; damage
  that swallows further lines ends the reading, because it is unknown where a row begins after it.
* `view_rows`: tables of catalogue views, found by their headings among prompts and whatever else a spool
  holds.  A file may hold several tables one after another, as one session spooled them; a heading is a line
  that has all the columns that a view is known by, in any order and with any delimiter.
* `columned_rows`: tables as the Db2 command line and SQL*Plus print them, in columns of fixed width.
* `drawn_rows`: tables as the clients of PostgreSQL and MariaDB draw them; `unaligned_rows`: as psql -A does.
* `numbered_lines`: lines with their numbers.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from decimal import Decimal
from io import StringIO
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing.not_understood import MAX_NOTES, Note, is_like, quote, similar_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

MAX_LINE: Final = 1 << 16
"""Characters of a line or row: paths end at 4,096 bytes, so a longer one is an unclosed quote."""

# numbers

WHOLE_NUMBER: Final = re.compile(
    r"(?P<whole>[0-9]{1,3}(?:,[0-9]{3}){1,6}|[0-9]{1,3}(?:[ '\u00a0\u202f][0-9]{3}){1,6}"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){2,6}|[0-9]{4,19})(?:[.,]0*)?|(?P<short>[0-9]{1,3})(?:[.,](?!000\Z)0*)?"
)
"""With separators of thousands and decimals of all languages; the ambiguous `50.000` is no number."""


def whole_number(text: str | None) -> int | None:
    """Read a whole number: `734003200`, `734,003,200`, `734.003.200,00`; None when it is none, or missing."""
    match = WHOLE_NUMBER.fullmatch(text) if text is not None else None
    return None if match is None else int("".join(filter(str.isdigit, match["whole"] or match["short"])))


_WITH_UNIT: Final = re.compile(r"([0-9]{1,7})(?:[.,]([0-9]{1,3}))? ?(?:([kKMGTP])i?[Bb]?|bytes|Bytes)")


def about_bytes(text: str | None) -> int | None:
    """Read a size with its unit, as people read it: `37 GB`, `1,5T`; None for any other text."""
    match = _WITH_UNIT.fullmatch(text.strip()) if text is not None else None
    if match is None:
        return None
    return round(float(f"{match[1]}.{match[2] or 0}") * (1 << 10 * " KMGTP".index((match[3] or " ").upper())))


def multiply(number: int | None, unit: int | None) -> int | None:
    """Return the product, such as the bytes of pages; None if a factor is unknown."""
    return number * unit if number is not None and unit is not None else None


# lines


def numbered_lines(text: str | Iterable[str], notes: list[Note]) -> Iterator[tuple[int, str]]:
    """Give the lines without their ends, counted from 1.

    Args:
        text: the text, or its pieces in order; a line may come in several, as `readline(limit)` cuts it.
        notes: gets one for every line that is too long.
    """
    number = 1
    held: list[str] = []
    size = 0
    for piece in StringIO(text, newline="\n") if isinstance(text, str) else text:
        *ended, rest = piece.split("\n")
        for part in ended:
            size += len(part)
            if size <= MAX_LINE:
                yield number, "".join((*held, part)).rstrip("\r")
            else:
                notes.append(Note(number, f"line of more than {MAX_LINE} characters: not read", unread=True))
            number, held, size = number + 1, [], 0
        size += len(rest)
        if rest and size <= MAX_LINE:
            held.append(rest)
    if held and size <= MAX_LINE:
        yield number, "".join(held).rstrip("\r")
    elif size > MAX_LINE:
        notes.append(Note(number, f"line of more than {MAX_LINE} characters: not read", unread=True))


# one table

_SEPARATOR: Final = re.compile(r"sep=.\s*", re.IGNORECASE)
"""The line that Excel expects before a table."""
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}


class TableError(ValueError):
    """Text that cannot be read as a table; the message has the line."""


class TableRow(NamedTuple):
    """The fields of one row, or the error in it."""

    line: int
    """Line on which it begins, counted from 1."""
    fields: tuple[str, ...]
    problem: str = ""
    quoted: bool = False
    """Whether there are quotes in it: then blanks at the ends of a field are meant."""


def delimiter_of(line: str) -> str:
    """Return the delimiter of a line; a comma if it has none."""
    return next((mark for mark in ",\t;|" if mark in line), ",")


def rows(text: str | Iterable[str], comments: list[str] | None = None) -> Iterator[TableRow]:
    r"""Read the rows of a table.

    Tab-separated values are those of MariaDB's clients: no quotes, and `\t`, `\n`, `\\` in a field.

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
        elif not first.isspace() and first and not _SEPARATOR.fullmatch(first):
            delimiter = delimiter_of(first)
            body = chain((first,), lines)
            yield from _batch(body, number) if delimiter == "\t" else _separated(body, number, delimiter)


def first_row(head: str) -> TableRow | None:
    """Return the first row of a text; None if there is none, or it cannot be read."""
    try:
        return next(rows(head), None)
    except TableError:
        return None


def _lines(text: str | Iterable[str]) -> Iterator[str]:
    """Give the lines with their ends.

    Raises:
        TableError: one is longer than any row.
    """
    held = ""
    number = 1
    for piece in StringIO(text, newline="") if isinstance(text, str) else text:
        held += piece
        if len(held) > MAX_LINE:
            raise TableError(f"line {number} begins {quote(held)} and has more than {MAX_LINE} characters")
        if held.endswith(("\n", "\r")):
            yield held
            held = ""
            number += 1
    if held:
        yield held


def _batch(body: Iterable[str], first: int) -> Iterator[TableRow]:
    for number, line in enumerate(body, first):
        bare = line.rstrip("\r\n")
        if bare:
            yield TableRow(number, tuple(unescaped(field) for field in bare.split("\t")))


def unescaped(field: str) -> str:
    """Read one field as the batch mode of MariaDB's client writes it."""
    if "\\" not in field:
        return field
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), field, flags=re.DOTALL)


def _separated(body: Iterable[str], number: int, delimiter: str) -> Iterator[TableRow]:
    # the limit of the csv module applies to the whole process; so lines are bounded before they reach it
    taken: list[str] = []
    room = MAX_LINE

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
            if isinstance(error, TableError) and not taken:  # no field is open before this line
                raise
            if len(taken) != 1 or isinstance(error, TableError):
                raise TableError(
                    f"line {number} begins {quote(taken[0] if taken else '')} and does not end: a quote is"
                    " not closed, or one inside a name not doubled"
                ) from error
            problem = f"quotes inside a name are doubled, and the whole is quoted: {quote(taken[0])}"
        if problem or any(fields):
            yield TableRow(number, tuple(fields), problem, any('"' in line for line in taken))
        number += len(taken)
        taken.clear()
        room = MAX_LINE


# views

DELIMITERS: Final = "\t,;|"
MAX_FIELD_LINES: Final = 8
"""Lines that one quoted field may go over."""

_NOISE: Final = re.compile(
    r"SQL>|db2 =>|\s*\d+ (?:rows?|record\(s\)) selected|no rows selected|Elapsed:|[-\s,;|+]*\Z"
    r"|\s*(?:\d{1,3} {2}\s*[A-Z(]|SELECT\s|FROM\s|SET\s|SPOOL\s)",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(r"\bFROM\s+(?:\w{1,30}\.)?([\w$#]{1,30})", re.IGNORECASE)
_PATHS: Final = frozenset({"CONTAINER_NAME", "FILE_NAME", "DESTINATION"})
"""Columns that distinguish a view from another one."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_$#]{1,29}")
_POWER: Final = re.compile(r"[+-]?[0-9](?:\.[0-9]{1,40})?E\+?[0-9]{1,2}", re.IGNORECASE)


class ViewHeading(NamedTuple):
    """A heading that was recognised."""

    kind: str
    delimiter: str
    names: tuple[str, ...]
    view: str = ""
    """What the query before it selects from, when the spool shows it."""


class ViewRow(NamedTuple):
    """One row of a table; one with a problem has no cells."""

    line: int
    kind: str
    cells: Mapping[str, str]
    problem: str = ""
    view: str = ""
    """What its query selects from, in upper case, when the spool shows it."""

    def text(self, name: str) -> str:
        """The cell of this column; empty when there is none, or it means NULL."""
        cell = self.cells.get(name, "")
        return "" if cell.strip().upper() in {"NULL", "(NULL)"} else cell

    def whole(self, name: str) -> int | None:
        """The cell as a whole number; None when it is none.  `1.0737E+10` is read as that number."""
        cell = self.text(name).strip()
        number = whole_number(cell[1:] if cell[:1] in {"+", "-"} else cell)
        if number is not None:
            return -number if cell.startswith("-") else number
        return int(Decimal(cell)) if _POWER.fullmatch(cell) else None

    def unclear(self, *names: str) -> Iterator[Note]:
        """Note which of these cells are no whole number, or a rounded one."""
        for name in names:
            if _POWER.fullmatch(self.text(name).strip()):
                yield Note(
                    self.line, f"{name} {quote(self.text(name))} is rounded: taken as {self.whole(name):,}"
                )
            if self.text(name).strip(" -") and self.whole(name) is None:
                remark = f"not understood: {name} {quote(self.text(name))} is no whole number"
                yield Note(self.line, remark, unread=True)


def find_heading(line: str, views: Mapping[str, frozenset[str]]) -> ViewHeading | None:
    """Recognise the heading of one of these views, by the columns each must have."""
    upper = line.upper()
    for kind, needed in views.items():
        if not all(name in upper for name in needed):
            continue
        for delimiter in DELIMITERS:
            names = tuple(field.strip().strip('"').upper() for field in upper.split(delimiter))
            if needed.issubset(names):
                return ViewHeading(kind, delimiter, names)
    return None


def view_rows(
    text: str | Iterable[str],
    views: Mapping[str, frozenset[str]],
    notes: list[Note],
    bare: Callable[[str], ViewHeading | None] | None = None,
) -> Iterator[ViewRow]:
    """Read the rows of all tables whose headings are recognised.

    Args:
        text: the spool, or its pieces in order.
        views: the name of each view and the columns that identify it, the most specific first.
        notes: gets what was skipped; rows that are not understood are counted after the first.
        bare: returns the heading of a table without one, from its first row.
    """
    reader = _ViewReader(text, views, notes, bare)
    broken = 0
    for row in reader.rows():
        broken += bool(row.problem)
        if not row.problem or broken <= MAX_NOTES:
            yield row
    if broken > MAX_NOTES:
        notes.append(Note(0, f"{broken - MAX_NOTES:,} more rows are not understood", unread=True))
    if reader.heading is None:
        headings = "; ".join(", ".join(sorted(needed)) for needed in views.values())
        notes.append(Note(0, f"no heading was found that has all of: {headings}", of_heading=True))


class _ViewReader:
    """Reads lines under the last heading that was recognised."""

    def __init__(
        self,
        text: str | Iterable[str],
        views: Mapping[str, frozenset[str]],
        notes: list[Note],
        bare: Callable[[str], ViewHeading | None] | None,
    ) -> None:
        self.heading: ViewHeading | None = None
        self._lines = numbered_lines(text, notes)
        self._next: deque[tuple[int, str]] = deque()
        """Lines that were read ahead."""
        self._views = views
        self._columns = frozenset[str]().union(*views.values())
        self._notes = notes
        self._bare = bare
        self._unknown = False
        """Whether the table is one that is not read."""
        self._view = ""

    def rows(self) -> Iterator[ViewRow]:
        """Yield the rows of all tables."""
        while self._next or self._read_ahead(1):
            number, line = self._next.popleft()
            line = line.removeprefix("\ufeff")
            head = self._heading_of(number, line)
            if head is not None:
                yield self._row(number, line, head)

    def _read_ahead(self, count: int) -> bool:
        self._next.extend(islice(self._lines, count - len(self._next)))
        return bool(self._next)

    def _heading_of(self, number: int, line: str) -> ViewHeading | None:
        """Return the heading of a row; None for any other line."""
        if _NOISE.match(line):
            asked = _ASKED.search(line)
            self._view = asked[1].upper() if asked is not None else self._view
            return None
        head = find_heading(line, self._views)
        if head is not None and not any(similar_word(name, _PATHS) for name in head.names):
            self.heading, self._view, self._unknown = head._replace(view=self._view), "", False
            return None
        if self._is_other_heading(line):
            self._unknown = True
            remark = f"heading not understood, rows below it are not read: {quote(line)}"
            self._notes.append(Note(number, remark, unread=True))
        if self._unknown:
            return None
        if self.heading is None and self._bare is not None:
            self.heading = self._bare(line)
        return self.heading

    def _is_other_heading(self, line: str) -> bool:
        """Return whether a line is the heading of an unknown view, or a mistyped one."""
        under = self.heading
        delimiter = under.delimiter if under is not None else delimiter_of(line)
        fields = [field.strip().strip('"') for field in line.split(delimiter)]
        if len(fields) < 2 or not all(map(_NAME.fullmatch, fields)):
            return False
        if under is not None and len(fields) != len(under.names) and line.isupper():
            return True
        return sum(is_like(field.upper(), self._columns) for field in fields) >= 2

    def _row(self, number: int, line: str, head: ViewHeading) -> ViewRow:
        """Read one row; if a quote is open, add further lines that complete the row."""
        fields = _fields(line, head.delimiter)
        if line.count('"') % 2:
            longer = line
            self._read_ahead(MAX_FIELD_LINES)
            for taken, (_, text) in enumerate(self._next, 1):
                longer += "\n" + text
                if text.count('"') % 2 and len(longer) <= MAX_LINE:
                    joined = _fields(longer, head.delimiter)
                    if len(joined) == len(head.names):
                        fields = joined
                        self._next = deque(islice(self._next, taken, None))
                    break
        if len(fields) != len(head.names):
            why = f"{len(fields)} fields under {len(head.names)} columns: {quote(line)}"
            return ViewRow(number, head.kind, {}, why, head.view)
        return ViewRow(number, head.kind, dict(zip(head.names, fields, strict=True)), view=head.view)


def _fields(line: str, delimiter: str) -> list[str]:
    if '"' not in line:
        return [field.strip() for field in line.split(delimiter)]  # SET COLSEP pads with blanks
    try:
        return next(csv.reader(StringIO(line, newline="\n"), delimiter=delimiter), [])
    except csv.Error:
        return []


# tables as the Db2 command line and SQL*Plus print them

_DASHES: Final = re.compile(r"-+(?: -+)+\s*")
_COUNT: Final = re.compile(r"\s+[0-9]+ [^0-9,;|]{1,60}\.\s*")
"""The line with the number of rows, which the command line prints in the user's language."""
_COLUMNED: Final = re.compile(
    r"^[^\n]*\b(?:TBSP_NAME|FILE_NAME|DISK_NUMBER|GROUP#)(?![\w#])[^\n]*\n-+(?: -+)+[ \t]*\r?$", re.MULTILINE
)


def is_columned(head: str) -> bool:
    """Return whether a text has such a table: names of columns above minus signs of the same width."""
    return _COLUMNED.search(head) is not None


def columned_rows(lines: Iterable[str]) -> Iterator[str]:
    """Yield each row as comma-separated values, and all other lines as they are.

        TBSP_NAME            CONTAINER_NAME                 TOTAL_PAGES
        -------------------- ------------------------------ --------------------
        TSFACT1              /db2/d01/tsfact1.data                        498750

    A row that does not fit the columns, such as one with a message in it, is not changed either.
    """
    ends: list[int] = []
    before: str | None = None
    for line in lines:
        bare = line.rstrip()
        if _DASHES.fullmatch(line):
            ends = [run.end() for run in re.finditer("-+", bare)]
            if before is not None:
                yield _columned(before, ends)
            before = "\n"
            continue
        if before is not None:
            yield before
        ends = ends if bare else []
        before = _columned(line, ends) if ends else "\n" if _COUNT.fullmatch(line) else line
    if before is not None:
        yield before


def _columned(line: str, ends: list[int]) -> str:
    bare = line.rstrip()
    begins = [0, *(end + 1 for end in ends)]
    if len(bare) <= begins[-2] or len(bare) > ends[-1] or any(bare[end : end + 1].strip() for end in ends):
        return line
    return _csv_line(bare[begin:end].strip() for begin, end in zip(begins, ends, strict=False))


def _csv_line(cells: Iterable[str]) -> str:
    made = StringIO()
    csv.writer(made, lineterminator="\n").writerow(cells)
    return made.getvalue()


# drawn tables

_ASCII: Final = str.maketrans(
    dict.fromkeys("─═", "-")
    | dict.fromkeys("│║", "|")
    | dict.fromkeys("┌┬┐├┼┤└┴┘╪╞╡╔╦╗╠╬╣╚╩╝╫╥╨", "+")
    | {"↵": "+"}
)
r"""What psql draws with `\pset linestyle unicode`, as it draws it in ASCII; the arrow: the cell goes on."""
_BORDER: Final = re.compile(r"^[ \t]*\+?-[-+]*\+[-+]*[ \t]*\r?$", re.MULTILINE)
_CONTINUED: Final = re.compile(r"\+[ \t]*(?:\||\Z)")


def is_drawn(head: str) -> bool:
    """Return whether a text has such a table: a line of minus and plus between lines with bars."""
    head = head.translate(_ASCII)
    border = _BORDER.search(head)
    if border is None:
        return False
    around = head[: border.start()].splitlines()[-1:] + head[border.end() :].splitlines()[1:2]
    return any("|" in line for line in around)


def drawn_rows(lines: Iterable[str]) -> Iterator[str]:
    """Yield each row as comma-separated values, and an empty line for each line that is no row.

         Name    |  Owner   | Location            +------+-----------+
     ------------+----------+-----------          | NAME | FILENAME  |
      pg_default | postgres |                     +------+-----------+
      ts1        | postgres | /db/ts1             | a/b  | ./a/b.ibd |
     (2 rows)                                     +------+-----------+

    Lines keep their numbers.  Of a cell of several lines, which psql marks with a plus at the end, the first
    line is kept.
    """
    continued = False
    for drawn in lines:
        line = drawn.translate(_ASCII)
        bare = line.strip()
        if "|" not in bare or _BORDER.match(bare):
            continued = False
            yield "\n"
            continue
        inside = bare[1:-1] if bare.startswith("|") and bare.endswith("|") else line.rstrip("\r\n")
        cells = [cell.strip() for cell in inside.split("|")]
        was_continued, continued = continued, bool(_CONTINUED.search(bare))
        if was_continued and not cells[0]:
            yield "\n"
            continue
        yield _csv_line(cell.removesuffix("+").rstrip() for cell in cells)


# tables of psql -A

_UNALIGNED: Final = re.compile(
    r"\A(?P<title>[^-|,;\t\n][^|,;\t\n]{0,80}\n)?[^|,;\t\n-]{1,80}(?:\|[^|\n]{0,4096}){1,30}\n"
)
_ROWS: Final = re.compile(r"^\([0-9]{1,9} [^()|\n]{1,40}\)[ \t]*\r?$", re.MULTILINE)
"""The number of rows below a table, in the user's language."""


def is_unaligned(head: str) -> bool:
    """Return whether a text is such a table: bars, with a title above it or the number of rows below."""
    table = _UNALIGNED.match(head)
    return table is not None and (table["title"] is not None or _ROWS.search(head) is not None)


def unaligned_rows(lines: Iterable[str]) -> Iterator[str]:
    """Yield each row as comma-separated values, and an empty line for each line that is no row.

    List of tablespaces
    Name|Owner|Location
    ts1|postgres|/db/ts1
    (1 row)
    """
    for line in lines:
        yield _csv_line(line.rstrip("\r\n").split("|")) if "|" in line else "\n"
