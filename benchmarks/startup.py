"""How long it takes until zmon's first screen stands, as a ratio to a Textual app without anything in it.

    python -m benchmarks.startup

Both are started in turn, several times, in a terminal of 80x24; compared are the medians, from the start of
the interpreter to the first painted screen.
"""

from __future__ import annotations

import statistics
import sys
from typing import Final

from benchmarks.terminal import Terminal

ROUNDS: Final = 9
PROMISED: Final = 1.5
PAINTED: Final = {"menu": rb"Memory  ", "empty": rb"\x1b\[24;1H"}
"""What is in the output when the first screen of a program is there: of zmon the resources on OVERVIEW."""


def started(program: str) -> float:
    """Start a program; return milliseconds until its first screen."""
    with Terminal(["-m", "benchmarks.rivals", program], 80, 24) as terminal:
        return (terminal.until(PAINTED[program]) - terminal.begun) * 1000


def main() -> int:
    """Compare, and say how; the exit status says whether the promise holds."""
    delays: dict[str, list[float]] = {program: [] for program in PAINTED}
    for _ in range(ROUNDS):
        for program, found in delays.items():
            found.append(started(program))
    ours, bare = (statistics.median(delays[program]) for program in ("menu", "empty"))
    print(f"zmon {ours:.0f} ms, an empty app {bare:.0f} ms")
    print(f"ratio {ours / bare:.2f}  promised {PROMISED}")
    return 0 if ours / bare <= PROMISED else 1


if __name__ == "__main__":
    sys.exit(main())
