"""/proc/meminfo, /proc/vmstat and /proc/sys/vm/cmm_*: the memory of this Linux.

Sizes are bytes; the reclaimable slabs count as `cached`.  The counters of /proc/vmstat are 64 bits wide and
count pages of 4 KiB, or events, since boot.  Lines come and go with releases of the kernel: what it does not
have is absent.  Kernel: fs/proc/meminfo.c (meminfo_proc_show), mm/vmstat.c (vmstat_text).

Pages that z/VM has taken back are in `cmm_pages` and `cmm_timed_pages`, which the module cmm of a guest of
z/VM has: pages of 4 KiB that Linux holds, empty, so that CP needs no frame for them.  The timed ones return
to Linux, so many every so many seconds: `cmm_timeout`.  Kernel: arch/s390/mm/cmm.c (cmm_pages_handler,
cmm_timeout_handler).
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Reasons, absent
from zmon.kernel.proc_stat import parse_amounts
from zmon.kernel.tree import read_several, refused, text, why_hidden
from zmon.kinds import MEMORY
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

MEMINFO: Final = "proc/meminfo"
VMSTAT: Final = "proc/vmstat"
CMM: Final = "proc/sys/vm"

_SIZES: Final = {
    "total": "MemTotal:", "available": "MemAvailable:", "free": "MemFree:", "buffers": "Buffers:",
    "cached": "Cached:", "swap_total": "SwapTotal:", "swap_free": "SwapFree:",
    "dirty": "Dirty:", "writeback": "Writeback:",
    "anonymous": "AnonPages:", "mapped": "Mapped:", "shared": "Shmem:", "locked": "Mlocked:",
    "slab_kept": "SUnreclaim:", "page_tables": "PageTables:", "kernel_stacks": "KernelStack:",
    "commit_limit": "CommitLimit:", "committed": "Committed_AS:", "swap_cached": "SwapCached:",
    "zswap": "Zswap:", "zswapped": "Zswapped:", "anonymous_huge": "AnonHugePages:",
    "huge_size": "Hugepagesize:", "huge_total": "HugePages_Total:", "huge_free": "HugePages_Free:",
    "huge_reserved": "HugePages_Rsvd:", "huge_surplus": "HugePages_Surp:",
}  # fmt: skip
"""The lines of /proc/meminfo, by the fields of `MEMORY`; those of huge pages are numbers of pages."""
_SLABS: Final = "SReclaimable:"
_EVENTS: Final = {
    "swapped_in": "pswpin", "swapped_out": "pswpout", "major_faults": "pgmajfault",
    "refaulted_file": "workingset_refault_file", "refaulted_anon": "workingset_refault_anon",
    "faults": "pgfault", "scanned_kswapd": "pgscan_kswapd", "scanned_direct": "pgscan_direct",
    "reclaimed_kswapd": "pgsteal_kswapd", "reclaimed_direct": "pgsteal_direct", "oom_kills": "oom_kill",
    "balloon_inflated": "balloon_inflate", "balloon_deflated": "balloon_deflate",
}  # fmt: skip
"""The lines of /proc/vmstat, by the fields of `MEMORY`; those of refaults since Linux 5.9."""
COUNTED: Final = {
    "swapped_in": "pages swapped in", "swapped_out": "pages swapped out", "major_faults": "page faults",
    "refaulted_file": "refaults of files", "refaulted_anon": "refaults of swapped pages",
    "faults": "all page faults", "scanned_kswapd": "pages scanned by kswapd",
    "scanned_direct": "pages scanned by tasks", "reclaimed_kswapd": "pages reclaimed by kswapd",
    "reclaimed_direct": "pages reclaimed by tasks", "oom_kills": "processes killed for want of memory",
    "balloon_inflated": "pages of a balloon", "balloon_deflated": "pages of a balloon",
}  # fmt: skip
_STALLS: Final = re.compile(r"^allocstall(?:_[a-z]{1,12})? ([0-9]{1,20})$", re.MULTILINE)
"""Lines of /proc/vmstat, one for each zone of memory."""
NOT_COUNTED: Final = Reasons("not-counted", "the kernel does not count {}")
NO_STALLS: Final = NOT_COUNTED.about("stalls for pages")
_NO_SIZE: Final = {name: absent(f"/proc/meminfo has no {label[:-1]}") for name, label in _SIZES.items()}
_NO_EVENT: Final = {name: NOT_COUNTED.about(COUNTED[name]) for name in _EVENTS}
_CMM: Final = {
    "cmm_pages": ("cmm_pages",),
    "cmm_timed_pages": ("cmm_timed_pages",),
    "cmm_timeout": ("cmm_timeout_pages", "cmm_timeout_seconds"),
}
"""The files of the module cmm, and the fields of `MEMORY` that each has."""
NO_CMM: Final = "the module cmm, by which z/VM takes memory back, is not loaded"


def parse_stalls(content: str) -> Value:
    """Return how often tasks waited while they reclaimed memory themselves: /proc/vmstat has it by zone."""
    counts = _STALLS.findall(content)
    return sum(map(int, counts)) if counts else NO_STALLS


def parse_cmm(content: str, count: int) -> tuple[int, ...]:
    """Parse the so many numbers of a file of the module cmm.

    Raises:
        ValueError: they are others.
    """
    numbers = content.split()
    if len(numbers) != count or not all(re.fullmatch("[0-9]{1,19}", word) for word in numbers):
        raise ValueError(f"expected {count} numbers, found {content[:40]!r}")
    return tuple(map(int, numbers))


def read_memory(tree: Tree) -> Frame:
    """Read the one row of the kind MEMORY.

    Raises:
        ValueError: a line has another form, or the total is not there.
    """
    try:
        sizes = parse_amounts(text(tree, MEMINFO), MEMINFO, (*_SIZES.values(), _SLABS))
    except OSError as error:
        return empty_frame(MEMORY, refused(error, why_hidden(tree, MEMINFO)).reason)
    if "MemTotal:" not in sizes:
        raise ValueError("/proc/meminfo: expected MemTotal")
    row: dict[str, Value] = {name: sizes.get(label, _NO_SIZE[name]) for name, label in _SIZES.items()}
    slabs = sizes.get(_SLABS, 0)
    row["cached"] = sizes["Cached:"] + slabs if "Cached:" in sizes else row["cached"]
    try:
        content = text(tree, VMSTAT)
    except OSError as error:
        events: Mapping[str, Value] = dict.fromkeys(_EVENTS.values(), refused(error))
        row["stalls"] = refused(error)
    else:
        events = parse_amounts(content, VMSTAT, _EVENTS.values())
        row["stalls"] = parse_stalls(content)
    for name, label in _EVENTS.items():
        row[name] = events.get(label, _NO_EVENT[name])
    for file, names in _CMM.items():
        path, parse = f"{CMM}/{file}", partial(parse_cmm, count=len(names))
        row |= read_several(tree, path, names, parse, NO_CMM, f"/{path}: {{}}")
    return frame_of(MEMORY, {"memory": row}, tree.when(MEMINFO))
