"""CTLUNIT (FCX176): the load of each logical control unit (LCU).

This is where uneven placement shows: one line per LCU with its share of all I/O, and how many times its fair
share that is.  I/O that Linux starts on an alias is counted on the alias, so an LCU is the sum of its bases
and aliases.  An LCU is identified by manufacturer, serial and subsystem id of the devices' uid; where they
have none, by what CP and the site tell of them.
"""

from __future__ import annotations

from functools import cached_property
from itertools import repeat
from math import fsum
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent, ratio
from zmon.kinds import BLOCK, CHANNEL, CMF, CPU, DASD, DEVICE, LAYER, MACHINE, NOT_COLLECTED, UNIT, UNIT_IO
from zmon.machine import devices as device
from zmon.machine.devices import REQUESTS, devices_of, hanging
from zmon.machine.figure import SUMMARY, Needs, Summary, Table, TableColumn, each_row, of_all
from zmon.machine.join import Joined, total
from zmon.machine.observation import NO_LCU, idle_lcus, state_of_idle
from zmon.machine.topology import TOPOLOGY, UNLISTED, has_files, rows_of_lcus, units_of, wrong
from zmon.machine.view import TableDefinition
from zmon.ranges import names, ranges
from zmon.topology.identity import LSS_OF_GUEST, platform_of
from zmon.topology.volumes import lcus, short_titles, titles
from zmon.uid import HYPERPAV, find_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.topology import Units
    from zmon.machine.view import View
    from zmon.sample import Frame
    from zmon.topology.volumes import Lcu

NEEDS: Final = Needs((BLOCK, CHANNEL, CMF, CPU, DASD, DEVICE, LAYER, UNIT, UNIT_IO), topology=TOPOLOGY)

TYPE_UNKNOWN: Final = absent("type unknown")
NO_LSS: Final = absent("the configuration data of the device were not read")
NO_PATHS: Final = absent("the channel paths of its volumes were not read")
NO_ALIAS: Final = absent("this LCU has no aliases")
HYPER_PAV: Final = "HyperPAV"
"""What a pool is called whose aliases serve any base of their LCU ..."""
BASE_PAV: Final = "PAV"
"""... and one whose aliases belong to a base each."""
NOT_IN_UID: Final = absent("its devices have no uid, and no answer of CP gives it")
NOT_AN_LCU: Final = absent("disks that are on no LCU are no part of the LCUs' I/O")
NO_UNIT: Final = absent("these disks are on no LCU")
HOMES: Final = {
    device.VIRTIO_HOME: "disks of the host, which alone knows on which volumes they lie",
    device.NVME_HOME: "NVMe disks, which have no LCU",
    device.SCSI_HOME: "SCSI disks whose WWID and LUN name no LSS",
}
"""What is said of disks that are on no LCU, by their sort."""
NOT_CALLED: Final = absent("no rule and no volume map of the site names it: --site")
SUMMED: Final = ("units", "active", "aliases", "aliasuse", "io", "mbs", "qued", "queue", "hung")
"""What the line of all LCUs adds up; it has their mean times besides."""
BULK: Final = 0.8
"""The part of all I/O that is called its bulk."""
UNFAIR: Final = 1.1
"""How many times its fair share an LCU has that is to be relieved; a little more may be chance."""

MIN_IO: Final = 10.0
"""I/O per second of all LCUs below which requests do not wait for each other, however uneven the load."""


