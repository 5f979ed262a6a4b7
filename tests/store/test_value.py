from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.absent import absent
from zmon.store.error import Damaged
from zmon.store.value import (
    LARGEST,
    LITTLE,
    MOST,
    RATIO,
    compressed,
    dump,
    expanded,
    load,
    parsed,
    plain,
    value,
)

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


@pytest.mark.parametrize("text", [b"0" * (LARGEST + 1), b"[" * (MOST + 1), b"[" + b"[]," * MOST])
def test_documents_that_would_take_much_memory_are_damaged(text: bytes) -> None:
    """They are looked at before they are understood."""
    with pytest.raises(Damaged, match="too long"):
        parsed(text)
    with pytest.raises(Damaged, match="expands to more than"):
        load(zlib.compress(text))


@pytest.mark.parametrize("strategy", [zlib.Z_DEFAULT_STRATEGY, zlib.Z_RLE])
def test_a_text_that_compresses_too_well_is_written_so_that_it_can_be_read(strategy: int) -> None:
    """Its compressed form is longer than the shortest possible."""
    text = b"[" + b" " * (3 * LITTLE) * RATIO + b"]"
    assert expanded(compressed(text, strategy)) == text
    assert load(dump(["a" * len(text)])) == ["a" * len(text)]


def test_a_text_that_expands_beyond_all_honest_ratios_is_damaged() -> None:
    """A recording of 1 MiB must not become 1 GiB in memory; what is cut off is damaged, too."""
    honest = bytes(range(256)) * 40
    assert expanded(zlib.compress(honest)) == honest
    with pytest.raises(Damaged, match=r"a description of \d+ bytes expands to more than 4,096"):
        expanded(zlib.compress(b" " * (LITTLE + 1)))
    with pytest.raises(Damaged, match="cut off"):
        expanded(zlib.compress(honest)[:-1])


def test_depth_without_end_is_damage() -> None:
    """And no end of the stack."""
    with pytest.raises(Damaged):
        parsed(b"[" * 200_000)


def test_an_absence_keeps_its_reason() -> None:
    """It is the same absence."""
    assert value(plain(absent("hangs"))) is absent("hangs")


@pytest.mark.parametrize("found", [None, [], {}, {"absent": 1}])
def test_what_is_no_value_is_damage(found: object) -> None:
    """So nothing else gets into a table."""
    with pytest.raises(Damaged, match="where a value should be"):
        value(found)
