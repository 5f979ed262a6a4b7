from __future__ import annotations

import re
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from byte_by_byte import locate_byte
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.topology.layers import array, disk, layers, mapped, partition
from zmon.base.absent import absent
from zmon.topology.claims import Grade
from zmon.topology.mapping import map_ranges, map_whole
from zmon.topology.stack import Stack

if TYPE_CHECKING:
    from zmon.base.absent import Value

    Rows = dict[str, dict[str, Value]]

SECTOR = 512


def on(*tables: str, below: str = "8:0 8:1 8:2 8:3", size: int = 4096, **more: Value) -> Stack:
    """Four disks, and devices of the mapper on them, numbered from 253:0."""
    rows: Rows = {f"8:{n}": disk(f"sd{'abcd'[n]}", 4096) for n in range(4)}
    for n, table in enumerate(tables):
        rows[f"253:{n}"] = mapped(f"v{n}", table, size, below, **more)
    return Stack(layers(rows))


# --- each layout ------------------------------------------------------------------------------


def test_a_partition_begins_at_its_start() -> None:
    """Bytes of a partition lie on its disk, from its start of 512-byte sectors on."""
    stack = Stack(
        layers({"94:0": disk("dasda", 2000), "94:1": partition("dasda1", "94:0", 192, 1000)})
    )  # fmt: skip
    assert map_ranges(stack, "94:1", [(0, 10)]).data == {"94:0": 10}
    assert locate_byte(stack, "94:1", 5) == [("94:0", 192 * SECTOR + 5, 1000 * SECTOR - 5)]


def test_stripes_share_a_range_as_its_chunks_lie() -> None:
    """A range that begins within a chunk counts from there."""
    stack = on("0 4096 striped 2 8 8:0 0 8:1 0")
    assert map_ranges(stack, "253:0", [(1000, 5096)]).data == {"8:0": 3096, "8:1": 1000}


def test_each_segment_has_its_own_width() -> None:
    """What was added later lies where it was put, whatever the width before."""
    stack = on("0 2048 striped 4 8 8:0 0 8:1 0 8:2 0 8:3 0\n2048 2048 linear 8:2 1024")
    assert map_ranges(stack, "253:0", [(2048 * SECTOR, 4096 * SECTOR)]).data == {"8:2": 2048 * SECTOR}


def test_a_mirror_has_its_data_once_and_copies_apart() -> None:
    """Reads go to one copy, writes to all, so they are not added up."""
    found = map_ranges(on("0 4096 mirror core 1 4096 2 8:0 0 8:1 0 1 handle_errors"), "253:0", [(0, 100)])
    assert (found.data, found.copies) == ({"8:0": 100}, {"8:1": 100})


def test_a_row_of_raid5_has_a_chunk_of_parity() -> None:
    """A whole row of four: three chunks of data, one of parity."""
    stack = on("0 4096 raid raid5_ls 1 8 4 - 8:0 - 8:1 - 8:2 - 8:3")
    found = map_ranges(stack, "253:0", [(0, 3 * 4096)])
    assert found.data == {"8:0": 4096, "8:1": 4096, "8:2": 4096}
    assert found.copies == {"8:3": 4096}


def test_raid1_of_md_has_copies_on_all_members() -> None:
    """Members begin where their data does."""
    rows: Rows = {"8:0": disk("sda", 4096), "8:1": disk("sdb", 4096)}
    stack = Stack(layers({**rows, "9:0": array("raid1", "0=8:0@8+99 1=8:1@16+99", 90)}))
    assert locate_byte(stack, "9:0", 0) == [
        ("8:0", 8 * SECTOR, 90 * SECTOR),
        ("8:1", 16 * SECTOR, 90 * SECTOR),
    ]


def test_multipath_counts_once() -> None:
    """Two paths are one disk: the leaf is the multipath device, and a note names the paths."""
    table = "0 4096 multipath 0 0 1 1 round-robin 0 2 1 8:0 1 8:1 1"
    found = map_ranges(on(table, uuid="mpath-3600507"), "253:0", [(0, 100)])
    assert found.data == {"253:0": 100}
    (note,) = found.notes
    assert re.fullmatch(r"v0 \(3600507\): .* 2 .*: sda, sdb", note)


