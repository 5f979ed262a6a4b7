"""FCP in texts: adapters, ports and LUNs of lszfcp and lsluns, and the SCSI disks that lsscsi names.

    0.0.3d0c host0 linkdown                                                         lszfcp, lszfcp -H
    0.0.3d0c/0x500507630300c562 rport-0:0-0 NotOnline                                            lszfcp -P
    0.0.3d0c/0x500507630300c562/0x4010403300000000 0:0:0:0 auto NotRunning                       lszfcp -D
    0.0.3d0c/0x500507630300c562/0x4010403400000000 - failed         a LUN without a SCSI device, of lszfcp -D
    [0:0:0:0]    disk    IBM      2107900   .190  /dev/sda                                          lsscsi
    adapter = 0.0.fc00                                                                          lsluns -a

Words behind a name are printed with -e only: `defunct`, `offline`, `linkdown`, `failed` and `NotAvailable` of
an adapter, `NotOnline` of it or of a port, `NotRunning` of a SCSI device.  Without -e all ports listed are
online; with it a name without such a word works.  With -V paths in /sys stand for the names, with -a lines
follow for each, those of a class in the order of `ls`; -m adds the classes css, zfcp_port and zfcp_unit:

    Class = "fc_host"
        port_state          = "Online"

So -a prints what sysfs has, the counters among them; without it there are none.
Which disk a LUN is lsluns does not say, only its generic SCSI device.
Sources: s390-tools, zconf/lszfcp, zconf/lsluns; lsscsi, src/lsscsi.c.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import text_of
from zmon.collected.dasd_texts import BUSID
from zmon.collected.facts import NAMED_STAND_IN, add
from zmon.collected.numbers import is_of_kernel, number_of
from zmon.collected.reading import Reading, line
from zmon.kernel.disk_identity import NAA
from zmon.kernel.zfcp import ONLINE, parse_attribute
from zmon.kinds import ADAPTER, DEVICE, LAYER, LUN, MPATH, PATH, TARGET_PORT
from zmon.topology.claims import FCP_DEVICES, claims_in
from zmon.values.fcp_state import FAILED, FAILED_STATES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.collected.facts import Fact, Facts
    from zmon.kernel.capture_text import CollectedText
    from zmon.kernel.capture_tree import CapturedTree
    from zmon.sample import Kind

_PORT: Final = r"(0x[0-9a-f]{16})"
"""The name of a port, or a LUN."""
ADDRESS: Final = r"[0-9]{1,5}(?::[0-9]{1,20}){3}"
"""Host, channel, target and LUN of a SCSI device."""
_OF_CSS: Final = rf"/sys/devices/css[0-9]/(?:{BUSID}|defunct)"
_RPORT: Final = r"rport-[0-9]{1,5}:[0-9]{1,3}-[0-9]{1,5}"
_WORD: Final = r"(?:\s+(defunct|offline|linkdown|failed|NotAvailable|NotOnline|NotRunning))?\s*"
"""What lszfcp -e says of what does not work."""
_STATES: Final = {"linkdown": "Linkdown", "": ONLINE}
"""The states of the port of an adapter that sysfs has, by the words of lszfcp -e."""
OFF: Final = "off"
"""What zmon says of a LUN that lszdev calls configured and not on line: there is no SCSI device for it."""
_OFF: Final = frozenset({"offline", "defunct"})
"""What it says of an adapter that is not on line."""
_OF_DEVICE: Final = {"availability": str, "cmb_enable": int, "online": int, "cutype": str, "devtype": str}
"""The attributes of an adapter that are of its ccw device, with their types."""
KINDS: Final = {"fc_host": ADAPTER, "scsi_host": ADAPTER, "fc_remote_ports": TARGET_PORT, "scsi_device": LUN}
"""The kinds by the classes of sysfs that have their attributes."""


class Lszfcp(Reading):
    """Adapters, ports and LUNs with their states; which disk a LUN is follows from -V or other texts."""

    tool = "lszfcp"
    tells = ("device", "layer", "path", "adapter", "target_port", "lun")
    narrowing = r"-[a-zA-Z]*[bpl]|--(?:busid|wwpn|lun)\b"
    first = rf"{BUSID}(?:/0x[0-9a-f]{{16}}| host[0-9])"
    nothing = (
        r"Error: No .*|Load the zfcp module .*|the kernel with zfcp .*",
        r"/sys/class/scsi_host/host[0-9]{1,5}|-(?: -)?|    defunct\s*",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without an adapter; only with -e it is known that one without a word works."""
        super().__init__(text, facts)
        self._has_words = re.search(r"\s(?:-[a-zA-Z]*e|--extended\b)", text.command) is not None
        self._lists_ports = re.search(r"\s(?:-[a-zA-Z]*P|--ports\b)", text.command) is not None
        self._keys: dict[Kind, str] = {}
        """The adapter, port and LUN of the lines that follow."""
        self._class = self._word = ""
        self._lun = ("", "", "")
        self._ports: dict[str, list[str]] | None = {}
        """The ports of each adapter; None if one may be missing."""

    def lost(self) -> None:
        """Know neither an adapter nor a port, nor how many ports there are."""
        self._keys, self._class, self._ports = {}, "", None

    @line(rf"(?:{_OF_CSS}/)?({BUSID})(?: +(host[0-9]{{1,5}}|-))?{_WORD}")
    def adapter(self, match: re.Match[str]) -> None:
        """Take an adapter: one that has never been on line has no host."""
        busid, host, word = match.groups()
        self._keys, self._word = {DEVICE: busid}, word or ""
        self._say_adapter(busid, online=int(word not in _OFF))
        if word == "NotAvailable":
            self.facts.hint(DEVICE, busid, self.place, availability=word)
        if host not in {None, "-"}:
            self._take_host(host)

    @line(r"/sys/class/fc_host/(host[0-9]{1,5})")
    def host_of_path(self, match: re.Match[str]) -> bool:
        """Take the host of an adapter of -V, which the line before has."""
        if is_whole := DEVICE in self._keys:
            self._take_host(match[1])
        return is_whole

    def _take_host(self, host: str) -> None:
        busid = self._keys[ADAPTER] = self._keys[DEVICE]
        self.facts.say(ADAPTER, busid, self.place, host=host)
        if self._lists_ports and self._ports is not None:
            self._ports.setdefault(busid, [])
        if (self._word or self._has_words) and self._word not in {*_OFF, "NotAvailable"}:
            self.facts.hint(ADAPTER, busid, self.place, port_state=_STATES.get(self._word, self._word))

    @line(rf"({BUSID})/{_PORT}(?: +({_RPORT}))?{_WORD}", rf"{_OF_CSS}/({BUSID})/{_PORT}()()\s*",
          rf"- \(NoMoreZfcpPort:({BUSID})/{_PORT}\)()()")  # fmt: skip
    def port(self, match: re.Match[str]) -> None:
        """Take a port of an adapter."""
        busid, wwpn, rport, word = match.groups()
        self._say_adapter(busid)
        self._lun = busid, wwpn, ""
        self._keys = {}
        if rport:
            self._take_port(rport, word or "")

    @line(rf"/sys/class/fc_remote_ports/({_RPORT}){_WORD}")
    def port_of_path(self, match: re.Match[str]) -> bool:
        """Take a port of -V, whose adapter the line before has."""
        if is_whole := bool(self._lun[1]):
            self._take_port(match[1], match[2] or "")
        return is_whole

    def _take_port(self, rport: str, word: str) -> None:
        busid, wwpn, _ = self._lun
        self._keys = {TARGET_PORT: rport}
        self.facts.say(TARGET_PORT, rport, self.place, adapter=busid, port_name=wwpn)
        self.facts.hint(TARGET_PORT, rport, self.place, state=word or ONLINE)
        if self._ports is not None:
            self._ports.setdefault(busid, []).append(rport)

    @line(rf"({BUSID})/{_PORT}/{_PORT} ({ADDRESS}|-)( auto)?{_WORD}",
          rf"{_OF_CSS}/({BUSID})/{_PORT}/{_PORT}()(){_WORD}")  # fmt: skip
    def lun(self, match: re.Match[str]) -> None:
        """Take a LUN; one without a SCSI device has failed."""
        busid, wwpn, lun, address, _auto, word = match.groups()
        self._say_adapter(busid)
        self.facts.say(ADAPTER, busid, self.place)
        self._lun, self._keys = (busid, wwpn, lun), {}
        if word == "failed":
            lose_lun(self.facts, address_of(busid, wwpn, lun), self.place, failed=1)
        elif address and address != "-":
            self._take_device(address, word or "")

    @line(rf"/sys/\S+/({ADDRESS})(?: auto)?{_WORD}")
    def device(self, match: re.Match[str]) -> bool:
        """Take the SCSI device of a LUN of -V, which the line before has."""
        if is_whole := bool(self._lun[2]):
            self._take_device(match[1], match[2] or "")
        return is_whole

    def _take_device(self, address: str, word: str) -> None:
        busid, wwpn, lun = self._lun
        self._keys = {LUN: address}
        say_scsi(self.facts, address, self.place, busid=busid, wwpn=wwpn, lun=lun)
        self.facts.say(LUN, address, self.place, adapter=busid)
        if word or self._has_words:
            self.facts.hint(LUN, address, self.place, state=word or "running")

    @line(r"/sys/block/(sd[a-z]{1,4})(?: +(?:/sys/class/scsi_generic/(sg[0-9]{1,5})|-))?\s*")
    def disk(self, match: re.Match[str]) -> bool:
        """Take the disk of the SCSI device before."""
        address = self._keys.get(LUN, "")
        self.facts.say(LAYER, match[1], self.place, name=match[1], sort="disk")
        name_disk(self.facts, address, match[1], match[2] or "")
        return bool(address)

    @line(r'(?:Bus|Class|Module) = "([a-z_]{1,32})"')
    def group(self, match: re.Match[str]) -> bool:
        """Take the heading of attributes."""
        self._class = match[1]
        return bool(self._keys) or match[1] in {"zfcp", "zfcp_port", "zfcp_unit", "css"}

    @line(r'    ([\w.:-]{1,64}) +?= "([^"]*)"')
    def attribute(self, match: re.Match[str]) -> bool:
        """Take an attribute, as sysfs has it."""
        kind = DEVICE if self._class == "ccw" else KINDS.get(self._class)
        name, content = match.groups()
        if (self._class, name, content) == ("zfcp_port", "failed", "1"):
            return self._fail_port()
        if kind not in self._keys:
            return bool(self._class) and kind is None
        try:
            if kind is not DEVICE:
                told = parse_attribute(self._class, name, content)
            else:
                told = {name: _OF_DEVICE[name](content)} if name in _OF_DEVICE else {}
        except ValueError:
            return False
        say_attributes(self.facts, kind, self._keys[kind], self.place, told)
        return True

    def _fail_port(self) -> bool:
        """Say that the driver has given up the port of the lines before, unless the class says its state."""
        busid, wwpn, _lun = self._lun
        key = self._keys.get(TARGET_PORT, f"{busid}/{wwpn}")
        if wwpn:
            self.facts.say(TARGET_PORT, key, self.place, adapter=busid, port_name=wwpn)
            states = self.facts.rows[TARGET_PORT.name][key].setdefault("state", [])
            states[:] = [fact for fact in states if not fact.is_hint]
            self.facts.hint(TARGET_PORT, key, self.place, state=FAILED)
        return bool(wwpn)

    def _say_adapter(self, busid: str, online: int = 1) -> None:
        self.facts.say(DEVICE, busid, self.place, driver="zfcp", online=online)

    def end(self) -> None:
        """Count the ports of each adapter; without -e only those that are online are listed."""
        for busid, ports in ({} if self.is_part else self._ports or {}).items():
            states = [self.facts.value(TARGET_PORT, rport, "state") for rport in ports]
            all_ports = len(ports) if self._has_words else ""
            self.facts.hint(
                ADAPTER, busid, self.place_of(0), ports=all_ports, ports_online=states.count(ONLINE)
            )


