"""What texts of tools say of a disk is the same in `where` and on each screen, and names its text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Ask = Callable[..., Any]

UID = "IBM.750000000ABC11.1500.22"
UDEV = """\
box1:~ # udevadm info -e
P: /devices/css0/0.0.0005/0.0.0191/block/dasda
N: dasda
E: DEVPATH=/devices/css0/0.0.0005/0.0.0191/block/dasda
E: DEVNAME=/dev/dasda
E: DEVTYPE=disk
E: MAJOR=94
E: MINOR=0
E: SUBSYSTEM=block
E: ID_SERIAL=0X0191
"""
OF_UDEV = f"E: ID_UID={UID}\n"
ZVM = "box1:~ # lscpu\nArchitecture: s390x\nHypervisor: z/VM 7.2.0\nHypervisor vendor: IBM\n"
LPAR = "box1:~ # lscpu\nArchitecture: s390x\nHypervisor: PR/SM\nHypervisor vendor: IBM\n"
LSDASD = f"box1:~ # lsdasd -u\n0.0.0191  dasda     {UID}\n"


MULTIPATH = """\
box1:~ # multipath -ll
mpatha (3600507630affca11000000000000aa01) dm-3 IBM,2107900
size=20G features='0' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  |- 0:0:0:1 sda 8:0 active ready running
  `- 1:0:0:1 sdb 8:16 active ready running
"""


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Return a function that has zmon answer in JSON: `ask(text, "where", "dasda")`."""

    def answer(text: str, *command: str) -> Any:
        (tmp_path / "a.txt").write_text(text)
        main([*command, "--from", str(tmp_path), "-f", "json"])
        return json.loads(capsys.readouterr().out.splitlines()[0])

    return answer


@pytest.mark.parametrize(
    ("texts", "label"),
    [
        (UDEV + OF_UDEV, None),
        (UDEV + OF_UDEV + ZVM, None),
        (UDEV + OF_UDEV + LPAR, "0X0191"),
        (UDEV + LSDASD, "0X0191"),
        (UDEV + LSDASD.replace(UID, f"{UID}.000000000000d0a0"), None),
        (UDEV, None),
    ],
)
def test_a_label_is_that_of_the_volume_only_where_the_disk_is_no_minidisk(
    ask: Ask, texts: str, label: str | None
) -> None:
    """In `where`, on DEVICE and its page alike; else it is the own one of the disk."""
    (disk,) = ask(texts, "where", "dasda")[0]["disks"]
    page = ask(texts, "show", "DEVICE", "0191")["facts"]
    (row,) = ask(texts, "show", "DEVICE")["rows"]
    assert disk["label"] == "0X0191"
    assert disk["volser"] == label or label is None is not disk["volser"]["absent"]
    assert (page["label"], row["label"]) == (label, label or ">dasda")
    assert page["ownlabel"] == (None if label else "0X0191")


def test_a_label_of_which_sources_say_different_things_is_none_anywhere(ask: Ask) -> None:
    """Neither in `where` nor on DEVICE and its page, and the reason is the contradiction."""
    other = UDEV.replace("ID_SERIAL=0X0191", "ID_SERIAL=ZZ0191")
    texts = f"{UDEV}\nand this is what a colleague has sent:\n\n{other}{LSDASD}"
    told = [
        ask(texts, "where", "dasda")[0]["disks"][0]["volser"]["absent"],
        *(
            next(cell["reason"] for cell in ask(texts, "show", *screen)["absent"] if "label" in cell.values())
            for screen in (["DEVICE"], ["DEVICE", "0191"])
        ),
    ]
    assert [{"0X0191", "ZZ0191"} <= set(re.findall(r"\w+", reason)) for reason in told] == [True] * 3


@pytest.mark.parametrize(
    ("word", "texts", "sources"),
    [
        ("dasda", UDEV + OF_UDEV, {"udevadm, a.txt:2"}),
        ("dasda", UDEV + LPAR, {"udevadm, a.txt:2", "lscpu, a.txt:13"}),
        ("dasda", UDEV + LSDASD, {"udevadm, a.txt:2", "lsdasd, a.txt:12"}),
        (
            "sda",
            MULTIPATH,
            {"multipath, a.txt:2"},
        ),
    ],
)
def test_evidence_names_the_text_that_says_it(ask: Ask, word: str, texts: str, sources: set[str]) -> None:
    """No file of the kernel, of which nothing was collected."""
    (disk,) = ask(texts, "where", word)[0]["disks"]
    assert {said["source"] for said in disk["lcu_evidence"]} == sources


OTHER = (
    UDEV.replace("0191", "0192").replace("dasda", "dasdb").replace("MINOR=0", "MINOR=4").partition("\n")[2]
)
DASDVIEW = """\
box1:~ # dasdview -i /dev/dasda

--- general DASD information --------------------------------------------------
device node            : /dev/dasda
busid                  : 0.0.0191
type                   : ECKD
device type            : hex 3390  	dec 13200
"""
LSCSS = """\
box1:~ # lscss
Device   Subchan.  DevType CU Type Use  PIM PAM POM  CHPIDs
----------------------------------------------------------------------
0.0.0192 0.0.0006  3390/0c 3990/e9 yes  f0  f0  ff   40414243 00000000
0.0.0191 0.0.0005  3390/0c 3990/e9 yes  f0  70  ff   40414243 00000000
0.0.0193 0.0.0006  3390/0c 3990/e9      f0  f0  ff   40414243 00000000
0.0.5a00 0.0.0007  1732/03 1731/03 yes  80  80  ff   50000000 00000000
0.0.0600 0.0.0008  1732/01 1731/01 yes  80  80  ff   51000000 00000000
"""
LSBLK = "box1:~ # lsblk\nNAME MAJ:MIN TYPE MOUNTPOINT\ndasda 94:0 disk\nloop0 7:0 loop\n"
PLAIN_LSDASD = """\
box1:~ # lsdasd
Bus-ID    Status    Name      Device  Type         BlkSz  Size      Blocks
================================================================================
0.0.0300  active    dasdc     94:8    ECKD         4096   7043MB    1803060
0.0.0100  active    dasda     94:0    ECKD         4096   7043MB    1803060
0.0.01f0  alias                       ECKD
0.0.0200  n/f       dasdb     94:4    ECKD
0.0.0400  offline
"""


def test_a_dasd_that_is_not_formatted_is_said_to_be_that(ask: Ask) -> None:
    """In `where`, by its name or a bus id, and on IOCONF, where it is no part of a range with others."""
    told = [ask(PLAIN_LSDASD, "where", word)[0]["not_formatted"] for word in ("0200", "dasdb", "0100")]
    assert told == [["dasdb"], ["dasdb"], []]
    states = {row["devices"]: row["status"] for row in ask(PLAIN_LSDASD, "show", "IOCONF")["rows"]}
    assert (states["0200"], states["0100"], states["0400"]) == ("not formatted", "online", "offline")


@pytest.mark.parametrize(
    ("texts", "disks"),
    [
        (UDEV + OTHER + DASDVIEW, [("0.0.0191", "dasda"), ("0.0.0192", "dasdb")]),
        (UDEV + OTHER, [("0.0.0191", "dasda"), ("0.0.0192", "dasdb")]),
        (LSCSS + LSBLK, [("0.0.0191", None), ("0.0.0192", None), ("dasda", "dasda")]),
        (
            PLAIN_LSDASD,
            [("0.0.0100", "dasda"), ("0.0.01f0", None), ("0.0.0200", "dasdb"), ("0.0.0300", "dasdc")],
        ),
        (MULTIPATH, [("dm-3", "dm-3")]),
    ],
)
def test_each_disk_that_texts_name_has_a_row_and_no_adapter_has(
    ask: Ask, texts: str, disks: list[tuple[str, str | None]]
) -> None:
    """By its number, also where only its name or only its number is known; none that is offline."""
    rows = ask(texts, "show", "DEVICE")["rows"]
    assert [(row["key"], row["dasd"]) for row in rows] == disks


@pytest.mark.parametrize(
    ("texts", "word", "subject"),
    [
        (LSCSS + LSBLK, "0191", "0191 ( NAME NOT KNOWN )"),
        (MULTIPATH, "mpatha", "dm-3 ( LINUX )"),
        (MULTIPATH, "sda", "dm-3 ( LINUX )"),
        (PLAIN_LSDASD, "01f0", "01F0 ( ALIAS )"),
    ],
)
def test_a_device_whose_name_no_text_has_may_have_a_block_device(
    ask: Ask, texts: str, word: str, subject: str
) -> None:
    """Only the kernel can say that it has none; a disk without counters has its page, too."""
    assert ask(texts, "show", "DEVICE", word)["facts"]["subject"] == subject


SIZED = """\
box1:~ # dasdview -i -x /dev/dasda

--- general DASD information --------------------------------------------------
device node            : /dev/dasda
busid                  : 0.0.0191
type                   : ECKD
device type            : hex 3390  	dec 13200

--- DASD geometry -------------------------------------------------------------
number of cylinders    : hex 2721  	dec 10017
tracks per cylinder    : hex f  	dec 15
blocks per track       : hex c  	dec 12
blocksize              : hex 1000  	dec 4096
"""
LONG = """\
box1:~ # lsdasd -l
0.0.0191/dasda/94:0
  status:				active
  type: 				ECKD
  blksz:				4096
  size: 				7043MB
  blocks:				1803060

"""
PARTITIONS = "box1:~ # cat /proc/partitions\nmajor minor  #blocks  name\n\n  94        0    7212240 dasda\n"


@pytest.mark.parametrize("texts", [SIZED, LONG, UDEV + PARTITIONS])
def test_the_size_of_a_disk_is_shown_from_whatever_text_has_it(ask: Ask, texts: str) -> None:
    """Cylinders, blocks or KiB: 10,017 cylinders of 180 blocks of 4096 bytes."""
    assert ask(texts, "show", "DEVICE", "0191")["facts"]["size"] == 10017 * 180 * 4096


@pytest.mark.parametrize(("more", "shown"), [("", "0.0.0191"), (LPAR, " 0191 "), (ZVM, " 0191 ")])
def test_where_names_the_number_of_a_disk_in_any_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, shown: str
) -> None:
    """Where it is not known whether it is the real one, it is the bus id."""
    (tmp_path / "a.txt").write_text(UDEV + OF_UDEV + more)
    main(["where", "dasda", "--from", str(tmp_path)])
    assert shown in capsys.readouterr().out.splitlines()[1]


@pytest.mark.parametrize(("word", "status"), [("/ov", 0), ("/far", 1), ("/tm", 0), ("/data", 0)])
def test_a_mount_point_that_may_be_on_any_disk_is_not_found(tmp_path: Path, word: str, status: int) -> None:
    """The status is 1 where something holds it that was not read; what is on no disk is an answer."""
    (tmp_path / "a.txt").write_text(
        "box1:~ # mount\n"
        "/dev/dasda1 on /data type xfs (rw)\n"
        "/dev/mapper/vg-far on /far type xfs (rw)\n"
        "overlay on /ov type overlay (rw,lowerdir=/data/l,upperdir=/data/u,workdir=/data/w)\n"
        "tmpfs on /tm type tmpfs (rw)\n"
    )
    assert main(["where", word, "--from", str(tmp_path)]) == status


PAIRS = """\
box1:~ # lsdasd -P
Bus-ID    Role        Name      Paired devices
================================================================================
0.0.9700  primary     dasda     0.0.9740,0.0.9780
0.0.9740  secondary             0.0.9700
0.0.9780  secondary             0.0.9700
0.0.9841  secondary             0.0.9801
"""
LONG = """\
box1:~ # lsdasd -l
0.0.9740
  status:				secondary
  copy_pairs:				0.0.9700,0.0.9740,0.0.9780
"""


@pytest.mark.parametrize(
    ("texts", "busid", "pair"),
    [(PAIRS, "9700", "9700 9740 9780"), (PAIRS, "9740", "9700 9740 9780"), (PAIRS, "9841", "9801 9841"),
     (LONG, "9740", "9700 9740 9780"), (PAIRS + LONG, "9780", "9700 9740 9780")],
)  # fmt: skip
def test_the_devices_of_a_copy_pair_are_those_that_sysfs_has(
    ask: Ask, texts: str, busid: str, pair: str
) -> None:
    """The primary's first; a secondary has no disk, and is said to be one in `where` and on IOCONF."""
    names = [f"0.0.{number}" for number in pair.split()]
    if busid == names[0][-4:]:
        page = ask(texts, "show", "DEVICE", busid)["facts"]
        assert page["status"].split()[-len(names) :] == names
        assert [disk["disk"] for disk in ask(texts, "where", busid)[0]["disks"]] == ["dasda"]
        return
    device = ask(texts, "where", busid)[0]["device"]
    assert (device["status"], device["pair"]) == ("secondary", " ".join(names))
    rows = ask(texts, "show", "IOCONF")["rows"]
    assert "secondary" in {row["status"] for row in rows if row["devices"][:4] == busid}
