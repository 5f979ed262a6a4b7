"""Frames as promises: nothing of a reading is decoded before it is looked at.

A part that is damaged makes the values that lay in it absent, with that reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING

from zmon.absent import absent
from zmon.sample import Frame
from zmon.store.error import Damaged
from zmon.store.run import TIMES
from zmon.store.still import all_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from zmon.absent import Absent, Value
    from zmon.store.reader import Recording
    from zmon.store.run import Readings


class Frames(Mapping[str, Frame]):
    """The frames of one sample, found when they are asked for."""

    def __init__(self, recording: Recording, number: int, kinds: Collection[str]) -> None:
        """Promise the frames of these kinds."""
        self._recording, self._number, self._kinds = recording, number, kinds
        self._known: dict[str, Frame | None] = {}

    def _find(self, name: str) -> Frame | None:
        if name not in self._known:
            found = self._recording.frame(name, self._number) if name in self._kinds else None
            self._known[name] = found
        return self._known[name]

    def row(self, name: str, key: str) -> Frame | None:
        """Return one row of a frame, for which nothing else of it is decoded."""
        return self._recording.row(name, self._number, key) if name in self._kinds else None

    def __getitem__(self, name: str) -> Frame:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._kinds if self._find(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Columns(Mapping[str, "list[Value]"]):
    """The columns of one reading, decoded when they are looked at."""

    def __init__(self, readings: Readings, reading: int, lost: Callable[[Damaged], object] = bool) -> None:
        """Promise the columns; `lost` is told what turns out to be damaged."""
        self._readings = readings
        self._reading = reading
        self._lost = lost
        self._known: dict[str, list[Value]] = {}

    def __getitem__(self, name: str) -> list[Value]:
        known = self._known.get(name)
        if known is None:
            layout = self._readings.layout
            if name not in layout.names:
                raise KeyError(name)
            try:
                known = self._readings.column(name, self._reading)
            except Damaged as error:
                self._lost(error)
                known = [lacking(error)] * len(layout.keys)
            self._known[name] = known
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._readings.layout.names)

    def __len__(self) -> int:
        return len(self._readings.layout.names)

    def __contains__(self, name: object) -> bool:
        return name in self._readings.layout.names


class Lone(Mapping[str, "list[Value]"]):
    """The columns of one reading, of one row alone."""

    def __init__(self, readings: Readings, reading: int, row: int, lost: Callable[[Damaged], object]) -> None:
        """Promise the columns; `lost` is told what turns out to be damaged."""
        self._readings, self._reading, self._row, self._lost = readings, reading, row, lost

    def __getitem__(self, name: str) -> list[Value]:
        readings = self._readings
        if name not in readings.layout.names:
            raise KeyError(name)
        try:
            return [_path(readings, name, self._row, len(readings.samples))[self._reading]]  # type: ignore[arg-type]  # by identity
        except Damaged as error:
            self._lost(error)
            return [lacking(error)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._readings.layout.names)

    def __len__(self) -> int:
        return len(self._readings.layout.names)


@lru_cache(maxsize=512)  # a few columns of some segments that one row is looked at in
def _path(readings: Readings, name: str, row: int, _length: int) -> list[Value]:
    """Return what a row held at each reading; what has grown, as its length tells, is looked at again."""
    return readings.series(name, row)


def full(
    readings: Readings, reading: int, prior: Frame | None = None, *, lost: Callable[[Damaged], object] = bool
) -> Frame:
    """Return the frame of a reading with all its rows; `lost` is told what turns out to be damaged.

    Raises:
        Damaged: the times of the rows are.
    """
    layout = readings.layout
    anchor = readings.anchor(reading)
    drift = readings.column(TIMES, reading)
    if not all_whole(drift):
        raise Damaged("times that are no numbers")
    times = list(map(add, drift, repeat(anchor)))
    return Frame(layout.kind, layout.keys, Columns(readings, reading, lost), times, layout.missing, prior)


def lone(
    readings: Readings,
    reading: int,
    prior: Frame | None = None,
    *,
    key: str,
    lost: Callable[[Damaged], object] = bool,
) -> Frame:
    """Return the frame of a reading with the row of a key alone, or with none where the thing was not there.

    Raises:
        Damaged: the time of the row is.
    """
    layout = readings.layout
    row = layout.index.get(key)
    if row is None:
        return Frame(layout.kind, [], {}, [], layout.missing, prior)
    drift = _path(readings, TIMES, row, len(readings.samples))[reading]  # type: ignore[arg-type]  # by identity
    if not isinstance(drift, int):
        raise Damaged("times that are no numbers")
    times = [readings.anchor(reading) + drift]
    return Frame(layout.kind, [key], Lone(readings, reading, row, lost), times, layout.missing, prior)


def promised(readings: Readings, reading: int, make: Callable[[Readings, int, Frame | None], Frame]) -> Frame:
    """Return the frame that `make` makes of a reading, with its `prior` if it follows another reading.

    Raises:
        Damaged: the times of the rows are, here or there.
    """
    prior = None
    if readings.follows[reading]:
        if reading:
            prior = make(readings, reading - 1, None)
        elif readings.ahead is not None:
            prior = make(readings.ahead, 0, None)
    return make(readings, reading, prior)


def lacking(error: Damaged) -> Absent:
    """Return what stands where a value was in what is damaged."""
    return absent(f"the recording is damaged here: {error}")
