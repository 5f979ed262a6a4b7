"""The steps of a long interval, each with a view of its own: minutes of the clock, or intervals if longer."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.clock import MINUTE
from zmon.interval import Interval
from zmon.machine.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.sample import Sample

FEW: Final = 3
"""So many steps, or intervals, have one verdict together."""
PARTS: Final = 6
"""Parts of a step in which something begins or ends."""
MOST: Final = 60
"""Samples of one or two steps that are looked at to find when something began or ended."""


def part_of(view: View, interval: Interval) -> View:
    """Return a view of a part of a view's interval."""
    return View(interval, history=view.history, limits=view.limits, inputs=view.inputs)


def span_of(view: View) -> tuple[int, int]:
    """Return when a view's interval begins and ends, UTC in ns."""
    before, after = view.interval.before, view.interval.after
    return (after if before is None else before).at.utc, after.at.utc


def steps_of(view: View) -> list[View]:
    """Return the steps of a view's interval, those that can be compared; none where it has only a few."""
    begin, end = span_of(view)
    if not view.interval.skipped or end - begin <= FEW * MINUTE:
        return []
    parts = list(_views(view, [begin, *range((begin // MINUTE + 1) * MINUTE, end, MINUTE), end]))
    return parts if len(parts) > FEW else []


def parts_of(view: View, begin: int, end: int) -> list[View]:
    """Return the parts of a step of a view, by its times; none where there are no samples in it."""
    parts = list(_views(view, [begin + (end - begin) * at // PARTS for at in range(PARTS + 1)]))
    return parts if len(parts) > 1 else []


def samples_in(view: View, begin: int, end: int) -> list[View]:
    """Return views of the intervals between samples of a time, the first first; none if they are many."""
    whole = view.history.between(begin, end)
    samples = [] if whole is None else list(view.history.within(whole, MOST + 1))[::-1]
    return [
        part_of(view, sample)
        for sample in (samples if len(samples) <= MOST else ())
        if sample.before is not None and not isinstance(sample.seconds, Absent)
    ]


def _views(view: View, times: Iterable[int]) -> Iterator[View]:
    """Yield views between the last samples at times or before."""
    for before, after in pairwise(_samples(view, times)):
        interval = Interval(before, after, skipped=True)
        if not isinstance(interval.seconds, Absent):
            yield part_of(view, interval)


def _samples(view: View, times: Iterable[int]) -> Iterator[Sample]:
    """Yield the last samples at times or before, each once."""
    last = -1
    for utc in times:
        past = next(view.history.past(utc), None)
        if past is not None and past.after.at.utc > last:
            last = past.after.at.utc
            yield past.after
