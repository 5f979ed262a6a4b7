"""What stands around the field of a chart: title, axes and legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.plain_text import harmless
from zmon.screen.chart.canvas import letter
from zmon.screen.chart.scale import period, time_ticks
from zmon.screen.number import bare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.screen.chart.canvas import Cells, Style
    from zmon.screen.chart.plot import Manner, Series
    from zmon.screen.chart.scale import Scale


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


def legend(series: Sequence[Series], manner: Manner, style: Style, width: int, *, dotted: bool) -> str:
    """Write what stands for what, as far as there is room."""
    if len(series) > 1:
        said = [f"{letter(place)} {harmless(one.name, ascii_only=True)}" for place, one in enumerate(series)]
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
