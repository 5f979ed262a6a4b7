"""Volumes, the logical control units (LCUs) that they belong to, and the names of device types.

A device belongs to the LCU that its unique id names.  Nothing is guessed: where an emulator gives every
volume a serial of its own, every volume is an LCU of its own.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.base.same import SameColumns
from zmon.kinds import NOT_COLLECTED
from zmon.values.uid import HYPERPAV, Uid, find_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.base.absent import Value
    from zmon.sample import Frame
    from zmon.topology.claims import Evidence, Grade
    from zmon.topology.origins import Origins


_NO_BUSID: Final = absent("it is no device of the channel subsystem")
NO_NUMBER: Final = NOT_COLLECTED.about(
    "lsdasd -u, which has the bus id of a DASD, and the unique id that names its LCU"
)
"""Why the bus id of a disk that is called as a DASD is not known."""
NO_NUMBER_OF_VIRTIO: Final = NOT_COLLECTED.about("ls -l /dev/disk/by-path, which has it for virtio disks")
"""Why that of a virtio disk is not known, which may be on the PCI bus as well."""


OF_MINIDISK: Final = absent(
    "the label that Linux reads may be a minidisk's own; CP's answer to QUERY VIRTUAL DASD has the volume's"
)


INFO2: Final = "BIODASDINFO2"
"""What asks the DASD driver for the configuration data of a disk."""
WITHOUT_TOKEN: Final = (INFO2, "udevadm, ", "dasdview, ")
"""How the names of sources of unique ids begin that leave out the token of a minidisk."""
WHOSE_LABEL: Final = absent(
    "the label that Linux reads is a minidisk's own if this is a guest of z/VM, which is not known:"
    " lsdasd -u, lscpu and /proc/sysinfo tell"
)


def doubt_of_label(uid: Value, environment: str, origins: Origins, source: str) -> Absent | None:
    """Return why the label that Linux reads on a disk may not be that of the volume; None if it is that.

    A minidisk has a label of its own.  Its unique id ends with a token, unless its source leaves that out;
    without a whole one any disk of a guest of z/VM may be one.  Texts need not say what they are of.
    """
    identity = find_uid(uid)
    if environment in {"lpar", "none"}:
        return None
    if identity is not None and (identity.token or not source.startswith(WITHOUT_TOKEN)):
        return OF_MINIDISK if identity.token else None
    is_open = not environment and bool(origins)
    return OF_MINIDISK if environment == "zvm" else WHOSE_LABEL if is_open else None


class Volume(NamedTuple):
    """One disk of this Linux, with its identity in z/VM and in the storage server."""

    number: str
    """major:minor of the block device: `94:4`."""
    disk: Value
    """Name of the block device: `dasdb`."""
    busid: Value
    vdev: Value
    """Number of the device in the guest, four hex digits in upper case; absent in an LPAR."""
    rdev: Value
    """Number of the real device, four or five hex digits in upper case."""
    volser: Value
    """Label of the volume: by CP or a directory, else as Linux reads it on the disk."""
    label: Value
    """Label that Linux reads on the disk; on a minidisk it may be another than that of the volume."""
    lcu: Value
    """Name of the LCU by what Linux and CP know of it: `LCU 7600`."""
    called: Value
    """Name of the LCU by the site's map or rule."""
    key: str
    """The group for sums per LCU, `Uid.lcu` where the unique id names it; never that of two LCUs."""
    spindle: str
    """The real volume; disks on the same one have the same value."""
    uid: Value
    """The unique id, as the kernel writes it."""
    serial: Value
    """Of the storage server."""
    ssid: Value
    lss: Value
    """Logical subsystem, two hex digits in upper case."""
    ua: Value
    """Unit address, two hex digits in upper case."""
    side: Value
    """The server inside the box: `server 0`."""
    chpids: Value
    """The channel paths, ascending: `4E 4F`."""
    cylinders: Value
    wwpn: Value
    lun: Value
    joined: Value
    """The multipath device that joins the paths to a SCSI disk: `dm-3`."""
    grade: Grade
    """The grade of the LCU."""
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]
    """The contradictions, in words."""

    @property
    def lcu_name(self) -> Value:
        """The name of its LCU on all screens: the site's, else `LCU 7600`."""
        return self.lcu if isinstance(self.called, Absent) else self.called

    @property
    def has_busid(self) -> bool:
        """Whether it has a device number of its own; a SCSI disk's bus id is that of its adapter."""
        return isinstance(self.busid, str) and not self.is_scsi

    @property
    def is_scsi(self) -> bool:
        """Whether it is a SCSI disk; its LUN is not known if only its WWID is."""
        return (
            isinstance(self.lun, str) or isinstance(self.joined, str) or text_of(self.disk).startswith("sd")
        )

    @property
    def device(self) -> str:
        """Its key in DEVICE: its bus id; of a SCSI disk the device that joins its paths, else its name."""
        if self.has_busid:
            return str(self.busid)
        return text_of(self.disk if isinstance(self.joined, Absent) else self.joined)

    @property
    def own_label(self) -> str:
        """The label that Linux reads on the disk, where it is not known to be that of the volume."""
        return str(self.label) if isinstance(self.label, str) and self.label != self.volser else ""

    @property
    def lcu_names(self) -> frozenset[str]:
        """All names of its LCU, in small letters: `lcu 7600`, `7600`, `ssid 7600`, `lss 12`."""
        names = {str(name) for name in (self.lcu, self.called) if not isinstance(name, Absent)}
        names |= {f"LCU {short(name)}" for name in names} | {short(name) for name in names}
        for what, number in (("SSID", self.ssid), ("LSS", self.lss)):
            if isinstance(number, str):
                names |= {f"{what} {number}"}
                names |= {number, f"LCU {number}"} if what == "SSID" else set()
        return frozenset(name.casefold() for name in (*names, self.key))


