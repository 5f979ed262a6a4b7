"""Requests wait for a disk that is no DASD, and nothing below it is seen from here: it answers slowly (D24).

Channel measurement times DASDs alone, and only they have aliases.  Of any other disk Linux knows how long its
requests take, and the rest is the host's, the storage server's or the disk's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.milliseconds import ms
from zmon.base.ranges import many, names
from zmon.diagnosis.diagnosis import LIKELY, Diagnosis
from zmon.diagnosis.phrases import evidence, of_volume
from zmon.machine.observation import requests_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedVolume

ACTIONS: Final = {
    "virtio": "Ask the administrator of the host what limits {them}: an I/O limit of the virtual disk, or"
    " what it lies on.",
    "SCSI": "Ask the storage administrator what limits {them}: the pool of the volume, its port, or a limit.",
    "NVMe": "Look for who reads and writes {them}, on USERIO, and spread what lies there over more disks.",
}
"""What to do, by the sort of the disks."""
MOST: Final = 3
"""Disks of which it is said what they do."""
LIMITS: Final = {
    "virtio": "what the host does with a request, which it alone knows",
    "SCSI": "what the storage server does with a request",
    "NVMe": "what the disk does with a request",
}


def slow_disks(situation: Situation) -> Diagnoses:
    """Return D24: disks that are no DASDs and that requests wait for, those of one sort in one."""
    volumes = {one.key: one for one in situation.load.volumes}
    places = [(volumes[one.key], one.waits) for one in situation.waiting.places if one.kind == "volume"]
    found = []
    for sort in ACTIONS:
        ones = [each for each in places if each[0].sort == sort]
        if ones:
            found.append(_slow(sort, ones))
    return tuple(found)


def _slow(sort: str, waited: Sequence[tuple[ObservedVolume, float]]) -> Diagnosis:
    first, lost = waited[0][0], sum(lost for _, lost in waited)
    titles = names([f"volume {one.title}" for one, _ in waited])
    answer, them, to = ("answers", "it", "") if len(waited) == 1 else ("answer", "them", f" to {first.title}")
    together = {1: "", 2: " for both"}.get(len(waited), " for all of them")
    return Diagnosis(
        "D24",
        subjects=tuple(of_volume(one) for one, _ in waited),
        clause=f"V{titles[1:]} {answer} slowly",
        rest=f": a request{to} takes {ms(first.response)}, and {many(lost, 'request')} wait{together}",
        evidence=(
            evidence("device.resp", of_volume(first), 1e3 * first.response, f"Resp {ms(first.response)}"),
            *(_requests(one) for one, _ in waited[:MOST]),
        ),
        confidence=LIKELY,
        action=ACTIONS[sort].format(them=them),
        lost=lost,
        confirm="With one request at a time: if that is as slow, the disk is slow, if not, it is full.",
        missing=(LIMITS[sort],),
    )


def _requests(volume: ObservedVolume) -> Measurement:
    at_once = requests_of(volume.rate, volume.response)[0]
    words = f"volume {volume.title}: {volume.rate:,.0f} requests a second, {at_once:.1f} at once"
    return evidence("device.ios", of_volume(volume), volume.rate, words)


CAUSES: Final = {"D24": slow_disks}
