"""Signals as orders to the recorder, the clocks of this machine, and waiting for either."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import TYPE_CHECKING, Final

from zmon.recorder.session import Orders

if TYPE_CHECKING:
    from types import FrameType

ENDING: Final = (signal.SIGTERM, signal.SIGINT)


class Machine:
    """The clocks of this machine, and waiting that a signal cuts short.

    A handler writes a byte into a pipe that waiting looks at, so that no signal falls between looking and
    waiting.
    """

    def __init__(self) -> None:
        """Take over no signal yet."""
        self.orders = Orders()
        self._out, self._in = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def obey(self, *, terminal: bool) -> None:
        """Take orders: SIGTERM and SIGINT end, the second one at once; SIGHUP has another file begun.

        With a terminal, SIGHUP says that it is gone, and ends; where it was ignored (nohup) it stays so.
        """
        for number in ENDING:
            signal.signal(number, self._end)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._end if terminal else self._another)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self.orders.end = True
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        self._wake()

    def _another(self, _number: int, _frame: FrameType | None) -> None:
        self.orders.another = True
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # then there are enough in it
            os.write(self._in, b".")

    def wait(self, length: int) -> None:
        """Return after so many ns, or at once when a signal came."""
        ready, _, _ = select.select([self._out], [], [], length / 1e9)
        if ready:
            os.read(self._out, 4096)

    def utc(self) -> int:
        """Return the time of the wall, in ns since 1970."""
        return time.time_ns()

    def steady(self) -> int:
        """Return the steady clock, in ns."""
        return time.monotonic_ns()

    def asleep(self) -> int:
        """Return the ns that the machine has slept since it was started."""
        steady = time.monotonic_ns()
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - steady

    def spent(self) -> int:
        """Return the ns that this process has used of the processors."""
        return time.process_time_ns()
