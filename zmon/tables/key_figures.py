"""The key figures of one interval, part by part: CPUs, devices, LCUs, channel paths, memory, partitions.

Each part is a by-time screen of its own, declared in `LOGS`: of all things of its kind or the busiest, or of
the one that the operand names. SYSSUMLG, REDISP and BENCHMRK take their figures from here, so screens agree.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.interval import FIRST, IDLE
from zmon.kinds import (
    ALL,
    BLOCK,
    CHANNEL,
    CMF,
    CPU,
    DASD,
    DEVICE,
    LPAR,
    LPAR_CPU,
    MACHINE,
    MEMORY,
    NOT_MEASURED,
    PHYSICAL_CPU,
)
from zmon.machine.channel_paths import UNTIMED, stamp_seconds
from zmon.machine.cpus import OVERHEAD, Processors, cpu_name
from zmon.machine.cpus import SHOWN as OF_CPU
from zmon.machine.device_names import find_device
from zmon.machine.devices import NO_DISKS, SHOWN, Devices, address, devices_of, labels, unseen_disks
from zmon.machine.figure import Needs, weights_of
from zmon.machine.join import present, total
from zmon.machine.lcus import LOADS, ControlUnits
from zmon.machine.memory_use import PAGING, Memory
from zmon.machine.observation import NO_LCU
from zmon.machine.partitions import (
    MEASURED,
    SELDOM,
    LogicalProcessors,
    earlier_span,
)
from zmon.machine.topology import TOPOLOGY, lcus_named, units_of
from zmon.machine.view import NoSuchThing
from zmon.tables.by_time import ESTIMATED, Log, log_table
from zmon.tables.control_unit import told_by
from zmon.tables.device import with_labels
from zmon.tables.filled import TableDefinition, alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.view import View
    from zmon.tables.table import Table


ONLY_ALL: Final = absent("only the sum of all CPUs was recorded")
CPU_COLUMNS: Final = tuple(key for key in OF_CPU if key not in {"guest", "guest_nice"})
NO_SUCH_CPU: Final = absent("there was no such CPU")


def _listed(view: View, what: str, wanted: str, keys: Sequence[str]) -> str:
    """Return the key that is wanted.

    Raises:
        NoSuchThing: there is none; says which there are.
    """
    named = next((key for key in keys if key.upper() == wanted.upper()), None)
    if named is None:
        raise NoSuchThing(f"no {what} {view.argument!r}; there are {', '.join(keys) or 'none'}")
    return named


def find_cpu(view: View) -> str:
    """Return the key of a CPU that is called `3` or `P03`."""
    wanted = view.argument.strip().upper().removeprefix("P")
    return _listed(view, "CPU", wanted.lstrip("0") or wanted[:1], view.interval.of(CPU).keys)  # P00 is 0


def cpu_figures(view: View, key: str = "") -> dict[str, Value]:
    """Return the load of one CPU, or the mean of all and the busiest of them."""
    cpus = Processors(view.interval)
    counted = [row for row, busy in enumerate(cpus.busy) if not isinstance(busy, Absent)]
    chosen = cpus.keys.index(key) if key in cpus.keys else None
    columns = cpus.columns(CPU_COLUMNS)
    busiest = max(counted, key=lambda row: cpus.busy[row], default=None)
    reason = cpus.missing or cpus.average(cpus.busy)
    if cpus.keys == [ALL]:
        busiest, reason = None, ONLY_ALL
    return {
        "online": cpus.running,
        **(
            {name: NO_SUCH_CPU if chosen is None else values[chosen] for name, values in columns.items()}
            if key
            else cpus.as_one(keys=CPU_COLUMNS)
        ),
        "busiest": reason if busiest is None else cpu_name(cpus.keys[busiest]),
        "highest": reason if busiest is None else cpus.busy[busiest],
        **({ESTIMATED: "tv"} if cpus.is_overhead_older else {}),
    }


DEVICE_WEIGHTS: Final = {**weights_of(Devices.figures.values()), "share": "all"}

DEVICE_GONE: Final = absent("the device was not on line")


OF_DISKS: Final = (*SHOWN, "measured", "answered")
"""What all disks have together, and the rates that their means are over."""


def device_figures(view: View, key: str = "") -> dict[str, Value]:
    """Return the load of all disks and which of them is the busiest, or that of one device."""
    devices = devices_of(view.interval)
    if key:
        here = key in devices.keys
        return of_one(devices, devices.keys.index(key)) if here else {"addr": address(key), "io": DEVICE_GONE}
    rows = devices.summed
    row = busiest(devices, rows)
    cells = devices.as_one(rows, OF_DISKS)
    nothing = unseen_disks(view.interval) or NO_DISKS
    return {**cells, **_chosen(devices, row, rows, nothing), ESTIMATED: _device_estimates(devices, rows, row)}


def of_one(devices: Devices, row: int) -> dict[str, Value]:
    """Return the load of the device in a row."""
    cells: dict[str, Value] = {
        key: devices.column(key)[row] for key in OF_DISKS if devices.figures[key].together is not None
    }
    hung = " resp" if row in devices.blocks.hung else ""
    return {
        **cells,
        **_chosen(devices, row, devices.summed),
        ESTIMATED: _device_estimates(devices, [row], row) + hung,
    }


def _device_estimates(devices: Devices, rows: Sequence[int], chosen: int | None) -> str:
    """Name the cells that are estimates."""
    names = ["io", "drate", "share"] if devices.estimated(rows) else []
    return " ".join([*names, "dresp"] if chosen in devices.blocks.hung else names)


def _chosen(
    devices: Devices, chosen: int | None, rows: Sequence[int], nothing: Absent = NO_DISKS
) -> dict[str, Value]:
    """Return who one device is and what its part of all I/O is."""
    everything = total([devices.rate[row] for row in rows])
    if chosen is None:
        reason = nothing if not rows else everything if isinstance(everything, Absent) else IDLE
        return {
            "all": everything,
            **dict.fromkeys(("addr", "label", "drate", "share", "busy", "dresp"), reason),
        }
    return {
        "all": everything,
        "addr": address(devices.keys[chosen]),
        "label": labels(devices)[chosen],
        "drate": devices.rate[chosen],
        "share": 100.0 * ratio(devices.rate[chosen], everything),
        "busy": devices.busy[chosen],
        "dresp": devices.response[chosen],
    }


def busiest(devices: Devices, rows: Sequence[int]) -> int | None:
    """Return the row of the device that was busy for most of the time.

    Where that is not measured, the one with most I/O; None when none had any.
    """
    for column in (devices.busy, devices.rate):
        loads: list[tuple[Number, int]] = [(column[row], row) for row in rows if column[row] > 0]
        if loads:
            return max(loads, key=lambda pair: (pair[0], -pair[1]))[1]
    return None


LCU_WEIGHTS: Final = {
    **weights_of(LOADS.values()),
    **dict.fromkeys(("share", "fair"), "all"),
}
OF_LCU: Final = (
    "ssid", "io", "share", "fair", "mbs", "pend", "disc", "conn", "serv", "resp", "cuwt", "queue", "aliasuse",
    "measured", "answered",
)  # fmt: skip

NO_SUCH_LCU: Final = absent("there was no such control unit")


def with_sources(filled: Table, view: View, column: str) -> Table:
    """Say what names the LCUs in a column, where no uid does."""
    if column not in filled.estimated:
        return filled
    return filled._replace(notes=(*filled.notes, *told_by(units_of(view).lcus.values())))


def find_lcu(view: View) -> str:
    """Return the key of the LCU that has this name, key or subsystem id.

    Raises:
        NoSuchThing: none does, or several do; says which.
    """
    lcus = lcus_named(view, view.argument)
    if len(lcus) == 1:
        return lcus[0]
    if lcus:
        raise NoSuchThing(f"{view.argument!r} may be {' or '.join(lcus)}: say which")
    raise NoSuchThing(f"no control unit {view.argument!r}; CTLUNIT lists those there are")


def _row_of(keys: Sequence[str], key: str, loads: Sequence[tuple[Number, int]]) -> int | None:
    """Return the row of a key, by default of the highest of some loads, each with its row below zero."""
    if not key:
        return -max(loads)[1] if loads else None
    return keys.index(key) if key in keys else None


def _of_lcu(
    lcus: ControlUnits, key: str, loads: Sequence[tuple[Number, int]], names: Sequence[str], nothing: Value
) -> dict[str, Value]:
    """Return which LCU has a key, by default the highest of some loads, and some of its figures."""
    row = _row_of(lcus.keys, key, loads)
    if row is None:
        shown = (name for name in ("cu", *names) if name not in {"measured", "answered"})
        return dict.fromkeys(shown, NO_SUCH_LCU if key and lcus.keys else nothing)
    estimates = ["io share fair all aliasio"] * (row in lcus.guessed) + ["ssid cu"] * (row in lcus.told)
    cells = {name: lcus.column(name)[row] for name in names}
    return {**cells, "cu": lcus.keys[row], ESTIMATED: " ".join(estimates)}


def lcu_figures(view: View, key: str = "") -> dict[str, Value]:
    """Return the load of one LCU, by default of the busiest, and what all of them have together."""
    lcus = ControlUnits.seen(view)
    everything = total(lcus.rates) if lcus.keys else alone("control_unit", view).missing or NO_LCU
    loads = [(rate, -row) for row, rate in enumerate(lcus.rates) if rate > 0]
    return {
        "units": len(lcus.keys) or everything,
        "active": len(loads) if present(lcus.rates) else everything,
        "all": everything,
        **_of_lcu(lcus, key, loads, OF_LCU, everything if isinstance(everything, Absent) else IDLE),
    }


OF_POOL: Final = (
    "ssid", "mode", "aliases", "aliasuse", "used", "aliasio", "qued", "wait", "io", "serv", "resp",
)  # fmt: skip
POOL_WEIGHTS: Final = {
    **weights_of(LOADS.values()), "wait": "io", "used": "", "aliasio": "io",
}  # fmt: skip
NO_POOL: Final = absent("no LCU has aliases")


def pool_figures(view: View, key: str = "") -> dict[str, Value]:
    """Return the use of the aliases of one LCU, by default where the largest part is busy, and of all."""
    lcus = ControlUnits.seen(view)
    used: Sequence[Number] = lcus.column("used")  # type: ignore[assignment]  # percentages are no texts
    pools = [row for row, many in enumerate(lcus.column("aliases")) if many > 0]  # type: ignore[operator]  # a number
    loads = [(used[row], -row) for row in pools if not isinstance(used[row], Absent)]
    missing = alone("control_unit", view).missing or lcus.unseen_aliases
    nothing = used[pools[0]] if pools else missing or NO_POOL
    together = lcus.as_one(pools, ("aliases", "aliasuse")) if pools else {}
    return {
        "pools": len(pools) or nothing,
        "defined": together.get("aliases", nothing),
        "inuse": together.get("aliasuse", nothing),
        **_of_lcu(lcus, key, loads, OF_POOL, nothing),
    }


OF_PATH: Final = ("descr", "own", "bus", "read", "write")

PATH_WEIGHTS: Final = dict.fromkeys(("busy", "own", "bus", "read", "write"), "stamped")

NOT_COMPARED: Final = absent(
    "the connect time of the I/O on some paths was not measured: the busiest is unknown"
)
NO_SUCH_PATH: Final = absent("there was no such channel path")


def find_path(view: View) -> str:
    """Return the CHPID that is called `4e`, `4E` or `0.4e`."""
    wanted = view.argument.strip().rpartition(".")[2].zfill(2)
    return _listed(view, "channel path", wanted, alone("channel", view).keys)


def path_figures(view: View, chpid: str = "", limit: tuple[float, float] | None = None) -> dict[str, Value]:
    """Return the load of one path, by default of the busiest, and what all of them have together."""
    paths = alone("channel", view)
    busy: list[Number] = list(paths.columns["cur"])  # type: ignore[arg-type]  # percentages are no texts
    ranked = [(percent, -row) for row, percent in enumerate(busy) if not isinstance(percent, Absent)]
    unknown = paths.missing or next((value for value in busy if isinstance(value, Absent)), NOT_MEASURED)
    if UNTIMED in busy:  # the busiest may be one of those
        ranked, unknown = [], NOT_COMPARED
    loads = [float(percent) for percent, _ in ranked]
    look, bad = limit or (0.0, 0.0)
    estimates = "mean highest over bad" if paths.estimated.get("cur") else ""
    nothing = unknown if not ranked else absent("CHANNEL has no limits") if limit is None else None
    common: dict[str, Value] = {
        "paths": len(ranked) or unknown,
        "mean": sum(loads) / len(loads) if loads else unknown,
        "highest": max(loads, default=unknown),
        "over": nothing or sum(1 for load in loads if load > look),
        "bad": nothing or sum(1 for load in loads if load > bad),
        ESTIMATED: estimates,
    }
    row = _row_of(paths.keys, chpid, ranked)
    if row is None:
        return {**common, **dict.fromkeys(("chpid", "busy", *OF_PATH), NO_SUCH_PATH if chpid else unknown)}
    guessed = paths.is_estimate("cur", row)
    return {
        **common,
        "chpid": paths.keys[row],
        "busy": busy[row],
        **{name: paths.columns[name][row] for name in OF_PATH},
        "stamped": 1.0 if guessed else _stamped(view.interval, row),
        ESTIMATED: f"{estimates} busy" if guessed else estimates,
    }


def _stamped(interval: Interval, row: int) -> Number:
    """Return the length of the interval of a path by the path's own clock."""
    seconds = stamp_seconds(interval.of(CHANNEL))
    return seconds[row] / interval.seconds if row < len(seconds) and interval.seconds else FIRST