def test_a_loop_device_is_a_leaf_whose_file_is_named() -> None:
    """Where the file lies is another question; as long as that is not known, nothing is exact."""
    stack = Stack(layers({"7:0": {"name": "loop0", "sort": "loop", "size": 8, "file": "/srv/image"}}))
    found = map_ranges(stack, "7:0", [(0, 100)])
    (note,) = found.notes
    assert (found.data, note.split()[0], note.split()[-1]) == ({"7:0": 100}, "loop0", "/srv/image")
    assert found.grade is Grade.UNKNOWN


def test_an_error_target_places_nothing() -> None:
    """Its bytes are on no device, and that is certain."""
    found = map_ranges(on("0 4096 error"), "253:0", [(0, 100)])
    assert (found.data, found.unplaced, found.grade) == ({}, 100, Grade.EXACT)


def test_what_is_encrypted_is_placed_with_a_note() -> None:
    """The place is exact; only the content cannot be compared."""
    found = map_ranges(on("0 4096 crypt aes-xts-plain64 00 0 8:0 0"), "253:0", [(0, 100)])
    assert (found.data, found.grade) == ({"8:0": 100}, Grade.EXACT)
    (note,) = found.notes
    assert note.startswith("v0: ")


# --- grades -----------------------------------------------------------------------------------


def test_tables_and_ranges_are_exact() -> None:
    """Byte by byte, when all layers say how they lie."""
    assert map_ranges(on("0 4096 striped 2 8 8:0 0 8:1 0"), "253:0", [(0, 9)]).grade is Grade.EXACT


def test_a_whole_device_is_shares_at_best() -> None:
    """Nobody said which bytes of it."""
    found = map_whole(on("0 4096 striped 2 8 8:0 0 8:1 0"), "253:0")
    assert (found.data, found.grade) == ({"8:0": 2048 * SECTOR, "8:1": 2048 * SECTOR}, Grade.SHARES)


def test_a_thin_volume_on_one_disk_is_shares() -> None:
    """Which block is not known, but all of them are on that disk."""
    found = map_ranges(on("0 4096 thin 253:1 1", "0 4096 thin-pool 8:1 8:0 128 0 0"), "253:0", [(0, 100)])
    assert (found.data, found.grade) == ({"8:0": 100}, Grade.SHARES)


def test_a_thin_volume_on_several_disks_is_a_set() -> None:
    """Only the pool knows which; no share is made up, and metadata is not among them."""
    pool = "0 4096 thin-pool 8:1 253:2 128 0 0"
    found = map_ranges(on("0 4096 thin 253:1 1", pool, "0 4096 striped 2 8 8:0 0 8:2 0"), "253:0", [(0, 100)])
    assert (found.data, found.unplaced, tuple(found.among), found.grade) == (
        {},
        100,
        ("8:0", "8:2"),
        Grade.SET,
    )


def test_a_snapshot_lies_on_either() -> None:
    """On the origin, or where changes are kept."""
    found = map_ranges(on("0 4096 snapshot 8:0 8:1 P 8"), "253:0", [(0, 100)])
    assert (tuple(found.among), found.grade) == (("8:0", "8:1"), Grade.SET)


def test_without_the_table_it_is_a_set() -> None:
    """What lies below is known to everybody, the shares only to root."""
    rows: Rows = {"8:0": disk("sda", 99), "8:1": disk("sdb", 99)}
    rows["253:0"] = mapped("v", absent("needs root"), 99, "8:0 8:1")
    found = map_whole(Stack(layers(rows)), "253:0")
    assert (found.unplaced, tuple(found.among), found.grade) == (99 * SECTOR, ("8:0", "8:1"), Grade.SET)
    assert tuple(found.lacking) == ("v: needs root",)


def test_without_the_table_one_disk_below_is_enough() -> None:
    """All of it lies there, however."""
    rows: Rows = {"8:0": disk("sda", 99), "253:0": mapped("v", absent("needs root"), 99, "8:0")}
    found = map_ranges(Stack(layers(rows)), "253:0", [(0, 100)])
    assert (found.data, found.grade) == ({"8:0": 100}, Grade.SHARES)


