"""Checks of memory: swapping, huge pages, the page cache, paging by CP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, code_of, text_of
from zmon.base.limits import limit
from zmon.base.ranges import many
from zmon.base.sizes import GIB, KIB
from zmon.check.practice import Check, bad, look, ok, percent, skip, unknown
from zmon.kinds import GUEST, MEMORY, NO_FILE, SWAP

if TYPE_CHECKING:
    from zmon.base.absent import Number
    from zmon.check.practice import CheckInput, Finding

MAX_SWAPPINESS: Final = 10
SWAPPING: Final = limit("paging")
"""Pages a second that are a shortage: the limit of PCP's rule memory.exhausted."""
UNUSED: Final = 0.5
"""Part of the huge pages that may be free and not reserved."""
LARGE_GUEST: Final = 100 * GIB
OVERSIZED: Final = 0.6
"""Part of a guest's memory in the page cache."""
NO_HUGE_PAGES: Final = "the kernel has no huge pages"
PAGED: Final = 0.05
"""Part of the samples in which a guest waits for a page."""


def swappiness(given: CheckInput) -> Finding:
    """B17: Linux drops the page cache before it swaps processes."""
    value = given.number("vm.swappiness")
    if given.elsewhere:
        return given.elsewhere
    if isinstance(value, Absent):
        return unknown(value)
    return ok(f"{value}") if value <= MAX_SWAPPINESS else look(f"{value}, so processes are swapped early")


class HugePages:
    """The huge pages of all sizes, in bytes."""

    def __init__(self, given: CheckInput) -> None:
        """Add up; absent if a number was not read."""
        self.total: Number = 0
        self.unused: Number = 0
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


def _has_none(given: CheckInput) -> bool:
    """Return whether the kernel has no huge pages: neither /proc/meminfo, which was read, nor /sys has."""
    was_read = bool(given.settings) and bool(given.sample.frame(MEMORY).keys)
    return was_read and not any(name.startswith("hugepages") for name in given.settings)


def huge_pages(given: CheckInput) -> Finding:
    """B18: reserved huge pages are used."""
    if given.elsewhere:
        return given.elsewhere
    if _has_none(given):
        return skip(NO_HUGE_PAGES)
    pages = HugePages(given)
    if isinstance(pages.total, Absent) or isinstance(pages.unused, Absent):
        return unknown(pages.total if isinstance(pages.total, Absent) else pages.unused)
    if not pages.total:
        return skip("no huge page is reserved")
    words = f"{_size(pages.unused)} of {_size(pages.total)} of huge pages are neither used nor reserved"
    if pages.unused > UNUSED * pages.total:
        return bad(f"{words}: nothing else can use them, and the database does not")
    return ok(words)


def huge_pages_at_boot(given: CheckInput) -> Finding:
    """B19: huge pages are reserved while memory is not fragmented."""
    if given.elsewhere:
        return given.elsewhere
    if _has_none(given):
        return skip(NO_HUGE_PAGES)
    pages = HugePages(given)
    if isinstance(pages.total, Absent):
        return unknown(pages.total)
    if not pages.total:
        return skip("no huge page is reserved")
    if "cmdline" in given.settings:
        return unknown(given.setting("cmdline"))
    words = given.setting("cmdline/hugepages")
    return (
        ok(f"hugepages={words}") if isinstance(words, str) else look("reserved, but not by a boot parameter")
    )


def swapping(given: CheckInput) -> Finding:
    """B20: Linux does not swap."""
    if given.elsewhere:
        return given.elsewhere
    now = 0.0
    for name in ("swapped_in", "swapped_out"):
        rate = given.rates(MEMORY, name).get("memory", 0.0)
        now += 0.0 if isinstance(rate, Absent) else rate
    if now >= SWAPPING:
        return bad(f"{now:,.0f} pages/s are swapped")
    pages = given.memory("swapped_in") + given.memory("swapped_out")
    if isinstance(pages, Absent):
        return unknown(pages)
    if pages or now:
        return look(f"{pages:,} pages were swapped since the start of Linux, {now:,.0f}/s now")
    return ok("nothing was swapped since the start of Linux")


def oversized_guest(given: CheckInput) -> Finding:
    """B21: a guest does not press others with memory that only holds its page cache."""
    if given.outside_zvm:
        return given.outside_zvm
    cached, total = given.memory("cached"), given.memory("total")
    if isinstance(cached, Absent) or isinstance(total, Absent) or not total:
        return unknown(cached if isinstance(cached, Absent) else total)
    words = f"the page cache has {percent(cached / total)} of {_size(total)}"
    return look(words) if cached > OVERSIZED * total else ok(words)


def paging_by_cp(given: CheckInput) -> Finding:
    """B22: CP does not page this guest."""
    if given.outside_zvm:
        return given.outside_zvm
    name = text_of(given.fact("guest_name"))
    frame = given.sample.frame(GUEST)
    if name not in frame.index:
        return unknown(frame.missing or absent("the hypervisor says nothing of this guest"))
    waits, total = (given.rates(GUEST, field).get(name) for field in ("page_wait", "total"))
    if waits is None or total is None:
        return unknown("samples of CP were not counted: this takes two samples")
    if isinstance(waits, Absent) or isinstance(total, Absent) or not total:
        return unknown(waits if isinstance(waits, Absent) else "CP took no samples in the interval")
    words = f"the guest waited for CP's paging in {percent(waits / total)} of CP's samples"
    return look(words) if waits > PAGED * total else ok(words)


