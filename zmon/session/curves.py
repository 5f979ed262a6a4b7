"""What things did in the intervals up to the present one, for curves beside the figures of their rows.

The figures are those of the loads that OVERVIEW looks back on and remembers; a curve is made when its row is
drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.diagnosis.recent import MAX_CURVED, recent_loads
from zmon.kinds import DEVICE
from zmon.machine.figure import TimedValue
from zmon.machine.observation import utilisation
from zmon.machine.view import GAP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.resources import RecentLoad
    from zmon.machine.view import View

    Reader = Callable[[RecentLoad, str], Number]
    """Returns the figure of the thing with a key."""

MOST: Final = 16
"""Intervals of a curve."""
GONE: Final = absent("it was not there")


class RecentCurves(Mapping[str, tuple[TimedValue, ...]]):
    """The curves of a table, by the name of a column, a blank and the key of a row."""

    def __init__(self, recent: Sequence[RecentLoad], readers: Mapping[str, Reader]) -> None:
        """Read nothing yet."""
        self._recent, self._readers = recent, readers

    def __getitem__(self, name: str) -> tuple[TimedValue, ...]:
        column, _, key = name.partition(" ")
        read = self._readers[column]
        values = (GAP if recent.gap else read(recent, key) for recent in self._recent)
        return tuple(
            TimedValue(recent.begin, recent.end, value, value, value)
            for recent, value in zip(self._recent, values, strict=True)
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)


def curves(name: str, view: View) -> Mapping[str, tuple[TimedValue, ...]]:
    """Return the curves of a table; none of a table without any, before the second sample or of a fleet."""
    if name not in CURVED or len(view.interval.of(DEVICE)) > MAX_CURVED:
        return {}
    recent = recent_loads(view, MOST)
    return RecentCurves(recent, CURVED[name]) if recent else {}


def _of_device(recent: RecentLoad, key: str) -> Number:
    return 1e3 * recent.responses.get(key, GONE)


def _of_unit(recent: RecentLoad, key: str) -> Number:
    return 1e3 * next((load.response for load in recent.lcus if load.lcu.key == key), GONE)


def _of_path(recent: RecentLoad, key: str) -> Number:
    return 100.0 * utilisation(recent.load.paths.get(key.rpartition(".")[2], GONE))


CURVED: Final[Mapping[str, Mapping[str, Reader]]] = {
    "channel": {"cur": _of_path},
    "control_unit": {"resp": _of_unit},
    "device": {"resp": _of_device},
}
"""The tables that have curves."""
