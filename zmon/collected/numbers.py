"""What follows from the names of block devices: what they are, and their numbers by Linux' table of devices.

And what the sizes are that util-linux prints rounded.

Source: Linux, Documentation/admin-guide/devices.txt (7, 8, 9, 65 to 71, 94 block); drivers/md/dm.c (dm-N is
minor N).
"""

from __future__ import annotations

import re
from typing import Final

from zmon.kinds import STACKED

NUMBER: Final = r"[0-9]{1,4}:[0-9]{1,8}"
"""The pattern of the number of a device, `major:minor`."""
_DASD: Final = re.compile(r"(dasd([a-z]{1,3}))([1-3])?")
_SD: Final = re.compile(r"sd([a-z]{1,3})([0-9]{1,2})?")
_MAPPED: Final = re.compile(r"dm-([0-9]{1,8})")
KERNEL_NAME: Final = (
    r"dasd[a-z]{1,4}[0-9]{0,2}|(?:sd|vd|xvd)[a-z]{1,4}[0-9]{0,3}|nvme[0-9]{1,3}n[0-9]{1,4}(?:p[0-9]{1,3})?"
    r"|(?:md|loop|mmcblk|nbd|rbd)[0-9]{1,5}(?:p[0-9]{1,3})?|md_\S{1,32}|dm-[0-9]{1,8}|(?:zram|ram|sr)[0-9]{1,5}"
    r"|(?:dcssblk|bcache|drbd|zd)[0-9]{1,5}(?:p[0-9]{1,3})?|(?:scm|hd)[a-z]{1,4}[0-9]{0,3}|pmem[0-9.]{1,9}s?(?:p[0-9]{1,3})?"
)
"""The pattern of the names that the kernel gives to block devices."""
_DASD_MAJOR: Final = "94"
_SD_MAJORS: Final = (8, *range(65, 72))
_NUMBERED: Final = re.compile(r"(md|loop)([0-9]{1,5})")
_MAJORS: Final = {"md": 9, "loop": 7}


def _index(letters: str) -> int:
    index = 0
    for letter in letters:
        index = 26 * index + ord(letter) - ord("a") + 1
    return index - 1


def number_of(name: str) -> str:
    """Return the number of a DASD, SCSI disk, array or loop device that follows from its name, or nothing."""
    if match := _SD.fullmatch(name):
        disk, part = _index(match[1]), int(match[2] or 0)
        return f"{_SD_MAJORS[disk // 16]}:{16 * (disk % 16) + part}" if disk < 128 and part < 16 else ""
    if match := _NUMBERED.fullmatch(name):
        return f"{_MAJORS[match[1]]}:{match[2]}"
    return number_of_dasd(name)


def number_of_dasd(name: str) -> str:
    """Return the number of a DASD or of a partition of one by its name; empty for other names.

    Their major number is 94, and each has four minor numbers: 94:0 is dasda, 94:1 dasda1, 94:4 dasdb.
    """
    match = _DASD.fullmatch(name)
    return f"{_DASD_MAJOR}:{4 * _index(match[2]) + int(match[3] or 0)}" if match else ""


def disk_of_dasd(name: str) -> str:
    """Return the name of the DASD of a partition, or of a DASD itself; empty for other names."""
    match = _DASD.fullmatch(name)
    return match[1] if match else ""


def name_of_number(number: str) -> str:
    """Return the name of a DASD or SCSI disk, or of a partition of one, by its number; empty for others."""
    major, _, minor = number.partition(":")
    if not minor.isdecimal() or major not in {_DASD_MAJOR, *map(str, _SD_MAJORS)}:
        return ""
    index, part = divmod(int(minor), 4 if major == _DASD_MAJOR else 16)
    if major != _DASD_MAJOR:
        if index >= 16:
            return ""
        index += 16 * _SD_MAJORS.index(int(major))
    letters = ""
    while index >= 0:
        index, letter = divmod(index, 26)
        letters, index = chr(ord("a") + letter) + letters, index - 1
    return f"{'dasd' if major == _DASD_MAJOR else 'sd'}{letters}{part or ''}"


def minor_of_dm(name: str) -> str:
    """Return the minor number of a device of the device mapper by its kernel name; empty for other names."""
    match = _MAPPED.fullmatch(name)
    return match[1] if match else ""


def fits(name: str, number: str) -> bool:
    """Return whether a device can have both: a text that was cut may have the number of another device."""
    minor = number.partition(":")[2]
    mapped = minor_of_dm(name)
    return minor == mapped if mapped else number_of(name) in {"", number}


def disk_name(name: str) -> str:
    """Return the name of the disk of a partition.

    The kernel names a partition after its disk, with `p` between where that ends in a digit.
    """
    disk = name.rstrip("0123456789")
    return disk[:-1] if disk.endswith("p") and disk[:-1].endswith(tuple("0123456789")) else disk


def may_be_part(name: str) -> bool:
    """Return whether a name is one of an array or of a partition of one: md_a1 may be either, as md_a1p1."""
    return re.fullmatch(r"md_\S{1,31}[0-9]", name) is not None


def sort_of(kernel: str, is_below: bool) -> str:
    """Return what a device is by its kernel name; empty where the name does not tell."""
    named = (sort for pattern, sort in _SORTS if re.fullmatch(pattern, kernel))
    return next(named, "" if is_below else "disk")


_SORTS: Final = (
    (r"dm-[0-9]{1,8}", "dm"),
    (r"md_\S{1,31}[0-9]", ""),
    (r"md(?:[0-9]{1,5}|_\S{1,32})", "md"),
    (r"loop[0-9]{1,5}", "loop"),
    (r"(?:bcache|drbd|zd)[0-9]{1,5}", STACKED),
    (r"(?:dasd|hd|sd|vd|xvd)[a-z]{1,4}[0-9]{1,3}", "partition"),
    (r"nvme[0-9]{1,3}n[0-9]{1,4}p[0-9]{1,3}", "partition"),
    (r"(?:md|loop|mmcblk|nbd|rbd|bcache|drbd|zd)[0-9]{1,5}p[0-9]{1,3}", "partition"),
)
"""The sorts of devices by the patterns of their names; see `may_be_part`."""


def is_of_kernel(name: str) -> bool:
    """Return whether a name below /dev is one that the kernel gives to block devices."""
    return re.fullmatch(KERNEL_NAME, name) is not None


def rounded_size(size: str) -> int:
    """Return the bytes of a size as util-linux prints it, `20.6G`; 0 if it is none."""
    match = re.fullmatch(r"([0-9]{1,5})(?:[.,]([0-9]))?([KMGTP])", size)
    power = " KMGTP".index(match[3]) if match else 0
    return round(float(f"{match[1]}.{match[2] or 0}") * (1 << 10 * power)) if match else 0
