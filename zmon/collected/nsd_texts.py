r"""Network shared disks of Storage Scale (GPFS) in texts: `mmlsnsd -m`, `-M` and `-X`; `mmlsdisk`.

     gpfs1nsd   0A1C510E5F21CEF3   /dev/dasdb1   lnx1   server node     -m; -X has a type behind the device
     gpfs01     gpfs1nsd   lnx1                                         without options; `(free disk)`
    mmlsnsd:nsd:0:1:::gpfs1:gpfs1nsd:0A1C510E5F21CEF3:lnx1:dasd:%2Fdev%2Fdasdb1:server node::     -X -Y

One NSD has a device on each node, of which those of this host count; a node that lacks it has a hyphen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from zmon.collected.reading import Reading, line
from zmon.kinds import GPFS, LAYER
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


class FieldRows(Reading):
    """What a command of Storage Scale prints, with -Y as fields that a first row names."""

    _fields: tuple[str, ...] = ()

    @line(r"mmls[a-z]+:[a-z]*:HEADER:(\S+)\s*")
    def names(self, match: re.Match[str]) -> None:
        """Take the names of the fields."""
        self._fields = tuple(match[1].split(":"))

    @line(r"mmls[a-z]+:[a-z]*:[0-9]+:(.+)")
    def fields(self, match: re.Match[str]) -> bool:
        """Take a row; a colon in a value is written as in addresses of the web."""
        return self.take_fields(dict(zip(self._fields, map(unquote, match[1].split(":")), strict=False)))

    def say_nsd(self, name: str, device: str, place: str) -> None:
        """Say of a device of this host which NSD it is."""
        key = self.facts.name_device(device, place)
        self.facts.say(LAYER, key, place, links=tagged(f"LABEL={name}"))
        self.facts.say_content(device, place, GPFS, "")
        self.facts.nsd_names[device] = name

    def take_fields(self, told: Mapping[str, str]) -> bool:
        """Take the values of a row by the names of their fields; return whether it was understood."""
        raise NotImplementedError


class Mmlsnsd(FieldRows):
    """The devices of NSDs on this host; without its name those of all rows, if these are of one node.

    A node of another name may be this host all the same.
    """

    tool = "mmlsnsd"
    heading = (
        r" ?(?:Disk name +NSD volume ID +Device +|File system +Disk name +NSD servers)|mmlsnsd:nsd:HEADER:"
    )
    outdented = r"-{20,}"
    nothing = (
        r" ?(?:Disk name +NSD volume ID +Device|File system +Disk name) .*", r"-{20,}",
        r" *\S+ +[0-9A-F]{16} +- .*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a row."""
        super().__init__(text, facts)
        self._rows: list[tuple[str, str, str, str]] = []

    @line(r" *(\S+) +[0-9A-F]{16} +/dev/(\S+) +(?:(?:generic|dmm|dasd|powerdisk|vpath) +)?(\S+)(?: +\S.*)? *")
    def device(self, match: re.Match[str]) -> None:
        """Take the device of an NSD on a node."""
        self._take_device(*match.groups())

    def _take_device(self, name: str, device: str, node: str) -> None:
        self._rows.append((name, device, node.partition(".")[0].casefold(), self.place))

    @line(r" *(\(free disk\)|\S+) +(\S+) +(?:\(directly attached\)|[A-Za-z][\w.,-]*) *")
    def member(self, match: re.Match[str]) -> None:
        """Take the file system that an NSD is of."""
        self._take_member(match[1], match[2])

    def _take_member(self, system: str, name: str) -> None:
        self.facts.nsds[name] = "" if system.startswith("(") else system

    def take_fields(self, told: Mapping[str, str]) -> bool:
        """Take the file system of an NSD, and its device on the node that the row names, if any."""
        name, system, device = (told.get(field, "") for field in ("diskName", "fileSystem", "localDiskName"))
        if name and system:
            self._take_member(system, name)
        if name and device.startswith("/dev/"):
            node = told.get("server") or told.get("serverList") or told.get("nodeName") or ""
            self._take_device(name, device.removeprefix("/dev/"), node)
        return bool(name)

    def end(self) -> None:
        """Say of the devices of this host that they are in use."""
        nodes, host = {node for _name, _device, node, _place in self._rows}, self.text.host
        own = host or (next(iter(nodes)) if len(nodes) == 1 else "")
        if own and host not in nodes:  # a cluster may call it by another interface
            own = next((node for node in nodes if re.match(rf"{re.escape(own)}(?![0-9])", node)), own)
        for name, device, node, place in self._rows:
            if node == own:
                self.say_nsd(name, device, place)
            elif own and own not in nodes:
                self.facts.name_device(device, place)
                self.facts.lent[device, f"NSD {name} on {device}, if {node} is this host"] = place


class Mmlsdisk(FieldRows):
    """The disks of a GPFS by the names of their NSDs: that it is one df does not print without -T."""

    tool = "mmlsdisk"
    tells = ("mount",)
    heading = r"disk +driver +sector +failure |mmlsdisk::HEADER:| ?Disk name +IO performed on node "
    nothing = (
        r"(?:disk +driver|name +type| ?Disk name +IO performed) .*", r"[ -]{20,}",
        r"(?:Number of quorum disks|Read quorum value|Write quorum value): .*", r"Attention: .*",
    )  # fmt: skip

    @line(
        r"(\S+) +nsd +[0-9]+ +-?[0-9,]+ +\S+ +\S+ +(\S.*?) +(up|down|recovering|unrecovered)\b.*",
        r"(\S+) +nsd +[0-9]+ +-?[0-9,]+ +()().*",
    )
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk."""
        self._take_disk(*match.groups())

    @line(r" *(\S+) +(\S+) +(?:/dev/(\S+)|-) +([a-z]+) *")
    def reached(self, match: re.Match[str]) -> None:
        """Take a disk of -m, with its device on the node that reads and writes there."""
        self._take_disk(match[1], match[4])
        if match[2] == "localhost" and match[3]:
            self.say_nsd(match[1], match[3], self.place)

    def take_fields(self, told: Mapping[str, str]) -> bool:
        """Take a disk of -Y."""
        if is_disk := "nsdName" in told:
            self._take_disk(told["nsdName"], told.get("status", ""), told.get("availability", ""))
        return is_disk

    def _take_disk(self, nsd: str, *told: str) -> None:
        """Take a disk of the file system that the command names; one that is not up cannot be used."""
        names = [word for word in self.text.command.split()[1:2] if not word.startswith("-")]
        self.facts.file_systems.update((name, GPFS.casefold()) for name in names)
        for name in names:
            self.facts.nsds.setdefault(nsd, name)
        states = [state for state in told if state not in {"", "ready", "up"}]
        if states:
            self.facts.nsd_states[nsd] = ", ".join(states), self.place
