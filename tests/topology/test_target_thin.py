from __future__ import annotations

import contextlib

import pytest
from byte_by_byte import ThinRun, ThinStack, parse_thin_dump, thin_segments
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.layers import disk, layers, mapped
from zmon.base.absent import Absent
from zmon.topology.stack import Stack
from zmon.topology.target import TargetLayout as Layout
from zmon.topology.target import parse_table

DUMP = """<superblock uuid="" time="1" transaction="2" version="2" data_block_size="128" nr_data_blocks="0">
  <device dev_id="1" mapped_blocks="5" transaction="0" creation_time="0" snap_time="1">
    <single_mapping origin_block="9" data_block="4" time="0"/>
    <range_mapping origin_begin="2" data_begin="10" length="3" time="0"/>
  </device>
  <device dev_id="2" mapped_blocks="0" transaction="1" creation_time="1" snap_time="1">
  </device>
</superblock>
"""
"""The form that thin_dump writes."""
BLOCK = 128 * 512


def test_runs_are_in_bytes_and_in_order() -> None:
    """Blocks are as long as the superblock says, and sorted by their place on the volume."""
    assert parse_thin_dump(DUMP) == {
        1: (ThinRun(2 * BLOCK, 10 * BLOCK, 3 * BLOCK), ThinRun(9 * BLOCK, 4 * BLOCK, BLOCK)),
        2: (),
    }


def test_a_thin_target_becomes_linear_runs_and_holes() -> None:
    """What was never written to has no place; the rest lies on the pool."""
    (target,) = parse_table(f"0 {12 * 128} thin 253:21 1\n")
    found = list(thin_segments(target, parse_thin_dump(DUMP)[1]))
    assert [(t.start // BLOCK, t.length // BLOCK, t.layout) for t in found] == [
        (0, 2, Layout.NOWHERE), (2, 3, Layout.LINEAR), (5, 4, Layout.NOWHERE), (9, 1, Layout.LINEAR),
        (10, 2, Layout.NOWHERE),
    ]  # fmt: skip
    assert [leg.offset // BLOCK for t in found for leg in t.legs] == [10, 4]


def test_a_volume_that_was_made_smaller_is_cut_there() -> None:
    """Runs end where the volume ends."""
    (target,) = parse_table(f"0 {3 * 128} thin 253:21 1\n")
    assert sum(t.length for t in thin_segments(target, parse_thin_dump(DUMP)[1])) == 3 * BLOCK


THIN = {"94:0": disk("dasda", 64), "253:9": mapped("vg-thin", "0 16 thin 94:0 1\n", 16, "94:0")}


def test_a_dump_of_the_pool_places_a_thin_volume() -> None:
    """With it, the volume is as linear as its runs are; without it is somewhere on the pool."""
    dump = (
        '<superblock data_block_size="8"><device dev_id="1">'
        '<range_mapping origin_begin="0" data_begin="3" length="2"/></device></superblock>'
    )
    found = ThinStack(layers(THIN), {"94:0": dump}).segments("253:9")
    assert not isinstance(found, Absent)
    assert [(target.length, target.legs[0].offset) for target in found] == [(16 * 512, 24 * 512)]
    without = Stack(layers(THIN)).segments("253:9")
    assert not isinstance(without, Absent)
    assert [target.layout for target in without] == [Layout.SOMEWHERE]


def test_a_dump_that_is_none_is_refused() -> None:
    """A file that is not understood places nothing."""
    with pytest.raises(ValueError, match="not a dump"):
        ThinStack(layers(THIN), {"94:0": "nonsense"})


@pytest.mark.parametrize(
    "text",
    ["", "<superblock>", '<superblock data_block_size="x">',
     '<single_mapping origin_block="0" data_block="0"/>',
     DUMP.replace('length="3"', ""), DUMP.replace("data_block_size", "size")],
)  # fmt: skip
def test_what_is_no_dump_is_refused(text: str) -> None:
    """A number that is missing is a ValueError, not a zero."""
    with pytest.raises(ValueError, match=r"no number|comes before|no superblock"):
        parse_thin_dump(text)


@given(st.integers(0, len(DUMP)), st.integers(0, 20), st.text(max_size=5))
def test_any_change_of_a_dump_is_parsed_or_refused(at: int, lost: int, put: str) -> None:
    """Nothing but a ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_thin_dump(DUMP[:at] + put + DUMP[at + lost :])
