"""The file format of a recording: its tables, the checksums of their rows, and how a file is recognised.

A file of an older format is read for ever and never changed; what is recorded later goes to another file.
docs/recording-format.md describes the tables.
"""

from __future__ import annotations

import os
import stat

from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.event import Event


class RecordingError(ValueError):
    """A recording that cannot be read or written; the message says what, where, and what to do."""

    def __init__(self, problem: str, path: str = "") -> None:
        """Say what is wrong, with a file if one is named."""
        super().__init__(f"{path}: {problem}" if path else problem)
        self.problem, self.path = problem, path

    def of(self, path: str) -> str:
        """Return what is wrong with a file without its name."""
        return self.problem if self.path == path else str(self)


class Damaged(RecordingError):  # noqa: N818 - it says what it is
    """A part of a recording is damaged; the rest can be read."""


NOT_IN_LAYOUT: Final = "rows that are not in the layout"
NO_RECORDING: Final = "no recording of zmon; of a capture or a report of sar, zmon import makes one"
"""What is said of another file."""

MAGIC: Final = 0x7A6D6F6E
"""SQLite's application id of a recording: `zmon`."""

SQLITE_HEAD: Final = b"SQLite format 3\0"
"""The first bytes of a file of SQLite."""

PAGE: Final = 4096

TABLES: Final = frozenset(
    {"about", "session", "sample", "kind", "field", "layout", "still", "segment", "tail", "event", "change"}
)
"""The tables that a reader of format 1 needs; they must be tables, never views."""

SINCE: Final = {2: "latest", 3: "table_rows"}
"""The table by which each later format is known, whatever its number says."""


SCHEMA: Final = """\
CREATE TABLE "about" (
   "name" TEXT PRIMARY KEY,
   "value" TEXT NOT NULL,
   "crc" INTEGER
);
CREATE TABLE "session" (
   "id" INTEGER PRIMARY KEY,
   "boot" TEXT,
   "source" TEXT,
   "nominal" REAL,
   "simulated" INTEGER,
   "begin" INTEGER,
   "crc" INTEGER
);
CREATE TABLE "sample" (
   "n" INTEGER PRIMARY KEY,
   "utc" INTEGER,
   "steady" INTEGER,
   "session" INTEGER,
   "crc" INTEGER
);
CREATE INDEX "idx_sample_utc"
    ON "sample" ("utc");
CREATE TABLE "kind" (
   "id" INTEGER PRIMARY KEY,
   "name" TEXT,
   "key" TEXT,
   "alone" INTEGER,
   "crc" INTEGER
);
CREATE TABLE "field" (
   "kind" INTEGER,
   "place" INTEGER,
   "name" TEXT,
   "meaning" TEXT,
   "unit" TEXT,
   "source" TEXT,
   "modulus" TEXT,
   "wraps_after" REAL,
   PRIMARY KEY ("kind", "place")
);
CREATE TABLE "layout" (
   "id" INTEGER PRIMARY KEY,
   "kind" INTEGER,
   "digest" INTEGER,
   "body" BLOB,
   "crc" INTEGER
);
CREATE INDEX "idx_layout_digest"
    ON "layout" ("digest");
CREATE TABLE "still" (
   "id" INTEGER PRIMARY KEY,
   "digest" INTEGER,
   "body" BLOB,
   "crc" INTEGER
);
CREATE INDEX "idx_still_digest"
    ON "still" ("digest");
CREATE TABLE "segment" (
   "id" INTEGER PRIMARY KEY,
   "kind" TEXT,
   "first" INTEGER,
   "layout" INTEGER,
   "ahead" INTEGER,
   "before" INTEGER,
   "body" BLOB,
   "crc" INTEGER
);
CREATE INDEX "idx_segment_kind_first"
    ON "segment" ("kind", "first");
CREATE TABLE "latest" (
   "kind" TEXT PRIMARY KEY,
   "segment" INTEGER,
   "crc" INTEGER
);
CREATE TABLE "tail" (
   "n" INTEGER PRIMARY KEY,
   "body" BLOB,
   "crc" INTEGER
);
CREATE TABLE "event" (
   "id" INTEGER PRIMARY KEY,
   "what" TEXT,
   "begin" INTEGER,
   "end" INTEGER,
   "thing" TEXT,
   "screen" TEXT,
   "text" TEXT,
   "crc" INTEGER
);
CREATE INDEX "idx_event_begin"
    ON "event" ("begin");
CREATE TABLE "change" (
   "id" INTEGER PRIMARY KEY,
   "utc" INTEGER,
   "kind" TEXT,
   "thing" TEXT,
   "field" TEXT,
   "was" TEXT,
   "now" TEXT,
   "crc" INTEGER
);
CREATE INDEX "idx_change_utc"
    ON "change" ("utc");
CREATE TABLE "table_rows" (
   "name" TEXT PRIMARY KEY,
   "rows" INTEGER,
   "crc" INTEGER
);
"""
"""The statements that make the tables."""


def make(connection: sqlite3.Connection) -> None:
    """Make the tables, in the caller's transaction."""
    for statement in SCHEMA.split(";"):
        connection.execute(statement)


VERSION: Final = 3
"""The format that is written."""


def version(connection: sqlite3.Connection, path: str) -> int:
    """Return the format of a recording; 0 for an empty file.

    Raises:
        RecordingError: it is none, or of a newer zmon.
    """
    magic = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if empty and magic in {0, MAGIC}:
        return 0
    if magic != MAGIC:
        raise RecordingError("a database, but no recording of zmon", path)
    if version < 1:
        raise RecordingError(f"no whole recording of zmon: its version is {version}", path)
    if version > VERSION:
        raise RecordingError(
            f"written by a newer zmon (format {version}); this one knows formats up to {VERSION}:"
            " update zmon",
            path,
        )
    return version


