"""The run of a scenario: what is counted in each of its intervals.

A phase is simulated for some intervals.  When it lasts longer, the others are drawn from these, so that a
day costs as much as some minutes of each of its phases.  What is drawn was simulated as a whole interval, so
all laws hold in it; only what ties it to the one before, such as a queue that grows, is lost.
"""

from __future__ import annotations

import random
from bisect import bisect
from functools import partial
from operator import sub
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from zmon.base.sizes import SECTOR
from zmon.lab.dice import Dice
from zmon.lab.engine import LAST, Engine
from zmon.lab.fault_engine import FaultEngine, has_faults
from zmon.lab.guest_engine import GuestEngine
from zmon.lab.model import is_limited

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.lab.engine_state import BlockState, DiskState, GuestCounts
    from zmon.lab.model import Scenario

MICROSECONDS = 1_000_000

WARMING: Final = 64
"""Parts of the time before a phase is counted; a first look runs one, then each time as long as before."""
TELLING: Final = 2_000
"""Events that say how many there will be."""
LOOKED: Final = 16_000
"""Events of a first look."""
SHORT: Final = 60_000
"""Events of an interval, with those that come before it, which need no first look: a quarter of a second."""


class SubchannelCounts(NamedTuple):
    """What one subchannel did: times in ns."""

    device: int
    starts: int
    pending: int
    disconnect: int
    connect: int


class BlockCounts(NamedTuple):
    """What the block layer counts of a device: times in ns."""

    reads: int
    sectors_read: int
    read_ns: int
    writes: int
    sectors_written: int
    write_ns: int
    busy_ns: int
    weighted_ns: int
    in_flight: int


class VolumeCounts(NamedTuple):
    """What one disk did."""

    disk: int
    block: BlockCounts
    cache_reads: int
    cache_hits: int
    cache_writes: int
    cache_delayed: int
    aliased: int
    """Requests that an alias did."""
    histograms: tuple[tuple[tuple[int, int], ...], ...]
    """Sizes, times, service, waits, requests found before it: (bucket, how many) of each that has some."""


class RouteCounts(NamedTuple):
    """What one path to a disk did, where Linux chooses the path."""

    disk: int
    path: int
    block: BlockCounts


class PathCounts(NamedTuple):
    """What one channel path did."""

    group: int
    path: int
    busy_ns: int
    bytes: int
    transfers: int


class UnitCounts(NamedTuple):
    """What a unit asked of one disk, or of a logical volume, whose number is below 0: bytes and requests."""

    unit: str
    disk: int
    read_bytes: int
    write_bytes: int
    reads: int
    writes: int


class IntervalCounts(NamedTuple):
    """All that is counted in one interval."""

    started: tuple[SubchannelCounts, ...]
    answered: tuple[VolumeCounts, ...]
    carried: tuple[PathCounts, ...]
    worked_ns: tuple[int, ...]
    """Of each control unit, the time of service that was asked for and given."""
    computing_ns: int
    counted: tuple[tuple[str, int, int], ...]
    """What is counted by name: how many, and their time in ns."""
    fetched: tuple[float, ...]
    """Of each control unit, the requests of its arrays."""
    guest: GuestCounts
    """What happened to Linux itself."""
    routed: tuple[RouteCounts, ...] = ()
    """Of each disk and path where Linux chooses the path."""
    mapped: tuple[BlockCounts, ...] = ()
    """Of each logical volume."""
    asked: tuple[UnitCounts, ...] = ()
    """Of each unit and disk."""
    unit_ns: tuple[tuple[str, int], ...] = ()
    """The processor time of each unit."""


class FirstLook(NamedTuple):
    """What is counted in a short time before a phase is counted; its queues may still grow."""

    counts: IntervalCounts
    seconds: float


