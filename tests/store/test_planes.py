from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.store.planes import LARGEST, MOST, Packed, inflate, pack, unpack

NUMBERS = st.one_of(
    st.lists(st.integers(-(1 << 62), 1 << 62)),
    st.lists(st.integers(0, 3).map(lambda n: n * 1_000_000 + (1 << 90))),
    st.lists(st.integers(0, 255)),
)


@given(NUMBERS)
def test_what_is_packed_is_unpacked_as_it_was(numbers: list[int]) -> None:
    """Whatever the numbers have in common."""
    assert unpack(pack(numbers), len(numbers)) == numbers


def test_numbers_too_far_apart_are_refused() -> None:
    """Who packs them has to tell them otherwise."""
    with pytest.raises(OverflowError, match="further apart than 64 bits"):
        pack([0, 1, 1 << 64])


@given(
    st.integers(-5, 20), st.integers(-5, 20), st.integers(-5, 12), st.binary(max_size=30), st.integers(-3, 50)
)
def test_whatever_stands_where_a_packed_column_should_be_is_an_error_or_numbers(
    low: int, scale: int, width: int, data: bytes, count: int
) -> None:
    """Never another exception, and never more or fewer of them."""
    try:
        found = unpack(Packed(low, scale, width, data), count)
    except ValueError:
        return
    assert len(found) == count


def test_more_numbers_than_there_can_be_are_refused_before_they_are_made() -> None:
    """Those that are all alike take no room in the file."""
    with pytest.raises(ValueError, match="a packed column of"):
        unpack(Packed(0, 1, 0, b""), MOST + 1)


def test_what_expands_to_more_than_is_expected_is_refused() -> None:
    """And not expanded to its end."""
    bomb = zlib.compress(bytes(1 << 22))
    with pytest.raises(ValueError, match="a packed column of 10 bytes has 11"):
        inflate(bomb, 10)
    with pytest.raises(ValueError, match="a packed column of"):
        inflate(bomb, LARGEST + 1)
