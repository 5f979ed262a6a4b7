"""When a load began and ended, and what is usual, from intervals or what recordings keep by minutes."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

import pytest

from tests.frames import frame_of
from zmon.base.absent import Absent, absent
from zmon.base.clock import DAY, HOUR, MINUTE
from zmon.diagnosis.diagnosis import Measurement, Subject
from zmon.interval import Interval
from zmon.kinds import BLOCK, CPU, DEVICE
from zmon.machine.figure import TimedValue, Variable
from zmon.machine.observed_history import LoadPeriod, SlowerWrites, load_period, slower_writes, usual
from zmon.machine.view import History, View
from zmon.sample import Instant, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.sample import Kind

NOW = 1_773_662_400_000_000_000
GAP = absent("gap")
LCU = Measurement("control_unit.mbs", Subject("lcu", "L", "LCU 7"), 32.0, "words")


def sample(minute: int, sectors: int) -> Sample:
    at = NOW + minute * MINUTE
    rows: dict[Kind, dict[str, dict[str, Value]]] = {
        BLOCK: {"dasda": {"sectors_read": sectors, "sectors_written": 0}},
        DEVICE: {"0.0.7000": {"block": "dasda", "online": 1}},
        CPU: {"0": {"online": 1}},
    }
    return Sample(
        Instant(at, at, "boot"), {kind.name: frame_of(kind, each, at) for kind, each in rows.items()}
    )


def view(rates: Sequence[int], trend: object = None) -> View:
    """Return the last of some minutes with these sectors a second each, and what is kept of them."""
    sums = [sum(rates[:at]) * 60 for at in range(len(rates) + 1)]
    samples = [sample(at - len(rates), sectors) for at, sectors in enumerate(sums)]
    intervals = [Interval(one, other) for one, other in pairwise(samples)]

    def past(utc: int | None = None) -> Iterator[Interval]:
        return iter([one for one in intervals[::-1] if utc is None or one.after.at.utc <= utc])

    kept = trend or (lambda _variable, _begin, _end: ())
    return View(intervals[-1], history=History(past, first=lambda: NOW - 3 * DAY, trend=kept))  # type: ignore[arg-type]


def period(seen: View, usual_sectors: int = 100) -> LoadPeriod:
    """Return when the one LCU had much more than so many sectors a second."""
    found = load_period(seen, "L", ("0.0.7000",), 512.0 * usual_sectors)
    assert isinstance(found, LoadPeriod)
    return found


def test_the_begin_is_the_end_of_the_last_calm_interval() -> None:
    """What was before that does not count, also if it was busy; without one it is not known."""
    rates = [9000, 9000, 100, 100, 9000, 9000, 9000]
    assert period(view(rates)) == LoadPeriod(NOW - 3 * MINUTE)
    assert isinstance(period(view([9000, 9000])).begin, Absent)


def written(times: Sequence[int], many: int = 600) -> View:
    """Return the last of some minutes in which a write takes these ms each, a read 1 ms."""
    rows = [
        {"reads": 100 * at, "read_ms": 100 * at, "writes": many * at, "write_ms": many * sum(times[:at])}
        for at in range(len(times) + 1)
    ]
    samples = []
    for at, row in enumerate(rows, -len(times)):
        one = sample(at, 0)
        frame = frame_of(BLOCK, {"dasda": row}, one.at.utc)
        samples.append(Sample(one.at, {**one.frames, BLOCK.name: frame}))
    intervals = [Interval(one, other) for one, other in pairwise(samples)]
    past = History(lambda _utc=None: iter(intervals[::-1]), first=lambda: NOW - 3 * DAY)
    return View(intervals[-1], history=past)


def test_writes_are_slow_since_the_last_two_intervals_in_which_they_were_not() -> None:
    """A single one in which they were quick is chance; how quick they were is of all just before."""
    seen = written([1, 2, 1, 5, 1, 5, 5, 5])
    found = slower_writes(seen, ("0.0.7000",), 0.002)
    assert isinstance(found, SlowerWrites)
    assert found == pytest.approx((NOW - 5 * MINUTE, 10.0, 0.004 / 3))
    assert isinstance(slower_writes(written([5, 5, 5]), ("0.0.7000",), 0.002), Absent)
    assert isinstance(slower_writes(written([1, 1, 1, 5], 1), ("0.0.7000",), 0.002), Absent)


def test_a_load_that_is_over_has_an_end() -> None:
    """In a long interval the highest load is looked for, wherever it is in it; it may begin before that."""
    rates = [100, 100, 9000, 8000, 9000, 100, 100, 500, 100]
    seen = view(rates)
    whole = Interval(next(islice(seen.history.past(), 6, None)).before, seen.interval.after, skipped=True)
    assert period(View(whole, history=seen.history)) == LoadPeriod(NOW - 7 * MINUTE, NOW - 4 * MINUTE)
    half = Interval(next(islice(seen.history.past(), 4, None)).before, seen.interval.after, skipped=True)
    assert period(View(half, history=seen.history)) == LoadPeriod(NOW - 7 * MINUTE, NOW - 4 * MINUTE)


def test_what_is_kept_by_minutes_is_asked_first() -> None:
    """In MB/s; a minute that is not known is passed over."""

    def trend(variable: Variable, begin: int, end: int) -> list[TimedValue]:
        assert (variable, end - begin) == (Variable("control_unit", "mbs", "L"), 6 * HOUR)
        means: list[float | Absent] = [50.0, 1.0, GAP, 50.0]
        return [
            TimedValue(NOW + (at - 4) * MINUTE, NOW + (at - 3) * MINUTE, mean, mean, mean)
            for at, mean in enumerate(means)
        ]

    assert load_period(view([9000], trend), "L", (), 2e6) == LoadPeriod(NOW - 2 * MINUTE)


def test_usual_is_the_median_of_other_days_at_this_hour() -> None:
    """Half an hour to either side; a day that was not recorded does not count."""
    asked = []

    def trend(_variable: Variable, begin: int, end: int) -> list[TimedValue]:
        asked.append((NOW - (begin + end) // 2) // DAY)
        assert end - begin == HOUR
        value: dict[int, float | Absent] = {1: 10.0, 2: GAP, 3: 30.0}
        mean = value[asked[-1]]
        return [TimedValue(begin, end, mean, mean, mean)]

    assert usual(view([9000], trend), LCU.variable) == 20.0
    assert asked == [1, 2, 3]


def test_without_other_days_nothing_is_usual() -> None:
    """Nor is a number without a thing that trends are kept of."""
    assert isinstance(usual(view([9000]), LCU.variable), Absent)
    assert isinstance(usual(view([9000]), LCU._replace(subject=Subject("machine")).variable), Absent)


def test_the_load_of_all_processors_is_the_mean_of_theirs() -> None:
    """Trends are kept of each."""

    def trend(variable: Variable, begin: int, end: int) -> list[TimedValue]:
        assert variable == Variable("cpu", "busy", "0")
        return [TimedValue(begin, end, 40.0, 40.0, 40.0)]

    busy = Measurement("cpu.busy", Subject("cpu", "", "1 processor"), 80.0, "words")
    assert usual(view([9000], trend), busy.variable) == 40.0
