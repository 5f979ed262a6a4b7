from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.base.absent import Absent
from zmon.kernel import block_ioctl
from zmon.kernel.block_ioctl import devices_in, loop_captured_at, loop_table, read_loop_table
from zmon.kernel.open_file import DELALLOC, LAST, Extent
from zmon.topology.target import TargetLayout, parse_table

if TYPE_CHECKING:
    from pathlib import Path

KIB = 1024
EXTENTS: list[Extent] = [
    (0, 1 << 20, 64 * KIB, 0),
    (64 * KIB, (1 << 20) + 64 * KIB, 64 * KIB, 0),
    (256 * KIB, 8 << 20, 64 * KIB, DELALLOC),
    (320 * KIB, 4 << 20, 64 * KIB, LAST),
]


def test_a_file_is_followed_piece_by_piece() -> None:
    """In its own order; holes are named, and what has no place yet is somewhere on the device."""
    assert loop_table(EXTENTS, "94:5", 0, 512 * KIB).splitlines() == [
        "0 256 linear 94:5 2048",
        "256 256 hole",
        "512 128 file 94:5",
        "640 128 linear 94:5 8192",
        "768 256 hole",
    ]


def test_a_device_may_begin_within_its_file() -> None:
    """As losetup's offset and limit say."""
    assert loop_table(EXTENTS, "94:5", 32 * KIB, 64 * KIB) == "0 128 linear 94:5 2112\n"


def test_no_part_of_a_sector() -> None:
    """A table counts in sectors."""
    with pytest.raises(ValueError, match="sector"):
        loop_table(EXTENTS, "94:5", 100, 64 * KIB)


@given(
    st.lists(st.tuples(st.integers(0, 64), st.integers(0, 1000), st.integers(1, 16)), max_size=20),
    st.integers(0, 32),
    st.integers(1, 64),
)
def test_every_byte_is_told_once(pieces: list[tuple[int, int, int]], offset: int, size: int) -> None:
    """What a table says is without gaps and overlaps, and each byte is where the extents have it."""
    extents: list[Extent] = []
    for logical, physical, length in sorted(pieces):
        if not extents or extents[-1][0] + extents[-1][2] <= logical * 512:
            extents.append((logical * 512, physical * 512, length * 512, 0))
    targets = parse_table(loop_table(extents, "94:5", offset * 512, size * 512))
    assert [target.start for target in targets] == [0, *(target.end for target in targets[:-1])]
    assert targets[-1].end == size * 512
    for target in targets:
        where = {
            logical + at: physical + at
            for logical, physical, length, _flags in extents
            for at in range(0, length, 512)
        }
        for at in range(target.start, target.end, 512):
            place = where.get(at + offset * 512)
            if target.layout is TargetLayout.NOWHERE:
                assert place is None
            else:
                assert place == target.legs[0].offset + at - target.start


def test_a_table_names_its_devices() -> None:
    """Each once, whatever else looks like a number."""
    assert devices_in("0 8 linear 94:5 16\n8 8 hole\n16 8 file 94:5 94:9\n") == ["94:5", "94:9"]


def lies(file: Path, status: tuple[int, int] | None, patch: pytest.MonkeyPatch) -> str:
    """Return the table of a loop device of which the kernel tells device and inode of its file."""
    tree = DictTree({"sys/block/loop0/size": b"8\n", "sys/block/loop0/loop/offset": b"0\n"})
    patch.setattr(block_ioctl, "_loop_status", lambda _path: status)
    return str(block_ioctl._ask_loop(tree, "sys/block/loop0", str(file)))


@pytest.mark.parametrize("is_there", [True, False], ids=["replaced", "deleted"])
def test_a_file_that_is_no_more_lies_on_the_device_of_its_file_system(
    is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop device goes on with it, and nothing tells its extents."""
    file = tmp_path / "image"
    if is_there:
        file.touch()
    assert lies(file, (os.makedev(94, 5), 12), monkeypatch) == "0 8 file 94:5\n"
    with pytest.raises((OSError, ValueError), match="image"):
        lies(file, (os.makedev(0, 5), 12), monkeypatch)  # its file system is on no device, or on several


def test_a_file_that_is_no_more_and_of_which_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As without root: it is not known where it lies."""
    with pytest.raises(FileNotFoundError, match="image"):
        lies(tmp_path / "image", None, monkeypatch)


def test_a_capture_has_the_table() -> None:
    """One without it says how to get it."""
    path, number = "sys/block/loop0", "7:0"
    tree = DictTree({loop_captured_at(number): b"0 8 linear 94:5 16\n"})
    assert read_loop_table(tree, number, path, "/image") == "0 8 linear 94:5 16\n"
    lacking = read_loop_table(DictTree({"proc/stat": b""}), number, path, "/image")
    assert isinstance(lacking, Absent)
    assert "zmon capture" in lacking.reason
