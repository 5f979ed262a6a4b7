"""Trends: what recordings keep of minutes and quarters of an hour, to be drawn and compared.

They end with the last minute that is sealed, which is up to two minutes ago while a recorder runs; a screen
that shows the present takes that from the samples.  What is older than trends, or was recorded without them,
gives nothing.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import contextmanager
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.absent import absent
from zmon.screen.chart.points import Point, buckets
from zmon.store.error import Damaged
from zmon.store.opening import open_reading
from zmon.trends.kept import SECONDS, all_kept
from zmon.trends.rollup import NS, QUARTER, THOUSAND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.absent import Number
    from zmon.store.reader import Recording
    from zmon.trends.kept import Figure, Kept

    Ask = Callable[..., list[tuple[Any, ...]]]
    """Asks one recording."""

    Source = Recording | str
    """A recording, or the path of one."""

LONG: Final = 26 * 3600 * NS
"""From so many ns on quarters of an hour are what is looked at: a day and a bit are still told by minutes."""

NO_SAMPLES: Final = absent("no samples lie there")


class NotKept(LookupError):  # noqa: N818 - it says what it is
    """Recordings keep no trend of this; says of what they do."""


class Top(NamedTuple):
    """One of the things that had most of something."""

    thing: str
    mean: float
    high: float


def find(screen: str, column: str) -> tuple[Kept, Figure]:
    """Return what is kept of a column of a screen.

    Raises:
        NotKept: nothing is.
    """
    for kept in all_kept():
        figure = kept.figure(column)
        if kept.screen == screen.upper() and figure is not None:
            return kept, figure
    known = "; ".join(f"{kept.screen} {' '.join(f.name for f in kept.figures)}" for kept in all_kept())
    raise NotKept(f"recordings keep no trend of {screen} {column}; they do of {known}")


@contextmanager
def _asking(source: Source) -> Iterator[Ask]:
    """Yield how to ask a recording.

    Raises:
        RecordingError: it cannot be read, or is damaged there.
    """
    if not isinstance(source, str):
        yield source.ask
        return
    opened = open_reading(source)

    def ask(question: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return opened.connection.execute(question, values).fetchall()
        except (sqlite3.DatabaseError, OverflowError) as error:
            raise Damaged(f"{source}: {error}") from error

    try:
        yield ask
    finally:
        opened.connection.close()
        opened.done()


def _keeps(ask: Ask, figure: Figure | None, *tables: str) -> bool:
    """Tell whether a recording has these tables, and the figure in the first; views are believed nothing."""
    for at, table in enumerate(tables):
        made = ask("SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", table)
        if not made or not isinstance(made[0][0], str):
            return False
        if at == 0 and figure is not None and not re.search(rf"\b{figure.name}_sum\b", made[0][0]):
            return False
    return True


def _thing(ask: Ask, kept: Kept, name: str) -> int | None:
    rows = ask("SELECT id FROM thing WHERE screen = ? AND name = ?", kept.screen, name)
    return rows[0][0] if rows else None


# one thing


def trend(  # noqa: PLR0913, PLR0917 - what, of what, from what, and when
    sources: Iterable[Source], screen: str, column: str, thing: str, begin: int, end: int
) -> list[Point]:
    """Return the lowest, mean and highest value of a column of one thing, by minute or quarter of an hour.

    Where nothing was recorded there is no point; where the value was not known its point is a gap.  Of a
    recording in which the thing never did anything there are no points, either.

    Raises:
        NotKept: no trend is kept of the column.
        RecordingError: a recording cannot be read.
    """
    kept, figure = find(screen, column)
    found: list[Point] = []
    for source in sources:
        with _asking(source) as ask:
            number = None
            if _keeps(ask, figure, kept.minutes, kept.quarters, "minute", "quarter", "thing"):
                number = _thing(ask, kept, thing)
            if number is None:
                continue
            since = begin
            if end - begin > LONG:
                quarters = _points(ask, kept, figure, number, "quarter", begin, end)
                found += quarters
                rows = ask("SELECT max(quarter) FROM quarter WHERE begin < ?", _64(end))
                since = begin if rows[0][0] is None else max(begin, (rows[0][0] + QUARTER) * NS)
            found += _points(ask, kept, figure, number, "minute", since, end)
    return sorted(found, key=lambda point: point.begin)


def _points(  # noqa: PLR0913, PLR0917 - likewise
    ask: Ask, kept: Kept, figure: Figure, number: int, time: str, begin: int, end: int
) -> list[Point]:
    _count, weight, total, low, high = figure.columns
    table = kept.minutes if time == "minute" else kept.quarters
    rows = ask(
        f"SELECT m.begin, m.end, r.thing, r.{total}, r.{weight}, r.{low}, r.{high}"  # noqa: S608 - names of screens
        f" FROM {time} m LEFT JOIN {table} r ON r.thing = ? AND r.{time} = m.{time}"
        f" WHERE m.end > ? AND m.begin < ? AND m.{time} >= ? ORDER BY m.{time}",
        number,
        _64(begin),
        _64(end),
        # the row of a long interval may begin long before, but not the one that follows a quarter
        begin // NS if time == "minute" and begin % (QUARTER * NS) == 0 else -(1 << 62),
    )
    told = [row for row in rows if row[2] is not None]
    rests = kept.idle and figure.weight == SECONDS and (not told or any(row[4] is not None for row in told))
    return [_point(row, rests=rests) for row in rows]


def _point(row: tuple[Any, ...], *, rests: bool) -> Point:
    begin, end, there, total, weight, low, high = row
    if there is None and rests:
        return Point(begin, end, 0.0, 0.0, 0.0)
    numbers = (total, weight, low, high)
    if there is None or not all(isinstance(number, int) for number in numbers) or weight <= 0:
        return Point(begin, end, None, None, None)
    return Point(begin, end, low / THOUSAND, total / weight, high / THOUSAND)


# many things


def top(  # noqa: PLR0913, PLR0917 - likewise
    sources: Iterable[Source], screen: str, column: str, begin: int, end: int, most: int = 20
) -> list[Top]:
    """Return the things whose mean in a column is the highest over all whole minutes of a time.

    Raises:
        NotKept: no trend is kept of the column.
        RecordingError: a recording cannot be read.
    """
    kept, figure = find(screen, column)
    _count, weight, total, _low, high = figure.columns
    sums: dict[str, tuple[int, int, int, int]] = {}
    covered = 0
    first, last = -(-begin // NS), end // NS
    for source in sources:
        with _asking(source) as ask:
            if not _keeps(ask, figure, kept.minutes, "minute", "thing"):
                continue
            covered += int(
                ask("SELECT sum(seconds) FROM minute WHERE minute >= ? AND minute < ?", first, last)[0][0]
                or 0
            )
            rows = ask(
                f"SELECT r.thing, sum(r.{total}), sum(r.{weight}), max(r.{high}), sum(m.seconds)"  # noqa: S608 - names of screens
                f" FROM minute m CROSS JOIN {kept.minutes} r ON r.minute = m.minute"
                f" WHERE m.minute >= ? AND m.minute < ? GROUP BY r.thing",
                first,
                last,
            )
            names = dict(ask("SELECT id, name FROM thing WHERE screen = ?", kept.screen))
            for number, *told in rows:
                if all(isinstance(one, int) for one in told) and isinstance(names.get(number), str):
                    name = names[number]
                    was = sums.get(name, (0, 0, 0, 0))
                    sums[name] = (
                        was[0] + told[0],
                        was[1] + told[1],
                        max(was[2], told[2]),
                        was[3] + told[3],
                    )
    rests = kept.idle and figure.weight == SECONDS
    found = [
        Top(name, sum_ / whole, most_ / THOUSAND)
        for name, (sum_, weighed, most_, seen) in sums.items()
        if (whole := weighed + (covered - seen if rests else 0)) > 0
    ]
    return nlargest(most, found, key=lambda one: (one.mean, one.high))


# all together


def load(sources: Iterable[Source], begin: int, end: int, width: int) -> Sequence[Number]:
    """Return how busy the machine was in each of `width` equal parts of a time; empty if nothing is known.

    That is the I/O per second of all devices, or where that is not known the mean of the CPUs in percent.

    Raises:
        RecordingError: a recording cannot be read.
    """
    points: list[Point] = []
    busy: list[Point] = []
    for source in sources:
        with _asking(source) as ask:
            if not _keeps(ask, None, "minute"):
                continue
            rows = ask(
                "SELECT begin, end, io, seconds FROM minute WHERE end > ? AND begin < ? ORDER BY minute",
                _64(begin),
                _64(end),
            )
            points += [_mean(*row) for row in rows]
            if all(row[2] is None for row in rows) and _keeps(ask, None, "cpu_minutes"):
                rows = ask(
                    "SELECT begin, end, sum(busy_sum), sum(busy_weight) FROM minute m"
                    " CROSS JOIN cpu_minutes r ON r.minute = m.minute"
                    " WHERE end > ? AND begin < ? GROUP BY m.minute",
                    _64(begin),
                    _64(end),
                )
                busy += [_mean(*row) for row in rows]
    known = points if any(point.mean is not None for point in points) else busy
    if not known:
        return ()
    return [
        NO_SAMPLES if point.mean is None else float(point.mean)  # type: ignore[arg-type]  # means are numbers
        for point in buckets(known, width, begin, end)
    ]


def _mean(begin: int, end: int, total: object, weight: object) -> Point:
    mean = total / weight if isinstance(total, int) and isinstance(weight, int) and weight > 0 else None
    return Point(begin, end, mean, mean, mean)


def _64(number: int) -> int:
    """Return a number that SQLite can hold."""
    return max(-(1 << 63), min(number, (1 << 63) - 1))
