"""What sampling costs, as a ratio to the least that any program must do.

    python benchmarks/sampling.py

A tree of 4,096 DASD is built in memory, each with a partition and measured in the extended format.
zmon samples channel measurement and disk statistics from it, and makes frames of them; a C
program opens, reads and closes the same files by their full paths, once each, and does nothing else.
Compared is processor time, user and system together: the median of several repetitions, and of
several such rounds the best of each side, because other work on the machine only ever adds.

The clock of the samples is a made-up one that moves on by a second each, so that the files of
resting devices that come in turn within a minute are in the figures.
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
from unittest import mock

from benchmarks.figures import note, rounds
from zmon.kernel import cmf, diskstats
from zmon.kernel.activity import DiskReader
from zmon.kernel.tree import LiveTree
from zmon.kinds import CMF

DEVICES: Final = 4096
ACTIVE: Final = 275
PER_LCU: Final = 256
FILES: Final = (cmf.COUNT, *cmf.files(CMF))
ROUNDS: Final = 9
REPETITIONS: Final = 9
SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - only to make a private directory in
SECOND: Final = 1_000_000_000

ALL_TARGET: Final = 1.3
SOME_TARGET: Final = 0.25


class Clock:
    """A clock that moves by hand; it stands in for the steady one."""

    now = SECOND

    def __call__(self) -> int:
        """Return the time in ns."""
        return self.now

    def tick(self) -> None:
        """Let a second pass."""
        self.now += SECOND


class Machine:
    """A directory that looks like a machine with many DASD."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.io = [1000 + number for number in range(DEVICES)]
        self.busids = [f"0.0.{0x1000 + number:04x}" for number in range(DEVICES)]
        self.cmf = [
            f"{root}/sys/devices/css0/0.0.{number:04x}/{busid}/cmf"
            for number, busid in enumerate(self.busids)
        ]
        for number in range(DEVICES):
            self._build(number)
        self.write_diskstats()

    def _build(self, number: int) -> None:
        busid, name = self.busids[number], disk_name(number)
        device = f"sys/devices/css0/0.0.{number:04x}/{busid}"
        lcu, unit = divmod(number, PER_LCU)
        self._write(f"{device}/cmb_enable", "1")
        self._write(f"{device}/online", "1")
        self._write(f"{device}/uid", f"IBM.750000000ABCD1.{0x2000 + lcu:04x}.{unit:02x}")
        for order, file in enumerate(FILES):
            self._write(f"{device}/cmf/{file}", str(123_456 + 1000 * order))
        for file, value in (
            ("dev", f"94:{number * 4}"), ("diskseq", str(number)), ("size", "14424480"),
            ("queue/nr_requests", "32"), ("queue/logical_block_size", "4096"), ("queue/iostats", "1"),
        ):  # fmt: skip
            self._write(f"{device}/block/{name}/{file}", value)
        self._link(f"sys/bus/ccw/devices/{busid}", f"../../../devices/css0/0.0.{number:04x}/{busid}")
        self._link(f"sys/block/{name}", f"../devices/css0/0.0.{number:04x}/{busid}/block/{name}")

    def _write(self, path: str, value: str) -> None:
        whole = Path(self.root, path)
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(value + "\n", encoding="ascii")

    def _link(self, path: str, target: str) -> None:
        whole = Path(self.root, path)
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.symlink_to(target)

    def write_diskstats(self) -> None:
        """Write what the disks have done up to now."""
        lines = []
        for number, io in enumerate(self.io):
            counts = f"{io} 17 {io * 8} {io * 2} {io} 23 {io * 8} {io * 3} 0 {io * 4} {io * 5} 0 0 0 0 3 1"
            name = disk_name(number)
            lines.append(f"  94 {number * 4:7} {name} {counts}\n  94 {number * 4 + 1:7} {name}1 {counts}\n")
        self._write(diskstats.PATH, "".join(lines).rstrip("\n"))

    def work(self, numbers: range) -> None:
        """Let some devices do one more I/O that disk statistics show."""
        for number in numbers:
            self.io[number] += 1
        self.write_diskstats()

    def start(self, number: int, starts: int) -> None:
        """Let channel measurement show that many starts of a device."""
        Path(self.cmf[number], "ssch_rsch_count").write_text(f"{starts}\n", encoding="ascii")

    def files(self) -> list[str]:
        """Return all files that a sample consists of."""
        return [f"{self.root}/{diskstats.PATH}"] + [f"{path}/{name}" for path in self.cmf for name in FILES]


