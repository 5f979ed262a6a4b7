"""Run every benchmark, one after the other: `make bench`.

Each prints what it measured, against what, and what was wanted; the exit status tells whether all were kept.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Final

BENCHMARKS: Final = (
    "sampling",
    "tables",
    "lookup",
    "startup",
    "glass",
    "memory",
    "recording",
    "seek",
    "where",
    "spread",
    "cp",
    "lab",
)


def main() -> int:
    """Run them; 1 if one of them missed what was wanted."""
    missed = []
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            missed.append(name)
    print(f"== missed: {', '.join(missed) or 'nothing'}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
