"""What a lookup finds: where files lie, and what lies on disks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.placement.meaning import Meaning, Sort
from zmon.topology.file import File

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.absent import Number
    from zmon.topology.chain import Answer
    from zmon.topology.machine import Machine
    from zmon.topology.mount import Mount
    from zmon.topology.volume import Volume


class Seat(NamedTuple):
    """A file system that lies, or a part of which lies, on some disks."""

    mount: Mount
    device: str
    """The device it is on, as people call it."""
    disks: tuple[str, ...]
    """Those of the disks that it uses, major:minor."""
    whole: bool
    """Whether it lies on these disks alone."""


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
    """Where the files lie that it means."""
    volumes: tuple[Volume, ...] = ()
    """The disks that it means."""
    devices: tuple[str, ...] = ()
    """What is built on these disks: partitions, volumes, arrays, as people call them."""
    seats: tuple[Seat, ...] = ()
    lodgers: tuple[Lodger, ...] = ()


ALL_OF_IT: Final = absent("this is where all of the file system lies; name a file to learn where that lies")


def find(meaning: Meaning, machine: Machine) -> Found:
    """Return what is known of one meaning of a word."""
    match meaning.sort:
        case Sort.FILE:
            return Found(meaning, (machine.answers[meaning.key],))
        case Sort.MOUNT:
            return Found(meaning, (at_mount(meaning.key, machine.mounts.by_point[meaning.key], machine),))
        case Sort.TABLESPACE | Sort.DATABASE:
            return Found(meaning, tuple(machine.answers[file.path] for file in _of(meaning, machine)))
        case _:
            return on(meaning, machine)


def _of(meaning: Meaning, machine: Machine) -> Iterator[File]:
    for file in machine.files:
        names = (f"{file.database}.{file.tablespace}", file.database)
        if meaning.key == names[meaning.sort is Sort.DATABASE]:
            yield file


def at_mount(path: str, mount: Mount, machine: Machine) -> Answer:
    """Return where the file system lies that a path is on: all of it, for nobody looked at what is in it."""
    node = machine.stack.node(mount.number)
    size = ALL_OF_IT if node is None else node.size
    file = File(
        path, "", "", "", "", path, mount.number, mount.id, ALL_OF_IT, (), size, size,
        ALL_OF_IT, ALL_OF_IT, ALL_OF_IT, ALL_OF_IT,
    )  # fmt: skip
    return machine.locate(file)


def on(meaning: Meaning, machine: Machine) -> Found:
    """Return the disks that a word means, and what lies on them."""
    disks = set(meaning.disks)
    above = {number for disk in meaning.disks for number in machine.stack.above(disk)}
    nodes = filter(None, map(machine.stack.node, above))
    return Found(
        meaning,
        volumes=tuple(
            sorted((machine.volumes[disk] for disk in disks if disk in machine.volumes), key=_order)
        ),
        devices=tuple(sorted(node.title for node in nodes)),
        seats=tuple(_seats(disks, machine)),
        lodgers=tuple(_lodgers(disks, machine)),
    )


def _seats(disks: set[str], machine: Machine) -> Iterator[Seat]:
    for mount in machine.mounts:
        several = () if isinstance(mount.devices, Absent) else mount.devices.values()
        numbers = [*several] or [mount.number]
        leaves = {leaf for number in numbers for leaf in machine.stack.leaves(number)}
        if used := disks & leaves:
            node = machine.stack.node(mount.number)
            title = mount.source if node is None else node.title
            yield Seat(mount, title, tuple(sorted(used)), used == leaves)


def _lodgers(disks: set[str], machine: Machine) -> Iterator[Lodger]:
    for file in machine.files:
        answer = machine.answers[file.path]
        there = [share.bytes for share in answer.disks if share.volume.number in disks]
        if there:
            yield Lodger(answer, file, sum(there[1:], there[0]))


def _order(volume: Volume) -> tuple[int, str]:
    name = "" if isinstance(volume.disk, Absent) else str(volume.disk)
    return len(name), name
