"""Roll-ups: what a minute and a quarter of an hour looked like, made while their samples are sealed.

The figures are those of the screens: of each interval the table is filled, and of what its columns say over a
minute the lowest, the highest and the sum are kept, each value weighed with the seconds of its interval or
with how much I/O it is an average over.  Absent values and gaps do not count.  An interval belongs to the
minute that its middle lies in.

A stretch of samples rarely ends with a minute, so a minute grows: what the table has of it is read again and
added to.  Quarters are made of minutes by SQL when they are over, or when the file is closed; one that is not
what its minutes say is made again.  There, a device that came is taken to have rested before.  Nothing is
remembered that is not in the file, so it does not matter when the recorder ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import compress, groupby
from operator import mul, not_
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent
from zmon.event import Event, What
from zmon.store.rows import event_row, insert_events, words
from zmon.tables.table import Table
from zmon.trends.active import Reduction
from zmon.trends.kept import SECONDS, all_kept, filling, keep, labels

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from zmon.absent import Number
    from zmon.interval import Interval
    from zmon.trends.active import Group, Stretch
    from zmon.trends.kept import Figure, Kept

MINUTE: Final = 60
QUARTER: Final = 900
NS: Final = 1_000_000_000
THOUSAND: Final = 1000

LARGEST: Final = 1e15
"""Whatever is beyond was not measured."""

PAUSE: Final = 60 * NS
"""A limit that is not exceeded for no longer than this has not ceased to be."""

Row = tuple["int | None", ...]
"""Of each figure its count, weight, sum, minimum and maximum."""


NOTHING: Final[Row] = (0, None, None, None, None)
"""What is kept of a figure that is not known."""


def minute_of(interval: Interval) -> int:
    """Return the minute that the middle of an interval lies in: its begin, in seconds since 1970."""
    before = interval.before or interval.after
    return (before.at.utc + interval.after.at.utc) // 2 // (MINUTE * NS) * MINUTE


Known = Sequence[Mapping[str, frozenset[int]]]
"""For each screen, by key, the figures that are known to be 0 where the thing is left out."""

Rest = Mapping[int, tuple[int, float]]
"""For each figure in how many intervals it was 0, and how long."""


class Thing:
    """What was seen of one thing in a minute."""

    __slots__ = ("columns", "places", "seconds")

    def __init__(self, columns: int) -> None:
        """Begin with nothing."""
        self.seconds: list[float] = []
        self.places: list[int] = []
        """The numbers of the intervals in the minute."""
        self.columns: list[list[Number]] = [[] for _ in range(columns)]

    def began(self, figures: Sequence[Figure]) -> list[int]:
        """Return the rates that were known from the first interval on, and so at the sample before it."""
        rates = [at for at, figure in enumerate(figures) if figure.weight == SECONDS]
        return [at for at in rates if self.columns[at][0].__class__ is not Absent]


class Minute:
    """The intervals of a minute, and of each screen what was seen in them."""

    def __init__(self, kept: Sequence[Kept]) -> None:
        """Begin with nothing."""
        self._kept = kept
        self.spans: list[tuple[int, int]] = []
        self.seconds: list[float] = []
        self.things: list[dict[str, Thing]] = [{} for _ in kept]
        self.known: list[tuple[int, Known]] = []
        """From which interval on what was known of things that are left out because they did nothing."""

    def add(self, group: Group, known: Known) -> None:
        """Add intervals."""
        place = len(self.spans)
        if not self.known or self.known[-1][1] is not known:
            self.known.append((place, known))
        tables: list[list[Table]] = [[] for _ in self._kept]
        for interval in group.intervals:
            before = interval.before or interval.after
            self.spans.append((before.at.utc, interval.after.at.utc))
            self.seconds.append(float(interval.seconds))  # type: ignore[arg-type]  # no gap is among them
            # all of one interval together: they share what is made of it
            for one, filled in zip(self._kept, tables, strict=True):
                filled.append(figures(one, interval))
        for things, one, filled in zip(self.things, self._kept, tables, strict=True):
            self._gather(things, wanted(one), filled, place)

    def _gather(
        self, things: dict[str, Thing], names: Sequence[str], tables: Sequence[Table], place: int
    ) -> None:
        for _, same in groupby(enumerate(tables, place), key=lambda pair: pair[1].keys):
            pairs = list(same)
            places = [at for at, _table in pairs]
            seconds = self.seconds[places[0] : places[-1] + 1]
            columns: list[Iterator[tuple[Number, ...]]] = [
                zip(*(table.column(name) for _at, table in pairs), strict=True) for name in names
            ]
            for key, *cells in zip(pairs[0][1].keys, *columns, strict=True):
                thing = things.get(key)
                if thing is None:
                    thing = things[key] = Thing(len(names))
                thing.places += places
                thing.seconds += seconds
                for column, values in zip(thing.columns, cells, strict=True):
                    column.extend(values)

    def rest(self, at: int, key: str, thing: Thing | None) -> Rest:
        """Return for each figure in how many intervals, and how long, it was left out because it was 0."""
        if not self._kept[at].idle:
            return {}
        seen = thing.places if thing is not None else []
        if len(self.known) == 1:
            count = len(self.seconds) - len(seen)
            seconds = sum(self.seconds) - (sum(thing.seconds) if thing is not None else 0)
            return dict.fromkeys(self.known[0][1][at].get(key, ()), (count, seconds)) if count else {}
        found: dict[int, tuple[int, float]] = {}
        for place in set(range(len(self.seconds))).difference(seen):
            known = next(known for begin, known in reversed(self.known) if begin <= place)
            for figure in known[at].get(key, ()):
                count, seconds = found.get(figure, (0, 0.0))
                found[figure] = (count + 1, seconds + self.seconds[place])
        return found


def figures(kept: Kept, interval: Interval) -> Table:
    """Return the table of a screen with nothing but the columns that trends need."""
    filled = filling(kept.table)
    return Table([], {}) if filled is None else filled(interval)


@lru_cache
def wanted(kept: Kept) -> list[str]:
    """Return the columns that the figures of a screen are made of."""
    weights = [figure.weight for figure in kept.figures if figure.weight != SECONDS]
    return list(dict.fromkeys([*(figure.name for figure in kept.figures), *weights]))


def summed(kept: Kept, thing: Thing) -> Row:
    """Return what is kept of a thing."""
    columns = dict(zip(wanted(kept), thing.columns, strict=True))
    weights: dict[str, Weights] = {SECONDS: Weights(thing.seconds)}
    found: list[int | None] = []
    for figure in kept.figures:
        known = weights.get(figure.weight)
        if known is None:
            known = weights[figure.weight] = Weights(list(map(mul, columns[figure.weight], thing.seconds)))
        found += aggregate(columns[figure.name], known)
    return tuple(found)


class Weights:
    """What some values weigh."""

    def __init__(self, weights: Sequence[Number]) -> None:
        """Add them once."""
        self.each = weights
        self.sum: Number = sum(weights)


def aggregate(values: Sequence[Number], weights: Weights) -> Row:
    """Return count, weight, sum, minimum and maximum of what is there, in thousandths but for the count."""
    products = list(map(mul, values, weights.each))
    total: Number = sum(products)
    weight = weights.sum
    if total.__class__ is Absent:
        known = [product.__class__ is not Absent for product in products]
        values, products = list(compress(values, known)), list(compress(products, known))
        if not products:
            return NOTHING
        total, weight = sum(products), sum(compress(weights.each, known))
    found = (weight, total, min(values), max(values))
    if not all(-LARGEST < number < LARGEST for number in found):
        return NOTHING
    return len(products), *(round(THOUSAND * number) for number in found)  # type: ignore[arg-type]  # none is absent


def rested(row: Row, rest: Rest) -> Row:
    """Return a row with some intervals more in which nothing happened."""
    if not rest:
        return row
    found: list[int | None] = []
    for at, told in enumerate(parts(row)):
        if at not in rest:
            found += told
            continue
        count, seconds = rest[at]
        found += merged(told, (count, round(THOUSAND * seconds), 0, 0, 0))
    return tuple(found)


def merged(one: Row, other: Row) -> Row:
    """Return two rows of the same minute as one."""
    found: list[int | None] = []
    for a, b in zip(parts(one), parts(other), strict=True):
        if not a[0] or not b[0]:
            found += a if a[0] else b
            continue
        found += [
            a[0] + b[0], (a[1] or 0) + (b[1] or 0), (a[2] or 0) + (b[2] or 0),
            min(a[3] or 0, b[3] or 0), max(a[4] or 0, b[4] or 0),
        ]  # fmt: skip
    return tuple(found)


def parts(row: Row) -> Iterator[Row]:
    """Yield the five parts of each figure."""
    for at in range(0, len(row), 5):
        yield row[at : at + 5]


def silent(row: Row, figures: Sequence[Figure], intervals: int) -> bool:
    """Tell whether a row says that nothing happened, and that it is sure of it."""
    told = 0
    for figure, (many, _weight, total, _low, high) in zip(figures, parts(row), strict=True):
        if figure.weight == SECONDS and many:
            told += 1
            if total or high or many < intervals:
                return False
    return told > 0


class Beyond(NamedTuple):
    """A value that is beyond its limit in one interval."""

    kept: Kept
    figure: Figure
    key: str
    begin: int
    end: int
    value: float


class Made(NamedTuple):
    """What is to be written."""

    rows: Mapping[str, Sequence[tuple[object, ...]]]
    """By table."""
    labels: Mapping[tuple[str, str], str]
    """Of things that are new: by screen and key."""
    beyond: Sequence[Beyond]
    until: int
    """The end of the last interval, in seconds since 1970; 0 if there is none."""


class Rollups:
    """Makes and writes the roll-ups of one recording."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Make the tables that lack.

        Raises:
            sqlite3.Error: they cannot be written.
        """
        self._kept = all_kept()
        keep(connection, self._kept)
        self._known: Known | None = None
        self._things: dict[tuple[str, str], int] = {}
        self._exceeded: dict[tuple[str, str, str], tuple[int, Event, float]] = {}
        """By screen, figure and key the last event: its number, what it says, and the highest value."""

    def _numbers(self, connection: sqlite3.Connection) -> None:
        """Read the numbers of things, if they are not known."""
        if not self._things:
            self._things = {
                (str(screen), str(name)): int(number)
                for number, screen, name in connection.execute("SELECT id, screen, name FROM thing")
            }

    def forget(self) -> None:
        """Forget what was written in a transaction that was rolled back."""
        self._things, self._exceeded = {}, {}

    # make

    def make(
        self, connection: sqlite3.Connection, stretch: Stretch, give_way: Callable[[], object] = bool
    ) -> Made:
        """Return what is to be written of some samples; `give_way` is called at each step of the work."""
        self._numbers(connection)
        kept = self._kept
        minutes: dict[int, Minute] = {}
        named: dict[tuple[str, str], str] = {}
        until = 0
        nobody, before = [dict[str, frozenset[int]]() for _ in kept], self._known
        for group in Reduction(stretch).groups(minute_of):
            give_way()
            if not group.cut:
                self._known = None
            elif self._known is None:
                self._known = [_resting(one, group) for one in kept]
            if not group.intervals:
                continue
            number = minute_of(group.intervals[0])
            minute = minutes.get(number)
            if minute is None:
                minute = minutes[number] = Minute(kept)
            minute.add(group, self._known or nobody)
            named |= self._labels(kept, minute, group, named)
            until = max(until, group.intervals[-1].after.at.utc // NS)
        rows: dict[str, list[tuple[object, ...]]] = {"minute": []}
        beyond: list[Beyond] = []
        for number, minute in sorted(minutes.items()):
            give_way()
            self._finish(connection, kept, number, minute, rows, before)
            beyond += _beyond(kept, minute)
        return Made(rows, named, beyond, until)

    def _labels(
        self, kept: Sequence[Kept], minute: Minute, group: Group, known: Mapping[tuple[str, str], str]
    ) -> dict[tuple[str, str], str]:
        """Return the labels of things that are new."""
        found: dict[tuple[str, str], str] = {}
        for one, things in zip(kept, minute.things, strict=True):
            new = [
                key
                for key in things
                if (one.screen, key) not in self._things and (one.screen, key) not in known
            ]
            if not new:
                continue
            told = labels(one, group.intervals[-1])
            for key in new:
                label = told.get(key, "")
                found[one.screen, key] = label if isinstance(label, str) else ""
        return found

    def _finish(  # noqa: PLR0913, PLR0917 - what is added to what
        self,
        connection: sqlite3.Connection,
        kept: Sequence[Kept],
        number: int,
        minute: Minute,
        rows: dict[str, list[tuple[object, ...]]],
        before: Known | None,
    ) -> None:
        """Add what is known of a minute to what the file has of it."""
        had = connection.execute(
            "SELECT seconds, intervals, begin, end FROM minute WHERE minute = ?", (number,)
        ).fetchone()
        earlier = (had[1], had[0] / THOUSAND) if had else (0, 0.0)
        known = before or minute.known[0][1]
        starts: int | None = None
        for at, one in enumerate(kept):
            written = {
                thing: row
                for thing, *row in connection.execute(
                    f"SELECT thing, {', '.join(one.columns)} FROM {one.minutes} WHERE minute = ?",  # noqa: S608 - names of screens
                    (number,),
                )
            }
            place = next((i for i, figure in enumerate(one.figures) if figure.name == "io"), None)
            for key, row in self._rows(one, at, minute, written, (earlier, known[at])):
                rows.setdefault(one.minutes, []).append((number, (one.screen, key), *row))
                if place is not None and one.screen == "DEVICE" and row[5 * place]:
                    starts = (starts or 0) + (row[5 * place + 2] or 0)
            if place is not None and one.screen == "DEVICE" and starts is None and known[at]:
                starts = 0
        begin, end = min(span[0] for span in minute.spans), max(span[1] for span in minute.spans)
        seconds, intervals = round(sum(minute.seconds) * THOUSAND), len(minute.seconds)
        if had:
            seconds, intervals, begin, end = (
                seconds + had[0], intervals + had[1], min(begin, had[2]), max(end, had[3]),
            )  # fmt: skip
        rows["minute"].append((number, seconds, intervals, begin, end, starts))

    def _rows(
        self,
        one: Kept,
        at: int,
        minute: Minute,
        written: dict[int, list[int | None]],
        earlier: tuple[tuple[int, float], Mapping[str, frozenset[int]]],
    ) -> Iterator[tuple[str, Row]]:
        """Yield the rows of a minute of one screen."""
        things, figures = minute.things[at], one.figures
        (intervals, seconds), known = earlier
        for key, thing in things.items():
            row = rested(summed(one, thing), minute.rest(at, key, thing))
            number = self._things.get((one.screen, key))
            had = None if number is None else written.get(number)
            if had is not None:
                row = merged(row, tuple(had))
            elif intervals and one.idle:
                row = rested(row, dict.fromkeys(known.get(key, thing.began(figures)), (intervals, seconds)))
            if had is None and one.idle and silent(row, figures, intervals + len(minute.seconds)):
                continue
            if had is None and number is None and not any(row[::5]) and key not in known:
                continue  # nothing was ever known of it
            yield key, row
        for (screen, key), number in self._things.items():
            if screen != one.screen or key in things:
                continue
            had = written.get(number)
            rest = minute.rest(at, key, None)
            if had is not None:
                yield key, rested(tuple(had), rest)
                continue
            row = rested(NOTHING * len(figures), rest)
            if not silent(row, figures, len(minute.seconds)):
                yield key, row  # it was gone, or nothing is known of it

    # write

    def write(self, connection: sqlite3.Connection, made: Made) -> None:
        """Write what was made, within the transaction of the caller."""
        for table, rows in made.rows.items():
            if not rows:
                continue
            told: Iterable[tuple[object, ...]] = rows
            names = ["minute", "seconds", "intervals", "begin", "end", "io"]
            if table != "minute":
                names = next(["minute", "thing", *one.columns] for one in self._kept if one.minutes == table)
                told = [(row[0], self._number(connection, row[1], made.labels), *row[2:]) for row in rows]  # type: ignore[arg-type]  # a screen and a key
            marks = ", ".join("?" * len(names))
            connection.executemany(
                f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({marks})",  # noqa: S608 - names of screens
                told,
            )
        self._write_beyond(connection, made.beyond)
        if made.until:
            self.write_quarters(connection, made.until)

    def _number(
        self, connection: sqlite3.Connection, thing: tuple[str, str], labels: Mapping[tuple[str, str], str]
    ) -> int:
        number = self._things.get(thing)
        if number is None:
            cursor = connection.execute(
                "INSERT INTO thing (screen, name, label) VALUES (?, ?, ?)",
                (*map(words, (*thing, labels.get(thing, ""))),),
            )
            number = self._things[thing] = cursor.lastrowid or 0
        return number

    def _write_beyond(self, connection: sqlite3.Connection, beyond: Sequence[Beyond]) -> None:
        """Write an event for each time that a limit was exceeded, or let the last one go on."""
        for one in beyond:
            place = (one.kept.screen, one.figure.name, one.key)
            number, last, high = self._exceeded.get(place, (0, None, 0.0))
            goes_on = last is not None and 0 <= one.begin - last.end <= PAUSE
            high = max(high, one.value) if goes_on else one.value
            begin = last.begin if last is not None and goes_on else one.begin
            event = Event(What.LIMIT, begin, one.end, one.key, _sentence(one, high), one.kept.screen)
            if goes_on:
                *_, end, _thing, _screen, text, checksum = event_row(event)
                connection.execute(
                    "UPDATE event SET end = ?, text = ?, crc = ? WHERE id = ?", (end, text, checksum, number)
                )
            else:
                number = insert_events(connection, [event])
            self._exceeded[place] = (number, event, high)

    def write_quarters(self, connection: sqlite3.Connection, until: int | None = None) -> None:
        """Make the quarters that are not what their minutes say: those over by `until`, else all of them."""
        stale = connection.execute(
            "SELECT m.minute / 900 * 900, sum(m.seconds), sum(m.intervals), count(*), q.seconds, q.intervals"
            " FROM minute m LEFT JOIN quarter q ON q.quarter = m.minute / 900 * 900 GROUP BY 1"
        ).fetchall()
        for quarter, seconds, intervals, minutes, *was in stale:
            if was == [seconds, intervals] or (until is not None and quarter + QUARTER > until):
                continue
            told = {"q": quarter, "seconds": seconds, "intervals": intervals, "minutes": minutes}
            connection.execute(
                "INSERT OR REPLACE INTO quarter (quarter, seconds, intervals, begin, end, io)"
                " SELECT :q, sum(seconds), sum(intervals), min(begin), max(end), sum(io)"
                " FROM minute WHERE minute >= :q AND minute < :q + 900",
                told,
            )
            for one in self._kept:
                connection.execute(_quarters(one), told)

    def finish(self, connection: sqlite3.Connection) -> None:
        """Make the quarters that are not over yet, because the file is closed."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            self.write_quarters(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _quarters(kept: Kept) -> str:
    """Return the statement that makes a quarter of its minutes; a thing without a row in one did nothing."""
    told = []
    for figure in kept.figures:
        count, weight, total, low, high = (f"r.{name}" for name in figure.columns)
        if kept.idle and figure.weight == SECONDS:
            told += [
                f"sum({count}) + CASE WHEN sum({count}) THEN :intervals - sum(m.intervals) ELSE 0 END",
                f"sum({weight}) + :seconds - sum(m.seconds)",
                f"sum({total})",
                f"CASE WHEN count(*) < :minutes THEN min(0, min({low})) ELSE min({low}) END",
                f"max({high})",
            ]
        else:
            told += [f"sum({count})", f"sum({weight})", f"sum({total})", f"min({low})", f"max({high})"]
    return (
        f"INSERT OR REPLACE INTO {kept.quarters} (thing, quarter, {', '.join(kept.columns)})"  # noqa: S608 - names of screens
        f" SELECT r.thing, :q, {', '.join(told)}"
        f" FROM {kept.minutes} r JOIN minute m ON m.minute = r.minute"
        " WHERE r.minute >= :q AND r.minute < :q + 900 GROUP BY r.thing"
    )


