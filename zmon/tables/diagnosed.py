"""From a view to a situation and the verdict on it: see `zmon.diagnosis`.

DIAGNOSE, OVERVIEW and `zmon diagnose` ask here, so that they give the same answer to the same question.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent
from zmon.diagnosis.situation import Situation
from zmon.diagnosis.verdict import verdict
from zmon.queueing.prediction import predict
from zmon.queueing.waiting import waiting
from zmon.tables.observed import KINDS
from zmon.tables.table import Needs
from zmon.tables.topology import TOPOLOGY, has_files, machine_of
from zmon.tables.whatif import flow_shares, load_of, model_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.diagnosis.diagnosis import Verdict
    from zmon.queueing.change import Change
    from zmon.queueing.fit import FlowShare
    from zmon.queueing.observation import ObservedLoad
    from zmon.queueing.prediction import Prediction
    from zmon.queueing.waiting import Waiting
    from zmon.tables.view import View

NEEDS: Final = Needs(KINDS, topology=TOPOLOGY)
"""What a situation is filled from."""
MAX_RECENT: Final = 10
"""Intervals before the present one that are looked at."""
MAX_MODELLED: Final = 1000
"""Volumes with I/O beyond which no gain is predicted: the model would take seconds."""
HOUR: Final = 3_600_000_000_000
SLOW: Final = 0.010
"""Seconds of a request from which on it deserves a look (the case study of 2003)."""


class _Asked:
    """A view as a key: the same two samples with the same inputs of users have the same answer."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._key = (id(view.interval.before), id(view.interval.after), view.inputs)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._key == other._key


def verdict_of(view: View) -> Verdict:
    """Return the verdict on a view's interval."""
    return _verdict(_Asked(view))


def situation_of(view: View) -> Situation:
    """Return what is known of a view's interval."""
    return _situation(_Asked(view))


@lru_cache(maxsize=4)  # the interval at hand, and one that it is compared with
def _verdict(asked: _Asked) -> Verdict:
    return verdict(_situation(asked))


@lru_cache(maxsize=4)
def _situation(asked: _Asked) -> Situation:
    view = asked.view
    load = _load(asked)
    earlier = cache(lambda: _earlier(view))
    return Situation(
        load,
        _waiting(load, earlier),
        cache(lambda: _recent(view)),
        earlier,
        _predictor(view, load),
        cache(lambda: _shares(view, load)),
    )


@lru_cache(maxsize=2 * MAX_RECENT)
def _load(asked: _Asked) -> ObservedLoad:
    return load_of(asked.view)


def _waiting(load: ObservedLoad, earlier: Callable[[], ObservedLoad | None]) -> Waiting:
    """Return for what requests wait; where they do, the hour before shows whether the load is new."""
    found = waiting(load)
    before = earlier() if found.places else None
    return found if before is None else waiting(load, before)


def _recent(view: View) -> tuple[ObservedLoad, ...]:
    """Return the loads of the intervals before that of a view, the last first; of a window its own last."""
    end = view.interval.after.at.utc
    here = next(view.history.past(), None)  # of a preview the only one: what is before it would take long
    past = view.history.past() if here is not None and here.after.at.utc == end else view.history.past(end)
    inside = (
        one for one in past if one.before is not None and (one.after.at.utc < end or view.interval.skipped)
    )
    return tuple(_load(_Asked(view.at(one))) for one in islice(inside, MAX_RECENT))


def _earlier(view: View) -> ObservedLoad | None:
    """Return the load of the hour that ended an hour before a view's interval."""
    before = view.interval.before
    if before is None:
        return None
    earlier = view.history.between(before.at.utc - 2 * HOUR, before.at.utc - HOUR)
    return None if earlier is None else load_of(view.at(earlier))


def _predictor(view: View, load: ObservedLoad) -> Callable[[Sequence[Change]], Prediction] | None:
    timed = [one for one in load.volumes if one.rate > 0 and not isinstance(one.response, Absent)]
    if not 0 < len(timed) <= MAX_MODELLED:
        return None
    return lambda changes: predict(model_of(view, load), changes)


def _shares(view: View, load: ObservedLoad) -> tuple[FlowShare, ...]:
    return flow_shares(machine_of(view), load) if has_files(view) else ()


def waits_in(view: View) -> Waiting | None:
    """Return for what requests wait in a view's interval; None where that is not measured.

    Without channel measurement nobody knows how much of a long response time is wait.
    """
    load, found = situation_of(view)[:2]
    known = [one for one in load.volumes if load.enough(one.rate) and not isinstance(one.response, Absent)]
    slow = any(one.estimated and one.response > SLOW for one in known)
    return found if found.places or (known and not slow) else None
