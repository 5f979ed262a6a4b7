from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.recording.dictionary import checked, crc
from zmon.recording.error import Damaged


@given(st.binary(), st.integers(0, 99))
def test_a_body_is_whole_where_it_was_written(body: bytes, number: int) -> None:
    """And its checksum says so."""
    assert checked(body, crc(body, "still", number), "still", number) == body


@given(st.binary(), st.integers(0, 99))
def test_a_body_that_stands_in_another_row_is_damaged(body: bytes, number: int) -> None:
    """As after an index of the file was damaged."""
    with pytest.raises(Damaged, match=f"still {number + 1} is damaged: its checksum is wrong"):
        checked(body, crc(body, "still", number), "still", number + 1)


@pytest.mark.parametrize("body", [None, 1, "text", 0.5])
def test_what_is_no_bytes_is_damaged(body: object) -> None:
    """Whatever its checksum."""
    with pytest.raises(Damaged):
        checked(body, crc(b""), "still", 1)
