"""Reads the samples of a recording, by number or time, as they were recorded.

Nothing is decoded before it is used: a sample has `LazyFrames`, which are looked up in the journal or in
segments.  Values in a damaged part are absent, with that reason; nothing else is affected.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from weakref import WeakValueDictionary

from zmon.event import Event, What
from zmon.light_typing import TYPE_CHECKING, Any, Final
from zmon.sample import Frame, Instant, Sample, empty_frame
from zmon.store.dictionary import MAX_KINDS, damaged_kinds
from zmon.store.file_format import EVENT_COLUMNS, Damaged, RecordingError, crc, is_sample
from zmon.store.journal import MAX_SAMPLES, Journal
from zmon.store.open import RecordingFile, Trouble
from zmon.store.readings import OpenSegment, absent_where_damaged, frame_of, frame_with_prior
from zmon.store.segment_cache import SegmentCache

if TYPE_CHECKING:
    import sqlite3
    import threading
    from collections.abc import Collection, Iterator, Sequence

    from zmon.sample import Kind
    from zmon.store.readings import OpenSegment, Readings

LOST_SESSION: Final = ("", "unknown: the recording is damaged here", 0.0, 0)
"""The columns of a session whose row is damaged."""


class LazyFrames(Mapping[str, Frame]):
    """The frames of one sample, read when they are asked for."""

    def __init__(self, recording: Recording, number: int, kinds: Collection[str]) -> None:
        """Read nothing yet; the frames are those of these kinds."""
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
        self._file = RecordingFile(path, shared)
        self._segments = SegmentCache(self._file)
        self._journal = Journal(self._file, self._segments)
        self.ask, self.asking, self.pieces = self._file.ask, self._file.asking, self._file.pieces
        """For questions that no method here answers; see `RecordingFile`."""
        self.segment = self._segments.segment
        """Returns one segment; see `SegmentCache`."""
        self._frames = WeakValueDictionary[tuple[str, int, "frozenset[str] | None"], Frame]()
        self._sessions: dict[int, tuple[str, str, float, bool]] = {}
        self._listed: tuple[list[tuple[Any, ...]], list[str]] = ([], [])
        """The rows of kinds as they were read last, and their names."""
        self._holes: dict[str, Event] = {}
        """What was found damaged, by its description."""
        self._scan: tuple[int, list[tuple[int, int]]] = (-1, [])
        """The number of samples, and what `_all_times` returned then."""
        self._count = 0
        self.refresh()
        self._refuse_many_kinds()

    def _refuse_many_kinds(self) -> None:
        """Refuse a file with more kinds than any zmon has: all of them are looked up for each sample."""
        try:
            found = self.ask("SELECT 1 FROM kind LIMIT ?", MAX_KINDS + 1) if self.made() else []
        except Damaged:  # `kinds` finds what is left
            return
        if len(found) > MAX_KINDS:
            self.close()
            raise RecordingError(f"{self.path}: more than {MAX_KINDS:,} kinds: no recording of zmon")

    def close(self) -> None:
        """Close it; a shared connection stays open."""
        self._file.close()

    # times

    def __len__(self) -> int:
        return self._count

    def refresh(self) -> bool:
        """Look for samples that were added; return whether there are any."""
        with self._file.guard:
            if self._file.renew():
                self._journal.forget()
                self._segments.forget()
                self._sessions.clear()
                self._scan = (-1, [])
        try:
            row = self.ask("SELECT max(n) FROM sample") if self.made() else [(None,)]
            last = -1 if row[0][0] is None else int(row[0][0])
        except Damaged:  # then it does not grow any more
            last = self._count - 1 if self._count else self._last_found()
        if last >= MAX_SAMPLES:
            raise Damaged(f"{self.path}: sample {last:,} is beyond what a recording holds")
        more, self._count = last >= self._count, max(last + 1, self._count)
        return more

    def made(self) -> bool:
        """Return whether the file has its tables yet."""
        return bool(self.ask("SELECT 1 FROM sqlite_master WHERE name = 'sample' AND type = 'table'"))

    @property
    def has_rollups(self) -> bool:
        """Whether figures of minutes are kept beside the samples, and with them events of exceeded limits."""
        try:
            return bool(self.ask("SELECT 1 FROM sqlite_master WHERE name = 'quarter'"))
        except RecordingError:
            return False

    def _last_found(self) -> int:
        """Return the number of the last sample of which anything is left, if the table of them is damaged."""
        found = [self._count - 1]
        for question in ("SELECT first FROM segment WHERE first >= ? AND first < ?",
                         "SELECT n FROM tail WHERE n >= ? AND n < ?",
                         "SELECT n FROM sample WHERE n >= ? AND n < ?"):  # fmt: skip
            found += [int(n) for (n,) in self.pieces(question, 0, MAX_SAMPLES)]
        if max(found) < 0:
            raise Damaged(f"{self.path}: no sample in it can be read")
        return max(found)

    def span(self) -> tuple[int, int] | None:
        """Return the earliest and the latest time of its samples, in ns since 1970."""
        if not self._count:
            return None
        try:
            return self._end("utc, n"), self._end("utc DESC, n DESC")
        except Damaged:
            times = [utc for _, utc in self._all_times()]
            return (min(times), max(times)) if times else None

    def _end(self, order: str) -> int:
        """Return the time of the first sample in an order of times; raises `Damaged` if it is not known."""
        rows = self.ask(f"SELECT n, utc FROM sample ORDER BY {order} LIMIT 1")  # noqa: S608 - ours
        if not rows or type(rows[0][1]) is not int or self._row(rows[0][0])[0] != rows[0][1]:
            raise Damaged(f"{self.path}: the index of times is damaged")
        return rows[0][1]

    def _row(self, number: int) -> tuple[int, int, int]:
        """Return the time of a sample, its steady clock and its session; raises `Damaged`."""
        rows = self.ask(f"SELECT utc, steady, session, {self._crc} FROM sample WHERE n = ?", number)  # noqa: S608 - ours
        if not rows:
            raise Damaged(f"{self.path}: sample {number} is missing")
        if not self._is_whole(number, *rows[0]):
            raise Damaged(f"{self.path}: the time of sample {number} is damaged")
        utc, steady, session, _crc = rows[0]
        return utc, steady, session

    @property
    def _crc(self) -> str:
        """The column of the checksum of a row, in SQL."""
        return "crc" if self._file.checks else "NULL"

    def _is_whole(self, number: int, utc: object, steady: object, session: object, expected: object) -> bool:
        """Return whether the row of a sample is as it was written."""
        if self._file.checks:
            return is_sample(number, utc, steady, session, expected)
        return type(utc) is int and type(steady) is int

    def _all_times(self) -> list[tuple[int, int]]:
        """Return the numbers and times of all samples whose rows are whole; for files that are damaged."""
        if self._scan[0] != self._count:
            rows = self.pieces(
                f"SELECT n, utc, steady, session, {self._crc} FROM sample NOT INDEXED WHERE n >= ? AND n < ?",  # noqa: S608 - ours
                0,
                self._count,
            )
            self._scan = (self._count, [(row[0], row[1]) for row in rows if self._is_whole(*row)])
        return self._scan[1]

    def place(self, utc: int) -> int:
        """Return the number of the last sample at a time or before it, else that of the first."""
        try:
            found = self.ask(
                "SELECT n FROM sample WHERE utc <= ? ORDER BY utc DESC, n DESC LIMIT 1", _64(utc)
            )
            if found and self._file.checks and not self._is_last(found[0][0], utc):
                raise Damaged(f"{self.path}: the index of times is damaged")  # noqa: TRY301 - one way out
        except Damaged:
            found = [(max(((when, n) for n, when in self._all_times() if when <= utc), default=(0, 0))[1],)]
        return max(0, min(int(found[0][0]), self._count - 1)) if found else 0

    def _is_last(self, number: int, utc: int) -> bool:
        """Return whether a sample is at a time or before, and the next one not between them."""
        own = self._row(number)[0]
        behind = self._utc(number + 1) if number + 1 < self._count else None
        return own <= utc and (behind is None or not own < behind <= utc)

    def times(self, begin: int, end: int) -> list[int]:
        """Return the times of the samples from `begin` to `end`, both included, in their order."""
        question = (
            f"SELECT n, utc, steady, session, {self._crc} FROM sample"  # noqa: S608 - ours
            " WHERE utc BETWEEN ? AND ? ORDER BY utc"
        )
        try:
            rows = self.ask(question, _64(begin), _64(end))
        except Damaged:
            return sorted(utc for _, utc in self._all_times() if begin <= utc <= end)
        return [row[1] for row in rows if self._is_whole(*row)]

    def numbers(self, begin: int, end: int) -> range:
        """Return the numbers from the first sample of a range of time to the last one.

        If the clock was set back there are samples of other times between them; samples whose time is damaged
        are in the range if those beside them are.
        """
        question = "SELECT min(n), max(n) FROM sample WHERE utc BETWEEN ? AND ?"
        try:
            ((first, last),) = self.ask(question, _64(begin), _64(end))
            if self._file.checks and not self._are_ends(first, last, begin, end):
                raise Damaged(f"{self.path}: the index of times is damaged")  # noqa: TRY301 - one way out
        except Damaged:
            found = [n for n, utc in self._all_times() if begin <= utc <= end]
            first, last = min(found, default=None), max(found, default=0)
            while first is not None and first > 0 and self._utc(first - 1) is None:
                first = max(0, min(first - 1, self.passed(first - 1, -1)))
            while first is not None and last + 1 < self._count and self._utc(last + 1) is None:
                last = max(last + 1, self.passed(last + 1, 1))
        return range(0) if first is None else range(max(0, first), min(last + 1, self._count))

    def _are_ends(self, first: int | None, last: int | None, begin: int, end: int) -> bool:
        """Return whether the samples of a range of time begin and end with these, by their own rows."""
        if first is None or last is None:
            return True
        inside = (self._utc(number) for number in (first, last))
        beside = (self._utc(number) for number in (first - 1, last + 1) if 0 <= number < self._count)
        return all(utc is not None and begin <= utc <= end for utc in inside) and all(
            utc is not None and not begin <= utc <= end for utc in beside
        )

    def _utc(self, number: int) -> int | None:
        """Return the time of a sample; None if it is damaged."""
        try:
            return self._row(number)[0]
        except Damaged:
            return None

    def events(self, begin: int, end: int) -> list[Event]:
        """Return what happened between two times, and what was found damaged by now (see `check`)."""
        found = [one for one in self._holes.values() if one.begin <= end and one.end >= begin]
        try:
            rows = self.ask(
                f"SELECT {EVENT_COLUMNS}, {self._crc} FROM event"  # noqa: S608 - ours
                " WHERE begin <= ? AND end >= ? ORDER BY begin, id",
                _64(end),
                _64(begin),
            )
        except Damaged as error:
            rows = []
            found.append(Event(What.HOLE, begin, begin, text=f"What happened cannot be read: {error}"))
        known = {what.value: what for what in What}
        for *row, expected in rows:
            what, since, until, thing, screen, text = row
            whole = not self._file.checks or crc(b"", "event", *row) == expected
            if type(since) is not int or type(until) is not int or not whole:
                at = since if type(since) is int else begin
                found.append(Event(What.HOLE, at, at, text="What happened here is damaged"))
            elif what in known:
                found.append(
                    Event(known[what], since, until, str(thing or ""), str(text or ""), str(screen or ""))
                )
        return sorted(found, key=lambda event: event.begin)

    # samples

    @property
    def kinds(self) -> list[str]:
        """The names of the kinds that were ever sampled."""
        try:
            listed = self.ask("SELECT id, name FROM kind")
        except Damaged:
            listed = []
        if not listed or listed != self._listed[0]:
            self._listed = (listed, self._whole_kinds(listed))
        return self._listed[1]

    def _whole_kinds(self, listed: Sequence[tuple[Any, ...]]) -> list[str]:
        """Return the names of the kinds; if the dictionary is damaged, also those in segments and journal."""
        names = {str(name) for _, name in listed}
        try:
            with self.asking() as connection:
                problems = damaged_kinds(connection, checks=self._file.checks)
        except Damaged as error:
            problems = [str(error)]
        for problem in problems:
            self.hole("", 0, Damaged(problem))
        if problems or not listed or not self._file.checks:
            question = "SELECT DISTINCT kind FROM segment WHERE first >= ? AND first < ?"
            names |= {str(kind) for (kind,) in self.pieces(question, 0, MAX_SAMPLES)}
        if problems and self._count:
            with suppress(Damaged):  # `frame` reports it
                self._journal.read(self._count - 1, self._count)
            names |= set(self._journal.open_segments)
        return sorted(names)

    def sample(self, number: int, kinds: Collection[str] | None = None) -> Sample:
        """Return a sample by its number, counted from 0; with only some kinds of things, if so wanted.

        Raises:
            IndexError: there is no such sample.
            Damaged: not even its time can be read.
        """
        if not 0 <= number < self._count:
            raise IndexError(number)
        utc, steady, session = self._row(number)
        boot, source, nominal, simulated = self._session(session, number)
        wanted = self.kinds if kinds is None else kinds
        return Sample(
            Instant(utc, steady, boot), LazyFrames(self, number, wanted), source, nominal, simulated
        )

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

    def _session(self, number: int, sample: int) -> tuple[str, str, float, bool]:
        known = self._sessions.get(number)
        if known is None:
            try:
                rows = self.ask(
                    f"SELECT boot, source, nominal, simulated, begin, {self._crc} FROM session WHERE id = ?",  # noqa: S608 - ours
                    number,
                )
            except Damaged:
                rows = []
            if rows and self._file.checks and crc(b"", "session", number, *rows[0][:5]) != rows[0][5]:
                rows = []
            if not rows:
                self.hole("", sample, Damaged(f"session {number} is damaged"))
            boot, source, nominal, simulated, *_ = rows[0] if rows else LOST_SESSION
            nominal = float(nominal) if isinstance(nominal, (int, float)) else 0.0
            known = self._sessions[number] = (str(boot), str(source), nominal, bool(simulated))
        return known

    def frame(self, kind: str, number: int) -> Frame | None:
        """Return the frame of a kind in a sample; None when it was not sampled then.

        Samples in which the kind was not read again have the same frame.
        """
        return self.select(kind, number, None)

    def select(self, kind: str, number: int, keys: frozenset[str] | None) -> Frame | None:
        """Return the same frame, with the rows of some keys alone."""
        try:
            with self._file.guard:
                readings = self._readings(kind, number)
            if readings is None:
                return None
            reading = bisect_right(readings.samples, number) - 1
            if reading < 0:
                raise Damaged(f"no {kind} of sample {number} where it should be")  # noqa: TRY301 - one way out
            key = (kind, readings.samples[reading], keys)
            known = self._frames.get(key)
            if known is None:
                on_damage = partial(self.hole, kind, readings.samples[reading])
                make = partial(frame_of, keys=keys, on_damage=on_damage)
                known = self._frames[key] = frame_with_prior(readings, reading, make)
        except Damaged as error:
            self.hole(kind, number, error)
            return empty_frame(self._kind_of(kind), absent_where_damaged(error).reason)
        return known

    def adopt(self, before: Mapping[str, Frame]) -> None:
        """Use the frames `before` the first sample, for what was not read again between two files.

        The caller keeps them alive.
        """
        for name, last in before.items():
            frame = self.frame(name, 0)
            if frame is None or frame.missing is not last.missing or frame.times != last.times:
                continue
            if frame.keys == last.keys and dict(frame.columns) == dict(last.columns):
                self._frames[name, 0, None] = last

    def _kind_of(self, name: str) -> Kind:
        from zmon.kinds import KINDS  # noqa: PLC0415 - for damaged parts only
        from zmon.sample import Kind  # noqa: PLC0415 - likewise

        return KINDS.get(name) or Kind(name, "", ())

    def _readings(self, kind: str, number: int) -> Readings | None:
        """Return the open or sealed segment that holds a kind's reading for a sample."""
        self._journal.read(number, self._count)
        is_known, segment = self._journal.find(kind, number)
        return segment if is_known else self._segments.latest(kind, number)

    # the journal

    def open_segments(self) -> list[OpenSegment]:
        """Return the segments of the journal that have readings, for a writer that continues the file.

        Raises:
            Damaged: a part of the journal is damaged.
        """
        self._journal.read(self._count - 1, self._count)
        if lost := self._journal.lost(-1, self._count):
            raise lost
        return [one for known in self._journal.open_segments.values() for one in known if one.begun]

    def open_ends(self) -> list[tuple[str, int]]:
        """Return the kinds that ended in the journal, and since when they are not sampled any more."""
        return [(kind, n) for kind, found in self._journal.ended.items() for n in found]

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

    @property
    def holes(self) -> list[Event]:
        """What was found damaged by now."""
        return list(self._holes.values())

    @property
    def checks(self) -> bool:
        """Whether all rows have checksums, as those of format 1 have not."""
        return self._file.checks

    def index_damage(self, kind: str) -> Iterator[tuple[str, range]]:
        """Yield what is wrong with the segments of a kind in SQLite's index, and the samples that it lost."""
        before: object = None
        try:
            rows = self._segments.between(kind, 0, self._count)
        except Damaged as error:
            yield str(error), range(0)
            return
        ends = [*(first for _, first in rows), self._count][1:]
        for (number, first), end in zip(rows, ends, strict=True):
            try:
                header = self._segments.check_index(number, kind, first)
                if self._file.checks and header.before != before:
                    yield f"{self.path}: the index of segments is damaged before {kind} {first}", range(0)
            except Damaged as error:
                is_known = is_unreadable(error) and type(first) is type(end) is int
                yield str(error), range(first, min(end, self._count)) if is_known else range(0)
            before = number
        try:
            self._segments.latest(kind, self._count)
        except Damaged as error:
            yield str(error), range(0)

    def damaged_samples(self) -> list[tuple[int, Damaged]]:
        """Return the samples of the journal that are damaged."""
        try:
            self._journal.read(self._count - 1, self._count)
        except Damaged as error:
            return [(self._count - 1, error)]
        return [(n, Damaged(words)) for n, words in self._journal.broken]


def is_unreadable(error: Damaged) -> bool:
    """Return whether SQLite could not read the rows; else it did, and their content is damaged."""
    return isinstance(error.__cause__, Trouble)


def _64(number: int) -> int:
    """Return a number that SQLite can hold."""
    return max(-(1 << 63), min(number, (1 << 63) - 1))
