"""What blkid says is on devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import facts_in, row
from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask

ROOT = "11111111-2222-4333-8444-555555555555"
SWAP = "21111111-2222-4333-8444-555555555555"
PV = "aB3dEf-1111-2222-3333-4444-5555-zzzzzz"
BLKID = rf"""/dev/dasdp1: LABEL="my \"root\" \\x" UUID="{ROOT}" TYPE="ext4" PARTUUID="4d2c-01"
/dev/dasdp2: LABEL="swap space" UUID="{SWAP}" TYPE="swap"
/dev/mapper/wh-load: UUID="31111111-2222-4333-8444-555555555555" TYPE="xfs"
/dev/dasdq1: UUID="{PV}" TYPE="LVM2_member"
/dev/sda: PTUUID="d735691c-3803-e547-946e-a7ae1b37f00d" PTTYPE="gpt"
"""
BLKID_LIST = f"""\
device           fs_type    label      mount point        UUID
---------------------------------------------------------------------------------------
/dev/dasdp1      ext4       my "root" \\x (not mounted)     {ROOT}
/dev/dasdp2      swap       swap space [SWAP]             {SWAP}
/dev/mapper/wh-load
                 xfs        /load      /load              31111111-2222-4333-8444-555555555555
/dev/dasdq1      LVM2_member           (in use)           {PV}
/dev/sda                               (nicht eingehängt)\x20\x20
/dev/dasdr1      ext4                  /data/a b          {ROOT[:-1]}6
"""
BLKID_EXPORT = rf"""DEVNAME=/dev/dasdp1
LABEL=my\ \"root\"\ \\x
UUID={ROOT}
TYPE=ext4

