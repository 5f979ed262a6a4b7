"""The block devices of an interval: what Linux counts of each in /proc/diskstats, or sar tells of it.

A disk hangs when requests are in Linux and none completes.
"""

from __future__ import annotations

from functools import cached_property
from operator import add

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.sizes import KIB, MB, SECTOR
from zmon.interval import IDLE
from zmon.kinds import BLOCK
from zmon.machine.figure import Figure, catalogue
from zmon.machine.join import NO_BLOCK, Joined, first, plus, quotient, total
from zmon.machine.observation import NOT_APART
from zmon.machine.things import Things
from zmon.sample import pick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval

SECTORS: Final = ("sectors_read", "sectors_written")
MAX_BUSY: Final = 110.0
"""Percent: what is a little more than 100 is due to clocks of 10 ms."""
TOO_BUSY: Final = absent("the kernel counted more busy time than has passed")
MIN_UNANSWERED: Final = 5.0
"""Seconds for which requests are there without those that completed, from which on they hang."""
MIN_HANG_BUSY: Final = 0.9
"""A disk whose requests do not complete hangs when it is busy for this part of the interval."""
MIN_HANG_SECONDS: Final = 1.0
"""Seconds without a completion below which a disk does not hang: one slow request is no more than that."""


class Blocks(Things):
    """Block devices, by default all that are counted, in the order of `keys`, their names."""

    keys: Sequence[Value]  # type: ignore[assignment]  # a device may have no block device

    def __init__(
        self, interval: Interval, names: Sequence[Value] | None = None, otherwise: Absent = NO_BLOCK
    ) -> None:
        """Line up those with some names; of a name that is not counted nothing is known but `otherwise`."""
        blocks = interval.of(BLOCK)
        self.keys = blocks.keys if names is None else names
        self.counted = Joined(blocks, self.keys, otherwise)
        """What is no figure: counters and labels."""
        self.mixed = "requests" in blocks.frame.columns
        """Whether reads, writes and discards are not told apart, as sar does."""
        self.requests = ("requests",) if self.mixed else ("reads", "writes")
        self.times = ("request_ms",) if self.mixed else ("read_ms", "write_ms")

    def apart(self, counter: str) -> Sequence[Number]:
        """Return what a counter of reads, or of writes, alone grew by."""
        return [NOT_APART] * len(self.keys) if self.mixed else self.counted.numbers(counter)

    @cached_property
    def hung(self) -> dict[int, float]:
        """The rows in which requests are in Linux and none completed, with the seconds of that.

        Where some completed before, the others are as long there as Linux's clock went on without these.

        The driver may hand back the requests of a stopped device, so that none counts as in flight; Linux's
        clock (`io_ms`) goes on all the same.  Kernels in which it does not have them in flight.
        """
        counted = self.counted
        hung: dict[int, float] = {}
        columns = (
            self.numbers("done"), counted.numbers("io_ms"), counted.seconds,
            counted["in_flight"], counted.earlier("in_flight"),
        )  # fmt: skip
        for row, (requests, busy, seconds, now, before) in enumerate(zip(*columns, strict=True)):
            if isinstance(seconds, Absent):
                continue
            waited = 0.0
            if requests != 0:
                waited = self._unanswered(row, busy) if busy >= MIN_UNANSWERED * 1e3 else 0.0
            elif not isinstance(busy, Absent) and busy >= MIN_HANG_BUSY * 1e3 * seconds:
                waited = min(busy / 1e3, seconds)
            elif now > 0 and before > 0:  # type: ignore[operator]  # gauges
                waited = seconds
            others = ("discards", "flushes")
            if waited >= MIN_HANG_SECONDS and not any(counted.numbers(name)[row] > 0 for name in others):
                hung[row] = waited
        return hung

    def _unanswered(self, row: int, busy: Number) -> float:
        """Return the seconds in which requests were there that did not complete, without those that did."""
        answered = total([self.counted.numbers(name)[row] for name in self.times])
        alone = (busy - answered) / 1e3
        is_there = self.counted["in_flight"][row] > 0  # type: ignore[operator]  # a gauge
        return 0.0 if isinstance(alone, Absent) or not is_there or alone < MIN_UNANSWERED else alone


