from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.kinds import LAYER
from zmon.sample import Frame, frame_of
from zmon.topology.leaf_disks import IoCounts, LeafDisks, counted_disks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value

NONE = absent("none")
DASDA, DASDB, SDA, SDB = "94:0", "94:4", "8:0", "8:16"
NAMES = {DASDA: "dasda", DASDB: "dasdb", SDA: "sda", SDB: "sdb", "7:0": "loop0", "252:0": "zram0"}


def stack(**devices: tuple[str, str, str]) -> LeafDisks:
    """Return the leaves below devices: name = number, what is below, the beginning of the uuid."""
    rows = {
        number: {"name": name, "parent": NONE, "below": below or NONE, "uuid": uuid or NONE}
        for name, (number, below, uuid) in devices.items()
    }
    disks = {
        number: {"name": name, "parent": NONE, "below": NONE, "uuid": NONE} for number, name in NAMES.items()
    }
    parts = {"94:1": {"name": "dasda1", "parent": DASDA, "below": NONE, "uuid": NONE}}
    frame = frame_of(LAYER, disks | parts | {key.replace("_", "-"): row for key, row in rows.items()}, 0)  # type: ignore[arg-type]
    return LeafDisks(frame, NAMES | {number: name for name, (number, _, _) in devices.items()})


def read(many: float, ios: float = 1.0) -> IoCounts:
    """Return what was read."""
    return IoCounts(many, 0.0, ios)


def placed(leaves: LeafDisks, counted: Mapping[str, IoCounts]) -> dict[str, IoCounts]:
    """Return what the leaves did."""
    return leaves.placed(counted)[0]


def test_what_is_counted_at_a_volume_and_at_its_disk_counts_once() -> None:
    """The kernel counts a bio at the logical volume, and its clone at the disk."""
    leaves = stack(dm0=("253:0", f"94:1 {DASDB}", "LVM-a"))
    assert leaves.leaves("253:0") == (DASDA, DASDB)
    assert placed(leaves, {"253:0": read(100, 10), DASDA: read(60, 6), DASDB: read(40, 4)}) == {
        DASDA: read(60, 6),
        DASDB: read(40, 4),
    }


def test_a_device_lies_on_each_path_and_on_what_is_no_disk() -> None:
    """What is lowest need not be a leaf: the kernel counts requests at paths and loop devices, too."""
    leaves = stack(dm0=("253:0", f"{SDA} {SDB}", "mpath-3600"), dm1=("253:1", "253:0 94:1 7:0", "LVM-a"))
    assert leaves.lowest("253:0") == {SDA, SDB}
    assert leaves.lowest("253:1") == {SDA, SDB, DASDA, "7:0"}


def test_of_paths_and_what_joins_them_one_counts() -> None:
    """The multipath device does, but the DASD where it joins the aliases of one; logical volumes never do."""
    maps: dict[str, Value] = {
        "sda": "dm-0", "sdb": "dm-0", "dm-0": "dm-0", "sdc": NONE, "dm-1": NONE, "loop0": NONE,
        "dasda": "dm-2", "dasdb": "dm-2", "dm-2": "dm-2",
    }  # fmt: skip
    assert counted_disks(maps, {"dasda"}) == (["dm-0", "sdc"], {"dm-0": ["sda", "sdb"]})


def test_a_multipath_device_stands_for_its_paths() -> None:
    """It hands on requests, which are not counted again; a volume above it is not added."""
    leaves = stack(dm0=("253:0", f"{SDA} {SDB}", "mpath-3600"), dm1=("253:1", "253:0", "LVM-a"))
    assert leaves.leaves("253:1") == leaves.leaves(SDA) == ("253:0",)
    assert placed(leaves, {"253:0": read(100)}) == {"253:0": read(100)}
    assert placed(leaves, {"253:1": read(100), "253:0": read(100)}) == {"253:0": read(100)}
    assert leaves.paths("253:0") == [SDA, SDB]


