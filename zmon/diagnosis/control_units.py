"""What is short inside a storage server: an LCU (D1), its arrays (D9), or the spread of data over LCUs (D3).

An LCU is diagnosed where `zmon.queueing.waiting` says that requests wait in it: for longer than half the
time of a transfer, beyond what cache misses explain.  What they wait for there follows from their kind.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import fsum
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.ranges import MOST_NAMED
from zmon.base.record import NamedTuple
from zmon.base.same import Same
from zmon.base.sizes import MB
from zmon.diagnosis.diagnosis import nothing_known
from zmon.diagnosis.phrases import UNCACHED, can_be_timed, gain, no_cmf, said_of_units, why_untimed
from zmon.diagnosis.seen import Cause, Remedy, Seen, diagnosed
from zmon.machine.observation import (
    FEW_ALIASES,
    LONG,
    MAX_MISS,
    MIN_LONGER,
    MOSTLY,
    NO_LCU,
    NOT_TIMED,
    QUEUED_MISS,
    QUICK,
    SMALL,
    busy_words,
    carried_by,
    disc_of_misses,
    idle_lcus,
    mean_of,
    path_groups,
    reads_beyond_writes,
    requests_of,
    served_at_least,
    state_of_idle,
    takes_as_misses,
    waits_for_disks,
)
from zmon.machine.observed_machine import ONE_TIME
from zmon.queueing.change import StripedSpace
from zmon.queueing.resource import NOT_KNOWN
from zmon.queueing.undecided import may_be_misses
from zmon.queueing.waiting import FULL_PATHS, lcus_behind, only_overlap
from zmon.words.template import With, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedVolume

SKEWED: Final = 2.0
"""Times its even share of the bytes from which on an LCU has too much."""
IDLE_LCUS: Final = 1 / 3
"""The part of the LCUs that are idle where data are placed unevenly."""
EVEN: Final = "spread evenly, "
"""What the gain of D3 is of; that of moves of whole files, on MOVES, is another."""
ALONE: Final = 0.995
"""The part of the bytes of an LCU from which on a service is the only one that uses it."""


class _FullLcu:
    """An LCU that requests wait in; times are seconds."""

    kind = "lcu"

    def __init__(self, situation: Situation, lcu: ObservedLcu, waits: float) -> None:
        load = self._load = situation.load
        self.lcu, self.waits = lcu, waits
        self.key, self.title, self.aliases, self.misses = lcu.key, lcu.title, lcu.aliases, lcu.misses
        self.alias_use, self.half = lcu.alias_use, lcu.aliases // 2
        self.may_be_misses = may_be_misses(load, lcu)
        used = load.used_of(lcu.key)
        self.volumes = tuple(volume for volume in used if load.enough(volume.rate))
        self.rate, self._used = used.rate, used
        self.disc, self.serv = load.time_of(lcu, "disc"), load.time_of(lcu, "serv")
        self.response, self.reads, self.size, self.read, self.write = (
            mean_of(used, name) for name in ("response", "reads", "size", "read_response", "write_response")
        )
        self.estimated = any(volume.estimated for volume in self.volumes)
        self.megabytes = load.bytes_of(lcu.key) / MB
        self.is_untimed = any(volume.estimated and volume.is_dasd for volume in self.volumes)
        self.can_be_timed = can_be_timed(load)

    @property
    def is_unsure(self) -> bool:
        """Whether what requests wait for inside is not measured."""
        return self.estimated or self.may_be_misses

    @property
    def hits(self) -> Number:
        """The part of the requests that the cache answers."""
        return 1 - self.misses

    @property
    def is_small(self) -> bool:
        """Whether requests are too small for the LCU to be full of bytes."""
        return not isinstance(self.size, Absent) and self.size < SMALL

    @property
    def misses_alone(self) -> bool:
        """Whether its requests take so long because they miss the cache, and the arrays have time."""
        if isinstance(self.misses, Absent):
            return bool(self.reads_beyond < QUEUED_MISS)
        return not self.estimated and takes_as_misses(self.lcu, self.disc)

    @property
    def waits_for_disks(self) -> bool:
        """Whether disks are what requests wait for: of untimed ones reads alone, or small writes for long."""
        if not self.estimated or self.reads_beyond >= LONG:
            return waits_for_disks(self._load, self.lcu)
        are_writes = self.is_untimed and self.is_small and self.reads < MOSTLY
        return bool(are_writes and self.served_at_least >= MAX_MISS)

    @cached_property
    def reads_beyond(self) -> Number:
        """Seconds that a read takes longer than a write, where reads alone wait and nothing counts misses."""
        return reads_beyond_writes(self._load, self.lcu)

    @property
    def served_at_least(self) -> float:
        """Seconds that a request takes there, where nothing times it."""
        return served_at_least(self.lcu, self._used)

    @property
    def is_for_writes(self) -> bool:
        """Whether small writes wait that the cache should have answered, and nothing tells why it did not."""
        return isinstance(self.misses, Absent) and self.reads < MOSTLY

    @cached_property
    def quick(self) -> list[ObservedVolume]:
        """The volumes whose requests do not wait inside, whatever Disc says: aliases of a pool serve any."""
        return [volume for volume in self._used if self._is_quick(volume)]

    @cached_property
    def slow(self) -> list[ObservedVolume]:
        """The other ones, as far as they have enough I/O."""
        return [volume for volume in self.volumes if not self._is_quick(volume)]

    def _is_quick(self, volume: ObservedVolume) -> bool:
        return bool(volume.response < QUICK * (self.response if self.estimated else self.disc))

    @property
    def few_are_slow(self) -> bool:
        """Whether requests wait inside for some volumes only: then it is not the LCU that is full."""
        if self.estimated and not (self.is_untimed and self.aliases and self.served_at_least >= MAX_MISS):
            return False
        are_many = self._load.enough(fsum(volume.rate for volume in self.quick))
        return 0 < len(self.slow) <= len(self.quick) and are_many

    @property
    def may_be_crowded(self) -> bool:
        """Whether as many small requests, which the cache answers, came over aliases as wait inside.

        With fewer aliases none would.
        """
        has_many = self.aliases >= FEW_ALIASES and not isinstance(self.misses, Absent)
        return has_many and self.is_small and not self.estimated and bool(self.alias_use >= self.waits)

    @cached_property
    def alike(self) -> float:
        """The part of its volumes whose Disc is long."""
        slow = [
            volume for volume in self.slow if volume.disc > MIN_LONGER * volume.conn + self._misses(volume)
        ]
        return len(slow) / max(1, len(self.volumes))

    def _misses(self, volume: ObservedVolume) -> float:
        return disc_of_misses(self.lcu, (volume,))

    @property
    def many_volumes(self) -> bool:
        """Whether several volumes have enough I/O, so that they can be compared."""
        return len(self.volumes) > 1


class _Waits(NamedTuple):
    """The LCUs that requests wait in, by what they wait for there."""

    full: Sequence[_FullLcu]
    arrays: Sequence[_FullLcu]
    some: Sequence[_FullLcu]
    """In which requests wait for some volumes only: for the disks below these."""
    crowded: Sequence[_FullLcu]
    """All that requests wait in, where each may have too many aliases: a calm one would speak against it."""
    unknown: Absent | None
    """Why it is not known that requests wait in no other LCU; None if it is."""


def _waits(situation: Situation) -> _Waits:
    """Return them; computed once for all causes that ask."""
    return _waits_of(Same(situation))


@lru_cache(maxsize=1)
def _waits_of(same: Same[Situation]) -> _Waits:
    situation = same.it
    load = situation.load
    lcus = load.lcus_by_key
    waited = [_FullLcu(situation, lcus[place.key], place.waits) for place in situation.waiting.of_kind("lcu")]
    inside = [lcu for lcu in waited if not lcu.misses_alone]
    some = [lcu for lcu in inside if lcu.few_are_slow]
    arrays = [lcu for lcu in inside if lcu not in some and lcu.waits_for_disks]
    full = [lcu for lcu in inside if lcu not in (*some, *arrays)]
    keys = {lcu.key for lcu in waited}
    calm = any(load.enough(load.rate_of(lcu.key)) for lcu in load.lcus if lcu.key not in keys)
    crowded = full if not calm and all(lcu.may_be_crowded for lcu in full) else ()
    full = [lcu for lcu in full if lcu not in crowded]
    uncached = any(may_be_misses(load, lcu) for lcu in load.lcus)
    uncached = uncached or any(isinstance(lcu.misses, Absent) for lcu in waited)
    unknown = why_untimed(load) if load.is_untimed else UNCACHED if uncached else None
    if load.has_no_lcu:
        unknown = unknown or NO_LCU
    return _Waits(full, arrays, some, crowded, unknown)


def _full(situation: Situation) -> Sequence[_FullLcu] | Absent:
    waits = _waits(situation)
    return NO_LCU if situation.load.has_no_lcu else waits.full or waits.unknown or ()


def _arrays(situation: Situation) -> Sequence[_FullLcu] | Absent:
    waits = _waits(situation)
    return waits.arrays or waits.unknown or ()


def untimed_below(situation: Situation) -> list[With]:
    """Return the untimed volumes that requests wait for, and not for an alias: they are long at their LCU."""
    load, below = situation.load, []
    for place in situation.waiting.of_kind("volume"):
        volume = load.volume(place.key)
        lcu = None if volume is None else load.lcus_by_key.get(volume.lcu)
        if volume is None or lcu is None or not volume.estimated or not volume.is_dasd or not lcu.aliases:
            continue
        quick = [other for other in load.used_of(lcu.key) if other.response < QUICK * volume.response]
        at_least = served_at_least(lcu, load.used_of(lcu.key))
        if load.enough(fsum(other.rate for other in quick)) and at_least >= MAX_MISS:
            answer = mean_of(quick, "response")
            below.append(With(volume, waits=place.waits, lcu=lcu, quick=answer, disc=NOT_TIMED))
    return below


def _volumes_below(situation: Situation) -> Sequence[With] | Absent:
    """Return the volumes whose disks are full, each with those of its LCU that are quick."""
    waits = _waits(situation)
    volumes = []
    for lcu in waits.some:
        at = [requests_of(volume.rate, volume.response)[0] for volume in lcu.slow]
        quick = mean_of(lcu.quick, "response")
        for volume, many in zip(lcu.slow, at, strict=True):
            disc = NOT_TIMED if lcu.estimated else min(volume.disc, volume.response)
            waits_for = lcu.waits * many / fsum(at)
            volumes.append(With(volume, waits=waits_for, lcu=lcu.lcu, quick=quick, disc=disc))
    volumes += untimed_below(situation)
    return sorted(volumes, key=lambda volume: -volume.waits) or waits.unknown or ()


def _crowded(situation: Situation) -> Sequence[_FullLcu] | Absent:
    waits = _waits(situation)
    return waits.crowded or waits.unknown or ()


def _data_elsewhere(situation: Situation, lcus: Sequence[_FullLcu]) -> Remedy:
    """Tell where data could go: to LCUs in which nothing waits, if there are any; and who does the I/O."""
    keys = {lcu.key for lcu in lcus}
    calm = any(lcu.key not in keys for lcu in situation.load.lcus)
    crowded = [lcu for lcu in lcus if lcu.may_be_crowded]
    units = situation.machine.units(lcus[0].key, ONE_TIME)
    if units and units[0].part >= ALONE:
        units = ()
    return Remedy(
        {
            "calm": calm,
            "crowded": crowded,
            "doubtful": (crowded or lcus)[0],
            "other_lcus": len(situation.load.lcus) > 1,
            **({} if calm else _shared(situation.load)),
            **said_of_units([(lcus[0].lcu, units)]),
        }
    )


def _shared(load: ObservedLoad) -> dict[str, Any]:
    """Return what is known of paths that several LCUs share, if they may be busy."""
    groups = {key: lcus_behind(load, key) for key in path_groups(load.lcus)}
    uses = [
        0.0 if only_overlap(load, key.split(), lcus) else load.paths.get(chpid, NOT_KNOWN)
        for key, lcus in groups.items()
        if len(lcus) > 1
        for chpid in key.split()
    ]
    uses_seen = [float(use) for use in uses if not isinstance(use, Absent)]
    most = max(uses_seen, default=0.0)
    return {
        "unknown_paths": bool(uses) and not uses_seen,
        "busy_paths": most >= FULL_PATHS,
        "busiest": busy_words(most),
    }


def _fewer_aliases(_situation: Situation, lcus: Sequence[_FullLcu]) -> Remedy:
    """Compare with what waits in Linux, as on CTLUNIT."""
    queued = sum(lcu.rate * max(0.0, lcu.response - lcu.serv) for lcu in lcus)
    return Remedy({"queued": queued})


SORTS: Final = {
    "full LCUs": _full,
    "full arrays": _arrays,
    "volumes on full arrays": _volumes_below,
    "crowded LCUs": _crowded,
}
REMEDIES: Final = {"data elsewhere": _data_elsewhere, "fewer aliases": _fewer_aliases}


def uneven_data(situation: Situation) -> Diagnoses:
    """Return D3: LCUs are full while others that have volumes are idle."""
    load = situation.load
    if load.has_no_lcu:
        return NO_LCU  # without times, too, it is seen where LCUs are known
    waits = _waits(situation)
    if not waits.full:
        return waits.unknown or ()
    holding = _lcus_with_data(situation, timed=not any(lcu.estimated for lcu in waits.full))
    holding |= {lcu.key for lcu in waits.full}
    data = {lcu.key: carried_by(load.used_of(lcu.key)) for lcu in load.lcus if lcu.key in holding}
    carried = {key: float(moved) for key, moved in data.items() if not isinstance(moved, Absent)}
    full = [lcu for lcu in waits.full if lcu.key in carried]
    whole = fsum(carried.values())
    if full and len(carried) > 1 and whole:
        without = idle_lcus(carried)
        idle = [lcu for lcu in load.lcus if lcu.key in without]
        skewed = [lcu for lcu in full if carried[lcu.key] >= SKEWED * whole / len(carried)]
        if skewed and len(idle) >= IDLE_LCUS * len(carried):
            skewed.sort(key=lambda lcu: -carried[lcu.key])
            parts = {key: moved / whole for key, moved in carried.items()}
            return (diagnosed("D3", _uneven(situation, skewed, parts, idle)),)
    return waits.unknown or ()


def _lcus_with_data(situation: Situation, *, timed: bool) -> set[str]:
    """Return the LCUs that hold known files, as SPREAD has them; without a listing all that have volumes.

    So it is where one holds all files, and times show that requests wait in it: data may go to others.
    """
    holding = _holding(situation)
    if len(holding) > 1 or (holding and not timed):
        return holding
    return {lcu.key for lcu in situation.load.lcus if situation.load.volumes_of(lcu.key)}


def _holding(situation: Situation) -> set[str]:
    """Return the LCUs that hold known files; none without a listing."""
    volumes = {share.volume for share in situation.shares()}
    return {volume.lcu for volume in situation.load.volumes if volume.key in volumes}


def _uneven(
    situation: Situation, full: Sequence[_FullLcu], parts: Mapping[str, float], idle: Sequence[ObservedLcu]
) -> Seen:
    load = situation.load
    busiest = max(idle, key=lambda lcu: parts[lcu.key])
    estimated = any(lcu.estimated for lcu in full)
    spaces = situation.owners_of([volume for lcu in full for volume in load.volumes_of(lcu.key)])
    owners = [name for name, _ in spaces] or [f"other I/O of {lcu.key}" for lcu in full]
    changes = tuple(StripedSpace(owner, tuple(sorted(parts))) for owner in owners)
    titles = [lcu.title for lcu in load.lcus if lcu.key in parts]
    numbers = ",".join(title.removeprefix("LCU ") for title in sorted(titles))
    facts = {
        "idle": sorted(lcu.title for lcu in idle),
        "state": state_of_idle(parts, [lcu.key for lcu in idle]),
        "share": fsum(parts[lcu.key] for lcu in full),
        "megabytes": fsum(lcu.megabytes for lcu in full),
        "busiest": busiest,
        "busiest_share": parts[busiest.key],
        "busiest_megabytes": load.bytes_of(busiest.key) / MB,
        "spaces": [f"{name} ({percent(part)})" for name, part in spaces],
        "one_holds_all": len(_holding(situation)) == 1,
        "no_cmf": no_cmf(load),
    }
    return Seen(
        full,
        fsum(lcu.waits for lcu in full),
        facts,
        # where the times are estimated, how long requests wait there is not measured
        foretell=nothing_known if estimated else gain(situation, changes, EVEN),
        changes=() if estimated else changes,
        whatif=" and ".join(f"stripe {name} over LCU {numbers}" for name, _ in spaces)
        if len(spaces) <= MOST_NAMED
        else "",
    )


CAUSES: Final[Causes] = {
    "D3": uneven_data,
    **{id_: Cause(id_, SORTS, REMEDIES) for id_ in ("D1", "D9", "D4c")},
}
