"""The stack of block devices: partitions, volumes and arrays, and the disks at their feet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zmon.absent import Absent
from zmon.topology.target import Target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Number, Value
    from zmon.sample import Frame


class Member(NamedTuple):
    """One device of an md array."""

    slot: int
    number: str
    offset: int
    """First byte of data there."""
    size: int
    """Bytes of data there; 0 when that was not read."""


class Node(NamedTuple):
    """One block device."""

    number: str
    """major:minor, which is what identifies it while it is there."""
    name: Value
    """As the kernel calls it: `dasda1`, `dm-3`."""
    sort: Value
    """`disk`, `partition`, `dm`, `md`, `loop`."""
    parent: Value
    """Number of the whole disk of a partition."""
    start: Number
    """First byte of a partition on its disk."""
    size: Number
    """Bytes."""
    below: tuple[str, ...]
    """Numbers of the devices that it is made of, those that hold no data among them."""
    mapped: Value
    """Name in /dev/mapper."""
    uuid: Value
    """Of the device mapper: `LVM-...`, `mpath-...`."""
    table: tuple[Target, ...] | Absent
    """Of the device mapper."""
    level: Value
    layout: Value
    chunk: Number
    """Bytes of a chunk of an md array."""
    members: tuple[Member, ...]
    """Of an md array, by slot."""
    busid: Value
    wwpn: Value
    lun: Value
    file: Value
    """What a loop device is made of."""

    @property
    def title(self) -> str:
        """What people call it: `vg/lv`, `/dev/mapper` name, `dasda1`; its number if nothing else."""
        raise NotImplementedError


class Step(NamedTuple):
    """One device on the way down."""

    depth: int
    number: str
    title: str
    what: str
    """What it is, for people: `striped over 4, 64 KiB`."""


class Stack:
    """The block devices of a machine, and what each is made of."""

    def __init__(self, layers: Frame, mappings: Mapping[str, str] | None = None) -> None:
        """Take the rows of a LAYER frame; `mappings` are dumps of thin pools, by the pool's number."""
        raise NotImplementedError

    def node(self, number: str) -> Node | None:
        """Return the device with this number."""
        raise NotImplementedError

    def named(self, name: str) -> Node | None:
        """Return the device of this name: `dasda1`, `/dev/mapper/vg-lv`, `vg/lv`, `94:5`."""
        raise NotImplementedError

    def segments(self, number: str) -> tuple[Target, ...] | Absent:
        """Return how a device lies on those below it; nothing for a leaf, absent when that is not known."""
        raise NotImplementedError

    def leaves(self, number: str) -> list[str]:
        """Return the numbers of the disks that a device may lie on."""
        raise NotImplementedError

    def above(self, number: str) -> list[str]:
        """Return the numbers of all devices that are built on this one."""
        raise NotImplementedError

    def paths(self, number: str) -> list[Node]:
        """Return the disks that are paths to a multipath device, itself when it is no such."""
        raise NotImplementedError

    def chain(self, number: str) -> list[Step]:
        """Return the devices from this one down, each once."""
        raise NotImplementedError
