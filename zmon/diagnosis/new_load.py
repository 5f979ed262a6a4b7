"""A new reader, writer or backup (D23): what has changed since when, on which LCU, volumes and tablespaces.

`zmon.queueing.waiting` says whether the load of an LCU is new: requests wait for it, it moves many times its
bytes of an hour before, and then nothing waited.  What a tablespace has of it follows from its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.base.sizes import KIB, MB
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.phrases import of_paths, said_of_units
from zmon.diagnosis.seen import Seen, diagnosed
from zmon.machine.figure import Variable
from zmon.machine.observation import bytes_of, mean_of, path_groups
from zmon.words.template import With, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses, Diagnosis
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedVolume
    from zmon.machine.observed_history import LoadPeriod

MOSTLY: Final = 0.7
"""The part of the new requests that read, from which on somebody reads; below the rest somebody writes."""
MOST_SPACES: Final = 5
LEAST: Final = 0.01
USUAL: Final = 0.5
"""The part of the load that there usually is at this hour, from which on it is not new."""
MOST: Final = 0.5
"""The part of an LCU's bytes from which on a unit is the new load: what is not new has a third at most."""
NO_CALM_TIME: Final = absent("neither the hour before nor ten calm minutes were recorded")
HOUR: Final = 3600.0
"""Seconds of a time before from which on its length is not said."""
LONG_ENOUGH: Final = HOUR / 2
"""Seconds of a time before below which it is not certain that the load is new: it may come and go."""


def new_load(situation: Situation) -> Diagnoses:
    """Return D23: LCUs with a load that was not there before, and that makes requests wait."""
    if not situation.waiting.places:
        return ()
    before = situation.earlier()
    if before is None:
        return NO_CALM_TIME
    lcus = situation.load.lcus_by_key
    keys = [place.key for place in situation.waiting.of_kind("surge")]
    new_loads = (_new(situation, before, lcus[key]) for key in keys if key in lcus)
    return tuple(diagnosis for diagnosis in new_loads if diagnosis is not None)


def _new(situation: Situation, before: ObservedLoad, lcu: ObservedLcu) -> Diagnosis | None:
    then = before.volumes_of(lcu.key)
    period = situation.machine.period(lcu.key, bytes_of(then))
    load = situation.load if isinstance(period, Absent) or period.load is None else period.load
    now = load.volumes_of(lcu.key)
    moved, old_moved = bytes_of(now), bytes_of(then)
    usual = situation.machine.usual(Variable("control_unit", "mbs", lcu.key))
    if usual >= USUAL * moved / MB:
        return None
    is_periodic = not isinstance(period, Absent) and not isinstance(period.begin, Absent)
    over = not isinstance(period, Absent) and period.end is not None
    who, does = _who(now, then, over=over)
    grown = _grown(now, then)
    busiest = [With(volume, mbs=bytes_of([volume]) / MB) for volume in grown]
    rates = sorted(volume.mbs for volume in busiest)
    spaces = [(name, part) for name, part in situation.owners_of(now)[:MOST_SPACES] if part >= LEAST]
    units = situation.machine.units(lcu.key, period)
    is_named = bool(units) and units[0].part >= MOST
    new = moved * units[0].part if is_named else moved - old_moved
    chpids = set(lcu.chpids)
    facts = {
        "when": _when(period),
        "who": who,
        "does": does,
        "over": over,
        "known": is_periodic,
        "new": new / MB,
        "new_size": _new_size(grown, then),
        "busiest": busiest,
        "first_busiest": busiest[0],
        "several_volumes": len(busiest) > 1,
        "busiest_titles": sorted(volume.title for volume in busiest),
        "least": f"{rates[0]:.0f}",
        "most": f"{rates[-1]:.0f}",
        "is_even": f"{rates[0]:.0f}" == f"{rates[-1]:.0f}",
        "is_named": is_named,
        "unit": units[0] if units else None,
        "is_long": before.seconds >= LONG_ENOUGH,
        "is_hour": round(before.seconds) >= HOUR,
        "minutes": before.seconds / 60,
        "spaces": [f"{name} {percent(part)}" for name, part in spaces],
        "tablespaces": [Subject("tablespace", name, name) for name, _ in spaces],
        "paths": [of_paths(key) for key, ids in path_groups(load.lcus).items() if not chpids.isdisjoint(ids)],
        "as_before": _as_before(situation, before, lcu),
        **_compared("", now),
        **_compared("old_", then),
        **said_of_units([(lcu, units)]),
    }
    lost = max((place.waits for place in situation.waiting.of_kind("surge")), default=0.0)
    since = int(period.begin) if is_periodic else None  # type: ignore[union-attr, arg-type]
    return diagnosed("D23", Seen([lcu], lost, facts, since=since, says_when=facts["when"] != "A"))


