"""Facts of a recording: time span, size, machine, kinds, state; for `zmon info`.

A file that is damaged, or of a newer zmon, is described as far as it can be read.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
from collections import Counter
from contextlib import closing, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.absent import Absent
from zmon.base.clock import END_OF_TIME
from zmon.base.event import Event, What
from zmon.kinds import MACHINE
from zmon.recorder.forecast import measured
from zmon.recorder.lock import running
from zmon.store.changes import events_between
from zmon.store.day import days
from zmon.store.file_format import NO_RECORDING, RecordingError, head_of, is_recording
from zmon.store.open import LIVE, UNCHANGED, Trouble, connect, cut_off, no_file
from zmon.store.reader import Recording

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.sample import Sample

VERSION_AT: Final = 60
"""Offset of the user version in a file of SQLite: four bytes, big-endian."""


MACHINE_FIELDS: Final = (
    "manufacturer", "type", "model", "sequence", "lpar_name", "control_program", "guest_name", "hostname",
    "kernel", "architecture",
)  # fmt: skip
"""The fields that identify a machine."""

PARTS: Final = {
    "still": "columns that stand still",
    "tail": "tail",
    "sample": "times of samples",
    "event": "events and changes",
    "change": "events and changes",
    "layout": "dictionary",
    "kind": "dictionary",
    "field": "dictionary",
    "session": "dictionary",
    "about": "dictionary",
}
ROLLED: Final = "roll-ups"
REST: Final = "space between and free"


class KindRows(NamedTuple):
    """Size of a kind in the last sample."""

    rows: int
    columns: int
    missing: str = ""
    """Reason why there are no rows."""


class RecordingInfo(NamedTuple):
    """Facts of one file."""

    path: str
    size: int
    """Bytes, with those of the files that SQLite keeps beside it."""
    format: int | None
    """None: not a recording."""
    problem: str = ""
    """Reason why no more is known."""
    cause: str = ""
    """The same without the name of the file, where that has it."""
    begin: int | None = None
    """UTC in ns of the first sample."""
    end: int | None = None
    samples: int = 0
    nominal: float = 0.0
    """Intended interval in seconds."""
    typical: float = 0.0
    """Median interval in seconds."""
    sources: Sequence[str] = ()
    simulated: bool = False
    machine: Mapping[str, object] = {}
    kinds: Mapping[str, KindRows] = {}
    events: Mapping[str, int] = {}
    gaps: float = 0.0
    """Seconds without samples."""
    parts: Mapping[str, int] = {}
    """Bytes by purpose."""
    writer: str = ""
    """The process that writes to it."""
    damage: tuple[str, ...] = ()
    """What of it was found damaged while these facts were read."""

    @property
    def per_sample(self) -> float | None:
        """Bytes."""
        return self.size / self.samples if self.samples else None

    @property
    def per_day(self) -> float | None:
        """Bytes of a whole day at this rate: the estimate of the recorder."""
        seconds = self.typical or self.nominal
        costs = measured(self.size, None, self.samples, round(seconds * 1e9)) if seconds else None
        return None if costs is None else costs.day


def recording_info(path: str) -> RecordingInfo:
    """Return the facts of one file.

    Raises:
        OSError: it does not exist or may not be read.
    """
    about = os.stat(path)
    if not stat.S_ISREG(about.st_mode):
        return RecordingInfo(path, 0, None, no_file(about.st_mode))
    size = about.st_size
    for ending in ("-wal", "-journal"):
        with suppress(OSError):
            size += os.stat(path + ending).st_size
    head = head_of(path, 100)
    if not is_recording(path):
        return RecordingInfo(path, size, None, NO_RECORDING if head else "an empty file")
    info = RecordingInfo(
        path, size, int.from_bytes(head[VERSION_AT : VERSION_AT + 4], "big"), writer=writer(path)
    )
    try:
        with closing(Recording(path)) as recording:
            info = _of_samples(info, recording)
            lost = recording.lost_end()
            texts = (*(hole.text for hole in recording.holes), *info.damage, *([lost] if lost else ()))
            return info._replace(damage=tuple(dict.fromkeys(texts)))
    except RecordingError as error:
        return _without_samples(info)._replace(problem=str(error), cause=error.of(path))


def writer(path: str) -> str:
    """Return a description of the process that writes to a file; empty if there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = _holder(os.fstat(fd).st_ino)
        recorder = running(os.path.dirname(path) or ".")
        if recorder is not None and pid in {0, recorder.pid}:
            return recorder.words
        return f"process {pid}" if pid else "another process"
    except OSError:
        return ""
    else:
        return ""
    finally:
        os.close(fd)


