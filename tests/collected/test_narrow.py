"""What tools print on a narrow terminal: cells that are cut, rows that go on in the next line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import facts_in, row

if TYPE_CHECKING:
    from tests.collected.conftest import Ask
    from zmon.collected.facts import Facts

PATHS = """\
# lsblk -p
NAME                      MAJ:MIN RM   SIZE RO TYPE MOUNTPOINTS
/dev/dasdb                 94:4    0 180.4G  0 disk\x20
└─/dev/dasdb1              94:5    0 180.4G  0 part\x20
  └─/dev/mapper/vgdata-lv_data
                          253:0    0   300G  0 lvm  /srv/data
/dev/dasdc                 94:8    0 180.4G  0 disk\x20
└─/dev/dasdc1              94:9    0 180.4G  0 part\x20
  ├─/dev/mapper/vgdata-lv_data
  │                       253:0    0   300G  0 lvm  /srv/data
  └─/dev/mapper/vgdata-lv_wal
                          253:1    0   300G  0 lvm  /srv/wal
                                                    /mnt/wallet
                                                    s
"""
TYPES = """\
# lsblk -f
NAME FSTYPE FSVER LABEL UUID                                   FSAVAIL FSUSE% MOUNTPOINTS
dasdb
                                                                              \x20
└─dasdb1
     LVM2_m LVM2        bbbbbb-bbbb-cccc-dddd-eeee-ffff-gggggg                \x20
  └─vgdata-lv_data
     xfs                3c1d7b9e-18a3-4b5e-9d5e-222222222220                  /srv/data
dasdc
                                                                              \x20
└─dasdc1
     LVM2_m LVM2        cccccc-bbbb-cccc-dddd-eeee-ffff-gggggg                \x20
  ├─vgdata-lv_data
  │  xfs                3c1d7b9e-18a3-4b5e-9d5e-222222222220                  /srv/data
  └─vgdata-lv_wal
     xfs                3c1d7b9e-18a3-4b5e-9d5e-222222222221                  /srv/wal
                                                                              /mnt/wallet
                                                                              s
"""
GROUPS = """\
# lsblk -o NAME,MAJ:MIN
NAME           MAJ:MIN
dasdb           94:4
└─vgdata-lv_data 253:0
dasdc           94:8
├─vgdata-lv_data 253:0
└─vgdata-lv_wal 253:1
"""
TREE = """\
# findmnt
TARGET        SOURCE              FSTYPE OPTIONS
/             /dev/dasdb          xfs    rw,rela
├─/srv/data   /dev/mapper/vgdata-lv_data
│                                 xfs    rw,rela
│ └─/srv/data/very/long
│             /dev/mapper/vgdata-lv_wal[/sub]
│                                 xfs    rw,rela
└─/mnt/my wal /dev/mapper/vgdata-lv_wal
                                  xfs    rw,rela
"""
FREE = """\
# findmnt -D
SOURCE FSTYPE         SIZE        USED       AVAIL USE% TARGET
/dev/dasdb
       xfs    270553174016 21023264768 76770029568   8% /
/dev/mapper/vgdata-lv_data
       xfs                                              /srv/data
/dev/mapper/vgdata-lv_wal[/sub]
       xfs                                              /srv/data/very/long
/dev/mapper/vgdata-lv_wal
       overla                                           /mnt/my wal
