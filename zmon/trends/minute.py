"""What a minute looked like: of each figure how many values, their weight, sum, lowest and highest.

Each value counts with the seconds of its interval, or with how much I/O it is an average over.  Absent values
do not count.  Of tables with thousands of rows an interval holds only what did something; of the others it is
known which rates are zero (`Resting`), so that the zeros can be counted without a row for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import compress, groupby
from operator import mul
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent
from zmon.machine.join import is_absent
from zmon.trends.trend_tables import SECONDS, THOUSAND, TREND_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Number
    from zmon.tables.table import Table
    from zmon.trends.trend_tables import TrendFigure, TrendTable

MAX_VALUE: Final = 1e15
"""Whatever is beyond was not measured."""

Aggregate = tuple["int | None", ...]
"""Of each figure its count, weight, sum, minimum and maximum; all but the count in thousandths."""

UNKNOWN: Final[Aggregate] = (0, None, None, None, None)
"""What is kept of a figure that is not known."""

Resting = Sequence[Mapping[str, frozenset[int]]]
"""For each trend table, by key, the figures that are known to be 0 where the thing is left out."""

NONE_REST: Final[Resting] = [{} for _ in TREND_TABLES]
"""Of intervals that hold all things."""

Zeros = Mapping[int, tuple[int, float]]
"""For each figure in how many intervals it was 0, and how long."""


class MinutePart(NamedTuple):
    """One interval: what is known of it, table by table."""

    minute: int
    """Its begin, in seconds since 1970."""
    begin: int
    end: int
    """UTC in ns."""
    seconds: float
    resting: Resting
    tables: Sequence[Table]
    """In the order of `TREND_TABLES`."""


class ThingValues:
    """What was seen of one thing in a minute."""

    __slots__ = ("columns", "places", "seconds")

    def __init__(self, columns: int) -> None:
        """Begin with nothing."""
        self.seconds: list[float] = []
        self.places: list[int] = []
        """The numbers of the intervals in the minute."""
        self.columns: list[list[Number]] = [[] for _ in range(columns)]


class Minute:
    """The intervals of a minute, and of each table what was seen in them."""

    def __init__(self, parts: Sequence[MinutePart]) -> None:
        """Put the values of each thing together."""
        self.parts = parts
        self.seconds = [part.seconds for part in parts]
        self.things: list[dict[str, ThingValues]] = [
            self._gather(at, needed(table)) for at, table in enumerate(TREND_TABLES)
        ]

    def _gather(self, at: int, names: Sequence[str]) -> dict[str, ThingValues]:
        things: dict[str, ThingValues] = {}
        tables = ((place, part.tables[at]) for place, part in enumerate(self.parts))
        for _keys, same in groupby(tables, key=lambda pair: pair[1].keys):
            pairs = list(same)
            places = [place for place, _table in pairs]
            seconds = self.seconds[places[0] : places[-1] + 1]
            columns: list[Iterator[tuple[Number, ...]]] = [
                zip(*(table.column(name) for _place, table in pairs), strict=True) for name in names
            ]
            for key, *cells in zip(pairs[0][1].keys, *columns, strict=True):
                thing = things.get(key)
                if thing is None:
                    thing = things[key] = ThingValues(len(names))
                thing.places += places
                thing.seconds += seconds
                for column, values in zip(thing.columns, cells, strict=True):
                    column.extend(values)
        return things

    def zeros(self, at: int, key: str, thing: ThingValues | None) -> Zeros:
        """Return in how many intervals, and how long, each figure of a thing was 0 and left out."""
        if not TREND_TABLES[at].sparse:
            return {}
        seen = thing.places if thing is not None else []
        first = self.parts[0].resting
        if self.parts[-1].resting is first and all(part.resting is first for part in self.parts):
            count = len(self.parts) - len(seen)
            seconds = sum(self.seconds) - (sum(thing.seconds) if thing is not None else 0)
            return dict.fromkeys(first[at].get(key, ()), (count, seconds)) if count else {}
        zero_rows: dict[int, tuple[int, float]] = {}
        for place in sorted(set(range(len(self.parts))).difference(seen)):
            for figure in self.parts[place].resting[at].get(key, ()):
                count, seconds = zero_rows.get(figure, (0, 0.0))
                zero_rows[figure] = (count + 1, seconds + self.seconds[place])
        return zero_rows

    def changed(self, at: int, earlier: Sequence[Resting]) -> set[str]:
        """Return the things that were not left out alike in all intervals, nor in those `earlier`."""
        restings = {id(resting): resting for resting in (*earlier, *(part.resting for part in self.parts))}
        first, *others = (resting[at].items() for resting in restings.values())
        return {key for other in others for key, _rates in first ^ other}


@lru_cache
def needed(table: TrendTable) -> list[str]:
    """Return the columns that the figures of a table are made of."""
    weights = [figure.weight for figure in table.figures if figure.weight != SECONDS]
    return list(dict.fromkeys([*(figure.name for figure in table.figures), *weights]))


def summed(table: TrendTable, thing: ThingValues) -> Aggregate:
    """Return what is kept of a thing."""
    columns = dict(zip(needed(table), thing.columns, strict=True))
    weights: dict[str, tuple[Sequence[Number], Number]] = {SECONDS: (thing.seconds, sum(thing.seconds))}
    sums: list[int | None] = []
    for figure in table.figures:
        if figure.weight not in weights:
            products = list(map(mul, columns[figure.weight], thing.seconds))
            weights[figure.weight] = products, sum(products)
        sums += aggregate(columns[figure.name], *weights[figure.weight])
    return tuple(sums)


def aggregate(values: Sequence[Number], weights: Sequence[Number], weight: Number) -> Aggregate:
    """Return count, weight, sum, minimum and maximum of what is there, in thousandths but for the count.

    `weight` is the sum of all `weights`.
    """
    if is_absent(values):
        return UNKNOWN
    products = list(map(mul, values, weights))
    total: Number = sum(products)
    if total.__class__ is Absent:
        is_number = [product.__class__ is not Absent for product in products]
        values, products = list(compress(values, is_number)), list(compress(products, is_number))
        if not products:
            return UNKNOWN
        total, weight = sum(products), sum(compress(weights, is_number))
    aggregate = (weight, total, min(values), max(values))
    if not all(-MAX_VALUE < number < MAX_VALUE for number in aggregate):
        return UNKNOWN
    return len(products), *(round(THOUSAND * number) for number in aggregate)  # type: ignore[arg-type]  # none is absent


def with_zeros(row: Aggregate, zeros: Zeros) -> Aggregate:
    """Return a row with some intervals more in which nothing happened."""
    if not zeros:
        return row
    merged_sums: list[int | None] = []
    for at, figure in enumerate(by_figure(row)):
        if at not in zeros:
            merged_sums += figure
            continue
        count, seconds = zeros[at]
        merged_sums += merged(figure, (count, round(THOUSAND * seconds), 0, 0, 0))
    return tuple(merged_sums)


def merged(aggregate: Aggregate, other: Aggregate) -> Aggregate:
    """Return two rows of the same minute as one."""
    merged_sums: list[int | None] = []
    for a, b in zip(by_figure(aggregate), by_figure(other), strict=True):
        if not a[0] or not b[0]:
            merged_sums += a if a[0] else b
            continue
        merged_sums += [
            a[0] + b[0], (a[1] or 0) + (b[1] or 0), (a[2] or 0) + (b[2] or 0),
            min(a[3] or 0, b[3] or 0), max(a[4] or 0, b[4] or 0),
        ]  # fmt: skip
    return tuple(merged_sums)


def by_figure(row: Aggregate) -> Iterator[Aggregate]:
    """Yield the five parts of each figure."""
    for at in range(0, len(row), 5):
        yield row[at : at + 5]


def is_idle(row: Aggregate, figures: Sequence[TrendFigure], intervals: int) -> bool:
    """Return whether all rates are known in all intervals, and are 0."""
    idle = 0
    for figure, (many, _weight, total, _low, high) in zip(figures, by_figure(row), strict=True):
        if figure.weight == SECONDS and many:
            idle += 1
            if total or high or many < intervals:
                return False
    return idle > 0
