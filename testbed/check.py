"""One comparison of what was found with what was expected, and how it came out."""

from __future__ import annotations

from typing import NamedTuple


class Tolerance(NamedTuple):
    """How far a figure may be off: a part of the expected one, and something on top."""

    part: float
    more: float

    def allows(self, found: object, expected: float) -> bool:
        """Tell whether `found` is a number near enough."""
        return isinstance(found, int | float) and abs(found - expected) <= self.part * expected + self.more


class Check(NamedTuple):
    """One comparison and how it came out."""

    what: str
    expected: str
    found: str
    ok: bool


def same(what: str, expected: object, found: object) -> Check:
    """Check that two things are equal."""
    return Check(what, short(expected), short(found), expected == found)


def near(what: str, expected: float, found: object, tolerance: Tolerance) -> Check:
    """Check that a number lies within its tolerance."""
    margin = tolerance.part * expected + tolerance.more
    return Check(what, f"{expected:.2f} ± {margin:.2f}", short(found), tolerance.allows(found, expected))


def short(thing: object) -> str:
    """Write anything in a few characters."""
    if isinstance(thing, float):
        return f"{thing:.2f}"
    if isinstance(thing, set | frozenset | list | tuple):
        return " ".join(sorted(map(str, thing)))
    return str(thing)
