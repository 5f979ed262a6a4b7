"""What it costs to look back: to any second of a day, to the next one, at one column of a day or a month.

    python -m benchmarks.seek [HOURS]

The recording is a day, one sample a second, of the machine of `benchmarks.load`: 4,096 devices, 275 active.

* Seek: a new connection, the sample of a second drawn at random, and every counter of all disks in it;
  against opening the same file and reading one blob of 4 KiB by its number.  Processor time, medians.
* Step: the sample after, with the same counters, from a recording that is open.
* One counter of one disk at every second of the day, sample by sample as charts read it; the same disk over
  thirty days from the roll-ups.  Against the seek.
* An hour played at x600: the interval and the DEVICE table of the position that playback is at, again and
  again, for the six seconds that there are; the longest time from one picture to the next.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final

from benchmarks.load import BEGIN, DEVICES, SECOND, day
from benchmarks.recording import told
from zmon.kinds import BLOCK
from zmon.machine.view import View
from zmon.session.cursor import Cursor
from zmon.session.recording import open_recording
from zmon.store.file_format import add_rows, crc_of
from zmon.store.open import connect
from zmon.store.reader import Recording
from zmon.tables.device import table
from zmon.trends.trend import Rollups, trend
from zmon.trends.trend_tables import column_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Sample

HOURS: Final = 24
LOOKS: Final = 60
STEPS: Final = 120
DAYS: Final = 30
BLOB: Final = 4096
HOUR: Final = 3600
RECORDED: Final = HOUR // 2
"""Seconds that are recorded; the rest of the day is copies of them, as in `benchmarks.load`."""
SPEED: Final = 600

SEEK_TARGET: Final = 25.0
STEP_TARGET: Final = 0.005
COLUMN_TARGET: Final = 150.0
MONTH_TARGET: Final = 10.0
PICTURE_TARGET: Final = 0.5
"""Seconds after which a picture would not look like one that moves."""
COUNTERS: Final = (
    "reads", "reads_merged", "sectors_read", "read_ms", "writes", "writes_merged", "sectors_written",
    "write_ms", "in_flight", "io_ms", "weighted_ms",
)  # fmt: skip
"""What every kernel counts of a disk."""


def cost(work: Callable[[], object], times: int = LOOKS) -> float:
    """Return the median processor time of some work, in seconds."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return statistics.median(found)


def look(sample: Sample) -> None:
    """Have every counter of all disks."""
    frame = sample.frame(BLOCK)
    for name in COUNTERS:
        if len(frame.column(name)) != DEVICES:
            raise ValueError("disks are missing")


def bare(path: str, blobs: int) -> None:
    """Open the file and read one blob by its number."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    number = 1 + secrets.randbelow(blobs)
    row = connection.execute("SELECT body FROM blob WHERE id = ?", (number,)).fetchone()
    if len(row[0]) != BLOB:
        raise ValueError("another blob")
    connection.close()


def with_blobs(path: str, blobs: int = 1000) -> int:
    """Put blobs of 4 KiB into the file, to have them read; return how many."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE blob (id INTEGER PRIMARY KEY, body BLOB)")
    connection.executemany("INSERT INTO blob (body) VALUES (?)", [(os.urandom(BLOB),) for _ in range(blobs)])
    connection.commit()
    connection.close()
    return blobs


def seek(path: str, samples: int) -> None:
    """Go to a second at random, with a new connection."""
    recording = Recording(path)
    look(recording.sample(recording.place(BEGIN + secrets.randbelow(samples) * SECOND)))
    recording.close()


def steps(path: str, samples: int) -> float:
    """Return the median processor time of a step to the neighbour, forwards and backwards."""
    recording = Recording(path)
    found = []
    for way in (1, -1):
        place = STEPS + secrets.randbelow(samples - 2 * STEPS)
        before = recording.sample(place)
        look(before)
        for step in range(1, STEPS):
            begin = time.process_time()
            after = recording.sample(place + way * step)
            look(after)
            found.append(time.process_time() - begin)
            before = after
    del before
    recording.close()
    return statistics.median(found)


def column(path: str, samples: int) -> None:
    """Read one counter of one disk at every second."""
    recording = Recording(path)
    key = recording.sample(0).frame(BLOCK).keys[secrets.randbelow(DEVICES)]
    keys = frozenset({key})
    frames = (recording.select(BLOCK.name, number, keys) for number in range(samples))
    if sum(frame is not None and len(frame.column("reads")) for frame in frames) != samples:
        raise ValueError("seconds are missing")
    recording.close()


def played(path: str) -> list[float]:
    """Play an hour at x600 as the glass does; return the seconds from each picture to the next."""
    tape = open_recording(path)
    cursor = Cursor(tape)
    cursor.seek(BEGIN)
    begin = last = time.perf_counter()
    taken = []
    while (passed := time.perf_counter() - begin) < HOUR / SPEED:
        interval = cursor.play(BEGIN + int(passed * SPEED * SECOND))
        if interval is not None:
            table(View(interval))
            now = time.perf_counter()
            taken.append(now - last)
            last = now
    tape.close()
    return taken