class ControlUnits:
    """The LCUs of an interval with the rows of their devices, in the order of `keys`."""

    def __init__(self, interval: Interval, units: Mapping[str, Lcu] | None = None) -> None:
        """Put the devices of each together; by default of those that unique ids name."""
        self.interval = interval
        self.devices = devices_of(interval)
        self.units = lcus(interval.of(DEVICE).frame) if units is None else units
        self.keys = list(self.units)
        self.members = rows_of_lcus(self.devices.keys, self.units).members
        self.rows = [row for rows in self.members for row in rows]
        """Of all devices of an LCU."""

    @property
    def labels(self) -> list[Value]:
        """What each is called."""
        return [*short_titles(self.units).values()]

    @cached_property
    def strays(self) -> int:
        """How many aliases there are whose LCU is not known."""
        placed = {self.devices.keys[row] for row in self.rows}
        ccw = zip(self.devices.keys, self.devices.ccw["alias"], strict=True)
        return sum(1 for key, alias in ccw if alias == 1 and key not in placed)

    def aliases(self, unit: Lcu) -> Number:
        """Return how many aliases an LCU has: none of SCSI disks, unknown where one may be its own."""
        frame = self.interval.of(DEVICE).frame
        if self.strays and any(member in frame.index for member in unit.members):
            return device.strays(self.strays)
        return len(unit.aliases)

    def no_alias(self, unit: Lcu) -> Absent:
        """Return why nothing is known of the aliases of an LCU of which none is known."""
        many = self.aliases(unit)
        return many if isinstance(many, Absent) else NO_ALIAS

    @cached_property
    def rates(self) -> list[Number]:
        """The I/O per second of each."""
        return [total([self.devices.rate[row] for row in rows]) for rows in self.members]

    @property
    def active(self) -> list[Number]:
        """How many devices of each have I/O."""
        rate = self.devices.rate
        return [
            io if isinstance(io, Absent) else sum(1 for row in rows if rate[row] > 0)
            for io, rows in zip(self.rates, self.members, strict=True)
        ]

    @cached_property
    def shares(self) -> list[Number]:
        """The part of all I/O that each has, in percent."""
        everything = total([self.devices.rate[row] for row in self.rows])
        return [100.0 * ratio(rate, everything) for rate in self.rates]

    @property
    def subsystems(self) -> list[Value]:
        """The logical subsystem of each, as far as the devices of this system tell the real one."""
        bases = [(unit.bases or unit.members)[0] for unit in self.units.values()]
        known = Joined(self.interval.of(DASD), bases, NO_LSS)["lss"]
        is_guest = platform_of(self.interval.after.frame(MACHINE)).environment == "zvm"
        return [
            unit.lss
            or (LSS_OF_GUEST if is_guest and isinstance(lss, int) else None)
            or (f"{lss:02X}" if isinstance(lss, int) else lss)
            for unit, lss in zip(self.units.values(), known, strict=True)
        ]

    def types(self, rows: Sequence[int]) -> Value:
        """Return the types of the control units of some devices."""
        kinds = self.devices.ccw["cutype"]
        types = {kind for row in rows if isinstance(kind := kinds[row], str)}
        if not types and any(not isinstance(self.devices.ccw["alias"][row], int) for row in rows):
            models = self.devices.of_paths("model")  # of SCSI disks: 2107900
            types = {model[:4] for row in rows if isinstance(model := models[row], str)}
        return "/".join(sorted(kind.partition("/")[0] for kind in types)) or TYPE_UNKNOWN

    def paths(self, unit: Lcu, rows: Sequence[int]) -> Value:
        """Return how many of the paths to an LCU each of its devices on line can use."""
        return len(unit.chpids) - device.most_lost(self.devices, rows) if unit.chpids else NO_PATHS

    def alias_use(self, unit: Lcu, rows: Sequence[int]) -> Number:
        """Return how many aliases were busy on average: each runs one I/O at a time."""
        devices = self.devices
        aliases = frozenset(unit.aliases)
        busy = [devices.busy[row] for row in rows if devices.keys[row] in aliases] if aliases else []
        return total(busy) / 100.0 if busy else self.no_alias(unit)

    def alias_share(self, unit: Lcu, rows: Sequence[int]) -> Number:
        """Return the part of the I/O of an LCU that ran on aliases, in percent."""
        devices, aliases = self.devices, frozenset(unit.aliases)
        if not aliases:
            return self.no_alias(unit)
        rates = [devices.rate[row] for row in rows if devices.keys[row] in aliases]
        return 100.0 * ratio(total(rates), total([devices.rate[row] for row in rows]))

    def alias_mode(self, unit: Lcu) -> Value:
        """Return how the aliases of an LCU are bound: to all its bases, to one base each, or unknown."""
        uids = Joined(self.interval.of(DEVICE), list(unit.aliases), NO_ALIAS)["uid"]
        modes = {HYPER_PAV if uid.ua == HYPERPAV else BASE_PAV for cell in uids if (uid := find_uid(cell))}
        return "/".join(sorted(modes)) or (NOT_IN_UID if unit.aliases else self.no_alias(unit))


