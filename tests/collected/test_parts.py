"""An output of which a pipe or an operand leaves out lines is no whole: more may be there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.test_lvm_texts import LVS, PVS
from tests.collected.texts import LSBLK, LSDASD_UID, MULTIPATH
from zmon.cli.main import main
from zmon.collected.collection import facts_of
from zmon.collected.reading import gaps_of
from zmon.collected.transcript import outputs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask

MOUNTED = "/dev/mapper/wh-load on /load type xfs (rw,relatime)\n"
FOUND = "TARGET SOURCE FSTYPE OPTIONS\n/load /dev/mapper/wh-load xfs rw\n"
SPACES = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/mapper/wh-load 100 10 90 10% /load\n"


@pytest.mark.parametrize(("command", "output", "is_part"), [
    ("mount | grep load", MOUNTED, True),
    ("mount | egrep -v tmpfs", MOUNTED, False),
    ("mount | grep -v '^cgroup\\|tmpfs'", MOUNTED, False),
    ("mount | grep -v old", MOUNTED, True),
    ("mount | sort", MOUNTED, False),
    ("mount | head -5", MOUNTED, True),
    ("mount -t xfs", MOUNTED, True),
    ("findmnt /load", FOUND, True),
    ("findmnt -T /load/x", FOUND, True),
    ("findmnt -A", FOUND, False),
    ("df /load", SPACES, True),
    ("df -h", SPACES, False),
    ("df -x tmpfs", SPACES, False),
    ("df -t xfs", SPACES, True),
    ("lsblk /dev/dasdp", LSBLK, True),
    ("lsblk -d", LSBLK, True),
    ("lsblk -fd", LSBLK, True),
    ("lsblk --nodeps", LSBLK, True),
    ("df .", SPACES, True),
    ("cat /proc/mounts | grep load", "/dev/mapper/wh-load /load xfs rw,relatime 0 0\n", True),
    ("lsblk -e 7", LSBLK, False),
    ("lsblk -e 94", LSBLK, True),
    ("pvs /dev/dasdp1", PVS, True),
    ("pvs -S vg_name=wh", PVS, True),
    ("pvs", PVS, False),
    ("multipath -ll | grep -A7 mpath", f"{MULTIPATH}--\n{MULTIPATH.replace('mpatha', 'mpathb')}", True),
    ("lsdasd | awk '{print $1}'", LSDASD_UID, True),
    ("lsdasd -b -u", LSDASD_UID, True),
    ("lsdasd -ub", LSDASD_UID, True),
    ("lsdasd --base --uid", LSDASD_UID, True),
    ("lsdasd -u 0.0.0100", LSDASD_UID, True),
    ("lsdasd 0100 --uid", LSDASD_UID, True),
    ("lsdasd -a --uid", LSDASD_UID, False),
])  # fmt: skip
def test_a_part_is_known_from_its_command(command: str, output: str, is_part: bool) -> None:
    """By filters behind a pipe, and by the options and operands of each tool."""
    text = f"[root@box1 ~]# {command}\n{output}"
    (read,) = facts_of([*outputs("a.txt", text.encode(), 1)])[1]
    assert (read.is_part, read.strange) == (is_part, ())


def test_a_part_is_named_where_nothing_was_found(where: Ask) -> None:
    """A mount that a filter left out is a use all the same."""
    rows = f"[root@box1 ~]# lsblk\n{LSBLK}[root@box1 ~]# mount"
    disk = "dasda"
    told = [
        [what for what in where(disk, f"{rows}{pipe}\n{MOUNTED}")["not_looked_at"] if "a.txt" in what]
        for pipe in ("", " | grep -v loop", " | grep load")
    ]
    assert [len(remarks) for remarks in told] == [0, 0, 1]


def test_mounts_that_another_list_has_are_no_part(where: Ask) -> None:
    """As sos prints `df -x autofs` beside all mounts; behind a line that is unknown there may be more."""
    part = f"[root@box1 ~]# lsdasd -u\n{LSDASD_UID}[root@box1 ~]# df -al -x autofs\n{SPACES}"
    told = [
        [what for what in where("dasda", f"{part}{whole}")["not_looked_at"] if "shows a part" in what]
        for whole in (
            "",
            f"[root@box1 ~]# mount\n{MOUNTED}",
            f"[root@box1 ~]# mount\n{MOUNTED}what is this\n",
            f"[root@box1 ~]# lsblk\n{LSBLK}",
        )
    ]
    assert [len(remarks) for remarks in told] == [1, 0, 1, 1]


def test_a_group_of_a_part_may_have_further_volumes(where: Ask) -> None:
    """One row of pvs is no group of one volume, and neither is a segment all of a logical volume."""
    groups, volumes = (
        PVS.splitlines(keepends=True),
        "  LV   VG Attr       LSize\n  load wh -wi-ao---- 13.00g\n",
    )
    (segment,) = (row for row in LVS.splitlines(keepends=True) if row.startswith("  load"))
    for pvs, lvs in (
        (f"pvs\n{groups[0]}{groups[1]}", f"lvs\n{volumes}"),
        (f"pvs | grep dasdp\n{groups[1]}", f"lvs\n{volumes}"),
        (f"pvs\n{PVS}", f"lvs -a -o +devices | grep dasdq\n{segment}"),
    ):
        texts = "".join(f"[root@box1 ~]# {output}" for output in (pvs, lvs, f"mount\n{MOUNTED}"))
        (answer,) = where("/load/x", texts)["where"]
        is_part = "grep" in f"{pvs}{lvs}"
        assert any(": " in disk["disk"] for disk in answer["disks"]) == is_part, texts


@pytest.mark.parametrize("row", ["", "  `- 1:0:1:2 garbage\n"])
def test_a_path_that_is_not_seen_is_not_gone(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`grep -A` prints so many lines, and a line that is not understood may be a path."""
    command = "multipath -ll" if row else "multipath -ll | grep -A7 mpatha"
    (tmp_path / "a.txt").write_text(f"[root@box1 ~]# {command}\n{MULTIPATH}{row}")
    assert main(["show", "MPATH", "--from", str(tmp_path), "-f", "json"]) == 0
    said = capsys.readouterr()
    rows = json.loads(said.out.splitlines()[0])["rows"]
    assert sorted(record["state"] for record in rows) == ["active", "active", "offline"]
    assert "gone" not in said.out + said.err


