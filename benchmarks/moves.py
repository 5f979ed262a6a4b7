"""How near moves are to the best there are.

    python -m benchmarks.moves [CASES]
    python -m benchmarks.moves --write

Random machines of 6 to 40 files and 3 to 16 LCUs, with sizes over two orders of magnitude, logs, pinned
files, channels and little free room: how far the fullest resource is above the lowest level that 20 moves can
reach, and the bytes to copy as a multiple of the fewest for the level reached.  The rival is CP-SAT of
OR-Tools, an exact solver (`pip install ortools`).  Without it plans are compared with the bounds that it has
proven of the first machines, `tests/placement/proven.json`.  It knows all rules but the order in which moves
are made where room is short, so it may reach what no order allows.  Where it has no proof within its time,
the bound that it has proven stands for the best; how often, is told.

The same for machines whose numbers were written down before any of them was planned.  Then machines of 6 to
11 files, by all placements, with the order: `tests/placement/exact.py`.

`--write` writes what tests compare with: bounds of the first machines, which no solver is needed to read.
"""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from math import ceil, inf
from typing import TYPE_CHECKING, Any, Final

from tests.placement.exact import Reached, compared, reached
from tests.placement.proven import TABLE, Proven, proven, written
from tests.placement.random_case import random_case
from zmon.base.record import NamedTuple
from zmon.placement.planner import lowest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.placement.planner_state import PlannerState

CASES: Final = 60
"""Random machines of the whole range ..."""
UNSEEN: Final = range(2000, 2780, 41)
"""Machines, 20, that were written down before the first plan of one of them was made."""
SMALL: Final = 100
"""... and small ones."""
KEPT: Final = 16
"""Machines whose bounds are written for the tests."""
MOVES: Final = 20
MEAN: Final = 0.003
WORST: Final = 0.05
BYTES: Final = 1.1
SECONDS: Final = 10.0
"""For each question to the rival."""
UNIT: Final = 10_000_000
"""Loads are integers for the rival: of the mean level so many parts, rounded in its favour."""
LEVELS: Final = (1.0, 1.001, 1.004, 1.05)
"""Multiples of the lowest level for which the fewest bytes are written."""


class Best(NamedTuple):
    """What the rival found: no plan has less than the bound."""

    bound: float
    is_proven: bool
    """Whether there is a placement with the bound."""


class Rival:
    """All placements of a state's items that the rules allow, with at most so many moved, for CP-SAT."""

    def __init__(self, state: PlannerState, most: int) -> None:
        """Write down the model."""
        from ortools.sat.python import cp_model  # noqa: PLC0415 - there may be none

        self._cp, self._model, self._state = cp_model, cp_model.CpModel(), state
        movable = [number for number, fixed in enumerate(state.fixed) if not fixed]
        self._at: dict[tuple[int, int], Any] = {}
        """Whether an item is on a unit."""
        for number in movable:
            for unit in range(len(state.units)):
                if unit == state.home[number] or not (
                    state.clash(number, unit) or not state.units[unit].open
                ):
                    self._at[number, unit] = self._model.new_bool_var("")
            self._model.add_exactly_one(one for (n, _), one in self._at.items() if n == number)
        self._moved = {place: one for place, one in self._at.items() if place[1] != state.home[place[0]]}
        self._model.add(sum(self._moved.values()) <= most)
        self._levels = self._loads(movable)
        self._keep_rules()

    def _loads(self, movable: Sequence[int]) -> list[Any]:
        state, bare = self._state, list(self._state.levels)
        terms: list[list[Any]] = [[] for _ in bare]
        for number in movable:
            for resource, time_ in state.parts(number, state.home[number]):
                bare[resource] -= time_
        for (number, unit), one in self._at.items():
            for resource, time_ in state.parts(number, unit):
                terms[resource].append(int(time_ / state.mean * UNIT) * one)
        return [
            sum(some) + int(max(0.0, each) / state.mean * UNIT)
            for some, each in zip(terms, bare, strict=True)
        ]

    def _keep_rules(self) -> None:
        """Each unit has room; what comes to it is not a log and data, but where both are already."""
        state, add = self._state, self._model.add
        held = {
            (unit, item.database, item.is_log)
            for item, vector in zip(state.items, state.first, strict=True)
            for unit, _ in vector
        }
        for unit, free in enumerate(state.free):
            coming = {number: one for (number, to), one in self._moved.items() if to == unit}
            if free < inf:
                left = [
                    state.size[number] * (1 - one)
                    for (number, at), one in self._at.items()
                    if at == unit == state.home[number] and len(state.first[number]) == 1
                ]
                add(sum(state.size[n] * one for n, one in coming.items()) - sum(left) <= int(max(0.0, free)))
            for database in {item.database for item in state.items}:
                if {(unit, database, True), (unit, database, False)} <= held:
                    continue
                has_log = self._model.new_bool_var("")
                for number, one in coming.items():
                    if state.items[number].database == database:
                        is_log = state.items[number].is_log
                        self._model.add_implication(one, has_log if is_log else has_log.negated())

    def lowest(self, at_least: float) -> Best:
        """Return the lowest level as a multiple of the mean; `at_least` is known not to be above it."""
        top = self._model.new_int_var(0, 10**12, "")
        for level in self._levels:
            self._model.add(level <= top)
        self._model.minimize(top)
        found = self._solved()
        bound = max(found.bound / UNIT, at_least)
        return Best(bound, found.is_proven)

    def fewest(self, level: float) -> Best:
        """Return the fewest bytes to copy for a level, a multiple of the mean; infinite if that cannot be."""
        for each in self._levels:
            self._model.add(each <= ceil(level * UNIT))
        state = self._state
        self._model.minimize(sum(state.size[number] * one for (number, _), one in self._moved.items()))
        return self._solved()

    def _solved(self) -> Best:
        solver = self._cp.CpSolver()
        solver.parameters.max_time_in_seconds = SECONDS
        solver.parameters.num_workers = 2
        status = solver.solve(self._model)
        if status == self._cp.INFEASIBLE:
            return Best(inf, is_proven=True)
        return Best(max(0.0, solver.best_objective_bound), status == self._cp.OPTIMAL)


