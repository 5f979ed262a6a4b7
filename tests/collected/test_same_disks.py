"""One disk over several paths that multipath does not join: uses of one are uses of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.cli.main import main
from zmon.topology.lun import box_of_port

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask

SCSI = """\
box1:~ # lsscsi
[0:0:0:1073823776]disk IBM 2107900 .431 /dev/sda
[1:0:0:1073823776]disk IBM 2107900 .431 /dev/sdb
"""
MOUNT_A = "box1:~ # mount\n/dev/sda1 on /data type xfs (rw)\n"
PVS = """\
box1:~ # pvs
  WARNING: Not using device /dev/sdb1 for PV 3Fh1Yq-2Zxs-fF0r-1KJ0-c5XH-0fVn-Mxy2Fq.
  WARNING: PV 3Fh1Yq-2Zxs-fF0r-1KJ0-c5XH-0fVn-Mxy2Fq prefers device /dev/sda1 because device is used by LV.
  PV         VG   Fmt  Attr PSize  PFree
  /dev/sda1  rhel lvm2 a--  19.00g    0
"""


def _zfcp(first: str, second: str) -> str:
    rows = (
        f"0.0.{bus}/{port}/0x4020400100000000 {host}:0:0:1073823776\n"
        for host, (bus, port) in enumerate([("fc00", first), ("fd00", second)])
    )
    return f"box1:~ # lszfcp -D\n{''.join(rows)}"


@pytest.mark.parametrize(("text", "is_sure"), [
    (_zfcp("0x50050763070845e3", "0x50050763071885e3") + SCSI, True),
    (_zfcp("0x5005076801101234", "0x5005076801201234") + SCSI, False),
    (PVS, True),
])  # fmt: skip
def test_a_second_path_has_the_uses_of_the_first(text: str, is_sure: bool, where: Ask) -> None:
    """Ports of one storage server and one LUN, or one id of a physical volume, prove one disk."""
    answer = where("sdb", text + MOUNT_A)
    assert [(same["others"], same["is_sure"]) for same in answer["same"]] == [(["sda"], is_sure)]
    assert [(mount["point"], mount["perhaps"]) for mount in answer["mounts"]] == [("/data", not is_sure)]


@pytest.mark.parametrize(("first", "second"), [
    ("0x50050763070845e3", "0x50050763071845e4"),
    ("0x50050763070845e3", "0x50050763091845e3"),
])  # fmt: skip
def test_one_number_in_two_storage_servers_is_two_disks(first: str, second: str, where: Ask) -> None:
    """The ports prove it."""
    answer = where("sdb", _zfcp(first, second) + SCSI + MOUNT_A)
    assert (answer["same"], answer["mounts"]) == ([], [])


def test_ports_of_one_ds8000_are_of_one_lss(where: Ask) -> None:
    """Whichever adapter and port of it a path leads to; node names of a WWID are the same box."""
    answer = where("LSS 20", _zfcp("0x50050763070845e3", "0x50050763071805e3") + SCSI)
    assert (answer["key"], len(answer["disks"])) == ("IBM.5005076307ffc5e3.LSS20", 1)
    assert box_of_port("0x500507630313c1ae") == box_of_port("0x5005076303ffc1ae") == "5005076303ffc1ae"
    assert box_of_port("0x5005076801101234") == ""


def test_what_multipath_joins_is_known_where_a_text_lists_it(where: Ask) -> None:
    """Without a list of its maps nothing says that it does not; a LUN that has failed is told."""
    failed = "0.0.fe00/0x50050763071845e3/0x4020400100000000 - failed\n"
    text = _zfcp("0x50050763070845e3", "0x50050763071885e3") + failed + SCSI
    (same,) = where("sda", text)["same"]
    assert (same["is_sure"], same["is_apart"]) == (True, False)
    assert [other.partition(" (")[2] for other in same["others"]] == ["LUN failed)", ""]
    tree = "box1:~ # lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\nsda    8:0    0  20G  0 disk\n"
    assert where("sda", text + tree)["same"][0]["is_apart"] is True


def test_partitions_of_paths_that_multipath_joins_are_joined(where: Ask) -> None:
    """Its map has the disks below it, not what is on these."""
    joined = "".join(
        f"  {drawn} 0:0:{at}:1085554707 {disk} 8:{at * 32}  active ready running\n"
        for at, (drawn, disk) in enumerate((("|-", "sda"), ("`-", "sdc")))
    )
    text = (
        '# blkid\n/dev/sda1: UUID="d53b34b1-1ca5-463b-939c-f01759c86a50" TYPE="ext3"\n'
        '/dev/sdc1: UUID="d53b34b1-1ca5-463b-939c-f01759c86a50" TYPE="ext3"\n# multipath -ll\n'
        "36005076305ffc73a00000000000013b4 dm-0 IBM,2107900\n"
        "size=1.0G features='0' hwhandler='1 alua' wp=rw\n"
        f"`-+- policy='service-time 0' prio=50 status=active\n{joined}"
    )
    (same,) = where("sda1", text)["same"]
    assert not same["is_apart"]
    assert same["others"] == ["sdc1"]


_FOUR = "".join(
    f"zfcp-lun     0.0.{bus}:0x50050763{port}16b6:0x4026400200000000  yes  yes   sd{letter} sg{letter}\n"
    for letter, (bus, port) in zip(
        "abcd", [("e000", "061b"), ("e000", "060b"), ("e100", "061b"), ("e100", "060b")], strict=True
    )
)


@pytest.mark.parametrize(("asked", "told"), [
    ("0x50050763060b16b6", "over 2 of 4 paths"),
    ("e000", "over 2 of 4 paths"),
    ("4026400200000000", "over 4 paths"),
    ("sda", "over 4 paths"),
])  # fmt: skip
def test_of_a_port_and_an_adapter_the_paths_are_counted(
    asked: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that are over it, of all that the disk has; the others are named with them, once."""
    (tmp_path / "a.txt").write_text(f"box1:~ # lszdev\n{_FOUR}")
    assert main(["where", asked, "--from", str(tmp_path)]) == 0
    first, *more = capsys.readouterr().out.splitlines()
    assert first.endswith(told)
    (said,) = [line for line in more if "the same LUN" in line]
    assert all(f"sd{letter}" in said for letter in "abcd")
