"""PLOT: figures by time, to be drawn.

The argument names what is drawn: `device.resp 0.0.7000 0.0.7001`, and behind it, if at all, since when:
`-600s` before the end, or `@` and ns since 1970.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent
from zmon.kinds import KINDS
from zmon.tables.figure import Variable, quoted, unquoted
from zmon.tables.series import SECOND, series
from zmon.tables.table import Needs, Table
from zmon.tables.topology import units_of
from zmon.tables.view import NoSuchThing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Value
    from zmon.interval import Interval
    from zmon.tables.history import History
    from zmon.tables.series import Series
    from zmon.tables.view import View

NEEDS: Final = Needs(tuple(KINDS.values()), history=True)

MOST: Final = 240
"""Intervals that are drawn when nobody says since when."""

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
    found = series(variables, view.history, window(view, since), BUCKETS, view.limits, view.people)
    filled = rows(variables, found)
    names = [row_name(one, view) for one in variables]
    if all(name == one.key.rpartition(".")[2] for name, one in zip(names, variables, strict=True)):
        return filled
    return filled._replace(facts={**filled.facts, "names": " ".join(map(quoted, names))})


def row_name(variable: Variable, view: View) -> str:
    """Return what a variable's row is called on its screen: an LCU by its one name, `6`."""
    last = variable.key.rpartition(".")[2]
    if variable.table != "control_unit" or not variable.key:
        return last
    units = units_of(view).lcus
    name = units[variable.key].short if variable.key in units else last
    return name if [unit.short for unit in units.values()].count(name) <= 1 else variable.key


COLUMNS: Final = ("series", "begin", "end", "low", "mean", "high")


def rows(variables: Sequence[Variable], found: Sequence[Series]) -> Table:
    """Return figures as the rows of a table."""
    each = [(str(one), figure) for one, many in zip(variables, found, strict=True) for figure in many.figures]
    columns: dict[str, list[Value]] = {
        "series": [name for name, _figure in each],
        **{name: [getattr(figure, name) for _, figure in each] for name in COLUMNS[1:]},
    }
    notes = tuple(dict.fromkeys([*filter(None, (many.note for many in found)), *_unknown(variables, found)]))
    return Table([f"{name}@{figure.begin}" for name, figure in each], columns,
                 facts={"plotted": write(variables)}, notes=notes)  # fmt: skip


def _unknown(variables: Sequence[Variable], found: Sequence[Series]) -> Iterator[str]:
    """Say of each variable that is never known why."""
    for one, many in zip(variables, found, strict=True):
        means = [figure.mean for figure in many.figures]
        why = next((value for value in reversed(means) if isinstance(value, Absent)), None)
        if why is not None and all(isinstance(value, Absent) for value in means):
            yield f"No {one.column} {one.key}".rstrip() + f": {why.reason}"


def window(view: View, since: str) -> tuple[int, int | None]:
    """Return from when to when: as was said, else the window that is looked at, else the last intervals."""
    interval = view.interval
    if since.startswith("@"):
        return int(since[1:]), None
    if since:
        return max(interval.after.at.utc - int(since[1:-1]) * SECOND, 0), None
    if interval.skipped and interval.before is not None:
        return interval.before.at.utc, interval.after.at.utc
    return begin_of(view.history, MOST), None


def begin_of(history: History, most: int) -> int:
    """Return when the first of the last so many intervals begins."""
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
    for one in variables:
        if last is None or one[:2] != last[:2] or not (one.key and last.key):
            said.append(f"{one.table}.{one.column}")
        said += [quoted(one.key)] if one.key else []
        last = one
    return " ".join(said)


def parse(argument: str) -> tuple[list[Variable], str]:
    """Read an argument: the variables, and since when, as it stands there.

    Raises:
        NoSuchThing: it names no variable.
    """
    found: list[Variable] = []
    words = argument.split()
    since = words.pop() if words and re.fullmatch(_SINCE, words[-1]) else ""
    for word in words:
        name, dot, column = word.partition(".")
        if dot and re.fullmatch(_COLUMN, word):
            found.append(Variable(name, column))
        elif not found:
            raise NoSuchThing(f"{argument!r} begins with no column, such as device.resp")
        elif found[-1].key:
            found.append(found[-1]._replace(key=unquoted(word)))
        else:
            found[-1] = found[-1]._replace(key=unquoted(word))
    if not found:
        raise NoSuchThing(f"{argument!r} names no column, such as device.resp")
    return found, since
