"""/proc/interrupts and diag_stat in debugfs: how often CPUs were interrupted, and the diagnoses issued.

Both have a column for each CPU that is on line, then words.  On s390 the first lines of /proc/interrupts,
`EXT`, `I/O` and `AIO`, are sums of the others, which name their class in brackets.  Counts of a CPU that goes
off line leave the sum, which then falls.

diag_stat needs root.  Kernel: arch/s390/kernel/irq.c, diag.c.
"""

from __future__ import annotations

import re

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kernel.tree import refused, text
from zmon.kinds import DIAGNOSE, INTERRUPT
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

INTERRUPTS: Final = "proc/interrupts"
DIAGNOSES: Final = "sys/kernel/debug/diag_stat"
MAX_WORDS: Final = 60
"""Characters of a description that are kept."""
_CLASS: Final = re.compile(r"\[([A-Za-z/]{1,12})\] ?(.*)")


def _counted_by_cpu(content: str, file: str) -> tuple[int, list[str]]:
    """Return the number of CPUs that the first line names, and the other lines."""
    head, _, rest = content.partition("\n")
    cpus = len(head.split())
    if not cpus or not all(re.fullmatch("CPU[0-9]{1,5}", word) for word in head.split()):
        raise ValueError(f"{file}: expected CPU0 ..., found {head[:60]!r}")
    return cpus, rest.splitlines()


def parse_interrupts(content: str) -> dict[str, dict[str, Value]]:
    """Return count, class and description of each line that is no sum of others.

    Raises:
        ValueError: the first line names no CPU.
    """
    cpus, lines = _counted_by_cpu(content, "/proc/interrupts")
    rows: dict[str, dict[str, Value]] = {}
    for line in lines:
        name, colon, counts = line.partition(":")
        name = name.strip()
        fields = counts.split(None, cpus)
        numbers = fields[:cpus]
        described = _CLASS.fullmatch(fields[cpus].strip()) if len(fields) > cpus else None
        if not colon or described is None or not re.fullmatch("[A-Z0-9]{3}", name):
            continue  # a sum, or a line of another machine
        if all(number.isascii() and number.isdecimal() and len(number) <= 20 for number in numbers):
            row: dict[str, Value] = {"group": described[1], "what": described[2][:MAX_WORDS] or name}
            rows[name] = row | {"count": sum(map(int, numbers))}
    return rows


def parse_diagnoses(content: str) -> dict[str, dict[str, Value]]:
    """Return count and description of each diagnose code: `09c`.

    Raises:
        ValueError: the first line names no CPU.
    """
    cpus, lines = _counted_by_cpu(content, "diag_stat")
    rows: dict[str, dict[str, Value]] = {}
    for line in lines:
        match = re.fullmatch(r"diag ([0-9a-f]{3}): +(.*)", line.rstrip())
        fields = match[2].split(None, cpus) if match else []
        numbers = fields[:cpus]
        if match and len(numbers) == cpus and all(re.fullmatch("[0-9]{1,20}", number) for number in numbers):
            what = fields[cpus].strip()[:MAX_WORDS] if len(fields) > cpus else match[1]
            rows[match[1]] = {"what": what, "count": sum(map(int, numbers))}
    return rows


def read_interrupts(tree: Tree) -> Frame:
    """Return a frame of `INTERRUPT`, absent with the reason if the file is not readable.

    Raises:
        ValueError: the file has another form.
    """
    try:
        rows = parse_interrupts(text(tree, INTERRUPTS))
    except OSError as error:
        return empty_frame(INTERRUPT, f"/{INTERRUPTS}: {refused(error).reason}")
    if not rows:
        why = "the kernel of this machine has no classes of interrupts: it is no s390x"
        return empty_frame(INTERRUPT, why)
    return frame_of(INTERRUPT, rows, tree.when(INTERRUPTS))


def read_diagnoses(tree: Tree) -> Frame:
    """Return a frame of `DIAGNOSE`, absent with the reason if the file is not readable.

    Raises:
        ValueError: the file has another form.
    """
    try:
        codes = parse_diagnoses(text(tree, DIAGNOSES))
    except OSError as error:
        return empty_frame(DIAGNOSE, f"/{DIAGNOSES}: {refused(error).reason}")
    if not codes:
        return empty_frame(DIAGNOSE, "diag_stat lists no diagnose")
    return frame_of(DIAGNOSE, codes, tree.when(DIAGNOSES))
