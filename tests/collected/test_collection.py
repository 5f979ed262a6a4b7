"""Machines that were collected as texts answer as others do."""

from __future__ import annotations

import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

import pytest

from tests.collected.texts import (
    DMSETUP_TABLE,
    LSBLK,
    LSDASD,
    LSDASD_LONG,
    LSDASD_PATHS,
    LSDASD_UID,
    MULTIPATH,
)
from zmon.base.absent import Absent
from zmon.cli.main import main
from zmon.kinds import BLOCK, DASD, DEVICE, LAYER, MACHINE, MOUNT, NOT_COLLECTED, ORIGIN, SWAP
from zmon.session.machines import open_capture

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.sample import Sample

MOUNTS = """\
/dev/dasda2 / ext4 rw 0 0
/dev/mapper/db2vg-data /db2/d\\04001 xfs rw,noatime 0 0
/dev/dasda1 /b btrfs rw,subvol=/@ 0 0
"""
MOUNT_TEXT = "/dev/dasda2 on / type ext4 (rw)\n/dev/mapper/db2vg-data on /db2/d 01 type xfs (rw,noatime)\n"
LISTED = "db2vg-data\t(253:0)\ndb2vg-swap\t(253:1)\n"
VM = (
    "DASD 7101 3390 DB7101 R/W      32759 CYL ON DASD  8101 SUBCHANNEL = 0001\n"
    "DASD 7102 3390 DB7201 R/W      32759 CYL ON DASD  8201 SUBCHANNEL = 0002\n"
)
LSCPU = "Architecture:          s390x\nMachine type:          3931\nHypervisor:            z/VM 7.3.0\n"
SYSINFO = """\
Manufacturer:         IBM
Type:                 3931
VM00 Name:            LNXDB01
VM00 Control Program: z/VM    7.3.0
"""
BTRFS = """\
Label: none  uuid: 6b5c2d1e-0000-4000-8000-00000000beef
\tTotal devices 2 FS bytes used 1.00GiB
\tdevid    1 size 1.00GiB used 1.00GiB path /dev/dasda1
\tdevid    2 size 1.00GiB used 1.00GiB path /dev/dasda2
"""


def supportconfig() -> dict[str, str]:
    """Return the members of an archive of supportconfig."""

    def text(*entries: tuple[str, str]) -> str:
        heads = ("Configuration File" if name.startswith("/proc") else "Command" for name, _ in entries)
        both = zip(heads, entries, strict=True)
        return "".join(f"#==[ {head} ]====#\n# {name}\n{body}\n\n" for head, (name, body) in both)

    return {
        "scc_a/fs-diskio.txt": text(
            ("/usr/bin/lsblk", LSBLK), ("/proc/mounts", MOUNTS), ("/sbin/lsdasd -a", LSDASD),
            ("/sbin/lsdasd --long", LSDASD_LONG), ("/sbin/btrfs filesystem show", BTRFS),
        ),
        "scc_a/lvm.txt": text(("/sbin/dmsetup table", DMSETUP_TABLE), ("/sbin/dmsetup ls", LISTED)),
        "scc_a/env.txt": text(("/sbin/vmcp query virtual all", VM)),
        "scc_a/hardware.txt": text(("/usr/bin/lscpu", LSCPU)),
    }  # fmt: skip


def dbginfo() -> dict[str, str]:
    """Return the members of an archive of dbginfo.sh."""

    def text(*entries: tuple[str, str]) -> str:
        return "".join(f"{'#' * 55}\nlnxdb01> {name}\n{body}\n" for name, body in entries)

    return {
        "DBGINFO-a/proc/mounts": MOUNTS,
        "DBGINFO-a/proc/sysinfo": SYSINFO,
        "DBGINFO-a/proc/swaps": "Filename Type Size Used Priority\n/dev/mapper/db2vg-swap partition 9 0 -2\n",
        "DBGINFO-a/runtime.out": text(
            ("lsblk", LSBLK), ("lsdasd", LSDASD), ("lsdasd -u", LSDASD_UID), ("dmsetup ls", LISTED),
            ("dmsetup table", DMSETUP_TABLE), ("btrfs filesystem show", BTRFS),
        ),
        "DBGINFO-a/zvm_runtime.out": text(("vmcp -b 4k q v dasd", VM)),
    }  # fmt: skip


