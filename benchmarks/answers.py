"""How soon each command of the full screen shows a sign of its answer, with 4,096 devices.

    python -m benchmarks.answers [SOURCE]

The real program replays a recording of 4,096 devices on a terminal of 132x43.  Each command is typed with an
operand that means something to it where one is needed; measured is the time from ENTER to the first byte that
is painted, three times each, and the middle one counts.  Before each ENTER nothing moves.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from typing import Final

from benchmarks.keys import RECORDED, WITHOUT
from benchmarks.terminal import Silence, Terminal
from zmon.cli.main import main as zmon
from zmon.screen.definition import load_screens
from zmon.session.commands import COMMANDS

MOST: Final = 100.0
"""Milliseconds within which a sign is wanted."""
TIMES: Final = 3
QUIET: Final = 0.4
"""Seconds in which nothing moves before a command."""
PATIENCE: Final = 20.0
OPERANDS: Final = {
    "AVERAGE": "-10m", "COMPARE": "09:10 09:50", "DETAILS": "DEVICE", "FIND": "1B0C", "GO": "09:30",
    "HELP": "DEVICE", "MARK": "A", "PLOT": "DEVICE.resp 1B0C", "SORT": "io", "WHERE": "io>1", "WORST": "1",
}  # fmt: skip
"""What is typed behind a word that needs more."""
ELSEWHERE: Final = frozenset({*WITHOUT, "PLAY", "TOUR"})
"""Words that are none of these, and those that go on by themselves."""


def commands() -> list[str]:
    """Return what is typed: all screens, then all other words."""
    words = [screen.command for screen in load_screens()] + [command.word for command in COMMANDS]
    kept = (word.upper() for word in words if word.upper() not in ELSEWHERE)
    return [f"{word} {OPERANDS.get(word, '')}".rstrip() for word in dict.fromkeys(kept)]


def settle(terminal: Terminal) -> None:
    """Wait until nothing moves."""
    for _ in range(int(PATIENCE / QUIET)):
        if not terminal.listen(QUIET):
            return


def milliseconds(terminal: Terminal, command: str) -> float:
    """Return how long the first sign of an answer takes, from the screen DEVICE."""
    terminal.press(b"\x1b\x1bDEVICE\r")
    settle(terminal)
    terminal.press(command.encode())
    settle(terminal)
    begun = terminal.press(b"\r")
    return 1e3 * (terminal.until(rb"(?s).", PATIENCE) - begun)


def main() -> int:
    """Print the slowest commands; 1 if one is later than wanted."""
    with tempfile.TemporaryDirectory() as folder:
        source = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, "recorded.zmon")
        if len(sys.argv) <= 1 and zmon(["import", RECORDED, source]):
            return 1
        taken = {}
        with Terminal(["-m", "zmon", "--from", source]) as terminal:
            terminal.until(rb"Command", PATIENCE)
            for command in commands():
                try:
                    times = [milliseconds(terminal, command) for _ in range(TIMES)]
                except Silence:
                    times = [1e3 * PATIENCE]
                taken[command] = statistics.median(times)
    slowest = sorted(taken, key=lambda command: -taken[command])
    for command in slowest[:10]:
        print(f"{taken[command]:7.0f} ms  {command}")
    late = [command for command in slowest if taken[command] > MOST]
    middle = statistics.median(taken.values())
    print(
        f"{len(taken)} commands: the middle one {middle:.0f} ms, the slowest {taken[slowest[0]]:.0f} ms,"
        f" {len(late)} later than {MOST:.0f} ms"
    )
    return int(bool(late))


if __name__ == "__main__":
    sys.exit(main())
