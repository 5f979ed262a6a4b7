"""Whose traffic that of a disk is: an estimate, because no counter exists per file.

Other data on a disk are taken to have no traffic, so the known files on it share all of it.  A file that is
alone there has it all.  Of several, each tablespace is taken to have one activity, its traffic per byte, on
all disks that it lies on; the activities are fitted to the traffic of all disks, so a disk that is idle shows
which tablespaces are idle.  Where several answers fit, the one with the fewest tablespaces that explains the
last intervals is taken: tablespaces that do not change together come apart.  Tablespaces that always lie
together, and files whose tablespace does not explain their disk, share the traffic by their bytes.

The kernel counts the traffic of a logical volume, too.  Where files of several logical volumes lie on a disk,
its traffic is first divided among these volumes, so that it fits what each of them has and what each disk has
(iterative proportional fitting, from the bytes of the files); what is said above of a disk then holds for the
part of a volume on it.  A volume that is suspended has nothing, however busy its disks are.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache, reduce
from heapq import heapify, heappop, heappush
from itertools import chain, islice
from math import fsum
from operator import add
from typing import TYPE_CHECKING, Final, TypeVar

from zmon.base.absent import Absent, absent
from zmon.base.record import NamedTuple
from zmon.machine.blocks import Blocks
from zmon.placement.pieces import NO_DISK, pieces, tablespace_of

Key = TypeVar("Key")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.interval import Interval
    from zmon.placement.pieces import FilePiece
    from zmon.topology.machine import Machine

    Column = Mapping[Key, float]
    """The bytes that a tablespace, or several that lie together, has at each place; each is above zero."""
    Place = tuple[str, str]
    """A disk, and the logical volume that files there lie in, by major:minor; empty if not counted."""
    Space = tuple[str, str]
    """The database and the tablespace; the path of a file without one."""

NO_COUNTERS: Final = absent("the traffic of its disk was not read")

IDLE: Final = "idle"
"""Its disks have no traffic, or its logical volume has none."""
ALONE: Final = "alone"
"""Nothing else of what is known lies on its disks."""
COUNTED: Final = "counted"
"""Nothing else of what is known lies on its logical volume, whose traffic the kernel counts."""
FITTED: Final = "fitted"
BYTES: Final = "bytes"
BASES: Final = (IDLE, ALONE, COUNTED, FITTED, BYTES)
"""What the traffic of a file rests on, the surest first.

A figure of the process or control group that uses a file would be one more basis, between `COUNTED` and
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
DIVISIONS: Final = 50
"""Steps at most in which the traffic of disks is divided among logical volumes ..."""
DIVIDED: Final = 0.01
"""... which end when no volume is off by more than this part of what is counted of it."""
MATTERS: Final = 0.05
"""The part of its traffic that has to rest on a worse basis for that to be the basis of a tablespace."""


def disks_traffic(interval: Interval) -> dict[str, Number]:
    """Return the traffic of each block device in bytes a second, by major:minor."""
    blocks = Blocks(interval)
    moved = zip(blocks.counted["number"], blocks.numbers("bytes"), strict=True)
    return {str(number): much for number, much in moved if not isinstance(number, Absent)}


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
    """The basis of each file's traffic, by its path: one of `BASES`; without files not measured."""
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
    def is_guessed(self) -> bool:
        """Whether that of any file is fitted, or shared by bytes."""
        return not {FITTED, BYTES}.isdisjoint(self.files.values())

    @property
    def words(self) -> str:
        """What the traffic of the files rests on, in words; empty if no file has traffic."""
        count = {basis: sum(file == basis for file in self.files.values()) for basis in BASES}
        many = f"{self.intervals} interval{'s' * (self.intervals != 1)}"
        said = {
            ALONE: "alone on their disks",
            COUNTED: "alone on their logical volumes",
            FITTED: f"fitted to {many}",
            BYTES: "by bytes",
        }
        return ", ".join(f"{count[basis]:,} {text}" for basis, text in said.items() if count[basis])


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
    on: dict[Place, list[FilePiece]] = {}
    parts: dict[tuple[str, str], Number] = {}
    columns: dict[Space, dict[Place, float]] = {}
    volumes = counted_volumes(machine, now)
    for piece in pieces(machine):
        at, held = (piece.file.path, piece.number), piece.held
        if at in parts:
            continue
        parts[at] = held if isinstance(held, Absent) else 0.0
        if not isinstance(held, Absent) and held > 0:
            number = piece.file.number
            place = piece.number, number if isinstance(number, str) and number in volumes else ""
            on.setdefault(place, []).append(piece)
            column = columns.setdefault(space_of(piece), {})
            column[place] = column.get(place, 0.0) + held
    bytes_at = {place: fsum(map(_held, ones)) for place, ones in on.items()}
    disks = {
        disk: (len(places_on), fsum(bytes_at[place] for place in places_on))
        for disk, places_on in _by(on, 0).items()
    }
    counted = _known(now, disks)
    times = (now, *islice(before, intervals_for(machine) - 1))
    rates = [divided(bytes_at, time) for time in times]
    groups = together(columns)
    fit = activities([column for _, column in groups], rates) if len(groups) > 1 else [0.0] * len(groups)
    group_of = {space: number for number, (spaces, _) in enumerate(groups) for space in spaces}
    bases: dict[tuple[str, str], str] = {}
    for place, ones in on.items():
        disk, rate = place[0], rates[0].get(place, 0.0)
        places_there, bytes_there = disks[disk]
        shares, basis = _shared(ones, [fit[group_of[space_of(place)]] for place in ones], rate)
        if basis == ALONE and places_there > 1:
            basis = COUNTED
        whole = counted.get(disk, 0.0)
        part = rate / whole if whole > 0 else bytes_at[place] / bytes_there
        for file_piece, share in zip(ones, shares, strict=True):
            at, spaces = (file_piece.file.path, disk), groups[group_of[space_of(file_piece)]][0]
            parts[at], bases[at] = part * share, BYTES if basis == FITTED and len(spaces) > 1 else basis
    files = _bases(on, parts, bases, counted, lambda place: place.file.path, several=True)
    spaces_ = _bases(on, parts, bases, counted, space_of)
    return Attribution(now, parts, files, spaces_, len(rates))


