"""What udev's data base says, printed by udevadm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import facts_in, row, text
from zmon.collected.collection import facts_of

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

EXPORTED = """\
P: /devices/css0/0.0.021d/0.0.7101
E: DEVPATH=/devices/css0/0.0.021d/0.0.7101
E: DRIVER=dasd-eckd
E: CU_TYPE=3990
E: CU_MODEL=E9
E: DEV_TYPE=3390
E: DEV_MODEL=0C
E: SUBSYSTEM=ccw

P: /devices/css0/0.0.021d/0.0.7101/block/dasdb
N: dasdb
L: 0
S: disk/by-path/ccw-0.0.7101
S: disk/by-id/ccw-DB7101
E: DEVTYPE=disk
E: ID_SERIAL=DB7101
E: ID_UID=IBM.750000000ABCD1.7100.01
E: MAJOR=94
E: MINOR=4
E: SUBSYSTEM=block

P: /devices/css0/0.0.021d/0.0.7101/block/dasdb/dasdb1
N: dasdb1
E: DEVTYPE=partition
E: ID_PART_ENTRY_OFFSET=192
E: ID_PART_ENTRY_SIZE=47172768
E: MAJOR=94
E: MINOR=5
E: SUBSYSTEM=block

P: /devices/virtual/block/dm-0
N: dm-0
E: DEVTYPE=disk
E: DM_NAME=db2vg-data
E: DM_UUID=LVM-abc
E: MAJOR=253
E: MINOR=0
E: SUBSYSTEM=block

P: /devices/css0/0.0.0015/0.0.3d0c/host0/rport-0:0-0/target0:0:0/0:0:0:1/block/sda
N: sda
E: DEVTYPE=disk
E: ID_BUS=scsi
E: ID_SERIAL=36005076309ffc5630000000000000200
E: ID_SCSI_SERIAL=75ABCD10200
E: ID_VENDOR=IBM
E: ID_MODEL=2107900
E: MAJOR=8
E: MINOR=0
E: SUBSYSTEM=block
"""


def test_a_dasd_has_label_uid_types_and_names() -> None:
    """Its record as a ccw device and that of its disk are joined by the bus id."""
    facts = facts_in(EXPORTED, "udevadm info --export-db")
    assert row(facts, "device", "0.0.7101") == {
        "subchannel": "0.0.021d", "driver": "dasd-eckd", "cutype": "3990/e9", "devtype": "3390/0c",
        "block": "dasdb", "uid": "IBM.750000000ABCD1.7100.01",
    }  # fmt: skip
    assert row(facts, "dasd", "0.0.7101") == {"name": "dasdb", "volser": "DB7101"}
    assert row(facts, "layer", "94:4") == {
        "name": "dasdb", "sort": "disk", "busid": "0.0.7101",
        "links": "disk/by-path/ccw-0.0.7101 disk/by-id/ccw-DB7101",
    }  # fmt: skip


def test_a_partition_has_its_first_sector() -> None:
    """So the bytes of a volume on it can be placed."""
    facts = facts_in(EXPORTED, "udevadm info -e")
    assert row(facts, "layer", "94:5") == {
        "name": "dasdb1", "sort": "partition", "parent": "dasdb", "start": 192, "size": 47172768,
        "busid": "0.0.7101",
    }  # fmt: skip


def test_a_logical_volume_and_a_lun_have_their_names() -> None:
    """WWID and serial number are those that the readers of sysfs give."""
    facts = facts_in(EXPORTED, "udevadm info -e")
    assert row(facts, "layer", "253:0") == {
        "name": "dm-0", "sort": "dm", "mapped": "db2vg-data", "uuid": "LVM-abc",
    }  # fmt: skip
    found = row(facts, "layer", "8:0")
    assert found["wwid"] == "naa.6005076309ffc5630000000000000200"
    assert found["serial"] == "75ABCD10200"
    assert found["busid"] == "0.0.3d0c"


def test_a_record_that_was_cut_says_what_is_whole() -> None:
    """Without its number a block device is left out."""
    facts = facts_in(EXPORTED[: EXPORTED.index("E: MINOR=4")], "udevadm info -e")
    assert "layer" not in facts.rows
    assert row(facts, "device", "0.0.7101")["driver"] == "dasd-eckd"


def test_the_unique_id_with_the_token_of_a_minidisk_is_taken() -> None:
    """Newer rules of udev have both; by the token a minidisk is known."""
    uid = "IBM.750000000ABCD1.7100.01"
    both = EXPORTED.replace(f"E: ID_UID={uid}\n", f"E: ID_UID={uid}\nE: ID_XUID={uid}.00000012\n")
    assert row(facts_in(both, "udevadm info -e"), "device", "0.0.7101")["uid"] == f"{uid}.00000012"


def test_a_loop_device_has_its_file_and_the_device_of_that() -> None:
    """As systemd's udev asks the kernel for it."""
    facts = facts_in(
        "P: /devices/virtual/block/loop0\nE: DEVTYPE=disk\nE: MAJOR=7\nE: MINOR=0\nE: SUBSYSTEM=block\n"
        "E: ID_LOOP_BACKING_DEVICE=94:15\nE: ID_LOOP_BACKING_FILENAME=/srv/image\n\n"
    )
    loop = row(facts, "layer", "7:0")
    assert (loop["file"], loop["below"]) == ("/srv/image", "94:15")


