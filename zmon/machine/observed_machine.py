"""What a machine has besides the load of disks: processors, memory, tasks, paths, what hangs.

Parts are of 1, rates per second, times seconds, sizes bytes, instants UTC in ns.  What was not read is absent
with its reason.  The modules `observed_*` beside this one fill these records from a view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.absent import Absent, Number
    from zmon.machine.figure import Variable
    from zmon.machine.observation import ObservedLoad

NOT_READ: Final = absent("it was not read")


class ObservedSystem(NamedTuple):
    """The memory and the tasks of this Linux, and what limits its processors (their load: `ObservedLoad`)."""

    system: Number = NOT_READ
    """The part of the processors' time in the kernel, with interrupts."""
    running: Number = NOT_READ
    """Tasks that run or wait for a CPU, at the end of the interval."""
    blocked: Number = NOT_READ
    """Tasks that wait for I/O to end, likewise."""
    waiting: tuple[tuple[str, float], ...] = ()
    """Tasks that wait uninterruptibly, in words, with seconds; the longest first.  None where not read."""
    io_some: Number = NOT_READ
    memory_some: Number = NOT_READ
    """Parts of the time in which some tasks waited for the resource (PSI)."""
    swapped_in: Number = NOT_READ
    swapped_out: Number = NOT_READ
    """Pages."""
    refaulted_file: Number = NOT_READ
    memory: Number = NOT_READ
    available: Number = NOT_READ
    cached: Number = NOT_READ
    writeback: Number = NOT_READ
    swap_used: Number = NOT_READ
    hypervisor: str = ""
    """`z/VM`, `the hypervisor of the LPARs`, `KVM`; empty if not known."""
    below: Number = NOT_READ
    """Processors of the LPAR, below z/VM."""
    limits: tuple[str, ...] = ()
    """What the hypervisor grants, in words: `the LPAR is capped`."""


class LostPath(NamedTuple):
    """A channel path that some devices of an LCU have, and cannot use."""

    chpid: str
    devices: int
    """How many of them."""
    why: str
    """`configured off`, `varied off by Linux`, `path_repair.ON`: nobody has taken it off; empty if not
    known."""


class LcuPaths(NamedTuple):
    """The channel paths of the devices of an LCU that are on line."""

    lcu: str
    title: str
    devices: int
    installed: tuple[str, ...]
    lost: tuple[LostPath, ...] = ()
    physical: tuple[str, ...] = ()
    """The physical channels (PCHIDs) behind them, where all are known."""
    without_hpf: int = 0
    """Devices of a control unit that knows High Performance FICON, which do not use it."""
    since: int | None = None
    """When the first path was lost, as far as looked back."""


class PathLeaf(NamedTuple):
    """One path to a SCSI disk: a disk of its own to Linux."""

    number: str
    """major:minor."""
    name: str
    """`sda`."""
    adapter: str
    """Bus id of the FCP device; empty if not known."""
    chpid: str
    """The channel path of the adapter; empty if not known."""
    port: str
    """WWPN of the port of the storage server; empty if not known."""
    rate: Number
    """Requests per second."""
    response: Number
    use: Number
    """Utilisation of the channel path."""
    failed: str = ""
    """Why it is not used: `failed`, `offline`, `gone`; empty if it may be."""
    adapter_offline: bool = False
    """Whether its adapter is there and was set offline."""


class MultipathDisk(NamedTuple):
    """A disk that is reached over several paths."""

    key: str
    """`dm-0`."""
    title: str
    groups: tuple[tuple[PathLeaf, ...], ...]
    """In the order of use."""
    selector: str
    turn: int
    """Requests until the next path takes over (`rr_min_io`); 0 if not known."""
    gone: tuple[PathLeaf, ...] = ()
    """Paths that it had within the last day and has no more."""
    since: int | None = None
    """UTC in ns from which on it has fewer paths that work; None if always, as far as is recorded."""

    @property
    def broken(self) -> tuple[PathLeaf, ...]:
        """The paths that are lost: they failed, or are gone."""
        return (*(leaf for leaf in self.leaves if leaf.failed), *self.gone)

    @property
    def leaves(self) -> tuple[PathLeaf, ...]:
        """All paths."""
        return tuple(leaf for group in self.groups for leaf in group)

    @property
    def names(self) -> frozenset[str]:
        """What the disk may be called: as a map, by its alias, and as each of its paths."""
        return frozenset({self.key, self.title, *(leaf.name for leaf in (*self.leaves, *self.gone))})


