"""All that a diagnosis looks at: plain records of an interval, of the time before it, and of the machine.

`zmon.tables.diagnosed` fills them.  What was not read is absent with its reason, so a diagnosis that needs
it is not known, never false.  What takes long to fill is a function, which only a cause that needs it calls;
it computes once.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import absent
from zmon.machine.observation import bytes_of
from zmon.machine.observed_machine import ObservedMachine
from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, KeysView, Sequence

    from zmon.absent import Number, Value
    from zmon.machine.observation import ObservedLoad, ObservedVolume, Volumes
    from zmon.queueing.change import Change
    from zmon.queueing.fit import FlowShare
    from zmon.queueing.prediction import Prediction
    from zmon.queueing.waiting import Waiting


NO_STRIPE: Final = absent("its table names no stripes")


class VolumeDetail(NamedTuple):
    """What is known of a volume besides its load; times are seconds."""

    device_busy: Number
    """Per start of I/O: the device is busy, or reserved by another system."""
    cu_queue: Number
    """Per start of I/O: the request waits in the control unit."""
    hits: Number
    """The part of the reads that the cache answers."""
    sequential: Number
    """The part of the reads that the storage server takes for sequential."""
    delayed: Number
    """The part of the writes that wait because the write cache is full."""
    duplex: Value
    """`simplex`, or what it is in a pair: `primary`, `secondary`."""
    in_linux: Number
    """Requests of Linux that are not answered, on average."""
    tags: Number
    """How many of them the disk may have at once."""


class DetailColumns(Mapping[str, VolumeDetail]):
    """The details of volumes, of which each is computed for those alone of which somebody asks for it."""

    def __init__(
        self, rows: Mapping[str, int], column: Callable[[str, Sequence[int]], Sequence[Value]]
    ) -> None:
        """Know the rows of volumes by their keys; `column` returns a detail, by its name, of some rows."""
        self._rows, self._column = rows, column

    def __getitem__(self, key: str) -> VolumeDetail:
        return VolumeDetail._make(self._column(name, [self._rows[key]])[0] for name in VolumeDetail._fields)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def keys(self) -> KeysView[str]:
        """Return the keys of the volumes."""
        return self._rows.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, name: str, keys: Sequence[str]) -> Sequence[Value]:
        """Return one detail of some volumes."""
        return self._column(name, list(map(self._rows.__getitem__, keys)))


def detailed(details: Mapping[str, VolumeDetail], volumes: Volumes) -> Volumes:
    """Return the volumes that have details: as a rule all of them."""
    keys = volumes.column("key")
    if details.keys() >= set(keys):
        return volumes
    return volumes.part([at for at, key in enumerate(keys) if key in details])


def details_of(details: Mapping[str, VolumeDetail], name: str, keys: Sequence[str]) -> Sequence[Any]:
    """Return one detail of some volumes, all of which have details."""
    if isinstance(details, DetailColumns):
        return details.of(name, keys)
    return [getattr(details[key], name) for key in keys]


class StackedDisk(NamedTuple):
    """A block device that Linux makes of others: dm, md."""

    name: str
    rate: float
    response: float
    """Seconds that a request to it takes."""
    below: float
    """Seconds that a request to the disks below takes on average."""
    below_rate: float
    """Requests per second to all disks below."""
    below_size: float
    """Bytes of a request to these."""
    volume: str = ""
    """What the device mapper calls it, as `/dev/mapper` has it: `vg-data`; empty if not known."""
    stripe: Number = NO_STRIPE
    """Bytes of its smallest stripe."""

    @property
    def title(self) -> str:
        """Its names: `vg-data (dm-0)`, or `md0`."""
        return f"{self.volume} ({self.name})" if self.volume else self.name


def _no_details() -> Mapping[str, VolumeDetail]:
    return {}


def _no_load() -> ObservedLoad | None:
    return None


class Situation(NamedTuple):
    """What is known at one time."""

    load: ObservedLoad
    """Volumes, LCUs, paths and processors in the interval."""
    waiting: Waiting
    """Where requests wait in it; no diagnosis says that requests wait for something that is not there."""
    earlier: Callable[[], ObservedLoad | None] = _no_load
    """The hour that ended an hour before; if requests waited then, one before that; of a recording that is
    shorter its first calm minutes."""
    predict: Callable[[Sequence[Change]], Prediction] | None = None
    """What changes would give, from the model of all resources; None where the times are not measured.

    Raises ValueError where a change cannot be made."""
    shares: Callable[[], Sequence[FlowShare]] = tuple
    """The parts of the volumes' traffic that known files have; none without a listing."""
    details: Callable[[], Mapping[str, VolumeDetail]] = _no_details
    """Of volumes by their keys."""
    stacked: Callable[[], Sequence[StackedDisk]] = tuple
    """Block devices with I/O that are made of others."""
    machine: ObservedMachine = ObservedMachine()
    """Processors, memory, paths, what hangs; and when a load began."""
    sees_disks: bool = True
    """Whether it is known which disks there are."""
    damage: Callable[[], str] = str
    """What of all this is damaged in the recording, as far as it was asked for; empty if nothing is."""

    def owners_of(self, volumes: Sequence[ObservedVolume]) -> list[tuple[str, float]]:
        """Return the tablespaces on some volumes with their parts of the bytes there, the largest first."""
        moved = {one.key: bytes_of([one]) for one in volumes}
        whole = fsum(moved.values())
        found: dict[str, float] = {}
        for share in self.shares() if whole else ():
            if moved.get(share.volume):
                found[share.owner] = found.get(share.owner, 0.0) + share.part * moved[share.volume] / whole
        return sorted(found.items(), key=lambda each: (-each[1], each[0]))
