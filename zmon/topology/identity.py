"""The identity of each disk: its real device, its label, its LCU, from all sources, with every contradiction.

The first source that knows names the LCU: the volume map of the site, the configuration data of the device,
its unique id, what CP says of the real device, the number of the real device with a rule of the site.  A
volume whose LCU is unknown is a group of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.sample import Frame
from zmon.topology.claims import NO_FACTS, NO_REAL_FACTS, ClaimIndex, Evidence, Grade, claims_in
from zmon.topology.volumes import Volume, ascending, bare, lcu_name, uid_of
from zmon.uid import Uid, find_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.absent import Value
    from zmon.topology.claims import Claim, VirtualDeviceFacts
    from zmon.topology.site import MapRow, Site


class Platform(NamedTuple):
    """Where the Linux runs whose disks are looked at."""

    environment: str = ""
    """`lpar`, `zvm`, `kvm` or `none`, which is a machine without partitions; empty when it is not known."""
    guest: str = ""
    """Its user id under z/VM; empty when it is not known."""

    @property
    def has_real_numbers(self) -> bool:
        """Whether devices have the numbers of the real ones."""
        return self.environment in {"lpar", "none"}


UNKNOWN_PLATFORM: Final = Platform()


def platform_of(machine: Frame) -> Platform:
    """Return where a Linux runs, from the frame that describes its machine.

    Without /proc/sysinfo it is not known, nor under a hypervisor that is neither z/VM nor KVM.
    """

    def said(name: str) -> str:
        value = machine.cell("machine", name)
        return "" if isinstance(value, Absent) else str(value)

    environment = said("environment")
    if environment == "none" and (said("control_program") or not said("manufacturer")):
        environment = ""
    return Platform(environment, said("guest_name"))


_REAL_NUMBERS: Final = absent("in an LPAR devices have their real numbers")
_UNKNOWN_PLATFORM_REASON: Final = absent(
    "whether this is an LPAR or a guest is not known: /proc/sysinfo is missing, or names no known hypervisor"
)
_KVM: Final = absent("KVM does not tell its guest which real device it is")


class DeviceIdentity(NamedTuple):
    """A device of the channel subsystem, and which real one it is."""

    busid: str
    vdev: Value
    rdev: Value
    grade: Grade
    """How sure the rdev is."""
    told: VirtualDeviceFacts
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]


def identify_device(busid: str, testimony: ClaimIndex, host: Platform, site: Site) -> DeviceIdentity:
    """Tell which real device one of this Linux is: in a guest as claims or the site say."""
    head, _, devno = busid.upper().rpartition(".")
    told = testimony.device(devno)
    if host.has_real_numbers:
        where = "an LPAR" if host.environment == "lpar" else "a machine without partitions"
        number = devno if head.endswith(".0") else head.rpartition(".")[2] + devno
        said = Evidence("/proc/sysinfo", f"{where}: {number} is the number of the real device")
        against = tuple(
            f"{heard.source} speaks of {devno} as a device of a guest, but this is {where}: not used"
            for heard in told.evidence[:1]
        )
        return DeviceIdentity(busid, _REAL_NUMBERS, number, Grade.EXACT, NO_FACTS, (said,), against)
    rule = site.vdev_is_rdev
    known = DeviceIdentity(busid, devno, told.rdev, told.grade, told, told.evidence, told.conflicts)
    if isinstance(told.rdev, str):
        if rule and told.rdev != devno:
            against = (f"{rule} says that {devno} is the real device {devno}, but claims say {told.rdev}",)
            known = known._replace(conflicts=told.conflicts + against)
    elif rule and not told.conflicts:
        said = Evidence(rule, f"{devno} is the number of the real device too", Grade.ASSUMED)
        evidence = (*told.evidence, said)
        known = known._replace(rdev=devno, grade=Grade.ASSUMED, evidence=evidence)
    elif told is NO_FACTS and host.environment != "zvm":
        known = known._replace(rdev=_KVM if host.environment == "kvm" else _UNKNOWN_PLATFORM_REASON)
    if not host.environment and told is NO_FACTS and not rule:
        known = known._replace(vdev=_UNKNOWN_PLATFORM_REASON)
    return known


_OF_ADAPTER: Final = absent("a SCSI disk has no device number, only its adapter has")

_LUN: Final = re.compile(r"(?:0x)?40([0-9a-f]{2})40([0-9a-f]{2})0{8}", re.ASCII | re.IGNORECASE)
"""A LUN as a DS8000 numbers them: its LSS, and the volume in it."""


def scsi_volume(  # noqa: PLR0913, PLR0917 - what is read of it
    number: str, name: Value, busid: Value, chpids: Value, wwpn: str, lun: Value, wwid: str
) -> Volume:
    """Tell of a SCSI disk; what joins its paths is the world-wide id that multipath has read."""
    source = "device/wwpn, device/fcp_lun"
    plain = bare(number, _OF_ADAPTER)._replace(
        disk=name,
        busid=busid,
        wwpn=wwpn,
        lun=lun,
        chpids=ascending(chpids),
        spindle=f"WWID {wwid}" if wwid else f"{wwpn} {lun}" if isinstance(lun, str) else f"disk {number}",
        evidence=(Evidence(source, f"WWPN {wwpn}, LUN {lun}"),) if isinstance(lun, str) else (),
    )
    if wwid:
        plain = plain._replace(evidence=(*plain.evidence, Evidence("dm/uuid", f"WWID {wwid}")))
    found = _LUN.fullmatch(lun) if isinstance(lun, str) else None
    if found is None:
        return plain
    lss, unit = found[1].upper(), found[2].upper()
    said = Evidence(source, f"as a DS8000 numbers LUNs: LSS {lss}, volume {unit}", Grade.ASSUMED)
    return plain._replace(
        lcu=f"LSS {lss}",
        key=f"{wwid[:-4] if wwid else wwpn} LSS {lss}",
        lss=lss,
        ua=unit,
        side=f"server {int(lss, 16) % 2}",
        grade=Grade.ASSUMED,
        evidence=(*plain.evidence, said),
    )


_NO_DASD: Final = absent("not a DASD")
_ONLY_FCP: Final = absent("only a SCSI disk behind an FCP adapter has this")
_LSS_OF_GUEST: Final = absent("under z/VM the configuration data may name another LSS than the real one")
_NO_SIDE: Final = absent("known only of a DS8000 whose LSS is known, or by the volume map of the site")
_CONTRADICT: Final = absent("the rules of the site contradict each other about its number")
_FBA: Final = absent("an FBA disk is on no LCU that Linux or CP could name; the volume map of the site can")
_NOT_CALLED: Final = absent("neither a rule nor the volume map of the site names its LCU")

DS8000: Final = "2107"
"""Machine type of a storage server whose LSSs belong to its two servers by turns."""

_REAL_LSS: Final = frozenset({"lpar", "kvm", "none"})
"""Where the configuration data of a device are those of the real one."""

_STANDARD_CYLINDERS: Final = 1113
"""Those of a 3390-1; models 2, 3 and 9 and many larger volumes have a multiple."""

_SIZE: Final = 4
"""Which column of a layer's is its size."""
_ON_A_TRACK: Final = {4096: 12, 2048: 21, 1024: 33, 512: 49}
"""Blocks of each size on a track of a 3390; a cylinder has 15 tracks."""

