"""Which volume a SCSI disk behind an FCP adapter is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.topology.evidence import Evidence, Grade
from zmon.topology.volume import ascending, bare

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.topology.volume import Volume

_OF_ADAPTER: Final = absent("a SCSI disk has no device number, only its adapter has")

_LUN: Final = re.compile(r"(?:0x)?40([0-9a-f]{2})40([0-9a-f]{2})0{8}", re.ASCII | re.IGNORECASE)
"""A LUN as a DS8000 numbers them: its LSS, and the volume in it."""


def scsi_volume(  # noqa: PLR0913, PLR0917 - what is read of it
    number: str, name: Value, busid: Value, chpids: Value, wwpn: str, lun: Value, wwid: str
) -> Volume:
    """Tell of a SCSI disk; what joins its paths is the world-wide id that multipath has read."""
    source = "device/wwpn, device/fcp_lun"
    plain = bare(number, _OF_ADAPTER)._replace(
        disk=name,
        busid=busid,
        wwpn=wwpn,
        lun=lun,
        chpids=ascending(chpids),
        spindle=f"WWID {wwid}" if wwid else f"{wwpn} {lun}" if isinstance(lun, str) else f"disk {number}",
        evidence=(Evidence(source, f"WWPN {wwpn}, LUN {lun}"),) if isinstance(lun, str) else (),
    )
    if wwid:
        plain = plain._replace(evidence=(*plain.evidence, Evidence("dm/uuid", f"WWID {wwid}")))
    found = _LUN.fullmatch(lun) if isinstance(lun, str) else None
    if found is None:
        return plain
    lss, unit = found[1].upper(), found[2].upper()
    said = Evidence(source, f"as a DS8000 numbers LUNs: LSS {lss}, volume {unit}", Grade.ASSUMED)
    return plain._replace(
        lcu=f"LSS {lss}",
        key=f"{wwid[:-4] if wwid else wwpn} LSS {lss}",
        lss=lss,
        ua=unit,
        side=f"server {int(lss, 16) % 2}",
        grade=Grade.ASSUMED,
        evidence=(*plain.evidence, said),
    )
