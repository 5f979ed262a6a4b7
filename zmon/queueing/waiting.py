"""Whether requests wait for something, and for what: the one predicate that all advice asks.

What counts is the time that is lost: requests per second times the part of their response that is wait,
which is how many requests wait on average.  Below `MIN_LOST` nothing waits.  A place is named only with
`MIN_REQUESTS` in the interval, because the mean of a few says nothing.

Without channel measurement only what a request takes beyond a slow disk and a slow path counts as wait.
"""

from __future__ import annotations

from itertools import compress
from math import fsum
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.limits import limit
from zmon.base.milliseconds import ms
from zmon.base.ranges import ranges
from zmon.base.record import NamedTuple
from zmon.machine.devices import SCSI_HOME
from zmon.machine.observation import (
    FULL_ALIASES,
    LATENCY,
    MAX_MISS,
    MIN_LONGER,
    MIN_LOST,
    SLOW_PATH,
    UNUSED_ALIASES,
    Volumes,
    at_once,
    busy_words,
    disc_of_misses,
    mean_of,
    path_groups,
    requests_of,
)
from zmon.queueing.resource import NOT_KNOWN, Resource, the_processors
from zmon.queueing.undecided import undecided, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from zmon.base.absent import Number
    from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedProcessors, ObservedVolume
from zmon.queueing.undecided import UndecidedRequests

FULL_PROCESSORS: Final = 0.9
"""Utilisation below which processors are not full."""
CERTAINLY_FULL: Final = 0.97
"""Utilisation from which on work waits for processors, however evenly it comes."""
LIKELY_FULL: Final = limit("cpu-full") / 100
"""Utilisation from which on it likely does, where nothing shows whether tasks wait."""
HARDLY: Final = 0.1
"""The part of the time in which tasks wait for a processor, below which next to nothing does, however busy
they are: there are just as many programs as processors."""
OF_ONE: Final = 0.7
"""The most that one volume may have of what waits in an LCU without times, for the LCU to be the place."""
FULL_PATHS: Final = limit("path-bad") / 100
LIMITING_PATHS: Final = limit("path-full") / 100
"""Utilisations from which on requests wait for a resource whose queue is not measured."""
MUCH_STOLEN: Final = limit("cpu-stolen") / 100
"""The part of the processors' time that the hypervisor withholds from which on it is named."""
SLOWEST_FICON: Final = 17e6
"""Bytes a second that an ESCON path carries at most, and the slowest FICON path several times."""
EXACTLY: Final = 0.02
"""How far the sum of connect times may be from the whole time to be it."""
FEW_STARTS: Final = 1000.0
"""Starts of I/O a second below which none of FICON is busy with their number."""
SURGE: Final = 3.0
"""How many times its bytes of before an LCU has where somebody new reads or writes."""
WITHHELD: Final = absent("they are not busy, but withheld")
OF_LCU: Final = frozenset({"lcu", "aliases", "volume"})
"""The kinds of places that belong to one LCU."""


