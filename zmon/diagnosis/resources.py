"""The resources of the machine, in the order in which an analyst excludes causes, and their use.

All figures are those of the load that a diagnosis is drawn from, so what OVERVIEW shows is what the verdict
rests on.
"""

from __future__ import annotations

from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.milliseconds import ms
from zmon.base.ranges import ranges
from zmon.base.record import NamedTuple
from zmon.base.sizes import GIB
from zmon.machine.cpus import Processors
from zmon.machine.devices import NO_DISKS, SCSI_HOME
from zmon.machine.join import first
from zmon.machine.memory_use import Memory
from zmon.machine.observation import OVERLAPPED, Volumes, carried_by, mean_of, utilisation
from zmon.machine.partitions import LogicalProcessors
from zmon.machine.unit_loads import filling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.machine.devices import Devices
    from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedVolume
    from zmon.machine.view import View
    from zmon.queueing.resource import Resource

FULL: Final = 0.5
"""Utilisation of an LCU, a part of 1, from which on it is said who fills it."""
NEAR: Final = 0.05
"""Paths whose utilisation, a part of 1, differs by less are named together."""
LONG: Final = 17
"""Characters of a list of channel paths beyond which they are only counted."""

NO_LCUS: Final = absent("no LCU is known")
NO_PATHS: Final = absent("no channel path of a disk is known")
UNMEASURED: Final = absent("the load of channel paths is not measured")
NO_ALIASES: Final = absent("there are none")
NO_DASD: Final = absent("how busy they are is not measured")
NO_DISC: Final = absent("too little Disc to tell")
UNTIMED: Final = absent("channel measurement gives no times")
FEW: Final = absent("too little I/O to tell")


class Said(NamedTuple):
    """What is said of a resource, and of which part of it."""

    text: str
    about: str = ""
    """What stands before the text, `LCU 7600`; empty where it is about the whole."""

    @property
    def whole(self) -> str:
        """Both."""
        return f"{self.about} {self.text}" if self.about else self.text


class ShownResource(NamedTuple):
    """One resource."""

    key: str
    title: str
    command: str
    """Of the screen behind it."""
    use: Callable[[RecentLoad], Number]
    """Returns how much of it is used, in percent, in whichever interval."""
    said: Callable[[View, RecentLoad], Said]
    """Says what the percentage is of, in the present one."""


class LcuLoad(NamedTuple):
    """What an LCU does: requests and bytes per second, and the response time in seconds."""

    lcu: ObservedLcu
    rate: float
    bytes: Number
    response: Number


class RecentLoad(NamedTuple):
    """What was observed in one interval: what sparklines and charts look back on."""

    begin: int
    end: int
    """UTC in ns."""
    gap: bool
    """Whether samples are missing in it."""
    load: ObservedLoad
    """Of an interval before the present one without its volumes: they would keep its samples in memory."""
    uses: tuple[Resource, ...]
    """How busy its shared resources are."""
    memory: Number
    """Percent of the memory that is in use."""
    percents: Mapping[str, Number] = MappingProxyType({})
    """How much of each resource is used, by its key in `RESOURCES`: computed once, for all that look back."""
    lcus: Sequence[LcuLoad] = ()
    """The load of each LCU, the most requests first; likewise."""
    named: Mapping[str, str] = MappingProxyType({})
    """The key of the LCU that is spoken of, by the kind of use, `lcu` or `aliases`; else the fullest."""
    busy: tuple[Number, ...] = ()
    """How busy each volume is, in percent, in the order of `load.volumes`."""
    places: Sequence[Resource] = ()
    """What requests wait for, as the verdict has it."""
    unseen: Absent | None = None
    """Why it is not known which disks there are; None if it is."""
    responses: Mapping[str, Number] = MappingProxyType({})
    """The response time of each volume, in seconds, for the curves of a machine that is not too large."""

    @property
    def remembered(self) -> RecentLoad:
        """What is remembered of it once another interval is the present one."""
        return self._replace(load=self.load._replace(volumes=()), uses=(), busy=())


