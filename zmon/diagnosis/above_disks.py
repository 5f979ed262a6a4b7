"""Requests queue in Linux above the disks (D11), or have all tags of a disk (D11b)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.milliseconds import ms
from zmon.base.ranges import many, names
from zmon.diagnosis.diagnosis import LIKELY, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.phrases import evidence, of_lcu, of_volume
from zmon.machine.observation import MIN_LOST
from zmon.machine.observed_volumes import detailed, details_of

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observed_volumes import StackedDisk

LONGER: Final = 0.2
"""The part of the time of a request that it waits above the disks, from which on it matters."""
ALIKE: Final = 1.3
"""Requests below for one above up to which both times are of the same requests."""
ALL_IN_USE: Final = 0.9
"""The part of the tags in use on average from which on requests wait for one."""


def queue_above_disks(situation: Situation) -> Diagnoses:
    """Return D11: requests wait in a block device that is made of others."""
    found = []
    for one in situation.stacked():
        wait = one.response - one.below
        lost = one.rate * wait
        if situation.load.enough(one.rate) and lost >= MIN_LOST and wait > LONGER * one.response:
            found.append(_above(one, lost))
    return tuple(sorted(found, key=lambda one: -one.lost))


def _above(one: StackedDisk, lost: float) -> Diagnosis:
    subject = Subject("disk", one.name, one.title)
    wait = f"{many(lost, 'request')} wait in Linux"
    same = one.below_rate <= ALIKE * one.rate and one.rate <= ALIKE * one.below_rate
    return Diagnosis(
        "D11",
        subjects=(subject,),
        clause=f"{wait} in {one.title}, above the disks",
        short=f"{wait} in {one.volume or one.name}, above the disks",
        rest=f": a request takes {ms(one.response)} there and {ms(one.below)} on the disks below",
        evidence=(
            evidence("stacked.resp", subject, 1e3 * one.response, f"{one.name}: {ms(one.response)}"),
            evidence("stacked.below", subject, 1e3 * one.below, f"the disks below: {ms(one.below)}"),
        ),
        confidence=LIKELY if same else POSSIBLE,
        action="Look at its scheduler, at queue/nr_requests of the device, and at the selector of its paths.",
        lost=lost,
        excluded=(f"the disks: they answer in {ms(one.below)}",),
        confirm="The same load on the disks alone, without the device above them, would confirm it."
        if same
        else "The device splits or joins requests, so both times are not of the same requests.",
    )


def all_tags_in_use(situation: Situation) -> Diagnoses:
    """Return D11b: a disk has as many requests as it may have, all the time."""
    load, details = situation.load, situation.details()
    found = []
    busy = detailed(details, load.busy)
    columns = (details_of(details, name, busy.column("key")) for name in ("in_linux", "tags"))
    for at, (inside, tags) in enumerate(zip(*columns, strict=True)):
        if inside >= ALL_IN_USE * tags:
            found.append((busy[at], float(inside), float(tags)))
    if not found:
        return ()
    first, inside, tags = max(found, key=lambda each: each[1])
    used, above = min(inside, tags), inside - tags  # Queue counts those that wait for a tag, too
    tagged = f"{used:.0f} of {tags:.0f} tags"
    if above > 0:
        tagged = f"{many(inside, 'request')}: {tagged}, and {many(above, 'request')} above"
    titles = names([f"volume {one.title}" for one, _, _ in found])
    lcus = {one.key: one for one in load.lcus}
    units = dict.fromkeys(one.lcu for one, _, _ in found if one.lcu in lcus)
    return (
        Diagnosis(
            "D11b",
            subjects=(
                of_volume(first),
                *(of_volume(one) for one, _, _ in found if one is not first),
                *(of_lcu(lcus[key]) for key in units),
            ),
            clause=f"All request tags of {titles} are in use",
            rest=f": {used:.0f} of {tags:.0f} on average, and more requests wait above",
            evidence=(evidence("device.queue", of_volume(first), inside, tagged),),
            confidence=LIKELY,
            action="Relieve the volume first: more tags (queue/nr_requests) only move the queue.",
            lost=sum(each for _, each, _ in found),
            confirm="Requests that wait above the disk, as on dm devices, would confirm it.",
        ),
    )


CAUSES: Final = {"D11": queue_above_disks, "D11b": all_tags_in_use}
