"""The engine against queues whose answer the textbook knows, within 99.9 % confidence of batch means."""

from __future__ import annotations

from math import factorial, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import pytest

from tests.lab.boxes import aim, box, paths
from zmon.lab.dice import Dice
from zmon.lab.engine import Engine
from zmon.lab.model import Arrivals, Compute, Count, DiskIo, SimulatedLcu, Stream, Think

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.lab.model import Load, StorageBox

BATCHES = 20
STUDENT = 3.883
"""Of 19 degrees of freedom, for 99.9 %."""
KB4 = 4096


def batches(
    machine: StorageBox, loads: Sequence[Load], seconds: float, figure: Callable[[Engine], float]
) -> tuple[float, float]:
    """Return the mean of a figure over batches of so many seconds, and half of its confidence interval."""
    engine = Engine(machine, loads, Dice(11))
    engine.run(seconds * 1e6)
    found = []
    for _ in range(BATCHES):
        engine.run(seconds * 1e6)
        found.append(figure(engine))
    return fmean(found), STUDENT * stdev(found) / sqrt(BATCHES)


def agrees(found: tuple[float, float], theory: float) -> bool:
    """Tell whether theory is within the interval, which must be narrow enough to say something."""
    mean, half = found
    return half < theory * 0.1 and abs(mean - theory) <= half


def time_of(name: str) -> Callable[[Engine], float]:
    """Return what takes the mean time of something."""
    return lambda engine: engine.counted[name].time / engine.counted[name].number


def erlang(rate: float, service: float, servers: int) -> float:
    """Return the mean time in an M/M/c queue."""
    load = rate * service
    busy = load / servers
    tail = load**servers / (factorial(servers) * (1 - busy))
    waits = tail / (sum(load**k / factorial(k) for k in range(servers)) + tail)
    return service + waits * service / (servers * (1 - busy))


@pytest.mark.parametrize("busy", [0.3, 0.6])
def test_mm1(busy: float) -> None:
    """A volume without aliases, whose requests take exponential times, is M/M/1: S / (1 - U)."""
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=0.0, ranks=200, miss=1000.0), pav=0)
    load = Arrivals("open", busy * 1000, (DiskIo(aim(hits=0.0), "x"),))

    assert agrees(batches(machine, [load], 5, time_of("x")), 1000 / (1 - busy))


@pytest.mark.parametrize(("servers", "busy"), [(2, 0.6), (6, 0.7)])
def test_mmc_of_arrays(servers: int, busy: float) -> None:
    """Arrays that read what the cache has not are M/M/c, as Erlang says."""
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=0.0, ranks=servers, miss=2000.0))
    rate = busy * servers / 2000
    load = Arrivals("open", rate * 1e6, (DiskIo(aim(hits=0.0), "x"),))

    assert agrees(batches(machine, [load], 8 / servers, time_of("x")), erlang(rate, 2000, servers))


@pytest.mark.parametrize(("servers", "busy"), [(1, 0.5), (3, 0.6)])
def test_mmc_of_processors(servers: int, busy: float) -> None:
    """Processors are M/M/c as well."""
    rate = busy * servers / 500
    load = Arrivals("open", rate * 1e6, (Count("x"), Compute(500.0), Count("x")))

    mean, half = batches(box(cpus=servers), [load], 1, time_of("x"))

    # each is counted twice, the first time with no time
    assert agrees((2 * mean, 2 * half), erlang(rate, 500, servers))


@pytest.mark.parametrize("busy", [0.3, 0.7])
def test_md1(busy: float) -> None:
    """A control unit serves in constant time, M/D/1: the wait is half of that of M/M/1."""
    service = KB4 / 40
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=0.0, speed=40.0))
    load = Arrivals("open", busy * 1e6 / service, (DiskIo(aim(), "x"),))

    theory = service + busy * service / (2 * (1 - busy))
    assert agrees(batches(machine, [load], 0.25, time_of("x")), theory)


def test_paths_that_carry_in_constant_time_let_wait_about_half_of_what_erlang_says() -> None:
    """M/D/c waits (1 + 1 / c) / 2 to one half as long as M/M/c; six ESCON paths are M/D/6."""
    service = 131072 / 12
    rate = 0.8 * 6 / service
    load = Arrivals("open", rate * 1e6, (DiskIo(aim(size=131072), "x"),))

    mean, half = batches(box(group=paths(6, 12.0)), [load], 6, time_of("x"))

    wait = erlang(rate, service, 6) - service
    assert 0.5 * wait - half < mean - service < 0.6 * wait + half


def mva(customers: int, think: float, demands: Sequence[float]) -> float:
    """Return the throughput of a closed network of single servers by exact mean value analysis."""
    queues = [0.0] * len(demands)
    rate = 0.0
    for number in range(1, customers + 1):
        times = [demand * (1 + queue) for demand, queue in zip(demands, queues, strict=True)]
        rate = number / (think + sum(times))
        queues = [rate * time for time in times]
    return rate


@pytest.mark.parametrize("customers", [1, 4, 30])
def test_closed_network(customers: int) -> None:
    """So many who think, compute and read get what mean value analysis says, far from and at the bound."""
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=0.0, miss=3000.0))
    load = Stream("closed", customers, (Think(20_000.0), Compute(2000.0), DiskIo(aim(hits=0.0), "x")))

    found = batches(machine, [load], 4, lambda engine: engine.counted["x"].number / 4e6)

    assert agrees(found, mva(customers, 20_000, [2000, 3000]))


def test_closed_network_of_volumes() -> None:
    """Ten volumes that are used alike are ten single servers, each visited once in ten times."""
    machine = box(SimulatedLcu("LCU", "7000", 0, latency=0.0, ranks=200, miss=500.0), volumes=10, pav=0)
    load = Stream("closed", 40, (Think(1000.0), DiskIo(aim(*range(10), hits=0.0), "x")))

    found = batches(machine, [load], 0.05, lambda engine: engine.counted["x"].number / 5e4)

    assert agrees(found, mva(40, 1000, [50.0] * 10))
