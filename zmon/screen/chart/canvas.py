"""Puts figures into cells: dots of braille, bars of blocks or of ASCII, and the letters of several series."""

from __future__ import annotations

import math
from string import ascii_uppercase
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.screen.chart.scale import HAIR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.screen.chart.points import Point
    from zmon.screen.chart.scale import Scale
    from zmon.screen.definition import Limit

BLOCKS: Final = "▁▂▃▄▅▆▇█"
BRAILLE: Final = 0x2800
DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a cell, from the top; left and right."""


class Style(NamedTuple):
    """The characters that a style draws with."""

    fill: str
    """What a bar ends with, from nearly nothing to a full cell."""
    reach: str
    """Drawn between the mean and the highest value."""
    look: str
    bad: str
    beside: str
    beside_tick: str
    below: str
    below_tick: str
    corner: str
    hole: str
    """Drawn in the axis of time where values are missing."""


LINES: Final = Style(BLOCKS, "│", "·", "─", "│", "┤", "─", "┬", "└", "·")
STYLES: Final = {
    "braille": LINES,
    "blocks": LINES,
    "ascii": Style("_#", ":", ".", "-", "|", "+", "-", "+", "+", "."),
}


def letter(series: int) -> str:
    """Return the letter of a series."""
    return ascii_uppercase[series % len(ascii_uppercase)]


class Cells:
    """The field of a chart with the content of each cell; level 0 is at the bottom."""

    def __init__(self, rows: int, columns: int, scale: Scale, limit: Limit | None) -> None:
        """Begin with empty cells."""
        self.rows, self.columns = rows, columns
        self.scale, self.limit = scale, limit
        self.text = [[" "] * columns for _ in range(rows)]
        self.series: list[list[int | None]] = [[None] * columns for _ in range(rows)]
        self.signs = [[" "] * columns for _ in range(rows)]

    def put(self, level: int, column: int, text: str, series: int, high: float) -> None:
        """Fill a cell with what belongs to a series and reaches up to `high`."""
        self.text[level][column] = text
        self.series[level][column] = series
        self.signs[level][column] = self._sign(level, high)

    def _sign(self, level: int, high: float) -> str:
        """Return the mark of what a cell shows of values that reach up to `high`."""
        if self.limit is None:
            return " "
        if level < self.scale.level(high, self.rows):
            high = self.scale.at((level + 1) / self.rows - HAIR)
        return self.limit.mark(high)

    def line(self, value: float, text: str) -> None:
        """Draw a line through the empty cells of a level, if the scale reaches there."""
        if self.scale.low <= value <= self.scale.high:
            level = self.scale.level(value, self.rows)
            row, owners = self.text[level], self.series[level]
            for column, owner in enumerate(owners):
                if owner is None:
                    row[column] = text


def draw_bars(cells: Cells, points: Sequence[Point], style: Style) -> None:
    """Draw one series as bars up to the mean, and a thin line from there to the highest value.

    What is there is seen: a bar without height still has a base.
    """
    parts = len(style.fill)
    for column, point in enumerate(points):
        figures = point.figures
        if figures is None:
            continue
        _low, mean, high = figures
        full, rest = divmod(_height(cells, mean, parts), parts)
        for level in range(full):
            cells.put(level, column, style.fill[-1], 0, high)
        if rest:
            cells.put(full, column, style.fill[rest - 1], 0, high)
        for level in range(full + bool(rest), cells.scale.level(high, cells.rows) + 1):
            cells.put(level, column, style.reach, 0, high)


def _height(cells: Cells, value: float, parts: int) -> int:
    """Return the height of a bar in parts of a cell, at least one."""
    share = cells.scale.share(value)
    if parts > 2:
        return max(math.ceil(share * cells.rows * parts - HAIR), 1)
    return max(math.ceil(share * cells.rows - HAIR) * parts, 1)  # a base or whole cells


def draw_dots(cells: Cells, lines: Sequence[Sequence[Point]]) -> None:
    """Draw series as lines of dots, two points for a cell, from the lowest to the highest value of each.

    Neighbours are joined, over a gap they are not.  In a cell of several series the first has its name.
    """
    dots = [[0] * cells.columns for _ in range(cells.rows)]
    for series in range(len(lines) - 1, -1, -1):
        before: tuple[int, int] | None = None
        for place, point in enumerate(lines[series]):
            figures = point.figures
            if figures is None:
                before = None
                continue
            low, _mean, high = figures
            bottom, top = (cells.scale.level(value, 4 * cells.rows) for value in (low, high))
            first, last = bottom, top
            if before is not None:
                first, last = min(bottom, before[1] + 1), max(top, before[0] - 1)
            column, side = divmod(place, 2)
            for dot in range(first, last + 1):
                level = dot // 4
                dots[level][column] |= DOTS[3 - dot % 4][side]
                worst = max(cells.signs[level][column], key=" *!".index)
                cells.put(level, column, chr(BRAILLE + dots[level][column]), series, high)
                cells.signs[level][column] = max(worst, cells.signs[level][column], key=" *!".index)
            before = bottom, top


def draw_letters(cells: Cells, lines: Sequence[Sequence[Point]]) -> None:
    """Draw series by their letters: a capital for the mean, small ones from the lowest to the highest.

    Where several meet the first is seen.
    """
    for series in range(len(lines) - 1, -1, -1):
        for column, point in enumerate(lines[series]):
            figures = point.figures
            if figures is not None:
                low, _mean, high = figures
                for level in range(
                    cells.scale.level(low, cells.rows), cells.scale.level(high, cells.rows) + 1
                ):
                    cells.put(level, column, letter(series).lower(), series, high)
    for series in range(len(lines) - 1, -1, -1):
        for column, point in enumerate(lines[series]):
            figures = point.figures
            if figures is not None:
                level = cells.scale.level(figures[1], cells.rows)
                cells.put(level, column, letter(series), series, figures[2])