class Run(Protocol):
    """The intervals of a phase, simulated when they are first asked for."""

    def first(self, count: int | None = None) -> list[IntervalCounts]:
        """Return at least the first `count` intervals, as far as there are; by default all."""

    def first_look(self, count: int) -> FirstLook | None:
        """Return what is counted soon, once; None where the first `count` intervals are simulated as soon."""


class PhaseRun:
    """The simulation of one phase, which begins without anything of the phase before."""

    def __init__(self, plan: Scenario, phase: int, most: int) -> None:
        """Simulate nothing yet, and later `most` intervals."""
        self._plan = plan
        self.phase = phase
        self._most = most
        self._engine: Engine | None = None
        self._intervals: list[IntervalCounts] = []
        self._lock = Lock()

    def first(self, count: int | None = None) -> list[IntervalCounts]:
        """Return at least the first `count` intervals, as far as there are; by default all."""
        wanted = self._most if count is None else min(count, self._most)
        with self._lock:
            while len(self._intervals) < wanted:
                engine = self._engine = self._engine or engine_of(self._plan, self.phase)
                self._warm(engine)
                self._intervals.append(_counted_in(engine, self._plan.step * MICROSECONDS))
            if len(self._intervals) == self._most:
                self._engine = None
        return self._intervals

    def _warm(self, engine: Engine) -> None:
        """Run an engine up to the time from which on it is counted."""
        whole = self._plan.warm * MICROSECONDS
        while engine.now < whole:
            engine.run(engine.now or whole)  # after a first look it doubles, so that it ends there exactly

    def first_look(self, count: int) -> FirstLook | None:
        """Return what is counted soon, once; None where the first `count` intervals are simulated as soon.

        It is the later half of what has been simulated by then, all of it before the phase is counted.  So
        nothing is simulated twice, and no interval becomes another one.
        """
        whole = self._plan.warm * MICROSECONDS
        with self._lock:
            if self._intervals or self._engine is not None or not whole:
                return None
            engine = self._engine = engine_of(self._plan, self.phase)
            events = 0
            while events < LOOKED and engine.now < whole:
                length = engine.now or whole / WARMING
                counts = _counted_in(engine, length)
                events = engine.events()
                many = events * (whole + count * self._plan.step * MICROSECONDS) / engine.now
                if many <= SHORT and (events >= TELLING or engine.now >= whole):
                    return None
        return FirstLook(counts, length / MICROSECONDS)


class Simulation:
    """The intervals of a scenario, simulated when they are first asked for."""

    def __init__(self, plan: Scenario, run: Callable[[int, int], Run] | None = None) -> None:
        """Lay the phases one after the other; `run` makes one of its number and its most intervals."""
        self.plan = plan
        self._ends = plan.phase_ends()
        lengths = map(sub, self._ends, [0, *self._ends])
        made: Callable[[int, int], Run] = run or partial(PhaseRun, plan)
        self._runs = [made(phase, min(plan.drawn, count)) for phase, count in enumerate(lengths)]

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def phase(self, number: int) -> int:
        """Return in which phase an interval is.

        Raises:
            IndexError: the scenario is over.
        """
        if not 0 <= number < len(self):
            raise IndexError(f"{self.plan.name} has {len(self)} intervals, no {number}")
        return bisect(self._ends, number)

    def interval(self, number: int) -> IntervalCounts:
        """Return what is counted in an interval, the first being 0.

        Only its phase is simulated, and only up to the interval that it repeats.

        Raises:
            IndexError: the scenario is over.
        """
        phase, place = self._place(number)
        return self._runs[phase].first(place + 1)[place]

    def first_look(self, number: int) -> FirstLook | None:
        """Return what is counted soon of the phase of an interval; None where the interval itself is soon.

        Raises:
            IndexError: the scenario is over.
        """
        phase, place = self._place(number)
        return self._runs[phase].first_look(place + 1)

    def _place(self, number: int) -> tuple[int, int]:
        """Return in which phase an interval is, and which of its simulated intervals it is."""
        phase = self.phase(number)
        place = number - (self._ends[phase - 1] if phase else 0)
        if place >= self.plan.drawn:
            chance = random.Random(f"{self.plan.seed} {phase} {place}")  # noqa: S311 - it must be repeatable
            place = int(chance.random() * self.plan.drawn)
        return phase, place

    def simulated(self, phase: int) -> list[IntervalCounts]:
        """Return the intervals of a phase that are simulated and do not repeat others."""
        return self._runs[phase].first()


