"""The counters of a simulated machine: what the kernel, the channel subsystem and the control unit add up.

All are totals since the beginning, in seconds and pieces; `kernel_files` brings them into the kernel's form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class BlockCounts(NamedTuple):
    """A line of /proc/diskstats."""

    reads: int
    reads_merged: int
    kib_read: float
    read_time: float
    writes: int
    writes_merged: int
    kib_written: float
    write_time: float
    in_flight: int
    busy: float
    """Time with at least one request."""
    weighted: float
    """Requests times the time that they were there."""


class SubchannelCounts(NamedTuple):
    """What channel measurement has of a subchannel."""

    started: int
    samples: int
    connect: float
    pending: float
    disconnect: float
    queued: float
    """Control unit queueing."""
    device_busy: float
    command_response: float


class CacheCounts(NamedTuple):
    """What the control unit's cache has of a volume."""

    reads: int
    read_hits: int
    writes: int
    write_hits: int
    sequential_reads: int
    sequential_read_hits: int
    sequential_writes: int
    staged: int
    destaged: int
    delayed: int
    """Writes for which the nonvolatile storage was full."""


class PathCounts(NamedTuple):
    """What a channel path carried."""

    busy: float
    kib_read: float
    kib_written: float


class TaskCounts(NamedTuple):
    """What the scheduler and memory management add up."""

    used: float
    """Processor time of programs, ..."""
    stolen: float
    """... that which the hypervisor withheld from them, ..."""
    waited_for_io: float
    """... and that of idle processors while tasks were blocked."""
    run_delay: float
    some_wait_for_cpu: float
    some_wait_for_io: float
    all_wait_for_io: float
    some_wait_for_memory: float
    pages_in: float
    pages_out: float
    faults: int
    running: int
    blocked: int


@dataclass(frozen=True)
class Reading:
    """All counters at one moment, by the names of the parts; `time` in seconds since the beginning."""

    time: float
    blocks: dict[str, BlockCounts]
    subchannels: dict[str, SubchannelCounts]
    cache: dict[str, CacheCounts]
    channels: dict[int, PathCounts]
    tasks: TaskCounts
    lost_adapters: frozenset[str] = frozenset()


class BlockCounter:
    """Counts the requests of a block device."""

    def __init__(self) -> None:
        self._done = [[0, 0, 0.0, 0.0], [0, 0, 0.0, 0.0]]
        self._in_flight = 0
        self._busy = self._weighted = self._changed = 0.0

    def _until(self, now: float) -> None:
        passed = now - self._changed
        self._changed = now
        self._weighted += self._in_flight * passed
        if self._in_flight:
            self._busy += passed

    def begin(self, now: float) -> None:
        """Count a request that comes."""
        self._until(now)
        self._in_flight += 1

    def finish(self, now: float, begun: float, kib: float, *, write: bool, merged: int = 0) -> None:
        """Count a request that is done, with the requests that were merged into it."""
        self._until(now)
        self._in_flight -= 1
        done = self._done[write]
        done[0] += 1
        done[1] += merged
        done[2] += kib
        done[3] += now - begun

    def counts(self, now: float) -> BlockCounts:
        """Return the totals so far."""
        self._until(now)
        (reads, reads_merged, kib_read, read_time), (writes, writes_merged, kib_written, write_time) = (
            self._done
        )
        return BlockCounts(
            int(reads), int(reads_merged), kib_read, read_time,
            int(writes), int(writes_merged), kib_written, write_time,
            self._in_flight, self._busy, self._weighted,
        )  # fmt: skip


class Tasks:
    """Counts what tasks wait for."""

    def __init__(self, processors: int) -> None:
        self._processors = processors
        self._changed = 0.0
        self.running = self.waiting = self.blocked = self.paging = self.faults = 0
        self.used = self.stolen = self.run_delay = self.pages_in = self.pages_out = 0.0
        self._io_idle = self._cpu_some = self._io_some = self._io_full = self._memory_some = 0.0

    def until(self, now: float) -> None:
        """Add the time since the last change; to be called before each change."""
        passed = now - self._changed
        self._changed = now
        if self.blocked:
            self._io_some += passed
            self._io_idle += passed * min(self.blocked, max(0, self._processors - self.running))
            if not self.running:
                self._io_full += passed
        if self.waiting:
            self._cpu_some += passed
        if self.paging:
            self._memory_some += passed

    def counts(self, now: float) -> TaskCounts:
        """Return the totals so far."""
        self.until(now)
        return TaskCounts(
            self.used, self.stolen, self._io_idle, self.run_delay,
            self._cpu_some, self._io_some, self._io_full, self._memory_some,
            self.pages_in, self.pages_out, self.faults, self.running + self.waiting, self.blocked,
        )  # fmt: skip
