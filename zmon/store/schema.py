"""The tables of a recording, and which format a file has.

A file of an older format is read for ever and never changed: what is recorded later goes to another file.

docs/recording-format.md explains the tables to people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.store.error import RecordingError

if TYPE_CHECKING:
    import sqlite3

    from sqlite_utils import Database

MAGIC: Final = 0x7A6D6F6E
"""SQLite's application id of a recording: `zmon`."""

PAGE: Final = 4096

TABLES: Final = frozenset(
    {"about", "session", "sample", "kind", "field", "layout", "still", "segment", "tail", "event", "change"}
)
"""The tables that a reader of format 1 needs; they must be tables, never views."""

SINCE: Final = frozenset({"latest"})
"""The tables that came with format 2."""


def make(db: Database) -> None:
    """Make the tables."""
    db.table("about").create({"name": str, "value": str}, pk="name", not_null={"value"})
    db.table("session").create(
        {"id": int, "boot": str, "source": str, "nominal": float, "simulated": int, "begin": int,
         "crc": int}, pk="id"
    )  # fmt: skip
    db.table("sample").create({"n": int, "utc": int, "steady": int, "session": int, "crc": int}, pk="n")
    db.table("sample").create_index(["utc"])
    db.table("kind").create({"id": int, "name": str, "key": str, "alone": int, "crc": int}, pk="id")
    db.table("field").create(
        {
            "kind": int, "place": int, "name": str, "meaning": str, "unit": str, "source": str,
            "modulus": str, "wraps_after": float,
        },
        pk=("kind", "place"),
    )  # fmt: skip
    db.table("layout").create({"id": int, "kind": int, "digest": int, "body": bytes, "crc": int}, pk="id")
    db.table("layout").create_index(["digest"])
    db.table("still").create({"id": int, "digest": int, "body": bytes, "crc": int}, pk="id")
    db.table("still").create_index(["digest"])
    db.table("segment").create(
        {"id": int, "kind": str, "first": int, "layout": int, "ahead": int, "before": int, "body": bytes,
         "crc": int}, pk="id",
    )  # fmt: skip
    db.table("segment").create_index(["kind", "first"])
    db.table("latest").create({"kind": str, "segment": int, "crc": int}, pk="kind")
    db.table("tail").create({"n": int, "body": bytes, "crc": int}, pk="n")
    db.table("event").create(
        {"id": int, "what": str, "begin": int, "end": int, "thing": str, "screen": str, "text": str,
         "crc": int}, pk="id"
    )  # fmt: skip
    db.table("event").create_index(["begin"])
    db.table("change").create(
        {"id": int, "utc": int, "kind": str, "thing": str, "field": str, "was": str, "now": str}, pk="id"
    )
    db.table("change").create_index(["utc"])


VERSION: Final = 2
"""The format that is written."""


def version(connection: sqlite3.Connection, path: str) -> int:
    """Return the version of a recording; 0 for an empty file.

    Raises:
        RecordingError: it is none, or of a newer zmon.
    """
    magic = int(connection.execute("PRAGMA application_id").fetchone()[0])
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if empty and magic in {0, MAGIC}:
        return 0
    if magic != MAGIC:
        raise RecordingError(f"{path}: a database, but no recording of zmon")
    if found < 1:
        raise RecordingError(f"{path}: no whole recording of zmon: its version is {found}")
    if found > VERSION:
        raise RecordingError(
            f"{path}: written by a newer zmon (format {found});"
            f" this one knows formats up to {VERSION}: update zmon"
        )
    return found


def prepare(connection: sqlite3.Connection, path: str) -> bool:
    """Make the tables in an empty file; tell whether it was one.

    Raises:
        RecordingError: it is no recording, or of another format.
        sqlite3.Error: it cannot be written.
    """
    found = version(connection, path)
    if found == VERSION:
        return False
    if found:
        raise RecordingError(
            f"{path}: written by an older zmon (format {found}); it is read, but not continued: record to"
            " another file"
        )
    from sqlite_utils import Database  # noqa: PLC0415 - a recording that has its tables needs none of it

    connection.execute("BEGIN IMMEDIATE")
    try:
        if not version(connection, path):  # another process may have been here meanwhile
            make(Database(connection, execute_plugins=False))
            connection.execute(f"PRAGMA application_id = {MAGIC}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return True
