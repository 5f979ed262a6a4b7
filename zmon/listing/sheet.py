"""Spools of catalogue views: tables found by their headings, among prompts and whatever else a spool holds.

A file may hold several tables one after another, as one session spooled them; a heading is a line that has
all the columns that a view is known by, in any order, parted by tabs, commas, semicolons or bars.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from decimal import Decimal
from io import StringIO
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing.container import MOST_NOTED, Note
from zmon.listing.lines import LONGEST, numbered
from zmon.listing.resemblance import is_like, meant
from zmon.listing.table import delimiter_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

DELIMITERS: Final = "\t,;|"
AHEAD: Final = 8
"""Lines that one quoted field may go over."""

_NOISE: Final = re.compile(
    r"SQL>|db2 =>|\s*\d+ (?:rows?|record\(s\)) selected|no rows selected|Elapsed:|[-\s,;|+]*\Z"
    r"|\s*(?:\d{1,3} {2}\s*[A-Z(]|SELECT\s|FROM\s|SET\s|SPOOL\s)",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(r"\bFROM\s+(?:\w{1,30}\.)?([\w$#]{1,30})", re.IGNORECASE)
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,20}(?:\.0*)?")
_PATHS: Final = frozenset({"CONTAINER_NAME", "FILE_NAME", "DESTINATION"})
"""Columns without which a view would be taken for another one."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_$#]{1,29}")
_GROUPED: Final = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3}){1,6}(?:\.0*)?")
_POWER: Final = re.compile(r"[+-]?[0-9](?:\.[0-9]{1,40})?E\+?[0-9]{1,2}", re.IGNORECASE)


class Heading(NamedTuple):
    """A heading that was recognised."""

    sort: str
    delimiter: str
    names: tuple[str, ...]
    view: str = ""
    """What the query before it selects from, when the spool shows it."""


class Row(NamedTuple):
    """One row of a table; one with a problem has no cells."""

    line: int
    sort: str
    cells: Mapping[str, str]
    problem: str = ""
    view: str = ""
    """What its query selects from, in upper case, when the spool shows it."""

    def text(self, name: str) -> str:
        """The cell of this column; empty when there is none, or it says that there is no value."""
        cell = self.cells.get(name, "")
        return "" if cell.strip().upper() in {"NULL", "(NULL)"} else cell

    def whole(self, name: str) -> int | None:
        """The cell as a whole number; None when it is none.  `1.0737E+10` counts as what it says."""
        cell = self.text(name).strip()
        if _GROUPED.fullmatch(cell):
            cell = cell.replace(",", "")
        if _WHOLE.fullmatch(cell):
            return int(cell.split(".")[0])
        return int(Decimal(cell)) if _POWER.fullmatch(cell) else None

    def unclear(self, *names: str) -> Iterator[Note]:
        """Note which of these cells hold something that is no whole number."""
        for name in names:
            if self.text(name).strip(" -") and self.whole(name) is None:
                said = f"not understood: {name} {shown(self.text(name))} is no whole number"
                yield Note(self.line, said, unread=True)


def heading(line: str, sorts: Mapping[str, frozenset[str]]) -> Heading | None:
    """Recognise the heading of one of these views, by the columns each must have."""
    upper = line.upper()
    for sort, needed in sorts.items():
        if not all(name in upper for name in needed):
            continue
        for delimiter in DELIMITERS:
            names = tuple(field.strip().strip('"').upper() for field in upper.split(delimiter))
            if needed.issubset(names):
                return Heading(sort, delimiter, names)
    return None


def rows(
    text: str | Iterable[str],
    sorts: Mapping[str, frozenset[str]],
    notes: list[Note],
    bare: Callable[[str], Heading | None] | None = None,
) -> Iterator[Row]:
    """Read the rows of all tables whose headings are recognised.

    Args:
        text: the spool, or its pieces in order.
        sorts: what each view is called, and the columns that it is known by, the most telling first.
        notes: gets what was passed over; rows that are not understood are counted after the first.
        bare: tells, from its first row, of a table that has no heading.
    """
    broken = 0
    for row in _all(text, sorts, notes, bare):
        broken += bool(row.problem)
        if not row.problem or broken <= MOST_NOTED:
            yield row
    if broken > MOST_NOTED:
        notes.append(Note(0, f"{broken - MOST_NOTED:,} more rows are not understood", unread=True))


def _all(
    text: str | Iterable[str],
    sorts: Mapping[str, frozenset[str]],
    notes: list[Note],
    bare: Callable[[str], Heading | None] | None,
) -> Iterator[Row]:
    """Read the rows, however many cannot be understood."""
    found: Heading | None = None
    odd = ""
    view = ""
    waiting: deque[tuple[int, str]] = deque()
    lines = numbered(text, notes)
    while True:
        number, line = waiting.popleft() if waiting else next(lines, (0, ""))
        if not number:
            break
        line = line.removeprefix("\ufeff")
        if _NOISE.match(line):
            asked = _ASKED.search(line)
            view = asked[1].upper() if asked is not None else view
        elif (head := heading(line, sorts)) is not None and not any(meant(one, _PATHS) for one in head.names):
            found, view, odd = head._replace(view=view), "", ""
        elif _is_other_heading(line, found, sorts):
            odd = shown(line)
            notes.append(
                Note(number, f"heading not understood, rows below it are not read: {odd}", unread=True)
            )
        elif not odd:
            if found is None and bare is not None:
                found = bare(line)
            if found is not None:
                yield _row(number, line, found, waiting, lines)
    if found is None:
        known = "; ".join(", ".join(sorted(needed)) for needed in sorts.values())
        notes.append(Note(0, f"no heading was found that has all of: {known}"))


def _is_other_heading(line: str, under: Heading | None, sorts: Mapping[str, frozenset[str]]) -> bool:
    """Tell whether a line is the heading of no known view, or one that is mistyped, and no row."""
    delimiter = under.delimiter if under is not None else delimiter_of(line)
    fields = [field.strip().strip('"') for field in line.split(delimiter)]
    if len(fields) < 2 or not all(map(_NAME.fullmatch, fields)):
        return False
    if under is not None and len(fields) != len(under.names) and line.isupper():
        return True
    known = frozenset[str]().union(*sorts.values())
    return sum(is_like(field.upper(), known) for field in fields) >= 2


def _row(
    number: int, line: str, head: Heading, waiting: deque[tuple[int, str]], lines: Iterator[tuple[int, str]]
) -> Row:
    """Read one row; of a quote that is not closed take further lines, if they make it a row."""
    fields = _fields(line, head.delimiter)
    if line.count('"') % 2:
        while len(waiting) < AHEAD and (more := next(lines, None)) is not None:
            waiting.append(more)
        longer = line
        for taken, (_, text) in enumerate(tuple(waiting), 1):
            longer += "\n" + text
            if text.count('"') % 2 and len(longer) <= LONGEST:
                joined = _fields(longer, head.delimiter)
                if len(joined) == len(head.names):
                    fields = joined
                    for _ in range(taken):
                        waiting.popleft()
                break
    if len(fields) != len(head.names):
        why = f"{len(fields)} fields under {len(head.names)} columns: {shown(line)}"
        return Row(number, head.sort, {}, why, head.view)
    return Row(number, head.sort, dict(zip(head.names, fields, strict=True)), view=head.view)


def _fields(line: str, delimiter: str) -> list[str]:
    if '"' not in line:
        return [field.strip() for field in line.split(delimiter)]  # SET COLSEP pads with blanks
    try:
        return next(csv.reader(StringIO(line, newline="\n"), delimiter=delimiter), [])
    except csv.Error:
        return []
