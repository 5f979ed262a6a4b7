"""Paths to SCSI disks: one does all (D14b), one is slow or has too many (D14), all are full (D14c)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.limits import limit
from zmon.base.ranges import names
from zmon.base.record import NamedTuple
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.phrases import gain, of_paths
from zmon.diagnosis.seen import Cause, Remedy, Seen, diagnosed
from zmon.interval import IDLE
from zmon.queueing.change import PathNumber, PathsInUse
from zmon.queueing.waiting import FULL_PATHS
from zmon.topology.path_sets import ROUND_ROBIN
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLoad
    from zmon.machine.observed_paths import MultipathDisk, PathLeaf

ALL: Final = 0.95
"""The part of the requests of a disk from which on one path does all."""
UNEVEN: Final = 3.0
"""Times the requests of the mean of the others from which on a path has too many."""
ENOUGH: Final = 200
"""Requests in an interval from which on it is no chance that paths differ."""
BUSY_PATH: Final = limit("path-look") / 100
"""Utilisation from which on a path deserves a look (the case study of 2003, line 122)."""
SLOW_TIMES: Final = 5.0
"""Times what its best sibling takes, from which on a path is slow: as z/OS compares (IOSHC113I)."""
SLOW_TIMES_OF_ALL: Final = 2.0
"""The same where most disks behind the adapter are slower over it: a disk takes its own time besides."""
MOST: Final = 0.8
MIN_DISKS: Final = 4
"""The part of the disks, and how many, that make it no chance."""
FEWER: Final = 0.8
"""Times the requests of its siblings below which a slow path carries fewer: each has as many by turns."""
ALWAYS: Final = 0.95
AT_ONCE: Final = 2.0
"""The part of the time in which a full path has requests, at least, and how many at once, at most: as many
that come at random, and none of which waits for another, leave it idle for a seventh of the time."""
SLOW: Final = limit("path-slow") / 1000
"""Seconds of a request below which no path is slow: its example value there."""


class Carrier(NamedTuple):
    """An adapter with what all paths over it carry together."""

    adapter: str
    chpid: str
    leaves: tuple[PathLeaf, ...]
    rate: float
    """Requests per second."""
    response: Number
    """Mean seconds of a request."""

    @property
    def kind(self) -> str:
        """What sort of thing it is, as diagnoses name it."""
        return "adapter"

    @property
    def key(self) -> str:
        """Its bus id; empty if not known."""
        return self.adapter

    @property
    def is_fcp(self) -> bool:
        """Whether it is an FCP device; KVM guests have virtual adapters without a load that is measured."""
        has_load = not isinstance(self.use, Absent)
        return bool(self.adapter) and (has_load or any(leaf.port for leaf in self.leaves))

    @property
    def title(self) -> str:
        """Its name: `FCP device 0.0.fc00`; of other paths those of the disks: `sda`."""
        return f"FCP device {self.adapter}" if self.is_fcp else names([leaf.name for leaf in self.leaves])

    @property
    def use(self) -> Number:
        """Utilisation of its channel path."""
        return self.leaves[0].use

    @property
    def is_full(self) -> bool:
        """Whether each of its paths has requests all the time, though few at once."""
        return all(leaf.busy >= ALWAYS and leaf.rate * leaf.response < AT_ONCE for leaf in self.leaves)


def carriers_of(leaves: Iterable[PathLeaf]) -> list[Carrier]:
    """Return the adapters of some paths, the one with most requests first."""
    by_adapter: dict[str, list[PathLeaf]] = {}
    for leaf in leaves:
        by_adapter.setdefault(leaf.adapter or leaf.name, []).append(leaf)
    return sorted(map(_carrier, by_adapter.values()), key=lambda carrier: -carrier.rate)


def _carrier(leaves: Sequence[PathLeaf]) -> Carrier:
    loads = [(float(leaf.rate), leaf.response) for leaf in leaves if not isinstance(leaf.rate, Absent)]
    timed = [(rate, float(time)) for rate, time in loads if not isinstance(time, Absent)]
    busy = sum(rate for rate, _ in timed)
    mean = sum(rate * time for rate, time in timed) / busy if busy else IDLE
    return Carrier(leaves[0].adapter, leaves[0].chpid, tuple(leaves), sum(rate for rate, _ in loads), mean)


def _known_maps(situation: Situation) -> Sequence[MultipathDisk] | Absent:
    """Return the multipath devices with I/O; absent where paths to SCSI disks are not known."""
    maps = situation.machine.maps()
    if isinstance(maps, Absent):
        return maps if situation.load.fcp else ()
    enough = situation.load.enough
    return [disk for disk in maps if enough(_rate(disk.leaves)) and len(disk.leaves) > 1]


def _rate(leaves: Iterable[PathLeaf]) -> float:
    return sum(float(leaf.rate) for leaf in leaves if not isinstance(leaf.rate, Absent))


def _waits(
    situation: Situation, carriers: Sequence[Carrier], maps: Iterable[MultipathDisk] = ()
) -> float | None:
    """Return how many requests wait for some adapters; None if none do, as far as is known.

    Where fewer are counted, they are estimated as for one queue (M/M/1) before each that is half busy.
    Where the load of no adapter is measured, what waits for the disks behind them may wait for the adapters.
    """
    if all(isinstance(carrier.use, Absent) for carrier in carriers):
        return sum(place.waits for place in situation.waiting.at_volumes(_disks(carriers, maps))) or None
    chpids = {carrier.chpid for carrier in carriers} - {""}
    groups = situation.waiting.of_kind("paths")
    waits = [place.waits for place in groups if not chpids.isdisjoint(place.key.split())]
    uses = [carrier.use for carrier in carriers if not isinstance(carrier.use, Absent)]
    busy = [min(0.99, use) for use in uses if use >= BUSY_PATH]
    return max(sum(waits), sum(use * use / (1 - use) for use in busy)) if waits or busy else None


def _disks(carriers: Iterable[Carrier], maps: Iterable[MultipathDisk]) -> set[str]:
    """Return what the disks behind some adapters may be called: as paths, as maps and by their aliases."""
    return {leaf.name for carrier in carriers for leaf in carrier.leaves} | {
        name for disk in maps for name in disk.names
    }


def _explained(
    situation: Situation, carriers: Iterable[Carrier], maps: Iterable[MultipathDisk]
) -> dict[str, list[Subject]]:
    """Return what requests wait for behind some adapters, and before them: the adapters explain it.

    The volumes, and the groups of FCP paths as the waiting names them.
    """
    waited = situation.waiting.at_volumes(_disks(carriers, maps))
    groups = situation.waiting.of_kind("paths")
    fcp = situation.load.fcp
    return {
        "volumes": [Subject("volume", place.key, place.title) for place in waited],
        "groups": [of_paths(place.key) for place in groups if not fcp.isdisjoint(place.key.split())],
    }


def one_path_does_all(situation: Situation) -> Diagnoses:
    """Return D14b: requests wait for one path while others only stand by."""
    maps = _known_maps(situation)
    if isinstance(maps, Absent):
        return maps
    alone = [disk for disk in maps if _is_alone(disk)]
    if not alone:
        return ()
    used = carriers_of(max(disk.leaves, key=lambda leaf: _rate([leaf])) for disk in alone)
    waits = _waits(situation, used, alone)
    if waits is None:
        return ()
    adapters = {carrier.adapter for carrier in used}
    every = carriers_of(leaf for disk in alone for leaf in disk.leaves)
    idle = [carrier for carrier in every if carrier.adapter not in adapters]
    facts = {
        "disks": [Subject("disk", disk.key, disk.title) for disk in alone],
        "several_disks": len(alone) > 1,
        "disk": alone[0],
        "paths": len(alone[0].leaves),
        "others": len(alone[0].leaves) - 1,
        "is_known": all(disk.selector for disk in alone),
        "path": Subject("path", used[0].chpid, used[0].chpid),
        "over": [used[0], *idle[:1]],
        "timed": used[:1],
        **_explained(situation, used, alone),
    }
    seen = Seen(
        used,
        waits,
        facts,
        foretell=gain(situation, (PathsInUse(),)),
        changes=(PathsInUse(),),
        whatif="" if isinstance(used[0].use, Absent) else "use all paths",
    )
    return (diagnosed("D14b", seen),)


def _is_alone(disk: MultipathDisk) -> bool:
    """Return whether one path to a disk does all, and the others are not in its group, as far as is known."""
    apart = len(disk.groups) > 1 and all(len(group) == 1 for group in disk.groups)
    most = max(_rate([leaf]) for leaf in disk.leaves)
    return (apart or not disk.selector) and most >= ALL * _rate(disk.leaves)


def uneven_paths(situation: Situation) -> Diagnoses:
    """Return D14: paths of one group that are used unevenly, or of which one is slow."""
    maps = _known_maps(situation)
    if isinstance(maps, Absent):
        return maps
    shared = [disk for disk in maps if any(len(group) > 1 for group in disk.groups) and disk.selector]
    groups = [group for disk in shared for group in disk.groups if len(group) > 1]
    carriers = carriers_of(leaf for group in groups for leaf in group)
    if len(carriers) < 2:
        return ()
    seen = _slow(situation, carriers, shared) or _in_turn(situation, carriers, shared)
    return () if seen is None else (diagnosed("D14", seen),)


def _in_turn(situation: Situation, carriers: Sequence[Carrier], maps: Sequence[MultipathDisk]) -> Seen | None:
    """Return the paths that are used one after the other, so that the first has too many requests."""
    first, others = carriers[0], carriers[1:]
    mean = sum(carrier.rate for carrier in others) / len(others)
    if first.rate * situation.load.seconds < ENOUGH or first.rate < UNEVEN * mean:
        return None
    waits = _waits(situation, [first])
    robin = [disk for disk in maps if disk.selector == ROUND_ROBIN]
    if waits is None or not robin:
        return None
    facts = {
        "mean": mean,
        "over": carriers,
        "robin": Subject("disk", robin[0].key, robin[0].title),
        "turn": max(disk.turn for disk in robin),
        **_explained(situation, carriers, maps),
    }
    return Seen(carriers, waits, facts, "in turn")


def _slow(situation: Situation, carriers: Sequence[Carrier], maps: Sequence[MultipathDisk]) -> Seen | None:
    """Return the path that takes many times as long as its best sibling, unless that is full, too."""
    timed = [
        (float(carrier.response), carrier)
        for carrier in carriers
        if not isinstance(carrier.response, Absent) and situation.load.enough(carrier.rate)
    ]
    if len(timed) < 2:
        return None
    (least, good), (most, slow) = (pick(timed, key=lambda timing: timing[0]) for pick in (min, max))
    times = SLOW_TIMES_OF_ALL if _all_slower(maps, slow) else SLOW_TIMES
    if most < SLOW or most < times * least or good.is_full:
        return None  # a longer queue before one of two full paths makes it no slow one
    came_back = any(map(situation.machine.came_back, maps))
    siblings = [carrier.rate for _, carrier in timed if carrier is not slow]
    ports = {leaf.port for leaf in slow.leaves} - {""}
    first, *more = sorted((leaf.name for leaf in slow.leaves), key=lambda name: (len(name), name))
    facts = {
        "good": good,
        "timed": carriers,
        "came_back": came_back,
        "is_sure": not came_back and slow.rate < FEWER * sum(siblings) / len(siblings),
        "port": ports.pop() if len(ports) == 1 else "",
        "spares": (spares := _spares(slow, maps)),
        "one_spare": len(spares) == 1,
        "first_path": first,
        "more_paths": more,
        # what waits behind a path that came back may be an old queue: then it explains no slow disk
        **_explained(situation, () if came_back else carriers, () if came_back else maps),
    }
    others = [carrier for carrier in carriers if carrier is not slow]
    return Seen([slow, *others], slow.rate * (most - least), facts, "slow")


def _spares(slow: Carrier, maps: Sequence[MultipathDisk]) -> list[str]:
    """Return the adapters that go on if an FCP device is set offline as a whole (chccwdev(8)).

    There are none unless each disk has one: then its paths are taken off one by one (multipathd(8)).
    """
    others = [{leaf.adapter for leaf in disk.leaves if not leaf.failed} - {slow.adapter} for disk in maps]
    return sorted(set[str]().union(*others)) if slow.is_fcp and all(others) else []


def _all_slower(maps: Sequence[MultipathDisk], slow: Carrier) -> bool:
    """Return whether most disks are slower over an adapter than over any other one."""
    slower = []
    for disk in maps:
        timed = [leaf for leaf in disk.leaves if not isinstance(leaf.response, Absent)]
        own = [float(leaf.response) for leaf in timed if leaf in slow.leaves]  # type: ignore[arg-type]
        others = [float(leaf.response) for leaf in timed if leaf not in slow.leaves]  # type: ignore[arg-type]
        if own and others:
            slower.append(min(own) > max(others))
    return len(slower) >= MIN_DISKS and sum(slower) >= MOST * len(slower)


def _full(situation: Situation) -> Sequence[With] | Absent:
    """Return the groups of FCP paths that requests wait for, and that are all in use."""
    load = situation.load
    places = situation.waiting.of_kind("paths")
    sets = [(place, sorted(load.fcp.intersection(place.key.split()))) for place in places]
    groups = [
        With(of_paths(place.key), waits=place.waits, chpids=chpids)
        for place, chpids in sets
        if _are_full(load, chpids)
    ]
    maps = _known_maps(situation)
    return maps if groups and isinstance(maps, Absent) else groups


def _are_full(load: ObservedLoad, chpids: Sequence[str]) -> bool:
    """Return whether all of some paths are full whose use is known; that of a path not seen is 0."""
    uses = [use for chpid in chpids if not isinstance(use := load.paths.get(chpid, 0.0), Absent)]
    return bool(uses) and min(uses) >= FULL_PATHS


def _twice(situation: Situation, groups: Sequence[With]) -> Remedy:
    """Propose twice as many paths, and tell how busy those are that are known."""
    load, maps = situation.load, _known_maps(situation)
    chpids = sorted({chpid for group in groups for chpid in group.chpids})
    uses = [With(Subject("path", chpid, chpid), use=load.paths[chpid]) for chpid in chpids]
    read = [path for path in uses if not isinstance(path.use, Absent)]
    disks = () if isinstance(maps, Absent) else maps
    all_carriers = carriers_of(leaf for disk in disks for leaf in disk.leaves)
    carriers = [carrier for carrier in all_carriers if carrier.chpid in {*chpids, ""}]
    facts = {
        "uses": read,
        "unread": [path.title for path in uses if path not in read],
        "least": min(path.use for path in read),
        "highest": max(path.use for path in read),
        "measured": load.paths_measured,
        "carriers": carriers,
        **_explained(situation, carriers, disks),
    }
    return Remedy(facts, (PathNumber(2, times=True),), "double the paths")


CAUSES: Final[Causes] = {
    "D14": uneven_paths,
    "D14b": one_path_does_all,
    "D14c": Cause("D14c", {"full FCP paths": _full}, {"twice the paths": _twice}),
}
