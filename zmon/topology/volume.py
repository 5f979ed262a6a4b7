"""Which volume a disk is, and on which LCU it lies: all that any source says, joined.

Sources are asked in this order, and the first that knows names the LCU: the volume map of the site, the
configuration data of the device, its unique id, what CP says of the real device, the number of the real
device with a rule of the site.  What contradicts is reported, and never chosen silently.  A volume whose
LCU nobody knows is a group of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import absent
from zmon.topology.evidence import Evidence, Grade

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.absent import Value
    from zmon.sample import Frame
    from zmon.topology.claim import Claim
    from zmon.topology.site import Site


class Host(NamedTuple):
    """Where the Linux runs whose disks are looked at."""

    environment: str = ""
    """`lpar`, `zvm`, `kvm` or `none`; empty when it is not known."""
    guest: str = ""
    """Its user id under z/VM; empty when it is not known."""


NO_HOST: Final = Host()


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
    """Label of the real volume."""
    label: Value
    """Label that Linux reads on the disk; on a minidisk it may be another than that of the volume."""
    lcu: Value
    """Name of the LCU for people: `LSS 08`, `SSID 7600`, `LCU 6`."""
    called: Value
    """What the site's map or rule calls the LCU."""
    key: str
    """The group for sums per LCU: that of `Uid.lcu` where there is a unique id."""
    spindle: str
    """The real volume; disks that share one have it in common."""
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


def volumes(  # noqa: PLR0913, PLR0917 - one for each source
    layers: Frame,
    devices: Frame,
    dasd: Frame,
    claims: Frame | Sequence[Claim],
    site: Site,
    host: Host = NO_HOST,
) -> dict[str, Volume]:
    """Return what is known of every disk, by major:minor."""
    return {number: volume(number, layers, devices, dasd, claims, site, host) for number in layers.keys}


def volume(  # noqa: PLR0913, PLR0917 - one for each source
    number: str,
    layers: Frame,
    devices: Frame,
    dasd: Frame,
    claims: Frame | Sequence[Claim],
    site: Site,
    host: Host = NO_HOST,
) -> Volume:
    """Return what is known of one disk."""
    del devices, dasd, claims, site, host
    no = absent("not looked up yet")
    return Volume(
        number,
        layers.cell(number, "name"),
        *(no,) * 7,
        f"disk {number}",
        f"disk {number}",
        *(no,) * 9,
        Grade.UNKNOWN,
        (),
        (),
    )
