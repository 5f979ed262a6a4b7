"""What it costs to simulate, how soon a scenario opens, and that the same seed gives the same samples.

    python -m benchmarks.lab

Told is the processor time of this process until all samples of a tape are made, one after the other.  A phase
of a scenario is simulated for some intervals, `drawn`, and a longer one draws the others from these; beside
what that costs of the fleet it is told what it would cost to simulate every interval.

The first screen of every scenario is compared with that of a Textual app without anything in it, by the
processor time until it is painted: the rest of a scenario is simulated behind it.  The seconds that are
promised are those of a machine that rests otherwise; what the clock says besides is told.

The digest is over all that is in the samples, written out in one fixed way.  It is made here and by another
process whose hashes of texts begin elsewhere, and both have to agree; two machines can be compared by it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

from benchmarks.startup import EMPTY, EMPTY_PAINTED, FIGURES
from benchmarks.terminal import Terminal
from tests.lab.plans import digest
from zmon.lab.scenario import load_scenario, names
from zmon.session.machines import simulated

if TYPE_CHECKING:
    from zmon.lab.model import Scenario

SHARKS: Final = ("shark-before", "shark-after", "shark-channels-only", "shark-respread-only")
HOUR: Final = 10.0
"""Seconds of processor time at the most, promised for an hour of each of them."""
FLEET: Final = "fleet-4096"
STRETCH: Final = 300
"""Seconds of it."""
EVERY: Final = 100_000
OPENED: Final = 0.7
"""Seconds of processor time that the first screen of a scenario may take."""
OPENED_FLEET: Final = 2.0
"""The same for the fleet."""
RATIO: Final = 3.0
"""Times the processor time of an empty app that it may take, too."""
RATIO_FLEET: Final = 4.0
"""The same for the fleet."""
EMPTY_EVERY: Final = 10
"""Scenarios after which the empty app is started once more."""
REAL_TIME: Final = 20.0
"""Times as fast as real time, promised for it."""


def made(plan: Scenario) -> tuple[float, float]:
    """Return the seconds that a scenario is long, and what it costs to make all of its samples."""
    begun = time.process_time()
    count = sum(1 for _ in simulated([plan]).samples())
    return (count - 1) * plan.step, time.process_time() - begun


def only(plan: Scenario, seconds: float) -> Scenario:
    """Return a scenario with so much of its first phase."""
    return plan._replace(phases=(plan.phases[0]._replace(seconds=seconds),))


def undrawn(plan: Scenario) -> Scenario:
    """Return a scenario of which every interval is simulated."""
    return plan._replace(drawn=EVERY)


def of_tape(name: str) -> str:
    """Return the digest of all samples of a scenario."""
    return digest(simulated([load_scenario(name)]).samples())


def elsewhere(name: str) -> str:
    """Return the same from another process, whose hashes are others."""
    command = [sys.executable, "-c", f"from benchmarks.lab import of_tape; print(of_tape({name!r}))"]
    environment = os.environ | {"PYTHONHASHSEED": "390"}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def opened(arguments: list[str], painted: bytes) -> tuple[float, float]:
    """Start a program in a terminal; return seconds until its first screen, and its processor time."""
    with Terminal(arguments, 80, 24) as terminal:
        return terminal.until(painted) - terminal.begun, terminal.spent()


def first_screens() -> int:
    """Compare how soon scenarios open with how soon an empty app does; return how many open too late."""
    empty: list[tuple[float, float]] = []
    found: dict[str, tuple[float, float]] = {}
    arguments = ["-m", "zmon", "--from"]
    opened([*arguments, f"lab:{FLEET}"], FIGURES)  # compiles what is not yet
    for place, name in enumerate(names()):
        if place % EMPTY_EVERY == 0:
            empty.append(opened([*EMPTY], EMPTY_PAINTED))
        found[name] = opened([*arguments, f"lab:{name}"], FIGURES)
    bare = min(spent for _, spent in empty)
    print(
        f"{'first screen':20} {'elapsed s':>10} {'CPU s':>7} {'at most':>9} {'empty apps':>11} {'at most':>8}"
    )
    print(f"{'an empty app':20} {min(wall for wall, _ in empty):10.2f} {bare:7.2f}")
    missed = 0
    for name, (elapsed, spent) in sorted(found.items(), key=lambda scenario: -scenario[1][1]):
        promised, most = (OPENED_FLEET, RATIO_FLEET) if name == FLEET else (OPENED, RATIO)
        late = spent > promised or spent / bare > most
        missed += late
        print(
            f"{name:20} {elapsed:10.2f} {spent:7.2f} {promised:9g} {spent / bare:11.1f} {most:8g}"
            f"{'  NOT KEPT' if late else ''}"
        )
    middle = statistics.median(spent for _, spent in found.values())
    print(f"{len(found)} scenarios, the middle one {middle:.2f} s of processor time; too late: {missed}")
    return missed


def main() -> int:
    """Measure, and say how; the exit status says whether the promises hold."""
    missed = first_screens()
    for name in SHARKS:
        plan = load_scenario(name)
        long, cost = made(plan)
        cost *= 3600 / long
        missed += cost > HOUR
        print(f"{name:20} an hour: {cost:6.2f} s of processor time   promised {HOUR:g}")
    plan = only(load_scenario(FLEET), STRETCH)
    long, cost = made(plan)
    missed += long / cost < REAL_TIME
    print(
        f"{FLEET:20} {long:g} s in {cost:.2f} s of processor time, {long / cost:.0f} times real time"
        f"   promised {REAL_TIME:g}"
    )
    long, whole = made(undrawn(plan))
    print(f"{'':20} with nothing drawn: {long / whole:.0f} times real time   told")
    one, other = of_tape(SHARKS[0]), elsewhere(SHARKS[0])
    missed += one != other
    print(f"{SHARKS[0]:20} samples, sha256 {one}")
    print(f"{'':20} in another process {'the same' if one == other else other}   promised the same")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
