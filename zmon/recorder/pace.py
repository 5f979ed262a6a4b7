"""When samples are due: at absolute deadlines of the steady clock, so that nothing adds up."""

from __future__ import annotations

from typing import NamedTuple


class Deadline(NamedTuple):
    """When the next sample is due."""

    number: int
    """Counted from 0, the begin."""
    at: int
    """ns of the steady clock."""
    missed: int
    """How many deadlines passed while the sample before was taken."""


def following(begin: int, interval: int, last: int, now: int) -> Deadline:
    """Return the first deadline after number `last` that is not over at `now`; all in ns.

    A deadline that has passed is left out, not made up for: two samples at once say no more than one.
    """
    number = max(last + 1, -((begin - now) // interval))
    return Deadline(number, begin + number * interval, number - last - 1)
