"""A machine at one instant: files, mounts, block devices and volumes of a sample, joined with user inputs."""

from __future__ import annotations

from functools import cached_property, lru_cache

from zmon.base.absent import Absent, absent, code_of, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kinds import (
    BLOCK,
    CLAIM,
    CONTAINER,
    CONTRADICTED,
    DASD,
    DEVICE,
    LAYER,
    MACHINE,
    MOUNT,
    NOT_COLLECTED,
    NOT_SEEN,
    ORIGIN,
    SWAP,
    TEXT,
    VOLUME_GROUP,
)
from zmon.sample import Frame
from zmon.topology.claims import claims_in
from zmon.topology.identity import VolumeIndex, platform_of
from zmon.topology.origins import Origins
from zmon.topology.site import NO_SITE
from zmon.topology.volumes import lcus, with_claimed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.base.listed_file import ListedFile
    from zmon.sample import Kind, Sample
    from zmon.topology.claims import Claim
    from zmon.topology.data_files import DataFile, DiskGroupFile
    from zmon.topology.identity import Platform
    from zmon.topology.location import FileLocation
    from zmon.topology.mounts import Mount, Mounts
    from zmon.topology.site import Site
    from zmon.topology.stack import Stack
    from zmon.topology.volumes import Lcu, Volume


_OF_MAPS: Final = ("multipath", "dmsetup", "lsblk", "ls -l", "udevadm", "ziorep_config")
"""How the forms of outputs begin that have what multipath joins."""


class UserClaims(NamedTuple):
    """The claims in files of CP's answers that a user supplies."""

    claims: Sequence[Claim] = ()
    remarks: tuple[str, ...] = ()
    """Parts that are not understood, and contradictions."""
    guest: str = ""
    """The name of this guest by the user; empty to take the machine's."""


