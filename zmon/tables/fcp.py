"""FCP: the load of FCP adapters, the ports that they see, latency and errors of the LUNs behind them.

Latencies are means of all requests of the adapter's LUNs that the driver timed: in the fabric, which is from
the adapter to the storage server and back, and in the channel, which is from Linux to the adapter.  The
response time is what the block layer counts of the SCSI disks behind the adapter: each path to a LUN is one.

An adapter that is offline has no host, so the kernel counts nothing of it.  It has a row if SCSI disks are
behind it or if it was online a day ago: one that was lost must not look like one that never was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.base.ranges import some
from zmon.interval import IDLE
from zmon.kinds import ADAPTER, BLOCK, DEVICE, LUN, NO_ADAPTER
from zmon.machine.blocks import Blocks
from zmon.machine.devices import address
from zmon.machine.figure import Needs
from zmon.machine.join import Joined, plus, quotient, total
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table, summed
from zmon.topology.lun import lost_luns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta, Interval
    from zmon.machine.view import View

NEEDS: Final = Needs((ADAPTER, BLOCK, LUN, DEVICE))
NPIV: Final = "NPIV VPORT"
MICROSECONDS: Final = 1e-6
MS: Final = 1e-3
LATENCIES: Final = ("read", "write", "cmd")
NO_LUN: Final = absent("no LUN is seen over this adapter")
NO_DISK: Final = absent("no SCSI disk is seen over this adapter")
NOT_FCP: Final = absent("the adapter is no ccw device")
OFFLINE: Final = "Offline"
GONE: Final = "Gone"
UNUSED: Final = absent("the adapter is offline")
REMOVED: Final = absent("the machine has this adapter no more")
SUMMED: Final = ("requests", "controls", "mbin", "mbout", "full", "luns", "errors", "timeouts", "io")


def table(view: View) -> Table:
    """Fill FCP: one row per adapter."""
    adapters = view.interval.of(ADAPTER)
    keys = list(adapters.keys)
    ccw = Joined(view.interval.of(DEVICE), keys, NOT_FCP)
    luns = _of_luns(view.interval, keys)
    columns: dict[str, list[Value]] = {
        "addr": [address(key) for key in keys],
        "chpids": ccw["chpids"],
        "state": [
            OFFLINE if online == 0 else state
            for online, state in zip(ccw["online"], adapters["port_state"], strict=True)
        ],
        "speed": list(adapters["speed"]),
        "npiv": [("yes" if kind == NPIV else "no") if isinstance(kind, str) else kind
                 for kind in adapters["port_type"]],
        **{name: list(adapters[name]) for name in ("processor", "bus", "port")},
        "requests": list(plus(adapters.rate("inputs"), adapters.rate("outputs"))),
        "controls": list(adapters.rate("controls")),
        "mbin": list(adapters.rate("megabytes_in")),
        "mbout": list(adapters.rate("megabytes_out")),
        "queue": [used * MICROSECONDS for used in adapters.rate("queue_used")],
        "full": list(adapters["queue_full"]),
        "ports": list(adapters["ports"]),
        "online": list(adapters["ports_online"]),
        **luns,
        **_of_disks(view.interval, keys),
        "wwpn": list(adapters["port_name"]),
    }  # fmt: skip
    notes = [*_notes(columns), *lost_luns(view.interval.after)]
    if not view.figures_only:
        notes += _lost(view, columns, keys)
    summary = summed("adapters", columns, SUMMED) if keys else None
    return Table(keys, columns, summary, notes=tuple(notes), missing=None if keys else adapters.missing)


def _lost(view: View, columns: dict[str, list[Value]], keys: list[str]) -> list[str]:
    """Add a row for each adapter that is used here and has no host; return what is said of lost ones."""
    from zmon.machine.observed_paths import lost_adapters  # noqa: PLC0415 - that looks at the samples before

    frame = view.interval.after.frame(DEVICE)
    since = {} if _not_read(view) else dict(lost_adapters(view))
    for key in since:
        is_there = key in frame.index
        cells: dict[str, Value] = dict.fromkeys(columns, UNUSED if is_there else REMOVED)
        cells |= {"addr": address(key), "state": OFFLINE if is_there else GONE}
        if is_there:
            cells["chpids"] = frame.cell(key, "chpids")
        for name, column in columns.items():
            column.append(cells[name])
        keys.append(key)
    lost = [
        f"{name} is {str(state).lower()}{_since(since.get(key))}"
        for key, name, state in zip(keys, columns["addr"], columns["state"], strict=True)
        if state in {OFFLINE, GONE}
    ]
    return some(lost, "adapters are lost")


def _since(utc: int | None) -> str:
    return "" if utc is None else f" since {clock(utc, '%H:%M')}"


def _not_read(view: View) -> bool:
    """Return whether adapters were not looked at, so that none of them can be missed."""
    missing = view.interval.after.frame(ADAPTER).missing
    return missing is not None and missing.code != NO_ADAPTER.code


def timed(luns: Delta) -> list[Number]:
    """Return for each LUN the number of requests that the driver timed."""
    return plus(*(luns.numbers(f"{what}_count") for what in LATENCIES))


def spent(luns: Delta, part: str) -> list[Number]:
    """Return for each LUN the microseconds of these requests in a part of their way: `fabric`, `channel`."""
    return plus(*(luns.numbers(f"{what}_{part}") for what in LATENCIES))


def _of_luns(interval: Interval, adapters: Sequence[str]) -> Mapping[str, list[Value]]:
    """Return what the LUNs behind each adapter have together."""
    luns = interval.of(LUN)
    rows = _rows_by(luns["adapter"], adapters)
    counts, otherwise = timed(luns), luns.missing or NO_LUN

    def mean(part: str) -> list[Value]:
        taken = spent(luns, part)
        return list(
            quotient(
                [_sum(taken, rows[key], otherwise) for key in adapters],
                [_sum(counts, rows[key], otherwise) for key in adapters],
                MS,
                IDLE,
            )
        )

    return {
        "luns": [len(rows[key]) if luns.missing is None else luns.missing for key in adapters],
        "fabric": mean("fabric"),
        "chan": mean("channel"),
        "errors": [_sum(luns.numbers("errors"), rows[key], otherwise) for key in adapters],
        "timeouts": [_sum(luns.numbers("timeouts"), rows[key], otherwise) for key in adapters],
    }


def _of_disks(interval: Interval, adapters: Sequence[str]) -> Mapping[str, list[Value]]:
    """Return requests per second and response of the SCSI disks behind each adapter."""
    disks, missing = Blocks(interval), interval.of(BLOCK).missing
    rows = _rows_by(disks.counted["busid"], adapters)

    def of(key: str) -> list[Value]:
        return [disks.of(key, rows[adapter]) if rows[adapter] else missing or NO_DISK for adapter in adapters]

    return {"io": of("ios"), "resp": of("await")}


def _rows_by(adapter_of: Sequence[Value], adapters: Sequence[str]) -> Mapping[str, list[int]]:
    """Return for each adapter the rows that name it."""
    rows: dict[str, list[int]] = {key: [] for key in adapters}
    for row, adapter in enumerate(adapter_of):
        rows.get(str(adapter), []).append(row)
    return rows


def _sum(values: Sequence[Number], rows: Sequence[int], otherwise: Absent) -> Number:
    return total([values[row] for row in rows]) if rows else otherwise


def _notes(columns: Mapping[str, Sequence[Value]]) -> list[str]:
    """Say which adapters see ports that are not online."""
    cells = zip(columns["addr"], columns["ports"], columns["online"], strict=True)
    lost = [
        f"{name}: {ports - online} of {ports} ports are not online"
        for name, ports, online in cells
        if isinstance(ports, int) and isinstance(online, int) and online < ports
    ]
    return some(lost, "adapters have ports that are not online")


DEFINITIONS: Final = {"fcp": TableDefinition(NEEDS, table)}
