"""What is short inside a storage server: an LCU (D1), its arrays (D9), or the spread of data over LCUs (D3).

An LCU is diagnosed where `zmon.queueing.waiting` says that requests wait in it: for longer than half the
time of a transfer, beyond what cache misses explain.  What they wait for there follows from their kind.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.milliseconds import ms
from zmon.base.ranges import MOST_NAMED, many, names
from zmon.base.record import NamedTuple
from zmon.base.sizes import KIB, MB
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE, Diagnosis, Gain
from zmon.diagnosis.phrases import (
    NO_CACHE,
    UNCACHED,
    can_be_timed,
    evidence,
    gain,
    mostly_by,
    no_cmf,
    now_and_later,
    of_lcu,
    percent,
    shares_of_units,
    why_untimed,
)
from zmon.machine.observation import (
    FEW_ALIASES,
    MAX_MISS,
    MIN_LONGER,
    MIN_LOST,
    NO_LCU,
    SMALL,
    busy_words,
    carried_by,
    disc_of_misses,
    idle_lcus,
    mean_of,
    path_groups,
    state_of_idle,
)
from zmon.machine.observed_machine import ONE_TIME
from zmon.queueing.change import StripedSpace
from zmon.queueing.resource import NOT_KNOWN
from zmon.queueing.undecided import may_be_misses
from zmon.queueing.waiting import FULL_PATHS, lcus_behind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedVolume

ALIKE: Final = 0.7
"""The part of an LCU's volumes whose Disc is long where the LCU is what is full."""
SKEWED: Final = 2.0
"""Times its even share of the bytes from which on an LCU has too much."""
IDLE_LCUS: Final = 1 / 3
"""The part of the LCUs that are idle where data are placed unevenly."""
MOSTLY: Final = 0.5
"""The part of the requests that miss the cache from which on large ones, too, wait for disks."""
MISSED: Final = 0.1
"""The part of the requests that miss the cache from which on small ones wait for disks."""
EVEN: Final = "with an even spread "
"""What the gain of D3 is of; that of moves of whole files, on MOVES, is another."""
ALONE: Final = 0.995
"""The part of the bytes of an LCU from which on a service is the only one that uses it."""


class _FullLcu:
    """An LCU that requests wait in, with the numbers of it that sentences need."""

    def __init__(self, situation: Situation, lcu: ObservedLcu, lost: float) -> None:
        load = situation.load
        self.lcu, self.lost = lcu, lost
        self.may_be_misses = may_be_misses(load, lcu)
        self.volumes = tuple(one for one in load.used_of(lcu.key) if load.enough(one.rate))
        all_of_it = load.used_of(lcu.key)
        self.rate = all_of_it.rate
        self.disc, self.serv = load.time_of(lcu, "disc"), load.time_of(lcu, "serv")
        self.response = mean_of(all_of_it, "response")
        self.reads = mean_of(all_of_it, "reads")
        self.size = mean_of(all_of_it, "size")
        self.estimated = any(one.estimated for one in self.volumes)
        self.megabytes = load.bytes_of(lcu.key) / MB
        self.no_cmf = no_cmf(load) if any(one.estimated and one.is_dasd for one in self.volumes) else ""

    @property
    def is_small(self) -> bool:
        """Whether requests are too small for the LCU to be full of bytes."""
        return not isinstance(self.size, Absent) and self.size < SMALL

    @property
    def is_for_disks(self) -> bool:
        """Whether most requests need the disks: they miss the cache, or small ones write and still wait."""
        if self.lcu.misses > (MISSED if self.is_small else MOSTLY):
            return True
        return self.is_small and self.reads < MOSTLY and not self.disc < MAX_MISS

    @property
    def may_be_crowded(self) -> bool:
        """Whether as many small requests came over aliases as wait inside: with fewer aliases none would."""
        has_many = self.lcu.aliases >= FEW_ALIASES
        return has_many and self.is_small and not self.estimated and bool(self.lcu.alias_use >= self.lost)

    def alike(self) -> float:
        """Return the part of its volumes whose Disc is long."""
        slow = [one for one in self.volumes if one.disc > MIN_LONGER * one.conn + self._misses(one)]
        return len(slow) / max(1, len(self.volumes))

    def _misses(self, one: ObservedVolume) -> float:
        return disc_of_misses(self.lcu, (one,))

    def evidence(self) -> tuple[Measurement, ...]:
        subject, disc = of_lcu(self.lcu), f"Disc {ms(self.disc)} of Serv {ms(self.serv)}"
        return (
            evidence("control_unit.resp", subject, 1e3 * self.response, f"Resp {ms(self.response)}")
            if self.estimated
            else evidence("control_unit.disc", subject, 1e3 * self.disc, disc),
            evidence("control_unit.ios", subject, self.rate, f"{self.rate:,.0f} requests a second"),
            evidence("control_unit.mbs", subject, self.megabytes, f"{self.megabytes:.1f} MB/s"),
        )


