"""What an exact solver has proven of random machines: no plan has a lower level, or fewer bytes for a level.

`python -m benchmarks.moves --write` makes the table anew; reading it needs no solver.
"""

from __future__ import annotations

import json
import os
from math import inf
from typing import TYPE_CHECKING

from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TABLE = os.path.join(os.path.dirname(__file__), "proven.json")


class Proven(NamedTuple):
    """The bounds of one machine, `random_case(seed)`, with 20 moves."""

    seed: int
    lowest: float
    """The lowest level, divided by the mean."""
    bytes: Sequence[tuple[float, float]]
    """Rising levels with the fewest bytes to copy for each."""

    def fewest(self, level: float) -> float:
        """Return the bytes without which a level cannot be had: those of the next higher one."""
        return next((count for at, count in self.bytes if at >= level and count < inf), 0.0)


def proven() -> list[Proven]:
    """Return the table."""
    with open(TABLE, encoding="utf-8") as file:
        return [Proven(seed, low, [(at, count) for at, count in some]) for seed, low, some in json.load(file)]


def written(bounds: Iterable[Proven]) -> str:
    """Return the table as text, a line for each machine; levels that cannot be had are left out."""
    lines = (
        json.dumps([one.seed, one.lowest, [[at, round(count)] for at, count in one.bytes if count < inf]])
        for one in bounds
    )
    return "[\n" + ",\n".join(lines) + "\n]\n"