def space_of(piece: FilePiece) -> Space:
    """Return the tablespace of a piece, or its path where none is known."""
    return piece.file.database, tablespace_of(piece.file) or piece.file.path


def _held(piece: FilePiece) -> float:
    return float(piece.held)  # type: ignore[arg-type]  # those without are left out


def _known(traffic: Mapping[str, Number], disks: Iterable[str]) -> dict[str, float]:
    counts = ((number, traffic.get(number, NO_COUNTERS)) for number in disks)
    return {number: float(rate) for number, rate in counts if not isinstance(rate, Absent)}


def counted_volumes(machine: Machine, traffic: Mapping[str, Number]) -> set[str]:
    """Return the devices that files lie in and that are counted, but none that another of them lies on.

    What is counted of such a one is also that of the other.
    """
    numbers = {piece.file.number for piece in pieces(machine) if isinstance(piece.file.number, str)}
    below = {
        layer.number for number in numbers for layer in machine.stack.chain(number) if layer.number != number
    }
    return {number for number in numbers - below if not isinstance(traffic.get(number, NO_COUNTERS), Absent)}


def divided(held: Mapping[Place, float], traffic: Mapping[str, Number]) -> dict[Place, float]:
    """Return the traffic of each logical volume on each disk, where that of the disk is known.

    Args:
        held: the bytes of the files there.
        traffic: that of each disk and of each logical volume.
    """
    rates = _known(traffic, dict.fromkeys(chain.from_iterable(held)))
    rates_on = {
        (disk, volume): count if rates.get(volume, 1.0) > 0 else 0.0
        for (disk, volume), count in held.items()
        if disk in rates
    }
    by_disk = _by(rates_on, 0)
    shared = {volume for places in by_disk.values() if len(places) > 1 for _, volume in places}
    by_volume = {volume: places for volume, places in _by(rates_on, 1).items() if volume in shared & {*rates}}
    for _ in range(DIVISIONS if by_volume else 0):
        _scale(rates_on, by_disk, rates)
        if _scale(rates_on, by_volume, rates) < DIVIDED:
            break
    _scale(rates_on, by_disk, rates)
    return rates_on


def _by(places: Iterable[Place], which: int) -> dict[str, list[Place]]:
    by_name: dict[str, list[Place]] = {}
    for place in places:
        by_name.setdefault(place[which], []).append(place)
    return by_name


def _scale(
    shares: dict[Place, float], groups: Mapping[str, Sequence[Place]], rates: Mapping[str, float]
) -> float:
    """Give each group the sum that it has to have; return the greatest change, as a part of the sum."""
    most = 0.0
    for key, places in groups.items():
        whole = fsum(shares[place] for place in places)
        if whole <= 0:
            continue
        times = rates[key] / whole
        most = max(most, abs(times - 1))
        for place in places:
            shares[place] *= times
    return most


def _shared(ones: Sequence[FilePiece], fitted: Sequence[float], rate: float) -> tuple[list[float], str]:
    """Return the part of each piece in the traffic of their place, and what it rests on."""
    held = [*map(_held, ones)]
    whole = sum(held)
    if rate <= 0:
        return [count / whole for count in held], IDLE
    if len({space_of(place) for place in ones}) == 1:
        return [count / whole for count in held], ALONE
    mean = sum(count * active for count, active in zip(held, fitted, strict=True)) / whole
    if mean * whole < EXPLAINED * rate:
        return [count / whole for count in held], BYTES
    loads = [
        count * active if active >= QUIET * mean else 0.0 for count, active in zip(held, fitted, strict=True)
    ]
    return [load / sum(loads) for load in loads], FITTED


