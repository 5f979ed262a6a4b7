"""From a view to a situation and the verdict on it.

DIAGNOSE, OVERVIEW and `zmon diagnose` ask `verdict_of`, so that they give the same answer.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, lru_cache
from itertools import compress, repeat
from math import fsum
from operator import gt
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.clock import HOUR, SECOND
from zmon.base.limits import limit
from zmon.base.mistake import contained
from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.diagnosis import BLIND, POSSIBLE
from zmon.diagnosis.situation import Situation
from zmon.diagnosis.steps import part_of, parts_of, samples_in, span_of, steps_of
from zmon.diagnosis.stretch import (
    MOST,
    Step,
    damage_in,
    may_wait_in,
    stretch_of,
    stretches,
    times,
    together,
    unknown_in,
)
from zmon.diagnosis.verdict import calm, not_judged, verdict
from zmon.machine.devices import unseen_disks
from zmon.machine.figure import Needs
from zmon.machine.observation import MIN_LOST, mean_of
from zmon.machine.observed import KINDS, load_of
from zmon.machine.observed_history import LOOKED_BACK
from zmon.machine.observed_machine import KINDS as SURROUNDINGS
from zmon.machine.observed_machine import observed_machine
from zmon.machine.observed_volumes import KINDS as MORE
from zmon.machine.observed_volumes import stacked_disks, volume_details
from zmon.machine.topology import TOPOLOGY, has_files
from zmon.placement.whatif import flow_shares, model_of
from zmon.queueing.fit import timed
from zmon.queueing.headroom import resource_uses
from zmon.queueing.prediction import predict
from zmon.queueing.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.diagnosis.diagnosis import Diagnosis, Verdict
    from zmon.diagnosis.stretch import Stretch
    from zmon.machine.observation import ObservedLoad
    from zmon.machine.view import View
    from zmon.queueing.change import Change
    from zmon.queueing.fit import FlowShare
    from zmon.queueing.prediction import Prediction
    from zmon.queueing.resource import Resource
    from zmon.queueing.waiting import Waiting

NEEDS: Final = Needs(tuple(dict.fromkeys((*KINDS, *MORE, *SURROUNDINGS))), verdict=True, topology=TOPOLOGY)
"""What a situation is filled from."""
MAX_MODELLED: Final = 1000
"""Volumes with I/O beyond which no gain is predicted: the model would take seconds."""
TAIL: Final = HOUR // 6
"""The end of an hour in which what goes on now had already begun if it is a part of that hour; and the least
time in which nothing waited that the present is compared with."""
LONGER: Final = (10, 30)
"""Seconds that are looked at where an interval has too little I/O."""
DELAYED: Final = limit("delay-named")
"""Requests that are delayed on average, from which on it is looked at."""
SLOW: Final = 0.010
"""Seconds of a request from which on it deserves a look (the case study of 2003)."""


class _Asked:
    """A view as a key: the same two samples with the same inputs of users have the same answer."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._key = (id(view.interval.before), id(view.interval.after), view.user_inputs)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._key == other._key


def verdict_of(view: View) -> Verdict:
    """Return the verdict on a view's interval; on a long time that on the stretches in which it was short."""
    return contained("the verdict", lambda: _verdict(_Asked(judged_view(view))), not_judged)


def mean_lcu_uses(view: View) -> list[Resource]:
    """Return how busy each LCU was on average over the steps of a long time; none for a short one.

    That of the mean load would be another figure: how busy an LCU is does not grow with its load alone.
    """
    steps = _steps(_Asked(judged_view(view)))
    seconds = sum(step.end - step.begin for step in steps)
    uses: dict[str, Resource] = {}
    for step in steps:
        for use in step.uses:
            if use.kind == "lcu":
                before = uses[use.key].use if use.key in uses else 0.0
                part = (step.end - step.begin) / seconds
                uses[use.key] = use._replace(use=before + part * use.use)
    return list(uses.values())


def situation_of(view: View) -> Situation:
    """Return what is known of a view's interval."""
    return _situation(_Asked(view))


