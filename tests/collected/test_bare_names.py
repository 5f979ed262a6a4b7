"""A device that a tool or a person names without /dev is the one with that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import TWO_UIDS

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

UUID = "3c5e0000-0000-4000-8000-000000000001"
SHOW = f"""\
box1:~ # btrfs filesystem show
Label: none  uuid: {UUID}
	Total devices 2 FS bytes used 4.00GiB
	devid    1 size 6.87GiB used 4.00GiB path /dev/dasdp1
	devid    2 size 6.87GiB used 4.00GiB path /dev/dasdq1
"""
USAGE = """\
box1:~ # btrfs device usage /srv
/dev/dasdp1, ID: 1
/dev/dasdq1, ID: 2
box1:~ # mount
/dev/dasdp1 on /srv type btrfs (rw)
"""
PVS = """\
box1:~ # pvs
  PV          VG Fmt  Attr PSize  PFree
  /dev/dasdp1 wh lvm2 a--  22.49g 0
  /dev/dasdq1 wh lvm2 a--  22.49g 0
"""
LVS = """\
box1:~ # lvs -o +devices
  LV   VG Attr       LSize  Devices
  data wh -wi-ao---- 22.00g /dev/dasdp1(0)
"""
PVDISPLAY = """\
box1:~ # pvdisplay
  --- Physical volume ---
  PV Name               /dev/dasdp1
  VG Name               wh
  PV Size               6.87 GiB / not usable 3.00 MiB
"""
DETAIL = """\
box1:~ # mdadm --detail /dev/md0
/dev/md0:
        Raid Level : raid1
      Raid Devices : 2
    Number   Major   Minor   RaidDevice State
       0      94       61        0      active sync   /dev/dasdp1
       1      94       65        1      active sync   /dev/dasdq1
"""
SCAN = """\
box1:~ # mdadm --detail --scan -v
ARRAY /dev/md/0 level=raid1 num-devices=2 metadata=1.2 UUID=3d5ce2b1:0c7f4a11:9b0c5a2e:77aa10d4
   devices=/dev/dasdp1,/dev/dasdq1
"""


@pytest.mark.parametrize("text", [SHOW, USAGE, PVS, LVS, PVDISPLAY, DETAIL, SCAN])
def test_a_disk_has_the_same_uses_by_names_without_their_directory(text: str, where: Ask) -> None:
    """In all that lists members of something."""
    bare = text.replace("/dev/dasd", "dasd").replace("\ndasdp1 on", "\n/dev/dasdp1 on")
    for disk in ("dasdp", "dasdq"):
        whole, named = (where(disk, f"{TWO_UIDS}{told}") for told in (text, bare))
        assert (named["devices"], named["mounts"]) == (whole["devices"], whole["mounts"])
    assert where("dasdp", f"{TWO_UIDS}{bare}")["devices"]


@pytest.mark.parametrize("bare", ["mpatha-part1", "mpatha1", "dm-3"])
@pytest.mark.parametrize("text", [PVS, LVS])
def test_a_map_is_known_by_its_name_alone(text: str, bare: str, where: Ask) -> None:
    """As the daemon or the kernel calls it."""
    part = "mpatha1" if bare == "dm-3" else bare
    listed = f"box1:~ # dmsetup ls\nmpatha\t(253:2)\n{part}\t(253:3)\n"
    devices = where("mpatha", f"{listed}{text.replace('/dev/dasdp1', bare)}")["devices"]
    assert any("wh" in title for title in devices)


def test_an_inner_volume_is_no_array(where: Ask) -> None:
    """A logical volume may be called as the kernel calls an array."""
    rows = (
        "box1:~ # lvs -a -o +devices\n  LV                 VG Attr       LSize  Devices\n"
        "  md_data            wh rwi-aor--- 22.00g md_data_rimage_0(0),md_data_rimage_1(0)\n"
        "  [md_data_rimage_0] wh iwi-aor--- 22.00g /dev/dasdp1(0)\n"
        "  [md_data_rimage_1] wh iwi-aor--- 22.00g /dev/dasdq1(0)\n"
    )
    assert [disk["disk"] for disk in where("wh/md_data", f"{TWO_UIDS}{rows}")["disks"]] == ["dasdp", "dasdq"]


def test_a_device_of_a_btrfs_whose_name_is_not_understood_is_not_missing(where: Ask) -> None:
    """It is counted, and its line is there."""
    answer = where("dasdp", f"{TWO_UIDS}{SHOW.replace('/dev/dasdq1', 'oradata')}")
    assert "missing" not in answer
    assert f"a device of btrfs {UUID}" in " ".join(answer["not_looked_at"])
