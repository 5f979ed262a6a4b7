from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pytest

from zmon.absent import Absent
from zmon.interval import Interval
from zmon.lab.counters import KernelCounters
from zmon.lab.scenario import load_scenario, parse_scenario
from zmon.lab.simulation import Simulation
from zmon.tables.device import devices_of
from zmon.tables.topology import lcus_named
from zmon.tables.unit_loads import filling
from zmon.tables.user import REST, disk_table, table
from zmon.tables.view import View
from zmon.topology.machine import UserInputs

if TYPE_CHECKING:
    from zmon.tables.table import Table


@lru_cache
def simulated(name: str, first: int, last: int) -> View:
    """Return the time between two samples of a scenario."""
    base, *loads = name.split()
    plan = load_scenario(base)
    if loads:
        units = "\n".join(f'[loads.{load}]\nunit = "db2inst1.service"' for load in loads)
        plan = parse_scenario(f'base = "{base}"\ntitle = "x"\ntext = "x"\n{units}\n', "test.toml")
    run, counters = Simulation(plan), KernelCounters(plan, first)
    before = counters.sample()
    counters.add(run.interval(number) for number in range(first, last))
    return View(Interval(before, counters.sample()), people=UserInputs)


def column(found: Table, name: str, key: str = "unit") -> dict[object, object]:
    """Return one column by the values of another."""
    return dict(zip(found.columns[key], found.columns[name], strict=True))


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("shark-before", 150), ("healthy-day", 875), ("logs-mixed", 4), ("dm-queue reports", 2),
        ("fcp-multibus-10 sessions", 2),
    ],
)  # fmt: skip
def test_units_and_the_rest_have_the_bytes_of_the_disks(name: str, first: int) -> None:
    """In a simulated machine, where every request is known, within 1 %; no part of them is more than all."""
    view = simulated(name, first, first + 2)
    found = table(view)
    disks = sum(
        megabytes for megabytes in devices_of(view.interval).megabytes if not isinstance(megabytes, Absent)
    )
    units = sum(value for value in found.columns["mbs"] if isinstance(value, float))
    assert units == pytest.approx(disks, rel=0.01)
    rest = column(found, "mbs", "path")[REST]
    assert isinstance(rest, float)
    assert rest < 0.01 * disks
    lines = disk_table(view)
    assert sum(value for value in lines.columns["mbs"] if isinstance(value, float)) == pytest.approx(
        disks, rel=0.01
    )
    for each in (found, lines):
        assert all(0 <= value <= 100 for value in each.columns["read"] if isinstance(value, float))


def test_it_says_which_service_on_which_tablespace_loads_an_lcu() -> None:
    """The query of 14:30 reads everything on LCU 8000, and the database little of it."""
    view = simulated("healthy-day", 875, 880)
    (lcu,) = lcus_named(view, "8000")
    assert filling(view, lcu).startswith("user 1000, session 7 9")
    found = table(view)
    assert column(found, "lcus")["user 1000, session 7"] == "8000 100%"
    assert str(column(found, "spaces")["user 1000, session 7"]).startswith("SHOP.CUSTOMER 5")
    assert column(found, "database")["postgresql"] == "PostgreSQL"
    lines = disk_table(view)
    on = {
        unit
        for unit, where in zip(lines.columns["unit"], lines.columns["lcu"], strict=True)
        if where == "8100"
    }
    assert on == {"postgresql"}
    shares: dict[object, float] = {}
    for where, share in zip(lines.columns["lcu"], lines.columns["lcushare"], strict=True):
        assert isinstance(share, float)
        shares[where] = shares.get(where, 0.0) + share
    assert shares == {"8000": pytest.approx(100.0, abs=2), "8100": pytest.approx(100.0, abs=2)}


def test_a_system_without_units_says_why() -> None:
    """Not that nobody does anything."""
    view = simulated("idle-day", 2, 3)
    assert isinstance(table(view).missing, Absent)
    assert isinstance(disk_table(view).missing, Absent)
    assert filling(view, "IBM.1.7000") == ""
