"""Disks that a cluster or a database names are in use: NSDs of Storage Scale, disks of ASM."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import facts_in
from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

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


REACHED = """\
box1:~ # mmlsdisk fs1 -m

 Disk name     IO performed on node     Device             Availability
 ------------  -----------------------  -----------------  ------------
 nsd1          localhost                /dev/dasdp1        up
 nsd2          box2.example.com         /dev/dasdq1        down
"""


def test_a_disk_that_this_host_reaches_has_its_device_here(where: Ask) -> None:
    """One that another node reaches has the device of that node."""
    text = f"{UIDS}{REACHED}".replace("{}", "box1:~ # ")
    found = where("dasdp", text)
    assert found["devices"] == ["dasdp1", "GPFS file system fs1"]
    assert found["missing"] == ["down: NSD nsd2 of fs1, of which no device here is known"]
    assert where("dasdq", text)["devices"] == []


@pytest.mark.parametrize(
    ("node", "is_own"), [("box1", True), ("box1-ib", True), ("box10", False), ("box2", False)]
)
def test_a_device_of_a_server_alone_may_be_none_of_its_client(node: str, is_own: bool, where: Ask) -> None:
    """Only the servers may be listed; the cluster may call this host by another interface, or name."""
    text = f"{UIDS}{TYPED}".replace("{}", "box1:~ # ").replace("box1.example", f"{node}.example")
    use = "GPFS" if is_own else f"NSD nsd1 on dasdp1, if {node} is this host"
    assert use in " ".join(where("dasdp", text)["devices"])


def test_a_device_of_any_node_may_be_here_if_none_has_the_name_of_this_host(where: Ask) -> None:
    """It is not unused then."""
    content = f"{UIDS}{NSDS}".replace("{}", "db7:~ # ")
    for disk, node in (("dasdp", "box1"), ("dasdq", "box2")):
        assert f"NSD nsd1 on {disk}1, if {node} is this host" in where(disk, content)["devices"]


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
    """By its name, which df prints in place of a device; an NSD that is not here is told with its state."""
    text = f"{UIDS}{NSDS}".replace("{}", "box1:~ # ")
    (answer,) = where("/gpfs/fs1", text + MMLSDISK)["where"]
    lost = "down: NSD nsd2 of fs1, of which no device here is known"
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdp", lost]
    assert where("dasdp", text + MMLSDISK)["missing"] == [lost]
    (answer,) = where("/gpfs/fs1", text + MMLSDISK.replace("down ", "up   "))["where"]
    unseen = "not seen: NSD nsd2 of fs1, of which no device here is known"
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdp", unseen]


def test_the_state_of_an_nsd_is_told_where_no_device_is_known(where: Ask) -> None:
    """Of the file system that its tool lists; which disks it has here is not known."""
    (answer,) = where("/gpfs/fs1", MMLSDISK)["where"]
    assert answer["grade"] == "unknown"
    assert sorted(disk["disk"].partition(" of ")[0] for disk in answer["disks"]) == [
        "down: NSD nsd2", "not seen: NSD nsd1"
    ]  # fmt: skip
    assert any("mmlsnsd -m" in why for why in answer["lacking"])


@pytest.mark.parametrize("word", ["fs1", "nsd2", "nsd1"])
def test_a_gpfs_and_its_nsds_are_found_by_their_names(word: str, where: Ask) -> None:
    """Also an NSD whose device is one of another host."""
    found = where(word, f"{UIDS}{NSDS}".replace("{}", "box1:~ # ") + MMLSDISK)
    assert [disk["disk"] for disk in found["disks"]] == ["dasdp"] * (word != "nsd2")
    assert [mount["point"] for mount in found["mounts"]] == ["/gpfs/fs1"]


@pytest.mark.parametrize(
    ("status", "said"),
    [("ready         down", ["NSD nsd1 of fs1: down"]), ("ready         up  ", []),
     ("suspended     up  ", ["NSD nsd1 of fs1: suspended"])],
)  # fmt: skip
def test_the_state_of_an_nsd_is_told_of_its_disk(status: str, said: list[str], where: Ask) -> None:
    """And of the file system that lies there."""
    rows = MMLSDISK.replace("ready         up  ", status, 1)
    text = f"{UIDS}{NSDS}".replace("{}", "box1:~ # ") + rows
    assert where("dasdp", text).get("states", []) == said
    assert where("/gpfs/fs1", text).get("states", []) == said


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


FIELDS = """\
{}mmlsnsd -X -Y
mmlsnsd:nsd:HEADER:version:reserved:reserved:fileSystem:diskName:volumeId:serverList:deviceType:localDiskName:remarks:
mmlsnsd:nsd:0:1:::fs1:nsd1:0A00033659DD7C41:box1.example.com:dasd:%2Fdev%2Fdasdp1:server node:
mmlsnsd:nsd:0:1:::fs1:nsd1:0A00033659DD7C41:box2.example.com:dasd:/dev/dasdq1:server node:
mmlsnsd:nsd:0:1:::fs1:nsd2:0A00033659DD7C42:box2.example.com:dasd:/dev/dasdr1:server node:
{}mmlsdisk fs1 -Y
mmlsdisk::HEADER:version:reserved:reserved:nsdName:driverType:sectorSize:failureGroup:metadata:data:status:availability:
mmlsdisk::0:1:::nsd1:nsd:512:1:yes:yes:ready:down:
mmlsdisk::0:1:::nsd2:nsd:512:1:yes:yes:suspended:up:
"""


def test_rows_of_named_fields_say_what_columns_say(where: Ask) -> None:
    """The device of an NSD on this host, and its state; the values are escaped as in addresses of the web."""
    found = where("dasdp", f"{UIDS}{FIELDS}".replace("{}", "box1:~ # "))
    assert (found["devices"], found["states"]) == (
        ["dasdp1", "GPFS file system fs1"], ["NSD nsd1 of fs1: down"]
    )  # fmt: skip
    assert found["missing"] == ["suspended: NSD nsd2 of fs1, of which no device here is known"]
    assert where("dasdq", f"{UIDS}{FIELDS}".replace("{}", "box1:~ # "))["devices"] == []


KFOD = """\
box1:~ # ls -l /dev/asm*
brw-rw----. 1 grid asmadmin 94, 61 Nov 17 10:11 /dev/asm-data1
box1:~ # kfod status=TRUE disks=all
--------------------------------------------------------------------------------
 Disk          Size Header    Path                                     Disk Group   User     Group
