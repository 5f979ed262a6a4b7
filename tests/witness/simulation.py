"""A discrete event simulation of a machine's I/O, from a program's request to the arm of a disk and back.

A request is counted by the block layer, waits in Linux for a subchannel of its volume (the base's own, or an
alias of the LCU's pool), and is started.  From then on the channel subsystem measures it: *pending* until the
device accepts it (a reserved volume, a busy path, the command's response over the distance), *disconnected*
while it waits inside (for the LCU's bandwidth, an arm, the nonvolatile storage, the remote copy), *connected*
while data are on the path.  What serves requests one after the other in the order of their coming needs no
queue to be simulated: it is free again at a time, and who comes takes it from then.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Protocol

import simpy

from tests.witness.counters import (
    BlockCounter,
    CacheCounts,
    PathCounts,
    Reading,
    SubchannelCounts,
    Tasks,
)
from tests.witness.parts import END

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from tests.witness.parts import (
        Adapter,
        ControlUnit,
        LogicalVolume,
        Lun,
        Machine,
        Paths,
        Processors,
        Program,
        Rank,
        VirtualDisk,
        Volume,
    )

    Course = Generator[simpy.Event, Any, None]
    """What a simulated request or program does: it yields what it waits for."""

CHUNK: Final = 64.0
"""KiB that FICON sends of a request before it goes on with another one, ..."""
MAX_CHUNKS: Final = 4
"""... but in no more pieces, to save time."""
STRIDE: Final = 256.0
"""KiB of sequential writes that are destaged in one operation."""
PAGE: Final = 4.0


class Server:
    """Serves in the order of coming; one, or several at once."""

    def __init__(self, count: int = 1) -> None:
        self._free = [0.0] * count

    def take(self, now: float, service: float) -> float:
        """Return when a request is done that comes now."""
        end = max(now, self._free[0]) + service
        heapq.heapreplace(self._free, end)
        return end

    @property
    def free(self) -> float:
        """When the first place is free."""
        return self._free[0]


class SimulatedDisk(Protocol):
    """Anything that a program reads or writes."""

    def io(self, kib: float, *, write: bool, sequential: bool) -> Course:
        """Do a request, and count it."""


class SimulatedRank:
    """The arms of a RAID rank, and the writes that wait to be destaged."""

    def __init__(self, env: simpy.Environment, rank: Rank, chance: random.Random) -> None:
        self._env = env
        self._rank = rank
        self._chance = chance
        self._arms = [Server() for _ in range(rank.arms)]
        self._ahead: deque[tuple[simpy.Event, float]] = deque()
        self._destaging = 0
        if rank.foreign:
            env.process(self._foreign())

    def operate(self) -> float:
        """Return the time until an operation on some arm is done that comes now."""
        now = self._env.now
        service = self._chance.expovariate(1 / self._rank.seek)
        return self._chance.choice(self._arms).take(now, service) - now

    def destage(self, kib: float, *, sequential: bool) -> simpy.Event:
        """Queue a write, which is written when arms are there for it; return the event of its end."""
        done = self._env.event()
        operations = kib / STRIDE if sequential else float(self._rank.penalty)
        self._ahead.append((done, operations))
        self._destage_next()
        return done

    def _destage_next(self) -> None:
        while self._ahead and self._destaging < self._rank.arms:
            done, operations = self._ahead.popleft()
            self._destaging += 1
            whole = int(operations) + (self._chance.random() < operations % 1)
            delay = max((self.operate() for _ in range(whole)), default=0.0)
            self._env.process(self._destaged(done, delay))

    def _destaged(self, done: simpy.Event, delay: float) -> Course:
        yield self._env.timeout(delay)
        self._destaging -= 1
        done.succeed()
        self._destage_next()

    def _foreign(self) -> Course:
        while True:
            yield self._env.timeout(self._chance.expovariate(self._rank.foreign))
            self.operate()


class SimulatedPaths:
    """The operational paths of a group: the channel subsystem takes the one that is free first."""

    def __init__(self, paths: Paths) -> None:
        self.parts = paths
        self.servers = {chpid: Server() for chpid in paths.chpids if chpid not in paths.lost}
        self.carried = dict.fromkeys(paths.chpids, (0.0, 0.0, 0.0))

    def choose(self) -> int:
        """Return the path on which a request goes."""
        return min(self.servers, key=lambda chpid: self.servers[chpid].free)

    def seconds(self, kib: float) -> float:
        """Return the time that so much data needs on a path."""
        return kib * 1024 / (self.parts.mbps * 1e6)

    def take(self, chpid: int, now: float, service: float, kib: float = 0.0, *, write: bool = False) -> float:
        """Return when a path has done its service for a request that comes now."""
        busy, read, written = self.carried[chpid]
        self.carried[chpid] = busy + service, read + kib * (not write), written + kib * write
        return self.servers[chpid].take(now, service)


class Subchannel:
    """A base or an alias, which does one request at a time, and its channel measurement."""

    def __init__(self, number: str) -> None:
        self.number = number
        self.is_free = True
        self.started = self.samples = 0
        self.connect = self.pending = self.disconnect = self.queued = self.busy = self.response = 0.0

    def counts(self) -> SubchannelCounts:
        """Return the totals so far."""
        return SubchannelCounts(
            self.started, self.samples, self.connect, self.pending, self.disconnect,
            self.queued, self.busy, self.response,
        )  # fmt: skip


class SimulatedControlUnit:
    """An LCU: its aliases, cache, nonvolatile storage and bandwidth."""

    def __init__(
        self,
        env: simpy.Environment,
        unit: ControlUnit,
        paths: SimulatedPaths,
        ranks: Mapping[str, SimulatedRank],
        chance: random.Random,
    ) -> None:
        self.env = env
        self.parts = unit
        self.paths = paths
        self.chance = chance
        self.inside = Server()
        self.volumes = [SimulatedVolume(self, volume, ranks[volume.rank]) for volume in unit.volumes]
        self.aliases = [Subchannel(alias_number(unit, which)) for which in range(unit.aliases)]
        self._free_aliases = deque(self.aliases if unit.aliases_used else ())
        self._waiting: deque[tuple[SimulatedVolume, simpy.Event]] = deque()
        self._nvs_used = 0
        self._nvs_waiting: deque[simpy.Event] = deque()
        if unit.foreign:
            env.process(self._foreign())

    def start(self, volume: SimulatedVolume) -> Subchannel | simpy.Event:
        """Return a free subchannel for a volume, else the event that brings one."""
        subchannel = volume.base if volume.base.is_free else None
        if subchannel is None and self._free_aliases:
            subchannel = self._free_aliases.popleft()
        if subchannel is None:
            event = self.env.event()
            self._waiting.append((volume, event))
            return event
        subchannel.is_free = False
        return subchannel

    def end(self, volume: SimulatedVolume, subchannel: Subchannel) -> None:
        """Give a subchannel to the request that has waited longest for it."""
        is_base = subchannel is volume.base
        for at, (other, event) in enumerate(self._waiting):
            if other is volume or not is_base:
                del self._waiting[at]
                event.succeed(subchannel)
                return
        subchannel.is_free = True
        if not is_base:
            self._free_aliases.append(subchannel)

    def service(self, kib: float) -> float:
        """Return the time of the LCU's bandwidth that a request takes."""
        return self.parts.overhead + kib * 1024 / (self.parts.mbps * 1e6)

    def room(self) -> simpy.Event | None:
        """Take a place in the nonvolatile storage; return the event that brings one if it is full."""
        if self._nvs_used < self.parts.nvs:
            self._nvs_used += 1
            return None
        event = self.env.event()
        self._nvs_waiting.append(event)
        return event

    def freed(self, _done: simpy.Event) -> None:
        """Give the place of a write that was destaged to the next one."""
        if self._nvs_waiting:
            self._nvs_waiting.popleft().succeed()
        else:
            self._nvs_used -= 1

    def _foreign(self) -> Course:
        while True:
            yield self.env.timeout(self.chance.expovariate(self.parts.foreign))
            self.inside.take(self.env.now, self.service(self.parts.foreign_kib))


