"""What a sample adds to a recording: the readings that differ from those recorded before.

The `Tracker` of a writer knows the last reading of each kind, the segments that are open, and the baselines
that sealed segments refer to.
"""

from __future__ import annotations

from operator import ne
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.store.dictionary import Baselines, Dictionary
from zmon.store.journal import EntryBuilder
from zmon.store.readings import TIMES, OpenSegment, ReadingChange, difference, offsets
from zmon.store.segment import MAX_READINGS, seal

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from zmon.base.absent import Value
    from zmon.sample import Frame, Sample
    from zmon.store.dictionary import NewBaseline
    from zmon.store.readings import Layout, Offsets

DIFFERENCE_BYTES: Final = 4
"""Bytes that a segment takes, about, for a row that differs from its baseline."""


class Baseline:
    """A column in the file, which segments refer to."""

    def __init__(self, values: Sequence[Value], number: int, size: int) -> None:
        """Describe a baseline by its number; it has `size` bytes."""
        self.values = values
        self.number = number
        self.size = size
        self.spent = 0
        """Bytes that the differences from it have taken since."""


class FirstSegment(OpenSegment):
    """An open segment with a new layout: the columns that it begins with are its baselines."""

    def __init__(
        self,
        layout: Layout,
        columns: Mapping[str, Sequence[Value]],
        ahead: FirstSegment | None,
        baselines: dict[str, Baseline],
    ) -> None:
        """Begin with the columns of a frame."""
        super().__init__(layout, columns, ahead)
        self.baselines = baselines

    def description(self) -> list[object]:
        """Return what the journal holds of it: layout, anchor, and the numbers of the baselines."""
        numbers = {name: baseline.number for name, baseline in self.baselines.items()}
        return [self.layout.id, self.steps[0].anchor, numbers]


class NewReading(NamedTuple):
    """What a sample adds for one kind: a change in the open segment, or the begin of another."""

    segment: OpenSegment
    step: ReadingChange
    frame: Frame
    times: Offsets


class SampleChange(NamedTuple):
    """What a sample adds to a recording."""

    number: int
    readings: Mapping[str, NewReading]
    ended: Sequence[str]
    """Kinds that are not sampled any more."""
    new: Sequence[NewBaseline]

    def entry(self) -> bytes:
        """Return the journal's entry."""
        builder = EntryBuilder()
        for kind, (segment, step, *_) in self.readings.items():
            if isinstance(segment, FirstSegment) and segment.steps[0] is step:
                ahead = segment.ahead
                before = ahead.description() if isinstance(ahead, FirstSegment) else None
                builder.run(kind, segment.description(), before)
            else:
                builder.step(kind, step)
        return builder.bytes(self.ended)


class _Track:
    """One kind: its open segment, and the last reading."""

    def __init__(self, reading: NewReading) -> None:
        self.last = reading
        self.segment = reading.segment

    def resume(self) -> OpenSegment:
        """Begin another segment where this one ends, and return the one that ended."""
        ended, (_, _, frame, (_, distances)) = self.segment, self.last
        self.segment = OpenSegment(ended.layout, {**frame.columns, TIMES: distances})
        return ended

    def add(self, reading: NewReading) -> None:
        """Add a reading to the open segment."""
        if reading.step.follows and not self.segment.steps:
            self.segment.carry(self.last.step.sample, self.last.times[0])
        self.segment.add(reading.step)
        self.last = reading


