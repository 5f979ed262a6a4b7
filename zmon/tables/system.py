"""SYSSUMLG (FCX225) and REDISP (FCX101): the key figures of the whole system by time.

Each part comes from where its own screen takes it, so all screens agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kinds import (
    BLOCK,
    CACHE,
    CHANNEL,
    CMF,
    CONTAINER,
    CPU,
    DASD,
    DEVICE,
    LPAR,
    LPAR_CPU,
    MACHINE,
    MEMORY,
    PHYSICAL_CPU,
    PRESSURE,
)  # fmt: skip
from zmon.tables import key_figures, lookup
from zmon.tables.by_time import ESTIMATED, Log, by_time
from zmon.tables.cpu import memory_figures
from zmon.tables.join import mean, total
from zmon.tables.table import Needs, Table
from zmon.tables.topology import TOPOLOGY
from zmon.tables.view import NoSuchThing, TableDefinition, alone, needs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Number, Value
    from zmon.tables.view import Limits, View

NEEDS: Final = Needs(
    (BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE, LPAR, LPAR_CPU, MACHINE, MEMORY, PHYSICAL_CPU, PRESSURE),
    history=True,
    told=TOPOLOGY,
)

# the name of each figure here, by its name on the part's own screen
PROCESSORS: Final = {
    "busy": "busy", "steal": "steal", "iowait": "iowait", "system": "system", "user": "user",
    "online": "online", "logical": "logical", "busiest": "cpu", "highest": "cpubusy",
}  # fmt: skip
WHOLE_TIMES: Final = {"user": ("user", "nice"), "system": ("system", "irq", "softirq")}
"""What of CPU adds up to a column here."""
DISKS: Final = {
    "io": "io", "pend": "pend", "disc": "disc", "conn": "conn", "serv": "serv", "resp": "resp", "mbs": "mbs",
    "queue": "queue", "read": "read", "reqkb": "reqkb", "addr": "addr", "label": "label", "dresp": "devresp",
    "measured": "measured", "answered": "answered", "ios": "ios",
}  # fmt: skip
UNITS: Final = {
    "ssid": "lcu", "share": "share", "fair": "fair", "resp": "lcuresp", "io": "lcuio", "all": "lcuall",
    "answered": "lcuanswered",
}  # fmt: skip
PATHS: Final = {"chpid": "chpid", "busy": "chbusy", "mean": "chmean", "stamped": "chstamped"}
PAGING: Final = {"pagein": "pagein", "pageout": "pageout", "used": "memused", "swappct": "swapused"}
PARTITION: Final = {"load": "lparload", "busy": "lparbusy", "susp": "lparsusp"}

WEIGHTS: Final = {
    **{DISKS[n]: DISKS[w] for n, w in key_figures.DEVICE_WEIGHTS.items() if n in DISKS and w in DISKS},
    **{UNITS[n]: UNITS[w] for n, w in key_figures.LCU_WEIGHTS.items() if n in UNITS},
    **{PATHS[n]: PATHS[w] for n, w in key_figures.PATH_WEIGHTS.items() if n in PATHS},
    "hits": "cached",
}


def table(view: View) -> Table:
    """Fill SYSSUMLG and REDISP: one row per interval."""
    limits = view.limits()
    filled = by_time(view, Log("system", NEEDS, lambda each, _key: figures(each, limits), WEIGHTS))
    filled = key_figures.with_age(lookup.relabelled(filled, view), "lparbusy")
    return key_figures.with_sources(filled, view, "lcu")


def figures(view: View, limits: Limits) -> dict[str, Value]:
    """Return the key figures of all parts of the system, and how many values are bad."""
    return {**system_figures(view), "beyond": beyond(view, limits)}


def system_figures(view: View) -> dict[str, Value]:
    """Return the key figures of all parts of the system."""
    parts: tuple[tuple[Mapping[str, Value], Mapping[str, str]], ...] = (
        (key_figures.cpu_figures(view), PROCESSORS),
        (key_figures.device_figures(view), DISKS),
        (key_figures.lcu_figures(view), UNITS),
        (key_figures.path_figures(view), PATHS),
        (memory_figures(view), PAGING),
        (key_figures.partition_figures(view), PARTITION),
    )
    cells = {names[name]: value for part, names in parts for name, value in part.items() if name in names}
    estimates = [
        names[name] for part, names in parts for name in str(part.get(ESTIMATED, "")).split() if name in names
    ]
    return {**cells, **_whole_times(parts[0][0]), **_cache(view), ESTIMATED: " ".join(estimates)}


def _whole_times(cpus: Mapping[str, Value]) -> dict[str, Value]:
    """Return the CPU time of programs and of the kernel so that they add up to busy.

    sar may give the system's time with the interrupts in it; then these are absent.
    """
    known = {name: [cpus[part] for part in parts] for name, parts in WHOLE_TIMES.items()}
    return {name: total(values) for name, values in known.items()}  # type: ignore[arg-type]  # percentages


def _cache(view: View) -> dict[str, Value]:
    """Return the hit ratio of all volumes whose controller was asked, and the I/O it is a ratio of."""
    volumes = alone("cache", view)
    hits: list[Number] = volumes.columns["hit"]  # type: ignore[assignment]  # percentages
    rates: list[Number] = volumes.columns["total"]  # type: ignore[assignment]  # and rates
    unasked = volumes.missing or absent("no controller was asked")
    known = [rate for rate in rates if not isinstance(rate, Absent)]
    return {"hits": mean(hits, rates, unasked.reason), "cached": sum(known) if known else unasked}


def is_counted(name: str) -> bool:
    """Tell whether values of a table that are beyond limits count.

    Those of tablespaces do not: how they lie is a plan, not what happened in an interval.
    """
    needed = needs(name)
    return not needed.history and CONTAINER not in needed.kinds


def beyond(view: View, limits: Limits) -> Number:
    """Count the values of all screens that are beyond what the screens call bad."""
    counted: list[bool] = []
    for name in sorted({column.partition(".")[0] for column in limits}):
        if not is_counted(name):
            continue
        try:
            filled = alone(name, view)
        except NoSuchThing:  # a page about one thing
            continue
        for column, values in filled.columns.items():
            bad = limits.get(f"{name}.{column}", (0.0, None))[1]
            if bad is not None:
                counted += [value > bad for value in values if isinstance(value, (int, float))]
    return sum(counted) if counted else absent("no value that has a limit is known")


DEFINITIONS: Final = {"system": TableDefinition(NEEDS, table)}