class Lsscsi(Reading):
    """Names of SCSI disks, by their addresses."""

    tool = "lsscsi"
    tells = ("layer", "adapter", "lun")
    first = r"\[[0-9]{1,5}(?::[0-9]{1,20}){3}\] *disk "
    nothing = (r"\s+\S+[=:].*",)
    _address = ""
    """That of the disk of the lines that follow."""

    def lost(self) -> None:
        """Know no disk."""
        self._address = ""

    @line(r"\s+state=([a-z-]{1,32})(?: .*)?")
    def state(self, match: re.Match[str]) -> None:
        """Take the state of a SCSI device of -l or -L, if lszfcp has it, or if it carries nothing."""
        if self._address and (self._address in self.facts.keys(LUN) or match[1] in FAILED_STATES):
            self.facts.say(LUN, self._address, self.place, state=match[1])

    @line(rf"\[([0-9]{{1,5}})\]\s+zfcp\s+(?:fc:)?{_PORT}.*")
    def host(self, match: re.Match[str]) -> None:
        """Take the name of an adapter of lsscsi -H -t, by its host, of which lszfcp has the bus id."""
        for busid in self.facts.keys(ADAPTER):
            if self.facts.value(ADAPTER, busid, "host") == f"host{match[1]}":
                self.facts.say(ADAPTER, busid, self.place, port_name=match[2])

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
        self._name(address, name, rest)
        wwid = re.search(r"(?<!\S)3(6[0-9a-f]{31}|[25][0-9a-f]{15})(?!\S)", rest or "")  # of -i
        say_scsi(self.facts, address, self.place, wwid=f"{NAA}{wwid[1]}" if wwid else "")
        self.facts.say(LAYER, name, self.place, name=name, sort="disk", vendor=vendor, model=model)

    def _name(self, address: str, name: str, rest: str | None) -> None:
        generic = re.search(r"/dev/(sg[0-9]{1,5})(?!\S)", rest or "")  # of -g
        self._address = address
        name_disk(self.facts, address, name, generic[1] if generic else "")

    @line(rf"\[({ADDRESS})\]\s*disk\s+(?:(?:fc:)?{_PORT}\S*\s+)?/dev/(sd[a-z]{{1,4}})(?:\s+(.*))?")
    def transport(self, match: re.Match[str]) -> None:
        """Take a disk of lsscsi -t."""
        address, port, name, rest = match.groups()
        self._name(address, name, rest)
        say_scsi(self.facts, address, self.place, wwpn=port or "")
        self.facts.say(LAYER, name, self.place, name=name, sort="disk")

    @line(rf"\[({ADDRESS})\]\s*disk\s.*\s-\s+/dev/(sg[0-9]{{1,5}})(?:\s.*)?")
    def generic(self, match: re.Match[str]) -> None:
        """Take a disk of -g that has no block device."""
        self._address, generic = match.groups()
        self.facts.aliases[generic] = scsi(self._address)
        say_scsi(self.facts, self._address, self.place, links=generic)

    @line(rf"\[(?:{ADDRESS}|N:[0-9:]+|(?:N:)?[0-9]{{1,5}})\]\s*\S.*")
    def other(self, match: re.Match[str]) -> bool:
        """Take what is no disk, has no name, or is a host of -H."""
        self._address = ""
        return re.search(r"\]\s*disk\s(?!.*\s-\s)", match[0]) is None