def large_guest(given: CheckInput) -> Finding:
    """B24: a very large SGA has an LPAR of its own."""
    if given.outside_zvm:
        return given.outside_zvm
    total, pages = given.memory("total"), HugePages(given).total
    if not isinstance(total, Absent) and total < LARGE_GUEST:
        return ok(f"the guest has {_size(total)}")
    if isinstance(pages, Absent):
        return unknown(pages)
    words = f"{_size(pages)} of huge pages in a guest"
    return look(words) if pages > LARGE_GUEST else ok(words)


def swap_space(given: CheckInput) -> Finding:
    """H15: there is swap space for an emergency."""
    if given.elsewhere:
        return given.elsewhere
    frame = given.sample.frame(SWAP)
    if frame.missing is not None:
        return unknown(frame.missing)
    if not frame.keys:
        return look("there is none")
    size = sum(one for one in frame.column("size") if isinstance(one, int))
    return ok(f"{many(len(frame.keys), 'swap area')}, {_size(size)}")


def transparent_huge_pages(given: CheckInput) -> Finding:
    """K3: no process gets huge pages that it did not ask for."""
    if given.elsewhere:
        return given.elsewhere
    value = given.setting("transparent_hugepage")
    if code_of(value) == NO_FILE.code:
        return skip("the kernel has no transparent huge pages")
    if isinstance(value, Absent):
        return unknown(value)
    return look("always") if value == "always" else ok(str(value))


def cgroup_memory(given: CheckInput) -> Finding:
    """B30: old kernels spend a hundredth of memory on cgroups."""
    if given.release is None:
        return unknown("the version of the kernel is not known")
    if given.release >= (4, 0):
        return skip("from Linux 4 on accounting by cgroups takes no memory of its own")
    if "cmdline" in given.settings or not given.settings:
        return unknown(given.setting("cmdline"))
    value = text_of(given.setting("cmdline/cgroup_disable"))
    return ok("cgroup_disable=memory") if "memory" in value else look("cgroup_disable=memory is not set")


def _size(count: float) -> str:
    return f"{count / GIB:,.1f} GiB" if count < 100 * GIB else f"{count / GIB:,.0f} GiB"


CHECKS: Final = (
    Check("B17", "swappiness", "/proc/sys/vm/swappiness", "0 to 10", "set vm.swappiness to 1 to 10 on a"
          " database host (the study says 0, which since Linux 3.5 means not to swap until memory is"
          " exhausted)", "S004:401-402, kernel admin-guide/sysctl/vm.rst", swappiness),
    Check("B18", "huge pages are used", "/sys/kernel/mm/hugepages/*, /proc/meminfo",
          "free less reserved: less than half", "make the SGA no larger than the huge pages, and give its"
          " user memlock: else the whole SGA falls back to small pages", "S004:262, S004:406-420",
          huge_pages),
    Check("B19", "huge pages at boot", "/proc/cmdline: hugepages", "a boot parameter",
          "reserve them with hugepages=N at boot: later, memory is fragmented", "S004:406-420",
          huge_pages_at_boot),
    Check("B20", "no swapping", "/proc/vmstat: pswpin, pswpout", "0",
          "give the guest more memory, or the database smaller buffers", "S004:308-309, S004:533",
          swapping),
    Check("B21", "memory of a guest", "/proc/meminfo: Cached", "less than 60 % in the page cache",
          "make the guest smaller: memory that holds only page cache makes CP page", "S004:393-400",
          oversized_guest),
    Check("B22", "paging by CP", "diag 2fc: page wait of this guest", "less than 5 % of samples",
          "give the z/VM LPAR more memory, or its guests less", "S004:139-146, S004:495-497", paging_by_cp),
    Check("B24", "very large SGA", "/proc/meminfo, /sys/kernel/mm/hugepages/*",
          "less than 100 GB in a guest", "run databases with an SGA of more than 100 GB in an LPAR of"
          " their own", "S004:530", large_guest),
    Check("B30", "memory for cgroups", "uname, /proc/cmdline", "cgroup_disable=memory before Linux 4",
          "boot with cgroup_disable=memory", "S003:507-517", cgroup_memory),
    Check("H15", "swap space", "/proc/swaps", "some", "add a small swap disk for emergencies",
          "lnxhc mem_swap_availability", swap_space),
    Check("K3", "transparent huge pages", "/sys/kernel/mm/transparent_hugepage/enabled", "madvise or never",
          "boot with transparent_hugepage=madvise on an Oracle host",
          "Oracle's notes on transparent huge pages, kernel admin-guide/mm/transhuge.rst",
          transparent_huge_pages),
)  # fmt: skip
"""The checks of this module."""
