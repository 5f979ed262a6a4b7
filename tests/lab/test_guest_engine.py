"""What happens to Linux itself: laws that are known by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.boxes import aim, box, paths
from tests.lab.plans import small
from zmon.lab.dice import Dice
from zmon.lab.engine import Engine
from zmon.lab.guest_engine import GuestEngine
from zmon.lab.model import (
    Compute,
    ControlProgram,
    Count,
    DiskIo,
    GuestMemory,
    Phase,
    SimulatedLcu,
    Stream,
    Think,
    Touch,
)

SECOND = 1e6
FREE = SimulatedLcu("LCU 0", "7000", 0, latency=0.0)


def ran(*streams: Stream, seconds: float = 30.0, cpus: int = 2, **more: Any) -> GuestEngine:
    """Run loads on a machine whose disks take no time unless more says so, after a second of warming up."""
    unit = more.pop("lcu", FREE)
    plan = small()._replace(
        box=box(unit, paths(), volumes=2, cpus=cpus), phases=(Phase("all", 60.0, streams),), **more
    )
    engine = GuestEngine(plan, streams, Dice(7))
    engine.run(SECOND)
    engine.run(seconds * SECOND)
    return engine


def rate(engine: GuestEngine, name: str, seconds: float = 30.0) -> float:
    """Return how many of something were counted in a second."""
    return engine.counted[name].number / seconds


FULL = Stream("full", 20, (Compute(10_000.0), Count("work")))


@pytest.mark.parametrize(("virtual", "real"), [(2, 4), (4, 4), (8, 4), (12, 3)])
def test_more_virtual_processors_than_real_ones_are_stolen(virtual: int, real: int) -> None:
    """The real ones do the work, and what is missing of the others is steal."""
    engine = ran(FULL, cpus=virtual, zvm=ControlProgram(real))
    working = min(virtual, real)
    assert rate(engine, "work") == pytest.approx(100 * working, rel=0.03)
    assert engine.computing == pytest.approx(working * 30e6, rel=0.001)
    assert engine.guest().steal_ns == pytest.approx((virtual - working) * 30e9, rel=0.001, abs=1e6)


def test_other_guests_take_their_part_of_the_processors() -> None:
    """Two guests with one busy processor each share the only real one evenly, slice by slice."""
    other = Stream("other", 1, (Compute(200_000.0),), outside=True)
    engine = ran(Stream("own", 1, (Compute(200_000.0), Count("work"))), other, cpus=1, zvm=ControlProgram(1))
    assert engine.guest().steal_ns == pytest.approx(15e9, rel=0.03)
    assert "other" not in engine.counted


@pytest.mark.parametrize(("real", "wait"), [(1, 5.0), (3, 0.0)])
def test_an_interrupt_waits_for_a_processor(real: int, wait: float) -> None:
    """A guest that only reads gets the real processor behind two others, each for a slice of 5 ms.

    The read of 1 ms ends within one of these slices; then the next one of the other guest comes first.
    """
    others = Stream("other", 2, (Compute(1e9),), outside=True)
    own = Stream("own", 1, (DiskIo(aim()), Count("read")))
    slow = FREE._replace(latency=1000.0)
    engine = ran(own, others, cpus=1, zvm=ControlProgram(real), lcu=slow, seconds=10)
    disk, device = engine.disks[0], engine.devices[0]
    assert device.pending / device.starts == pytest.approx(1000, rel=0.001)
    assert disk.read_time / disk.reads / 1000 == pytest.approx(1 + 2 * wait, abs=wait / 2 + 0.001)
    assert (engine.guest().steal_ns > 0) == (wait > 0)


def test_without_z_vm_nothing_is_stolen() -> None:
    """In an LPAR that has its processors for itself."""
    assert ran(FULL).guest().steal_ns == 0


def test_reading_a_page_by_cp_is_steal() -> None:
    """Half of the pages are paged out, so ten touches are five pages of 2 ms, for 10 ms of computing."""
    step = (Compute(10_000.0), Touch(10), Count("work"))
    engine = ran(Stream("own", 1, step), cpus=1, zvm=ControlProgram(1, resident=0.5, page=2000.0))
    found = engine.guest()
    assert rate(engine, "work") == pytest.approx(50, rel=0.05)
    assert found.steal_ns == found.paging_ns == pytest.approx(15e9, rel=0.05)
    assert found.swapped_in == 0


@pytest.mark.parametrize(("real", "faults"), [(100, 0.0), (75, 2.5), (50, 5.0)])
def test_what_does_not_fit_is_swapped(real: int, faults: float) -> None:
    """Of ten pages those are read that memory lacks, and as many are written."""
    memory = GuestMemory(real << 20, 100 << 20, 1)
    step = (Think(10_000.0, constant=True), Touch(10), Count("work"))
    engine = ran(Stream("own", 4, step), memory=memory, seconds=4)
    found = engine.guest()
    assert found.swapped_in / engine.counted["work"].number == pytest.approx(faults, rel=0.02)
    assert found.swapped_out == found.swapped_in
    assert engine.disks[1].reads == pytest.approx(found.swapped_in, abs=5)
    assert engine.disks[1].read_bytes == engine.disks[1].reads * 4096
    assert engine.disks[0].reads == 0


def test_swapping_waits_for_the_swap_volume() -> None:
    """One after the other: five pages of 4 ms each, as there is one array."""
    memory = GuestMemory(50 << 20, 100 << 20, 1)
    slow = FREE._replace(miss=4000.0, ranks=64, penalty=1)
    engine = ran(Stream("own", 1, (Touch(10), Count("work"))), memory=memory, lcu=slow)
    assert 1000 / rate(engine, "work") == pytest.approx(20, rel=0.05)
    assert engine.guest().memory_ns == pytest.approx(30e9, rel=0.01)
    assert engine.guest().memory_full_ns == engine.guest().memory_ns


def test_a_task_that_waits_for_i_o_is_counted() -> None:
    """One process that reads for 4 ms and computes for 4 ms, on the first of two processors."""
    slow = FREE._replace(miss=4000.0)
    step = (DiskIo(aim(hits=0.0)), Compute(4000.0))
    found = ran(Stream("own", 1, step), lcu=slow).guest()
    assert found.io_ns == pytest.approx(15e9, rel=0.06)
    assert found.io_full_ns == found.io_ns
    assert found.iowait_ns == found.io_ns
    assert (found.cpu_ns, found.memory_ns) == (0, 0)


def test_a_task_that_waits_for_a_processor_is_counted() -> None:
    """Twenty of them always want two."""
    found = ran(FULL).guest()
    assert found.cpu_ns == pytest.approx(30e9, rel=0.001)
    assert found.io_ns == 0


def test_no_time_is_counted_twice() -> None:
    """Of each processor what is used, stolen and idle is all of the time."""
    own = Stream("own", 5, (Compute(3000.0), Touch(3), DiskIo(aim(hits=0.5)), Think(2000.0)))
    zvm, slow = ControlProgram(2, 0.8, 1000.0), FREE._replace(miss=3000.0)
    engine = ran(own, cpus=3, zvm=zvm, memory=GuestMemory(90 << 20, 100 << 20, 1), lcu=slow, seconds=10)
    found = engine.guest()
    assert engine.computing * 1000 + found.steal_ns + found.iowait_ns <= 3 * 10e9
    assert found.paging_ns <= found.steal_ns
    assert found.io_full_ns <= found.io_ns <= 10e9
    assert found.memory_ns <= found.io_ns


def test_the_same_seed_gives_the_same_counts() -> None:
    """Whatever else the machine does."""
    own = Stream("own", 5, (Compute(3000.0), Touch(3), DiskIo(aim(hits=0.5))))
    first, second = (ran(own, zvm=ControlProgram(2, 0.8, 1000.0), seconds=2).guest() for _ in range(2))
    assert first == second


def test_tasks_that_wait_are_counted_without_limits_too() -> None:
    """An engine without z/VM and swapping counts the same waits, and computes and reads as much."""
    slow = FREE._replace(miss=4000.0)
    streams = (FULL, Stream("own", 3, (DiskIo(aim(hits=0.0)), Compute(4000.0), Count("read"))))
    plan = small()._replace(box=box(slow, paths(), volumes=2, cpus=2), phases=(Phase("all", 60.0, streams),))
    plain = Engine(plan.box, streams, Dice(7))
    plain.run(SECOND)
    plain.run(30 * SECOND)
    limited = ran(*streams, lcu=slow)
    assert plain.guest() == limited.guest()
    assert plain.guest().cpu_ns > plain.guest().io_ns > 0
    assert plain.computing == pytest.approx(limited.computing)
    assert plain.disks[0].reads == limited.disks[0].reads
