"""How a machine is looked at: what is measured, how often, under which names, and how exactly."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from tests.witness.kernel_files import KernelFiles, Names
from tests.witness.parts import END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.witness.counters import Reading
    from tests.witness.parts import Machine

    Counts = TypeVar("Counts", bound=NamedTuple)

NOISE: Final = 0.05
"""The most by which a difference is wrong, as a share."""


AS_BUILT: Final = Names()
"""The names and the order of the parts."""


@dataclass(frozen=True)
class Look:
    """A way to look at a machine."""

    name: str
    cache: bool = False
    cmf: bool = True
    seconds: tuple[int, ...] = (40, 50, END)
    """When the passes are made; zmon is asked about the last interval."""
    names: Names = AS_BUILT
    noisy: bool = False

    def write(self, machine: Machine, readings: Sequence[Reading], directory: str) -> None:
        """Write the capture that this look makes of a machine."""
        taken = [readings[second] for second in self.seconds]
        if self.noisy:
            taken = noisy(taken, machine.name)
        KernelFiles(machine, self.names).write(taken, directory, cache=self.cache, cmf=self.cmf)

    def called(self, machine: Machine, part: str) -> list[str]:
        """Return the names under which a part of a machine may be spoken of."""
        return KernelFiles(machine, self.names).called(part)


WITH_CACHE: Final = Look("with cache statistics", cache=True)
DEFAULT: Final = Look("default")
WITHOUT_CMF: Final = Look("without CMF", cmf=False)
MODES: Final = (WITH_CACHE, DEFAULT, WITHOUT_CMF)
"""What may be measured."""
SAME: Final = (
    replace(WITH_CACHE, name="other names and order", names=Names(renamed=True, permuted=True)),
    replace(WITH_CACHE, name="5 % noise", noisy=True),
    replace(WITH_CACHE, name="1 s", seconds=tuple(range(END - 6, END + 1))),
    replace(WITH_CACHE, name="a minute", seconds=(1, END)),
)
"""What must not change the first diagnosis."""


def noisy(readings: Sequence[Reading], seed: str) -> list[Reading]:
    """Return readings each of whose differences is wrong by up to 5 %, and still possible."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    wrong = [readings[0]]
    for before, now in pairwise(readings):
        last, passed = wrong[-1], now.time - before.time
        changed: dict[str, Any] = {}
        for field in ("blocks", "subchannels", "cache", "channels"):
            was, then, here = getattr(last, field), getattr(before, field), getattr(now, field)
            changed[field] = {key: _wrong(was[key], then[key], here[key], passed, chance) for key in here}
        wrong.append(replace(now, **changed))
    return wrong


STATES: Final = frozenset({"in_flight"})
"""What is no count."""
TOGETHER: Final = frozenset({"CacheCounts"})
"""Counts that are parts of one another, and so wrong together."""
PARTS: Final = (("busy",), ("connect", "pending", "disconnect", "queued"))
"""Times that together are no longer than the time that passes."""


def _wrong(was: Counts, before: Counts, now: Counts, passed: float, chance: random.Random) -> Counts:
    """Return what was counted since `before`, falsified and added to what was shown then."""

    def factor() -> float:
        return 1 + chance.uniform(-NOISE, NOISE)

    together = factor()
    starts = factor()
    differences = {}
    for field in now._fields:
        difference = getattr(now, field) - getattr(before, field)
        if field in {"started", "samples"}:
            difference *= starts
        elif field not in STATES:
            difference *= together if type(now).__name__ in TOGETHER else factor()
        differences[field] = difference
    for parts in PARTS:
        longest = sum(differences.get(part, 0.0) for part in parts)
        if longest > passed:
            differences |= {
                part: differences[part] * passed / longest for part in parts if part in differences
            }
    values = {}
    for field, difference in differences.items():
        whole = isinstance(getattr(now, field), int)
        values[field] = getattr(was, field) + (round(difference) if whole else difference)
    return now._replace(**values | {field: getattr(now, field) for field in STATES & set(now._fields)})
