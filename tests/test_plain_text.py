from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zmon.plain_text import harmless


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
