"""Totals of disks that never fall: by LCU, for the system, and for each DASD if that is wanted.

A sum over counters of the kernel falls when a device is detached or its counters are reset, and a monitor
takes that for a restart.  So differences are added up: one that is not known is left out, and a device that
comes is counted from its first difference on.

Of an interval in which nothing changed but counters only the devices that did something are read.
"""

from __future__ import annotations

from operator import add, sub
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, text_of
from zmon.base.clock import MILLISECOND
from zmon.exposition.exposition_text import label_text
from zmon.exposition.metric import BLOCK_COUNTERS, CACHE_COUNTERS, CMF_COUNTERS, LCU, DiskCounter
from zmon.interval import NOT_AGAIN
from zmon.kinds import BLOCK, CACHE, CMF, DEVICE
from zmon.machine.topology import units_of
from zmon.machine.view import View, no_inputs
from zmon.topology.leaf_disks import counted_disks
from zmon.trends.moving_devices import comparable, devices_by_disk, is_unchanged, moved_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.interval import Delta, Interval
    from zmon.sample import Frame, Kind
    from zmon.topology.volumes import Lcu

DISK_COUNTERS: Final = (*CMF_COUNTERS, *BLOCK_COUNTERS)
COUNTERS: Final = (*DISK_COUNTERS, *CACHE_COUNTERS)
PLACE: Final = {(counter.name, counter.direction): at for at, counter in enumerate(DISK_COUNTERS)}
SERVED: Final = tuple(
    PLACE[name, ""]
    for name in ("pending_seconds", "disconnect_seconds", "connect_seconds", "device_active_seconds")
)
"""What together is the time that the channel subsystem and the device take for an I/O."""
SOURCES: Final = (
    (CMF, CMF_COUNTERS, 0),
    (BLOCK, BLOCK_COUNTERS, len(CMF_COUNTERS)),
    (CACHE, CACHE_COUNTERS, len(DISK_COUNTERS)),
)
"""The kinds with their counters, and the place of the first of these in `COUNTERS`."""


class Totals:
    """The totals of one thing, in the order of `COUNTERS`, in the kernel's units."""

    __slots__ = ("known", "values")

    def __init__(self) -> None:
        """Know nothing yet."""
        self.values: list[float] = [0] * len(COUNTERS)
        self.known = [False] * len(COUNTERS)
        """Which of them were measured at all."""


class LcuLabels(NamedTuple):
    """The LCUs of a sample by the labels that they are exported with, and where devices belong."""

    lcus: Mapping[str, Lcu]
    of: Mapping[str, str]
    """The labels of the LCU of each device."""
    aliases: frozenset[str]


def lcu_labels(unit: Lcu) -> tuple[str, str]:
    """Return box and lcu: the serial of the storage server; SSID, else LSS, else what people call it."""
    return unit.serial, unit.ssid or unit.lss or unit.short


def units_in(interval: Interval) -> LcuLabels:
    """Return the LCUs of the sample at the end of an interval."""
    units = units_of(View(interval, inputs=no_inputs))
    labels = {key: label_text(LCU, lcu_labels(unit)) for key, unit in units.lcus.items()}
    return LcuLabels(
        {labels[key]: unit for key, unit in units.lcus.items()},
        {device: labels[key] for device, key in units.of.items()},
        frozenset(alias for unit in units.lcus.values() for alias in unit.aliases),
    )


