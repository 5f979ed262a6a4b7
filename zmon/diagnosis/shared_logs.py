"""Logs that share volumes with data (D12): a commit waits behind what is read and written there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, Diagnosis, Subject
from zmon.diagnosis.observed_machine import ONE_TIME
from zmon.diagnosis.phrases import (
    evidence,
    many,
    mostly_by,
    ms,
    names,
    no_cmf,
    of_lcu,
    of_volume,
    percent,
    shares_of_units,
    why_untimed,
)
from zmon.queueing.observation import mean_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
    from zmon.diagnosis.observed_machine import UnitPart
    from zmon.diagnosis.situation import Situation
    from zmon.queueing.fit import FlowShare
    from zmon.queueing.observation import ObservedLcu, ObservedLoad, ObservedVolume

LEAST_PART: Final = 0.01
"""The part of a volume's bytes that logs or data have at least, to share it."""
LEAST_WRITES: Final = 0.01
"""The part of the requests that write where a log is written."""
SERVERS: Final = ("db2", "oracle", "postgres", "mariadb", "mysql")
"""Parts of the names of units that are database servers."""
NO_LISTING: Final = "no listing names the logs: --listing"


def logs_beside_data(situation: Situation) -> Diagnoses:
    """Return D12: logs lie on volumes with data, and requests wait for these volumes."""
    load = situation.load
    waited = _waited(situation)
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
    files = list(dict.fromkeys(share.file for share in logs))
    data = names(list(dict.fromkeys(share.owner for one in volumes for share in parts[one.key][0])))
    first = next((one for one in load.lcus if one.key == volumes[0].lcu), None)
    units = () if first is None else situation.machine.units(first.key, ONE_TIME)
    found = _shared(load, volumes, waited, files, data)
    owners = {share.owner.partition(".")[0] for one in volumes for each in parts[one.key] for share in each}
    return (found if first is None or not units else _with_units(found, first, units, owners),)


def _with_units(
    found: Diagnosis, lcu: ObservedLcu, units: Sequence[UnitPart], databases: Collection[str]
) -> Diagnosis:
    """Return the diagnosis with who does the I/O on the LCU of the volume that most requests wait for.

    Who does most of it and is not the database comes first: it can be slowed down at once.
    """
    who = mostly_by(lcu, units).strip()
    found = found._replace(evidence=(*found.evidence, *shares_of_units(lcu, units)))
    if not who or _is_database(units[0].title, databases):
        return found._replace(claim=f"{found.claim} {who}".rstrip())
    later = found.action[:1].lower() + found.action[1:]
    return found._replace(
        claim=f"{who} {found.claim}",
        action=f"Now: slow down {units[0].title} or move it to another time. Later: {later}",
    )


def _is_database(unit: str, databases: Collection[str]) -> bool:
    """Return whether a unit may be the server of the databases, by its name: nobody slows that down."""
    name = unit.casefold()
    return any(word and word.casefold() in name for word in (*databases, *SERVERS))


def _waited(situation: Situation) -> dict[str, float]:
    """Return the volumes that requests wait for, by their keys, and how many.

    Without channel measurement that may be a part of what waits for several volumes of an LCU.
    """
    volumes = situation.load.volumes
    found: dict[str, float] = {}
    for place in situation.waiting.places:
        if place.kind == "volume":
            found[place.key] = place.lost
        elif place.kind == "aliases":
            for one in volumes:
                if one.lcu == place.key and not isinstance(one.queued, Absent):
                    found.setdefault(one.key, one.rate * one.queued)
        elif place.kind == "lcu":
            ones = [one for one in situation.load.volumes_of(place.key) if one.estimated]
            mean = mean_of(tuple(ones), "response")
            whole = sum(one.rate for one in ones)
            for one in ones:
                if not isinstance(one.response, Absent) and not isinstance(mean, Absent):
                    found.setdefault(one.key, place.lost * one.rate * one.response / (whole * mean))
    return found


def _shared(
    load: ObservedLoad,
    volumes: Sequence[ObservedVolume],
    waited: Mapping[str, float],
    files: Sequence[str],
    data: str,
) -> Diagnosis:
    first, lost = volumes[0], sum(waited[one.key] for one in volumes)
    timed = not any(one.estimated for one in volumes)
    lcus = [one for one in load.lcus if one.key in {each.lcu for each in volumes}]
    queued, serv, response = (mean_of(tuple(volumes), name) for name in ("queued", "serv", "response"))
    each = (
        f"each waits {ms(queued)} to be started and then takes {ms(serv)}"
        if timed
        else f"a request takes {ms(response)}"
    )
    return Diagnosis(
        "D12",
        subjects=(
            *map(of_volume, volumes),
            *map(of_lcu, lcus),
            *(Subject("file", each, each) for each in files),
        ),
        claim=f"The logs {names(files)} lie on {many(len(volumes), 'volume')} with data ({data}), and"
        f" {many(lost, 'request')} wait there: {each}."
        if len(files) > 1
        else f"The log {files[0]} lies on {many(len(volumes), 'volume')} with data ({data}), and"
        f" {many(lost, 'request')} wait there: {each}.",
        evidence=(
            evidence("files.path", Subject("file", files[0], files[0]), len(volumes),
                     f"{many(len(volumes), 'volume')} hold{'s' * (len(volumes) == 1)} logs and data"),
            evidence("device.qued" if timed else "device.resp", of_volume(first),
                     waited[first.key] if timed else 1e3 * first.response,
                     f"{many(waited[first.key], 'request')} wait for volume {first.title}, of which"
                     f" {percent(1 - first.reads)} write"),
            *_write(first),
        ),
        confidence=CERTAIN if timed else LIKELY,
        action="Put the logs on volumes of their own, that nothing else reads or writes.",
        lost=lost,
        foretell=partial(str, f"a log write takes about {ms(serv)} instead of {ms(response)} if nothing else"
                              " is there")
        if timed
        else str,
        confirm="" if timed else "Channel measurement would tell the wait in Linux from a slow disk.",
        missing=(*(() if timed else (no_cmf(load),)), "how long a commit waits, which the database knows"),
    )  # fmt: skip


def _write(volume: ObservedVolume) -> Iterator[Measurement]:
    if not volume.estimated or isinstance(volume.write_response, Absent):
        return
    words = f"a write to volume {volume.title} takes {ms(volume.write_response)}"
    yield evidence("device.await", of_volume(volume), 1e3 * volume.write_response, words)


CAUSES: Final = {"D12": logs_beside_data}
