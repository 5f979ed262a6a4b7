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
from zmon.base.milliseconds import ms
from zmon.base.ranges import many, names
from zmon.base.record import NamedTuple
from zmon.base.same import Same
from zmon.diagnosis.diagnosis import CERTAIN, LEAST_LOST, LIKELY, POSSIBLE, Diagnosis
from zmon.diagnosis.phrases import NO_CACHE, UNCACHED, evidence, of_lcu, percent, why_untimed
from zmon.machine.observation import mean_by_rate, mean_of
from zmon.machine.observed_volumes import detailed, details_of
from zmon.queueing.fit import QUEUED, SLOWER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad
    from zmon.machine.observed_volumes import VolumeDetail

DELAYED: Final = 0.01
"""The part of the writes that wait for the write cache from which on it is full at times ..."""
OFTEN: Final = 0.05
"""... and from which on it is certain."""
ALIKE: Final = 0.1
"""Difference of times, as a part, up to which they are the same."""
OTHER_LOAD: Final = 2.0
"""Times the writes of another LCU that make a different load."""
AS_MANY: Final = 0.75
"""The part of the writes that there were before from which on it is not the load that makes them slow."""
HITS: Final = 0.9
"""The part of the reads that a cache answers where it is large enough."""
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
    hits: Callable[[], Number]

    @property
    def longer(self) -> Number:
        """How much longer a write takes than a read."""
        return self.write - (0.0 if self.reads == 0 else self.read)


def _units(situation: Situation) -> tuple[_Unit, ...]:
    """Return the LCUs with enough requests."""
    return _found(Same(situation.load), Same(situation.details))


@lru_cache(maxsize=2)  # all causes here ask
def _found(
    load: Same[ObservedLoad], details: Same[Callable[[], Mapping[str, VolumeDetail]]]
) -> tuple[_Unit, ...]:
    known = details.it()
    units = (_unit(load.it, known, one) for one in load.it.lcus)
    return tuple(one for one in units if one is not None) if known else ()


def _unit(load: ObservedLoad, details: Mapping[str, VolumeDetail], lcu: ObservedLcu) -> _Unit | None:
    """Return the reads and writes of an LCU; None if they are too few."""
    ones = load.used_of(lcu.key)
    if not load.enough(ones.rate):
        return None
    ones = detailed(details, ones)
    dasds, parts = ones.column("is_dasd"), ones.column("reads")
    if Absent in set(map(type, parts)) or not all(dasds):
        pairs = enumerate(zip(dasds, parts, strict=True))
        ones = ones.part([at for at, (dasd, part) in pairs if part.__class__ is not Absent and dasd])
    keys, rates, parts = map(ones.column, ("key", "rate", "reads"))
    read_rates = list(map(mul, rates, parts))
    write_rates = list(map(mul, rates, map(sub, repeat(1), parts)))
    reads, writes = sum(read_rates), sum(write_rates)
    if not load.enough(reads + writes):
        return None
    return _Unit(
        lcu,
        reads,
        writes,
        _mean(ones.column("read_response"), read_rates),
        _mean(ones.column("write_response"), write_rates),
        _mean(details_of(details, "delayed", keys), write_rates),
        any(map(_is_primary, {*details_of(details, "duplex", keys)})),
        lambda: _mean(details_of(details, "hits", keys), read_rates),
    )


def _is_primary(duplex: Value) -> bool:
    return isinstance(duplex, str) and duplex.startswith((PRIMARY, "both"))


def _mean(values: Sequence[Number], rates: Sequence[float]) -> Number:
    mean = mean_by_rate(values, rates)
    if mean is not None:
        return mean
    reasons = (value for value in values if isinstance(value, Absent))
    return next(reasons, absent("no such requests in the interval"))


def full_write_cache(situation: Situation) -> Diagnoses:
    """Return D7: writes wait until the storage server has room in its write cache."""
    units = [one for one in _units(situation) if situation.load.enough(one.writes)]
    found = []
    for one in units:
        delay = one.longer
        if isinstance(one.delayed, Absent) or one.delayed < DELAYED or isinstance(delay, Absent):
            continue
        lost = one.writes * max(0.0, delay)
        if lost >= LEAST_LOST:
            found.append(_write_cache(one, lost))
    if not found and any(isinstance(one.delayed, Absent) for one in units):
        return UNCACHED
    return tuple(found)