"""


@pytest.mark.parametrize("content", [PATHS, TYPES])
def test_a_device_whose_name_is_too_long_goes_on_in_the_next_line(content: str, where: Ask) -> None:
    """So does a mount point that is too long; the beginning of one is none."""
    for path, disks in (
        ("/srv/data", ["dasdb", "dasdc"]),
        ("/srv/wal", ["dasdc"]),
        ("/mnt/wallets", ["dasdc"]),
    ):
        (answer,) = where(f"{path}/x", content)["where"]
        assert [disk["disk"] for disk in answer["disks"]] == disks
    assert {point for _key, point in facts_in(content).mounts} == {"/srv/data", "/srv/wal", "/mnt/wallets"}


def test_a_signature_that_was_cut_is_no_file_system() -> None:
    """The column is as wide as its heading then."""
    assert facts_in(TYPES).contents["dasdb1"][0] == "LVM2_member"


@pytest.mark.parametrize("content", [TREE, FREE])
def test_a_mount_goes_on_in_the_next_line(content: str, where: Ask) -> None:
    """A path is on no disk of the mount above it."""
    for path, disks in (
        ("/x", ["dasdb"]), ("/srv/data/x", ["dasdb", "dasdc"]), ("/srv/data/very/long/x", ["dasdc"]),
        ("/mnt/my wal/x", ["dasdc"]),
    ):  # fmt: skip
        (answer,) = where(path, GROUPS + content)["where"]
        assert [disk["disk"] for disk in answer["disks"]] == disks


def of_findmnt(facts: Facts) -> set[tuple[str, str]]:
    """Return points and sources of mounts."""
    return {(row.point, row.source) for rows in facts.mount_lists.get("findmnt", ()) for row in rows}


@pytest.mark.parametrize("content", [PATHS, TYPES, TREE, FREE])
def test_a_row_whose_rest_is_missing_is_not_understood(content: str) -> None:
    """Nor is a rest without its row; no device and no mount has what is of another."""
    lines = content.splitlines(keepends=True)
    whole = facts_in(content)
    for at in range(2, len(lines)):
        facts = facts_in("".join([*lines[:at], *lines[at + 1 :]]))
        for (_key, point), (source, *_rest) in facts.mounts.items():
            assert point == "/mnt/wallet" or source in {
                told[0] for (_other, there), told in whole.mounts.items() if there == point
            }
        assert of_findmnt(facts) <= of_findmnt(whole)


def test_the_options_of_a_mount_may_be_cut_within_a_subvolume() -> None:
    """Its source tells which it is."""
    content = "TARGET SOURCE            FSTYPE OPTIONS\n/home  /dev/dasdb[/home] btrfs  rw,subvol=/ho\n"
    ((mount,),) = facts_in(content, "findmnt").mount_lists["findmnt"]
    assert (mount.root, mount.options) == ("/home", "rw")
    assert row(facts_in(PATHS), "layer", "253:1")["mapped"] == "vgdata-lv_wal"


FOLDED = {
    "findmnt -D -t xfs": """\
SOURCE                                        FSTYPE SIZE  USED AVAIL USE% TARGET
/dev/mapper/vgweb-lvwww                       xfs     99G 60.1G 38.9G  61% /var/www/very/long
/dev/mapper/36005076801810751b800000000000a14p1 xfs   20G   10G   10G  50% /opt/archive
""",
    "mount": """\
/dev/mapper/vgweb-lvwww on /var/www/very/long type xfs (rw,relatime,seclabel,attr2,inode64,noquota)
/dev/mapper/36005076801810751b800000000000a14p1 on /opt/archive type xfs (rw,relatime,seclabel,attr2)
""",
    "df": """\
