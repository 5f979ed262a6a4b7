"""What lsblk and its like say of block devices."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.collected.texts import LSBLK, facts_in, row

PAIRS = """\
NAME="dasdb" KNAME="dasdb" MAJ:MIN="94:4" PKNAME="" TYPE="disk" MODEL="a b"
NAME="dasdb1" KNAME="dasdb1" MAJ:MIN="94:5" PKNAME="dasdb" TYPE="part"
NAME="dasdc1" KNAME="dasdc1" MAJ:MIN="94:9" PKNAME="dasdc" TYPE="part"
NAME="db2vg-data" KNAME="dm-0" MAJ:MIN="253:0" PKNAME="dasdb1" TYPE="lvm"
NAME="db2vg-data" KNAME="dm-0" MAJ:MIN="253:0" PKNAME="dasdc1" TYPE="lvm"
"""
WIDE = """\
NAME           KNAME  MAJ:MIN FSTYPE      LABEL RO RM MODEL  SIZE OWNER GROUP
dasdb          dasdb   94:4                      0  0        22.5G root  disk
`-dasdb1       dasdb1  94:5   LVM2_member        0  0        22.5G root  disk
  `-db2vg-data dm-0   253:0   xfs         data   0  0          45G root  disk
"""
LINKS = """\
/dev/disk/by-path:
total 0
lrwxrwxrwx 1 root root 11 2026-03-17 09:12 ccw-0.0.7101 -> ../../dasdb
lrwxrwxrwx 1 root root 12 2026-03-17 09:12 ccw-0.0.7101-part1 -> ../../dasdb1
lrwxrwxrwx 1 root root 9 2026-03-17 09:12 ccw-0.0.3d0c-zfcp-0x500507630300c562:0x4010403300000000 -> ../../sda

/dev/disk/by-uuid:
lrwxrwxrwx 1 root root 10 2026-03-17 09:12 6b5c2d1e-0000-4000-8000-00000000beef -> ../../dm-0
"""


def test_the_tree_says_what_lies_on_what() -> None:
    """A volume below two partitions is on both; sizes are rounded and not taken."""
    facts = facts_in(LSBLK, "lsblk")
    assert row(facts, "layer", "253:0") == {
        "name": "dm-0", "sort": "dm", "mapped": "db2vg-data", "below": "94:5 94:9",
    }  # fmt: skip
    assert row(facts, "layer", "94:5") == {"name": "dasdb1", "sort": "partition", "parent": "94:4"}
    assert row(facts, "layer", "253:1")["below"] == "94:9"
    assert row(facts, "layer", "94:0") == {"name": "dasda", "sort": "disk", "below": ""}


def test_a_partition_of_a_multipath_device_is_one_of_the_device_mapper() -> None:
    """The tree of lsblk calls it part, too; its kernel name is that of its number."""
    facts = facts_in(LSBLK, "lsblk")
    assert row(facts, "layer", "253:3") == {
        "name": "dm-3", "sort": "dm", "mapped": "mpatha1", "below": "253:2",
    }  # fmt: skip


def test_a_partition_without_a_parent_is_on_the_disk_it_is_named_after() -> None:
    """Pairs without PKNAME show no tree: what a logical volume is on stays open."""
    pairs = """\
NAME="dasdb" MAJ:MIN="94:4" TYPE="disk"
NAME="dasdb1" MAJ:MIN="94:5" TYPE="part"
NAME="dasdc1" MAJ:MIN="94:9" TYPE="part"
NAME="nvme0n1" MAJ:MIN="259:0" TYPE="disk"
NAME="nvme0n1p2" MAJ:MIN="259:2" TYPE="part"
NAME="db2vg-data" MAJ:MIN="253:0" TYPE="lvm"
"""
    facts = facts_in(pairs, "lsblk -P -o NAME,MAJ:MIN,TYPE")
    assert row(facts, "layer", "94:5")["parent"] == "94:4"
    assert row(facts, "layer", "259:2")["parent"] == "259:0"
    assert not row(facts, "layer", "94:9").get("parent")
    assert "below" not in row(facts, "layer", "253:0")


def test_pairs_json_and_a_wide_table_say_the_same() -> None:
    """Each form of lsblk gives the same volume on the same partition."""
    inner = {"name": "db2vg-data", "kname": "dm-0", "maj:min": "253:0", "type": "lvm"}
    middle = {"name": "dasdb1", "maj:min": "94:5", "type": "part", "children": [inner]}
    document = {"blockdevices": [{"name": "dasdb", "maj:min": "94:4", "type": "disk", "children": [middle]}]}
    of_pairs = facts_in(PAIRS, "lsblk -O -P")
    assert row(of_pairs, "layer", "253:0")["below"] == "94:5 94:9"
    for facts in (facts_in(json.dumps(document), "lsblk -J"), facts_in(WIDE, "lsblk -i -o NAME,KNAME")):
        assert row(facts, "layer", "253:0") == {
            "name": "dm-0", "sort": "dm", "mapped": "db2vg-data", "below": "94:5",
        }  # fmt: skip
        assert row(facts, "layer", "94:5") == row(of_pairs, "layer", "94:5")


MOUNTED = """\
NAME      MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
dasdb      94:4    0  6.9G  0 disk
├─dasdb1   94:5    0    1G  0 part /boot
│                                  /boot/old
└─dasdb2   94:6    0  5.9G  0 part [SWAP]
dasdc      94:8    0  6.9G  0 disk /opt
                                   /my home
                                   /

/proc proc proc rw
                                   /no more
"""


def test_further_mount_points_are_on_the_device_above_them() -> None:
    """Without a number a row continues the one before; active swap is named like a mount point."""
    facts = facts_in(MOUNTED, "lsblk")
    assert [*facts.mounts] == [
        ("94:5", "/boot"), ("94:5", "/boot/old"), ("94:8", "/opt"), ("94:8", "/my home"), ("94:8", "/"),
    ]  # fmt: skip
    assert [*facts.swaps] == ["/dev/dasdb2"]


@given(st.text(max_size=60), st.integers(0, len(MOUNTED)))
def test_any_table_is_read_without_an_error(content: str, at: int) -> None:
    """Mount points are absolute, and belong to a device with a number."""
    facts = facts_in(MOUNTED[:at] + content + MOUNTED[at + 1 :], "lsblk")
    assert all(":" in number and point.startswith("/") for number, point in facts.mounts)


def test_proc_partitions_gives_exact_sizes() -> None:
    """Sizes are KiB there and sectors of 512 bytes in a row."""
    facts = facts_in("major minor  #blocks  name\n\n  94        4   23587200 dasdb\n", "", "proc/partitions")
    assert row(facts, "layer", "94:4") == {"name": "dasdb", "size": 47174400, "sort": "disk"}


def test_names_by_path_say_the_device_and_the_lun() -> None:
    """Udev writes bus id, port and LUN into them."""
    facts = facts_in(LINKS, "ls -lR --time-style=long-iso /dev/disk/")
    assert row(facts, "layer", "dasdb")["busid"] == "0.0.7101"
    assert row(facts, "layer", "sda")["lun"] == "0x4010403300000000"
    assert row(facts, "layer", "dm-0") == {"links": "disk/by-uuid/6b5c2d1e-0000-4000-8000-00000000beef"}
