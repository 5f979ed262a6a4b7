from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kinds import BUCKETS
from zmon.tables.dasdstat import (
    NOTHING,
    bars,
    bounds,
    bucket_mean,
    peak_bucket,
    percentile,
    percents,
    queue_label,
    queue_mean,
    reach,
    size_label,
    time_label,
)

if TYPE_CHECKING:
    from zmon.base.absent import Number

UNKNOWN = absent("not told")
COUNTS = st.lists(st.integers(0, 10**6), min_size=BUCKETS, max_size=BUCKETS)


def held(**buckets: int) -> list[Number]:
    """Return a histogram: `held(b8=100)` has 100 in bucket 8."""
    return [buckets.get(f"b{bucket}", 0) for bucket in range(BUCKETS)]


def test_the_buckets_follow_one_another() -> None:
    """The first is 0 to 3, and each ends where the next begins."""
    assert bounds(0) == (0, 4)
    assert all(bounds(bucket)[1] == bounds(bucket + 1)[0] for bucket in range(BUCKETS - 1))


@pytest.mark.parametrize(
    ("bucket", "time", "size"),
    [
        (0, "<4us", "<2K"),
        (1, "4-7us", "2-4K"),
        (2, "8-15us", "4-8K"),
        (8, "512-1023us", "256-512K"),
        (9, "1.0-2.0ms", "512K-1M"),
        (12, "8.2-16ms", "4-8M"),
        (17, "262-524ms", "128-256M"),
        (18, ".5-1.0s", "256-512M"),
        (31, ">4295s", ">2T"),
    ],
)
def test_labels_say_what_a_bucket_holds(bucket: int, time: str, size: str) -> None:
    """Microseconds, and sectors of 512 bytes: a page of 4 KiB are 8 of them."""
    assert (time_label(bucket), size_label(bucket)) == (time, size)


def test_the_last_length_of_a_queue_is_open() -> None:
    """The driver looks no further."""
    assert (queue_label(1), queue_label(31)) == ("1", "31+")


def test_labels_fit_their_columns() -> None:
    """And no two are the same."""
    for label, width in ((time_label, 10), (size_label, 8), (queue_label, 3)):
        labels = [label(bucket) for bucket in range(BUCKETS)]
        assert max(map(len, labels)) <= width
        assert len(set(labels)) == BUCKETS


@given(COUNTS.filter(any))
def test_means_and_percentiles_lie_where_something_was_counted(counts: list[int]) -> None:
    """Between the lowest and the highest bound, and percentiles rise."""
    known: list[Number] = list(counts)
    reached = reach(known)
    low, high = bounds(reached[0])[0], bounds(reached[-1])[1]
    some = [percentile(known, percent) for percent in (1, 50, 95, 99, 100)]
    assert all(not isinstance(one, Absent) and low <= one <= high * 1.000001 for one in some)
    assert some == sorted(some)
    assert low <= bucket_mean(known) <= high


def test_a_median_lies_in_the_bucket_that_holds_it() -> None:
    """Half way through it on a logarithmic scale."""
    assert percentile(held(b8=100), 50) == pytest.approx(512 * 2**0.5)
    assert percentile(held(b0=100), 50) == 2


def test_a_mean_of_one_bucket_is_between_its_bounds() -> None:
    """Nearer to the lower, as on a logarithmic scale."""
    assert bucket_mean(held(b8=10)) == pytest.approx(738.7, abs=0.1)
    assert bucket_mean(held(b0=10)) == 2


def test_a_mean_is_near_what_the_driver_itself_averaged() -> None:
    """Of 9,492 requests to emulated disks it was 4,161 us, and 1,173 till the interrupt."""
    total = [0, 0, 0, 38, 112, 34, 139, 1177, 3493, 2755, 785, 496, 253, 85, 17, 18, 67, 23, *[0] * 14]
    device = [0, 19, 100, 113, 269, 1001, 1945, 3705, 1541, 311, 222, 115, 28, 31, 66, 26, *[0] * 16]
    assert bucket_mean(list(total)) == pytest.approx(4161, rel=0.05)
    assert bucket_mean(list(device)) == pytest.approx(1173, rel=0.05)


def test_the_mean_of_a_queue_is_exact() -> None:
    """Its buckets hold one value each."""
    assert queue_mean(held(b1=30, b2=10)) == 1.25


def test_of_nothing_there_is_no_mean_no_percentile_and_no_peak() -> None:
    """It is absent, and not zero."""
    assert [bucket_mean(held()), percentile(held(), 50), queue_mean(held())] == [NOTHING] * 3
    assert peak_bucket(held()) is None


def test_what_is_unknown_stays_unknown() -> None:
    """For its own reason."""
    unknown: list[Number] = [UNKNOWN] * BUCKETS
    assert [bucket_mean(unknown), percentile(unknown, 50), percents(unknown)[0]] == [UNKNOWN] * 3
    assert peak_bucket(unknown) is None
    assert not reach(unknown)


def test_parts_are_in_percent_and_bars_in_percent_of_the_longest() -> None:
    """So that the peak fills its field."""
    shares = percents(held(b3=10, b4=30))
    assert shares[3:5] == [25, 75]
    assert bars(shares, 75)[3:5] == [pytest.approx(100 / 3), 100]


def test_the_first_of_several_peaks_counts() -> None:
    """It is the faster one."""
    assert peak_bucket(held(b3=10, b4=30, b5=30)) == 4


def test_rows_reach_from_the_first_to_the_last_that_hold_anything() -> None:
    """In any of the histograms."""
    assert reach(held(b3=1), held(b5=1, b9=1)) == range(3, 10)
