"""What dmsetup, multipath and LVM say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collected.texts import DMSETUP_TABLE, MULTIPATH, REMOVED_PATHS, TWO_PATHS, facts_in, row
from zmon.collected.collection import facts_of
from zmon.collected.facts import joined
from zmon.collected.lvm_texts import spread_groups
from zmon.collected.transcript import form_of, outputs
from zmon.kinds import LAYER, PATH
from zmon.kinds import MULTIPATH as MAP
from zmon.sample import empty_frame
from zmon.topology.stack import REMOVED
from zmon.values.path_state import is_down, state_of

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

INFO = """\
Name:              db2vg-data
State:             ACTIVE
Major, minor:      253, 0
Number of targets: 2
UUID: LVM-5dSRyMNQYtiXSRFtNZervuR6cZWGXzazZyKMxLL0R3nwQqoNjK795VQVxllOonHI

Name              Maj Min Stat Open Targ Event  UUID
mpatha            253   2 L--w    1    1      0 mpath-36005076309ffc5630000000000000200
"""


def test_a_table_is_kept_as_dmsetup_prints_it() -> None:
    """A line for each segment, without the name; the devices in it are below; its size is where it ends."""
    facts = facts_in(DMSETUP_TABLE, "dmsetup table")
    assert row(facts, "layer", "db2vg-data") == {
        "sort": "dm", "mapped": "db2vg-data", "below": "94:5 94:9", "size": 2 * 47163392,
        "table": "0 47163392 linear 94:5 2048\n47163392 47163392 linear 94:9 2048",
    }  # fmt: skip


def test_the_status_of_a_device_is_not_taken_for_its_table() -> None:
    """Both begin with name, start, length and target."""
    status = "db2vg-data: 0 47163392 linear \nst: 0 100 striped 2 253:0 253:1 1 AA\n"
    for command in ("dmsetup status", ""):
        rows = facts_in(status, command).rows["layer"].values()
        assert not any({"table", "below"} & told.keys() for told in rows)


def test_names_and_numbers_of_devices_are_joined() -> None:
    """Dmsetup ls and info name the numbers, in the forms of all ages."""
    for listed in ("db2vg-data\t(253:0)\n", "db2vg-data\t(253, 0)\n", INFO):
        assert row(facts_in(listed, "dmsetup info"), "layer", "253:0")["mapped"] == "db2vg-data"
    facts = facts_in(INFO, "dmsetup info -c")
    assert (
        row(facts, "layer", "253:0")["uuid"]
        == "LVM-5dSRyMNQYtiXSRFtNZervuR6cZWGXzazZyKMxLL0R3nwQqoNjK795VQVxllOonHI"
    )
    assert row(facts, "layer", "253:2")["uuid"] == "mpath-36005076309ffc5630000000000000200"


def test_multipath_gives_maps_groups_and_paths() -> None:
    """What is undef is not said; each path has the state, group and priority of its line and group."""
    facts = facts_in(MULTIPATH, "multipath -ll")
    assert row(facts, "multipath", "dm-2")["wwid"] == "36005076309ffc5630000000000000200"
    assert row(facts, "path", "8:16") == {
        "name": "sdb", "map": "dm-2", "via": "multipath -ll", "selector": "service-time", "priority": 50,
        "group": 1, "group_state": "active", "state": "failed", "checker": "faulty", "device": "offline",
    }  # fmt: skip
    assert "checker" not in row(facts, "path", "8:32")
    assert row(facts, "layer", "dm-2")["below"] == "8:0 8:16 8:32"


GONE = REMOVED_PATHS.replace("8:208", "#:#  ")
OLD = r"""mpathk (36005076300ffffff0000000000001c01) dm-3 IBM,2107900
[size=20G][features=1 queue_if_no_path][hwhandler=0][rw]
\_ round-robin 0 [prio=50][active]
 \_ 0:0:0:7 sdk 8:160 [failed][faulty]
 \_ 1:0:0:7 sdl 8:176 [active][ready]
