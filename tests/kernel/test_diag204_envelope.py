from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.diag204 import hypfs_payload


def test_payload() -> None:
    """The answer begins behind 64 bytes and is as long as the first 8 of them say."""
    assert hypfs_payload(struct.pack(">Q56x", 3) + b"abcd", "diag_204") == b"abc"


def test_truncated() -> None:
    """An answer that did not fit into the read is refused."""
    with pytest.raises(ValueError, match=r"diag_204: .*\b64\+5 .*\b68$"):
        hypfs_payload(struct.pack(">Q56x", 5) + b"abcd", "diag_204")


@given(st.binary(max_size=80))
def test_any_bytes(data: bytes) -> None:
    """Nothing but a ValueError comes out of any bytes."""
    with suppress(ValueError):
        hypfs_payload(data, "diag_204")
