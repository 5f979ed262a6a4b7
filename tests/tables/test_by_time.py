from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.machine.figure import Needs
from zmon.machine.view import History, View
from zmon.sample import Instant, Sample
from zmon.tables.by_time import (
    ESTIMATED,
    MAX_ROWS,
    NO_SAMPLES,
    NOTHING_KEPT,
    RESTARTED,
    SET_BACK,
    Log,
    by_time,
)
from zmon.tables.table import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.tables.table import Table

    Cells = Mapping[str, Value]

SECOND = 1_000_000_000

pytestmark = pytest.mark.usefixtures("utc")

LENGTHS = st.lists(st.integers(1, 29), min_size=1, max_size=30)
NUMBERS = st.floats(0, 1e6) | st.integers(0, 10**6)


def sample(second: float, boot: str = "boot", steady: float | None = None) -> Sample:
    """Return a sample of a tape that was meant to have one every ten seconds."""
    ran = second if steady is None else steady
    return Sample(Instant(round(second * SECOND), round(ran * SECOND), boot), {}, nominal=10)


def intervals(samples: Sequence[Sample]) -> list[Interval]:
    """Return the intervals between samples, the first of which has nothing before it."""
    return [Interval(before, after) for before, after in zip([None, *samples], samples)]  # noqa: B905 - pairs


def filled(
    samples: Sequence[Sample], figures: Callable[[Interval], Cells], weights: Mapping[str, str] | None = None
) -> Table:
    """Fill a by-time table from a history that ends with the last sample."""
    past = intervals(samples)
    view = View(past[-1], history=History(lambda: reversed(past)))
    return by_time(
        view, Log("test", "TEST", Needs(), lambda view, _key: figures(view.interval), weights or {})
    )


def ends(lengths: Sequence[float]) -> list[Sample]:
    """Return samples with intervals of these lengths between them."""
    return [sample(1000 + sum(lengths[:count])) for count in range(len(lengths) + 1)]


def by_end(samples: Sequence[Sample], cells: Sequence[Cells]) -> Callable[[Interval], Cells]:
    """Give each interval its cells; the first sample has none."""
    known = {after.at.utc: cell for after, cell in zip(samples[1:], cells, strict=True)}
    return lambda interval: known.get(interval.after.at.utc, {name: absent("first") for name in cells[0]})


def test_rows_stand_in_the_order_of_time() -> None:
    """One for each interval, the newest last; the first sample has no interval."""
    table = filled(ends([10, 10, 12]), lambda interval: {"x": interval.after.at.utc})
    assert table.columns["time"] == [1010 * SECOND, 1020 * SECOND, 1032 * SECOND]
    assert table.columns["x"] == table.columns["time"]
    assert table.columns["seconds"] == [10, 10, 12]


