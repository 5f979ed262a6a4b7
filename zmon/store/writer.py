"""Adds samples to a recording: each at once to the journal, and once a minute as segments.

`append` is one transaction, which inserts the differences from the sample before into the journal, so a
sample is safe when it returns.  After SEGMENT_SAMPLES samples a thread encodes segments of them and replaces
the journal by these in one transaction.  If anything fails between, either the journal or the segments are in
the file, never none and never both.

A `Companion` may keep figures of the samples in the same file.  The same thread shows it the samples after
they are safe, and it writes in the transaction that replaces the journal, so its figures are always those of
the segments. Samples in the journal that an earlier writer left are shown to it when the file is opened
again.
"""

from __future__ import annotations

import gc
import sqlite3
import sys
import threading
from collections import deque
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol

from zmon.base import own_files
from zmon.base.event import Event, What
from zmon.store import file_format
from zmon.store.changes import events_between, insert_changes, label_changes
from zmon.store.dictionary import write_baselines
from zmon.store.file_format import (
    Damaged,
    RecordingError,
    crc,
    insert_events,
    row_crc,
    sample_crc,
    sql_text,
)
from zmon.store.file_lock import FileLock
from zmon.store.open import MEMORY, connect, see_writable
from zmon.store.tracker import Tracker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.sample import Sample
    from zmon.store.dictionary import NewBaseline
    from zmon.store.reader import Recording
    from zmon.store.readings import OpenSegment

SEGMENT_SAMPLES: Final = 60

MAX_UNSEALED: Final = 3
"""Segments' worth of samples that may wait to be sealed."""

SHOWN_TOGETHER: Final = 10
"""Samples after which the companion is shown them: waking its thread for each costs both threads time."""

MAX_UNSEEN: Final = 20
"""Samples that the companion has not seen; they are kept whole until then."""

MAX_YIELD: Final = 1.0
"""Seconds that sealing waits for a sample that is being appended, at each step."""

SWITCH_SECONDS: Final = 0.0005
"""Python's switch interval while sealing: how long it may delay the thread that appends, at a time."""

BUSY_SECONDS: Final = 10.0
"""How long to wait for another process that writes."""

MAX_WAL_BYTES: Final = 16 << 20
"""Bytes to which the `-wal` is truncated, after a reader that held a transaction open made it grow."""

DAMAGED: Final = "no recording, or damaged beyond what can be written to; record to another file"


class Companion(Protocol):
    """Keeps figures of the samples, in the file of the recording; one for each writer."""

    def open(self, connection: sqlite3.Connection) -> None:
        """Make its tables if they are missing."""

    def follow(self, before: Sample, after: Sample) -> None:
        """Look at two successive samples; all are shown, in their order."""

    def make(self, connection: sqlite3.Connection, give_way: Callable[[], object]) -> object:
        """Return what is to be written of the samples shown so far; only reads, and may take a while."""

    def write(self, connection: sqlite3.Connection, made: object) -> None:
        """Write that, within the transaction of the caller."""

    def written(self) -> None:
        """The samples that `make` was asked about are in segments, whether it succeeded or not."""

    def failed(self) -> None:
        """Nothing of that was written; it is asked for again."""

    def finish(self, connection: sqlite3.Connection) -> None:
        """Write what waits for the end, because the file is closed."""


