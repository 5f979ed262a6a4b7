"""The identity of a SCSI disk behind FCP: volume, logical subsystem (LSS) and storage server.

Three sources name it, and each only in a layout that is documented; of any other layout nothing is derived:

* Its world-wide id.  That of a volume of a DS8000 is 6005076, the last nine digits of the world-wide node
  name of the storage server (which begins with 5005076), twelve zeros, and the volume's number: LSS, and
  volume in it (IBM, DS8000 Host Systems Attachment Guide; `multipath -ll` there).
* Its serial number (page 0x80, udev's ID_SCSI_SERIAL): that of a DS8000, `75` and five letters or digits, and
  the volume's number.
* Its LUN as a DS8000 numbers them: 0x40XX40YY00000000 for LSS XX and volume YY.

One of them alone is an assumption; two that agree are exact.
"""

from __future__ import annotations

import re

from zmon.base.absent import absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.ranges import some
from zmon.base.record import NamedTuple
from zmon.kinds import LUN
from zmon.topology.claims import Evidence, Grade
from zmon.topology.volumes import Volume, ascending, bare
from zmon.values.fcp_state import FAILED_STATES, fcp_states

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.sample import Sample

FCP: Final = "1731/03"
"""Control unit type and model of FCP devices."""
_OF_ADAPTER: Final = absent("a SCSI disk has no device number, only its adapter has")
OTHER_LUN: Final = absent(
    "its LUN is not numbered as a DS8000 numbers them, nor is its WWID, so they name no LSS"
)
OTHER_WWID: Final = absent("its WWID is not one of a DS8000, so it names no LSS")
_NO_SERIAL: Final = absent("neither WWID nor serial number names the storage server")
_LUN: Final = r"(?ai)(?:0x)?40([0-9a-f]{2})40([0-9a-f]{2})0{8}"
_WWID: Final = r"(?ai)3600507(63[0-9a-f]{8})0{12}([0-9a-f]{2})([0-9a-f]{2})"
_PORT: Final = r"(?ai)(?:0x)?(50050763[0-9a-f]{2})[0-9a-f]{2}([0-9a-f])([0-9a-f]{3})"
NAA_WWID: Final = "3(?:6[0-9a-f]{31}|[25][0-9a-f]{15})"
"""The WWIDs of SCSI disks, as multipath writes them."""
_SERIAL: Final = r"(?ai)(75[0-9a-z]{5})([0-9a-f]{2})([0-9a-f]{2})"


def is_fcp(driver: Value, cutype: Value) -> bool:
    """Return whether a ccw device is an FCP device, by its driver or its control unit."""
    return driver == "zfcp" or text_of(cutype).startswith(FCP)


class VolumeNumber(NamedTuple):
    """What one source says of a volume of a DS8000."""

    box: str
    """World-wide node name, or serial number, of the storage server; empty if the source does not have it."""
    lss: str
    """Two hex digits in upper case."""
    volume: str
    """The volume in its LSS, likewise."""


def parse_lun(lun: str) -> VolumeNumber | None:
    """Return LSS and volume of a LUN as a DS8000 numbers them; None for any other."""
    match = re.fullmatch(_LUN, lun)
    return VolumeNumber("", match[1].upper(), match[2].upper()) if match else None


def parse_wwid(wwid: str) -> VolumeNumber | None:
    """Return what the WWID of a volume of a DS8000 says, with the name of the box; None for any other."""
    match = re.fullmatch(_WWID, wwid)
    return VolumeNumber(f"500507{match[1].lower()}", match[2].upper(), match[3].upper()) if match else None


def wwid_of_eqid(eqid: str) -> str:
    """Return the WWID of a DS8000's volume, as multipath writes it, that an equivalency id of CP begins with.

    It is empty if there is none, or if anything but zeros follows: of other ids nothing is documented (IBM,
    z/VM CP Commands and Utilities Reference, ATTACH: 50 letters and digits).
    """
    wwid = f"3{eqid[:32].lower()}"
    return wwid if parse_wwid(wwid) and not eqid[32:].strip("0-") else ""


def parse_serial(serial: str) -> VolumeNumber | None:
    """Return what the serial number of a volume of a DS8000 says, and that of the box; None for others."""
    match = re.fullmatch(_SERIAL, serial.strip())
    return VolumeNumber(match[1].upper(), match[2].upper(), match[3].upper()) if match else None


def box_of_port(wwpn: str) -> str:
    """Return the world-wide node name of the DS8000 that a port is of; empty for a port of any other.

    The names of its ports differ from it, and from each other, in the byte that is ff there, which tells the
    place of the adapter, and in the two bits behind that, which tell its port.
    """
    match = re.fullmatch(_PORT, wwpn)
    return f"{match[1]}ff{int(match[2], 16) | 0xC:x}{match[3]}".lower() if match else ""


def serial_of_box(box: str) -> str:
    """Return the serial number of a DS8000 as unique ids of DASD have it: `750000000DXP71` for `75DXP71`.

    75 is the plant; the sequence number that follows has twelve places there, with zeros in front.
    """
    return f"{box[:2]}{box[2:].zfill(12)}"