def test_a_window_holds_its_own_intervals_only() -> None:
    """Between two marks, and so does its mean."""
    samples = ends([10] * 6)
    past = intervals(samples)

    def upto(utc: int | None = None) -> Iterator[Interval]:
        return (one for one in reversed(past) if utc is None or one.after.at.utc <= utc)

    view = View(Interval(samples[1], samples[4], skipped=True), history=History(upto))
    table = by_time(
        view, Log("test", "TEST", Needs(), lambda view, _key: {"x": view.interval.after.at.utc // SECOND})
    )
    assert table.columns["x"] == [1020, 1030, 1040]
    assert table.summary is not None
    assert table.summary.cells["x"] == 1030
    assert table.span == (1010 * SECOND, 1040 * SECOND)


def test_rows_are_named_after_their_end() -> None:
    """In UTC, as ISO 8601 writes it, so that rows of two recordings can be joined."""
    assert filled(ends([10.25]), lambda _: {"x": 1}).keys == ["1970-01-01T00:16:50.250Z"]


@given(LENGTHS, st.data())
def test_the_mean_weighs_with_the_length_of_the_intervals(lengths: list[int], data: st.DataObject) -> None:
    """What was so for twice the time counts twice."""
    values = data.draw(st.lists(NUMBERS, min_size=len(lengths), max_size=len(lengths)))
    samples = ends(lengths)
    table = filled(samples, by_end(samples, [{"busy": value} for value in values]))
    expected = sum(v * n for v, n in zip(values, lengths, strict=True)) / sum(lengths)
    assert table.summary is not None
    assert table.summary.cells["busy"] == pytest.approx(expected)


@given(LENGTHS, st.data())
def test_the_mean_of_an_average_is_the_average_over_all_that_happened(
    lengths: list[int], data: st.DataObject
) -> None:
    """Milliseconds per I/O: all the milliseconds of all the intervals by all their I/O."""
    counts = data.draw(st.lists(st.integers(0, 10_000), min_size=len(lengths), max_size=len(lengths)))
    waits = data.draw(st.lists(st.integers(0, 10**6), min_size=len(lengths), max_size=len(lengths)))
    idle = absent("no I/O")
    rows: list[Cells] = [
        {"io": count / length, "resp": wait / count if count else idle}
        for count, wait, length in zip(counts, waits, lengths, strict=True)
    ]
    samples = ends(lengths)
    table = filled(samples, by_end(samples, rows), {"resp": "io"})
    happened = sum(counts)
    waited = sum(wait for wait, count in zip(waits, counts, strict=True) if count)
    if not happened:
        assert table.summary is None or isinstance(table.summary.cells["resp"], Absent)
        return
    assert table.summary is not None
    assert table.summary.cells["resp"] == pytest.approx(waited / happened)


@given(LENGTHS, st.data())
def test_what_is_absent_does_not_count(lengths: list[int], data: st.DataObject) -> None:
    """The mean is that of the rows where the value is known, each with its length."""
    values = data.draw(st.lists(st.none() | NUMBERS, min_size=len(lengths), max_size=len(lengths)))
    off = absent("measurement is off")
    samples = ends(lengths)
    rows: list[Cells] = [{"busy": off if value is None else value, "there": 1} for value in values]
    table = filled(samples, by_end(samples, rows))
    known = [(v, n) for v, n in zip(values, lengths, strict=True) if v is not None]
    assert table.summary is not None
    if not known:
        assert table.summary.cells["busy"] is off
    else:
        expected = sum(v * n for v, n in known) / sum(n for _, n in known)
        assert table.summary.cells["busy"] == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(1, 29), st.booleans()), min_size=2, max_size=30))
def test_a_gap_is_a_gap(parts: list[tuple[int, bool]]) -> None:
    """No value of it is shown, none goes into the mean, and all other rows stay as they are."""
    lengths = [length + 30 if gap else length for length, gap in parts]
    samples = ends(lengths)
    rows: list[Cells] = [{"busy": 1e9 if gap else length} for length, gap in parts]
    table = filled(samples, by_end(samples, rows))
    gaps = {row for row, (_, gap) in enumerate(parts) if gap}
    assert set(table.gaps) == gaps
    assert {row for row, value in enumerate(table.columns["busy"]) if isinstance(value, Absent)} == gaps
    assert {row for row, value in enumerate(table.columns["seconds"]) if isinstance(value, Absent)} == gaps
    known = [length for length, gap in parts if not gap]
    assert table.summary is not None
    mean = table.summary.cells["busy"]
    if known:
        assert mean == pytest.approx(sum(length * length for length in known) / sum(known))
    else:
        assert isinstance(mean, Absent)


def test_a_gap_says_since_when() -> None:
    """The row stands where it ends."""
    table = filled(ends([10, 600]), lambda _: {"x": 1})
    assert table.gaps == {1: NO_SAMPLES.format("00:16:50")}


def test_a_restart_is_a_gap_of_its_own_kind() -> None:
    """Nothing of before it can be compared with what is after it."""
    table = filled([sample(1000), sample(1010), sample(1040, "another")], lambda _: {"x": 1})
    assert table.gaps == {1: RESTARTED.format("00:16:50")}


def test_a_clock_that_was_set_back_is_said() -> None:
    """The sample before it seems to lie in the future."""
    table = filled([sample(1000), sample(1010), sample(1005, steady=1005)], lambda _: {"x": 1})
    assert table.gaps == {1: SET_BACK.format("00:16:50")}


