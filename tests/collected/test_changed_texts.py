"""What a command changes behind the last list of it is open, and the command is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.collected.conftest import Ask

_PROMPT: Final = "box1:~ # "
_LSBLK: Final = """\
NAME          MAJ:MIN RM  SIZE RO TYPE  FSTYPE      MOUNTPOINT
dasda          94:0    0  6.9G  0 disk
└─dasda1       94:1    0  6.9G  0 part  LVM2_member
  └─vgx-lvx   253:0    0    5G  0 lvm   xfs         /x
dasdb          94:4    0  6.9G  0 disk
└─dasdb1       94:5    0  6.9G  0 part
dasdc          94:8    0  6.9G  0 disk
└─dasdc1       94:9    0  6.9G  0 part  linux_raid_member
  └─md0         9:0    0  6.9G  0 raid1 ext4        /m
dasdd         94:12    0  6.9G  0 disk
└─dasdd1      94:13    0  6.9G  0 part  btrfs       /b
"""
_DISKS: Final = ("dasda", "dasdb")
_LVS: Final = (
    "LV VG Attr LSize Pool Origin Data% Meta% Move Log Cpy%Sync Convert Devices\n"
    "lvx vgx -wi-ao---- 5.00g {}\n"
)
_LINKS: Final = "".join(
    f"lrwxrwxrwx 1 root root 11 Mar 17 10:11 ccw-0.0.010{at} -> ../../{name}\n"
    for at, name in enumerate(_DISKS)
)
_BTRFS: Final = (
    "Label: none  uuid: 0f4bb0a5-6e2e-4ee2-9a01-7d0c9f11a1aa\n"
    "\tdevid    1 size 6.88GiB used 2.02GiB path /dev/dasdd1\n"
)
_BEFORE: Final = (
    f"{_PROMPT}lsblk -o +FSTYPE\n{_LSBLK}{_PROMPT}lvs -o +devices\n{_LVS.format('/dev/dasda1(0)')}"
    f"{_PROMPT}btrfs filesystem show\n{_BTRFS}\n"
)
_CHANGES: Final = [
    ("/x", "vgextend vgx /dev/dasdb1"), ("/x", "pvmove /dev/dasda1 /dev/dasdb1"),
    ("/x", "sudo vgextend vgx /dev/dasdb1 && lvextend -l +100%FREE vgx/lvx"),
    ("/x", "lvextend -l +100%FREE /dev/vgx/lvx /dev/dasdb1"), ("/x", "vgreduce vgx /dev/dasdb1"),
    ("/m", "mdadm /dev/md0 --add /dev/dasdb1"), ("/m", "mdadm --manage /dev/md0 -a /dev/dasdb1"),
    ("/m", "mdadm --grow /dev/md0 -n 3 --add /dev/dasdb1"),
    ("/b", "btrfs device add /dev/dasdb1 /b"), ("/b", "btrfs dev add -f /dev/dasdb1 /b"),
]  # fmt: skip


@pytest.mark.parametrize(("point", "command"), _CHANGES)
def test_a_change_behind_the_last_list_leaves_open_what_it_concerns(
    where: Ask, point: str, command: str
) -> None:
    """The disks of before and those that the command names may hold it, and no disk is called free."""
    text = f"{_BEFORE}{_PROMPT}{command}\n{_PROMPT}\n"
    (place,) = where(point, text)["where"]
    titles = {step["title"] for step in place["steps"]} | {disk["disk"] for disk in place["disks"]}
    before = {"/x": "dasda", "/m": "dasdc", "/b": "dasdd"}[point]
    assert {before, "dasdb"} <= titles
    assert any(
        command.removeprefix("sudo ").partition(" &")[0].split()[0] in str(title) for title in titles
    ) or ("lvextend" in str(titles))
    for disk in (before, "dasdb"):
        mounts = where(disk, text)["mounts"]
        assert [(mount["point"], mount["perhaps"]) for mount in mounts] == [(point, True)]


@pytest.mark.parametrize("listing", ["lvs -o +devices", "pvs"])
def test_a_list_behind_a_change_says_what_is_true(where: Ask, listing: str) -> None:
    """That of places, and that of members where all of a volume is on the one that is left."""
    rows = {"pvs": "PV VG Fmt Attr PSize PFree\n/dev/dasdb1 vgx lvm2 a-- 6.88g 1.88g\n"}
    listed = rows.get(listing, _LVS.format("/dev/dasdb1(0)"))
    before = (
        f"{_PROMPT}ls -l /dev/disk/by-path\n{_LINKS}{_PROMPT}mount\n/dev/mapper/vgx-lvx on /x type xfs (rw)\n"
    )
    before += f"{_PROMPT}{listing}\n{listed.replace('db1', 'da1')}"
    before += f"{_PROMPT}lvs -o +devices\n{_LVS.format('/dev/dasda1(0)')}" * (listing == "pvs")
    text = f"{before}{_PROMPT}pvmove /dev/dasda1 /dev/dasdb1\n{_PROMPT}{listing}\n{listed}{_PROMPT}\n"
    (place,) = where("/x", text)["where"]
    assert [disk["disk"] for disk in place["disks"]] == ["dasdb"]
    assert where("dasda", text)["mounts"] == []


def test_swap_is_what_was_made_of_it_last(where: Ask) -> None:
    """An area that was switched on has a use, and one that was switched off has none of this sort."""
    areas = (
        f"{_PROMPT}swapon --show\nNAME        TYPE      SIZE USED PRIO\n/dev/dasda1 partition 1G   0B   -2\n"
    )
    text = f"{_PROMPT}lsblk\n{_LSBLK}{areas}{_PROMPT}swapon -p 5 /dev/dasdb1\n{_PROMPT}swapoff /dev/dasda1\n"
    assert "swapon -p 5" in str(where("dasdb", text)["devices"])
    assert "swap" not in str(where("dasda", text)["mounts"])


@pytest.mark.parametrize(
    "commands",
    [
        "pvcreate /dev/dasdb1",
        "vgcreate vgnew /dev/dasdb1",
        "pvcreate /dev/dasdb1\nbox1:~ # vgcreate vgnew /dev/dasdb1",
    ],
)
def test_a_disk_that_was_made_a_physical_volume_is_in_use(where: Ask, commands: str) -> None:
    """Though no text lists it as one."""
    devices = where("dasdb", f"{_BEFORE}{_PROMPT}{commands}\n{_PROMPT}\n")["devices"]
    assert any(("vgnew" if "vgnew" in commands else "physical volume") in device for device in devices)


@pytest.mark.parametrize(
    ("command", "answer", "is_offline"),
    [
        ("chccwdev -e 0.0.1234", "Setting device 0.0.1234 online\nDone\n", False),
        ("chccwdev --online 1230-1235", "Setting device 0.0.1234 online\nDone\n", False),
        ("chzdev -e dasd 0.0.1234", "ECKD DASD 0.0.1234 configured\n", False),
        ("chccwdev -e 0.0.1234", "Setting device 0.0.1234 online\nFailed (No such device)\n", True),
        ("chccwdev -e 0.0.1235", "Setting device 0.0.1235 online\nDone\n", True),
    ],
)
def test_a_device_that_was_set_on_line_is_not_offline(
    where: Ask, command: str, answer: str, is_offline: bool
) -> None:
    """What was done behind the last list beats it, if it did not fail."""
    lscss = (
        "Device   Subchan.  DevType CU Type Use  PIM PAM POM  CHPIDs\n"
        "----------------------------------------------------------------------\n"
        "0.0.1234 0.0.0007  3390/0e 3990/e9      f0  f0  ff   1a2a3a0a 00000000\n"
    )
    found = where("0.0.1234", f"{_PROMPT}lscss\n{lscss}{_PROMPT}{command}\n{answer}")
    assert (found["device"]["status"] == "offline") is is_offline


def test_whether_a_device_is_offline_is_open_if_the_command_has_no_answer(where: Ask) -> None:
    """Somebody may have written what can be done: it is neither that nor what was listed before."""
    listed = "0.0.1234  active  dasdf  94:20  ECKD  4096  7042MB  1802880\n"
    answer = where("0.0.1234", f"{_PROMPT}lsdasd\n{listed}{_PROMPT}chccwdev -d 0.0.1234\n")
    assert (answer["offline"], [disk["disk"] for disk in answer["disks"]]) == (False, ["dasdf"])


_UNFORMATTED: Final = f"""\
{_PROMPT}lsdasd
Bus-ID     Status      Name      Device  Type  BlkSz  Size      Blocks
==============================================================================
0.0.0105   n/f         dasdf     94:20   ECKD
"""


@pytest.mark.parametrize(
    ("later", "unformatted"),
    [("", ["dasdf"]), ("dasdfmt -b 4096 -y -f /dev/dasdf\nFinished formatting the device.\n", []),
     ("dasdfmt -y /dev/disk/by-path/ccw-0.0.0105\nFinished formatting the device.\n", []),
     ("fdasd -a /dev/dasdf\nauto-creating one partition for the whole disk...\nwriting VTOC...\n", []),
     ("dasdfmt -b 4096 -y /dev/dasdf\ndasdfmt: Unable to open device /dev/dasdf: not found\n", ["dasdf"]),
     ("dasdfmt -b 4096 -y /dev/dasdg\nFinished formatting the device.\n", ["dasdf"])],
)  # fmt: skip
def test_a_disk_that_was_formatted_later_is_formatted(
    where: Ask, later: str, unformatted: Sequence[str]
) -> None:
    """Behind the list that has it without a format."""
    text = f"{_UNFORMATTED}{_PROMPT}{later}{_PROMPT}\n"
    assert where("dasdf", text)["not_formatted"] == unformatted


def test_a_list_that_is_known_by_its_form_alone_stands_behind_a_change(where: Ask) -> None:
    """Nobody has to copy the command above it."""
    content = (
        "box1:~ # mdadm --grow /dev/md0 --raid-devices=2\n\nThe file says now:\n\n"
        "Personalities : [raid1]\nmd0 : active raid1 dasdq1[1] dasdp1[0]\n"
        "      2403648 blocks super 1.2 [2/2] [UU]\n"
    )
    (place,) = where("md0", content)["where"]
    assert [disk["disk"] for disk in place["disks"]] == ["dasdp", "dasdq"]
