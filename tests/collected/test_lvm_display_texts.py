"""What pvdisplay, vgdisplay, lvdisplay, pvscan and lvscan say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.test_lvm_texts import feet, layers
from zmon.collected.collection import facts_of
from zmon.collected.transcript import outputs

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

PVDISPLAY: Final = """\
  --- Physical volume ---
  PV Name               /dev/dasdp1
  VG Name               wh
  PV Size               782.48 MiB / not usable 2.48 MiB
  Allocatable           yes\x20
  PE Size               4.00 MiB
  Total PE              195
  Free PE               137
  Allocated PE          58
  PV UUID               0rmWaN-6b4L-2ncW-fzmo-eO41-368T-mcRVJ6
   
  --- Physical volume ---
  PV Name               /dev/dasdq1
  VG Name               wh
  PV Size               2.29 GiB / not usable 3.64 MiB
  Allocatable           yes\x20
  PE Size               4.00 MiB
  Total PE              586
  PV UUID               EvRL2C-yCRC-HAl7-pWwG-AC1T-PGdJ-smsPxA
   
  "/dev/dasdr1" is a new physical volume of "407.53 MiB"
  --- NEW Physical volume ---
  PV Name               /dev/dasdr1
  VG Name              \x20
  PV Size               407.53 MiB
  Allocatable           NO
   
"""  # noqa: W293 - so LVM prints them
PVDISPLAY_MAPS: Final = """\
  --- Physical volume ---
  PV Name               /dev/dasdp1
  VG Name               wh
  Allocatable           yes\x20
   
  --- Physical Segments ---
  Physical extent 0 to 31:
    Logical volume\t/dev/wh/load
    Logical extents\t0 to 31
  Physical extent 32 to 194:
    FREE
   
"""  # noqa: W293 - likewise
VGDISPLAY: Final = """\
  --- Volume group ---
  VG Name               wh
  System ID            \x20
  Format                lvm2
  Metadata Areas        2
  VG Status             resizable
  MAX LV                0
  Cur LV                1
  Max PV                0
  Cur PV                2
  Act PV                2
  VG Size               <5.34 GiB
  Alloc PE / Size       144 / 576.00 MiB
  Free  PE / Size       1223 / <4.78 GiB
   
  --- Logical volume ---
  LV Path                /dev/wh/load
  LV Name                load
  VG Name                wh
  LV Status              available
  # open                 1
  Segments               1
  - currently set to     512
  Block device           253:0
   
  --- Physical volumes ---
  PV Name               /dev/dasdp1    \x20
  PV UUID               0rmWaN-6b4L-2ncW-fzmo-eO41-368T-mcRVJ6
  PV Status             allocatable
  Total PE / Free PE    195 / 137
   
  PV Name               /dev/dasdq1    \x20
  PV UUID               EvRL2C-yCRC-HAl7-pWwG-AC1T-PGdJ-smsPxA
  PV Status             allocatable
  Total PE / Free PE    586 / 546
   