def engine_of(plan: Scenario, phase: int) -> Engine:
    """Return the engine of a phase: one that can do what the machine needs then, and not more."""
    dice = Dice(plan.seed * 1009 + phase)
    machine, loads = plan.in_phase(phase), plan.phases[phase].streams
    if is_limited(plan):
        return GuestEngine(machine, loads, dice)
    return (FaultEngine if has_faults(machine.box) else Engine)(machine.box, loads, dice)


def _counted_in(engine: Engine, length: float) -> IntervalCounts:
    """Run an engine for some microseconds, and return what is counted meanwhile."""
    before = [engine.backlog(unit) for unit in engine.units]
    engine.run(length)
    return interval_counts(engine, before)


def interval_counts(engine: Engine, before: list[float]) -> IntervalCounts:
    """Return what an engine has counted; `before` is the backlog of each control unit at the begin."""
    return IntervalCounts(
        tuple(
            SubchannelCounts(
                place, device.starts, _ns(device.pending), _ns(device.disconnect), _ns(device.connect)
            )
            for place, device in enumerate(engine.devices)
            if device.starts or device.connect or device.pending or device.disconnect
        ),
        tuple(_answered(disk) for disk in engine.disks if disk.reads or disk.writes or disk.active),
        tuple(
            PathCounts(place, path, _ns(busy), group.bytes[path], group.transfers[path])
            for place, group in enumerate(engine.groups)
            for path, busy in enumerate(group.busy)
            if busy
        ),
        tuple(
            _ns(unit.work + backlog - engine.backlog(unit))
            for unit, backlog in zip(engine.units, before, strict=True)
        ),
        _ns(engine.computing),
        tuple((name, counted.number, _ns(counted.time)) for name, counted in sorted(engine.counted.items())),
        tuple(unit.fetched for unit in engine.units),
        engine.guest(),
        tuple(
            RouteCounts(disk.number, path, _block(route))
            for disk in engine.disks
            for path, route in enumerate(disk.routes)
        ),
        tuple(map(_block, engine.logical)),
        tuple(UnitCounts(*key, *counts) for key, counts in engine.unit_io.items()),
        tuple((unit, _ns(time)) for unit, time in engine.unit_cpu.items()),
    )


def _block(block: BlockState) -> BlockCounts:
    return BlockCounts(
        block.reads,
        block.read_bytes // SECTOR,
        _ns(block.read_time),
        block.writes,
        block.write_bytes // SECTOR,
        _ns(block.write_time),
        _ns(block.busy),
        _ns(block.integral),
        block.active,
    )


def _answered(disk: DiskState) -> VolumeCounts:
    histograms = (disk.sizes, disk.times, disk.service, disk.waits, disk.queued)
    reads, hits, writes, delayed = disk.cache
    return VolumeCounts(
        disk.number,
        _block(disk),
        reads,
        hits,
        writes,
        delayed,
        disk.aliased,
        tuple(_counted(buckets) for buckets in histograms),
    )


def _counted(buckets: list[int]) -> tuple[tuple[int, int], ...]:
    """Return the buckets of a histogram that count something, the last one with all beyond it."""
    filled = [(place, number) for place, number in enumerate(buckets[:LAST]) if number]
    beyond = sum(buckets[LAST:])
    return (*filled, (LAST, beyond)) if beyond else tuple(filled)


def _ns(microseconds: float) -> int:
    return round(microseconds * 1000)
