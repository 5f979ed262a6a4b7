"""LPAR (FCX126): what each logical partition gets of the machine, per logical processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import ratio
from zmon.base.clock import clock
from zmon.kinds import LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU
from zmon.machine.figure import Needs
from zmon.machine.join import total
from zmon.machine.partitions import (
    MEASURED,
    NOT_TOLD,
    SELDOM,
    LogicalProcessors,
    earlier_span,
)
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.machine.view import View

NEEDS: Final = Needs((LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU))


def table(view: View) -> Table:
    """Fill LPAR: one row per logical processor, keyed `partition/processor`."""
    interval = view.interval
    processors = LogicalProcessors(interval)
    span = earlier_span(interval)
    notes = () if span is None else (f"~ of the last reading, {clock(span[0])} - {clock(span[1])}: {SELDOM}",)
    return Table(
        [*processors.keys],
        processors.columns(),
        facts=facts(interval),
        estimated={} if span is None else dict.fromkeys(MEASURED),
        notes=notes,
        missing=processors.missing,
    )


def facts(interval: Interval) -> dict[str, Value]:
    """Return the facts above the rows: the machine, its partitions and processors."""
    machine = interval.of(MACHINE)

    def fact(name: str) -> Value:
        return machine.cell("machine", name)

    partitions, physical = interval.of(LPAR), interval.of(PHYSICAL_CPU)
    model = f"{fact('type')}-{fact('model')}" if isinstance(fact("model"), str) else fact("type")
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
        "partition": fact("lpar_name"),
        "number": fact("lpar_number"),
        "capacity": fact("capacity_model"),
        "outer": fact("outer_programs"),
        "guests": fact("vm_cpus_configured"),
        "characteristics": fact("lpar_characteristics"),
        "model": model,
        "partitions": len(partitions) or partitions.missing or NOT_TOLD,
        "engines": len(physical) or physical.missing or NOT_TOLD,
        "management": management,
        "configured": fact("cpus_configured"),
        "shared": fact("lpar_cpus_shared"),
        "dedicated": fact("lpar_cpus_dedicated"),
        "weight_cap": _cores(fact("cap_weight_ifl"), fact("cap_weight_cp")),
        "absolute_cap": _cores(fact("cap_absolute_ifl"), fact("cap_absolute_cp")),
        "hypervisor": _hypervisor(fact("environment"), fact("control_program")),
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


DEFINITIONS: Final = {
    "lpar": TableDefinition(NEEDS, table, things=LogicalProcessors, screen="LPAR", resource="cpu")
}
