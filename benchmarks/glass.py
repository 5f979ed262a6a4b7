"""What the glass costs with 4,096 devices, as ratios to the same screen drawn in two other ways.

    python -m benchmarks.glass

Each program of `rivals.py` runs in a terminal of 132x43 and shows DEVICE with a sample each second.  Measured
is how long it takes from a key to the painted answer - keys come at any moment, also while a sample is being
shown - the processor time and the bytes that a sample costs, and the bytes that a key costs.  Processor time
is compared after what filling the table costs has been taken off both, because that is no matter of drawing.

An idle glass that shows this machine is compared with a Textual app without anything in it.
"""

from __future__ import annotations

import random
import statistics
import sys
from dataclasses import dataclass
from typing import Final

from benchmarks.figures import IS_QUICK, note
from benchmarks.terminal import Terminal

DOWN: Final = b"\x1b[B"
PAGE: Final = b"\x1b[6~"
UP: Final = b"\x1b[A"
POSITION: Final = rb"\d of 4,096|I/O device details"
"""What is in the answer to each key: the position or, as zmon paints a line up to the last cell that has
changed, the words before it."""
KEYS: Final = 60
REFRESHES: Final = 10
IDLE: Final = 10.0
"""Seconds in which an idle program is watched."""
WORST: Final = 50.0
"""Milliseconds that no key may take longer than."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one program took."""

    delays: list[float]
    """Milliseconds from each key to its answer."""
    spent: float
    """Processor milliseconds for each sample."""
    refreshed: float
    """Bytes sent for each sample."""
    stepped: float
    """Bytes sent for the step to the next row."""

    @property
    def median(self) -> float:
        """The middle delay."""
        return statistics.median(self.delays)

    @property
    def late(self) -> float:
        """The delay that 95 of 100 keys stay below."""
        return statistics.quantiles(self.delays, n=20)[-1]


def measure(program: str) -> Figures:
    """Run one program and take its figures."""
    with Terminal(["-m", "benchmarks.rivals", program]) as terminal:
        terminal.until(POSITION)
        if program == "zmon":
            terminal.listen(2.0)
            terminal.press(b"SORT addr\r")
        terminal.listen(3.0)
        spent, sent = terminal.spent(), terminal.bytes
        terminal.listen(REFRESHES * 1.0)
        spent, refreshed = terminal.spent() - spent, (terminal.bytes - sent) / REFRESHES
        if program == "bare" or IS_QUICK:
            return Figures([0.0, 0.0], 1000 * spent / REFRESHES, refreshed, 0.0)
        dice = random.Random(3270)  # noqa: S311 - the same keys for all
        delays = []
        for number in range(KEYS):
            terminal.listen(dice.uniform(0.05, 0.15))
            key = (DOWN, PAGE, DOWN, UP)[number % 4]
            pressed = terminal.press(key)
            delays.append((terminal.until(POSITION, 20.0) - pressed) * 1000)
        terminal.listen(0.3)
        sent = terminal.bytes
        terminal.press(UP)
        terminal.until(POSITION, 20.0)
        stepped = terminal.bytes - sent
    return Figures(delays, 1000 * spent / REFRESHES, refreshed, stepped)


def idle(*arguments: str) -> float:
    """Return the processor milliseconds of two seconds in which no key is pressed."""
    with Terminal(["-m", *arguments]) as terminal:
        terminal.listen(8.0)
        spent = terminal.spent()
        terminal.listen(IDLE)
        return 1000 * (terminal.spent() - spent) * 2 / IDLE


def main() -> int:
    """Measure all and say how they compare; the exit status says whether the promises hold."""
    if IS_QUICK:
        least, rival, own = (measure(program).spent for program in ("bare", "datatable", "zmon"))
        note("glass.drawn", (own - least) / (rival - least))
        return 0
    taken = {program: measure(program) for program in ("bare", "ansi", "datatable", "zmon")}
    print(f"{'':12}{'median ms':>10}{'p95 ms':>9}{'worst ms':>10}{'CPU ms':>9}{'bytes':>9}{'a step':>9}")
    for program, found in taken.items():
        delays = f"{found.median:10.1f}{found.late:9.1f}{max(found.delays):10.1f}"
        print(f"{program:12}{delays}{found.spent:9.0f}{found.refreshed:9.0f}{found.stepped:9.0f}")
    ours, hand, table, bare = (taken[program] for program in ("zmon", "ansi", "datatable", "bare"))
    empty = idle("benchmarks.rivals", "empty")
    promises = (
        ("median delay, to ansi", ours.median / hand.median, 10.0),
        ("p95 delay, to datatable", ours.late / table.late, 0.2),
        ("worst delay, in ms", max(ours.delays), WORST),
        ("drawing a sample, to datatable", (ours.spent - bare.spent) / (table.spent - bare.spent), 0.2),
        ("idle menu, a sample each 2 s, to Textual", idle("zmon", "-i", "2", "MENU") / empty, 2.0),
        ("idle DEVICE of this machine, likewise", idle("zmon", "-i", "2", "DEVICE") / empty, 3.0),
    )
    print(f"idle OVERVIEW of this machine, likewise {idle('zmon', '-i', '2') / empty:.2f}, told")
    print(f"whole processor time of a sample, filling its table included: {ours.spent / table.spent:.3f}")
    for name, ratio, most in promises:
        print(f"{name:42}{ratio:7.3f}  promised {most:g}{'' if ratio <= most else '  NOT KEPT'}")
    return 0 if all(ratio <= most for _, ratio, most in promises) else 1


if __name__ == "__main__":
    sys.exit(main())
