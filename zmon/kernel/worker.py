"""The sources of a sample: what is read, how often at the most, and what it costs.

Each source of the running machine is read in a thread of its own, one source after the other.

That is because a kernel file or an ioctl may never return.  A source that does not answer in time is left
behind: its rows are absent, with the reason, and the others go on; later samples do not wait for it again.
When it answers at last, its answer counts for the next sample.

Calls of the kernel that may never return: each is made in a thread that is left behind when it is late.

A file system whose server is gone keeps whoever looks at a path on it, and so does a disk that is stopped.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from zmon.absent import absent
from zmon.sample import empty_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.absent import Number
    from zmon.sample import Frame, Kind


NOT_ACCOUNTED: Final = absent("this kernel does not account for what threads read")

SOURCE_DEADLINE: Final = 2.0
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


class SourceReading:
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
    """The thread of one source, and its last answer."""

    def __init__(self, source: Source) -> None:
        """Read nothing yet."""
        super().__init__(source)
        self._asked: queue.SimpleQueue[bool] = queue.SimpleQueue()
        """True asks for an answer, False ends the thread."""
        self._answers: queue.SimpleQueue[Sequence[Frame]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._waiting = False
        self._late = False
        """It has been waited for in vain already."""
        self._due = 0.0
        self._last: dict[str, Frame] = {}

    def frames(self, patience: float = SOURCE_DEADLINE) -> dict[str, Frame]:
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

    def end(self) -> None:
        """End the thread as soon as it is not reading."""
        self._asked.put(False)

    def _ask(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self.source.name, daemon=True)
            self._thread.start()
        self._waiting = True
        self._asked.put(True)

    def _run(self) -> None:
        while self._asked.get():
            self._answers.put(self.read())

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
        return {kind.name: empty_frame(kind, reason) for kind in self.source.kinds}


CALL_DEADLINE: Final = 3.0
"""Seconds that one call may take."""

_LEFT: Final[dict[str, threading.Thread]] = {}
"""Those that wait for calls that have a name."""

T = TypeVar("T")
K = TypeVar("K")


def call_within(call: Callable[[], T], seconds: float | None = None, *, name: str = "") -> T:
    """Return what a call returns, or raise what it raises.

    A call of a `name` is not made again while the one before still waits.

    Raises:
        TimeoutError: it has not returned in time; its thread is left behind.
    """
    waiting = _LEFT.pop(name, None)
    answers: dict[int, T | Exception] = {}
    if waiting is None or not waiting.is_alive():
        waiting = threading.Thread(target=_answer, args=(answers, 0, call), daemon=True)
        waiting.start()
        _join_all([waiting], CALL_DEADLINE if seconds is None else seconds)
    if 0 not in answers:
        if name:
            _LEFT[name] = waiting
        raise TimeoutError("it does not answer")
    answer = answers[0]
    if isinstance(answer, Exception):
        raise answer
    return answer


def call_all_within(
    calls: Mapping[K, Callable[[], T]], seconds: float | None = None
) -> dict[K, T | Exception]:
    """Make calls side by side; return what each returned or raised, but for those that did not in time."""
    answers: dict[K, T | Exception] = {}
    threads = [
        threading.Thread(target=_answer, args=(answers, key, call), daemon=True)
        for key, call in calls.items()
    ]
    for thread in threads:
        thread.start()
    _join_all(threads, CALL_DEADLINE if seconds is None else seconds)
    return dict(answers)


def _join_all(threads: Iterable[threading.Thread], seconds: float) -> None:
    due = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, due - time.monotonic()))


def _answer(answers: dict[K, T | Exception], key: K, call: Callable[[], T]) -> None:
    try:
        answers[key] = call()
    except Exception as error:  # noqa: BLE001 - whoever asked is told
        answers[key] = error
