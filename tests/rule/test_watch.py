"""The log of exceptions: when they begin and end, and what time counts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.base.event import BAD, GONE, INTERRUPTED, LOOK, OPEN, OVER, ExceptionEntry
from zmon.interval import Interval
from zmon.kinds import DEVICE
from zmon.rule import watch as watch_module
from zmon.rule.grammar import parse_rules
from zmon.rule.judge import Judgement
from zmon.rule.watch import STORM, Watch, grouped
from zmon.sample import Instant, Sample, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.machine.view import View
    from zmon.rule.grammar import Rule

NS = 10**9
BEGIN = 1_800_000_000 * NS
TEN = 10
UNKNOWN = absent("the source is off")
NO_TABLE = "no table"
BASE = '[[rule]]\nname = "slow"\non = "device.resp"\nlook = 10\nbad = 60\nsay = "{where}: {value}"\n'


def sample(seconds: int, boot: str = "one") -> Sample:
    """Return an empty sample; they are meant to be ten seconds apart."""
    return Sample(Instant(BEGIN + seconds * NS, seconds * NS, boot), {}, nominal=TEN)


class Script:
    """Judges as a script says: the value of each row in each interval."""

    said: Mapping[str, float | Absent] | Absent = UNKNOWN

    def __init__(self, _view: object, _checked: object) -> None:
        """Take the place of a judge of tables."""

    def judge(
        self, rule: Rule, _held: Mapping[str, int], before: Mapping[str, float]
    ) -> dict[str, Judgement] | Absent:
        """Return a level for each value."""
        if isinstance(self.said, Absent):
            return self.said
        found = {}
        for key, value in self.said.items():
            level = (
                value
                if isinstance(value, Absent)
                else BAD * (value < before.get(key, value))
                if rule.sense == "fallen"
                else (value >= (rule.look or 0)) + (value >= (rule.bad or 0))
            )
            found[key] = Judgement(level, value)
        return found

    def values_of(self, _rule: Rule) -> dict[str, float | Absent]:
        """Return the value of each row, which the next interval is compared with."""
        return {} if isinstance(self.said, Absent) else dict(self.said)

    def cells(self, _rule: Rule, key: str) -> dict[str, str]:
        """Return what the row is called."""
        return {"where": key.upper(), "lcu": "6"}


@pytest.fixture(autouse=True)
def _scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "Judge", Script)


def play(keys: str, steps: Sequence[object], seconds: int = TEN) -> Watch:
    """Watch intervals with a value of row `a` each, or values of several rows; "gap" and "boot" are none.

    ("gap", values) is a gap behind which values are known.
    """
    watch, now, boot = Watch(parse_rules(BASE + keys)), 0, "one"
    before = sample(0)
    watch.follow(Interval(None, before))
    for step in steps:
        behind_gap = isinstance(step, tuple)
        now += 5 * TEN if step == "gap" or behind_gap else seconds
        step = step[1] if isinstance(step, tuple) else step  # noqa: PLW2901 - what is known
        boot = "two" if step == "boot" else boot
        after = sample(now, boot)
        Script.said = {}
        if step == NO_TABLE:
            Script.said = UNKNOWN
        elif isinstance(step, dict):
            Script.said = step
        elif isinstance(step, (int, Absent)):
            Script.said = {"a": step}
        watch.follow(Interval(before, after))
        before = after
    return watch


def told(watch: Watch) -> Iterator[tuple[float, float, int, str]]:
    """Yield begin and end of each entry, in seconds, its level, and how it ended."""
    for entry in watch.log():
        yield (entry.begin - BEGIN) / NS, (entry.end - BEGIN) / NS, entry.level, entry.state


def test_an_exception_begins_with_the_first_interval_in_which_it_held() -> None:
    """`for` delays that it is reported, and not when it began."""
    assert list(told(play('for = "20s"', [1, 70, 70, 20]))) == [(10, 40, BAD, OPEN)]
    assert not list(told(play('for = "30s"', [1, 70, 70])))


def test_over_a_window_it_begins_with_the_first_interval_that_held_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mean is beyond the limit only when half the window is; what is slow began before, not earlier."""

    def mean(view: View, checked: object) -> Script:
        said = [1, 16, 16, 16, 16]  # in each 10 s
        begin, end = (
            0 if at is None else (at.at.utc - BEGIN) // NS // TEN
            for at in (view.interval.before, view.interval.after)
        )
        judge = Script(view, checked)
        judge.said = {"a": sum(said[begin:end]) / max(1, end - begin)}
        return judge

    monkeypatch.setattr(watch_module, "Judge", mean)
    assert list(told(play('window = "30s"', [1] * 2))) == []
    assert list(told(play('window = "30s"', [1] * 4))) == [(10, 40, LOOK, OPEN)]


