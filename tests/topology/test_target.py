from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.topology.target import Leg, describe, parse_table
from zmon.topology.target import TargetLayout as Layout

LINEAR = "0 40960 linear 254:18 2048\n"
STRIPED = "0 131072 striped 4 128 254:0 2048 254:32 2048 254:48 2048 254:64 2048\n"
EXTENDED = STRIPED + "131072 65536 striped 2 128 254:80 2048 254:96 2048\n"
RAID1 = "0 81920 raid raid1 3 0 region_size 4096 2 253:2 253:3 253:4 253:5\n"
RAID5 = (
    "0 245760 raid raid5_ls 3 128 region_size 4096 4 253:7 253:8 253:9 253:10 253:11 253:12 253:13 253:14\n"
)
RAID10 = (
    "0 163840 raid raid10 5 128 region_size 4096 raid10_copies 2 "
    "4 253:1 253:2 253:3 253:4 253:5 253:6 253:7 253:8\n"
)
MIRROR = "0 81920 mirror core 1 4096 2 253:7 0 253:8 0 1 handle_errors\n"
CACHE = "0 81920 cache 253:26 253:25 253:27 128 2 metadata2 writethrough smq 0\n"
WRITEBACK = "0 81920 cache 253:26 253:25 253:27 128 2 metadata2 writeback smq 0\n"
CRYPT = "0 81920 crypt aes-xts-plain64 00000000000000000000 0 253:1 4096\n"
MULTIPATH = "0 409600 multipath 0 0 1 1 round-robin 0 2 1 8:0 1 8:16 1\n"
QUEUEING = (
    "0 20971520 multipath 1 queue_if_no_path 0 1 1 round-robin 0 4 1 8:16 100 8:80 100 8:32 100 8:48 100\n"
)
THIN = "0 204800 thin 253:21 1\n"
POOL = "0 409600 thin-pool 253:19 253:20 128 0 0\n"
SNAPSHOT = "0 81920 snapshot 253:1 253:2 P 8\n"
ORIGIN = "0 81920 snapshot-origin 253:1\n"
ALL = (LINEAR, STRIPED, EXTENDED, RAID1, RAID5, RAID10, MIRROR, CACHE, WRITEBACK, CRYPT, MULTIPATH,
       QUEUEING, THIN, POOL, SNAPSHOT, ORIGIN)  # fmt: skip
"""In the form that a kernel 6.1 printed on s390x; `QUEUEING` is of a machine behind FCP."""


def devices(text: str) -> list[str]:
    """The devices that hold the data of the first segment."""
    return [leg.device for leg in parse_table(text)[0].legs]


def test_sectors_become_bytes() -> None:
    """Starts, lengths and offsets are printed in sectors of 512 bytes."""
    (target,) = parse_table(LINEAR)
    assert (target.start, target.length, target.legs) == (0, 40960 * 512, (Leg("254:18", 2048 * 512),))


def test_each_segment_has_its_own_width() -> None:
    """A volume that was extended later is striped over fewer from there on."""
    assert [len(target.legs) for target in parse_table(EXTENDED)] == [4, 2]


