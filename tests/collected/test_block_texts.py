"""What lsblk and its like say of block devices."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collected.texts import LSBLK, facts_in, row, text
from zmon.collected.collection import facts_of
from zmon.collected.facts import UNSEEN
from zmon.collected.transcript import outputs

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

PAIRS = """\
NAME="dasdb" KNAME="dasdb" MAJ:MIN="94:4" PKNAME="" TYPE="disk" MODEL="a b"
NAME="dasdb1" KNAME="dasdb1" MAJ:MIN="94:5" PKNAME="dasdb" TYPE="part" MODEL=""
NAME="dasdc1" KNAME="dasdc1" MAJ:MIN="94:9" PKNAME="dasdc" TYPE="part" MODEL=""
NAME="db2vg-data" KNAME="dm-0" MAJ:MIN="253:0" PKNAME="dasdb1" TYPE="lvm" MODEL=""
NAME="db2vg-data" KNAME="dm-0" MAJ:MIN="253:0" PKNAME="dasdc1" TYPE="lvm" MODEL=""
"""
WIDE = """\
NAME           KNAME  MAJ:MIN FSTYPE      LABEL RO RM MODEL  SIZE OWNER GROUP
dasdb          dasdb   94:4                      0  0        22.5G root  disk
`-dasdb1       dasdb1  94:5   LVM2_member        0  0        22.5G root  disk
  `-db2vg-data dm-0   253:0   xfs         data   0  0          45G root  disk
"""
LINKS = """\
/dev/disk/by-path:
total 0
lrwxrwxrwx 1 root root 11 2026-03-17 09:12 ccw-0.0.7101 -> ../../dasdb
lrwxrwxrwx 1 root root 12 2026-03-17 09:12 ccw-0.0.7101-part1 -> ../../dasdb1
lrwxrwxrwx 1 root root 9 2026-03-17 09:12 ccw-0.0.3d0c-zfcp-0x500507630300c562:0x4010403300000000 -> ../../sda

/dev/disk/by-uuid:
lrwxrwxrwx 1 root root 10 2026-03-17 09:12 6b5c2d1e-0000-4000-8000-00000000beef -> ../../dm-0
"""


def test_the_tree_says_what_lies_on_what() -> None:
    """A volume below two partitions is on both; sizes are rounded and not taken."""
    facts = facts_in(LSBLK, "lsblk")
    assert row(facts, "layer", "253:0") == {
        "name": "dm-0", "sort": "dm", "mapped": "db2vg-data", "below": "94:5 94:9",
    }  # fmt: skip
    assert row(facts, "layer", "94:5") == {"name": "dasdb1", "sort": "partition", "parent": "94:4"}
    assert row(facts, "layer", "253:1")["below"] == "94:9"
    assert row(facts, "layer", "94:0") == {"name": "dasda", "sort": "disk", "below": ""}


def test_a_partition_of_a_multipath_device_is_one_of_the_device_mapper() -> None:
    """The tree of lsblk calls it part, too; its kernel name is that of its number."""
    facts = facts_in(LSBLK, "lsblk")
    assert row(facts, "layer", "253:3") == {
        "name": "dm-3", "sort": "dm", "mapped": "mpatha1", "below": "253:2",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["bcache0", "drbd0", "vendor0"])
def test_a_disk_that_a_driver_has_built_is_on_what_it_hangs_on(name: str, where: Ask) -> None:
    """Its type is that of a disk; the tree is none that was turned round."""
    tree = f"""\
# lsblk
NAME          MAJ:MIN RM SIZE RO TYPE MOUNTPOINT
dasdb          94:4    0  45G  0 disk\x20
└─dasdb1       94:5    0  45G  0 part\x20
  └─{name:8} 251:0    0  45G  0 disk /d
dasdc          94:8    0  45G  0 disk\x20
└─{name:8}   251:0    0  45G  0 disk /d
"""
    (answer,) = where("/d/x", tree)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdb", "dasdc"]
    for disk in ("dasdb", "dasdc"):
        assert [mount["point"] for mount in where(disk, tree)["mounts"]] == ["/d"]


def test_a_partition_without_a_parent_is_on_the_disk_it_is_named_after() -> None:
    """Pairs without PKNAME show no tree: what a logical volume is on stays open."""
    pairs = """\
