"""Whose traffic that of a disk is: an estimate, because no counter exists per file.

Other data on a disk are taken to have no traffic, so the known files on it share all of it.  A file that is
alone there has it all.  Of several, each tablespace is taken to have one activity, its traffic per byte, on
all disks that it lies on; the activities are fitted to the traffic of all disks, so a disk that is idle shows
which tablespaces are idle.  Where several answers fit, the one with the fewest tablespaces that explains the
last intervals is taken: tablespaces that do not change together come apart.  Tablespaces that always lie
together, and files whose tablespace does not explain their disk, share the traffic by their bytes.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache, reduce
from heapq import heapify, heappop, heappush
from itertools import islice
from operator import add
from typing import TYPE_CHECKING, Final, TypeVar

from zmon.absent import Absent, absent
from zmon.kinds import BLOCK
from zmon.placement.pieces import NO_DISK, pieces, tablespace_of
from zmon.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.absent import Number
    from zmon.interval import Interval
    from zmon.placement.pieces import FilePiece
    from zmon.topology.machine import Machine

    Column = Mapping[str, float]
    """The bytes that a tablespace, or several that lie together, has on each disk; each is above zero."""
    Space = tuple[str, str]
    """The database and the tablespace; the path of a file without one."""

Key = TypeVar("Key")

SECTOR: Final = 512
NO_COUNTERS: Final = absent("the traffic of its disk was not read")

IDLE: Final = "idle"
"""Its disks have no traffic."""
ALONE: Final = "alone"
"""Nothing else of what is known lies on its disks."""
FITTED: Final = "fitted"
BYTES: Final = "bytes"
BASES: Final = (IDLE, ALONE, FITTED, BYTES)
"""What the traffic of a file rests on, the surest first.

A figure of the process or control group that uses a file would be one more basis, between `ALONE` and
`FITTED`: `_shared` divides the traffic of each disk, and would take such figures before the fitted ones.
"""

MAX_INTERVALS: Final = 60
"""So many intervals are looked at at most, that in question among them ..."""
MAX_RATES: Final = 300_000
"""... and fewer where many files are on many disks: so many pairs of a file's piece and an interval."""
TOGETHER: Final = 0.9
"""Tablespaces on the same disks cannot be told apart if they have this part of their bytes in common."""
LEAST: Final = 0.05
"""What a tablespace has to explain of the traffic of its disks to be one that explains it."""
DOUBT: Final = 0.01
"""The activity, as a part of the mean, that a tablespace begins with if others explain its disks."""
SPEED: Final = 1.8
"""The power of each step of the fit; below 2 it converges, only sooner."""
ROUNDS: Final = 200
"""Steps of the fit ..."""
SETTLED: Final = 1e-4
"""... which ends when no activity changes by more than this part."""
QUIET: Final = 0.05
"""A smaller part of the mean activity on a disk is none: it is noise of the fit."""
EXPLAINED: Final = 0.5
"""The part of a disk's traffic that has to be explained; else it is shared by bytes."""
MATTERS: Final = 0.05
"""The part of its traffic that has to rest on a worse basis for that to be the basis of a tablespace."""


def disks_traffic(interval: Interval) -> dict[str, Number]:
    """Return the traffic of each block device in bytes a second, by major:minor."""
    blocks = interval.of(BLOCK)
    rates = zip(blocks.rate("sectors_read"), blocks.rate("sectors_written"), strict=True)
    return {
        str(number): (read + written) * SECTOR
        for number, (read, written) in zip(blocks["number"], rates, strict=True)
        if not isinstance(number, Absent)
    }


def volumes_traffic(machine: Machine, interval: Interval) -> dict[str, Number]:
    """Return the traffic of each block device; a path to a volume has that of all its paths."""
    rates = disks_traffic(interval)
    for numbers in _paths(machine).values():
        whole = reduce(add, (rates.get(number, NO_COUNTERS) for number in numbers))
        rates |= dict.fromkeys(numbers, whole)
    return rates


@lru_cache(maxsize=2)
def _paths(machine: Machine) -> Mapping[str, list[str]]:
    """Return the numbers of the SCSI disks that are paths to each real volume."""
    paths: dict[str, list[str]] = {}
    for number, volume in machine.volumes.items():
        if not isinstance(volume.lun, Absent):
            paths.setdefault(volume.spindle, []).append(number)
    return paths


