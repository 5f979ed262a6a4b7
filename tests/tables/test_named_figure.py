"""A figure that is added to the machine is shown, watched, drawn and kept by naming it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from zmon.base.absent import Absent
from zmon.machine.devices import Devices, address
from zmon.machine.figure import Figure, Variable
from zmon.machine.join import total
from zmon.rule.grammar import parse_rules
from zmon.rule.judge import Judge
from zmon.screen.definition import load_screens
from zmon.screen.variable import parse, resolve
from zmon.tables.filled import definition, fill, with_figures
from zmon.tables.plot import cell

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    def together(devices: Devices, rows: Sequence[int]) -> Number:
        return 2 * total([devices.rate[row] for row in rows])

    monkeypatch.setitem(Devices.figures, "twice", Figure("twice", twice, together, trend=10))
    monkeypatch.setitem(Devices.figures, "once", Figure("once", attrgetter("rate")))
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


def test_a_screen_adds_it_up(view: View) -> None:
    """In the line of all rows, and says that there is no sum of what has none."""
    table = with_figures("device", view, fill("device", view), ("twice", "once"))
    assert table.summary is not None
    assert table.summary.cells["twice"] == pytest.approx(2 * table.summary.cells["io"])
    assert isinstance(table.summary.cells["once"], Absent)


def test_a_screen_with_more_rows_shows_it(view: View) -> None:
    """CHANNEL has a row for each path that CP knows, too: what is not among the things has a reason."""
    filled = fill("device", view)
    longer = filled._replace(keys=[*filled.keys, "stranger"])
    table = with_figures("device", view, longer, ("twice",))
    assert len(table.column("twice")) == len(longer.keys)
    assert isinstance(table.column("twice")[-1], Absent)


def test_plot_draws_it(view: View) -> None:
    """Of the device that is named, and of all, by the word that a person writes."""
    keys, rates = device_rates(view)
    screens = load_screens()
    for word in ("DEVICE.twice", "device.TWICE"):
        (variable,) = resolve(parse([word, address(keys[0])], screens), view.interval)
        assert cell(variable, view) == 2 * rates[0]
    assert cell(Variable("device", "twice", keys[0]), view) == 2 * rates[0]
    every = cell(Variable("device", "twice"), view)
    assert every == pytest.approx(2 * cell(Variable("device", "io"), view))


def test_a_roll_up_keeps_it(view: View) -> None:
    """As a column of its trend."""
    keys, rates = device_rates(view)
    kept = definition("device").trend(view.interval)
    assert (kept.keys, kept.columns["twice"]) == (keys, [2 * rate for rate in rates])


def device_rates(view: View) -> tuple[list[str], list[Number]]:
    devices = Devices.at(view.interval)
    return devices.keys, devices.rate
