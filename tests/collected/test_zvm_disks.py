"""Disks of z/VM that are on no DASD: in its memory, or emulated on SCSI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Where = Callable[[str, str], Any]

_DISKS: Final = """\
box1:~ # lsdasd
0.0.0200  active    dasda     94:0    ECKD         4096   7042MB    1802880
0.0.0300  active    dasdb     94:4    FBA          512    195MB     400000
0.0.0301  active    dasdc     94:8    FBA          512    20480MB   41943040
box1:~ # vmcp q v dasd
DASD 0200 3390 LX8SYS R/W      10016 CYL ON DASD  4A10 SUBCHANNEL = 0000
DASD 0300 9336 (VDSK) R/W     400000 BLK ON DASD  VDSK SUBCHANNEL = 0005
DASD 0301 9336 EDV012 R/W   41943040 BLK ON DASD  E012 SUBCHANNEL = 0003
"""
_PATHS: Final = """\
box1:~ # vmcp q edevice e012 details
EDEV E012 TYPE FBA ATTRIBUTES 2107
  VENDOR: IBM      PRODUCT: 2107900          REVISION: .431
  BLOCKSIZE: 512   NUMBER OF BLOCKS: 41943040
  PATHS:
    FCP_DEV: 1900   WWPN: 500507630910C5C5   LUN: 401A400000000000
      CONNECTION TYPE: SWITCHED   STATUS: ONLINE
    FCP_DEV: 1940   WWPN: 500507630913C5C5   LUN: 401A400000000000
      CONNECTION TYPE: SWITCHED   STATUS: ONLINE
"""


@pytest.fixture
def where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Where:
    """Return a function that asks for a disk, in JSON, and returns its row."""

    def ask(word: str, text: str) -> Any:
        (tmp_path / "a.txt").write_text(text)
        assert main(["where", word, "--from", str(tmp_path), "-f", "json"]) == 0
        return json.loads(capsys.readouterr().out)[0]["disks"][0]

    return ask


_EQID: Final = "  EQID: 6005076309FF{}0000000000001A{}000000000000000000\n"


@pytest.mark.parametrize(("more", "grade", "conflicts"), [
    ("", "assumed", []),
    (_EQID.format("C5C5", "00"), "exact", []),
    ("  SERIAL NUMBER: 75ABC911A00\n", "exact", []),
    ("  EQID: 24681357\n", "assumed", []),
    (_EQID.format("C5C5", "00").replace("A00", "A01"), "assumed", ["volume 01"]),
    (_EQID.format("D5C5", "00"), "assumed", ["5005076309ffd5c5"]),
])  # fmt: skip
def test_an_equivalency_id_of_cp_names_storage_server_and_lss(
    more: str, grade: str, conflicts: list[str], where: Where
) -> None:
    """In the form of a DS8000's WWID, or a serial number; the ports and the LUN may contradict it."""
    disk = where("dasdc", _DISKS + _PATHS + more)
    assert (disk["lcu"], disk["lcu_grade"]) == ("LSS 1A", grade)
    assert all(told in said for told, said in zip(conflicts, disk["conflicts"], strict=True))
    assert any("24681357" in said["said"] for said in disk["lcu_evidence"]) == ("24681357" in more)


def test_a_virtual_disk_in_storage_is_on_no_lcu(where: Where) -> None:
    """It is memory of z/VM, as CP says; nobody can name a volume or an LCU of it."""
    disk = where("dasdb", _DISKS)
    assert "memory" in disk["lcu"]["absent"]
    assert "memory" in disk["rdev"]["absent"]
    assert disk["vdev"] == "0300"


def test_an_emulated_disk_is_on_the_lcu_of_its_lun(where: Where) -> None:
    """As far as CP's answer tells it, which names the paths; an assumption, as for any LUN."""
    disk = where("dasdc", f"{_DISKS}{_PATHS}")
    assert (disk["lcu"], disk["lss"], disk["ua"], disk["lcu_grade"]) == ("LSS 1A", "1A", "00", "assumed")
    said = " ".join(evidence["said"] for evidence in disk["lcu_evidence"])
    for word in ("E012", "1900", "1940", "500507630910C5C5", "500507630913C5C5", "401A400000000000"):
        assert word in said


def test_an_emulated_disk_of_another_box_names_its_lun(where: Where) -> None:
    """A LUN that is not numbered as a DS8000 does it names no LSS."""
    reason = where("dasdc", f"{_DISKS}{_PATHS}".replace("401A400000000000", "0005000000000000"))["lcu"][
        "absent"
    ]
    for word in ("E012", "0005000000000000", "500507630910C5C5"):
        assert word in reason


def test_of_an_emulated_disk_without_its_paths_the_question_is_named(where: Where) -> None:
    """QUERY EDEVICE of its real device."""
    assert "QUERY EDEVICE E012" in where("dasdc", _DISKS)["lcu"]["absent"]


def test_without_an_answer_of_cp_an_fba_disk_is_one_of_both(where: Where) -> None:
    """QUERY VIRTUAL DASD tells which."""
    assert "QUERY VIRTUAL DASD" in where("dasdc", _DISKS.partition("box1:~ # vmcp")[0])["lcu"]["absent"]


