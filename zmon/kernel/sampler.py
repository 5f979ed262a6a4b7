"""Samples of one tree of kernel files: every source there is, put together.

`Sampler` serves the running machine, again and again; `sample_once` serves one pass of a capture.

Sources without a chosen kind are not read, and a reader is loaded at its first reading: a lookup needs few.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from contextlib import suppress
from functools import partial
from importlib import import_module

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final, TypeVar
from zmon.base.mistake import is_meant, mistake
from zmon.base.record import NamedTuple
from zmon.kernel.capture_tree import moment, simulated
from zmon.kernel.deadline import Worker
from zmon.kernel.proc_stat import NOT_LIVE
from zmon.kernel.tree import HidingTree, text, why_hidden
from zmon.kernel.udev import Hotplug
from zmon.kinds import BLOCK, CMF, EXACT, KINDS, SOURCE
from zmon.registry import SOURCES
from zmon.sample import Frame, Instant, Sample, empty_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.listed_file import ListedFile
    from zmon.kernel.file_extents import LateListing
    from zmon.kernel.tree import Tree
    from zmon.registry import Source
    from zmon.sample import Kind

SOURCE_DEADLINE: Final = 2.0
"""Seconds that a source may take before the sample goes on without it, unless it computes all the time."""
NOT_ACCOUNTED: Final = absent("this kernel does not account for what threads read")

S = TypeVar("S", bound="SourceReading")

IDENTITY: Final = ("devices", "volumes")
"""The sources of the identity of devices."""


class Choice(NamedTuple):
    """The kinds and the optional sources to read."""

    kinds: Collection[Kind] = tuple(KINDS.values())
    """The kinds that are needed; sources of other kinds are not read."""
    cache: bool = False
    """Ask the storage controllers for cache statistics."""
    hypervisor: bool = True
    """Ask the hypervisor for all partitions or guests."""
    exact: bool = False
    """Ask each DASD for exact totals of channel measurement, which may wait for its I/O."""
    cp: bool = False
    """Ask CP for the disks of this guest."""
    processes: bool = False
    """Read all processes with each sample."""
    containers: tuple[ListedFile, ...] = ()
    """Files whose extents are read; a capture has those of its own."""
    later: LateListing | None = None
    """Further files, which are not known yet."""

    @property
    def lists_containers(self) -> bool:
        """Whether there are, or will be, files whose extents are read."""
        return bool(self.containers or self.later)


EVERYTHING: Final = Choice()
"""All sources that are on by default."""


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


def find_reader(source: Source) -> Callable[..., Any]:
    """Return the function or the class that a source names."""
    module, _, name = source.reader.rpartition(".")
    reader: Callable[..., Any] = getattr(import_module(f"zmon.{module}"), name)
    return reader


def _why_off(source: Source, tree: Tree, choice: Choice) -> str:
    """Return why a source is off: it is optional and was not chosen.  In captures all are read."""
    if not source.option or getattr(choice, source.option) or not tree.live:
        return ""
    if source.option == "cache" and not _has_dasd(tree):
        return ""  # its reader returns that reason
    return source.off


def _has_dasd(tree: Tree) -> bool:
    try:
        return bool(tree.entries("proc/dasd"))
    except OSError:
        return False


class SourceReading:
    """A source and its costs; the reader that it names is loaded at the first reading."""

    def __init__(self, source: Source, tree: Tree, choice: Choice) -> None:
        """Read nothing yet."""
        self.source = source
        self.off = _why_off(source, tree, choice)
        """Why the source is switched off; empty if it is on."""
        self.what = source.what if tree.live else source.captured or source.what
        self.cost = Cost()
        self._tree = tree
        self._choice = choice
        self._read: Callable[..., Any] | None = None
        self._refresh: Callable[[], None] | None = None
        self._remark: Callable[[], str] = str
        """Returns what is to be known of the rows besides, such as why some are lacking."""
        self._changed = False
        self._hidden = ""
        """A file that could not be looked for."""
        self._recent: Frame | None = None
        self._whole_due = 0.0

    def devices_changed(self) -> None:
        """Note that devices came or went."""
        self._changed = True

    def read(self) -> Sequence[Frame]:
        """Read the source in this thread, and add to its costs; absent frames if that fails."""
        begun, cpu, before = time.monotonic_ns(), time.thread_time_ns(), bytes_read()
        failed = ""
        try:
            frames = self._seen(self.read_frames())
        except OSError as error:
            failed = f"{error.strerror or error}: {error.filename or self.what}"
        except Exception as error:  # noqa: BLE001 - one source must never stop the others
            failed = str(error) if isinstance(error, ValueError) or is_meant(error) else ""
            failed = failed or mistake(f"the source {self.source.name}", error).reason
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
        cost.reason = failed or missing or self._remark()
        return frames

    def _seen(self, frames: Sequence[Frame]) -> Sequence[Frame]:
        """Say of no rows that they cannot be seen, if a file was hidden, whatever the reader concluded."""
        if not isinstance(self._tree, HidingTree):
            return frames
        self._hidden = self._tree.hidden() or self._hidden
        why = why_hidden(self._tree, self._hidden)
        return [
            frame
            if not why or frame.missing is None or why in frame.missing.reason
            else empty_frame(frame.kind, why)
            for frame in frames
        ]

    def read_frames(self) -> Sequence[Frame]:
        """Return what the reader gives."""
        changed, self._changed = self._changed, False
        if self._read is None:
            maker = find_reader(self.source)
            if isinstance(maker, type):
                reader: Any = maker(self._tree, self._choice)
                self._read, self._refresh = reader.read, getattr(reader, "refresh", None)
                self._remark = partial(getattr, reader, "remark", "")
            else:
                self._read = partial(maker, self._tree)
        elif changed and self._refresh is not None:
            self._refresh()
        if self.source.whole_every:
            now = time.monotonic()
            if changed or now >= self._whole_due:
                self._recent, self._whole_due = None, now + self.source.whole_every
            frames = self._read(self._recent)
            self._recent = frames if isinstance(frames, Frame) else frames[0]
        else:
            frames = self._read()
        return [frames] if isinstance(frames, Frame) else list(frames)


class LiveReading(SourceReading):
    """A source of the running machine, and its last frames, which stand until it is due again."""

    def __init__(self, source: Source, tree: Tree, choice: Choice) -> None:
        """Read nothing yet."""
        super().__init__(source, tree, choice)
        self.wanted = False
        """Whether something is shown that is about its kinds."""
        self.left_in: Worker | None = None
        """The thread in which it was left, as it did not answer."""
        self._due = 0.0
        self._last: dict[str, Frame] = {}

    @property
    def _silent(self) -> str:
        return f"{self.what} does not answer"

    def is_due(self) -> bool:
        """Return whether it is to be read now."""
        is_off = self.off and not self.wanted
        return not is_off and self.left_in is None and time.monotonic() >= self._due

    def look(self) -> None:
        """Read the source in this thread, and keep its frames."""
        self._due = time.monotonic() + self.source.every
        self._remember(self.read())

    def leave(self, worker: Worker) -> None:
        """Leave the reading to the thread in which it hangs; its answer counts for the sample after it."""
        self.left_in = worker
        self.cost.state, self.cost.reason = "hangs", self._silent

    def frames(self) -> dict[str, Frame]:
        """Return the frames by kind: the last that were read, or absent ones while it is off or hangs."""
        if self.off and not self.wanted:
            self.cost.state, self.cost.reason = "off", self.off
            return self._absent(self.off)
        if self.left_in is not None:
            if self.left_in.is_waiting:
                return self._absent(self._silent)
            self.left_in = None
        return self._last

    def load(self) -> None:
        """Load the module of a reader that is due, so that a slow disk with zmon on it delays no answer."""
        if self._read is None and self.is_due():
            with suppress(Exception):  # the reading says what is wrong
                find_reader(self.source)

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


class ReadingRound:
    """The readings of one sample, one after the other, in a thread that is left with one that hangs."""

    def __init__(self, readings: Iterator[LiveReading], done: Callable[[LiveReading], object]) -> None:
        """Begin with nothing; `done` is told of each reading, in that thread."""
        self._readings = readings
        self._done = done
        self._reading: LiveReading | None = None
        """The reading that is at work, ..."""
        self._begun = 0.0
        """... since when, ..."""
        self._is_left = False
        """... and whether the thread was left with it."""
        self._lock = threading.Lock()

    def run(self) -> None:
        """Read what is due, until there is no more, or until this thread is left with what hangs."""
        for reading in self._readings:
            if not reading.is_due():
                continue
            self._begun = time.monotonic()
            self._reading = reading
            reading.look()
            with self._lock:
                if self._is_left:
                    return
                self._reading = None
            self._done(reading)

    def begun(self) -> float:
        """Return when the reading that is at work began, by the steady clock."""
        return self._begun

    def leave(self, seconds: float) -> LiveReading | None:
        """Leave the thread with what it reads, and return that; None if it is not at it for so long."""
        with self._lock:
            if self._reading is None or time.monotonic() - self._begun < seconds:
                return None
            self._is_left = True
            return self._reading


def sources_of(tree: Tree, choice: Choice, make: type[S]) -> list[S]:
    """Return the sources of the kinds that are chosen."""
    wanted = {kind.name for kind in choice.kinds}
    if CMF.name in wanted:
        wanted.add(EXACT.name)  # which will take its place
    return [
        make(source, tree, choice)
        for source in SOURCES
        if not wanted.isdisjoint(kind.name for kind in source.kinds)
    ]


class Sampler:
    """Samples of the running machine, one after the other."""

    def __init__(
        self,
        tree: Tree,
        choice: Choice,
        nominal: float = 0.0,
        deadline: float = SOURCE_DEADLINE,
        hotplug: Hotplug | None = None,
    ) -> None:
        """Prepare; `nominal` is the intended distance of samples in seconds.

        Without `hotplug`, devices that come or go are noticed by their disks, others within a minute.
        """
        self._tree = tree
        self._nominal = nominal
        self._deadline = deadline
        self._sources = sources_of(tree, choice, LiveReading)
        self._worker = [Worker("sources")]
        """The thread that reads them, if it was not left with one."""
        weakref.finalize(self, _end, self._worker)
        self._hotplug = hotplug or Hotplug(None)
        self._later = choice.later
        self._disks: list[str] = []
        self._boot = _boot_id(tree) or "unknown"
        self._at = self._now()
        """When the sample was taken."""

    def want(self, kinds: Collection[Kind]) -> None:
        """Read what is about these kinds, too, until further notice, where that is read on demand."""
        names = {kind.name for kind in kinds}
        for reading in self._sources:
            if reading.source.on_demand:
                reading.wanted = not names.isdisjoint(kind.name for kind in reading.source.kinds)

    def _notice(self, disks: Frame) -> None:
        """Have devices read again when disks came or went."""
        if disks.missing is None and disks.keys != self._disks:
            self._disks = disks.keys
            self._read_again(*IDENTITY)

    def _read_again(self, *names: str) -> None:
        """Make these sources due in this sample."""
        for reading in self._sources:
            if reading.source.name in names:
                reading.read_again()

    def sample(self) -> Sample:
        """Read every source that is due, and return a sample."""
        if self._hotplug.changed():
            for reading in self._sources:
                reading.devices_changed()
            self._read_again(*IDENTITY)
        if self._later is not None and self._later.changed():
            self._read_again("containers")
        self._at = self._now()
        self._read()
        frames: dict[str, Frame] = {}
        for reading in self._sources:
            frames.update(reading.frames())
        frames[SOURCE.name] = costs(self._sources, self._at.steady)
        _overlay(frames)
        return Sample(self._at, frames, self._tree.name, self._nominal)

    def _read(self) -> None:
        """Read what is due, in one thread: to wake one for each source costs more than to read most of them.

        A source that exceeds the deadline, unless it computes, keeps that thread, and later samples do not
        wait for it; another thread reads the sources behind it.
        """
        readings = iter(self._sources)
        for reading in self._sources:
            reading.load()
        while True:
            worker, looks = self._worker[0], ReadingRound(readings, self._was_read)
            worker.start(looks.run)
            outcome, late = None, None
            while outcome is None and late is None:
                outcome = worker.outcome_of_work(self._deadline, looks.begun)
                late = looks.leave(self._deadline) if outcome is None else None
            if late is None:
                if outcome is not None and outcome[1] is not None:
                    raise outcome[1]
                return
            late.leave(worker)
            worker.end()
            self._worker[0] = Worker("sources")

    def _was_read(self, reading: LiveReading) -> None:
        if reading.source.name == "disks":
            # the time of a sample is that of the disk counters; other sources may take seconds
            self._at = self._now()
            self._notice(reading.frames()[BLOCK.name])

    def _now(self) -> Instant:
        return Instant(time.time_ns(), time.monotonic_ns(), self._boot)


def _end(workers: Sequence[Worker]) -> None:
    """End the thread of a sampler that is no longer used."""
    for worker in workers:
        worker.end()


def sample_once(tree: Tree, boot: str, choice: Choice = EVERYTHING) -> Sample:
    """Read one pass of a capture; its times are those of its files.

    `boot` names the run of the machine where the capture does not.
    """
    readings = sources_of(tree, choice, SourceReading)
    frames: dict[str, Frame] = {}
    for reading in readings:
        frames.update({frame.kind.name: frame for frame in reading.read()})
    _overlay(frames)
    now = moment(tree)
    frames[SOURCE.name] = _without_costs(costs(readings, now))
    at = Instant(now, now, _boot_id(tree) or boot)
    return Sample(at, frames, tree.name, simulated=simulated(tree))


def _overlay(frames: dict[str, Frame]) -> None:
    """Replace totals that were rebuilt from averages by exact ones, if there are any."""
    exact = frames.pop(EXACT.name, None)
    if exact is not None and exact.missing is None:
        from zmon.kernel.cmf import overlaid  # noqa: PLC0415 - rarely used

        frames[CMF.name] = overlaid(frames[CMF.name], exact)


def costs(readings: Sequence[SourceReading], when: int) -> Frame:
    """Return the frame of the costs of each source."""
    names = ("state", "reason", "rows", "bytes", "calls", "errors", "spent", "cpu")
    columns: dict[str, list[Value]] = {
        "reads_what": [reading.what for reading in readings],
        "every": [reading.source.every for reading in readings],
        **{name: [getattr(reading.cost, name) for reading in readings] for name in names},
    }
    return Frame(SOURCE, [reading.source.name for reading in readings], columns, [when] * len(readings))


def _without_costs(frame: Frame) -> Frame:
    """Leave out the costs of reading a capture, which are not those of its machine."""
    kept = {"state", "reason", "reads_what", "rows"}
    none = NOT_LIVE
    return frame.but(
        columns={n: v if n in kept else [none] * len(frame.keys) for n, v in frame.columns.items()},
    )


def _boot_id(tree: Tree) -> str:
    """Return the boot id, by which a restart between samples is noticed."""
    try:
        return text(tree, "proc/sys/kernel/random/boot_id").strip()
    except OSError:
        return ""
