"""Bars and curves in the rows of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.base.absent import Absent
from zmon.screen.chart.points import number as finite
from zmon.screen.chart.points import sparkline
from zmon.screen.number import bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.screen.definition import Picture
    from zmon.tables.table import Table


class DrawnColumn:
    """The pictures of a column by the number of the row, each drawn when it is asked for."""

    def __init__(self, picture: Picture, form: str, table: Table, style: str) -> None:
        """Draw nothing yet; `form` is the format of the column, `style` is `blocks` or `ascii`.

        Curves go up to 100 of a percentage, else to the highest present value of all rows.
        """
        self._picture, self._table, self._style = picture, table, style
        self._values = table.column(picture.of)
        self._top = 100.0 if form == "percent" else max(filter(None, map(finite, self._values)), default=None)

    def __getitem__(self, row: int) -> str:
        width = self._picture.width
        if self._picture.kind == "bar":
            value = self._values[row]
            return " " * width if isinstance(value, (Absent, str)) else bar(value, width, self._style)
        figures = self._table.series[f"{self._picture.of} {self._table.keys[row]}"][-width:]
        return sparkline([figure.mean for figure in figures], len(figures), self._style, self._top).rjust(
            width
        )

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self._values)))
