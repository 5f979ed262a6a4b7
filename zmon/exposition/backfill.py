"""The metrics of a recording with the times of its samples, for import into a monitor's data base.

Prometheus takes it by `promtool tsdb create-blocks-from openmetrics`.  A counter begins at the first
difference, and never falls.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

from zmon.base.absent import Absent
from zmon.exposition.exporter import Exporter
from zmon.exposition.exposition_text import END, family_head, label_text
from zmon.exposition.metric import METRICS
from zmon.store.file_format import RecordingError
from zmon.trends.exception_rows import DAMAGED_THERE, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.sample import Sample
    from zmon.store.reader import Recording


class _StoredExceptions:
    """Tells which exceptions of a recording were open at a time."""

    def __init__(self, recordings: Sequence[Recording]) -> None:
        try:
            trends = stored(recordings)
        except RecordingError:
            trends = DAMAGED_THERE
        self.known = not isinstance(trends, Absent)
        self._entries = sorted(() if isinstance(trends, Absent) else trends.entries, key=attrgetter("begin"))
        self._begins = [entry.begin for entry in self._entries]
        self.now = 0

    def open_now(self) -> list[ExceptionEntry]:
        begun = self._entries[: bisect_right(self._begins, self.now)]
        return [entry for entry in begun if entry.end >= self.now]


def history_text(
    samples: Iterable[Sample],
    recordings: Sequence[Recording],
    step: int,
    labels: Sequence[tuple[str, str]] = (),
    *,
    devices: bool = False,
) -> Iterator[str]:
    """Yield OpenMetrics with times, a family after the other; nothing without two samples.

    Args:
        samples: those of the wanted time.
        recordings: the recordings they are from, which know their exceptions.
        step: ns from one value to the next, at the least.
        labels: name and value of labels that all series get.
        devices: whether there are metrics of each DASD, too.
    """
    exceptions = _StoredExceptions(recordings)
    exporter = Exporter(exceptions.open_now if exceptions.known else None, devices=devices)
    more = label_text(tuple(name for name, _ in labels), tuple(value for _, value in labels))[1:-1]
    series: dict[str, dict[str, list[str]]] = {}
    count = 0
    for sample in _stepped(samples, step):
        exceptions.now = sample.at.utc
        exporter.follow(sample)
        count += 1
        at = f"{sample.at.utc / 1e9:.3f}"
        for metric, texts in exporter.families():
            lines = series.setdefault(metric.name, {})
            for own, value in texts:
                lines.setdefault(own, []).append(f"{value} {at}\n")
    if count < 2:
        return
    for metric in METRICS:
        lines = series.get(metric.name, {})
        if lines:
            yield family_head(metric, openmetrics=True)
        for own, points in lines.items():
            name = metric.sample + _joined(own, more)
            yield "".join(f"{name} {point}" for point in points)
    yield END


def _joined(own: str, more: str) -> str:
    """Return labels with others in front."""
    if not more:
        return own
    return f"{{{more},{own[1:]}" if own else f"{{{more}}}"


def _stepped(samples: Iterable[Sample], step: int) -> Iterator[Sample]:
    """Yield the first sample, and each that is at least a step later than the one before."""
    last: int | None = None
    for sample in samples:
        if last is None or sample.at.utc >= last + step - step // 100:
            last = sample.at.utc
            yield sample
