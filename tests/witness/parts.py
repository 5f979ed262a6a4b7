"""What a simulated machine is made of: data without behaviour, in the hardware's own words.

Times are seconds, sizes KiB, rates per second, bandwidths MB/s (10**6 bytes).  Nothing here is zmon's: the
sizes of times are those of papers about ESS and DS8000, ESCON and FICON.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

END: Final = 60
"""Seconds that each machine is simulated; it is looked at once a second."""


@dataclass(frozen=True)
class Rank:
    """A RAID rank: disk arms that each serve one request after the other, with exponential times."""

    name: str
    arms: int = 8
    seek: float = 0.006
    """Mean time of a random disk operation."""
    penalty: int = 4
    """Disk operations of a random write that is destaged: four with RAID 5."""
    foreign: float = 0.0
    """Disk operations a second for other systems."""


@dataclass(frozen=True)
class Paths:
    """A group of channel paths, which one or several LCUs are connected with."""

    chpids: tuple[int, ...]
    mbps: float = 400.0
    """Bandwidth of each path."""
    kind: Literal["ficon", "escon"] = "ficon"
    """FICON interleaves the frames of many requests, so what waits for a path lengthens Conn.  An ESCON path
    belongs to one request; the wait for reconnection after a disconnection is in Disc."""
    setup: float = 0.00005
    """Time of a path for the commands of a request."""
    km: float = 0.0
    """Distance: light takes 10 us there and back for each km, once for a read and twice for a write."""
    lost: tuple[int, ...] = ()
    """Paths among `chpids` that are not operational."""


@dataclass(frozen=True)
class Volume:
    """A 3390, with its number in hex: the first two digits are those of its LCU."""

    number: str
    rank: str
    hit: float | None = None
    """Share of reads that the cache answers; None: as its LCU says."""
    reserved: float = 0.0
    """Share of the time in which another system has it reserved."""
    reservation: float = 0.006
    """How long that takes each time."""
    hung_at: float | None = None
    """When it stops answering."""


@dataclass(frozen=True)
class ControlUnit:
    """A logical control unit: volumes, aliases, cache, and a bandwidth that it does not exceed."""

    name: str
    """Four hex digits, the subsystem id."""
    paths: str
    volumes: tuple[Volume, ...]
    aliases: int = 0
    aliases_used: bool = True
    """False: defined, but the driver does not use them (`dasd=nopav`, or aliases not on line)."""
    mbps: float = 400.0
    """Bandwidth inside: adapters and cache."""
    overhead: float = 0.00005
    """Time of the LCU for each request, whatever its size."""
    queues_itself: bool = False
    """Whether the wait inside is counted as control unit queueing, not in Disc."""
    hit: float = 0.97
    """Share of random reads that the cache answers."""
    stages_ahead: float = 0.98
    """Share of sequential reads that it answers, as it reads ahead."""
    command: float = 0.0001
    """Initial command response."""
    nvs: int = 10_000
    """Writes that the nonvolatile storage holds until they are destaged."""
    mirror: float = 0.0
    """Time of a synchronous remote copy, added to each write."""
    foreign: float = 0.0
    """Requests a second of other systems, which use the LCU and not these paths; ..."""
    foreign_kib: float = 64.0
    """... and their size."""


@dataclass(frozen=True)
class Adapter:
    """An FCP device: its number in hex, bandwidth, and whether its link is good."""

    number: str
    mbps: float = 700.0
    latency: float = 0.0001
    """Time of the fabric and the port for each request, one after the other."""
    lost_at: float | None = None
    back_at: float | None = None


@dataclass(frozen=True)
class Lun:
    """A SCSI disk behind FCP, which multipath reaches over one or several adapters."""

    name: str
    """Of the multipath device."""
    adapters: tuple[str, ...]
    policy: Literal["multibus", "failover"] = "multibus"
    depth: int = 32
    """Requests that each path takes at once; the rest waits in Linux."""
    servers: int = 16
    """Requests that its pool in the storage serves at once."""
    service: float = 0.0005
    """Mean time of each, exponential."""


@dataclass(frozen=True)
class VirtualDisk:
    """A virtio disk of a guest of KVM, which the host serves."""

    name: str
    servers: int = 8
    service: float = 0.0008
    depth: int = 128


@dataclass(frozen=True)
class LogicalVolume:
    """A device of the device mapper over volumes: striped, or linear if it has one."""

    name: str
    volumes: tuple[str, ...]
    stripe_kib: int = 64
    serial: float = 0.0
    """Time of each request in Linux, one after the other, as a target with one thread takes it."""


@dataclass(frozen=True)
class Program:
    """What does I/O: threads that wait for each request (closed), or requests that arrive by themselves."""

    name: str
    on: tuple[str, ...]
    """Volumes, LUNs, virtual disks or logical volumes; each request picks one at random."""
    threads: int = 0
    """Threads of a closed program; 0: open."""
    rate: float = 0.0
    """Arrivals a second of an open program, at random."""
    kib: float = 4.0
    reads: float = 0.7
    """Share of the requests that are reads."""
    sequential: bool = False
    think: float = 0.0
    """Mean time between the requests of a thread, in which it waits for its users; exponential."""
    cpu: float = 0.0002
    """Mean processor time for each request, exponential."""
    begin: float = 0.0
    end: float = float(END)
    swaps: bool = False
    """Whether its requests are pages that Linux reads back from swap."""
    batch: int = 1
    """Requests that an open program sends at once."""


@dataclass(frozen=True)
class Processors:
    """The processors of this Linux, and the share of them that the hypervisor withholds."""

    count: int = 4
    stolen: float = 0.0


@dataclass(frozen=True)
class Truth:
    """What is short, written down before zmon was asked."""

    says: str
    """Which resource is short and why, in a sentence."""
    first: tuple[str, ...] = ()
    """The diagnoses that are right in the first place; none: the machine is healthy."""
    names: tuple[str, ...] = ()
    """Parts of which the first diagnosis has to name one; none: it needs no name."""


@dataclass(frozen=True)
class Machine:
    """A machine, its load, and the truth about it."""

    name: str
    truth: Truth
    programs: tuple[Program, ...]
    control_units: tuple[ControlUnit, ...] = ()
    paths: tuple[tuple[str, Paths], ...] = ()
    ranks: tuple[Rank, ...] = ()
    luns: tuple[Lun, ...] = ()
    adapters: tuple[Adapter, ...] = ()
    virtual_disks: tuple[VirtualDisk, ...] = ()
    logical_volumes: tuple[LogicalVolume, ...] = ()
    processors: Processors = field(default_factory=Processors)
    where: Literal["lpar", "zvm", "kvm"] = "lpar"
    channel_measurement: bool = False
    """Whether channel paths are measured, as an LPAR may."""
    extended: bool = True
    """Whether channel measurement of devices has the extended format."""
    seed: int = 1