def test_what_does_not_last_is_no_exception() -> None:
    """A value below the limits in between begins anew."""
    assert not list(told(play('for = "20s"', [70, 1, 70, 1, 70])))


def test_an_interval_longer_than_the_duration_is_enough() -> None:
    """One interval of a minute holds a rule of 20 seconds."""
    assert list(told(play('for = "20s"', [15], seconds=29))) == [(0, 29, LOOK, OPEN)]


def test_it_stays_open_for_a_while() -> None:
    """`keep` bridges intervals in which it does not hold; it ends with the last that held."""
    assert list(told(play('keep = "30s"', [70, 1, 1, 70, 1, 1]))) == [(0, 40, BAD, OPEN)]
    assert list(told(play('keep = "20s"', [70, 1, 1, 70]))) == [(0, 10, BAD, OVER), (30, 40, BAD, OPEN)]


def test_a_gap_ends_it_and_is_never_counted() -> None:
    """Nobody knows what was in the gap: what is open is interrupted, and what is pending begins anew."""
    assert list(told(play("", [70, "gap", 70]))) == [(0, 10, BAD, INTERRUPTED), (60, 70, BAD, OPEN)]
    assert list(told(play("", [70, "boot", 1]))) == [(0, 10, BAD, INTERRUPTED)]
    assert not list(told(play('for = "20s"', [70, "gap", 70])))


def test_what_a_sample_says_by_itself_begins_behind_a_gap() -> None:
    """As if it had held for one interval of the usual length, and what is not known begins nothing."""
    assert list(told(play("", [70, ("gap", 70), 70]))) == [(0, 10, BAD, INTERRUPTED), (50, 70, BAD, OPEN)]
    assert list(told(play("", [("gap", 70), 1]))) == [(40, 50, BAD, OVER)]
    assert list(told(play('for = "20s"', [("gap", 70), 70]))) == [(40, 60, BAD, OPEN)]
    assert not list(told(play('for = "20s"', [("gap", 70), 1])))
    assert not list(told(play("", [("gap", UNKNOWN)])))


def test_what_is_not_known_neither_begins_nor_ends() -> None:
    """An unknown value waits until `keep` is over; then the log says that it is not known, not over."""
    assert list(told(play('keep = "30s"', [70, UNKNOWN, UNKNOWN, 70]))) == [(0, 40, BAD, OPEN)]
    (entry,) = play('keep = "20s"', [70, UNKNOWN, UNKNOWN, 1]).log()
    assert entry.state == "not known: the source is off"
    assert list(told(play('for = "20s"', [70, UNKNOWN, 70]))) == [(0, 30, BAD, OPEN)]
    assert not list(told(play("", [UNKNOWN] * 5)))


def test_a_table_that_is_not_known_is_said() -> None:
    """A whole table that is missing has its reason at hand, and is unknown for each row."""
    watch = play('keep = "20s"', [{"a": 70}, NO_TABLE])
    assert watch.unknown == {"slow": UNKNOWN}
    assert [entry.state for entry in watch.log()] == [OPEN]