def _submitted(blocks: Blocks) -> list[Number]:
    """Return the requests per second with those that were merged to them, where these are counted."""
    none = [0] * len(blocks.keys)
    merged = (first(blocks.counted.rate(counter), none) for counter in ("reads_merged", "writes_merged"))
    return plus(blocks.numbers("ios"), *merged)


def _moved(blocks: Blocks) -> Sequence[Number]:
    """Return the bytes per second of all requests."""
    moved = blocks.numbers("bytes")
    # where discards are not printed, they are not among the requests
    discarded = (sectors * SECTOR for sectors in blocks.counted.rate("sectors_discarded"))
    return first(list(map(add, moved, discarded)), moved) if blocks.mixed else moved


def _busy(blocks: Blocks) -> list[Number]:
    percents = [ms / 10 for ms in blocks.counted.rate("io_ms")]
    return [TOO_BUSY if percent > MAX_BUSY else percent for percent in percents]


def _hanging(blocks: Blocks) -> list[Number]:
    return [1 if row in blocks.hung else ms * 0 for row, ms in enumerate(blocks.counted.rate("io_ms"))]


def _sum(key: str, values: Callable[[Blocks], Sequence[Number]]) -> Figure:
    """Declare a figure of which several have the sum."""
    return Figure(key, values, lambda blocks, rows: total(pick(blocks.numbers(key), rows)))


def _quotient(key: str, part: str, whole: str, scale: float = 1.0) -> Figure:
    """Declare a figure of which several have that of their sums."""

    def together(blocks: Blocks, rows: Sequence[int]) -> Number:
        return quotient([blocks.of(part, rows)], [blocks.of(whole, rows)], scale, IDLE)[0]

    return Figure(
        key, lambda blocks: quotient(blocks.numbers(part), blocks.numbers(whole), scale, IDLE), together
    )


Blocks.figures = catalogue(
    # per second
    _sum("ios", lambda blocks: plus(*map(blocks.counted.rate, blocks.requests))),
    _sum("reads", lambda blocks: blocks.counted.rate("reads")),
    _sum("writes", lambda blocks: blocks.counted.rate("writes")),
    _sum("submitted", _submitted),
    _sum("rbytes", lambda blocks: [sectors * SECTOR for sectors in blocks.counted.rate("sectors_read")]),
    _sum("wbytes", lambda blocks: [sectors * SECTOR for sectors in blocks.counted.rate("sectors_written")]),
    _sum("bytes", lambda blocks: [sectors * SECTOR for sectors in plus(*map(blocks.counted.rate, SECTORS))]),
    _sum("moved", _moved),
    _sum("mbs", lambda blocks: [moved / MB for moved in blocks.numbers("bytes")]),
    # in the interval: requests, and the ms that they waited
    _sum("done", lambda blocks: plus(*map(blocks.counted.numbers, blocks.requests))),
    _sum("rdone", lambda blocks: blocks.counted.numbers("reads")),
    _sum("wdone", lambda blocks: blocks.counted.numbers("writes")),
    _sum("waited", lambda blocks: plus(*map(blocks.counted.numbers, blocks.times))),
    _sum("rwaited", lambda blocks: blocks.apart("read_ms")),
    _sum("wwaited", lambda blocks: blocks.apart("write_ms")),
    # of a request: ms, percent that are reads, KiB
    _quotient("await", "waited", "done"),
    _quotient("rwait", "rwaited", "rdone"),
    _quotient("wwait", "wwaited", "wdone"),
    _quotient("read", "rdone", "done", 100.0),
    _quotient("reqkb", "moved", "ios", 1 / KIB),
    # requests in Linux on average; the percentage of the time in which there is one; whether it hangs
    _sum("queue", lambda blocks: [ms / 1e3 for ms in blocks.counted.rate("weighted_ms")]),
    Figure("lbusy", _busy),
    _sum("hung", _hanging),
)
"""All requests (`ios`, `await`, `moved`) are discards, too, where sar does not tell these apart."""
