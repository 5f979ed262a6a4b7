from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.plain_text import cells, harmless
from zmon.cli.output import aligned, folded, write_text
from zmon.screen.number import fitted, shorten

pytestmark = pytest.mark.interpreter

WIDTHS = st.integers(12, 100)


@given(st.text(), WIDTHS)
def test_a_shortened_name_is_harmless_and_fits(text: str, width: int) -> None:
    """Whatever it is."""
    found = shorten(text, width)
    assert cells(found) <= width
    assert cells(fitted(text, width)) == width
    assert found.isprintable()


def test_a_column_is_as_wide_as_its_widest_name_on_a_terminal() -> None:
    """Letters of Chinese and Japanese take two cells."""
    assert list(aligned([("表領域", "1"), ("abc", "2")])) == ["  表領域  1", "  abc     2"]


@pytest.mark.parametrize(
    ("locale", "shown"), [("C.UTF-8", "é 表 │\n"), ("C", "? ?? │\n"), ("POSIX", "? ?? │\n"), ("", "? ?? │\n")]
)
def test_the_locale_decides_whether_foreign_letters_are_printed(
    locale: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sign for each cell, so that columns stay; lines of a chart are as they were wanted."""
    for name in ("LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", locale)
    write_text(["é 表 │"])
    assert capsys.readouterr().out == shown


def test_the_middle_of_a_name_is_left_out() -> None:
    """Both ends of a path tell something."""
    assert shorten("/db/with/a/long/path/file.dat", 16) == "/db/w../file.dat"


def test_words_are_folded_between_words() -> None:
    """The lines after the first stand below it."""
    assert list(folded("one two-three four", 12, "- ")) == ["- one", "  two-three", "  four"]


def test_other_lines_may_have_an_indent_of_their_own() -> None:
    """A line that goes on is seen to."""
    assert list(folded("one two", 7, "  ", "    ")) == ["  one", "    two"]


def test_a_number_is_not_parted_from_its_unit() -> None:
    """The line ends before both."""
    assert list(folded("paths at 76 % busy", 11, "", "  ")) == ["paths at", "  76 % busy"]


@pytest.mark.parametrize("sentence", ["", " ", "\n"])
def test_nothing_is_no_line(sentence: str) -> None:
    """Not even an indent."""
    assert list(folded(sentence.strip(), 20, "  ")) == []


@given(st.text(max_size=2000), WIDTHS)
def test_folded_lines_are_harmless_and_fit(sentence: str, width: int) -> None:
    """Words that are longer than a line are broken."""
    for line in folded(sentence, width, "  ", "    "):
        assert cells(line) <= width
        assert line.isprintable()


@given(st.text("ab -", max_size=300), WIDTHS)
def test_folding_loses_no_letter(sentence: str, width: int) -> None:
    """But for the blanks between words."""
    assert "".join(folded(sentence, width)).replace(" ", "") == sentence.replace(" ", "")


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_field_stays_in_its_record(names: list[str]) -> None:
    """One line, and what is read back is what was written."""
    fields = [harmless(name, escaped=True) for name in names]
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\n").writerow(fields)
    assert line.getvalue().splitlines() == [line.getvalue().rstrip("\n")] or fields == [""]
    assert next(csv.reader([line.getvalue()])) == fields
