"""Logical control units: which devices share one, and by which channel paths it is reached.

A device belongs to the LCU that its unique id names.  Nothing is guessed: where an emulator gives
every volume a serial of its own, every volume is an LCU of its own, because the machine says so.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from zmon.absent import Absent, absent
from zmon.topology.uid import HYPERPAV, Uid, parse_uid

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.sample import Frame


class Role(Enum):
    """What a device is within its LCU."""

    BASE = "base"
    """A volume, or a minidisk on one."""
    PAV_ALIAS = "PAV alias"
    """A second way to one base, whose unique id it carries."""
    HYPERPAV_ALIAS = "HyperPAV alias"
    """A way to any base of the LCU, lent for each I/O."""
    NONE = "none"
    """No member of an LCU."""


class Lcu(NamedTuple):
    """One logical control unit, as far as this Linux sees it."""

    vendor: str
    serial: str
    ssid: str
    members: tuple[str, ...]
    """Bus ids of all its devices, ascending."""
    bases: tuple[str, ...]
    aliases: tuple[str, ...]
    """Aliases of both sorts."""
    chpids: tuple[str, ...]
    """The channel paths that lead to any member, ascending: `4e`."""

    @property
    def key(self) -> str:
        """VENDOR.SERIAL.SSID."""
        return f"{self.vendor}.{self.serial}.{self.ssid}"


def identity(uid: Value) -> Uid | Absent:
    """Return the unique id in a device's `uid` cell, or why it has none."""
    if isinstance(uid, Absent):
        return uid
    try:
        return parse_uid(str(uid))
    except ValueError:
        return absent("the uid is not in a form known to zmon")


def role(uid: Value, alias: Value) -> Role:
    """Tell what a device is, from its `uid` and `alias` cells."""
    known = identity(uid)
    return Role.NONE if isinstance(known, Absent) else _role(known, alias)


def _role(uid: Uid, alias: Value) -> Role:
    if uid.ua == HYPERPAV:
        return Role.HYPERPAV_ALIAS
    return Role.PAV_ALIAS if alias == 1 else Role.BASE


@lru_cache(maxsize=2)  # devices are looked at once a minute, their tables are filled at every sample
def lcus(devices: Frame) -> dict[str, Lcu]:
    """Group the rows of a device frame by LCU, in the order of keys."""
    groups: dict[str, dict[str, Uid]] = {}
    for busid, uid in zip(devices.keys, devices.column("uid"), strict=True):
        known = identity(uid)
        if isinstance(known, Uid):
            groups.setdefault(known.lcu, {})[busid] = known
    return {key: _lcu(devices, groups[key]) for key in sorted(groups)}


def outside(devices: Frame) -> dict[str, Absent]:
    """Return the devices that belong to no LCU, each with the reason."""
    named = zip(devices.keys, map(identity, devices.column("uid")), strict=True)
    return {busid: known for busid, known in named if isinstance(known, Absent)}


def _lcu(devices: Frame, uids: dict[str, Uid]) -> Lcu:
    members = tuple(sorted(uids))
    bases = tuple(busid for busid in members if _role(uids[busid], devices.cell(busid, "alias")) is Role.BASE)
    paths = (devices.cell(busid, "chpids") for busid in members)
    one = uids[members[0]]
    return Lcu(
        vendor=one.vendor,
        serial=one.serial,
        ssid=one.ssid,
        members=members,
        bases=bases,
        aliases=tuple(busid for busid in members if busid not in bases),
        chpids=tuple(sorted({chpid for path in paths if isinstance(path, str) for chpid in path.split()})),
    )
