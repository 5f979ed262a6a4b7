"""A column of a row, and what it was over a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zmon.absent import Value


class Variable(NamedTuple):
    """A column of a table, and the row."""

    table: str
    column: str
    key: str = ""
    """Empty for the line that speaks of all rows."""


class Figure(NamedTuple):
    """The lowest, the mean and the highest value between two times (UTC in ns); a gap where absent."""

    begin: int
    end: int
    low: Value
    mean: Value
    high: Value
