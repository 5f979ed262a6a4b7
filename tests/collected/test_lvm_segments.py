"""How many bytes of a logical volume lie on each disk, where LVM prints the extents of its segments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from zmon.base.sizes import MIB
from zmon.cli.main import main
from zmon.collected.collection import sample_of_pass
from zmon.collected.transcript import outputs
from zmon.kernel.capture_tree import ArchivedTree
from zmon.placement.word_lookup import find, meanings
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask

DISPLAY: Final = """\
box1:~ # lvdisplay -m
  --- Logical volume ---
  LV Path                /dev/wh/load
  LV Name                load
  VG Name                wh
  LV Status              available
  # open                 1
  LV Size                {size}
  Current LE             {extents}
  Segments               2
  Block device           253:1
\x20\x20\x20
  --- Segments ---
  Logical extents 0 to 99:
    Type\t\tlinear
    Physical volume\t/dev/dasdp1
    Physical extents\t0 to 99
\x20\x20\x20
  Logical extents 100 to 399:
    Type\t\tstriped
    Stripes\t\t2
    Stripe size\t\t64.00 KiB
    Stripe 0:
      Physical volume\t/dev/dasdp1
      Physical extents\t100 to 249
    Stripe 1:
      Physical volume\t/dev/dasdq1
      Physical extents\t0 to 149
\x20\x20\x20
"""
RANGES: Final = """\
box1:~ # lvs --segments -o +seg_pe_ranges
  LV   VG Attr       #Str Type    SSize   PE Ranges
  load wh -wi-ao----    1 linear  400.00m /dev/dasdp1:0-99
  load wh -wi-ao----    2 striped   1.17g /dev/dasdp1:100-249 /dev/dasdq1:0-149
"""
OF_LSIZE: Final = """\
box1:~ # lvs -o lv_name,vg_name,lv_size,seg_pe_ranges
  LV   VG LSize  PE Ranges
  load wh <1.56g /dev/dasdp1:0-99
  load wh <1.56g /dev/dasdp1:100-249 /dev/dasdq1:0-149
box1:~ # vgs
  VG #PV #LV #SN Attr   VSize  VFree
  wh   2   1   0 wz--n- <9.00g <7.44g
"""
WITHOUT_SIZE: Final = RANGES.replace("SSize  ", "").replace("400.00m ", "").replace("  1.17g ", "")
JSON: Final = """\
box1:~ # lvs --reportformat json -o lv_name,vg_name,lv_attr,seg_size,seg_pe_ranges
  {"report": [{"seg": [
    {"lv_name":"load", "vg_name":"wh", "lv_attr":"-wi-ao----", "seg_size":"400.00m",
     "seg_pe_ranges":"/dev/dasdp1:0-99"},
    {"lv_name":"load", "vg_name":"wh", "lv_attr":"-wi-ao----", "seg_size":"1.17g",
     "seg_pe_ranges":"/dev/dasdp1:100-249 /dev/dasdq1:0-149"}
  ]}]}
"""
MAPS: Final = """\
box1:~ # pvdisplay -m
  --- Physical volume ---
  PV Name               /dev/dasdp1
  VG Name               wh
  Allocatable           yes
  PE Size               4.00 MiB
  Total PE              250
\x20\x20\x20
  --- Physical Segments ---
  Physical extent 0 to 99:
    Logical volume\t/dev/wh/load
    Logical extents\t0 to 99
  Physical extent 100 to 249:
    Logical volume\t/dev/wh/load
    Logical extents\t100 to 399
\x20\x20\x20
  --- Physical volume ---
  PV Name               /dev/dasdq1
  VG Name               wh
  Allocatable           yes
  PE Size               4.00 MiB
  Total PE              250
\x20\x20\x20
  --- Physical Segments ---
  Physical extent 0 to 149:
    Logical volume\t/dev/wh/load
    Logical extents\t100 to 399
  Physical extent 150 to 249:
    FREE
\x20\x20\x20
box1:~ # vgs
  VG #PV #LV #SN Attr   VSize  VFree
  wh   2   1   0 wz--n- <9.00g <7.44g
"""
VGS: Final = "box1:~ # vgs -o vg_name,vg_extent_size\n  VG Ext\n  wh 4.00m\n"
VGDISPLAY: Final = (
    "box1:~ # vgdisplay -c\n  wh:r/w:772:-1:0:1:1:-1:0:2:2:9437184:4096:2304:400:1904:UBLzxi-CtuQ\n"
)
LV_JOINED: Final = "box1:~ # lvdisplay -c\n  /dev/wh/load:wh:3:1:-1:0:3276800:400:-1:0:-1:253:1\n"
PV_JOINED: Final = (
    "box1:~ # pvdisplay -c\n"
    "  /dev/dasdp1:wh:8388608:-1:8:8:-1:4096:250:0:250:0rmWaN-6b4L-2ncW-fzmo-eO41-368T-mcRVJ6\n"
)
PARTITIONS: Final = """\
box1:~ # cat /proc/partitions
major minor  #blocks  name

  94        60    7211520 dasdp
  94        61    7211424 dasdp1
  94        64    7211520 dasdq
  94        65    7211424 dasdq1
 253         1    1638400 dm-1