"""  # noqa: W293 - likewise
LVDISPLAY: Final = """\
  --- Logical volume ---
  LV Path                /dev/wh/load
  LV Name                load
  VG Name                wh
  LV Creation host, time box1, 2026-11-29 19:01:34 +0000
  LV Status              available
  LV Size                400.00 MiB
  Segments               2
  Block device           253:0
   
  --- Segments ---
  Logical extents 0 to 99:
    Type\t\tstriped
    Stripes\t\t2
    Stripe size\t\t64.00 KiB
    Stripe 0:
      Physical volume\t/dev/dasdp1
      Physical extents\t0 to 49
    Stripe 1:
      Physical volume\t/dev/dasdq1
      Physical extents\t0 to 49
   
  Logical extents 100 to 149:
    Type\t\tlinear
    Physical volume\t/dev/dasdr1
    Physical extents\t0 to 49
   
   
  --- Logical volume ---
  LV Name                pool
  VG Name                wh
  LV Pool metadata       pool_tmeta
  LV Pool data           pool_tdata
  LV Status              available
  Segments               1
  Block device           253:1
   
  --- Segments ---
  Logical extents 0 to 15:
    Type\t\tthin-pool
    Monitoring\t\tmonitored
    Chunk size\t\t64.00 KiB
   
   
  --- Logical volume ---
  Internal LV Name       pool_tdata
  VG Name                wh
  LV Status              available
  Segments               1
  Block device           253:2
   
  --- Segments ---
  Logical extents 0 to 15:
    Type\t\tlinear
    Physical volume\t/dev/dasdp1
    Physical extents\t50 to 65
   
   
  --- Logical volume ---
  LV Path                /dev/wh/snap
  LV Name                snap
  VG Name                wh
  LV snapshot status     active destination for load
  LV Status              available
  COW-table size         16.00 MiB
  Segments               1
  Block device           253:3
   
  --- Segments ---
  Logical extents 0 to 3:
    Type\t\tlinear
    Physical volume\t/dev/dasdq1
    Physical extents\t50 to 53
   
   
  --- Logical volume ---
  LV Path                /dev/wh/mirror
  LV Name                mirror
  VG Name                wh
  LV Status              available (partial)
  Segments               1
  Block device           253:4
   
  --- Segments ---
  Logical extents 0 to 3:
    Type\t\traid1
    Monitoring\t\tmonitored
    Raid Data LV 0
      Logical volume\tmirror_rimage_0
      Logical extents\t0 to 3
    Raid Data LV 1
      Logical volume\tmirror_rimage_1
      Logical extents\t0 to 3
    Raid Metadata LV 0\tmirror_rmeta_0
    Raid Metadata LV 1\tmirror_rmeta_1
   
   
"""  # noqa: W293 - likewise
PVSCAN: Final = """\
  PV /dev/dasdp1   VG wh   lvm2 [780.00 MiB / 548.00 MiB free]
  PV /dev/dasdq1   VG wh   lvm2 [<2.29 GiB / 2.13 GiB free]
  PV /dev/dasdr1           lvm2 [407.53 MiB]
  Total: 3 [<3.47 GiB] / in use: 2 [<3.07 GiB] / in no VG: 1 [407.53 MiB]
"""
LVSCAN: Final = """\
  ACTIVE            '/dev/wh/load' [400.00 MiB] inherit
  inactive          '/dev/wh/lvol0_pmspare' [4.00 MiB] inherit
  ACTIVE   Snapshot '/dev/wh/snap' [16.00 MiB] inherit
"""
PV_JOINED: Final = """\
  /dev/dasdp1:wh:1602528:-1:8:8:-1:4096:195:137:58:0rmWaN-6b4L-2ncW-fzmo-eO41-368T-mcRVJ6
  /dev/dasdq1:wh:4807968:-1:8:8:-1:4096:586:546:40:EvRL2C-yCRC-HAl7-pWwG-AC1T-PGdJ-smsPxA
  /dev/dasdr1::834624:-1:0:0:-1:0:0:0:0:LJORqS-vJmQ-GUpJ-YpSE-3kwI-oqAG-61HJR2