"""


def states(content: str) -> dict[str, tuple[object, object]]:
    """Return map and state of each path; the map is built on all of them."""
    facts = facts_in(content, "multipath -ll")
    told: dict[str, tuple[object, object]] = {}
    for number in facts.keys(PATH):
        cells = (facts.value(PATH, number, name) for name in ("map", "state", "device"))
        name, state, device = cells
        told[number] = name, state_of(state, device)
        assert number in str(row(facts, "layer", str(name))["below"]).split()
    return told


def test_a_path_whose_disk_was_removed_belongs_to_its_map() -> None:
    """It carries nothing, and a map may have no others; what has no number has one that stands for it."""
    told = states(GONE)
    assert told.pop("?dm-4.1") == ("dm-4", REMOVED)
    assert told == {
        "8:160": ("dm-3", "active"), "8:176": ("dm-3", REMOVED), "8:192": ("dm-4", REMOVED),
    }  # fmt: skip


def test_paths_as_old_versions_print_them_are_paths() -> None:
    """With brackets around the states; that of the disk is not among them."""
    assert states(OLD) == {"8:160": ("dm-3", "failed"), "8:176": ("dm-3", "active")}
    facts = facts_in(OLD, "multipath -ll")
    assert row(facts, "path", "8:160")["priority"] == 50
    assert row(facts, "multipath", "dm-3")["queueing"] == "on"


def test_a_state_that_is_not_known_is_no_working_one() -> None:
    """It is shown as multipath has it."""
    assert states(GONE.replace("active ready", "dreaming ready").replace(" running", " undef"))["8:160"] == (
        "dm-3", "dreaming",
    )  # fmt: skip
    assert is_down("dreaming")


@given(st.text(max_size=40), st.sampled_from([GONE, OLD]), st.data())
def test_any_text_is_read_without_an_error(content: str, real: str, data: st.DataObject) -> None:
    """Paths belong to a map."""
    at = data.draw(st.integers(0, len(real)))
    facts = facts_in(real[:at] + content + real[at + 1 :], "multipath -ll")
    assert {facts.value(PATH, number, "map") for number in facts.keys(PATH)} <= {*facts.keys(MAP)}


def members(content: str) -> set[object]:
    """Return the names of the devices below the volume wh-load."""
    facts = facts_in(content)
    spread_groups(facts)
    facts.by_number(empty_frame(LAYER, "no text"))
    frame, _ = joined(LAYER, empty_frame(LAYER, "no text"), facts, 1)
    key = frame.keys[[*frame.column("mapped")].index("wh-load")]
    named = {number: {frame.cell(number, "name"), frame.cell(number, "mapped")} for number in frame.keys}
    below = str(frame.cell(key, "below")).split()
    if frame.cell(below[0], "sort") == "volume group":
        below = str(frame.cell(below[0], "below")).split()
    return {name for number in below for name in named[number] if isinstance(name, str)}


@pytest.mark.parametrize(
    ("device", "name"),
    [
        *((word, "missing: a physical volume of wh") for word in ("[unknown]", "unknown device", "missing")),
        ("/dev/disk/by-path/ccw-0.0.1b02-part1", "disk/by-path/ccw-0.0.1b02-part1"), ("/dev/md0", "md0"),
        ("/dev/sdc", "sdc"), ("/dev/mapper/mpathk1", "mpathk1"), ("/dev/dasdq1", "dasdq1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tool", ["pvs", "lvs"])
def test_a_group_has_all_its_members_whether_they_are_found_or_not(device: str, name: str, tool: str) -> None:
    """One without a number, or that is lost, stays a member with its name: the others are never all."""
    pvs = "  PV VG Fmt Attr PSize PFree\n  /dev/dasdp1 wh lvm2 a-- 6g 0\n"
    lvs = "  LV   VG Attr       LSize Devices\n  load wh -wi-ao---- 13.00g"
    content = {
        "pvs": f"{pvs}  {device} wh lvm2 a-m 6g 0\n{lvs.replace(' Devices', '')}\n",
        "lvs": f"{lvs} /dev/dasdp1(0)\n  load wh -wi-ao---- 13.00g {device}(0)\n",
    }[tool]
    assert members(content) == {"dasdp1", name}


def test_a_name_in_dev_disk_is_that_of_the_device_it_links_to() -> None:
    """Where a text has the links, such a member is no other device."""
    links = "/dev/disk/by-path:\nlrwxrwxrwx 1 root root 12 2026-03-17 09:12 ccw-1-part1 -> ../../dasdq1\n"
    devices = "/dev/disk/by-path/ccw-1-part1(0),/dev/dasdq1(5)"
    volumes = f"  LV VG Attr LSize Devices\n  load wh -wi-ao---- 1g {devices}\n"
    assert members(links + volumes) == {"dasdq1"}


def test_a_volume_is_on_what_lvs_names_else_on_the_disks_of_its_group() -> None:
    """The second is all that pvs and lvs say without further columns."""
    pvs = (
        "  PV          VG    Fmt  Attr PSize  PFree\n"
        "  /dev/dasdb1 db2vg lvm2 a--  22.49g 0\n  /dev/dasdc1 db2vg lvm2 a-- 1g 0\n"
    )
    lvs = "  LV    VG    Attr       LSize\n  da-ta db2vg -wi-ao---- 45.00g\n"
    facts = facts_in(pvs + lvs)
    spread_groups(facts)
    group = row(facts, "layer", "db2vg-da--ta")["below"]
    assert row(facts, "layer", str(group))["below"] == "dasdb1 dasdc1"
    named = "  LV    VG    Attr       LSize  Devices\n  data  db2vg -wi-ao---- 45.00g /dev/dasdb1(0)\n"
    assert row(facts_in(named, "lvs -o +devices"), "layer", "db2vg-data")["below"] == "dasdb1"


TREE = """\
cr_data (253:1)
 └─wh-load (253:0)
    ├─ (94:61)
    └─ (94:65)