class Waiting(NamedTuple):
    """Where requests wait in an interval."""

    places: tuple[Resource, ...]
    """Most lost time first; none: nothing waits."""
    lost: float
    """Requests that wait anywhere on average."""
    why: str
    """One sentence: what waits most, or why nothing is named."""
    busiest: str = ""
    """Where nothing waits, as far as anything could, what the busiest volume does, in words; else empty."""
    undecided: tuple[UndecidedRequests, ...] = ()
    """What may wait besides; most requests first."""

    def of_kind(self, kind: str) -> list[Resource]:
        """Return the places of a kind that requests wait for, most lost time first."""
        return [place for place in self.places if place.kind == kind]

    def at_volumes(self, names: Collection[str]) -> list[Resource]:
        """Return the volumes of some names that requests wait for."""
        return [place for place in self.of_kind("volume") if place.key in names]

    @property
    def spreading_helps(self) -> bool:
        """Whether other placement may help: an LCU, its paths or single volumes are what is waited for."""
        return bool(self.places) and self.places[0].kind in {"lcu", "paths", "volume", "aliases"}

    def by_lcu(self, load: ObservedLoad) -> dict[str, float]:
        """Return how many requests wait for each LCU, its aliases and its volumes, by its key.

        What waits for paths belongs to no LCU alone, and new load (`surge`) is counted where it waits.
        """
        lcu_of = dict(zip(*map(Volumes.of(load.volumes).column, ("key", "lcu")), strict=True))
        waits: dict[str, float] = {}
        for place in self.places:
            lcu = lcu_of.get(place.key, "") if place.kind == "volume" else place.key
            if lcu and place.kind in OF_LCU:
                waits[lcu] = waits.get(lcu, 0.0) + place.waits
        return waits

    def by_volume(self, load: ObservedLoad) -> dict[str, float]:
        """Return how many requests wait for each volume, by its key.

        Those that wait for an alias wait for the volume that they go to.  Those in an LCU that channel
        measurement does not time are divided by what is at each volume; where it times them, they are of no
        volume.
        """
        waits: dict[str, float] = {}
        for place in self.places:
            if place.kind == "volume":
                waits[place.key] = place.waits
            elif place.kind == "aliases":
                for volume in load.used_of(place.key):
                    if not isinstance(volume.queued, Absent):
                        waits.setdefault(volume.key, volume.rate * volume.queued)
            elif place.kind == "lcu":
                ones = [member for member in load.used_of(place.key) if member.estimated]
                at = {member.key: requests_of(member.rate, member.response)[0] for member in ones}
                for key, many in at.items():
                    if many:
                        waits.setdefault(key, place.waits * many / sum(at.values()))
        return waits


def waiting(load: ObservedLoad, before: ObservedLoad | None = None) -> Waiting:
    """Return where requests wait.

    Full processors come first: while they are full, nothing else limits.  With the load of a time `before`,
    an LCU whose bytes have grown many times since, while nothing waited then, comes before other places: who
    makes this load is to be found, not another placement.
    """
    volumes = load.busy
    if not volumes and not any(load.enough(load.rate_of(lcu.key)) for lcu in load.lcus):
        many = load.seconds * load.used.rate
        return Waiting((), 0.0, f"Nothing waits: {many:.0f} I/O in the interval are too few to tell")
    untimed = [*_not_timed(load, volumes)]
    places = [
        *_in_linux(load, volumes),
        *(place for place in untimed if place.kind != "lcu"),
        *_in_lcus_or_for_paths(load, [place for place in untimed if place.kind == "lcu"]),
    ]
    places.sort(key=lambda place: -place.waits)
    full = _processors(load)
    new = _surge(load, before, places)
    in_order = (*([full] if full else ()), *([new] if new else ()), *places)
    lost = sum(place.waits for place in places)
    decided = Waiting(tuple(places), lost, "").by_lcu(load)
    maybe = undecided(load, decided)
    if in_order:
        first = in_order[0]
        use = (
            ""
            if isinstance(first.use, Absent) or first.kind in {"volume", "volumes", "surge"}
            else f" ({busy_words(first.use)})"
        )
        text = first.waiting[:1].upper() + first.waiting[1:]
        return Waiting(in_order, lost, f"{text}{use}", undecided=maybe)
    if maybe:
        text = words_of(maybe)
        return Waiting((), 0.0, f"{text[:1].upper()}{text[1:]}", undecided=maybe)
    processor = load.processors
    if processors_full(processor) is None:
        busy = f"({100 * processor.busy:.0f} % busy)"
        processors = the_processors(processor.number)
        unknown = f"whether {processors.full} is not known {busy}"
        return Waiting((), 0.0, f"Nothing waits, as far as is measured; {unknown}")
    busiest = load.busiest
    if busiest is None or isinstance(busiest.response, Absent):
        return Waiting((), 0.0, "Nothing waits, as far as is measured")
    text = f"the busiest volume, {busiest.title}, answers in {ms(busiest.response)}"
    return Waiting((), 0.0, f"Nothing waits; {text}", text)


