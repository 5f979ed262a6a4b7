"""The CPUs of this Linux in an interval: how busy each is, and with what.

Percentages are parts of the time that the kernel accounted for, one CPU being 100.  Stolen is the time in
which the hypervisor let others run, or ran on this CPU's behalf; the logical load is how busy the CPU was in
the time that was left to it.

The T/V ratio is what the hypervisor spent in total for each second in which Linux ran: under z/VM by diag 0c
per CPU, in an LPAR by diag 204 of the partition, whose logical processors may be cores where Linux has
threads.
"""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio, text_of
from zmon.kinds import (
    ALL,
    CPU,
    LPAR,
    LPAR_CPU,
    MACHINE,
    VIRTUAL_CPU,
)
from zmon.machine.figure import Figure, catalogue
from zmon.machine.join import Joined, first, mean, not_below_zero, plus, quotient, total
from zmon.machine.partitions import NO_OWN, earlier_span, own_partitions
from zmon.machine.things import Things

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval

OVERHEAD: Final = (LPAR, LPAR_CPU, MACHINE, VIRTUAL_CPU)
"""The kinds that the T/V ratio is from."""

BUSY: Final = ("user", "nice", "system", "irq", "softirq")
"""What a CPU did for this Linux; `guest` is a part of `user`, `guest_nice` of `nice`."""
IN_KERNEL: Final = ("system", "irq", "softirq")
WAIT: Final = ("idle", "iowait")
EVERY: Final = (*BUSY, *WAIT, "steal")
"""All that the time of a CPU consists of."""
NO_CPU: Final = absent("no CPU is known")
NO_TIME: Final = absent("no time was accounted to the CPU in the interval")
NO_OVERHEAD: Final = absent("only z/VM and the hypervisor of LPARs report what they spend for a CPU")
NOT_RUN: Final = absent("the CPU did not run in the interval")
OF_PARTITION: Final = absent(
    "in an LPAR the T/V ratio is that of the partition: see the line above; LPAR has each"
)
NOT_TOLD: Final = absent("diag 204 does not tell the type of the processors")


