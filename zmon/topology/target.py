"""Targets: how each stretch of a device is laid out over those below it.

The tables of the device mapper say it, one line per segment, as `dmsetup table` prints one device:
`start length target arguments`, in sectors of 512 bytes.  A volume that was extended later has
several segments, each of a width of its own.  md arrays and partitions are put in the same terms by
`zmon.topology.stack`, so that whoever goes down a stack meets targets alone.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

SECTOR: Final = 512
"""Bytes of the sectors that the kernel counts in, whatever the blocks of the disk are."""


class Layout(Enum):
    """How bytes lie on legs; what the many names of targets come down to."""

    LINEAR = "linear"
    """One after the other on one leg."""
    STRIPED = "striped"
    """Chunk by chunk, round the legs."""
    MIRROR = "mirror"
    """All on every leg."""
    PARITY = "parity"
    """Chunk by chunk, with one or two chunks of each row that can rebuild others."""
    NEAR = "near"
    """Chunk by chunk, each in several copies on legs side by side."""
    EVEN = "even"
    """Round the legs in equal shares, in an order that is not known to zmon."""
    PATHS = "paths"
    """The legs are paths to one disk."""
    SOMEWHERE = "somewhere"
    """On some of the legs, and only the target knows which."""
    NOWHERE = "nowhere"
    """On no device."""


class Leg(NamedTuple):
    """One device that holds a part."""

    device: str
    """Its number, `94:5`; empty when it is missing."""
    offset: int = 0
    """Where the part begins there, in bytes."""


class Target(NamedTuple):
    """One segment of a device."""

    start: int
    """Its first byte on the device."""
    length: int
    """Its bytes."""
    kind: str
    """What it is called: `linear`, `striped`, `raid5_ls`, `thin-pool`."""
    layout: Layout
    legs: tuple[Leg, ...] = ()
    """The devices that hold its data, in the order of the layout."""
    chunk: int = 0
    """Bytes that lie together on a leg of a striped layout."""
    copies: int = 1
    """How often each byte is there in a near layout."""
    beside: tuple[str, ...] = ()
    """Numbers of devices that belong to it and hold none of its data: metadata, logs."""
    note: str = ""
    """What a person must know to trust the place, if anything."""
    arguments: str = ""
    """As printed, after the name of the target."""

    @property
    def end(self) -> int:
        """The first byte after it."""
        return self.start + self.length


def parse_table(text: str) -> list[Target]:
    """Parse the table of one device; see the module.

    Raises:
        ValueError: a line is not understood, or segments overlap; the message quotes what was found.
    """
    raise NotImplementedError


def describe(target: Target) -> str:
    """Say for people how a target lies: `striped over 4, 64 KiB`."""
    raise NotImplementedError
