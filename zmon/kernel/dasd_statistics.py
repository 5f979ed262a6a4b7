"""Statistics of requests by the DASD driver, if they are switched on.

`/proc/dasd/statistics` shows the counts of all DASD together, to everybody.  debugfs, which is for root
alone, has more of the same: reads apart, the start of the counting, and a file for each volume and device.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.kernel.tree import names_in, refused, text
from zmon.kinds import BUCKETS, HISTOGRAMS, NO_DASD_DRIVER, PROFILE, U32, buckets
from zmon.sample import Frame, empty_frame

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree

    Row = dict[str, Value]


STATISTICS: Final = "proc/dasd/statistics"
FOLDER: Final = "sys/kernel/debug/dasd"
GLOBAL: Final = "global"

SWITCH: Final = "echo on > /sys/kernel/debug/dasd/global/statistics"
"""The command that switches statistics on for all DASD."""
OFF: Final = absent(f"the DASD driver counts nothing: {SWITCH}")
NOT_BUILT: Final = absent("this kernel cannot count DASD requests: it was built without CONFIG_DASD_PROFILE")
NOT_IN_KERNEL: Final = "this kernel has no /proc/dasd/statistics"
UNCAPTURED: Final = f"/{STATISTICS} was not captured"
UNCAPTURED_OR_NO_DRIVER: Final = f"{UNCAPTURED}, or there is no DASD driver"
NOT_IN_PROC: Final = absent(f"only debugfs has it: run zmon as root, and {SWITCH}")

_TOTALS: Final = {
    "total_requests": "requests", "total_sectors": "sectors", "total_pav": "pav", "total_hpf": "hpf",
    "avg_total": "mean_time", "avg_build_to_ssch": "mean_wait", "avg_ssch_to_irq": "mean_device",
    "avg_irq_to_end": "mean_end",
    "total_read_requests": "read_requests", "total_read_sectors": "read_sectors",
    "total_read_pav": "read_pav", "total_read_hpf": "read_hpf",
}  # fmt: skip
"""Our names for single figures of debugfs."""
_HISTOGRAMS: Final = {f"histogram_{source}": name for name, source in HISTOGRAMS.items()}

_TITLES: Final = {
    "Histogram of sizes (512B secs)": "size",
    "Histogram of I/O times (microseconds)": "time",
    "Histogram of I/O times per sector": "weighted",
    "Histogram of I/O time till ssch": "wait",
    "Histogram of I/O time between ssch and irq": "device",
    "Histogram of I/O time between ssch and irq per sector": "device_weighted",
    "Histogram of I/O time between irq and end": "end",
    "# of req in chanq at enqueuing (1..32)": "queue",
}
"""The line in /proc before each histogram."""

_HEAD: Final = re.compile(
    r"(?P<requests>-?[0-9]{1,10}) dasd I/O requests\n"
    r"with (?P<sectors>[0-9]{1,10}) sectors\(512B each\)\n"
    r"Scale Factor is +(?P<scale>10{0,9})\n"
)
_START: Final = re.compile(r"[0-9]{1,12}\.[0-9]{1,9}")
_NUMBER: Final = re.compile(r"[0-9]{1,10}", re.ASCII)


def parse_profile(content: str, where: str = "statistics") -> Row | None:
    """Parse one of /sys/kernel/debug/dasd/*/statistics; None when nothing is counted there.

    `disabled`, or a line for each figure: the start of the counting, totals, averages since then in
    microseconds (rounded down), and histograms of 32 counts.  All are 32 bits wide.  Before the requests
    overflow, the driver clears everything and sets another start, as `reset` does; sectors wrap.  Lines that
    are not known are passed over.  A request counts when it is done, in each histogram; one without sectors
    never does.

    Source: drivers/s390/block/dasd.c (dasd_stats_seq_print), since Linux 3.1.

    Raises:
        ValueError: a figure is missing or is no number; says which file and line.
    """
    if content.strip() == "disabled":
        return None
    lines = dict(line.split(maxsplit=1) for line in content.splitlines() if len(line.split(maxsplit=1)) == 2)
    row: Row = {}
    start = lines.get("start_time", "").strip()
    if not _START.fullmatch(start):
        raise ValueError(f"{where}: expected 'disabled' or start_time, found {content[:60]!r}")
    for source, name in _TOTALS.items():
        row[name] = _number(lines.get(source, ""), f"{where}: {source}")
    for source, name in _HISTOGRAMS.items():
        row |= _histogram(name, lines.get(source, ""), f"{where}: {source}")
    return row | {"start": start, "scale": 1, "via": "debugfs"}


def parse_statistics(content: str) -> Row | None:
    """Parse /proc/dasd/statistics, the counts of all DASD; None when they are switched off.

    Two totals, then a scale and eight histograms of two lines with 16 counts.  As soon as there are ten
    million requests, the kernel divides the counts of histograms, not the totals, by the scale, a power of
    ten: what comes out here is multiplied again, and so a little less than was counted.  There is no mark of
    a reset.  Requests beyond 2**31 are written as a negative number.

    Source: drivers/s390/block/dasd_proc.c (dasd_stats_proc_show).

    Raises:
        ValueError: it has another form, or the kernel cannot count; says what was found.
    """
    if content.startswith("Statistics are off"):
        return None
    if content.startswith("Statistics are not activated"):
        raise ValueError(NOT_BUILT.reason)
    head = _HEAD.match(content)
    if head is None:
        raise ValueError(f"/{STATISTICS}: expected counts of requests and sectors, found {content[:60]!r}")
    scale = int(head["scale"])
    row: Row = {
        "requests": int(head["requests"]) % U32,
        "sectors": int(head["sectors"]),
        "scale": scale,
        "via": "proc",
    }
    lines = [line.strip() for line in content.splitlines()]
    for title, name in _TITLES.items():
        if title not in lines:
            raise ValueError(f"/{STATISTICS}: expected the line {title!r}")
        at = lines.index(title)
        row |= _histogram(name, " ".join(lines[at + 1 : at + 3]), f"/{STATISTICS}: {title}", scale)
    return row


def _number(word: str, where: str) -> int:
    if not _NUMBER.fullmatch(word.strip()):
        raise ValueError(f"{where}: expected a number, found {word[:40]!r}")
    return int(word)


def _histogram(name: str, line: str, where: str, scale: int = 1) -> Row:
    counts = line.split()[:BUCKETS]
    if len(counts) < BUCKETS:
        raise ValueError(f"{where}: expected {BUCKETS} counts, found {len(counts)}")
    return {
        bucket: _number(count, where) * scale for bucket, count in zip(buckets(name), counts, strict=True)
    }


def read_profiles(tree: Tree) -> Frame:
    """Read one frame of `PROFILE`: rows of all DASD together, of volumes and of devices.

    Only statistics that are on have a row.  Without debugfs, the row of all DASD is from /proc.
    """
    rows: dict[str, tuple[Row, int]] = {}
    for name in names_in(tree, FOLDER, ".+"):
        path = f"{FOLDER}/{name}/statistics"
        try:
            row = parse_profile(text(tree, path), f"/{path}")
        except OSError:  # the device went, or it is for root alone
            continue
        except ValueError as error:
            row = dict.fromkeys(_FIELDS, absent(str(error)))
        if row is not None:
            rows[name] = row, tree.when(path)
    if GLOBAL not in rows:
        try:
            everything = parse_statistics(text(tree, STATISTICS))
        except OSError as error:
            return _frame(rows) if rows else empty_frame(PROFILE, _why_unread(tree, error))
        except ValueError as error:
            return _frame(rows) if rows else empty_frame(PROFILE, str(error))
        if everything is not None:
            rows[GLOBAL] = everything, tree.when(STATISTICS)
    return _frame(rows) if rows else Frame(PROFILE, [], {}, [], OFF)


def _why_unread(tree: Tree, error: OSError) -> str:
    """Return why /proc/dasd/statistics was not read."""
    try:
        has_driver = bool(tree.entries("proc/dasd"))
    except OSError:
        has_driver = False
    if not isinstance(error, FileNotFoundError):
        return refused(error).reason
    if tree.live:
        return NOT_IN_KERNEL if has_driver else NO_DASD_DRIVER.reason
    return UNCAPTURED if has_driver else UNCAPTURED_OR_NO_DRIVER


_FIELDS: Final = tuple(field.name for field in PROFILE.fields)


def _frame(rows: dict[str, tuple[Row, int]]) -> Frame:
    columns = {name: [row.get(name, NOT_IN_PROC) for row, _ in rows.values()] for name in _FIELDS}
    return Frame(PROFILE, list(rows), columns, [when for _, when in rows.values()])