def test_a_multipath_device_of_bios_counts_once_too() -> None:
    """With queue_mode bio the kernel counts at the device and at the path."""
    leaves = stack(dm0=("253:0", f"{SDA} {SDB}", "mpath-3600"))
    assert placed(leaves, {"253:0": read(100), SDA: read(50), SDB: read(50)}) == {"253:0": read(100)}
    assert placed(leaves, {SDA: read(50)}) == {"253:0": read(50)}  # somebody reads the path itself


def test_an_array_that_redirects_is_shared_out() -> None:
    """Its bytes are counted at the array, its I/Os at both: each disk has an equal part, an estimate."""
    leaves = stack(md0=("9:0", f"{DASDA} {DASDB}", ""))
    found, guessed = leaves.placed({"9:0": read(100, 10), DASDA: read(0, 5), DASDB: read(0, 5)})
    assert found == {DASDA: read(50, 5), DASDB: read(50, 5)}
    assert guessed == {DASDA, DASDB}


@pytest.mark.parametrize("number", ["7:0", "252:0"])
def test_loop_devices_and_memory_are_no_disks(number: str) -> None:
    """The file below is counted where it lies."""
    assert placed(stack(), {number: read(100), DASDA: read(7)}) == {DASDA: read(7)}


def test_a_volume_of_which_nothing_is_known_is_not_taken_for_a_disk() -> None:
    """Its I/O may be counted below it."""
    assert placed(stack(), {"253:9": read(100)}) == {"253:9": read(100)}  # no name, so no volume either
    leaves = LeafDisks(Frame(LAYER, [], {}, []), {"253:9": "dm-9", DASDA: "dasda"})
    assert placed(leaves, {"253:9": read(100), DASDA: read(100)}) == {DASDA: read(100)}


def test_a_circle_ends() -> None:
    """A recording may say that two devices lie on each other."""
    leaves = stack(dm0=("253:0", "253:1", "x"), dm1=("253:1", "253:0", "x"))
    assert placed(leaves, {"253:0": read(100)}) == {}


@given(
    st.lists(st.sampled_from(["linear", "multipath", "redirect", "disk"]), max_size=12),
    st.lists(st.integers(1, 1000), min_size=12, max_size=12),
)
def test_the_leaves_have_the_bytes_that_were_done(sorts: list[str], sizes: list[int]) -> None:
    """Whatever the devices are stacked of: each I/O counts once."""
    layers: dict[str, dict[str, object]] = {}
    counted: dict[str, IoCounts] = {}
    names: dict[str, str] = {}

    def add(number: str, name: str, below: str, uuid: str, size: float) -> None:
        names[number] = name
        layers[number] = {"name": name, "parent": NONE, "below": below or NONE, "uuid": uuid or NONE}
        if size:
            counted[number] = read(size)

    for at, (sort, size) in enumerate(zip(sorts, sizes, strict=False)):
        disks = [f"8:{32 * at}", f"8:{32 * at + 16}"]
        below = {"linear": (0.5 * size, 0.5 * size), "disk": (size, 0)}.get(sort, (0, 0))
        for disk, part in zip(disks, below, strict=True):
            add(disk, f"sd{disk[2:]}", "", "", part)
        if sort != "disk":
            uuid = {"linear": "LVM-x", "multipath": "mpath-x"}.get(sort, "")
            name = f"md{at}" if sort == "redirect" else f"dm-{at}"
            add(f"253:{2 * at}", name, " ".join(disks), uuid, size)
        if sort == "multipath":
            add(f"253:{2 * at + 1}", f"dm-{at}v", f"253:{2 * at}", "LVM-y", size)
    leaves = LeafDisks(frame_of(LAYER, layers, 0), names)  # type: ignore[arg-type]
    found, _guessed = leaves.placed(counted)
    done = sum(size for _sort, size in zip(sorts, sizes, strict=False))
    assert sum(one.bytes for one in found.values()) == pytest.approx(done)
    assert all(leaves.leaves(number) == (number,) for number in found)
