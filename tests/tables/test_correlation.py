"""Which figures moved with a chosen one: the sums are right, and what cannot be told is not told."""

from __future__ import annotations

import random
import statistics
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.goldens import facts
from tests.tables.disks import watch
from zmon.base.absent import Absent, absent
from zmon.base.shipped import shipped
from zmon.machine.figure import Variable
from zmon.screen.definition import load_screens
from zmon.tables.correlation import (
    ANOTHER,
    KEY_FIGURES,
    LISTS,
    MAX_LAG,
    MIN_PAIRS,
    STILL,
    line,
    paired,
    pearson,
    ranks,
    table,
    together,
)  # fmt: skip
from zmon.tables.filled import definition
from zmon.tables.plot import row_names

if TYPE_CHECKING:
    from zmon.session.navigator import Navigator
    from zmon.tables.table import Table

NUMBERS = st.lists(st.integers(-1000, 1000).map(float), min_size=MIN_PAIRS, max_size=60)
DICE = random.Random(3)  # noqa: S311 - no secret
NOISE = [DICE.randrange(1, 400) for _ in range(60)]


def filled(looked: Navigator, argument: str = "device.io sda") -> Table:
    """Fill CORREL."""
    view = looked.view(argument)
    assert view is not None
    return table(view)


@given(NUMBERS, st.integers(-50, 50).filter(bool), st.integers(-500, 500))
def test_a_straight_line_is_told_by_its_direction(values: list[float], slope: int, start: int) -> None:
    """A line a*x+b and x move together wholly, or against each other when a is below zero."""
    assume(min(values) < max(values))
    found = pearson(values, [slope * value + start for value in values])
    assert found == pytest.approx(1 if slope > 0 else -1)


@given(NUMBERS, st.randoms(use_true_random=False))
def test_it_is_what_the_textbook_says(values: list[float], dice: random.Random) -> None:
    """Held against the standard library's own."""
    others = [value + dice.randint(-900, 900) for value in values]
    assume(min(values) < max(values) and min(others) < max(others))
    assert pearson(values, others) == pytest.approx(statistics.correlation(values, others), abs=1e-9)


@given(NUMBERS)
def test_a_bent_line_is_seen_by_the_ranks(values: list[float]) -> None:
    """What always rises with the other is one of rank, however bent."""
    assume(min(values) < max(values))
    assert pearson(ranks(values), ranks([value**3 for value in values])) == pytest.approx(1)


def test_equal_values_share_a_rank() -> None:
    """Neither of them is before the other."""
    assert ranks([3, 1, 3, 2]) == [3.5, 1, 3.5, 2]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_a_coefficient_is_never_beyond_one(values: list[float]) -> None:
    """Whatever numbers come, huge and tiny ones too."""
    found = pearson(values, values[::-1])
    assert isinstance(found, Absent) or -1 <= found <= 1


@given(NUMBERS, st.sampled_from([7.0, 0.0]))
def test_what_never_changed_has_no_coefficient(values: list[float], same: float) -> None:
    """There is nothing to divide by, which is no zero."""
    assert isinstance(pearson(values, [same] * len(values)), Absent)


def test_too_few_intervals_are_not_enough() -> None:
    """And it is said how many there were."""
    found = together(list(map(float, range(MIN_PAIRS - 1))), list(map(float, range(MIN_PAIRS - 1))))
    assert isinstance(found.straight, Absent)
    assert facts(found.straight.reason) == f"{MIN_PAIRS - 1} {MIN_PAIRS}"


@pytest.mark.parametrize("lag", range(-MAX_LAG, MAX_LAG + 1))
def test_the_lag_is_found(lag: int) -> None:
    """By how many intervals the other follows, or leads."""
    dice = random.Random(lag)  # noqa: S311 - no secret
    noise = [float(dice.randrange(10_000)) for _ in range(80)]
    base = noise[10:60]
    other = noise[10 - lag : 60 - lag]
    found = together(base, other)
    assert found.lag == lag
    assert found.lagged == pytest.approx(1)


def test_pairs_are_those_where_both_are_known() -> None:
    """And no others."""
    assert paired([1, None, 3, 4], [5, 6, None, 8], 0) == ([1, 4], [5, 8])
    assert paired([1, None, 3, 4], [5, 6, None, 8], 1) == ([1, 3], [6, 8])


def test_no_pair_reaches_across_a_gap() -> None:
    """A gap is wider than any lag."""
    looked = watch({"sda": [1] * 12}, left_out=range(4, 9))
    rows = looked.history.rows("x", lambda _interval: {"x": 1}, 100)
    known = line(rows, "x")
    assert known == [1, 1, 1, *[None] * (MAX_LAG + 1), 1, 1, 1]


def test_what_moved_with_it_stands_there_with_its_coefficient() -> None:
    """The same work, the opposite work, and what never changed."""
    found = filled(
        watch({"sda": NOISE, "sdb": [2 * n for n in NOISE], "sdc": [500 - n for n in NOISE], "sdd": [5] * 60})
    )
    told = dict(zip(found.keys, found.columns["r"], strict=True))
    assert told["device.io sdb"] == pytest.approx(1)
    assert told["device.io sdc"] == pytest.approx(-1)
    assert isinstance(told["device.io sdd"], Absent)
    assert set(found.columns["n"]) == {0, 60}
    assert "device.io sda" not in told


def test_rows_are_called_as_on_their_screens() -> None:
    """By their device number, and by the bus id in another subchannel set."""
    view = watch({"sda": [1]}).view("device.io sda")
    assert view is not None
    keys = ("0.0.30da", "0.0.7000", "0.1.7000", "")
    assert row_names([Variable("device", "io", key) for key in keys], view) == [
        "30DA", "7000", *keys[2:],
    ]  # fmt: skip
    assert row_names([Variable("device", "io", "0.1.7000"), Variable("cache", "io", "0.0.7000")], view) == [
        "0.1.7000",
        "7000",
    ]


def test_a_chosen_figure_that_never_changed_is_said() -> None:
    """Instead of a screen of dots."""
    found = filled(watch({"sda": [5] * 30, "sdb": NOISE[:30]}))
    assert found.keys == []
    assert found.missing is absent(STILL.reason + ANOTHER)


def test_without_a_column_it_says_what_it_needs() -> None:
    """As the menu opens it."""
    missing = filled(watch({"sda": [1]}), "").missing
    assert missing is not None
    assert "CORREL DEVICE.resp 7000" in missing.reason


def test_all_that_is_looked_at_stands_on_its_screen() -> None:
    """So that every row of CORREL can be found, and plotted."""
    screens = load_screens(shipped("screens"))
    looked = {"system": KEY_FIGURES, **LISTS}
    strange = [
        (name, column)
        for name, columns in looked.items()
        for column in columns
        if column not in screens.find(definition(name).screen).by_name
    ]
    assert strange == []
