"""LPAR (FCX126): what each logical partition gets of the machine, per logical processor.

Busy is the time a processor was given to the partition, overhead the part of it that the hypervisor spent on
the partition's behalf; both in percent of the time the processor was on line, one processor being 100.
Only the own partition shows its suspended time: what is neither busy nor waiting.  Where the hypervisor
does not count wait time, idle time cannot be told from it, and both are absent.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent, ratio
from zmon.clock import clock
from zmon.kinds import LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU
from zmon.machine.figure import Needs, Table, TableColumn, each_row
from zmon.machine.join import Joined, not_below_zero, present, quotient, total
from zmon.machine.view import TableDefinition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.absent import Number, Value
    from zmon.interval import Delta, Interval
    from zmon.machine.view import View
    from zmon.sample import Kind

NEEDS: Final = Needs((LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU))

MEASURED: Final = ("load", "busy", "ovhd", "susp", "logld", "wait")
"""The columns that are of an interval."""
SELDOM: Final = "partitions are read more seldom than samples are taken"
NO_PHYSICAL: Final = absent("the physical processors are not known")
STALE: Final = absent("the hypervisor's figures were not refreshed in this interval")
OFFLINE: Final = absent("the processor is not on line")
OTHERS: Final = absent("known of the own partition only")
UNDESCRIBED: Final = absent("the partition is not described")
NOT_TOLD: Final = absent("neither diag 204 nor hypfs reports this")
UNCOUNTED: Final = absent(
    "the hypervisor does not count wait time, so idle and suspended time cannot be separated"
)


class LogicalProcessors:
    """The logical processors of an interval: for what part of their time they were used, column by column."""

    def __init__(self, interval: Interval) -> None:
        """Compare with the time in which each was on line."""
        self.cpus = cpus = interval.of(LPAR_CPU)
        self.keys, self.labels = cpus.keys, cpus["lpar"]
        self.partitions = Joined(interval.of(LPAR), self.labels, UNDESCRIBED)
        self.wait = _waits(cpus)
        self.busy, given = _percent(cpus, "accumulated"), _percent(cpus, "dispatched")
        self.overhead = not_below_zero([b - g for b, g in zip(self.busy, given, strict=True)])
        rest = not_below_zero([100.0 - b - w for b, w in zip(self.busy, self.wait, strict=True)])
        own = self.partitions["own"]
        self.suspended: list[Number] = [s if mine == 1 else OTHERS for s, mine in zip(rest, own, strict=True)]


COLUMNS: Final = (
    TableColumn("busy", attrgetter("busy"), trend=1),
    TableColumn("ovhd", attrgetter("overhead"), trend=2),
    TableColumn("susp", attrgetter("suspended"), trend=3),
    TableColumn("logld", lambda found: _logical(found.busy, found.suspended)),
    TableColumn("wait", attrgetter("wait")),
)


def table(view: View) -> Table:
    """Fill LPAR: one row per logical processor, keyed `partition/processor`."""
    interval = view.interval
    found = LogicalProcessors(interval)
    cpus, names, partitions = found.cpus, found.labels, found.partitions
    columns: dict[str, list[Value]] = {
        "partition": names,
        "number": partitions["number"],
        "upid": partitions["upid"],
        "procs": partitions["cpus"],
        "weight": [
            "DED" if dedicated == 1 else weight
            for dedicated, weight in zip(cpus["dedicated"], cpus["weight"], strict=True)
        ],
        "waitc": [NOT_TOLD] * len(cpus),
        "cap": [_yes(value) for value in cpus["capped"]],
        "load": list(_loads(interval, names, found.busy)),
        "cpu": cpus["cpu"],
        **each_row(COLUMNS, found),
        "vmld": [absent("known to z/VM only")] * len(cpus),
        "type": cpus["type"],
        "typecap": cpus["cap_type"],
        "entitled": list(_entitlements(cpus, interval.of(PHYSICAL_CPU))),
        "os": partitions["os"],
        "group": partitions["group"],
        "groupcap": cpus["cap_group"],
    }
    span = earlier_span(interval)
    notes = () if span is None else (f"~ of the last reading, {clock(span[0])} - {clock(span[1])}: {SELDOM}",)
    return Table(
        list(cpus.keys),
        columns,
        facts=facts(interval),
        estimated={} if span is None else dict.fromkeys(MEASURED),
        notes=notes,
        missing=cpus.missing,
    )


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


def _yes(value: Value) -> Value:
    return value if isinstance(value, Absent) else "YES" if value else "NO"


def _loads(interval: Interval, names: Sequence[Value], busy: Sequence[Number]) -> list[Number]:
    """Return for each row the share of the whole machine that its partition used."""
    physical = interval.of(PHYSICAL_CPU)
    engines = len(physical)
    if not engines:
        return [physical.missing or NO_PHYSICAL] * len(names)
    shares: dict[Value, list[Number]] = {}
    for name, percent in zip(names, busy, strict=True):
        shares.setdefault(name, []).append(percent)
    return [total(shares[name]) / engines for name in names]


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


def facts(interval: Interval) -> dict[str, Value]:
    """Return the facts above the rows: the machine, its partitions and processors."""
    machine = interval.of(MACHINE)

    def known(name: str) -> Value:
        return machine.cell("machine", name)

    partitions, physical = interval.of(LPAR), interval.of(PHYSICAL_CPU)
    model = f"{known('type')}-{known('model')}" if isinstance(known("model"), str) else known("type")
    management = (
        total(
            [
                100.0 * ratio(us, clock)
                for us, clock in zip(physical.numbers("management"), physical.numbers("clock"), strict=True)
            ]
        )
        if len(physical)
        else physical.missing or NOT_TOLD
    )
    return {
        "partition": known("lpar_name"),
        "lpar_number": known("lpar_number"),
        "characteristics": known("lpar_characteristics"),
        "model": model,
        "partitions": len(partitions) or partitions.missing or NOT_TOLD,
        "engines": len(physical) or physical.missing or NOT_TOLD,
        "management": management,
        "configured": known("cpus_configured"),
        "shared": known("lpar_cpus_shared"),
        "dedicated": known("lpar_cpus_dedicated"),
        "weight_cap": _cores(known("cap_weight_ifl"), known("cap_weight_cp")),
        "absolute_cap": _cores(known("cap_absolute_ifl"), known("cap_absolute_cp")),
        "hypervisor": _hypervisor(known("environment"), known("control_program")),
    }


def _cores(*caps: Value) -> Value:
    """Write a cap in cores; zero means that there is none."""
    numbers = [cap for cap in caps if isinstance(cap, int)]
    if not numbers:
        return caps[0]
    return f"{max(numbers) / 100:.2f} cores" if max(numbers) else "none"


def _hypervisor(environment: Value, control_program: Value) -> Value:
    if environment == "lpar":
        return "none (LPAR)"
    return control_program


DEFINITIONS: Final = {"lpar": TableDefinition(NEEDS, table, things=LogicalProcessors, columns=COLUMNS)}
