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
        return frozenset((one.id, one.subjects[0]) for one in self.found.diagnoses if one.id != BLIND)


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
    found = _followed(steps)
    kept = [one for one in found if not any(_is_part_of(one, other) for other in found)]
    return sorted(kept, key=lambda one: one.rank)


def _followed(steps: Sequence[Step]) -> list[Stretch]:
    """Return each trouble from the step in which it began to the one in which it was seen last."""
    found: list[Stretch] = []
    going_on: dict[int, int] = {}
    """Places in `found`, each with the number of the last step in which it was seen."""
    for number, step in enumerate(steps):
        for one in step.found.diagnoses:
            if one.id == BLIND:
                continue
            alike = (place for place in going_on if _continues(found[place], one))
            place = next(alike, None)
            if place is None:
                place = len(found)
                found.append(
                    Stretch(one.id, frozenset(), step.begin, step.end, 0, 0.0, one._replace(lost=-1.0))
                )
            found[place] = _longer(found[place], step, one)
            going_on[place] = number
        following = steps[number + 1 : number + 2]
        interrupted = not following or following[0].begin > step.end
        for place, last in [*going_on.items()]:
            if interrupted or number - last > min(MOST_BRIDGED, found[place].steps):
                del going_on[place]
    return found


def _continues(stretch: Stretch, one: Diagnosis) -> bool:
    return stretch.id == one.id and not stretch.subjects.isdisjoint(one.subjects)


def _longer(stretch: Stretch, step: Step, one: Diagnosis) -> Stretch:
    surer = CONFIDENCES.index(one.confidence) - CONFIDENCES.index(stretch.worst.confidence)
    is_worse = not stretch.steps or (surer, -one.lost) < (0, -stretch.worst.lost)
    return stretch._replace(
        subjects=stretch.subjects | {*one.subjects},
        end=step.end,
        steps=stretch.steps + (stretch.end != step.end or not stretch.steps),
        lost=stretch.lost + one.lost * (step.end - step.begin) / SECOND,
        worst=one if is_worse else stretch.worst,
    )


def _is_part_of(one: Stretch, other: Stretch) -> bool:
    """Return whether another stretch explains one during most of it, or has it at its edge."""
    if one is other:
        return False
    if (
        one.id in catalogue()[other.id].explains
        and _overlap(one, other) >= MOSTLY * (one.end - one.begin)
        and are_related(one.id, one.worst.subjects[0], one.subjects, other.id, other.subjects)
    ):
        return other.steps >= one.steps
    is_edge = one.steps == 1 < other.steps and (one.begin == other.end or one.end == other.begin)
    is_its_cause = other.id in catalogue()[one.id].explains
    if not is_edge or one.id == other.id or is_its_cause or _is_surer(one, other):
        return False
    return is_wide(other.subjects) or not one.subjects.isdisjoint(other.subjects)


def _overlap(one: Stretch, other: Stretch) -> int:
    """Return for how long both last at the same time, in ns."""
    return max(0, min(one.end, other.end) - max(one.begin, other.begin))


def _is_surer(one: Stretch, other: Stretch) -> bool:
    return CONFIDENCES.index(one.worst.confidence) < CONFIDENCES.index(other.worst.confidence)


def own_of(stretch: Stretch, found: Verdict) -> list[Diagnosis]:
    """Return which diagnoses of a verdict on the whole stretch are those of its trouble.

    If none is, because calm steps dilute it, that of its worst step stands for it.
    """
    explaining = {by for one, by in found.explained if one.id == stretch.id and _share(stretch, one)}
    own = [
        one
        for one in found.diagnoses
        if (one.id == stretch.id or one.id in explaining) and _share(stretch, one)
    ]
    return own or [stretch.worst]


