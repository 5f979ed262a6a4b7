"""Samples of one tree of kernel files: every source there is, put together.

`Sampler` serves the running machine, again and again; `sample_once` serves one pass of a capture.

A source that gives nothing of what is wanted is not read, and a reader is loaded when its source is read
first: a lookup needs few of them.
"""

from __future__ import annotations

import time
import weakref
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from zmon.absent import absent
from zmon.kernel.capture_tree import moment, simulated
from zmon.kernel.tree import text
from zmon.kernel.udev import Hotplug
from zmon.kernel.worker import SOURCE_DEADLINE, Source, SourceReading
from zmon.kinds import (
    BLOCK,
    CACHE,
    CHANNEL,
    CMF,
    CONTAINER,
    CPU,
    DASD,
    DEVICE,
    EXACT,
    GUEST,
    KINDS,
    LAYER,
    LPAR,
    LPAR_CPU,
    MACHINE,
    MEMORY,
    MOUNT,
    PHYSICAL_CPU,
    PROFILE,
    SOURCE,
    SWAP,
)
from zmon.sample import Frame, Instant, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from threading import Thread

    from zmon.absent import Value
    from zmon.kernel.activity import Activity
    from zmon.kernel.file_extents import ListedFile
    from zmon.kernel.tree import Tree
    from zmon.kernel.worker import SourceWorker
    from zmon.sample import Kind

IDENTITY: Final = ("devices", "volumes")
"""The sources that say what devices are."""

IDENTITY_EVERY: Final = 60.0
"""Seconds after which labels are read again when no event said that they changed."""

HYPERVISOR_EVERY: Final = 10.0
"""Seconds between two diag 204, which the kernel calls very expensive."""

CONTAINERS_EVERY: Final = 600.0
"""Seconds between two looks at where listed files lie: they grow, and are moved, seldom."""

PROFILE_EVERY: Final = 10.0
"""Seconds between two looks at the driver's statistics, a file for each volume and device."""

CACHE_EVERY: Final = 60.0
"""Seconds between two questions to the storage controllers: each is a channel program per volume."""
NO_CACHE: Final = "Cache statistics are off: reading them costs one I/O per volume. Start zmon with --cache."

NO_LISTING: Final = "no listing of tablespaces was given (--listing)"


class Later(Protocol):
    """Files that become known while samples are taken, as a database server lists them when it answers."""

    def containers(self) -> Sequence[ListedFile]:
        """Return the files that are known by now; ValueError says why none is."""

    def changed(self) -> bool:
        """Tell whether more are known than when this was asked last."""


class Choice(NamedTuple):
    """What is wanted of all that could be read."""

    kinds: Collection[Kind] = tuple(KINDS.values())
    """The kinds of things that will be looked at; sources that give none of them are left alone."""
    cache: bool = False
    """Ask the storage controllers for cache statistics."""
    hypervisor: bool = True
    """Ask the hypervisor for all partitions or guests."""
    exact: bool = False
    """Ask each DASD for exact totals of channel measurement, which may wait for its I/O."""
    containers: tuple[ListedFile, ...] = ()
    """Files whose extents are asked for; a capture has those that were asked for when it was made."""
    later: Later | None = None
    """Further such files, which are not known yet."""
    more: tuple[Callable[[Tree], Source], ...] = ()
    """Sources that others bring, such as answers of the hypervisor."""


EVERYTHING: Final = Choice()
"""Whatever can be read without being asked for."""


class Counters:
    """The source that is read at every sample: disks, and the devices below them.

    What it has to remember between samples is made at the first reading, in the source's own thread.
    """

    def __init__(self, tree: Tree) -> None:
        """Read nothing yet."""
        self._tree = tree
        self._activity: Activity | None = None
        self._changed = False

    def changed(self) -> None:
        """Take note that devices came or went."""
        self._changed = True

    def read(self) -> Sequence[Frame]:
        """Return a frame of block devices and one of channel measurement."""
        if self._activity is None:
            from zmon.kernel.activity import Activity  # noqa: PLC0415 - like all readers, when it is needed

            self._activity = Activity(self._tree)
        elif self._changed:
            self._activity.refresh()
        self._changed = False
        return self._activity.sample()


def _reader(name: str, tree: Tree) -> Callable[[], Sequence[Frame]]:
    """Return the reading of a tree by `module.function` of this package, loaded when it is read first."""
    module, _, function = name.partition(".")

    def read() -> Sequence[Frame]:
        found = getattr(import_module(f"zmon.kernel.{module}"), function)(tree)
        return [found] if isinstance(found, Frame) else list(found)

    return read


