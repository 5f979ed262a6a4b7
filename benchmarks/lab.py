"""What it costs to simulate, how soon a scenario opens, and that the same seed gives the same samples.

    python -m benchmarks.lab

Told is the processor time of this process until all samples of a tape are made, one after the other.  A phase
of a scenario is simulated for some intervals, `drawn`, and a longer one draws the others from these; beside
what that costs it is told what it would cost to simulate every interval.

The first screen is compared with that of a Textual app without anything in it, by the processor time until it
is painted: the rest of a scenario is simulated behind it.

The digest is over all that is in the samples, written out in one fixed way.  It is made here and by another
process whose hashes of texts begin elsewhere, and both have to agree; two machines can be compared by it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

from benchmarks.startup import PAINTED
from benchmarks.terminal import Terminal
from tests.lab.plans import digest
from zmon.lab.scenario import load_scenario
from zmon.session.machines import simulated

if TYPE_CHECKING:
    from zmon.lab.model import Scenario

SHARKS: Final = ("shark-before", "shark-after", "shark-channels-only", "shark-respread-only")
HOUR: Final = 10.0
"""Seconds of processor time at the most, promised for an hour of each of them."""
FLEET: Final = "fleet-4096"
STRETCH: Final = 600
"""Seconds of it."""
EVERY: Final = 100_000
OPENED: Final = {
    "shark-before": 3.0, "healthy-day": 3.0, "hyperpav-20": 3.0, "fcp-multibus-100": 3.0, "logs-mixed": 3.0,
    "raid-penalty": 3.0, FLEET: 4.0,
}  # fmt: skip
"""Scenarios, and how many times the processor time of an empty app their first screen may take."""
ROUNDS: Final = 3
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
    missed = 0
    bare = min(opened(["-m", "benchmarks.rivals", "empty"], PAINTED["empty"])[1] for _ in range(ROUNDS))
    for name, promised in OPENED.items():
        found = [opened(["-m", "zmon", "--from", f"lab:{name}"], PAINTED["menu"]) for _ in range(ROUNDS)]
        soonest, spent = min(wall for wall, _ in found), min(cpu for _, cpu in found)
        missed += spent / bare > promised
        print(
            f"{name:20} first screen in {soonest:.2f} s, {spent:.2f} s of processor time, "
            f"{spent / bare:.1f} times an empty app   promised {promised:g}"
        )
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
        _long, whole = made(undrawn(plan))
        print(f"{'':20} with nothing drawn: {whole * 3600 / long:.2f} s   told")
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