def judged_view(view: View) -> View:
    """Return the view that the verdict is about: if requests wait for disks of too little I/O, a longer one.

    It ends at the same time; `LONGER` has the lengths that are tried, as far as there are samples.
    """
    part, end = view, view.interval.after.at.utc
    for seconds in LONGER:
        if not _is_scarce(_load(_Asked(part))):
            break
        window = view.history.between(max(end - seconds * SECOND, view.history.first()), end)
        if window is not None and window.seconds > part.interval.seconds:
            part = part_of(view, window)
    return part


def time_on(view: View, diagnosis: Diagnosis) -> str:
    """Return what stands before the claim of a diagnosis of a view's verdict if it is not of the interval."""
    judged = judged_view(view)
    if judged is not view and diagnosis.begin is None:
        begin, end = span_of(judged)
        diagnosis = diagnosis._replace(begin=begin, end=end)
    return stretch_of(diagnosis)


def claim_on(view: View, diagnosis: Diagnosis) -> str:
    """Return what a diagnosis of a view's verdict claims, behind its time if that is not the interval."""
    return f"{time_on(view, diagnosis)}{diagnosis.claim}"


def calm_on(view: View, verdict: Verdict) -> str:
    """Return the sentence of a calm verdict on a view, behind the time it is about if that is longer."""
    return f"{calm_time_on(view)}{verdict.sentence}"


def calm_time_on(view: View) -> str:
    """Return what stands before a calm verdict on a view if it is about a longer time; else nothing."""
    judged = judged_view(view)
    return "" if judged is view else f"{times(*span_of(judged))}: "


def why_longer(view: View) -> str:
    """Return why the verdict is about a longer time than a view's interval; nothing if it is not."""
    if judged_view(view) is view:
        return ""
    return f"{times(*span_of(view))} alone has too few slow requests to judge by"


def _is_scarce(load: ObservedLoad) -> bool:
    """Return whether so few requests have long times that these may be chance: to slow disks, or writes."""
    rates, responses = load.used.column("rate"), load.used.column("response")
    slow = compress(zip(rates, responses, strict=True), map(gt, responses, repeat(SLOW)))
    if fsum(rate * response for rate, response in slow if not load.enough(rate)) >= MIN_LOST:
        return True
    is_short = load.seconds < LONGER[0]
    return is_short and fsum(_few_late_writes(load, lcu.key) for lcu in load.lcus) >= DELAYED


def _few_late_writes(load: ObservedLoad, lcu: str) -> float:
    """Return how many writes to an LCU are under way because they take longer than reads, if they are few."""
    volumes = load.used_of(lcu)
    writes = volumes.rate * (1 - mean_of(volumes, "reads"))
    late = writes * (mean_of(volumes, "write_response") - mean_of(volumes, "read_response"))
    if isinstance(writes, Absent) or isinstance(late, Absent) or load.enough(writes):
        return 0.0
    return max(0.0, late) if load.enough(volumes.rate) else 0.0


@lru_cache(maxsize=4)  # the interval at hand, and one that it is compared with
def _verdict(asked: _Asked) -> Verdict:
    whole = _whole(asked)
    steps = _steps(asked)
    if not steps:
        return whole
    stretches_of = stretches(steps)
    if not stretches_of:
        return calm(situation_of(asked.view), whole, unknown_in(steps), may_wait_in(steps), damage_in(steps))
    first = [_by_sample(asked.view, steps, stretch) for stretch in stretches_of[:MOST]]
    return together(steps, _diagnosed(asked.view, first), stretches_of[MOST:], whole)


@lru_cache(maxsize=4)
def _whole(asked: _Asked) -> Verdict:
    """Return the verdict on a time as a whole."""
    return verdict(_situation(asked))


@lru_cache(maxsize=2)
def _steps(asked: _Asked) -> tuple[Step, ...]:
    return tuple(_judged(asked.view))


