"""Paths to SCSI disks: one does all (D14b), one is slow or has too many (D14), all are full (D14c)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.limits import limit
from zmon.base.milliseconds import ms
from zmon.base.ranges import many, names, ranges
from zmon.base.record import NamedTuple
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.phrases import evidence, gain, of_paths, percent
from zmon.interval import IDLE
from zmon.queueing.change import PathNumber, PathsInUse
from zmon.queueing.waiting import FULL_PATHS
from zmon.topology.path_sets import ROUND_ROBIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
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
SLOW: Final = limit("path-slow") / 1000
"""Seconds of a request below which no path is slow: its example value there."""


EQUAL: Final = (
    "It has as many requests as its siblings, and an old queue behind it would look alike: if it is as slow"
    " in a minute, it is the path."
)
BACKLOG: Final = "A path came back, and what waited meanwhile may be behind it: look again in some minutes."


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
    def is_fcp(self) -> bool:
        """Whether it is an FCP device; KVM guests have virtual adapters without a load that is measured."""
        return not isinstance(self.use, Absent) or any(leaf.port for leaf in self.leaves)

    @property
    def title(self) -> str:
        """Its name: `FCP device 0.0.fc00`; of other paths those of the disks: `sda`."""
        if self.adapter and self.is_fcp:
            return f"FCP device {self.adapter}"
        return names([leaf.name for leaf in self.leaves])

    @property
    def subject(self) -> Subject:
        """It as a subject."""
        return Subject("adapter", self.adapter, self.title, is_fcp=bool(self.adapter) and self.is_fcp)

    @property
    def use(self) -> Number:
        """Utilisation of its channel path."""
        return self.leaves[0].use


def carriers_of(leaves: Iterable[PathLeaf]) -> list[Carrier]:
    """Return the adapters of some paths, the one with most requests first."""
    found: dict[str, list[PathLeaf]] = {}
    for leaf in leaves:
        found.setdefault(leaf.adapter or leaf.name, []).append(leaf)
    return sorted((_carrier(ones) for ones in found.values()), key=lambda one: -one.rate)


def _carrier(leaves: Sequence[PathLeaf]) -> Carrier:
    known = [(float(one.rate), one.response) for one in leaves if not isinstance(one.rate, Absent)]
    rate = sum(each for each, _ in known)
    timed = [(each, float(time)) for each, time in known if not isinstance(time, Absent)]
    busy = sum(each for each, _ in timed)
    mean = sum(each * time for each, time in timed) / busy if busy else IDLE
    return Carrier(leaves[0].adapter, leaves[0].chpid, tuple(leaves), rate, mean)


def _known_maps(situation: Situation) -> Sequence[MultipathDisk] | Absent:
    """Return the multipath devices with I/O; absent where paths to SCSI disks are not known."""
    maps = situation.machine.maps()
    if isinstance(maps, Absent):
        return maps if situation.load.fcp else ()
    enough = situation.load.enough
    return [one for one in maps if enough(_rate(one.leaves)) and len(one.leaves) > 1]


def _rate(leaves: Iterable[PathLeaf]) -> float:
    return sum(float(leaf.rate) for leaf in leaves if not isinstance(leaf.rate, Absent))


def _waits(
    situation: Situation, carriers: Sequence[Carrier], maps: Iterable[MultipathDisk] = ()
) -> float | None:
    """Return how many requests wait for some adapters; None if none do, as far as is known.

    Where fewer are counted, they are estimated as for one queue (M/M/1) before each that is half busy.
    Where the load of no adapter is measured, what waits for the disks behind them may wait for the adapters.
    """
    if all(isinstance(one.use, Absent) for one in carriers):
        return sum(place.waits for place in situation.waiting.at_volumes(_disks(carriers, maps))) or None
    chpids = {one.chpid for one in carriers} - {""}
    groups = [one for one in situation.waiting.places if one.kind == "paths"]
    found = [one.waits for one in groups if not chpids.isdisjoint(one.key.split())]
    busy = [min(0.99, float(one.use)) for one in carriers if one.use >= BUSY_PATH]  # type: ignore[arg-type]
    return max(sum(found), sum(use * use / (1 - use) for use in busy)) if found or busy else None


def _disks(carriers: Iterable[Carrier], maps: Iterable[MultipathDisk]) -> set[str]:
    """Return what the disks behind some adapters may be called: as paths, as maps and by their aliases."""
    return {leaf.name for one in carriers for leaf in one.leaves}.union(*(one.names for one in maps))


def _volumes(
    situation: Situation, carriers: Iterable[Carrier], maps: Iterable[MultipathDisk]
) -> Iterator[Subject]:
    """Yield the volumes behind some adapters that requests wait for: the adapters explain it."""
    for place in situation.waiting.at_volumes(_disks(carriers, maps)):
        yield Subject("volume", place.key, place.title)


def one_path_does_all(situation: Situation) -> Diagnoses:
    """Return D14b: requests wait for one path while others only stand by."""
    maps = _known_maps(situation)
    if isinstance(maps, Absent):
        return maps
    alone = []
    for one in maps:
        whole = _rate(one.leaves)
        grouped = len(one.groups) > 1 and all(len(group) == 1 for group in one.groups)
        unknown = not one.selector
        most = max(_rate([leaf]) for leaf in one.leaves)
        if (grouped or unknown) and most >= ALL * whole:
            alone.append(one)
    if not alone:
        return ()
    used = carriers_of(max(one.leaves, key=lambda leaf: _rate([leaf])) for one in alone)
    waits = _waits(situation, used, alone)
    if waits is None:
        return ()
    known = all(one.selector for one in alone)
    measured = not isinstance(used[0].use, Absent)
    idle = [
        one for one in carriers_of(leaf for each in alone for leaf in each.leaves)
        if one.adapter not in {each.adapter for each in used}
    ]  # fmt: skip
    busiest = used[0]
    fcp = "FCP " if busiest.is_fcp else ""
    paths = len(alone[0].leaves)
    disks = f"disk {alone[0].title}" if len(alone) == 1 else many(len(alone), "disk")
    others = "the other stands" if paths == 2 else f"{paths - 1} others stand"
    found = Diagnosis(
        "D14b",
        subjects=(
            *(one.subject for one in used),
            *(Subject("disk", one.key, one.title) for one in alone),
            *_volumes(situation, used, alone),
            *_scsi_paths(situation),
        ),
        clause=f"One of {paths} {fcp}paths does all I/O of {disks}",
        rest=f": {busiest.title} ({busiest.rate:,.0f} a second); {others} by",
        evidence=(
            *_rates([busiest]),
            *_rates(idle[:1]),
            *_path_use(busiest),
            *_times([busiest]),
        ),
        confidence=POSSIBLE if not measured else CERTAIN if known else LIKELY,
        apart=True,
        action="Put all paths into one group: path_grouping_policy multibus in the device section of this"
        " storage in multipath.conf (group_by_prio if multipath -ll shows paths of different prio), then"
        " multipathd reconfigure, without a restart; MPATH then shows one group.",
        lost=waits,
        foretell=gain(situation, (PathsInUse(),)),
        changes=(PathsInUse(),),
        whatif="use all paths" if measured else "",
        confirm="If one of the disks is quicker with multibus, it is the path, else the disk."
        if not measured
        else ""
        if known
        else "The table of the multipath device (dmsetup table, as root) would show it.",
        missing=(
            *(() if measured else ("the load of the adapters",)),
            *(() if known else ("the path groups, which only root can read",)),
        ),
    )  # fmt: skip
    return (found,)


def _path_use(carrier: Carrier) -> Iterator[Measurement]:
    if not isinstance(carrier.use, Absent):
        words = f"channel path {carrier.chpid} is {percent(carrier.use)} busy"
        yield evidence("channel.cur", Subject("path", carrier.chpid, carrier.chpid), 100 * carrier.use, words)


def _rates(carriers: Iterable[Carrier]) -> Iterator[Measurement]:
    for one in carriers:
        words = f"{one.rate:,.0f} requests a second over {one.title}"
        yield evidence("device.ios", one.subject, one.rate, words)


def _times(carriers: Iterable[Carrier]) -> Iterator[Measurement]:
    for one in carriers:
        words = f"{ms(one.response)} a request over {one.title}"
        yield evidence("device.resp", one.subject, 1e3 * one.response, words)


def _scsi_paths(situation: Situation) -> list[Subject]:
    """Return the groups of FCP paths that requests wait for, as the waiting names them."""
    return [
        of_paths(one.key)
        for one in situation.waiting.places
        if one.kind == "paths" and not situation.load.fcp.isdisjoint(one.key.split())
    ]


def uneven_paths(situation: Situation) -> Diagnoses:
    """Return D14: paths of one group that are used unevenly, or of which one is slow."""
    maps = _known_maps(situation)
    if isinstance(maps, Absent):
        return maps
    shared = [one for one in maps if any(len(group) > 1 for group in one.groups) and one.selector]
    carriers = carriers_of(leaf for one in shared for group in one.groups if len(group) > 1 for leaf in group)
    if len(carriers) < 2:
        return ()
    slow = _slow(situation, carriers, shared)
    if slow is not None:
        return (slow,)
    first, others = carriers[0], carriers[1:]
    mean = sum(one.rate for one in others) / len(others)
    seconds = situation.load.seconds
    if first.rate * seconds < ENOUGH or first.rate < UNEVEN * mean:
        return ()
    waits = _waits(situation, [first])
    robin = [one for one in shared if one.selector == ROUND_ROBIN]
    if waits is None or not robin:
        return ()
    turn = max(one.turn for one in robin)
    found = Diagnosis(
        "D14",
        subjects=(
            first.subject,
            *(one.subject for one in others),
            *_volumes(situation, carriers, shared),
            *_scsi_paths(situation),
        ),
        clause="FCP paths are used one after the other",
        rest=f": {first.title} has {first.rate:,.0f} requests a second, the others {mean:,.0f}",
        evidence=(
            *_rates(carriers),
            evidence("layer.table", Subject("disk", robin[0].key, robin[0].title), turn,
                     f"a path is used for {turn} requests in turn (rr_min_io)"),
        ),
        confidence=CERTAIN if turn > 1 else LIKELY,
        action="Set rr_min_io to 100, or use the selector service-time.",
        lost=waits,
    )  # fmt: skip
    return (found,)


def _slow(
    situation: Situation, carriers: Sequence[Carrier], maps: Sequence[MultipathDisk]
) -> Diagnosis | None:
    """Return the path that takes many times as long as its best sibling."""
    timed = [
        (float(one.response), one)
        for one in carriers
        if not isinstance(one.response, Absent) and situation.load.enough(one.rate)
    ]
    if len(timed) < 2:
        return None
    best, worst = min(timed, key=lambda one: one[0]), max(timed, key=lambda one: one[0])
    slow, good = worst[1], best[1]
    times = SLOW_TIMES_OF_ALL if _all_slower(maps, slow) else SLOW_TIMES
    if worst[0] < SLOW or worst[0] < times * best[0]:
        return None
    came_back = any(map(situation.machine.came_back, maps))
    siblings = [one.rate for _, one in timed if one is not slow]
    is_sure = not came_back and slow.rate < FEWER * sum(siblings) / len(siblings)
    ports = {leaf.port for leaf in slow.leaves} - {""}
    port = f" and port {ports.pop()}" if len(ports) == 1 else ""
    return Diagnosis(
        "D14",
        subjects=(
            slow.subject,
            *(one.subject for one in carriers if one is not slow),
            *_volumes(situation, carriers, maps),
            *_scsi_paths(situation),
        ),
        clause=f"The path over {slow.title} is slow",
        rest=f": {ms(slow.response)} a request, over its siblings {ms(good.response)}",
        evidence=(
            *_times(carriers),
            evidence("device.ios", slow.subject, slow.rate, f"{slow.rate:,.0f} requests a second over it"),
        ),
        confidence=CERTAIN if is_sure else POSSIBLE if came_back else LIKELY,
        action=BACKLOG
        if came_back
        else f"Have the link of {slow.title}{port} checked (cable, switch, port)."
        f" {_take_off(slow, maps, 'Until then' if is_sure else 'If it stays as slow until then,')}",
        lost=slow.rate * (worst[0] - best[0]),
        confirm="" if is_sure else EQUAL,
        excluded=(f"the disks: the same disks answer in {ms(good.response)} over {good.title}",),
    )


def _take_off(slow: Carrier, maps: Sequence[MultipathDisk], when: str) -> str:
    """Return how the paths over it are taken off until it is mended, and taken back.

    An FCP device as a whole, if each disk has another one (chccwdev(8)); else path by path (multipathd(8)).
    """
    others = [{leaf.adapter for leaf in one.leaves if not leaf.failed} - {slow.adapter} for one in maps]
    if slow.is_fcp and slow.adapter and all(others):
        rest = set().union(*others)
        goes_on = (
            f"All I/O then goes over FCP device {rest.pop()}: if that fails, the disks are gone."
            if len(rest) == 1
            else "The other paths go on."
        )
        take = f"chccwdev -d {slow.adapter}"
        return f"{when} you may set it offline, as root: {take}; with -e it comes back. {goes_on}"
    first, *more = sorted((leaf.name for leaf in slow.leaves), key=lambda name: (len(name), name))
    likewise = f", likewise {names(more)}" if more else ""
    them = "its paths" if more else "it"
    return (
        f"{when} take {them} off, as root: multipathd del path {first}{likewise}; multipathd add path"
        " takes one back."
    )


def _all_slower(maps: Sequence[MultipathDisk], slow: Carrier) -> bool:
    """Return whether most disks are slower over an adapter than over any other one."""
    found = []
    for one in maps:
        timed = [leaf for leaf in one.leaves if not isinstance(leaf.response, Absent)]
        own = [float(leaf.response) for leaf in timed if leaf in slow.leaves]  # type: ignore[arg-type]
        others = [float(leaf.response) for leaf in timed if leaf not in slow.leaves]  # type: ignore[arg-type]
        if own and others:
            found.append(min(own) > max(others))
    return len(found) >= MIN_DISKS and sum(found) >= MOST * len(found)


def too_few_paths(situation: Situation) -> Diagnoses:
    """Return D14c: requests wait for FCP paths that are all in use, as far as the use of each is known."""
    load = situation.load
    groups = [
        (one, sorted(load.fcp.intersection(one.key.split())))
        for one in situation.waiting.places
        if one.kind == "paths"
    ]
    groups = [(place, chpids) for place, chpids in groups if _are_full(load, chpids)]
    if not groups:
        return ()
    maps = _known_maps(situation)
    if isinstance(maps, Absent):
        return maps
    chpids = sorted({chpid for _, group in groups for chpid in group})
    uses = [(chpid, load.paths[chpid]) for chpid in chpids]
    known = {chpid: float(use) for chpid, use in uses if not isinstance(use, Absent)}
    unread = [chpid for chpid in chpids if chpid not in known]
    all_carriers = carriers_of(leaf for one in maps for leaf in one.leaves)
    carriers = [one for one in all_carriers if one.chpid in {*chpids, ""}]
    least, most = percent(min(known.values())), percent(max(known.values()))
    measured = " whose use is known" if unread else ""
    found = Diagnosis(
        "D14c",
        subjects=(
            *(of_paths(place.key) for place, _ in groups),
            *(one.subject for one in carriers),
            *_volumes(situation, carriers, maps),
        ),
        clause=f"All {len(known)} FCP paths{measured} are full",
        rest=f": {least} to {most} busy",
        evidence=tuple(
            evidence("channel.cur", Subject("path", chpid, chpid), 100 * use, f"{chpid} {percent(use)}")
            for chpid, use in known.items()
        ),
        confidence=CERTAIN if load.paths_measured and not unread else LIKELY,
        action="Add FCP paths, on other adapter cards.",
        lost=sum(place.waits for place, _ in groups),
        foretell=gain(situation, (PathNumber(2, times=True),)),
        changes=(PathNumber(2, times=True),),
        whatif="double the paths",
        missing=(
            *((f"how busy {ranges(unread)} {'is' if len(unread) == 1 else 'are'}",) if unread else ()),
            "how often the queue of an adapter was full (scsi_host)",
        ),
    )
    return (found,)


def _are_full(load: ObservedLoad, chpids: Sequence[str]) -> bool:
    """Return whether all of some paths are full whose use is known; that of a path not seen is 0."""
    uses = [use for chpid in chpids if not isinstance(use := load.paths.get(chpid, 0.0), Absent)]
    return bool(uses) and min(uses) >= FULL_PATHS


CAUSES: Final = {"D14": uneven_paths, "D14b": one_path_does_all, "D14c": too_few_paths}
