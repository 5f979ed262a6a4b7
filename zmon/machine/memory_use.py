"""The memory of this Linux: its use, and the rates of paging."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import ratio
from zmon.kinds import (
    MEMORY,
)

if TYPE_CHECKING:
    from zmon.base.absent import Number, Value
    from zmon.interval import Delta
    from zmon.machine.view import View

MEMORY_ROW: Final = "memory"
"""The one row of the kind."""
SWAPPED: Final = ("swapped_in", "swapped_out")
"""Counters of MEMORY that do not grow where there is no area to swap to."""


def memory_figures(view: View) -> dict[str, Value]:
    """Return the use of memory, and the paging rates."""
    memory = view.interval.of(MEMORY)

    def size(name: str) -> Number:
        return memory.cell(MEMORY_ROW, name)  # type: ignore[return-value]  # all sizes are numbers

    swapped_in, swapped_out = (memory_rate(memory, name) for name in SWAPPED)
    total, available = size("total"), size("available")
    swap = size("swap_total")
    return {
        "pagein": swapped_in,
        "pageout": swapped_out,
        "paging": swapped_in + swapped_out,
        "total": total,
        "available": available,
        "used": memory_use(view),
        "free": size("free"),
        "buffers": size("buffers"),
        "cached": size("cached"),
        "swap": swap,
        "swapused": swap - size("swap_free"),
        "swappct": 100.0 * ratio(swap - size("swap_free"), swap, "there is no swap space"),
    }


def memory_rate(memory: Delta, name: str) -> Number:
    """Return a counter of MEMORY per second; of swapped pages it is 0 where there is no area to swap to."""
    if name in SWAPPED and memory.cell(MEMORY_ROW, "swap_total") == 0:
        return 0.0
    return next(iter(memory.rate(name)), memory.cell(MEMORY_ROW, name))  # type: ignore[return-value]  # a number


def memory_use(view: View) -> Number:
    """Return how much of the memory is in use, in percent."""
    memory = view.interval.of(MEMORY)
    total, available = (memory.cell(MEMORY_ROW, name) for name in ("total", "available"))
    return 100.0 * ratio(total - available, total)  # type: ignore[arg-type,operator]  # sizes are numbers
