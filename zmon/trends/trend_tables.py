"""What recordings keep trends of, and the tables for it.

Each screen that has trends has a table of minutes and one of quarters of an hour, named after its command.
A figure takes five of their columns, all whole numbers: how many intervals had a value, what they weigh
together, their sum, each value with its weight, and the lowest and the highest.  Values, sums and weights are
in thousandths, so that they take two or three bytes and not eight.  Views show them as what they are.

Each row has a checksum, and each minute, quarter and thing says how many rows the tables have of it: a thing
that rested has none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.store.file_format import crc_of, seal_schema
from zmon.tables import channel, control_unit, cpu, device, lpar
from zmon.tables.filled import definition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlite_utils import Database

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.tables.table import Table

TIME_COLUMNS: Final = ("seconds", "intervals", "begin", "end", "io")
"""What is kept of a minute or quarter: covered ms and intervals, its ends in ns, thousandths of I/O."""
MINUTE: Final = 60
QUARTER: Final = 900
THOUSAND: Final = 1000

PARTS: Final = ("count", "weight", "sum", "min", "max")
"""What is kept of a figure."""

SECONDS: Final = "seconds"
"""The weight of figures that count with the length of their interval: rates, percentages and queues."""


class TrendFigure(NamedTuple):
    """One column of a table that has a trend."""

    name: str
    weight: str = SECONDS
    """`seconds`, or the column of the table over which it is an average."""

    @property
    def columns(self) -> list[str]:
        """The names of its columns in the tables of trends."""
        return [f"{self.name}_{part}" for part in PARTS]


class TrendTable(NamedTuple):
    """What is kept of one screen: the columns of its table that have a trend."""

    screen: str
    """Its command."""
    table: str
    """Its table in `zmon.tables`, whose definition gives the things of an interval, and columns."""
    sparse: bool
    """Whether what did nothing has no row in trends: most of its thousands of rows are idle."""

    @property
    def figures(self) -> tuple[TrendFigure, ...]:
        """What is kept of a thing, in the order of the SQL columns."""
        return _figures(self.table)

    @property
    def minutes(self) -> str:
        """The table of its minutes."""
        return f"{self.screen.lower()}_minutes"

    @property
    def quarters(self) -> str:
        """The table of its quarters of an hour."""
        return f"{self.screen.lower()}_quarters"

    def of(self, time: str) -> str:
        """Return the table of its minutes, or quarters."""
        return self.minutes if time == "minute" else self.quarters

    @property
    def views(self) -> dict[str, str]:
        """The names of the views that show its tables, and of the column that each of them has for time."""
        name = f"{self.screen.lower()}s_by"
        return {f"{name}_minute": "minute", f"{name}_quarter": "quarter"}

    @property
    def many(self) -> str:
        """The column of `minute` and `quarter` with the number of rows that its tables have of these."""
        return f"{self.screen.lower()}s"

    @property
    def columns(self) -> list[str]:
        """The names of the columns of its tables, but for their keys."""
        return [name for figure in self.figures for name in figure.columns]

    def figure(self, name: str) -> TrendFigure | None:
        """Return a figure by its name."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def filled(self, interval: Interval) -> Table:
        """Return the table of an interval, with nothing but the columns that figures are made of."""
        return definition(self.table).trend(interval)

    def labels(self, interval: Interval) -> Mapping[str, Value]:
        """Return the text that goes with each key."""
        sort = definition(self.table).things
        if sort is None:
            return {}
        things = sort.at(interval)
        return dict(zip(things.keys, things.labels, strict=True))


@lru_cache
def _figures(table: str) -> tuple[TrendFigure, ...]:
    figures = sorted(definition(table).figures.values(), key=lambda figure: figure.trend)
    return tuple(TrendFigure(figure.key, figure.over or SECONDS) for figure in figures if figure.trend)


TREND_TABLES: Final = tuple(
    TrendTable(table.screen, name, table.things.sparse)
    for part in (channel, cpu, control_unit, device, lpar)
    for name, table in part.DEFINITIONS.items()
    if table.things is not None and _figures(name)
)
"""By command: those that show things, whose figures have trends."""


MANY: Final = tuple(table.many for table in TREND_TABLES)
"""The columns of `minute` and `quarter` with the number of rows that the tables have of these."""


# SQL


