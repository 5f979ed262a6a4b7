"""The simulated hardware: volumes, control units, ranks, channel paths, processors; numbers and nothing else.

Times are microseconds, sizes bytes, speeds bytes per microsecond, which is MB/s.
"""

from __future__ import annotations

from typing import NamedTuple


class Paths(NamedTuple):
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
    """Type of channel path, as the kernel tells it: 05 is ESCON, 1B FICON, 25 FCP."""


class Lcu(NamedTuple):
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


class Volume(NamedTuple):
    """One disk of the simulated Linux."""

    lcu: int
    devno: int
    cylinders: int = 3338
    pav: int = 0
    """Static aliases."""


class Box(NamedTuple):
    """All of it."""

    paths: tuple[Paths, ...]
    lcus: tuple[Lcu, ...]
    volumes: tuple[Volume, ...]
    cpus: int = 2
    serial: str = "7500000000LAB1"


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


class Ask(NamedTuple):
    """Read or write, and wait for the answer."""

    aim: Aim
    name: str = ""
    """Under which the time of the answer is counted, such as `log write`; empty for none."""
    pieces: int = 1
    """Requests at once, on volumes one after the other as stripes lie; all are waited for."""


class Count(NamedTuple):
    """Count one more of something, such as `transaction`, with the time since it was counted last."""

    name: str


Step = Think | Compute | Ask | Count


class Stream(NamedTuple):
    """So many customers who do the same steps over and over."""

    name: str
    customers: int
    steps: tuple[Step, ...]


class Arrivals(NamedTuple):
    """Customers who come by chance, do the steps once, and leave."""

    name: str
    rate: float
    """How many come in a second."""
    steps: tuple[Step, ...]


Load = Stream | Arrivals
