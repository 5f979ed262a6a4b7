"""The tables of a recording, and how those of older versions become those of today.

Each migration is one transaction that also raises `user_version`, so that one that was interrupted starts
again from where it began.  They are never changed once released; a new one is appended.

docs/recording-format.md explains the tables to people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.recording.error import RecordingError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from sqlite_utils import Database

MAGIC: Final = 0x7A6D6F6E
"""SQLite's application id of a recording: `zmon`."""

PAGE: Final = 4096

TABLES: Final = frozenset(
    {"about", "session", "sample", "kind", "field", "layout", "still", "segment", "tail", "event", "change"}
)
"""The tables that a reader needs; they must be tables, never views."""


def _first(db: Database) -> None:
    """Make the tables of the first version."""
    db.table("about").create({"name": str, "value": str}, pk="name", not_null={"value"})
    db.table("session").create(
        {"id": int, "boot": str, "source": str, "nominal": float, "simulated": int, "begin": int}, pk="id"
    )
    db.table("sample").create({"n": int, "utc": int, "steady": int, "session": int}, pk="n")
    db.table("sample").create_index(["utc"])
    db.table("kind").create({"id": int, "name": str, "key": str, "alone": int}, pk="id")
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
        {"id": int, "kind": str, "first": int, "layout": int, "ahead": int, "body": bytes, "crc": int},
        pk="id",
    )
    db.table("segment").create_index(["kind", "first"])
    db.table("tail").create({"n": int, "body": bytes, "crc": int}, pk="n")
    db.table("event").create(
        {"id": int, "what": str, "begin": int, "end": int, "thing": str, "screen": str, "text": str}, pk="id"
    )
    db.table("event").create_index(["begin"])
    db.table("change").create(
        {"id": int, "utc": int, "kind": str, "thing": str, "field": str, "was": str, "now": str}, pk="id"
    )
    db.table("change").create_index(["utc"])


MIGRATIONS: Final[tuple[Callable[[Database], None], ...]] = (_first,)
"""In order; a recording of version n has seen the first n."""

VERSION: Final = len(MIGRATIONS)


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


def migrate(connection: sqlite3.Connection, path: str) -> bool:
    """Bring a recording to the version of today, if it is not; an empty file becomes an empty recording.

    Raises:
        RecordingError: it is no recording, or of a newer zmon.
        sqlite3.Error: it cannot be written.
    """
    found = version(connection, path)
    if found == VERSION:
        return False
    from sqlite_utils import Database  # noqa: PLC0415 - a recording of today needs none of it

    for number, migration in enumerate(MIGRATIONS[found:], found + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            if version(connection, path) < number:  # another process may have been here meanwhile
                migration(Database(connection, execute_plugins=False))
                connection.execute(f"PRAGMA application_id = {MAGIC}")
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return True
