"""What mdadm and /proc/mdstat say of arrays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import facts_in
from zmon.collected.facts import joined
from zmon.kinds import LAYER
from zmon.sample import empty_frame
from zmon.topology.target import NO_MEMBERS

if TYPE_CHECKING:
    from tests.collected.conftest import Ask
    from zmon.sample import Frame

MDSTAT = """\
Personalities : [raid1] [raid6] [raid5] [raid4] [raid10]\x20
md0 : active raid1 dasdq1[1] dasdp1[0]
      2403648 blocks super 1.2 [2/2] [UU]
      bitmap: 0/1 pages [0KB], 65536KB chunk

md1 : active (auto-read-only) raid5 dasdt1[3] dasds1[1] dasdr1[0]
      4807296 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]
      \tresync=PENDING

md2 : active raid0 dasdv1[1] dasdu1[0]
      4807296 blocks super 1.2 512k chunks

md3 : active raid10 dasdz1[3] dasdy1[2] dasdx1[1] dasdw1[0]
      4807296 blocks super 1.2 512K chunks 2 near-copies [4/4] [UUUU]
      [==>..................]  recovery = 12.6% (37043392/292945152) finish=127.5min speed=33440K/sec

unused devices: <none>
"""
DETAIL = """\
/dev/md0:
           Version : 1.2
     Creation Time : Tue Mar 17 09:12:44 2026
        Raid Level : raid1
        Array Size : 2403648 (2.29 GiB 2.46 GB)
     Used Dev Size : 2403648 (2.29 GiB 2.46 GB)
      Raid Devices : 2
     Total Devices : 2
       Persistence : Superblock is persistent

     Intent Bitmap : Internal

       Update Time : Tue Mar 17 10:02:11 2026
             State : clean\x20
    Active Devices : 2
   Working Devices : 2
    Failed Devices : 0
     Spare Devices : 0

Consistency Policy : bitmap

              Name : box1:0  (local to host box1)
              UUID : 11111111:22222222:33333333:44444444
            Events : 17

    Number   Major   Minor   RaidDevice State
       0      94       61        0      active sync   /dev/dasdp1
       1      94       65        1      active sync   /dev/dasdq1
"""
FAULTY = DETAIL.replace(
    "       1      94       65        1      active sync   /dev/dasdq1",
    "       -       0        0        1      removed\n\n"
    "       1      94       65        -      faulty   /dev/dasdq1",
)
REMOVED = FAULTY.replace("\n\n       1      94       65        -      faulty   /dev/dasdq1", "")
REBUILDING = DETAIL.replace("1      active sync   /dev/dasdq1", "1      spare rebuilding   /dev/dasdq1")
SCAN = """\
ARRAY /dev/md0 level=raid1 num-devices=2 metadata=1.2 name=box1:0 UUID=11111111:22222222:33333333:44444444
   devices=/dev/dasdp1,/dev/dasdq1
"""
EXAMINE = "".join(
    f"""\
/dev/{device}:
          Magic : a92b4efc
        Version : 1.2
    Feature Map : 0x1
     Array UUID : 11111111:22222222:33333333:44444444
           Name : box1:0  (local to host box1)
     Raid Level : raid1
   Raid Devices : 2

 Avail Dev Size : 4807296 sectors (2.29 GiB 2.46 GB)
     Array Size : 2403648 KiB (2.29 GiB 2.46 GB)
    Data Offset : 2048 sectors
   Super Offset : 8 sectors
    Device UUID : 5000000{slot}:22222222:33333333:44444444

   Device Role : Active device {slot}
   Array State : AA ('A' == active, '.' == missing, 'R' == replacing)
