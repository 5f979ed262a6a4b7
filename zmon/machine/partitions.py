"""The logical partitions of the machine in an interval, by their logical processors.

Busy is the time a processor was given to the partition, overhead the part of it that the hypervisor spent on
the partition's behalf; both in percent of the time the processor was on line, one processor being 100.
Only of the own partition the suspended time is known: what is neither busy nor waiting.  Where the hypervisor
does not count wait time, idle time cannot be told from it, and both are absent.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.kinds import LPAR, LPAR_CPU, PHYSICAL_CPU, TYPE_UNKNOWN
from zmon.machine.figure import Figure, catalogue
from zmon.machine.join import Joined, mean, not_below_zero, present, quotient, total
from zmon.machine.things import Counted, said
from zmon.sample import pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta, Interval
    from zmon.sample import Kind

MEASURED: Final = ("load", "busy", "ovhd", "susp", "logld", "wait")
"""The columns that are of an interval."""
SELDOM: Final = "partitions are read more seldom than samples are taken"
AVERAGED: Final = ("busy", "ovhd", "susp", "wait")
LABELS: Final = ("partition", "number", "upid")
ONCE: Final = ("procs", "weight", "cap", "load", "entitled", "typecap")
"""What is the same in each row of a partition, as its labels are."""

NONE_ONLINE: Final = absent("no processor of the partition was on line")
NO_OWN: Final = absent("the hypervisor does not tell which partition is the own one")
NO_PHYSICAL: Final = absent("the physical processors are not known")
STALE: Final = absent("the hypervisor's figures were not refreshed in this interval")
OFFLINE: Final = absent("the processor is not on line")
OTHERS: Final = absent("known of the own partition only")
UNDESCRIBED: Final = absent("the partition is not described")
NOT_TOLD: Final = absent("neither diag 204 nor hypfs reports this")
UNCOUNTED: Final = absent(
    "the hypervisor does not count wait time, so idle and suspended time cannot be separated"
)


class LogicalProcessors(Counted):
    """The logical processors of an interval: for what part of their time they were used, column by column."""

    kind = LPAR_CPU

    def __init__(self, interval: Interval) -> None:
        """Compare with the time in which each was on line."""
        super().__init__(interval)
        self._interval, cpus = interval, self.counted
        self.partitions = Joined(interval.of(LPAR), self.labels, UNDESCRIBED)
        self.wait = _waits(cpus)
        self.busy, given = _percent(cpus, "accumulated"), _percent(cpus, "dispatched")
        self.overhead = not_below_zero([b - g for b, g in zip(self.busy, given, strict=True)])
        rest = not_below_zero([100.0 - b - w for b, w in zip(self.busy, self.wait, strict=True)])
        own = self.partitions["own"]
        self.suspended: list[Number] = [s if mine == 1 else OTHERS for s, mine in zip(rest, own, strict=True)]

    @property
    def labels(self) -> list[Value]:
        """The partition of each."""
        return self.counted["lpar"]

    @property
    def load(self) -> list[Number]:
        """The share of the whole machine that the partition of each used."""
        physical, names = self._interval.of(PHYSICAL_CPU), self.labels
        engines = len(physical)
        if not engines:
            return [physical.missing or NO_PHYSICAL] * len(names)
        shares: dict[Value, list[Number]] = {}
        for name, percent in zip(names, self.busy, strict=True):
            shares.setdefault(name, []).append(percent)
        return [total(shares[name]) / engines for name in names]

    @property
    def entitled(self) -> list[Number]:
        """The processors that each partition's weight entitles it to, per row and type."""
        return _entitlements(self.counted, self._interval.of(PHYSICAL_CPU))

    def of_partition(self, name: str = "", missing: Absent | None = None) -> dict[str, Value]:
        """Return the figures of a partition per logical processor on line, by default of the own one.

        `missing` is why there are no processors, if more is known of that.
        """
        partitions = self._interval.of(LPAR)
        wanted = name or next(iter(own_partitions(partitions)), "")
        rows = [row for row, partition in enumerate(self.labels) if partition == wanted]
        if not rows:
            reason = missing or self.missing or partitions.missing or (UNDESCRIBED if wanted else NO_OWN)
            return dict.fromkeys((*LABELS, *ONCE, *AVERAGED, "logld", "type", "online"), reason)
        times = pick(self.counted.numbers("online_time"), rows)
        running = present(times)
        averages = {key: mean(pick(self.numbers(key), rows), times, NONE_ONLINE.reason) for key in AVERAGED}
        types = {kind for kind in pick(self.column("type"), rows) if isinstance(kind, str)}
        return {
            **{key: self._first(key, rows) for key in ONCE},
            **{key: _label(self._first(key, rows)) for key in LABELS},
            **averages,
            "logld": 100.0 * ratio(averages["busy"], 100.0 - averages["susp"], "suspended all the time"),
            "online": sum(1 for time in running if time) if running else times[0],
            "type": "/".join(sorted(types)) or TYPE_UNKNOWN,
        }

    def _first(self, key: str, rows: Sequence[int]) -> Value:
        """Return the first value of some processors that is there, else the first reason."""
        values = pick(self.column(key), rows)
        return next((value for value in values if not isinstance(value, Absent)), values[0])