def _write_cache(one: _Unit, lost: float) -> Diagnosis:
    subject = of_lcu(one.lcu)
    reads = "" if isinstance(one.read, Absent) else f"; a read takes {ms(one.read)}"
    return Diagnosis(
        "D7",
        subjects=(subject,),
        clause=f"The write cache of {one.lcu.title} is full",
        rest=f": {percent(one.delayed)} of the writes wait for room,"
        f" and a write takes {ms(one.write)}{reads}",
        evidence=(
            evidence(
                "cache.delayed",
                subject,
                one.delayed * one.writes,
                f"{one.delayed * one.writes:,.0f} writes a second are delayed, {percent(one.delayed)} of all",
            ),
            evidence(
                "control_unit.wwait",
                subject,
                1e3 * one.write,
                f"{one.writes:,.0f} writes a second, {ms(one.write)} each",
            ),
        ),
        confidence=CERTAIN if one.delayed >= OFTEN else LIKELY,
        action="Find who writes most (USERIO), and spread these writes over time and over more disk arrays.",
        lost=lost,
        excluded=() if isinstance(one.read, Absent) else (f"the reads: {ms(one.read)} each",),
        confirm="" if one.delayed >= OFTEN else "More delayed writes under more load would confirm it.",
    )


def remote_mirror(situation: Situation) -> Diagnoses:
    """Return D8: each write takes longer than a read by the way to another box, where nothing waits."""
    load = situation.load
    units = [one for one in _units(situation) if load.enough(one.writes)]
    waited = situation.waiting.by_lcu(load)
    found = []
    for one in units:
        delay = one.longer
        if isinstance(delay, Absent) or one.delayed >= DELAYED:
            continue
        if one.lcu.key in waited:
            continue  # writes wait for something else
        quick = one.mirrored or one.delayed < DELAYED
        if not quick or float(delay) < SLOWER:
            continue
        if mean_of(load.used_of(one.lcu.key), "queued") < QUEUED * float(delay):
            found.append((one, float(delay)))
    lost = sum(one.writes * delay for one, delay in found)
    if lost >= LEAST_LOST:
        return (_mirror(situation, found, lost),)
    if any(isinstance(one.delayed, Absent) and one.longer >= SLOWER for one in units):
        return UNCACHED
    if any(isinstance(one.longer, Absent) for one in units):
        return absent("the times of reads and of writes were not read: /proc/diskstats")
    return ()


