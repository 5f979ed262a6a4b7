"""What lies on a disk is found in any text that names it, and what was not looked at is said."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import FDASD_HEAD, REMOVED_PATHS
from tests.collected.texts import TWO_UIDS as UIDS
from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.collected.conftest import Ask

MOUNT = "box1:~ # mount\n/dev/dasdq1 on / type ext4 (rw)\n"
HEAD = "Filename Type Size Used Priority\n"
PVS = "box1:~ # pvs\n  PV         VG Fmt  Attr PSize PFree\n"
LVS = "box1:~ # lvs\n  LV   VG Attr       LSize\n  load wh -wi-ao---- 13.00g\n"
LOAD = "box1:~ # mount\n/dev/mapper/wh-load on /load type xfs (rw)\n"
BTRFS_ID = "11111111-2222-4333-8444-555555555555"
BTRFS = """\
box1:~ # btrfs filesystem show
Label: none  uuid: 11111111-2222-4333-8444-555555555555
\tTotal devices 2 FS bytes used 1.00GiB
\tdevid    1 size 6.80GiB used 2.00GiB path /dev/dasdp1
\t*** Some devices missing
"""
LSBLK = """\
box1:~ # lsblk
NAME      MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
dasdp      94:60   0  6.9G  0 disk
└─dasdp1   94:61   0    1G  0 part [SWAP]
"""


@pytest.mark.parametrize(
    "swap",
    [
        f"box1:~ # cat /proc/swaps\n{HEAD}/dev/dasdp1 partition 2000000 0 -2\n",
        f"box1:~ # swapon -s\n{HEAD}/dev/dasdp partition 2000000 0 -2\n",
        "box1:~ # swapon\nNAME TYPE SIZE USED PRIO\n/dev/dasdp1 partition 2G 0B -2\n",
        LSBLK,
    ],
)
def test_swap_that_is_known_by_a_name_is_a_use(swap: str, where: Ask) -> None:
    """The number of a DASD follows from its name, whatever text has it."""
    answer = where("dasdp", f"{UIDS}{MOUNT}{swap}")
    assert [(mount["point"], mount["fstype"]) for mount in answer["mounts"]] == [("", "swap")]


@pytest.mark.parametrize(
    ("text", "device"),
    [
        (f"{PVS}  /dev/dasdp wh lvm2 a--  6.80g    0\n", "volume group wh"),
        (f"{PVS}  /dev/dasdp1    lvm2 ---  6.80g    6.80g\n", "physical volumes"),
        (BTRFS, "btrfs 11111111-2222-4333-8444-555555555555"),
    ],
)
def test_a_member_of_a_group_is_in_use(text: str, device: str, where: Ask) -> None:
    """Whether a volume of the group is known, or it is mounted, or not."""
    assert device in ", ".join(where("dasdp", f"{UIDS}{MOUNT}{text}")["devices"])


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("", {"mounts", "swap", "physical volumes"}),
        ("\nFilesystem Size Used Avail Use% Mounted on\n/dev/dasdp1 7G 1G 6G 18% /\n", {"mounts"}),
        (f"{LOAD}box1:~ # swapon -s\n{HEAD}/dev/mapper/wh-swap partition 2000000 0 -2\n",
         {"which disks /load", "which disks the swap area"}),
        (LSBLK, {"swap files"}),
    ],
)  # fmt: skip
def test_what_was_not_looked_at_is_named(text: str, lacking: set[str], where: Ask) -> None:
    """That no use was found does not mean that none is there."""
    said = where("dasdq", UIDS + text)["not_looked_at"]
    assert {words for words in lacking if any(what.startswith(words) for what in said)} == lacking


@pytest.mark.parametrize("disk", ["dasdp", "dasdaa"])
@pytest.mark.parametrize("part", [0, 1, 3])
@pytest.mark.parametrize("listed", [UIDS, "# lsdasd\n0.0.1a01  active  DISK  94:AT  ECKD\n"])
def test_a_use_by_number_alone_is_one_of_the_dasd(listed: str, part: int, disk: str, where: Ask) -> None:
    """A DASD has four minor numbers: 94:60 is dasdp, 94:61 its first partition."""
    at = {"dasdp": 60, "dasdaa": 104}[disk]
    content = listed.replace("DISK", disk).replace("AT", str(at)).replace("dasdp", disk)
    content += f"box1:~ # dmsetup table\nwh-load: 0 14401536 linear 94:{at + part} 2048\n"
    answer = where(disk, content)
    assert [*answer["devices"]] == [f"{disk}{part}"] * bool(part) + ["wh-load"]
    (volume,) = where("wh-load", content)["where"]
    assert [found["disk"] for found in volume["disks"]] == [disk]


def test_findmnt_alone_is_a_collected_text(where: Ask) -> None:
    """It is known by its heading."""
    answer = where("dasdp", "TARGET SOURCE FSTYPE OPTIONS\n/ /dev/dasdp1 ext4 rw\n")
    assert [mount["point"] for mount in answer["mounts"]] == ["/"]


@pytest.mark.parametrize("device", ["/dev/mapper/mpathk1", "[unknown]", "/dev/sdc"])
def test_a_volume_of_a_group_with_an_unknown_member_may_be_on_that(device: str, where: Ask) -> None:
    """The disk that is known is never all of it."""
    group = f"{PVS}  /dev/dasdp1 wh lvm2 a--  6.80g    0\n  {device} wh lvm2 a--  6.80g    0\n"
    (answer,) = where("/load/x", f"{UIDS}{group}{LVS}{LOAD}")["where"]
    disks = {disk["disk"]: disk for disk in answer["disks"]}
    disks.pop("dasdp")
    ((name, other),) = disks.items()
    assert name == {"[unknown]": "missing: a physical volume of wh"}.get(device, device.rpartition("/")[2])
    assert "absent" in other["lcu"]
    assert all("absent" in disk["bytes"] for disk in answer["disks"])


def test_a_partial_volume_may_be_on_the_missing_device(where: Ask) -> None:
    """Lsblk has only those that are there; lvs says that one is not."""
    lsblk = (
        "box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\ndasdq 94:64 0 6.9G 0 disk\n"
        "dasdp 94:60 0 6.9G 0 disk\n"
        "└─dasdp1 94:61 0 1G 0 part\n  └─wh-load 252:0 0 1G 0 lvm /load\n"
    )
    for attributes, disks in (
        ("-wi-ao--p-", ["dasdp", "missing: a physical volume of wh"]),
        ("-wi-ao----", ["dasdp"]),
    ):
        lvs = f"box1:~ # lvs\n  LV   VG Attr       LSize\n  load wh {attributes} 13.00g\n"
        (answer,) = where("/load/x", f"{UIDS}{lsblk}{lvs}")["where"]
        assert [disk["disk"] for disk in answer["disks"]] == disks


def test_a_file_of_a_btrfs_with_a_missing_device_may_be_on_that(where: Ask) -> None:
    """Two devices belong to it."""
    mount = "box1:~ # mount\n/dev/dasdp1 on /bt type btrfs (rw)\n"
    (answer,) = where("/bt/x", f"{UIDS}{BTRFS}\n{mount}")["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdp", f"missing: a device of btrfs {BTRFS_ID}"]


def test_a_spread_names_the_unknown_member(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not only the LCU of the disk that is known."""
    group = f"{PVS}  /dev/dasdp1 wh lvm2 a--  6.80g    0\n  /dev/md0 wh lvm2 a--  6.80g    0\n"
    (tmp_path / "a.txt").write_text(f"{UIDS}{group}{LVS}{LOAD}")
    (tmp_path / "l.csv").write_text("tablespace,path\nT1,/load/x\n")
    main(["spread", str(tmp_path / "l.csv"), "--from", str(tmp_path), "-f", "json"])
    said = json.loads(capsys.readouterr().out)["assumptions"]
    assert any("LCU 1A00" in sentence and "md0" in sentence for sentence in said)