def short(name: str) -> str:
    """Return an LCU's name for a column headed LCU: `7600` for `LCU 7600`, `10` for `LSS 10`."""
    return name.removeprefix("LCU ").removeprefix("LSS ")


def bare(number: str, reason: Value) -> Volume:
    """Return a volume of which nothing is known, for this reason, or because it has no bus id."""
    no = reason if isinstance(reason, Absent) else _NO_BUSID
    from zmon.topology.claims import Grade  # noqa: PLC0415 - tables of devices without claims need none

    group = f"disk {number}"
    facts = {"number": number, "key": group, "spindle": group, "evidence": (), "conflicts": ()}
    return Volume(**dict.fromkeys(Volume._fields, no) | facts | {"grade": Grade.UNKNOWN})  # type: ignore[arg-type]


def ascending(chpids: Value) -> Value:
    """Return channel paths in the order of their numbers."""
    return " ".join(sorted(chpids.split())) if isinstance(chpids, str) else chpids


class Lcu(NamedTuple):
    """One logical control unit, as far as it is visible to this Linux."""

    vendor: str
    serial: str
    ssid: str
    members: tuple[str, ...]
    """Bus ids of all its devices, ascending."""
    bases: tuple[str, ...]
    aliases: tuple[str, ...]
    """Aliases, both PAV and HyperPAV."""
    chpids: tuple[str, ...]
    """The channel paths that lead to any member, ascending: `4e`."""
    said: str = ""
    """Without a unique id, the name by CP or the site, `LCU 6`; it may be empty if there is another name."""
    why: str = ""
    """The source of that name, for members without a unique id: `site.toml:4 (7nXX)`."""
    called: str = ""
    """Its name by the site: `LCU 6`."""
    lss: str = ""
    """Its logical subsystem, two hex digits, where the real one is known."""

    @property
    def key(self) -> str:
        """VENDOR.SERIAL.SSID, or its name."""
        return self.said or f"{self.vendor}.{self.serial}.{self.ssid}"

    @property
    def name(self) -> str:
        """Its name on all screens."""
        return self.called or (lcu_name(self.ssid) if self.ssid else self.said)

    @property
    def short(self) -> str:
        """Its own name without what it is: `7600`, `6`; a column has `short_titles`."""
        return short(self.name)


def lcu_name(ssid: str, serial: str = "") -> str:
    """Return the name of an LCU that the site does not name: `LCU 7600`, by its subsystem id.

    Where another box has one of that name its serial number is given, whose end is with it: `LCU 11451.7600`.
    """
    return f"LCU {serial[-5:]}.{ssid.upper()}" if serial else f"LCU {ssid.upper()}"