def _share(stretch: Stretch, one: Diagnosis) -> bool:
    return not stretch.subjects.isdisjoint(one.subjects)


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
    for stretch, found in parts:
        is_all = stretch.begin <= steps[0].begin and stretch.end >= steps[-1].end
        when = (None, None) if is_all else (stretch.begin, stretch.end)
        own = own_of(stretch, found)
        most = max([most, found.waiting, *(one.lost for one in own)])
        new = [one for one in own if not any(_is_same(one, when, other) for other in diagnoses)]
        ids = {one.id for one in new}
        diagnoses += [one._replace(begin=when[0], end=when[1]) for one in new]
        explained += [
            (one._replace(begin=when[0], end=when[1]), by) for one, by in found.explained if by in ids
        ]
        unknown = {one.id: one for one in found.unknown} | unknown
    seconds = (steps[-1].end - steps[0].begin) / SECOND
    diagnoses.sort(key=lambda one: (one.confidence == POSSIBLE, -_time_lost(one, seconds), one.begin or 0))
    rest, (first, *_) = _rest(steps, left_out), diagnoses
    return Verdict(
        (*diagnoses, *(one for one in whole.diagnoses if one.id == BLIND)),
        tuple(explained),
        f"{timed_claim(first)} {first.action} {rest}".rstrip(),
        "",
        (*({one.id: one for one in unknown_in(steps)} | unknown).values(),),
        rest,
        waiting=most,
    )


def _is_same(one: Diagnosis, when: tuple[int | None, int | None], other: Diagnosis) -> bool:
    return (one.id, one.subjects, *when) == (other.id, other.subjects, other.begin, other.end)


def unknown_in(steps: Sequence[Step]) -> list[NotKnown]:
    """Return what is not known in any of the calm steps."""
    each = [step.found.unknown for step in steps if step.found.is_calm]
    ids = set[str]().union(*({one.id for one in found} for found in each))
    ids = ids.intersection(*({one.id for one in found} for found in each))
    return [one for one in (each[0] if each else ()) if one.id in ids]


def may_wait_in(steps: Sequence[Step]) -> str:
    """Return which requests may wait in the first calm step in which some may; empty if there is none."""
    return next((step.found.may_wait for step in steps if step.found.is_calm and step.found.may_wait), "")


def damage_in(steps: Sequence[Step]) -> str:
    """Return what of the recording is damaged in the first calm step in which something is."""
    return next((step.found.damage for step in steps if step.found.is_calm and step.found.damage), "")


def _time_lost(one: Diagnosis, whole: float) -> float:
    """Return the requests that waited, times the seconds of the stretch, or of all the time."""
    return one.lost * (whole if one.begin is None or one.end is None else (one.end - one.begin) / SECOND)


def _rest(steps: Sequence[Step], left_out: Sequence[Stretch]) -> str:
    """Return what is said of the time outside of the stretches that are diagnosed."""
    words = []
    if left_out:
        span = times(min(one.begin for one in left_out), max(one.end for one in left_out))
        titles = dict.fromkeys(f"{catalogue()[one.id].title} ({one.id})" for one in left_out)
        words.append(f"{len(left_out)} more in {span}, in which less time is lost: {', '.join(titles)}.")
    may_wait = may_wait_in(steps)
    if may_wait:
        words.append(f"In the rest of the time nothing else is known to be short: {may_wait}.")
    elif any(step.found.is_calm and not step.found.damage for step in steps):
        gap = any(one.end < other.begin for one, other in pairwise(steps))
        words.append(f"The rest of the time nothing is short{', as far as there are samples' * gap}.")
    if damage := damage_in(steps):
        words.append(f"Of some of the time it is not known: {damage}.")
    return " ".join(words)


def times(begin: int, end: int) -> str:
    """Write a stretch: `14:30 - 14:52`; with days where it ends on another one, with seconds if need be."""
    form = "%H:%M" if begin // SECOND % 60 == 0 and end // SECOND % 60 == 0 else "%H:%M:%S"
    if clock(begin, "%Y-%m-%d") != clock(end, "%Y-%m-%d"):
        form = f"%m-%d {form}"
    return f"{clock(begin, form)} - {clock(end, form)}"


def stretch_of(one: Diagnosis) -> str:
    """Return what stands before the claim of a diagnosis that is of a part of a long time; else nothing."""
    if one.begin is None or one.end is None or one.says_when:
        return ""
    return f"{times(one.begin, one.end)}: "


def timed_claim(one: Diagnosis) -> str:
    """Return the claim of a diagnosis, behind the time of its stretch where that is a part of a long time."""
    return f"{stretch_of(one)}{one.claim}"
