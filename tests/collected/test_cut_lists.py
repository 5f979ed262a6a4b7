"""A list of all devices that lacks one which another text names was cut, and says nothing of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import text as output
from zmon.collected.collection import sample_of_pass
from zmon.kernel.capture_tree import ArchivedTree
from zmon.topology.read_texts import unseen_disks

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

LSBLK = """\
box1:~ # mount
/dev/mapper/vgdb-db on /db type xfs (rw)
box1:~ # lsblk
NAME          MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT
dasdb          94:4    0 20.6G  0 disk
`-dasdb1       94:5    0 20.6G  0 part
  `-vgdb-db   253:1    0   40G  0 lvm  /db
"""
DASDC = "dasdc          94:8    0 20.6G  0 disk\n`-dasdc1       94:9    0 20.6G  0 part\n"
PVS = """\
box1:~ # pvs
  PV          VG   Fmt  Attr PSize  PFree
  /dev/dasdb1 vgdb lvm2 a--  20.63g    0
  /dev/dasdc1 vgdb lvm2 a--  20.63g 1.25g
"""
MULTIPATH = """\
box1:~ # mount
/dev/mapper/36005076802868011c00000000000002d-part1 on /data type xfs (rw)
box1:~ # multipath -ll
36005076802868011c00000000000002d dm-3 IBM,2145
size=100G features='0' hwhandler='1 alua' wp=rw
|-+- policy='service-time 0' prio=50 status=active
| `- 0:0:1:0  sdb 8:16  active ready running
`-+- policy='service-time 0' prio=10 status=enabled
  `- 0:0:0:0  sda 8:0   active ready running
box1:~ # lsblk
NAME                                        MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINT
sda                                           8:0    0  100G  0 disk
`-36005076802868011c00000000000002d         254:3    0  100G  0 mpath
  `-36005076802868011c00000000000002d-part1 254:5    0  100G  0 part  /data
"""


@pytest.mark.parametrize(("rest", "is_cut"), [
    ("", True),
    (DASDC, True),
    (f"{DASDC}  `-vgdb-db   253:1    0   40G  0 lvm  /db\n", False),
])  # fmt: skip
def test_a_volume_may_be_on_a_member_of_its_group_that_lsblk_lacks(
    rest: str, is_cut: bool, where: Ask
) -> None:
    """Of one with a volume on it, as pvs says, lsblk lacks at least the row of that."""
    text = LSBLK + rest + PVS
    (mount,) = where("dasdc", text)["mounts"]
    assert (mount["point"], mount["perhaps"]) == ("/db", is_cut)
    (answer,) = where("/db", text)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdb", "dasdc"]


@pytest.mark.parametrize(
    "rest", ["", "sdb                                           8:16   0  100G  0 disk\n"]
)
def test_a_path_is_one_whichever_text_names_it(rest: str, where: Ask) -> None:
    """A lsblk without the line of a path is no proof against multipath -ll."""
    (mount,) = where("sdb", MULTIPATH + rest)["mounts"]
    assert (mount["point"], mount["whole"]) == ("/data", True)
    (answer,) = where("/data", MULTIPATH + rest)["where"]
    assert len(answer["disks"]) == 1


def test_a_disk_without_a_size_is_in_no_list(where: Ask) -> None:
    """A DASD that is not formatted is none that lsblk lacks."""
    lsdasd = "box1:~ # lsdasd\n0.0.0104  n/f       dasdz     94:100  ECKD\n"
    (answer,) = where("/db", LSBLK + lsdasd)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdb"]


@pytest.mark.parametrize("kind", ["xfs", ""])
def test_a_file_system_whose_type_is_not_known_may_have_more_devices(kind: str, where: Ask) -> None:
    """It may be a btrfs, of which one disk may not be all; a disk that nobody named is none of the answer."""
    lsblk = LSBLK.partition("box1:~ # lsblk")[2]
    mount = f"box1:~ # mount\n/dev/mapper/vgdb-db on /db type {kind} (rw)\n" * bool(kind)
    (answer,) = where("/db", f"{mount}box1:~ # lsblk{lsblk}")["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdb"]
    assert (answer["grade"] == "set") == (not kind)


@pytest.mark.parametrize("rest", [PVS, ""])
def test_a_list_that_was_cut_is_none_of_all_disks(rest: str) -> None:
    """Tables of all disks say so."""
    texts = [
        output(LSBLK.partition("lsblk\n")[2], "lsblk"),
        output(rest.partition("\n")[2], "pvs")._replace(line=50),
    ]
    sample = sample_of_pass(ArchivedTree("texts", "", {}, texts), "texts")
    assert (unseen_disks(sample) is not None) == bool(rest)