@pytest.mark.parametrize(("command", "gaps", "whole"), [
    ("mount | grep x", ["", "a", "--"], []),
    ("mount | grep -A3 x", ["", "--"], ["a"]),
    ("mount | tail -n +2", [""], ["a", "--"]),
])  # fmt: skip
def test_rows_are_left_out_before_some_rows(command: str, gaps: list[str], whole: list[str]) -> None:
    """Before each, between the groups of lines around a match, or at the ends."""
    pattern = gaps_of(command)
    assert pattern is not None
    assert [pattern.fullmatch(row) is not None for row in (*gaps, *whole)] == [True] * len(gaps) + [
        False
    ] * len(whole)


def test_a_map_may_have_more_paths_than_are_shown(where: Ask) -> None:
    """Where a path was not understood, or the output is a part."""
    for command, row, is_open in (
        ("multipath -ll", "", False), ("multipath -ll", "  `- 1:0:1:2 garbage\n", True),
        ("multipath -ll | grep -A7 mpatha", "", True),
    ):  # fmt: skip
        answer = where("mpatha", f"[root@box1 ~]# {command}\n{MULTIPATH}{row}")
        assert (len(answer["paths"]), answer["more_paths"]) == (3, is_open)


_TWO_GROUPS: Final = """\
box1:~ # multipath -ll
mpathk (36005076300c0ffee00000000000000c8) dm-3 IBM,2107900
size=30G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
|-+- policy='service-time 0' prio=50 status=active
| |- 1:0:0:4 sde 8:64  active ready running
| `- 2:0:0:4 sdq 65:0  active ready running
`-+- policy='service-time 0' prio=10 status=enabled
  |- 1:0:1:4 sdf 8:80  active ready running
  `- 2:0:1:4 sdr 65:16 active ready running
"""


@pytest.mark.parametrize("count", range(2, 10))
def test_a_map_is_whole_if_its_last_line_is_drawn_as_the_last(count: int, where: Ask) -> None:
    """By each other one a group or a path was to follow, which may be any."""
    cut = "".join(_TWO_GROUPS.splitlines(keepends=True)[:count])
    assert where("mpathk", cut)["more_paths"] is (count < 9)
