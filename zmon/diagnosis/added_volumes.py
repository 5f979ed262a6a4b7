"""A volume was added, and data do not use all volumes (D20): a few volumes have the load of many.

A logical volume tells it: a segment that was added later has fewer stripes.  Without one, the files of a
database do: requests wait for the volumes of one tablespace, while others of the same LCU, which have data of
the same database, do nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import many
from zmon.base.sizes import GIB
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.phrases import evidence, gain, listed, of_volume, percent
from zmon.machine.observation import MIN_LOST
from zmon.queueing.change import StripedSpace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
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
    found = [] if isinstance(extended, Absent) else list(_of_logical_volumes(situation, waited, extended))
    if not found:
        found = list(_of_tablespaces(situation, waited))
    if found or situation.shares():
        return tuple(found)
    return NO_LISTING if isinstance(extended, Absent) else ()


def _idle_beside(load: ObservedLoad, waited: Mapping[str, float], keys: set[str]) -> list[ObservedVolume]:
    """Return those of some volumes that do next to nothing, on LCUs of volumes that requests wait for."""
    known = {one.key: one for one in load.volumes}
    busy = [known[key] for key in waited if key in known]
    if not busy:
        return []
    least, lcus = min(one.rate for one in busy), {one.lcu for one in busy}
    others = (known[key] for key in keys if key in known and key not in waited)
    return sorted(
        (one for one in others if one.lcu in lcus and one.rate < IDLE * least), key=lambda one: one.key
    )


def _of_logical_volumes(
    situation: Situation,
    waited: Mapping[str, float],
    extended: Sequence[ExtendedVolume],
) -> Iterator[Diagnosis]:
    known = {one.key: one for one in situation.load.volumes}
    for one in extended:
        last, most = one.segments[-1], max(len(set(part.volumes)) for part in one.segments)
        hot = {key: waited[key] for key in last.volumes if key in waited and key in known}
        idle = _idle_beside(situation.load, hot, set(one.group))
        if not hot or len(set(last.volumes)) >= most or not idle:
            continue
        added = [known[key].title for key in hot]
        rest = [each.title for each in idle]
        yield Diagnosis(
            "D20",
            subjects=(*(of_volume(known[key]) for key in hot), Subject("disk", one.title, one.title)),
            clause=f"{one.title} was extended over only {many(len(set(last.volumes)), 'volume')}",
            rest=f": requests wait for {listed(added)}, while {listed(rest)} of its volume group"
            f" {'does' if len(rest) == 1 else 'do'} nothing",
            evidence=(
                evidence("layer.table", Subject("disk", one.title, one.title), last.bytes / GIB,
                         f"the last segment, {last.bytes / GIB:.1f} GiB, has"
                         f" {many(len(set(last.volumes)), 'stripe')}, another one {most}"),
                *_rates([known[key] for key in hot], idle),
            ),
            confidence=CERTAIN,
            action="Restripe the logical volume over all volumes of its group, or spread its newest data.",
            lost=sum(hot.values()),
        )  # fmt: skip


def _of_tablespaces(situation: Situation, waited: Mapping[str, float]) -> Iterator[Diagnosis]:
    load = situation.load
    known = {one.key: one for one in load.volumes}
    on: dict[str, set[str]] = {}
    for share in situation.shares():
        on.setdefault(share.owner, set()).add(share.volume)
    for owner, volumes in sorted(on.items()):
        database = owner.partition(".")[0]
        hot = {key: waited[key] for key in volumes if key in waited and key in known}
        beside = {
            key
            for other, keys in on.items()
            if other != owner and other.partition(".")[0] == database
            for key in keys
        }
        idle = _idle_beside(load, hot, beside - volumes)
        if len(hot) < len(volumes) or len(idle) < len(volumes):
            continue
        # who spreads over more than these has the traffic of none of them for sure
        lone = [name for name, keys in on.items() if keys == volumes]
        titles = [known[key].title for key in sorted(hot)]
        everything = tuple(sorted({*volumes, *(one.key for one in idle)}))
        change = StripedSpace(owner, volumes=everything)
        subjects = tuple(of_volume(known[key]) for key in sorted(hot, key=lambda key: -hot[key]))
        yield Diagnosis(
            "D20",
            subjects=(*subjects, Subject("tablespace", owner, owner)),
            clause=f"{owner} lies on {listed(titles)} alone",
            rest=f": requests wait for {'it' if len(titles) == 1 else 'them'} while"
            f" {many(len(idle), 'other volume')} {'does' if len(idle) == 1 else 'do'} nothing"
            f" ({listed([one.title for one in idle])})",
            evidence=tuple(_rates([known[key] for key in sorted(hot)], idle)),
            confidence=LIKELY if len(lone) == 1 else POSSIBLE,
            action=f"Spread {owner} again over all {len(everything)} volumes.",
            lost=sum(hot.values()),
            foretell=gain(situation, (change,)),
            changes=(change,),
            whatif=f"stripe {owner} over volumes {','.join(known[key].title for key in everything)}",
            confirm="Bytes that grow on the added volumes alone would confirm that they were added later.",
            missing=("when the volumes were added",),
        )


def _rates(hot: list[ObservedVolume], idle: list[ObservedVolume]) -> Iterator[Measurement]:
    for one in hot:
        use = "" if isinstance(one.use, Absent) else f", {percent(one.use)} busy"
        words = f"volume {one.title}: {one.rate:,.0f} requests a second{use}"
        yield evidence("device.ios", of_volume(one), one.rate, words)
    most = max(idle, key=lambda one: one.rate)
    yield evidence("device.ios", of_volume(most), most.rate, f"the others at most {most.rate:.1f} a second")


CAUSES: Final = {"D20": added_volumes}
