from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.plain_text import beginning, cells, harmless, padded, wrap

pytestmark = pytest.mark.interpreter


@given(st.text())
def test_ascii_lets_nothing_through_that_a_terminal_obeys(text: str) -> None:
    """Escapes, line ends and bytes above ASCII become question marks, one for one."""
    shown = harmless(text, ascii_only=True)
    assert len(shown) == len(text)
    assert all(" " <= c <= "~" for c in shown)


@given(st.text())
def test_harmless_keeps_letters_of_all_scripts(text: str) -> None:
    """Only what does not print is replaced."""
    assert [a for a, b in zip(text, harmless(text), strict=True) if a != b and a.isprintable()] == []
    assert harmless(text).isprintable()


def test_bytes_that_are_no_text_are_shown_as_numbers() -> None:
    """As Python spells them in file names."""
    assert harmless("a\udcff") == r"a\udcff"


def test_names_that_differ_stay_different() -> None:
    """Where they are records for programs."""
    assert harmless("a\n\x1b\udcff", escaped=True) == r"a\n\x1b\udcff"


def test_letters_take_cells_of_a_terminal() -> None:
    """One, two if they are wide, none if they stand upon another."""
    assert [cells(text) for text in ("", "abc", "é", "e\u0301", "表領域")] == [0, 3, 1, 1, 6]


@given(st.text(), st.integers(0, 40))
def test_a_beginning_fits_and_is_as_long_as_it_can_be(text: str, width: int) -> None:
    """The next letter would be too much."""
    found = beginning(text, width)
    assert text.startswith(found)
    assert cells(found) <= width
    assert cells(padded(found, width)) == width
    assert found == text or len(found) == width or cells(text[: len(found) + 1]) > width


@pytest.mark.parametrize(
    ("words", "width", "lines"),
    [
        ("at this load (76 % busy)", 17, ["at this load", "(76 % busy)"]),
        ("18.5 ms instead of 41.8 ms.", 24, ["18.5 ms instead of", "41.8 ms."]),
        ("it carries 40.0 MB/s, more", 17, ["it carries", "40.0 MB/s, more"]),
        ("of 305 several", 7, ["of 305", "several"]),
        ("rooms of", 6, ["rooms", "of"]),
    ],
)
def test_a_number_stays_with_its_unit(words: str, width: int, lines: list[str]) -> None:
    """A line ends before the number, and between any other two words."""
    assert wrap(words, width) == lines
