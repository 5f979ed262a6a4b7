"""Copying samples and events into a recording."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from zmon.base.event import What
from zmon.store.writer import SEGMENT_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zmon.base.event import Event
    from zmon.sample import Sample
    from zmon.store.writer import Writer

PROGRESS_SAMPLES: Final = 100
"""Samples between two reports of the progress."""


class SampleCopy:
    """Writes samples into a recording and counts them."""

    def __init__(self, writer: Writer, progress: Callable[[int, int], None]) -> None:
        """Write with `writer`; report the number of samples and the time of the last one to `progress`."""
        self._writer = writer
        self._progress = progress
        self.count = 0
        self.begin = 0
        """Time of the first sample, UTC in ns."""
        self.end = 0

    def write(self, samples: Iterable[Sample]) -> None:
        """Write samples, and seal them by segments."""
        for sample in samples:
            self._writer.append(sample)
            self.begin, self.end, self.count = self.begin or sample.at.utc, sample.at.utc, self.count + 1
            if self.count % SEGMENT_SAMPLES == 0:
                self._writer.seal()
            if self.count % PROGRESS_SAMPLES == 0:
                self._progress(self.count, self.end)


class KnownEvents:
    """Events that are recorded already, indexed: a day may have a million of them."""

    def __init__(self, events: Iterable[Event]) -> None:
        """Index the events."""
        limits: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self._others = set()
        for event in events:
            if event.what is What.LIMIT:
                limits.setdefault((event.thing, event.screen), []).append((event.begin, event.end))
            else:
                self._others.add((event.what, event.thing, event.screen, event.begin, event.end))
        self._limits = {}
        for key, times in limits.items():
            times.sort()
            ends = accumulate((end for _, end in times), max)
            self._limits[key] = [begin for begin, _ in times], list(ends)

    def __contains__(self, event: Event) -> bool:
        """Tell whether an event is known; an exceeded limit may begin and end elsewhere in a part."""
        if event.what is not What.LIMIT:
            return (event.what, event.thing, event.screen, event.begin, event.end) in self._others
        begins, ends = self._limits.get((event.thing, event.screen), ([], []))
        place = bisect_right(begins, event.end)
        return place > 0 and ends[place - 1] >= event.begin
