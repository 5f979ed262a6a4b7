"""The roll-ups of a recording as rows to be written elsewhere: what each thing did in each minute or quarter.

Only tables are read, with questions that are made here: what a view in a foreign file does, nobody knows.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.store.error import Damaged
from zmon.store.opening import open_reading

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMES: Final = {"minutes": "minute", "quarters": "quarter"}
"""How long the roll-ups are, and the column that says when one begins."""

NS: Final = 1_000_000_000

Cell = int | float | str | None


class Rolled(NamedTuple):
    """One row."""

    begin: int
    """UTC in ns."""
    thing: str
    label: str
    figures: tuple[Cell, ...]
    """In the order of `headings`."""


class Rollups:
    """The roll-ups of one length in one file."""

    def __init__(self, path: str, length: str) -> None:
        """Open the file; `length` is one of `TIMES`.

        Raises:
            RecordingError: it cannot be used.
        """
        self._path, self._length = path, length
        self._opened = open_reading(path)

    def close(self) -> None:
        """Close the file."""
        self._opened.connection.close()
        self._opened.done()

    def _ask(self, question: str, *values: object) -> Iterator[tuple[Cell, ...]]:
        """Yield the rows of an answer.

        Raises:
            Damaged: the file is damaged there.
        """
        try:
            yield from self._opened.connection.execute(question, values)
        except sqlite3.DatabaseError as error:
            raise Damaged(f"{self._path}: {error}") from error

    def screens(self) -> list[str]:
        """Return the names of what was rolled up: `device`, `lpar`."""
        form = re.compile(rf"([a-z][a-z0-9_]*)_{self._length}", re.ASCII)
        names = self._ask(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' ORDER BY name"
        )
        return [match[1] for (name,) in names if (match := form.fullmatch(str(name)))]

    def figures(self, screen: str) -> list[str]:
        """Return the names of the figures that were rolled up of a screen."""
        columns = self._ask("SELECT name FROM pragma_table_info(?)", f"{screen}_{self._length}")
        names = {str(name) for (name,) in columns}
        found = [name.removesuffix("_sum") for name in names if name.endswith("_sum")]
        return sorted(
            name
            for name in found
            if re.fullmatch(r"[a-z][a-z0-9_]*", name, re.ASCII)
            and names.issuperset(f"{name}_{part}" for part in ("count", "weight", "min", "max"))
        )

    def rows(self, screen: str, figures: list[str], begin: int, end: int) -> Iterator[Rolled]:
        """Yield rows in the order of time: of each figure the mean, the lowest, the highest, and how many."""
        time, table = TIMES[self._length], f"{screen}_{self._length}"
        columns = [
            f"{figure}_{part}" for figure in figures for part in ("weight", "sum", "min", "max", "count")
        ]
        # names are checked above; a row begins with its time, the thing's name and label
        question = (
            f"SELECT {', '.join([f't.{time}', 'thing.name', 'thing.label', *columns])} FROM {table} t"  # noqa: S608
            f" JOIN thing ON thing.id = t.thing WHERE t.{time} BETWEEN ? AND ? ORDER BY t.{time}, thing.name"
        )
        for when, thing, label, *cells in self._ask(question, begin // NS, end // NS):
            if isinstance(when, int):
                parts = zip(*[iter(cells)] * 5, strict=True)
                yield Rolled(
                    when * NS,
                    str(thing),
                    str(label or ""),
                    tuple(cell for part in parts for cell in _said(*part)),
                )


def headings(figures: list[str]) -> list[str]:
    """Return the names of a row's figures."""
    return [
        name for figure in figures for name in (figure, f"{figure}_min", f"{figure}_max", f"{figure}_count")
    ]


def _said(weight: Cell, total: Cell, low: Cell, high: Cell, count: Cell) -> tuple[Cell, ...]:
    """Return mean, lowest, highest and count; what is stored is thousandths."""
    mean = None
    if isinstance(weight, int | float) and isinstance(total, int | float) and weight:
        mean = round(total / weight, 3)
    return mean, *(cell / 1000 if isinstance(cell, int | float) else None for cell in (low, high)), count
