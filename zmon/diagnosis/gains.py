"""No advice that gains nothing: what the model of all resources says of the remedies of diagnoses.

A queue may stand before one resource while another one limits: more aliases gain nothing where the channel
paths are full.  Then what limits explains the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.diagnosis import LIKELY, POSSIBLE, nothing_known
from zmon.diagnosis.phrases import prediction
from zmon.queueing.prediction import LOW, PROCESSORS, gains_little

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from zmon.diagnosis.diagnosis import Diagnosis
    from zmon.diagnosis.situation import Situation
    from zmon.queueing.prediction import Prediction

FULL_PROCESSORS: Final = "D15"


def by_gain(
    situation: Situation, diagnoses: Sequence[Diagnosis]
) -> tuple[list[Diagnosis], list[tuple[Diagnosis, str]]]:
    """Return diagnoses without advice that gains little, and those that another one explains, with its id.

    One that gains little is explained by the one that gains most, where the model is sure of both, or the
    other one is about what limits; where no remedy is known that gains more, by the one that is about what
    limits then.
    """
    every = {one.id: known for one in diagnoses if (known := _predicted(situation, one)) is not None}
    found = {id_: known for id_, known in every.items() if catalogue()[id_].remedy}
    little = {id_ for id_, known in found.items() if gains_little(known) and not _is_for_programs(id_, known)}
    if not little:
        return list(diagnoses), []
    sure = {id_ for id_, known in found.items() if known.confidence != LOW}
    limits = {found[id_].limiting for id_ in little & sure}
    helps = [
        one
        for one in diagnoses
        if one.id in sure - little or (one.id in found.keys() - little and _limit_of(one) in limits)
    ]
    first = max(helps, key=lambda one: found[one.id].times, default=None)
    aside = little & sure
    advised = [_without_advice(one, found[one.id]) if one.id in little else one for one in diagnoses]
    if first is None:
        pairs = [
            (one, cause.id)
            for one in advised
            if one.id in aside and (cause := _limiting(found[one.id], advised, little)) is not None
        ]
        return [one for one in advised if not any(one is each for each, _ in pairs)], pairs
    if not aside:
        return advised, []
    useless = [one for one in advised if one.id in aside]
    limiting = first._replace(
        confidence=LIKELY if first.confidence == POSSIBLE else first.confidence,
        lost=max(one.lost for one in (first, *useless)),
    )
    kept = [limiting if one is first else one for one in advised if one.id not in aside]
    return kept, [(one, first.id) for one in useless]


def _limiting(
    found: Prediction, diagnoses: Sequence[Diagnosis], useless: Collection[str]
) -> Diagnosis | None:
    """Return the diagnosis that is first about the resource that limits in a prediction."""
    each = (one for one in diagnoses if one.id not in useless and one.subjects)
    return next((one for one in each if _limit_of(one) == found.limiting), None)


def _is_for_programs(id_: str, found: Prediction) -> bool:
    """Return whether a remedy gives processors to programs that compute, of which the model knows nothing.

    It is so where the throughput stays the same though nothing but the processors limits it.
    """
    return id_ == FULL_PROCESSORS and found.limiting == PROCESSORS


def _limit_of(one: Diagnosis) -> tuple[str, str]:
    """Return the kind and key that the first subject has where it limits."""
    first = one.subjects[0]
    return ("paths" if first.kind == "path" else first.kind), first.key


def _predicted(situation: Situation, one: Diagnosis) -> Prediction | None:
    """Return what a remedy gives; None if it is not known, or a loss of which the model is not sure."""
    found = prediction(situation, one.changes) if one.changes else None
    return None if found is None or found.is_unsure_loss else found


def _without_advice(one: Diagnosis, found: Prediction) -> Diagnosis:
    sure = " (low confidence)" if found.confidence == LOW else ""
    limit = f": next limit {found.next_limit}" if found.next_limit else ""
    gain = f"would gain little, {found.times:.2f} times the throughput{sure}{limit}"
    words = f"{catalogue()[one.id].remedy} {gain}."
    return one._replace(action=words, foretell=nothing_known)
