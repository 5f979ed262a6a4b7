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
from zmon.sample import Frame, pick
from zmon.store.baseline import all_whole
from zmon.store.error import Damaged
from zmon.store.run import TIMES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

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

    def select(self, name: str, keys: frozenset[str]) -> Frame | None:
        """Return the rows of some keys; of a single one nothing else of the frame is decoded."""
        return self._recording.select(name, self._number, keys) if name in self._kinds else None

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
    """The columns of one reading, decoded when they are looked at; of all rows, or of some alone."""

    def __init__(
        self,
        readings: Readings,
        reading: int,
        lost: Callable[[Damaged], object] = bool,
        rows: Sequence[int] | None = None,
    ) -> None:
        """Promise the columns; `lost` is called with what turns out to be damaged."""
        self._readings = readings
        self._reading = reading
        self._lost = lost
        self._rows = rows
        self._known: dict[str, list[Value]] = {}

    def __getitem__(self, name: str) -> list[Value]:
        known = self._known.get(name)
        if known is None:
            layout = self._readings.layout
            if name not in layout.names:
                raise KeyError(name)
            try:
                known = decoded(self._readings, name, self._reading, self._rows)
            except Damaged as error:
                self._lost(error)
                known = [lacking(error)] * len(layout.keys if self._rows is None else self._rows)
            self._known[name] = known
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._readings.layout.names)

    def __len__(self) -> int:
        return len(self._readings.layout.names)

    def __contains__(self, name: object) -> bool:
        return name in self._readings.layout.names


def decoded(readings: Readings, name: str, reading: int, rows: Sequence[int] | None) -> list[Value]:
    """Return a column of a reading, of all rows or of some.

    One row alone is decoded for all readings of the segment at once, because a chart asks for each of them.

    Raises:
        Damaged: it is damaged.
    """
    if rows is None:
        return readings.column(name, reading)
    if len(rows) == 1:
        return [_path(readings, name, rows[0], len(readings.samples))[reading]]  # type: ignore[arg-type]  # by identity
    return pick(readings.column(name, reading), rows) if rows else []


@lru_cache(maxsize=512)  # a few columns of some segments that one row is looked at in
def _path(readings: Readings, name: str, row: int, _length: int) -> list[Value]:
    """Return what a row held at each reading; an open run grows, and is then decoded again."""
    return readings.series(name, row)


def frame_of(
    readings: Readings,
    reading: int,
    prior: Frame | None = None,
    *,
    keys: frozenset[str] | None = None,
    lost: Callable[[Damaged], object] = bool,
) -> Frame:
    """Return the frame of a reading, of all rows or of those of some keys; `lost` is called for damage.

    Raises:
        Damaged: the times of the rows are damaged.
    """
    layout = readings.layout
    rows: list[int] | None = None
    if keys is not None:
        rows = sorted(row for key in keys if (row := layout.index.get(key)) is not None)
    drift = decoded(readings, TIMES, reading, rows)
    if not all_whole(drift):
        raise Damaged("times that are no numbers")
    times: list[int] = list(map(add, drift, repeat(readings.anchor(reading))))
    chosen = layout.keys if rows is None else pick(layout.keys, rows)
    return Frame(layout.kind, chosen, Columns(readings, reading, lost, rows), times, layout.missing, prior)


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
