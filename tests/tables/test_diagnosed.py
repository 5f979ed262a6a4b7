"""DIAGNOSE: all of the text fits on the glass, and each line of a diagnosis leads to what it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from tests.goldens import facts
from zmon.base.shipped import shipped
from zmon.diagnosis import judged as diagnosed
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.judged import verdict_of, waits_in
from zmon.interval import Interval
from zmon.lab.scenario import load_scenario
from zmon.machine.view import View, no_inputs
from zmon.screen.definition import load_screens
from zmon.screen.sheet import Sheet
from zmon.session.machines import simulated
from zmon.session.navigator import Navigator
from zmon.session.page import Page
from zmon.tables.diagnosed import FIRST, door, lcu_door
from zmon.tables.filled import fill
from zmon.ui.grid import Grid

if TYPE_CHECKING:
    from zmon.machine.observation import ObservedLoad


def test_a_diagnosis_is_there_whole() -> None:
    """The words are those of the verdict, and the figures are in the first line alone."""
    view = view_of("shark-before")
    table = fill("diagnosis", view)
    text = table.column("text")
    (first,) = verdict_of(view).diagnoses
    assert first.judged_claim in " ".join(map(str, text))
    assert [one for one in table.column("id") if one] == [first.id]
    assert table.column("lost")[0] == first.lost
    own = [door for door in table.column("door") if isinstance(door, str)]
    assert set(own) == {f"DEVICE cu={first.subjects[0].key}"}
    assert len(own) >= 5


@pytest.mark.parametrize(("width", "longest"), [(40, 66), (80, 66), (100, 86), (132, 110), (250, 110)])
def test_the_lines_are_as_long_as_the_terminal_allows(width: int, longest: int) -> None:
    """No word is lost, and each line of a diagnosis leads to what it is about."""
    table = fill("diagnosis", view_of("shark-before"))
    sheet = Sheet(load_screens(shipped("screens")).find("DIAGNOSE"), table).in_room(width)
    text = [str(line) for line in sheet.table.column("text")]
    assert longest - 12 < max(map(len, text)) <= longest
    assert " ".join(text) == " ".join(map(str, table.column("text")))
    assert sheet.keys == [str(number) for number in range(1, len(text) + 1)]
    last = sheet.table.column("what").index("To do")
    first = sheet.deeper(0)
    assert first.startswith("DEVICE cu=")
    assert {sheet.deeper(place) for place in range(last + 1)} == {first}
    assert [bool(lost) for lost in sheet.table.column("lost")[: last + 1]] == [True] + [False] * last


def test_the_glass_folds_the_text_anew_for_its_width() -> None:
    """A wide one shows fewer lines, whole; back at 80 columns all is as it was."""
    sheet = Sheet(
        load_screens(shipped("screens")).find("DIAGNOSE"), fill("diagnosis", view_of("shark-before"))
    )
    grid = Grid(Page(sheet.screen), sheet)
    seen = []
    for width in (80, 132, 80):
        grid.resize(width, 60)
        grid.bottom()
        seen.append([line.text.rstrip() for line in grid.lines()])
        assert all(len(line) <= width for line in seen[-1])
        assert not grid.command  # the last line is about what is not known
        grid.top()
        assert grid.command.startswith("DEVICE cu=")
    assert seen[0] == seen[2]
    assert len(seen[1]) < len(seen[0])
    assert max(map(len, seen[1])) > 110


def test_nothing_short_is_said_in_one_sentence() -> None:
    """Without a diagnosis the screen has the verdict, which leads nowhere."""
    view = view_of("shark-after")
    table = fill("diagnosis", view)
    assert table.column("what")[0] == "Verdict"
    assert not any(isinstance(door, str) for door in table.column("door"))
    assert verdict_of(view) is verdict_of(view)  # computed once


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("IBM.750000000F2001.7600", "DEVICE cu=IBM.750000000F2001.7600"),
        ("IBM.5005076303ffc1ae.LSS80", "DEVICE cu=IBM.5005076303ffc1ae.LSS80"),
        ("SCSI", "CTLUNIT"),
    ],
)
def test_an_lcu_leads_to_its_devices(key: str, command: str) -> None:
    """An LSS of SCSI disks, too; all of these taken together are no LCU that DEVICE could list."""
    assert lcu_door(key) == command


def test_before_the_second_sample_nothing_is_said_to_be_well() -> None:
    """A verdict needs differences: the screen says so, as OVERVIEW does."""
    interval = view_of("shark-after").interval
    table = fill("diagnosis", View(Interval(None, interval.after), inputs=no_inputs))
    assert not table.keys
    assert table.missing is FIRST


def test_a_slow_path_leads_to_what_shows_its_response() -> None:
    """FCP has the response of each adapter; of paths without one MPATH has that of each path."""
    view = view_of("fcp-path-slow")
    table = fill("diagnosis", view)
    assert {one for one in table.column("door") if isinstance(one, str)} == {"FCP"}
    responses = dict(zip(*(fill("fcp", view).column(name) for name in ("addr", "resp")), strict=True))
    assert responses["FC61"] > 3 * responses["FC60"]
    assert door(Subject("adapter", "", "sda and sdb")) == "MPATH"


def test_a_device_that_is_held_back_leads_to_the_screen_that_has_it() -> None:
    """DEVICE has the disks below it alone."""
    assert fill("diagnosis", view_of("dm-suspended")).column("door")[0] == "STACKED"


def test_a_path_that_does_all_is_why_no_move_is_of_use() -> None:
    """Nothing waits long enough to be named, but DIAGNOSE has a cause, which no placement mends."""
    found = waits_in(view_of("fcp-failover"))
    assert found is not None
    assert facts(found.why) == "4 10"
    assert found.why.endswith(" (see DIAGNOSE)")


def test_a_machine_without_history_is_not_looked_back_at_to_1970(monkeypatch: pytest.MonkeyPatch) -> None:
    """Live with two samples nothing is before them: that is found in some steps, not in millions."""
    asked: list[tuple[int, int]] = []
    plain = diagnosed._between

    def between(view: View, begin: int, end: int) -> ObservedLoad | None:
        asked.append((begin, end))
        return plain(view, begin, end)

    monkeypatch.setattr(diagnosed, "_between", between)
    verdict_of(View(view_of("pav-3").interval))
    assert 0 < len(asked) < 100


@pytest.mark.parametrize("calm", [40, 400])
@pytest.mark.parametrize(("scenario", "trouble"), [("dm-suspended", "D21"), ("path-lost", "D13")])
def test_what_was_broken_begins_and_ends_with_a_sample(scenario: str, trouble: str, calm: int) -> None:
    """Not with the part of a time in which it was seen last: that ends earlier than the trouble, or later."""
    plan = load_scenario(scenario)
    healthy, broken = plan.phases
    before, behind = (healthy._replace(name=name, seconds=calm) for name in ("before", "behind"))
    phases = (before, broken._replace(seconds=67), behind)
    navigator = Navigator(simulated([plan._replace(step=1.0, phases=phases)]))
    navigator.end()
    first, last = navigator.timeline.span() or (0, 0)
    whole = navigator.history.between(first, last)
    assert whole is not None
    found = next(
        one for one in verdict_of(View(whole, history=navigator.history)).diagnoses if one.id == trouble
    )
    assert found.begin is not None
    assert found.end is not None
    assert ((found.begin - first) / 1e9, (found.end - first) / 1e9) == pytest.approx((calm, calm + 67), abs=1)
