"""Events between two samples (gaps, restarts, set clocks, changes of the configuration), and changed labels.

The changed labels are the topology at each time.
"""

from __future__ import annotations

from functools import lru_cache

from zmon.base.absent import Absent
from zmon.base.clock import SECOND
from zmon.base.event import Event, What, gap, moved
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.configuration_change import MAX_CHANGES, changes_between
from zmon.interval import Interval
from zmon.kinds import BLOCK, CHANNEL, DEVICE, LPAR
from zmon.sample import Meaning
from zmon.store.file_format import add_rows, row_crc, sql_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.sample import Frame, Kind, Sample

MIN_CLOCK_STEP: Final = SECOND
"""ns by which the clocks differ if one of them was set; less is the drift that NTP corrects."""

COMING: Final = (DEVICE, BLOCK, CHANNEL, LPAR)
"""The kinds for which an event is recorded when a thing comes or goes."""

VOLATILE: Final = frozenset({"source", "lpar_cpu", "physical_cpu"})
"""Kinds whose labels are not topology."""


MAX_LABEL: Final = 200
"""Characters of a label that are recorded when it changed."""


class LabelChange(NamedTuple):
    """A label that changed."""

    utc: int
    kind: str
    thing: str
    field: str
    was: str
    now: str


def events_between(before: Sample, after: Sample) -> list[Event]:
    """Return what happened between two samples."""
    begin, end = before.at.utc, after.at.utc
    interval = Interval(before, after)
    events = []
    if before.at.boot != after.at.boot:
        events.append(Event(What.RESTART, min(begin, end), end, text="The machine was started anew"))
    elif interval.gap:
        seconds = interval.seconds
        long = f"{seconds:.0f} s" if not isinstance(seconds, Absent) else "unknown"
        events.append(gap(min(begin, end), end, long))
    if before.at.boot == after.at.boot:
        by = (end - begin) - (after.at.steady - before.at.steady)
        if abs(by) >= MIN_CLOCK_STEP:
            events.append(Event(What.CLOCK, end, end, text=f"The clock was set by {by / 1e9:+.3f} s"))
    for kind in COMING:
        frames, other = before.frames.get(kind.name), after.frames.get(kind.name)
        if frames is not None and other is not None:
            events += _moved(frames, other, end)
    changes = changes_between(before, after)
    events += [change.event(end) for change in changes[:MAX_CHANGES]]
    if len(changes) > MAX_CHANGES:
        text = f"and {len(changes) - MAX_CHANGES:,} more changes of the configuration"
        events.append(Event(What.CHANGE, end, end, text=text))
    return events


def _moved(before: Frame, after: Frame, utc: int) -> Iterator[Event]:
    if before.keys == after.keys or before.missing is not None or after.missing is not None:
        return
    for what, keys, others in (
        (What.CAME, after.keys, before.index),
        (What.WENT, before.keys, after.index),
    ):
        for key in keys:
            if key not in others:
                yield moved(what, utc, after.kind.name, key)


def label_changes(before: Sample, after: Sample) -> Iterator[LabelChange]:
    """Yield the labels that changed."""
    for name, now in after.frames.items():
        was = before.frames.get(name)
        if was is None or was is now or name in VOLATILE or was.missing is not None:
            continue
        same_keys = was.keys == now.keys
        for field in _labels(now.kind):
            old, new = was.columns.get(field), now.columns.get(field)
            if old is None or new is None or (same_keys and (old is new or old == new)):
                continue
            for key, value in zip(now.keys, new, strict=True):
                row = was.index.get(key)
                if row is not None and old[row] != value:
                    yield LabelChange(after.at.utc, name, key, field, _shortened(old[row]), _shortened(value))


def insert_changes(connection: sqlite3.Connection, changes: Sequence[LabelChange]) -> None:
    """Write changed labels, in the caller's transaction."""
    for change in changes:
        row = (change.utc, *map(sql_text, change[1:]))
        connection.execute(
            "INSERT INTO change (utc, kind, thing, field, was, now, crc) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*row, row_crc("change", *row)),
        )
    add_rows(connection, "change", len(changes))


@lru_cache
def _labels(kind: Kind) -> list[str]:
    return [field.name for field in kind.fields if field.meaning in {Meaning.LABEL, Meaning.IDENTITY}]


def _shortened(value: Value) -> str:
    """Return a label for people; a long one, such as the place of a file, is in the sample as a whole."""
    text = f"({value.reason})" if isinstance(value, Absent) else str(value)
    return text if len(text) <= MAX_LABEL else f"{text[: MAX_LABEL - 4]} ..."
