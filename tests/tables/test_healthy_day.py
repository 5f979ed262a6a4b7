"""A day on which nothing waits but in one quarter of an hour: no screen gives advice where none is of use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tables.test_overview import session_at, view_of
from zmon.base.absent import Absent
from zmon.cli.whatif import suggested_plan
from zmon.diagnosis.judged import verdict_of
from zmon.queueing.change import ChangeError
from zmon.tables.tablespaces import moves_table, spread_table

if TYPE_CHECKING:
    from zmon.machine.view import View


def advice(view: View) -> list[str]:
    """Return what DIAGNOSE, MOVES, SPREAD and "what if" advise: ids of diagnoses, or the screen."""
    found = [one.id for one in verdict_of(view).diagnoses]
    moves = moves_table(view)
    assert isinstance(moves.missing, Absent) is not bool(moves.keys)
    found += ["MOVES"] * bool(moves.keys)
    found += ["SPREAD"] * (not any("no move" in note for note in spread_table(view).notes))
    try:
        suggested_plan(view)
    except ChangeError:
        return found
    return [*found, "what if"]


@pytest.mark.parametrize("hour", range(24))
def test_no_hour_of_the_healthy_day_has_advice(hour: int) -> None:
    """Neither a diagnosis nor a move."""
    assert advice(view_of(session_at("lab-healthy-day.zmon", f"2026-03-16 {hour:02}:10"))) == []


def test_in_the_incident_the_reader_is_to_be_found() -> None:
    """One diagnosis, and no move."""
    assert advice(view_of(session_at("lab-healthy-day.zmon", "2026-03-16 14:40"))) == ["D23"]
