"""Scenarios for tests, and a digest of samples."""

from __future__ import annotations

import hashlib
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from tests.lab.boxes import aim, box
from zmon.base.absent import Absent
from zmon.lab.model import Compute, DiskIo, Phase, Scenario, SimulatedLcu, Stream, Think
from zmon.lab.scenario import load_scenario
from zmon.session.machines import simulated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.sample import Sample

PLAIN = ("idle-day", "uniform-day")
"""Those in which nothing ever does."""
CHEAP = (
    "shark-before", "shark-after", "hyperpav-0", "hyperpav-20", "hyperpav-40", "fcp-failover",
    "fcp-multibus-100", "logs-mixed", "logs-apart", "pav-3", "stripe-extended", "raid-penalty",
    "healthy-day", "iozone-plain", "pav-turn-1", "raid-limit", "stripe-4mb", "guest-swapping",
    "zvm-overcommitted", "zvm-8-cpus", "path-lost", "path-slow", "volume-hangs",
    "swap-begins", "write-cache-full", "small-stripes", *PLAIN,
)  # fmt: skip
"""Those that take little time when little of each phase is simulated."""
FAULTS = (
    "path-lost", "path-slow", "fcp-path-slow", "fcp-one-adapter", "remote-mirror", "write-cache-full",
    "swap-begins", "volume-hangs", "zvm-steal", "small-stripes", "dm-queue", "who-loads",
    "dm-suspended",
)  # fmt: skip
"""Those in which something fails from the second phase on."""


@cache
def brief(name: str) -> Scenario:
    """Return a scenario that comes with zmon, with two samples of each phase, drawn from one second."""
    plan = load_scenario(name)
    step = min(plan.step, 1.0)
    phases = tuple(phase._replace(seconds=2 * step) for phase in plan.phases)
    return plan._replace(step=step, phases=phases, warm=0.5, drawn=1)


@cache
def shorter(name: str, seconds: float = 180.0, drawn: int = 1) -> Scenario:
    """Return a scenario with some minutes of each phase, of which so many intervals are simulated."""
    phases = tuple(phase._replace(seconds=seconds) for phase in load_scenario(name).phases)
    return load_scenario(name)._replace(phases=phases, drawn=drawn)


def small(intervals: int = 40, drawn: int = 7, seed: int = 5, environment: str = "lpar") -> Scenario:
    """Return a small machine with two volumes, in two phases of which the first is so long."""
    ask = DiskIo(aim(0, 1, reads=0.6, hits=0.7))
    few = Stream("few", 2, (Think(4000.0), ask, Compute(300.0)))
    many = Stream("many", 9, (Think(1000.0), ask))
    lcu = SimulatedLcu("LCU 0", "7000", 0, miss=3000.0, aliases=2)
    return Scenario(
        name="small",
        title="small",
        text="",
        seed=seed,
        step=0.1,
        begin=1_000_000_000,
        box=box(lcu, volumes=2, pav=1, cpus=2),
        phases=(Phase("few", intervals * 0.1, (few,)), Phase("many", 1.0, (many,))),
        environment=environment,
        warm=0.2,
        drawn=drawn,
    )


def samples(plan: Scenario, most: int | None = None) -> list[Sample]:
    """Return its first samples, or all."""
    return list(islice(simulated([plan]).samples(), most))


def digest(found: Iterable[Sample]) -> str:
    """Return a digest of all that samples have in them."""
    whole = hashlib.sha256()
    for sample in found:
        whole.update(repr(sample.at).encode())
        for name, frame in sorted(sample.frames.items()):
            whole.update(repr((name, frame.keys, frame.times)).encode())
            for field in frame.kind.fields:
                cells = [
                    cell.reason if isinstance(cell, Absent) else cell for cell in frame.column(field.name)
                ]
                whole.update(repr((field.name, cells)).encode())
    return whole.hexdigest()
