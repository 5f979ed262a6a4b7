"""Exceptions in a recording: written as it is recorded, so that nothing has to be judged when it is opened.

Each is an event, which older versions of zmon show as well, and a row of the table `exception` with all that
is known of it.  The table `judged` says from when to when samples were judged, by which rules (a digest), and
why rules could not be judged.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent
from zmon.base.event import BAD, INTERRUPTED, LOOK, OPEN, ExceptionEntry
from zmon.base.record import NamedTuple
from zmon.interval import Interval
from zmon.machine.topology import has_more_lcus
from zmon.machine.view import View, no_inputs
from zmon.rule.bounds import quiet
from zmon.rule.grammar import usable_rules
from zmon.rule.watch import NO_LIMIT, NO_MEAN, Watch, event_of
from zmon.store.file_format import add_rows, crc_of, event_row, insert_events, row_crc, seal_schema
from zmon.trends.trend_tables import column_names

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.rule.grammar import Rule
    from zmon.sample import Sample
    from zmon.store.reader import Recording
    from zmon.tables.table import Table

TABLES: Final = {
    "exception": "CREATE TABLE exception (event INTEGER PRIMARY KEY, entry TEXT NOT NULL, crc INTEGER)",
    "judged": (
        "CREATE TABLE judged (id INTEGER PRIMARY KEY, begin INTEGER, end INTEGER, rules TEXT, crc INTEGER)"
    ),
}
FIELDS: Final = {
    "rule": str, "digest": str, "table": str, "key": str, "where": str, "begin": int, "end": int,
    "level": int,
    "worst": (int, float, str), "worst_begin": int, "worst_end": int, "limit": (int, float, type(None)),
    "mean": (int, float, type(None)), "intervals": int, "sentence": str, "cause": str, "weight": (int, float),
    "group": str, "state": str,
}  # fmt: skip
"""What is stored of an exception, and of which type."""
LONGEST: Final = 4096
"""Characters of a stored text at most."""


class ExceptionWriter:
    """Judges samples as they are recorded, and writes the exceptions of one recording."""

    def __init__(self) -> None:
        """Know nothing yet."""
        rules, _ = usable_rules()
        self._watch = Watch(rules, no_inputs)
        self._digest = digest_of(rules)
        self._written: dict[tuple[str, str, int], tuple[int, ExceptionEntry]] = {}
        """By rule, row and begin: the number of the event in the file, and what is written there."""
        self._new: dict[tuple[str, str, int], tuple[int, ExceptionEntry]] = {}
        """The same of what was written in a transaction that is not known to be safe."""
        self._begin = self._end = 0

    def open(self, connection: sqlite3.Connection) -> None:
        """Make the tables that lack; what an earlier recorder left open was interrupted.

        Raises:
            sqlite3.Error: they cannot be written.
        """
        lacking = [name for name in TABLES if not column_names(connection, name)]
        for name in lacking:
            connection.execute(TABLES[name])
        if lacking:
            seal_schema(connection)
        for number, text in connection.execute(
            f"SELECT event, entry FROM exception WHERE {RIGHT}"  # noqa: S608 - ours
        ).fetchall():
            entry = entry_of(text)
            if entry is not None and entry.state == OPEN:
                _insert(connection, number, text_of(entry._replace(state=INTERRUPTED)))

    def follow(self, interval: Interval, tables: Mapping[str, Table]) -> None:
        """Judge the next interval; `tables` are those of the trends, where they are filled."""
        if "control_unit" in tables and has_more_lcus(View(interval, inputs=no_inputs)):
            tables = {name: table for name, table in tables.items() if name != "control_unit"}
        self._watch.follow(interval, quiet(self._watch.rules, tables))
        begin = interval.after if interval.before is None else interval.before
        self._begin = self._begin or begin.at.utc
        self._end = interval.after.at.utc

    @property
    def open_now(self) -> tuple[ExceptionEntry, ...]:
        """The exceptions that are open after the last interval, the heaviest first."""
        return tuple(self._watch.open())

    def changed(self) -> list[ExceptionEntry]:
        """Return what is not in the file as it is now."""
        written = self._written
        return [entry for entry in self._watch.log() if written.get(_place(entry), (0, None))[1] != entry]

    def written(self) -> None:
        """Take what was written last as safe."""
        self._written |= self._new
        self._new = {}

    def failed(self) -> None:
        """Forget what was written last: it was rolled back."""
        self._new = {}

    def write(self, connection: sqlite3.Connection, entries: Iterable[ExceptionEntry]) -> None:
        """Write exceptions, within the transaction of the caller."""
        for entry in entries:
            number, _ = self._written.get(_place(entry), (0, None))
            event = event_of(entry)
            if number:
                *_, end, _thing, _screen, text, checksum = event_row(event)
                connection.execute(
                    "UPDATE event SET end = ?, text = ?, crc = ? WHERE id = ?", (end, text, checksum, number)
                )
            else:
                number = insert_events(connection, [event])
                add_rows(connection, "exception", 1)
            _insert(connection, number, text_of(entry))
            self._new[_place(entry)] = number, entry
        if self._end:
            unknown = {name: why.reason for name, why in self._watch.unknown.items()}
            rules = json.dumps({"digest": self._digest, "unknown": unknown})
            had = connection.execute("SELECT begin FROM judged WHERE id = 1").fetchone()
            row = (1, had[0] if had else self._begin, self._end, rules)
            connection.execute(
                "INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?, ?)", (*row, row_crc("judged", *row))
            )


class ExceptionCompanion:
    """Writes the exceptions of one recording, and no roll-ups; see `zmon.store.writer.Companion`."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._exceptions = ExceptionWriter()
        self.open, self.written, self.failed = (
            self._exceptions.open, self._exceptions.written, self._exceptions.failed,
        )  # fmt: skip

    def follow(self, before: Sample, after: Sample) -> None:
        """Judge the interval between two samples."""
        self._exceptions.follow(Interval(before, after), {})

    def make(self, _connection: sqlite3.Connection, _give_way: Callable[[], object]) -> object:
        """Return the exceptions that are to be written."""
        return self._exceptions.changed()

    def write(self, connection: sqlite3.Connection, made: object) -> None:
        """Write them, within the transaction of the caller."""
        assert isinstance(made, list)  # noqa: S101 - `make` made it
        self._exceptions.write(connection, made)

    def finish(self, _connection: sqlite3.Connection) -> None:
        """Nothing waits for the end."""