class UserInputs:
    """What a user supplies: site rules, answers of CP, a listing of files."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each input
        self,
        site: Site = NO_SITE,
        claims_of: Callable[[str], UserClaims] | None = None,
        listed: Sequence[ListedFile] | None = None,
        notes: tuple[str, ...] = (),
        in_disk_groups: Sequence[DiskGroupFile] = (),
        problems: tuple[str, ...] = (),
        *,
        adds: bool = False,
    ) -> None:
        """Collect inputs; `claims_of` maps the name of this guest (may be empty) to claims."""
        self.site = site
        self.listed = listed
        """The files of tablespaces; None without a listing."""
        self.adds = adds
        """Whether the files of the sample that no listing names count, too."""
        self.in_disk_groups = in_disk_groups
        """Those of their files that are in disk groups."""
        self.notes = notes
        """Remarks about the listing."""
        self.problems = problems
        """Inputs that could not be used, with the reason."""
        self.claims_of = lru_cache(maxsize=2)(claims_of or _no_claims)
        self.tells_lcus = site != NO_SITE or claims_of is not None
        """Whether they may name the LCU of a disk."""
        self.given = site != NO_SITE or claims_of is not None or listed is not None
        """Whether there are any inputs."""


def _no_claims(_guest: str) -> UserClaims:
    return UserClaims()


NO_INPUTS: Final = UserInputs()


class Machine:
    """The files, mounts, block devices and volumes of a sample."""

    def __init__(self, sample: Sample, inputs: UserInputs = NO_INPUTS) -> None:
        """Join a sample with user inputs.

        If these list files, its files are those, whether they are in the sample or not, and the sample's only
        if the inputs say so.
        """
        self.sample = sample
        self.inputs = inputs

    @property
    def site(self) -> Site:
        """The site's rules."""
        return self.inputs.site

    @cached_property
    def mounts(self) -> Mounts:
        """The mounts."""
        from zmon.topology.mounts import mounts_in  # noqa: PLC0415 - tables of devices need no files

        return mounts_in(self.sample.frame(MOUNT))

    @cached_property
    def swaps(self) -> Mapping[str, str]:
        """The devices that are swapped to, by the names of the partitions and files: their numbers.

        A swap file lies on the device of its file system.
        """
        from zmon.topology.mounts import mount_of  # noqa: PLC0415 - tables of devices need no files

        frame = self.sample.frame(SWAP)
        numbers: dict[str, str] = {}
        for name, sort in zip(frame.keys, frame.column("sort"), strict=True):
            if sort == "partition":
                node = self.stack.named(name)
            else:
                mount = mount_of(name, self.mounts)
                node = None if isinstance(mount, Absent) else self.stack.node(mount.number)
            if node is not None:
                numbers[name] = node.number
        return numbers

    def missing(self, kind: Kind) -> str:
        """Return the reason why a kind is missing; empty when it was read."""
        if kind.name not in self.sample.frames:
            return "not recorded"
        missing = self.sample.frame(kind).missing
        return missing.reason if missing else ""

    @cached_property
    def unread(self) -> Mapping[str, Sequence[str]]:
        """Of the mounts, the swap areas and the block devices those that were not read, by the reason."""
        unread: dict[str, list[str]] = {}
        for what, kind in {"mounts": MOUNT, "swap": SWAP, "block devices": LAYER}.items():
            if why := self.missing(kind):
                unread.setdefault(why, []).append(what)
        return unread

    @cached_property
    def unseen(self) -> tuple[str, ...]:
        """The possible uses of a disk that were not read, with the reasons; empty if all were."""
        unread_uses = [*self.contradicted]
        unread_uses += [f"{what} ({why})" for why, names in self.unread.items() for what in names]
        unread_uses += [
            f"what the {mount.fstype} at {mount.point} is on ({mount.devices.reason})"
            for mount in self.mounts.by_number.values()
            if mount.fstype in {"btrfs", "overlay"} and isinstance(mount.devices, Absent)
        ]
        unread_uses += [*self._unplaced_of(is_contradicted=False), *self._untold]
        spaces = self.sample.frame(MOUNT).column("namespaces")
        unlooked = [why.reason for why in spaces[:1] if isinstance(why, Absent)]
        unread_uses += [f"mounts of other namespaces, such as containers ({why})" for why in unlooked]
        if TEXT.name in self.sample.frames:
            from zmon.topology.read_texts import remarks  # noqa: PLC0415 - most machines are no texts

            unread_uses += remarks(self.sample, frozenset({LAYER.name, MOUNT.name, SWAP.name}))
        return (*unread_uses, *self._unread_below)

    @cached_property
    def contradicted(self) -> tuple[str, ...]:
        """Those of them about which sources contradict each other."""
        return tuple(self._unplaced_of(is_contradicted=True))

    @property
    def is_unrecorded(self) -> bool:
        """Whether nothing that lies on disks was recorded: no use of them is unseen for another reason."""
        unrecorded = sum(kind.name not in self.sample.frames for kind in (MOUNT, SWAP, LAYER))
        return bool(unrecorded) and unrecorded == len(self.unseen)

    @property
    def _unread_below(self) -> Iterator[str]:
        """Yield which devices may be built on others, and what they are built on was not read.

        What stands for a device of which no disk is known counts if something may be on it: texts that know
        less than others may have left it open.
        """
        layers = self.sample.frame(LAYER)
        columns = map(layers.column, ("sort", "name", "mapped", "below"))
        mounted = self.sample.frame(MOUNT).column("devices")
        members = {
            word.rpartition("=")[2]
            for cell in (*layers.column("below"), *mounted)
            for word in text_of(cell).split()
        }
        unread: dict[str, list[str]] = {}
        for key, sort, name, mapped, below in zip(layers.keys, *columns, strict=True):
            node = self.stack.node(key)
            is_stand_in = node is not None and node.is_unseen
            if is_stand_in and key in members and isinstance(mapped, str):
                yield f"{mapped.removeprefix(NOT_SEEN)}, whose disk is not known"
            if isinstance(below, Absent) and isinstance(name, str) and sort != "partition":
                which = "" if isinstance(sort, Absent) or sort == "disk" else name
                unread.setdefault(below.reason, []).append(which)
        for reason, names in unread.items():
            if "" in names:  # even of disks it is not known what is built on them
                yield f"devices built on others ({reason})"
            else:
                more = f" and {len(names) - 1:,} more" * (len(names) > 1)
                yield f"what {names[0]}{more} {'are' if more else 'is'} built on ({reason})"

    def _unplaced_of(self, *, is_contradicted: bool) -> Iterator[str]:
        """Yield the mounts whose device was not read, or that texts contradict each other about."""
        from zmon.topology.mounts import is_unplaced, why_unplaced  # noqa: PLC0415 - likewise

        is_read = not self.missing(LAYER)
        for mount in self.mounts.by_number.values():
            of_disk = is_read and not mount.number.startswith("0:")
            is_placed = self.stack.node(mount.number) is not None and self.stack.leaves(mount.number) != []
            is_open = is_unplaced(mount) or (of_disk and not is_placed)
            if is_open and is_contradicted == (code_of(mount.devices) == CONTRADICTED.code):
                yield f"which disks {mount.point} is on ({why_unplaced(mount)})"

    @property
    def _untold(self) -> Iterator[str]:
        """Yield the uses that texts do not tell, and the swap areas whose device is not among those read."""
        swaps = self.sample.frame(SWAP)
        for name, sort in zip(swaps.keys, swaps.column("sort"), strict=True):
            if sort == "partition" and not (name in self.swaps and self.stack.leaves(self.swaps[name])):
                yield f"which disks the swap area {name} is on (it is not among the devices read)"
        if any(self.origins.of("swap", name, "sort", "").startswith("lsblk, ") for name in swaps.keys):
            yield f"swap files ({NOT_COLLECTED.about('/proc/swaps, swapon').reason})"
        if self.origins and VOLUME_GROUP not in self.sample.frame(LAYER).column("sort"):
            yield "physical volumes (no text has pvs, or it names none)"
        if any(map(self._may_be_btrfs, self.mounts.by_number.values())):
            yield "further devices of file systems without a type (not collected: lsblk -f, mount)"

    def _may_be_btrfs(self, mount: Mount) -> bool:
        """Return whether a mount may have more devices; on a loop device a file system has none but that."""
        node = self.stack.node(mount.number)
        return mount.is_untyped and not (node is not None and node.sort == "loop")

    @cached_property
    def origins(self) -> Origins:
        """The texts that values are from, where the machine was collected as texts."""
        return Origins(self.sample.frames.get(ORIGIN.name))

    @cached_property
    def layers(self) -> Frame:
        """The block devices; where only their counters were recorded, those of the channel subsystem."""
        blocks = self.sample.frames.get(BLOCK.name)
        if LAYER.name in self.sample.frames or blocks is None:
            return self.sample.frame(LAYER)
        keys = [key for key in blocks.keys if isinstance(blocks.cell(key, "busid"), str)]
        keys = [key for key in keys if isinstance(blocks.cell(key, "number"), str)]
        unread = [self.sample.frame(LAYER).missing or absent("not recorded")] * len(keys)
        columns: dict[str, list[Value]] = {field.name: [*unread] for field in LAYER.fields}
        columns |= {
            "name": list(keys),
            "sort": ["disk" for _ in keys],
            **{name: [blocks.cell(key, name) for key in keys] for name in ("busid", "size")},
        }
        numbers = [str(blocks.cell(key, "number")) for key in keys]
        return Frame(LAYER, numbers, columns, [blocks.times[blocks.index[key]] for key in keys])

    @cached_property
    def stack(self) -> Stack:
        """The stack of block devices."""
        from zmon.topology.stack import Stack  # noqa: PLC0415 - tables of devices need no files

        return Stack(self.layers, self.origins)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of CP and people about volumes."""
        return (*claims_in(self.sample.frame(CLAIM)), *self.inputs.claims_of(self.host.guest).claims)

    @cached_property
    def host(self) -> Platform:
        """The environment of this Linux."""
        return platform_of(self.sample.frame(MACHINE), self.origins)

    @cached_property
    def volumes(self) -> Mapping[str, Volume]:
        """The disks, by major:minor."""
        frame = self.sample.frame
        guest = self.inputs.claims_of(self.host.guest).guest or self.host.guest
        host = self.host._replace(guest=guest)
        return VolumeIndex(
            self.layers, frame(DEVICE), frame(DASD), self.claims, self.site, host, self.origins
        )

    @cached_property
    def knows_maps(self) -> bool:
        """Whether it is known which disks multipath joins: texts may be without a list of it."""
        return has_list_of_maps(self.sample)

    @cached_property
    def same_disks(self) -> Mapping[str, Mapping[str, bool]]:
        """For disks the others that are the same over other paths, and whether that is sure."""
        from zmon.topology.same_disks import same_disks  # noqa: PLC0415 - only those of lookups are asked for

        return same_disks(self.volumes, self.stack, self.layers)

    @cached_property
    def lcus(self) -> Mapping[str, Lcu]:
        """The logical control units by key; `Lcu.name` is the name in screens, events and messages."""
        devices = self.sample.frame(DEVICE)
        return with_claimed(devices, lcus(devices), self.volumes.values())

    @cached_property
    def files(self) -> list[DataFile]:
        """The containers of tablespaces, and other files that were asked for."""
        from zmon.topology.data_files import files_in, files_of, with_disk_groups  # noqa: PLC0415 - likewise

        container_files = files_in(self.sample.frame(CONTAINER))
        listed = self.inputs.listed
        files = (
            container_files if listed is None else files_of(listed, container_files, self.mounts, self.stack)
        )
        if listed is not None and self.inputs.adds:
            there = {name for file in files for name in (file.path, file.real) if isinstance(name, str)}
            files += [file for file in container_files if there.isdisjoint((file.path, file.real))]
        return with_disk_groups(self.inputs.in_disk_groups, files, container_files, self.stack)

    @cached_property
    def locations(self) -> Mapping[str, FileLocation]:
        """Where each of the files lies, by path."""
        from zmon.topology.location import with_same_files  # noqa: PLC0415 - likewise

        return with_same_files(self.files, {file.path: self.locate(file) for file in self.files})

    @cached_property
    def counted(self) -> Mapping[str, FileLocation]:
        """The locations for sums: bytes that several files share count for the first one only."""
        return {path: location.counted for path, location in self.locations.items()}

    def locate(self, file: DataFile) -> FileLocation:
        """Return where a file lies."""
        from zmon.topology.location import locate_file  # noqa: PLC0415 - likewise

        location = locate_file(file, self.mounts, self.stack, self.volumes)
        nearer = self._unread_mounts if file.unseen and not isinstance(file.mount, Absent) else ()
        return location._replace(lacking=(*nearer, *location.lacking)) if nearer else location

    @cached_property
    def _unread_mounts(self) -> tuple[str, ...]:
        """Which lines of texts may be mounts nearer to a file of which only the path is known."""
        if TEXT.name not in self.sample.frames:
            return ()
        from zmon.topology.read_texts import remarks  # noqa: PLC0415 - most machines are no texts

        lines = remarks(self.sample, {MOUNT.name})
        return tuple(f"{line}, which may be a mount nearer to it" for line in lines)


def has_list_of_maps(sample: Sample) -> bool:
    """Return whether a sample has what multipath joins; one of texts may be without a list of it."""
    texts = sample.frames.get(TEXT.name)
    forms = () if texts is None else map(text_of, texts.column("form"))
    return texts is None or any(form.startswith(_OF_MAPS) for form in forms)
