"""SYSTEM: how often things happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import Absent, absent
from zmon.kinds import CMF, CPU, DEVICE, DIAGNOSE, INTERRUPT, TASKS
from zmon.machine.view import View
from zmon.tables.system_counters import BY_CP, NOT_MEASURED, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.interval import Interval

ROWS: dict[object, dict[str, dict[str, Value]]] = {
    INTERRUPT: {
        "CLK": {"group": "EXT", "what": "Clock Comparator", "count": 0},
        "PFL": {"group": "EXT", "what": "Pseudo Page Fault", "count": 0},
        "DAS": {"group": "I/O", "what": "DASD", "count": 0},
    },
    DIAGNOSE: {"09c": {"what": "Relinquish Timeslice", "count": 0}},
    TASKS: {"tasks": {"switches": 0, "forks": 0}},
    CPU: {"0": {"idle_entries": 0}, "1": {"idle_entries": 0}},
    DEVICE: {"0.0.7000": {"online": 1}, "0.0.7001": {"online": 1}},
    CMF: {"0.0.7000": {"ssch": 0}, "0.0.7001": {"ssch": 0}},
}


@pytest.fixture
def view(make_interval: Callable[..., Interval]) -> View:
    """A minute in which some of it happened."""
    after: dict[object, dict[str, dict[str, Value]]] = {
        INTERRUPT: {
            "CLK": ROWS[INTERRUPT]["CLK"] | {"count": 6000},
            "PFL": ROWS[INTERRUPT]["PFL"] | {"count": 120},
            "DAS": ROWS[INTERRUPT]["DAS"] | {"count": 600},
        },
        DIAGNOSE: {"09c": {"what": "Relinquish Timeslice", "count": 30}},
        TASKS: {"tasks": {"switches": 600, "forks": 6}},
        CPU: {"0": {"idle_entries": 60}, "1": {"idle_entries": 120}},
        DEVICE: ROWS[DEVICE],
        CMF: {"0.0.7000": {"ssch": 300}, "0.0.7001": {"ssch": 240}},
    }
    return View(make_interval(ROWS, after))


@pytest.mark.parametrize(
    ("item", "count", "rate"),
    [
        ("Real SSCH instructions", 540, 9.0),
        ("Entries to enabled wait", 180, 3.0),
        ("Context switches", 600, 10.0),
        ("Processes and threads made", 6, 0.1),
        ("Pseudo page faults", 120, 2.0),
        ("External interrupts", 6120, 102.0),
        ("I/O interrupts", 600, 10.0),
        ("DASD", 600, 10.0),
        ("Diag.X'9C' Relinquish Timeslice", 30, 0.5),
    ],
)
def test_counts_and_rates(view: View, item: str, count: int, rate: float) -> None:
    """Of all devices and CPUs together."""
    found = table(view)
    row = found.keys.index(item)
    assert found.column("count")[row] == count
    assert found.column("rate")[row] == pytest.approx(rate)


def test_what_only_cp_counts_stays_in_its_place(view: View) -> None:
    """Without a value, and with the reason."""
    found = table(view)
    assert found.column("count")[found.keys.index("Nr. of SIE executions")] is BY_CP


def test_diagnoses_that_cannot_be_read_are_no_zero(make_interval: Callable[..., Interval]) -> None:
    """The notes say why."""
    rows = {kind: cells for kind, cells in ROWS.items() if kind is not DIAGNOSE}
    found = table(View(make_interval(rows, rows)))
    assert isinstance(found.column("count")[found.keys.index("Diag.X'9C' Relinquish Timeslice")], Absent)
    assert any(note.startswith("diag 044, diag 09c: ") for note in found.notes)
    assert f"CP: {BY_CP.reason}" in found.notes


def test_no_counter_is_in_two_rows(view: View) -> None:
    """Pseudo page faults and diagnose X'9C' have rows of their own, and no other in the list by type."""
    found = table(view)
    counters = [name for name in found.column("counter") if name not in {"CP", "/proc/stat"}]
    assert len(counters) == len(set(counters))


def test_a_machine_without_counters_says_why(make_interval: Callable[..., Interval]) -> None:
    """No row."""
    found = table(View(make_interval({}, {})))
    assert (found.keys, found.missing is not None) == ([], True)


def test_reasons_are_those_of_totals_and_name_their_source_once(
    make_interval: Callable[..., Interval],
) -> None:
    """Not why one device is not measured; nor `/proc/stat: /proc/stat: ...`."""
    off = absent("off for this device")
    rows = ROWS | {
        CMF: {"0.0.7000": {"ssch": off}, "0.0.7001": {"ssch": off}},
        TASKS: {"tasks": {"switches": absent("/proc/stat: ctxt was not read"), "forks": 0}},
    }
    notes = table(View(make_interval(rows, rows))).notes
    assert f"cmf: {NOT_MEASURED.reason}" in notes
    assert "/proc/stat: ctxt was not read" in notes
