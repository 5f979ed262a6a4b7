"""One column of one row by time: what a chart draws, and what is compared with others.

Where there are few intervals each is a figure of its own, and nothing is lost.  Where there are many, a
figure is the average over a longer time, as every screen would show it for that time; then peaks within are
not seen.  What lies in a gap is no figure.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.event import What
from zmon.tables.view import NoSuchThing, View, alone, fill, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.absent import Value
    from zmon.interval import Interval
    from zmon.tables.history import History, Row
    from zmon.tables.table import Table
    from zmon.tables.view import Limits

SECOND: Final = 1_000_000_000

EXACT: Final = 4_000
"""So many intervals are looked at one by one."""

WORK: Final = 500_000
"""Rows of tables that may be filled for one series: some seconds of work."""

STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800)
"""Lengths of averages in seconds; over a longer time some counters wrap unseen."""

BROKEN: Final = frozenset({What.GAP, What.HOLE, What.RESTART})
"""What no average reaches across."""


class Variable(NamedTuple):
    """A column of a table, and the row."""

    table: str
    column: str
    key: str = ""
    """Empty for the line that speaks of all rows."""


class Figure(NamedTuple):
    """The lowest, the mean and the highest value between two times (UTC in ns); a gap where absent."""

    begin: int
    end: int
    low: Value
    mean: Value
    high: Value


class Series(NamedTuple):
    """Figures by time, in the order of time."""

    figures: list[Figure]
    note: str = ""
    """What a reader must know of how they were made; empty when each is that of one interval."""


def cell(variable: Variable, interval: Interval, limits: Callable[[], Limits] = dict) -> Value:
    """Return a variable's value in one interval.

    Of a screen by time it is the figure of that interval, of the thing that `key` names; of a page the fact.
    """
    try:
        if needs(variable.table).history:
            return _by_time(
                variable, fill(variable.table, View(interval, argument=variable.key, limits=limits))
            )
        return _listed(variable, alone(variable.table, interval))
    except NoSuchThing as error:
        if variable.key and not needs(variable.table).history:
            try:
                return _fact(variable, fill(variable.table, View(interval, argument=variable.key)))
            except NoSuchThing as gone:
                return absent(str(gone))
        return absent(str(error))


def _by_time(variable: Variable, table: Table) -> Value:
    values = table.columns.get(variable.column, [])
    if table.keys and values:
        return values[0]
    return table.missing or _unknown(variable)


def _listed(variable: Variable, table: Table) -> Value:
    if table.facts and not table.columns:
        return _fact(variable, table)
    if not variable.key:
        if table.summary is None:
            return absent(f"{variable.table} has no line that speaks of all rows; name a row")
        return table.summary.cells.get(variable.column, _unknown(variable))
    if variable.key not in table.keys:
        return table.missing or absent(f"{variable.key} is not there")
    if variable.column not in table.columns:
        return _unknown(variable)
    return table.columns[variable.column][table.keys.index(variable.key)]


def _fact(variable: Variable, table: Table) -> Value:
    return table.facts.get(variable.column, _unknown(variable))


def _unknown(variable: Variable) -> Absent:
    return absent(f"{variable.table} has no {variable.column}")


def find(table: Table, name: str) -> str:
    """Return the key of the row that a name means: the key itself, or the value of one of its labels.

    Raises:
        NoSuchThing: it means no row, or several.
    """
    wanted = name.casefold()
    for key in table.keys:
        if key.casefold() == wanted:
            return key
    found = [
        key
        for place, key in enumerate(table.keys)
        if any(
            isinstance(v[place], str) and str(v[place]).casefold() == wanted for v in table.columns.values()
        )
    ]
    if len(found) != 1:
        several = f"means several rows: {', '.join(found[:9])}" if found else "is in no row of this screen"
        raise NoSuchThing(f"{name!r} {several}")
    return found[0]


def series(
    variables: Sequence[Variable],
    history: History,
    window: tuple[int, int | None],
    buckets: int,
    limits: Callable[[], Limits] = dict,
) -> list[Series]:
    """Return each variable between two times (UTC in ns); without the second one up to the present interval.

    Of more intervals than can be looked at one by one about as many averages as `buckets` are made.
    """
    figures = Figures(
        "series " + " ".join(":".join(variable) for variable in variables),
        partial(_cells, variables, limits=limits),
        [variable.table for variable in variables],
    )
    rows, note = rows_of(figures, history, window, buckets)
    return [Series(list(_figures(rows, str(place))), note) for place in range(len(variables))]


class Figures(NamedTuple):
    """What is looked at of each interval."""

    name: str
    of: Callable[[Interval], Mapping[str, Value]]
    tables: Sequence[str]
    """Those that are filled for it: they tell how laborious that is."""


def rows_of(
    figures: Figures, history: History, window: tuple[int, int | None], buckets: int
) -> tuple[list[Row], str]:
    """Return the figures of each interval of a window, or of averages; and what is to be said of those."""
    last = next(history.past(window[1]), None)
    if last is None:
        return [], ""
    begin, end = window[0], last.after.at.utc
    length = 0 if last.before is None else end - last.before.at.utc
    count = (end - begin) // max(length, 1)
    if count <= EXACT and count * _size(figures.tables, last) <= WORK:
        return history.rows(figures.name, figures.of, EXACT, window=window), ""
    step = _step(end - begin, buckets)
    rows = [
        history.row(f"{figures.name} by {step}", figures.of, interval)
        for interval in averages(history, begin, end, step)
    ]
    return rows, f"Each value is an average over {step // SECOND} s: peaks within are not seen"


def _cells(
    variables: Sequence[Variable], interval: Interval, limits: Callable[[], Limits]
) -> dict[str, Value]:
    return {str(place): cell(one, interval, limits) for place, one in enumerate(variables)}


def _figures(rows: Sequence[Row], name: str) -> Iterator[Figure]:
    for row in rows:
        if row.begin is None or row.end.utc <= row.begin.utc:
            continue  # the first sample has no figures; nor are there any where the clock was set back
        value = absent("samples are missing") if row.gap else row.cells[name]
        yield Figure(row.begin.utc, row.end.utc, value, value, value)


def _size(tables: Iterable[str], interval: Interval) -> int:
    """Return how many rows must be looked at for an interval."""
    kinds = {kind.name: kind for table in tables for kind in needs(table).kinds}
    return max((len(interval.after.frame(kind).keys) for kind in kinds.values()), default=1)


def _step(length: int, buckets: int) -> int:
    """Return the length of an average in ns: a round one that makes about as many as wanted."""
    wanted = length / max(buckets, 1) / SECOND
    return SECOND * next((step for step in STEPS if step >= wanted), STEPS[-1])


def averages(history: History, begin: int, end: int, step: int) -> Iterator[Interval]:
    """Yield intervals of a length; they reach across no gap, and are the same again a while later."""
    holes = [hole for hole in history.happened(begin, end) if hole.what in BROKEN]
    edges = {begin, end, *range((begin // step + 1) * step, end, step)}
    edges |= {edge for hole in holes for edge in (hole.begin, hole.end) if begin < edge < end}
    for first, last in pairwise(sorted(edges)):
        if any(hole.begin <= first and last <= hole.end for hole in holes):
            continue
        interval = history.between(first, last)
        if interval is not None:
            yield interval
