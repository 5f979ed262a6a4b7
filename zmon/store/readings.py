"""Readings: one kind of thing, read again and again while its rows stay the same.

An `OpenSegment` collects readings and becomes a `Segment` when it is sealed.  Both answer the same questions
(`Readings`): which samples have a reading, when its rows were read, and what a column held then.

Each reading is kept as its differences from the one before.  A value that is no whole number counts as 0
there, and is kept separately (`others`).

The frame of a reading decodes a column when it is used.  If that turns out to be damaged, its values are
absent, with that reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import compress, count, repeat
from operator import add, ne, sub

from zmon.base.light_typing import TYPE_CHECKING, Final, Protocol
from zmon.base.record import NamedTuple
from zmon.sample import DAMAGED_BY, Frame, pick
from zmon.store.column_encoding import all_whole, narrow_words
from zmon.store.file_format import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Absent, Value
    from zmon.sample import Kind


TIMES: Final = ""
"""The name of the column that holds the rows' times, as distances from the anchor of their reading."""

Other = tuple[int, "Value | None"]
"""A row, and its value that is no whole number; None if it is a whole number again."""

Offsets = tuple[int, list[int]]
"""The earliest time of a frame's rows (the anchor), and the distance of each row from it."""


class Layout:
    """The rows and columns of a segment, which all of its readings have."""

    def __init__(
        self, number: int, kind: Kind, keys: list[str], names: tuple[str, ...], missing: Absent | None
    ) -> None:
        """Describe frames; `number` is that of the layout in the dictionary."""
        self.id = number
        self.kind = kind
        self.keys = keys
        self.names = names
        """The columns that were read at all."""
        self.missing = missing

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The row number of each key."""
        return {key: row for row, key in enumerate(self.keys)}

    def fits(self, frame: Frame) -> bool:
        """Return whether a frame has this layout."""
        return (
            frame.kind is self.kind
            and frame.missing is self.missing
            and tuple(frame.columns) == self.names
            and frame.keys == self.keys
        )


class ReadingChange(NamedTuple):
    """The differences of a reading from the one before."""

    sample: int
    """The number of the first sample that has this reading."""
    anchor: int
    """The earliest of the rows' times."""
    rows: list[int]
    """Rows in which anything differs, ascending."""
    deltas: Mapping[str, Sequence[int]]
    """For each column that differs, the differences in the order of `rows`; also for `TIMES`."""
    others: Mapping[str, Sequence[Other]]
    follows: bool
    """Whether the reading before is the frame's `prior`."""


class Readings(Protocol):
    """What an open and a sealed segment have in common."""

    @property
    def layout(self) -> Layout:
        """The rows and columns of all readings."""

    @property
    def samples(self) -> Sequence[int]:
        """For each reading the number of the first sample that has it, ascending."""

    @property
    def follows(self) -> Sequence[bool]:
        """For each reading whether the one before is its `prior`."""

    @property
    def carried(self) -> int:
        """How many readings at the begin belong to the segment before, so that the next can follow them."""

    @property
    def ahead(self) -> Readings | None:
        """A segment of one reading, which is the `prior` of the first one here."""

    def anchor(self, reading: int) -> int:
        """Return the earliest time of a reading."""

    def column(self, name: str, reading: int) -> list[Value]:
        """Return the values of a column; of `TIMES` the distances from the anchor."""

    def series(self, name: str, row: int) -> list[Value]:
        """Return the values of one row of a column at each reading."""


