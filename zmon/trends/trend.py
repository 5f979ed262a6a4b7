"""Trends: what recordings keep of minutes and quarters of an hour, to be drawn and compared.

They end with the last minute that is sealed, which is up to two minutes ago while a recorder runs; a screen
that shows the present takes that from the samples.  What is older than trends, or was recorded without them,
gives nothing.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.absent import absent
from zmon.base.clock import SECOND
from zmon.screen.chart.points import Point, buckets
from zmon.store.sample_times import sql_integer
from zmon.trends.rollup_damage import damaged_times, has_lost_rows, number_of, whole_things
from zmon.trends.trend_tables import QUARTER, SECONDS, THOUSAND, TREND_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.base.absent import Number
    from zmon.store.reader import Recording
    from zmon.trends.trend_tables import TrendFigure, TrendTable

Cell = int | float | str | None

TIMES: Final = {"minutes": "minute", "quarters": "quarter"}
"""How long roll-ups are, and the column that says when one begins."""

LONG: Final = 26 * 3600 * SECOND
"""The length in ns from which quarters of an hour are read; a day and a bit is still read by minutes."""

DAY: Final = 86_400
"""Seconds of the longest interval whose minute may begin before the time that is asked for."""

CPUS: Final = next(table for table in TREND_TABLES if table.screen == "CPU")

NO_SAMPLES: Final = absent("no samples lie there")


class NoTrendError(LookupError):
    """Recordings keep no trend of this; says of what they do."""


def find(screen: str, column: str) -> tuple[TrendTable, TrendFigure]:
    """Return what is kept of a column of a screen.

    Raises:
        NoTrendError: nothing is.
    """
    for table in TREND_TABLES:
        figure = table.figure(column)
        if table.screen == screen.upper() and figure is not None:
            return table, figure
    figures = "; ".join(f"{t.screen} {' '.join(f.name for f in t.figures)}" for t in TREND_TABLES)
    raise NoTrendError(f"recordings keep no trend of {screen} {column}; they do of {figures}")


def _has_trend(recording: Recording, figure: TrendFigure | None, *tables: str) -> bool:
    """Tell whether a recording has these tables, and the figure in the first; views are believed nothing."""
    for at, table in enumerate(tables):
        made = recording.ask("SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", table)
        if not made or not isinstance(made[0][0], str):
            return False
        if at == 0 and figure is not None and not re.search(rf"\b{figure.name}_sum\b", made[0][0]):
            return False
    return True


# one thing


def trend(  # noqa: PLR0913, PLR0917 - what, of what, from what, and when
    recordings: Iterable[Recording], screen: str, column: str, thing: str, begin: int, end: int
) -> list[Point]:
    """Return the lowest, mean and highest value of a column of one thing, by minute or quarter of an hour.

    Where nothing was recorded there is no point; where the value was not known, or is damaged, its point is a
    gap.  Of a recording in which the thing never did anything there are no points, either.

    Raises:
        NoTrendError: no trend is kept of the column.
        RecordingError: a recording cannot be read.
    """
    table, figure = find(screen, column)
    points: list[Point] = []
    for recording in recordings:
        if not _has_trend(recording, figure, table.minutes, table.quarters, "minute", "quarter", "thing"):
            continue
        number = number_of(recording, table.screen, thing)
        if number is None:
            continue
        since = begin
        if end - begin > LONG:
            points += _points(recording, table, figure, number, "quarter", begin, end)
            rows = recording.ask("SELECT max(quarter) FROM quarter WHERE begin < ?", sql_integer(end))
            since = begin if rows[0][0] is None else max(begin, (rows[0][0] + QUARTER) * SECOND)
        points += _points(recording, table, figure, number, "minute", since, end)
    return sorted(points, key=lambda point: point.begin)


def _points(  # noqa: PLR0913, PLR0917 - likewise
    recording: Recording, table: TrendTable, figure: TrendFigure, number: int, time: str, begin: int, end: int
) -> list[Point]:
    _count, weight, total, low, high = figure.columns
    name = table.minutes if time == "minute" else table.quarters
    damaged = damaged_times(recording, table, time, (begin // SECOND - DAY, end // SECOND), number)
    rows = recording.ask(
        f"SELECT m.begin, m.end, m.{time}, r.thing, r.{total}, r.{weight}, r.{low}, r.{high}"  # noqa: S608 - names of screens
        f" FROM {time} m LEFT JOIN {name} r ON r.thing = ? AND r.{time} = m.{time}"
        f" WHERE m.end > ? AND m.begin < ? AND m.{time} >= ? ORDER BY m.{time}",
        number,
        sql_integer(begin),
        sql_integer(end),
        # the row of a long interval may begin long before, but not the one that follows a quarter
        begin // SECOND if time == "minute" and begin % (QUARTER * SECOND) == 0 else -(1 << 62),
    )
    there = [row for row in rows if row[3] is not None]
    rests = table.sparse and figure.weight == SECONDS and not has_lost_rows(recording, table, time, number)
    rests = rests and (not there or any(row[5] is not None for row in there))
    return [
        Point(row[0], row[1], None, None, None)
        if row[2] in damaged
        else _point((row[0], row[1]), row[3:], rests=rests)
        for row in rows
    ]


def _point(ends: tuple[int, int], row: tuple[Any, ...], *, rests: bool) -> Point:
    there, total, weight, low, high = row
    if there is None and rests:
        return Point(*ends, 0.0, 0.0, 0.0)
    numbers = (total, weight, low, high)
    if there is None or not all(isinstance(number, int) for number in numbers) or weight <= 0:
        return Point(*ends, None, None, None)
    return Point(*ends, low / THOUSAND, total / weight, high / THOUSAND)


# all together


def load(recordings: Iterable[Recording], begin: int, end: int, width: int) -> Sequence[Number]:
    """Return how busy the machine was in each of `width` equal parts of a time; empty if nothing is known.

    That is the I/O per second of all devices, or where that is not known the mean of the CPUs in percent.

    Raises:
        RecordingError: a recording cannot be read.
    """
    points: list[Point] = []
    busy: list[Point] = []
    for recording in recordings:
        if not _has_trend(recording, None, "minute"):
            continue
        between = sql_integer(begin), sql_integer(end)
        damaged = damaged_times(recording, None)
        rows = recording.ask(
            "SELECT minute, begin, end, io, seconds FROM minute WHERE end > ? AND begin < ? ORDER BY minute",
            *between,
        )
        points += [_mean(*row) for minute, *row in rows if minute not in damaged]
        if all(row[3] is None for row in rows) and _has_trend(recording, None, "cpu_minutes"):
            damaged = damaged_times(recording, CPUS)
            rows = recording.ask(
                "SELECT m.minute, begin, end, sum(busy_sum), sum(busy_weight) FROM minute m"
                " CROSS JOIN cpu_minutes r ON r.minute = m.minute"
                " WHERE end > ? AND begin < ? GROUP BY m.minute",
                *between,
            )
            busy += [_mean(*row) for minute, *row in rows if minute not in damaged]
    loads = points if any(point.mean is not None for point in points) else busy
    if not loads:
        return ()
    return [
        NO_SAMPLES if point.mean is None else float(point.mean)  # type: ignore[arg-type]  # means are numbers
        for point in buckets(loads, width, begin, end)
    ]


def _mean(begin: int, end: int, total: object, weight: object) -> Point:
    mean = total / weight if isinstance(total, int) and isinstance(weight, int) and weight > 0 else None
    return Point(begin, end, mean, mean, mean)


# rows for export


class RollupRow(NamedTuple):
    """One thing in one minute or quarter of an hour."""

    begin: int
    """UTC in ns."""
    thing: str
    label: str
    figures: tuple[Cell, ...]
    """In the order of `headings`."""


class Rollups:
    """The roll-ups of one length in one recording, to be written elsewhere; without those that are damaged.

    Only tables are read, with questions that are made here: what a view in a foreign file does is unknown.
    """

    def __init__(self, recording: Recording, length: str) -> None:
        """Read nothing yet; `length` is one of `TIMES`."""
        self._recording, self._length = recording, length

    def _ask(self, question: str, *values: object) -> Iterator[tuple[Cell, ...]]:
        """Yield the rows of an answer.

        Raises:
            Damaged: the file is damaged there.
        """
        with self._recording.asking(sys.maxsize) as connection:  # a day of thousands of devices is long
            # a cursor of its own would be closed by whoever stops early
            yield from map(tuple, connection.execute(question, values))

    def screens(self) -> list[str]:
        """Return the names of what was rolled up: `device`, `lpar`."""
        form = re.compile(rf"([a-z][a-z0-9_]*)_{self._length}", re.ASCII)
        names = self._ask(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' ORDER BY name"
        )
        return [match[1] for (name,) in names if (match := form.fullmatch(str(name)))]

    def figures(self, screen: str) -> list[str]:
        """Return the names of the figures that were rolled up of a screen."""
        columns = self._ask("SELECT name FROM pragma_table_info(?)", f"{screen}_{self._length}")
        names = {str(name) for (name,) in columns}
        figures_stored = [name.removesuffix("_sum") for name in names if name.endswith("_sum")]
        return sorted(
            name
            for name in figures_stored
            if re.fullmatch(r"[a-z][a-z0-9_]*", name, re.ASCII)
            and names.issuperset(f"{name}_{part}" for part in ("count", "weight", "min", "max"))
        )

    def rows(self, screen: str, figures: list[str], begin: int, end: int) -> Iterator[RollupRow]:
        """Yield rows in the order of time: of each figure the mean, the lowest, the highest, and how many."""
        time, table = TIMES[self._length], f"{screen}_{self._length}"
        first, last = begin // SECOND, end // SECOND
        trends = next((trends for trends in TREND_TABLES if trends.screen == screen.upper()), None)
        damaged = damaged_times(self._recording, trends, time, (first, last))
        things = {*whole_things(self._recording, screen.upper()).values()}
        columns = [
            f"{figure}_{part}" for figure in figures for part in ("weight", "sum", "min", "max", "count")
        ]
        # names are checked above; a row begins with its time, the thing's name and label
        question = (
            f"SELECT t.{time}, t.thing, thing.name, thing.label, {', '.join(columns)} FROM {table} t"  # noqa: S608
            f" JOIN thing ON thing.id = t.thing WHERE t.{time} BETWEEN ? AND ? ORDER BY t.{time}, thing.name"
        )
        for when, number, thing, label, *cells in self._ask(question, first, last):
            if isinstance(when, int) and when not in damaged and number in things:
                parts = zip(*[iter(cells)] * 5, strict=True)
                yield RollupRow(
                    when * SECOND,
                    str(thing),
                    str(label or ""),
                    tuple(cell for part in parts for cell in _figures(*part)),
                )


def headings(figures: list[str]) -> list[str]:
    """Return the names of a row's figures."""
    return [
        name for figure in figures for name in (figure, f"{figure}_min", f"{figure}_max", f"{figure}_count")
    ]


def _figures(weight: Cell, total: Cell, low: Cell, high: Cell, count: Cell) -> tuple[Cell, ...]:
    """Return mean, lowest, highest and count; what is stored is thousandths."""
    mean = None
    if isinstance(weight, int | float) and isinstance(total, int | float) and weight:
        mean = round(total / weight, 3)
    return mean, *(cell / 1000 if isinstance(cell, int | float) else None for cell in (low, high)), count
