"""A watch goes forward and back over a tape, and its figures are those of where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ListTimeline
from zmon.interval import Interval
from zmon.kinds import CHANNEL
from zmon.machine.period import Period
from zmon.sample import Frame, Instant, Sample
from zmon.session.navigator import CommandError, Navigator
from zmon.session.running_period import REACH

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.session.navigator import CursorMove

SECOND = 1_000_000_000
BUSY = st.lists(st.integers(0, 7000), min_size=1, max_size=12)


def sample(place: int, ticks: int, busy: int, *, nominal: float = 0.0) -> Sample:
    """Return the sample of one channel path at a second of the tape."""
    columns = {"timestamp": [ticks % (1 << 24)], "busy_cpc": [busy % (1 << 32)]}
    frame = Frame(CHANNEL, ["0.40"], {n: list(v) for n, v in columns.items()}, [place * SECOND])
    return Sample(Instant(place * SECOND, place * SECOND, "boot"), {"channel": frame}, nominal=nominal)


class EndlessTimeline(ListTimeline):
    """A live timeline: there is always another sample, and never one before."""

    def __init__(self) -> None:
        super().__init__([], live=True, name="this machine")

    def take(self) -> Sample:
        """Take a sample."""
        self.taken += 1
        return sample(self.taken, self.taken * 7812, 0)


def timeline(busy: list[int]) -> ListTimeline:
    """Return a tape of one channel path that was busy for so many ticks in each second."""
    return ListTimeline([sample(n, 7812 * n, sum(busy[:n])) for n in range(len(busy))])


def place(interval: Interval | None) -> tuple[int, int] | None:
    """Tell between which seconds an interval lies; -1 for no sample before."""
    if interval is None:
        return None
    before = -1 if interval.before is None else interval.before.at.steady // SECOND
    return before, interval.after.at.steady // SECOND


def fresh(samples: list[Sample], steps: int) -> Navigator:
    """Return a watch that went forward so many samples and never back."""
    watch = Navigator(ListTimeline(samples))
    for _ in range(steps):
        watch.next()
    return watch


def period(watch: Navigator) -> Period:
    """Return what has accumulated up to where a watch stands."""
    view = watch.view()
    return Period() if view is None else view.period


def figures(period: Period) -> tuple[object, ...]:
    """Return all that a period says."""
    return period.begin, period.end, {chpid: vars(busy) for chpid, busy in period.channels.items()}


def same(one: Period, other: Period) -> bool:
    """Tell whether two periods have the same figures."""
    return figures(one) == figures(other)


def test_before_the_first_sample_there_is_nothing_to_look_at() -> None:
    """A view needs a sample."""
    assert Navigator(timeline([1, 2])).view() is None


def test_the_first_sample_has_none_before_it() -> None:
    """Its interval has an end alone."""
    assert place(Navigator(timeline([1, 2])).next()) == (-1, 0)


def test_a_view_is_of_the_present_interval() -> None:
    """With the period and what the page is about."""
    watch = fresh(timeline([1, 2, 3]).listed, 2)
    view = watch.view("0.0.7000")
    assert view is not None
    assert (view.interval, view.period, view.argument) == (watch.interval, period(watch), "0.0.7000")


@given(BUSY)
def test_at_the_end_a_watch_stays(busy: list[int]) -> None:
    """Going on gives None and changes nothing."""
    watch = Navigator(timeline(busy))
    end = watch.end()
    counted = period(watch)
    assert place(end) == (len(busy) - 2, len(busy) - 1)
    assert (watch.next(), watch.interval, period(watch)) == (None, end, counted)


@given(BUSY)
def test_at_the_begin_a_watch_stays(busy: list[int]) -> None:
    """Going back from the first sample gives None and changes nothing."""
    watch = Navigator(timeline(busy))
    first = watch.next()
    assert (watch.previous(), watch.interval) == (None, first)


def test_an_empty_tape_stays_empty() -> None:
    """Neither direction leads anywhere."""
    watch = Navigator(ListTimeline([]))
    assert (watch.next(), watch.previous(), watch.end(), watch.view()) == (None, None, None, None)


STEPS = st.sampled_from(["forward", "back", "begin", "end"]) | st.integers(0, 12)


@given(busy=BUSY, steps=st.lists(STEPS, max_size=20), look=st.booleans())
def test_any_way_to_a_sample_shows_the_same(busy: list[int], steps: list[str | int], look: bool) -> None:
    """Interval and period are those of a watch that went straight there."""
    samples = timeline(busy).listed
    watch, at = Navigator(ListTimeline(samples)), 0
    for step in steps:
        if step == "forward":
            watch.next()
            at = min(at + 1, len(samples))
        elif step == "back":
            watch.previous()
            at = max(at - 1, min(at, 1))
        elif step == "begin":
            watch.begin()
            at = 1
        elif step == "end":
            watch.end()
            at = len(samples)
        else:
            watch.seek(int(step) * SECOND)
            at = min(int(step) + 1, len(samples))
        if look:
            assert period(watch) is not None
    straight = fresh(samples, at)
    assert place(watch.interval) == place(straight.interval)
    assert same(period(watch), period(straight))


def test_samples_of_the_same_instant_are_stepped_through_one_by_one() -> None:
    """A capture whose files have coarse times may hold two such."""
    samples = [sample(when, 0, 0) for when in (1, 2, 2, 3)]
    watch = fresh(samples, 4)
    watch.previous()
    assert watch.interval is not None
    assert watch.interval.after is samples[2]


def test_a_live_tape_is_not_stepped_back() -> None:
    """It must not be sampled either, let alone without end."""
    live = EndlessTimeline()
    watch = Navigator(live)
    watch.next()
    present = watch.next()
    assert (watch.previous(), watch.interval, live.taken) == (None, present, 2)


def test_a_sample_that_was_taken_elsewhere_counts_like_one_of_the_tape() -> None:
    """The glass takes samples in a thread."""
    samples = timeline([10, 20, 30]).listed
    watch = Navigator(EndlessTimeline())
    for each in samples:
        watch.add(each)
    assert same(period(watch), period(fresh(samples, 3)))


@given(BUSY)
def test_the_average_of_a_period_is_that_of_its_ends(busy: list[int]) -> None:
    """Where nothing is missing, the sum of the intervals is the whole."""
    watch = fresh(timeline(busy).listed, len(busy))
    figures = period(watch).channels.get("0.40")
    if len(busy) == 1:
        assert figures is None
    else:
        assert figures is not None
        ticks = 7812 * (len(busy) - 1)
        assert abs(figures.average - 100 * sum(busy[:-1]) / ticks) < 1e-6


@given(gap=st.integers(3, 100), nominal=st.just(1.0))
def test_a_gap_is_not_counted(gap: int, nominal: float) -> None:
    """What happened between samples that are missing is in no average."""
    times = [0, 1, 1 + gap, 2 + gap]
    samples = [sample(t, 7812 * t, 100 * n, nominal=nominal) for n, t in enumerate(times)]
    watch = fresh(samples, 4)
    assert sum(period(watch).channels["0.40"].ranges) == 2


def test_the_time_stamp_of_a_channel_may_wrap_within_a_period() -> None:
    """The average goes on over the wrap."""
    ticks = [(1 << 24) - 8000 + 7812 * n for n in range(4)]
    watch = fresh([sample(n, t, 3906 * n) for n, t in enumerate(ticks)], 4)
    assert round(period(watch).channels["0.40"].average, 6) == 50.0


def test_after_a_jump_the_period_reaches_so_far_back() -> None:
    """On a long tape; going on from there adds to it."""
    watch = Navigator(timeline([10] * (REACH + 500)))
    watch.seek((REACH + 100) * SECOND)
    counted = [sum(period(watch).channels["0.40"].ranges)]
    for _ in range(2):
        watch.next()
        counted.append(sum(period(watch).channels["0.40"].ranges))
    assert counted == [REACH, REACH + 1, REACH + 2]


def test_a_period_that_nobody_looks_at_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Going along a tape costs reading alone."""
    counted: list[Interval] = []
    monkeypatch.setattr(
        "zmon.machine.channel_paths.period_part", lambda interval, **_more: counted.append(interval)
    )
    watch = Navigator(timeline([1] * 9))
    watch.end()
    watch.previous()
    watch.seek(3 * SECOND)
    view = watch.view()
    assert view is not None
    assert not counted
    assert view.period is not None
    assert len(counted) == 4


