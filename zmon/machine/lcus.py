"""The logical control units (LCUs) of an interval, each the sum of its bases and aliases.

I/O that Linux starts on an alias is counted on the alias.  An LCU is identified by manufacturer, serial and
subsystem id of the devices' uid; where they have none, by what CP and the site tell of them.
"""

from __future__ import annotations

from functools import cached_property
from itertools import repeat
from operator import attrgetter, sub
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio, text_of
from zmon.interval import IDLE
from zmon.kinds import DASD, DEVICE, MACHINE, TEXT, TYPE_UNKNOWN
from zmon.machine.blocks import MAX_BUSY, TOO_BUSY
from zmon.machine.devices import Devices, devices_of, homes, most_lost, strays
from zmon.machine.figure import Figure, catalogue
from zmon.machine.join import Joined, not_below_zero, quotient, total
from zmon.machine.things import Things, summed
from zmon.machine.topology import rows_of_lcus, units_of
from zmon.machine.volume_cache import WRITES
from zmon.sample import pick
from zmon.topology.identity import LSS_OF_GUEST, NO_PLATFORM, REAL_LSS, platform_of
from zmon.topology.volumes import Lcu, lcus, short_titles
from zmon.values.uid import HYPERPAV, find_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.view import View

NO_LSS: Final = absent("the configuration data of the device were not read")
NO_PATHS: Final = absent("the channel paths of its volumes were not read")
NO_ALIAS: Final = absent("this LCU has no aliases")
HYPER_PAV: Final = "HyperPAV"
"""What a pool is called whose aliases serve any base of their LCU ..."""
BASE_PAV: Final = "PAV"
"""... and one whose aliases belong to a base each."""
NO_UNIT: Final = absent("these disks are on no LCU")
NOT_AN_LCU: Final = absent("disks that are on no LCU are no part of the LCUs' I/O")
NOT_CALLED: Final = absent("no rule and no volume map of the site names it: --site")
NOT_IN_UID: Final = absent("its devices have no uid, and no answer of CP gives it")


