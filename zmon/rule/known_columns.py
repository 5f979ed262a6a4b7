"""Which columns a table has, so that a rule that names another is refused when it is loaded.

A table that is filled from nothing has no rows, but all of its columns, its facts and the cells of the row of
all.  So the tables themselves say it, and nothing is written down twice.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.clock import SECOND
from zmon.base.plain_text import did_you_mean
from zmon.interval import Interval
from zmon.machine.view import NoSuchThing, View
from zmon.sample import Instant, Sample
from zmon.tables.filled import alone, definition

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_COLUMN: Final = "{} has no column {!r}"
"""Said of a table, when a rule is loaded and when it is judged."""


@lru_cache(maxsize=32)  # each table once
def columns_of(table: str) -> frozenset[str]:
    """Return the columns of a table that a rule may name; none of a table about one thing."""
    nothing = [Sample(Instant(second, second, ""), {}) for second in (SECOND, 2 * SECOND)]
    try:
        filled = alone(table, View(Interval(*nothing)))
    except NoSuchThing:
        return frozenset()
    cells = {} if filled.summary is None else filled.summary.cells
    return frozenset((*filled.columns, *filled.facts, *cells, *definition(table).figures))


def unknown_columns(terms: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return a sentence for each term of a rule, of which table and column are given, that is none."""
    unknown = {}
    for term, (table, column) in terms.items():
        columns = columns_of(table)
        if not columns:
            unknown[term] = f"no rule can watch the table {table}"
        elif column not in columns:
            unknown[term] = NO_COLUMN.format(table, column) + did_you_mean(column, columns)
    return unknown
