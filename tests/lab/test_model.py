"""What a load demands of each part follows from the utilisation law, before anything is simulated."""

from __future__ import annotations

import pytest

from tests.lab.boxes import aim, box, paths
from zmon.lab.model import Arrivals, Compute, DiskIo, SimulatedLcu, Stream, demands, overloaded

ESCON = paths(6, 12.0)
UNIT = SimulatedLcu("LCU 6", "7600", 0, speed=40.0)


def test_a_read_keeps_the_control_unit_busy_for_its_bytes() -> None:
    """128 KiB at 40 MB/s are 3.28 ms."""
    assert demands(box(UNIT, ESCON), [DiskIo(aim(size=131072))])["LCU 6"] == pytest.approx(3276.8)


def test_paths_share_what_is_carried() -> None:
    """10.9 ms on one of six paths is a sixth of it on each."""
    assert demands(box(UNIT, ESCON), [DiskIo(aim(size=131072))])["path group paths"] == pytest.approx(
        131072 / 72
    )


def test_failover_uses_one_path() -> None:
    """The others are there for the day on which it fails."""
    group = paths(2, 12.0, policy="failover")

    assert demands(box(UNIT, group), [DiskIo(aim(size=12000))])["path group paths"] == pytest.approx(1000)


def test_a_write_costs_the_arrays_its_penalty() -> None:
    """Half of ten requests write twice: fifteen of the arrays."""
    unit = SimulatedLcu("LCU 6", "7600", 0, ranks=1, miss=1000.0, penalty=2.0)

    found = demands(box(unit), [DiskIo(aim(reads=0.5, hits=0.0), pieces=10)])

    assert found["the arrays of LCU 6"] == pytest.approx(15_000)


def test_processors_share_what_is_computed() -> None:
    """Two do it in half of the time."""
    assert demands(box(cpus=2), [Compute(100.0)])["the processors"] == 50


def test_an_open_load_over_capacity_overloads_the_busiest_part() -> None:
    """306 reads of 128 KiB a second are more than 40 MB/s."""
    machine = box(UNIT, ESCON, volumes=40)

    found = overloaded(machine, [Arrivals("open", 306.0, (DiskIo(aim(*range(40), size=131072)),))])

    assert found is not None
    assert found[0] == "LCU 6"
    assert found[1] == pytest.approx(1.0027, abs=1e-3)


def test_those_who_wait_for_answers_overload_nothing() -> None:
    """They wait longer."""
    assert overloaded(box(UNIT, ESCON), [Stream("closed", 1000, (DiskIo(aim(size=131072)),))]) is None
