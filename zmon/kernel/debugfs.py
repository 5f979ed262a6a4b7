"""The envelope of /sys/kernel/debug/s390_hypfs/*: 64 bytes, then what the hypervisor answered.

The envelope tells the length of the answer in its first 8 bytes and its own version in a later
halfword (arch/s390/hypfs/hypfs_dbfs.c).  Each read at offset 0 is a new call of the hypervisor, and
a read at any other offset gives nothing, so one read has to be large enough for all of it.
"""

from __future__ import annotations

import struct
from typing import Final

HEADER: Final = 64
"""Bytes of the envelope."""

AT_ONCE: Final = 1 << 20
"""Size of the one read: more than any hypervisor answers."""


def payload(data: bytes, name: str) -> bytes:
    """Return the hypervisor's answer without the envelope.

    Raises:
        ValueError: less was read than the envelope announces, or the envelope is of a later version.
    """
    if len(data) < HEADER:
        raise ValueError(f"{name}: expected a header of {HEADER} bytes, found {len(data)} bytes")
    length, version = struct.unpack_from(">QH", data)
    if version:
        raise ValueError(f"{name}: expected header version 0, found {version}")
    if HEADER + length > len(data):
        raise ValueError(f"{name}: expected {HEADER}+{length} bytes, found {len(data)}")
    return data[HEADER : HEADER + length]
