"""The verdict on a situation: all causes are asked, what others explain is set aside, the rest is ranked.

A cause is a function of a situation that returns diagnoses, none, or why it is not known.  Each module of
causes lists its own by their ids as `CAUSES`.
"""

from __future__ import annotations

from functools import partial
from math import fsum
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.mistake import contained, itself
from zmon.base.ranges import many
from zmon.diagnosis import (
    above_disks,
    added_volumes,
    aliases,
    channels,
    control_units,
    disturbances,
    lost_paths,
    memory,
    new_load,
    other_disks,
    pending,
    processors,
    reads_and_writes,
    scsi_paths,
    shared_logs,
    transfers,
)
from zmon.diagnosis.catalogue import CONFIDENCES, catalogue, short_of
from zmon.diagnosis.diagnosis import BLIND, POSSIBLE, NotKnown, Verdict
from zmon.diagnosis.examined import examined
from zmon.diagnosis.gains import by_gain
from zmon.diagnosis.related import are_related
from zmon.diagnosis.usual import compared
from zmon.queueing.headroom import resource_uses
from zmon.queueing.undecided import words_of
from zmon.queueing.waiting import FULL_PROCESSORS
from zmon.words.records import SWITCHED_OFF

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses, Diagnosis
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLoad
    from zmon.queueing.resource import Resource

CAUSES: Final[Causes] = {
    **processors.CAUSES,
    **memory.CAUSES,
    **disturbances.CAUSES,
    **lost_paths.CAUSES,
    **scsi_paths.CAUSES,
    **channels.CAUSES,
    **pending.CAUSES,
    **new_load.CAUSES,
    **control_units.CAUSES,
    **reads_and_writes.CAUSES,
    **transfers.CAUSES,
    **added_volumes.CAUSES,
    **aliases.CAUSES,
    **other_disks.CAUSES,
    **above_disks.CAUSES,
    **shared_logs.CAUSES,
}
"""All of them, in the order in which resources are looked at."""
PLACES: Final = frozenset({"adapter", "lcu", "path", "volume"})
"""Kinds of subjects that requests wait for, as `zmon.queueing.waiting` counts them."""
SPARE: Final = 0.7
"""Utilisation below which a resource is excluded as a cause; processors are until they may be full (D15)."""
NOTHING_MEASURED: Final = (
    "Nothing was measured: no load of disks, channel paths, processors or memory is there."
)
"""The verdict where nothing can be short, because nothing is known of anything."""
NOT_JUDGED: Final = "Whether anything is short is not known: {}."
NO_ROOM: Final = 0.95
"""Utilisation from which on a resource has no room for more load."""
MOSTLY: Final = 0.5
"""The part of the processors' time that zmon itself has, from which on the rest is not told."""
WORTH_SAYING: Final = 100.0
"""The factor of the load up to which it is said when a resource is full."""


def verdict(situation: Situation) -> Verdict:
    """Return what is wrong, or that nothing is short."""
    diagnoses: list[Diagnosis] = []
    unknown: list[NotKnown] = []
    for id_, cause in CAUSES.items():
        diagnosed: Diagnoses = SWITCHED_OFF
        if not catalogue()[id_].off:
            diagnosed = contained(f"the diagnosis {id_}", partial(cause, situation), itself)
        if isinstance(diagnosed, Absent):
            unknown.append(NotKnown(id_, diagnosed.reason, diagnosed is processors.WHETHER))
        else:
            diagnoses += diagnosed
    explained = tuple(_explained(diagnoses))
    aside = [diagnosis for diagnosis, _ in explained]
    uses = resource_uses(situation.load)
    ids = {diagnosis.id for diagnosis in diagnoses}
    roots = [diagnosis for diagnosis in diagnoses if not any(diagnosis is other for other in aside)]
    roots, useless = by_gain(situation, roots)
    explained = (*explained, *useless)
    first = [
        root._replace(
            excluded=(*root.excluded, *_excluded(_of_its_lcus(situation.load, root, uses), ids)),
            lost=max([root.lost, *(other.lost for other, id_ in explained if id_ == root.id)]),
        )
        for root in roots
    ]
    first.sort(key=_rank)
    first = [compared(diagnosis, situation.machine.usual) for diagnosis in first]
    is_calm = all(diagnosis.id == BLIND for diagnosis in first)
    damage = situation.damage() or (_mistake_in(unknown) if is_calm else "")
    limit = None if damage else _next(situation.load, uses, ids)
    short, more = _sentences(situation, first, limit, unknown, damage)
    return Verdict(
        tuple(first),
        explained,
        f"{short}{more}",
        _limit_words(limit),
        tuple(unknown),
        examined=examined(situation, [*first, *(diagnosis for diagnosis, _ in explained)]),
        is_measured=_is_measured(situation, unknown),
        waiting=_waiting(situation, first),
        may_wait=_may_wait(situation),
        short=short,
        damage=damage,
    )


