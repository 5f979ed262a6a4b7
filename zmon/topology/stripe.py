"""Closed formulas: the leg, and the offset there, of bytes of a striped device.

Nothing is computed chunk by chunk, so a terabyte takes as long as a kilobyte.  This is possible because
consecutive bytes of the device are consecutive on each leg, too, apart from parity and further copies in
between, whose pattern repeats after a few rows.
"""

from __future__ import annotations

from functools import lru_cache

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class ByteRange(NamedTuple):
    """Bytes of a device from `begin` to before `end`: all, or those that a pattern selects.

    With a `period`, it contains only bytes x with `(x - phase) mod period < run`.
    """

    begin: int
    end: int
    period: int = 0
    phase: int = 0
    run: int = 0

    def size(self) -> int:
        """Return the number of bytes."""
        if not self.period:
            return self.end - self.begin
        return self._before(self.end) - self._before(self.begin)

    def _before(self, x: int) -> int:
        rounds, rest = divmod(x - self.phase, self.period)
        return rounds * self.run + min(rest, self.run)

    def cut(self, begin: int, end: int) -> ByteRange:
        """Return the part of it within these limits, which it must touch."""
        if begin <= self.begin and self.end <= end:
            return self
        return self._replace(begin=max(self.begin, begin), end=min(self.end, end))

    def moved(self, by: int) -> ByteRange:
        """Return it shifted by a number of bytes."""
        return (
            ByteRange(self.begin + by, self.end + by, self.period, self.phase + by, self.run) if by else self
        )

    def teeth(self) -> Iterator[ByteRange]:
        """Return its contiguous parts."""
        if not self.period:
            yield self
            return
        first = (self.begin - self.phase) // self.period * self.period + self.phase
        for begin in range(first, self.end, self.period):
            low, high = max(begin, self.begin), min(begin + self.run, self.end)
            if low < high:
                yield ByteRange(low, high)


class LegRange(NamedTuple):
    """Bytes on one leg."""

    leg: int
    part: ByteRange
    copy: bool = False
    """Whether it is a further copy, or parity."""


# --- striped, raid0 ---------------------------------------------------------------------------


def striped(legs: int, chunk: int, begin: int, end: int) -> Iterator[LegRange]:
    """Return the bytes from `begin` to before `end` on each leg.

    Of the first x bytes a leg has one chunk per full row; of the last row a whole chunk if x is in a later
    chunk, the bytes before x if x is in its own chunk, else nothing.
    """
    first, low = divmod(begin, chunk)
    last, high = divmod(end, chunk)
    (row, leg), (last_row, last_leg) = divmod(first, legs), divmod(last, legs)
    touched: Iterable[int] = range(legs)
    if last - first + 1 < legs:  # few chunks on many legs
        touched = sorted(number % legs for number in range(first, last + 1))
    for here in touched:
        start = row * chunk + (chunk if here < leg else low if here == leg else 0)
        stop = last_row * chunk + (chunk if here < last_leg else high if here == last_leg else 0)
        if start < stop:
            yield LegRange(here, ByteRange(start, stop))


# --- rows with parity -------------------------------------------------------------------------

Rows = tuple[tuple[int, ...], ...]
"""For each row, until the pattern repeats, the legs of its data chunks in the order of the data."""


def _asymmetric(legs: int, parity: Iterable[int]) -> tuple[int, ...]:
    """Data on all legs from the first to the last that hold no parity."""
    taken = set(parity)
    return tuple(leg for leg in range(legs) if leg not in taken)


def _symmetric(legs: int, parity: int, taken: int) -> tuple[int, ...]:
    """Data round the legs, beginning after `taken` chunks of parity."""
    return tuple((parity + taken + d) % legs for d in range(legs - taken))


def _raid5(kind: str, row: int, legs: int) -> tuple[int, ...]:
    where = legs - 1 - row % legs if kind[0] == "l" else row % legs
    return _symmetric(legs, where, 1) if kind[1] == "s" else _asymmetric(legs, [where])


def _raid6(kind: str, row: int, legs: int) -> tuple[int, ...]:
    left, right = legs - 1 - row % legs, row % legs
    match kind:
        case "nc":  # Q comes before P, and the data after it
            return tuple((left + 1 + d) % legs for d in range(legs - 2))
        case "ls" | "rs":
            return _symmetric(legs, left if kind == "ls" else right, 2)
    where = {"la": left, "ra": right, "zr": right, "nr": (left - 1) % legs}[kind]
    return _asymmetric(legs, [where, (where + 1) % legs])


PARITY: Final = {
    "raid4": 1, "raid5_0": 1, "raid5_n": 1, "raid5_la": 1, "raid5_ra": 1, "raid5_ls": 1, "raid5_rs": 1,
    "raid6_0": 2, "raid6_n": 2, "raid6_n_6": 2, "raid6_la": 2, "raid6_ra": 2, "raid6_ls": 2, "raid6_rs": 2,
    "raid6_zr": 2, "raid6_nr": 2, "raid6_nc": 2, "raid6_0_6": 2,
    "raid6_la_6": 2, "raid6_ra_6": 2, "raid6_ls_6": 2, "raid6_rs_6": 2,
}  # fmt: skip
"""The known layouts with parity, and the number of legs that may fail.

`raid4` is that of the device mapper, with parity on the first leg; md's level 4 is `raid5_n`.
"""