def _mirror(situation: Situation, found: Sequence[tuple[_Unit, float]], lost: float) -> Diagnosis:
    found = sorted(found, key=lambda each: -each[0].writes * each[1])
    one, delay = found[0]
    subject = of_lcu(one.lcu)
    titles = names(sorted(each.lcu.title for each, _ in found))
    disc = situation.load.time_of(one.lcu, "disc")
    pairs = sum(each.mirrored for each, _ in found)
    mirrored = pairs > 0
    write = float(one.write)  # type: ignore[arg-type]  # it is known: `delay` follows from it
    alike = [
        each
        for each, _ in found
        if abs(float(each.write) - write) <= ALIKE * write and each.writes * OTHER_LOAD <= one.writes  # type: ignore[arg-type]
    ]
    same = (
        f"a write to {alike[0].lcu.title} takes {ms(alike[0].write)} with {alike[0].writes:.0f} a second"
        if alike
        else ""
    )
    before = [situation.machine.slower_writes(each.lcu.key, longer / 2) for each, longer in found]
    last = before[0]
    jump = None if isinstance(last, Absent) or last.writes < AS_MANY * one.writes else last
    when = "" if jump is None else clock(jump.begin, "%H:%M")
    together = all(not isinstance(each, Absent) and clock(each.begin, "%H:%M") == when for each in before)
    return Diagnosis(
        "D8",
        subjects=tuple(of_lcu(each.lcu) for each, _ in found),
        clause=f"{f'Since {when} a' if together else 'A'} write to {titles} takes {ms(one.write)},"
        f" {ms(delay)} longer than a read",
        rest=": it waits for the remote mirror" if mirrored else ": it may wait for a remote mirror",
        evidence=(
            evidence("control_unit.disc", subject, 1e3 * disc, f"Disc {ms(disc)} on average"),
            evidence(
                "control_unit.wwait",
                subject,
                1e3 * one.write,
                f"{one.writes:.0f} writes a second to {one.lcu.title}, {ms(one.write)} each",
            ),
            *(
                (
                    evidence(
                        "control_unit.wwait",
                        subject,
                        1e3 * jump.write,
                        f"until {when} one took {ms(jump.write)} with {jump.writes:.0f} a second",
                    ),
                )
                if jump is not None
                else ()
            ),
            *(
                evidence("control_unit.wwait", of_lcu(other.lcu), 1e3 * other.write, same)
                for other in alike[:1]
            ),
            *(
                (
                    evidence(
                        "cache.dual", subject, pairs, f"{many(pairs, 'LCU')} with primary volumes of pairs"
                    ),
                )
                if mirrored
                else ()
            ),
        ),
        confidence=LIKELY if mirrored or alike or jump is not None else POSSIBLE,
        action="Ask the storage administrator about the mirror: its distance, its links and their load.",
        lost=lost,
        excluded=()
        if isinstance(one.delayed, Absent)
        else (f"the write cache: {percent(one.delayed)} of the writes are delayed",),
        confirm="The same difference under little load, as at night, would confirm it."
        if jump is None
        else f"A mirror that began at {when} would confirm it: as many writes took less before.",
        missing=(NO_CACHE,) if isinstance(one.delayed, Absent) else (),
        since=None if jump is None else jump.begin,
        says_when=together,
    )


def missed_reads(situation: Situation) -> Diagnoses:
    """Return D6: where requests wait, much of the service is reads that miss the cache."""
    load = situation.load
    if load.is_untimed:
        return why_untimed(load)
    waited = situation.waiting.by_lcu(load)
    if not waited:
        return ()
    found, blind = [], False
    for one in _units(situation):
        disc, serv = load.time_of(one.lcu, "disc"), load.time_of(one.lcu, "serv")
        if one.lcu.key not in waited or isinstance(disc, Absent) or disc < 0.001 or disc < 0.5 * serv:
            continue
        hits = one.hits()
        blind = blind or isinstance(hits, Absent)
        if hits < HITS and one.reads > one.writes:
            found.append((one, float(disc), serv))
    if found:
        return (_misses(found),)
    return UNCACHED if blind else ()


def _misses(found: Sequence[tuple[_Unit, float, Number]]) -> Diagnosis:
    one, disc, serv = max(found, key=lambda each: (each[0].reads + each[0].writes) * each[1])
    subject, hits = of_lcu(one.lcu), one.hits()
    titles = names(sorted(each.lcu.title for each, _, _ in found))
    return Diagnosis(
        "D6",
        subjects=(subject, *(of_lcu(each.lcu) for each, _, _ in found if each is not one)),
        clause=f"Reads of {titles} miss the cache",
        rest=f": it answers {percent(hits)} of them, and Disc is {ms(disc)} of Serv {ms(serv)}",
        evidence=(
            evidence("cache.readhit", subject, 100 * hits, f"{percent(hits)} of the reads are hits"),
            evidence("control_unit.disc", subject, 1e3 * disc, f"Disc {ms(disc)} of Serv {ms(serv)}"),
        ),
        confidence=POSSIBLE,
        action="Give the database a larger buffer pool, so that it reads less, or use faster disks.",
        lost=sum((each.reads + each.writes) * time for each, time, _ in found),
        confirm="Fewer reads with a larger buffer pool would confirm it.",
    )


CAUSES: Final = {"D6": missed_reads, "D7": full_write_cache, "D8": remote_mirror}
