from __future__ import annotations

import pytest

from tests.lab.boxes import FAST, aim, box, paths
from zmon.lab.dice import Dice
from zmon.lab.engine import Engine, bucket
from zmon.lab.model import (
    Arrivals,
    Compute,
    Count,
    DiskIo,
    SimulatedLcu,
    SimulatedVolume,
    StorageBox,
    Stream,
    Think,
)


def ran(machine: StorageBox, *loads: Stream | Arrivals, seconds: float = 1.0) -> Engine:
    """Return an engine after an interval."""
    engine = Engine(machine, loads, Dice(7))
    engine.run(seconds * 1e6)
    return engine


def test_a_piece_of_a_stripe_goes_to_each_volume() -> None:
    """Four pieces at once on four volumes that are used alike: one for each."""
    engine = ran(box(volumes=4), Stream("scan", 1, (DiskIo(aim(0, 1, 2, 3), pieces=4), Think(1000.0))))

    assert len({disk.reads for disk in engine.disks}) == 1


def test_all_pieces_are_waited_for() -> None:
    """Who asks for two on one volume goes on when the second is there."""
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=1000.0), pav=0)

    engine = ran(machine, Stream("scan", 1, (DiskIo(aim(), pieces=2), Count("done"))), seconds=2)

    assert engine.counted["done"].number == pytest.approx(1000, abs=12)


def test_those_who_come_by_chance_do_their_steps_once() -> None:
    """So many ask as come."""
    engine = ran(box(), Arrivals("open", 1000.0, (DiskIo(aim()), Count("done"))), seconds=10)

    assert engine.counted["done"].number == pytest.approx(10_000, rel=0.05)


@pytest.mark.parametrize(("pav", "rate"), [(0, 1000), (3, 4000), (7, 8000)])
def test_a_volume_does_as_much_at_once_as_it_has_subchannels(pav: int, rate: int) -> None:
    """Each alias adds what the base does."""
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=1000.0), pav=pav)

    engine = ran(machine, Stream("random", 20, (DiskIo(aim()),)))

    assert engine.disks[0].reads == pytest.approx(rate, rel=0.03)


def test_an_alias_of_the_pool_helps_whichever_volume_needs_it() -> None:
    """Two volumes of which one is used have three subchannels for it with two aliases in the pool."""
    unit = SimulatedLcu("LCU", "7000", 0, latency=1000.0, aliases=2)

    engine = ran(box(unit, volumes=2, pav=0), Stream("random", 20, (DiskIo(aim(1)),)))

    assert engine.disks[1].reads == pytest.approx(3000, rel=0.03)


def test_what_runs_on_an_alias_is_counted_there() -> None:
    """Aliases have subchannels of their own."""
    unit = SimulatedLcu("LCU", "7000", 0, latency=1000.0, aliases=2)

    engine = ran(box(unit, volumes=2, pav=0), Stream("random", 20, (DiskIo(aim(1)),)))

    assert [round(device.starts, -2) for device in engine.devices] == [0, 1000, 1000, 1000]


def test_failover_uses_the_first_path_only() -> None:
    """The second is idle."""
    group = paths(2, 100.0, policy="failover")

    assert ran(box(group=group), Stream("x", 4, (DiskIo(aim()),))).groups[0].transfers[1] == 0


def test_multibus_takes_turns() -> None:
    """Three requests on each path, then three on the next."""
    group = paths(2, 100.0, policy="multibus", turn=3)

    first, second = ran(box(group=group), Stream("x", 1, (DiskIo(aim()),))).groups[0].transfers

    assert abs(first - second) <= 3


def test_requests_beyond_the_knee_hinder_each_other() -> None:
    """Three too many, each adding a tenth: the control unit takes 1.3 times as long for each."""
    unit = SimulatedLcu("LCU", "7000", 0, latency=0.0, overhead=100.0, knee=4, pressure=0.1)

    engine = ran(box(unit), Stream("x", 8, (DiskIo(aim()),)))

    assert engine.disks[0].reads == pytest.approx(10_000 / 1.3, rel=0.02)


def test_arrays_count_a_write_with_its_penalty() -> None:
    """RAID 5 reads data and parity and writes both."""
    unit = SimulatedLcu("LCU", "7000", 0, miss=10.0, penalty=4.0)

    engine = ran(box(unit), Stream("x", 1, (DiskIo(aim(reads=0.0)), Think(1000.0))))

    assert engine.units[0].fetched == pytest.approx(4 * engine.disks[0].writes, abs=4)


