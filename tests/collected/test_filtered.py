"""The lines that a filter leaves of an output are read as they are without its command, or counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import text
from zmon.collected.collection import facts_of
from zmon.kinds import LAYER

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

MAPS: Final = """\
mpatha (36005076307ffc3c3000000000000100a) dm-0 IBM,2107900
  |- 0:0:0:1074413584 sda 8:0  active ready running
  `- 1:0:0:1074413584 sdc 8:32 active ready running
mpathb (36005076307ffc3c3000000000000100b) dm-1 IBM,2107900
  |- 0:0:0:1074479120 sdb 8:16 active ready running
  `- 1:0:0:1074479120 sdd 8:48 active ready running
"""
ARRAY: Final = """\
    Number   Major   Minor   RaidDevice State
       0      94        5        0      active sync   /dev/dasdb1
       1      94        9        1      active sync   /dev/dasdc1
"""
DEVIDS: Final = """\
\tdevid    1 size 20.63GiB used 18.01GiB path /dev/dasdb1
\tdevid    2 size 20.63GiB used 18.01GiB path /dev/dasdc1
"""
SEGMENTS: Final = """\
  LV Path                /dev/vgdb/db
    Physical volume     /dev/dasdb1
    Physical volume     /dev/dasdc1
"""
MEMBERS: Final = """\
  LV Path                /dev/vgdb/db
  PV Name               /dev/dasdb1
  Total PE / Free PE    5281 / 0
  PV Name               /dev/dasdc1
  Total PE / Free PE    5281 / 320
"""


@pytest.mark.parametrize(("command", "content", "disk", "device"), [
    ("multipath -ll | egrep 'mpath|sd'", MAPS, "sdd", "mpathb"),
    ("multipath -ll | grep -v policy", MAPS, "sdc", "mpatha"),
    ("mdadm --detail /dev/md0 | tail -3", ARRAY, "dasdc", "md0"),
    ("btrfs filesystem show | grep path", DEVIDS, "dasdc", "btrfs file system on dasdc1"),
    ("lvdisplay -m | egrep 'LV Path|Physical volume'", SEGMENTS, "dasdc", "vgdb/db"),
    ("vgdisplay -v vgdb | egrep 'PV Name|LV Path|Total'", MEMBERS, "dasdc", "vgdb/db"),
])  # fmt: skip
def test_lines_that_are_left_are_read(command: str, content: str, disk: str, device: str, where: Ask) -> None:
    """Each tells what it tells in the whole output, and that there may be more."""
    (read,) = facts_of([text(content, command)])[1]
    assert read.strange == ()
    answer = where(disk, f"h:~ # {command}\n{content}h:~ # ls\n")
    assert {device, device.replace("/", "-")} & {*answer["devices"]}
    assert any("shows a part" in what for what in answer["not_looked_at"])


@pytest.mark.parametrize(("command", "content"), [
    ("mdadm --detail /dev/md0 /dev/md1 | grep dasd", ARRAY),
    ("mdadm --detail /dev/md0 | grep -v md1", f"/dev/md0:\n{ARRAY}{ARRAY}"),
])  # fmt: skip
def test_a_line_whose_first_one_was_left_out_is_counted(command: str, content: str) -> None:
    """A slot comes once in an array."""
    (read,) = facts_of([text(content, command)])[1]
    assert len(read.strange) == 2


def test_a_path_whose_map_was_left_out_is_of_none_that_is_known() -> None:
    """One of another LUN is none of the map above it, which may have further paths."""
    facts, (read,) = facts_of([text(re.sub("mpathb.*\n", "", MAPS), "multipath -ll | egrep 'mpatha|sd'")])
    assert read.strange == ()
    assert {*facts.rows["path"]} == {"8:0", "8:32"}
    assert facts.path_states["sdb"][0]["state"] == facts.path_states["sdd"][0]["state"] == "active"
    assert facts.value(LAYER, "dm-0", "below") == "?dm-0.strange 8:0 8:32"


@pytest.mark.parametrize(("words", "lcu"), [("/|uid", "LCU 0A00"), ("uid|dasdp", None)])
def test_a_search_that_finds_each_head_leaves_out_none(words: str, lcu: str | None, where: Ask) -> None:
    """What follows belongs to the head before; if it may have left one out, to something unknown."""
    rows = "0.0.1a01/dasdp/94:60\n  uid:  \t\tIBM.75000000AAAA1.0a00.01\n"
    (disk,) = where("dasdp", f"box1:~ # lsdasd -l | egrep '{words}'\n{rows}")["disks"]
    assert (disk["lcu"] if lcu else None) == lcu
    assert lcu or "absent" in disk["lcu"]


def test_two_columns_of_lsdasd_name_disks(where: Ask) -> None:
    """Of the bus id and the name that a filter left, or that stand without a unique id."""
    for command in ("lsdasd | awk '{print $1,$3}'", "lsdasd -u"):
        text = f"box1:~ # {command}\nBus-ID Name\n{'=' * 80} \n0.0.0200 dasda\n0.0.0202 dasdc      \n"
        assert [disk["disk"] for disk in where("0202", text)["disks"]] == ["dasdc"]


@pytest.mark.parametrize("columns", ["$1,$3", "$1, $3, $5", '$1 " " $3'])
def test_columns_of_mount_that_awk_left_are_mounts(where: Ask, columns: str) -> None:
    """The first, third and fifth words are the device, the mount point and the type."""
    row = "/dev/dasdb1 /data xfs" if "$5" in columns else "/dev/dasdb1 /data"
    text = f"box1:~ # mount | grep ^/dev | awk '{{print {columns}}}'\n{row}\n"
    assert [mount["point"] for mount in where("dasdb", text)["mounts"]] == ["/data"]
