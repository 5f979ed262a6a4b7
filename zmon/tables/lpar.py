"""LPAR (FCX126): what each logical partition gets of the machine, per logical processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.base.clock import clock
from zmon.kinds import LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU
from zmon.machine.figure import Needs
from zmon.machine.join import present, total
from zmon.machine.partitions import (
    MEASURED,
    NO_PHYSICAL,
    NOT_TOLD,
    SELDOM,
    LogicalProcessors,
    earlier_span,
)
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta, Interval
    from zmon.machine.view import View

NEEDS: Final = Needs((LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU))


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
        **found.columns(),
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


DEFINITIONS: Final = {"lpar": TableDefinition(NEEDS, table, things=LogicalProcessors)}
