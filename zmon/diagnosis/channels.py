"""Requests wait for channel paths (D2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import ranges
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.phrases import why_untimed
from zmon.diagnosis.seen import Cause, Remedy
from zmon.machine.observation import busy_words, mean_of
from zmon.queueing.change import PathNumber
from zmon.queueing.waiting import lcus_behind
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation

NO_PATHS: Final = absent(
    "the load of channel paths was not read; an LPAR measures it, a guest needs channel measurement (CMF)"
)


def _full_paths(situation: Situation) -> Sequence[With] | Absent:
    """Return the groups of channel paths that requests wait for; FCP paths have diagnoses of their own."""
    load = situation.load
    if load.volumes and not any(load.used.column("is_dasd")):
        return ()  # nothing with I/O is behind channel paths
    if not load.knows_paths:
        return why_untimed(load) if load.is_untimed or (load.lcus and not load.paths) else NO_PATHS
    places = situation.waiting.of_kind("paths")
    return [
        With(place, kind="path", title=f"channel paths {ranges(place.key.split())}")
        for place in places
        if load.fcp.isdisjoint(place.key.split())
    ]


def _more_paths(situation: Situation, groups: Sequence[With]) -> Remedy:
    """Propose twice as many paths in each group, unless the model has these waits in the LCUs."""
    load, keys = situation.load, [group.key for group in groups]
    lcus = lcus_behind(load, *keys)
    behind = tuple(volume for lcu in lcus for volume in load.volumes_of(lcu.key))
    timed = not any(volume.estimated for volume in behind if volume.rate)
    use = max(float(group.use) for group in groups if not isinstance(group.use, Absent))
    inside = sum(group.inside for group in groups)
    everything = len(lcus) == len([lcu for lcu in load.lcus if load.volumes_of(lcu.key)])
    changes = [PathNumber(2, lcu=lcus_behind(load, key)[0].key, times=True) for key in keys]
    if everything:
        changes = [PathNumber(2, times=True)]
    if inside or not timed:
        changes = []
    chpid = keys[0].split()[0]
    return Remedy(
        {
            "shown": " and ".join(ranges(key.split()) for key in keys),
            "path": Subject("path", chpid, chpid),
            "lcus": lcus,
            "first_lcu": lcus[0],
            "use": use,
            "busy": busy_words(use),
            "inside": inside,
            "timed": timed,
            "measured": load.paths_measured,
            **{name: mean_of(behind, name) for name in ("pend", "disc", "serv", "response")},
        },
        tuple(changes),
        "double the paths" if changes and everything else "",
    )


CAUSES: Final[Causes] = {"D2": Cause("D2", {"full paths": _full_paths}, {"more paths": _more_paths})}