_ODD_CYLINDERS: Final = frozenset({32760, 65520})
"""Those of models 27 and 54."""


class _LcuChoice(NamedTuple):
    """What the best source says of the LCU."""

    name: Value
    key: str
    grade: Grade
    source: str
    said: str


class VolumeBuilder:
    """What is found of one disk of the channel subsystem, and what contradicts what."""

    def __init__(self, everything: VolumeIndex, number: str, name: Value, device: DeviceIdentity) -> None:
        self.all = everything
        self.number = number
        self.name = name
        self.device = device
        self.uid, self.cutype, self.chpids = everything.devices.of(device.busid)
        own: Sequence[Value] = everything.dasd.of(device.busid) if _is_dasd(name) else [_NO_DASD] * 8
        self.lss, self.label, self.cylinders, self.discipline, self.storage, *self.blocks, told_uid = own
        self.conflicts = list(device.conflicts)
        if unlike := self._other_size():
            # an answer of another time or guest: what it says may still be so, but is not sure
            self.conflicts.append(unlike)
            doubtful = tuple(each._replace(grade=min(each.grade, Grade.ASSUMED)) for each in device.evidence)
            self.device = device = device._replace(grade=min(device.grade, Grade.ASSUMED), evidence=doubtful)
        self.evidence = list(device.evidence)
        self.rdev = _text(device.rdev)
        self.source = f"/sys/bus/ccw/devices/{device.busid}/uid"
        if isinstance(uid_of(self.uid), Absent) and isinstance(told_uid, str):
            self.uid, self.source = told_uid, "BIODASDINFO2"
        self.rows: list[MapRow] = []
        self.real = NO_REAL_FACTS
        if self.rdev and isinstance(device.vdev, str):
            self.real = everything.testimony.real(self.rdev)
            self.conflicts += self.real.conflicts

    def volume(self) -> Volume:
        """Put it together."""
        device, told, real = self.device, self.device.told, self.real
        own = self.all.uid(device.busid)
        if own:
            self._compare(own)
        uid = own or self._twin()
        lss = self._lss(own)
        volser = told.volser if isinstance(told.volser, str) else real.volser
        self._labels(volser)
        self.rows = self.all.site.map.about(uid, self.rdev)
        names = self.all.called(device.busid, uid)
        called = self._called(uid, names)
        lcu = self._lcu(uid, lss, names, device.grade if uid is not own else Grade.EXACT)
        if own and lcu.source != self.source:
            self.evidence.append(Evidence(self.source, str(self.uid)))
        if lcu.said:
            self.evidence.append(Evidence(lcu.source, lcu.said, lcu.grade))
        return Volume(
            number=self.number,
            disk=self.name,
            busid=device.busid,
            vdev=device.vdev,
            rdev=device.rdev,
            volser=volser if isinstance(volser, str) or isinstance(self.label, Absent) else self.label,
            label=self.label,
            lcu=lcu.name,
            called=called,
            key=lcu.key,
            spindle=self._spindle(uid),
            uid=self.uid,
            serial=uid.serial if uid else self.uid,
            ssid=uid.ssid.upper() if uid else self._by_cp(real.ssid),
            lss=lss,
            ua=uid.ua.upper() if uid else self._by_cp(real.ua),
            side=self._side(lss, called),
            chpids=ascending(self.chpids),
            cylinders=self.cylinders,
            wwpn=_ONLY_FCP,
            lun=_ONLY_FCP,
            grade=lcu.grade,
            evidence=tuple(self.evidence),
            conflicts=tuple(dict.fromkeys(self.conflicts)),
        )

    def _compare(self, uid: Uid) -> None:
        """Hold the unique id against what CP says of the real device, and against other disks."""
        device, real = self.device, self.real
        for what, said, kernel in (("SSID", real.ssid, uid.ssid), ("unit address", real.ua, uid.ua)):
            if isinstance(said, str) and said.upper() != kernel.upper():
                words = (
                    f"{what} {kernel.upper()} by the uid of {device.busid}, {said} by CP for {device.rdev}"
                )
                self.conflicts.append(words)
        for busid in self._companions():
            known = self.all.uid(busid)
            if known and known.volume != uid.volume:
                self.conflicts.append(
                    f"{device.busid} and {busid} are both on {self.rdev} as claims say, "
                    f"but their unique ids name {uid.volume} and {known.volume}"
                )
        if self.rdev and isinstance(device.vdev, str):
            for busid in self.all.twins.get(uid.volume, ()):
                rdev = _text(self.all.device(busid).rdev)
                if rdev not in {"", self.rdev}:
                    self.conflicts.append(
                        f"{device.busid} and {busid} are both on {uid.volume} as their unique ids say, "
                        f"but claims name {self.rdev} and {rdev}"
                    )

    def _companions(self) -> Iterator[str]:
        """Yield the bus ids of the other disks that claims put on the same real device."""
        device = self.device
        if self.rdev and device.told is not NO_FACTS:
            for vdev in self.all.testimony.on(self.rdev):
                if vdev != device.vdev:
                    yield f"{device.busid[:-4]}{vdev.lower()}"

    def _twin(self) -> Uid | None:
        """Return the unique id of another disk on the same real device, when this one has none."""
        found = {busid: uid for busid in self._companions() if (uid := self.all.uid(busid))}
        if len({uid.volume for uid in found.values()}) != 1:
            return None
        busid = min(found)
        said = f"{found[busid]}, of a disk on {self.rdev} too"
        self.evidence.append(Evidence(f"/sys/bus/ccw/devices/{busid}/uid", said, self.device.grade))
        return found[busid]

    def _lss(self, uid: Uid | None) -> Value:
        """Return the logical subsystem as two hex digits, when it is the real one.

        What is known of one disk holds for all of its LCU.
        """
        number = self.lss if isinstance(self.lss, int) or uid is None else self.all.lss(uid.lcu, self.lss)
        if not isinstance(number, int):
            return number
        lss = f"{number:02X}"
        if self.all.host.environment in _REAL_LSS and not (uid and uid.token):
            return lss
        said = f"LSS {lss}; of a guest's disk it may not be the real one"
        self.evidence.append(Evidence("BIODASDINFO2", said, Grade.ASSUMED))
        return _LSS_OF_GUEST

    def _labels(self, volser: Value) -> None:
        """Hold the label on the disk against that of the volume; a minidisk may have one of its own."""
        if not isinstance(self.label, str):
            return
        source = f"/run/udev/data/b{self.number}"
        told = self.device.told
        if isinstance(volser, str) and volser != self.label and _begins_volume(told):
            self.conflicts.append(f"the label: {volser} by claims, {self.label} on the disk ({source})")
        whose = " of its own" if told.minidisk and volser != self.label else ""
        self.evidence.append(Evidence(source, f"label {self.label}{whose}"))

    def _other_size(self) -> str:
        """Say that CP told another size than Linux sees; empty where they agree or one is not known."""
        length = self.device.told.length
        if length is None:
            return ""
        seen, unit = self._seen()
        if not seen or length in seen:
            return ""
        return (
            f"CP told {length} {unit} of {self.device.vdev}, Linux sees {' or '.join(map(str, seen))}: "
            "the answer may be old, or that of another guest"
        )

    def _seen(self) -> tuple[list[int], str]:
        """Return the size that Linux sees, in CP's unit; of an ECKD disk in cylinders.

        The driver counts those with BIODASDINFO2, which not everybody may ask.  Else they follow from the
        blocks in /proc/dasd/devices, or from the sectors in sysfs and the block sizes that a disk may have.
        """
        sectors = self.all.layers.of(self.number)[_SIZE]
        if self.discipline == "FBA":
            return ([sectors] if isinstance(sectors, int) and sectors else []), "blocks"
        if isinstance(self.cylinders, int):
            return [self.cylinders], "cylinders"
        size, blocks = self.blocks
        if isinstance(size, int) and isinstance(blocks, int) and size in _ON_A_TRACK:
            return [blocks // (15 * _ON_A_TRACK[size])], "cylinders"
        if self.discipline != "ECKD" or not isinstance(sectors, int) or not sectors:
            return [], ""
        bytes_of_cylinders = {size: 15 * count * size for size, count in _ON_A_TRACK.items()}
        fits = [sectors * 512 // one for one in bytes_of_cylinders.values() if not sectors * 512 % one]
        return fits, "cylinders"

    def _called(self, uid: Uid | None, names: dict[str, str]) -> Value:
        """Return what the site calls the LCU, and note where it contradicts itself or unique ids."""
        if not names:
            return _NOT_CALLED
        (name, place), *rest = names.items()
        busid = self.device.busid
        if rest:
            words = ", ".join(f"{other} by {where}" for other, where in names.items())
            self.conflicts.append(f"the site calls the LCU of {busid} {words}")
        if uid is not None:
            for other, disk in self.all.calls(uid.lcu).items():
                if other != name:
                    self.conflicts.append(
                        f"{busid} is on {name} by {place} and {disk} on {other}, "
                        f"but their unique ids name the same LCU, {uid.lcu}"
                    )
            for lcu in sorted(self.all.lcus) if self.rows else ():
                disk = self.all.calls(lcu).get(name, "")
                if disk and lcu != uid.lcu:
                    self.conflicts.append(
                        f"{busid} and {disk} are both on {name} by {place}, "
                        f"but their unique ids name {uid.lcu} and {lcu}"
                    )
        return name if self.rows or not rest else _NOT_CALLED

    def _lcu(self, uid: Uid | None, lss: Value, names: dict[str, str], grade: Grade) -> _LcuChoice:
        """Take what the best source says; `grade` is how sure the unique id is that of this disk."""
        device, real = self.device, self.real
        if self.rows:
            row = self.rows[0]
            if not (uid and row.volume in {uid.volume, uid.lcu}):
                grade = device.grade
            return _LcuChoice(row.lcu, row.lcu, grade, row.place, f"{row.volume} is on {row.lcu}")
        if uid:
            return self._by_uid(uid, lss, grade)
        if isinstance(real.ssid, str):
            name = lcu_name(real.ssid)
            heard = real.evidence[0]
            grade = min(Grade.ASSUMED, heard.grade, device.grade)
            said = f"{heard.said}, of which storage server is not said"
            return _LcuChoice(name, f"SSID {real.ssid}", grade, heard.source, said)
        if len(names) == 1 and self.discipline != "FBA":
            ((name, place),) = names.items()
            return _LcuChoice(name, name, Grade.ASSUMED, place, f"{self.rdev} is on {name}")
        return _LcuChoice(self._why(names), f"disk {device.busid}", Grade.UNKNOWN, "", "")

    def _by_uid(self, uid: Uid, lss: Value, grade: Grade) -> _LcuChoice:
        """Take the LCU that the unique id names, called as the map calls it for another of its disks.

        Else one LCU would be two: that of the disks which the map knows, and that of the others.
        """
        mapped = self.all.mapped(uid.lcu)
        if len(mapped) == 1:
            ((name, (busid, place, sure)),) = mapped.items()
            said = f"{busid} is on {name}, and so is all of {uid.lcu}"
            return _LcuChoice(name, name, min(grade, sure), place, said)
        if mapped:
            words = ", ".join(f"{name} by {place}" for name, (_, place, _) in mapped.items())
            self.conflicts.append(
                f"{self.device.busid} is on {uid.lcu}, which is {words}: neither of them is used"
            )
        if isinstance(lss, str):
            self.evidence.append(Evidence("BIODASDINFO2", f"LSS {lss} of {uid.serial}"))
        said = f"{uid}: SSID {uid.ssid.upper()}" if self.all.uid(self.device.busid) else ""
        return _LcuChoice(lcu_name(uid.ssid), uid.lcu, grade, self.source, said)

    def _why(self, names: dict[str, str]) -> Absent:
        """Return why nobody knows the LCU."""
        if self.discipline == "FBA":
            return _FBA
        if names:
            return _CONTRADICT
        if isinstance(self.device.rdev, Absent):
            return self.device.rdev
        return absent(f"no uid, and no rule of the site says on which LCU {self.rdev} is: lcu_by_number")

    def _spindle(self, uid: Uid | None) -> str:
        if uid:
            return uid.volume
        if self.rdev:
            return f"rdev {self.rdev}"
        told = self.device.told
        if told.minidisk and isinstance(told.volser, str) and not told.conflicts:
            return f"label {told.volser}"
        return f"disk {self.device.busid}"

    def _by_cp(self, said: Value) -> Value:
        """Return what CP may have told; where it cannot, why the kernel has not."""
        return said if self.all.host.environment == "zvm" or isinstance(said, str) else self.uid

    def _side(self, lss: Value, called: Value) -> Value:
        """Return the server inside the box: by the map, else even and odd LSS of a DS8000 have one each."""
        row = self.all.site.map.lcu(called) if isinstance(called, str) else None
        if row and row.server:
            return row.server
        box = _text(self.cutype), _text(self.storage)
        if isinstance(lss, str) and any(kind.startswith(DS8000) for kind in box):
            return f"server {int(lss, 16) % 2}"
        return _NO_SIDE


def _begins_volume(told: VirtualDeviceFacts) -> bool:
    """Tell whether a disk has the label of its volume: it is all of it, or begins where it begins."""
    if told.minidisk and told.first is None:
        length = told.length or 1
        return length % _STANDARD_CYLINDERS == 0 or length in _ODD_CYLINDERS
    return told.minidisk is False or told.first == 0


def _is_dasd(name: Value) -> bool:
    """Tell whether a disk may be a DASD: all others behind ccw devices have names of their own."""
    return not isinstance(name, str) or name.startswith("dasd")


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""


_NOT_READ: Final = absent("this device was not read")


class _Rows:
    """The columns of a frame that are looked at."""

    def __init__(self, frame: Frame, *names: str) -> None:
        self.frame = frame
        self.columns = [frame.column(name) for name in names]

    def of(self, key: str) -> list[Value]:
        row = self.frame.index.get(key)
        if row is None:
            return [self.frame.missing or _NOT_READ] * len(self.columns)
        return [column[row] for column in self.columns]


class VolumeIndex(Mapping[str, Volume]):
    """The sources of one machine, ready to be asked about one disk after the other.

    Whoever follows a file to its disks asks for a few of thousands.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - one for each source
        self,
        layers: Frame,
        devices: Frame,
        dasd: Frame,
        claims: Frame | Sequence[Claim],
        site: Site,
        host: Platform = UNKNOWN_PLATFORM,
    ) -> None:
        self.site = site
        self.host = host
        claims = claims_in(claims) if isinstance(claims, Frame) else claims
        self.testimony = ClaimIndex(claims, host.guest, site)
        self.layers = _Rows(layers, "name", "busid", "wwpn", "lun", "size")
        self.devices = _Rows(devices, "uid", "cutype", "chpids")
        self.dasd = _Rows(
            dasd, "lss", "volser", "cylinders", "discipline", "storage", "block_size", "blocks", "uid"
        )
        self._known: dict[str, Volume] = {}
        self._devices: dict[str, DeviceIdentity] = {}
        self._uids: dict[str, Uid | None] = {}
        self._called: dict[tuple[str, Uid | None], dict[str, str]] = {}
        self._calls: dict[str, dict[str, str]] = {}
        self._lss: dict[str, Value] = {}
        self._mapped: dict[str, dict[str, tuple[str, str, Grade]]] = {}

    @cached_property
    def disks(self) -> dict[str, None]:
        """The whole disks."""
        frame = self.layers.frame
        rows = zip(frame.keys, frame.column("sort"), strict=True)
        return {number: None for number, sort in rows if sort == "disk"}

    def __getitem__(self, number: str) -> Volume:
        known = self._known.get(number)
        if known is None:
            if number not in self.disks:
                raise KeyError(number)
            known = self._known[number] = self.volume(number)
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self.disks)

    def __len__(self) -> int:
        return len(self.disks)

    def __contains__(self, number: object) -> bool:
        return number in self.disks

    @cached_property
    def twins(self) -> dict[str, list[str]]:
        """The disks on each real volume that a unique id names; aliases, which have the same, are none."""
        return _grouped((uid.volume, busid) for uid, busid in self._identified)

    @cached_property
    def lcus(self) -> dict[str, list[str]]:
        """The disks on each LCU that a unique id names."""
        return _grouped((uid.lcu, busid) for uid, busid in self._identified)

    @cached_property
    def _identified(self) -> list[tuple[Uid, str]]:
        """The unique ids of disks, and their bus ids, ascending."""
        row = self.devices.frame.index
        cells = self.devices.columns[0]
        busids = sorted(busid for busid in self.layers.columns[1] if isinstance(busid, str) and busid in row)
        found = []
        for busid in busids:
            cell = cells[row[busid]]
            if not isinstance(cell, str) or not cell.strip():
                cell = self.dasd.of(busid)[-1]
            uid = find_uid(cell)
            if uid:
                found.append((uid, busid))
        return found

    def calls(self, lcu: str) -> dict[str, str]:
        """Return what the site calls an LCU that unique ids name, each time with the first disk called so."""
        found = self._calls.get(lcu)
        if found is None:
            found = self._calls[lcu] = {}
            for busid in self.lcus.get(lcu, ()):
                for name in list(self.called(busid, self.uid(busid)))[:1]:
                    found.setdefault(name, busid)
        return found

    def lss(self, lcu: str, otherwise: Value) -> Value:
        """Return the logical subsystem of an LCU that unique ids name, from the first disk that tells it."""
        found = self._lss.get(lcu)
        if found is None:
            told = (self.dasd.of(busid)[0] for busid in self.lcus.get(lcu, ()))
            found = self._lss[lcu] = next((lss for lss in told if isinstance(lss, int)), otherwise)
        return found

    def uid(self, busid: str) -> Uid | None:
        """Return the unique id of a device: its attribute, else as the configuration data tell it."""
        if busid not in self._uids:
            known = uid_of(self.devices.of(busid)[0])
            if not isinstance(known, Uid):
                known = uid_of(self.dasd.of(busid)[-1])
            self._uids[busid] = known if isinstance(known, Uid) else None
        return self._uids[busid]

    def called(self, busid: str, uid: Uid | None) -> dict[str, str]:
        """Return what the site calls the LCU of a disk, with the place that says so, the best first."""
        names = self._called.get((busid, uid))
        if names is None:
            names = self._called[busid, uid] = {}
            known = self.device(busid).rdev
            rdev = known if isinstance(known, str) else ""
            for row in self.site.map.about(uid, rdev):
                names.setdefault(row.lcu, row.place)
            if rdev and not names:
                for name, rule in self.site.lcu_by_number(rdev, uid.serial if uid else ""):
                    names.setdefault(name, f"{rule.place} ({rule.said})")
        return names

    def mapped(self, lcu: str) -> dict[str, tuple[str, str, Grade]]:
        """Return on what the map puts disks of an LCU that unique ids name: a disk, the place, how sure."""
        found = self._mapped.get(lcu)
        if found is None:
            found = self._mapped[lcu] = {}
            for busid in self.lcus.get(lcu, ()) if self.site.map else ():
                uid, device = self.uid(busid), self.device(busid)
                rdev = device.rdev if isinstance(device.rdev, str) else ""
                for row in self.site.map.about(uid, rdev)[:1]:
                    is_own = uid is not None and row.volume in {uid.volume, uid.lcu}
                    found.setdefault(row.lcu, (busid, row.place, Grade.EXACT if is_own else device.grade))
        return found

    @cached_property
    def wwids(self) -> dict[str, str]:
        """What multipath calls the disks that it joins, by major:minor."""
        frame = self.layers.frame
        rows = zip(frame.column("uuid"), frame.column("below"), strict=True)
        return {
            number: uuid.removeprefix("mpath-")
            for uuid, below in rows
            if isinstance(uuid, str) and uuid.startswith("mpath-") and isinstance(below, str)
            for number in below.split()
        }

    def device(self, busid: str) -> DeviceIdentity:
        """Tell which real device one of this Linux is."""
        known = self._devices.get(busid)
        if known is None:
            known = self._devices[busid] = identify_device(busid, self.testimony, self.host, self.site)
        return known

    def volume(self, number: str) -> Volume:
        """Put together what is known of one disk."""
        name, busid, wwpn, lun, _ = self.layers.of(number)
        if isinstance(wwpn, str):
            chpids = self.devices.of(busid)[2] if isinstance(busid, str) else busid
            return scsi_volume(number, name, busid, chpids, wwpn, lun, self.wwids.get(number, ""))
        if isinstance(busid, str):
            return VolumeBuilder(self, number, name, self.device(busid)).volume()
        return bare(number, name)._replace(disk=name)


def _grouped(busids: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group, busid in busids:
        found.setdefault(group, []).append(busid)
    return found
