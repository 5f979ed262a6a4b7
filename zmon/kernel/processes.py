"""The processes of this Linux: what each used, and by sampling what its tasks waited for.

Exact, because the kernel counts them, are the time on a CPU and waiting for one (schedstat), page faults and
bytes; how often a task was in which state is found out by `Rounds`.  There is a round with each sample, and
between samples of a live machine as many as cost `SHARE` of a CPU, at most five a second.

A sample reads `schedstat` of every task, and `io` of the processes of which a task has run since.  `io` of a
process that waits uninterruptibly is read with a deadline, because that may wait for the same: most do I/O
all the time and only happen to wait.  The command line, which may wait too, never is.

Where there are more processes than `MAX_ROWS`, those that did something last have rows.  Tasks of other users
may be hidden (mount option hidepid of /proc): then fewer are seen than /proc/loadavg counts.
"""

from __future__ import annotations

import re
import threading
import time
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import MINUTE, SECOND
from zmon.kernel import blocked_task, proc_task
from zmon.kernel.activity import ChangingRows
from zmon.kernel.ended_children import NOT_TOLD, EndedChildren
from zmon.kernel.process_bytes import NEEDS_ROOT
from zmon.kernel.process_files import open_files
from zmon.kernel.task_rounds import FOLDER, HUNG_AFTER, NO_UNIT, Process, Rounds
from zmon.kernel.tree import refused, text, why_hidden
from zmon.kinds import BLOCKED_TASK, OPEN_FILE, PROCESS, ROUNDS
from zmon.sample import Frame, empty_frame, frame_of

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.process_files import OpenFile
    from zmon.kernel.task_rounds import ProcessTask
    from zmon.kernel.tree import Tree

ROUND_EVERY: Final = 0.2
"""Seconds between two rounds at the least."""
SHARE: Final = 0.05
"""The part of a CPU that rounds between samples may take."""
LEFT_ALONE: Final = 30 * SECOND
"""ns after the last sample, or three times the distance of samples, after which rounds end."""
MAX_ROWS: Final = 1_000
"""Processes that have a row: those that were active last."""
MAX_BLOCKED: Final = 100
"""Tasks in state D that have a row: those that wait longest."""
UNIT_EVERY: Final = MINUTE
"""ns after which it is read again in which unit an active process is."""

FILES_EVERY: Final = 30 * SECOND
"""ns after which the open files of a process that does I/O are read again, ..."""
FILES_AT_ONCE: Final = 32
"""... and of how many processes in one sample."""
MAX_OPEN_FILES: Final = 2_000
"""Open files that have a row."""

UNCAPTURED: Final = "captured without processes: zmon capture --processes"
NO_PROCESSES: Final = "no process is seen"
NO_SCHEDSTAT: Final = absent("this kernel does not count it by task: it needs CONFIG_SCHED_INFO")
NO_DELAYS: Final = absent(
    "delay accounting is off: sysctl kernel.task_delayacct=1 counts it for processes that start afterwards"
)
NO_PLACE: Final = absent("no task of it was seen waiting, or the place may not be read: needs root")
NO_FILES: Final = "no process was seen doing I/O whose open files may be read: those of others need root"

_ALL_TASKS: Final = re.compile(r"\S{1,12} \S{1,12} \S{1,12} [0-9]{1,9}/([0-9]{1,9}) ")
_HIDEPID: Final = re.compile(r"^\S{1,80} /proc proc \S{0,200}?hidepid=([a-z0-9]{1,12})", re.MULTILINE)

CAPTURED: Final = ("stat", "schedstat", "wchan", "io", "cgroup", "syscall")
"""Files of a process that a capture keeps, of its other tasks the first three."""