def _mistake_in(unknown: Sequence[NotKnown]) -> str:
    """Return the first mistake of a cause: as long as there is one, nothing is said not to be short."""
    return next((cause.source for cause in unknown if cause.is_mistake), "")


def not_judged(why: Absent) -> Verdict:
    """Return the verdict where there is none, and why."""
    sentence = NOT_JUDGED.format(why.reason)
    return Verdict((), (), sentence, "", (), is_measured=False, short=sentence, damage=why.reason)


def _may_wait(situation: Situation) -> str:
    """Return which requests may wait, without those that come in bursts: that they wait is known."""
    return words_of(place for place in situation.waiting.undecided if place.kind != "bursts")


def _waiting(situation: Situation, diagnoses: Sequence[Diagnosis]) -> float:
    """Return how many requests or tasks wait because of diagnoses.

    Several may be about the same requests, as one says what is full and another who fills it: so those that
    wait for volumes, LCUs and paths are no more than wait there, or than one diagnosis alone has.
    """
    at_places = [diagnosis.lost for diagnosis in diagnoses if diagnosis.subjects[0].kind in PLACES]
    elsewhere = sum(diagnosis.lost for diagnosis in diagnoses if diagnosis.subjects[0].kind not in PLACES)
    return elsewhere + min(sum(at_places), max([situation.waiting.lost, *at_places]))


def calm(
    situation: Situation,
    whole: Verdict,
    unknown: Sequence[NotKnown],
    may_wait: str = "",
    damage: str = "",
) -> Verdict:
    """Return the verdict on a long time in no step of which something was short, from that on its mean.

    What may have waited in a step, or was found damaged, is not lost in the mean.
    """
    damage = damage or whole.damage
    blind = tuple(diagnosis for diagnosis in whole.diagnoses if diagnosis.id == BLIND)
    limit = None if damage else _next(situation.load, resource_uses(situation.load), set())
    short, more = _calm_sentences(situation, limit, unknown, damage, may_wait)
    return whole._replace(
        diagnoses=blind,
        explained=(),
        sentence=f"{short}{more}",
        next_limit=_limit_words(limit),
        unknown=tuple(unknown),
        waiting=0.0,
        may_wait=whole.may_wait or may_wait,
        short=short,
        damage=damage,
    )


def _rank(diagnosis: Diagnosis) -> tuple[object, ...]:
    """Return what diagnoses are ordered by: what is certain or likely first, then the time that is lost."""
    return (
        diagnosis.id == BLIND,
        diagnosis.confidence == POSSIBLE,
        -diagnosis.lost,
        CONFIDENCES.index(diagnosis.confidence),
        diagnosis.id,
        diagnosis.claim,
    )


def _explained(diagnoses: Sequence[Diagnosis]) -> Iterator[tuple[Diagnosis, str]]:
    """Yield the diagnoses that others explain, with the id of one that does and that nothing explains."""
    causes = [
        [
            root
            for root in diagnoses
            if catalogue()[root.id].makes_secondary(diagnosis.id, diagnosis.confidence)
            and _are_related(diagnosis, root)
        ]
        for diagnosis in diagnoses
    ]
    roots = {id(diagnosis) for diagnosis, explaining in zip(diagnoses, causes, strict=True) if not explaining}
    for diagnosis, explaining in zip(diagnoses, causes, strict=True):
        if explaining:
            yield diagnosis, next((other for other in explaining if id(other) in roots), explaining[0]).id


def _are_related(diagnosis: Diagnosis, other: Diagnosis) -> bool:
    return are_related(diagnosis.id, diagnosis.subjects[0], diagnosis.subjects, other.id, other.subjects)


def _of_its_lcus(load: ObservedLoad, diagnosis: Diagnosis, uses: Sequence[Resource]) -> Sequence[Resource]:
    """Return the resources that the things of a diagnosis use: those of their LCUs, and what all share.

    What is about no LCU, as memory is, may be about all of them.
    """
    paths = {chpid for key in _keys(diagnosis, "path") for chpid in key.split()}
    volumes = _keys(diagnosis, "volume")
    homes = _keys(diagnosis, "lcu") | {
        volume.lcu for key in volumes if (volume := load.volume(key)) is not None
    }
    lcus = [lcu for lcu in load.lcus if lcu.key in homes or not paths.isdisjoint(lcu.chpids)]
    if not lcus:
        return uses
    keys = {lcu.key for lcu in lcus}
    chpids = {chpid for lcu in lcus for chpid in lcu.chpids}
    own = volumes or {member.key for key in keys for member in load.used_of(key)}

    def is_its(resource: Resource) -> bool:
        if resource.kind == "paths":
            return not chpids.isdisjoint(resource.key.split())
        return resource.kind == "processors" or resource.key in (own if resource.kind == "volume" else keys)

    return [use for use in uses if is_its(use)]