def test_segments_come_in_order() -> None:
    """However the lines stand, the segments are sorted by their begin."""
    assert [t.start for t in parse_table("8 8 linear 8:0 0\n0 8 linear 8:0 8\n")] == [0, 8 * 512]


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (LINEAR, Layout.LINEAR), (STRIPED, Layout.STRIPED), (RAID1, Layout.MIRROR), (RAID5, Layout.PARITY),
        (RAID10, Layout.NEAR), (MIRROR, Layout.MIRROR), (CACHE, Layout.LINEAR), (WRITEBACK, Layout.SOMEWHERE),
        (CRYPT, Layout.LINEAR), (MULTIPATH, Layout.PATHS), (THIN, Layout.SOMEWHERE), (POOL, Layout.LINEAR),
        (SNAPSHOT, Layout.SOMEWHERE), (ORIGIN, Layout.LINEAR), ("0 8 error \n", Layout.NOWHERE),
        ("0 8 zero\n", Layout.NOWHERE), ("0 8 flakey 8:0 16 30 5\n", Layout.LINEAR),
        ("0 8 delay 8:0 0 500\n", Layout.LINEAR), ("0 8 delay 8:0 0 500 8:16 0 500\n", Layout.SOMEWHERE),
        ("0 8 writecache s 8:0 8:16 4096 0\n", Layout.SOMEWHERE),
        ("0 8 verity 1 8:0 8:16 4096 4096 1 1 sha256 00 00\n", Layout.LINEAR),
        ("0 8 integrity 8:0 0 4 J 1 meta_device:8:16\n", Layout.SOMEWHERE),
        ("0 8 vdo V4 8:0 1024 4096 32768 16380\n", Layout.SOMEWHERE),
        ("0 8 novelty 3 8:0 8:16\n", Layout.SOMEWHERE),
        ("0 96 raid raid0 1 128 2 - 8:0 - 8:16\n", Layout.STRIPED),
        ("0 96 raid raid6_zr 3 128 region_size 64 4 8:0 8:1 8:2 8:3 8:4 8:5 8:6 8:7\n", Layout.PARITY),
        ("0 96 raid raid10 5 128 raid10_copies 2 raid10_format far 2 - 8:0 - 8:16\n", Layout.EVEN),
        ("0 96 raid raid5_new 1 128 3 - 8:0 - 8:16 - 8:32\n", Layout.EVEN),
    ],
)  # fmt: skip
def test_each_target_has_its_layout(text: str, layout: Layout) -> None:
    """The many names come down to a few ways of lying."""
    assert parse_table(text)[0].layout is layout


def test_metadata_is_no_leg() -> None:
    """Of the pairs of a raid target, the first of each holds metadata."""
    (target,) = parse_table(RAID1)
    assert (devices(RAID1), target.beside) == (["253:3", "253:5"], ("253:2", "253:4"))


def test_a_device_that_is_missing_keeps_its_place() -> None:
    """A raid that lost a device prints a hyphen there, and the others keep their places."""
    assert devices("0 8 raid raid1 1 0 2 - - 8:1 8:2\n") == ["", "8:2"]


def test_a_pool_holds_data_on_its_second_device() -> None:
    """The first device of a thin pool has the metadata."""
    assert devices(POOL) == ["253:20"]


def test_an_origin_passes_through() -> None:
    """What snapshots are made of lies as it did before."""
    assert parse_table(ORIGIN)[0].legs == (Leg("253:1", 0),)


def test_a_cache_that_writes_through_has_everything_on_its_origin() -> None:
    """Metadata comes first, then the fast device, then the origin."""
    assert devices(CACHE) == ["253:27"]


def test_a_cache_that_writes_back_may_have_it_on_either() -> None:
    """What was written last may not have reached the origin."""
    assert devices(WRITEBACK) == ["253:27", "253:25"]


def test_paths_may_carry_arguments() -> None:
    """The old form has an argument after each path, which is no path."""
    assert devices(QUEUEING) == ["8:16", "8:80", "8:32", "8:48"]


def test_the_paths_of_all_groups_lead_to_one_disk() -> None:
    """The standby paths of a second group count like those of the first."""
    text = "0 8 multipath 0 1 alua 2 1 service-time 0 1 2 8:0 1 1 service-time 0 1 2 8:16 1 1\n"
    assert devices(text) == ["8:0", "8:16"]


def test_a_key_is_dropped() -> None:
    """A key that somebody had printed is in nothing that is kept."""
    (target,) = parse_table("0 8 crypt aes-xts-plain64 deadbeef 0 253:1 4096\n")
    assert "deadbeef" not in repr(target)
    assert target.legs == (Leg("253:1", 4096 * 512),)


def test_a_target_that_is_not_known_names_its_devices() -> None:
    """Whatever looks like a device among the arguments may hold the data."""
    assert devices("0 8 novelty 3 8:0 8:16\n") == ["8:0", "8:16"]