class ControlUnits(Things):
    """The LCUs of an interval with the rows of their devices, in the order of `keys`."""

    as_shown = True
    sparse = True

    def __init__(self, interval: Interval, units: Mapping[str, Lcu] | None = None) -> None:
        """Put the devices of each together; by default of those that unique ids name."""
        self.interval = interval
        self.devices = devices_of(interval)
        self.units = lcus(interval.of(DEVICE).frame) if units is None else units
        self.keys = list(self.units)
        self._placed = rows_of_lcus(self.devices.keys, self.units)
        self.members, self.lcu_of = self._placed.members, self._placed.lcu_of
        self.rows = [row for rows in self.members for row in rows]
        """Of all devices of an LCU."""

    @classmethod
    def seen(cls, view: View) -> Self:
        """Return the LCUs in the interval of a view, with those that are known otherwise than by a uid."""
        return cls(view.interval, units_of(view).lcus)

    @property
    def labels(self) -> list[Value]:
        """What each is called."""
        return [*short_titles(self.units).values()]

    @cached_property
    def guessed(self) -> frozenset[int]:
        """The places of those whose I/O is Linux's requests, because starts are not counted."""
        return frozenset(place for place, rows in enumerate(self.members) if self.devices.estimated(rows))

    @property
    def told(self) -> frozenset[int]:
        """The places of those that no unique id names, but CP or the site."""
        return frozenset(place for place, unit in enumerate(self.units.values()) if unit.why)

    @cached_property
    def strays(self) -> int:
        """How many aliases there are whose LCU is not known."""
        placed = {self.devices.keys[row] for row in self.rows}
        ccw = zip(self.devices.keys, self.devices.ccw["alias"], strict=True)
        return sum(1 for key, alias in ccw if alias == 1 and key not in placed)

    @cached_property
    def unseen_aliases(self) -> Absent | None:
        """Why there may be more aliases than were read."""
        if TEXT.name not in self.interval.after.frames:
            return None
        from zmon.topology.read_texts import unseen_aliases  # noqa: PLC0415 - most samples are of no texts

        return unseen_aliases(self.interval.after)

    def aliases(self, unit: Lcu) -> Number:
        """Return how many aliases an LCU has: none of SCSI disks, unknown where one may be its own."""
        frame = self.interval.of(DEVICE).frame
        if any(member in frame.index for member in unit.members):
            if self.strays:
                return strays(self.strays)
            if self.unseen_aliases is not None:
                return self.unseen_aliases
        return len(unit.aliases)

    def no_alias(self, unit: Lcu) -> Absent:
        """Return why nothing is known of the aliases of an LCU of which none is known."""
        many = self.aliases(unit)
        return many if isinstance(many, Absent) else NO_ALIAS

    @cached_property
    def pools(self) -> dict[str, list[int]]:
        """The rows of the aliases of each that any of its volumes may use: HyperPAV."""
        uids, row_of = self.devices.ccw["uid"], self._placed.row_of
        return {
            key: [
                row
                for alias in unit.aliases
                if (row := row_of.get(alias)) is not None
                and (uid := find_uid(uids[row])) is not None
                and uid.ua == HYPERPAV
            ]
            for key, unit in self.units.items()
        }

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
        read = Joined(self.interval.of(DASD), bases, NO_LSS)["lss"]
        environment = platform_of(self.interval.after.frame(MACHINE)).environment
        doubt = None if environment in REAL_LSS else LSS_OF_GUEST if environment == "zvm" else NO_PLATFORM
        return [
            unit.lss
            or (doubt if isinstance(lss, int) else None)
            or (f"{lss:02X}" if isinstance(lss, int) else lss)
            for unit, lss in zip(self.units.values(), read, strict=True)
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
        return len(unit.chpids) - most_lost(self.devices, rows) if unit.chpids else NO_PATHS

    def alias_use(self, unit: Lcu, rows: Sequence[int]) -> Number:
        """Return how many aliases were busy on average: each runs one I/O at a time."""
        devices = self.devices
        aliases = frozenset(unit.aliases)
        busy = [devices.busy[row] for row in rows if devices.keys[row] in aliases] if aliases else []
        if any(percent > MAX_BUSY for percent in busy):
            return TOO_BUSY
        return total(busy) / 100.0 if busy else self.no_alias(unit)

    def alias_share(self, unit: Lcu, rows: Sequence[int]) -> Number:
        """Return the part of the I/O of an LCU that ran on aliases, in percent."""
        devices, aliases = self.devices, frozenset(unit.aliases)
        if not aliases:
            return self.no_alias(unit)
        rates = [devices.rate[row] for row in rows if devices.keys[row] in aliases]
        return 100.0 * ratio(total(rates), total([devices.rate[row] for row in rows]))

    @property
    def longer(self) -> list[Number]:
        """How many ms a write to each takes longer than a read."""
        pairs = zip(self.numbers("wwait"), self.numbers("rwait"), strict=True)
        return [write if read is IDLE else write - read for write, read in pairs]

    def delayed_writes(self, rows: Sequence[int]) -> Number:
        """Return how many of the writes wait for the write cache, in percent."""
        cache = self.devices.cache
        delayed, *writes = (total(cache.at(rows, name)) for name in ("dfw_delayed", *WRITES))
        return quotient([delayed], [total(writes)], 100.0, IDLE)[0]

    def alias_mode(self, unit: Lcu) -> Value:
        """Return how the aliases of an LCU are bound: to all its bases, to one base each, or unknown."""
        uids = Joined(self.interval.of(DEVICE), list(unit.aliases), NO_ALIAS)["uid"]
        modes = {HYPER_PAV if uid.ua == HYPERPAV else BASE_PAV for cell in uids if (uid := find_uid(cell))}
        return "/".join(sorted(modes)) or (NOT_IN_UID if unit.aliases else self.no_alias(unit))


def _each(name: str, value: Callable[[ControlUnits, Lcu, list[int]], Value]) -> Figure:
    """Declare what an LCU is, or has together: a function of it and of the rows of its devices."""
    return Figure(name, lambda lcus: list(map(value, repeat(lcus), lcus.units.values(), lcus.members)))


def _of_devices(name: str, trend: int = 0) -> Figure:
    """Declare a load that the devices of an LCU have together."""
    of_devices = Devices.figures[name]
    together = of_devices.together
    assert together is not None  # noqa: S101 - those that are named below have it
    return Figure(
        name,
        lambda units: [together(units.devices, rows) for rows in units.members],
        lambda units, rows: together(units.devices, [row for lcu in rows for row in units.members[lcu]]),
        of_devices.over,
        trend,
    )


def _aliases_used(lcus: ControlUnits) -> list[Number]:
    """Return the part of the aliases of each that is busy on average, in percent."""
    return [100.0 * ratio(*pair) for pair in zip(*map(lcus.column, ("aliasuse", "aliases")), strict=True)]


def _of_ms(rate: Number, time: Number) -> Number:
    """Return how many requests are somewhere on average, of their rate and the ms that each is there."""
    return rate * max(time, 0.0) / 1e3


_TRENDS: Final = {"io": 1, "mbs": 2, "pend": 3, "disc": 4, "conn": 5, "resp": 6, "queue": 7, "serv": 8}
OF_DEVICES: Final = (
    "io", "mbs", "queue", "pend", "disc", "conn", "serv", "resp", "cuwt", "measured", "answered", "ios",
    "read", "reqkb", "rwait", "writes", "wwait",
)  # fmt: skip
LOADS: Final = catalogue(
    *(
        load if load.over else summed(load)
        for load in (_of_devices(key, _TRENDS.get(key, 0)) for key in OF_DEVICES)
    )
)
"""The columns of DEVICE that an LCU has, too."""


ControlUnits.figures = catalogue(
    Figure("ssid", attrgetter("labels")),
    _each("serial", lambda _found, unit, _rows: unit.serial or NOT_IN_UID),
    _each("maker", lambda _found, unit, _rows: unit.vendor or NOT_IN_UID),
    _each("cutype", lambda lcus, _unit, rows: lcus.types(rows)),
    summed(_each("units", lambda _found, unit, _rows: len(unit.bases))),
    summed(Figure("active", attrgetter("active"))),
    summed(_each("aliases", lambda lcus, unit, _rows: lcus.aliases(unit))),
    Figure("pool", lambda lcus: list(map(len, lcus.pools.values()))),
    summed(_each("aliasuse", ControlUnits.alias_use)),
    Figure("used", _aliases_used),
    _each("aliasio", ControlUnits.alias_share),
    _each("mode", lambda lcus, unit, _rows: lcus.alias_mode(unit)),
    _each("paths", lambda lcus, unit, rows: lcus.paths(unit, rows)),
    _each("chpids", lambda _found, unit, _rows: " ".join(unit.chpids) or NO_PATHS),
    Figure("share", attrgetter("shares")),
    Figure("fair", lambda lcus: [share * len(lcus.keys) / 100.0 for share in lcus.shares]),
    *LOADS.values(),
    Figure("wait", lambda lcus: not_below_zero([*map(sub, lcus.column("resp"), lcus.column("serv"))])),
    Figure("inside", lambda lcus: [*map(_of_ms, *map(lcus.numbers, ("io", "disc")))]),
    Figure("longer", attrgetter("longer"), over="writes", trend=9),
    summed(Figure("late", lambda lcus: [*map(_of_ms, *map(lcus.numbers, ("writes", "longer")))])),
    _each("delayed", lambda lcus, _unit, rows: lcus.delayed_writes(rows)),
    summed(_each("qued", lambda lcus, _unit, rows: lcus.devices.queued_at(rows))),
    summed(_each("hung", lambda lcus, _unit, rows: lcus.devices.blocks.of("hung", rows))),
    Figure("lss", attrgetter("subsystems")),
    _each("called", lambda _found, unit, _rows: unit.called or NOT_CALLED),
)
"""What is known of an LCU, but for the files on it.

No screen shows what a rule about writes watches: `longer`, ms that one takes longer than a read, `late`, how
many are under way for that, `inside`, requests that are disconnected, and `delayed`, percent of the writes
that wait for the write cache."""


class OtherDisks(ControlUnits):
    """The disks of an interval that are on no LCU, those of one sort as if they were on one."""


_OF_DISKS: Final = {*LOADS, "ssid", "cutype", "units", "active", "paths", "chpids", "qued", "hung"}
OtherDisks.figures = {
    key: figure if key in _OF_DISKS else _each(key, lambda _disks, _unit, _rows: NO_UNIT)
    for key, figure in ControlUnits.figures.items()
} | catalogue(*(_each(key, lambda _disks, _unit, _rows: NOT_AN_LCU) for key in ("share", "fair")))


def other_disks(lcus: ControlUnits) -> dict[str, Lcu]:
    """Return the disks that are on none of the LCUs, by their sort."""
    devices, rows_of = lcus.devices, dict[str, list[int]]()
    for row, sort in enumerate(homes(devices, {**devices.lcu_of, **lcus.lcu_of})):
        if sort:
            rows_of.setdefault(sort, []).append(row)
    units = {}
    for sort, rows in sorted(rows_of.items()):
        chpids = {chpid for said in pick(devices.chpids, rows) for chpid in text_of(said).split()}
        keys = tuple(pick(devices.keys, rows))
        units[sort] = Lcu("", "", "", keys, keys, (), tuple(sorted(chpids)), said=sort)
    return units