def test_a_layout_that_is_not_known_is_shared_out() -> None:
    """In equal shares, in whole bytes that add up, and with a note."""
    found = map_ranges(on("0 4096 raid raid5_new 1 8 3 - 8:0 - 8:1 - 8:2"), "253:0", [(0, 100)])
    assert (found.data, found.grade) == ({"8:0": 34, "8:1": 33, "8:2": 33}, Grade.SHARES)
    assert re.search(r"\braid5_new\b", next(iter(found.notes)))


def test_parity_over_stripes_is_exact_while_the_rows_are_few() -> None:
    """A leg that is striped itself is gone through row by row."""
    inner = [f"0 512 striped 2 8 8:{n} {n * 512} 8:{n + 1} {n * 512}" for n in range(3)]
    stack = on("0 1024 raid raid5_ls 1 8 3 - 253:1 - 253:2 - 253:3", *inner, size=1024)
    found = map_ranges(stack, "253:0", [(0, 1024 * SECTOR)])
    assert (sum(found.data.values()), sum(found.copies.values())) == (1024 * SECTOR, 512 * SECTOR)
    assert found.grade is Grade.EXACT


def test_parity_over_stripes_is_in_proportion_when_the_rows_are_many() -> None:
    """A huge one is not gone through, and says so."""
    huge = 1 << 31
    inner = [f"0 {huge} striped 2 8 8:0 {n * huge} 8:1 {n * huge}" for n in range(3)]
    rows: Rows = {"8:0": disk("sda", huge * 4), "8:1": disk("sdb", huge * 4)}
    table = "0 4294967296 raid raid5_ls 1 8 3 - 253:1 - 253:2 - 253:3"
    rows["253:0"] = mapped("r", table, huge * 2)
    rows |= {f"253:{n + 1}": mapped(f"i{n}", text, huge) for n, text in enumerate(inner)}
    found = map_ranges(Stack(layers(rows)), "253:0", [(0, huge * 2 * SECTOR)])
    assert sum(found.data.values()) == huge * 2 * SECTOR
    assert sum(found.copies.values()) == huge * SECTOR
    assert found.grade is Grade.SHARES


# --- what makes no sense ----------------------------------------------------------------------


def test_beyond_the_end_nothing_is_placed() -> None:
    """A range that leaves its device is placed as far as the device goes."""
    found = map_ranges(on(), "8:0", [(4096 * SECTOR - 10, 4096 * SECTOR + 20), (-5, 5)])
    assert (found.data, found.unplaced, found.grade) == ({"8:0": 15}, 25, Grade.UNKNOWN)


def test_a_gap_in_the_table_is_unplaced() -> None:
    """Where no segment is, there is no place."""
    found = map_ranges(on("0 8 linear 8:0 0\n16 8 linear 8:0 8"), "253:0", [(0, 24 * SECTOR)])
    assert (found.data, found.unplaced) == ({"8:0": 16 * SECTOR}, 8 * SECTOR)


def test_a_member_that_is_missing_holds_nothing() -> None:
    """Its bytes exist only as parity; they are unplaced, with a note."""
    found = map_ranges(on("0 4096 raid raid5_ls 1 8 3 - - - 8:1 - 8:2"), "253:0", [(0, 4096)])
    assert (found.data, found.unplaced) == ({}, 4096)
    (note,) = found.notes
    assert note.startswith("v0 ")


def test_a_mirror_without_its_first_leg_has_its_data_on_the_next() -> None:
    """Reads go to what is left."""
    found = map_ranges(on("0 4096 raid raid1 1 0 2 - - - 8:1"), "253:0", [(0, 10)])
    assert (found.data, found.copies) == ({"8:1": 10}, {})


def test_a_device_without_a_row_keeps_its_number() -> None:
    """It may be any disk or none, so that the grade falls."""
    found = map_ranges(on("0 8 linear 9:9 0"), "253:0", [(0, 10)])
    assert (found.data, found.grade) == ({"9:9": 10}, Grade.SET)


