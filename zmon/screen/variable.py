"""What people write for a column of a row: `DEVICE.resp 7000`, `CTLUNIT.resp 2482 2484`, `REDISP.busy`.

A screen by time is about one thing, a page too; of them the row is that thing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent
from zmon.base.plain_text import did_you_mean
from zmon.machine.figure import Variable, unquoted
from zmon.machine.view import NoSuchThing, View
from zmon.screen.definition import ScreenError
from zmon.screen.query import QueryError, find_column, shortest
from zmon.screen.sheet import Sheet, natural
from zmon.tables.filled import alone, definition, needs, with_figures
from zmon.tables.plot import device_named, find
from zmon.tables.plot import parse as parse_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.screen.definition import Column, Screen, Screens
    from zmon.tables.table import Table
    from zmon.topology.machine import UserInputs

EXAMPLES: Final = "DEVICE.resp 7000, CTLUNIT.resp, REDISP.busy"

NO_FIGURES: Final = f"{{}} shows no figures by time; others do: {EXAMPLES}"

LOADS: Final = frozenset({"busy", "cur", "resp", "io", "share", "used"})
"""Columns that say how busy something is."""

QUEUE: Final = "queue"
REQUESTS: Final = (QUEUE, "io")
"""Columns that say how many requests something has: under way, or a second."""

LETTERS: Final = {"text", "path", "clock"}
"""Formats of columns that hold no figures."""


LCU_WORDS: Final = frozenset({"lcu", "lss", "ssid"})
"""What is in front of the number of an LCU."""


class VariableError(ValueError):
    """Words that name no column of a screen; says what there is."""


class ColumnRef(NamedTuple):
    """A column of a screen, and the rows as they were named."""

    screen: Screen
    column: str
    rows: tuple[str, ...] = ()


def plottable(screen: Screen) -> list[Column]:
    """Return the columns of a screen that hold figures."""
    return [
        column
        for column in screen.columns
        if column.format not in {*LETTERS, "bar"} and column.names != "number"
    ]


def names(screen: Screen) -> list[str]:
    """Return the names of what a screen can have drawn: columns, or the facts of a page."""
    if not screen.drawn:
        return []
    if screen.layout == "page":
        return [name for name, form in screen.form_formats.items() if form not in LETTERS]
    return [column.name for column in plottable(screen)]


def listed(screens: Screens) -> Iterator[Screen]:
    """Yield the screens of which something can be drawn."""
    return (screen for screen in screens if screen.layout in {"list", "page"} and names(screen))


def parse(names: Sequence[str], screens: Screens) -> list[ColumnRef]:
    """Read columns, each with the rows behind it; `DEVICE.resp,io` are two columns.

    Without a column it is the one that the screen is sorted on; rows before the next column are those of all
    columns between.

    Raises:
        VariableError: a word is no column.
    """
    references: list[ColumnRef] = []
    fresh = True
    begun = 0
    for word in names:
        asked = _columns(word, screens, needed=not references)
        if asked and fresh:
            references += asked
        elif asked:
            begun = len(references)
            references += asked
            fresh = True
        else:
            fresh = False
            references[begun:] = [
                reference._replace(rows=_with_row(reference.rows, unquoted(word)))
                for reference in references[begun:]
            ]
    if not references:
        raise VariableError(f"Which column? For example {EXAMPLES}")
    return references


def _with_row(rows: tuple[str, ...], word: str) -> tuple[str, ...]:
    """Add the name of a row; `LCU 6` is one name of two words."""
    if rows and rows[-1].casefold() in LCU_WORDS:
        return (*rows[:-1], f"{rows[-1]} {word}")
    return (*rows, word)


def _columns(word: str, screens: Screens, *, needed: bool) -> list[ColumnRef]:
    """Return what a word names; nothing when it begins with no screen and need not."""
    name, dot, columns = word.partition(".")
    if not needed and not (dot and name[:1].isalpha()):
        return []
    screen = _screen(name, screens)
    if screen is None and not needed:
        return []
    if screen is None:
        raise VariableError(f"{name!r} is no screen; MENU lists them. Write for example {EXAMPLES}")
    if not dot:
        return [ColumnRef(screen, natural_column(screen))]
    try:
        return [ColumnRef(screen, figure(column, screen)) for column in columns.split(",")]
    except VariableError:
        other = next(
            (screen for screen in screens if screen.table == name), None
        )  # SYSTEM is no screen of `system`
        if other is None:
            raise
        return [ColumnRef(other, figure(column, other)) for column in columns.split(",")]


def figure(word: str, screen: Screen) -> str:
    """Return the name of what a word names of a screen, by its name or heading, that can be drawn.

    A figure of the screen's things can be, whether it is a column or not.

    Raises:
        VariableError: it names nothing, or several things; says which there are.
    """
    if screen.layout == "page":
        named = names(screen)
        if word.lower() in named:
            return word.lower()
        guess = did_you_mean(word, named)
        raise VariableError(f"{screen.command} has no figure {word!r}{guess or '; HELP ' + screen.command}")
    if not names(screen):
        raise VariableError(NO_FIGURES.format(screen.command))
    key = word.lower()
    if key not in screen.by_name and key in definition(screen.table).figures:
        return key  # before any heading that reads so: diagnoses name figures by their keys
    try:
        return find_column(word, plottable(screen)).name
    except QueryError as error:
        raise VariableError(f"{screen.command}: {error}") from error


def _screen(name: str, screens: Screens) -> Screen | None:
    """Return the screen that a word names, or whose table it names."""
    table = name.lower()
    ranked = [screen for screen in screens if screen.table == table]
    try:
        screen_found = screens.find(name)
    except ScreenError:
        return ranked[0] if ranked else None
    return screen_found


def natural_column(screen: Screen) -> str:
    """Return the column that a screen is sorted on, if it holds figures, else its first one of a load.

    Raises:
        VariableError: there is none.
    """
    named = names(screen)
    if not named:
        raise VariableError(NO_FIGURES.format(screen.command))
    if screen.sort in named:
        return screen.sort
    return next((name for name in named if name in LOADS), named[0])


def resolve(
    asked: Iterable[ColumnRef], interval: Interval, inputs: Callable[[], UserInputs] | None = None
) -> list[Variable]:
    """Return the variables that are meant, as they are called in one interval; without a row the busiest.

    Raises:
        NoSuchThing: a row is not there.
        VariableError: a page needs an operand.
    """
    variables: list[Variable] = []
    for screen, column, rows in asked:
        if screen.layout == "page" and not rows:
            raise VariableError(f"{screen.command} needs a {screen.argument} behind the column")
        if screen.layout == "page" or needs(screen.table).history:
            view = View(interval, inputs=inputs)
            for row in rows if screen.layout != "page" else ():
                _check_row(screen, column, row, view)
            of_device = "DEVICE" in screen.about
            keys = (device_named(view, row) if of_device else row for row in rows or ("",))
            variables += [Variable(screen.table, column, key) for key in keys]
        elif rows:
            view = View(interval, inputs=inputs)
            table = alone(screen.table, view)
            keys = (find(table, row, view, screen.command) for row in rows)
            variables += [Variable(screen.table, column, key) for key in keys]
        else:
            variables.append(Variable(screen.table, column, busiest(screen, View(interval, inputs=inputs))))
    return list(dict.fromkeys(variables))


def _check_row(screen: Screen, column: str, row: str, view: View) -> None:
    """Check that a screen by time can be about what a word names.

    Raises:
        NoSuchThing: it is about no single thing, or the word names none.
    """
    look_up = definition(screen.table).find
    if look_up is not None:
        look_up(view.at(view.interval, row))
        return
    devices = alone("device", view)
    try:
        find(devices, row, view)
        is_column = column in devices.columns
    except NoSuchThing:
        is_column = False
    more = f"DEVICE.{column} {row} is one device" if is_column else f"write {screen.command}.{column} alone"
    raise NoSuchThing(f"{screen.command} has no rows; {more}")


def busiest(screen: Screen, view: View, column: str = "") -> str:
    """Return the key of the row with the highest value of a column; empty when there are no rows.

    Without a column it is the row with most requests, those that wait included: on top of the list may be an
    alias that serves a few slowly.  Where that is not known it is the row on top.
    """
    filled = with_figures(screen.table, view, alone(screen.table, view), screen.by_name)
    for load in (column,) if column else REQUESTS:
        pairs = zip(filled.columns.get(load, ()), filled.keys, strict=False)
        loads = {key: value for value, key in pairs if not isinstance(value, (Absent, str))}
        if loads:
            return max(loads, key=lambda key: loads[key])
    keys = Sheet(screen, filled, natural(screen)).keys
    return keys[0] if keys else ""


def described(variable: Variable, screens: Screens) -> tuple[Screen, Column | None] | None:
    """Return the screen and the column of a variable, if it is in one; None when no screen has them."""
    of_table = [screen for screen in screens if screen.table == variable.table]
    for screen in of_table:
        if variable.column in names(screen):
            return screen, screen.by_name.get(variable.column)
    of_machine = of_table and variable.column in definition(variable.table).figures
    return (of_table[0], None) if of_machine else None


def with_headings(filled: Table, screens: Screens) -> Table:
    """Add what the columns are called whose variables are the keys of a table, as in CORREL."""
    columns = {(screen.table, column.name): screen for screen in screens for column in screen.columns}
    variables = [parse_variables(key)[0][0] for key in filled.keys]
    headings: list[Value] = [
        _heading(columns[variable[:2]], variable.column) if variable[:2] in columns else variable.column
        for variable in variables
    ]
    return filled._replace(columns={**filled.columns, "heading": headings})


@lru_cache(maxsize=512)
def _heading(screen: Screen, name: str) -> str:
    """Return how a column is called among the others of its screen."""
    return shortest(screen.by_name[name], screen.columns)
