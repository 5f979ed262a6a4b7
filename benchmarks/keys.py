"""Whether keys at random end the full screen, hold it up, make it err, or make it grow.

    python -m benchmarks.keys [MINUTES [SOURCE [SEED]]]

The real program replays a recording of 4,096 devices, or another source, on a terminal of its own.  A third
of what comes is a command with an operand, of all screens and all words; the rest are function keys, arrows,
characters, and now and then commands that go together.  Keys come faster than people press them.  After each
twenty the screen must move within ten seconds; the most memory that was resident is noted with what was
pressed before, and if a command ends zmon, its status must be 0 and it begins anew.  The same seed presses
the same keys.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final

from benchmarks.terminal import Silence, Terminal, readable
from zmon.cli.main import main as zmon
from zmon.screen.definition import load_screens
from zmon.session.commands import COMMANDS

MINUTES: Final = 60.0
RECORDED: Final = "lab:fleet-4096"
"""What is recorded first if no source is given."""
SEED: Final = 7
MOST: Final = 400.0
"""MiB that are wanted at the most."""
PATIENCE: Final = 10.0
"""Seconds within which the screen must move."""
FAULT: Final = re.compile(rb"mistake in|Traceback|cannot be (?:filled|shown): [A-Z]\w+(?:Error|Exception)")
"""What a screen says where zmon itself is wrong."""
BETWEEN: Final = (0.01, 0.03, 0.1, 0.3)
KEYS: Final = (
    b"\r", b"\r", b"\t", b"\x1b[Z", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[5~", b"\x1b[6~",
    b"\x1b[H", b"\x1b[F", b"\x1bOP", b"\x1bOR", b"\x1bOS", b"\x1b[15~", b"\x1b[17~", b"\x1b[18~", b"\x1b[19~",
    b"\x1b[20~", b"\x1b[21~", b"\x1b[23~", b"\x1b[24~", b"\x1b\x1b", b"\x0f", b"\x10", b"\x14", b"\x7f",
    b"<", b">", b"[", b"]", b"?", b"!", b" ", b"/1F\r", b"x", b"7", b"\xc3\xa4", b"\x1b[<0;10;10M",
    b"\x1b[<64;10;10M",
)  # fmt: skip
OPERANDS: Final = (
    "", "", "", "", "io", "resp", "busy DESC", "resp>10", "lcu=8000", "1B0C", "8000", "-10m", "begin", "end",
    "09:20 09:50", "A", "B", "10", "-600", "1", "OFF", "NEXT", "LCU 8000", "device.io", "MB/s",
    "\u202e\u0007", "9" * 200,
)  # fmt: skip
TOGETHER: Final = (
    (b"GO begin\r", b"MARK A\r", b"GO end\r", b"MARK B\r", b"AVERAGE\r"),
    (b"MARK A\r", b"]", b"]", b"MARK B\r", b"AVERAGE\r"),
    (b"MARK A\r", b"GO begin\r", b"COMPARE A\r"),
    (b"GO begin\r", b"PLAY\r"),
    (b"DEVICE\r", b"\r", b"<", b"<", b"<", b"<"),
)  # fmt: skip
"""What chance alone would not press in their order."""
WITHOUT: Final = frozenset({"PRINT", "QUIT", "NOTE"})
"""Words that write files, or end zmon."""


def commands() -> list[str]:
    """Return all words that can be typed."""
    screens = [screen.command for screen in load_screens()]
    return screens + [command.word for command in COMMANDS if command.word not in WITHOUT]


def resident(pid: int, what: str = "VmHWM") -> float:
    """Return the most resident memory of a process so far in MiB, with `VmRSS` that of now; 0 if it ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    kib = re.search(rf"^{what}:\s+(\d+) kB$", status, re.MULTILINE)
    return int(kib[1]) / 1024 if kib else 0.0


class Keyboard:
    """Chance that presses keys."""

    def __init__(self, source: str, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - it must be repeatable
        self._words = commands()
        self._source = source
        self.pressed = 0
        self.ended = 0
        self.faults: list[str] = []
        self.most = 0.0
        self.last = 0.0
        self._next_keys: list[bytes] = []
        self.before: deque[str] = deque(maxlen=8)

    def for_seconds(self, seconds: float) -> None:
        """Press keys for so long, in one program after another."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with Terminal(["-m", "zmon", "--from", self._source]) as terminal:
                terminal.until(rb"Command", 60)
                while time.monotonic() < end and self._press_twenty(terminal):
                    pass

    def _press_twenty(self, terminal: Terminal) -> bool:
        """Press twenty, and see whether the program lives; False if it has ended."""
        try:
            for _ in range(20):
                keys = self._next()
                terminal.press(keys)
                self.before.append(keys.decode(errors="replace"))
                self.pressed += 1
                heard = terminal.listen(self._chance.choice(BETWEEN))
                if FAULT.search(heard):
                    with suppress(OSError):  # it may have ended
                        terminal.listen(2.0)
                    self._fault(f"a mistake, and {readable(heard + terminal.heard)!r}")
            terminal.press(b"\x1b\x1b")
            terminal.press(b"MENU\r" if self._chance.random() < 0.5 else b"OVERVIEW\r")
            terminal.until(b".", PATIENCE)
        except Silence:
            self._fault(f"nothing moved for {PATIENCE:.0f} s")
        except OSError:  # the program has closed its terminal
            self.ended += 1
            if (end := os.waitid(os.P_PID, terminal.pid, os.WEXITED | os.WNOWAIT)) and end.si_status:
                self._fault(f"ended with status {end.si_status}, and {readable(terminal.heard)!r}")
            return False
        memory = resident(terminal.pid)
        if memory > self.most + 20:
            print(f"{self.pressed:,} keys: {memory:.0f} MiB after {self._said()}", flush=True)
        self.most, self.last = max(self.most, memory), resident(terminal.pid, "VmRSS")
        return True

    def _next(self) -> bytes:
        if self._next_keys:
            return self._next_keys.pop(0)
        if self._chance.random() < 0.01:
            first, *self._next_keys = self._chance.choice(TOGETHER)
            return first
        if self._chance.random() < 0.35:
            return f"{self._chance.choice(self._words)} {self._chance.choice(OPERANDS)}\r".encode()
        return self._chance.choice(KEYS)

    def _fault(self, what: str) -> None:
        self.faults.append(what)
        print(f"{self.pressed:,} keys: {what} after {self._said()}", flush=True)

    def _said(self) -> str:
        return " ".join(map(repr, self.before))


def main() -> int:
    """Press keys; 1 if zmon failed, or its memory is above the bound."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else SEED
    with tempfile.TemporaryDirectory() as folder:
        source = sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "recorded.zmon")
        if len(sys.argv) <= 2 and zmon(["import", RECORDED, source]):
            return 1
        os.environ["ZMON_TRACE"] = "1"  # a mistake that zmon contains is one
        keyboard = Keyboard(source, seed)
        keyboard.for_seconds(60 * minutes)
    print(
        f"{keyboard.pressed:,} keys in {minutes:g} min at {os.path.basename(source)}: {len(keyboard.faults)}"
        f" faults, ended by a command {keyboard.ended} times; resident at most {keyboard.most:.0f} MiB, at"
        f" the end {keyboard.last:.0f} MiB (wanted at most {MOST:.0f})"
    )
    return int(bool(keyboard.faults) or keyboard.most > MOST)


if __name__ == "__main__":
    sys.exit(main())
