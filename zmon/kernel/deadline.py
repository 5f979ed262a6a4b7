"""System calls that may never return, each in a thread that can be abandoned.

A kernel file or an ioctl may block for ever: on a file system whose server does not answer, or on a stopped
disk.  A `Worker` is a thread that makes one call after the other; its caller waits until a deadline and
continues without the answer.
"""

from __future__ import annotations

import time

from zmon.base.light_typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    import queue
    import threading
    from collections.abc import Callable, Mapping

CALL_DEADLINE: Final = 3.0
"""Seconds that one call may take."""

COMPUTING: Final = 5.0
"""Times a deadline that a call may take that computes: on a slow or busy processor that is no hang."""
LOOK_EVERY: Final = 0.25
"""Seconds between two looks at whether it still does."""

T = TypeVar("T")
K = TypeVar("K")


class Worker:
    """A daemon thread that makes calls one after the other; it begins with the first."""

    def __init__(self, name: str | None = None) -> None:
        """Prepare a thread of this name."""
        import queue  # noqa: PLC0415 - what reads an archive waits for nothing

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
            import threading  # noqa: PLC0415 - likewise

            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def end(self) -> None:
        """End the thread as soon as the current call has returned."""
        self._calls.put(None)

    def outcome(self, seconds: float) -> tuple[Any, BaseException | None] | None:
        """Return what the call returned and what it raised; None if it has not returned within `seconds`."""
        from queue import Empty  # noqa: PLC0415 - likewise

        try:
            outcome = self._answers.get(timeout=max(0.0, seconds))
        except Empty:
            return None
        self.is_busy = False
        return outcome

    def outcome_of_work(
        self, seconds: float, begun: Callable[[], float] | None = None
    ) -> tuple[Any, BaseException | None] | None:
        """Return the outcome, as `outcome` does; wait `COMPUTING` times as long while the call computes.

        What waits for a disk or a server uses no processor.  Of a call that does many things `begun` tells
        when, by the steady clock, it began what it is at: each has that time for itself.
        """
        first = time.monotonic()
        outcome = self.outcome(seconds)
        used = self._processor_used()

        def due() -> float:
            return (first if begun is None else max(first, begun())) + COMPUTING * seconds

        while outcome is None and used is not None and time.monotonic() < due():
            outcome = self.outcome(LOOK_EVERY)
            before, used = used, self._processor_used()
            if used == before and not self._is_runnable():
                break
        return self.outcome(0.0) if outcome is None else outcome  # it may have returned since the last look

    def _processor_used(self) -> tuple[bytes, ...] | None:
        """Return what the kernel says of the time of the thread: on a processor, and waiting for one, in ns.

        It is written when the thread begins or ceases to run.  None if it cannot be read.
        Source: /proc/PID/task/TID/schedstat.
        """
        said = self._said_of_thread("schedstat")
        return None if said is None else tuple(said.split()[:2])

    def _is_runnable(self) -> bool:
        """Tell whether the thread runs or waits for a processor.  Source: /proc/PID/task/TID/stat."""
        return (self._said_of_thread("stat") or b"").rpartition(b")")[2].lstrip().startswith(b"R")

    def _said_of_thread(self, name: str) -> bytes | None:
        thread = self._thread
        try:
            with open(f"/proc/self/task/{thread.native_id if thread else 0}/{name}", "rb") as file:
                return file.read()
        except OSError:
            return None

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            outcome: tuple[Any, BaseException | None]
            try:
                outcome = call(), None
            except BaseException as error:  # noqa: BLE001 - the caller gets it
                outcome = None, error
            del call  # what it refers to is not kept while nothing is to be done
            self._answers.put(outcome)
            del outcome


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
    result: T = answer
    return result


def call_all_within(
    calls: Mapping[K, Callable[[], T]], seconds: float | None = None
) -> dict[K, T | BaseException]:
    """Make calls in parallel; return what each returned or raised, without those that exceed the deadline."""
    workers = {key: Worker() for key in calls}
    for key, call in calls.items():
        workers[key].start(call, last=True)
    due = time.monotonic() + (CALL_DEADLINE if seconds is None else seconds)
    outcomes = {key: worker.outcome(due - time.monotonic()) for key, worker in workers.items()}
    return {key: end[0] if end[1] is None else end[1] for key, end in outcomes.items() if end is not None}
