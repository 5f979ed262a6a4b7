"""Which minutes and quarters of a recording are damaged in its roll-ups, so that no figure rests on them.

A row whose checksum is wrong, or one that is not there though its minute counts it, makes the minute unknown.
Roll-ups have checksums since format 3; what can be said of older ones is in `zmon.store.check`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from zmon.base.clock import SECOND
from zmon.trends.trend_tables import MINUTE, QUARTER, column_names, crc_of

if TYPE_CHECKING:
    from zmon.store.reader import Recording
    from zmon.trends.trend_tables import TrendTable

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
    a `thing` only its rows, and how many rows there are.  Before format 3 nothing is known.

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
            name = table.minutes if time == "minute" else table.quarters
            check = f"crc IS NOT {crc_of(name, column_names(connection, name))}"
            if thing is not None:
                check = f"CASE WHEN thing = {thing:d} THEN {check} ELSE 0 END"
            rows = (
                f" LEFT JOIN (SELECT {time} AS at, count(*) AS many, total({check}) AS bad FROM {name}"  # noqa: S608 - ours
                f" WHERE {time} BETWEEN ? AND ? GROUP BY {time}) r ON r.at = m.{time}"
            )
            wrong += [f"ifnull(r.many, 0) IS NOT m.{table.many}", "r.bad > 0"]
    question = (
        f"SELECT m.{time} FROM {time} m{rows} WHERE m.{time} BETWEEN ? AND ? AND ({' OR '.join(wrong)})"  # noqa: S608 - ours
    )
    with recording.asking(sys.maxsize) as connection:  # as long as there are rows
        answer = connection.execute(question, (*between, *(between if rows else ()))).fetchall()
    times = frozenset(at for (at,) in answer if isinstance(at, int))
    if times:
        what = "" if table is None else f" of {table.screen}"
        many = f"1 {time}" if len(times) == 1 else f"{len(times):,} {time}s"
        begin, end = min(times) * SECOND, (max(times) + LENGTHS[time]) * SECOND
        recording.note_hole(f"the roll-ups{what} of {many} are damaged", begin, end)
    return times


def whole_things(recording: Recording, screen: str) -> dict[str, int]:
    """Return the numbers of the things of a screen by their names, without those whose rows are damaged.

    Raises:
        RecordingError: the recording cannot be read.
    """
    crc = crc_of("thing", ("id", "screen", "name", "label"))
    right = f"crc IS {crc}" if recording.covers else "1"
    recording.miss_rows("thing")
    rows = recording.ask(f"SELECT id, name, {right} FROM thing WHERE screen = ?", screen)  # noqa: S608 - ours
    if not all(is_right for *_row, is_right in rows):
        recording.note_hole(f"names of {screen} in roll-ups are damaged", *(recording.span() or (0, 0)))
    return {name: number for number, name, is_right in rows if is_right and isinstance(name, str)}
