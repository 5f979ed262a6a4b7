"""A line that names a disk and was not understood, or not read, is named in the answer for the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

LSDASD = """\
box1:~ # lsdasd
0.0.0202  active  dasdc  94:8   ECKD  4096  2347MB  601020
0.0.0203  active  dasdd  94:12  ECKD  4096  2347MB  601020
"""
BLKID = 'box1:~ # blkid\n/dev/dasdc1: UUID="9a3b0b1e-8f3e-4e4f-8c8d-0a4b6c2d1e13" TYPE="swap"\n'


@pytest.mark.parametrize(("more", "line"), [
    ("box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE\ndasdc1 linux_raid_member\n", 6),
    ("box1:~ # cat /etc/fstab\n# /dev/dasdc2\n/dev/dasdc1 /backup xfs noauto 0 0\n", 6),
    ("box1:~ # cat /etc/crypttab\nsecure /dev/dasdc1 none luks\n", 5),
    (f"{BLKID}box1:~ # cat /etc/fstab\nUUID=9a3b0b1e-8f3e-4e4f-8c8d-0a4b6c2d1e13 swap swap noauto 0 0\n", 7),
    ("box1:~ # mkfs.xfs /dev/dasdc1\n", 4),
    ("box1:~ # virsh vol-list disks\n Name Path\n vdb    /dev/disk/by-path/ccw-0.0.0202\n", 6),
])  # fmt: skip
def test_a_line_that_was_not_read_is_named_for_its_disk(more: str, line: int, where: Ask) -> None:
    """By a partition, tag or bus id of the disk; a comment names nothing, and no other disk has the line."""
    open_of = {disk: where(disk, LSDASD + more)["not_looked_at"] for disk in ("dasdc", "dasdd")}
    assert [sum(f"a.txt:{line}," in what for what in uses) for uses in open_of.values()] == [1, 0]
    assert any("KVM" in what for what in open_of["dasdd"]) == ("virsh" in more)