class ProcessReader:
    """Reads all processes again and again; between samples of a live machine in a thread of its own."""

    def __init__(self, tree: Tree, _choice: object = None) -> None:
        """Look at nothing yet."""
        self._tree = tree
        self._rounds = Rounds(tree)
        self._lock = threading.Lock()
        self._spent = 0
        """Processor ns of the rounds between samples."""
        self._samples = 0
        self._read_at = 0
        """When the last sample was, ..."""
        self._distance = 0
        """... and the time to the one before, in ns."""
        self._delays: Value = NOT_TOLD
        self._thread: RoundThread | None = None
        self._rows = ChangingRows((), ())
        self._keys: list[str] = []
        self._ended = EndedChildren(self._rounds)
        self._moved: set[Process] = set()
        """Processes that have done I/O since the first sample."""
        self._files: dict[Process, tuple[int, list[OpenFile]]] = {}
        """When the open files of each were read, and these."""

    def read(self) -> tuple[Frame, Frame, Frame, Frame]:
        """Make a round; return frames of ROUNDS, PROCESS, BLOCKED_TASK and OPEN_FILE."""
        with self._lock:
            try:
                now = self._rounds.look()
            except OSError as error:
                return _nothing(UNCAPTURED if not self._tree.live else refused(error).reason)
            if not self._rounds.processes:
                why = why_hidden(self._tree, "proc/self") or NO_PROCESSES
                return _nothing(why if self._tree.live else UNCAPTURED)
            self._distance, self._read_at = now - (self._read_at or now), now
            self._delays = self._delay_accounting()
            for process in self._rounds.processes.values():
                self._count(process, now)
            for process in self._ended.settle():
                if self._samples or not self._tree.live:
                    self._moved.add(process)
            self._samples += 1
            processes = self._process_frame(now)
            blocked, files = self._blocked_frame(now), self._file_frame(now)
            frames = self._round_frame(now, len(processes.keys)), processes, blocked, files
        if self._tree.live and (self._thread is None or not self._thread.is_alive()):
            self._thread = RoundThread(self)
            self._thread.start()
        return frames

    def look(self) -> float | None:
        """Make a round between samples; return the seconds until the next, None if nobody asks any more."""
        with self._lock:
            if self._tree.when(FOLDER) - self._read_at > max(LEFT_ALONE, 3 * self._distance):
                self._rounds.close()
                return None
            begun = time.thread_time_ns()
            with suppress(OSError):
                self._rounds.look()
            spent = time.thread_time_ns() - begun
            self._spent += spent
        return max(ROUND_EVERY, spent / 1e9 / SHARE)

    # one process

    def _count(self, process: Process, now: int) -> None:
        """Read what a process used, if one of its tasks has run."""
        for task in process.tasks:
            self._rounds.count_time(process, task)
        used = process.run, process.delay  # a round counts the times of a task that waits, too
        has_run, process.used = used != process.used, used
        if process.is_counted and not has_run:
            process.read_at = now  # it has not run since
            return
        process.is_counted = True
        self._rounds.read_again(process)
        if has_run and self._samples:
            process.active = now
        self._ended.count(process)
        process.row = ()

    def _row_of(self, process: Process, now: int) -> tuple[Value, ...]:
        if now >= process.unit_due:
            process.unit_due = now + UNIT_EVERY
            with suppress(OSError):
                unit = proc_task.parse_cgroup(self._rounds.content(f"{process.first.folder}/cgroup"))
                process.unit = NO_UNIT if unit is None else unit
        stat = process.stat
        counted = process.run or process.delay
        row: dict[str, Value] = {
            "started": stat.started, "command": stat.name, "unit": process.unit,
            "kernel": int(stat.is_kernel), "threads": stat.threads, "user": stat.user, "system": stat.system,
            "run": process.run if counted else NO_SCHEDSTAT,
            "cpu_wait": process.delay if counted else NO_SCHEDSTAT,
            "io_wait": NO_DELAYS if self._delays == 0 else stat.io_wait,
            "major_faults": stat.major_faults,
            "read_bytes": process.bytes.read, "dirtied_bytes": process.bytes.dirtied,
            **process.counts,
            "place": process.place or NO_PLACE,
            "devices": process.on.devices, "evidence": process.on.evidence,
        }  # fmt: skip
        return tuple(row[field.name] for field in PROCESS.fields)

    # frames

    def _process_frame(self, now: int) -> Frame:
        processes = self._rounds.processes
        keys = list(processes)
        if len(keys) > MAX_ROWS:
            keys.sort(key=lambda number: (processes[number].active, processes[number].run), reverse=True)
            keys = sorted(keys[:MAX_ROWS], key=int)
        if keys != self._keys:
            self._keys = keys
            self._rows = ChangingRows([field.name for field in PROCESS.fields], [()] * len(keys))
        for key in keys:
            process = processes[key]
            if not process.row or process.active == now:
                process.row = self._row_of(process, now)
        self._rows.replace({at: processes[key].row for at, key in enumerate(keys)})
        return self._rows.frame(PROCESS, keys, [processes[key].read_at for key in keys], {})

    def _blocked_frame(self, now: int) -> Frame:
        waiting = [
            (number, process, task)
            for number, process in self._rounds.processes.items()
            for task in process.tasks
            if task.since
        ]
        waiting.sort(key=lambda waiter: waiter[2].since)
        rows = {
            str(task.stat.number): self._blocked_row(number, process, task, now)
            for number, process, task in waiting[:MAX_BLOCKED]
            if task.stat is not None
        }
        return frame_of(BLOCKED_TASK, rows, now)

    def _blocked_row(self, number: str, process: Process, task: ProcessTask, now: int) -> dict[str, Value]:
        assert task.stat is not None  # noqa: S101 - it was read before
        if isinstance(process.unit, Absent):
            self._row_of(process, now)
        on = blocked_task.waits_on(
            self._tree, f"{FOLDER}/{task.folder}", task.stat.name, self._rounds.disks,
            is_kernel=task.stat.is_kernel,
        )  # fmt: skip
        return {
            "started": task.stat.started, "process": number, "command": task.stat.name, "unit": process.unit,
            "waiting": now - task.since, "state": task.state, "place": task.place or NEEDS_ROOT,
            "devices": on.devices, "evidence": on.evidence, "file": on.file,
        }  # fmt: skip

    def _file_frame(self, now: int) -> Frame:
        """Return the open files of processes that do I/O, of those that wait first."""
        present = self._rounds.processes
        waiting = {process for process in present.values() if any(task.since for task in process.tasks)}
        wanted = {
            number: process
            for number, process in present.items()
            if (process in self._moved or process in waiting) and not process.stat.is_kernel
        }
        self._moved &= set(wanted.values())
        self._files = {process: self._files[process] for process in wanted.values() if process in self._files}
        due = [
            (process not in waiting, self._files.get(process, (0, []))[0], number)
            for number, process in wanted.items()
            if process not in self._files or now - self._files[process][0] > FILES_EVERY
        ]
        for _, _, number in sorted(due)[:FILES_AT_ONCE]:
            process = wanted[number]
            self._files[process] = now, []
            with suppress(OSError):
                folder = f"{FOLDER}/{process.first.folder}"
                self._files[process] = now, open_files(self._tree, folder, self._rounds.disks)
        rows: dict[str, dict[str, Value]] = {}
        for number, process in wanted.items():
            seen = set()
            for file in self._files.get(process, (0, []))[1]:
                if file.path not in seen and len(rows) < MAX_OPEN_FILES:
                    seen.add(file.path)
                    rows[f"{number} {file.descriptor}"] = {
                        "process": number, "unit": process.unit, "file": file.path, "device": file.number,
                        "access": file.access or NOT_TOLD,
                    }  # fmt: skip
        return frame_of(OPEN_FILE, rows, now) if rows else empty_frame(OPEN_FILE, NO_FILES)

    def _round_frame(self, now: int, shown: int) -> Frame:
        rounds = self._rounds
        every = _first(self._tree, f"{FOLDER}/loadavg", _ALL_TASKS)
        row: dict[str, Value] = {
            "begun": rounds.begun, "rounds": rounds.count, "cpu": self._spent,
            "processes": len(rounds.processes), "tasks": rounds.tasks,
            "all_tasks": NOT_TOLD if isinstance(every, Absent) else int(every),
            "left_out": rounds.left_out + len(rounds.processes) - shown,
            "delay_accounting": self._delays,
            "hidepid": _first(self._tree, f"{FOLDER}/self/mounts", _HIDEPID),
        }  # fmt: skip
        return frame_of(ROUNDS, {"rounds": row}, now)

    def _delay_accounting(self) -> Value:
        setting = _first(self._tree, f"{FOLDER}/sys/kernel/task_delayacct", re.compile(r"([01])\s{0,3}"))
        return setting if isinstance(setting, Absent) else int(setting)