def test_circles_end() -> None:
    """Devices that stand on one another place nothing, and nobody waits."""
    stack = on("0 4096 linear 253:1 0", "0 4096 mirror core 0 2 253:0 0 253:0 0")
    found = map_ranges(stack, "253:0", [(0, 100)])
    assert (found.data, found.unplaced, found.grade) == ({}, 100, Grade.UNKNOWN)
    assert locate_byte(stack, "253:0", 0) == []


def test_a_tower_of_mirrors_ends() -> None:
    """Thirty mirrors of the same device twice would be a thousand million copies."""
    tower = [f"0 4096 mirror core 0 2 253:{n + 1} 0 253:{n + 1} 0" for n in range(30)]
    found = map_ranges(on(*tower, "0 4096 linear 8:0 0"), "253:0", [(0, 10), (10, 20), (20, 30)])
    assert sum(found.data.values()) + found.unplaced == 30
    assert found.grade is Grade.UNKNOWN


def test_an_empty_range_is_nothing() -> None:
    """A range that ends before it begins has no bytes."""
    assert map_ranges(on(), "8:0", [(5, 5), (9, 3)]).data == {}


def test_a_device_of_unknown_size_has_no_shares() -> None:
    """There is nothing to share out, but the disks are known."""
    stack = Stack(layers({"8:0": {"sort": "disk", "name": "sda"}}))
    assert (tuple(map_whole(stack, "8:0").among), map_whole(stack, "8:0").grade) == (("8:0",), Grade.SET)


def test_a_device_that_is_not_there_is_unknown() -> None:
    """Neither size nor disk."""
    assert map_whole(Stack(layers({})), "8:0").grade is Grade.UNKNOWN


# --- sums -------------------------------------------------------------------------------------

_LEGS = st.lists(st.integers(0, 99), min_size=1, max_size=4)


