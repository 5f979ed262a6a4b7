"""Readings: one kind of thing, read again and again while the same rows were there.

Samples are added to an `OpenSegment`, which becomes a `Segment` when it is sealed.  Both answer the same
questions: which samples have a reading, when its rows were read, and what a column held then.

Each reading is kept as its difference from the one before.  What is no whole number counts as 0 there, and is
kept beside it (`others`).

The frame of a reading decodes nothing before it is looked at.  A part that is damaged makes the values that
lay in it absent, with that reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import compress, count, repeat
from operator import add, itemgetter, ne, sub
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from zmon.absent import absent
from zmon.sample import Frame, pick
from zmon.store.baseline import all_whole
from zmon.store.file_format import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.absent import Absent, Value
    from zmon.sample import Kind


TIMES: Final = ""
"""The name under which the rows' times are kept: as distance from the anchor of their reading."""

Other = tuple[int, "Value | None"]
"""A row, and what it holds that is no whole number; None when it holds one again."""


class Layout:
    """What stays the same during a run."""

    def __init__(
        self,
        number: int,
        kind: Kind,
        keys: list[str],
        names: tuple[str, ...],
        missing: Absent | None,
    ) -> None:
        """Hold what was read of, under its number in the dictionary."""
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
        """Tell whether a frame has this layout."""
        return (
            frame.kind is self.kind
            and frame.missing is self.missing
            and tuple(frame.columns) == self.names
            and frame.keys == self.keys
        )


class ReadingChange(NamedTuple):
    """What a reading found different from the one before."""

    sample: int
    """The number of the first sample that has this reading."""
    anchor: int
    """The earliest of the rows' times."""
    rows: list[int]
    """Rows in which anything is different, rising."""
    deltas: Mapping[str, Sequence[int]]
    """For each column that is different, the differences in the order of `rows`; also for `TIMES`."""
    others: Mapping[str, Sequence[Other]]
    follows: bool
    """Whether the reading before is the frame's `prior`."""


class Readings(Protocol):
    """What an open run and a sealed one have in common."""

    @property
    def layout(self) -> Layout:
        """What stays the same during the run."""

    @property
    def samples(self) -> Sequence[int]:
        """For each reading the number of the first sample that has it, rising."""

    @property
    def follows(self) -> Sequence[bool]:
        """For each reading whether the one before is its `prior`."""

    @property
    def carried(self) -> int:
        """How many readings at the begin belong to the run before, so that the next can follow them."""

    @property
    def ahead(self) -> Readings | None:
        """A run of one reading which is the `prior` of the first one here."""

    def anchor(self, reading: int) -> int:
        """Return the earliest time of a reading."""

    def column(self, name: str, reading: int) -> list[Value]:
        """Return what a column held; for `TIMES` the distances from the anchor."""

    def series(self, name: str, row: int) -> list[Value]:
        """Return what one row of a column held at each reading."""


class OpenSegment:
    """An open run, in memory."""

    def __init__(
        self,
        layout: Layout,
        before: Mapping[str, Sequence[Value]],
        ahead: OpenSegment | None = None,
    ) -> None:
        """Begin with the columns `before` the first step, `TIMES` among them, all zero where left out."""
        self.layout = layout
        self.before = before
        self.ahead = ahead
        self.carried = 0
        self.steps: list[ReadingChange] = []
        self.samples: list[int] = []
        self.follows: list[bool] = []
        self._recent: dict[str, tuple[int, list[Value]]] = {}
        """For each column looked at, the reading it was last looked at in and what it held."""

    @property
    def begun(self) -> bool:
        """Whether it has readings of its own."""
        return len(self.steps) > self.carried

    def carry(self, sample: int, anchor: int) -> None:
        """Begin with the last reading of the run before, which the next one follows."""
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

    def column(self, name: str, reading: int) -> list[Value]:
        """Return what a column held; for `TIMES` the distances from the anchor."""
        begun, values = self._recent.get(name, (-1, None))
        if values is None or begun > reading:
            before = self.before.get(name)
            begun, values = -1, [0] * len(self.layout.keys) if before is None else list(before)
        else:
            values = values.copy()
        for step in self.steps[begun + 1 : reading + 1]:
            apply_change(step, name, values)
        self._recent[name] = (reading, values)
        return values

    def series(self, name: str, row: int) -> list[Value]:
        """Return what one row of a column held at each reading."""
        before = self.before.get(name)
        now: Value = 0 if before is None else before[row]
        found = []
        for step in self.steps:
            at = bisect_left(step.rows, row)
            if at < len(step.rows) and step.rows[at] == row:
                deltas = step.deltas.get(name)
                delta = deltas[at] if deltas else 0
                beside = [what for where, what in step.others.get(name, ()) if where == row]
                if delta or beside:
                    now = (now if type(now) is int else 0) + delta
                if beside and beside[-1] is not None:
                    now = beside[-1]
            found.append(now)
        return found