def as_multipath(wwid: str) -> str:
    """Return a WWID as multipath writes it, `36005...`, given as the kernel does, `naa.6005...`."""
    for prefix, digit in (("naa.", "3"), ("eui.", "2")):
        if wwid.startswith(prefix):
            return digit + wwid.removeprefix(prefix).lower()
    return wwid


def lost_luns(sample: Sample) -> list[str]:
    """Say which LUNs carry nothing, by their disks."""
    luns, states = sample.frame(LUN), fcp_states(sample)
    titles = (text_of(name) or key for key, name in zip(luns.keys, luns.column("name"), strict=True))
    lost = [f"LUN of {title} is {states[title]}" for title in titles if states.get(title) in FAILED_STATES]
    return some(lost, "LUNs carry nothing")


def server_of(lss: str) -> str:
    """Return the server of a DS8000 that an LSS belongs to: one has the even, the other the odd ones."""
    return f"server {int(lss, 16) % 2}"


SOURCES: Final = {
    "address": "device/wwpn, device/fcp_lun",
    "WWID": "dm/uuid, device/wwid",
    "serial number": "device/vpd_pg80, ID_SCSI_SERIAL",
}
"""The files that say what a SCSI disk is."""


class LunFacts(NamedTuple):
    """What is read of a SCSI disk."""

    number: str
    """major:minor."""
    name: Value
    busid: Value
    """That of its adapter."""
    chpids: Value
    wwpn: Value
    """That of the port; absent where texts do not name it, and of a disk that is not behind FCP."""
    lun: Value
    wwid: str
    """As multipath writes it; empty if it is not known."""
    serial: str
    """Of the volume; empty if it is not known."""
    joined: Value
    """The multipath device that joins the paths to the disk: `dm-3`."""
    sources: Mapping[str, str] = SOURCES
    """What says its address, WWID and serial number, by the keys of `SOURCES`."""


def scsi_volume(facts: LunFacts) -> Volume:
    """Return a SCSI disk behind an FCP adapter, or one with a WWID; this joins the paths to it."""
    number, name, busid, chpids, wwpn, lun, wwid, serial, joined, sources = facts
    evidence: list[Evidence] = []
    has_address = isinstance(wwpn, str) and isinstance(lun, str)
    if has_address:
        evidence.append(Evidence(sources["address"], f"WWPN {wwpn}, LUN {lun}"))
    if wwid:
        evidence.append(Evidence(sources["WWID"], f"WWID {wwid}"))
    if serial:
        evidence.append(Evidence(sources["serial number"], f"serial number {serial}"))
    port = box_of_port(text_of(wwpn))
    place = port if port and parse_lun(text_of(lun)) else wwpn
    volume = bare(number, _OF_ADAPTER)._replace(
        disk=name,
        busid=busid,
        wwpn=wwpn,
        lun=lun,
        chpids=ascending(chpids),
        spindle=f"WWID {wwid}" if wwid else f"{place} {lun}" if has_address else f"disk {number}",
        evidence=tuple(evidence),
        joined=joined,
    )
    named = parse_serial(serial)
    of_sources = {"serial number": named, "WWID": parse_wwid(wwid), "LUN": parse_lun(text_of(lun))}
    said = {what: identity for what, identity in of_sources.items() if identity is not None}
    if not said:
        why = OTHER_LUN if isinstance(wwpn, str) else OTHER_WWID
        return volume._replace(lcu=why, lss=why, ua=why)
    best = next(iter(said.values()))
    agreeing = [what for what, identity in said.items() if identity[1:] == best[1:]]
    node = said["WWID"].box if "WWID" in agreeing else ""
    grade = Grade.EXACT if len(agreeing) > 1 else Grade.ASSUMED
    box = f"IBM.{node}" if node else wwid[:-4] or (f"IBM.{port}" if port else text_of(wwpn))
    if not box:  # neither WWID nor port
        box = f"IBM.{named.box}" if named is not None else f"disk {number}"
    naming = dict.fromkeys(sources["address" if what == "LUN" else what] for what in agreeing)
    text = f"as a DS8000 numbers volumes: LSS {best.lss}, volume {best.volume}, by {' and '.join(agreeing)}"
    return volume._replace(
        lcu=f"LSS {best.lss}",
        key=f"{box}.LSS{best.lss}",
        serial=serial_of_box(named.box) if named is not None else node or _NO_SERIAL,
        lss=best.lss,
        ua=best.volume,
        side=server_of(best.lss),
        grade=grade,
        evidence=(*evidence, Evidence(", ".join(naming), text, grade)),
        conflicts=tuple(
            f"{volume.disk}: its {what} names LSS {identity.lss}, volume {identity.volume}, its {agreeing[0]}"
            f" LSS {best.lss}, volume {best.volume}"
            for what, identity in said.items()
            if what not in agreeing
        ),
    )
