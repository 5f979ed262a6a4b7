from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pytest

from tests.machine.test_unit_loads import DB, DISKS
from tests.machine.test_unit_loads import sample as loads_sample
from zmon.base.absent import Absent, absent
from zmon.base.shipped import shipped
from zmon.interval import Interval
from zmon.kinds import PROCESS, UNIT, UNIT_IO
from zmon.lab.counters import KernelCounters
from zmon.lab.scenario import load_scenario, parse_scenario
from zmon.lab.simulation import Simulation
from zmon.machine.devices import devices_of
from zmon.machine.topology import lcus_named
from zmon.machine.unit_loads import filling
from zmon.machine.view import View
from zmon.registry import NO_PROCESSES
from zmon.sample import empty_frame, frame_of
from zmon.screen.definition import Screen, load_screens
from zmon.screen.query import filtered, parse_conditions
from zmon.screen.sheet import Sheet
from zmon.tables import user_details, user_paging
from zmon.tables.control_unit import table as control_unit_table
from zmon.tables.device import table as device_table
from zmon.tables.user import INSTEAD, OTHERS, REST, SEVERAL, disk_table, table, uncounted
from zmon.topology.machine import UserInputs

if TYPE_CHECKING:
    from zmon.sample import Frame
    from zmon.tables.table import Table


@lru_cache
def simulated(name: str, first: int, last: int, drawn: int = 1) -> View:
    """Return the time between two samples of a scenario; so many intervals of a phase are simulated."""
    base, *loads = name.split()
    plan = load_scenario(base)
    if loads:
        units = "\n".join(f'[loads.{load}]\nunit = "db2inst1.service"' for load in loads)
        plan = parse_scenario(f'base = "{base}"\ntitle = "x"\ntext = "x"\n{units}\n', "test.toml")
    plan = plan._replace(drawn=drawn)
    run, counters = Simulation(plan), KernelCounters(plan, first)
    before = counters.sample()
    counters.add(run.interval(number) for number in range(first, last))
    return View(Interval(before, counters.sample()), inputs=UserInputs)


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
    disks = sum(mbs for mbs in devices_of(view.interval).numbers("mbs") if not isinstance(mbs, Absent))
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
    view = simulated("healthy-day", 875, 880, drawn=3)
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


def test_tablespaces_on_disks_with_several_paths_are_named() -> None:
    """They are found over one of the paths; what users do there is counted at the multipath device."""
    view = simulated("fcp-path-slow", 5, 6)
    spaces = column(disk_table(view), "spaces", "addr")
    assert spaces["dm-15"] == "SHOP.LOG 100%"
    assert spaces["dm-0"] == "SHOP.CUSTOMER 100%"
    assert "SHOP.LOG" in str(column(table(view), "spaces")["postgresql"])


def test_a_system_without_units_says_why() -> None:
    """Not that nobody does anything."""
    view = simulated("idle-day", 2, 3)
    assert isinstance(table(view).missing, Absent)
    assert isinstance(disk_table(view).missing, Absent)
    assert filling(view, "IBM.1.7000") == ""


@pytest.mark.parametrize(
    ("processes", "leads"),
    [
        (frame_of(PROCESS, {"11": {"command": "dd"}}, 0), True),
        (empty_frame(PROCESS, NO_PROCESSES), True),
        (empty_frame(PROCESS, "captured without processes"), False),
    ],
)
def test_without_units_it_leads_to_the_processes_if_there_are_any(processes: Frame, leads: bool) -> None:
    """They are read as soon as somebody looks at them; who reads a disk is not a dead end."""
    none = {kind.name: empty_frame(kind, "no unit") for kind in (UNIT, UNIT_IO)}
    samples = (loads_sample(second, {}, {"94:0": (0, 0)}) for second in (0, 1))
    before, after = (one._replace(frames={**one.frames, **none, "process": processes}) for one in samples)
    view = View(Interval(before, after))
    for each in (table, disk_table, user_paging.table, user_details.table):
        found = each(view)
        assert found.missing == absent(f"no unit; {INSTEAD}" if leads else "no unit")
        assert Sheet(Screen(columns=(), drill="{door}"), found).deeper() == ("UPROC" if leads else "")


def test_the_sums_of_userio_and_user_agree() -> None:
    """Of a disk with less than 1 % that is not accounted for there is no row, but one for all of them."""
    found = simulated("shark-before", 150, 152)
    users, disks = table(found), disk_table(found)
    assert users.summary is not None
    assert disks.summary is not None
    assert disks.summary.cells["mbs"] == pytest.approx(users.summary.cells["mbs"], rel=1e-3)


