"""Disks that a cluster or a database names are in use: NSDs of Storage Scale, disks of ASM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

UIDS = """\
{}lsdasd -u
0.0.1a01  dasdp     IBM.75000000AAAA1.1a00.01
0.0.1b02  dasdq     IBM.75000000AAAA1.1b00.02
"""
NSDS = """\
{}mmlsnsd -m

 Disk name    NSD volume ID      Device         Node name                Remarks
---------------------------------------------------------------------------------------
 nsd1         0A00033659DD7C41   /dev/dasdp1    box1.example.com         server node
 nsd1         0A00033659DD7C41   /dev/dasdq1    box2.example.com         server node
 nsd2         0A00033659DD7C42   -              box1.example.com         (not found) server node
"""
TYPED = """\
{}mmlsnsd -X

 Disk name       NSD volume ID      Device          Devtype  Node name or Class       Remarks
-------------------------------------------------------------------------------------------------------
 nsd1            0A00033659DD7C41   /dev/dasdp1     dasd     box1.example.com         server node
"""
ASM = """\
{}oracleasm querydisk -p DATA1
Disk "DATA1" is a valid ASM disk
/dev/dasdp1: LABEL="DATA1" TYPE="oracleasm"
"""


@pytest.mark.parametrize(
    ("text", "prompt", "uses"),
    [(NSDS, "box1:~ # ", ["GPFS", ""]), (NSDS, "box2:~ # ", ["", "GPFS"]), (NSDS, "# ", ["", ""]),
     (TYPED, "# ", ["GPFS", ""]), (ASM, "box1:~ # ", ["ASM", ""])],
)  # fmt: skip
def test_a_disk_of_a_cluster_or_a_database_is_in_use(
    text: str, prompt: str, uses: list[str], where: Ask
) -> None:
    """By the device that it has on this host: on another it may be one of another disk."""
    content = f"{UIDS}{text}".replace("{}", prompt)
    for word, use in zip(("dasdp", "dasdq"), uses, strict=True):
        devices = " ".join(where(word, content)["devices"]).split()
        assert (use in devices, f"{word}1" in devices) == (True, True) if use else devices == []


LSDSK = """\
{}asmcmd lsdsk -k
Total_MB  Free_MB  OS_MB  Name       Failgroup  Site_Name  Failgroup_Type  Library  Label  Redund   Path
   20480    11234  20480  DATA_0000  DATA_0000             REGULAR         System        UNKNOWN  /dev/dasdp1
