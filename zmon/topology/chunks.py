"""Chunks of btrfs: where its logical addresses lie on its devices.

A file's extents name addresses of btrfs's own space, which is cut into chunks; each chunk lies in stripes on
the devices.  In a new file system of one device these addresses happen to equal those of the device, so a
program that confuses them seems to work.

A run of logical addresses inside one chunk is one run on each of its stripes, so the work does not
grow with the length of a file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from zmon.base.record import NamedTuple
from zmon.topology.stripe import striped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Range = tuple[int, int]
"""[begin, end) in bytes."""

COPIES: Final = {
    "single": 1, "dup": 2, "raid0": 1, "raid1": 2, "raid1c3": 3, "raid1c4": 4, "raid10": 2,
}  # fmt: skip
"""The copies of each byte, for the profiles that zmon can map byte by byte."""
PARITY: Final = {"raid5": 1, "raid6": 2}
"""Parity stripes, for the profiles of which only the shares per device are known."""

_WORD: Final = re.compile(r"([0-9a-f]{1,16})\+([0-9a-f]{1,16}):(\w{1,12}):([0-9a-f]{1,8}):(\S+)", re.ASCII)
_STRIPE: Final = re.compile(r"(\d{1,20})@([0-9a-f]{1,16})", re.ASCII)


class ChunkStripe(NamedTuple):
    """One stripe of a chunk: a part of a device."""

    device: str
    """Device id within the file system."""
    first: int
    """Byte of the device where it begins."""


class Chunk(NamedTuple):
    """A range of logical addresses and where it lies."""

    first: int
    length: int
    profile: str
    """A key of `COPIES` or of `PARITY`."""
    unit: int
    """Consecutive bytes on one stripe before the next stripe follows."""
    stripes: tuple[ChunkStripe, ...]

    @property
    def columns(self) -> tuple[tuple[ChunkStripe, ...], ...]:
        """The stripes that bytes are spread over, each with its copies, the first copy first."""
        if self.profile == "raid0":
            return tuple((stripe,) for stripe in self.stripes)
        if self.profile == "raid10":
            return tuple(zip(self.stripes[::2], self.stripes[1::2], strict=True))
        return (self.stripes,)


class DeviceRange(NamedTuple):
    """Bytes of a device, and whether they are a further copy of bytes counted elsewhere."""

    device: str
    begin: int
    end: int
    copy: bool


class EvenShares(NamedTuple):
    """Bytes that some devices hold in equal shares, in unknown places."""

    devices: tuple[str, ...]
    data: int
    copies: int
    """Bytes of parity that belong to them."""


class ChunkPlacement(NamedTuple):
    """Where ranges of logical addresses lie."""

    runs: list[DeviceRange]
    evenly: list[EvenShares]
    outside: int
    """Bytes that are in no chunk: the chunks were read at another time."""


def parse_chunks(content: str) -> tuple[Chunk, ...]:
    """Read the `chunks` of a mount: words `FIRST+LENGTH:PROFILE:UNIT:DEVICE@BYTE,...`, numbers in hex.

    Device ids are decimal, as everywhere else.  The chunks are returned in the order of addresses.

    Raises:
        ValueError: a word has not this form, or two chunks claim the same address.
    """
    chunks = sorted(map(_chunk, content.split()))
    for chunk, other in pairwise(chunks):
        if chunk.first + chunk.length > other.first:
            raise ValueError(f"two btrfs chunks hold address {other.first:#x}")
    return tuple(chunks)


def _chunk(word: str) -> Chunk:
    match = _WORD.fullmatch(word)
    stripes = [_STRIPE.fullmatch(part) for part in match[5].split(",")] if match else [None]
    if match is None or None in stripes:
        raise ValueError(f"not FIRST+LENGTH:PROFILE:UNIT:DEVICE@BYTE,...: {word[:80]!r}")
    chunk = Chunk(
        int(match[1], 16),
        int(match[2], 16),
        match[3],
        int(match[4], 16),
        tuple(ChunkStripe(stripe[1], int(stripe[2], 16)) for stripe in stripes if stripe),
    )
    if not chunk.unit or not chunk.length:
        raise ValueError(f"a btrfs chunk of no length: {word[:80]!r}")
    if chunk.profile not in COPIES and chunk.profile not in PARITY:
        raise ValueError(f"a btrfs profile that zmon does not know: {chunk.profile!r}")
    if not _fits(chunk.profile, len(chunk.stripes)):
        raise ValueError(f"{chunk.profile} on {len(chunk.stripes)} stripes: {word[:80]!r}")
    return chunk


def _fits(profile: str, stripes: int) -> bool:
    if profile in PARITY:
        return stripes > PARITY[profile]
    if profile == "raid0":
        return True
    if profile == "raid10":
        return stripes % 2 == 0
    return stripes == COPIES[profile]


def place_ranges(chunks: tuple[Chunk, ...], ranges: Iterable[Range]) -> ChunkPlacement:
    """Return where ranges of logical addresses lie; `chunks` are in the order of addresses."""
    firsts = [chunk.first for chunk in chunks]
    placed = ChunkPlacement([], [], 0)
    outside = 0
    for begin, end in ranges:
        at = max(bisect_right(firsts, begin) - 1, 0)
        inside = 0
        while at < len(chunks) and chunks[at].first < end:
            chunk = chunks[at]
            low, high = max(begin, chunk.first), min(end, chunk.first + chunk.length)
            if low < high:
                inside += high - low
                _place(chunk, low - chunk.first, high - chunk.first, placed)
            at += 1
        outside += end - begin - inside
    return placed._replace(outside=outside)


def _place(chunk: Chunk, low: int, high: int, placed: ChunkPlacement) -> None:
    if chunk.profile in PARITY:
        data = len(chunk.stripes) - PARITY[chunk.profile]
        parity = (high - low) * PARITY[chunk.profile] // data
        placed.evenly.append(EvenShares(tuple(stripe.device for stripe in chunk.stripes), high - low, parity))
    else:
        placed.runs.extend(_runs(chunk, low, high))


def _runs(chunk: Chunk, low: int, high: int) -> Iterator[DeviceRange]:
    columns = chunk.columns
    for leg, part, _ in striped(len(columns), chunk.unit, low, high):
        for copy, piece in enumerate(columns[leg]):
            yield DeviceRange(piece.device, piece.first + part.begin, piece.first + part.end, copy > 0)
