"""The intervals of samples that are about to be sealed, cut down to the devices that did something.

Of thousands of devices some hundreds work at a time.  Runs say which: a row that no step tells of stood
still, and so did the device.  An interval here holds only devices that moved in one of a handful of
intervals, and takes the differences from the steps, which have them already.  An interval in which a counter
fell, a value appeared or vanished, or things came, went or were not read again is not cut down.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property, lru_cache, partial
from itertools import compress, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from zmon.absent import Absent
from zmon.interval import RESTING, WIDEST, Delta, Interval
from zmon.kinds import BLOCK, CMF, DASD, DEVICE
from zmon.sample import Frame, Instant, Meaning, Sample
from zmon.store.reader import Columns
from zmon.store.run import TIMES
from zmon.store.still import all_whole

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from zmon.absent import Value
    from zmon.sample import Field, Kind
    from zmon.store.run import Readings, Run, Step

    Cell = TypeVar("Cell")

MOST: Final = 20
"""Intervals for which the same devices are looked at."""

MOVING: Final = (BLOCK, CMF)
"""The kinds whose rows tell whether a device did something."""

COUNTS: Final = frozenset({Meaning.COUNTER, Meaning.CLOCK})


class Stretch(NamedTuple):
    """What is sealed at a time."""

    base: Sample | None
    """The sample before, whole."""
    runs: Sequence[Run]
    ends: Sequence[tuple[str, int]]
    """Kinds that were not sampled any more, and since when."""
    moments: Sequence[tuple[int, Instant, float]]
    """Number and time of each sample, and the seconds that were meant to lie between."""


def moments(connection: sqlite3.Connection, begin: int, until: int) -> list[tuple[int, Instant, float]]:
    """Return number, time and nominal interval of the samples from one number up to another.

    Raises:
        sqlite3.Error: they cannot be read.
    """
    rows = connection.execute(
        "SELECT n, utc, steady, boot, nominal FROM sample JOIN session ON session.id = sample.session"
        " WHERE n >= ? AND n < ? ORDER BY n",
        (begin, until),
    )
    return [(n, Instant(utc, steady, boot), float(nominal)) for n, utc, steady, boot, nominal in rows]


class Promised(Frame):
    """A reading whose columns and times are decoded when they are looked at."""

    def __init__(self, readings: Readings, reading: int, prior: Frame | None = None) -> None:
        """Promise them."""
        layout = readings.layout
        super().__init__(layout.kind, layout.keys, Columns(readings, reading), [], layout.missing, prior)
        del self.times
        self._from = readings, reading

    @cached_property
    def times(self) -> list[int]:  # type: ignore[override]  # it stays as it is once it was made
        """For each row the moment of reading."""
        readings, reading = self._from
        anchor = readings.anchor(reading)
        drift: list[int] = readings.column(TIMES, reading)  # type: ignore[assignment]  # whole numbers
        return [anchor + one for one in drift]


class Picked(Mapping[str, "list[Value]"]):
    """Some rows of columns, picked when they are looked at."""

    def __init__(self, columns: Mapping[str, list[Value]], rows: Sequence[int]) -> None:
        """Promise these rows."""
        self._columns, self._rows = columns, rows
        self._known: dict[str, list[Value]] = {}

    def __getitem__(self, name: str) -> list[Value]:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = pick(self._columns[name], self._rows)
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns


def pick(column: Sequence[Cell], rows: Sequence[int]) -> list[Cell]:
    """Return some rows of a column."""
    if len(rows) < 2:
        return [column[row] for row in rows]
    return list(itemgetter(*rows)(column))


class Some(Frame):
    """Some rows of a frame; nothing of the others is looked at."""

    def __init__(self, whole: Frame, keys: list[str], rows: Sequence[int]) -> None:
        """Take these rows, whose keys are given."""
        super().__init__(whole.kind, keys, Picked(whole.columns, rows), [], whole.missing)
        del self.times
        self._whole, self._rows = whole, rows

    @cached_property
    def times(self) -> list[int]:  # type: ignore[override]  # it stays as it is once it was made
        """For each row the moment of reading."""
        return pick(self._whole.times, self._rows)


Reading = tuple["Run", int]


class Line:
    """One kind of thing along a stretch: which reading each sample has."""

    def __init__(self, name: str, stretch: Stretch) -> None:
        """Line up the readings."""
        self.base = None if stretch.base is None else stretch.base.frames.get(name)
        told: list[tuple[int, int, Reading | None]] = [
            (n, 0, None) for kind, n in stretch.ends if kind == name
        ]
        for run in stretch.runs:
            if run.layout.kind.name == name:
                told += [(run.samples[at], 1, (run, at)) for at in range(run.carried, len(run.samples))]
        told.sort(key=itemgetter(0, 1))
        self._numbers = [n for n, _order, _reading in told]
        self._readings = [reading for _n, _order, reading in told]
        self._frames: dict[int, Frame | None] = {-1: self.base}
        self._odd: dict[tuple[int, str], frozenset[int] | None] = {}

    def at(self, number: int) -> int:
        """Return which reading a sample has: -1 is that of the sample before the stretch."""
        return bisect_right(self._numbers, number) - 1

    def reading(self, at: int) -> Reading | None:
        """Return a run and the number of a reading in it; None for what lies before, or is no reading."""
        return None if at < 0 else self._readings[at]

    def kind(self, at: int) -> Kind:
        """Return the kind of a reading, as it was when it was recorded."""
        reading = self.reading(at)
        assert reading is not None  # noqa: S101 - nobody asks otherwise
        return reading[0].layout.kind

    def frame(self, at: int) -> Frame | None:
        """Return the frame of a reading; None when the kind was not sampled."""
        if at not in self._frames:
            reading = self._readings[at]
            self._frames[at] = None if reading is None else _made(*reading)
        return self._frames[at]

    def anchor(self, at: int) -> int:
        """Return the earliest time of a reading."""
        reading = self.reading(at)
        if reading is None:
            assert self.base is not None  # noqa: S101 - nobody asks otherwise
            return min(self.base.times, default=0)
        return reading[0].anchor(reading[1])

    def step(self, at: int) -> Step | None:
        """Return what a reading found different from the one before; None when no step tells it."""
        reading, before = self.reading(at), self.frame(at - 1) if at >= 0 else None
        if reading is None or before is None:
            return None
        run, number = reading
        step = run.steps[number]
        if number > run.carried:
            return step
        # the first of a run that begins anew tells nothing, either
        told = (
            (step.deltas or step.others) and before.keys == run.layout.keys and before.kind is run.layout.kind
        )
        return step if told and set(before.columns) == set(run.layout.names) else None

    def odd(self, run: Run, name: str) -> frozenset[int] | None:
        """Return the rows that hold no whole number in a column; None when that changes during the run."""
        key = (id(run), name)
        if key not in self._odd:
            found: frozenset[int] | None = None
            if not any(step.others.get(name) for step in run.steps):
                before = run.before.get(name)
                plain = before is None or all_whole(before)
                found = frozenset(
                    () if plain else (row for row, value in enumerate(before or ()) if type(value) is not int)
                )
            self._odd[key] = found
        return self._odd[key]


def _made(run: Run, reading: int) -> Frame:
    prior: Frame | None = None
    if run.follows[reading]:
        if reading:
            prior = Promised(run, reading - 1)
        elif run.ahead is not None:
            prior = Promised(run.ahead, 0)
    return Promised(run, reading, prior)


class _Frames(Mapping[str, Frame]):
    """The frames of one sample of a stretch."""

    def __init__(self, stretch: Reduction, number: int) -> None:
        self._stretch, self._number = stretch, number

    def __getitem__(self, name: str) -> Frame:
        line = self._stretch.line(name)
        found = line.frame(line.at(self._number))
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(())  # nobody asks for all of them

    def __len__(self) -> int:
        return 0


class Told(Delta):
    """Differences as a step tells them, for some rows."""

    def __init__(self, before: Frame, after: Frame, step: Step, gap: int, rows: Rows) -> None:
        """Compare two readings: there is a safe step between them, and so much time between their anchors."""
        super().__init__(before, after)
        self._step, self._of = step, rows
        self._at = [rows.place.get(row) for row in step.rows]
        drift = self._scattered(TIMES) if TIMES in step.deltas else [0] * len(after.keys)
        self.seconds = [(gap + one) / 1e9 for one in drift]

    def _scattered(self, name: str) -> list[int]:
        values = [0] * len(self.keys)
        for at, delta in zip(self._at, self._step.deltas[name], strict=True):
            if at is not None:
                values[at] = delta
        return values

    def _difference(self, declared: Field) -> list[Value]:
        if not self._of.whole(declared.name):
            return super()._difference(declared)
        if declared.name in self._step.deltas:
            return list(self._scattered(declared.name))
        return [0] * len(self.keys)


def is_safe(step: Step, gap: int, kind: Kind) -> bool:
    """Tell whether nothing fell, came, went or was replaced in a step, and no counter can have wrapped."""
    drift = step.deltas.get(TIMES, (0,))
    # a row of which the step does not tell may have no drift
    low, high = gap + min(0, min(drift, default=0)), gap + max(0, max(drift, default=0))
    if any(step.others.values()) or low <= 0 or high > 1e9 * min(RESTING, _patience(kind)):
        return False
    for name, deltas in step.deltas.items():
        declared = kind.by_name.get(name)
        if declared is None or declared.meaning in {Meaning.LABEL, Meaning.GAUGE}:
            continue
        if declared.meaning is Meaning.IDENTITY or min(deltas, default=0) < 0:
            return False
        if declared.meaning in COUNTS and max(deltas, default=0) > (declared.modulus or WIDEST):
            return False
    return True


@lru_cache
def _patience(kind: Kind) -> float:
    """Return the seconds within which no counter of a kind can wrap unseen."""
    return min((field.wraps_after for field in kind.fields if field.wraps_after), default=RESTING)


class Rows:
    """Some rows of a run."""

    def __init__(self, line: Line, run: Run, rows: Sequence[int]) -> None:
        """Take these."""
        self.place = {row: at for at, row in enumerate(rows)}
        self._line, self._run = line, run
        self._whole: dict[str, bool] = {}

    def whole(self, name: str) -> bool:
        """Tell whether these rows of a column hold whole numbers throughout the run."""
        known = self._whole.get(name)
        if known is None:
            known = False
            if name in self._run.layout.names:
                odd = self._line.odd(self._run, name)
                known = odd is not None and odd.isdisjoint(self.place)
            self._whole[name] = known
        return known


class Reduced(Interval):
    """An interval of a stretch that holds only devices which did something."""

    def __init__(self, before: Sample, after: Sample, delta: Callable[[Kind], Delta | None]) -> None:
        """`delta` gives the differences of the kinds that are cut down."""
        super().__init__(before, after)
        self._cut = delta

    def of(self, kind: Kind) -> Delta:
        """Return the differences of one kind of thing."""
        delta = self._deltas.get(kind.name)
        if delta is None:
            delta = self._cut(kind) or super().of(kind)
            self._deltas[kind.name] = delta
        return delta


class Group(NamedTuple):
    """Intervals that follow one another and are cut down to the same devices."""

    intervals: Sequence[Interval]
    cut: bool
    """Whether they are cut down at all; what is not holds all things."""
    whole: Callable[[], Interval]
    """Gives the last of them with all devices."""


class Reduction:
    """A stretch as intervals."""

    def __init__(self, stretch: Stretch) -> None:
        """Look at a stretch."""
        self._stretch = stretch
        self._lines: dict[str, Line] = {}
        self._devices: dict[int, dict[Value, str]] = {}
        self._first = stretch.moments[0][0] if stretch.moments else 0

    def line(self, name: str) -> Line:
        """Return the readings of one kind."""
        if name not in self._lines:
            self._lines[name] = Line(name, self._stretch)
        return self._lines[name]

    def _samples(self) -> list[tuple[int, Sample]]:
        base, found = self._stretch.base, []
        if base is not None:
            before = Sample(base.at, _Frames(self, self._first - 1), base.source, base.nominal)
            found.append((self._first - 1, before))
        for number, at, nominal in self._stretch.moments:
            found.append((number, Sample(at, _Frames(self, number), "", nominal)))
        return found

    def groups(self, apart: Callable[[Interval], object]) -> Iterator[Group]:
        """Yield all intervals that are no gap, those together for which `apart` gives the same.

        A group without intervals says that something changed in a gap.
        """
        open_: list[tuple[int, Sample, Sample]] = []
        of: object = None
        for (_, before), (number, after) in pairwise(self._samples()):
            interval = Interval(before, after)
            seconds = interval.seconds
            gap = isinstance(seconds, Absent) or interval.gap or seconds <= 0
            changed, where = self._changed(number), apart(interval)
            if open_ and (gap or changed or where != of or len(open_) == MOST):
                yield self._cut(open_)
                open_ = []
            of = where
            if changed and not gap:
                yield self._whole(before, after)
            elif not gap:
                open_.append((number, before, after))
            elif changed:
                yield Group([], False, lambda: interval)  # noqa: B023 - it is not asked for
        if open_:
            yield self._cut(open_)

    def _changed(self, number: int) -> bool:
        """Tell whether anything but counters that rise was different in a sample, or was not read again."""
        for kind in MOVING:
            line = self.line(kind.name)
            at = line.at(number)
            if at == line.at(number - 1):
                if line.frame(at) is not None:
                    return True
                continue
            step = line.step(at)
            if step is None:
                if not _same(line.frame(at - 1), line.frame(at)):
                    return True
            elif not is_safe(step, line.anchor(at) - line.anchor(at - 1), line.kind(at)):
                return True
        line = self.line(DEVICE.name)
        at = line.at(number)
        if at == line.at(number - 1):
            return False
        step = line.step(at)
        if step is None:
            return not _same(line.frame(at - 1), line.frame(at))
        return any(step.others.values()) or bool(set(step.deltas) - {TIMES})

    def _cut(self, told: Sequence[tuple[int, Sample, Sample]]) -> Group:
        chosen = Cut(self, [number for number, _before, _after in told])
        intervals = [
            Reduced(before, after, partial(chosen.delta, number=number)) for number, before, after in told
        ]
        _number, before, after = told[-1]
        return Group(intervals, True, lambda: Interval(before, after))

    @staticmethod
    def _whole(before: Sample, after: Sample) -> Group:
        interval = Interval(before, after)
        return Group([interval], False, lambda: interval)

    def devices(self, at: int) -> dict[Value, str]:
        """Return which device each disk is, in a reading of the devices."""
        if at not in self._devices:
            frame = self.line(DEVICE.name).frame(at)
            self._devices[at] = {}
            if frame is not None and frame.missing is None:
                self._devices[at] = dict(zip(frame.column("block"), frame.keys, strict=True))
        return self._devices[at]


class Cut:
    """What a group of intervals is cut down to."""

    def __init__(self, stretch: Reduction, numbers: Sequence[int]) -> None:
        """Find out which devices did something in the intervals that end with these samples."""
        self._stretch = stretch
        self._numbers = numbers
        self._chosen: dict[tuple[str, int], tuple[list[str], list[int]]] = {}
        self._frames: dict[tuple[str, int], Some] = {}
        self._rows: dict[tuple[str, int], Rows] = {}
        moved = {kind.name: self._moved(kind) for kind in MOVING}
        line = stretch.line(DEVICE.name)
        disks, busids = moved[BLOCK.name], moved[CMF.name]
        for at in {line.at(number) for number in numbers}:
            of_disk = stretch.devices(at)
            busids |= {busid for name in disks if (busid := of_disk.get(name)) is not None}
            disks |= {name for name, busid in of_disk.items() if busid in busids and isinstance(name, str)}
        self._wanted = {BLOCK.name: disks, CMF.name: busids, DEVICE.name: busids, DASD.name: busids}

    def _moved(self, kind: Kind) -> set[str]:
        """Return the keys of the rows that moved."""
        line, found = self._stretch.line(kind.name), set[str]()
        counters = [field.name for field in kind.fields if field.meaning in COUNTS]
        for number in self._numbers:
            at = line.at(number)
            if at == line.at(number - 1):
                continue
            step, reading = line.step(at), line.reading(at)
            if step is None or reading is None:
                continue  # nothing was different
            rows = set[int]()
            for name in counters:
                deltas = step.deltas.get(name)
                if deltas is not None:
                    rows.update(compress(step.rows, deltas))
            keys = reading[0].layout.keys
            found.update(keys[row] for row in rows)
        return found

    def delta(self, kind: Kind, number: int) -> Delta | None:
        """Return the differences of a kind in the interval that ends with a sample, if it is cut down."""
        if kind.name not in self._wanted:
            return None
        line = self._stretch.line(kind.name)
        at = line.at(number)
        after = self._some(line, kind, at)
        if after is None:
            return None
        if kind not in MOVING:
            return Delta(None, after)  # labels
        before = self._some(line, kind, at - 1)
        step, reading = line.step(at), line.reading(at)
        if before is None or step is None or reading is None:
            return Delta(before, after)  # nothing was different
        rows = self._rows.get((kind.name, id(reading[0])))
        if rows is None:
            rows = Rows(line, reading[0], self._choose(kind, reading[0].layout.keys)[1])
            self._rows[kind.name, id(reading[0])] = rows
        return Told(before, after, step, line.anchor(at) - line.anchor(at - 1), rows)

    def _choose(self, kind: Kind, keys: list[str]) -> tuple[list[str], list[int]]:
        """Return the keys that are wanted, and their rows."""
        known = self._chosen.get((kind.name, id(keys)))
        if known is None:
            wanted = self._wanted[kind.name]
            rows = [row for row, key in enumerate(keys) if key in wanted]
            known = self._chosen[kind.name, id(keys)] = ([keys[row] for row in rows], rows)
        return known

    def _some(self, line: Line, kind: Kind, at: int) -> Some | None:
        known = self._frames.get((kind.name, at))
        if known is None:
            whole = line.frame(at)
            if whole is None:
                return None
            known = self._frames[kind.name, at] = self._of(whole, kind)
        return known

    def _of(self, whole: Frame, kind: Kind) -> Some:
        keys, rows = self._choose(kind, whole.keys)
        return Some(whole, keys, rows)


def _same(before: Frame | None, after: Frame | None) -> bool:
    """Tell whether two readings found the same things, and the same of them."""
    if before is None or after is None:
        return before is after
    told = (before.kind, before.keys, before.missing) == (after.kind, after.keys, after.missing)
    return told and dict(before.columns) == dict(after.columns)
