"""Processors are full, or the hypervisor withholds them (D15); FCP makes them busy (D15b).

While processors are full nothing else limits: requests that wait in Linux may only wait for a processor.  The
service time of the hardware does not depend on processors, the response that Linux sees does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.milliseconds import ms
from zmon.base.ranges import many
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.phrases import MACHINE, evidence, gain, percent
from zmon.machine.observation import mean_of
from zmon.queueing.change import ProcessorNumber
from zmon.queueing.waiting import (
    LIKELY_FULL,
    MUCH_STOLEN,
    processors_full,
)
from zmon.topology.path_sets import ROUND_ROBIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.diagnosis.diagnosis import Diagnoses, Measurement, NotKnown
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observed_system import ObservedSystem

ZVM: Final = "z/VM"
MOST_FULL: Final = 0.99
OFTEN: Final = 4
"""Requests after which FCP paths change up to which that costs much processor time (the Oracle study)."""
CHANGE: Final = 0.00025
"""Processor time that a change of the FCP path takes, s (the Oracle study: multibus 1 and 100)."""
NOTICEABLE: Final = 0.1
"""The part of the processors that changes of paths take from which on fewer of them are advised first."""
MOSTLY: Final = 0.5
WHETHER: Final = absent(
    "the tasks that wait are not counted: /proc/pressure/cpu, procs_running of /proc/stat"
)
NO_STEAL: Final = "the time that the hypervisor withholds (steal)"


def full_processors(situation: Situation) -> Diagnoses:
    """Return D15: the processors are full, or the hypervisor does not give them."""
    known = situation.load.processors
    if isinstance(known.number, Absent) or isinstance(known.busy, Absent):
        return absent("the load of the processors was not read: /proc/stat")
    number, busy, system = float(known.number), float(known.busy), situation.machine.system()
    if not isinstance(known.stolen, Absent) and known.stolen >= MUCH_STOLEN:
        return (_withheld(situation, system, number, busy, float(known.stolen)),)
    full = processors_full(known)
    if not full:
        return WHETHER if full is None else ()
    return (_full(situation, system, number, busy),)


def may_be_full(unknown: Iterable[NotKnown]) -> bool:
    """Return whether the processors may be full, by their use, and nobody counted the tasks that wait."""
    return any(one.id == "D15" and one.may_be_full for one in unknown)


def _lost(situation: Situation, system: ObservedSystem, number: float, busy: float) -> float:
    """Return the tasks that wait for a processor on average, estimated where nobody counted them.

    The scheduler counts for how long each waits when it ceases to; so a single one may have waited for longer
    than the interval, or for the end of a quota.  `running` is one moment.  What both say is held to the part
    of the time in which some task waits: no more than all of them wait then, and no less than one.
    """
    delayed, running, some = situation.load.processors.delayed, system.running, situation.load.processors.some
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


def _full(situation: Situation, system: ObservedSystem, number: float, busy: float) -> Diagnosis:
    subject = _cpus(number)
    more = float(round(1.5 * number) if number > 1 else 2)
    raised = f" (but {' and '.join(system.limits)})" if system.limits else ""
    turn = _short_turn(situation, number)
    changes = f"FCP paths change after {many(turn, 'request')}"
    processors = f"this Linux more processors, for example {more:.0f}{raised}, or less to compute."
    first = f"Set rr_min_io to 100, or use the selector service-time: {changes}, which costs processor time."
    waits, steal = situation.load.processors.waits, situation.load.processors.stolen
    return Diagnosis(
        "D15",
        subjects=(MACHINE, subject),
        clause=f"The {many(int(number), 'processor')} {_are(number)} full",
        rest=f": {percent(busy)} busy",
        evidence=(
            evidence("cpu.busy", subject, 100 * busy, f"{percent(busy)} of {number:.0f} processors busy"),
            *_of_zmon(situation, subject),
            *_of_tasks(situation, system, number),
            *([evidence("layer.table", MACHINE, turn, changes)] if turn else []),
        ),
        confidence=CERTAIN if waits else LIKELY,
        action=f"{first} Else give {processors}" if turn else f"Give {processors}",
        apart=bool(turn),
        lost=_lost(situation, system, number, busy),
        excluded=(
            () if isinstance(steal, Absent) else (f"withheld by the hypervisor: {percent(steal)} stolen",)
        ),
        foretell=gain(situation, (ProcessorNumber(more),), f"with {more:.0f} processors "),
        changes=(ProcessorNumber(more),),
        whatif=f"processors {more:.0f}",
        confirm="" if waits is not None else "Tasks that wait for a processor would confirm it.",
        missing=(NO_STEAL,) if isinstance(steal, Absent) else (),
    )


def _short_turn(situation: Situation, number: float) -> int:
    """Return after how few requests most I/O changes its FCP path, if that costs processors much; else 0."""
    maps = situation.machine.maps()
    if isinstance(maps, Absent) or not maps:
        return 0
    robin = [one.turn for one in maps if one.selector == ROUND_ROBIN and len(one.leaves) > 1]
    turn = max(robin, default=0)
    if not 0 < turn <= OFTEN or len(robin) < MOSTLY * len(maps):
        return 0
    requests = sum(one.rate for one in situation.load.volumes if "." not in one.key)
    return turn if CHANGE * requests / turn >= NOTICEABLE * number else 0


def _withheld(
    situation: Situation, system: ObservedSystem, number: float, busy: float, steal: float
) -> Diagnosis:
    who = system.hypervisor or "the hypervisor"
    who = who if who == ZVM else f"{who[:1].upper()}{who[1:]}"
    subject = _cpus(number)
    volumes = situation.load.volumes
    serv = mean_of(volumes, "serv")
    calm = () if isinstance(serv, Absent) else (f"the disks: the hardware serves a request in {ms(serv)}",)
    beyond = number > system.below
    limits = (
        *(
            (f"the guest has {number:.0f} virtual processors, its LPAR only {system.below}",)
            if beyond
            else ()
        ),
        *system.limits,
    )
    words = " and ".join(limits)
    cause = f" {words[:1].upper()}{words[1:]}." if words else ""
    zvm = system.hypervisor == ZVM
    ask = (
        "see CP INDICATE LOAD, and the paging and wait states of the guest"
        if zvm
        else "see the weights and caps of the LPARs at the HMC"
    )
    return Diagnosis(
        "D15",
        subjects=(MACHINE, subject),
        clause=f"{who} withholds {percent(steal)} of the processors' time from Linux",
        besides=cause,
        evidence=(
            evidence("cpu.steal", subject, 100 * steal, f"{percent(steal)} of the processors' time stolen"),
            evidence("cpu.busy", subject, 100 * busy, f"{percent(busy)} used"),
            *_of_tasks(situation, system, number),
        ),
        confidence=CERTAIN,
        action=f"Give the guest at most {system.below} virtual processors, as the LPAR has; {ask}."
        if beyond
        else f"Give this Linux a larger share of the processors, or run less beside it: {ask}.",
        lost=steal * number + max(0.0, _lost(situation, system, number, busy + steal) - 1),
        excluded=calm,
        missing=() if limits else ("caps and weights: diag 204, s390_sthyi", *_paging(zvm=zvm)),
    )


def _paging(*, zvm: bool) -> Iterator[str]:
    if zvm:
        yield "paging of the guest by CP: diag 2fc"


def _of_zmon(situation: Situation, subject: Subject) -> Iterator[Measurement]:
    known = situation.load.processors
    if known.noticed:
        words = f"of which zmon itself uses {percent(known.noticed)}"
        yield evidence("tasks.own", subject, 100 * known.noticed, words)
    if known.giving_way:
        words = f"of which programs at nice use {percent(known.giving_way)}"
        yield evidence("cpu.nice", subject, 100 * known.giving_way, words)


def _of_tasks(situation: Situation, system: ObservedSystem, number: float) -> Iterator[Measurement]:
    """Yield how many tasks wait: on average where that was counted, else at the end of the interval."""
    if not isinstance(situation.load.processors.delayed, Absent):
        waiting = _lost(situation, system, number, 0.0)
        words = f"on average {many(waiting, 'task')} waiting for a processor"
        yield evidence("cpu.delay", Subject("cpu", "", ""), 100 * waiting / number, words)
    elif not isinstance(system.running, Absent):
        words = f"{system.running} tasks run or wait for {number:.0f} processors"
        yield evidence("tasks.running", MACHINE, system.running, words)
    some = situation.load.processors.some
    if not isinstance(some, Absent):
        words = f"some task waits for a processor {percent(some)} of the time"
        yield evidence("pressure.some", Subject("cpu", "cpu"), 100 * some, words)


def _cpus(number: float) -> Subject:
    return Subject("cpu", "", many(int(number), "processor"))


def _are(number: float) -> str:
    return "is" if number == 1 else "are"


def costly_fcp(situation: Situation) -> Diagnoses:
    """Return D15b: the processors are full, and most requests go over FCP, which costs more than FICON."""
    load = situation.load
    number, busy = load.processors[:2]
    system = situation.machine.system().system
    if not load.fcp:
        return ()
    if isinstance(system, Absent) or isinstance(number, Absent) or isinstance(busy, Absent):
        return absent("the time in the kernel was not read: /proc/stat")
    if busy < LIKELY_FULL:
        return ()
    rate = sum(one.rate for one in load.volumes)
    fcp = sum(one.rate for one in load.volumes if "." not in one.key)
    if not load.enough(fcp) or fcp < MOSTLY * rate:
        return ()
    cost = system * number / fcp
    subject = _cpus(float(number))
    found = Diagnosis(
        "D15b",
        subjects=(MACHINE, subject),
        clause="FCP costs processor time",
        rest=f": {1e6 * cost:.0f} microseconds in the kernel for each request",
        evidence=(
            evidence("cpu.kernel", subject, 100 * system, f"{percent(system)} of the time in the kernel"),
            evidence("device.ios", MACHINE, fcp, f"{fcp:,.0f} requests a second over FCP"),
        ),
        confidence=POSSIBLE,
        action="Add processors. In the Oracle study on a z196 a request over FICON took an eighth less.",
        lost=0.0,
        confirm="The same load on ECKD disks would show the difference.",
        missing=("processor time by interrupt and by process",),
    )
    return (found,)


CAUSES: Final = {"D15": full_processors, "D15b": costly_fcp}
