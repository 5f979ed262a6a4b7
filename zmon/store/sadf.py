"""Samples from what sar recorded: the JSON that sysstat's `sadf -j` prints.

sar's files hold counters, but sadf prints rates of each interval.  Counters are built from these again: each
interval adds its rate times its seconds, rounded to a whole number, so zmon's own intervals give sar's rates
back, within half a count per interval.  sadf prints two decimals, and times of whole seconds.  The seconds of
an interval are those between the time stamps, so that sums over hours are right although sadf rounds the
lengths of intervals.

Before the first entry, and after each restart, a sample with unchanged counters is added: the begin of the
entry's interval.  A restart shows in the times only: if an interval begins at another time than the one
before ended, the boot is another one.

What sar does not record is absent.  It counts reads, writes and discards of a disk, and their time, together.

Source: sysstat, json_stats.c; see `zmon.store.sadf_report`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.clock import SECOND
from zmon.base.sizes import KIB
from zmon.kinds import ALL, BLOCK, CPU, KINDS, MACHINE, MEMORY
from zmon.sample import Frame, Instant, Sample, empty_frame
from zmon.store.sadf_report import SadfError, SadfReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zmon.base.absent import Number, Value
    from zmon.sample import Kind

__all__ = ["SadfError", "read_sadf"]

LATE: Final = 1
"""Seconds by which rounding may separate the begin of an interval from the end of the one before."""
MAX_RATE: Final = 1e15
"""sadf prints a higher rate if a counter was reset."""
MAX_COUNTER: Final = 1 << 63
"""Counters are less than this, as those of the kernel."""

NOT_RECORDED: Final = absent("sar does not record this")
TOGETHER: Final = absent("sar counts the requests of a disk all together")
NOT_PRINTED: Final = absent("this version of sadf does not print it")
FELL: Final = absent("sar printed a rate that cannot be: the counter fell")
BEFORE: Final = absent("sadf prints it for the end of an interval only")
NO_DISKS: Final = "the report has no disks: `sadf -j FILE -- -d` prints them if `sadc -S DISK` recorded them"
NO_CPUS: Final = "the report has no CPUs: `sadf -j FILE -- -u ALL -P ALL` prints them"
NOT_SINGLE: Final = absent("the report has no single CPUs: `sadf -j FILE -- -u ALL -P ALL` prints them")
NO_NUMBER: Final = absent("the report has no number-of-cpus")
MAX_CPUS: Final = 1 << 16
NO_MEMORY: Final = absent("the report has no memory: `sadf -j FILE -- -r ALL` prints it")
NO_SWAP: Final = absent("the report has no swap space: `sadf -j FILE -- -S` prints it")
NO_SWAPPING: Final = absent("the report has no swapped pages: `sadf -j FILE -- -W` prints them")
ALL_SYSTEM: Final = absent("the report has interrupts in the system's time: `sadf -j FILE -- -u ALL -P ALL`")
NO_TOTAL: Final = absent(
    "the total does not follow from the report: `sadf -j FILE -- -r ALL` prints what is missing"
)
SLABS: Final = absent("sar does not tell which slabs can be reclaimed")

Words = dict[str, object]
"""An object of the report."""

_DASD: Final = re.compile(r"dev94-(\d{1,7})")


def read_sadf(
    source: str | BinaryIO, note: Callable[[int, str], None] | None = None, name: str = "the report"
) -> Iterator[Sample]:
    """Yield the samples of a report of `sadf -j`, which is read as they are asked for.

    `source` is a path, or a stream of bytes, which has a `name` for messages.  After the last sample `note`
    is called with the time, UTC in ns, and the text of each comment that `sadf -j FILE -- -C` printed.

    Raises:
        SadfError: it is no such report, or is damaged; perhaps after some samples.
        OSError: it cannot be read.
    """
    if isinstance(source, str):
        with open(source, "rb") as stream:
            yield from _samples(SadfReport(stream, source), note)
    else:
        yield from _samples(SadfReport(source, name), note)


def _samples(report: SadfReport, note: Callable[[int, str], None] | None) -> Iterator[Sample]:
    host = Host(_machine(report.header), _processors(report.header))
    counts = SadfCounters()
    then: Instant | None = None
    for number, entry in enumerate(report.entries(), 1):
        try:
            stamp = _object(entry, "timestamp")
            end = moment(stamp)
            length = _length(stamp, end)
            if then is None or abs(end - length * SECOND - then.utc) > LATE * SECOND:
                begin = end - length * SECOND
                then = Instant(begin, begin, f"{report.name} since {stamp['date']} {stamp['time']}")
                yield Sample(then, _frames(entry, then, 0, counts, host), report.name)
            # two entries may have the time stamp of one second
            end = max(end, then.utc + SECOND)
            seconds = (end - then.utc) // SECOND
            then = Instant(end, end, then.boot)
            frames = _frames(entry, then, seconds, counts, host)
        except _Odd as odd:
            raise report.wrong(f"entry {number}: {odd}; print it once more with sadf -j") from None
        yield Sample(then, frames, report.name)
    for stamp, text in report.comments if note is not None else ():
        try:
            when = moment(stamp)
        except _Odd as odd:
            raise report.wrong(f"comment {text[:40]!r}: {odd}") from None
        note(when, text)  # type: ignore[misc]  # there is one


class _Odd(ValueError):  # noqa: N818 - it becomes a part of a SadfError
    """A part of an entry is not as sadf prints it."""


def _object(fields: Words, name: str) -> Words:
    value = fields.get(name)
    if not isinstance(value, dict | None):
        raise _Odd(f"expected an object {name}, found {str(value)[:40]!r}")
    return value or {}


def _list(fields: Words, name: str, key: str) -> dict[str, Words]:
    """Return the objects of a list by their `key`."""
    values = fields.get(name, [])
    rows: dict[str, Words] = {}
    for row in values if isinstance(values, list) else [values]:
        if not isinstance(row, dict) or not isinstance(row.get(key), str):
            raise _Odd(f"expected a list {name} of objects with {key}, found {str(row)[:40]!r}")
        rows[row[key]] = row
    return rows


def _number(fields: Words, names: str, otherwise: Absent = NOT_PRINTED) -> Number:
    """Return the first of some numbers that the report has."""
    for name in names.split():
        if name in fields:
            value = fields[name]
            if not isinstance(value, float):
                raise _Odd(f"expected {name} to be a number, found {str(value)[:40]!r}")
            return value if isfinite(value) and 0 <= value <= MAX_RATE else FELL
    return otherwise


def moment(stamp: Words) -> int:
    """Return the time of a time stamp, UTC in ns.

    sadf prints UTC by default (not with `-T`, `-t`); until 12.7.0 it marks that with `utc: 1`, since then
    with `tz: UTC`.
    """
    date, time = stamp.get("date"), stamp.get("time")
    try:
        when = datetime.strptime(f"{date} {time}", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        raise _Odd(f"expected a date and a time, found {date!r} and {time!r}"[:120]) from None
    if not 1970 <= when.year < 2262:
        raise _Odd(f"expected a date between 1970 and 2261, found {date!r}")
    if stamp.get("tz", "UTC") != "UTC" or stamp.get("utc", 1.0) != 1.0:
        raise _Odd("its time is local, which is not the same everywhere: leave -T and -t of sadf out")
    return int(when.timestamp()) * SECOND


def _length(stamp: Words, end: int) -> int:
    """Return the seconds of an interval; less than one is printed as none."""
    length = _number(stamp, "interval")
    if isinstance(length, Absent) or length > end // SECOND:
        raise _Odd(f"expected the interval in seconds, found {str(stamp.get('interval'))[:40]!r}")
    return max(round(length), 1)


class Host(NamedTuple):
    """The machine, and the number of its CPUs, by the header of a report."""

    machine: Mapping[str, Mapping[str, Value]]
    processors: Number


class SadfCounters:
    """Counters that grow by the rates that sadf prints for each interval."""

    def __init__(self) -> None:
        """Begin with 0 for all."""
        self._totals: dict[tuple[str, str, str], int] = {}

    def add(self, kind: Kind, key: str, field: str, grown: Number) -> Number:
        """Return a counter after it has grown; if that is unknown, it is absent now and unchanged later."""
        if isinstance(grown, Absent):
            return grown
        place = kind.name, key, field
        total = self._totals.get(place, 0) + int(grown)
        if total >= MAX_COUNTER:
            return FELL
        self._totals[place] = total
        return total


def _whole(value: Number) -> Number:
    return value if isinstance(value, Absent) else round(value)


def _disk_growth(disk: Words, seconds: int) -> dict[str, Number]:
    """Return by how much the counters of a disk grow in an interval."""
    requests = _whole(_number(disk, "tps") * seconds)
    return {
        "requests": requests,
        "request_ms": _whole(_number(disk, "await") * requests),
        "sectors_read": _sectors(disk, "rd_sec", "rkB", seconds),
        "sectors_written": _sectors(disk, "wr_sec", "wkB", seconds),
        "sectors_discarded": _sectors(disk, "dc_sec", "dkB", seconds),
        "io_ms": _whole(_number(disk, "util-percent") * 10 * seconds),
        "weighted_ms": _whole(_number(disk, "aqu-sz avgqu-sz") * 1000 * seconds),
    }


def _sectors(disk: Words, sectors: str, kib: str, seconds: int) -> Number:
    rate = _number(disk, sectors) if sectors in disk else _number(disk, kib) * 2
    return _whole(rate * seconds)


def disk_name(name: str) -> str:
    """Return the kernel's name of a disk if sadf printed its number: a DASD has four minors."""
    match = _DASD.fullmatch(name)
    if not match:
        return name
    letters, index = "", int(match[1]) // 4
    while index >= 0:
        letters = chr(ord("a") + index % 26) + letters
        index = index // 26 - 1
    return f"dasd{letters}"


