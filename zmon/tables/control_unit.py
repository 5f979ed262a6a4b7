"""CTLUNIT (FCX176): the load of each logical control unit (LCU).

This is where uneven placement shows: one line per LCU with its share of all I/O, and how many times its fair
share that is.  I/O that Linux starts on an alias is counted on the alias, so an LCU is the sum of its bases
and aliases.  An LCU is identified by manufacturer, serial and subsystem id of the devices' uid; where they
have none, by what CP and the site tell of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent, ratio
from zmon.kinds import BLOCK, CMF, DASD, DEVICE, MACHINE
from zmon.tables.device import COLUMNS, REQUESTS, devices_of, hanging
from zmon.tables.join import Joined, total
from zmon.tables.table import SUMMARY, Needs, Summary, Table
from zmon.tables.topology import TOPOLOGY, UNLISTED, has_files, units_of, wrong
from zmon.tables.view import TableDefinition
from zmon.topology.identity import platform_of
from zmon.topology.volumes import lcus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Number, Value
    from zmon.interval import Interval
    from zmon.tables.device import Devices
    from zmon.tables.topology import Units
    from zmon.tables.view import View
    from zmon.topology.volumes import Lcu

NEEDS: Final = Needs((BLOCK, CMF, DASD, DEVICE), told=TOPOLOGY)

LSS_OF_GUEST: Final = absent("under z/VM the configuration data may name another LSS than the real one")
NO_LSS: Final = absent("the configuration data of the device were not read")
NO_LCU: Final = absent("no device has a uid, so no LCU is known")
NO_PATHS: Final = absent("the channel paths of its volumes were not read")
NO_ALIAS: Final = absent("this LCU has no aliases")
NOT_IN_UID: Final = absent("its devices have no uid, and no answer of CP gives it")
NOT_CALLED: Final = absent("no rule and no volume map of the site names it: --site")
TIMES: Final = ("pend", "disc", "conn", "serv", "resp", "cuwt")
LOADS: Final = ("io", "mbs", "queue", *TIMES)
"""The columns of DEVICE that an LCU has, too."""
BULK: Final = 0.8
"""The part of all I/O that is called its bulk."""

WORTH: Final = 10.0
"""I/O per second of all LCUs below which nobody waits for anybody, however uneven the load."""


def table(view: View) -> Table:
    """Fill CTLUNIT: one row per LCU, keyed `VENDOR.SERIAL.SSID`."""
    interval = view.interval
    devices = devices_of(interval)
    row_of = {key: row for row, key in enumerate(devices.keys)}
    known = units_of(view)
    units = known.lcus
    members = {key: [row_of[bus] for bus in unit.members if bus in row_of] for key, unit in units.items()}
    everything = total([devices.rate[row] for rows in members.values() for row in rows])
    lines = [_line(devices, units[key], rows, everything, len(units)) for key, rows in members.items()]
    keys = list(members)
    bases = [(unit.bases or unit.members)[0] for unit in units.values()]
    subsystems = Joined(interval.of(DASD), bases, NO_LSS)["lss"]
    spaces = _spaces(view, known, {key: line["mbs"] for key, line in zip(keys, lines, strict=True)})
    is_guest = platform_of(interval.after.frame(MACHINE)).environment == "zvm"
    for key, line, lss in zip(keys, lines, subsystems, strict=True):
        line["lss"] = (
            units[key].lss
            or (LSS_OF_GUEST if is_guest and isinstance(lss, int) else None)
            or (f"{lss:02X}" if isinstance(lss, int) else lss)
        )
        line["called"] = known.called.get(key, NOT_CALLED)
        line["spaces"] = spaces.get(key) or UNLISTED
    columns = {name: [line[name] for line in lines] for name in (lines[0] if lines else ())}
    guessed = frozenset(place for place, rows in enumerate(members.values()) if devices.estimated(rows))
    if guessed:
        guessed |= {SUMMARY}
    missing = None if keys else interval.of(DEVICE).missing or NO_LCU
    hung = [row for rows in members.values() for row in rows if row in devices.hung]
    told = frozenset(place for place, unit in enumerate(units.values()) if unit.why)
    return Table(
        keys,
        columns,
        _all(lines, devices, [row for rows in members.values() for row in rows]),
        estimated={**dict.fromkeys(("io", "share", "fair"), guessed), "ssid": told},
        notes=(
            *hanging(devices, hung),
            *([REQUESTS] if SUMMARY in guessed else []),
            *findings(keys, columns),
            *told_by(units.values()),
            *wrong(view),
        ),
        missing=missing,
    )


def trend(interval: Interval) -> Table:
    """Return the columns of CTLUNIT that trends are made of, and those that they are averages over."""
    devices = devices_of(interval)
    row_of = {key: row for row, key in enumerate(devices.keys)}
    lines = {
        key: _figures(devices, [row_of[bus] for bus in unit.members if bus in row_of])
        for key, unit in lcus(interval.of(DEVICE).frame).items()
    }
    names = next(iter(lines.values()), {})
    return Table(list(lines), {name: [line[name] for line in lines.values()] for name in names})


def _line(
    devices: Devices, unit: Lcu, rows: Sequence[int], everything: Number, units: int
) -> dict[str, Value]:
    figures = _figures(devices, rows)
    rate = figures["io"]
    share = 100.0 * ratio(rate, everything)
    kinds = devices.ccw["cutype"]
    types = {kind for row in rows if isinstance(kind := kinds[row], str)}
    return {
        "ssid": unit.short,
        "serial": unit.serial or NOT_IN_UID,
        "maker": unit.vendor or NOT_IN_UID,
        "cutype": "/".join(sorted(kind.partition("/")[0] for kind in types)) or absent("type unknown"),
        "units": len(unit.bases),
        "active": rate if isinstance(rate, Absent) else len([row for row in rows if devices.rate[row] > 0]),
        "aliases": len(unit.aliases),
        "aliasuse": _alias_use(devices, unit, rows),
        "paths": len(unit.chpids) or NO_PATHS,
        "chpids": " ".join(unit.chpids) or NO_PATHS,
        "share": share,
        "fair": share * units / 100.0,
        **figures,
        "qued": devices.queued_at(rows),
        "hung": devices.hanging(rows),
    }


def _figures(devices: Devices, rows: Sequence[int]) -> dict[str, Number]:
    """Return the rates of some devices together, and their mean times."""
    found: dict[str, Number] = {
        column.name: column.together(devices, rows)
        for column in COLUMNS
        if column.name in LOADS and column.together is not None
    }
    return found | {"measured": devices.measured(rows), "answered": devices.answered(rows)}


def _alias_use(devices: Devices, unit: Lcu, rows: Sequence[int]) -> Number:
    """Return how many aliases were busy on average: each runs one I/O at a time."""
    busy = [devices.busy[row] for row in rows if devices.keys[row] in unit.aliases]
    return total(busy) / 100.0 if busy else NO_ALIAS


def _all(lines: Sequence[Mapping[str, Value]], devices: Devices, rows: Sequence[int]) -> Summary | None:
    if not lines:
        return None
    added = ("units", "active", "aliases", "aliasuse", "io", "mbs", "qued", "queue", "hung")
    cells: dict[str, Value] = {
        name: total([line[name] for line in lines])  # type: ignore[misc]  # these columns are numbers
        for name in added
    }
    times = _figures(devices, rows)
    return Summary(">> All LCUs <<", {**cells, **{name: times[name] for name in TIMES}})


def _spaces(view: View, known: Units, megabytes: dict[str, Value]) -> Mapping[str, Value]:
    """Return the busiest tablespaces of each LCU, if files of any are known."""
    if view.figures_only or view.people is None or not has_files(view):
        return {}
    from zmon.tables.tablespaces import busiest_tablespaces  # noqa: PLC0415 - without files it starts faster

    return busiest_tablespaces(view, known.of, megabytes)  # type: ignore[arg-type]  # a column of numbers


def told_by(units: Iterable[Lcu]) -> list[str]:
    """Say what names the LCU of devices that have no unique id, if there are any."""
    sources = list(dict.fromkeys(unit.why for unit in units if unit.why))
    return [f"~ LCU: of devices without a uid, by {'; '.join(sources)}"] if sources else []


def findings(keys: Sequence[str], columns: Mapping[str, Sequence[Value]]) -> list[str]:
    """Say in a sentence each what the table shows: which LCUs carry the load and what to do, and for whom.

    The first is said only where at most half of the LCUs carry the bulk of it; none without a load.
    """
    loads = _loads(keys, columns)
    everything = sum(rate for rate, _, _ in loads)
    if everything < WORTH:
        return []
    return [*_carried(loads, everything, len(keys)), *_for_whom(loads, columns.get("spaces", ()))]


def _loads(keys: Sequence[str], columns: Mapping[str, Sequence[Value]]) -> list[tuple[float, str, int]]:
    """Return the I/O per second of each LCU with its name and row, most first."""
    ssids = list(columns.get("ssid", ()))
    loads = [
        # two boxes may use the same subsystem id
        (float(rate), str(ssid) if ssids.count(ssid) == 1 else key, row)
        for row, (key, rate, ssid) in enumerate(zip(keys, columns.get("io", ()), ssids, strict=True))
        if not isinstance(rate, (Absent, str))
    ]
    return sorted(loads, key=lambda load: -load[0])


def _carried(loads: Sequence[tuple[float, str, int]], everything: float, units: int) -> list[str]:
    carried, hot = 0.0, []
    for rate, ssid, _ in loads:
        if carried >= BULK * everything:
            break
        carried += rate
        hot.append(ssid)
    if 2 * len(hot) > units:
        return []
    said = f"LCU {hot[0]} carries" if len(hot) == 1 else f"LCUs {', '.join(hot[:-1])} and {hot[-1]} carry"
    said += f" {100 * carried / everything:.0f}% of the I/O"
    idle = sum(1 for rate, _, _ in loads if rate < everything / 100)
    if idle:
        said += f", {idle} of {units} LCUs {'is' if idle == 1 else 'are'} idle"
    return [f"{said}: spread {'its' if len(hot) == 1 else 'their'} busiest volumes over the others"]


def _for_whom(loads: Sequence[tuple[float, str, int]], spaces: Sequence[Value]) -> list[str]:
    """Name the tablespaces for which the busiest LCU works: their column stands far to the right."""
    _, ssid, row = loads[0]
    named = spaces[row] if spaces else UNLISTED
    return [] if isinstance(named, Absent) else [f"LCU {ssid}: {named}"]


DEFINITIONS: Final = {"control_unit": TableDefinition(NEEDS, table, trend=trend)}
