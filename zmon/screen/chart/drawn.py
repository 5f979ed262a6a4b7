"""The figures of a table as a chart, with what the screens say of their columns: unit, format, limits."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from zmon.machine.figure import unquoted
from zmon.screen.chart.line_chart import ChartLine, Manner, plot
from zmon.screen.chart.points import Point
from zmon.screen.variable import described, listed, names
from zmon.tables.filled import needs
from zmon.tables.plot import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.machine.figure import Variable
    from zmon.screen.chart.line_chart import Chart
    from zmon.screen.definition import Column, Screen, Screens
    from zmon.tables.table import Table

WIDTH, HEIGHT = 79, 19
"""Of a chart that is printed with a screen."""

ASCII: Final = "ascii"

EMPTY: Final = "no interval lies in this time"


def drawn(table: Table, screens: Screens, width: int, height: int, style: str = ASCII) -> Chart:
    """Draw what a table of PLOT holds."""
    variables, _since = parse(str(table.facts["plotted"]))
    points: dict[str, list[Point]] = {}
    columns = [table.column(name) for name in ("series", "begin", "end", "low", "mean", "high")]
    for name, begin, end, low, mean, high in zip(*columns, strict=True):
        if isinstance(begin, int) and isinstance(end, int):
            points.setdefault(str(name), []).append(Point(begin, end, low, mean, high))
    of_variables = [points.get(str(variable), []) for variable in variables]
    names = str(table.facts["names"]).split(" ") if "names" in table.facts else []  # some may be empty
    return chart(variables, of_variables, screens, (width, height), style, list(map(unquoted, names)))


def chart(  # noqa: PLR0913, PLR0917 - one for each thing that a chart shows
    variables: Sequence[Variable],
    points: Sequence[Sequence[Point]],
    screens: Screens,
    size: tuple[int, int],
    style: str,
    names: Sequence[str] = (),
) -> Chart:
    """Draw variables by time; limits are drawn when all are of the same column.

    `names` are what their rows are called, where that is not the last part of their keys.
    """
    names = names or [variable.key.rpartition(".")[2] for variable in variables]
    headings = [described(variable, screens) for variable in variables]
    columns = {
        heading[1].name: heading[1] for heading in headings if heading is not None and heading[1] is not None
    }
    units = {column.unit for column in columns.values()}
    same = (
        next(iter(columns.values()))
        if len({variable[:2] for variable in variables}) == 1 and columns
        else None
    )
    manner = Manner(
        title=_title(variables, headings, same, names),
        unit=units.pop() if len(units) == 1 else "",
        form=same.format if same is not None else "rate",
        limit=same.limit if same is not None else None,
        style=style,
    )
    lines = [
        ChartLine(label, curve)
        for label, curve in zip(labels(variables, headings, same, names), points, strict=True)
    ]
    return plot(lines, *size, manner)


def _title(
    variables: Sequence[Variable],
    headings: Sequence[tuple[Screen, Column | None] | None],
    same: Column | None,
    names: Sequence[str],
) -> str:
    """Say what is drawn: the screen, and the column and row if there is but one."""
    screens = dict.fromkeys(heading[0].command if heading is not None else "" for heading in headings)
    parts = [" ".join(screens)]
    if same is not None or len(variables) == 1:
        parts.append(variables[0].column)
    if len(variables) == 1:
        parts.append(names[0] or everything(variables[0]))
    return " ".join(filter(None, parts))


def everything(variable: Variable) -> str:
    """Return what a variable without a row is called: of a list the line of all rows."""
    return "" if needs(variable.table).history else "all"


def labels(
    variables: Sequence[Variable],
    headings: Sequence[tuple[Screen, Column | None] | None],
    same: Column | None,
    names: Sequence[str],
) -> list[str]:
    """Return what each variable is called beside the others."""
    if same is not None:
        return [key or "all" for key in names]
    texts = []
    for variable, key, heading in zip(variables, names, headings, strict=True):
        unit = heading[1].unit if heading is not None and heading[1] is not None else ""
        texts.append(" ".join(filter(None, (variable.column, unit and f"({unit})", key))))
    return texts


def overview(screens: Screens, width: int = WIDTH) -> list[str]:
    """Return in lines what can be drawn, and how."""
    text = (
        "PLOT column [row] [since] draws a column by time; alone that which TAB chose, of the row at the "
        "cursor. Of other screens: PLOT DEVICE.resp 7000, PLOT CTLUNIT.io 2482 -10m. It can draw:"
    )
    lines = [*(f" {part}" for part in wrap(text, width - 1)), ""]
    for screen in sorted(listed(screens), key=lambda screen: screen.command):
        lines += wrap(
            ", ".join(names(screen)),
            width,
            initial_indent=f" {screen.command:<9} ",
            subsequent_indent=" " * 11,
        )
    return lines


def page(
    table: Table, screens: Screens, width: int = WIDTH, height: int = HEIGHT, style: str = ASCII
) -> list[str]:
    """Return the lines of the screen PLOT: the chart, or what there is to be drawn."""
    if "plotted" not in table.facts:
        return overview(screens, width)
    return list(drawn(table, screens, width, height, style).lines)
