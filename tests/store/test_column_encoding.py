"""Columns and descriptions come out of their bytes as they went in, and nothing else comes out."""

from __future__ import annotations

import math
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.store.column_encoding import (
    CUT_OFF,
    MAX_COLUMN_BYTES,
    MAX_NUMBERS,
    MAX_TEXT_BYTES,
    MAX_TEXT_RATIO,
    MAX_TEXT_WEIGHT,
    MIN_TEXT_BOUND,
    TOO_LONG,
    Packed,
    compressed,
    decode_column,
    dump,
    encode_column,
    expanded,
    from_json,
    inflate,
    load,
    pack,
    parsed,
    to_json,
    unpack,
)
from zmon.store.file_format import Damaged

if TYPE_CHECKING:
    from zmon.base.absent import Value

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
    with pytest.raises(OverflowError, match=r"\b64\b"):
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
    with pytest.raises(ValueError, match="packed column"):
        unpack(Packed(0, 1, 0, b""), MAX_NUMBERS + 1)


def test_what_expands_to_more_than_is_expected_is_refused() -> None:
    """And not expanded to its end."""
    bomb = zlib.compress(bytes(1 << 22))
    with pytest.raises(ValueError, match=r"\b10 .*\b11\b"):
        inflate(bomb, 10)
    with pytest.raises(ValueError, match="packed column"):
        inflate(bomb, MAX_COLUMN_BYTES + 1)


DOCUMENTS = st.recursive(
    st.none() | st.integers() | st.text() | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(DOCUMENTS)
def test_a_document_comes_out_as_it_went_in(document: object) -> None:
    """As JSON has it."""
    assert load(dump([document])) == [document]


@given(st.binary().filter(lambda data: not data.strip().endswith(b"}")))
def test_bytes_that_are_no_document_are_damaged(data: bytes) -> None:
    """Compressed or not."""
    for body in (b"x" + data, b"{" + data, zlib.compress(b"{" + data)):
        with pytest.raises(Damaged):
            load(body)


@pytest.mark.parametrize(
    "text", [b"0" * (MAX_TEXT_BYTES + 1), b"[" * (MAX_TEXT_WEIGHT + 1), b"[" + b"[]," * MAX_TEXT_WEIGHT]
)
def test_documents_that_would_take_much_memory_are_damaged(text: bytes) -> None:
    """They are looked at before they are understood."""
    with pytest.raises(Damaged, match=TOO_LONG):
        parsed(text)
    with pytest.raises(Damaged, match=r"[\d,]+ .*[\d,]+"):
        load(zlib.compress(text))


@pytest.mark.parametrize("strategy", [zlib.Z_DEFAULT_STRATEGY, zlib.Z_RLE])
def test_a_text_that_compresses_too_well_is_written_so_that_it_can_be_read(strategy: int) -> None:
    """Its compressed form is longer than the shortest possible."""
    text = b"[" + b" " * (3 * MIN_TEXT_BOUND) * MAX_TEXT_RATIO + b"]"
    assert expanded(compressed(text, strategy)) == text
    assert load(dump(["a" * len(text)])) == ["a" * len(text)]


def test_a_text_that_expands_beyond_all_honest_ratios_is_damaged() -> None:
    """A recording of 1 MiB must not become 1 GiB in memory; what is cut off is damaged, too."""
    honest = bytes(range(256)) * 40
    assert expanded(zlib.compress(honest)) == honest
    with pytest.raises(Damaged, match=r"\d+ bytes .* 4,096"):
        expanded(zlib.compress(b" " * (MIN_TEXT_BOUND + 1)))
    with pytest.raises(Damaged, match=CUT_OFF):
        expanded(zlib.compress(honest)[:-1])


def test_depth_without_end_is_damage() -> None:
    """And no end of the stack."""
    with pytest.raises(Damaged):
        parsed(b"[" * 200_000)


def test_an_absence_keeps_its_reason() -> None:
    """It is the same absence."""
    assert from_json(to_json(absent("hangs"))) is absent("hangs")


@pytest.mark.parametrize("found", [None, [], {}, {"absent": 1}])
def test_what_is_no_value_is_damage(found: object) -> None:
    """So nothing else gets into a table."""
    with pytest.raises(Damaged, match=type(found).__name__):
        from_json(found)


# columns of any values

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
    with pytest.raises(Damaged, match=r"\b2 .*\b3\b"):
        decode_column(encode_column([1, 2]), 3)


def test_what_is_not_a_number_comes_out_as_that() -> None:
    """Though it equals nothing, not even itself."""
    assert math.isnan(decode_column(encode_column([math.nan]), 1)[0])  # type: ignore[arg-type]  # a number


def test_no_deflated_byte_expands_beyond_what_deflate_can() -> None:
    """What is said to be larger is refused before memory is taken for it."""
    with pytest.raises(ValueError, match=" 5000 bytes"):
        inflate(zlib.compress(b"")[:4], 5000)
