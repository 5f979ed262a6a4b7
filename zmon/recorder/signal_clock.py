"""The clocks of the recorder, and the signals that end recording or begin another file."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import TYPE_CHECKING, Final

from zmon.recorder.recording_loop import Orders

if TYPE_CHECKING:
    from types import FrameType

END_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class SignalClock:
    """The clocks of this machine, and a wait that a signal ends early.

    The handler writes a byte into a pipe that the wait polls, so that no signal is lost before it begins.
    """

    def __init__(self) -> None:
        """Handle no signal yet."""
        self.orders = Orders()
        self._out, self._in = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def handle_signals(self, *, terminal: bool) -> None:
        """Let SIGTERM and SIGINT end recording, a second one at once, and SIGHUP begin another file.

        On a terminal SIGHUP means that it was closed, and ends; where it was ignored (nohup) it stays so.
        """
        for number in END_SIGNALS:
            signal.signal(number, self._end)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._end if terminal else self._another)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self.orders.end = True
        for number in END_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        self._wake()

    def _another(self, _number: int, _frame: FrameType | None) -> None:
        self.orders.another = True
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # then there are enough in it
            os.write(self._in, b".")

    def wait(self, length: int) -> None:
        """Wait for `length` ns, or until a signal comes."""
        ready, _, _ = select.select([self._out], [], [], length / 1e9)
        if ready:
            os.read(self._out, 4096)

    def utc(self) -> int:
        """Return the wall-clock time, in ns since 1970."""
        return time.time_ns()

    def steady(self) -> int:
        """Return the steady clock, in ns."""
        return time.monotonic_ns()

    def asleep(self) -> int:
        """Return the ns that the machine has slept since it was started."""
        steady = time.monotonic_ns()
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - steady

    def spent(self) -> int:
        """Return the processor time of this process, in ns."""
        return time.process_time_ns()
