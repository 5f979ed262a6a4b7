"""Figures by time: exact where there are few intervals, averages where there are many, gaps in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.goldens import facts
from tests.tables.disks import NOON, SECOND, seen, watch
from zmon.base.absent import Absent
from zmon.base.event import Event, What
from zmon.machine.figure import TimedValue, Variable
from zmon.machine.view import History, NoSuchThing, View
from zmon.screen.chart.points import Point, buckets
from zmon.tables import plot as module
from zmon.tables.filled import NOT_SUMMED, alone
from zmon.tables.plot import NO_COLUMN, averages, cell, find, series
from zmon.tables.table import Table

if TYPE_CHECKING:
    from zmon.session.navigator import Navigator

IO = Variable("device", "io", "sda")
WORK = st.lists(st.integers(0, 500), min_size=1, max_size=60)


def figures(looked: Navigator, variable: Variable = IO, begin: int = 0, many: int = 10) -> list[TimedValue]:
    """Return the figures of a variable up to the end."""
    (found,) = series([variable], seen(looked), (begin, None), many)
    return found.figures


@settings(deadline=None)
@given(WORK)
def test_every_interval_has_its_own_figure(work: list[int]) -> None:
    """What a disk did in a second is what is drawn for that second."""
    found = figures(watch({"sda": work}))
    assert [figure.mean for figure in found] == work
    assert [figure.begin for figure in found] == [NOON + at * SECOND for at in range(len(work))]


@settings(deadline=None)
@given(WORK, st.integers(1, 30))
def test_no_peak_is_lost_on_the_way_to_the_chart(work: list[int], width: int) -> None:
    """However few columns there are, the highest value of all is the highest that is drawn."""
    points = [Point(*figure) for figure in figures(watch({"sda": work}))]
    highest = max(point.figures[2] for point in buckets(points, width) if point.figures is not None)
    assert highest == max(work)


@settings(deadline=None)
@given(st.lists(st.integers(0, 500), min_size=30, max_size=90))
def test_averages_of_many_intervals_add_up_to_the_work_done(work: list[int]) -> None:
    """The mean over each average, with its length as weight, is the mean over all."""
    looked = watch({"sda": work})
    found = [(one.end - one.begin) / SECOND * float(one.mean) for one in averaged(looked)]  # type: ignore[arg-type]  # no gap
    assert sum(found) == pytest.approx(sum(work))


def averaged(looked: Navigator, length: int = 10) -> list[TimedValue]:
    """Return averages over so many seconds."""
    ends = looked.span or (0, 0)
    intervals = averages(looked.history, *ends, length * SECOND)
    rows = [(one, cell(IO, View(one))) for one in intervals]
    return [TimedValue(o.before.at.utc, o.after.at.utc, v, v, v) for o, v in rows if o.before]


def test_very_many_intervals_are_averaged_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader must know that peaks are hidden."""
    monkeypatch.setattr(module, "MAX_EXACT", 20)
    (found,) = series([IO], seen(watch({"sda": [100] * 60})), (NOON, None), 6)
    assert [figure.mean for figure in found.figures] == [100] * 6
    assert facts(found.note) == "10"


def test_a_gap_is_a_gap() -> None:
    """No figure is known of a time without samples."""
    found = figures(watch({"sda": [5] * 20}, left_out=range(8, 14)))
    gap = next(one for one in found if isinstance(one.mean, Absent))
    assert (gap.begin, gap.end) == (NOON + 7 * SECOND, NOON + 14 * SECOND)
    assert len([one for one in found if one.mean == 5]) == 13


def test_no_average_reaches_across_a_gap() -> None:
    """It ends where samples begin to be missing, and the next begins where they are there again."""
    looked = watch({"sda": [5] * 40}, left_out=range(13, 27))
    gap = Event(What.GAP, NOON + 12 * SECOND, NOON + 27 * SECOND)
    history = History(looked.history.past, lambda _begin, _end: [gap])
    found = averages(history, NOON, NOON + 40 * SECOND, 10 * SECOND)
    ends = [((one.before or one.after).at.utc // SECOND, one.after.at.utc // SECOND) for one in found]
    start = NOON // SECOND
    assert [(begin - start, end - start) for begin, end in ends] == [(0, 10), (10, 12), (27, 30), (30, 40)]


def test_a_time_has_a_begin_and_an_end() -> None:
    """Only the intervals that end between them are looked at."""
    looked = watch({"sda": list(range(1, 31))})
    (found,) = series([IO], seen(looked), (NOON + 10 * SECOND, NOON + 13 * SECOND), 10)
    assert [figure.mean for figure in found.figures] == [11, 12, 13]


def test_without_a_row_the_line_of_all_rows_is_meant() -> None:
    """The summary of a list."""
    looked = watch({"sda": [3] * 5, "sdb": [4] * 5})
    assert {figure.mean for figure in figures(looked, Variable("device", "io"))} == {7}


def test_of_a_screen_by_time_the_figure_of_each_interval_is_taken() -> None:
    """The row is then the thing that the screen is about."""
    looked = watch({"sda": [3] * 5, "sdb": [4] * 5})
    assert [figure.mean for figure in figures(looked, Variable("device_log", "io", "sdb"))] == [4] * 5


def test_of_a_page_the_fact_is_taken() -> None:
    """A page is about one thing."""
    looked = watch({"sda": [3] * 5, "sdb": [4] * 5})
    assert {figure.mean for figure in figures(looked, Variable("details", "ios", "sdb"))} == {4}


@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        (Variable("device", "io", "sdz"), "sdz is not there"),
        (Variable("device", "nonsense", "sda"), NO_COLUMN.reason),
        (Variable("details", "io", "sdz"), "sdz"),
        (Variable("channel", "cur"), NOT_SUMMED.reason),
    ],
)
def test_what_is_not_there_says_so(variable: Variable, reason: str) -> None:
    """It is absent, never zero."""
    value = figures(watch({"sda": [3] * 3}), variable)[0].mean
    assert isinstance(value, Absent)
    assert reason in value.reason


def test_a_row_goes_by_its_key_or_a_label() -> None:
    """As people name it, in whatever case."""
    interval = watch({"sda": [3], "sdb": [4]}).interval
    assert interval is not None
    assert find(alone("device", View(interval)), "SDB") == "sdb"


def test_a_device_number_means_the_device() -> None:
    """Though all volumes of its control unit are labelled with the number of the first one, too."""
    table = Table(["0.0.7000", "0.0.7001"], {"lcu": ["7000", "7000"], "label": ["DB2DA1", "DB2DA2"]})
    assert [find(table, name) for name in ("7000", "7001", "db2da2")] == ["0.0.7000", "0.0.7001", "0.0.7001"]
    with pytest.raises(NoSuchThing, match=r"0\.0\.7001, 0\.1\.7001"):
        find(table._replace(keys=["0.0.7001", "0.1.7001"]), "7001")


@pytest.mark.parametrize(("name", "why"), [("sdz", "is in no row"), ("read", "is in no row")])
def test_a_row_that_is_not_there_is_said(name: str, why: str) -> None:
    """A mistyped name is no empty chart."""
    interval = watch({"sda": [3], "sdb": [4]}).interval
    assert interval is not None
    with pytest.raises(NoSuchThing, match=why):
        find(alone("device", View(interval)), name)