@st.composite
def stacks(draw: st.DrawFn) -> Stack:
    """Draw disks, and devices of all layouts on them and on one another, that fit."""
    rows: Rows = {f"8:{n}": disk(f"sd{n}", draw(st.integers(60, 90))) for n in range(3)}
    for n in range(draw(st.integers(1, 5))):
        number = f"253:{n}"
        known = list(rows)
        legs = [known[pick % len(known)] for pick in draw(_LEGS)]
        room = min(int(str(rows[leg]["size"])) for leg in legs)
        offset, chunk = draw(st.integers(0, room // 4)), draw(st.integers(1, 5))
        free = (room - offset) // chunk * chunk
        pairs = " ".join(f"{leg} {offset}" for leg in legs)
        bare = " ".join(f"- {leg}" for leg in legs)
        members = " ".join(f"{slot}={leg}@{offset}+{free}" for slot, leg in enumerate(legs))
        count = len(legs)
        made: list[dict[str, Value]] = [
            mapped("l", f"0 {free} linear {legs[0]} {offset}", free),
            mapped("s", f"0 {free * count} striped {count} {chunk} {pairs}", free * count),
            mapped("m", f"0 {free} mirror core 0 {count} {pairs}", free),
            mapped("2", f"0 7 linear {legs[0]} 0\n7 {free} linear {legs[-1]} {offset}", free + 7),
            partition("p", legs[0], offset, free),
            array("raid0", members, free * count, chunk * SECTOR, 2),
            array("raid1", members, free),
        ]
        if count > 2:
            kind = draw(
                st.sampled_from(["raid5_ls", "raid5_ra", "raid4", "raid6_zr", "raid6_nc", "raid6_ls_6"])
            )
            taken = 2 if kind.startswith("raid6") else 1
            size = (room // chunk * chunk) * (count - taken)
            made.append(mapped("r", f"0 {size} raid {kind} 1 {chunk} {count} {bare}", size))
        if count > 1:
            size = room // chunk * count // 2 * chunk
            made.append(mapped("n", f"0 {size} raid raid10 1 {chunk} {count} {bare}", size))
        rows[number] = draw(st.sampled_from(made))
    return Stack(layers(rows))


@settings(deadline=None)
@given(stacks(), st.data())
def test_a_range_is_the_sum_of_its_bytes(stack: Stack, data: st.DataObject) -> None:
    """Going down with a range gives what going down with each of its bytes gives."""
    number = data.draw(st.sampled_from([n for n in stack.numbers if n.startswith("253")]))
    size = stack.layout(number).size or 0
    if not size:
        return
    begin = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(begin + 1, size))
    expected: Counter[str] = Counter()
    at = begin
    while at < end:
        first, *_ = locate_byte(stack, number, at)
        step = min(first.run, end - at)
        expected[first.leaf] += step
        at += step
    found = map_ranges(stack, number, [(begin, end)])
    assert (found.data, found.unplaced, found.grade) == (expected, 0, Grade.EXACT)


@settings(deadline=None)
@given(stacks(), st.data())
def test_a_run_goes_on_as_it_says(stack: Stack, data: st.DataObject) -> None:
    """The byte that ends a run lies behind the byte that begins it."""
    number = data.draw(st.sampled_from([n for n in stack.numbers if n.startswith("253")]))
    size = stack.layout(number).size or 0
    if not size:
        return
    offset = data.draw(st.integers(0, size - 1))
    for copy in locate_byte(stack, number, offset):
        last = [place[:2] for place in locate_byte(stack, number, offset + copy.run - 1)]
        assert (copy.leaf, copy.offset + copy.run - 1) in last


_ABSURD = (
    "0 64 linear 253:1 0",
    "0 64 striped 2 8 253:1 0 8:0 0",
    "0 64 mirror core 0 2 253:2 0 8:1 0",
    "8 64 linear 8:0 4090",
    "0 64 raid raid5_ls 1 8 3 - 253:2 - 8:0 - -",
    "nonsense",
    "0 64 thin 253:1 1",
    "0 64 zero",
    "0 64 raid raid10 1 8 3 - 253:1 - 8:0 - 9:9",
    "0 64 striped 2 99999999 253:2 0 253:1 0",
    "0 64 linear 8:0 999999999999999999",
)
_TABLES = st.lists(st.sampled_from(_ABSURD), min_size=3, max_size=3)


@settings(deadline=None)
@given(_TABLES, st.lists(st.tuples(st.integers(-99, 40000), st.integers(-99, 40000)), max_size=4))
def test_every_byte_is_accounted_for(tables: list[str], ranges: list[tuple[int, int]]) -> None:
    """However absurd the tables are: on a leaf, or unplaced."""
    stack = on(*tables, size=64)
    found = map_ranges(stack, "253:0", ranges)
    asked = sum(max(0, end - begin) for begin, end in ranges)
    assert sum(found.data.values()) + found.unplaced == asked
    assert found.unplaced == 0 or found.notes or found.lacking or found.among
    locate_byte(stack, "253:0", 100)


@pytest.mark.parametrize("size", [1 << 40, 1 << 50])
def test_a_terabyte_takes_no_longer_than_a_megabyte(size: int) -> None:
    """Nothing is gone through chunk by chunk."""
    sectors = size // SECTOR
    rows: Rows = {f"8:{n}": disk(f"sd{n}", sectors) for n in range(4)}
    table = f"0 {sectors} striped 4 128 8:0 0 8:1 0 8:2 0 8:3 0"
    stack = Stack(layers({**rows, "253:0": mapped("v", table, sectors)}))
    begin = time.process_time()
    found = map_ranges(stack, "253:0", [(0, size)] * 100)
    assert sum(found.data.values()) == size * 100
    assert time.process_time() - begin < 1


def test_what_is_on_one_disk_is_on_that_wherever_it_lies() -> None:
    """Neither the layout nor the size of what lies between has to be known."""
    disk = {"sort": "disk", "name": "dasda"}
    stack = Stack(layers({"94:0": disk, "94:1": {"name": "dasda1", "sort": "partition", "parent": "94:0"}}))
    part = map_whole(stack, "94:1").scaled(4096)
    assert (part.data, part.unplaced, part.grade) == ({"94:0": 4096}, 0, Grade.SHARES)