class _Waits(NamedTuple):
    """The LCUs that requests wait in, by what they wait for there."""

    full: Sequence[_FullLcu]
    arrays: Sequence[_FullLcu]
    crowded: Sequence[_FullLcu]
    """All that requests wait in, where each may have too many aliases: a calm one would speak against it."""
    unknown: Absent | None
    """Why it is not known that requests wait in no other LCU; None if it is."""


def _waits(situation: Situation) -> _Waits:
    load = situation.load
    lcus = {one.key: one for one in load.lcus}
    found = [
        _FullLcu(situation, lcus[place.key], place.waits)
        for place in situation.waiting.places
        if place.kind == "lcu"
    ]
    arrays = [one for one in found if not one.estimated and one.is_for_disks]
    full = [one for one in found if one not in arrays]
    waited = {one.lcu.key for one in found}
    calm = any(load.enough(load.rate_of(one.key)) for one in load.lcus if one.key not in waited)
    crowded = full if not calm and all(one.may_be_crowded for one in full) else ()
    full = [one for one in full if one not in crowded]
    uncached = any(may_be_misses(load, lcu) for lcu in load.lcus)
    uncached = uncached or any(isinstance(one.lcu.misses, Absent) for one in found)
    unknown = why_untimed(load) if load.is_untimed else UNCACHED if uncached else None
    if load.has_no_lcu:
        unknown = unknown or NO_LCU
    return _Waits(full, arrays, crowded, unknown)


def _each(situation: Situation, found: Diagnosis | None) -> Diagnoses:
    """Return a diagnosis if there is one; without, it is not known where a measurement is lacking."""
    if found is not None:
        return (found,)
    unknown = _waits(situation).unknown
    return unknown or ()


def full_lcus(situation: Situation) -> Diagnoses:
    """Return D1: LCUs that are full, all in one."""
    if situation.load.has_no_lcu:
        return NO_LCU
    full = _waits(situation).full
    return _each(situation, _full(situation, full) if full else None)


def full_arrays(situation: Situation) -> Diagnoses:
    """Return D9: requests that the cache does not answer wait inside, for the disks."""
    arrays = _waits(situation).arrays
    return _each(situation, _full_arrays(arrays) if arrays else None)


def too_many_aliases(situation: Situation) -> Diagnoses:
    """Return D4c: small requests wait inside although the cache answers them, and there are many aliases."""
    crowded = _waits(situation).crowded
    return _each(situation, _too_many_aliases(crowded) if crowded else None)


