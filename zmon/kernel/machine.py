"""What this Linux runs on and in, put together from /proc/sysinfo, uname and s390_sthyi.

All of it is cheap and changes at most when somebody at the HMC changes it; once a minute is plenty.
Only `capability` may move by itself, on emulators.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kernel.attribute import read_value
from zmon.kernel.rows import frame
from zmon.kernel.sthyi import Sthyi, read_sthyi
from zmon.kernel.sysinfo import PATH as SYSINFO
from zmon.kernel.sysinfo import read_sysinfo
from zmon.kinds import MACHINE
from zmon.sample import nothing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Value
    from zmon.kernel.sysinfo import Sysinfo
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

KEY: Final = "machine"
CM_ENABLE: Final = "sys/devices/css0/cm_enable"
VERSION: Final = "proc/version"

_LPAR_ONLY: Final = absent("channel measurement is offered in an LPAR only")

_SYSINFO_FIELDS: Final = (
    "manufacturer", "type", "model", "sequence", "plant", "capacity_model",
    "lpar_name", "lpar_number", "lpar_characteristics", "control_program", "guest_name",
    "cpus_total", "cpus_configured", "cpus_standby", "cpus_reserved",
    "lpar_cpus", "lpar_cpus_configured", "lpar_cpus_dedicated", "lpar_cpus_shared",
    "capability", "lpar_adjustment", "vm_cpus_configured", "vm_adjustment",
)  # fmt: skip
_CAP_FIELDS: Final = (
    "cap_weight_cp", "cap_absolute_cp", "cap_weight_ifl", "cap_absolute_ifl",
    "cap_group_cp", "cap_group_ifl",
)  # fmt: skip


def read_machine(tree: Tree) -> Frame:
    """Read the one row of the kind MACHINE; what cannot be known is absent with its reason.

    `environment` is `lpar`, `zvm`, `kvm` or `none`.  `guest_name` is the virtual machine that this
    Linux runs in, `vm_name` the system identifier of the hypervisor that runs it.

    Raises:
        ValueError: /proc/sysinfo or the answer of s390_sthyi is malformed.
    """
    sysinfo = read_sysinfo(tree)
    row: dict[str, Value]
    if isinstance(sysinfo, Absent):
        row = dict.fromkeys(_SYSINFO_FIELDS, sysinfo)
        row["environment"] = "none"
    else:
        row = {**_levels(sysinfo), "environment": sysinfo.environment}
    row |= _linux(tree, on_z=not isinstance(sysinfo, Absent))
    row["cm_enable"] = read_value(tree, CM_ENABLE, int, _LPAR_ONLY)
    row |= _capacity(read_sthyi(tree))
    try:
        when = tree.when(VERSION if isinstance(sysinfo, Absent) else SYSINFO)
    except OSError:
        return nothing(MACHINE, "neither /proc/sysinfo nor /proc/version is there")
    return frame(MACHINE, {KEY: row}, when)


def _levels(sysinfo: Sysinfo) -> Mapping[str, Value]:
    row: dict[str, Value] = {
        "manufacturer": sysinfo.manufacturer,
        "type": sysinfo.type,
        "model": sysinfo.model,
        "sequence": sysinfo.sequence,
        "plant": sysinfo.plant,
        "capacity_model": sysinfo.capacity_model,
        "cpus_total": sysinfo.cpus.total,
        "cpus_configured": sysinfo.cpus.configured,
        "cpus_standby": sysinfo.cpus.standby,
        "cpus_reserved": sysinfo.cpus.reserved,
        "capability": sysinfo.capability,
    }
    lpar = sysinfo.partition
    no_lpar = absent("/proc/sysinfo names no LPAR")
    row |= {
        "lpar_name": lpar.name if lpar else no_lpar,
        "lpar_number": lpar.number if lpar else no_lpar,
        "lpar_characteristics": lpar.characteristics if lpar else no_lpar,
        "lpar_cpus": lpar.cpus.total if lpar else no_lpar,
        "lpar_cpus_configured": lpar.cpus.configured if lpar else no_lpar,
        "lpar_cpus_dedicated": lpar.dedicated if lpar else no_lpar,
        "lpar_cpus_shared": lpar.shared if lpar else no_lpar,
        "lpar_adjustment": lpar.adjustment if lpar else no_lpar,
    }
    guest = sysinfo.guests[0] if sysinfo.guests else None
    no_guest = absent("not in a virtual machine")
    row |= {
        "guest_name": guest.name if guest else no_guest,
        "control_program": guest.control_program if guest else no_guest,
        "vm_cpus_configured": guest.cpus.configured if guest else no_guest,
        "vm_adjustment": guest.adjustment if guest else no_guest,
    }
    return row


def parse_version(text: str) -> str:
    """Return the kernel's release from /proc/version.

    Raises:
        ValueError: it does not begin with `Linux version`.
    """
    words = text.split(maxsplit=3)
    if words[:2] != ["Linux", "version"] or len(words) < 3:
        raise ValueError(f"/proc/version: expected 'Linux version ...', found {text[:40]!r}")
    return words[2]


def _linux(tree: Tree, *, on_z: bool) -> Mapping[str, Value]:
    if tree.live:
        name = os.uname()
        return {"hostname": name.nodename, "kernel": name.release, "architecture": name.machine}
    row: dict[str, Value] = {
        # no other architecture has a /proc/sysinfo, and no 31-bit kernel is left
        "architecture": "s390x" if on_z else absent("the capture does not tell the architecture")
    }
    row["kernel"] = read_value(tree, VERSION, parse_version)
    row["hostname"] = read_value(
        tree, "proc/sys/kernel/hostname", missing=absent("the host name was not captured")
    )
    return row


def _capacity(sthyi: Sthyi | Absent) -> Mapping[str, Value]:
    if isinstance(sthyi, Absent):
        return dict.fromkeys((*_CAP_FIELDS, "cap_group_name", "vm_name"), sthyi)
    row: dict[str, Value] = {}
    partition = sthyi.partition
    no_partition = absent("s390_sthyi reports no partition")
    row |= {name: getattr(partition, name) if partition else no_partition for name in _CAP_FIELDS}
    row["cap_group_name"] = partition.group if partition else no_partition
    host = sthyi.levels[-1][0] if sthyi.levels else None
    row["vm_name"] = host.system if host else absent("s390_sthyi reports no hypervisor")
    return row