def _each(name: str, value: Callable[[ControlUnits, Lcu, list[int]], Value]) -> TableColumn:
    """Declare what an LCU is, or has together: a function of it and of the rows of its devices."""
    return TableColumn(
        name, lambda found: list(map(value, repeat(found), found.units.values(), found.members))
    )


def _of_devices(name: str, trend: int = 0) -> TableColumn:
    """Declare a load that the devices of an LCU have together."""
    together, weight = next((one.together, one.weight) for one in device.COLUMNS if one.name == name)
    assert together is not None  # noqa: S101 - those that are named below have it
    return TableColumn(
        name,
        lambda units: [together(units.devices, rows) for rows in units.members],
        lambda units, _rows: together(units.devices, units.rows),
        weight,
        trend,
    )


_TRENDS: Final = {"io": 1, "mbs": 2, "pend": 3, "disc": 4, "conn": 5, "resp": 6, "queue": 7, "serv": 8}
LOADS: Final = tuple(
    _of_devices(name, _TRENDS.get(name, 0))
    for name in ("io", "mbs", "queue", "pend", "disc", "conn", "serv", "resp", "cuwt", "measured", "answered")
)
"""The columns of DEVICE that an LCU has, too."""


COLUMNS: Final = (
    TableColumn("ssid", attrgetter("labels")),
    _each("serial", lambda _found, unit, _rows: unit.serial or NOT_IN_UID),
    _each("maker", lambda _found, unit, _rows: unit.vendor or NOT_IN_UID),
    _each("cutype", lambda found, _unit, rows: found.types(rows)),
    _each("units", lambda _found, unit, _rows: len(unit.bases)),
    TableColumn("active", attrgetter("active")),
    _each("aliases", lambda found, unit, _rows: found.aliases(unit)),
    _each("aliasuse", ControlUnits.alias_use),
    _each("aliasio", ControlUnits.alias_share),
    _each("mode", lambda found, unit, _rows: found.alias_mode(unit)),
    _each("paths", lambda found, unit, rows: found.paths(unit, rows)),
    _each("chpids", lambda _found, unit, _rows: " ".join(unit.chpids) or NO_PATHS),
    TableColumn("share", attrgetter("shares")),
    TableColumn("fair", lambda found: [share * len(found.keys) / 100.0 for share in found.shares]),
    *LOADS,
    _each("qued", lambda found, _unit, rows: found.devices.queued_at(rows)),
    _each("hung", lambda found, _unit, rows: found.devices.hanging(rows)),
    TableColumn("lss", attrgetter("subsystems")),
)
"""What is known of an LCU, but for what people call it and the files on it."""


def units_at(view: View) -> ControlUnits:
    """Return the LCUs in the interval of a view, with those that are known otherwise than by a uid."""
    return ControlUnits(view.interval, units_of(view).lcus)


