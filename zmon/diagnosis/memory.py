"""Memory is short (D16), tasks wait for I/O (D17), database files go through the page cache (D18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.limits import limit
from zmon.base.sizes import GIB
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.phrases import MACHINE, waiting_tasks
from zmon.diagnosis.seen import Cause
from zmon.machine.observation import requests_of
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedVolume
    from zmon.machine.observed_system import ObservedSystem

FEW_BLOCKED: Final = 2
"""Tasks a CPU that may wait for I/O without a word."""
FEW_REQUESTS: Final = 2
"""Tasks that may wait for one request of a disk: the tasks are counted at one instant."""
IO_WAITS: Final = 0.4
"""The part of the time in which tasks wait for I/O, from which on it is no chance that some do."""
MUCH_CACHE: Final = 0.4
"""The part of the memory in the page cache, from which on files may be in it that a database caches, too."""
NO_MEMORY: Final = absent(
    "swapping (/proc/vmstat) and waits for memory (/proc/pressure/memory) were not read"
)


def _memory(situation: Situation) -> Sequence[With] | Absent:
    """Return the memory, if pages come back that it had, with the tasks that wait for it."""
    system, load = situation.machine.system(), situation.load
    if isinstance(system.swapped_in, Absent) and isinstance(system.memory_some, Absent):
        return NO_MEMORY
    if not system.swapped_in > 0 and not system.refaulted_file >= limit("pages-back"):
        return ()
    disks = [volume for volume in load.volumes if volume.key in load.swap]
    return [
        With(
            system,
            kind="memory",
            key="",
            title="memory",
            waits=_lost(system, disks),
            disks=disks,
            memory_waits=100 * system.memory_some,
            pressure=Subject("memory", "memory"),
            available_gib=system.available / GIB,
            free=system.available / system.memory,
        )
    ]


def _lost(system: ObservedSystem, disks: list[ObservedVolume]) -> float:
    """Return the tasks that wait for pages: pages a second times the time of a read from swap."""
    times = [float(disk.response) for disk in disks if not isinstance(disk.response, Absent)]
    waits = 0.0 if isinstance(system.memory_some, Absent) else float(system.memory_some)
    if not times or isinstance(system.swapped_in, Absent):
        return waits
    return max(waits, system.swapped_in * max(times))


def _blocked(situation: Situation) -> Sequence[With] | Absent:
    """Return this Linux, if tasks wait for I/O for long, and how many of them wait for disks that zmon sees.

    Those that wait for these disks are what other diagnoses are about.
    """
    system = situation.machine.system()
    blocked, cpus = system.blocked, situation.load.processors.number
    if isinstance(blocked, Absent) or isinstance(cpus, Absent):
        return absent("tasks that wait for I/O were not counted: procs_blocked of /proc/stat")
    if system.io_some < IO_WAITS:
        return ()
    columns = zip(*map(situation.load.used.column, ("rate", "response")), strict=True)
    requests = sum(requests_of(rate, response)[0] for rate, response in columns)
    return [
        With(
            system,
            **MACHINE._asdict(),
            waits=float(blocked) - requests,
            requests=requests,
            usual=FEW_BLOCKED * cpus + FEW_REQUESTS * requests,
            waiting=waiting_tasks(system),
            pressure=Subject("machine", "io"),
        )
    ]


def cached_files(situation: Situation) -> Diagnoses:
    """Return D18 as not known where the page cache is large and Linux swaps; else it does not hold.

    Whether a database opens its files with O_DIRECT is in /proc/PID/fdinfo, which zmon does not read.
    """
    system = situation.machine.system()
    if isinstance(system.cached, Absent) or isinstance(system.memory, Absent):
        return absent("the use of memory was not read: /proc/meminfo")
    if system.cached < MUCH_CACHE * system.memory or not system.swap_used > 0:
        return ()
    return absent(
        "zmon does not read whether databases open their files with O_DIRECT: flags in /proc/PID/fdinfo"
    )


SORTS: Final = {"memory": _memory, "blocked tasks": _blocked}
CAUSES: Final[Causes] = {**{id_: Cause(id_, SORTS) for id_ in ("D16", "D17")}, "D18": cached_files}
