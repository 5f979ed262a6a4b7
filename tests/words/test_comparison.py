"""Comparisons of figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.base.limits import limit
from zmon.words.comparison import comparison, holds
from zmon.words.template import Fields

FIELDS = Fields(
    {"use": 0.8, "wait": 2.0, "serv": 4.0, "estimated": True, "crowded": [], "misses": absent("not read")}
)


@pytest.mark.parametrize(
    "words",
    ["use >= 0.8", "use > 0.7", "use <= 0.8", "wait < serv", "wait >= 0.5 * serv", "estimated", "not crowded",
     "no misses", "use >= alias-use", "serv <= pend-times * wait"],
)  # fmt: skip
def test_a_comparison_that_holds(words: str) -> None:
    """With a number, a limit, another field or so many times it."""
    assert holds([words], FIELDS)


@pytest.mark.parametrize(
    "words", ["use > 0.8", "crowded", "not estimated", "no use", "misses >= 0", "misses < 1"]
)
def test_a_comparison_that_does_not_hold(words: str) -> None:
    """What is not known is neither over nor under anything."""
    assert not holds([words], FIELDS)
    assert not holds(["estimated", words], FIELDS)


@pytest.mark.parametrize(
    "words", ["", "use >", "use = 1", "use >= 1 or wait > 2", "use + 1 > 2", "use >= no-limit"]
)
def test_what_is_no_comparison_is_refused(words: str) -> None:
    """There is no arithmetic and no `or`; a limit has its name in limits.toml."""
    with pytest.raises(ValueError, match=r"comparison|limit"):
        comparison(words)


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_sign_is_that_of_numbers(left: float, right: float) -> None:
    """Of two fields."""
    fields = Fields({"left": left, "right": right})
    assert holds(["left >= right"], fields) == (left >= right)
    assert holds(["left < right"], fields) == (left < right)


def test_a_limit_stands_for_its_number() -> None:
    """By its name."""
    assert comparison("use >= alias-use").times == limit("alias-use")
