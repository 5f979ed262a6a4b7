"""The identity of each disk: its real device, its label, its LCU, from all sources, with every contradiction.

The first of these sources that names the LCU is used: the volume map of the site, the configuration data of
the device, its unique id, CP's answers about the real device, a rule of the site for the number of the real
device.  A volume whose LCU is unknown is a group of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, cached_property

from zmon.base.absent import Absent, absent, code_of, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.base.sizes import SECTOR
from zmon.kinds import CONTRADICTED, MPATH, NO_DASD, NOT_COLLECTED, NOT_JOINED
from zmon.sample import Frame
from zmon.topology.claims import (
    EQID,
    IN_MEMORY,
    NOT_SAID,
    SERIAL,
    VIRTUAL_DISK,
    ClaimIndex,
    DeviceFacts,
    Evidence,
    Grade,
    RealDeviceFacts,
    claims_in,
)
from zmon.topology.lun import (
    NAA_WWID,
    SOURCES,
    LunFacts,
    as_multipath,
    box_of_port,
    parse_lun,
    parse_wwid,
    scsi_volume,
    server_of,
    wwid_of_eqid,
)
from zmon.topology.origins import NO_ORIGINS, Origins
from zmon.topology.volumes import (
    INFO2,
    NO_NUMBER,
    NO_NUMBER_OF_VIRTIO,
    OF_MINIDISK,
    ON_A_TRACK,
    Volume,
    ascending,
    bare,
    doubt_of_label,
    lcu_name,
)
from zmon.values.uid import Uid, find_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.topology.claims import Claim
    from zmon.topology.site import MapRow, Site


class Platform(NamedTuple):
    """The environment of a Linux, which determines whether its device numbers are the real ones."""

    environment: str = ""
    """`lpar`, `zvm`, `kvm` or `none`, which is a machine without partitions; empty when it is not known."""
    guest: str = ""
    """Its user id under z/VM; empty when it is not known."""
    source: str = "/proc/sysinfo"
    """What says so."""

    @property
    def has_real_numbers(self) -> bool:
        """Whether device numbers are those of the real devices."""
        return self.environment in {"lpar", "none"}


UNKNOWN_PLATFORM: Final = Platform()


def platform_of(machine: Frame, origins: Origins = NO_ORIGINS) -> Platform:
    """Return the environment of a Linux, from the frame that describes its machine.

    It is unknown without /proc/sysinfo, and under a hypervisor that is neither z/VM nor KVM.
    """
    environment, program, maker, guest = (
        text_of(machine.cell("machine", name))
        for name in ("environment", "control_program", "manufacturer", "guest_name")
    )
    is_known = environment != "none" or (maker and not program)
    source = origins.of("machine", "machine", "environment", Platform().source)
    return Platform(environment if is_known else "", guest, source)


_REAL_NUMBERS: Final = absent("in an LPAR devices have their real numbers")
NO_PLATFORM: Final = absent(
    "whether this is an LPAR or a guest is not known: /proc/sysinfo is missing, or names no known hypervisor"
)
OF_KVM: Final = absent("KVM does not show its guest the number of the real device")


def identify_device(busid: str, claims: ClaimIndex, platform: Platform, site: Site) -> DeviceFacts:
    """Return the real device of a device of this Linux: in a guest by claims or by the site."""
    head, _, devno = busid.upper().rpartition(".")
    # CP and machines write the subchannel set in front of the number, where it is not 0
    devno = devno if head.endswith(".0") else head.rpartition(".")[2] + devno
    facts = claims.device(devno)
    if platform.has_real_numbers:
        where = "an LPAR" if platform.environment == "lpar" else "a machine without partitions"
        said = Evidence(platform.source, f"{where}: {devno} is the number of the real device")
        against = tuple(
            f"{evidence.source} describes {devno} as a device of a guest, but this is {where}: not used"
            for evidence in facts.evidence[:1]
        )
        return DeviceFacts(_REAL_NUMBERS, devno, grade=Grade.EXACT, evidence=(said,), conflicts=against)
    rule = site.vdev_is_rdev
    if isinstance(facts.rdev, str):
        if rule and facts.rdev != devno:
            against = (f"{rule} says that {devno} is the real device {devno}, but claims say {facts.rdev}",)
            return facts._replace(conflicts=facts.conflicts + against)
    elif rule and not facts.conflicts:
        said = Evidence(rule, f"{devno} is the number of the real device too", Grade.ASSUMED)
        return facts._replace(rdev=devno, grade=Grade.ASSUMED, evidence=(*facts.evidence, said))
    elif not facts.is_claimed and platform.environment != "zvm":
        facts = facts._replace(rdev=OF_KVM if platform.environment == "kvm" else NO_PLATFORM)
    if not platform.environment and not facts.is_claimed and not rule:
        return facts._replace(vdev=NO_PLATFORM)
    return facts


_ONLY_FCP: Final = absent("only a SCSI disk behind an FCP adapter has this")
LSS_OF_GUEST: Final = absent("under z/VM the configuration data may name another LSS than the real one")
_NO_SIDE: Final = absent("known only of a DS8000 whose LSS is known, or by the volume map of the site")
_TWO_STEPS: Final = absent(
    "CP's answer to QUERY VIRTUAL DASD has the real device, and its LCU is in that to QUERY DASD DETAILS, or"
    " in lcu_by_number of the site file"
)
_CONTRADICT: Final = absent("the rules of the site contradict each other about its number")
_FBA: Final = absent("an FBA disk is on no LCU that Linux or CP could name; the volume map of the site can")
_FBA_OF_ZVM: Final = absent(
    "an FBA disk of z/VM is in its memory (V-DISK) or emulated on SCSI (EDEV): give zmon CP's answer to"
    " QUERY VIRTUAL DASD, which tells it"
)
EMULATED: Final = "emulated on SCSI"
"""What CP does with the disks that it calls EDEV."""
NOT_ON_LINE: Final = "channel paths that CP has not on line to"
"""How what CP says of lost channel paths begins; the real device follows."""
IN_LINUX: Final = IN_MEMORY.about("a disk of this Linux itself")
_NOT_CALLED: Final = absent("neither a rule nor the volume map of the site names its LCU")

DS8000: Final = "2107"
"""Machine type of a storage server whose even and odd LSSs belong to different servers."""

REAL_LSS: Final = frozenset({"lpar", "kvm", "none"})
"""The environments in which a device has the configuration data of the real one."""

_STANDARD_CYLINDERS: Final = 1113
"""Cylinders of a 3390-1; models 2, 3 and 9 and many larger volumes have a multiple."""
_ODD_CYLINDERS: Final = frozenset({32760, 65520})
"""Cylinders of models 27 and 54."""


class _LcuChoice(NamedTuple):
    """The LCU by the best source."""

    name: Value
    key: str
    grade: Grade = Grade.UNKNOWN
    source: str = ""
    said: str = ""


class VolumeBuilder:
    """Joins the facts of all sources about one disk of the channel subsystem, and collects contradictions."""

    def __init__(self, index: VolumeIndex, number: str, name: Value, busid: str) -> None:
        self.index = index
        self.number = number
        self.name = name
        self.busid = busid
        self.facts = facts = index.device(busid)
        self.uid, self.cutype, self.chpids, _ = index.devices.of(busid)
        is_dasd = not isinstance(name, str) or name.startswith(
            "dasd"
        )  # other disks behind ccw devices have names of their own
        own: Sequence[Value] = index.dasd.of(busid) if is_dasd else [NO_DASD] * len(index.dasd.columns)
        self.lss, self.label, self.cylinders, self.discipline, self.storage, *self.blocks, told_uid = own
        self.conflicts = list(facts.conflicts)
        if unlike := self._other_size():
            # an answer of another time or guest: it may still be true, but is not certain
            self.conflicts.append(unlike)
            doubtful = tuple(
                evidence._replace(grade=min(evidence.grade, Grade.ASSUMED)) for evidence in facts.evidence
            )
            self.facts = facts = facts._replace(grade=min(facts.grade, Grade.ASSUMED), evidence=doubtful)
        self.evidence = list(facts.evidence)
        self.rdev = text_of(facts.rdev)
        self.source = index.source_of_uid(busid)
        if find_uid(self.uid) is None and isinstance(told_uid, str):
            self.uid = told_uid
        if not is_dasd and isinstance(self.uid, Absent):
            self.uid = NO_DASD  # no tool would have it
        self.rows: list[MapRow] = []
        self.real = RealDeviceFacts()
        if self.rdev and isinstance(facts.vdev, str):
            self.real = index.claims.real(self.rdev)
            self.conflicts += self.real.conflicts
            for claim in self.real.lost_paths:
                said = f"{NOT_ON_LINE} {self.rdev}: {claim.paths} ({claim.place})"
                self.evidence.append(Evidence(claim.place, said, claim.grade))

    def volume(self) -> Volume:
        """Put the volume together."""
        facts, real = self.facts, self.real
        own = self.index.uid(self.busid)
        if own:
            self._compare(own)
        uid = own or self._twin()
        lss = self._lss(own)
        volser = facts.volser if isinstance(facts.volser, str) else real.volser
        self._compare_labels(volser)
        self.rows = self.index.site.map.about(uid, self.rdev)
        names = self.index.called(self.busid, uid)
        called = self._called(uid, names)
        lcu = self._lcu(uid, lss, names, facts.grade if uid is not own else Grade.EXACT)
        if own and lcu.source != self.source:
            self.evidence.append(Evidence(self.source, str(self.uid)))
        if lcu.said:
            self.evidence.append(Evidence(lcu.source, lcu.said, lcu.grade))
        volume = Volume(
            number=self.number,
            disk=self.name,
            busid=self.busid,
            vdev=facts.vdev,
            rdev=facts.rdev,
            volser=self._label_of_volume(volser),
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
            joined=_ONLY_FCP,
            grade=lcu.grade,
            evidence=tuple(self.evidence),
            conflicts=tuple(dict.fromkeys(self.conflicts)),
        )
        return self._emulated(volume) if isinstance(lcu.name, Absent) and real.emulated else volume

    def _emulated(self, volume: Volume) -> Volume:
        """Return a disk that CP emulates on SCSI with the LSS of its LUN, if that names one."""
        claim = self.real.emulated[0]
        paths = [path.split() for path in claim.paths.split(", ") if path.count(" ") >= 2]
        listed = "; ".join(
            f"LUN {lun} of WWPN {wwpn} over FCP device {' '.join((fcp, *status))}"
            for fcp, wwpn, lun, *status in paths
        )
        names = dict(part.split() for part in claim.paths.split(", ") if part.count(" ") == 1)
        eqid = names.get(EQID, "")
        said = f"{self.rdev} is {EMULATED} (EDEV): {listed or 'CP names no path'}"
        said += f"; EQID {eqid}" if eqid else ""
        evidence = (*volume.evidence, Evidence(claim.place, said, claim.grade))
        if len({path[2] for path in paths}) != 1:
            return volume._replace(lcu=absent(said), evidence=evidence)
        _fcp, wwpn, lun = paths[0][:3]
        wwid, serial = wwid_of_eqid(eqid), names.get(SERIAL, "")
        scsi = scsi_volume(
            LunFacts(self.number, self.name, self.busid, self.chpids, wwpn, lun, wwid, serial, "")
        )
        named = parse_wwid(wwid)
        boxes = {box_of_port(path[1]): path[1] for path in paths}
        conflicts = tuple(
            f"{self.name}: its EQID names the storage server {named.box}, its WWPN {port} is a port of {box}"
            for box, port in boxes.items()
            if named and box not in {"", named.box}
        )
        if isinstance(scsi.lcu, Absent):
            return volume._replace(lcu=absent(f"{said}; {scsi.lcu.reason}"), evidence=evidence)
        return volume._replace(
            **{
                name: getattr(scsi, name) for name in ("lcu", "key", "spindle", "serial", "lss", "ua", "side")
            },
            grade=min(scsi.grade, self.facts.grade, Grade.ASSUMED if conflicts else Grade.EXACT),
            conflicts=(*volume.conflicts, *scsi.conflicts, *conflicts),
            evidence=(*evidence, scsi.evidence[-1]._replace(source=claim.place)),
        )

    def _compare(self, uid: Uid) -> None:
        """Compare the unique id with CP's answers about the real device, and with other disks."""
        for what, said, kernel in (
            ("SSID", self.real.ssid, uid.ssid.upper()),
            ("unit address", self.real.ua, uid.ua.upper()),
        ):
            if isinstance(said, str) and said.upper() != kernel:
                text = f"{what} {kernel} by the uid of {self.busid}, {said} by CP for {self.facts.rdev}"
                self.conflicts.append(text)
        for busid in self._companions():
            other = self.index.uid(busid)
            if other and other.volume != uid.volume:
                self.conflicts.append(
                    f"{self.busid} and {busid} are both on {self.rdev} as claims say, "
                    f"but their unique ids name {uid.volume} and {other.volume}"
                )
        if self.rdev and isinstance(self.facts.vdev, str):
            for busid in self.index.twins.get(uid.volume, ()):
                rdev = text_of(self.index.device(busid).rdev)
                if rdev not in {"", self.rdev}:
                    self.conflicts.append(
                        f"{self.busid} and {busid} are both on {uid.volume} as their unique ids say, "
                        f"but claims name {self.rdev} and {rdev}"
                    )

    def _source(self, field: str, file: str) -> str:
        """Return where what the DASD driver knows of the disk is from: a text, or this file."""
        return self.index.origins.of("dasd", self.busid, field, file)

    def _companions(self) -> Iterator[str]:
        """Yield the bus ids of the other disks that claims put on the same real device."""
        if self.rdev and self.facts.is_claimed:
            for vdev in self.index.claims.on(self.rdev):
                if vdev != self.facts.vdev:
                    yield f"{self.busid[:-4]}{vdev.lower()}"

    def _twin(self) -> Uid | None:
        """Return the unique id of another disk on the same real device, when this one has none."""
        uids = {busid: uid for busid in self._companions() if (uid := self.index.uid(busid))}
        if len({uid.volume for uid in uids.values()}) != 1:
            return None
        busid = min(uids)
        said = f"{uids[busid]}, of a disk on {self.rdev} too"
        self.evidence.append(Evidence(self.index.source_of_uid(busid), said, self.facts.grade))
        return uids[busid]

    def _lss(self, uid: Uid | None) -> Value:
        """Return the logical subsystem as two hex digits, when it is the real one.

        The value of one disk applies to its whole LCU.
        """
        lss_known = self.index.lss(uid.lcu) if uid else None
        number = self.lss if isinstance(self.lss, int) or lss_known is None else lss_known
        if not isinstance(number, int):
            return number
        lss = f"{number:02X}"
        if self.index.platform.environment in REAL_LSS and not (uid and uid.token):
            return lss
        said = f"LSS {lss}; of a guest's disk it may not be the real one"
        self.evidence.append(Evidence(self._source("lss", INFO2), said, Grade.ASSUMED))
        return LSS_OF_GUEST

    def _compare_labels(self, volser: Value) -> None:
        """Compare the label on the disk with that of the volume; a minidisk may have one of its own."""
        if not isinstance(self.label, str):
            if isinstance(self.label, Absent) and self.label.code == CONTRADICTED.code:
                self.conflicts += [f"the label: {said}" for said in self.label.facts]
            return
        source = self._source("volser", f"/run/udev/data/b{self.number}")
        if isinstance(volser, str) and volser != self.label and _begins_volume(self.facts):
            self.conflicts.append(f"the label: {volser} by claims, {self.label} on the disk ({source})")
        doubt = self._doubt_of_label() if volser != self.label else None
        is_own = volser != self.label and self.facts.is_minidisk
        whose = " of its own" if is_own or doubt is OF_MINIDISK else ", whose is not known" if doubt else ""
        self.evidence.append(Evidence(source, f"label {self.label}{whose}"))

    def _label_of_volume(self, volser: Value) -> Value:
        """Return the label of the volume: by claims, else that on the disk, unless it may be a minidisk's."""
        if isinstance(volser, str) or isinstance(self.label, Absent):
            is_told = isinstance(volser, str) or code_of(self.label) != CONTRADICTED.code
            return volser if is_told else self.label
        return self._doubt_of_label() or self.label

    def _doubt_of_label(self) -> Absent | None:
        """Return why the label on the disk may be that of a minidisk, and not of the volume."""
        if self.facts.is_minidisk is not None:
            return None if _begins_volume(self.facts) else OF_MINIDISK
        return doubt_of_label(self.uid, self.index.platform.environment, self.index.origins, self.source)

    def _other_size(self) -> str:
        """Return a remark if CP reports another size than Linux; empty if they agree or one is unknown."""
        length = self.facts.length
        sizes, unit = self._sizes() if length is not None else ([], "")
        others = dict.fromkeys(size for possible in sizes if length not in possible for size in possible)
        if not others:
            return ""
        return (
            f"CP reports a size of {length} for {self.facts.vdev}, in cylinders or blocks, Linux sees"
            f" {' or '.join(map(str, others))} {unit}: the answer may be old, or that of another guest"
        )

    def _sizes(self) -> tuple[list[list[int]], str]:
        """Return what each source of Linux says of the size in CP's unit, cylinders or blocks.

        The driver reports cylinders with BIODASDINFO2, which needs privileges.  Others are computed from the
        blocks in /proc/dasd/devices, and from the sectors in sysfs for each possible block size; a disk of
        which nothing says that it is ECKD may have as many blocks.
        """
        sectors = self.index.layers.of(self.number)[-1]
        length = sectors * SECTOR if isinstance(sectors, int) else 0
        size, blocks = self.blocks
        driver = (
            self.discipline if isinstance(self.discipline, str) else self.index.devices.of(self.busid)[-1]
        )
        is_open = driver != "ECKD" and self.facts.length == sectors
        if driver == "FBA" or is_open:
            return [[length // SECTOR]] if length else [], "blocks"
        cylinders = [15 * count * size for size, count in ON_A_TRACK.items()]  # bytes of one
        sizes = [[length // cylinder for cylinder in cylinders if not length % cylinder]] if length else []
        if isinstance(self.cylinders, int):
            sizes.append([self.cylinders])
        if isinstance(size, int) and isinstance(blocks, int) and size in ON_A_TRACK:
            sizes.append([blocks // (15 * ON_A_TRACK[size])])
        return list(filter(None, sizes)), "cylinders"

    def _called(self, uid: Uid | None, names: dict[str, str]) -> Value:
        """Return the site's name of the LCU, and note where the site contradicts itself or unique ids."""
        if not names:
            return _NOT_CALLED
        (name, place), *rest = names.items()
        if rest:
            text = ", ".join(f"{other} by {where}" for other, where in names.items())
            self.conflicts.append(f"the site calls the LCU of {self.busid} {text}")
        if uid is not None:
            for other, disk in self.index.calls(uid.lcu).items():
                if other != name:
                    self.conflicts.append(
                        f"{self.busid} is on {name} by {place} and {disk} on {other}, "
                        f"but their unique ids name the same LCU, {uid.lcu}"
                    )
            for lcu in sorted(self.index.lcus) if self.rows else ():
                disk = self.index.calls(lcu).get(name, "")
                if disk and lcu != uid.lcu:
                    self.conflicts.append(
                        f"{self.busid} and {disk} are both on {name} by {place}, "
                        f"but their unique ids name {uid.lcu} and {lcu}"
                    )
        if self.rows:
            return name
        if rest or uid is None:
            return _NOT_CALLED if rest else name
        # the number of one disk may be mistyped: the unique ids are certain, and one LCU has one name
        return self.index.title(uid.lcu) or _NOT_CALLED

    def _lcu(self, uid: Uid | None, lss: Value, names: dict[str, str], grade: Grade) -> _LcuChoice:
        """Return the LCU by the best source; `grade` is the certainty that the unique id is this disk's."""
        if self.rows:
            row = self.rows[0]
            if not (uid and row.volume in {uid.volume, uid.lcu}):
                grade = self.facts.grade
            return _LcuChoice(row.lcu, row.lcu, grade, row.place, f"{row.volume} is on {row.lcu}")
        if uid:
            return self._lcu_by_uid(uid, lss, grade)
        if isinstance(self.real.ssid, str):
            evidence = self.real.evidence[0]
            grade = min(Grade.ASSUMED, evidence.grade, self.facts.grade)
            said = f"{evidence.said}, of which storage server is not said"
            return _LcuChoice(
                lcu_name(self.real.ssid), f"SSID {self.real.ssid}", grade, evidence.source, said
            )
        if len(names) == 1 and self.discipline != "FBA":
            ((name, place),) = names.items()
            return _LcuChoice(name, name, Grade.ASSUMED, place, f"{self.rdev} is on {name}")
        return _LcuChoice(self._why_no_lcu(names), f"disk {self.busid}")

    def _lcu_by_uid(self, uid: Uid, lss: Value, grade: Grade) -> _LcuChoice:
        """Return the LCU of the unique id, with the name that the map gives to another of its disks.

        Without that one LCU would appear twice: for the disks in the map, and for the others.
        """
        mapped = self.index.mapped(uid.lcu)
        if len(mapped) == 1:
            ((name, (busid, place, sure)),) = mapped.items()
            said = f"{busid} is on {name}, and so is all of {uid.lcu}"
            return _LcuChoice(name, name, min(grade, sure), place, said)
        if mapped:
            text = ", ".join(f"{name} by {place}" for name, (_, place, _) in mapped.items())
            self.conflicts.append(f"{self.busid} is on {uid.lcu}, which is {text}: neither of them is used")
        if isinstance(lss, str):
            self.evidence.append(Evidence(self._source("lss", INFO2), f"LSS {lss} of {uid.serial}"))
        said = f"{uid}: SSID {uid.ssid.upper()}" if self.index.uid(self.busid) else ""
        return _LcuChoice(self.index.lcu_of(uid), uid.lcu, grade, self.source, said)

    def _why_no_lcu(self, names: dict[str, str]) -> Absent:
        if self.facts.rdev is VIRTUAL_DISK or self.discipline == "FBA":
            return self._why_no_lcu_of_fba()
        if names:
            return _CONTRADICT
        if isinstance(self.uid, Absent) and self.uid.code == CONTRADICTED.code:
            return _contradicted("unique id", self.uid)
        if isinstance(self.uid, Absent) and self.uid.code == NOT_COLLECTED.code:
            return absent(f"{self.uid.reason}, whose unique ids name the LCUs")
        if isinstance(self.facts.rdev, Absent):
            return _TWO_STEPS if self.facts.rdev is NOT_SAID else self.facts.rdev
        return absent(
            f"no uid, and nothing says on which LCU {self.rdev} is: give zmon CP's answer to"
            " QUERY DASD DETAILS, or lcu_by_number in the site file"
        )

    def _why_no_lcu_of_fba(self) -> Absent:
        if self.facts.rdev is VIRTUAL_DISK:
            return VIRTUAL_DISK
        if self.index.platform.environment in REAL_LSS:
            return _FBA
        if not self.rdev:
            return _FBA_OF_ZVM
        return absent(
            f"an FBA disk of z/VM on {self.rdev} is {EMULATED} (EDEV): give zmon CP's answer to"
            f" QUERY EDEVICE {self.rdev} DETAILS, which names its LUN"
        )

    def _spindle(self, uid: Uid | None) -> str:
        if uid:
            return uid.volume
        if self.rdev:
            return f"rdev {self.rdev}"
        if self.facts.is_minidisk and isinstance(self.facts.volser, str) and not self.facts.conflicts:
            return f"label {self.facts.volser}"
        return f"disk {self.busid}"

    def _by_cp(self, said: Value) -> Value:
        """Return the value from CP; in an environment without CP, the reason why the kernel has none."""
        return said if self.index.platform.environment == "zvm" or isinstance(said, str) else self.uid

    def _side(self, lss: Value, called: Value) -> Value:
        """Return the server inside the box: by the map, else by the LSS of a DS8000."""
        row = self.index.site.map.lcu(called) if isinstance(called, str) else None
        if row and row.server:
            return row.server
        box = text_of(self.cutype), text_of(self.storage)
        if isinstance(lss, str) and any(kind.startswith(DS8000) for kind in box):
            return server_of(lss)
        return _NO_SIDE


def _contradicted(what: str, why: Absent) -> Absent:
    """Return why an LCU is not known: what names it has two values."""
    return CONTRADICTED.about(f"its {what} is {', '.join(why.facts)}")


def _begins_volume(facts: DeviceFacts) -> bool:
    """Return whether a disk is the whole volume or begins at its first cylinder, and so has its label."""
    if facts.is_minidisk and facts.first is None:
        length = facts.length or 1
        return length % _STANDARD_CYLINDERS == 0 or length in _ODD_CYLINDERS
    return facts.is_minidisk is False or facts.first == 0


_NOT_READ: Final = absent("this device was not read")


class _Rows:
    """Some columns of a frame, row by row."""

    def __init__(self, frame: Frame, *names: str) -> None:
        self.frame = frame
        self.columns = [frame.column(name) for name in names]

    def of(self, key: str) -> list[Value]:
        row = self.frame.index.get(key)
        if row is None:
            return [self.frame.missing or _NOT_READ] * len(self.columns)
        return [column[row] for column in self.columns]


class VolumeIndex(Mapping[str, Volume]):
    """Every whole disk of a machine by major:minor, each identified on first access.

    Locating a file needs a few of thousands.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - one for each source
        self,
        layers: Frame,
        devices: Frame,
        dasd: Frame,
        claims: Frame | Sequence[Claim],
        site: Site,
        platform: Platform = UNKNOWN_PLATFORM,
        origins: Origins = NO_ORIGINS,
    ) -> None:
        """Take all sources."""
        self.site = site
        self.origins = origins
        """The texts that values of the frames are from."""
        self.platform = platform
        self.claims = ClaimIndex(
            claims_in(claims) if isinstance(claims, Frame) else claims, platform.guest, site
        )
        self.layers = _Rows(layers, "name", "busid", "wwpn", "lun", "wwid", "serial", "size")
        self.devices = _Rows(devices, "uid", "cutype", "chpids", "discipline")
        self.dasd = _Rows(
            dasd, "lss", "volser", "cylinders", "discipline", "storage", "block_size", "blocks", "uid"
        )
        self._volume: Callable[[str], Volume] = cache(self._compared)
        self.device: Callable[[str], DeviceFacts] = cache(self._device)
        """Returns the real device of a device of this Linux."""
        self.uid: Callable[[str], Uid | None] = cache(self._uid)
        """Returns the unique id of a device: its attribute, else as in the configuration data."""
        self.called: Callable[[str, Uid | None], dict[str, str]] = cache(self._called)
        """Returns the names of the LCU of a disk in the site files, each with its place, the best first."""
        self.calls: Callable[[str], dict[str, str]] = cache(self._calls)
        """Returns the site's names of an LCU of unique ids, each with the first disk that has the name."""
        self.title: Callable[[str], str] = cache(self._title)
        """Returns the site's name of an LCU of unique ids; empty where it has none for most of its disks."""
        self.lss: Callable[[str], int | None] = cache(self._lss)
        """Returns the logical subsystem of an LCU of unique ids, from the first disk that has it."""
        self.mapped: Callable[[str], dict[str, tuple[str, str, Grade]]] = cache(self._mapped)
        """Returns the map's names of an LCU of unique ids, each with a disk, the place and the grade."""

    @cached_property
    def disks(self) -> dict[str, None]:
        """The whole disks, and multipath devices with a WWID that no known disk is a path to."""
        frame = self.layers.frame
        rows = zip(frame.keys, frame.column("sort"), strict=True)
        return {number: None for number, sort in rows if sort == "disk" or number in self.pathless}

    @cached_property
    def boxes(self) -> Counter[str]:
        """How many storage servers have an LCU of a number, by unique ids."""
        layers = self.layers.frame
        rows = zip(layers.column("busid"), layers.column("wwid"), strict=True)
        by_name = (wwid for busid, wwid in rows if isinstance(busid, Absent))
        uids = filter(None, map(find_uid, (*self.devices.frame.column("uid"), *by_name)))
        return Counter(ssid for _lcu, ssid in {(uid.lcu.upper(), uid.ssid.upper()) for uid in uids})

    def lcu_of(self, uid: Uid) -> str:
        """Return what the LCU of a unique id is called, with the storage server where two have its number."""
        return lcu_name(uid.ssid, uid.serial if self.boxes[uid.ssid.upper()] > 1 else "")

    @cached_property
    def pathless(self) -> dict[str, str]:
        """The WWIDs of these multipath devices."""
        frame = self.layers.frame
        disks = {
            number for number, sort in zip(frame.keys, frame.column("sort"), strict=True) if sort == "disk"
        }
        rows = zip(frame.keys, *(map(text_of, frame.column(name)) for name in ("uuid", "below")), strict=True)
        return {
            number: uuid.removeprefix(MPATH)
            for number, uuid, below in rows
            if re.fullmatch(f"{MPATH}{NAA_WWID}", uuid) and disks.isdisjoint(below.split())
        }

    def __getitem__(self, number: str) -> Volume:
        if number not in self.disks:
            raise KeyError(number)
        return self._volume(number)

    def __iter__(self) -> Iterator[str]:
        return iter(self.disks)

    def __len__(self) -> int:
        return len(self.disks)

    def __contains__(self, number: object) -> bool:
        return number in self.disks

    def _compared(self, number: str) -> Volume:
        volume, told = self._make(number), self._sizes_told.get(number)
        return volume._replace(conflicts=(*volume.conflicts, *told)) if told else volume

    @cached_property
    def _sizes_told(self) -> dict[str, list[str]]:
        """What texts contradict each other about the sizes of disks, and of what lies on them."""
        frame, told = self.layers.frame, dict[str, list[str]]()
        rows = zip(frame.keys, frame.column("size"), strict=True) if self.origins else ()
        for number, size in rows:
            if isinstance(size, Absent) and size.code == CONTRADICTED.code:
                there = [number, *text_of(frame.cell(number, "below")).split()]
                for disk in dict.fromkeys((*there, *(text_of(frame.cell(foot, "parent")) for foot in there))):
                    told.setdefault(disk, []).append(f"sizes: {', '.join(size.facts)}")
        return told

    def _make(self, number: str) -> Volume:
        name, busid, wwpn, lun, wwid, serial, _ = self.layers.of(number)
        joined, told, above = self.joined.get(number, (NOT_JOINED, "", ""))
        is_naa = re.fullmatch(NAA_WWID, told) is not None and not isinstance(busid, str)
        is_scsi = text_of(name).startswith("sd") or is_naa or name == number  # one that was removed
        told = told or as_multipath(text_of(wwid))
        if number in self.pathless:
            is_scsi, joined, told, above = True, name, self.pathless[number], number
            name = self.layers.frame.cell(number, "mapped")
        is_numbered = is_scsi and parse_lun(text_of(lun)) is not None  # as its address in Linux tells
        if isinstance(wwpn, str) or (is_scsi and told) or is_numbered:
            chpids = self.devices.of(busid)[2] if isinstance(busid, str) else busid
            sources = self._sources_of_lun(number, above)
            return scsi_volume(
                LunFacts(number, name, busid, chpids, wwpn, lun, told, text_of(serial), joined, sources)
            )
        if isinstance(busid, str):
            return VolumeBuilder(self, number, name, busid).volume()
        if isinstance(busid, Absent) and busid.code == CONTRADICTED.code:
            return bare(number, _contradicted("bus id", busid))._replace(disk=name)
        if text_of(name).startswith("sd") and code_of(wwpn) == NOT_COLLECTED.code:
            return bare(number, wwpn)._replace(disk=name)
        if re.match("z?ram[0-9]", text_of(name)):
            return bare(number, IN_LINUX)._replace(disk=name)
        is_virtio = text_of(name).startswith("vd") and code_of(busid) == NOT_COLLECTED.code
        is_dasd = text_of(name).startswith("dasd")
        reason = NO_NUMBER if is_dasd else NO_NUMBER_OF_VIRTIO if is_virtio else name
        volume = bare(number, reason)._replace(disk=name)
        if is_dasd and isinstance(serial, str):  # the label, which the kernel's log has by the name
            volume = volume._replace(label=serial)
        uid = find_uid(wwid) if is_dasd else None
        return self._with_uid(volume, uid) if uid else volume

    def _with_uid(self, volume: Volume, uid: Uid) -> Volume:
        """Return a DASD with the unique id that links of udev have by its name; it has no bus id there."""
        source = self.origins.of("layer", volume.number, "wwid", f"/run/udev/data/b{volume.number}")
        evidence = Evidence(source, f"{uid}: SSID {uid.ssid.upper()}")
        return volume._replace(
            uid=str(uid), serial=uid.serial, ssid=uid.ssid.upper(), ua=uid.ua.upper(), lcu=self.lcu_of(uid),
            key=uid.lcu, spindle=uid.volume, grade=Grade.EXACT, evidence=(evidence,),
        )  # fmt: skip

    def _sources_of_lun(self, number: str, joined: str) -> Mapping[str, str]:
        """Return what says the address, WWID and serial number of a SCSI disk, which one may join."""
        of_wwid = (joined, "uuid") if joined else (number, "wwid")
        fields = {"address": (number, "lun"), "WWID": of_wwid, "serial number": (number, "serial")}
        return {
            what: self.origins.of("layer", key, field, SOURCES[what]) for what, (key, field) in fields.items()
        }

    def _device(self, busid: str) -> DeviceFacts:
        return identify_device(busid, self.claims, self.platform, self.site)

    def _uid(self, busid: str) -> Uid | None:
        return find_uid(self.devices.of(busid)[0]) or find_uid(self.dasd.of(busid)[-1])

    def source_of_uid(self, busid: str) -> str:
        """Return where the unique id of a device is from: its attribute, else its configuration data."""
        if find_uid(self.devices.of(busid)[0]) is None and isinstance(self.dasd.of(busid)[-1], str):
            return self.origins.of("dasd", busid, "uid", INFO2)
        return self.origins.of("device", busid, "uid", f"/sys/bus/ccw/devices/{busid}/uid")

    @cached_property
    def joined(self) -> dict[str, tuple[Value, str, str]]:
        """Of the paths that multipath joins: the multipath device, the WWID that it has read, its number."""
        frame = self.layers.frame
        rows = zip(frame.keys, *(frame.column(field) for field in ("name", "uuid", "below")), strict=True)
        return {
            number: (name, uuid.removeprefix(MPATH), above)
            for above, name, uuid, below in rows
            if isinstance(uuid, str) and uuid.startswith(MPATH) and isinstance(below, str)
            for number in below.split()
        }

    # --- other disks on the same volume or LCU -----------------------------------

    @cached_property
    def twins(self) -> dict[str, list[str]]:
        """The disks on each real volume that a unique id names; aliases, which share it, are left out."""
        return self._grouped("volume")

    @cached_property
    def lcus(self) -> dict[str, list[str]]:
        """The disks on each LCU that a unique id names."""
        return self._grouped("lcu")

    def _grouped(self, group: str) -> dict[str, list[str]]:
        """Return the bus ids of disks, ascending, by a part of their unique ids."""
        groups: dict[str, list[str]] = {}
        row = self.devices.frame.index
        for busid in sorted(
            busid for busid in self.layers.columns[1] if isinstance(busid, str) and busid in row
        ):
            uid = self.uid(busid)
            if uid:
                groups.setdefault(getattr(uid, group), []).append(busid)
        return groups

    def _calls(self, lcu: str) -> dict[str, str]:
        names: dict[str, str] = {}
        for busid in self.lcus.get(lcu, ()):
            for name in list(self.called(busid, self.uid(busid)))[:1]:
                names.setdefault(name, busid)
        return names

    def _title(self, lcu: str) -> str:
        said = (self.called(busid, self.uid(busid)) for busid in self.lcus.get(lcu, ()))
        names = Counter(name for names_said in said if len(names_said) == 1 for name in names_said)
        name, count = next(iter(names.most_common(1)), ("", 0))
        return name if 2 * count > names.total() else ""

    def _called(self, busid: str, uid: Uid | None) -> dict[str, str]:
        rdev = text_of(self.device(busid).rdev)
        names: dict[str, str] = {}
        for row in self.site.map.about(uid, rdev):
            names.setdefault(row.lcu, row.place)
        if rdev and not names:
            for name, rule in self.site.lcu_by_number(rdev, uid.serial if uid else ""):
                names.setdefault(name, f"{rule.place} ({rule.said})")
        return names

    def _lss(self, lcu: str) -> int | None:
        said = (self.dasd.of(busid)[0] for busid in self.lcus.get(lcu, ()))
        return next((lss for lss in said if isinstance(lss, int)), None)

    def _mapped(self, lcu: str) -> dict[str, tuple[str, str, Grade]]:
        names: dict[str, tuple[str, str, Grade]] = {}
        for busid in self.lcus.get(lcu, ()) if self.site.map else ():
            uid, facts = self.uid(busid), self.device(busid)
            for row in self.site.map.about(uid, text_of(facts.rdev))[:1]:
                is_own = uid is not None and row.volume in {uid.volume, uid.lcu}
                names.setdefault(row.lcu, (busid, row.place, Grade.EXACT if is_own else facts.grade))
        return names
