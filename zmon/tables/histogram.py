"""Histograms whose buckets double in width, as the DASD driver keeps them: labels, means and percentiles.

Bucket 0 holds what is less than 4, bucket i what is from 2**(i+1) to less than 2**(i+2), and the last all
beyond.  Where in its bucket a value was is not known, so means and percentiles are estimates: values are
taken to lie evenly on a logarithmic scale.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kinds import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.absent import Number

NOTHING: Final = absent("no request was counted")

LAST: Final = BUCKETS - 1

FULL: Final = 100.0
"""The length of the longest bar, and all of something in percent."""


def bounds(bucket: int) -> tuple[int, int]:
    """Return the first value of a bucket and the first beyond it; the last is taken to end like others."""
    return (0 if not bucket else 2 << bucket), 4 << bucket


def time_label(bucket: int) -> str:
    """Write the times of a bucket, which are microseconds: `512-1023us`, `4.1-8.2ms`."""
    low, high = bounds(bucket)
    if not bucket or bucket == LAST:
        return "<4us" if not bucket else f">{low / 1e6:.0f}s"
    if high <= 1 << 10:
        return f"{low}-{high - 1}us"
    size, unit = (1e3, "ms") if high <= 1 << 19 else (1e6, "s")
    return f"{_short(low / size)}-{_short(high / size)}{unit}"


def _short(value: float) -> str:
    return (f"{value:.1f}" if value < 9.95 else f"{value:.0f}").removeprefix("0")


def size_label(bucket: int) -> str:
    """Write the sizes of a bucket, which are sectors of 512 bytes: `4-8K` is from 4 KiB to less than 8."""
    low, high = (bound // 2 for bound in bounds(bucket))
    if not bucket or bucket == LAST:
        return "<2K" if not bucket else f">{low >> 30}T"
    one, other = _binary(low), _binary(high)
    return f"{one.removesuffix(other[-1])}-{other}"


def _binary(kibibytes: int) -> str:
    """Write a power of two."""
    power = (kibibytes.bit_length() - 1) // 10
    return f"{kibibytes >> 10 * power}{'KMGT'[power]}"


def queue_label(bucket: int) -> str:
    """Write the length of a queue, whose buckets hold one value each."""
    return f"{bucket}" if bucket < LAST else f"{bucket}+"


def mean(counts: Sequence[Number]) -> Number:
    """Estimate the mean of a histogram."""
    whole = total(counts)
    if isinstance(whole, Absent):
        return whole
    return sum((_middle(bucket) * count for bucket, count in enumerate(counts)), start=0.0) / whole


def _middle(bucket: int) -> float:
    """Return the mean of values that lie evenly on a logarithmic scale between the bounds of a bucket."""
    low, high = bounds(bucket)
    return (high - low) / log(high / low) if low else high / 2


def percentile(counts: Sequence[Number], percent: float) -> Number:
    """Estimate below which value so many percent of a histogram lie."""
    whole = total(counts)
    if isinstance(whole, Absent):
        return whole
    left: Number = whole * percent / FULL
    for bucket, count in enumerate(counts):
        if not isinstance(count, Absent) and count and count >= left:
            low, high = bounds(bucket)
            part = left / count
            return low * (high / low) ** part if low else high * part
        left -= count
    return float(bounds(LAST)[1])  # rounding has left a rest


def queue_mean(counts: Sequence[Number]) -> Number:
    """Return the mean of a histogram of a queue's length, of which only the last bucket is not exact."""
    whole = total(counts)
    if isinstance(whole, Absent):
        return whole
    return sum((bucket * count for bucket, count in enumerate(counts)), start=0.0) / whole


def total(counts: Sequence[Number]) -> Number:
    """Return how many there are; absent when there are none."""
    whole: Number = sum(counts)
    return whole or NOTHING


def peak(shares: Sequence[Number]) -> int | None:
    """Return the fullest bucket, of several the first; None when there is none."""
    known = [(-share, bucket) for bucket, share in enumerate(shares) if not isinstance(share, Absent)]
    share, bucket = min(known, default=(0.0, 0))
    return bucket if share else None


def percents(counts: Sequence[Number]) -> list[Number]:
    """Return what part of all each bucket holds."""
    whole = total(counts)
    return [FULL * count / whole for count in counts]


def bars(shares: Sequence[Number], longest: Number) -> list[Number]:
    """Return how long a bar stands for each share, in percent of the longest bar."""
    return [FULL * share / longest if longest else share for share in shares]


def reach(*histograms: Sequence[Number]) -> range:
    """Return the buckets from the first to the last that hold anything in one of several histograms."""
    held = [
        bucket
        for bucket in range(BUCKETS)
        if any(not isinstance(counts[bucket], Absent) and counts[bucket] for counts in histograms)
    ]
    return range(held[0], held[-1] + 1) if held else range(0)
