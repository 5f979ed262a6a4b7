"""Reads the samples of a recording, by number or time, as they were recorded.

Nothing is decoded before it is used: a sample has `LazyFrames`, which are looked up in the journal or in
segments.  Values in a damaged part are absent, with that reason; nothing else is affected.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from weakref import WeakValueDictionary

from zmon.base.event import Event, What
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.sample import DAMAGED, Frame, Instant, Sample, empty_frame
from zmon.store.dictionary import MAX_KINDS, damaged_kinds
from zmon.store.file_format import EVENT_COLUMNS, Damaged, RecordingError, row_crc
from zmon.store.journal import MAX_SAMPLES, Journal
from zmon.store.open import RecordingFile, Trouble
from zmon.store.readings import OpenSegment, absent_where_damaged, frame_of, frame_with_prior
from zmon.store.sample_times import SampleTimes, sql_integer
from zmon.store.segment_cache import SegmentCache

if TYPE_CHECKING:
    import sqlite3
    import threading
    from collections.abc import Collection, Iterator, Sequence

    from zmon.sample import Kind
    from zmon.store.readings import OpenSegment, Readings

LOST_SESSION: Final = ("", f"unknown: {DAMAGED.reason}", 0.0, 0)
"""The columns of a session whose row is damaged."""


class LazyFrames(Mapping[str, Frame]):
    """The frames of one sample, read when they are asked for."""

    def __init__(self, recording: Recording, number: int, kinds: Collection[str]) -> None:
        """Read nothing yet; the frames are those of these kinds."""
        self._recording, self._number, self._kinds = recording, number, kinds
        self._known: dict[str, Frame | None] = {}

    def _find(self, name: str) -> Frame | None:
        if name not in self._known:
            frame = self._recording.frame(name, self._number) if name in self._kinds else None
            self._known[name] = frame
        return self._known[name]

    def select(self, name: str, keys: frozenset[str]) -> Frame | None:
        """Return the rows of some keys; of a single one nothing else of the frame is decoded."""
        return self._recording.select(name, self._number, keys) if name in self._kinds else None

    def __getitem__(self, name: str) -> Frame:
        frame = self._find(name)
        if frame is None:
            raise KeyError(name)
        return frame

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
        self._times = times = SampleTimes(self._file, self._note_times)
        self.span, self.place, self.times = times.span, times.place, times.times
        self.numbers, self.passed = times.numbers, times.passed
        """Samples by their times; see `SampleTimes`."""
        self.ask, self.asking, self.pieces = self._file.ask, self._file.asking, self._file.pieces
        """For questions that no method here answers; see `RecordingFile`."""
        self.segment = self._segments.segment
        """Returns one segment; see `SegmentCache`."""
        self._holes: dict[str, Event] = {}
        """What was found damaged, by its description."""
        self._frames = WeakValueDictionary[tuple[str, int, "frozenset[str] | None"], Frame]()
        self._sessions: dict[int, tuple[str, str, float, bool]] = {}
        self._listed: tuple[list[tuple[Any, ...]], list[str]] = ([], [])
        """The rows of kinds as they were read last, and their names."""
        self._answers: dict[tuple[str, tuple[object, ...]], tuple[int | None, list[tuple[Any, ...]]]] = {}
        """What `ask_once` has asked, and by which version of the file."""
        self.refresh()
        self._refuse_many_kinds()
        if not self._file.is_sealed:
            self.note_everywhere("the names of tables or columns are damaged")

    def _refuse_many_kinds(self) -> None:
        """Refuse a file with more kinds than any zmon has: all of them are looked up for each sample."""
        try:
            kinds = self.ask("SELECT 1 FROM kind LIMIT ?", MAX_KINDS + 1) if self.made() else []
        except Damaged:  # `kinds` finds what is left
            return
        if len(kinds) > MAX_KINDS:
            self.close()
            raise RecordingError(f"more than {MAX_KINDS:,} kinds: no recording of zmon", self.path)

    def close(self) -> None:
        """Close it; a shared connection stays open."""
        self._file.close()

    # times

    def __len__(self) -> int:
        return self._times.count

    def refresh(self) -> bool:
        """Look for samples that were added; return whether there are any."""
        with self._file.guard:
            if self._file.renew():
                self._journal.forget()
                self._segments.forget()
                self._sessions.clear()
                self._answers.clear()
                self._times.forget()
            return self._times.refresh(self.made)  # within the guard: two threads could set its count back

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

    def events(self, begin: int, end: int) -> list[Event]:
        """Return what happened between two times, and what was found damaged by now (see `check`)."""
        try:
            rows = self.ask(
                f"SELECT {EVENT_COLUMNS}, {self._file.crc} FROM event"  # noqa: S608 - ours
                " WHERE begin <= ? AND end >= ? ORDER BY begin, id",
                sql_integer(end),
                sql_integer(begin),
            )
        except Damaged as error:
            rows = []
            self.note_hole(f"What happened cannot be read: {error}", begin, begin)
        self.miss_rows("event")
        kinds = {what.value: what for what in What}
        events = []
        for *row, expected in rows:
            what, since, until, thing, screen, text = row
            whole = not self._file.checks or row_crc("event", *row) == expected
            if type(since) is not int or type(until) is not int or not whole:
                at = since if type(since) is int else begin
                self.note_hole("What happened here is damaged", at, at)
            elif what in kinds:
                events.append(
                    Event(kinds[what], since, until, str(thing or ""), str(text or ""), str(screen or ""))
                )
        events += [hole for hole in self.holes if hole.begin <= end and hole.end >= begin]
        return sorted(events, key=lambda event: event.begin)

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
        if problems and len(self):
            with suppress(Damaged):  # `frame` reports it
                self._journal.read(len(self) - 1, len(self))
            names |= set(self._journal.open_segments)
        return sorted(names)

    def sample(self, number: int, kinds: Collection[str] | None = None) -> Sample:
        """Return a sample by its number, counted from 0; with only some kinds of things, if so wanted.

        Raises:
            IndexError: there is no such sample.
            Damaged: not even its time can be read.
        """
        if not 0 <= number < len(self):
            raise IndexError(number)
        utc, steady, session = self._times.row(number)
        boot, source, nominal, simulated = self._session(session, number)
        wanted = self.kinds if kinds is None else kinds
        return Sample(
            Instant(utc, steady, boot), LazyFrames(self, number, wanted), source, nominal, simulated
        )

    def _session(self, number: int, sample: int) -> tuple[str, str, float, bool]:
        session = self._sessions.get(number)
        if session is None:
            try:
                columns = f"boot, source, nominal, simulated, begin, {self._file.crc}"
                rows = self.ask(f"SELECT {columns} FROM session WHERE id = ?", number)  # noqa: S608 - ours
            except Damaged:
                rows = []
            if rows and self._file.checks and row_crc("session", number, *rows[0][:5]) != rows[0][5]:
                rows = []
            if not rows:
                self.hole("", sample, Damaged(f"session {number} is damaged"))
            boot, source, nominal, simulated, *_ = rows[0] if rows else LOST_SESSION
            nominal = float(nominal) if isinstance(nominal, (int, float)) else 0.0
            session = self._sessions[number] = (str(boot), str(source), nominal, bool(simulated))
        return session

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
            frame = self._frames.get(key)
            if frame is None:
                on_damage = partial(self.hole, kind, readings.samples[reading])
                make = partial(frame_of, keys=keys, on_damage=on_damage)
                frame = self._frames[key] = frame_with_prior(readings, reading, make)
        except Damaged as error:
            self.hole(kind, number, error)
            return empty_frame(self._kind_of(kind), absent_where_damaged(error).reason)
        return frame

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
        self._journal.read(number, len(self))
        is_known, segment = self._journal.find(kind, number)
        return segment if is_known else self._segments.latest(kind, number)

    # the journal

    def open_segments(self) -> list[OpenSegment]:
        """Return the segments of the journal that have readings, for a writer that continues the file.

        Raises:
            Damaged: a part of the journal is damaged.
        """
        self._journal.read(len(self) - 1, len(self))
        if lost := self._journal.lost(-1, len(self)):
            raise lost
        return [
            segment
            for open_segment in self._journal.open_segments.values()
            for segment in open_segment
            if segment.begun
        ]

    def open_ends(self) -> list[tuple[str, int]]:
        """Return the kinds that ended in the journal, and since when they are not sampled any more."""
        return [(kind, n) for kind, numbers in self._journal.ended.items() for n in numbers]

    def ask_once(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query that may take long; it is asked again only if the file was written to.

        Raises:
            Damaged: the file is damaged there.
        """
        with self.asking(sys.maxsize) as connection:
            version = connection.execute("PRAGMA data_version").fetchone()[0] if self._file.is_past else None
            asked, rows = self._answers.get((question, values), (None, []))
            if version is None or asked != version:
                rows = connection.execute(question, values).fetchall()
                self._answers[question, values] = version, rows
        return rows

    # what is damaged

    def hole(self, kind: str, number: int, error: Damaged) -> None:
        """Remember what was found damaged: its kind, time and reason."""
        try:
            rows = self.ask("SELECT utc FROM sample WHERE n = ?", number)
        except Damaged:
            return
        if rows and type(rows[0][0]) is int:
            at = rows[0][0]
            self.note_hole(f"{kind}: {error}" if kind else str(error), at, at)

    def note_hole(self, text: str, begin: int, end: int) -> None:
        """Remember what was found damaged between two times, UTC in ns."""
        event = self._holes.get(text, Event(What.HOLE, begin, end, text=text))
        self._holes[text] = event._replace(begin=min(event.begin, begin), end=max(event.end, end))

    def _note_times(self, text: str) -> None:
        """Remember what is damaged of the times of samples, on which all that is shown rests."""
        if text not in self._holes:
            self._holes[text] = Event(What.HOLE, 0, 0, text=text)  # `span` may find the same
            span = None
            with suppress(Damaged):
                span = self.span()
            self._holes[text] = Event(What.HOLE, *(span or (0, 0)), text=text)

    def note_everywhere(self, text: str) -> None:
        """Remember what was found damaged that may concern all samples."""
        span = None
        with suppress(Damaged):
            span = self.span()
        self.note_hole(text, *(span or (0, 0)))

    def miss_rows(self, table: str) -> str:
        """Return how many rows a table lacks, and remember it; empty if none, or before format 3."""
        lost = self._lost_rows(table) if self._file.covers else ""
        if lost:
            self.note_everywhere(lost)
        return lost

    def _lost_rows(self, table: str) -> str:
        question = (
            f"SELECT t.name, t.rows, t.crc, (SELECT count(*) FROM {table})"  # noqa: S608 - a table of ours
            " FROM (SELECT 1) LEFT JOIN table_rows t ON t.name = ?"
        )
        try:
            ((name, count, checksum, there),) = self.ask(question, table)
        except Damaged as error:
            return str(error)
        if name is not None and row_crc("table_rows", name, count) != checksum:
            return f"how many rows the table {table} has is damaged"
        expected = count or 0
        return "" if there == expected else f"the table {table} has {there:,} of {expected:,} rows"

    @property
    def holes(self) -> list[Event]:
        """What was found damaged by now."""
        return list(self._holes.values())

    def lost_end(self) -> str:
        """Return which samples are missing behind the last one; empty if none is.

        Their readings are there still: in the journal, or in segments.
        """
        try:
            ((last,),) = self.ask("SELECT max(n) FROM tail")
            end = max(self._segments.end(), last + 1 if type(last) is int else 0)
            self.refresh()  # they may have been written meanwhile
        except RecordingError as error:
            return str(error)
        first = len(self)
        if end <= first:
            return ""
        lost = f"sample {first} is" if end == first + 1 else f"samples {first} to {end - 1} are"
        return f"{lost} missing at the end"

    @property
    def checks(self) -> bool:
        """Whether samples, sessions, kinds and events have checksums, as those of format 1 have not."""
        return self._file.checks

    @property
    def covers(self) -> bool:
        """Whether all rows have checksums, also of roll-ups and exceptions, as since format 3."""
        return self._file.covers

    def index_damage(self, kind: str) -> Iterator[tuple[str, range]]:
        """Yield what is wrong with the segments of a kind in SQLite's index, and the samples that it lost."""
        before: object = None
        try:
            rows = self._segments.between(kind, 0, len(self))
        except Damaged as error:
            yield str(error), range(0)
            return
        ends = [*(first for _, first in rows), len(self)][1:]
        for (number, first), end in zip(rows, ends, strict=True):
            try:
                header = self._segments.check_index(number, kind, first)
                if self._file.checks and header.before != before:
                    yield f"{self.path}: the index of segments is damaged before {kind} {first}", range(0)
            except Damaged as error:
                is_known = is_unreadable(error) and type(first) is type(end) is int
                yield str(error), range(first, min(end, len(self))) if is_known else range(0)
            before = number
        try:
            self._segments.latest(kind, len(self))
        except Damaged as error:
            yield str(error), range(0)

    def damaged_samples(self) -> list[tuple[int, Damaged]]:
        """Return the samples of the journal that are damaged."""
        try:
            self._journal.read(len(self) - 1, len(self))
        except Damaged as error:
            return [(len(self) - 1, error)]
        return [(n, Damaged(text)) for n, text in self._journal.broken]


def is_unreadable(error: Damaged) -> bool:
    """Return whether SQLite could not read the rows; else it did, and their content is damaged."""
    return isinstance(error.__cause__, Trouble)
