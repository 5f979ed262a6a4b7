"""Logs that share volumes with data (D12): a commit waits behind what is read and written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, Diagnosis, Subject
from zmon.diagnosis.phrases import NO_CMF, evidence, many, ms, names, of_lcu, of_volume, percent
from zmon.queueing.observation import mean_of

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.situation import Situation
    from zmon.queueing.fit import FlowShare

LEAST_PART: Final = 0.01
"""The part of a volume's bytes that logs or data have at least, to share it."""
LEAST_WRITES: Final = 0.01
"""The part of the requests that write where a log is written."""
NO_LISTING: Final = "a listing that names the logs: --listing"


def logs_beside_data(situation: Situation) -> Diagnoses:
    """Return D12: logs lie on volumes with data, and requests wait for these volumes."""
    load = situation.load
    by_lcu = {place.key: place for place in situation.waiting.places if place.kind == "aliases"}
    waited = {place.key: place.lost for place in situation.waiting.places if place.kind == "volume"}
    for one in load.volumes:
        if one.lcu in by_lcu and not isinstance(one.queued, Absent):
            waited.setdefault(one.key, one.rate * one.queued)
    if load.is_untimed:
        return absent(NO_CMF)
    if not waited:
        return ()
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
        return ()
    volumes.sort(key=lambda one: -waited[one.key])
    lost = sum(waited[one.key] for one in volumes)
    logs = [share for one in volumes for share in parts[one.key][1]]
    files = list(dict.fromkeys(share.file for share in logs))
    first = volumes[0]
    lcus = [one for one in load.lcus if one.key in {each.lcu for each in volumes}]
    queued, serv, response = (mean_of(tuple(volumes), name) for name in ("queued", "serv", "response"))
    data = names(list(dict.fromkeys(share.owner for one in volumes for share in parts[one.key][0])))
    found = Diagnosis(
        "D12",
        subjects=(
            *map(of_volume, volumes),
            *map(of_lcu, lcus),
            *(Subject("file", each, each) for each in files),
        ),
        claim=f"The logs {names(files)} lie on {many(len(volumes), 'volume')} with data ({data}), and"
        f" {many(lost, 'request')} wait there: each waits {ms(queued)} to be started and then takes"
        f" {ms(serv)}.",
        evidence=(
            evidence("files.path", Subject("file", files[0], files[0]), len(volumes),
                     f"{many(len(volumes), 'volume')} hold logs and data"),
            evidence("device.qued", of_volume(first), waited[first.key],
                     f"{many(waited[first.key], 'request')} wait for volume {first.title}, of which"
                     f" {percent(1 - first.reads)} write"),
        ),
        confidence=CERTAIN,
        action="Put the logs on volumes of their own, that nothing else reads or writes.",
        lost=lost,
        gain=f"a log write takes about {ms(serv)} instead of {ms(response)} if nothing else is there",
        missing=("how long a commit waits: the database knows",),
    )  # fmt: skip
    return (found,)


CAUSES: Final = {"D12": logs_beside_data}
