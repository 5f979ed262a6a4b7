"""PLOT: figures by time, to be drawn.

The argument names what is drawn: `device.resp 0.0.7000 0.0.7001`, and behind it, if at all, since when:
`-600s` before the end, or `@` and ns since 1970.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent, text_of
from zmon.base.clock import MINUTE, SECOND
from zmon.base.event import What
from zmon.kinds import KINDS, LAYER, PATH
from zmon.machine.device_names import matches
from zmon.machine.devices import address, devices_of
from zmon.machine.figure import Needs, TimedValue, Variable, quoted, unquoted
from zmon.machine.topology import lcus_named, units_of
from zmon.machine.view import GAP, NoSuchThing, View
from zmon.tables.filled import NOT_SUMMED, TableDefinition, alone, definition, fill, needs, with_figures
from zmon.tables.table import Table
from zmon.topology.volumes import short_titles
from zmon.values.unit_name import title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.machine.view import History, Row


MAX_EXACT: Final = 4_000
"""The number of intervals that are read one by one; of more, trends are read."""

MAX_TABLE_ROWS: Final = 500_000
"""Rows of tables that may be filled for one series: some seconds of work."""

STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800)
"""Lengths of averages in seconds; over a longer time some counters wrap unseen."""

BROKEN: Final = frozenset({What.GAP, What.HOLE, What.RESTART})
"""What no average reaches across."""


OF_OTHERS: Final = frozenset({"aliases"})
"""Columns of DEVICE that count other devices."""

NO_COLUMN: Final = absent("the screen has no such column")
A_WORD: Final = absent("it is a word, not a number")


class Series(NamedTuple):
    """Figures by time, in the order of time."""

    figures: list[TimedValue]
    note: str = ""
    """What a reader must know of how they were made; empty when each is that of one interval."""


def cell(variable: Variable, view: View) -> Value:
    """Return a variable's value in the interval of a view.

    Of a screen by time it is the figure of that interval, of the thing that `key` names; of a page the fact.
    """
    name, by_time = variable.table, needs(variable.table).history
    named = view.at(view.interval, variable.key)
    try:
        if by_time:
            return _value(variable, fill(name, named), by_time=True)
        return _value(variable, with_figures(name, view, alone(name, view), (variable.column,)))
    except NoSuchThing as error:
        if by_time or not variable.key:
            return absent(str(error))
    try:
        return _value(variable, fill(name, named))
    except NoSuchThing as error:
        return absent(str(error))


def _value(variable: Variable, filled: Table, *, by_time: bool = False) -> Value:
    _, column, key = variable
    if filled.facts and not filled.columns:
        return filled.facts.get(column, NO_COLUMN)
    if not key and not by_time:
        if filled.summary is None:
            return absent(f"{NOT_SUMMED.reason}: name a row")
        return filled.summary.cells.get(column, NO_COLUMN)
    if not by_time and key not in filled.keys:
        return filled.missing or absent(f"{key} is not there")
    values = filled.columns.get(column)
    if not values:
        return filled.missing or NO_COLUMN
    value = values[0 if by_time else filled.keys.index(key)]
    return A_WORD if isinstance(value, str) else value


def find(table: Table, name: str, view: View | None = None, screen: str = "this screen") -> str:
    """Return the key of the row that a name means: the key, its last part, or the value of one of its labels.

    With a view the row may also be a device by any name that DEVICE takes.  Errors name the `screen`.

    Raises:
        NoSuchThing: it means no row, or several.
    """
    wanted = name.casefold()
    for key in table.keys:
        if key.casefold() == wanted:
            return key
    lcus = [] if view is None else [key for key in lcus_named(view, name) if key in table.keys]
    if len(lcus) == 1:
        return lcus[0]
    # 7000 is the device, though all volumes of its control unit are labelled with that number, too
    keys = [key for key in table.keys if key.casefold().endswith(f".{wanted}")] or [
        key
        for place, key in enumerate(table.keys)
        if any(
            isinstance(v[place], str) and str(v[place]).casefold() == wanted for v in table.columns.values()
        )
    ]
    if not keys and view is not None:
        keys = matches(view, name, table.keys)
    if len(keys) != 1:
        several = f"means several rows: {', '.join(keys[:9])}" if keys else f"is in no row of {screen}"
        raise NoSuchThing(f"{name!r} {several}")
    return keys[0]


def device_named(view: View, name: str) -> str:
    """Return the name by which samples alone know a device that a page or a screen by time is about.

    A label or number of CP becomes the bus id of its device; other names stay.
    """
    if not name:
        return name
    keys = matches(view, name, devices_of(view.interval).keys)
    plainly = matches(View(view.interval), name, devices_of(view.interval).keys)
    return name if plainly or len(keys) != 1 else keys[0]


def series(
    variables: Sequence[Variable], view: View, window: tuple[int, int | None], buckets: int
) -> list[Series]:
    """Return each variable between two times (UTC in ns); without the second one up to the present interval.

    Of more intervals than can be read one by one it is the trends of minutes and quarters of an hour,
    else about as many averages as `buckets`.
    """
    span = _span(view.history, window)
    if span is None:
        return [Series([]) for _ in variables]
    figures = _figures_of(variables, view)
    if not span.exact(figures):
        return [_long(variable, span, buckets, view) for variable in variables]
    drawn, _note = rows_of(figures, view.history, window, buckets)
    return [Series(list(_drawn(drawn, str(place)))) for place in range(len(variables))]


def is_of_one_device(variable: Variable) -> bool:
    """Return whether a variable is made from the rows of one device, so that no other need be read."""
    return variable.table == "device" and bool(variable.key) and variable.column not in OF_OTHERS


def _figures_of(variables: Sequence[Variable], view: View) -> Figures:
    few = all(is_of_one_device(variable) for variable in variables)
    return Figures(
        ("series", tuple(variables), view.user_inputs),
        partial(_cells_of_one_device if few else _cells, variables, view),
        () if few else [variable.table for variable in variables],
    )


def _long(variable: Variable, span: Span, buckets: int, view: View) -> Series:
    """Return a variable over a time of very many intervals."""
    figures, history = _figures_of([variable], view), view.history
    step = span.step(figures, buckets)
    kept = history.trend(variable, span.begin, span.end)
    if not kept:
        rows = _averaged(figures, history, span.begin, span.end, step)
        return Series(list(_drawn(rows, "0")), _said(step))
    before, after = kept[0].begin, kept[-1].end
    step = min(step, MINUTE)
    ends = ((span.begin, before), (after, span.end))
    older, newer = (_averaged(figures, history, *end, step) if end[0] < end[1] else [] for end in ends)
    longest = max(figure.end - figure.begin for figure in kept) // SECOND
    return Series(
        [*_drawn(older, "0"), *kept, *_drawn(newer, "0")],
        f"Lowest, mean and highest of every {longest} s, as the recording keeps them",
    )


def _averaged(figures: Figures, history: History, begin: int, end: int, step: int) -> list[Row]:
    name = (figures.name, step)
    return [history.row(name, figures.of, interval) for interval in averages(history, begin, end, step)]


def _said(step: int) -> str:
    return f"Each value is an average over {step // SECOND} s: peaks within are not seen"


class Figures(NamedTuple):
    """The kinds and devices that are read of each interval."""

    name: Hashable
    of: Callable[[Interval], Mapping[str, Value]]
    tables: Sequence[str]
    """Those that are filled with all their rows for it: they tell how laborious that is."""


def rows_of(
    figures: Figures, history: History, window: tuple[int, int | None], buckets: int
) -> tuple[list[Row], str]:
    """Return the figures of each interval of a window, or of averages; and what is to be said of those."""
    span = _span(history, window)
    if span is None:
        return [], ""
    if span.exact(figures):
        return history.rows(figures.name, figures.of, MAX_EXACT, window=(span.begin, window[1])), ""
    step = span.step(figures, buckets)
    return _averaged(figures, history, span.begin, span.end, step), _said(step)


class Span(NamedTuple):
    """A window of time, as far as there are samples."""

    begin: int
    end: int
    last: Interval

    def exact(self, figures: Figures) -> bool:
        """Return whether every interval can be read."""
        before = self.last.before
        length = 0 if before is None else self.last.after.at.utc - before.at.utc
        count = (self.end - self.begin) // max(length, 1)
        return count <= MAX_EXACT and count * _size(figures.tables, self.last) <= MAX_TABLE_ROWS

    def step(self, figures: Figures, buckets: int) -> int:
        """Return the length of averages in ns: a round one, for no more than are wanted and can be made."""
        many = max(min(buckets, MAX_TABLE_ROWS // max(_size(figures.tables, self.last), 1)), 1)
        wanted = (self.end - self.begin) / many / SECOND
        return SECOND * next((step for step in STEPS if step >= wanted), STEPS[-1])


def _span(history: History, window: tuple[int, int | None]) -> Span | None:
    """Return the part of a window that has samples; None when there is none."""
    last = next(history.past(window[1]), None)
    if last is None:
        return None
    return Span(max(window[0], history.first()), last.after.at.utc, last)


def _cells(variables: Sequence[Variable], view: View, interval: Interval) -> dict[str, Value]:
    return {str(place): cell(variable, view.at(interval)) for place, variable in enumerate(variables)}


def _cells_of_one_device(variables: Sequence[Variable], view: View, interval: Interval) -> dict[str, Value]:
    """Return the same, looking at no other rows than those."""
    only = [interval.only(frozenset((variable.key,))) for variable in variables]
    return {str(place): cell(variable, view.at(only[place])) for place, variable in enumerate(variables)}


def _drawn(rows: Sequence[Row], name: str) -> Iterator[TimedValue]:
    for row in rows:
        if row.begin is None or row.end.utc <= row.begin.utc:
            continue  # the first sample has no figures; nor are there any where the clock was set back
        value = GAP if row.gap else row.cells[name]
        yield TimedValue(row.begin.utc, row.end.utc, value, value, value)


def _size(tables: Iterable[str], interval: Interval) -> int:
    """Return the number of rows that are read for an interval."""
    kinds = {kind.name: kind for table in tables for kind in needs(table).kinds}
    return max((len(interval.after.frame(kind).keys) for kind in kinds.values()), default=1)


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


NEEDS: Final = Needs(tuple(KINDS.values()), history=True)

MAX_INTERVALS: Final = 240
"""Intervals that are drawn by default."""

BUCKETS: Final = 320
"""Averages that are made of very many intervals: two for each character of a wide terminal."""

_SINCE: Final = r"-[0-9]{1,12}s|@[0-9]{1,19}"
_COLUMN: Final = r"[a-z_]+\.[a-z_0-9]+"


def table(view: View) -> Table:
    """Fill PLOT: one row for each figure of each variable.

    Raises:
        NoSuchThing: the argument names no variable.
    """
    if not view.argument:
        return Table([], {name: [] for name in COLUMNS})
    variables, since = parse(view.argument)
    drawn = series(variables, view, window(view, since), BUCKETS)
    filled = rows(variables, drawn)
    names = row_names(variables, view)
    if all(name == variable.key.rpartition(".")[2] for name, variable in zip(names, variables, strict=True)):
        return filled
    return filled._replace(facts={**filled.facts, "names": " ".join(map(quoted, names))})


def row_names(variables: Sequence[Variable], view: View) -> list[str]:
    """Return what the rows are called on their screens, `7000` or LCU `6`; keys where that is ambiguous."""
    shorts = short_titles(units_of(view).lcus)
    names = {variable[::2]: _row_name(variable, view, shorts) for variable in variables}
    often = Counter((variable[0], name) for variable, name in names.items())
    often.update(
        ("control_unit", short) for key, short in shorts.items() if ("control_unit", key) not in names
    )
    return [
        names[variable[::2]] if often[variable.table, names[variable[::2]]] == 1 else variable.key
        for variable in variables
    ]


def _row_name(variable: Variable, view: View, shorts: Mapping[str, str]) -> str:
    """Return the name of a row on its screen: the alias of a multipath device, the disk that a path is."""
    key = variable.key
    if variable.table == "control_unit":
        return shorts.get(key, key.rpartition(".")[2])
    if variable.table == "device" and "." not in key:
        devices = devices_of(view.interval)
        return devices.title(devices.keys.index(key)) if key in devices.keys else key
    if variable.table == "multipath":
        return text_of(view.interval.after.frame(PATH).cell(key, "name")) or key
    if key.startswith("/"):  # a unit, such as a service
        return title_of(key)
    number, _, unit = key.partition(" ")
    if unit.startswith("/"):  # what a unit does on a disk
        disk = text_of(view.interval.after.frame(LAYER).cell(number, "name")) or number
        return f"{title_of(unit)} on {disk}"
    return address(key)


COLUMNS: Final = ("series", "begin", "end", "low", "mean", "high")


def rows(variables: Sequence[Variable], drawn: Sequence[Series]) -> Table:
    """Return figures as the rows of a table."""
    figures = [
        (str(variable), figure)
        for variable, many in zip(variables, drawn, strict=True)
        for figure in many.figures
    ]
    columns: dict[str, list[Value]] = {
        "series": [name for name, _figure in figures],
        **{name: [getattr(figure, name) for _, figure in figures] for name in COLUMNS[1:]},
    }
    notes = tuple(dict.fromkeys([*filter(None, (many.note for many in drawn)), *_unknown(variables, drawn)]))
    return Table([f"{name}@{figure.begin}" for name, figure in figures], columns,
                 facts={"plotted": write(variables)}, notes=notes)  # fmt: skip


def called(variable: Variable) -> str:
    """Return what the column of a variable is called, with its screen: `DEVICE.resp`."""
    return f"{definition(variable.table).screen or variable.table}.{variable.column}"


def _unknown(variables: Sequence[Variable], drawn: Sequence[Series]) -> Iterator[str]:
    """Say of each variable that is never known why."""
    for variable, many in zip(variables, drawn, strict=True):
        means = [figure.mean for figure in many.figures]
        why = next((value for value in reversed(means) if isinstance(value, Absent)), None)
        if why is not None and all(isinstance(value, Absent) for value in means):
            key = variable.key.rpartition(".")[2] if variable.table != "control_unit" else variable.key
            name = f"{called(variable)} {key}".rstrip()
            yield f"{name} is unknown: {why.reason}"


def window(view: View, since: str) -> tuple[int, int | None]:
    """Return begin and end: of the argument, else of the window on the screen, else of the last intervals."""
    interval = view.interval
    if since.startswith("@"):
        return int(since[1:]), None
    if since:
        return max(interval.after.at.utc - int(since[1:-1]) * SECOND, 0), None
    if interval.skipped and interval.before is not None:
        return interval.before.at.utc, interval.after.at.utc
    return begin_of(view.history, MAX_INTERVALS), None


def begin_of(history: History, most: int) -> int:
    """Return the begin of the last `count` intervals."""
    first: Interval | None = None
    for interval in islice(history.past(), most):
        first = interval
    if first is None:
        return 0
    return (first.before or first.after).at.utc


def write(variables: Sequence[Variable]) -> str:
    """Write variables as an argument names them."""
    said: list[str] = []
    last: Variable | None = None
    for variable in variables:
        if last is None or variable[:2] != last[:2] or not (variable.key and last.key):
            said.append(f"{variable.table}.{variable.column}")
        said += [quoted(variable.key)] if variable.key else []
        last = variable
    return " ".join(said)


def parse(argument: str) -> tuple[list[Variable], str]:
    """Read an argument: the variables, and the word for the begin.

    Raises:
        NoSuchThing: it names no variable.
    """
    variables: list[Variable] = []
    arguments = argument.split()
    since = arguments.pop() if arguments and re.fullmatch(_SINCE, arguments[-1]) else ""
    for word in arguments:
        name, dot, column = word.partition(".")
        if dot and re.fullmatch(_COLUMN, word):
            variables.append(Variable(name, column))
        elif not variables:
            raise NoSuchThing(f"{argument!r} begins with no column, such as device.resp")
        elif variables[-1].key:
            variables.append(variables[-1]._replace(key=unquoted(word)))
        else:
            variables[-1] = variables[-1]._replace(key=unquoted(word))
    if not variables:
        raise NoSuchThing(f"{argument!r} names no column, such as device.resp")
    return variables, since


DEFINITIONS: Final = {"plot": TableDefinition(NEEDS, table, about_figures=True)}
