"""Logical control units: which devices share one, and by which channel paths it is reached.

A device belongs to the LCU that its unique id names.  Nothing is guessed: where an emulator gives
every volume a serial of its own, every volume is an LCU of its own, because the machine says so.
A device without one may belong to an LCU by what CP and the site tell of it; that is kept apart.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from zmon.absent import Absent, absent
from zmon.topology.evidence import Grade
from zmon.topology.uid import HYPERPAV, Uid, parse_uid
from zmon.topology.volume import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.absent import Value
    from zmon.sample import Frame
    from zmon.topology.volume import Volume


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
    said: str = ""
    """Where no unique id names it, what CP or the site calls it, `LCU 6`; what else names it may be empty."""
    why: str = ""
    """What says so, of the members without a unique id: `site.toml:4 (7nXX)`."""
    called: str = ""
    """What the site calls it: `LCU 6`."""
    lss: str = ""
    """Its logical subsystem, two hex digits, where the real one is known."""

    @property
    def key(self) -> str:
        """VENDOR.SERIAL.SSID, or what it is called."""
        return self.said or f"{self.vendor}.{self.serial}.{self.ssid}"

    @property
    def name(self) -> str:
        """Its one name for people, wherever it is shown."""
        return self.called or (name_of(self.ssid) if self.ssid else self.said)

    @property
    def short(self) -> str:
        """Its name in a column that is headed LCU: `7600`, `6`."""
        return short(self.name)


def name_of(ssid: str) -> str:
    """Return the name of an LCU that the site has no name for: `LCU 7600`, by its subsystem id."""
    return f"LCU {ssid.upper()}"


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


def with_told(devices: Frame, known: Mapping[str, Lcu], volumes: Iterable[Volume]) -> dict[str, Lcu]:
    """Return the LCUs with the devices, too, that have no unique id and whose LCU something else tells.

    That is CP, people, the configuration data of a DASD, or the number of a SCSI disk's LUN.  SCSI disks go
    by their names, for their bus id is that of the adapter.
    """
    groups: dict[str, dict[str, Volume]] = {}
    for volume in volumes:
        if isinstance(volume.lcu, Absent):
            continue
        busid = volume.busid
        if not volume.has_busid:
            if isinstance(volume.lun, str) and isinstance(volume.disk, str):
                groups.setdefault(volume.key, {})[volume.disk] = volume
        elif busid in devices.index and isinstance(identity(devices.cell(str(busid), "uid")), Absent):
            groups.setdefault(volume.key, {})[str(busid)] = volume
    return {**known, **{key: _told(devices, key, groups[key], known.get(key)) for key in sorted(groups)}}


def _told(devices: Frame, key: str, volumes: dict[str, Volume], known: Lcu | None) -> Lcu:
    any_one = next(iter(volumes.values()))
    members = tuple(sorted((*volumes, *(known.members if known else ()))))
    why = dict.fromkeys(
        source for volume in volumes.values() if volume.grade < Grade.EXACT for source in _naming(volume)
    )
    # of a LUN one disk, however many paths lead to it
    bases = {
        member if volume.has_busid else volume.spindle: member
        for member, volume in sorted(volumes.items(), reverse=True)
    }
    chpids = {chpid.lower() for volume in volumes.values() for chpid in _text(volume.chpids).split()}
    return Lcu(
        vendor=known.vendor if known else "",
        serial=known.serial if known else _text(any_one.serial),
        ssid=known.ssid if known else _text(any_one.ssid).lower(),
        members=members,
        bases=tuple(sorted((*bases.values(), *(known.bases if known else ())))),
        aliases=known.aliases if known else (),
        chpids=tuple(sorted({*_chpids(devices, members), *chpids})),
        said="" if known else key if isinstance(any_one.lun, Absent) else _text(any_one.lcu),
        why=", ".join(why),
        lss=_text(any_one.lss),
    )


def _naming(volume: Volume) -> list[str]:
    """Return what has named the LCU of a volume: of what is no surer than that, the last."""
    return [one.source for one in volume.evidence if one.grade <= volume.grade][-1:]


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""


def outside(devices: Frame) -> dict[str, Absent]:
    """Return the devices that belong to no LCU, each with the reason."""
    named = zip(devices.keys, map(identity, devices.column("uid")), strict=True)
    return {busid: known for busid, known in named if isinstance(known, Absent)}


def _lcu(devices: Frame, uids: dict[str, Uid]) -> Lcu:
    members = tuple(sorted(uids))
    bases = tuple(busid for busid in members if _role(uids[busid], devices.cell(busid, "alias")) is Role.BASE)
    one = uids[members[0]]
    return Lcu(
        vendor=one.vendor,
        serial=one.serial,
        ssid=one.ssid,
        members=members,
        bases=bases,
        aliases=tuple(busid for busid in members if busid not in bases),
        chpids=_chpids(devices, members),
    )


def _chpids(devices: Frame, members: Iterable[str]) -> tuple[str, ...]:
    paths = (devices.cell(busid, "chpids") for busid in members if busid in devices.index)
    return tuple(sorted({chpid for path in paths if isinstance(path, str) for chpid in path.split()}))
