"""Transfers are long for their size (D10), or requests are small although they follow one another (D10b)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.sizes import KIB
from zmon.diagnosis.above_disks import stacked_disks
from zmon.diagnosis.phrases import UNCACHED, why_untimed
from zmon.diagnosis.seen import Cause
from zmon.machine.observation import NO_LCU, mean_by_rate, mean_of
from zmon.machine.observed_volumes import details_of
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation

LARGE: Final = 32_768.0
"""Bytes of a request from which on its transfer is most of Conn."""


def _transfers(situation: Situation) -> Sequence[With] | Absent:
    """Return the LCUs with large requests, most time connected first, and how long a byte takes."""
    load = situation.load
    if load.has_no_lcu:
        return why_untimed(load) if load.is_untimed else NO_LCU
    used = [(lcu, load.used_of(lcu.key)) for lcu in load.lcus if load.fcp.isdisjoint(lcu.chpids)]
    used = [(lcu, volumes) for lcu, volumes in used if load.enough(volumes.rate)]
    if any(any(volumes.column("estimated")) for _, volumes in used):
        return why_untimed(load)
    slow = []
    for lcu, volumes in used:
        conn, size = mean_of(volumes, "conn"), mean_of(volumes, "size")
        if not isinstance(conn, Absent) and not isinstance(size, Absent) and size >= LARGE:
            slow.append((volumes.rate * conn, conn / size, lcu))
    best = min((per_byte for _, per_byte, _ in slow), default=0.0)
    slow.sort(key=lambda lcu: -lcu[0])
    return [
        With(
            lcu,
            per_byte=per_byte,
            best=best,
            times=per_byte / best,
            speed=1e-6 / per_byte,
            conn=load.time_of(lcu, "conn"),
            waits=connected * (1 - best / per_byte),
        )
        for connected, per_byte, lcu in slow
        if best
    ]


def _waited_lcus(situation: Situation) -> Sequence[With]:
    """Return the LCUs that requests wait for, most first, and which part of their reads is sequential."""
    load, waited = situation.load, situation.waiting.by_lcu(situation.load)
    lcus = load.lcus_by_key
    waited_lcus = []
    for key in sorted(waited.keys() & lcus.keys(), key=lambda key: -waited[key]):
        size = mean_of(load.volumes_of(key), "size") / KIB
        waited_lcus.append(
            With(lcus[key], waits=waited[key], size=size, sequential=_sequential(situation, key))
        )
    return waited_lcus


def _sequential(situation: Situation, lcu: str) -> Number:
    """Return the part of the reads of an LCU that is sequential."""
    details = situation.details()
    busy = [volume for volume in situation.load.volumes_of(lcu) if volume.rate and volume.key in details]
    parts = details_of(details, "sequential", [volume.key for volume in busy])
    mean = mean_by_rate(parts, [volume.rate for volume in busy])
    return UNCACHED if mean is None else mean


SORTS: Final = {"transfers": _transfers, "stacked disks": stacked_disks, "waited LCUs": _waited_lcus}
CAUSES: Final[Causes] = {id_: Cause(id_, SORTS) for id_ in ("D10", "D10b")}
