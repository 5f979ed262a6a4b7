"""A value that is not there stays not there, and its reason with it."""

from __future__ import annotations

import gc
import operator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base import absent as module
from zmon.base.absent import Absent, Reasons, absent, code_of, declared, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = st.integers() | st.floats(allow_nan=False)
BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
]  # fmt: skip
UNARY = [operator.neg, operator.pos, operator.abs]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge]


@given(reason=st.text(), number=NUMBERS, operation=st.sampled_from(BINARY))
def test_whatever_is_computed_from_an_absence_is_absent_for_its_reason(
    reason: str, number: float, operation: Callable[[Any, Any], object]
) -> None:
    """Every arithmetic with an absent operand, on either side, gives that absence."""
    missing = absent(reason)
    assert operation(missing, number) is missing
    assert operation(number, missing) is missing


@given(number=NUMBERS, steps=st.lists(st.tuples(st.sampled_from(BINARY), st.booleans(), NUMBERS), max_size=9))
def test_a_whole_formula_keeps_the_reason(number: float, steps: list[Any]) -> None:
    """However long the formula, the reason reaches its end."""
    missing = absent("needs an LPAR")
    value: Any = missing + number
    for operation, left, operand in steps:
        value = operation(value, operand) if left else operation(operand, value)
    assert value is missing


@pytest.mark.parametrize("operation", UNARY)
def test_signs_and_amounts_of_an_absence_are_the_absence(operation: Callable[[Any], object]) -> None:
    """Minus, plus and amount of what is not there are not there."""
    assert operation(absent("off")) is absent("off")


@pytest.mark.parametrize("operation", BINARY)
def test_of_two_absences_the_left_one_counts(operation: Callable[[Any, Any], object]) -> None:
    """The reason that stands first in the formula is shown."""
    one = absent("first")
    assert operation(one, absent("second")) is one


def test_a_sum_with_an_absent_part_is_absent() -> None:
    """A total that lacks a part is not a smaller total."""
    missing = absent("off")
    parts: list[Any] = [1, missing, 2.5]
    assert sum(parts) is missing


@given(number=NUMBERS, comparison=st.sampled_from(COMPARISONS))
def test_an_absence_exceeds_no_limit(number: float, comparison: Callable[[Any, Any], bool]) -> None:
    """Every comparison with an absence is false."""
    assert not comparison(absent("off"), number)
    assert not comparison(number, absent("off"))


@given(number=NUMBERS)
def test_an_absence_equals_no_number(number: float) -> None:
    """Absent is never zero, nor any other number."""
    off: object = absent("off")
    assert off != number


def test_an_absence_is_not_taken_for_nothing() -> None:
    """`missing or otherwise` keeps the reason."""
    missing: Absent | None = absent("off")
    assert bool(missing)


def test_the_same_reason_is_the_same_absence() -> None:
    """Two absences are one object when their reasons are the same."""
    assert absent("some reason") is absent("some " + "reason")


def test_a_reason_has_its_code_whoever_gave_it_first() -> None:
    """A file may bring the text before the module that declares it is there."""
    earlier = absent("nobody asked")
    assert (earlier.code, code_of(0)) == ("", "")
    assert declared("unasked", "nobody asked", "fact", former=["not asked yet"]) is earlier
    assert {(why.code, why.facts) for why in (earlier, absent("not asked yet"))} == {("unasked", ("fact",))}


def test_reasons_with_a_fact_are_known_by_how_they_begin() -> None:
    """The fact is what follows, also behind the text of older recordings."""
    unread = Reasons("unread", "nobody read {}", "not read: {}")
    assert unread.about("x") is absent("nobody read x")
    assert [absent(f"{text}x").facts for text in ("nobody read ", "not read: ")] == [("x",)] * 2
    assert [absent(f"{text}x").code for text in ("not read: ", "read ")] == ["unread", ""]


def test_an_absence_shows_its_reason() -> None:
    """What a developer sees names the reason."""
    assert repr(absent("needs an LPAR")) == "Absent('needs an LPAR')"


def test_reasons_that_nobody_holds_are_forgotten() -> None:
    """A file that says other nonsense at each reading does not fill the memory."""
    held = [absent(f"'{number}' is no number") for number in range(100)]
    assert len(held) == 100
    known = len(module._known)
    del held
    gc.collect()
    assert len(module._known) <= known - 100


@given(part=st.integers(0, 1 << 64), whole=st.integers(1, 1 << 64))
def test_a_ratio_of_numbers_is_their_quotient(part: int, whole: int) -> None:
    """A measured zero gives a measured zero."""
    assert ratio(part, whole) == part / whole


def test_a_ratio_to_nothing_is_absent() -> None:
    """Where nothing happened there is no time per operation, and it is not zero."""
    assert ratio(5, 0, "no I/O") is absent("no I/O")


@pytest.mark.parametrize("whole", [0, 1, absent("other")])
def test_a_ratio_of_an_absence_has_its_reason(whole: int | Absent) -> None:
    """The part's reason comes before that of the whole."""
    assert ratio(absent("off"), whole) is absent("off")


def test_a_ratio_to_an_absence_has_its_reason() -> None:
    """A number by an absence is that absence."""
    assert ratio(0, absent("off")) is absent("off")
