"""Which rows are shown, and in which order: sort, filter and locate, without a terminal."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from math import isnan, nan
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zmon.absent import Value
    from zmon.tables.table import Table


class QueryError(ValueError):
    """A condition or a column that cannot be understood; says what would be."""


# patterns are compiled when they are first used: a lookup starts faster
_CONDITION: Final = r"\s*(?P<column>\w+)\s*(?P<sign><=|>=|!=|<|>|=|~)\s*(?P<value>(?![<>=~]).*?)\s*"

_NUMERIC: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class Condition(NamedTuple):
    """One condition on a column: `resp>10`, `lcu=*2482`, `label~PAY`."""

    column: str
    sign: str
    value: str

    def holds(self, cell: Value) -> bool:
        """Tell whether a cell meets the condition; an absent one meets none but `!=`."""
        if isinstance(cell, Absent):
            return self.sign == "!="
        if self.sign in _NUMERIC:
            return not isinstance(cell, str) and _NUMERIC[self.sign](cell, float(self.value))
        if self.sign == "~":
            return self.value.casefold() in str(cell).casefold()
        return self._equals(cell) == (self.sign == "=")

    def _equals(self, cell: float | str) -> bool:
        if isinstance(cell, str):
            return fnmatchcase(cell.casefold(), self.value.casefold())
        try:
            return cell == float(self.value)
        except ValueError:
            return False


def parse_condition(text: str, columns: Sequence[str]) -> Condition:
    """Read one condition: a column, one of `= != < <= > >= ~`, a value.

    `=` and `!=` compare texts as shell patterns and regardless of case, `~` looks for a part.

    Raises:
        QueryError: the form, the column or the number is not understood.
    """
    found = re.fullmatch(_CONDITION, text)
    if found is None:
        raise QueryError(f"{text!r} is no condition; write for example resp>10, lcu=*2482 or label~PAY")
    condition = Condition(found["column"].lower(), found["sign"], found["value"])
    check_column(condition.column, columns)
    if condition.sign in _NUMERIC:
        try:
            number = float(condition.value)
        except ValueError:
            number = nan
        if isnan(number):
            raise QueryError(f"{condition.value!r} in {text!r} is no number; write for example resp>10")
    return condition


def parse_conditions(text: str, columns: Sequence[str]) -> tuple[Condition, ...]:
    """Read conditions that stand behind one another: `resp>10 lcu=2482`; blanks around a sign do not matter.

    A value may have blanks in it: `cu=LCU 6 resp>10`.

    Raises:
        QueryError: one of them is not understood.
    """
    joined = re.sub(r"\s*(<=|>=|!=|<|>|=|~)\s*", r"\1", text.strip())
    parts = re.split(r"\s+(?=\w+[<>=~!])", joined)
    return tuple(parse_condition(part, columns) for part in parts if part)


def check_column(name: str, columns: Sequence[str]) -> None:
    """Raise a QueryError that lists the columns unless `name` is one of them."""
    if name not in columns:
        raise QueryError(f"{name!r} is no column here; there are {', '.join(columns)}")


def ordered(table: Table, rows: Iterable[int], column: str, *, descending: bool) -> list[int]:
    """Sort row numbers by a column; absent values stand at the end either way.

    Rows with equal values keep their order, which is that of their keys.
    """
    values = table.column(column)
    numbers: list[int] = []
    texts: list[int] = []
    absences: list[int] = []
    for row in rows:
        value = values[row]
        (absences if isinstance(value, Absent) else texts if isinstance(value, str) else numbers).append(row)
    numbers.sort(key=values.__getitem__, reverse=descending)
    texts.sort(key=values.__getitem__, reverse=descending)
    return numbers + texts + absences


def filtered(table: Table, conditions: Sequence[Condition]) -> list[int]:
    """Return the numbers of the rows that meet all conditions."""
    rows = list(range(len(table.keys)))
    for condition in conditions:
        values = table.column(condition.column)
        rows = [row for row in rows if condition.holds(values[row])]
    return rows
