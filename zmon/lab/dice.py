"""Chance in the simulation: one sequence that follows from its seed, the same on every machine."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

BITS: Final = 12
CELLS: Final = 1 << BITS
DIGITS: Final = 6
"""So few that rounding does not depend on the last bit of a logarithm."""


def _cells() -> tuple[float, ...]:
    """Return the mean of an exponential time of mean 1 within each of the cells, ascending.

    Between quantiles a and b the integral of x e^-x is (a + 1) e^-a - (b + 1) e^-b.
    """
    means = []
    for cell in range(CELLS):
        left, right = 1 - cell / CELLS, 1 - (cell + 1) / CELLS
        low = -math.log(left)
        above = (1 - math.log(right)) * right if right else 0.0
        means.append(round(CELLS * ((1 + low) * left - above), DIGITS))
    return tuple(means)


EXPONENTIAL: Final = _cells()
"""Equally probable values whose mean is 1 and whose variance is a little less than 1."""


class Dice:
    """One sequence of chances, which follows from its seed alone."""

    def __init__(self, seed: int) -> None:
        """Begin anew; the same seed gives the same sequence."""
        self._random = random.Random(seed)  # noqa: S311 - it must be repeatable
        self.bits: Callable[[int], int] = self._random.getrandbits
        self.unit: Callable[[], float] = self._random.random

    def exponential(self, mean: float) -> float:
        """Return a time whose distribution is exponential."""
        return mean * EXPONENTIAL[self.bits(BITS)]

    def below(self, count: int) -> int:
        """Return a whole number from 0 to `count` - 1."""
        return int(self.unit() * count)