NAME="dasdb" MAJ:MIN="94:4" TYPE="disk"
NAME="dasdb1" MAJ:MIN="94:5" TYPE="part"
NAME="dasdc1" MAJ:MIN="94:9" TYPE="part"
NAME="nvme0n1" MAJ:MIN="259:0" TYPE="disk"
NAME="nvme0n1p2" MAJ:MIN="259:2" TYPE="part"
NAME="db2vg-data" MAJ:MIN="253:0" TYPE="lvm"
"""
    facts = facts_in(pairs, "lsblk -P -o NAME,MAJ:MIN,TYPE")
    assert row(facts, "layer", "94:5")["parent"] == "94:4"
    assert row(facts, "layer", "259:2")["parent"] == "259:0"
    assert not row(facts, "layer", "94:9").get("parent")
    assert "below" not in row(facts, "layer", "253:0")


def test_pairs_json_and_a_wide_table_say_the_same() -> None:
    """Each form of lsblk gives the same volume on the same partition."""
    inner = {"name": "db2vg-data", "kname": "dm-0", "maj:min": "253:0", "type": "lvm"}
    middle = {"name": "dasdb1", "maj:min": "94:5", "type": "part", "children": [inner]}
    document = {"blockdevices": [{"name": "dasdb", "maj:min": "94:4", "type": "disk", "children": [middle]}]}
    of_pairs = facts_in(PAIRS, "lsblk -O -P")
    assert row(of_pairs, "layer", "253:0")["below"] == "94:5 94:9"
    for facts in (facts_in(json.dumps(document), "lsblk -J"), facts_in(WIDE, "lsblk -i -o NAME,KNAME")):
        assert row(facts, "layer", "253:0") == {
            "name": "dm-0", "sort": "dm", "mapped": "db2vg-data", "below": "94:5",
        }  # fmt: skip
        assert row(facts, "layer", "94:5") == row(of_pairs, "layer", "94:5")


MOUNTED = """\
NAME      MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
dasdb      94:4    0  6.9G  0 disk
├─dasdb1   94:5    0    1G  0 part /boot
│                                  /boot/old
└─dasdb2   94:6    0  5.9G  0 part [SWAP]
dasdc      94:8    0  6.9G  0 disk /opt
                                   /my home
                                   /

/proc proc proc rw
                                   /no more
