"""What reading the control groups of services costs, as a ratio to the least that any program must do.

    python benchmarks/units.py

A tree of 500 services, each with I/O on 50 of 4,096 disks, is built in memory.  zmon reads it and makes
frames of it; a C program opens, reads and closes the same files by their full paths, and does nothing else.
Compared is processor time, user and system together: the median of several repetitions, and of several such
rounds the best of each side.

The kernel makes the text of these files when they are read, which costs both sides the same.  To read files
in memory costs next to nothing, so the ratios are above those of a real machine.

What no program in Python comes below is measured as well: to read all files, which are open already, and to
make numbers of what is in `io.stat` by the quickest way there is.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.figures import note, rounds
from zmon.kernel.cgroup import FILES, ROOTS, UnitReader
from zmon.kernel.tree import LiveTree
from zmon.kernel.unit_io import usual_numbers

UNITS: Final = 500
DEVICES: Final = 50
DISKS: Final = 4096
ACTIVE: Final = 50
ROUNDS: Final = 7
REPETITIONS: Final = 7
SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - only to make a private directory in

PROMISED: Final = 1.5
"""Times what C takes, whether all services work or some."""

MEMORY_STAT: Final = "".join(
    f"{name} {1 << 20}\n"
    for name in (
        "anon", "file", "kernel", "kernel_stack", "pagetables", "percpu", "sock", "vmalloc", "shmem", "zswap",
        "file_mapped", "file_dirty", "file_writeback", "swapcached", "inactive_anon", "active_anon",
        "inactive_file", "active_file", "unevictable", "slab_reclaimable", "slab_unreclaimable", "slab",
        "workingset_refault_anon", "workingset_refault_file", "pgscan", "pgsteal", "pgfault", "pgmajfault",
    )
)  # fmt: skip
PRESSURE: Final = (
    "some avg10=0.00 avg60=0.00 avg300=0.00 total={0}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total={0}\n"
)


class Services:
    """A directory that looks like the control groups of many services."""

    def __init__(self, root: str) -> None:
        self.folders = [
            Path(root, ROOTS[0], "system.slice", f"app{unit:03}.service") for unit in range(UNITS)
        ]
        self.done = 0
        for folder in self.folders:
            folder.mkdir(parents=True)
        Path(root, ROOTS[0], "cgroup.controllers").write_text("cpu io memory pids\n")
        Path(root, ROOTS[0], "cgroup.stat").write_text(f"nr_descendants {UNITS + 1}\n")
        self.work(UNITS)

    def work(self, many: int) -> None:
        """Let the first services do something on each of their disks."""
        self.done += 1
        for unit, folder in enumerate(self.folders[:many]):
            lines = (
                f"94:{4 * ((unit * 7 + disk) % DISKS)} rbytes={self.done * 4096} wbytes=8192"
                f" rios={self.done} wios=2 dbytes=0 dios=0\n"
                for disk in range(DEVICES)
            )
            contents = {
                "io.stat": "".join(lines),
                "cpu.stat": f"usage_usec {self.done}\nuser_usec {self.done}\nsystem_usec 0\n",
                "memory.stat": MEMORY_STAT,
                **dict.fromkeys(
                    ("cpu.pressure", "io.pressure", "memory.pressure"), PRESSURE.format(self.done)
                ),
                **dict.fromkeys(
                    ("memory.current", "memory.max", "memory.swap.current", "pids.current"), "4096\n"
                ),
            }
            for name, content in contents.items():
                (folder / name).write_text(content)

    def files(self) -> list[str]:
        """Return all files that a sample consists of."""
        return [f"{folder}/{name}" for folder in self.folders for name in FILES]


def spent() -> float:
    """Return the processor time of this process, in us."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def reading(services: Services, reader: UnitReader, active: int) -> float:
    """Return the median us of a reading while the first `active` services work."""
    taken = []
    for _ in range(REPETITIONS):
        services.work(active)
        before = spent()
        reader.read()
        taken.append(spent() - before)
    return statistics.median(taken)


def python_alone(services: Services) -> float:
    """Return the median us of reading all files, which are open, and of making numbers of `io.stat`."""
    files = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in services.files()]
    at = FILES.index("io.stat")
    others = [file for place, file in enumerate(files) if place % len(FILES) != at]
    taken = []
    for _ in range(REPETITIONS):
        services.work(UNITS)
        before = spent()
        for file in others:
            os.pread(file, 4096, 0)
        usual_numbers(b"".join([os.pread(file, 65536, 0) for file in files[at :: len(FILES)]]))
        taken.append(spent() - before)
    for file in files:
        os.close(file)
    return statistics.median(taken)


def main() -> int:
    """Build, measure, print; 1 if the promise is missed."""
    memory = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as root:
        services = Services(root)
        program, paths = f"{root}/open_read_close", f"{root}/list"
        Path(paths).write_text("\n".join(services.files()) + "\n", encoding="utf-8")
        source = Path(__file__).with_name("open_read_close.c")
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
        reader = UnitReader(LiveTree(root))
        reader.read()
        least, everything, some, alone = [], [], [], []
        for _ in range(rounds(ROUNDS)):
            answer = subprocess.run(
                [program, paths, str(REPETITIONS)], check=True, capture_output=True, text=True
            )
            least.append(statistics.median(map(int, answer.stdout.split())))
            everything.append(reading(services, reader, UNITS))
            some.append(reading(services, reader, ACTIVE))
            alone.append(python_alone(services))
        print(f"{UNITS} services on {DEVICES} disks each; ms of processor time a sample, best median")
        print(f"C, open-read-close of all      {min(least) / 1000:8.1f}")
        print(
            f"Python, reads and numbers alone{min(alone) / 1000:8.1f}   {min(alone) / min(least):.2f} times"
        )
        missed = 0
        note("units.all", min(everything) / min(least))
        for what, found in (
            (f"zmon, all {UNITS} active", everything),
            (f"zmon, {ACTIVE} of them active", some),
        ):
            ratio = min(found) / min(least)
            missed += ratio > PROMISED
            verdict = "missed" if ratio > PROMISED else "kept"
            print(f"{what:31}{min(found) / 1000:8.1f}   {ratio:.2f} times, promised {PROMISED}: {verdict}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