def _judged(view: View) -> Iterator[Step]:
    """Yield the steps of a long time with their verdicts; in parts where something begins or ends.

    A short time is a single one, unless something was broken in a part of it: its mean does not show that.
    """
    views = steps_of(view)
    if not views and view.interval.skipped:
        short = [_step(part) for part in parts_of(view, *span_of(view))]
        broken = {
            diagnosis.id
            for step in short
            for diagnosis in step.found.diagnoses
            if catalogue()[diagnosis.id].broken
        }
        if broken - {diagnosis.id for diagnosis in _whole(_Asked(view)).diagnoses}:
            yield from short
    steps_seen = []
    while views:
        steps_seen.append(_step(views.pop(0)))  # what was read of its samples is let go with it
    troubles = [step.troubles for step in steps_seen]
    for at, step in enumerate(steps_seen):
        around = troubles[max(0, at - 1) : at + 2]
        differs = any(around_it != troubles[at] for around_it in around)
        parts = parts_of(view, step.begin, step.end) if differs else []
        yield from map(_step, parts) if parts else [step]


def _step(view: View) -> Step:
    """Return a step with its verdict; without gains and what was examined, which keep all that is known."""
    facts = _known(view)
    verdict_of_step = verdict(facts._replace(predict=None))._replace(examined=())
    return Step(*span_of(view), verdict_of_step, resource_uses(facts.load))


def _by_sample(view: View, steps: Sequence[Step], stretch: Stretch) -> Stretch:
    """Return a stretch in which something was broken with its begin and end by sample, not by step.

    A step in which it ends is judged by its last sample, so that it seems to have ended with the step before;
    one in which a device was suspended has I/O of the time before.
    """
    if not catalogue()[stretch.id].broken:
        return stretch
    at_begin = [step for step in steps if stretch.begin in {step.begin, step.end}]
    at_end = [step for step in steps if stretch.end in {step.begin, step.end}]
    first = samples_in(view, at_begin[0].begin, at_begin[-1].end)
    began = bisect_left(first, True, key=lambda view: _has(view, stretch))
    begin = span_of(first[began])[0] if began < len(first) else stretch.begin
    last = samples_in(view, max(begin, at_end[0].begin), at_end[-1].end)
    ended = bisect_left(last, True, key=lambda view: not _has(view, stretch))
    return stretch._replace(begin=begin, end=span_of(last[ended - 1])[1] if ended else stretch.end)


def _has(view: View, stretch: Stretch) -> bool:
    """Return whether the trouble of a stretch is found in a view's interval."""
    verdict = _step(view).found
    diagnoses = (*verdict.diagnoses, *(diagnosis for diagnosis, _ in verdict.explained))
    return any(
        diagnosis.id == stretch.id and not stretch.subjects.isdisjoint(diagnosis.subjects)
        for diagnosis in diagnoses
    )


def _diagnosed(view: View, listed: Sequence[Stretch]) -> Iterator[tuple[Stretch, Verdict]]:
    """Yield stretches of a long time with the verdict on each."""
    for stretch in listed:
        own = view.history.between(stretch.begin, stretch.end)
        seen = view if own is None else part_of(view, own)
        yield stretch, verdict(_known(seen, view.interval.after.at.utc))


@lru_cache(maxsize=4)
def _situation(asked: _Asked) -> Situation:
    return _known(asked.view)


def _known(view: View, until: int | None = None) -> Situation:
    """Return what is known of a view's interval; of what is over by then if more is looked at."""
    load = _load(_Asked(view))
    earlier = cache(lambda: _earlier(view))
    return Situation(
        load,
        _waiting(load, earlier),
        earlier,
        _predictor(view, load),
        cache(lambda: _shares(view, load)),
        cache(lambda: volume_details(view.interval)),
        cache(lambda: stacked_disks(view.interval)),
        observed_machine(view, until),
        sees_disks=unseen_disks(view.interval) is None,
        damage=lambda: _damage(view),
    )