class OpenSegment:
    """A segment to which readings are added, in memory."""

    def __init__(
        self, layout: Layout, before: Mapping[str, Sequence[Value]], ahead: OpenSegment | None = None
    ) -> None:
        """Begin with the columns `before` the first reading, `TIMES` among them; 0 where left out."""
        self.layout = layout
        self.before = before
        self.ahead = ahead
        self.carried = 0
        self.steps: list[ReadingChange] = []
        self.samples: list[int] = []
        self.follows: list[bool] = []
        self._recent: dict[str, tuple[int, list[Value]]] = {}
        """For each column the reading that was used last, and its values."""

    @property
    def begun(self) -> bool:
        """Whether it has readings of its own."""
        return len(self.steps) > self.carried

    def carry(self, sample: int, anchor: int) -> None:
        """Begin with the last reading of the segment before, which the next one follows."""
        self.add(ReadingChange(sample, anchor, [], {}, {}, follows=False))
        self.carried = 1

    def add(self, step: ReadingChange) -> None:
        """Add a reading."""
        self.steps.append(step)
        self.samples.append(step.sample)
        self.follows.append(step.follows)

    def anchor(self, reading: int) -> int:
        """Return the earliest time of a reading."""
        return self.steps[reading].anchor

    def first_column(self, name: str) -> list[Value]:
        """Return a new list of the values of a column before the first reading."""
        before = self.before.get(name)
        return [0] * len(self.layout.keys) if before is None else list(before)

    def column(self, name: str, reading: int) -> list[Value]:
        """Return the values of a column; of `TIMES` the distances from the anchor."""
        last, column_kept = self._recent.get(name, (-1, None))
        if column_kept is None or last > reading:
            last, values = -1, self.first_column(name)
        else:
            values = column_kept.copy()
        for step in self.steps[last + 1 : reading + 1]:
            apply_change(step, name, values)
        self._recent[name] = (reading, values)
        return values

    def series(self, name: str, row: int) -> list[Value]:
        """Return the values of one row of a column at each reading."""
        before = self.before.get(name)
        now: Value = 0 if before is None else before[row]
        readings = []
        for step in self.steps:
            at = bisect_left(step.rows, row)
            if at < len(step.rows) and step.rows[at] == row:
                deltas = step.deltas.get(name)
                delta = deltas[at] if deltas else 0
                others = [value for where, value in step.others.get(name, ()) if where == row]
                if delta or others:
                    now = (now if type(now) is int else 0) + delta
                if others and others[-1] is not None:
                    now = others[-1]
            readings.append(now)
        return readings


def apply_change(step: ReadingChange, name: str, values: list[Value]) -> None:
    """Change the values of a column to those of the next reading."""
    deltas = step.deltas.get(name)
    others = step.others.get(name, ())
    for row, value in others:
        if value is None:
            values[row] = 0
    if deltas is not None:
        for row, delta in zip(step.rows, deltas, strict=True):
            if delta:
                now = values[row]
                values[row] = (now if type(now) is int else 0) + delta
    for row, value in others:
        if value is not None:
            values[row] = value


def offsets(frame: Frame) -> Offsets:
    """Return the earliest time of a frame's rows, and the distance of each row from it."""
    anchor, latest = frame.period
    if anchor == latest:
        return anchor, _zeros(len(frame.times))
    distances = {time: time - anchor for time in set(frame.times)}  # few: rows that rest have one time
    return anchor, list(map(distances.__getitem__, frame.times))


@lru_cache
def _zeros(many: int) -> list[int]:
    """Return the distances of rows that were all read at once."""
    return [0] * many


def difference(
    sample: int, before: Frame, after: Frame, times: tuple[Offsets, Offsets], *, follows: bool
) -> ReadingChange:
    """Compare two frames of the same layout; `times` are their offsets."""
    (_, past), (anchor, present) = times
    rows = after.moved(before)
    if past is not present and past != present:
        rows = sorted({*rows, *compress(count(), map(ne, present, past))})
    deltas: dict[str, Sequence[int]] = {}
    others: dict[str, Sequence[Other]] = {}
    if not rows:
        return ReadingChange(sample, anchor, rows, deltas, others, follows)
    new_of, old_of = after.picking(rows), before.picking(rows)
    for name in after.moved_columns(before):
        new, old = new_of(name), old_of(name)
        if new == old:
            continue
        try:
            deltas[name] = narrow_words(list(map(sub, new, old)))
        except TypeError:  # not all are whole numbers
            deltas[name], others[name] = _mixed(rows, new, old)
    if past is not present and past != present:
        deltas[TIMES] = narrow_words(list(map(sub, pick(present, rows), pick(past, rows))))
    return ReadingChange(sample, anchor, rows, deltas, others, follows)


