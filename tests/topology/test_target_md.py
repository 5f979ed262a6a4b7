from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.topology.target import (
    NO_MEMBER_SIZE,
    NO_MEMBERS,
    NO_SIZE,
    ArrayMember,
    MdArray,
    TargetLayout,
    md_targets,
    parse_members,
)

KIB = 1024


def array(
    level: str, sizes: list[int], chunk: int = 4 * KIB, layout: int = 0, size: int = 1 << 20
) -> MdArray:
    """An array of members of these many KiB, which begin 1 MiB into their devices."""
    members = (ArrayMember(slot, f"8:{slot}", 1 << 20, kib * KIB) for slot, kib in enumerate(sizes))
    return MdArray(level, layout, chunk, size, tuple(members))


def lying(made: MdArray) -> list[tuple[int, int, TargetLayout, list[str]]]:
    """Begin and length in KiB, layout and legs of each target."""
    found = md_targets(made)
    assert not isinstance(found, Absent)
    return [(t.start // KIB, t.length // KIB, t.layout, [leg.device for leg in t.legs]) for t in found]


def why(made: MdArray) -> str:
    """Why it is not known how an array lies."""
    found = md_targets(made)
    assert isinstance(found, Absent)
    return found.reason


def test_members_are_parsed_with_what_is_missing() -> None:
    """Offsets and sizes are in sectors, a member that is missing is a hyphen."""
    assert parse_members("0=94:21@2048+1600480 1=-") == (
        ArrayMember(0, "94:21", 2048 * 512, 1600480 * 512),
        ArrayMember(1, "", 0, 0),
    )


def test_members_that_were_not_read_are_none() -> None:
    """An absent cell is an array without known members."""
    assert parse_members(absent("not captured")) == ()


@pytest.mark.parametrize("cell", ["0", "x=8:0@0", "0=8:0@x", "0=8:0@1+x", "0=8:0@1 0=8:1@1", "²=8:0@1"])
def test_members_of_another_form_are_refused(cell: str) -> None:
    """What is not slot=number@offset+size is a ValueError."""
    with pytest.raises(ValueError, match="slot"):
        parse_members(cell)


@given(st.text(alphabet="0123456789=:@+- x", max_size=40))
def test_any_cell_of_members_is_parsed_or_refused(cell: str) -> None:
    """Nothing but a ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_members(cell)


def test_raid1_is_a_mirror_of_all() -> None:
    """Every member has everything, from its data offset on."""
    assert lying(array("raid1", [900, 800])) == [(0, 1024, TargetLayout.MIRROR, ["8:0", "8:1"])]


def test_equal_members_of_raid0_are_one_zone() -> None:
    """Members of one size are striped to their ends, less what is no whole chunk."""
    assert lying(array("raid0", [17, 18])) == [(0, 32, TargetLayout.STRIPED, ["8:0", "8:1"])]


def test_unequal_members_of_raid0_make_zones() -> None:
    """When the smallest is full the others go on, from where they are."""
    assert lying(array("raid0", [8, 16, 16], layout=2)) == [
        (0, 24, TargetLayout.STRIPED, ["8:0", "8:1", "8:2"]),
        (24, 16, TargetLayout.STRIPED, ["8:1", "8:2"]),
    ]
    second = md_targets(array("raid0", [8, 16, 16], layout=2))
    assert not isinstance(second, Absent)
    assert second[1].legs[0].offset == (1 << 20) + 8 * KIB


def test_the_older_layout_counts_chunks_from_the_begin_of_the_array() -> None:
    """A zone that begins at an odd chunk of the array begins with its second member there."""
    assert lying(array("raid0", [4, 8, 8], layout=1))[1][3] == ["8:2", "8:1"]
    assert lying(array("raid0", [4, 8, 8], layout=2))[1][3] == ["8:1", "8:2"]


def test_without_a_word_on_the_layout_the_order_is_not_known() -> None:
    """Kernels before 5.4 do not say which of the two it is, and the zone is shared out."""
    assert lying(array("raid0", [4, 8, 8]))[1][2] is TargetLayout.EVEN


def test_linear_members_stand_one_behind_the_other() -> None:
    """A linear array fills one member after the other."""
    assert lying(array("linear", [16, 8], chunk=0)) == [
        (0, 16, TargetLayout.LINEAR, ["8:0"]),
        (16, 8, TargetLayout.LINEAR, ["8:1"]),
    ]


@pytest.mark.parametrize(
    ("level", "layout", "kind"),
    [("raid5", 2, "raid5_ls"), ("raid5", 0, "raid5_la"), ("raid4", 0, "raid5_n"), ("raid6", 2, "raid6_ls"),
     ("raid6", 9, "raid6_nr"), ("raid6", 18, "raid6_ls_6")],
)  # fmt: skip
def test_parity_has_its_name(level: str, layout: int, kind: str) -> None:
    """The numbers that md prints are those of the kernel's tables."""
    found = md_targets(array(level, [16] * 5, layout=layout))
    assert not isinstance(found, Absent)
    assert (found[0].kind, found[0].layout) == (kind, TargetLayout.PARITY)


def test_raid10_near_has_its_copies() -> None:
    """The lowest byte of the layout is the number of near copies."""
    found = md_targets(array("raid10", [16] * 4, layout=0x102))
    assert not isinstance(found, Absent)
    assert (found[0].layout, found[0].copies) == (TargetLayout.NEAR, 2)


def test_raid10_far_is_shared_out() -> None:
    """The order of far copies is not known to zmon, only that they are even."""
    assert lying(array("raid10", [16] * 4, layout=0x201))[0][2] is TargetLayout.EVEN


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (array("raid5", [16] * 3, layout=77), r"raid5 .*\b77 on 3\b"),
        (array("raid5", [16] * 3, chunk=0, layout=2), " raid5$"),
        (array("raid6", [16] * 2, layout=2), r"raid6 .*\b2 on 2\b"),
        (array("raid10", [16] * 2, layout=0x104), r"raid10 .*\b0x104\b"),
        (array("raid0", [0, 16]), NO_MEMBER_SIZE.reason),
        (array("linear", [0, 16]), NO_MEMBER_SIZE.reason),
        (array("raid1", []), NO_MEMBERS.reason),
        (array("raid1", [16], size=0), NO_SIZE.reason),
        (array("faulty", [16]), r"faulty .*\b0 on 1\b"),
        (array("raid5", [16] * 3)._replace(layout=absent("reshaped")), "reshaped"),
        (array("raid5", [16] * 3)._replace(level=absent("no level")), "no level"),
    ],
)
def test_what_is_not_known_says_so(made: MdArray, reason: str) -> None:
    """An array that cannot be followed is absent with its reason, never guessed."""
    assert re.search(reason, why(made))