def test_pending_is_what_it_takes_to_be_accepted_and_the_wait_for_a_path() -> None:
    """With one path and two who ask, each waits while the other's bytes are carried."""
    machine = StorageBox(
        (paths(1, 4.096),),
        (SimulatedLcu("LCU", "7000", 0, latency=200.0),),
        (SimulatedVolume(0, 1), SimulatedVolume(0, 2)),
    )

    engine = ran(machine, Stream("a", 1, (DiskIo(aim(0)),)), Stream("b", 1, (DiskIo(aim(1)),)))

    device = engine.devices[0]
    assert device.pending / device.starts == pytest.approx(1000, rel=0.02)
    assert device.connect / device.starts == pytest.approx(1000, rel=0.02)


def test_a_miss_is_disconnected_while_an_array_works() -> None:
    """Neither pending nor connected."""
    unit = SimulatedLcu("LCU", "7000", 0, latency=0.0, ranks=4, miss=5000.0)

    device = ran(box(unit, pav=0), Stream("x", 1, (DiskIo(aim(hits=0.0)),)), seconds=20).devices[0]

    assert device.disconnect / device.starts == pytest.approx(5000, rel=0.05)


def test_a_path_that_takes_no_time_is_never_busy() -> None:
    """What the other tests rest on."""
    assert (
        sum(ran(box(group=paths(speed=FAST)), Stream("x", 1, (DiskIo(aim()), Think(100.0)))).groups[0].busy)
        < 1
    )


@pytest.mark.parametrize(
    ("value", "place"), [(0, 0), (3.9, 0), (4, 1), (7, 1), (8, 2), (1024, 9), (2047, 9), (2.0**40, 31)]
)
def test_buckets_are_those_of_the_driver(value: float, place: int) -> None:
    """Below 4, 8, 16 ... and the last takes all that is more."""
    assert bucket(value) == place


def test_a_step_may_be_done_in_one_round_of_many() -> None:
    """Each customer begins elsewhere in his rounds, so that not all do it at the same time."""
    steps = (Think(1000.0, constant=True), DiskIo(aim(), every=10), Count("round"))

    engine = ran(box(), Stream("writers", 20, steps), seconds=5)

    assert engine.disks[0].reads == pytest.approx(engine.counted["round"].number / 10, rel=0.02)
    assert engine.disks[0].integral < 5e6  # on average not even one at a time


def test_who_does_not_wait_goes_on() -> None:
    """A write that takes 10 ms does not hold up who thinks for 20."""
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=10_000.0), pav=0)
    steps = (DiskIo(aim(reads=0.0), waited=False), Think(20_000.0, constant=True), Count("round"))

    engine = ran(machine, Stream("writer", 1, steps), seconds=10)

    assert engine.counted["round"].number == pytest.approx(500, abs=2)
    assert engine.disks[0].writes == pytest.approx(500, abs=2)


def test_no_more_than_one_step_goes_on_behind_a_customer() -> None:
    """Who writes faster than the disk waits for it, so no queue grows beyond all bounds."""
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=10_000.0), pav=0)
    steps = (DiskIo(aim(reads=0.0), pieces=3, waited=False), Think(1000.0), Count("round"))

    engine = ran(machine, Stream("writer", 2, steps), seconds=30)

    assert engine.disks[0].active <= 6
    assert engine.counted["round"].number == pytest.approx(1000, abs=5)


@pytest.mark.parametrize(("depth", "waited"), [(2, True), (2, False), (20, True)])
def test_a_full_path_costs_linux_processor_time(depth: int, waited: bool) -> None:
    """A request beyond those that a path takes is tried again; who asked for it pays, also afterwards."""
    group = paths(1, 1.0, policy="failover")._replace(depth=depth, retry=100.0)
    steps = (Compute(1000.0), DiskIo(aim(), pieces=6, waited=waited))

    engine = ran(box(group=group, cpus=4), Stream("reader", 1, steps), seconds=20)

    rounds = engine.disks[0].reads / 6
    tried_again = 3 if depth == 2 else 0  # one is carried, two wait, three are too many
    assert engine.computing / rounds == pytest.approx(1000 + 100 * tried_again, rel=0.05)


def test_disks_over_several_paths_do_not_all_begin_with_the_first() -> None:
    """They were used before; with long turns all would otherwise change together."""
    group = paths(4, 100.0, policy="multibus", turn=1000)

    engine = Engine(box(group=group, volumes=30), (), Dice(7))

    assert {disk.turn for disk in engine.disks} == {0, 1, 2, 3}
    assert len({disk.turns for disk in engine.disks}) > 20
