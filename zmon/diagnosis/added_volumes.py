"""A volume was added, and data do not use all volumes (D20): a few volumes have the load of many.

A logical volume tells it: a segment that was added later has fewer stripes.  Without one, the files of a
database do: requests wait for the volumes of one tablespace, while others of the same LCU, which have data of
the same database, do nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent
from zmon.base.sizes import GIB
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.phrases import gain
from zmon.diagnosis.seen import Seen, diagnosed
from zmon.machine.observation import MIN_LOST
from zmon.queueing.change import StripedSpace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLoad, ObservedVolume
    from zmon.machine.observed_paths import ExtendedVolume

IDLE: Final = 0.1
"""The part of the requests of a waiting volume below which another one is idle."""
NO_LISTING: Final = absent("no listing says which files lie on which volumes: --listing")


def added_volumes(situation: Situation) -> Diagnoses:
    """Return D20: requests wait for volumes to which data were added, and others beside them are idle."""
    waits = situation.waiting.by_volume(situation.load)
    waited = {key: lost for key, lost in waits.items() if lost >= MIN_LOST}
    if not waited:
        return ()
    extended = situation.machine.extended()
    seen = [] if isinstance(extended, Absent) else list(_of_logical_volumes(situation, waited, extended))
    seen = seen or list(_of_tablespaces(situation, waited))
    if seen or situation.shares():
        return tuple(diagnosed("D20", volumes) for volumes in seen)
    return NO_LISTING if isinstance(extended, Absent) else ()


def _idle_beside(load: ObservedLoad, waited: Mapping[str, float], keys: set[str]) -> list[ObservedVolume]:
    """Return those of some volumes that do next to nothing, on LCUs of volumes that requests wait for."""
    volumes = {volume.key: volume for volume in load.volumes}
    busy = [volumes[key] for key in waited if key in volumes]
    if not busy:
        return []
    least, lcus = min(volume.rate for volume in busy), {volume.lcu for volume in busy}
    others = [volumes[key] for key in sorted(keys) if key in volumes and key not in waited]
    return [volume for volume in others if volume.lcu in lcus and volume.rate < IDLE * least]


def _of_logical_volumes(
    situation: Situation, waited: Mapping[str, float], extended: Sequence[ExtendedVolume]
) -> Iterator[Seen]:
    volumes = {volume.key: volume for volume in situation.load.volumes}
    for logical in extended:
        last, stripes = logical.segments[-1], [len(set(part.volumes)) for part in logical.segments]
        hot = {key: waited[key] for key in last.volumes if key in waited and key in volumes}
        idle = _idle_beside(situation.load, hot, set(logical.group))
        if hot and stripes[-1] < max(stripes) and idle:
            facts = {
                "disk": Subject("disk", logical.title, logical.title),
                "gib": last.bytes / GIB,
                "stripes": stripes[-1],
                "widest": max(stripes),
            }
            yield _seen([volumes[key] for key in hot], hot, idle, facts, "logical volume")


def _of_tablespaces(situation: Situation, waited: Mapping[str, float]) -> Iterator[Seen]:
    load = situation.load
    by_key = {volume.key: volume for volume in load.volumes}
    on: dict[str, set[str]] = {}
    for share in situation.shares():
        on.setdefault(share.owner, set()).add(share.volume)
    for owner, volumes in sorted(on.items()):
        database = owner.partition(".")[0]
        hot = {key: waited[key] for key in volumes if key in waited and key in by_key}
        beside = {
            key
            for other, keys in on.items()
            if other != owner and other.partition(".")[0] == database
            for key in keys
        }
        idle = _idle_beside(load, hot, beside - volumes)
        if len(hot) < len(volumes) or len(idle) < len(volumes):
            continue
        everything = tuple(sorted({*volumes, *(volume.key for volume in idle)}))
        change = StripedSpace(owner, volumes=everything)
        facts = {
            "space": Subject("tablespace", owner, owner),
            # who spreads over more than these has the traffic of none of them for sure
            "is_alone": sum(keys == volumes for keys in on.values()) == 1,
            "number": len(everything),
        }
        yield _seen([by_key[key] for key in sorted(hot)], hot, idle, facts, "tablespace")._replace(
            foretell=gain(situation, (change,)),
            changes=(change,),
            whatif=f"stripe {owner} over volumes {','.join(by_key[key].title for key in everything)}",
        )


def _seen(
    volumes: Sequence[ObservedVolume],
    hot: Mapping[str, float],
    idle: Sequence[ObservedVolume],
    facts: Mapping[str, Any],
    case: str,
) -> Seen:
    """Return what is said of volumes that requests wait for, and of others that are idle."""
    beside = {
        "hot": volumes,
        "idle": idle,
        "idle_titles": [volume.title for volume in idle],
        "busiest_idle": [max(idle, key=lambda volume: volume.rate)],
    }
    most_first = sorted(volumes, key=lambda volume: -hot[volume.key])
    return Seen(most_first, sum(hot.values()), {**beside, **facts}, case)


CAUSES: Final[Causes] = {"D20": added_volumes}
