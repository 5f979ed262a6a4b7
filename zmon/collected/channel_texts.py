"""Subchannels, channel paths and FCP in texts: lscss, lschp, lszfcp, lsscsi.

    0.0.2a01 0.0.021d  3390/0e 3990/e9 yes  f0  f0  ff   19293909 00000000     lscss; with --vpm one mask more
    0.30   1     1     1b    2    1       0390                      lschp; the last in parentheses if internal
    0.0.3d0c host0                                                                  lszfcp, lszfcp -H
    0.0.3d0c/0x500507630300c562 rport-0:0-0                                                      lszfcp -P
    0.0.3d0c/0x500507630300c562/0x4010403300000000 0:0:0:0                                       lszfcp -D
    [0:0:0:0]    disk    IBM      2107900   .190  /dev/sda                                          lsscsi

Sources: s390-tools, zconf/css/lscss.c, zconf/chp/lschp.c, zconf/lszfcp; lsscsi, src/lsscsi.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.dasd_texts import BUSID, busid_of
from zmon.collected.reading import Reading, line
from zmon.kernel.disk_identity import NAA
from zmon.kinds import ALL_DASD, CHANNEL, DEVICE, LAYER

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.collected.facts import Facts

_SHORT: Final = rf"(?:{BUSID}|[0-9a-f]{{4}})"
_TYPE: Final = r"([0-9a-f]{4}/[0-9a-f]{2})"
NO_TYPE: Final = "0000/00"
"""What lscss prints for a device without a type, such as one of virtio."""


class Lscss(Reading):
    """Subchannels with a device; those without one, and of other types, say nothing that can be joined."""

    tool = "lscss"
    tells = ("device",)
    lists = (ALL_DASD,)
    narrowing = rf"-[a-z]*[td]\b|--(?:devtype|devrange|chsc|eadm|vfio)\b|{_SHORT}\b"
    heading = r"Device +Subchan\."
    first = rf"{BUSID} {BUSID} +[0-9a-fA-F]{{4}}/"
    nothing = (
        r"(?:MDEV|I/?O Subchannels|CHSC Subchannels|EADM Subchannels|VFIO Subchannels|Message)\b.*",
        r"[-=]+",
        rf"(?:none|n/a|[0-9a-f-]{{36}})\s+{_SHORT}(?:\s+.*)?",  # no device, or no I/O subchannel
    )
    _is_of_devices = True
    """Whether the heading is one of devices with types."""

    @line(r"Device\b(.*)")
    def head(self, match: re.Match[str]) -> None:
        """Take a heading."""
        self._is_of_devices = "DevType" in match[1] or "Subchan." not in match[1]

    @line(rf"{_SHORT}\s+{_SHORT}\s*", rf"{_SHORT}\s*")
    def other(self, _match: re.Match[str]) -> bool:
        """Take a row of what are no I/O subchannels."""
        return not self._is_of_devices

    @line(
        rf"(?i:({_SHORT})\s+({_SHORT})\s+{_TYPE}\s+{_TYPE}\s+(?:(yes|no)\s+)?((?:[0-9a-f]{{2}}\s+){{3,4}})"
        r"([0-9a-f]{8})\s+([0-9a-f]{8})(?:\s+\S+)?\s*)"
    )
    def subchannel(self, match: re.Match[str]) -> None:
        """Take a device with its subchannel."""
        busid, subchannel, devtype, cutype, used, masks, first, last = (
            (group or "").lower() for group in match.groups()
        )
        busid, subchannel = busid_of(busid), busid_of(subchannel)
        pim, pam, pom, *vpm = (int(mask, 16) for mask in masks.split())
        slots = [first[at : at + 2] for at in range(0, 8, 2)] + [last[at : at + 2] for at in range(0, 8, 2)]
        more: dict[str, Value] = {"vpm": vpm[0]} if vpm else {}
        devtype = devtype if devtype != NO_TYPE else ""
        self.facts.say(
            DEVICE, busid, self.place,
            subchannel=subchannel, devtype=devtype, cutype=cutype, online=int(used == "yes"),
            pim=pim, pam=pam, pom=pom,
            chpids=" ".join(chpid for slot, chpid in enumerate(slots) if pim & 0x80 >> slot),
            **more,
        )  # fmt: skip


class Lschp(Reading):
    """Channel paths; a minus says nothing."""

    tool = "lschp"
    tells = ("channel",)
    heading = r"CHPID +Vary"
    first = r"[0-9a-f]{1,2}\.[0-9a-f]{2} +[01-] +[0-3-] +[0-9a-f-]"
    nothing = (r"CHPID\s+Vary\b.*", r"=+")

    @line(
        r"([0-9a-f]{1,2}\.[0-9a-f]{2})\s+([01-])\s+([0-3-])\s+([0-9a-f]{2}|-)\s+([0-9a-f]|-)\s+([0-9a-f]|-)\s+"
        r"(\(?)\s*([0-9a-f]{4}|-)\s*\)?\s*"
    )
    def path(self, match: re.Match[str]) -> None:
        """Take a channel path."""
        chpid, vary, configured, kind, group, shared, internal, chid = match.groups()
        row: dict[str, Value] = {}
        if vary != "-":
            row["status"] = "online" if vary == "1" else "offline"
        if configured != "-":
            row["configure"] = int(configured)
        if kind != "-":
            row["type"] = int(kind, 16)
        if group != "-":
            row["cmg"] = int(group, 16)
        if shared != "-":
            row["shared"] = int(shared, 16)
        if chid != "-":
            row |= {"chid": chid, "chid_external": int(not internal)}
        self.facts.say(CHANNEL, chpid, self.place, **row)


_PORT: Final = r"(0x[0-9a-f]{16})"
ADDRESS: Final = r"[0-9]{1,5}(?::[0-9]{1,20}){3}"
"""Host, channel, target and LUN of a SCSI device."""


_OF_CSS: Final = rf"/sys/devices/css0/{BUSID}"
_BROKEN: Final = "defunct|offline|linkdown|failed|NotAvailable|NotOnline|NotRunning"
"""What lszfcp -e says of what does not work."""


class Lszfcp(Reading):
    """Adapter, port and LUN of each SCSI device; its name follows from lsscsi or multipath."""

    tool = "lszfcp"
    tells = ("device", "layer", "path")
    first = rf"{BUSID}(?:/0x[0-9a-f]{{16}}| host[0-9])"
    nothing = (
        r"\s*\S.{0,40}?\s+= \".*\"",  # an attribute
        r"- \(NoMoreZfcpPort:.*\)",
        r"Error: No .*|Load the zfcp module .*|the kernel with zfcp .*",
        r"/sys/\S+(?:\s+/sys/\S+)*\s*",
    )

    @line(rf"({BUSID})(?:\s+(?:host[0-9]{{1,5}}|-))?(?:\s+({_BROKEN}))?\s*", rf"{_OF_CSS}/({BUSID})()\s*")
    def adapter(self, match: re.Match[str]) -> None:
        """Take an adapter, with what -e says of one that does not work."""
        self._say_adapter(match[1], online=int(match[2] not in {"offline", "defunct"}))

    @line(
        rf"({BUSID})/{_PORT}(?: rport-[0-9:-]+)?(?:\s+({_BROKEN}))?\s*", rf"{_OF_CSS}/({BUSID})/{_PORT}()\s*"
    )
    def port(self, match: re.Match[str]) -> None:
        """Take a port, of which only the adapter counts."""
        self._say_adapter(match[1])

    @line(
        rf"({BUSID})/{_PORT}/{_PORT} ({ADDRESS}|-)(?: auto)?(?:\s+({_BROKEN}))?\s*",
        rf"{_OF_CSS}/({BUSID})/{_PORT}/{_PORT}(?!.)()()",
    )
    def lun(self, match: re.Match[str]) -> None:
        """Take a SCSI device; a LUN without one has no address."""
        busid, port, lun, address = match.groups()[:4]
        self._say_adapter(busid)
        if address and address != "-":
            say_scsi(self.facts, address, self.place, busid=busid, wwpn=port, lun=lun)

    def _say_adapter(self, busid: str, online: int = 1) -> None:
        self.facts.say(DEVICE, busid, self.place, driver="zfcp", online=online)


class Lsscsi(Reading):
    """Names of SCSI disks, by their addresses."""

    tool = "lsscsi"
    first = r"\[[0-9]{1,5}(?::[0-9]{1,20}){3}\] *disk "
    nothing = (
        rf"\[(?:{ADDRESS}|N:[0-9:]+)\]\s*(?!disk\b)\S.*",
        r"\s+\S+[=:].*",
        rf"\[(?:{ADDRESS}|N:[0-9:]+)\]\s*disk\s.*\s-\s.*",
        r"\[(?:N:)?[0-9]{1,5}\]\s+\S.*",  # a host of -H
    )

    @line(r"\[N:[0-9:]+\]\s+disk\s.*\s/dev/(nvme[0-9]{1,3}n[0-9]{1,4})(?:\s.*)?")
    def namespace(self, match: re.Match[str]) -> None:
        """Take an NVMe disk, of which only its name counts."""
        self.facts.name_device(match[1], self.place)

    @line(
        rf"\[({ADDRESS})\]\s*disk\s+(\S{{1,8}})\s+(\S(?:.{{0,15}}\S)?)\s+\S+\s+/dev/(sd[a-z]{{1,4}})(?:\s+(.*))?"
    )
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk."""
        address, vendor, model, name, rest = match.groups()
        self.facts.aliases[scsi(address)] = name
        if generic := re.search(r"/dev/(sg[0-9]{1,5})(?!\S)", rest or ""):  # of -g
            self.facts.aliases[generic[1]] = name
        wwid = re.search(r"(?<!\S)3(6[0-9a-f]{31}|[25][0-9a-f]{15})(?!\S)", rest or "")  # of -i
        say_scsi(self.facts, address, self.place, wwid=f"{NAA}{wwid[1]}" if wwid else "")
        self.facts.say(LAYER, name, self.place, name=name, sort="disk", vendor=vendor, model=model)

    @line(rf"\[({ADDRESS})\]\s*disk\s+(?:(?:fc:)?{_PORT}\S*\s+)?/dev/(sd[a-z]{{1,4}})(?:\s+(.*))?")
    def transport(self, match: re.Match[str]) -> None:
        """Take a disk of lsscsi -t."""
        address, port, name, rest = match.groups()
        if generic := re.search(r"/dev/(sg[0-9]{1,5})(?!\S)", rest or ""):  # of -g
            self.facts.aliases[generic[1]] = name
        self.facts.aliases[scsi(address)] = name
        say_scsi(self.facts, address, self.place, wwpn=port or "")
        self.facts.say(LAYER, name, self.place, name=name, sort="disk")


def scsi(address: str) -> str:
    """Return how facts call a SCSI disk that is known by its address `0:0:0:1` only."""
    return f"scsi-{address.replace(':', '-')}"


_FLAT: Final = 0x4000
"""The least number of a LUN whose first level says how it is written; a DS8000 begins them with 0x40."""


def say_scsi(facts: Facts, address: str, place: str, **values: Value) -> None:
    """Say of the SCSI disk at an address that it is there, and which LUN it is by its address, if that tells.

    Linux writes the LUN's 16-bit levels with the first as the lowest: 1077100560 is 0x4010403300000000.
    Source: Linux, drivers/scsi/scsi_common.c, scsilun_to_int.
    """
    number = int(address.rpartition(":")[2])
    if number >= _FLAT:
        lun = sum((number >> 16 * level & 0xFFFF) << 48 - 16 * level for level in range(4))
        values = {"lun": f"0x{lun:016x}", **values}
    facts.say(LAYER, scsi(address), place, sort="disk", **values)
