"""Names that follow one another are written as a range, and no name is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.ranges import ranges


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["48", "49", "4a", "4b", "4c", "4d"], "48-4d"),
        (["50", "40", "41"], "40-41 50"),
        (["FCP8000", "FCP8001", "FCP8100"], "FCP8000-FCP8001 FCP8100"),
        (["8000"], "8000"),
        ([], ""),
        (["dm-0", "lan"], "dm-0 lan"),
    ],
)
def test_names_that_follow_one_another_are_a_range(names: list[str], words: str) -> None:
    """As the Toolkit writes CHPIDs and devices."""
    assert ranges(names) == words


@given(st.sets(st.integers(0, 255)))
def test_a_range_has_all_names_and_no_other(numbers: set[int]) -> None:
    """What is written can be read again."""
    found: set[int] = set()
    for part in ranges(f"{one:02x}" for one in numbers).split():
        first, _, last = part.partition("-")
        found |= {*range(int(first, 16), int(last or first, 16) + 1)}
    assert found == numbers


@given(st.lists(st.text()))
def test_any_words_are_written(names: list[str]) -> None:
    """Names from elsewhere cannot stop it."""
    assert isinstance(ranges(names), str)
