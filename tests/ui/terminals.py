"""A terminal for tests: a pseudo-terminal with a program in it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

ROOT = Path(__file__).parent.parent.parent
SMALL = str(ROOT / "recordings" / "hercules-one-hot-lcu.tar.gz")
DEADLINE = 60.0
FAST = "import zmon.ui.opening; zmon.ui.opening.SLOW = 1e9"
"""However busy this machine is, Textual paints the first picture, unless the code says otherwise."""


class OnTerminal:
    """A Python program on a pseudo-terminal of 80x24, and what it has written so far."""

    def __init__(self, code: str, arguments: Sequence[str] = (), before: str = "", **environ: str) -> None:
        """Start the code with its arguments; `before` is typed before it runs."""
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.settings = termios.tcgetattr(slave)
        self._slave = slave
        self.written = ""
        if before:
            self.type(before.encode())
        known = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)}
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.process = subprocess.Popen(  # noqa: S603 - the code is the test's own
            [sys.executable, "-c", f"{FAST}; {code}", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=kept | known | environ,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let nothing of it remain."""
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def type(self, keys: bytes) -> None:
        """Type keys."""
        os.write(self.master, keys)

    def hang_up(self) -> None:
        """Take the terminal away."""
        for descriptor in (self.master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self._slave = -1

    def stop_output(self) -> None:
        """Take no more output, as after Ctrl+S."""
        termios.tcflow(self._slave, termios.TCOOFF)

    def read(self) -> None:
        """Read what there is to be read."""
        while select.select([self.master], [], [], 0)[0]:
            try:
                self.written += os.read(self.master, 65536).decode(errors="replace")
            except OSError:
                return

    def until(self, words: str) -> None:
        """Read until these words were written."""
        end = time.monotonic() + DEADLINE
        while words not in self.written:
            assert time.monotonic() < end, f"{words!r} was not written but {self.written[-2000:]!r}"
            if select.select([self.master], [], [], 0.05)[0]:
                self.read()
            elif self.process.poll() is not None:
                self.read()
                assert words in self.written, f"ended without {words!r}: {self.written[-2000:]!r}"

    def status(self, *, reads: bool = True) -> int:
        """Return the exit status; meanwhile what is written is read, or not."""
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end: {self.written[-2000:]!r}"
            if reads and self.master >= 0 and select.select([self.master], [], [], 0.05)[0]:
                self.read()
            elif not reads or self.master < 0:
                self._wait()
        if self.master >= 0:
            self.read()
        return self.process.returncode

    def _wait(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(0.05)

    @property
    def given_back(self) -> bool:
        """Whether the terminal is what it was: its settings, the first screen, no mouse, no marked pastes."""
        ends = ("\x1b[?1049l", "\x1b[?1000l", "\x1b[?2004l", "\x1b[?25h")
        begins = ("\x1b[?1049h", "\x1b[?1000h", "\x1b[?2004h", "\x1b[?25l")
        left = [b for e, b in zip(ends, begins, strict=True) if e not in self.written.rpartition(b)[2]]
        return self.settings_are_back and not any(begin in self.written for begin in left)

    @property
    def settings_are_back(self) -> bool:
        """Whether the kernel treats the terminal as before."""
        return termios.tcgetattr(self._slave) == self.settings
