"""CPU (FCX100): how busy each CPU of this Linux is, and with what; above it the whole system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.clock import clock
from zmon.kinds import (
    BLOCK,
    CMF,
    CPU,
    DASD,
    DEVICE,
    MEMORY,
)
from zmon.machine.cpus import NO_CPU, OVERHEAD, SHOWN, Processors, cpu_name
from zmon.machine.devices import devices_of
from zmon.machine.figure import Needs
from zmon.machine.join import total
from zmon.machine.memory_use import PAGING, Memory
from zmon.machine.partitions import SELDOM
from zmon.tables.device import summary
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Summary, Table

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.machine.devices import Devices
    from zmon.machine.view import View

NEEDS: Final = Needs((BLOCK, CMF, CPU, DASD, DEVICE, MEMORY, *OVERHEAD))

GUESSED: Final = "SSCH/RSCH holds Linux's own requests, where starts of I/O are not counted"


def table(view: View) -> Table:
    """Fill CPU: one row per CPU that is present, keyed by its number."""
    interval = view.interval
    cpus, devices = Processors(interval), devices_of(interval)
    columns: dict[str, list[Value]] = {
        "proc": [cpu_name(key) for key in cpus.keys],
        "type": cpus.labels,
        **cpus.columns(SHOWN),
        "polarization": interval.of(CPU)["polarization"],
        "address": interval.of(CPU)["address"],
        "state": ["offline" if online == 0 else "online" for online in cpus.online],
    }
    span = cpus.overhead_span if cpus.is_overhead_older else None
    return Table(
        list(cpus.keys),
        columns,
        Summary(">>Mean>>", cpus.as_one(keys=SHOWN)) if cpus.keys else None,
        facts=facts(view, cpus, devices),
        estimated={} if span is None else {"tv": None},
        notes=(
            *((GUESSED,) if devices.guessed else ()),
            *(() if span is None else (f"~ T/V of {clock(span[0])} - {clock(span[1])}: {SELDOM}",)),
        ),
        missing=cpus.missing,
    )


def facts(view: View, cpus: Processors, devices: Devices) -> dict[str, Value]:
    """Return the facts above the rows: the whole system's I/O, paging and memory."""
    disks = summary(devices).cells
    memory = Memory(view.interval)
    load = [busy * count for busy, count in zip(cpus.busy, cpus.many, strict=True)]
    return {
        "io": disks["io"],
        "requests": disks["ios"],
        "megabytes": disks["mbs"],
        "paging": memory.figure("paging"),
        "available": memory.figure("available"),
        "memory": memory.figure("total"),
        "running": cpus.running,
        "present": total(cpus.many) if cpus.keys else cpus.missing or NO_CPU,
        "tv": cpus.overhead,
        "load": total(load) if cpus.keys else cpus.average(cpus.busy),
    }


def memory_table(view: View) -> Table:
    """Return the use of memory and the paging rates as facts, without a screen: rules watch them."""
    memory = Memory(view.interval)
    return Table([], {}, facts=memory.as_one(keys=PAGING), missing=memory.missing)


DEFINITIONS: Final = {
    "cpu": TableDefinition(NEEDS, table, things=Processors, screen="CPU", resource="cpu"),
    "memory": TableDefinition(
        Needs((MEMORY,)), memory_table, things=Memory, screen="PAGELOG", resource="memory"
    ),
}
