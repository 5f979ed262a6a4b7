"""SYSSUMLG (FCX225), REDISP (FCX101) and BENCHMRK: figures of several parts of the system, by time.

Each part comes from where its own screen takes it, so all screens agree.  BENCHMRK shows one device beside
what it depends on: its logical control unit, the busiest of its channel paths, the cache and the CPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.kinds import (
    BLOCK,
    CACHE,
    CHANNEL,
    CMF,
    CPU,
    DASD,
    DEVICE,
    LAYER,
    LPAR,
    LPAR_CPU,
    LUN,
    MACHINE,
    MEMORY,
    MULTIPATH,
    PATH,
    PHYSICAL_CPU,
    PRESSURE,
    TASKS,
    UNIT,
    UNIT_IO,
    VIRTUAL_CPU,
)  # fmt: skip
from zmon.machine import memory_use
from zmon.machine.device_names import find_device
from zmon.machine.devices import address, devices_of
from zmon.machine.figure import Needs
from zmon.machine.join import mean, total
from zmon.machine.memory_use import Memory
from zmon.machine.topology import TOPOLOGY, units_of
from zmon.tables import key_figures
from zmon.tables.by_time import ESTIMATED, Log, by_time, log_table
from zmon.tables.details import NOT_ASKED
from zmon.tables.device import with_labels
from zmon.tables.filled import TableDefinition, alone
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.view import View


class ScreenPart(NamedTuple):
    """A part of a screen: which figures of a by-time screen it has, and what they are called there."""

    names: Mapping[str, str]
    """The name of each figure here, by its name on the part's own screen."""
    weights: Mapping[str, str]
    """Which of these figures is an average over which."""


def _part(figures: str, weights: Mapping[str, str] | None = None) -> ScreenPart:
    """Declare a part: its figures, those with another name here as `there=here`."""
    pairs = [word.partition("=") for word in figures.split()]
    names = {there: here or there for there, _, here in pairs}
    given = (weights or {}).items()
    return ScreenPart(names, {names[n]: names[w] for n, w in given if n in names and w in names})


def _weights(parts: Iterable[ScreenPart]) -> dict[str, str]:
    return {name: weight for part in parts for name, weight in part.weights.items()}


def _together(parts: Iterable[tuple[ScreenPart, Mapping[str, Value]]]) -> tuple[dict[str, Value], str]:
    """Return the figures of parts by their names here, and the names of those that are estimates."""
    cells: dict[str, Value] = {}
    estimates: list[str] = []
    for (names, _), figures in parts:
        cells |= {names[name]: value for name, value in figures.items() if name in names}
        estimates += [names[name] for name in str(figures.get(ESTIMATED, "")).split() if name in names]
    return cells, " ".join(estimates)


# SYSSUMLG and REDISP

NEEDS: Final = Needs(
    (
        BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE, LAYER, LPAR, LPAR_CPU, LUN, MACHINE, MEMORY, MULTIPATH,
        PATH, PHYSICAL_CPU, PRESSURE, TASKS, UNIT, UNIT_IO, VIRTUAL_CPU,
    ),
    history=True,
    topology=TOPOLOGY,
)  # fmt: skip
CPUS: Final = _part("busy steal iowait system user online logical busiest=cpu highest=cpubusy")
WHOLE_TIMES: Final = {"user": ("user", "nice"), "system": ("system", "irq", "softirq")}
"""What of CPU adds up to a column here."""
DISKS: Final = _part(
    "io pend disc conn serv resp mbs queue read reqkb addr label dresp=devresp measured answered ios",
    key_figures.DEVICE_WEIGHTS,
)
UNITS: Final = _part(
    "ssid=lcu share fair resp=lcuresp io=lcuio all=lcuall answered=lcuanswered", key_figures.LCU_WEIGHTS
)
PATHS: Final = _part("chpid busy=chbusy mean=chmean stamped=chstamped", key_figures.PATH_WEIGHTS)
PAGING: Final = _part("pagein pageout used=memused swappct=swapused")
PARTITION: Final = _part("load=lparload busy=lparbusy susp=lparsusp")

WEIGHTS: Final = {**_weights((DISKS, UNITS, PATHS)), "hits": "cached"}


def figures(view: View) -> dict[str, Value]:
    """Return the key figures of all parts of the system, and for how many rows a rule is bad."""
    return {**system_figures(view), "beyond": view.count_bad(view)}


def system_figures(view: View) -> dict[str, Value]:
    """Return the key figures of all parts of the system."""
    cpus = key_figures.cpu_figures(view)
    cells, estimates = _together((
        (CPUS, cpus),
        (DISKS, key_figures.device_figures(view)),
        (UNITS, key_figures.lcu_figures(view)),
        (PATHS, key_figures.path_figures(view)),
        (PAGING, Memory(view.interval).as_one(keys=memory_use.PAGING)),
        (PARTITION, key_figures.partition_figures(view)),
    ))  # fmt: skip
    # so that they add up to busy; sar may give the system's time with interrupts in it: then these are absent
    times: dict[str, Value] = {
        name: total([cpus[part] for part in parts])  # type: ignore[misc]  # percentages
        for name, parts in WHOLE_TIMES.items()
    }
    return {**cells, **times, **_hits(view), ESTIMATED: estimates}