"""
VG_JOINED: Final = (
    "  wh:r/w:772:-1:0:2:1:-1:0:3:2:2400256:4096:586:116:470:UBLzxi-CtuQ-mdES-FpH1-sZci-9gXS-VX0tUg\n"
)
LV_JOINED: Final = "  /dev/wh/load:wh:3:1:-1:0:819200:100:-1:0:-1:253:17\n"
GROUPS: Final = {"volume group wh": {"dasdp1", "dasdq1"}, "physical volumes without a group": {"dasdr1"}}
FEET: Final = {
    "wh-load": {"dasdp1", "dasdq1", "dasdr1"}, "wh-pool": {"wh-pool_tdata", "wh-pool_tmeta"},
    "wh-pool_tdata": {"dasdp1"}, "wh-snap": {"wh-load", "dasdq1"},
    "wh-mirror": {"wh-mirror_rimage_0", "wh-mirror_rimage_1", "missing: a physical volume of wh"},
}  # fmt: skip


@pytest.mark.parametrize("content", [PVDISPLAY, PVSCAN, PV_JOINED])
def test_each_form_has_the_physical_volumes_of_groups(content: str) -> None:
    """Also those without a group."""
    assert feet(content) == GROUPS


def test_below_a_group_are_its_physical_volumes() -> None:
    """Their short records do not name it; a logical volume without segments may be on all of them."""
    told = feet(VGDISPLAY)
    assert told["volume group wh"] == {"dasdp1", "dasdq1"}
    assert told["wh-load"] == {"volume group wh"}
    lacking = VGDISPLAY.replace("Act PV                2", "Act PV                1")
    assert feet(lacking)["volume group wh"] == {"dasdp1", "dasdq1", "missing: a physical volume of wh"}
    assert feet(VG_JOINED + PV_JOINED)["volume group wh"] == {
        "dasdp1",
        "dasdq1",
        "missing: a physical volume of wh",
    }


_ID: Final = "d2nEdZ-IttJ-QDlJ-PTOs-cwUP-P3qo-b3qrSw"
_RECORD: Final = f"""\
  --- Physical volume ---
  PV Name               [unknown]
  VG Name               wh
  PV Size               <6.87 GiB / not usable 3.00 MiB
  PV UUID               {_ID}
"""


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("  PV unknown device   VG wh   lvm2 [465,76 GiB / 0    free]\n", "465,76 GiB"),
        ("  PV [unknown]        VG wh   lvm2 [6.87 GiB / 1.00 GiB free]\n", "6.87 GiB"),
        (_RECORD, "<6.87 GiB"),
    ],
)
def test_a_missing_physical_volume_has_the_id_and_size_that_the_text_tells(row: str, told: str) -> None:
    """Of two that are missing no size is that of both."""
    warning = f"  Couldn't find device with uuid '{_ID}'.\n"
    command = "pvdisplay" if row == _RECORD else "pvscan"
    whole = feet(warning + row, command)["volume group wh"]
    assert whole == {f"missing: physical volume {_ID} of wh ({told})"}
    (title,) = feet(warning + row + row.replace(_ID, _ID[::-1]), command)["volume group wh"]
    assert told not in title


def test_a_logical_volume_is_on_the_devices_of_all_its_segments() -> None:
    """A snapshot on its origin, too, and a pool on its data."""
    told = feet(LVDISPLAY)
    assert {title: told[title] for title in FEET} == FEET
    assert layers(LVDISPLAY).cell("253:4", "mapped") == "wh-mirror"
    assert layers(LV_JOINED).cell("253:17", "mapped") == "wh-load"
    assert {*feet(LVSCAN + PVSCAN)} == {"wh-load", "wh-lvol0_pmspare", "wh-snap", *GROUPS}


def test_what_pvdisplay_maps_may_be_a_snapshot() -> None:
    """It names the volume on each part of a device, and not of which kind that is."""
    assert feet(PVDISPLAY_MAPS)["wh-load"] == {
        "dasdp1",
        "not seen: the origin of wh-load, if it is a snapshot",
    }


@pytest.mark.parametrize(
    ("content", "command"),
    [
        (PVDISPLAY, "pvdisplay"),
        (VGDISPLAY, "vgdisplay -v"),
        (LVDISPLAY, "lvdisplay -a -m"),
        (PVSCAN, "pvscan"),
    ],
)
@pytest.mark.parametrize("change", ["deleted", "noise", "doubled"])
def test_a_line_that_is_missing_leaves_no_group_and_no_volume_surer(
    content: str, command: str, change: str
) -> None:
    """What is left is what it was, or has a member that was not understood, or is not told at all."""
    rows = content.splitlines()
    whole = feet(content, command)
    for at, row in enumerate(rows):
        changed = {"deleted": [], "noise": ["?!"], "doubled": [row, row]}[change]
        left = feet("\n".join([*rows[:at], *changed, *rows[at + 1 :], ""]), command)
        for title, below in left.items():
            real = {
                name for name in whole.get(title, GROUPS["volume group wh"] | {"dasdr1"}) if " " not in name
            }
            named = {name for name in below if " " not in name}
            assert named <= real or title.startswith(("wh-", "physical")), (at, row, title)
            if title in whole and not title.startswith("physical"):
                assert below >= whole[title] or any(" " in name for name in below), (at, row, title, below)


def test_segments_of_old_versions_are_read() -> None:
    """Before 2.02.107 their extents are named in the singular."""
    assert "Logical extents 0 to" in LVDISPLAY
    assert feet(LVDISPLAY.replace("Logical extents 0 to", "Logical extent 0 to")) == feet(LVDISPLAY)


FRENCH = """\
  --- Volume physique ---
  Nom de PV             /dev/dasdp1
  Nom de VG             wh
  Taille PV             20,63 GiB / non utilisable 2,00 MiB
  Allouable             oui
  PE alloué             4000
  UUID PV               I71s42-GtMm-kCcw-lESI-cuvI-MlwE-jICfao

  "/dev/dasdq1" est un nouveau volume physique de « 20,63 GiB »
  --- NOUVEAU Volume physique ---
  Nom de PV             /dev/dasdq1
  Nom de VG
  Taille PV             20,63 GiB
  Allouable             NON
  UUID PV               FdMm0N-pjP0-5Eww-BO4A-g7ey-sVzO-0GVzdp