def _first(tree: Tree, path: str, form: re.Pattern[str]) -> str | Absent:
    """Return the first group of a form in a file; absent if it is not there."""
    try:
        match = form.search(text(tree, path))
    except OSError as error:
        return refused(error)
    return match[1] if match else NOT_TOLD


def _nothing(why: str) -> tuple[Frame, Frame, Frame, Frame]:
    rounds, process = empty_frame(ROUNDS, why), empty_frame(PROCESS, why)
    return rounds, process, empty_frame(BLOCKED_TASK, why), empty_frame(OPEN_FILE, why)


class RoundThread(threading.Thread):
    """Makes rounds between samples, as long as somebody takes samples."""

    def __init__(self, reader: ProcessReader) -> None:
        """Make rounds for a reader, which this does not keep alive."""
        super().__init__(name="rounds", daemon=True)
        self._reader = weakref.ref(reader)

    def run(self) -> None:
        """Make rounds; this is the thread itself."""
        pause: float | None = ROUND_EVERY
        while pause is not None:
            time.sleep(pause)
            reader = self._reader()
            pause = None if reader is None else reader.look()
            del reader


def captured_files(tree: Tree) -> list[str]:
    """Return the paths of the files of processes that a capture keeps when it is asked for them."""
    files = [f"{FOLDER}/{name}" for name in ("loadavg", "self/mounts", "sys/kernel/task_delayacct")]
    files.append(HUNG_AFTER)
    rounds = Rounds(tree)
    with suppress(OSError):
        for number in rounds.names(""):
            files += [f"{FOLDER}/{number}/{name}" for name in CAPTURED]
            with suppress(OSError):
                others = [name for name in rounds.names(f"{number}/task") if name != number]
                files += [f"{FOLDER}/{number}/task/{task}/{name}" for task in others for name in CAPTURED[:3]]
            with suppress(OSError, ValueError):
                if proc_task.parse_stat(rounds.content(f"{number}/stat")).state == "D":
                    files += [f"{FOLDER}/{number}/{name}" for name in ("fd/*", "fdinfo/*", "mountinfo")]
    return files
