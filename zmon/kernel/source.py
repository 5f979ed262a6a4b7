"""The sources of a sample: what is read, how often at the most, and what it costs."""

from __future__ import annotations

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


class Reading:
    """A source that is read, and what that has cost so far."""

    def __init__(self, source: Source) -> None:
        """Read nothing yet."""
        self.source = source
        self.cost = Cost()

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
