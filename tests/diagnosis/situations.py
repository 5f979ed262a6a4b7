"""Situations for tests of causes: one LCU with two paths, or SCSI disks behind two adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zmon.diagnosis.situation import Situation
from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedProcessors, ObservedVolume
from zmon.machine.observed_machine import ObservedMachine
from zmon.machine.observed_system import ObservedSystem
from zmon.queueing.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses, Diagnosis

PATHS = ("50", "51")
LCU = ObservedLcu("L", "LCU 7", "box", PATHS, misses=0.0)
SCSI = ObservedLcu("SCSI", "SCSI disks", "", ("60", "61"))


def volume(  # noqa: PLR0913 - what differs between tests
    key: str = "0.0.7000",
    rate: float = 100.0,
    *,
    queued: float = 0.0,
    lcu: str = "L",
    size: float = 4096.0,
    reads: float = 1.0,
) -> ObservedVolume:
    """Return a volume that serves a request in 1.2 ms."""
    title = key.rpartition(".")[2]
    return ObservedVolume(
        key, title, "94:0", lcu, rate, 0.0012 + queued, 0.0002, 0.0, 0.001, size, reads, 1
    )  # fmt: skip


def load(
    *volumes: ObservedVolume,
    busy: Number = 0.1,
    paths: Mapping[str, Number] | None = None,
    fcp: frozenset[str] = frozenset(),
) -> ObservedLoad:
    """Return a minute of four processors."""
    lcus = (SCSI,) if fcp else (LCU,)
    uses = dict.fromkeys(PATHS, 0.1) if paths is None else paths
    return ObservedLoad(60.0, volumes, lcus, uses, True, ObservedProcessors(4, busy), fcp)


def situation(
    now: ObservedLoad | None = None, before: ObservedLoad | None = None, **machine: Any
) -> Situation:
    """Return a situation with these parts of the machine, each a value or a function."""
    now = load(volume()) if now is None else now
    parts = {name: part if callable(part) else (lambda *_, part=part: part) for name, part in machine.items()}
    parts.setdefault("system", ObservedSystem)
    return Situation(now, waiting(now, before), earlier=lambda: before, machine=ObservedMachine(**parts))


def only(found: Diagnoses) -> Diagnosis:
    """Return the one diagnosis that was made."""
    assert isinstance(found, tuple), found
    (one,) = found
    return one
