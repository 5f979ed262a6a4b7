"""Reading the whole of a recording once, to find what is damaged."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from zmon.recording.dictionary import checked
from zmon.recording.error import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.recording.reader import Recording

MOST: Final = 1 << 31
"""More rows than any table has."""


def problems(recording: Recording) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong; the recording's `events` have the holes from then on.

    That is what SQLite itself finds wrong (the first twenty such things), checksums that are not right,
    samples whose time is not known, and what refers to something that is not there.
    """
    yield from _tables(recording)
    for number in range(len(recording)):
        try:
            recording.sample(number, ())
        except Damaged as error:
            yield str(error)
    if not recording.made():
        return  # its writer ended before it made the tables
    yield from _segments(recording)
    for number, problem in recording.broken():
        recording.hole("", number, problem)
        yield str(problem)


def _tables(recording: Recording) -> Iterator[str]:
    try:
        with recording.asking(sys.maxsize) as connection:  # it takes as long as the file is large
            found = connection.execute("PRAGMA integrity_check(20)").fetchall()
    except Damaged as error:
        yield str(error)
    else:
        yield from (str(words) for (words,) in found if words != "ok")


def _segments(recording: Recording) -> Iterator[str]:
    # segments before the columns that they refer to: whoever is recording may add some of both meanwhile
    segments = list(recording.pieces("SELECT id, kind, first FROM segment WHERE id >= ? AND id < ?", 0, MOST))
    stills = set()
    for number, body, crc in recording.pieces(
        "SELECT id, body, crc FROM still WHERE id >= ? AND id < ?", 0, MOST
    ):
        try:
            checked(body, crc, "still", number)
            stills.add(number)
        except Damaged as error:
            yield str(error)
    for number, kind, first in segments:
        try:
            segment = recording.segment(number)
            if segment is not None and not stills.issuperset(segment.stills):
                raise Damaged(f"segment {kind} {first} refers to columns that are missing")  # noqa: TRY301
        except Damaged as error:
            if type(first) is int:
                recording.hole(str(kind), first, error)
            yield str(error)