def _disks(entry: Words, seconds: int, counts: SadfCounters) -> Mapping[str, Mapping[str, Value]]:
    split = dict.fromkeys(("reads", "writes", "discards", "read_ms", "write_ms", "discard_ms"), TOGETHER)
    rows: dict[str, Mapping[str, Value]] = {}
    for printed, disk in _list(entry, "disk", "disk-device").items():
        name = disk_name(printed)
        grown = _disk_growth(disk, seconds).items()
        rows[name] = {**split, **{field: counts.add(BLOCK, name, field, by) for field, by in grown}}
    return rows


def _cpus(
    entry: Words, seconds: int, counts: SadfCounters, processors: Number
) -> Mapping[str, Mapping[str, Value]]:
    """Return the single CPUs; without any, one row with their sum, of which `all` is the mean."""
    printed = _list(entry, "cpu-load-all" if "cpu-load-all" in entry else "cpu-load", "cpu")
    together = list(printed) == [ALL]
    rows: dict[str, Mapping[str, Value]] = {}
    for name, load in printed.items():
        if name != ALL or together:
            many = processors if together and not isinstance(processors, Absent) else 1
            grown = {field: _whole(ns * many) for field, ns in _times(load, seconds).items()}
            rows[name] = {
                "online": processors if together else 1,
                **({"polarization": NOT_SINGLE, "address": NOT_SINGLE} if together else {}),
                **{field: counts.add(CPU, name, field, by) for field, by in grown.items()},
            }
    return rows


