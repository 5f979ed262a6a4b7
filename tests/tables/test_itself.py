from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.goldens import facts
from zmon.base.absent import absent
from zmon.kinds import SOURCE, TASKS
from zmon.machine.view import View
from zmon.tables.itself import NOTHING_THERE, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval


def test_costs_are_those_of_the_interval(make_interval: Callable[..., Interval]) -> None:
    """Differences in milliseconds, and the sum of all sources."""
    before = {SOURCE: {"disks": {"spent": 5_000_000, "cpu": 1_000_000, "calls": 7, "errors": 0},
                       "cache": {"spent": 0, "cpu": 0, "calls": 0, "errors": 0}}}  # fmt: skip
    after = {SOURCE: {"disks": {"spent": 9_000_000, "cpu": 2_500_000, "calls": 9, "errors": 1},
                      "cache": {"spent": 0, "cpu": 0, "calls": 0, "errors": 0}}}  # fmt: skip
    found = table(View(make_interval(before, after)))
    assert {n: found.columns[n] for n in ("ms", "cpu", "calls", "errors")} == {
        "ms": pytest.approx([4, 0]), "cpu": pytest.approx([1.5, 0]), "calls": [2, 0], "errors": [1, 0],
    }  # fmt: skip
    assert found.summary is not None
    assert found.summary.cells["ms"] == pytest.approx(4)


def test_all_of_zmon_is_said_below(make_interval: Callable[..., Interval]) -> None:
    """What the sources take is a part of what the program takes; where that is not known nothing is said."""
    before, after = ({TASKS: {"tasks": {"own": own}}} for own in (1_000_000_000, 1_500_000_000))
    interval = make_interval(before, after)
    percent = 50.0 / float(interval.seconds)  # type: ignore[arg-type]  # it has no gap
    assert [*map(facts, table(View(interval)).notes)] == [f"{percent:.1f}"]
    nowhere = {TASKS: {"tasks": {"own": absent("a capture")}}}
    assert table(View(make_interval(nowhere, nowhere))).notes == ()


def test_without_sources_nothing_is_summed(make_interval: Callable[..., Interval]) -> None:
    """There is no line for all of nothing."""
    assert table(View(make_interval({}, {}))).summary is None


def test_a_source_without_anything_says_so(make_interval: Callable[..., Interval]) -> None:
    """Swap may be absent because none is in use; a reason that the source gave stays."""
    rows = {
        SOURCE: {"swaps": {"state": "absent", "reason": ""}, "channels": {"state": "absent", "reason": "no"}}
    }
    found = table(View(make_interval(rows, rows)))
    assert found.columns["reason"] == [NOTHING_THERE, "no"]
