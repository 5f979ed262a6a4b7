"""CTLUNIT (FCX176): the load of each logical control unit (LCU).

This is where uneven placement shows: one line per LCU with its share of all I/O, and how many times its fair
share that is.  I/O that Linux starts on an alias is counted on the alias, so an LCU is the sum of its bases
and aliases.  An LCU is identified by manufacturer, serial and subsystem id of the devices' uid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent, ratio
from zmon.kinds import DASD, DEVICE
from zmon.tables.device import Devices
from zmon.tables.join import Joined, mean, total
from zmon.tables.table import Summary, Table
from zmon.topology.lcu import lcus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Number, Value
    from zmon.tables.view import View
    from zmon.topology.lcu import Lcu

NO_LCU: Final = absent("no device has a uid, so no LCU is known")
NO_ALIAS: Final = absent("this LCU has no aliases")
HOT: Final = 2.0
"""Times its fair share from which an LCU is called hot."""


def table(view: View) -> Table:
    """Fill CTLUNIT: one row per LCU, keyed `VENDOR.SERIAL.SSID`."""
    interval = view.interval
    devices = Devices(interval)
    row_of = {key: row for row, key in enumerate(devices.keys)}
    units = lcus(interval.of(DEVICE).frame)
    members = {key: [row_of[bus] for bus in unit.members if bus in row_of] for key, unit in units.items()}
    everything = total([devices.rate[row] for rows in members.values() for row in rows])
    lines = [_line(devices, units[key], rows, everything, len(units)) for key, rows in members.items()]
    keys = list(members)
    subsystems = Joined(interval.of(DASD), [unit.members[0] for unit in units.values()], absent("not read"))[
        "lss"
    ]
    for line, lss in zip(lines, subsystems, strict=True):
        line["lss"] = f"{lss:02X}" if isinstance(lss, int) else lss
    columns = {name: [line[name] for line in lines] for name in (lines[0] if lines else ())}
    guessed = {
        name: frozenset(
            place
            for place, rows in enumerate(members.values())
            if any(devices.rate[row] for row in devices.guessed.intersection(rows))
        )
        for name in ("io", "share", "fair")
    }
    missing = None if keys else interval.of(DEVICE).missing or NO_LCU
    return Table(
        keys,
        columns,
        _all(lines, devices, members),
        estimated=guessed,
        notes=tuple(findings(keys, columns)),
        missing=missing,
    )


def _line(
    devices: Devices, unit: Lcu, rows: Sequence[int], everything: Number, units: int
) -> dict[str, Value]:
    def of(values: Sequence[Number]) -> list[Number]:
        return [values[row] for row in rows]

    rates = of(devices.rate)
    rate = total(rates)
    share = 100.0 * ratio(rate, everything)
    alias_rows = [row for row in rows if devices.keys[row] in unit.aliases]
    alias_use = total([devices.busy[row] for row in alias_rows]) / 100.0 if alias_rows else NO_ALIAS
    types = {kind for row in rows if isinstance(kind := devices.ccw["cutype"][row], str)}
    return {
        "ssid": unit.ssid,
        "serial": unit.serial,
        "maker": unit.vendor,
        "cutype": "/".join(sorted(kind.partition("/")[0] for kind in types)) or absent("type unknown"),
        "units": len(unit.bases),
        "active": sum(1 for rate in rates if rate > 0),
        "aliases": len(unit.aliases),
        "aliasuse": alias_use,
        "paths": len(unit.chpids),
        "chpids": " ".join(unit.chpids),
        "io": rate,
        "share": share,
        "fair": share * units / 100.0,
        "mbs": total(of(devices.megabytes)),
        "pend": mean(of(devices.pend), rates, "no I/O in the interval"),
        "disc": mean(of(devices.disc), rates, "no I/O in the interval"),
        "conn": mean(of(devices.conn), rates, "no I/O in the interval"),
        "serv": mean(of(devices.serv), rates, "no I/O in the interval"),
        "resp": mean(of(devices.response), rates, "no I/O in the interval"),
        "cuwt": mean(of(devices.cuwt), rates, "no I/O in the interval"),
        "qued": total(of(devices.queued)),
        "queue": total(of(devices.linux_queue)),
    }


def _all(
    lines: Sequence[Mapping[str, Value]], devices: Devices, members: Mapping[str, Iterable[int]]
) -> Summary | None:
    if not lines:
        return None
    rows = [row for part in members.values() for row in part]
    rates = [devices.rate[row] for row in rows]

    def average(values: Sequence[Number]) -> Number:
        return mean([values[row] for row in rows], rates, "no I/O in the interval")

    def add(name: str) -> Number:
        return total([line[name] for line in lines])  # type: ignore[misc]  # these columns are numbers

    cells: dict[str, Value] = {
        "units": add("units"), "active": add("active"), "aliases": add("aliases"),
        "io": add("io"), "mbs": add("mbs"), "qued": add("qued"), "queue": add("queue"),
        "pend": average(devices.pend), "disc": average(devices.disc), "conn": average(devices.conn),
        "serv": average(devices.serv), "resp": average(devices.response), "cuwt": average(devices.cuwt),
    }  # fmt: skip
    return Summary(">> All LCUs <<", cells)


def findings(keys: Sequence[str], columns: Mapping[str, Sequence[Value]]) -> list[str]:
    """Say in a sentence what the table shows: which LCU carries the load, and what to do."""
    if len(keys) < 2:
        return []
    shares = [
        (share, row) for row, share in enumerate(columns["share"]) if not isinstance(share, (Absent, str))
    ]
    if not shares:
        return []
    share, hottest = max(shares, key=lambda pair: (pair[0], -pair[1]))
    fair = columns["fair"][hottest]
    idle = sum(1 for value, _ in shares if value < 1)
    if isinstance(fair, (Absent, str)) or fair < HOT:
        return []
    said = f"LCU {columns['ssid'][hottest]} carries {share:.0f}% of the I/O"
    if idle:
        said += f", {idle} of {len(keys)} LCUs {'is' if idle == 1 else 'are'} idle"
    return [f"{said}: spread its busiest volumes over the others"]
