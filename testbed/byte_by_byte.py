#!/usr/bin/env python3
"""Write random files, then look for each byte on the raw disks, at the place that zmon computes for it.

    byte_by_byte.py write /srv/a/file=4 /srv/b/file=15      files of 4 and of 15 MiB, each with a hole
    byte_by_byte.py compare /srv/a/file=4 ...               what was found, as JSON
    byte_by_byte.py compare --dump 253:7=pool.xml ...       with the map of a thin pool

Runs in the guest, as root.  Nothing is taken from the cache: what is compared are the disks.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import random
import re
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.absent import Absent
from zmon.base.listed_file import ListedFile
from zmon.base.sizes import SECTOR
from zmon.kernel.file_extents import read_containers
from zmon.kernel.mountinfo import read_mounts
from zmon.kernel.open_file import PLACELESS, read_extents
from zmon.kernel.sys_block import read_layers
from zmon.kernel.tree import LiveTree
from zmon.topology import stripe
from zmon.topology.chunks import place_ranges
from zmon.topology.data_files import files_in
from zmon.topology.mapping import STEPS
from zmon.topology.mounts import mounts_in
from zmon.topology.stack import DEPTH, Stack
from zmon.topology.target import Leg, Target, TargetLayout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.sample import Frame
    from zmon.topology.mounts import Mount, Mounts
    from zmon.topology.stack import BlockDevice

MIB: Final = 1 << 20
HOLE: Final = range(MIB, 2 * MIB)
"""The bytes of each file that are never written, so that it has more than one extent."""
BLOCK: Final = 4096
FLUSH: Final = 0x1261
"""BLKFLSBUF: forget what is cached of a disk."""


class Asked(NamedTuple):
    """A file and its size."""

    path: str
    size: int

    @property
    def content(self) -> bytes:
        """What is in it: bytes that no other file has."""
        content = random.Random(self.path).randbytes(self.size)  # noqa: S311 - it is no secret
        return content[: HOLE.start] + bytes(len(HOLE)) + content[HOLE.stop :]


def asked(word: str) -> Asked:
    """Read `/srv/a/file=4`."""
    path, _, size = word.partition("=")
    return Asked(path, int(size) * MIB)


def write(file: Asked) -> None:
    """Write a file, all but its hole."""
    content = file.content
    with open(file.path, "wb") as f:
        f.write(content[: HOLE.start])
        f.seek(HOLE.stop)
        f.write(content[HOLE.stop :])
        f.flush()
        os.fsync(f.fileno())


class Disks:
    """The raw disks, read past all caches."""

    def __init__(self) -> None:
        """Open none yet."""
        self._open: dict[str, int] = {}

    def read(self, number: str, offset: int, length: int) -> bytes:
        """Read bytes of a disk."""
        if number not in self._open:
            self._open[number] = os.open(f"/dev/{self.name(number)}", os.O_RDONLY)
            fcntl.ioctl(self._open[number], FLUSH)
        return os.pread(self._open[number], length, offset)

    @staticmethod
    def name(number: str) -> str:
        """Return what the kernel calls a disk."""
        return Path(f"/sys/dev/block/{number}").resolve().name

    def about(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return the names of a disk, and the devices over which it is reached."""
        devices = [Path(f"/sys/dev/block/{number}/device").resolve().parts for number in paths]
        return {
            "disks": [self.name(number) for number in paths],
            "busids": [next(part for part in reversed(parts) if part[:2] == "0.") for parts in devices],
        }


class Comparison:
    """What was found of one file."""

    def __init__(self, file: Asked) -> None:
        """Begin."""
        self.file = file
        self.content = file.content
        self.equal: dict[str, Counter[str]] = defaultdict(Counter)
        """Bytes that were found, by disk, as `bytes` or further `copies`."""
        self.paths: dict[str, list[str]] = {}
        """The numbers by which the kernel knows each disk: several if several paths lead to it."""
        self.wrong = 0
        self.nowhere = 0

    def look(self, disks: Disks, spot: BytePlace, at: int, length: int, sort: str) -> None:
        """Compare what a disk holds, read over each path, with what was written."""
        wrong = sum(
            unlike(disks.read(path, spot.offset, length), self.content[at : at + length])
            for path in self.paths[spot.leaf]
        )
        self.wrong += wrong
        self.equal[spot.leaf][sort] += 0 if wrong else length

    def report(self, disks: Disks) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "path": self.file.path,
            "written": self.file.size - len(HOLE),
            "wrong": self.wrong,
            "nowhere": self.nowhere,
            "disks": [{**disks.about(self.paths[leaf]), **count} for leaf, count in self.equal.items()],
        }


def unlike(found: bytes, wanted: bytes) -> int:
    """Return how many bytes differ."""
    return 0 if found == wanted else sum(a != b for a, b in zip(found, wanted, strict=True))


