"""The sources of a sample: what is read, how often at the most, and what it costs.

Each source is read in a thread of its own, one after the other, because a kernel file or an ioctl may
never return.  A source that does not answer in time is left behind: its rows are absent, with the reason,
and the others go on; later samples do not wait for it again.  When it answers at last, its answer counts
for the next sample.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import absent
from zmon.sample import nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.absent import Number
    from zmon.sample import Frame, Kind

NOT_ACCOUNTED: Final = absent("this kernel does not account for what threads read")

PATIENCE: Final = 2.0
"""Seconds that a source may take before the sample goes on without it."""


class Source(NamedTuple):
    """One thing to read: which frames it gives, how, and how seldom."""

    name: str
    what: str
    """What is read, for the screen about zmon itself."""
    kinds: tuple[Kind, ...]
    read: Callable[[], Sequence[Frame]]
    every: float = 0.0
    """Seconds between two reads at the least."""
    off: str = ""
    """Why it is not read, and how to have it read; empty when it is read."""


class Cost:
    """What a source has cost so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.calls = 0
        self.errors = 0
        self.spent = 0
        """Elapsed ns."""
        self.cpu = 0
        """Processor ns of the reading thread."""
        self.bytes: Number = 0
        """What the reading thread read; absent where the kernel does not account for it."""
        self.rows = 0
        self.state = "ok"
        self.reason = ""


def bytes_read() -> Number:
    """Return how many bytes this thread has read since it began, as the kernel accounts for it.

    Source: /proc/thread-self/io, `rchar`; needs a kernel with CONFIG_TASK_IO_ACCOUNTING.
    """
    try:
        with open("/proc/thread-self/io", "rb", buffering=0) as stream:
            return int(stream.read().split(None, 2)[1])
    except (OSError, ValueError, IndexError):
        return NOT_ACCOUNTED


class Lane:
    """The thread of one source, and its last answer."""

    def __init__(self, source: Source) -> None:
        """Read nothing yet."""
        self.source = source
        self.cost = Cost()
        self._asked: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Sequence[Frame]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._waiting = False
        self._late = False
        """It has been waited for in vain already."""
        self._due = 0.0
        self._last: dict[str, Frame] = {}

    def frames(self, patience: float = PATIENCE) -> dict[str, Frame]:
        """Return the source's frames by kind: read now if it is due, else the last ones.

        What does not answer within `patience` seconds is absent.
        """
        if self.source.off:
            self.cost.state, self.cost.reason = "off", self.source.off
            return self._absent(self.source.off)
        now = time.monotonic()
        if not self._waiting and now >= self._due:
            self._ask()
            self._due = now + self.source.every
        if self._waiting:
            try:
                answer = self._answers.get(timeout=0 if self._late else patience)
            except queue.Empty:
                self._late = True
                self.cost.state = "hangs"
                self.cost.reason = f"{self.source.what} does not answer"
                return self._absent(self.cost.reason)
            self._waiting = self._late = False
            self._keep(answer)
        return self._last

    def again(self) -> None:
        """Make the source due at once, whatever its interval."""
        self._due = 0.0

    def _ask(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self.source.name, daemon=True)
            self._thread.start()
        self._waiting = True
        self._asked.put(None)

    def _run(self) -> None:
        while True:
            self._asked.get()
            self._answers.put(self.read())

    def read(self) -> Sequence[Frame]:
        """Read the source here and now, and count what it cost."""
        begun, cpu, before = time.monotonic_ns(), time.thread_time_ns(), bytes_read()
        failed = ""
        try:
            frames = self.source.read()
        except OSError as error:
            failed = f"{error.strerror or error}: {error.filename or self.source.what}"
        except Exception as error:  # noqa: BLE001 - one source must never stop the others
            failed = str(error) if isinstance(error, ValueError) else ""
            if not failed:  # no message for people: a mistake of zmon
                failed = f"zmon cannot read {self.source.what}: {type(error).__name__} {error}".rstrip()
        if failed:
            frames = [nothing(kind, failed) for kind in self.source.kinds]
        cost = self.cost
        cost.calls += 1
        cost.errors += bool(failed)
        cost.spent += time.monotonic_ns() - begun
        cost.cpu += time.thread_time_ns() - cpu
        cost.bytes += bytes_read() - before
        cost.rows = sum(len(frame.keys) for frame in frames)
        missing = next((f.missing.reason for f in frames if f.missing is not None), "")
        cost.state = "error" if failed else "ok" if cost.rows else "absent"
        cost.reason = failed or missing
        return frames

    def _keep(self, frames: Sequence[Frame]) -> None:
        """Make these the last frames; each remembers the last good one before it, but no further."""
        kept = {}
        for frame in frames:
            before = self._last.get(frame.kind.name)
            if before is not None and before.missing is not None:
                before = before.prior
            if before is not None and self.source.every:
                frame = frame.but(prior=before.but(prior=None))  # noqa: PLW2901 - the same reading
            kept[frame.kind.name] = frame
        self._last = kept

    def _absent(self, reason: str) -> dict[str, Frame]:
        return {kind.name: nothing(kind, reason) for kind in self.source.kinds}