NVME = """\
P: /devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1
N: nvme0n1
E: DEVTYPE=disk
E: ID_FS_TYPE=ext4
E: ID_FS_UUID=c9d553da-47d9-422e-824f-1074d6bb22f5
E: ID_SERIAL_SHORT=0000000000zmon01
E: ID_SERIAL=Linux_0000000000zmon01_1
E: ID_WWN=uuid.0789573d-23cf-4307-9845-acb7705840d0
E: MAJOR=259
E: MINOR=0
E: SUBSYSTEM=block

P: /devices/pci0001:00/0001:00:00.0/nvme/nvme1/nvme1n1/nvme1n1p2
N: nvme1n1p2
E: DEVTYPE=partition
E: MAJOR=259
E: MINOR=7
E: SUBSYSTEM=block

P: /devices/virtual/nvme-fabrics/ctl/nvme0/nvme0c0n1
E: DEVTYPE=disk
E: SUBSYSTEM=block
"""


def test_an_nvme_disk_is_below_its_controller_or_subsystem() -> None:
    """No directory `block` is in its path; a path to it has no number, and says nothing."""
    facts = facts_in(NVME, "udevadm info -e")
    disk = row(facts, "layer", "259:0")
    assert (disk["name"], disk["sort"], disk["serial"]) == ("nvme0n1", "disk", "0000000000zmon01")
    assert disk["wwid"] == "uuid.0789573d-23cf-4307-9845-acb7705840d0"
    assert row(facts, "layer", "259:7")["parent"] == "nvme1n1"
    assert facts.contents["nvme0n1"][0] == "ext4"
    (read,) = facts_of([text(NVME, "udevadm info -e")])[1]
    assert read.strange == ()


@pytest.mark.parametrize("option", ["-n dasdb", "--name=/dev/dasdb"])
def test_properties_that_a_filter_left_are_of_the_disk_that_the_command_names(
    where: Ask, option: str
) -> None:
    """Its number follows from its name, and its bus id from its path."""
    text = (
        f"box1:~ # udevadm info -q property {option} | grep ID_\nID_BUS=ccw\nID_TYPE=disk\n"
        "ID_UID=IBM.750000000TKT11.5a00.11\nID_SERIAL=0XLXD2\nID_PATH=ccw-0.0.0201\n"
    )
    (disk,) = where("dasdb", text)["disks"]
    assert (disk["busid"], disk["lcu"]) == ("0.0.0201", "LCU 5A00")


_OF_DRIVERS = """\
box1:~ # udevadm info /dev/{name}
P: /devices/virtual/block/{name}
N: {name}
E: DEVNAME=/dev/{name}
E: DEVTYPE=disk
E: MAJOR=254
E: MINOR=0
E: SUBSYSTEM=block
"""


@pytest.mark.parametrize("name", ["bcache0", "drbd0", "zd0"])
def test_a_device_that_a_driver_makes_of_others_is_no_disk(name: str, where: Ask) -> None:
    """Of which is not known, so nothing is said to lie on it alone."""
    answer = where(name, _OF_DRIVERS.format(name=name))
    assert answer["disks"] == []
    assert "made of" in str(answer)
