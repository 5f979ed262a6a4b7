"""Roll-ups: the figures of minutes and quarters of an hour, written beside the samples they are made of.

They are those of the screens: of each interval the tables are filled, and of what their columns say over a
minute the lowest, the highest and the weighed sum are kept (`minute`).  Gaps do not count.  An interval
belongs to the minute that its middle lies in.

Only devices that did something are read (`moving_devices`).

A stretch of samples rarely ends with a minute, so a minute grows: what the table has of it is read again and
added to.  A thing that has no row there was alike in all its intervals: each rate was 0, or not known.  Which
were known, any of these intervals tells.  Quarters are made of minutes by SQL when they are over, or when the
file is closed; one that is not what its minutes say is made again.  There, a device that came is taken to
have rested before.  Nothing is remembered that is not in the file, so it does not matter when the recorder
ends.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing, suppress
from itertools import groupby
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from zmon.base.absent import Absent
from zmon.base.clock import SECOND
from zmon.interval import Interval
from zmon.store.file_format import RecordingError, add_rows, row_crc, sql_text
from zmon.store.open import MEMORY
from zmon.store.writer import SEGMENT_SAMPLES, Writer
from zmon.tables.filled import definition
from zmon.trends.exception_rows import ExceptionWriter
from zmon.trends.minute import (
    NONE_REST,
    UNKNOWN,
    Minute,
    MinutePart,
    is_idle,
    merged,
    summed,
    with_zeros,
)
from zmon.trends.moving_devices import MovingDevices, known_in
from zmon.trends.trend_tables import (
    MANY,
    MINUTE,
    QUARTER,
    SECONDS,
    THOUSAND,
    TIME_COLUMNS,
    TREND_TABLES,
    column_names,
    make_tables,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.sample import Sample
    from zmon.store.reader import Recording
    from zmon.trends.minute import Aggregate, Resting
    from zmon.trends.trend_tables import TrendTable


def recording_with_trends(path: str, *, sealed: int = SEGMENT_SAMPLES, durable: bool = True) -> Writer:
    """Return the writer of a recording that keeps trends of its samples.

    Raises:
        RecordingError: see `Writer`.
    """
    return Writer(path, sealed=sealed, durable=durable, companion=TrendWriter())


def minute_of(interval: Interval) -> int:
    """Return the minute that the middle of an interval lies in: its begin, in seconds since 1970."""
    before = interval.before or interval.after
    return (before.at.utc + interval.after.at.utc) // 2 // (MINUTE * SECOND) * MINUTE


def counts(interval: Interval) -> bool:
    """Return whether an interval is part of its minute: gaps are not."""
    seconds = interval.seconds
    return not (isinstance(seconds, Absent) or interval.gap or seconds <= 0)


class TrendRows(NamedTuple):
    """What is to be written."""

    rows: Mapping[str, Sequence[tuple[object, ...]]]
    """By SQL table."""
    exceptions: Sequence[ExceptionEntry]
    new_minutes: int
    """How many minutes have no row yet."""
    new_rows: Sequence[tuple[int, str]]
    """Of each row of a thing that the file does not have yet the place of its table, and its key."""
    until: int
    """The end of the last interval, in seconds since 1970; 0 if there is none."""


class TrendWriter:
    """Makes and writes the roll-ups of one recording; see `zmon.store.writer.Companion`."""

    def __init__(self) -> None:
        """Know nothing of the recording yet."""
        self._devices = MovingDevices()
        self._parts: list[MinutePart] = []
        """Intervals that are in no minute of the file yet."""
        self._made = 0
        """How many of them are about to be written."""
        self._known = NONE_REST
        """Which rates are known in the last interval that was written."""
        self._minute: int | None = None
        """The minute of that interval."""
        self._labels: list[dict[str, str]] = [{} for _ in TREND_TABLES]
        """The label of each thing that was seen, table by table."""
        self._labelled: list[list[str]] = [[] for _ in TREND_TABLES]
        """The keys of the last interval, whose labels are known."""
        self._things: dict[tuple[str, str], int] = {}
        """The numbers of things in the file, by screen and name."""
        self._exceptions = ExceptionWriter()
        self.open_exceptions: tuple[ExceptionEntry, ...] = ()
        """Those that are open; another thread may read them."""

    def open(self, connection: sqlite3.Connection) -> None:
        """Make the tables that lack.

        Raises:
            sqlite3.Error: they cannot be written.
        """
        make_tables(connection)
        self._exceptions.open(connection)
        for table in TREND_TABLES:
            definition(table.table)  # nothing is imported once samples come

    def failed(self) -> None:
        """Forget what was written in a transaction that was rolled back."""
        self._things, self._made = {}, 0
        self._exceptions.failed()

    def written(self) -> None:
        """Forget the intervals that are in the file."""
        self._exceptions.written()
        if self._made:
            last = self._parts[self._made - 1]
            self._known = known_in(last.tables) if last.resting is NONE_REST else last.resting
            self._minute = last.minute
        del self._parts[: self._made]
        self._made = 0

    # follow

    def follow(self, before: Sample, after: Sample) -> None:
        """Fill the tables of the interval between two samples."""
        interval = Interval(before, after)
        if not counts(interval):
            self._fill()
            self._exceptions.follow(interval, {})
            self._devices.forget()
        elif self._devices.add(interval):
            self._fill()

    def _fill(self) -> None:
        """Fill the tables of the intervals that wait for it."""
        for whole, interval, tables, resting in self._devices.fill():
            by_name = {table.table: filled for table, filled in zip(TREND_TABLES, tables, strict=True)}
            self._exceptions.follow(whole, by_name)
            for at, (table, filled) in enumerate(zip(TREND_TABLES, tables, strict=True)):
                if filled.keys != self._labelled[at]:
                    self._labelled[at] = filled.keys
                    self._label(interval, table, filled.keys, self._labels[at])
            before = interval.before or interval.after
            span, seconds = (before.at.utc, interval.after.at.utc), float(interval.seconds)  # type: ignore[arg-type]  # no gap is among them
            self._parts.append(MinutePart(minute_of(interval), *span, seconds, resting, tables))
        self.open_exceptions = self._exceptions.open_now

    @staticmethod
    def _label(interval: Interval, table: TrendTable, keys: list[str], labels_known: dict[str, str]) -> None:
        """Find the labels of the things that have none yet."""
        if not labels_known.keys() >= set(keys):
            labels = table.labels(interval)
            for key in keys:
                label = labels.get(key, "")
                labels_known.setdefault(key, label if isinstance(label, str) else "")

    # make

    def make(self, connection: sqlite3.Connection, give_way: Callable[[], object]) -> TrendRows:
        """Return what is to be written of the intervals; `give_way` is called at each step of the work."""
        self._fill()
        parts = self._parts[:]
        self._made = len(parts)
        if not self._things:
            self._things = {
                (str(screen), str(name)): int(number)
                for number, screen, name in connection.execute("SELECT id, screen, name FROM thing")
            }
        rows: dict[str, list[tuple[object, ...]]] = {"minute": []}
        new_minutes, new_rows = 0, list[tuple[int, str]]()
        by_minute = sorted(parts, key=lambda part: part.minute)  # the clock may have been set back
        with closing(MinutesBefore(connection)) as before:
            for number, same in groupby(by_minute, key=lambda part: part.minute):
                give_way()
                minute = Minute(list(same))
                new_minutes += self._add(before, number, minute, rows, new_rows)
        exceptions = self._exceptions.changed()
        until = max((part.end // SECOND for part in parts), default=0)
        return TrendRows(rows, exceptions, new_minutes, new_rows, until)

    def _add(
        self,
        before: MinutesBefore,
        number: int,
        minute: Minute,
        rows: dict[str, list[tuple[object, ...]]],
        new_rows: list[tuple[int, str]],
    ) -> bool:
        """Add what is known of a minute to what the file has of it; return whether that is nothing."""
        had = before.connection.execute(
            "SELECT seconds, intervals, begin, end FROM minute WHERE minute = ?", (number,)
        ).fetchone()
        earlier = (had[1], had[0] / THOUSAND) if had else (0, 0.0)
        known_rates = self._known
        if had and number != self._minute:
            known_rates = before.known_rates(number, had[3])
        starts: int | None = None
        many = []
        for at, table in enumerate(TREND_TABLES):
            written = {
                thing: row
                for thing, *row in before.connection.execute(
                    f"SELECT thing, {', '.join(table.columns)} FROM {table.minutes} WHERE minute = ?",  # noqa: S608 - ours
                    (number,),
                )
            }
            minutes = rows.setdefault(table.minutes, [])
            added = [
                (number, (at, key), *row)
                for key, row in self._rows(at, minute, written, earlier, known_rates)
            ]
            minutes += added
            new = [(at, key) for _number, (at, key), *_row in added  # type: ignore[misc]  # a table and a key
                   if self._things.get((table.screen, key)) not in written]  # fmt: skip
            new_rows += new
            many.append(len(written) + len(new))
            if table.screen == "DEVICE":
                place = 2 + 5 * [figure.name for figure in table.figures].index("io")
                of_all = [row[place + 2] or 0 for row in added if row[place]]
                starts = sum(of_all) if of_all or known_rates[at] or minute.parts[0].resting[at] else None  # type: ignore[arg-type]  # numbers
        begin, end = min(part.begin for part in minute.parts), max(part.end for part in minute.parts)
        seconds, intervals = round(sum(minute.seconds) * THOUSAND), len(minute.seconds)
        if had:
            seconds, intervals, begin, end = (
                seconds + had[0], intervals + had[1], min(begin, had[2]), max(end, had[3]),
            )  # fmt: skip
        rows["minute"].append((number, seconds, intervals, begin, end, starts, *many))
        return had is None

    def _rows(
        self,
        at: int,
        minute: Minute,
        written: dict[int, list[int | None]],
        earlier: tuple[int, float],
        known_rates: Resting,
    ) -> Iterator[tuple[str, Aggregate]]:
        """Yield the rows of a minute in one table.

        `earlier` are the intervals that it had, and their seconds; `known_rates` are the rates known in them.
        """
        table, things = TREND_TABLES[at], minute.things[at]
        figures = table.figures
        intervals, seconds = earlier
        numbered = (key for screen, key in self._things if screen == table.screen)
        changed = sorted(minute.changed(at, [known_rates] if intervals else []))
        for key in dict.fromkeys((*things, *numbered, *changed)):
            thing = things.get(key)
            row = UNKNOWN * len(figures) if thing is None else summed(table, thing)
            row = with_zeros(row, minute.zeros(at, key, thing))
            number = self._things.get((table.screen, key))
            had = None if number is None else written.get(number)
            if had is not None:
                row = merged(row, tuple(had))
            elif intervals:
                row = with_zeros(row, dict.fromkeys(known_rates[at].get(key, ()), (intervals, seconds)))
            if had is None and table.sparse and is_idle(row, figures, intervals + len(minute.seconds)):
                continue
            if had is None and number is None and not any(row[::5]) and key not in known_rates[at]:
                continue  # nothing was ever known of it
            yield key, row

    # write

    def write(self, connection: sqlite3.Connection, made: object) -> None:
        """Write what was made, within the transaction of the caller."""
        assert isinstance(made, TrendRows)  # noqa: S101 - `make` made it
        _insert(connection, "minute", ("minute", *TIME_COLUMNS, *MANY), made.rows["minute"])
        add_rows(connection, "minute", made.new_minutes)
        had = len(self._things)
        for table in TREND_TABLES:
            _insert(
                connection,
                table.minutes,
                ["minute", "thing", *table.columns],
                [
                    (minute, self._number(connection, *thing), *row)  # type: ignore[misc]  # a table and a key
                    for minute, thing, *row in made.rows.get(table.minutes, ())
                ],
            )
        add_rows(connection, "thing", len(self._things) - had)
        connection.executemany(
            "INSERT OR REPLACE INTO thing_rows SELECT thing, minutes, quarters,"
            " row_crc('thing_rows', thing, minutes, quarters) FROM (SELECT ?1 AS thing,"
            " ifnull(t.minutes, 0) + ?2 AS minutes, ifnull(t.quarters, 0) AS quarters"
            " FROM (SELECT 1) LEFT JOIN thing_rows t ON t.thing = ?1)",
            Counter(self._number(connection, *thing) for thing in made.new_rows).items(),
        )
        self._exceptions.write(connection, made.exceptions)
        if made.until:
            write_quarters(connection, made.until)

    def _number(self, connection: sqlite3.Connection, at: int, key: str) -> int:
        screen = TREND_TABLES[at].screen
        number = self._things.get((screen, key))
        if number is None:
            (number,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM thing").fetchone()
            row = (number, screen, sql_text(key), sql_text(self._labels[at].get(key, "")))
            connection.execute(
                "INSERT INTO thing (id, screen, name, label, crc) VALUES (?, ?, ?, ?, ?)",
                (*row, row_crc("thing", *row)),
            )
            self._things[screen, key] = number
        return number

    def finish(self, connection: sqlite3.Connection) -> None:
        """Make the quarters that are not over yet, because the file is closed."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            write_quarters(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