"""
    for slot, device in enumerate(("dasdp1", "dasdq1"))
)


def layers(content: str) -> Frame:
    """Return the block devices of a text."""
    facts = facts_in(content)
    facts.by_number(empty_frame(LAYER, "no text"))
    return joined(LAYER, empty_frame(LAYER, "no text"), facts, 1)[0]


def members(content: str, array: str = "md0") -> set[object]:
    """Return the names of the devices of an array."""
    frame = layers(content)
    (key,) = (key for key in frame.keys if frame.cell(key, "name") == array)
    return {
        frame.cell(number, field)
        for number in str(frame.cell(key, "below")).split()
        for field in ("name", "mapped")
        if isinstance(frame.cell(number, field), str)
    }


@pytest.mark.parametrize("content", [DETAIL, SCAN, MDSTAT])
def test_an_array_is_on_all_its_devices(content: str) -> None:
    """Whichever text names them."""
    assert members(content) == {"dasdp1", "dasdq1"}


def test_mdstat_has_level_size_chunk_and_layout() -> None:
    """As the kernel's files have them."""
    frame = layers(MDSTAT)
    told = {name: tuple(frame.cell(number, field) for field in ("level", "size", "chunk", "layout"))
            for number, name in zip(frame.keys, frame.column("name"), strict=True)}  # fmt: skip
    assert told["md0"][:2] == ("raid1", 2403648 * 2)
    assert told["md1"] == ("raid5", 4807296 * 2, 512 << 10, 2)
    assert told["md2"][:3] == ("raid0", 4807296 * 2, 512 << 10)
    assert told["md3"] == ("raid10", 4807296 * 2, 512 << 10, 0x102)


