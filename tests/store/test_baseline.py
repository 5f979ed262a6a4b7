from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.absent import absent
from zmon.store.baseline import content_digest, decode_column, encode_column
from zmon.store.file_format import Damaged

if TYPE_CHECKING:
    from zmon.absent import Value

REASONS = [absent("not measured"), absent("gone")]
VALUES = st.lists(
    st.one_of(
        st.integers(0, 9), st.integers(), st.text(), st.floats(), st.sampled_from(REASONS), st.just("\udc80")
    )
)


def exact(values: list[Value]) -> list[object]:
    """Return values so that not-a-number is itself, and 0.0 neither 0 nor -0.0."""
    return [(type(value), repr(value)) for value in values]


@given(VALUES)
def test_a_column_comes_out_as_it_went_in(values: list[Value]) -> None:
    """Numbers of any size, texts, fractions and absences."""
    assert exact(decode_column(encode_column(values), len(values))) == exact(values)


@given(VALUES, st.data())
def test_a_column_that_is_damaged_is_said_to_be_so_or_has_its_rows(
    values: list[Value], data: st.DataObject
) -> None:
    """Never another exception; what changed without a sign is for the checksum to find."""
    body = bytearray(encode_column(values))
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] ^= data.draw(st.integers(1, 255))
    with suppress(Damaged):
        assert len(decode_column(bytes(body), len(values))) == len(values)


@given(st.binary(), st.integers(0, 9))
def test_bytes_that_are_no_column_are_damaged(body: bytes, count: int) -> None:
    """Whatever they are."""
    with pytest.raises(Damaged):
        decode_column(body, count)


def test_a_column_of_another_length_is_damaged() -> None:
    """It would move values to other rows."""
    with pytest.raises(Damaged, match="a column of 2 rows where 3 are expected"):
        decode_column(encode_column([1, 2]), 3)


def test_the_same_content_has_the_same_name_and_another_another() -> None:
    """So it is stored once."""
    assert (
        content_digest(encode_column([1, 2]))
        == content_digest(encode_column([1, 2]))
        != content_digest(encode_column([1, 3]))
    )
    assert math.isnan(decode_column(encode_column([math.nan]), 1)[0])  # type: ignore[arg-type]  # a number
