"""What memory the live monitor holds with 4,096 devices, and whether it grows.

    python -m benchmarks.memory [SAMPLES]

The real program runs in a terminal of its own on a tree of 4,096 DASD, 275 of them active, and shows
DEVICE.  Samples follow one another as fast as they can be taken, 1,000 of them by default, in two
minutes.  Compared is the resident memory of the last tenth of the samples with that of the fifth tenth.  That
is judged of 2,500 samples and more: by then all that is kept once is there, and what grew by 1.4 KiB with
each sample would show.
"""

from __future__ import annotations

import os
import pty
import select
import statistics
import sys
import tempfile
import threading
from typing import Final

from benchmarks.sampling import ACTIVE, DEVICES, SHARED_MEMORY, Machine
from zmon.kernel.sampler import Choice
from zmon.kernel.tree import PAGE
from zmon.session.machines import LiveTimeline

SAMPLES: Final = 1_000
JUDGED: Final = 2_500
"""Samples from which on growth is judged."""
MOST: Final = 150.0
"""MiB that are wanted at the most."""
GROWTH: Final = 1.02
"""Times the memory of the beginning that counts as flat."""
PAUSE: Final = 0.02
"""Seconds between samples; they take longer than that."""


class Counted(LiveTimeline):
    """A live timeline that lets its machine work and notes the memory after each sample."""

    def __init__(self, machine: Machine, samples: int, note: int) -> None:
        super().__init__(Choice(hypervisor=False), PAUSE, root=machine.root)
        self._machine = machine
        self._left = samples
        self._note = note

    def take(self):  # type: ignore[no-untyped-def]  # noqa: ANN201 - as in LiveTimeline
        """Take a sample, and write down what memory the process holds."""
        self._machine.work(range(ACTIVE))
        sample = super().take()
        os.write(self._note, f"{resident():.1f}\n".encode())
        self._left -= 1
        if not self._left:
            os.write(self._note, b"end\n")
        return sample


def resident() -> float:
    """Return the resident memory of this process in MiB."""
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[1]) * PAGE / (1 << 20)


def monitor(root: str, samples: int, note: int) -> None:
    """Be the monitor, in a child process on its own terminal."""
    from zmon.screen.definition import load_screens  # noqa: PLC0415 - the parent needs none of it
    from zmon.session.session import Session  # noqa: PLC0415
    from zmon.ui.app import run  # noqa: PLC0415

    machine = Machine.__new__(Machine)
    machine.root, machine.io = root, [1000 + number for number in range(DEVICES)]
    run(Session(Counted(machine, samples, note), load_screens()), PAUSE, "DEVICE")


def drain(terminal: int) -> None:
    """Read what the monitor paints, so that it never waits for its terminal."""
    while True:
        try:
            if not os.read(terminal, 65536):
                return
        except OSError:
            return


def main() -> int:
    """Run the monitor; 1 if it took too much or grew."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    memory = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as root:
        Machine(root)
        notes, note = os.pipe()
        child, terminal = pty.fork()
        if not child:
            os.environ.update(TERM="xterm-256color", COLUMNS="132", LINES="43")
            monitor(root, samples, note)
            os._exit(0)
        os.close(note)
        threading.Thread(target=drain, args=(terminal,), daemon=True).start()
        seen: list[float] = []
        rest = b""
        while select.select([notes], [], [], 120.0)[0]:
            data = os.read(notes, 65536)
            *lines, rest = (rest + data).split(b"\n")
            seen += [float(line) for line in lines if line != b"end"]
            if b"end" in lines or not data:
                break
        os.kill(child, 9)
        os.waitpid(child, 0)
    if len(seen) < samples:
        print(f"NO  the monitor stopped after {len(seen)} of {samples} samples")
        return 1
    tenths = [statistics.fmean(seen[part * samples // 10 : (part + 1) * samples // 10]) for part in range(10)]
    early, late = tenths[4], tenths[9]
    print(f"{DEVICES} DASD, {ACTIVE} active, {samples} samples on DEVICE at 132x43")
    print("MiB resident in each tenth:", " ".join(f"{tenth:.1f}" for tenth in tenths))
    print(f"at most {max(seen):.1f} MiB, at most {MOST:g} wanted")
    is_judged = samples >= JUDGED
    wanted = f"at most {GROWTH} wanted" if is_judged else f"judged from {JUDGED:,} samples on"
    print(f"{late / early:.3f} x the fifth tenth in the last, {wanted}")
    return int(max(seen) > MOST or (is_judged and late > GROWTH * early))


if __name__ == "__main__":
    sys.exit(main())
