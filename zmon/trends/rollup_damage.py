"""Which minutes and quarters of a recording are damaged in its roll-ups, so that no figure rests on them.

A row whose checksum is wrong, or one that is not there though its minute counts it, makes the minute unknown.
Roll-ups have checksums since format 3; of older ones little can be said (`find_rollup_damage`).
"""

from __future__ import annotations

import sys
from itertools import product
from typing import TYPE_CHECKING, Final

from zmon.base.clock import SECOND
from zmon.store.file_format import RecordingError, crc_of
from zmon.trends.exception_rows import is_damaged
from zmon.trends.trend_tables import MINUTE, QUARTER, TREND_TABLES, column_names, find_wrong_views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.store.reader import Recording
    from zmon.trends.trend_tables import TrendTable

RIGHT: Final = f"crc IS {crc_of('thing', ('id', 'screen', 'name', 'label'))}"
"""Of rows of `thing` those that are as they were written."""
LENGTHS: Final = {"minute": MINUTE, "quarter": QUARTER}
"""The tables of times, and how long one is in seconds."""


def damaged_times(
    recording: Recording,
    table: TrendTable | None,
    time: str = "minute",
    between: tuple[int, int] = (0, sys.maxsize),
    thing: int | None = None,
) -> frozenset[int]:
    """Return the minutes, or quarters, of which a table has not what was written; the recording remembers it.

    Times are seconds since 1970, `between` inclusive.  Without a table only what all share is looked at; with
    a `thing` only the rows of it that are there: see `has_lost_rows`.  Before format 3 nothing is known.

    Raises:
        RecordingError: the recording cannot be read.
    """
    if not recording.covers:
        return frozenset()
    recording.miss_rows(time)
    with recording.asking() as connection:
        wrong = [f"m.crc IS NOT {crc_of(time, column_names(connection, time), 'm')}"]
        rows = ""
        if table is not None:
            name = table.of(time)
            columns = column_names(connection, name)
            if thing is not None:
                rows = f" LEFT JOIN {name} r ON r.thing = {thing:d} AND r.{time} = m.{time}"
                wrong.append(f"r.thing IS NOT NULL AND r.crc IS NOT {crc_of(name, columns, 'r')}")
            else:
                rows = (
                    f" LEFT JOIN (SELECT {time} AS at, count(*) AS many, total(crc IS NOT"  # noqa: S608 - ours
                    f" {crc_of(name, columns)}) AS bad FROM {name} WHERE {time} BETWEEN ?1 AND ?2"
                    f" GROUP BY {time}) r ON r.at = m.{time}"
                )
                wrong += [f"ifnull(r.many, 0) IS NOT m.{table.many}", "r.bad > 0"]
    question = (
        f"SELECT m.{time} FROM {time} m{rows} WHERE m.{time} BETWEEN ?1 AND ?2 AND ({' OR '.join(wrong)})"  # noqa: S608 - ours
    )
    times = frozenset(at for (at,) in recording.ask_once(question, *between) if isinstance(at, int))
    if times:
        what = "" if table is None else f" of {table.screen}"
        many = f"1 {time}" if len(times) == 1 else f"{len(times):,} {time}s"
        begin, end = min(times) * SECOND, (max(times) + LENGTHS[time]) * SECOND
        recording.note_hole(f"the roll-ups{what} of {many} are damaged", begin, end)
    return times


def has_lost_rows(recording: Recording, table: TrendTable, time: str, thing: int) -> bool:
    """Return whether a thing has fewer rows than were written; the recording remembers it.

    Then it is not known where it rested.

    Raises:
        RecordingError: the recording cannot be read.
    """
    if not recording.covers:
        return False
    name = table.of(time)
    rows = recording.ask(
        f"SELECT t.{time}s, t.crc IS {crc_of('thing_rows', ('thing', 'minutes', 'quarters'), 't')},"  # noqa: S608 - ours
        f" (SELECT count(*) FROM {time} m JOIN {name} r ON r.thing = t.thing AND r.{time} = m.{time})"
        " FROM thing_rows t WHERE t.thing = ?",
        thing,
    )
    is_whole = bool(rows) and bool(rows[0][1]) and rows[0][0] == rows[0][2]
    if not is_whole:
        recording.note_everywhere(_lost(table))
    return not is_whole


