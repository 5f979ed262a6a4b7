"""Where all data are on one LCU, its volumes are what data can be spread over."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.placement.study import SECOND
from zmon.diagnosis.judged import verdict_of, waits_in
from zmon.machine.topology import machine_of
from zmon.placement.file_traffic import attribution_of
from zmon.placement.items import UnitKind, placement_of
from zmon.placement.spread_report import SpreadQuery, even_words
from zmon.placement.whatif import report_of
from zmon.session.machines import open_lab
from zmon.session.navigator import Navigator
from zmon.tables.tablespaces import moves_table, spread_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.machine.view import View

BEGIN = 1_773_626_400 * SECOND
"""When lab:stripe-extended begins: 02:00 of 2026-03-16."""
GAIN = re.compile(r"(\d+\.\d+) times the throughput \((\d+\.\d+) to (\d+\.\d+)\)")


@pytest.fixture(scope="module")
def extended() -> Iterator[View]:
    """Return an interval in which new data are on two volumes of six."""
    timeline = open_lab("lab:stripe-extended")
    navigator = Navigator(timeline)
    navigator.seek(BEGIN + 5 * 60 * SECOND)
    view = navigator.view()
    assert view is not None
    yield view
    timeline.close()


def gain(words: str) -> tuple[str, ...]:
    """Return the gain that words tell, with its range."""
    found = GAIN.search(words)
    assert found, words
    return found.groups()


def test_one_question_has_one_number(extended: View) -> None:
    """SPREAD, the spread by disk and DIAGNOSE give the same gain of spreading data over the volumes."""
    diagnosis = next(one for one in verdict_of(extended).diagnoses if one.id == "D20")
    notes = spread_table(extended).notes
    words = next(one for one in notes if one.startswith("All is on LCU 8000, "))
    by_disk = report_of(
        extended,
        placement_of(machine_of(extended), by=UnitKind.DISK, traffic=attribution_of(extended)),
        SpreadQuery(what="disk", traffic=True),
        waits_in(extended),
    )
    assert gain(words) == gain(diagnosis.gain_text) == gain(even_words(by_disk))
    assert "volume 8000" in words
    assert "volume 8000" in diagnosis.gain_text


def test_the_diagnosis_names_the_change_that_its_gain_is_of(extended: View) -> None:
    """Who wants to see the figures of the gain gets the command for them."""
    diagnosis = next(one for one in verdict_of(extended).diagnoses if one.id == "D20")
    assert diagnosis.whatif == "stripe ORA.NEW over volumes 8000,8001,8002,8003,8004,8005"


def test_moves_on_one_lcu_say_what_helps_instead(extended: View) -> None:
    """The gain of spreading over volumes is told, and no statement is promised that is not there."""
    found = moves_table(extended)
    assert found.missing is not None
    assert "LCU 8000" in found.missing.reason
    assert any(note.startswith("All is on LCU 8000, but not evenly") for note in found.notes)
    assert not any("prints the statements" in note for note in found.notes)