def lcu_loads(load: ObservedLoad, homes: Mapping[str, str]) -> list[LcuLoad]:
    """Return the load of each LCU, the most requests first; `homes` has the LCU of each SCSI disk, if known.

    SCSI disks of which it is not known are one LCU.
    """
    members: dict[str, list[ObservedVolume]] = {lcu.key: [] for lcu in load.lcus}
    for volume in load.volumes:
        home = homes.get(volume.key, SCSI_HOME) if volume.lcu == SCSI_HOME else volume.lcu
        if home in members and volume.rate:
            members[home].append(volume)
    loads = []
    for lcu in load.lcus:
        volumes = tuple(members[lcu.key])
        if lcu.key == SCSI_HOME and not volumes and homes:
            continue
        response = mean_of(volumes, "response") if volumes else FEW
        # The sum is the same on each Python and in any order, so that LCUs with equal load keep their order.
        loads.append(LcuLoad(lcu, fsum(volume.rate for volume in volumes), carried_by(volumes), response))
    return sorted(loads, key=lambda load: (-load.rate, load.lcu.key))


def _highest(candidates: Iterable[tuple[Number, object]], nothing: Number) -> tuple[Number, object]:
    """Return the highest of some figures and what it belongs to; the reason where none is known."""
    pairs = list(candidates)
    numbers = [pair for pair in pairs if not isinstance(pair[0], Absent)]
    if numbers:
        return max(numbers, key=lambda pair: pair[0])
    return next((value for value, _ in pairs), nothing), None


def _fullest(recent: RecentLoad, kind: str) -> Resource | None:
    """Return the most used resource of a kind, or that which is spoken of."""
    named = recent.named.get(kind)
    uses = (use for use in recent.uses if use.kind == kind and named in {None, use.key})
    return max(uses, key=lambda use: use.use, default=None)


def _lcu_use(recent: RecentLoad) -> Number:
    fullest = _fullest(recent, "lcu")
    if fullest is not None:
        return 100.0 * fullest.use
    if not recent.load.lcus:
        return recent.unseen or NO_LCUS
    if not any(volume.is_dasd for volume in recent.load.volumes):
        return NO_DASD
    if recent.load.missing:
        return UNTIMED
    return NO_DISC if any(volume.rate for volume in recent.load.volumes) else 0.0


def _alias_use(recent: RecentLoad) -> Number:
    """Return how busy the fullest pool is; without one, the fullest volume with aliases of its own."""
    fullest = _fullest(recent, "aliases")
    if fullest is not None:
        return 100.0 * fullest.use
    if any(lcu.aliases for lcu in recent.load.lcus):
        return UNTIMED
    own = _with_own_aliases(recent.load)
    busy = (UNTIMED if resource.estimated else resource.use for resource in own if resource.rate)
    percents: Iterable[tuple[Number, object]] = ((min(100.0 * use, 100.0), None) for use in busy)
    return _highest(percents, 0.0)[0] if own else recent.unseen or NO_ALIASES


def _with_own_aliases(load: ObservedLoad) -> list[ObservedVolume]:
    """Return the volumes with aliases that only they use: PAV without HyperPAV."""
    return [volume for volume in load.volumes if volume.is_dasd and volume.servers > 1]


def busy_volumes(devices: Devices, volumes: Sequence[ObservedVolume]) -> tuple[Number, ...]:
    """Return how busy each volume is, in percent: its %Busy on DEVICE; where that is not known its %Util."""
    row_of = {key: row for row, key in enumerate(devices.keys)}
    rows = [row_of[volume.key] for volume in volumes]
    pairs = first([devices.busy[row] for row in rows], [devices.blocks.numbers("lbusy")[row] for row in rows])
    return tuple(busy if isinstance(busy, Absent) else min(busy, 100.0) for busy in pairs)


def _cpu_said(view: View, recent: RecentLoad) -> Said:
    cpus = Processors(view.interval)
    count, steal = recent.load.processors.number, cpus.average(cpus.part["steal"])
    parts = [] if isinstance(count, Absent) else [f"of {count:.0f} processor{'s' * (count != 1)}"]
    parts += [f"{steal:.0f} % stolen"] if steal >= 0.5 else []
    own, niced = recent.load.processors.noticed, recent.load.processors.giving_way
    parts += [f"zmon itself {100 * own:.0f} %"] if own else []
    parts += [f"{100 * niced:.0f} % at nice"] if niced else []
    partition = LogicalProcessors(view.interval).of_partition()
    entitled, busy, online = (partition[name] for name in ("entitled", "busy", "online"))
    if not any(isinstance(figure, (Absent, str)) for figure in (entitled, busy, online)):
        parts.append(f"LPAR {busy * online / 100:.1f} of {entitled:.1f} entitled")  # type: ignore[operator]
    return Said(", ".join(parts))


