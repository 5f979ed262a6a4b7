from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.table import LONGEST, Row, TableError, delimiter_of, rows, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

cells = st.text(st.characters(codec="utf-8"), max_size=20)


@given(st.lists(st.lists(cells, min_size=2, max_size=5), min_size=1, max_size=8), st.sampled_from(",;|"))
def test_what_python_writes_is_read_back(table: list[list[str]], delimiter: str) -> None:
    """Any cells survive, with commas, quotes and line ends in them, if the first row shows the delimiter."""
    table = [["first", "row"], *([f"x{row[0]}", *row[1:]] for row in table)]
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, lineterminator="\r\n").writerows(table)
    assert [list(row.fields) for row in rows(written.getvalue())] == table


@given(st.lists(st.lists(cells, min_size=2, max_size=5), min_size=1, max_size=8), st.integers(1, 9))
def test_pieces_of_any_size_are_one_text(table: list[list[str]], limit: int) -> None:
    """A file that is read in pieces gives the rows of the whole, if the first row shows the delimiter."""
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["first", "row"], *table])
    text = written.getvalue()
    pieces = io.StringIO(text.replace("\r", "?"), newline="")
    whole = list(rows(text.replace("\r", "?")))
    assert list(rows(iter(lambda: pieces.readline(limit), ""))) == whole


@given(st.lists(st.lists(cells, min_size=2, max_size=5), min_size=1, max_size=8))
def test_what_a_client_of_mariadb_prints_is_read_back(table: list[list[str]]) -> None:
    """Between tabs, what would part is escaped."""

    def escaped(cell: str) -> str:
        for plain, written in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\\0")):
            cell = cell.replace(plain, written)
        return cell

    table = [["first", "row"], *([f"x{row[0]}", *row[1:]] for row in table)]
    text = "".join("\t".join(map(escaped, row)) + "\n" for row in table)
    assert [list(row.fields) for row in rows(text)] == table


@given(st.text() | st.text(alphabet='a",;\t\n\r\\'))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Of any text there are rows, or a TableError."""
    try:
        list(rows(text))
    except TableError:
        return


def test_comments_and_empty_lines_come_before() -> None:
    """Lines before the first row that begin with # are kept apart, and counted."""
    comments: list[str] = []
    assert list(rows("\ufeff# host: z\n\n#b\na,b\n# c,d\n", comments)) == [
        Row(4, ("a", "b")),
        Row(5, ("# c", "d")),
    ]
    assert comments == ["host: z", "b"]


def test_a_row_over_lines_has_the_number_of_its_first() -> None:
    """A line end in quotes belongs to the cell."""
    assert list(rows('a,"b\nc"\nd,e\n')) == [Row(1, ("a", "b\nc")), Row(3, ("d", "e"))]


def test_a_quote_in_a_name_costs_its_row_alone() -> None:
    """Damage within a line is told there."""
    first, second = rows('"a"b,c\nd,e\n')
    assert first.problem
    assert second == Row(2, ("d", "e"))


def test_a_quote_that_is_not_closed_ends_the_reading() -> None:
    """Damage over lines is refused with the line where it began."""
    with pytest.raises(TableError, match="line 2 begins '\"b,c' and does not end"):
        list(rows('x,y\n"b,c\nd,e\n'))


def test_a_quote_cannot_swallow_a_large_file() -> None:
    """What a quote may hold is bounded, so that a file is not held in memory for it."""
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        yield 'a,"b\n'
        while True:
            taken += 1
            yield "x" * 1000 + "\n"

    with pytest.raises(TableError, match="line 1"):
        list(rows(endless()))
    assert taken <= LONGEST // 1000 + 1


def test_a_line_that_never_ends_is_refused() -> None:
    """A file of one endless line is no table."""
    with pytest.raises(TableError, match="more than"):
        list(rows("x" for _ in range(LONGEST * 2)))


@pytest.mark.parametrize(
    ("line", "delimiter"), [("a,b;c", ","), ("a;b", ";"), ("a\tb", "\t"), ("a|b", "|"), ("a", ",")]
)
def test_the_first_line_shows_the_delimiter(line: str, delimiter: str) -> None:
    """A comma goes before all others, as it is what RFC 4180 says."""
    assert delimiter_of(line) == delimiter


def test_what_is_shown_cannot_harm() -> None:
    """A message quotes what was found, short and printable."""
    assert shown("a\x1b[2Jb\n") == "'a?[2Jb'"
    assert len(shown("x" * 1000)) < 80
