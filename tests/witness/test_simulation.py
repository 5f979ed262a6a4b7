"""The simulator against what queueing theory and arithmetic say, and its counters against one another."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import simpy

from tests.witness.answers import readings_of
from tests.witness.builders import box, unit, units, volumes
from tests.witness.machines import MACHINES
from tests.witness.parts import END, Machine, Paths, Processors, Program, Truth, VirtualDisk
from tests.witness.simulation import Server, SimulatedMachine, simulate

if TYPE_CHECKING:
    from tests.witness.counters import Reading

NOBODY = Truth("nobody is asked")
HEALTHY = [name for name, machine in MACHINES.items() if not machine.truth.first]
QUICK = ("healthy-idle", "healthy-virtio", "healthy-oltp")
"""Of these, those that are simulated with each change."""


def last(machine: Machine) -> Reading:
    return simulate(machine)[END]


@pytest.mark.parametrize(
    ("servers", "load", "waits"),
    [(1, 0.5, 1.0), (1, 0.8, 4.0), (2, 1.6, 1.7778), (1, 0.2, 0.25)],
)
def test_requests_at_random_wait_as_long_as_theory_says(servers: int, load: float, waits: float) -> None:
    """M/M/1: load / (1 - load) services; M/M/2: load squared / (1 - load squared), of half the load."""
    chance = random.Random(2)  # noqa: S311 - no secret
    server, now, waited, count = Server(servers), 0.0, 0.0, 200_000
    for _ in range(count):
        now += chance.expovariate(load)
        service = chance.expovariate(1.0)
        waited += server.take(now, service) - service - now
    assert waited / count == pytest.approx(waits, rel=0.06)


def test_a_closed_program_obeys_the_law_of_response_times() -> None:
    """Threads = throughput times (response + thinking + computing), whatever the disk does."""
    program = Program("oltp", ("d",), threads=12, think=0.02, cpu=0.001)
    machine = Machine("closed", NOBODY, (program,), virtual_disks=(VirtualDisk("d", 1, 0.005),),
                      processors=Processors(12))  # fmt: skip
    counts = last(machine).blocks["d"]
    done = counts.reads + counts.writes
    response = (counts.read_time + counts.write_time) / done
    assert done / END * (response + 0.021) == pytest.approx(12, rel=0.03)
    assert done / END == pytest.approx(200, rel=0.1)  # the disk is its limit


@pytest.mark.parametrize("name", ["healthy-oltp", "full-64k-16-aliases", "stripes-of-8k", "fcp-path-lost"])
def test_counters_agree_with_one_another(name: str) -> None:
    """Requests begun are done or in flight, and time adds up on each device (Little's law)."""
    reading = readings_of(MACHINES[name])[END]
    for disk, counts in reading.blocks.items():
        times = counts.read_time + counts.write_time
        assert times <= counts.weighted + 1e-6, disk
        assert counts.busy <= END
        assert counts.busy <= counts.weighted + 1e-6
    started = sum(counts.started for counts in reading.subchannels.values())
    samples = sum(counts.samples for counts in reading.subchannels.values())
    done = sum(reading.blocks[number].reads + reading.blocks[number].writes for number in reading.cache)
    assert samples == done
    in_flight = sum(reading.blocks[number].in_flight for number in reading.cache)
    assert samples <= started <= done + in_flight
    for measured in reading.subchannels.values():
        assert measured.connect + measured.pending + measured.disconnect + measured.queued <= END + 1e-6


def test_an_lcu_does_not_exceed_its_bandwidth_and_reaches_it() -> None:
    """Of 40 MB/s, with as many requests as there may be."""
    blocks = readings_of(MACHINES["full-128k-16-aliases"])[END].blocks
    kib = sum(counts.kib_read for number, counts in blocks.items() if number.startswith("80"))
    assert kib * 1024 / END / 1e6 == pytest.approx(40, rel=0.02)


def mean(reading: Reading, of: str, lcu: str = "") -> float:
    """Return the mean of a time over the subchannels of an LCU, or of all, in ms."""
    counts = [c for number, c in reading.subchannels.items() if number.startswith(lcu)]
    total: float = sum(getattr(c, of) for c in counts)
    return 1000 * total / sum(c.samples for c in counts)


@pytest.mark.parametrize(
    ("kind", "waits", "calm_one"), [("escon", "disconnect", "connect"), ("ficon", "connect", "disconnect")]
)
def test_the_wait_for_a_path_is_where_the_kind_of_path_has_it(kind: str, waits: str, calm_one: str) -> None:
    """ESCON reconnects after a disconnection; FICON sends in pieces while it is connected."""
    four = units("8000", "8100", mbps=4000, hit=1.0)
    paths = Paths((0x50,), mbps=20, kind="escon" if kind == "escon" else "ficon")
    load = Program("batch", volumes(*four), threads=12, kib=64, reads=1.0)
    reading = last(box("one path", NOBODY, four, load, paths=paths))
    assert reading.channels[0x50].busy / END > 0.99
    assert mean(reading, waits) > 2 * mean(reading, calm_one)


def test_distance_is_pending_once_for_reads_and_again_for_writes_connected() -> None:
    """100 km are a millisecond there and back."""
    near, far = unit("8000", hit=1.0), unit("9000", paths="far", hit=1.0)
    groups = (("paths", Paths((0x50,))), ("far", Paths((0x60,), km=100)))
    readings = [
        last(
            box(
                "far",
                NOBODY,
                (near, far),
                Program("oltp", volumes(near, far), rate=50, kib=4, reads=reads),
                groups=groups,
            )
        )
        for reads in (1.0, 0.0)
    ]

    def more(reading: Reading, of: str) -> float:
        return mean(reading, of, "90") - mean(reading, of, "80")

    assert more(readings[0], "pending") == pytest.approx(1.0, abs=0.02)
    assert more(readings[0], "connect") == pytest.approx(0.0, abs=0.02)
    assert more(readings[1], "connect") == pytest.approx(1.0, abs=0.05)


def test_aliases_that_are_not_used_change_nothing() -> None:
    """The same requests at the same times."""
    program = Program("oltp", volumes(unit("8000")), threads=8, kib=8)
    without, unused = (
        last(box("aliases", NOBODY, (unit("8000", hit=0.0, aliases=n, aliases_used=False),), program))
        for n in (0, 8)
    )
    assert without.blocks == unused.blocks
    assert all(not counts.started for number, counts in unused.subchannels.items() if number > "80f0")


def test_a_lost_path_carries_nothing_and_one_that_came_back_does() -> None:
    """Requests on the way when it is lost are answered."""
    readings = readings_of(MACHINES["fcp-path-came-back"])
    done = [
        reading.blocks["mpatha/fc10"].reads + reading.blocks["mpatha/fc10"].writes for reading in readings
    ]
    assert done[25] == done[41]
    assert done[20] < done[25] < done[60]
    assert readings[30].lost_adapters == {"fc10"}
    assert not readings[50].lost_adapters


def test_processors_that_are_withheld_take_longer() -> None:
    """Stolen time is what programs would have used, and no program has it."""
    tasks = readings_of(MACHINES["processors-withheld"])[END].tasks
    assert tasks.stolen == pytest.approx(tasks.used)
    assert tasks.used + tasks.stolen == pytest.approx(2 * END, rel=0.02)


@pytest.mark.parametrize("name", ["healthy-oltp", "fcp-failover"])
def test_a_machine_is_always_the_same(name: str) -> None:
    """Its chances have a seed."""
    assert simulate(MACHINES[name]) == readings_of(MACHINES[name])


def test_names_and_truths_are_well_formed() -> None:
    """Each machine has a sentence, is called once, and has parts of all the names that it refers to."""
    assert len(MACHINES) >= 40
    assert len({machine.truth.says for machine in MACHINES.values() if machine.truth.first}) >= 35
    for name, machine in MACHINES.items():
        assert name.startswith("healthy") is not bool(machine.truth.first)
        SimulatedMachine(machine).env.run(until=simpy.Environment().now + 0.1)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.whole_days) for name in HEALTHY]
)
def test_what_is_said_to_be_healthy_is(name: str) -> None:
    """From inside the simulator: hardly a request is at any disk on average."""
    begin, end = (readings_of(MACHINES[name])[second] for second in (END - 10, END))
    for disk, counts in end.blocks.items():
        assert counts.weighted - begin.blocks[disk].weighted < 10 * 0.5, disk
