from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.layers import array, disk, layers, mapped, partition
from zmon.base.absent import Absent, absent
from zmon.kinds import LAYER
from zmon.sample import empty_frame
from zmon.topology.claims import Grade
from zmon.topology.stack import INNER, Stack

if TYPE_CHECKING:
    from zmon.base.absent import Value

TABLE = "0 800 striped 2 8 94:1 0 94:5 0\n800 200 linear 94:5 400\n"
ROWS: dict[str, dict[str, Value]] = {
    "94:0": disk("dasda", 2000, busid="0.0.7000"),
    "94:1": partition("dasda1", "94:0", 192, 1000),
    "94:4": disk("dasdb", 2000, busid="0.0.7100"),
    "94:5": partition("dasdb1", "94:4", 192, 1000),
    "253:0": mapped("vg-my--lv", TABLE, 1000, "94:1 94:5"),
    "8:0": disk("sda", 500, wwpn="0x500507630300c562", lun="0x4010400000000000"),
    "8:16": disk("sdb", 500),
    "253:1": mapped("mpatha", "0 500 multipath 0 0 1 1 round-robin 0 2 1 8:0 1 8:16 1\n", 500, "8:0 8:16",
                    uuid="mpath-3600"),
    "253:2": mapped("mpatha-part1", "0 400 linear 253:1 100\n", 400, "253:1", uuid="part1-mpath-3600"),
    "9:0": array("raid1", "0=253:2@0+400 1=253:0@0+400", 400),
    "7:0": {"name": "loop0", "sort": "loop", "size": 8, "file": "/srv/image"},
    "104:0": disk("cciss!c0d0", 8),
}  # fmt: skip
STACK = Stack(layers(ROWS))


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("dasda1", "94:1"), ("/dev/dasda1", "94:1"), ("94:1", "94:1"), ("vg/my-lv", "253:0"),
        ("/dev/vg/my-lv", "253:0"), ("vg-my--lv", "253:0"), ("/dev/mapper/vg-my--lv", "253:0"),
        ("/dev/mapper/mpatha", "253:1"), ("md0", "9:0"), ("/dev/cciss/c0d0", "104:0"),
    ],
)  # fmt: skip
def test_a_device_goes_by_all_its_names(name: str, number: str) -> None:
    """What the kernel, /dev and the volume manager call it leads to the same device."""
    found = STACK.named(name)
    assert found is not None
    assert found.number == number


@pytest.mark.parametrize("name", ["", "dasdz", "/dev/", "1:2:3", "vg/other"])
def test_a_name_that_nobody_has_is_none(name: str) -> None:
    """Nothing is guessed from parts of a name."""
    assert STACK.named(name) is None


@pytest.mark.parametrize(
    ("number", "title"),
    [("253:0", "vg/my-lv"), ("253:2", "mpatha-part1"), ("94:1", "dasda1"), ("99:9", "99:9")],
)
def test_the_title_is_what_people_call_it(number: str, title: str) -> None:
    """A volume has its group and name, another device of the mapper its name there."""
    assert STACK.title(number) == title


def test_sectors_become_bytes() -> None:
    """Starts and sizes are counted in bytes from here on."""
    node = STACK.node("94:1")
    assert node is not None
    assert (node.start, node.size) == (192 * 512, 1000 * 512)


def test_leaves_are_the_disks_at_the_feet() -> None:
    """They come in the order of the layout, each once."""
    assert STACK.leaves("253:0") == ["94:0", "94:4"]


def test_a_multipath_device_is_one_leaf() -> None:
    """Its paths lead to one disk, so it counts once."""
    assert STACK.leaves("253:2") == ["253:1"]
    assert STACK.leaves("9:0") == ["253:1", "94:0", "94:4"]


def test_a_multipath_device_is_known_without_its_table() -> None:
    """The beginning of its uuid says what it is."""
    row = {**ROWS["253:1"], "table": absent("needs root")}
    stack = Stack(layers({**ROWS, "253:1": row}))
    assert (stack.leaves("253:2"), [path.name for path in stack.paths("253:1")]) == (
        ["253:1"],
        ["sda", "sdb"],
    )


def test_paths_are_the_disks_of_a_multipath_device() -> None:
    """Any other device is its own path."""
    assert [path.name for path in STACK.paths("253:1")] == ["sda", "sdb"]
    assert [path.name for path in STACK.paths("94:0")] == ["dasda"]
    assert STACK.paths("99:9") == []


def test_the_wwid_names_the_disk_behind_the_paths() -> None:
    """It stands in the uuid, and only there."""
    assert [node.wwid for number in ("253:1", "253:2") if (node := STACK.node(number))] == ["3600", ""]


def test_above_is_all_that_is_built_on_a_disk() -> None:
    """Partitions, volumes on them, arrays on those."""
    assert STACK.above("94:0") == ["94:1", "253:0", "9:0"]


