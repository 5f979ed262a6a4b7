"""Samples go into a recording: each at once, and once a minute as segments.

`append` is one transaction that holds what is different from the sample before (the tail), so that a sample
is safe when it returns.  After SEALED samples a thread makes segments of them, which replace the tail.
Whatever fails in between leaves tail or segments, never none and never both.

A `Companion` may keep figures of the samples in the same file.  It sees each sample in the same thread, after
the sample is safe, and writes in the transaction that replaces the tail, so its figures are always those of
the segments.  Samples of the tail that a recorder left behind are shown to it when the file is opened again.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections import deque
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from operator import ne
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol
from urllib.parse import quote

from zmon.event import Event, What
from zmon.store import file_format
from zmon.store.baseline import Baselines, NewBaseline, write_baselines
from zmon.store.changes import events_between, label_changes
from zmon.store.day import BESIDE
from zmon.store.dictionary import Dictionary
from zmon.store.file_format import Damaged, RecordingError, crc, insert_events, sample_crc, sql_text
from zmon.store.journal import EntryBuilder
from zmon.store.open import FileLock, defend, see_writable
from zmon.store.readings import TIMES, OpenSegment, ReadingChange, ReadingPlace, difference, offsets
from zmon.store.segment import MAX_READINGS, seal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zmon.absent import Value
    from zmon.sample import Frame, Sample
    from zmon.store.reader import Recording
    from zmon.store.readings import Layout

SEALED: Final = 60
"""Samples that make a segment."""

BACKLOG: Final = 3
"""Segments' worth of samples that may wait to be sealed."""

BEHIND: Final = 20
"""Samples that the companion may be behind: they are kept whole until then."""

COURTESY: Final = 1.0
"""Seconds that sealing waits for a sample that is being appended, at each step."""

SWITCH_SECONDS: Final = 0.0005
"""How long sealing may hold up the thread that appends, whenever that comes back from SQLite."""

WAITS: Final = 10.0
"""Seconds to wait for another process that writes."""

DAMAGED: Final = "no recording, or damaged beyond what can be written to; record to another file"

KEPT_BESIDE: Final = 16 << 20
"""Bytes to which the file beside the recording is cut again, after a reader that stood still made it grow."""

MEMORY: Final = ":memory:"
"""The path of a recording that is kept in memory and ends with its writer."""


DIFFERENCE: Final = 4
"""Bytes, about, that it takes a segment to tell that a row is not as it stood."""


class Companion(Protocol):
    """Keeps figures of the samples, in the file of the recording; one for each writer."""

    def open(self, connection: sqlite3.Connection) -> None:
        """Make the tables that lack."""

    def follow(self, before: Sample, after: Sample) -> None:
        """Look at two samples that follow one another; all are shown, in their order."""

    def make(self, connection: sqlite3.Connection, give_way: Callable[[], object]) -> object:
        """Return what is to be written of the samples followed so far; only reads, and may take a while."""

    def write(self, connection: sqlite3.Connection, made: object) -> None:
        """Write that, within the transaction of the caller."""

    def written(self) -> None:
        """The samples that `make` was asked about are in segments, whether it succeeded or not."""

    def failed(self) -> None:
        """Nothing of that was written; it is asked for again."""

    def finish(self, connection: sqlite3.Connection) -> None:
        """Write what waits for the end, because the file is closed."""


class _Stand:
    """A column that stands still, which segments refer to."""

    def __init__(self, values: Sequence[Value], number: int, size: int) -> None:
        self.values = values
        self.number = number
        self.size = size
        self.spent = 0
        """Bytes that telling the differences has cost since."""


class _Piece(NamedTuple):
    """What a sample adds for one kind: a step to the open run, or a run of its own."""

    run: OpenSegment
    step: ReadingChange
    frame: Frame
    drift: tuple[int, list[int]]
    fresh: bool


class _Track:
    """One kind of thing, as the writer follows it."""

    def __init__(self, piece: _Piece) -> None:
        self.run = piece.run
        self.take(piece)

    def take(self, piece: _Piece) -> None:
        """Stand at a newer reading."""
        self.sample = piece.step.sample
        self.frame = piece.frame
        self.drift = piece.drift
        """The anchor of its times, and their distances from it."""

    def resume(self) -> OpenSegment:
        """Begin another run where this one ends, and return the one that ended."""
        ended = self.run
        self.run = OpenSegment(ended.layout, {**self.frame.columns, TIMES: self.drift[1]})
        return ended

    def add(self, piece: _Piece) -> None:
        """Go on with the run."""
        if piece.step.follows and not self.run.steps:
            self.run.carry(self.sample, self.drift[0])
        self.run.add(piece.step)
        self.take(piece)


