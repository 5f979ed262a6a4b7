from __future__ import annotations

import csv
import io
from io import BufferedReader, BytesIO, StringIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.delimited import (
    MAX_FIELD_LINES,
    MAX_LINE,
    TableError,
    TableRow,
    ViewHeading,
    ViewRow,
    about_bytes,
    columned_rows,
    delimiter_of,
    drawn_rows,
    find_heading,
    is_columned,
    is_drawn,
    is_unaligned,
    multiply,
    numbered_lines,
    rows,
    view_rows,
    whole_number,
)
from zmon.listing.listing import ListingError, read_listing
from zmon.listing.not_understood import Note, quote

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
        TableRow(4, ("a", "b")),
        TableRow(5, ("# c", "d")),
    ]
    assert comments == ["host: z", "b"]


def test_a_row_over_lines_has_the_number_of_its_first() -> None:
    """A line end in quotes belongs to the cell."""
    assert list(rows('a,"b\nc"\nd,e\n')) == [
        TableRow(1, ("a", "b\nc"), quoted=True),
        TableRow(3, ("d", "e")),
    ]


def test_a_quote_in_a_name_costs_its_row_alone() -> None:
    """Damage within a line is told there."""
    first, second = rows('"a"b,c\nd,e\n')
    assert first.problem
    assert second == TableRow(2, ("d", "e"))


def test_a_quote_that_is_not_closed_ends_the_reading() -> None:
    """Damage over lines is refused with the line where it began."""
    with pytest.raises(TableError, match="line 2 begins '\"b,c' and does not end"):
        list(rows('x,y\n"b,c\nd,e\n'))


@pytest.mark.parametrize("before", ["", "a,b\n" * 3])
def test_a_line_that_is_too_long_is_no_quote_that_is_not_closed(before: str) -> None:
    """What is wrong is said, with its line."""
    line = before.count("\n") + 1
    with pytest.raises(
        TableError, match=rf"line {line} begins 'T,/xxx.* has more than {MAX_LINE} characters\Z"
    ):
        list(rows(f"{before}T,/{'x' * 900_000}\nc,d\n"))


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
    assert taken <= MAX_LINE // 1000 + 1


def test_a_line_that_never_ends_is_refused() -> None:
    """A file of one endless line is no table."""
    with pytest.raises(TableError, match="more than"):
        list(rows("x" for _ in range(MAX_LINE * 2)))


@pytest.mark.parametrize(
    ("line", "delimiter"), [("a,b;c", ","), ("a;b", ";"), ("a\tb", "\t"), ("a|b", "|"), ("a", ",")]
)
def test_the_first_line_shows_the_delimiter(line: str, delimiter: str) -> None:
    """A comma goes before all others, as it is what RFC 4180 says."""
    assert delimiter_of(line) == delimiter


def test_what_is_shown_cannot_harm() -> None:
    """A message quotes what was found, short and printable."""
    assert quote("a\x1b[2Jb\n") == r"'a\x1b[2Jb'"
    assert quote("表空间 ü") == "'表空间 ü'"
    assert len(quote("x" * 1000)) < 80


SORTS = {"pets": frozenset({"PET", "AGE"}), "food": frozenset({"FOOD"})}


def cells_sheet(text: str) -> list[dict[str, str]]:
    return [dict(row.cells) for row in view_rows(text, SORTS, [])]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_finds_out_the_delimiter(delimiter: str) -> None:
    """The heading tells it."""
    text = "x,pet;age\nAge,Pet\n7,cat".replace(",", delimiter).replace("pet;age", "y")
    assert cells_sheet(text) == [{"AGE": "7", "PET": "cat"}]


def test_reads_several_tables() -> None:
    """Each heading starts another one."""
    assert cells_sheet("pet,age\ncat,7\n\nfood\nfish") == [{"PET": "cat", "AGE": "7"}, {"FOOD": "fish"}]


def test_takes_off_the_blanks_that_pad_a_column() -> None:
    """Blanks within quotes stay."""
    assert cells_sheet('pet ,age \ncat  , 7\n"dog ",8') == [
        {"PET": "cat", "AGE": "7"},
        {"PET": "dog ", "AGE": "8"},
    ]


