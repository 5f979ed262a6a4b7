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
    """Name of the LCU by what Linux and CP know of it: `LCU 7600`; see `zmon.topology.lcu.name_of`."""
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

    @property
    def lcu_name(self) -> Value:
        """The one name of its LCU for people, wherever it is shown: the site's, else `LCU 7600`."""
        return self.lcu if isinstance(self.called, Absent) else self.called

    @property
    def has_busid(self) -> bool:
        """Whether it has a device number of its own; a SCSI disk's bus id is that of its adapter."""
        return isinstance(self.busid, str) and isinstance(self.lun, Absent)

    @property
    def own_label(self) -> str:
        """The label that Linux reads on the disk, where it is another than that of the volume."""
        two = isinstance(self.label, str) and isinstance(self.volser, str) and self.label != self.volser
        return str(self.label) if two else ""

    @property
    def lcu_names(self) -> frozenset[str]:
        """All that people may call its LCU, in small letters: `lcu 7600`, `7600`, `ssid 7600`, `lss 12`."""
        names = {str(name) for name in (self.lcu, self.called) if not isinstance(name, Absent)}
        names |= {f"LCU {short(name)}" for name in names} | {short(name) for name in names}
        for what, number in (("SSID", self.ssid), ("LSS", self.lss)):
            if isinstance(number, str):
                names |= {f"{what} {number}"}
                names |= {number, f"LCU {number}"} if what == "SSID" else set()
        return frozenset(name.casefold() for name in (*names, self.key))


def short(name: str) -> str:
    """Return an LCU's name for a column headed LCU: `7600` for `LCU 7600`, `10` for `LSS 10`."""
    return name.removeprefix("LCU ").removeprefix("LSS ")


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
