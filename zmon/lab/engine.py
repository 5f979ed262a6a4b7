"""The simulation: events in the order of time, and the counters that follow.

A request waits in Linux until its volume, or an alias, is free; then it takes its place in the control unit,
which serves one after the other; what is not in the cache is fetched by an array; then a channel path carries
it.  The bytes pass path and control unit at the same time, so the slower of the two decides.  All queues are
first come, first served.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections import deque
from functools import cache
from heapq import heappop, heappush, heapreplace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from zmon.base.sizes import SECTOR
from zmon.lab.dice import BITS, EXPONENTIAL
from zmon.lab.engine_state import (
    NOT_SPENT,
    Customer,
    DiskState,
    GuestCounts,
    LcuState,
    LogicalState,
    NamedCount,
    PathGroupState,
    Request,
    SubchannelState,
)
from zmon.lab.model import Arrivals, Compute, Count, DiskIo, Think

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.lab.dice import Dice
    from zmon.lab.model import Aim, Load, LoadStep, StorageBox

BUCKETS: Final = 32
LAST: Final = BUCKETS - 1
APART: Final = 7919
"""Rounds between customers, so that what they do in one round of many comes at different times."""
UNLIMITED: Final = 1 << 30
"""Writes that non-volatile storage holds where nothing limits it."""


@cache
def bucket(value: float) -> int:
    """Return the place in a histogram of the DASD driver: below 4, then powers of two."""
    return min((int(value) >> 2).bit_length(), LAST)


class Engine:
    """A box under load.

    `run` goes on by one interval; what was counted in it is in `devices`, `disks`, `units`, `groups`,
    `counted` and `computing` until the next.
    """

    def __init__(self, box: StorageBox, loads: Sequence[Load], dice: Dice) -> None:
        """Start at time 0 with all customers at their first step."""
        self.box = box
        self.dice = dice
        self.now = 0.0
        self.groups = [PathGroupState(paths) for paths in box.paths]
        self.devices: list[SubchannelState] = []
        self.units: list[LcuState] = []
        self.disks: list[DiskState] = []
        self.logical: list[LogicalState] = []
        self._place()
        self.counted: dict[str, NamedCount] = {}
        self.computing = 0.0
        """Processor time used since the last interval."""
        self.unit_io: dict[tuple[str, int], list[int]] = {}
        """What units asked of each disk, and of each logical volume, whose numbers are below 0: bytes read,
        bytes written, reads, writes."""
        self.unit_cpu: dict[str, float] = {}
        """Processor time of units."""
        self._cpus = 0
        self._cpu_since = 0.0
        self._runnable: deque[tuple[Customer, float]] = deque()
        self._waiting = 0
        """Tasks that wait for I/O."""
        self._cpu_waits = self._io_waits = self._io_waits_alone = self._iowait = 0.0
        """Time in which a task waited for a processor; for I/O; and none used a processor; of idle ones."""
        self._begin_transfer, self._answer, self._give_back = self._ready, self._end, self._computed
        """Bound once, as there are several events for each request."""
        self._events: list[tuple[float, int, Callable[[Any], None], Any]] = []
        """Time, running number, what is to be done then, and with what."""
        self._order = count(1)
        for load in loads:
            if isinstance(load, Arrivals):
                self._at(self._gap(load), self._arrive, load)
                continue
            for number in range(load.customers):
                customer = Customer(load.steps, outside=load.outside, unit=load.unit)
                customer.round = number * APART
                # streams start at different moments
                self._at(20_000 * self.dice.unit(), self._go_on, customer)

    def _place(self) -> None:
        """Number the subchannels: bases, then their aliases, then those of the pools."""
        box = self.box
        for lcu in box.lcus:
            self.units.append(LcuState(lcu, self.groups[lcu.paths], [], lcu.ranks))
        number = len(box.volumes)
        for place, volume in enumerate(box.volumes):
            own = [place, *range(number, number + volume.pav)]
            number += volume.pav
            disk = DiskState(place, self.units[volume.lcu], own, volume.turn)
            self.disks.append(disk)
            group = disk.lcu.paths.group
            if group.policy == "multibus":  # its disks were used before, and are at different paths
                disk.turn = self.dice.below(len(disk.usable))
                disk.turns = self.dice.below(group.turn)
        for unit, lcu in zip(self.units, box.lcus, strict=True):
            unit.aliases = list(range(number, number + lcu.aliases))
            number += lcu.aliases
        self.devices = [SubchannelState() for _ in range(number)]

    def _at(self, time: float, action: Callable[[Any], None], what: object) -> None:
        heappush(self._events, (time, next(self._order), action, what))

    def run(self, length: float) -> None:
        """Simulate further microseconds, counting anew."""
        self._clear()
        end = self.now + length
        events, pop = self._events, heappop
        while events and events[0][0] < end:
            self.now, _number, action, what = pop(events)
            action(what)
        self.now = end
        self._settle()

    def _clear(self) -> None:
        for device in self.devices:
            device.starts = 0
            device.pending = device.disconnect = device.connect = 0.0
        for disk in self.disks:
            disk.clear()
        for logical in self.logical:
            logical.clear()
        for unit in self.units:
            unit.work = unit.fetched = 0.0
        for group in self.groups:
            group.clear()
        self.counted = {}
        self.computing = 0.0
        self._cpu_waits = self._io_waits = self._io_waits_alone = self._iowait = 0.0
        self.unit_io.clear()
        self.unit_cpu.clear()

    def _settle(self) -> None:
        """Count what goes on up to this moment."""
        for disk in self.disks:
            disk.tick(self.now)
            for route in disk.routes:
                route.tick(self.now)
        for logical in self.logical:
            logical.tick(self.now)
        for device in self.devices:
            if device.request is not None:
                self._spend_on(device, device.request)
        for group in self.groups:
            for path, transferring in enumerate(group.transferring):
                if transferring:
                    group.busy[path] += self.now - group.since[path]
                    group.since[path] = self.now
        self._spend()

    def guest(self) -> GuestCounts:
        """Return what happened to Linux since the last interval."""
        return GuestCounts(
            iowait_ns=int(self._iowait * 1000),
            cpu_ns=int(self._cpu_waits * 1000),
            io_ns=int(self._io_waits * 1000),
            io_full_ns=int(self._io_waits_alone * 1000),
            running=self._cpus + len(self._runnable),
            blocked=self._waiting,
        )

    def events(self) -> int:
        """Return how many events there were or are planned; it takes a running number."""
        return next(self._order)

    def backlog(self, unit: LcuState) -> float:
        """Return the time of service that a control unit has before it."""
        return max(0.0, unit.free - self.now)

    # customers

    def _gap(self, load: Arrivals) -> float:
        return self.dice.exponential(1e6 / load.rate)

    def _arrive(self, load: Arrivals) -> None:
        self._at(self.now + self._gap(load), self._arrive, load)
        self._go_on(Customer(load.steps, once=True, unit=load.unit))

    def _go_on(self, customer: Customer) -> None:  # noqa: C901 - a call for each step would cost a tenth
        if customer.stalled:
            self._wake(customer)
        steps = customer.steps
        while True:
            if customer.at == len(steps):
                if customer.waiter is not None:
                    waiter, customer.waiter = customer.waiter, None
                    self._go_on(waiter)
                if customer.once:
                    return
                customer.at = 0
                customer.round += 1
            step = steps[customer.at]
            customer.at += 1
            if type(step) is DiskIo:
                if customer.round % step.every == 0 and self._waits(customer, step):
                    return
                continue
            if type(step) is Think:
                mean = step.mean
                time = mean if step.constant else mean * EXPONENTIAL[self.dice.bits(BITS)]
                self._at(self.now + time, self._go_on, customer)
                return
            if type(step) is Compute:
                time = step.mean * EXPONENTIAL[self.dice.bits(BITS)] + customer.owed
                customer.owed = 0.0
                if customer.unit:
                    self.unit_cpu[customer.unit] = self.unit_cpu.get(customer.unit, 0.0) + time
                self._compute(customer, time)
                return
            if type(step) is Count:
                self._count(customer, step)
            elif self._other(customer, step):
                return

    def _waits(self, customer: Customer, step: DiskIo) -> bool:
        """Read or write, unless he has to wait before; return whether he waits."""
        if step.waited:
            self._ask_all(customer, step)
            self._stall(customer)
            return True
        behind = customer.behind = customer.behind or Customer((), once=True, unit=customer.unit)
        behind.owner = customer
        if behind.asked:
            customer.at -= 1
            behind.waiter = customer
            return True
        self._ask_all(behind, step)
        return False

    def _other(self, _customer: Customer, step: LoadStep) -> bool:
        """Do a step that only some engines can do; return whether the customer waits for it.

        Raises:
            TypeError: this one cannot.
        """
        raise TypeError(f"{type(step).__name__} needs the engine of a guest")

    def _count(self, customer: Customer, step: Count) -> None:
        self._note(step.name, self.now - customer.marks.get(step.name, self.now))
        customer.marks[step.name] = self.now

    def _note(self, name: str, time: float) -> None:
        counted = self.counted.get(name)
        if counted is None:
            counted = self.counted[name] = NamedCount()
        counted.number += 1
        counted.time += time

    def _stall(self, customer: Customer) -> None:
        """Count a customer as waiting for I/O."""
        self._spend()
        customer.stalled = True
        self._waiting += 1

    def _wake(self, customer: Customer) -> None:
        """Count him no more: he has his answers."""
        self._spend()
        customer.stalled = False
        self._waiting -= 1

    def _spend(self) -> None:
        """Count the time since processors or tasks that wait became more or less."""
        since = self.now - self._cpu_since
        if not since:
            return
        self._cpu_since = self.now
        cpus, waiting = self._cpus, self._waiting
        self.computing += cpus * since
        if self._runnable:
            self._cpu_waits += since
        if waiting:
            self._io_waits += since
            if not cpus:
                self._io_waits_alone += since
            idle = self.box.cpus - cpus
            self._iowait += since * (idle if idle < waiting else waiting)  # noqa: FURB136 - a call costs more

    def _compute(self, customer: Customer, time: float) -> None:
        if self._cpus < self.box.cpus:
            self._spend()
            self._cpus += 1
            heappush(self._events, (self.now + time, next(self._order), self._give_back, customer))
        else:
            self._spend()
            self._runnable.append((customer, time))

    def _computed(self, customer: Customer) -> None:
        self._spend()
        if self._runnable:
            following, time = self._runnable.popleft()
            heappush(self._events, (self.now + time, next(self._order), self._give_back, following))
        else:
            self._cpus -= 1
        self._go_on(customer)

    # requests

    def _ask_all(self, customer: Customer, step: DiskIo) -> None:
        """Ask for the pieces of a step, all at once."""
        customer.tag = step.name
        customer.asked = step.pieces
        if step.stripe:
            self._ask_on(customer, step)
            return
        where = self.dice.unit()
        self._ask(customer, step.aim, where)
        for piece in range(1, step.pieces):
            self._ask(customer, step.aim, (where + piece / step.pieces) % 1.0)

    def _ask_on(self, customer: Customer, step: DiskIo) -> None:
        """Ask for the pieces behind those of the step before, which lie in stripes over the volumes."""
        volumes, stripe = step.aim.volumes, step.stripe
        if customer.place < 0:
            customer.place = self.dice.below(len(volumes)) * stripe
        last = -1
        for _ in range(step.pieces):
            volume = volumes[customer.place // stripe % len(volumes)]
            customer.place += step.aim.size
            self._ask(customer, step.aim, 0.0, volume, follows=volume == last)
            last = volume

    def _ask(
        self, customer: Customer, aim: Aim, where: float, volume: int = -1, *, follows: bool = False
    ) -> None:
        volumes, weights, size, reads, hits = aim
        disk = self.disks[volumes[bisect(weights, where)] if volume < 0 else volume]
        now = self.now
        read = reads >= 1.0 or self.dice.unit() < reads
        hit = hits >= 1.0 or not read or self.dice.unit() < hits
        request = Request(customer, disk, size, now, read, hit, follows)
        if customer.unit:
            self._count_unit(customer.unit, disk.number, size, read=read)
        active = disk.active
        disk.queued[min(LAST, active)] += 1
        if active:
            since = now - disk.at
            disk.integral += since * active
            disk.busy += since
        disk.at = now
        disk.active = active + 1
        if disk.in_turn is not None:
            request.device = disk.in_turn.next()
            if self.devices[request.device].request is None:
                self._start(request, now)
            else:
                disk.in_turn.queues[request.device].append(request)
        elif disk.free:
            request.device = disk.free.pop()
            self._start(request, now)
        elif disk.lcu.aliases:
            request.device, request.pooled = disk.lcu.aliases.pop(), True
            self._start(request, now)
        else:
            disk.queue.append(request)
            if disk.lcu.lcu.aliases:
                disk.lcu.waiting.append(disk)

    def _count_unit(self, unit: str, number: int, size: int, *, read: bool) -> None:
        """Count a request of a unit, as the kernel does when it is submitted."""
        counts = self.unit_io.get((unit, number))
        if counts is None:
            counts = self.unit_io[unit, number] = [0, 0, 0, 0]
        counts[not read] += size
        counts[2 + (not read)] += 1

    def _start(self, request: Request, now: float) -> None:
        """Start a request on a subchannel that is free."""
        disk = request.disk
        unit = disk.lcu
        request.started = now
        if disk.routes:
            request.route = disk.route(now)
            request.path = request.route % len(unit.paths.transferring)
        self.devices[request.device].request = request
        inside = unit.inside
        unit.inside = inside + 1
        if inside > unit.knee:
            service = unit.lcu.service(request.size, inside)
        else:
            service = unit.services.get(request.size) or unit.service(request.size)
        begin = unit.free
        begin = max(begin, now)
        unit.free = finish = request.finish = begin + service
        unit.work += service
        ready = begin
        if not request.hit:
            ready = max(finish, self._array(unit, request, begin, 1.0))
        elif not request.read and unit.miss:
            ready = max(begin, self._write(unit, request, begin))
        request.ready = ready = ready + unit.latency
        if ready > now:
            heappush(self._events, (ready, next(self._order), self._begin_transfer, request))
        else:
            self._ready(request)

    def _array(
        self,
        unit: LcuState,
        request: Request,
        begin: float,
        requests: float,
        ranks: list[float] | None = None,
    ) -> float:
        """Let an array work on requests; return the time when they are done."""
        unit.fetched += requests
        lcu, ranks = unit.lcu, ranks or unit.ranks
        time = lcu.miss * requests * EXPONENTIAL[self.dice.bits(BITS)]
        if lcu.array_speed:
            time = requests * request.size / lcu.array_speed + (0.0 if request.follows else time)
        if lcu.placed:
            rank = self.dice.below(len(ranks))
            ranks[rank] = max(begin, ranks[rank]) + time
            return ranks[rank]
        end = max(begin, ranks[0]) + time
        heapreplace(ranks, end)
        return end

    def _write(self, unit: LcuState, request: Request, begin: float) -> float:
        """Let arrays write; return until when the request waits for room in non-volatile storage.

        Without any it waits for all copies, which are written at once on different arrays.
        """
        lcu = unit.lcu
        if not lcu.nvs:
            return max(self._array(unit, request, begin, 1.0) for _ in range(round(lcu.penalty)))
        if lcu.nvs >= UNLIMITED:
            self._array(unit, request, begin, lcu.penalty)
            return begin
        end = self._array(unit, request, begin, lcu.penalty, unit.destaging)
        waiting = unit.destaged
        del waiting[: bisect(waiting, begin)]
        insort(waiting, end)
        if len(waiting) <= lcu.nvs:
            return begin
        request.disk.cache[3] += 1
        return waiting[-lcu.nvs - 1]

    def _ready(self, request: Request) -> None:
        """Take a path, or wait for one."""
        disk = request.disk
        group = disk.lcu.paths
        if not disk.routes:
            if group.idle:
                self._transfer(request, group, group.idle.pop())
            else:
                group.queue.append(request)
            return
        path = request.path
        if group.transferring[path]:
            if len(group.queues[path]) >= group.group.depth:
                (request.customer.owner or request.customer).owed += group.group.retry
            group.queues[path].append(request)
        else:
            self._transfer(request, group, path)

    def _transfer(self, request: Request, group: PathGroupState, path: int) -> None:
        request.path = path
        request.begun = group.since[path] = now = self.now
        group.transferring[path] = True
        end = now + (group.times.get(request.size) or group.time(request.size))
        end = max(end, request.finish)
        heappush(self._events, (end, next(self._order), self._answer, request))

    def _end(self, request: Request) -> None:
        now = self.now
        disk = request.disk
        unit = disk.lcu
        group = unit.paths
        path = request.path
        group.busy[path] += now - group.since[path]
        group.bytes[path] += request.size
        group.transfers[path] += 1
        group.transferring[path] = False
        self._next_transfer(group, path)
        unit.inside -= 1
        self._answered(request)

    def _answered(self, request: Request) -> None:
        """Let Linux take the answer to a request, and give its subchannel to the next one."""
        now = self.now
        disk = request.disk
        self._account(request, now)
        active = disk.active  # some, as this one was there
        since = now - disk.at
        disk.integral += since * active
        disk.busy += since
        disk.at = now
        disk.active = active - 1
        self._next_start(request, disk, disk.lcu)
        customer = request.customer
        if customer.tag:
            self._note(customer.tag, now - request.issued)
        customer.asked -= 1
        if not customer.asked:
            self._go_on(customer)

    def _next_transfer(self, group: PathGroupState, path: int) -> None:
        if group.group.policy == "any":
            if group.queue:
                self._transfer(group.queue.popleft(), group, path)
            else:
                group.idle.append(path)
        elif group.queues[path]:
            self._transfer(group.queues[path].popleft(), group, path)

    def _next_start(self, request: Request, disk: DiskState, unit: LcuState) -> None:
        """Give the subchannel that has become free to who waits longest for one like it."""
        if disk.in_turn is not None:
            queue = disk.in_turn.queues[request.device]
            if queue:
                self._start(queue.popleft(), self.now)
            return
        if not request.pooled:
            if disk.queue:
                following = disk.queue.popleft()
                following.device, following.pooled = request.device, False
                self._start(following, self.now)
            else:
                disk.free.append(request.device)
            return
        while unit.waiting:
            waiting = unit.waiting.popleft()
            if waiting.queue:
                following = waiting.queue.popleft()
                following.device, following.pooled = request.device, True
                self._start(following, self.now)
                return
        unit.aliases.append(request.device)

    def _account(self, request: Request, now: float) -> None:
        """Count a request that has ended, as channel subsystem and block layer do."""
        device = self.devices[request.device]
        disk = request.disk
        device.request = None
        if disk.routes:
            disk.routes[request.route].answer(request, now)
        device.starts += 1
        started = request.started
        total = now - started
        if request.spent is NOT_SPENT:  # as `_spend_on` does, which takes twice as long
            latency, begun = disk.lcu.latency, request.begun
            pending = min(latency, total) + (begun - request.ready)
            connect = now - begun
            device.pending += pending
            device.disconnect += total - pending - connect
            device.connect += connect
        else:
            self._spend_on(device, request)
        disk.aliased += request.device != disk.base
        issued = request.issued
        time = now - issued
        if request.read:
            disk.reads += 1
            disk.read_bytes += request.size
            disk.read_time += time
            disk.cache[0] += 1
            disk.cache[1] += request.hit
        else:
            disk.writes += 1
            disk.write_bytes += request.size
            disk.write_time += time
            disk.cache[2] += 1
        disk.sizes[bucket(request.size / SECTOR)] += 1
        disk.times[(int(time) >> 2).bit_length()] += 1
        disk.service[(int(total) >> 2).bit_length()] += 1
        disk.waits[(int(started - issued) >> 2).bit_length()] += 1

    def _spend_on(self, device: SubchannelState, request: Request) -> None:
        """Count how a request has spent its time on its subchannel since that was counted last.

        What it takes until it is accepted, and the wait for a path, are pending.  What adds up is the time
        since it was started.
        """
        now, begun, ready = self.now, request.begun, request.ready
        total = now - request.started
        latency = request.disk.lcu.latency
        pending = min(total, latency)
        if begun <= now:
            pending += begun - ready
            connect = now - begun
        else:
            pending += max(0.0, now - ready)
            connect = 0.0
        disconnect = total - pending - connect
        before = request.spent
        request.spent = (pending, disconnect, connect)
        device.pending += pending - before[0]
        device.disconnect += disconnect - before[1]
        device.connect += connect - before[2]