def _lost(table: TrendTable) -> str:
    return f"roll-ups of {table.screen} are lost"


def _lost_rows(recording: Recording, table: TrendTable, time: str) -> None:
    """Look whether any thing has not as many rows as it tells; the recording remembers it."""
    if recording.ask_once(
        f"SELECT 1 FROM (SELECT thing, count(*) AS many FROM {table.of(time)} GROUP BY thing) r"  # noqa: S608 - ours
        f" LEFT JOIN thing_rows t ON t.thing = r.thing WHERE t.{time}s IS NOT r.many"
        f" OR t.crc IS NOT {crc_of('thing_rows', ('thing', 'minutes', 'quarters'), 't')} LIMIT 1"
    ):
        recording.note_everywhere(_lost(table))


def number_of(recording: Recording, screen: str, name: str) -> int | None:
    """Return the number of a thing of a screen; None if it is not in the roll-ups.

    Raises:
        RecordingError: the recording cannot be read.
    """
    right = RIGHT if recording.covers else "1"
    rows = recording.ask(f"SELECT id, {right} FROM thing WHERE screen = ? AND name = ?", screen, name)  # noqa: S608 - ours
    if rows and rows[0][1] and isinstance(rows[0][0], int):
        return rows[0][0]
    return whole_things(recording, screen).get(name)  # it says so if a name is damaged


def whole_things(recording: Recording, screen: str) -> dict[str, int]:
    """Return the numbers of the things of a screen by their names, without those whose rows are damaged.

    Raises:
        RecordingError: the recording cannot be read.
    """
    right = RIGHT if recording.covers else "1"
    recording.miss_rows("thing")
    rows = recording.ask(f"SELECT id, name, screen, {right} FROM thing")  # noqa: S608 - ours
    if not all(is_right for *_row, is_right in rows):
        recording.note_everywhere("names of things in roll-ups are damaged")
    return {
        name: number
        for number, name, of, is_right in rows
        if of == screen and is_right and isinstance(name, str)
    }


def find_rollup_damage(recording: Recording) -> Iterator[str]:
    """Yield a sentence for each damage to roll-ups, their views, and stored exceptions.

    `find_damage` has the rest.

    Those before format 3 have no checksums: a mean must lie between the lowest and the highest value.
    """
    if not recording.has_rollups:
        return
    before = {hole.text for hole in recording.holes}
    try:
        whole_things(recording, "")
        is_damaged(recording)
        with recording.asking(sys.maxsize) as connection:
            views = [*find_wrong_views(connection)]
        yield from (f"{recording.path}: {wrong}" for wrong in views)
        for table, time in product(TREND_TABLES, LENGTHS):
            if recording.covers:
                damaged_times(recording, table, time)
                _lost_rows(recording, table, time)
            elif many := _impossible(recording, table, time):
                yield f"{recording.path}: {many:,} roll-ups of {table.screen} cannot be: a mean is no mean"
    except RecordingError as error:
        yield str(error)
    yield from (f"{recording.path}: {hole.text}" for hole in recording.holes if hole.text not in before)


def _impossible(recording: Recording, table: TrendTable, time: str) -> int:
    """Return how many rows have a mean that does not lie between their lowest and highest value."""
    name = table.of(time)
    with recording.asking(sys.maxsize) as connection:
        there = column_names(connection, name)
        tests = [
            f"({weight} > 0 AND {total} * 1000.0 / {weight} NOT BETWEEN {low} - 1 - 1000.0 / {weight}"
            f" AND {high} + 1 + 1000.0 / {weight})"
            for figure in table.figures
            for _count, weight, total, low, high in [figure.columns]
            if {weight, total, low, high} <= {*there}
        ]
        question = f"SELECT count(*) FROM {name} WHERE {' OR '.join(tests)}"  # noqa: S608 - ours
        return int(connection.execute(question).fetchone()[0]) if tests else 0
