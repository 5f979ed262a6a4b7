"""What reading the paths to SCSI disks costs, as a ratio to the least that any program must do.

    python -m benchmarks.paths

A tree of 1,024 multipath devices with four paths each, behind four FCP adapters, is built in memory.  zmon
reads the state of each path, as in every sample, and the latencies and error counts of each LUN, as every ten
seconds; a C program opens, reads and closes the same files by their full paths, and does nothing else.
Compared is processor time, user and system together: the median of several repetitions, and of several such
rounds the best of each side.

The kernel makes the text of these files when they are read, which costs both sides the same.  To read files
in memory costs next to nothing, so the ratios are above those of a real machine.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zmon.kernel.path_reader import PathReader
from zmon.kernel.tree import LiveTree
from zmon.kernel.zfcp import COUNTS, LATENCIES, ZfcpReader

if TYPE_CHECKING:
    from collections.abc import Callable

MAPS: Final = 1024
ADAPTERS: Final = 4
ROUNDS: Final = 5
REPETITIONS: Final = 5
SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - only to make a private directory in

PROMISED: Final = 2.0
"""Times what C takes."""


class Paths:
    """A directory that looks like the paths of many multipath devices."""

    def __init__(self, root: str) -> None:
        self.root = Path(root)
        self.states: list[str] = []
        self.counts: list[str] = []
        (self.root / "sys/block").mkdir(parents=True)
        for adapter in range(ADAPTERS):
            self._adapter(adapter)
        for device in range(MAPS):
            self._map(device)

    def _write(self, path: str, content: str) -> str:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return str(file)

    def _adapter(self, adapter: int) -> None:
        host = f"sys/devices/css0/0.0.{adapter:04x}/0.0.fc{adapter:02x}/host{adapter}/fc_host/host{adapter}"
        self._write(f"{host}/port_state", "Online\n")
        link = self.root / f"sys/class/fc_host/host{adapter}"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(self.root / host)

    def _map(self, device: int) -> None:
        here = f"sys/block/dm-{device}"
        self._write(f"{here}/dm/uuid", f"mpath-36005076{device:025}\n")
        self._write(f"{here}/dm/name", f"mpath{device}\n")
        self._write(f"{here}/dev", f"252:{device}\n")
        (self.root / here / "slaves").mkdir()
        for adapter in range(ADAPTERS):
            number = device * ADAPTERS + adapter
            name = "sd" + "".join(chr(ord("a") + number // 26**place % 26) for place in range(4))
            lun = (
                f"sys/devices/css0/0.0.{adapter:04x}/0.0.fc{adapter:02x}/host{adapter}/{adapter}:0:0:{device}"
            )
            self.states.append(self._write(f"{lun}/state", "running\n"))
            self._write(f"{lun}/block/{name}/dev", f"{8 + number // 4096}:{number * 16}\n")
            self._write(f"{lun}/hba_id", f"0.0.fc{adapter:02x}\n")
            self._write(f"{lun}/wwpn", "0x500507630a1b06dc\n")
            numbers = "100 900 5000 10 90 500 7\n"
            self.counts += [self._write(f"{lun}/{what}_latency", numbers) for what in LATENCIES]
            self.counts += [self._write(f"{lun}/{file}", "0x1f\n") for file, _ in COUNTS.values()]
            self.counts += [
                self._write(f"{lun}/zfcp_failed", "0\n"),
                str(self.root / lun / "state"),
            ]
            known = self.root / f"sys/class/scsi_device/{adapter}:0:0:{device}"
            known.parent.mkdir(parents=True, exist_ok=True)
            listed = f"{lun}/scsi_device/{known.name}"
            (self.root / listed).mkdir(parents=True)
            (self.root / listed / "device").symlink_to("../..")
            known.symlink_to(f"../../../{listed}")
            block = self.root / lun / "block" / name
            (block / "device").symlink_to("../..")
            (self.root / "sys/block" / name).symlink_to(f"../../{lun}/block/{name}")
            (self.root / here / "slaves" / name).symlink_to(f"../../{name}")


def spent() -> float:
    """Return the processor time of this process, in us."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def reading(read: Callable[[], object]) -> float:
    """Return the median us of a reading."""
    taken = []
    for _ in range(REPETITIONS):
        before = spent()
        read()
        taken.append(spent() - before)
    return statistics.median(taken)


def least(program: str, files: list[str], root: str) -> float:
    """Return the median us in which the C program reads these files."""
    listed = f"{root}/list"
    Path(listed).write_text("\n".join(files) + "\n", encoding="utf-8")
    answer = subprocess.run([program, listed, str(REPETITIONS)], check=True, capture_output=True, text=True)
    return statistics.median(map(int, answer.stdout.split()))


def main() -> int:
    """Build, measure, print; 1 if the promise is missed."""
    memory = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as root:
        paths = Paths(root)
        program = f"{root}/open_read_close"
        source = Path(__file__).with_name("open_read_close.c")
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
        tree = LiveTree(root)
        readers = (
            ("state of each path", PathReader(tree).read, paths.states),
            ("latencies and errors of LUNs", ZfcpReader(tree).read, paths.counts),
        )
        print(f"{MAPS} multipath devices, {ADAPTERS} paths each; ms of processor time a reading, best median")
        missed = 0
        for what, read, files in readers:
            read()
            c, zmon = [], []
            for _ in range(ROUNDS):
                c.append(least(program, files, root))
                zmon.append(reading(read))
            ratio = min(zmon) / min(c)
            missed += ratio > PROMISED
            verdict = "missed" if ratio > PROMISED else "kept"
            print(
                f"{what:29} C {min(c) / 1000:7.1f}   zmon {min(zmon) / 1000:7.1f}   {ratio:.2f} times,"
                f" promised {PROMISED}: {verdict}"
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