box1:~ # ls -l /dev/mapper
lrwxrwxrwx 1 root root       7 Nov 30 10:00 wh-load -> ../dm-1
"""
MOUNT: Final = "box1:~ # mount\n/dev/mapper/wh-load on /ora type xfs (rw)\n"
WHOLE: Final = DISPLAY.format(size="1.56 GiB", extents=400)
BYTES: Final = {"dasdp": 1000 * MIB, "dasdq": 600 * MIB}


def bytes_of(answer: dict[str, Any]) -> dict[str, int]:
    """Return the bytes on each disk of an answer, where they are known."""
    return {disk["disk"]: disk["bytes"] for disk in answer["disks"] if isinstance(disk["bytes"], int)}


@pytest.mark.parametrize(
    "text",
    [WHOLE, WHOLE.replace("1.56 GiB", "1.56 GB"), RANGES, OF_LSIZE, JSON, MAPS, WITHOUT_SIZE + VGS,
     WITHOUT_SIZE + VGDISPLAY, WITHOUT_SIZE + LV_JOINED, WITHOUT_SIZE + PV_JOINED, WITHOUT_SIZE + PARTITIONS],
)  # fmt: skip
def test_extents_tell_the_bytes_of_a_volume_on_each_disk(text: str, where: Ask) -> None:
    """By the size of an extent: of the group, of the volume or of a segment by their extents."""
    (answer,) = where("/ora", text + MOUNT)["where"]
    assert (answer["size"], answer["grade"], bytes_of(answer)) == (1600 * MIB, "shares", BYTES)
    (device,) = where("wh/load", text + MOUNT)["where"]
    assert bytes_of(device) == BYTES


@pytest.mark.parametrize(
    "text",
    [
        WITHOUT_SIZE,
        WHOLE.replace("Segments               2", "Segments  3"),
        DISPLAY.format(size="1.95 GiB", extents=500),
        RANGES.replace("/dev/dasdp1:0-99", "/dev/dasdp1(0)  "),
        RANGES.replace("2 striped", "3 raid5  "),
        RANGES + VGS.replace("4.00m", "8.00m"),
        RANGES + PARTITIONS.replace("1638400", "3276800"),
        RANGES + "box1:~ # lvextend -l +100 /dev/wh/load /dev/dasdq1\n",
    ],
)
def test_bytes_are_not_told_by_extents_that_do_not_agree(text: str, where: Ask) -> None:
    """A segment may be missing, of another layout, or of another time; without a size nothing follows."""
    (answer,) = where("/ora", text + MOUNT)["where"]
    assert (answer["grade"], bytes_of(answer)) == ("set", {})


@pytest.mark.parametrize("change", ["deleted", "noise", "doubled"])
@pytest.mark.parametrize("text", [WHOLE, MAPS])
def test_a_line_that_is_damaged_or_missing_tells_no_other_bytes(text: str, change: str) -> None:
    """Extents that are printed of the volume, and on its devices, show what is missing."""
    rows = f"{text}{MOUNT}".splitlines()
    for at, row in enumerate(rows):
        changed = {"deleted": [], "noise": ["?!"], "doubled": [row, row]}[change]
        content = "\n".join([*rows[:at], *changed, *rows[at + 1 :], ""]).encode()
        tree = ArchivedTree("texts", "", {}, [*outputs("a.txt", content, 1)])
        machine = Machine(sample_of_pass(tree, "texts"))
        for meaning in meanings("/ora", machine):
            shares = find(meaning, machine).locations[0].disks
            told = {str(share.volume.disk): share.bytes for share in shares if isinstance(share.bytes, int)}
            assert told in ({}, BYTES), (at, row)


@pytest.mark.parametrize("extents", [WHOLE, RANGES])
def test_a_file_on_unequal_segments_is_on_any_of_their_disks(
    extents: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bytes of the whole volume tell nothing of the part that one file is."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(extents + MOUNT)
    listing = tmp_path / "l.csv"
    listing.write_text("path,bytes,tablespace\n/ora/f1,1048576,T1\n")
    main(["where", "/ora/f1", "--from", str(tmp_path / "in"), "--listing", str(listing), "-f", "json"])
    (answer,) = json.loads(capsys.readouterr().out)[0]["where"]
    assert (answer["grade"], bytes_of(answer)) == ("assumed", {})
