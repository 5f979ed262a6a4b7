"""The time line: the whole tape in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.event import Event, What
from zmon.session.timeline import Overview
from zmon.ui.timeline_bar import TimelineBar, happenings

HOUR = 3_600_000_000_000
NINE = 9 * HOUR
LOAD = (1, 1, 2, 5, 2, 9, 9, 1, 0, 0)
WHAT = st.sampled_from(What)
EVENTS = (
    Event(What.GAP, NINE + HOUR, NINE + 3 * HOUR),
    Event(What.LIMIT, NINE + 5 * HOUR, NINE + 5 * HOUR),
    Event(What.NOTE, NINE + 6 * HOUR, NINE + 6 * HOUR),
)

pytestmark = pytest.mark.usefixtures("utc")


def drawn(width: int = 60, *, plain: bool = False, word: str = "", load: tuple[int, ...] = LOAD) -> str:
    """Draw a day of work, at noon, with marks at ten and at four."""
    course = Overview(NINE, NINE + 8 * HOUR, EVENTS, load)
    marks = {"A": NINE + 4 * HOUR, "B": NINE + 7 * HOUR}
    return TimelineBar(course, width, word, plain=plain).line(NINE + 3 * HOUR + 1, marks).text


def test_it_shows_load_gaps_exceptions_marks_and_place() -> None:
    """Blank, `!`, letters and a bar stand where they belong."""
    assert drawn() == " 09:00:00 ▂▂▂▂▂         |▅▃▃▃A████!███▂▂▂▂▁▁B▁▁▁▁▁ 17:00:00"


def test_it_can_be_drawn_in_ascii() -> None:
    """On a terminal that knows nothing else."""
    assert drawn(plain=True) == " 09:00:00 .....         |=:::A####!###....__B_____ 17:00:00"


def test_without_a_load_it_is_a_line() -> None:
    """A tape need not know it."""
    assert drawn(plain=True, load=()) == " 09:00:00 -----         |----A----!---------B----- 17:00:00"


def test_a_word_stands_beside_it() -> None:
    """Such as the speed."""
    assert drawn(word="x10").endswith(" 17:00:00  x10")
    assert len(drawn(word="x10")) < 60


def test_a_narrow_glass_has_the_line_alone() -> None:
    """Times and words go away first."""
    assert "09:00" not in drawn(30, word="x10")
    assert len(drawn(30, word="x10")) < 30


def test_more_than_a_day_is_labelled_with_days() -> None:
    """The clock alone would not tell."""
    line = TimelineBar(Overview(NINE, NINE + 50 * HOUR), 60).line(None, {})
    assert line.text.startswith(" 01-01 09:00 ")
    assert line.text.endswith(" 01-03 11:00")


def test_every_time_can_be_clicked() -> None:
    """From the begin to the end, and nothing beside."""
    line = TimelineBar(Overview(NINE, NINE + 8 * HOUR), 60)
    times = [line.time(x) for x in range(60)]
    found = [time for time in times if time is not None]
    assert (found[0], found[-1]) == (NINE, NINE + 8 * HOUR)
    assert [line.place(time) for time in found] == list(range(line.length))
    assert times[0] is times[59] is None


@given(
    begin=st.integers(0, 1 << 62), length=st.integers(0, 1 << 60), width=st.integers(0, 300),
    events=st.lists(st.tuples(WHAT, st.integers(0, 1 << 62), st.integers(0, 1 << 62)), max_size=9),
    load=st.lists(st.floats(), max_size=99), word=st.text(max_size=20), plain=st.booleans(),
)  # fmt: skip
def test_it_is_always_one_line_that_fits(  # noqa: PLR0913, PLR0917 - as many sides as it has
    begin: int, length: int, width: int, events: list[tuple[What, int, int]], load: list[float],
    word: str, plain: bool,
) -> None:  # fmt: skip
    """Whatever there is on the tape."""
    happened = [Event(what, min(one, other), max(one, other)) for what, one, other in events]
    line = TimelineBar(Overview(begin, begin + length, happened, load), width, word, plain=plain)
    assert len(line.line(begin, {"A": begin + length}).text) <= max(width, 2)


def test_an_event_that_is_too_long_for_a_line_goes_on_below_it() -> None:
    """None of its words is lost at the edge."""
    event = Event(What.LIMIT, 0, 0, "0.0.7000", "word " * 30, "DEVICE")
    lines = [line.text for line in happenings([event], 60)[0]]
    assert all(len(line) < 60 for line in lines)
    assert " ".join(lines).count("word") == 30


def test_a_long_remark_on_events_is_folded() -> None:
    """None of its words is lost at the edge."""
    lines = [line.text for line in happenings([], 60, "word " * 30)[0]]
    assert all(len(line) < 60 for line in lines)
    assert " ".join(lines).count("word") == 30


def test_events_are_listed_from_the_present_moment_on() -> None:
    """The line of the last event up to now is known, so that the list opens there."""
    events = [Event(What.NOTE, at * HOUR, at * HOUR, text=f"note {at}") for at in range(9)]
    listed, present = happenings(events, 60, "remark", 4 * HOUR)
    assert listed[present].text.endswith("note 4")
    assert happenings(events, 60, present=None)[1] == 0