def test_a_table_is_not_asked_again_while_its_kinds_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until one of them is read, or after a gap; why it is not known stays."""
    asked = []

    class Counting(Script):
        """Counts what is asked."""

        said = absent(NO_TABLE)

        def judge(self, *how: Any) -> dict[str, Judgement] | Absent:
            """Note it."""
            asked.append(how[0].name)
            return super().judge(*how)

    monkeypatch.setattr(watch_module, "Judge", Counting)
    watch = Watch(parse_rules(BASE, "test"))
    read = Sample(Instant(BEGIN + 40 * NS, 40 * NS, "one"), {"device": frame_of(DEVICE, {}, 0)}, nominal=TEN)
    samples = [sample(0), sample(10), sample(20), sample(30), read, sample(200), sample(210), sample(220)]
    counts = []
    for before, after in pairwise(samples):
        watch.follow(Interval(before, after))
        counts.append(len(asked))
        assert "slow" in watch.unknown
    assert counts == [1, 1, 1, 2, 3, 4, 4]


def test_a_row_that_leaves_takes_its_exception_along() -> None:
    """A device that is not there any more has no open exception."""
    assert list(told(play("", [{"a": 70, "b": 1}, {"b": 1}]))) == [(0, 10, BAD, GONE)]


def test_k_of_n_intervals() -> None:
    """`of` counts intervals, whether or not they follow one another."""
    assert list(told(play('of = "3/5"', [70, 1, 70, 1, 70]))) == [(0, 50, BAD, OPEN)]
    assert not list(told(play('of = "3/5"', [70, 1, 1, 70, 1, 1, 70])))


def test_worst_and_mean() -> None:
    """The worst interval has its own time; the mean is over the time in which it held."""
    (entry,) = play('keep = "1m"', [20, 80, 1, 50]).log()
    assert (entry.worst, (entry.worst_begin - BEGIN) / NS, entry.mean, entry.intervals) == (
        80,
        10,
        50,
        3,
    )
    assert (entry.sentence, entry.where) == ("A: 80", "A")


def test_of_a_number_that_changes_the_lowest_is_the_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk had two paths, then one, then two again: it is said that it had one."""
    monkeypatch.setitem(globals(), "BASE", BASE.replace("look = 10\nbad = 60\n", 'sense = "changed"\n'))
    (entry,) = play('keep = "1m"', [1, 2]).log()
    assert (entry.worst, entry.sentence) == (1, "A: 1")


def test_what_has_fallen_is_open_until_it_is_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four paths, then two, then three: one is missing still; a disk that grows has lost nothing."""
    monkeypatch.setitem(globals(), "BASE", BASE.replace("look = 10\nbad = 60\n", 'sense = "fallen"\n'))
    assert list(told(play("", [4, 2, 3, 3, 4, 4]))) == [(10, 40, BAD, OVER)]
    assert list(told(play('keep = "30s"', [4, 2, UNKNOWN, NO_TABLE, 2]))) == [(10, 50, BAD, OPEN)]
    assert list(told(play("", [4, 3, 4, 3]))) == [(10, 20, BAD, OVER), (30, 40, BAD, OPEN)]
    assert not list(told(play("", [2, 4, 4])))


def test_the_average_counts_what_is_bad() -> None:
    """Average exceptions: the weights of open bad ones, by time."""
    assert play("weight = 3", [70, 1, 20, 70]).average == pytest.approx(3 * 2 / 4)


def entries(many: int) -> list[ExceptionEntry]:
    """Return so many exceptions of one rule at one time."""
    return play('group = "lcu"', [{f"d{n}": 20.0 + n for n in range(many)}]).log()


def test_a_storm_is_one_line() -> None:
    """More than a few at a time are the worst of them and their number; a few are shown one by one."""
    assert [entry.many for entry in grouped(entries(STORM))] == [1] * STORM
    (together,) = grouped(entries(STORM + 4))
    assert (together.many, together.where, together.state) == (STORM + 4, f"D{STORM + 3}", OPEN)


STEPS = st.lists(st.sampled_from([1, 20, 70, "gap", "boot", UNKNOWN]), max_size=30)
KEYS = st.sampled_from(["", 'for = "20s"', 'keep = "20s"', 'of = "2/3"', 'for = "30s"\nkeep = "1m"'])


@given(STEPS, KEYS)
def test_entries_never_overlap_and_lie_in_observed_time(steps: list[object], keys: str) -> None:
    """Exceptions of one row follow one another, have a length, and only the last may be open."""
    found = list(told(play(keys, steps)))
    for (_, end, _, state), (begin, *_) in pairwise(found):
        assert end <= begin
        assert state != OPEN
    assert all(end > begin and level in {LOOK, BAD} for begin, end, level, _ in found)
    assert len(found) <= sum(step in {20, 70} for step in steps if not isinstance(step, Absent))
