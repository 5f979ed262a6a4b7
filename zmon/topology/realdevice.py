"""Which real device one of this Linux is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import absent
from zmon.topology.evidence import Evidence, Grade
from zmon.topology.testimony import NOTHING

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.topology.host import Host
    from zmon.topology.site import Site
    from zmon.topology.testimony import Testimony, Told

_REAL: Final = absent("in an LPAR devices have their real numbers")
_NOT_KNOWN: Final = absent(
    "whether this is an LPAR or a guest is not known: /proc/sysinfo is missing, or names no known hypervisor"
)
_KVM: Final = absent("KVM does not tell its guest which real device it is")


class RealDevice(NamedTuple):
    """A device of the channel subsystem, and which real one it is."""

    busid: str
    vdev: Value
    rdev: Value
    grade: Grade
    """How sure the rdev is."""
    told: Told
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]


def real_device(busid: str, testimony: Testimony, host: Host, site: Site) -> RealDevice:
    """Tell which real device one of this Linux is: in a guest as claims or the site say."""
    head, _, devno = busid.upper().rpartition(".")
    told = testimony.device(devno)
    if host.has_real_numbers:
        where = "an LPAR" if host.environment == "lpar" else "a machine without partitions"
        number = devno if head.endswith(".0") else head.rpartition(".")[2] + devno
        said = Evidence("/proc/sysinfo", f"{where}: {number} is the number of the real device")
        against = tuple(
            f"{heard.source} speaks of {devno} as a device of a guest, but this is {where}: not used"
            for heard in told.evidence[:1]
        )
        return RealDevice(busid, _REAL, number, Grade.EXACT, NOTHING, (said,), against)
    rule = site.vdev_is_rdev
    known = RealDevice(busid, devno, told.rdev, told.grade, told, told.evidence, told.conflicts)
    if isinstance(told.rdev, str):
        if rule and told.rdev != devno:
            against = (f"{rule} says that {devno} is the real device {devno}, but claims say {told.rdev}",)
            known = known._replace(conflicts=told.conflicts + against)
    elif rule and not told.conflicts:
        said = Evidence(rule, f"{devno} is the number of the real device too", Grade.ASSUMED)
        evidence = (*told.evidence, said)
        known = known._replace(rdev=devno, grade=Grade.ASSUMED, evidence=evidence)
    elif told is NOTHING and host.environment != "zvm":
        known = known._replace(rdev=_KVM if host.environment == "kvm" else _NOT_KNOWN)
    if not host.environment and told is NOTHING and not rule:
        known = known._replace(vdev=_NOT_KNOWN)
    return known
