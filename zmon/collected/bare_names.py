"""Names of block devices without /dev, as some tools and people write them: `dasdb1`, `mpatha-part1`."""

from __future__ import annotations

import re
from typing import Final

from zmon.collected.dasd_texts import BUSID
from zmon.collected.facts import OF_MULTIPATH
from zmon.collected.numbers import KERNEL_NAME, is_of_kernel

_BARE: Final = rf"(?!md_)(?:{KERNEL_NAME})|(?:{OF_MULTIPATH.pattern})(?:(?:[-_]part|p)?[0-9]{{1,3}})?"
"""Names that tell what they are; those of arrays that begin with `md_` may be ones of logical volumes."""
PATH_OR_BARE: Final = rf"(?:/dev/[^\s(,]{{1,250}}|(?:{_BARE})(?![^\s(,:]))"
"""The pattern of a device by its path, or by a name that says that it is one."""
_FOLDERS: Final = {
    "disk/by-path": re.compile(rf"ccw-{BUSID}|pci-|fc-"),
    "disk/by-id": re.compile(r"(?:ata|ccw|dm-(?:name|uuid)|md-(?:name|uuid)|nvme|scsi|virtio|wwn)-"),
}
"""How names in directories of /dev begin; others are in /dev/mapper."""


def below_dev(name: str) -> str:
    """Return the name below /dev of a device that is named by its path, or without its directory."""
    if name.startswith("/") or is_of_kernel(name):
        return name.removeprefix("/dev/")
    folder = next((folder for folder, named in _FOLDERS.items() if named.match(name)), "mapper")
    return name if "/" in name else f"{folder}/{name}"
