"""Requests wait in Linux for a volume: it has no aliases (D4b), too few (D4), or does not use them (D4d).

A base does one request at a time.  Where a request waits longer in Linux than half of what it then takes, and
requests wait, `zmon.queueing.waiting` names the volume, or the pool of aliases of its LCU.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.diagnosis.control_units import untimed_below
from zmon.diagnosis.phrases import why_untimed
from zmon.diagnosis.seen import Cause, Remedy
from zmon.machine.observation import FEW_ALIASES, MANY_ALIASES, mean_of
from zmon.queueing.change import AliasNumber
from zmon.queueing.undecided import is_uncached
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation

PROPOSED: Final = FEW_ALIASES
"""Aliases of an LCU that are proposed where there are none: the Oracle study had 20 on two LCUs."""


def _volumes(situation: Situation, *, timed: bool) -> list[With]:
    """Return the DASDs that requests wait for in Linux; timed by channel measurement, or not."""
    load, places = situation.load, situation.waiting.of_kind("volume")
    if not places:
        return []
    volumes = {volume.key: volume for volume in load.volumes}
    lcus = load.lcus_by_key
    without_alias = []
    for place in places:
        volume = volumes[place.key]
        lcu = lcus.get(volume.lcu)
        if volume.is_dasd and volume.estimated != timed and not (timed and lcu is None):
            without_alias.append(
                With(
                    volume,
                    waits=place.waits,
                    lcu=lcu,
                    aliases=volume.servers - 1,
                    bound=sum(other.servers - 1 for other in load.volumes_of(volume.lcu)),
                    has_aliases=volume.servers > 1 or bool(lcu and lcu.aliases),
                    may_be_full=lcu is not None and is_uncached(load, lcu),
                )
            )
    return without_alias


def _timed(situation: Situation, *, alone: bool) -> Sequence[With] | Absent:
    """Return the timed volumes with one subchannel or with several; why not, where some are not timed.

    Those beside a pool that serves none of them are neither.
    """
    volumes = [
        volume
        for volume in _volumes(situation, timed=True)
        if (volume.servers == 1) == alone and not (alone and volume.has_aliases)
    ]
    return volumes or _unless_untimed(situation)


def _unused(situation: Situation) -> Sequence[With] | Absent:
    """Return the LCUs whose pool of aliases is not used, each with the volumes that requests wait for."""
    volumes: dict[str, list[With]] = {}
    for volume in _volumes(situation, timed=True):
        if volume.servers == 1 and volume.has_aliases:
            volumes.setdefault(volume.lcu.key, []).append(volume)
    pools = [
        With(waited[0].lcu, waits=fsum(volume.waits for volume in waited), waited=waited)
        for waited in volumes.values()
    ]
    return pools or _unless_untimed(situation)


def _untimed(situation: Situation) -> list[With]:
    """Return the untimed volumes that may wait for an alias: not those that are slow behind their LCU."""
    below = {volume.key for volume in untimed_below(situation)}
    return [volume for volume in _volumes(situation, timed=False) if volume.key not in below]


def _pools(situation: Situation, *, timed: bool) -> Sequence[With] | Absent:
    """Return the LCUs whose pool of aliases requests wait for; timed by channel measurement, or not."""
    load = situation.load
    lcus = load.lcus_by_key
    pools = []
    for place in situation.waiting.of_kind("aliases"):
        if isinstance(place.use, Absent) != timed:
            lcu, volumes = lcus[place.key], load.volumes_of(place.key)
            pools.append(
                With(
                    lcu,
                    waits=place.waits,
                    use=lcu.pool_use,
                    queued=mean_of(volumes, "queued"),
                    serv=load.time_of(lcu, "serv"),
                    rate=load.used_of(lcu.key).rate,
                    response=mean_of(load.used_of(lcu.key), "response"),
                    may_be_full=is_uncached(load, lcu),
                )
            )
    return pools or _unless_untimed(situation)


def _unless_untimed(situation: Situation) -> tuple[()] | Absent:
    """Return nothing, or why it is not known that nothing waits: some volume is not timed."""
    return why_untimed(situation.load) if situation.load.is_untimed else ()


SORTS: Final = {
    "bare volumes": lambda situation: _timed(situation, alone=True),
    "volumes with aliases": lambda situation: _timed(situation, alone=False),
    "unused pools": _unused,
    "untimed volumes": _untimed,
    "pools": lambda situation: _pools(situation, timed=True),
    "untimed pools": lambda situation: _pools(situation, timed=False),
}
"""What requests wait for, most first."""


def _new_pools(situation: Situation, volumes: Sequence[With]) -> Remedy:
    """Propose pools of aliases for the LCUs of volumes without any."""
    lcus = {volume.lcu.key: volume.lcu for volume in volumes}
    by_title = sorted(lcus.values(), key=lambda lcu: lcu.title)
    return Remedy(
        {
            "lcu_titles": [lcu.title for lcu in by_title],
            "proposed": PROPOSED,
            "is_zvm": situation.is_below_zvm,
            "some_bound": any(volume.bound for volume in volumes),
            "may_be_full": any(volume.may_be_full for volume in volumes),
        },
        tuple(AliasNumber(PROPOSED, lcu=lcu.key) for lcu in by_title),
        " and ".join(f"aliases {PROPOSED} on {lcu.title}" for lcu in by_title),
    )


def _larger_pools(_situation: Situation, lcus: Sequence[With]) -> Remedy:
    """Propose more aliases for each of some LCUs."""
    by_title = sorted(lcus, key=lambda lcu: lcu.title)
    numbers = [_more(lcu.aliases) for lcu in by_title]
    more = [f"{number} for {lcu.title}" for number, lcu in zip(numbers, by_title, strict=True)]
    return Remedy(
        {
            "more": more,
            "number": numbers[0],
            "same": len(set(numbers)) == 1,
            "may_be_full": any(lcu.may_be_full for lcu in lcus),
        },
        tuple(AliasNumber(_more(lcu.aliases), lcu=lcu.key) for lcu in lcus),
        " and ".join(f"aliases {_more(lcu.aliases)} on {lcu.title}" for lcu in lcus),
    )


def _more(aliases: int) -> int:
    """Return how many aliases an LCU is to have: twice as many, where that is what CHECK (B1) calls good."""
    return max(PROPOSED, min(2 * aliases, MANY_ALIASES) if aliases < MANY_ALIASES else 2 * aliases)


def _more_of_volumes(_situation: Situation, volumes: Sequence[With]) -> Remedy:
    """Propose twice the subchannels of each of some volumes."""
    by_title = sorted(volumes, key=lambda volume: volume.title)
    more = [f"{2 * volume.servers - 1} aliases for volume {volume.title}" for volume in by_title]
    return Remedy(
        {"more": more, "may_be_full": any(volume.may_be_full for volume in volumes)},
        tuple(AliasNumber(2 * volume.servers - 1, volume=volume.key) for volume in volumes),
        " and ".join(f"aliases {2 * volume.servers - 1} on volume {volume.title}" for volume in volumes),
        "with these aliases ",
    )


REMEDIES: Final = {
    "new pools": _new_pools,
    "larger pools": _larger_pools,
    "more aliases of volumes": _more_of_volumes,
}
CAUSES: Final[Causes] = {id_: Cause(id_, SORTS, REMEDIES) for id_ in ("D4", "D4b", "D4d")}
