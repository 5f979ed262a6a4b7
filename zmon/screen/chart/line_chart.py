"""Draws series over time with their axes, limits and names, as lines of text.

Values are drawn as dots of braille, as bars of blocks or of ASCII, or by the letters of several series.
"""

from __future__ import annotations

import math
from itertools import groupby
from string import ascii_uppercase
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.plain_text import harmless
from zmon.screen.chart.points import BLOCKS, MAX_SIZE, collect, extent
from zmon.screen.chart.scale import HAIR, period, time_ticks, value_scale
from zmon.screen.number import bare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.screen.chart.points import Bucket, Point
    from zmon.screen.chart.scale import Scale
    from zmon.screen.definition import Limit


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


def title(manner: Manner, begin: int, end: int, width: int) -> str:
    """Write what is drawn at the left, and of which time at the right."""
    left = harmless(manner.title, ascii_only=True) + (
        f" ({harmless(manner.unit, ascii_only=True)})" if manner.unit else ""
    )
    right = period(begin, end, width - len(left) - 2) if begin < end else ""
    return (left.strip().ljust(width - len(right)) + right)[:width]


def field(cells: Cells, scale: Scale, style: Style, gutter: int) -> list[str]:
    """Write the field with the axis of values, from the top."""
    labels = {scale.level(value, cells.rows): label for value, label in reversed(scale.ticks)}
    lines = []
    for level in range(cells.rows - 1, -1, -1):
        label = labels.get(level, "")
        side = style.beside_tick if label else style.beside
        axis = f"{label:>{gutter - 2}} {side}" if gutter else ""
        lines.append(axis + "".join(cells.text[level]))
    return lines


