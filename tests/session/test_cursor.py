"""The head finds intervals: step by step, at a time, at an exception, and as a playing tape passes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ListTimeline
from zmon.base.clock import clock
from zmon.base.event import Event, What
from zmon.sample import Instant, Sample
from zmon.session.cursor import (
    LADDER,
    PAUSED,
    SPEEDS,
    Cursor,
    Playback,
    faster,
    parse_speed,
    slower,
    speed_words,
)

if TYPE_CHECKING:
    from zmon.interval import Interval


SECOND = 1_000_000_000
TIMES = st.lists(st.integers(0, 50), min_size=1, max_size=12).map(sorted)


def sample(second: int) -> Sample:
    """Return an empty sample of a second; one was meant to be taken each second."""
    return Sample(Instant(second * SECOND, second * SECOND, "boot"), {}, nominal=1.0)


def head(*seconds: int, happened: tuple[Event, ...] = ()) -> Cursor:
    """Return the head before the first sample of a tape."""
    return Cursor(ListTimeline([sample(second) for second in seconds], happened=happened))


def place(interval: Interval | None) -> tuple[int, int] | None:
    """Tell between which seconds an interval lies; -1 for no sample before."""
    if interval is None:
        return None
    before = -1 if interval.before is None else interval.before.at.utc // SECOND
    return before, interval.after.at.utc // SECOND


def limit(begin: int, end: int | None = None, what: What = What.LIMIT) -> Event:
    """Return an event."""
    return Event(what, begin * SECOND, (begin if end is None else end) * SECOND)


def test_a_step_back_is_the_interval_before() -> None:
    """With the sample before it, not with nothing."""
    found = head(1, 2, 3)
    found.end()
    assert [place(found.previous()) for _ in range(3)] == [(1, 2), (-1, 1), None]


def test_a_step_back_reads_two_samples_however_long_the_tape_is() -> None:
    """It does not begin anew."""
    tape = ListTimeline([sample(second) for second in range(1000)])
    found = Cursor(tape)
    found.end()
    read: list[int] = []

    class Noted(list[Sample]):
        def __getitem__(self, key):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204 - as in list
            read.append(key)
            return super().__getitem__(key)

    section = tape.sections[0]
    section.samples = Noted(section.samples)
    found.previous()
    assert set(read) == {997, 998}


@pytest.mark.parametrize(("second", "there"), [(0, (-1, 1)), (1, (-1, 1)), (4, (1, 3)), (9, (3, 6))])
def test_a_time_is_the_last_sample_before_it(second: int, there: tuple[int, int]) -> None:
    """Before the first it is the first."""
    assert place(head(1, 3, 6).seek(second * SECOND)) == there


@given(TIMES)
def test_the_ends_are_found(seconds: list[int]) -> None:
    """Even if several samples are of the first instant."""
    found = head(*seconds)
    assert place(found.begin()) == (-1, seconds[0])
    assert place(found.end()) == (seconds[-2] if len(seconds) > 1 else -1, seconds[-1])
    assert found.next() is None


def test_an_empty_tape_leads_nowhere() -> None:
    """Whatever is asked for."""
    empty = head()
    assert (empty.begin(), empty.end(), empty.seek(0), empty.play(0), empty.timeline.overview()) == (
        None,
    ) * 5
    assert (empty.find_exception(1), empty.previous(), empty.next()) == (None,) * 3


def test_a_head_goes_on_from_where_it_was_said_to_stand() -> None:
    """The tape itself stood elsewhere."""
    tape = ListTimeline([sample(second) for second in range(5)])
    assert place(Cursor(tape, 3 * SECOND).previous()) == (1, 2)
    assert place(Cursor(tape, 3 * SECOND).next()) == (3, 4)
    assert place(Cursor(tape, 3 * SECOND).play(4 * SECOND)) == (3, 4)


def test_playing_leaves_no_sample_out() -> None:
    """An interval over several samples begins where the last one ended, and is no gap."""
    found = head(*range(10))
    shown = [found.play(second * SECOND) for second in (0, 1, 1, 7, 9)]
    assert [place(interval) for interval in shown] == [(-1, 0), (0, 1), None, (1, 7), (7, 9)]
    assert [interval.gap for interval in shown[3:] if interval] == [False, False]


def test_a_gap_that_is_played_over_stays_one() -> None:
    """When nothing lies in between."""
    found = head(0, 1, 30)
    found.play(SECOND)
    there = found.play(30 * SECOND)
    assert there is not None
    assert there.gap


def test_playing_backwards_shows_the_interval_of_the_sample() -> None:
    """It never runs backwards itself."""
    found = head(*range(10))
    found.end()
    assert [place(found.play(second * SECOND)) for second in (8, 3, 0)] == [(7, 8), (2, 3), (-1, 0)]


EVENTS = (limit(2), limit(3, what=What.NOTE), limit(4, 8, What.GAP), limit(9), limit(11))


@pytest.mark.parametrize(
    ("at", "way", "there"),
    [(0, 1, 2), (2, 1, 8), (8, 1, 10), (10, 1, 12), (12, 1, None), (12, -1, 10), (10, -1, 8), (8, -1, 2)],
)
def test_exceptions_are_found_at_the_sample_that_shows_them(at: int, way: int, there: int | None) -> None:
    """A gap is seen behind it; notes are no exceptions."""
    found = head(0, 1, 2, 3, 4, 8, 10, 12, happened=EVENTS)
    found.seek(at * SECOND)
    exception = found.find_exception(way)
    assert (None if exception is None else exception[1].after.at.utc // SECOND) == there


@pytest.mark.parametrize(("at", "way", "there"), [(0, 1, 3), (2, 1, 3), (3, 1, 9), (9, -1, 3), (9, 1, None)])
def test_an_exceeded_limit_is_found_in_the_interval_that_exceeds_it(at: int, way: int, there: int) -> None:
    """Its event begins with that interval, so the sample at its begin does not show it yet."""
    found = head(0, 1, 2, 3, 4, 8, 9, happened=(limit(2, 4), limit(8, 9)))
    found.seek(at * SECOND)
    exception = found.find_exception(way)
    assert (None if exception is None else exception[1].after.at.utc // SECOND) == there


def test_the_time_of_an_exceeded_limit_names_the_interval_that_shows_it() -> None:
    """Who goes to the time of an event would see nothing."""
    found = head(0, 1, 2, 3, happened=(limit(1, 3),))
    found.seek(SECOND)
    assert found.onset().endswith(f"ends at {clock(2 * SECOND)} shows it")
    found.seek(2 * SECOND)
    assert not found.onset()


def test_without_another_exception_the_head_stays() -> None:
    """The next step is the next sample."""
    found = head(1, 2, 3, 4)
    found.seek(2 * SECOND)
    assert found.find_exception(1) is None
    assert place(found.next()) == (2, 3)


def test_a_overview_tells_the_whole_tape() -> None:
    """From begin to end, with what happened."""
    overview = head(1, 9, happened=(limit(4),)).timeline.overview()
    assert overview is not None
    assert (overview.begin, overview.end, overview.events) == (SECOND, 9 * SECOND, [limit(4)])


# a playback says where the tape has to be; it never looks at a clock itself


SECOND = 1_000_000_000
SPAN = (1_000 * SECOND, 2_000 * SECOND)
DECKS = st.builds(
    Playback,
    st.sampled_from(LADDER),
    st.floats(0.0, 1e6),
    st.integers(1_000, 2_000).map(lambda s: s * SECOND),
)
LATER = st.floats(0.0, 1e4)


@pytest.mark.parametrize(("speed", "reached"), [(1, 1_503), (600, 3_300), (-10, 1_470), (0, 1_500)])
def test_time_passes_at_the_speed(speed: int, reached: int) -> None:
    """Three seconds at x600 are half an hour."""
    assert Playback(speed, 10.0, 1_500 * SECOND).at(13.0) == reached * SECOND


@given(playback=DECKS, later=LATER)
def test_the_tape_is_never_beyond_its_ends(playback: Playback, later: float) -> None:
    """However long it plays."""
    assert SPAN[0] <= playback.due(playback.clock + later, SPAN) <= SPAN[1]


@given(playback=DECKS, one=LATER, other=LATER)
def test_the_tape_goes_one_way(playback: Playback, one: float, other: float) -> None:
    """Later is further on, or backwards further back."""
    first, second = (playback.due(playback.clock + later, SPAN) for later in sorted((one, other)))
    assert first <= second if playback.speed > 0 else first >= second


@given(playback=DECKS, later=LATER)
def test_it_has_ended_where_it_stops(playback: Playback, later: float) -> None:
    """At the end, or backwards at the begin; not in between."""
    end = SPAN[1] if playback.speed > 0 else SPAN[0]
    clock = playback.clock + later
    assert playback.ended(clock, SPAN) == (playback.due(clock, SPAN) == end)


@given(playback=DECKS, later=LATER)
def test_waiting_leads_there(playback: Playback, later: float) -> None:
    """After the wait the tape is where it had to be."""
    utc = playback.at(playback.clock + later)
    assert abs(playback.at(playback.clock + playback.wait(playback.clock, utc)) - utc) < SECOND / 1000


def test_a_paused_playback_stays() -> None:
    """It never ends and waits for nothing."""
    playback = Playback(0, 0.0, 1_500 * SECOND)
    assert (playback.due(1e6, SPAN), playback.ended(1e6, SPAN), playback.wait(1e6, 0)) == (
        1_500 * SECOND,
        False,
        0.0,
    )
    assert not PAUSED.playing


def test_faster_goes_up_all_the_ladder_and_slower_down() -> None:
    """From fast backwards by way of slowly to fast forwards; at the ends it stays."""
    up, down = [-600], [600]
    for _ in range(2 * len(SPEEDS)):
        up.append(faster(up[-1]))
        down.append(slower(down[-1]))
    assert up == [*LADDER, 600]
    assert down == [*reversed(LADDER), -600]


def test_from_a_pause_it_goes_slowly() -> None:
    """One way or the other."""
    assert (faster(0), slower(0)) == (1, -1)


@given(st.sampled_from(LADDER))
def test_a_speed_is_read_as_it_is_written(speed: int) -> None:
    """With the x or without."""
    assert parse_speed(speed_words(speed)) == parse_speed(str(speed)) == speed


@given(st.text(max_size=12))
def test_what_is_no_speed_is_answered_with_the_speeds(words: str) -> None:
    """Nothing else is ever said, and nothing else comes out."""
    try:
        said = str(parse_speed(words))
    except ValueError as error:
        said = str(error)
    assert said in {str(speed) for speed in LADDER} or "600" in said


def test_a_pause_is_said() -> None:
    """It has no number."""
    assert speed_words(0) == "paused"