def _memory_said(view: View, _recent: RecentLoad) -> Said:
    memory = Memory(view.interval)
    size, paging = memory.figure("total"), memory.figure("paging")
    if isinstance(size, (Absent, str)):
        return Said("")
    swaps = (
        ""
        if isinstance(paging, (Absent, str))
        else f", {paging:.0f} pages/s swapped"
        if paging
        else ", no swapping"
    )
    return Said(f"of {size / GIB:.1f} GiB{swaps}")


def _path_said(_view: View, recent: RecentLoad) -> Said:
    paths = {key: use for key, use in recent.load.paths.items() if not isinstance(use, Absent)}
    if not recent.load.knows_paths:
        return Said("")
    most = max(paths.values(), default=0.0)
    if not most:
        return Said(f"{len(paths)} path{'s' * (len(paths) != 1)}" if paths else "")
    busiest = [key for key, use in paths.items() if use > most - NEAR]
    chpids = ranges(busiest)
    if len(chpids) > LONG:
        return Said(f"{len(busiest)} of {len(paths)} paths alike")
    return Said(f"path{'s' * (len(busiest) != 1)} {chpids} of {len(paths)}")


def _lcu_said(view: View, recent: RecentLoad) -> Said:
    """Say how fast the fullest LCU answers and who fills it; if none is timed, where most requests wait."""
    named = recent.named.get("lcu")
    loads = (load for load in recent.lcus if load.rate and named in {None, load.lcu.key})
    fullest, busiest = _fullest(recent, "lcu"), next(loads, None)
    if fullest is None and busiest is None:
        return Said("")
    key, title = (fullest.key, fullest.title) if fullest is not None else busiest.lcu[:2]  # type: ignore[union-attr]
    many, where = _longest_queue(recent, named)
    if isinstance(recent.percents["lcu"], Absent) and many >= 1:
        return Said(f"{where}: {many:.1f} wait{_in_linux(recent.load)}; {_all_lcus(recent.load)}")
    response = mean_of(recent.load.volumes_of(key), "response")
    users = filling(view, key) if fullest is not None and fullest.use >= FULL else ""
    whose = f", filled by {users}" if users else ""
    rest = f"{whose}; {_all_lcus(recent.load)}"
    if isinstance(response, Absent):
        return Said(f"{title}{rest}")
    return Said(f"answers in {ms(response)}{rest}", title)


def _all_lcus(load: ObservedLoad) -> str:
    many = len(load.lcus)
    return f"{many} LCU{'s' * (many != 1)} in all"


def _in_linux(load: ObservedLoad) -> str:
    """Say where requests wait; where no times are measured it may be in the disks as well."""
    return "" if load.missing else " in Linux"


def _longest_queue(recent: RecentLoad, named: str | None = None) -> tuple[float, str]:
    """Return how many requests wait for the LCU for which most do, and what they wait for: it, or its volume.

    `named` is the key of the only one that is looked at.
    """
    lcus = (lcu for lcu in recent.load.lcus if named in {None, lcu.key})
    return max(((_queued(recent, lcu.key), _place(recent, lcu)) for lcu in lcus), default=(0.0, ""))


def _place(recent: RecentLoad, lcu: ObservedLcu) -> str:
    """Return the name of the volume of an LCU that requests wait for, where it is one; else the LCU's."""
    places = _places_before(recent, lcu.key)
    is_volume = len(places) == 1 and places[0].kind == "volume"
    return f"volume {places[0].title}" if is_volume else lcu.title


def _longest_bare_queue(recent: RecentLoad) -> tuple[float, str]:
    """Return how many requests wait in Linux for the fullest volume without aliases, and its name."""
    lost = {place.key: place.waits for place in recent.places if place.kind == "volume"}
    bare = (volume for volume in recent.load.volumes if _is_bare(volume))
    queues = ((lost.get(volume.key, volume.rate * volume.queued), volume.title) for volume in bare)
    return max(
        ((float(many), title) for many, title in queues if not isinstance(many, Absent)), default=(0.0, "")
    )


def fullness(recent: RecentLoad, key: str) -> tuple[float, float]:
    """Return how busy an LCU is, a part of 1 (0: not known), and how many requests wait for it in Linux."""
    uses = (resource.use for resource in recent.uses if (resource.kind, resource.key) == ("lcu", key))
    return float(next(uses, 0.0)), _queued(recent, key)  # type: ignore[arg-type]  # it is known