def test_chain_reads_as_a_tree() -> None:
    """Each step has its depth and says what it is."""
    assert [(step.depth, step.title, step.what) for step in STACK.chain("253:0")] == [
        (0, "vg/my-lv", "2 segments: striped over 2, 4 KiB, then linear"),
        (1, "dasda1", "partition"),
        (2, "dasda", "disk"),
        (1, "dasdb1", "partition"),
        (2, "dasdb", "disk"),
    ]


@pytest.mark.parametrize(
    ("number", "what"),
    [
        ("253:1", "one disk over 2 paths: sda, sdb"),
        ("9:0", "raid1 on 2"),
        ("7:0", "loop in /srv/image"),
    ],
)
def test_what_says_what_a_device_is(number: str, what: str) -> None:
    """In words for people."""
    assert STACK.what(number) == what
    assert STACK.what("99:9") not in {what, ""}


def test_an_inner_device_says_what_it_is_for() -> None:
    """A person does not know the endings of the volume manager's names."""
    stack = Stack(layers({**ROWS, "253:9": mapped("vg-pool_tdata", "0 8 linear 94:1 0\n", 8, "94:1")}))
    assert stack.what("253:9") == f"linear; {INNER['tdata']}"


def test_metadata_is_no_leaf() -> None:
    """With a table, devices that hold only metadata are not where data may lie."""
    pool = mapped("vg-pool", "0 8 thin-pool 94:1 94:5 128 0 0\n", 8, "94:1 94:5")
    assert Stack(layers({**ROWS, "253:9": pool})).leaves("253:9") == ["94:4"]


def test_without_a_table_everything_below_may_be_a_leaf() -> None:
    """What lies below is known without root, how is not."""
    secret = mapped("vg-x", absent("needs root"), 8, "94:1 94:5")
    stack = Stack(layers({**ROWS, "253:9": secret}))
    assert stack.leaves("253:9") == ["94:0", "94:4"]
    assert stack.segments("253:9") is absent("needs root")


def test_a_table_that_is_not_understood_says_so() -> None:
    """Its text is quoted, and nothing is taken from it."""
    stack = Stack(layers({"253:9": mapped("vg-x", "0 8 linear nonsense\n", 8)}))
    found = stack.segments("253:9")
    assert isinstance(found, Absent)
    assert "nonsense" in found.reason


def test_a_target_that_names_no_device_lies_on_those_below() -> None:
    """What is not known to zmon may lie on anything the kernel lists."""
    stack = Stack(layers({**ROWS, "253:9": mapped("vg-x", "0 8 novelty\n", 8, "94:1 94:5")}))
    assert stack.leaves("253:9") == ["94:0", "94:4"]


def test_circles_end() -> None:
    """Devices that stand on one another have no feet, and nothing hangs."""
    rows = {
        "253:0": mapped("a", "0 8 linear 253:1 0\n", 8, "253:1"),
        "253:1": mapped("b", "0 8 linear 253:0 0\n", 8, "253:0"),
    }
    stack = Stack(layers(rows))
    assert (stack.leaves("253:0"), stack.above("253:0"), len(stack.chain("253:0"))) == ([], ["253:1"], 3)


def test_a_device_without_a_row_is_a_leaf_that_is_not_known() -> None:
    """It is named by its number."""
    stack = Stack(layers({"94:1": partition("dasda1", "94:0", 192, 1000)}))
    assert stack.leaves("94:1") == ["94:0"]


def test_a_machine_without_devices_has_none() -> None:
    """A frame without rows is no error."""
    stack = Stack(empty_frame(LAYER, "not read"))
    assert (stack.node("94:0"), stack.named("dasda"), stack.above("94:0")) == (None, None, [])


def test_evidence_names_what_said_so() -> None:
    """A file or the table, and what it is worth."""
    said = STACK.evidence("253:0")
    assert (said.source, said.grade) == ("device-mapper table of 253:0", Grade.EXACT)
    assert STACK.evidence("94:1").source == "/sys/dev/block/94:1/start"


_CELLS = st.one_of(
    st.just(absent("not read")), st.integers(-9, 99), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
    st.sampled_from(["94:0", "253:0 94:0", "dm", "md", "partition", "raid0", "0=94:0@0+8",
                     "0 8 linear 253:0 0", "0 8 striped 1 8 94:0 0"]),
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["94:0", "253:0", "x"]),
                       st.dictionaries(st.sampled_from(list(LAYER.by_name)), _CELLS)))  # fmt: skip
def test_rows_that_make_no_sense_do_no_harm(rows: dict[str, dict[str, Value]]) -> None:
    """A recording may hold anything; every question has an answer."""
    stack = Stack(layers(rows))
    for number in ("94:0", "253:0", "x"):
        stack.node(number)
        stack.named(number)
        stack.segments(number)
        stack.leaves(number)
        stack.above(number)
        stack.chain(number)
        stack.paths(number)
        stack.layout(number)
        stack.evidence(number)