def _resting(kept: Kept, group: Group) -> dict[str, frozenset[int]]:
    """Return the things of a screen of which something is known, and which figures that are rates."""
    if not kept.idle:
        return {}
    table = figures(kept, group.whole())
    rates = [at for at, figure in enumerate(kept.figures) if figure.weight == SECONDS]
    values = zip(*(table.column(kept.figures[at].name) for at in rates), strict=True)
    every = frozenset(rates)
    found: dict[str, frozenset[int]] = {}
    for key, told in zip(table.keys, values, strict=True):
        lacking = [value.__class__ is Absent for value in told]
        known = frozenset(compress(rates, map(not_, lacking))) if any(lacking) else every
        if known:
            found[key] = known
    return found


def _beyond(kept: Sequence[Kept], minute: Minute) -> list[Beyond]:
    """Return all values of a minute that are beyond their limits, in the order of time."""
    found = []
    for one, things in zip(kept, minute.things, strict=True):
        for at, figure in enumerate(one.figures):
            bad = figure.bad
            if bad is None:
                continue
            for key, thing in things.items():
                values = thing.columns[at]
                for place, value in zip(thing.places, values, strict=True):
                    if value > bad and not isinstance(value, Absent):
                        found.append(Beyond(one, figure, key, *minute.spans[place], value))
    return sorted(found, key=lambda beyond: beyond.begin)


def _sentence(beyond: Beyond, high: float) -> str:
    """Say what was exceeded, and by how much."""
    unit = f" {beyond.figure.unit}" if beyond.figure.unit else ""
    return (
        f"{beyond.kept.screen} {beyond.key}: {beyond.figure.head} above {beyond.figure.bad:g}{unit},"
        f" at most {high:.1f}{unit}"
    )
