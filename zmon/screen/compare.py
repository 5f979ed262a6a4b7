"""Two windows of time side by side: for each figure of a list then, now and the difference.

Rows are joined by their keys, and those on top changed most; what was there in one window only says so.
Where rows have an order of their own, as buckets of a histogram have, they keep it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import many
from zmon.screen.definition import Column, Screen
from zmon.screen.variable import LETTERS, QUEUE, plottable
from zmon.tables.table import SUMMARY, Summary, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.base.absent import Value

BAR: Final = "bar"
"""The format of bars, which are seen to differ."""

THEN: Final = "_then"
DIFFERENCE: Final = "_diff"
ONLY: Final = "only"

IMPORTANT: Final = ("io", "mbs", "resp", QUEUE)
"""The most important figures."""

NOT_THEN: Final = absent("it was not there then")
NOT_NOW: Final = absent("it is not there now")


@lru_cache(maxsize=64)
def compared(screen: Screen, names: tuple[str, str] = ("Then", "Now")) -> Screen:
    """Return a list with three columns for each of its figures: that of each time, and the difference.

    The most important figures follow what names the row, so that a narrow terminal shows them, too.
    `names` are the headings of the two times.
    """
    columns = _sorted(screen, names) if sortable(screen) else _several(screen.columns, names)
    return screen.changed(
        columns=tuple(columns),
        pictures=(),
        title=f"{screen.title} - Compared",
        sort="",
        form=(),
        form_formats={},
        form_names={},
        guidance="COMPARE OFF shows the interval alone again",
    )


def sortable(screen: Screen) -> bool:
    """Return whether the rows can be sorted."""
    return any(column.sort for column in screen.columns)


def _sorted(screen: Screen, names: tuple[str, str]) -> list[Column]:
    """Return the columns of a screen whose rows are sorted by what changed most."""
    first, *rest = screen.columns
    keys, others = ([column for column in rest if column.key is key] for key in (True, False))
    main = measure(screen)
    wanted = [*dict.fromkeys(name for name in (*IMPORTANT, main) if name in screen.by_name)]
    front = [column for name in wanted for column in others if column.name == name]
    behind = [column for column in others if column.name not in wanted]
    label = [_label(first)] if first.format in LETTERS else _three(first, names)
    return [*label, *_several(keys, names), *_several(front, names), _only(names), *_several(behind, names)]


def _several(columns: Iterable[Column], names: tuple[str, str]) -> list[Column]:
    return [
        column_shown
        for column in columns
        for column_shown in ([_label(column)] if column.format in LETTERS else _three(column, names))
    ]


def measure(screen: Screen) -> str:
    """Return the column by whose difference rows are sorted: the requests under way, if a list has them.

    They grow with the load and with the response, and a disk that did nothing then has no response.  Else it
    is the column that the list is sorted on, or where that is no figure that matters by itself, as a share is
    none, the first that does.
    """
    names = [column.name for column in plottable(screen)]
    if QUEUE in names:
        return QUEUE
    if screen.sort in names and screen.sort not in IMPORTANT:
        return next((name for name in IMPORTANT if name in names), screen.sort)
    return screen.sort if screen.sort in names else next(iter(names), "")


def _only(names: tuple[str, str]) -> Column:
    return Column(
        name=ONLY, head=("Only",), width=4, format="text", sort="asc", source="zmon",
        help=f"Which time the row was there in, if in one alone: {' or '.join(map(word, names))}.",
    )  # fmt: skip


def _label(column: Column) -> Column:
    """Return a label without its group, whose other columns have moved."""
    return Column(**vars(column) | {"group": ""})


def _three(column: Column, names: tuple[str, str]) -> list[Column]:
    """Return the columns that replace a figure: its name is the group, its limit holds then and now."""
    drawn = column.format == BAR
    parts: dict[str, Any] = vars(column) | {"group": _heading(column), "left": drawn}
    wide = max(column.width, 4)
    columns = [
        Column(**parts | {
            "name": column.name + THEN, "head": (names[0],), "width": wide,
            "help": f"{column.help} In the time that is compared with.",
        }),
        Column(**parts | {"head": (names[1],), "width": wide, "gap": 1, "joined": True}),
        Column(**parts | {
            "name": column.name + DIFFERENCE, "head": ("Diff",), "width": wide + 1, "gap": 1, "limit": None,
            "help": f"{names[1]} less {names[0]}. {column.help}", "source": "computed",
            "joined": True, "signed": True,
        }),
    ]  # fmt: skip
    return columns[:2] if drawn else columns


def _heading(column: Column) -> str:
    """Return the heading of a column in one line."""
    text = " ".join(column.head).replace("- ", "").strip()
    if text in {"", "%"}:
        text = f"{column.group.strip()} {text}".strip()
    return f" {text or column.name} "


class ComparedTable:
    """One of two tables, along the keys of both."""

    def __init__(self, table: Table, keys: Sequence[str], otherwise: Absent) -> None:
        """Find the row of each key; what the table does not have is absent for a reason."""
        index = {key: row for row, key in enumerate(table.keys)}
        self.table = table
        self.rows = [index.get(key) for key in keys]
        self._otherwise = otherwise

    def column(self, name: str) -> list[Value]:
        """Return the values of a column."""
        values = self.table.column(name)
        return [self._otherwise if row is None else values[row] for row in self.rows]

    def estimated(self, name: str) -> frozenset[int]:
        """Return which of these values are estimates, `SUMMARY` among them."""
        keys = self.table.estimated.get(name, frozenset())
        if keys is None:
            return frozenset({SUMMARY, *(place for place, row in enumerate(self.rows) if row is not None)})
        places = {place for place, row in enumerate(self.rows) if row in keys} if keys else set[int]()
        return frozenset(places | ({SUMMARY} & keys))


def compare(screen: Screen, then: Table, now: Table, names: tuple[str, str] = ("Then", "Now")) -> Table:
    """Join the tables of two times that have `names`; `screen` is the one that shows each of them alone."""
    keys = _ordered(screen, list(dict.fromkeys([*now.keys, *then.keys])), then, now)
    tables_compared, other = ComparedTable(then, keys, NOT_THEN), ComparedTable(now, keys, NOT_NOW)
    columns: dict[str, list[Value]] = {
        ONLY: [
            "" if None not in rows else word(names[rows[1] is not None])
            for rows in zip(tables_compared.rows, other.rows, strict=True)
        ]
    }
    cells: dict[str, Value] = {}
    estimated: dict[str, frozenset[int] | None] = {}
    before = {} if then.summary is None else then.summary.cells
    present = {} if now.summary is None else now.summary.cells
    for name in (column.name for column in screen.columns):
        were, are = tables_compared.column(name), other.column(name)
        was, is_ = before.get(name, ""), present.get(name, "")
        if screen.by_name[name].format in LETTERS:
            here = zip(other.rows, were, are, strict=True)
            columns[name] = [old if row is None else new for row, old, new in here]
            cells[name] = is_
            continue
        columns |= {name + THEN: were, name: are, name + DIFFERENCE: list(map(difference, were, are))}
        cells |= {name + THEN: was, name: is_}
        cells[name + DIFFERENCE] = "" if "" in {was, is_} else difference(was, is_)
        guesses = tables_compared.estimated(name), other.estimated(name)
        marks = {name + THEN: guesses[0], name: guesses[1], name + DIFFERENCE: guesses[0] | guesses[1]}
        estimated |= {column: rows for column, rows in marks.items() if rows}
    return Table(
        keys,
        columns,
        None if then.summary is None or now.summary is None else Summary(now.summary.title, cells),
        estimated=estimated,
        notes=tuple(
            dict.fromkeys(
                (*_lacking(then, now, names), *_only_in(columns[ONLY], names), *_notes(then, now, names))
            )
        ),
        missing=(now.missing or then.missing) if not keys else None,
        home=now.home,
        sentences=now.sentences,
    )


def word(name: str) -> str:
    """Return what a time is called in a row: a mark by its letter, else `then` or `now`."""
    return name if len(name) == 1 else name.lower()


def _lacking(then: Table, now: Table, names: tuple[str, str]) -> Iterator[str]:
    """Say why one of two tables has no rows, where the other has some."""
    for name, table, other in zip(names, (then, now), (now, then), strict=True):
        if table.missing is not None and other.keys:
            yield f"{name}: {table.missing.reason}"


def _only_in(only: Sequence[Value], names: tuple[str, str]) -> Iterator[str]:
    """Say how many rows are of one time alone, and how to see these, if others are of both."""
    for name in reversed(names):
        rows = only.count(word(name))
        if 0 < rows < len(only):
            yield f"{many(rows, 'row')} only in {name}: WHERE {ONLY}={word(name)}"


def _notes(then: Table, now: Table, names: tuple[str, str]) -> Iterator[str]:
    """Yield the notes of both times, and then those of one time alone behind its name."""
    yield from (note for note in now.notes if note in then.notes)
    for name, table, other in ((names[1], now, then), (names[0], then, now)):
        yield from (f"{name}: {note}" for note in table.notes if note not in other.notes)


def difference(then: Value, now: Value) -> Value:
    """Return by how much a figure has grown; absent where either is, and nothing where it is a text."""
    if isinstance(now, Absent) or isinstance(then, Absent):
        return now if isinstance(now, Absent) else then
    if isinstance(now, str) or isinstance(then, str):
        return ""
    return now - then


def _ordered(screen: Screen, keys: Sequence[str], then: Table, now: Table) -> list[str]:
    """Return the keys of the rows: first where the column that the screen is sorted on changed most.

    What was there in one of the times alone has changed by all that it had; what is not known comes last.
    """
    name = measure(screen)
    if not name or not sortable(screen):
        return list(keys)
    were, are = ComparedTable(then, keys, NOT_THEN), ComparedTable(now, keys, NOT_NOW)
    times = zip(keys, were.column(name), are.column(name), strict=True)
    changes = {key: _change(was, is_) for key, was, is_ in times}

    def rank(key: str) -> tuple[bool, float]:
        change = changes[key]
        return (True, 0.0) if isinstance(change, (Absent, str)) else (False, -abs(change))

    return sorted(keys, key=rank)


def _change(then: Value, now: Value) -> Value:
    """Return by how much a figure has changed; all of it where the row was there in one time alone."""
    if then is NOT_THEN:
        return now
    return then if now is NOT_NOW else difference(then, now)
