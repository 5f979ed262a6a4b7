"""Opening a recording for reading.

The file is never changed, nothing in it is trusted unchecked, and no query runs without end.  If a page is
damaged, the queries that need it fail, and no others.

A recording that is being written has its newest samples in a second file beside it (`-wal`).  SQLite reads
that with the help of a third (`-shm`), which it may have to make; where the directory cannot be written to,
both are read from copies.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
import struct
import tempfile
import threading
from contextlib import contextmanager, suppress
from functools import partial
from urllib.parse import quote

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple
from zmon.store import file_format
from zmon.store.day import BESIDE
from zmon.store.file_format import Damaged, RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence


MAX_VALUE_BYTES: Final = 1 << 28
"""No value in a recording has more bytes."""

Trouble: Final = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises; the latter where it quotes what is damaged."""

BUSY_SECONDS: Final = 5.0

MEMORY: Final = ":memory:"
"""The path of a recording that is kept in memory and ends with its writer."""

LIVE: Final = "mode=ro"
"""SQLite's options for a file that another program may write to."""
UNCHANGED: Final = "mode=ro&immutable=1"
"""Likewise for one that no program writes to."""

_COMPUTED: Final = re.compile(r"\b(AS|GENERATED|CHECK|COLLATE|DEFAULT|REFERENCES)\b", re.IGNORECASE)
"""Words of SQL with which a table computes values."""

_COLUMNS: Final = re.compile(r"CREATE (UNIQUE )?INDEX [^()]*\([\[\]\w\s,\"]*\)", re.IGNORECASE)
"""An index of columns, not of expressions."""


class ReadConnection(NamedTuple):
    """A recording that is open for reading."""

    connection: sqlite3.Connection
    done: Callable[[], object]
    """To be called when it is closed."""
    stamp: object = None
    """The `stamp` of the file, if the connection does not see what is written to it from now on."""
    format: int = file_format.VERSION
    """Which format it has, by its tables."""
    is_sealed: bool = True
    """Whether its tables have the columns with which they were made."""


def stamp(path: str) -> object:
    """Return a value that changes when a recording is written to."""
    kinds_there = []
    for tail in ("", "-wal"):
        try:
            about = os.stat(path + tail)
            kinds_there.append((about.st_ino, about.st_size, about.st_mtime_ns))
        except OSError:
            kinds_there.append((0, 0, 0))
    return tuple(kinds_there)


def open_reading(path: str) -> ReadConnection:
    """Open a recording.

    Raises:
        RecordingError: it is not there, no recording, of a newer zmon, or damaged.
    """
    try:
        about = os.stat(path)
    except OSError as error:
        raise RecordingError(f"{error.strerror}", path) from error
    if not stat.S_ISREG(about.st_mode):
        raise RecordingError(no_file(about.st_mode), path)
    for name in (path, f"{path}-wal"):
        if os.path.exists(name) and not os.access(name, os.R_OK):
            raise RecordingError("may not be read; ask who recorded it", name)
    problem: Exception | None = None
    for way in _ways(path):
        try:
            opened = way()
        except (*Trouble, OSError) as error:
            problem = error
            continue
        try:
            made = _check_schema(opened.connection, path)
        except BaseException as error:
            opened.connection.close()
            opened.done()
            if not isinstance(error, Trouble):
                raise
            problem = error
            continue
        return _with_format(opened, made)
    cut = cut_off(path)
    lost = (
        f"{cut}, without those that say where samples are; copy it again from where it was recorded"
        if cut
        else "is it a recording, and whole?"
    )
    raise RecordingError(f"cannot be read: {problem}; {lost}", path) from problem


def _with_format(opened: ReadConnection, made: Sequence[tuple[str, str, str]]) -> ReadConnection:
    """Return an open recording with what its schema tells of it."""
    tables = {name: sql for kind, name, sql in made if kind == "table"}
    version = _format(tables) if made else file_format.VERSION
    if not made or version < 3:
        return opened._replace(format=version)
    rows: list[tuple[object, ...]] = []
    with suppress(*Trouble):
        question = "SELECT name, value, crc FROM about WHERE name = 'tables'"
        rows = opened.connection.execute(question).fetchall()
    return opened._replace(format=version, is_sealed=bool(rows) and file_format.is_sealed(rows[0], tables))


def _format(tables: Container[str]) -> int:
    """Return the format of a recording by the tables that came with each."""
    return max((number for number, table in file_format.SINCE.items() if table in tables), default=1)


