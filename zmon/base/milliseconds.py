"""A time as people read it: in milliseconds, with as many digits as anybody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent

if TYPE_CHECKING:
    from zmon.base.absent import Number

WHOLE: Final = 99.95
"""Milliseconds from which on there are no decimals, as nobody knows it better; it would be 100.0."""
SHORT: Final = 0.095
"""Milliseconds below which there are two decimals: it would be written as 0.1, or as none at all."""
LEAST: Final = 0.005


def ms(seconds: Number) -> str:
    """Write a time: `27.4 ms`, `1,016 ms`, `0.05 ms`."""
    if isinstance(seconds, Absent):
        return "unknown"
    number = 1e3 * seconds
    if 0 < number < LEAST:
        return "less than 0.01 ms"
    digits = 2 if 0 < number < SHORT else 1 if number < WHOLE else 0
    return f"{number:,.{digits}f} ms"
