"""What holds in every interval of every box: nothing is negative, nothing is busier than all of the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lab.boxes import aim
from zmon.lab.dice import Dice
from zmon.lab.engine import Engine
from zmon.lab.model import (
    Arrivals,
    Compute,
    Count,
    DiskIo,
    PathGroup,
    SimulatedLcu,
    SimulatedVolume,
    StorageBox,
    Stream,
    Think,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.lab.engine_state import Request
    from zmon.lab.model import Load, LoadStep

INTERVAL = 150_000.0
INTERVALS = 3
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def boxes(draw: st.DrawFn) -> StorageBox:
    """Draw a small box."""
    groups = tuple(
        PathGroup(
            f"group {number}",
            tuple(f"{number}{path}" for path in range(draw(st.integers(1, 3)))),
            draw(st.sampled_from([5.0, 12.0, 400.0])),
            draw(st.sampled_from([0.0, 80.0])),
            draw(st.sampled_from(["any", "failover", "multibus"])),
            draw(st.integers(1, 20)),
        )
        for number in range(draw(st.integers(1, 2)))
    )
    lcus = tuple(
        SimulatedLcu(
            f"LCU {number}",
            f"7{number}00",
            draw(st.integers(0, len(groups) - 1)),
            speed=draw(st.sampled_from([0.0, 40.0, 400.0])),
            latency=draw(st.sampled_from([0.0, 150.0])),
            overhead=draw(st.sampled_from([0.0, 100.0])),
            ranks=draw(st.integers(1, 3)),
            miss=draw(st.sampled_from([0.0, 4000.0])),
            penalty=draw(st.sampled_from([1.0, 2.0, 4.0])),
            aliases=draw(st.integers(0, 3)),
            knee=draw(st.integers(0, 4)),
            pressure=draw(st.sampled_from([0.0, 0.2])),
        )
        for number in range(draw(st.integers(1, 3)))
    )
    volumes = tuple(
        SimulatedVolume(draw(st.integers(0, len(lcus) - 1)), 0x7000 + number, pav=draw(st.integers(0, 2)))
        for number in range(draw(st.integers(1, 4)))
    )
    return StorageBox(groups, lcus, volumes, draw(st.integers(1, 2)))


@st.composite
def loads(draw: st.DrawFn, volumes: int) -> list[Load]:
    """Draw who uses a box of so many volumes."""
    found: list[Load] = []
    for number in range(draw(st.integers(1, 3))):
        ask = DiskIo(
            aim(
                *range(draw(st.integers(1, volumes))),
                size=draw(st.sampled_from([4096, 8192, 131072])),
                reads=draw(st.sampled_from([0.0, 0.5, 1.0])),
                hits=draw(st.sampled_from([0.0, 0.5, 1.0])),
            ),
            f"load {number}",
            draw(st.integers(1, 5)),
        )
        before: list[LoadStep] = [Think(3000.0), Think(1000.0, constant=True), Compute(500.0)]
        steps = (draw(st.sampled_from(before)), ask, Count("done"))
        kinds: list[Load] = [Stream("closed", 4, steps), Arrivals("open", 200.0, steps)]
        found.append(draw(st.sampled_from(kinds)))
    return found


@st.composite
def engines(draw: st.DrawFn) -> Engine:
    """Draw a box under load."""
    box = draw(boxes())
    return Engine(box, draw(loads(len(box.volumes))), Dice(draw(st.integers(0, 99))))


def in_flight(engine: Engine) -> Iterator[Request]:
    """Yield the requests that Linux has or that are beyond."""
    for device in engine.devices:
        if device.request is not None:
            yield device.request
    for disk in engine.disks:
        yield from disk.queue


@few
@given(engines())
def test_nothing_is_busier_than_all_of_the_time(engine: Engine) -> None:
    """Paths, control units, volumes, subchannels and processors are busy for 0 to 100 % of each interval."""
    for _ in range(INTERVALS):
        before = [engine.backlog(unit) for unit in engine.units]
        engine.run(INTERVAL)
        busy = [time for group in engine.groups for time in group.busy]
        busy += [
            unit.work + backlog - engine.backlog(unit)
            for unit, backlog in zip(engine.units, before, strict=True)
        ]
        busy += [disk.busy for disk in engine.disks]
        busy += [device.pending + device.disconnect + device.connect for device in engine.devices]
        busy.append(engine.computing / engine.box.cpus)

        assert all(-1e-6 <= time <= INTERVAL + 1e-6 for time in busy)


@few
@given(engines())
def test_nothing_is_negative(engine: Engine) -> None:
    """No counter ever goes down, and of each request no part of its time."""
    for _ in range(INTERVALS):
        engine.run(INTERVAL)
        for disk in engine.disks:
            assert (
                min(disk.reads, disk.writes, disk.read_time, disk.write_time, disk.integral, disk.active) >= 0
            )
        for device in engine.devices:
            assert min(device.starts, device.pending, device.disconnect, device.connect) >= -1e-6


@few
@given(engines())
def test_flow_balance(engine: Engine) -> None:
    """What was there and what came is what went and what is there."""
    for _ in range(INTERVALS):
        before = [disk.active for disk in engine.disks]
        engine.run(INTERVAL)
        for was, disk in zip(before, engine.disks, strict=True):
            assert was + sum(disk.queued) == disk.reads + disk.writes + disk.active


@few
@given(engines())
def test_all_counters_count_the_same_requests(engine: Engine) -> None:
    """Block layer, channel subsystem, cache, paths and histograms agree on how many there were."""
    for _ in range(INTERVALS):
        engine.run(INTERVAL)
        done = sum(disk.reads + disk.writes for disk in engine.disks)
        counts = {
            done,
            sum(device.starts for device in engine.devices),
            sum(sum(group.transfers) for group in engine.groups),
            sum(disk.cache[0] + disk.cache[2] for disk in engine.disks),
            sum(counted.number for name, counted in engine.counted.items() if name != "done"),
            *(sum(sum(getattr(disk, name)) for disk in engine.disks)
              for name in ("sizes", "times", "service", "waits")),
        }  # fmt: skip

        assert counts == {done}


@few
@given(engines())
def test_no_more_hits_than_reads(engine: Engine) -> None:
    """The cache answers no more than was asked for."""
    engine.run(INTERVAL)

    assert all(0 <= disk.cache[1] <= disk.cache[0] == disk.reads for disk in engine.disks)


@few
@given(engines())
def test_utilisation_law(engine: Engine) -> None:
    """The paths are busy for as long as subchannels are connected, in every interval, and carry all bytes."""
    for _ in range(INTERVALS):
        engine.run(INTERVAL)

        assert sum(sum(group.busy) for group in engine.groups) == pytest.approx(
            sum(device.connect for device in engine.devices), abs=1e-3
        )
        assert sum(sum(group.bytes) for group in engine.groups) == sum(
            disk.read_bytes + disk.write_bytes for disk in engine.disks
        )


@few
@given(engines())
def test_littles_law(engine: Engine) -> None:
    """Requests in flight, summed over time, are the times of all requests: N = X R."""
    integral = times = 0.0
    for _ in range(INTERVALS):
        engine.run(INTERVAL)
        integral += sum(disk.integral for disk in engine.disks)
        times += sum(disk.read_time + disk.write_time for disk in engine.disks)

        assert integral == pytest.approx(
            times + sum(engine.now - request.issued for request in in_flight(engine)), abs=1e-3
        )


@few
@given(st.data())
def test_determinism(data: st.DataObject) -> None:
    """The same seed gives identical counters."""
    box = data.draw(boxes())
    load = data.draw(loads(len(box.volumes)))

    def counters() -> list[object]:
        engine = Engine(box, load, Dice(3))
        found: list[object] = []
        for _ in range(INTERVALS):
            engine.run(INTERVAL)
            found += [(disk.reads, disk.read_time, disk.integral, *disk.times) for disk in engine.disks]
            found += [(*group.busy, *group.bytes) for group in engine.groups]
        return found

    assert counters() == counters()