def _full(situation: Situation, found: Sequence[_FullLcu]) -> Diagnosis:
    first = found[0]
    titles = names(sorted(one.lcu.title for one in found))
    lost = sum(one.lost for one in found)
    calm = [one for one in situation.load.lcus if one.key not in {each.lcu.key for each in found}]
    measured = not first.estimated and not isinstance(first.lcu.misses, Absent)
    crowded = [one for one in found if one.may_be_crowded]
    alike = first.estimated or first.alike() >= ALIKE
    many_volumes = len(first.volumes) > 1
    confidence = POSSIBLE if first.estimated or first.may_be_misses else LIKELY
    if measured and alike and many_volumes and calm and not crowded:
        confidence = CERTAIN
    units = situation.machine.units(first.lcu.key, ONE_TIME)
    if units and units[0].part >= ALONE:
        units = ()
    shared = "" if calm else _shared(situation.load)
    if shared and confidence == LIKELY:
        confidence = POSSIBLE
    hardware = (
        f"{'If it is full, move' if confidence == POSSIBLE else 'Move'} data to LCUs that are not full: more"
        " channel paths or aliases do not help."
        if calm
        else shared
        or "Add LCUs, disks or cache: all LCUs are full, so moving data between them does not help."
        if len(situation.load.lcus) > 1
        else "Add LCUs, disks or cache: there is no other LCU to move data to."
    )
    said = f" at {first.megabytes:.1f} MB/s"
    disc = f"Disc {ms(first.disc)} of Serv {ms(first.serv)}{_where_most(found)}"
    is_ = "is" if len(found) == 1 else "are"
    return Diagnosis(
        "D1",
        subjects=tuple(of_lcu(one.lcu) for one in found),
        clause=f"{many(lost, 'request')} wait in {titles} or on the way there"
        if first.estimated
        else f"{titles} {is_} full, or requests miss its cache and wait for disks"
        if first.may_be_misses
        else f"{titles} {is_} full",
        rest=f": a request takes {ms(first.response)}{said}"
        if first.estimated
        else f": {many(lost, 'request')} wait inside{said}, {disc}",
        besides=mostly_by([(first.lcu, units)]),
        evidence=(*first.evidence(), *shares_of_units(first.lcu, units)),
        confidence=confidence,
        action=now_and_later([units], (), hardware),
        lost=lost,
        excluded=(f"a single volume: {percent(first.alike())} of its volumes are slow",)
        if alike and many_volumes and not first.estimated
        else (),
        confirm=_confirm(crowded[0] if crowded else first) if confidence != CERTAIN else "",
        missing=_missing(first),
    )


def _shared(load: ObservedLoad) -> str:
    """Return what to do first where all of several LCUs are full, if they share paths that may be busy."""
    groups = [key for key in path_groups(load.lcus) if len(lcus_behind(load, key)) > 1]
    uses = [load.paths.get(chpid, NOT_KNOWN) for key in groups for chpid in key.split()]
    known = [float(use) for use in uses if not isinstance(use, Absent)]
    if uses and not known:
        return "First find out how busy the channel paths are, which the LCUs share: an LPAR measures it."
    most = max(known, default=0.0)
    words = (
        f"First see whether channel paths are the limit: LCUs share them, the busiest is {busy_words(most)}."
    )
    return words if most >= FULL_PATHS else ""


def _confirm(one: _FullLcu) -> str:
    """Return what would make it certain that an LCU is full."""
    if one.may_be_misses:
        return "Cache statistics would show which: --cache."
    if one.may_be_crowded:
        half = one.lcu.aliases // 2
        return f"If throughput stays the same with {half} aliases instead of {one.lcu.aliases}, it is full."
    return "If throughput stays the same under more load, it is full."


def _where_most(found: Sequence[_FullLcu]) -> str:
    """Return, after the figures of the first of several LCUs, that they are those of it."""
    return " where most wait" if len(found) > 1 else ""


def _missing(one: _FullLcu) -> tuple[str, ...]:
    return (
        *((one.no_cmf,) if one.no_cmf else ()),
        *((NO_CACHE,) if isinstance(one.lcu.misses, Absent) else ()),
    )


