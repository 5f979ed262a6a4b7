"""What is known of single volumes besides their load, and of block devices made of others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.record import NamedTuple
from zmon.interval import IDLE
from zmon.kinds import BLOCK, CACHE, LAYER
from zmon.machine.blocks import Blocks
from zmon.machine.devices import devices_of
from zmon.machine.join import first, plus, present, quotient
from zmon.machine.topology import row_of
from zmon.machine.volume_cache import READ_HITS, READS, WRITES
from zmon.sample import pick
from zmon.topology.leaf_disks import leaf_disks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, KeysView, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.devices import Devices
    from zmon.machine.observation import Volumes
    from zmon.sample import Frame

KINDS: Final = (BLOCK, CACHE, LAYER)
"""What is read of a sample besides what `zmon.machine.observed` reads."""
OF_STARTS: Final = {"device_busy": "busy", "cu_queue": "cu_queue"}
"""Details that are times per start of I/O, with the field that counts them."""
OF_CACHE: Final = {
    "hits": (READ_HITS, READS),
    "sequential": (("seq_reads",), READS),
    "delayed": (("dfw_delayed",), WRITES),
}
"""Details that are parts of reads or writes, with the fields that they are the quotient of."""
TICKS: Final = 1e-9
"""Seconds in a nanosecond."""
STRIPED: Final = " striped "
"""What the table of a device with stripes has."""


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
    """`simplex`, or what it is in a pair: `primary`, `secondary`; as its cache or the driver has it."""
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
    volumes: tuple[str, ...] = ()
    """The keys of the disks that it is made of."""
    targets: frozenset[str] = frozenset()
    """The targets of its table of the device mapper, such as `crypt`; none if it was not read."""

    @property
    def title(self) -> str:
        """Its names: `vg-data (dm-0)`, or `md0`."""
        return f"{self.volume} ({self.name})" if self.volume else self.name


def volume_details(interval: Interval) -> DetailColumns:
    """Return the details of each disk with a block device, by its bus id or name."""
    devices = devices_of(interval)
    rows = row_of(devices.keys)
    if Absent in set(map(type, devices.names)):
        rows = {key: row for key, row in rows.items() if not isinstance(devices.names[row], Absent)}
    return DetailColumns(rows, partial(_detail, devices))


def _detail(devices: Devices, name: str, rows: Sequence[int]) -> Sequence[Value]:
    """Return one detail of some disks."""
    if name in OF_STARTS:
        cmf = devices.cmf
        return quotient(cmf.at(rows, OF_STARTS[name]), cmf.at(rows, "samples"), TICKS, IDLE)
    if name == "in_linux":
        return pick(devices.column("queue"), rows)
    if name == "tags":
        return devices.blocks.counted.at(rows, "nr_requests")
    cache = devices.cache
    if name == "duplex":
        return first(cache.at(rows, "duplex"), pick(devices.ccw["copy_role"], rows))  # type: ignore[arg-type]  # texts are values, too
    parts, wholes = OF_CACHE[name]
    part, whole = (plus(*(cache.at(rows, field) for field in names)) for names in (parts, wholes))
    return quotient(part, whole, 1.0, IDLE)


def stacked_disks(interval: Interval) -> tuple[StackedDisk, ...]:
    """Return the block devices with I/O that are made of others, with the disks below them."""
    layers = interval.after.frame(LAYER)
    made = _made_of(layers)
    if not made:
        return ()
    leaves, blocks, row_of = leaf_disks(layers), Blocks(interval), interval.of(BLOCK).index
    devices = devices_of(interval)
    keys: dict[Value, str] = dict(zip(devices.names, devices.keys, strict=True))
    columns = [layers.column(name) for name in ("name", "mapped", "table")]
    stacked = []
    for row in made:
        name, title, table = (text_of(column[row]) for column in columns)
        lowest = [*map(leaves.name, leaves.lowest(layers.keys[row]))]
        own, disks = ([row_of[disk] for disk in names if disk in row_of] for names in ([name], lowest))
        load = [blocks.of(key, own) for key in ("ios", "await")]
        load += (blocks.of(key, disks) for key in ("await", "ios", "bytes"))
        figures = present(load)
        if len(figures) == len(load):
            rate, response, below, below_rate, moved = figures
            times, size = (response / 1e3, below / 1e3), moved / below_rate
            stripe = _smallest_stripe(table)
            volumes = tuple(keys[disk] for disk in lowest if disk in keys)
            targets = frozenset(re.findall(r"(?m)^[0-9]+ [0-9]+ (\S+)", table))
            stacked.append(StackedDisk(name, rate, *times, below_rate, size, title, stripe, volumes, targets))
    return tuple(stacked)


def _smallest_stripe(table: str) -> Number:
    """Return the bytes of the smallest stripe that a table of the device mapper has."""
    if STRIPED not in table:
        return NO_STRIPE
    from zmon.topology.target import TargetLayout, parse_table  # noqa: PLC0415 - most devices have none

    chunks = (target.chunk for target in parse_table(table) if target.layout is TargetLayout.STRIPED)
    return min(chunks, default=NO_STRIPE)


@lru_cache(maxsize=2)  # how disks are stacked is read once a minute, and two times may be compared
def _made_of(layers: Frame) -> list[int]:
    """Return the rows of the devices that are made of others."""
    return [row for row, below in enumerate(layers.column("below")) if text_of(below)]
