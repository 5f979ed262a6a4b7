"""What pvs, vgs and lvs say, whichever columns they were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import facts_in
from zmon.base.sizes import SECTOR
from zmon.collected.facts import joined
from zmon.collected.lvm_texts import whole_size
from zmon.kinds import LAYER
from zmon.sample import empty_frame

if TYPE_CHECKING:
    from tests.collected.conftest import Ask
    from zmon.sample import Frame

PVS: Final = """\
  PV          VG Fmt  Attr PSize   PFree
  /dev/dasdp1 wh lvm2 a--  780.00m 548.00m
  /dev/dasdq1 wh lvm2 a--   <2.29g   2.13g
  /dev/dasdr1    lvm2 ---  407.53m 407.53m
"""
PVS_ALL: Final = """\
  PV          VG Fmt  Attr PSize   PFree   DevSize PV UUID
  /dev/dasda1         ---       0       0  611.00m
  /dev/dasdp1 wh lvm2 a--  780.00m 548.00m 782.48m 0rmWaN-6b4L-2ncW-fzmo-eO41-368T-mcRVJ6
  /dev/dasdq1 wh lvm2 a--   <2.29g   2.13g   2.29g EvRL2C-yCRC-HAl7-pWwG-AC1T-PGdJ-smsPxA
  /dev/dasdr1    lvm2 ---  407.53m 407.53m 407.53m LJORqS-vJmQ-GUpJ-YpSE-3kwI-oqAG-61HJR2
"""
PVS_CHOSEN: Final = """\
  PV          VG
  /dev/dasdp1 wh
  /dev/dasdq1 wh
  /dev/dasdr1  \x20
"""
PVS_SEPARATED: Final = "  PV,VG,Fmt\n  /dev/dasdp1,wh,lvm2\n  /dev/dasdq1,wh,lvm2\n  /dev/dasdr1,,lvm2\n"
PVS_JSON: Final = """\
  {
      "report": [
          {
              "pv": [
                  {"pv_name":"/dev/dasdp1", "vg_name":"wh", "pv_fmt":"lvm2", "pv_attr":"a--"},
                  {"pv_name":"/dev/dasdq1", "vg_name":"wh", "pv_fmt":"lvm2", "pv_attr":"a--"},
                  {"pv_name":"/dev/dasdr1", "vg_name":"", "pv_fmt":"lvm2", "pv_attr":"---"}
              ]
          }
      ]
  }
"""
VGS: Final = """\
  VG Attr   Ext   #PV #LV #SN VSize  VFree  VG UUID                                VProfile
  wh wz--n- 4.00m   3   7   1 <5.34g <4.78g nKMIeD-2jBD-Bc22-QJMP-h3s3-7RWG-90LH8W
"""
LVS: Final = """\
  LV                VG Attr       LSize   Pool Origin Data%  Meta%  Cpy%Sync Devices
  later             wh -wi-ao----  64.00m                                    /dev/dasdp1(32)
  later             wh -wi-ao----  64.00m                                    /dev/dasdq1(32)
  load              wh owi-aos--- 128.00m                                    /dev/dasdq1(0)
  mirror            wh Rwi-aor---  16.00m                           100.00   mirror_rimage_0(0)
  [mirror_rimage_0] wh iwi-aor---  16.00m                                    /dev/dasdp1(33)
  pool              wh twi-aotz--  64.00m             0.78   10.94           pool_tdata(0)
  [pool_tdata]      wh Twi-ao----  64.00m                                    /dev/dasdp1(38)
  snap              wh swi-a-s---  16.00m      load   14.62                  /dev/dasdp1(54)
  thin              wh Vwi-aotz--  48.00m pool        1.04
  str-ipe           wh -wi-ao---- 256.00m                                    /dev/dasdp1(0),/dev/dasdq1(0)