def _full_arrays(found: Sequence[_FullLcu]) -> Diagnosis:
    first = found[0]
    lost = sum(one.lost for one in found)
    titles = names(sorted(one.lcu.title for one in found))
    return Diagnosis(
        "D9",
        subjects=tuple(of_lcu(one.lcu) for one in found),
        clause=f"The disk arrays behind {titles} are full",
        rest=f": {many(lost, 'request')} wait for them, Disc {ms(first.disc)} of Serv {ms(first.serv)}"
        f"{_where_most(found)}",
        evidence=(
            *first.evidence(),
            evidence(
                "control_unit.read",
                of_lcu(first.lcu),
                100 * first.reads,
                f"{percent(first.reads)} of the requests read",
            )
            if first.reads < MOSTLY
            else evidence(
                "cache.readhit",
                of_lcu(first.lcu),
                100 * (1 - first.lcu.misses),
                f"{percent(1 - first.lcu.misses)} of the requests hit the cache",
            ),
        ),
        confidence=POSSIBLE if first.may_be_misses else LIKELY,
        action="Spread the data over more disk arrays; zmon size computes how many disks they need.",
        lost=lost,
        excluded=(f"the bandwidth of the LCU: {float(first.size) / KIB:.0f} KiB a request",)
        if not isinstance(first.size, Absent)
        else (),
        confirm="The load of the RAID ranks, which the storage administrator sees, would confirm it.",
        missing=("the RAID ranks of the volumes, which Linux does not see",),
    )


def _too_many_aliases(found: Sequence[_FullLcu]) -> Diagnosis:
    first = found[0]
    queued = sum(one.rate * max(0.0, one.response - one.serv) for one in found)  # as on CTLUNIT
    beside = f"beside {queued:.1f} in Linux" if queued >= MIN_LOST else "instead of in Linux"
    lost = sum(one.lost for one in found)
    titles = names(sorted(one.lcu.title for one in found))
    use, aliases = first.lcu.alias_use, first.lcu.aliases
    inside = f", Disc {ms(first.disc)} of Serv {ms(first.serv)}" if len(found) == 1 else ""
    return Diagnosis(
        "D4c",
        subjects=tuple(of_lcu(one.lcu) for one in found),
        clause=f"{titles} {'is' if len(found) == 1 else 'are'} full or {'has' if len(found) == 1 else 'have'}"
        " too many aliases",
        rest=f": {many(lost, 'request')} wait inside {beside}{inside}",
        evidence=(
            *first.evidence(),
            evidence(
                "control_unit.aliasuse", of_lcu(first.lcu), use, f"{use:.1f} of {aliases} aliases in use"
            ),
        ),
        confidence=POSSIBLE,
        action=f"Try {aliases // 2} aliases for each LCU, and compare throughput and Disc.",
        lost=lost,
        excluded=("cache misses: few requests miss the cache",)
        if not isinstance(first.lcu.misses, Absent)
        else (),
        confirm="A comparison with a time or a recording with fewer aliases would confirm it: COMPARE.",
        missing=_missing(first),
    )


def uneven_data(situation: Situation) -> Diagnoses:
    """Return D3: an LCU is full while others that have volumes are idle."""
    load = situation.load
    if load.has_no_lcu:
        return NO_LCU  # without times, too, it is seen where LCUs are known
    full = _waits(situation).full
    if not full:
        return _each(situation, None)
    holding = _lcus_with_data(situation, timed=not any(one.estimated for one in full))
    holding |= {one.lcu.key for one in full}
    each = {one.key: carried_by(load.used_of(one.key)) for one in load.lcus if one.key in holding}
    carried = {key: float(moved) for key, moved in each.items() if not isinstance(moved, Absent)}
    full = [one for one in full if one.lcu.key in carried]
    whole = fsum(carried.values())
    if full and len(carried) > 1 and whole:
        even = whole / len(carried)
        without = idle_lcus(carried)
        idle = [one for one in load.lcus if one.key in without]
        one = max(full, key=lambda one: carried[one.lcu.key])
        if carried[one.lcu.key] >= SKEWED * even and len(idle) >= IDLE_LCUS * len(carried):
            parts = {key: each / whole for key, each in carried.items()}
            return (_uneven(situation, one, parts, idle),)
    return _each(situation, None)


def _lcus_with_data(situation: Situation, *, timed: bool) -> set[str]:
    """Return the LCUs that hold known files, as SPREAD has them; without a listing all that have volumes.

    So it is where one holds all files, and times show that requests wait in it: data may go to others.
    """
    holding = _holding(situation)
    if len(holding) > 1 or (holding and not timed):
        return holding
    return {one.key for one in situation.load.lcus if situation.load.volumes_of(one.key)}