"""
GERMAN_VOLUME = """\
  --- Logisches Volume ---
  LV-Pfad                /dev/wh/later
  LV-Name                later
  VG-Name                wh
  LV-UUID                I71s42-GtMm-kCcw-lESI-cuvI-MlwE-jICfao
  LV-Status              verfügbar
  LV-Größe               15,62 GiB
  Blockgerät             253:7

"""


def test_records_are_read_in_any_language() -> None:
    """The abbreviations and values tell what their lines are; each line is understood."""
    assert feet(FRENCH, "pvdisplay") == {
        "volume group wh": {"dasdp1"}, "physical volumes without a group": {"dasdq1"},
    }  # fmt: skip
    (text,) = outputs("a.txt", f"# pvdisplay\n{FRENCH}".encode(), 1)
    (read,) = facts_of([text])[1]
    assert read.strange == ()
    frame = layers(GERMAN_VOLUME, "lvdisplay")
    assert frame.cell("253:7", "mapped") == "wh-later"


def test_a_record_whose_first_line_is_missing_is_not_guessed() -> None:
    """A further line of a record in another language might be taken for its name."""
    rows = FRENCH.splitlines(keepends=True)
    assert "volume group wh" not in feet("".join(rows[:1] + rows[2:]), "pvdisplay")


SHORT: Final = """\
lvdisplay -m wh
  --- Volume logique ---
  LV Path                /dev/wh/load
  LV Name                load
  VG Name                wh
  LV Size                {},00 GiB
  --- Segments ---
  Logical extents 0 to 38399:
    Type\t\tstriped
    Stripes\t\t2
    Stripe 0:
      Physical volume\t/dev/dasdp1
    Stripe 1:
      Physical volume\t/dev/dasdq1
"""


@pytest.mark.parametrize(("size", "is_whole"), [(150, True), (160, False)])
def test_segments_with_all_of_a_size_are_all(size: int, is_whole: bool) -> None:
    """Where a record was shortened, the extents of its segments tell whether one of them is missing."""
    frame = layers(SHORT.format(size))
    told = feet(SHORT.format(size))["wh-load"]
    assert {"dasdp1", "dasdq1"} <= told
    level = frame.cell(frame.keys[frame.column("mapped").index("wh-load")], "level")
    assert (len(told) == 2, level == "striped") == (is_whole, is_whole)


def test_a_partition_of_an_ide_disk_lies_on_that(where: Ask) -> None:
    """Old kernels name these disks hda, hdb and so on."""
    row = "box1:~ # pvscan\n  PV /dev/hdc1   VG vg0   lvm2 [38.12 GB / 38.12 GB free]\n"
    assert [disk["disk"] for disk in where("hdc1", row)["disks"]] == ["hdc"]
    assert [disk["disk"] for disk in where("vg0", row)["disks"]] == ["hdc"]