def _hits(view: View) -> dict[str, Value]:
    """Return the hit ratio of all volumes whose controller was asked, and the I/O it is a ratio of."""
    volumes = alone("cache", view)
    hits: list[Number] = volumes.columns["hit"]  # type: ignore[assignment]  # percentages
    rates: list[Number] = volumes.columns["total"]  # type: ignore[assignment]  # and rates
    unasked = volumes.missing or absent("no controller was asked")
    counted = [rate for rate in rates if not isinstance(rate, Absent)]
    return {"hits": mean(hits, rates, unasked.reason), "cached": sum(counted) if counted else unasked}


def _finish(filled: Table, view: View) -> Table:
    filled = key_figures.with_age(with_labels(filled, view), "lparbusy")
    return key_figures.with_sources(filled, view, "lcu")


SYSTEM: Final = Log("system", "REDISP", NEEDS, lambda view, _key: figures(view), WEIGHTS, finish=_finish)

# BENCHMRK

LCU: Final = _part(
    "ssid=lcu io=lcuio share=lcushare resp=lcuresp answered=lcuanswered all=lcuall", key_figures.LCU_WEIGHTS
)
LOAD: Final = _part("busy=cpubusy steal")

FOCUS_WEIGHTS: Final = {**key_figures.DEVICE_WEIGHTS, **_weights((LCU,)), "hit": "cached"}

NO_LCU: Final = absent("the device belongs to no control unit")
NO_LOAD: Final = absent("the load of none of its channel paths is known")
NO_DEVICE: Final = absent("no device has I/O now; BENCHMRK nnnn shows one by its number")


def focus_table(view: View) -> Table:
    """Fill BENCHMRK: one row per interval, of the device that `view.argument` names, else of the busiest now.

    Raises:
        NoSuchThing: no device, or more than one, has that name.
    """
    key = find(view) if view.argument else _busiest(view.interval)
    if not key:
        return Table([], {}, missing=NO_DEVICE)
    filled = FOCUS.finish(by_time(view, FOCUS, key), view)
    if view.argument or not filled.keys:
        return filled
    note = f"Device {address(key)} is the busiest now; BENCHMRK nnnn shows another"
    return filled._replace(notes=(*filled.notes, note))


def find(view: View) -> str:
    """Return the key of a device; the Toolkit writes DEVICE before it.

    Raises:
        NoSuchThing: no device, or more than one, has that name.
    """
    word, _, name = view.argument.strip().partition(" ")
    said = len(word) >= 3 and "DEVICE".startswith(word.upper())
    return find_device(view, name if said and name else view.argument)


def _busiest(interval: Interval) -> str:
    devices = devices_of(interval)
    row = key_figures.busiest(devices, devices.summed)
    return "" if row is None else devices.keys[row]


def focus_figures(view: View, key: str) -> dict[str, Value]:
    """Return the figures of one device and of what it depends on."""
    own = key_figures.device_figures(view, key)
    lcu = units_of(view).of.get(key, "")
    unit = key_figures.lcu_figures(view, lcu) if lcu else dict.fromkeys(LCU.names, NO_LCU)
    path = _path(view, key)
    _, estimates = _together([(LCU, unit)])
    cells = {here: unit[there] for there, here in LCU.names.items() if there in unit}
    loads, _ = _together([(LOAD, key_figures.cpu_figures(view))])
    marks = (str(own.get(ESTIMATED, "")), str(path.get(ESTIMATED, "")), estimates)
    return {**own, **cells, **path, **_cache(view, key), **loads, ESTIMATED: " ".join(marks)}


def _path(view: View, key: str) -> dict[str, Value]:
    """Return the busiest of the device's channel paths."""
    named = view.interval.of(DEVICE).cell(key, "chpids")
    if not isinstance(named, str):
        return {"chpid": named, "chbusy": named}
    paths = alone("channel", view)
    loads = [
        (load, -row)
        for row, (chpid, load) in enumerate(zip(paths.keys, paths.columns["cur"], strict=True))
        if chpid in named.split() and isinstance(load, (int, float))
    ]
    if not loads:
        return {"chpid": NO_LOAD, "chbusy": NO_LOAD}
    load, row = max(loads)
    guessed = paths.is_estimate("cur", -row)
    return {"chpid": paths.keys[-row], "chbusy": load, ESTIMATED: "chbusy" if guessed else ""}


def _cache(view: View, key: str) -> dict[str, Value]:
    """Return the hit ratio of the volume, and the I/O it is a ratio of."""
    volumes = alone("cache", view)
    if key not in volumes.keys:
        return dict.fromkeys(("hit", "cached"), volumes.missing or NOT_ASKED)
    row = volumes.keys.index(key)
    return {"hit": volumes.columns["hit"][row], "cached": volumes.columns["total"][row]}


FOCUS: Final = Log(
    "focus",
    "BENCHMRK",
    Needs((BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE), history=True, topology=TOPOLOGY),
    focus_figures,
    FOCUS_WEIGHTS,
    find,
    lambda filled, view: key_figures.with_sources(with_labels(filled, view), view, "lcu"),
)

DEFINITIONS: Final = {
    "system": TableDefinition(NEEDS, lambda view: log_table(SYSTEM, view), screen=SYSTEM.screen),
    "focus": TableDefinition(FOCUS.needs, focus_table, find=find, screen=FOCUS.screen),
}
