"""Opening a recording to read it: the file is never changed, and nothing in it is believed unseen.

A recording that is being written has its newest samples in a second file beside it (`-wal`).  SQLite reads
that with the help of a third (`-shm`), which it may have to make; where the directory cannot be written to,
both are read from copies.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from zmon.recording import schema
from zmon.recording.error import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST: Final = 1 << 28
"""No value in a recording has more bytes."""

WAITS: Final = 5.0


Opened = tuple[sqlite3.Connection, "Callable[[], object]"]
"""A connection, and what to call when it is closed."""


def open_reading(path: str) -> Opened:
    """Open a recording; return the connection, and what to call when it is closed.

    Raises:
        RecordingError: it is not there, no recording, of a newer zmon, or damaged.
    """
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror}") from error
    wal = f"{path}-wal"
    ways: list[Callable[[], Opened]] = [lambda: (_connect(path, "mode=ro&immutable=1"), _nothing)]
    if os.path.exists(wal):
        # it is being written, or its writer was killed; immutable means that nobody else is there
        ways = [lambda: (_connect(path, "mode=ro"), _nothing), lambda: _copied(path, wal)]
    problem: Exception | None = None
    for way in ways:
        try:
            connection, done = way()
        except (sqlite3.Error, OSError) as error:
            problem = error
            continue
        try:
            _look(connection, path)
        except sqlite3.Error as error:
            connection.close()
            done()
            problem = error
            continue
        except BaseException:
            connection.close()
            done()
            raise
        return connection, done
    raise RecordingError(f"{path}: cannot be read: {problem}; is it a recording, and whole?") from problem


def _nothing() -> None:
    """Nothing is to be done afterwards."""


def _connect(path: str, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(os.path.abspath(path))}?{mode}",
        uri=True,
        timeout=WAITS,
        isolation_level=None,
        check_same_thread=False,
    )
    defend(connection)
    return connection


def defend(connection: sqlite3.Connection) -> None:
    """Have SQLite distrust what is in the file: no functions from its schema, no values without end."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA mmap_size = 0")  # a file that is cut off meanwhile must not end zmon


def _copied(path: str, wal: str) -> Opened:
    """Open a copy of the recording and of what is beside it."""
    directory = tempfile.mkdtemp(prefix="zmon-")

    def done() -> None:
        shutil.rmtree(directory, ignore_errors=True)

    try:
        copy = os.path.join(directory, "recording")
        shutil.copyfile(path, copy)
        shutil.copyfile(wal, f"{copy}-wal")
        return _connect(copy, "mode=ro"), done
    except BaseException:
        done()
        raise


def _look(connection: sqlite3.Connection, path: str) -> None:
    """See that it is a recording whose tables are tables.

    Raises:
        RecordingError: it is not.
        sqlite3.Error: it cannot be read.
    """
    if not schema.version(connection, path):
        return
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
    ).fetchall()
    lacking = schema.TABLES.difference(name for (name,) in rows)
    if lacking:
        raise RecordingError(f"{path}: no whole recording of zmon: it lacks {', '.join(sorted(lacking))}")
