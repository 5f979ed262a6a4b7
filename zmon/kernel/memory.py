"""Memory and paging: /proc/meminfo and /proc/vmstat.

The running kernel is asked through psutil, a captured tree through its files; both give bytes, and
both count the reclaimable slabs as `cached`.  The paging counters come from /proc/vmstat either way:
psutil would say 0 for a counter that the kernel does not have.  They are 64-bit counts of 4 KiB
pages since boot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kernel.attribute import refused
from zmon.kernel.rows import frame
from zmon.kernel.tree import text
from zmon.kinds import MEMORY
from zmon.sample import nothing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

MEMINFO: Final = "proc/meminfo"
VMSTAT: Final = "proc/vmstat"
KEY: Final = "memory"


def parse_meminfo(content: str) -> dict[str, int]:
    """Parse /proc/meminfo into bytes; the few lines that are no sizes stay plain numbers.

    Raises:
        ValueError: a line is not `name: number [kB]`, or the total is not there.
    """
    found: dict[str, int] = {}
    for line in content.splitlines():
        name, _colon, rest = line.partition(":")
        words = rest.split()
        if not words or not _is_number(words[0]):
            raise ValueError(f"/proc/meminfo: expected 'name: number kB', found {line[:80]!r}")
        found[name] = int(words[0]) * (1024 if words[1:] == ["kB"] else 1)
    if "MemTotal" not in found:
        raise ValueError(f"/proc/meminfo: expected MemTotal, found {content[:40]!r}")
    return found


def parse_vmstat(content: str) -> dict[str, int]:
    """Parse /proc/vmstat.

    Raises:
        ValueError: a line is not `name number`.
    """
    found: dict[str, int] = {}
    for line in content.splitlines():
        name, _space, number = line.partition(" ")
        if not _is_number(number):
            raise ValueError(f"/proc/vmstat: expected 'name number', found {line[:80]!r}")
        found[name] = int(number)
    return found


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 20


def read_memory(tree: Tree) -> Frame:
    """Read the one row of the kind MEMORY.

    Raises:
        ValueError: see `parse_meminfo` and `parse_vmstat`.
    """
    try:
        sizes = _live_sizes() if tree.live else _captured_sizes(parse_meminfo(text(tree, MEMINFO)))
    except OSError as error:
        return nothing(MEMORY, refused(error).reason)
    return frame(MEMORY, {KEY: {**sizes, **_paging(tree)}}, tree.when(MEMINFO))


def _live_sizes() -> Mapping[str, Value]:
    import psutil  # noqa: PLC0415 - a lookup that needs no memory figures starts without it

    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    return {
        "total": memory.total,
        "available": memory.available,
        "free": memory.free,
        "buffers": memory.buffers,
        "cached": memory.cached,
        "swap_total": swap.total,
        "swap_free": swap.free,
    }


def _captured_sizes(meminfo: Mapping[str, int]) -> Mapping[str, Value]:
    def size(name: str) -> int | Absent:
        return meminfo.get(name, absent(f"/proc/meminfo has no {name}"))

    return {
        "total": size("MemTotal"),
        "available": size("MemAvailable"),
        "free": size("MemFree"),
        "buffers": size("Buffers"),
        "cached": size("Cached") + meminfo.get("SReclaimable", 0),
        "swap_total": size("SwapTotal"),
        "swap_free": size("SwapFree"),
    }


def _paging(tree: Tree) -> Mapping[str, Value]:
    try:
        counts = parse_vmstat(text(tree, VMSTAT))
    except OSError as error:
        unread = refused(error)
        return {"swapped_in": unread, "swapped_out": unread}
    return {
        "swapped_in": counts.get("pswpin", absent("the kernel does not count pages swapped in")),
        "swapped_out": counts.get("pswpout", absent("the kernel does not count pages swapped out")),
    }
