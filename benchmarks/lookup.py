"""What a lookup costs before it answers, as a ratio to an interpreter that does nothing at all.

    python -m benchmarks.lookup

The rival is `python -c pass` of the same interpreter, which is the least that anything in Python can cost;
`import argparse` stands beside it.  All are started in turn, with their bytecode in place as an installation
has it; compared are the medians of elapsed time and the least processor time.

A lookup starts until it opens what it reads, so its start is the time of one whose capture is not there; what
may be promised is promised of that.  A whole lookup then reads the capture of the tests, two passes of some
three hundred files each, fills its table and prints it; what that costs is told and not promised.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
ROUNDS: Final = 25
NOWHERE: Final = "/nonexistent"
PROMISED: Final = {
    "zmon --help": 4.0,
    "zmon show MENU": 3.5,
    "zmon where /etc/passwd": 3.3,
    f"zmon show DEVICE --from {NOWHERE}": 3.3,
    "zmon show DEVICE --from CAPTURE": None,
}
"""Times the rival's processor time that a command may take; None where it is only told."""


def lay_out(folder: Path) -> str:
    """Write the tests' capture to a directory, by the tests' own means."""
    spec = importlib.util.spec_from_file_location("passes", ROOT / "tests" / "conftest.py")
    assert spec is not None  # noqa: S101 - the file is there
    assert spec.loader is not None  # noqa: S101
    tests = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tests)
    return str(tests.write_capture(folder, "hercules"))


def cost(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Run a command; return elapsed and processor milliseconds."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT, env=environment, check=False
    )
    elapsed, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode and NOWHERE.encode() not in done.stderr:
        raise RuntimeError(done.stderr.decode())
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return elapsed * 1000, used * 1000


def main() -> int:
    """Compare, and say how; the exit status says whether the promises hold."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "bytecode")
        capture = lay_out(Path(folder))
        commands = {"python -c pass": [sys.executable, "-c", "pass"],
                    "python -c 'import argparse'": [sys.executable, "-c", "import argparse"]}  # fmt: skip
        for name in PROMISED:
            words = name.replace("CAPTURE", capture).split()[1:]
            commands[name] = [sys.executable, "-m", "zmon", *words]
        for command in commands.values():
            cost(command, environment)
        costs: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                costs[name].append(cost(command, environment))
    wall = {name: statistics.median(elapsed for elapsed, _ in found) for name, found in costs.items()}
    used = {name: min(cpu for _, cpu in found) for name, found in costs.items()}
    rival, missed = "python -c pass", 0
    for name in commands:
        ratio = used[name] / used[rival]
        promise = PROMISED.get(name)
        missed += promise is not None and ratio > promise
        held = f"promised {promise}" if promise else "told" if name in PROMISED else "rival"
        print(f"{name:36} {wall[name]:6.1f} ms {wall[name] / wall[rival]:6.2f}", end="   ")
        print(f"cpu {used[name]:6.1f} ms {ratio:6.2f}   {held}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