def titles(units: Mapping[str, Lcu]) -> dict[str, str]:
    """Return what sentences call each LCU: its name, `LCU 7600`.

    Where LCUs of two boxes have the same name, the end of the serial number is with it: `LCU 11451.7600`.
    """
    counts = Counter(unit.name for unit in units.values())
    return {
        key: unit.name if counts[unit.name] == 1 or not unit.serial else lcu_name(unit.ssid, unit.serial)
        for key, unit in units.items()
    }


def short_titles(units: Mapping[str, Lcu]) -> dict[str, str]:
    """Return what each LCU is called in a column that is headed LCU: `7600`, or `11451.7600` of two boxes."""
    return {key: short(title) for key, title in titles(units).items()}


def lcus(devices: Frame) -> dict[str, Lcu]:
    """Group the rows of a device frame by LCU, in the order of keys."""
    return _lcus(SameColumns(devices, devices.keys, *map(devices.column, ("uid", "alias", "chpids"))))


@lru_cache(maxsize=2)  # devices change once a day, but their tables are computed for every sample
def _lcus(same: SameColumns[Frame]) -> dict[str, Lcu]:
    devices = same.it
    groups: dict[str, dict[str, Uid]] = {}
    for busid, uid in zip(devices.keys, devices.column("uid"), strict=True):
        if identity := find_uid(uid):
            groups.setdefault(identity.lcu, {})[busid] = identity
    return {key: _lcu(devices, groups[key]) for key in sorted(groups)}


def with_claimed(devices: Frame, lcus_known: Mapping[str, Lcu], volumes: Iterable[Volume]) -> dict[str, Lcu]:
    """Return the LCUs with the devices that have no unique id added, where another source names the LCU.

    Other sources are CP, people, the configuration data of a DASD, and the number of a SCSI disk's LUN.
    A SCSI disk is listed by the name of the multipath device that joins its paths, else by its own, because
    its bus id is that of the adapter.  Each LCU has the site's name.
    """
    groups: dict[str, dict[str, Volume]] = {}
    paths: dict[str, list[Volume]] = {}
    called: dict[str, str] = {}
    for volume in volumes:
        busid = str(volume.busid)
        if isinstance(volume.called, str):
            called[busid] = volume.called
        if isinstance(volume.lcu, Absent):
            continue
        if not volume.has_busid:
            if volume.is_scsi and isinstance(volume.disk, str):
                paths.setdefault(volume.key, []).append(volume)
                groups.setdefault(volume.key, {})[volume.device] = volume
        elif busid in devices.index and find_uid(devices.cell(busid, "uid")) is None:
            groups.setdefault(volume.key, {})[busid] = volume
    units = {
        **lcus_known,
        **{
            key: _claimed(devices, key, groups[key], paths.get(key, ()), lcus_known.get(key))
            for key in sorted(groups)
        },
    }
    names = {key: next(filter(None, map(called.get, unit.members)), "") for key, unit in units.items()}
    return {key: unit._replace(called=names[key]) if names[key] else unit for key, unit in units.items()}


def _claimed(
    devices: Frame, key: str, volumes: dict[str, Volume], paths: Iterable[Volume], lcu: Lcu | None
) -> Lcu:
    from zmon.topology.claims import Grade  # noqa: PLC0415 - likewise

    first = next(iter(volumes.values()))
    said = text_of(first.lcu) if first.is_scsi else key
    identity = find_uid(first.uid)
    vendor = identity.vendor if identity else ""
    vendor = "IBM" if first.is_scsi else vendor  # only SCSI disks of its storage servers name an LSS
    unit = lcu or Lcu(vendor, text_of(first.serial), text_of(first.ssid).lower(), (), (), (), (), said)
    members = tuple(sorted((*volumes, *unit.members)))
    why = dict.fromkeys(
        source for volume in volumes.values() if volume.grade < Grade.EXACT for source in _naming(volume)
    )
    # one disk per LUN, however many paths lead to it
    bases = {
        member if volume.has_busid else volume.spindle: member
        for member, volume in sorted(volumes.items(), reverse=True)
    }
    paths_of = (*volumes.values(), *paths)
    chpids = {chpid.lower() for volume in paths_of for chpid in text_of(volume.chpids).split()}
    return unit._replace(
        members=members,
        bases=tuple(sorted((*bases.values(), *unit.bases))),
        chpids=tuple(sorted({*_chpids(devices, members), *chpids})),
        why=", ".join(why),
        lss=text_of(first.lss),
    )