# marks


def test_the_window_lies_between_the_marks() -> None:
    """Whichever came first; it is an average, not a gap."""
    watch = Navigator(ListTimeline([sample(n, 7812 * n, 100 * n, nominal=1.0) for n in range(9)]))
    watch.seek(7 * SECOND)
    watch.mark("A")
    watch.seek(2 * SECOND)
    watch.mark("B")
    window = watch.average()
    assert (place(window), window.gap) == ((2, 7), False)
    assert watch.averaging
    view = watch.view()
    assert view is not None
    assert view.interval is window
    watch.end_average()
    assert place(watch.interval) == (1, 2)


def test_a_step_leaves_the_window() -> None:
    """From where the watch stands, not from a mark."""
    watch = Navigator(timeline([1] * 9))
    for name, second in (("A", 3), ("B", 5)):
        watch.seek(second * SECOND)
        watch.mark(name)
    watch.average()
    watch.next()
    assert (place(watch.interval), watch.averaging) == ((5, 6), False)


@pytest.mark.parametrize(
    ("marks", "words"), [("", "MARK A"), ("A", "MARK B"), ("B", "MARK A"), ("AB", "same")]
)
def test_without_two_marks_there_is_no_window(marks: str, words: str) -> None:
    """It says what to do."""
    watch = fresh(timeline([1, 2]).listed, 2)
    for name in marks:
        watch.mark(name)
    with pytest.raises(CommandError, match=words):
        watch.average()
    assert place(watch.interval) == (0, 1)


def test_nothing_can_be_marked_before_the_first_sample() -> None:
    """There is nothing to mark."""
    with pytest.raises(CommandError, match="no sample"):
        Navigator(timeline([1])).mark("A")


