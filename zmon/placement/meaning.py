"""What a word may mean that a person has in hand: a file, a mount, a device, a number, a label, an LCU ...

A word can mean several things: 7201 may be the number of a virtual device here and that of a real device
elsewhere.  All are told, and none is chosen.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.absent import Value
    from zmon.topology.machine import Machine
    from zmon.topology.volume import Volume


class Sort(Enum):
    """What a word is."""

    FILE = "file"
    DIRECTORY = "directory"
    MOUNT = "mount point"
    DEVICE = "block device"
    BUS = "bus id"
    VDEV = "virtual device number"
    RDEV = "real device number"
    LABEL = "volume label"
    LCU = "logical control unit"
    TABLESPACE = "tablespace"
    DATABASE = "database"


DOWNWARDS: Final = frozenset({Sort.FILE, Sort.DIRECTORY, Sort.MOUNT})
"""What is a path and is followed down to disks."""


class Meaning(NamedTuple):
    """One thing that a word means."""

    word: str
    sort: Sort
    key: str
    """Of a file or directory its path, of a mount its point, of a device major:minor, of an LCU its key, of a
    tablespace database and name, else the word as it is spelled there."""
    disks: tuple[str, ...] = ()
    """major:minor of the disks it stands for; empty for files, mounts and tablespaces."""


_BUS: Final = re.compile(r"[0-9a-f]{1,2}\.[0-3]\.[0-9a-f]{4}")
_HEX: Final = re.compile(r"(?:0x)?[0-9a-f]{1,5}", re.IGNORECASE)


def meanings(word: str, machine: Machine) -> list[Meaning]:
    """Return all that a word means in a machine, each once; an empty one means nothing."""
    if not word:
        return []
    found = dict.fromkeys(
        meaning
        for reading in (_paths, _nodes, _numbers, _labels, _lcus, _tablespaces)
        for meaning in reading(word, machine)
    )
    return list(found)


def _paths(word: str, machine: Machine) -> Iterator[Meaning]:
    if not word.startswith(("/", "+")):  # disk groups of Oracle have a plus
        return
    path = word.rstrip("/") or "/"
    mount = machine.mounts.by_point.get(path)
    if mount is not None:
        yield Meaning(word, Sort.MOUNT, mount.point)
    for file in machine.files:
        if path in {file.path, file.real}:
            yield Meaning(word, Sort.FILE, file.path)
        elif mount is None and file.path.startswith(f"{path}/"):
            yield Meaning(word, Sort.DIRECTORY, path)


def _nodes(word: str, machine: Machine) -> Iterator[Meaning]:
    node = machine.stack.named(word)
    if node is not None:
        yield Meaning(word, Sort.DEVICE, node.number, tuple(machine.stack.leaves(node.number)))


def _numbers(word: str, machine: Machine) -> Iterator[Meaning]:
    lower = word.lower()
    if _BUS.fullmatch(lower):
        yield from _some(word, Sort.BUS, lower, machine, lambda volume: volume.busid == lower)
    elif _HEX.fullmatch(word):
        number = lower.removeprefix("0x").upper().zfill(4)
        yield from _some(word, Sort.VDEV, number, machine, lambda volume: volume.vdev == number)
        yield from _some(word, Sort.RDEV, number, machine, lambda volume: volume.rdev == number)


def _labels(word: str, machine: Machine) -> Iterator[Meaning]:
    upper = word.upper()
    yield from _some(
        word, Sort.LABEL, upper, machine, lambda volume: upper in {_text(volume.volser), _text(volume.label)}
    )


def _lcus(word: str, machine: Machine) -> Iterator[Meaning]:
    wanted = word.casefold()
    named: dict[str, list[str]] = {}
    for volume in machine.volumes.values():
        if wanted in volume.lcu_names:
            named.setdefault(volume.key, []).append(volume.number)
    for key, numbers in named.items():
        yield Meaning(word, Sort.LCU, key, tuple(numbers))


def _tablespaces(word: str, machine: Machine) -> Iterator[Meaning]:
    wanted = word.casefold()
    for file in machine.files:
        if file.tablespace and wanted in {file.tablespace.casefold(), file.space.casefold()}:
            yield Meaning(word, Sort.TABLESPACE, file.space)
        elif file.database and wanted == file.database.casefold():
            yield Meaning(word, Sort.DATABASE, file.database)


def _some(
    word: str, sort: Sort, key: str, machine: Machine, fits: Callable[[Volume], bool]
) -> Iterator[Meaning]:
    disks = tuple(number for number, volume in machine.volumes.items() if fits(volume))
    if disks:
        yield Meaning(word, sort, key, disks)


def _text(value: Value) -> str:
    return "" if isinstance(value, Absent) else str(value).upper()