"""
ASMLIB = "{}ls -l /dev/oracleasm/disks\ntotal 0\nbrw-rw---- 1 oracle dba 94, 61 Nov  3 07:00 DATA1\n"
SHOWN = "{}lsblk -f\nNAME     FSTYPE    LABEL UUID\ndasdp\n`-dasdp1 oracleasm DATA1\n"


@pytest.mark.parametrize(
    ("text", "label"),
    [(NSDS, "nsd1"), (TYPED, "nsd1"), (ASM, "DATA1"), (ASMLIB, "DATA1"), (SHOWN, "DATA1"),
     (LSDSK, "DATA_0000"), (LSDSK.replace("asmcmd lsdsk -k", 'su - grid -c "asmcmd lsdsk -k"'), "DATA_0000")],
)  # fmt: skip
def test_a_disk_is_found_by_the_name_that_a_cluster_or_a_database_has_for_it(
    text: str, label: str, where: Ask
) -> None:
    """An NSD of GPFS and a disk of ASM have names of their own."""
    found = where(label, f"{UIDS}{text}".replace("{}", "box1:~ # "))
    assert (found["key"], [disk["disk"] for disk in found["disks"]]) == ("94:61", ["dasdp"])


def test_a_disk_has_the_name_of_its_number(where: Ask) -> None:
    """Where a text has that alone; a device that is called like a map joins the paths to one disk."""
    tree = "box1:~ # dmsetup ls --tree\nmpathd (253:4)\n ├─ (8:48)\n └─ (8:16)\n"
    found = where("mpathd", tree)
    assert [path["disk"] for path in found["paths"]] == ["sdb", "sdd"]


def test_a_file_of_a_cluster_is_on_some_of_its_disks(where: Ask) -> None:
    """It may be on each that this host has, and how much is not known; without any none is known."""
    mount = "box1:~ # mount\ngpfs1 on /gpfs/fs1 type gpfs (rw)\n"
    text = f"{UIDS}{NSDS}".replace("{}", "box1:~ # ")
    (answer,) = where("/gpfs/fs1/x", f"{text}{mount}")["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdp"]
    assert "absent" in answer["disks"][0]["bytes"]
    assert answer["grade"] in {"set", "assumed"}
    (answer,) = where("/gpfs/fs1/x", f"{UIDS}{mount}".replace("{}", "box1:~ # "))["where"]
    assert (answer["disks"], answer["grade"]) == ([], "unknown")
    assert not [why for why in answer["lacking"] if "no block device" in why]


@pytest.mark.parametrize(("fstype", "is_of_disks"), [("zfs", True), ("nfs4", False)])
def test_a_file_system_of_several_disks_is_on_some(fstype: str, is_of_disks: bool, where: Ask) -> None:
    """Its source names none of them; one of a server is on none of this host."""
    (answer,) = where("/gpfs/fs1", f"# df -hT\ngpfs1 {fstype} 420G 300G 120G 72% /gpfs/fs1\n")["where"]
    assert [why.startswith("it is on disks of gpfs1") for why in answer["lacking"]] == [is_of_disks]


MMLSDISK = """\
box1:~ # mmlsdisk fs1 -L
disk     driver   sector     failure holds    holds                                    storage
name     type       size       group metadata data  status        availability disk id pool         remarks
-------- -------- ------ ----------- -------- ----- ------------- ------------ ------- ------------ ---------
nsd1     nsd        4096           1 yes      yes   ready         up                 1 system       desc
nsd2     nsd        4096           2 yes      yes   ready         down               2 system
Number of quorum disks: 2
Read quorum value:      2
Write quorum value:     2
box1:~ # df -h /gpfs/fs1
Filesystem      Size  Used Avail Use% Mounted on
fs1             120G   77G   44G  64% /gpfs/fs1
"""


def test_a_file_system_without_a_type_is_a_gpfs_if_its_tool_lists_it(where: Ask) -> None:
    """By its name, which df prints in place of a device."""
    text = f"{UIDS}{NSDS}".replace("{}", "box1:~ # ")
    (answer,) = where("/gpfs/fs1", text + MMLSDISK)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdp"]


FREE = """\
{}mmlsnsd

 File system   Disk name       NSD servers
------------------------------------------------------------------------------
 gpfs01        nsd1            box1
 gpfs02        nsd3            box1
 (free disk)   nsd2            box1

{}mmlsnsd -m

 Disk name       NSD volume ID      Device          Node name or Class       Remarks
-------------------------------------------------------------------------------------------
 nsd1            0A0B0C01653A1B2C   /dev/dasdp1     box1                     server node
 nsd2            0A0B0C01653A1B2F   /dev/dasdq1     box1                     server node
 nsd3            0A0B0C01653A1B30   /dev/dasdr1     box1                     server node

{}df -hT /data
Filesystem     Type  Size  Used Avail Use% Mounted on
gpfs01         gpfs  135G   44G   92G  33% /data
"""


def test_a_gpfs_lies_on_nsds_of_its_own(where: Ask) -> None:
    """One that is free, or of another file system, is in use, and holds none of it."""
    content = f"{UIDS}{FREE}".replace("{}", "box1:~ # ")
    (place,) = where("/data", content)["where"]
    assert [disk["disk"] for disk in place["disks"]] == ["dasdp"]
    uses = {disk: " ".join(where(disk, content)["devices"]) for disk in ("dasdp", "dasdq", "dasdr")}
    assert "gpfs01" in uses["dasdp"]
    assert "gpfs02" in uses["dasdr"]
    assert "gpfs" not in uses["dasdq"].casefold()
    assert "NSD" in uses["dasdq"]
