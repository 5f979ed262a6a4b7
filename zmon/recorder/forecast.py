"""What recording costs: bytes per day and processor time, before and while it runs.

Without an earlier recording it is an estimate from two samples: the number of rows, and of values that moved.
"""

from __future__ import annotations

import os
from operator import ne
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.clock import DAY
from zmon.recorder.retention import days_within, recorded_files
from zmon.sample import pick
from zmon.store.file_format import RecordingError

if TYPE_CHECKING:
    from zmon.recorder.retention import RetentionRule
    from zmon.sample import Frame, Sample

MIN_SAMPLES: Final = 600
"""Number of samples that a measurement needs: a file grows in steps."""
TOO_FEW: Final = f"a day is estimated from {MIN_SAMPLES} samples on"
"""What is said instead of an estimate."""

PER_SAMPLE: Final = 300.0
"""Bytes of a sample in which nothing moves, with its share of index and trends."""
PER_ROW: Final = 2.0
"""Bytes of a row in which anything moved: its number and time."""
PER_VALUE: Final = 2.0
"""Bytes of a value that moved."""

MIN_DAYS: Final = 30.0
"""Days that a file system without limits must last; else there is a warning."""


class Forecast(NamedTuple):
    """What a recorder will use, and the basis of that figure."""

    sample: float
    """Bytes per sample."""
    cpu: float | None
    """ns of processor time per sample; None if it is not known."""
    interval: int
    """ns."""
    basis: str
    """As shown: `estimate from ...`, `measured ...`."""

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
        """The forecast as one line."""
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
    """Return the number of rows and of values that moved; new rows count as moved."""
    if after is before:
        return 0, 0
    if before is None or before.keys != after.keys:
        return len(after.keys), len(after.keys) * len(after.columns)
    rows = after.moved(before)
    columns = ((now, before.columns.get(name)) for name, now in after.columns.items())
    values = sum(
        len(now) if then is None else sum(map(ne, pick(now, rows), pick(then, rows)))
        for now, then in columns
        if now is not then
    )
    return len(rows), values


def measured(
    size: int, spent: int | None, samples: int, interval: int, basis: str = "measured over {:,} samples"
) -> Forecast | None:
    """Return the forecast from the bytes and costs of samples; None below `MIN_SAMPLES`."""
    if samples < MIN_SAMPLES:
        return None
    cpu = None if spent is None else spent / samples
    return Forecast(size / samples, cpu, interval, basis.format(samples))


def earlier(directory: str, interval: int) -> Forecast | None:
    """Return the forecast from the last recording of a directory that has enough samples."""
    try:
        files = recorded_files(directory, "")
    except OSError:
        return None
    for file, size in reversed(files):
        basis = f"as measured in {os.path.basename(file.path)}"
        if size_measured := measured(size, None, _samples(file.path), interval, basis):
            return size_measured
    return None


def _samples(path: str) -> int:
    """Return the number of samples of a recording; 0 if it cannot be read."""
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
    """Return the free bytes of the file system of a directory, which need not exist yet.

    Raises:
        OSError: the file system does not answer.
    """
    place = os.path.abspath(directory)
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    try:
        import psutil  # noqa: PLC0415 - only a recorder asks, and it is compiled: not everywhere
    except ModuleNotFoundError:
        return free_by_statvfs(place)
    return psutil.disk_usage(place).free


def free_by_statvfs(place: str) -> int:
    """Return the bytes of a file system that a user without privileges can fill, as psutil counts them."""
    state = os.statvfs(place)
    return state.f_bavail * state.f_frsize


def shortage(forecast: Forecast, directory: str, rule: RetentionRule, present: str = "") -> str:
    """Return a warning if the file system has less room than will be needed; `present` is being written."""
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
        if left >= MIN_DAYS:
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
    """Format a number of days, below three as hours."""
    return f"{count:,.0f} days" if count >= 3 else f"{24 * count:.0f} hours"


def size_words(count: float) -> str:
    """Format a number of bytes with two or three digits: `216 MB`, 1 MB being 1,000,000 bytes."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"