def cut_off(path: str) -> str:
    """Say how much of a file is there, if it is less than its header tells; empty if nothing is cut off.

    Source: SQLite, Database File Format, 1.3: the page size is in bytes 16-17, the pages in 28-31.
    """
    with suppress(OSError, struct.error), open(path, "rb") as stream:
        head, size = stream.read(32), os.fstat(stream.fileno()).st_size
        (page,), (pages,) = struct.unpack(">H", head[16:18]), struct.unpack(">I", head[28:32])
        whole = (page if page > 1 else 65536) * pages
        is_complete = size >= whole or os.path.exists(f"{path}-wal")  # which may have the pages that lack
        if head.startswith(file_format.SQLITE_HEAD) and not is_complete:
            return f"it is cut off: {size:,} of {whole:,} bytes are there"
    return ""


def no_file(mode: int) -> str:
    """Return the message for something that is not a file, by its mode."""
    return "a pipe, not a file" if stat.S_ISFIFO(mode) else "no file, and so no recording"


def _ways(path: str) -> list[Callable[[], ReadConnection]]:
    """Return the ways to open a file, the best first."""
    if any(os.path.exists(path + tail) for tail in BESIDE):
        # it is being written, or its writer was killed
        ways = [partial(_opened, path, LIVE), partial(_copied, path)]
    elif _has_wal(path):
        # closed while it was read, or copied without its -wal, which SQLite would make again
        return [partial(_opened, path, UNCHANGED), partial(_opened, path, UNCHANGED, lenient=True)]
    else:
        ways = [partial(_opened, path, LIVE), partial(_opened, path, UNCHANGED)]
    return [*ways, partial(_opened, path, LIVE, lenient=True)]


def _has_wal(path: str) -> bool:
    """Return whether a file says that there is, or was, a `-wal` beside it."""
    # no thread of this process writes to it then, whose locks would be lost when this file is closed
    with open(path, "rb") as stream:
        return stream.read(20)[18:20] == b"\2\2"


def _opened(path: str, mode: str, *, lenient: bool = False) -> ReadConnection:
    seen = None if mode == LIVE else stamp(path)
    return ReadConnection(_connect(path, mode, lenient=lenient), lambda: None, seen)


def _copied(path: str) -> ReadConnection:
    """Open a copy of a file and of those beside it, which SQLite can join only by writing."""
    directory = tempfile.mkdtemp(prefix="zmon-")

    def done() -> None:
        shutil.rmtree(directory, ignore_errors=True)

    try:
        seen = stamp(path)
        copy = os.path.join(directory, "recording")
        for tail in ("", *BESIDE):
            with suppress(FileNotFoundError):
                shutil.copyfile(path + tail, copy + tail)
        return ReadConnection(_connect(copy, "mode=rw"), done, seen)
    except BaseException:
        done()
        raise


def _connect(path: str, mode: str, *, lenient: bool = False) -> sqlite3.Connection:
    connection = connect(path, mode)
    connection.execute("PRAGMA query_only = ON")
    if lenient:  # a truncated file is read as far as it goes; nothing is written all the same
        connection.execute("PRAGMA writable_schema = ON")
    return connection


