from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import Absent, absent
from zmon.kinds import MEMORY
from zmon.machine.memory_use import NO_SPACE, Memory
from zmon.machine.view import View
from zmon.rule.grammar import parse_rules
from zmon.rule.judge import Judge

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

NOW = {"total": 1000, "available": 250, "free": 100, "swap_total": 400, "swap_free": 300,
       "swapped_in": 60, "swapped_out": 600}  # fmt: skip
RULE = """
[[rule]]
name = "unwritten"
on = "memory.dirty"
rows = { all = true }
look = 5
say = "{dirty}"
"""


def test_rates_and_parts(make_interval: Callable[..., Interval]) -> None:
    """Pages per second, and percent of what there is."""
    before = {MEMORY: {"memory": NOW | {"swapped_in": 0, "swapped_out": 0}}}
    cells = Memory(make_interval(before, {MEMORY: {"memory": NOW}})).as_one()
    assert [cells[name] for name in ("pagein", "pageout", "paging", "used", "swapused", "swappct")] == [
        1.0, 10.0, 11.0, 75.0, 100, 25.0,
    ]  # fmt: skip


def test_without_swap_space_no_part_of_it_is_used(make_interval: Callable[..., Interval]) -> None:
    """Which is not zero percent."""
    rows = {MEMORY: {"memory": NOW | {"swap_total": 0, "swap_free": 0}}}
    assert Memory(make_interval(rows, rows)).as_one()["swappct"] is NO_SPACE


def test_what_was_not_read_is_absent(make_interval: Callable[..., Interval]) -> None:
    """All of it."""
    assert all(isinstance(value, Absent) for value in Memory(make_interval({}, {})).as_one().values())


@pytest.mark.parametrize("name", ["pagein", "pageout", "paging"])
def test_a_kernel_that_does_not_count_pages(name: str, make_interval: Callable[..., Interval]) -> None:
    """The reason stays."""
    why = absent("not counted")
    rows = {MEMORY: {"memory": NOW | {"swapped_in": why, "swapped_out": why}}}
    assert Memory(make_interval(rows, rows)).as_one()[name] is why


def test_a_rule_watches_any_figure(make_interval: Callable[..., Interval]) -> None:
    """Also one that no table holds."""
    rows = {MEMORY: {"memory": NOW | {"dirty": 7}}}
    (rule,) = parse_rules(RULE)
    (judgement,) = Judge(View(make_interval(rows, rows))).judge(rule, {}, {}).values()  # type: ignore[union-attr]
    assert judgement == (1, 7)
