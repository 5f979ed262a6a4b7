"""Figures of a listing, each of which may not be there."""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = re.compile("[0-9]{1,19}|[0-9]{1,3}(?:,[0-9]{3}){1,5}")


def figure(text: str | None) -> int | None:
    """Read a whole number of at most 19 digits, also `734,003,200`; None when it is none, or is not there."""
    return int(text.replace(",", "")) if text is not None and _DIGITS.fullmatch(text) else None


def product(number: int | None, unit: int | None) -> int | None:
    """Return so many units, as bytes of pages; None when either is not known."""
    return number * unit if number is not None and unit is not None else None