RIGHT: Final = f"crc IS {crc_of('exception', ('event', 'entry'))}"
"""Of rows of `exception` those that are as they were written."""


def _insert(connection: sqlite3.Connection, number: int, text: str) -> None:
    row = (number, text)
    connection.execute(
        "INSERT OR REPLACE INTO exception VALUES (?, ?, ?)", (*row, row_crc("exception", *row))
    )


def _place(entry: ExceptionEntry) -> tuple[str, str, int]:
    return entry.rule, entry.key, entry.begin


def text_of(entry: ExceptionEntry) -> str:
    """Write an exception as JSON."""
    values = {name: getattr(entry, name) for name in FIELDS}
    return json.dumps({name: None if isinstance(value, Absent) else value for name, value in values.items()})


def entry_of(text: object) -> ExceptionEntry | None:
    """Read an exception from JSON; None if it is none."""
    try:
        data: Any = json.loads(text) if isinstance(text, str) and len(text) < 8 * LONGEST else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.keys() != FIELDS.keys() or not all(map(_is_sound, data.items())):
        return None
    times = [data[name] for name in ("begin", "worst_begin", "worst_end", "end")]
    if data["level"] not in {LOOK, BAD} or times != sorted(times) or not 0 <= times[0] <= times[-1] < 1 << 62:
        return None
    data["limit"] = NO_LIMIT if data["limit"] is None else data["limit"]
    data["mean"] = NO_MEAN if data["mean"] is None else data["mean"]
    return ExceptionEntry(**data)


def _is_sound(pair: tuple[str, Any]) -> bool:
    """Return whether a stored value has its type, and is not too long."""
    name, value = pair
    types: Any = FIELDS[name]
    if not isinstance(value, types) or isinstance(value, bool):
        return False
    return len(value) <= LONGEST if isinstance(value, str) else value is None or abs(value) < 1e300


# reading


def digest_of(rules: Iterable[Rule]) -> str:
    """Return a few characters that change with any of some rules."""
    return blake2b("".join(rule.digest for rule in rules).encode(), digest_size=4).hexdigest()


class StoredExceptions(NamedTuple):
    """What recordings store of exceptions."""

    entries: list[ExceptionEntry]
    until: int
    """Up to when samples were judged, UTC in ns."""
    unknown: Mapping[str, Absent]
    """Why rules could not be judged, by name, in the last recording."""
    digests: frozenset[str] = frozenset()
    """Those of the rules by which the recordings were judged."""