wh-x (253:2)
 └─ (94:61)
"""
ASCII_TREE = TREE.replace("├─", "|-").replace("└─", "`-")
NAMED_TREE = TREE.replace(" (253:1)", " <dm-1> (253:1) [ACTIVE, RW]").replace("─ (94", "─ <dasd> (94")
INVERTED = """\
 (94:61)
 ├─wh-load (253:0)
 │  └─cr_data (253:1)
 └─wh-x (253:2)
 (94:65)
 └─wh-load (253:0)
    └─cr_data (253:1)
"""
DEPENDENCIES = """\
cr_data: 1 dependencies\t: (253, 0)
wh-load: 2 dependencies\t: (94, 61) (94, 65)
wh-x: 1 dependencies\t: (94, 61)
"""
DEPENDENCIES_BY_NAME = """\
cr_data: 1 dependencies\t: (wh-load)
wh-load: 2 dependencies\t: (dasdp1) (dasdq1)
wh-x: 1 dependencies\t: (dasdp1)
"""
FEET = {"cr_data": {"wh-load"}, "wh-load": {"94:61", "94:65"}, "wh-x": {"94:61"}}


def feet(content: str, command: str = "") -> dict[str, set[str]]:
    """Return what each device of the device mapper is built on, by name, or by number if it has none."""
    facts = facts_in(content, command)
    facts.by_number(empty_frame(LAYER, "no text"))
    frame, _ = joined(LAYER, empty_frame(LAYER, "no text"), facts, 1)
    mapped = dict(zip(frame.keys, frame.column("mapped"), strict=True))
    return {
        title: {name if isinstance(name := mapped[foot], str) else foot for foot in below.split()}
        for title, below in zip(frame.column("mapped"), frame.column("below"), strict=True)
        if isinstance(title, str) and isinstance(below, str)
    }  # fmt: skip


@pytest.mark.parametrize("content", [
    TREE, ASCII_TREE, NAMED_TREE, INVERTED, DEPENDENCIES, DEPENDENCIES_BY_NAME,
])  # fmt: skip
def test_trees_and_dependencies_say_what_a_device_is_built_on(content: str) -> None:
    """However they are drawn, and whichever end is up."""
    listed = "cr_data\t(253:1)\nwh-load\t(253:0)\n" * (content == DEPENDENCIES)
    assert feet(listed + content, "") == FEET


def test_the_command_names_the_device_of_dependencies() -> None:
    """Dmsetup does not, if it was asked for one."""
    assert feet("1 dependencies\t: (94, 61)\n", "dmsetup deps /dev/mapper/wh-x") == {"wh-x": {"94:61"}}
    assert feet("1 dependencies\t: (94, 61)\n", "dmsetup deps") == {}


def test_a_dependency_that_is_counted_and_not_listed_is_a_member() -> None:
    """The line may have been cut."""
    assert feet("wh-load: 2 dependencies\t: (94, 61)\n") == {
        "wh-load": {"94:61", "not seen: a device below wh-load"}
    }


@pytest.mark.parametrize("content", [TREE, ASCII_TREE, NAMED_TREE])
@pytest.mark.parametrize("change", [[], ["?! xyz"]])
def test_a_line_of_a_tree_that_is_missing_gives_no_device_another_foot(
    content: str, change: list[str]
) -> None:
    """Feet that are left are its own, or one is among them that was not understood."""
    rows = content.splitlines()
    for at in range(len(rows)):
        left = feet("\n".join([*rows[:at], *change, *rows[at + 1 :], ""]), "dmsetup ls --tree")
        for title, below in left.items():
            assert {foot for foot in below if ": " not in foot and foot != "wh-load"} <= FEET.get(
                title, set()
            )
        if at == 3 or (change and at == 2):
            assert any("not seen" in foot for foot in left["wh-load"])


CHOSEN = """\
Name             BlkDevName       DevNosUsed             BlkDevNamesUsed
wh-load          dm-0             94:65,94:61            dasdq1,dasdp1
cr_data          dm-1             253:0                  dm-0
"""
NUMBERED = """\
Name             Maj Min UUID
wh-load          253   0 LVM-5dSRyMNQYtiXSRFtNZervuR6cZWGXzazZyKMxLL0R3nwQqoNjK795VQVxllOonHI
cr_data          253   1 CRYPT-LUKS2-abc-cr_data
"""
WITHOUT_HEADING = """\
wh-load:253:0:L--w:1:2:0:LVM-5dSRyMNQYtiXSRFtNZervuR6cZWGXzazZyKMxLL0R3nwQqoNjK795VQVxllOonHI
cr_data:253:1:L--w:1:1:0:CRYPT-LUKS2-abc-cr_data
"""


def test_chosen_columns_say_what_their_headings_say() -> None:
    """Dmsetup prints numbers, names and what a device is built on, with or without a heading."""
    assert feet(CHOSEN + NUMBERED) == {"wh-load": {"94:61", "94:65"}, "cr_data": {"wh-load"}}
    for content, command in ((NUMBERED, ""), (WITHOUT_HEADING, "dmsetup info -c --noheadings")):
        facts = facts_in(content, command)
        told = {number: (row(facts, "layer", number)["mapped"], row(facts, "layer", number)["uuid"])
                for number in ("253:0", "253:1")}  # fmt: skip
        assert told == {
            "253:0": ("wh-load", "LVM-5dSRyMNQYtiXSRFtNZervuR6cZWGXzazZyKMxLL0R3nwQqoNjK795VQVxllOonHI"),
            "253:1": ("cr_data", "CRYPT-LUKS2-abc-cr_data"),
        }
    assert facts_in("wh-load\t(dm-0)\n", "dmsetup ls -o blkdevname").rows["layer"].keys() == {"dm-0"}


@pytest.mark.parametrize(("rows", "read"), [
    ("wh-load: 0 65536 linear 94:61 384\nwh-snap: 0 65536 snapshot 253:1 253:2 P 8\n", 2),
    ("wh-load: 0 65536 linear \nwh-snap: 0 65536 snapshot 16/65536 16\n", 0),
])  # fmt: skip
def test_a_table_and_a_status_are_told_apart_without_their_commands(rows: str, read: int) -> None:
    """By their linear devices, whose status is empty."""
    facts = facts_in(rows, "")
    assert sum("table" in layer for layer in facts.rows.get("layer", {}).values()) == read


JSON = """\
box1:~ # multipathd show maps json
{
   "major_version": 0,
   "maps": [{
      "name" : "mpatha",
      "uuid" : "36005076309ffd1c70000000000001a00",
      "sysfs" : "dm-0",
      "path_groups": [{
         "paths": [{ "dev" : "sda", "dev_t" : "8:0", "dm_st" : "active", "chk_st" : "ready" },
                   { "dev" : "sdb", "dev_t" : "8:16", "dm_st" : "failed", "chk_st" : "faulty" }]
      }]
   }]
}
"""
FORMAT = """\
box1:~ # multipathd show paths format "%w %d %t %i %o %T %s"
uuid                              dev dm_st  hcil             dev_st  chk_st vend/prod/rev
36005076309ffd1c70000000000001a00 sda active 0:0:0:1073758234 running ready  IBM,2107900
"""


def test_maps_in_json_are_those_of_a_tree() -> None:
    """With their paths and states."""
    facts = facts_in(JSON)
    assert row(facts, "layer", "dm-0")["below"] == "8:0 8:16"
    assert row(facts, "multipath", "dm-0")["wwid"] == "36005076309ffd1c70000000000001a00"
    assert row(facts, "path", "8:16")["state"] == "failed"


def test_paths_of_any_format_tell_the_disks_that_they_are() -> None:
    """By the headings that the format has."""
    assert row(facts_in(FORMAT), "layer", "sda")["wwid"] == "naa.6005076309ffd1c70000000000001a00"


def test_paths_tell_what_the_port_of_their_adapter_is_called() -> None:
    """In JSON and in a list of any format."""
    more = '"host_wwpn" : "0xc05076ffe5005611", "host_adapter" : "0.0.1900",'
    in_json = JSON.replace('{ "dev" : "sda",', f'{{ {more} "dev" : "sda",')
    listed = "host WWPN           host adapter dev dev_t\n0xc05076ffe5005611  0.0.1900     sda 8:0\n"
    for text in (in_json, f'box1:~ # multipathd show paths format "%R %a %d %D"\n{listed}'):
        assert row(facts_in(text), "adapter", "0.0.1900")["port_name"] == "0xc05076ffe5005611"


def test_the_second_line_of_a_map_may_be_folded() -> None:
    """What queues is not known if that is in the other part."""
    folded = MULTIPATH.replace("hwhandler='1 alua'", "hwhandler='1\nalua'")
    assert row(facts_in(folded, "multipath -ll"), "layer", "dm-2")["below"] == "8:0 8:16 8:32"
    features = MULTIPATH.replace("'1 queue_if_no_path'", "'2 retain\nqueue_if_no_path'")
    assert "queueing" not in row(facts_in(features, "multipath -ll"), "multipath", "dm-2")


def test_a_table_of_one_device_has_the_name_that_was_asked_for() -> None:
    """Dmsetup prints no name then."""
    for name in ("vg-lv", "/dev/mapper/vg-lv"):
        told = row(facts_in("0 800 linear 94:5 2048\n800 80 linear 94:9 2048\n", f"dmsetup table {name}"),
                   "layer", "vg-lv")  # fmt: skip
        assert (told["below"], told["size"]) == ("94:5 94:9", 880)


WWID = "36005076303ffc5620000000000001001"
CHOSEN_UUID = f"""\
# dmsetup info -c
Name              Maj Min Stat Open Targ Event  UUID
mpathb            253   2 L--w    1    1      0 mpath-{WWID}
"""
BY_ID = f"""\
# ls -l /dev/disk/by-id
lrwxrwxrwx 1 root root 10 Mar 17 09:12 dm-uuid-mpath-{WWID} -> ../../dm-2
lrwxrwxrwx 1 root root 10 Mar 17 09:12 dm-name-mpathb -> ../../dm-2
"""
OF_DAEMON = f"# multipathd show maps\nname   sysfs uuid\nmpathb dm-2  {WWID}\n"


@pytest.mark.parametrize("content", [CHOSEN_UUID, BY_ID, OF_DAEMON])
@pytest.mark.parametrize("word", ["mpathb", "dm-2", WWID, "LSS 10"])
def test_a_map_without_a_known_path_is_a_disk_by_its_wwid(where: Ask, content: str, word: str) -> None:
    """Which names the storage server and the LSS; over which paths it is reached no text says."""
    answer = where(word, content)
    (disk,) = answer["disks"]
    assert (disk["disk"], disk["lcu"], disk["lcu_grade"]) == ("mpathb", "LSS 10", "assumed")
    assert answer["more_paths"]


def test_paths_that_were_removed_are_of_the_disk_that_the_wwid_names(where: Ask) -> None:
    """They have neither address nor number."""
    removed = f"""\
