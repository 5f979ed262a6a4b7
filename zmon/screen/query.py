"""Which rows are shown, and in which order: sort, filter and locate, without a terminal."""

from __future__ import annotations

import re
from math import isnan, nan

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.plain_text import did_you_mean
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zmon.base.absent import Value
    from zmon.screen.definition import Column
    from zmon.tables.table import Table


class QueryError(ValueError):
    """A condition or a column that cannot be understood; says what would be."""


SIGNS: Final = r"<=|>=|!=|<|>|=|~"
"""Operators of a condition; patterns are compiled when first used."""

SET_0: Final = "0.0."
"""What bus ids of most devices begin with; their numbers alone are enough."""

HOME: Final = "cu"
"""The column that has, of a disk that is on no LCU, its sort: what CTLUNIT lists it by, `lcu=virtio`."""

_CONDITION: Final = rf"\s*(?P<column>[^<>=~!]+?)\s*(?P<sign>{SIGNS})\s*(?P<value>(?![<>=~]).*?)\s*"

_NUMERIC: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class Ambiguous(QueryError):  # noqa: N818 - it says what it is
    """A word that may mean several columns; says which."""


class Condition(NamedTuple):
    """One condition on a column: `resp>10`, `lcu=*2482`, `label~PAY`."""

    column: str
    sign: str
    value: str
    lcu: bool = False
    """Whether the column names LCUs, which go by several names."""
    device: bool = False
    """Whether the column has numbers of devices, which people also write as bus ids: `0.0.7000`."""

    def holds(self, cell: Value) -> bool:
        """Tell whether a cell meets the condition; an absent one meets none but `!=`."""
        if isinstance(cell, Absent):
            return self.sign == "!="
        if self.sign in _NUMERIC:
            return not isinstance(cell, str) and _NUMERIC[self.sign](cell, float(self.value))
        if self.sign == "~":
            part = self.value.removeprefix(SET_0) if self.device else self.value
            return part.casefold() in str(cell).casefold()
        return self._equals(cell) == (self.sign == "=")

    def _equals(self, cell: float | str) -> bool:
        if isinstance(cell, str):
            from fnmatch import fnmatchcase  # noqa: PLC0415 - most lists show all rows

            cell, value = cell.casefold(), self.value.casefold()
            if self.device:
                cell, value = cell.removeprefix(SET_0), value.removeprefix(SET_0)
                return fnmatchcase(cell, value) or _is_within(value, cell)
            return fnmatchcase(cell, value) or (self.lcu and _is_lcu(cell, value))
        try:
            return cell == float(self.value)
        except ValueError:
            return False


def _is_within(number: str, devices: str) -> bool:
    """Return whether a device is one of a range of them: `8003` of `8000-8007`."""
    ends = re.fullmatch("([0-9a-f]{4})-([0-9a-f]{4})", devices)
    match = ends is not None and re.fullmatch("[0-9a-f]{4}", number) is not None
    return match and ends is not None and ends[1] <= number <= ends[2]


def _is_lcu(name: str, asked: str) -> bool:
    """Return whether a name is of an LCU asked for by its number, or with the end of its serial."""
    from fnmatch import fnmatchcase  # noqa: PLC0415 - most lists show all rows

    (own, number), (wanted, pattern) = map(_parts, (name, asked))
    is_of_box = not (own and wanted) or own.endswith(wanted) or wanted.endswith(own)
    return is_of_box and fnmatchcase(number, pattern)


def _parts(lcu: str) -> tuple[str, str]:
    """Return the serial and the number of an LCU's name: 7600 of IBM.750000000F2001.7600, 80 of LSS 80."""
    name = lcu.removeprefix("lcu ").removeprefix("ssid ").removeprefix("lss ")
    serial, _, number = name.rpartition(".")
    return serial, number.removeprefix("lss")


def heading(column: Column) -> str:
    """Return a column's heading in one line: `Req. Qued`, `Number`."""
    return " ".join(column.head).replace("- ", "").strip()


def named(column: Column) -> str:
    """Return a column's heading with that of its group: `Time (msec) Resp`."""
    return f"{_group(column)} {heading(column)}".strip()


def _group(column: Column) -> str:
    return "" if "{" in column.group else column.group.strip(" -")


def find_column(word: str, columns: Sequence[Column]) -> Column:
    """Return the column that is meant by its name, its heading or a line of that, or its group.

    Case and blanks do not matter, nor, if need be, signs: `MB/s`, `Req. Qued`, `Qued`, `%busy`, `CPU % Busy`.

    Raises:
        QueryError: none is meant, or several are; says which there are.
    """
    for spell in (_joined, _bare):
        wanted = spell(word)
        for names in _NAMES if wanted else ():
            columns_found = [column for column in columns if wanted in map(spell, names(column))]
            if len(columns_found) == 1:
                return columns_found[0]
            if columns_found:
                raise Ambiguous(f"{word!r} may mean {_choice(columns_found)}")
    lcus = [column for column in columns if column.names == "lcu"]
    if lcus and _bare(word) in {"lcu", "ssid"}:  # whatever the heading calls it
        return lcus[0]
    raise QueryError(f"{word!r} is no column here{_instead(word, columns)}")


