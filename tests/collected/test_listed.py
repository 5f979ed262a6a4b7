"""That there is none of something is known only from what lists all: aliases, DASD, disks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

UIDS = "0.0.0100  dasda     IBM.750000000AAA11.1500.00\n"
LONG = "0.0.0100/dasda/94:0\n  status:\tactive\n  type:\tECKD\n  uid:  \tIBM.750000000AAA11.1500.00\n"
KERNEL = "0.0.0100(ECKD) at ( 94:  0) is dasda  : active at blocksize 4096, 5896620 blocks, 23033 MB\n"
UDEV = """\
P: /devices/css0/0.0.0000/0.0.0100/block/dasda
N: dasda
E: DEVTYPE=disk
E: MAJOR=94
E: MINOR=0
E: SUBSYSTEM=block
E: ID_UID=IBM.750000000AAA11.1500.00
"""
ACTIVE = "0.0.0100  active  dasda  94:0  ECKD  4096  7043MB  1803060\n"
WHOLE = ("lsdasd -u", UIDS)


@pytest.mark.parametrize(("outputs", "aliases"), [
    ([("lsdasd -u", UIDS)], 0),
    ([("lsdasd -a -l", LONG)], 0),
    ([("lsdasd -u", f"{UIDS}0.0.01f0  alias     IBM.750000000AAA11.1500.xx\n")], 1),
    ([("lsdasd -b -u", UIDS)], None),
    ([("lsdasd -u 0.0.0100", UIDS)], None),
    ([("lsdasd -u | head -3", UIDS)], None),
    ([("lsdasd -u", f"{UIDS}0.0.01f0  ali\n")], None),
    ([("lsdasd -u | head -3", f"{UIDS}0.0.01f0  alias     IBM.750000000AAA11.1500.xx\n")], None),
    ([("udevadm info -e", UDEV)], None),
    ([("cat /proc/dasd/devices", KERNEL), ("udevadm info -e", UDEV)], None),
    ([("udevadm info -e", UDEV), ("lsdasd", ACTIVE)], 0),
    ([("lsdasd -b -u", UIDS), WHOLE], 0),
])  # fmt: skip
def test_the_number_of_aliases_is_known_if_all_were_listed(
    outputs: list[tuple[str, str]], aliases: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In DEVICE, CTLUNIT and CHECK: by one lsdasd that leaves out nothing and was understood."""
    (tmp_path / "a.txt").write_text("".join(f"[root@box1 ~]# {command}\n{text}" for command, text in outputs))

    def shown(screen: str) -> dict[str, Any]:
        main(["show", screen, "--from", str(tmp_path), "-f", "json"])
        document: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[0])
        return document

    for screen in ("DEVICE", "CTLUNIT"):
        table = shown(screen)
        assert {row["aliases"] for row in table["rows"]} == {aliases}
    assert table["summary"]["aliases"] == aliases
    main(["check", "--from", str(tmp_path), "--all", "-f", "json"])
    checks = {check["id"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert (checks["B1"]["state"] == "unknown") is (aliases is None)
    assert ("lsdasd" in checks["B1"]["found"]) is (aliases is None)


LSZFCP = ("lszfcp", "0.0.5a00 host0\n")
ONLY_SCSI = ("lsblk", "NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\nsda      8:0    0  7G  0 disk\n")
LSBLK = ("lsblk", f"{ONLY_SCSI[1]}dasda   94:0    0  7G  0 disk\n")
NO_DASD, NO_MULTIPATH, NO_FCP = "no DASD is online", "no multipath device", "no SCSI disk behind FCP"


@pytest.mark.parametrize(("outputs", "found"), [
    ([LSZFCP], {"B26": "lsdasd", "B10": "collected: /sys/block", "B7": "collected: /sys/block"}),
    ([LSZFCP, ("lsdasd", "0.0.0100  offline\n")], {"B26": NO_DASD, "B10": "collected: /sys/block"}),
    ([LSZFCP, ONLY_SCSI], {"B26": NO_DASD, "B10": NO_MULTIPATH}),
    ([LSZFCP, ("lsblk /dev/sda", ONLY_SCSI[1])], {"B26": "lsdasd", "B10": "lsblk"}),
    ([LSBLK], {"B26": "lsdasd", "B10": NO_MULTIPATH}),
    ([("multipath -ll", "mpatha (36005076309ffc563) dm-2 IBM,2107900\n")], {"B26": "lsdasd"}),
    ([("lsdasd -u", UIDS)], {"B10": "lsblk", "B7": "lsblk", "B6": "lsblk", "B13": "lsblk", "H8": "lsblk"}),
    ([("udevadm info -e", UDEV)], {"B26": "lsdasd", "B10": NO_MULTIPATH, "B7": NO_FCP}),
])  # fmt: skip
def test_a_check_applies_unless_all_was_listed(
    outputs: list[tuple[str, str]],
    found: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It does not apply if it is known that there is nothing; else it is not known, for lack of a list."""
    (tmp_path / "a.txt").write_text("".join(f"[root@box1 ~]# {command}\n{text}" for command, text in outputs))
    main(["check", "--from", str(tmp_path), "--all", "-f", "json"])
    checks = {check["id"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    for name, said in found.items():
        is_known = said.startswith("no ")
        assert checks[name]["state"] == ("does not apply" if is_known else "unknown"), (name, checks[name])
        assert said in checks[name]["found"]


SIZES = ("cat /proc/partitions", "major minor  #blocks  name\n\n 94 0 7212240 dasda\n 94 1 7212144 dasda1\n")


@pytest.mark.parametrize(("outputs", "named", "unnamed"), [
    ([], ["udevadm", "fdasd", "fdisk"], []),
    ([("udevadm info --export-db", UDEV)], ["fdasd", "fdisk"], ["udevadm"]),
    ([("udevadm info /dev/dasda", UDEV)], ["udevadm", "fdasd", "fdisk"], []),
])  # fmt: skip
def test_what_was_collected_is_not_what_lacks(
    outputs: list[tuple[str, str]],
    named: list[str],
    unnamed: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of the outputs that would tell where a partition begins those are named that are not there."""
    rows = [("mount", "/dev/dasda1 on /boot type ext4 (rw)\n"), ("lsdasd -u", UIDS), SIZES, *outputs]
    (tmp_path / "a.txt").write_text("".join(f"[root@box1 ~]# {command}\n{text}" for command, text in rows))
    main(["where", "dasda1", "--from", str(tmp_path), "-f", "json"])
    (why,) = {*re.findall(r"dasda1: not collected: ([^\"]*)", capsys.readouterr().out)}
    assert [name in why for name in (*named, *unnamed)] == [True] * len(named) + [False] * len(unnamed)


def test_swap_on_a_device_of_which_nothing_is_known_has_no_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only a multipath device is known to be of SCSI disks."""
    rows = "/dev/dm-3 partition 2097148 0 -3\n"
    (tmp_path / "a.txt").write_text(f"box1:~ # cat /proc/swaps\nFilename Type Size Used Priority\n{rows}")
    main(["show", "STORAGE", "--from", str(tmp_path), "-f", "json"])
    (area,) = json.loads(capsys.readouterr().out.splitlines()[0])["rows"]
    assert area["type"] is None


def test_a_device_that_is_a_container_hides_no_file_of_a_mount(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is found by its name alone, so it says nothing of where other files are."""
    rows = [f"{name}     94:{4 * at}  0  7G  0 disk\n" for at, name in enumerate(("dasda", "dasdb", "dasdc"))]
    mounts = "/dev/dasda on / type xfs (rw)\n/dev/dasdb on /d1 type xfs (rw)\n"
    uids = "".join(
        f"0.0.010{at}  dasd{name}     IBM.750000000AAA11.1{at}00.00\n" for at, name in enumerate("abc")
    )
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text(
        f"box1:~ # lsblk\nNAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\n{''.join(rows)}"
        f"box1:~ # mount\n{mounts}box1:~ # lsdasd -u\n{uids}"
    )
    listing = tmp_path / "l.csv"
    listing.write_text(
        "tablespace,path,kind,bytes\nA,/d1/a,file,1073741824\nB,/dev/dasdc,device,1073741824\n"
    )
    main(["spread", str(listing), "--from", str(tmp_path / "texts"), "-f", "json"])
    spread = json.loads(capsys.readouterr().out.splitlines()[0])
    assert {unit["name"]: unit["load"] for unit in spread["units"]} == {
        "LCU 1100": 1 << 30,
        "LCU 1200": 1 << 30,
    }
    assert spread["problems"] == []