class Processors(Things):
    """The CPUs of one interval, column by column, in the order of `keys`, each part in percent."""

    as_shown = True

    def __init__(self, interval: Interval) -> None:
        """Divide what each CPU did by all that it was accounted for."""
        cpus = interval.of(CPU)
        self._interval = interval
        self.keys = cpus.keys
        self.missing = cpus.missing
        self.online = cpus["online"]
        times = {name: cpus.numbers(name) for name in (*EVERY, "guest", "guest_nice")}
        # idle may fall by a little, which makes it unknown; then the clock has to do
        clock: list[Number] = [
            seconds * 1e9 * count for seconds, count in zip(cpus.seconds, self.many, strict=True)
        ]
        self.time = first(plus(*(times[name] for name in EVERY)), clock)
        self.part = {name: quotient(ns, self.time, 100.0, NO_TIME) for name, ns in times.items()}
        self.wait = plus(*(self.part[name] for name in WAIT))
        # sar may give the system's time with the interrupts in it; the rest of the time is busy all the same
        rest = [100.0 - wait - steal for wait, steal in zip(self.wait, self.part["steal"], strict=True)]
        self.busy = first(plus(*(self.part[name] for name in BUSY)), not_below_zero(rest))
        self.logical: list[Number] = [
            100.0 * ratio(busy, 100.0 - steal, "stolen all the time")
            for busy, steal in zip(self.busy, self.part["steal"], strict=True)
        ]

    @property
    def kernel(self) -> list[Number]:
        """The time in the kernel, with interrupts; sar may give the system's time with these in it."""
        return first(plus(*(self.part[name] for name in IN_KERNEL)), self.part["system"])

    def __len__(self) -> int:
        return len(self.keys)

    def average(self, percent: Sequence[Number]) -> Number:
        """Average over the CPUs, each with its time as its weight."""
        if not self.keys:
            return self.missing or NO_CPU
        return mean(percent, self.time, NO_TIME.reason)

    def counted(self, name: str, factor: float = 1.0) -> list[Number]:
        """Return the rate per second of a counter, multiplied: `1e-7` makes percent of ns."""
        return [factor * rate for rate in self._interval.of(CPU).rate(name)]

    @property
    def many(self) -> list[Number]:
        """How many CPUs each row stands for: one, if it is not the sum of all."""
        return [
            count if key == ALL and not isinstance(count, str) else 1
            for key, count in zip(self.keys, self.online, strict=True)
        ]

    @property
    def labels(self) -> list[Value]:
        """The type of each CPU, from the hypervisor's description of the own partition.

        It numbers cores where Linux numbers threads, so only a type that all of them have is sure.
        """
        lpars, logical = self._interval.of(LPAR), self._interval.of(LPAR_CPU)
        own = own_partitions(lpars)
        types = {kind for kind, name in zip(logical["type"], logical["lpar"], strict=True) if name in own}
        (kind,) = types if len(types) == 1 else (logical.missing or NOT_TOLD,)
        return [kind] * len(self.keys)

    @cached_property
    def _environment(self) -> str:
        """What this Linux runs in: `zvm`, `lpar`, or another word of the kind."""
        return text_of(self._interval.after.frame(MACHINE).cell("machine", "environment"))

    @property
    def _in_zvm(self) -> bool:
        return self._environment == "zvm"

    @property
    def overheads(self) -> list[Number]:
        """The total time of each CPU for each second of its virtual time."""
        if not self._in_zvm:
            return [self.overhead if isinstance(self.overhead, Absent) else OF_PARTITION] * len(self.keys)
        times = Joined(self._interval.of(VIRTUAL_CPU), self.keys, NOT_RUN)
        return quotient(times.numbers("total"), times.numbers("virtual"), 1.0, NOT_RUN)

    @cached_property
    def overhead(self) -> Number:
        """The total time for each second of virtual time, of this guest or of the own partition."""
        if self._in_zvm:
            times = self._interval.of(VIRTUAL_CPU)
            return _whole(times.numbers("total"), times.numbers("virtual"), times.missing or NOT_RUN)
        if self._environment != "lpar":
            return NO_OVERHEAD
        lpars, logical = self._interval.of(LPAR), self._interval.of(LPAR_CPU)
        own = own_partitions(lpars)
        rows = [row for row, name in enumerate(logical["lpar"]) if name in own]
        spent, given = logical.numbers("accumulated"), logical.numbers("dispatched")
        reason = logical.missing or (NOT_RUN if own else NO_OWN)
        return _whole([spent[row] for row in rows], [given[row] for row in rows], reason)

    @property
    def overhead_span(self) -> tuple[int, int] | None:
        """From when to when (UTC in ns) the ratio is, where it is of an earlier reading than the interval."""
        return earlier_span(self._interval, VIRTUAL_CPU if self._in_zvm else LPAR_CPU)

    @property
    def is_overhead_older(self) -> bool:
        """Whether the ratio is known, but of an earlier time than the interval."""
        return not isinstance(self.overhead, Absent) and self.overhead_span is not None

    @property
    def running(self) -> Number:
        """How many are on line."""
        if not self.keys:
            return self.missing or NO_CPU
        return total([n for n in self.online if not isinstance(n, str)])


def _whole(total_times: Sequence[Number], virtual_times: Sequence[Number], reason: Absent) -> Number:
    """Divide what is known of some CPUs; absent for the reason where none ran."""
    if not total_times:
        return reason
    return ratio(total(total_times), total(virtual_times), NOT_RUN.reason)


def _percent(name: str, values: Callable[[Processors], list[Number]], trend: int = 0) -> Figure:
    return Figure(name, values, lambda cpus, _rows: cpus.average(values(cpus)), trend=trend)


def _part(name: str, trend: int = 0) -> Figure:
    """Declare a part of a CPU's time."""
    return _percent(name, lambda cpus: cpus.part[name], trend)


_TRENDS: Final = {"user": 2, "system": 3, "steal": 4, "iowait": 5}
SHOWN: Final = catalogue(
    _percent("busy", attrgetter("busy"), 1),
    *(_part(name, _TRENDS.get(name, 0)) for name in (*EVERY, "guest", "guest_nice")),
    _percent("wait", attrgetter("wait")),
    _percent("logical", attrgetter("logical")),
    _percent("delay", lambda cpus: cpus.counted("run_delay", 1e-7)),
    _percent("waits", lambda cpus: cpus.counted("idle_entries")),
    Figure("tv", attrgetter("overheads"), lambda cpus, _rows: cpus.overhead),
    _percent("idlex", lambda cpus: cpus.counted("idle_exact", 1e-7)),
)
"""The loads of a CPU that screens show, which are averaged over all CPUs."""
Processors.figures = SHOWN | catalogue(_percent("kernel", attrgetter("kernel")))


def cpu_name(key: str) -> str:
    """Return what a CPU is called on the screens: P03."""
    return f"P{int(key):02d}" if key.isdecimal() else key.upper()
