"""The stretches of a long time in which something was short, from the verdicts on its steps.

The mean of a long time dilutes what was short for a part of it, and mixes one cause with another.  So each
step, a minute, has a verdict of its own, and steps with the same trouble are one stretch.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from zmon.base.clock import SECOND, clock
from zmon.base.record import NamedTuple
from zmon.diagnosis.catalogue import CONFIDENCES, catalogue
from zmon.diagnosis.diagnosis import BLIND, POSSIBLE, Verdict
from zmon.diagnosis.related import are_related, is_wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.diagnosis.diagnosis import Diagnosis, NotKnown, Subject
    from zmon.queueing.resource import Resource

MOST: Final = 10
"""Stretches that are diagnosed: those in which most time was lost."""
MOST_BRIDGED: Final = 5
"""Calm steps in a row that do not end a stretch, if it held before for as many steps."""
MOSTLY: Final = 0.8
"""The part of the time of a stretch in which one that explains it goes on: then it is no trouble of its own.

What begins when the cause is over is one, for nothing else says it of that time."""


class Step(NamedTuple):
    """A part of a long time, with the verdict on it."""

    begin: int
    end: int
    """UTC in ns."""
    found: Verdict
    uses: tuple[Resource, ...] = ()
    """How busy the shared resources were."""

    @property
    def troubles(self) -> frozenset[tuple[str, Subject]]:
        """What was short, each with the thing that it is first about."""
        return frozenset(
            (diagnosis.id, diagnosis.subjects[0])
            for diagnosis in self.found.diagnoses
            if diagnosis.id != BLIND
        )


class Stretch(NamedTuple):
    """Steps with the same trouble, with at most a few calm ones between them."""

    id: str
    subjects: frozenset[Subject]
    """All that its diagnoses were about."""
    begin: int
    end: int
    """UTC in ns."""
    steps: int
    """In how many of its steps it was found."""
    lost: float
    """Requests (or tasks) that waited, times the seconds."""
    worst: Diagnosis
    """That of the step in which most waited."""

    @property
    def rank(self) -> tuple[bool, float, int]:
        """What stretches are ordered by: as diagnoses are, but by the time that was lost in all of it."""
        return self.worst.confidence == POSSIBLE, -self.lost, self.begin


def stretches(steps: Sequence[Step]) -> list[Stretch]:
    """Return the stretches in which something was short, those with most lost time first.

    A stretch in which another one of the same thing explains it is left out, and so is a single step at the
    edge of another one: it has a part of that, and a part of the calm beside it.
    """
    all_stretches = _followed(steps)
    kept = [
        stretch
        for stretch in all_stretches
        if not any(_is_part_of(stretch, other) for other in all_stretches)
    ]
    return sorted(kept, key=lambda stretch: stretch.rank)


def _followed(steps: Sequence[Step]) -> list[Stretch]:
    """Return each trouble from the step in which it began to the one in which it was seen last."""
    followed: list[Stretch] = []
    going_on: dict[int, int] = {}
    """Places in `followed`, each with the number of the last step in which it was seen."""
    for number, step in enumerate(steps):
        for diagnosis in step.found.diagnoses:
            if diagnosis.id == BLIND:
                continue
            alike = (place for place in going_on if _continues(followed[place], diagnosis))
            place = next(alike, None)
            if place is None:
                place = len(followed)
                followed.append(
                    Stretch(
                        diagnosis.id, frozenset(), step.begin, step.end, 0, 0.0, diagnosis._replace(lost=-1.0)
                    )
                )
            followed[place] = _longer(followed[place], step, diagnosis)
            going_on[place] = number
        following = steps[number + 1 : number + 2]
        interrupted = not following or following[0].begin > step.end
        for place, last in [*going_on.items()]:
            if interrupted or number - last > min(MOST_BRIDGED, followed[place].steps):
                del going_on[place]
    return followed


def _continues(stretch: Stretch, diagnosis: Diagnosis) -> bool:
    return stretch.id == diagnosis.id and not stretch.subjects.isdisjoint(diagnosis.subjects)


def _longer(stretch: Stretch, step: Step, diagnosis: Diagnosis) -> Stretch:
    surer = CONFIDENCES.index(diagnosis.confidence) - CONFIDENCES.index(stretch.worst.confidence)
    is_worse = not stretch.steps or (surer, -diagnosis.lost) < (0, -stretch.worst.lost)
    return stretch._replace(
        subjects=stretch.subjects | {*diagnosis.subjects},
        end=step.end,
        steps=stretch.steps + (stretch.end != step.end or not stretch.steps),
        lost=stretch.lost + diagnosis.lost * (step.end - step.begin) / SECOND,
        worst=diagnosis if is_worse else stretch.worst,
    )


def _is_part_of(stretch: Stretch, other: Stretch) -> bool:
    """Return whether another stretch explains one during most of it, or has it at its edge."""
    if stretch is other:
        return False
    if (
        catalogue()[other.id].makes_secondary(stretch.id, stretch.worst.confidence)
        and _overlap(stretch, other) >= MOSTLY * (stretch.end - stretch.begin)
        and are_related(stretch.id, stretch.worst.subjects[0], stretch.subjects, other.id, other.subjects)
    ):
        return other.steps >= stretch.steps
    is_edge = stretch.steps == 1 < other.steps and (stretch.begin == other.end or stretch.end == other.begin)
    is_its_cause = other.id in catalogue()[stretch.id].explains
    if not is_edge or stretch.id == other.id or is_its_cause or _is_surer(stretch, other):
        return False
    return is_wide(other.subjects) or not stretch.subjects.isdisjoint(other.subjects)


def _overlap(stretch: Stretch, other: Stretch) -> int:
    """Return for how long both last at the same time, in ns."""
    return max(0, min(stretch.end, other.end) - max(stretch.begin, other.begin))


def _is_surer(stretch: Stretch, other: Stretch) -> bool:
    return CONFIDENCES.index(stretch.worst.confidence) < CONFIDENCES.index(other.worst.confidence)


def own_of(stretch: Stretch, verdict: Verdict) -> list[Diagnosis]:
    """Return which diagnoses of a verdict on the whole stretch are those of its trouble.

    If none is, because calm steps dilute it, that of its worst step stands for it.
    """
    explaining = {
        by for diagnosis, by in verdict.explained if diagnosis.id == stretch.id and _share(stretch, diagnosis)
    }
    own = [
        diagnosis
        for diagnosis in verdict.diagnoses
        if (diagnosis.id == stretch.id or diagnosis.id in explaining) and _share(stretch, diagnosis)
    ]
    return own or [stretch.worst]


def _share(stretch: Stretch, diagnosis: Diagnosis) -> bool:
    return not stretch.subjects.isdisjoint(diagnosis.subjects)


def together(
    steps: Sequence[Step],
    parts: Iterable[tuple[Stretch, Verdict]],
    left_out: Sequence[Stretch],
    whole: Verdict,
) -> Verdict:
    """Return the verdict on a long time: the diagnoses of its stretches, and what is said of the rest.

    Args:
        steps: all steps.
        parts: the stretches that are diagnosed, each with the verdict on it; there is at least one.
        left_out: the others.
        whole: the verdict on the mean of all, which says what measurements are off.
    """
    diagnoses: list[Diagnosis] = []
    explained: list[tuple[Diagnosis, str]] = []
    unknown: dict[str, NotKnown] = {}
    most = 0.0
    for stretch, verdict in parts:
        is_all = stretch.begin <= steps[0].begin and stretch.end >= steps[-1].end
        when = (None, None) if is_all else (stretch.begin, stretch.end)
        own = own_of(stretch, verdict)
        most = max([most, verdict.waiting, *(diagnosis.lost for diagnosis in own)])
        new = [
            diagnosis for diagnosis in own if not any(_is_same(diagnosis, when, other) for other in diagnoses)
        ]
        ids = {diagnosis.id for diagnosis in new}
        diagnoses += [diagnosis._replace(begin=when[0], end=when[1]) for diagnosis in new]
        explained += [
            (diagnosis._replace(begin=when[0], end=when[1]), by)
            for diagnosis, by in verdict.explained
            if by in ids
        ]
        unknown = {cause.id: cause for cause in verdict.unknown} | unknown
    seconds = (steps[-1].end - steps[0].begin) / SECOND
    diagnoses.sort(
        key=lambda diagnosis: (
            diagnosis.confidence == POSSIBLE,
            -_time_lost(diagnosis, seconds),
            diagnosis.begin or 0,
        )
    )
    rest, (first, *_) = _rest(steps, left_out), diagnoses
    return Verdict(
        (*diagnoses, *(diagnosis for diagnosis in whole.diagnoses if diagnosis.id == BLIND)),
        tuple(explained),
        f"{timed_claim(first)} {first.action} {rest}".rstrip(),
        "",
        (*({cause.id: cause for cause in unknown_in(steps)} | unknown).values(),),
        rest,
        waiting=most,
    )


def _is_same(diagnosis: Diagnosis, when: tuple[int | None, int | None], other: Diagnosis) -> bool:
    return (diagnosis.id, diagnosis.subjects, *when) == (other.id, other.subjects, other.begin, other.end)


def unknown_in(steps: Sequence[Step]) -> list[NotKnown]:
    """Return what is not known in any of the calm steps."""
    unknowns = [step.found.unknown for step in steps if step.found.is_calm]
    ids = set[str]().union(*({cause.id for cause in unknown} for unknown in unknowns))
    ids = ids.intersection(*({cause.id for cause in unknown} for unknown in unknowns))
    return [cause for cause in (unknowns[0] if unknowns else ()) if cause.id in ids]


def may_wait_in(steps: Sequence[Step]) -> str:
    """Return which requests may wait in the first calm step in which some may; empty if there is none."""
    return next((step.found.may_wait for step in steps if step.found.is_calm and step.found.may_wait), "")


def damage_in(steps: Sequence[Step]) -> str:
    """Return what of the recording is damaged in the first calm step in which something is."""
    return next((step.found.damage for step in steps if step.found.is_calm and step.found.damage), "")


def _time_lost(diagnosis: Diagnosis, whole: float) -> float:
    """Return the requests that waited, times the seconds of the stretch, or of all the time."""
    return diagnosis.lost * (
        whole
        if diagnosis.begin is None or diagnosis.end is None
        else (diagnosis.end - diagnosis.begin) / SECOND
    )


def _rest(steps: Sequence[Step], left_out: Sequence[Stretch]) -> str:
    """Return what is said of the time outside of the stretches that are diagnosed."""
    texts = []
    if left_out:
        span = times(min(stretch.begin for stretch in left_out), max(stretch.end for stretch in left_out))
        titles = dict.fromkeys(f"{catalogue()[stretch.id].title} ({stretch.id})" for stretch in left_out)
        texts.append(f"{len(left_out)} more in {span}, in which less time is lost: {', '.join(titles)}.")
    may_wait = may_wait_in(steps)
    if may_wait:
        texts.append(f"In the rest of the time nothing else is known to be short: {may_wait}.")
    elif any(step.found.is_calm and not step.found.damage for step in steps):
        gap = any(step.end < other.begin for step, other in pairwise(steps))
        texts.append(f"The rest of the time nothing is short{', as far as there are samples' * gap}.")
    if damage := damage_in(steps):
        texts.append(f"Of some of the time it is not known: {damage}.")
    return " ".join(texts)


def times(begin: int, end: int) -> str:
    """Write a stretch: `14:30 - 14:52`; with days where it ends on another one, with seconds if need be."""
    form = "%H:%M" if begin // SECOND % 60 == 0 and end // SECOND % 60 == 0 else "%H:%M:%S"
    if clock(begin, "%Y-%m-%d") != clock(end, "%Y-%m-%d"):
        form = f"%m-%d {form}"
    return f"{clock(begin, form)} - {clock(end, form)}"


def stretch_of(diagnosis: Diagnosis) -> str:
    """Return what stands before the claim of a diagnosis that is of a part of a long time; else nothing."""
    if diagnosis.begin is None or diagnosis.end is None or diagnosis.says_when:
        return ""
    return f"{times(diagnosis.begin, diagnosis.end)}: "


def timed_claim(diagnosis: Diagnosis) -> str:
    """Return the claim of a diagnosis, behind the time of its stretch where that is a part of a long time."""
    return f"{stretch_of(diagnosis)}{diagnosis.claim}"
