"""What processes read and made dirty, where each byte counts once.

The kernel adds all that a process did in its life to what is counted of its parent, when the parent waits for
it after its end: a shell would read in one second what its child read in hours.  What was shown of a child
when it was there is therefore taken off again.  What is left is what it did between the last sample and its
end, or all of it if it was there in no sample; that no other row has, so its parent keeps it.

That a process waited for children shows in their page faults, which `stat` counts apart and of which every
program has some.  One that took over fewer than the child had did not wait for it: init did, or nobody.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.kernel import proc_task
from zmon.kernel.deadline import call_within
from zmon.kernel.process_bytes import NEEDS_ROOT, WAITED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.kernel.task_rounds import Process, Rounds

NOT_TOLD: Final = absent("the kernel does not tell")
TOOK_OVER: Final = absent("it took over the bytes of a child that ended, which are not known")
MOST_WAITING: Final = 64
"""Processes that wait uninterruptibly, whose bytes are read in one sample, ..."""
WAIT: Final = 0.05
"""... and for how many seconds each is waited for."""
INIT: Final = "1"
"""The process that waits for those whose parent has ended, mostly."""


class EndedChildren:
    """Counts the bytes of processes, without what they took over from children that were shown themselves."""

    def __init__(self, rounds: Rounds) -> None:
        """Count processes of these rounds."""
        self._rounds = rounds
        self._read: list[Process] = []
        """Processes whose bytes were counted since the last `settle`."""
        self._ended: list[Process] = []
        """Those that have ended, of which it is not known yet who took them over."""
        self._left = MOST_WAITING
        """How many processes that wait uninterruptibly may still be asked before the next `settle`."""
        self._late: list[Process] = []
        """Processes that were not read, as that was waited for in vain."""
        self._unknown: list[Process] = []
        """Those of which it was not known in the last sample what they did themselves."""

    def count(self, process: Process) -> None:
        """Read what the kernel counts of a process that has run."""
        io, stat, folder = process.bytes, process.stat, process.first.folder
        io.parent, io.faults = str(stat.parent), stat.faults + stat.child_faults
        io.child_faults = stat.child_faults
        if not io.may_read:
            return
        try:
            counted = proc_task.parse_io(self._io_of(process))
            if counted != io.counted:  # a child may have ended since the round
                io.child_faults = proc_task.parse_stat(self._rounds.content(f"{folder}/stat")).child_faults
        except PermissionError:
            io.may_read = False
            io.read = io.dirtied = NEEDS_ROOT
        except TimeoutError:
            self._late.append(process)
        except (OSError, ValueError):
            if io.counted is None:
                io.read = io.dirtied = NOT_TOLD
        else:
            io.counted = counted
            self._read.append(process)

    def _io_of(self, process: Process) -> bytes:
        """Read `io` of a process; of one that waits uninterruptibly for at most `WAIT` seconds.

        Reading waits for a process that executes a program, which may hang on a file system.

        Raises:
            OSError: it has ended, may not be read, or was not told in time.
        """
        read = partial(self._rounds.content, f"{process.first.folder}/io")
        if not process.first.since:
            return read()
        if not self._left:
            raise TimeoutError("too many wait")
        self._left -= 1
        return call_within(read, WAIT, name=f"{process.first.folder}/io")

    def settle(self) -> list[Process]:
        """Find out what each took over, once all are counted; return those that did anything themselves."""
        took = self._taken_over()
        moved = []
        for process in self._unknown:
            process.bytes.read, process.bytes.dirtied = process.bytes.own
            process.row = ()
        self._unknown, self._late = self._late, []
        for process in self._unknown:
            process.bytes.read = process.bytes.dirtied = WAITED
        self._unknown = [process for process in self._unknown if process.bytes.counted is not None]
        self._left = MOST_WAITING
        for process in self._read:
            io = process.bytes
            assert io.counted is not None  # noqa: S101 - it was counted
            taken, is_known = took.get(process, ((0, 0), True))
            before = io.before or (0, 0)
            rises = [
                max(now - then - others, 0)
                for now, then, others in zip(io.counted, before, taken, strict=True)
            ]
            if is_known:
                io.own = io.own[0] + rises[0], io.own[1] + rises[1]
                io.read, io.dirtied = io.own
                if any(rises):
                    moved.append(process)
            else:
                io.read = io.dirtied = TOOK_OVER
                self._unknown.append(process)
            io.before, io.waited = io.counted, io.child_faults
        self._read = []
        return moved

    def _taken_over(self) -> dict[Process, tuple[tuple[int, int], bool]]:
        """Return what was shown of ended children, by who waited for them, and whether that is all known."""
        rounds, self._ended = self._rounds, [*self._ended, *self._rounds.ended, *self._gone_meanwhile()]
        rounds.ended = []
        names = {process.first.folder: process for process in self._ended}
        room = {process: process.bytes.child_faults - process.bytes.waited for process in self._read}
        took: dict[Process, tuple[tuple[int, int], bool]] = {}
        left = []
        for child in self._ended:
            if child.bytes.is_taken:
                continue
            if self._is_zombie(child):
                left.append(child)
                continue
            nearest = self._nearest(child, names)
            for parent in (nearest, rounds.processes.get(INIT)):
                if parent is not None and child.bytes.faults <= room.get(parent, -1):
                    room[parent] -= child.bytes.faults
                    (read, dirtied), is_known = took.get(parent, ((0, 0), True))
                    more = child.bytes.counted
                    took[parent] = (
                        (read + (more or (0, 0))[0], dirtied + (more or (0, 0))[1]),
                        is_known and more is not None,
                    )
                    child.bytes.is_taken = True
                    break
            else:
                child.bytes.samples += 1
                # one that waits uninterruptibly is not counted, but may have waited for the child before
                is_late = nearest is not None and (nearest.first.since > 0 or child.bytes.samples == 1)
                if is_late and nearest not in room:
                    left.append(child)
        self._ended = left
        return took

    def _gone_meanwhile(self) -> Iterator[Process]:
        """Yield children that ended since the round, where a parent waited for one since."""
        parents = {
            process.first.folder
            for process in self._read
            if process.bytes.child_faults != process.stat.child_faults
        }
        if parents:
            for process in self._rounds.processes.values():
                if process.bytes.parent in parents and process.bytes.counted:
                    try:
                        self._rounds.content(f"{process.first.folder}/stat")
                    except OSError:
                        yield process

    def _is_zombie(self, child: Process) -> bool:
        """Return whether nobody has waited for an ended process yet; what it did at last no row shows."""
        folder = child.first.folder
        if folder in self._rounds.processes:
            return False  # another has its number, or it ended since the round
        with suppress(OSError, ValueError):
            child.bytes.counted = proc_task.parse_io(self._rounds.content(f"{folder}/io"))
            return True
        return False

    def _nearest(self, child: Process, ended: dict[str, Process]) -> Process | None:
        """Return the parent of a process or, if that has ended too, its parent."""
        number, present = child.bytes.parent, self._rounds.processes
        for _ in range(len(ended) + 1):
            if number in present or number not in ended:
                break
            number = ended[number].bytes.parent
        return present.get(number)
