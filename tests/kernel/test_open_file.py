from __future__ import annotations

import contextlib
import errno
import os
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel import open_file
from zmon.kernel.open_file import (
    DELALLOC,
    ENCODED,
    INLINE,
    LAST,
    SHARED,
    UNKNOWN,
    UNWRITTEN,
    Extent,
    merged,
    parse_fiemap,
    read_extents,
)

if TYPE_CHECKING:
    from pathlib import Path

EXTENTS = st.lists(
    st.tuples(
        st.integers(0, 1 << 40), st.integers(0, 1 << 40), st.integers(1, 1 << 30), st.integers(0, 0x3FFF)
    )
)  # fmt: skip


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    """Return a directory of which the kernel tells where its files lie."""
    return on_disk


def answer(extents: list[Extent]) -> bytes:
    """Return what the ioctl would have filled in."""
    head = struct.pack("=QQIIII", 0, 1 << 40, 0, len(extents), 512, 0)
    return head + b"".join(
        struct.pack("=QQQQQI3I", logical, physical, length, 0, 0, flags, 0, 0, 0)
        for logical, physical, length, flags in extents
    )


@given(EXTENTS)
def test_extents_come_out_as_they_went_in(extents: list[Extent]) -> None:
    """Place, length and flags of each extent are told, reserved words are not."""
    assert parse_fiemap(answer(extents)) == extents


@given(st.binary(max_size=300))
def test_any_bytes(content: bytes) -> None:
    """Whatever the kernel answers, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_fiemap(content)


def test_extents_that_touch_are_one_range() -> None:
    """Order in the file is no matter, only that on the device."""
    assert merged([(0, 8192, 4096, 0), (4096, 0, 8192, LAST)]).ranges == ((0, 12288),)


def test_bytes_that_are_there_twice_count_twice() -> None:
    """Ranges that overlap stay apart."""
    assert merged([(0, 4096, 4096, 0), (4096, 4096, 4096, LAST)]).ranges == ((4096, 4096), (4096, 4096))


@pytest.mark.parametrize("flag", [UNKNOWN, UNKNOWN | DELALLOC, INLINE])
def test_what_has_no_place_is_counted(flag: int) -> None:
    """Such an extent names a place that means nothing."""
    found = merged([(0, 0, 4096, flag | LAST)])
    assert (found.ranges, found.unplaced) == ((), 4096)


def test_what_is_special_is_counted_besides() -> None:
    """Allocated, shared and compressed extents have a place all the same."""
    found = merged([(0, 0, 1, UNWRITTEN), (1, 10, 2, SHARED), (3, 20, 4, ENCODED | SHARED)])
    assert (len(found.ranges), found.unwritten, found.shared, found.encoded) == (3, 1, 6, 4)


@given(EXTENTS)
def test_no_byte_is_lost(extents: list[Extent]) -> None:
    """Ranges and what has no place are together as many bytes as the extents."""
    found = merged(extents)
    total = sum(length for _first, length in found.ranges) + found.unplaced
    assert total == sum(length for _logical, _physical, length, _flags in extents)


def test_a_file_system_that_does_not_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of the extents is no answer: the others may lie anywhere."""

    def always_the_first(_descriptor: int, _request: int, room: bytearray, _mutate: object) -> int:
        told = answer([(0, 0, 4096, 0)])
        room[: len(told)] = told
        return 0

    monkeypatch.setattr("fcntl.ioctl", always_the_first)
    with pytest.raises(ValueError, match="up to byte 4096"):
        read_extents(0)


def test_the_live_kernel(tmp_path: Path) -> None:
    """A written file of this machine has as many bytes on the device as in itself, in whole blocks."""
    path = tmp_path / "file"
    path.write_bytes(b"zmon" * 4096)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        found = merged(read_extents(descriptor, sync=True))
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.ENOTTY):
            raise
        pytest.skip("the file system of the tests has no FIEMAP")
    finally:
        os.close(descriptor)
    assert sum(length for _first, length in found.ranges) + found.unplaced >= 16384


def test_what_has_no_place_counts_by_the_bytes_of_the_file() -> None:
    """The kernel tells it in blocks, and the last is seldom full."""
    inline = [(0, 0, 4096, open_file.INLINE | open_file.LAST)]
    waiting = [(0, 4096, 4096, 0), (4096, 0, 8192, open_file.DELALLOC | open_file.LAST)]
    assert open_file.merged(inline, 3).unplaced == 3
    assert open_file.merged(waiting, 5000).unplaced == 904
    assert open_file.merged(waiting).unplaced == 8192
