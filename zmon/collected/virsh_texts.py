r"""Disks that KVM guests have from this host, in texts: `virsh domblklist`, also with --details, and dumpxml.

     vda      /dev/disk/by-path/ccw-0.0.1a01                 domblklist
     file   disk     vdb      /kvm/web.qcow2                 domblklist --details
      <source dev='/dev/dasda' index='1'/>                   dumpxml, between <disk> and </disk>
    qemu-kvm -name guest=web ... {"driver":"host_device","filename":"/dev/dasdc"}        ps, one line
    qemu-kvm -name web ... -drive file=/dev/dasdc,format=raw                             ps, older ones

Sources: libvirt, tools/virsh-domain-monitor.c; docs/formatdomain.rst; QEMU, qemu-options.hx.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.reading import Reading, line

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_GUEST: Final = r"[A-Za-z][\w.-]{0,62}"
_TARGET: Final = r"((?:vd|sd|hd|xvd)[a-z]{1,3})"
_QEMU: Final = r"(?=.*/qemu).*?\s-name (?:guest=)?(?P<guest>[^\s,]{1,200})"
"""How the line of a guest begins, up to its name."""
_FILE: Final = re.compile(r'"filename":"(/[^"]+)"|(?<=-drive )(?:\S*,)?file=(/[^\s,]+)')
"""A device or a file of a disk: of -blockdev, or of the older -drive."""


class Virsh(Reading):
    """The devices of the host that are disks of a guest."""

    tool = "virsh"
    heading = r" ?(?:Type +Device +)?Target +Source *$|<domain type='"
    titled = rf"[=#*~:\[\]() +-]{{0,20}}(?P<guest>{_GUEST})[=#*~:\[\]() +-]{{0,20}}"
    outdented = r"-{20,}"
    nothing = (
        r" ?(?:Type +Device +)?Target +Source *", r"-{20,}",
        rf" *(?:\S+ +\S+ +)?{_TARGET} +(?:-|[^/\s].*)",  # a volume of a pool or a network, an empty drive
        r"error: .*", r"\s*</?[\w:]+(?:\s.*)?/?>(?:.*</[\w:]+>)?\s*", r"\s*<!--.*-->\s*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin; the guest may be known from the command."""
        super().__init__(text, facts)
        operands = [word for word in text.command.split()[1:] if not word.startswith("-")]
        self._guest = operands[1] if len(operands) > 1 else ""
        self._sources: list[str] = []
        self._is_disk = False

    def lost(self) -> None:
        """Know no disk."""
        self._sources, self._is_disk = [], False

    @line(titled)
    def title(self, match: re.Match[str]) -> None:
        """Take the name of the guest that a loop of a shell prints above its disks."""
        self.lost()
        self._guest = match["guest"]

    @line(rf" *(?:(?:block|file) +\S+ +)?{_TARGET} +(/\S.*?)\s*")
    def listed(self, match: re.Match[str]) -> None:
        """Take a disk of domblklist."""
        lend(self, match[2], match[1], self._guest)

    @line(r"\s*<name>([^<]{1,200})</name>\s*")
    def name(self, match: re.Match[str]) -> bool:
        """Take the name of the guest, which stands first."""
        self._guest = self._guest or match[1]
        return True

    @line(r"\s*<(/?)disk(?: .*)?>\s*")
    def disk(self, match: re.Match[str]) -> None:
        """Begin or end a disk."""
        self._sources, self._is_disk = [], not match[1]

    @line(r"\s*<source (?:dev|file)=['\"](/[^'\"]+)['\"].*>\s*")
    def source(self, match: re.Match[str]) -> bool:
        """Take the device or the file of a disk; those of a chain of images stand below."""
        if self._is_disk:
            self._sources.append(match[1])
        return self._is_disk

    @line(rf"\s*<target dev=['\"]{_TARGET}['\"].*>\s*")
    def target(self, match: re.Match[str]) -> None:
        """Take what the guest calls the disk."""
        for source in self._sources:
            lend(self, source, match[1], self._guest)


class Processes(Reading):
    """The devices and files of the host that QEMU was started with."""

    tool = "ps"
    first = _QEMU
    nothing = (r"(?!.*(?:/dev/(?:dasd|sd|dm-|mapper/|disk/|nvme)|/qemu)).*",)
    longest = 1 << 16

    @property
    def is_part(self) -> bool:
        """Whether other guests may be left out, if it was asked for these at all."""
        return super().is_part and "qemu" in self.text.command

    @line(rf"{_QEMU}.*")
    def guest(self, match: re.Match[str]) -> None:
        """Take a guest: its disks have no names there."""
        for quoted, plain in _FILE.findall(match[0]):
            lend(self, quoted or plain, "disk", match["guest"])


def lend(reading: Reading, path: str, target: str, guest: str) -> None:
    """Say that a guest has a device or a file of this host as its disk."""
    title = f"{target} of {f'the KVM guest {guest}' if guest else 'a KVM guest'}"
    if path.startswith("/dev/"):
        reading.facts.name_device(path.removeprefix("/dev/"), reading.place)
        reading.facts.lent.setdefault((path.removeprefix("/dev/"), title), reading.place)
    else:
        reading.facts.lent_files.setdefault((path, title), reading.place)
