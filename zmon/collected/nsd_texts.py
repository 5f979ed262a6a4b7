r"""Network shared disks of Storage Scale (GPFS) in texts: `mmlsnsd -m`, `-M` and `-X`; `mmlsdisk`.

     gpfs1nsd   0A1C510E5F21CEF3   /dev/dasdb1   lnx1   server node     -m; -X has a type behind the device
     gpfs01     gpfs1nsd   lnx1                                         without options; `(free disk)`

One NSD has a device on each node, of which those of this host count; a node that lacks it has a hyphen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.collected.reading import Reading, line
from zmon.kinds import GPFS, LAYER
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    import re

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


class Mmlsnsd(Reading):
    """The devices of NSDs on this host; without its name those of all rows, if these are of one node."""

    tool = "mmlsnsd"
    heading = r" ?(?:Disk name +NSD volume ID +Device +|File system +Disk name +NSD servers)"
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
        self._rows.append((match[1], match[2], match[3].partition(".")[0].casefold(), self.place))

    @line(r" *(\(free disk\)|\S+) +(\S+) +(?:\(directly attached\)|[A-Za-z][\w.,-]*) *")
    def member(self, match: re.Match[str]) -> None:
        """Take the file system that an NSD is of."""
        self.facts.nsds[match[2]] = "" if match[1].startswith("(") else match[1]

    def end(self) -> None:
        """Say of the devices of this host that they are in use."""
        nodes = {node for _name, _device, node, _place in self._rows}
        own = self.text.host if self.text.host in nodes or len(nodes) > 1 else next(iter(nodes), "")
        for name, device, node, place in self._rows:
            if node == own:
                key = self.facts.name_device(device, place)
                self.facts.say(LAYER, key, place, links=tagged(f"LABEL={name}"))
                self.facts.say_content(device, place, GPFS, "")
                self.facts.nsd_names[device] = name


class Mmlsdisk(Reading):
    """The disks of a GPFS by the names of their NSDs: that it is one df does not print without -T."""

    tool = "mmlsdisk"
    tells = ("mount",)
    heading = r"disk +driver +sector +failure "
    nothing = (
        r"(?:disk +driver|name +type) .*", r"[ -]{20,}",
        r"(?:Number of quorum disks|Read quorum value|Write quorum value): .*", r"Attention: .*",
    )  # fmt: skip

    @line(
        r"(\S+) +nsd +[0-9]+ +-?[0-9,]+ +\S+ +\S+ +(\S.*?) +(up|down|recovering|unrecovered)\b.*",
        r"(\S+) +nsd +[0-9]+ +-?[0-9,]+ +()().*",
    )
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk of the file system that the command names; one that is not up cannot be used."""
        names = [word for word in self.text.command.split()[1:2] if not word.startswith("-")]
        self.facts.file_systems.update((name, GPFS.casefold()) for name in names)
        for name in names:
            self.facts.nsds.setdefault(match[1], name)
        states = [state for state in (match[2], match[3]) if state not in {"", "ready", "up"}]
        if states:
            self.facts.nsd_states[match[1]] = ", ".join(states), self.place
