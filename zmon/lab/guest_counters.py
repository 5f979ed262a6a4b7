"""What a kernel would show of waiting tasks and of memory: counters of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.kinds import MEMORY, NO_FULL, PRESSURE, SWAP, TASKS
from zmon.lab.engine_state import GuestCounts
from zmon.sample import frame_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Value
    from zmon.lab.model import GuestMemory, Scenario
    from zmon.sample import Frame

AVERAGES: Final = ("some10", "some60", "some300", "full10", "full60", "full300")
NO_AVERAGE: Final = absent("the laboratory counts the time alone, not the kernel's averages")
MIN_FREE: Final = 0.02
"""Part of the memory that Linux keeps free."""


class GuestCounters:
    """What happened to Linux since a scenario began."""

    def __init__(self, plan: Scenario) -> None:
        """Begin at zero."""
        self.plan = plan
        self.sum = GuestCounts()

    def copy(self) -> GuestCounters:
        """Return the same counters, to go on from here once more."""
        other = GuestCounters(self.plan)
        other.sum = self.sum
        return other

    def add(self, counts: GuestCounts, times: int = 1) -> None:
        """Count what happened in an interval, which may be repeated."""
        self.sum = GuestCounts(*(old + new * times for old, new in zip(self.sum, counts, strict=True)))

    def at_the_end_of(self, counts: GuestCounts) -> None:
        """Take what is there at the end of an interval."""
        self.sum = self.sum._replace(running=counts.running, blocked=counts.blocked)

    def frames(self, plan: Scenario, now: int, disk: str) -> Iterator[Frame]:
        """Yield pressure and tasks, and memory and swap where a scenario has them: it swaps to `disk`."""
        total = self.sum
        rows: dict[str, dict[str, Value]] = {
            "cpu": {"some": total.cpu_ns, "full": NO_FULL},
            "io": {"some": total.io_ns, "full": total.io_full_ns},
            "memory": {"some": total.memory_ns, "full": total.memory_full_ns},
        }
        yield frame_of(
            PRESSURE, {key: row | dict.fromkeys(AVERAGES, NO_AVERAGE) for key, row in rows.items()}, now
        )
        yield frame_of(TASKS, {"tasks": {"running": total.running, "blocked": total.blocked}}, now)
        memory = plan.memory
        if memory is not None:
            yield self._memory(memory, now)
            used = max(0, memory.used - memory.real)
            row: dict[str, Value] = {
                "sort": "partition",
                "size": self._swap_size(memory),
                "used": used,
                "priority": -2,
            }
            yield frame_of(SWAP, {f"/dev/{disk}1": row}, now)

    def _swap_size(self, memory: GuestMemory) -> int:
        """Return the bytes of the swap partition: the whole volume, but for its first track."""
        return self.plan.box.volumes[memory.swap].cylinders * 15 * 12 * 4096 - 12 * 4096

    def _memory(self, memory: GuestMemory, now: int) -> Frame:
        free = max(round(MIN_FREE * memory.real), memory.real - memory.used)
        size = self._swap_size(memory)
        row: dict[str, Value] = {
            "total": memory.real,
            "available": free,
            "free": free,
            "buffers": 0,
            "cached": 0,
            "anonymous": memory.real - free,
            "committed": memory.used,
            "swap_total": size,
            "swap_free": size - max(0, memory.used - memory.real),
            "swapped_in": self.sum.swapped_in,
            "swapped_out": self.sum.swapped_out,
            "major_faults": self.sum.swapped_in,
            "refaulted_anon": self.sum.swapped_in,
            "refaulted_file": 0,
        }
        return frame_of(MEMORY, {"memory": row}, now)
