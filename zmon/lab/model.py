"""What is simulated: the storage box, the load in each phase, and the figures that are expected.

Times are microseconds, sizes bytes, speeds bytes per microsecond, which is MB/s.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Value


class PathGroup(NamedTuple):
    """Channel paths that several control units share, or the paths to the disks of an FCP adapter."""

    name: str
    chpids: tuple[str, ...]
    speed: float
    """Of each of them."""
    overhead: float = 0.0
    """Of each transfer, beside its bytes."""
    policy: str = "any"
    """`any`: the first that is free, as a channel subsystem does; `failover`: always the first;
    `multibus`: each for `turn` requests, then the next."""
    turn: int = 1
    code: int = 0x1B
    """Type of channel path, as the kernel has it: 05 is ESCON, 1B FICON, 25 FCP."""
    command: float = 0.0
    """Of each command of a channel program, beside its bytes."""
    record: int = 4096
    """Bytes that one command reads or writes: a block, or a track where the storage can do that."""
    hpf: bool = False
    """Whether the whole channel program is one command (transport mode)."""
    depth: int = 1 << 30
    """Requests that may wait for one path; Linux tries again with a further one."""
    retry: float = 0.0
    """Processor time that this costs it."""
    ports: int = 1
    """FCP: ports of the storage that each path's adapter reaches; each of them is a path to each disk."""
    lost: tuple[int, ...] = ()
    """Places of those whose link is down."""
    offline: tuple[int, ...] = ()
    """Places of those that an administrator took away."""
    slow: tuple[float, ...] = ()
    """Of each path, so many times as long a request over it takes until it is accepted; empty: all alike."""

    @property
    def usable(self) -> list[int]:
        """Return the places of the paths that carry requests."""
        return [
            place for place in range(len(self.chpids)) if place not in self.lost and place not in self.offline
        ]

    def transfer(self, size: int) -> float:
        """Return how long a path carries a request."""
        time = self.overhead + size / self.speed
        return time + self.command * self.commands(size) if self.command else time

    def commands(self, size: int) -> int:
        """Return the commands of a channel program: define extent, locate record, and one for each record."""
        return 1 if self.hpf else 2 - -size // self.record


class SimulatedLcu(NamedTuple):
    """A logical control unit: all that its volumes read and write goes through it, one after the other."""

    name: str
    ssid: str
    paths: int
    """Which of the path groups leads to it."""
    speed: float = 0.0
    """0: no limit."""
    latency: float = 150.0
    """From the start of a request until it is accepted, when nothing is in its way; counted as pending."""
    overhead: float = 0.0
    """Of each request, beside its bytes."""
    ranks: int = 1
    """Arrays behind it that read what is not in the cache, each one request at a time."""
    miss: float = 0.0
    """Mean time of a request in an array."""
    penalty: float = 1.0
    """Requests of the arrays for each write."""
    aliases: int = 0
    """HyperPAV aliases, lent to any of its volumes."""
    knee: int = 1 << 30
    """Requests at once from which on they hinder each other."""
    pressure: float = 0.0
    """Part of the overhead that each request beyond the knee adds."""
    side: str = ""
    placed: bool = False
    """Whether the data of a request lie on a certain array; else any that is free serves it."""
    nvs: int = 1 << 30
    """Writes that non-volatile storage holds; the next one waits for an array.  0: each waits for its own."""
    array_speed: float = 0.0
    """Of an array, beside `miss`, which is then the time to find the place; 0: no limit."""
    mirror: float = 0.0
    """Until a write is on a remote box too; disconnected."""

    def service(self, size: int, inside: int = 0) -> float:
        """Return how long it works on a request beside `others`."""
        overhead = self.overhead
        if inside > self.knee:
            overhead += overhead * self.pressure * (inside - self.knee)
        return overhead + (size / self.speed if self.speed else 0.0)


class SimulatedVolume(NamedTuple):
    """One disk of the simulated Linux."""

    lcu: int
    devno: int
    cylinders: int = 3338
    pav: int = 0
    """Static aliases."""
    turn: int = 0
    """Requests that multipath gives to the base or an alias, busy or not, before it goes to the next
    (rr_min_io); 0: a request takes any that is free."""
    hung: bool = False
    """Whether no request of it ever ends."""


class LogicalVolume(NamedTuple):
    """A device that LVM makes of equal parts of some volumes."""

    name: str
    volumes: tuple[int, ...]
    stripe: int
    """Bytes that lie together on one of them; 0 where there is one only."""
    size: int
    depth: int = 0
    """Requests that it passes to the disks at once; others wait above them.  0: all."""
    suspended: bool = False
    """Whether the device mapper holds back all its requests."""