def table(view: View) -> Table:
    """Fill CTLUNIT: one row per LCU, keyed `VENDOR.SERIAL.SSID`."""
    known = units_of(view)
    found = ControlUnits(view.interval, known.lcus)
    keys, devices = found.keys, found.devices
    columns = each_row(COLUMNS, found)
    spaces = _spaces(view, known, dict(zip(keys, columns["mbs"], strict=True)))
    columns["called"] = [known.called.get(key, NOT_CALLED) for key in keys]
    columns["spaces"] = [spaces.get(key) or UNLISTED for key in keys]
    guessed = frozenset(place for place, rows in enumerate(found.members) if devices.estimated(rows))
    if guessed:
        guessed |= {SUMMARY}
    told = frozenset(place for place, unit in enumerate(found.units.values()) if unit.why)
    sums: dict[str, Value] = {name: total(columns[name]) for name in SUMMED}  # type: ignore[arg-type]  # numbers
    if found.strays:
        sums["aliases"] = device.strays(found.strays)
    times = of_all((one for one in LOADS if one.weight), found, ())
    sentences = findings(titles(found.units), columns)
    others = {} if view.figures_only else _on_no_lcu(devices, known.of)
    for rows in others.values():
        if devices.estimated(rows):
            guessed |= {len(columns["io"])}
        for name, value in _home_cells(found, rows).items():
            columns[name].append(value)
    columns["ssid"][len(keys) :] = list(others)
    doors = {} if view.figures_only else _doors(view)
    columns["door"] = [doors.get(key, f"DEVICE cu={key}") for key in (*keys, *others)]
    return Table(
        [*keys, *others],
        columns,
        Summary(">> All LCUs <<", sums | times) if keys else None,
        estimated={**dict.fromkeys(("io", "share", "fair"), guessed), "ssid": told},
        notes=(
            *hanging(view, [row for row in found.rows if row in devices.hung]),
            *([REQUESTS] if guessed else []),
            *sentences,
            *_lost(view, found.units.values()),
            *told_by(found.units.values()),
            *(f"{home}: {HOMES[home]}" for home in others),
            *wrong(view),
        ),
        missing=None if keys or others else _why_none(view.interval.of(DEVICE).frame),
    )


def _lost(view: View, units: Iterable[Lcu]) -> Iterator[str]:
    """Yield which of its channel paths an LCU has lost: Paths is their number without these."""
    frame = view.interval.after.frame(DEVICE)
    for unit in units:
        if lost := device.lost_paths(frame, unit.members):
            yield f"{unit.name}: lost {ranges(sorted(lost))} of channel paths {ranges(unit.chpids)}"


def _why_none(devices: Frame) -> Absent:
    """Return why no LCU is known; of a collection of texts, which of them would name the LCUs."""
    uids = [uid for uid in devices.column("uid") if isinstance(uid, Absent)]
    if uids and all(uid.reason.startswith(NOT_COLLECTED) for uid in uids):
        return absent(
            f"{uids[0].reason}, whose unique ids name the LCUs; --cp-file and --site name LCUs, too"
        )
    return devices.missing or NO_LCU


def _doors(view: View) -> Mapping[str, str]:
    """Return the command that lists who uses an LCU, by its key, as far as the kernel counts it."""
    if view.interval.after.frame(UNIT_IO).missing is not None:
        return {}
    from zmon.tables.unit_loads import DiskPlaces, lcu_doors, unit_loads  # noqa: PLC0415 - else it starts faster

    loads = unit_loads(view.interval)
    return lcu_doors(loads, DiskPlaces(view, loads)) if loads.of else {}