@lru_cache(maxsize=64)
def rows(kind: str, legs: int) -> Rows:
    """Return the rows of a layout in `PARITY`.

    Kernel: drivers/md/raid5.c, raid5_compute_sector; the names: drivers/md/dm-raid.c.
    """
    level, _, rest = kind.partition("_")
    taken = PARITY[kind]
    if kind == "raid4" or rest == "0":
        return (tuple(range(taken, legs)),)
    if rest in ("n", "n_6"):
        return (tuple(range(legs - taken)),)
    if rest == "0_6":
        return (tuple(range(1, legs - 1)),)
    if rest.endswith("_6"):  # raid5 but for the last leg, which holds the second parity
        return tuple(_raid5(rest, row, legs - 1) for row in range(legs - 1))
    return tuple((_raid5 if level == "raid5" else _raid6)(rest, row, legs) for row in range(legs))


def parity(layout: Rows, legs: int, chunk: int, begin: int, end: int) -> Iterator[LegRange]:
    """Return the bytes from `begin` to before `end`, and of their parity, on each leg.

    Parity counts if it covers any of these bytes.
    """
    width = len(layout[0]) * chunk
    first, last = -(-begin // width), end // width
    if first >= last:
        for row in range(begin // width, -(-end // width)):
            low = max(begin, row * width)
            yield from _part_of_row(layout, legs, chunk, low, min(end, (row + 1) * width))
        return
    if begin < first * width:
        yield from _part_of_row(layout, legs, chunk, begin, first * width)
    for leg in range(legs):
        span = ByteRange(first * chunk, last * chunk)
        data = {row for row, holders in enumerate(layout) if leg in holders}
        yield from _picked(leg, span, data, len(layout), chunk)
    if last * width < end:
        yield from _part_of_row(layout, legs, chunk, last * width, end)


def _part_of_row(layout: Rows, legs: int, chunk: int, begin: int, end: int) -> Iterator[LegRange]:
    row = begin // (len(layout[0]) * chunk)
    holders, at = layout[row % len(layout)], row * chunk
    within: list[tuple[int, int]] = []
    while begin < end:
        number, low = divmod(begin, chunk)
        high = min(chunk, low + end - begin)
        yield LegRange(holders[number % len(holders)], ByteRange(at + low, at + high))
        within.append((low, high))
        begin += high - low
    first, last = within[0], within[-1]
    spans = (
        [first] if first is last else [last, first]
    )  # of several chunks, from within one to within another
    if len(within) > 2 or (first is not last and last[1] >= first[0]):
        spans = [(0, chunk)]
    for leg in range(legs):
        if leg not in holders:
            yield from (LegRange(leg, ByteRange(at + low, at + high), copy=True) for low, high in spans)


# --- copies side by side: raid10 near ---------------------------------------------------------


def near(legs: int, copies: int, chunk: int, begin: int, end: int) -> Iterator[LegRange]:
    """Return the bytes from `begin` to before `end`, in all copies, on each leg."""
    first, last = -(-begin // chunk), end // chunk
    if first > last:  # within one chunk
        yield from _part_of_chunk(legs, copies, chunk, begin, end)
        return
    if begin < first * chunk:
        yield from _part_of_chunk(legs, copies, chunk, begin, first * chunk)
    for leg in range(legs):
        low, high = -(-(first * copies - leg) // legs), -(-(last * copies - leg) // legs)
        if low < high:
            data = {row for row in range(copies) if (row * legs + leg) % copies == 0}
            yield from _picked(leg, ByteRange(low * chunk, high * chunk), data, copies, chunk)
    if last * chunk < end:
        yield from _part_of_chunk(legs, copies, chunk, last * chunk, end)


def _part_of_chunk(legs: int, copies: int, chunk: int, begin: int, end: int) -> Iterator[LegRange]:
    number, within = divmod(begin, chunk)
    for copy in range(copies):
        row, leg = divmod(number * copies + copy, legs)
        first = row * chunk + within
        yield LegRange(leg, ByteRange(first, first + end - begin), copy > 0)


def _picked(leg: int, span: ByteRange, data: set[int], period: int, chunk: int) -> Iterator[LegRange]:
    """Divide a span of whole rows into those that hold data and the others."""
    for chosen, copy in ((data, False), (set(range(period)) - data, True)):
        if len(chosen) == period:
            yield LegRange(leg, span, copy)
            continue
        for phase, run in _runs(chosen, period):
            part = ByteRange(span.begin, span.end, period * chunk, phase * chunk, run * chunk)
            if part.size():
                yield LegRange(leg, part, copy)


def _runs(chosen: set[int], period: int) -> list[tuple[int, int]]:
    """Return the runs of consecutive rows among those chosen; the last row is followed by the first."""
    starts = sorted(row for row in chosen if (row - 1) % period not in chosen)
    gaps = sorted(row for row in range(period) if row not in chosen)
    runs = []
    for start in starts:
        stop = next((gap for gap in gaps if gap > start), gaps[0] + period)
        runs.append((start, stop - start))
    return runs