class StripeSegment(NamedTuple):
    """A part of a logical volume."""

    volumes: tuple[str, ...]
    """Keys of the volumes that it is on."""
    bytes: int


class ExtendedVolume(NamedTuple):
    """A logical volume that was extended: its parts are on different volumes."""

    title: str
    """`vg/lv`."""
    segments: tuple[StripeSegment, ...]
    """In the order of its addresses: what was added later lies behind."""
    group: tuple[str, ...]
    """Keys of all volumes that logical volumes of the volume group lie on."""


class HungDisk(NamedTuple):
    """A volume in which requests do not complete, or a device of the device mapper that is suspended."""

    key: str
    title: str
    seconds: float
    """For how long nothing completed, at least."""
    requests: Number
    """That are in it; of one that is suspended the tasks that wait for I/O, as the kernel holds its requests
    back before it counts them."""
    suspended: bool = False
    """Whether it is suspended: the device mapper holds back all I/O until it is resumed."""


class LackingMeasurement(NamedTuple):
    """A measurement that is off and can be switched on."""

    what: str
    why: str
    switch: str
    """What to do."""
    devices: int
    """How many devices with I/O it is about."""
    column: str
    """Where it would be seen: `device.pend`."""
    value: float | None = None
    """The number in `why`; None: that of the devices."""

    @property
    def number(self) -> float:
        """The number in `why`."""
        return self.devices if self.value is None else self.value


class LoadPeriod(NamedTuple):
    """The time in which an LCU had a load that is not there always."""

    begin: Number
    """UTC in ns; absent if it began before the time that was looked through."""
    end: int | None = None
    """UTC in ns; None if it goes on at the end of the time that is looked at."""
    load: ObservedLoad | None = None
    """What was measured in it alone, where that is another time than is looked at."""


class SlowerWrites(NamedTuple):
    """Since when the writes to an LCU take longer than its reads, and how they were just before."""

    begin: int
    """UTC in ns."""
    writes: float
    """A second, before."""
    write: float
    """Seconds that one took before."""


class UnitPart(NamedTuple):
    """What a service, container, guest or session has of the bytes of an LCU."""

    title: str
    """`user 1000, session 7`."""
    part: float
    """Of 1."""


ONE_TIME: Final = absent("the load of the interval itself is asked for")
"""Asks who has the bytes of an LCU in the interval that is looked at."""


def _unread() -> Absent:
    return NOT_READ


def _not_looked(_lcu: str, _bytes: float) -> Absent:
    return NOT_READ


def _not_compared_writes(_lcu: str, _longer: float) -> Absent:
    return NOT_READ


def _none_came_back(_disk: MultipathDisk) -> bool:
    return False


def _nobody(_lcu: str, _period: LoadPeriod | Absent) -> tuple[()]:
    return ()


def _not_compared(_variable: Variable) -> Absent:
    return NOT_READ


class ObservedMachine(NamedTuple):
    """All of it; each part is read when a diagnosis asks, and once."""

    system: Callable[[], ObservedSystem] = ObservedSystem
    paths: Callable[[], Sequence[LcuPaths] | Absent] = _unread
    maps: Callable[[], Sequence[MultipathDisk] | Absent] = _unread
    came_back: Callable[[MultipathDisk], bool] = _none_came_back
    """Returns whether a path of a disk works that did not a short time before: a backlog may be behind it."""
    extended: Callable[[], Sequence[ExtendedVolume] | Absent] = _unread
    """Logical volumes that were extended over other volumes."""
    period: Callable[[str, float], LoadPeriod | Absent] = _not_looked
    """Returns when an LCU, by its key, had much more than so many bytes a second, as far as looked back."""
    slower_writes: Callable[[str, float], SlowerWrites | Absent] = _not_compared_writes
    """Returns since when writes to an LCU, by its key, take so many seconds longer than reads."""
    units: Callable[[str, LoadPeriod | Absent], Sequence[UnitPart]] = _nobody
    """Returns who has most of the bytes of an LCU, by its key, in such a time; none if not known."""
    hung: Callable[[], Sequence[HungDisk] | Absent] = _unread
    lacking: Callable[[], Sequence[LackingMeasurement]] = tuple
    usual: Callable[[Variable], Number] = _not_compared
    """Returns what a figure usually is at this hour, from other days that were recorded."""