def test_passes_over_what_is_no_row() -> None:
    """Prompts, commands and counts of a session are no rows."""
    before = "SQL> select pet, age, x from pets\n  2  where age > 1;\n\n"
    assert cells_sheet(f"{before}pet,age\n---,---\ncat,7\n\n1 row selected.\nSQL> exit") == [
        {"PET": "cat", "AGE": "7"}
    ]


def test_tells_what_was_asked() -> None:
    """The view that the query before a table selects from, without its owner."""
    text = "SQL> select pet, age\n  2  from sys.v$pets;\npet,age\ncat,7"
    assert [row.view for row in view_rows(text, SORTS, [])] == ["V$PETS"]


def test_keeps_a_row_that_it_cannot_read() -> None:
    """It has a problem and its line."""
    found = list(view_rows("pet,age\ncat\ndog,8", SORTS, []))
    assert [(row.line, bool(row.problem)) for row in found] == [(2, True), (3, False)]


def test_reads_a_field_over_several_lines() -> None:
    """A quoted field may have ends of lines in it."""
    assert cells_sheet('pet,age\n"ca\nt",7\ndog,8') == [
        {"PET": "ca\nt", "AGE": "7"},
        {"PET": "dog", "AGE": "8"},
    ]


def test_loses_one_row_to_one_quote() -> None:
    """A quote that is never closed costs its own row."""
    found = list(view_rows('pet,age\n"cat,7\n' + "dog,8\n" * (MAX_FIELD_LINES + 2), SORTS, []))
    assert [bool(row.problem) for row in found] == [True] + [False] * (MAX_FIELD_LINES + 2)


def test_says_what_headings_it_looked_for() -> None:
    """When there is none, a note tells."""
    notes: list[Note] = []
    assert list(view_rows("a,b\n1,2", SORTS, notes)) == []
    (note,) = notes
    assert note == Note(0, note.text, of_heading=True)
    assert note.text.endswith(": AGE, PET; FOOD")


def test_reads_a_table_without_a_heading() -> None:
    """If its first row can be recognised."""
    bare = ViewHeading("pets", ",", ("PET", "AGE"))
    found = view_rows("cat,7", SORTS, [], lambda line: bare if line == "cat,7" else None)
    assert [dict(row.cells) for row in found] == [{"PET": "cat", "AGE": "7"}]


@pytest.mark.parametrize(
    ("cell", "number"),
    [("7", 7), (" 7.00 ", 7), ("1.0737E+10", 10_737_000_000), ("-1", -1), ("", None), ("NULL", None),
     ("7.5", None), ("50.000", None), ("x", None), ("1E99", 10**99), ("1E999", None)],
)  # fmt: skip
def test_reads_whole_numbers(cell: str, number: int | None) -> None:
    """As SQL prints them, with a power of ten when a column was too narrow."""
    assert ViewRow(1, "", {"A": cell}).whole("A") == number


def test_reports_a_number_that_is_rounded() -> None:
    """A power of ten lacks digits."""
    assert [note.text for note in ViewRow(1, "", {"A": "1.07e6", "B": "7"}).unclear("A", "B")] == [
        "A '1.07e6' is rounded: taken as 1,070,000"
    ]


def test_takes_no_query_for_a_heading() -> None:
    """A heading has exactly the names."""
    assert find_heading("select pet, age from x", SORTS) is None


NAMES = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\0"), min_size=1, max_size=12
)


@given(st.lists(NAMES.filter(lambda name: name.count("\n") < MAX_FIELD_LINES), min_size=1, max_size=4))
def test_reads_what_was_printed(names: list[str]) -> None:
    """Any text that is quoted comes back."""
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        [["pet", "age"], *([n, "1"] for n in names)]
    )
    assert [row["PET"] for row in cells_sheet(written.getvalue())] == names