def test_rows_of_an_hour_that_is_shown_twice_are_told_apart(zone: Callable[[str], None]) -> None:
    """By a note with the offset of each time; other rows have none."""
    zone("Europe/Berlin")
    first, half = 1_792_886_400, 1800
    samples = [sample(first + half * count) for count in range(-2, 6)]
    (note,) = filled(samples, lambda _: {"x": 1}).notes
    assert [word for word in note.split() if ":" in word[:3] or word.startswith("+")] == [
        "02:00:00", "02:30:00", "+02:00,", "02:00:00", "02:30:00", "+01:00",
    ]  # fmt: skip
    assert filled(samples[:2], lambda _: {"x": 1}).notes == ()


def test_no_more_rows_than_a_reader_wants() -> None:
    """The last ones."""
    table = filled(ends([10] * (MAX_ROWS + 50)), lambda interval: {"x": interval.after.at.utc})
    assert len(table.keys) == MAX_ROWS
    assert table.columns["x"][-1] == (1000 + 10 * (MAX_ROWS + 50)) * SECOND


def test_texts_have_no_mean() -> None:
    """Nor a reason why there is none."""
    table = filled(ends([10, 10]), lambda _: {"label": "LX7200", "x": 1})
    assert table.summary is not None
    assert table.summary.cells["label"] == ""


def test_estimates_are_marked_and_so_is_their_mean() -> None:
    """One estimate makes an estimate of the mean."""
    samples = ends([10, 10])
    table = filled(samples, by_end(samples, [{"io": 1, ESTIMATED: "io"}, {"io": 2, ESTIMATED: ""}]))
    assert [table.is_estimate("io", row) for row in (0, 1, SUMMARY)] == [True, False, True]
    assert ESTIMATED not in table.columns


def test_a_page_of_dots_is_a_sentence_instead() -> None:
    """When no row has any value."""
    table = filled(ends([10, 10]), lambda _: {"x": absent("needs an LPAR")})
    assert (table.keys, table.missing) == ([], absent("needs an LPAR"))


def live(*bounds: tuple[int, int]) -> Table:
    """Show a screen at each of these intervals of a live machine that keeps nothing."""
    history = History(lambda: iter(()))
    for begin, end in bounds:
        view = View(Interval(sample(begin), sample(end)), history=history)
        table = by_time(
            view, Log("test", "TEST", Needs(), lambda view, _key: {"x": view.interval.after.at.utc // SECOND})
        )
    return table


def test_a_tape_that_keeps_nothing_has_what_was_looked_at() -> None:
    """A live machine without a recording: the rows come in, each once."""
    assert live((1000, 1010)).columns["x"] == [1010]
    assert live((1000, 1010), (1000, 1010), (1010, 1020)).columns["x"] == [1010, 1020]


def test_what_nobody_looked_at_is_a_gap_then() -> None:
    """Another screen was shown; it is not bridged."""
    table = live((1000, 1010), (1050, 1060))
    assert table.gaps == {1: NOTHING_KEPT.format("00:16:50")}
    assert [isinstance(value, Absent) for value in table.columns["x"]] == [False, True, False]
    assert table.columns["time"][1] == 1050 * SECOND


def test_an_average_over_a_longer_time_is_no_row() -> None:
    """The window between two marks ends where a row has ended."""
    assert live((1000, 1010), (1010, 1020), (1000, 1020)).columns["x"] == [1010, 1020]


def test_the_first_sample_has_no_row() -> None:
    """Differences come with the next one."""
    table = filled([sample(1000)], lambda _: {"x": absent("first")})
    assert (table.keys, table.missing is not None) == ([], True)


def test_rows_are_made_once() -> None:
    """However often the screen is filled."""
    made: list[int] = []

    def figures(view: View, _key: str) -> Cells:
        made.append(view.interval.after.at.utc)
        return {"x": 1}

    past = intervals(ends([10, 10, 10]))
    history = History(lambda: reversed(past))
    for _ in range(3):
        by_time(View(past[-1], history=history), Log("test", "TEST", Needs(), figures))
    assert len(made) == len(set(made)) == len(past)
