"""All that a diagnosis looks at: plain records of an interval, of the time before it, and of the machine.

`zmon.tables.diagnosed` fills them.  What was not read is absent with its reason, so a diagnosis that needs
it is not known, never false.  What takes long to fill is a function, which only a cause that needs it calls;
it computes once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.queueing.change import Change
    from zmon.queueing.fit import FlowShare
    from zmon.queueing.observation import ObservedLoad
    from zmon.queueing.prediction import Prediction
    from zmon.queueing.waiting import Waiting


def _no_load() -> ObservedLoad | None:
    return None


class Situation(NamedTuple):
    """What is known at one time."""

    load: ObservedLoad
    """Volumes, LCUs, paths and processors in the interval."""
    waiting: Waiting
    """Where requests wait in it; no diagnosis says that requests wait for something that is not there."""
    recent: Callable[[], Sequence[ObservedLoad]] = tuple
    """The intervals before it, the last first: at most `MAX_RECENT` of `zmon.tables.diagnosed`."""
    earlier: Callable[[], ObservedLoad | None] = _no_load
    """The hour that ended an hour before, where it was recorded."""
    predict: Callable[[Sequence[Change]], Prediction] | None = None
    """What changes would give, from the model of all resources; None where the times are not measured.

    Raises ValueError where a change cannot be made."""
    shares: Callable[[], Sequence[FlowShare]] = tuple
    """The parts of the volumes' traffic that known files have; none without a listing."""
