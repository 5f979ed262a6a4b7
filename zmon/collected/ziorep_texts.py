"""`ziorep_config` in texts: FCP adapters, the disks behind them, and what multipath makes of these.

    Host:    host0                                                                          -A, a block each
    Adapter: 0.0.3c07
    0.0.3c07 0x5005... 0x4010... host0 /dev/sg0 /dev/sda 8:0 Disk 2107900 IBM 0:0:0:1084637200        -D -t
    0.0.3c07 0x5005... 0x4010... /dev/sda /dev/mapper/mpatha                     -M -t; older ones have no LUN

Source: s390-tools, ziomon, its man page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.collected.dasd_texts import BUSID
from zmon.collected.fcp_texts import ADDRESS, name_disk, say_scsi
from zmon.collected.reading import Reading, line
from zmon.kinds import ADAPTER, DEVICE, LAYER, LUN, MPATH

if TYPE_CHECKING:
    import re

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_PORT: Final = rf"({BUSID})\s+(0x[0-9a-f]{{16}})"
_LUN: Final = r"\s+(0x[0-9a-f]{16})"


class Ziorep(Reading):
    """Adapters, disks by adapter, port and LUN, and which of them multipath joins."""

    tool = "ziorep_config"
    tells = ("device", "layer", "adapter", "lun")
    heading = r"Host: +host[0-9]+\s*$|adapter +remote[ _]port "
    nothing = (
        r"(?:CHPID|Sub-Ch\.|P-Name|Version|LIC|Type|Speed): +\S.*",
        r"adapter +remote[ _]port .*|=+",
        rf"{_PORT}{_LUN}\s+host[0-9]+\s+/dev/sg.*",  # no disk
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without an adapter."""
        super().__init__(text, facts)
        self._host = self._adapter = ""
        self._maps: dict[str, list[str]] = {}

    def lost(self) -> None:
        """Know no adapter."""
        self._host = self._adapter = ""

    @line(r"Host: +(host[0-9]{1,5})\s*")
    def host(self, match: re.Match[str]) -> None:
        """Take the first line about an adapter."""
        self._host, self._adapter = match[1], ""

    @line(rf"Adapter: +({BUSID})\s*")
    def adapter(self, match: re.Match[str]) -> None:
        """Take the bus id of the adapter."""
        self._adapter = match[1]
        self.facts.say(DEVICE, match[1], self.place, driver="zfcp", online=1)
        self.facts.say(ADAPTER, match[1], self.place, host=self._host)

    @line(r"(Name|State): +(\S.*?)\s*")
    def attribute(self, match: re.Match[str]) -> bool:
        """Take the name of the adapter's port, or its state."""
        if self._adapter and match[1] == "Name":
            self.facts.say(ADAPTER, self._adapter, self.place, port_name=match[2])
        elif self._adapter:
            self.facts.hint(ADAPTER, self._adapter, self.place, port_state=match[2])
        return bool(self._adapter)

    @line(rf"{_PORT}{_LUN}\s+host[0-9]+\s+/dev/(sg[0-9]+)\s+/dev/(sd[a-z]{{1,4}})\s.*\s({ADDRESS})\s*")
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk of -D."""
        busid, wwpn, lun, generic, name, address = match.groups()
        say_scsi(self.facts, address, self.place, busid=busid, wwpn=wwpn, lun=lun)
        self.facts.say(LUN, address, self.place, adapter=busid)
        self.facts.say(LAYER, name, self.place, name=name, sort="disk")
        name_disk(self.facts, address, name, generic)

    @line(rf"{_PORT}(?:{_LUN})?\s+/dev/(sd[a-z]{{1,4}})\s+/dev/mapper/(\S+)\s*")
    def path(self, match: re.Match[str]) -> None:
        """Take a path of -M, with its map."""
        busid, wwpn, lun, name, title = match.groups()
        told = {"busid": busid, "wwpn": wwpn, "lun": lun or ""}
        self.facts.say(LAYER, name, self.place, name=name, sort="disk", **told)
        self._maps.setdefault(title, []).append(name)

    def end(self) -> None:
        """Say what each map joins; what multipath has of it goes first, as -a lists some adapters."""
        for title, names in self._maps.items():
            self.facts.say(LAYER, title, self.place, mapped=title, sort="dm", uuid=MPATH)
            self.facts.hint(LAYER, title, self.place, below=" ".join(names))