mpatha ({WWID}) dm-2 ##,##
size=10G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=0 status=enabled
  `- #:#:#:# -   #:#   failed undef unknown
"""
    answer = where("mpatha", f"# multipath -ll\n{removed}")
    assert [disk["lcu"] for disk in answer["disks"]] == ["LSS 10"]
    assert not answer["more_paths"]


BINDINGS = f"""\
# Multipath bindings, Version : 1.0
# NOTE: this file is automatically maintained by the multipath program.
# You should not need to edit this file in normal circumstances.
#
# Format:
# alias wwid
#
mpatha 36005076303ffc5620000000000001000
mpathb {WWID}
"""
WWIDS = f"# Multipath wwids, Version : 1.0\n# Valid WWIDs:\n/{WWID}/\n"


@pytest.mark.parametrize("bindings", [BINDINGS, f"# cat /etc/multipath/bindings\n{BINDINGS}"])
@pytest.mark.parametrize("device", ["mapper/mpathb", "mapper/mpathb-part1", "disk/by-id/dm-name-mpathb"])
def test_bindings_name_the_wwid_of_a_map_that_is_used(where: Ask, bindings: str, device: str) -> None:
    """And so its storage server; a binding that nothing uses is no map that there is."""
    mount = f"# mount\n/dev/{device} on /srv type xfs (rw)\n"
    for word in ("mpathb", WWID):
        answer = where(word, f"{bindings}\n{mount}")
        assert [(disk["disk"], disk["lcu"]) for disk in answer["disks"]] == [("mpathb", "LSS 10")]
        assert [use["point"] for use in answer["mounts"]] == ["/srv"]
    assert [disk["disk"] for disk in where("LSS 10", f"{bindings}\n{mount}")["disks"]] == ["mpathb"]


@pytest.mark.parametrize("content", [
    f"# multipath -ll\n{WWID} dm-2 IBM,2107900\nsize=10G features='0' hwhandler='0' wp=rw\n",
    "\n".join(BY_ID.split("\n")[:2]) + "\n",
])  # fmt: skip
def test_a_map_that_is_known_by_its_wwid_has_the_name_that_bindings_give(where: Ask, content: str) -> None:
    """Whether a text has a name for it or not."""
    for word in ("mpathb", "/dev/mapper/mpathb"):
        (disk,) = where(word, f"# cat /etc/multipath/bindings\n{BINDINGS}{content}")["disks"]
        assert disk["lcu"] == "LSS 10"


def test_the_lines_of_bindings_and_wwids_are_read_or_say_nothing() -> None:
    """Comments are no prompts."""
    facts, read = facts_of([*outputs("a.txt", f"# cat /etc/multipath/bindings\n{BINDINGS}".encode(), 7)])
    assert {*facts.bindings} == {"mpatha", "mpathb"}
    assert [(entry.read, entry.strange) for entry in read] == [(2, ())]
    facts, read = facts_of([*outputs("wwids", WWIDS.encode(), 7)])
    assert not facts.bindings
    assert [(entry.read, entry.strange) for entry in read] == [(0, ())]


PATHS_OF_FORMAT = """\
box1:~ # multipathd show paths format "%d %t %T %i %w"
dev dm_st  chk_st hcil           uuid
sda active ready  0:0:0:1074937873 36005076307ffc5e30000000000001112
sdb failed faulty 1:0:0:1074937873 36005076307ffc5e30000000000001112
"""


def test_paths_of_a_format_are_joined_by_their_map(where: Ask) -> None:
    """Its columns may be wider than their headings; a failed path is told; the WWID names the map."""
    said = where("sdb", PATHS_OF_FORMAT)
    assert said["disks"][0]["not_used"] == "LUN failed"
    assert said["devices"] == ["36005076307ffc5e30000000000001112"]
    assert not said["same"]
    (disk,) = where("sda", PATHS_OF_FORMAT)["disks"]
    assert (disk["lun"], disk.get("not_used", "")) == ("0x4011401200000000", "")


SHOWN_PATHS = """\
box1:~ # multipathd show paths
hcil             dev dev_t pri dm_st  chk_st dev_st  next_check
0:0:0:1075331104 sda 8:0   50  active ready  running XXXXXX.... 13/20
1:0:0:1075331104 sdb 8:16  0   failed faulty running XX........ 4/20
"""
MAP_OF_DAEMON = f"""\
box1:~ # multipathd show maps
name   sysfs uuid
mpatha dm-0  36005076303ffc1ae0000000000002018
{TWO_PATHS}"""
MAP_BY_WWID = """\
box1:~ # multipathd show paths format "%d %t %T %o %i %w"
dev dm_st  chk_st dev_st  hcil             uuid
sda active ready  running 0:0:0:1075331104 36005076303ffc1ae0000000000002018
sdb failed faulty running 1:0:0:1075331104 36005076303ffc1ae0000000000002018
box1:~ # dmsetup ls
36005076303ffc1ae0000000000002018\t(253:0)
"""


@pytest.mark.parametrize("content", [SHOWN_PATHS + MAP_OF_DAEMON, MAP_BY_WWID])
def test_a_list_of_paths_has_their_states(where: Ask, show: Ask, content: str) -> None:
    """Which map they are of another text has, or its name, their WWID; what is not seen is not gone."""
    path = where("sdb", content)["disks"][0]
    assert path["not_used"] == "LUN failed"
    told = {key: (entry["path"], entry["state"]) for key, entry in show("MPATH", content).items()}
    assert told == {"8:0": ("sda", "active"), "8:16": ("sdb", "failed")}


@pytest.mark.parametrize(
    ("title", "part"),
    [("36005076303ffc1ae0000000000002018", "-part1"), ("mpatha", "1"), ("mpathb", "p2")],
)  # fmt: skip
def test_a_partition_of_a_map_is_on_it_by_its_name(title: str, part: str) -> None:
    """Where nothing has its uuid; a logical volume may be called `part1` in a group of another name."""
    for name, below in ((title, ["253:0"]), ("appvg", [])):
        facts = facts_in(f"{name}\t(253:0)\n{name}{part}\t(253:1)\n", "dmsetup ls")
        facts.by_number(empty_frame(LAYER, "no text"))
        told = facts.rows["layer"]["253:1"].get("below", [])
        assert [fact.value for fact in told] == below


@pytest.mark.parametrize(
    ("filters", "is_whole"),
    [("grep load", True), ("grep -i 'load'", True), ("egrep 'load|root'", True), ("grep -v tmp", False),
     ("grep linear", False), ("grep load | head -1", False)],
)  # fmt: skip
def test_a_search_for_the_name_of_a_volume_leaves_out_none_of_its_table(filters: str, is_whole: bool) -> None:
    """Each line of a table begins with the name."""
    facts = facts_in("wh-load: 0 4096 linear 94:61 2048\n", f"dmsetup table | {filters}")
    told = row(facts, "layer", "wh-load")
    assert (told.get("table", ""), "?wh-load" in str(told.get("below"))) == (
        ("0 4096 linear 94:61 2048", False) if is_whole else ("", True)
    )


_TOPOLOGY: Final = """\
mpatha (36005076303ffd4960000000000002b05) dm-0 IBM,2107900
size=50G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=0 status=enabled
  |- 0:0:0:1074085931 sda 8:0  failed faulty running
  `- 1:0:0:1074085931 sdb 8:16 active ready running
