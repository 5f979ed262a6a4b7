"""Columns of several kinds line up, and what is absent in one is absent in what is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, Number, absent
from zmon.interval import Interval
from zmon.kinds import BLOCK
from zmon.machine.join import Joined, first, mean, not_below_zero, plus, present, quotient, total
from zmon.sample import Frame, Instant, Sample, empty_frame

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.interval import Delta

OFF, IDLE, NONE = absent("off"), absent("idle"), absent("no block device")
NUMBERS = st.integers(0, 1000) | st.just(OFF)
COLUMN = st.lists(NUMBERS, min_size=3, max_size=3)
SECOND = 1_000_000_000


def delta(rows: dict[str, int]) -> Delta:
    """Return what happened to disks within two seconds, from no reads at all."""
    keys = list(rows)
    before = Frame(BLOCK, keys, {"reads": [0] * len(keys)}, [0] * len(keys))
    after = Frame(BLOCK, keys, {"reads": list(rows.values())}, [2 * SECOND] * len(keys))
    one = Sample(Instant(0, 0, "boot"), {"block": before})
    return Interval(one, Sample(Instant(2, 2 * SECOND, "boot"), {"block": after})).of(BLOCK)


@given(
    rows=st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 99)),
    keys=st.lists(st.sampled_from("abcdefgh") | st.just(OFF)),
)
def test_columns_come_in_the_order_of_the_keys(rows: dict[str, int], keys: list[Value]) -> None:
    """A key that is not there, or is absent itself, gives what was said for that."""
    joined = Joined(delta(rows), keys, NONE)
    expected = [rows.get(key, NONE) if isinstance(key, str) else NONE for key in keys]
    assert joined["reads"] == expected
    assert joined.numbers("reads") == expected
    assert joined.rate("reads") == [n if isinstance(n, Absent) else n / 2 for n in expected]


def test_a_kind_that_is_missing_gives_its_own_reason() -> None:
    """Why nothing was read says more than that one key was not found."""
    sample = Sample(Instant(0, 0, "boot"), {"block": empty_frame(BLOCK, "not read")})
    joined = Joined(Interval(None, sample).of(BLOCK), ["a"], NONE)
    assert joined["reads"] == [absent("not read")]


def test_a_column_may_be_changed_without_changing_the_delta() -> None:
    """Tables put estimates into columns of their own."""
    source = delta({"a": 4})
    Joined(source, ["a"], NONE)["reads"][0] = 99
    assert source["reads"] == [4]


@given(parts=COLUMN, wholes=COLUMN)
def test_a_quotient_is_absent_where_a_part_is_or_nothing_is_to_divide_by(
    parts: list[Number], wholes: list[Number]
) -> None:
    """The reason of the part goes first, then that of the whole."""
    for part, whole, found in zip(parts, wholes, quotient(parts, wholes, 2.0, IDLE), strict=True):
        if isinstance(part, Absent):
            assert found is part
        elif isinstance(whole, Absent):
            assert found is whole
        else:
            assert found == (part / whole * 2.0 if whole else IDLE)


@given(st.lists(COLUMN, min_size=1, max_size=4))
def test_a_sum_of_columns_is_absent_where_a_part_is(columns: list[list[Number]]) -> None:
    """Row by row; zeros sum to a zero."""
    for parts, found in zip(zip(*columns, strict=True), plus(*columns), strict=True):
        assert found == (OFF if OFF in parts else sum(parts))


@given(one=COLUMN, other=COLUMN)
def test_the_first_value_that_is_there_counts(one: list[Number], other: list[Number]) -> None:
    """Where none is, the first reason does; a measured zero is there."""
    for a, b, found in zip(one, other, first(one, other), strict=True):
        assert found == (b if isinstance(a, Absent) and not isinstance(b, Absent) else a)


def test_what_is_slightly_negative_becomes_zero_and_what_is_absent_stays() -> None:
    """Rounding must not show as a negative queue."""
    assert not_below_zero([-0.001, 0, 3.5, OFF]) == [0, 0, 3.5, OFF]


@given(COLUMN)
def test_a_total_adds_what_is_there(values: list[Number]) -> None:
    """Only if nothing is there it is absent, with the first reason."""
    there = [value for value in values if not isinstance(value, Absent)]
    assert present(values) == there
    assert total(values) == (sum(there) if there else values[0])


def test_the_total_of_no_rows_is_absent() -> None:
    """Nothing measured is not zero."""
    assert isinstance(total([]), Absent)


@given(COLUMN, COLUMN)
def test_a_mean_is_over_the_rows_that_have_both(values: list[Number], weights: list[Number]) -> None:
    """A row without a value does not pull the mean down, however much it weighs."""
    both = [
        (v, w)
        for v, w in zip(values, weights, strict=True)
        if not isinstance(v, Absent) and not isinstance(w, Absent)
    ]
    weight = sum(w for _, w in both)
    found = mean(values, weights, "no I/O")
    if weight:
        assert found == sum(v * w for v, w in both) / weight
    else:
        assert found is (absent("no I/O") if both else OFF)


def test_the_mean_of_no_rows_is_absent() -> None:
    """There is nothing to average."""
    assert mean([], [], "no I/O") is absent("no I/O")


def test_the_mean_of_idle_rows_is_not_blamed_on_an_absent_one() -> None:
    """That no row did anything is the reason, not that one of them was switched off."""
    assert mean([OFF, 5], [3, 0], "no I/O") is absent("no I/O")
