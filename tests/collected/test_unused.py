"""A disk of which texts know any use is no unused one, and what is not placed is not spread evenly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import TWO_UIDS as UIDS
from zmon.cli.main import main
from zmon.placement.items import placement_of
from zmon.session.machines import open_capture
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.placement.items import Unit

SWAPS = "box1:~ # cat /proc/swaps\nFilename Type Size Used Priority\n"
LSBLK = "box1:~ # lsblk -o NAME,FSTYPE,MOUNTPOINT\nNAME FSTYPE MOUNTPOINT\n"
ROOT = "dasdp\n`-dasdp1 ext4 /\n"
NSD = """\
box1:~ # mmlsnsd -m

 Disk name       NSD volume ID      Device          Node name or Class       Remarks
-------------------------------------------------------------------------------------------
 nsd2            0A0B0C0D5E000002   /dev/dasdq      z.corp                server node
"""


def unit_of(text: str, directory: Path) -> Unit:
    """Return LCU 1B00 of the machine that a text tells of."""
    (directory / "a.txt").write_text(text)
    (sample,) = open_capture(str(directory)).samples()
    return {unit.title: unit for unit in placement_of(Machine(sample)).units}["LCU 1B00"]


@pytest.mark.parametrize(
    "use",
    [
        f"{LSBLK}{ROOT}dasdq\n`-dasdq1 {signature}\n"
        for signature in (
            "crypto_LUKS", "oracleasm", "swap", "xfs", "LVM2_member", "linux_raid_member", "zfs_member"
        )
    ]
    + [f"{LSBLK}{ROOT}dasdq\n`-dasdq1 LVM2_member\n  `-v-l\n", f"{NSD}{LSBLK}{ROOT}dasdq\n"],
)  # fmt: skip
def test_a_disk_with_any_known_use_is_not_unused(use: str, tmp_path: Path) -> None:
    """What `where` tells of it, `spread` does not offer: not only mounts and swap in use."""
    unit = unit_of(f"{UIDS}{SWAPS}{use}", tmp_path)
    assert [unit.is_for_data, unit.doubts] == [False, ()]


def test_a_disk_of_which_no_use_is_known_may_get_files(tmp_path: Path) -> None:
    """Partitions alone are no use."""
    assert unit_of(f"{UIDS}{SWAPS}{LSBLK}{ROOT}dasdq\n`-dasdq1\n", tmp_path).is_for_data


def test_a_disk_that_a_line_names_which_was_not_understood_may_be_in_use(tmp_path: Path) -> None:
    """It is neither used nor unused, and the line is told."""
    text = f"{UIDS}{SWAPS}{LSBLK}{ROOT}dasdq\nbox1:~ # mdadm --detail /dev/md7\n   whatever /dev/dasdq1 !!\n"
    unit = unit_of(text, tmp_path)
    assert not unit.is_for_data
    assert [doubt for doubt in unit.doubts if "dasdq1" in doubt]


def test_what_is_not_placed_counts_in_the_shares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is concluded from the placed part alone, and no LCU is offered on which the others may lie."""
    (tmp_path / "texts").mkdir()
    mounts = "box1:~ # mount\n/dev/dasdp1 on /a type xfs (rw)\nnfs:/b on /b type nfs4 (rw)\n"
    (tmp_path / "texts" / "a.txt").write_text(f"{UIDS}{mounts}")
    (tmp_path / "l.csv").write_text("tablespace,path,bytes\nT1,/a/x,4096\nT1,/b/y,12288\n")
    main(["spread", str(tmp_path / "l.csv"), "--from", str(tmp_path / "texts"), "-f", "json"])
    spread = json.loads(capsys.readouterr().out)
    assert spread["all"]["share_max"] == pytest.approx(0.25)
    assert spread["what_if"].get("even_spread_over_others_too") is None
    main(["spread", str(tmp_path / "l.csv"), "--from", str(tmp_path / "texts")])
    told = capsys.readouterr().out
    assert [line.split()[1] for line in told.splitlines() if line.startswith("share")] == ["25"]
    main(["where", "T1", "-l", str(tmp_path / "l.csv"), "--from", str(tmp_path / "texts")])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[2:4] for row in rows if row[:1] in (["LCU"], ["not"])] == [["4K", "25%"], ["12K", "75%"]]


def test_a_file_on_one_of_several_disks_is_not_placed_for_that_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And not because only its path is known: its disks are."""
    (tmp_path / "texts").mkdir()
    pvs = "box1:~ # pvs\n  PV          VG Fmt  Attr PSize PFree\n"
    pvs += "".join(f"  /dev/{disk}1 wh lvm2 a--  6.80g    0\n" for disk in ("dasdp", "dasdq"))
    mount = "box1:~ # mount\n/dev/mapper/wh-load on /a type xfs (rw)\n"
    (tmp_path / "texts" / "a.txt").write_text(f"{UIDS}{pvs}{mount}")
    (tmp_path / "l.csv").write_text("tablespace,path,bytes\nT1,/a/x,4096\n")
    main(["spread", str(tmp_path / "l.csv"), "--from", str(tmp_path / "texts"), "-f", "json"])
    (row,) = json.loads(capsys.readouterr().out)["problems"]
    assert "dasdp" in row["problem"]
    assert "dasdq" in row["problem"]