GONE = f"box1:~ # multipath -ll\n{REMOVED_PATHS}"


def test_a_map_without_a_usable_path_is_shown(
    where: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its lost paths count among all, in `where` and MPATH."""
    for name, paths in (("mpathk", {"sdk": "", "8:176": "removed"}),
                        ("mpathl", {"8:192": "removed", "8:208": "removed"})):  # fmt: skip
        assert {path["disk"]: path["not_used"] for path in where(name, GONE)["paths"]} == paths
    main(["show", "MPATH", "--from", str(tmp_path), "-f", "json"])
    rows = json.loads(capsys.readouterr().out.splitlines()[0])["rows"]
    assert {(row["path"], row["map"], row["left"], row["down"]) for row in rows} == {
        ("sdk", "mpathk", 1, 0), ("8:176", "mpathk", 1, 1),
        ("8:192", "mpathl", 0, 1), ("8:208", "mpathl", 0, 1),
    }  # fmt: skip
    assert {row["lcu"] for row in rows} == {"1C"}


@pytest.mark.parametrize("first", ["lsblk", "multipath"])
@pytest.mark.parametrize(
    ("members", "removed", "paths"),
    [
        ([], 1, ["removed", "sdk"]), ([], 2, ["removed", "removed", "sdk"]),
        (["sdk", "sdl"], 1, ["sdk", "sdl"]), (["sdk", "sdl", "sdm"], 2, ["sdk", "sdl", "sdm"]),
        (["sdk", "sdl"], 2, ["removed", "sdk", "sdl"]),
    ],
)  # fmt: skip
def test_a_removed_path_without_a_number_is_a_member_that_is_not_named_else(  # noqa: PLR0913, PLR0917 - fixtures
    members: list[str], removed: int, paths: list[str], first: str, where: Ask, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """It is counted once, and no number is made up for it."""
    disks = "".join(f"{name} 8:{16 * (ord(name[-1]) - 97)} 0 9G 0 disk\n└─mpathk 252:3 0 9G 0 mpath\n"
                    for name in members)  # fmt: skip
    line = "  |- #:#:#:# -   #:#   failed undef unknown\n"
    texts = {"lsblk": "# lsblk\nNAME MAJ:MIN RM SIZE RO TYPE\n" + disks, "multipath": "".join([
        "# multipath -ll\nmpathk (36005076300ffffff0000000000001c01) dm-3 IBM,2107900\n",
        "`-+- policy='service-time 0' prio=50 status=active\n",
        "  |- 0:0:0:7 sdk 8:160 active ready running\n", line * removed,
    ])}  # fmt: skip
    answer = where("mpathk", texts.pop(first) + "".join(texts.values()))
    assert sorted(path["disk"] for path in answer["paths"]) == paths
    assert '"0:1000' not in json.dumps(answer)
    main(["show", "MPATH", "--from", str(tmp_path), "-f", "json"])
    said = capsys.readouterr().out
    rows = json.loads(said.splitlines()[0])["rows"]
    assert sorted((row["path"], row["state"], row["left"]) for row in rows) == [
        (name, "active" if name == "sdk" else "removed", 1) for name in paths
    ]


def test_a_removed_path_has_the_name_that_another_text_has_for_its_number(where: Ask) -> None:
    """No contradiction: multipath names none."""
    below = "0 9G 0 disk\n└─mpathk 252:3 0 9G 0 mpath\n"
    disks = f"sdk 8:160 {below}sdl 8:176 {below}"
    lsblk = f"# lsblk\nNAME MAJ:MIN RM SIZE RO TYPE\n{disks}"
    answer = where("mpathk", GONE + lsblk)
    assert {path["disk"]: path["not_used"] for path in answer["paths"]} == {"sdk": "", "sdl": "removed"}


@pytest.mark.parametrize(
    "mounted",
    [
        "# lsblk\nNAME MAJ:MIN TYPE MOUNTPOINT\ndasdp1 94:61 part /bt\ndasdq1 94:65 part\n",
        "# findmnt -o TARGET,SOURCE\nTARGET SOURCE\n/bt /dev/dasdp1\n",
        "# mount\n/dev/dasdp1 on /bt type btrfs (rw)\n",
    ],
)
def test_a_mount_whose_type_is_not_printed_is_of_the_btrfs_that_has_its_device(
    mounted: str, where: Ask
) -> None:
    """`btrfs filesystem show` has all devices of it: each is in use, and a file may be on each."""
    show = BTRFS.replace("*** Some devices missing", "devid 2 size 6GiB used 2GiB path /dev/dasdq1")
    (answer,) = where("/bt", f"{UIDS}{show}{mounted}")["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdp", "dasdq"]
    mounts = where("dasdq", f"{UIDS}{show}{mounted}")["mounts"]
    assert [(mount["point"], mount["fstype"]) for mount in mounts] == [("/bt", "btrfs")]


BTRFS_USAGE = """\
box1:~ # btrfs fi usage{} /bt
Overall:
    Device size:\t\t  61.89GiB
    Free (estimated):\t\t  42.10GiB\t(min: 21.17GiB)

"""
OF_IDS = """\
              Data    Metadata System
Id Path       RAID0   RAID1    RAID1   Unallocated
-- ---------- ------- -------- ------- -----------
 1 /dev/dasdp1 9.00GiB 1.00GiB 8.00MiB    10.62GiB
 2 /dev/dasdq1 9.00GiB 1.00GiB 8.00MiB    10.62GiB
-- ---------- ------- -------- ------- -----------
   Total      18.00GiB 1.00GiB 8.00MiB    41.87GiB
"""
OF_KINDS = "Data,RAID0: Size:18.00GiB, Used:17.90GiB\n   /dev/dasdp1\t9.00GiB\n   /dev/dasdq1\t9.00GiB\n"


@pytest.mark.parametrize(("option", "rows"), [(" -T", OF_IDS), ("", OF_KINDS)])
def test_the_usage_of_a_btrfs_names_its_devices(option: str, rows: str, where: Ask) -> None:
    """As a table with their ids, or below each kind of data; each is in use."""
    usage = f"{UIDS}{BTRFS_USAGE.format(option)}{rows}"
    assert any("btrfs" in title for title in where("dasdq", usage)["devices"])
    (answer,) = where("/bt", f"{usage}box1:~ # mount\n/dev/dasdp1 on /bt type btrfs (rw)\n")["where"]
    assert {disk["disk"] for disk in answer["disks"]} >= {"dasdp"} | ({"dasdq"} if option else set())


def test_a_device_with_the_signature_of_a_btrfs_that_misses_one_is_in_use(where: Ask) -> None:
    """Though `btrfs filesystem show` does not name it."""
    blkid = 'box1:~ # blkid\n/dev/dasdq1: UUID="11111111-2222-4333-8444-555555555555" TYPE="btrfs"\n'
    assert any("btrfs" in title for title in where("dasdq", f"{UIDS}{BTRFS}{blkid}")["devices"])


ONE_BTRFS = """\
btrfs filesystem show
Label: none  uuid: 11111111-2222-4333-8444-555555555555
\tTotal devices 1 FS bytes used 1.00GiB
\tdevid    1 size 6.80GiB used 2.00GiB path /dev/{}
"""


@pytest.mark.parametrize("link", [
    "disk/by-path/ccw-0.0.1b02-part1", "disk/by-id/ccw-IBM.75000000AAAA1.1b00.02-part1",
])  # fmt: skip
@pytest.mark.parametrize("user", [
    "pvs\n  PV VG Fmt Attr PSize PFree\n  /dev/{} wh lvm2 a--  6.80g 0\n",
    "mount\n/dev/{} on /load type xfs (rw)\n",
    "cat /proc/swaps\nFilename Type Size Used Priority\n/dev/{} partition 9 0 -2\n",
    ONE_BTRFS,
])  # fmt: skip
def test_a_partition_is_known_by_the_links_that_udev_makes(link: str, user: str, where: Ask) -> None:
    """Of its bus id and of its unique id, whichever text names it so."""
    answer = where("dasdq", f"{UIDS}box1:~ # {user.format(link)}")
    assert answer["mounts"] or answer["devices"]


def test_a_member_whose_disk_is_not_known_may_be_on_any(where: Ask) -> None:
    """So no disk is without a use."""
    row = "/dev/mapper/mpathz wh lvm2 a--  6.80g 0"
    for member, is_open in (("", False), (f"  {row}\n", True)):
        texts = f"{UIDS}{PVS}{member}box1:~ # lsblk\n{LSBLK}"
        assert any("mpathz" in what for what in where("dasdp", texts)["not_looked_at"]) == is_open


@pytest.mark.parametrize(("swaps", "is_used", "is_open"), [
    (f"{HEAD}/dev/dasdp1 partition 9 0 -2\n", True, False),
    (f"{HEAD}/dev/dasdp1 partition 9 0 -2\n/dev/dasdq2 parti\n", True, True),
    (HEAD, False, False), ("Filename\tType\tSi", False, True), ("", False, True),
])  # fmt: skip
def test_a_copy_of_the_swap_areas_is_read_line_by_line(
    swaps: str, is_used: bool, is_open: bool, tmp_path: Path, where: Ask
) -> None:
    """One line that is damaged takes no other with it, and without a heading nothing is known."""
    for path, content in (("swaps", swaps), ("self/mountinfo", "22 1 94:9 / / rw - ext4 /dev/dasdc1 rw\n")):
        copy = tmp_path / "D" / "proc" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(content)
    answer = where("dasdp", UIDS)
    assert [mount["point"] for mount in answer["mounts"]] == [""] * is_used
    assert any("swaps" in what for what in answer["not_looked_at"]) == is_open


def test_a_line_that_is_not_understood_may_be_a_nearer_mount(where: Ask) -> None:
    """The reason is the first that is named."""
    mounts = "/dev/dasdp1 / ext4 rw,relatime 0 0\n/dev/dasdq1 /srv\n"
    (answer,) = where("/srv/x", f"{UIDS}box1:~ # cat /proc/mounts\n{mounts}")["where"]
    assert "(line 6)" in answer["lacking"][0]


def test_a_volume_of_which_only_the_group_is_known_is_perhaps_on_a_disk(where: Ask) -> None:
    """What is mounted by a name of the group is a volume of it, though no text has its volumes."""
    groups = f"{PVS}  /dev/dasdp1 wh lvm2 a--  6.80g    0\n  /dev/dasdq1 wh lvm2 a--  6.80g    0\n"
    for volumes in ("", LVS):
        texts = f"{UIDS}{groups}{volumes}{LOAD}"
        (mount,) = where("dasdp", texts)["mounts"]
        assert (mount["point"], mount["whole"], mount["perhaps"]) == ("/load", False, True)
        (answer,) = where("/load/x", texts)["where"]
        assert {disk["disk"] for disk in answer["disks"]} == {"dasdp", "dasdq"}


def test_files_of_a_listing_are_spread_by_their_mounts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A listing has their bytes, and what is on one disk is on that wherever it lies."""
    (tmp_path / "texts").mkdir()
    mounts = "box1:~ # mount\n/dev/dasdp1 on /a type xfs (rw)\n/dev/dasdq1 on /b type xfs (rw)\n"
    (tmp_path / "texts" / "a.txt").write_text(f"{UIDS}{mounts}")
    (tmp_path / "l.csv").write_text("tablespace,path,bytes\nT1,/a/x,4096\nT1,/b/y,8192\n")
    main(["spread", str(tmp_path / "l.csv"), "--from", str(tmp_path / "texts"), "-f", "json"])
    spread = json.loads(capsys.readouterr().out)
    assert {unit["name"]: unit["load"] for unit in spread["units"]} == {"LCU 1A00": 4096, "LCU 1B00": 8192}


def test_a_file_on_whichever_disks_of_one_lcu_has_its_size_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Above the table of files as in it, and as spread counts it."""
    uids = UIDS.replace("1b00", "1a00")
    volumes = "".join(f"dasd{d} 94:{n} 6G disk\n`-dasd{d}1 94:{n + 1} 6G part\n  `-vg-lv 253:0 12G lvm /a\n"
                      for d, n in (("p", 60), ("q", 64)))  # fmt: skip
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text(
        f"{uids}box1:~ # lsblk\nNAME MAJ:MIN SIZE TYPE MOUNTPOINT\n{volumes}"
    )
    (tmp_path / "l.csv").write_text("tablespace,path,bytes\nT1,/a/x,4096\nT1,/a/y,8192\n")
    main(["where", "T1", "-l", str(tmp_path / "l.csv"), "--from", str(tmp_path / "texts")])
    said = capsys.readouterr().out
    assert re.search(r"LCU 1A00 +12K +100%", said)
    assert "some?" not in said


@pytest.mark.parametrize("tool", ["lsblk", "mount"])
def test_a_disk_that_was_changed_meanwhile_is_on_neither(tool: str, where: Ask) -> None:
    """Two outputs of one tool that say otherwise name each other, and no disk has the mount for certain."""
    rows = {
        "lsblk": "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n{0} 94:{1} 0 6.9G 0 disk /load\n",
        "mount": "/dev/{0} on /load type xfs (rw)\n",
    }[tool]
    texts = "\nand this is what a colleague has sent:\n\n".join(
        f"box1:~ # {tool}\n{rows.format(disk, number)}" for disk, number in (("dasdp", 60), ("dasdq", 64))
    )
    (answer,) = where("/load/x", f"{UIDS}{texts}")["where"]
    assert (answer["grade"], answer["disks"]) == ("unknown", [])
    for disk in ("dasdp", "dasdq"):
        said = where(disk, f"{UIDS}{texts}")
        assert not said["mounts"]
        assert any("/load" in what and "dasdp" in what and "dasdq" in what for what in said["not_looked_at"])


def test_a_file_system_of_unknown_type_may_be_on_more_disks(where: Ask) -> None:
    """As a btrfs of several is, of which lsblk shows one."""
    for rows, is_open in (("", True), ("box1:~ # mount\n/dev/dasdp1 on /load type xfs (rw)\n", False)):
        devices = "dasdp 94:60 0 6.9G 0 disk\n└─dasdp1 94:61 0 6.9G 0 part /load\n"
        lsblk = f"box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n{devices}"
        texts = f"{UIDS}{lsblk}{rows}"
        unseen = where("dasdq", texts)["not_looked_at"]
        assert any(what.startswith("further devices of file systems") for what in unseen) == is_open
        (answer,) = where("/load/x", texts)["where"]
        assert any("btrfs" in why for why in answer["lacking"]) == is_open


ROOT_VOLUME = """\
h:~ # lsblk -f
NAME          FSTYPE      LABEL UUID                                   MOUNTPOINT
sda
├─sda1        xfs               7a3b0b1e-8f3e-4e4f-8c8d-0a4b6c2d1e11   /boot
└─sda2        LVM2_member       3Fh1Yq-2Zxs-fF0r-1KJ0-c5XH-0fVn-Mxy2Fq
  ├─rhel-root xfs               9e1b7c4d-62f7-4d6a-9b6d-8a4ae1cc0aa2   /
  └─rhel-swap swap              c5d2b9be-3c2a-45a4-a3d4-8f0c1f6b9b33   [SWAP]
h:~ # swapon --show
NAME      TYPE      SIZE USED PRIO
/dev/dm-1 partition   2G   0B   -2
h:~ # cat /proc/self/mountinfo
22 1 253:0 / / rw,relatime shared:1 - xfs /dev/mapper/rhel-root rw,seclabel
"""


def test_numbers_of_volumes_that_lsblk_knows_by_name_are_learnt(where: Ask) -> None:
    """Of a file system by mountinfo, of swap if it is the only area that each of two texts has alone."""
    answer = where("sda", ROOT_VOLUME)
    assert {(mount["point"], mount["device"]) for mount in answer["mounts"]} == {
        ("/", "rhel-root"),
        ("", "rhel-swap"),
    }


BOUND = """\
box1:~ # mount
/dev/dasdq1 on / type ext4 (rw)
/dev/dasdp1 on /srv type xfs (rw)
/srv/data on /mnt type none (rw,bind)
/mnt/deep on /opt/deep type none (rw,bind)
/mnt on /mnt type none (rw,bind)
/etc on /jail/etc type none (rw,rbind)
none on /sys type none (rw)
"""


@pytest.mark.parametrize(
    ("path", "disk", "root"),
    [("/mnt/x", "dasdp", "/data"), ("/opt/deep/x", "dasdp", "/data/deep"), ("/jail/etc/x", "dasdq", "/etc")],
)
def test_a_directory_that_is_mounted_again_is_on_the_disk_of_its_own_mount(
    path: str, disk: str, root: str, where: Ask
) -> None:
    """As mount and /etc/mtab have it from before mountinfo: `type none`, the directory as its source."""
    (answer,) = where(path, f"{UIDS}{BOUND}")["where"]
    assert [volume["disk"] for volume in answer["disks"]] == [disk]
    assert root in answer["steps"][0]["what"].replace(",", " ").split()
    assert {mount["point"] for mount in where("dasdp", f"{UIDS}{BOUND}")["mounts"]} == {
        "/srv", "/mnt", "/opt/deep",
    }  # fmt: skip


NAMED = """\
box1:~ # mount
/dev/mapper/wh-load on /load type xfs (rw)
/dev/wh/old on /old type xfs (rw)
/dev/md7 on /md type xfs (rw)
/dev/loop3 on /loop type iso9660 (ro)
/dev/dm-5 on /dm type xfs (rw)
box1:~ # swapon -s
Filename Type Size Used Priority
/dev/mapper/wh-swap partition 2000000 0 -2
"""


@pytest.mark.parametrize(
    ("words", "mounts"),
    [
        (("wh-load", "wh/load", "/dev/wh/load", "/dev/mapper/wh-load"), ["/load"]),
        (("wh-old", "wh/old", "/dev/wh/old", "/dev/mapper/wh-old"), ["/old"]),
        (("md7", "/dev/md7", "9:7"), ["/md"]),
        (("loop3", "/dev/loop3", "7:3"), ["/loop"]),
        (("dm-5", "/dev/dm-5"), ["/dm"]),
        (("wh-swap", "wh/swap", "/dev/wh/swap"), [""]),
    ],
)
def test_a_device_that_a_use_alone_names_is_an_answer_by_each_of_its_names(
    words: Sequence[str], mounts: list[str], where: Ask
) -> None:
    """Downwards to no known disk: of another disk the mount is among what was not looked at."""
    for word in words:
        answer = where(word, f"{UIDS}{NAMED}")
        assert [mount["point"] for mount in answer["mounts"]] == mounts, word
    lacking = " ".join(where("dasdq", f"{UIDS}{NAMED}")["not_looked_at"])
    assert {"/load", "/old", "/md", "/dm"} < {*lacking.split()}


@pytest.mark.parametrize(
    "name",
    ["dasd/1a01/part2", "dasd/0.0.1a01/part2", "disk/by-path/ccw-0.0.1a01-part2",
     "disk/by-id/ccw-IBM.75000000AAAA1.1a00.01-part2"],
)  # fmt: skip
@pytest.mark.parametrize(
    "text",
    ["box1:~ # mount\n/dev/{} on /a type ext3 (rw)\n",
     f"box1:~ # swapon -s\n{HEAD}/dev/{{}} partition 2000000 0 -2\n",
     f"{PVS}  /dev/{{}} wh lvm2 a-- 6.8g 0\n"],
)  # fmt: skip
def test_a_use_names_a_dasd_by_any_of_its_names(text: str, name: str, where: Ask) -> None:
    """By its number, its place or its unique id, as devfs and udev have them."""
    text = text.format(name)
    answer = where("dasdp", f"{UIDS}{text}")
    assert "dasdp2" in {*answer["devices"]}
    assert bool(answer["mounts"]) == ("pvs" not in text)
    assert [disk["disk"] for disk in where(f"/dev/{name}", f"{UIDS}{text}")["disks"]] == ["dasdp"]


def test_a_volume_group_is_looked_up_by_its_name(where: Ask) -> None:
    """Its members are those that pvs lists, and with them their LCUs; so is a DASD by its unique id."""
    text = (
        f"$ lsdasd -u\nBus-ID    Name      UID\n{'=' * 78}\n"
        "0.0.1a00  dasda     IBM.75000000AAAA1.1a00.00\n0.0.1a01  dasdb     IBM.75000000AAAA1.1b00.01\n"
        "$ pvs\n  PV          VG     Fmt  Attr PSize  PFree\n"
        "  /dev/dasda1 vgdata lvm2 a--   6.00g     0\n  /dev/dasdb1 vgdata lvm2 a--   6.00g 1.00g\n"
    )
    group = where("vgdata", text)
    assert [disk["lcu"] for disk in group["disks"]] == ["LCU 1A00", "LCU 1B00"]
    assert group["devices"] == []
    assert [disk["disk"] for disk in where("IBM.75000000AAAA1.1b00.01", text)["disks"]] == ["dasdb"]


VGS = "box1:~ # vgs\n  VG  #PV #LV #SN Attr   VSize VFree\n  wh    2   1   0 wz-pn- 13.0g    0\n"
IMAGES = """\
box1:~ # lvs -a -o+devices
  LV              VG Attr       LSize  Devices
  load            wh rwi-aor-p- 10.00g load_rimage_0(0),load_rimage_1(0)
  [load_rimage_0] wh iwi-aor--- 10.00g /dev/dasdp1(1)
  [load_rimage_1] wh Iwi-aor-p- 10.00g [unknown](1)
"""


@pytest.mark.parametrize(
    "member", [VGS, "", "  WARNING: VG wh is missing PV 3mQvIJ (last written to /dev/dasdc1).\n"]
)
def test_a_group_that_lacks_a_physical_volume_is_not_whole(member: str, where: Ask) -> None:
    """Whether pvs, vgs or a warning of lvm tells it; with the device where it was last."""
    lost = "" if member else "  [unknown]   wh lvm2 a-m  6.80g    0\n"
    pvs = f"{PVS}{'' if member == VGS else member}  /dev/dasdp1 wh lvm2 a--  6.80g    0\n{lost}"
    answer = where("wh", f"{UIDS}{pvs}{VGS if member == VGS else ''}{LVS}{LOAD}")
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdp"]
    (title,) = answer["missing"]
    assert title.startswith("missing: ")
    assert " of wh" in title
    assert ("/dev/dasdc1" in title) is ("WARNING" in member)


def test_a_part_on_a_missing_physical_volume_is_on_no_other(where: Ask) -> None:
    """Its device is printed: it is the one that is not found."""
    pvs = f"{PVS}  /dev/dasdp1 wh lvm2 a--  6.80g    0\n  [unknown]   wh lvm2 a-m  6.80g    0\n"
    devices = where("dasdp", f"{UIDS}{pvs}{IMAGES}{LOAD}")["devices"]
    assert [device for device in devices if "rimage" in device] == ["wh-load_rimage_0"]


def test_a_mount_of_a_partition_is_no_volume_of_physical_volumes_without_a_group(where: Ask) -> None:
    """A source that is not in /dev/mapper has no group, and is in none."""
    mount = "box1:~ # mount\n/dev/dasdq2 on / type ext4 (rw)\n"
    pvs = f"{PVS}  /dev/dasdp1    lvm2 ---  6.80g    6.80g\n"
    answer = where("dasdp", f"{UIDS}{mount}{pvs}")
    assert "/dev/dasdq2" not in answer["devices"]
    assert not answer["mounts"]


@pytest.mark.parametrize("word", ["mpathk", "dm-4", "/dev/mapper/mpathk"])
@pytest.mark.parametrize("is_first", [False, True])
def test_a_map_that_a_kernel_name_has_is_one_with_that(word: str, is_first: bool, where: Ask) -> None:
    """The name of dm-4 is the map that is mounted, though no text lists the devices of either."""
    names = (
        "box1:~ # grep . /sys/block/dm-4/dm/name /sys/block/dm-4/dm/uuid\n"
        "/sys/block/dm-4/dm/name:mpathk\n/sys/block/dm-4/dm/uuid:mpath-3600507630bffc3d80000000000007705\n"
    )
    mount = "box1:~ # cat /proc/mounts\n/dev/mapper/mpathk /u01 ext4 rw 0 0\n"
    answer = where(word, names + mount if is_first else mount + names)
    assert [mount["point"] for mount in answer["mounts"]] == ["/u01"]
    assert [disk["lss"] for disk in answer["disks"]] == ["77"]


@pytest.mark.parametrize(
    ("swap", "size"),
    [(f"box1:~ # cat /proc/swaps\n{HEAD}/swap.img file 2097152 0 -2\n", 2 << 30),
     ("box1:~ # swapon --show\nNAME      TYPE SIZE USED PRIO\n/swap.img file   2G   0B   -2\n", 2 << 30)],
)  # fmt: skip
def test_a_swap_file_in_use_was_seen(
    swap: str, size: int, where: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It lies on the device of its file system, which is not itself what is swapped to."""
    (answer,) = where("/swap.img", f"{UIDS}{MOUNT}{swap}")["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdq"]
    assert main(["where", "/swap.img", "--from", str(tmp_path)]) == 0
    capsys.readouterr()
    assert answer["size"] == size
    mounts = where("dasdq", f"{UIDS}{MOUNT}{swap}")["mounts"]
    assert [(mount["point"], mount.get("swap_file")) for mount in mounts] == [("/", None), ("", "/swap.img")]


def test_the_paths_that_a_file_has_lost_are_told_with_it(where: Ask) -> None:
    """As with its disk: those of each map below it that multipath does not use, and why."""
    mounts = (
        "box1:~ # mount\n/dev/mapper/mpathk on /k type xfs (rw)\n/dev/mapper/mpathl on /l type xfs (rw)\n"
    )
    lost = {point: where(point, f"{GONE}{mounts}")["lost_paths"] for point in ("/k", "/l")}
    assert lost["/k"] == {"mpathk": {"8:176": "removed"}}
    assert {*lost["/l"]["mpathl"].values()} == {"removed"}
    assert len(lost["/l"]["mpathl"]) == 2
    whole = "mpathk (36005076300ffffff0000000000001c01) dm-3 IBM,2107900\n"
    whole += "  |- 0:0:0:7 sdk 8:160 active ready running\n"
    assert "lost_paths" not in where("/k", f"box1:~ # multipath -ll\n{whole}{mounts}")


def test_a_file_system_on_a_loop_device_is_no_btrfs_of_several(where: Ask) -> None:
    """A snap's type is not printed by lsblk, and no other device may be one of it."""
    rows = "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS\nloop0 7:0 0 63M 1 loop /snap/core20/1\n"
    lsblk = f"box1:~ # lsblk\n{rows}dasdp 94:60 0 6.9G 0 disk\n└─dasdp1 94:61 0 6.9G 0 part /\n"
    unseen = [
        said
        for said in where("dasdp", f"{UIDS}{lsblk}")["not_looked_at"]
        if said.startswith("further devices")
    ]
    assert len(unseen) == 1
    assert "/snap" not in unseen[0]
    assert " more, " not in unseen[0]


FDASD = f"{FDASD_HEAD}          /dev/dasdp1          2   450764   450763    1  Linux swap\n"


def test_what_a_partition_is_made_for_is_told_once(
    where: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its name stands with that, and not beside it."""
    table = f"box1:~ # fdasd -p /dev/dasdp\n{FDASD}"
    assert where("dasdp", f"{UIDS}{table}")["devices"] == ["dasdp1", "dasdp1 (made to be a swap area)"]
    main(["where", "dasdp", "--from", str(tmp_path)])
    (made,) = [line for line in capsys.readouterr().out.splitlines() if "Made of it" in line]
    assert made.count("dasdp1") == 1


def test_rivals_are_named_in_plain_words(where: Ask) -> None:
    """What stands for a device that may be there is no name; the rest is as open as a group."""
    lists = "".join(
        f"box1:~ # lvs -o lv_name,vg_name,devices{option}\n  LV   VG Devices\n  load wh /dev/{disk}1(0)\n"
        for option, disk in (("", "dasdp"), (" wh", "dasdq"))
    )
    answer = where("dasdp", f"{UIDS}{lists}{LOAD}")
    (mount,) = answer["mounts"]
    assert (mount["point"], mount["perhaps"]) == ("/load", True)
    said = next(what for what in answer["not_looked_at"] if "contradict" in what)
    assert "dasdp1 by lvs" in said.replace(" or more", "")
    assert "not seen" not in said


def test_a_mount_below_multipath_is_no_path(where: Ask) -> None:
    """Without a prompt or an empty line between them, as people copy."""
    topology = (
        "mpatha (36005076303ffc5620000000000001000) dm-0 IBM,2107900\n"
        "size=10G features='0' hwhandler='0' wp=rw\n`-+- policy='service-time 0' prio=0 status=active\n"
        "  `- 0:0:0:1073758224 sda 8:0  active ready running\n"
    )
    answer = where("mpatha", f"{topology}/dev/mapper/mpatha on /db type xfs (rw,relatime)\n")
    assert [mount["point"] for mount in answer["mounts"]] == ["/db"]


def test_paths_that_are_gone_are_counted_not_named(where: Ask) -> None:
    """They have no names."""
    gone = (
        "box1:~ # multipath -ll\nmpatha (36005076303ffc5620000000000001000) dm-0 IBM,2107900\n"
        "size=10G features='0' hwhandler='0' wp=rw\n`-+- policy='service-time 0' prio=0 status=active\n"
        "  |- 0:0:0:1073758224 sda 8:0  active ready running\n"
        "  |- #:#:#:# -   #:#  failed undef unknown\n  `- #:#:#:# -   #:#  failed undef unknown\n"
        "box1:~ # mount\n/dev/mapper/mpatha on /a type xfs (rw)\n"
    )
    (answer,) = where("/a", gone)["where"]
    assert [step["what"] for step in answer["steps"]][1] == "one disk over 3 paths: sda, 2 removed"


DF = "{0}df\nFilesystem 1K-blocks Used Available Use% Mounted on\n{1} 9 5 4 60% /load\n"
TREE = "{0}lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n{1} 94:{2} 0 6.9G 0 disk {3}\n"
BOTH = (
    DF.format("box1:~ # ", "/dev/dasdp"),
    f"{TREE.format('box1:~ # ', 'dasdp', 60, '')}dasdq 94:64 0 6.9G 0 disk /load\n",
)
"""What two tools say of one mount point."""
CHANGE = "box1:~ # umount /load\nbox1:~ # mount /dev/{} /load\n"


@pytest.mark.parametrize("texts", [BOTH, BOTH[::-1]], ids=["df first", "lsblk first"])
def test_two_tools_that_contradict_each_other_leave_a_mount_open(texts: tuple[str, str], where: Ask) -> None:
    """None ranks above the other: both are named, on the mount and on either disk."""
    (answer,) = where("/load/x", UIDS + "".join(texts))["where"]
    assert (answer["grade"], answer["disks"]) == ("unknown", [])
    for disk in ("dasdp", "dasdq"):
        said = where(disk, UIDS + "".join(texts))
        assert not said["mounts"]
        assert re.search("/load.* /dev/dasd[pq] by .* /dev/dasd[pq] by ", said["not_looked_at"][0])


@pytest.mark.parametrize(
    ("texts", "disk"),
    [
        (f"{BOTH[0]}{CHANGE.format('dasdq')}{BOTH[1]}", "dasdq"),
        (f"{BOTH[1]}{CHANGE.format('dasdp')}{BOTH[0]}", "dasdp"),
        (f"{BOTH[1]}box1:~ # umount /load; mount /dev/dasdp /load\n{BOTH[0]}", "dasdp"),
    ],
)
def test_what_was_mounted_last_in_a_session_counts(texts: str, disk: str, where: Ask) -> None:
    """A command between two outputs shows that the mount was changed: the earlier one is no rival."""
    (answer,) = where("/load/x", f"{UIDS}{texts}")["where"]
    assert [share["disk"] for share in answer["disks"]][:1] == [disk]


def test_what_was_unmounted_is_mounted_no_more(where: Ask) -> None:
    """If a later list lacks it; without one it is open."""
    texts = f"{UIDS}{BOTH[0]}box1:~ # umount /dev/dasdp\n"
    (answer,) = where("/load", texts)["where"]
    assert answer["grade"] == "unknown"
    assert not answer["disks"]
    later = f"{texts}{BOTH[1].replace('/load', '')}"
    assert not where("dasdp", later)["mounts"]
    assert "/load" not in str(where("dasdp", later)["not_looked_at"])


@pytest.mark.parametrize("printed", ["", '  Physical volume "/dev/dasdp" successfully created.\n'])
def test_what_a_command_printed_is_no_remark_of_a_person(printed: str, where: Ask) -> None:
    """Behind umount, other commands may say something in words: the mount that was there is open."""
    (answer,) = where(
        "/load",
        f"{UIDS}{BOTH[0]}box1:~ # pvcreate /dev/dasdp\n{printed}box1:~ # umount /load\n",
    )["where"]
    assert (answer["grade"], answer["disks"]) == ("unknown", [])


@pytest.mark.parametrize(
    ("source", "other"), [("/dev/root", "dasdp"), ("/dev/disk/by-path/ccw-0.0.1a01", "dasdp")]
)
def test_two_names_that_may_be_of_one_device_are_no_contradiction(
    source: str, other: str, where: Ask
) -> None:
    """What is known of one of them counts."""
    texts = (DF.format("", source), TREE.format("", other, 60, "/load"))
    (answer,) = where("/load/x", UIDS + "".join(texts))["where"]
    assert answer["disks"][0]["disk"] == other


def test_a_device_that_a_row_names_is_found(where: Ask) -> None:
    """Also if what that row says was true earlier only."""
    said = where("dasdp", f"{BOTH[0]}{CHANGE.format('dasdq')}{BOTH[1].replace('dasdp', 'dasdr')}")
    assert not said["mounts"]


def test_a_tree_whose_blanks_are_lost_denies_no_other_text(where: Ask) -> None:
    """Of a volume whose line hangs on none it knows nothing; lvs has what it is on."""
    tree = (
        "box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\ndasdp 94:60 0 6.9G 0 disk\n"
        "└─dasdp1 94:61 0 6.9G 0 part\n└─wh-load 253:0 0 6G 0 lvm /load\n"
    )
    devices = "box1:~ # lvs -o +devices\nLV VG Attr LSize Devices\nload wh -wi-ao---- 6.00g /dev/dasdp1(0)\n"
    for text in (tree + devices, devices + tree):
        (answer,) = where("/load/x", f"{UIDS}{text}{LOAD}")["where"]
        assert [disk["disk"] for disk in answer["disks"]] == ["dasdp"]


def test_a_member_that_is_missing_is_told_of_the_others(where: Ask) -> None:
    """Whoever asks for a disk of a group sees that the group is not whole."""
    assert where("dasdp", BTRFS)["missing"] == [f"missing: a device of btrfs {BTRFS_ID}"]


def test_the_devices_of_a_mounted_btrfs_are_those_of_its_usage(where: Ask) -> None:
    """Each has the mount, and one that is missing is one of them."""
    usage = "".join(
        f"{device}, ID: {number}\n   Device size:   6.40GiB\n   Device slack:   3.00KiB\n"
        f"   Data,single:   4.01GiB\n   Unallocated:   1.87GiB\n\n"
        for number, device in ((1, "/dev/dasdp1"), (2, "/dev/dasdq1"), (3, "missing"))
    )
    text = f"{UIDS}box1:~ # btrfs device usage /\n{usage}box1:~ # mount\n/dev/dasdp1 on / type btrfs (rw)\n"
    (answer,) = where("/x", text)["where"]
    assert {disk["disk"] for disk in answer["disks"]} == {"dasdp", "dasdq", "missing: devid 3 of btrfs /"}
    assert [mount["point"] for mount in where("dasdq", text)["mounts"]] == ["/"]
    for label, said in (("'my pool'", "my pool"), ("none", BTRFS_ID)):
        shown = (
            f"box1:~ # btrfs filesystem show\nLabel: {label}  uuid: {BTRFS_ID}\n"
            "\tTotal devices 3 FS bytes used 4.1GiB\n"
            "\tdevid    1 size 6.88GiB used 3.01GiB path /dev/dasdp1\n"
            "\tdevid    2 size 6.88GiB used 3.01GiB path /dev/dasdq1\n\t*** Some devices missing\n\n"
        )
        for texts in (shown + text, text + shown):
            (answer,) = where("/x", texts)["where"]
            assert {disk["disk"] for disk in answer["disks"]} == {
                "dasdp", "dasdq", f"missing: devid 3 of btrfs {said}"
            }  # fmt: skip


def test_two_tools_with_other_disks_of_a_volume_contradict_each_other(where: Ask) -> None:
    """None is taken in silence: both are named, and neither disk looks free."""
    tree = (
        "box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\ndasdp 94:60 0 6.9G 0 disk\n"
        "└─dasdp1 94:61 0 6.9G 0 part\n  └─wh-load 253:0 0 6G 0 lvm /load\n"
        "dasdq 94:64 0 6.9G 0 disk\n└─dasdq1 94:65 0 6.9G 0 part\n"
    )
    devices = "box1:~ # lvs -o +devices\nLV VG Attr LSize Devices\nload wh -wi-ao---- 6.00g /dev/dasdq1(0)\n"
    for disk in ("dasdp", "dasdq"):
        said = where(disk, f"{UIDS}{tree}{devices}")
        assert [(mount["point"], mount["perhaps"]) for mount in said["mounts"]] == [("/load", True)]
        assert any("dasdp1" in what and "dasdq1" in what for what in said["not_looked_at"])


@pytest.mark.parametrize("command", ["grep load /etc/mtab", "cat /etc/mtab"])
def test_the_table_of_mounts_is_a_list_of_them(command: str, where: Ask) -> None:
    """It is the kernel's, or kept by mount."""
    text = f"{UIDS}box1:~ # {command}\n/dev/dasdq1 /load xfs rw 0 0\n"
    assert [mount["point"] for mount in where("dasdq", text)["mounts"]] == ["/load"]


def test_two_lists_of_swap_that_contradict_each_other_are_both_told(where: Ask) -> None:
    """A disk that one of them names is not free, and the text is named."""
    text = f"{LSBLK}box1:~ # swapon\nNAME TYPE SIZE USED PRIO\n/dev/dasdq1 partition 2G 0B -2\n"
    assert [mount["fstype"] for mount in where("dasdq", text)["mounts"]] == ["swap"]
    said = where("dasdp", text)
    assert not said["mounts"]
    assert any("by lsblk, a.txt:" in title for title in said["devices"])


_AREA: Final = "                               partition\t2097144\t0\t-1\n"


@pytest.mark.parametrize(
    ("area", "named"),
    [
        ("dm-1", "ls -l /dev/mapper\nlrwxrwxrwx. 1 root root      7 Mar 17 08:00 vg0-swap -> ../dm-1\n"),
        ("mapper/vg0-swap", "true\n"),
        ("dm-1", "dmsetup ls\nvg0-swap\t(253:1)\n"),
    ],
)
def test_swap_on_a_volume_is_on_the_disks_of_its_group(where: Ask, area: str, named: str) -> None:
    """As a mount is, whatever text has the name of the volume."""
    text = (
        f"box1:~ # swapon -s\nFilename\t\tType\t\tSize\tUsed\tPriority\n/dev/{area}{_AREA}box1:~ # {named}"
        "box1:~ # pvs\nPV          VG   Fmt  Attr PSize  PFree\n/dev/dasdc1 vg0  lvm2 a--   6.87g 4.87g\n"
    )
    assert [mount["fstype"] for mount in where("dasdc", text)["mounts"]] == ["swap"]


def test_a_failed_path_is_told_though_its_map_may_have_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a list that was filtered, too."""
    text = (
        "box1:~ # multipath -ll | egrep -v policy\n"
        "mpathe (36005076303ffd4960000000000001e00) dm-4 IBM,2107900\n"
        "size=100G features='1 queue_if_no_path' hwhandler='0' wp=rw\n"
        "  |- 0:0:0:1073758238 sdb 8:16  active ready running\n"
        "  `- 0:0:1:1073758238 sdj 8:144 failed faulty running\n"
    )
    (tmp_path / "a.txt").write_text(text)
    main(["where", "sdj", "--from", str(tmp_path)])
    assert "path not used: failed" in capsys.readouterr().out


def test_a_contradiction_about_a_disk_is_told_first(where: Ask) -> None:
    """Before lines that name it and were not understood: two lists have other disks for a file system."""
    text = (
        f"{UIDS}box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n"
        "0.0.0202  active    dasdp     94:60    ECKD\n"
        "dasdp 94:60 0 6.9G 0 disk\n└─dasdp1 94:61 0 6.9G 0 part\ndasdq 94:64 0 6.9G 0 disk\n"
        "└─dasdq1 94:65 0 6.9G 0 part /data\n"
        "box1:~ # df -h\nFilesystem      Size  Used Avail Use% Mounted on\n"
        "/dev/dasdp1     6.8G  1.0G  5.5G  16% /data\n"
    )
    for disk in ("dasdp", "dasdq"):
        first = where(disk, text)["not_looked_at"][0]
        assert "dasdp1" in first
        assert "dasdq1" in first
