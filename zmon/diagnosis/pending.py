"""Requests pend on the way to a storage server (D5), for a device that others use (D5b), in a queue (D5c).

What is too long follows from the siblings: volumes behind other paths of the same system, or the hour before.
That needs no knowledge of the machine (z/OS compares the paths of a control unit in the same way, IOSHC112E).
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent
from zmon.base.limits import limit
from zmon.diagnosis.phrases import why_untimed
from zmon.diagnosis.seen import Cause
from zmon.interval import IDLE
from zmon.machine.observation import NO_LCU, mean_of
from zmon.machine.observed_volumes import detailed, details_of
from zmon.queueing.waiting import FULL_PATHS
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedVolume, Volumes

TIMES: Final = limit("pend-times")
"""Times the Pend of its siblings from which on it is too long."""
NO_EXTENDED: Final = absent("the basic format of channel measurement has no such times; the extended one has")
NONE_BEFORE: Final = absent("no load of an hour before was recorded")
NONE_BESIDE: Final = absent("no other LCU has enough reads and writes")


class _Pending:
    """Requests that pend for an LCU; times are seconds."""

    def __init__(self, situation: Situation, lcu: ObservedLcu, pend: float, best: Number) -> None:
        """Compare with the best of the other LCUs or, where that pends as long, with an hour before."""
        self._situation = situation
        self.kind, self.key, self.title, self.chpids = lcu.kind, lcu.key, lcu.title, lcu.chpids
        self.pend, self.pend_ms = pend, 1e3 * pend
        self.serv = situation.load.time_of(lcu, "serv")
        self.is_beside_the_best = bool(pend >= TIMES * best)
        self._best, self.rate = best, situation.load.rate_of(lcu.key)

    @property
    def usual(self) -> Number:
        """What it is compared with: the time before is read only where its siblings pend as long."""
        return self._best if self.is_beside_the_best else self.before

    @property
    def waits(self) -> Number:
        """How many requests pend for longer than usual."""
        return self.rate * (self.pend - self.usual)

    @cached_property
    def before(self) -> Number:
        """Pend of an hour before."""
        earlier = self._situation.earlier()
        volumes = () if earlier is None else earlier.volumes_of(self.key)
        if earlier is None or not earlier.enough(sum(volume.rate for volume in volumes)):
            return NONE_BEFORE
        return mean_of(volumes, "pend")

    @property
    def is_new(self) -> bool:
        """Whether it did not pend so long before: then it is not the length of the way."""
        return bool(self.pend >= TIMES * self.before)

    @cached_property
    def busy(self) -> list[ObservedVolume]:
        """Its volumes with enough I/O."""
        load = self._situation.load
        return [volume for volume in load.volumes_of(self.key) if load.enough(volume.rate)]

    @cached_property
    def slow(self) -> list[ObservedVolume]:
        """Those that pend for long."""
        return [volume for volume in self.busy if volume.pend >= TIMES * self.usual]

    @property
    def quickest_of_these(self) -> list[ObservedVolume]:
        """The one of these that pends least, if there are any."""
        return [min(self.slow, key=lambda volume: volume.pend)] if self.slow else []


class _Far:
    """An LCU that channel measurement does not time, with what others take; times are seconds."""

    def __init__(self, situation: Situation, lcu: ObservedLcu, others: Sequence[Volumes]) -> None:
        self.kind, self.key, self.title, self.chpids = lcu.kind, lcu.key, lcu.title, lcu.chpids
        self._load, self._volumes, self._others = situation.load, situation.load.used_of(lcu.key), others
        self.read, self.write = self._time("read_response"), self._time("write_response")
        self.best_read, self.best_write = self._best("read_response"), self._best("write_response")
        self.read_longer_ms = 1e3 * (self.read - self.best_read)
        self.write_longer_ms = 1e3 * (self.write - self.best_write)

    def _time(self, name: str) -> Number:
        return mean_of(self._volumes, name)

    def _best(self, name: str) -> Number:
        times = [mean_of(volumes, name) for volumes in self._others]
        return min((time for time in times if not isinstance(time, Absent)), default=NONE_BESIDE)

    @property
    def requests(self) -> Number:
        """How many requests are there on average."""
        return self._volumes.rate * self._time("response")

    @property
    def waits(self) -> Number:
        """How many of these are there because they take longer."""
        reads = self._time("reads")
        longer = reads * self.read_longer_ms + (1 - reads) * self.write_longer_ms
        return self._volumes.rate * longer / 1e3

    @property
    def are_alike(self) -> bool:
        """Whether several of its volumes have enough I/O, and none of these is quick."""
        times = [volume.response for volume in self._volumes if self._load.enough(volume.rate)]
        return len(times) > 1 and all(time >= self._time("response") / TIMES for time in times)


def _far(situation: Situation) -> Sequence[_Far]:
    """Return the LCUs with enough I/O that channel measurement does not time."""
    load = situation.load
    used = {lcu.key: load.used_of(lcu.key) for lcu in load.lcus}
    enough = {key: volumes for key, volumes in used.items() if load.enough(volumes.rate)}
    return [
        _Far(situation, lcu, [volumes for key, volumes in enough.items() if key != lcu.key])
        for lcu in load.lcus
        if lcu.key in enough
        and all(enough[lcu.key].column("estimated"))
        and all(enough[lcu.key].column("is_dasd"))
    ]


def _pending(situation: Situation) -> Sequence[_Pending] | Absent:
    """Return the LCUs with enough I/O, whose paths are not full, most requests that pend first."""
    load = situation.load
    if load.has_no_lcu:
        return why_untimed(load) if load.is_untimed else NO_LCU
    timed = [
        lcu for lcu in load.lcus if load.enough(load.rate_of(lcu.key)) and load.fcp.isdisjoint(lcu.chpids)
    ]
    if timed and all(_is_untimed(load.used_of(lcu.key)) for lcu in timed):
        return why_untimed(load)
    pends = [(lcu, load.time_of(lcu, "pend")) for lcu in timed]
    pending = [(lcu, float(pend)) for lcu, pend in pends if not isinstance(pend, Absent)]
    pends_long = []
    for lcu, pend in pending:
        if not _are_full(situation, lcu):
            best = min((other for key, other in pending if key is not lcu), default=NONE_BEFORE)
            pends_long.append(_Pending(situation, lcu, pend, best))
    return sorted(pends_long, key=lambda lcu: -lcu.rate * lcu.pend)


def _is_untimed(volumes: Volumes) -> bool:
    columns = zip(volumes.column("estimated"), volumes.column("pend"), strict=True)
    return all(estimated or isinstance(pend, Absent) for estimated, pend in columns)


def _are_full(situation: Situation, lcu: ObservedLcu) -> bool:
    """Return whether the paths of an LCU are full, so that requests wait for them."""
    uses = (situation.load.paths.get(chpid, 0.0) for chpid in lcu.chpids)
    return any(not isinstance(use, Absent) and use >= FULL_PATHS for use in uses)


def _in_detail(detail: str, situation: Situation) -> Sequence[With] | Absent:
    """Return the DASDs with a time of extended measurement per start of I/O, most of it first."""
    load, details = situation.load, situation.details()
    in_detail = detailed(details, load.busy)
    busy = in_detail.part([at for at, dasd in enumerate(in_detail.column("is_dasd")) if dasd])
    times = details_of(details, detail, busy.column("key"))
    if set(map(type, times)) <= {Absent} and any(time is not IDLE for time in times):
        return NO_EXTENDED if not all(busy.column("estimated")) else why_untimed(load)
    lcus = load.lcus_by_key
    volumes = [(busy[at], time) for at, time in enumerate(times) if time > 0]
    volumes.sort(key=lambda pair: -pair[0].rate * pair[1])
    return [
        With(volume, lcu=lcus.get(volume.lcu), time=time, time_ms=1e3 * time, waits=volume.rate * time)
        for volume, time in volumes
    ]


SORTS: Final[Mapping[str, Callable[[Situation], Sequence[Any] | Absent]]] = {
    "pending LCUs": _pending,
    "untimed LCUs": _far,
    "devices in use by others": partial(_in_detail, "device_busy"),
    "devices in a queue": partial(_in_detail, "cu_queue"),
}
CAUSES: Final[Causes] = {id_: Cause(id_, SORTS) for id_ in ("D5", "D5b", "D5c")}