class StorageBox(NamedTuple):
    """All of it."""

    paths: tuple[PathGroup, ...]
    lcus: tuple[SimulatedLcu, ...]
    volumes: tuple[SimulatedVolume, ...]
    cpus: int = 2
    serial: str = "7500000000LAB1"
    logical: tuple[LogicalVolume, ...] = ()


class Aim(NamedTuple):
    """Where the requests of a step go."""

    volumes: tuple[int, ...]
    weights: tuple[float, ...]
    """Ascending sums up to 1."""
    size: int
    reads: float = 1.0
    """Part of the requests that read."""
    hits: float = 1.0
    """Part of the reads that the cache answers; writes go into non-volatile storage."""


class Think(NamedTuple):
    """Wait, for a time whose distribution is exponential, or always the same."""

    mean: float
    constant: bool = False


class Compute(NamedTuple):
    """Use a processor."""

    mean: float


class DiskIo(NamedTuple):
    """Read or write, and wait for the answer."""

    aim: Aim
    name: str = ""
    """Under which the time of the answer is counted, such as `log write`; empty for none."""
    pieces: int = 1
    """Requests at once, on volumes one after the other as stripes lie; all are waited for."""
    stripe: int = 0
    """Bytes of a stripe when a customer reads or writes on and on; 0: each step begins anywhere."""
    every: int = 1
    """It is done in one round of so many of a customer."""
    waited: bool = True
    """False: the customer goes on meanwhile, as a database while its writer writes back what has changed.
    He waits before the next such step if this one is not done by then, so that no more than one goes on."""
    logical: int = -1
    """Place of the logical volume that it goes to; negative: it goes to volumes."""
    split: int = 1
    """Requests to disks that a request to a logical volume becomes, each of the size that `aim` has."""


class Count(NamedTuple):
    """Count one more of something, such as `transaction`, with the time since it was counted last."""

    name: str


class Touch(NamedTuple):
    """Use pages of memory; those that are not there are read."""

    pages: int


LoadStep = Think | Compute | DiskIo | Count | Touch


class Stream(NamedTuple):
    """So many customers who do the same steps over and over."""

    name: str
    customers: int
    steps: tuple[LoadStep, ...]
    outside: bool = False
    """Whether these are other guests of z/VM, who use its processors only."""
    unit: str = ""
    """Path of the control group that does it; empty for none."""


class Arrivals(NamedTuple):
    """Customers who come by chance, do the steps once, and leave."""

    name: str
    rate: float
    """How many come in a second."""
    steps: tuple[LoadStep, ...]
    unit: str = ""


Load = Stream | Arrivals


class TablespaceFile(NamedTuple):
    """A file of a tablespace, which has a file system and a volume for itself or shares them."""

    path: str
    database: str
    tablespace: str
    role: str
    bytes: int
    volume: int
    """Place of the volume in the box."""
    logical: int = -1
    """Place of the logical volume that it lies on instead; negative for none."""


class StudyFigure(NamedTuple):
    """A figure of a study that the model is to reproduce."""

    name: str
    """What is measured, in words for the report."""
    study: str
    """Which study says it, and what in its words."""
    low: float
    high: float
    """Between which it is held to be reproduced; from what the study says, not from what the model gives."""
    why: str
    """Why these bounds."""
    measure: str
    """How it is taken from the simulation: see `zmon.lab.measure`."""
    basis: str = ""
    """`follows` from the model; `fitted`: a parameter was chosen so that it comes out; `given`: it is a
    parameter, or arithmetic with parameters alone; empty if the scenario does not say."""
    place: str = ""
    """Study and line, `S000:753`, as docs/studies.md numbers the studies; empty if no study says it."""
    differs: str = ""
    """Why the model cannot give it beside the others; empty if it is to hold."""


class GuestMemory(NamedTuple):
    """The memory of the simulated Linux, in bytes."""

    real: int
    used: int
    """What its programs use again and again; what does not fit is swapped out."""
    swap: int
    """Place of the volume that it swaps to."""
    hits: float = 0.0
    """Part of the pages that the cache of the storage has when they are read."""


class ControlProgram(NamedTuple):
    """z/VM below the simulated Linux."""

    cpus: int
    """Processors of its LPAR, for all guests."""
    resident: float = 1.0
    """Part of the guest's memory that is in real storage; CP pages the rest."""
    page: float = 0.0
    """Mean time in which CP reads a page; meanwhile the virtual processor does nothing else."""


