"""A new reader, writer or backup (D23): what has changed since when, on which LCU, volumes and tablespaces.

`zmon.queueing.waiting` says whether the load of an LCU is new: requests wait for it, it moves many times its
bytes of an hour before, and then nothing waited.  What a tablespace has of it follows from its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.base.ranges import names
from zmon.base.sizes import KIB, MB
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, Diagnosis, Measurement, Subject
from zmon.diagnosis.phrases import listed, of_lcu, of_paths, of_volume, percent, shares_of_units
from zmon.machine.observation import bytes_of, mean_of, path_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses
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
    lcus = {one.key: one for one in situation.load.lcus}
    keys = [place.key for place in situation.waiting.places if place.kind == "surge"]
    found = (_new(situation, before, lcus[key]) for key in keys if key in lcus)
    return tuple(one for one in found if one is not None)


def _new(situation: Situation, before: ObservedLoad, lcu: ObservedLcu) -> Diagnosis | None:
    then = before.volumes_of(lcu.key)
    period = situation.machine.period(lcu.key, bytes_of(then))
    load = situation.load if isinstance(period, Absent) or period.load is None else period.load
    now = load.volumes_of(lcu.key)
    rate, old_rate = _rate(now), _rate(then)
    moved, old_moved = bytes_of(now), bytes_of(then)
    size, old_size = mean_of(now, "size"), mean_of(then, "size")
    reads, old_reads = mean_of(now, "reads"), mean_of(then, "reads")
    subject = of_lcu(lcu)
    main = Measurement(
        "control_unit.mbs", subject, moved / MB,
        f"{moved / MB:.0f} MB/s on {lcu.title}, {old_moved / MB:.1f} before{_calm(before)}",
        old_moved / MB,
    )  # fmt: skip
    usual = situation.machine.usual(main.variable)
    if usual >= USUAL * moved / MB:
        return None
    is_long = before.seconds >= LONG_ENOUGH
    known = not isinstance(period, Absent) and not isinstance(period.begin, Absent)
    over = not isinstance(period, Absent) and period.end is not None
    who, does = _who(now, then, over=over)
    busiest = _grown(now, then)
    spaces = [(name, part) for name, part in situation.owners_of(now)[:MOST_SPACES] if part >= LEAST]
    units = situation.machine.units(lcu.key, period)
    is_named = bool(units) and units[0].part >= MOST
    new_size = _new_size(busiest, then)
    large = "" if isinstance(new_size, Absent) else f" in requests of about {new_size / KIB:.0f} KiB"
    places = f"{len(busiest)} volumes" if len(busiest) > 1 else f"volume {busiest[0].title}"
    new = moved * units[0].part if is_named else moved - old_moved
    lost = max((place.waits for place in situation.waiting.places if place.kind == "surge"), default=0.0)
    short = f"{_when(period)} new {who} {does} {new / MB:.0f} MB/s{large} on {places} of {lcu.title}"
    return Diagnosis(
        "D23",
        subjects=(
            subject,
            *(of_volume(one) for one in busiest),
            *(
                of_paths(key)
                for key, chpids in path_groups(load.lcus).items()
                if not set(chpids).isdisjoint(lcu.chpids)
            ),
            *(Subject("tablespace", name, name) for name, _ in spaces),
        ),
        clause=f"{short}{_spaces_words(spaces)}",
        short=short,
        evidence=(
            main,
            Measurement("control_unit.ios", subject, rate,
                        f"{rate:,.0f} requests a second, {old_rate:,.0f} before", old_rate),
            *_sizes(subject, size, old_size),
            *_reads(subject, reads, old_reads),
            _volumes(busiest),
            *shares_of_units(lcu, units),
        ),
        confidence=CERTAIN if known and is_long else LIKELY,
        action=(
            f"It {'was' if over else 'is'} mostly {units[0].title} ({percent(units[0].part)}): move that work"
            if is_named
            else f"Find who {does} it, and move that work"
        )
        + " to another time or slow it down; do not move files.",
        lost=lost,
        excluded=tuple(_as_before(situation, before, lcu)),
        confirm=f"I/O by process (pidstat -d, iotop) or by session of the database would name"
        f" {'the process' if is_named else 'it'}.",
        missing=(
            *(() if is_named else ("which process or session it is",)),
            *(() if is_long else ("a longer time before: this load may come and go",)),
        ),
        since=int(period.begin) if known else None,  # type: ignore[union-attr, arg-type]
        says_when=_when(period) != "A",
    )  # fmt: skip


def _calm(before: ObservedLoad) -> str:
    """Return how long the time before was, where it is not an hour: `, in 20 calm minutes`."""
    return f", in {before.seconds / 60:.0f} calm minutes" if round(before.seconds) < HOUR else ""


def _volumes(busiest: Sequence[ObservedVolume]) -> Measurement:
    """Return what the volumes with most of what is new move, all in one: `8000-8007: 18 MB/s each`."""
    each = [bytes_of([one]) / MB for one in busiest]
    least, most = f"{min(each):.0f}", f"{max(each):.0f}"
    span = most if least == most else f"{least} to {most}"
    titles = sorted(one.title for one in busiest)
    words = f"volume{'s' * (len(busiest) > 1)} {listed(titles)}: {span} MB/s{' each' * (len(busiest) > 1)}"
    return Measurement("device.mbs", of_volume(busiest[0]), each[0], words)


def _when(period: LoadPeriod | Absent) -> str:
    """Return the begin of the claim: `Since 14:30 a`, or `From 14:30 to 14:45 a` where it is over."""
    if isinstance(period, Absent):
        return "A"
    begin = "" if isinstance(period.begin, Absent) else clock(period.begin, "%H:%M")
    if period.end is None:
        return f"Since {begin} a" if begin else "A"
    return f"{f'From {begin} to' if begin else 'Until'} {clock(period.end, '%H:%M')} a"


def _rate(volumes: Sequence[ObservedVolume]) -> float:
    return sum(one.rate for one in volumes)


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
        one.rate * float(one.size) * float(one.reads)
        for one in volumes
        if not isinstance(one.size, Absent) and not isinstance(one.reads, Absent)
    )


def _grown(now: Sequence[ObservedVolume], then: Sequence[ObservedVolume]) -> list[ObservedVolume]:
    """Return the volumes that have most of what is new, up to nine tenths of it, the first the most."""
    before = {one.key: bytes_of([one]) for one in then}
    each = ((bytes_of([one]) - before.get(one.key, 0.0), one) for one in now)
    grown = sorted(each, key=lambda one: -one[0])
    whole = sum(max(0.0, more) for more, _ in grown)
    found: list[ObservedVolume] = []
    so_far = 0.0
    for more, one in grown:
        if found and (so_far >= 0.9 * whole or more <= 0):
            break
        found.append(one)
        so_far += more
    return found


def _new_size(grown: Sequence[ObservedVolume], then: Sequence[ObservedVolume]) -> Number:
    """Return the bytes of a new request: what these volumes move more, by the requests that they have more.

    Where they have no more requests, the size is that of all on them.
    """
    before = {one.key: one for one in then}
    old = [before[one.key] for one in grown if one.key in before]
    requests = _rate(grown) - _rate(old)
    if requests <= 0 or isinstance(mean_of(grown, "size"), Absent):
        return mean_of(grown, "size")
    return max(0.0, bytes_of(grown) - bytes_of(old)) / requests


def _spaces_words(spaces: Sequence[tuple[str, float]]) -> str:
    return f" (about {', '.join(f'{name} {percent(part)}' for name, part in spaces)})" if spaces else ""


def _sizes(subject: Subject, now: Number, then: Number) -> Iterator[Measurement]:
    if not isinstance(now, Absent) and not isinstance(then, Absent):
        words = f"{now / KIB:.0f} KiB a request, {then / KIB:.0f} before"
        yield Measurement("control_unit.reqkb", subject, now / KIB, words, then / KIB)


def _reads(subject: Subject, now: Number, then: Number) -> Iterator[Measurement]:
    if not isinstance(now, Absent) and not isinstance(then, Absent):
        words = f"{percent(now)} reads, {percent(then)} before"
        yield Measurement("control_unit.read", subject, 100 * now, words, 100 * then)


def _as_before(situation: Situation, before: ObservedLoad, lcu: ObservedLcu) -> Iterator[str]:
    """Yield that other LCUs have the load of before, with the numbers of the busiest."""
    others = [one for one in situation.load.lcus if one.key != lcu.key and situation.load.volumes_of(one.key)]
    pairs = [
        (bytes_of(situation.load.volumes_of(one.key)), bytes_of(before.volumes_of(one.key)), one.title)
        for one in others
    ]
    alike = [one for one in pairs if one[1] / 2 <= one[0] <= 2 * one[1]]
    if alike:
        now, then, _ = max(alike)
        yield (
            f"more work of all: {names([title for _, _, title in alike])} as before"
            f" ({now / MB:.1f} MB/s, then {then / MB:.1f})"
        )


CAUSES: Final = {"D23": new_load}
