"""System calls that may never return, each in a thread that can be abandoned.

A kernel file or an ioctl may block for ever: on a file system whose server does not answer, or on a stopped
disk.  A `Worker` is a thread that makes one call after the other; its caller waits until a deadline and
continues without the answer.  Each source of the running machine has a worker, so a source that hangs does
not delay the others.
"""

from __future__ import annotations

import os
import queue
import threading
import time

from zmon.absent import absent
from zmon.light_typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar
from zmon.sample import empty_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.absent import Number
    from zmon.registry import Source
    from zmon.sample import Frame

NOT_ACCOUNTED: Final = absent("this kernel does not account for what threads read")

SOURCE_DEADLINE: Final = 2.0
"""Seconds that a source may take before the sample goes on without it."""
CALL_DEADLINE: Final = 3.0
"""Seconds that one call may take."""

T = TypeVar("T")
K = TypeVar("K")


class Worker:
    """A daemon thread that makes calls one after the other; it begins with the first."""

    def __init__(self, name: str | None = None) -> None:
        """Prepare a thread of this name."""
        self.is_busy = False
        """Whether the outcome of a call was not taken yet."""
        self._name = name
        self._thread: threading.Thread | None = None
        self._calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        """None ends the thread."""
        self._answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    @property
    def is_waiting(self) -> bool:
        """Whether the current call has not returned yet."""
        return self.is_busy and self._answers.empty()

    def start(self, call: Callable[[], object], *, last: bool = False) -> None:
        """Start a call; the thread ends after the `last` one."""
        self.is_busy = True
        self._calls.put(call)
        if last:
            self.end()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def end(self) -> None:
        """End the thread as soon as the current call has returned."""
        self._calls.put(None)

    def outcome(self, seconds: float) -> tuple[Any, BaseException | None] | None:
        """Return what the call returned and what it raised; None if it has not returned within `seconds`."""
        try:
            outcome = self._answers.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        self.is_busy = False
        return outcome

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            outcome: tuple[Any, BaseException | None]
            try:
                outcome = call(), None
            except BaseException as error:  # noqa: BLE001 - the caller gets it
                outcome = None, error
            self._answers.put(outcome)


_LATE: Final[dict[str, Worker]] = {}
"""Workers whose calls exceeded the deadline, by the names of the calls."""


def call_within(call: Callable[[], T], seconds: float | None = None, *, name: str = "") -> T:
    """Return what a call returns, or raise what it raises.

    A call with a `name` is not repeated while the previous one still waits.

    Raises:
        TimeoutError: it has not returned in time; its thread is abandoned.
    """
    worker = _LATE.pop(name, None)
    outcome = None
    if worker is None or not worker.is_waiting:
        worker = Worker()
        worker.start(call, last=True)
        outcome = worker.outcome(CALL_DEADLINE if seconds is None else seconds)
    if outcome is None:
        if name:
            _LATE[name] = worker
        raise TimeoutError("it does not answer")
    answer, error = outcome
    if error is not None:
        raise error
    found: T = answer
    return found


def call_all_within(
    calls: Mapping[K, Callable[[], T]], seconds: float | None = None
) -> dict[K, T | BaseException]:
    """Make calls in parallel; return what each returned or raised, without those that exceed the deadline."""
    workers = {key: Worker() for key in calls}
    for key, call in calls.items():
        workers[key].start(call, last=True)
    due = time.monotonic() + (CALL_DEADLINE if seconds is None else seconds)
    outcomes = {key: worker.outcome(due - time.monotonic()) for key, worker in workers.items()}
    return {key: one[0] if one[1] is None else one[1] for key, one in outcomes.items() if one is not None}


# --- the sources of a sample ------------------------------------------------------------------