DEVNAME=/dev/dasdp2
UUID={SWAP}
TYPE=swap
"""
BLKID_JSON = f'{{"blkid": [{{"device": "/dev/dasdp1", "UUID": "{ROOT}", "TYPE": "ext4"}}]}}\n'
CONTENTS = {
    "dasdp1": ("ext4", ROOT), "dasdp2": ("swap", SWAP), "dasdq1": ("LVM2_member", PV),
    "mapper/wh-load": ("xfs", "31111111-2222-4333-8444-555555555555"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "command", "devices"),
    [
        (BLKID, "blkid", {*CONTENTS}), (BLKID_LIST, "blkid -o list", {*CONTENTS, "dasdr1"}),
        (BLKID_EXPORT, "blkid -o export", {"dasdp1", "dasdp2"}), (BLKID_JSON, "blkid -o json", {"dasdp1"}),
    ],
)  # fmt: skip
def test_each_form_of_blkid_has_type_and_uuid_of_what_is_on_a_device(
    content: str, command: str, devices: set[str]
) -> None:
    """Whether a name or a label is longer than its column or not."""
    contents = {device: told[:2] for device, told in facts_in(content, command).contents.items()}
    contents.pop("dasdr1", None)
    assert contents == {device: CONTENTS[device] for device in devices & {*CONTENTS}}


def test_names_by_label_are_those_that_udev_makes() -> None:
    """Of a partition also that by its own UUID."""
    links = str(row(facts_in(BLKID, "blkid"), "layer", "dasdp1")["links"]).split()
    assert links == ["disk/by-label/my\\x20\\x22root\\x22\\x20\\x5cx", "disk/by-partuuid/4d2c-01"]


def test_the_list_says_where_a_device_is_mounted() -> None:
    """A path that may have been cut is none."""
    facts = facts_in(BLKID_LIST.replace("/load              31", f"/{'x' * 78} 31"), "blkid -o list")
    assert {mount.point: mount.source for mount in facts.mounts.values()} == {"/data/a b": "/dev/dasdr1"}
    assert [*facts.swaps] == ["/dev/dasdp2"]


def test_a_partition_that_was_probed_has_start_size_and_disk() -> None:
    """A disk that cannot be that of the partition is none."""
    content = (
        '/dev/dasdp1: TYPE="ext4" PART_ENTRY_NUMBER="1" PART_ENTRY_OFFSET="192" PART_ENTRY_SIZE="4000"'
        ' PART_ENTRY_DISK="94:60"\n'
    )
    part = row(facts_in(content, "blkid -p /dev/dasdp1"), "layer", "dasdp1")
    assert (part["start"], part["size"], part["parent"]) == (192, 4000, "94:60")
    assert "start" not in row(facts_in(content.replace("94:60", "94:4"), "blkid -p"), "layer", "dasdp1")


@pytest.mark.parametrize("lost", [0, 3, 4])
def test_what_follows_a_lost_line_is_of_no_device(lost: int) -> None:
    """Assignments belong to the device before them, as long as none comes twice."""
    rows = BLKID_EXPORT.split("\n")
    changed = "\n".join([*rows[:lost], "?!", *rows[lost + 1 :]])
    deleted = "\n".join(rows[:lost] + rows[lost + 1 :])
    for content in (changed, deleted):
        contents = facts_in(content, "blkid -o export").contents
        assert contents["dasdp2"][1] == SWAP
        assert contents.get("dasdp1", ("", ROOT))[1] == ROOT


def btrfs(device: str) -> str:
    """Return the line of a device of one btrfs."""
    return f'/dev/{device}: UUID="{ROOT}" UUID_SUB="{device}" TYPE="btrfs"\n'


LSDASD = (
    "box1:~ # lsdasd -u\n0.0.1a01 dasdp IBM.75000000AAAA1.1a00.01\n0.0.1b02 dasdq IBM.75000000AAAA1.1b00.02\n"
)
LSBLK = f"""\
box1:~ # lsblk -f
NAME     FSTYPE UUID                                 MOUNTPOINTS
dasdp
└─dasdp1 btrfs  {ROOT} /data
dasdq
└─dasdq1 btrfs  {ROOT}
"""
UDEVADM = "box1:~ # udevadm info -e\n" + "\n".join(
    f"P: /devices/css0/0.0.0001/0.0.{busid}/block/{disk}/{disk}1\nN: {disk}1\nE: DEVTYPE=partition\n"
    f"E: MAJOR=94\nE: MINOR={minor}\nE: SUBSYSTEM=block\nE: ID_FS_TYPE=btrfs\nE: ID_FS_UUID={ROOT}\n"
    for busid, disk, minor in (("1a01", "dasdp", 61), ("1b02", "dasdq", 65))
)
SIGNED = {
    "blkid": f"box1:~ # blkid\n{btrfs('dasdp1')}{btrfs('dasdq1')}", "lsblk": LSBLK, "udevadm": UDEVADM,
}  # fmt: skip
MOUNTED = "box1:~ # mount\n/dev/dasdq1 on /data type btrfs (rw)\n"


@pytest.mark.parametrize("tool", SIGNED)
def test_devices_with_one_uuid_of_a_btrfs_are_its_devices(tool: str, where: Ask) -> None:
    """Whichever text has the UUID; the shares are not known."""
    answer = where("/data/x", f"{LSDASD}{MOUNTED}{SIGNED[tool]}")["where"][0]
    assert {disk["disk"] for disk in answer["disks"]} == {"dasdp", "dasdq"}
    used = where("dasdp", f"{LSDASD}{MOUNTED}{SIGNED[tool]}")
    assert [mount["point"] for mount in used["mounts"]] == ["/data"]


@pytest.mark.parametrize("tool", ["blkid", "udevadm"])
@pytest.mark.parametrize("disk", ["dasdp", "dasdq"])
def test_a_btrfs_that_is_not_mounted_is_a_use_of_all_its_devices(tool: str, disk: str, where: Ask) -> None:
    """One device of it alone is one with a file system."""
    assert f"btrfs {ROOT}" in where(disk, f"{LSDASD}{SIGNED[tool]}")["devices"]
    alone = f"{LSDASD}box1:~ # blkid\n{btrfs(f'{disk}1')}"
    assert f"btrfs file system on {disk}1" in where(disk, alone)["devices"]


def test_one_device_of_a_btrfs_is_not_known_to_be_all_of_it(where: Ask) -> None:
    """Others may have been left out of the text."""
    (answer,) = where("/data/x", f"{LSDASD}{MOUNTED}box1:~ # blkid\n{btrfs('dasdq1')}")["where"]
    assert {disk["disk"] for disk in answer["disks"]} > {"dasdq"}


def test_paths_to_a_disk_with_one_signature_are_no_btrfs_of_several_devices(where: Ask) -> None:
    """Of devices built on each other the uppermost has the file system."""
    lsblk = """\