Filesystem                                       1K-blocks     Used Available Use% Mounted on
/dev/mapper/vgweb-lvwww                          103809024 10381902  93427122  11% /var/www/very/long
/dev/mapper/36005076801810751b800000000000a14p1   20961280 10381902  10579378  50% /opt/archive
""",
}


@pytest.mark.parametrize("width", [62, 70, 80])
@pytest.mark.parametrize("command", FOLDED)
def test_rows_that_a_terminal_folded_are_joined(command: str, width: int) -> None:
    """They are as long as the longest, and what follows is no row; a name is never the beginning of one."""
    rows = FOLDED[command].splitlines()
    folded = "".join(f"{row[at : at + width]}\n" for row in rows for at in range(0, len(row), width))
    facts, whole = (
        facts_in(content, command).mount_lists[command.split(maxsplit=1)[0]]
        for content in (folded, FOLDED[command])
    )
    assert [(row.point, row.source) for rows in facts for row in rows] == [
        (row.point, row.source) for rows in whole for row in rows
    ]


def test_the_rest_of_a_path_alone_is_joined_at_any_width() -> None:
    """A single row was folded; a word without a slash may be a remark."""
    row = "/dev/mapper/db2vg-lvdb2_data01_prod xfs 39845888 32505856 7340032 82% /db2/NOD"
    heading = "Filesystem Type 1K-blocks Used Available Use% Mounted on"
    for rest, point in (("E0000/data01", "/db2/NODE0000/data01"), ("gone", "/db2/NOD")):
        (mounts,) = facts_in(f"{heading}\n{row}\n{rest}\n", "df -T").mount_lists["df"]
        assert [mount.point for mount in mounts] == [point]


def test_a_folded_table_of_the_device_mapper_is_one() -> None:
    """Each row of it looks like one of some tool."""
    table = "".join(
        f"36005076801810751b800000000000a1{nth}: 0 104857600 multipath 1 queue_if_no_path 1 al\n"
        f"ua 2 1 service-time 0 1 2 8:{nth}2 1 1 service-time 0 1 2 8:{nth}8 1 1\n"
        for nth in "23"
    )
    facts = facts_in(table, "dmsetup table")
    assert row(facts, "layer", "36005076801810751b800000000000a12")["below"] == "8:22 8:28"


def folded(printed: str, width: int = 80) -> str:
    """Return an output as a terminal with so many columns folds its rows."""
    rows = printed.split("\n")
    return "\n".join(row[at : at + width] for row in rows for at in range(0, max(len(row), 1), width))


DF = """\
# df -h
Filesystem                                               Size  Used Avail Use% Mounted on
devtmpfs                                                 7.8G     0  7.8G   0% /dev
/dev/mapper/rhel_box1-root                                35G  8.0G   28G  23% /
/dev/dasda1                                             1014M  300M  715M  30% /boot
/dev/mapper/vgora_prod-lv_oradata_very_long_name_000001   99G   80G   14G  86% /oradata/one
/dev/mapper/vgora_prod-lv_oraredo                         20G   10G   10G  50% /oradata/redo logs
"""
_ROW = "  {:30} {:5} {:10} {:6} {:52}{}\n"
_OF_LV = "lv_oradata_very_long_name_0001", "vgora", "-wi-ao----", "99.00g", ""
LVS = "# lvs -o +devices vgora\n" + "".join(_ROW.format(*cells) for cells in (
    ("LV", "VG", "Attr", "LSize", "Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert", "Devices"),
    (*_OF_LV, "/dev/dasdb1(0)"), (*_OF_LV, "/dev/dasdc1(0)"),
))  # fmt: skip
UIDS = f"""\
# lsdasd -u
Bus-ID    Name        UID
{"=" * 80}
0.0.0400  dasda       IBM.750000000WR641.0400.00.000000000000aaaa0000000000000000
0.0.0401  dasdb       IBM.750000000WR641.0400.01.000000000000bbbb0000000000000000
"""


def test_a_row_that_fills_the_terminal_is_whole_where_the_next_has_figures() -> None:
    """Of df only the mount points that were cut have their rests in the next row."""
    facts = facts_in(folded(DF))
    ((*mounts,),) = facts.mount_lists["df"]
    assert [(mount.source.rpartition("-")[2], mount.point) for mount in mounts] == [
        ("devtmpfs", "/dev"), ("root", "/"), ("/dev/dasda1", "/boot"),
        ("lv_oradata_very_long_name_000001", "/oradata/one"), ("lv_oraredo", "/oradata/redo logs"),
    ]  # fmt: skip


def test_a_ruler_that_fills_the_terminal_is_no_part_of_the_row_below() -> None:
    """Lsdasd draws one of 80 signs, and its uids may be longer."""
    devices = facts_in(folded(UIDS)).rows["device"]
    assert {busid: len(str(cells["uid"][0].value)) for busid, cells in devices.items()} == {
        "0.0.0400": 59, "0.0.0401": 59,
    }  # fmt: skip


def test_the_rest_of_a_row_has_no_margin(where: Ask) -> None:
    """Rows of lvs have one of two blanks, which what a terminal folds has not."""
    facts = facts_in(folded(LVS))
    assert facts.volumes == {"vgora": ["vgora-lv_oradata_very_long_name_0001"]}
    mount = "# mount\n/dev/mapper/vgora-lv_oradata_very_long_name_0001 on /db type xfs (rw)\n"
    (answer,) = where("/db", folded(LVS) + mount)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdb", "dasdc"]
