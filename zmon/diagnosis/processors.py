"""Processors are full, or the hypervisor withholds them (D15); FCP makes them busy (D15b).

While processors are full nothing else limits: requests that wait in Linux may only wait for a processor.  The
service time of the hardware does not depend on processors, the response that Linux sees does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import many
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.phrases import MACHINE
from zmon.diagnosis.seen import Cause, Remedy
from zmon.machine.observation import mean_of
from zmon.queueing.change import ProcessorNumber
from zmon.queueing.waiting import processors_full
from zmon.topology.path_sets import ROUND_ROBIN
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.diagnosis.diagnosis import NotKnown
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation

MOST_FULL: Final = 0.99
OFTEN: Final = 4
"""Requests after which FCP paths change up to which that costs much processor time (the Oracle study)."""
CHANGE: Final = 0.00025
"""Processor time that a change of the FCP path takes, s (the Oracle study: multibus 1 and 100)."""
NOTICEABLE: Final = 0.1
"""The part of the processors that changes of paths take from which on fewer of them are advised first."""
MOSTLY: Final = 0.5
"""The part of the disks that change their path after few requests, from which on that is named."""
WHETHER: Final = absent(
    "the tasks that wait are not counted: /proc/pressure/cpu, procs_running of /proc/stat"
)
NOT_READ: Final = absent("the load of the processors was not read: /proc/stat")


def _withheld(situation: Situation) -> Sequence[With]:
    """Return this Linux, if the time is known that the hypervisor withholds."""
    number, busy, stolen = situation.load.processors[:3]
    if isinstance(number, Absent) or isinstance(busy, Absent) or isinstance(stolen, Absent):
        return ()
    tasks = max(0.0, _lost(situation, number, busy + stolen) - 1)
    return [_this_linux(situation, number, stolen * number + tasks)]


def _full(situation: Situation) -> Sequence[With] | Absent:
    """Return this Linux, if its processors are full."""
    processors = situation.load.processors
    if isinstance(processors.number, Absent) or isinstance(processors.busy, Absent):
        return NOT_READ
    full = processors_full(processors)
    if not full:
        return WHETHER if full is None else ()
    return [_this_linux(situation, processors.number, _lost(situation, processors.number, processors.busy))]


def _this_linux(situation: Situation, number: float, waits: float) -> With:
    """Return it with its processors."""
    processors, waiting = situation.load.processors, _lost(situation, number, 0.0)
    return With(
        processors,
        **MACHINE._asdict(),
        waits=waits,
        withheld=100 * processors.stolen,
        cpus=_cpus(number),
        are_waited_for=bool(processors.waits),
        is_counted=processors.waits is not None,
        waiting=waiting,
        delay=100 * waiting / number,
        running=situation.machine.system().running,
        all_cpus=Subject("cpu", "", ""),
        pressure=Subject("cpu", "cpu"),
    )


def may_be_full(unknown: Iterable[NotKnown]) -> bool:
    """Return whether the processors may be full, by their use, and nobody counted the tasks that wait."""
    return any(diagnosis.id == "D15" and diagnosis.may_be_full for diagnosis in unknown)


def _lost(situation: Situation, number: float, busy: float) -> float:
    """Return the tasks that wait for a processor on average, estimated where nobody counted them.

    The scheduler counts for how long each waits when it ceases to; so a single one may have waited for longer
    than the interval, or for the end of a quota.  `running` is one moment.  What both say is held to the part
    of the time in which some task waits: no more than all of them wait then, and no less than one.
    """
    processors, running = situation.load.processors, situation.machine.system().running
    some, delayed = processors.some, processors.delayed
    if isinstance(some, Absent):
        if not isinstance(delayed, Absent):
            return float(delayed)
        if not isinstance(running, Absent):
            return max(float(running - number), 0.0)
        return min(busy, MOST_FULL) / (1 - min(busy, MOST_FULL))
    if isinstance(running, Absent):
        return float(some if isinstance(delayed, Absent) else max(some, delayed))
    if isinstance(delayed, Absent):
        return float(some * max(running - number, 1.0))
    return float(min(max(delayed, some), some * max(running, number)))


def _more_processors(situation: Situation, processors: Sequence[With]) -> Remedy:
    """Propose half as many more, and fewer changes of the FCP path first where these cost much.

    A guest that has as many as its LPAR gains nothing from more.
    """
    number, system = float(processors[0].number), situation.machine.system()
    limits = system.limits
    if number >= system.below:
        return Remedy({"has_all": True, "below": system.below, "turn": _short_turn(situation, number)})
    more = float(round(1.5 * number) if number > 1 else 2)
    turn = _short_turn(situation, number)
    return Remedy(
        {"has_all": False, "more": more, "limits": limits, "limited": " and ".join(limits), "turn": turn},
        (ProcessorNumber(more),),
        f"processors {more:.0f}",
        f"with {more:.0f} processors ",
    )


def _below(situation: Situation, processors: Sequence[With]) -> Remedy:
    """Tell who withholds them, by which limits, and how long the disks take."""
    system = situation.machine.system()
    return Remedy(
        {
            "who": system.hypervisor or "the hypervisor",
            "is_zvm": situation.is_below_zvm,
            "is_beyond": bool(processors[0].number > system.below),
            "below": system.below,
            "limits": system.limits,
            "limited": " and ".join(system.limits),
            "serv": mean_of(situation.load.volumes, "serv"),
        }
    )


def _short_turn(situation: Situation, number: float) -> int:
    """Return after how few requests most I/O changes its FCP path, if that costs processors much; else 0."""
    maps = situation.machine.maps()
    if isinstance(maps, Absent) or not maps:
        return 0
    robin = [disk.turn for disk in maps if disk.selector == ROUND_ROBIN and len(disk.leaves) > 1]
    turn = max(robin, default=0)
    if not 0 < turn <= OFTEN or len(robin) < MOSTLY * len(maps):
        return 0
    requests = sum(volume.rate for volume in situation.load.volumes if "." not in volume.key)
    return turn if CHANGE * requests / turn >= NOTICEABLE * number else 0


def _fcp(situation: Situation) -> Sequence[With] | Absent:
    """Return this Linux, if it has disks behind FCP, with their requests a second and what each costs."""
    load, system = situation.load, situation.machine.system().system
    number, busy = load.processors[:2]
    if not load.fcp:
        return ()
    if isinstance(system, Absent) or isinstance(number, Absent) or isinstance(busy, Absent):
        return absent("the time in the kernel was not read: /proc/stat")
    rates = list(zip(load.used.column("key"), load.used.column("rate"), strict=True))
    fcp = sum(rate for key, rate in rates if "." not in key)
    if not load.enough(fcp):
        return ()
    return [
        With(
            MACHINE,
            waits=0.0,
            cpus=_cpus(number),
            use=100 * busy,
            system=system,
            rate=sum(rate for _, rate in rates),
            fcp=fcp,
            microseconds=1e6 * system * number / fcp,
        )
    ]


def _cpus(number: float) -> Subject:
    return Subject("cpu", "", many(int(number), "processor"))


SORTS: Final[Mapping[str, Callable[[Situation], Sequence[With] | Absent]]] = {
    "withheld processors": _withheld, "full processors": _full, "requests over FCP": _fcp,
}  # fmt: skip
REMEDIES: Final = {"more processors": _more_processors, "what is below": _below}
CAUSES: Final[Causes] = {id_: Cause(id_, SORTS, REMEDIES) for id_ in ("D15", "D15b")}
