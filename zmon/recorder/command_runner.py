"""Runs commands of a site beside recording: one at a time, each with a deadline, in a thread of its own.

A command has a session and a process group of its own; what is left of the group at the deadline is killed.
What a command leaves behind in the group, such as the delivery of a mail, has until then, too.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from queue import Empty, Full, Queue, SimpleQueue
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.plain_text import harmless
from zmon.rule.site_command import MAX_SECONDS, SiteCommand, environment_of

if TYPE_CHECKING:
    from collections.abc import Mapping

if sys.version_info < (3, 11, 4):
    # They hold their lock from vfork(2) until the program is loaded (gh-104372).  Where the disk of programs
    # hangs, and then exceptions begin, no sample would be taken.
    subprocess._USE_VFORK = False  # type: ignore[misc]  # noqa: SLF001 - its documents name it

MAX_WAITING: Final = 64
"""Runs that wait; what comes while there are as many is left out."""
MAX_OUTPUT: Final = 4096
"""Bytes of what a command writes that are kept; the rest is read and forgotten."""
MAX_LINE: Final = 200
"""Characters of it that are told."""
MOMENT: Final = 0.05
"""Seconds between two looks at what a command left behind, of which nothing else tells."""
LAST: Final = 1.0
"""Seconds until what is killed is gone, unless the kernel holds it."""
SERVICE: Final = frozenset({"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"})
"""Variables with which only the recorder speaks to systemd."""


class CommandRun(NamedTuple):
    """A command, and the values of its fields."""

    command: SiteCommand
    fields: Mapping[str, str]


class CommandOutcome(NamedTuple):
    """How a command ended."""

    run: CommandRun
    failure: str
    """What went wrong, as the end of a sentence; empty if it ended with status 0."""
    output: str = ""
    """The beginning of what it wrote."""

    @property
    def reason(self) -> str:
        """What went wrong, with the first line that it wrote."""
        lines = self.output.strip().splitlines()
        return f"{self.failure}: {harmless(lines[0][:MAX_LINE])}" if lines else self.failure


def run_to_end(run: CommandRun) -> CommandOutcome:
    """Run a command, and return when it has ended or was killed."""
    environment = {name: value for name, value in os.environ.items() if name not in SERVICE}
    try:
        process = subprocess.Popen(  # noqa: S603 - the site's own words, and no shell
            run.command.filled(run.fields),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/",
            env=environment | environment_of(run.fields), start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:  # a NUL is a ValueError: no argument can hold one
        why = error.strerror if isinstance(error, OSError) else str(error)
        return CommandOutcome(run, f"cannot be started: {why}")
    end = time.monotonic() + run.command.seconds
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    with process.stdout as pipe:
        output = _output(pipe.fileno(), end)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_left(end))
    while _is_there(process.pid) and _left(end):
        time.sleep(MOMENT)
    status = process.returncode
    if _is_there(process.pid):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(LAST)
    return CommandOutcome(run, _failure(status, run.command.seconds), output)


def _left(end: float) -> float:
    return max(end - time.monotonic(), 0.0)


def _output(pipe: int, end: float) -> str:
    """Read what a command writes, until nobody can write more or its time is over; return the beginning."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    output = b""
    while (left := _left(end)) and poll.poll(1000 * left):
        part = os.read(pipe, 1 << 16)
        if not part:
            break
        output += part[: MAX_OUTPUT - len(output)]
    return output.decode(errors="replace")


def _is_there(group: int) -> bool:
    """Return whether a process group has processes."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user by now
        return True
    return True


def _failure(status: int | None, seconds: int) -> str:
    """Return what is wrong with the status of a command; None if it had none at its deadline."""
    if status is None:
        return f"was killed after {seconds} s"
    if status < 0:
        return f"was ended by signal {-status}"
    return f"ended with status {status}" if status else ""


class CommandRunner:
    """Runs commands in the order in which they come."""

    def __init__(self, waiting: int = MAX_WAITING) -> None:
        """Begin to wait for the first one."""
        self._runs: Queue[CommandRun | None] = Queue(waiting)
        self.outcomes: SimpleQueue[CommandOutcome] = SimpleQueue()
        """Those that nobody has taken yet."""
        self._thread = threading.Thread(target=self._work, name="commands", daemon=True)
        self._thread.start()

    def add(self, run: CommandRun) -> bool:
        """Have a command run; return whether there was room."""
        try:
            self._runs.put_nowait(run)
        except Full:
            return False
        return True

    def stop(self) -> int:
        """Wait for the command that runs, up to its deadline; return how many others are left out."""
        left_out = 0
        with suppress(Empty):
            while True:
                self._runs.get_nowait()
                left_out += 1
        self._runs.put(None)
        self._thread.join(MAX_SECONDS + 2 * LAST)
        return left_out

    def _work(self) -> None:
        while (run := self._runs.get()) is not None:
            try:
                outcome = run_to_end(run)
            except Exception as error:  # noqa: BLE001 - the next one may work
                outcome = CommandOutcome(run, f"failed: {type(error).__name__}: {error}")
            self.outcomes.put(outcome)
