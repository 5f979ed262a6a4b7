from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.lines import LONGEST, numbered

if TYPE_CHECKING:
    from zmon.listing.container import Note


def test_numbers_lines() -> None:
    """They count from 1, and their ends are left out, those of other systems too."""
    assert list(numbered("a\r\n\nb", [])) == [(1, "a"), (2, ""), (3, "b")]


def test_joins_the_pieces_of_a_line() -> None:
    """A line may come in several pieces, and a piece may have several lines."""
    assert list(numbered(["a", "b\nc", "\n", "d\ne"], [])) == [(1, "ab"), (2, "c"), (3, "d"), (4, "e")]


def test_leaves_out_a_line_that_is_too_long() -> None:
    """It is noted, and the next has its number."""
    notes: list[Note] = []
    assert (list(numbered(["x" * LONGEST, "x", "\nb"], notes)), [note.line for note in notes]) == (
        [(2, "b")],
        [1],
    )


def test_notes_a_last_line_that_is_too_long() -> None:
    """It needs no end for that."""
    notes: list[Note] = []
    assert (list(numbered("x" * (LONGEST + 1), notes)), [note.line for note in notes]) == ([], [1])


@given(st.lists(st.text(st.sampled_from("ab\n"), max_size=5)))
def test_gives_the_same_however_it_is_cut(pieces: list[str]) -> None:
    """Where pieces end makes no difference."""
    assert list(numbered(pieces, [])) == list(numbered("".join(pieces), []))
