"""Two samples: differences, wraps, resets, gaps, replacements, and none taken for another."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon import interval as module
from zmon.base.absent import Absent, absent
from zmon.interval import Delta, Interval
from zmon.kinds import BLOCK, CHANNEL, CMF, CMF_BASIC, CPU, GUEST, KINDS, TICK, U16, U32
from zmon.sample import Field, Frame, Instant, Kind, Meaning, Sample, empty_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value

SECOND = 1_000_000_000
OFF = absent("switched off")


def kind(modulus: int = 0, *more: Field, wraps_after: float = 0.0, alone: bool = False) -> Kind:
    """Make a kind with one counter `n`, a gauge `g`, and what else is wanted."""
    counter = Field("n", Meaning.COUNTER, modulus=modulus, wraps_after=wraps_after)
    return Kind("thing", "a letter", (counter, Field("g", Meaning.GAUGE), *more), alone=alone)


AGE = Field("age", Meaning.AGE)
IDENTITY = Field("uid", Meaning.IDENTITY)
CLOCK = Field("ticks", Meaning.CLOCK, modulus=1 << 24)


def frame(of: Kind, seconds: float, rows: Mapping[str, Mapping[str, Value]]) -> Frame:
    """Make a frame that was read at `seconds`; a row is its key and its values by name."""
    names = dict.fromkeys(name for values in rows.values() for name in values)
    columns = {
        name: [values.get(name, absent(f"{name} was left out")) for values in rows.values()] for name in names
    }
    return Frame(of, list(rows), columns, [round(seconds * SECOND)] * len(rows))


def sample(
    seconds: float, *frames: Frame, boot: str = "a boot", nominal: float = 0.0, utc: float | None = None
) -> Sample:
    """Make a sample that was taken at `seconds` of the steady clock."""
    steady = round(seconds * SECOND)
    at = Instant(steady if utc is None else round(utc * SECOND), steady, boot)
    return Sample(at, {f.kind.name: f for f in frames}, nominal=nominal)


def between(of: Kind, *readings: Mapping[str, Value], seconds: float = 1.0) -> list[Value]:
    """Return the differences of `n` of one row that was read again and again."""
    frames = [frame(of, 10 + seconds * turn, {"a": values}) for turn, values in enumerate(readings)]
    return [Delta(one, other)["n"][0] for one, other in pairwise(frames)]


# what differences are


@given(st.lists(st.integers(0, 1 << 64), min_size=2, max_size=8))
def test_the_differences_of_a_growing_counter_sum_to_its_growth(values: list[int]) -> None:
    """Nothing is lost and nothing counted twice, however many samples are taken."""
    values = sorted(values)
    found = between(kind(), *({"n": value} for value in values))
    assert sum(found) == values[-1] - values[0]  # type: ignore[arg-type]


@given(value=st.integers(0, 1 << 64), modulus=st.sampled_from([0, U16, 1 << 24, U32]))
def test_a_measured_zero_stays_zero(value: int, modulus: int) -> None:
    """A counter that stood still gives 0, a number, and so does its rate."""
    of = kind(modulus)
    delta = Delta(frame(of, 1, {"a": {"n": value}}), frame(of, 3, {"a": {"n": value}}))
    assert (delta["n"], delta.rate("n")) == ([0], [0.0])


def test_a_rate_is_per_second_of_its_own_row() -> None:
    """Rows are read one after the other, so each has a length of its own."""
    before = Frame(kind(), ["a", "b"], {"n": [0, 0]}, [0, 0])
    after = Frame(kind(), ["a", "b"], {"n": [10, 10]}, [SECOND, 2 * SECOND])
    assert Delta(before, after).rate("n") == [10.0, 5.0]


def test_what_is_no_counter_has_its_later_value() -> None:
    """A gauge is the state at the end."""
    before, after = frame(kind(), 1, {"a": {"g": 5}}), frame(kind(), 2, {"a": {"g": 3}})
    assert Delta(before, after)["g"] == [3]


def test_a_field_that_the_kind_does_not_have_is_an_error() -> None:
    """A misspelt name must not look like an absent value."""
    with pytest.raises(KeyError):
        Delta(None, frame(kind(), 1, {"a": {"n": 5}}))["typo"]


def test_a_cell_is_found_by_key_and_name() -> None:
    """`cell` is the same as the column's value in the key's row."""
    delta = Delta(frame(kind(), 1, {"a": {"n": 5}}), frame(kind(), 2, {"a": {"n": 7}}))
    assert delta.cell("a", "n") == 2
    assert delta.cell("b", "n") is absent("no thing b")


# wraps


@given(
    modulus=st.sampled_from([U16, 1 << 24, U32, U32 * TICK, 1 << 64]),
    start=st.integers(0, 1 << 70),
    data=st.data(),
)
def test_over_many_wraps_the_differences_sum_to_the_true_count(
    modulus: int, start: int, data: st.DataObject
) -> None:
    """A counter may wrap in every interval if each advances it by less than half its range."""
    advances = data.draw(st.lists(st.integers(0, modulus // 2 - 1), min_size=1, max_size=12))
    values, count = [{"n": start % modulus}], start
    for advance in advances:
        count += advance
        values.append({"n": count % modulus})
    found = between(kind(modulus), *values)
    assert found == advances
    assert sum(found) == count - start  # type: ignore[arg-type]


@given(
    modulus=st.sampled_from([U16, 1 << 24, U32, U32 * TICK]), start=st.integers(0, 1 << 70), data=st.data()
)
def test_with_an_age_a_counter_may_advance_by_its_whole_range(
    modulus: int, start: int, data: st.DataObject
) -> None:
    """Where the age shows that there was no reset, every fall is a wrap, however far it goes."""
    advances = data.draw(st.lists(st.integers(0, modulus - 1), min_size=1, max_size=12))
    values, count = [{"n": start % modulus, "age": 5 * SECOND}], start
    for turn, advance in enumerate(advances, 6):
        count += advance
        values.append({"n": count % modulus, "age": turn * SECOND})
    assert between(kind(modulus, AGE), *values) == advances


@given(start=st.integers(0, 1 << 30), ticks=st.integers(0, (1 << 24) - 1))
def test_a_clock_that_fell_wrapped(start: int, ticks: int) -> None:
    """Nobody resets a clock, so it may advance by its whole range."""
    of = kind(0, CLOCK)
    before = frame(of, 1, {"a": {"ticks": start % (1 << 24)}})
    after = frame(of, 2, {"a": {"ticks": (start + ticks) % (1 << 24)}})
    assert Delta(before, after)["ticks"] == [ticks]


@given(before=st.integers(0, U32 - 1), after=st.integers(0, U32 - 1))
def test_a_fall_by_less_than_half_the_range_is_not_taken_for_a_wrap(before: int, after: int) -> None:
    """Without an age such a fall may be a reset or a wrap; it is not guessed which."""
    found = between(kind(U32), {"n": before}, {"n": after})
    if before > after > before - U32 // 2:
        assert found == [module.FELL]
    else:
        assert found == [(after - before) % U32]


def test_a_value_beyond_its_modulus_gives_no_negative_difference() -> None:
    """Garbage that cannot stand in the counter is not believed to have wrapped."""
    assert between(kind(U16, AGE), {"n": 200_000, "age": 1}, {"n": 5, "age": 2}) == [module.FELL]


# resets


@given(before=st.integers(1, 1 << 64), data=st.data())
def test_a_counter_that_cannot_wrap_was_reset_when_it_fell(before: int, data: st.DataObject) -> None:
    """The difference is not known then, and neither zero nor negative."""
    after = data.draw(st.integers(0, before - 1))
    assert between(kind(), {"n": before}, {"n": after}) == [module.RESET]


@given(
    modulus=st.sampled_from([0, U16, U32, U32 * TICK]),
    before=st.integers(0, U16 - 1),
    after=st.integers(0, U16 - 1),
    ages=st.tuples(st.integers(0, 1 << 60), st.integers(0, 1 << 60)),
)
def test_a_falling_age_is_a_reset_whatever_the_counters_say(
    modulus: int, before: int, after: int, ages: tuple[int, int]
) -> None:
    """Also a counter that is higher than before was reset, if the age says so."""
    young, old = sorted(ages)
    young -= young == old
    found = between(kind(modulus, AGE), {"n": before, "age": old}, {"n": after, "age": young})
    assert found == [module.RESET]


@given(
    length=st.floats(100, 1e6),
    old=st.integers(70, 10**6),
    counters=st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)),
    data=st.data(),
)
def test_an_age_that_lags_behind_time_is_a_reset(
    length: float, old: int, counters: tuple[int, int], data: st.DataObject
) -> None:
    """After a long interval the new age may be higher than the old one, and so may the counters."""
    young = data.draw(st.floats(0, length * 0.99))
    before, after = sorted(counters)
    of = kind(U32, AGE)
    found = between(
        of,
        {"n": before, "age": old * SECOND},
        {"n": after, "age": round(young * SECOND)},
        seconds=length,
    )
    if young <= old + length * (1 - module.DRIFT) - module.RESTING - 1:
        assert found == [module.RESET]


@given(length=st.floats(0.1, 1e6), behind=st.floats(0, 60), ahead=st.floats(0, 60), n=st.integers(0, 10**6))
def test_a_device_that_rests_is_not_taken_for_reset(
    length: float, behind: float, ahead: float, n: int
) -> None:
    """Its age may lie up to a minute behind the time at which its rest was seen."""
    old = 1000 * SECOND
    age = max(old, old + round((length + ahead - behind) * SECOND))
    assert between(kind(U32, AGE), {"n": 0, "age": old}, {"n": n, "age": age}, seconds=length) == [n]


def test_a_wrap_is_not_certain_when_one_age_is_unknown() -> None:
    """An age that only appeared says nothing about a reset before it."""
    found = between(kind(U32, AGE), {"n": 5, "age": OFF}, {"n": 3, "age": SECOND})
    assert found == [module.FELL]


@given(m=st.integers(1, U32 - 1), n=st.integers(1, U32 - 1))
def test_the_reset_of_one_counter_voids_its_row(m: int, n: int) -> None:
    """They are reset together: what another counter would have wrapped by is not believed."""
    of = kind(0, Field("m", Meaning.COUNTER, modulus=U32))
    before = frame(of, 1, {"a": {"n": n, "m": m}, "b": {"n": 1, "m": 1}})
    after = frame(of, 2, {"a": {"n": n - 1, "m": 0}, "b": {"n": 2, "m": 3}})
    delta = Delta(before, after)
    assert (delta["m"], delta["n"]) == ([module.RESET, 2], [module.RESET, 1])


def test_counters_that_stand_alone_fall_alone() -> None:
    """The time a CPU waits for I/O may fall by a little; the others go on."""
    before = frame(CPU, 1, {"0": {"user": 1, "iowait": 9}})
    after = frame(CPU, 2, {"0": {"user": 5, "iowait": 8}})
    delta = Delta(before, after)
    assert (delta["user"], delta["iowait"]) == ([4], [module.RESET])


def test_a_guest_that_logged_on_again_has_no_wrapped_samples() -> None:
    """Its CPU time cannot wrap, so its fall voids the counters of 32 bits beside it."""
    before = frame(GUEST, 1, {"LINUX1": {"used_cpu": 50, "idle": 4_000_000_000}})
    after = frame(GUEST, 2, {"LINUX1": {"used_cpu": 2, "idle": 3}})
    assert Delta(before, after)["idle"] == [module.RESET]


# gaps


@given(
    nominal=st.floats(0.1, 1e5),
    times=st.floats(0, 10),
)
def test_three_times_the_nominal_length_is_a_gap(nominal: float, times: float) -> None:
    """One late sample is none, two that are missing are one."""
    seconds = round(nominal * times * SECOND) / SECOND
    interval = Interval(sample(1000), sample(1000 + seconds, nominal=nominal))
    assert interval.gap == (interval.seconds >= 3 * nominal)


def test_without_a_plan_there_is_no_gap() -> None:
    """Who takes samples by hand has no nominal length."""
    assert not Interval(sample(0), sample(10**6)).gap


def test_samples_that_do_not_compare_are_a_gap() -> None:
    """What happened before a restart is not known."""
    assert Interval(sample(5, boot="one"), sample(6, boot="two")).gap


def test_the_first_sample_is_no_gap() -> None:
    """There is nothing before it that could be missing."""
    assert not Interval(None, sample(5, nominal=1)).gap


@given(seconds=st.floats(0.001, 1000), longest=st.floats(0.001, 1000), n=st.integers(0, 100))
def test_beyond_its_limit_a_counter_is_void_and_within_it_known(
    seconds: float, longest: float, n: int
) -> None:
    """It may have wrapped twice, which nothing would show; other columns go on."""
    of = kind(U16, Field("m", Meaning.COUNTER), wraps_after=longest)
    before = frame(of, 1, {"a": {"n": 1, "m": 1}})
    delta = Delta(before, frame(of, 1 + seconds, {"a": {"n": 1 + n, "m": 8}}))
    assert delta["n"] == [module.TOO_LONG if delta.seconds[0] > longest else n]
    assert delta["m"] == [7]


@pytest.mark.parametrize(("seconds", "known"), [(30.0, True), (35.0, False)])
def test_counts_of_16_bits_are_believed_for_half_a_minute(seconds: float, known: bool) -> None:
    """Over a longer time a busy device may start 65,536 operations more, unseen."""
    before = frame(CMF_BASIC, 0, {"0.0.7000": {"ssch": 60_000, "connect": 0}})
    after = frame(CMF_BASIC, seconds, {"0.0.7000": {"ssch": 4464, "connect": TICK}})
    delta = Delta(before, after)
    assert delta["ssch"] == [10_000 if known else module.TOO_LONG]
    assert delta["connect"] == [TICK]


def test_the_time_stamp_of_a_channel_is_believed_until_it_wraps() -> None:
    """It wraps after 2,147 s, so that after 2,140 s nothing can be divided by it."""
    before = frame(CHANNEL, 0, {"0.40": {"timestamp": 0}})
    ticks = round(1800 / 128e-6)
    assert Delta(before, frame(CHANNEL, 1800, {"0.40": {"timestamp": ticks}}))["timestamp"] == [ticks]
    late = frame(CHANNEL, 2200, {"0.40": {"timestamp": 3}})
    assert Delta(before, late)["timestamp"] == [module.TOO_LONG]


def test_every_counter_that_wraps_within_a_day_says_when() -> None:
    """The dictionary of columns tells how long counters of few bits last."""
    timed = {"channel", "cmf", "block"}
    fields = [f for name in timed for f in KINDS[name].fields if f.modulus in {U16, 1 << 24}]
    assert all(f.wraps_after for f in (*fields, *(f for f in CMF_BASIC.fields if f.modulus)))


# the clock


@given(then=st.integers(1, 10**6), back=st.floats(0.001, 1000))
def test_a_clock_that_stepped_back_gives_no_difference(then: int, back: float) -> None:
    """A captured tree knows only file times, which may step back; nothing is computed across."""
    one = sample(then, frame(kind(), then, {"a": {"n": 1}}))
    other = sample(then - back, frame(kind(), then - back, {"a": {"n": 5}}))
    interval = Interval(one, other)
    assert interval.seconds is module.STEPPED_BACK
    assert interval.of(kind())["n"] == [module.STEPPED_BACK]


@given(back=st.floats(0, 10**6))
def test_setting_the_time_of_day_changes_nothing(back: float) -> None:
    """Rates are by the steady clock."""
    one = sample(10, frame(kind(), 10, {"a": {"n": 1}}), utc=10**6)
    other = sample(12, frame(kind(), 12, {"a": {"n": 5}}), utc=10**6 - back)
    assert Interval(one, other).of(kind()).rate("n") == [2.0]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_each_row_is_judged_by_its_own_times(steps: list[int]) -> None:
    """Of files whose times stepped back or stood still only those rows are void."""
    keys = [f"row{place}" for place in range(len(steps))]
    before = Frame(kind(), keys, {"n": [1] * len(keys)}, [10 * SECOND] * len(keys))
    after = Frame(kind(), keys, {"n": [2] * len(keys)}, [(10 + step) * SECOND for step in steps])
    expected = [1 if step > 0 else module.STEPPED_BACK if step < 0 else module.NOT_AGAIN for step in steps]
    assert Delta(before, after)["n"] == expected


# restarts


@given(seconds=st.floats(-100, 100), n=st.integers(0, 100), m=st.integers(0, 100))
def test_across_a_restart_nothing_is_compared(seconds: float, n: int, m: int) -> None:
    """Another boot id says so, even if counters and clock happen to be higher."""
    one = sample(1000, frame(kind(), 1000, {"a": {"n": n}}), boot="one")
    other = sample(1000 + seconds, frame(kind(), 1000 + seconds, {"a": {"n": m, "g": 7}}), boot="two")
    delta = Interval(one, other).of(kind())
    assert (delta["n"], delta.seconds, delta["g"]) == ([module.RESTARTED], [module.RESTARTED], [7])


# rows that come and go


@given(
    before=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 100)),
    after=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(100, 200)),
)
def test_rows_are_compared_by_key_in_any_order(before: dict[str, int], after: dict[str, int]) -> None:
    """What appeared is absent as new, what vanished is gone, and what moved is still itself."""
    first = frame(kind(), 1, {key: {"n": n} for key, n in before.items()})
    second = frame(kind(), 2, {key: {"n": n} for key, n in after.items()})
    first, second = (f.but(columns={**f.columns, "n": f.columns.get("n", [])}) for f in (first, second))
    delta = Delta(first, second)
    assert delta.keys == list(after)
    assert delta["n"] == [after[key] - before[key] if key in before else module.APPEARED for key in after]


@given(uids=st.tuples(st.text(min_size=1), st.text(min_size=1)), n=st.integers(0, 100), m=st.integers(0, 100))
def test_another_device_under_the_same_number_is_not_compared(uids: tuple[str, str], n: int, m: int) -> None:
    """A changed identity voids the row, whatever its counters say."""
    before, after = sorted((n, m))
    found = between(kind(0, IDENTITY), {"n": before, "uid": uids[0]}, {"n": after, "uid": uids[1]})
    assert found == [after - before if uids[0] == uids[1] else module.REPLACED]


@pytest.mark.parametrize("fields", [(IDENTITY, AGE), (AGE, IDENTITY)])
def test_a_replaced_device_is_named_so_even_if_its_counters_fell(fields: tuple[Field, Field]) -> None:
    """The replacement explains the fall, in whatever order the fields stand."""
    found = between(kind(0, *fields), {"n": 9, "uid": "A", "age": 9}, {"n": 1, "uid": "B", "age": 1})
    assert found == [module.REPLACED]


@pytest.mark.parametrize("uids", [(OFF, "A"), ("A", OFF), (OFF, OFF)])
def test_an_identity_that_is_not_known_replaces_nothing(uids: tuple[Value, Value]) -> None:
    """A device that was offline has no uid, and is the same device."""
    assert between(kind(0, IDENTITY), {"n": 1, "uid": uids[0]}, {"n": 3, "uid": uids[1]}) == [2]


SERVICE = Kind(
    "service",
    "a name",
    (Field("n", Meaning.COUNTER), Field("waited", Meaning.COUNTER), IDENTITY),
    alone=True,
    from_zero=("waited",),
)


def started(*services: Mapping[str, Mapping[str, Value]], seconds: float = 10.0) -> Delta:
    """Return the differences of services between two samples."""
    first, last = (
        sample(100 + seconds * turn, frame(SERVICE, 100 + seconds * turn, rows))
        for turn, rows in enumerate(services)
    )
    return Interval(first, last).of(SERVICE)


@given(n=st.integers(0, 10**15), seconds=st.integers(1, 100))
def test_what_began_in_the_interval_counts_from_zero(n: int, seconds: int) -> None:
    """Whether it is new, or has replaced another one of its name; the others count on."""
    other: dict[str, Value] = {"n": 7, "waited": 3, "uid": "1"}
    new: dict[str, Value] = {"n": n, "waited": seconds * SECOND, "uid": "9"}
    for before in ({"b": other}, {"a": other, "b": other}, {"b": other, "c": other}):
        delta = started(before, {"a": new, "b": {**other, "n": 9}}, seconds=seconds)
        assert delta["n"] == [n, 2]
        assert delta.rate("n") == [n / seconds, 2 / seconds]


def test_what_is_new_but_waited_longer_than_the_interval_did_not_begin_in_it() -> None:
    """It was not found before, so what it did since is not known."""
    delta = started({"b": {"n": 1, "waited": 0}}, {"a": {"n": 5, "waited": 11 * SECOND}})
    assert delta["n"] == [module.APPEARED]


def test_what_was_not_read_of_a_new_one_stays_absent_with_its_reason() -> None:
    """Zero is for counters that are there."""
    delta = started({"b": {"n": 1, "waited": 0}}, {"a": {"n": OFF, "waited": 4}})
    assert (delta["n"], delta["waited"]) == ([OFF], [4])


# what is absent


@given(
    before=st.sampled_from([5, OFF]), after=st.sampled_from([9, OFF]), modulus=st.sampled_from([0, U16, U32])
)
def test_a_counter_absent_in_either_sample_is_absent_with_its_reason(
    before: Value, after: Value, modulus: int
) -> None:
    """Neither is the missing end taken for zero."""
    found = between(kind(modulus), {"n": before}, {"n": after})
    assert found == [OFF if OFF in {before, after} else 4]


def test_the_own_reason_of_a_value_goes_before_that_of_its_row() -> None:
    """Why a file could not be read says more than that the row is new."""
    delta = Delta(frame(kind(), 1, {}), frame(kind(), 2, {"a": {"n": OFF}, "b": {"n": 1}}))
    assert delta["n"] == [OFF, module.APPEARED]


@pytest.mark.parametrize("reading", [0, 1])
def test_a_field_that_was_not_read_in_one_sample_is_absent(reading: int) -> None:
    """A kernel that was updated may have a file more."""
    rows: list[dict[str, Value]] = [{"n": 1, "g": 1}, {"n": 1, "g": 1}]
    del rows[reading]["n"]
    assert between(kind(), *rows) == [absent("n was not read")]


def test_the_first_sample_has_no_differences() -> None:
    """Its gauges are there, its counters say that differences come next."""
    delta = Interval(None, sample(1, frame(kind(), 1, {"a": {"n": 1, "g": 2}}))).of(kind())
    assert (delta["n"], delta.rate("n"), delta["g"]) == ([module.FIRST], [module.FIRST], [2])


def test_a_source_missing_in_the_earlier_sample_gives_its_reason() -> None:
    """What was not there before cannot be compared, and it is said why it was not."""
    interval = Interval(
        sample(1, empty_frame(kind(), "does not answer")), sample(2, frame(kind(), 2, {"a": {"n": 1}}))
    )
    assert interval.of(kind())["n"] == [absent("does not answer")]


def test_a_source_missing_in_the_later_sample_gives_no_rows_but_its_reason() -> None:
    """No rows are invented out of the earlier sample."""
    delta = Interval(sample(1, frame(kind(), 1, {"a": {"n": 1}})), sample(2, empty_frame(kind(), "gone"))).of(
        kind()
    )
    assert (list(delta.keys), delta.missing) == ([], absent("gone"))
    assert delta.cell("a", "n") is absent("gone")


@pytest.mark.parametrize("both", [True, False])
def test_a_source_that_was_not_sampled_says_so(both: bool) -> None:
    """In one sample or in two, a kind that nobody read is missing, not empty."""
    one = sample(1) if both else sample(1, frame(kind(), 1, {"a": {"n": 1}}))
    assert Interval(one, sample(2)).of(kind()).missing is absent("things were not recorded")


# sources that are read more seldom


def test_a_source_that_was_not_read_again_is_compared_with_its_prior_reading() -> None:
    """Between two readings its own last two count, with their own distance in time."""
    first = frame(kind(), 0, {"a": {"n": 0}})
    second = frame(kind(), 60, {"a": {"n": 120}}).but(prior=first)
    assert Interval(sample(61, second), sample(63, second)).of(kind()).rate("n") == [2.0]


def test_a_source_that_was_read_once_only_has_no_differences_yet() -> None:
    """The same reading twice says nothing about what happened."""
    once = frame(kind(), 0, {"a": {"n": 5}})
    assert Interval(sample(1, once), sample(3, once)).of(kind())["n"] == [module.NOT_AGAIN]


def test_a_seldom_source_that_had_failed_is_compared_with_its_prior_reading() -> None:
    """So the sample in which it answers again shows what the next one will show."""
    second = frame(kind(), 60, {"a": {"n": 120}}).but(prior=frame(kind(), 0, {"a": {"n": 0}}))
    interval = Interval(sample(59, empty_frame(kind(), "does not answer")), sample(61, second))
    assert interval.of(kind()).rate("n") == [2.0]


def test_two_samples_far_apart_are_compared_whatever_was_read_between() -> None:
    """The average over a period is first and last, not the last two readings."""
    first = frame(kind(), 0, {"a": {"n": 0}})
    last = frame(kind(), 100, {"a": {"n": 500}}).but(prior=frame(kind(), 90, {"a": {"n": 499}}))
    assert Interval(sample(0, first), sample(100, last)).of(kind()).rate("n") == [5.0]


# numbers that cannot be


@given(
    st.lists(
        st.tuples(
            st.integers(-(1 << 70), 1 << 70) | st.just(OFF),
            st.integers(-(1 << 70), 1 << 70) | st.just(OFF),
            st.integers(-10, 10) | st.just(OFF),
            st.integers(-10, 10) | st.just(OFF),
        ),
        max_size=6,
    ),
    st.sampled_from([0, U16, 1 << 24, U32, U32 * TICK]),
)
def test_no_nonsense_gives_a_negative_rate_or_an_error(
    rows: Sequence[tuple[Value, Value, Value, Value]], modulus: int
) -> None:
    """Whatever garbled files say, a difference is absent or not below zero."""
    of = kind(modulus, AGE)
    before = frame(of, 1, {str(place): {"n": row[0], "age": row[2]} for place, row in enumerate(rows)})
    after = frame(of, 2, {str(place): {"n": row[1], "age": row[3]} for place, row in enumerate(rows)})
    found = Delta(before, after).rate("n")
    assert all(isinstance(value, Absent) or value >= 0 for value in found)


def test_two_samples_at_the_same_instant_divide_by_nothing() -> None:
    """A length of zero is no length."""
    delta = Interval(
        sample(1, frame(kind(), 1, {"a": {"n": 1}})), sample(1, frame(kind(), 1, {"a": {"n": 2}}))
    ).of(kind())
    assert delta.rate("n") == [module.NOT_AGAIN]


def test_kinds_of_devices_use_their_own_frame() -> None:
    """The basic and the extended format are one kind by name; the modulus is that of the later reading."""
    before = frame(CMF_BASIC, 0, {"0.0.7000": {"ssch": 65_535}})
    after = frame(CMF_BASIC, 1, {"0.0.7000": {"ssch": 4}})
    assert Interval(sample(0, before), sample(1, after)).of(CMF)["ssch"] == [5]


def test_a_disk_that_was_exchanged_without_notice_is_reset() -> None:
    """Kernels before 5.15 have no disk sequence number; then the fall of its counts tells."""
    before = frame(BLOCK, 1, {"dasda": {"reads": 100, "read_ms": 4_000_000_000}})
    after = frame(BLOCK, 2, {"dasda": {"reads": 5, "read_ms": 7}})
    assert Delta(before, after)["read_ms"] == [module.RESET]


@given(n=st.integers(0, U16 - 1), beyond=st.integers(1, 1 << 1200), modulus=st.sampled_from([0, U16, U32]))
def test_more_than_a_counter_can_hold_is_absent(n: int, beyond: int, modulus: int) -> None:
    """A hostile file may hold a number of any length, by which nothing can be computed."""
    huge = n + (modulus or module.WIDEST) + beyond
    of = kind(modulus, AGE)
    before, after = frame(of, 1, {"a": {"n": n, "age": 1}}), frame(of, 2, {"a": {"n": huge, "age": huge}})
    assert Delta(before, after).rate("n") == [module.IMPOSSIBLE]