def test_more_arguments_than_known_are_accepted() -> None:
    """A newer kernel may print more behind what is known."""
    assert devices("0 8 linear 8:0 16 and more\n") == ["8:0"]


MISTAKES = (
    "linear", "0 8", "a 8 linear 8:0 0", "0 -8 linear 8:0 0", "0 8 linear", "0 8 linear 8:0",
    "0 8 linear /dev/sda 0", "0 8 linear 8:0 x", "0 8 striped 0 128", "0 8 striped 2 0 8:0 0 8:1 0",
    "0 8 striped 2 128 8:0 0", "0 8 striped 999999999999 128 8:0 0", "0 8 mirror core 9 1 2 8:0 0",
    "0 8 raid raid1 1 0 3 - 8:0", "0 8 raid raid5_ls 1 0 3 - 8:0 - 8:1 - 8:2",
    "0 8 raid raid10 3 128 raid10_copies 9 2 - 8:0 - 8:1", "0 8 raid raid6_zr 1 128 2 - 8:0 - 8:1",
    "0 8 multipath 0 0 1 1 round-robin 0 9 1 8:0 1", "0 8 thin 8:0", "0 8 cache 8:0 8:1 8:2",
    "0 8 linear 8:0 0\n4 8 linear 8:0 8", f"0 {'9' * 99} linear 8:0 0",
)  # fmt: skip


def test_a_line_that_is_not_understood_is_refused() -> None:
    """A line that is too short, out of range or of another form is a ValueError, never a wrong place."""
    compare("said/dm-tables", refusals(ValueError, parse_table, MISTAKES))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LINEAR, "linear"),
        (STRIPED, "striped over 4, 64 KiB"),
        (RAID5, "raid5_ls over 4, 64 KiB"),
        (RAID10, "raid10 over 4, 64 KiB, 2 copies"),
        (RAID1, "raid1 on 2"),
        (MIRROR, "mirror on 2"),
        (MULTIPATH, "one disk over 2 paths"),
        ("0 8 error", "error, on no device"),
        ("0 8 striped 2 3 8:0 0 8:1 0", "striped over 2, 1536 bytes"),
    ],
)
def test_describe_says_it_in_words(text: str, said: str) -> None:
    """A person reads the way, the width and the chunk."""
    assert describe(parse_table(text)[0]) == said
    assert describe(parse_table(THIN)[0]).startswith("thin, ")


def test_an_empty_table_has_no_segments() -> None:
    """A device without a table is nothing to complain about."""
    assert parse_table("\n") == []


@given(
    st.one_of(st.text(), st.from_regex(r"(\d{1,3} \d{1,3} (striped|raid|mirror|multipath|cache) .*\n){1,3}"))
)
@example("0 8 multipath 0 0 999999999 1")
def test_any_text_is_parsed_or_refused(text: str) -> None:
    """Nothing but a ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_table(text)


@given(st.sampled_from(ALL), st.data())
def test_any_change_of_a_real_table_is_parsed_or_refused(text: str, data: st.DataObject) -> None:
    """Words that are lost, changed or doubled make a ValueError at the most."""
    words = text.split(" ")
    at = data.draw(st.integers(0, len(words) - 1))
    words[at : at + 1] = data.draw(
        st.lists(st.sampled_from(["", "0", "-", "8:0", "99999999999", "\n", words[at]]), max_size=2)
    )
    with contextlib.suppress(ValueError):
        for target in parse_table(" ".join(words)):
            describe(target)


def test_segments_that_texts_tell_lie_in_equal_parts_on_their_devices() -> None:
    """Which may have stand-ins for numbers; where the parts begin is not known."""
    alone, several = parse_table("0 8 segment 94:5\n8 16 segment 94:5 mapped:1000001\n")
    assert (alone.layout, alone.legs, describe(alone)) == (Layout.EVEN, (Leg("94:5"),), "linear")
    assert (several.start, several.legs) == (8 * 512, (Leg("94:5"), Leg("mapped:1000001")))
    assert describe(several) == "striped over 2"