"""


def test_further_mount_points_are_on_the_device_above_them() -> None:
    """Without a number a row continues the one before; active swap is named like a mount point."""
    facts = facts_in(MOUNTED, "lsblk")
    assert [*facts.mounts] == [
        ("94:5", "/boot"), ("94:5", "/boot/old"), ("94:8", "/opt"), ("94:8", "/my home"), ("94:8", "/"),
    ]  # fmt: skip
    assert [*facts.swaps] == ["/dev/dasdb2"]


@given(st.text(max_size=60), st.integers(0, len(MOUNTED)))
def test_any_table_is_read_without_an_error(content: str, at: int) -> None:
    """Mount points are absolute, and belong to a device with a number."""
    facts = facts_in(MOUNTED[:at] + content + MOUNTED[at + 1 :], "lsblk")
    assert all(":" in number and point.startswith("/") for number, point in facts.mounts)


def test_proc_partitions_gives_exact_sizes() -> None:
    """Sizes are KiB there and sectors of 512 bytes in a row."""
    facts = facts_in("major minor  #blocks  name\n\n  94        4   23587200 dasdb\n", "", "proc/partitions")
    assert row(facts, "layer", "94:4") == {"name": "dasdb", "size": 47174400, "sort": "disk"}


def test_the_sum_of_a_directory_may_be_in_any_language() -> None:
    """It ends nothing."""
    link = "lrwxrwxrwx 1 root root 7 29. Nov 19:57 db2vg-data -> ../dm-2\n"
    facts = facts_in(f"insgesamt 0\n{link}", "ls -l /dev/mapper")
    assert row(facts, "layer", "dm-2")["mapped"] == "db2vg-data"


def test_names_by_path_say_the_device_and_the_lun() -> None:
    """Udev writes bus id, port and LUN into them."""
    facts = facts_in(LINKS, "ls -lR --time-style=long-iso /dev/disk/")
    assert row(facts, "layer", "dasdb")["busid"] == "0.0.7101"
    assert row(facts, "layer", "sda")["lun"] == "0x4010403300000000"
    assert row(facts, "layer", "dm-0") == {"links": "disk/by-uuid/6b5c2d1e-0000-4000-8000-00000000beef"}


LUNS = """\
NAME HCTL    TYPE VENDOR MODEL    REV SERIAL                           WWN                TRAN
sda  0:0:0:1 disk IBM    2107900 1.01 75ABC011C02                      0x6005076300000001 fc
sdb  0:0:1:1 disk IBM    2107900 1.01 6005076300000001c000000000001c03                    fc
"""
ORDERED = """\
TYPE  SIZE PKNAME NAME             MAJ:MIN MOUNTPOINT FSTYPE
disk  6.9G        dasdb             94:4
part    1G dasdb  ├─dasdb1          94:5   /boot      ext4
part  5.9G dasdb  └─dasdb2          94:6              LVM2_member
lvm   5.9G dasdb2   └─db2vg-data    253:0
"""
BETWEEN = """\
NAME             FSTYPE      UUID                                 FSUSE% MOUNTPOINT MAJ:MIN  START
dasdb                                                                                94:4
├─dasdb1         ext4        6b5c2d1e-0000-4000-8000-00000000beef    46% /my boot    94:5      192
└─dasdb2         LVM2_member                                             [SWAP]      94:6   195840
  └─db2vg-data                                                                      253:0
"""
SERIALS = """\
NAME      SERIAL HCTL             MODEL      TRAN MOUNTPOINTS
sda       1234   0:0:1:1077100560 A MODEL 21 fc   /data
└─db2vg-x                                         /x
                                                  /y y
loop0                                             /z
"""
RAW = """\
NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS
dasdb 94:4 0 6.9G 0 disk 
dasdb1 94:5 0 1G 0 part /boot\\x0a/boot\\x20old
"""  # noqa: W291
BYTES = """\
NAME     MAJ:MIN RM       SIZE RO TYPE MOUNTPOINTS
dasdb     94:4    0 7384596480  0 disk
└─dasdb1  94:5    0 7384498176  0 part /boot
"""
MERGED = """\
         NAME          MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINTS
         dasda          94:0    0  6.9G  0 disk  /
                                                 /home
   ┌┈▶   sda             8:0    0   64M  0 disk
┌┈▶┆     sdb             8:16   0   64M  0 disk
┆  └┬▶   sdc             8:32   0   64M  0 disk
┆   └┈┈┈┈mpatha        253:0    0   64M  0 mpath
┆        └─mpatha1     253:2    0   63M  0 part  /part
└┬▶      sdd             8:48   0   64M  0 disk
 └┈┈┈┈┈┈┈mpathb        253:1    0   64M  0 mpath
┌┈▶      ├─db2vg-one   253:3    0   30M  0 lvm
└┬▶      └─db2vg-two   253:4    0   30M  0 lvm
 ┆       dasdb          94:4    0  6.9G  0 disk
 └┈┈┈┈┈┈┈db2vg-three   253:5    0   60M  0 lvm   /three
"""
ASCII_MERGED = """\
         NAME          MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINTS
         dasda          94:0    0  6.9G  0 disk  /
                                                 /home
   ,->   sda             8:0    0   64M  0 disk
