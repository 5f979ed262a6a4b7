"""Chunks of btrfs: where its logical addresses lie on its devices.

A file's extents name addresses of btrfs's own space, which is cut into chunks; each chunk lies in
one or more stripes on the devices.  In a fresh file system of one device the addresses happen to be
those of the device, so that the mistake of taking them for such goes unnoticed.
"""

from __future__ import annotations

from typing import NamedTuple


class Stripe(NamedTuple):
    """A piece of a device."""

    device: str
    """Device id within the file system."""
    first: int
    """Byte of the device where it begins."""


class Chunk(NamedTuple):
    """A stretch of logical addresses and where it lies."""

    first: int
    length: int
    profile: str
    """`single`, `dup`, `raid0`, `raid1`, `raid1c3`, `raid1c4`, `raid10`, `raid5`, `raid6`."""
    unit: int
    """Bytes that lie on one stripe before the next one's turn."""
    stripes: tuple[Stripe, ...]


def parse_chunks(content: str) -> tuple[Chunk, ...]:
    """Read the `chunks` of a mount."""
    raise NotImplementedError
