"""All that a diagnosis looks at: plain records of an interval, of the time before it, and of the machine.

`zmon.tables.situation` fills them.  What was not read is absent with its reason, so a diagnosis that needs
it is not known, never false.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.queueing.change import Change
    from zmon.queueing.observation import ObservedLoad
    from zmon.queueing.prediction import Prediction


class Situation(NamedTuple):
    """What is known at one time."""

    load: ObservedLoad
    """Volumes, LCUs, paths and processors in the interval."""
    recent: tuple[ObservedLoad, ...] = ()
    """The intervals before it, the last first: at most `MAX_RECENT`."""
    earlier: ObservedLoad | None = None
    """The hour that ended an hour before, where it was recorded."""
    predict: Callable[[Sequence[Change]], Prediction] | None = None
    """What changes would give, from the model of all resources; None where the times are not measured."""
