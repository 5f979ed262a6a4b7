"""Samples come out of a recording as they went in, by their number or their time.

Nothing is decoded before it is looked at: a sample is a promise of frames, a frame one of columns.  A part
that is damaged makes the values that lay in it absent, with that reason, and nothing else.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakValueDictionary

from zmon.absent import absent
from zmon.event import Event, What
from zmon.recording.dictionary import checked, load_layout, load_still
from zmon.recording.error import Damaged
from zmon.recording.opening import Trouble, open_reading, stamp
from zmon.recording.run import TIMES, Run, Step
from zmon.recording.segment import Segment
from zmon.recording.still import all_whole
from zmon.recording.tail import Told
from zmon.sample import Frame, Instant, Sample, nothing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterator, Sequence

    from zmon.absent import Absent, Value
    from zmon.recording.run import Layout, Readings
    from zmon.sample import Kind

KEPT: Final = 24
"""Segments that are kept decoded."""

STILLS: Final = 160
"""Columns that are kept decoded."""

TAIL: Final = 600
"""Samples of the tail after which it is read anew, as most of it are segments by then."""

LATEST: Final = 64
"""Segments that are looked at to find where they end, if the tail is damaged."""

MOST: Final = 1 << 24
"""No recording holds more samples: half a year of seconds."""

PATIENCE: Final = 2_000
"""Failures after which what is damaged is not searched for what is left."""

TICK: Final = 1_000_000
TICKS: Final = 200
"""Steps of SQLite, and how many times as many a question may take; that is some seconds."""


class Columns(Mapping[str, "list[Value]"]):
    """The columns of one reading, decoded when they are looked at."""

    def __init__(self, readings: Readings, reading: int) -> None:
        """Promise the columns."""
        self._readings = readings
        self._reading = reading
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
                known = [_reason(error)] * len(layout.keys)
            self._known[name] = known
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._readings.layout.names)

    def __len__(self) -> int:
        return len(self._readings.layout.names)

    def __contains__(self, name: object) -> bool:
        return name in self._readings.layout.names


class _Before(Mapping[str, "Sequence[Value]"]):
    """What the columns of an open run held before it: those of a reading, times among them."""

    def __init__(self, readings: Readings, reading: int) -> None:
        self._readings, self._reading = readings, reading

    def __getitem__(self, name: str) -> Sequence[Value]:
        return self._readings.column(name, self._reading)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._readings.layout.names, TIMES))

    def __len__(self) -> int:
        return len(self._readings.layout.names) + 1


class _Stood(Mapping[str, "Sequence[Value]"]):
    """The columns that an open run began with, by their numbers in the table of stills."""

    def __init__(self, recording: Recording, numbers: Mapping[str, int], count: int) -> None:
        self._recording, self._numbers, self._count = recording, numbers, count

    def __getitem__(self, name: str) -> Sequence[Value]:
        return self._recording.still(self._numbers[name], self._count)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Hole(NamedTuple):
    """What is damaged among the readings of a kind, from a sample on."""

    first: int
    reason: Absent


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


class Recording:
    """One recording, to be read while it is written or afterwards; all methods may be called by any thread.

    Raises:
        RecordingError: it is not there, no recording, of a newer zmon, or damaged as a whole.
    """

    def __init__(
        self, path: str, *, shared: tuple[sqlite3.Connection, threading.RLock] | None = None
    ) -> None:
        """Open it for reading, or read through a connection that a writer `shared`."""
        self.path = path
        self._ticks = 0
        self._own = shared is None
        if shared is None:
            self._guard = threading.RLock()
            self._open()
        else:
            self._connection, self._guard = shared
        self._kinds: dict[int, Kind] = {}
        self._layouts: dict[int, Layout] = {}
        self._segments: dict[int, Segment] = {}
        self._stills: dict[int, list[Value]] = {}
        self._frames: WeakValueDictionary[tuple[str, int, str], Frame] = WeakValueDictionary()
        self._sessions: dict[int, tuple[str, str, float, bool]] = {}
        self._runs: dict[str, list[Run]] = {}
        self._gone: dict[str, list[int]] = {}
        """In the tail: for each kind the samples from which on there is none."""
        self._tail: tuple[int, int] | None = None
        """The samples of the tail that are understood: from, to behind."""
        self._broken: list[tuple[int, str]] = []
        """Samples of the tail that are damaged.  What follows one is unknown until a run begins anew."""
        self._failed: dict[tuple[str, int], str] = {}
        """What is damaged of layouts and columns that stand still."""
        self._holes: dict[str, Event] = {}
        """What was found damaged, by what was said of it."""
        self._count = 0
        self.refresh()

    def _open(self) -> None:
        """Open the file, or what was made of it since."""
        self._opened = open_reading(self.path)
        self._connection = self._opened.connection
        self._connection.set_progress_handler(self._tick, TICK)

    def _renew(self) -> None:
        """Open the file again if it was written to and the connection does not see that."""
        with self._guard:
            if self._own and self._opened.stamp not in {None, stamp(self.path)}:
                before = self._opened
                self._open()
                before.connection.close()
                before.done()
                self._forget_tail()
                for known in (
                    self._kinds,
                    self._layouts,
                    self._segments,
                    self._stills,
                    self._sessions,
                    self._failed,
                ):
                    known.clear()

    def close(self) -> None:
        """Close it; a shared connection stays open."""
        with self._guard:
            if self._own:
                self._connection.close()
                self._opened.done()

    def ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask SQLite; a damaged page makes that answer fail, not others.

        Raises:
            Damaged: the file is damaged there.
        """
        try:
            with self.asking() as connection:
                return connection.execute(question, values).fetchall()
        except OverflowError as error:
            raise Damaged(f"{self.path}: {error}") from error

    @contextmanager
    def asking(self, ticks: int = TICKS) -> Iterator[sqlite3.Connection]:
        """Have the connection for a question, which may not take for ever."""
        with self._guard:
            self._ticks = ticks
            try:
                yield self._connection
            except Trouble as error:
                raise Damaged(f"{self.path}: {error}") from error

    def _tick(self) -> bool:
        """Tell SQLite whether to give up."""
        self._ticks -= 1
        return self._ticks < 0

    def pieces(self, question: str, low: int, high: int) -> Iterator[tuple[Any, ...]]:
        """Ask for what has numbers from `low` up to `high`; leave out what is damaged, and nothing else."""
        ranges = [(low, high)]
        failures = 0
        while ranges and failures < PATIENCE:
            low, high = ranges.pop()
            try:
                yield from self.ask(question, low, high)
            except Damaged:
                failures += 1
                middle = (low + high) // 2
                if high - low > 1:
                    ranges += [(middle, high), (low, middle)]

    # times

    def __len__(self) -> int:
        return self._count

    def refresh(self) -> bool:
        """Look for samples that were added; tell whether there are any."""
        self._renew()
        try:
            row = self.ask("SELECT max(n) FROM sample") if self.made() else [(None,)]
            last = -1 if row[0][0] is None else int(row[0][0])
        except Damaged:  # then it does not grow any more
            last = self._count - 1 if self._count else self._last_found()
        if last >= MOST:
            raise Damaged(f"{self.path}: sample {last:,} is beyond what a recording holds")
        more, self._count = last >= self._count, max(last + 1, self._count)
        return more

    def made(self) -> bool:
        """Tell whether the file has its tables yet."""
        return bool(self.ask("SELECT 1 FROM sqlite_master WHERE name = 'sample' AND type = 'table'"))

    def _last_found(self) -> int:
        """Return the number of the last sample of which anything is left, where the table of them is damaged.

        Raises:
            Damaged: none is found.
        """
        found = [self._count - 1]
        for question in ("SELECT first FROM segment WHERE first >= ? AND first < ?",
                         "SELECT n FROM tail WHERE n >= ? AND n < ?",
                         "SELECT n FROM sample WHERE n >= ? AND n < ?"):  # fmt: skip
            found += [int(n) for (n,) in self.pieces(question, 0, MOST)]
        if max(found) < 0:
            raise Damaged(f"{self.path}: no sample in it can be read")
        return max(found)

    def span(self) -> tuple[int, int] | None:
        """Return the earliest and the latest time of its samples, in ns since 1970."""
        if not self._count:
            return None
        try:
            ((first, last),) = self.ask("SELECT min(utc), max(utc) FROM sample")
        except Damaged:
            first = last = None
        if type(first) is not int or type(last) is not int:
            times = [utc for _, utc in self._when()]
            return (min(times), max(times)) if times else None
        return first, last

    def _when(self) -> list[tuple[int, int]]:
        """Return the numbers and times of all samples whose lines are whole; for files that are damaged."""
        rows = self.pieces("SELECT n, utc FROM sample NOT INDEXED WHERE n >= ? AND n < ?", 0, self._count)
        return [(n, utc) for n, utc in rows if type(utc) is int]

    def place(self, utc: int) -> int:
        """Return the number of the last sample at a time or before it, else that of the first."""
        try:
            found = self.ask(
                "SELECT n FROM sample WHERE utc <= ? ORDER BY utc DESC, n DESC LIMIT 1", _64(utc)
            )
        except Damaged:
            found = [(max(((when, n) for n, when in self._when() if when <= utc), default=(0, 0))[1],)]
        return max(0, min(int(found[0][0]), self._count - 1)) if found else 0

    def times(self, begin: int, end: int) -> list[int]:
        """Return the times of the samples from `begin` to `end`, both included."""
        try:
            rows = self.ask(
                "SELECT utc FROM sample WHERE utc BETWEEN ? AND ? ORDER BY utc", _64(begin), _64(end)
            )
        except Damaged:
            rows = [(utc,) for utc in sorted(utc for _, utc in self._when()) if begin <= utc <= end]
        return [utc for (utc,) in rows if type(utc) is int]

    def numbers(self, begin: int, end: int) -> range:
        """Return the numbers from the first sample of a range of time to the last one.

        Where the clock was set back there are samples of other times between them.
        """
        question = "SELECT min(n), max(n) FROM sample WHERE utc BETWEEN ? AND ?"
        try:
            ((first, last),) = self.ask(question, _64(begin), _64(end))
        except Damaged:
            found = [n for n, utc in self._when() if begin <= utc <= end]
            first, last = min(found, default=None), max(found, default=0)
        return range(0) if first is None else range(max(0, first), min(last + 1, self._count))

    def events(self, begin: int, end: int) -> list[Event]:
        """Return what happened between two times, and what was found damaged by now (see `check`)."""
        found = [one for one in self._holes.values() if one.begin <= end and one.end >= begin]
        try:
            rows = self.ask(
                "SELECT what, begin, end, thing, text, screen FROM event"
                " WHERE begin <= ? AND end >= ? ORDER BY begin, id",
                _64(end),
                _64(begin),
            )
        except Damaged as error:
            rows = []
            found.append(Event(What.HOLE, begin, begin, text=f"What happened cannot be read: {error}"))
        known = {what.value: what for what in What}
        found += [
            Event(known[what], since, until, str(thing or ""), str(text or ""), str(screen or ""))
            for what, since, until, thing, text, screen in rows
            if what in known and type(since) is int and type(until) is int
        ]
        return sorted(found, key=lambda event: event.begin)

    # samples

    @property
    def kinds(self) -> list[str]:
        """The names of the kinds that were ever sampled."""
        try:
            names = self.ask("SELECT DISTINCT name FROM kind")
        except Damaged:
            names = list(
                self.pieces("SELECT DISTINCT kind FROM segment WHERE first >= ? AND first < ?", 0, MOST)
            )
        return sorted({str(name) for (name,) in names})

    def sample(self, number: int, kinds: Collection[str] | None = None) -> Sample:
        """Return a sample by its number, counted from 0; with only some kinds of things, if so wanted.

        Raises:
            IndexError: there is no such sample.
            Damaged: not even its time can be read.
        """
        if not 0 <= number < self._count:
            raise IndexError(number)
        rows = self.ask("SELECT utc, steady, session FROM sample WHERE n = ?", number)
        if not rows:
            raise Damaged(f"{self.path}: sample {number} is missing")
        utc, steady, session = rows[0]
        if type(utc) is not int or type(steady) is not int:
            raise Damaged(f"{self.path}: the time of sample {number} is damaged")
        boot, source, nominal, simulated = self._session(session)
        wanted = self.kinds if kinds is None else kinds
        return Sample(Instant(utc, steady, boot), Frames(self, number, wanted), source, nominal, simulated)

    def passed(self, number: int, step: int) -> int:
        """Return the last of the samples that are missing, from one on, forwards (1) or backwards (-1)."""
        try:
            if step > 0:
                ((n,),) = self.ask("SELECT min(n) FROM sample WHERE n > ?", number)
            else:
                ((n,),) = self.ask("SELECT max(n) FROM sample WHERE n < ?", number)
        except Damaged:
            return number
        if n is None:
            return self._count - 1 if step > 0 else 0
        return int(n) - step

    def _session(self, number: int) -> tuple[str, str, float, bool]:
        known = self._sessions.get(number)
        if known is None:
            try:
                rows = self.ask("SELECT boot, source, nominal, simulated FROM session WHERE id = ?", number)
            except Damaged:
                rows = []
            boot, source, nominal, simulated = rows[0] if rows else ("", self.path, 0.0, 0)
            nominal = float(nominal) if isinstance(nominal, (int, float)) else 0.0
            known = self._sessions[number] = (str(boot), str(source), nominal, bool(simulated))
        return known

    def frame(self, kind: str, number: int) -> Frame | None:
        """Return the frame of a kind in a sample; None when it was not sampled then.

        Samples in which the kind was not read again have the same frame.
        """
        return self._framed(kind, number, "", _frame)

    def row(self, kind: str, number: int, key: str) -> Frame | None:
        """Return what `frame` returns, but with one row alone, or none where the thing was not there."""
        return self._framed(kind, number, key, partial(_lone, key=key))

    def _framed(
        self, kind: str, number: int, row: str, make: Callable[[Readings, int, Frame | None], Frame]
    ) -> Frame | None:
        try:
            with self._guard:
                readings = self._readings(kind, number)
            if readings is None:
                return None
            reading = bisect_right(readings.samples, number) - 1
            if reading < 0:
                raise Damaged(f"no {kind} of sample {number} where it should be")  # noqa: TRY301 - one way out
            key = (kind, readings.samples[reading], row)
            known = self._frames.get(key)
            if known is None:
                known = self._frames[key] = self._made(readings, reading, make)
        except Damaged as error:
            self.hole(kind, number, error)
            return nothing(self._kind_of(kind), _reason(error).reason)
        return known

    def adopt(self, before: Mapping[str, Frame]) -> None:
        """Have frames of the first sample that are the readings `before` it be the same frames.

        So what was not read again across the border between two files is seen not to have been.  Who hands
        them over keeps them alive.
        """
        for name, last in before.items():
            frame = self.frame(name, 0)
            if frame is None or frame.missing is not last.missing or frame.times != last.times:
                continue
            if frame.keys == last.keys and dict(frame.columns) == dict(last.columns):
                self._frames[name, 0, ""] = last

    def _kind_of(self, name: str) -> Kind:
        from zmon.kinds import KINDS  # noqa: PLC0415 - for damaged parts only
        from zmon.sample import Kind  # noqa: PLC0415 - likewise

        return KINDS.get(name) or Kind(name, "", ())

    @staticmethod
    def _made(
        readings: Readings, reading: int, make: Callable[[Readings, int, Frame | None], Frame]
    ) -> Frame:
        prior = None
        if readings.follows[reading]:
            if reading:
                prior = make(readings, reading - 1, None)
            elif readings.ahead is not None:
                prior = make(readings.ahead, 0, None)
        return make(readings, reading, prior)

    def _readings(self, kind: str, number: int) -> Readings | None:
        """Return what holds a kind's reading for a sample: a segment, or an open run of the tail."""
        self._read_tail(number)
        if self._tail is not None and number >= self._tail[0]:
            runs = self._runs.get(kind, [])
            begins = [run.samples[run.carried] for run in runs]
            at = bisect_right(begins, number) - 1
            begun = begins[at] if at >= 0 else -1
            gone = self._gone.get(kind, [])
            last = gone[bisect_right(gone, number) - 1] if gone and gone[0] <= number else -1
            self._see_whole(max(begun, last), number)
            if at >= 0:
                return None if last >= begun else runs[at]
            if last >= 0:
                return None
        rows = self.ask(
            "SELECT id FROM segment WHERE kind = ? AND first <= ? ORDER BY first DESC, id DESC LIMIT 1",
            kind,
            number,
        )
        return self._segment(rows[0][0]) if rows else None

    def _segment(self, number: int) -> Segment | None:
        known = self._segments.get(number)
        if known is not None:
            return known
        found = self.segment(number)
        if found is None:
            return None
        while len(self._segments) >= KEPT:
            self._segments.pop(next(iter(self._segments)))
        self._segments[number] = found
        return found

    def segment(self, number: int) -> Segment | None:
        """Return a segment; None for a row that says that a kind is not sampled any more."""
        rows = self.ask("SELECT kind, first, layout, ahead, body, crc FROM segment WHERE id = ?", number)
        if not rows:
            raise Damaged(f"segment {number} is missing")
        kind, first, layout, ahead, body, crc = rows[0]
        whole = checked(body or b"", crc, "segment", kind, first, layout, ahead)
        if body is None:
            return None
        return Segment(
            self.layout(layout),
            whole,
            self.still,
            (lambda: None) if ahead is None else (lambda: self._segment(ahead)),
        )

    def layout(self, number: int) -> Layout:
        """Return a layout by its number.

        Raises:
            Damaged: it is not there, or damaged.
        """
        known = self._layouts.get(number)
        if known is None:
            with self._once("layout", number), self.asking() as connection:
                known = self._layouts[number] = load_layout(connection, number, self._kinds)
        return known

    @contextmanager
    def _once(self, table: str, number: int) -> Iterator[None]:
        """Try once to understand something; that it is damaged is remembered."""
        if (table, number) in self._failed:
            raise Damaged(self._failed[table, number])
        try:
            yield
        except Damaged as error:
            if not isinstance(error.__cause__, Trouble):  # which may pass
                self._failed[table, number] = str(error)  # the error itself would keep what was read
            raise

    def still(self, number: int, count: int) -> list[Value]:
        """Return a column that stands still, which nobody may change.

        Raises:
            Damaged: it is not there, or damaged.
        """
        known = self._stills.get(number)
        if known is None or len(known) != count:
            with self._once("still", number), self.asking() as connection:
                known = load_still(connection, number, count)
                while len(self._stills) >= STILLS:
                    self._stills.pop(next(iter(self._stills)))
                self._stills[number] = known
        return known

    # the tail

    def _read_tail(self, number: int) -> None:
        """Have the tail understood up to a sample, if that lies in it."""
        with self._guard:
            if self._tail is not None and number < self._tail[1]:
                return
            if self._tail is None or self._tail[1] - self._tail[0] > TAIL:
                self._forget_tail()
            begin = self._tail[1] if self._tail is not None else -1
            rows = self._tail_rows(begin)
            if self._tail is not None and (not rows or rows[0][0] != begin):
                self._forget_tail()  # what lies between are segments meanwhile
                rows = self._tail_rows(-1)
            for n, body, crc in rows:
                if self._tail is None:
                    self._tail = (int(n), int(n))
                self._tail = (self._tail[0], int(n) + 1)
                try:
                    self._add(int(n), Told(checked(body, crc, "sample", n)))
                except Damaged as error:
                    self._broken.append((int(n), str(error)))
                except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
                    self._broken.append((int(n), f"sample {n} is damaged: {error}"))

    def _tail_rows(self, begin: int) -> list[tuple[int, object, object]]:
        """Return the rows of the tail from a sample on; an empty one for each that is missing or damaged."""
        question = "SELECT n, body, crc FROM tail WHERE n >= ? AND n < ? ORDER BY n"
        try:
            rows = self.ask(question, begin, MOST)
        except Damaged:
            if begin < 0:
                begin = self._sealed()
            rows = list(self.pieces(question, begin, self._count))
            if not rows or rows[0][0] != begin:
                rows.insert(0, (begin, None, None))
        whole: list[tuple[int, object, object]] = []
        for row in rows:
            if whole and row[0] != whole[-1][0] + 1:
                whole.append((whole[-1][0] + 1, None, None))  # those behind it are as unknown
            whole.append(row)
        if whole and whole[-1][0] + 1 < self._count:
            whole.append((whole[-1][0] + 1, None, None))
        return whole

    def _sealed(self) -> int:
        """Return the sample behind those that are surely in segments."""
        ends = [0]
        for (number,) in self.ask("SELECT id FROM segment ORDER BY id DESC LIMIT ?", LATEST):
            try:
                segment = self._segment(number)
            except Damaged:
                continue
            if segment is not None:
                ends.append(segment.samples[-1] + 1)
        return max(ends)

    def _see_whole(self, begun: int, number: int) -> None:
        """See that what began at one sample is known up to another.

        Raises:
            Damaged: a sample between is damaged.
        """
        lost = self._lost(begun, number)
        if lost is not None:
            raise lost

    def _lost(self, begun: int, number: int) -> Damaged | None:
        """Return what is damaged between two samples of the tail, if anything."""
        return next((Damaged(words) for n, words in self._broken if begun < n <= number), None)

    def _forget_tail(self) -> None:
        self._tail, self._runs, self._gone, self._broken = None, {}, {}, []

    def _add(self, n: int, told: Told) -> None:
        """Take in one sample of the tail."""
        for kind, (how, *what) in told.pieces.items():
            runs = self._runs.setdefault(kind, [])
            if how != "run" and self._lost(runs[-1].samples[runs[-1].carried] if runs else -1, n):
                told.skip(what)  # from what it is different is not known
                continue
            if how == "run":
                whole, ahead = what
                runs.append(self._begun(n, whole, ahead and self._begun(n, ahead)))
                continue
            try:
                run = runs[-1] if runs else self._resumed(kind, n, follows=bool(what[-1]))
            except Damaged:
                told.skip(what)
                continue
            run.add(told.step(n, what, run.layout))
            if not runs:
                runs.append(run)
        for kind in told.gone:
            self._gone.setdefault(kind, []).append(n)

    def _begun(self, n: int, told: Any, ahead: Run | None = None) -> Run:
        layout, anchor, numbers = told
        found = self.layout(layout)
        if set(numbers) != {*found.names, TIMES}:
            raise Damaged(f"sample {n} begins with columns that are not there")
        run = Run(found, _Stood(self, {str(k): int(v) for k, v in numbers.items()}, len(found.keys)), ahead)
        run.add(Step(n, int(anchor), [], {}, {}, ahead is not None))
        return run

    def _resumed(self, kind: str, n: int, *, follows: bool) -> Run:
        """Return the run that goes on behind the segments."""
        rows = self.ask(
            "SELECT id FROM segment WHERE kind = ? AND first < ? ORDER BY first DESC, id DESC LIMIT 1",
            kind,
            n,
        )
        segment = self._segment(rows[0][0]) if rows else None
        if segment is None:
            raise Damaged(f"nothing lies before sample {n} of {kind}")
        last = len(segment.samples) - 1
        run = Run(segment.layout, _Before(segment, last))
        if follows:
            run.carry(segment.samples[last], segment.anchor(last))
        return run

    def open_runs(self) -> list[Run]:
        """Return the runs of the tail that have readings, for a writer that goes on.

        Raises:
            Damaged: a part of the tail is.
        """
        self._read_tail(self._count - 1)
        self._see_whole(-1, self._count)
        return [run for runs in self._runs.values() for run in runs if run.begun]

    def open_ends(self) -> list[tuple[str, int]]:
        """Return the kinds that were not sampled any more in the tail, and since when."""
        return [(kind, n) for kind, found in self._gone.items() for n in found]

    # what is damaged

    def hole(self, kind: str, number: int, error: Damaged) -> None:
        """Remember what was found damaged: its kind, time and reason."""
        try:
            rows = self.ask("SELECT utc FROM sample WHERE n = ?", number)
        except Damaged:
            return
        if rows and type(rows[0][0]) is int:
            at = rows[0][0]
            text = f"{kind}: {error}" if kind else str(error)
            known = self._holes.get(text, Event(What.HOLE, at, at, text=text))
            self._holes[text] = known._replace(begin=min(known.begin, at), end=max(known.end, at))

    def check(self) -> Iterator[str]:
        """Read everything once and yield a sentence for each thing that is wrong; `events` has holes then."""
        from zmon.recording.check import problems  # noqa: PLC0415 - few check

        return problems(self)

    def broken(self) -> list[tuple[int, Damaged]]:
        """Return the samples of the tail that are damaged."""
        try:
            self._read_tail(self._count - 1)
        except Damaged as error:
            return [(self._count - 1, error)]
        return [(n, Damaged(words)) for n, words in self._broken]

    # one column

    def series(self, kind: str, name: str, key: str, begin: int, end: int) -> list[tuple[int, Value]]:
        """Return what one thing held in one column at each reading between two times, with the times.

        What is damaged is absent.  Where the thing was not there, nothing is returned.
        """
        try:
            rows = self.ask(
                "SELECT n, utc FROM sample WHERE utc BETWEEN ? AND ? ORDER BY n", _64(begin), _64(end)
            )
        except Damaged:
            rows = [(n, utc) for n, utc in self._when() if begin <= utc <= end]
        if not rows:
            return []
        when = {n: utc for n, utc in rows if type(utc) is int}
        low, high = rows[0][0], rows[-1][0]
        found: list[tuple[int, Value]] = []
        for readings in self._between(kind, low, high):
            if isinstance(readings, Hole):
                utc = when.get(max(low, readings.first))
                if utc is not None:
                    found.append((utc, readings.reason))
                continue
            row = self._row(readings.layout, key)
            if row is None or name not in readings.layout.names:
                continue
            try:
                values = readings.series(name, row)
            except Damaged as error:
                values = [_reason(error)] * len(readings.samples)
            begun = readings.samples[readings.carried]
            for at in range(readings.carried, len(readings.samples)):
                utc = when.get(readings.samples[at])
                if utc is not None:
                    lost = self._lost(begun, readings.samples[at]) if isinstance(readings, Run) else None
                    found.append((utc, values[at] if lost is None else _reason(lost)))
        return found

    def _row(self, layout: Layout, key: str) -> int | None:
        """Return the row of a key; the last layout asked for is remembered with all its rows."""
        known = getattr(self, "_index", None)
        if known is None or known[0] is not layout:
            known = self._index = (layout, {one: row for row, one in enumerate(layout.keys)})
        return known[1].get(key)

    def _between(self, kind: str, low: int, high: int) -> Iterator[Segment | Run | Hole]:
        """Yield what holds readings of a kind for samples of a range."""
        try:
            with self._guard:
                self._read_tail(high)
                runs = list(self._runs.get(kind, []))
                rows = self.ask(
                    "SELECT id, first FROM segment WHERE kind = ?1 AND first >= coalesce("
                    "(SELECT max(first) FROM segment WHERE kind = ?1 AND first <= ?2), ?2)"
                    " AND first <= ?3 ORDER BY first, id",
                    kind,
                    low,
                    high,
                )
        except Damaged as error:
            yield Hole(low, _reason(error))
            return
        for number, first in rows:
            if self._tail is not None and first >= self._tail[0]:
                break  # the tail has it, too
            try:
                segment = self.segment(number)
                if segment is not None:
                    yield segment
            except Damaged as error:
                yield Hole(first, _reason(error))
        yield from (run for run in runs if run.begun)