def _label(value: Value) -> Value:
    """Return a number that is a name as a text, so that it is not averaged."""
    return value if isinstance(value, (Absent, str)) else f"{value}"


def _of_partition(key: str, field: str = "") -> Figure:
    """Declare what is read of the partition of each."""
    return Figure(key, lambda processors: processors.partitions[field or key])


def _unknown(key: str, why: Absent) -> Figure:
    """Declare what the original shows and nobody tells here."""
    return Figure(key, lambda processors: [why] * len(processors.keys))


LogicalProcessors.figures = catalogue(
    Figure("partition", attrgetter("labels")),
    _of_partition("number"),
    _of_partition("upid"),
    _of_partition("procs", "cpus"),
    Figure("weight", lambda processors: _weights(processors.counted)),
    _unknown("waitc", NOT_TOLD),
    Figure("cap", lambda processors: [_yes(capped) for capped in processors.counted["capped"]]),
    Figure("load", attrgetter("load")),
    said("cpu"),
    Figure("busy", attrgetter("busy"), trend=1),
    Figure("ovhd", attrgetter("overhead"), trend=2),
    Figure("susp", attrgetter("suspended"), trend=3),
    Figure("logld", lambda processors: _logical(processors.busy, processors.suspended)),
    Figure("wait", attrgetter("wait")),
    _unknown("vmld", absent("known to z/VM only")),
    said("type"),
    said("typecap", "cap_type"),
    Figure("entitled", attrgetter("entitled")),
    _of_partition("os"),
    _of_partition("group"),
    said("groupcap", "cap_group"),
)


def _weights(cpus: Delta) -> list[Value]:
    columns = zip(cpus["dedicated"], cpus["weight"], strict=True)
    return ["DED" if dedicated == 1 else weight for dedicated, weight in columns]


def _yes(value: Value) -> Value:
    return value if isinstance(value, Absent) else "YES" if value else "NO"


def own_partitions(partitions: Delta) -> list[str]:
    """Return the partition that this Linux runs in, by its key: none where the hypervisor does not tell."""
    return [key for key, mine in zip(partitions.keys, partitions["own"], strict=True) if mine == 1]


def earlier_span(interval: Interval, kind: Kind = LPAR_CPU) -> tuple[int, int] | None:
    """Return from when to when (UTC in ns) figures of the hypervisor are no newer than the interval's begin.

    None where they are of the interval itself, or there are none.
    """
    frame, before = interval.after.frame(kind), interval.before
    if before is None or not frame.times or frame.times[0] > before.at.steady:
        return None
    if frame.prior is None or not frame.prior.times:
        return None
    offset = interval.after.at.utc - interval.after.at.steady
    return frame.prior.times[0] + offset, frame.times[0] + offset


def _waits(cpus: Delta) -> list[Number]:
    """Return how long each processor had nothing to do, in percent.

    A counter that is still 0 was never filled in, unless the processor was busy ever since it came on line.
    """
    since = (cpus.frame.column(name) for name in ("wait", "accumulated", "online_time"))
    return [
        UNCOUNTED if waited == 0 and used < online and not isinstance(percent, Absent) else percent
        for waited, used, online, percent in zip(*since, _percent(cpus, "wait"), strict=True)
    ]


def _percent(cpus: Delta, counter: str) -> list[Number]:
    """Return a counter of time in percent of the time in which the processor was on line."""
    times = cpus.numbers("online_time")
    return [
        OFFLINE if state == 0 and not time else percent
        for state, time, percent in zip(
            cpus["online"], times, quotient(cpus.numbers(counter), times, 100.0, STALE), strict=True
        )
    ]


def _logical(busy: Sequence[Number], suspended: Sequence[Number]) -> list[Number]:
    """Return busy in percent of the time in which the partition was not suspended."""
    return [
        100.0 * ratio(b, 100.0 - s, "suspended all the time") for b, s in zip(busy, suspended, strict=True)
    ]


def _entitlements(cpus: Delta, physical: Delta) -> list[Number]:
    """Return the processors that each partition's weight entitles it to, per row and type.

    A partition's weight is repeated on each of its processors; it is shared by those that are on line.
    """
    shared = [
        kind
        for kind, dedicated in zip(physical["type"], physical["dedicated"], strict=True)
        if dedicated != 1
    ]
    weights: dict[tuple[Value, Value], Number] = {}
    for name, kind, weight, dedicated, online in zip(
        cpus["lpar"], cpus["type"], cpus.numbers("weight"), cpus["dedicated"], cpus["online"], strict=True
    ):
        if dedicated != 1 and online != 0:
            weights[name, kind] = weight
    result: list[Number] = []
    for name, kind, dedicated in zip(cpus["lpar"], cpus["type"], cpus["dedicated"], strict=True):
        if dedicated == 1:
            result.append(absent("dedicated processors need no weight"))
            continue
        rivals = sum(present([w for (_, k), w in weights.items() if k == kind]))
        mine = weights.get((name, kind), absent("not on line"))
        if not len(physical):
            mine = physical.missing or NO_PHYSICAL
        result.append(ratio(mine * shared.count(kind), rivals, "no weights"))
    return result