box1:~ # lsblk
NAME     MAJ:MIN RM SIZE RO TYPE  MOUNTPOINTS
sda        8:0    0  10G  0 disk
└─mpatha 253:0    0  10G  0 mpath
sdb        8:16   0  10G  0 disk
└─mpatha 253:0    0  10G  0 mpath
"""
    blkid = f"box1:~ # blkid\n{btrfs('sda')}{btrfs('sdb')}{btrfs('mapper/mpatha')}"
    assert "btrfs file system on mpatha" in where("sda", lsblk + blkid)["devices"]


@pytest.mark.parametrize(
    "source", [f"UUID={ROOT}", f"/dev/disk/by-uuid/{ROOT.upper()}", 'LABEL="my data"', "PARTUUID=4d2c-01"]
)
def test_a_mount_by_a_tag_is_one_of_the_device_that_has_it(source: str, where: Ask) -> None:
    """Blkid has the tags of devices, and so the names that udev makes of them."""
    blkid = f'/dev/dasdp1: LABEL="my data" UUID="{ROOT}" TYPE="xfs" PARTUUID="4d2c-01"\n'
    mounts = f"TARGET SOURCE FSTYPE OPTIONS\n/data  {source} xfs rw\n".replace('"my data"', "my\\x20data")
    source_known = f"{LSDASD}box1:~ # blkid\n{blkid}box1:~ # findmnt -r\n{mounts}"
    assert [mount["point"] for mount in where("dasdp", source_known)["mounts"]] == ["/data"]


_UUID: Final = "30efdb5e-51ef-4188-87fa-60665d3eb096"


@pytest.mark.parametrize("point", ["/data", ""])
@pytest.mark.parametrize("word", [f"UUID={_UUID}", f"/dev/disk/by-uuid/{_UUID}"])
def test_the_uuid_of_a_btrfs_is_that_of_all_its_devices(word: str, point: str, where: Ask) -> None:
    """Whether it is mounted or not."""
    listed = "".join(
        f'NAME="{name}1" MAJ:MIN="{number}" FSTYPE="btrfs" UUID="{_UUID}" MOUNTPOINT="{at}" PKNAME="{name}"\n'
        for name, number, at in (("dasda", "94:1", point), ("dasdb", "94:5", ""))
    )
    answer = where(word, f"# lsblk -P -o NAME,MAJ:MIN,FSTYPE,UUID,MOUNTPOINT,PKNAME\n{listed}")
    disks = [disk["disk"] for place in answer["where"] for disk in place["disks"]]
    assert sorted(disks) == ["dasda", "dasdb"]


_GROUP = (
    "box1:~ # pvs\n  PV          VG     Fmt  Attr PSize  PFree\n  /dev/dasdp1 vg0    lvm2 a--  20.00g    0\n"
)


@pytest.mark.parametrize("asked", [f"UUID={SWAP}", f"/dev/disk/by-uuid/{SWAP}"])
def test_a_uuid_is_known_if_something_else_is_built_on_its_device(asked: str, where: Ask) -> None:
    """Unless another device shows it, too: then the one that is built on both has it."""
    line = f'/dev/dasdp1: UUID="{SWAP}" TYPE="swap"\n'
    assert [disk["disk"] for disk in where(asked, f"box1:~ # blkid\n{line}{_GROUP}")["disks"]] == ["dasdp"]


def test_a_uuid_that_is_not_placed_is_said_to_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the line, also where the text has it in quotes."""
    (tmp_path / "a.txt").write_text(f'box1:~ # blkid\n/dev/dasdp1: UUID="{SWAP}" TYPE="linux_raid_member"\n')
    assert main(["where", f"UUID={SWAP}", "--from", str(tmp_path)])
    assert "is named in a.txt:2" in capsys.readouterr().err
