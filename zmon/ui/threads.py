"""The threads beside the glass, so that no key waits for the kernel, for a recording or for a table.

One takes samples at absolute deadlines, another moves the cursor and fills tables, a third does what may
wait, so neither a long look back nor a kernel file that hangs nor a verdict holds up the others.  Each hands
out its results from its own thread.

Who owns what: the session belongs to the thread of the glass alone.  A cursor belongs to the reading thread,
which runs its moves in the order in which they were asked for; the glass looks at what a move has found.  The
timeline has no position, so all threads may read it; only the sampling thread takes samples.

A read that never returns holds up its thread and nothing else: all are daemons, which the end of the program
does not wait for.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from zmon.machine.view import NoSuchThing
from zmon.session.exception_log import PIECE
from zmon.session.page import BehindTask, ConcludeTask, FillTask, PreviewTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.diagnosis.conclusion import Conclusion
    from zmon.interval import Interval
    from zmon.sample import Sample
    from zmon.session.cursor import Cursor
    from zmon.session.exception_log import ExceptionLog
    from zmon.session.navigator import Arrival, CursorMove
    from zmon.session.timeline import Overview, Timeline
    from zmon.tables.table import Table

    Reading = FillTask | CursorMove | PreviewTask
    """What one thread does, one after the other."""
    Aside = ConcludeTask | BehindTask
    """What may wait."""

FIRST_INTERVAL: Final = 1.0
"""Seconds until the second sample at most: without it there are no rates."""

OVERVIEW_SECONDS: Final = 1.0
"""Seconds after which the overview of a timeline that has grown is read again."""

RESTS: Final = 39.0
"""How many times as long as what may wait took it rests, while samples come."""
LONGEST_REST: Final = 30.0
"""Seconds after which it is done again in any case; less than `zmon.session.page.RECENT`."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a thread has done: a sample, a move or a table; with `error`, why it could not."""

    task: Reading | Aside | None = None
    """The table, the move, the conclusion or the preview that was asked for; None for a sample."""
    sample: Sample | None = None
    arrival: Arrival | None = None
    """Where a move has led; None at the end of the timeline."""
    overview: Overview | None = None
    """The timeline at a glance, if that has changed."""
    table: Table | None = None
    conclusion: Conclusion | None = None
    preview: Interval | None = None
    error: str = ""


class _Order(Enum):
    SAMPLE = "take a sample now"
    LOOK = "look at the settings again"
    END = "end"