@pytest.mark.parametrize(
    ("content", "others"),
    [
        (REMOVED, {"dasdp1", "removed: md0 1"}), (FAULTY, {"dasdp1", "faulty: dasdq1"}),
        (REBUILDING, {"dasdp1", "dasdq1"}),
        (SCAN.replace(",/dev/dasdq1", ""), {"dasdp1", "removed: md0"}),
        (MDSTAT.replace("dasdq1[1] ", "").replace("[2/2] [UU]", "[2/1] [U_]"), {"dasdp1", "removed: md0"}),
        (MDSTAT.replace("dasdq1[1]", "dasdq1[1](F)").replace("[2/2] [UU]", "[2/1] [U_]"),
         {"dasdp1", "not working: dasdq1"}),
        (MDSTAT.replace("dasdq1[1] dasdp1[0]", "dasdt1[2](S) dasdq1[1](F) dasdp1[0]")
         .replace("[2/2] [UU]", "[2/1] [U_]"), {"dasdp1", "not working: dasdq1"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lsblk", ["", """\
NAME     MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINTS
dasdp     94:60   0  6.9G  0 disk
└─dasdp1  94:61   0  6.9G  0 part
  └─md0    9:0    0  2.3G  0 raid1
"""])  # fmt: skip
def test_a_device_that_does_not_work_is_a_member_that_is_named(
    content: str, others: set[object], lsblk: str
) -> None:
    """Also beside lsblk, which shows only those that are there."""
    assert members(lsblk + content) >= {"dasdp1", *(name for name in others if ": " in str(name))}
    assert members(content) == others


@pytest.mark.parametrize("content", [DETAIL, FAULTY, REMOVED, SCAN, MDSTAT])
@pytest.mark.parametrize("change", ["deleted", "noise", "indented", "cut", "doubled"])
def test_a_line_that_changes_never_leaves_fewer_members(content: str, change: str) -> None:
    """Whatever is missing then, one that is not known is among them, or the array is not known at all."""
    rows = content.splitlines()
    whole = members(content)
    for at, row in enumerate(rows):
        changed = {
            "deleted": [], "noise": ["?! xyz"], "indented": [f"  {row}"], "cut": [row[: len(row) // 2]],
            "doubled": [row, row],
        }[change]  # fmt: skip
        text = "\n".join([*rows[:at], *changed, *rows[at + 1 :], ""])
        frame = layers(text)
        if "md0" not in frame.column("name"):
            continue
        left = members(text)
        assert left >= whole or any(": " in str(name) for name in left) or not left, (change, row)
        assert {name for name in left if ": " not in str(name)} <= whole


def test_offsets_of_all_members_tell_which_bytes_are_where() -> None:
    """`mdadm --examine` has them; old metadata, and those at the end of a device, need none."""
    frame = layers(DETAIL + EXAMINE)
    assert frame.cell("9:0", "members") == "0=94:61@2048+4807296 1=94:65@2048+4807296"
    assert frame.cell("9:0", "layout") == 0
    old = layers(DETAIL.replace("Version : 1.2", "Version : 1.0"))
    assert old.cell("9:0", "members") == "0=94:61@0+4807296 1=94:65@0+4807296"
    first = EXAMINE.partition("/dev/dasdq1")[0]
    assert "members" not in facts_in(DETAIL + first).rows["layer"]["md0"]
    assert "members" not in facts_in(REMOVED + EXAMINE).rows["layer"]["md0"]


def test_a_device_of_an_array_that_does_not_run_is_in_use(where: Ask) -> None:
    """`mdadm --examine` tells that there is an array on it."""
    lsdasd = "box1:~ # lsdasd -u\n0.0.1a01  dasdp  IBM.75000000AAAA1.1a00.01\n"
    answer = where("dasdp", f"{lsdasd}box1:~ # mdadm --examine /dev/dasdp1\n{EXAMINE}")
    assert "member of an array on dasdp1" in answer["devices"]


def test_a_degraded_array_shows_in_each_answer_about_it(where: Ask) -> None:
    """The disk that is left is not all of it."""
    lsdasd = "box1:~ # lsdasd -u\n0.0.1a01  dasdp  IBM.75000000AAAA1.1a00.01\n"
    texts = (
        f"{lsdasd}box1:~ # mount\n/dev/md0 on /db type ext4 (rw)\nbox1:~ # mdadm --detail /dev/md0\n{REMOVED}"
    )
    for word in ("md0", "/db/x"):
        (answer,) = where(word, texts)["where"]
        assert {disk["disk"] for disk in answer["disks"]} == {"dasdp", "removed: md0 1"}


def test_an_array_has_one_name_by_its_uuid() -> None:
    """On its members it may have another one than in the kernel."""
    scan = (
        "ARRAY /dev/md/0  level=raid1 metadata=1.2 num-devices=2 UUID=11111111:22222222:33333333:44444444\n"
        "   devices=/dev/dasdp1,/dev/dasdq1\n"
    )
    assert members(scan + "ARRAY /dev/md0 metadata=1.2 UUID=11111111:22222222:33333333:44444444\n") == {
        "dasdp1", "dasdq1",
    }  # fmt: skip


SPARE = MDSTAT.replace("dasdq1[1] dasdp1[0]", "dasdq1[1](F) dasdp1[0] dasdt1[2](S)").replace(
    "[2/2] [UU]", "[2/1] [U_]"
)
LSBLK = "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS\n" + "".join(
    f"dasd{letter} 94:{number} 0 6.9G 0 disk\n└─dasd{letter}1 94:{number + 1} 0 6.9G 0 part\n"
    "  └─md0 9:0 0 2.3G 0 raid1\n"
    for letter, number in (("p", 60), ("q", 64), ("t", 76))
)
DETAILED = f"{FAULTY}       2      94      77        -      spare   /dev/dasdt1\n"


@pytest.mark.parametrize("content", [SPARE, DETAILED])
def test_a_faulty_or_spare_member_is_told_as_such(content: str, where: Ask) -> None:
    """In words of mdadm, of the disk that it is on; the one that works has neither."""
    told = {disk: {title for title in where(disk, content)["devices"] if " of md0 on " in title}
            for disk in ("dasdp", "dasdq", "dasdt")}  # fmt: skip
    assert told == {
        "dasdp": set(), "dasdq": {"faulty member of md0 on dasdq1"}, "dasdt": {"spare of md0 on dasdt1"}
    }  # fmt: skip


@pytest.mark.parametrize("content", [SPARE, DETAILED])
@pytest.mark.parametrize("tree", ["", LSBLK])
def test_an_array_has_no_data_on_faulty_and_spare_members(content: str, tree: str) -> None:
    """Also beside lsblk, which draws it on all of them, as the kernel has it."""
    assert {name for name in members(tree + content) if ": " not in str(name)} == {"dasdp1"}


def test_the_members_of_an_array_are_known_if_their_layout_is_not(where: Ask) -> None:
    """What lacks is named: not the members, which are printed."""
    mount = "box1:~ # mount\n/dev/md0 on /md type xfs (rw)\n"
    (answer,) = where("/md/x", f"box1:~ # mdadm --detail /dev/md0\n{FAULTY}{mount}")["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdp", "faulty: dasdq1"]
    assert not [why for why in answer["lacking"] if NO_MEMBERS.reason in why]


_EXPORTED: Final = """\
# mdadm --detail --export /dev/md0
MD_LEVEL={}
MD_DEVICES=3
MD_METADATA=1.2
MD_UUID=8f600ff3:ccc9872c:539cd6c8:91e3b4a1
MD_DEVNAME=0
MD_DEVICE_dev_dasdp1_ROLE=0
MD_DEVICE_dev_dasdp1_DEV=/dev/dasdp1
MD_DEVICE_dev_dasdq1_ROLE=1
MD_DEVICE_dev_dasdq1_DEV=/dev/dasdq1
MD_DEVICE_dev_dasdr1_ROLE={}
MD_DEVICE_dev_dasdr1_DEV=/dev/dasdr1
"""


@pytest.mark.parametrize(
    ("level", "role", "disks"),
    [("raid5", "2", ["dasdp", "dasdq", "dasdr"]), ("container", "spare", ["dasdp", "dasdq", "dasdr"]),
     ("raid5", "spare", ["dasdp", "dasdq", "removed: md0"])],
)  # fmt: skip
def test_an_array_has_the_devices_that_are_exported(
    level: str, role: str, disks: list[str], where: Ask
) -> None:
    """A spare holds none of its data; of a container each is a spare to mdadm."""
    (place,) = where("md0", _EXPORTED.format(level, role))["where"]
    assert [disk["disk"] for disk in place["disks"]] == disks


_REBUILT: Final = """\
# mdadm --detail /dev/md127
/dev/md127:
           Version : 1.2
        Raid Level : raid1
      Raid Devices : 2
             State : clean, degraded, recovering
    Rebuild Status : 24% complete
    Number   Major   Minor   RaidDevice State
       0      94        1        0      active sync   /dev/dasda1
       3      94        5        1      spare rebuilding   /dev/dasdb1
"""
_STAT: Final = """\
# cat /proc/mdstat
Personalities : [raid1]
md127 : active raid1 dasdb1[3] dasda1[0]
      101376 blocks super 1.2 [2/1] [U_]
      [====>................]  recovery = 24.0% (24320/101376) finish=0.0min speed=24320K/sec
"""


def test_a_device_that_is_rebuilt_is_no_missing_one(where: Ask) -> None:
    """The array has all its devices, and says what it does."""
    (place,) = where("md127", _REBUILT)["where"]
    assert [disk["disk"] for disk in place["disks"]] == ["dasda", "dasdb"]
    assert where("dasdb", _REBUILT)["states"] == [
        "array md127: degraded, recovering (24% complete)",
        "member of the array md127 on dasdb1: rebuilding",
    ]
    assert place["steps"][0]["what"] == "md raid1, layout not known"


def test_what_the_kernel_does_with_an_array_is_said(where: Ask) -> None:
    """As far as it is; the device that is written to is none that is removed."""
    assert where("dasda", _STAT)["states"] == ["array md127: recovery at 24.0%"]
    (place,) = where("md127", _STAT)["where"]
    assert [disk["disk"] for disk in place["disks"]] == ["dasda", "dasdb"]


def test_an_array_that_is_reshaped_lies_nowhere_exactly(where: Ask) -> None:
    """Its data move."""
    text = _REBUILT.replace("spare rebuilding", "active sync").replace("degraded, recovering", "reshaping")
    (place,) = where("md127", text)["where"]
    assert place["steps"][0]["what"] == "md raid1, layout not known"


_CONTAINER = """\
Personalities : [raid1]
md127 : inactive dasdq[1](S) dasdp[0](S)
      3315 blocks super external:imsm

md125 : active raid1 dasdq[1] dasdp[0]
      5242880 blocks super external:/md127/0 [2/2] [UU]

unused devices: <none>
"""


def test_a_container_has_the_devices_that_are_listed(where: Ask) -> None:
    """It has no slots, so none can be empty; its blocks are no size of a disk."""
    answer = where("md127", f"box1:~ # cat /proc/mdstat\n{_CONTAINER}")
    assert {disk["disk"] for disk in answer["disks"]} == {"dasdp", "dasdq"}
    assert "not seen" not in str(answer)
    assert {disk["disk"] for disk in where("md125", f"box1:~ # cat /proc/mdstat\n{_CONTAINER}")["disks"]} == {
        "dasdp", "dasdq"
    }  # fmt: skip


def test_a_partition_of_an_array_with_a_name_lies_on_the_array(where: Ask) -> None:
    """Its name may be that of an array, too; the array that is listed tells which it is."""
    mounted = (
        "box1:~ # cat /proc/mdstat\nmd_a1 : active raid0 dasdq1[1] dasdp1[0]\n"
        "      900 blocks super 1.2 512k chunks\n\n"
        "box1:~ # cat /proc/mounts\n/dev/md_a1p1 /srv ext4 rw 0 0\n/dev/dasdr1 / ext4 rw 0 0\n"
    )
    for asked in ("/srv", "md_a1p1", "md_a1"):
        answer = where(asked, mounted)
        assert all(f'"disk": "{disk}"' in json.dumps(answer) for disk in ("dasdp", "dasdq"))
        assert "md_a1p1 (disk)" not in str(answer)


@pytest.mark.parametrize(("row", "is_open"), [(None, False), ("dasdp1", True), ("dasdq1", True)])
def test_a_line_behind_all_slots_of_an_array_is_none_of_its_members(row: str | None, is_open: bool) -> None:
    """One in front of the last slot may be."""
    rows = DETAIL.splitlines()
    at = next((at for at, told in enumerate(rows) if row and told.endswith(row)), len(rows))
    text = "\n".join([*rows[:at], "?! xyz", *rows[at:], ""])
    assert any(": " in str(name) for name in members(text)) is is_open


_SECOND_LINE: Final = "      2403648 blocks super 1.2 level 6, 512k chunk, algorithm 18 [4/3] [UUU_]\n"
_GROWING: Final = """\
# cat /proc/mdstat
Personalities : [raid6] [raid5] [raid4]
md0 : active raid6 dasds1[6] dasdr1[4] dasdp1[5] dasdq1[3]
{}
unused devices: <none>
"""


@pytest.mark.parametrize(
    "rows",
    [
        f"{_SECOND_LINE}      [>....]  reshape =  0.1% (49/39) finish=6498319.2min speed=10K/sec\n",
        "2403648 blocks super 1.2 level 6, 512k chunk, algorithm 18 [4/3] [UUU_]\nresync=DELAYED\n",
        "   2403648 blocks super 1.2 level 6, 512k chunk,\nalgorithm 18 [4/3] [UUU_]\n",
        "   2403648 blocks super 1.2 level 6, 512k chunk, algorithm 18\n[4/3] [UUU_]\n",
    ],
)
def test_a_device_with_a_slot_is_not_missing_while_its_data_are_not_there(rows: str, where: Ask) -> None:
    """The second line may lack its blanks, or be cut in two."""
    answer = where("md0", _GROWING.format(rows))
    assert [disk["disk"] for disk in answer["where"][0]["disks"]] == ["dasdp", "dasdq", "dasdr", "dasds"]
    assert "array md0: 1 device of 4 not in sync" in answer["states"]


_INACTIVE: Final = """\
# mdadm --detail /dev/md0
/dev/md0:
           Version : 1.2
        Raid Level : raid0
     Total Devices : 2
             State : inactive
    Number   Major   Minor   RaidDevice

       -       8       65        -        /dev/sde1
       -       8       49        -        /dev/sdd1
"""
_STOPPED: Final = """\
# cat /proc/mdstat
Personalities : [raid10]
md0 : inactive sdc1[1](S) sde1[4](S) sdd1[3](S)
       11720537886 blocks super 1.2
"""


@pytest.mark.parametrize(
    ("content", "disks"),
    [(_INACTIVE, ["sdd", "sde"]), (_STOPPED, ["sdc", "sdd", "sde"]),
     (_INACTIVE + _STOPPED, ["sdc", "sdd", "sde"])],
)  # fmt: skip
def test_an_array_that_does_not_run_has_its_devices_and_no_level(
    content: str, disks: list[str], where: Ask
) -> None:
    """What mdadm prints of it drops none that the kernel lists; whether there are more is open."""
    answer = where("md0", content)
    names = [disk["disk"] for disk in answer["where"][0]["disks"]]
    assert names[:-1] == disks
    assert names[-1] == "not seen: whether md0 has further members"
    assert "raid0" not in json.dumps(answer["where"])
    assert answer["states"] == ["array md0: inactive"]


def test_a_member_that_an_earlier_list_has_is_not_without_use(where: Ask) -> None:
    """Two lists of an array contradict each other, and neither drops the devices of the other."""
    content = (
        "Now it is like this:\n\n# cat /proc/mdstat\nPersonalities :\n"
        "md0 : inactive sdc[1](S)\n      9766306304 blocks super 1.2\n\n"
        "Some days ago the file had these lines in it:\n\nPersonalities : [raid5]\n"
        "md0 : active raid5 sdd[3] sdc[1] sdb[0]\n"
        "      19532612608 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]\n"
    )
    for disk in ("sdb", "sdc", "sdd"):
        assert "md0" in where(disk, content)["devices"]