class Cost:
    """The costs of a source so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.calls = 0
        self.errors = 0
        self.spent = 0
        """Elapsed ns."""
        self.cpu = 0
        """Processor ns of the reading thread."""
        self.bytes: Number = 0
        """Bytes that the reading thread read; absent where the kernel does not account for them."""
        self.rows = 0
        self.state = "ok"
        self.reason = ""


ACCOUNT: Final = "/proc/thread-self/io"
"""What the present thread has read; needs a kernel with CONFIG_TASK_IO_ACCOUNTING."""


class ThreadAccount:
    """That file, open as long as its thread lives: opening it costs more than reading it."""

    def __init__(self) -> None:
        """Open it; an OSError if this kernel does not have it."""
        self._descriptor = -1
        self._descriptor = os.open(ACCOUNT, os.O_RDONLY | os.O_CLOEXEC)

    def bytes_read(self) -> int:
        """Return `rchar`; raises OSError, ValueError or IndexError where it is something else."""
        return int(os.pread(self._descriptor, 256, 0).split(None, 2)[1])

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


_OWN: Final = threading.local()


def bytes_read() -> Number:
    """Return the number of bytes that this thread has read so far."""
    try:
        if not hasattr(_OWN, "account"):
            _OWN.account = ThreadAccount()
        return int(_OWN.account.bytes_read())
    except (OSError, ValueError, IndexError):
        return NOT_ACCOUNTED


class SourceReader(Protocol):
    """The reader of a source."""

    def read(self) -> Sequence[Frame]:
        """Return its frames."""

    def changed(self) -> None:
        """Note that devices came or went."""


class SourceReading:
    """A source, its reader and its costs."""

    def __init__(self, source: Source, reader: SourceReader, off: str = "", live: bool = True) -> None:
        """Read nothing yet; `off` is the reason why the source is switched off."""
        self.source = source
        self.reader = reader
        self.off = off
        self.what = source.what if live else source.captured or source.what
        self.cost = Cost()

    def read(self) -> Sequence[Frame]:
        """Read the source in this thread, and add to its costs."""
        begun, cpu, before = time.monotonic_ns(), time.thread_time_ns(), bytes_read()
        failed = ""
        try:
            frames = self.reader.read()
        except OSError as error:
            failed = f"{error.strerror or error}: {error.filename or self.what}"
        except Exception as error:  # noqa: BLE001 - one source must never stop the others
            failed = str(error) if isinstance(error, ValueError) else ""
            if not failed:  # a mistake of zmon
                failed = f"zmon cannot read {self.what}: {type(error).__name__} {error}".rstrip()
        if failed:
            frames = [empty_frame(kind, failed) for kind in self.source.kinds]
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


class SourceWorker(SourceReading):
    """A source of the running machine that is read by its own worker, and its last frames.

    If it exceeds the deadline, its rows are absent with the reason, and later samples do not wait for it.  A
    late answer counts for the next sample.
    """

    def __init__(self, source: Source, reader: SourceReader, off: str = "", live: bool = True) -> None:
        """Read nothing yet."""
        super().__init__(source, reader, off, live)
        self.worker = Worker(source.name)
        self._is_late = False
        """Whether the current reading has exceeded the deadline."""
        self._due = 0.0
        self._last: dict[str, Frame] = {}

    def frames(self, seconds: float = SOURCE_DEADLINE) -> dict[str, Frame]:
        """Return the frames by kind, read now if they are due; absent if that exceeds `seconds`."""
        if self.off:
            self.cost.state, self.cost.reason = "off", self.off
            return self._absent(self.off)
        now = time.monotonic()
        if not self.worker.is_busy and now >= self._due:
            self.worker.start(self.read)
            self._due = now + self.source.every
        if self.worker.is_busy:
            outcome = self.worker.outcome(0 if self._is_late else seconds)
            if outcome is None:
                self._is_late = True
                self.cost.state = "hangs"
                self.cost.reason = f"{self.what} does not answer"
                return self._absent(self.cost.reason)
            self._is_late = False
            frames, error = outcome
            if error is not None:
                raise error
            self._remember(frames)
        return self._last

    def read_again(self) -> None:
        """Make the source due at once, whatever its interval."""
        self._due = 0.0

    def _remember(self, frames: Sequence[Frame]) -> None:
        """Keep these frames; each refers to the last good one before it, and no further."""
        last = {}
        for frame in frames:
            before = self._last.get(frame.kind.name)
            if before is not None and before.missing is not None:
                before = before.prior
            if before is not None and self.source.every:
                frame = frame.but(prior=before.but(prior=None))  # noqa: PLW2901 - the same reading
            last[frame.kind.name] = frame
        self._last = last

    def _absent(self, reason: str) -> dict[str, Frame]:
        return {kind.name: empty_frame(kind, reason) for kind in self.source.kinds}
