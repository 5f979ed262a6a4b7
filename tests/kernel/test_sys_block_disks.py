from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.kernel.activity import DiskReader
from zmon.kernel.diskstats import NO_LINE
from zmon.kernel.sys_block import NO_CCW, busid_of, nvme_heads, read_disks, read_maps

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

DISKSTATS = (Path(__file__).parents[1] / "fixtures" / "devices" / "diskstats-hercules-6.12.txt").read_bytes()
DASDD = "sys/devices/css0/0.0.0004/0.0.7000/block/dasdd"
FILES = {
    "proc/diskstats": DISKSTATS,
    f"{DASDD}/dev": b"94:12\n",
    f"{DASDD}/diskseq": b"4\n",
    f"{DASDD}/size": b"1602720\n",
    f"{DASDD}/queue/nr_requests": b"32\n",
    f"{DASDD}/queue/logical_block_size": b"4096\n",
    f"{DASDD}/queue/iostats": b"1\n",
    "sys/devices/virtual/block/dm-0/dm/name": b"vgz-stripe\n",
    "sys/devices/virtual/block/dm-0/queue/iostats": b"0\n",
    "sys/devices/css0/0.0.0010/0.0.1940/host0/rport-0:0-0/target0:0:0/0:0:0:0/model": b"2107900         \n",
}
LINKS = {
    "sys/block/dasdd": "../devices/css0/0.0.0004/0.0.7000/block/dasdd",
    "sys/block/dm-0": "../devices/virtual/block/dm-0",
    "sys/block/sda": "../devices/css0/0.0.0010/0.0.1940/host0/rport-0:0-0/target0:0:0/0:0:0:0/block/sda",
}


@pytest.fixture
def tree(make_tree: Callable[..., Tree]) -> Tree:
    """A machine with a DASD, a logical volume and a SCSI disk that has no line."""
    return make_tree(FILES, LINKS, times={"proc/diskstats": 77})


def blocks(tree: Tree) -> Frame:
    """Return what the disks have done."""
    return DiskReader(tree).read()[0]


@pytest.mark.parametrize(
    ("disk", "field", "value"),
    [
        ("dasdd", "number", "94:12"),
        ("dasdd", "busid", "0.0.7000"),
        ("dasdd", "incarnation", 4),
        ("dasdd", "size", 1602720),
        ("dasdd", "nr_requests", 32),
        ("dasdd", "block_size", 4096),
        ("dasdd", "writes", 181),
        ("dm-0", "label", "vgz-stripe"),
        ("dm-0", "busid", NO_CCW),
        ("sda", "busid", "0.0.1940"),
        ("sda", "model", "2107900"),
        ("sda", "reads", NO_LINE[0]),
    ],
)
def test_a_disk_is_described(tree: Tree, disk: str, field: str, value: object) -> None:
    """Labels come from /sys/block and counts from /proc/diskstats."""
    assert blocks(tree).cell(disk, field) == value


def multipath(make_tree: Callable[..., Tree], uuid: bytes = b"mpath-36005076303ffc562\n") -> Tree:
    """A machine with two disks that dm-0 is made of."""
    files = {
        "proc/diskstats": b"",
        "sys/block/dm-0/dm/uuid": uuid,
        "sys/block/dm-0/slaves/sda/dev": b"8:0\n",
        "sys/block/dm-0/slaves/sdb/dev": b"8:16\n",
    }
    names = ("dm-0", "sda", "sdb")
    links = {f"sys/block/{name}": f"../devices/virtual/block/{name}" for name in names}
    moved = {path.replace("sys/block", "sys/devices/virtual/block"): data for path, data in files.items()}
    return make_tree({**moved, **files}, links, times={"proc/diskstats": 77})


def test_a_multipath_device_says_which_disks_are_its_paths(make_tree: Callable[..., Tree]) -> None:
    """Both it and they name it, so that each row can be told without the others."""
    tree = multipath(make_tree)
    assert read_maps(tree, ["dm-0", "sda", "sdb"]) == dict.fromkeys(("dm-0", "sda", "sdb"), "dm-0")


def test_other_devices_join_no_paths(make_tree: Callable[..., Tree]) -> None:
    """A logical volume on two disks is made of them, and is none of them."""
    assert read_maps(multipath(make_tree, b"LVM-abc\n"), ["dm-0", "sda", "sdb"]) == {}


def test_partitions_are_no_disks(tree: Tree) -> None:
    """Rows are the whole disks of /sys/block and nothing else."""
    assert blocks(tree).keys == ["dasdd", "dm-0", "sda"]


def test_the_time_is_that_of_reading(tree: Tree) -> None:
    """All rows were read with one read."""
    assert blocks(tree).times == [77, 77, 77]


def test_a_disk_without_statistics_is_known(tree: Tree) -> None:
    """With iostats at 0 a line that stays proves nothing."""
    assert read_disks(tree).silent == {"dm-0"}


def test_no_diskstats_is_said(make_tree: Callable[..., Tree]) -> None:
    """Without /proc/diskstats there are no rows but a reason."""
    tree = make_tree({}, LINKS, {"proc/diskstats": PermissionError(13, "Permission denied")})
    assert ": Permission denied" in str(blocks(tree).missing)


def test_nonsense_in_diskstats_is_said(make_tree: Callable[..., Tree]) -> None:
    """A file that is not understood yields a reason, no exception."""
    tree = make_tree({"proc/diskstats": b"94 0 dasdd x\n"}, LINKS)
    assert "'94 0 dasdd x" in str(blocks(tree).missing)


def test_a_virtio_disk_hangs_on_its_ccw_device() -> None:
    """The component after the subchannel counts, whatever lies between it and the disk."""
    assert busid_of("../devices/css0/0.0.0003/0.0.7000/virtio2/block/vdb") == "0.0.7000"


def test_a_disk_elsewhere_has_no_bus_id() -> None:
    """PCI and virtual disks are on no channel."""
    assert busid_of("../devices/pci0000:00/nvme/nvme0/nvme0n1") is None


def test_the_paths_of_an_nvme_disk_are_joined_by_their_names() -> None:
    """As the kernel names them: subsystem, controller, namespace. Without the disk a path stands alone."""
    names = ["nvme0c0n1", "nvme0c1n1", "nvme0n1", "nvme1n1", "nvme2c0n1", "dasda"]
    assert nvme_heads(names) == dict.fromkeys(("nvme0c0n1", "nvme0c1n1", "nvme0n1"), "nvme0n1")
