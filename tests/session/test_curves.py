"""Curves beside figures end with the figure, and cost nothing where they would cost much."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from zmon.base.absent import Absent
from zmon.base.shipped import shipped
from zmon.screen.definition import load_screens
from zmon.session import curves as module
from zmon.session.curves import CURVED, curves
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.tables.filled import fill

if TYPE_CHECKING:
    from zmon.machine.view import View

RECORDING = Path(__file__).parents[2] / "recordings" / "lab-healthy-day.zmon"
COLUMNS = {"device": "resp", "control_unit": "resp", "channel": "cur"}


def view_of_a_recording() -> View:
    """Return a view of its end, with the history."""
    session = Session(open_recording(str(RECORDING)), load_screens(shipped("screens")))
    session.end()
    view = session.view()
    assert view is not None
    view.inputs = session.inputs
    return view


@pytest.mark.parametrize("name", CURVED)
def test_a_curve_ends_with_the_figure_of_its_row(name: str) -> None:
    """It looks back over several intervals, without a hole."""
    view, column = view_of_a_recording(), COLUMNS[name]
    filled, found = fill(name, view), curves(name, view)
    for key, value in zip(filled.keys, filled.column(column), strict=True):
        figures = found[f"{column} {key}"]
        assert len(figures) > 1
        assert [one.end for one in figures[:-1]] == [one.begin for one in figures[1:]]
        if not isinstance(value, Absent) and not isinstance(figures[-1].mean, Absent):
            assert figures[-1].mean == pytest.approx(value)


def test_an_lss_has_the_curve_of_its_disks() -> None:
    """Though they count for all SCSI disks where requests are followed."""
    view = view_of("fcp-failover")
    filled, series = fill("control_unit", view), curves("control_unit", view)
    resp = dict(zip(filled.keys, filled.column("resp"), strict=True))
    assert len(resp) == 2
    for key, value in resp.items():
        assert series[f"resp {key}"][-1].mean == pytest.approx(value)


def test_nothing_is_read_for_who_does_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for a fleet, nor on other screens."""
    view = view_of_a_recording()
    assert curves("cpu", view) == {}
    monkeypatch.setattr(module, "MAX_CURVED", 3)
    assert curves("device", view) == {}
