from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.base.absent import absent
from zmon.kinds import PRESSURE
from zmon.machine.view import View
from zmon.tables.pressure import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

NONE = absent("not defined")


def test_pressure_is_percent_of_the_interval(make_interval: Callable[..., Interval]) -> None:
    """30 of the 60 seconds of waiting are 50 %; averages are those of the kernel."""
    before = {
        PRESSURE: {"cpu": {"some": 0, "full": NONE}, "io": {"some": 10**9, "full": 10**9, "some10": 1.5}}
    }
    after = {
        PRESSURE: {"cpu": {"some": 0, "full": NONE}, "io": {"some": 31 * 10**9, "full": 10**9, "some10": 2.5}}
    }
    shown = table(View(make_interval(before, after)))
    assert shown.columns["resource"] == ["CPU", "I/O"]
    assert shown.columns["some"] == [0.0, 50.0]
    assert shown.columns["full"] == [NONE, 0.0]
    assert shown.columns["some10"][1] == 2.5


def test_where_nothing_is_measured_the_reason_stands(make_interval: Callable[..., Interval]) -> None:
    """Instead of rows."""
    shown = table(View(make_interval({}, {})))
    assert shown.keys == []
    assert shown.missing is not None