class Writer:
    """Adds samples to one recording; no other writer may at the same time.

    Raises:
        RecordingError: the file cannot be written, is no recording, or of a newer zmon.  Every method may.
    """

    def __init__(
        self,
        path: str,
        *,
        sealed: int = SEGMENT_SAMPLES,
        durable: bool = True,
        companion: Companion | None = None,
        mode: int = own_files.PRIVATE,
    ) -> None:
        """Create the recording, with a mode, or continue it.  SQLite's files beside it have its mode.

        `sealed` samples make a segment.  Without `durable`, a sample outlives the end of zmon in any
        form, but the last ones may not outlive that of the operating system.  The `companion` keeps
        figures of the samples in the same file.
        """
        self.path = path
        self._sealed = sealed
        self._guard = threading.RLock()
        """Held while the connection is in use; in memory there is one connection for all."""
        self._before: Sample | None = None
        self._session: tuple[object, ...] = ()
        self._session_id = 0
        self._next = 0
        self._begun = 0
        """The number of the first sample that no sealing has begun with."""
        self._open = 0
        """The number of the first sample that is not sealed."""
        self._companion = companion
        self._unseen: deque[tuple[Sample, Sample]] = deque()
        """Pairs of samples that the companion has not been shown yet."""
        self._sealing = threading.RLock()
        """Held while the companion is shown samples, and while segments are encoded."""
        self._is_sealing = False
        self._worker: threading.Thread | None = None
        self._jobs: SimpleQueue[threading.Event | bool] = SimpleQueue()
        """For the worker: True for work, False for the end, an event to be set when it is reached."""
        self._asked = self._done = 0
        """How often work was asked for, and done."""
        self._quiet = threading.Event()
        """Set while no sample is being appended."""
        self._quiet.set()
        self._problem: Exception | None = None
        self._closed = False
        self._left = False
        """Whether `leave` was asked for the samples of a lost file."""
        self._lock = FileLock(path, mode) if path != MEMORY else None
        with ExitStack() as on_failure, self._sqlite_errors():
            if self._lock is not None:
                on_failure.callback(self._lock.release)
            self.connection = self._connect(durable=durable)
            on_failure.callback(self.connection.close)
            self._begin_or_continue()
            if self._lock is not None:
                self._lock.note_beside()
            with self._writing_file():
                on_failure.pop_all()

    # opening

    def _connect(self, *, durable: bool) -> sqlite3.Connection:
        """Connect to the file, which is there already; SQLite makes none in its place."""
        connection = connect(self.path, "mode=rw", BUSY_SECONDS)
        try:
            connection.execute(f"PRAGMA page_size = {file_format.PAGE}")
            file_format.version(connection, self.path)  # before anything is changed
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            connection.execute("PRAGMA wal_autocheckpoint = 0")  # the sealing thread does it
            connection.execute(f"PRAGMA journal_size_limit = {MAX_WAL_BYTES}")
            connection.execute("PRAGMA cache_size = -1024")
        except BaseException:
            connection.close()
            raise
        return connection

    def _begin_or_continue(self) -> None:
        if file_format.version(self.connection, self.path):
            see_writable(self.connection, self.path)
        if file_format.prepare(self.connection, self.path) and self.path != MEMORY:
            # the file itself is a recording from its first bytes on, not only together with its -wal
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._tracker = Tracker(self.connection)
        if self._companion is not None:
            self._companion.open(self.connection)
        last = self.connection.execute("SELECT max(n) FROM sample").fetchone()[0]
        self._next = self._begun = 0 if last is None else int(last) + 1
        if self._next:
            self._seal_left_samples()

    def _seal_left_samples(self) -> None:
        """Seal the samples in the journal that an earlier writer left."""
        from zmon.store.reader import Recording  # noqa: PLC0415 - only a file that is continued needs it

        left = Recording(self.path, shared=self.shared)
        self._before = left.sample(self._next - 1)
        self._tracker.put_back(left.open_segments(), left.open_ends())
        first = self.connection.execute("SELECT min(n) FROM tail").fetchone()[0]
        self._open = self._next if first is None else int(first)
        self._show_left_samples(left)
        # another zmon reads what follows, and begins anew
        self._tracker.ends += [(name, self._next) for name in self._before.frames]
        self.seal()

    def _show_left_samples(self, left: Recording) -> None:
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

    @contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into sentences."""
        try:
            yield
        except sqlite3.Error as error:
            raise RecordingError(_sentence(error), self.path) from error
        except UnicodeDecodeError as error:  # SQLite quotes what is damaged
            raise Damaged(DAMAGED, self.path) from error

    # samples

    def append(self, sample: Sample) -> None:
        """Add a sample; it is safe when this returns.

        Raises:
            RecordingError: it cannot be written, because the disk is full or fails.  Then nothing of it is,
                and the next sample can be tried.
        """
        self._quiet.clear()
        try:
            with self._guard, self._sqlite_errors():
                self._insert(sample)
        finally:
            self._quiet.set()
        waiting = self._next - self._begun
        if len(self._unseen) >= SHOWN_TOGETHER or waiting >= self._sealed:
            self._wake_worker()
        if waiting > MAX_UNSEALED * self._sealed or len(self._unseen) > MAX_UNSEEN:
            self.settle()  # a caller who appends without a pause must not outrun the worker

    def _insert(self, sample: Sample) -> None:
        n, before = self._next, self._before
        try:
            with _transaction(self.connection):
                row = (n, sample.at.utc, sample.at.steady, self._session_of(sample))
                change = self._tracker.compare(self.connection, n, sample)
                write_baselines(self.connection, change.new)
                self.connection.execute(
                    "INSERT INTO sample (n, utc, steady, session, crc) VALUES (?, ?, ?, ?, ?)",
                    (*row, sample_crc(*row)),
                )
                body = change.entry()
                self.connection.execute(
                    "INSERT INTO tail (n, body, crc) VALUES (?, ?, ?)", (n, body, crc(body, "sample", n))
                )
                if before is not None:
                    insert_events(self.connection, events_between(before, sample))
                    insert_changes(self.connection, [*label_changes(before, sample)])
        except BaseException:
            self._tracker.forget_dictionary()  # it may know what was rolled back
            self._session = ()
            raise
        if self._companion is not None and before is not None:
            self._unseen.append((before, sample))
        self._tracker.take(change)
        self._before = sample
        self._next = n + 1

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
                (*row, row_crc("session", *row)),
            )
            self._session_id, self._session = number, now
        return self._session_id

    def note(self, utc: int, text: str) -> None:
        """Add a note of the user."""
        self.add_events([Event(What.NOTE, utc, utc, text=text)])

    def add_events(self, events: Sequence[Event]) -> None:
        """Add events that do not follow from the samples."""
        with self._guard, self._sqlite_errors():
            insert_events(self.connection, events)

    # the worker

    def _wake_worker(self) -> None:
        """Have the worker show the companion what it has not seen, and seal if it is time."""
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="recording", daemon=True)
            self._worker.start()
        self._asked += 1
        self._jobs.put(True)

    def _work(self) -> None:
        while job := self._jobs.get():
            if isinstance(job, threading.Event):
                job.set()
                continue
            with _without_gc():
                self._show()
                if self._next - self._begun >= self._sealed and not self.gone():
                    self._try_to_seal()  # samples of a file that was taken away are saved by `leave`
            self._done += 1

    def settle(self) -> None:
        """Wait until the worker has done its work up to now."""
        is_own = self._worker is threading.current_thread()
        if self._worker is not None and not is_own and self._done < self._asked:
            done = threading.Event()
            self._jobs.put(done)
            done.wait()

    @property
    def busy(self) -> bool:
        """Whether the worker is sealing."""
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

    def _give_way(self) -> None:
        """Let a sample that is being appended go first."""
        self._quiet.wait(MAX_YIELD)

    def problem(self) -> Exception | None:
        """Return why the last sealing failed, once."""
        problem, self._problem = self._problem, None
        return problem

    # sealing

    def _try_to_seal(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(min(before, SWITCH_SECONDS))
        self._is_sealing = True
        try:
            self.seal()
        except Exception as error:  # noqa: BLE001 - the journal stays, and it is tried again
            self._problem = error
        finally:
            self._is_sealing = False
            sys.setswitchinterval(before)

    def seal(self) -> None:
        """Make segments of the journal; what cannot be written stays in the journal."""
        with self._sealing:
            with self._guard:
                until = self._begun = self._next
                ready, ends = self._tracker.collect()
                unseen = [*self._unseen]
                self._unseen.clear()
            for pair in unseen:
                self._follow(*pair)
            try:
                with self._sqlite_errors(), self._other_connection() as (connection, guard):
                    self._write_segments(connection, guard, ready, ends)
                self._open = until
            except BaseException:
                with self._guard:
                    self._tracker.put_back(ready, ends)
                self._tracker.forget_baselines()
                if self._companion is not None:
                    self._companion.failed()
                raise

    @contextmanager
    def _other_connection(self) -> Iterator[tuple[sqlite3.Connection, AbstractContextManager[object]]]:
        """Return a connection for the sealing thread, and what to hold while it is used."""
        if self.path == MEMORY or self.gone():
            yield self.connection, self._guard
            return
        connection = self._connect(durable=True)
        try:
            if self.gone():  # what was opened may be another file
                raise RecordingError(self.gone(), self.path)
            yield connection, nullcontext()
        finally:
            connection.close()

    def _write_segments(
        self,
        connection: sqlite3.Connection,
        guard: AbstractContextManager[object],
        ready: Sequence[OpenSegment],
        ends: Sequence[tuple[str, int]],
    ) -> None:
        """Encode segments without holding anything up, then write them in one transaction."""
        new: list[NewBaseline] = []

        def encode(segment: OpenSegment) -> bytes:
            return self._tracker.encode(segment, connection, guard, new, self._give_way)

        rows = [
            (segment, None if segment.ahead is None else encode(segment.ahead), encode(segment))
            for segment in ready
        ]
        made = self._make_figures(connection, guard)
        with guard, _transaction(connection):
            write_baselines(connection, new)
            _insert_segments(connection, rows, ends)
            connection.execute("DELETE FROM tail WHERE n < ?", (self._begun,))
            if self._companion is not None and made is not None:
                self._companion.write(connection, made)
        if self._companion is not None:
            self._companion.written()
        if connection is not self.connection:
            try:
                with self._sqlite_errors(), self._writing_file():
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except RecordingError as error:  # the segments are safe all the same
                self._problem = error

    def _make_figures(self, connection: sqlite3.Connection, guard: AbstractContextManager[object]) -> object:
        if self._companion is None:
            return None
        try:
            with guard:
                return self._companion.make(connection, self._give_way)
        except Exception as error:  # noqa: BLE001 - whatever it is, the samples are sealed
            self._problem = error
            return None

    # a file that was taken away

    def gone(self) -> str:
        """Return what became of the file, as the end of a sentence; empty while it is in its place."""
        return "" if self._lock is None else self._lock.gone()

    def leave(self) -> Iterator[Sample]:
        """Finish a file that is `gone`, before another is opened in its place.

        A file that was renamed is completed where it is now, and closed.  Of one that was removed, the
        samples are yielded that are not sealed yet; to be read before `close`.  Of one that another program
        truncated, those of them that are still readable; of one that was overwritten, the last one.

        Raises:
            RecordingError: it cannot be finished.
        """
        lock = self._lock
        if lock is not None and lock.is_lost():
            self.settle()
            if lock.unlinked():
                lock.remove_beside()
            self._left = True
            return self._unsealed()
        place = "" if lock is None else lock.place()
        self.close()
        if lock is not None:
            lock.remove_beside(place)
        return iter(())

    def _writing_file(self) -> AbstractContextManager[None]:
        """Return what is held while SQLite writes to the file itself, and not beside it."""
        return nullcontext() if self._lock is None else self._lock.writing()

    def _unsealed(self) -> Iterator[Sample]:
        if self._lock is not None and self._lock.is_overwritten:
            # what the file holds now, also of kinds and keys, is another program's
            if self._before is not None and self._open < self._next:
                yield self._before
            return
        from zmon.store.reader import Recording  # noqa: PLC0415 - seldom needed

        left = Recording(self.path, shared=self.shared)
        for number in range(self._open, self._next):
            try:
                yield left.sample(number)
            except RecordingError:
                if self._lock is not None and self._lock.unlinked():
                    raise

    def close(self) -> None:
        """Seal and close the file, which is then one file again.

        Raises:
            RecordingError: it cannot be written; what was appended is safe all the same.
        """
        if self._closed:
            return
        self._closed = True
        try:
            self._end_worker()
            if self._lock is not None and self._lock.is_lost():
                if self._left:
                    self._lock.drop_journal()
                return
            self.seal()
            with self._sqlite_errors():
                if self._companion is not None:
                    self._companion.finish(self.connection)
                # a reader that holds a transaction open is not waited for
                self.connection.execute("PRAGMA busy_timeout = 500")
                with self._writing_file():
                    self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                if self.path != MEMORY and not self.gone():  # SQLite unlinks the files beside it by name
                    with suppress(sqlite3.OperationalError):  # while somebody reads it stays three files
                        self.connection.execute("PRAGMA journal_mode = DELETE")
        finally:
            self.connection.close()
            if self._lock is not None:
                self._lock.release()


@contextmanager
def _without_gc() -> Iterator[None]:
    """Look for no cycles: there are none in thousands of lists that are dropped soon, and all are visited."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def close_up(path: str) -> None:
    """Return the space of the journal in a recording that is complete.

    Without room for a second one beside it, it stays as big as it is.
    """
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("VACUUM")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what is written within, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _insert_segments(
    connection: sqlite3.Connection,
    rows: Sequence[tuple[OpenSegment, bytes | None, bytes]],
    ends: Sequence[tuple[str, int]],
) -> None:
    """Insert segments, and where kinds end, in their order; each names the one of its kind before it."""
    (number,) = connection.execute("SELECT coalesce(max(id), 0) FROM segment").fetchone()
    last = dict(connection.execute("SELECT kind, segment FROM latest").fetchall())
    rows_of_kinds: list[tuple[int, str, OpenSegment | None, bytes | None, bytes | None]] = [
        *((first, kind, None, None, None) for kind, first in ends),
        *(
            (segment.samples[segment.carried], segment.layout.kind.name, segment, ahead, body)
            for segment, ahead, body in rows
        ),
    ]
    rows_of_kinds.sort(
        key=lambda row: (row[0], row[2] is not None)
    )  # a kind may end and begin again at one sample
    for first, kind, segment, ahead, body in rows_of_kinds:
        layout = before = None
        if segment is not None:
            layout = segment.layout.id
            if segment.ahead is not None:
                number += 1
                _insert_segment(connection, number, (kind, None, segment.ahead.layout.id, None, None), ahead)
                before = number
        number += 1
        _insert_segment(connection, number, (kind, first, layout, before, last.get(kind)), body)
        last[kind] = number
    for kind in dict.fromkeys(
        row[1] for row in rows_of_kinds
    ):  # in their order, so that bytes are the same again
        connection.execute(
            "INSERT OR REPLACE INTO latest (kind, segment, crc) VALUES (?, ?, ?)",
            (kind, last[kind], row_crc("latest", kind, last[kind])),
        )


def _insert_segment(
    connection: sqlite3.Connection, number: int, row: tuple[object, ...], body: bytes | None
) -> None:
    connection.execute(
        "INSERT INTO segment (id, kind, first, layout, ahead, before, body, crc)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (number, *row, body, crc(body or b"", "segment", *row)),
    )


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
