"""How soon zmon answers: the first figures of OVERVIEW, as a ratio to a Textual app without anything in it.

    python -m benchmarks.startup

zmon is started as users start it, on a terminal of 80x24: on a machine of which the files lie in a directory,
live; on a recording; and on a simulated machine.  Each is started in turn with the empty app, several times.

* Promised is the time from the start of the interpreter to the first figures, as a ratio to the first screen
  of the empty app; compared are the medians.  A live machine needs two samples for figures, and zmon rests
  between them.  The least processor time until then stands beside it.
* Told is how long it takes until a key is answered, which is pressed as soon as there are figures.
* `zmon show OVERVIEW` is compared with `zmon show CTLUNIT`, whose figures it contains, by the least processor
  time of whole commands that are run in turn.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.figures import IS_QUICK, note, rounds
from benchmarks.lookup import ROOT, cost, lay_out
from benchmarks.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDS: Final = 5
PROMISED: Final = 1.5
OVERVIEW_PROMISED: Final = 1.1
RECORDING: Final = str(ROOT / "recordings" / "lab-shark-before.zmon")
DAY: Final = str(ROOT / "recordings" / "lab-healthy-day.zmon")
EMPTY: Final = ("-c", "from textual.app import App; App().run()")
EMPTY_PAINTED: Final = rb"\x1b\[24;1H"
FIGURES: Final = rb"Memory  "
"""What is in the output when OVERVIEW has figures: its resources."""
KEY: Final = b"^"
LIVE: Final = """
import sys
from zmon.kernel.tree import LiveTree
from zmon.session import machines
machines.LiveTree = lambda _root: LiveTree({root!r})
sys.argv = ["zmon"]
from zmon.cli.main import run_process
sys.exit(run_process())
"""
"""`zmon` on a machine whose files lie in a directory."""


def empty() -> tuple[float, float]:
    """Start the empty app; return seconds until its screen, and its processor time."""
    with Terminal([*EMPTY], 80, 24) as terminal:
        return terminal.until(EMPTY_PAINTED) - terminal.begun, terminal.spent()


def started(arguments: Sequence[str]) -> tuple[float, float, float]:
    """Start zmon; return the seconds until there are figures, its processor time, and until a key answers."""
    with Terminal([*arguments], 80, 24) as terminal:
        figures = terminal.until(FIGURES) - terminal.begun
        spent = terminal.spent()
        terminal.press(KEY)
        return figures, spent, terminal.until(KEY.replace(b"^", rb"\^")) - terminal.begun


def first_figures(folder: Path) -> int:
    """Compare how soon there are figures; return how many come too late."""
    root = next(path.parent for path in sorted(Path(lay_out(folder)).rglob("sys")) if path.is_dir())
    programs = {
        "live": ("-c", LIVE.format(root=str(root))),
        "a recording": ("-m", "zmon", "--from", RECORDING),
        "a day": ("-m", "zmon", "--from", DAY),
        "simulated": ("-m", "zmon", "--from", "lab:shark-before"),
    }
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in programs}
    bare: list[tuple[float, float]] = []
    for arguments in programs.values():
        started(arguments)  # compiles what is not yet
    for _ in range(ROUNDS):
        bare.append(empty())
        for name, arguments in programs.items():
            found[name].append(started(arguments))
    screen, used = statistics.median(wall for wall, _ in bare), min(cpu for _, cpu in bare)
    print(f"{'':12} {'figures':>10} {'ratio':>6} {'cpu':>8} {'ratio':>6} {'keys':>10} {'ratio':>6}")
    print(f"{'empty app':12} {1e3 * screen:7.0f} ms {'':6} {1e3 * used:5.0f} ms")
    missed = 0
    for name, starts in found.items():
        figures, keys = (statistics.median(one[at] for one in starts) for at in (0, 2))
        spent = min(one[1] for one in starts)
        missed += figures / screen > PROMISED
        print(
            f"{name:12} {1e3 * figures:7.0f} ms {figures / screen:6.2f} {1e3 * spent:5.0f} ms"
            f" {spent / used:6.2f} {1e3 * keys:7.0f} ms {keys / screen:6.2f}   promised {PROMISED}"
        )
    return missed


def overview() -> int:
    """Compare OVERVIEW with CTLUNIT; return of how many sources it costs too much."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    missed = 0
    for title, source in (("live", ()), ("a recording", ("--from", RECORDING)), ("a day", ("--from", DAY))):
        spent: dict[str, list[float]] = {"OVERVIEW": [], "CTLUNIT": []}
        for _ in range(rounds(ROUNDS)):
            for screen, found in spent.items():
                command = [sys.executable, "-m", "zmon", "show", screen, *source]
                found.append(cost(command, environment)[1])
        ours, rival = (min(found) for found in spent.values())
        missed += ours / rival > OVERVIEW_PROMISED
        note(f"startup.overview.{title.rpartition(' ')[2]}", ours / rival)
        print(
            f"show OVERVIEW, {title:12} cpu {ours:6.1f} ms, CTLUNIT {rival:6.1f} ms,"
            f" ratio {ours / rival:5.2f}   promised {OVERVIEW_PROMISED}"
        )
    return missed


def main() -> int:
    """Compare, and say how; the exit status says whether the promises hold."""
    if IS_QUICK:
        return int(overview() > 0)
    with tempfile.TemporaryDirectory() as folder:
        missed = first_figures(Path(folder))
    return int(missed + overview() > 0)


if __name__ == "__main__":
    sys.exit(main())