"""


@pytest.mark.parametrize("layout", ["box1:~ # {}\n", f"{'#' * 55}\nroot@box1> {{}}\n"])
@pytest.mark.parametrize(
    "command",
    [
        "multipathd -k'show topo'", 'multipathd -k"show topology"', "multipathd -kshow topo",
        "multipathd sh top", "multipathd show to", "multipathd list topology", "multipath -ll",
    ],
)  # fmt: skip
def test_the_daemon_is_asked_in_any_abbreviation(show: Ask, layout: str, command: str) -> None:
    """Its words may be cut, quoted or glued to the option, behind prompts and in what dbginfo.sh writes."""
    assert form_of(command)
    told = show("MPATH", layout.format(command) + _TOPOLOGY)
    assert {entry["path"]: entry["state"] for entry in told.values()} == {"sda": "failed", "sdb": "active"}


def test_the_first_line_tells_what_a_collector_printed_with_another_word(show: Ask) -> None:
    """As it does behind a prompt."""
    section = f"{'#' * 55}\nroot@box1> multipathd -k'x topo'\n"
    assert {entry["state"] for entry in show("MPATH", section + _TOPOLOGY).values()} == {"failed", "active"}


_STATUS: Final = (
    "box1:~ # dmsetup status\n{}: 0 104857600 multipath 2 0 1 0 1 1 A 0 2 2 8:0 F 3 0 1 8:16 A 0 0 1 \n"
)
_TABLE: Final = (
    "box1:~ # dmsetup table\n{}: 0 104857600 multipath 1 queue_if_no_path 1 alua 1 1 service-time 0 2 2"
    " 8:0 1 1 8:16 1 1 \n"
)


@pytest.mark.parametrize("title", ["mpatha", "oradata"])
@pytest.mark.parametrize(
    "content", [_STATUS, _TABLE + _STATUS, "box1:~ # dmsetup ls\n{}\t(253:0)\n" + _STATUS]
)
def test_the_status_of_a_map_has_the_states_of_its_paths(
    where: Ask, show: Ask, content: str, title: str
) -> None:
    """As the device mapper knows them, with failures and groups; which map it is its own line says."""
    text = content.format(title, title)
    told = {entry["path"]: entry["state"] for entry in show("MPATH", text).values()}
    assert told == {"sda": "failed", "sdb": "active"}
    states, _place = facts_in(text).path_states["8:0"]
    assert (states["failures"], states["group_state"]) == (3, "active")
    assert where(title, text)["disks"][0]["not_used"] == "failed"


def test_what_the_daemon_counts_of_maps_is_told(show: Ask) -> None:
    """`show maps stats` and `show maps status` have it, without their paths."""
    text = (
        "box1:~ # multipathd -k'show maps stats'\n"
        "name   path_faults switch_grp map_loads total_q_time q_timeouts\n"
        "mpatha 3           0          1         211          0         \n"
        "box1:~ # multipathd -k'show maps status'\n"
        "name   failback  queueing paths dm-st  write_prot\n"
        "mpatha immediate on       1     active rw        \n"
    )
    assert facts_in(text).path_states["mpatha"][0] == {
        "faults": 3, "switches": 0, "loads": 1, "queue_seconds": 211, "queue_timeouts": 0, "queueing": "on"
    }  # fmt: skip
    assert {row["queueing"] for row in show("MPATH", text + _STATUS.format("mpatha")).values()} == {"on"}


OF_ONE_MAP = """\
mpatha (36005076303ffc0190000000000003003) dm-0 IBM     ,2107900
size=20G features='1 queue_if_no_path' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  |- 0:0:0:1073954864 sda 8:0   active ready running
  `- 1:0:0:1073954864 sdb 8:16  failed faulty running
"""


@pytest.mark.parametrize(
    ("commands", "via"),
    [
        (["multipath -l | tail -n +1"], "multipath -l"), (["multipath -ll"], "multipath -ll"),
        (["multipathd show topology"], "multipathd show topology"),
        (["multipathd -k'show topology'"], "multipathd show topology"),
        (["multipath -l", "multipathd show topology"], "multipath -l"), ([""], "multipath -ll"),
    ],
)  # fmt: skip
def test_a_map_is_told_by_the_command_that_was_run(commands: list[str], via: str) -> None:
    """By the first of several; without a command it is that whose output looks so."""
    texts = (f"box1:~ # {what}\n{OF_ONE_MAP}" if what else OF_ONE_MAP for what in commands)
    facts, _reads = facts_of([*outputs("a.txt", "".join(texts).encode(), 1)])
    assert [facts.value(PATH, number, "via") for number in ("8:0", "8:16")] == [via, via]
    assert [fact.value for fact in facts.rows["multipath"]["dm-0"]["via"]] == [via]


_DRY: Final = """\
{} 36005076303ffd32700000000000045e0 undef IBM,2107900
size=1.0G features='1 queue_if_no_path' hwhandler='1 alua' wp=undef
`-+- policy='service-time 0' prio=50 status=undef
   |- 0:0:1:1088438341 sda 8:0   undef ready running
   `- 1:0:1:1088438341 sde 8:64  undef ready running
"""


@pytest.mark.parametrize(
    ("command", "action"), [("multipath -v2 -d", ":"), ("", ":"), ("multipath", "reject:")]
)
def test_what_multipath_would_make_is_no_map(command: str, action: str, where: Ask) -> None:
    """Its paths are one LUN that nothing joins."""
    text = f"# {command or 'date'}\n{_DRY.format(action)}"
    answer = where("sda", text)
    assert answer["devices"] == []
    assert [(same["others"], same["is_apart"]) for same in answer["same"]] == [(["sde"], True)]
    (disk,) = where("36005076303ffd32700000000000045e0", text)["disks"]
    assert disk["disk"] == "sda"


def test_what_multipath_made_is_a_map(where: Ask) -> None:
    """Though it had no device when its line was printed."""
    answer = where("sda", f"# multipath -v2\n{_DRY.format('create:')}")
    assert answer["devices"] == ["36005076303ffd32700000000000045e0"]


@pytest.mark.parametrize(
    ("title", "states"),
    [("vg-lost", ["snapshot vg-lost: Invalid"]), ("vg-snap", []), ("vg-pool", []), ("vg-lv", []),
     ("vg-full", ["thin-pool vg-full: out_of_data_space"]),
     ("vg-mirror", ["raid vg-mirror: a device failed"])],
)  # fmt: skip
@pytest.mark.parametrize("command", ["dmsetup status", ""])
def test_the_status_of_a_device_tells_that_its_data_are_lost(
    title: str, states: list[str], command: str, where: Ask
) -> None:
    """With and without the command; its table has other words."""
    status = (
        "vg-lv: 0 6291456 linear\nvg-snap: 0 16384000 snapshot 1560768/5120000 6088\n"
        "vg-lost: 0 18874368 snapshot Invalid\n"
        "vg-full: 0 2048 thin-pool 1 20/4915 38/126 - out_of_data_space -\n"
        "vg-pool: 0 129548288 thin-pool 1 20/49152 38/126512 - rw no_discard_passdown queue_if_no_space -\n"
        "vg-mirror: 0 2048 raid raid1 2 AD 2048/2048 idle 0 0 -\n"
    )
    answer = where(title, f"# {command}\n{status}" if command else status)
    assert answer.get("states", []) == states
