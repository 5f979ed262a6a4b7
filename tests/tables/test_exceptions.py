"""EXCEPT holds what it shows: how long an exception lasted is never cut, nor a bus id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.event import BAD, LOOK, OPEN, OVER, ExceptionEntry
from zmon.base.shipped import shipped
from zmon.interval import Interval
from zmon.machine.view import View
from zmon.screen.definition import load_screens
from zmon.screen.layout import within
from zmon.session.commands import run
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.tables.exceptions import NONE, NOT_JUDGED, _length, table
from zmon.tables.filled import fill

if TYPE_CHECKING:
    from collections.abc import Callable

SECOND: Final = 1_000_000_000
WIDTHS: Final = {one.name: one.width for one in load_screens(shipped("screens")).find("EXCEPT").columns}


def lasting(seconds: float, state: str = OVER) -> ExceptionEntry:
    """Return an exception that lasted so long."""
    end = round(seconds * SECOND)
    return ExceptionEntry(
        "r", "d", "device", "k", "8000", 0, end, LOOK, 1.0, 0, end, 1.0, 1.0, 1, "", state=state
    )


@pytest.mark.parametrize(
    ("seconds", "state", "shown"),
    [(1170, OPEN, "19m30s+"), (900, OVER, "15m"), (86_340, OPEN, "23h59m+"), (0, OVER, "0s")],
)
def test_how_long_it_lasted_is_whole(seconds: float, state: str, shown: str) -> None:
    """With its two units, and a plus while it is open."""
    assert _length(lasting(seconds, state)) == shown


@given(st.floats(0, 99 * 86_400), st.sampled_from([OPEN, OVER]))
def test_no_length_is_cut(seconds: float, state: str) -> None:
    """Of any length up to 99 days."""
    assert len(_length(lasting(seconds, state))) <= WIDTHS["lasted"]


def test_a_bus_id_is_whole() -> None:
    """Exceptions of paths are put together by adapter: `0.0.fc60`."""
    assert len("0.0.fc60") <= WIDTHS["where"]
    subject = next(
        one for one in load_screens(shipped("screens")).find("DIAGNOSE").columns if one.name == "subject"
    )
    assert len("FCP device 0.0.fc60") <= subject.width


def test_the_number_that_worst_takes_is_shown() -> None:
    """With the exception, on 80 columns: WORST and that number goes to the worst interval of that row."""
    session = Session(
        open_recording("recordings/lab-healthy-day.zmon"), load_screens(shipped("screens")), "EXCEPT"
    )
    session.end()
    session.log.complete()
    sheet = session.sheet()
    entries = {entry.number: entry for entry in session.log.entries()}
    for row, rule in enumerate(sheet.table.column("rule")):
        number = sheet.table.column("number")[row]
        assert entries[int(str(number))].rule == rule
        assert sheet.deeper(row) == f"WORST {number}"
    shown = within(sheet.screen, 80)
    assert [one.name for one in shown.columns][:2] == ["number", "begin"]
    assert "cause" in [one.name for one in shown.columns]


def test_the_worst_is_one_of_the_highest_level() -> None:
    """OVERVIEW and WORST name a bad one, not one worth a look whose rule has more weight."""
    session = Session(open_recording("recordings/lab-healthy-day.zmon"), load_screens(shipped("screens")))
    session.end()
    session.log.complete()
    view = session.view()
    assert view is not None
    words = " ".join(map(str, fill("overview", view).column("words")))
    (said,) = re.findall(r"the worst at [-0-9: ]+: WORST (\d+)", words)
    entries = {entry.number: entry for entry in session.log.entries()}
    assert {entry.level for entry in entries.values()} == {LOOK, BAD}
    assert entries[int(said)].level == BAD
    run(session, "WORST")
    assert session.utc == entries[int(said)].worst_end
    assert f"exception {said}, " in session.message


def test_of_one_sample_it_is_not_said_that_no_rule_has_held(make_interval: Callable[..., Interval]) -> None:
    """A rule compares two; of these that none held long enough is known."""
    both = make_interval({}, {})
    first = Interval(None, both.after)
    assert (table(View(first)).missing, table(View(both)).missing) == (NOT_JUDGED, NONE)