def gained(found: Reached, best: float) -> bool:
    """Return whether there is something to compare: moves, or what should have been suggested."""
    return found.moves > 0 or found.level / best >= 1.05


def whole_range(seeds: Sequence[int]) -> bool:
    """Compare with the rival; return whether plans are as near as wanted."""
    above, ratios, proven, copied, fewest, took = [], [], [0, 0], 0.0, 0.0, 0.0
    for seed in seeds:
        case = random_case(seed)
        begun = time.process_time()
        found = reached(case, MOVES)
        took += time.process_time() - begun
        if found is None:
            continue
        best = Rival(case.state(), MOVES).lowest(lowest(case.state()) / case.state().mean)
        if not gained(found, best.bound):
            continue
        least = Rival(case.state(), MOVES).fewest(found.at * (1 + 1e-9))
        above.append(found.level / best.bound - 1)
        ratios.append(found.copied / least.bound if least.bound else 1.0)
        copied, fewest = copied + found.copied, fewest + least.bound
        proven[0] += best.is_proven
        proven[1] += least.is_proven
        if above[-1] > WORST / 10 or ratios[-1] > BYTES:
            print(f"  machine {seed}: {100 * above[-1]:.2f} % above, {ratios[-1]:.3f} x the bytes")
    mean, ratio = sum(above) / len(above), copied / fewest
    many = sum(each > BYTES for each in ratios)
    print(
        f"{len(above)} random plans of 6 to 40 files: {100 * mean:.3f} % above the lowest level on average,"
        f" {100 * max(above):.2f} % at worst: at most {100 * MEAN:g} and {100 * WORST:g} wanted;"
        f" {ratio:.3f} x the fewest bytes, {sum(ratios) / len(ratios):.3f} on average,"
        f" {max(ratios):.3f} at worst, {many} above {BYTES:g}; wanted: at most {BYTES:g}"
    )
    print(
        f"the rival proved {proven[0]} lowest levels and {proven[1]} fewest bytes in {SECONDS:g} s each;"
        f" else its bound stands for them. A plan took {took / len(seeds):.2f} s"
    )
    return mean <= MEAN and max(above) <= WORST and max(ratios) <= BYTES


def stored() -> bool:
    """Compare with what the rival has proven before; return whether plans are as near as wanted."""
    pairs = [(reached(random_case(bounds.seed), MOVES), bounds) for bounds in proven()]
    found = [(plan, bounds) for plan, bounds in pairs if plan is not None and gained(plan, bounds.lowest)]
    above = [plan.level / bounds.lowest - 1 for plan, bounds in found]
    mean, worst = sum(above) / len(above), max(above)
    copied = sum(plan.copied for plan, _ in found)
    ratio = copied / sum(bounds.fewest(plan.at) for plan, bounds in found)
    print(
        f"{len(found)} random plans of 6 to 40 files, by stored bounds (pip install ortools for more): "
        f"{100 * mean:.3f} % above the lowest level on average, {100 * worst:.2f} % at worst: at most"
        f" {100 * MEAN:g} and {100 * WORST:g} wanted; {ratio:.3f} x the fewest bytes, {BYTES:g} wanted"
    )
    return mean <= MEAN and worst <= WORST and ratio <= BYTES


def small(cases: int) -> bool:
    """Compare with all placements of few files; return whether plans are as near as wanted."""
    machines = (random_case(seed, files=(6, 11), lcus=(3, 5)) for seed in range(cases))
    found = [one for one in (compared(machine, MOVES) for machine in machines) if one is not None]
    mean, worst = sum(one.above for one in found) / len(found), max(one.above for one in found)
    ratio = sum(one.copied for one in found) / sum(one.fewest for one in found)
    most = max(one.copied / one.fewest if one.fewest else 1.0 for one in found)
    print(
        f"{len(found)} random plans of 6 to 11 files: {100 * mean:.3f} % above the optimum on average,"
        f" {100 * worst:.2f} % at worst: at most {100 * MEAN:g} and {100 * WORST:g} wanted;"
        f" {ratio:.3f} x the fewest bytes, at worst {most:.3f}, at most {BYTES:g} wanted"
    )
    return mean <= MEAN and worst <= WORST and most <= BYTES


def bounds() -> Iterator[Proven]:
    """Yield what the rival proves of the first machines, without looking at any plan."""
    for seed in range(KEPT):
        state = random_case(seed).state()
        best = Rival(state, MOVES).lowest(lowest(state) / state.mean)
        levels = [best.bound * times for times in LEVELS]
        yield Proven(seed, best.bound, [(level, Rival(state, MOVES).fewest(level).bound) for level in levels])


def main() -> int:
    """Measure both; 1 if what is wanted was missed."""
    if find_spec("ortools") is None:
        if "--write" in sys.argv:
            print("the bounds are proven by ortools: pip install ortools")
            return 1
        near = stored()
        return 0 if small(SMALL) and near else 1
    if sys.argv[1:2] == ["--write"]:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(written(bounds()))
        return 0
    kept = [whole_range(range(int(sys.argv[1]) if len(sys.argv) > 1 else CASES)), whole_range(UNSEEN)]
    return 0 if small(SMALL) and all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
