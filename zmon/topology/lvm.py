"""Names that the logical volume manager gives: to volumes in /dev/mapper, and to what is within them."""

from __future__ import annotations

import re
from typing import Final

_INNER: Final = {
    "rimage": "data of a raid volume", "rmeta": "metadata of a raid volume",
    "mimage": "data of a mirror", "mlog": "log of a mirror",
    "tdata": "data of a thin pool", "tmeta": "metadata of a thin pool", "tpool": "thin pool",
    "cdata": "data of a cache", "cmeta": "metadata of a cache", "cvol": "cache", "cpool": "cache",
    "corig": "origin of a cache", "wcorig": "origin of a write cache",
    "vdata": "data of a vdo pool", "vpool": "vdo pool",
    "imeta": "metadata of integrity", "iorig": "origin of integrity",
    "real": "origin of snapshots", "cow": "changes of a snapshot",
    "pmspare": "spare metadata",
}  # fmt: skip

_SUFFIX: Final = re.compile(
    r".(?:_(rimage|rmeta|mimage)_[0-9]+|_(mlog|tdata|tmeta|cdata|cmeta|cvol|cpool|corig|wcorig|vdata|vpool"
    r"|imeta|iorig|pmspare)|(?<!-)-(tpool|real|cow))\Z",
)


def volume_name(mapped: str) -> str | None:
    """Return `group/volume` for a name in /dev/mapper, `my--group-my--volume`; None when it is no such.

    A hyphen within either name is doubled there.  What the manager puts behind the name for devices within
    a volume stays: `group/volume-real`.
    """
    runs = (match for match in re.finditer("-+", mapped) if len(match[0]) % 2)
    first = next(runs, None)  # doubled ones come in pairs, and no volume begins with one
    if first is None or not first.start() or first.end() == len(mapped):
        return None
    at = first.end() - 1
    group, volume = mapped[:at], mapped[at + 1 :]
    return f"{group.replace('--', '-')}/{volume.replace('--', '-')}"


def inner(mapped: str) -> str:
    """Say what a device within a volume is for, by its name; empty for a volume that people made."""
    found = _SUFFIX.search(mapped)
    return _INNER[next(filter(None, found.groups()))] if found else ""