def _has_dasd(tree: Tree) -> bool:
    try:
        return bool(tree.entries("proc/dasd"))
    except OSError:
        return False


def sources(tree: Tree, choice: Choice, counters: Counters) -> list[Source]:
    """Return the sources of what is wanted of a tree; those that cost something are off unless chosen.

    In a capture nothing costs anything, so they are on.
    """
    free = not tree.live
    no_cache = "" if choice.cache or free or not _has_dasd(tree) else NO_CACHE
    no_totals = "" if choice.exact or free else "may wait for I/O without end: --exact"
    no_hypervisor = "" if choice.hypervisor or free else "switched off with --no-hypervisor"
    partitions = (LPAR, LPAR_CPU, PHYSICAL_CPU, GUEST)
    known = [
        Source("disks", "/proc/diskstats, cmf/* of devices", (BLOCK, CMF), counters.read),
        Source("totals", "BIODASDREADALLCMB", (EXACT,), _reader("cmf.read_totals", tree), off=no_totals),
        Source("channels", "/sys/devices/css0/chp0.*", (CHANNEL,), _channels(tree)),
        Source("cpus", "/proc/stat", (CPU,), _reader("proc_stat.read_cpu", tree)),
        Source("memory", "/proc/meminfo", (MEMORY,), _reader("proc_stat.read_memory", tree)),
        Source("devices", "/sys/devices/css0/0.*", (DEVICE,), _reader("ccw_device.read_devices", tree),
               IDENTITY_EVERY),
        Source("volumes", "/proc/dasd/devices, BIODASDINFO2, udev", (DASD,),
               _reader("dasd_ioctl.read_dasd", tree), IDENTITY_EVERY),
        Source("mounts", "/proc/self/mountinfo", (MOUNT,), _reader("mountinfo.read_mounts", tree),
               IDENTITY_EVERY),
        Source("swaps", "/proc/swaps", (SWAP,), _reader("mountinfo.read_swaps", tree), IDENTITY_EVERY),
        Source("layers", "/sys/block, device-mapper tables", (LAYER,), _reader("sys_block.read_layers", tree),
               IDENTITY_EVERY),
        Source("containers", "FS_IOC_FIEMAP of listed files", (CONTAINER,),
               _containers(tree, choice.containers, choice.later), CONTAINERS_EVERY,
               "" if choice.containers or choice.later or free else NO_LISTING),
        Source("machine", "/proc/sysinfo, s390_sthyi", (MACHINE,), _reader("sysinfo.read_machine", tree),
               IDENTITY_EVERY),
        Source("hypervisor", "diag 204, diag 2fc, hypfs", partitions,
               _reader("hypfs.read_partitions", tree), HYPERVISOR_EVERY, no_hypervisor),
        Source("profile", "/proc/dasd/statistics, debugfs/dasd", (PROFILE,),
               _reader("dasd_statistics.read_profiles", tree), PROFILE_EVERY),
        Source("cache", "BIODASDPSRD", (CACHE,), _reader("dasd_ioctl.read_cache", tree),
               CACHE_EVERY, no_cache),
        *(source(tree) for source in choice.more),
    ]  # fmt: skip
    wanted = {kind.name for kind in choice.kinds}
    if CMF.name in wanted:
        wanted.add(EXACT.name)  # which will stand in its place
    return [source for source in known if not wanted.isdisjoint(kind.name for kind in source.kinds)]


def _containers(
    tree: Tree, listed: Sequence[ListedFile], later: Later | None
) -> Callable[[], Sequence[Frame]]:
    def more() -> Sequence[ListedFile]:
        try:
            return () if later is None else later.containers()
        except ValueError:
            if not listed:
                raise
            return ()

    silent: dict[str, Thread] = {}

    def read() -> Sequence[Frame]:
        from zmon.kernel.file_extents import read_containers  # noqa: PLC0415 - like all readers, when needed

        return [read_containers(tree, (*listed, *more()), silent=silent)]

    return read


def _channels(tree: Tree) -> Callable[[], Sequence[Frame]]:
    """Return the reader of channel paths, which asks for `configure` once a minute only."""
    recent: Frame | None = None
    asked = 0.0

    def read() -> Sequence[Frame]:
        nonlocal recent, asked
        if time.monotonic() - asked >= IDENTITY_EVERY:
            recent, asked = None, time.monotonic()
        from zmon.kernel.channel_path import read_channels  # noqa: PLC0415 - like all readers, when it is needed

        recent = read_channels(tree, recent)
        return [recent]

    return read


