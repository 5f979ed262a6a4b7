"""zmon.tables.file_traffic: whose traffic it is, in the laboratory, where that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from tests.placement.study import SECOND, sample
from zmon.interval import Interval
from zmon.machine.topology import units_of
from zmon.machine.view import History, View
from zmon.placement.file_traffic import attribution_of, tablespaces_behind
from zmon.placement.traffic import BYTES, COUNTED, FITTED, IDLE
from zmon.session.machines import open_lab
from zmon.session.navigator import Navigator
from zmon.tables.tablespaces import moves_table, spread_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Value

BEGIN = 1_773_626_400 * SECOND
"""When lab:stripe-extended begins: 02:00 of 2026-03-16."""
MINUTE = 60 * SECOND


@pytest.fixture(scope="module")
def navigator() -> Iterator[Navigator]:
    timeline = open_lab("lab:stripe-extended")
    yield Navigator(timeline)
    timeline.close()


def at(navigator: Navigator, minutes: float) -> View:
    navigator.seek(BEGIN + round(minutes * MINUTE))
    view = navigator.view()
    assert view is not None
    return view


@pytest.mark.parametrize(
    ("minutes", "busy"), [(5, "NEW"), (9.9, "NEW"), (10.2, "RESTRIPED"), (20, "RESTRIPED")]
)
def test_the_tablespace_that_the_scenario_uses_has_the_traffic(
    navigator: Navigator, minutes: float, busy: str
) -> None:
    """Not the large one that is cold; ten seconds after a change the answer has changed, too."""
    table = spread_table(at(navigator, minutes))
    rates = dict(zip(table.keys, table.columns["mbs"], strict=True))
    whole = sum(rates.values())  # type: ignore[arg-type]  # of numbers
    assert rates[f"ORA.{busy}"] > 0.95 * whole  # type: ignore[operator]  # likewise
    basis: dict[str, Value] = dict(zip(table.keys, table.columns["basis"], strict=True))
    assert basis[f"ORA.{busy}"] == FITTED
    if minutes < 10:
        assert basis["ORA.OLD"] == IDLE


@pytest.mark.parametrize("minutes", [5, 20])
def test_no_idle_file_is_to_be_moved(navigator: Navigator, minutes: float) -> None:
    """Moves of what nobody uses gain nothing."""
    moved = moves_table(at(navigator, minutes)).keys
    assert not [path for path in moved if "new" not in path and minutes < 10]
    assert not [path for path in moved if "restriped" not in path and minutes > 10]


def test_for_whom_an_lcu_works(navigator: Navigator) -> None:
    """The tablespaces behind it, with traffic, bytes and what the traffic rests on."""
    view = at(navigator, 20)
    (behind,) = tablespaces_behind(view, units_of(view).of).values()
    busy = behind["ORA", "RESTRIPED"]
    assert busy.load == max(one.load for one in behind.values())
    assert (busy.basis, busy.bytes) == (FITTED, 6 * 120_000 * 4096)


def test_the_tablespace_of_a_suspended_volume_has_no_traffic() -> None:
    """All of it is of the tablespace in the other logical volume of the same disks."""
    view = view_of("dm-suspended")
    (behind,) = tablespaces_behind(view, units_of(view).of).values()
    assert (behind["SHOP", "HISTORY"].load, behind["SHOP", "HISTORY"].basis) == (0.0, IDLE)
    assert behind["SHOP", "HISTORY2"].load > 20e6
    assert behind["SHOP", "HISTORY2"].basis == COUNTED


def test_an_interval_without_a_past_is_enough() -> None:
    """Then it is fitted to one."""
    view = View(Interval(sample(), sample(when=10 * SECOND, sectors={6: 800_000})))
    found = attribution_of(view)
    assert found.intervals == 1
    assert found.spaces["PROD", "T1"] == BYTES


def test_the_past_is_read_once_for_an_interval() -> None:
    """Several tables ask the same."""
    asked = []

    def past(utc: int | None = None) -> Iterator[Interval]:
        asked.append(utc)
        return iter((interval,))

    interval = Interval(sample(), sample(when=10 * SECOND, sectors={6: 800_000}))
    view = View(interval, history=History(past))
    assert attribution_of(view) is attribution_of(view)
    assert len(asked) == 2
