"""All that a diagnosis looks at: plain records of an interval, of the time before it, and of the machine.

`zmon.diagnosis.judged` fills them.  What was not read is absent with its reason, so a diagnosis that needs
it is not known, never false.  What takes long to fill is a function, which only a cause that needs it calls;
it computes once.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from zmon.base.record import NamedTuple
from zmon.machine.join import by_key
from zmon.machine.observation import bytes_of
from zmon.machine.observed_machine import ObservedMachine
from zmon.machine.observed_system import HYPERVISORS
from zmon.queueing.fit import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.machine.observation import ObservedLoad, ObservedVolume
    from zmon.machine.observed_volumes import StackedDisk, VolumeDetail
    from zmon.queueing.change import Change
    from zmon.queueing.fit import FlowShare
    from zmon.queueing.prediction import Prediction
    from zmon.queueing.waiting import Waiting


def _no_details() -> Mapping[str, VolumeDetail]:
    return {}


def _no_load() -> ObservedLoad | None:
    return None


class Situation(NamedTuple):
    """What is known at one time."""

    load: ObservedLoad
    """Volumes, LCUs, paths and processors in the interval."""
    waiting: Waiting
    """Where requests wait in it; no diagnosis says that requests wait for something that is not there."""
    earlier: Callable[[], ObservedLoad | None] = _no_load
    """The hour that ended an hour before; if requests waited then, one before that; of a recording that is
    shorter its first calm minutes."""
    predict: Callable[[Sequence[Change]], Prediction] | None = None
    """What changes would give, from the model of all resources; None where the times are not measured.

    Raises ValueError where a change cannot be made."""
    shares: Callable[[], Sequence[FlowShare]] = tuple
    """The parts of the volumes' traffic that known files have; none without a listing."""
    details: Callable[[], Mapping[str, VolumeDetail]] = _no_details
    """Of volumes by their keys."""
    stacked: Callable[[], Sequence[StackedDisk]] = tuple
    """Block devices with I/O that are made of others."""
    machine: ObservedMachine = ObservedMachine()
    """Processors, memory, paths, what hangs; and when a load began."""
    sees_disks: bool = True
    """Whether it is known which disks there are."""
    damage: Callable[[], str] = str
    """What of all this is damaged in the recording, as far as it was asked for; empty if nothing is."""

    @property
    def is_below_zvm(self) -> bool:
        """Whether this Linux is a guest of z/VM."""
        return self.machine.system().hypervisor == HYPERVISORS["zvm"]

    @property
    def is_modelled(self) -> bool:
        """Whether `zmon whatif` can answer: the response of a volume with I/O was measured."""
        return bool(timed(self.load.used))

    def owners_of(self, volumes: Sequence[ObservedVolume]) -> list[tuple[str, float]]:
        """Return the tablespaces on some volumes with their parts of the bytes there, the largest first."""
        moved = {volume.key: bytes_of([volume]) for volume in volumes}
        whole = fsum(moved.values())
        shares = [share for share in self.shares() if moved.get(share.volume)] if whole else []
        parts = by_key((share.owner, share.part * moved[share.volume] / whole) for share in shares)
        return sorted(parts.items(), key=lambda part: (-part[1], part[0]))
