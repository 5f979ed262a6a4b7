"""Which devices did something in an interval, so that tables are filled with these alone.

Of thousands of devices some hundreds work at a time.  The samples tell which rows moved, and as long as
nothing but counters did, only those devices are read: the others did nothing.  Which of their rates are then
zero is found out once.  An interval in which anything else changed, such as a counter that fell or a device
that came, is read with all devices.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import compress
from operator import lt, ne, not_
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.interval import RESTING, Interval
from zmon.kinds import BLOCK, CMF, DEVICE
from zmon.sample import Meaning, pick
from zmon.trends.minute import NONE_REST
from zmon.trends.trend_tables import SECONDS, TREND_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.sample import Frame, Kind
    from zmon.tables.table import Table
    from zmon.trends.minute import Resting
    from zmon.trends.trend_tables import TrendTable

TOGETHER: Final = 10
"""Intervals for which the same devices are read, so that what is known of them is computed once."""

COUNTS: Final = frozenset({Meaning.COUNTER, Meaning.CLOCK})


class MovingDevices:
    """Fills tables with the devices that did something, where the others are known to have rested."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._waiting: list[Interval] = []
        """Intervals in which nothing changed but counters."""
        self._wanted: set[str] = set()
        """The devices that did something in any of them."""
        self._changed: Interval | None = None
        """An interval behind those in which more changed."""
        self._in_flight: set[str] | None = None
        """Disks that had requests in flight in the last sample; None when it is not known."""
        self.forget()

    def forget(self) -> None:
        """Find out anew what is known of things that rest."""
        self._resting: Resting | None = None
        self._in_flight = None

    def add(self, interval: Interval) -> bool:
        """Add the next interval; return whether it is time to fill the tables of those that wait."""
        moved = self._moved(interval)
        if moved is None:
            self._changed = interval
            return True
        self._waiting.append(interval)
        self._wanted |= moved
        return self._resting is None or len(self._waiting) >= TOGETHER

    def fill(self) -> Iterator[tuple[Interval, Interval, list[Table], Resting]]:
        """Yield each interval that waits, whole and cut down, its tables, and what is known of the rest."""
        waiting, wanted, changed = self._waiting, frozenset(self._wanted), self._changed
        self._waiting, self._wanted, self._changed = [], set(), None
        for interval in waiting:
            yield (interval, *self._few(interval, interval.only(wanted)))
        if changed is not None:
            self.forget()
            yield changed, changed, filled(changed), NONE_REST

    def _few(self, interval: Interval, few: Interval) -> tuple[Interval, list[Table], Resting]:
        """Fill the tables with some devices, or with all if there is no other way."""
        tables, deltas = filled(few), [few.of(kind) for kind in (BLOCK, CMF)]
        alike = all(delta.alike() for delta in deltas)
        if self._resting is None:
            whole = filled(interval)
            if not alike or any(isinstance(length, Absent) for delta in deltas for length in delta.seconds):
                return interval, whole, NONE_REST  # a device that rests now may be known otherwise next time
            self._resting = known_in(whole)
        if not alike or not all(map(is_as_known, TREND_TABLES, tables, self._resting)):
            self.forget()
            return interval, filled(interval), NONE_REST
        return few, tables, self._resting

    def _moved(self, interval: Interval) -> set[str] | None:
        """Return the devices and disks that did something; None where more changed than counters."""
        moved = set[str]()
        device_of: Mapping[object, str] = {}
        for kind in (DEVICE, BLOCK, CMF):
            before, after = (
                None if sample is None else sample.frames.get(kind.name)
                for sample in (interval.before, interval.after)
            )
            if kind is DEVICE:
                if not is_unchanged(before, after):
                    return None
                device_of = {} if after is None else devices_by_disk(after)
                continue
            if before is None and after is None:
                continue
            if before is None or after is None or not comparable(before, after):
                return None
            rows = moved_rows(before, after)
            if rows is None:
                return None
            keys = pick(after.keys, rows)
            if kind is BLOCK:
                keys += self._hanging(before, after, after.moved(before))
                keys = [device_of.get(key, key) for key in keys]
            moved.update(keys)
        return moved

    def _hanging(self, before: Frame, after: Frame, rows: Sequence[int]) -> list[str]:
        """Return the disks that had requests in flight, even if nothing of them moved: they may hang."""
        if self._in_flight is None:
            many = before.column("in_flight")
            self._in_flight = {key for key, count in zip(before.keys, many, strict=True) if count > 0}  # type: ignore[operator]  # a gauge
        hanging = list(self._in_flight)
        now = after.column("in_flight")
        for row in rows:
            if now[row] > 0:  # type: ignore[operator]  # likewise
                self._in_flight.add(after.keys[row])
            else:
                self._in_flight.discard(after.keys[row])
        return hanging