class Sampler:
    """Samples of the running machine, one after the other."""

    def __init__(
        self,
        tree: Tree,
        choice: Choice,
        nominal: float = 0.0,
        patience: float = SOURCE_DEADLINE,
        hotplug: Hotplug | None = None,
    ) -> None:
        """Prepare; `nominal` is the intended distance of samples in seconds.

        Without `hotplug`, devices that come or go are noticed by their disks, others within a minute.
        """
        from zmon.kernel.worker import SourceWorker  # noqa: PLC0415 - a capture is read without threads

        self._tree = tree
        self._nominal = nominal
        self._patience = patience
        self._counters = Counters(tree)
        self._lanes = [SourceWorker(source) for source in sources(tree, choice, self._counters)]
        weakref.finalize(self, _end, self._lanes)
        self._hotplug = hotplug or Hotplug(None)
        self._later = choice.later
        self._disks: list[str] = []
        self._boot = _boot_id(tree) or "unknown"

    def _notice(self, disks: Frame) -> None:
        """Have devices looked at again when other disks are there than before."""
        if disks.missing is None and disks.keys != self._disks:
            self._disks = disks.keys
            self._look_again(*IDENTITY)

    def _look_again(self, *names: str) -> None:
        """Have these sources read again in this sample."""
        for lane in self._lanes:
            if lane.source.name in names:
                lane.again()

    def sample(self) -> Sample:
        """Read every source that is due and return what there is now."""
        if self._hotplug.changed():
            self._counters.changed()
            self._look_again(*IDENTITY)
        if self._later is not None and self._later.changed():
            self._look_again("containers")
        frames: dict[str, Frame] = {}
        at = Instant(time.time_ns(), time.monotonic_ns(), self._boot)
        for lane in self._lanes:
            frames.update(lane.frames(self._patience))
            if lane.source.name == "disks":
                # the counters' instant is the sample's: what else is read may take seconds
                at = Instant(time.time_ns(), time.monotonic_ns(), self._boot)
                self._notice(frames[BLOCK.name])
        frames[SOURCE.name] = costs(self._lanes, at.steady)
        _overlay(frames)
        return Sample(at, frames, self._tree.name, self._nominal)


def _end(lanes: Sequence[SourceWorker]) -> None:
    """End the threads of a sampler that is gone."""
    for lane in lanes:
        lane.end()


def sample_once(tree: Tree, boot: str, choice: Choice = EVERYTHING) -> Sample:
    """Read one pass of a capture; its times are those of its files.

    `boot` names the run of the machine where the capture does not.
    """
    readings = [SourceReading(source) for source in sources(tree, choice, Counters(tree))]
    frames: dict[str, Frame] = {}
    for reading in readings:
        frames.update({frame.kind.name: frame for frame in reading.read()})
    _overlay(frames)
    now = moment(tree)
    frames[SOURCE.name] = _without_costs(costs(readings, now))
    at = Instant(now, now, _boot_id(tree) or boot)
    return Sample(at, frames, tree.name, simulated=simulated(tree))


def _overlay(frames: dict[str, Frame]) -> None:
    """Put exact totals, where there are some, in the place of those rebuilt from averages."""
    exact = frames.pop(EXACT.name, None)
    if exact is not None and exact.missing is None:
        from zmon.kernel.cmf import overlaid  # noqa: PLC0415 - seldom there is one

        frames[CMF.name] = overlaid(frames[CMF.name], exact)


def costs(readings: Sequence[SourceReading], when: int) -> Frame:
    """Return the frame that says what each source cost."""
    columns: dict[str, list[Value]] = {
        "state": [reading.cost.state for reading in readings],
        "reason": [reading.cost.reason for reading in readings],
        "reads_what": [reading.source.what for reading in readings],
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
    """Leave out what it cost to read a capture: that is no matter of the machine it shows."""
    kept = {"state", "reason", "reads_what", "rows"}
    none = absent("a capture was read, not a machine")
    return frame.but(
        columns={n: v if n in kept else [none] * len(frame.keys) for n, v in frame.columns.items()},
    )


def _boot_id(tree: Tree) -> str:
    """Return what names this run of the machine, so that a restart between samples is noticed."""
    try:
        return text(tree, "proc/sys/kernel/random/boot_id").strip()
    except OSError:
        return ""