def _compared(name: str, volumes: Sequence[ObservedVolume]) -> dict[str, Number]:
    """Return what is compared of an LCU, behind `name`."""
    return {
        f"{name}mbs": bytes_of(volumes) / MB,
        f"{name}rate": _rate(volumes),
        f"{name}size": mean_of(volumes, "size"),
        f"{name}kib": mean_of(volumes, "size") / KIB,
        f"{name}reads": mean_of(volumes, "reads"),
    }


def _when(period: LoadPeriod | Absent) -> str:
    """Return the begin of the claim: `Since 14:30 a`, or `From 14:30 to 14:45 a` where it is over."""
    if isinstance(period, Absent):
        return "A"
    begin = "" if isinstance(period.begin, Absent) else clock(period.begin, "%H:%M")
    if period.end is None:
        return f"Since {begin} a" if begin else "A"
    return f"{f'From {begin} to' if begin else 'Until'} {clock(period.end, '%H:%M')} a"


def _rate(volumes: Sequence[ObservedVolume]) -> float:
    return sum(volume.rate for volume in volumes)


def _who(now: Sequence[ObservedVolume], then: Sequence[ObservedVolume], *, over: bool) -> tuple[str, str]:
    """Return what is new and what it does, or did: of the bytes that are new, which part is read."""
    whole = bytes_of(now) - bytes_of(then)
    read = _read(now) - _read(then)
    part = read / whole if whole > 0 else 1.0
    if part >= MOSTLY:
        return "reader", "read" if over else "reads"
    if part <= 1 - MOSTLY:
        return "writer", "wrote" if over else "writes"
    return "load", "read and wrote" if over else "reads and writes"


def _read(volumes: Sequence[ObservedVolume]) -> float:
    """Return the bytes read a second, as if reads and writes were of one size."""
    return sum(
        volume.rate * float(volume.size) * float(volume.reads)
        for volume in volumes
        if not isinstance(volume.size, Absent) and not isinstance(volume.reads, Absent)
    )


def _grown(now: Sequence[ObservedVolume], then: Sequence[ObservedVolume]) -> list[ObservedVolume]:
    """Return the volumes that have most of what is new, up to nine tenths of it, the first the most."""
    before = {disk.key: bytes_of([disk]) for disk in then}
    more_of = ((bytes_of([disk]) - before.get(disk.key, 0.0), disk) for disk in now)
    grown = sorted(more_of, key=lambda pair: -pair[0])
    whole = sum(max(0.0, more) for more, _ in grown)
    grown_most: list[ObservedVolume] = []
    so_far = 0.0
    for more, volume in grown:
        if grown_most and (so_far >= 0.9 * whole or more <= 0):
            break
        grown_most.append(volume)
        so_far += more
    return grown_most


def _new_size(grown: Sequence[ObservedVolume], then: Sequence[ObservedVolume]) -> Number:
    """Return the bytes of a new request: what these volumes move more, by the requests that they have more.

    Where they have no more requests, the size is that of all on them.
    """
    before = {volume.key: volume for volume in then}
    old = [before[volume.key] for volume in grown if volume.key in before]
    requests = _rate(grown) - _rate(old)
    if requests <= 0 or isinstance(mean_of(grown, "size"), Absent):
        return mean_of(grown, "size")
    return max(0.0, bytes_of(grown) - bytes_of(old)) / requests


def _as_before(situation: Situation, before: ObservedLoad, lcu: ObservedLcu) -> list[With]:
    """Return the other LCUs that have the load of before, as one, with the numbers of the busiest."""
    others = [
        other
        for other in situation.load.lcus
        if other.key != lcu.key and situation.load.volumes_of(other.key)
    ]
    pairs = [
        (bytes_of(situation.load.volumes_of(other.key)), bytes_of(before.volumes_of(other.key)), other.title)
        for other in others
    ]
    alike = [pair for pair in pairs if pair[1] / 2 <= pair[0] <= 2 * pair[1]]
    if not alike:
        return []
    now, then, _ = max(alike)
    return [With(None, titles=[title for _, _, title in alike], now=now / MB, then=then / MB)]


CAUSES: Final[Causes] = {"D23": new_load}
