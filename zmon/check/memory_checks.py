"""What checks of memory look at: swapping, huge pages, paging by CP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent, code_of, ratio, text_of
from zmon.base.sizes import KIB
from zmon.kinds import GUEST, MEMORY, NO_FILE, SWAP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Number
    from zmon.check.practice import CheckInput

CHEAP_GROUPS: Final = (4, 0)
"""The kernel from which on accounting by cgroups takes no memory of its own."""


class HugePages:
    """The huge pages of all sizes, in bytes."""

    def __init__(self, given: CheckInput) -> None:
        """Add up; absent if a number was not read."""
        self.total: Number = 0
        self.unused: Number = 0
        """Those that are neither used nor reserved."""
        was_read = bool(given.settings) and bool(given.frame(MEMORY).keys)
        self.are_impossible = was_read and not any(name.startswith("hugepages") for name in given.settings)
        """Whether the kernel has none: neither /proc/meminfo, which was read, nor /sys has."""
        rows = given.settings_of("hugepages/")
        if not rows:
            why = given.setting("hugepages")
            self.total = why if isinstance(why, Absent) else absent("huge pages were not read")
        for size in dict.fromkeys(name.partition("/")[0] for name in rows):
            total, free, reserved = (
                given.number(f"hugepages/{size}/{n}") for n in ("total", "free", "reserved")
            )
            bytes_ = int(size) * KIB if size.isdecimal() else 0
            self.total += total * bytes_
            self.unused += (free - reserved) * bytes_


def swapping(given: CheckInput) -> Mapping[str, Any]:
    """Return how many pages are swapped in a second, and how many were since the start of Linux."""
    rates = (given.rates(MEMORY, name).get("memory", 0.0) for name in ("swapped_in", "swapped_out"))
    return {
        "now": sum(rate for rate in rates if not isinstance(rate, Absent)),
        "pages": given.memory.swapped_in + given.memory.swapped_out,
    }


def paging_by_cp(given: CheckInput) -> Mapping[str, Any]:
    """Return in which part of CP's samples this guest waited for a page, and what of that is known."""
    name = text_of(given.host.guest_name)
    waits, total = (given.rates(GUEST, field).get(name) for field in ("page_wait", "total"))
    is_counted = waits is not None and total is not None
    return {
        "guests": given.read(GUEST),
        "is_listed": name in given.frame(GUEST).index,
        "is_counted": is_counted,
        "waits": waits,
        "waiting": ratio(waits or 0, total or 0),
    }


def cgroup_memory(given: CheckInput) -> Mapping[str, Any]:
    """Return whether accounting by cgroups takes no memory of its own, and whether it is off."""
    return {
        "is_cheap": given.release is not None and given.release >= CHEAP_GROUPS,
        "is_off": "memory" in text_of(given.setting("cmdline/cgroup_disable")),
    }


def swap_space(given: CheckInput) -> Mapping[str, Any]:
    """Return the swap areas, and the bytes in them."""
    sizes = given.frame(SWAP).column("size")
    return {"areas": given.read(SWAP), "size": sum(size for size in sizes if isinstance(size, int))}


def transparent_huge_pages(given: CheckInput) -> Mapping[str, Any]:
    """Return whether processes get huge pages that they did not ask for."""
    value = given.setting("transparent_hugepage")
    return {"are_impossible": code_of(value) == NO_FILE.code, "are_for_all": value == "always"}


FACTS: Final = {
    "B18": HugePages,
    "B19": HugePages,
    "B20": swapping,
    "B22": paging_by_cp,
    "B24": HugePages,
    "B30": cgroup_memory,
    "H15": swap_space,
    "K3": transparent_huge_pages,
}
"""What is found for each of these checks."""