@given(
    st.lists(st.sampled_from(["pet", "age", ",", "\n", '"', "\t", "food", "7", "\r", "SQL>", "x"])).map(
        "".join
    )
)
def test_reads_anything(text: str) -> None:
    """No text makes it fail."""
    list(view_rows(text, SORTS, []))


def test_numbers_lines() -> None:
    """They count from 1, and their ends are left out, those of other systems too."""
    assert list(numbered_lines("a\r\n\nb", [])) == [(1, "a"), (2, ""), (3, "b")]


def test_joins_the_pieces_of_a_line() -> None:
    """A line may come in several pieces, and a piece may have several lines."""
    assert list(numbered_lines(["a", "b\nc", "\n", "d\ne"], [])) == [(1, "ab"), (2, "c"), (3, "d"), (4, "e")]


def test_leaves_out_a_line_that_is_too_long() -> None:
    """It is noted, and the next has its number."""
    notes: list[Note] = []
    assert (list(numbered_lines(["x" * MAX_LINE, "x", "\nb"], notes)), [note.line for note in notes]) == (
        [(2, "b")],
        [1],
    )


def test_notes_a_last_line_that_is_too_long() -> None:
    """It needs no end for that."""
    notes: list[Note] = []
    assert (list(numbered_lines("x" * (MAX_LINE + 1), notes)), [note.line for note in notes]) == ([], [1])


@given(st.lists(st.text(st.sampled_from("ab\n"), max_size=5)))
def test_gives_the_same_however_it_is_cut(pieces: list[str]) -> None:
    """Where pieces end makes no difference."""
    assert list(numbered_lines(pieces, [])) == list(numbered_lines("".join(pieces), []))


@pytest.mark.parametrize("text", [None, "", "-1", "1.5", " 1", "x", "1" * 20, "\u0661"])
def test_what_is_no_whole_number_is_none(text: str | None) -> None:
    """A sign, a blank, a fraction, digits of other scripts, or more of them than any size has."""
    assert whole_number(text) is None


@given(st.integers(0, 10**19 - 1))
def test_a_whole_number_is_read(number: int) -> None:
    """As it is written."""
    assert whole_number(str(number)) == number


@pytest.mark.parametrize(("number", "unit"), [(None, 1), (1, None), (None, None)])
def test_a_product_needs_both(number: int | None, unit: int | None) -> None:
    """Absent is never zero."""
    assert multiply(number, unit) is None


def test_a_product_of_nothing_is_nothing() -> None:
    """Zero pages are zero bytes, not unknown ones."""
    assert multiply(0, 4096) == 0


DB = """\
                                  List of tablespaces
    Name    |  Owner   |   Location    | Access privileges | Options |  Size  | Description
------------+----------+---------------+-------------------+---------+--------+-------------
 pg_default | postgres |               |                   |         | 22 MB  |
 pg_global  | postgres |               |                   |         | 600 kB |
 ts1        | app      | /db/d07/ts1   | app=C/app        +|         | 53 GB  | orders
            |          |               | reader=C/app      |         |        |
 ts 2       | app      | /db/d08/ts, 2 |                   |         | 1 GB   |
(4 rows)
"""
MYSQL = """\
+-----------+-----------------+-----------+
| NAME      | FILENAME        | FILE_SIZE |
+-----------+-----------------+-----------+
| shop/sold | ./shop/sold.ibd |    114688 |
| shop/left | /db/left.ibd    |     98304 |
+-----------+-----------------+-----------+
2 rows in set (0.00 sec)
"""
ALIGNED = """\
  oid  |  spcname   | pg_tablespace_location
-------+------------+------------------------
  1663 | pg_default |
 16390 | ts1        | /db/ts1
(2 rows)
"""


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("22 MB", 22 << 20),
        ("600 kB", 600 << 10),
        ("1,5T", 3 << 39),
        ("0 bytes", 0),
        ("53", None),
        ("app=C/app", None),
    ],
)
def test_a_size_with_its_unit_is_rounded(text: str, size: int | None) -> None:
    """As psql and people write it; a number alone is none."""
    assert about_bytes(text) == size


