"""What reading processes costs, as a ratio to the least that any program must do.

    python -m benchmarks.processes [PROCESSES]

So many processes that sleep are started, 2,000 by default.  zmon makes a round and reads a sample of all
processes of the machine; a C program opens, reads and closes `stat` and `schedstat` of the same processes by
their full paths, and does nothing else.  Compared is processor time, user and system together: the median of
several repetitions, and of several such rounds the best of each side.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.figures import note
from benchmarks.units import spent
from zmon.kernel.processes import ProcessReader
from zmon.kernel.tree import LiveTree

PROCESSES: Final = 2000
ROUNDS: Final = 5
REPETITIONS: Final = 7
PROMISED: Final = 1.3
"""Times what C takes."""


def sleepers(many: int) -> list[int]:
    """Start processes that sleep until they are killed."""
    found = []
    for _ in range(many):
        child = os.fork()
        if not child:
            signal.pause()
            os._exit(0)
        found.append(child)
    return found


def reading(reader: ProcessReader) -> float:
    """Return the median us of a sample."""
    taken = []
    for _ in range(REPETITIONS):
        before = spent()
        reader.read()
        taken.append(spent() - before)
    return statistics.median(taken)


def main() -> int:
    """Start, measure, print; 1 if the promise is missed."""
    children = sleepers(int(sys.argv[1]) if len(sys.argv) > 1 else PROCESSES)
    try:
        with tempfile.TemporaryDirectory() as folder:
            program, paths = f"{folder}/open_read_close", f"{folder}/list"
            numbers = [name for name in os.listdir("/proc") if name.isdigit()]
            names = [f"/proc/{number}/{name}" for number in numbers for name in ("stat", "schedstat")]
            source = Path(__file__).with_name("open_read_close.c")
            subprocess.run(["cc", "-O2", "-o", program, source], check=True)
            reader = ProcessReader(LiveTree())
            reader.read()
            least, found = [], []
            for _ in range(ROUNDS):
                alive = [name for name in names if os.path.exists(name)]
                Path(paths).write_text("\n".join(alive) + "\n", encoding="utf-8")
                answer = subprocess.run(
                    [program, paths, str(REPETITIONS)], check=False, capture_output=True, text=True
                )
                if answer.returncode == 0:  # else a process ended meanwhile
                    least.append(statistics.median(map(int, answer.stdout.split())))
                found.append(reading(reader))
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    ratio = min(found) / min(least)
    note("processes", ratio)
    print(f"{len(numbers):,} processes; ms of processor time a sample, best median")
    print(f"C, open-read-close of stat and schedstat {min(least) / 1000:8.1f}")
    verdict = "missed" if ratio > PROMISED else "kept"
    print(f"zmon, a round and a sample               {min(found) / 1000:8.1f}   {ratio:.2f} times, promised"
          f" {PROMISED}: {verdict}")  # fmt: skip
    return int(ratio > PROMISED)


if __name__ == "__main__":
    sys.exit(main())
