"""What losetup says of loop devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import LSBLK, facts_in, row

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

LOSETUP_ALL = """\
/dev/loop0: [24129]:12345 (/x/img)
/dev/loop1: []: (/srv/img)
/dev/loop2: [24129]:12 (/srv/m t/file a.img (deleted)), offset 1048576, sizelimit 8388608
"""
LOSETUP = r"""NAME       SIZELIMIT  OFFSET AUTOCLEAR RO BACK-FILE                         DIO LOG-SEC
/dev/loop0         0       0         0  0 /x/img                              0     512
/dev/loop1         0       0         1  1 /srv/img                            0     512
/dev/loop2   8388608 1048576         0  0 /srv/m t/file a.img (deleted)       0     512
"""
LOSETUP_RAW = r"""NAME SIZELIMIT OFFSET AUTOCLEAR RO BACK-FILE DIO LOG-SEC
/dev/loop2 8388608 1048576 0 0 /srv/m\x20t/file\x20a.img\x20(deleted) 0 512
"""
LOSETUP_COLUMNS = """\
NAME       MAJ:MIN BACK-INO BACK-MAJ:MIN BACK-FILE                       OFFSET
/dev/loop2   7:2         12       94:65  /srv/m t/file a.img (deleted)  1048576
"""
LOSETUP_JSON = """\
{
   "loopdevices": [
      {"name": "/dev/loop1", "sizelimit": 0, "back-file": "/srv/img", "dio": false}
   ]
}
"""
FILES = {"loop0": "/x/img", "loop1": "/srv/img", "loop2": "/srv/m t/file a.img (deleted)"}


@pytest.mark.parametrize(
    ("content", "loops"),
    [
        (LOSETUP_ALL, {"loop0", "loop1", "loop2"}), (LOSETUP, {"loop0", "loop1", "loop2"}),
        (LOSETUP.partition("\n")[2], {"loop0", "loop1", "loop2"}), (LOSETUP_RAW, {"loop2"}),
        (LOSETUP_COLUMNS, {"loop2"}), (LOSETUP_JSON, {"loop1"}),
        ("/dev/loop1: 0 /srv/img\n", {"loop1"}), ("/dev/loop1 (lost): []: (/srv/img)\n", {"loop1"}),
    ],
)  # fmt: skip
def test_each_form_of_losetup_has_the_file_of_each_loop(content: str, loops: set[str]) -> None:
    """Names with blanks and of files that are no more among them."""
    facts = facts_in(content, "losetup")
    assert {loop: row(facts, "layer", loop)["file"] for loop in loops} == {
        loop: FILES[loop] for loop in loops
    }
    assert {*facts.rows["layer"]} == loops


@pytest.mark.parametrize(
    ("device", "number"),
    [("24129", "94:65"), ("1793", "7:1"), ("5e41", "94:65"), ("0801", "8:1"), ("1048832", "1:256")],
)
def test_the_number_of_the_file_system_is_as_stat_has_it(device: str, number: str) -> None:
    """In decimal; old versions print it in four hexadecimal digits."""
    facts = facts_in(f"/dev/loop0: [{device}]:12345 (/x/img)\n", "losetup -a")
    assert row(facts, "layer", "loop0")["below"] == number


@pytest.mark.parametrize("cut", [7, 8, 12, 20])
def test_a_row_that_was_cut_has_no_file(cut: int) -> None:
    """The end of a name may stand where the other columns are."""
    last = LOSETUP.rstrip("\n")[:-cut]
    assert "loop2" not in facts_in(f"{last}\n", "losetup").rows["layer"]


LSDASD = """\
box1:~ # lsdasd -u
0.0.1a01  dasdp  IBM.75000000AAAA1.1a00.01
0.0.1b02  dasdq  IBM.75000000AAAA1.1b00.02
box1:~ # mount
/dev/dasdp1 on / type ext4 (rw)
/dev/dasdq1 on /srv type ext4 (rw)
/dev/loop0 on /db type ext4 (rw)
/dev/loop1 on /db1 type ext4 (rw)
/dev/loop2 on /db2 type ext4 (rw)
"""
ALL, TABLE = f"box1:~ # losetup -a\n{LOSETUP_ALL}", f"box1:~ # losetup -l\n{LOSETUP}"


@pytest.mark.parametrize(
    ("texts", "path", "disks"),
    [
        (ALL, "/db/x", {"dasdq"}), (ALL, "/db1/x", {"dasdq"}), (ALL, "/db2/x", {"dasdq"}),
        (TABLE, "/db/x", {"dasdp"}), (TABLE, "/db1/x", {"dasdq"}), (TABLE, "/db2/x", {"loop2"}),
    ],
)  # fmt: skip
def test_a_loop_lies_where_its_file_lies(texts: str, path: str, disks: set[str], where: Ask) -> None:
    """By the number of the file system, else by the mount of the path; a file that is gone has none."""
    (answer,) = where(path, LSDASD + texts)["where"]
    assert {disk["disk"] for disk in answer["disks"]} == disks
    used = {mount["point"] for disk in disks - {"loop2"} for mount in where(disk, LSDASD + texts)["mounts"]}
    assert not disks - {"loop2"} or path.rpartition("/")[0] in used


def test_a_loop_of_a_device_lies_on_that(where: Ask) -> None:
    """What is mounted on /dev is not asked."""
    texts = "box1:~ # losetup -a\n/dev/loop1: [0006]:77 (/dev/dasdq)\n"
    (answer,) = where("/db1/x", LSDASD + texts)["where"]
    assert {disk["disk"] for disk in answer["disks"]} == {"dasdq"}


def test_a_loop_device_without_a_size_has_no_file(where: Ask) -> None:
    """The kernel lists each block device that has one."""
    record = "P: /devices/virtual/block/loop7\nE: DEVTYPE=disk\nE: MAJOR=7\nE: MINOR=7\nE: SUBSYSTEM=block\n"
    disk = "major minor  #blocks  name\n\n  94       60    7211520 dasdp\n"
    for listed, is_open in (("", True), (f"[root@box1 ~]# cat /proc/partitions\n{disk}", False)):
        texts = f"[root@box1 ~]# lsblk\n{LSBLK}[root@box1 ~]# udevadm info -e\n{record}\n{listed}"
        assert any("loop7" in what for what in where("dasda", texts)["not_looked_at"]) == is_open


def test_a_loop_device_on_a_block_device_is_built_on_that(where: Ask) -> None:
    """The number that losetup prints is that of the file system with its node."""
    lsdasd = "[root@box1 ~]# lsdasd -u\n0.0.1a01  dasdp     IBM.75000000AAAA1.1a00.01\n"
    answer = where("dasdp", f"{lsdasd}[root@box1 ~]# losetup -a\n/dev/loop0: [0005]:130 (/dev/dasdp1)\n")
    assert {"dasdp1", "loop0"} <= {*answer["devices"]}
