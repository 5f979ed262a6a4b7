"""Parts that fail: laws that are known by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.lab.boxes import aim, box, paths
from zmon.lab.dice import Dice
from zmon.lab.fault_engine import FaultEngine, has_faults
from zmon.lab.model import DiskIo, LogicalVolume, SimulatedLcu, Stream

if TYPE_CHECKING:
    from zmon.lab.model import PathGroup, StorageBox

PLAIN = SimulatedLcu("LCU 0", "7000", 0, latency=1000.0)
SECOND = 1e6


def ran(machine: StorageBox, *loads: Stream, seconds: float = 1.0) -> FaultEngine:
    """Return an engine after an interval, and a tenth of a second before it that is not counted."""
    engine = FaultEngine(machine, loads, Dice(7))
    engine.run(SECOND / 10)
    engine.run(seconds * SECOND)
    return engine


def mean(engine: FaultEngine, name: str) -> float:
    """Return ms of a part of the service time."""
    time: float = sum(getattr(device, name) for device in engine.devices)
    return time / 1000 / starts(engine)


def starts(engine: FaultEngine) -> int:
    """Return how many requests were done."""
    return sum(device.starts for device in engine.devices)


@pytest.mark.parametrize("count", [2, 4])
def test_a_slow_path_lets_its_part_of_the_requests_pend(count: int) -> None:
    """One of N paths with five times 1 ms: 1 + 4 / N on average, and nothing else changes."""
    group = paths(count)._replace(slow=(5.0, *[1.0] * (count - 1)))
    engine = ran(box(PLAIN, group), Stream("reads", 4, (DiskIo(aim()),)))
    assert mean(engine, "pending") == pytest.approx(1 + 4 / count, rel=0.02)
    assert mean(engine, "disconnect") == pytest.approx(0, abs=1e-9)


def fcp(**more: Any) -> PathGroup:
    """Return two adapters that reach two ports each."""
    return paths(2, policy="multibus")._replace(ports=2, **more)


def test_each_adapter_has_a_path_to_each_port() -> None:
    """Four paths to a disk, used alike; two lead through each adapter."""
    engine = ran(box(PLAIN, fcp()), Stream("reads", 4, (DiskIo(aim()),)))
    routes = engine.disks[0].routes
    assert [route.reads for route in routes] == pytest.approx([starts(engine) / 4] * 4, rel=0.01)
    assert engine.groups[0].transfers == pytest.approx([starts(engine) / 2] * 2, rel=0.01)


def test_requests_over_a_slow_adapter_take_longer_on_its_paths_alone() -> None:
    """Routes 1 and 3 lead through the second adapter."""
    engine = ran(box(PLAIN, fcp(slow=(1.0, 5.0))), Stream("reads", 4, (DiskIo(aim()),)))
    times = [route.read_time / route.reads / 1000 for route in engine.disks[0].routes]
    assert times == pytest.approx([1, 5, 1, 5], rel=0.02)


@pytest.mark.parametrize("gone", ["lost", "offline"])
def test_a_path_that_is_gone_carries_nothing(gone: str) -> None:
    """The others carry all."""
    places: dict[str, Any] = {gone: (1,)}
    three = paths(3, speed=4.096)._replace(**places)
    engine = ran(box(PLAIN, three), Stream("reads", 20, (DiskIo(aim()),)))
    assert [transfers > 0 for transfers in engine.groups[0].transfers] == [True, False, True]
    assert starts(engine) == pytest.approx(2 * 1000, rel=0.01)
    engine = ran(box(PLAIN, fcp(**places)), Stream("reads", 4, (DiskIo(aim()),)))
    assert [route.reads > 0 for route in engine.disks[0].routes] == [True, False, True, False]


@pytest.mark.parametrize("customers", [1, 20])
def test_a_mirror_disconnects_writes_for_the_same_time_at_any_load(customers: int) -> None:
    """Two ms for a write, none for a read."""
    machine = box(PLAIN._replace(mirror=2000.0), paths(32))
    engine = ran(machine, Stream("writes", customers, (DiskIo(aim(reads=0.0)),)))
    assert mean(engine, "disconnect") == pytest.approx(2, rel=0.01)
    assert mean(engine, "pending") == pytest.approx(1, rel=0.01)
    engine = ran(machine, Stream("reads", customers, (DiskIo(aim()),)))
    assert mean(engine, "disconnect") == pytest.approx(0, abs=1e-9)


def test_requests_of_a_volume_that_hangs_stay_in_flight() -> None:
    """None ends, no time is measured, the disk is busy, and the other volume does what it did."""
    machine = box(PLAIN, volumes=2)
    hung = machine._replace(volumes=(machine.volumes[0], machine.volumes[1]._replace(hung=True)))
    loads = Stream("reads", 3, (DiskIo(aim(0)),)), Stream("behind", 5, (DiskIo(aim(1)),))
    well, engine = ran(machine, *loads), ran(hung, *loads)
    assert engine.disks[1].active == 5
    assert (engine.disks[1].reads, engine.disks[1].busy) == (0, SECOND)
    assert engine.disks[0].reads == well.disks[0].reads
    assert sum(device.pending for device in engine.devices) == pytest.approx(3 * SECOND)


def test_a_delayed_write_is_counted() -> None:
    """Non-volatile storage is full all the time; each write waits until the arrays have made room."""
    unit = PLAIN._replace(nvs=50, miss=5000.0, ranks=4, latency=0.0)
    engine = ran(box(unit), Stream("writes", 10, (DiskIo(aim(reads=0.0)),)), seconds=10)
    disk = engine.disks[0]
    assert disk.cache[3] == pytest.approx(disk.writes, abs=10)
    assert disk.writes == pytest.approx(10 * 4 * 200, rel=0.05)


def test_reads_go_before_writes_that_leave_the_write_cache() -> None:
    """A read that misses takes what the array takes, though 50 writes wait for it."""
    unit = PLAIN._replace(nvs=50, miss=5000.0, ranks=4, latency=0.0)
    loads = (
        Stream("writes", 10, (DiskIo(aim(0, reads=0.0)),)),
        Stream("reads", 1, (DiskIo(aim(1, hits=0.0)),)),
    )
    disk = ran(box(unit, volumes=2), *loads, seconds=10).disks[1]
    assert disk.read_time / disk.reads / 1000 == pytest.approx(5, rel=0.05)


def logical(**more: Any) -> StorageBox:
    """Return a box with a logical volume over four volumes, each request of which takes 1 ms."""
    volume = LogicalVolume("data", (0, 1, 2, 3), 1 << 20, 1 << 30)._replace(**more)
    return box(PLAIN, volumes=4)._replace(logical=(volume,))


def asked(pieces: int = 1, split: int = 1, reads: float = 1.0) -> DiskIo:
    """Return a step that asks the logical volume."""
    return DiskIo(aim(0, 1, 2, 3, reads=reads), "asked", pieces, logical=0, split=split)


@pytest.mark.parametrize(("pieces", "split"), [(1, 1), (1, 4), (3, 1), (3, 4)])
def test_a_request_to_a_logical_volume_is_one_to_each_disk_with_a_part_of_it(pieces: int, split: int) -> None:
    """So many at the disks, one above them; bytes are the same, and times too where nothing waits."""
    engine = ran(logical(), Stream("reads", 2, (asked(pieces, split),)))
    block = engine.logical[0]
    assert block.reads == pytest.approx(2 * 1000 * pieces, rel=0.01)
    assert sum(disk.reads for disk in engine.disks) == pytest.approx(block.reads * split, abs=40)
    assert block.read_bytes == 4096 * split * block.reads
    assert block.read_time / block.reads == pytest.approx(1000)
    assert engine.counted["asked"].time / engine.counted["asked"].number == pytest.approx(1000)
    assert block.integral == pytest.approx(2 * pieces * SECOND, rel=0.01)


def test_what_the_device_mapper_does_not_pass_waits_above_the_disks() -> None:
    """Of eight requests two are at the disks: 4 ms above them, 1 ms there (Little)."""
    engine = ran(logical(depth=2), Stream("reads", 8, (asked(split=4),)))
    block = engine.logical[0]
    assert block.read_time / block.reads == pytest.approx(4000, rel=0.01)
    assert block.active == 8
    assert max(disk.read_time / disk.reads for disk in engine.disks) == pytest.approx(1000)


def test_a_request_to_a_logical_volume_reads_or_writes_as_a_whole() -> None:
    """All its parts do the same."""
    engine = ran(logical(), Stream("both", 1, (asked(split=4, reads=0.5),)))
    block = engine.logical[0]
    assert block.reads == pytest.approx(block.writes, rel=0.1)
    assert sum(disk.writes for disk in engine.disks) == pytest.approx(4 * block.writes, abs=4)


def test_a_box_without_faults_needs_no_such_engine() -> None:
    """Only what fails takes time to simulate."""
    assert not has_faults(box())
    assert has_faults(box(PLAIN._replace(mirror=1.0)))
    assert has_faults(logical())
