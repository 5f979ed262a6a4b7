"""A time is written with the digits that somebody knows."""

from __future__ import annotations

import pytest

from zmon.base.absent import absent
from zmon.base.milliseconds import ms


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0.0 ms"),
        (0.000001, "less than 0.01 ms"),
        (0.00005, "0.05 ms"),
        (0.000094, "0.09 ms"),
        (0.000096, "0.1 ms"),
        (0.0274, "27.4 ms"),
        (0.09994, "99.9 ms"),
        (0.09996, "100 ms"),
        (0.3668, "367 ms"),
        (1.0157, "1,016 ms"),
        (absent("not read"), "unknown"),
    ],
)
def test_what_is_not_zero_does_not_look_like_it(seconds: float, words: str) -> None:
    """Below .1 ms there are two decimals, from 100 ms on none."""
    assert ms(seconds) == words