def _on_no_lcu(devices: device.Devices, lcu_of: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the rows of the disks that are on no LCU, by their sort."""
    found: dict[str, list[int]] = {}
    for row, home in enumerate(device.homes(devices, {**devices.lcu_of, **lcu_of})):
        if home:
            found.setdefault(home, []).append(row)
    return dict(sorted(found.items()))


def _home_cells(found: ControlUnits, rows: list[int]) -> dict[str, Value]:
    """Return the cells of a row of CTLUNIT for disks that are on no LCU."""
    devices = found.devices
    cells: dict[str, Value] = {column.name: NO_UNIT for column in COLUMNS}
    loads = {column.name for column in LOADS}
    cells |= of_all((column for column in device.COLUMNS if column.name in loads), devices, rows)
    chpids = {chpid for row in rows if isinstance(said := devices.chpids[row], str) for chpid in said.split()}
    return cells | {
        "cutype": found.types(rows),
        "units": len(rows),
        "active": sum(1 for row in rows if devices.rate[row] > 0),
        "chpids": " ".join(sorted(chpids)) or NO_PATHS,
        "paths": len(chpids) or NO_PATHS,
        "share": NOT_AN_LCU,
        "fair": NOT_AN_LCU,
        "qued": devices.queued_at(rows),
        "hung": devices.hanging(rows),
        "called": NO_UNIT,
        "spaces": UNLISTED,
    }


def _spaces(view: View, known: Units, megabytes: dict[str, Value]) -> Mapping[str, Value]:
    """Return the busiest tablespaces of each LCU, if files of any are known."""
    if view.figures_only or view.inputs is None or not has_files(view):
        return {}
    from zmon.tables.tablespaces import busiest_tablespaces  # noqa: PLC0415 - without files it starts faster

    return busiest_tablespaces(view, known.of, megabytes)  # type: ignore[arg-type]  # a column of numbers


def told_by(units: Iterable[Lcu]) -> list[str]:
    """Say what names the LCU of devices that have no unique id, if there are any."""
    sources = list(dict.fromkeys(unit.why for unit in units if unit.why))
    return [f"~ LCU: of devices without a uid, by {'; '.join(sources)}"] if sources else []


def findings(names: Mapping[str, str], columns: Mapping[str, Sequence[Value]]) -> list[str]:
    """Say in a sentence each what the table shows: which LCUs carry the load, and for whom.

    `names` has what each LCU is called, `LCU 7600`, by its key, in the order of the rows.

    The first is said only where at most half of the LCUs carry the bulk of it; none without a load.  Whether
    that is too much for them, and what to do then, the verdict says.
    """
    loads = _loads(names, columns)
    everything = sum(rate for rate, _, _ in loads)
    if everything < MIN_IO:
        return []
    return [
        *_carried(loads, everything, _idle(names, columns), len(names)),
        *_for_whom(loads, columns.get("spaces", ())),
    ]


def _loads(names: Mapping[str, str], columns: Mapping[str, Sequence[Value]]) -> list[tuple[float, str, int]]:
    """Return the I/O per second of each LCU with its name and row, most first."""
    loads = [
        (float(rate), name, row)
        for row, (name, rate) in enumerate(zip(names.values(), columns.get("io", ()), strict=True))
        if not isinstance(rate, (Absent, str))
    ]
    return sorted(loads, key=lambda load: -load[0])


def _idle(keys: Iterable[str], columns: Mapping[str, Sequence[Value]]) -> tuple[int, str]:
    """Return how many LCUs are idle, or hardly used, and which of both; without bytes, I/O counts."""
    each = (
        dict(zip(keys, columns.get(name, ()), strict=False))  # behind them come disks on no LCU
        for name in ("mbs", "io")
    )
    known = (
        {key: value for key, value in loads.items() if not isinstance(value, (Absent, str))} for loads in each
    )
    carried = next(filter(None, known), {})
    idle = idle_lcus(carried)
    return len(idle), state_of_idle(carried, idle)


def _carried(
    loads: Sequence[tuple[float, str, int]], everything: float, idle: tuple[int, str], units: int
) -> list[str]:
    """Name the LCUs with more than their fair share, if at most half of all carry the bulk."""
    bulk = next(
        many for many in range(1, len(loads) + 1) if sum(r for r, _, _ in loads[:many]) >= BULK * everything
    )
    if 2 * bulk > units:
        return []
    unfair = [load for load in loads[:bulk] if load[0] > UNFAIR * everything / units]
    hot, carried = [name for _, name, _ in unfair], fsum(rate for rate, _, _ in unfair)
    said = f"{names(hot, len(hot))} {'carries' if len(hot) == 1 else 'carry'}"
    said += f" {100 * carried / everything:.0f} % of the I/O"
    many, state = idle
    if many:
        said += f", {many} of {units} LCUs {'is' if many == 1 else 'are'} {state}"
    return [said]


def _for_whom(loads: Sequence[tuple[float, str, int]], spaces: Sequence[Value]) -> list[str]:
    """Name the tablespaces that the busiest LCU serves: their column is far to the right."""
    _, name, row = loads[0]
    named = spaces[row] if spaces else UNLISTED
    return [] if isinstance(named, Absent) else [f"{name}: {named}"]


DEFINITIONS: Final = {"control_unit": TableDefinition(NEEDS, table, things=ControlUnits, columns=COLUMNS)}