MOST: Final = 4
"""Columns that a message names if a word may mean several."""

LISTED: Final = 8
"""Columns that a message names if a word means none."""


def _choice(columns: Sequence[Column]) -> str:
    """Name columns of which one is meant: by their headings, where these are enough."""
    heads = {heading(column) for column in columns}
    clear = "" not in heads and len(heads) == len(columns)
    names = [heading(column) if clear else f"{column.name} ({named(column)})" for column in columns[:MOST]]
    return " or ".join(names) + " ..." * (len(columns) > MOST)


def _instead(word: str, columns: Sequence[Column]) -> str:
    """Return what else could be written for a word that names no column."""
    names = [name for column in columns for name in (column.name, heading(column))]
    return did_you_mean(word, names) or f"; there are {listed(columns) or 'none'}"


def listed(columns: Sequence[Column]) -> str:
    """Return the headings of columns, or of the first of them."""
    said = [shortest(column, columns) for column in columns[:LISTED]]
    return ", ".join(said) + " ..." * (len(columns) > LISTED)


def shortest(column: Column, columns: Sequence[Column]) -> str:
    """Return how a column is named among others: by heading, by that with its group, or by name."""
    for name in filter(None, (heading(column), named(column))):
        try:
            if find_column(name, columns) is column:
                return name
        except QueryError:
            continue
    return column.name


def _joined(text: str) -> str:
    return "".join(text.casefold().split())


def _bare(text: str) -> str:
    """Return the letters and digits alone."""
    return "".join(character for character in text.casefold() if character.isalnum())


_NAMES: Final[tuple[Callable[[Column], tuple[str, ...]], ...]] = (
    lambda column: (column.name,),
    lambda column: (heading(column), named(column)),
    lambda column: column.head,
    lambda column: (_group(column), _group(column).partition("(")[0]),
)
"""The names of a column, the most specific first."""


def parse_condition(text: str, columns: Sequence[Column]) -> Condition:
    """Read one condition: a column, one of `= != < <= > >= ~`, a value.

    `=` and `!=` compare texts as shell patterns and regardless of case, `~` looks for a part.

    Raises:
        QueryError: the form, the column or the number is not understood.
    """
    match = re.fullmatch(_CONDITION, text)
    if match is None and text.startswith("/"):
        raise QueryError(f"{text!r} is no condition; FILES {text} shows where the files of a path lie")
    if match is None:
        raise QueryError(f"{text!r} is no condition; write for example resp>10, lcu=8000 or label~PAY")
    column = find_column(match["column"], columns)
    kinds = column.names == "lcu", column.names == "device"
    condition = Condition(column.name, match["sign"], match["value"], *kinds)
    if condition.sign in _NUMERIC:
        try:
            number = float(condition.value)
        except ValueError:
            number = nan
        if isnan(number):
            raise QueryError(f"{condition.value!r} in {text!r} is no number; write for example resp>10")
    return condition


def parse_conditions(text: str, columns: Sequence[Column]) -> tuple[Condition, ...]:
    """Read a sequence of conditions: `resp>10 lcu=2482`; blanks around a sign do not matter.

    Values and headings may have blanks in them: `cu=LCU 6 Req. Qued>1`.

    Raises:
        QueryError: one of them is not understood.
    """
    fields = re.sub(rf"\s*({SIGNS})\s*", r"\1", text.strip()).split()
    begins: list[int] = []
    for place, word in enumerate(fields):
        if re.match(rf"[^<>=~!]+({SIGNS})", word):
            begins.append(_begin(fields, begins[-1] + 1 if begins else 0, place, columns))
    if not begins or begins[0]:
        begins.insert(0, 0)
    parts = [fields[begin:end] for begin, end in zip(begins, [*begins[1:], len(fields)], strict=True)]
    return tuple(parse_condition(" ".join(part), columns) for part in parts if part)


def _begin(parts: Sequence[str], first: int, place: int, columns: Sequence[Column]) -> int:
    """Return where the heading begins whose last word is before the sign at `place`, from `first` on.

    As many words belong to it as are a heading together; what is before them belongs to a value.
    """
    last = re.split(SIGNS, parts[place], maxsplit=1)[0]
    for begin in range(max(first, place - LONGEST), place):
        try:
            find_column(" ".join((*parts[begin:place], last)), columns)
        except QueryError:
            continue
        return begin
    return place


LONGEST: Final = 4
"""A heading has no more words."""


def ordered(table: Table, rows: Iterable[int], column: str, *, descending: bool) -> list[int]:
    """Sort row numbers by a column; means of too little I/O, and then absent values, come last in any case.

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
    if faint := table.faint.get(column):
        numbers.sort(key=faint.__contains__)
    texts.sort(key=values.__getitem__, reverse=descending)
    return numbers + texts + absences


def filtered(table: Table, conditions: Sequence[Condition]) -> list[int]:
    """Return the numbers of the rows that meet all conditions."""
    rows = list(range(len(table.keys)))
    for condition in conditions:
        columns = [table.column(condition.column)]
        if condition.lcu and condition.column != HOME and HOME in table.columns:
            columns.append(table.column(HOME))
        every = all if condition.sign == "!=" else any
        rows = [row for row in rows if every(condition.holds(values[row]) for values in columns)]
    return rows
