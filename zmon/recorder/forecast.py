"""What recording costs: bytes per day and processor time, before and while it runs.

Before there is anything to measure it is an estimate from two samples: how many rows there are, and how many
of their values moved.  A recording that is there already has measured it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.recorder.retention import days_within, recorded_files
from zmon.store.day import DAY
from zmon.store.file_format import RecordingError

if TYPE_CHECKING:
    from zmon.recorder.retention import Rule
    from zmon.sample import Frame, Sample

FEWEST: Final = 600
"""Samples below which what was measured says little: a file grows in steps."""
TOO_FEW: Final = f"a day is estimated from {FEWEST} samples on"
"""What is said instead of an estimate."""

PER_SAMPLE: Final = 300.0
"""Bytes that a sample costs in which nothing moves, with its share of the index and the roll-ups."""
PER_ROW: Final = 2.0
"""Bytes for a row of which anything moved: which it is, and when it was read."""
PER_VALUE: Final = 2.0
"""Bytes for a value that moved."""

SCARCE: Final = 30.0
"""Days: without limits, a file system that is full sooner deserves a warning."""


class Forecast(NamedTuple):
    """What a recorder will use, and how that is known."""

    sample: float
    """Bytes per sample."""
    cpu: float | None
    """ns of processor time per sample; None if it is not known."""
    interval: int
    """ns."""
    basis: str
    """Where it comes from, for people: `estimate from ...`, `measured ...`."""

    @property
    def day(self) -> float:
        """Bytes per day."""
        return self.sample * DAY / self.interval

    @property
    def load(self) -> float | None:
        """Percent of one processor."""
        return None if self.cpu is None else 100 * self.cpu / self.interval

    @property
    def words(self) -> str:
        """All of it in one line."""
        load = "" if self.load is None else f", {self.load:.1f} % of a processor"
        return f"{size_words(self.day)} a day, {size_words(self.sample)} a sample{load} ({self.basis})"


def estimate(before: Sample, after: Sample, spent: int, interval: int) -> Forecast:
    """Estimate from two samples and the processor time, in ns, that the second one took."""
    size, moved = PER_SAMPLE, 0
    things = []
    for name, frame in after.frames.items():
        if frame.keys and name != "source":
            things.append(f"{len(frame.keys):,} {name}")
        rows, values = movement(before.frames.get(name), frame)
        moved += rows
        size += rows * PER_ROW + values * PER_VALUE
    basis = f"estimate from two samples of {', '.join(things) or 'nothing'}; rows that moved: {moved:,}"
    return Forecast(size, spent, interval, basis)


def movement(before: Frame | None, after: Frame) -> tuple[int, int]:
    """Count the rows in which anything moved, and the values that did; rows that are new count as moved."""
    if after is before:
        return 0, 0
    if before is None or before.keys != after.keys:
        return len(after.keys), len(after.keys) * len(after.columns)
    rows: set[int] = set()
    values = 0
    for name, now in after.columns.items():
        then = before.columns.get(name)
        if now is then:
            continue
        changed = range(len(now)) if then is None else [
            row for row, (a, b) in enumerate(zip(now, then, strict=True)) if a is not b and a != b
        ]  # fmt: skip
        values += len(changed)
        rows.update(changed)
    return len(rows), values


def measured(
    size: int, spent: int | None, samples: int, interval: int, basis: str = "measured over {:,} samples"
) -> Forecast | None:
    """Say what a recording of that size has measured; None while that is too little to go by."""
    if samples < FEWEST:
        return None
    cpu = None if spent is None else spent / samples
    return Forecast(size / samples, cpu, interval, basis.format(samples))


def earlier(directory: str, interval: int) -> Forecast | None:
    """Say what the last recording of a directory that is long enough measured; None if there is none."""
    try:
        files = recorded_files(directory, "")
    except OSError:
        return None
    for file, size in reversed(files):
        basis = f"as measured in {os.path.basename(file.path)}"
        if found := measured(size, None, _samples(file.path), interval, basis):
            return found
    return None


def _samples(path: str) -> int:
    """Count the samples of a recording; 0 if it cannot be read."""
    from zmon.store.reader import Recording  # noqa: PLC0415 - mostly there is none to read

    try:
        recording = Recording(path)
    except RecordingError:
        return 0
    try:
        return len(recording)
    finally:
        recording.close()


def room(directory: str) -> int:
    """Return the bytes that may still be written below a directory, or where it would be made.

    Raises:
        OSError: the file system does not say.
    """
    place = os.path.abspath(directory)
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    import psutil  # noqa: PLC0415 - only a recorder asks

    return psutil.disk_usage(place).free


def shortage(forecast: Forecast, directory: str, rule: Rule, present: str = "") -> str:
    """Return a warning if the file system has less room than will be needed, else nothing.

    The file at `present` is being written.
    """
    try:
        free = room(directory)
        held = (
            sum(file.size for file in recorded_files(directory, present)) if os.path.isdir(directory) else 0
        )
    except OSError as error:
        return f"{directory}: whether there is room is not known: {error.strerror}"
    wanted = days_within(rule, forecast.day)
    if wanted == float("inf"):
        left = free / forecast.day
        if left >= SCARCE:
            return ""
        full = f"the file system of {directory} is full in {days_words(left)}"
        return f"{full}; --keep or --size limit what is kept"
    needed = wanted * forecast.day
    if needed <= free + held:
        return ""
    return (
        f"{size_words(needed)} are needed for what is to be kept ({days_words(wanted)}), and the file "
        f"system of {directory} has {size_words(free + held)} for it; --size limits it"
    )


def days_words(count: float) -> str:
    """Write a number of days for people, or of hours where there is hardly one."""
    return f"{count:,.0f} days" if count >= 3 else f"{24 * count:.0f} hours"


def size_words(count: float) -> str:
    """Write a number of bytes for people, with two or three digits: `216 MB`, 1 MB being 1,000,000 bytes."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"