class Lsluns(Reading):
    """FCP adapters with LUNs; with -a the generic SCSI device of each, of which lsscsi -g has the disk."""

    tool = "lsluns"
    tells = ("device", "layer", "adapter", "target_port", "lun")
    heading = rf"(?:Scanning for LUNs on adapter|adapter =|Adapter) {BUSID}(?:\s*$| is not in a good state;)"
    nothing = (
        r"\s+0x[0-9a-f]{16}\s*",
        r"\s+(?:Cannot attach|Unable to send) .*",
        r"(?:\S*/)?lsluns: .*|Failed to find any candidate .*",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without an adapter."""
        super().__init__(text, facts)
        self._adapter = self._port = ""

    def lost(self) -> None:
        """Know neither adapter nor port."""
        self._adapter = self._port = ""

    @line(rf"\s+(?:port =|at port) {_PORT}:?\s*")
    def port(self, match: re.Match[str]) -> bool:
        """Take a port of the adapter."""
        self._port = match[1]
        return bool(self._adapter)

    @line(r"\s+Port not online\. .*")
    def lost_port(self, _match: re.Match[str]) -> bool:
        """Take what is said of a port that does not work."""
        if is_whole := bool(self._adapter and self._port):
            told = {"adapter": self._adapter, "port_name": self._port}
            key = f"{self._adapter}/{self._port}"  # `join_luns` finds its number
            self.facts.say(TARGET_PORT, key, self.place, **told)
            self.facts.hint(TARGET_PORT, key, self.place, state="NotOnline")
        return is_whole

    @line(rf"\s+lun = {_PORT} \[offline\]\s*")
    def lost_lun(self, match: re.Match[str]) -> bool:
        """Take a LUN that does not answer; one that is no disk but lists the others need not."""
        is_whole = bool(self._adapter and self._port)
        if is_whole and not match[1].startswith("0xc1"):
            lose_lun(self.facts, address_of(self._adapter, self._port, match[1]), self.place, failed=1)
        return is_whole

    @line(rf"\s+lun = {_PORT}(?:\(X\))?(?:\s+/dev/(sg[0-9]{{1,5}})(?:\s+(\S.*))?|\s.*)?")
    def lun(self, match: re.Match[str]) -> bool:
        """Take a LUN of the port, with its generic device."""
        is_whole = bool(self._adapter and self._port)
        address = address_of(self._adapter, self._port, match[1])
        disk = self.facts.aliases.get(match[2] or "", "")  # lsscsi is read before
        if is_whole and match[3] and match[3].startswith("Disk"):
            list_lun(self.facts, address, self.place, "" if disk else match[2])
        if is_whole and disk:
            name = {} if disk.startswith(scsi("")) else {"name": disk}
            self.facts.say(LAYER, disk, self.place, sort="disk", **name, **_parts(address))
        return is_whole

    @line(rf"(?:Scanning for LUNs on adapter|adapter =) ({BUSID})\s*")
    def adapter(self, match: re.Match[str]) -> None:
        """Take an adapter that works."""
        self._adapter, self._port = match[1], ""
        self.facts.say(ADAPTER, match[1], self.place)
        self.facts.say(DEVICE, match[1], self.place, driver="zfcp", online=1)

    @line(rf"Adapter ({BUSID}) is not in a good state; .*")
    def broken(self, match: re.Match[str]) -> None:
        """Take an adapter that does not work, which may be on line."""
        self.facts.say(DEVICE, match[1], self.place, driver="zfcp")
        self.facts.hint(ADAPTER, match[1], self.place, port_state="not good")


def say_attributes(facts: Facts, kind: Kind, key: str, place: str, told: Mapping[str, Value]) -> None:
    """Say what attributes of sysfs are; numbers grow, so those of another source count before them."""
    for field, value in told.items():
        say = facts.hint if isinstance(value, int) else facts.say
        say(kind, key, place, **{field: value})


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


def name_disk(facts: Facts, address: str, name: str, generic: str = "") -> None:
    """Say which disk the SCSI device at an address is, and which generic device."""
    facts.aliases[scsi(address)] = name
    if generic:
        facts.aliases[generic] = name


def say_port(facts: Facts, busid: str, place: str, wwpn: str) -> None:
    """Say what the own port of an FCP adapter is called, if both have the form of one."""
    name = f"0x{wwpn.lower().removeprefix('0x')}"
    if re.fullmatch(BUSID, busid) and re.fullmatch("0x[0-9a-f]{16}", name):
        facts.say(ADAPTER, busid, place, port_name=name)


def say_ports(facts: Facts, tree: CapturedTree) -> None:
    """Say what CP calls the own ports of the FCP devices of this guest, if texts show its answer."""
    if not any(path.startswith("cp/") for path in tree.shown):
        return
    from zmon.cp.claim_sources import claims_of_capture  # noqa: PLC0415 - most texts have no answers

    for claim in claims_in(claims_of_capture(tree)):
        if claim.via == FCP_DEVICES and not claim.user and not claim.gone:
            say_port(facts, f"0.0.{claim.vdev.lower()}", f"{claim.via}, {claim.place}", claim.paths)


def address_of(busid: str, wwpn: str, lun: str) -> str:
    """Return how facts call a LUN of which no text has a SCSI device: as lszfcp does."""
    return f"{busid}/{wwpn}/{lun}"


class LinkedLun(NamedTuple):
    """What a name in /dev/disk/by-path says: adapter, port and LUN of a disk, or of a partition on it."""

    busid: str
    wwpn: str
    lun: str
    part: str
    """Empty for the whole."""


_BY_PORT: Final = re.compile(
    rf"ccw-({BUSID})-(?:(?:zfcp|fc)-)?{_PORT}(?::|-lun-)(0x[0-9a-f]{{16}}|[0-9]{{1,5}})(?:-part([1-9][0-9]?))?"
)


def linked_lun(link: str) -> LinkedLun | None:
    """Return what a name by path says of a disk behind FCP, as systemd and older rules spell it, else None.

    systemd writes a LUN of one level as a number.
    """
    match = _BY_PORT.fullmatch(link)
    if match is None:
        return None
    busid, wwpn, lun, part = match.groups(default="")
    return LinkedLun(busid, wwpn, f"0x{int(lun):04x}{0:012}" if lun.isdecimal() else lun, part)


def _parts(address: str) -> dict[str, str]:
    """Return adapter, port and LUN of what `address_of` returned, by their fields of `LAYER`."""
    return dict(zip(("busid", "wwpn", "lun"), address.split("/"), strict=True))


def lose_lun(facts: Facts, address: str, place: str, **lost: Value) -> None:
    """Say of a LUN that Linux has no SCSI device for it, and what the text calls that."""
    facts.say(LAYER, address, place, name=address, sort="disk", **_parts(address))
    facts.say(LUN, address, place, adapter=_parts(address)["busid"], **lost)


def list_lun(facts: Facts, address: str, place: str, generic: str = "") -> None:
    """Say of a LUN that Linux has it, and which generic device stands for it if the text has no disk."""
    facts.say(LUN, address, place, adapter=_parts(address)["busid"])
    if generic:
        facts.say(LAYER, address, place, sort="disk", links=generic, **_parts(address))


def _is_lost(lun: Mapping[str, Sequence[Fact]]) -> bool:
    """Return whether a text says of a LUN that there is no SCSI device for it."""
    return "failed" in lun or any(fact.value == OFF for fact in lun.get("state", ()))


def join_luns(facts: Facts, *, are_read: bool = False) -> None:
    """Say which disk each LUN is; one without a SCSI device is a path of the map of its other paths.

    `are_read` is whether the kernel's files have all LUNs that have a SCSI device.
    """
    _join_hosts(facts)
    for key in [*facts.keys(LUN)]:
        if name := facts.aliases.get(scsi(key)):
            facts.say(LUN, key, f"assumed by the address {key}", name=name)
    ports = facts.rows.get(TARGET_PORT.name, {})
    numbers = {
        tuple(str(row[field][0].value) for field in ("adapter", "port_name")): key
        for key, row in ports.items()
        if {"adapter", "port_name"} <= row.keys() and "/" not in key
    }
    for key in [key for key in ports if tuple(key.split("/")) in numbers]:
        (state,) = ports.pop(key)["state"]
        facts.hint(TARGET_PORT, numbers[tuple(key.split("/"))], state.place, state=state.value)
    layers = facts.rows.get(LAYER.name, {})
    maps = {
        word: key
        for key, row in layers.items()
        for uuid, below in product(row.get("uuid", ()), row.get("below", ()))
        for word in str(below.value).split()
        if str(uuid.value).startswith(MPATH)
    }
    volumes: dict[tuple[str, str], set[str]] = {}
    addressed: dict[str, list[str]] = {}
    for key, row in layers.items():
        disk = facts.aliases.get(key, key)
        for wwpn, lun in product(row.get("wwpn", ()), row.get("lun", ())):  # ports of one box end alike
            joined = {maps[word] for word in (disk, number_of(disk)) if word in maps}
            for busid in row.get("busid", ()):
                address = address_of(*(str(fact.value) for fact in (busid, wwpn, lun)))
                addressed.setdefault(address, []).append(key)
            volumes.setdefault((str(wwpn.value)[-4:], str(lun.value)), set()).update(joined)
    _name_listed(facts, addressed, are_read=are_read)
    luns = facts.rows.get(LUN.name, {})
    for key in [key for key in luns if "/" in key and _is_lost(luns[key])]:
        _, port, number = key.split("/")
        joined = volumes[port[-4:], number]
        if disk := next((facts.aliases.get(name, name) for name in addressed[key] if name != key), ""):
            facts.aliases[key] = disk
            layers[key].pop("name")
            facts.say(LUN, key, f"assumed by the address {key}", name=disk)
        elif len(joined) == 1:
            _add_path(facts, key, joined.pop())
    _say_paths(facts, maps, volumes)


def _say_paths(
    facts: Facts, maps: Mapping[str, str], volumes: Mapping[tuple[str, str], Collection[str]]
) -> None:
    """Say of LUNs that are paths of maps what their disks are, where no text of multipath has the paths.

    A map drops a path that carries nothing; its LUN is that of the others, behind a port of the same box.
    """
    for key, row in facts.rows.get(LUN.name, {}).items():
        disk, state, adapter = (
            text_of(facts.value(LUN, key, field)) for field in ("name", "state", "adapter")
        )
        wwpn, lun = (_told(facts, (disk, scsi(key)), field) for field in ("wwpn", "lun"))
        joining = next((maps[word] for word in (disk, number_of(disk)) if word in maps), "")
        others = volumes.get((wwpn[-4:], lun), ()) if state in FAILED_STATES and not joining else ()
        number = number_of(disk)
        if not state or not number or number in facts.keys(PATH) or not (joining or len(others) == 1):
            continue
        place = row["state"][0].place
        if not joining:
            (joining,) = others
            told = facts.rows[LAYER.name][joining]["below"]
            told[:] = [fact._replace(value=f"{fact.value} {disk}") for fact in told]
        facts.say(PATH, number, place, name=disk, map=joining, adapter=adapter, port=wwpn)
        facts.hint(PATH, number, place, device=state)


def _told(facts: Facts, keys: Iterable[str], field: str) -> str:
    """Return the first value of a field that a block device has under one of its names; empty without one."""
    return next(filter(None, (text_of(facts.value(LAYER, key, field)) for key in keys)), "")


def _hosts_of_ports(facts: Facts) -> dict[str, str]:
    """Return the adapters of hosts, as the names of their ports tell: lszfcp -P prints both."""
    ports = facts.rows.get(TARGET_PORT.name, {}).items()
    named = ((re.match(r"rport-([0-9]+):", key), row.get("adapter", ())) for key, row in ports)
    return {f"host{match[1]}": str(fact.value) for match, told in named if match for fact in told}


def _join_hosts(facts: Facts) -> None:
    """Give what files in /sys say of hosts, and of the ports and LUNs behind them, the bus ids of these.

    `/sys/class/fc_host/host0` is an adapter, `rport-0:0-1` a port that it sees, 0:0:1:0 a LUN.
    """
    adapters = facts.rows.get(ADAPTER.name, {})
    busids = {str(fact.value): key for key, row in adapters.items() for fact in row.get("host", ())}
    busids = {**_hosts_of_ports(facts), **busids}
    for key in [key for key in facts.keys(LAYER) if key.startswith(scsi(""))]:
        disk, host = facts.aliases.get(key, key), f"host{key.split('-')[1]}"
        facts.hint(LAYER, disk, f"assumed by the name {host}", busid=busids.get(host, ""))
    for host in busids.keys() & adapters.keys():
        for field, told in adapters.pop(host).items():
            for fact in told:
                add(adapters[busids[host]].setdefault(field, []), field, fact)
    for kind in (TARGET_PORT, LUN):
        for key in [*facts.keys(kind)]:
            match = re.match(r"(?:rport-)?([0-9]+):", key)
            if match and not facts.rows[kind.name][key].get("adapter") and f"host{match[1]}" in busids:
                host = f"host{match[1]}"
                facts.say(kind, key, f"assumed by the name {host}", adapter=busids[host])


def _by_disk(facts: Facts, addressed: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """List each LUN that any text places behind an adapter; return those with a SCSI device, by their disks.

    Files of a disk in /sys are of its LUN, too.
    """
    luns = facts.rows[LUN.name]
    for address in addressed:
        facts.say(LUN, address, f"assumed by the address {address}", adapter=_parts(address)["busid"])
    keys = {facts.aliases.get(scsi(key), scsi(key)): key for key in luns if "/" not in key}
    for address, names in addressed.items():
        keys = {**{facts.aliases.get(name, name): address for name in names}, **keys}
    for disk in [key for key in luns if is_of_kernel(key)]:
        for field, told in luns.pop(disk).items():
            facts.say(LUN, keys.get(disk, disk), told[0].place, name=disk, **{field: told[0].value})
    return {disk: key for disk, key in keys.items() if "/" not in key}


def _name_listed(facts: Facts, addressed: Mapping[str, Sequence[str]], *, are_read: bool) -> None:
    """Say which disks the LUNs of lists are, and list those that other texts place behind an adapter.

    One whose SCSI device a text or the kernel's files have, too, is the LUN of that.  `addressed` has the
    block devices of adapters, ports and LUNs.
    """
    luns, layers = facts.rows.get(LUN.name, {}), facts.rows.get(LAYER.name, {})
    of_disks = _by_disk(facts, addressed) if luns else {}
    for key in [key for key in luns if "/" in key and not _is_lost(luns[key])]:
        others = [name for name in addressed.get(key, ()) if name != key]
        named = [facts.aliases.get(name, name) for name in others]
        generic = layers.get(key, {}).get("links", ())
        if generic and named:
            facts.aliases[key] = named[0]
        elif generic:
            facts.say(LAYER, key, generic[0].place, name=generic[0].value)
        if own := next((of_disks[name] for name in (*named, *others) if name in of_disks), ""):
            facts.say(LUN, own, f"assumed by the address {key}", adapter=_parts(key)["busid"])
        if own or are_read:
            del luns[key]
        elif not others and not generic:
            facts.say(LAYER, key, luns[key]["adapter"][0].place, name=key, sort="disk", **_parts(key))
        elif named and not named[0].startswith(scsi("")):
            facts.say(LUN, key, f"assumed by the address {key}", name=named[0])


def _add_path(facts: Facts, key: str, joining: str) -> None:
    """Add a LUN without a SCSI device to a map, as the first of its paths that were removed if one was."""
    busid, wwpn, _ = key.split("/")
    lun, told = facts.rows[LUN.name][key], facts.rows[LAYER.name][joining]["below"]
    state, place = (FAILED if "failed" in lun else OFF), lun["adapter"][0].place
    paths = facts.rows.setdefault(PATH.name, {})
    members = " ".join(str(fact.value) for fact in told).split()
    removed = next((word for word in members if word in paths and word.startswith("?")), "")
    told[:] = [
        fact._replace(value=" ".join(
            dict.fromkeys([key if word == removed else word for word in str(fact.value).split()] + [key])
        ))
        for fact in told
    ]  # fmt: skip
    paths[key] = {field: cell for field, cell in paths.pop(removed, {}).items() if field != "device"}
    facts.stand_ins[key] = f"{NAMED_STAND_IN}:{key}"
    facts.say(PATH, key, place, map=joining, adapter=busid, port=wwpn)
    facts.hint(PATH, key, place, device=state, via=place.partition(",")[0])