def _surge(load: ObservedLoad, before: ObservedLoad | None, places: list[Resource]) -> Resource | None:
    """Return the LCU with the load that is new, where requests wait for it or its volumes."""
    if before is None or not places or waiting(before).places:
        return None
    lcu_of = {volume.key: volume.lcu for volume in load.volumes}
    for place in places:
        key = lcu_of.get(place.key, place.key)
        now, then = load.bytes_of(key), before.bytes_of(key)
        if then and now >= SURGE * then:
            title = next((lcu.title for lcu in load.lcus if lcu.key == key), place.title)
            return Resource("surge", key, title, place.waits, place.use)
    return None


def _long(wait: Number, rest: Number, rate: float) -> float:
    """Return how many requests wait if each waits long enough to matter; else 0."""
    if isinstance(wait, Absent) or isinstance(rest, Absent):
        return 0.0
    lost = rate * max(0.0, wait)
    return lost if lost >= MIN_LOST and wait >= MIN_LONGER * rest else 0.0


def _in_linux(load: ObservedLoad, volumes: Volumes) -> Iterator[Resource]:
    """Yield volumes and pools of aliases before which requests wait in Linux."""
    lcus = load.lcus_by_key
    pooled: dict[str, tuple[float, float]] = {}
    columns = zip(*map(volumes.column, ("lcu", "estimated", "rate", "queued", "serv")), strict=True)
    for at, (key, estimated, wait, queued, serv) in enumerate(columns):
        lcu = lcus.get(key)
        if estimated:
            continue
        if lcu is not None and lcu.aliases:
            lost, rate = pooled.get(key, (0.0, 0.0))
            waits = 0.0 if isinstance(queued, Absent) else wait * queued
            pooled[key] = lost + waits, rate + wait
        elif lost := _long(queued, serv, wait):
            volume = volumes[at]
            yield Resource("volume", volume.key, volume.title, lost, volume.use)
    for key, (lost, rate) in pooled.items():
        lcu = lcus[key]
        if lcu.pool_use < UNUSED_ALIASES:
            for volume in load.busy_of(key):
                if waits := _long(volume.queued, volume.serv, volume.rate):
                    yield Resource("volume", volume.key, volume.title, waits, volume.use)
        elif lcu.pool_use >= FULL_ALIASES and _long(lost / rate, mean_of(load.used_of(key), "serv"), rate):
            yield Resource("aliases", key, lcu.title, lost, lcu.pool_use)


def _not_timed(load: ObservedLoad, volumes: Volumes) -> Iterator[Resource]:
    """Yield what requests wait for among volumes that channel measurement does not time."""
    lcus = load.lcus_by_key
    untimed: dict[str, list[ObservedVolume]] = {}
    for volume in volumes.some(compress(range(len(volumes)), volumes.column("estimated"))):
        untimed.setdefault(volume.lcu, []).append(volume)
    for key, ones in untimed.items():
        lcu = lcus.get(key)
        shares_a_unit = all(
            disk.sort != SCSI_HOME for disk in ones
        )  # of a LUN its adapters or its pool may be full
        places = [*_for_untimed(lcu if shares_a_unit else None, [*map(_untimed, ones)])]
        yield from places
        if lcu is not None and not places:
            yield from _more_than_served(lcu, [disk for disk in ones if disk.is_dasd])


def lcus_not_timed(load: ObservedLoad) -> set[str]:
    """Return the keys of the LCUs in which requests wait, though channel measurement does not time them."""
    return {place.key for place in _not_timed(load, load.busy) if place.kind == "lcu"}


def lcus_waiting_for_paths(load: ObservedLoad) -> set[str]:
    """Return the keys of the LCUs in which requests wait for paths that these share, to reconnect.

    Who cannot reconnect could not begin at once either: where nothing waits in Pend, nothing waits for paths.
    """
    held: set[str] = set()
    for place in _for_paths(load):
        behind = {lcu.key: load.used_of(lcu.key) for lcu in lcus_behind(load, place.key)}
        busy = {lcu: used for lcu, used in behind.items() if load.enough(used.rate)}
        waits = all(
            _long(mean_of(used, "pend") - LATENCY, mean_of(used, "conn"), used.rate) for used in busy.values()
        )
        if place.use >= LIMITING_PATHS and len(busy) > 1 and waits:
            held |= busy.keys()
    return held


