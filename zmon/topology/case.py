"""One disk of the channel subsystem: all that any source says of it, joined, and what contradicts what.

Sources are asked in this order, and the first that knows names the LCU: the volume map of the site, the
configuration data of the device, its unique id, what CP says of the real device, the number of the real
device with a rule of the site.  What contradicts is reported, and never chosen silently.  A volume whose
LCU nobody knows is a group of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.topology.evidence import Evidence, Grade
from zmon.topology.lcu import identity
from zmon.topology.lcu import name_of as lcu_name
from zmon.topology.testimony import NOTHING, UNHEARD
from zmon.topology.volume import Volume, ascending

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Value
    from zmon.topology.realdevice import RealDevice
    from zmon.topology.testimony import Told
    from zmon.topology.uid import Uid
    from zmon.topology.volumemap import Row
    from zmon.topology.volumes import Volumes

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


class _Lcu(NamedTuple):
    """What the best source says of the LCU."""

    name: Value
    key: str
    grade: Grade
    source: str
    said: str


class Case:
    """What is found of one disk of the channel subsystem, and what contradicts what."""

    def __init__(self, everything: Volumes, number: str, name: Value, device: RealDevice) -> None:
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
        if isinstance(identity(self.uid), Absent) and isinstance(told_uid, str):
            self.uid, self.source = told_uid, "BIODASDINFO2"
        self.rows: list[Row] = []
        self.real = UNHEARD
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
        if self.rdev and device.told is not NOTHING:
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

    def _lcu(self, uid: Uid | None, lss: Value, names: dict[str, str], grade: Grade) -> _Lcu:
        """Take what the best source says; `grade` is how sure the unique id is that of this disk."""
        device, real = self.device, self.real
        if self.rows:
            row = self.rows[0]
            if not (uid and row.volume in {uid.volume, uid.lcu}):
                grade = device.grade
            return _Lcu(row.lcu, row.lcu, grade, row.place, f"{row.volume} is on {row.lcu}")
        if uid:
            return self._by_uid(uid, lss, grade)
        if isinstance(real.ssid, str):
            name = lcu_name(real.ssid)
            heard = real.evidence[0]
            grade = min(Grade.ASSUMED, heard.grade, device.grade)
            said = f"{heard.said}, of which storage server is not said"
            return _Lcu(name, f"SSID {real.ssid}", grade, heard.source, said)
        if len(names) == 1 and self.discipline != "FBA":
            ((name, place),) = names.items()
            return _Lcu(name, name, Grade.ASSUMED, place, f"{self.rdev} is on {name}")
        return _Lcu(self._why(names), f"disk {device.busid}", Grade.UNKNOWN, "", "")

    def _by_uid(self, uid: Uid, lss: Value, grade: Grade) -> _Lcu:
        """Take the LCU that the unique id names, called as the map calls it for another of its disks.

        Else one LCU would be two: that of the disks which the map knows, and that of the others.
        """
        mapped = self.all.mapped(uid.lcu)
        if len(mapped) == 1:
            ((name, (busid, place, sure)),) = mapped.items()
            said = f"{busid} is on {name}, and so is all of {uid.lcu}"
            return _Lcu(name, name, min(grade, sure), place, said)
        if mapped:
            words = ", ".join(f"{name} by {place}" for name, (_, place, _) in mapped.items())
            self.conflicts.append(
                f"{self.device.busid} is on {uid.lcu}, which is {words}: neither of them is used"
            )
        if isinstance(lss, str):
            self.evidence.append(Evidence("BIODASDINFO2", f"LSS {lss} of {uid.serial}"))
        said = f"{uid}: SSID {uid.ssid.upper()}" if self.all.uid(self.device.busid) else ""
        return _Lcu(lcu_name(uid.ssid), uid.lcu, grade, self.source, said)

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


def _begins_volume(told: Told) -> bool:
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