"""
LVS_VERBOSE: Final = """\
  LV     VG #Seg Attr       LSize   Maj Min KMaj KMin Pool Origin LV UUID
  later  wh    2 -wi-ao----  64.00m  -1  -1  253    2             I71s42-GtMm-kCcw-lESI-cuvI-MlwE-jICfao
  pool   wh    1 twi-aotz--  64.00m  -1  -1  253   10             FdMm0N-pjP0-5Eww-BO4A-g7ey-sVzO-0GVzdp
"""
LVS_PATHS: Final = """\
  LV        Path             Devices
  wh/later  /dev/wh/later    /dev/dasdp1(32)
  wh/later  /dev/wh/later    /dev/dasdq1(32)
"""
FEET: Final = {
    "wh-later": {"dasdp1", "dasdq1"}, "wh-load": {"dasdq1"}, "wh-mirror": {"wh-mirror_rimage_0"},
    "wh-mirror_rimage_0": {"dasdp1"}, "wh-pool": {"wh-pool_tdata"}, "wh-pool_tdata": {"dasdp1"},
    "wh-snap": {"wh-load", "dasdp1"}, "wh-thin": {"wh-pool"}, "wh-str--ipe": {"dasdp1", "dasdq1"},
}  # fmt: skip


def layers(content: str, command: str = "") -> Frame:
    """Return the block devices of a text."""
    facts = facts_in(content, command)
    facts.by_number(empty_frame(LAYER, "no text"))
    return joined(LAYER, empty_frame(LAYER, "no text"), facts, 1)[0]


def feet(content: str, command: str = "") -> dict[str, set[str]]:
    """Return the names of what each device of the device mapper, and each group, is on."""
    frame = layers(content, command)
    names = {number: mapped if isinstance(mapped, str) else str(name) for number, name, mapped in zip(
        frame.keys, frame.column("name"), frame.column("mapped"), strict=True
    )}  # fmt: skip
    return {title: {names[number] for number in below.split()} for title, below in zip(
        frame.column("mapped"), frame.column("below"), strict=True
    ) if isinstance(title, str) and isinstance(below, str)}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "command"),
    [
        (PVS, ""), (PVS_ALL, ""), (PVS_ALL, "pvs -a -v"), (PVS_CHOSEN, "pvs -o pv_name,vg_name"),
        (PVS_SEPARATED, "pvs --separator ,"), (PVS_JSON, ""), (PVS.partition("\n")[2], ""),
        (PVS.partition("\n")[2], "pvs --noheadings"), (PVS.replace("  ", " "), "pvs"),
        ("  /dev/dasdp1 wh\n  /dev/dasdq1 wh\n  /dev/dasdr1   \n", "pvs --noheadings -o pv_name,vg_name"),
    ],
)  # fmt: skip
def test_pvs_has_the_volumes_of_each_group_in_any_form(content: str, command: str) -> None:
    """One without a group is one all the same; a device that is no physical volume is not."""
    assert feet(content, command) == {
        "volume group wh": {"dasdp1", "dasdq1"}, "physical volumes without a group": {"dasdr1"},
    }  # fmt: skip


def test_a_device_without_a_group_is_a_volume_only_if_pvs_says_so() -> None:
    """`pvs -a` lists others, too, and without the column Fmt they look the same."""
    assert feet(PVS_CHOSEN, "pvs -a -o pv_name,vg_name") == {"volume group wh": {"dasdp1", "dasdq1"}}
    assert feet(PVS_CHOSEN) == {"volume group wh": {"dasdp1", "dasdq1"}}


def test_a_group_with_more_volumes_than_are_listed_has_one_that_is_not_known() -> None:
    """Vgs counts them, whatever other columns it prints; one is missing only where a tool says so."""
    assert feet(VGS)["volume group wh"] == {"not seen: 3 physical volumes of wh"}
    assert feet(VGS + PVS)["volume group wh"] == {"dasdp1", "dasdq1", "not seen: a physical volume of wh"}
    assert "volume group wh" in feet(VGS.replace("wz--n-", "wz-pn-").replace("  3   7", "  2   7") + PVS)
    partial = feet(VGS.replace("wz--n-", "wz-pn-").replace("  3   7", "  2   7") + PVS)
    assert partial["volume group wh"] == {"dasdp1", "dasdq1", "missing: a physical volume of wh"}


def test_a_logical_volume_is_on_its_devices_its_origin_and_its_pool() -> None:
    """A snapshot has only what changed on its own devices."""
    assert feet(LVS) == FEET
    assert feet(LVS.replace("load   14.62", "       14.62"))["wh-snap"] > {"dasdp1"}


def test_without_attributes_a_volume_may_be_a_snapshot() -> None:
    """Then an origin is among what it may be on, if another volume of the group can be that."""
    alone, origin = {"dasdp1", "dasdq1"}, "not seen: the origin of wh-later, if it is a snapshot"
    assert feet(LVS_PATHS)["wh-later"] == alone
    several = f"{LVS_PATHS}  wh/load   /dev/wh/load     /dev/dasdp1(9)\n"
    assert feet(several)["wh-later"] == {*alone, origin}
    typed = "# lvs --noheadings -o vg_name,lv_name,seg_type,devices\n  wh later linear /dev/dasdp1(0)\n"
    assert feet(f"{typed}  wh load linear /dev/dasdp1(9)\n")["wh-later"] == {"dasdp1", origin}
    groups = "# vgs\n  VG #PV #LV #SN Attr   VSize  VFree\n  wh   2   2   0 wz--n- 20.00g 0\n"
    assert feet(f"{several}{groups}")["wh-later"] == alone
    assert feet(f"{several}{groups.replace('2   0', '2   1')}")["wh-later"] == {*alone, origin}


def test_a_pool_of_a_cache_is_on_its_data_and_metadata() -> None:
    """If both are listed nothing else is below it."""
    rows = """\