class SamplingThread(threading.Thread):
    """Takes a sample each `seconds`, until it is stopped."""

    def __init__(self, timeline: Timeline, seconds: float, report: Callable[[Result], object]) -> None:
        """Sample a live timeline; `report` is called from this thread with each result."""
        super().__init__(name="sampling", daemon=True)
        self._timeline = timeline
        self._seconds = seconds
        self._report = report
        self._orders: queue.SimpleQueue[_Order] = queue.SimpleQueue()
        self.held = False

    def now(self) -> None:
        """Have a sample taken now."""
        self._orders.put(_Order.SAMPLE)

    def hold(self, *, held: bool) -> None:
        """Take no more samples until further notice, or go on."""
        self.held = held
        self._orders.put(_Order.LOOK if held else _Order.SAMPLE)

    def stop(self) -> None:
        """Ask the thread to end, without waiting for it."""
        self._orders.put(_Order.END)

    def run(self) -> None:
        """Take samples; this is the thread itself."""
        begin = time.monotonic()
        self._sample()
        due = begin + min(FIRST_INTERVAL, self._seconds)
        while True:
            try:
                order = self._orders.get(timeout=None if self.held else max(0.0, due - time.monotonic()))
            except queue.Empty:
                self._sample()
                past = time.monotonic() - begin
                due = begin + (past // self._seconds + 1) * self._seconds
                continue
            if order is _Order.END:
                return
            if order is _Order.SAMPLE:
                self._sample()

    def _sample(self) -> None:
        try:
            self._report(Result(sample=take_sample(self._timeline)))
            problem = self._timeline.problem
            if problem:
                self._report(Result(error=f"Not recorded: {problem}; it is tried with each sample"))
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            self._report(Result(error=f"No sample: {error_line(error)}; the next one is tried in time"))


def take_sample(timeline: Timeline) -> Sample:
    """Take a sample of a live timeline, and judge it."""
    sample = timeline.take()
    if timeline.log is not None:
        timeline.log.follow(sample)
    return sample


class ReadingThread(threading.Thread):
    """Moves the cursor and fills tables, one after the other, and judges samples while nothing else waits."""

    def __init__(self, report: Callable[[Result], object], log: ExceptionLog | None = None) -> None:
        """Call `report` from this thread with each result; judge the samples of a `log` in between."""
        super().__init__(name="reading", daemon=True)
        self._report = report
        self._log = log
        self._tasks: queue.SimpleQueue[Reading | None] = queue.SimpleQueue()
        self._newest: FillTask | None = None
        """The table that was asked for last; older requests are dropped."""
        self._seen: tuple[Cursor, tuple[int, int] | None, float] | None = None
        """Whose timeline's overview was read last, its span, and when."""
        self._judged = 0.0
        """When it was last reported which exceptions are known."""

    def fill(self, task: FillTask) -> None:
        """Have a table filled."""
        self._newest = task
        self._tasks.put(task)

    def move(self, move: CursorMove) -> None:
        """Have the cursor moved."""
        self._tasks.put(move)

    def preview(self, timeline: Timeline) -> None:
        """Have a preview made."""
        self._tasks.put(PreviewTask(timeline))

    def stop(self) -> None:
        """Ask the thread to end, without waiting for it."""
        self._tasks.put(None)

    def run(self) -> None:
        """Work through the queue; this is the thread itself."""
        judging = False  # until something is on the glass
        while True:
            try:
                task = self._tasks.get(block=not judging)
            except queue.Empty:
                judging = self._judge()
                continue
            if task is None:
                return
            if not self._is_wanted(task):
                continue
            self._report(self._done(task))
            judging = self._log is not None

    def _is_wanted(self, task: Reading) -> bool:
        """Return whether nothing newer was asked for in its place."""
        return not isinstance(task, FillTask) or task is self._newest

    def _judge(self) -> bool:
        """Judge samples for a moment; return whether there are more."""
        log = self._log
        assert log is not None  # noqa: S101 - without it nothing is judged
        try:
            before = log.until
            done = log.advance(seconds=PIECE)
        except Exception as error:  # noqa: BLE001 - the screens must stay
            self._log = None
            self._report(Result(error=f"Exceptions are not known: {error_line(error)}"))
            return False
        now = time.monotonic()
        if log.until != before and (done or now >= self._judged + OVERVIEW_SECONDS):
            self._judged = now
            self._report(Result(overview=log.overview()))
        return not done

    def _done(self, task: Reading) -> Result:
        """Fill a table, move the cursor or make a preview."""
        try:
            if isinstance(task, PreviewTask):
                return Result(task, preview=task.run())
            if isinstance(task, FillTask):
                return Result(task, table=task.table())
            return Result(task, arrival=task.run(), overview=self._overview(task.cursor))
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            what = (
                f"{task.page.screen.command} cannot be filled" if isinstance(task, FillTask) else "No sample"
            )
            return Result(task, error=f"{what}: {error_line(error)}")

    def _overview(self, cursor: Cursor) -> Overview | None:
        """Return the overview of a timeline if the glass has none, or it has grown since a while ago."""
        span, now = cursor.timeline.span(), time.monotonic()
        if self._seen is not None:
            seen, before, when = self._seen
            if seen is cursor and (span == before or now < when + OVERVIEW_SECONDS):
                return None
        self._seen = cursor, span, now
        return cursor.timeline.overview()


class SideThread(threading.Thread):
    """Does what may wait: draws the conclusions of screens, and fills what lies behind a row.

    Of each the last one that was asked for is done, and no older ones.  Live, each sample asks for others; as
    they may cost more than the screen itself, the thread then rests for `RESTS` times as long as they took,
    so that it uses at most a fortieth of a processor.
    """

    def __init__(self, report: Callable[[Result], object]) -> None:
        """Call `report` from this thread with each result."""
        super().__init__(name="aside", daemon=True)
        self._report = report
        self._tasks: queue.SimpleQueue[tuple[Aside, bool] | None] = queue.SimpleQueue()

    def do(self, task: Aside, *, at_once: bool = True) -> None:
        """Have a task done, `at_once` or after a rest."""
        self._tasks.put((task, at_once))

    def stop(self) -> None:
        """Ask the thread to end, without waiting for it."""
        self._tasks.put(None)

    def run(self) -> None:
        """Work through the queue; this is the thread itself."""
        waiting: dict[type[Aside], Aside] = {}
        urgent: dict[type[Aside], Aside] = {}
        rested = 0.0
        while True:
            rest = max(0.0, rested - time.monotonic()) if waiting else None
            try:
                order = self._tasks.get(timeout=0.0 if urgent else rest)
            except queue.Empty:
                begin = time.thread_time()
                for task in (urgent or waiting).values():
                    self._report(_done_aside(task))
                if not urgent:
                    waiting.clear()
                urgent.clear()
                rested = time.monotonic() + min(LONGEST_REST, RESTS * (time.thread_time() - begin))
                continue
            if order is None:
                return
            task, at_once = order
            (urgent if at_once else waiting)[type(task)] = task
            (waiting if at_once else urgent).pop(type(task), None)


def _done_aside(task: Aside) -> Result:
    """Draw a conclusion, or fill what lies behind a row; ENTER says why that cannot be shown."""
    try:
        if isinstance(task, BehindTask):
            return Result(task, table=task.fill.table())
        return Result(task, conclusion=task.run())
    except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
        what = "No verdict" if isinstance(task, ConcludeTask) else f"{task.command} cannot be shown"
        return Result(task, error=f"{what}: {error_line(error)}")


def error_line(error: Exception) -> str:
    """Return what went wrong in one line: the words of errors meant for people, else also their kind."""
    fields = " ".join(str(error).split())
    if isinstance(error, (OSError, ValueError, NoSuchThing)) and fields:
        return fields
    return f"{type(error).__name__}: {fields}" if fields else type(error).__name__