def test_where_says_it_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not that an LCU is not known of what is on none; and of what a disk is emulated on."""
    (tmp_path / "a.txt").write_text(f"{_DISKS}{_PATHS}")
    assert main(["where", "dasdb", "--from", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "LCU not known" not in said
    assert "No LCU: " in said
    assert main(["where", "dasdc", "--from", str(tmp_path)]) == 0
    assert {"500507630910C5C5", "401A400000000000"} <= set(capsys.readouterr().out.replace(",", "").split())


def test_memory_of_linux_is_on_no_lcu(where: Where) -> None:
    """A zram is no disk of a storage server."""
    rows = "zram0 251:0 0 1G 0 disk [SWAP]\n"
    text = f"box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n{rows}"
    assert "memory" in where("zram0", text)["lcu"]["absent"]


_MINIDISKS: Final = """\
box1:~ # lsdasd
0.0.0200  active    dasda     94:0    ECKD         4096   7042MB    1802880
0.0.0201  active    dasdb     94:4    ECKD         4096   7042MB    1802880
0.0.0202  active    dasdc     94:8    ECKD         4096   7042MB    1802880
"""
_UIDS: Final = """\
box1:~ # lsdasd -u
0.0.0200  dasda     IBM.750000000DXK51.8b10.05.00000001000071200000000000000000
0.0.0201  dasdb     IBM.750000000DXK51.8b10.05.00001b5800000d0c0000000000000000
0.0.0202  dasdc     IBM.750000000DXK51.8b10.06.00001b5800000d0c0000000000000000
"""
_OF_CP: Final = """\
box1:~ # vmcp q v dasd
DASD 0200 3390 LX0201 R/W      10016 CYL ON DASD  D240 SUBCHANNEL = 0000
DASD 0201 3390 LX0201 R/W      10016 CYL ON DASD  D240 SUBCHANNEL = 0001
DASD 0202 3390 LX0307 R/W      10016 CYL ON DASD  D347 SUBCHANNEL = 0002
box1:~ # vmcp q dasd details d240
D240   CUTYPE = 3990-EC, DEVTYPE = 3390-0C, VOLSER = LX0201, CYLS = 65520
     DEVICE DETAILS: CCA = 05, DDC = --
     CU DETAILS: SSID = D200, CUNUM = D200
"""


@pytest.mark.parametrize("source", [_UIDS, _OF_CP], ids=["unique ids", "answers of CP"])
def test_minidisks_of_one_volume_are_said_to_be_that(
    source: str, where: Where, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the unit address of the volume, by the token of unique ids or by CP; others are on their own."""
    assert where("dasda", f"{_MINIDISKS}{source}")["ua"] == "05"
    assert main(["where", "dasda", "--from", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "dasda and dasdb are on one volume (unit address 05)" in said
    assert main(["where", "dasdc", "--from", str(tmp_path)]) == 0
    assert "one volume" not in capsys.readouterr().out


@pytest.mark.parametrize("word", ["1900", "500507630913C5C5", "0x401a400000000000"])
def test_an_emulated_disk_is_found_by_what_its_paths_lead_over(word: str, where: Where) -> None:
    """An FCP device of CP, a port, a LUN."""
    assert where(word, _DISKS + _PATHS)["disk"] == "dasdc"


def test_a_path_of_an_emulated_disk_that_is_not_on_line_is_told(
    where: Where, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With the FCP device that it leads over."""
    where("dasdc", _DISKS + _PATHS[::-1].replace("ENILNO", "ENILFFO", 1)[::-1])
    main(["where", "dasdc", "--from", str(tmp_path)])
    assert "FCP device 1940 OFFLINE" in " ".join(capsys.readouterr().out.split())


def test_channel_paths_that_cp_has_lost_are_told_of_the_disk(
    where: Where, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """QUERY PATHS is about the real device."""
    paths = (
        "box1:~ # vmcp q paths 4a10\nDevice 4A10, Status ONLINE\n CHPIDs to Device 4A10 (PIM)  : 40 41 42\n"
        "  Physically Available (PAM)  : +  +  +\n  Online                (LPM) : +  +  -\n"
        "                Legend     + Yes - No\n"
    )
    where("dasda", _DISKS + paths)
    main(["where", "dasda", "--from", str(tmp_path)])
    assert "to 4A10: 42 (" in " ".join(capsys.readouterr().out.split())


def test_an_fcp_device_is_found_by_its_real_number(where: Where) -> None:
    """QUERY VIRTUAL FCP has that of each of the guest."""
    text = (
        "box1:~ # vmcp q v fcp\nFCP  FC00 ON FCP   1B00 CHPID 5C SUBCHANNEL = 0007\n"
        "box1:~ # lszfcp -D\n0.0.fc00/0x500507630718c5e3/0x4011401200000000 0:0:0:1074937873\n"
        "box1:~ # lsscsi\n[0:0:0:1074937873] disk IBM 2107900 .217 /dev/sda\n"
    )
    assert where("1b00", text)["disk"] == "sda"