def compare(file: Asked, mounts: Mounts, dumps: Mapping[str, str], disks: Disks) -> dict[str, Any]:
    """Compare a file with the disks below it."""
    tree = LiveTree()
    (row,) = files_in(read_containers(tree, [ListedFile(file.path)]))
    if isinstance(row.number, Absent):
        sys.exit(f"{file.path}: {row.number.reason}")
    mount = mounts.by_number.get(row.number)
    below = {} if mount is None or isinstance(mount.devices, Absent) else mount.devices
    stack = ThinStack(read_layers(tree, below.values() or [row.number]), dumps)
    found = Comparison(file)
    with open(file.path, "rb") as f:
        extents = read_extents(f.fileno())
        found.wrong += unlike(f.read(), found.content)
    for logical, physical, length, flags in extents:
        if flags & PLACELESS:
            found.nowhere += length
            continue
        at = 0
        while at < length:
            places = spots(stack, row.number, mount, physical + at)
            run = min([length - at, *(spot.run for spot in places)])
            found.nowhere += 0 if places else run
            for copy, spot in enumerate(places):
                found.paths[spot.leaf] = [path.number for path in stack.paths(spot.leaf)]
                found.look(disks, spot, logical + at, run, "copies" if copy else "bytes")
            at += run
    return found.report(disks)


def spots(stack: Stack, number: str, mount: Mount | None, at: int) -> list[BytePlace]:
    """Return the places of one byte of a file system, and how long the bytes behind it follow."""
    if mount is None or mount.fstype != "btrfs":
        return locate_byte(stack, number, at)
    if isinstance(mount.chunks, Absent) or isinstance(mount.devices, Absent):
        return []
    runs = place_ranges(mount.chunks, [(at, at + BLOCK)]).runs
    return [
        spot._replace(run=min(spot.run, BLOCK))
        for run in runs
        for spot in locate_byte(stack, mount.devices[run.device], run.begin)
    ]


