"""A playback says where the tape has to be; it never looks at a clock itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.session.cursor import LADDER, PAUSED, SPEEDS, Playback, faster, parse_speed, slower, speed_words

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
