from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.container import Note
from zmon.listing.sheet import AHEAD, Heading, Row, heading, rows

SORTS = {"pets": frozenset({"PET", "AGE"}), "food": frozenset({"FOOD"})}


def cells(text: str) -> list[dict[str, str]]:
    return [dict(row.cells) for row in rows(text, SORTS, [])]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_finds_out_the_delimiter(delimiter: str) -> None:
    """The heading tells it."""
    text = "x,pet;age\nAge,Pet\n7,cat".replace(",", delimiter).replace("pet;age", "y")
    assert cells(text) == [{"AGE": "7", "PET": "cat"}]


def test_reads_several_tables() -> None:
    """Each heading starts another one."""
    assert cells("pet,age\ncat,7\n\nfood\nfish") == [{"PET": "cat", "AGE": "7"}, {"FOOD": "fish"}]


def test_takes_off_the_blanks_that_pad_a_column() -> None:
    """Blanks within quotes stay."""
    assert cells('pet ,age \ncat  , 7\n"dog ",8') == [{"PET": "cat", "AGE": "7"}, {"PET": "dog ", "AGE": "8"}]


def test_passes_over_what_is_no_row() -> None:
    """Prompts, commands and counts of a session are no rows."""
    before = "SQL> select pet, age, x from pets\n  2  where age > 1;\n\n"
    assert cells(f"{before}pet,age\n---,---\ncat,7\n\n1 row selected.\nSQL> exit") == [
        {"PET": "cat", "AGE": "7"}
    ]


def test_tells_what_was_asked() -> None:
    """The view that the query before a table selects from, without its owner."""
    text = "SQL> select pet, age\n  2  from sys.v$pets;\npet,age\ncat,7"
    assert [row.view for row in rows(text, SORTS, [])] == ["V$PETS"]


def test_keeps_a_row_that_it_cannot_read() -> None:
    """It has a problem and its line."""
    found = list(rows("pet,age\ncat\ndog,8", SORTS, []))
    assert [(row.line, bool(row.problem)) for row in found] == [(2, True), (3, False)]


def test_reads_a_field_over_several_lines() -> None:
    """A quoted field may have ends of lines in it."""
    assert cells('pet,age\n"ca\nt",7\ndog,8') == [{"PET": "ca\nt", "AGE": "7"}, {"PET": "dog", "AGE": "8"}]


def test_loses_one_row_to_one_quote() -> None:
    """A quote that is never closed costs its own row."""
    found = list(rows('pet,age\n"cat,7\n' + "dog,8\n" * (AHEAD + 2), SORTS, []))
    assert [bool(row.problem) for row in found] == [True] + [False] * (AHEAD + 2)


def test_says_what_headings_it_looked_for() -> None:
    """When there is none, a note tells."""
    notes: list[Note] = []
    assert (list(rows("a,b\n1,2", SORTS, notes)), notes) == (
        [], [Note(0, "no heading was found that has all of: AGE, PET; FOOD")],
    )  # fmt: skip


def test_reads_a_table_without_a_heading() -> None:
    """If its first row can be recognised."""
    bare = Heading("pets", ",", ("PET", "AGE"))
    found = rows("cat,7", SORTS, [], lambda line: bare if line == "cat,7" else None)
    assert [dict(row.cells) for row in found] == [{"PET": "cat", "AGE": "7"}]


@pytest.mark.parametrize(
    ("cell", "number"),
    [("7", 7), (" 7.00 ", 7), ("1.0737E+10", 10_737_000_000), ("-1", -1), ("", None), ("NULL", None),
     ("7.5", None), ("x", None), ("1E99", 10**99), ("1E999", None)],
)  # fmt: skip
def test_reads_whole_numbers(cell: str, number: int | None) -> None:
    """As SQL prints them, with a power of ten when a column was too narrow."""
    assert Row(1, "", {"A": cell}).whole("A") == number


def test_takes_no_query_for_a_heading() -> None:
    """A heading has exactly the names."""
    assert heading("select pet, age from x", SORTS) is None


NAMES = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\0"), min_size=1, max_size=12
)


@given(st.lists(NAMES.filter(lambda name: name.count("\n") < AHEAD), min_size=1, max_size=4))
def test_reads_what_was_printed(names: list[str]) -> None:
    """Any text that is quoted comes back."""
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        [["pet", "age"], *([n, "1"] for n in names)]
    )
    assert [row["PET"] for row in cells(written.getvalue())] == names


@given(
    st.lists(st.sampled_from(["pet", "age", ",", "\n", '"', "\t", "food", "7", "\r", "SQL>", "x"])).map(
        "".join
    )
)
def test_reads_anything(text: str) -> None:
    """No text makes it fail."""
    list(rows(text, SORTS, []))