def test_small_rests_of_disks_are_one_row() -> None:
    """With its bytes and I/Os; what only one disk can have is missing there, with a reason."""
    counted = {"94:0": (1_024_000, 1000), "94:4": (1_024_000, 1000)}
    units = {(DB, number): (1_018_880, 995) for number in counted}
    zero = dict.fromkeys(units, (0, 0))
    before = loads_sample(0, zero, dict.fromkeys(counted, (0, 0)))
    found = disk_table(View(Interval(before, loads_sample(10, units, counted))))
    (row,) = [row for row, key in enumerate(found.keys) if key == f"{OTHERS} {REST}"]
    assert found.columns["mbs"][row] == pytest.approx(0.001024)
    assert found.columns["share"][row] is SEVERAL
    users = table(View(Interval(before, loads_sample(10, units, counted))))
    assert {column(users, name, "path")[REST] for name in ("resp", "lcus", "spaces")} == {SEVERAL}
    assert found.columns["door"][row] == "DEVICE"
    assert found.notes[0].startswith("Not accounted for")


def test_what_units_have_too_much_on_one_disk_hides_no_rest_of_another() -> None:
    """USER has the same of it as USERIO, with its I/Os; ENTER there leads to its disks, as it is no user."""
    counted = {"94:0": (102_400_000, 1000), "94:4": (512_000, 100)}
    units = {(DB, "94:0"): (103_424_000, 1010), (DB, "94:4"): (256_000, 50)}
    before = loads_sample(0, dict.fromkeys(units, (0, 0)), dict.fromkeys(counted, (0, 0)))
    view = View(Interval(before, loads_sample(10, units, counted)))
    found, disks = table(view), disk_table(view)
    for name, value in (("mbs", 0.0256), ("io", 5.0)):
        assert column(found, name, "path")[REST] == pytest.approx(value)
        assert column(disks, name, "path")[REST] == pytest.approx(value)
    assert column(found, "share", "path")[REST] == pytest.approx(0.246, abs=0.001)
    door = str(column(found, "door", "path")[REST])
    screen = load_screens(shipped("screens")).find(door.split(maxsplit=1)[0])
    conditions = parse_conditions(door.partition(" ")[2], screen.columns)
    assert [disks.keys[row] for row in filtered(disks, conditions)] == [f"94:4 {REST}"]


def test_disks_on_no_lcu_are_chosen_by_what_ctlunit_calls_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """ENTER on its line of such disks lists who uses them, `lcu=` their sort is a condition everywhere."""
    monkeypatch.setitem(DISKS, "252:0", "vda")
    counted = {"252:0": (1_024_000, 100), "94:0": (512_000, 100)}
    units = {(DB, number): read for number, read in counted.items()}
    before = loads_sample(0, dict.fromkeys(units, (0, 0)), dict.fromkeys(counted, (0, 0)))
    view = View(Interval(before, loads_sample(10, units, counted)), inputs=UserInputs)
    lcus, disks, screens = control_unit_table(view), disk_table(view), load_screens(shipped("screens"))
    assert column(lcus, "door", "ssid")["virtio"] == "USERIO lcu=virtio"
    chosen = parse_conditions("lcu=virtio", screens.find("USERIO").columns)
    assert [disks.columns["addr"][row] for row in filtered(disks, chosen)] == ["vda"]
    others = parse_conditions("lcu!=virtio", screens.find("USERIO").columns)
    assert [disks.columns["addr"][row] for row in filtered(disks, others)] == ["dasda"]
    devices = device_table(view)
    chosen = parse_conditions("lcu=virtio", screens.find("DEVICE").columns)
    assert [devices.columns["dasd"][row] for row in filtered(devices, chosen)] == ["vda"]


@pytest.mark.parametrize(
    ("users", "counted", "units"), [(1, "1 user ", "its unit "), (2, "2 users ", "their units ")]
)
def test_it_says_of_how_many_users_the_io_is_not_counted(users: int, counted: str, units: str) -> None:
    """And what switches it on."""
    assert all(words in uncounted(users) for words in (counted, "IOAccounting=yes", units))


def test_user_says_why_no_io_of_users_is_known() -> None:
    """As where control groups of version 2 have no io.stat: dots alone would not tell."""
    found = simulated("shark-before", 150, 152)
    why = empty_frame(UNIT_IO, "the controller io is in the hierarchy of version 1")
    last = found.interval.after
    last = last._replace(frames={**last.frames, UNIT_IO.name: why})
    notes = table(View(Interval(found.interval.before, last))).notes
    assert "I/O: the controller io is in the hierarchy of version 1" in notes
