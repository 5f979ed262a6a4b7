"""What hangs on what in one machine at one instant: all that a sample says of it, joined when asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from zmon.absent import Absent
from zmon.kinds import CLAIM, CONTAINER, DASD, DEVICE, LAYER, MACHINE, MOUNT, SWAP
from zmon.topology.chain import answer
from zmon.topology.claim import claims_in
from zmon.topology.file import files_in, files_of
from zmon.topology.host import host_of
from zmon.topology.mount import mounts_in
from zmon.topology.people import NOBODY
from zmon.topology.scattered import gathered
from zmon.topology.stack import Stack
from zmon.topology.volumes import volumes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.sample import Kind, Sample
    from zmon.topology.chain import Answer
    from zmon.topology.claim import Claim
    from zmon.topology.file import File
    from zmon.topology.host import Host
    from zmon.topology.mount import Mounts
    from zmon.topology.people import People
    from zmon.topology.site import Site
    from zmon.topology.volume import Volume


class Machine:
    """The files, mounts, block devices and volumes of a sample."""

    def __init__(self, sample: Sample, people: People = NOBODY) -> None:
        """Look at a sample, and at what people tell of it.

        If they list files, its files are those alone, whether the sample has looked at them or not.
        """
        self.sample = sample
        self.people = people

    @property
    def site(self) -> Site:
        """What the site knows."""
        return self.people.site

    @cached_property
    def mounts(self) -> Mounts:
        """What is mounted where."""
        return mounts_in(self.sample.frame(MOUNT))

    @cached_property
    def swaps(self) -> Mapping[str, str]:
        """The partitions and other devices that are swapped to: their numbers, by their names."""
        frame = self.sample.frame(SWAP)
        nodes = {
            name: self.stack.named(name)
            for name, sort in zip(frame.keys, frame.column("sort"), strict=True)
            if sort == "partition"
        }
        return {name: node.number for name, node in nodes.items() if node is not None}

    def lost(self, kind: Kind) -> str:
        """Say why nothing is known of a kind of things; empty when it was read."""
        if kind.name not in self.sample.frames:
            return "not recorded"
        missing = self.sample.frame(kind).missing
        return missing.reason if missing else ""

    @cached_property
    def unseen(self) -> tuple[str, ...]:
        """What of the uses that a disk may have was not looked at, and why; empty if all was."""
        frames = {"mounts": MOUNT, "swap": SWAP, "block devices": LAYER}
        missing = {what: self.lost(kind) for what, kind in frames.items()}
        found = [f"{what} ({why})" for what, why in missing.items() if why]
        found += [
            f"what the {mount.fstype} at {mount.point} is on ({mount.devices.reason})"
            for mount in self.mounts.by_number.values()
            if mount.fstype in {"btrfs", "overlay"} and isinstance(mount.devices, Absent)
        ]
        spaces = self.sample.frame(MOUNT).column("namespaces")
        unlooked = [why.reason for why in spaces[:1] if isinstance(why, Absent)]
        found += [f"mounts of other namespaces, such as containers ({why})" for why in unlooked]
        layers = self.sample.frame(LAYER)
        built = zip(layers.column("sort"), layers.column("below"), strict=True)
        unread = (below for sort, below in built if sort != "partition" and isinstance(below, Absent))
        return (*found, *(f"devices built on others ({below.reason})" for below in list(unread)[:1]))

    @cached_property
    def stack(self) -> Stack:
        """What block devices are made of."""
        return Stack(self.sample.frame(LAYER))

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What CP and people say of volumes."""
        return (*claims_in(self.sample.frame(CLAIM)), *self.people.hear(self.host.guest).claims)

    @cached_property
    def host(self) -> Host:
        """Where this Linux runs."""
        return host_of(self.sample.frame(MACHINE))

    @cached_property
    def volumes(self) -> Mapping[str, Volume]:
        """The disks, by major:minor."""
        frame = self.sample.frame
        return volumes(frame(LAYER), frame(DEVICE), frame(DASD), self.claims, self.site, self.host)

    @cached_property
    def files(self) -> list[File]:
        """The containers of tablespaces, and whatever files were asked about."""
        known = files_in(self.sample.frame(CONTAINER))
        listed = self.people.listed
        files = known if listed is None else files_of(listed, known, self.mounts)
        return gathered(self.people.scattered, files, known, self.stack)

    @cached_property
    def answers(self) -> Mapping[str, Answer]:
        """Where each of the files lies, by path."""
        return {file.path: self.locate(file) for file in self.files}

    def locate(self, file: File) -> Answer:
        """Return where a file lies."""
        return answer(file, self.mounts, self.stack, self.volumes)
