"""What recordings keep trends of: the columns of which the screens' files say so.

Each screen with such columns has a table of minutes and one of quarters of an hour, named after its command.
A column takes five of their columns, all whole numbers: how many intervals had a value, what they weigh
together, their sum, each value with its weight, and the lowest and the highest.  Values, sums and weights are
in thousandths, so that they take two or three bytes and not eight.  Views show them as what they are.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.screen.definition import ScreenError, load_screens, shipped
from zmon.tables.view import View, fill

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping

    from sqlite_utils import Database

    from zmon.absent import Value
    from zmon.interval import Interval
    from zmon.screen.definition import Screen
    from zmon.tables.table import Table

PARTS: Final = ("count", "weight", "sum", "min", "max")
"""What is kept of a figure."""

IDLE: Final = frozenset({"device", "control_unit"})
"""Tables with thousands of rows most of which are idle; where nothing happens they have no row in trends."""

SECONDS: Final = "seconds"


class Figure(NamedTuple):
    """One column of a screen that has a trend."""

    name: str
    weight: str
    """`seconds`, or the column over which it is an average."""
    head: str
    unit: str
    bad: float | None
    """Beyond which value it is an event."""

    @property
    def columns(self) -> list[str]:
        """The names of its columns in the tables of trends."""
        return [f"{self.name}_{part}" for part in PARTS]


class Kept(NamedTuple):
    """What is kept of one screen."""

    screen: str
    """Its command."""
    table: str
    figures: tuple[Figure, ...]
    label: str
    """The column that holds the text which goes with a key; may be empty."""

    @property
    def minutes(self) -> str:
        """The table of its minutes."""
        return f"{self.screen.lower()}_minutes"

    @property
    def quarters(self) -> str:
        """The table of its quarters of an hour."""
        return f"{self.screen.lower()}_quarters"

    @property
    def views(self) -> dict[str, str]:
        """The names of the views that show its tables, and of the column that each of them has for time."""
        name = f"{self.screen.lower()}s_by"
        return {f"{name}_minute": "minute", f"{name}_quarter": "quarter"}

    @property
    def idle(self) -> bool:
        """Whether a thing that did nothing has no row."""
        return self.table in IDLE

    @property
    def columns(self) -> list[str]:
        """The names of the columns of its tables, but for their keys."""
        return [name for figure in self.figures for name in figure.columns]

    def figure(self, name: str) -> Figure | None:
        """Return a figure by its name."""
        return next((figure for figure in self.figures if figure.name == name), None)


@lru_cache(maxsize=1)
def all_kept() -> tuple[Kept, ...]:
    """Return what is kept of the shipped screens and the user's own; of the former where those are broken."""
    try:
        return kept(load_screens())
    except ScreenError:
        return kept(load_screens(shipped("screens")))


def kept(screens: Iterable[Screen]) -> tuple[Kept, ...]:
    """Return what is kept of some screens."""
    found = []
    for screen in sorted(screens, key=lambda screen: screen.command):
        figures = tuple(
            Figure(
                column.name,
                column.rollup,
                " ".join(column.head).strip() or column.name,
                column.unit,
                None if column.limit is None else column.limit.bad,
            )
            for column in screen.columns
            if column.rollup not in {"", "label"}
        )
        labels = [column.name for column in screen.columns if column.rollup == "label"]
        if figures and filling(screen.table) is not None:
            found.append(Kept(screen.command, screen.table, figures, labels[0] if labels else ""))
    return tuple(found)


def filling(table: str) -> Callable[[Interval], Table] | None:
    """Return what fills a table with nothing but what trends need; None where there is no such thing."""
    return getattr(import_module(f"zmon.tables.{table}"), "trend", None)


def labels(kept: Kept, interval: Interval) -> Mapping[str, Value]:
    """Return the text that goes with each key of a screen, as far as the interval tells."""
    lean = getattr(import_module(f"zmon.tables.{kept.table}"), "trend_labels", None)
    if lean is not None:
        return lean(interval)  # type: ignore[no-any-return]  # modules are not typed
    if not kept.label:
        return {}
    table = fill(kept.table, View(interval))
    return dict(zip(table.keys, table.column(kept.label), strict=True))


# tables


def keep(connection: sqlite3.Connection, kept: Iterable[Kept]) -> None:
    """Make the tables and views that lack, and add the columns that a table lacks because it is older.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    lacking = [one for one in kept if not _is_kept(connection, one)]
    if not lacking and _has(connection, "quarter"):
        return
    from sqlite_utils import Database  # noqa: PLC0415 - once in the life of a recording

    db = Database(connection, execute_plugins=False)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _has(connection, "quarter"):
            _make_times(db)
        for one in lacking:
            _make(db, one)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _make_times(db: Database) -> None:
    """Make the tables that all trends share."""
    times = {"seconds": int, "intervals": int, "begin": int, "end": int, "io": int}
    db.table("thing").create({"id": int, "screen": str, "name": str, "label": str}, pk="id")
    db.table("thing").create_index(["screen", "name"], unique=True)
    for time in ("minute", "quarter"):
        db.table(time).create({time: int, **times}, pk=time)
        db.create_view(f"{time}s", _times(time))


def _make(db: Database, kept: Kept) -> None:
    """Make the tables and views of a screen, or add what they lack."""
    for name, keys in ((kept.minutes, ("minute", "thing")), (kept.quarters, ("thing", "quarter"))):
        there = _columns(db.conn, name)
        if not there:
            columns = ", ".join(f"{column} INTEGER" for column in (*keys, *kept.columns))
            db.execute(f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({', '.join(keys)})) WITHOUT ROWID")
            continue
        for column in kept.columns:
            if column not in there:
                db.table(name).add_column(column, int)
    for view, time in kept.views.items():
        db.create_view(view, _view(kept, time), replace=True)


def _has(connection: sqlite3.Connection, name: str) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone())


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _is_kept(connection: sqlite3.Connection, kept: Kept) -> bool:
    tables = (kept.minutes, kept.quarters)
    return all(set(kept.columns) <= set(_columns(connection, table)) for table in tables)


def _times(time: str) -> str:
    """Return what shows how well a time is covered, and the I/O of all devices in it."""
    return (
        f"SELECT strftime('%Y-%m-%d %H:%M', {time}, 'unixepoch') AS utc, seconds / 1000.0 AS seconds,"  # noqa: S608 - a name
        f" intervals, round(io * 1.0 / seconds, 3) AS io FROM {time} ORDER BY {time}"
    )


def _view(kept: Kept, time: str) -> str:
    """Return what shows a table of trends in units that people use."""
    shown = []
    for figure in kept.figures:
        count, weight, total, low, high = figure.columns
        shown += [
            f'round({total} * 1.0 / {weight}, 3) AS "{figure.name}"',
            f"{low} / 1000.0 AS {low}",
            f"{high} / 1000.0 AS {high}",
            f"{total} / 1000.0 AS {total}",
            count,
        ]
    table = kept.minutes if time == "minute" else kept.quarters
    return (
        f"SELECT strftime('%Y-%m-%d %H:%M', {time}, 'unixepoch') AS utc,"  # noqa: S608 - names of screens
        f" thing.name AS thing, thing.label AS label, {', '.join(shown)}"
        f" FROM {table} JOIN thing ON thing.id = {table}.thing"
    )
