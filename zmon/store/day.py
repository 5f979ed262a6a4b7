"""One file per day: `2026-11-21.zmon` holds what was sampled on that day of UTC.

UTC, because its days all have 24 hours, follow one another without a gap and are the same on every machine:
in autumn an hour of local time comes twice.  Local time is for display only.

If a day's file cannot be continued, because it is damaged or of a newer version, or if it is wanted complete
before the day is over, the rest of the day goes to `2026-11-21-2.zmon`, and so on.
"""

from __future__ import annotations

import os
import re

from zmon.base.clock import DAY, END_OF_TIME
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.store.file_format import RecordingError, is_recording

if TYPE_CHECKING:
    from datetime import date

SUFFIX: Final = ".zmon"
BESIDE: Final = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite has beside a file that is in use, or was when its writer died."""


_NAME: Final = r"(?a)(\d{4}-\d\d-\d\d)(?:-([2-9]|[1-9]\d{1,3}))?\.zmon"
_EPOCH: Final = 719_163
"""`date(1970, 1, 1).toordinal()`"""


class DayFile(NamedTuple):
    """A file of a day, by its name; the order of these is the order of time."""

    day: date
    part: int
    """1, or higher where the day needed another file."""
    path: str

    @property
    def begin(self) -> int:
        """UTC, in ns, of the day's begin."""
        return (self.day.toordinal() - _EPOCH) * DAY

    @property
    def end(self) -> int:
        """UTC, in ns, of the begin of the day after."""
        return self.begin + DAY


class DayFiles(NamedTuple):
    """The files of a directory."""

    days: list[DayFile]
    """In the order of time."""
    strangers: list[str]
    """Names of other files, which are never changed."""


def day_of(utc: int) -> date:
    """Return the day of a time, in UTC and ns since 1970.

    Raises:
        RecordingError: no recording can hold that time.
    """
    if abs(utc) > END_OF_TIME:
        raise RecordingError("the clock shows a year after 2262, which no recording can hold: set it right")
    from datetime import date  # noqa: PLC0415 - most lookups name no day

    return date.fromordinal(_EPOCH + utc // DAY)


def day_file(directory: str, utc: int, part: int = 1) -> DayFile:
    """Return the file for what is sampled at a time."""
    day = day_of(utc)
    name = day.isoformat() + (f"-{part}" if part > 1 else "") + SUFFIX
    return DayFile(day, part, os.path.join(directory, name))


def parse_name(path: str) -> DayFile | None:
    """Return the day file of a path; None if its name is another."""
    match = re.fullmatch(_NAME, os.path.basename(path))
    if match is None:
        return None
    from datetime import date  # noqa: PLC0415 - likewise

    try:
        day = date.fromisoformat(match[1])
    except ValueError:  # the 31st of February
        return None
    return DayFile(day, int(match[2] or 1), path)


def days(directory: str) -> DayFiles:
    """List the day files of a directory.

    Raises:
        OSError: it cannot be listed.
    """
    names = sorted(os.listdir(directory))
    files = [file for name in names if (file := parse_name(os.path.join(directory, name))) is not None]
    own = {os.path.basename(file.path) for file in files}
    own |= {name + tail for name in own for tail in BESIDE}
    return DayFiles(sorted(files), [name for name in names if name not in own])


def is_source(path: str) -> bool:
    """Return whether a file is a recording, or a directory holds day files of one."""
    if not os.path.isdir(path):
        return is_recording(path)
    try:
        return bool(days(path).days)
    except OSError:
        return False
