"""Run every benchmark, or those that are named, one after the other: `make bench`.

Each prints what it measured, against what, and what was wanted, and how long that took; the exit status says
whether all were kept.  On two cores that rest otherwise:

* sampling, units, processes, paths, tables, lookup, startup, cp, whatif: a minute each or less, seven and
  more rounds of what takes milliseconds to a second;
* lab: three minutes, half of it to open every scenario twice;
* fleet: a minute, most of it to fill a Prometheus; without one it measures nothing;
* judging: two minutes, most of it to record ten minutes of a fleet;
* glass, where, spread: a minute or two, most of it to make a machine of 4,096 devices or 10,000 files;
* memory: four minutes, for 2,500 samples;
* recording: five minutes: ten minutes of samples for the bytes, 240 samples for the processor time, two
  minutes of samples a fifth of a second apart for the latency, and the recorders that it is compared with;
* moves: ten minutes, nearly all of it the exact solver's; without that it compares with stored bounds;
* seek: three minutes, of which two make the recording of a day.
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
