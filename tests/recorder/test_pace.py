from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zmon.recorder.pace import Deadline, following


def test_a_sample_in_time_is_followed_by_the_next_deadline() -> None:
    """However long it took, deadlines stay where they are."""
    assert following(1000, 100, 0, 1007) == Deadline(1, 1100, 0)


def test_deadlines_that_passed_are_left_out() -> None:
    """They are counted, and the next is none of them."""
    assert following(1000, 100, 0, 1350) == Deadline(4, 1400, 3)


def test_a_deadline_of_now_is_not_over() -> None:
    """It is taken at once."""
    assert following(1000, 100, 0, 1100) == Deadline(1, 1100, 0)


def test_a_sample_that_came_early_does_not_repeat_its_deadline() -> None:
    """A wait may end a little before its time."""
    assert following(1000, 100, 3, 1299) == Deadline(4, 1400, 0)


@given(st.integers(0, 10**18), st.integers(1, 10**14), st.lists(st.integers(0, 10**15), max_size=20))
def test_deadlines_never_drift_and_none_is_forgotten(begin: int, interval: int, takes: list[int]) -> None:
    """Each is whole intervals from the begin and later than the one before; those between are counted."""
    now, number, seen = begin, 0, 0
    for take in takes:
        now += take
        deadline = following(begin, interval, number, now)
        assert deadline.at == begin + deadline.number * interval >= now
        assert deadline.number == number + 1 + deadline.missed
        seen += 1 + deadline.missed
        number, now = deadline.number, deadline.at
    assert number == seen