def test_rounded_sizes_are_about_right() -> None:
    """Those of psql, in any language, and of a CSV count, and the listing says what they are."""
    for listing, sizes in (
        (DB, [22 << 20, 600 << 10, 53 << 30, 1 << 30]),
        (DB.replace("Size", "Größe"), [22 << 20, 600 << 10, 53 << 30, 1 << 30]),
        ("tablespace,path,bytes\nT1,/a/b,12 GB\nT2,/a/c,4096\n", [12 << 30, 4096]),
    ):
        found = read_listing("-", standard_input=BufferedReader(BytesIO(listing.encode())))
        assert [row.bytes_declared for row in found.containers] == sizes
        assert any("rounded" in note for note in found.notes)
    exact = read_listing("-", standard_input=BufferedReader(BytesIO(MYSQL.encode())))
    assert not any("rounded" in note for note in exact.notes)


def read(text: str) -> list[tuple[str, str, int]]:
    found = read_listing("-", standard_input=BufferedReader(BytesIO(text.encode())))
    assert found.unread == ()
    return [(row.tablespace, row.path, row.line) for row in found.containers]


def test_tablespaces_that_psql_lists_are_read() -> None:
    r"""`\db+` has all that is needed; rights that go over lines are no rows."""
    assert read(DB) == [
        ("pg_default", "base", 4), ("pg_global", "global", 5), ("ts1", "/db/d07/ts1", 6),
        ("ts 2", "/db/d08/ts, 2", 8),
    ]  # fmt: skip


def test_a_query_in_the_usual_form_of_psql_is_read() -> None:
    """As well as with --csv."""
    assert read(ALIGNED) == [("pg_default", "base", 3), ("ts1", "/db/ts1", 4)]


def test_a_table_with_borders_is_read() -> None:
    """As the client of MariaDB draws it."""
    assert read(MYSQL) == [("shop/sold", "./shop/sold.ibd", 4), ("shop/left", "/db/left.ibd", 5)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "\nFILE_NAME\n------------------------------\nTABLESPACE_NAME\n-----------------\n/db/x\n",
            "MARKUP CSV",
        ),
        ("total 0\nlrwxrwxrwx 1 postgres postgres 7 Jan 1 10:00 16390 -> /db/ts1\n", "data directory itself"),
    ],
)
def test_what_cannot_be_read_is_told_with_what_to_give(text: str, words: str) -> None:
    """In one sentence, before the list of formats."""
    with pytest.raises(ListingError, match=words):
        read(text)


@pytest.mark.parametrize("text", ["a,b\n", "a|b\n", "-----\n", "a\n---+---\nb\n", "CREATE x; -- a+b | c\n"])
def test_other_texts_are_no_such_tables(text: str) -> None:
    """A border has bars above or below it."""
    assert not is_drawn(text)


@given(st.text('|+- \nab,"'))
def test_lines_keep_their_numbers(text: str) -> None:
    """There are as many as before."""
    lines = StringIO(text).readlines()
    assert len(list(drawn_rows(lines))) == len(lines)
    assert all(row.endswith("\n") and row.count("\n") == 1 for row in drawn_rows(lines))


TITLE = "List of tablespaces\n"
PSQL = {
    "ascii": TITLE
    + """\
    Name    |  Owner   | Location
------------+----------+----------
 pg_default | postgres |
 ts1        | postgres | /db/ts1
(2 rows)
""",
    "unicode": TITLE
    + """\
    Name    │  Owner   │ Location
────────────┼──────────┼──────────
 pg_default │ postgres │
 ts1        │ postgres │ /db/ts1
(2 rows)
""",
    "unicode, double": TITLE
    + """\
    Name    │  Owner   │ Location
════════════╪══════════╪══════════
 pg_default │ postgres │
 ts1        │ postgres │ /db/ts1
(2 rows)
""",
    "unicode, border 2": TITLE
    + """\
┌────────────┬──────────┬──────────┐
│    Name    │  Owner   │ Location │
├────────────┼──────────┼──────────┤
│ pg_default │ postgres │          │
│ ts1        │ postgres │ /db/ts1  │
└────────────┴──────────┴──────────┘
(2 rows)
""",
    "unaligned": TITLE + "Name|Owner|Location\npg_default|postgres|\nts1|postgres|/db/ts1\n(2 rows)\n",
    "unaligned, no title": "Name|Owner|Location\npg_default|postgres|\nts1|postgres|/db/ts1\n(2 Zeilen)\n",
}


