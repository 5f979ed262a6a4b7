from __future__ import annotations

import pytest

from tests.conftest import ListTape
from zmon.event import What
from zmon.interval import RESTARTED
from zmon.sample import Instant, Sample
from zmon.session.splice import SplicedTape
from zmon.session.tape import NoNote, Watch

SECOND = 1_000_000_000


def sample(second: int, boot: str) -> Sample:
    return Sample(Instant(second * SECOND, second * SECOND, boot), {}, boot)


def tape(name: str, *seconds: int) -> ListTape:
    return ListTape([sample(second, name) for second in seconds], name=name)


@pytest.fixture
def spliced() -> SplicedTape:
    """Return three tapes, of which one is empty, as one."""
    return SplicedTape([tape("one", 1, 2, 3), tape("none"), tape("two", 10, 11)])


def times(found: list[Sample | None]) -> list[int | None]:
    return [each and each.at.utc // SECOND for each in found]


def test_it_plays_from_the_first_to_the_last(spliced: SplicedTape) -> None:
    """And then there is nothing more."""
    assert times([spliced.next() for _ in range(6)]) == [1, 2, 3, 10, 11, None]


def test_it_plays_backwards(spliced: SplicedTape) -> None:
    """To before the first, from where it goes on again."""
    spliced.seek(99 * SECOND)
    assert times([spliced.previous() for _ in range(5)]) == [10, 3, 2, 1, None]
    assert times([spliced.next()]) == [1]


def test_it_turns_where_tapes_meet(spliced: SplicedTape) -> None:
    """Either way, as often as one likes."""
    spliced.seek(3 * SECOND)
    assert times([spliced.next(), spliced.previous(), spliced.next(), spliced.next()]) == [10, 3, 10, 11]


@pytest.mark.parametrize(("second", "found"), [(0, 1), (2, 2), (5, 3), (10, 10), (99, 11)])
def test_it_finds_the_sample_of_a_time(spliced: SplicedTape, second: int, found: int) -> None:
    """The last at it or before, on whichever tape."""
    assert times([spliced.seek(second * SECOND)]) == [found]


def test_it_lasts_from_the_first_to_the_last(spliced: SplicedTape) -> None:
    """The time between them among it."""
    assert spliced.span() == (1 * SECOND, 11 * SECOND)


def test_where_another_begins_is_an_exception(spliced: SplicedTape) -> None:
    """One can jump to it."""
    (event,) = spliced.events(0, 99 * SECOND)
    assert (event.what, event.begin, event.text) == (What.RESTART, 10 * SECOND, "Here begins two")
    assert event.exception
    assert spliced.events(0, 5 * SECOND) == []


def test_the_past_goes_through_all_of_them(spliced: SplicedTape) -> None:
    """Each interval ends where the one behind it begins, also where tapes meet."""
    spliced.seek(99 * SECOND)
    past = list(spliced.past())
    assert times([interval.after for interval in past]) == [11, 10, 3, 2, 1]
    assert times([interval.before for interval in past]) == [10, 3, 2, 1, None]


def test_the_past_of_a_time(spliced: SplicedTape) -> None:
    """Wherever it stands."""
    assert times([interval.after for interval in spliced.past(2 * SECOND)]) == [2, 1]
    assert times([interval.after for interval in spliced.past(10 * SECOND)]) == [10, 3, 2, 1]
    assert list(spliced.past(0)) == []


def test_a_watch_counts_nothing_across(spliced: SplicedTape) -> None:
    """Another machine's counters are no later ones of this."""
    watch = Watch(spliced)
    watch.seek(10 * SECOND)
    assert watch.interval is not None
    assert watch.interval.void is RESTARTED


def test_tapes_that_overlap_cannot_be_spliced() -> None:
    """It says which."""
    with pytest.raises(ValueError, match="two begins before one has ended"):
        SplicedTape([tape("one", 1, 5), tape("two", 5, 6)])


def test_nothing_at_all_is_a_tape_too() -> None:
    """Without samples."""
    empty = SplicedTape([tape("none")])
    assert empty.span() is None
    assert times([empty.next(), empty.previous(), empty.seek(0)]) == [None, None, None]
    assert list(empty.past()) == []
    with pytest.raises(NoNote):
        empty.note(0, "a word")
