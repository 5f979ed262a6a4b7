from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.figure import figure, product


@pytest.mark.parametrize("text", [None, "", "-1", "1.0", " 1", "x", "1" * 20, "\u0661"])
def test_what_is_no_whole_number_is_none(text: str | None) -> None:
    """A sign, a blank, a fraction, digits of other scripts, or more of them than any size has."""
    assert figure(text) is None


@given(st.integers(0, 10**19 - 1))
def test_a_whole_number_is_read(number: int) -> None:
    """As it is written."""
    assert figure(str(number)) == number


@pytest.mark.parametrize(("number", "unit"), [(None, 1), (1, None), (None, None)])
def test_a_product_needs_both(number: int | None, unit: int | None) -> None:
    """Absent is never zero."""
    assert product(number, unit) is None


def test_a_product_of_nothing_is_nothing() -> None:
    """Zero pages are zero bytes, not unknown ones."""
    assert product(0, 4096) == 0
