"""Requests pend on the way to a storage server (D5), for a device that others use (D5b), in a queue (D5c).

What is too long follows from the siblings: volumes behind other paths of the same system, or the hour before.
That needs no knowledge of the machine (z/OS compares the paths of a control unit in the same way, IOSHC112E).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.limits import limit
from zmon.base.milliseconds import ms
from zmon.base.ranges import names, ranges
from zmon.diagnosis.diagnosis import LEAST_LOST, LIKELY, POSSIBLE, Diagnosis
from zmon.diagnosis.phrases import evidence, of_lcu, of_volume, why_untimed
from zmon.interval import IDLE
from zmon.machine.observation import NO_LCU, mean_of
from zmon.machine.observed_volumes import detailed, details_of
from zmon.queueing.waiting import FULL_PATHS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses, Measurement
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedVolume, Volumes

LONG: Final = limit("pend-long") / 1000
"""Seconds of Pend from which on it is compared."""
TIMES: Final = limit("pend-times")
"""Times the Pend of its siblings from which on it is too long."""
BUSY: Final = 0.0005
"""Seconds per start of I/O that a device is busy for another system, from which on it matters."""
QUEUED: Final = 0.0001
"""Seconds per start of I/O in the queue of a control unit, from which on it matters."""
NO_EXTENDED: Final = absent("the basic format of channel measurement has no such times; the extended one has")


def long_pending(situation: Situation) -> Diagnoses:
    """Return D5: requests to some LCUs pend much longer than to others, or than an hour before."""
    load = situation.load
    if load.has_no_lcu:
        return why_untimed(load) if load.is_untimed else NO_LCU
    timed = [
        one for one in load.lcus if load.enough(_rate(situation, one)) and load.fcp.isdisjoint(one.chpids)
    ]
    pends = {one.key: load.time_of(one, "pend") for one in timed}
    if timed and all(_is_untimed(load.used_of(one.key)) for one in timed):
        return why_untimed(load)
    found = []
    for one in timed:
        pend = pends[one.key]
        if isinstance(pend, Absent) or pend < LONG or _are_full(situation, one):
            continue
        others = [each for key, each in pends.items() if key != one.key and not isinstance(each, Absent)]
        usual, where = min(others, default=None), "on the best LCU it is"
        if usual is None or pend < TIMES * usual:
            usual, where = _before(situation, one), "before, it was"
        if usual is None or pend < TIMES * usual:
            continue
        lost = _rate(situation, one) * (pend - usual)
        if lost >= LEAST_LOST:
            found.append((one, pend, usual, where, lost))
    return tuple(_long(situation, *each) for each in sorted(found, key=lambda each: -each[-1]))


def _is_untimed(volumes: Volumes) -> bool:
    columns = zip(volumes.column("estimated"), volumes.column("pend"), strict=True)
    return all(estimated or isinstance(pend, Absent) for estimated, pend in columns)


def _rate(situation: Situation, lcu: ObservedLcu) -> float:
    return situation.load.rate_of(lcu.key)


def _are_full(situation: Situation, lcu: ObservedLcu) -> bool:
    """Return whether the paths of an LCU are full, so that requests wait for them."""
    uses = (situation.load.paths.get(chpid, 0.0) for chpid in lcu.chpids)
    return any(not isinstance(use, Absent) and use >= FULL_PATHS for use in uses)


def _before(situation: Situation, lcu: ObservedLcu) -> float | None:
    earlier = situation.earlier()
    volumes = () if earlier is None else earlier.volumes_of(lcu.key)
    if earlier is None or not earlier.enough(sum(one.rate for one in volumes)):
        return None
    pend: Number = mean_of(volumes, "pend")
    return None if isinstance(pend, Absent) else float(pend)


def _pending(slow: Sequence[ObservedVolume], busy: int) -> Iterator[Measurement]:
    """Yield how many of the busy volumes of an LCU pend for long, with the shortest time of these."""
    if slow:
        least = min(slow, key=lambda volume: volume.pend)
        words = f"{len(slow)} of {busy} busy volumes pend for {ms(least.pend)} or longer"
        yield evidence("device.pend", of_volume(least), 1e3 * least.pend, words)


def _long(  # noqa: PLR0913, PLR0917 - the numbers of one LCU
    situation: Situation, lcu: ObservedLcu, pend: float, usual: float, where: str, lost: float
) -> Diagnosis:
    volumes = situation.load.volumes_of(lcu.key)
    serv = situation.load.time_of(lcu, "serv")
    known = [one for one in volumes if situation.load.enough(one.rate)]
    slow = [one for one in known if one.pend >= TIMES * usual]
    subject, paths = of_lcu(lcu), ranges(lcu.chpids)
    before = _before(situation, lcu)
    is_new = before is not None and pend >= TIMES * before
    far = "" if is_new else ", a long way"  # which does not change
    return Diagnosis(
        "D5",
        subjects=(subject, *(of_volume(one) for one in slow)),
        clause=f"Requests to {lcu.title} pend for long",
        rest=f": {ms(pend)} of Serv {ms(serv)}; {where} {ms(usual)}",
        evidence=(
            evidence("control_unit.pend", subject, 1e3 * pend, f"Pend {ms(pend)} of Serv {ms(serv)}"),
            *_pending(slow, len(known)),
            *(
                (evidence("control_unit.pend", subject, 1e3 * before, f"Pend was {ms(before)} before"),)
                if is_new and before is not None
                else ()
            ),
        ),
        confidence=LIKELY,
        action=f"Check the paths {paths}: a dirty link{far} or a busy host adapter.",
        lost=lost,
        excluded=("full channel paths",),
        confirm="Vary off one path after the other: without the slow one Pend falls.",
        missing=("times of single paths, which Linux does not measure",),
    )


def busy_devices(situation: Situation) -> Diagnoses:
    """Return D5b: another system reserves or uses devices."""
    return _by_detail(
        situation,
        "device_busy",
        BUSY,
        "D5b",
        "Another system reserves or uses {names}",
        ": each start of I/O waits {time} for the device",
        "Find the other systems that have the volumes online, and do not share busy volumes.",
    )


def queued_in_control_unit(situation: Situation) -> Diagnoses:
    """Return D5c: requests queue in the control unit."""
    return _by_detail(
        situation,
        "cu_queue",
        QUEUED,
        "D5c",
        "Requests queue in the control unit of {names}",
        ": {time} each",
        "Spread load over more LCUs, or look for the other systems that load them.",
    )


def _by_detail(  # noqa: PLR0913, PLR0917 - what the two times differ in
    situation: Situation, name: str, limit: float, id_: str, clause: str, rest: str, action: str
) -> Diagnoses:
    load, details = situation.load, situation.details()
    known = detailed(details, load.busy)
    busy = known.part([at for at, dasd in enumerate(known.column("is_dasd")) if dasd])
    values = details_of(details, name, busy.column("key"))
    if set(map(type, values)) <= {Absent} and any(value is not IDLE for value in values):
        return NO_EXTENDED if not all(busy.column("estimated")) else why_untimed(load)
    slow = sorted(
        ((busy[at], value) for at, value in enumerate(values) if value >= limit),
        key=lambda each: -each[0].rate * each[1],
    )
    lost = sum(one.rate * value for one, value in slow)
    if lost < LEAST_LOST:
        return ()
    units = dict.fromkeys(one.lcu for one, _ in slow)
    lcus = [one for one in load.lcus if one.key in units]
    time = lost / sum(one.rate for one, _ in slow)
    first = slow[0][0]
    column = "device.cuwt" if name == "cu_queue" else "device.pend"
    called = names([f"volume {one.title}" for one, _ in slow])
    return (
        Diagnosis(
            id_,
            subjects=(*map(of_lcu, lcus), *(of_volume(one) for one, _ in slow)),
            clause=clause.format(names=called),
            rest=rest.format(time=ms(time)),
            evidence=(
                evidence(column, of_volume(first), 1e3 * slow[0][1], f"{first.title}: {ms(slow[0][1])}"),
            ),
            confidence=LIKELY if lost >= 1 else POSSIBLE,
            action=action,
            lost=lost,
            confirm="The same times on the other systems would confirm it.",
        ),
    )


CAUSES: Final = {"D5": long_pending, "D5b": busy_devices, "D5c": queued_in_control_unit}