class Tracker:
    """The last reading of each kind, and what is not sealed yet."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Begin with the recording of a connection, of which no reading is known."""
        self._tracks: dict[str, _Track] = {}
        self._baselines: dict[int, dict[str, Baseline]] = {}
        """By layout and column."""
        self._dictionary = Dictionary()
        self._stored = Baselines(connection)
        self.closed: list[OpenSegment] = []
        """Segments that ended and are not sealed."""
        self.ends: list[tuple[str, int]] = []
        """Kinds that are not sampled any more, and since when, of which that is not sealed."""

    # samples

    def compare(self, connection: sqlite3.Connection, number: int, sample: Sample) -> SampleChange:
        """Return what a sample adds; new kinds and layouts are inserted, in the caller's transaction."""
        new: list[NewBaseline] = []
        readings = {}
        for name, frame in sample.frames.items():
            track = self._tracks.get(name)
            if track is None or frame is not track.last.frame:
                readings[name] = self._reading(connection, number, frame, track, new)
        ended = [name for name in self._tracks if name not in sample.frames]
        return SampleChange(number, readings, ended, new)

    def _reading(
        self,
        connection: sqlite3.Connection,
        number: int,
        frame: Frame,
        track: _Track | None,
        new: list[NewBaseline],
    ) -> NewReading:
        times = offsets(frame)
        if track is not None and track.segment.layout.fits(frame):
            before, follows = track.last, frame.prior is not None
            if not follows or _is_same(frame.prior, before.frame):
                step = difference(number, before.frame, frame, (before.times, times), follows=follows)
                return NewReading(track.segment, step, frame, times)
        ahead = self._begin(connection, number, frame.prior, new) if frame.prior is not None else None
        segment = self._begin(connection, number, frame, new, ahead)
        return NewReading(segment, segment.steps[0], frame, times)

    def _begin(
        self,
        connection: sqlite3.Connection,
        number: int,
        frame: Frame,
        new: list[NewBaseline],
        ahead: FirstSegment | None = None,
    ) -> FirstSegment:
        """Return a segment that begins with a frame, all of whose columns become baselines."""
        names = tuple(frame.columns)
        layout = self._dictionary.layout(connection, frame.kind, frame.keys, names, frame.missing)
        anchor, distances = offsets(frame)
        columns: dict[str, Sequence[Value]] = {**frame.columns, TIMES: distances}
        baselines = {
            name: Baseline(values, *self._stored.find(connection, values, new))
            for name, values in columns.items()
        }
        segment = FirstSegment(layout, columns, ahead, baselines)
        segment.add(ReadingChange(number, anchor, [], {}, {}, ahead is not None))
        return segment

    def take(self, change: SampleChange) -> None:
        """Go on from a sample, which is in the file."""
        for name, reading in change.readings.items():
            track = self._tracks.get(name)
            if track is not None and reading.segment is track.segment:
                if len(track.segment.steps) + 1 >= MAX_READINGS:  # sealing is late
                    self.closed.append(track.resume())
                track.add(reading)
                continue
            if track is not None and track.segment.begun:
                self.closed.append(track.segment)
            self._tracks[name] = _Track(reading)
            for segment in (reading.segment, reading.segment.ahead):
                if isinstance(segment, FirstSegment):
                    self._baselines[segment.layout.id] = segment.baselines
        for name in change.ended:
            track = self._tracks.pop(name)
            if track.segment.begun:
                self.closed.append(track.segment)
            self.ends.append((name, change.number))

    def forget_dictionary(self) -> None:
        """Forget the numbers of kinds: what was inserted was rolled back."""
        self._dictionary = Dictionary()

    # sealing

    def collect(self) -> tuple[list[OpenSegment], list[tuple[str, int]]]:
        """Return the segments and ends to be sealed; later readings go to other segments."""
        ready, ends = self.closed, self.ends
        self.closed, self.ends = [], []
        return ready + [track.resume() for track in self._tracks.values() if track.segment.begun], ends

    def put_back(self, ready: list[OpenSegment], ends: list[tuple[str, int]]) -> None:
        """Keep segments and ends that could not be sealed."""
        self.closed, self.ends = ready + self.closed, ends + self.ends

    def forget_baselines(self) -> None:
        """Forget the baselines: some were perhaps not written."""
        self._baselines = {}

    def encode(
        self,
        segment: OpenSegment,
        connection: sqlite3.Connection,
        guard: AbstractContextManager[object],
        new: list[NewBaseline],
        give_way: Callable[[], object],
    ) -> bytes:
        """Return a segment as bytes; `give_way` is called between columns, `guard` held to read the file."""
        baselines = self._baselines.setdefault(segment.layout.id, {})

        def refer(name: str, values: list[Value], moving: int) -> tuple[int, Sequence[Value]]:
            """Return the last baseline, or a new one if the differences from that have become expensive."""
            give_way()
            baseline = baselines.get(name)
            if baseline is not None:
                if values is baseline.values or values == baseline.values:
                    return baseline.number, baseline.values
                unlike = sum(map(ne, values, baseline.values))
                baseline.spent += DIFFERENCE_BYTES * max(0, unlike - moving)
                if baseline.spent < baseline.size:
                    return baseline.number, baseline.values
            with guard:
                baseline = baselines[name] = Baseline(values, *self._stored.find(connection, values, new))
            return baseline.number, values

        return seal(segment, refer)


def _is_same(prior: Frame | None, frame: Frame) -> bool:
    """Return whether a frame's prior is the reading that was recorded before it."""
    if prior is None or prior.missing is not frame.missing:
        return False
    pairs = ((prior.keys, frame.keys), (prior.times, frame.times), (prior.columns, frame.columns))
    return all(value is other or value == other for value, other in pairs)
