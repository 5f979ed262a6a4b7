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

    def __str__(self) -> str:
        """Write it as an argument of PLOT: `control_unit.io LCU%206`; a key with blanks stays one word."""
        return f"{self.table}.{self.column} {quoted(self.key)}".rstrip()


def quoted(key: str) -> str:
    """Return a key as one word: its blanks are written %20."""
    return key.replace("%", "%25").replace(" ", "%20")


def unquoted(word: str) -> str:
    """Return the key that a word stands for."""
    return word.replace("%20", " ").replace("%25", "%")


class Figure(NamedTuple):
    """The lowest, the mean and the highest value between two times (UTC in ns); a gap where absent."""

    begin: int
    end: int
    low: Value
    mean: Value
    high: Value
