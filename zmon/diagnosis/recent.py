"""The loads of the last intervals up to the one at hand: what sparklines and charts look back on.

Each interval of a timeline is observed once and remembered with it, so a refresh observes the new one alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.diagnosis.judged import situation_of
from zmon.diagnosis.resources import RESOURCES, RecentLoad, busy_volumes, lcu_loads
from zmon.kinds import DEVICE
from zmon.machine.devices import devices_of, unseen_disks
from zmon.machine.memory_use import Memory
from zmon.machine.observation import Volumes
from zmon.machine.observed import load_of
from zmon.machine.topology import units_of
from zmon.queueing.headroom import resource_uses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.interval import Interval
    from zmon.machine.view import View

MAX_RECENT: Final = 60
"""Intervals that are looked back on."""
MAX_READ: Final = 4000
"""Devices of earlier intervals that one filling reads at most ..."""
MAX_FIRST: Final = 400
"""... and the first one of a timeline, so that there is a picture soon."""
MAX_KEPT: Final = 2000
MAX_VOLUMES: Final = 100_000
"""Intervals that are remembered of a timeline, and volumes in them: a volume takes some 150 bytes."""
MAX_CURVED: Final = 1000
"""Devices that have curves: with more it would take longer than their screen to observe their loads."""


def recent_loads(view: View, most: int = MAX_RECENT) -> list[RecentLoad]:
    """Return the last intervals up to the present one, the oldest first; none before there are two samples.

    Of earlier ones that were not looked at yet only so many are read as take little time, or as are printed.
    """
    present, printed = view.interval, view.looked_back
    if present.before is None:
        return []
    most = most if printed is None else min(most, printed)
    loads = [_observed(view, present)]
    is_first = printed is None and len(view.history.loads) <= 1
    left = (MAX_FIRST if is_first else MAX_READ) // max(1, len(present.of(DEVICE)))
    past: Iterator[Interval] | None = None
    while len(loads) < most:
        utc = loads[-1].begin
        load = view.history.loads.get(utc)
        if load is None and left:
            left -= 1
            past = view.history.past(utc) if past is None else past
            interval = next(past, None)
            if interval is None or interval.before is None or interval.after.at.utc != utc:
                break
            load = _observed(view, interval)
        elif load is not None:
            past = None
        if load is None:
            break
        loads.append(load)
    return loads[::-1]


def _observed(view: View, interval: Interval) -> RecentLoad:
    """Return the load of an interval; one between two marks is not remembered."""
    before, utc = interval.before, interval.after.at.utc
    assert before is not None  # noqa: S101 - `recent_loads` has seen to it
    kept = view.history.loads
    kept_load: RecentLoad | None = None if interval is view.interval else kept.get(utc)
    if kept_load is not None and kept_load.begin == before.at.utc:
        return kept_load
    at = view if interval is view.interval else view.at(interval)
    load = situation_of(view).load if at is view else load_of(at)
    busy = busy_volumes(devices_of(interval), load.volumes)
    recent = RecentLoad(
        before.at.utc,
        utc,
        interval.gap,
        load,
        resource_uses(load),
        Memory(interval).figure("used"),
        busy=busy,
        unseen=unseen_disks(interval),
    )
    percents = {resource.key: resource.use(recent) for resource in RESOURCES}
    recent = recent._replace(percents=percents, lcus=lcu_loads(load, units_of(at).of))
    if len(interval.of(DEVICE)) <= MAX_CURVED:
        volumes = Volumes.of(load.volumes)
        responses = zip(volumes.column("key"), volumes.column("response"), strict=True)
        recent = recent._replace(responses=dict(responses))
    remembered = recent.remembered
    if not interval.skipped:
        kept.pop(utc, None)
        while len(kept) >= max(MAX_RECENT, min(MAX_KEPT, MAX_VOLUMES // max(1, len(recent.responses)))):
            del kept[next(iter(kept))]
        kept[utc] = remembered
    return recent if interval is view.interval else remembered