def month(directory: str, path: str, thing: str) -> list[str]:
    """Make the day files of a month that hold the roll-ups of quarters, and no samples; return their paths.

    The quarters of the time that was recorded stand for the whole day.  Only rows of the thing get a right
    checksum: no others are asked for.
    """
    first = os.path.join(directory, "rolled")
    shutil.copyfile(path, first)
    connection = connect(first, "mode=rw")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in names:
        if name in {"segment", "sample", "still", "tail", "blob", "minute"} or name.endswith("_minutes"):
            connection.execute(f"DELETE FROM {name}")  # noqa: S608 - our own tables
            connection.execute("DELETE FROM table_rows WHERE name = ?", (name,))
    rolled = [name for name in names if name == "quarter" or name.endswith("_quarters")]
    parts = 24 * HOUR // RECORDED
    for part in range(1, parts):
        move(connection, rolled, part * RECORDED, copy=True)
    add_rows(connection, "quarter", (parts - 1) * RECORDED * 4 // HOUR)
    (number,) = connection.execute(
        "SELECT id FROM thing WHERE screen = 'DEVICE' AND name = ?", (thing,)
    ).fetchone()
    connection.execute("UPDATE thing_rows SET quarters = ? * quarters WHERE thing = ?", (parts, number))
    connection.execute("UPDATE thing_rows SET crc = row_crc('thing_rows', thing, minutes, quarters)")
    connection.execute("COMMIT")
    connection.execute("VACUUM")
    connection.close()
    found = []
    for age in range(DAYS):
        found.append(os.path.join(directory, f"day-{age}.zmon"))
        shutil.copyfile(first, found[-1])
        connection = connect(found[-1], "mode=rw")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        move(connection, rolled, -age * 24 * HOUR, copy=False)
        for name, rows in (("quarter", "1"), ("device_quarters", f"thing = {number}")):
            columns = column_names(connection, name)
            connection.execute(f"UPDATE {name} SET crc = {crc_of(name, columns)} WHERE {rows}")  # noqa: S608 - our own tables
        connection.execute("COMMIT")
        connection.close()
    return found


def move(connection: sqlite3.Connection, tables: list[str], seconds: int, *, copy: bool) -> None:
    """Give rows of the time that was recorded, or all, another time: copies of them, or themselves."""
    by = {"quarter": seconds, "begin": seconds * SECOND, "end": seconds * SECOND}
    for name in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
        if copy:
            listed = ", ".join(f'"{n}" + {by[n]}' if n in by else f'"{n}"' for n in columns)
            first = BEGIN // SECOND + RECORDED
            connection.execute(f"INSERT INTO {name} SELECT {listed} FROM {name} WHERE quarter < {first}")  # noqa: S608 - our own tables
        else:
            # from the far end, so that no row is in the way of another
            moved = ", ".join(f'"{n}" = "{n}" + {by[n]}' for n in columns if n in by)
            connection.execute(f"UPDATE {name} SET {moved}")  # noqa: S608 - likewise


def history(directory: str, path: str, one: float) -> list[bool]:
    """Measure what comes from the roll-ups, against a seek."""
    with closing(Recording(path)) as recording:
        rows = Rollups(recording, "quarters").rows("device", ["io"], BEGIN, BEGIN + HOUR * SECOND)
        thing = next(row.thing for row in rows if row.figures[0])
    files = [*map(Recording, month(directory, path, thing))]
    begin = BEGIN - DAYS * 24 * HOUR * SECOND
    points = trend(files, "DEVICE", "resp", thing, begin, BEGIN + 24 * HOUR * SECOND)
    if len(points) != DAYS * 96:
        raise ValueError(f"{len(points)} quarters of an hour, {DAYS * 96} expected")
    drawn = cost(lambda: trend(files, "DEVICE", "resp", thing, begin, BEGIN + 24 * HOUR * SECOND), 10)
    print(f"{DAYS} days {drawn * 1e3:.1f} ms")
    return [told(f"one column of one disk over {DAYS} days, to seek", drawn / one, MONTH_TARGET)]


def main() -> int:
    """Make the recording, measure, and say what was kept; 1 if something was not."""
    hours = int(sys.argv[1]) if len(sys.argv) > 1 else HOURS
    directory = tempfile.mkdtemp(prefix="zmon-seek-")
    try:
        path = os.path.join(directory, "day.zmon")
        print(f"making a recording of {hours} h", flush=True)
        day(path, hours * HOUR // RECORDED, RECORDED)
        samples = hours * HOUR
        blobs = with_blobs(path)
        print(f"{os.path.getsize(path) / 1e6:.0f} MB, {samples:,} samples", flush=True)
        plain = cost(lambda: bare(path, blobs))
        one = cost(lambda: seek(path, samples))
        print(f"bare read {plain * 1e3:.2f} ms, seek {one * 1e3:.2f} ms")
        kept = [told("seek to bare read", one / plain, SEEK_TARGET)]
        kept.append(told("step to the neighbour", steps(path, samples), STEP_TARGET, "s"))
        whole = cost(lambda: column(path, samples), 3)
        kept.append(told(f"one counter of one disk, {hours} h, to seek", whole / one, COLUMN_TARGET))
        kept += history(directory, path, one)
        pictures = played(path)
        print(f"an hour at x600: {len(pictures)} pictures in {HOUR / SPEED:.0f} s")
        kept.append(told("longest time between two of them", max(pictures), PICTURE_TARGET, "s"))
    finally:
        shutil.rmtree(directory)
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