def apply_change(step: ReadingChange, name: str, values: list[Value]) -> None:
    """Bring a column from the reading before to that of the step."""
    deltas = step.deltas.get(name)
    others = step.others.get(name, ())
    for row, what in others:
        if what is None:
            values[row] = 0
    if deltas is not None:
        for row, delta in zip(step.rows, deltas, strict=True):
            if delta:
                now = values[row]
                values[row] = (now if type(now) is int else 0) + delta
    for row, what in others:
        if what is not None:
            values[row] = what


def offsets(frame: Frame) -> tuple[int, list[int]]:
    """Return the earliest time of a frame's rows, and each row's distance from it."""
    times = frame.times
    if not times:
        return 0, []
    anchor, latest = frame.period
    if anchor == latest:
        return anchor, [0] * len(times)
    distances = {time: time - anchor for time in set(times)}  # few: rows that rest have one
    return anchor, list(map(distances.__getitem__, times))


def difference(
    sample: int, before: Frame, after: Frame, drift: tuple[Sequence[int], Sequence[int]], at: ReadingPlace
) -> ReadingChange:
    """Compare two frames of the same layout.

    `drift` holds the rows' distances from their anchors, before and after.
    """
    was, now = before.columns, after.columns
    rows = after.moved(before)
    if drift[0] != drift[1]:
        rows = sorted({*rows, *compress(count(), map(ne, drift[1], drift[0]))})
    if not rows:
        return ReadingChange(sample, at.anchor, rows, {}, {}, at.follows)
    pick = _picking(rows)
    deltas: dict[str, Sequence[int]] = {}
    others: dict[str, Sequence[Other]] = {}
    for name in now:
        if now[name] is was[name]:
            continue
        new, old = pick(now[name]), pick(was[name])
        if new == old:
            continue
        try:
            changes = list(map(sub, new, old))
        except TypeError:  # texts
            changes = []
        if changes and all_whole(changes):
            deltas[name] = changes
        else:
            deltas[name], others[name] = _mixed(rows, new, old)
    if drift[0] != drift[1]:
        deltas[TIMES] = list(map(sub, pick(drift[1]), pick(drift[0])))
    return ReadingChange(sample, at.anchor, rows, deltas, others, at.follows)


class ReadingPlace(NamedTuple):
    """Where a reading stands among others."""

    anchor: int
    follows: bool


def _picking(rows: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return what picks these rows of a column."""
    if len(rows) == 1:
        return lambda column: (column[rows[0]],)
    first, second, *others = rows
    return itemgetter(first, second, *others)


def _mixed(rows: Sequence[int], new: Sequence[Value], old: Sequence[Value]) -> tuple[list[int], list[Other]]:
    """Return differences of what are whole numbers, and what is something else."""
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
    return deltas, others


class LazyColumns(Mapping[str, "list[Value]"]):
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
                known = [absent_where_damaged(error)] * len(layout.keys if self._rows is None else self._rows)
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
    return Frame(
        layout.kind, chosen, LazyColumns(readings, reading, lost, rows), times, layout.missing, prior
    )


def frame_with_prior(
    readings: Readings, reading: int, make: Callable[[Readings, int, Frame | None], Frame]
) -> Frame:
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


def absent_where_damaged(error: Damaged) -> Absent:
    """Return what stands where a value was in what is damaged."""
    return absent(f"the recording is damaged here: {error}")
