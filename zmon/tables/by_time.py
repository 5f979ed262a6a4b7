"""By-time screens: one row per interval, the oldest first, and above them their mean.

A screen of this kind is one function, from an interval to the cells of its row.  Its mean weighs each row
with the length of its interval; a figure that is an average itself, such as a response time, weighs with
what it is an average of besides, such as the I/O per second.  A gap stays a line of its own that says
since when samples are missing: it is no zero, and no row reaches across it.
"""

from __future__ import annotations

import time
from itertools import pairwise
from operator import mul
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.clock import MILLISECOND, SECOND, clock, offset
from zmon.interval import FIRST
from zmon.machine.join import mean
from zmon.machine.view import NOT_KNOWN, Row
from zmon.tables.table import SUMMARY, Summary, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.machine.figure import Needs
    from zmon.machine.view import View
    from zmon.sample import Instant

    Cells = Mapping[str, Value]

MAX_ROWS: Final = 120
"""Rows at the most: the last two hours of minutes."""

ESTIMATED: Final = "~"
"""The cell of a row that names those of its cells which are estimates, with blanks between."""

TITLE: Final = ">>Mean>>"


class Log(NamedTuple):
    """A by-time screen: what it shows of each interval."""

    name: str
    screen: str
    """Its command."""
    needs: Needs
    figures: Callable[[View, str], Cells]
    """Returns the cells of an interval, of the thing with a key or, without one, of all or of the busiest."""
    weights: Mapping[str, str] = MappingProxyType({})
    """Which figure is an average over which other one, that is a rate; all others are averages over time."""
    find: Callable[[View], str] | None = None
    """Returns the key of the thing that the operand names; raises NoSuchThing."""
    finish: Callable[[Table, View], Table] = lambda table, _view: table
    """Adds what a reader must know."""


def log_table(log: Log, view: View, key: str = "") -> Table:
    """Fill a by-time screen, of the thing with this key or of the one that the operand names.

    Raises:
        NoSuchThing: the operand names none.
    """
    if view.argument and log.find is not None:
        key = log.find(view)
    return log.finish(by_time(view, log, key), view)


def by_time(view: View, log: Log, key: str = "") -> Table:
    """Fill a table with the last intervals up to the present one, of a window those that lie in it."""
    # the first sample gives no row
    name = (log.name, key, view.user_inputs)
    present = view.interval
    first = present.before if present.skipped else None
    window = (0, None) if first is None else (first.at.utc, present.after.at.utc)
    kept = view.history.rows(
        name, lambda interval: log.figures(view.at(interval), key), MAX_ROWS + 1, present, window
    )
    rows = _with_holes([row for row in kept if row.begin is not None])[-MAX_ROWS:]
    names = list(dict.fromkeys(name for row in rows for name in row.cells if name != ESTIMATED))
    gaps = {
        place: missing(row.begin, row.end) if row.cells else hole(row.begin)
        for place, row in enumerate(rows)
        if row.begin and row.gap
    }
    seconds: list[Number] = [
        absent(gaps[place]) if place in gaps else (row.end.steady - row.begin.steady) / 1e9
        for place, row in enumerate(rows)
        if row.begin
    ]
    columns: dict[str, list[Value]] = {
        "time": [row.end.utc for row in rows],
        **{name: _column(rows, name, gaps) for name in names},
        "seconds": list(seconds),
    }
    nothing = _nothing(columns, names, gaps)
    if nothing is not None:
        return Table([], {name: [] for name in columns}, missing=nothing)
    means: dict[str, Value] = {
        name: _mean(columns, name, log.weights.get(name, ""), seconds) for name in names
    }
    return Table(
        [_key(row.end) for row in rows],
        columns,
        Summary(TITLE, means),
        estimated=_estimated(rows, gaps),
        notes=_shown_twice(rows),
        gaps=gaps,
        span=(next((row.begin.utc for row in rows if row.begin), rows[0].end.utc), rows[-1].end.utc),
    )


def _shown_twice(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return a note on the rows of an hour that the clock on the wall shows twice, where it is set back."""
    runs: dict[str, list[str]] = {}
    for row in rows:
        if zone := offset(row.end.utc):
            runs.setdefault(zone, []).append(clock(row.end.utc))
    said = [f"{times[0]} to {times[-1]} {zone}" for zone, times in runs.items()]
    return (f"The clock was set back, and shows these times twice: {', then '.join(said)}",) if said else ()


def _with_holes(rows: Sequence[Row]) -> list[Row]:
    """Put a gap without figures between rows of which the later does not begin where the earlier ends."""
    whole = list(rows[:1])
    for before, after in pairwise(rows):
        if after.begin is not None and after.begin != before.end:
            whole.append(Row(before.end, after.begin, {}, gap=True))
        whole.append(after)
    return whole


NO_SAMPLES: Final = "no samples since {}"
RESTARTED: Final = f"the machine was restarted; {NO_SAMPLES}"
SET_BACK: Final = "the clock was set back; the sample before was taken at {}"
NOTHING_KEPT: Final = "nothing kept since {}"


def missing(begin: Instant, end: Instant) -> str:
    """Say what a gap is."""
    if begin.boot != end.boot:
        return RESTARTED.format(clock(begin.utc))
    if end.steady < begin.steady:
        return SET_BACK.format(clock(begin.utc))
    return NO_SAMPLES.format(clock(begin.utc))


def hole(begin: Instant) -> str:
    """Return the note that live samples before the screen was opened were not kept."""
    return NOTHING_KEPT.format(clock(begin.utc))


def _column(rows: Sequence[Row], name: str, gaps: Mapping[int, str]) -> list[Value]:
    return [
        absent(gaps[place]) if place in gaps else row.cells.get(name, NOT_KNOWN)
        for place, row in enumerate(rows)
    ]


def _nothing(
    columns: Mapping[str, list[Value]], names: Sequence[str], gaps: Mapping[int, str]
) -> Absent | None:
    """Return the first reason when no row has any value, so that a sentence replaces a page of dots."""
    cells = [value for name in names for place, value in enumerate(columns[name]) if place not in gaps]
    if any(not isinstance(value, Absent) for value in cells) or (gaps and not cells):
        return None
    return next((value for value in cells if isinstance(value, Absent)), FIRST)


def _mean(columns: Mapping[str, list[Value]], name: str, weight: str, seconds: Sequence[Number]) -> Value:
    """Average a column, each row with its weight; a column of texts has none."""
    values = columns[name]
    if any(isinstance(value, str) for value in values):
        return ""
    weights = list(map(mul, columns[weight], seconds)) if weight in columns else seconds
    numbers: list[Number] = values  # type: ignore[assignment]  # no text is among them
    return mean(numbers, weights, "nothing happened in the intervals")


def _estimated(rows: Sequence[Row], gaps: Mapping[int, str]) -> dict[str, frozenset[int]]:
    """Return for each column the rows that hold an estimate; its mean is one then, too."""
    rows_of: dict[str, frozenset[int]] = {}
    for place, row in enumerate(rows):
        for name in str(row.cells.get(ESTIMATED, "")).split() if place not in gaps else ():
            rows_of[name] = rows_of.get(name, frozenset({SUMMARY})) | {place}
    return rows_of


def _key(end: Instant) -> str:
    """Name a row after the end of its interval: UTC, as ISO 8601 writes it, to the millisecond."""
    seconds, part = divmod(end.utc, SECOND)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{part // MILLISECOND:03d}Z"