# lvs -a -o +devices
  LV           VG   Attr       LSize  Pool   Origin      Data%  Meta%  Devices
  hot          wh   Cwi-aoC--- 40.00g [hotc] [hot_corig]               hot_corig(0)
  [hot_corig]  wh   owi-aoC--- 40.00g                                  /dev/dasdp1(0)
  [hotc]       wh   Cwi---C---  5.00g                                  hotc_cdata(0)
  [hotc_cdata] wh   Cwi-ao----  5.00g                                  /dev/dasdq1(0)
  [hotc_cmeta] wh   ewi-ao----  8.00m                                  /dev/dasdq1(9)
"""
    assert feet(rows)["wh-hotc"] == {"wh-hotc_cdata", "wh-hotc_cmeta"}
    without = "".join(row for row in rows.splitlines(keepends=True) if "cmeta" not in row)
    assert feet(without)["wh-hotc"] == {"wh-hotc_cdata", "not seen: a device below wh-hotc"}


POOLS: Final = """\
# lvs -a -o +devices
  LV            VG Attr       LSize   Pool   Origin      Data%  Meta%  Devices
  hot           wh Cwi-aoC---  40.00g [hotc] [hot_corig] 4.12   1.21   hot_corig(0)
  [hot_corig]   wh owi-aoC---  40.00g                                  /dev/dasdp1(0)
  [hotc]        wh Cwi---C---   5.00g                    4.12   1.21   hotc_cdata(0)
  [hotc_cdata]  wh Cwi-ao----   5.00g                                  /dev/dasdq1(0)
  [hotc_cmeta]  wh ewi-ao----   8.00m                                  /dev/dasdr1(9)
  thin          wh Vwi-aotz--  20.00g tp                 31.20
  tp            wh twi-aotz--  10.00g                    62.40  24.10  tp_tdata(0)
  [tp_tdata]    wh Twi-ao----  10.00g                                  /dev/dasdp1(99)
  [tp_tmeta]    wh ewi-ao----  12.00m                                  /dev/dasdr1(3)
