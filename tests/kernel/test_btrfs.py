from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.base.absent import Absent, absent
from zmon.kernel.btrfs import (
    CAPTURED,
    DEV_INFO,
    FS_INFO,
    _devices,
    parse_chunk,
    parse_items,
    read_devices,
    written,
)
from zmon.kinds import MOUNT
from zmon.sample import frame_of

if TYPE_CHECKING:
    from zmon.base.absent import Value

FIXTURE = Path(__file__).parents[1] / "fixtures" / "btrfs" / "chunks-raid0-linux-6.18.txt"
ITEMS = [
    (int(line.split()[0], 16), bytes.fromhex(line.split()[1]))
    for line in FIXTURE.read_text("ascii").splitlines()
    if not line.startswith("#")
]


def test_a_striped_chunk() -> None:
    """Data of two devices take turns of 64 KiB, and begin at another byte on each."""
    assert parse_chunk(*ITEMS[2]) == "3d00000+8000000:raid0:10000:1@3d00000,2@2900000"


def test_a_mirrored_chunk() -> None:
    """The profile is that of the flags, whatever else they say."""
    assert parse_chunk(*ITEMS[0]).split(":")[1] == "raid1"


@pytest.mark.parametrize("length", [0, 47, 48, 111])
def test_a_chunk_that_is_cut(length: int) -> None:
    """A chunk that lacks some of its stripes is refused."""
    with pytest.raises(ValueError, match="btrfs chunk"):
        parse_chunk(0, ITEMS[2][1][:length])


def test_a_profile_that_is_not_known() -> None:
    """A profile of a later kernel is not taken for another."""
    item = bytearray(ITEMS[2][1])
    item[24:32] = struct.pack("<Q", 3 << 3)
    with pytest.raises(ValueError, match="does not know"):
        parse_chunk(0, bytes(item))


def test_items_follow_each_other() -> None:
    """Each item has its header, in the order of the machine's bytes."""
    room = b"".join(struct.pack("=QQQII", 7, 256, at, 228, len(item)) + item for at, item in ITEMS)
    assert parse_items(room.ljust(1 << 16, b"\0"), len(ITEMS)) == ITEMS


@given(st.integers(0, (1 << 64) - 1), st.binary(max_size=200))
def test_any_chunk(logical: int, item: bytes) -> None:
    """Whatever an item holds, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_chunk(logical, item)


@given(st.binary(max_size=200), st.integers(0, 10))
def test_any_items(room: bytes, count: int) -> None:
    """Whatever a search returns, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_items(room, count)


MOUNT_ARGUMENTS = ("29", "0:41", "/b")
"""Id, number and point of the mount."""


def test_devices_are_listed_where_btrfs_was_not_asked() -> None:
    """A capture without its answers has what /sys/fs/btrfs lists, found by the device that was mounted."""
    tree = DictTree({
        "sys/fs/btrfs/features/raid56": b"0\n",
        "sys/fs/btrfs/11-22/devices/sda/dev": b"8:0\n",
        "sys/fs/btrfs/33-44/devices/dasdb1/dev": b"94:5\n",
        "sys/fs/btrfs/33-44/devices/dm-3/dev": b"253:3\n",
        "sys/fs/btrfs/33-44/devices/dm-3/dm/name": b"vg-b\n",
    })  # fmt: skip
    found = read_devices(tree, *MOUNT_ARGUMENTS, "/dev/mapper/vg-b")
    assert found["devices"] == "?1=94:5 ?2=253:3"
    assert isinstance(found["chunks"], Absent)
    assert read_devices(tree, *MOUNT_ARGUMENTS, "/dev/dasdb1")["devices"] == found["devices"]
    assert isinstance(read_devices(tree, *MOUNT_ARGUMENTS, "/dev/sdb")["devices"], Absent)


def test_what_is_captured_comes_back() -> None:
    """Each btrfs is kept once, with its devices, its chunks or why they are not known."""
    row: dict[str, Value] = {
        "number": "0:41",
        "fstype": "btrfs",
        "devices": "1=94:5",
        "chunks": absent("run as root"),
    }
    content = written(frame_of(MOUNT, {"1": row, "2": row, "3": row | {"fstype": "ext4"}}, 1))
    back = read_devices(DictTree({CAPTURED: content}), *MOUNT_ARGUMENTS, "/dev/mapper/vg-b")
    assert (content.count(b"\n"), back) == (1, {"devices": "1=94:5", "chunks": absent("run as root")})


@pytest.mark.parametrize(
    ("present", "highest"), [({1: 0x5E01}, 1), ({1: 0x5E01, 3: 0x5E05}, 3), ({2: 0x5E09}, 2)]
)
def test_each_device_is_asked_for_from_the_first_to_the_highest(
    monkeypatch: pytest.MonkeyPatch, present: dict[int, int], highest: int
) -> None:
    """Numbers of devices that were removed are passed over; after the last device none is asked for."""
    asked: list[int] = []

    def ioctl(_node: int, request: int, room: bytearray, _mutate: bool) -> int:
        if request == FS_INFO:
            room[:16] = struct.pack("=QQ", highest, len(present))
            return 0
        assert request == DEV_INFO
        (device,) = struct.unpack_from("=Q", room)
        asked.append(device)
        if device not in present:
            raise OSError(errno.ENODEV, "No such device")
        room[3072:3080] = b"/dev/d%d\0" % device
        return 0

    def stat(path: bytes) -> SimpleNamespace:
        return SimpleNamespace(st_rdev=present[int(path.removeprefix(b"/dev/d"))])

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "ioctl", ioctl)
        patch.setattr(os, "stat", stat)
        found = list(_devices(0))
    assert found == [f"{device}={os.major(rdev)}:{os.minor(rdev)}" for device, rdev in present.items()]
    assert asked == list(range(1, highest + 1))