================================================================================
   1:       7042 MB MEMBER    /dev/asm-data1                           DATA         grid     asmadmin
   2:       7042 MB CANDIDATE /dev/dasdq1                              #            grid     asmadmin
--------------------------------------------------------------------------------
ORACLE_SID ORACLE_HOME
================================================================================
     +ASM1 /u01/app/12.1.0/grid
"""
UNSAID = "\n".join(line.replace("Header    ", "").replace("MEMBER    ", "").replace("CANDIDATE ", "")
                   for line in KFOD.splitlines())  # fmt: skip
STATES = """\
box1:~ # asmcmd lsdsk -p
Group_Num  Disk_Num      Incarn  Mount_Stat  Header_Stat  Mode_Stat  State   Path
        1         0  3915911100  CACHED      MEMBER       ONLINE     NORMAL  /dev/dasdp1
        0         0  3915911101  CLOSED      FORMER       ONLINE     NORMAL  /dev/dasdq1
"""
CANDIDATES = "box1:~ # asmcmd lsdsk --candidate\nPath\n/dev/dasdq1\n"
AFD = """\
box1:~ # asmcmd afd_lsdsk
--------------------------------------------------------------------------------
Label                     Filtering   Path
================================================================================
DATA1                       ENABLED   /dev/dasdp1
"""
OF_ASM, FOUND = "disk of ASM on ", "disk that ASM finds "


@pytest.mark.parametrize(
    ("text", "used", "other"),
    [
        (KFOD, f"{OF_ASM}asm-data1", f"{FOUND}(candidate) on dasdq1"),
        (UNSAID, f"{FOUND}(perhaps in one of its groups) on asm-data1",
         f"{FOUND}(perhaps in one of its groups) on dasdq1"),
        (STATES, f"{OF_ASM}dasdp1", f"{FOUND}(former) on dasdq1"),
        (CANDIDATES, "", f"{FOUND}(candidate) on dasdq1"),
        (AFD, f"{FOUND}(perhaps in one of its groups) on dasdp1", ""),
    ],
)  # fmt: skip
def test_what_asm_finds_is_in_use_by_it_only_if_its_header_says_so(
    text: str, used: str, other: str, where: Ask
) -> None:
    """A candidate is none of its disks; without the state of the header it may be one."""
    for disk, use in (("dasdp", used), ("dasdq", other)):
        titles = [title for title in where(disk, f"{UIDS.format('# ')}{text}")["devices"] if "ASM" in title]
        assert titles == [use] * bool(use)


def test_a_state_is_no_name_of_a_disk(where: Ask) -> None:
    """Only lsdsk -k has names in its fourth column."""
    assert where("DATA1", AFD)["means"] == "block device"
    links = [row["links"] for row in facts_in(STATES).rows["layer"].values() if "links" in row]
    assert links == []


LISTING = """\
GROUP_NUMBER DISK_NUMBER NAME       PATH                          TOTAL_MB
------------ ----------- ---------- ----------------------------- --------
           1           0 DATA_0000  /dev/oracleasm/disks/DATA1        7000

GROUP_NUMBER NAME   ALLOCATION_UNIT_SIZE TYPE
------------ ------ -------------------- ------
           1 DATA                1048576 EXTERN

FILE_NAME                                     FILE_ID TABLESPACE_NAME      BYTES
------------------------------------------ ---------- --------------- ----------
+DATA/prod/datafile/users.259.1122334455            4 USERS              5242880
"""
OF_MAP = """\
box1:~ # oracleasm querydisk -p DATA1
Disk "DATA1" is a valid ASM disk
/dev/mapper/mpathd1: LABEL="DATA1" TYPE="oracleasm"
/dev/sda1: LABEL="DATA1" TYPE="oracleasm"
box1:~ # multipath -ll
mpathd (36005076303ffd4960000000000001d00) dm-3 IBM     ,2107900
size=100G features='1 queue_if_no_path' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  `- 0:0:0:1073758237 sda 8:0   active ready running
"""
BY_NUMBER = """\
box1:~ # oracleasm querydisk -d DATA1
Disk "DATA1" is a valid ASM disk on device [94,61]
"""


@pytest.mark.parametrize(
    ("text", "disk"),
    [(ASM, "dasdp"), (ASMLIB, "dasdp"), (SHOWN, "dasdp"), (BY_NUMBER, "dasdp"), (OF_MAP, "sda")],
)
def test_a_listing_names_disks_by_the_labels_that_texts_have(
    text: str, disk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What ASMLib calls /dev/oracleasm/disks/DATA1 is the disk with that label."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(f"{UIDS}{text}".replace("{}", "box1:~ # "))
    (tmp_path / "l.lst").write_text(LISTING)
    main(
        ["where", "USERS", "--from", str(tmp_path / "in"), "--listing", str(tmp_path / "l.lst"), "-f", "json"]
    )
    (answer,) = json.loads(capsys.readouterr().out)[0]["where"]
    assert [(share["disk"], share["bytes"]) for share in answer["disks"]] == [(disk, 5242880)]
