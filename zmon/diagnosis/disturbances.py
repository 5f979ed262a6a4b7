"""Disks that hang (D21), and measurements that are off (D22)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.diagnosis.phrases import MACHINE, waiting_tasks
from zmon.diagnosis.seen import Cause, Seen, diagnosed
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observed_system import HungDisk

WORTH_SAYING: Final = 5.0
"""Seconds without a completed request below which a volume may only be slow."""
LONGEST_SNAPSHOT: Final = 1.0
"""Seconds for which lvm suspends a device at most when it makes a snapshot."""


def hung_disks(situation: Situation) -> Diagnoses:
    """Return D21: volumes with requests in them of which none completes, and devices that are suspended."""
    hung = situation.machine.hung()
    if isinstance(hung, Absent):
        return hung
    stuck = [disk for disk in hung if not disk.suspended and disk.seconds > WORTH_SAYING]
    held = [disk for disk in hung if disk.suspended and disk.seconds > LONGEST_SNAPSHOT]
    seen = ([_stuck(situation, stuck)] if stuck else []) + ([_held(situation, held)] if held else [])
    return tuple(diagnosed("D21", disks) for disks in seen)


def _stuck(situation: Situation, disks: Sequence[HungDisk]) -> Seen:
    """Return the volumes that hang, with the tablespaces that lie on them."""
    keys = {disk.key for disk in disks}
    requests = [disk.requests for disk in disks if not isinstance(disk.requests, Absent)]
    inside = [disk.requests if isinstance(disk.requests, Absent) else round(disk.requests) for disk in disks]
    facts = {
        "titles": [disk.title for disk in disks],
        "longest": max(disk.seconds for disk in disks),
        "spaces": sorted({share.owner for share in situation.shares() if share.volume in keys}),
        "is_dasd": "." in disks[0].key,
    }
    volumes = [With(disk, kind="volume", inside=number) for disk, number in zip(disks, inside, strict=True)]
    return Seen(volumes, float(max(len(disks), sum(requests))), facts, "hung")


def _held(situation: Situation, disks: Sequence[HungDisk]) -> Seen:
    """Return the devices that the device mapper holds back, while tasks wait for I/O."""
    blocked = disks[0].requests
    facts = {
        "titles": [disk.title for disk in disks],
        "named": [f"{disk.title} ({disk.key})" for disk in disks],
        "longest": max(disk.seconds for disk in disks),
        "machine": MACHINE,
        "blocked": blocked,
        "waiting": waiting_tasks(situation.machine.system()),
    }
    lost = float(len(disks) if isinstance(blocked, Absent) else blocked)
    return Seen([With(disk, kind="disk") for disk in disks], lost, facts, "suspended")


def _lacking(situation: Situation) -> Sequence[With]:
    """Return this Linux once for each measurement that is off and would be needed, and for zmon's cost."""
    lacking = situation.machine.lacking()
    return [With(measurement, **MACHINE._asdict(), waits=0.0) for measurement in lacking]


CAUSES: Final[Causes] = {"D21": hung_disks, "D22": Cause("D22", {"measurements": _lacking})}
