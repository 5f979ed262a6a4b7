"""What parts of the machine do beside their usual work: laws that are known by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.lab.boxes import aim, box, paths
from zmon.lab.dice import Dice
from zmon.lab.engine import Engine
from zmon.lab.model import DiskIo, PathGroup, SimulatedLcu, SimulatedVolume, StorageBox, Stream

if TYPE_CHECKING:
    from zmon.lab.model import LoadStep

SECOND = 1e6


def done(machine: StorageBox, step: LoadStep, customers: int, seconds: float = 20.0) -> Engine:
    """Run a closed load, after a second that is not counted."""
    engine = Engine(machine, [Stream("load", customers, (step,))], Dice(3))
    engine.run(SECOND)
    engine.run(seconds * SECOND)
    return engine


def requests(engine: Engine) -> int:
    """Return how many were answered."""
    return sum(disk.reads + disk.writes for disk in engine.disks)


def lcu(**more: Any) -> SimulatedLcu:
    """Return a control unit that takes no time of its own."""
    return SimulatedLcu("LCU 0", "7000", 0, latency=0.0)._replace(**more)


@pytest.mark.parametrize(
    ("record", "hpf", "commands"), [(4096, False, 18), (49152, False, 4), (4096, True, 1)]
)
def test_a_channel_program_has_a_command_for_each_record(record: int, commands: int, *, hpf: bool) -> None:
    """S001:550-554: define extent, locate record, one for each block; one for all with HPF."""
    group = PathGroup("paths", ("00",), 100.0, command=10.0, record=record, hpf=hpf)
    assert group.commands(65536) == commands
    assert group.transfer(65536) == 65536 / 100 + 10 * commands


def test_without_a_cost_commands_change_nothing() -> None:
    """So that older scenarios stay what they are."""
    assert PathGroup("paths", ("00",), 100.0).transfer(65536) == 65536 / 100


@pytest.mark.parametrize(("customers", "busy"), [(1, 1 / 8), (8, 8 / 15), (56, 56 / 63)])
def test_data_on_certain_arrays_wait_beside_idle_ones(customers: int, busy: float) -> None:
    """N customers at K equal stations of exponential times use N / (N + K - 1) of them (Buzen)."""
    engine = done(box(lcu(ranks=8, miss=5000.0, placed=True), paths()), DiskIo(aim(hits=0.0)), customers, 15)
    assert requests(engine) == pytest.approx(15 * 8 * 200 * busy, rel=0.03)


def test_writes_without_a_cache_wait_for_all_copies() -> None:
    """Disks that are always busy do a half and a third, and reads as many as ever."""
    unit = lcu(ranks=4, miss=5000.0, placed=True, nvs=0)
    writes, reads = (
        [
            requests(done(box(unit._replace(penalty=copies), paths()), DiskIo(at), 100, 15))
            for copies in (1, 2, 3)
        ]
        for at in (aim(reads=0.0), aim(hits=0.0))
    )
    assert reads == [reads[0]] * 3
    assert writes == pytest.approx([reads[0], reads[0] / 2, reads[0] / 3], rel=0.08)


def test_a_full_write_cache_is_as_fast_as_the_arrays() -> None:
    """What is not full takes writes at once; what is full waits for the arrays to make room."""
    unit = lcu(ranks=2, miss=5000.0, nvs=50, penalty=2, overhead=100.0)
    writes = requests(done(box(unit, paths()), DiskIo(aim(reads=0.0)), 10, 20))
    assert writes == pytest.approx(20 * 2 * 200 / 2, rel=0.05)
    unlimited = requests(done(box(unit._replace(nvs=1 << 30), paths()), DiskIo(aim(reads=0.0)), 10, 2))
    assert unlimited == pytest.approx(2 * 10_000, rel=0.01)


@pytest.mark.parametrize(("turn", "working"), [(1, 8), (100_000, 1)])
def test_in_turn_a_request_waits_for_its_own_device(turn: int, working: int) -> None:
    """With long turns one of base and aliases works while the others are idle."""
    machine = StorageBox(
        (paths(),), (lcu(ranks=64, miss=4000.0),), (SimulatedVolume(0, 0x7000, pav=7, turn=turn),)
    )
    engine = done(machine, DiskIo(aim(hits=0.0)), 200, 8)
    assert requests(engine) == pytest.approx(8 * 250 * working, rel=0.04)
    if working == 1:
        assert sum(device.starts > 0 for device in engine.devices) <= 2


@pytest.mark.parametrize(("stripe", "seeks"), [(1 << 20, 4), (4 << 20, 1)])
def test_pieces_that_follow_each_other_on_a_disk_are_found_once(stripe: int, seeks: int) -> None:
    """One stream alone: four pieces of 1 MiB on one disk, or on four at the same time."""
    units = tuple(
        SimulatedLcu(f"disk {place}", f"70{place:02d}", 0, latency=0.0, miss=6000.0, array_speed=100.0)
        for place in range(8)
    )
    disks = tuple(SimulatedVolume(place, 0x7000 + place, pav=31) for place in range(8))
    step = DiskIo(aim(*range(8), size=1 << 20, hits=0.0), "", 4, stripe)
    engine = done(StorageBox((paths(),), units, disks), step, 64, 20)
    fetched = sum(disk.read_bytes for disk in engine.disks) / 20e6
    # 64 streams keep the eight disks busy: four pieces cost 4 x 10.49 ms, and 6 ms for each search
    assert fetched == pytest.approx(8 * 4 * 1.048576 / (4 * 0.01048576 + seeks * 0.006), rel=0.06)
    assert {disk.writes for disk in engine.disks} == {0}