class Writer:
    """Adds samples to one recording; nobody else may at the same time.

    Raises:
        RecordingError: the file cannot be written, is no recording, or of a newer zmon.
    """

    def __init__(
        self, path: str, *, sealed: int = SEALED, durable: bool = True, companion: Companion | None = None
    ) -> None:
        """Create the recording or go on with it.

        `sealed` samples make a segment.  Without `durable`, a sample outlives the end of zmon in any
        form, but the last ones may not outlive that of the operating system.  The `companion` keeps
        figures of the samples beside them.
        """
        self.path = path
        self._sealed = sealed
        self._guard = threading.RLock()
        """Held while the connection is in use; in memory there is one connection for all."""
        self._tracks: dict[str, _Track] = {}
        self._stands: dict[int, dict[str, _Stand]] = {}
        """By layout and column."""
        self._dictionary = Dictionary()
        self._before: Sample | None = None
        self._session: tuple[object, ...] = ()
        self._session_id = 0
        self._next = 0
        self._begun = 0
        self._ends: list[tuple[str, int]] = []
        """Kinds that were not sampled any more, and since when."""
        self._closed: list[OpenSegment] = []
        """Runs that ended before they were sealed."""
        self._open = 0
        """The number of the first sample that is not sealed."""
        self._companion = companion
        self._unseen: deque[tuple[Sample, Sample]] = deque()
        """Pairs of samples that the companion has not been shown yet."""
        self._sealing = threading.RLock()
        """Held while the companion is shown samples, and while segments are made."""
        self._is_sealing = False
        self._worker: threading.Thread | None = None
        self._jobs: SimpleQueue[threading.Event | bool] = SimpleQueue()
        """For the worker: True for work, False for the end, an event to be set when it comes to it."""
        self._quiet = threading.Event()
        """Set while no sample is being appended."""
        self._quiet.set()
        self._problem: Exception | None = None
        self._shut = False
        self._left = False
        """Whether `leave` was asked for the samples of a lost file."""
        self._own: dict[str, tuple[int, int]] = {}
        """Device and inode of what SQLite opened beside the file, by the ending of its name."""
        self._pen = FileLock(path) if path != MEMORY else None
        with ExitStack() as failed, self._said():
            # what is not given back would keep out whoever tries again
            if self._pen is not None:
                failed.callback(self._pen.release)
            self.connection = self._connect(durable=durable)
            failed.callback(self.connection.close)
            self._begin_or_continue()
            self._own = self._opened_beside()
            with self._writing_file():
                failed.pop_all()

    def _begin_or_continue(self) -> None:
        """Make the tables, or see what is in them."""
        if file_format.version(self.connection, self.path):
            see_writable(self.connection, self.path)
        if file_format.prepare(self.connection, self.path) and self.path != MEMORY:
            # from its first bytes on the file itself is a recording, and not only with what is beside it
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._stills = Baselines(self.connection)
        if self._companion is not None:
            self._companion.open(self.connection)
        self._continue()

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Turn SQLite's errors into sentences."""
        try:
            yield
        except sqlite3.Error as error:
            raise RecordingError(f"{self.path}: {_sentence(error)}") from error
        except UnicodeDecodeError as error:  # SQLite quotes what is damaged
            raise Damaged(f"{self.path}: {DAMAGED}") from error

    def _connect(self, *, durable: bool) -> sqlite3.Connection:
        """Connect to the file, which is there already; SQLite makes none in its place."""
        is_file = self.path != MEMORY
        connection = sqlite3.connect(
            f"file:{quote(os.path.abspath(self.path))}?mode=rw" if is_file else MEMORY,
            uri=is_file,
            timeout=WAITS,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=64,
        )
        try:
            defend(connection)
            connection.execute(f"PRAGMA page_size = {file_format.PAGE}")
            file_format.version(connection, self.path)  # before anything is changed
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            connection.execute("PRAGMA wal_autocheckpoint = 0")  # the sealing thread does it
            connection.execute(f"PRAGMA journal_size_limit = {KEPT_BESIDE}")
            connection.execute("PRAGMA cache_size = -1024")
        except BaseException:
            connection.close()
            raise
        return connection

    def _continue(self) -> None:
        """Find the end of what is there, and seal what was left open."""
        last = self.connection.execute("SELECT max(n) FROM sample").fetchone()[0]
        self._next = 0 if last is None else int(last) + 1
        self._begun = self._next
        if self._next:
            from zmon.store.reader import Recording  # noqa: PLC0415 - only what goes on needs it

            left = Recording(self.path, shared=(self.connection, self._guard))
            self._before = left.sample(self._next - 1)
            self._closed += left.open_runs()
            self._ends += left.open_ends()
            first = self.connection.execute("SELECT min(n) FROM tail").fetchone()[0]
            self._open = self._next if first is None else int(first)
            self._show_again(left)
            # what follows is read by another zmon, and begins anew
            self._ends += [(name, self._next) for name in self._before.frames]
            self.seal()

    def _show_again(self, left: Recording) -> None:
        """Show the companion the samples that a writer before this one did not seal."""
        if self._companion is None:
            return
        before = left.sample(self._open - 1) if self._open else None
        for number in range(self._open, self._next):
            after = left.sample(number)
            if before is not None:
                self._unseen.append((before, after))
                self._show()
            before = after

    @property
    def shared(self) -> tuple[sqlite3.Connection, threading.RLock]:
        """What a `Recording` needs to read through the writer's own connection."""
        return self.connection, self._guard

    # samples

    def append(self, sample: Sample) -> None:
        """Add a sample; it is safe when this returns.

        Raises:
            RecordingError: it cannot be written, because the disk is full or fails.  Then nothing of it is,
                and the next sample can be tried.
        """
        with self._first(), self._guard, self._said():
            n = self._next
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                row = (n, sample.at.utc, sample.at.steady, self._session_of(sample))
                new: list[NewBaseline] = []
                pieces, gone = self._pieces(n, sample, new)
                write_baselines(self.connection, new)
                self.connection.execute(
                    "INSERT INTO sample (n, utc, steady, session, crc) VALUES (?, ?, ?, ?, ?)",
                    (*row, sample_crc(*row)),
                )
                body = _told(pieces, gone)
                self.connection.execute(
                    "INSERT INTO tail (n, body, crc) VALUES (?, ?, ?)", (n, body, crc(body, "sample", n))
                )
                if self._before is not None:
                    insert_events(self.connection, events_between(self._before, sample))
                    self._write_changes(self._before, sample)
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                self._dictionary = Dictionary()  # it may remember what was rolled back
                self._session = ()
                raise
            if self._companion is not None and self._before is not None:
                self._unseen.append((self._before, sample))
            self._take(n, sample, pieces, gone)
        waiting = self._next - self._begun
        if self._unseen or waiting >= self._sealed:
            self._work_beside()
        if waiting > BACKLOG * self._sealed or len(self._unseen) > BEHIND:
            self.settle()  # who appends without a pause must not run away from the worker

    def _session_of(self, sample: Sample) -> int:
        now = (
            sql_text(sample.at.boot),
            sql_text(sample.source),
            float(sample.nominal),
            int(sample.simulated),
        )
        if now != self._session:
            (number,) = self.connection.execute("SELECT coalesce(max(id), 0) + 1 FROM session").fetchone()
            row = (number, *now, sample.at.utc)
            self.connection.execute(
                "INSERT INTO session (id, boot, source, nominal, simulated, begin, crc)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*row, crc(b"", "session", *row)),
            )
            self._session_id, self._session = number, now
        return self._session_id

    def _pieces(self, n: int, sample: Sample, new: list[NewBaseline]) -> tuple[dict[str, _Piece], list[str]]:
        """Return what the sample adds, and the kinds that it does not hold any more."""
        pieces = {}
        for name, frame in sample.frames.items():
            track = self._tracks.get(name)
            if track is None or frame is not track.frame:
                pieces[name] = self._piece(n, track, frame, new)
        return pieces, [name for name in self._tracks if name not in sample.frames]

    def _piece(self, n: int, track: _Track | None, frame: Frame, new: list[NewBaseline]) -> _Piece:
        drift = offsets(frame)
        if track is not None and track.run.layout.fits(frame):
            follows = frame.prior is not None
            if not follows or _same(frame.prior, track.frame):
                pair = (track.drift[1], drift[1])
                step = difference(n, track.frame, frame, pair, ReadingPlace(drift[0], follows))
                return _Piece(track.run, step, frame, drift, fresh=False)
        ahead = self._begin(n, frame.prior, new) if frame.prior is not None else None
        run = self._begin(n, frame, new, ahead)
        return _Piece(run, run.steps[0], frame, drift, fresh=True)

    def _begin(
        self, n: int, frame: Frame, new: list[NewBaseline], ahead: OpenSegment | None = None
    ) -> OpenSegment:
        """Return a run that begins with a frame, all of whose columns are stored as standing still."""
        layout = self._dictionary.layout(
            self.connection, frame.kind, frame.keys, tuple(frame.columns), frame.missing
        )
        anchor, drift = offsets(frame)
        columns: dict[str, Sequence[Value]] = {**frame.columns, TIMES: drift}
        stands = {
            name: _Stand(values, *self._stills.find(self.connection, values, new))
            for name, values in columns.items()
        }
        run = Fresh(layout, columns, ahead, stands)
        run.add(ReadingChange(n, anchor, [], {}, {}, ahead is not None))
        return run

    def _take(self, n: int, sample: Sample, pieces: dict[str, _Piece], gone: Sequence[str]) -> None:
        """Remember what was written."""
        for name, piece in pieces.items():
            track = self._tracks.get(name)
            if track is not None and not piece.fresh:
                if len(track.run.steps) + 1 >= MAX_READINGS:  # whoever seals is late
                    self._closed.append(track.resume())
                track.add(piece)
                continue
            if track is not None and track.run.begun:
                self._closed.append(track.run)
            self._tracks[name] = _Track(piece)
            for run in (piece.run, piece.run.ahead):
                if isinstance(run, Fresh):
                    self._stands[run.layout.id] = run.stands
        for name in gone:
            track = self._tracks.pop(name)
            if track.run.begun:
                self._closed.append(track.run)
            self._ends.append((name, n))
        self._before = sample
        self._next = n + 1

    def _write_changes(self, before: Sample, after: Sample) -> None:
        self.connection.executemany(
            "INSERT INTO change (utc, kind, thing, field, was, now) VALUES (?, ?, ?, ?, ?, ?)",
            [(change.utc, *map(sql_text, change[1:])) for change in label_changes(before, after)],
        )

    def note(self, utc: int, text: str) -> None:
        """Add a note of the user.

        Raises:
            RecordingError: it cannot be written.
        """
        self.tell([Event(What.NOTE, utc, utc, text=text)])

    def tell(self, events: Sequence[Event]) -> None:
        """Add events that do not follow from the samples.

        Raises:
            RecordingError: they cannot be written.
        """
        with self._guard, self._said():
            insert_events(self.connection, events)

    # segments

    def _work_beside(self) -> None:
        """Have the worker show the companion what it has not seen, and make segments if it is time."""
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="recording", daemon=True)
            self._worker.start()
        self._jobs.put(True)

    def _work(self) -> None:
        """Do what need not be done before a sample is safe."""
        while job := self._jobs.get():
            if isinstance(job, threading.Event):
                job.set()
                continue
            self._show()
            if self._next - self._begun >= self._sealed and not self.gone():
                self._try_to_seal()  # of a file that is gone, whoever appends next saves what is not sealed

    def settle(self) -> None:
        """Wait until the worker has done what there is to do by now."""
        if self._worker is not None and self._worker is not threading.current_thread():
            done = threading.Event()
            self._jobs.put(done)
            done.wait()

    @property
    def busy(self) -> bool:
        """Whether the worker makes segments at the moment."""
        return self._is_sealing

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._jobs.put(False)
            self._worker.join()
            self._worker = None

    def _show(self) -> None:
        """Show the companion all samples that it has not seen."""
        with self._sealing:
            while self._unseen:
                self._follow(*self._unseen.popleft())

    def _follow(self, before: Sample, after: Sample) -> None:
        if self._companion is None:
            return
        self._give_way()
        try:
            self._companion.follow(before, after)
        except Exception as error:  # noqa: BLE001 - whatever it is, the samples are recorded
            self._problem = error

    def _try_to_seal(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(min(before, SWITCH_SECONDS))
        self._is_sealing = True
        try:
            self.seal()
        except Exception as error:  # noqa: BLE001 - the tail stays, and it is tried again
            self._problem = error
        finally:
            self._is_sealing = False
            sys.setswitchinterval(before)

    def seal(self) -> None:
        """Make segments of the tail; what cannot be written stays in the tail.

        Raises:
            RecordingError: it cannot be written.
        """
        with self._sealing:
            with self._guard:
                until = self._next
                ready, ends = self._closed, self._ends
                self._closed, self._ends, self._begun = [], [], until
                ready += [track.resume() for track in self._tracks.values() if track.run.begun]
                unseen = [*self._unseen]
                self._unseen.clear()
            for pair in unseen:
                self._follow(*pair)
            try:
                with self._said():
                    self._write_segments(ready, ends, until)
                self._open = until
            except BaseException:
                with self._guard:
                    self._closed, self._ends = ready + self._closed, ends + self._ends
                raise

    @contextmanager
    def _first(self) -> Iterator[None]:
        """Go before whoever seals."""
        self._quiet.clear()
        try:
            yield
        finally:
            self._quiet.set()

    def _give_way(self) -> None:
        """Let a sample that is being appended go first; what seals has time."""
        self._quiet.wait(COURTESY)

    def _write_segments(
        self, ready: Sequence[OpenSegment], ends: Sequence[tuple[str, int]], until: int
    ) -> None:
        """Encode without holding anything up, then write in one transaction."""
        with self._forgetting(), self._beside() as (connection, guard):
            new: list[NewBaseline] = []
            rows: list[tuple[OpenSegment, bytes, bytes | None]] = []
            for run in ready:
                ahead = None if run.ahead is None else self._encoded(run.ahead, connection, guard, new)
                rows.append((run, self._encoded(run, connection, guard, new), ahead))
            made = self._made(connection, guard)
            with guard:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    write_baselines(connection, new)
                    _insert_segments(connection, rows, ends)
                    connection.execute("DELETE FROM tail WHERE n < ?", (until,))
                    if self._companion is not None and made is not None:
                        self._companion.write(connection, made)
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            if self._companion is not None:
                self._companion.written()
            if connection is not self.connection:
                try:
                    with self._said(), self._writing_file():
                        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
                except RecordingError as error:  # what was sealed is safe all the same
                    self._problem = error

    def _made(self, connection: sqlite3.Connection, guard: AbstractContextManager[object]) -> object:
        """Return what the companion has to write; the samples come before what is made of them."""
        if self._companion is None:
            return None
        try:
            with guard:
                return self._companion.make(connection, self._give_way)
        except Exception as error:  # noqa: BLE001 - whatever it is, the samples are sealed
            self._problem = error
            return None

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        """Forget after a failure what stands still: it may refer to what was not written."""
        try:
            yield
        except BaseException:
            self._stands = {}
            if self._companion is not None:
                self._companion.failed()
            raise

    @contextmanager
    def _beside(self) -> Iterator[tuple[sqlite3.Connection, AbstractContextManager[object]]]:
        """Return a connection that another thread can use, and what to hold meanwhile."""
        if self.path == MEMORY or self.gone():
            yield self.connection, self._guard
            return
        connection = self._connect(durable=True)
        try:
            if self.gone():  # what was opened may be another file
                raise RecordingError(f"{self.path}: {self.gone()}")
            yield connection, nullcontext()
        finally:
            connection.close()

    def _encoded(
        self,
        run: OpenSegment,
        connection: sqlite3.Connection,
        guard: AbstractContextManager[object],
        new: list[NewBaseline],
    ) -> bytes:
        stands = self._stands.setdefault(run.layout.id, {})

        def refer(name: str, values: list[Value], moving: int) -> tuple[int, Sequence[Value]]:
            """Return the column to refer to: the last one, or, when that got expensive, a new one."""
            self._give_way()
            stand = stands.get(name)
            if stand is not None:
                if values is stand.values or values == stand.values:
                    return stand.number, stand.values
                stand.spent += DIFFERENCE * max(0, _differences(values, stand.values) - moving)
                if stand.spent < stand.size:
                    return stand.number, stand.values
            with guard:
                stand = stands[name] = _Stand(values, *self._stills.find(connection, values, new))
            return stand.number, values

        return seal(run, refer)

    # a file that was taken away

    def gone(self) -> str:
        """Return what became of the file, as the end of a sentence; empty while it is in its place."""
        return "" if self._pen is None else self._pen.gone()

    def leave(self) -> Iterator[Sample]:
        """Finish a file that is `gone`, before another is opened in its place.

        A file that was renamed is made whole where it is now, and closed.  Of one that was removed, the
        samples are yielded that were not sealed yet; to be asked for before `close`.  Of one that another
        program truncated, those of them that can still be read; of one that was overwritten, the last one.

        Raises:
            RecordingError: it cannot be finished.
        """
        if self._is_lost():
            self.settle()
            if self._pen is not None and self._pen.unlinked():
                self._tidy()
            self._left = True
            return self._unsealed()
        place = "" if self._pen is None else self._pen.place()
        self.close()
        self._tidy(place)
        return iter(())

    def _writing_file(self) -> AbstractContextManager[None]:
        """Return what is held while SQLite writes to the file itself, and not beside it."""
        return nullcontext() if self._pen is None else self._pen.writing()

    def _unsealed(self) -> Iterator[Sample]:
        if self._pen is not None and self._pen.is_foreign:
            # what the file says now, also of kinds and keys, is another program's
            if self._before is not None and self._open < self._next:
                yield self._before
            return
        from zmon.store.reader import Recording  # noqa: PLC0415 - seldom needed

        left = Recording(self.path, shared=self.shared)
        for number in range(self._open, self._next):
            try:
                yield left.sample(number)
            except RecordingError:
                if self._pen is not None and self._pen.unlinked():
                    raise

    def _is_lost(self) -> bool:
        """Tell whether what is written to the file from now on is of no use."""
        return self._pen is not None and bool(self._pen.unlinked() or self._pen.spoilt())

    def _drop(self) -> None:
        """Empty and remove this writer's `-wal`: SQLite would write it to the file when it closes it.

        What was in it is in another file by now.
        """
        with suppress(OSError):
            about = os.lstat(self.path + "-wal")
            if (about.st_dev, about.st_ino) == self._own.get("-wal"):
                os.truncate(self.path + "-wal", 0)
        self._tidy()

    def _opened_beside(self) -> dict[str, tuple[int, int]]:
        """Return device and inode of the files that SQLite has open beside this one."""
        found = {}
        for tail in BESIDE if self.path != MEMORY and not self.gone() else ():
            with suppress(OSError):
                about = os.lstat(self.path + tail)
                found[tail] = (about.st_dev, about.st_ino)
        return found

    def _tidy(self, place: str = "") -> None:
        """Remove this writer's `-wal` and `-shm`: SQLite would join them with another file of that name.

        If samples are left in the `-wal` of a file that was renamed, it is moved to the file's new `place`.
        """
        there = os.path.lexists(self.path)
        for tail, own in self._own.items():
            with suppress(OSError):
                about = os.lstat(self.path + tail)
                if (about.st_dev, about.st_ino) != own:
                    continue  # it belongs to another writer
                if not place or not about.st_size or tail != "-wal":
                    os.unlink(self.path + tail)
                elif there and not os.path.lexists(place + tail):
                    os.rename(self.path + tail, place + tail)
                elif not there:
                    return  # whoever renamed the file may rename these, too

    def problem(self) -> Exception | None:
        """Return what kept the last sealing from succeeding, once."""
        found, self._problem = self._problem, None
        return found

    def close(self) -> None:
        """Seal what is open and close the file, which is then one file again.

        Raises:
            RecordingError: it cannot be written; what was appended is safe all the same.
        """
        if self._shut:
            return
        self._shut = True
        try:
            self._end_worker()
            if self._is_lost():
                if self._left:
                    self._drop()
                return
            self.seal()
            with self._said():
                if self._companion is not None:
                    self._companion.finish(self.connection)
                # a reader that stands still is not waited for
                self.connection.execute("PRAGMA busy_timeout = 500")
                with self._writing_file():
                    self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                if self.path != MEMORY and not self.gone():  # SQLite unlinks what is beside it by its name
                    with suppress(sqlite3.OperationalError):  # while somebody reads it stays three files
                        self.connection.execute("PRAGMA journal_mode = DELETE")
        finally:
            self._release()

    def _release(self) -> None:
        """Give up the file and the right to write it."""
        self.connection.close()
        if self._pen is not None:
            self._pen.release()


def close_up(path: str) -> None:
    """Give back the space that the tail had in a recording that is complete.

    Without room for a second one beside it, it stays as big as it is.
    """
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("VACUUM")


class Fresh(OpenSegment):
    """A run that began with a new layout: its columns are those that stand still."""

    def __init__(
        self,
        layout: Layout,
        columns: Mapping[str, Sequence[Value]],
        ahead: OpenSegment | None,
        stands: dict[str, _Stand],
    ) -> None:
        """Begin with a frame's columns."""
        super().__init__(layout, columns, ahead)
        self.stands = stands


def _differences(values: Sequence[Value], still: Sequence[Value]) -> int:
    return sum(map(ne, values, still))


def _insert_segments(
    connection: sqlite3.Connection,
    rows: Sequence[tuple[OpenSegment, bytes, bytes | None]],
    ends: Sequence[tuple[str, int]],
) -> None:
    """Write segments, and where kinds end, in their order; each names the one of its kind before it."""
    (number,) = connection.execute("SELECT coalesce(max(id), 0) FROM segment").fetchone()
    last = dict(connection.execute("SELECT kind, segment FROM latest").fetchall())

    def insert(
        kind: str, first: int | None, layout: int | None, ahead: int | None, body: bytes | None
    ) -> None:
        nonlocal number
        number += 1
        words_ = (kind, first, layout, ahead, None if first is None else last.get(kind))
        connection.execute(
            "INSERT INTO segment (id, kind, first, layout, ahead, before, body, crc)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (number, *words_, body, crc(body or b"", "segment", *words_)),
        )
        if first is not None:
            last[kind] = number

    begun: list[tuple[int, OpenSegment | None, str, bytes | None, bytes | None]] = [
        *((first, None, kind, None, None) for kind, first in ends),
        *((run.samples[run.carried], run, run.layout.kind.name, body, ahead) for run, body, ahead in rows),
    ]
    begun.sort(
        key=lambda one: (one[0], one[1] is not None)
    )  # where one ends and another begins, in this order
    for first, run, kind, body, ahead in begun:
        if run is None:
            insert(kind, first, None, None, None)
            continue
        before = None
        if run.ahead is not None:
            insert(kind, None, run.ahead.layout.id, None, ahead)
            before = number
        insert(kind, first, run.layout.id, before, body)
    for kind in {kind for _first, _run, kind, *_ in begun}:
        connection.execute(
            "INSERT OR REPLACE INTO latest (kind, segment, crc) VALUES (?, ?, ?)",
            (kind, last[kind], crc(b"", "latest", kind, last[kind])),
        )


def _same(prior: Frame | None, frame: Frame) -> bool:
    """Tell whether a frame's prior is the reading that was recorded before it."""
    if prior is None or prior.missing is not frame.missing:
        return False
    pairs = ((prior.keys, frame.keys), (prior.times, frame.times), (prior.columns, frame.columns))
    return all(one is other or one == other for one, other in pairs)


def _told(pieces: Mapping[str, _Piece], gone: Sequence[str]) -> bytes:
    """Return what the tail says of a sample."""
    tail = EntryBuilder()
    for kind, piece in pieces.items():
        if not piece.fresh:
            tail.step(kind, piece.step)
        else:
            ahead = piece.run.ahead
            tail.run(kind, _whole(piece.run), None if ahead is None else _whole(ahead))
    return tail.bytes(gone)


def _whole(run: OpenSegment) -> list[object]:
    """Return what the tail says of a run that begins: layout, time, and the columns as they stand."""
    assert isinstance(run, Fresh)  # noqa: S101 - no other begins in a sample
    return [run.layout.id, run.steps[0].anchor, {name: stand.number for name, stand in run.stands.items()}]


def _sentence(error: sqlite3.Error) -> str:
    """Say what SQLite means, and what to do."""
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return "no room left on the file system (or the quota): make room, what is recorded stays readable"
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN", "SQLITE_AUTH")):
        return "cannot be written: check that the directory exists and may be written to"
    if name.startswith("SQLITE_IOERR"):
        return f"the file system fails: {error} ({name})"
    if name in {"SQLITE_CORRUPT", "SQLITE_NOTADB"}:
        return DAMAGED
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "another program holds it locked; end that one"
    return f"{error} ({name})" if name else str(error)
