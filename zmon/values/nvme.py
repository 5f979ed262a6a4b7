"""The names of NVMe disks and of the paths to them, when the kernel itself joins these.

The path `nvme0c1n2` leads over controller 1 to namespace 2 of subsystem 0, which is the disk `nvme0n2`.
Kernel: drivers/nvme/host/multipath.c (nvme_mpath_set_disk_name).
"""

from __future__ import annotations

import re

from zmon.base.light_typing import Final
from zmon.base.record import NamedTuple

_PATH: Final = r"(nvme[0-9]{1,5})c([0-9]{1,5})(n[0-9]{1,5})"


class NvmePath(NamedTuple):
    """Where a path leads."""

    disk: str
    """The disk that it is a path to: `nvme0n2`."""
    controller: str
    """The controller that it leads over: `nvme1`."""


def parse_path(name: str) -> NvmePath | None:
    """Return where a path leads, by its name; None for other names."""
    match = re.fullmatch(_PATH, name)
    return match and NvmePath(match[1] + match[3], f"nvme{match[2]}")