def _naming(volume: Volume) -> list[str]:
    """Return the source that named the LCU of a volume: the last evidence whose grade is not better."""
    return [evidence.source for evidence in volume.evidence if evidence.grade <= volume.grade][-1:]


def _lcu(devices: Frame, uids: dict[str, Uid]) -> Lcu:
    members = tuple(sorted(uids))
    bases = tuple(
        busid for busid in members if uids[busid].ua != HYPERPAV and devices.cell(busid, "alias") != 1
    )
    uid = uids[members[0]]
    return Lcu(
        vendor=uid.vendor,
        serial=uid.serial,
        ssid=uid.ssid,
        members=members,
        bases=bases,
        aliases=tuple(busid for busid in members if busid not in bases),
        chpids=_chpids(devices, members),
    )


def _chpids(devices: Frame, members: Iterable[str]) -> tuple[str, ...]:
    paths = (devices.cell(busid, "chpids") for busid in members if busid in devices.index)
    return tuple(sorted({chpid for path in paths if isinstance(path, str) for chpid in path.split()}))


_CHANNELS: Final = {
    0x03: "ESCON", 0x04: "ESCON", 0x05: "ESCON", 0x06: "CVC", 0x07: "NTV",
    0x08: "CTC_P", 0x09: "CTC_S", 0x0A: "CTC_?", 0x0B: "CFS", 0x0C: "CFR", 0x0F: "CBY",
    0x10: "OSE", 0x11: "OSD", 0x12: "OSA", 0x13: "ISD", 0x14: "OSC", 0x15: "OSN",
    0x16: "CBS", 0x17: "CBR", 0x18: "ICS", 0x19: "ICR",
    0x1A: "FICON", 0x1B: "FICON", 0x1C: "FCV", 0x1D: "FICON", 0x1E: "DSD", 0x1F: "EIO",
    0x21: "CBP", 0x22: "CFP", 0x23: "ICP", 0x24: "IQD", 0x25: "FCP", 0x26: "CIB",
    0x30: "OSX", 0x31: "OSM", 0x32: "KVM",
}  # fmt: skip

_MODELS: Final = {
    ("3390", "02"): "1", ("3390", "06"): "2", ("3390", "0A"): "3", ("3390", "0C"): "9",
    ("3380", "0A"): "E", ("3380", "1E"): "K",
}  # fmt: skip
"""The models of disks by the byte with which they identify themselves."""
ON_A_TRACK: Final = {4096: 12, 2048: 21, 1024: 33, 512: 49}
"""Blocks of each size on a track of a 3390; a cylinder has 15 tracks."""
DASD_TYPES: Final = ("3390", "3380", "9345", "9336", "3370")
"""Types of devices that are DASDs, bases or aliases."""
_LARGEST: Final = 65520
"""Cylinders of the largest volume that is no extended address volume."""


def channel_type(code: int) -> str:
    """Return the Toolkit's name for a type of channel path, else its acronym; unknown types in hex."""
    return _CHANNELS.get(code) or f"{code:02x}"


@lru_cache(maxsize=1024)  # of few kinds, though each sample asks for each device
def device_type(devtype: Value, cutype: Value, cylinders: Value = 0) -> str | Absent:
    """Return type and model as z/VM and the Toolkit show them, `3390-3` for 3390/0a.

    One byte identifies disks of several sizes: a 3390-9 may have 10017 cylinders or 65520; with more it is
    an extended address volume, 3390-A.  A byte of an unknown model is shown as it is.  A device without a
    type of its own, such as an adapter, has the type of its control unit.
    """
    type_known = cutype if isinstance(devtype, Absent) else devtype
    if isinstance(type_known, Absent):
        return type_known
    kind, _, model = str(type_known).upper().partition("/")
    if (kind, model) == ("3390", "0C") and isinstance(cylinders, int) and cylinders > _LARGEST:
        return "3390-A"
    model = _MODELS.get((kind, model)) or model.lstrip("0") or model[:1]
    return f"{kind}-{model}" if model else kind