def _times(load: Words, seconds: int) -> dict[str, Number]:
    """Return the times of a CPU in an interval, in ns.

    With `-u ALL` sadf prints the time of guests separately, which the kernel counts as a part of the user's.
    """

    def ns(names: str, otherwise: Absent = NOT_PRINTED) -> Number:
        return _number(load, names, otherwise) * (seconds * SECOND // 100)

    def with_guests(names: str, guests: str) -> Number:
        return ns(names) + (ns(guests) if guests in load else 0)

    return {
        "user": with_guests("usr user", "guest"),
        "nice": with_guests("nice", "gnice"),
        "system": ns("sys", ALL_SYSTEM),
        "idle": ns("idle"),
        "iowait": ns("iowait"),
        "irq": ns("irq", ALL_SYSTEM),
        "softirq": ns("soft", ALL_SYSTEM),
        "steal": ns("steal"),
        "guest": ns("guest"),
        "guest_nice": ns("gnice"),
    }


def _memory(entry: Words, seconds: int, counts: SadfCounters) -> Mapping[str, Mapping[str, Value]]:
    memory, swap = _object(entry, "memory"), _object(entry, "swap-pages")
    free, used = _number(memory, "swpfree", NO_SWAP), _number(memory, "swpused", NO_SWAP)
    sizes: dict[str, Number] = {
        "total": _total(memory),
        "available": _number(memory, "avail", NOT_PRINTED if "memfree" in memory else NO_MEMORY),
        "free": _number(memory, "memfree", NO_MEMORY),
        "buffers": _number(memory, "buffers", NO_MEMORY),
        "swap_total": free + used,
        "swap_free": free,
    }
    row: dict[str, Value] = {name: _whole(kib * KIB) if seconds else BEFORE for name, kib in sizes.items()}
    row["cached"] = SLABS
    for field, name in (("swapped_in", "pswpin"), ("swapped_out", "pswpout")):
        row[field] = counts.add(MEMORY, "memory", field, _whole(_number(swap, name, NO_SWAPPING) * seconds))
    return {"memory": row}


def _total(memory: Words) -> Number:
    """Return the size of memory in KiB, which sadf does not print.

    `memused` was all that is not free until 11.7.3; then buffers, cache and slabs were subtracted, too; since
    12.7.8, which has `shared`, it is all that is not available.  The percentage shows which of the two older
    definitions it was.
    """
    if "memfree" not in memory:
        return NO_MEMORY
    used, percent = _number(memory, "memused"), _number(memory, "memused-percent")
    if "shared" in memory:
        return _number(memory, "avail") + used
    all_used = _number(memory, "memfree") + used
    cached = _number(memory, "buffers") + _number(memory, "cached") + _number(memory, "slab")
    # an absent one fits nothing
    fitting = {total for total in (all_used, all_used + cached) if _is_share(used, percent, total)}
    return fitting.pop() if len(fitting) == 1 else NO_TOTAL


def _is_share(used: Number, percent: Number, total: Number) -> bool:
    """Return whether a part is this percentage of a total, within two decimals."""
    difference = 100 * used - percent * total
    return bool(-0.0051 * total <= difference <= 0.0051 * total)


def _processors(header: Words) -> Number:
    """Return the number of CPUs."""
    count = header.get("number-of-cpus")
    return int(count) if isinstance(count, float) and 1 <= count <= MAX_CPUS else NO_NUMBER


def _machine(header: Words) -> Mapping[str, Mapping[str, Value]]:
    def name(of: str) -> Value:
        value = header.get(of)
        return value if isinstance(value, str) and value else absent(f"the report has no {of}")

    machine = name("machine")
    zish = isinstance(machine, Absent) or machine.startswith("s390")  # type: ignore[union-attr]  # a text
    row: dict[str, Value] = {"hostname": name("nodename"), "kernel": name("release"), "architecture": machine}
    return {"machine": row | ({} if zish else {"environment": "none"})}


@lru_cache(maxsize=1)
def _not_recorded() -> dict[str, Frame]:
    """Return the frames of all kinds as if sar recorded none; the same in each sample, so written once."""
    return {kind.name: empty_frame(kind, NOT_RECORDED.reason) for kind in KINDS.values()}


def _frames(entry: Words, at: Instant, seconds: int, counts: SadfCounters, host: Host) -> dict[str, Frame]:
    def frame(kind: Kind, rows: Mapping[str, Mapping[str, Value]], otherwise: str = "") -> Frame:
        if not rows:
            return empty_frame(kind, otherwise)
        columns = {field: [row.get(field, NOT_RECORDED) for row in rows.values()] for field in kind.by_name}
        return Frame(kind, list(rows), columns, [at.steady] * len(rows))

    return _not_recorded() | {
        MACHINE.name: frame(MACHINE, host.machine),
        BLOCK.name: frame(BLOCK, _disks(entry, seconds, counts), NO_DISKS),
        CPU.name: frame(CPU, _cpus(entry, seconds, counts, host.processors), NO_CPUS),
        MEMORY.name: frame(MEMORY, _memory(entry, seconds, counts)),
    }