def _mixed(
    rows: Sequence[int], new: Sequence[Value], old: Sequence[Value]
) -> tuple[Sequence[int], list[Other]]:
    """Return the differences of whole numbers, and separately all other values."""
    deltas: list[int] = []
    others: list[Other] = []
    for row, now, was in zip(rows, new, old, strict=True):
        whole, had = type(now) is int, type(was) is int
        change = (now if whole else 0) - (was if had else 0)  # type: ignore[operator]  # whole numbers
        deltas.append(int(change))  # type: ignore[arg-type]  # likewise
        if not whole and (had or now != was or type(now) is not type(was)):
            others.append((row, now))
        elif whole and not had:
            others.append((row, None))
    return narrow_words(deltas), others


# frames


class LazyColumns(Mapping[str, "list[Value]"]):
    """The columns of one reading, decoded when they are used; of all rows, or of some alone."""

    def __init__(
        self,
        readings: Readings,
        reading: int,
        on_damage: Callable[[Damaged], object] = bool,
        rows: Sequence[int] | None = None,
    ) -> None:
        """Decode nothing yet; `on_damage` is called with what turns out to be damaged."""
        self._readings = readings
        self._reading = reading
        self._on_damage = on_damage
        self._rows = rows
        self._known: dict[str, list[Value]] = {}
        self.damage = ""
        """Why one of those that were used is damaged."""

    def __getitem__(self, name: str) -> list[Value]:
        values = self._known.get(name)
        if values is None:
            layout = self._readings.layout
            if name not in layout.names:
                raise KeyError(name)
            try:
                values = decoded(self._readings, name, self._reading, self._rows)
            except Damaged as error:
                self._on_damage(error)
                lost = absent_where_damaged(error)
                self.damage = lost.reason
                values = [lost] * len(layout.keys if self._rows is None else self._rows)
            self._known[name] = values
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._readings.layout.names)

    def __len__(self) -> int:
        return len(self._readings.layout.names)

    def __contains__(self, name: object) -> bool:
        return name in self._readings.layout.names


def decoded(readings: Readings, name: str, reading: int, rows: Sequence[int] | None) -> list[Value]:
    """Return a column of a reading, of all rows or of some.

    One row alone is decoded for all readings of the segment at once, because a chart asks for each of them.
    """
    if rows is None:
        return readings.column(name, reading)
    if len(rows) == 1:
        return [_series(readings, name, rows[0], len(readings.samples))[reading]]  # type: ignore[arg-type]  # by identity
    return pick(readings.column(name, reading), rows) if rows else []


@lru_cache(maxsize=512)  # a few columns of some segments in which one row is used
def _series(readings: Readings, name: str, row: int, _length: int) -> list[Value]:
    """Return the values of a row at each reading; an open segment grows, and is then decoded again."""
    return readings.series(name, row)


def frame_of(
    readings: Readings,
    reading: int,
    prior: Frame | None = None,
    *,
    keys: frozenset[str] | None = None,
    on_damage: Callable[[Damaged], object] = bool,
) -> Frame:
    """Return the frame of a reading, of all rows or of those of some keys; `on_damage` as in `LazyColumns`.

    Raises:
        Damaged: the times of the rows are damaged.
    """
    layout = readings.layout
    rows: list[int] | None = None
    if keys is not None:
        rows = sorted(row for key in keys if (row := layout.index.get(key)) is not None)
    distances = decoded(readings, TIMES, reading, rows)
    if not all_whole(distances):
        raise Damaged("times that are no numbers")
    times: list[int] = list(map(add, distances, repeat(readings.anchor(reading))))
    chosen = layout.keys if rows is None else pick(layout.keys, rows)
    columns = LazyColumns(readings, reading, on_damage, rows)
    return Frame(layout.kind, chosen, columns, times, layout.missing, prior)


def frame_with_prior(
    readings: Readings, reading: int, make: Callable[[Readings, int, Frame | None], Frame]
) -> Frame:
    """Return the frame that `make` returns for a reading, with its `prior` if it follows another reading."""
    prior = None
    if readings.follows[reading]:
        if reading:
            prior = make(readings, reading - 1, None)
        elif readings.ahead is not None:
            prior = make(readings.ahead, 0, None)
    return make(readings, reading, prior)


def absent_where_damaged(error: Damaged) -> Absent:
    """Return the value for everything in a damaged part."""
    return DAMAGED_BY.about(str(error))
