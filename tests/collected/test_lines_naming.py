"""A line that names a disk and was not understood, or not read, is named in the answer for the disk."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask

LSDASD = """\
box1:~ # lsdasd
0.0.0202  active  dasdc  94:8   ECKD  4096  2347MB  601020
0.0.0203  active  dasdd  94:12  ECKD  4096  2347MB  601020
"""
BLKID = 'box1:~ # blkid\n/dev/dasdc1: UUID="9a3b0b1e-8f3e-4e4f-8c8d-0a4b6c2d1e13" TYPE="swap"\n'


@pytest.mark.parametrize(("more", "line"), [
    ("box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE\ndasdc1 linux_raid_member\n", 6),
    ("box1:~ # cat /etc/fstab\n# /dev/dasdc2\n/dev/dasdc1 /backup xfs noauto 0 0\n", 6),
    ("box1:~ # cat /etc/crypttab\nsecure /dev/dasdc1 none luks\n", 5),
    (f"{BLKID}box1:~ # cat /etc/fstab\nUUID=9a3b0b1e-8f3e-4e4f-8c8d-0a4b6c2d1e13 swap swap noauto 0 0\n", 7),
    ("box1:~ # mkfs.xfs /dev/dasdc1\n", 4),
    ("box1:~ # virsh vol-list disks\n Name Path\n vdb    /dev/disk/by-path/ccw-0.0.0202\n", 6),
])  # fmt: skip
def test_a_line_that_was_not_read_is_named_for_its_disk(more: str, line: int, where: Ask) -> None:
    """By a partition, tag or bus id of the disk; a comment names nothing, and no other disk has the line."""
    open_of = {disk: where(disk, LSDASD + more)["not_looked_at"] for disk in ("dasdc", "dasdd")}
    assert [sum(f"a.txt:{line}," in what for what in uses) for uses in open_of.values()] == [1, 0]
    assert any("KVM" in what for what in open_of["dasdd"]) == ("virsh" in more)


@pytest.mark.parametrize(("more", "word", "what"), [
    ("box1:~ # mkfs.xfs /dev/dasdx1\n", "dasdx", "not read"),
    ("box1:~ # lszfcp -P\n0.0.1900/0x500507630910d430 rport-0:0-0\n", "0x500507630910d430", "that zmon uses"),
    ("box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE\ndasdx1 linux_raid_member\n", "/dev/dasdx1", "understood"),
])  # fmt: skip
def test_a_device_that_a_line_alone_names_is_not_just_unknown(
    more: str, word: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks for it is told that line; another name is not found."""
    (tmp_path / "a.txt").write_text(LSDASD + more)
    assert main(["where", word, "dasdy", "--from", str(tmp_path)]) == 1
    said, other = (line for line in capsys.readouterr().err.split("\n") if "not found" in line)
    assert "a.txt:" in said
    assert what in said
    assert "a.txt" not in other


@pytest.mark.parametrize(("more", "word", "lines"), [
    ("", "601020", {2: "was understood", 3: "was understood"}),
    ("box1:~ # dasdinfo -a -b dasdc\nIBM.750000000FDL71.5200.02\n", "LCU 5200", {5: "not read"}),
    ("box1:~ # mmfsd of gpfs01\nall well with gpfs01\nno gpfs011\n", "/dev/gpfs01", {4: "read", 5: "read"}),
    ("the unit 4022400600000000 was planned\n", "0x4022400600000000", {4: "understood"}),
    ("the unit 0x4022400600000000 was planned\n", "4022400600000000", {4: "understood"}),
    ("Q PAV 8AFE\nDevice 8AFE has no form\n", "8afe", {4: "", 5: ""}),
    ("vmcp q pav\n" + "no form for 7610\n" * 5 + "none for 7615\n", "7615", {10: "may not have been"}),
    ("box1:~ # fdasd -p\n" + "  volume serial .: DB5002\n" * 5, "db5002", {5: "", 6: "", 7: "2 more"}),
])  # fmt: skip
def test_a_name_that_any_line_holds_is_answered_with_the_line(
    more: str, word: str, lines: dict[int, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a whole word at most three lines are named, with what became of them; a part of a word is none."""
    (tmp_path / "a.txt").write_text(LSDASD + more)
    main(["where", word, "--from", str(tmp_path)])
    said = "".join(line for line in capsys.readouterr().err.split("\n") if "not found" in line)
    assert [int(line) for line in re.findall(r"a\.txt:([0-9]+)", said)] == [*lines]
    assert all(what in said for what in lines.values())


def test_a_logical_volume_is_found_without_its_group(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its name alone; of several groups that have one of this name each is an answer."""
    (tmp_path / "a.txt").write_text(
        f"{LSDASD}box1:~ # lvs -o vg_name,lv_name,devices\n  VG   LV    Devices\n"
        "  vga  lvone /dev/dasdc(0)\n  vga  lvtwo /dev/dasdc(9)\n  vgb  lvtwo /dev/dasdd(0)\n"
    )
    assert main(["where", "lvone", "lvtwo", "--from", str(tmp_path), "-f", "json"]) == 0
    found = [
        (one["word"], [disk["disk"] for disk in one["disks"]]) for one in json.loads(capsys.readouterr().out)
    ]
    assert found == [("lvone", ["dasdc"]), ("lvtwo", ["dasdc"]), ("lvtwo", ["dasdd"])]


def test_a_name_that_only_a_text_that_was_left_out_has_is_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of another host, or of an earlier time."""
    (tmp_path / "a.txt").write_text(f"{LSDASD}{LSDASD}box2:~ # lsblk\nNAME MAJ:MIN TYPE\nsdq 65:0 disk\n")
    assert main(["where", "sdq", "--from", str(tmp_path)]) == 1
    assert "a.txt:9, which is of no output" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "data"), [
    ("notes.cfg", b"# all disks\nVOLUME DB7777\n"),
    ("LNX1.DIRECT", "USER X\nMDISK 1 DB7777\n".encode("utf-16")),
    ("deep/er/readme.md", b"\n\xff DB7777 is new\n"),
])  # fmt: skip
def test_a_name_in_a_file_that_is_not_read_is_answered(
    name: str, data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside texts that are; a file that is no text has no lines."""
    (tmp_path / "a.txt").write_text(LSDASD)
    (tmp_path / "b.bin").write_bytes(b"\0 DB7777 DB8888\n")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(data)
    assert main(["where", "db7777", "DB8888", "--from", str(tmp_path)]) == 1
    said, other = (line for line in capsys.readouterr().err.split("\n") if "not found" in line)
    assert f"{name}:2" in said
    assert "b.bin" not in said + other
