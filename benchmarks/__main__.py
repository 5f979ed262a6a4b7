"""Run every benchmark, or those that are named, one after the other: `make bench`.

Each prints what it measured, against what, and what was wanted, and how long that took; the exit status says
whether all were kept.  On two cores that rest otherwise:

* sampling, units, processes, paths, tables, lookup, startup, where, cp, whatif, judging: a minute each or
  less, five and more rounds of what takes milliseconds to a second;
* lab, growth, spread: a minute or so, most of it to open every scenario, to make recordings, or files;
* fleet: a minute, most of it to fill a Prometheus; without one it measures nothing;
* memory, glass: two minutes;
* recording: three minutes, of which one is the samples for the latency, and one the other recorders;
* seek: two minutes, most of them to make the recording of a day;
* moves: some seconds; ten minutes with the exact solver (pip install ortools).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from typing import Final

BENCHMARKS: Final = (
    "sampling",
    "units",
    "processes",
    "paths",
    "tables",
    "judging",
    "exposition",
    "fleet",
    "lookup",
    "startup",
    "glass",
    "memory",
    "recording",
    "seek",
    "where",
    "spread",
    "moves",
    "cp",
    "lab",
    "whatif",
    "growth",
)


def main() -> int:
    """Run those that are named, or all; 1 if one of them missed what was wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure what zmon costs.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}; all without"
    )
    names = parser.parse_args().names
    if unknown := set(names) - {*BENCHMARKS}:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    missed = []
    for name in names or BENCHMARKS:
        print(f"== {name}", flush=True)
        begin = time.monotonic()
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            missed.append(name)
        print(f"== {name} took {time.monotonic() - begin:.0f} s", flush=True)
    print(f"== missed: {', '.join(missed) or 'nothing'}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
