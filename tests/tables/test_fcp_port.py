"""FCPPORT: ports of storage servers, and what the paths over each carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.goldens import facts
from zmon.base.absent import Absent
from zmon.kinds import BLOCK, LUN, MULTIPATH, PATH, TARGET_PORT
from zmon.machine.view import View
from zmon.tables.fcp_port import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.interval import Interval

NEAR, FAR = "0x500507630603c1ae", "0x500507630613c1ae"
STILL: dict[str, Value] = {
    "reads": 0,
    "writes": 0,
    "read_ms": 0,
    "write_ms": 0,
    "sectors_read": 0,
    "sectors_written": 0,
}
PATHS = {
    "8:0": ("sda", NEAR, "active"),
    "8:16": ("sdb", NEAR, "failed"),
    "8:32": ("sdc", FAR, "active"),
}


@pytest.fixture
def view(make_interval: Callable[..., Interval]) -> View:
    """A minute in which 600 reads of 2 ms and 300 of 5 ms went over the first of two ports."""
    rows: dict[object, dict[str, dict[str, Value]]] = {
        PATH: {
            number: {"name": name, "map": "dm-0", "state": state, "device": "running", "failures": 0,
                     "adapter": "0.0.fc60", "port": port, "in_flight": 0}
            for number, (name, port, state) in PATHS.items()
        },
        MULTIPATH: {"dm-0": {"title": "data01"}},
        BLOCK: {name: STILL for name, _, _ in PATHS.values()},
        TARGET_PORT: {
            "rport-0:0-0": {"adapter": "0.0.fc60", "port_name": NEAR, "state": "Online"},
            "rport-0:0-1": {"adapter": "0.0.fc60", "port_name": FAR, "state": "Blocked"},
            "rport-1:0-0": {"adapter": "0.0.fc61", "port_name": NEAR, "state": "Online"},
        },
        LUN: {},
    }  # fmt: skip
    moved: dict[str, dict[str, Value]] = {
        "sda": STILL | {"reads": 600, "read_ms": 1200},
        "sdb": STILL | {"reads": 300, "read_ms": 1500},
    }
    return View(make_interval(rows, rows | {BLOCK: rows[BLOCK] | moved}))


def test_a_port_has_what_its_paths_carry_together(view: View) -> None:
    """A response is the mean of all requests, not of the paths."""
    found = table(view)
    assert found.keys == [f"0.0.fc60 {NEAR}", f"0.0.fc60 {FAR}", f"0.0.fc61 {NEAR}"]
    assert (found.column("paths"), found.column("down")[:2]) == ([2, 1, 0], [1, 0])
    assert found.column("io")[0] == 15.0
    assert found.column("resp")[0] == pytest.approx(3.0)
    assert found.column("maps") == [1, 1, 0]


def test_a_port_without_paths_carries_nothing_known(view: View) -> None:
    """The second adapter sees the port, and no multipath device uses it."""
    assert all(isinstance(table(view).column(name)[2], Absent) for name in ("io", "resp", "down"))


def test_a_port_that_is_not_online_is_told(view: View) -> None:
    """Its state is the kernel's word."""
    assert table(view).notes == (f"FC60: port {FAR} is Blocked",)


def test_of_many_ports_that_are_not_online_the_first_are_named(
    make_interval: Callable[..., Interval],
) -> None:
    """And the others are counted, so that six do not look like four."""
    ports: dict[str, dict[str, Value]] = {
        f"rport-0:0-{at}": {"adapter": "0.0.fc60", "port_name": f"0x{at}", "state": "Blocked"}
        for at in range(6)
    }
    rows: dict[object, object] = {PATH: {}, MULTIPATH: {}, BLOCK: {}, LUN: {}, TARGET_PORT: ports}
    notes = table(View(make_interval(rows, rows))).notes
    assert notes[:-1] == tuple(f"FC60: port 0x{at} is Blocked" for at in range(4))
    assert facts(notes[-1]) == "2"


def test_a_path_tells_of_a_port_that_is_not_listed(make_interval: Callable[..., Interval]) -> None:
    """Its state is then not known."""
    row: dict[str, Value] = {"name": "sda", "map": "dm-0", "adapter": "0.0.fc60", "port": NEAR}
    rows = {PATH: {"8:0": row}, MULTIPATH: {"dm-0": {}}, BLOCK: {"sda": STILL}}
    found = table(View(make_interval(rows, rows)))
    assert found.keys == [f"0.0.fc60 {NEAR}"]
    assert isinstance(found.column("state")[0], Absent)


def test_a_machine_without_fcp_says_why(make_interval: Callable[..., Interval]) -> None:
    """No row and no sum."""
    found = table(View(make_interval({}, {})))
    assert (found.keys, found.summary) == ([], None)
    assert found.missing is not None
