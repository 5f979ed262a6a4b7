"""Which disks stand for all I/O, so that what the kernel counts more than once is added up once.

The kernel counts an I/O of a unit at each block device that it passes as a bio: at a logical volume and
again at the disk below it, for instance.  Leaves are the disks at the bottom, where it also counts what they
do in /proc/diskstats:

* of a partition its disk;
* of a device-mapper device or an array the leaves below it;
* a multipath device is a leaf, and stands for its paths: it hands on requests, which are not counted again;
* loop devices and disks in memory have none: the file below is counted where it lies.

Arrays without redundancy redirect a bio, whose bytes are then counted at the array alone.  Source: the
kernel's block/blk-cgroup.h (BIO_CGROUP_ACCT), block/blk-mq.c (blk_insert_cloned_request).
"""

from __future__ import annotations

from functools import cached_property, lru_cache

from zmon.base.absent import Absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kinds import MPATH

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from zmon.base.absent import Value
    from zmon.sample import Frame

STACKED: Final = ("dm-", "md")
"""Devices that lie on others; what these are is known from the kind LAYER alone."""
NO_DISKS: Final = ("loop", "ram", "zram", "sr", "fd")
"""Devices that are no disks, or whose I/O is counted elsewhere."""
MAX_DEPTH: Final = 32
REDIRECTED: Final = 0.5
"""If less than this part of its bytes is counted below a stacked device, it redirects."""


def counted_disks(
    maps: Mapping[str, Value], ccw: Collection[object]
) -> tuple[list[str], dict[str, list[str]]]:
    """Return the disks that count beside those of ccw devices, and the paths of multipath devices.

    `maps` has the multipath device that joins each block device, of such a device itself, and `ccw` the disks
    of ccw devices.  Neither a logical volume counts nor a path, nor what joins aliases of a DASD.
    """
    of_ccw = {joined for name, joined in maps.items() if name in ccw}
    paths: dict[str, list[str]] = {}
    for name, joined in maps.items():
        if isinstance(joined, str) and joined != name and joined not in of_ccw:
            paths.setdefault(joined, []).append(name)
    disks = [
        name
        for name, joined in maps.items()
        if name not in ccw
        and (
            joined not in of_ccw
            if joined == name
            else joined.__class__ is Absent and not name.startswith((*STACKED, *NO_DISKS))
        )
    ]
    return disks, paths


class IoCounts(NamedTuple):
    """Bytes and I/Os, in an interval or in a second of it."""

    read: float = 0.0
    written: float = 0.0
    ios: float = 0.0

    @property
    def bytes(self) -> float:
        """Read and written together."""
        return self.read + self.written

    def plus(self, other: IoCounts) -> IoCounts:
        """Return both together."""
        return IoCounts(self.read + other.read, self.written + other.written, self.ios + other.ios)

    def at_least(self, other: IoCounts) -> IoCounts:
        """Return of each count the greater one."""
        return IoCounts(*map(max, self, other))

    def part(self, share: float) -> IoCounts:
        """Return a part of it."""
        return IoCounts(self.read * share, self.written * share, self.ios * share)


NOTHING: Final = IoCounts()


class LeafDisks:
    """The leaves below each block device, by major:minor."""

    def __init__(self, layers: Frame, names: Mapping[str, str]) -> None:
        """Take what lies on what from a frame LAYER; `names` are those of whole disks by their numbers."""
        self._names = dict(names)
        self._below: dict[str, tuple[str, ...]] = {}
        self._maps: dict[str, str] = {}
        """The multipath device of each path."""
        self._paths: dict[str, list[str]] = {}
        """The paths of each multipath device."""
        self._leaves: dict[str, tuple[str, ...]] = {}
        columns = (layers.column(name) for name in ("name", "parent", "below", "uuid"))
        for number, name, parent, below, uuid in zip(layers.keys, *columns, strict=True):
            if not isinstance(name, Absent):
                self._names.setdefault(number, str(name))
            lower = (text_of(parent) or text_of(below)).split()
            if text_of(uuid).startswith(MPATH):
                self._maps |= dict.fromkeys(lower, number)
                self._paths[number] = lower
            else:
                self._below[number] = tuple(lower)

    def leaves(self, number: str) -> tuple[str, ...]:
        """Return the leaves of a device: itself if it is one; none if nothing is known below it."""
        leaves = self._leaves.get(number)
        if leaves is None:
            leaves = self._leaves[number] = tuple(dict.fromkeys(self._find(number, 0)))
        return leaves

    def _find(self, number: str, depth: int) -> Iterable[str]:
        lower, name = self._below.get(number, ()), self._names.get(number, "")
        if number in self._maps:
            return (self._maps[number],)
        if name.startswith((*NO_DISKS, "nbd")) or depth == MAX_DEPTH:
            return ()
        if lower:
            return [leaf for number_below in lower for leaf in self._find(number_below, depth + 1)]
        return () if name.startswith(STACKED) and not self._paths.get(number) else (number,)

    def all_below(self, number: str) -> set[str]:
        """Return every device below one, at any depth; the paths of a multipath device are none."""
        numbers: set[str] = set()
        left = [number]
        while left:
            new = [
                number_below
                for number_below in self._below.get(left.pop(), ())
                if number_below not in numbers
            ]
            numbers.update(new)
            left += new
        return numbers

    def lowest(self, number: str) -> set[str]:
        """Return what a device lies on that lies on nothing itself: disks, each path of one, loop devices."""
        lowest = (device for device in self.all_below(number) | {number} if not self._below.get(device))
        return {path for device in lowest for path in self.paths(device) or (device,)}

    @cached_property
    def disks(self) -> dict[str, str]:
        """The names of all leaves by their numbers."""
        return {number: name for number, name in self._names.items() if self.leaves(number) == (number,)}

    def name(self, number: str) -> str:
        """Return the name of a device; empty if it is not known."""
        return self._names.get(number, "")

    def paths(self, number: str) -> list[str]:
        """Return the numbers of the paths of a multipath device."""
        return self._paths.get(number, [])

    def placed(self, counted: Mapping[str, IoCounts]) -> tuple[dict[str, IoCounts], frozenset[str]]:
        """Return what was counted at any devices as what the leaves did, and for which that is an estimate.

        What is counted below a device is not added again; of a device that redirects its I/O, each leaf is
        taken to have an equal part.
        """
        counts_of: dict[str, IoCounts] = {}
        guessed: set[str] = set()
        for number, counts in counted.items():
            leaves = self.leaves(number)
            if not leaves:
                continue
            if leaves != (number,):
                lower = self.all_below(number) | {leaf for leaf in leaves if number in self._maps}
                below = [counted[number_below] for number_below in lower if number_below in counted]
                if sum(counts_below.bytes for counts_below in below) >= REDIRECTED * counts.bytes:
                    continue
                if any(counts_below.ios for counts_below in below):
                    counts = counts._replace(ios=0.0)  # noqa: PLW2901 - I/Os are counted at both
                guessed.update(leaves if len(leaves) > 1 else ())
            for leaf in leaves:
                counts_of[leaf] = counts_of.get(leaf, NOTHING).plus(counts.part(1 / len(leaves)))
        return counts_of, frozenset(guessed)


@lru_cache(maxsize=2)  # how disks are stacked is read once a minute, and two times may be compared
def leaf_disks(layers: Frame) -> LeafDisks:
    """Return the leaves of the block devices in a frame LAYER."""
    return LeafDisks(layers, {})
