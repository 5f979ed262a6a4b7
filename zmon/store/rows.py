"""Rows that have a checksum of their own, as those of samples, sessions, events and kinds do since format 2.

A checksum is CRC-32, as in zlib, of all values of the row, so that what stands in another row than it was
written to is found, too.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from zmon.store.error import Damaged

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from zmon.event import Event

EVENT: Final = "what, begin, end, thing, screen, text"
"""The columns of an event, in the order of its checksum."""


def crc(body: bytes, *of: object) -> int:
    """Return the checksum that stands beside a body: CRC-32 of what it belongs `of`, in words, and the body.

    So what stands in another row than it was written to is found, too.
    """
    return zlib.crc32(body, zlib.crc32("".join(f"{word} " for word in of).encode()))


def checked(body: object, expected: object, *of: object) -> bytes:
    """Return a body whose checksum is right.

    Raises:
        Damaged: it is not, or there are no bytes at all.
    """
    if not isinstance(body, bytes) or crc(body, *of) != expected:
        raise Damaged(f"{' '.join(map(str, of[:3]))} is damaged: its checksum is wrong")
    return body


def sample_crc(number: int, utc: int, steady: int, session: int) -> int:
    """Return the checksum of a sample's row: of its four numbers, 64 bits each, little-endian.

    Raises:
        struct.error: they are no such numbers.
    """
    return zlib.crc32(struct.pack("<4q", number, utc, steady, session))


def is_sample(number: object, utc: object, steady: object, session: object, expected: object) -> bool:
    """Tell whether a sample's row is as it was written."""
    try:
        return sample_crc(number, utc, steady, session) == expected  # type: ignore[arg-type]  # that is seen
    except struct.error:
        return False


def words(text: str) -> str:
    """Return a text that SQLite can hold: bytes that are no UTF-8 are spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def event_row(event: Event) -> tuple[object, ...]:
    """Return the columns `EVENT` of an event, and its checksum."""
    row = (event.what.value, event.begin, event.end, words(event.thing), event.screen, words(event.text))
    return (*row, crc(b"", "event", *row))


def insert_events(connection: sqlite3.Connection, events: Sequence[Event]) -> int:
    """Write events; return the number of the last one."""
    last = 0
    for event in events:
        cursor = connection.execute(
            f"INSERT INTO event ({EVENT}, crc) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our columns
            event_row(event),
        )
        last = cursor.lastrowid or 0
    return last