class MinutesBefore:
    """Minutes that a file has already and of which more comes: it is continued, or the clock was set back.

    One reader of its samples serves all of them.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read nothing yet."""
        self.connection = connection
        self._recording: Recording | None = None

    def known_rates(self, minute: int, end: int) -> Resting:
        """Return which rates are known in the interval of a minute that ends at a time, in ns since 1970."""
        from zmon.store.reader import Recording  # noqa: PLC0415 - rarely needed

        with suppress(RecordingError):
            if self._recording is None:
                self._recording = Recording(MEMORY, shared=(self.connection, RLock()))
            recording = self._recording
            for number in recording.numbers(end, end):
                interval = Interval(
                    recording.sample(number - 1) if number else None, recording.sample(number)
                )
                if counts(interval) and minute_of(interval) == minute:
                    return known_in([table.filled(interval) for table in TREND_TABLES])
        return NONE_REST

    def close(self) -> None:
        """Let go of what was read; the connection stays open."""
        if self._recording is not None:
            self._recording.close()


# SQL


def _insert(
    connection: sqlite3.Connection, table: str, names: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    marks = {name: f"?{at}" for at, name in enumerate(names, 1)}
    places = (marks.get(name, "NULL") for name in column_names(connection, table) if name != "crc")
    connection.executemany(
        f"INSERT OR REPLACE INTO {table} ({', '.join(names)}, crc)"  # noqa: S608 - ours
        f" VALUES ({', '.join(marks.values())}, row_crc('{table}', {', '.join(places)}))",
        rows,
    )


def write_quarters(connection: sqlite3.Connection, until: int | None = None) -> None:
    """Make the quarters that are not what their minutes say: those over by `until`, else all of them."""
    stale = connection.execute(
        "SELECT m.minute / 900 * 900, sum(m.seconds), sum(m.intervals), count(*), q.seconds, q.intervals"
        " FROM minute m LEFT JOIN quarter q ON q.quarter = m.minute / 900 * 900 GROUP BY 1"
    ).fetchall()
    for quarter, seconds, intervals, minutes, *was in stale:
        if was == [seconds, intervals] or (until is not None and quarter + QUARTER > until):
            continue
        values = {"q": quarter, "seconds": seconds, "intervals": intervals, "minutes": minutes}
        ends = connection.execute(
            "SELECT min(begin), max(end), sum(io) FROM minute WHERE minute >= :q AND minute < :q + 900",
            values,
        ).fetchone()
        many = [connection.execute(_quarters(connection, table), values).rowcount for table in TREND_TABLES]
        for table in TREND_TABLES:
            connection.execute(
                "INSERT OR REPLACE INTO thing_rows SELECT t.thing, t.minutes, q.many,"  # noqa: S608 - ours
                " row_crc('thing_rows', t.thing, t.minutes, q.many) FROM thing_rows t JOIN (SELECT thing,"
                f" count(*) AS many FROM {table.quarters} WHERE thing IN (SELECT thing FROM {table.minutes}"
                " WHERE minute >= :q AND minute < :q + 900) GROUP BY thing) q ON q.thing = t.thing",
                values,
            )
        _insert(
            connection,
            "quarter",
            ("quarter", *TIME_COLUMNS, *MANY),
            [(quarter, seconds, intervals, *ends, *many)],
        )
        add_rows(connection, "quarter", was == [None, None])


def _quarters(connection: sqlite3.Connection, table: TrendTable) -> str:
    """Return the statement that makes a quarter of its minutes; a thing without a row in one did nothing."""
    parts = []
    for figure in table.figures:
        count, weight, total, low, high = (f"r.{name}" for name in figure.columns)
        if table.sparse and figure.weight == SECONDS:
            parts += [
                f"sum({count}) + CASE WHEN sum({count}) THEN :intervals - sum(m.intervals) ELSE 0 END",
                f"sum({weight}) + :seconds - sum(m.seconds)",
                f"sum({total})",
                f"CASE WHEN count(*) < :minutes THEN min(0, min({low})) ELSE min({low}) END",
                f"max({high})",
            ]
        else:
            parts += [f"sum({count})", f"sum({weight})", f"sum({total})", f"min({low})", f"max({high})"]
    names = ("thing", "quarter", *table.columns)
    values = (f"{part} AS {name}" for part, name in zip(("r.thing", ":q", *parts), names, strict=True))
    there = [name for name in column_names(connection, table.quarters) if name != "crc"]
    checked = ", ".join(name if name in names else "NULL" for name in there)
    return (
        f"INSERT OR REPLACE INTO {table.quarters} ({', '.join(names)}, crc)"  # noqa: S608 - ours
        f" SELECT *, row_crc('{table.quarters}', {checked}) FROM (SELECT {', '.join(values)}"
        f" FROM {table.minutes} r JOIN minute m ON m.minute = r.minute"
        " WHERE r.minute >= :q AND r.minute < :q + 900 GROUP BY r.thing)"
    )
