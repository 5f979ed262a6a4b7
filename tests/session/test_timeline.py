"""A timeline of sections is one: positions go on from one section to the next."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ListSection
from zmon.base.event import What
from zmon.interval import RESTARTED
from zmon.sample import Instant, Sample
from zmon.session.cursor import Cursor
from zmon.session.timeline import NoteError, Timeline, spliced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.interval import Interval

SECOND = 1_000_000_000


def sample(second: int, boot: str) -> Sample:
    return Sample(Instant(second * SECOND, second * SECOND, boot), {}, boot)


def section(name: str, *seconds: int) -> ListSection:
    return ListSection([sample(second, name) for second in seconds], name=name)


@pytest.fixture
def joined() -> Timeline:
    """Return three sections, of which one is empty, as one timeline."""
    return spliced([section("one", 1, 2, 3), section("none"), section("two", 10, 11)])


def times(found: Iterable[Interval | None]) -> list[int | None]:
    return [None if each is None else each.after.at.utc // SECOND for each in found]


def test_it_goes_from_the_first_to_the_last(joined: Timeline) -> None:
    """And then there is nothing more."""
    cursor = Cursor(joined)
    assert times([cursor.next() for _ in range(6)]) == [1, 2, 3, 10, 11, None]


def test_it_goes_backwards(joined: Timeline) -> None:
    """To the first, where it stays."""
    cursor = Cursor(joined, 99 * SECOND)
    assert times([cursor.previous() for _ in range(5)]) == [10, 3, 2, 1, None]
    assert times([cursor.next()]) == [2]


def test_it_turns_where_sections_meet(joined: Timeline) -> None:
    """Either way, as often as one likes."""
    cursor = Cursor(joined, 3 * SECOND)
    assert times([cursor.next(), cursor.previous(), cursor.next(), cursor.next()]) == [10, 3, 10, 11]


@pytest.mark.parametrize(("second", "found"), [(0, 1), (2, 2), (5, 3), (10, 10), (99, 11)])
def test_it_finds_the_sample_of_a_time(joined: Timeline, second: int, found: int) -> None:
    """The last at it or before, in whichever section; before the first it is the first."""
    assert times([Cursor(joined).seek(second * SECOND)]) == [found]


def test_before_the_first_sample_nothing_is_found(joined: Timeline) -> None:
    """Only a cursor goes to the first then."""
    assert joined.find(0) is None


def test_it_lasts_from_the_first_to_the_last(joined: Timeline) -> None:
    """The time between them among it."""
    assert joined.span() == (1 * SECOND, 11 * SECOND)


def test_where_another_begins_is_an_exception(joined: Timeline) -> None:
    """One can jump to it."""
    (event,) = joined.events(0, 99 * SECOND)
    assert (event.what, event.begin, event.text) == (What.RESTART, 10 * SECOND, "Here begins two")
    assert event.exception
    assert joined.events(0, 5 * SECOND) == []


def test_the_intervals_go_through_all_of_them(joined: Timeline) -> None:
    """Each ends where the one behind it begins, also where sections meet."""
    past = list(joined.intervals(joined.find(99 * SECOND)))
    assert times(past) == [11, 10, 3, 2, 1]
    assert [each.before and each.before.at.utc // SECOND for each in past] == [10, 3, 2, 1, None]


def test_the_intervals_up_to_a_time(joined: Timeline) -> None:
    """None without a position."""
    assert times(joined.intervals(joined.find(2 * SECOND))) == [2, 1]
    assert times(joined.intervals(joined.find(10 * SECOND))) == [10, 3, 2, 1]
    assert list(joined.intervals(None)) == []


def test_nothing_is_counted_across(joined: Timeline) -> None:
    """Another machine's counters are no later ones of this."""
    interval = Cursor(joined).seek(10 * SECOND)
    assert interval is not None
    assert interval.void is RESTARTED


def test_sections_that_overlap_cannot_be_spliced() -> None:
    """It says which."""
    with pytest.raises(ValueError, match="two begins before one has ended"):
        spliced([section("one", 1, 5), section("two", 5, 6)])


def test_nothing_at_all_is_a_timeline_too() -> None:
    """Without samples."""
    empty = spliced([section("none")])
    cursor = Cursor(empty)
    assert empty.span() is None
    assert [cursor.next(), cursor.previous(), cursor.seek(0)] == [None, None, None]
    assert empty.overview() is None
    with pytest.raises(NoteError):
        empty.note(0, "a word")


@given(st.lists(st.integers(1, 4), min_size=2, max_size=5), st.data())
def test_a_position_stays_valid_while_sections_go_and_come(sizes: list[int], data: st.DataObject) -> None:
    """Behind a section that is gone the next one begins; before it the one before ends."""
    seconds = iter(range(100))
    sections = [section(str(order), *islice(seconds, size)) for order, size in enumerate(sizes)]
    for order, each in enumerate(sections):
        each.order = order
    listed = list(sections)
    timeline = Timeline("growing", lambda: list(listed))
    cursor = Cursor(timeline)
    for _ in range(data.draw(st.integers(1, sum(sizes)))):
        cursor.next()
    assert cursor.position is not None
    here, second = cursor.position.section, cursor.position.utc // SECOND
    gone = data.draw(st.sampled_from(sections))
    listed.remove(gone)
    timeline.refresh()
    left = [each.at.utc // SECOND for one in listed for each in one.samples]
    begin = second if here is not gone else sections[sections.index(gone)].samples[0].at.utc // SECOND
    later = [each for each in left if each > second]
    earlier = [each for each in left if each < begin]
    before, after = timeline.previous(cursor.position), timeline.next(cursor.position)
    assert (after and after.utc // SECOND) == (later[0] if later else None)
    assert (before and before.utc // SECOND) == (earlier[-1] if earlier else None)
