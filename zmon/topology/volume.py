"""A volume: one disk of this Linux, and what it is outside of it, as far as any source says.

`zmon.topology.volumes` knows those of a machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.topology.evidence import Grade

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.topology.evidence import Evidence

_NO_BUSID: Final = absent("it is no device of the channel subsystem")


class Volume(NamedTuple):
    """One disk of this Linux, and what it is outside of it."""

    number: str
    """major:minor of the block device: `94:4`."""
    disk: Value
    """Name of the block device: `dasdb`."""
    busid: Value
    vdev: Value
    """Number of the device in the guest, four hex digits in upper case; absent in an LPAR."""
    rdev: Value
    """Number of the real device, four or five hex digits in upper case."""
    volser: Value
    """Label of the volume: as CP or a directory tells it, else as Linux reads it on the disk."""
    label: Value
    """Label that Linux reads on the disk; on a minidisk it may be another than that of the volume."""
    lcu: Value
    """Name of the LCU for people: `LSS 08`, `SSID 7600`, `LCU 6`."""
    called: Value
    """What the site's map or rule calls the LCU."""
    key: str
    """The group for sums per LCU, `Uid.lcu` where the unique id names it; never that of two LCUs."""
    spindle: str
    """The real volume; disks that share one have it in common."""
    uid: Value
    """The unique id, as the kernel spells it."""
    serial: Value
    """Of the storage server."""
    ssid: Value
    lss: Value
    """Logical subsystem, two hex digits in upper case."""
    ua: Value
    """Unit address, two hex digits in upper case."""
    side: Value
    """Which of the servers inside the box: `server 0`."""
    chpids: Value
    """The channel paths, ascending: `4E 4F`."""
    cylinders: Value
    wwpn: Value
    lun: Value
    grade: Grade
    """How sure the LCU is."""
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]
    """What contradicts what, in words."""


def bare(number: str, reason: Value) -> Volume:
    """Return a volume of which nothing is known: for a reason, or for want of a bus id if there is none."""
    no = reason if isinstance(reason, Absent) else _NO_BUSID
    return Volume(
        number=number, disk=no, busid=no, vdev=no, rdev=no, volser=no, label=no, lcu=no, called=no,
        key=f"disk {number}", spindle=f"disk {number}", uid=no, serial=no, ssid=no, lss=no, ua=no,
        side=no, chpids=no, cylinders=no, wwpn=no, lun=no, grade=Grade.UNKNOWN, evidence=(), conflicts=(),
    )  # fmt: skip


def ascending(chpids: Value) -> Value:
    """Return channel paths in the order of their numbers."""
    return " ".join(sorted(chpids.split())) if isinstance(chpids, str) else chpids