class Attribution(NamedTuple):
    """Whose traffic that of each disk is in an interval."""

    traffic: Mapping[str, Number]
    """Of each disk, by major:minor, in bytes a second."""
    parts: Mapping[tuple[str, str], Number]
    """Of each file, by its path and major:minor: the part of that disk's traffic, from 0 to 1."""
    files: Mapping[str, str]
    """The basis of each file's traffic, by its path: one of `BASES`."""
    spaces: Mapping[Space, str]
    """That of each tablespace."""
    intervals: int
    """The number of intervals that were looked at."""

    def part(self, path: str, number: str) -> Number:
        """Return the part of a disk's traffic that is of a file."""
        return self.parts.get((path, number), NO_DISK)

    def of(self, path: str, number: str) -> Number:
        """Return the traffic of a file on a disk."""
        return self.traffic.get(number, NO_COUNTERS) * self.part(path, number)

    @property
    def words(self) -> str:
        """What the traffic of the files rests on, in words; empty if no file has traffic."""
        count = {basis: sum(one == basis for one in self.files.values()) for basis in BASES}
        many = f"{self.intervals} interval{'s' * (self.intervals != 1)}"
        said = {ALONE: "alone on their disks", FITTED: f"fitted to {many}", BYTES: "by bytes"}
        return ", ".join(f"{count[basis]:,} {words}" for basis, words in said.items() if count[basis])


