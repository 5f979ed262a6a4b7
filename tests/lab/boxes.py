"""Boxes for tests: one part at work, and all others as if they were not there."""

from __future__ import annotations

from zmon.lab.model import Aim, PathGroup, SimulatedLcu, SimulatedVolume, StorageBox

FAST = 1e12
"""Bytes per microsecond of a path that takes no time."""
MANY = 250
"""Aliases of a volume that never lets a request wait."""


def paths(
    count: int = 8, speed: float = FAST, overhead: float = 0.0, policy: str = "any", turn: int = 1
) -> PathGroup:
    """Return a group of paths."""
    return PathGroup("paths", tuple(f"{chpid:02x}" for chpid in range(count)), speed, overhead, policy, turn)


def box(
    lcu: SimulatedLcu | None = None,
    group: PathGroup | None = None,
    volumes: int = 1,
    pav: int = MANY,
    cpus: int = 1,
) -> StorageBox:
    """Return a box with one LCU."""
    unit = lcu or SimulatedLcu("LCU 0", "7000", 0, latency=0.0)
    disks = tuple(SimulatedVolume(0, 0x7000 + number, pav=pav) for number in range(volumes))
    return StorageBox((group or paths(),), (unit,), disks, cpus)


def aim(*volumes: int, size: int = 4096, reads: float = 1.0, hits: float = 1.0) -> Aim:
    """Return an aim at some volumes, each as often as any other."""
    own = volumes or (0,)
    return Aim(own, tuple((place + 1) / len(own) for place in range(len(own))), size, reads, hits)