def sos() -> dict[str, str]:
    """Return the members of an archive of sos."""
    return {
        "sosreport-a/proc/mounts": MOUNTS,
        "sosreport-a/proc/sysinfo": SYSINFO,
        "sosreport-a/sos_commands/s390/lsdasd": LSDASD,
        "sosreport-a/sos_commands/s390/lsdasd_-u": LSDASD_UID,
        "sosreport-a/sos_commands/block/lsblk": LSBLK,
        "sosreport-a/sos_commands/devicemapper/dmsetup_ls_--tree": LISTED,
        "sosreport-a/sos_commands/devicemapper/dmsetup_table": DMSETUP_TABLE,
        "sosreport-a/sos_commands/zvm/vmcp_q_v_dasd": VM,
        "sosreport-a/sos_commands/btrfs/btrfs_filesystem_show": BTRFS,
    }


def pasted() -> dict[str, str]:
    """Return the members of an archive of what a person copied."""
    outputs = (
        ("lsdasd -u", LSDASD_UID), ("lsdasd", LSDASD), ("lsblk", LSBLK), ("mount", MOUNT_TEXT),
        ("dmsetup table", DMSETUP_TABLE), ("lscpu", LSCPU), ("btrfs filesystem show", BTRFS),
    )  # fmt: skip
    return {"a.txt": "".join(f"lnxdb01:~ # {name}\n{body}" for name, body in outputs), "cp.log": VM}


COLLECTIONS = {"supportconfig": supportconfig, "dbginfo": dbginfo, "sos": sos, "pasted": pasted}


def packed(path: Path, members: dict[str, str]) -> str:
    """Write an archive and return its path."""
    with tarfile.open(path, "w:xz") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content.encode()), 1_773_738_000
            tar.addfile(member, io.BytesIO(content.encode()))
    return str(path)


def sample(path: str) -> Sample:
    """Return the one sample of a collection."""
    found = open_capture(path)
    (one,) = found.samples()
    return one


