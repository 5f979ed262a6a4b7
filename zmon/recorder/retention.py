"""Retention: whole day files are unlinked, the oldest first, by age and by the total size.

The file that is being written, and files that are no recordings, are never unlinked.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from zmon.base.clock import DAY
from zmon.store.day import BESIDE, days
from zmon.store.file_format import ID_AT, MAGIC, SQLITE_HEAD, head_of
from zmon.store.open import connect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.store.day import DayFile


class RetentionRule(NamedTuple):
    """The limits; 0: no limit."""

    keep: int = 0
    """ns that a day is kept after its end."""
    size: int = 0
    """Maximum bytes of all recordings of the directory."""


class RecordedFile(NamedTuple):
    """A day file and its bytes, with those of the files that SQLite keeps beside it."""

    file: DayFile
    size: int


class PruneResult(NamedTuple):
    """What was unlinked, and messages."""

    unlinked: list[RecordedFile]
    size: int
    """Bytes that are left."""
    troubles: list[str]


def is_own_recording(path: str) -> bool:
    """Return whether a file is a recording by its first bytes; links and unreadable files are not.

    **Not for a file that this process has open through SQLite:** closing it here releases SQLite's POSIX
    locks.
    """
    try:
        head = b"" if os.path.islink(path) else head_of(path, ID_AT + 4)
    except OSError:
        return False
    number = int.from_bytes(head[ID_AT:])
    return head.startswith(SQLITE_HEAD) and (number == MAGIC or (not number and _begun(path)))


def _begun(path: str) -> bool:
    """Ask SQLite about a file whose writer died in its first minute: everything is still in its `-wal`."""
    if not os.path.exists(path + "-wal"):
        return False
    try:
        with contextlib.closing(connect(path)) as connection:
            return bool(connection.execute("PRAGMA application_id").fetchone()[0] == MAGIC)
    except sqlite3.Error:
        return False


def size_of(path: str) -> int:
    """Return the bytes of a recording and of the files that SQLite keeps beside it."""
    total = 0
    for tail in ("", *BESIDE):
        with contextlib.suppress(OSError):
            total += os.lstat(path + tail).st_size
    return total


def recorded_files(directory: str, present: str) -> list[RecordedFile]:
    """Return the recordings of a directory in the order of time; `present` is being written.

    Raises:
        OSError: the directory cannot be listed.
    """
    files = days(directory).days
    return [
        RecordedFile(file, size_of(file.path))
        for file in files
        if file.path == present or is_own_recording(file.path)
    ]


def beyond_rule(
    files: Sequence[RecordedFile], present: str, now: int, rule: RetentionRule
) -> list[RecordedFile]:
    """Return the files beyond the rule, the oldest first; `files` are in the order of time."""
    beyond = []
    total = sum(file.size for file in files)
    for file in files:
        if file.file.path == present:
            continue
        old = rule.keep and file.file.end + rule.keep <= now
        if old or (rule.size and total > rule.size):
            beyond.append(file)
            total -= file.size
    return beyond


def prune(directory: str, present: str, now: int, rule: RetentionRule) -> PruneResult:
    """Unlink what is beyond the rule; `now` is UTC in ns.  Errors become messages: the recorder goes on."""
    try:
        files = recorded_files(directory, present)
    except OSError as error:
        return PruneResult([], 0, [f"{directory}: {error.strerror}: nothing old can be unlinked"])
    gone, troubles = [], []
    for file in beyond_rule(files, present, now, rule):
        try:
            _unlink(file.file.path)
        except OSError as error:
            troubles.append(f"{file.file.path} cannot be unlinked: {error.strerror}")
        else:
            gone.append(file)
    left = sum(file.size for file in files) - sum(file.size for file in gone)
    alone = next((file.size for file in files if file.file.path == present), 0)
    if rule.size and alone > rule.size:
        troubles.append(
            f"{present} alone is larger than the {rule.size:,} bytes that all may have; "
            "it is kept: take a longer interval, less of the kinds, or allow more"
        )
    return PruneResult(gone, left, troubles)


def days_within(rule: RetentionRule, day: float) -> float:
    """Return the number of days that are kept, at `day` bytes a day; infinite without limits."""
    by_age = rule.keep / DAY + 1 if rule.keep else float("inf")
    by_size = rule.size / day if rule.size and day else float("inf")
    return min(by_age, by_size)


def _unlink(path: str) -> None:
    # what belongs to it first: if this ends in between, the next time finds the rest by its name
    for tail in BESIDE:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + tail)
    os.unlink(path)