def disk_name(number: int) -> str:
    """Name a disk as the driver does: dasda to dasdz, dasdaa ..."""
    name = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(ord("a") + letter) + name
    return "dasd" + name


def spent() -> float:
    """Return the processor time of this process, in us."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def sampling(machine: Machine, clock: Clock, activity: DiskReader, active: int) -> float:
    """Return the median us of a sample while the first `active` devices work."""
    taken = []
    for _ in range(REPETITIONS):
        machine.work(range(active))
        clock.tick()
        before = spent()
        activity.read()
        taken.append(spent() - before)
    return statistics.median(taken)


def wakes_up(machine: Machine, clock: Clock) -> bool:
    """Show that no device that starts to work is missed, and that one working unseen is found."""
    sleeper, secret = 3000, 4000  # far from where the turns begin
    activity = DiskReader(LiveTree(machine.root))
    activity.read()
    for number in (sleeper, secret):
        machine.start(number, 777_777)
    clock.tick()
    _, resting = activity.read()
    machine.work(range(sleeper, sleeper + 1))
    clock.tick()
    _, awake = activity.read()
    for _ in range(60):
        clock.tick()
        _, later = activity.read()
    checks = {
        "a device that rests is not read": resting.cell(machine.busids[sleeper], "ssch") != 777_777,
        "a device that wakes up is read at once": awake.cell(machine.busids[sleeper], "ssch") == 777_777,
        "what no disk shows is found within a minute": later.cell(machine.busids[secret], "ssch") == 777_777,
    }
    for rule, kept in checks.items():
        print(f"{'yes' if kept else 'NO ':4}{rule}")
    return all(checks.values())


def main() -> int:
    """Build, measure, print; 1 if a target was missed."""
    memory = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
    clock = Clock()
    with tempfile.TemporaryDirectory(dir=memory) as root, mock.patch("time.monotonic_ns", clock):
        machine = Machine(root)
        program, paths = f"{root}/open_read_close", f"{root}/list"
        Path(paths).write_text("\n".join(machine.files()) + "\n", encoding="utf-8")
        subprocess.run(
            ["cc", "-O2", "-o", program, Path(__file__).with_name("open_read_close.c")], check=True
        )
        activity = DiskReader(LiveTree(root))
        activity.read()
        least, everything, some = [], [], []
        for _ in range(rounds(ROUNDS)):
            answer = subprocess.run(
                [program, paths, str(REPETITIONS)], check=True, capture_output=True, text=True
            )
            least.append(statistics.median(map(int, answer.stdout.split())))
            everything.append(sampling(machine, clock, activity, DEVICES))
            some.append(sampling(machine, clock, activity, ACTIVE))
        print(f"{DEVICES} DASD, {len(machine.files())} files; ms of processor time a sample, best median")
        print(f"C, open-read-close of all      {min(least) / 1000:8.1f}")
        kept = wakes_up(machine, clock)
        for name, what, found, target in (
            ("all", f"zmon, all {DEVICES} active", everything, ALL_TARGET),
            ("some", f"zmon, {ACTIVE} of them active", some, SOME_TARGET),
        ):
            ratio = min(found) / min(least)
            note(f"sampling.{name}", ratio)
            kept = kept and ratio <= target
            print(f"{what:31}{min(found) / 1000:8.1f}   {ratio:.3f} x C, at most {target} wanted")
        each = ", ".join(f"{a / c:.2f} {s / c:.3f}" for c, a, s in zip(least, everything, some, strict=True))
        print(f"rounds: {each}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
