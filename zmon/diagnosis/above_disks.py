"""Requests queue in Linux above the disks (D11), or have all tags of a disk (D11b)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.sizes import KIB
from zmon.diagnosis.seen import Cause
from zmon.machine.observed_volumes import detailed, details_of
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedVolume
    from zmon.machine.observed_volumes import StackedDisk

COPYING: Final = frozenset({"snapshot", "snapshot-origin", "snapshot-merge", "thin", "thin-pool"})
"""Targets of the device mapper that copy what is written over."""
HALF: Final = 0.5
"""The part of the tags of a disk below which the record is not asked: most disks of a large machine."""


def stacked_disks(situation: Situation) -> Sequence[With]:
    """Return the block devices that are made of others, those with enough I/O, most of what waits first."""
    load = situation.load
    disks = [
        With(
            disk,
            kind="disk",
            key=disk.name,
            own_name=disk.volume or disk.name,
            wait=disk.response - disk.below,
            waits=disk.rate * (disk.response - disk.below),
            pieces=disk.below_rate / disk.rate,
            below_kib=disk.below_size / KIB,
            stripe_kib=disk.stripe / KIB,
            below_it=_below(load, disk),
            is_multipath="multipath" in disk.targets,
            is_encrypted="crypt" in disk.targets,
            copies=not disk.targets.isdisjoint(COPYING),
        )
        for disk in situation.stacked()
        if load.enough(disk.rate)
    ]
    return sorted(disks, key=lambda disk: -disk.waits)


def _below(load: ObservedLoad, disk: StackedDisk) -> list[ObservedVolume | ObservedLcu]:
    """Return the volumes that a block device is made of, and their LCUs."""
    volumes = [volume for key in disk.volumes if (volume := load.volume(key)) is not None]
    lcus = {volume.lcu: load.lcus_by_key[volume.lcu] for volume in volumes if volume.lcu in load.lcus_by_key}
    return [*volumes, *lcus.values()]


def _busy(situation: Situation) -> Sequence[With]:
    """Return the volumes that have half of their request tags in use, most requests in Linux first."""
    load, details = situation.load, situation.details()
    lcus = load.lcus_by_key
    busy = detailed(details, load.busy)
    columns = (details_of(details, name, busy.column("key")) for name in ("in_linux", "tags"))
    volumes = [
        With(
            busy[at],
            lcu=lcus.get(busy[at].lcu),
            waits=float(inside),
            used=min(float(inside), float(tags)),
            tags=float(tags),
            above=float(inside) - float(tags),  # Queue counts those that wait for a tag, too
        )
        for at, (inside, tags) in enumerate(zip(*columns, strict=True))
        if inside >= HALF * tags
    ]
    return sorted(volumes, key=lambda volume: -volume.waits)


SORTS: Final = {"stacked disks": stacked_disks, "busy volumes": _busy}
CAUSES: Final[Causes] = {id_: Cause(id_, SORTS) for id_ in ("D11", "D11b")}
