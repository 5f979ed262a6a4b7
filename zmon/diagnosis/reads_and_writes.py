"""Reads that miss the cache (D6), writes that wait for the write cache (D7) or for a remote mirror (D8).

The cache statistics say what the storage server did with reads and writes; what each takes in Linux says
which of them are slow.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from operator import mul, sub
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.base.limits import limit
from zmon.base.record import NamedTuple
from zmon.base.same import Same
from zmon.diagnosis.phrases import UNCACHED, why_untimed
from zmon.diagnosis.seen import Cause, Seen, diagnosed
from zmon.machine.observation import MAX_MISS, mean_by_rate, mean_of, reads_beyond_writes, takes_as_misses
from zmon.machine.observed_volumes import detailed, details_of
from zmon.queueing.fit import QUEUED, SLOWER
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad
    from zmon.machine.observed_volumes import VolumeDetail

DELAYED: Final = limit("writes-delayed")
ALIKE: Final = 0.1
"""Difference of times, as a part, up to which they are the same."""
OTHER_LOAD: Final = 2.0
"""Times the writes of another LCU that make a different load."""
AS_MANY: Final = 0.75
"""The part of the writes, or of the misses, of before from which on there were as many."""
SHORT: Final = 0.5
"""The part of Disc up to which it was short before."""
HITS: Final = 0.9
FEW_HITS: Final = 0.7
"""The part of the reads that are hits below which misses are named, where requests wait and elsewhere."""
DISC: Final = 0.001
"""Seconds of Disc from which on they are, where requests wait."""
PRIMARY: Final = "primary"


class _Unit(NamedTuple):
    """Reads and writes of an LCU; times are seconds, parts are of 1."""

    lcu: ObservedLcu
    reads: float
    """Per second."""
    writes: float
    read: Number
    write: Number
    delayed: Number
    mirrored: bool
    count_hits: Callable[[], Number]

    @property
    def hits(self) -> Number:
        """The part of the reads that the cache answers."""
        return self.count_hits()

    @property
    def longer(self) -> Number:
        """How much longer a write takes than a read."""
        return self.write - (0.0 if self.reads == 0 else self.read)


def _units(situation: Situation) -> tuple[_Unit, ...]:
    """Return the LCUs with enough requests."""
    return _of_load(Same(situation.load), Same(situation.details))


@lru_cache(maxsize=2)  # all causes here ask
def _of_load(
    load: Same[ObservedLoad], details: Same[Callable[[], Mapping[str, VolumeDetail]]]
) -> tuple[_Unit, ...]:
    details_now = details.it()
    units = (_unit(load.it, details_now, lcu) for lcu in load.it.lcus)
    return tuple(unit for unit in units if unit is not None) if details_now else ()


def _unit(load: ObservedLoad, details: Mapping[str, VolumeDetail], lcu: ObservedLcu) -> _Unit | None:
    """Return the reads and writes of an LCU; None if they are too few."""
    volumes = load.used_of(lcu.key)
    if not load.enough(volumes.rate):
        return None
    volumes = detailed(details, volumes)
    dasds, parts = volumes.column("is_dasd"), volumes.column("reads")
    if Absent in set(map(type, parts)) or not all(dasds):
        pairs = enumerate(zip(dasds, parts, strict=True))
        volumes = volumes.part([at for at, (dasd, part) in pairs if part.__class__ is not Absent and dasd])
    keys, rates, parts = map(volumes.column, ("key", "rate", "reads"))
    read_rates = list(map(mul, rates, parts))
    write_rates = list(map(mul, rates, map(sub, repeat(1), parts)))
    reads, writes = sum(read_rates), sum(write_rates)
    if not load.enough(reads + writes):
        return None
    return _Unit(
        lcu,
        reads,
        writes,
        _mean(volumes.column("read_response"), read_rates),
        _mean(volumes.column("write_response"), write_rates),
        _counted(details_of(details, "delayed", keys), write_rates),
        any(map(_is_primary, {*details_of(details, "duplex", keys)})),
        lambda: _counted(details_of(details, "hits", keys), read_rates),
    )


def _is_primary(duplex: Value) -> bool:
    return isinstance(duplex, str) and duplex.startswith((PRIMARY, "both"))


def _counted(values: Sequence[Number], rates: Sequence[float]) -> Number:
    """Return the mean of what the cache counts."""
    mean = _mean(values, rates)
    return UNCACHED if isinstance(mean, Absent) else mean


def _mean(values: Sequence[Number], rates: Sequence[float]) -> Number:
    mean = mean_by_rate(values, rates)
    if mean is not None:
        return mean
    reasons = (value for value in values if isinstance(value, Absent))
    return next(reasons, absent("no such requests in the interval"))


def _lcu(unit: _Unit, **more: Number) -> With:
    """Return an LCU with its reads and writes."""
    return With(unit, kind=unit.lcu.kind, key=unit.lcu.key, title=unit.lcu.title, **more)


class _Inside(With):
    """An LCU with what is inside, and with the load of before, which is read when it is asked."""

    @property
    def enough_hits(self) -> float:
        """The part of the reads from which on its cache answers enough."""
        return HITS if self.waited else FEW_HITS

    @property
    def short_disc(self) -> float:
        """Seconds of Disc below which misses cost little: each no longer than a disk alone takes."""
        return DISC if self.waited else MAX_MISS * self.lcu.misses

    @property
    def misses_alone(self) -> bool:
        """Whether its requests take so long because they miss the cache, and wait for nothing before it."""
        return not self.is_before and takes_as_misses(self.lcu, self.disc)

    @property
    def misses_as_before(self) -> bool:
        """Whether as many requests missed its cache before, when Disc was short: then they wait for more."""
        before = self.earlier()
        lcu = None if before is None else before.lcus_by_key.get(self.key)
        if before is None or lcu is None:
            return False
        misses, disc = lcu.misses, before.time_of(lcu, "disc")
        return bool(misses >= AS_MANY * self.lcu.misses and disc <= SHORT * self.disc)


def _writing(situation: Situation) -> Sequence[With]:
    """Return the LCUs with enough writes; they wait as long as writes take longer than reads."""
    return [
        _lcu(unit, waits=unit.writes * max(0.0, unit.longer), delayed_writes=unit.delayed * unit.writes)
        for unit in _units(situation)
        if situation.load.enough(unit.writes)
    ]


def _inside(situation: Situation) -> Sequence[With] | Absent:
    """Return the LCUs with reads and writes; as many requests wait as are inside."""
    load = situation.load
    if load.is_untimed:
        return why_untimed(load)
    waited = situation.waiting.by_lcu(load)
    inside = {place.key for place in situation.waiting.of_kind("lcu")}
    timed = [(unit, load.time_of(unit.lcu, "disc")) for unit in _units(situation)]
    return [
        _Inside(
            unit,
            waited=unit.lcu.key in waited,
            is_before=unit.lcu.key in waited.keys() - inside,
            kind=unit.lcu.kind,
            key=unit.lcu.key,
            title=unit.lcu.title,
            disc=disc,
            serv=load.time_of(unit.lcu, "serv"),
            waits=(unit.reads + unit.writes) * disc,
            earlier=situation.earlier,
        )
        for unit, disc in timed
        if not isinstance(disc, Absent)
    ]


def _reading_alone(situation: Situation) -> Sequence[With]:
    """Return the LCUs without cache statistics whose reads wait alone, and how much longer than writes."""
    load = situation.load
    return [
        _lcu(
            unit,
            beyond_ms=1e3 * beyond,
            waits=unit.reads * beyond,
            untimed=any(load.used_of(unit.lcu.key).column("estimated")),
        )
        for unit in _units(situation)
        if not isinstance(beyond := reads_beyond_writes(load, unit.lcu), Absent)
    ]


def remote_mirror(situation: Situation) -> Diagnoses:
    """Return D8: each write takes longer than a read by the way to another box, where nothing waits."""
    load = situation.load
    units = [unit for unit in _units(situation) if load.enough(unit.writes)]
    waited = situation.waiting.by_lcu(load)
    slower = []
    for unit in units:
        if isinstance(unit.longer, Absent) or unit.delayed >= DELAYED:
            continue
        if unit.lcu.key in waited:
            continue  # writes wait for something else
        quick = unit.mirrored or unit.delayed < DELAYED or _is_inside(load, unit)
        if not quick or unit.longer < SLOWER:
            continue
        if mean_of(load.used_of(unit.lcu.key), "queued") < QUEUED * unit.longer:
            slower.append(_lcu(unit, longer=unit.longer, waits=unit.writes * unit.longer))
    lost = sum(unit.waits for unit in slower)
    if lost >= limit("delay-named"):
        return (diagnosed("D8", _mirror(situation, sorted(slower, key=lambda unit: -unit.waits), lost)),)
    if any(isinstance(unit.delayed, Absent) and unit.longer >= SLOWER for unit in units):
        return UNCACHED
    if any(isinstance(unit.longer, Absent) for unit in units):
        return absent("the times of reads and of writes were not read: /proc/diskstats")
    return ()


def _is_inside(load: ObservedLoad, unit: _Unit) -> bool:
    """Return whether what writes take longer than reads is Disc, and no cache statistics say why."""
    longer = unit.longer * unit.writes / (unit.reads + unit.writes)
    is_timed = not any(load.used_of(unit.lcu.key).column("estimated"))
    return is_timed and isinstance(unit.delayed, Absent) and load.time_of(unit.lcu, "disc") >= SHORT * longer


def _mirror(situation: Situation, lcus: Sequence[With], lost: float) -> Seen:
    """Return what is said of LCUs whose writes take longer: of the first, and of those with other load."""
    first, before = lcus[0], [situation.machine.slower_writes(lcu.key, lcu.longer / 2) for lcu in lcus]
    last = before[0]
    jump = None if isinstance(last, Absent) or last.writes < AS_MANY * first.writes else last
    when = "" if jump is None else clock(jump.begin, "%H:%M")
    together = all(
        not isinstance(writes, Absent) and clock(writes.begin, "%H:%M") == when for writes in before
    )
    facts = {
        "pairs": sum(lcu.mirrored for lcu in lcus),
        "alike": [
            lcu
            for lcu in lcus
            if abs(lcu.write - first.write) <= ALIKE * first.write and lcu.writes * OTHER_LOAD <= first.writes
        ],
        "former": [] if jump is None else [With(first, write=jump.write, writes=jump.writes)],
        "together": together,
        "when": when,
        "disc": situation.load.time_of(first.lcu, "disc"),
    }
    return Seen(lcus, lost, facts, since=None if jump is None else jump.begin, says_when=together)


SORTS: Final[Mapping[str, Callable[[Situation], Sequence[With] | Absent]]] = {
    "LCUs with writes": _writing,
    "LCUs inside": _inside,
    "LCUs whose reads wait alone": _reading_alone,
}
CAUSES: Final[Causes] = {**{id_: Cause(id_, SORTS) for id_ in ("D6", "D7")}, "D8": remote_mirror}