@pytest.mark.parametrize("layout", PSQL)
def test_psql_draws_one_table_in_several_ways(layout: str) -> None:
    """Lines of Unicode, of ASCII, or none with -A: all name the same containers, and nothing is left."""
    text = PSQL[layout]
    lines = [number for number, line in enumerate(text.splitlines(), 1) if "postgres" in line]
    assert read(text) == [("pg_default", "base", lines[0]), ("ts1", "/db/ts1", lines[1])]


@pytest.mark.parametrize("text", ["a|b\nc|d\n", "a,b|c\n1|2\n", "one line\nanother\n", "a\tb|c\n(2 rows)\n"])
def test_other_texts_with_bars_are_no_tables_of_psql(text: str) -> None:
    """Bars alone are those of any spool: a title or a number of rows is psql's."""
    assert not is_unaligned(text)


CLP = """\
db2 => SELECT ...

TBSP_NAME      CONTAINER_NAME       TOTAL_PAGES
-------------- -------------------- -----------
T 1            /db/a b                      100
T,2            /db/b                          -
SQL0445W  Value "x" has been truncated here.
T3             /db/longer_than_the_column 3

  2 record(s) selected.
a   b
"""


def test_reads_the_columns_of_the_db2_command_line() -> None:
    """By the width of the line below the heading; all lines keep their numbers."""
    assert is_columned(CLP)
    lines = CLP.splitlines(keepends=True)
    assert list(columned_rows(lines)) == [
        *lines[:2],
        "TBSP_NAME,CONTAINER_NAME,TOTAL_PAGES\n",
        "\n",
        "T 1,/db/a b,100\n",
        '"T,2",/db/b,-\n',
        *lines[6:9],
        "\n",
        lines[10],
    ]


@given(st.lists(st.sampled_from(["T  A\n", "---- --\n", "-- ----\n", "\n", "a", " b", '"c,\n', "é\r\n"])))
def test_keeps_the_lines_of_any_text(parts: list[str]) -> None:
    """As many as before."""
    lines = "".join(parts).splitlines(keepends=True)
    assert len(list(columned_rows(lines))) == len(lines)


@pytest.mark.parametrize(
    "text",
    ["1234567", "1,234,567", "1.234.567", "1 234 567", "1\u00a0234\u202f567", "1'234'567", "1234567,00",
     "1,234,567.0", "1.234.567,00", "1234567,", "1234567."],
)  # fmt: skip
def test_numbers_are_read_as_languages_write_them(text: str) -> None:
    """With points, commas, blanks and apostrophes between thousands, and a fraction of zeros."""
    assert whole_number(text) == 1_234_567
    assert ViewRow(1, "x", {"N": f"-{text} "}).whole("N") == -1_234_567


@pytest.mark.parametrize(
    "text", ["50.000", "1.5", "1,5", "1,23,456", "1.234.5", "1 2", "", "1e6", "-1", "٣", "9" * 30]
)
def test_other_numbers_are_none(text: str) -> None:
    """A point before three zeros may be either."""
    assert whole_number(text) is None


OTHER = """\
  oid  | dattablespace |  datname
-------+---------------+-----------
 13806 |          1663 | postgres
 16392 |         16390 | shop
(2 rows)
"""


def test_other_tables_of_a_session_have_no_tablespaces() -> None:
    """Their rows are not read, and that is said once; a later table of tablespaces is."""
    spool = BytesIO(f"{ALIGNED}\n{OTHER}\n{ALIGNED.replace('ts1', 'ts2')}".encode())
    content = read_listing("-", standard_input=BufferedReader(spool))
    assert {row.tablespace for row in content.containers} == {"pg_default", "ts1", "ts2"}
    assert len(content.unread) == 1
