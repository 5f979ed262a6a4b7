"""What the engine knows of each part while it simulates: queues, what is worked on, and what is counted."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.lab.model import DiskIo, LoadStep, LogicalVolume, PathGroup, SimulatedLcu

WIDEST: Final = 64
"""Buckets of a histogram while it is counted; the last one of the driver takes all from there on."""
NEVER: Final = float("inf")
NOT_SPENT: Final = (0.0, 0.0, 0.0)
COUNTED: Final = (NEVER, NEVER, NEVER)
"""Stands for times of a request that are counted to its end already."""


class SubchannelState:
    """What one subchannel has counted since the last interval: a base or an alias."""

    __slots__ = ("connect", "disconnect", "pending", "request", "starts")

    def __init__(self) -> None:
        self.request: Request | None = None
        """What it works on."""
        self.starts = 0
        self.pending = self.disconnect = self.connect = 0.0


class BlockState:
    """What the block layer counts of a disk, a path to one where Linux chooses it, or a logical volume."""

    __slots__ = (
        "active", "at", "busy", "integral", "read_bytes", "read_time", "reads", "write_bytes", "write_time",
        "writes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.active = 0
        """Requests in it or beyond."""
        self.at = 0.0
        """Until when `integral` and `busy` are counted."""
        self.clear()

    def clear(self) -> None:
        """Begin to count anew."""
        self.reads = self.writes = self.read_bytes = self.write_bytes = 0
        self.read_time = self.write_time = self.integral = self.busy = 0.0

    def tick(self, now: float) -> None:
        """Count the time since something changed last."""
        if self.active:
            since = now - self.at
            self.integral += since * self.active
            self.busy += since
        self.at = now

    def answer(self, request: Request | LogicalRequest, now: float) -> None:
        """Count a request that has ended; over a path it began when its turn came."""
        self.tick(now)
        self.active -= 1
        time = now - request.started
        if request.read:
            self.reads += 1
            self.read_bytes += request.size
            self.read_time += time
        else:
            self.writes += 1
            self.write_bytes += request.size
            self.write_time += time


class LogicalRequest(NamedTuple):
    """A request to a logical volume, which becomes one or more to disks."""

    customer: Customer
    step: DiskIo
    started: float
    """When it was asked for."""
    read: bool
    size: int


class LogicalState(BlockState):
    """A logical volume at work."""

    __slots__ = ("inside", "queue", "volume")

    def __init__(self, volume: LogicalVolume) -> None:
        super().__init__()
        self.volume = volume
        self.inside = 0
        """Requests that are at the disks."""
        self.queue: deque[LogicalRequest] = deque()
        """Those that wait above them."""


class InTurn:
    """The base and aliases of a volume to which multipath gives requests in turn, each with its own queue."""

    __slots__ = ("devices", "queues", "sent", "turn")

    def __init__(self, devices: list[int], turn: int) -> None:
        self.devices = devices
        self.turn = turn
        self.sent = 0
        self.queues: dict[int, deque[Request]] = {device: deque() for device in devices}

    def next(self) -> int:
        """Return the subchannel of the next request."""
        device = self.devices[self.sent // self.turn % len(self.devices)]
        self.sent += 1
        return device


class DiskState(BlockState):
    """A volume as Linux sees it."""

    __slots__ = (
        "aliased", "base", "cache", "free", "in_turn", "lcu", "number", "queue", "queued", "routes",
        "service", "sizes", "times", "turn", "turns", "usable", "waits",
    )  # fmt: skip

    def __init__(self, number: int, lcu: LcuState, devices: list[int], turn: int = 0) -> None:
        self.number = number
        self.lcu = lcu
        self.base = devices[0]
        self.free = devices[::-1]
        """Its own subchannels that are idle; the base is taken first."""
        self.in_turn = InTurn(devices, turn) if turn else None
        group = lcu.paths.group
        usable, adapters = group.usable, len(group.chpids)
        self.routes = [BlockState() for _ in range(adapters * group.ports)] if group.policy != "any" else []
        """Its paths, where Linux and not the channel subsystem chooses one of them: over each adapter to a
        port of the storage, then over each to the next port."""
        self.usable = [route for route in range(len(self.routes)) if route % adapters in usable]
        self.queue: deque[Request] = deque()
        self.turn = self.turns = 0
        super().__init__()

    def route(self, now: float) -> int:
        """Choose the path of the next request, as multipath does."""
        group, usable = self.lcu.paths.group, self.usable
        route = usable[0]
        if group.policy == "multibus":
            if self.turns >= group.turn:
                self.turn, self.turns = (self.turn + 1) % len(usable), 0
            route = usable[self.turn]
            self.turns += 1
        self.routes[route].tick(now)
        self.routes[route].active += 1
        return route

    def clear(self) -> None:
        """Begin to count anew."""
        super().clear()
        self.aliased = 0
        self.cache = [0, 0, 0, 0]
        """Reads, reads that the cache answered, writes, writes that waited for room."""
        for route in self.routes:
            route.clear()
        self.sizes, self.times, self.service, self.waits, self.queued = ([0] * WIDEST for _ in range(5))


class LcuState:
    """A logical control unit at work."""

    __slots__ = (
        "aliases", "destaged", "destaging", "fetched", "free", "inside", "knee", "latency", "lcu", "miss",
        "paths", "ranks", "services", "waiting", "work",
    )  # fmt: skip

    def __init__(self, lcu: SimulatedLcu, paths: PathGroupState, aliases: list[int], ranks: int) -> None:
        self.lcu = lcu
        self.knee, self.latency, self.miss = lcu.knee, lcu.latency, lcu.miss
        self.services: dict[int, float] = {}
        """How long it works on a request of each size, up to its knee."""
        self.paths = paths
        self.aliases = aliases
        """Idle aliases of its pool."""
        self.ranks = [0.0] * ranks
        """When each array is free."""
        self.destaging = [0.0] * ranks
        """The same for writes where non-volatile storage is limited: reads go before them."""
        self.destaged: list[float] = []
        """Ascending, when arrays will be done with the writes in non-volatile storage."""
        self.waiting: deque[DiskState] = deque()
        """Disks with requests for which there was no subchannel."""
        self.free = 0.0
        """When it will have served all that is there."""
        self.inside = 0
        self.work = 0.0
        """Time of service that was asked for since the last interval."""
        self.fetched = 0.0
        """Requests of the arrays since the last interval."""

    def service(self, size: int) -> float:
        """Return how long it works on a request, up to its knee, and keep that."""
        service = self.services[size] = self.lcu.service(size)
        return service


class PathGroupState:
    """Channel paths at work."""

    __slots__ = (
        "busy", "bytes", "group", "idle", "queue", "queues", "since", "times", "transferring", "transfers",
    )  # fmt: skip

    def __init__(self, group: PathGroup) -> None:
        self.group = group
        paths = len(group.chpids)
        self.idle = group.usable[::-1]
        self.queue: deque[Request] = deque()
        self.queues: list[deque[Request]] = [deque() for _ in range(paths)]
        """Of each path, where requests are bound to one."""
        self.transferring = [False] * paths
        self.since = [0.0] * paths
        self.times: dict[int, float] = {}
        """How long a path carries a request of each size."""
        self.clear()

    def time(self, size: int) -> float:
        """Return how long a path carries a request, and keep that."""
        time = self.times[size] = self.group.transfer(size)
        return time

    def clear(self) -> None:
        """Begin to count anew."""
        paths = len(self.group.chpids)
        self.busy, self.bytes, self.transfers = [0.0] * paths, [0] * paths, [0] * paths


class Request:
    """One request on its way."""

    __slots__ = (
        "begun", "customer", "device", "disk", "finish", "follows", "hit", "issued", "path", "pooled", "read",
        "ready", "route", "size", "spent", "started",
    )  # fmt: skip

    device: int
    path: int
    route: int
    """Its path to the disk, where Linux chooses it."""
    started: float
    """When its subchannel was started."""
    ready: float
    """When its bytes were there."""
    finish: float
    """When the control unit is done with it."""

    def __init__(  # noqa: PLR0913, PLR0917 - made for each request, and keywords cost time
        self, customer: Customer, disk: DiskState, size: int, now: float, read: bool, hit: bool, follows: bool
    ) -> None:
        self.customer = customer
        self.disk = disk
        self.size = size
        self.issued = now
        """When Linux got it."""
        self.begun = NEVER
        """When a path began to carry it."""
        self.read = read
        self.hit = hit
        self.follows = follows
        """Whether its data lie behind those of the request before it: the array need not look for them."""
        self.pooled = False
        """Whether its subchannel is a lent alias."""
        self.spent = NOT_SPENT
        """What of its times is counted already, because an interval ended meanwhile."""


class Customer:
    """Somebody who does one step after the other."""

    __slots__ = (
        "above", "asked", "at", "behind", "faults", "marks", "once", "outside", "owed", "owner", "place",
        "round", "stalled", "steps", "tag", "unit", "waiter",
    )  # fmt: skip

    def __init__(
        self, steps: Sequence[LoadStep], *, once: bool = False, outside: bool = False, unit: str = ""
    ) -> None:
        self.steps = steps
        self.unit = unit
        """The control group that does it; empty for none."""
        self.outside = outside
        """Whether he is another guest of z/VM."""
        self.faults = -1
        """How many of the pages that he touches are still to be read; negative when he touches none."""
        self.stalled = False
        """Whether he is counted as waiting for I/O."""
        self.behind: Customer | None = None
        """Who waits for those of his requests for which he does not wait."""
        self.owner: Customer | None = None
        """Whose requests these are, if he does not wait for them."""
        self.above: LogicalRequest | None = None
        """The request to a logical volume that ends with his."""
        self.waiter: Customer | None = None
        """Who wants to go on when this one has his answers."""
        self.once = once
        """Whether he leaves after the last."""
        self.at = 0
        self.round = 0
        self.asked = 0
        """For how many requests he waits."""
        self.marks: dict[str, float] = {}
        self.place = -1
        """The byte of the stripes where he goes on; negative before he began."""
        self.owed = 0.0
        """Processor time for what Linux had to try again; used when he computes next."""
        self.tag = ""


class GuestCounts(NamedTuple):
    """What happened to a Linux in an interval: times in ns, pages."""

    steal_ns: int = 0
    """Of all virtual processors, while they had no real one or waited for a page of CP."""
    paging_ns: int = 0
    """The part of it in which CP read pages."""
    iowait_ns: int = 0
    """Of idle processors, while tasks waited for I/O."""
    swapped_in: int = 0
    swapped_out: int = 0
    cpu_ns: int = 0
    """In which a task waited for a processor."""
    io_ns: int = 0
    """In which a task waited for I/O."""
    io_full_ns: int = 0
    """In which one did, and none used a processor."""
    memory_ns: int = 0
    """In which a task waited for a page that was swapped out."""
    memory_full_ns: int = 0
    running: int = 0
    """Tasks that run or wait for a processor, at the end of the interval."""
    blocked: int = 0
    """Tasks that wait for I/O, at the end of the interval."""


class NamedCount:
    """Something that people count: how many, and how long they took."""

    __slots__ = ("number", "time")

    def __init__(self) -> None:
        self.number = 0
        self.time = 0.0
