"""Files that something above Linux spreads over block devices by itself, as Oracle's ASM does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.topology.evidence import Evidence, Grade
from zmon.topology.file import File

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Number
    from zmon.topology.stack import Stack

NO_MOUNT: Final = absent("it is on no file system: disk groups use devices directly")
NOT_TOLD: Final = absent("no listing has it for a file in a disk group")
NO_DEVICE: Final = absent("no block device that was read has this name")
_BY_NUMBER: Final = "/dev/block/"


class Part(NamedTuple):
    """What of a file lies on one device; where on it, is not told."""

    device: str
    """Its path, as it is listed."""
    data: Number
    """Bytes of the first copy."""
    copies: Number
    """Bytes of the others."""
    number: str | Absent
    """major:minor of the device; before it is looked for, why it cannot be found if its path is none."""


class Scattered(NamedTuple):
    """A file, and what is told of how it is spread; it is listed as any other, each path once."""

    path: str
    database: str
    tablespace: str
    role: str
    listed: str
    declared: Number
    over: str
    """What spreads it: `+DATA`."""
    what: str
    """What that is, for people."""
    devices: tuple[str, ...]
    """Paths of all devices that it may be spread over."""
    parts: tuple[Part, ...]
    unplaced: int
    """Bytes on devices that are not told."""
    grade: Grade
    evidence: tuple[Evidence, ...]

    @property
    def lacking(self) -> tuple[str, ...]:
        """Why not all of it can be placed."""
        untold = [each.said for each in self.evidence if each.grade is Grade.UNKNOWN]
        lost = (
            f"{part.device}: {part.number.reason}" for part in self.parts if isinstance(part.number, Absent)
        )
        return tuple(dict.fromkeys((*untold, *lost)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not read but assumed."""
        return tuple(each.said for each in self.evidence if each.grade is Grade.ASSUMED)


def gathered(
    scattered: Sequence[Scattered], files: Iterable[File], known: Iterable[File], stack: Stack
) -> list[File]:
    """Return files, and with them the scattered ones in place of the devices that these lie on.

    `known` are the files and devices that were looked at: of a device that was, the kernel has told the
    number; of another the name tells it.
    """
    numbers = {file.path: file.number for file in known} if scattered else {}
    devices = {device for one in scattered for device in one.devices}
    others = (file for file in files if file.path not in devices or not _is_their_own(file))
    return [*others, *(_file(one, numbers, stack) for one in scattered)]


def _is_their_own(file: File) -> bool:
    """Tell whether a device is listed for its disk group alone, and not for a tablespace."""
    return file.tablespace[:1] in {"", "+"}


def _file(one: Scattered, numbers: Mapping[str, str | Absent], stack: Stack) -> File:
    parts = tuple(part._replace(number=_number(part, numbers, stack)) for part in one.parts)
    found = one._replace(parts=parts)
    lost = absent(found.lacking[0]) if found.lacking else None
    is_somewhere = any(isinstance(part.number, str) for part in parts)
    size = one.declared
    if isinstance(size, Absent) and parts:
        size = sum((part.data for part in parts[1:]), parts[0].data) + one.unplaced
    return File(
        one.path,
        database=one.database,
        tablespace=one.tablespace,
        role=one.role,
        listed=one.listed,
        real=one.path if is_somewhere or lost is None else lost,
        number=lost or one.over,
        mount=NO_MOUNT,
        ranges=(),
        said=(),
        size=size,
        declared=one.declared,
        unplaced=0,
        unwritten=NOT_TOLD,
        shared=NOT_TOLD,
        encoded=0,
        scattered=found,
    )


def _number(part: Part, numbers: Mapping[str, str | Absent], stack: Stack) -> str | Absent:
    if not part.device.startswith("/"):
        return part.number
    number = numbers.get(part.device, NO_DEVICE)
    node = stack.named(part.device.removeprefix(_BY_NUMBER)) if isinstance(number, Absent) else None
    return number if node is None else node.number