def with_age(filled: Table, column: str, called: str = "") -> Table:
    """Say why figures of the hypervisor are repeated: of the own partition, or of what `called` says."""
    if column not in filled.estimated:
        return filled
    note = f"~ {called or 'LPAR'}: repeated from the last reading; {SELDOM}"
    return filled._replace(notes=(*filled.notes, note), of_partition="" if called else note)


def partition_figures(view: View, name: str = "") -> dict[str, Value]:
    """Return the load of a partition per logical processor on line, by default that of the own one."""
    interval = view.interval
    missing = alone("lpar", view).missing  # in the words of the screen
    cells = LogicalProcessors(interval).of_partition(name, missing)
    return cells | {ESTIMATED: " ".join(MEASURED) if earlier_span(interval) else ""}


LOGS: Final = (
    Log(
        "cpu_log",
        "PROCLOG",
        Needs((CPU, *OVERHEAD), history=True),
        cpu_figures,
        find=find_cpu,
        finish=lambda filled, _view: with_age(filled, "tv", "T/V"),
    ),
    Log(
        "paging_log",
        "PAGELOG",
        Needs((MEMORY,), history=True),
        lambda view, _key: Memory(view.interval).as_one(keys=PAGING),
    ),
    Log(
        "device_log",
        "DEVLOG",
        Needs((BLOCK, CMF, DASD, DEVICE), history=True, topology=TOPOLOGY),
        device_figures,
        DEVICE_WEIGHTS,
        lambda view: find_device(view, view.argument),
        with_labels,
    ),
    Log(
        "control_unit_log",
        "CTLULOG",
        Needs((BLOCK, CMF, DASD, DEVICE), history=True, topology=TOPOLOGY),
        lcu_figures,
        LCU_WEIGHTS,
        find_lcu,
        lambda filled, view: with_sources(filled, view, "ssid"),
    ),
    Log(
        "alias_log",
        "PAVLOG",
        Needs((BLOCK, CMF, DASD, DEVICE), history=True, topology=TOPOLOGY),
        pool_figures,
        POOL_WEIGHTS,
        find_lcu,
        lambda filled, view: with_sources(filled, view, "ssid"),
    ),
    Log(
        "channel_log",
        "CHANLOG",
        Needs((BLOCK, CHANNEL, CMF, DEVICE), history=True),
        lambda view, chpid: path_figures(view, chpid, view.limits().get("channel.cur")),
        PATH_WEIGHTS,
        find_path,
    ),
    Log(
        "lpar_log",
        "LPARLOG",
        Needs((LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU), history=True),
        partition_figures,
        find=lambda view: _listed(view, "partition", view.argument.strip(), view.interval.of(LPAR).keys),
        finish=lambda filled, _view: with_age(filled, "busy"),
    ),
)

DEFINITIONS: Final = {
    log.name: TableDefinition(log.needs, partial(log_table, log), find=log.find, screen=log.screen)
    for log in LOGS
}