def comparisons(files: Sequence[Asked], dumps: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Compare files, one after the other."""
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")
    mounts = mounts_in(read_mounts(LiveTree()))
    disks = Disks()
    for file in files:
        yield compare(file, mounts, dumps, disks)


# --- the place of one byte, without the formulas for many ---


class BytePlace(NamedTuple):
    """Where one byte lies."""

    leaf: str
    offset: int
    run: int
    """For so many bytes from there on the next bytes lie one after the other."""


def locate_byte(stack: Stack, number: str, offset: int) -> list[BytePlace]:
    """Return where the byte at an offset lies, in all its copies, the first first.

    Empty where that is not known.  Parity is no copy.
    """
    found: list[BytePlace] = []
    ahead: list[tuple[str, int, int | None, int]] = [(number, offset, None, 0)]
    for _ in range(STEPS):
        if not ahead:
            break
        here, at, run, depth = ahead.pop()
        layout = stack.layout(here)
        if at < 0 or layout.reason or (layout.size is not None and at >= layout.size) or depth >= DEPTH:
            continue
        if layout.size is not None:
            run = layout.size - at if run is None else min(run, layout.size - at)
        if not layout.segments:
            found.append(BytePlace(here, at, 1 if run is None else run))
            continue
        place = bisect_right(layout.starts, at) - 1
        target = layout.segments[max(place, 0)]
        if not target.start <= at < target.end:
            continue
        left = target.end - at if run is None else min(run, target.end - at)
        for spot in reversed(_spots(target, at - target.start)):
            leg = target.legs[spot.leg]
            if leg.device:
                ahead.append((leg.device, spot.offset + leg.offset, min(left, spot.run or left), depth + 1))
    return found


class LegPlace(NamedTuple):
    """The place of one byte on a leg."""

    leg: int
    offset: int
    run: int
    """The number of consecutive bytes from there on."""


def _spots(target: Target, x: int) -> list[LegPlace]:
    """Return where byte `x` of a target lies on its legs; a run of 0 lasts to the end of the target."""
    legs = len(target.legs)
    match target.layout:
        case TargetLayout.LINEAR | TargetLayout.MIRROR:
            return [LegPlace(leg, x, 0) for leg in range(legs)]
        case TargetLayout.STRIPED:
            return [striped_at(legs, target.chunk, x)]
        case TargetLayout.PARITY:
            return [parity_at(stripe.rows(target.kind, legs), target.chunk, x)]
        case TargetLayout.NEAR:
            return near_at(legs, target.copies, target.chunk, x)
    return []


def striped_at(legs: int, chunk: int, x: int) -> LegPlace:
    """Return where byte `x` of a striped device lies."""
    number, within = divmod(x, chunk)
    row, leg = divmod(number, legs)
    return LegPlace(leg, row * chunk + within, chunk - within)


def parity_at(layout: stripe.Rows, chunk: int, x: int) -> LegPlace:
    """Return where byte `x` of an array with parity lies; its parity is no copy of it."""
    number, within = divmod(x, chunk)
    row, place = divmod(number, len(layout[0]))
    return LegPlace(layout[row % len(layout)][place], row * chunk + within, chunk - within)


def near_at(legs: int, copies: int, chunk: int, x: int) -> list[LegPlace]:
    """Return where byte `x` of an array with near copies lies, in all copies."""
    number, within = divmod(x, chunk)
    places = (divmod(place, legs) for place in range(number * copies, (number + 1) * copies))
    return [LegPlace(leg, row * chunk + within, chunk - within) for row, leg in places]


# --- thin pools ---


class ThinRun(NamedTuple):
    """Blocks side by side on the volume that are side by side on the pool as well; all in bytes."""

    origin: int
    data: int
    length: int


_ELEMENT: Final = r"<(superblock|device|single_mapping|range_mapping)\b([^<>]*)>"
_ATTRIBUTE: Final = r"\b([a-z_]+)\s*=\s*[\"']([^\"']*)[\"']"


def parse_thin_dump(text: str) -> dict[int, tuple[ThinRun, ...]]:
    """Parse what `thin_dump` wrote: for the number of each thin device its runs, by place on the volume.

    Only what is needed is looked at: `superblock data_block_size` (sectors), `device dev_id`, and in blocks
    `single_mapping origin_block data_block` and `range_mapping origin_begin data_begin length`.

    Raises:
        ValueError: it is no such dump, or a number is missing in it.
    """
    found: dict[int, list[ThinRun]] = {}
    runs: list[ThinRun] | None = None
    block = 0
    for element in re.finditer(_ELEMENT, text):
        numbers = dict(re.findall(_ATTRIBUTE, element[2]))
        match element[1]:
            case "superblock":
                block = _take(numbers, "data_block_size") * SECTOR
            case "device":
                runs = found.setdefault(_take(numbers, "dev_id"), [])
            case _ if runs is None or not block:
                raise ValueError("a mapping comes before the superblock or the device")
            case "single_mapping":
                origin, data = _take(numbers, "origin_block"), _take(numbers, "data_block")
                runs.append(ThinRun(origin * block, data * block, block))
            case _:
                origin, data = _take(numbers, "origin_begin"), _take(numbers, "data_begin")
                runs.append(ThinRun(origin * block, data * block, _take(numbers, "length") * block))
    if not block:
        raise ValueError("not a dump of a thin pool: no superblock in it")
    return {number: tuple(sorted(runs)) for number, runs in found.items()}


def _take(numbers: dict[str, str], name: str) -> int:
    word = numbers.get(name, "")
    if not re.fullmatch("[0-9]{1,15}", word):
        raise ValueError(f"{name} is {word[:40]!r}, which is no number")
    return int(word)


def thin_segments(target: Target, runs: Iterable[ThinRun]) -> Iterator[Target]:
    """Return a thin target run by run; what has no block is nowhere."""
    at = target.start
    for run in runs:
        begin, end = max(run.origin, at), min(run.origin + run.length, target.end)
        if begin >= end:
            continue
        if at < begin:
            yield _thin_hole(at, begin)
        leg = Leg(target.legs[0].device, run.data + begin - run.origin)
        yield Target(begin, end - begin, "thin", TargetLayout.LINEAR, (leg,))
        at = end
    if at < target.end:
        yield _thin_hole(at, target.end)


def _thin_hole(begin: int, end: int) -> Target:
    note = "nothing was ever written to a part of the thin volume"
    return Target(begin, end - begin, "thin", TargetLayout.NOWHERE, note=note)


class ThinStack(Stack):
    """The block devices of a machine of whose thin pools there are dumps."""

    def __init__(self, layers: Frame, dumps: Mapping[str, str]) -> None:
        """Take the rows of a LAYER frame, and the dumps by the number of the pool."""
        super().__init__(layers)
        self._pools = {number: parse_thin_dump(dump) for number, dump in dumps.items()}

    def mapped(self, node: BlockDevice, target: Target) -> Iterable[Target]:
        """Return a thin target run by run."""
        if target.kind == "thin" and target.legs[0].device in self._pools:
            lines = map(str.split, str(self._layers.cell(node.number, "table")).splitlines())
            number = next(int(words[4]) for words in lines if int(words[0]) * SECTOR == target.start)
            return thin_segments(target, self._pools[target.legs[0].device].get(number, ()))
        return super().mapped(node, target)


def main() -> int:
    """Run the command line; see the module's own words."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("--dump", action="append", default=[], metavar="POOL=FILE")
    parser.add_argument("file", type=asked, nargs="+", metavar="FILE=MIB")
    options = parser.parse_args()
    if options.what == "write":
        for file in options.file:
            write(file)
        return 0
    pools = (word.partition("=") for word in options.dump)
    dumps = {number: Path(path).read_text() for number, _, path in pools}
    json.dump(list(comparisons(options.file, dumps)), sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