# back from now


def recorded(busy: list[int]) -> tuple[Navigator, ListTimeline]:
    """Look at a live machine whose samples are all recorded."""
    kept = timeline(busy)
    live = Navigator(ListTimeline(kept.listed, live=True, kept=kept))
    for _ in busy:
        live.next()
    return live, kept


def test_going_back_from_a_live_machine_begins_where_it_is() -> None:
    """What is looked at stays, with its period, until it is stepped back."""
    live, _ = recorded([10, 20, 30, 40])
    present, counted = live.interval, figures(period(live))
    live.leave_present()
    assert live.interval is present
    assert figures(period(live)) == counted
    assert (live.moved, live.live, live.timeline.live) == (False, False, True)
    assert place(live.previous()) == (1, 2)
    assert same(period(live), period(fresh(timeline([10, 20, 30]).listed, 3)))
    live.to_present()
    assert live.interval is present
    assert figures(period(live)) == counted


def test_what_lies_before_is_known_before_the_first_step_back() -> None:
    """Screens by time show it while the live machine is held."""
    live, _ = recorded([10, 20, 30])
    live.leave_present()
    rows = live.history.rows("ends", lambda interval: {"end": interval.after.at.utc}, 9)
    assert [row.cells["end"] for row in rows] == [SECOND, 2 * SECOND]


def test_the_past_stays_while_the_present_goes_on() -> None:
    """What is recorded meanwhile can be gone to, and the present is where it is by then."""
    live, kept = recorded([10, 20])
    live.leave_present()
    new = sample(2, 2 * 7812, 30)
    kept.listed.append(new)
    live.add(new)
    assert place(live.interval) == (0, 1)
    assert place(live.end()) == (1, 2)
    live.begin()
    live.to_present()
    assert place(live.interval) == (1, 2)
    assert same(period(live), period(fresh(timeline([10, 20, 0]).listed, 3)))


def test_marks_survive_a_visit_to_the_present() -> None:
    """The timeline is the same."""
    live, _ = recorded([10, 20])
    live.leave_present()
    live.mark("A")
    live.to_present()
    live.leave_present()
    assert "A" in live.marks


def test_without_a_live_buffer_there_is_no_way_back() -> None:
    """Nor before the first sample."""
    live = Navigator(EndlessTimeline())
    for _ in range(2):
        with pytest.raises(CommandError, match="--record FILE"):
            live.leave_present()
        assert live.live
        live.next()
    empty, _ = recorded([])
    with pytest.raises(CommandError, match="--record FILE"):
        empty.leave_present()


def test_what_is_past_already_stays() -> None:
    """There is no present to leave."""
    there = fresh(timeline([1]).listed, 1)
    before = there.interval
    there.leave_present()
    assert there.interval is before


class PreviewTimeline(ListTimeline):
    """A timeline whose last interval is known before its samples, with counters that begin elsewhere."""

    def preview(self, utc: int | None = None) -> Interval | None:
        """Return the last interval."""
        assert utc is None
        return Interval(sample(1, 7812, 0), sample(2, 15624, 500))


def test_a_preview_is_looked_at_until_its_samples_are_read() -> None:
    """The past is not read for it; then the same interval is counted from the begin of the timeline."""
    watch = Navigator(PreviewTimeline([sample(n, 7812 * n, 500 * n + 70) for n in range(3)]))
    moves: list[CursorMove] = []
    watch.mover = moves.append

    watch.preview()
    assert place(watch.interval) == (1, 2)
    assert period(watch).begin is not None
    watch.read_preview()
    assert watch.underway

    watch.arrive(moves[0], moves[0].run())
    assert watch.interval is not None
    assert watch.interval.after.frame(CHANNEL).column("busy_cpc") == [1070]
    watch.read_preview()
    assert not watch.underway


def test_what_was_computed_of_a_preview_is_forgotten_when_its_samples_are_there() -> None:
    """Both end at the same time: figures of the whole interval are not those of a first look at it."""
    watch = Navigator(PreviewTimeline([sample(n, 7812 * n, 500 * n + 70) for n in range(3)]))
    moves: list[CursorMove] = []
    watch.mover = moves.append

    def busy(one: Interval) -> dict[str, Value]:
        return {"busy": one.after.frame(CHANNEL).column("busy_cpc")[0]}

    def seen() -> Value:
        view = watch.view()
        assert view is not None
        return view.history.row("busy", busy, view.interval).cells["busy"]

    watch.preview()
    early = watch.view()
    assert early is not None
    assert seen() == 500
    watch.preview()
    assert watch.history is not early.history
    watch.read_preview()
    watch.arrive(moves[-1], moves[-1].run())
    assert seen() == 1070
    kept = watch.history
    watch.previous()
    assert watch.history is kept


def test_without_a_preview_the_samples_are_read_at_once() -> None:
    """As those of a recording are."""
    watch = Navigator(timeline([1, 2, 3]))
    watch.preview()
    assert place(watch.interval) == (1, 2)
    watch.preview(SECOND)
    assert place(watch.interval) == (0, 1)
    watch.read_preview()
    assert not watch.underway