class DiskTotals:
    """Adds up what disks did, sample by sample."""

    def __init__(self, *, devices: bool = False) -> None:
        """Begin with nothing; with `devices` keep totals of each DASD, too."""
        self.lcus: dict[str, Totals] = {}
        """By labels."""
        self.queued: dict[str, float] = {}
        """By the labels of LCUs, ns that requests waited in Linux: an estimate."""
        self.alias_ns: dict[str, float] = {}
        """By the labels of LCUs, ns in which aliases ran an I/O, in the last interval."""
        self.devices: dict[str, Totals] | None = {} if devices else None
        """By bus id."""
        self.system = Totals()
        self.units = LcuLabels({}, {}, frozenset())
        self._units_from: tuple[Frame | None, ...] = ()
        """The frames that `units` are from."""
        self._disks: tuple[object, Mapping[str, str]] = (None, {})
        """The device of each disk, and what it is from."""
        self._whole = False
        """Whether all devices were read since something changed, so that those that rest are known."""

    def follow(self, interval: Interval) -> None:
        """Add an interval; one between samples that do not compare adds nothing."""
        self._find_units(interval)
        self.alias_ns = dict.fromkeys(self.alias_ns, 0)
        if interval.void is not None or interval.before is None:
            self._whole = False
            return
        moved = self._moved(interval)
        part = interval if moved is None or not self._whole else interval.only(moved)
        self._whole = moved is not None
        before = {key: totals.values[:] for key, totals in self.lcus.items()}
        none = [0] * len(COUNTERS)
        for kind, counters, at in SOURCES:
            if interval.before.frames.get(kind.name) is not interval.after.frames.get(kind.name):
                self._add(kind, part.of(kind), counters, at)
        for key, totals in self.lcus.items():
            self._queue(key, totals, list(map(sub, totals.values, before.get(key, none))))

    def _find_units(self, interval: Interval) -> None:
        frames = tuple(interval.after.frames.get(name) for name in ("device", "dasd", "layer", "claim"))
        if len(frames) != len(self._units_from) or any(map(_differ, frames, self._units_from)):
            self._units_from, self.units = frames, units_in(interval)
            self.alias_ns |= {
                key: self.alias_ns.get(key, 0) for key, unit in self.units.lcus.items() if unit.aliases
            }
            self._disks = (None, {})

    def _moved(self, interval: Interval) -> frozenset[str] | None:
        """Return the devices of which a counter moved; None where more changed than counters."""
        before, after = interval.before, interval.after
        assert before is not None  # noqa: S101 - the caller has seen to it
        if not is_unchanged(before.frames.get(DEVICE.name), after.frames.get(DEVICE.name)):
            return None
        moved: set[str] = set()
        for kind in (BLOCK, CMF, CACHE):
            was, now = before.frames.get(kind.name), after.frames.get(kind.name)
            if was is now:
                continue
            if was is None or now is None or not comparable(was, now):
                return None
            rows = moved_rows(was, now)
            if rows is None:
                return None
            if kind is BLOCK:
                device = devices_by_disk(after.frame(DEVICE))
                moved.update(device.get(now.keys[row], now.keys[row]) for row in rows)
            else:
                moved.update(now.keys[row] for row in rows)
        return frozenset(moved)

    def _add(self, kind: Kind, delta: Delta, counters: tuple[DiskCounter, ...], at: int) -> None:
        """Add the differences of a kind, whose counters have the places from `at` on."""
        keys = list(delta.keys)
        if kind is BLOCK:
            counted = self._counted(delta.frame)
            keys = [counted.get(key, "") for key in keys]
        # a device that was not read again has done nothing
        rows = [
            row
            for row, length in enumerate(delta.seconds)
            if keys[row] and (length.__class__ is not Absent or length is NOT_AGAIN)
        ]
        lcus = self.units.of
        groups = [self._of_lcu(lcus.get(keys[row], "")) for row in rows]
        alone = [] if self.devices is None else [self._of_device(keys[row]) for row in rows]
        for place, counter in enumerate(counters, at):
            if counter.field not in delta.frame.columns:
                continue
            column = delta.numbers(counter.field)
            cells = [(position, column[row]) for position, row in enumerate(rows)]
            numbers = [(position, value) for position, value in cells if not isinstance(value, Absent)]
            if not numbers:
                continue
            for things in (groups, alone):
                for position, value in numbers if things else ():
                    totals = things[position]
                    totals.values[place] += value
                    totals.known[place] = True
            self.system.values[place] += sum(value for _, value in numbers)
            self.system.known[place] = True
        if kind is CMF and self.alias_ns:
            self._add_aliases(delta, [row for row in rows if keys[row] in self.units.aliases])

    def _add_aliases(self, delta: Delta, rows: list[int]) -> None:
        """Add the time in which aliases ran an I/O."""
        columns = [delta[name] for name in ("pending", "disconnect", "connect")]
        for row in rows:
            key = self.units.of.get(delta.keys[row], "")
            busy = [column[row] for column in columns]
            if key in self.alias_ns and not any(isinstance(value, Absent) for value in busy):
                self.alias_ns[key] += sum(busy)  # type: ignore[arg-type]  # numbers

    def _of_lcu(self, key: str) -> Totals:
        """Return the totals of an LCU; of none those that nobody reads."""
        totals = self.lcus.get(key)
        if totals is None:
            totals = Totals()
            if key:
                self.lcus[key] = totals
        return totals

    def _of_device(self, key: str) -> Totals:
        assert self.devices is not None  # noqa: S101 - the caller has seen to it
        totals = self.devices.get(key)
        if totals is None:
            totals = self.devices[key] = Totals()
        return totals

    def _counted(self, blocks: Frame) -> Mapping[str, str]:
        """Return the device of each disk whose I/O is counted: no logical volume, no path of multipath."""
        maps = blocks.column("map")
        source = (blocks.keys, maps)
        if self._disks[0] == source:
            return self._disks[1]
        devices = self._units_from[0]
        named = {} if devices is None else devices_by_disk(devices)
        alone, _paths = counted_disks(dict(zip(blocks.keys, maps, strict=True)), named)
        of_ccw = {name: named[name] for name in blocks.keys if name in named}
        keys = dict(zip(alone, alone, strict=True)) | of_ccw
        self._disks = (source, keys)
        return keys

    def _queue(self, key: str, totals: Totals, grown: list[float]) -> None:
        """Estimate how long requests of an LCU waited in Linux: what is left of their time."""
        reads, writes = PLACE["reads", ""], PLACE["writes", ""]
        if not (totals.known[PLACE["timed", ""]] and totals.known[reads]):
            return
        requests, timed = grown[reads] + grown[writes], grown[PLACE["timed", ""]]
        served = sum(grown[place] for place in SERVED) * requests / timed if timed else 0.0
        lasted = add(grown[PLACE["io_seconds", "read"]], grown[PLACE["io_seconds", "write"]]) * MILLISECOND
        waited = max(lasted - served, 0.0) if timed else 0.0
        self.queued[key] = self.queued.get(key, 0.0) + waited


def _differ(value: object, other: object) -> bool:
    return value is not other


def type_of(unit: Lcu, devices: Frame) -> str:
    """Return the type of a control unit: `3990`."""
    types = {text_of(devices.cell(busid, "cutype")).partition("/")[0] for busid in unit.bases[:1]}
    return next(iter(types), "")