class Phase(NamedTuple):
    """A time during which load and machine stay the same."""

    name: str
    seconds: float
    streams: tuple[Load, ...]
    box: StorageBox | None = None
    """The box in this phase; None: that of the scenario."""
    memory: GuestMemory | None = None
    zvm: ControlProgram | None = None


class Scenario(NamedTuple):
    """One scenario."""

    name: str
    title: str
    text: str
    """What it shows, and which study it follows."""
    seed: int
    step: float
    """Seconds between samples."""
    begin: int
    """When it begins, in seconds since 1970."""
    box: StorageBox
    phases: tuple[Phase, ...]
    places: tuple[TablespaceFile, ...] = ()
    labels: tuple[str, ...] = ()
    """Of each volume the label that CP and the directory know; empty for none."""
    rdevs: tuple[str, ...] = ()
    """Of each volume the number of the real device, when Linux is a guest and has another."""
    environment: str = "lpar"
    """`lpar` or `zvm`."""
    host: str = "lab"
    figures: tuple[StudyFigure, ...] = ()
    assumed: tuple[str, ...] = ()
    """What the study does not say, and had to be assumed."""
    warm: float = 20.0
    """Seconds that are simulated before a phase is counted, so that queues are as long as they get."""
    drawn: int = 60
    """So many intervals of a phase are simulated; a longer phase draws the others from these."""
    measured: int = 0
    """So many intervals of a phase are simulated for the figures, if that is more than `drawn`."""
    memory: GuestMemory | None = None
    zvm: ControlProgram | None = None
    settings: tuple[tuple[str, Value], ...] = ()
    """Settings of Linux that are not as practice advises, by the keys of the kind SETTING."""

    def in_phase(self, number: int) -> Scenario:
        """Return the scenario with the machine as it is in a phase."""
        _name, _seconds, _streams, box, memory, zvm = self.phases[number]
        return self if box is None else self._replace(box=box, memory=memory, zvm=zvm)

    def phase_ends(self) -> list[int]:
        """Return of each phase the number of the interval that follows it; a phase has at least one."""
        return [*accumulate(max(1, round(phase.seconds / self.step)) for phase in self.phases)]


def is_limited(plan: Scenario) -> bool:
    """Return whether memory or z/VM below limits the Linux, which takes time to simulate."""
    return plan.memory is not None or plan.zvm is not None


def demands(box: StorageBox, steps: Sequence[LoadStep]) -> dict[str, float]:
    """Return for how many microseconds all the steps, done once, keep each part of the box busy.

    Of parts that share the work, such as the paths of a group, it is the time of each.
    """
    busy: dict[str, float] = {}
    for step in steps:
        if isinstance(step, Compute):
            _add(busy, "the processors", step.mean / box.cpus)
        elif isinstance(step, DiskIo):
            before = 0.0
            for volume, upto in zip(step.aim.volumes, step.aim.weights, strict=True):
                _ask(busy, box, step, volume, (upto - before) * step.pieces * step.split / step.every)
                before = upto
    return busy


def _ask(busy: dict[str, float], box: StorageBox, step: DiskIo, number: int, requests: float) -> None:
    aim, volume = step.aim, box.volumes[number]
    lcu = box.lcus[volume.lcu]
    group = box.paths[lcu.paths]
    service, transfer = lcu.service(aim.size), group.transfer(aim.size)
    missed = aim.reads * (1 - aim.hits)
    _add(busy, lcu.name, requests * service)
    _add(busy, f"the arrays of {lcu.name}",
         requests * lcu.miss * (missed + (1 - aim.reads) * lcu.penalty) / lcu.ranks)  # fmt: skip
    _add(busy, f"path group {group.name}",
         requests * transfer / (1 if group.policy == "failover" else len(group.usable)))  # fmt: skip
    held = lcu.latency + max(transfer, service) + missed * (lcu.miss + service) + (1 - aim.reads) * lcu.mirror
    _add(busy, f"volume {volume.devno:04X}", requests * held / (1 + volume.pav + lcu.aliases))


def _add(busy: dict[str, float], part: str, time: float) -> None:
    busy[part] = busy.get(part, 0.0) + time


def overloaded(box: StorageBox, loads: Iterable[Load]) -> tuple[str, float] | None:
    """Return the part that those who come by chance would keep busy for more than all of the time.

    Those who wait for their answers cannot overload anything; they wait longer.
    """
    busy: dict[str, float] = {}
    for load in loads:
        if isinstance(load, Arrivals):
            for part, time in demands(box, load.steps).items():
                _add(busy, part, load.rate * time / 1e6)
    part = max(busy, key=lambda part: busy[part], default="")
    return (part, busy[part]) if part and busy[part] >= 1 else None