def connect(path: str, mode: str = LIVE, wait: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Connect to a file, which SQLite is to distrust: no functions from its schema, no huge values.

    `mode` has SQLite's options; another process that writes is waited for so many seconds.
    """
    connection = sqlite3.connect(
        path if path == MEMORY else f"file:{quote(os.path.abspath(path))}?{mode}",
        uri=path != MEMORY,
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.create_function("row_crc", -1, file_format.row_crc, deterministic=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")  # a file that is truncated meanwhile must not end zmon
    return connection


def _check_schema(connection: sqlite3.Connection, path: str) -> list[tuple[str, str, str]]:
    """Check that its tables are tables; return type, name and SQL of everything in its schema.

    Raises:
        RecordingError: they are not.
        sqlite3.Error: it cannot be read.
    """
    version = file_format.version(connection, path)
    if not version:
        return []
    made: list[tuple[str, str, str]] = connection.execute(
        "SELECT type, name, sql FROM sqlite_master"
    ).fetchall()
    tables = {name: sql for kind, name, sql in made if kind == "table"}
    newest = max(version, _format(tables))
    wanted = {table for number, table in file_format.SINCE.items() if number <= newest} | file_format.TABLES
    plain = {name for name in wanted if _is_plain(tables.get(name))}
    if plain != wanted:
        lacking = ", ".join(sorted(wanted - plain))
        raise RecordingError(f"no whole recording of zmon: of its tables it lacks {lacking}", path)
    return made


def _is_plain(sql: object) -> bool:
    """Return whether a table holds values and computes none."""
    return isinstance(sql, str) and sql.startswith("CREATE TABLE") and not _COMPUTED.search(sql)


def see_writable(connection: sqlite3.Connection, path: str) -> None:
    """Check that a recording has no trigger or computed index, which would run when it is written to.

    Raises:
        RecordingError: it has.
        sqlite3.Error: it cannot be read.
    """
    for kind, name, sql in _check_schema(connection, path):
        if kind == "trigger" or (kind == "index" and sql and not _COLUMNS.fullmatch(sql)):
            raise RecordingError(
                f"somebody has added the {kind} {name}, which zmon will not run: drop it, or record "
                "to another file",
                path,
            )


MAX_FAILURES: Final = 2_000
"""Failed queries after which a damaged table is not searched for the rows that are left."""

TICK: Final = 1_000_000
MAX_TICKS: Final = 200
"""Steps of SQLite, and how many times as many a query may take; that is some seconds."""


class RecordingFile:
    """One file that is open for queries by any thread, one at a time (`guard`).

    Raises:
        RecordingError: it is not there, no recording, of a newer zmon, or damaged as a whole.
    """

    def __init__(self, path: str, shared: tuple[sqlite3.Connection, threading.RLock] | None = None) -> None:
        """Open it for reading, or use a connection that a writer `shared`."""
        self.path = path
        self._ticks = 0
        self._own = shared is None
        self.format = file_format.VERSION
        self.is_sealed = True
        """Whether its tables have the columns with which they were made; not known before format 3."""
        if shared is None:
            self.guard = threading.RLock()
            self._open()
        else:
            self.connection, self.guard = shared

    @property
    def checks(self) -> bool:
        """Whether samples, sessions, kinds and events have checksums, as since format 2."""
        return self.format > 1

    @property
    def covers(self) -> bool:
        """Whether all rows have checksums, also of roll-ups and exceptions, as since format 3."""
        return self.format > 2

    @property
    def crc(self) -> str:
        """The column of the checksum of a row, in SQL; format 1 has none."""
        return "crc" if self.checks else "NULL"

    @property
    def is_past(self) -> bool:
        """Whether somebody else wrote it: else the running machine's own samples are read again."""
        return self._own

    def _open(self) -> None:
        self._opened = open_reading(self.path)
        self.connection = self._opened.connection
        self.format, self.is_sealed = self._opened.format, self._opened.is_sealed
        self.connection.set_progress_handler(self._tick, TICK)

    def renew(self) -> bool:
        """Open the file again, and return True, if it was written to and the connection does not see that."""
        with self.guard:
            if not self._own or self._opened.stamp in {None, stamp(self.path)}:
                return False
            before = self._opened
            self._open()
            before.connection.close()
            before.done()
            return True

    def close(self) -> None:
        """Close it; a shared connection stays open."""
        with self.guard:
            if self._own:
                self.connection.close()
                self._opened.done()

    def ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; a damaged page makes this query fail, not others.

        Raises:
            Damaged: the file is damaged there.
        """
        try:
            with self.asking() as connection:
                return connection.execute(question, values).fetchall()
        except OverflowError as error:
            raise Damaged(str(error), self.path) from error

    @contextmanager
    def asking(self, ticks: int = MAX_TICKS) -> Iterator[sqlite3.Connection]:
        """Use the connection for a query that takes a limited number of steps."""
        with self.guard:
            self._ticks = ticks
            try:
                yield self.connection
            except Trouble as error:
                raise Damaged(str(error), self.path) from error

    def _tick(self) -> bool:
        """Return whether SQLite is to give up."""
        self._ticks -= 1
        return self._ticks < 0

    def pieces(self, question: str, low: int, high: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows with numbers from `low` up to `high`, except damaged ones."""
        ranges = [(low, high)]
        failures = 0
        while ranges and failures < MAX_FAILURES:
            low, high = ranges.pop()
            try:
                yield from self.ask(question, low, high)
            except Damaged:
                failures += 1
                middle = (low + high) // 2
                if high - low > 1:
                    ranges += [(middle, high), (low, middle)]
