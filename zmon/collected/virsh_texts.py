r"""Disks that KVM guests have from this host, in texts: `virsh domblklist`, also with --details, and dumpxml.

     vda      /dev/disk/by-path/ccw-0.0.1a01                 domblklist
     block  disk     vda      /dev/dasdc                     domblklist --details
      <source dev='/dev/dasda' index='1'/>                   dumpxml, between <disk> and </disk>

Images are files of file systems, which are in use anyway.
Source: libvirt, tools/virsh-domain-monitor.c; docs/formatdomain.rst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.collected.reading import Reading, line

if TYPE_CHECKING:
    import re

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_GUEST: Final = r"[A-Za-z][\w.-]{0,62}"
_TARGET: Final = r"((?:vd|sd|hd|xvd)[a-z]{1,3})"


class Virsh(Reading):
    """The devices of the host that are disks of a guest."""

    tool = "virsh"
    heading = r" ?(?:Type +Device +)?Target +Source *$|<domain type='"
    titled = rf"[=#*~:\[\]() +-]{{0,20}}(?P<guest>{_GUEST})[=#*~:\[\]() +-]{{0,20}}"
    outdented = r"-{20,}"
    nothing = (
        r" ?(?:Type +Device +)?Target +Source *", r"-{20,}",
        rf" *(?:\S+ +\S+ +)?{_TARGET} +(?:-|(?!/dev/)\S.*)",  # a file, a volume of a network, an empty drive
        r"error: .*", r"\s*</?[\w:]+(?:\s.*)?/?>(?:.*</[\w:]+>)?\s*", r"\s*<!--.*-->\s*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin; the guest may be known from the command."""
        super().__init__(text, facts)
        operands = [word for word in text.command.split()[1:] if not word.startswith("-")]
        self._guest = operands[1] if len(operands) > 1 else ""
        self._source = ""
        self._is_disk = False

    def lost(self) -> None:
        """Know no disk."""
        self._source, self._is_disk = "", False

    @line(titled)
    def title(self, match: re.Match[str]) -> None:
        """Take the name of the guest that a loop of a shell prints above its disks."""
        self.lost()
        self._guest = match["guest"]

    @line(rf" *(?:block +\S+ +)?{_TARGET} +/dev/(\S.*?)\s*")
    def listed(self, match: re.Match[str]) -> None:
        """Take a disk of domblklist."""
        self._say(match[1], match[2])

    @line(r"\s*<name>([^<]{1,200})</name>\s*")
    def name(self, match: re.Match[str]) -> bool:
        """Take the name of the guest, which stands first."""
        self._guest = self._guest or match[1]
        return True

    @line(r"\s*<(/?)disk(?: .*)?>\s*")
    def disk(self, match: re.Match[str]) -> None:
        """Begin or end a disk."""
        self._source, self._is_disk = "", not match[1]

    @line(r"\s*<source dev=['\"]/dev/([^'\"]+)['\"].*>\s*")
    def source(self, match: re.Match[str]) -> bool:
        """Take the device of a disk."""
        if self._is_disk and not self._source:  # those of a chain of images stand below
            self._source = match[1]
        return self._is_disk

    @line(rf"\s*<target dev=['\"]{_TARGET}['\"].*>\s*")
    def target(self, match: re.Match[str]) -> None:
        """Take what the guest calls the disk."""
        if self._source:
            self._say(match[1], self._source)

    def _say(self, target: str, device: str) -> None:
        guest = f"the KVM guest {self._guest}" if self._guest else "a KVM guest"
        self.facts.name_device(device, self.place)
        self.facts.lent.setdefault((device, f"{target} of {guest}"), self.place)