def make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables and views that lack, and add the columns that a table lacks because it is older.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    lacking = [table for table in TREND_TABLES if not _is_there(connection, table)]
    if not lacking and column_names(connection, "quarter"):
        return
    from sqlite_utils import Database  # noqa: PLC0415 - once in the life of a recording

    db = Database(connection, execute_plugins=False)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not column_names(connection, "quarter"):
            _make_times(db)
        for table in lacking:
            _make(db, table)
        seal_schema(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _make_times(db: Database) -> None:
    """Make the tables that all trends share."""
    times = dict.fromkeys((*TIME_COLUMNS, *MANY, "crc"), int)
    db.table("thing").create({"id": int, "screen": str, "name": str, "label": str, "crc": int}, pk="id")
    db.table("thing").create_index(["screen", "name"], unique=True)
    db.table("thing_rows").create({"thing": int, "minutes": int, "quarters": int, "crc": int}, pk="thing")
    for time in ("minute", "quarter"):
        db.table(time).create({time: int, **times}, pk=time)
        db.create_view(f"{time}s", _times(time))


def _make(db: Database, table: TrendTable) -> None:
    """Make the tables and views of a screen, or add what they lack."""
    for name, keys in ((table.minutes, ("minute", "thing")), (table.quarters, ("thing", "quarter"))):
        if column_names(db.conn, name):
            _widen(db, name, table.columns)
        else:
            columns = ", ".join(f"{column} INTEGER" for column in (*keys, *table.columns, "crc"))
            db.execute(f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({', '.join(keys)})) WITHOUT ROWID")
    for time in ("minute", "quarter"):
        _widen(db, time, [table.many])
    for view, time in table.views.items():
        db.create_view(view, _view(table, time, table.figures), replace=True)


def _widen(db: Database, name: str, columns: Sequence[str]) -> None:
    """Add the columns that a table lacks; rows whose checksum was right keep a right one."""
    there = column_names(db.conn, name)
    lacking = [column for column in columns if column not in there]
    if not lacking:
        return
    was = crc_of(name, there)
    for column in lacking:
        db.table(name).add_column(column, int)
    db.execute(f"UPDATE {name} SET crc = {crc_of(name, [*there, *lacking])} WHERE crc = {was}")  # noqa: S608 - ours


def column_names(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return the names of the columns of a table, in their order; none if it is not there."""
    return [str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _is_there(connection: sqlite3.Connection, table: TrendTable) -> bool:
    names = (table.minutes, table.quarters)
    return all(set(table.columns) <= set(column_names(connection, name)) for name in names)


def _times(time: str) -> str:
    """Return what shows how well a time is covered, and the I/O of all devices in it."""
    return (
        f"SELECT strftime('%Y-%m-%d %H:%M', {time}, 'unixepoch') AS utc, seconds / 1000.0 AS seconds,"  # noqa: S608 - a name
        f" intervals, round(io * 1.0 / seconds, 3) AS io FROM {time} ORDER BY {time}"
    )


def _view(table: TrendTable, time: str, figures: Iterable[TrendFigure]) -> str:
    """Return what shows figures of a table of trends in units that people use."""
    shown = []
    for figure in figures:
        count, weight, total, low, high = figure.columns
        shown += [
            f'round({total} * 1.0 / {weight}, 3) AS "{figure.name}"',
            f"{low} / 1000.0 AS {low}",
            f"{high} / 1000.0 AS {high}",
            f"{total} / 1000.0 AS {total}",
            count,
        ]
    name = table.of(time)
    return (
        f"SELECT strftime('%Y-%m-%d %H:%M', {time}, 'unixepoch') AS utc,"  # noqa: S608 - names of screens
        f" thing.name AS thing, thing.label AS label, {', '.join(shown)}"
        f" FROM {name} JOIN thing ON thing.id = {name}.thing"
    )


_FIGURE: Final = re.compile(r' AS "(\w+)"')
"""The name of a figure in the text of a view."""


def find_wrong_views(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a sentence for each view that lacks, or that does not show its table as zmon does.

    A view has no checksum, but its text follows from its table.  All formats have the same; only which
    figures there are, and in which order, changed with zmon.

    Raises:
        sqlite3.Error: the file is damaged there.
    """
    made = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    tables = {name for sort, name, _sql in made if sort == "table"}
    texts = {name: str(sql) for sort, name, sql in made if sort == "view"}
    of_times = [(f"{time}s", time, None) for time in ("minute", "quarter") if time in tables]
    of_tables = [
        (view, time, table)
        for table in TREND_TABLES
        for view, time in table.views.items()
        if table.of(time) in tables
    ]
    for view, time, table in (*of_times, *of_tables):
        text = texts.get(view)
        if text is None:
            yield f"the view {view} is missing"
            continue
        shown = _FIGURE.findall(text)
        right = _times(time) if table is None else _view(table, time, map(TrendFigure, shown))
        is_whole = table is None or _has_all(shown, table, column_names(connection, table.of(time)))
        if not is_whole or text not in {
            f'CREATE VIEW "{view}" AS {right}',
            f"CREATE VIEW [{view}] AS {right}",
        }:
            yield f"the view {view} is damaged: it does not show what its table has"


def _has_all(shown: Sequence[str], table: TrendTable, columns: Sequence[str]) -> bool:
    """Return whether a view shows, each once, figures that its table has, and of those zmon knows all."""
    wanted = {figure.name for figure in table.figures if figure.columns[0] in columns}
    there = {name for name in shown if {*TrendFigure(name).columns} <= {*columns}}
    return len(shown) == len(there) and wanted <= there