def _holder(inode: int) -> int:
    """Return the process that holds the lock on a file, from /proc/locks; 0 if unknown."""
    with suppress(OSError, ValueError), open("/proc/locks", encoding="ascii", errors="replace") as locks:
        for line in locks:
            fields = line.split()
            if "FLOCK" in fields and "WRITE" in fields and f":{inode} " in line:
                return int(fields[fields.index("WRITE") + 1])
    return 0


def _of_samples(info: RecordingInfo, recording: Recording) -> RecordingInfo:
    """Add the facts from samples and events."""
    span = recording.span()
    last = _readable(recording)
    times = recording.times(-END_OF_TIME, END_OF_TIME)
    events = recording.events(-END_OF_TIME, END_OF_TIME)
    info = info._replace(
        samples=len(recording),
        begin=None if span is None else span[0],
        end=None if span is None else span[1],
        typical=_median([(later - earlier) / 1e9 for earlier, later in pairwise(times)]),
        events=dict(Counter(event.what.value for event in events)),
        gaps=_gap_seconds(events),
    )
    info = _with_parts(info)
    if last is None:
        return info
    rows = {name: KindRows(0, 0) for name in recording.kinds}
    for name, frame in last.frames.items():
        missing = "" if frame.missing is None else frame.missing.reason
        rows[name] = KindRows(len(frame.keys), len(frame.columns), missing)
    return info._replace(
        nominal=last.nominal,
        simulated=last.simulated,
        sources=(last.source,),
        machine=_machine(last),
        kinds=rows,
    )


def _readable(recording: Recording) -> Sample | None:
    """The last sample that can be read."""
    for number in range(len(recording) - 1, -1, -1):
        try:
            return recording.sample(number)
        except RecordingError:
            continue
    return None


def _machine(sample: Sample) -> dict[str, object]:
    frame = sample.frame(MACHINE)
    cells = {name: frame.cell("machine", name) for name in MACHINE_FIELDS if name in frame.kind.by_name}
    return {name: cell for name, cell in cells.items() if not isinstance(cell, Absent)}


def _gap_seconds(events: Iterable[Event]) -> float:
    return sum((event.end - event.begin) / 1e9 for event in events if event.what is What.GAP)