# what moved


def is_like(before: Frame, after: Frame) -> bool:
    """Return whether two frames have the same kind, things and columns."""
    return (
        before.kind is after.kind
        and before.missing is after.missing
        and before.keys == after.keys
        and tuple(before.columns) == tuple(after.columns)
    )


def is_unchanged(before: Frame | None, after: Frame | None) -> bool:
    """Return whether two frames hold the same; when they were read does not matter."""
    if before is None or after is None or before is after:
        return before is after
    return is_like(before, after) and not after.moved(before)


def comparable(before: Frame, after: Frame) -> bool:
    """Return whether every row was read again, after a time in which no counter can wrap unseen."""
    if not is_like(before, after):
        return False
    if not after.keys:
        return True
    shortest, longest = after.period[0] - before.period[1], after.period[1] - before.period[0]
    return shortest > 0 and longest <= 1e9 * _unseen_wrap(after.kind)


@lru_cache
def _unseen_wrap(kind: Kind) -> float:
    """Return the seconds within which no counter of a kind can wrap unseen, and no age falls behind."""
    return min((field.wraps_after for field in kind.fields if field.wraps_after), default=RESTING)


def moved_rows(before: Frame, after: Frame) -> list[int] | None:
    """Return the rows in which a counter moved; None where a thing was replaced or its counters reset."""
    rows = left = after.moved(before)
    rows_found: list[int] = []
    for field in after.kind.fields:
        now, was = after.columns.get(field.name), before.columns.get(field.name)
        if now is None or was is None or now is was:
            continue
        if field.meaning is Meaning.IDENTITY and pick(now, rows) != pick(was, rows):
            return None
        if field.meaning is Meaning.AGE and any(map(lt, pick(now, rows), pick(was, rows))):
            return None
        if field.meaning in COUNTS and left:
            changed = list(map(ne, pick(now, left), pick(was, left)))
            rows_found += compress(left, changed)
            left = list(compress(left, map(not_, changed)))
    return rows_found


@lru_cache(maxsize=2)  # devices are read once a minute
def devices_by_disk(devices: Frame) -> dict[object, str]:
    """Return the bus id of each disk."""
    if devices.missing is not None:
        return {}
    return {disk: key for disk, key in zip(devices.column("block"), devices.keys, strict=True)
            if isinstance(disk, str)}  # fmt: skip


# tables


def filled(interval: Interval) -> list[Table]:
    """Return the figures of an interval, table by table."""
    return [table.filled(interval) for table in TREND_TABLES]


@lru_cache
def rates(table: TrendTable) -> list[int]:
    """Return the places of the figures that are 0 where nothing happens."""
    return [at for at, figure in enumerate(table.figures) if figure.weight == SECONDS]


def known_in(tables: Sequence[Table]) -> Resting:
    """Return which rates of each thing are known in an interval, of which these are the whole tables."""
    return list(map(known_rates, TREND_TABLES, tables))


def known_rates(table: TrendTable, whole: Table) -> dict[str, frozenset[int]]:
    """Return which rates of each thing are known; of tables with a row for each thing nothing is needed."""
    if not table.sparse:
        return {}
    every = frozenset(rates(table))
    columns = (whole.column(table.figures[at].name) for at in rates(table))
    rates_known: dict[str, frozenset[int]] = {}
    for key, *values in zip(whole.keys, *columns, strict=True):
        lacking = [value.__class__ is Absent for value in values]
        rows = frozenset(compress(rates(table), map(not_, lacking))) if any(lacking) else every
        if rows:
            rates_known[key] = rows
    return rates_known


def is_as_known(table: TrendTable, few: Table, resting: Mapping[str, frozenset[int]]) -> bool:
    """Return whether the same rates of some things are known as before."""
    if not table.sparse:
        return True
    if not few.keys:
        return True
    resting_rows = [resting.get(key, frozenset()) for key in few.keys]
    alike = resting_rows.count(resting_rows[0]) == len(resting_rows)
    for at in rates(table):
        values = few.column(table.figures[at].name)
        types = set(map(type, values))
        if alike and (Absent not in types if at in resting_rows[0] else types == {Absent}):
            continue
        if any((value.__class__ is Absent) is (at in resting_rows[row]) for row, value in enumerate(values)):
            return False
    return True