def _holding(situation: Situation) -> set[str]:
    """Return the LCUs that hold known files; none without a listing."""
    volumes = {share.volume for share in situation.shares()}
    return {one.lcu for one in situation.load.volumes if one.key in volumes}


def _uneven(
    situation: Situation, one: _FullLcu, parts: Mapping[str, float], idle: Sequence[ObservedLcu]
) -> Diagnosis:
    subject, share, all_of_them = of_lcu(one.lcu), parts[one.lcu.key], sorted(parts)
    most = max(idle, key=lambda each: parts[each.key])
    idle_mbs = situation.load.bytes_of(most.key) / MB
    spaces = situation.owners_of(situation.load.volumes_of(one.lcu.key))
    whose = f" {_spaces(spaces)}" if spaces else ""
    changes = tuple(
        StripedSpace(owner, tuple(all_of_them))
        for owner in (dict(spaces) if spaces else {f"other I/O of {one.lcu.key}": 1.0})
    )
    lcus = [each.title for each in situation.load.lcus if each.key in all_of_them]
    others = names(sorted(each.title for each in idle))
    verb = "is" if len(idle) == 1 else "are"
    used = state_of_idle(parts, [each.key for each in idle])
    state, disc = f"{one.lcu.title} is full", f", Disc {ms(one.disc)} of Serv {ms(one.serv)}"
    if one.estimated:
        state, disc = f"Requests wait in {one.lcu.title}", f", and a request takes {ms(one.response)}"
    return Diagnosis(
        "D3",
        subjects=(subject,),
        clause=f"{state} while {others} {verb} {used}",
        rest=f": it carries {percent(share)} of the bytes ({one.megabytes:.1f} MB/s){disc}",
        besides=whose,
        evidence=(
            evidence("control_unit.share", subject, 100 * share, f"{percent(share)} of all bytes"),
            *one.evidence(),
            evidence(
                "control_unit.mbs",
                of_lcu(most),
                idle_mbs,
                f"{most.title}{', the busiest of these,' * (len(idle) > 1)} has {idle_mbs:.1f} MB/s,"
                f" {percent(parts[most.key])} of the bytes",
            ),
        ),
        confidence=LIKELY if one.estimated or one.may_be_misses or one.may_be_crowded else CERTAIN,
        apart=bool(spaces),
        action=f"Spread these data over all LCUs: zmon spread with --moves 9 and"
        f" --lcus {_numbers(lcus)} lists the files to move."
        if spaces and len(_holding(situation)) == 1
        else "Spread these data over all LCUs: MOVES lists the files to move."
        if spaces
        else f"Spread the data of {one.lcu.title} over all LCUs; with --listing zmon names the tablespaces.",
        lost=one.lost,
        changes=() if one.estimated else changes,
        # where the times are estimated, how long requests wait there is not measured
        foretell=Gain if one.estimated else gain(situation, changes, EVEN),
        whatif=_striped(spaces, lcus),
        confirm="Channel measurement would confirm it."
        if one.no_cmf and can_be_timed(situation.load)
        else "",
        missing=(*_missing(one), *(() if spaces else ("a listing of the tablespaces: --listing",))),
    )


def _striped(spaces: Sequence[tuple[str, float]], lcus: Sequence[str]) -> str:
    """Return the spreading of tablespaces in the words of `zmon whatif`; empty if there are too many."""
    names_of_all = _numbers(lcus)
    if not 0 < len(spaces) <= MOST_NAMED:
        return ""
    return " and ".join(f"stripe {name} over LCU {names_of_all}" for name, _ in spaces)


def _numbers(lcus: Sequence[str]) -> str:
    """Return the titles of LCUs as options and changes have them: `7100,7200`."""
    return ",".join(one.removeprefix("LCU ") for one in sorted(lcus))


def _spaces(spaces: Sequence[tuple[str, float]]) -> str:
    shown = [f"{name} ({percent(part)})" for name, part in spaces]
    return f"Its traffic comes from {names(shown)}."


CAUSES: Final = {"D3": uneven_data, "D1": full_lcus, "D9": full_arrays, "D4c": too_many_aliases}
