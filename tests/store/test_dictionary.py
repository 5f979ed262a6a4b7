from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.kinds import PROFILE
from zmon.store import file_format
from zmon.store.column_encoding import encode_column
from zmon.store.dictionary import Dictionary, content_digest, load_layout
from zmon.store.file_format import Damaged, checked, crc


@given(st.binary(), st.integers(0, 99))
def test_a_body_is_whole_where_it_was_written(body: bytes, number: int) -> None:
    """And its checksum says so."""
    assert checked(body, crc(body, "still", number), "still", number) == body


@given(st.binary(), st.integers(0, 99))
def test_a_body_that_stands_in_another_row_is_damaged(body: bytes, number: int) -> None:
    """As after an index of the file was damaged."""
    with pytest.raises(Damaged, match=f"^still {number + 1} "):
        checked(body, crc(body, "still", number), "still", number + 1)


@pytest.mark.parametrize("body", [None, 1, "text", 0.5])
def test_what_is_no_bytes_is_damaged(body: object) -> None:
    """Whatever its checksum."""
    with pytest.raises(Damaged):
        checked(body, crc(b""), "still", 1)


def test_the_fields_of_what_is_not_there_take_no_room() -> None:
    """They come back with the reader's own; with the first column they are kept as they are."""
    connection = sqlite3.connect(":memory:")
    file_format.prepare(connection, "a recording in memory")
    dictionary = Dictionary()
    none = dictionary.layout(connection, PROFILE, [], (), absent("switched off"))
    assert connection.execute("SELECT count(*) FROM field").fetchone() == (0,)
    assert load_layout(connection, none.id, {}).kind.fields == PROFILE.fields
    dictionary.layout(connection, PROFILE, ["global"], ("requests",), None)
    assert connection.execute("SELECT count(*) FROM field").fetchone() == (len(PROFILE.fields),)


def test_the_same_content_has_the_same_digest_and_another_another() -> None:
    """So it is stored once."""
    assert (
        content_digest(encode_column([1, 2]))
        == content_digest(encode_column([1, 2]))
        != content_digest(encode_column([1, 3]))
    )
