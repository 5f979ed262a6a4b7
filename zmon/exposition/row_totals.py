"""Totals of any kind of thing with few rows that never fall, and means of the last minute."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.base.absent import Number
    from zmon.exposition.metric import Metric
    from zmon.interval import Delta, Interval
    from zmon.sample import Kind

WINDOW: Final = 60.0
"""Seconds that means are over."""


class RowCounter(NamedTuple):
    """A counter of a kind, whose rows are exported with some labels; what has the same labels is added up."""

    metric: Metric
    kind: Kind
    labels: Callable[[Delta, int], str]
    """Returns the labels of a row as they are written; empty to leave the row out."""
    field: str
    factor: float = 1
    unit_field: str = ""
    """A field whose value the difference is multiplied by."""


class RowTotals:
    """Adds up counters of rows."""

    def __init__(self, counters: Sequence[RowCounter]) -> None:
        """Begin with nothing."""
        self._counters = counters
        self.totals: dict[str, dict[str, float]] = {}
        """By the name of the metric and the labels."""

    def follow(self, interval: Interval) -> None:
        """Add an interval; a difference that is not known adds nothing."""
        before = interval.before
        if before is None or interval.void is not None:
            return
        for counter in self._counters:
            name = counter.kind.name
            if before.frames.get(name) is interval.after.frames.get(name):
                continue
            delta = interval.of(counter.kind)
            if counter.field not in delta.frame.columns:
                continue
            sums = self.totals.setdefault(counter.metric.name, {})
            columns = [delta.numbers(counter.field), delta.seconds]
            if counter.unit_field:
                columns.append(delta.numbers(counter.unit_field))
            for row, (value, seconds, *unit) in enumerate(zip(*columns, strict=True)):
                if any(cell.__class__ is Absent for cell in (value, seconds, *unit)):
                    continue
                labels = counter.labels(delta, row)
                if labels:
                    grown = value * counter.factor * (unit[0] if unit else 1)
                    sums[labels] = sums.get(labels, 0) + grown


class RecentMeans:
    """Means of the last minute, each value with the length of its interval."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._parts: dict[str, deque[tuple[float, float]]] = {}

    def add(self, key: str, value: Number, seconds: float) -> None:
        """Add what a thing had over some seconds; what is not known adds nothing."""
        if isinstance(value, Absent) or seconds <= 0:
            return
        parts = self._parts.setdefault(key, deque())
        parts.append((seconds, value))
        while len(parts) > 1 and sum(length for length, _ in parts) - parts[0][0] >= WINDOW:
            parts.popleft()

    def keep(self, keys: Sequence[str]) -> None:
        """Forget all other things."""
        for key in self._parts.keys() - set(keys):
            del self._parts[key]

    def means(self) -> dict[str, float]:
        """Return the mean of each thing."""
        return {
            key: sum(length * value for length, value in parts) / sum(length for length, _ in parts)
            for key, parts in self._parts.items()
        }
