"""Samples of one tree of kernel files: every source there is, put together.

`Sampler` serves the running machine, again and again; `sample_once` serves one pass of a capture.

Sources without a chosen kind are not read, and a reader is loaded at its first reading: a lookup needs few.
"""

from __future__ import annotations

import time
import weakref
from functools import partial
from importlib import import_module

from zmon.absent import absent
from zmon.kernel.capture_tree import moment, simulated
from zmon.kernel.deadline import SOURCE_DEADLINE, SourceReading, SourceWorker
from zmon.kernel.tree import text
from zmon.kernel.udev import Hotplug
from zmon.kinds import BLOCK, CMF, EXACT, KINDS, SOURCE
from zmon.light_typing import TYPE_CHECKING, Any, Final, TypeVar
from zmon.record import NamedTuple
from zmon.registry import SOURCES
from zmon.sample import Frame, Instant, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from zmon.absent import Value
    from zmon.kernel.file_extents import LateListing, ListedFile
    from zmon.kernel.tree import Tree
    from zmon.registry import Source
    from zmon.sample import Kind

S = TypeVar("S", bound=SourceReading)

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


class LazyReader:
    """The reader that a source names; its module is loaded at the first reading, in the source's thread."""

    def __init__(self, source: Source, tree: Tree, choice: Choice) -> None:
        """Read nothing yet."""
        self._source = source
        self._tree = tree
        self._choice = choice
        self._read: Callable[..., Any] | None = None
        self._refresh: Callable[[], None] | None = None
        self._changed = False
        self._recent: Frame | None = None
        self._whole_due = 0.0

    def changed(self) -> None:
        """Note that devices came or went."""
        self._changed = True

    def read(self) -> Sequence[Frame]:
        """Return the frames of the source."""
        changed, self._changed = self._changed, False
        if self._read is None:
            found = find_reader(self._source)
            if isinstance(found, type):
                reader: Any = found(self._tree, self._choice)
                self._read, self._refresh = reader.read, getattr(reader, "refresh", None)
            else:
                self._read = partial(found, self._tree)
        elif changed and self._refresh is not None:
            self._refresh()
        if self._source.whole_every:
            now = time.monotonic()
            if changed or now >= self._whole_due:
                self._recent, self._whole_due = None, now + self._source.whole_every
            self._recent = frames = self._read(self._recent)
        else:
            frames = self._read()
        return [frames] if isinstance(frames, Frame) else list(frames)


def find_reader(source: Source) -> Callable[..., Any]:
    """Return the function or the class that a source names."""
    module, _, name = source.reader.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"zmon.{module}"), name)
    return found


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


def sources_of(tree: Tree, choice: Choice, make: type[S]) -> list[S]:
    """Return the sources of the kinds that are chosen."""
    wanted = {kind.name for kind in choice.kinds}
    if CMF.name in wanted:
        wanted.add(EXACT.name)  # which will take its place
    return [
        make(source, LazyReader(source, tree, choice), _why_off(source, tree, choice), tree.live)
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
        self._sources = sources_of(tree, choice, SourceWorker)
        weakref.finalize(self, _end, self._sources)
        self._hotplug = hotplug or Hotplug(None)
        self._later = choice.later
        self._disks: list[str] = []
        self._boot = _boot_id(tree) or "unknown"

    def _notice(self, disks: Frame) -> None:
        """Have devices read again when disks came or went."""
        if disks.missing is None and disks.keys != self._disks:
            self._disks = disks.keys
            self._read_again(*IDENTITY)

    def _read_again(self, *names: str) -> None:
        """Make these sources due in this sample."""
        for one in self._sources:
            if one.source.name in names:
                one.read_again()

    def sample(self) -> Sample:
        """Read every source that is due, and return a sample."""
        if self._hotplug.changed():
            for one in self._sources:
                one.reader.changed()
            self._read_again(*IDENTITY)
        if self._later is not None and self._later.changed():
            self._read_again("containers")
        frames: dict[str, Frame] = {}
        at = Instant(time.time_ns(), time.monotonic_ns(), self._boot)
        for one in self._sources:
            frames.update(one.frames(self._deadline))
            if one.source.name == "disks":
                # the time of a sample is that of the disk counters; other sources may take seconds
                at = Instant(time.time_ns(), time.monotonic_ns(), self._boot)
                self._notice(frames[BLOCK.name])
        frames[SOURCE.name] = costs(self._sources, at.steady)
        _overlay(frames)
        return Sample(at, frames, self._tree.name, self._nominal)


def _end(sources: Sequence[SourceWorker]) -> None:
    """End the threads of a sampler that is no longer used."""
    for one in sources:
        one.worker.end()


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
    columns: dict[str, list[Value]] = {
        "state": [reading.cost.state for reading in readings],
        "reason": [reading.cost.reason for reading in readings],
        "reads_what": [reading.what for reading in readings],
        "every": [reading.source.every for reading in readings],
        "rows": [reading.cost.rows for reading in readings],
        "bytes": [reading.cost.bytes for reading in readings],
        "calls": [reading.cost.calls for reading in readings],
        "errors": [reading.cost.errors for reading in readings],
        "spent": [reading.cost.spent for reading in readings],
        "cpu": [reading.cost.cpu for reading in readings],
    }
    return Frame(SOURCE, [reading.source.name for reading in readings], columns, [when] * len(readings))


def _without_costs(frame: Frame) -> Frame:
    """Leave out the costs of reading a capture, which are not those of its machine."""
    kept = {"state", "reason", "reads_what", "rows"}
    none = absent("a capture was read, not a machine")
    return frame.but(
        columns={n: v if n in kept else [none] * len(frame.keys) for n, v in frame.columns.items()},
    )


def _boot_id(tree: Tree) -> str:
    """Return the boot id, by which a restart between samples is noticed."""
    try:
        return text(tree, "proc/sys/kernel/random/boot_id").strip()
    except OSError:
        return ""