def _keys(diagnosis: Diagnosis, kind: str) -> set[str]:
    return {subject.key for subject in diagnosis.subjects if subject.kind == kind}


def _excluded(uses: Sequence[Resource], ids: set[str]) -> Iterator[str]:
    """Yield what is not short, the busiest of each kind with its number."""
    said = set()
    for use in uses:
        spare = FULL_PROCESSORS if use.kind == "processors" else SPARE
        if use.kind not in said and ids.isdisjoint(short_of(use.kind)) and use.use < spare:
            yield f"{use.name}: {use.busy}"
        said.add(use.kind)


def _next(load: ObservedLoad, uses: Sequence[Resource], ids: set[str]) -> Resource | None:
    """Return which shared resource is full next; none where one is short.

    What is next then depends on what is done about it: the gain of a diagnosis says it.  A volume is none: a
    single stream keeps one busy, and others are beside it.  Processors that zmon itself has mostly, as in the
    first moment of a start, are none: what others have of so short a time says nothing.  Where DASD are not
    timed, an LCU may be full before what is measured: only what has no room is said then.
    """
    if not ids.isdisjoint(short_of("")):
        return None
    listed = (use for use in uses if ids.isdisjoint(short_of(use.kind)) and use.kind != "volume")
    fullest = next((use for use in listed if use.use > 1 / WORTH_SAYING and use.own < MOSTLY), None)
    return None if fullest is None or (fullest.use < NO_ROOM and load.is_untimed) else fullest


def _limit_words(resource: Resource | None) -> str:
    """Say at how many times this load a resource is full; empty where there is none."""
    if resource is None:
        return ""
    if resource.use >= NO_ROOM:
        return f"{resource.name}, with no room for more load ({resource.busy})"
    return f"{resource.name}, at about {1 / resource.use:.1f} times this load ({resource.busy})"


def _sentences(
    situation: Situation,
    diagnoses: Sequence[Diagnosis],
    limit: Resource | None,
    unknown: Sequence[NotKnown],
    damage: str,
) -> tuple[str, str]:
    """Return the verdict: the first of its sentences, and what follows behind a blank."""
    if diagnoses and diagnoses[0].id != BLIND:
        return diagnoses[0].claim, f" {diagnoses[0].action}"
    if any(place.kind != "processors" for place in situation.waiting.places):
        return f"{situation.waiting.why}.", ""
    return _calm_sentences(situation, limit, unknown, damage)


def _is_measured(situation: Situation, unknown: Sequence[NotKnown]) -> bool:
    """Return whether the load of any resource was read: disks, channel paths, processors or memory."""
    load = situation.load
    measured = (load.processors.busy, *load.paths.values())
    return (
        bool(load.volumes)
        or any(not isinstance(figure, Absent) for figure in measured)
        or not {cause.id for cause in unknown} >= {"D16", "D17", "D18"}
    )


def _calm_sentences(
    situation: Situation,
    limit: Resource | None,
    unknown: Sequence[NotKnown],
    damage: str,
    may_wait: str = "",
) -> tuple[str, str]:
    if damage:
        return NOT_JUDGED.format(damage), ""
    if not _is_measured(situation, unknown):
        return NOTHING_MEASURED, ""
    busiest = situation.waiting.busiest
    undecided = processors.may_be_full(unknown)
    is_blind = undecided or not situation.sees_disks or {cause.id for cause in unknown} & short_of("lcu")
    blind = " as far as is measured" if is_blind else ""
    is_full = limit is not None and limit.use >= NO_ROOM
    may_wait = _may_wait(situation) or may_wait
    if may_wait:
        return f"{may_wait[:1].upper()}{may_wait[1:]}.", f" Nothing else is short{blind}."
    text = f"Nothing {'waits' if is_full else 'is short'}{blind}"
    if situation.waiting.undecided:
        lost = fsum(place.requests for place in situation.waiting.undecided)
        waits = f"{many(lost, 'request')} wait in Linux in bursts"
        text = waits if is_full else f"Nothing is full{blind}, though {waits}"
    if busiest:
        text += f"; {busiest}"
    if undecided:
        text += "; whether the processors are full is not known"
    return f"{text}.", f" Next limit: {_limit_words(limit)}." if limit else ""
