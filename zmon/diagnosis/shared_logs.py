"""Logs that share volumes with data (D12): a commit waits behind what is read and written there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.milliseconds import ms
from zmon.base.ranges import many, names
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, Diagnosis, Gain, Subject
from zmon.diagnosis.phrases import (
    evidence,
    mostly_by,
    no_cmf,
    now_and_later,
    of_lcu,
    of_volume,
    percent,
    shares_of_units,
    why_untimed,
)
from zmon.machine.observation import mean_of
from zmon.machine.observed_machine import ONE_TIME
from zmon.queueing.headroom import resource_uses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedVolume
    from zmon.machine.observed_machine import UnitPart
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
        one
        for one in load.volumes
        if one.key in waited and all(parts.get(one.key, ((), ()))) and one.reads <= 1 - LEAST_WRITES
    ]
    if not volumes:
        return untimed
    volumes.sort(key=lambda one: -waited[one.key])
    logs = [share for one in volumes for share in parts[one.key][1]]
    files = sorted({share.file for share in logs})
    data = names(list(dict.fromkeys(share.owner for one in volumes for share in parts[one.key][0])))
    lcus = {one.key: one for one in load.lcus}
    ones = [lcus[key] for key in dict.fromkeys(one.lcu for one in volumes) if key in lcus]
    each = [(one, situation.machine.units(one.key, ONE_TIME)) for one in ones]
    found = _shared(situation, volumes, waited, files, data)
    owners = {share.owner.partition(".")[0] for one in volumes for some in parts[one.key] for share in some}
    return (_with_units(found, [(lcu, units) for lcu, units in each if units], owners),)


def _with_units(
    found: Diagnosis, parts: Sequence[tuple[ObservedLcu, Sequence[UnitPart]]], databases: Collection[str]
) -> Diagnosis:
    """Return the diagnosis with who does the I/O on the LCUs of its volumes, where most waits first."""
    action = now_and_later([units for _, units in parts], databases, found.action)
    return found._replace(
        besides=mostly_by(parts),
        evidence=(*found.evidence, *(one for lcu, units in parts for one in shares_of_units(lcu, units))),
        action=action,
        apart=action is not found.action,
    )


def _shared(
    situation: Situation,
    volumes: Sequence[ObservedVolume],
    waited: Mapping[str, float],
    files: Sequence[str],
    data: str,
) -> Diagnosis:
    load = situation.load
    first, lost = volumes[0], sum(waited[one.key] for one in volumes)
    timed = not any(one.estimated for one in volumes)
    lacking = any(one.estimated and one.is_dasd for one in volumes)
    lcus = [one for one in load.lcus if one.key in {each.lcu for each in volumes}]
    queued, serv, response = (mean_of(tuple(volumes), name) for name in ("queued", "serv", "response"))
    each = (
        f"each waits {ms(queued)} to be started and then takes {ms(serv)}"
        if timed
        else f"a request takes {ms(response)}{_log_write(first)}"
    )
    lie = f"logs {names(files)} lie" if len(files) > 1 else f"log {files[0]} lies"
    units = f" of {names(sorted(one.title for one in lcus))}" if lcus else ""
    lies = f"The {lie} on {many(len(volumes), 'volume')}{units} with data"
    wait = f", and {many(lost, 'request')} wait there"
    return Diagnosis(
        "D12",
        subjects=(
            *map(of_volume, volumes),
            *map(of_lcu, lcus),
            *(Subject("file", each, each) for each in files),
        ),
        clause=f"{lies} ({data}){wait}",
        short=f"{lies}{wait}",
        rest=f": {each}",
        evidence=(
            evidence("files.path", Subject("file", files[0], files[0]), len(volumes),
                     f"{many(len(volumes), 'volume')} hold{'s' * (len(volumes) == 1)} logs and data"),
            evidence("device.qued" if timed else "device.queue", of_volume(first), waited[first.key],
                     f"{many(waited[first.key], 'request')} wait for volume {first.title}"),
            *_writes(first),
        ),
        confidence=CERTAIN if timed else LIKELY,
        action="Put the logs on volumes of their own, that nothing else reads or writes.",
        lost=lost,
        foretell=partial(Gain, f"a log write takes about {ms(serv)} instead of {ms(response)} if nothing else"
                               " is there")
        if timed
        else Gain,
        excluded=tuple(_not_lcus(situation, lcus)) if timed else (),
        confirm="Channel measurement would tell the wait in Linux from a slow disk." if lacking else "",
        missing=(*((no_cmf(load),) if lacking else ()), "how long a commit waits, which the database knows"),
    )  # fmt: skip


def _not_lcus(situation: Situation, lcus: Sequence[ObservedLcu]) -> Iterator[str]:
    """Yield that LCUs are not what requests wait for, by their Disc, where their use is not estimated."""
    keys = {one.key for one in lcus}
    full = any(one.kind == "lcu" and one.key in keys for one in situation.waiting.places)
    if full or not lcus or any(one.kind == "lcu" for one in resource_uses(situation.load)):
        return
    inside = tuple(one for lcu in lcus for one in situation.load.volumes_of(lcu.key))
    disc, serv = mean_of(inside, "disc"), mean_of(inside, "serv")
    if not isinstance(disc, Absent) and not isinstance(serv, Absent):
        yield f"{names(sorted(one.title for one in lcus))}: Disc {ms(disc)} of Serv {ms(serv)}"


def _log_write(volume: ObservedVolume) -> str:
    """Return, behind what a request takes, what a write to the volume takes."""
    return "" if isinstance(volume.write_response, Absent) else f", a write {ms(volume.write_response)}"


def _writes(volume: ObservedVolume) -> Iterator[Measurement]:
    """Yield which part of the requests of a volume write, and how long that takes, where it is estimated."""
    reads = volume.reads
    if not isinstance(reads, Absent):
        words = f"{percent(reads)} of its requests read, {percent(1 - reads)} write"
        yield evidence("device.read", of_volume(volume), 100 * reads, words)
    if volume.estimated and not isinstance(volume.write_response, Absent):
        words = f"a write to volume {volume.title} takes {ms(volume.write_response)}"
        yield evidence("device.wwait", of_volume(volume), 1e3 * volume.write_response, words)


CAUSES: Final = {"D12": logs_beside_data}