# mount
/dev/mapper/wh-hot on /hot type ext4 (rw)
/dev/mapper/wh-thin on /thin type ext4 (rw)
"""


@pytest.mark.parametrize("moved", ["", " "])
def test_what_is_on_a_pool_is_on_the_disks_of_its_data(moved: str, where: Ask) -> None:
    """A cache and a thin volume; the disk of the metadata is in use by them, and holds none of their files.

    Also where a name that is too long has moved the columns of a row.
    """
    text = POOLS.replace("[hot_corig] 4.12", f"[hot_corig]{moved} 4.12")
    feet = {"/hot": ["dasdp", "dasdq"], "/thin": ["dasdp"]}
    for point, disks in feet.items():
        (answer,) = where(point, text)["where"]
        assert sorted(disk["disk"] for disk in answer["disks"]) == disks
    assert {mount["point"] for mount in where("dasdr", text)["mounts"]} == {*feet}


def test_a_pool_of_which_only_metadata_are_seen_is_on_no_known_disk(where: Ask) -> None:
    """The tree of one disk may lack its data."""
    tree = """\
# lsblk -o NAME,TYPE,MOUNTPOINT /dev/dasdp
NAME                   TYPE MOUNTPOINT
dasdp                  disk
`-dasdp1               part
  `-vg-pool_tmeta      lvm
    `-vg-pool          lvm
      `-vg-thin        lvm  /thin
"""
    (answer,) = where("/thin", tree)["where"]
    assert "dasdp" not in [disk["disk"] for disk in answer["disks"]]
    assert [mount["point"] for mount in where("dasdp", tree)["mounts"]] == ["/thin"]


def test_an_origin_alone_leaves_the_pool_of_a_cache_open() -> None:
    """Without the column of pools the cache may be on further devices."""
    rows = """\
# lvs -a -o lv_name,vg_name,lv_attr,origin,devices
  LV           VG Attr       Origin      Devices
  hot          wh Cwi-aoC--- [hot_corig] hot_corig(0)
  [hot_corig]  wh owi-aoC---             /dev/dasdp1(0)
"""
    assert feet(rows)["wh-hot"] == {"wh-hot_corig", "not seen: a device below wh-hot"}


def test_a_volume_of_which_lvm_warns_is_a_member() -> None:
    """Its disk is in use."""
    warning = "  WARNING: PV /dev/dasdp1 in VG old is using an old PV header, modify the VG to update.\n"
    assert facts_in(f"# lvs\n{warning}").contents["dasdp1"][0] == "LVM2_member"


def test_numbers_of_logical_volumes_are_taken_but_those_of_pools() -> None:
    """The kernel's device of a thin pool has another name than the pool."""
    frame = layers(LVS_VERBOSE)
    assert (frame.cell("253:2", "mapped"), "253:10" in frame.index) == ("wh-later", False)


@pytest.mark.parametrize("warning", [
    "WARNING: Device for PV d2nEdZ-IttJ-QDlJ-PTOs-cwUP-P3qo-b3qrSw not found or rejected by a filter.",
    "WARNING: Couldn't find device with uuid d2nEdZ-IttJ-QDlJ-PTOs-cwUP-P3qo-b3qrSw.",
    "Couldn't find device with uuid 'd2nEdZ-IttJ-QDlJ-PTOs-cwUP-P3qo-b3qrSw'.",
    "WARNING: VG wh is missing PV d2nEdZ-IttJ-QDlJ-PTOs-cwUP-P3qo-b3qrSw.",
])  # fmt: skip
def test_a_volume_that_lvm_misses_is_a_member(warning: str) -> None:
    """Of the group that it names; if it names none, of each group that is listed."""
    uuid = "d2nEdZ-IttJ-QDlJ-PTOs-cwUP-P3qo-b3qrSw"
    member = f"physical volume {uuid}" if "VG wh" in warning else "a physical volume"
    assert f"missing: {member} of wh" in feet(f"  {warning}\n{PVS}")["volume group wh"]