,->|     sdb             8:16   0   64M  0 disk
|  '->   sdc             8:32   0   64M  0 disk
|   `----mpatha        253:0    0   64M  0 mpath
|        `-mpatha1     253:2    0   63M  0 part  /part
'->      sdd             8:48   0   64M  0 disk
 `-------mpathb        253:1    0   64M  0 mpath
,->      |-db2vg-one   253:3    0   30M  0 lvm
'->      `-db2vg-two   253:4    0   30M  0 lvm
 |       dasdb          94:4    0  6.9G  0 disk
 `-------db2vg-three   253:5    0   60M  0 lvm   /three
"""


@pytest.mark.parametrize("codec", ["cp1252", "latin-1"])
@pytest.mark.parametrize("content", [LSBLK, MERGED], ids=["tree", "chart"])
def test_a_tree_is_read_whose_encoding_was_mistaken(content: str, codec: str) -> None:
    """UTF-8 that a terminal or a mail took for another encoding is undone."""
    facts = facts_in(content)
    assert facts.rows["layer"]
    assert facts_in(content.encode().decode(codec)).rows == facts.rows


def test_a_lun_is_told_by_its_serial_number_and_its_unique_id() -> None:
    """Of a long unique id lsblk prints half, or all of it instead of a serial number."""
    facts = facts_in(LUNS)
    told = row(facts, "layer", "sda")
    assert [told[name] for name in ("vendor", "model", "serial")] == ["IBM", "2107900", "75ABC011C02"]
    assert row(facts, "layer", "sdb")["wwid"] == "naa.6005076300000001c000000000001c03"
    assert "serial" not in row(facts, "layer", "sdb")


def test_columns_may_be_in_any_order() -> None:
    """The tree is drawn where the names are; what stands left of a number is no part of a name."""
    facts = facts_in(ORDERED, "lsblk")
    assert row(facts, "layer", "94:5") == {"name": "dasdb1", "sort": "partition", "parent": "94:4"}
    assert row(facts, "layer", "253:0") == {
        "name": "dm-0", "sort": "dm", "mapped": "db2vg-data", "below": "94:6",
    }  # fmt: skip
    assert facts.mounts["94:5", "/boot"].fstype == "ext4"
    facts = facts_in(BETWEEN, "lsblk")
    assert row(facts, "layer", "94:5") == {
        "name": "dasdb1", "sort": "partition", "parent": "94:4", "start": 192,
    }  # fmt: skip
    assert row(facts, "layer", "253:0")["mapped"] == "db2vg-data"
    assert [*facts.mounts] == [("94:5", "/my boot")]
    assert [*facts.swaps] == ["/dev/dasdb2"]


WITHOUT_HEADING = """\
dasdb               22.5G\x20
└─dasdb1            22.5G\x20
  └─vgdata-lv_data   300G /srv/data
dasdc              180.4G\x20
└─dasdc1           180.4G\x20
  └─vgdata-lv_data   300G /srv/data
"""
RAW_ALONE = "dasdb disk \ndasdb1 part /srv/data\nvgdata-lv_data lvm /srv/wal\n"


@pytest.mark.parametrize(("command", "content", "points"), [
    ("lsblk -no NAME,SIZE,MOUNTPOINT", WITHOUT_HEADING, {("vgdata-lv_data", "/srv/data")}),
    ("lsblk -n -o name,size,mountpoint", WITHOUT_HEADING, {("vgdata-lv_data", "/srv/data")}),
    ("lsblk -rno NAME,TYPE,MOUNTPOINT", RAW_ALONE, {("dasdb1", "/srv/data"), ("vgdata-lv_data", "/srv/wal")}),
])  # fmt: skip
def test_columns_without_a_heading_are_those_that_were_asked_for(
    command: str, content: str, points: set[tuple[str, str]]
) -> None:
    """Where they begin the blanks of all rows tell, or each row."""
    facts = facts_in(content, command)
    assert {*facts.mounts} == points
    if content is WITHOUT_HEADING:
        assert row(facts, "layer", "vgdata-lv_data")["below"] == "dasdb1 dasdc1"


def test_sizes_may_stand_left_of_their_heading() -> None:
    """The blanks before the heading are no margin of the text."""
    content = "# lsblk -o SIZE,NAME,MOUNTPOINT\n  SIZE NAME     MOUNTPOINT\n 22.5G dasdb    \n"
    content += "180.4G └─dasdb1 /srv\n"
    assert {*facts_in(content).mounts} == {("dasdb1", "/srv")}


def test_a_name_with_a_blank_is_none() -> None:
    """The device mapper writes a blank in hex, so a row with one does not fit."""
    facts = facts_in(ORDERED.replace("db2vg-data   ", "db2vg-my data"), "lsblk")
    assert "253:0" not in facts.rows["layer"]


def test_a_table_without_numbers_has_names_and_addresses() -> None:
    """And mount points, some of which have lines of their own."""
    facts = facts_in(SERIALS)
    assert row(facts, "layer", "db2vg-x") == {"sort": "dm", "mapped": "db2vg-x", "below": "sda"}
    assert facts.aliases == {"scsi-0-0-1-1077100560": "sda"}
    assert row(facts, "layer", "scsi-0-0-1-1077100560")["lun"] == "0x4010403300000000"
    assert [point for _key, point in facts.mounts] == ["/data", "/x", "/y y", "/z"]


@pytest.mark.parametrize("command", ["lsblk -r", ""])
def test_blanks_in_raw_rows_are_escaped(command: str) -> None:
    """Several mount points are divided by a line feed, which is escaped, too."""
    facts = facts_in(RAW, command)
    assert [*facts.mounts] == [("94:5", "/boot"), ("94:5", "/boot old")]


def test_sizes_in_bytes_are_taken() -> None:
    """Those with a unit are rounded."""
    facts = facts_in(BYTES, "lsblk -b")
    assert row(facts, "layer", "94:5")["size"] == 14422848
    assert "size" not in row(facts_in(BYTES.replace("7384498176", "      6.9G"), "lsblk"), "layer", "94:5")


@pytest.mark.parametrize("content", [MERGED, ASCII_MERGED, f"box1:~ # lsblk -M\n{MERGED}"])
def test_a_merged_tree_says_what_is_on_a_group(content: str) -> None:
    """A map is on all its paths; of a logical volume the chart may leave some out, as another text shows."""
    facts = facts_in(content)
    assert row(facts, "layer", "253:0")["below"] == "8:0 8:32"
    assert row(facts, "layer", "253:1")["below"] == "8:16 8:48"
    assert row(facts, "layer", "253:2")["below"] == "253:0"
    assert row(facts, "layer", "253:5")["below"] == f"253:3 253:4 {UNSEEN}"
    assert {fact.is_hint for fact in facts.rows["layer"]["253:5"]["below"]} == {True}
    assert [*facts.mounts] == [("94:0", "/"), ("94:0", "/home"), ("253:2", "/part"), ("253:5", "/three")]
    assert {*facts.rows["path"]} == {"8:0", "8:16", "8:32", "8:48"}


@pytest.mark.parametrize("content", [MERGED, ORDERED, BETWEEN, LSBLK])
@pytest.mark.parametrize("noise", ["", "gr#sel %$ 17\n", "   \n"])
def test_a_tree_without_a_line_never_shows_another_device(content: str, noise: str) -> None:
    """What a device is on is the same, or not wholly known; a path that has no line is no longer known of."""
    whole = facts_in(content, "lsblk").rows["layer"]
    lines = content.splitlines(keepends=True)
    for at in range(1, len(lines)):
        rows = facts_in("".join((*lines[:at], noise, *lines[at + 1 :])), "lsblk").rows["layer"]
        for key, told in rows.items():
            for fact in told.get("below", ()):
                now, was = ({*str(value).split()} for value in (fact.value, whole[key]["below"][0].value))
                assert now <= was or UNSEEN in now, (lines[at], key)
                assert now == was or UNSEEN in now or noise != "gr#sel %$ 17\n", (lines[at], key)


LISTED = """\
NAME       PKNAME MAJ:MIN TYPE
dasdb              94:4   disk
dasdb1     dasdb   94:5   part
dasdc              94:8   disk
dasdc1     dasdc   94:9   part
db2vg-data dasdb1 253:0   lvm
"""


@pytest.mark.parametrize("command", ["lsblk -l", "lsblk -P"])
def test_a_list_has_a_device_once(command: str) -> None:
    """With one of those that it is on, so that others may be there; in the order of the tree it has all."""
    pairs = "".join(
        'NAME="{}" PKNAME="{}" MAJ:MIN="{}" TYPE="{}"\n'.format(
            words[0], *([] if len(words) > 3 else [""]), *words[1:]
        )
        for words in map(str.split, LISTED.splitlines()[1:])
    )  # fmt: skip
    facts = facts_in(LISTED if command == "lsblk -l" else pairs, command)
    assert row(facts, "layer", "253:0")["below"] == f"94:5 {UNSEEN}"
    assert row(facts, "layer", "94:9")["parent"] == "94:8"


@pytest.mark.parametrize("command", ["lsblk /dev/dasdb", "lsblk -e 94", "lsblk --include 94", "lsblk -E WWN"])
def test_a_part_of_the_devices_may_leave_some_out(command: str) -> None:
    """Then what a volume is on counts only where no other text has it."""
    facts = facts_in(LSBLK, command)
    assert UNSEEN in str(row(facts, "layer", "253:0")["below"])
    assert UNSEEN not in str(row(facts_in(LSBLK, "lsblk -e 7,11"), "layer", "253:0")["below"])
    assert UNSEEN not in str(
        facts_of([text(LSBLK, command), text(LSBLK, "lsblk")])[0].rows["layer"]["253:0"]["below"]
    )


def test_devices_of_other_drivers_keep_their_names() -> None:
    """A linear array is one of md; without a type a name that no driver gives is one of the device mapper."""
    facts = facts_in("NAME MAJ:MIN TYPE\nmd0    9:0   linear\n", "lsblk")
    assert row(facts, "layer", "9:0")["sort"] == "md"
    facts = facts_in("MAJ:MIN NAME\n253:0   luks\n252:0   dcssblk0\n", "lsblk")
    assert row(facts, "layer", "253:0") == {"name": "dm-0", "sort": "dm", "mapped": "luks"}
    assert row(facts, "layer", "252:0")["name"] == "dcssblk0"


@pytest.mark.parametrize("lost", ["?", "???", "\ufffd", "\udce2\udc94\udc9c"])
def test_what_a_tree_was_drawn_with_is_no_part_of_a_name(lost: str) -> None:
    """Where its characters were lost, the device is not known."""
    facts = facts_in(re.sub("[├─└│]", lost, LSBLK), "lsblk")
    assert "94:0" in facts.rows["layer"]
    assert "94:5" not in facts.rows["layer"]


@pytest.mark.parametrize("kind", ['"type": "disk", ', ""])
def test_an_inverse_document_is_known_without_its_command(kind: str) -> None:
    """What stands below a partition is its disk; of old releases a device has one mount point."""
    content = (
        '{"blockdevices": [{"name": "wh-load", "maj:min": "253:0", "type": "lvm", "mountpoint": "/load",'
        ' "children": [{"name": "dasdp1", "maj:min": "94:61", "type": "part",'
        f' "children": [{{"name": "dasdp", {kind}"maj:min": "94:60"}}]}}]}}]}}\n'
    )
    facts = facts_in(content, "")
    assert row(facts, "layer", "253:0")["below"] == "94:61"
    assert row(facts, "layer", "94:61")["parent"] == "94:60"
    assert ("253:0", "/load") in facts.mounts


def test_a_device_of_a_document_that_is_not_understood_is_below_what_stands_there() -> None:
    """What hangs on it is on a device that is not seen, and the document is counted."""
    content = (
        '{"blockdevices": [{"name": "dasdp", "maj:min": "8:0", "type": "disk", "children":'
        ' [{"name": "wh-load", "maj:min": "253:0", "type": "lvm"}]}]}\n'
    )
    facts = facts_in(content, "lsblk -J")
    assert row(facts, "layer", "253:0")["below"] == UNSEEN


def test_an_nvme_disk_has_its_serial_number_and_its_own_kind_of_id() -> None:
    """Which is no wwn."""
    content = (
        'NAME="nvme0n1" SERIAL="S4EVNX0" WWN="eui.0025385b71b0a111" VENDOR="" MODEL="Linux" TYPE="disk"\n'
    )
    disk = row(facts_in(content, "lsblk -P"), "layer", "nvme0n1")
    assert {name: disk.get(name) for name in ("serial", "wwid", "model")} == {
        "serial": "S4EVNX0", "wwid": "eui.0025385b71b0a111", "model": "Linux",
    }  # fmt: skip


def test_links_by_id_say_which_device_it_is(where: Ask) -> None:
    """The LCU of a DASD whose bus id another link has, the WWID of a disk and of a map."""
    links = """\
# ls -l /dev/disk/by-id /dev/disk/by-path
/dev/disk/by-id:
lrwxrwxrwx 1 root root 11 Mar 17 06:00 ccw-IBM.75000000AAAA1.1000.01 -> ../../dasdb
lrwxrwxrwx 1 root root 10 Mar 17 06:00 dm-name-mpatha -> ../../dm-0
lrwxrwxrwx 1 root root 10 Mar 17 06:00 dm-uuid-mpath-36005076309ffd1c70000000000001a00 -> ../../dm-0
lrwxrwxrwx 1 root root  9 Mar 17 06:00 wwn-0x6005076309ffd1c70000000000001a01 -> ../../sda

/dev/disk/by-path:
lrwxrwxrwx 1 root root 11 Mar 17 06:00 ccw-0.0.1001 -> ../../dasdb
"""
    (disk,) = where("dasdb", links)["disks"]
    assert disk["key"] == "IBM.75000000AAAA1.1000"
    facts = facts_in(links)
    assert row(facts, "layer", "dm-0")["uuid"] == "mpath-36005076309ffd1c70000000000001a00"
    assert row(facts, "layer", "dm-0")["mapped"] == "mpatha"
    assert row(facts, "layer", "sda")["wwid"] == "naa.6005076309ffd1c70000000000001a01"


def test_links_by_path_are_known_without_their_directory() -> None:
    """No other directory has names of bus ids."""
    link = (
        "lrwxrwxrwx 1 root root 9 2026-03-17 06:00 ccw-0.0.f100-fc-0x5005076305ffc1ae-lun-0x4010400100000000"
    )
    assert row(facts_in(f"total 0\n{link} -> ../../sda\n"), "layer", "sda")["busid"] == "0.0.f100"
    for bus in ("virtio-pci-0000:07:00.0", "pci-0000:00:1f.2-ata-1"):
        facts = facts_in(link.replace("ccw-0.0.f100-fc-0x5005076305ffc1ae-lun-0x4010400100000000", bus)
                         + "-part2 -> ../../vda2\n")  # fmt: skip
        assert (row(facts, "layer", "vda2")["sort"], row(facts, "layer", "vda")["sort"]) == (
            "partition",
            "disk",
        )


BY_ID = """\
total 0
lrwxrwxrwx 1 root root 10 Mar  2 10:10 dm-name-mpatha -> ../../dm-0
lrwxrwxrwx 1 root root  9 Mar  2 10:10 wwn-0x6005076307ffc5e3000000000000012d -> ../../sdd
"""


@pytest.mark.parametrize(("command", "is_known"), [
    ("ls -l /dev/disk/by-id", True),
    ("ls -l /dev/disk/by-id | grep -v part", True),
    ("ls -l /dev/disk/by-id/ | grep -v part1", True),
    ("ls -l /dev/disk/by-id /dev/mapper | grep -v part", False),
    ("ls -lR /dev/disk/by-id | grep -v part", False),
])  # fmt: skip
def test_a_filter_takes_no_directory_away_that_the_command_names(command: str, is_known: bool) -> None:
    """Where it names one alone; of several the headings may be left out."""
    layers = facts_in(BY_ID, command).rows.get("layer", {})
    assert [*layers] == (["dm-0", "sdd"] if is_known else [])


LIST_OF_DEV = """\
/dev:
total 0
brw-rw----  1 0   6      94,   0 Mar  1 10:00 dasda
lrwxrwxrwx  1 0   0           13 Mar  1 10:00 fd -> /proc/self/fd
lrwxrwxrwx  1 0   0           15 Mar  1 10:00 cdrom -> sr0

/dev/disk/by-path:
total 0
lrwxrwxrwx 1 0 0   11 Mar  1 10:00 ccw-0.0.7a00 -> ../../dasda

/dev/disk/by-id:
total 0
lrwxrwxrwx 1 0 0   11 Mar  1 10:00 ccw-0X7A00 -> ../../dasda
lrwxrwxrwx 1 0 0   11 Mar  1 10:00 ccw-IBM.750000000FF001.7a00.00 -> ../../dasda

/dev/vga:
total 0
lrwxrwxrwx 1 0 0    7 Mar  1 10:00 lv1 -> ../dm-0
"""


def test_a_list_of_dev_tells_bus_ids_and_unique_ids() -> None:
    """As sos has it; in other directories links say nothing, and are understood."""
    (cut,) = outputs("sosreport-a/sos_commands/block/ls_-lanR_.dev", LIST_OF_DEV.encode(), 1)
    facts, (read,) = facts_of([cut])
    assert not read.strange
    assert row(facts, "device", "0.0.7a00") == {
        "block": "dasda", "uid": "IBM.750000000FF001.7a00.00",
    }  # fmt: skip


@pytest.mark.parametrize("text", [
    "# ls -l /dev/rfact1\nlrwxrwxrwx. 1 root root 11 Mar  2 10:00 /dev/rfact1 -> /dev/dasdd1\n",
    "# ls -l /dev/oracleasm\ntotal 0\nlrwxrwxrwx. 1 root root 7 Mar  3 09:10 rfact1 -> ../dasdd1\n",
    "# ls -lanR /dev\n/dev/oracleasm:\ntotal 0\nlrwxrwxrwx. 1 0 0 7 Mar  3 09:10 rfact1 -> ../dasdd1\n",
])  # fmt: skip
def test_any_link_in_dev_names_a_device(text: str, where: Ask) -> None:
    """As people and rules of udev make them."""
    uids = "# lsdasd -u\n0.0.0603  dasdd  IBM.750000000DB411.0600.03\n"
    word = "/dev/oracleasm/rfact1" if "oracleasm" in text else "/dev/rfact1"
    (disk,) = where(word, uids + text)["disks"]
    assert disk["busid"] == "0.0.0603"


def test_the_address_of_a_scsi_disk_names_its_lss(where: Ask) -> None:
    """As Linux writes its LUN; a small one names none."""
    row = 'NAME="sdd" KNAME="sdd" TYPE="disk" SIZE="100G" HCTL="1:0:0:{}"\n'
    command = "# lsblk -P -o NAME,KNAME,TYPE,SIZE,HCTL\n"
    (disk,) = where("sdd", command + row.format(1073758209))["disks"]
    assert (disk["lss"], disk["lcu_grade"]) == ("01", "assumed")
    (disk,) = where("sdd", command + row.format(1))["disks"]
    assert isinstance(disk["lss"], dict)


def test_nodes_of_the_mapper_without_links_have_names_and_numbers(where: Ask) -> None:
    """As `ls -lL` shows them; the control device is none."""
    text = (
        "box1:~ # ls -lL /dev/mapper\ntotal 0\ncrw------- 1 root root 10,  58 Jun  1 08:00 control\n"
        "brw-rw---- 1 root disk 253,  9 Jun  1 08:00 wh-load\n"
        "box1:~ # cat /proc/self/mountinfo\n24 1 253:9 / /load rw - xfs /dev/dm-9 rw\n"
    )
    assert where("wh/load", text)["mounts"][0]["point"] == "/load"


@pytest.mark.parametrize("last", ["md5  ext4              /srv/pre>", "md5?", "md>", ""])
def test_a_device_that_a_cut_line_names_may_be_on_more_than_the_others_show(last: str, where: Ask) -> None:
    """Also if that line is the last one, and wherever the name was cut."""
    rows = """\
NAME     FSTYPE            MOUNTPOINT
sda
└─sda9   linux_raid_member
  └─md5  ext4              /srv
sdb
└─sdb9   linux_raid_member
"""
    disks = where("/srv", f"{rows}  └─{last}\n")["where"][0]["disks"]
    assert len(disks) == 2
