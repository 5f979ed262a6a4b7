"""How what texts say joins what kernel files say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collected.texts import LSBLK, LSDASD, facts_in
from zmon.base.absent import Absent
from zmon.collected.facts import MAX_RIVALS, Facts, joined
from zmon.collected.numbers import name_of_number, number_of, number_of_dasd
from zmon.kinds import DASD, DEVICE, LAYER
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from tests.collected.conftest import Ask
    from zmon.base.absent import Value
    from zmon.sample import Kind

NOTHING = empty_frame(LAYER, "no text")
DISK = {field.name: "x" for field in LAYER.fields} | {"name": "dasdb", "busid": "0.0.7101"}


def test_a_value_that_only_a_text_has_is_taken_and_its_text_is_named() -> None:
    """The row of the origin names fields, tool and line."""
    frame, origins = joined(LAYER, NOTHING, facts_in(LSDASD, "lsdasd"), 1)
    assert frame.cell("94:4", "busid") == "0.0.7101"
    assert "name sort busid size = lsdasd, all.txt:4" in str(origins["layer 94:4"]["texts"])
    assert isinstance(frame.cell("94:4", "table"), Absent)


def test_a_kernel_file_and_a_text_that_agree_are_one_value_of_the_file() -> None:
    """Nothing is said of the text then."""
    facts = Facts()
    facts.say(LAYER, "94:4", "lsdasd, a:1", name="dasdb", busid="0.0.7101")
    frame, origins = joined(LAYER, frame_of(LAYER, {"94:4": DISK}, 1), facts, 1)
    assert (frame.cell("94:4", "busid"), origins) == ("0.0.7101", {})


def test_sources_that_contradict_each_other_leave_the_value_open_and_are_both_named() -> None:
    """Whether two texts disagree, or a text and a kernel file."""
    facts = Facts()
    facts.say(LAYER, "94:4", "lsdasd, a:1", busid="0.0.7102")
    for kernel in (frame_of(LAYER, {"94:4": DISK}, 1), NOTHING):
        if kernel is NOTHING:
            facts.say(LAYER, "94:4", "udevadm, b:9", busid="0.0.7103")
        cell = joined(LAYER, kernel, facts, 1)[0].cell("94:4", "busid")
        assert isinstance(cell, Absent)
        assert "contradict" in cell.reason
        assert "0.0.7102 by lsdasd, a:1" in cell.reason
        assert ("the kernel's file" in cell.reason) is (kernel is not NOTHING)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    ("kind", "field", "short", "full"),
    [
        (DEVICE, "uid", "IBM.750000000ABCD1.7100.01", "IBM.750000000ABCD1.7100.01.0000000012"),
        (DEVICE, "chpids", "19 29", "29 19"), (LAYER, "size", 1000, 1001),
    ],
)  # fmt: skip
def test_one_value_in_two_forms_is_no_contradiction(
    kind: Kind, field: str, short: Value, full: Value, first: int
) -> None:
    """Udev leaves out the token of a minidisk, /proc/partitions half a KiB: the fuller form is kept."""
    texts, values = Facts(), [short, full]
    for value in (values[first], values[1 - first]):
        texts.say(kind, "0", "a:1", **{field: value})
    cell = joined(kind, empty_frame(kind, "no text"), texts, 1)[0].cell("0", field)
    assert sorted(str(cell).split()) == sorted(str(full).split())
    row: dict[str, Value] = {each.name: "" for each in kind.fields} | {field: values[first]}
    assert joined(kind, frame_of(kind, {"0": row}, 1), texts, 1)[0].cell("0", field) == values[first]


@pytest.mark.parametrize(
    ("kind", "field", "values"),
    [
        (DEVICE, "uid", ("IBM.750000000ABCD1.7100.01.12", "IBM.750000000ABCD1.7100.01.13")),
        (LAYER, "size", (1001, 1002)), (LAYER, "size", (1001, 1003)), (DEVICE, "chpids", ("19", "19 29")),
        (DASD, "state", ("active", "unformatted")),
    ],
)  # fmt: skip
def test_two_values_stay_a_contradiction(kind: Kind, field: str, values: tuple[Value, Value]) -> None:
    """Two tokens are two minidisks, and what is more than rounded is another size."""
    facts = Facts()
    for value in values:
        facts.say(kind, "0", "a:1", **{field: value})
    assert isinstance(joined(kind, empty_frame(kind, "no text"), facts, 1)[0].cell("0", field), Absent)


def test_a_dasd_without_a_size_is_not_formatted_whatever_the_kernel_calls_that() -> None:
    """Lsdasd says `n/f` of both of its states."""
    facts = facts_in("0.0.7202  n/f       dasdn     94:52   ECKD\n", "lsdasd")
    for state in ("unformatted", "active n/f"):
        row: dict[str, Value] = {**dict.fromkeys(DASD.by_name, ""), "state": state}
        (frame, _origins) = joined(DASD, frame_of(DASD, {"0.0.7202": row}, 1), facts, 1)
        assert frame.cell("0.0.7202", "state") == state


def test_a_name_with_two_numbers_is_a_contradiction_and_stands_for_neither() -> None:
    """What was said under the name is dropped; a remark names the numbers."""
    facts = Facts()
    facts.say(LAYER, "94:4", "lsblk, a:1", name="dasdb")
    facts.say(LAYER, "94:8", "lsblk, b:1", name="dasdb")
    facts.say(LAYER, "dasdb", "lsdasd, c:1", busid="0.0.7101")
    facts.by_number(NOTHING)
    assert [words.endswith(": 94:4, 94:8") for words in facts.remarks] == [True]
    assert all("busid" not in row for row in facts.rows["layer"].values())


def test_what_is_said_of_a_name_joins_the_number_that_another_text_gives() -> None:
    """Names below are replaced, too."""
    facts = facts_in(LSBLK, "lsblk")
    facts.say(LAYER, "db2vg-data", "lvs, a:1", uuid="LVM-x", below="dasdb1 dasdc1")
    facts.by_number(NOTHING)
    frame, _ = joined(LAYER, NOTHING, facts, 1)
    assert frame.cell("253:0", "uuid") == "LVM-x"
    assert frame.cell("253:0", "below") == "94:5 94:9"
    assert frame.cell("94:5", "parent") == "94:4"


@given(st.lists(st.text(max_size=5), max_size=20))
def test_few_rivals_are_kept(values: list[str]) -> None:
    """A hostile text cannot make a cell grow."""
    facts = Facts()
    for value in values:
        facts.say(DEVICE, "0.0.0001", "x", uid=value)
    assert len(facts.rows.get("device", {}).get("0.0.0001", {}).get("uid", ())) <= MAX_RIVALS


@given(st.text(max_size=400), st.data())
def test_any_text_is_read_without_an_error(content: str, data: st.DataObject) -> None:
    """Also lines of real output that were cut or changed."""
    real = data.draw(st.sampled_from([LSBLK, LSDASD]))
    at = data.draw(st.integers(0, len(real)))
    facts = facts_in(real[:at] + content + real[at + 1 :])
    facts.by_number(NOTHING)
    joined(LAYER, NOTHING, facts, 1)


@given(st.integers(0, (1 << 20) - 1) | st.integers(0, 4 * 18_277))
def test_a_dasd_has_the_name_of_its_number(minor: int) -> None:
    """And the number of its name; a name has three letters at most."""
    name = name_of_number(f"94:{minor}")
    assert number_of_dasd(name) in {f"94:{minor}", ""}
    assert number_of_dasd(name) or minor >= 4 * 18_278
    of_scsi = name_of_number(f"65:{minor}")
    assert (number_of(of_scsi), minor < 256) == (f"65:{minor}" * bool(of_scsi), bool(of_scsi))


def test_a_hint_counts_only_where_no_other_source_has_the_value() -> None:
    """It is no contradiction, whichever comes first, and whether a text or a kernel file has another."""
    for order in (1, -1):
        facts = Facts()
        for say, busid in ((facts.hint, "0.0.7102"), (facts.say, "0.0.7101"))[::order]:
            say(LAYER, "94:4", "a:1", busid=busid)
        assert joined(LAYER, NOTHING, facts, 1)[0].cell("94:4", "busid") == "0.0.7101"
    facts = Facts()
    facts.hint(LAYER, "94:4", "a:1", busid="0.0.7102")
    kernel = frame_of(LAYER, {"94:4": DISK}, 1)
    assert joined(LAYER, kernel, facts, 1)[0].cell("94:4", "busid") == "0.0.7101"
    assert joined(LAYER, NOTHING, facts, 1)[0].cell("94:4", "busid") == "0.0.7102"


REMARK = "\nand this is what a colleague has sent:\n\n"
ACTIVE = "active  dasda  94:0  ECKD  4096  7043MB  1803060\n"
UID = "dasda  IBM.750000000AAA11"
HEADING = "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n"
SIZES = """\
lnx:~ # lsdasd
0.0.0200  active    dasda     94:0    ECKD         4096   7042MB    1802880
0.0.0201  active    dasdb     94:4    ECKD         4096   21129MB   5409180
lnx:~ # lsblk
NAME        MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT
dasda        94:0    0  6.9G  0 disk
`-dasda1     94:1    0  6.9G  0 part /
dasdb        94:4    0 20.6G  0 disk
`-dasdb1     94:5    0 20.6G  0 part
  `-vg-lv   253:0    0   20G  0 lvm  /data
"""


@pytest.mark.parametrize(
    ("fits", "larger", "told"),
    [
        ("94:5    0 20.6G", "94:5    0   50G", ("50G of dasdb1", "20.6G of dasdb")),
        ("253:0    0   20G", "253:0    0  1,5T", ("1536G of vg-lv", "20.6G of dasdb1")),
    ],
)
def test_what_is_larger_than_its_disk_contradicts_that(
    fits: str, larger: str, told: tuple[str, str], where: Ask
) -> None:
    """A partition, and a volume, by two texts or one; sizes that are rounded may differ a little."""
    assert where("dasdb", SIZES)["disks"][0]["conflicts"] == []
    (conflict,) = where("dasdb", SIZES.replace(fits, larger))["disks"][0]["conflicts"]
    assert all(size in conflict for size in told)
    assert where("dasda", SIZES.replace(fits, larger))["disks"][0]["conflicts"] == []


SAME = "dasdd 94:12 0 7G 0 disk\n└─vg-lv 253:0 0 7G 0 lvm /data\n"
TWO_LISTS = f"lsdasd\n0.0.0100  {ACTIVE}{REMARK}lnx:~ # lsdasd\n0.0.0200  {ACTIVE}"
OTHER = ACTIVE.replace("dasda  94:0", "dasdb  94:4")
SWAPPED = (
    f"lsdasd\n0.0.0100  {ACTIVE}0.0.0200  {OTHER}{REMARK}lnx:~ # lsdasd\n0.0.0200  {ACTIVE}0.0.0100  {OTHER}"
)


@pytest.mark.parametrize(("word", "content", "told"), [
    (
        "dasda",
        f"lsdasd -u\n0.0.0100  {UID}.1601.05\n{REMARK}lnx:~ # lsdasd -u\n0.0.0100  {UID}.1600.05\n",
        ("1601", "1600"),
    ),
    ("dasda", TWO_LISTS, ("0.0.0100", "0.0.0200")),
    ("0100", TWO_LISTS, ("0.0.0100", "0.0.0200")),
    ("0100", SWAPPED, ("dasda", "dasdb")),
    (
        "/data/x",
        f"lsblk\n{HEADING}{SAME.replace('dasdd 94:12', 'dasdc 94:8')}{REMARK}lnx:~ # lsblk\n{HEADING}{SAME}",
        ("dasdc", "dasdd"),
    ),
])  # fmt: skip
def test_what_sources_contradict_each_other_about_is_said_where_it_is_unknown(
    word: str, content: str, told: tuple[str, str], where: Ask
) -> None:
    """With both values and both texts: the uid of a disk, its bus id, what a volume is built on."""
    found = json.dumps(where(word, f"lnx:~ # {content}"))
    if word == "dasda":  # and of what
        assert "its bus id is" in found or "its unique id is" in found
    assert "contradict" in found
    for value in told:
        assert f"{value} by " in found or f"{value}.05 by " in found


def test_two_lists_of_the_paths_of_a_map_contradict_each_other(where: Ask) -> None:
    """Each may be whole at its time; what the kernel said of a path in between holds for neither."""
    tree = "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS\nmpathe 251:2 0 20G 0 mpath\n{}"
    first, last = (
        tree.format(f"├─sde 8:64 0 20G 0 disk\n└─{other} 0 20G 0 disk\n")
        for other in ("sdi 8:128", "sdf 8:80")
    )
    content = (
        f"box1:~ # lsblk -s /dev/mapper/mpathe\n{first}\nbox1:~ # dmesg\n"
        "[  307.192941] device-mapper: multipath: 251:2: Failing path 8:64.\n\n"
        "And so it was with the other kernel we had tried:\n\n"
        f"box1:~ # lsblk -s /dev/mapper/mpathe\n{last}"
    )
    answer = where("mpathe", content)
    assert any("which paths mpathe has" in why for why in answer["not_looked_at"]), answer
    assert not [path for path in answer["paths"] if path["not_used"]]


def test_a_partition_of_a_map_hangs_on_that(where: Ask) -> None:
    """Also where lsblk shows some of the disks alone."""
    rows = "".join(
        f"{disk} 0 20G 0 disk\n└─mpathc 251:0 0 20G 0 mpath\n  └─mpathc1 251:2 0 20G 0 part\n"
        for disk in ("sda 8:0", "sde 8:64")
    )
    listed = f"box1:~ # lsblk /dev/sda /dev/sde\nNAME MAJ:MIN RM SIZE RO TYPE\n{rows}"
    content = f"{listed}box1:~ # lsscsi\n[0:0:1:0] disk IBM 2107900 .280 /dev/sdk\n"
    (place,) = where("mpathc1", content)["where"]
    assert not [disk["disk"] for disk in place["disks"] if "not seen" in disk["disk"]]
