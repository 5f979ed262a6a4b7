"""The verdict on a situation: all causes are asked, what others explain is set aside, the rest is ranked.

A cause is a function of a situation that returns diagnoses, none, or why it is not known.  Each module of
causes lists its own by their ids as `CAUSES`.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
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
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses, Diagnosis
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLoad
    from zmon.queueing.resource import Resource

CAUSES: Final[Mapping[str, Callable[[Situation], Diagnoses]]] = {
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
NO_ROOM: Final = 0.95
"""Utilisation from which on a resource has no room for more load."""
WORTH_SAYING: Final = 100.0
"""The factor of the load up to which it is said when a resource is full."""


def verdict(situation: Situation) -> Verdict:
    """Return what is wrong, or that nothing is short."""
    diagnoses: list[Diagnosis] = []
    unknown: list[NotKnown] = []
    for id_, cause in CAUSES.items():
        found = SWITCHED_OFF if catalogue()[id_].off else cause(situation)
        if isinstance(found, Absent):
            unknown.append(NotKnown(id_, found.reason, found is processors.WHETHER))
        else:
            diagnoses += found
    explained = tuple(_explained(diagnoses))
    aside = [one for one, _ in explained]
    uses = resource_uses(situation.load)
    ids = {one.id for one in diagnoses}
    roots = [one for one in diagnoses if not any(one is each for each in aside)]
    roots, useless = by_gain(situation, roots)
    explained = (*explained, *useless)
    first = [
        one._replace(excluded=(*one.excluded, *_excluded(_of_its_lcus(situation.load, one, uses), ids)))
        for one in roots
    ]
    first.sort(key=lambda one: _rank(one, explained))
    first = [compared(one, situation.machine.usual) for one in first]
    damage = situation.damage()
    limit = None if damage else _next(uses, ids)
    short, more = _sentences(situation, first, limit, unknown)
    return Verdict(
        tuple(first),
        explained,
        f"{short}{more}",
        _limit_words(limit),
        tuple(unknown),
        examined=examined(situation, [*first, *(one for one, _ in explained)]),
        is_measured=_is_measured(situation, unknown),
        waiting=_waiting(situation, first),
        may_wait=_may_wait(situation),
        short=short,
        damage=damage,
    )


def _may_wait(situation: Situation) -> str:
    """Return which requests may wait, without those that come in bursts: that they wait is known."""
    return words_of(place for place in situation.waiting.undecided if place.kind != "bursts")


def _waiting(situation: Situation, diagnoses: Sequence[Diagnosis]) -> float:
    """Return how many requests or tasks wait because of diagnoses.

    Several may be about the same requests, as one says what is full and another who fills it: so those that
    wait for volumes, LCUs and paths are no more than wait there, or than one diagnosis alone has.
    """
    at_places = [one.lost for one in diagnoses if one.subjects[0].kind in PLACES]
    elsewhere = sum(one.lost for one in diagnoses if one.subjects[0].kind not in PLACES)
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
    blind = tuple(one for one in whole.diagnoses if one.id == BLIND)
    limit = None if damage else _next(resource_uses(situation.load), set())
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


def _rank(one: Diagnosis, explained: Sequence[tuple[Diagnosis, str]]) -> tuple[object, ...]:
    """Return what diagnoses are ordered by: what is certain or likely first, then the time that is lost."""
    lost = max([one.lost, *(other.lost for other, id_ in explained if id_ == one.id)])
    return (
        one.id == BLIND,
        one.confidence == POSSIBLE,
        -lost,
        CONFIDENCES.index(one.confidence),
        one.id,
        one.claim,
    )


def _explained(diagnoses: Sequence[Diagnosis]) -> Iterator[tuple[Diagnosis, str]]:
    """Yield the diagnoses that others explain, with the id of one that does and that nothing explains."""
    causes = [
        [each for each in diagnoses if one.id in catalogue()[each.id].explains and _are_related(one, each)]
        for one in diagnoses
    ]
    roots = {id(one) for one, found in zip(diagnoses, causes, strict=True) if not found}
    for one, found in zip(diagnoses, causes, strict=True):
        if found:
            yield one, next((each for each in found if id(each) in roots), found[0]).id


def _are_related(one: Diagnosis, other: Diagnosis) -> bool:
    return are_related(one.id, one.subjects[0], one.subjects, other.id, other.subjects)


def _of_its_lcus(load: ObservedLoad, diagnosis: Diagnosis, uses: Sequence[Resource]) -> Sequence[Resource]:
    """Return the resources that the things of a diagnosis use: those of their LCUs, and what all share.

    What is about no LCU, as memory is, may be about all of them.
    """
    paths = {chpid for key in _keys(diagnosis, "path") for chpid in key.split()}
    volumes = _keys(diagnosis, "volume")
    homes = _keys(diagnosis, "lcu") | {one.lcu for key in volumes if (one := load.volume(key)) is not None}
    lcus = [one for one in load.lcus if one.key in homes or not paths.isdisjoint(one.chpids)]
    if not lcus:
        return uses
    keys = {one.key for one in lcus}
    chpids = {chpid for one in lcus for chpid in one.chpids}
    own = volumes or {one.key for key in keys for one in load.used_of(key)}

    def is_its(one: Resource) -> bool:
        if one.kind == "paths":
            return not chpids.isdisjoint(one.key.split())
        return one.kind == "processors" or one.key in (own if one.kind == "volume" else keys)

    return [one for one in uses if is_its(one)]


def _keys(diagnosis: Diagnosis, kind: str) -> set[str]:
    return {one.key for one in diagnosis.subjects if one.kind == kind}


def _excluded(uses: Sequence[Resource], ids: set[str]) -> Iterator[str]:
    """Yield what is not short, the busiest of each kind with its number."""
    said = set()
    for one in uses:
        spare = FULL_PROCESSORS if one.kind == "processors" else SPARE
        if one.kind not in said and ids.isdisjoint(short_of(one.kind)) and one.use < spare:
            yield f"{one.name}: {one.busy}"
        said.add(one.kind)


def _next(uses: Sequence[Resource], ids: set[str]) -> Resource | None:
    """Return which shared resource is full next; none where one is short.

    What is next then depends on what is done about it: the gain of a diagnosis says it.  A volume is none: a
    single stream keeps one busy, and others are beside it.
    """
    if not ids.isdisjoint(short_of("")):
        return None
    each = (one for one in uses if ids.isdisjoint(short_of(one.kind)) and one.kind != "volume")
    return next((one for one in each if one.use > 1 / WORTH_SAYING), None)


def _limit_words(one: Resource | None) -> str:
    """Say at how many times this load a resource is full; empty where there is none."""
    if one is None:
        return ""
    if one.use >= NO_ROOM:
        return f"{one.name}, with no room for more load ({one.busy})"
    return f"{one.name}, at about {1 / one.use:.1f} times this load ({one.busy})"


def _sentences(
    situation: Situation,
    diagnoses: Sequence[Diagnosis],
    limit: Resource | None,
    unknown: Sequence[NotKnown],
) -> tuple[str, str]:
    """Return the verdict: the first of its sentences, and what follows behind a blank."""
    if diagnoses and diagnoses[0].id != BLIND:
        return diagnoses[0].claim, f" {diagnoses[0].action}"
    if any(place.kind != "processors" for place in situation.waiting.places):
        return f"{situation.waiting.why}.", ""
    return _calm_sentences(situation, limit, unknown, situation.damage())


def _is_measured(situation: Situation, unknown: Sequence[NotKnown]) -> bool:
    """Return whether the load of any resource was read: disks, channel paths, processors or memory."""
    load = situation.load
    known = (load.processors.busy, *load.paths.values())
    return (
        bool(load.volumes)
        or any(not isinstance(one, Absent) for one in known)
        or not {one.id for one in unknown} >= {"D16", "D17", "D18"}
    )


def _calm_sentences(
    situation: Situation,
    limit: Resource | None,
    unknown: Sequence[NotKnown],
    damage: str,
    may_wait: str = "",
) -> tuple[str, str]:
    if damage:
        return f"Whether anything is short is not known: {damage}.", ""
    if not _is_measured(situation, unknown):
        return NOTHING_MEASURED, ""
    busiest = situation.waiting.busiest
    undecided = processors.may_be_full(unknown)
    is_blind = undecided or not situation.sees_disks or {one.id for one in unknown} & short_of("lcu")
    blind = " as far as is measured" if is_blind else ""
    is_full = limit is not None and limit.use >= NO_ROOM
    may_wait = _may_wait(situation) or may_wait
    if may_wait:
        return f"{may_wait[:1].upper()}{may_wait[1:]}.", f" Nothing else is short{blind}."
    words = f"Nothing {'waits' if is_full else 'is short'}{blind}"
    if situation.waiting.undecided:
        lost = fsum(place.requests for place in situation.waiting.undecided)
        waits = f"{many(lost, 'request')} wait in Linux in bursts"
        words = waits if is_full else f"Nothing is full{blind}, though {waits}"
    if busiest:
        words += f"; {busiest}"
    if undecided:
        words += "; whether the processors are full is not known"
    return f"{words}.", f" Next limit: {_limit_words(limit)}." if limit else ""
