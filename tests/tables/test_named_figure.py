"""A figure that is added to the machine is shown, watched, drawn and kept by naming it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from zmon.machine.devices import Devices
from zmon.machine.figure import Figure, Variable
from zmon.rule.grammar import parse_rules
from zmon.rule.judge import Judge
from zmon.tables.filled import definition, fill, with_figures
from zmon.tables.plot import cell

if TYPE_CHECKING:
    from zmon.base.absent import Number
    from zmon.machine.view import View

RULE = """
[[rule]]
name = "twice-busy"
on = "device.twice"
look = 1
say = "{where}: {twice}"
"""


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch) -> View:
    """Return a simulated machine whose devices have a figure that no screen, rule or trend knows yet."""

    def twice(devices: Devices) -> list[Number]:
        return [2 * rate for rate in devices.rate]

    monkeypatch.setitem(Devices.figures, "twice", Figure("twice", twice, trend=10))
    return view_of("shark-before")


def test_a_screen_shows_it(view: View) -> None:
    """As a column of a screen file that names it."""
    table = with_figures("device", view, fill("device", view), ("addr", "twice"))
    assert table.column("twice") == [2 * rate for rate in table.column("io")]


def test_a_rule_watches_it(view: View) -> None:
    """As TABLE.COLUMN."""
    judged = Judge(view).judge(parse_rules(RULE)[0], {}, {})
    rates = {key: 2 * rate for key, rate in zip(*device_rates(view), strict=True)}
    assert {key: judgement.value for key, judgement in judged.items()} == {  # type: ignore[union-attr]
        key: rate for key, rate in rates.items() if rate >= 1
    }


def test_plot_draws_it(view: View) -> None:
    """Of the device that is named."""
    keys, rates = device_rates(view)
    assert cell(Variable("device", "twice", keys[0]), view) == 2 * rates[0]


def test_a_roll_up_keeps_it(view: View) -> None:
    """As a column of its trend."""
    keys, rates = device_rates(view)
    kept = definition("device").trend(view.interval)
    assert (kept.keys, kept.columns["twice"]) == (keys, [2 * rate for rate in rates])


def device_rates(view: View) -> tuple[list[str], list[Number]]:
    devices = Devices.at(view.interval)
    return devices.keys, devices.rate