def alias_number(unit: ControlUnit, which: int) -> str:
    """Return the device number of an alias: they are numbered down from the end of the LCU."""
    return f"{unit.name[:2]}{0xFF - which:02x}"


class SimulatedVolume:
    """A volume: its base, its cache counts, and the systems that share it."""

    def __init__(self, unit: SimulatedControlUnit, volume: Volume, rank: SimulatedRank) -> None:
        self._unit = unit
        self.parts = volume
        self._rank = rank
        self.base = Subchannel(volume.number)
        self.block = BlockCounter()
        self._reserved_until = 0.0
        self._hit = unit.parts.hit if volume.hit is None else volume.hit
        self._reads = [[0, 0], [0, 0]]
        self._writes = [0, 0]
        self._staged = self._destaged = self._delayed = 0
        if volume.reserved:
            unit.env.process(self._reserve())

    def cache(self) -> CacheCounts:
        """Return what the control unit counts of the volume."""
        (reads, hits), (sequential, sequential_hits) = self._reads
        writes, sequential_writes = self._writes
        return CacheCounts(
            reads, hits, writes, writes, sequential, sequential_hits, sequential_writes,
            self._staged, self._destaged, self._delayed,
        )  # fmt: skip

    def io(self, kib: float, *, write: bool, sequential: bool, merged: int = 0) -> Course:
        """Do a request: see the protocol."""
        env = self._unit.env
        begun = env.now
        self.block.begin(begun)
        subchannel = self._unit.start(self)
        if isinstance(subchannel, simpy.Event):
            subchannel = yield subchannel
        yield from self._operate(subchannel, kib, write=write, sequential=sequential)
        self._unit.end(self, subchannel)
        self.block.finish(env.now, begun, kib, write=write, merged=merged)

    def _operate(self, subchannel: Subchannel, kib: float, *, write: bool, sequential: bool) -> Course:
        """Do the operation of a started subchannel, and measure it."""
        unit, paths, env = self._unit, self._unit.paths, self._unit.env
        started = env.now
        subchannel.started += 1
        if self.parts.hung_at is not None and started >= self.parts.hung_at:
            yield env.event()  # which never comes
        while self._reserved_until > env.now:
            yield env.timeout(self._reserved_until - env.now)
        device_busy = env.now - started
        chpid = paths.choose()
        answered = paths.take(chpid, env.now, paths.parts.setup)
        response = unit.parts.command + paths.parts.km * 1e-5
        yield env.timeout(answered - env.now + response)
        pending = env.now - started
        begun = env.now
        yield from self._inside(kib, write=write, sequential=sequential)
        service = unit.service(kib)
        waits = max(0.0, unit.inside.take(env.now, service) - service - env.now)
        if waits:
            yield env.timeout(waits)
        disconnect, queued = env.now - begun, 0.0
        if unit.parts.queues_itself:
            disconnect, queued = disconnect - waits, waits
        begun = env.now
        if paths.parts.kind == "escon":
            seconds = paths.seconds(kib)
            chpid = paths.choose()
            yield env.timeout(paths.take(chpid, env.now, seconds, kib, write=write) - env.now)
            disconnect += env.now - begun - seconds
            connect = seconds + paths.parts.setup
            pending -= paths.parts.setup
        else:
            pieces = min(MAX_CHUNKS, -int(-kib // CHUNK))
            for _ in range(pieces):
                part = kib / pieces
                done = paths.take(chpid, env.now, paths.seconds(part), part, write=write)
                yield env.timeout(done - env.now)
            left = service + write * paths.parts.km * 1e-5 - (env.now - begun)
            if left > 0:
                yield env.timeout(left)
            connect = env.now - begun
        subchannel.samples += 1
        subchannel.pending += pending
        subchannel.disconnect += disconnect
        subchannel.connect += connect
        subchannel.queued += queued
        subchannel.busy += device_busy
        subchannel.response += response

    def _inside(self, kib: float, *, write: bool, sequential: bool) -> Course:
        """Wait for what cache and disks have to do before data flow."""
        unit = self._unit
        if write:
            self._writes[sequential] += 1
            room = unit.room()
            if room is not None:
                self._delayed += 1
                yield room
            done = self._rank.destage(kib, sequential=sequential)
            assert done.callbacks is not None  # it has not happened yet
            done.callbacks.append(unit.freed)
            self._destaged += 1
            if unit.parts.mirror:
                yield unit.env.timeout(unit.parts.mirror)
            return
        hit = unit.chance.random() < (unit.parts.stages_ahead if sequential else self._hit)
        self._reads[sequential][0] += 1
        self._reads[sequential][1] += hit
        if not hit:
            self._staged += 1
            yield unit.env.timeout(self._rank.operate())

    def _reserve(self) -> Course:
        """Reserve the volume again and again for another system."""
        unit, volume = self._unit, self.parts
        gap = volume.reservation * (1 - volume.reserved) / volume.reserved
        while True:
            yield unit.env.timeout(unit.chance.expovariate(1 / gap))
            self._reserved_until = unit.env.now + volume.reservation
            yield unit.env.timeout(volume.reservation)


class Places:
    """So many requests at once, the others wait in the order of their coming."""

    def __init__(self, env: simpy.Environment, count: int) -> None:
        self._env = env
        self._free = count
        self._waiting: deque[simpy.Event] = deque()

    @property
    def free(self) -> int:
        """How many more there may be."""
        return self._free

    def take(self) -> simpy.Event | None:
        """Take a place; return the event that brings one if there is none."""
        if self._free:
            self._free -= 1
            return None
        event = self._env.event()
        self._waiting.append(event)
        return event

    def give(self) -> None:
        """Give a place back."""
        if self._waiting:
            self._waiting.popleft().succeed()
        else:
            self._free += 1


class SimulatedAdapter:
    """An FCP adapter and its link."""

    def __init__(self, adapter: Adapter) -> None:
        self.parts = adapter
        self.link = Server()

    def is_lost(self, now: float) -> bool:
        """Return whether its link is down."""
        lost, back = self.parts.lost_at, self.parts.back_at
        return lost is not None and lost <= now and (back is None or now < back)


class SimulatedLun:
    """A multipath device and its paths."""

    def __init__(
        self,
        env: simpy.Environment,
        lun: Lun,
        adapters: Mapping[str, SimulatedAdapter],
        chance: random.Random,
    ) -> None:
        self._env = env
        self.parts = lun
        self._adapters = [adapters[number] for number in lun.adapters]
        self._places = [Places(env, lun.depth) for _ in lun.adapters]
        self._pool = Server(lun.servers)
        self._chance = chance
        self._turn = 0
        self.block = BlockCounter()
        self.path_blocks = {number: BlockCounter() for number in lun.adapters}

    def io(self, kib: float, *, write: bool, sequential: bool) -> Course:  # noqa: ARG002 - as the protocol
        """Do a request: see the protocol."""
        env = self._env
        begun = env.now
        self.block.begin(begun)
        which = self._choose()
        place = self._places[which].take()
        if place is not None:
            yield place
        sent = env.now
        adapter = self._adapters[which]
        path = self.path_blocks[adapter.parts.number]
        path.begin(sent)
        service = adapter.parts.latency + kib * 1024 / (adapter.parts.mbps * 1e6)
        yield env.timeout(adapter.link.take(env.now, service) - env.now)
        pool = self._chance.expovariate(1 / self.parts.service)
        yield env.timeout(self._pool.take(env.now, pool) - env.now)
        path.finish(env.now, sent, kib, write=write)
        self._places[which].give()
        self.block.finish(env.now, begun, kib, write=write)

    def _choose(self) -> int:
        """Return the path on which a request goes."""
        now = self._env.now
        usable = [at for at, adapter in enumerate(self._adapters) if not adapter.is_lost(now)]
        if self.parts.policy == "failover":
            return usable[0]
        self._turn += 1
        return usable[self._turn % len(usable)]


class SimulatedVirtualDisk:
    """A virtio disk."""

    def __init__(self, env: simpy.Environment, disk: VirtualDisk, chance: random.Random) -> None:
        self._env = env
        self._disk = disk
        self._host = Server(disk.servers)
        self._places = Places(env, disk.depth)
        self._chance = chance
        self.block = BlockCounter()

    def io(self, kib: float, *, write: bool, sequential: bool) -> Course:  # noqa: ARG002 - as the protocol
        """Do a request: see the protocol."""
        env = self._env
        begun = env.now
        self.block.begin(begun)
        place = self._places.take()
        if place is not None:
            yield place
        service = self._chance.expovariate(1 / self._disk.service)
        yield env.timeout(self._host.take(env.now, service) - env.now)
        self._places.give()
        self.block.finish(env.now, begun, kib, write=write)


class SimulatedLogicalVolume:
    """A device of the device mapper, which cuts requests into stripes."""

    def __init__(
        self,
        env: simpy.Environment,
        volume: LogicalVolume,
        below: list[SimulatedVolume],
        chance: random.Random,
    ) -> None:
        self._env = env
        self._volume = volume
        self._below = below
        self._chance = chance
        self._thread = Server()
        self.block = BlockCounter()

    def io(self, kib: float, *, write: bool, sequential: bool) -> Course:
        """Do a request: see the protocol.  Stripes that follow one another on a volume are merged."""
        env = self._env
        begun = env.now
        self.block.begin(begun)
        if self._volume.serial:
            yield env.timeout(self._thread.take(env.now, self._volume.serial) - env.now)
        stripes = max(1, -int(-kib // self._volume.stripe_kib))
        first = self._chance.randrange(len(self._below))
        pieces = min(stripes, len(self._below))
        parts = []
        for piece in range(pieces):
            volume = self._below[(first + piece) % len(self._below)]
            merged = -(-(stripes - piece) // pieces) - 1
            course = volume.io(kib / pieces, write=write, sequential=sequential, merged=merged)
            parts.append(course)
        if pieces == 1:
            yield from parts[0]
        else:
            yield env.all_of([env.process(part) for part in parts])
        self.block.finish(env.now, begun, kib, write=write)


class SimulatedProcessors:
    """The processors, which tasks wait for."""

    def __init__(self, env: simpy.Environment, processors: Processors) -> None:
        self._env = env
        self._stolen = processors.stolen
        self._server = Server(processors.count)
        self.tasks = Tasks(processors.count)

    def run(self, seconds: float) -> Course:
        """Compute for so long."""
        env, tasks = self._env, self.tasks
        lasts = seconds / (1 - self._stolen)
        waits = self._server.take(env.now, lasts) - lasts - env.now
        if waits > 1e-9:
            tasks.until(env.now)
            tasks.waiting += 1
            yield env.timeout(waits)
            tasks.until(env.now)
            tasks.waiting -= 1
            tasks.run_delay += waits
        tasks.until(env.now)
        tasks.running += 1
        yield env.timeout(lasts)
        tasks.until(env.now)
        tasks.running -= 1
        tasks.used += seconds
        tasks.stolen += lasts - seconds


class SimulatedMachine:
    """A machine at work."""

    def __init__(self, machine: Machine) -> None:
        self.env = simpy.Environment()
        self._chance = chance = random.Random(f"{machine.name} {machine.seed}")  # noqa: S311 - no secret
        env = self.env
        self.processors = SimulatedProcessors(env, machine.processors)
        self.paths = {name: SimulatedPaths(paths) for name, paths in machine.paths}
        ranks = {rank.name: SimulatedRank(env, rank, chance) for rank in machine.ranks}
        self.control_units = [
            SimulatedControlUnit(env, unit, self.paths[unit.paths], ranks, chance)
            for unit in machine.control_units
        ]
        self.volumes = {volume.parts.number: volume for unit in self.control_units for volume in unit.volumes}
        self.adapters = {adapter.number: SimulatedAdapter(adapter) for adapter in machine.adapters}
        self.luns = {lun.name: SimulatedLun(env, lun, self.adapters, chance) for lun in machine.luns}
        self.virtual_disks = {
            disk.name: SimulatedVirtualDisk(env, disk, chance) for disk in machine.virtual_disks
        }
        self.logical_volumes = {
            volume.name: SimulatedLogicalVolume(
                env, volume, [self.volumes[number] for number in volume.volumes], chance
            )
            for volume in machine.logical_volumes
        }
        self._disks: dict[str, SimulatedDisk] = {
            **self.volumes, **self.luns, **self.virtual_disks, **self.logical_volumes
        }  # fmt: skip
        for program in machine.programs:
            if program.threads:
                for _ in range(program.threads):
                    env.process(self._thread(program))
            else:
                env.process(self._arrivals(program))

    def readings(self, end: int = END) -> list[Reading]:
        """Run the machine, and return what its counters say once a second, from 0 to the end."""
        readings = []
        for second in range(end + 1):
            if second:
                self.env.run(until=second)
            readings.append(self._reading())
        return readings

    def _reading(self) -> Reading:
        now = self.env.now
        blocks = {
            name: disk.block.counts(now)
            for disks in (self.volumes, self.luns, self.virtual_disks, self.logical_volumes)
            for name, disk in disks.items()
        }
        for name, lun in self.luns.items():
            blocks |= {f"{name}/{path}": block.counts(now) for path, block in lun.path_blocks.items()}
        subchannels = [volume.base for volume in self.volumes.values()]
        subchannels += [alias for unit in self.control_units for alias in unit.aliases]
        return Reading(
            now,
            blocks,
            {subchannel.number: subchannel.counts() for subchannel in subchannels},
            {number: volume.cache() for number, volume in self.volumes.items()},
            {
                chpid: PathCounts(*carried)
                for paths in self.paths.values()
                for chpid, carried in paths.carried.items()
            },
            self.processors.tasks.counts(now),
            frozenset(number for number, adapter in self.adapters.items() if adapter.is_lost(now)),
        )

    def _thread(self, program: Program) -> Course:
        """Do one request after the other."""
        env, chance = self.env, self._chance
        yield env.timeout(program.begin + chance.random() * (program.think + 0.01))
        while env.now < program.end:
            if program.think:
                yield env.timeout(chance.expovariate(1 / program.think))
            yield from self._request(program)

    def _arrivals(self, program: Program) -> Course:
        """Send requests at random times, whether or not the earlier ones were answered."""
        env, chance = self.env, self._chance
        yield env.timeout(program.begin)
        while env.now < program.end:
            yield env.timeout(chance.expovariate(program.rate / program.batch))
            for _ in range(program.batch):
                env.process(self._request(program))

    def _request(self, program: Program) -> Course:
        env, chance, tasks = self.env, self._chance, self.processors.tasks
        if program.cpu:
            yield from self.processors.run(chance.expovariate(1 / program.cpu))
        write = chance.random() >= program.reads
        disk = self._disks[chance.choice(program.on)]
        tasks.until(env.now)
        tasks.blocked += 1
        if program.swaps:
            if write:
                tasks.pages_out += program.kib / PAGE
            else:
                tasks.pages_in += program.kib / PAGE
                tasks.faults += 1
            tasks.paging += 1
        yield from disk.io(program.kib, write=write, sequential=program.sequential)
        tasks.until(env.now)
        tasks.blocked -= 1
        tasks.paging -= program.swaps


def simulate(machine: Machine) -> list[Reading]:
    """Return what the counters of a machine say in each second of its simulated minute."""
    return SimulatedMachine(machine).readings()
