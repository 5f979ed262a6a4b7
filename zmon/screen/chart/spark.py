"""A curve in one line, for a time line or beside a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.screen.chart.canvas import BLOCKS
from zmon.screen.chart.line_chart import MOST
from zmon.screen.chart.points import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.absent import Value

RAMPS: Final = {"blocks": BLOCKS, "ascii": "_.:-=+*#"}
"""From nothing to the highest; a blank is a gap."""


def sparkline(
    values: Sequence[Value | None], width: int, style: str = "blocks", top: float | None = None
) -> str:
    """Draw values that lie evenly in time, from the oldest, in `width` characters.

    A character shows the highest of its values, so that no peak is lost, and is blank where it has none.
    The scale goes from zero, or the lowest if that is below, to `top`, or the highest if that is not given.
    """
    width = min(max(width, 0), MOST)
    numbers = [number(value) for value in values]
    known = [value for value in numbers if value is not None]
    if not known:
        return " " * width
    low = min(*known, 0.0)
    high = max(known) if top is None else top
    ramp = RAMPS[style]
    drawn = []
    for slot in range(width):
        first = slot * len(numbers) // width
        last = max(-(-(slot + 1) * len(numbers) // width), first + 1)
        highest = max((value for value in numbers[first:last] if value is not None), default=None)
        drawn.append(" " if highest is None else ramp[_step(highest, low, high, len(ramp))])
    return "".join(drawn)


def _step(value: float, low: float, high: float, steps: int) -> int:
    """Return which of the steps a value reaches; the lowest is for nothing."""
    if high <= low:
        return 0
    share = (value - low) / (high - low)  # infinite where the scale is next to nothing
    return round(min(max(share, 0.0), 1.0) * (steps - 1))
