"""Requests wait in Linux for a volume: it has no aliases (D4b), too few (D4), or does not use them (D4d).

A base does one request at a time.  Where a request waits longer in Linux than half of what it then takes, and
requests wait, `zmon.queueing.waiting` names the volume, or the pool of aliases of its LCU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.milliseconds import ms
from zmon.base.ranges import many, names
from zmon.base.record import NamedTuple
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.phrases import NO_CACHE, evidence, gain, no_cmf, of_lcu, of_volume, percent, why_untimed
from zmon.machine.observation import FEW_ALIASES, MANY_ALIASES, mean_of
from zmon.queueing.change import AliasNumber
from zmon.queueing.undecided import is_uncached

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedVolume

FULL_BASE: Final = 0.7
"""Utilisation of its subchannels from which on a volume is full."""
CALM_BASE: Final = 0.3
"""Utilisation below which what requests wait for is not the volume."""
UNTIMED_WAIT: Final = "Channel measurement would show whether it is the wait in Linux or a slow disk."
UNCACHED_WAIT: Final = "Cache statistics would show whether the LCU is full: then aliases do not help."
IF_NOT_FULL: Final = "If the LCU is not full, which --cache tells, "
"""Before an action that would gain nothing if it is."""
PROPOSED: Final = FEW_ALIASES
"""Aliases of an LCU that are proposed where there are none: the Oracle study had 20 on two LCUs."""


class _Waited(NamedTuple):
    """Volumes that requests wait for in Linux, each with how many; and pools of aliases."""

    bare: Sequence[tuple[ObservedVolume, float]]
    unused: Sequence[tuple[ObservedVolume, float]]
    few: Sequence[tuple[ObservedVolume, float]]
    pools: Sequence[tuple[ObservedLcu, float]]
    untimed_pools: Sequence[tuple[ObservedLcu, float]]
    untimed: Sequence[tuple[ObservedVolume, float]]
    """Of these it is not known how much of the wait is in Linux."""


def _may_be_full(load: ObservedLoad, lcus: Iterable[ObservedLcu]) -> bool:
    """Return whether some LCU may be full, which would explain the queue, and only cache statistics tell."""
    return any(is_uncached(load, lcu) for lcu in lcus)


def _unless_full(diagnosis: Diagnosis) -> Diagnosis:
    """Return a diagnosis as possible, where the LCU may be full: then its advice would gain nothing."""
    action = f"{IF_NOT_FULL}{diagnosis.action[:1].lower()}{diagnosis.action[1:]}"
    return diagnosis._replace(
        confidence=POSSIBLE, action=action, confirm=UNCACHED_WAIT, missing=(NO_CACHE,)
    )  # fmt: skip


def _waited(situation: Situation) -> _Waited:
    load, places = situation.load, situation.waiting.places
    if not places:
        return _Waited((), (), (), (), (), ())
    volumes = {one.key: one for one in load.volumes}
    lcus = {one.key: one for one in load.lcus}
    pairs = [(volumes[place.key], place.waits) for place in places if place.kind == "volume"]
    found = [each for each in pairs if not each[0].estimated and each[0].lcu in lcus and each[0].is_dasd]
    own = [each for each in found if each[0].servers > 1]
    pools = [place for place in places if place.kind == "aliases"]
    return _Waited(
        [each for each in found if each[0].servers == 1],
        [each for each in own if not each[0].use >= CALM_BASE],
        [each for each in own if each[0].use >= CALM_BASE],
        [(lcus[place.key], place.waits) for place in pools if not isinstance(place.use, Absent)],
        [(lcus[place.key], place.waits) for place in pools if isinstance(place.use, Absent)],
        [each for each in pairs if each[0].estimated and each[0].is_dasd],
    )


def _each(situation: Situation, found: tuple[Diagnosis, ...]) -> Diagnoses:
    """Return diagnoses if there are some; without, it is not known where some volume is not timed."""
    return why_untimed(situation.load) if not found and situation.load.is_untimed else found


def no_aliases(situation: Situation) -> Diagnoses:
    """Return D4b: requests wait in Linux for volumes that have no aliases, all in one."""
    bare, untimed = _waited(situation).bare, _waited(situation).untimed
    lcus = {one.key: one for one in situation.load.lcus}
    alone = [
        each
        for each in untimed
        if each[0].servers == 1 and not (each[0].lcu in lcus and lcus[each[0].lcu].aliases)
    ]
    timed = (_no_aliases(situation, bare),) if bare else ()
    not_timed = (_one_at_a_time(situation.load, alone),) if alone else ()
    return _each(situation, (*timed, *not_timed))


def too_few_aliases(situation: Situation) -> Diagnoses:
    """Return D4: pools of aliases, and aliases of volumes, that are all in use while requests wait."""
    found = _waited(situation)
    lcus = {one.key: one for one in situation.load.lcus}
    with_some = [
        each
        for each in found.untimed
        if each[0].servers > 1 or (each[0].lcu in lcus and lcus[each[0].lcu].aliases)
    ]
    return _each(
        situation,
        (
            *((_few(situation, found.pools),) if found.pools else ()),
            *((_few_of_a_volume(situation, found.few),) if found.few else ()),
            *((_perhaps_few(situation.load, with_some),) if with_some else ()),
            *((_perhaps_few_in(situation.load, found.untimed_pools),) if found.untimed_pools else ()),
        ),
    )


def unused_aliases(situation: Situation) -> Diagnoses:
    """Return D4d: requests wait for volumes whose aliases are idle."""
    unused = _waited(situation).unused
    return _each(situation, (_unused(unused),) if unused else ())


def _one_at_a_time(load: ObservedLoad, waited: Sequence[tuple[ObservedVolume, float]]) -> Diagnosis:
    titles = names([f"volume {one.title}" for one, _ in waited])
    each = "they do" if len(waited) > 1 else "it does"
    return _of_untimed(
        load,
        "D4b",
        waited,
        titles,
        f"without aliases {each} one request at a time",
        "Turn on HyperPAV, or spread",
    )


def _perhaps_few(load: ObservedLoad, waited: Sequence[tuple[ObservedVolume, float]]) -> Diagnosis:
    titles = names([f"volume {one.title}" for one, _ in waited])
    whose = "its" if len(waited) == 1 else "their"
    return _of_untimed(
        load, "D4", waited, titles, f"{whose} aliases may be too few", "Define more aliases, or spread"
    )


def _perhaps_few_in(load: ObservedLoad, pools: Sequence[tuple[ObservedLcu, float]]) -> Diagnosis:
    first, lost = pools[0][0], sum(lost for _, lost in pools)
    volumes = load.used_of(first.key)
    words = f"{first.title}: {volumes.rate:,.0f} requests a second, {ms(mean_of(volumes, 'response'))} each"
    return Diagnosis(
        "D4",
        subjects=tuple(of_lcu(lcu) for lcu, _ in pools),
        clause=f"{many(lost, 'request')} wait for {names([lcu.title for lcu, _ in pools])}, beyond what bases"
        " and aliases do at once",
        rest=f": {'its' if len(pools) == 1 else 'their'} aliases may be too few",
        evidence=(evidence("control_unit.resp", of_lcu(first), 1e3 * mean_of(volumes, "response"), words),),
        confidence=POSSIBLE,
        action="Define more aliases, or spread what lies on it over more LCUs.",
        lost=lost,
        confirm=UNTIMED_WAIT,
        missing=(no_cmf(load),),
    )


def _of_untimed(  # noqa: PLR0913, PLR0917 - what the two differ in
    load: ObservedLoad,
    id_: str,
    waited: Sequence[tuple[ObservedVolume, float]],
    titles: str,
    why: str,
    action: str,
) -> Diagnosis:
    """Return a diagnosis of volumes whose service is not timed: the disk itself may be slow."""
    first, lost = waited[0][0], sum(lost for _, lost in waited)
    return Diagnosis(
        id_,
        subjects=tuple(of_volume(one) for one, _ in waited),
        clause=f"{many(lost, 'request')} wait for {titles}",
        rest=f": {why}",
        evidence=(
            evidence(
                "device.resp",
                of_volume(first),
                1e3 * first.response,
                f"volume {first.title}: {first.rate:,.0f} requests a second, {ms(first.response)} each",
            ),
        ),
        confidence=POSSIBLE,
        action=f"{action} what lies on it over more volumes.",
        lost=lost,
        confirm=UNTIMED_WAIT,
        missing=(no_cmf(load),),
    )


def _on_each(titles: Sequence[str]) -> str:
    """Say that a number is that of each: `on LCU 8000`, `on each of LCU 8000 and LCU 8100`."""
    return f"on {'each of ' * (len(titles) > 1)}{names(titles)}"


def _aliases(number: int) -> str:
    return "1 alias" if number == 1 else f"{number} aliases"


def _subjects(
    waited: Sequence[tuple[ObservedVolume, float]], lcus: dict[str, ObservedLcu]
) -> tuple[Subject, ...]:
    units = dict.fromkeys(one.lcu for one, _ in waited)
    return (*(of_volume(one) for one, _ in waited), *(of_lcu(lcus[key]) for key in units))


def _no_aliases(situation: Situation, waited: Sequence[tuple[ObservedVolume, float]]) -> Diagnosis:
    lcus = {one.key: one for one in situation.load.lcus}
    first, lost = waited[0][0], sum(lost for _, lost in waited)
    several = len(waited) > 1
    ones = tuple(one for one, _ in waited)
    queued, serv = mean_of(ones, "queued"), mean_of(ones, "serv")
    units = sorted({one.lcu for one, _ in waited}, key=lambda key: lcus[key].title)
    changes = tuple(AliasNumber(PROPOSED, lcu=key) for key in units)
    where = f"{names(['volume ' + first.title])}" if not several else f"{many(len(waited), 'volume')}"
    use = first.use
    found = Diagnosis(
        "D4b",
        subjects=_subjects(waited, lcus),
        clause=f"{many(lost, 'request')} wait in Linux for {where} without aliases",
        rest=f": each waits {ms(queued)} to be started and then takes {ms(serv)}",
        evidence=(
            evidence(
                "device.qued",
                of_volume(first),
                waited[0][1],
                f"volume {first.title}: {many(waited[0][1], 'request')} wait, it is {percent(use)} busy",
            ),
            evidence(
                "control_unit.pool", of_lcu(lcus[first.lcu]), 0, f"{lcus[first.lcu].title} has no aliases"
            ),
        ),
        confidence=CERTAIN if use >= FULL_BASE else LIKELY,
        apart=True,
        action=f"Turn on HyperPAV: {PROPOSED} aliases {_on_each([lcus[key].title for key in units])}.",
        lost=lost,
        foretell=gain(situation, changes),
        changes=changes,
        whatif=" and ".join(f"aliases {PROPOSED} on {lcus[key].title}" for key in units),
        confirm=""
        if use >= FULL_BASE
        else "A higher sampling rate would show whether requests come in bursts.",
    )
    may_be_full = _may_be_full(situation.load, (lcus[key] for key in units))
    return _unless_full(found) if may_be_full else found


def _more(aliases: int) -> int:
    """Return how many aliases an LCU is to have: twice as many, where that is what CHECK (B1) calls good."""
    return max(PROPOSED, min(2 * aliases, MANY_ALIASES) if aliases < MANY_ALIASES else 2 * aliases)


def _waits(waiting: float, queued: Number, serv: Number) -> str:
    """Return how many requests wait, and how long each waits and then takes."""
    return f"{many(waiting, 'request')} wait: each waits {ms(queued)} to be started and then takes {ms(serv)}"


def _few(situation: Situation, pools: Sequence[tuple[ObservedLcu, float]]) -> Diagnosis:
    first, lost = pools[0][0], sum(lost for _, lost in pools)
    ordered = sorted((one for one, _ in pools), key=lambda one: one.title)
    titles = names([one.title for one in ordered])
    more = names([f"{_more(one.aliases)} for {one.title}" for one in ordered])
    if len({_more(one.aliases) for one in ordered}) == 1:
        more = f"{_more(first.aliases)} {_on_each([one.title for one in ordered])}"
    in_use = f"{first.alias_use:.1f} of {first.aliases} are in use"
    if len(pools) > 1:
        in_use += " where most wait"
    changes = tuple(AliasNumber(_more(one.aliases), lcu=one.key) for one, _ in pools)
    ones = situation.load.volumes_of(first.key)
    may_be_full = _may_be_full(situation.load, ordered)
    has = "may have" if may_be_full else "has" if len(pools) == 1 else "have"
    found = Diagnosis(
        "D4",
        subjects=tuple(of_lcu(one) for one, _ in pools),
        clause=f"{titles} {has} too few aliases",
        rest=f": {in_use}, and {many(lost, 'request')} wait for one",
        evidence=(
            evidence(
                "control_unit.aliasuse",
                of_lcu(first),
                first.alias_use,
                f"{first.title}: {first.alias_use:.1f} of {first.aliases} aliases in use"
                f" ({percent(first.pool_use)})",
            ),
            evidence(
                "control_unit.qued",
                of_lcu(first),
                pools[0][1],
                _waits(pools[0][1], mean_of(ones, "queued"), situation.load.time_of(first, "serv")),
            ),
        ),
        confidence=CERTAIN,
        action=f"Define more aliases, for example {more}.",
        lost=lost,
        foretell=gain(situation, changes),
        changes=changes,
        whatif=" and ".join(f"aliases {_more(one.aliases)} on {one.title}" for one, _ in pools),
    )
    return _unless_full(found) if may_be_full else found


def _few_of_a_volume(situation: Situation, waited: Sequence[tuple[ObservedVolume, float]]) -> Diagnosis:
    first, lost = waited[0][0], sum(lost for _, lost in waited)
    has = first.servers - 1
    ordered = sorted((one for one, _ in waited), key=lambda one: one.title)
    more = names([f"{2 * one.servers - 1} aliases for volume {one.title}" for one in ordered])
    changes = tuple(AliasNumber(2 * one.servers - 1, volume=one.key) for one, _ in waited)
    found = Diagnosis(
        "D4",
        subjects=tuple(of_volume(one) for one, _ in waited),
        clause=f"V{names(['volume ' + one.title for one, _ in waited])[1:]}"
        f" {'has' if len(waited) == 1 else 'have'} too few aliases",
        rest=f": base and {_aliases(has)} are {percent(first.use)} busy, and {many(lost, 'request')} wait in"
        " Linux",
        evidence=(
            evidence(
                "device.volqued",
                of_volume(first),
                waited[0][1],
                _waits(waited[0][1], first.queued, first.serv),
            ),
            evidence("device.volbusy", of_volume(first), 100 * first.use, f"{percent(first.use)} busy"),
        ),
        confidence=CERTAIN,
        action=f"Define {more}, or turn on HyperPAV.",
        lost=lost,
        foretell=gain(situation, changes, f"with {more}: "),
        changes=changes,
        whatif=" and ".join(f"aliases {2 * one.servers - 1} on volume {one.title}" for one, _ in waited),
    )
    homes = {one.lcu for one, _ in waited}
    may_be_full = _may_be_full(situation.load, (lcu for lcu in situation.load.lcus if lcu.key in homes))
    return _unless_full(found) if may_be_full else found


def _unused(waited: Sequence[tuple[ObservedVolume, float]]) -> Diagnosis:
    first, lost = waited[0][0], sum(lost for _, lost in waited)
    return Diagnosis(
        "D4d",
        subjects=tuple(of_volume(one) for one, _ in waited),
        clause=f"Requests do not use the aliases of {names(['volume ' + one.title for one, _ in waited])}",
        rest=f": {many(lost, 'request')} wait in Linux while base and aliases are {percent(first.use)} busy",
        evidence=(
            evidence(
                "device.volqued",
                of_volume(first),
                waited[0][1],
                _waits(waited[0][1], first.queued, first.serv),
            ),
        ),
        confidence=LIKELY,
        action="Use multibus with a small rr_min_io over base and aliases, or HyperPAV.",
        lost=lost,
        confirm="The multipath map shows it: failover or a large rr_min_io uses one alias at a time.",
    )


CAUSES: Final = {"D4": too_few_aliases, "D4b": no_aliases, "D4d": unused_aliases}