def _median(lengths: list[float]) -> float:
    return sorted(lengths)[len(lengths) // 2] if lengths else 0.0


# bytes

MAX_CHECKED: Final = 64 << 20
"""Bytes of a file up to which its pages are looked at, which takes a second for 300 MB."""


def _connect(path: str) -> sqlite3.Connection:
    """Open a file of any format, to count its bytes."""
    return connect(path, LIVE if os.path.exists(f"{path}-wal") else UNCHANGED)


def _with_parts(info: RecordingInfo) -> RecordingInfo:
    """Add the bytes by purpose; what cannot be counted belongs to the rest."""
    parts: Counter[str] = Counter()
    damage = [cut] if (cut := cut_off(info.path)) else []
    with suppress(*Trouble), closing(_connect(info.path)) as connection:
        tables = _tables(connection, damage)
        if info.size <= MAX_CHECKED and _query(connection, "PRAGMA quick_check(1)", damage) != [("ok",)]:
            damage.append("its pages are damaged")
        if "segment" in tables:
            question = "SELECT kind, sum(length(body)) FROM segment GROUP BY kind"
            for kind, size in _query(connection, question, damage):
                parts[f"segments of {kind}"] += size or 0
        sizes = _query(connection, "SELECT name, pgsize FROM dbstat WHERE aggregate = 1", damage)
        for name, size in sizes:
            table = tables.get(name)
            if table is not None and table != "segment":
                parts[PARTS.get(table, ROLLED)] += size
        if not sizes:  # this SQLite was built without it
            for table in {"still", "tail", "layout"} & tables.keys():
                question = f"SELECT sum(length(body)) FROM {table}"  # noqa: S608 - ours
                for (size,) in _query(connection, question, damage):
                    parts[PARTS[table]] += size or 0
    parts[REST] = max(0, info.size - parts.total())
    return info._replace(parts={name: size for name, size in parts.items() if size}, damage=tuple(damage))


def _tables(connection: sqlite3.Connection, damage: list[str]) -> dict[str, str]:
    """Return for each table and index the table that it belongs to; no view is ever queried."""
    rows = _query(connection, "SELECT name, tbl_name, sql, type FROM sqlite_master", damage)
    return {
        str(name): str(table)
        for name, table, sql, sort in rows
        if sort == "index" or (sort == "table" and str(sql).startswith("CREATE TABLE"))
    }


def _query(connection: sqlite3.Connection, question: str, damage: list[str]) -> list[tuple[Any, ...]]:
    """Return the rows of a query; none where the file is damaged, which is added to the `damage`."""
    try:
        return connection.execute(question).fetchall()
    except Trouble as error:
        if type(error) is sqlite3.DatabaseError:  # the others: this SQLite has no such table
            damage.append(str(error))
        return []


def _without_samples(info: RecordingInfo) -> RecordingInfo:
    """Add the facts of a file that cannot be opened as a recording."""
    with suppress(*Trouble), closing(_connect(info.path)) as connection:
        if "sample" in _tables(connection, []):
            question = "SELECT count(*), min(utc), max(utc) FROM sample"
            for count, begin, end in _query(connection, question, []):  # the problem is known
                if isinstance(begin, int) and isinstance(end, int):
                    info = info._replace(samples=count, begin=begin, end=end)
    return info


# directories


class DirectoryInfo(NamedTuple):
    """Facts of the day files of a directory."""

    path: str
    files: Sequence[RecordingInfo]
    strangers: Sequence[str]
    """Names of files that belong to no recording."""
    between: Sequence[Event]
    """Events between the files."""
    writer: str = ""

    @property
    def total(self) -> RecordingInfo:
        """All files as one."""
        used = [file for file in self.files if file.samples]
        last = used[-1] if used else RecordingInfo(self.path, 0, None)
        parts: Counter[str] = Counter()
        events = Counter(event.what.value for event in self.between)
        for file in self.files:
            parts.update(file.parts)
            events.update(file.events)
        begins = [file.begin for file in used if file.begin is not None]
        return last._replace(
            path=self.path,
            size=sum(file.size for file in self.files),
            begin=min(begins, default=None),
            samples=sum(file.samples for file in self.files),
            typical=_median([file.typical for file in used if file.typical]),
            events=dict(events),
            gaps=sum(file.gaps for file in self.files) + _gap_seconds(self.between),
            parts=dict(parts),
            writer=self.writer,
        )


def directory_info(path: str) -> DirectoryInfo:
    """Return the facts of the day files of a directory.

    Raises:
        OSError: it cannot be listed.
    """
    listing = days(path)
    files = []
    for day in listing.days:
        try:
            files.append(recording_info(day.path))
        except OSError as error:
            files.append(RecordingInfo(day.path, 0, None, error.strerror or str(error)))
    between: list[Event] = []
    for earlier, later in pairwise(file for file in files if file.samples and not file.problem):
        between += _events_between_files(earlier.path, later.path)
    recorder = running(path)
    return DirectoryInfo(path, files, listing.strangers, between, "" if recorder is None else recorder.words)


def _events_between_files(earlier: str, later: str) -> list[Event]:
    """Return gap, restart and clock change between two files."""
    with closing(Recording(earlier)) as before, closing(Recording(later)) as other:
        try:
            last, first = before.sample(len(before) - 1, ()), other.sample(0, ())
        except (RecordingError, IndexError):
            return []
        return [
            event
            for event in events_between(last, first)
            if event.what in {What.GAP, What.RESTART, What.CLOCK}
        ]