def _queued(recent: RecentLoad, lcu: str) -> float:
    """Return how many requests wait in Linux for the volumes of an LCU, on average.

    Where that is a place that requests wait for, it is the number that DIAGNOSE has of it.
    """
    places = _places_before(recent, lcu)
    if places:
        return sum(place.waits for place in places)
    queues = (
        volume.rate * volume.queued
        for volume in recent.load.volumes_of(lcu)
        if volume.rate and volume.is_dasd
    )
    return sum((float(many) for many in queues if not isinstance(many, Absent)), 0.0)


def _places_before(recent: RecentLoad, lcu: str) -> list[Resource]:
    """Return what requests for an LCU wait for in Linux; in the LCU, too, where times are not measured."""
    load = recent.load
    keys = {volume.key for volume in load.volumes_of(lcu) if volume.is_dasd}
    is_untimed = any(load.used_of(lcu).column("estimated"))
    return [
        place
        for place in recent.places
        if (place.kind == "volume" and place.key in keys)
        or (place.key == lcu and (place.kind == "aliases" or (place.kind == "lcu" and is_untimed)))
    ]


def _is_bare(volume: ObservedVolume) -> bool:
    """Return whether a volume with I/O has no aliases, though it may."""
    return bool(volume.rate) and volume.servers == 1 and volume.is_dasd


def _alias_said(_view: View, recent: RecentLoad) -> Said:
    """Say how many aliases are busy in the LCU that uses most of its own, and how many requests wait.

    Of aliases that single volumes have for themselves there is no pool: it is said how many there are.
    """
    load, fullest = recent.load, _fullest(recent, "aliases")
    if fullest is None:
        many, where = _longest_queue(recent, recent.named.get("aliases"))
        pooled = sum(lcu.aliases for lcu in load.lcus)
        if pooled:
            return Said(f"{pooled} in pools; how many are busy is not measured")
        own = sum(alias.servers - 1 for alias in _with_own_aliases(load))
        if own:
            there = f"{own}, {'each ' * (own > 1)}of one volume"
            most, bare = _longest_bare_queue(recent)
            if many >= 1 and 2 * most > many:
                return Said(f"{most:.1f} wait{_in_linux(load)} for {bare}, which has none; {there}")
            return Said(f"{there}; {many:.1f} wait{_in_linux(load)}" if many >= 1 else there)
        return Said(f"none; {many:.1f} wait{_in_linux(load)} for {where}" if many >= 1 else "")
    lcu = next(lcu for lcu in load.lcus if lcu.key == fullest.key)
    many = _queued(recent, lcu.key)
    wait = f"; {many:.1f} wait{_in_linux(load)}" if many >= 1 else ""
    return Said(f"{lcu.alias_use:.1f} of {lcu.aliases} busy in {lcu.title}{wait}")


def _volume_said(_view: View, recent: RecentLoad) -> Said:
    """Say how fast the busiest volume answers."""
    load, volume = recent.load, recent.load.busiest
    if volume is None:
        return Said(f"none of {len(load.volumes)} in use")
    rest = f"; {len(load.used)} of {len(load.volumes)} in use"
    if isinstance(volume.response, Absent):
        return Said(f"{volume.title}{rest}")
    return Said(f"answers in {ms(volume.response)}{rest}", volume.title)


def _volume_use(recent: RecentLoad) -> Number:
    """Return how busy the busiest volume is; where none has requests, the one that is busy all the same."""
    volume = recent.load.busiest
    if volume is not None:
        return recent.busy[Volumes.of(recent.load.volumes).column("key").index(volume.key)]
    return _highest(((busy, None) for busy in recent.busy), recent.unseen or NO_DISKS)[0]


def _path_use(recent: RecentLoad) -> Number:
    nothing = UNMEASURED if any(lcu.chpids for lcu in recent.load.lcus) else recent.unseen or NO_PATHS
    uses = [*map(utilisation, recent.load.paths.values())] if recent.load.knows_paths else []
    return OVERLAPPED if OVERLAPPED in uses else _highest(((100.0 * use, None) for use in uses), nothing)[0]


RESOURCES: Final = (
    ShownResource("cpu", "CPU", "CPU", lambda recent: 100.0 * recent.load.processors.busy, _cpu_said),
    ShownResource("memory", "Memory", "PAGELOG", lambda recent: recent.memory, _memory_said),
    ShownResource("channel", "Channels", "CHANNEL", _path_use, _path_said),
    ShownResource("lcu", "LCUs", "CTLUNIT", _lcu_use, _lcu_said),
    ShownResource("alias", "Aliases", "CTLUNIT", _alias_use, _alias_said),
    ShownResource("device", "Devices", "DEVICE", _volume_use, _volume_said),
)
"""What explains the rest comes first."""