@pytest.mark.parametrize("name", COLLECTIONS)
def test_where_finds_the_disks_and_lcus_of_a_path(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each collection leads from the path through the volume to real devices, with shares of bytes."""
    path = packed(tmp_path / "a", COLLECTIONS[name]())
    assert main(["where", "/db2/d 01", "--from", path, "-f", "json", "-e"]) == 0
    document = capsys.readouterr().out
    assert json.loads(document)
    for word in ("dasdb", "dasdc", "8101", "8201", "DB7101", "IBM.750000000ABCD1.7100"):
        assert word in document
    assert "/sys/bus/ccw" not in document  # no such file was read
    assert "lsdasd, " in document


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_collection_has_rows_as_kernel_files_would_give_them(name: str, tmp_path: Path) -> None:
    """What no text has is absent, and kinds without rows say what is missing."""
    found = sample(packed(tmp_path / "a", COLLECTIONS[name]()))
    assert found.at.utc == 1_773_738_000 * 10**9
    assert found.frame(MACHINE).cell("machine", "environment") == "zvm"
    assert found.frame(DEVICE).cell("0.0.7101", "online") == 1
    assert found.frame(DASD).cell("0.0.7101", "block_size") == 4096
    assert found.frame(LAYER).cell("253:0", "below") == "94:5 94:9"
    assert "db2vg-data" in found.frame(LAYER).column("mapped")
    assert "linear 94:5" in str(found.frame(LAYER).cell("253:0", "table"))
    assert "lsdasd" in str(found.frame(ORIGIN).cell("layer 94:4", "texts"))
    missing = found.frame(BLOCK).missing
    assert missing is not None
    assert (missing.code, missing.facts[0].split(",")[0]) == (NOT_COLLECTED.code, "/proc/diskstats")


def test_a_btrfs_is_on_all_devices_that_btrfs_lists(tmp_path: Path) -> None:
    """Its subvolume is the root of the mount."""
    mounts = sample(packed(tmp_path / "a", dbginfo())).frame(MOUNT)
    key = mounts.keys[[*mounts.column("point")].index("/b")]
    assert mounts.cell(key, "devices") == "1=94:1 2=94:2"
    assert mounts.cell(key, "root") == "/@"
    assert str(mounts.cell(key, "number")).startswith("0:")


def test_a_btrfs_below_mountinfo_is_on_all_devices_that_btrfs_lists(tmp_path: Path) -> None:
    """Files of the kernel name one of them: a text says which else; without one the others stay open."""
    mountinfo = "30 1 0:41 / /b rw - btrfs /dev/dasda1 rw\n31 1 94:2 / /c rw - ext4 /dev/dasda2 rw\n"
    members = sos() | {"sosreport-a/proc/self/mountinfo": mountinfo}
    mounts = sample(packed(tmp_path / "a", members)).frame(MOUNT)
    assert mounts.keys == ["30", "31"]
    assert mounts.cell("30", "devices") == "1=94:1 2=94:2"
    assert isinstance(mounts.cell("31", "devices"), Absent)
    del members["sosreport-a/sos_commands/btrfs/btrfs_filesystem_show"]
    alone = sample(packed(tmp_path / "b", members)).frame(MOUNT)
    assert alone.cell("30", "devices") == "?1=94:1 ?0=mapped:btrfs"


def test_proc_mounts_answers_where_mountinfo_is_missing(tmp_path: Path) -> None:
    """Also in a capture without any text; names are unescaped."""
    members = {"proc/mounts": MOUNTS, "proc/partitions": "major minor  #blocks  name\n\n 94 2 9 dasda2\n"}
    mounts = sample(packed(tmp_path / "a", members)).frame(MOUNT)
    assert mounts.column("point") == ["/", "/db2/d 01", "/b"]
    assert mounts.cell("1", "number") == "94:2"
    assert mounts.cell("1", "line") == "proc/mounts:1"


def test_contradictions_are_shown_with_both_sources(tmp_path: Path) -> None:
    """The uid of lsdasd -u and that of lsdasd -l differ: the LCU stays open."""
    other = LSDASD_LONG.replace("7100.01", "7300.01")
    found = sample(packed(tmp_path / "a", {"a.txt": LSDASD_UID, "b.txt": other}))
    uid = found.frame(DEVICE).cell("0.0.7101", "uid")
    assert isinstance(uid, Absent)
    assert "7100.01" in uid.reason
    assert "7300.01" in uid.reason
    assert "a.txt" in uid.reason
    assert "b.txt" in uid.reason


def test_a_swap_area_is_found_on_its_disk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The disk is not said to be unused."""
    path = packed(tmp_path / "a", dbginfo())
    assert sample(path).frame(SWAP).keys == ["/dev/mapper/db2vg-swap"]
    assert main(["where", "dasdc", "--from", path]) == 0
    assert "swap" in capsys.readouterr().out


def test_a_diagnosis_says_that_one_sample_has_no_load(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what answers instead."""
    assert main(["diagnose", "--from", packed(tmp_path / "a", sos())]) == 1
    assert "only one sample" in capsys.readouterr().err
    assert main(["check", "--from", packed(tmp_path / "a", sos())]) == 0


def directory(path: Path, members: dict[str, str]) -> str:
    """Write texts into a directory and return its path."""
    for name, content in members.items():
        (path / name).write_text(content)
    return str(path)


UIDS = "0.0.7001  dasdb  IBM.75000000012345.7000.01\n0.0.7100  dasdc  IBM.75000000012345.7100.00\n"
DEFAULT_PAIRS = (
    'NAME="dasdb" MAJ:MIN="94:4" RM="0" SIZE="22.5G" RO="0" TYPE="disk" MOUNTPOINTS=""\n'
    'NAME="dasdb1" MAJ:MIN="94:5" RM="0" SIZE="22.5G" RO="0" TYPE="part" MOUNTPOINTS="/db2/data"\n'
)
DEFAULT_TREE = """\
NAME     MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
dasdb     94:4    0 22.5G  0 disk
`-dasdb1  94:5    0 22.5G  0 part /db2/data
"""
DEFAULT_JSON = json.dumps({"blockdevices": [{
    "name": "dasdb", "maj:min": "94:4", "type": "disk", "mountpoints": [None], "children": [
        {"name": "dasdb1", "maj:min": "94:5", "type": "part", "mountpoints": ["/db2/data"]}],
}]}, indent=3)  # fmt: skip
ONE_MOUNT = "/dev/dasdb1 on /db2/data type xfs (rw,relatime)\n"


@pytest.mark.parametrize(
    "members",
    [
        {"lsblk.txt": DEFAULT_PAIRS, "mount.txt": ONE_MOUNT},
        {"lsblk.txt": DEFAULT_PAIRS},
        {"lsblk.txt": DEFAULT_TREE},
        {"lsblk.txt": DEFAULT_JSON},
        {"mount.txt": ONE_MOUNT},
    ],
    ids=["pairs and mount", "pairs", "tree", "json", "mount"],
)
def test_a_mounted_partition_leads_to_its_dasd(
    members: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the default columns of lsblk in each form, or from the name in a list of mounts."""
    path = directory(tmp_path, {"lsdasd.txt": UIDS, **members})
    assert main(["where", "7001", "--from", path]) == 0
    assert "/db2/data" in capsys.readouterr().out
    assert main(["where", "/db2/data/x", "--from", path]) == 1  # no text has the file itself
    said = capsys.readouterr().out
    assert "dasdb  bus id 0.0.7001  rdev ....  label ....  LCU 7000" in said
    assert said.startswith("/db2/data/x  assumed")
    assert "()" not in said


PLAIN_LSDASD = "0.0.7001  active    dasdb     94:4    ECKD         4096   21129MB   5409180\n"


@pytest.mark.parametrize("more", [{}, {"lsdasd.txt": PLAIN_LSDASD}], ids=["lsblk alone", "lsdasd without -u"])
def test_what_would_name_the_lcu_of_a_dasd_is_said(
    more: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is the unique id, whatever else is not known: a DASD is always a device of the channel subsystem."""
    path = directory(tmp_path, {"lsblk.txt": DEFAULT_TREE, **more})
    assert main(["where", "dasdb", "--from", path]) == 0
    assert "LCU not known: not collected: lsdasd -u" in capsys.readouterr().out
    assert main(["show", "CTLUNIT", "--from", path]) == 0
    assert "Nothing to show: not collected: lsdasd -u" in capsys.readouterr().out


DS8000_MAP = """\
mpatha (36005076303ffc1ae0000000000008101) dm-3 IBM,2107900
size=10G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  |- 0:0:0:1 sda 8:0   active ready running
  `- 1:0:0:1 sdb 8:16  active ready running
"""


@pytest.mark.parametrize(
    "word", ["mpatha", "/dev/mapper/mpatha", "dm-3", "36005076303FFC1AE0000000000008101", "LSS 81", "sdb"]
)
def test_multipath_alone_tells_the_lss_of_a_disk(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its WWID names it, whatever the disk is called, though no text has the number of dm-3 or a WWPN."""
    path = directory(tmp_path, {"multipath.txt": DS8000_MAP})
    assert main(["where", word, "--from", path]) == 0
    said = capsys.readouterr().out
    assert "LSS 81 (assumed)" in said
    assert "dm:3" not in said


def test_multipath_alone_fills_the_lss_of_mpath(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same rows as `where` finds."""
    path = directory(tmp_path, {"multipath.txt": DS8000_MAP})
    assert main(["show", "MPATH", "--from", path, "-f", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row["lcu"] for row in shown["rows"]] == ["81", "81"]


def test_a_device_that_no_text_numbers_takes_the_number_that_another_gives(tmp_path: Path) -> None:
    """The output of lsblk has one multipath device, `multipath -ll` two; major number is the same."""
    lsblk = "sdc 8:32 0 10G 0 disk\n`-mpathb 253:4 0 10G 0 mpath\n"
    lsblk = f"NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n{lsblk}"
    second = DS8000_MAP.replace("mpatha", "mpathb").replace("8101", "8102").replace("dm-3", "dm-4")
    second = second.replace("sda 8:0 ", "sdc 8:32").replace("sdb 8:16", "sdd 8:48")
    members = {"lsblk.txt": lsblk, "multipath.txt": DS8000_MAP + second}
    found = sample(directory(tmp_path, members)).frame(LAYER)
    assert found.cell("253:3", "mapped") == "mpatha"
    assert found.cell("253:4", "mapped") == "mpathb"


def test_a_number_means_devices_of_all_subchannel_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an LPAR the real number of one is 7000, of the other 17000; whoever types 7000 may mean both."""
    uids = "0.0.7000  dasda  IBM.75000000012345.7000.00\n0.1.7000  dasdb  IBM.75000000012345.7100.00\n"
    levels = "LPAR Number: 1\nLPAR Name: LP1\n"
    path = directory(tmp_path, {"lsdasd.txt": uids})
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/sysinfo").write_text(f"Manufacturer: IBM\nType: 8561\n{levels}")
    assert main(["where", "7000", "--from", path]) == 0
    said = capsys.readouterr().out
    assert "dasda" in said
    assert "dasdb  rdev 17000" in said
    assert main(["where", "17000", "--from", path]) == 0
    said = capsys.readouterr().out
    assert "dasdb" in said
    assert "dasda" not in said


LVM = """\
  PV          VG     Fmt  Attr PSize  PFree
  /dev/dasdb1 db2vg  lvm2 a--  22.49g    0
  /dev/dasdc1 db2vg  lvm2 a--  22.49g    0
  LV   VG    Attr       LSize  Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert
  data db2vg -wi-ao---- 44.98g
"""


def test_pvs_and_lvs_alone_tell_the_disks_of_a_volume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither prints a number, and no lsblk has one: the disks and their LCUs are known by their names."""
    mount = "/dev/mapper/db2vg-data on /db2/d01 type ext4 (rw,relatime)\n"
    path = directory(tmp_path, {"lvm.txt": LVM, "mount.txt": mount, "lsdasd.txt": UIDS})
    assert main(["where", "/db2/d01", "--from", path]) == 0
    said = capsys.readouterr().out
    assert "LCU 7000" in said
    assert "LCU 7100" in said
    assert main(["where", "7001", "--from", path]) == 0
    assert "/db2/d01" in capsys.readouterr().out


def test_json_of_lsblk_alone_is_a_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is known by its content, whatever the name of its file."""
    assert main(["where", "/db2/data", "--from", directory(tmp_path, {"a": DEFAULT_JSON})]) == 0
    assert "dasdb" in capsys.readouterr().out


def test_a_uid_alone_does_not_make_an_alias_a_base(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line without a name says nothing of what the device is; the other output says that it is an alias."""
    plain = "0.0.7001  active  dasdb  94:4  ECKD  4096  7043MB  1803060\n0.0.71f0  alias  ECKD\n"
    path = directory(tmp_path, {"a": plain, "b": "0.0.71f0  IBM.75000000012345.7000.f0\n"})
    assert sample(path).frame(DEVICE).cell("0.0.71f0", "alias") == 1
    assert main(["show", "IOCONF", "--from", path]) == 0
    (line,) = [row for row in capsys.readouterr().out.splitlines() if row.startswith(" 71F0")]
    assert "PAV" in line
    assert "base" not in line


@pytest.mark.parametrize(("uid", "role"), [("", "alias"), (".f0", "PAV"), (".xx", "HPAV")])
def test_the_kind_of_an_alias_follows_from_its_uid_alone(
    uid: str, role: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Plain lsdasd says only that it is an alias."""
    uids = f"0.0.71f0  alias  IBM.75000000012345.7000{uid}\n" if uid else ""
    path = directory(tmp_path, {"lsdasd.txt": f"{PLAIN_LSDASD}0.0.71f0  alias  ECKD\n{uids}"})
    main(["show", "IOCONF", "--from", path, "-f", "json"])
    rows = json.loads(capsys.readouterr().out.splitlines()[0])["rows"]
    assert [row["role"] for row in rows if row["devices"] == "71F0"] == [role]


@pytest.mark.parametrize(("uid", "is_volumes"), [("lsdasd", True), ("udevadm", False), ("", False)])
def test_the_label_of_a_guest_of_zvm_is_the_volumes_only_where_no_minidisk_can_be(
    uid: str, is_volumes: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The unique id of lsdasd would have the token of a minidisk, that of udev never has."""
    record = (
        "P: /devices/css0/0.0.021d/0.0.7001/block/dasdb\nE: SUBSYSTEM=block\nE: MAJOR=94\nE: MINOR=4\n"
        "E: DEVTYPE=disk\nE: ID_SERIAL=0X7001\n"
    )
    texts = {"lscpu.txt": LSCPU, "udev.txt": record}
    if uid == "lsdasd":
        texts["lsdasd.txt"] = UIDS
    elif uid:
        texts["udev.txt"] += "E: ID_UID=IBM.75000000012345.7000.01\n"
    main(["where", "dasdb", "--from", directory(tmp_path, texts), "-f", "json"])
    ((disk,),) = (found["disks"] for found in json.loads(capsys.readouterr().out))
    assert disk["label"] == "0X7001"
    assert (disk["volser"] == "0X7001") is is_volumes


def test_installed_paths_that_are_not_in_use_are_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In `where`, IOCONF, DEVICE, its page and CHECK, with the reason that lsdasd -l has."""
    path = directory(tmp_path, {"lsdasd.txt": LSDASD_PATHS})
    main(["where", "dasdp", "--from", path, "-f", "json"])
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["disks"][0]["chpids"], found["disks"][0]["lost_chpids"]) == ("60 61 62 63 64", "62 63 64")
    assert [*found["why_lost"]] == ["62", "64", "63"]

    def shown(*words: str) -> dict[str, Any]:
        main([*words, "--from", path, "-f", "json"])
        document: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[0])
        return document

    device, unit = (shown("show", screen)["rows"][0] for screen in ("DEVICE", "IOCONF"))
    assert (device["paths"], unit["paths"], unit["lost"]) == (2, 2, 3)
    main(["show", "DEVICE", "1a01", "--from", path])
    page = capsys.readouterr().out.splitlines()
    (states,) = (line.partition(":")[2].split() for line in page if "Channel path status" in line)
    assert states == ["ON", "ON", "CUIR", "ERROR", "CABLE"]
    main(["check", "--from", path])
    (judged,) = (line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("H1 "))
    assert "62-64" in judged


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("cuir_quiesced", "CUIR"), ("error_threshold_exceeded", "ERROR"), ("", "LOST"),
        ("invalid_hpf_characteristics", "HPF"), ("non_preferred", "NPREF"),
    ],
)  # fmt: skip
def test_a_disk_on_line_without_a_path_in_use_has_lost_all(
    reason: str, state: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In `where`, IOCONF, CTLUNIT, the page of the device and CHECK, whether a reason is there or not."""
    head = "0.0.1a01/dasdp/94:60\n  status:\tactive\n"
    path = directory(tmp_path, {"lsdasd.txt": head + _paths({reason: "60 61 62 63"})})

    def shown(*words: str) -> Any:
        main([*words, "--from", path, "-f", "json"])
        return json.loads(capsys.readouterr().out.splitlines()[0])

    assert shown("where", "dasdp")[0]["disks"][0]["lost_chpids"] == "60 61 62 63"
    assert shown("show", "IOCONF")["rows"][0]["lost"] == 4
    main(["show", "CTLUNIT", "1a00", "--from", path])
    assert "lost 60-63" in capsys.readouterr().out
    main(["show", "DEVICE", "1a01", "--from", path])
    page = capsys.readouterr().out.splitlines()
    (states,) = (line.partition(":")[2].split() for line in page if "Channel path status" in line)
    assert states == [state] * 4
    main(["check", "--from", path])
    (judged,) = (line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("H1 "))
    assert "60-63" in judged


def test_a_disk_that_is_offline_has_lost_no_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has none in use."""
    text = f"lnx:~ # lsdasd -a -l\n0.0.1a01\n  status:\toffline\n{_paths({})}"
    main(["show", "IOCONF", "--from", directory(tmp_path, {"lsdasd.txt": text}), "-f", "json"])
    (unit,) = json.loads(capsys.readouterr().out.splitlines()[0])["rows"]
    assert unit["lost"] is None


def _paths(reasons: dict[str, str]) -> str:
    listed = {"installed": "60 61 62 63", "in_use": "", "cuir_quiesced": "", "error_threshold_exceeded": ""}
    lines = (f"  paths_{name}: \t\t{paths}\n" for name, paths in {**listed, **reasons}.items() if name)
    return "".join(["  uid:  \tIBM.75000000AAAA1.1a00.01\n", *lines])


def test_the_states_of_paths_are_not_their_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where only the installed ones are known."""
    path = directory(tmp_path, {"lsdasd.txt": LSDASD_LONG})
    main(["show", "DEVICE", "7101", "--from", path])
    page = capsys.readouterr().out.splitlines()
    (states,) = (line.partition(":")[2].split() for line in page if "Channel path status" in line)
    assert states == ["...."]


def test_overview_promises_no_second_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Texts are one sample, and no other comes."""
    assert main(["show", "OVERVIEW", "--from", directory(tmp_path, {"a": UIDS})]) == 0
    said = capsys.readouterr().out
    assert "only one sample" in said
    assert "next one" not in said


def test_lszfcp_tells_where_the_paths_of_multipath_lead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adapter, channel path and port of each; one that is asked for has its own. A feature queues I/O.

    A file on the disk may use the channel paths of all of them.
    """
    path = directory(tmp_path, {
        "multipath.txt": MULTIPATH,
        "mount.txt": "/dev/mapper/mpatha on /fcp type xfs (rw)\n",
        "lszfcp.txt": "[root@lnx01 ~]# lszfcp -D\n"
        "0.0.fc00/0x500507630300c1ae/0x4081400000000000 0:0:0:1\n"
        "0.0.fd00/0x500507630310c1ae/0x4081400000000000 1:0:0:1\n"
        "0.0.fd00/0x500507630313c1ae/0x4081400000000000 1:0:1:1\n",
        "lscss.txt": "0.0.fc00 0.0.0003  1732/03 1731/03 yes  80  80  ff   60000000 00000000\n"
        "0.0.fd00 0.0.0004  1732/03 1731/03 yes  80  80  ff   61000000 00000000\n",
    })  # fmt: skip
    assert main(["show", "MPATH", "--from", path, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out.splitlines()[0])["rows"]
    assert {
        tuple(row[name] for name in ("path", "adapter", "chpids", "port", "queueing")) for row in rows
    } == {
        ("sda", "0.0.fc00", "60", "0x500507630300c1ae", "on"),
        ("sdb", "0.0.fd00", "61", "0x500507630310c1ae", "on"),
        ("sdc", "0.0.fd00", "61", "0x500507630313c1ae", "on"),
    }
    assert main(["where", "sdb", "--from", path]) == 0
    printed = capsys.readouterr().out
    assert "WWPN 0x500507630310c1ae" in printed
    assert "WWPN 0x500507630300c1ae" not in printed
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["where", "/fcp/file", "--from", path]) == 1  # no text has the file itself
    assert "CHPIDs 60 61" in capsys.readouterr().out