def _for_untimed(lcu: ObservedLcu | None, places: Sequence[Resource]) -> Iterator[Resource]:
    """Yield what requests wait for among volumes that channel measurement does not time, all of one LCU."""
    if lcu is None:
        waited = [place for place in places if place.waits >= MIN_LOST]
        yield from waited
        behind = [place.waits for place in places if place.waits]
        if not waited and sum(behind) >= MIN_LOST:
            title = f"{len(behind)} volumes together"
            yield Resource("volumes", "", title, sum(behind), NOT_KNOWN)
        return
    lost, most = sum(place.waits for place in places), max(places, key=lambda busiest: busiest.waits)
    if lost >= MIN_LOST and most.waits <= OF_ONE * lost:
        yield Resource("lcu", lcu.key, lcu.title, lost, NOT_KNOWN)
    elif most.waits >= MIN_LOST:
        yield most


def _more_than_served(lcu: ObservedLcu, volumes: Sequence[ObservedVolume]) -> Iterator[Resource]:
    """Yield what has more requests than its bases and aliases do at once, however long each takes."""
    many = [requests_of(disk.rate, disk.response)[0] for disk in volumes]
    if lcu.aliases:
        waits = sum(many) - at_once(lcu, volumes)
        if waits >= MIN_LOST:
            yield Resource("aliases", lcu.key, lcu.title, waits, NOT_KNOWN)
        return
    for volume, requests in zip(volumes, many, strict=True):
        if requests - volume.servers >= MIN_LOST:
            yield Resource("volume", volume.key, volume.title, requests - volume.servers, NOT_KNOWN)


def _untimed(volume: ObservedVolume) -> Resource:
    """Return a volume that channel measurement does not time, with what waits on it: perhaps nothing."""
    response, size, lost = volume.response, volume.size, 0.0
    if not isinstance(response, Absent) and not isinstance(size, Absent):
        lost = volume.rate * max(0.0, response - MAX_MISS - size / SLOW_PATH)
    return Resource("volume", volume.key, volume.title, lost, NOT_KNOWN)


def _in_lcus(load: ObservedLoad) -> Iterator[Resource]:
    """Yield LCUs in which requests wait: Disc that cache misses do not explain."""
    for lcu in load.lcus:
        if lost := _long(*_inside(load, lcu), load.rate_of(lcu.key)):
            yield Resource("lcu", lcu.key, lcu.title, lost, NOT_KNOWN)


def _inside(load: ObservedLoad, lcu: ObservedLcu) -> tuple[Number, Number]:
    """Return how long a request waits inside an LCU, beyond cache misses, and how long it is transferred.

    That of its volumes is that of bases or aliases, whichever is longer; no more wait than CTLUNIT has there.
    """
    volumes = load.used_of(lcu.key)
    disc = mean_of(volumes, "disc")
    if not isinstance(disc, Absent) and not isinstance(lcu.disc, Absent):
        disc = min(disc, lcu.disc)
    if not load.enough(volumes.rate) or isinstance(disc, Absent):
        return 0.0, NOT_KNOWN
    return disc - disc_of_misses(lcu, volumes), mean_of(volumes, "conn")


def _waits_inside(load: ObservedLoad, lcu: ObservedLcu) -> bool:
    """Return whether requests wait long inside an LCU, be they few."""
    wait, transfer = _inside(load, lcu)
    return bool(wait >= MIN_LONGER * transfer)


def _for_paths(load: ObservedLoad) -> Iterator[Resource]:
    """Yield groups of channel paths that are busy while requests pend."""
    for key, chpids in path_groups(load.lcus).items():
        uses = [use for chpid in chpids if not isinstance(use := load.paths.get(chpid, NOT_KNOWN), Absent)]
        if not uses or max(uses) < FULL_PATHS:
            continue
        lcus = lcus_behind(load, key)
        ones = tuple(volume for lcu in lcus for volume in load.used_of(lcu.key))
        rate = sum(volume.rate for volume in ones)
        if not load.enough(rate):
            continue
        pend = mean_of(ones, "pend")
        lost = 0.0 if isinstance(pend, Absent) else rate * max(0.0, pend - LATENCY)
        if lost < MIN_LOST and only_overlap(load, chpids, lcus):
            continue
        if lost >= MIN_LOST or max(uses) >= LIMITING_PATHS:
            yield Resource("paths", key, f"paths {ranges(chpids)}", lost, max(uses))