def prepare(connection: sqlite3.Connection, path: str) -> bool:
    """Make the tables in an empty file; tell whether it was one.

    Raises:
        RecordingError: it is no recording, or of another format.
        sqlite3.Error: it cannot be written.
    """
    version_there = version(connection, path)
    if version_there == VERSION:
        return False
    if version_there:
        raise RecordingError(
            f"written by an older zmon (format {version_there}); it is read, but not continued: record to"
            " another file",
            path,
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not version(connection, path):  # another process may have been here meanwhile
            make(connection)
            seal_schema(connection)
            connection.execute(f"PRAGMA application_id = {MAGIC}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return True


EVENT_COLUMNS: Final = "what, begin, end, thing, screen, text"
"""The columns of an event, in the order of its checksum."""


def crc(body: bytes, *identity: object) -> int:
    """Return the checksum of a body: CRC-32 of the words that name its row, and the body.

    So a body that is in another row than it was written to is detected, too.
    """
    import zlib  # noqa: PLC0415 - what is no recording starts without it

    return zlib.crc32(body, zlib.crc32(f"{' '.join(map(str, identity))} ".encode()))


def row_crc(table: str, *row: object) -> int:
    """Return the checksum of a row without a body; `connect` makes it a function of SQL, too."""
    return crc(b"", table, *row)


def crc_of(table: str, columns: Iterable[str], alias: str = "") -> str:
    """Return the checksum of a row without a body in SQL, of all its columns in their order."""
    names = (f"{alias}.{column}" if alias else f'"{column}"' for column in columns if column != "crc")
    return f"row_crc('{table}', {', '.join(names)})"


def seal_schema(connection: sqlite3.Connection) -> None:
    """Write down the checksums of the columns of each table, in the caller's transaction."""
    made = connection.execute(
        "SELECT name, sql FROM sqlite_master AS made WHERE made.type = 'table' ORDER BY name"
    )
    row = ("tables", " ".join(f"{name}={row_crc('schema', sql)}" for name, sql in made))
    connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?, ?)", (*row, row_crc("about", *row)))


def is_sealed(sealed: Sequence[object], tables: Mapping[str, str]) -> bool:
    """Return whether tables have the columns with which they were made, by the row that tells them.

    A table that somebody has added is none of ours.
    """
    name, told, expected = sealed
    if not isinstance(told, str) or row_crc("about", name, told) != expected:
        return False
    sums = (word.rpartition("=") for word in told.split(" "))
    return all(str(row_crc("schema", tables.get(table))) == checksum for table, _equals, checksum in sums)


def add_rows(connection: sqlite3.Connection, table: str, count: int) -> None:
    """Note that a table has more rows, in the caller's transaction: a row that is lost leaves no trace."""
    if count:
        had = connection.execute("SELECT rows FROM table_rows WHERE name = ?", (table,)).fetchone()
        row = (table, count + (had[0] if had else 0))
        connection.execute(
            "INSERT OR REPLACE INTO table_rows VALUES (?, ?, ?)", (*row, row_crc("table_rows", *row))
        )


def checked(body: object, expected: object, *identity: object) -> bytes:
    """Return a body whose checksum is right.

    Raises:
        Damaged: it is wrong, or there is no body.
    """
    if not isinstance(body, bytes) or crc(body, *identity) != expected:
        raise Damaged(f"{' '.join(map(str, identity[:3]))} is damaged: its checksum is wrong")
    return body


def sample_crc(number: int, utc: int, steady: int, session: int) -> int:
    """Return the checksum of a sample's row: of its four numbers, 64 bits each, little-endian."""
    import struct  # noqa: PLC0415 - likewise
    import zlib  # noqa: PLC0415 - likewise

    return zlib.crc32(struct.pack("<4q", number, utc, steady, session))


def is_sample(number: object, utc: object, steady: object, session: object, expected: object) -> bool:
    """Return whether a sample's row is as it was written."""
    from struct import error  # noqa: PLC0415 - likewise

    try:
        return sample_crc(number, utc, steady, session) == expected  # type: ignore[arg-type]  # that is checked
    except error:
        return False


def sql_text(text: str) -> str:
    """Return a text that SQLite can hold: bytes that are no UTF-8 are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def event_row(event: Event) -> tuple[object, ...]:
    """Return the columns `EVENT_COLUMNS` of an event, and its checksum."""
    row = (
        event.what.value,
        event.begin,
        event.end,
        sql_text(event.thing),
        event.screen,
        sql_text(event.text),
    )
    return (*row, row_crc("event", *row))


def insert_events(connection: sqlite3.Connection, events: Sequence[Event]) -> int:
    """Write events; return the number of the last one."""
    last = 0
    for event in events:
        cursor = connection.execute(
            f"INSERT INTO event ({EVENT_COLUMNS}, crc) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our columns
            event_row(event),
        )
        last = cursor.lastrowid or 0
    add_rows(connection, "event", len(events))
    return last


ID_AT: Final = 68
"""Where a file of SQLite has its application id, four bytes, big-endian."""


def head_of(path: str, length: int) -> bytes:
    """Return the first bytes of a file; nothing of what is no file, such as a pipe, which is not waited for.

    Raises:
        OSError: it is not there or may not be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        return os.read(fd, length) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    finally:
        os.close(fd)


def is_recording(path: str) -> bool:
    """Tell from its first bytes whether a file is a recording of zmon, whatever its name is."""
    try:
        head = head_of(path, ID_AT + 4)
    except OSError:
        return False
    return head.startswith(SQLITE_HEAD) and head[ID_AT:] == MAGIC.to_bytes(4, "big")
