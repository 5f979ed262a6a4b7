"""/proc/stat, /proc/meminfo, /proc/vmstat and /sys/devices/system/cpu: the CPUs and the memory of this Linux.

Times are nanoseconds in steps of the kernel's tick, 10 ms.  They are 64 bits wide and never wrap; `idle` and
`iowait` may step back a little, as the kernel's documentation of /proc/stat warns.  `steal` is the time in
which the hypervisor did not let us run, including what it did for us.  A CPU that is off line has no counters
until it returns.

Sizes are bytes; the reclaimable slabs count as `cached`.  The paging counters are 64-bit counts of 4 KiB
pages since boot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kernel.tree import read_value, refused, text
from zmon.kinds import CPU, MEMORY
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

STAT: Final = "proc/stat"
MEMINFO: Final = "proc/meminfo"
VMSTAT: Final = "proc/vmstat"
CPUS: Final = "sys/devices/system/cpu"

TIMES: Final = (
    "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice",
)  # fmt: skip
"""The values of a line of /proc/stat, in its order."""

TICK: Final = 10_000_000
"""ns per unit of /proc/stat: USER_HZ is 100 wherever zmon runs."""

MAX_CPUS: Final = 1 << 16

_OFFLINE: Final = absent("the CPU is off line")

Times = dict[int, tuple[int, ...]]
"""For each CPU on line its times in ns, in the order of `TIMES`."""


def parse_stat(content: str) -> Times:
    """Parse the lines of /proc/stat that belong to one CPU.

    Raises:
        ValueError: there are none, or one is shorter than ten numbers.
    """
    found: Times = {}
    for line in content.splitlines():
        label, _space, rest = line.partition(" ")
        if not label.startswith("cpu") or label == "cpu":
            continue
        words = rest.split()[: len(TIMES)]
        number = label.removeprefix("cpu")
        if len(words) < len(TIMES) or not all(map(_is_number, (number, *words))):
            raise ValueError(f"/proc/stat: expected cpuN and {len(TIMES)} numbers, found {line[:80]!r}")
        found[int(number)] = tuple(int(word) * TICK for word in words)
    if not found:
        raise ValueError(f"/proc/stat: expected lines of CPUs, found {content[:40]!r}")
    return found


def parse_cpulist(content: str) -> list[int]:
    """Parse a list of CPUs such as `0-1,4`; an empty list is an empty line.

    Raises:
        ValueError: it is of another form.
    """
    numbers: list[int] = []
    for part in filter(None, content.strip().split(",")):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (_is_number(first) and _is_number(last)) or int(last) >= MAX_CPUS:
            raise ValueError(f"expected a list of CPUs like 0-1,4, found {content[:40]!r}")
        numbers.extend(range(int(first), int(last) + 1))
    return numbers


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 20


def read_cpu(tree: Tree) -> Frame:
    """Read the frame CPU: every CPU that is present, on line or not."""
    try:
        times = parse_stat(text(tree, STAT))
    except OSError as error:
        return empty_frame(CPU, refused(error).reason)
    try:
        present = parse_cpulist(text(tree, f"{CPUS}/present"))
    except OSError:
        present = []
    rows = {str(number): _cpu_row(tree, number, times.get(number)) for number in sorted({*times, *present})}
    return frame_of(CPU, rows, tree.when(STAT))


def _cpu_row(tree: Tree, number: int, times: tuple[int, ...] | None) -> Mapping[str, Value]:
    return {
        **(dict(zip(TIMES, times, strict=True)) if times else dict.fromkeys(TIMES, _OFFLINE)),
        "polarization": read_value(tree, f"{CPUS}/cpu{number}/polarization"),
        "address": read_value(tree, f"{CPUS}/cpu{number}/address"),
        "online": int(times is not None),
    }


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


def read_memory(tree: Tree) -> Frame:
    """Read the one row of the kind MEMORY."""
    try:
        meminfo = parse_meminfo(text(tree, MEMINFO))
    except OSError as error:
        return empty_frame(MEMORY, refused(error).reason)

    def size(name: str) -> int | Absent:
        return meminfo.get(name, absent(f"/proc/meminfo has no {name}"))

    row: dict[str, Value] = {
        "total": size("MemTotal"),
        "available": size("MemAvailable"),
        "free": size("MemFree"),
        "buffers": size("Buffers"),
        "cached": size("Cached") + meminfo.get("SReclaimable", 0),
        "swap_total": size("SwapTotal"),
        "swap_free": size("SwapFree"),
    }
    return frame_of(MEMORY, {"memory": {**row, **_paging(tree)}}, tree.when(MEMINFO))


def _paging(tree: Tree) -> Mapping[str, Value]:
    try:
        counts = parse_vmstat(text(tree, VMSTAT))
    except OSError as error:
        return dict.fromkeys(("swapped_in", "swapped_out"), refused(error))
    return {
        "swapped_in": counts.get("pswpin", absent("the kernel does not count pages swapped in")),
        "swapped_out": counts.get("pswpout", absent("the kernel does not count pages swapped out")),
    }
