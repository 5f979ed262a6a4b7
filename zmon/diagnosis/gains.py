"""No advice that gains nothing: what the model of all resources says of the remedies of diagnoses.

A queue may stand before one resource while another one limits: more aliases gain nothing where the channel
paths are full.  Then what limits explains the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.diagnosis import LIKELY, POSSIBLE, nothing_known
from zmon.diagnosis.phrases import gain_of, prediction
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
    every = {
        diagnosis.id: predicted
        for diagnosis in diagnoses
        if (predicted := _predicted(situation, diagnosis)) is not None
    }
    predictions = {id_: outcome for id_, outcome in every.items() if catalogue()[id_].remedy}
    little = {
        id_
        for id_, outcome in predictions.items()
        if gains_little(outcome) and not _is_for_programs(id_, outcome)
    }
    if not little:
        return list(diagnoses), []
    sure = {id_ for id_, outcome in predictions.items() if outcome.confidence != LOW}
    limits = {predictions[id_].limiting for id_ in little & sure}
    helps = [
        diagnosis
        for diagnosis in diagnoses
        if diagnosis.id in sure - little
        or (diagnosis.id in predictions.keys() - little and _limit_of(diagnosis) in limits)
    ]
    first = max(helps, key=lambda diagnosis: predictions[diagnosis.id].times, default=None)
    aside = little & sure
    advised = [
        _without_advice(diagnosis, predictions[diagnosis.id]) if diagnosis.id in little else diagnosis
        for diagnosis in diagnoses
    ]
    if first is None:
        pairs = [
            (diagnosis, cause.id)
            for diagnosis in advised
            if diagnosis.id in aside
            and (cause := _limiting(predictions[diagnosis.id], advised, little)) is not None
        ]
        return [
            diagnosis for diagnosis in advised if not any(diagnosis is other for other, _ in pairs)
        ], pairs
    if not aside:
        return advised, []
    useless = [diagnosis for diagnosis in advised if diagnosis.id in aside]
    limiting = first._replace(
        confidence=LIKELY if first.confidence == POSSIBLE else first.confidence,
        lost=max(diagnosis.lost for diagnosis in (first, *useless)),
    )
    kept = [
        limiting if diagnosis is first else diagnosis for diagnosis in advised if diagnosis.id not in aside
    ]
    return kept, [(diagnosis, first.id) for diagnosis in useless]


def _limiting(
    prediction: Prediction, diagnoses: Sequence[Diagnosis], useless: Collection[str]
) -> Diagnosis | None:
    """Return the diagnosis, more than a possibility, that is first about what limits in a prediction."""
    candidates = (
        diagnosis
        for diagnosis in diagnoses
        if diagnosis.id not in useless and diagnosis.subjects and diagnosis.confidence != POSSIBLE
    )
    return next((diagnosis for diagnosis in candidates if _limit_of(diagnosis) == prediction.limiting), None)


def _is_for_programs(id_: str, prediction: Prediction) -> bool:
    """Return whether a remedy gives processors to programs that compute, of which the model knows nothing.

    It is so where the throughput stays the same though nothing but the processors limits it.
    """
    return id_ == FULL_PROCESSORS and prediction.limiting == PROCESSORS


def _limit_of(diagnosis: Diagnosis) -> tuple[str, str]:
    """Return the kind and key that the first subject has where it limits."""
    first = diagnosis.subjects[0]
    return ("paths" if first.kind == "path" else first.kind), first.key


def _predicted(situation: Situation, diagnosis: Diagnosis) -> Prediction | None:
    """Return what a remedy gives; None if it is not known, or a loss of which the model is not sure."""
    predicted = prediction(situation, diagnosis.changes) if diagnosis.changes else None
    return None if predicted is None or predicted.is_unsure_loss else predicted


def _without_advice(diagnosis: Diagnosis, prediction: Prediction) -> Diagnosis:
    record = catalogue()[diagnosis.id]
    action = f"{record.remedy} {gain_of(prediction).hardly}.{record.instead and f' {record.instead}'}"
    brief = diagnosis.told._replace(action=action, do="")
    return diagnosis._replace(action=action, brief=brief, foretell=nothing_known)
