"""Disks for a workload."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.placement.disk_count import PENALTIES, Arrays, disk_count, whole

NONE = absent("not counted")
RATES = st.floats(0, 1e6)


@pytest.mark.parametrize(("raid", "hardware"), [("0", 10_000), ("normal", 15_000), ("high", 20_000)])
def test_the_example_of_the_study(raid: str, hardware: float) -> None:
    """S002:209-212: 10,000 requests, half of them writes."""
    assert disk_count("", 5000, 5000, Arrays(PENALTIES[raid]), NONE).hardware == hardware


def test_disks_and_cells_of_the_study() -> None:
    """S002:229-233: 15,000 at 180 are 83 disks, and 6.9 cells of 12."""
    found = disk_count("", 5000, 5000, Arrays(PENALTIES["normal"], disk_io=180, cell=12), NONE)
    assert isinstance(found.disks, float)
    assert int(found.disks) == 83
    assert found.cells == pytest.approx(6.9, abs=0.05)


def test_half_a_disk_more_is_one_more_to_buy() -> None:
    """With 83 of 83.3 disks the load does not fit; a whole number stays what it is."""
    assert [whole(83.3), whole(83.0), whole(0.1 * 3 / 0.1), whole(0.0)] == [84, 83, 3, 0]


def test_hits_spare_reads_alone() -> None:
    """Every write reaches the disks at last."""
    arrays = Arrays(2.0, hits=0.75)
    assert disk_count("", 400, 0, arrays, NONE).hardware == 100
    assert disk_count("", 0, 400, arrays, NONE).hardware == 800


def test_what_is_not_known_stays_unknown() -> None:
    """A report of sar has no reads and writes, and so no disks; nothing becomes zero."""
    reason = absent("sar does not separate them")
    found = disk_count("7600", reason, reason, Arrays(), NONE)
    assert {found.hardware, found.disks} == {reason}
    assert isinstance(found.cells, Absent)


@given(RATES, RATES, st.floats(1, 10), st.floats(0, 1))
def test_more_of_anything_needs_no_fewer_disks(
    reads: float, writes: float, penalty: float, hits: float
) -> None:
    """More copies or fewer hits cost disks, and the load of two workloads is the sum of theirs."""
    one = disk_count("", reads, writes, Arrays(penalty, hits=hits), NONE)
    more = disk_count("", reads, writes, Arrays(penalty + 1, hits=hits / 2), NONE)
    twice = disk_count("", 2 * reads, 2 * writes, Arrays(penalty, hits=hits), NONE)
    assert isinstance(one.disks, float)
    assert one.disks <= more.disks
    assert twice.disks == pytest.approx(2 * one.disks)
