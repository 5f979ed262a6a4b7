"""Logs that share volumes with data (D12): a commit waits behind what is read and written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import FEW_NAMED, names
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.phrases import no_cmf, said_of_units, why_untimed
from zmon.diagnosis.seen import Seen, diagnosed
from zmon.machine.observation import mean_of
from zmon.machine.observed_machine import ONE_TIME
from zmon.queueing.headroom import resource_uses
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu
    from zmon.queueing.fit import FlowShare

LEAST_PART: Final = 0.01
"""The part of a volume's bytes that logs or data have at least, to share it."""
LEAST_WRITES: Final = 0.01
"""The part of the requests that write where a log is written."""
NO_LISTING: Final = "no listing names the logs: --listing"


def logs_beside_data(situation: Situation) -> Diagnoses:
    """Return D12: logs lie on volumes with data, and requests wait for these volumes."""
    load = situation.load
    waited = situation.waiting.by_volume(load)
    untimed = why_untimed(load) if load.is_untimed else ()
    if not waited:
        return untimed
    shares = situation.shares()
    if not shares:
        return absent(NO_LISTING)
    parts: dict[str, tuple[list[FlowShare], list[FlowShare]]] = {}
    for share in shares:
        if share.part >= LEAST_PART:
            parts.setdefault(share.volume, ([], []))[share.steady].append(share)
    volumes = [
        With(volume, waits=waited[volume.key], writes=1 - volume.reads)
        for volume in load.volumes
        if volume.key in waited and all(parts.get(volume.key, ((), ()))) and volume.reads <= 1 - LEAST_WRITES
    ]
    if not volumes:
        return untimed
    volumes.sort(key=lambda volume: -volume.waits)
    return (diagnosed("D12", _shared(situation, volumes, [parts[volume.key] for volume in volumes])),)


def _shared(
    situation: Situation, volumes: Sequence[With], parts: Sequence[tuple[list[FlowShare], list[FlowShare]]]
) -> Seen:
    """Return what is said of volumes with data and logs, which are the `parts` of each."""
    load = situation.load
    timed = not any(volume.estimated for volume in volumes)
    lcus = [lcu for lcu in load.lcus if lcu.key in {volume.lcu for volume in volumes}]
    by_wait = [
        lcu for key in dict.fromkeys(volume.lcu for volume in volumes) for lcu in lcus if lcu.key == key
    ]
    units = [(lcu, situation.machine.units(lcu.key, ONE_TIME)) for lcu in by_wait]
    databases = {share.owner.partition(".")[0] for both in parts for some in both for share in some}
    files = sorted({share.file for _, logs in parts for share in logs})
    facts = {
        "files": files,
        "log_names": names(files, FEW_NAMED),
        "logs": [Subject("file", file, file) for file in files],
        "first_log": Subject("file", files[0], files[0]),
        "data": list(dict.fromkeys(share.owner for data, _ in parts for share in data)),
        "own_lcus": lcus,
        "lcu_titles": sorted(lcu.title for lcu in lcus),
        "timed": timed,
        "lacking": any(volume.estimated and volume.is_dasd for volume in volumes),
        "no_cmf": no_cmf(load),
        "disc_of_lcus": _disc_of(situation, lcus) if timed else (),
        **said_of_units([(lcu, parts) for lcu, parts in units if parts], databases),
    }
    return Seen(volumes, sum(volume.waits for volume in volumes), facts)


def _disc_of(situation: Situation, lcus: Sequence[ObservedLcu]) -> Sequence[With]:
    """Return the LCUs as one with their Disc, where that tells that requests do not wait in them.

    Where their use is estimated, that tells it.
    """
    keys = {lcu.key for lcu in lcus}
    full = any(place.key in keys for place in situation.waiting.of_kind("lcu"))
    if full or not lcus or any(use.kind == "lcu" for use in resource_uses(situation.load)):
        return ()
    inside = tuple(volume for lcu in lcus for volume in situation.load.volumes_of(lcu.key))
    disc, serv = mean_of(inside, "disc"), mean_of(inside, "serv")
    is_timed = not isinstance(disc, Absent) and not isinstance(serv, Absent)
    return [With(None, titles=sorted(lcu.title for lcu in lcus), disc=disc, serv=serv)] if is_timed else ()


CAUSES: Final[Causes] = {"D12": logs_beside_data}
