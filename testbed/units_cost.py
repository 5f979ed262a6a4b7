#!/usr/bin/env python3
"""Measure on a real kernel what reading 500 control groups costs, as a ratio to a C program that only reads.

Runs in the QEMU guest.  Each group does I/O on 50 disks of the null_blk driver.  Before each reading all of
them, or 50, do more: what a group did since is added up by the kernel when somebody reads its counters.

    s390x-linux-gnu-gcc -O2 -static -o open_read_close benchmarks/open_read_close.c
    s390x-linux-gnu-gcc -O2 -static -o groups testbed/groups.c
    boot.py --machine qemu --bring open_read_close --bring groups --bring testbed/units_cost.py --out OUT \
        -- python3 units_cost.py
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Final

from zmon.kernel.cgroup import FILES, UnitReader
from zmon.kernel.tree import LiveTree

UNITS: Final = 500
DISKS: Final = 50
ACTIVE: Final = 50
REPETITIONS: Final = 7
ROOT: Final = Path("/sys/fs/cgroup")
PROMISED: Final = 1.5
"""Times what C takes, as in benchmarks/units.py."""


def command(*words: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(words, check=True)


def groups() -> list[Path]:
    """Make the groups, below a slice as services are."""
    if not (ROOT / "cgroup.controllers").exists():
        command("mount", "-t", "cgroup2", "none", str(ROOT))
    controllers = "+io +memory +pids +cpu"
    (ROOT / "cgroup.subtree_control").write_text(controllers)
    system = ROOT / "system.slice"
    system.mkdir(exist_ok=True)
    (system / "cgroup.subtree_control").write_text(controllers)
    found = [system / f"app{unit:03}.service" for unit in range(UNITS)]
    for folder in found:
        folder.mkdir()
    return found


class Services:
    """Processes in the groups, which read a page of each disk past the page cache when they are told."""

    def __init__(self, folders: list[Path]) -> None:
        """Start them, and let each read once."""
        self._process = subprocess.Popen(
            ["/job/groups", str(DISKS), *map(str, folders)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.work(len(folders))

    def work(self, many: int) -> None:
        """Let the first ones read, and wait until they have."""
        print(many, file=self._process.stdin, flush=True)
        if self._process.stdout.readline() != "done\n":  # type: ignore[union-attr]  # it is a pipe
            raise SystemExit("a process in a group ended")


def spent() -> float:
    """Return the processor time of this process, in us."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def main() -> int:
    """Measure, print; 1 if the promise is missed."""
    command("modprobe", "null_blk", f"nr_devices={DISKS}", "gb=1")
    folders = groups()
    services = Services(folders)
    paths = [f"{folder}/{name}" for folder in folders for name in FILES if (folder / name).exists()]
    Path("/run/list").write_text("\n".join(paths) + "\n")
    reader = UnitReader(LiveTree("/"))
    reader.read()
    missed = 0
    for what, active in ((f"all {UNITS} active", UNITS), (f"{ACTIVE} of them active", ACTIVE)):
        least, ours = [], []
        for _ in range(REPETITIONS):
            services.work(active)
            answer = subprocess.run(
                ["/job/open_read_close", "/run/list", "1"], check=True, capture_output=True, text=True
            )
            least.append(float(answer.stdout))
            services.work(active)
            before = spent()
            reader.read()
            ours.append(spent() - before)
        c, zmon = statistics.median(least), statistics.median(ours)
        missed += zmon / c > PROMISED
        times = f"C {c / 1000:.1f} ms, zmon {zmon / 1000:.1f} ms, {zmon / c:.2f} times"
        print(f"{what}: {times}, promised {PROMISED}")
    lines = (folders[0] / "io.stat").read_text().count("\n")
    print(f"{len(paths)} files; io.stat of the first group has {lines} lines")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