def _bases(  # noqa: PLR0913 - what is known of pieces
    on: Mapping[Place, Sequence[FilePiece]],
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
    for (number, _), ones in on.items():
        if number not in rates:
            continue  # what was not measured is not idle
        spaces = Counter(map(space_of, ones)) if several else Counter()
        for place in ones:
            at = place.file.path, number
            basis = bases[at]
            if basis != IDLE and spaces[space_of(place)] > 1:
                basis = BYTES
            sums = loads.setdefault(key(place), {})
            sums[basis] = sums.get(basis, 0.0) + rates[number] * float(parts[at])  # type: ignore[arg-type]
    basis_of = {}
    for thing, sums in loads.items():
        least = MATTERS * sum(sums.values())
        basis_of[thing] = max(
            (b for b in sums if sums[b] >= least and (least or b != IDLE)), key=BASES.index, default=IDLE
        )
    return basis_of


# the fit


def together(columns: Mapping[Space, Column[Key]]) -> list[tuple[tuple[Space, ...], Column[Key]]]:
    """Return the tablespaces in groups that lie together in the same proportions, with their bytes."""
    places: dict[frozenset[Key], list[Space]] = {}
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


def _alike(column: Column[Key], other: Column[Key]) -> float:
    """Return the part of their bytes that two tablespaces on the same disks have in common, from 0 to 1."""
    first, second = sum(column.values()), sum(other.values())
    return sum(min(column[disk] / first, other[disk] / second) for disk in column)


def activities(columns: Sequence[Column[Key]], rates: Sequence[Mapping[Key, float]]) -> list[float]:
    """Return the traffic per byte of each column in the first of some intervals.

    Multiplicative updates (Richardson and Lucy) from the answer with the fewest columns: they keep every
    activity at zero or above, and end at the best fit by relative entropy that is near where they begin.
    """
    now = rates[0]
    disks = {disk for column in columns for disk in column if disk in now}
    held = sum(count for column in columns for disk, count in column.items() if disk in disks)
    mean = sum(now[disk] for disk in disks) / held if held else 0.0
    activities_now = [max(floor, DOUBT * mean) for floor in fewest(columns, rates)]
    counted = [[(disk, count) for disk, count in column.items() if disk in disks] for column in columns]
    sums = [sum(count for _, count in column) or 1.0 for column in counted]
    for _ in range(ROUNDS if mean else 0):
        fitted = dict.fromkeys(disks, 0.0)
        for column, activity in zip(counted, activities_now, strict=True):
            for disk, count in column:
                fitted[disk] += count * activity
        times = {disk: now[disk] / value if value else 0.0 for disk, value in fitted.items()}
        before = activities_now
        activities_now = [
            activity * (sum(count * times[disk] for disk, count in column) / whole) ** SPEED
            for activity, column, whole in zip(activities_now, counted, sums, strict=True)
        ]
        if all(
            abs(before_value - other) <= SETTLED * mean
            for before_value, other in zip(before, activities_now, strict=True)
        ):
            break
    return activities_now if mean else [0.0] * len(columns)


def fewest(columns: Sequence[Column[Key]], rates: Sequence[Mapping[Key, float]]) -> list[float]:
    """Return the activity of each column in the first interval, so that few columns explain all intervals.

    Column by column, each time the one that explains most of what is left in all intervals, of which one that
    is n intervals older counts 1 / (n + 1); one that explains hardly anything has no activity.
    """
    left = [{disk: rate / age for disk, rate in of_age.items()} for age, of_age in enumerate(rates, 1)]
    sharing: dict[Key, list[int]] = {}
    for number, column in enumerate(columns):
        for disk in column:
            sharing.setdefault(disk, []).append(number)
    own = [sum(age.get(disk, 0.0) for age in left for disk in column) for column in columns]
    queue = [(-_explained(column, left)[0], number) for number, column in enumerate(columns)]
    heapify(queue)
    stale: set[int] = set()
    lowest = [0.0] * len(columns)
    while queue:
        explained, number = heappop(queue)
        if number in stale:
            stale.discard(number)
            heappush(queue, (-_explained(columns[number], left)[0], number))
            continue
        if -explained < LEAST * own[number] or not explained:
            continue
        _, levels = _explained(columns[number], left)
        lowest[number] = levels[0]
        for counts, level in zip(left, levels, strict=True):
            for disk, count in columns[number].items():
                if disk in counts:
                    counts[disk] = max(0.0, counts[disk] - level * count)
        stale.update(other for disk in columns[number] for other in sharing[disk])
    return lowest


def _explained(column: Column[Key], left: Sequence[Mapping[Key, float]]) -> tuple[float, list[float]]:
    """Return how much of what is left a column explains, and its activity in each interval.

    The activity is the median of those of its disks, each weighted with its bytes, which has the least sum of
    differences; what it has too much or too little is not explained.
    """
    explained, levels = 0.0, []
    for counts in left:
        ratios = sorted((counts[disk] / count, count) for disk, count in column.items() if disk in counts)
        half, level = sum(count for _, count in ratios) / 2, 0.0
        for ratio, count in ratios:
            half -= count
            if half <= 0:
                level = ratio
                break
        explained += sum((ratio - abs(ratio - level)) * count for ratio, count in ratios)
        levels.append(level)
    return explained, levels
