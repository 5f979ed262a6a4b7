"""Memory is short (D16), tasks wait for I/O (D17), database files go through the page cache (D18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.limits import limit
from zmon.base.milliseconds import ms
from zmon.base.ranges import many
from zmon.base.sizes import GIB
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, Diagnosis, Subject
from zmon.diagnosis.phrases import MACHINE, evidence, of_volume, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedVolume
    from zmon.machine.observed_system import ObservedSystem

SWAPPING: Final = 10.0
"""Pages read from swap a second from which on memory is short (the consolidation study, line 309)."""
WAITS: Final = limit("memory-waits") / 100
"""The part of the time in which tasks wait for memory, from which on it is short."""
FEW_BLOCKED: Final = 2
"""Tasks a CPU that may wait for I/O without a word."""
FEW_REQUESTS: Final = 2
"""Tasks that may wait for one request of a disk: the tasks are counted at one instant."""
IO_WAITS: Final = 0.4
"""The part of the time in which tasks wait for I/O, from which on it is no chance that some do."""
MUCH_CACHE: Final = 0.4
"""The part of the memory in the page cache, from which on files may be in it that a database caches, too."""
MUCH_WRITEBACK: Final = 0.01
"""The part of the memory that is being written, from which on blocked tasks may be those that write it."""
MEMORY: Final = Subject("memory", "", "memory")
NO_MEMORY: Final = absent(
    "swapping (/proc/vmstat) and waits for memory (/proc/pressure/memory) were not read"
)


def short_memory(situation: Situation) -> Diagnoses:
    """Return D16: tasks wait for pages that were swapped out, or for memory to be freed."""
    system = situation.machine.system()
    swapped, waits = system.swapped_in, system.memory_some
    if isinstance(swapped, Absent) and isinstance(waits, Absent):
        return NO_MEMORY
    swaps = swapped >= SWAPPING
    if not swaps and not (waits >= WAITS and (swapped > 0 or system.refaulted_file >= SWAPPING)):
        return ()
    disks = [one for one in situation.load.volumes if one.key in situation.load.swap]
    rest = (
        f": Linux reads {swapped:.0f} pages a second back from swap"
        if swaps
        else f": tasks wait for memory {percent(waits)} of the time"
    )
    files = (
        () if isinstance(system.refaulted_file, Absent) else (f"{system.refaulted_file:.0f} pages of files",)
    )
    found = Diagnosis(
        "D16",
        subjects=(MEMORY, *(of_volume(one) for one in disks)),
        clause="Memory is short" if swaps else "The page cache is too small",
        rest=rest,
        evidence=tuple(_of_memory(system, disks)),
        confidence=CERTAIN if swaps and not waits < WAITS else LIKELY,
        action="Give this Linux more memory, or let its programs use less.",
        lost=_lost(system, disks),
        confirm="" if waits >= WAITS else "Time lost for memory (/proc/pressure/memory) would confirm it.",
        missing=() if files else ("pages of files that were read again (refaults)",),
    )
    return (found,)


def _of_memory(system: ObservedSystem, disks: list[ObservedVolume]) -> Iterator[Measurement]:
    yield evidence(
        "memory.pagein", MEMORY, system.swapped_in, f"{_number(system.swapped_in)} pages a second swapped in"
    )
    yield evidence("memory.pageout", MEMORY, system.swapped_out, f"{_number(system.swapped_out)} swapped out")
    if not isinstance(system.memory, Absent):
        size = f"{system.memory / GIB:.1f} GiB"
        free = f"{system.available / GIB:.1f} of {size}, {percent(system.available / system.memory)}"
        yield evidence("memory.available", MEMORY, system.available, f"{free}, are available")
    if not isinstance(system.memory_some, Absent):
        words = f"tasks wait for memory {percent(system.memory_some)} of the time"
        yield evidence("pressure.some", Subject("memory", "memory"), 100 * system.memory_some, words)
    for one in disks:
        words = f"the swap volume {one.title} answers in {ms(one.response)}"
        yield evidence("device.resp", of_volume(one), 1e3 * one.response, words)


def _number(value: Number) -> str:
    return "an unknown number of" if isinstance(value, Absent) else f"{value:,.0f}"


def _lost(system: ObservedSystem, disks: list[ObservedVolume]) -> float:
    """Return the tasks that wait for pages: pages a second times the time of a read from swap."""
    known = [float(one.response) for one in disks if not isinstance(one.response, Absent)]
    waits = 0.0 if isinstance(system.memory_some, Absent) else float(system.memory_some)
    if not known or isinstance(system.swapped_in, Absent):
        return waits
    return max(waits, system.swapped_in * max(known))


def blocked_tasks(situation: Situation) -> Diagnoses:
    """Return D17: many more tasks wait for I/O to end than requests are in the disks that zmon sees.

    Those that wait for these disks are what other diagnoses are about.
    """
    system = situation.machine.system()
    blocked, cpus = system.blocked, situation.load.processors.number
    if isinstance(blocked, Absent) or isinstance(cpus, Absent):
        return absent("tasks that wait for I/O were not counted: procs_blocked of /proc/stat")
    requests = sum(
        one.rate * float(one.response) for one in situation.load.used if not isinstance(one.response, Absent)
    )
    if blocked <= FEW_BLOCKED * cpus + FEW_REQUESTS * requests or system.io_some < IO_WAITS:
        return ()
    writes = system.writeback > MUCH_WRITEBACK * system.memory
    calm = () if isinstance(system.writeback, Absent) or writes else ("writeback of dirty pages",)
    pressure = (
        ()
        if isinstance(system.io_some, Absent)
        else (
            evidence(
                "pressure.some",
                Subject("machine", "io"),
                100 * system.io_some,
                f"some task waits for I/O {percent(system.io_some)} of the time",
            ),
        )
    )
    named = tuple(
        evidence("blocked.waiting", MACHINE, seconds, f"{who}, for {seconds:,.0f} s at least")
        for who, seconds in system.waiting
    )
    found = Diagnosis(
        "D17",
        subjects=(MACHINE,),
        clause=f"{many(int(blocked), 'task')} wait for I/O, but the disks have only"
        f" {many(requests, 'request')}",
        rest=": they wait for something else",
        evidence=(
            evidence("tasks.blocked", MACHINE, blocked, f"{blocked} tasks are blocked"),
            *pressure,
            *named,
        ),
        confidence=LIKELY,
        action="See where they wait: BLOCKED lists them. Network file systems are likely.",
        lost=float(blocked) - requests,
        excluded=calm,
        confirm="" if named else "BLOCKED would show for what they wait.",
        missing=() if named else ("the tasks that wait: zmon record --processes reads them",),
    )
    return (found,)


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


CAUSES: Final = {"D16": short_memory, "D17": blocked_tasks, "D18": cached_files}
