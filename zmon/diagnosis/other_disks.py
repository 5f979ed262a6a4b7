"""Requests wait for a disk that is no DASD, and nothing below it is seen from here: it answers slowly (D24).

Channel measurement times DASDs alone, and only they have aliases.  Of any other disk Linux knows how long its
requests take, and the rest is the host's, the storage server's or the disk's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.diagnosis.seen import Cause
from zmon.machine.observation import requests_of
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation

KINDS: Final = ("virtio", "SCSI", "NVMe")


def _disks(situation: Situation) -> Sequence[With]:
    """Return the disks that are no DASDs and that requests wait for."""
    places = situation.waiting.of_kind("volume")
    volumes = {volume.key: volume for volume in situation.load.volumes} if places else {}
    return [
        With(
            volume,
            waits=place.waits,
            at_once=requests_of(volume.rate, volume.response)[0],
            **{kind.lower(): volume.sort == kind for kind in KINDS},
        )
        for place in places
        if (volume := volumes[place.key]).sort in KINDS
    ]


CAUSES: Final[Causes] = {"D24": Cause("D24", {"disks": _disks})}
