from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.not_understood import distance, is_like, similar_word

WORDS = ("TABLESPACE", "CREATE", "FILE", "SET")


@pytest.mark.parametrize(
    ("word", "right"),
    [("TABLESPAC", "TABLESPACE"), ("TABELSPACE", "TABLESPACE"), ("TBLESPCE", "TABLESPACE"),
     ("CRATE", "CREATE"), ("FIEL", "FILE"), ("TABLE", ""), ("TABLESPACE", ""),
     ("FOLD", ""), ("IT", ""), ("", "")],
)  # fmt: skip
def test_a_word_with_one_or_two_mistakes_means_another(word: str, right: str) -> None:
    """A short word may have one only; a word that is one of them is no mistake."""
    assert similar_word(word, WORDS) == right
    assert is_like(word, WORDS) == (bool(right) or word in WORDS)


@given(st.text("ABC", max_size=6), st.text("ABC", max_size=6))
def test_the_distance_is_the_same_both_ways(one: str, other: str) -> None:
    """It is nothing for the same word alone, and no more than the letters of the longer one."""
    assert distance(one, other) == distance(other, one) <= max(len(one), len(other))
    assert (distance(one, other) == 0) == (one == other)


@given(st.sampled_from(["TABLESPACE", "CREATE"]), st.data())
def test_any_letter_may_be_missing(word: str, data: st.DataObject) -> None:
    """Two of a long word, one of a short one."""
    place = data.draw(st.integers(0, len(word) - 1))
    assert similar_word(word[:place] + word[place + 1 :], WORDS) == word
