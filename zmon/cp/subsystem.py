"""Answers about storage subsystems: QUERY CACHE, QUERY PAV."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.cp.row import RDEV, REMEMBERED

if TYPE_CHECKING:
    from zmon.cp.noise import Line


class Cache(NamedTuple):
    """The state of a control unit's cache; CP tells no hits."""

    rdev: str
    subsystem: str
    """`available`, `activating`, `unavailable`, and what else is said of it."""
    device: str
    """`activated`, `deactivated`, `deactivation-pending`, and whether data are pinned; empty: not told."""
    configured_k: int | None
    available_k: int | None
    offline_k: int | None
    pinned_k: int | None
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev

    def more(self, line: Line) -> Cache | None:
        """Take a size, or what is said of the device."""
        if found := _BYTES.fullmatch(line.text):
            size: dict[str, Any] = {f"{found[2]}_k": int(found[1])}
            return self._replace(**size)
        if (found := _CACHED.fullmatch(line.text)) and found[1] == self.rdev:
            return self._replace(device=_CACHE_DEVICE[found[2]])
        if (found := _PINNED.fullmatch(line.text)) and found[1] == self.rdev:
            return self._replace(device=f"{self.device} pinned".strip())
        return None


_CACHE: Final = re.compile(
    rf"({RDEV}) CACHE (available|activation|unavailable) for subsystem( in progress)?"
    r"(?: ?- ?(destage is in progress|destage has failed\. Data is pinned\.?|subsystem error))?"
)
_CACHE_SUBSYSTEM: Final = {"available": "available", "activation": "activating", "unavailable": "unavailable"}
_CACHE_END: Final = {"destage is": " destaging", "destage has": " destage-failed", "subsystem error": ""}
_BYTES: Final = re.compile(r"([0-9]+)K Bytes (configured|available|offline|pinned)")
_CACHED: Final = re.compile(
    rf"({RDEV}) CACHE (activated|deactivated|deactivation) for device(?: is pending\..*)?\.?"
)
_CACHE_DEVICE: Final = {
    "activated": "activated", "deactivated": "deactivated", "deactivation": "deactivation-pending",
}  # fmt: skip
_PINNED: Final = re.compile(rf"({RDEV}) has pinned data\.?")


class Pav(NamedTuple):
    """The part of a device in parallel access; a HyperPAV alias belongs to no base."""

    rdev: str
    role: str
    """`base`, `alias`, `hyperpav base`, `hyperpav alias`."""
    base: str
    aliases: tuple[str, ...]
    pool: str
    line: int
    weak: str = REMEMBERED

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.rdev


_BASE: Final = re.compile(
    rf"Device ({RDEV}) is a base Parallel Access Volume with the following aliases:((?:\s+{RDEV})*)"
)
_ALIAS: Final = re.compile(
    rf"Device ({RDEV}) is an alias Parallel Access Volume device whose base device is ({RDEV})"
)
_HYPER: Final = re.compile(
    rf"Device ({RDEV}) is an? (base|alias) HyperPAV volume in Pool ([0-9]+)", re.IGNORECASE
)


def cache(line: Line) -> Cache | None:
    """Read the first line of QUERY CACHE about a device."""
    found = _CACHE.fullmatch(line.text)
    if found is None:
        return None
    end = next((word for begin, word in _CACHE_END.items() if (found[4] or "-").startswith(begin)), "")
    state = _CACHE_SUBSYSTEM[found[2]] + end
    return Cache(found[1], state, "", None, None, None, None, line.number)


def pav(line: Line) -> Pav | None:
    """Read a row of QUERY PAV."""
    text = line.text
    if found := _BASE.fullmatch(text):
        return Pav(found[1], "base", "", tuple(found[2].split()), "", line.number)
    if found := _ALIAS.fullmatch(text):
        return Pav(found[1], "alias", found[2], (), "", line.number)
    if found := _HYPER.fullmatch(text):
        return Pav(found[1], f"hyperpav {found[2].lower()}", "", (), found[3], line.number)
    return None
