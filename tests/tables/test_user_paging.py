from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import absent
from zmon.interval import Interval
from zmon.kinds import UNIT
from zmon.machine.view import View
from zmon.sample import Instant, Sample, empty_frame, frame_of
from zmon.tables.user_paging import table

if TYPE_CHECKING:
    from zmon.base.absent import Value

SECOND = 1_000_000_000
NONE = absent("not counted")


def sample(second: int, **units: dict[str, Value]) -> Sample:
    """Return what units had counted by a time."""
    rest: dict[str, Value] = dict.fromkeys((field.name for field in UNIT.fields), NONE)
    now = second * SECOND
    rows = {f"/system.slice/{name}.service": {**rest, **row} for name, row in units.items()}
    frame = frame_of(UNIT, rows, now) if rows else empty_frame(UNIT, "no units")
    return Sample(Instant(now, now, "boot"), {"unit": frame})


def test_pages_are_per_second_and_waits_percent() -> None:
    """Of each unit and of all; one that came in the interval counts from zero, as its I/O does."""
    before = sample(0, db2={"major_faults": 10, "memory_some": 0, "memory": 1})
    after = sample(
        10,
        db2={"major_faults": 60, "memory_some": 5 * SECOND, "memory": 2_000_000},
        cron={"major_faults": 7, "memory_some": 0, "memory": 1_000_000},
    )
    found = table(View(Interval(before, after)))
    assert found.columns["unit"] == ["db2", "cron"]
    assert found.columns["faults"] == [5.0, pytest.approx(0.7)]
    assert found.columns["memwait"][0] == 50.0
    assert found.columns["memory"] == [2.0, 1.0]
    assert found.summary is not None
    assert (found.summary.cells["memory"], found.summary.cells["faults"]) == (3.0, 5.7)
    assert found.columns["swapin"] == [NONE, NONE]


def test_without_units_it_says_why() -> None:
    """As the source does."""
    assert table(View(Interval(None, sample(0)))).missing == absent("no units")
