"""Rounds: looking at the state of every task of this Linux, again and again.

A round reads `stat` of every task; of tasks in state D also `schedstat`, which tells whether a task has run
since the last round, and so whether it is still the same wait, and `wchan`.  Each task is counted in one
state: running (or ready to), or by the place in the kernel where it waits uninterruptibly: paging, I/O, a
limit, a lock, or a place that is not known; stopped.  Tasks that sleep are not counted.  So does CP for
users, whose percentages are also of samples, not of time.

A task that waits for I/O which it submitted itself is woken by the kernel after half of
hung_task_timeout_secs, so that it is not taken for hung, and waits on (blk_wait_io, blk_io_schedule): that is
still the same wait.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.clock import MILLISECOND, SECOND
from zmon.kernel import proc_task
from zmon.kernel.blocked_task import UNKNOWN, told_wait
from zmon.kernel.held_files import Allowance, HeldFile
from zmon.kernel.process_bytes import ProcessBytes
from zmon.kernel.process_files import DiskNumbers
from zmon.kernel.tree import LiveTree
from zmon.kinds import WAIT_STATES
from zmon.values.wait_place import BLOCKED, RUNNING, STOPPED, class_of, parse_wchan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Value
    from zmon.kernel.proc_task import TaskStat
    from zmon.kernel.tree import Tree

MAX_TASKS: Final = 50_000
"""Tasks that are looked at in a round."""
MAX_PLACES: Final = 200
"""Tasks in state D whose place in the kernel is read in a round."""
MAX_CALLS: Final = 8
"""Tasks in state D whose system call is read in a round."""
MOST_HELD: Final = 4_096
"""Files of tasks that stay open: opening `stat` of one takes longer than reading it."""
FOLDER: Final = "proc"

NO_UNIT: Final = absent("this process is in no control group of version 2")

_SLEEPING: Final = frozenset("SIP")
_ENDED: Final = frozenset("ZXx")
_WAITING: Final = "D"
HUNG_AFTER: Final = "proc/sys/kernel/hung_task_timeout_secs"
WOKEN: Final = 2
"""How often a task runs at the most between two waits for the same: it may be interrupted in it."""
INEXACT: Final = 1_500_000_000
"""ns by which a task that the kernel wakes may be late, beside the time between two rounds."""
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_SIZE: Final = 4096


class ProcessTask:
    """One task, as it was seen last."""

    __slots__ = (
        "before", "content", "delay", "folder", "letter", "line", "looked", "place", "run", "scheduled",
        "since", "stat", "state", "times", "waits", "woken",
    )  # fmt: skip

    def __init__(self, folder: str, allowance: Allowance) -> None:
        """Know nothing yet; `folder` is its directory below /proc."""
        self.folder = folder
        self.line = HeldFile(f"{folder}/stat", allowance)
        self.times = HeldFile(f"{folder}/schedstat", allowance)
        self.content = b""
        """Its stat."""
        self.stat: TaskStat | None = None
        self.letter = ""
        """The state that the kernel gives, ..."""
        self.state = ""
        """... and the one in which it is counted; empty while it sleeps."""
        self.place = ""
        """Where it waits, if that may be read."""
        self.since = 0
        """When it was first seen in its present wait, in ns; 0 if it is not in state D."""
        self.before = (0, "")
        """When it was first seen in its present or last wait, and where that was, ..."""
        self.woken = 0
        """... when it was first seen in it after it had run last, ..."""
        self.looked = 0
        """... and when it was looked at last, in state D, ..."""
        self.waits = b""
        """... with its schedstat then."""
        self.scheduled = b""
        """Its schedstat, ..."""
        self.run = 0
        """... the ns that it ran, ..."""
        self.delay = 0
        """... and waited for a CPU."""


class Process:
    """One process with its tasks, and what was counted of it."""

    def __init__(self, first: ProcessTask) -> None:
        """Begin with its first task."""
        self.first = first
        self.others: dict[str, ProcessTask] = {}
        self.counts = dict.fromkeys(WAIT_STATES, 0)
        """How often a task of it was found in each state."""
        self.place = ""
        """Where a task of it waited last, ..."""
        self.on = UNKNOWN
        """... and on which device, where that is told for sure."""
        self.active = 0
        """When it was last seen doing something; 0: never."""
        self.run = 0
        """ns on a CPU of all its tasks, those that have ended among them, as far as they were seen, ..."""
        self.delay = 0
        """... and waiting for one."""
        self.used = (0, 0)
        """Both, as they were in the last sample."""
        self.bytes = ProcessBytes()
        self.read_at = 0
        """When what it used was read last, in ns: a first round takes longer than those that follow."""
        self.is_counted = False
        """Whether what it used was read before."""
        self.unit: Value = NO_UNIT
        self.unit_due = 0
        """When it is to be read again in which unit it is."""
        self.row: tuple[Value, ...] = ()

    @property
    def stat(self) -> TaskStat:
        """What its first task says, which for most counts is all of it."""
        assert self.first.stat is not None  # noqa: S101 - it was read before
        return self.first.stat

    @property
    def tasks(self) -> Iterator[ProcessTask]:
        """All tasks that are there."""
        return chain((self.first,), self.others.values())


class Rounds:
    """All processes, as they are after the last round."""

    def __init__(self, tree: Tree) -> None:
        """Look at nothing yet."""
        self._tree = tree
        self._folder = -1
        self._allowance = Allowance(MOST_HELD if isinstance(tree, LiveTree) else 0)
        if isinstance(tree, LiveTree):
            with suppress(OSError):
                self._folder = os.open(tree.root + FOLDER, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.processes: dict[str, Process] = {}
        self.ended: list[Process] = []
        """Processes of which was read what they used, and which have ended since somebody emptied this."""
        self.begun = 0
        """When the first round was, in ns."""
        self.count = 0
        self.tasks = 0
        """Tasks that were seen in the last round, ..."""
        self.left_out = 0
        """... and processes beyond `MAX_TASKS` that were not."""
        self.disks = DiskNumbers(tree)
        """The numbers of disks in this round."""
        self._calls = 0
        """System calls that may still be read in this round."""

    def __del__(self) -> None:
        if self._folder >= 0:
            os.close(self._folder)

    def content(self, path: str) -> bytes:
        """Read a file below /proc.

        Raises:
            OSError: the task has ended, or the file may not be read.
        """
        if self._folder < 0:
            return self._tree.read(f"{FOLDER}/{path}")
        file = os.open(path, _FLAGS, dir_fd=self._folder)
        try:
            return os.read(file, _SIZE)
        finally:
            os.close(file)

    def _held(self, file: HeldFile) -> bytes:
        """Read a file of a task, which may stay open; see `content`."""
        return file.read(self._folder) if self._folder >= 0 else self.content(file.path)

    def close(self) -> None:
        """Close what is held open of tasks; the next round opens it again."""
        for process in self.processes.values():
            for task in process.tasks:
                task.line.close()
                task.times.close()

    def names(self, path: str) -> list[str]:
        """Return the numbers of tasks in a directory below /proc, as it lists them.

        Raises:
            OSError: the process has ended.
        """
        if isinstance(self._tree, LiveTree):
            return proc_task.numbers_of(os.listdir(f"{self._tree.root}{FOLDER}/{path}"))
        return proc_task.numbers_of(self._tree.entries(f"{FOLDER}/{path}".rstrip("/")))

    def look(self) -> int:
        """Make a round; return when, in ns.

        Raises:
            OSError: /proc cannot be read.
        """
        numbers = self.names("")
        now = self._tree.when(FOLDER)
        reading = threading.get_native_id() if self._tree.live else 0
        before, self.processes = self.processes, {}
        self.begun = self.begun or now
        self.count += 1
        self.tasks = self.left_out = 0
        self.disks = DiskNumbers(self._tree)
        places, self._calls = MAX_PLACES, MAX_CALLS
        for number in numbers:
            if self.tasks >= MAX_TASKS:
                self.left_out += 1
                continue
            process = before.get(number)
            if process is not None and self._rests(process):
                self.processes[number] = process
                self.tasks += 1
                continue
            process = self._present(number, process)
            if process is None:
                continue
            self.processes[number] = process
            self.tasks += process.stat.threads
            for task in process.tasks:
                if task.letter == _WAITING:
                    places -= self._find_place(process, task, now, may_read=places > 0)
                # the task that looks would always be found running
                if task.state and task.stat is not None and task.stat.number != reading:
                    process.counts[task.state] += 1
                    process.place = task.place or process.place
                    process.active = now
        self.ended += [
            process
            for number, process in before.items()
            if process.is_counted and self.processes.get(number) is not process
        ]
        return now

    def _rests(self, process: Process) -> bool:
        """Return whether a process of one task slept and still says the same, as most do."""
        first = process.first
        if first.state or process.others or process.stat.threads != 1:
            return False
        try:
            return self._held(first.line) == first.content
        except OSError:
            return False

    def _present(self, number: str, process: Process | None) -> Process | None:
        """Return a process with its tasks as they are now; None if it has ended."""
        started = None if process is None else process.stat.started
        first = ProcessTask(number, self._allowance) if process is None else process.first
        if not self._update(first):
            return None
        if process is None or process.stat.started != started:
            process = Process(first)
        if process.stat.threads > 1:
            self._update_others(number, process)
        elif process.others:
            process.others = {}
        return process

    def _update_others(self, number: str, process: Process) -> None:
        before, process.others = process.others, {}
        with suppress(OSError):
            for name in self.names(f"{number}/task")[: MAX_TASKS - self.tasks]:
                task = before.get(name) or ProcessTask(f"{number}/task/{name}", self._allowance)
                if name != number and self._update(task):
                    process.others[name] = task

    def _update(self, task: ProcessTask) -> bool:
        """Read the line of a task; return whether it is there, and has not ended."""
        try:
            content = self._held(task.line)
            if content != task.content or task.stat is None:
                stat = proc_task.parse_stat(content)
                if task.stat is not None and task.stat.started != stat.started:
                    task.scheduled, task.waits, task.run, task.delay = b"", b"", 0, 0
                task.content, task.stat, task.letter = content, stat, stat.state
                if task.letter != _WAITING:
                    task.since, task.place = 0, ""
                    task.state = _state_of(task.letter)
        except (OSError, ValueError):
            return False
        return task.letter not in _ENDED

    def _find_place(self, process: Process, task: ProcessTask, now: int, *, may_read: bool) -> bool:
        """Find out where a task waits, unless it is still the same wait; return whether that was read."""
        self.count_time(process, task)
        looked, task.looked = task.looked, now
        if task.scheduled == task.waits and task.since:
            return False
        ran = proc_task.slices_of(task.scheduled) - proc_task.slices_of(task.waits)
        was_woken = bool(task.waits) and 0 < ran <= WOKEN and self._was_woken(task, now, looked)
        task.waits, task.woken, task.place = task.scheduled, now, ""
        if may_read:
            with suppress(OSError):
                task.place = parse_wchan(self.content(f"{task.folder}/wchan"))
        since, place = task.before
        task.since = since if was_woken and task.place == place else now
        task.before = task.since, task.place
        task.state = class_of(task.place)[0] if task.place else BLOCKED
        if task.since == now and task.place and self._calls and task.stat is not None:
            self._calls -= 1
            process.on = told_wait(
                self._tree, f"{FOLDER}/{task.folder}", task.stat.name, self.disks,
                is_kernel=task.stat.is_kernel,
            )  # fmt: skip
        return may_read

    def _was_woken(self, task: ProcessTask, now: int, looked: int) -> bool:
        """Return whether the kernel may have woken a task only so that it is not taken for hung."""
        slept = now - task.woken
        if slept < INEXACT:  # as of most, which do I/O
            return False
        try:
            after = int(self._tree.read(HUNG_AFTER)) * SECOND // 2
        except (OSError, ValueError):
            return False
        return after > 0 and abs(slept - after) <= now - looked + INEXACT

    def read_again(self, process: Process) -> None:
        """Read what the first task of a process says at the time at which its other counts are read."""
        self._update(process.first)
        process.read_at = self._tree.when(FOLDER) // MILLISECOND * MILLISECOND

    def count_time(self, process: Process, task: ProcessTask) -> None:
        """Add the times that a task ran and waited for a CPU to those of its process."""
        try:
            content = self._held(task.times)
            if content == task.scheduled:
                return
            run, delay = proc_task.parse_schedstat(content)
        except (OSError, ValueError):
            return
        process.run += max(run - task.run, 0)
        process.delay += max(delay - task.delay, 0)
        task.scheduled, task.run, task.delay = content, run, delay


def _state_of(letter: str) -> str:
    """Return the state in which a task that does not wait is counted; empty if it sleeps or has ended."""
    if letter == "R":
        return RUNNING
    return "" if letter in _SLEEPING or letter in _ENDED else STOPPED
