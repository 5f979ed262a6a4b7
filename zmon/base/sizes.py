"""Sizes that others are written in: MB are powers of ten, KiB and GiB are powers of two."""

from __future__ import annotations

from zmon.base.light_typing import Final

SECTOR: Final = 512
"""Bytes of what the kernel counts blocks in, whatever the device's own block is."""
KIB: Final = 1 << 10
MIB: Final = 1 << 20
GIB: Final = 1 << 30
MB: Final = 1_000_000
