"""PAGELOG: memory and paging by time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import ratio
from zmon.kinds import MEMORY
from zmon.tables.by_time import Log, by_time
from zmon.tables.table import Needs, Table, TableDefinition

if TYPE_CHECKING:
    from zmon.absent import Number, Value
    from zmon.tables.view import View

NEEDS: Final = Needs((MEMORY,), history=True)

KEY: Final = "memory"
"""The one row of the kind."""


def table(view: View) -> Table:
    """Fill PAGELOG: one row per interval."""
    return by_time(view, Log("paging", figures))


def figures(view: View) -> dict[str, Value]:
    """Return how memory stands, and how much of it was paged."""
    memory = view.interval.of(MEMORY)

    def size(name: str) -> Number:
        return memory.cell(KEY, name)  # type: ignore[return-value]  # all sizes are numbers

    def rate(name: str) -> Number:
        return next(iter(memory.rate(name)), size(name))

    total, available = size("total"), size("available")
    swap = size("swap_total")
    return {
        "pagein": rate("swapped_in"),
        "pageout": rate("swapped_out"),
        "paging": rate("swapped_in") + rate("swapped_out"),
        "total": total,
        "available": available,
        "used": 100.0 * ratio(total - available, total),
        "free": size("free"),
        "buffers": size("buffers"),
        "cached": size("cached"),
        "swap": swap,
        "swapused": swap - size("swap_free"),
        "swappct": 100.0 * ratio(swap - size("swap_free"), swap, "there is no swap space"),
    }


DEFINITIONS: Final = {"paging_log": TableDefinition(NEEDS, table)}