# why exceptions are not known
NOT_STORED: Final = absent("exceptions were not recorded")
NOT_YET: Final = absent("nothing was judged yet when it was recorded")
LATER: Final = absent("its first samples were not judged when they were recorded")
DAMAGED_THERE: Final = absent("what is stored of exceptions is damaged")


def stored(recordings: Sequence[Recording]) -> StoredExceptions | Absent:
    """Return the exceptions that recordings store; why not, if one was not judged when it was recorded.

    Raises:
        RecordingError: one cannot be read.
    """
    entries: list[ExceptionEntry] = []
    until = 0
    unknown: dict[str, Absent] = {}
    digests = set()
    damaged = [is_damaged(recording) for recording in recordings]  # of all, so that each remembers it
    if any(damaged):
        return DAMAGED_THERE
    for recording in recordings:
        span = recording.span()
        if not _has_tables(recording) or span is None:
            return NOT_STORED
        judged = recording.ask("SELECT begin, end, rules FROM judged WHERE id = 1")
        if not judged or not all(isinstance(value, int) for value in judged[0][:2]):
            return NOT_YET
        if judged[0][0] > span[0]:
            return LATER
        until, unknown = int(judged[0][1]), unknown_of(judged[0][2])
        digests.add(str(_told(judged[0][2]).get("digest", "")))
        rows = recording.ask("SELECT entry FROM exception ORDER BY event")
        entries += [entry for (text,) in rows if (entry := entry_of(text)) is not None]
    return StoredExceptions(_joined(entries), until, unknown, frozenset(digests))


def _has_tables(recording: Recording) -> bool:
    """Return whether exceptions were stored when the samples were recorded."""
    question = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)"
    return bool(recording.ask(question, *TABLES)[0][0] == len(TABLES))


LOST: Final = (
    "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM judged WHERE id = 1) AND EXISTS (SELECT 1 FROM exception)"
)
"""Asks whether `judged` lacks its row: exceptions are written with it, in one transaction."""
LOST_SINCE_3: Final = (
    "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM judged WHERE id = 1) AND (EXISTS (SELECT 1 FROM exception)"
    " OR EXISTS (SELECT 1 FROM table_rows WHERE name IN ('exception', 'minute')))"
)
"""The same since format 3, where each writer of minutes judges; older files may have been begun by one that
did not."""


def is_damaged(recording: Recording) -> bool:
    """Return whether what a recording stores of exceptions is damaged, and remember it there.

    Raises:
        RecordingError: it cannot be read.
    """
    if not _has_tables(recording):
        return False
    if recording.ask(LOST_SINCE_3 if recording.covers else LOST):
        recording.note_everywhere("the table judged has 0 of 1 rows")
        return True
    if not recording.covers:
        return False
    judged = crc_of("judged", ("id", "begin", "end", "rules"))
    wrong = recording.ask(
        f"SELECT 1 FROM exception WHERE NOT ({RIGHT})"  # noqa: S608 - ours
        f" UNION ALL SELECT 1 FROM judged WHERE crc IS NOT {judged}"
    )
    if wrong:
        recording.note_everywhere("stored exceptions are damaged: they are judged anew")
    return bool(wrong or recording.miss_rows("exception"))


def unknown_of(text: object) -> dict[str, Absent]:
    """Return why rules could not be judged from what is stored of them; empty if that is none."""
    unknown = _told(text).get("unknown")
    if not isinstance(unknown, dict):
        return {}
    return {name: absent(why) for name, why in unknown.items() if isinstance(why, str)}


def _told(text: object) -> dict[str, Any]:
    """Return what is stored of the rules; empty if that cannot be read."""
    try:
        data: Any = json.loads(text) if isinstance(text, str) and len(text) < 8 * LONGEST else None
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _joined(entries: Iterable[ExceptionEntry]) -> list[ExceptionEntry]:
    """Put together what was open at the end of one file and went on in the next."""
    joint: dict[tuple[str, str], list[ExceptionEntry]] = {}
    for entry in entries:
        same = joint.setdefault((entry.rule, entry.key), [])
        last = same[-1] if same else None
        if last is None or last.state != OPEN or entry.begin < last.end:
            same.append(entry)
            continue
        if entry.begin > last.end + (last.end - last.begin) // max(
            last.intervals, 1
        ):  # there were others between
            same[-1] = last._replace(state=INTERRUPTED)
            same.append(entry)
            continue
        worse = max(last, entry, key=lambda entry: entry.level)
        same[-1] = worse._replace(
            begin=last.begin, end=entry.end, intervals=last.intervals + entry.intervals, state=entry.state
        )
    return [entry for same in joint.values() for entry in same]