def time_axis(
    span: tuple[int, int], broken: Sequence[bool], style: Style, gutter: int, width: int
) -> list[str]:
    """Write the axis of time, dotted where values are missing, and the times below their marks."""
    (begin, end), columns = span, len(broken)
    axis = [style.hole if missing else style.below for missing in broken]
    labels = [" "] * width
    free = 0
    for utc, label in time_ticks(begin, end, columns) if end > begin else ():
        column = min((utc - begin) * columns // (end - begin), columns - 1)
        start = min(max(gutter + column - len(label) // 2, 0), width - len(label))
        if start >= free and len(label) <= width:
            axis[column] = style.below_tick
            labels[start : start + len(label)] = label
            free = start + len(label) + 1
    corner = f"{style.corner:>{gutter}}" if gutter else ""
    return [corner + "".join(axis), "".join(labels)]


def legend(series: Sequence[ChartLine], manner: Manner, style: Style, width: int, *, dotted: bool) -> str:
    """Write the legend, as far as there is room."""
    if len(series) > 1:
        said = [
            f"{letter(place)} {harmless(curve.name, ascii_only=True)}" for place, curve in enumerate(series)
        ]
    elif manner.style == "braille":
        said = []
    else:
        said = [f"{style.fill[-1]} mean", f"{style.reach} highest"]
    limits = []
    if manner.limit is not None:
        limits = [
            f"{line * 3} {name} > {bare(f'{value:g}')}"
            for line, name, value in (
                (style.look, "look", manner.limit.look),
                (style.bad, "bad", manner.limit.bad),
            )
        ]
    if dotted:
        limits.append(f"{style.hole} missing")
    line = "   ".join(said + limits)
    shown = len(said)
    while shown > 1 and len(line) > width:
        shown -= 1
        line = "   ".join([*said[:shown], f"+{len(said) - shown}", *limits])
    return line[:width]


def _flagged(
    axis: str, events: Sequence[tuple[int, int]], span: tuple[int, int], gutter: int, columns: int
) -> tuple[str, list[tuple[int, int]]]:
    """Write `!` into an axis of time where events are; return it, and from where to where they are."""
    begin, end = span
    places = []
    for first, last in events:
        if first <= end and last >= begin < end:
            at = (max((utc - begin) * columns // (end - begin), 0) for utc in (first, min(last, end) - 1))
            start, stop = (gutter + min(place, columns - 1) for place in at)
            places.append((start, max(stop, start) + 1))
            axis = axis[:start] + "!" * (places[-1][1] - start) + axis[places[-1][1] :]
    return axis, places


NARROWEST: Final = 10
"""Columns of the field below which the axis of values gives its room away."""


class ChartLine(NamedTuple):
    """One line of a chart: what it is called and what it shows, in the order of time."""

    name: str
    points: Sequence[Point]


class ChartMark(NamedTuple):
    """The characters from `start` up to `end` of a line belong to a series, and exceed a limit or not."""

    line: int
    start: int
    end: int
    series: int
    sign: str
    """`!` when bad, `*` when worth a look, else a blank, as `Limit.mark` says."""


class Chart(NamedTuple):
    """A finished chart."""

    lines: tuple[str, ...]
    marks: tuple[ChartMark, ...]
    """What the glass may colour."""


class Manner(NamedTuple):
    """What a chart is called and how it is drawn."""

    title: str = ""
    unit: str = ""
    form: str = "rate"
    """The format of the column that is drawn: `bytes` has binary units."""
    limit: Limit | None = None
    style: str = "braille"
    """`braille`, `blocks` or `ascii`."""
    zero: bool = True
    """Whether the axis of values begins at zero, as is honest for a load."""


PLAIN: Final = Manner()


def plot(  # noqa: PLR0913, PLR0917 - what is drawn, in how much room, and what is marked
    series: Sequence[ChartLine],
    width: int,
    height: int,
    manner: Manner = PLAIN,
    span: tuple[int, int] | None = None,
    events: Sequence[tuple[int, int]] = (),
) -> Chart:
    """Draw series between two times, by default from their first to their last point.

    The chart has `height` lines of at most `width` characters.  What does not fit is left out: first the
    legend, then the title, the axis of time and that of values.  A gap stays empty, and the axis of time
    is dotted wherever values of all series are missing, be it for less than a column.

    A single series is a line of dots (`braille`) or a bar per column up to the mean, with a thin line up to
    the highest value.  Several are lines of dots that end in their letter, or are drawn by their letters.
    The axis of time has `!` where an event lies, from its begin to its end.
    The limits are lines that differ, `look` is dotted; above the values by more than their height they
    are in the legend only.
    """
    width, height = (min(max(size, 1), MAX_SIZE) for size in (width, height))
    every = [point for curve in series for point in curve.points]
    begin, end = span or extent(every) or (0, 0)
    style = STYLES[manner.style]
    layout = _Layout(width, height, manner, several=len(series) > 1)
    scale = _scale(every, begin, end, layout.rows, manner)
    gutter = layout.gutter(scale)
    ends = 1 if len(series) > 1 and manner.style == "braille" and width - gutter > NARROWEST else 0
    cells = Cells(layout.rows, width - gutter - ends, scale, manner.limit)
    fine = 2 if manner.style == "braille" else 1
    collected = [collect(curve.points, fine * cells.columns, begin, end) for curve in series]
    drawn = [[bucket.point for bucket in buckets] for buckets in collected]
    _draw(cells, drawn, manner.style)
    if manner.limit is not None:
        cells.line(manner.limit.look, style.look)
        cells.line(manner.limit.bad, style.bad)

    lines: list[str] = []
    if layout.title:
        lines.append(title(manner, begin, end, width))
    top = len(lines)
    lines += field(cells, scale, style, gutter)
    marks = _marks(cells, top, gutter)
    if ends:
        marks += _name_ends(lines, cells, drawn, top)
    broken = _broken(collected, cells.columns)
    if layout.axis:
        lines += time_axis((begin, end), broken, style, gutter, width)
        lines[-2], more = _flagged(lines[-2], events, (begin, end), gutter, cells.columns)
        marks += [ChartMark(len(lines) - 2, *mark, 0, "!") for mark in more]
    if layout.legend:
        lines.append(legend(series, manner, style, width, dotted=any(broken)))
    return Chart(tuple(line.rstrip() for line in lines), tuple(marks))


class _Layout:
    """Which parts of a chart a number of lines has room for."""

    def __init__(self, width: int, height: int, manner: Manner, *, several: bool) -> None:
        self.width = width
        self.axis = height >= 5
        self.title = height >= 6 and bool(manner.title or manner.unit)
        self.legend = height >= 8 and (several or manner.limit is not None or manner.style != "braille")
        self.rows = height - 2 * self.axis - self.title - self.legend

    def gutter(self, scale: Scale) -> int:
        """Return how many columns the axis of values takes."""
        wanted = max(len(label) for _value, label in scale.ticks) + 2
        return wanted if self.rows >= 3 and self.width - wanted >= NARROWEST else 0


def _scale(points: Sequence[Point], begin: int, end: int, rows: int, manner: Manner) -> Scale:
    """Return the axis of values: with the limits, unless the values would shrink to less than half of it."""
    low, _mean, high = collect(points, 1, begin, end)[0].point.figures or (0.0, 1.0, 1.0)
    if manner.limit is not None:
        near = [value for value in (manner.limit.look, manner.limit.bad) if value <= 2 * high]
        high = max(high, *near) if near else high
    return value_scale(low, high, min(rows // 2 + 1, 9), manner.form, zero=manner.zero)


def _draw(cells: Cells, lines: Sequence[Sequence[Point]], style: str) -> None:
    if style == "braille":
        draw_dots(cells, lines)
    elif len(lines) == 1:
        draw_bars(cells, lines[0], STYLES[style])
    else:
        draw_letters(cells, lines)
    if not any(owner is not None for row in cells.series for owner in row):
        _say(cells, "no values")


def _say(cells: Cells, text: str) -> None:
    """Write words into the middle of an empty field, if they fit."""
    start, level = (cells.columns - len(text)) // 2, cells.rows // 2
    if start >= 0:
        cells.text[level][start : start + len(text)] = text


def _broken(curves: Sequence[Sequence[Bucket]], columns: int) -> list[bool]:
    """Tell in which columns values of all series are missing, at least for a part of it."""
    wide = len(curves[0]) // columns if curves else 0
    return [
        all(
            any(bucket.broken for bucket in buckets[column * wide : (column + 1) * wide])
            for buckets in curves
        )
        for column in range(columns)
    ]


def _marks(cells: Cells, top: int, gutter: int) -> list[ChartMark]:
    """Return which characters belong to which series, in runs."""
    marks = []
    for level in range(cells.rows - 1, -1, -1):
        at = gutter
        line = top + cells.rows - 1 - level
        for (series, sign), same in groupby(zip(cells.series[level], cells.signs[level], strict=True)):
            length = sum(1 for _ in same)
            if series is not None:
                marks.append(ChartMark(line, at, at + length, series, sign))
            at += length
    return marks


def _name_ends(lines: list[str], cells: Cells, drawn: Sequence[Sequence[Point]], top: int) -> list[ChartMark]:
    """Put the letter of each series behind its last value, or as near to there as is free."""
    free = set(range(cells.rows))
    ends = []
    for series, points in enumerate(drawn):
        last = next((point.figures for point in reversed(points) if point.figures is not None), None)
        if last is None or not free:
            continue
        wanted = cells.scale.level(last[1], cells.rows)
        level = min(free, key=lambda other: (abs(other - wanted), other))
        free.remove(level)
        line = top + cells.rows - 1 - level
        lines[line] += letter(series)
        ends.append(ChartMark(line, len(lines[line]) - 1, len(lines[line]), series, " "))
    return ends
