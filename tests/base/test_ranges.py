"""Things have their numbers; names that follow one another are written as a range, and no name is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.ranges import many, names, ranges, some


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


@pytest.mark.parametrize(
    ("titles", "words"),
    [("", ""), ("a", "a"), ("ab", "a and b"), ("abcd", "a, b, c and d"), ("abcdef", "a, b, c, d and 2 more")],
)
def test_of_many_names_the_first_are_written_and_the_others_counted(titles: str, words: str) -> None:
    """As a part of a sentence, with the number of names that it has room for."""
    assert names(list(titles)) == words
    assert names(list(titles), 1000) == words.replace("d and 2 more", "d, e and f")
    assert names(["a"] * 2000, 1) == "a and 1,999 more"


def test_of_many_sentences_the_first_are_written_and_the_others_counted() -> None:
    """Nobody takes the four that are written for all there are."""
    assert some([], "volumes hang") == []
    assert some(list("abcd"), "volumes hang") == list("abcd")
    assert some(list("abcdef"), "volumes hang") == [*"abcd", "and 2 more volumes hang"]
    assert some(list("abcdef"), "volumes hang", 5) == [*"abcde", "and 1 more volumes hang"]


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 disks"), (1, "1 disk"), (2000, "2,000 disks"), (1.0, "1.0 disks"), (8.44, "8.4 disks"),
     (99.94, "99.9 disks"), (99.96, "100 disks"), (1015.7, "1,016 disks")],
)  # fmt: skip
def test_things_have_their_number_without_decimals_from_100_on(number: float, words: str) -> None:
    """It is not known better, and only one thing is a single one."""
    assert many(number, "disk") == words


def test_a_plural_of_its_own_is_written() -> None:
    """Two aliases."""
    assert [many(1, "alias", "aliases"), many(2, "alias", "aliases")] == ["1 alias", "2 aliases"]
