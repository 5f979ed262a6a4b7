"""What a lookup finds: where files lie, and what lies on disks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.placement.meaning import Meaning, Sort
from zmon.topology.file import File, by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zmon.absent import Number
    from zmon.topology.chain import Answer
    from zmon.topology.machine import Machine
    from zmon.topology.mount import Mount
    from zmon.topology.volume import Volume


SWAP: Final = "swap"
"""What stands for the type of the file system where a device is swapped to."""


class Seat(NamedTuple):
    """A file system, or what is swapped to, that lies, or a part of which lies, on some disks."""

    point: str
    """Where it is mounted; empty for swap."""
    fstype: str
    device: str
    """The device it is on, as people call it."""
    disks: tuple[str, ...]
    """Those of the disks that it uses, major:minor."""
    whole: bool
    """Whether it lies on these disks alone."""
    seen_by: str = ""
    """The number of a process, if only that and others in its mount namespace see it."""

    @property
    def title(self) -> str:
        """Where it is mounted, or what else it is used for."""
        return self.point or "swap, in use"

    @property
    def note(self) -> str:
        """In whose eyes it is mounted there, if it is not seen from here."""
        return f", in the mount namespace of process {self.seen_by}" if self.seen_by else ""


class Lodger(NamedTuple):
    """A file that lies, or a part of which lies, on some disks."""

    answer: Answer
    file: File
    bytes: Number
    """Those of it that are there; absent where that is not known."""


class Found(NamedTuple):
    """One meaning of a word, and what is known of it."""

    meaning: Meaning
    answers: tuple[Answer, ...] = ()
    """Where what it means lies: files, a file system, a device."""
    volumes: tuple[Volume, ...] = ()
    """The disks that it means, if it means disks."""
    devices: tuple[str, ...] = ()
    """What is built on it: partitions, volumes, arrays, as people call them."""
    seats: tuple[Seat, ...] = ()
    lodgers: tuple[Lodger, ...] = ()
    unseen: tuple[str, ...] = ()
    """Uses that a disk may have and that were not looked at, if disks are meant."""

    @property
    def is_there(self) -> bool:
        """Whether it could be looked at: all of a tablespace, something in a directory."""
        if self.meaning.sort is Sort.DIRECTORY:
            return bool(self.there)
        return len(self.there) == len(self.answers) and bool(self.answers or self.volumes)

    @property
    def there(self) -> tuple[Answer, ...]:
        """Those of the answers that are about something which could be looked at."""
        return tuple(
            answer for answer in self.answers if answer.is_known and not isinstance(answer.real, Absent)
        )


ALL_OF_IT: Final = absent("these are the disks of the whole file system: name a file, or use --recursive")
WHOLE: Final = absent("all of a device is meant")
UNSIZED: Final = absent("how large the device is was not read, so nothing tells which bytes it has")


def find(meaning: Meaning, machine: Machine) -> Found:
    """Return what is known of one meaning of a word."""
    match meaning.sort:
        case Sort.FILE:
            return Found(meaning, (machine.answers[meaning.key],))
        case Sort.DIRECTORY:
            return below(meaning, machine)
        case Sort.MOUNT:
            return at_mount(meaning, machine.mounts.by_point[meaning.key], machine)
        case Sort.TABLESPACE:
            return Found(meaning, _where(machine, lambda file: file.space == meaning.key))
        case Sort.DATABASE:
            return Found(meaning, _where(machine, lambda file: file.database == meaning.key))
        case _:
            return on(meaning, machine)


def _where(machine: Machine, wanted: Callable[[File], bool]) -> tuple[Answer, ...]:
    return tuple(machine.answers[file.path] for file in machine.files if wanted(file))


# downwards


def below(meaning: Meaning, machine: Machine) -> Found:
    """Return where the files lie that are at a path, or in it and below."""
    inside = meaning.key.rstrip("/") + "/"
    return Found(
        meaning, _where(machine, lambda file: file.path == meaning.key or file.path.startswith(inside))
    )


def at_mount(meaning: Meaning, mount: Mount, machine: Machine) -> Found:
    """Return where the file system lies that a path is on: all of it, for nobody looked at what is in it."""
    node = machine.stack.node(mount.number)
    size = ALL_OF_IT if node is None else node.size
    file = _unlisted(meaning.key, ALL_OF_IT)._replace(
        real=meaning.key, number=mount.number, mount=mount.id, size=size, declared=size
    )
    return Found(meaning, (machine.locate(file),))


def named(meaning: Meaning, machine: Machine) -> Found:
    """Return what its name alone tells of a path of a machine that cannot be asked any more."""
    return Found(meaning, (machine.locate(by_name(meaning.key, machine.mounts)),))


def _unlisted(path: str, unknown: Absent) -> File:
    """Return a file that no listing names; what is not said of it is unknown."""
    said = {"path": path, "said": (), **File._field_defaults}
    said |= dict.fromkeys(("database", "tablespace", "role", "listed"), "")
    return File._make(said.get(name, unknown) for name in File._fields)


# upwards


def on(meaning: Meaning, machine: Machine) -> Found:
    """Return the disks that a word means, and what lies on them; of a device what lies on that."""
    stack = machine.stack
    disks = _with_paths(meaning.disks, machine)
    device = meaning.key if meaning.sort is Sort.DEVICE else ""
    above = {number for start in ([device] if device else disks) for number in stack.above(start)}
    upon = above | ({device} if device else disks)
    titles = sorted(stack.title(number) for number in above)
    known = sorted((machine.volumes[disk] for disk in disks if disk in machine.volumes), key=_order)
    joined = {machine.stack.paths(number)[0].number for number in disks if _is_joined(number, machine)}
    paths = {path.number for number in disks for path in machine.stack.paths(number) if number != path.number}
    volumes = [volume for volume in known if volume.number in joined or volume.number not in paths]
    made = bool(device) and (stack.segments(device) != () or not volumes)
    return Found(
        meaning,
        answers=(_device(device, machine),) if made else (),
        volumes=tuple(volumes),
        devices=tuple(titles),
        seats=tuple(_seats(disks, upon, machine)),
        lodgers=tuple(_lodgers(disks, upon, machine)),
        unseen=machine.unseen,
    )


def _is_joined(number: str, machine: Machine) -> bool:
    """Tell whether a device is one disk that is reached over others."""
    node = machine.stack.node(number)
    return node is not None and node.multipath and bool(machine.stack.paths(number))


def _with_paths(disks: Iterable[str], machine: Machine) -> set[str]:
    """Return disks with the others that are paths to the same ones, and the devices that join them."""
    found = set(disks)
    for disk in disks:
        for number in (disk, *machine.stack.above(disk)):
            node = machine.stack.node(number)
            if node is not None and node.multipath:
                found |= {number, *(path.number for path in machine.stack.paths(number))}
    return found


def _device(number: str, machine: Machine) -> Answer:
    """Return where a device lies that is made of others."""
    node = machine.stack.node(number)
    size = WHOLE if node is None else node.size
    title = machine.stack.title(number)
    file = _unlisted(title, UNSIZED if isinstance(size, Absent) else WHOLE)
    file = file._replace(real=title, number=number, size=size, unplaced=0, unwritten=0)
    if not isinstance(size, Absent):
        file = file._replace(ranges=((0, int(size)),))
    return machine.locate(file)


def _seats(disks: set[str], upon: set[str], machine: Machine) -> Iterator[Seat]:
    for mount in machine.mounts:
        of_btrfs = {} if mount.fstype != "btrfs" or isinstance(mount.devices, Absent) else mount.devices
        several = tuple(of_btrfs.values())
        numbers = {*several} or {mount.number}
        node = machine.stack.node(several[0] if len(several) == 1 else mount.number)
        is_known = True
        if mount.fstype == "btrfs" and not several:  # the mount names one of its devices
            node, is_known = machine.stack.named(mount.source), False
            numbers = {node.number} if node else numbers
        if not upon.isdisjoint(numbers):
            title = mount.source if node is None else node.title
            leaves = {leaf for number in numbers for leaf in machine.stack.leaves(number)}
            there = tuple(sorted(leaves & disks))
            is_whole = is_known and leaves <= disks
            yield Seat(mount.point, mount.fstype, title, there, is_whole, mount.seen_by)
    for number in machine.swaps.values():
        if number in upon:
            leaves = set(machine.stack.leaves(number))
            yield Seat("", SWAP, machine.stack.title(number), tuple(sorted(leaves & disks)), leaves <= disks)


def _lodgers(disks: set[str], upon: set[str], machine: Machine) -> Iterator[Lodger]:
    for file in machine.files:
        answer = machine.answers[file.path]
        if upon.isdisjoint(step.number for step in answer.steps):
            continue
        there = [share.bytes for share in answer.disks if share.volume.number in disks]
        if there:
            yield Lodger(answer, file, sum(there[1:], there[0]))


def _order(volume: Volume) -> tuple[int, str]:
    name = "" if isinstance(volume.disk, Absent) else str(volume.disk)
    return len(name), name