def intervals_for(machine: Machine) -> int:
    """Return how many intervals are looked at for the files of a machine, that in question among them."""
    return max(1, min(MAX_INTERVALS, MAX_RATES // max(1, len(pieces(machine)))))


def attribution(
    machine: Machine, now: Mapping[str, Number], before: Iterable[Mapping[str, Number]] = ()
) -> Attribution:
    """Return whose traffic that of each disk is.

    Args:
        machine: whose files.
        now: the traffic of each disk in the interval, by major:minor.
        before: the same of intervals before it, the last first.
    """
    on: dict[str, list[FilePiece]] = {}
    parts: dict[tuple[str, str], Number] = {}
    columns: dict[Space, dict[str, float]] = {}
    for piece in pieces(machine):
        at, held = (piece.file.path, piece.number), piece.held
        if at in parts:
            continue
        parts[at] = held if isinstance(held, Absent) else 0.0
        if not isinstance(held, Absent) and held > 0:
            on.setdefault(piece.number, []).append(piece)
            column = columns.setdefault(space_of(piece), {})
            column[piece.number] = column.get(piece.number, 0.0) + held
    rates = [_known(one, on) for one in (now, *islice(before, intervals_for(machine) - 1))]
    groups = together(columns)
    fit = activities([column for _, column in groups], rates) if len(groups) > 1 else [0.0] * len(groups)
    group_of = {space: number for number, (spaces, _) in enumerate(groups) for space in spaces}
    bases: dict[tuple[str, str], str] = {}
    for number, ones in on.items():
        fitted = [fit[group_of[space_of(one)]] for one in ones]
        shares, basis = _shared(ones, fitted, rates[0].get(number, 0.0))
        for one, share in zip(ones, shares, strict=True):
            at, spaces = (one.file.path, number), groups[group_of[space_of(one)]][0]
            parts[at], bases[at] = share, BYTES if basis == FITTED and len(spaces) > 1 else basis
    files = _bases(on, parts, bases, rates[0], lambda one: one.file.path, several=True)
    spaces_ = _bases(on, parts, bases, rates[0], space_of)
    return Attribution(now, parts, files, spaces_, len(rates))


def space_of(piece: FilePiece) -> Space:
    """Return the tablespace of a piece, or its path where none is known."""
    return piece.file.database, tablespace_of(piece.file) or piece.file.path


def _known(traffic: Mapping[str, Number], disks: Iterable[str]) -> dict[str, float]:
    found = ((number, traffic.get(number, NO_COUNTERS)) for number in disks)
    return {number: float(rate) for number, rate in found if not isinstance(rate, Absent)}


def _shared(ones: Sequence[FilePiece], fitted: Sequence[float], rate: float) -> tuple[list[float], str]:
    """Return the part of each piece in the traffic of their disk, and what it rests on."""
    held = [float(one.held) for one in ones]  # type: ignore[arg-type]  # those without are left out
    whole = sum(held)
    if rate <= 0:
        return [count / whole for count in held], IDLE
    if len({space_of(one) for one in ones}) == 1:
        return [count / whole for count in held], ALONE
    mean = sum(count * active for count, active in zip(held, fitted, strict=True)) / whole
    if mean * whole < EXPLAINED * rate:
        return [count / whole for count in held], BYTES
    loads = [
        count * active if active >= QUIET * mean else 0.0 for count, active in zip(held, fitted, strict=True)
    ]
    return [load / sum(loads) for load in loads], FITTED


def _bases(  # noqa: PLR0913 - what is known of pieces
    on: Mapping[str, Sequence[FilePiece]],
    parts: Mapping[tuple[str, str], Number],
    bases: Mapping[tuple[str, str], str],
    rates: Mapping[str, float],
    key: Callable[[FilePiece], Key],
    *,
    several: bool = False,
) -> dict[Key, str]:
    """Return the basis of the traffic of each file or tablespace: the worst that matters.

    `several`: files of one tablespace on a disk share its traffic there by their bytes.
    """
    loads: dict[Key, dict[str, float]] = {}
    for number, ones in on.items():
        spaces = Counter(map(space_of, ones)) if several else Counter()
        for one in ones:
            at = one.file.path, number
            basis = bases[at]
            if basis != IDLE and spaces[space_of(one)] > 1:
                basis = BYTES
            sums = loads.setdefault(key(one), {})
            sums[basis] = sums.get(basis, 0.0) + rates.get(number, 0.0) * float(parts[at])  # type: ignore[arg-type]
    found = {}
    for thing, sums in loads.items():
        least = MATTERS * sum(sums.values())
        found[thing] = max(
            (b for b in sums if sums[b] >= least and (least or b != IDLE)), key=BASES.index, default=IDLE
        )
    return found


# the fit


def together(columns: Mapping[Space, Column]) -> list[tuple[tuple[Space, ...], Column]]:
    """Return the tablespaces in groups that lie together in the same proportions, with their bytes."""
    places: dict[frozenset[str], list[Space]] = {}
    for space in sorted(columns):
        places.setdefault(frozenset(columns[space]), []).append(space)
    groups = []
    for spaces in places.values():
        left = sorted(spaces, key=lambda space: (-sum(columns[space].values()), space))
        while left:
            leader = left[0]
            mine = [space for space in left if _alike(columns[leader], columns[space]) >= TOGETHER]
            left = [space for space in left if space not in mine]
            column = {disk: sum(columns[space][disk] for space in mine) for disk in columns[leader]}
            groups.append((tuple(sorted(mine)), column))
    return sorted(groups)


def _alike(one: Column, other: Column) -> float:
    """Return the part of their bytes that two tablespaces on the same disks have in common, from 0 to 1."""
    first, second = sum(one.values()), sum(other.values())
    return sum(min(one[disk] / first, other[disk] / second) for disk in one)


def activities(columns: Sequence[Column], rates: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the traffic per byte of each column in the first of some intervals.

    Multiplicative updates (Richardson and Lucy) from the answer with the fewest columns: they keep every
    activity at zero or above, and end at the best fit by relative entropy that is near where they begin.
    """
    now = rates[0]
    disks = {disk for column in columns for disk in column if disk in now}
    held = sum(count for column in columns for disk, count in column.items() if disk in disks)
    mean = sum(now[disk] for disk in disks) / held if held else 0.0
    found = [max(each, DOUBT * mean) for each in fewest(columns, rates)]
    known = [[(disk, count) for disk, count in column.items() if disk in disks] for column in columns]
    sums = [sum(count for _, count in column) or 1.0 for column in known]
    for _ in range(ROUNDS if mean else 0):
        fitted = dict.fromkeys(disks, 0.0)
        for column, activity in zip(known, found, strict=True):
            for disk, count in column:
                fitted[disk] += count * activity
        times = {disk: now[disk] / value if value else 0.0 for disk, value in fitted.items()}
        before = found
        found = [
            activity * (sum(count * times[disk] for disk, count in column) / whole) ** SPEED
            for activity, column, whole in zip(found, known, sums, strict=True)
        ]
        if all(abs(one - other) <= SETTLED * mean for one, other in zip(before, found, strict=True)):
            break
    return found if mean else [0.0] * len(columns)


def fewest(columns: Sequence[Column], rates: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the activity of each column in the first interval, so that few columns explain all intervals.

    Column by column, each time the one that explains most of what is left in all intervals, of which one that
    is n intervals older counts 1 / (n + 1); one that explains hardly anything has no activity.
    """
    left = [{disk: rate / age for disk, rate in each.items()} for age, each in enumerate(rates, 1)]
    sharing: dict[str, list[int]] = {}
    for number, column in enumerate(columns):
        for disk in column:
            sharing.setdefault(disk, []).append(number)
    own = [sum(each.get(disk, 0.0) for each in left for disk in column) for column in columns]
    queue = [(-_explained(column, left)[0], number) for number, column in enumerate(columns)]
    heapify(queue)
    stale: set[int] = set()
    found = [0.0] * len(columns)
    while queue:
        explained, number = heappop(queue)
        if number in stale:
            stale.discard(number)
            heappush(queue, (-_explained(columns[number], left)[0], number))
            continue
        if -explained < LEAST * own[number] or not explained:
            continue
        _, levels = _explained(columns[number], left)
        found[number] = levels[0]
        for each, level in zip(left, levels, strict=True):
            for disk, count in columns[number].items():
                if disk in each:
                    each[disk] = max(0.0, each[disk] - level * count)
        stale.update(other for disk in columns[number] for other in sharing[disk])
    return found


def _explained(column: Column, left: Sequence[Mapping[str, float]]) -> tuple[float, list[float]]:
    """Return how much of what is left a column explains, and its activity in each interval.

    The activity is the median of those of its disks, each weighted with its bytes, which has the least sum of
    differences; what it has too much or too little is not explained.
    """
    explained, levels = 0.0, []
    for each in left:
        ratios = sorted((each[disk] / count, count) for disk, count in column.items() if disk in each)
        half, level = sum(count for _, count in ratios) / 2, 0.0
        for ratio, count in ratios:
            half -= count
            if half <= 0:
                level = ratio
                break
        explained += sum((ratio - abs(ratio - level)) * count for ratio, count in ratios)
        levels.append(level)
    return explained, levels
