"""/proc/stat and /sys/devices/system/cpu: the CPUs of this Linux, and its tasks.

Times are nanoseconds in steps of the kernel's tick, 10 ms.  They are 64 bits wide and never wrap; `idle` and
`iowait` may step back a little, as the kernel's documentation of /proc/stat warns.  `steal` is the time in
which the hypervisor did not let us run, including what it did for us.  A CPU that is off line has no counters
until it returns.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.sizes import KIB
from zmon.kernel.tree import attributes, read_attributes, refused, text, why_hidden, word_parser
from zmon.kinds import CPU, TASKS
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.base.absent import Absent, Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

STAT: Final = "proc/stat"
CPUS: Final = "sys/devices/system/cpu"

TIMES: Final = (
    "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice",
)  # fmt: skip
"""The values of a line of /proc/stat, in its order."""

SCHEDSTAT: Final = "proc/schedstat"
RUN_DELAY: Final = 7
"""The place of the time that tasks waited, in ns, behind the name of a CPU in /proc/schedstat."""
IDLE: Final = {
    **attributes(word_parser("[0-9]{1,20}", int), idle_entries="idle_count"),
    **attributes(word_parser("[0-9]{1,20}", lambda word: int(word) * 1000), idle_exact="idle_time_us"),
}
"""What the kernel of s390x counts of a CPU, ..."""
OF_CPU: Final = attributes(str.strip, "polarization", "address")
"""... and what it says of each."""
_NO_IDLE: Final = absent("this kernel does not count idle times exactly: only that of s390x does")
_NO_DELAY: Final = absent("the kernel has no /proc/schedstat")
_TASKS: Final = {
    "running": "procs_running", "blocked": "procs_blocked", "switches": "ctxt", "forks": "processes",
}  # fmt: skip
"""The lines of /proc/stat, by the fields of `TASKS`."""
_NO_TASKS: Final = {name: absent(f"/proc/stat has no {label}") for name, label in _TASKS.items()}

NOT_LIVE: Final = absent("a capture was read, not a machine")

TICK: Final = 10_000_000
"""ns per unit of /proc/stat: USER_HZ is 100 wherever zmon runs."""

MAX_CPUS: Final = 1 << 16

OFFLINE: Final = absent("the CPU is off line")

Times = dict[int, tuple[int, ...]]
"""For each CPU on line its times in ns, in the order of `TIMES`."""


def parse_stat(content: str) -> Times:
    """Parse the lines of /proc/stat that belong to one CPU.

    Raises:
        ValueError: there are none, or one is shorter than ten numbers.
    """
    times: Times = {}
    for line in content.splitlines():
        label, _space, rest = line.partition(" ")
        if label == "cpu":
            continue
        if not label.startswith("cpu"):
            if times:  # the line of interrupts is long
                break
            continue
        numbers = rest.split()[: len(TIMES)]
        number = label.removeprefix("cpu")
        if len(numbers) < len(TIMES) or not all(map(_is_number, (number, *numbers))):
            raise ValueError(f"/proc/stat: expected cpuN and {len(TIMES)} numbers, found {line[:80]!r}")
        times[int(number)] = tuple(int(word) * TICK for word in numbers)
    if not times:
        raise ValueError(f"/proc/stat: expected lines of CPUs, found {content[:40]!r}")
    return times


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


def parse_tasks(content: str) -> dict[str, Value]:
    """Parse how many tasks run and are blocked, near the end of /proc/stat, and what was counted of them.

    Raises:
        ValueError: no number follows a label.
    """
    _before, first, rest = content.rpartition(_TASKS["switches"])  # the line of interrupts before it is long
    counts = parse_amounts(first + rest, STAT, _TASKS.values())
    return {name: counts.get(label, _NO_TASKS[name]) for name, label in _TASKS.items()}


def parse_schedstat(content: str) -> dict[int, int]:
    """Return for each CPU the ns that tasks waited for it.

    Raises:
        ValueError: a line of a CPU is shorter, or has something that is no number.
    """
    delays: dict[int, int] = {}
    for line in content.splitlines():
        label, _, rest = line.partition(" ")
        if re.fullmatch("cpu[0-9]{1,5}", label):
            fields = rest.split()
            if len(fields) <= RUN_DELAY or not _is_number(fields[RUN_DELAY]):
                raise ValueError(f"/proc/schedstat: expected cpuN and nine numbers, found {line[:80]!r}")
            delays[int(label[3:])] = int(fields[RUN_DELAY])
    return delays


def read_processors(tree: Tree, recent: Frame | None = None) -> tuple[Frame, Frame]:
    """Read the frames CPU, every CPU that is present, on line or not, and TASKS.

    The processor time of zmon itself is read at the same moment, as it is part of theirs.

    Of CPUs that were on line or not as now in a `recent` frame, polarization and address are those of then.
    """
    try:
        content = text(tree, STAT)
    except OSError as error:
        why = refused(error, why_hidden(tree, STAT)).reason
        return empty_frame(CPU, why), empty_frame(TASKS, why)
    own = time.process_time_ns() if tree.live else NOT_LIVE
    tasks = frame_of(TASKS, {"tasks": {**parse_tasks(content), "own": own}}, tree.when(STAT))
    return _cpus(tree, parse_stat(content), recent), tasks


def _cpus(tree: Tree, times: Times, recent: Frame | None) -> Frame:
    if recent is not None:
        present = [int(key) for key in recent.keys]
    else:
        try:
            present = parse_cpulist(text(tree, f"{CPUS}/present"))
        except OSError:
            present = []
    rows: dict[str, dict[str, Value]] = {}
    delays = _run_delays(tree)
    for number in sorted({*times, *present}):
        key, own = str(number), times.get(number)
        here, online = f"{CPUS}/cpu{number}", int(own is not None)
        rows[key] = {
            **(dict(zip(TIMES, own, strict=True)) if own else dict.fromkeys(TIMES, OFFLINE)),
            **(
                {name: recent.cell(key, name) for name in OF_CPU}
                if recent is not None and recent.cell(key, "online") == online
                else read_attributes(tree, here, OF_CPU)
            ),
            "online": online,
            **(read_attributes(tree, here, IDLE, _NO_IDLE) if own else dict.fromkeys(IDLE, OFFLINE)),
            "run_delay": delays.get(number, OFFLINE) if isinstance(delays, dict) else delays,
        }
    return frame_of(CPU, rows, tree.when(STAT))


def _run_delays(tree: Tree) -> dict[int, int] | Absent:
    try:
        return parse_schedstat(text(tree, SCHEDSTAT))
    except OSError as error:
        return refused(error, _NO_DELAY.reason)
    except ValueError as error:
        return absent(str(error))


def parse_amounts(content: str, path: str, labels: Iterable[str]) -> dict[str, int]:
    """Find lines `label number [kB]` and return their numbers, kB as bytes.

    Raises:
        ValueError: no number follows a label.
    """
    fields = [*content.split(), "", ""]
    places = dict(zip(reversed(fields), range(len(fields) - 1, -1, -1), strict=True))  # the first of each
    amounts = {}
    for label in labels:
        at = places.get(label)
        if at is not None:
            number, unit = fields[at + 1 : at + 3]
            if not _is_number(number):
                raise ValueError(f"/{path}: expected {label} and a number, found {number[:40]!r}")
            amounts[label] = int(number) * (KIB if unit == "kB" else 1)
    return amounts
