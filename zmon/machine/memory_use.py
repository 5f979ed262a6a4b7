"""The memory of this Linux in an interval: what it holds, and how much it pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent, ratio
from zmon.kinds import MEMORY
from zmon.machine.figure import Figure, catalogue
from zmon.machine.things import Things

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Number
    from zmon.interval import Interval

ROW: Final = "memory"
"""The one row of the kind."""
SWAPPED: Final = ("swapped_in", "swapped_out")
"""Counters that do not grow where there is no area to swap to."""
PAGE: Final = 4096
NO_SPACE: Final = absent("there is no swap space")


class Memory(Things):
    """The memory of this Linux: a single thing; sizes in bytes, counters per second."""

    as_shown = True

    def __init__(self, interval: Interval) -> None:
        """Look at an interval."""
        self._now, self._after = interval.of(MEMORY), interval.after.frame(MEMORY)
        self.keys = [ROW]
        self.missing = self._now.missing

    def size(self, field: str) -> Number:
        """Return a field of the kind: how much it is, of a counter how much more."""
        return self._now.cell(ROW, field)  # type: ignore[return-value]  # all are numbers

    def since_boot(self, field: str) -> Number:
        """Return a field as the kernel has it at the end of the interval."""
        return self._after.cell(ROW, field)  # type: ignore[return-value]  # likewise

    def rate(self, field: str) -> Number:
        """Return a counter per second; of swapped pages it is 0 where there is no area to swap to."""
        if field in SWAPPED and self.size("swap_total") == 0:
            return 0.0
        return next(iter(self._now.rate(field)), self.size(field))

    def figure(self, key: str) -> Number:
        """Return one of its figures."""
        return self.column(key)[0]  # type: ignore[return-value]  # all are numbers


def _figure(key: str, make: Callable[[Memory], Number]) -> Figure:
    return Figure(key, lambda memory: [make(memory)], lambda memory, _rows: memory.figure(key))


def _size(key: str, field: str = "") -> Figure:
    return _figure(key, lambda memory: memory.size(field or key))


def _rate(key: str, *fields: str) -> Figure:
    """Declare what several counters are together, per second."""
    first, *others = fields
    return _figure(key, lambda memory: sum(map(memory.rate, others), memory.rate(first)))


def _swap_used(memory: Memory) -> Number:
    return memory.size("swap_total") - memory.size("swap_free")


PAGING: Final = catalogue(
    _rate("pagein", "swapped_in"),
    _rate("pageout", "swapped_out"),
    _rate("paging", *SWAPPED),
    _size("total"),
    _size("available"),
    _figure(
        "used",
        lambda memory: 100.0 * ratio(memory.size("total") - memory.size("available"), memory.size("total")),
    ),
    _size("free"),
    _size("buffers"),
    _size("cached"),
    _size("swap", "swap_total"),
    _figure("swapused", _swap_used),
    _figure(
        "swappct",
        lambda memory: 100.0 * ratio(_swap_used(memory), memory.size("swap_total"), NO_SPACE.reason),
    ),
)
"""What PAGELOG shows of each interval, and rules watch."""
Memory.figures = PAGING | catalogue(
    *map(
        _size,
        (
            "anonymous", "shared", "mapped", "locked", "dirty", "writeback", "slab_kept", "page_tables",
            "kernel_stacks", "committed", "commit_limit", "swap_cached", "anonymous_huge", "huge_size",
            "huge_total", "huge_free", "huge_reserved", "huge_surplus",
        ),
    ),
    _rate("major", "major_faults"),
    _rate("faults", "faults"),
    _rate("refile", "refaulted_file"),
    _rate("reanon", "refaulted_anon"),
    _rate("stalls", "stalls"),
    _rate("scanned", "scanned_kswapd", "scanned_direct"),
    _rate("reclaimed", "reclaimed_kswapd", "reclaimed_direct"),
    _figure("taken", lambda memory: (memory.size("cmm_pages") + memory.size("cmm_timed_pages")) * PAGE),
    _figure(
        "balloon",
        lambda memory: (
            (memory.since_boot("balloon_inflated") - memory.since_boot("balloon_deflated")) * PAGE
        ),
    ),
)  # fmt: skip
"""These, and what STORAGE shows besides: `taken` is what CP took back, for good and for a time."""