def _damage(view: View) -> str:
    """Return what of a view's two samples was found damaged, of all that a verdict looks at."""
    interval = view.interval
    samples = (interval.after,) if interval.before is None else (interval.before, interval.after)
    for sample in samples:
        for kind in (*NEEDS.kinds, *NEEDS.topology):
            frame = sample.frames.get(kind.name)
            if frame is not None and frame.damage:
                return f"{kind.plural}: {frame.damage}"
    return ""


@lru_cache(maxsize=4)  # a screen, its pages and what it is compared with ask for the same intervals
def _load(asked: _Asked) -> ObservedLoad:
    return load_of(asked.view)


def _waiting(load: ObservedLoad, earlier: Callable[[], ObservedLoad | None]) -> Waiting:
    """Return for what requests wait; where they do, the time before shows whether the load is new."""
    waits = waiting(load)
    before = earlier() if waits.places else None
    return waits if before is None else waiting(load, before)


def _earlier(view: View) -> ObservedLoad | None:
    """Return the load of the hour that ended an hour before a view's interval, or of one before that.

    Where requests waited in an hour, or in the end of it, it may be a part of what goes on now: then the hour
    before is looked at, up to `LOOKED_BACK`.  If they waited in all of them, it is the first that was asked.
    Where less than that was recorded, calm minutes at its begin are enough.
    """
    if view.interval.before is None:
        return None
    first, end = None, view.interval.before.at.utc - HOUR
    for until in range(end, end - LOOKED_BACK, -HOUR):
        load = _between(view, until - HOUR, until)
        if load is None:  # the recording may begin in this hour
            begin = view.history.first()
            load = _between(view, begin, until) if first and until - begin >= TAIL else None
        if load is None:
            return first or _calm_begin(view)
        tail = load if waiting(load).places else _between(view, until - TAIL, until)
        if tail is not None and not waiting(tail).places:
            return load
        first = first or load
    return first


def _calm_begin(view: View) -> ObservedLoad | None:
    """Return the load of the first calm minutes of a recording that is too short to have an hour before.

    These are the parts of `TAIL` that follow one another and in which nothing waited; None if there is none.
    """
    last = 0 if view.interval.before is None else view.interval.before.at.utc
    begin = max(view.history.first(), last - LOOKED_BACK)  # a history without samples begins in 1970
    calm: tuple[int, int] | None = None
    for start in range(begin, last - TAIL + 1, TAIL):
        load = _between(view, start, start + TAIL)
        if load is not None and load.busy and not waiting(load).places:
            calm = (start if calm is None else calm[0], start + TAIL)
        elif calm is not None:
            break
    return None if calm is None else _between(view, *calm)


def _between(view: View, begin: int, end: int) -> ObservedLoad | None:
    interval = view.history.between(begin, end)
    return None if interval is None else load_of(view.at(interval))


def _predictor(view: View, load: ObservedLoad) -> Callable[[Sequence[Change]], Prediction] | None:
    if not 0 < len(timed(load.used)) <= MAX_MODELLED:
        return None
    return cache(lambda changes: predict(model_of(view, load), changes))


def _shares(view: View, load: ObservedLoad) -> tuple[FlowShare, ...]:
    return flow_shares(view, load) if has_files(view) else ()


def waits_in(view: View) -> Waiting | None:
    """Return for what requests wait in a view's interval; None where that is not measured.

    Without channel measurement nobody knows how much of a long response time is wait.
    """
    load, waits = situation_of(view)[:2]
    if not waits.places and (elsewhere := _not_placement(view)):
        return waits._replace(why=elsewhere)
    timed = [volume for volume in load.busy if not isinstance(volume.response, Absent)]
    slow = any(volume.estimated and volume.response > SLOW for volume in timed)
    return waits if waits.places or (timed and not slow) else None


def _not_placement(view: View) -> str:
    """Return what is diagnosed although nothing waits long enough to be named: no placement mends it."""
    diagnoses = _whole(_Asked(view)).diagnoses
    first = next(
        (diagnosis for diagnosis in diagnoses if diagnosis.id != BLIND and diagnosis.confidence != POSSIBLE),
        None,
    )
    return f"{first.clause} (see DIAGNOSE)" if first else ""
