"""The packages that are delivered with zmon: pure Python, in the versions of the lock file."""

from __future__ import annotations

import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Final, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
COMPILED: Final = frozenset({"psutil"})
"""Required packages that are compiled.  zmon works without them, and uses those of the distribution."""
UNUSED: Final = frozenset({"pip"})
"""sqlite-utils requires it for a command of its own that installs plug-ins."""
_PIN: Final = re.compile(r"^([a-z0-9._-]+)==(\S+)(.*(?:\n    .*)*)", re.MULTILINE)
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")


class Part(NamedTuple):
    """A package with the version and the hashes that the lock file has for it."""

    name: str
    version: str
    hashes: tuple[str, ...]
    """SHA-256 of its wheels and of its source archive, in hexadecimal digits."""

    def line(self) -> str:
        """Return its line for pip, which then accepts nothing else."""
        hashes = (f"--hash=sha256:{digits}" for digits in self.hashes)
        return " ".join((f"{self.name}=={self.version}", *hashes))


def pinned(lock: str) -> dict[str, Part]:
    """Return what a lock file pins, by name."""
    pins = (Part(match[1], match[2], tuple(_HASH.findall(match[3]))) for match in _PIN.finditer(lock))
    return {part.name: part for part in pins}


def required() -> list[str]:
    """Return the names of the packages that zmon requires on Linux, directly or not, sorted.

    They are read from the metadata of what is installed here.

    Raises:
        PackageNotFoundError: one of them is not installed.
    """
    known: set[str] = set()
    ahead = [Requirement("zmon")]
    while ahead:
        asked = ahead.pop()
        extras = asked.extras or {""}
        for line in distribution(asked.name).requires or ():
            requirement = Requirement(line)
            name = canonicalize_name(requirement.name)
            marker = requirement.marker
            applies = marker is None or any(marker.evaluate({"extra": extra}) for extra in extras)
            if applies and name not in UNUSED | COMPILED | known:
                known.add(name)
                ahead.append(requirement)
    return sorted(known)


def parts() -> list[Part]:
    """Return the packages that are delivered with zmon, sorted by name."""
    pins = pinned((ROOT / "requirements.lock").read_text())
    return [pins[name] for name in required()]