def only_overlap(load: ObservedLoad, chpids: Sequence[str], lcus: Sequence[ObservedLcu]) -> bool:
    """Return whether paths to LCUs are FICON with few bytes and requests: their connect times only overlap.

    Times that add up to all of the time, no less and no more, are those of one request after the other.
    """
    if load.paths_measured or not load.ficon.issuperset(chpids):
        return False
    uses = [use for chpid in chpids if not isinstance(use := load.paths.get(chpid, NOT_KNOWN), Absent)]
    if uses and abs(1 - max(uses)) <= EXACTLY:
        return False
    starts, moved = (fsum(of(lcu.key) for lcu in lcus) for of in (load.rate_of, load.bytes_of))
    return starts < FEW_STARTS * len(chpids) and moved < SLOWEST_FICON * len(chpids)


def _in_lcus_or_for_paths(load: ObservedLoad, untimed: Sequence[Resource]) -> Iterator[Resource]:
    """Yield the LCUs and the paths that requests wait for; `untimed` are LCUs without channel measurement.

    Where paths are full and requests wait in all LCUs behind them, in some long enough to be named, and in
    more than one, it is the paths that these share: an LCU that cannot reconnect holds its requests.  So it
    is where nothing else tells in which of both requests wait: that the paths are full is measured, that the
    LCU is full is not.
    """
    without = {place.key for place in untimed} if load.paths_measured else set[str]()
    lcus = {place.key: place for place in (*untimed, *_in_lcus(load))}
    for place in _for_paths(load):
        busy = [lcu for lcu in lcus_behind(load, place.key) if load.enough(load.rate_of(lcu.key))]
        behind = lcus.keys() & {lcu.key for lcu in busy}
        wait_alike = all(lcu.key in behind or _waits_inside(load, lcu) for lcu in busy)
        shared = behind if len(busy) > 1 and wait_alike else behind & without
        if place.use >= LIMITING_PATHS and shared:
            inside = sum(lcus.pop(key).waits for key in sorted(shared))
            yield place._replace(waits=place.waits + inside, inside=inside)
        else:
            yield place
    yield from lcus.values()


def lcus_behind(load: ObservedLoad, *keys: str) -> list[ObservedLcu]:
    """Return the LCUs all of whose paths are in some groups, each by its CHPIDs in words."""
    chpids = {chpid for key in keys for chpid in key.split()}
    return [lcu for lcu in load.lcus if lcu.chpids and chpids.issuperset(lcu.chpids)]


def processors_full(processors: ObservedProcessors) -> bool | None:
    """Return whether processors are full; None where they may be, and nobody counted the tasks that wait.

    This is the one predicate: DIAGNOSE asks it, and all advice.  What zmon itself uses, as it does while it
    starts on a slow machine, fills none; nor do programs at nice, which give way to all others.
    """
    if isinstance(processors.number, Absent) or isinstance(processors.busy, Absent):
        return False
    busy = processors.busy - processors.noticed - processors.giving_way
    if busy < FULL_PROCESSORS:
        return False
    if processors.waits is None:
        return True if busy >= LIKELY_FULL else None
    if busy < CERTAINLY_FULL or isinstance(processors.some, Absent):
        return processors.waits or bool(busy >= CERTAINLY_FULL)
    return bool(processors.some >= HARDLY)


def _processors(load: ObservedLoad) -> Resource | None:
    """Return the processors where they are full: used, or withheld by the hypervisor while there is work."""
    processor = load.processors
    if isinstance(processor.number, Absent) or isinstance(processor.busy, Absent):
        return None
    processors = the_processors(processor.number)
    if processor.stolen >= MUCH_STOLEN:
        if processor.taken < FULL_PROCESSORS:
            return None
        whose = "its" if processors.servers == 1 else "their"
        title = f"{processors.title}: the hypervisor withholds {100 * processor.stolen:.0f} % of {whose} time"
        return processors._replace(title=title, use=WITHHELD)
    if processors_full(processor):
        return processors._replace(use=processor.busy)
    return None