def _frame(readings: Readings, reading: int, prior: Frame | None = None) -> Frame:
    layout = readings.layout
    anchor = readings.anchor(reading)
    drift = readings.column(TIMES, reading)
    if not all_whole(drift):
        raise Damaged("times that are no numbers")
    times = list(map(add, drift, repeat(anchor)))
    return Frame(layout.kind, layout.keys, Columns(readings, reading), times, layout.missing, prior)


class _Lone(Mapping[str, "list[Value]"]):
    """The columns of one reading, of one row alone."""

    def __init__(self, readings: Readings, reading: int, row: int) -> None:
        self._readings, self._reading, self._row = readings, reading, row

    def __getitem__(self, name: str) -> list[Value]:
        readings = self._readings
        if name not in readings.layout.names:
            raise KeyError(name)
        try:
            return [_path(readings, name, self._row, len(readings.samples))[self._reading]]  # type: ignore[arg-type]  # by identity
        except Damaged as error:
            return [_reason(error)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._readings.layout.names)

    def __len__(self) -> int:
        return len(self._readings.layout.names)


@lru_cache(maxsize=512)  # a few columns of some segments that one row is looked at in
def _path(readings: Readings, name: str, row: int, _length: int) -> list[Value]:
    """Return what a row held at each reading; what has grown, as its length tells, is looked at again."""
    return readings.series(name, row)


@lru_cache(maxsize=64)
def _places(readings: Readings) -> dict[str, int]:
    return {key: row for row, key in enumerate(readings.layout.keys)}


def _lone(readings: Readings, reading: int, prior: Frame | None = None, *, key: str) -> Frame:
    layout = readings.layout
    row = _places(readings).get(key)  # type: ignore[arg-type]  # by identity
    if row is None:
        return Frame(layout.kind, [], {}, [], layout.missing, prior)
    drift = _path(readings, TIMES, row, len(readings.samples))[reading]  # type: ignore[arg-type]  # likewise
    if not isinstance(drift, int):
        raise Damaged("times that are no numbers")
    times = [readings.anchor(reading) + drift]
    return Frame(layout.kind, [key], _Lone(readings, reading, row), times, layout.missing, prior)


def _reason(error: Damaged) -> Absent:
    return absent(f"the recording is damaged here: {error}")


def _64(number: int) -> int:
    """Return a number that SQLite can hold."""
    return max(-(1 << 63), min(number, (1 << 63) - 1))
