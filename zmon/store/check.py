"""Finds what is damaged by reading all of a recording once."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from zmon.base.clock import SECOND
from zmon.store.changes import LabelChange
from zmon.store.dictionary import damaged_kinds
from zmon.store.file_format import EVENT_COLUMNS, Damaged, checked, crc_of, row_crc
from zmon.store.open import cut_off
from zmon.store.reader import is_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.sample import Instant
    from zmon.store.reader import Recording

YEAR: Final = 31_556_952 * SECOND
EARLIEST: Final = YEAR
LATEST: Final = 230 * YEAR
"""ns since 1970 between which samples are plausible."""

SET: Final = 10**9
"""ns by which a clock differs if it was set, and is not only drifting."""

CLOSE: Final = SET // 10

MAX_ROWS: Final = 1 << 31
"""More rows than any table has."""


def find_damage(recording: Recording) -> Iterator[str]:
    """Yield a sentence for each damage; the recording's `events` have the holes from then on.

    Damage is what SQLite itself reports (the first twenty messages), wrong checksums, samples of unknown
    time, and references to what is missing.
    """
    yield from (hole.text for hole in recording.holes)  # that its tables have other columns was found first
    yield from _tables(recording)
    if not recording.made():
        return  # its writer ended before it made the tables
    yield from _times(recording)
    yield from _rows(recording)
    yield from _segments(recording)
    for number, problem in recording.damaged_samples():
        recording.hole("", number, problem)
        yield str(problem)
    if lost := recording.lost_end():
        yield lost


def _tables(recording: Recording) -> Iterator[str]:
    try:
        with recording.asking(sys.maxsize) as connection:  # it takes as long as the file is large
            lines = connection.execute("PRAGMA integrity_check(20)").fetchall()
    except Damaged as error:
        yield str(error)
    else:
        yield from (str(line) for (line,) in lines if line != "ok")
    if cut := cut_off(recording.path):
        yield cut


def _times(recording: Recording) -> Iterator[str]:
    """Yield damage to the times of samples; in format 1, times that do not fit those beside them."""
    before: list[Instant] = []
    lost: list[int] = []
    number = -1
    while (number := number + 1) < len(recording):
        try:
            at = recording.sample(number, ()).at
        except Damaged as error:
            if is_unreadable(error):
                lost.append(number)
                continue
            last = max(number, recording.passed(number, 1))
            yield (
                str(error)
                if last == number
                else (f"{recording.path}: samples {number} to {last} are missing or damaged")
            )
            number = last
            continue
        if not recording.checks:
            yield from _implausible(recording.path, number, [*before, at])
        before = [*before[-1:], at]
    for first, last in _runs(lost):
        yield f"samples {first} to {last} cannot be read: {_between(recording, first - 1, last + 1)}"


def _runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and the last of each run of successive numbers, which are in their order."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs


def _between(recording: Recording, first: int, last: int) -> str:
    """Return the times of two samples, as far as they are known."""
    parts = []
    for word, number in (("from", max(0, first)), ("to", min(last, len(recording) - 1))):
        with suppress(Damaged, IndexError):
            seconds = recording.sample(number, ()).at.utc // SET
            parts.append(f"{word} {datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}")
    return f"{' '.join(parts)} UTC" if parts else "their times are unknown, too"


def _implausible(path: str, number: int, instants: Sequence[Instant]) -> Iterator[str]:
    """Yield what is implausible in the last of two or three samples, or in the one before it."""
    at, last = instants[-1], instants[-2:][0]
    if not EARLIEST <= at.utc <= LATEST:
        yield f"{path}: the time of sample {number} lies beyond the years 1971 to 2200"
    elif at.boot == last.boot and at.steady < last.steady:
        yield f"{path}: the steady clock goes back at sample {number}"
    elif len(instants) > 2 and _is_odd(*instants):
        yield f"{path}: the time of sample {number - 1} does not fit those beside it"


def _is_odd(instant: Instant, middle: Instant, other: Instant) -> bool:
    """Return whether a sample's clocks disagree with those of the samples beside it, which agree.

    A clock that is set stays so for more than one sample.
    """
    if not instant.boot == middle.boot == other.boot:
        return False
    offsets = [at.utc - at.steady for at in (instant, middle, other)]
    return abs(offsets[0] - offsets[2]) < CLOSE and abs(offsets[1] - offsets[0]) >= SET


def _rows(recording: Recording) -> Iterator[str]:
    """Yield damaged kinds, sessions and events; in format 1 these have no checksums."""
    if not recording.checks:
        return
    try:
        with recording.asking(sys.maxsize) as connection:
            kinds = damaged_kinds(connection, checks=True)
            sessions = connection.execute(
                "SELECT id, boot, source, nominal, simulated, begin, crc FROM session"
            ).fetchall()
            absent = connection.execute(
                "SELECT DISTINCT session FROM sample WHERE session NOT IN (SELECT id FROM session)"
            ).fetchall()
            events = connection.execute(f"SELECT {EVENT_COLUMNS}, crc FROM event").fetchall()  # noqa: S608 - ours
            wrong = f"SELECT count(*) FROM change WHERE crc IS NOT {crc_of('change', LabelChange._fields)}"  # noqa: S608 - ours
            changes = connection.execute(wrong).fetchone()[0] if recording.covers else 0
    except Damaged as error:
        yield str(error)
        return
    yield from kinds
    yield from (f"session {number} is missing" for (number,) in absent)
    for row in sessions:
        if row_crc("session", *row[:6]) != row[6]:
            yield f"session {row[0]} is damaged: its checksum is wrong"
    yield from (lost for table in ("event", "change") if (lost := recording.miss_rows(table)))
    if changes:
        yield f"{changes:,} changed labels are damaged: their checksums are wrong"
    many = sum(1 for row in events if row_crc("event", *row[:6]) != row[6])
    if many:
        yield f"{many:,} events are damaged: their checksums are wrong"


def _segments(recording: Recording) -> Iterator[str]:
    # segments before the baselines that they refer to: a recorder may add some of both meanwhile
    segments = list(
        recording.pieces("SELECT id, kind, first, ahead FROM segment WHERE id >= ? AND id < ?", 0, MAX_ROWS)
    )
    numbers = {number for number, *_ in segments}
    stills = set()
    for number, body, expected in recording.pieces(
        "SELECT id, body, crc FROM still WHERE id >= ? AND id < ?", 0, MAX_ROWS
    ):
        try:
            checked(body, expected, "still", number)
            stills.add(number)
        except Damaged as error:
            yield str(error)
    for number, kind, first, ahead in segments:
        try:
            segment = recording.segment(number)
            if segment is not None and not stills.issuperset(segment.stills):
                raise Damaged(f"segment {kind} {first} refers to columns that are missing")  # noqa: TRY301
            if ahead is not None and ahead not in numbers:
                raise Damaged(f"segment {ahead} is missing")  # noqa: TRY301
        except Damaged as error:
            if type(first) is int:
                recording.hole(str(kind), first, error)
            yield str(error)
    kinds = {str(kind) for _, kind, first, _ahead in segments if type(first) is int}
    for kind in sorted(kinds.union(recording.kinds)):  # also a kind all of whose segments are missing
        yield from _index(recording, kind)


def _index(recording: Recording, kind: str) -> Iterator[str]:
    """Yield damage to SQLite's index of a kind, and the times of what it cannot read."""
    lost: list[int] = []
    for text, samples in recording.index_damage(kind):
        yield text
        lost += samples
    for first, last in _runs(lost):
        yield f"{kind} cannot be read {_between(recording, first, last)}"