def test_the_only_volume_that_is_missing_has_the_id_of_which_lvm_warns() -> None:
    """Where a row says of which group it is; of two ids it may be each."""
    ids = ("d2nEdZ-IttJ-QDlJ-PTOs-cwUP-P3qo-b3qrSw", "d2nEdZ-IttJ-QDlJ-PTOs-cwUP-P3qo-b3qrSx")
    rows = f"{PVS}  [unknown] wh lvm2 a-m 6.87g 0\n"
    for count, member in ((1, f"physical volume {ids[0]}"), (2, "a physical volume")):
        warnings = "".join(f"  Couldn't find device with uuid '{uuid}'.\n" for uuid in ids[:count])
        assert f"missing: {member} of wh" in feet(warnings + rows)["volume group wh"]


@pytest.mark.parametrize(("content", "command"), [(PVS, "pvs"), (LVS, "lvs"), (PVS_CHOSEN, "pvs")])
@pytest.mark.parametrize("change", ["indented", "cut", "noise", "doubled"])
def test_a_row_that_changes_gives_no_group_and_no_volume_another_device(
    content: str, command: str, change: str
) -> None:
    """A row that was cut or moved has no cells, or those that it had."""
    rows = content.splitlines()
    whole = feet(content, command)
    for at, row in enumerate(rows):
        for size in (len(row) // 3, len(row) // 2, len(row) - 3) if change == "cut" else (0,):
            changed = {"indented": [f"  {row}"], "cut": [row[:size]], "noise": ["?!"], "doubled": [row, row]}[
                change
            ]
            left = feet("\n".join([*rows[:at], *changed, *rows[at + 1 :], ""]), command)
            for title, below in left.items():
                real = (
                    whole[title]
                    if title.startswith("wh-") and title in whole
                    else {"dasdp1", "dasdq1", "dasdr1"}
                )
                named = {name for name in below if " " not in name and not name.startswith("wh-")}
                assert all(any(name.startswith(beginning) for name in real) for beginning in named)
                assert (
                    "wh" not in title
                    or below >= whole.get(title, set())
                    or any(" " in name for name in below)
                )


@pytest.mark.parametrize("columns", ["lv_name,vg_name,devices", "lv_name,vg_name,segtype,devices"])
def test_a_volume_on_a_device_that_is_not_found_is_partial(columns: str, where: Ask) -> None:
    """Whether lvs was asked for attributes or not, and whether the device is below a part of the volume."""
    kind = "raid0 " * ("segtype" in columns)
    lvs = f"""\
h:~ # mount
/dev/mapper/vgl-r0 on /data type xfs (rw)
h:~ # lvs -a -o {columns}
  LV            VG  {"Type  " * bool(kind)}Devices
  r0            vgl {kind}r0_rimage_0(0),r0_rimage_1(0)
  [r0_rimage_0] vgl {kind}/dev/dasdb1(1)
  [r0_rimage_1] vgl {kind}[unknown](1)
h:~ # lsblk
NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT
dasdb 94:4 0 6.9G 0 disk
└─dasdb1 94:5 0 1G 0 part
  └─vgl-r0 252:0 0 1G 0 lvm /data
"""
    (answer,) = where("/data", lvs)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdb", "missing: a physical volume of vgl"]


LV_HEAD = "  LV   VG Attr       Devices                         #Str Type\n"
IN_LVS = f"box1:~ # lvs -o lv_name,vg_name,lv_attr,devices,stripes,seg_type\n{LV_HEAD}"
ON_TWO = "  load wh {} {}(0),{}(0)   2 {}\n"
DISPLAYED = """\
box1:~ # lvdisplay -m
  --- Logical volume ---
  LV Path                /dev/wh/load
  LV Name                load
  VG Name                wh
  LV Status              available
  LV Size                400.00 GiB
  Current LE             102400
  Segments               {segments}

  --- Segments ---
  Logical extents 0 to 102399:
    Type		{type}
    Stripes		2
    Stripe size		64.00 KiB
    Stripe 0:
      Physical volume	/dev/dasdp1
      Physical extents	0 to 51199
    Stripe 1:
      Physical volume	/dev/dasdq1
      Physical extents	0 to 51199

"""


def lvs(attributes: str = "-wi-ao----", of_type: str = "striped") -> str:
    """Return a row of lvs of a volume on two devices."""
    return f"{IN_LVS}{ON_TWO.format(attributes, '/dev/dasdp1', '/dev/dasdq1', of_type)}"


@pytest.mark.parametrize(
    ("text", "is_even"),
    [(lvs(), True), (lvs("owi-aos---"), True), (lvs("pwc-aom---", "mirror"), False),
     (f"{lvs()}  load wh -wi-ao---- /dev/dasdp1(900)   1 linear\n", False),
     (lvs() + lvs().replace("(0)   2 ", "(0),/dev/dasdr1(0)   3 "), False),
     (DISPLAYED.format(segments=1, type="striped"), True),
     (DISPLAYED.format(segments=2, type="striped"), False),
     (lvs().replace("stripes,seg_type\n", "stripes,seg_type | grep dasdp\n"), False),
     (DISPLAYED.format(segments=1, type="mirror"), False)],
)  # fmt: skip
def test_a_volume_of_one_striped_segment_has_equal_parts(text: str, is_even: bool, where: Ask) -> None:
    """A whole listing of its only segment says so; of several segments the lengths would have to be known."""
    mount = "box1:~ # mount\n/dev/mapper/wh-load on /load type xfs (rw)\n"
    steps = where("/load", f"{text}{mount}")["where"][0]["steps"]
    assert [step["what"].startswith("striped over 2") for step in steps if step["title"] == "wh-load"] == [
        is_even
    ]


def test_a_size_that_is_printed_rounded_follows_from_the_extents(where: Ask) -> None:
    """Two disks have one half of it each."""
    mount = "box1:~ # mount\n/dev/mapper/wh-load on /load type xfs (rw)\n"
    (answer,) = where("/load", f"{DISPLAYED.format(segments=1, type='striped')}{mount}")["where"]
    assert answer["size"] == 400 << 30
    assert [(disk["disk"], disk["bytes"]) for disk in answer["disks"]] == [
        ("dasdp", 200 << 30), ("dasdq", 200 << 30)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("printed", "extents", "size"),
    [("<64,00 MiB", "16", 64 << 20), ("1.50 TiB", "98304", 3 << 39), ("429.50 GB", "102400", 0),
     ("400.00 GiB", "0", 0), ("400.00 GiB", "", 0),
     ("<99.91 GiB", "3197", 3197 << 25), ("96.00 GiB", "1000", 0)],
)  # fmt: skip
def test_the_size_of_extents_is_a_power_of_two(printed: str, extents: str, size: int) -> None:
    """Any other is not known: a size in units of 1000, or of extents that somebody chose."""
    assert whole_size(printed, extents) * SECTOR == size


@pytest.mark.parametrize("group", ["", " wh"])
def test_the_last_of_two_lists_of_chosen_columns_counts(group: str, where: Ask) -> None:
    """Such as before and after a pvmove: a row is one of lvs without attributes, too."""
    head = f"box1:~ # lvs -o lv_name,vg_name,devices{group}\n  LV    VG   Devices\n"
    text = "".join(
        f"{head}  load  wh   /dev/{disk}1(0)\n  logs  wh   /dev/dasdr1(0)\n" for disk in ("dasdp", "dasdq")
    )
    steps = where("/load", f"{text}box1:~ # findmnt\nTARGET SOURCE FSTYPE\n/load /dev/mapper/wh-load xfs\n")
    disks = {disk["disk"] for disk in steps["where"][0]["disks"]}
    assert ("dasdp" in disks, "dasdq" in disks) == (False, True)


@pytest.mark.parametrize(
    ("content", "command"),
    [
        ("  wh,later,/dev/dasdp1:32-47\n  wh,later,/dev/dasdq1:32-47 /dev/dasdr1:0-1\n",
         "lvs --noheadings --separator , -o vg_name,lv_name,seg_pe_ranges"),
        ("  later;wh;linear;/dev/dasdp1(32);0\n  later;wh;striped;/dev/dasdq1(32),/dev/dasdr1(0);16\n",
         "lvs --noheadings --separator=';' -o lv_name,vg_name,seg_type,devices,seg_start"),
        ("  later,wh,linear,/dev/dasdp1(32),0\n  later,wh,striped,/dev/dasdq1(32),/dev/dasdr1(0),16\n",
         'lvs --noheadings --separator "," -o lv_name,vg_name,segtype,devices,seg_start'),
    ],
)  # fmt: skip
def test_the_command_names_separator_and_columns(content: str, command: str) -> None:
    """Devices of one cell may have the separator between them."""
    assert {"dasdp1", "dasdq1", "dasdr1"} <= feet(content, command)["wh-later"]


@pytest.mark.parametrize(
    ("command", "is_whole"),
    [("lvs -o +devices | grep load", True), ("lvs -o +devices wh | grep wh", True),
     ("lvs -o +devices | grep dasdp", False), ("lvs -o +devices | grep load | tail -1", False)],
)  # fmt: skip
def test_a_search_for_the_name_of_a_volume_leaves_out_none_of_it(command: str, is_whole: bool) -> None:
    """Each line has the name; so has each of a physical volume that of its group."""
    rows = "  load wh -wi-ao---- 20.00g /dev/dasdp1(0)\n  load wh -wi-ao---- 20.00g /dev/dasdq1(0)\n"
    assert (feet(f"# {command}\n{rows}")["wh-load"] == {"dasdp1", "dasdq1"}) == is_whole
    for option, members in (("", {"dasdp1"}), (" /dev/dasdp1", {"dasdp1", "not seen: a volume of wh"})):
        pvs = f"# pvs{option} | grep wh\n  /dev/dasdp1 wh lvm2 a--  20.63g 0\n"
        assert feet(pvs)["volume group wh"] == members


@pytest.mark.parametrize("heading", ["  PV         VG    Fmt  Attr PSize   PFree\n", ""])
def test_a_duplicate_of_a_physical_volume_is_none_of_its_group(heading: str, where: Ask) -> None:
    """LVM uses the one that it prefers."""
    text = f"# pvs\n{heading}" + "".join(
        f"  /dev/dasd{disk}1 test1 lvm2 {attributes}  508.00m 508.00m\n"
        for disk, attributes in (("p", "a--"), ("q", "d--"))
    )
    assert where("dasdp1", text)["devices"] == ["volume group test1"]
    (duplicate,) = where("dasdq1", text)["devices"]
    assert duplicate == "duplicate of a physical volume of test1, which LVM does not use, on dasdq1"
    assert [disk["disk"] for disk in where("test1", text)["disks"]] == ["dasdp"]


_POOLED = """\
box1:~ # dmsetup table
vg0-fast_cdata: 0 2097152 linear 94:5 2099200
box1:~ # pvs
  PV          VG  Fmt  Attr PSize  PFree
  /dev/dasdb1 vg0 lvm2 a--  20.00g 1.00g
  /dev/dasdc1 vg0 lvm2 a--  20.00g 1.00g
box1:~ # lvs -a
  LV              VG  Attr       LSize
  [fast]          vg0 Cwi---C---  1.00g
  [lvol0_pmspare] vg0 ewi------- 12.00m
"""


@pytest.mark.parametrize(("asked", "disks"), [
    ("vg0/fast", ["dasdb"]),
    ("vg0/lvol0_pmspare", ["dasdb", "dasdc"]),
])  # fmt: skip
def test_a_pool_lies_where_its_data_do(asked: str, disks: list[str], where: Ask) -> None:
    """The volume with these has a table; a spare one without any may be anywhere in the group."""
    told = where(asked, _POOLED)["where"][0]
    assert [disk["disk"] for disk in told["disks"]] == disks
