"""/proc/diskstats: what every block device has done since it appeared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number, Value


PATH: Final = "proc/diskstats"

FIELDS: Final = (
    "reads", "reads_merged", "sectors_read", "read_ms",
    "writes", "writes_merged", "sectors_written", "write_ms",
    "in_flight", "io_ms", "weighted_ms",
    "discards", "discards_merged", "sectors_discarded", "discard_ms",
    "flushes", "flush_ms",
)  # fmt: skip
"""The values of a line in their order, as `zmon.kinds.BLOCK` calls them."""

_OF_OLD_PARTITIONS: Final = ("reads", "sectors_read", "writes", "sectors_written")

WRAP: Final = 1 << 32
"""What times in ms count to."""
IN_FLIGHT: Final = FIELDS.index("in_flight")

_ALWAYS: Final = 11
NO_DISCARDS: Final = absent("needs Linux 4.18, which counts discards")
NO_FLUSHES: Final = absent("needs Linux 5.5, which counts flushes")
_NOT_OF_PARTITIONS: Final = absent("needs Linux 2.6.25, which counts this for partitions, too")
_BEFORE_THEY_CAME: Final = (0,) * _ALWAYS + (NO_DISCARDS,) * 4 + (NO_FLUSHES,) * 2

Counts = tuple["Number", ...]
"""The values of one line in the order of `FIELDS`."""

NO_LINE: Final[Counts] = (absent("the disk has no line in /proc/diskstats"),) * len(FIELDS)
"""The counts of a disk that only /sys/block knows."""


def added(lines: Sequence[Sequence[Value]]) -> tuple[Value, ...]:
    """Return the counts of several disks together, without those that have no line; milliseconds wrap."""
    counted = [line for line in lines if line != NO_LINE]
    if not counted:
        return NO_LINE
    sums: list[Number] = [sum(values[1:], values[0]) for values in zip(*counted, strict=True)]
    return tuple(
        value % WRAP if name.endswith("_ms") else value for name, value in zip(FIELDS, sums, strict=True)
    )


def head_of(line: bytes) -> tuple[bytes, str]:
    """Split off the head of a line, as it is, and the name in it as sysfs spells it.

    sysfs cannot have a slash in a name and shows `cciss/c0d0` as `cciss!c0d0`.

    Raises:
        ValueError: nothing follows the name.
    """
    try:
        _major, _minor, name, values = line.split(None, 3)
    except ValueError:
        raise ValueError(f"/proc/diskstats: major, minor, name and values expected: {line!r}") from None
    return line[: len(line) - len(values)], name.decode("utf-8", "replace").replace("/", "!")


def parse_line(line: bytes) -> Counts:
    """Parse the values of one line of /proc/diskstats.

    Major, minor and name are followed by 11 values, 15 since Linux 4.18 and 17 since 5.5; more
    than that are left alone.  Before 2.6.25 a partition has 4: reads, sectors read, writes, sectors
    written.  Counts are as wide as a long, times are milliseconds that wrap at
    2**32, sectors have 512 bytes whatever the device's own block is.  Everything starts at 0 when
    the device appears.

    Source: block/genhd.c, Documentation/admin-guide/iostats.rst.

    Raises:
        ValueError: another number of values, or something that is no number.
    """
    values = line.split()[3:20]
    try:
        counts = tuple(map(int, values))
    except ValueError:
        raise ValueError(f"/proc/diskstats: not all values are numbers: {line!r}") from None
    if len(counts) == len(FIELDS):
        return counts
    if len(counts) == len(_OF_OLD_PARTITIONS):
        named = dict(zip(_OF_OLD_PARTITIONS, counts, strict=True))
        return tuple(named.get(name, _NOT_OF_PARTITIONS) for name in FIELDS)
    if len(counts) < _ALWAYS:
        raise ValueError(f"/proc/diskstats: {_ALWAYS} values or more expected after the name: {line!r}")
    return counts + _BEFORE_THEY_CAME[len(counts) :]
