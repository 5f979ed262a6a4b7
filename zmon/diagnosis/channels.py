"""Requests wait for channel paths (D2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.milliseconds import ms
from zmon.base.ranges import many, ranges
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE, Diagnosis, Gain, Subject
from zmon.diagnosis.phrases import evidence, gain, no_cmf, of_lcu, of_paths, why_untimed
from zmon.machine.observation import busy_words, mean_of
from zmon.queueing.change import PathNumber
from zmon.queueing.waiting import lcus_behind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedVolume

NO_PATHS: Final = absent(
    "the load of channel paths was not read; an LPAR measures it, a guest needs channel measurement (CMF)"
)
IN_LPAR: Final = "The load of the channels in the LPAR would confirm it."
RECONNECTED: Final = "If Disc of all these LCUs falls with another path, they wait to be reconnected."
UNTIMED: Final = "Channel measurement would show how long requests pend before these paths."
NO_PEND: Final = (
    "Requests hardly pend, so that no queue before these paths is seen. If the throughput stays the same"
    " under more load, they limit it."
)
"""What is left open where the load of paths is measured: they may be busy while nothing waits for them."""


def full_paths(situation: Situation) -> Diagnoses:
    """Return D2: channel paths that are full, all groups that requests wait for together."""
    load = situation.load
    if load.volumes and not any(load.used.column("is_dasd")):
        return ()  # nothing with I/O is behind channel paths; FCP adapters have diagnoses of their own
    if not load.knows_paths:
        return why_untimed(load) if load.is_untimed or (load.lcus and not load.paths) else NO_PATHS
    places = [place for place in situation.waiting.places if place.kind == "paths"]
    places = [place for place in places if load.fcp.isdisjoint(place.key.split())]
    if not places:
        return ()
    groups = [place.key for place in places]
    chpids = [chpid for key in groups for chpid in key.split()]
    lcus = lcus_behind(load, *groups)
    behind = tuple(one for lcu in lcus for one in load.volumes_of(lcu.key))
    pend, serv = mean_of(behind, "pend"), mean_of(behind, "serv")
    pends, timed = f"Pend {ms(pend)} of Serv {ms(serv)}", not any(one.estimated for one in behind if one.rate)
    use = max(float(place.use) for place in places if not isinstance(place.use, Absent))
    everything = len(lcus) == len([one for one in load.lcus if load.volumes_of(one.key)])
    changes = [PathNumber(2, times=True)]
    if not everything:
        changes = [PathNumber(2, lcu=lcus_behind(load, key)[0].key, times=True) for key in groups]
    own = "" if load.paths_measured else ", from the connect time of this Linux alone"
    shown = " and ".join(ranges(key.split()) for key in groups)
    lost, inside = sum(place.waits for place in places), sum(place.inside for place in places)
    if inside or not timed:
        changes = []  # the model has these waits in the LCUs
    found = Diagnosis(
        "D2",
        subjects=(
            *(of_paths(key) for key in groups),
            *(of_lcu(one) for one in lcus),
        ),
        clause=f"Channel paths {shown} are full, {busy_words(use)}",
        rest=f"; behind them {'is' if len(lcus) == 1 else 'are'} {many(len(lcus), 'LCU')}",
        evidence=(
            evidence(
                "channel.cur",
                Subject("path", chpids[0], chpids[0]),
                100 * use,
                f"the busiest path: {busy_words(use)}{own}",
            ),
            *([evidence("control_unit.pend", of_lcu(lcus[0]), 1e3 * pend, pends)] if timed else []),
            *_inside(lcus[0], inside, behind, timed=timed),
        ),
        confidence=POSSIBLE if not lost else CERTAIN if load.paths_measured and not inside else LIKELY,
        action="Add channel paths, or move load to LCUs behind other paths.",
        lost=lost,
        foretell=gain(situation, changes) if changes else Gain,
        changes=tuple(changes),
        whatif="double the paths" if changes and everything else "",
        confirm=_confirm(load, lost, inside, timed=timed),
        missing=(
            *(() if load.paths_measured else ("what other systems send over these paths",)),
            *(() if timed else (no_cmf(load),)),
        ),
    )
    return (found,)


def _confirm(load: ObservedLoad, lost: float, inside: float, *, timed: bool) -> str:
    """Return what would make it certain that paths are full; empty where it is."""
    if not load.paths_measured:
        return IN_LPAR
    if not timed:
        return UNTIMED
    return RECONNECTED if inside else "" if lost else NO_PEND


def _inside(
    lcu: ObservedLcu, inside: float, behind: Sequence[ObservedVolume], *, timed: bool
) -> Iterator[Measurement]:
    """Yield how many requests wait in the LCUs behind, where they do: as for reconnection, or not timed."""
    if inside and timed:
        disc, serv = mean_of(behind, "disc"), mean_of(behind, "serv")
        words = f"{many(inside, 'request')} wait inside all of these LCUs, Disc {ms(disc)} of Serv {ms(serv)}"
        yield evidence("control_unit.disc", of_lcu(lcu), 1e3 * disc, words)
    elif inside:
        response = mean_of(behind, "response")
        words = f"{many(inside, 'request')} wait for these paths or in the LCUs, each takes {ms(response)}"
        yield evidence("control_unit.resp", of_lcu(lcu), 1e3 * response, words)


CAUSES: Final = {"D2": full_paths}
