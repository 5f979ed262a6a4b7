"""Files that hold data, as a sample has them: each with its byte ranges on a device or in a disk group."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from itertools import islice, takewhile

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple
from zmon.topology.claims import Evidence, Grade
from zmon.topology.mounts import mount_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.listed_file import ListedFile
    from zmon.sample import Frame
    from zmon.topology.mounts import Mounts
    from zmon.topology.stack import Stack


_BY_NAME: Final = "the name of the path"
_BY_DEVICE: Final = "the name of the device"
_DEV: Final = "/dev/"
_NOT_LOOKED_AT: Final = absent(
    "only the path is known: a symbolic link in it may lead elsewhere, and the size is unknown; a capture"
    " made with --listing has the files themselves"
)
_BY_PATH: Final = absent(
    "only the path is known: a symbolic link in it may lead elsewhere; a capture made with --listing has the"
    " files themselves"
)
"""The same where a listing has the size."""

NO_FILE_SYSTEM: Final = absent("a device is on no file system")

_HEX: Final = frozenset("0123456789abcdef")


class DataFile(NamedTuple):
    """A file or device that holds something, such as a tablespace; a row of `CONTAINER`, or a `Scattered`."""

    path: str
    database: str
    tablespace: str
    role: str
    listed: str
    """Its place in a listing; empty without one."""
    real: str | Absent
    """The path without links; of a file in an overlay, that in the layer which holds it."""
    number: str | Absent
    """The device of `ranges`: a block device, or a btrfs; of a disk group, its name."""
    mount: str | Absent
    """The id of the mount through which it is seen."""
    ranges: tuple[tuple[int, int], ...] | Absent
    """[begin, end) in bytes."""
    said: tuple[tuple[str, str], ...]
    """The sources that were read, each with the fact it supplied."""
    size: Number
    declared: Number
    """Its size in bytes by the listing."""
    unplaced: Number
    unwritten: Number
    shared: Number
    encoded: Number
    """Bytes of compressed extents, whose length on the device is unknown."""
    scattered: DiskGroupFile | None = None
    """How it is spread over devices, if a disk group does that and not the kernel."""
    unseen: bool = False
    """Whether it was not read: then only its name shows on which mount it would be."""

    @property
    def space(self) -> str:
        """Its tablespace, with the database where that is known: `PROD.USERSPACE1`."""
        return ".".join(filter(None, (self.database, self.tablespace)))

    @property
    def mapped(self) -> Number:
        """Bytes of its ranges."""
        ranges = self.ranges
        return ranges if isinstance(ranges, Absent) else sum(end - begin for begin, end in ranges)


def files_in(frame: Frame) -> list[DataFile]:
    """Return the files of a sample."""
    names = [name for name in DataFile._fields if name in frame.kind.by_name]
    columns = [map(_READERS.get(name, _number), frame.column(name)) for name in names]
    return [_as_declared(file) for file in map(DataFile, frame.keys, *columns)]


def _as_declared(file: DataFile) -> DataFile:
    """Return a file; of a device that a tablespace uses in part, that part: the listing says how much.

    It has the whole device for itself, but what counts and moves is its data, from the begin on.
    """
    declared = file.declared
    is_device = isinstance(file.mount, Absent) and text_of(file.real).startswith(_DEV)
    if not is_device or isinstance(file.number, Absent) or isinstance(declared, Absent):
        return file
    if declared <= 0 or file.size <= declared:
        return file
    return file._replace(size=declared, ranges=((0, int(declared)),))


def unknown_file(path: str, why: Absent, **facts: Any) -> DataFile:
    """Return a file of which some cells are known, and the others absent for one reason."""
    cells = dict.fromkeys(DataFile._fields, why) | DataFile._field_defaults | {"path": path, "said": ()}
    return DataFile(**cells | dict.fromkeys(("database", "tablespace", "role", "listed"), "") | facts)


def files_of(
    listed: Iterable[ListedFile], read: Iterable[DataFile], mounts: Mounts, stack: Stack
) -> list[DataFile]:
    """Return the files of listed containers on a machine that can no longer be read.

    `read` are the files that were read when it could be.  A directory is replaced by those of them that are
    in it.  For a container that was not read, the name alone shows which device it is, or on which mount it
    would be.
    """
    at = {file.path: file for file in read}
    paths = sorted(at)
    by_real = {file.real: file for file in at.values() if isinstance(file.real, str)}
    files: dict[str, DataFile] = {}
    for listed_file in listed:
        path = normal(listed_file.path)
        file = at.get(listed_file.path) or at.get(path) or by_real.get(path)
        if file is not None:
            files.setdefault(file.path, _named(file, listed_file)._replace(path=listed_file.path))
        elif names := _starting(paths, path.rstrip("/") + "/"):
            for name in names:
                files.setdefault(name, _named(at[name], listed_file))
        elif listed_file.is_device or _is_node(path, mounts):
            files.setdefault(path, _named(_device_by_name(listed_file, path, stack), listed_file))
        else:
            file = file_by_name(path, mounts, listed_file.declared)
            files.setdefault(path, _named(file, listed_file)._replace(path=listed_file.path))
    return list(files.values())


def normal(path: str) -> str:
    """Return an absolute path without `.`, `..` and doubled slashes, by its name only."""
    return "/" + posixpath.normpath(path).lstrip("/")


def _is_node(path: str, mounts: Mounts) -> bool:
    """Return whether a path is in /dev itself, where devices are, and on no file system mounted below it."""
    mount = mount_of(path, mounts)
    return path.startswith(_DEV) and (isinstance(mount, Absent) or not mount.point.startswith(_DEV))


def _device_by_name(listed: ListedFile, path: str, stack: Stack) -> DataFile:
    """Return a whole device by its name alone, in the form that the kernel supplies for one that is read."""
    node = stack.named(path) if path.startswith(_DEV) else None
    if node is None:
        no = absent(
            "no device of this name was read; a capture made with --listing has the devices themselves"
        )
        place: dict[str, Any] = dict.fromkeys(("real", "number", "mount"), no)
        sizes: dict[str, Any] = dict.fromkeys(("size", "declared"), listed.declared)
        return unknown_file(listed.path, _NOT_LOOKED_AT, **place, **sizes, unseen=True)
    return unknown_file(
        listed.path,
        NO_FILE_SYSTEM,
        real=path,
        number=node.number,
        ranges=node.size if isinstance(node.size, Absent) else ((0, int(node.size)),),
        said=((_BY_DEVICE, f"{node.title}, {node.number}: the whole device"),),
        size=node.size,
        declared=node.size,
        **dict.fromkeys(("unplaced", "unwritten", "shared", "encoded"), 0),
    )


def _starting(paths: list[str], start: str) -> list[str]:
    return list(
        takewhile(lambda path: path.startswith(start), islice(paths, bisect_left(paths, start), None))
    )


def _named(file: DataFile, listed: ListedFile) -> DataFile:
    return _as_declared(
        file._replace(
            database=listed.database,
            tablespace=listed.tablespace,
            role=listed.role,
            listed=listed.listed,
            declared=listed.declared,
        )
    )


def file_by_name(path: str, mounts: Mounts, size: Number = _NOT_LOOKED_AT) -> DataFile:
    """Return a file by its name alone: on the mount where it would be."""
    mount = mount_of(path, mounts)
    if isinstance(mount, Absent):
        place: dict[str, Any] = dict.fromkeys(("real", "number", "mount"), mount)
    else:
        place = {"real": path, "number": mount.number, "mount": mount.id}
        place["said"] = ((_BY_NAME, f"{mount.point} holds it"),)
    why = _NOT_LOOKED_AT if isinstance(size, Absent) else _BY_PATH
    return unknown_file(path, why, **place, size=size, declared=size, unseen=True)


def parse_ranges(content: str) -> tuple[tuple[int, int], ...]:
    """Read words FIRST+LENGTH in hex; return [begin, end) of each.

    Raises:
        ValueError: a word has another form.
    """
    ranges = []
    for word in content.split():
        first, plus, length = word.partition("+")
        if not (plus and _is_hex(first) and _is_hex(length)):
            raise ValueError(f"not FIRST+LENGTH in hex: {word[:40]!r}")
        ranges.append((int(first, 16), int(first, 16) + int(length, 16)))
    return tuple(ranges)


def _is_hex(word: str) -> bool:
    return 0 < len(word) <= 16 and _HEX.issuperset(word)


def _given(value: Value) -> str | Absent:
    return value if isinstance(value, Absent) else str(value)


def _number(value: Value) -> Number:
    return absent(f"not a number: {value[:40]!r}") if isinstance(value, str) else value


def _ranges(value: Value) -> tuple[tuple[int, int], ...] | Absent:
    if isinstance(value, Absent):
        return value
    try:
        return parse_ranges(str(value))
    except ValueError as error:
        return absent(str(error))


def _said(value: Value) -> tuple[tuple[str, str], ...]:
    lines = (line.partition(": ") for line in text_of(value).split("\n"))
    return tuple((source, said) for source, colon, said in lines if colon)


_READERS: Final[dict[str, Callable[[Value], object]]] = {
    **dict.fromkeys(("database", "tablespace", "role", "listed"), text_of),
    **dict.fromkeys(("real", "number", "mount"), _given),
    "ranges": _ranges,
    "said": _said,
}
"""The conversion of a cell of a sample to a field of a file; other cells are numbers."""


NO_MOUNT: Final = absent("it is on no file system: disk groups use devices directly")
NOT_LISTED: Final = absent("no listing has it for a file in a disk group")
NO_DEVICE: Final = absent("no block device that was read has this name")
_BY_NUMBER: Final = "/dev/block/"


class DiskGroupPart(NamedTuple):
    """The part of a file on one device, in an unknown place."""

    device: str
    """Its path, as it is listed."""
    data: Number
    """Bytes of the first copy."""
    copies: Number
    """Bytes of the others."""
    number: str | Absent
    """major:minor of the device; until it is looked up, the reason if the path cannot name a device."""


class DiskGroupFile(NamedTuple):
    """A file in a disk group, and how it is spread over devices; each path once."""

    path: str
    database: str
    tablespace: str
    role: str
    listed: str
    declared: Number
    over: str
    """The disk group: `+DATA`."""
    what: str
    """Its kind, for people."""
    devices: tuple[str, ...]
    """Paths of all devices that it may be spread over."""
    parts: tuple[DiskGroupPart, ...]
    unplaced: int
    """Bytes on devices that no listing names."""
    grade: Grade
    evidence: tuple[Evidence, ...]

    @property
    def lacking(self) -> tuple[str, ...]:
        """Why not all of it can be placed."""
        unknown = [evidence.said for evidence in self.evidence if evidence.grade is Grade.UNKNOWN]
        missing = (
            f"{part.device}: {part.number.reason}" for part in self.parts if isinstance(part.number, Absent)
        )
        return tuple(dict.fromkeys((*unknown, *missing)))

    @property
    def notes(self) -> tuple[str, ...]:
        """The assumptions."""
        return tuple(evidence.said for evidence in self.evidence if evidence.grade is Grade.ASSUMED)


def with_disk_groups(
    scattered: Sequence[DiskGroupFile],
    files: Iterable[DataFile],
    read: Iterable[DataFile],
    stack: Stack,
) -> list[DataFile]:
    """Return the files, with the scattered ones in place of the devices that they lie on.

    `read` are the files and devices that were read: the kernel supplied the number of such a device; the
    name shows the number of another one.
    """
    numbers = {file.path: file.number for file in read} if scattered else {}
    devices = {device for file in scattered for device in file.devices}
    others = (file for file in files if file.path not in devices or not _is_their_own(file))
    return [*others, *(_file(file, numbers, stack) for file in scattered)]


def _is_their_own(file: DataFile) -> bool:
    """Return whether a device is listed for its disk group alone, and not for a tablespace."""
    return file.tablespace[:1] in {"", "+"}


def _file(file: DiskGroupFile, numbers: Mapping[str, str | Absent], stack: Stack) -> DataFile:
    parts = tuple(part._replace(number=_part_number(part, numbers, stack)) for part in file.parts)
    scattered = file._replace(parts=parts)
    lost = absent(scattered.lacking[0]) if scattered.lacking else None
    is_somewhere = any(isinstance(part.number, str) for part in parts)
    size = file.declared
    if isinstance(size, Absent) and parts:
        size = sum((part.data for part in parts[1:]), parts[0].data) + file.unplaced
    return unknown_file(
        file.path,
        NOT_LISTED,
        database=file.database,
        tablespace=file.tablespace,
        role=file.role,
        listed=file.listed,
        real=file.path if is_somewhere or lost is None else lost,
        number=lost or file.over,
        mount=NO_MOUNT,
        ranges=(),
        size=size,
        declared=file.declared,
        unplaced=0,
        encoded=0,
        scattered=scattered,
    )


def _part_number(part: DiskGroupPart, numbers: Mapping[str, str | Absent], stack: Stack) -> str | Absent:
    if not part.device.startswith("/"):
        return part.number
    number = numbers.get(part.device, NO_DEVICE)
    node = stack.named(part.device.removeprefix(_BY_NUMBER)) if isinstance(number, Absent) else None
    return number if node is None else node.number
