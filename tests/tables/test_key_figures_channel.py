from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import Absent
from zmon.interval import Interval
from zmon.kinds import CHANNEL, CMF, DEVICE
from zmon.machine.channel_paths import period_part
from zmon.machine.period import Period
from zmon.machine.view import History, NoSuchThing, View
from zmon.sample import Instant, Sample, frame_of
from zmon.tables.by_time import ESTIMATED
from zmon.tables.filled import fill
from zmon.tables.key_figures import NO_SUCH_PATH, path_figures

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = (50.0, 70.0)
SECOND = 1_000_000_000
TICKS = 468_750
"""Of the paths' clock in a minute."""


def path(percent: float, ticks: int = TICKS) -> dict[str, Any]:
    """Return what a path of group 2 counts when it is so busy."""
    units = round(percent * ticks * 128e-6 * 100)
    return {"type": 0x1B, "cmg": 2, "timestamp": ticks, "max_work_units": 10_000, "work_units_cpc": units,
            "work_units": units // 2}  # fmt: skip


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute in which paths 40, 41 ... were so busy."""

    def made(*percents: float) -> Interval:
        paths = {f"0.{0x40 + n:02x}": path(percent) for n, percent in enumerate(percents)}
        zeros = {
            key: row | {"timestamp": 0, "work_units_cpc": 0, "work_units": 0} for key, row in paths.items()
        }
        return make_interval({CHANNEL: zeros}, {CHANNEL: paths})

    return made


def test_the_busiest_the_mean_and_how_many_are_beyond_the_limits(minute: Callable[..., Interval]) -> None:
    """Of CHANNEL: over 50 and over 70 percent."""
    cells = path_figures(View(minute(10, 74, 71, 45)), limit=LIMIT)
    assert [cells[name] for name in ("chpid", "busy", "mean", "highest", "paths", "over", "bad")] == [
        "41", pytest.approx(74), pytest.approx(50), pytest.approx(74), 4, 2, 2,
    ]  # fmt: skip


def test_without_limits_nobody_counts_what_is_beyond(minute: Callable[..., Interval]) -> None:
    """It is not none."""
    assert isinstance(path_figures(View(minute(99)))["bad"], Absent)


@pytest.mark.parametrize("name", ["41", "0.41"])
def test_one_path(name: str, minute: Callable[..., Interval]) -> None:
    """What all have together stands beside it."""
    found = fill("channel_log", View(minute(80, 20), argument=name, limits=lambda: {"channel.cur": LIMIT}))
    assert [found.columns[n] for n in ("chpid", "busy", "highest", "bad")] == [
        ["41"], pytest.approx([20]), pytest.approx([80]), [1],
    ]  # fmt: skip


def test_a_path_that_is_not_there(minute: Callable[..., Interval]) -> None:
    """The sentence says which are."""
    with pytest.raises(NoSuchThing, match="40, 41"):
        fill("channel_log", View(minute(1, 2), argument="77"))


def test_a_path_that_was_not_there_then(minute: Callable[..., Interval]) -> None:
    """In an earlier interval."""
    assert path_figures(View(minute(1)), "77")["busy"] is NO_SUCH_PATH


def test_the_mean_of_a_path_is_its_average_in_channel() -> None:
    """Both weigh with the path's own clock, which is not that of the samples."""
    period, past, done = Period(), [], (0, 0)
    before: Sample | None = None
    for number, (percent, ticks) in enumerate(
        ((0.0, 0), (80.0, TICKS), (20.0, TICKS // 2), (50.0, TICKS // 3))
    ):
        row = path(percent, ticks)
        done = (done[0] + ticks, done[1] + row["work_units_cpc"])
        at = (1000 + 60 * number) * SECOND
        rows = {"0.40": row | {"timestamp": done[0], "work_units_cpc": done[1]}}
        after = Sample(Instant(at, at, "boot"), {"channel": frame_of(CHANNEL, rows, at)})
        past.append(Interval(before, after))
        if part := period_part(past[-1]):
            period.add(part)
        before = after
    found = fill("channel_log", View(past[-1], argument="40", history=History(lambda: reversed(past))))
    assert found.summary is not None
    assert found.summary.cells["busy"] == pytest.approx(period.channels["0.40"].average)


def test_estimates_are_marked(make_interval: Callable[..., Interval]) -> None:
    """Where nothing measures the path, this system's own connect time stands in."""
    devices = {"0.0.7000": {"online": 1, "chpids": "40 41", "driver": "dasd-eckd"}}
    before = {CHANNEL: {}, DEVICE: devices, CMF: {"0.0.7000": {"ssch": 0, "connect": 0}}}
    after = {CHANNEL: {}, DEVICE: devices, CMF: {"0.0.7000": {"ssch": 9, "connect": 30 * SECOND}}}
    cells = path_figures(View(make_interval(before, after)), limit=LIMIT)
    assert cells["chpid"] == "40"
    assert cells["busy"] == pytest.approx(25)
    assert str(cells[ESTIMATED]).split() == ["mean", "highest", "over", "bad", "busy"]


def test_without_paths_nothing_is_known(make_interval: Callable[..., Interval]) -> None:
    """It is not zero."""
    cells = path_figures(View(make_interval({}, {})), limit=LIMIT)
    assert {name for name, value in cells.items() if not isinstance(value, Absent)} == {ESTIMATED}
