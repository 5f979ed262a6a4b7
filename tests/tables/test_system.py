from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import Absent
from zmon.base.shipped import shipped
from zmon.kinds import BLOCK, CACHE, CHANNEL, CMF, DEVICE, KINDS
from zmon.machine.view import View
from zmon.rule.grammar import load_rules
from zmon.screen.definition import load_screens
from zmon.tables import system
from zmon.tables.by_time import ESTIMATED
from zmon.tables.filled import needs
from zmon.tables.system import NEEDS, WEIGHTS, figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

SCREENS = load_screens(shipped("screens"))
DISK: dict[str, Any] = {"online": 1, "alias": 0, "block": "dasda", "uid": "IBM.A.2480.00"}


def requests(count: int, resp: float) -> dict[str, Any]:
    return {"reads": count, "writes": 0, "read_ms": round(count * resp), "write_ms": 0}


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute of one disk with this response time, and of one channel path."""

    def made(resp: float, percent: float = 0.0) -> Interval:
        ticks, units = 468_750, round(percent * 468_750 * 128e-6 * 100)
        path = {"type": 0x1B, "timestamp": ticks, "max_work_units": 10_000, "work_units_cpc": units}
        return make_interval(
            {DEVICE: {"0.0.7000": DISK}, BLOCK: {"dasda": requests(0, 0)},
             CHANNEL: {"0.40": path | {"timestamp": 0, "work_units_cpc": 0}}},
            {DEVICE: {"0.0.7000": DISK}, BLOCK: {"dasda": requests(600, resp)}, CHANNEL: {"0.40": path}},
        )  # fmt: skip

    return made


def test_without_rules_it_is_not_known_how_many_rows_are_bad(minute: Callable[..., Interval]) -> None:
    """Nobody looked: that is not none."""
    assert isinstance(figures(View(minute(999)))["beyond"], Absent)


def test_figures_are_those_of_the_parts(minute: Callable[..., Interval]) -> None:
    """Each under a name of its own."""
    cells = figures(View(minute(12, 40)))
    assert [cells[name] for name in ("io", "resp", "lcu", "share", "chpid", "chbusy")] == [
        10.0, 12.0, "2480", 100.0, "40", pytest.approx(40),
    ]  # fmt: skip
    assert str(cells[ESTIMATED]).split() == ["io", "lcuio", "share", "fair", "lcuall"]


def test_hits_of_all_caches_weigh_with_their_io(make_interval: Callable[..., Interval]) -> None:
    """A volume without I/O says nothing."""
    names = [f.name for f in KINDS["cache"].fields if f.meaning.value == "counter"]
    idle = dict.fromkeys(names, 0)
    one, two = idle | {"reads": 300, "read_hits": 300}, idle | {"reads": 100, "read_hits": 0}
    volumes = {"0.0.7000": one, "0.0.7100": two, "0.0.7200": idle}
    found = figures(View(make_interval({CACHE: dict.fromkeys(volumes, idle)}, {CACHE: volumes})))
    assert found["hits"] == pytest.approx(75)


def test_every_weight_is_a_figure(minute: Callable[..., Interval]) -> None:
    """Else a mean would weigh with time alone."""
    assert set(WEIGHTS.values()) <= set(figures(View(minute(1))))


def test_all_that_the_shipped_rules_need_is_read() -> None:
    """Else nothing would ever be bad in print."""
    kinds = {kind for rule in load_rules() for kind in needs(rule.table).kinds}
    assert kinds <= set(NEEDS.kinds)


def test_columns_of_both_screens_come_from_here() -> None:
    """One table, two screens; so each figure is made once."""
    assert {SCREENS.find(word).table for word in ("SYSSUMLG", "REDISP")} == {
        system.__name__.rpartition(".")[2]
    }


def test_without_anything_nothing_is_known(make_interval: Callable[..., Interval]) -> None:
    """It is not zero."""
    cells = figures(View(make_interval({}, {})))
    assert {name for name, value in cells.items() if not isinstance(value, Absent)} == {ESTIMATED}


def test_measured_starts_are_no_estimates(make_interval: Callable[..., Interval]) -> None:
    """Only Linux's requests are, where they stand in."""
    measured = {"ssch": 0, "samples": 0, "pending": 0, "disconnect": 0, "connect": 0}
    before = {DEVICE: {"0.0.7000": DISK}, CMF: {"0.0.7000": measured}}
    after = {DEVICE: {"0.0.7000": DISK}, CMF: {"0.0.7000": measured | {"ssch": 60, "samples": 60}}}
    cells = figures(View(make_interval(before, after)))
    assert (cells["io"], cells[ESTIMATED]) == (1.0, "")
