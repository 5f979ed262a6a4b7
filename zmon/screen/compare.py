"""Two windows of time side by side: for each figure of a list then, now and the difference.

Rows are joined by their keys, and those on top changed most.  What was there in one window only says so.
Where rows have an order of their own, as buckets of a histogram have, they keep it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import Absent, absent
from zmon.screen.definition import Column, Screen
from zmon.screen.variable import LETTERS, plottable
from zmon.tables.table import SUMMARY, Summary, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.absent import Value

BAR: Final = "bar"
"""The format of bars, which are seen to differ."""

THEN: Final = "_then"
DIFFERENCE: Final = "_diff"
ONLY: Final = "only"

TITLE: Final = 16
"""Characters that the title of the line about all rows may take."""

NOT_THEN: Final = absent("it was not there then")
NOT_NOW: Final = absent("it is not there now")


@lru_cache(maxsize=64)
def compared(screen: Screen) -> Screen:
    """Return a list with three columns for each of its figures: then, now and the difference.

    Behind the first column stands what the rows are sorted by, so that it is seen on a narrow terminal, too.
    """
    columns = _sorted(screen) if sortable(screen) else _several(screen.columns)
    return screen.changed(
        columns=tuple(columns),
        title=f"{screen.title} - Compared",
        sort="",
        form=(),
        form_formats={},
        form_names={},
        guidance="COMPARE OFF shows the interval alone again",
    )


def sortable(screen: Screen) -> bool:
    """Tell whether rows may stand in any order."""
    return any(column.sort for column in screen.columns)


def _sorted(screen: Screen) -> list[Column]:
    """Return the columns of a screen whose rows are sorted by what changed most."""
    first, *others = screen.columns
    main = measure(screen)
    others.sort(key=lambda column: column.name != main)
    columns = [_label(first), _only()] if first.format in LETTERS else [_only(), *_three(first)]
    columns += _several(others)
    room = (
        columns[2].gap + TITLE - sum(column.gap + column.width for column in columns[:3]) + columns[2].width
    )
    columns[2] = Column(**vars(columns[2]) | {"gap": max(room, columns[2].gap)})
    return columns


def _several(columns: Iterable[Column]) -> list[Column]:
    return [
        each
        for column in columns
        for each in ([_label(column)] if column.format in LETTERS else _three(column))
    ]


def measure(screen: Screen) -> str:
    """Return the column by whose difference rows are sorted: the one that the list is sorted on."""
    known = [column.name for column in plottable(screen)]
    return screen.sort if screen.sort in known else next(iter(known), "")


def _only() -> Column:
    return Column(
        name=ONLY, head=("Only",), width=4, format="text", sort="asc", source="zmon",
        help="Where the row was there in one of the two times alone, in which: then or now.",
    )  # fmt: skip


def _label(column: Column) -> Column:
    """Return a label without its group, whose columns stand elsewhere now."""
    return Column(**vars(column) | {"group": ""})


def _three(column: Column) -> list[Column]:
    """Return what stands in the place of a figure: its name is the group, its limit holds then and now."""
    drawn = column.format == BAR
    parts: dict[str, Any] = vars(column) | {"group": _heading(column), "left": drawn}
    wide = max(column.width, 4)
    found = [
        Column(**parts | {
            "name": column.name + THEN, "head": ("Then",), "width": wide, "gap": max(column.gap, 2),
            "help": f"{column.help} In the time that is compared with.",
        }),
        Column(**parts | {"head": ("Now",), "width": wide, "gap": 1}),
        Column(**parts | {
            "name": column.name + DIFFERENCE, "head": ("Diff",), "width": wide + 1, "gap": 1, "limit": None,
            "help": f"How much more it is now than then. {column.help}", "source": "computed",
        }),
    ]  # fmt: skip
    return found[:2] if drawn else found


def _heading(column: Column) -> str:
    """Return the heading of a column in one line."""
    words = " ".join(column.head).replace("- ", "").strip()
    if words in {"", "%"}:
        words = f"{column.group.strip()} {words}".strip()
    return f" {words or column.name} "


def compare(screen: Screen, then: Table, now: Table) -> Table:
    """Join the tables of two times; `screen` is the one that shows each of them alone."""
    keys = list(dict.fromkeys([*now.keys, *then.keys]))
    here = {key: row for row, key in enumerate(now.keys)}
    there = {key: row for row, key in enumerate(then.keys)}
    order = _order(screen, keys, (then, there), (now, here))
    keys = [keys[place] for place in order]
    columns: dict[str, list[Value]] = {
        ONLY: ["" if key in here and key in there else "now" if key in here else "then" for key in keys]
    }
    for column in screen.columns:
        were, are = (
            _along(column.name, keys, then, there, NOT_THEN),
            _along(column.name, keys, now, here, NOT_NOW),
        )
        if column.format in LETTERS:
            columns[column.name] = [
                a if key in here else w for key, w, a in zip(keys, were, are, strict=True)
            ]
        else:
            columns[column.name + THEN], columns[column.name] = were, are
            columns[column.name + DIFFERENCE] = list(map(difference, were, are))
    return Table(
        keys,
        columns,
        _summary(screen, then.summary, now.summary),
        estimated=_estimated(screen, keys, (then, there), (now, here)),
        notes=tuple(dict.fromkeys((*_lacking(then, now), *now.notes, *then.notes))),
        missing=(now.missing or then.missing) if not keys else None,
    )


def _lacking(then: Table, now: Table) -> Iterator[str]:
    """Say why one of two tables has no rows, where the other has some."""
    for name, one, other in (("Then", then, now), ("Now", now, then)):
        if one.missing is not None and other.keys:
            yield f"{name}: {one.missing.reason}"


def difference(then: Value, now: Value) -> Value:
    """Return by how much a figure has grown; absent where either is, and nothing where it is a text."""
    if isinstance(now, Absent) or isinstance(then, Absent):
        return now if isinstance(now, Absent) else then
    if isinstance(now, str) or isinstance(then, str):
        return ""
    return now - then


def _along(
    name: str, keys: Sequence[str], table: Table, rows: Mapping[str, int], otherwise: Absent
) -> list[Value]:
    values = table.column(name)
    return [values[rows[key]] if key in rows else otherwise for key in keys]


def _order(
    screen: Screen,
    keys: Sequence[str],
    then: tuple[Table, Mapping[str, int]],
    now: tuple[Table, Mapping[str, int]],
) -> list[int]:
    """Return the places of the rows: first where the column that the screen is sorted on changed most.

    What was there in one of the times alone comes next, and then what is not known.
    """
    name = measure(screen)
    if not name or not sortable(screen):
        return list(range(len(keys)))
    pairs = zip(_along(name, keys, *then, NOT_THEN), _along(name, keys, *now, NOT_NOW), strict=True)
    changes = [difference(*pair) for pair in pairs]

    def rank(place: int) -> tuple[int, float]:
        change = changes[place]
        if isinstance(change, (Absent, str)):
            return (1 if change is NOT_THEN or change is NOT_NOW else 2), 0.0
        return 0, -abs(change)

    return sorted(range(len(keys)), key=rank)


def _summary(screen: Screen, then: Summary | None, now: Summary | None) -> Summary | None:
    if then is None or now is None:
        return None
    cells: dict[str, Value] = {}
    for column in screen.columns:
        was, is_ = then.cells.get(column.name, ""), now.cells.get(column.name, "")
        if column.format in LETTERS:
            cells[column.name] = is_
        else:
            cells[column.name + THEN], cells[column.name] = was, is_
            cells[column.name + DIFFERENCE] = "" if "" in {was, is_} else difference(was, is_)
    return Summary(now.title, cells)


def _estimated(
    screen: Screen,
    keys: Sequence[str],
    then: tuple[Table, Mapping[str, int]],
    now: tuple[Table, Mapping[str, int]],
) -> dict[str, frozenset[int] | None]:
    """Return which cells are estimates: of a difference where either of its parts is."""
    found: dict[str, frozenset[int] | None] = {}
    for column in screen.columns:
        was, is_ = (_guessed(column.name, keys, *one) for one in (then, now))
        if column.format in LETTERS:
            continue
        named = {column.name + THEN: was, column.name: is_, column.name + DIFFERENCE: was | is_}
        found |= {name: rows for name, rows in named.items() if rows}
    return found


def _guessed(name: str, keys: Sequence[str], table: Table, rows: Mapping[str, int]) -> frozenset[int]:
    if not table.estimated.get(name, True):
        return frozenset()
    found = {place for place, key in enumerate(keys) if key in rows and table.is_estimate(name, rows[key])}
    return frozenset(found | ({SUMMARY} if table.is_estimate(name, SUMMARY) else set()))
