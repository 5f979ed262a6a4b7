"""A terminal of one's own: runs a program in a pty, presses keys, and looks at what comes out and when."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path
from typing import Self


class Silence(RuntimeError):  # noqa: N818 - it says what it is
    """What was waited for did not come."""


def readable(heard: bytes) -> str:
    """Return the last words of what came, without what moves the cursor and colours them."""
    return re.sub(rb"\x1b[\[\]()<>=?0-9;]*[a-zA-Z]?", b"", heard).decode(errors="replace")[-3000:].strip()


class Terminal:
    """A program on a terminal of a given size."""

    def __init__(self, arguments: list[str], width: int = 132, height: int = 43) -> None:
        """Start the program with this interpreter."""
        self.begun = time.perf_counter()
        self.bytes = 0
        self.heard = b""
        """What came since the last wait began, or its end."""
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled once
            os.environ["PYTHONPATH"] = str(Path(__file__).parent.parent)
            time.sleep(0.05)  # until the size is set
            os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606 - no shell is meant
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._fd)

    def _read(self, seconds: float) -> bytes:
        if not select.select([self._fd], [], [], max(seconds, 0.0))[0]:
            return b""
        read = os.read(self._fd, 1 << 16)
        self.bytes += len(read)
        return read

    def listen(self, seconds: float) -> bytes:
        """Take what comes for so long; return its end."""
        end = time.perf_counter() + seconds
        self.heard = b""
        while (left := end - time.perf_counter()) > 0:
            self.heard = (self.heard + self._read(left))[-65536:]
        return self.heard

    def until(self, pattern: bytes, seconds: float = 60.0) -> float:
        """Wait for something new to come; return when it came."""
        self.heard = b""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.heard += self._read(left)
            if re.search(pattern, self.heard):
                return time.perf_counter()
        raise Silence(f"{pattern!r} did not come within {seconds} s; last came {self.heard[-200:]!r}")

    def press(self, keys: bytes) -> float:
        """Press keys; return when."""
        now = time.perf_counter()
        os.write(self._fd, keys)
        return now

    def spent(self) -> float:
        """Return the processor seconds that the threads of the program have used so far."""
        accounts = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(account.read_text().split()[0]) for account in accounts) / 1e9
