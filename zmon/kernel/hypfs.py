"""/sys/hypervisor/s390: the older, textual view of partitions or of z/VM guests.

One value per file (mode 0440), in two forms (arch/s390/hypfs/hypfs_diag.c and hypfs_vm.c; deprecated
and off by default in current kernels).  On an LPAR `systems/<partition>/cpus/<n>/` has `cputime`,
`mgmtime`, `onlinetime` and `type`, and `cpus/<n>/` has `mgmtime` and `type` of the physical CPUs if
the partition may see them; in a z/VM guest `systems/<guest>/` has what diagnose X'2FC' tells.  Times
are 64-bit microseconds.  Weights, caps and the partition's own place are not there: see
`zmon.kernel.diag204`, which is the better source.

**The tree is a snapshot**, made when it was mounted or when somebody last wrote to `update`.  zmon
never writes there.  If nobody did between two samples, every counter stands still: an unchanged
`online_time` means "not refreshed", not "idle".  There is no clock of the hypervisor beside the
values, so the physical CPUs, which have no online time, are only as fresh as the partitions' are.

A refresh takes the tree down and builds it anew; a value that vanishes meanwhile is absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kernel.attribute import read_value, refused
from zmon.kernel.diag2fc import NEEDS_ZVM, shares
from zmon.kernel.diag204 import NO_AUTHORITY
from zmon.kernel.rows import frame
from zmon.kernel.sysinfo import NEEDS_LPAR
from zmon.kernel.tree import text
from zmon.kinds import GUEST, LPAR, LPAR_CPU, PHYSICAL_CPU
from zmon.sample import nothing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Number, Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

ROOT: Final = "sys/hypervisor/s390"
TYPE: Final = f"{ROOT}/hyp/type"
SYSTEMS: Final = f"{ROOT}/systems"
CPUS: Final = f"{ROOT}/cpus"

_NO_CLOCK: Final = absent("hypfs has no clock; online_time does not change until a refresh")

Rows = dict[str, "Mapping[str, Value]"]


def parse_number(content: str) -> int:
    """Parse one file that holds a number.

    Raises:
        ValueError: it holds something else.
    """
    digits = content.strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 20:
        raise ValueError(f"hypfs: expected a number, found {content[:40]!r}")
    return int(digits)


def read_hypfs(tree: Tree) -> tuple[Frame, Frame, Frame, Frame]:
    """Read the frames LPAR, LPAR_CPU, PHYSICAL_CPU and GUEST; those of the other form have no rows.

    Raises:
        ValueError: the tree is of neither form, or a file that should hold a number does not.
    """
    try:
        form = text(tree, TYPE).strip()
        if form.startswith("LPAR"):
            return *_partitions(tree), nothing(GUEST, NEEDS_ZVM)
        if form.startswith("z/VM"):
            return *_no_partitions(NEEDS_LPAR), _guests(tree)
    except FileNotFoundError:
        return _neither("hypfs is not mounted: mount -t s390_hypfs none /sys/hypervisor/s390")
    except OSError as error:
        return _neither(refused(error).reason)
    raise ValueError(f"hypfs: expected an LPAR or z/VM hypervisor in hyp/type, found {form[:40]!r}")


def _neither(reason: str) -> tuple[Frame, Frame, Frame, Frame]:
    return *_no_partitions(reason), nothing(GUEST, reason)


def _no_partitions(reason: str) -> tuple[Frame, Frame, Frame]:
    return nothing(LPAR, reason), nothing(LPAR_CPU, reason), nothing(PHYSICAL_CPU, reason)


def _number(tree: Tree, path: str) -> int | Absent:
    try:
        return parse_number(text(tree, path))
    except OSError:
        return absent(f"hypfs has no {path.rpartition('/')[2]} here")


def _partitions(tree: Tree) -> tuple[Frame, Frame, Frame]:
    lpars: Rows = {}
    cpus: Rows = {}
    for lpar in tree.entries(SYSTEMS):
        below = f"{SYSTEMS}/{lpar}/cpus"
        numbers = _listed(tree, below)
        lpars[lpar] = {"cpus": len(numbers)}
        for number in numbers:
            cpus[f"{lpar}/{number}"] = _lpar_cpu(tree, f"{below}/{number}", lpar, number)
    physical: Rows = {
        number: {
            "type": read_value(tree, f"{CPUS}/{number}/type"),
            "management": _number(tree, f"{CPUS}/{number}/mgmtime"),
            "clock": _NO_CLOCK,
        }
        for number in _listed(tree, CPUS)
    }
    when = tree.when(TYPE)
    return (
        frame(LPAR, lpars, when),
        frame(LPAR_CPU, cpus, when),
        frame(PHYSICAL_CPU, physical, when) if physical else nothing(PHYSICAL_CPU, NO_AUTHORITY),
    )


def _listed(tree: Tree, directory: str) -> list[str]:
    try:
        return sorted((name for name in tree.entries(directory) if name.isdecimal()), key=int)
    except OSError:
        return []


def _lpar_cpu(tree: Tree, path: str, lpar: str, number: str) -> Mapping[str, Value]:
    dispatched: Number = _number(tree, f"{path}/cputime")
    return {
        "type": read_value(tree, f"{path}/type"),
        "lpar": lpar,
        "cpu": int(number),
        "accumulated": dispatched + _number(tree, f"{path}/mgmtime"),
        "dispatched": dispatched,
        "online_time": _number(tree, f"{path}/onlinetime"),
        "clock": _NO_CLOCK,
    }


_GUEST_FILES: Final = {
    "capped": "cpus/capped",
    "dedicated": "cpus/dedicated",
    "virtual_cpus": "cpus/count",
    "memory_min": "mem/min_KiB",
    "memory_max": "mem/max_KiB",
    "memory_share": "mem/share_KiB",
    "memory_used": "mem/used_KiB",
    "used_cpu": "cpus/cputime_us",
    "online_time": "onlinetime_us",
    "using": "samples/cpu_using",
    "delay": "samples/cpu_delay",
    "page_wait": "samples/mem_delay",
    "idle": "samples/idle",
    "other": "samples/other",
    "total": "samples/total",
}


def _guests(tree: Tree) -> Frame:
    logical = _number(tree, f"{CPUS}/count")
    rows: Rows = {}
    for guest in tree.entries(SYSTEMS):
        path = f"{SYSTEMS}/{guest}"
        rows[guest] = {
            "logical_cpus": logical,
            **{field: _number(tree, f"{path}/{leaf}") for field, leaf in _GUEST_FILES.items()},
            **shares(
                # the kernel gave the count of CPUs that are not stopped the name of a weight
                operating=_number(tree, f"{path}/cpus/weight_min"),
                highest=_number(tree, f"{path}/cpus/weight_max"),
                now=_number(tree, f"{path}/cpus/weight_cur"),
            ),
        }
    return frame(GUEST, rows, tree.when(TYPE))
