"""What ReaR saved of the disks of a host, to make them again: `disklayout.conf`.

    disk /dev/dasdb 7385333760 dasd
    part /dev/dasdb 7385235456 98304 rear-noname none /dev/dasdb1
    lvmdev /dev/vg /dev/dasdb1 Tnnpqc-uQ7G-BIpw-4D0S-Cesb-z0cH-RTjp5T 14424288
    lvmvol /dev/vg data 6442450944b linear
    fs /dev/mapper/vg-data /data xfs uuid=... label= options=rw,relatime
    swap /dev/mapper/vg-swap uuid=... label=
    multipath /dev/mapper/mpatha 21474836480 msdos /dev/sda,/dev/sdb
    crypt /dev/mapper/cr_data /dev/dasdb1 type=luks2 ...
    raid /dev/md0 metadata=1.2 level=raid1 raid-devices=2 uuid=... devices=/dev/sda1,/dev/sdb1

It may be old: what any other text has goes first.  A line behind a number sign is of what ReaR leaves out
when it makes the disks again.
Source: ReaR, usr/share/rear/layout/save/GNU/Linux.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.collected.bare_names import PATH_OR_BARE, below_dev
from zmon.collected.facts import MountRow, plain
from zmon.collected.lvm_texts import GROUP, volume_title
from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER, MPATH, SWAP

if TYPE_CHECKING:
    import re

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


_OF_SWAP: Final = frozenset({"swapon", "/proc/swaps", "lsblk"})
"""The outputs that have swap areas as of now."""


class DiskLayout(Reading):
    """Devices, what they are made of, and file systems, as they were when ReaR saved them."""

    tool = "ReaR"
    tells = ("layer", "mount", "swap")
    is_part = True  # of what is there now
    heading = r"# Disk layout dated [0-9]{8}|# Format: disk <devname> |disk /dev/\S+ [0-9]{6,20} \S+ *$"
    first = r"#?(?:lvmdev /dev/\S+|multipath|crypt|part) /dev/\S+ \S+ "
    nothing = (
        r"#?(?:lvmgrp|btrfsdefaultsubvol|btrfsnormalsubvol|btrfssnapshotsubvol|opaldisk|smartarray|logicaldrive)\b.*",
        r"#(?!(?:disk|part|lvm\w+|multipath|crypt|raid\w*|fs|swap|drbd|btrfsmountedsubvol) ).*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a device; groups that other texts have are theirs."""
        super().__init__(text, facts)
        self._others = {*facts.groups}
        self._systems: list[MountRow] = []

    @line(rf"#?disk ({PATH_OR_BARE})(?: .*)?")
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk."""
        self._name(match[1])

    @line(rf"#?part ({PATH_OR_BARE}) [0-9]* ?[0-9]* .*?({PATH_OR_BARE})")
    def partition(self, match: re.Match[str]) -> None:
        """Take a partition of a disk; that of a map is on it."""
        disk, part = (self._name(device) for device in match.groups())
        if "/mapper/" in match[1]:
            self.facts.hint(LAYER, part, self.place, below=disk)

    @line(rf"#?lvmdev /dev/({GROUP}) ({PATH_OR_BARE})(?: .*)?")
    def volume(self, match: re.Match[str]) -> None:
        """Take a physical volume."""
        device = self._name(match[2])
        if match[1] not in self._others:
            self.facts.groups.setdefault(match[1], {})[plain(device)] = self.place

    @line(rf"#?lvmvol /dev/({GROUP}) ({GROUP}) .*")
    def logical(self, match: re.Match[str]) -> None:
        """Take a logical volume, which may be on any volume of its group."""
        title = volume_title(match[1], match[2])
        self.facts.say(LAYER, title, self.place, mapped=title, sort="dm")
        volumes = self.facts.volumes.setdefault(match[1], [])
        volumes += [title] * (title not in volumes)

    @line(rf"#?multipath (/dev/mapper/\S+) [0-9]* .*?((?:,?{PATH_OR_BARE})+)")
    def joined(self, match: re.Match[str]) -> None:
        """Take a multipath device with its paths."""
        self._say_made(match[1], match[2].split(","), "dm", MPATH)

    @line(rf"#?crypt (/dev/mapper/\S+) ({PATH_OR_BARE})(?: .*)?")
    def encrypted(self, match: re.Match[str]) -> None:
        """Take an encrypted device."""
        self._say_made(match[1], [match[2]], "dm", "CRYPT-")

    @line(rf"#?raid(?:array)? ({PATH_OR_BARE})((?: [a-z-]+=\S*)*)\s*")
    def array(self, match: re.Match[str]) -> bool:
        """Take an array with its devices, of which ReaR may not have all."""
        told = dict(word.split("=", 1) for word in match[2].split())
        devices = told.get("devices", "").split(",")
        if not all(devices):
            return False
        more = ""
        if told.get("raid-devices") != str(len(devices)):
            more = f"?rear.{below_dev(match[1])}"
            self.facts.leave_open(more, f"a member of {below_dev(match[1])}")
        self._say_made(match[1], devices, "md", more=more)
        return True

    @line(rf"#?drbd ({PATH_OR_BARE}) \S+ ({PATH_OR_BARE})\s*")
    def replicated(self, match: re.Match[str]) -> None:
        """Take a device of DRBD."""
        self._say_made(match[1], [match[2]], "disk")

    @line(
        rf"#?fs (?P<device>{PATH_OR_BARE}) (?P<point>/\S*) (?P<fstype>\S+)(?: .*)?",
        rf"#?(?P<fstype>btrfs)mountedsubvol (?P<device>{PATH_OR_BARE}) (?P<point>/\S*) \S+(?: .*)?",
    )
    def system(self, match: re.Match[str]) -> None:
        """Take a file system that was mounted."""
        device, point, fstype = match["device"], match["point"], match["fstype"]
        source = f"/dev/{below_dev(device)}"
        self._name(device)
        self._systems.append(MountRow(source, point, fstype, "", self.place, output=self.text.place()))

    @line(rf"#?swap ({PATH_OR_BARE})(?: .*)?")
    def swap(self, match: re.Match[str]) -> None:
        """Take a swap area that was active."""
        device = below_dev(match[1])
        self._name(match[1])
        is_listed = any(not _OF_SWAP.isdisjoint(command) for command in self.facts.commands)
        if not is_listed:
            self.facts.swaps.setdefault(f"/dev/{device}", self.place)
        elif f"/dev/{device}" not in {*self.facts.keys(SWAP), *self.facts.swaps}:
            self.facts.lent[device, f"swap on {plain(device)}, as ReaR saved it"] = self.place

    def end(self) -> None:
        """Take the mounts, unless another text lists some: then those that are not there are what was."""
        listed = {row.point for row in (*self.facts.listed_mounts, *self.facts.mounts.values())}
        for row in self._systems:
            device = row.source.removeprefix("/dev/")
            if not listed:
                self.facts.mounts.setdefault((device, row.point), row)
            elif row.point not in listed:
                title = f"{row.fstype} at {row.point} on {plain(device)}, as ReaR saved it"
                self.facts.lent[device, title] = row.place

    def _name(self, device: str) -> str:
        return self.facts.name_device(below_dev(device), self.place)

    def _say_made(self, device: str, members: list[str], sort: str, uuid: str = "", more: str = "") -> None:
        """Say of which devices another one was made, unless another text says of which."""
        key = self._name(device)
        below = " ".join(filter(None, (*map(self._name, members), more)))
        self.facts.say(LAYER, key, self.place, sort=sort)
        self.facts.hint(LAYER, key, self.place, below=below, uuid=uuid)
