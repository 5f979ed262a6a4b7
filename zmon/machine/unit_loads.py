"""What services, containers, guests and sessions do on each disk, and what the kernel accounts to none.

The bytes and I/Os of all units and the rest are those of the disks.  Units count I/Os when they are
submitted, before requests are merged; so are those of disks, with what was merged to others.  A unit that
came in the interval began at zero; what one has done that ended in it is part of the rest, as is what the
kernel does for itself: journals, swapping, paging.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.kinds import BLOCK, LAYER, UNIT, UNIT_IO
from zmon.machine.blocks import Blocks
from zmon.machine.devices import address, devices_of, homes, label_of
from zmon.machine.join import by_key
from zmon.machine.topology import units_of, volumes_of
from zmon.topology.leaf_disks import NOTHING, IoCounts, LeafDisks
from zmon.topology.volumes import short_titles
from zmon.values.unit_name import title_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.view import View
    from zmon.sample import Frame

KINDS: Final = (BLOCK, LAYER, UNIT, UNIT_IO)
NO_LCU: Final = absent("no LCU of the disk is known")
NO_UNIT_IO: Final = absent("the kernel does not count the I/O of this unit: set IOAccounting=yes for it")


class UnitLoads:
    """The I/O per second of each unit on each disk in an interval."""

    def __init__(self, interval: Interval) -> None:
        """Add up what units did, each I/O once."""
        now = interval.after.frame(UNIT_IO)
        before = None if interval.before is None else interval.before.frame(UNIT_IO)
        self.missing = now.missing or interval.void or (None if before is None else before.missing)
        """Why nothing is known."""
        blocks = interval.of(BLOCK)
        numbers = zip(blocks.keys, blocks["number"], strict=True)
        names = {str(number): name for name, number in numbers if not isinstance(number, Absent)}
        self.leaves = LeafDisks(interval.after.frame(LAYER), names)
        self.of: dict[str, dict[str, IoCounts]] = {}
        """What each unit did on each disk."""
        self.guessed: dict[str, frozenset[str]] = {}
        """The disks of each unit for which that is an estimate."""
        seconds = interval.seconds if before is None else _between(before, now, interval.seconds)
        if self.missing is None and not isinstance(seconds, Absent) and before is not None:
            counted = _differences(before, now, _replaced(interval))
            for unit, devices in counted.items():
                placed, guessed = self.leaves.placed(devices)
                self.of[unit] = {number: counts.part(1 / seconds) for number, counts in placed.items()}
                self.guessed[unit] = guessed
        self.disks = dict(self._disks(interval))
        """What each disk did, by /proc/diskstats, I/Os as submitted: of a multipath device, all that its
        paths did.

        Some read a path itself, as udev does, which is counted at the path alone.
        """

    def _disks(self, interval: Interval) -> Iterator[tuple[str, IoCounts]]:
        blocks = Blocks(interval)
        columns = zip(blocks.keys, *map(blocks.column, ("rbytes", "wbytes", "submitted")), strict=True)
        done = {
            str(name): IoCounts(*counts)
            for name, *counts in columns
            if not any(isinstance(count, Absent) for count in counts)
        }
        for number, name in self.leaves.disks.items():
            paths = [done[path] for path in map(self.leaves.name, self.leaves.paths(number)) if path in done]
            if name in done:
                yield number, done[name].at_least(total_of(paths))

    @property
    def rest(self) -> dict[str, IoCounts]:
        """What each disk did that is accounted to no unit; less than nothing where units count more."""
        of_units = dict.fromkeys(self.disks, NOTHING)
        for devices in self.of.values():
            for number, counts in devices.items():
                if number in of_units:
                    of_units[number] = of_units[number].plus(counts)
        return {number: counts.plus(of_units[number].part(-1.0)) for number, counts in self.disks.items()}

    @cached_property
    def bytes(self) -> dict[str, float]:
        """What shares of each disk are parts of: all that was counted there, of units or of itself.

        The kernel counts I/O of a unit when it is submitted, of a disk when it completes.  In a short
        interval units may so have much more than the disk; together they have all of it, and none has more.
        """
        every = (disk for devices in self.of.values() for disk in devices.items())
        of_units = by_key((number, counts.bytes) for number, counts in every)
        return of_units | {
            number: max(counts.bytes, of_units.get(number, 0.0)) for number, counts in self.disks.items()
        }


def _between(before: Frame, now: Frame, otherwise: Number) -> Number:
    """Return the seconds between two readings of the units, which may be read later than the disks."""
    length = (now.times[-1] - before.times[-1]) / 1e9 if now.times and before.times else 0.0
    return length if length > 0 else otherwise


def _replaced(interval: Interval) -> frozenset[str]:
    """Return the units that are others than the one that had their path before."""
    assert interval.before is not None  # noqa: S101 - the interval is not void
    now, before = interval.after.frame(UNIT), interval.before.frame(UNIT)
    inodes = zip(now.keys, now.column("incarnation"), strict=True)
    pairs = ((key, inode, before.cell(key, "incarnation")) for key, inode in inodes)
    return frozenset(
        key
        for key, inode, then in pairs
        if isinstance(inode, str) and isinstance(then, str) and inode != then
    )


def _differences(before: Frame, now: Frame, replaced: frozenset[str]) -> dict[str, dict[str, IoCounts]]:
    """Return what was counted of each unit at each block device between two readings."""
    units, devices = now.column("unit"), now.column("device")
    columns = [now.column(name) for name in ("rbytes", "wbytes", "rios", "wios")]
    past = [before.column(name) for name in ("rbytes", "wbytes", "rios", "wios")]
    rows = now.moved(before) if now.keys == before.keys and not replaced else range(len(now.keys))
    done: dict[str, dict[str, IoCounts]] = {}
    for row in rows:
        values = [value for column in columns if isinstance(value := column[row], int | float)]
        if len(values) < len(columns):
            continue
        unit = str(units[row])
        then = None if unit in replaced else before.index.get(now.keys[row])
        olds: list[Value] = [0, 0, 0, 0] if then is None else [column[then] for column in past]
        more = [
            new - old if isinstance(old, int | float) else 0 for new, old in zip(values, olds, strict=True)
        ]
        if min(more) < 0:  # it began again
            more = values
        if any(more):
            read, written, reads, writes = more
            done.setdefault(unit, {})[str(devices[row])] = IoCounts(read, written, reads + writes)
    return done


@lru_cache(maxsize=2)
def unit_loads(interval: Interval) -> UnitLoads:
    """Return the loads of an interval, which several tables may ask for one after the other."""
    return UnitLoads(interval)


class DiskPlaces:
    """Where each disk is: its device, label and LCU."""

    def __init__(self, view: View, loads: UnitLoads) -> None:
        """Look disks up by their numbers."""
        devices, units = devices_of(view.interval), units_of(view)
        rows = {str(name): row for row, name in enumerate(devices.names)}
        told = volumes_of(view)
        sorts = homes(devices, {**devices.lcu_of, **units.of})
        volsers, labels = devices.volsers, devices.block_labels
        self.device: dict[str, str] = {}
        """As DEVICE calls it."""
        self.label: dict[str, str | Absent] = {}
        self.lcu: dict[str, str] = {}
        """The key of the LCU of each disk, where it is known."""
        self.home: dict[str, str] = {}
        """The sort of each disk that is on no LCU, as CTLUNIT lists it."""
        self.response: dict[str, Number] = {}
        self.titles = short_titles(units.lcus)
        """What each LCU is called."""
        for number, name in loads.leaves.disks.items():
            ways = [name, *(loads.leaves.name(path) for path in loads.leaves.paths(number))]
            row = next((rows[way] for way in ways if way in rows), None)
            self.device[number] = name if row is None else address(devices.keys[row])
            self.response[number] = NO_LCU if row is None else devices.response[row]
            if row is not None:
                key = devices.keys[row]
                lcu = devices.lcu_of.get(key) or units.of.get(key)
                volume = told.get(key)
                self.label[number] = label_of(  # type: ignore[assignment]  # a text, or why there is none
                    volume.volser if volume else volsers[row], labels[row], f">{name}"
                )
                if lcu is not None:
                    self.lcu[number] = lcu
                elif sorts[row]:
                    self.home[number] = sorts[row]

    def lcu_name(self, number: str) -> str | Absent:
        """Return what the LCU of a disk is called."""
        key = self.lcu.get(number)
        return NO_LCU if key is None else self.titles.get(key, key)

    def by_lcu(self, disks: Mapping[str, IoCounts]) -> dict[str, float]:
        """Add up the bytes on disks by what their LCUs are called; of none that is known it is empty."""
        return by_key((text_of(self.lcu_name(number)), counts.bytes) for number, counts in disks.items())


def total_of(counts: Iterable[IoCounts]) -> IoCounts:
    """Return what was done together."""
    whole = NOTHING
    for count in counts:
        whole = whole.plus(count)
    return whole


MAX_NAMED: Final = 3
MIN_PART: Final = 0.05
"""A part of the bytes below which nothing is named beside others."""


def parts_of(much: Mapping[str, float], whole: float) -> str:
    """Name what has most of a whole, each with its part: `db2inst1 62%, backup 30%`."""
    return ", ".join(f"{name} {100.0 * part:.0f}%" for name, part in most_of(much, whole))


def most_of(much: Mapping[str, float], whole: float) -> list[tuple[str, float]]:
    """Return what has most of a whole, with its part of 1, the first the most."""
    most: list[tuple[str, float]] = []
    for name, value in sorted(much.items(), key=lambda item: (-item[1], item[0]))[:MAX_NAMED]:
        if value > 0 and (not most or value >= MIN_PART * whole):
            most.append((name, value / whole))
    return most


def filling(view: View, lcu: str) -> str:
    """Say in a few words who fills an LCU: `db2inst1 62%, backup 30%` of its bytes; empty if not known.

    `lcu` is its key.
    """
    return parts_of(*_units_on(view, lcu))


def most_on(view: View, lcu: str) -> list[tuple[str, float]]:
    """Return the units that fill an LCU, each with its part of its bytes, the first the most."""
    return most_of(*_units_on(view, lcu))


def _units_on(view: View, lcu: str) -> tuple[dict[str, float], float]:
    """Return what the units did on an LCU, and all that was done, in bytes a second."""
    loads = unit_loads(view.interval)
    if loads.missing is not None:
        return {}, 0.0
    places = DiskPlaces(view, loads)
    here = {number for number, key in places.lcu.items() if key == lcu}
    whole = sum(much for number, much in loads.bytes.items() if number in here)
    much = by_key(
        (title_of(unit), sum(counts.bytes for number, counts in devices.items() if number in here))
        for unit, devices in loads.of.items()
    )
    return (much, whole) if whole > 0 else ({}, 0.0)
